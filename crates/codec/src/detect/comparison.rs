//! Compares two charsets as readings of the same bytes.
//!
//! # Limits
//! Charsets without a model cannot be compared.

use super::cost::NAT;
use super::hints::Hints;
use super::models::HAS_MODELS;
use super::priors::{Priors, priors};
use super::rules::Rules;
use super::sample::Sample;
use super::{ascii, list_trials, sample, score};
use crate::charset::Charset;

/// Returns the natural logarithm of how many times more likely text in `other` is than the same bytes under a label. It is negative if
/// the text is less likely. `None` if there is no model for one of them.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn margin_over(bytes: &[u8], label: Charset, other: Charset, hints: &Hints<'_>) -> Option<f32> {
    let compared = ComparedSample::of(bytes, hints)?;
    Some(margin(compared.cost(label)?, compared.cost(other)?))
}

/// Returns the natural logarithm of how many times more likely text in UTF-8 is than the same bytes under a label. It is negative if the text is
/// less likely. `None` if there is no model for the label's charset.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn utf8_margin(text: &str, label: Charset, hints: &Hints<'_>) -> Option<f32> {
    let compared = ComparedSample::of(text.as_bytes(), hints)?;
    let text = String::from_utf8_lossy(&compared.sample.bytes);
    let cost = score::unicode_cost(&text, &compared.priors);
    Some(margin(compared.cost(label)?, cost))
}

/// A sample of bytes, and what is likely before it is read.
struct ComparedSample {
    sample: Sample,
    priors: Priors,
}

impl ComparedSample {
    /// Returns None without models.
    fn of(bytes: &[u8], hints: &Hints<'_>) -> Option<Self> {
        if !HAS_MODELS {
            return None;
        }
        let mut sample = sample::sample(bytes, hints.rules);
        let mut priors = priors(hints);
        ascii::add_language(&mut priors, &sample.ascii);
        sample.may_have_lists = hints.rules.has(Rules::ALPHABET_LISTS)
            && !list_trials::trials(&sample, &priors, score::noise(&sample.bytes)).is_empty();
        Some(Self { sample, priors })
    }

    /// Returns the cost of the sample in a charset.
    fn cost(&self, charset: Charset) -> Option<u32> {
        score::scored_as(charset.superset(), &self.sample, &self.priors).map(|scored| scored.cost)
    }
}

/// Returns by how many nats `other` costs less than the label.
fn margin(label: u32, other: u32) -> f32 {
    (f64::from(label) - f64::from(other)) as f32 / NAT as f32
}
