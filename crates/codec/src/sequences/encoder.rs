//! Encodes charsets that are lists of sequences.
//!
//! # Limits
//! If a character that is left out splits a look-alike, its record covers the second part only, because records do not overlap.

use super::{Match, Note, Repertoire, SequenceEntry, Sequences};
use crate::encoder_machine::{Encode, Out};
use std::ops::ControlFlow;

/// Number of bytes of text that are joined to pending text; more than two of the longest sequences.
const JOIN: usize = 32;

/// An encoder for a list. A beginning of a longer sequence stays pending until the next piece of text.
#[derive(Clone, Debug)]
pub(crate) struct SequenceEncoder {
    list: &'static Sequences,
    repertoire: Repertoire,
    held: String,
    /// Where in the whole text each byte of `held` is: characters that were left out may lie between them.
    places: Vec<u64>,
}

/// A text with what was held back before it.
struct Joined<'t> {
    text: &'t str,
    /// Where in the whole text its bytes that were held back are.
    places: &'t [u64],
}

impl SequenceEncoder {
    pub(crate) fn new(list: &'static Sequences, repertoire: Repertoire) -> Self {
        Self {
            list,
            repertoire,
            held: String::new(),
            places: Vec::new(),
        }
    }

    /// Writes the sequences that begin before `end`. Returns the offset behind them, or breaks at a character that cannot be
    /// encoded. The sequence before that character stays pending if it may continue, because the next character follows it if the
    /// other one is omitted.
    fn write(
        &mut self,
        joined: &Joined<'_>,
        end: usize,
        last: bool,
        out: &mut Out<'_>,
    ) -> ControlFlow<usize, usize> {
        let text = joined.text;
        let search = self.list.search(self.repertoire);
        let mut before: Option<(usize, &SequenceEntry)> = None;
        let mut at = 0;
        let stop = loop {
            match before {
                Some((start, _)) if start >= end => return ControlFlow::Continue(start),
                None if at >= end => break None,
                _ => {}
            }
            if at == text.len() {
                break None;
            }
            let entry = match search.longest(&text.as_bytes()[at..], last) {
                Match::Found(entry) => entry,
                Match::More => break None,
                Match::Nothing { .. } => break Some(at),
            };
            if let Some((start, entry)) = before.take() {
                joined.put(start, entry, out);
            }
            if entry.note == Note::Forbidden {
                let first = self
                    .list
                    .without_last(self.repertoire, &text[at..at + entry.from.len()]);
                before = first.map(|entry| (at, entry));
                break Some(at + first.map_or(0, |entry| entry.from.len()));
            }
            if entry.goes_on {
                before = Some((at, entry));
            } else {
                joined.put(at, entry, out);
            }
            at += entry.from.len();
        };
        match (stop, before) {
            (Some(stop), Some((start, _))) if !last => {
                self.hold(joined, start, stop, out);
                ControlFlow::Break(stop)
            }
            (stop, before) => {
                if let Some((start, entry)) = before {
                    joined.put(start, entry, out);
                }
                stop.map_or(ControlFlow::Continue(at), ControlFlow::Break)
            }
        }
    }

    /// Returns true if the pending text and `next` make a sequence together, such as a letter and `?` in VIQR.
    fn joins(&self, next: &str) -> bool {
        let search = self.list.search(self.repertoire);
        let whole = format!("{}{next}", self.held);
        self.held.char_indices().any(|(at, _)| {
            let longest = search.longest(&whole.as_bytes()[at..], true);
            matches!(longest, Match::Found(entry) if at + entry.from.len() > self.held.len())
        })
    }

    fn hold(&mut self, joined: &Joined<'_>, from: usize, to: usize, out: &Out<'_>) {
        joined.text[from..to].clone_into(&mut self.held);
        self.places = (from..to).map(|at| joined.position(at, out)).collect();
    }
}

impl Joined<'_> {
    /// Maps an offset of the joined text to the whole text.
    fn position(&self, at: usize, out: &Out<'_>) -> u64 {
        self.places
            .get(at)
            .copied()
            .unwrap_or_else(|| out.position(at - self.places.len()))
    }

    fn put(&self, at: usize, entry: &SequenceEntry, out: &mut Out<'_>) {
        if entry.note == Note::Substituted {
            let end = self.position(at + entry.from.len() - 1, out) + 1;
            let places = (at..at + entry.from.len())
                .rev()
                .map(|at| self.position(at, out));
            let together = places
                .zip((0..end).rev())
                .take_while(|(place, next)| place == next)
                .count();
            out.substituted_range(end - together as u64..end);
        }
        out.extend(&entry.to);
    }
}

impl Encode for SequenceEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let mut begin = 0;
        if !self.held.is_empty() {
            let old = std::mem::take(&mut self.held);
            let whole = format!("{old}{}", &text[..text.floor_char_boundary(JOIN)]);
            let places = std::mem::take(&mut self.places);
            let joined = Joined {
                text: &whole,
                places: &places,
            };
            match self.write(&joined, old.len(), false, out) {
                // Pending text can be written alone, so it never contains this.
                ControlFlow::Break(at) => return ControlFlow::Break(at.saturating_sub(old.len())),
                ControlFlow::Continue(at) if at < old.len() => {
                    self.hold(&joined, at, whole.len(), out);
                    return ControlFlow::Continue(());
                }
                ControlFlow::Continue(at) => begin = at - old.len(),
            }
        }
        let mut out = out.ahead(begin);
        let rest = Joined {
            text: &text[begin..],
            places: &[],
        };
        match self.write(&rest, rest.text.len(), false, &mut out) {
            ControlFlow::Break(at) => ControlFlow::Break(begin + at),
            ControlFlow::Continue(at) => {
                self.hold(&rest, at, rest.text.len(), &out);
                ControlFlow::Continue(())
            }
        }
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        let held = std::mem::take(&mut self.held);
        let places = std::mem::take(&mut self.places);
        let joined = Joined {
            text: &held,
            places: &places,
        };
        let _written = self.write(&joined, held.len(), true, out);
    }

    /// Keeps pending text that the replacement would change. Its record, if any, is that of the replaced character.
    fn before_replacement(&mut self, replacement: &str, out: &mut Out<'_>) {
        if !self.joins(replacement) {
            self.neutral(out);
        }
    }
}
