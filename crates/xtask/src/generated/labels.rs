//! The table of labels, sorted.
//!
//! # Limits
//! The codec folds labels in the same way; its tests compare both.

use super::constant_name::constant_name;
use crate::run::read;
use crate::tsv::rows;
use anyhow::bail;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// The Rust source of `data/labels.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut made: Vec<(String, String, FoldedLabel)> = Vec::new();
    let supersets = supersets()?;
    for row in rows(tsv) {
        let [label, charset, registry, ..] = row[..] else {
            bail!("not four columns: {row:?}")
        };
        let means = match charset {
            "-" => "Nothing".to_owned(),
            "?" => "Foreign".to_owned(),
            name => format!("Is(C::{})", constant_name(name)),
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
        let charset = supersets.get(charset).map_or(charset, String::as_str);
        let rank = match source {
            "IanaName" | "Iana" => 0,
            "Web" => 1,
            _ => 2,
        };
        let folded = FoldedLabel {
            key: fold(&label),
            rank,
            is_slip: source == "Slip",
            means: charset.to_owned(),
        };
        made.push((label, row, folded));
    }
    made.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some([(label, ..), _]) = made.array_windows().find(|[a, b]| a.0 == b.0) {
        bail!("a label twice: {label}");
    }
    Ok(format!(
        "// Made from data/labels.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Labels by name.\n\n\
         use crate::charset::Charset as C;\n\
         use crate::label::Means::{{self, Foreign, Is, Nothing}};\n\
         use crate::label::Source::{{self, Iana, IanaName, Mail, Slip, Web}};\n\n\
         #[rustfmt::skip]\n\
         pub(crate) const LABELS: &[(&str, Means, Source)] = &[\n{}];\n\n\
         {}",
        made.iter().map(|(_, row, _)| &**row).collect::<String>(),
        keys(&made)?
    ))
}

/// A label as step 4 of the codec's search compares it.
struct FoldedLabel {
    key: String,
    /// The sources in the order in which they are believed.
    rank: u8,
    is_slip: bool,
    /// The superset of the charset, or the sign that is in its place.
    means: String,
}

/// Returns the superset of each charset that has one.
fn supersets() -> anyhow::Result<HashMap<String, String>> {
    let table = read("data/charsets.tsv")?;
    let pairs = rows(&table).map(|row| (row[0].to_owned(), row[3].to_owned()));
    Ok(pairs.filter(|(_, superset)| superset != "-").collect())
}

/// Returns a label without separators and without the leading zeros of numbers, as the codec folds it.
fn fold(label: &str) -> String {
    let mut key = String::new();
    let mut in_number = false;
    let mut chars = label.chars().peekable();
    while let Some(c) = chars.next() {
        let leading_zero = c == '0' && !in_number && chars.peek().is_some_and(char::is_ascii_digit);
        in_number = c.is_ascii_digit() && !leading_zero;
        if !leading_zero && !matches!(c, '-' | '_' | ' ' | '.' | ':' | '+') {
            key.push(c);
        }
    }
    key
}

/// The source of the folded labels. A key of several labels leads to that of the best source, or is left out if labels of equally good
/// sources mean charsets that decode differently.
fn keys(made: &[(String, String, FoldedLabel)]) -> anyhow::Result<String> {
    let mut by_key: BTreeMap<&str, Vec<(usize, &FoldedLabel)>> = BTreeMap::new();
    for (row, (_, _, folded)) in made.iter().enumerate() {
        if !folded.is_slip {
            by_key.entry(&folded.key).or_default().push((row, folded));
        }
    }
    let mut keys = String::new();
    for (key, labels) in by_key {
        let best = labels.iter().map(|(_, folded)| folded.rank).min();
        let mut best = labels
            .iter()
            .filter(|(_, folded)| Some(folded.rank) == best);
        let Some((row, first)) = best.next() else {
            continue;
        };
        if best.all(|(_, folded)| folded.means == first.means) {
            writeln!(keys, "    ({key:?}, {row}),")?;
        }
    }
    Ok(format!(
        "/// The labels without separators and leading zeros, sorted, each with its row in `LABELS`.\n\
         #[rustfmt::skip]\n\
         pub(crate) const FOLDED: &[(&str, u16)] = &[\n{keys}];\n"
    ))
}
