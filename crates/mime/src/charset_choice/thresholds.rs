//! Thresholds for the acceptance of a charset.

use mailglot_codec::detect::{WINDOW, high_bytes};

/// Minimum confidence of a guess that needs no further evidence.
pub(crate) const SURE_CONFIDENCE: f32 = 0.9;
/// Minimum confidence of a guess that may replace a label that decodes its bytes with losses.
pub(super) const LIKELY_CONFIDENCE: f32 = 0.8;
/// Minimum confidence of a guess for single lines in a text of UTF-8. Without a guess, their characters become U+FFFD.
pub(super) const LIKELY_BESIDE_UTF8: f32 = 0.5;

/// The confidence in windows-1252 if the bytes prove nothing: most such mail uses it.
pub(super) const FALLBACK_CONFIDENCE: f32 = 0.6;

/// Returns the part of a text that checks of a label examine: [`WINDOW`] bytes from the first byte above 7F, and the byte before it.
pub(super) fn window(bytes: &[u8]) -> &[u8] {
    let first = high_bytes(bytes).next().unwrap_or_default();
    &bytes[first.saturating_sub(1)..bytes.len().min(first + WINDOW)]
}

/// A label is accepted up to one unreadable character in this many.
pub(super) const MAX_DAMAGE_SHARE: u64 = 50;
