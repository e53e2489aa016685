//! The vote of the lineages on every cell, and the exceptions from it.
//!
//! # Limits
//! Cells are compared as they are written: four hexadecimal digits a code point.

use super::answers::{Answer, Answers, System};
use super::page_tables::Product;
use crate::tsv;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, HashMap};

/// The rows of `data/page-exceptions.tsv`, by charset and byte.
pub(super) struct Exceptions(HashMap<(String, u8), Exception>);

struct Exception {
    value: String,
    majority: String,
    used: bool,
}

/// The product's tables. Every cell must have a majority or an exception, and every exception must be needed.
pub(super) fn product(
    answers: &Answers,
    systems: &[System],
    exceptions: &mut Exceptions,
) -> anyhow::Result<Product> {
    let mut product = Product::new();
    for of_charset in answers.0.chunk_by(|a, b| a.charset == b.charset) {
        let charset = &of_charset[0].charset;
        if product.iter().any(|(name, _)| name == charset) {
            bail!("answers for {charset} stand in two places");
        }
        let voters = voters(of_charset, systems)?;
        let cells = (0..=255_u8).map(|byte| exceptions.decide(charset, byte, &most(&voters, byte)));
        product.push((charset.clone(), cells.collect::<anyhow::Result<_>>()?));
    }
    exceptions.all_used()?;
    Ok(product)
}

/// The answer that speaks for each lineage: that of its first system in the list which knows the charset.
fn voters<'a>(answers: &'a [Answer], systems: &[System]) -> anyhow::Result<Vec<&'a Answer>> {
    let mut voters: BTreeMap<&str, (usize, &Answer)> = BTreeMap::new();
    for answer in answers {
        let at = systems
            .iter()
            .position(|system| system.name == answer.system);
        let at = at.with_context(|| format!("{} is not in the list of systems", answer.system))?;
        let voter = voters.entry(&systems[at].lineage).or_insert((at, answer));
        if at < voter.0 {
            *voter = (at, answer);
        }
    }
    Ok(voters.into_values().map(|(_, answer)| answer).collect())
}

/// The value with the most votes; values with as many joined by `/`.
fn most(voters: &[&Answer], byte: u8) -> String {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for voter in voters {
        *votes.entry(&voter.table[usize::from(byte)]).or_default() += 1;
    }
    let most = votes.values().copied().max().unwrap_or_default();
    let winners: Vec<&str> = votes
        .into_iter()
        .filter(|(_, n)| *n == most)
        .map(|(value, _)| value)
        .collect();
    winners.join("/")
}

impl Exceptions {
    /// Reads the rows for single bytes; those for longer sequences are others'.
    pub(super) fn parse(tsv: &str) -> anyhow::Result<Self> {
        let mut rows = HashMap::new();
        for row in tsv::rows(tsv) {
            let [charset, bytes, value, majority, reason] = row[..] else {
                bail!("not five columns: {row:?}");
            };
            if reason.is_empty() {
                bail!("no reason: {row:?}");
            }
            if bytes.len() != 2 {
                continue;
            }
            let key = (charset.to_owned(), u8::from_str_radix(bytes, 16)?);
            let row = Exception {
                value: value.to_owned(),
                majority: majority.to_owned(),
                used: false,
            };
            if rows.insert(key, row).is_some() {
                bail!("{charset} {bytes} occurs twice");
            }
        }
        Ok(Self(rows))
    }

    fn decide(&mut self, charset: &str, byte: u8, majority: &str) -> anyhow::Result<String> {
        let Some(row) = self.0.get_mut(&(charset.to_owned(), byte)) else {
            if majority.contains('/') {
                bail!(
                    "{charset} {byte:02X}: the lineages are even ({majority}) and no exception decides"
                );
            }
            return Ok(majority.to_owned());
        };
        if row.majority != majority {
            bail!(
                "{charset} {byte:02X}: the majority is {majority}, not {}",
                row.majority
            );
        }
        if row.value == majority {
            bail!("{charset} {byte:02X}: no exception, but the majority");
        }
        row.used = true;
        Ok(row.value.clone())
    }

    fn all_used(&self) -> anyhow::Result<()> {
        match self.0.iter().find(|(_, row)| !row.used) {
            Some(((charset, byte), _)) => {
                bail!("exception for {charset} {byte:02X}: no such charset")
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::page_tables::Table;

    fn systems() -> Vec<System> {
        System::parse("glibc\tx\t1\t-\nmaps\tx\t1\t-\nICU\ty\t1\t-\nJava\tz\t1\t-\n").unwrap()
    }

    fn answers(cells: &[(&str, &str)]) -> Answers {
        let answer = |(system, cell): &(&str, &str)| {
            let mut table: Table = vec!["0020".to_owned(); 256];
            table[0xA0] = (*cell).to_owned();
            Answer {
                charset: "c".to_owned(),
                system: (*system).to_owned(),
                own: "c".to_owned(),
                table,
            }
        };
        Answers(cells.iter().map(answer).collect())
    }

    fn decided(cells: &[(&str, &str)], exceptions: &str) -> Result<String, String> {
        let mut exceptions = Exceptions::parse(exceptions).map_err(|e| e.to_string())?;
        let product =
            product(&answers(cells), &systems(), &mut exceptions).map_err(|e| e.to_string())?;
        Ok(product[0].1[0xA0].clone())
    }

    #[test]
    fn a_lineage_has_one_vote_and_its_first_system_speaks() {
        let two_to_two = [("maps", "A"), ("glibc", "B"), ("ICU", "C"), ("Java", "C")];
        assert_eq!(decided(&two_to_two, "").unwrap(), "C");
        assert_eq!(decided(&[("maps", "A"), ("glibc", "B")], "").unwrap(), "B");
    }

    #[test]
    fn ties_and_wrong_majorities_need_a_row_that_says_what_it_overrules() {
        let even = [("glibc", "A"), ("ICU", "B")];
        assert!(decided(&even, "").unwrap_err().contains("even (A/B)"));
        assert_eq!(decided(&even, "c\tA0\tA\tA/B\twhy\n").unwrap(), "A");
        assert!(
            decided(&even, "c\tA0\tA\tB\twhy\n")
                .unwrap_err()
                .contains("the majority is A/B")
        );
        assert!(
            decided(&even, "c\tA0\tA\tA/B\t\n")
                .unwrap_err()
                .contains("no reason")
        );
        let clear = [("glibc", "A"), ("ICU", "B"), ("Java", "B")];
        assert_eq!(decided(&clear, "c\tA0\tA\tB\twhy\n").unwrap(), "A");
        assert!(
            decided(&clear, "c\tA0\tB\tB\twhy\n")
                .unwrap_err()
                .contains("no exception")
        );
        assert!(
            decided(&clear, "d\tA0\tA\tB\twhy\n")
                .unwrap_err()
                .contains("no such charset")
        );
    }
}
