//! The list of charsets: a constant and a row for each.
//!
//! # Limits
//! Kinds are copied as they are written; the compiler judges them.

use super::constant_name::constant_name;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fmt::Write;

/// The Rust source of `data/charsets.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let rows: Vec<Vec<&str>> = rows(tsv).collect();
    let mut constants = String::new();
    let mut table = String::new();
    for (number, row) in rows.iter().enumerate() {
        let [
            name,
            mib,
            kind,
            superset,
            windows_page,
            width,
            properties,
            description,
        ] = row[..]
        else {
            bail!("not eight columns: {row:?}");
        };
        let constant = constant_name(name);
        writeln!(
            constants,
            "    /// {description}.\n    pub const {constant}: Self = Self({number});"
        )?;
        let kind = match kind {
            "page" => format!("SingleByte(Page::Own(pages::{constant}))"),
            "sequences" => format!("Sequences(&sequences::{constant})"),
            kind => kind.to_owned(),
        };
        let mib = if mib == "-" { "0" } else { mib };
        let number_of = |wanted: &str| {
            rows.iter()
                .position(|row| row[0] == wanted)
                .with_context(|| format!("{name}: no charset {wanted}"))
        };
        let superset = number_of(if superset == "-" { name } else { superset })?;
        let windows_page = match windows_page {
            "-" => "None".to_owned(),
            page => format!("Some(Charset({}))", number_of(page)?),
        };
        let properties = flags(properties).with_context(|| name.to_owned())?;
        writeln!(
            table,
            "    Row {{ name: {name:?}, mib: {mib}, kind: Kind::{kind}, superset: Charset({superset}), \
             windows_page: {windows_page}, width: {width}, properties: {properties}, description: {description:?} }},"
        )?;
    }
    Ok(format!(
        "// Made from data/charsets.tsv by `cargo xtask generate`. Do not edit.\n\
         //! The charsets.\n\n\
         use super::{{pages, sequences}};\n\
         use crate::charset::{{Charset, Kind, Properties, Row}};\n\
         use crate::double_byte::{{Family, Subset}};\n\
         use crate::grid::Set;\n\
         use crate::iso2022::{{self, Flavor}};\n\
         use crate::multi_byte::Layout;\n\
         use crate::single_byte::{{Page, Web}};\n\
         use crate::utf16::Order;\n\n\
         /// Number of charsets, for tables by charset.\n\
         pub(crate) const COUNT: usize = {};\n\n\
         #[rustfmt::skip]\n\
         impl Charset {{\n{constants}}}\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static ROWS: &[Row; COUNT] = &[\n{table}];\n",
        rows.len()
    ))
}

/// The expression for a list of properties, which keeps the order of the table's first lines.
fn flags(list: &str) -> anyhow::Result<String> {
    const KNOWN: [&str; 5] = ["ascii", "ascii_text", "ebcdic", "stateful", "unicode"];
    let words: Vec<&str> = list.split(',').filter(|word| *word != "-").collect();
    let places: Option<Vec<usize>> = words
        .iter()
        .map(|word| KNOWN.iter().position(|known| known == word))
        .collect();
    if !places.is_some_and(|places| places.is_sorted_by(|a, b| a < b)) {
        bail!("no list of properties in order: {list}");
    }
    let calls = words.iter().map(|word| format!(".{word}()"));
    Ok(format!("Properties::NONE{}", calls.collect::<String>()))
}
