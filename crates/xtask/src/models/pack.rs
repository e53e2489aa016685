//! Costs from counts: `data/models/` to the codec's `models.bin`. A cost is -ln of a probability in sixteenths, one byte.
//!
//! A *class* is one of five marks or a letter of a script. A *token* is one of the marks or a letter of a language. All numbers are
//! little-endian. In this order:
//! - case: 8 costs: small, capital after no letter, a small one, one capital, two;
//! - signs: count (u16), then code point (u16) and cost, ascending;
//! - for each script of letters: count (u16), then its letters (u16) ascending. With c = count + 5 classes, their least costs
//!   behind each class (c * c) follow. They follow once more, for the case that a sign may stand for a space or for
//!   punctuation;
//! - for each language in the order of `data/languages.tsv`: a model of letters or of Han;
//! - for each candidate in Latin script ([`super::candidates`]): number n (u8) of letters of its languages. Tokens and costs of
//!   256 classes follow as for a language, and with m = n + 5 their least costs behind each other (m * m);
//! - for each pair of ASCII kinds (white space, other signs, a to z), the cost (u16) in each language of Latin script.
//!
//! A model of letters:
//! - the number n of letters (u8);
//! - for each of 256 classes its token, and for each the cost beyond that of the token;
//! - with m = n + 5 tokens, the cost of pairs (m * m), and of what triples leave to pairs (m * m);
//! - of each pair the place (u16, m * m) of its triples from 1, or 0 for none. Rows of m costs have the first places. Pairs of a
//!   token and its cost have the places behind them;
//! - the counts of both (u16), the rows, and the others (4 bytes; a single one stands twice).
//!
//! A model of Han:
//! - the number of the row of each block of 256 characters (256; 0 is all unseen);
//! - the count of rows (u8), and a row of 256 costs for each.
//!
//! # Limits
//! Code points beyond the Basic Multilingual Plane have no place.

use super::ngrams::Ngrams;
use super::spelling::add_spellings;
use super::tokens::{FOREIGN, MARKS, Script};
use super::{Language, candidates, languages, names_file};
use crate::run;
use crate::tsv::rows;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

/// Classes and tokens that are no letters, in the order of [`MARKS`].
const SPACE: usize = 0;
const OTHER: usize = 1;
const ASCII_RUN: usize = 2;
const SIGN: usize = 3;
const FOREIGN_LETTER: usize = 4;
/// The first letter.
const LETTERS: usize = 5;
/// Cost of a sign or letter that was never seen.
const UNSEEN: u8 = 200;
/// Cost of a character of Han script that was never seen.
const UNSEEN_HAN: u8 = 230;
/// Share of names in the text of mail.
const NAMES: f64 = 0.1;

/// The packed models, with the path of their file in the repository.
pub(crate) fn packed() -> anyhow::Result<(String, Vec<u8>)> {
    let read = |name: &str| run::read(&format!("data/models/{name}.tsv"));
    let mut models = Vec::new();
    for language in languages()? {
        let mut ngrams =
            Ngrams::read(&read(&language.name)?).with_context(|| language.name.clone())?;
        let names = names_file(&language.name);
        let names = Ngrams::read(&read(&names)?).context(names)?;
        ngrams.add_text(&names, NAMES);
        add_spellings(&language, &mut ngrams);
        models.push((language, ngrams));
    }
    let common = CommonTable::read(&read("common")?)?;
    let alphabets: BTreeMap<Script, BTreeMap<char, u8>> = Script::LETTERS
        .map(|script| (script, common.letters(script, &models)))
        .into();
    let letters: Vec<Option<Letters>> = models
        .iter()
        .map(|(language, ngrams)| Some(Letters::new(ngrams, alphabets.get(&language.script)?)))
        .collect();
    let of_script = |script| {
        let all = models.iter().zip(&letters);
        all.filter(move |((language, _), _)| language.script == script)
            .filter_map(|(_, letters)| letters.as_ref())
    };
    let mut out = Vec::new();
    common.pack_head(&mut out);
    for (script, alphabet) in &alphabets {
        put(&mut out, alphabet.len());
        for c in alphabet.keys() {
            put(&mut out, *c as usize);
        }
        let classes: Vec<usize> = (0..alphabet.len() + LETTERS).collect();
        let least = least_costs(&classes, &of_script(*script).collect::<Vec<_>>());
        out.extend(&least);
        out.extend(bounds(&least, classes.len()));
    }
    for ((_, ngrams), letters) in models.iter().zip(&letters) {
        match letters {
            Some(letters) => letters.pack(&mut out),
            None => pack_characters(ngrams, &mut out),
        }
    }
    for candidate in candidates()? {
        if candidate.script == Script::Latin {
            let own = candidate.languages.iter();
            let own: Vec<&Letters> = own
                .filter_map(|(index, _)| letters[*index].as_ref())
                .collect();
            pack_candidate(&own, &alphabets[&Script::Latin], &mut out);
        }
    }
    pack_ascii(
        &alphabets[&Script::Latin],
        &of_script(Script::Latin).collect::<Vec<_>>(),
        &mut out,
    );
    Ok(("crates/codec/src/generated/models.bin".to_owned(), out))
}

/// The model of a language with letters.
struct Letters {
    /// Index of each letter in the alphabet of the script.
    indexes: Vec<u8>,
    /// The token of each class.
    token: Vec<usize>,
    /// The cost of each class beyond that of its token: letters that are foreign to the language.
    extra: Vec<u8>,
    pairs: Vec<u8>,
    left: Vec<u8>,
    /// Costs behind each pair of tokens.
    triples: Vec<Triples>,
}

impl Letters {
    fn new(ngrams: &Ngrams, alphabet: &BTreeMap<char, u8>) -> Self {
        let letters = ngrams.letters();
        let own = alphabet.keys().zip(0..);
        let own = own.filter(|(c, _)| letters.binary_search(c).is_ok());
        let indexes: Vec<u8> = own.map(|(_, index)| index).collect();
        let (token, extra) = classes(&indexes, alphabet);
        let tokens: Vec<char> = MARKS.into_iter().chain(letters).collect();
        let all = || {
            let seconds = |first: char| tokens.iter().map(move |second| (first, *second));
            tokens.iter().flat_map(move |first| seconds(*first))
        };
        let pairs: Vec<u8> = all().map(|(a, b)| cost(ngrams.pair(a, b))).collect();
        let left: Vec<u8> = all().map(|(a, b)| cost(ngrams.triples(a, b).1)).collect();
        let triples = all().zip(&left).enumerate().map(|(pair, ((a, b), left))| {
            let shorter = &pairs[pair % tokens.len() * tokens.len()..][..tokens.len()];
            let triples = ngrams.triples(a, b).0.into_iter();
            let token = |c: char| tokens.iter().position(|token| *token == c);
            let own: Vec<(usize, u8)> = triples
                .filter_map(|(c, probability)| Some((token(c)?, cost(probability))))
                .collect();
            match own[..] {
                [] => Triples::None,
                [one] => Triples::Few([one, one]),
                [one, other] => Triples::Few([one, other]),
                _ => {
                    let shorter = shorter.iter();
                    let mut row: Vec<u8> = shorter.map(|c| c.saturating_add(*left)).collect();
                    for (token, cost) in own {
                        row[token] = cost;
                    }
                    Triples::Row(row)
                }
            }
        });
        let triples = triples.collect();
        Self {
            indexes,
            token,
            extra,
            pairs,
            left,
            triples,
        }
    }

    fn tokens(&self) -> usize {
        self.indexes.len() + LETTERS
    }

    /// The cost of a class behind another.
    fn pair(&self, before: usize, class: usize) -> u16 {
        let pair = self.pairs[self.token[before] * self.tokens() + self.token[class]];
        u16::from(pair) + u16::from(self.extra[class])
    }

    fn pack(&self, out: &mut Vec<u8>) {
        pack_classes(&self.indexes, &self.token, &self.extra, out);
        out.extend(&self.pairs);
        out.extend(&self.left);
        let (mut rows, mut few): (Vec<u8>, Vec<[u8; 2]>) = (Vec::new(), Vec::new());
        for triples in &self.triples {
            match triples {
                Triples::None => {}
                Triples::Row(row) => rows.extend(row),
                Triples::Few(pairs) => few.extend(pairs.map(|(token, cost)| [token as u8, cost])),
            }
        }
        let count = rows.len() / self.tokens();
        let (mut next_row, mut next_few) = (0, count);
        for triples in &self.triples {
            let next = match triples {
                Triples::None => {
                    put(out, 0);
                    continue;
                }
                Triples::Row(_) => &mut next_row,
                Triples::Few(_) => &mut next_few,
            };
            *next += 1;
            put(out, *next);
        }
        put(out, count);
        put(out, few.len() / 2);
        out.extend(rows);
        out.extend(few.as_flattened());
    }
}

/// Returns the token of each class and its cost beyond that of the token, for the letters of a script with these indexes.
fn classes(indexes: &[u8], alphabet: &BTreeMap<char, u8>) -> (Vec<usize>, Vec<u8>) {
    let (mut token, mut extra): (Vec<usize>, Vec<u8>) = ((0..LETTERS).collect(), vec![0; LETTERS]);
    extra[FOREIGN_LETTER] = UNSEEN;
    for (index, foreign) in (0..).zip(alphabet.values()) {
        let own = indexes.binary_search(&index).ok();
        token.push(own.map_or(FOREIGN_LETTER, |at| at + LETTERS));
        extra.push(if own.is_some() { 0 } else { *foreign });
    }
    (token, extra)
}

/// Packs the number of letters, and the token and the additional cost of each class. Classes beyond the alphabet are never used.
fn pack_classes(indexes: &[u8], token: &[usize], extra: &[u8], out: &mut Vec<u8>) {
    out.push(indexes.len() as u8);
    let token = token.iter().map(|token| *token as u8);
    out.extend(token.chain(iter::repeat(FOREIGN_LETTER as u8)).take(256));
    out.extend(extra.iter().chain(iter::repeat(&UNSEEN)).take(256));
}

/// The tokens that cost something else behind a pair than pairs tell.
enum Triples {
    None,
    /// One or two, each with its cost.
    Few([(usize, u8); 2]),
    /// The costs of all tokens.
    Row(Vec<u8>),
}

/// The least cost of each of some classes behind each of them in any of the languages.
fn least_costs(classes: &[usize], languages: &[&Letters]) -> Vec<u8> {
    let least = |before: usize, class: usize| {
        // Of these, one stands for a run.
        if before == class && matches!(class, SPACE | OTHER | ASCII_RUN) {
            return 0;
        }
        let costs = languages.iter().map(|letters| letters.pair(before, class));
        costs.min().unwrap_or(u16::MAX).min(255) as u8
    };
    let rows = classes.iter().map(|before| (before, classes));
    rows.flat_map(|(before, row)| row.iter().map(|class| least(*before, *class)))
        .collect()
}

/// Lowers least costs: a sign may count as a space or as ASCII punctuation.
fn bounds(least: &[u8], classes: usize) -> Vec<u8> {
    let mut bounds = least.to_vec();
    for class in 0..classes {
        bounds[SIGN * classes + class] = [SIGN, SPACE, OTHER]
            .map(|before| bounds[before * classes + class])
            .into_iter()
            .min()
            .unwrap_or_default();
    }
    for row in bounds.chunks_exact_mut(classes) {
        row[SIGN] = row[SIGN].min(row[SPACE]).min(row[OTHER]);
    }
    bounds
}

/// Packs the least costs of the letters of some languages. A letter that none of them has costs what a foreign one does.
fn pack_candidate(languages: &[&Letters], alphabet: &BTreeMap<char, u8>, out: &mut Vec<u8>) {
    let indexes: BTreeSet<u8> = languages
        .iter()
        .flat_map(|letters| letters.indexes.iter().copied())
        .collect();
    let indexes: Vec<u8> = indexes.into_iter().collect();
    let (token, extra) = classes(&indexes, alphabet);
    pack_classes(&indexes, &token, &extra, out);
    let letters = indexes.iter().map(|index| usize::from(*index) + LETTERS);
    let classes: Vec<usize> = (0..LETTERS).chain(letters).collect();
    // The codec adds the cost of the foreign letter.
    let foreign = |before: usize| {
        let costs = languages.iter().map(|letters| {
            letters.pair(before, FOREIGN_LETTER) - u16::from(letters.extra[FOREIGN_LETTER])
        });
        costs.min().unwrap_or_default() as u8
    };
    let mut least = least_costs(&classes, languages);
    for (before, row) in classes.iter().zip(least.chunks_exact_mut(classes.len())) {
        row[FOREIGN_LETTER] = foreign(*before);
    }
    out.extend(least);
}

/// Packs the costs of ASCII kinds in all languages of Latin script.
fn pack_ascii(alphabet: &BTreeMap<char, u8>, languages: &[&Letters], out: &mut Vec<u8>) {
    let class = |c: char| alphabet.keys().position(|known| *known == c);
    let letters = ('a'..='z').map(|c| class(c).map_or(FOREIGN_LETTER, |at| at + LETTERS));
    let kinds: Vec<usize> = [SPACE, OTHER].into_iter().chain(letters).collect();
    for before in &kinds {
        for kind in &kinds {
            for letters in languages {
                put(out, letters.pair(*before, *kind).into());
            }
        }
    }
}

fn pack_characters(ngrams: &Ngrams, out: &mut Vec<u8>) {
    let Some(row) = ngrams.row(&[]) else { return };
    let mut blocks: BTreeMap<usize, [u8; 256]> = BTreeMap::new();
    for c in row.keys() {
        let block = blocks.entry(*c as usize >> 8).or_insert([UNSEEN_HAN; 256]);
        block[*c as usize & 0xFF] = cost(ngrams.single(*c));
    }
    let number = |block: usize| blocks.keys().position(|known| *known == block);
    out.extend((0..256).map(|block| number(block).map_or(0, |at| at as u8 + 1)));
    out.push(blocks.len() as u8);
    out.extend(blocks.values().flatten());
}

/// `common.tsv`.
struct CommonTable {
    case: Vec<[f64; 2]>,
    signs: BTreeMap<char, f64>,
    foreign: BTreeMap<(Script, char), f64>,
}

impl CommonTable {
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
