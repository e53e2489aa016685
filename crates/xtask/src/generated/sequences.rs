//! Charsets that are lists of byte sequences.
//!
//! # Limits
//! Uses of rows are copied as they are written; the codec reads them when it builds its tables.

use super::constant_name::constant_name;
use crate::tsv::rows;
use anyhow::bail;
use std::collections::BTreeMap;

/// Columns of a source line.
const WIDTH: usize = 116;

/// The Rust source of `data/sequences.tsv`: a text for each table, its rows as words `bytes use code-points`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut tables: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut parents: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for row in rows(tsv) {
        let [table, bytes, r#use, text, ..] = row[..] else {
            bail!("not four columns: {row:?}")
        };
        let bytes = bytes.trim_start_matches('-');
        let words = tables.entry(table).or_default();
        if r#use == "+" {
            parents.insert(table, (bytes, text));
        } else if text == "-" && r#use == "=" {
            words.push(bytes.to_owned());
        } else if text == "-" {
            words.push(format!("{bytes}{use}"));
        } else {
            words.push(format!("{bytes}{use}{}", text.replace(' ', "+")));
        }
    }
    let mut out = String::from(
        "// Made from data/sequences.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Charsets as lists of byte sequences.\n\n\
         use crate::sequences::{More, Sequences};\n",
    );
    for (table, words) in &tables {
        let more = match parents.get(table) {
            Some((_, "EUC-KR")) => "More::EucKr".to_owned(),
            Some((bytes, parent)) => {
                let bytes: Vec<&str> = pairs(bytes).flat_map(|pair| ["\\x", pair]).collect();
                format!(
                    "More::Behind(b\"{}\", &{})",
                    bytes.concat(),
                    constant_name(parent)
                )
            }
            None => "More::None".to_owned(),
        };
        let head = format!(
            "\n#[rustfmt::skip]\npub(crate) static {}: Sequences = ",
            constant_name(table)
        );
        out.extend([
            &head,
            "Sequences::new(\"\\\n",
            &wrapped(words),
            "    \", ",
            &more,
            ");\n",
        ]);
    }
    Ok(out)
}

fn pairs(hex: &str) -> impl Iterator<Item = &str> {
    (0..hex.len() / 2).map(|at| &hex[at * 2..at * 2 + 2])
}

/// Words in lines of a string literal that go on.
fn wrapped(words: &[String]) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in words {
        if line.len() + word.len() > WIDTH {
            out.extend(["    ", &line, "\\\n"]);
            line.clear();
        }
        line.extend([word.as_str(), " "]);
    }
    out.extend(["    ", &line, "\\\n"]);
    out
}
