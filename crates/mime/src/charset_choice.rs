//! Chooses the charset of a body and records which step decided.
//!
//! [`choose`] tries the steps of `Undecided::STEPS` in order; the first one that decides wins.
//!
//! # Limits
//! Evidence from other parts of the message counts only if a part proves too little itself.

mod apostrophes;
mod baltic_letters;
mod block_charsets;
mod case_faults;
mod certain_utf8;
mod choice;
mod cjk_level1;
mod damage;
mod decisive_guess;
mod disproved_label;
mod disproved_labels;
mod evidence;
mod evidence_words;
mod few_bytes;
mod folded_calendars;
mod font_names;
mod foreign_letters;
mod hebrew_visual_order;
mod insufficient_evidence;
mod known_label;
mod label_check;
mod label_events;
mod label_plausibility;
mod label_scope;
mod language_hint;
mod likelier_charset;
mod mail_evidence;
mod misplaced_signs;
mod mixed_choice;
mod mixed_iso2022jp;
mod mixed_lines;
mod mixed_text;
mod mixed_utf8;
mod mojibake_score;
mod named_rival;
mod plain_western;
mod plain_words;
mod private_use;
mod quoted_lines;
mod raw_text;
mod redecode;
mod repetitions;
mod sections;
mod signs_for_letters;
mod steps;
mod structure;
mod superset;
mod telltale_bytes;
#[cfg(test)]
mod tests;
mod thresholds;
mod truncated_utf8;
mod undeclared_bytes;
mod utf8_runs;
mod utf8_vs_label;
mod western_letters;
mod western_pairs;
mod without_label;

pub(crate) use choice::Choice;
use damage::decodes_without_loss;
pub(crate) use disproved_label::read_as_disproved;
pub(crate) use disproved_labels::{DisprovedLabels, LabelEvidence, LabelTest};
pub(crate) use evidence::{Evidence, MAIL_HINTS};
pub(crate) use folded_calendars::choose_unfolded;
pub(crate) use font_names::language as font_language;
pub(crate) use hebrew_visual_order::{label_states_order, visual_order_note};
pub(crate) use label_check::{LabelVerdict, check_label, needs_label_check};
pub(crate) use label_scope::LabelScope;
pub(crate) use language_hint::detect_language;
pub(crate) use mail_evidence::MailEvidence;
pub(crate) use private_use::is_private;
pub(crate) use raw_text::{RawEvidence, RawReading};
pub(crate) use redecode::redecode;
pub(crate) use steps::choose;
pub(crate) use structure::is_misread_under_utf8;
pub(crate) use superset::{
    EvidenceTest, better_by_bytes, better_charset_and_test, lossless_superset,
};
use thresholds::FALLBACK_CONFIDENCE;
pub(crate) use thresholds::SURE_CONFIDENCE;
pub(crate) use undeclared_bytes::{has_letters, is_legacy};
pub(crate) use utf8_vs_label::{utf8_outweighs_label, utf8_outweighs_message};

use crate::reading::How;
use crate::{Detection, Policy};
use mailglot_codec::{Charset, detect};

/// Like [`choose`], but chooses the charset from `text`, which is a part of `bytes`.
pub(crate) fn choose_by_sample<'a>(
    bytes: &'a [u8],
    text: &[u8],
    evidence: &Evidence<'_>,
) -> Choice<'a> {
    let Choice {
        used,
        how,
        confidence,
        events,
        ..
    } = choose(text, evidence);
    Choice::decode(bytes, used, how, events).with_confidence(confidence)
}

/// Decodes text that was appended to a part. Uses the charset of the part if that decodes the text and is not UTF-8.
pub(crate) fn choose_for_footer<'b>(bytes: &'b [u8], part: Charset, policy: &Policy) -> Choice<'b> {
    let may_be = part.is_ascii_compatible() && ![Charset::UTF_8, Charset::US_ASCII].contains(&part);
    if may_be
        && is_legacy(bytes)
        && decodes_without_loss(part, bytes)
        && !detect::is_odd(bytes, part)
    {
        return Choice::decode(bytes, part, How::Message, Vec::new());
    }
    if policy.detection != Detection::Off || !is_legacy(bytes) {
        return choose(bytes, &Evidence::default());
    }
    let used = policy
        .default_charset
        .filter(|charset| decodes_without_loss(*charset, bytes))
        .unwrap_or(Charset::WINDOWS_1252);
    Choice::decode(bytes, used, How::Fallback, Vec::new())
        .with_confidence(Some(FALLBACK_CONFIDENCE))
}
