//! Decodes and encodes single-byte charsets by flat tables.
//!
//! A lenient table is WHATWG's, where unassigned bytes of Windows pages are C1 controls. A strict table is the charset's own.
//!
//! # Limits
//! Does not compose windows-1255 and windows-1258, and does not reorder Hebrew.

use crate::generated::pages::{ASCII_PAGES, CELLS};
use crate::sink::Sink;
use crate::{LossKind, web};
use encoding_rs::Encoding;

/// One character, or none, for every byte.
pub(crate) type Table = mailglot_kernel::Page;

/// Where the characters of a single-byte charset come from, and how its strict table differs.
#[derive(Clone, Copy)]
pub(crate) enum Page {
    /// Seven bits; everything above is foreign.
    Ascii,
    /// ISO-8859-1 with its C1 controls.
    Latin1,
    /// A table of `data/tables/pages.tsv`: its index in the packed file.
    Own(u16),
    /// A WHATWG encoding as it is.
    Web(&'static Encoding),
    /// A WHATWG Windows page; strictly, its holes are undefined.
    Windows(&'static Encoding),
    /// A WHATWG Windows page that lenient decoding uses for an ISO charset with C1 controls and these first letters.
    IsoInWindows(&'static Encoding),
    /// TIS-620: windows-874 without anything below A1.
    Tis620,
    /// ISO-8859-8 with, leniently, the gaps filled from windows-1255.
    Hebrew,
    /// KOI8-U, strictly with the box drawing characters of RFC 2319 at AE and BE.
    Koi8U,
}

impl Page {
    /// Returns the table for decoding.
    pub(crate) fn table(self, strict: bool) -> Box<Table> {
        Box::new(Table::new(|byte| self.cell(byte, strict)))
    }

    /// The bytes 00-7F are ASCII.
    pub(crate) fn is_ascii(self) -> bool {
        !matches!(self, Self::Own(page) if page >= ASCII_PAGES)
    }

    /// No byte above 7F has a character.
    pub(crate) fn is_seven_bit(self) -> bool {
        match self {
            Self::Ascii => true,
            Self::Own(page) => (0x80..=0xFF).all(|byte| own(page, byte).is_none()),
            _ => false,
        }
    }

    fn cell(self, byte: u8, strict: bool) -> Option<char> {
        if byte < 0x80 && self.is_ascii() {
            return Some(char::from(byte));
        }
        let same = char::from(byte);
        match self {
            Self::Ascii => None,
            Self::Latin1 => Some(same),
            Self::Own(page) => own(page, byte),
            Self::Web(page) => web::single(page, byte),
            Self::Windows(page) => {
                web::single(page, byte).filter(|c| !strict || !matches!(c, '\u{80}'..='\u{9F}'))
            }
            Self::IsoInWindows(_) if byte < 0xA0 => Some(same),
            Self::IsoInWindows(page) => web::single(page, byte),
            Self::Tis620 if byte <= 0xA0 => None,
            Self::Tis620 => web::single(encoding_rs::WINDOWS_874, byte),
            Self::Hebrew => {
                let own = web::single(encoding_rs::ISO_8859_8, byte);
                if strict || (own.is_some() && byte >= 0xA0) {
                    own
                } else {
                    web::single(encoding_rs::WINDOWS_1255, byte).or(own)
                }
            }
            Self::Koi8U => match byte {
                0xAE if strict => Some('\u{255D}'),
                0xBE if strict => Some('\u{256C}'),
                _ => web::single(encoding_rs::KOI8_U, byte),
            },
        }
    }
}

/// Returns the character of a byte in a table of `data/tables/pages.tsv`. ASCII-compatible tables come first, with their upper halves only.
fn own(page: u16, byte: u8) -> Option<char> {
    let (page, byte) = (usize::from(page), usize::from(byte));
    let halves = usize::from(ASCII_PAGES);
    let cell = if page < halves {
        page * 0x80 + byte.checked_sub(0x80)?
    } else {
        halves * 0x80 + (page - halves) * 0x100 + byte
    };
    let code = CELLS.get(2 * cell..)?.first_chunk()?;
    // FFFF, for none, is no surrogate but a noncharacter, which no charset has.
    char::from_u32(u32::from(u16::from_le_bytes(*code))).filter(|c| *c != '\u{FFFF}')
}

/// Decodes all of `input`, which begins at offset `base`.
pub(crate) fn run(table: &Table, input: &[u8], base: u64, bad: LossKind, sink: &mut Sink<'_>) {
    let mut at = table.append_decoded(input, sink.text);
    while at < input.len() {
        let offset = base + at as u64;
        sink.replace(offset..offset + 1, bad);
        at += 1;
        at += table.append_decoded(&input[at..], sink.text);
    }
}

/// The way back: from characters of the basic plane to bytes.
#[derive(Debug)]
pub(crate) struct Reverse {
    /// For each block of 256 code points the number of its row, 0 for none.
    rows: [u8; 256],
    /// 0x100 and the byte, or 0 for none.
    cells: Vec<[u16; 256]>,
    /// 00-7F are ASCII.
    ascii: bool,
}

impl Reverse {
    /// Where several bytes are one character, the lowest is written.
    pub(crate) fn new(table: &Table) -> Self {
        let mut reverse = Self {
            rows: [0; 256],
            cells: vec![[0; 256]],
            ascii: table.is_ascii(),
        };
        for byte in (0..=0xFF_u8).rev() {
            let c = table.cell(byte).char();
            let Some(code) = c.map(|c| c as usize).filter(|code| *code < 0x10000) else {
                continue;
            };
            let row = &mut reverse.rows[code >> 8];
            if *row == 0 {
                *row = reverse.cells.len() as u8;
                reverse.cells.push([0; 256]);
            }
            reverse.cells[usize::from(*row)][code & 0xFF] = 0x100 | u16::from(byte);
        }
        reverse
    }

    /// Returns true if ASCII characters are encoded as themselves.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// The byte of a character.
    #[inline]
    pub(crate) fn byte(&self, c: char) -> Option<u8> {
        let code = c as usize;
        let row = usize::from(*self.rows.get(code >> 8)?);
        let cell = self.cells[row][code & 0xFF];
        (cell != 0).then_some(cell as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_pages_fill_the_file() {
        let halves = usize::from(ASCII_PAGES) * 0x100;
        assert!(CELLS.len() > halves && (CELLS.len() - halves).is_multiple_of(0x200));
        assert_eq!(own(0, 0x7F), None);
        assert!(Page::Own(0).is_ascii() && !Page::Own(ASCII_PAGES).is_ascii());
    }
}
