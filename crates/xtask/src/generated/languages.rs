//! The languages that detection knows.
//!
//! # Limits
//! Names of charsets are not looked up here; the codec does.

use crate::tsv::rows;
use anyhow::bail;
use std::fmt::Write;

/// The Rust source of `data/languages.tsv`: a row for each language.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut out = String::from(
        "// Made from data/languages.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Languages with their countries and charsets.\n\n\
         use crate::detect::language::{Language, Script};\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static LANGUAGES: &[Language] = &[\n",
    );
    for row in rows(tsv) {
        let [name, script, tier, countries, common, rare] = row[..] else {
            bail!("not six columns: {row:?}")
        };
        let script = format!("{}{}", script[..1].to_uppercase(), &script[1..]);
        let _ = writeln!(
            out,
            "    Language {{ name: \"{name}\", script: Script::{script}, tier: {tier}, countries: &[{}], common: &[{}], rare: &[{}] }},",
            list(countries),
            list(common),
            list(rare),
        );
    }
    Ok(out + "];\n")
}

/// The items of a cell as string literals.
fn list(cell: &str) -> String {
    let items: Vec<String> = cell
        .split(' ')
        .filter(|item| *item != "-")
        .map(|item| format!("\"{item}\""))
        .collect();
    items.join(", ")
}
