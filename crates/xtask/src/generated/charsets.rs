//! The list of charsets: a constant and a row for each.
//!
//! # Limits
//! Kinds are copied as they are written; the compiler judges them.

use super::{constant, rows};
use anyhow::{Context, bail};
use std::fmt::Write;

/// The Rust source of `data/charsets.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let rows: Vec<Vec<&str>> = rows(tsv).collect();
    let mut constants = String::new();
    let mut table = String::new();
    for (number, row) in rows.iter().enumerate() {
        let [name, mib, kind, superset, description] = row[..] else {
            bail!("not five columns: {row:?}");
        };
        let constant = constant(name);
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
        let superset = if superset == "-" { name } else { superset };
        let superset = rows
            .iter()
            .position(|row| row[0] == superset)
            .with_context(|| format!("{name}: no charset {superset}"))?;
        writeln!(
            table,
            "    Row {{ name: {name:?}, mib: {mib}, kind: Kind::{kind}, superset: Charset({superset}), \
             description: {description:?} }},"
        )?;
    }
    Ok(format!(
        "// Made from data/charsets.tsv by `cargo xtask generate`. Do not edit.\n\
         //! The charsets.\n\n\
         use super::{{pages, sequences}};\n\
         use crate::Charset;\n\
         use crate::charset::{{Kind, Row}};\n\
         use crate::double_byte::{{Family, Subset}};\n\
         use crate::grid::Set;\n\
         use crate::iso2022::{{self, Flavor}};\n\
         use crate::multi_byte::Layout;\n\
         use crate::single_byte::Page;\n\
         use crate::utf16::Order;\n\
         use encoding_rs as web;\n\n\
         /// Number of charsets, for tables by charset.\n\
         pub(crate) const COUNT: usize = {};\n\n\
         #[rustfmt::skip]\n\
         impl Charset {{\n{constants}}}\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static ROWS: &[Row; COUNT] = &[\n{table}];\n",
        rows.len()
    ))
}
