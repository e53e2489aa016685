//! Finds labels that the text of a message disproves: a body, or an encoded word that is long enough.
//!
//! ```text
//! Subject: =?iso-8859-1?B?8NLJx8zB28XOycU=?=    KOI8-R: Приглашение
//! From: =?iso-8859-1?B?68HU0Q==?=               too short to disprove its label, but KOI8-R, too: Катя
//! ```
//!
//! # Limits
//! Of encoded words only those of the message's own header count. Attachments and sealed parts do not count.

use super::message_evidence::MessageEvidence;
use crate::charset_choice::{
    AlphabetCharsets, Choice, DisprovedLabels, LabelEvidence, LabelScope, LabelTest, MAIL_HINTS,
    SURE_CONFIDENCE, check_label, is_latin_1,
};
use crate::encoded_word::{self, HeaderContext, Word};
use crate::event::{Detail, EventKind};
use crate::field_kind::FieldKind;
use crate::header::field_kind;
use crate::lexer;
use crate::message::Message;
use crate::part_id::PartId;
use crate::policy::Policy;
use crate::reading::How;
use mailglot_codec::detect::{self, high_bytes};
use mailglot_codec::{Charset, Resolved, View};
use std::collections::HashSet;

/// Minimum number of bytes above 7F of a body, and of words, that prove something about other text.
const MIN_IN_BODY: usize = 4;
const MIN_IN_WORDS: usize = 8;
/// Like these, to suggest another charset than Latin-1, which programs write by default. A few bytes overrule it only if they are certain.
const MIN_TO_SUGGEST: usize = 2;
/// Like [`MIN_IN_BODY`], if somebody chose the label: it is not Latin-1, which programs write by default.
const MIN_AGAINST_CHOICE: usize = 12;
/// Minimum number of different bytes above 7F in a double-byte charset. A repeated syllable is one piece of evidence.
const MIN_KINDS: usize = 6;

/// Returns what a body says about its label; None if it proves nothing.
pub(super) fn test_of_label(
    label: Charset,
    bytes: &[u8],
    choice: &Choice<'_>,
) -> Option<LabelTest> {
    if !may_be_disproved(label) {
        return None;
    }
    match choice.how {
        // No evidence is needed that UTF-8 is UTF-8.
        How::Label | How::Superset if label != Charset::UTF_8 => {
            let fits = choice.log.losses() == 0 && !choice.events.iter().any(is_doubt);
            let is_enough = high_bytes(bytes).nth(MIN_IN_BODY - 1).is_some();
            (fits && is_enough).then_some(LabelTest::Fits)
        }
        How::Detected => {
            let is_sure = choice.confidence.is_some_and(|c| c >= SURE_CONFIDENCE);
            // Runs of UTF-8 say nothing about the rest of the text.
            let used = choice.mixed.unwrap_or(choice.used);
            let may_replace = choice.mixed.is_none() || is_latin_1(label);
            let may_replace = may_replace && may_replace_label(label, used);
            (is_sure && may_replace && is_proof(label, used, bytes))
                .then(|| disproof(label, used, bytes, MIN_IN_BODY))?
        }
        _ => None,
    }
}

/// Returns the labels that bodies disprove, and the charsets of text in another alphabet. They are those of a body or of encoded words in
/// another script, else of the alphabet of the bodies.
pub(crate) fn labels_of_bodies(message: &Message<'_>, hints: &MessageEvidence) -> DisprovedLabels {
    let found = hints.labels_of_bodies.disproved(|_| true);
    if hints.labels_of_bodies.fit_latin_1() {
        return found;
    }
    let is_sure = |confidence: Option<f32>| confidence.is_none_or(|c| c >= SURE_CONFIDENCE);
    let body = hints.body.filter(|body| is_sure(body.confidence));
    found
        .or_script_of(body.map(|body| body.charset))
        .or_script_of(hints.words(message))
        .or_others(hints.alphabets.charsets())
}

/// Returns the labels that bodies or encoded words of the message disprove. `hints` contains what the bodies say.
///
/// If a body fits its label or disproves it, words under the same label say nothing more about that label. A few letters of a body only suggest
/// a charset.
pub(crate) fn disproved_labels(
    message: &Message<'_>,
    hints: &MessageEvidence,
    policy: &Policy,
) -> DisprovedLabels {
    let of_bodies = &hints.labels_of_bodies;
    let known = labels_of_bodies(message, hints);
    if LabelScope::of(policy.detection) == LabelScope::None {
        return known;
    }
    // Each label is checked by the bytes of the words alone.
    let context = HeaderContext::of(policy);
    let mut of_words = LabelEvidence::default();
    for field in message.fields(PartId::ROOT) {
        let value = field.value.of(message.raw());
        if value.len() > policy.limits.field || !lexer::has_open(value) {
            continue;
        }
        let kind = field_kind(field.name.of(message.raw()));
        if matches!(kind, FieldKind::Opaque | FieldKind::Parameters) {
            continue;
        }
        for piece in encoded_word::explain(value, kind, &context, &mut Vec::new()) {
            let is_same = |a: &Word, b: &Word| (a.charset, a.used) == (b.charset, b.used);
            for words in piece.words.chunk_by(is_same) {
                let label = own_label(&words[0], policy).filter(|label| !of_bodies.decides(*label));
                if let Some(label) = label
                    && let Some(test) = test_of_words(label, words)
                {
                    of_words.note(label, test, PartId::ROOT);
                }
            }
        }
    }
    let suggested = if of_bodies.fit_latin_1() {
        AlphabetCharsets::default()
    } else {
        of_words.suggested(|_| true)
    };
    let of_words = of_words.disproved(|_| true);
    known.with(of_words).or_others(suggested)
}

/// Returns the charset of a word's label, unless the caller's map decides.
fn own_label(word: &Word, policy: &Policy) -> Option<Charset> {
    let label = word.label.as_bytes();
    let is_mapped = policy.charset_map.meaning(label).is_some();
    let resolved = || Charset::for_label(label, View::Mail);
    (!is_mapped).then(|| Resolved::charset(resolved()))?
}

/// Like [`test_of_label`], for words that were decoded together.
fn test_of_words(label: Charset, words: &[Word]) -> Option<LabelTest> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| &word.bytes).copied().collect();
    let used = words[0].used;
    if !may_be_disproved(label) || high_bytes(&bytes).next().is_none() {
        return None;
    }
    if used == label.superset() {
        high_bytes(&bytes).nth(MIN_IN_WORDS - 1)?;
        let verdict = check_label(label, &bytes, None, LabelScope::Implausible, || MAIL_HINTS);
        let is_doubtful = verdict.is_some_and(|verdict| verdict.events.iter().any(is_doubt));
        return (label != Charset::UTF_8 && !is_doubtful).then_some(LabelTest::Fits);
    }
    let guess = detect::detect(&bytes, &MAIL_HINTS);
    let is_sure = guess.charset.superset() == used && guess.confidence >= SURE_CONFIDENCE;
    (is_sure && may_replace_label(label, used) && is_proof(label, used, &bytes))
        .then(|| disproof(label, guess.charset, &bytes, MIN_IN_WORDS))?
}

/// Returns what text in `used` says about its label: with `enough` bytes above 7F it disproves the label, with fewer it suggests a charset.
fn disproof(label: Charset, used: Charset, bytes: &[u8], enough: usize) -> Option<LabelTest> {
    let has = |least: usize| high_bytes(bytes).nth(least - 1).is_some();
    if has(enough) {
        return Some(LabelTest::Disproves(used));
    }
    (is_latin_1(label) && has(MIN_TO_SUGGEST)).then_some(LabelTest::Suggests(used))
}

/// Returns true if text that was read as `used` against its label is enough to speak for other text.
fn is_proof(label: Charset, used: Charset, bytes: &[u8]) -> bool {
    let is_western = |charset: Charset| charset.superset() == Charset::WINDOWS_1252;
    if label == Charset::UTF_8 || is_western(label) || is_western(used) {
        return true;
    }
    if !label.is_single_byte() && !used.is_single_byte() {
        let kinds: HashSet<u8> = high_bytes(bytes).map(|at| bytes[at]).collect();
        return kinds.len() >= MIN_KINDS;
    }
    high_bytes(bytes).nth(MIN_AGAINST_CHOICE - 1).is_some()
}

/// Returns true for an event that names a likelier charset than the label.
fn is_doubt((kind, _): &(EventKind, Detail)) -> bool {
    *kind == EventKind::CharsetSuspected
}

/// Returns true for labels that say something about bytes above 7F.
fn may_be_disproved(label: Charset) -> bool {
    label != Charset::US_ASCII && (label.is_ascii_compatible() || label.is_stateful())
}

/// Returns true if `used` is another charset than the label, and words can be in it.
fn may_replace_label(label: Charset, used: Charset) -> bool {
    used.superset() != label.superset() && used != Charset::UTF_8 && used.may_stand_beside_ascii()
}
