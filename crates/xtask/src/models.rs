//! Models for detection: text of many languages is counted (`cargo xtask models`, `data/models/`), and the counts become
//! costs (`cargo xtask generate`, `models.bin` of the codec).
//!
//! ```text
//! packages ─ gather.py ─► LANG.txt ─ count ─► data/models/LANG.tsv ─ spelling, pack ─► models.bin
//!                                     └► common.tsv                        ▲
//! packages ─ gather_names.py ─► LANG.txt ─ count_names ─► data/models/names_LANG.tsv
//! ```
//!
//! Names have other characters than programs: `伊` and `藤` of `伊藤` are rare in menus, and so is `ñoz` of `Muñoz`.
//!
//! # Limits
//! The gathered text is not kept, only its counts.

mod counts;
mod ngrams;
mod pack;
mod spelling;
mod tokens;

pub(crate) use counts::{count, count_names};
pub(crate) use pack::packed;

use crate::run::read;
use anyhow::{Context, bail};
use tokens::Script;

/// Returns the name of the file with the counts of a language's names.
fn names_file(language: &str) -> String {
    format!("names_{language}")
}

/// A row of `data/languages.tsv`.
#[derive(Debug)]
struct Language {
    name: String,
    script: Script,
    /// Names of charsets that are common in its mail, and of those that are rare there.
    charsets: [Vec<String>; 2],
}

/// A charset with the languages that are written in it.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) charset: String,
    script: Script,
    /// Index of the language, and the place of the charset in the language's list, as an expression.
    pub(crate) languages: Vec<(usize, String)>,
}

impl Candidate {
    /// Returns true if its letters are Latin.
    pub(crate) fn is_latin(&self) -> bool {
        self.script == Script::Latin
    }

    /// Returns the name of the variant of its script.
    pub(crate) fn script(&self) -> String {
        format!("{:?}", self.script)
    }
}

/// Returns the charsets of all languages, in the order in which they occur first.
pub(crate) fn candidates() -> anyhow::Result<Vec<Candidate>> {
    let mut all: Vec<Candidate> = Vec::new();
    for (index, language) in languages()?.into_iter().enumerate() {
        let [common, rare] = language.charsets;
        let common = common.into_iter().enumerate();
        let common = common.map(|(at, name)| (name, format!("usual({at})")));
        let rare = rare.into_iter().enumerate();
        let rare = rare.map(|(at, name)| (name, format!("rare({at})")));
        for (name, cost) in common.chain(rare) {
            if let Some(known) = all.iter_mut().find(|known| known.charset == name) {
                known.languages.push((index, cost));
            } else {
                all.push(Candidate {
                    charset: name,
                    script: language.script,
                    languages: vec![(index, cost)],
                });
            }
        }
    }
    Ok(all)
}

fn languages() -> anyhow::Result<Vec<Language>> {
    let table = read("data/languages.tsv")?;
    crate::tsv::rows(&table)
        .map(|row| {
            let [name, script, _, _, common, rare] = row[..] else {
                bail!("not six columns: {row:?}")
            };
            let names = |cell: &str| {
                let names = cell.split(' ').filter(|name| *name != "-");
                names.map(str::to_owned).collect()
            };
            let script = Script::named(script).with_context(|| format!("script of {name}"))?;
            Ok(Language {
                name: name.to_owned(),
                script,
                charsets: [names(common), names(rare)],
            })
        })
        .collect()
}
