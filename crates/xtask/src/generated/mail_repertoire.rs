//! Characters that readers of mail do not read alike.
//!
//! # Limits
//! Names of charsets are not looked up here; a test of the codec does.

use crate::tsv::rows;
use anyhow::{Context, bail};
use std::fmt::Write;

/// The Rust source of `data/mail_repertoire.tsv`: ranges of code points for each charset.
pub(super) fn source(tsv: &str) -> anyhow::Result<String> {
    let mut out = String::from(
        "// Made from data/mail_repertoire.tsv by `cargo xtask generate`. Do not edit.\n\
         //! Characters of legacy charsets that fewer than three readers of mail read alike.\n\n\
         #[rustfmt::skip]\n\
         pub(crate) static DISPUTED: &[(&str, &[(u32, u32)])] = &[\n",
    );
    for row in rows(tsv) {
        let [name, ranges] = row[..] else {
            bail!("not two columns: {row:?}")
        };
        let _ = writeln!(out, "    (\"{name}\", &[");
        let ranges: Vec<String> = ranges
            .split(' ')
            .map(range)
            .collect::<anyhow::Result<_>>()?;
        for line in ranges.chunks(8) {
            let _ = writeln!(out, "        {},", line.join(", "));
        }
        out.push_str("    ]),\n");
    }
    Ok(out + "];\n")
}

fn range(text: &str) -> anyhow::Result<String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text| u32::from_str_radix(text, 16).context("no hexadecimal number");
    Ok(format!(
        "(0x{:04X}, 0x{:04X})",
        number(first)?,
        number(last)?
    ))
}
