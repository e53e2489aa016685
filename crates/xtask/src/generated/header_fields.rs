//! The known header fields, by name.
//!
//! # Limits
//! Fields that are known by a prefix are not in the table.

use crate::tsv::rows;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Words of the table, and the variants they stand for.
const KINDS: [(&str, &str); 6] = [
    ("text", "Unstructured"),
    ("addresses", "Structured"),
    ("phrases", "Phrases"),
    ("comments", "Comments"),
    ("parameters", "Parameters"),
    ("opaque", "Opaque"),
];
const VALUES: [(&str, &str); 5] = [
    ("addresses", "Addresses"),
    ("date", "Date"),
    ("identifiers", "Identifiers"),
    ("received", "Received"),
    ("-", "Text"),
];

/// The Rust source of `data/header_fields.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let (mut kinds, mut values) = (BTreeMap::new(), BTreeMap::new());
    for row in rows(tsv) {
        let [name, kind, value] = row[..] else {
            bail!("not three columns: {row:?}")
        };
        let kind = variant(&KINDS, kind).with_context(|| name.to_owned())?;
        let value = variant(&VALUES, value).with_context(|| name.to_owned())?;
        if kinds.insert(name, kind).is_some() {
            bail!("twice: {name}");
        }
        if value != "Text" {
            values.insert(name, value);
        }
    }
    let kinds = arms(&kinds, |kind| format!("Some(FieldKind::{kind})"))?;
    let values = arms(&values, |value| format!("OpaqueValue::{value}"))?;
    Ok(format!(
        "// Made from data/header_fields.tsv by `cargo xtask generate`. Do not edit.\n\
         //! The known header fields.\n\n\
         use crate::field_kind::{{FieldKind, OpaqueValue}};\n\n\
         /// Returns the grammar of a field by its name in lower case.\n\
         #[rustfmt::skip]\n\
         pub(crate) fn kind(name: &[u8]) -> Option<FieldKind> {{\n    match name {{\n{kinds}        _ => None,\n    }}\n}}\n\n\
         /// Returns what the value of an opaque field is read as.\n\
         #[rustfmt::skip]\n\
         pub(crate) fn opaque_value(name: &[u8]) -> OpaqueValue {{\n    match name {{\n{values}        _ => OpaqueValue::Text,\n    }}\n}}\n"
    ))
}

fn variant(words: &[(&str, &'static str)], word: &str) -> anyhow::Result<&'static str> {
    let found = words.iter().find(|(known, _)| *known == word);
    Ok(found.with_context(|| format!("unknown word {word}"))?.1)
}

/// The arms of a match, one for each variant.
fn arms(
    names: &BTreeMap<&str, &str>,
    expression: impl Fn(&str) -> String,
) -> anyhow::Result<String> {
    let mut by_variant: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, variant) in names {
        let name = format!("b{name:?}");
        by_variant.entry(variant).or_default().push(name);
    }
    let mut lines = String::new();
    for (variant, names) in by_variant {
        let names = names.join("\n        | ");
        writeln!(lines, "        {names} => {},", expression(variant))?;
    }
    Ok(lines)
}
