//! Counts gathered text into `data/models/`.
//!
//! # Limits
//! Takes all of each file into memory.

use super::ngrams::{Ngrams, START};
use super::tokens::{FOREIGN, Script, Token};
use super::{languages, names_file};
use crate::run::{read, root};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Triples that are kept of a language.
const TRIPLES: usize = 4000;
/// Triples that are kept of the names of a language.
const NAME_TRIPLES: usize = 1500;
/// Characters that are kept of a language of Han script.
const CHARACTERS: usize = 4500;
/// Letters rarer than this among all letters are foreign to a language.
const RARE: f64 = 2e-5;

/// Reads `LANG.txt` and `packages.tsv` of a folder that `gather.py` wrote, and writes `data/models/` anew.
pub(crate) fn count(gathered: &Path) -> anyhow::Result<()> {
    let out = root().join("data/models");
    fs::create_dir_all(&out)?;
    let mut common = CommonCounts::default();
    for language in languages()? {
        let path = gathered.join(format!("{}.txt", language.name));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let body = match language.script {
            Script::Han => characters(&text),
            script => {
                let mut ngrams = ngrams(&text, script, &alphabet(&text, script));
                ngrams.prune(TRIPLES);
                common.add(&text, script, &ngrams.letters());
                ngrams.write()
            }
        };
        write(&out, &language.name, &body)?;
        println!("{}: {} bytes of text counted", language.name, text.len());
    }
    fs::write(out.join("common.tsv"), common.written())?;
    fs::copy(gathered.join("packages.tsv"), out.join("packages.tsv"))?;
    Ok(())
}

/// Reads `packages.tsv`, and `LANG.txt` of each language, from a folder that `gather_names.py` wrote. Writes
/// `data/models/names_packages.tsv` and `names_LANG.tsv`.
pub(crate) fn count_names(gathered: &Path) -> anyhow::Result<()> {
    let out = root().join("data/models");
    for language in languages()? {
        let name = &language.name;
        let path = gathered.join(format!("{name}.txt"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let body = match language.script {
            Script::Han => characters(&text),
            script => {
                let text_counts = Ngrams::read(&read(&format!("data/models/{name}.tsv"))?)?;
                let alphabet = text_counts.letters().into_iter().collect();
                let mut ngrams = ngrams(&text, script, &alphabet);
                ngrams.prune(NAME_TRIPLES);
                ngrams.write()
            }
        };
        write(&out, &names_file(name), &body)?;
        println!("{name}: {} names counted", text.lines().count());
    }
    fs::copy(
        gathered.join("packages.tsv"),
        out.join("names_packages.tsv"),
    )?;
    Ok(())
}

fn write(out: &Path, name: &str, body: &str) -> anyhow::Result<()> {
    let head = format!(
        "# {name}: context TAB token count token count ... _ space, . other ASCII, A ASCII letters, * sign, ? foreign letter.\n"
    );
    fs::write(out.join(format!("{name}.tsv")), head + body)?;
    Ok(())
}

/// Counts of the characters of a text, the most frequent ones.
fn characters(text: &str) -> String {
    let mut counts = BTreeMap::<char, u64>::new();
    for line in text.lines() {
        for token in Script::Han.tokens(line) {
            let c = match token {
                Token::Letter(c) | Token::Sign(c) => c,
                mark => mark.mark().unwrap_or(FOREIGN),
            };
            *counts.entry(c).or_default() += 1;
        }
    }
    let mut by_count: Vec<_> = counts
        .into_iter()
        .filter(|(c, _)| u32::from(*c) < 0x1_0000)
        .collect();
    by_count.sort_by_key(|(c, n)| (std::cmp::Reverse(*n), *c));
    by_count.truncate(CHARACTERS);
    by_count.sort_unstable();
    let cells: Vec<String> = by_count.iter().map(|(c, n)| format!("{c}{n}")).collect();
    format!("\t{}\n", cells.join(" "))
}

fn ngrams(text: &str, script: Script, alphabet: &BTreeSet<char>) -> Ngrams {
    let mut ngrams = Ngrams::default();
    for line in text.lines() {
        let [mut a, mut b] = START;
        for token in script.tokens(line) {
            let c = match token {
                Token::Letter(c) if alphabet.contains(&c) => c,
                other => other.mark().unwrap_or(FOREIGN),
            };
            ngrams.add([a, b, c]);
            (a, b) = (b, c);
        }
    }
    ngrams
}

fn alphabet(text: &str, script: Script) -> BTreeSet<char> {
    let mut counts = BTreeMap::<char, u64>::new();
    for token in text.lines().flat_map(|line| script.tokens(line)) {
        if let Token::Letter(c) = token {
            *counts.entry(c).or_default() += 1;
        }
    }
    let total = counts.values().sum::<u64>() as f64;
    counts
        .into_iter()
        .filter(|(c, n)| c.is_ascii() || *n as f64 > RARE * total)
        .map(|(c, _)| c)
        .collect()
}

/// What is counted over all languages: signs, letters that are foreign where they stand, and the case of neighbours.
#[derive(Default)]
struct CommonCounts {
    /// Share of each sign among the signs of a language, added up over languages.
    signs: BTreeMap<char, f64>,
    /// The same of foreign letters, by script.
    foreign: BTreeMap<(Script, char), f64>,
    /// Small and capital letters after: no letter, a small one, the first of a word as a capital, two capitals.
    case: [[u64; 2]; 4],
}

impl CommonCounts {
    fn add(&mut self, text: &str, script: Script, letters: &[char]) {
        let mut signs = BTreeMap::<char, u64>::new();
        let mut foreign = BTreeMap::<char, u64>::new();
        for token in text.lines().flat_map(|line| script.tokens(line)) {
            match token {
                Token::Sign(c) => *signs.entry(c).or_default() += 1,
                Token::Letter(c) if !letters.contains(&c) => *foreign.entry(c).or_default() += 1,
                _ => {}
            }
        }
        let share = |counts: &BTreeMap<char, u64>| (counts.values().sum::<u64>() as f64).max(1.0);
        let (all_signs, all_foreign) = (share(&signs), share(&foreign));
        for (c, n) in signs {
            *self.signs.entry(c).or_default() += n as f64 / all_signs;
        }
        for (c, n) in foreign {
            *self.foreign.entry((script, c)).or_default() += n as f64 / all_foreign;
        }
        if script.has_case() {
            text.lines().for_each(|line| self.add_case(line));
        }
    }

    fn add_case(&mut self, line: &str) {
        let mut state = 0;
        for c in line.chars() {
            let upper = c.is_uppercase();
            if !upper && !c.is_lowercase() {
                state = 0;
                continue;
            }
            self.case[state][usize::from(upper)] += 1;
            state = match (state, upper) {
                (_, false) => 1,
                (0 | 1, true) => 2,
                (_, true) => 3,
            };
        }
    }

    /// Shares in millionths.
    fn written(&self) -> String {
        let mut out = String::from(
            "# Counted over all languages. case: small and capital letters after no letter, a small one, one capital, two.\n\
             # sign, foreign: millionths of all signs and of a script's foreign letters; languages count alike.\n",
        );
        for (state, [small, capital]) in self.case.iter().enumerate() {
            let _ = writeln!(out, "case\t{state}\t{small}\t{capital}");
        }
        let all: f64 = self.signs.values().sum();
        for (c, share) in &self.signs {
            let share = (share / all * 1e6).round();
            if share >= 3.0 && u32::from(*c) < 0x1_0000 {
                let _ = writeln!(out, "sign\t{:04X}\t{share}", u32::from(*c));
            }
        }
        for ((script, c), share) in &self.foreign {
            let all: f64 = self
                .foreign
                .iter()
                .filter(|((s, _), _)| s == script)
                .map(|(_, n)| n)
                .sum();
            let share = (share / all * 1e6).round();
            if share >= 30.0 {
                let _ = writeln!(out, "foreign\t{script:?}\t{:04X}\t{share}", u32::from(*c));
            }
        }
        out
    }
}
