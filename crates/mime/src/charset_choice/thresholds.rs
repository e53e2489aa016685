//! Thresholds for the acceptance of a charset.

/// Minimum confidence of a guess that needs no further evidence.
pub(crate) const SURE_CONFIDENCE: f32 = 0.9;
/// Minimum confidence of a guess that may replace a label that decodes its bytes with losses.
pub(super) const LIKELY_CONFIDENCE: f32 = 0.8;
/// Minimum confidence of a guess for lines of a text that is UTF-8 otherwise: a wrong guess costs no more than their loss.
pub(super) const LIKELY_BESIDE_UTF8: f32 = 0.5;

/// The confidence in windows-1252 if the bytes prove nothing: most such mail uses it.
pub(super) const FALLBACK_CONFIDENCE: f32 = 0.6;

/// Number of bytes that checks of a label examine, from the first byte above 7F on, and maximum number of bytes above 7F among them.
pub(super) const WINDOW: usize = 4096;
pub(super) const MAX_HIGH_BYTES: usize = 64;

/// A label is accepted up to one unreadable character in this many.
pub(super) const MAX_DAMAGE_SHARE: u64 = 50;
