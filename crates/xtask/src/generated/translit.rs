//! The table of transliterations, sorted.
//!
//! # Limits
//! Knows the shape of this one file only.

use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fmt::Write as _;

/// The Rust source of `data/translit.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut made: Vec<(char, String)> = Vec::new();
    for row in rows(tsv) {
        let [from, to, _] = row[..] else {
            bail!("not three columns: {row:?}")
        };
        let to = match to {
            "-" => String::new(),
            codes => codes
                .split(' ')
                .map(character)
                .collect::<anyhow::Result<_>>()?,
        };
        made.push((character(from)?, to));
    }
    made.sort();
    if let Some([(c, _), _]) = made.array_windows().find(|[a, b]| a.0 == b.0) {
        bail!("a character twice: {c:?}");
    }
    let mut lines = String::new();
    for (from, to) in made {
        writeln!(
            lines,
            "    ('{}', \"{}\"),",
            from.escape_unicode(),
            to.escape_unicode()
        )?;
    }
    Ok(format!(
        "// Made from data/translit.tsv by `cargo xtask generate`. Do not edit.\n\
         //! What is written for characters that a charset lacks, by character.\n\n\
         #[rustfmt::skip]\n\
         pub(crate) const STEPS: &[(char, &str)] = &[\n{lines}];\n"
    ))
}

fn character(code: &str) -> anyhow::Result<char> {
    let number = u32::from_str_radix(code, 16).with_context(|| code.to_owned())?;
    char::from_u32(number).with_context(|| code.to_owned())
}
