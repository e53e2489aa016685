//! The table of labels, sorted.
//!
//! # Limits
//! Knows the shape of this one file only.

use super::constant;
use crate::tsv::rows;
use anyhow::bail;

/// The Rust source of `data/labels.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut made: Vec<(String, String)> = Vec::new();
    for row in rows(tsv) {
        let [label, charset, registry, ..] = row[..] else {
            bail!("not four columns: {row:?}")
        };
        let means = match charset {
            "-" => "Nothing".to_owned(),
            "?" => "Foreign".to_owned(),
            name => format!("Is(C::{})", constant(name)),
        };
        let source = match registry.split('+').next().unwrap_or_default() {
            "iana-name" => "IanaName",
            "iana" => "Iana",
            "whatwg" => "Web",
            "slip" => "Slip",
            _ => "Mail",
        };
        // What the table is searched for has each byte as the character of its number.
        let label: String = label.bytes().map(char::from).collect();
        let row = format!("    ({label:?}, {means}, {source}),\n");
        made.push((label, row));
    }
    made.sort();
    if let Some([(label, _), _]) = made.array_windows().find(|[a, b]| a.0 == b.0) {
        bail!("a label twice: {label}");
    }
    Ok(format!(
        "// Made from data/labels.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Labels by name.\n\n\
         use crate::Charset as C;\n\
         use crate::label::Means::{{self, Foreign, Is, Nothing}};\n\
         use crate::label::Source::{{self, Iana, IanaName, Mail, Slip, Web}};\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static LABELS: &[(&str, Means, Source)] = &[\n{}];\n",
        made.into_iter().map(|(_, row)| row).collect::<String>()
    ))
}
