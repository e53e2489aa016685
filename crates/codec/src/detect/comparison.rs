//! Compares two charsets as readings of the same bytes.
//!
//! # Limits
//! Charsets without a model cannot be compared.

use super::cost::NAT;
use super::hints::Hints;
use super::models::HAS_MODELS;
use super::priors::priors;
use super::{ascii, sample, score};
use crate::Charset;

/// Returns the natural logarithm of how many times more likely text in `other` is than the same bytes under a label; negative if it is
/// less likely. `None` if there is no model for one of them.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn margin_over(bytes: &[u8], label: Charset, other: Charset, hints: &Hints<'_>) -> Option<f32> {
    if !HAS_MODELS {
        return None;
    }
    let sample = sample::sample(bytes, hints.rules);
    let mut priors = priors(hints);
    ascii::add_language(&mut priors, &sample.ascii);
    let [label, other] = [label, other]
        .map(|charset| Some(score::scored_as(charset.superset(), &sample, &priors)?.cost));
    Some((f64::from(label?) - f64::from(other?)) as f32 / NAT as f32)
}
