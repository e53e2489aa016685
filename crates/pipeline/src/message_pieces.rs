//! A large message as a list of pieces: parts of another one, and new text between them.
//!
//! # Limits
//!
//! Short pieces of the original are copied to the output, because their places would need as much memory.

use mailglot_archive::{OutBatch, SourceInsert};
use mailglot_mime::{Edit, splice};
use memchr::memmem::Finder;
use std::io;
use std::ops::Range;

/// Bytes of the original up to which a piece of it is copied.
const SHORT: usize = 256;
/// Bytes in which an empty line is searched before the whole message is.
const HEAD: usize = 1 << 20;

/// A piece of a message.
#[derive(Clone, Copy, Debug)]
struct TextPiece<'b> {
    bytes: &'b [u8],
    /// Offset in the original, for a piece of it.
    original: Option<usize>,
    /// Offset in the message.
    start: usize,
}

/// A message in pieces. No piece is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces<'b> {
    list: Vec<TextPiece<'b>>,
    length: usize,
}

impl<'b> Pieces<'b> {
    /// Returns the edited message, as [`splice`] writes it.
    pub(crate) fn new(raw: &'b [u8], edits: &'b [Edit]) -> Self {
        let mut pieces = Self::default();
        // A panic sets the message aside.
        assert!(
            splice(raw, edits, &mut io::sink()).is_ok(),
            "edits overlap or lie outside of the message"
        );
        let mut at = 0;
        for edit in edits {
            pieces.push(&raw[at..edit.span.start], Some(at));
            pieces.push(&edit.with, None);
            at = edit.span.end;
        }
        pieces.push(&raw[at..], Some(at));
        pieces
    }

    /// Adds a piece. `original` is its offset in the original, for a part of it.
    pub(crate) fn push(&mut self, bytes: &'b [u8], original: Option<usize>) {
        if !bytes.is_empty() {
            let start = self.length;
            self.length += bytes.len();
            self.list.push(TextPiece {
                bytes,
                original,
                start,
            });
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns true if the message has no bytes.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the bytes, in order.
    pub(crate) fn slices(&self) -> impl Iterator<Item = &'b [u8]> {
        self.list.iter().map(|piece| piece.bytes)
    }

    /// Returns true if both are the same bytes.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        if self.length != other.length {
            return false;
        }
        let mut slices = other.slices();
        let mut right: &[u8] = &[];
        for mut left in self.slices() {
            while !left.is_empty() {
                if right.is_empty() {
                    right = slices.next().unwrap_or_default();
                }
                let common = left.len().min(right.len());
                if common == 0 || left[..common] != right[..common] {
                    return false;
                }
                (left, right) = (&left[common..], &right[common..]);
            }
        }
        true
    }

    /// Returns the first bytes up to the first empty line that ends in LF or CR LF, or more. Without such a line, all bytes.
    pub(crate) fn head(&self) -> Vec<u8> {
        let is_empty_line = |rest: &[u8]| rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
        let mut head = self.first(HEAD);
        let mut lines = memchr::memchr_iter(b'\n', &head);
        match lines.find(|at| is_empty_line(&head[at + 1..])) {
            Some(at) => head.truncate((at + 3).min(head.len())),
            None if head.len() < self.length => head = self.first(self.length),
            None => {}
        }
        head
    }

    /// Returns the first bytes.
    fn first(&self, most: usize) -> Vec<u8> {
        let mut first = Vec::with_capacity(most.min(self.length));
        for slice in self.slices() {
            let left = most - first.len();
            first.extend_from_slice(&slice[..left.min(slice.len())]);
        }
        first
    }

    /// Returns a short text with the same line ends: that of the first line, and the last byte.
    pub(crate) fn line_ends(&self) -> Vec<u8> {
        let mut ends = Vec::new();
        if let Some(lf) = self.find(b'\n') {
            ends.extend(lf.checked_sub(1).and_then(|before| self.byte(before)));
            ends.push(b'\n');
        } else if self.find(b'\r').is_some() {
            ends.push(b'\r');
        }
        ends.extend(self.last());
        ends
    }

    fn find(&self, byte: u8) -> Option<usize> {
        let mut pieces = self.list.iter();
        pieces.find_map(|piece| Some(piece.start + memchr::memchr(byte, piece.bytes)?))
    }

    /// Returns the byte at an offset.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        let index = self.list.partition_point(|piece| piece.start <= at);
        let piece = self.list.get(index.checked_sub(1)?)?;
        piece.bytes.get(at - piece.start).copied()
    }

    fn last(&self) -> Option<u8> {
        self.list
            .last()
            .and_then(|piece| piece.bytes.last())
            .copied()
    }

    /// Returns the offsets of lines that begin with `>*From `.
    ///
    /// `known` says that the original has no such line, so that only places beside new text are searched.
    pub(crate) fn quotable_lines(&self, known: bool) -> Vec<usize> {
        const FROM: &[u8] = b"From ";
        let finder = Finder::new(FROM);
        let mut found = Vec::new();
        for piece in &self.list {
            if !known || piece.original.is_none() {
                found.extend(finder.find_iter(piece.bytes).map(|at| piece.start + at));
            } else if piece.start > 0 || piece.original != Some(0) {
                let marks = piece.bytes.iter().take_while(|&&b| b == b'>').count();
                if piece.bytes[marks..].starts_with(FROM) {
                    found.push(piece.start + marks);
                }
            }
            // Those that begin before this piece and end in it.
            for at in piece.start.saturating_sub(FROM.len() - 1)..piece.start {
                if (0..FROM.len()).all(|index| self.byte(at + index) == Some(FROM[index])) {
                    found.push(at);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let starts = found.into_iter().filter_map(|at| self.marks_start(at));
        starts.collect()
    }

    /// Returns the offset of the `>` before `at` if they begin a line.
    fn marks_start(&self, mut at: usize) -> Option<usize> {
        loop {
            let before = at.checked_sub(1).map(|before| self.byte(before));
            match before {
                Some(Some(b'>')) => at -= 1,
                None | Some(Some(b'\n' | b'\r')) => return Some(at),
                _ => return None,
            }
        }
    }

    /// Calls `put` with the bytes of a range, in order.
    pub(crate) fn put_range<E>(
        &self,
        range: Range<usize>,
        put: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let first = self
            .list
            .partition_point(|piece| piece.start <= range.start);
        for piece in &self.list[first.saturating_sub(1)..] {
            if piece.start >= range.end {
                break;
            }
            let end = piece.bytes.len().min(range.end - piece.start);
            put(&piece.bytes[range.start.saturating_sub(piece.start).min(end)..end])?;
        }
        Ok(())
    }

    /// Inserts a `>` at each of `places`, which are in order.
    pub(crate) fn marked(&self, places: &[usize]) -> Self {
        let mut marked = Self::default();
        let mut places = places.iter().copied().peekable();
        for piece in &self.list {
            let mut at = 0;
            let end = piece.start + piece.bytes.len();
            while let Some(place) = places.next_if(|place| *place < end) {
                let place = place - piece.start;
                marked.push(
                    &piece.bytes[at..place],
                    piece.original.map(|start| start + at),
                );
                marked.push(b">", None);
                at = place;
            }
            marked.push(&piece.bytes[at..], piece.original.map(|start| start + at));
        }
        marked
    }

    /// Adds the message to a batch whose source has the original at `offset`. Returns the parts of it that are not copied.
    pub(crate) fn put(&self, offset: usize, out: &mut OutBatch) -> Vec<SourceInsert> {
        let mut inserts = Vec::new();
        for piece in &self.list {
            match piece.original {
                Some(start) if piece.bytes.len() > SHORT => {
                    let start = offset + start;
                    inserts.push(SourceInsert {
                        at: out.bytes.len(),
                        source: start..start + piece.bytes.len(),
                    });
                }
                _ => out.bytes.extend_from_slice(piece.bytes),
            }
        }
        inserts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::mbox::{line_end, quote_mboxrd, trailer_for};
    use mailglot_mime::Span;

    fn edit(start: usize, end: usize, with: &str) -> Edit {
        Edit::new(Span::new(start, end), with)
    }

    fn concat(pieces: &Pieces<'_>) -> Vec<u8> {
        pieces.slices().collect::<Vec<_>>().concat()
    }

    /// Messages with edits: chosen ones, and all edits of two short texts by words that make and break `From ` lines.
    fn cases() -> Vec<(&'static str, Vec<Edit>)> {
        let mut cases = chosen_cases();
        for text in ["x>From \n>Fr-om a\r", "F\n>>From \rFrom "] {
            for start in 0..=text.len() {
                for end in start..=text.len() {
                    let with = ["", ">", "\n", "F", "From "];
                    cases.extend(with.map(|with| (text, vec![edit(start, end, with)])));
                }
            }
        }
        cases
    }

    fn chosen_cases() -> Vec<(&'static str, Vec<Edit>)> {
        vec![
            ("A: b\n\ntext\n", vec![]),
            (
                "A: b\n\ntext\n",
                vec![edit(3, 4, "From "), edit(6, 6, ">From ")],
            ),
            ("A: b\n\nx>From \n", vec![edit(6, 7, "")]),
            ("A: b\n\nx>>From \n", vec![edit(6, 7, "\n")]),
            ("A: b\n\nFr--om \n", vec![edit(8, 10, "")]),
            ("A: b\n\n--om \n", vec![edit(6, 8, "F"), edit(8, 8, "r")]),
            ("A: b\r\rFrom \rFrom", vec![edit(16, 16, " ")]),
            ("xFrom a\r\n", vec![edit(0, 1, ">>")]),
            ("xFrom a", vec![edit(0, 1, "")]),
            ("", vec![edit(0, 0, "From ")]),
            ("", vec![]),
            ("\nFrom x\r\n", vec![edit(7, 9, "")]),
        ]
    }

    #[test]
    fn pieces_are_quoted_like_the_joined_message() {
        for (raw, edits) in cases() {
            let mut joined = Vec::new();
            let _ = splice(raw.as_bytes(), &edits, &mut joined);
            let pieces = Pieces::new(raw.as_bytes(), &edits);
            assert_eq!(concat(&pieces), joined, "{raw:?}");
            assert_eq!(pieces.is_empty(), joined.is_empty());
            let mut quoted = Vec::new();
            quote_mboxrd(&joined, &mut quoted);
            let lines = pieces.quotable_lines(false);
            let marked = pieces.marked(&lines);
            assert_eq!(concat(&marked), quoted, "{raw:?}");
            assert_eq!(marked.len(), quoted.len());
            if Pieces::new(raw.as_bytes(), &[])
                .quotable_lines(false)
                .is_empty()
            {
                assert_eq!(pieces.quotable_lines(true), lines, "{raw:?}");
            }
            assert!(pieces.equals(&Pieces::new(&joined, &[])));
            assert_eq!(marked.equals(&pieces), lines.is_empty());
        }
    }

    #[test]
    fn line_ends_are_those_of_the_message() {
        for (raw, edits) in cases() {
            let pieces = Pieces::new(raw.as_bytes(), &edits);
            let (joined, ends) = (concat(&pieces), pieces.line_ends());
            assert_eq!(line_end(&ends), line_end(&joined), "{raw:?}");
            assert_eq!(trailer_for(&ends), trailer_for(&joined), "{raw:?}");
            assert_eq!(ends.last(), joined.last(), "{raw:?}");
            assert!(joined.starts_with(&pieces.head()) && ends.len() <= 3);
        }
        let long = format!("A: b\r\n\r\n{}", "text\n".repeat(HEAD));
        assert_eq!(Pieces::new(long.as_bytes(), &[]).head(), b"A: b\r\n\r\n");
        let long = long.replace('\n', " ");
        assert_eq!(Pieces::new(long.as_bytes(), &[]).head().len(), long.len());
    }

    #[test]
    fn long_pieces_are_not_copied() {
        let raw = ["a".repeat(10), "b".repeat(SHORT + 1), "c".repeat(5)].concat();
        let edits = [edit(10, 10, "1"), edit(10 + SHORT + 1, 10 + SHORT + 1, "2")];
        let mut out = OutBatch {
            bytes: b"before".to_vec(),
            ..OutBatch::default()
        };
        let inserts = Pieces::new(raw.as_bytes(), &edits).put(100, &mut out);
        assert_eq!(out.bytes, b"beforeaaaaaaaaaa12ccccc");
        let source = 110..110 + SHORT + 1;
        assert_eq!(inserts, [SourceInsert { at: 17, source }]);
    }
}
