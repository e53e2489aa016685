//! Counts of one, two and three tokens in a row, their file, and the probabilities that they give.
//!
//! A line of the file is `context TAB token count token count ...`, where the context is none, one or two tokens.
//!
//! # Limits
//! Smoothing is absolute discounting: what the contexts have not shown is left to the shorter one.

use super::tokens::{MARKS, SPACE};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Taken from each count and given to what was not seen.
const DISCOUNT: f64 = 0.75;
/// Share of all tokens that a token has which stands in the alphabet but was never seen.
const FLOOR: f64 = 1e-7;
/// How often each word of a short text counts at most. A few names would prove too much otherwise.
const MOST: f64 = 3.0;

/// Counts by context.
#[derive(Debug, Default)]
pub(super) struct Ngrams(BTreeMap<Vec<char>, BTreeMap<char, u64>>);

impl Ngrams {
    /// Counts the last token of `[before last, last but one, last]` in its contexts.
    pub(super) fn add(&mut self, three: [char; 3]) {
        let [a, b, c] = three;
        for context in [&[][..], &[b][..], &[a, b][..]] {
            if let Some(row) = self.0.get_mut(context) {
                *row.entry(c).or_default() += 1;
            } else {
                self.0.insert(context.to_vec(), BTreeMap::from([(c, 1)]));
            }
        }
    }

    /// The alphabet: tokens that are no marks, in order.
    pub(super) fn letters(&self) -> Vec<char> {
        let all: BTreeSet<char> = self
            .row(&[])
            .into_iter()
            .flatten()
            .map(|(c, _)| *c)
            .collect();
        all.into_iter().filter(|c| !MARKS.contains(c)).collect()
    }

    pub(super) fn row(&self, context: &[char]) -> Option<&BTreeMap<char, u64>> {
        self.0.get(context)
    }

    /// Contexts of two tokens with what follows them.
    pub(super) fn threes(&self) -> impl Iterator<Item = ([char; 2], &BTreeMap<char, u64>)> {
        self.0
            .iter()
            .filter(|(context, _)| context.len() == 2)
            .map(|(c, row)| ([c[0], c[1]], row))
    }

    /// Adds the same text in another spelling, which one letter in `rarity` has.
    pub(super) fn add_spelling(&mut self, spelled: impl Fn(char) -> char, rarity: u64) {
        let mut other = BTreeMap::<Vec<char>, BTreeMap<char, u64>>::new();
        for (context, row) in &self.0 {
            let context = context.iter().map(|c| spelled(*c)).collect();
            let new = other.entry(context).or_default();
            for (c, n) in row {
                *new.entry(spelled(*c)).or_default() += n;
            }
        }
        for (context, row) in other {
            let row = row.into_iter().map(|(c, n)| (c, n / rarity));
            let known = self.0.entry(context).or_default();
            for (c, n) in row.filter(|(_, n)| *n > 0) {
                *known.entry(c).or_default() += n;
            }
        }
        self.0.retain(|_, row| !row.is_empty());
    }

    /// Adds tokens that the text lacks, each with its share of all tokens.
    pub(super) fn add_shares(&mut self, shares: &[(char, f64)]) {
        let row = self.0.entry(Vec::new()).or_default();
        let total = row.values().sum::<u64>() as f64;
        for (c, share) in shares {
            *row.entry(*c).or_default() += (share * total).round() as u64;
        }
    }

    /// Adds the counts of another text, so that it makes this share of the whole, or less if it is short.
    pub(super) fn add_text(&mut self, other: &Self, share: f64) {
        let factor = share / (1.0 - share) * self.total() / other.total();
        let factor = factor.min(MOST);
        let mut contexts: BTreeMap<[char; 2], BTreeSet<char>> = BTreeMap::new();
        for (context, row) in self.threes().chain(other.threes()) {
            contexts.entry(context).or_default().extend(row.keys());
        }
        let mut rows: BTreeMap<Vec<char>, BTreeMap<char, u64>> = BTreeMap::new();
        for ([a, b], letters) in &contexts {
            let (own, added) = (self.expected(*a, *b), other.expected(*a, *b));
            let count = |c: &char| (own(*c) + factor * added(*c)).round() as u64;
            let row = letters.iter().map(|c| (*c, count(c))).collect();
            rows.insert(vec![*a, *b], row);
        }
        for (context, row) in other.0.iter().filter(|(context, _)| context.len() < 2) {
            let known = self.0.entry(context.clone()).or_default();
            for (c, n) in row {
                *known.entry(*c).or_default() += (*n as f64 * factor).round() as u64;
            }
        }
        self.0.extend(rows);
        for row in self.0.values_mut() {
            row.retain(|_, n| *n > 0);
        }
        self.0.retain(|_, row| !row.is_empty());
    }

    /// Returns the number of tokens.
    fn total(&self) -> f64 {
        let counts = self.row(&[]).into_iter().flat_map(BTreeMap::values);
        counts.sum::<u64>() as f64
    }

    /// Returns how often each token stands after `a` and `b`. What was not kept is estimated by pairs.
    fn expected(&self, a: char, b: char) -> impl Fn(char) -> f64 {
        let row = self.row(&[a, b]);
        let before = self.row(&[a]).and_then(|row| row.get(&b));
        let others = before.map_or(0.0, |n| *n as f64 * self.triples(a, b).1);
        move |c| match row.and_then(|row| row.get(&c)) {
            Some(n) => *n as f64,
            None => others * self.pair(b, c),
        }
    }

    /// Keeps the `keep` triples whose probability differs most, by weight, from what pairs tell; and pairs seen twice.
    pub(super) fn prune(&mut self, keep: usize) {
        let mut worth = Vec::new();
        for ([a, b], row) in self.threes() {
            let total = row.values().sum::<u64>() as f64;
            for (&c, &n) in row.iter().filter(|(_, n)| **n >= 3) {
                let (three, two) = ((n as f64 - DISCOUNT) / total, self.pair(b, c));
                worth.push((n as f64 * (three / two).ln().abs(), [a, b], c));
            }
        }
        worth.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
        worth.truncate(keep);
        let kept: BTreeSet<([char; 2], char)> =
            worth.into_iter().map(|(_, ab, c)| (ab, c)).collect();
        for (context, row) in &mut self.0 {
            match context[..] {
                [a, b] => row.retain(|c, _| kept.contains(&([a, b], *c))),
                [_] => row.retain(|_, n| *n >= 2),
                _ => {}
            }
        }
        self.0.retain(|_, row| !row.is_empty());
    }

    /// Probability of a token whatever stands before.
    pub(super) fn single(&self, c: char) -> f64 {
        let Some(row) = self.row(&[]) else {
            return FLOOR;
        };
        let total = row.values().sum::<u64>() as f64;
        (row.get(&c).copied().unwrap_or(0) as f64 / total).max(FLOOR)
    }

    /// Probability of `c` after `b`.
    pub(super) fn pair(&self, b: char, c: char) -> f64 {
        let Some(row) = self.row(&[b]) else {
            return self.single(c);
        };
        let total = row.values().sum::<u64>() as f64;
        let seen = (row.get(&c).map_or(0.0, |n| *n as f64 - DISCOUNT)).max(0.0);
        (seen + DISCOUNT * row.len() as f64 * self.single(c)) / total
    }

    /// What follows `a`, `b` by counts of three, and the factor on [`Self::pair`] for all else.
    pub(super) fn triples(&self, a: char, b: char) -> (Vec<(char, f64)>, f64) {
        let Some(row) = self.row(&[a, b]) else {
            return (Vec::new(), 1.0);
        };
        let total = self
            .row(&[a])
            .and_then(|after| after.get(&b))
            .copied()
            .unwrap_or(0);
        let total = total.max(row.values().sum()) as f64;
        let seen: Vec<_> = row
            .iter()
            .map(|(c, n)| (*c, (*n as f64 - DISCOUNT) / total))
            .collect();
        let left = 1.0 - seen.iter().map(|(_, p)| p).sum::<f64>();
        let shorter = 1.0 - seen.iter().map(|(c, _)| self.pair(b, *c)).sum::<f64>();
        (seen, (left / shorter.max(1e-6)).max(1e-4))
    }

    /// The file's text below its head.
    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        for (context, row) in &self.0 {
            out.extend(context);
            for (at, (c, n)) in row.iter().enumerate() {
                let _ = write!(out, "{}{c}{n}", if at == 0 { '\t' } else { ' ' });
            }
            out.push('\n');
        }
        out
    }

    /// Reads what [`Self::write`] wrote.
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let mut rows = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (context, cells) = line.split_once('\t').context("no tab")?;
            let cells = cells.split(' ').map(|cell| {
                let mut chars = cell.chars();
                let c = chars.next().context("an empty cell")?;
                Ok((c, chars.as_str().parse()?))
            });
            rows.insert(
                context.chars().collect(),
                cells.collect::<anyhow::Result<_>>()?,
            );
        }
        Ok(Self(rows))
    }
}

/// The two tokens before the first.
pub(super) const START: [char; 2] = [SPACE, SPACE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_spelling_is_as_likely_as_it_is_frequent() {
        let mut ngrams = counted(&"_\u{3AC}\u{3C2}_".repeat(100));
        let own = ngrams.pair('_', '\u{3AC}');
        ngrams.add_spelling(
            |c| match c {
                '\u{3AC}' => '\u{3B1}',
                '\u{3C2}' => '\u{3C3}',
                other => other,
            },
            4,
        );
        assert_eq!(ngrams.row(&['\u{3B1}', '\u{3C3}']).unwrap()[&'_'], 25);
        assert_eq!(ngrams.row(&['\u{3AC}', '\u{3C2}']).unwrap()[&'_'], 100);
        let (accented, plain) = (ngrams.pair('_', '\u{3AC}'), ngrams.pair('_', '\u{3B1}'));
        assert!(
            accented > 3.0 * plain && plain > own / 8.0,
            "{accented} {plain} {own}"
        );
    }

    fn counted(text: &str) -> Ngrams {
        let mut ngrams = Ngrams::default();
        let text: Vec<char> = text.chars().collect();
        for three in text.windows(3) {
            ngrams.add([three[0], three[1], three[2]]);
        }
        ngrams
    }

    #[test]
    fn an_added_text_has_its_share() {
        let (mut text, mut names) = (
            counted(&"_der_die".repeat(900)),
            counted(&"_dora".repeat(500)),
        );
        text.add_text(&names, 0.25);
        let share = text.row(&[]).unwrap()[&'o'] as f64 / text.total();
        assert!((share - 0.25 / 5.0).abs() < 1e-3, "{share}");
        assert!((text.row(&['_', 'd']).unwrap()[&'o'] as f64 - 480.0).abs() < 10.0);
        // A triple that one of the texts did not keep is estimated by pairs: half of the tokens behind `e` are `r`.
        let before = text.row(&['d', 'e']).unwrap()[&'r'];
        names = counted(&"_der_dora".repeat(100));
        text.0.remove(&['d', 'e'][..]);
        text.add_text(&names, 0.01);
        let after = text.row(&['d', 'e']).unwrap()[&'r'];
        assert!(after > before / 4 && after < before, "{before} {after}");
    }

    #[test]
    fn probabilities_add_up() {
        let ngrams = counted("_der_die_das_dass_der_");
        let letters: Vec<char> = ngrams.letters().into_iter().chain(['_']).collect();
        let pairs: f64 = letters.iter().map(|c| ngrams.pair('d', *c)).sum();
        assert!((pairs - 1.0).abs() < 1e-9, "{pairs}");
        let (seen, factor) = ngrams.triples('_', 'd');
        let given = |c: &char| seen.iter().find(|(s, _)| s == c).map(|(_, p)| *p);
        let triples: f64 = letters
            .iter()
            .map(|c| given(c).unwrap_or_else(|| factor * ngrams.pair('d', *c)))
            .sum();
        assert!((triples - 1.0).abs() < 1e-9, "{triples}");
        let again = Ngrams::read(&ngrams.write()).unwrap();
        assert_eq!(again.0, ngrams.0);
    }
}
