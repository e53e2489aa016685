//! Detects a charset that replaces a label although the label decodes every byte ([`Detection::Always`](crate::Detection::Always)).
//!
//! The label is a hint: it stands where detection is not sure, and where both charsets give the same text.
//!
//! # Limits
//! Labels of UTF-8, of stateful charsets and of charsets whose bytes below 80 are not ASCII stand. Their bytes have a structure that other
//! text lacks.

use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::insufficient_evidence::is_insufficient;
use crate::charset_choice::text_tests::repetitions::without_repetitions;
use crate::charset_choice::thresholds::SURE_CONFIDENCE;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Evidence, Guess, Hints, Weighed};

/// Returns the charset that detection finds if it is sure of it and the label gives other text.
pub(crate) fn decisive_guess(label: Charset, bytes: &[u8], hints: &Hints<'_>) -> Option<Guess> {
    if !label.is_ascii_compatible() || label.is_stateful() || label == Charset::UTF_8 {
        return None;
    }
    let text = without_repetitions(bytes);
    let guess = Weighed::new(&text, hints).guess();
    let charset = guess.charset;
    let is_sure = guess.evidence != Evidence::Fallback
        && guess.confidence >= SURE_CONFIDENCE
        && !detect::is_odd(&text, charset)
        && !is_insufficient(&text, charset)
        && decodes_without_loss(charset, bytes);
    let read = |charset: Charset| decode_unlogged(charset, bytes);
    (is_sure && read(charset) != read(label)).then_some(guess)
}
