//! Counts how often guesses with a confidence are right.

use std::fmt::Write as _;

/// Counts of guesses in ten bins of confidence.
#[derive(Clone, Debug, Default)]
pub struct Reliability {
    bins: [Bin; 10],
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    all: u32,
    right: u32,
    sum: f64,
}

impl Reliability {
    /// Counts a guess. A reading without confidence is not a guess.
    pub fn add(&mut self, confidence: Option<f32>, right: bool) {
        let Some(confidence) = confidence.map(f64::from) else {
            return;
        };
        let bin = &mut self.bins[((confidence * 10.0) as usize).min(9)];
        bin.all += 1;
        bin.right += u32::from(right);
        bin.sum += confidence;
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(other.bins) {
            bin.all += more.all;
            bin.right += more.right;
            bin.sum += more.sum;
        }
    }

    /// Returns the number of guesses with a confidence of at least `tenths` tenths, and how many of them are right.
    pub fn from(&self, tenths: usize) -> (u32, u32) {
        self.bins[tenths..]
            .iter()
            .fold((0, 0), |(all, right), bin| {
                (all + bin.all, right + bin.right)
            })
    }
}

/// Returns a table in Markdown with a column for each set.
pub(super) fn table(sets: &[(&str, &Reliability)]) -> String {
    let mut out = String::from("| confidence |");
    let mut line = String::from("|---|");
    for (name, _) in sets {
        let _ = write!(out, " {name} |");
        line.push_str("---:|");
    }
    out = format!("{out}\n{line}\n");
    for bin in (0..10).rev() {
        let _ = write!(out, "| 0.{bin} to {:.1} |", f64::from(bin + 1) / 10.0);
        for (_, set) in sets {
            let Bin { all, right, .. } = set.bins[bin as usize];
            let _ = match all {
                0 => write!(out, " – |"),
                _ => write!(
                    out,
                    " {all}: {:.1} % |",
                    100.0 * f64::from(right) / f64::from(all)
                ),
            };
        }
        out.push('\n');
    }
    out
}
