//! Tables of single-byte charsets: the pages of `data/charsets.tsv`, packed.
//!
//! # Limits
//! Cells are single characters of the basic plane: no page of the data has others.

use super::constant;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fmt::Write;

/// The code of a byte without a character: no character has it.
const NONE: u16 = 0xFFFF;

/// The Rust source and the packed tables: pages in which the bytes below 80 are ASCII come first, with half a table each.
pub(super) fn made(charsets: &str, tables: &str) -> anyhow::Result<(String, Vec<u8>)> {
    let mut pages = Vec::new();
    for row in rows(charsets).filter(|row| row.get(2) == Some(&"page")) {
        let cells = rows(tables).find(|table| table[0] == row[0]);
        let cells = cells
            .and_then(|table| table.get(1).copied())
            .with_context(|| format!("{}: no table", row[0]))?;
        let codes: Vec<u16> = cells
            .split(' ')
            .map(code)
            .collect::<anyhow::Result<_>>()
            .context(row[0].to_owned())?;
        if codes.len() != 256 {
            bail!("{}: {} cells", row[0], codes.len());
        }
        let ascii = codes.iter().zip(0..0x80).all(|(code, byte)| *code == byte);
        pages.push((!ascii, row[0], codes));
    }
    pages.sort_by_key(|page| page.0);
    let ascii_pages = pages.iter().filter(|page| !page.0).count();
    let mut source = format!(
        "// Made from data/charsets.tsv and data/tables/pages.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Where the pages stand in their packed file.\n\n\
         /// Two bytes a cell, little-endian, FFFF for none: the bytes 80-FF of the first pages, all bytes of the others.\n\
         pub(crate) static CELLS: &[u8] = include_bytes!(\"pages.bin\");\n\
         /// The number of pages in which the bytes below 80 are ASCII.\n\
         pub(crate) const ASCII_PAGES: u16 = {ascii_pages};\n"
    );
    let mut packed = Vec::new();
    for (at, (foreign, name, codes)) in pages.iter().enumerate() {
        writeln!(source, "pub(crate) const {}: u16 = {at};", constant(name))?;
        packed.extend(
            codes[if *foreign { 0 } else { 0x80 }..]
                .iter()
                .flat_map(|code| code.to_le_bytes()),
        );
    }
    Ok((source, packed))
}

fn code(cell: &str) -> anyhow::Result<u16> {
    match cell {
        "-" => Ok(NONE),
        hex => u16::from_str_radix(hex, 16).with_context(|| hex.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_keep_ascii_come_first_and_are_half_as_long() {
        let ascii: Vec<String> = (0..256).map(|byte| format!("{byte:04X}")).collect();
        let mut foreign = ascii.clone();
        "-".clone_into(&mut foreign[0x41]);
        let tables = format!("far\t{}\nnear\t{}\n", foreign.join(" "), ascii.join(" "));
        let charsets = "far\t-\tpage\t-\tx\nother\t-\tUtf8\t-\tx\nnear\t-\tpage\t-\tx\n";
        let (source, packed) = made(charsets, &tables).unwrap();
        assert!(
            source.contains("ASCII_PAGES: u16 = 1")
                && source.contains("FAR: u16 = 1")
                && source.contains("NEAR: u16 = 0")
        );
        assert_eq!(packed.len(), 256 + 512);
        assert_eq!(
            (&packed[..2], &packed[256 + 2 * 0x41..][..2]),
            (&[0x80, 0][..], &[0xFF, 0xFF][..])
        );
        assert!(made("lost\t-\tpage\t-\tx\n", &tables).is_err());
    }
}
