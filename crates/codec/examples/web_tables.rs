//! Prints a table of `data/tables/web/` as `encoding_rs` gives it, pair by pair:
//! `cargo run -p mailglot-codec --example web_tables jis0208`. Other tables are `gbk`, `big5` and `euc-kr`. `pages` has
//! the bytes 80 to FF of all single-byte encodings, one encoding a line.
//!
//! Rows and columns are lead and trail bytes, row 00 holds the single bytes above 7F. `jis0208` is WHATWG's index of that
//! name, with rows from 21 and columns from 21 as in ISO 2022. It also has the private area of Shift_JIS behind row 7E,
//! and the single bytes of Shift_JIS.
//!
//! # Limits
//! What is no pair (four bytes of gb18030, three of EUC-JP) is not asked for.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    reason = "a tool for the terminal"
)]

use encoding_rs::Encoding;
use std::collections::BTreeMap;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let (encoding, comment) = match name.as_str() {
        "pages" => return print_pages(),
        "jis0208" => (
            encoding_rs::SHIFT_JIS,
            "JIS X 0208 with the rows of NEC and IBM, of Shift_JIS and EUC-JP",
        ),
        "gbk" => (
            encoding_rs::GB18030,
            "The single and double bytes of GBK and gb18030",
        ),
        "big5" => (encoding_rs::BIG5, "Big5"),
        "euc-kr" => (
            encoding_rs::EUC_KR,
            "EUC-KR with all syllables, as in windows-949",
        ),
        _ => panic!("jis0208, gbk, big5, euc-kr or pages, not {name:?}"),
    };
    println!("# {comment}: WHATWG's, as encoding_rs has it (`cargo xtask tables --ask`).");
    for (row, cells) in rows(encoding) {
        let (Some(first), Some(last)) = (cells.keys().min(), cells.keys().max()) else {
            continue;
        };
        let cell = |column: u8| cells.get(&column).map_or("-", String::as_str);
        let shown: Vec<&str> = (*first..=*last).map(cell).collect();
        println!("{row:02X}\t{first:02X}\t{}", shown.join(" "));
    }
}

/// The single-byte encodings. ISO-8859-8-I has the table of ISO-8859-8.
const PAGES: [&Encoding; 27] = [
    encoding_rs::IBM866,
    encoding_rs::ISO_8859_2,
    encoding_rs::ISO_8859_3,
    encoding_rs::ISO_8859_4,
    encoding_rs::ISO_8859_5,
    encoding_rs::ISO_8859_6,
    encoding_rs::ISO_8859_7,
    encoding_rs::ISO_8859_8,
    encoding_rs::ISO_8859_10,
    encoding_rs::ISO_8859_13,
    encoding_rs::ISO_8859_14,
    encoding_rs::ISO_8859_15,
    encoding_rs::ISO_8859_16,
    encoding_rs::KOI8_R,
    encoding_rs::KOI8_U,
    encoding_rs::MACINTOSH,
    encoding_rs::WINDOWS_874,
    encoding_rs::WINDOWS_1250,
    encoding_rs::WINDOWS_1251,
    encoding_rs::WINDOWS_1252,
    encoding_rs::WINDOWS_1253,
    encoding_rs::WINDOWS_1254,
    encoding_rs::WINDOWS_1255,
    encoding_rs::WINDOWS_1256,
    encoding_rs::WINDOWS_1257,
    encoding_rs::WINDOWS_1258,
    encoding_rs::X_MAC_CYRILLIC,
];

fn print_pages() {
    println!(
        "# The bytes 80 to FF of WHATWG's single-byte encodings, as encoding_rs has them (`cargo xtask tables --ask`)."
    );
    for encoding in PAGES {
        let cell = |byte| characters(encoding, &[byte]).unwrap_or_else(|| "-".to_owned());
        let cells: Vec<String> = (0x80..=0xFF).map(cell).collect();
        println!("{}\t{}", encoding.name(), cells.join(" "));
    }
}

/// The characters of an encoding, in hexadecimal digits, by row and column.
fn rows(encoding: &'static Encoding) -> BTreeMap<u8, BTreeMap<u8, String>> {
    let mut rows: BTreeMap<u8, BTreeMap<u8, String>> = BTreeMap::new();
    for lead in 0x80..=0xFF_u8 {
        if let Some(cell) = characters(encoding, &[lead]) {
            rows.entry(0).or_default().insert(lead, cell);
            continue;
        }
        for trail in 0..=0xFF {
            if let Some(cell) = characters(encoding, &[lead, trail]) {
                let (row, column) = if encoding == encoding_rs::SHIFT_JIS {
                    jis(usize::from(lead), usize::from(trail))
                } else {
                    (lead, trail)
                };
                rows.entry(row).or_default().insert(column, cell);
            }
        }
    }
    rows
}

/// What a sequence of bytes says, if it is well-formed; code points joined by `+`.
fn characters(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(
        text.chars()
            .map(|c| format!("{:04X}", c as u32))
            .collect::<Vec<_>>()
            .join("+"),
    )
}

/// Row and column of a pair of Shift_JIS (WHATWG, "Shift_JIS decoder").
fn jis(lead: usize, trail: usize) -> (u8, u8) {
    let pointer = (lead - if lead < 0xA0 { 0x81 } else { 0xC1 }) * 188 + trail
        - if trail < 0x7F { 0x40 } else { 0x41 };
    ((0x21 + pointer / 94) as u8, (0x21 + pointer % 94) as u8)
}
