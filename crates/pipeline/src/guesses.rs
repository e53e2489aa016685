//! The least certain readings of a job.
//!
//! # Limits
//!
//! At most [`MOST`] are kept, and of one message those that its report keeps.

use crate::FileName;
use mailglot_mime::{Guess, GuessKind, Message, PartId};

/// Guesses that are kept of a job.
const MOST: usize = 1000;

/// A guessed charset or an overruled label, with its place.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GuessExample {
    /// `path:ordinal`
    pub message: String,
    /// The file of the message, where that is a file of its own in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Section number of the part; empty for a field of the message's own header.
    pub part: String,
    /// Name of the header field; None for a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Byte offset of the text in the message.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// `guessed` or `overruled`.
    pub kind: &'static str,
    /// The label as written; None where there is none.
    pub declared: Option<String>,
    /// The charset that was used.
    pub used: &'static str,
    /// 0 to 1, in thousandths; None where a rule decided.
    pub confidence: Option<f64>,
    /// The text around the first characters beyond ASCII.
    pub excerpt: String,
}

impl GuessExample {
    /// Gives a guess the address of its message.
    pub fn new(message: String, path: Option<FileName>, parsed: &Message<'_>, guess: &Guess) -> Self {
        let own_header = guess.field.is_some() && guess.part == PartId::ROOT;
        let known = (guess.part.0 as usize) < parsed.parts().len();
        Self {
            message,
            path,
            part: if known && !own_header { parsed.section(guess.part) } else { String::new() },
            field: guess.field.clone(),
            offset: guess.at.start as u64,
            length: guess.at.len() as u64,
            kind: guess.kind.name(),
            declared: guess.declared.clone(),
            used: guess.used.name(),
            confidence: guess.confidence.map(rounded),
            excerpt: guess.excerpt.clone(),
        }
    }

    /// Whether a label was overruled.
    pub fn is_overruled(&self) -> bool {
        self.kind == GuessKind::Overruled.name()
    }

    fn certainty(&self) -> f64 {
        self.confidence.unwrap_or(1.0)
    }
}

fn rounded(confidence: f32) -> f64 {
    (f64::from(confidence) * 1000.0).round() / 1000.0
}

/// How certain a reading with this confidence is, as readings are sorted.
pub(crate) fn certainty(confidence: Option<f32>) -> f64 {
    confidence.map_or(1.0, rounded)
}

/// The least certain readings, these first; equal ones in the order of the archive.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[serde(transparent)]
pub struct LeastCertain(Vec<GuessExample>);

impl LeastCertain {
    /// The readings.
    pub fn as_slice(&self) -> &[GuessExample] {
        &self.0
    }

    /// The certainty from which on no later reading is kept; None while there is room.
    pub(crate) fn bar(&self) -> Option<f64> {
        self.0.get(MOST - 1).map(GuessExample::certainty)
    }

    /// Adds a reading that comes later in the archive than all others.
    pub(crate) fn push(&mut self, guess: GuessExample) {
        let place = self.0.partition_point(|known| known.certainty() <= guess.certainty());
        if place < MOST {
            self.0.insert(place, guess);
            self.0.truncate(MOST);
        }
    }

    /// Moves all readings of a later batch here.
    pub(crate) fn append(&mut self, later: Self) {
        for guess in later.0 {
            self.push(guess);
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
            kind: "guessed",
            declared: None,
            used: "UTF-8",
            confidence,
            excerpt: String::new(),
        }
    }

    /// Whatever the batches, the same readings are kept in the same order.
    #[test]
    fn batches_do_not_show() {
        let mut state = 1_usize;
        let mut all: Vec<_> = (0..5000)
            .map(|number| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % (1 << 31);
                guess(number, (!state.is_multiple_of(7)).then_some((state >> 8) as f64 % 900.0 / 1000.0))
            })
            .collect();
        let mut kept = Vec::new();
        for size in [1, 7, 1000, 1001, 5000] {
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
        all.truncate(MOST);
        assert!(kept.iter().all(|kept| kept.0 == all));
    }
}
