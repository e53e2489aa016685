//! The names of HTML entities, sorted.
//!
//! # Limits
//! Knows the shape of this one file only.

use crate::tsv::rows;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The Rust source of `data/html_entities.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut entities = BTreeMap::new();
    for row in rows(tsv) {
        let [name, code] = row[..] else {
            bail!("not two columns: {row:?}")
        };
        let character = char::from_u32(u32::from_str_radix(code, 16)?);
        let character = character.with_context(|| name.to_owned())?;
        if entities.insert(name, character).is_some() {
            bail!("twice: {name}");
        }
    }
    let mut lines = String::new();
    for (name, character) in entities {
        writeln!(lines, "    ({name:?}, '{}'),", character.escape_unicode())?;
    }
    Ok(format!(
        "// Made from data/html_entities.tsv by `cargo xtask generate`. Do not edit.\n\
         //! HTML entities by name.\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static ENTITIES: &[(&str, char)] = &[\n{lines}];\n"
    ))
}
