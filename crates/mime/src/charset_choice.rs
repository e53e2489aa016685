//! Chooses the charset of a body and records which step decided.
//!
//! [`choose`] tries the steps of `Undecided::STEPS` in order; the first one that decides wins.
//!
//! # Limits
//! Evidence from other parts of the message counts only if a part proves too little itself.

mod beside_data;
mod by_structure;
mod choice;
mod evidence;
mod folded_calendars;
mod known_label;
mod labels;
mod mail_evidence;
mod raw_text;
mod redecode;
mod steps;
#[cfg(test)]
mod tests;
mod text_tests;
mod thresholds;
mod two_charsets;
mod utf16_mislabel;
mod without_label;

pub(crate) use beside_data::choose_beside_data;
pub(crate) use by_structure::{by_escapes, is_misread_under_utf8};
pub(crate) use choice::Choice;
pub(crate) use evidence::{Evidence, MAIL_HINTS};
pub(crate) use folded_calendars::choose_unfolded;
pub(crate) use labels::alphabet_charsets::AlphabetCharsets;
pub(crate) use labels::disproved_label::read_as_disproved;
pub(crate) use labels::disproved_labels::{DisprovedLabels, LabelEvidence, LabelTest};
pub(crate) use labels::label_check::{LabelVerdict, check_label, needs_label_check};
pub(crate) use labels::label_scope::LabelScope;
pub(crate) use labels::other_alphabet::read_in_other_alphabet;
pub(crate) use labels::other_script::{may_be_in_other_script, read_in_other_script};
pub(crate) use labels::superset::{
    EvidenceTest, better_by_bytes, better_charset_and_test, lossless_superset,
};
pub(crate) use labels::utf8_vs_label::{utf8_outweighs_label, utf8_outweighs_message};
pub(crate) use mail_evidence::MailEvidence;
pub(crate) use raw_text::{RawEvidence, RawReading};
pub(crate) use redecode::redecode;
pub(crate) use steps::choose;
pub(crate) use text_tests::alphabet::TextAlphabet;
pub(crate) use text_tests::case_faults::outweighs;
use text_tests::damage::decodes_without_loss;
pub(crate) use text_tests::font_names::language as font_language;
pub(crate) use text_tests::hebrew_visual_order::{label_states_order, visual_order_note};
pub(crate) use text_tests::language_hint::detect_language;
pub(crate) use text_tests::private_use::is_private;
pub(crate) use text_tests::undeclared_bytes::{has_letters, is_legacy};
pub(crate) use text_tests::western_letters::is_latin_1;
use thresholds::FALLBACK_CONFIDENCE;
pub(crate) use thresholds::SURE_CONFIDENCE;
pub(crate) use two_charsets::lost_characters::{
    beside_lost_characters, decode_with_lost_characters,
};

use crate::policy::{Detection, Policy};
use crate::reading::How;
use mailglot_codec::{Charset, detect};

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
