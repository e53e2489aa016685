//! Tables of single-byte charsets: the pages of `data/charsets.tsv`, packed.
//!
//! # Limits
//! Cells are single characters of the basic plane: no page of the data has others.

use super::constant_name::constant_name;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fmt::Write;

/// The code of a byte without a character: no character has it.
const NONE: u16 = 0xFFFF;

/// The source of the tables.
pub(super) struct Tables<'t> {
    /// `data/charsets.tsv`.
    pub(super) charsets: &'t str,
    /// `data/tables/pages.tsv`.
    pub(super) pages: &'t str,
    /// `data/tables/web/pages.tsv`.
    pub(super) web: &'t str,
}

/// Generated files, without their folder.
pub(super) struct PageFiles {
    /// `pages.rs`.
    pub(super) source: String,
    /// `pages.bin`.
    pub(super) pages: Vec<u8>,
    /// `web-pages.bin`.
    pub(super) web: Vec<u8>,
}

/// Makes the files. Pages in which the bytes below 80 are ASCII come first.
pub(super) fn made(tables: &Tables<'_>) -> anyhow::Result<PageFiles> {
    let mut pages = Vec::new();
    for row in rows(tables.charsets).filter(|row| row.get(2) == Some(&"page")) {
        let cells = rows(tables.pages).find(|table| table[0] == row[0]);
        let cells = cells
            .and_then(|table| table.get(1).copied())
            .with_context(|| format!("{}: no table", row[0]))?;
        let codes = codes(cells, 256).context(row[0].to_owned())?;
        let ascii = codes.iter().zip(0..0x80).all(|(code, byte)| *code == byte);
        pages.push((!ascii, row[0], codes));
    }
    pages.sort_by_key(|page| page.0);
    let ascii_pages = pages.iter().filter(|page| !page.0).count();
    let mut source = format!(
        "// Made from data/charsets.tsv, data/tables/pages.tsv and data/tables/web/pages.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Single-byte tables.\n\n\
         /// A packed character (`mailglot_kernel::Packed`) for each byte of each page.\n\
         pub(crate) static CELLS: &[u8; {} * 0x400] = include_bytes!(\"pages.bin\");\n\
         /// The number of pages in which the bytes below 80 are ASCII.\n\
         pub(crate) const ASCII_PAGES: u16 = {ascii_pages};\n\
         /// The bytes 80 to FF of WHATWG's encodings: two bytes a cell, little-endian, FFFF for none.\n\
         pub(crate) static WEB_CODES: &[u8; Web::COUNT * 0x100] = include_bytes!(\"web-pages.bin\");\n\n",
        pages.len()
    );
    let mut packed = Vec::new();
    for (at, (_, name, codes)) in pages.iter().enumerate() {
        writeln!(
            source,
            "pub(crate) const {}: u16 = {at};",
            constant_name(name)
        )?;
        packed.extend(
            codes
                .iter()
                .flat_map(|code| match char::from_u32((*code).into()) {
                    Some(c) if *code != NONE => super::pairs::packed(c),
                    _ => [0; 4],
                }),
        );
    }
    let web = web(tables.web, &mut source)?;
    Ok(PageFiles {
        source,
        pages: packed,
        web,
    })
}

/// Packs the tables of WHATWG, and adds their names to the source.
fn web(tables: &str, source: &mut String) -> anyhow::Result<Vec<u8>> {
    let (mut packed, mut names) = (Vec::new(), Vec::new());
    for table in rows(tables) {
        let [name, cells] = table[..] else {
            bail!("not two columns: {table:?}")
        };
        let codes = codes(cells, 128).context(name.to_owned())?;
        packed.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
        names.push(name);
    }
    source.push_str(
        "\n/// A single-byte encoding of WHATWG.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
         pub(crate) enum Web {\n",
    );
    for name in &names {
        writeln!(source, "    {},", variant(name))?;
    }
    let mut all = String::new();
    for name in &names {
        writeln!(all, "        Self::{},", variant(name))?;
    }
    write!(
        source,
        "}}\n\nimpl Web {{\n    /// The number of encodings.\n    pub(crate) const COUNT: usize = {};\n    /// Every encoding.\n    pub(crate) const ALL: [Self; Self::COUNT] = [\n{all}    ];\n}}\n",
        names.len()
    )?;
    Ok(packed)
}

/// The variant for a name: `ISO-8859-10` gives `Iso8859_10`.
fn variant(name: &str) -> String {
    let mut variant = String::new();
    for part in name.split('-') {
        let is_number = part.starts_with(|c: char| c.is_ascii_digit());
        if is_number && variant.ends_with(|c: char| c.is_ascii_digit()) {
            variant.push('_');
        }
        variant.push_str(&part[..1].to_uppercase());
        variant.push_str(&part[1..].to_lowercase());
    }
    variant
}

fn codes(cells: &str, count: usize) -> anyhow::Result<Vec<u16>> {
    let codes: Vec<u16> = cells.split(' ').map(code).collect::<anyhow::Result<_>>()?;
    if codes.len() != count {
        bail!("{} cells", codes.len());
    }
    Ok(codes)
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
    fn pages_that_keep_ascii_come_first() {
        let ascii: Vec<String> = (0..256).map(|byte| format!("{byte:04X}")).collect();
        let mut foreign = ascii.clone();
        "-".clone_into(&mut foreign[0x41]);
        let pages = format!("far\t{}\nnear\t{}\n", foreign.join(" "), ascii.join(" "));
        let web = format!("ISO-8859-10\t{}\n", vec!["20AC"; 128].join(" "));
        let tables = Tables {
            charsets: "far\t-\tpage\t-\tx\nother\t-\tUtf8\t-\tx\nnear\t-\tpage\t-\tx\n",
            pages: &pages,
            web: &web,
        };
        let files = made(&tables).unwrap();
        for line in [
            "ASCII_PAGES: u16 = 1",
            "FAR: u16 = 1",
            "NEAR: u16 = 0",
            "    Iso8859_10,",
        ] {
            assert!(files.source.contains(line), "{line}: {}", files.source);
        }
        assert_eq!((files.pages.len(), files.web.len()), (2048, 256));
        assert_eq!(files.pages[4 * 0x41..][..4], *b"A\0\0\x01");
        assert_eq!(files.pages[4 * 0xE9..][..4], [0xC3, 0xA9, 0, 2]);
        assert_eq!(files.pages[0x400 + 4 * 0x41..][..4], [0; 4]);
        let lost = Tables {
            charsets: "lost\t-\tpage\t-\tx\n",
            ..tables
        };
        assert!(made(&lost).is_err());
    }
}
