//! The table of code pages, sorted by number.
//!
//! # Limits
//! The compiler judges whether a charset exists.

use super::constant_name::constant_name;
use crate::tsv::rows;
use anyhow::bail;
use std::fmt::Write as _;

/// The Rust source of `data/code_pages.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut lines = String::new();
    for row in rows(tsv) {
        let [number, charset] = row[..] else {
            bail!("not two columns: {row:?}")
        };
        writeln!(lines, "    ({number}, C::{}),", constant_name(charset))?;
    }
    Ok(format!(
        "// Made from data/code_pages.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Charsets by the numbers of their code pages.\n\n\
         use crate::charset::Charset as C;\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static NUMBERS: &[(u32, C)] = &[\n{lines}];\n"
    ))
}
