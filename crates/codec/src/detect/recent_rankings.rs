//! Keeps the last rankings of short texts, because programs ask several times about a header value. They ask to plan it, to check the
//! plan, and for the next message of the same writer.
//!
//! # Limits
//! Each thread keeps its own. Longer texts are ranked each time.

use super::hints::Hints;
use super::ranking::{Nearly, Ranking};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Rankings that are kept.
const KEPT: usize = 32;
/// Most bytes of a text whose ranking is kept.
const SHORT: usize = 512;

/// A text with its hints, and its ranking.
struct Ranked {
    bytes: Box<[u8]>,
    /// Without the strings.
    hints: Hints<'static>,
    language: Option<Box<str>>,
    country: Option<Box<str>>,
    ranking: Arc<Ranking>,
}

impl Ranked {
    fn is_of(&self, bytes: &[u8], hints: &Hints<'_>) -> bool {
        let own = Hints {
            language: self.language.as_deref(),
            country: self.country.as_deref(),
            ..self.hints
        };
        *self.bytes == *bytes && own == *hints
    }
}

/// Returns [`Ranking::of`] a text, which this thread may have computed before.
pub(super) fn ranking(
    bytes: &[u8],
    hints: &Hints<'_>,
    nearly: impl FnOnce() -> Nearly,
) -> Arc<Ranking> {
    thread_local! {
        static RECENT: RefCell<VecDeque<Ranked>> = const { RefCell::new(VecDeque::new()) };
    }
    if bytes.len() > SHORT {
        return Arc::new(Ranking::of(bytes, hints, nearly));
    }
    let known = RECENT.with_borrow(|recent| {
        let known = recent.iter().find(|ranked| ranked.is_of(bytes, hints))?;
        Some(Arc::clone(&known.ranking))
    });
    if let Some(ranking) = known {
        return ranking;
    }
    let ranking = Arc::new(Ranking::of(bytes, hints, nearly));
    let ranked = Ranked {
        bytes: bytes.into(),
        hints: Hints {
            language: None,
            country: None,
            declared: hints.declared,
            time_zone: hints.time_zone,
            ascii_compatible: hints.ascii_compatible,
            rules: hints.rules,
        },
        language: hints.language.map(Box::from),
        country: hints.country.map(Box::from),
        ranking: Arc::clone(&ranking),
    };
    RECENT.with_borrow_mut(|recent| {
        recent.truncate(KEPT - 1);
        recent.push_front(ranked);
    });
    ranking
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::{Weighed, detect};

    #[test]
    fn the_same_question_has_the_same_answer() {
        let words: [&[u8]; 4] = [
            b"\xE4\xCF\xC2\xD2\xCF",
            b"caf\xE9",
            b"\xC4\xE3\xBA\xC3",
            b"Gr\xFC\xDFe",
        ];
        let hints = [
            Hints::default(),
            Hints {
                country: Some("ru"),
                ..Hints::default()
            },
            Hints {
                language: Some("zh"),
                ascii_compatible: true,
                ..Hints::default()
            },
        ];
        let fresh = |bytes: &[u8], hints: &Hints<'_>| {
            let ranking = Ranking::of(bytes, hints, || Nearly::of(bytes));
            ranking.guess(bytes)
        };
        for round in 0..3 {
            for bytes in words {
                for hints in &hints {
                    assert_eq!(
                        Weighed::new(bytes, hints).guess(),
                        fresh(bytes, hints),
                        "{round}"
                    );
                }
            }
        }
        // More texts than are kept, and a longer one.
        for length in 1..700 {
            let bytes = b"\xF1\xE5 ".repeat(length);
            assert_eq!(
                detect(&bytes, &hints[1]),
                fresh(&bytes, &hints[1]),
                "{length}"
            );
        }
    }
}
