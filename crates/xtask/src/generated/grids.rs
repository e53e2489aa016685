//! Tables of two-byte sets: `data/tables/NAME.tsv` to the packed form that the codec reads (its `grid` module says how).
//! [`super::pairs`] makes those of WHATWG's encodings, from `data/tables/web/`.
//!
//! A row of the file is `row-hex TAB first-column-hex TAB cells`, cells separated by one space: a code point in
//! hexadecimal digits, `-` for none, `A+B` for a sequence. Lines that begin with `#` are comments; a file with
//! `# over: NAME` has the changes to another table only.
//!
//! # Limits
//! Sequences of more than two characters are refused.

use crate::run;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

const GO: u16 = 0xDF00;
const SEQUENCE: u16 = 0xDE00;
const COUNT_ON: u16 = 0xDD00;
const EMPTY: u16 = 0xDC00;
/// The greatest number in an instruction.
const MOST: u16 = 0xFF;

/// The characters of a table by row and column, the second NUL where there is only one; `None` for none.
pub(super) type Cells = BTreeMap<(u16, u8), Option<[char; 2]>>;

/// The packed form of every table, with the path of its file in the repository.
pub(super) fn all() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let read = |name: &str| run::read(&format!("data/tables/{name}.tsv"));
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(run::root().join("data/tables"))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(".tsv").filter(|name| *name != "pages");
        names.extend(name.map(str::to_owned));
    }
    names.sort();
    let packed = |name: &String| -> anyhow::Result<(String, Vec<u8>)> {
        let bytes = pack(&read(name)?, &read).with_context(|| name.clone())?;
        Ok((format!("crates/codec/src/generated/{name}.bin"), bytes))
    };
    let mut files: Vec<(String, Vec<u8>)> = names.iter().map(packed).collect::<Result<_, _>>()?;
    let list = source(&names, &read)?.into_bytes();
    files.push(("crates/codec/src/generated/grids.rs".to_owned(), list));
    Ok(files)
}

/// The list of the tables: a variant of `Set` for each, its layers, and whether its bytes 00-7F are ASCII.
fn source(
    names: &[String],
    read: &dyn Fn(&str) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let [mut variants, mut layers, mut ascii] = [(); 3].map(|()| String::new());
    let mut all = String::new();
    for name in names {
        let table = read(name)?;
        let variant = variant(name);
        let comment = table.lines().next().unwrap_or_default();
        writeln!(variants, "    /// {}", comment.trim_start_matches("# "))?;
        writeln!(variants, "    {variant},")?;
        writeln!(all, "        Self::{variant},")?;
        let mut files = vec![name.clone()];
        while let Some(base) = over(&read(&files[0])?) {
            files.insert(0, base.to_owned());
        }
        let files = files
            .iter()
            .map(|file| format!("include_bytes!(\"{file}.bin\")"));
        let files = files.collect::<Vec<_>>().join(", ");
        writeln!(layers, "    ({name:?}, &[{files}]),")?;
        let cells = whole(&table, read)?;
        let is_ascii = |byte: u8| cells.get(&(0, byte)) == Some(&Some([char::from(byte), '\0']));
        writeln!(ascii, "    {},", (0..0x80).all(is_ascii))?;
    }
    let count = names.len();
    Ok(format!(
        "// Made from data/tables/ by `cargo xtask generate`. Do not edit.\n\
         //! The tables of two-byte sets.\n\n\
         /// A table of `data/tables/`.\n\
         #[rustfmt::skip]\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
         pub(crate) enum Set {{\n{variants}}}\n\n\
         #[cfg(test)]\n\
         #[rustfmt::skip]\n\
         impl Set {{\n    pub(crate) const ALL: &[Self] = &[\n{all}    ];\n}}\n\n\
         /// Number of the tables.\n\
         pub(crate) const COUNT: usize = {count};\n\n\
         /// The name of each table and the packed tables it consists of, the lowest first.\n\
         #[rustfmt::skip]\n\
         pub(crate) static LAYERS: [(&str, &[&[u8]]); COUNT] = [\n{layers}];\n\n\
         /// Whether the bytes 00-7F of each table are ASCII.\n\
         #[rustfmt::skip]\n\
         pub(crate) static IS_ASCII: [bool; COUNT] = [\n{ascii}];\n"
    ))
}

/// The name of a table as a variant: `big5-hkscs-1999` gives `Big5HkscsOf1999`.
fn variant(name: &str) -> String {
    let word = |word: &str| {
        let of = if word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) {
            "Of"
        } else {
            ""
        };
        let (first, rest) = word.split_at(1);
        format!("{of}{}{rest}", first.to_uppercase())
    };
    name.split('-').map(word).collect()
}

/// The packed form of a table. `read` gives the text of another table by its name.
fn pack(table: &str, read: &dyn Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<Vec<u8>> {
    let changes = parse(table)?;
    let base = match over(table) {
        Some(name) => whole(&read(name)?, read)?,
        None => Cells::new(),
    };
    // What is to be written: the cells that differ, and those of the base that are gone.
    let written = changes
        .iter()
        .filter(|(at, cell)| base.get(at).copied().flatten() != **cell);
    let mut units = Vec::new();
    let mut next = None;
    let mut last = None;
    // The place of the instruction that counts on, while it may be made longer.
    let mut counting = None;
    for (&(row, column), &cell) in written {
        let gap = match next {
            Some((same, expected)) if same == row => u16::from(column) - expected,
            _ => u16::MAX,
        };
        // Where only differences are written, nothing may be said of what lies between them.
        if gap > 0 && (!base.is_empty() || gap > MOST) {
            units.extend([GO, row, u16::from(column)]);
        } else if gap > 0 {
            units.push(EMPTY | gap);
        }
        if gap > 0 {
            counting = None;
        }
        next = Some((row, u16::from(column) + 1));
        match cell {
            None => units.push(EMPTY | 1),
            Some([a, '\0']) => {
                if last
                    .replace(a)
                    .is_none_or(|last: char| last as u32 + 1 != a as u32)
                {
                    counting = None;
                    units.extend(a.encode_utf16(&mut [0; 2]).iter());
                } else if let Some(at) = counting.filter(|at| units[*at] < COUNT_ON + MOST) {
                    units[at] += 1;
                } else {
                    counting = Some(units.len());
                    units.push(COUNT_ON | 1);
                }
                continue;
            }
            Some(chars) => {
                units.push(SEQUENCE);
                for c in chars {
                    units.extend(c.encode_utf16(&mut [0; 2]).iter());
                }
            }
        }
        counting = None;
    }
    Ok(units.iter().flat_map(|unit| unit.to_le_bytes()).collect())
}

/// The table that a file has the changes to.
fn over(table: &str) -> Option<&str> {
    table.lines().find_map(|line| line.strip_prefix("# over: "))
}

/// All cells of a table, those of the tables below it included.
fn whole(table: &str, read: &dyn Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<Cells> {
    let mut cells = match over(table) {
        Some(name) => whole(&read(name)?, read)?,
        None => Cells::new(),
    };
    cells.extend(parse(table)?);
    Ok(cells)
}

pub(super) fn parse(table: &str) -> anyhow::Result<Cells> {
    let mut cells = Cells::new();
    for columns in rows(table) {
        let [row, column, values] = columns[..] else {
            bail!("not three columns: {columns:?}")
        };
        let row = u16::from_str_radix(row, 16)?;
        let first = usize::from(u8::from_str_radix(column, 16)?);
        for (value, column) in values.split(' ').zip(first..) {
            let at = (
                row,
                u8::try_from(column).with_context(|| format!("row {row:X} is too long"))?,
            );
            let (a, b) = value.split_once('+').unwrap_or((value, "0"));
            let cell = if value == "-" {
                None
            } else {
                Some([code_point(a)?, code_point(b)?])
            };
            if cells.insert(at, cell).is_some() {
                bail!("{row:X} {column:X} occurs twice");
            }
        }
    }
    Ok(cells)
}

fn code_point(hex: &str) -> anyhow::Result<char> {
    char::from_u32(u32::from_str_radix(hex, 16)?).with_context(|| format!("{hex} is no character"))
}
