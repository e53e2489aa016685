//! The languages that detection knows.
//!
//! # Limits
//! A name that is no charset is a constant that the compiler does not find.

use super::constant_name::constant_name;
use crate::models;
use crate::tsv::rows;
use anyhow::bail;
use std::fmt::Write;

/// The Rust source of `data/languages.tsv`: a row for each language.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let candidates = models::candidates()?;
    let mut out = String::from(
        "// Made from data/languages.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Languages with their countries and charsets.\n\n\
         use crate::charset::Charset as C;\n\
         use crate::detect::language::{Candidate, Language, rare, usual};\n\
         use crate::detect::script_group::ScriptGroup;\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static LANGUAGES: &[Language] = &[\n",
    );
    for row in rows(tsv) {
        let [name, script, tier, countries, ..] = row[..] else {
            bail!("not six columns: {row:?}")
        };
        let script = format!("{}{}", script[..1].to_uppercase(), &script[1..]);
        let _ = writeln!(
            out,
            "    Language {{ name: \"{name}\", script: ScriptGroup::{script}, tier: {tier}, countries: &[{}] }},",
            list(countries),
        );
    }
    let _ = writeln!(
        out,
        "];\n\n\
         /// Number of charsets with a known language.\n\
         pub(crate) const CANDIDATES_COUNT: usize = {};\n\
         /// Number of those in Latin script.\n\
         pub(crate) const LATIN_CANDIDATES: usize = {};\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static CANDIDATES: [Candidate; CANDIDATES_COUNT] = [",
        candidates.len(),
        candidates
            .iter()
            .filter(|candidate| candidate.is_latin())
            .count(),
    );
    let mut latin = 0;
    for candidate in &candidates {
        let languages = candidate.languages.iter();
        let languages: Vec<String> = languages
            .map(|(index, cost)| format!("({index}, {cost})"))
            .collect();
        let floor = if candidate.is_latin() {
            latin += 1;
            format!("Some({})", latin - 1)
        } else {
            "None".to_owned()
        };
        let _ = writeln!(
            out,
            "    Candidate::new(C::{}, ScriptGroup::{}, &[{}], {floor}),",
            constant_name(&candidate.charset),
            candidate.script(),
            languages.join(", "),
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
