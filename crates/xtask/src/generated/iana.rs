//! The registry of charsets at IANA.
//!
//! # Limits
//! Knows the shape of this one file only.

use crate::tsv::rows;
use anyhow::bail;
use std::fmt::Write;

/// The Rust source of `data/iana.tsv`.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut out = String::from(
        "// Made from data/iana.tsv by `cargo xtask generate`. Do not edit.\n\
         //! The charsets that IANA registers.\n\n\
         use crate::iana::Registered;\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static REGISTRY: &[Registered] = &[\n",
    );
    let optional = |cell: &str| {
        if cell == "-" {
            "None".to_owned()
        } else {
            format!("Some({cell:?})")
        }
    };
    for row in rows(tsv) {
        let [name, mib, mime, aliases, why_not] = row[..] else {
            bail!("not five columns: {row:?}")
        };
        let aliases: Vec<_> = aliases.split(' ').filter(|alias| *alias != "-").collect();
        let (mime, why_not) = (optional(mime), optional(why_not));
        writeln!(
            out,
            "    Registered::new({name:?}, {mib}, {mime}, &{aliases:?}, {why_not}),"
        )?;
    }
    out.push_str("];\n");
    Ok(out)
}
