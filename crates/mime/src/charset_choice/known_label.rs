//! Uses the label or its superset, and searches further if the label cannot decode the bytes.

use super::labels::label_check::{LabelVerdict, OtherReading, check_label};
use super::labels::label_events::detected_event;
use super::labels::label_scope::LabelScope;
use super::labels::named_rival::{by_declaration, by_declaration_beside_utf8, by_message};
use super::labels::{certain_utf8, label_plausibility, superset};
use super::utf16_mislabel::mislabeled_utf16;
use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::damage::{begins_as_damaged_utf8, is_damaged};
use crate::charset_choice::text_tests::hebrew_visual_order::visual_order_note;
use crate::charset_choice::text_tests::insufficient_evidence;
use crate::charset_choice::text_tests::shifts::has_shift_bytes;
use crate::charset_choice::text_tests::single_western_words::has_western_word;
use crate::charset_choice::text_tests::truncated_utf8::is_truncated_utf8;
use crate::charset_choice::text_tests::utf8_sequences::{
    has_byte_order_mark_as_characters, is_early_invalid_utf8,
};
use crate::charset_choice::thresholds::LIKELY_CONFIDENCE;
use crate::charset_choice::two_charsets::koi8_signs::{may_have_signs, with_signs_in_koi8};
use crate::charset_choice::two_charsets::latin2_passages::in_latin2_passages;
use crate::charset_choice::two_charsets::mixed_choice::{lines_beside_utf8, mixed_by_label};
use crate::charset_choice::two_charsets::mixed_iso2022jp::{has_japanese_segments, is_japanese};
use crate::charset_choice::two_charsets::mixed_text::MixedText;
use crate::charset_choice::two_charsets::mixed_text::RestCharset;
use crate::charset_choice::two_charsets::quoted_lines::{
    has_odd_beginning, proven_by_quotation, quotations_against_label, quotations_by_label,
};
use crate::charset_choice::two_charsets::sections::{
    has_odd_section, proven_by_section, sections_by_label,
};
use crate::charset_choice::two_charsets::windows_signs::with_windows_signs;
use crate::charset_choice::without_label::without_label;
use crate::event::{ChosenBy, Detail, EventKind, Reason};
use crate::policy::Detection;
use crate::reading::How;
use mailglot_codec::{Charset, LossKind, LossLog, detect};
use mailglot_kernel::{ByteClasses, utf8};
use std::borrow::Cow;

type Events = Vec<(EventKind, Detail)>;

/// Chooses the charset of a body whose label names `charset`, and reports text that the label makes implausible.
///
/// `classes` are those of all bytes.
pub(crate) fn known_label<'a>(
    bytes: &'a [u8],
    classes: ByteClasses,
    charset: Charset,
    evidence: &Evidence<'_>,
    events: Events,
) -> Choice<'a> {
    let mut choice = if charset == Charset::UTF_8 {
        by_label_of_utf8(bytes, classes, evidence, events)
    } else if let Some(choice) = mislabeled_utf16(charset, bytes, evidence) {
        choice.after(events)
    } else {
        by_label_or_better(bytes, classes, charset, evidence, events)
    };
    let is_believed = matches!(choice.how, How::Label | How::Superset);
    if !is_believed {
        return choice;
    }
    let is_suspected = |(kind, _): &(EventKind, Detail)| *kind == EventKind::CharsetSuspected;
    if charset != Charset::UTF_8
        && !choice.events.iter().any(is_suspected)
        && let Some(characters) = label_plausibility::non_text_characters(&choice.text)
    {
        let charset = choice.used;
        let detail = Detail::Gives {
            charset,
            characters,
        };
        choice.events.push((EventKind::CharsetSuspected, detail));
    }
    if evidence.detection() != Detection::Off
        && !choice.events.iter().any(is_suspected)
        && has_western_word(choice.used, bytes)
    {
        let reason = Reason::ForeignLetters.into();
        choice.events.push((EventKind::CharsetSuspected, reason));
    }
    if evidence.detection() != Detection::Off
        && choice.mixed.is_none()
        && may_have_signs(bytes, choice.used)
    {
        let reason = Reason::TableLines.into();
        choice.events.push((EventKind::CharsetSuspected, reason));
    }
    if evidence.detection() != Detection::Off
        && choice.mixed.is_none()
        && has_byte_order_mark_as_characters(choice.used, bytes)
    {
        let reason = Reason::InnerByteOrderMark.into();
        choice.events.push((EventKind::CharsetSuspected, reason));
    }
    // The charsets of Microsoft have them.
    let has_katakana = matches!(
        charset,
        Charset::CP50220 | Charset::CP50221 | Charset::CP50222
    );
    if !has_katakana && choice.log.count(LossKind::HalfwidthKatakana) > 0 {
        let detail = Detail::read_as(Some(charset), Charset::CP50221);
        choice.events.push((EventKind::CharsetSuperset, detail));
    }
    if charset != Charset::UTF_8
        && let Some(order) = visual_order_note(charset, &choice.text)
    {
        choice
            .events
            .push((EventKind::CharsetVisualOrder, order.into()));
    }
    choice
}

/// Reads text under a label of UTF-8. The label stays if the text has certain characters of UTF-8; lines without any may still be in
/// another charset.
fn by_label_of_utf8<'a>(
    bytes: &'a [u8],
    classes: ByteClasses,
    evidence: &Evidence<'_>,
    events: Events,
) -> Choice<'a> {
    let of_label = events.clone();
    let choice = by_label_or_better(bytes, classes, Charset::UTF_8, evidence, events);
    let is_contradicted = certain_utf8::contradicts(bytes, &choice);
    if !is_contradicted && !certain_utf8::stands_beside_losses(bytes, &choice) {
        return choice;
    }
    match lines_beside_utf8(bytes, evidence) {
        Some(mixed) => mixed.choice(Charset::UTF_8, of_label),
        None if is_contradicted => Choice::decode(bytes, Charset::UTF_8, How::Label, of_label),
        None => choice,
    }
}

fn by_label_or_better<'a>(
    bytes: &'a [u8],
    classes: ByteClasses,
    charset: Charset,
    evidence: &Evidence<'_>,
    mut events: Events,
) -> Choice<'a> {
    if charset == Charset::UTF_8
        && let Some(choice) = by_declaration_beside_utf8(bytes, evidence, &mut events)
    {
        return choice.after(events);
    }
    // Most text under a label of UTF-8 is valid: it is in one charset.
    let valid = valid_utf8(bytes, charset);
    // UTF-8 and the code pages behind labels of ISO 8859 have bytes below C0.
    let has_continuation = classes.has_continuation();
    if valid.is_none()
        && (has_continuation || charset == Charset::UTF_8)
        && let Some(mixed) = mixed_by_label(bytes, charset, evidence)
    {
        return mixed.choice(charset, events);
    }
    let odd = match valid {
        Some(_) => OddBlocks::default(),
        None => OddBlocks::of(bytes, charset, evidence),
    };
    if let Some(mixed) = by_blocks(bytes, charset, odd, evidence, &mut events) {
        return mixed.choice_of_rest(events);
    }
    if let Some(choice) = by_declaration(bytes, charset, evidence, &mut events) {
        return choice.after(without_likelier(&mut events));
    }
    if let Some(choice) = by_label_check(bytes, charset, evidence, &mut events) {
        return choice;
    }
    if odd.quotation
        && charset != Charset::UTF_8
        && let Some(mixed) = quotations_against_label(bytes, charset, evidence)
    {
        return mixed.choice_of_rest(without_likelier(&mut events));
    }
    if let Some(choice) = by_message(bytes, charset, evidence, &mut events) {
        return choice.after(without_suspicion(events));
    }
    let may_search = evidence.detection() != Detection::Off;
    if may_search && let Some(choice) = eight_bit_japanese(bytes, charset, evidence) {
        return choice.after(without_suspicion(events));
    }
    let is_truncated = || charset == Charset::UTF_8 && is_truncated_utf8(bytes);
    if may_search
        && charset == Charset::UTF_8
        && is_early_invalid_utf8(bytes)
        && !begins_as_damaged_utf8(bytes)
        && !is_truncated()
    {
        // The bytes are legacy text. Decoding all of them as UTF-8 would waste time.
        let other = without_label(bytes, evidence, Some(charset), Vec::new());
        if other.log.losses() == 0 && !lacks_evidence(charset, bytes, &other) {
            return other.after(without_suspicion(events));
        }
    }
    let mut log = LossLog::new();
    // Decoding logs a byte order mark.
    let unmarked = valid.filter(|text| !text.starts_with('\u{FEFF}'));
    let text = unmarked.map_or_else(|| charset.decode(bytes, &mut log), Cow::Borrowed);
    if may_search && is_damaged(charset, bytes, &text, &log) && !is_truncated() {
        if let Some(mixed) = quotations_by_label(bytes, charset, None, evidence) {
            return mixed.choice_of_rest(without_suspicion(events));
        }
        let other = without_label(bytes, evidence, Some(charset), Vec::new());
        if other.log.losses() < log.losses()
            && is_likely(charset, &other)
            && !lacks_evidence(charset, bytes, &other)
        {
            return other.after(without_suspicion(events));
        }
    }
    let wider = charset.superset();
    if wider != charset
        && log.losses() == 0
        && (has_continuation || !charset.is_single_byte())
        && superset::needs_superset(charset, bytes)
    {
        events.push((
            EventKind::CharsetSuperset,
            Detail::read_as(Some(charset), wider),
        ));
        return Choice::of_text(text, log, wider, How::Superset, events);
    }
    Choice::of_text(text, log, charset, How::Label, events)
}

/// Which blocks may be in another charset than the label's.
#[derive(Clone, Copy, Default)]
struct OddBlocks {
    quotation: bool,
    section: bool,
}

impl OddBlocks {
    /// Tests the beginnings of quotations and sections. Text under a label of UTF-8 that is not valid counts as odd.
    fn of(bytes: &[u8], label: Charset, evidence: &Evidence<'_>) -> Self {
        let is_utf8 = label == Charset::UTF_8;
        Self {
            quotation: is_utf8 || has_odd_beginning(bytes, label, evidence),
            section: is_utf8 || has_odd_section(bytes, label, evidence),
        }
    }
}

/// Reads odd quotations and sections in another charset. Adds an event if one proves another charset but the text cannot be divided.
fn by_blocks(
    bytes: &[u8],
    label: Charset,
    odd: OddBlocks,
    evidence: &Evidence<'_>,
    events: &mut Events,
) -> Option<MixedText> {
    if odd.quotation
        && let Some(mixed) = quotations_by_label(bytes, label, None, evidence)
    {
        return Some(mixed);
    }
    if odd.section
        && let Some(mixed) = sections_by_label(bytes, label, evidence)
    {
        return Some(mixed);
    }
    if label == Charset::UTF_8 {
        return None;
    }
    let mut likelier = None;
    if odd.quotation {
        likelier = proven_by_quotation(bytes, label, evidence);
    }
    if likelier.is_none() && odd.section {
        likelier = proven_by_section(bytes, label, evidence);
    }
    if let Some(likelier) = likelier {
        let detail = Detail::Likelier { label, likelier };
        events.push((EventKind::CharsetSuspected, detail));
    }
    None
}

/// Returns the text of valid UTF-8 under its label.
fn valid_utf8(bytes: &[u8], label: Charset) -> Option<&str> {
    if label == Charset::UTF_8 {
        utf8::as_str(bytes)
    } else {
        None
    }
}

/// Returns the events without `charset.suspected`, which says that the label was used.
fn without_suspicion(mut events: Events) -> Events {
    events.retain(|(kind, _)| *kind != EventKind::CharsetSuspected);
    events
}

/// Takes the events without those that name a likelier charset, since all bytes together name another one.
fn without_likelier(events: &mut Events) -> Events {
    let mut rest = std::mem::take(events);
    rest.retain(|(_, detail)| !matches!(detail, Detail::Likelier { .. }));
    rest
}

/// Decodes the bytes in the charset that the check of the label prefers. Adds the events of the check.
fn by_label_check<'a>(
    bytes: &'a [u8],
    charset: Charset,
    evidence: &Evidence<'_>,
    events: &mut Events,
) -> Option<Choice<'a>> {
    // Escape sequences outweigh what stands beside them.
    let is_proven = || is_japanese(charset) && has_japanese_segments(bytes);
    if evidence.mapped || !bytes.is_ascii() && is_proven() {
        return None;
    }
    let scope = LabelScope::of(evidence.detection());
    let hints = || evidence.hints(bytes);
    let verdict = check_label(charset, bytes, None, scope, hints);
    let read = verdict.as_ref().and_then(|verdict| verdict.read.as_ref());
    if read.is_none_or(|read| read.how == How::Superset)
        && evidence.may_find_mixed()
        && let Some(mixed) = with_windows_signs(bytes, charset)
            .or_else(|| in_latin2_passages(bytes, RestCharset::named(charset)))
            .or_else(|| {
                let is_open = scope != LabelScope::None;
                is_open.then(|| with_signs_in_koi8(bytes, RestCharset::named(charset)))?
            })
    {
        return Some(mixed.choice_of_rest(without_likelier(events)));
    }
    let LabelVerdict {
        read,
        damaged,
        events: label_events,
    } = verdict?;
    let is_doubted = |(kind, _): &(EventKind, Detail)| *kind != EventKind::CharsetSuperset;
    let replacement = read.as_ref().map(|read| read.used);
    if label_events.iter().any(is_doubted)
        && let Some(mixed) = quotations_by_label(bytes, charset, replacement, evidence)
    {
        return Some(mixed.choice_of_rest(without_likelier(events)));
    }
    if label_events.iter().any(is_doubted) {
        *events = without_likelier(events);
    }
    if let Some(guess) = damaged {
        let by = ChosenBy::Detection(guess.evidence);
        events.push(detected_event(Some(charset), guess.charset, by));
        let choice = Choice::decode(bytes, guess.charset, How::Detected, std::mem::take(events));
        return Some(choice.with_confidence(Some(guess.confidence)));
    }
    events.extend(label_events);
    let OtherReading {
        used,
        how,
        confidence,
        ..
    } = read?;
    let guess = RestCharset {
        charset: used,
        confidence,
    };
    if evidence.may_find_mixed()
        && let Some(mixed) = with_signs_in_koi8(bytes, guess)
            .or_else(|| in_latin2_passages(bytes, guess).filter(|_| how == How::Detected))
    {
        return Some(mixed.choice_of_rest(std::mem::take(events)));
    }
    let choice = Choice::decode(bytes, used, how, std::mem::take(events));
    Some(choice.with_confidence(confidence))
}

/// Decodes a body under a label of ISO-2022-JP that has 8-bit bytes and no escape sequences. Mail programs write this label over
/// EUC-JP and Shift_JIS. Returns None if the bytes may be half-width katakana.
fn eight_bit_japanese<'a>(
    bytes: &'a [u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<Choice<'a>> {
    if !is_japanese(label) || bytes.is_ascii() || has_shift_bytes(bytes) || may_be_katakana(bytes) {
        return None;
    }
    let hints = detect::Hints {
        language: Some("ja"),
        ..evidence.hints(bytes)
    };
    let guess = detect::detect(bytes, &hints);
    let read = |charset: Charset| charset.decode_exact(bytes);
    let is_likely = match guess.charset {
        Charset::EUC_JP => is_level1(Charset::EUC_JP, bytes),
        Charset::SHIFT_JIS => guess.confidence >= LIKELY_CONFIDENCE,
        _ => false,
    };
    if !is_likely || read(guess.charset).is_none_or(|text| Some(text) == read(label)) {
        return None;
    }
    let by = ChosenBy::Detection(guess.evidence);
    let events = vec![detected_event(Some(label), guess.charset, by)];
    let choice = Choice::decode(bytes, guess.charset, How::Detected, events);
    Some(choice.with_confidence(Some(guess.confidence)))
}

/// Returns true if the high bytes may be half-width katakana. All are in its range, and they are few, or have its marks (`ﾞ`, `ﾟ`, `ｰ`).
///
/// In EUC-JP every other byte of kana and of `ー` is A4, A5 or A1. As katakana these are signs, which stand at the ends of words or, as
/// bullets, before them. So a word of three kana or more proves EUC-JP.
fn may_be_katakana(bytes: &[u8]) -> bool {
    /// Number of bytes without a mark that are not katakana.
    const MIN_OTHERS: usize = 8;
    let high = || detect::high_bytes(bytes).map(|at| bytes[at]);
    let has_leads = |word: &[u8]| {
        let is_lead = |b: &u8| matches!(b, 0xA1 | 0xA4 | 0xA5);
        word.len().is_multiple_of(2) && word.iter().step_by(2).all(is_lead)
    };
    let words = || bytes.split(u8::is_ascii).filter(|word| !word.is_empty());
    let has_leads_of_kana = words().all(has_leads) && words().any(|word| word.len() >= 6);
    high().all(|b| matches!(b, 0xA1..=0xDF) && b != 0xA4)
        && !has_leads_of_kana
        && (high().nth(MIN_OTHERS - 1).is_none() || high().any(|b| matches!(b, 0xB0 | 0xDE | 0xDF)))
}

/// Returns true if a guess is too weak to replace UTF-8: repeats of one byte do not prove that text is not UTF-8.
fn lacks_evidence(charset: Charset, bytes: &[u8], guess: &Choice<'_>) -> bool {
    charset == Charset::UTF_8
        && guess.how == How::Fallback
        && insufficient_evidence::only_high_byte(bytes).is_some()
}

/// Returns true if a guess may replace the label. A single-byte charset decodes any bytes, so it must be likely before it replaces
/// a multi-byte label.
fn is_likely(charset: Charset, guess: &Choice<'_>) -> bool {
    charset == Charset::UTF_8
        || charset.is_single_byte()
        || guess
            .confidence
            .is_none_or(|confidence| confidence >= LIKELY_CONFIDENCE)
}
