//! Charsets in which every byte is one character: flat tables, both ways.
//!
//! A lenient table is WHATWG's, where holes of Windows pages are C1 controls; a strict table is the charset's own.
//!
//! # Limits
//! Characters come out as stored: windows-1255 and windows-1258 are not composed, Hebrew is not reordered.

use crate::sink::{Sink, ascii_8, ascii_run, pack, unpack};
use crate::{LossKind, web};
use encoding_rs::Encoding;

/// One packed character (see [`pack`]) for every byte; 0 is none.
pub(crate) type Table = [u32; 256];

/// Where the characters of a single-byte charset come from, and how its strict table differs.
#[derive(Clone, Copy)]
pub(crate) enum Page {
    /// Seven bits; everything above is foreign.
    Ascii,
    /// ISO-8859-1 with its C1 controls.
    Latin1,
    /// A table of our own: the code points of 80-FF.
    Own(&'static [u16; 128]),
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
    /// What decoding uses.
    pub(crate) fn table(self, strict: bool) -> Box<Table> {
        let mut table = Box::new([0; 256]);
        for (byte, cell) in (0..=255_u8).zip(table.iter_mut()) {
            *cell = self.cell(byte, strict).map_or(0, pack);
        }
        table
    }

    /// True where every byte has a character leniently or, below 80, at all.
    fn cell(self, byte: u8, strict: bool) -> Option<char> {
        if byte < 0x80 {
            return Some(char::from(byte));
        }
        let same = char::from(byte);
        match self {
            Self::Ascii => None,
            Self::Latin1 => Some(same),
            Self::Own(page) => char::from_u32(u32::from(page[usize::from(byte - 0x80)])),
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

/// Decodes all of `input`, which begins at offset `base`.
pub(crate) fn run(table: &Table, input: &[u8], base: u64, bad: LossKind, sink: &mut Sink<'_>) {
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<8>() {
        if let Some(ascii) = ascii_8(block) {
            sink.put_ascii_8(ascii);
            at += 8;
            if ascii_8(&input[at..]).is_some() {
                let run = ascii_run(&input[at..]);
                sink.put_ascii(&input[at..at + run]);
                at += run;
            }
            continue;
        }
        let packed = block.map(|b| table[usize::from(b)]);
        if packed.contains(&0) {
            scalar(table, block, base + at as u64, bad, sink);
        } else {
            sink.put_many(packed);
        }
        at += 8;
    }
    scalar(table, &input[at..], base + at as u64, bad, sink);
}

fn scalar(table: &Table, input: &[u8], base: u64, bad: LossKind, sink: &mut Sink<'_>) {
    for (offset, byte) in (base..).zip(input) {
        match table[usize::from(*byte)] {
            0 => sink.replace(offset..offset + 1, bad),
            packed => sink.put_basic(packed),
        }
    }
}

/// The way back: from characters of the basic plane to bytes.
#[derive(Debug)]
pub(crate) struct Reverse {
    /// For each block of 256 code points the number of its row, 0 for none.
    rows: [u8; 256],
    cells: Vec<[u8; 256]>,
}

impl Reverse {
    pub(crate) fn new(table: &Table) -> Self {
        let mut rows = [0; 256];
        let mut cells = vec![[0; 256]];
        for byte in (0x80..=0xFF_u8).rev() {
            let packed = table[usize::from(byte)];
            let Some(c) = unpack(packed) else { continue };
            let code = c as usize;
            if code >= 0x10000 {
                continue;
            }
            let row = &mut rows[code >> 8];
            if *row == 0 {
                *row = cells.len() as u8;
                cells.push([0; 256]);
            }
            cells[usize::from(*row)][code & 0xFF] = byte;
        }
        Self { rows, cells }
    }

    /// The byte of a character that is not ASCII.
    #[inline]
    pub(crate) fn byte(&self, c: char) -> Option<u8> {
        let code = c as usize;
        let row = usize::from(*self.rows.get(code >> 8)?);
        let byte = self.cells[row][code & 0xFF];
        (byte != 0).then_some(byte)
    }
}

#[cfg(test)]
mod tests {
    use crate::Charset;

    #[test]
    fn tables_of_our_own_are_what_the_data_says() {
        let data = include_str!("../../../data/pages.tsv");
        let rows: Vec<(&str, &str)> = data
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('\t'))
            .collect();
        assert_eq!(rows.len(), 4);
        for (name, cells) in rows {
            let charset = Charset::for_name(name).unwrap();
            for (byte, cell) in (0x80..=0xFF_u8).zip(cells.split(' ')) {
                let c = char::from_u32(u32::from_str_radix(cell, 16).unwrap()).unwrap();
                let mut log = crate::LossLog::new();
                assert_eq!(charset.decode(&[byte], &mut log), c.to_string(), "run the example `pages` again");
                assert_eq!(charset.encode(&c.to_string(), crate::Unmappable::Fatal, &mut log)[..], [byte]);
            }
        }
    }
}
