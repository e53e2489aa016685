//! Decodes and encodes charsets with characters of two to four bytes by tables: EUC-TW, EUC-JIS-2004, Shift_JIS-2004, Johab, GB 12345,
//! Big5 by year, the double-byte code pages of IBM, Microsoft and Apple.
//!
//! A [`Layout`] says which bytes name which cell of a [`Set`]; the rest is common. A byte below 21 is never part of a character. In a damaged
//! character the bytes that could begin one are replaced together. A byte that cannot continue it, and always an ASCII byte, is read
//! again.
//!
//! # Limits
//! Both modes use one table. If lenient decoding needs another one, the charset has it as superset.

mod encoder;
mod layout;

pub(crate) use encoder::MultiByteEncoder;
pub(crate) use layout::Layout;

use crate::decode::{Chunk, Decode};
use crate::grid::{Grid, Set};
use crate::loss::LossKind;
use crate::sink::{Sink, ascii_start};
use layout::{CharacterPlace, foreign};

/// A decoder of one layout and table.
#[derive(Clone, Debug)]
pub(crate) struct MultiByteDecoder {
    layout: Layout,
    grid: &'static Grid,
    is_ascii: bool,
}

impl MultiByteDecoder {
    pub(crate) fn new(layout: Layout, set: Set) -> Self {
        Self {
            layout,
            grid: set.grid(),
            is_ascii: layout != Layout::Stored || set.is_ascii(),
        }
    }
}

impl Decode for MultiByteDecoder {
    /// Leaves at most three bytes.
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let Chunk { bytes, last, .. } = rest;
        let (layout, grid) = (self.layout, self.grid);
        if self.is_ascii && bytes[0] < 0x80 {
            let run = ascii_start(bytes);
            sink.put_ascii(&bytes[..run]);
            return Some(run);
        }
        let len = match layout.place(grid, bytes) {
            CharacterPlace::Cell { row, column, len } if grid.put(grid.cell(row, column), sink) => {
                return Some(len);
            }
            CharacterPlace::Single { c, len } => {
                sink.put_char(c);
                return Some(len);
            }
            CharacterPlace::Cut if !last => return None,
            CharacterPlace::Cell { len, .. } if layout == Layout::Stored => foreign(&bytes[..len]),
            CharacterPlace::Cell { row, .. } if layout == Layout::Pairs && !grid.has_row(row) => 1,
            // An ASCII byte may be text that a stray lead byte stands before.
            CharacterPlace::Cell { len, .. } if bytes[len - 1] < 0x80 => len - 1,
            CharacterPlace::Cell { len, .. } | CharacterPlace::Bad { len } => len,
            CharacterPlace::Cut => bytes.len(),
        };
        sink.replace(rest.range(len), LossKind::Invalid);
        Some(len)
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::grid::Set;
    use crate::loss::LossLog;

    fn ranges(charset: &str, bytes: &[u8]) -> (String, Vec<(u64, u64)>) {
        let mut log = LossLog::new();
        let text = Charset::for_name(charset)
            .unwrap()
            .decode(bytes, &mut log)
            .into_owned();
        (
            text,
            log.kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end))
                .collect(),
        )
    }

    #[test]
    fn damage_ends_before_an_ascii_byte() {
        for (charset, bytes, text, losses) in [
            (
                "IBM943C",
                &b"\x88\x9F\x88\n\xFDx"[..],
                "亜\u{FFFD}\n\u{FFFD}x",
                &[(2, 3), (4, 5)][..],
            ),
            (
                "IBM943C",
                b"\xFC\xFCA\x88",
                "\u{FFFD}A\u{FFFD}",
                &[(0, 2), (3, 4)],
            ),
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
            (
                "Big5-HKSCS:1999",
                b"\x88\x62\x88\x66\x88/",
                "\u{CA}\u{304}\u{CA}\u{FFFD}/",
                &[(4, 5)],
            ),
        ] {
            assert_eq!(
                ranges(charset, bytes),
                (text.to_owned(), losses.to_vec()),
                "{charset} {bytes:X?}"
            );
        }
    }

    #[test]
    fn sets_say_whether_their_low_half_is_ascii() {
        for set in Set::stored() {
            let ascii = (0..0x80).all(|b: u8| {
                set.grid().chars(set.grid().cell(0, b)) == Some([char::from(b), '\0'])
            });
            assert_eq!(ascii, set.is_ascii(), "{set:?}");
        }
    }
}
