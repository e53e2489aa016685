//! Groups texts of a locale into texts of several lines.
//!
//! # Limits
//!
//! A text may stand in several groups.

use crate::rng::Rng;

/// Lengths of texts in lines.
pub(super) const LENGTHS: [usize; 3] = [1, 5, 40];

/// Groups texts into `lines` lines: each text alone, or texts of all kinds together.
pub(super) fn groups(texts: &[String], lines: usize, rng: &mut Rng) -> Vec<String> {
    if lines == 1 {
        return texts.to_vec();
    }
    let count = if texts.len() < lines {
        0
    } else {
        texts.len() / (2 * lines.min(8))
    };
    let group = |_| {
        (0..lines)
            .map(|_| rng.pick(texts).as_str())
            .collect::<Vec<_>>()
            .join("\n")
    };
    (0..count).map(group).collect()
}
