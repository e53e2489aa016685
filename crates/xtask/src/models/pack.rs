//! Costs from counts: `data/models/` to the codec's `models.bin`. A cost is -ln of a probability in sixteenths, one byte.
//!
//! All numbers are little-endian. In this order:
//! - case: 8 costs: small, capital after no letter, a small one, one capital, two;
//! - signs: count (u16), then code point (u16) and cost, ascending;
//! - for each script of letters: count (u16), then its letters (u16) ascending, and the cost of each where it is foreign;
//! - for each language in the order of `data/languages.tsv`, letters: their number n (u8) and their indexes in the script
//!   (u8); with m = n + 5 tokens (marks first) the cost of pairs (m * m), of what triples leave to pairs (m * m),
//!   the numbers of triples (m * m), and for each of these the token and its cost;
//!   Han: count (u16), then code point (u16) and cost, ascending.
//!
//! # Limits
//! Code points beyond the Basic Multilingual Plane have no place.

use super::ngrams::Ngrams;
use super::tokens::{FOREIGN, MARKS, Script};
use super::{Language, languages};
use crate::run::root;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The packed models, with the path of their file in the repository.
pub(crate) fn packed() -> anyhow::Result<(String, Vec<u8>)> {
    let read = |name: &str| {
        let path = root().join(format!("data/models/{name}.tsv"));
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let mut models = Vec::new();
    for language in languages()? {
        let ngrams = Ngrams::read(&read(&language.name)?).with_context(|| language.name.clone())?;
        models.push((language, ngrams));
    }
    let common = Common::read(&read("common")?)?;
    let mut out = Vec::new();
    common.pack_head(&mut out);
    let mut alphabets = BTreeMap::new();
    for script in Script::LETTERS {
        let letters = common.letters(script, &models);
        put(&mut out, letters.len());
        for c in letters.keys() {
            put(&mut out, *c as usize);
        }
        out.extend(letters.values());
        alphabets.insert(script, letters.into_keys().collect::<Vec<_>>());
    }
    for (language, ngrams) in &models {
        match alphabets.get(&language.script) {
            Some(alphabet) => pack_letters(ngrams, alphabet, &mut out),
            None => pack_characters(ngrams, &mut out),
        }
    }
    Ok(("crates/codec/src/generated/models.bin".to_owned(), out))
}

fn pack_letters(ngrams: &Ngrams, alphabet: &[char], out: &mut Vec<u8>) {
    let letters = ngrams.letters();
    out.push(letters.len() as u8);
    out.extend(
        letters
            .iter()
            .filter_map(|c| alphabet.binary_search(c).ok())
            .map(|at| at as u8),
    );
    let tokens: Vec<char> = MARKS.into_iter().chain(letters).collect();
    let pairs = || {
        tokens
            .iter()
            .flat_map(|a| tokens.iter().map(move |b| (*a, *b)))
    };
    out.extend(pairs().map(|(a, b)| cost(ngrams.pair(a, b))));
    out.extend(pairs().map(|(a, b)| cost(ngrams.triples(a, b).1)));
    let triples = |(a, b)| ngrams.triples(a, b).0;
    out.extend(pairs().map(|pair| triples(pair).len() as u8));
    for (c, probability) in pairs().flat_map(triples) {
        out.extend(tokens.iter().position(|t| *t == c).map(|at| at as u8));
        out.push(cost(probability));
    }
}

fn pack_characters(ngrams: &Ngrams, out: &mut Vec<u8>) {
    let Some(row) = ngrams.row(&[]) else { return };
    put(out, row.len());
    for c in row.keys() {
        put(out, *c as usize);
        out.push(cost(ngrams.single(*c)));
    }
}

/// `common.tsv`.
struct Common {
    case: Vec<[f64; 2]>,
    signs: BTreeMap<char, f64>,
    foreign: BTreeMap<(Script, char), f64>,
}

impl Common {
    fn read(text: &str) -> anyhow::Result<Self> {
        let mut common = Self {
            case: Vec::new(),
            signs: BTreeMap::new(),
            foreign: BTreeMap::new(),
        };
        let letter = |hex: &str| -> anyhow::Result<char> {
            char::from_u32(u32::from_str_radix(hex, 16)?).context("a surrogate")
        };
        for row in rows(text) {
            match row[..] {
                ["case", _, small, capital] => common.case.push([small.parse()?, capital.parse()?]),
                ["sign", hex, share] => drop(
                    common
                        .signs
                        .insert(letter(hex)?, share.parse::<f64>()? / 1e6),
                ),
                ["foreign", script, hex, share] => {
                    let script = Script::named(&script.to_lowercase()).context("a script")?;
                    common
                        .foreign
                        .insert((script, letter(hex)?), share.parse::<f64>()? / 1e6);
                }
                _ => bail!("what is {row:?}?"),
            }
        }
        Ok(common)
    }

    fn pack_head(&self, out: &mut Vec<u8>) {
        for [small, capital] in &self.case {
            out.extend([
                cost(small / (small + capital)),
                cost(capital / (small + capital)),
            ]);
        }
        put(out, self.signs.len());
        for (c, share) in &self.signs {
            put(out, *c as usize);
            out.push(cost(*share));
        }
    }

    /// All letters of a script's languages, and those that occur as foreign ones, with their cost as such.
    fn letters(&self, script: Script, models: &[(Language, Ngrams)]) -> BTreeMap<char, u8> {
        let own = models
            .iter()
            .filter(|(language, _)| language.script == script);
        let mut all: BTreeSet<char> = own.flat_map(|(_, ngrams)| ngrams.letters()).collect();
        all.extend(
            self.foreign
                .keys()
                .filter(|(s, _)| *s == script)
                .map(|(_, c)| *c),
        );
        all.remove(&FOREIGN);
        // What is in every alphabet is never foreign; the rarest share serves for the rest.
        all.into_iter()
            .map(|c| {
                (
                    c,
                    cost(self.foreign.get(&(script, c)).copied().unwrap_or(3e-5)),
                )
            })
            .collect()
    }
}

fn put(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u16).to_le_bytes());
}

fn cost(probability: f64) -> u8 {
    (-probability.ln() * 16.0).round().clamp(0.0, 255.0) as u8
}
