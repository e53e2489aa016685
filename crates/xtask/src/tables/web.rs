//! The tables of WHATWG's encodings: what `encoding_rs` answers, in `data/tables/web/`.
//!
//! # Limits
//! The program that asks (`web_tables`, an example of the codec) is built by cargo first.

use crate::run::{cargo, output};

const NAMES: [&str; 5] = ["jis0208", "gbk", "big5", "euc-kr", "pages"];

/// The path of every table, and what it must hold.
pub(super) fn asked() -> anyhow::Result<Vec<(String, String)>> {
    let asked = |name: &str| {
        let mut command = cargo();
        command.args([
            "run",
            "--quiet",
            "--package",
            "mailglot-codec",
            "--example",
            "web_tables",
            "--",
            name,
        ]);
        Ok((
            format!("data/tables/web/{name}.tsv"),
            String::from_utf8(output(&mut command)?)?,
        ))
    };
    NAMES.into_iter().map(asked).collect()
}
