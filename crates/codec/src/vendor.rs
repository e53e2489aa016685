//! Charsets of one to four bytes a character that are tables of our own: code pages of IBM and Microsoft, eucJP-ms,
//! Big5 by year.
//!
//! A lead byte says how long its character is: two bytes, three after 8F, or four after 8E. Where that is no character,
//! one U+FFFD stands for the bytes up to the next ASCII byte, which is read again: no byte below 0x80 is swallowed.
//!
//! # Limits
//! Lenient and strict decoding are the same; what lenient decoding reads better by another table has that as its superset.

use crate::LossKind;
use crate::grid::{Grid, Set};
use crate::kernel::Packed;
use crate::sink::{Sink, ascii_run};

/// A decoder; between characters there is no state.
#[derive(Clone, Debug)]
pub(crate) struct Vendor {
    grid: &'static Grid,
    /// Bytes below 80 are ASCII.
    ascii: bool,
}

/// What stands at the start of the input.
enum Step {
    /// A character of so many bytes; its cell.
    Cell(usize, Packed),
    /// No character.
    Bad(usize),
    /// A character that may be complete with more bytes.
    Cut,
}

impl Vendor {
    pub(crate) fn new(set: Set) -> Self {
        Self { grid: set.grid(), ascii: set.is_ascii() }
    }

    /// Decodes what is complete; at most three bytes stay behind.
    pub(crate) fn run(&self, input: &[u8], base: u64, last: bool, sink: &mut Sink<'_>) -> usize {
        let mut at = 0;
        while let Some(lead) = input.get(at) {
            let rest = &input[at..];
            if self.ascii && *lead < 0x80 {
                let run = ascii_run(rest);
                sink.put_ascii(&rest[..run]);
                at += run;
                continue;
            }
            match self.step(rest) {
                Step::Cell(len, cell) => {
                    self.grid.put(cell, sink);
                    at += len;
                }
                Step::Cut if !last => return at,
                step => {
                    let len = if let Step::Bad(len) = step { len } else { rest.len() };
                    let here = base + at as u64;
                    sink.replace(here..here + len as u64, LossKind::Invalid);
                    at += len;
                }
            }
        }
        at
    }

    #[inline]
    fn step(&self, rest: &[u8]) -> Step {
        let lead = rest[0];
        let single = self.grid.cell(0, lead);
        if !single.is_none() {
            return Step::Cell(1, single);
        }
        let len = self.len(lead);
        let (row, column) = match (len, rest) {
            (2, [lead, column, ..]) => (u16::from(*lead), *column),
            (3, [lead, row @ (0x80..), column, ..]) | (4, [_, lead @ (0x80..), row, column, ..]) => {
                (u16::from_be_bytes([*lead, *row]), *column)
            }
            (1, _) => return Step::Bad(1),
            // An ASCII byte ends what more bytes could complete.
            _ if foreign(rest) < rest.len() => return Step::Bad(foreign(rest)),
            _ => return Step::Cut,
        };
        let cell = self.grid.cell(row, column);
        if cell.is_none() { Step::Bad(foreign(&rest[..len])) } else { Step::Cell(len, cell) }
    }

    /// The length of a character with this lead byte; 1 for a byte that begins none.
    fn len(&self, lead: u8) -> usize {
        match lead {
            _ if self.grid.has_row(u16::from(lead)) => 2,
            0x8F if self.grid.has_row(0x8FB0) => 3,
            0x8E if self.grid.has_row(0xA2A1) => 4,
            _ => 1,
        }
    }
}

/// The length of a damaged character: up to the first ASCII byte behind its lead byte.
fn foreign(sequence: &[u8]) -> usize {
    1 + sequence[1..].iter().take_while(|b| **b >= 0x80).count()
}

#[cfg(test)]
mod tests {
    use crate::grid::Set;
    use crate::{Charset, LossLog};

    fn ranges(charset: &str, bytes: &[u8]) -> (String, Vec<(u64, u64)>) {
        let mut log = LossLog::new();
        let text = Charset::for_name(charset).unwrap().decode(bytes, &mut log).into_owned();
        (text, log.kept().iter().map(|l| (l.bytes.start, l.bytes.end)).collect())
    }

    #[test]
    fn damage_ends_before_an_ascii_byte() {
        for (charset, bytes, text, losses) in [
            ("IBM943C", &b"\x88\x9F\x88\n\xFDx"[..], "亜\u{FFFD}\n\u{FFFD}x", &[(2, 3), (4, 5)][..]),
            ("IBM943C", b"\xFC\xFCA\x88", "\u{FFFD}A\u{FFFD}", &[(0, 2), (3, 4)]),
            (
                "eucJP-ms",
                b"\x8F\xB0\xA1\x8F\xB0<\x8F<\x8F\xB0",
                "丂\u{FFFD}<\u{FFFD}<\u{FFFD}",
                &[(3, 5), (6, 7), (8, 10)],
            ),
            (
                "IBM964",
                b"\x8E\xA2\xA1\xA1\x8E\xA2\xA1\"\x8E\xA9\xA1\xA1.",
                "乂\u{FFFD}\"\u{FFFD}.",
                &[(4, 7), (8, 12)],
            ),
            ("IBM964", b"\x8E\0\xA1\xA1", "\u{FFFD}\0\u{3000}", &[(0, 1)]),
            ("Big5-HKSCS:1999", b"\x88\x62\x88\x66\x88/", "\u{CA}\u{304}\u{CA}\u{FFFD}/", &[(4, 5)]),
        ] {
            assert_eq!(ranges(charset, bytes), (text.to_owned(), losses.to_vec()), "{charset} {bytes:X?}");
        }
    }

    #[test]
    fn sets_say_whether_their_low_half_is_ascii() {
        for set in Set::VENDOR.iter().copied() {
            let ascii =
                (0..0x80).all(|b: u8| set.grid().chars(set.grid().cell(0, b)) == Some([char::from(b), '\0']));
            assert_eq!(ascii, set.is_ascii(), "{set:?}");
        }
    }
}
