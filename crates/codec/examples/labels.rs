//! Writes the table of labels, from `data/labels.tsv` on standard input to Rust source on standard output.
//!
//! # Limits
//! Knows the shape of this one file only.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut tsv = String::new();
    std::io::stdin().read_to_string(&mut tsv)?;
    std::io::stdout().write_all(source(&tsv).as_bytes())
}

/// The Rust source of the table, sorted by label.
fn source(tsv: &str) -> String {
    let mut rows: Vec<(String, String)> = tsv
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut columns = line.split('\t');
            let mut column = || columns.next().unwrap_or_default();
            let (label, charset, registry) = (column(), column(), column());
            let means = match charset {
                "-" => "Nothing".to_owned(),
                "?" => "Foreign".to_owned(),
                name => format!("Is(C::{})", name.to_uppercase().replace(['-', '.', ':'], "_")),
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
            (label, row)
        })
        .collect();
    rows.sort();
    format!(
        "// Made from data/labels.tsv by `cargo run -p mailglot-codec --example labels`. Do not edit.\n\
         //! Labels by name.\n\n\
         use crate::Charset as C;\n\
         use crate::label::Means::{{self, Foreign, Is, Nothing}};\n\
         use crate::label::Source::{{self, Iana, IanaName, Mail, Slip, Web}};\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static LABELS: &[(&str, Means, Source)] = &[\n{}];\n",
        rows.into_iter().map(|(_, row)| row).collect::<String>()
    )
}
