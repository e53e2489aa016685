//! Collects the least certain charset decisions of a job.
//!
//! Overruled labels are kept apart: most have a high confidence or none, and guesses would displace them.
//!
//! # Limits
//!
//! Keeps at most [`MOST`] of each kind, and of one message those in its report.

use crate::json_file_name::FileName;
use mailglot_mime::{Guess, GuessKind, Message, PartId};
use std::borrow::Cow;

/// Largest number of decisions of each kind per job.
const MOST: usize = 500;

/// A guessed charset or an overruled label, with its position.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GuessExample {
    /// `path:ordinal`
    pub message: String,
    /// The file of the message, if it is a file of its own in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Section number of the part. Empty for a field of the message's own header.
    pub part: String,
    /// Name of the header field. None for a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Byte offset of the text in the message.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// `guessed` or `overruled`.
    pub kind: Cow<'static, str>,
    /// The label as written. None for text without a label.
    pub declared: Option<String>,
    /// The charset used.
    pub used: Cow<'static, str>,
    /// 0 to 0.999, in steps of 0.001. None if a rule decided.
    pub confidence: Option<f64>,
    /// The text around the first non-ASCII characters.
    pub excerpt: String,
}

impl GuessExample {
    /// Adds the address of its message to a guess.
    pub fn new(
        message: String,
        path: Option<FileName>,
        parsed: &Message<'_>,
        guess: &Guess,
    ) -> Self {
        let own_header = guess.field.is_some() && guess.part == PartId::ROOT;
        let known = (guess.part.0 as usize) < parsed.parts().len();
        Self {
            message,
            path,
            part: if known && !own_header {
                parsed.section(guess.part)
            } else {
                String::new()
            },
            field: guess.field.clone(),
            offset: guess.at.start as u64,
            length: guess.at.len() as u64,
            kind: guess.kind.name().into(),
            declared: guess.declared.clone(),
            used: guess.used.name().into(),
            confidence: guess.confidence.map(in_thousandths),
            excerpt: guess.excerpt.clone(),
        }
    }

    /// Returns true if a label was overruled.
    pub fn is_overruled(&self) -> bool {
        self.kind == GuessKind::Overruled.name()
    }

    fn certainty(&self) -> f64 {
        self.confidence.unwrap_or(1.0)
    }
}

/// Rounds a confidence to thousandths. No guess is certain, so none becomes 1.
pub fn in_thousandths(confidence: f32) -> f64 {
    ((f64::from(confidence) * 1000.0).round() / 1000.0).min(0.999)
}

/// Returns the sort key of a confidence.
fn certainty(confidence: Option<f32>) -> f64 {
    confidence.map_or(1.0, in_thousandths)
}

/// The least certain decisions of each kind.
#[derive(Clone, Debug, Default)]
pub struct LeastCertain {
    overruled: Sorted,
    guessed: Sorted,
}

impl LeastCertain {
    /// Returns the overruled labels, least certain first, then in the order of the archive.
    pub fn overruled(&self) -> &[GuessExample] {
        &self.overruled.0
    }

    /// Returns the guessed charsets in the same order.
    pub fn guessed(&self) -> &[GuessExample] {
        &self.guessed.0
    }

    /// Returns the certainties at or above which later decisions are not kept.
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds {
            overruled: self.overruled.threshold(),
            guessed: self.guessed.threshold(),
        }
    }

    /// Adds a decision that follows all others in the archive.
    pub(crate) fn push(&mut self, guess: GuessExample) {
        let kind = if guess.is_overruled() {
            &mut self.overruled
        } else {
            &mut self.guessed
        };
        kind.push(guess);
    }

    /// Moves all decisions of a later batch here.
    pub(crate) fn append(&mut self, later: Self) {
        for guess in later.overruled.0.into_iter().chain(later.guessed.0) {
            self.push(guess);
        }
    }
}

impl serde::Serialize for LeastCertain {
    /// Serializes both kinds as one list, least certain first.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<_> = self.overruled().iter().chain(self.guessed()).collect();
        all.sort_by(|a, b| a.certainty().total_cmp(&b.certainty()));
        serializer.collect_seq(all)
    }
}

/// The certainties at or above which decisions can be ignored, by kind. None while the list is not full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thresholds {
    overruled: Option<f64>,
    guessed: Option<f64>,
}

impl Thresholds {
    /// Returns true if a later decision of this kind is kept.
    pub(crate) fn admit(self, kind: GuessKind, confidence: Option<f32>) -> bool {
        let threshold = if kind == GuessKind::Overruled {
            self.overruled
        } else {
            self.guessed
        };
        threshold.is_none_or(|threshold| certainty(confidence) < threshold)
    }
}

/// Decisions of one kind, least certain first, then in the order of the archive.
#[derive(Clone, Debug, Default)]
struct Sorted(Vec<GuessExample>);

impl Sorted {
    fn threshold(&self) -> Option<f64> {
        self.0.get(MOST - 1).map(GuessExample::certainty)
    }

    fn push(&mut self, guess: GuessExample) {
        let place = self
            .0
            .partition_point(|known| known.certainty() <= guess.certainty());
        if place < MOST {
            self.0.insert(place, guess);
            self.0.truncate(MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(number: usize, confidence: Option<f64>) -> GuessExample {
        GuessExample {
            message: format!("a:{number}"),
            path: None,
            part: "1".into(),
            field: None,
            offset: 0,
            length: 1,
            kind: if number.is_multiple_of(3) {
                "overruled".into()
            } else {
                "guessed".into()
            },
            declared: None,
            used: "UTF-8".into(),
            confidence,
            excerpt: String::new(),
        }
    }

    /// The same decisions are kept in the same order, whatever the batches.
    #[test]
    fn batch_boundaries_do_not_matter() {
        let mut state = 1_usize;
        let mut all: Vec<_> = (0..5000)
            .map(|number| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % (1 << 31);
                guess(
                    number,
                    (!state.is_multiple_of(7)).then_some((state >> 8) as f64 % 900.0 / 1000.0),
                )
            })
            .collect();
        let mut kept = Vec::new();
        for size in [1, 7, 500, 501, 5000] {
            let mut whole = LeastCertain::default();
            for batch in all.chunks(size) {
                let mut part = LeastCertain::default();
                for guess in batch {
                    part.push(guess.clone());
                }
                whole.append(part);
            }
            kept.push(whole);
        }
        all.sort_by(|a, b| a.certainty().total_cmp(&b.certainty()));
        let of = |is_overruled| {
            all.iter()
                .filter(move |guess| guess.is_overruled() == is_overruled)
                .take(MOST)
                .cloned()
        };
        let (overruled, guessed): (Vec<_>, Vec<_>) = (of(true).collect(), of(false).collect());
        assert!(
            kept.iter()
                .all(|kept| kept.overruled() == overruled && kept.guessed() == guessed)
        );
    }

    /// Guesses never displace overruled labels.
    #[test]
    fn guesses_do_not_displace_overruled_labels() {
        let mut kept = LeastCertain::default();
        for number in 1..10_000 {
            kept.push(guess(
                number,
                Some(if number.is_multiple_of(3) { 0.999 } else { 0.1 }),
            ));
        }
        assert_eq!((kept.overruled().len(), kept.guessed().len()), (MOST, MOST));
        assert!(kept.thresholds().admit(GuessKind::Overruled, Some(0.99)));
        assert!(
            !kept.thresholds().admit(GuessKind::Overruled, None)
                && !kept.thresholds().admit(GuessKind::Detected, Some(0.2))
        );
        let json = serde_json::to_value(&kept).unwrap();
        let confidences: Vec<_> = json
            .as_array()
            .unwrap()
            .iter()
            .map(|guess| guess["confidence"].as_f64().unwrap())
            .collect();
        assert!(confidences.len() == 2 * MOST && confidences.is_sorted());
    }

    #[test]
    fn no_guess_is_certain() {
        for (confidence, shown) in [
            (1.0, 0.999),
            (0.9996, 0.999),
            (0.9994, 0.999),
            (0.7114, 0.711),
            (0.0, 0.0),
        ] {
            assert!(
                (in_thousandths(confidence) - shown).abs() < 1e-9,
                "{confidence}"
            );
        }
    }
}
