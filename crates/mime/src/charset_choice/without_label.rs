//! Chooses a charset without a usable label: from the document, the message, the caller's default or detection.

use super::choice::Choice;
use super::evidence::Evidence;
use super::labels::label_events::detected_event;
use super::labels::superset::{better_by_bytes, lossless_superset, needs_superset};
use super::mail_evidence::MailEvidence;
use super::text_tests::case_faults::outweighs;
use super::text_tests::contested_words::outweighs_declaration;
use super::text_tests::damage::decodes_without_loss;
use super::text_tests::few_bytes::{likelier_by_few_bytes, likelier_by_letters};
use super::text_tests::misplaced_signs::{SignsWithin, signs_within_words};
use super::text_tests::truncated_utf8::has_only_cut_signs;
use super::text_tests::{font_names, insufficient_evidence};
use super::thresholds::{FALLBACK_CONFIDENCE, LIKELY_CONFIDENCE, SURE_CONFIDENCE};
use super::two_charsets::koi8_signs::with_signs_in_koi8;
use super::two_charsets::latin2_passages::in_latin2_passages;
use super::two_charsets::mixed_choice::mixed_without_label;
use super::two_charsets::mixed_text::RestCharset;
use super::two_charsets::quoted_lines::quotations_without_label;
use super::two_charsets::sections::sections_without_label;
use crate::document_charset;
use crate::event::{ChosenBy, Detail, EventKind, Reason};
use crate::policy::Detection;
use crate::reading::How;
use mailglot_codec::detect::{self, Guess, Weighed};
use mailglot_codec::{Charset, LossLog};
use std::cell::OnceCell;

type Events = Vec<(EventKind, Detail)>;

/// Chooses the charset of bytes that are neither ASCII nor valid UTF-8 and whose label, if any, does not decode them.
pub(super) fn without_label<'a>(
    bytes: &'a [u8],
    evidence: &Evidence<'_>,
    declared: Option<Charset>,
    mut events: Events,
) -> Choice<'a> {
    if evidence.label.is_none() {
        events.push((EventKind::CharsetUnlabelled, Reason::EightBitText.into()));
    }
    if let Some(choice) = by_transfer_encoding(bytes, evidence, declared) {
        return choice.after(events);
    }
    let hints = evidence.hints(bytes);
    let cell = OnceCell::new();
    let weighed = || cell.get_or_init(|| Weighed::new(bytes, &hints));
    let is_open = declared.is_none_or(|charset| charset == Charset::US_ASCII);
    let blocks = || {
        quotations_without_label(bytes, || weighed().guess().charset, evidence)
            .or_else(|| sections_without_label(bytes, evidence))
    };
    let mixed = match declared {
        _ if !evidence.may_find_mixed() => None,
        _ if is_open => mixed_without_label(bytes, evidence, &hints).or_else(blocks),
        // Text under a label of UTF-8 comes here only if it is not valid.
        Some(Charset::UTF_8) => blocks(),
        _ => None,
    };
    if let Some(mixed) = mixed {
        return mixed.choice_of_rest(events);
    }
    let is_absurd = |charset, how| {
        weighed().rival(charset).is_some_and(|rival| match how {
            How::Document => outweighs_declaration(&rival, charset, bytes, &hints),
            _ => outweighs(&rival, charset, bytes),
        })
    };
    let candidates = named_candidates(bytes, evidence, &hints);
    if let Some(choice) = first_plausible(bytes, candidates, declared, is_absurd) {
        return choice.after(events);
    }
    let (used, how, confidence, by) = if evidence.detection() == Detection::Off {
        let used = evidence.fallback().unwrap_or(Charset::WINDOWS_1252);
        (
            used,
            How::Fallback,
            FALLBACK_CONFIDENCE,
            ChosenBy::Step(How::Fallback),
        )
    } else {
        let (guess, by) = sufficient_guess(bytes, weighed().guess(), evidence, &hints);
        let (used, how) = if guess.evidence == detect::Evidence::Fallback {
            (evidence.fallback().unwrap_or(guess.charset), How::Fallback)
        } else {
            (guess.charset, How::Detected)
        };
        let used = lossless_superset(used, bytes).unwrap_or(used);
        (used, how, guess.confidence, by)
    };
    let guess = RestCharset {
        charset: used,
        confidence: Some(confidence),
    };
    let mixed = || with_signs_in_koi8(bytes, guess).or_else(|| in_latin2_passages(bytes, guess));
    if let Some(mixed) = evidence.may_find_mixed().then(mixed).flatten() {
        events.push(detected_event(declared, mixed.other.charset, by));
        return mixed.choice_of_rest(events);
    }
    events.push(detected_event(declared, used, by));
    Choice::decode(bytes, used, how, events).with_confidence(Some(confidence))
}

/// Returns the text in the charset that Content-Transfer-Encoding names by mistake, if it decodes all bytes.
fn by_transfer_encoding<'a>(
    bytes: &'a [u8],
    evidence: &Evidence<'_>,
    declared: Option<Charset>,
) -> Option<Choice<'a>> {
    let named = evidence.mail?.transfer_charset()?;
    let is_usable = named.may_stand_beside_ascii();
    let is_other = declared != Some(named) && named != Charset::US_ASCII;
    let used = lossless_superset(named, bytes).unwrap_or(named);
    if !is_usable || !is_other || !decodes_without_loss(used, bytes) {
        return None;
    }
    let events = vec![detected_event(declared, used, ChosenBy::Step(How::Message))];
    Some(Choice::decode(bytes, used, How::Message, events))
}

/// Returns the charsets that something names, strongest first: the document, its fonts, other parts of the message, the caller's
/// default.
fn named_candidates<'b>(
    bytes: &'b [u8],
    evidence: &'b Evidence<'b>,
    hints: &detect::Hints<'_>,
) -> impl Iterator<Item = (Charset, How)> + 'b {
    let reads_fonts = evidence.document.is_some() && hints.rules.has(detect::Rules::FONT_NAMES);
    let fonts = move || {
        let (_, charset) = font_names::language(bytes).filter(|_| reads_fonts)?;
        Some(charset)
    };
    let document = evidence
        .document
        .and_then(|document| document_charset::declared_charset(bytes, document))
        .or_else(fonts);
    let mail = evidence
        .mail
        .filter(|_| evidence.detection() != Detection::Off);
    // UTF-16 and UTF-32 without a mark show in the bytes, and turn any other text into East Asian characters.
    let message = mail
        .into_iter()
        .flat_map(|mail| mail.named_charsets())
        .filter(|charset| !charset.is_wide());
    let default = evidence.fallback();
    document
        .map(|charset| (charset, How::Document))
        .into_iter()
        .chain(message.map(|charset| (charset, How::Message)))
        .chain(default.map(|charset| (charset, How::Hint)))
}

/// Returns the text in the first candidate that decodes all bytes to plausible text: a single-byte charset decodes any bytes. The
/// caller's default needs no proof.
fn first_plausible(
    bytes: &[u8],
    candidates: impl Iterator<Item = (Charset, How)>,
    declared: Option<Charset>,
    is_absurd: impl Fn(Charset, How) -> bool,
) -> Option<Choice<'_>> {
    // An earlier step has shown that these bytes are not valid UTF-8.
    let mut tried = vec![Charset::US_ASCII, Charset::UTF_8];
    tried.extend(declared);
    for (charset, how) in candidates {
        if tried.contains(&charset) {
            continue;
        }
        tried.push(charset);
        let better = match how {
            How::Hint => lossless_superset(charset, bytes),
            // `ž` of windows-1252 is a control in ISO-8859-15.
            _ => better_by_bytes(charset, bytes)
                .or_else(|| needs_superset(charset, bytes).then(|| charset.superset())),
        };
        let charset = better.unwrap_or(charset);
        let mut log = LossLog::new();
        let text = charset.decode(bytes, &mut log);
        // A charset that decodes ASCII unchanged proves nothing about it. Once the header is UTF-8, it would not name this charset
        // any more.
        if how != How::Hint && bytes.is_ascii() && text.as_bytes() == bytes {
            continue;
        }
        if log.losses() == 0 && (how == How::Hint || !is_absurd(charset, how)) {
            let events = vec![detected_event(declared, charset, ChosenBy::Step(how))];
            return Some(Choice::of_text(text, log, charset, how, events));
        }
    }
    None
}

/// Returns the guess of detection, UTF-8 if signs are cut, or windows-1252 if the bytes prove too little.
fn sufficient_guess(
    bytes: &[u8],
    own: Guess,
    evidence: &Evidence<'_>,
    hints: &detect::Hints<'_>,
) -> (Guess, ChosenBy) {
    let has_no_hints = hints.language.is_none() && hints.country.is_none();
    if has_no_hints && has_only_cut_signs(bytes) {
        let guess = Guess {
            charset: Charset::UTF_8,
            confidence: LIKELY_CONFIDENCE,
            evidence: detect::Evidence::Utf8,
        };
        return (guess, ChosenBy::Detection(guess.evidence));
    }
    let (guess, by) = own_or_pooled(bytes, own, evidence);
    if let Some(guess) = by_signs_within_words(bytes, guess, hints) {
        return (guess, ChosenBy::Detection(guess.evidence));
    }
    if !has_no_hints || !insufficient_evidence::is_insufficient(bytes, guess.charset) {
        return (guess, by);
    }
    let guess = Guess {
        charset: Charset::WINDOWS_1252,
        confidence: FALLBACK_CONFIDENCE,
        evidence: detect::Evidence::Fallback,
    };
    (guess, ChosenBy::Detection(guess.evidence))
}

/// Returns the charset of letters in place of signs within words, if windows-1252 is no sure guess: `J”rg` is `Jörg` in IBM850. Other words
/// may be of a language that is rare in that charset.
fn by_signs_within_words(bytes: &[u8], guess: Guess, hints: &detect::Hints<'_>) -> Option<Guess> {
    let label = Charset::WINDOWS_1252;
    let has_signs = guess.charset == label
        && guess.confidence < SURE_CONFIDENCE
        && signs_within_words(label, bytes) != SignsWithin::None;
    let likelier = has_signs
        .then(|| {
            likelier_by_few_bytes(label, bytes, hints)
                .or_else(|| likelier_by_letters(label, bytes, hints))
        })
        .flatten()?;
    Some(Guess {
        confidence: likelier.guess.confidence.min(FALLBACK_CONFIDENCE),
        ..likelier.guess
    })
}

/// Returns the better of the part's own guess and the guess for all undeclared text, and names its evidence.
fn own_or_pooled(bytes: &[u8], own: Guess, evidence: &Evidence<'_>) -> (Guess, ChosenBy) {
    if own.confidence < SURE_CONFIDENCE
        && let Some(pooled) = evidence.mail.and_then(MailEvidence::pooled_guess)
        && pooled.confidence > own.confidence
        && pooled.evidence != detect::Evidence::Fallback
        && decodes_without_loss(pooled.charset, bytes)
    {
        return (pooled, ChosenBy::UndeclaredText);
    }
    (own, ChosenBy::Detection(own.evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_charset_gives_no_controls() {
        for (charset, bytes, want) in [
            (Charset::ISO_8859_15, &b"Vorone\x9E"[..], "Voronež"),
            (Charset::ISO_8859_15, b"5 \xA4", "5 €"),
            (Charset::ISO_8859_2, b"Voron\xECz", "Voroněz"),
        ] {
            let named = [(charset, How::Message)].into_iter();
            let choice = first_plausible(bytes, named, None, |_, _| false);
            assert_eq!(
                choice.map(|choice| choice.text.into_owned()).as_deref(),
                Some(want)
            );
        }
    }
}
