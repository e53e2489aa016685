//! Models for detection: text of many languages is counted (`cargo xtask models`, `data/models/`), and the counts become
//! costs (`cargo xtask generate`, `models.bin` of the codec).
//!
//! ```text
//! packages ─ gather.py ─► LANG.txt ─ count ─► data/models/LANG.tsv ─ pack ─► models.bin
//!                                     └► common.tsv
//! ```
//!
//! # Limits
//! The gathered text is not kept, only its counts.

mod counts;
mod ngrams;
mod pack;
mod tokens;

pub(crate) use counts::count;
pub(crate) use pack::packed;

use crate::run::root;
use anyhow::{Context, bail};
use std::fs;
use tokens::Script;

/// A row of `data/languages.tsv`.
#[derive(Debug)]
struct Language {
    name: String,
    script: Script,
}

fn languages() -> anyhow::Result<Vec<Language>> {
    let path = root().join("data/languages.tsv");
    let table = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    crate::tsv::rows(&table)
        .map(|row| {
            let [name, script, ..] = row[..] else {
                bail!("not two columns: {row:?}")
            };
            let script = Script::named(script).with_context(|| format!("script of {name}"))?;
            Ok(Language {
                name: name.to_owned(),
                script,
            })
        })
        .collect()
}
