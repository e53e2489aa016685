//! Composes two consecutive lists of edits into one.
//!
//! # Limits
//! An edit that replaces bytes which an earlier edit wrote has no recipe, because no rule computes the original bytes from it.

use mailglot_mime::{Edit, Span};
use std::collections::VecDeque;

/// Composes `first` and then `second` into one list. Both lists and the result are sorted and do not overlap. An edit that does not touch the
/// output of the other list stays separate. Linear in both.
pub(super) fn composed(first: Vec<Edit>, second: Vec<Edit>) -> Vec<Edit> {
    if first.is_empty() {
        return second;
    }
    let mut out = Vec::with_capacity(first.len() + second.len());
    let mut first = VecDeque::from(first);
    // Difference between offsets before and after the edits that were passed.
    let mut shift = Shift::default();
    for edit in second {
        let Edit {
            span,
            with,
            mut recipe,
        } = edit;
        while let Some(before) = first.pop_front() {
            let start = shift.there(before.span.start);
            if start + before.with.len() <= span.start {
                shift.pass(&before);
                out.push(before);
            } else if start < span.start {
                let (left, right) = halves(before, span.start - start);
                shift.pass(&left);
                out.push(left);
                first.push_front(right);
            } else {
                first.push_front(before);
                break;
            }
        }
        let start = shift.here(span.start);
        while let Some(inside) = first.pop_front() {
            let begins = shift.there(inside.span.start);
            if begins >= span.end {
                first.push_front(inside);
                break;
            }
            recipe = None;
            let (written, rest) = if begins + inside.with.len() <= span.end {
                (inside, None)
            } else {
                let Edit {
                    span: old, with, ..
                } = inside;
                let (now, later) = with.split_at(span.end - begins);
                (
                    Edit::new(old, now),
                    Some(Edit::new(Span::new(old.end, old.end), later)),
                )
            };
            shift.pass(&written);
            if let Some(rest) = rest {
                first.push_front(rest);
                break;
            }
        }
        out.push(Edit {
            span: Span::new(start, shift.here(span.end)),
            with,
            recipe,
        });
    }
    out.extend(first);
    out
}

/// Splits an edit: the first writes `at` bytes before the replaced span, the second writes the others in its place.
fn halves(edit: Edit, at: usize) -> (Edit, Edit) {
    let Edit { span, mut with, .. } = edit;
    let rest = with.split_off(at);
    (
        Edit::new(Span::new(span.start, span.start), with),
        Edit::new(span, rest),
    )
}

/// Converts offsets between a message and the result of edits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shift {
    written: usize,
    replaced: usize,
}

impl Shift {
    /// Continues after this edit: offsets from now on are those after it.
    pub(super) fn pass(&mut self, edit: &Edit) {
        self.written += edit.with.len();
        self.replaced += edit.span.len();
    }

    /// Converts an offset of the message to one of the result.
    pub(super) fn there(self, here: usize) -> usize {
        here + self.written - self.replaced
    }

    /// Converts an offset of the result to one of the message.
    pub(super) fn here(self, there: usize) -> usize {
        there + self.replaced - self.written
    }
}

/// Maps spans of the edited message to spans of the original. Written bytes map to the bytes that they replaced.
pub(super) struct Places(Vec<(Span, Span)>);

impl Places {
    pub(super) fn of(edits: &[Edit]) -> Self {
        let mut shift = Shift::default();
        let place = |edit: &Edit| {
            let start = shift.there(edit.span.start);
            shift.pass(edit);
            (Span::new(start, start + edit.with.len()), edit.span)
        };
        Self(edits.iter().map(place).collect())
    }

    /// Returns the span of the original for a span of the edited message.
    pub(super) fn before(&self, span: Span) -> Span {
        Span::new(self.place(span.start, false), self.place(span.end, true))
    }

    /// Maps an offset. Within written bytes it maps to the beginning or the end of the replaced span.
    fn place(&self, at: usize, end: bool) -> usize {
        // Edits that begin before the offset, or at it if the span begins there.
        let passed = self
            .0
            .partition_point(|(new, _)| new.start < at || new.start == at && !end);
        match passed.checked_sub(1).and_then(|last| self.0.get(last)) {
            Some((new, old)) if at < new.end => {
                if end {
                    old.end
                } else {
                    old.start
                }
            }
            Some((new, old)) => old.end + (at - new.end),
            None => at,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mailglot_mime::splice;

    fn made(raw: &[u8], edits: &[Edit]) -> Vec<u8> {
        let mut out = Vec::new();
        splice(raw, edits, &mut out).unwrap();
        out
    }

    /// Makes edits of a text of this length from a number: each digit selects what happens at the next offset.
    fn edits(length: usize, mut number: u64, letter: u8) -> Vec<Edit> {
        let (mut edits, mut at) = (Vec::new(), 0);
        while at <= length {
            let (stays, takes, gives) = (number % 3, number / 3 % 3, number / 9 % 3);
            number /= 27;
            at += stays as usize;
            let end = at + takes as usize;
            if end > length {
                break;
            }
            if takes + gives > 0 {
                edits.push(Edit::new(Span::new(at, end), vec![letter; gives as usize]));
            }
            at = end + usize::from(stays + takes == 0);
        }
        edits
    }

    /// Tests every pair of short lists over a short text.
    #[test]
    fn a_composed_list_does_what_both_lists_do() {
        let raw = b"abcde";
        let mut met = 0;
        for one in (0..27_u64.pow(3)).step_by(37) {
            let first = edits(raw.len(), one, b'1');
            let between = made(raw, &first);
            for two in (0..27_u64.pow(3)).step_by(23) {
                let second = edits(between.len(), two, b'2');
                let both = composed(first.clone(), second.clone());
                let want = made(&between, &second);
                assert_eq!(made(raw, &both), want, "{first:?} {second:?} {both:?}");
                let apart = both.windows(2).all(|pair| {
                    pair[0].span.end <= pair[1].span.start
                        && pair[0].span.start <= pair[1].span.start
                });
                assert!(
                    apart && both.iter().all(|edit| edit.span.end <= raw.len()),
                    "{both:?}"
                );
                met += usize::from(both.len() < first.len() + second.len());
            }
        }
        assert!(met > 1_000, "{met}");
    }

    #[test]
    fn edits_that_do_not_touch_stay_separate() {
        let at = |start, end, with: &str| Edit::new(Span::new(start, end), with);
        for (first, second, want) in [
            (
                vec![at(2, 2, "xx")],
                vec![at(2, 2, "y")],
                vec![at(2, 2, "y"), at(2, 2, "xx")],
            ),
            (
                vec![at(2, 2, "xx")],
                vec![at(4, 4, "y")],
                vec![at(2, 2, "xx"), at(2, 2, "y")],
            ),
            (
                vec![at(2, 2, "xx")],
                vec![at(5, 6, "y")],
                vec![at(2, 2, "xx"), at(3, 4, "y")],
            ),
            (
                vec![at(2, 2, "xx")],
                vec![at(3, 5, "y")],
                vec![at(2, 2, "x"), at(2, 3, "y")],
            ),
            (
                vec![at(2, 4, "")],
                vec![at(2, 3, "y")],
                vec![at(2, 4, ""), at(4, 5, "y")],
            ),
            (vec![at(2, 4, "")], vec![at(1, 3, "y")], vec![at(1, 5, "y")]),
            (
                vec![at(2, 4, "xyz")],
                vec![at(3, 4, "")],
                vec![at(2, 2, "x"), at(2, 4, ""), at(4, 4, "z")],
            ),
            (vec![], vec![at(1, 2, "")], vec![at(1, 2, "")]),
            (vec![at(1, 2, "")], vec![], vec![at(1, 2, "")]),
        ] {
            assert_eq!(
                composed(first.clone(), second.clone()),
                want,
                "{first:?} {second:?}"
            );
        }
    }

    #[test]
    fn spans_map_back_to_the_original() {
        // "abcdef" becomes "abXXcf".
        let edits = [
            Edit::new(Span::new(2, 2), "XX"),
            Edit::new(Span::new(3, 5), ""),
        ];
        let places = Places::of(&edits);
        for ((start, end), (from, to)) in [
            ((0, 2), (0, 2)),
            ((2, 4), (2, 2)),
            ((3, 4), (2, 2)),
            ((4, 5), (2, 3)),
            ((5, 6), (5, 6)),
            ((0, 6), (0, 6)),
        ] {
            assert_eq!(
                places.before(Span::new(start, end)),
                Span::new(from, to),
                "{start} {end}"
            );
        }
    }
}
