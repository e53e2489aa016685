//! Decodes and encodes single-byte charsets by flat tables.
//!
//! A lenient table is WHATWG's, where unassigned bytes of Windows pages are C1 controls. A strict table is the charset's own.
//!
//! # Limits
//! Does not compose windows-1255 and windows-1258, and does not reorder Hebrew.

use crate::decode::{Chunk, Decode};
use crate::generated::pages::{ASCII_PAGES, CELLS, WEB_CODES};
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::sink::Sink;
use mailglot_kernel::{ByteTable, Packed};

pub(crate) use crate::generated::pages::Web;

/// The source of the characters of a single-byte charset, and the differences of its strict table.
#[derive(Clone, Copy)]
pub(crate) enum Page {
    /// Seven bits; everything above is foreign.
    Ascii,
    /// ISO-8859-1 with its C1 controls.
    Latin1,
    /// A table of `data/tables/pages.tsv`: its index in the packed file.
    Own(u16),
    /// A WHATWG encoding as it is.
    Web(Web),
    /// A WHATWG Windows page; strictly, its holes are undefined.
    Windows(Web),
    /// A WHATWG Windows page that lenient decoding uses for an ISO charset with C1 controls and these first letters:
    /// windows-1254 or windows-874.
    IsoInWindows(Web),
    /// TIS-620: windows-874 without anything below A1.
    Tis620,
    /// ISO-8859-8 with, leniently, the gaps filled from windows-1255.
    Hebrew,
    /// KOI8-U, strictly with the box drawing characters of RFC 2319 at AE and BE.
    Koi8U,
}

impl Page {
    /// Returns the table for decoding.
    pub(crate) const fn table(self, strict: bool) -> &'static ByteTable {
        match self {
            Self::Ascii => &ASCII,
            Self::Latin1 => &LATIN1,
            Self::Own(page) => &OWN[page as usize],
            Self::Windows(page) if strict => &WINDOWS[page as usize],
            Self::Web(page) | Self::Windows(page) => &WEB[page as usize],
            Self::IsoInWindows(Web::Windows874) => &ISO_IN_874,
            Self::IsoInWindows(_) => &ISO_IN_1254,
            Self::Tis620 => &TIS620,
            Self::Hebrew if strict => &WEB[Web::Iso8859_8 as usize],
            Self::Hebrew => &HEBREW,
            Self::Koi8U if strict => &KOI8U,
            Self::Koi8U => &WEB[Web::Koi8U as usize],
        }
    }

    /// The bytes 00-7F are ASCII.
    pub(crate) const fn is_ascii(self) -> bool {
        !matches!(self, Self::Own(page) if page >= ASCII_PAGES)
    }

    /// No byte above 7F has a character.
    pub(crate) fn is_seven_bit(self) -> bool {
        match self {
            Self::Ascii => true,
            Self::Own(_) => (0x80..=0xFF).all(|byte| self.table(true).cell(byte).is_none()),
            _ => false,
        }
    }

    /// Returns the code point of a byte above 7F, or [`NONE`], for all but own tables.
    const fn code(self, byte: u8, strict: bool) -> u16 {
        let same = byte as u16;
        match self {
            Self::Ascii | Self::Own(_) => NONE,
            Self::Latin1 => same,
            Self::Web(page) => web(page, byte),
            Self::Windows(page) => match web(page, byte) {
                0x80..=0x9F if strict => NONE,
                code => code,
            },
            Self::IsoInWindows(_) if byte < 0xA0 => same,
            Self::IsoInWindows(page) => web(page, byte),
            Self::Tis620 if byte <= 0xA0 => NONE,
            Self::Tis620 => web(Web::Windows874, byte),
            Self::Hebrew => {
                let own = web(Web::Iso8859_8, byte);
                let windows = web(Web::Windows1255, byte);
                if strict || own != NONE && byte >= 0xA0 || windows == NONE {
                    own
                } else {
                    windows
                }
            }
            Self::Koi8U => match byte {
                0xAE if strict => 0x255D,
                0xBE if strict => 0x256C,
                _ => web(Web::Koi8U, byte),
            },
        }
    }

    /// Makes the table, for all but own tables. Only the compiler calls this.
    const fn made_table(self, strict: bool) -> ByteTable {
        let mut cells = [[0; 4]; 256];
        let mut byte = 0;
        while byte < 0x80 {
            cells[byte] = Packed::ascii(byte as u8).bytes();
            byte += 1;
        }
        while byte < 256 {
            let code = self.code(byte as u8, strict);
            if code != NONE {
                cells[byte] = Packed::unit(code).bytes();
            }
            byte += 1;
        }
        ByteTable::new(cells)
    }
}

/// The code of a byte without a character. It is a noncharacter, which no charset has.
const NONE: u16 = 0xFFFF;

/// Returns the code point of a byte above 7F in a WHATWG encoding, or [`NONE`].
const fn web(page: Web, byte: u8) -> u16 {
    let at = page as usize * 0x100 + 2 * (byte as usize - 0x80);
    u16::from_le_bytes([WEB_CODES[at], WEB_CODES[at + 1]])
}

static OWN: [ByteTable; CELLS.len() / 0x400] = {
    let (cells, _) = CELLS.as_chunks::<4>();
    let (pages, _) = cells.as_chunks::<256>();
    let mut tables = [EMPTY_TABLE; CELLS.len() / 0x400];
    let mut page = 0;
    while page < tables.len() {
        tables[page] = ByteTable::new(pages[page]);
        page += 1;
    }
    tables
};

/// The table of every WHATWG encoding.
static WEB: [ByteTable; Web::COUNT] = {
    let mut tables = [EMPTY_TABLE; Web::COUNT];
    let mut page = 0;
    while page < tables.len() {
        tables[page] = Page::Web(Web::ALL[page]).made_table(false);
        page += 1;
    }
    tables
};

/// The strict tables of the same encodings as Windows pages.
static WINDOWS: [ByteTable; Web::COUNT] = {
    let mut tables = [EMPTY_TABLE; Web::COUNT];
    let mut page = 0;
    while page < tables.len() {
        tables[page] = Page::Windows(Web::ALL[page]).made_table(true);
        page += 1;
    }
    tables
};

static ASCII: ByteTable = Page::Ascii.made_table(true);
static LATIN1: ByteTable = Page::Latin1.made_table(true);
static ISO_IN_1254: ByteTable = Page::IsoInWindows(Web::Windows1254).made_table(true);
static ISO_IN_874: ByteTable = Page::IsoInWindows(Web::Windows874).made_table(true);
static TIS620: ByteTable = Page::Tis620.made_table(true);
static HEBREW: ByteTable = Page::Hebrew.made_table(false);
static KOI8U: ByteTable = Page::Koi8U.made_table(true);

/// The table of a charset that has none: no byte is a character.
pub(crate) static EMPTY: ByteTable = EMPTY_TABLE;
const EMPTY_TABLE: ByteTable = ByteTable::new([[0; 4]; 256]);

/// A decoder of a single-byte charset.
#[derive(Clone, Debug)]
pub(crate) struct SingleByteDecoder {
    table: &'static ByteTable,
    /// The kind of loss for a byte without a character.
    bad: LossKind,
}

impl SingleByteDecoder {
    #[inline]
    pub(crate) fn new(page: Page, mode: Mode) -> Self {
        Self {
            table: page.table(mode == Mode::Strict),
            bad: if page.is_seven_bit() {
                LossKind::EightBit
            } else {
                LossKind::Invalid
            },
        }
    }
}

impl Decode for SingleByteDecoder {
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let run = self.table.append_decoded(rest.bytes, sink.text);
        if run == rest.bytes.len() {
            return Some(run);
        }
        sink.replace(rest.behind(run).range(1), self.bad);
        Some(run + 1)
    }

    fn expected_len(&self, bytes: &[u8]) -> usize {
        // Non-ASCII letters grow to two or three bytes. For a long text a sample estimates their number.
        let n = bytes.len();
        let sample = &bytes[..n.min(128)];
        let high = if n <= 512 {
            n
        } else {
            n / 128 * usize::from(sample.iter().map(|b| b >> 7).sum::<u8>())
        };
        n + high * self.table.growth() + 40
    }
}

/// The way back: from characters of the basic plane to bytes.
#[derive(Debug)]
pub(crate) struct ReversePage {
    /// For each block of 256 code points the number of its row, 0 for none.
    rows: [u8; 256],
    /// 0x100 and the byte, or 0 for none.
    cells: Vec<[u16; 256]>,
    /// The bytes of the characters below U+0800, whose UTF-8 has at most two bytes; 0 for none and for NUL.
    low: [u8; 0x800],
    /// 00-7F are ASCII.
    ascii: bool,
}

impl ReversePage {
    /// Makes the reverse of the cells that `is_written` accepts. Where several bytes are one character, the lowest is written.
    pub(crate) fn new(table: &ByteTable, is_written: impl Fn(u8) -> bool) -> Self {
        let mut reverse = Self {
            rows: [0; 256],
            cells: vec![[0; 256]],
            low: [0; 0x800],
            ascii: (0..0x80)
                .all(|byte| is_written(byte) && table.cell(byte) == Packed::ascii(byte)),
        };
        for byte in (0..=0xFF_u8).rev().filter(|byte| is_written(*byte)) {
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
            if let Some(place) = reverse.low.get_mut(code) {
                *place = byte;
            }
        }
        reverse
    }

    /// Returns true if ASCII characters are encoded as themselves.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// The byte of the character with these two bytes in UTF-8; 0 for none, and for others than two bytes of UTF-8.
    #[inline]
    pub(crate) fn byte_of_two(&self, [first, second]: [u8; 2]) -> u8 {
        let code = usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F);
        if first & 0xE0 == 0xC0 {
            self.low[code]
        } else {
            0
        }
    }

    /// The byte of the character with a code point.
    #[inline]
    pub(crate) fn byte_at(&self, code: usize) -> Option<u8> {
        let row = usize::from(*self.rows.get(code >> 8)?);
        let cell = self.cells.get(row)?[code & 0xFF];
        (cell != 0).then_some(cell as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_whatwg_are_what_encoding_rs_says() {
        for (page, encoding) in [
            (Web::Ibm866, encoding_rs::IBM866),
            (Web::Iso8859_2, encoding_rs::ISO_8859_2),
            (Web::Iso8859_3, encoding_rs::ISO_8859_3),
            (Web::Iso8859_4, encoding_rs::ISO_8859_4),
            (Web::Iso8859_5, encoding_rs::ISO_8859_5),
            (Web::Iso8859_6, encoding_rs::ISO_8859_6),
            (Web::Iso8859_7, encoding_rs::ISO_8859_7),
            (Web::Iso8859_8, encoding_rs::ISO_8859_8),
            (Web::Iso8859_10, encoding_rs::ISO_8859_10),
            (Web::Iso8859_13, encoding_rs::ISO_8859_13),
            (Web::Iso8859_14, encoding_rs::ISO_8859_14),
            (Web::Iso8859_15, encoding_rs::ISO_8859_15),
            (Web::Iso8859_16, encoding_rs::ISO_8859_16),
            (Web::Koi8R, encoding_rs::KOI8_R),
            (Web::Koi8U, encoding_rs::KOI8_U),
            (Web::Macintosh, encoding_rs::MACINTOSH),
            (Web::Windows874, encoding_rs::WINDOWS_874),
            (Web::Windows1250, encoding_rs::WINDOWS_1250),
            (Web::Windows1251, encoding_rs::WINDOWS_1251),
            (Web::Windows1252, encoding_rs::WINDOWS_1252),
            (Web::Windows1253, encoding_rs::WINDOWS_1253),
            (Web::Windows1254, encoding_rs::WINDOWS_1254),
            (Web::Windows1255, encoding_rs::WINDOWS_1255),
            (Web::Windows1256, encoding_rs::WINDOWS_1256),
            (Web::Windows1257, encoding_rs::WINDOWS_1257),
            (Web::Windows1258, encoding_rs::WINDOWS_1258),
            (Web::XMacCyrillic, encoding_rs::X_MAC_CYRILLIC),
        ] {
            for byte in 0..=0xFF_u8 {
                let expected = encoding.decode_without_bom_handling_and_without_replacement(
                    std::slice::from_ref(&byte),
                );
                let expected = expected.and_then(|text| text.chars().next());
                assert_eq!(
                    Page::Web(page).table(false).cell(byte).char(),
                    expected,
                    "{page:?} {byte:X}"
                );
                let is_hole = matches!(expected, Some('\u{80}'..='\u{9F}'));
                let strict = Page::Windows(page).table(true).cell(byte).char();
                assert_eq!(strict, expected.filter(|_| !is_hole), "{page:?} {byte:X}");
            }
        }
    }

    #[test]
    fn pages_that_are_made_of_others() {
        let cell = |page: Page, strict, byte| page.table(strict).cell(byte).char();
        for byte in 0x80..=0xFF {
            let same = Some(char::from(byte));
            assert_eq!(cell(Page::Ascii, true, byte), None);
            assert_eq!(cell(Page::Latin1, false, byte), same);
            for windows in [Web::Windows1254, Web::Windows874] {
                let letter = cell(Page::Web(windows), false, byte);
                let expected = if byte < 0xA0 { same } else { letter };
                assert_eq!(cell(Page::IsoInWindows(windows), true, byte), expected);
            }
            let thai = cell(Page::Web(Web::Windows874), false, byte).filter(|_| byte > 0xA0);
            assert_eq!(cell(Page::Tis620, false, byte), thai);
        }
        assert_eq!(cell(Page::Hebrew, true, 0xC4), None);
        assert_eq!(cell(Page::Hebrew, false, 0xC4), Some('\u{5B4}'));
        assert_eq!(cell(Page::Hebrew, false, 0xAA), Some('×'));
        assert_eq!(cell(Page::Koi8U, true, 0xAE), Some('\u{255D}'));
        assert_eq!(cell(Page::Koi8U, false, 0xAE), Some('ў'));
        assert!(Page::Own(0).is_ascii() && !Page::Own(ASCII_PAGES).is_ascii());
    }
}
