//! What converters say of single-byte charsets, stored as differences to the product's tables.
//!
//! # Limits
//! The stored form needs the product's table that it was written with: both are committed together.

use super::asked::ConverterTables;
use super::page_tables::{Product, Table, lines, table};
use crate::tsv::rows;
use anyhow::{Context, bail};

/// A converter: its name, its lineage, its version, and how it was asked.
pub(super) struct System {
    pub(super) name: String,
    pub(super) lineage: String,
    pub(super) version: String,
    how: String,
}

/// The full table that one system has for one charset.
pub(super) struct Answer {
    pub(super) charset: String,
    pub(super) system: String,
    /// The system's own name of the charset.
    pub(super) own: String,
    pub(super) table: Table,
}

/// All answers, in the order of the file: those for one charset follow each other.
pub(super) struct Answers(pub(super) Vec<Answer>);

impl System {
    pub(super) fn parse(tsv: &str) -> anyhow::Result<Vec<Self>> {
        rows(tsv)
            .map(|row| {
                let [name, lineage, version, how] = row[..] else {
                    bail!("not four columns: {row:?}")
                };
                let [name, lineage, version, how] =
                    [name, lineage, version, how].map(str::to_owned);
                Ok(Self {
                    name,
                    lineage,
                    version,
                    how,
                })
            })
            .collect()
    }

    pub(super) fn show(systems: &[Self], comments: &str) -> String {
        let rows = systems
            .iter()
            .map(|s| format!("{}\t{}\t{}\t{}", s.name, s.lineage, s.version, s.how));
        comments.to_owned() + &lines(rows)
    }
}

impl Answers {
    /// Reads the stored answers. A charset without a product's table must have whole tables instead of differences.
    pub(super) fn parse(tsv: &str, product: &Product) -> anyhow::Result<Self> {
        let answers = rows(tsv).map(|row| {
            let [charset, system, own, differences] = row[..] else {
                bail!("not four columns: {row:?}")
            };
            let base = product
                .iter()
                .find(|(name, _)| name == charset)
                .map(|(_, table)| table);
            let table = match base {
                Some(base) => apply(base, differences)?,
                None => table(differences)
                    .with_context(|| format!("{charset} {system}: no whole table"))?,
            };
            let [charset, system, own] = [charset, system, own].map(str::to_owned);
            Ok(Answer {
                charset,
                system,
                own,
                table,
            })
        });
        answers.collect::<anyhow::Result<_>>().map(Self)
    }

    pub(super) fn show(&self, product: &Product, comments: &str) -> String {
        let row = |answer: &Answer| {
            let base = product
                .iter()
                .find(|(name, _)| *name == answer.charset)
                .map(|(_, table)| table);
            let differing: Vec<String> = (0..256)
                .filter(|byte| base.is_none_or(|base| base[*byte] != answer.table[*byte]))
                .map(|byte| format!("{byte:02X}={}", answer.table[byte]))
                .collect();
            let shown = if differing.is_empty() {
                "=".to_owned()
            } else {
                differing.join(" ")
            };
            format!(
                "{}\t{}\t{}\t{shown}",
                answer.charset, answer.system, answer.own
            )
        };
        comments.to_owned() + &lines(self.0.iter().map(row))
    }

    /// Takes over what was asked just now, and the versions of those who answered.
    pub(super) fn renew(&mut self, systems: &mut [System], asked: &ConverterTables) {
        for answer in &mut self.0 {
            if let Some(table) = asked.table(&answer.system, &answer.own) {
                answer.table.clone_from(table);
            }
        }
        for system in systems {
            if let Some(version) = asked.version(&system.name) {
                version.clone_into(&mut system.version);
            }
        }
    }

    /// The charsets for which a system answers otherwise than stored. What it does not know (any more) is no answer.
    pub(super) fn differing(&self, asked: &ConverterTables, system: &str) -> Vec<&str> {
        let of_system = self.0.iter().filter(|answer| answer.system == system);
        of_system
            .filter(|answer| {
                asked
                    .table(system, &answer.own)
                    .is_some_and(|table| *table != answer.table)
            })
            .map(|answer| answer.charset.as_str())
            .collect()
    }
}

fn apply(base: &Table, differences: &str) -> anyhow::Result<Table> {
    let mut table = base.clone();
    if differences == "=" {
        return Ok(table);
    }
    for difference in differences.split(' ') {
        let (byte, cell) = difference
            .split_once('=')
            .with_context(|| difference.to_owned())?;
        cell.clone_into(&mut table[usize::from(u8::from_str_radix(byte, 16)?)]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_stored_as_differences_and_come_back() {
        let base: Table = (0..256).map(|byte| format!("{byte:04X}")).collect();
        let product = vec![("a".to_owned(), base.clone())];
        let stored = "a\ticonv\tA\t=\na\tICU\tibm-a\t41=- FF=0041+0301\n";
        let answers = Answers::parse(stored, &product).unwrap();
        assert_eq!(answers.0[0].table, base);
        assert_eq!(
            (
                answers.0[1].table[0x41].as_str(),
                answers.0[1].table[0xFF].as_str()
            ),
            ("-", "0041+0301")
        );
        assert_eq!(answers.show(&product, ""), stored);
        let mut other = product.clone();
        other[0].1[0x41] = "-".to_owned();
        let moved = answers.show(&other, "");
        assert_eq!(moved, "a\ticonv\tA\t41=0041\na\tICU\tibm-a\tFF=0041+0301\n");
        assert_eq!(
            Answers::parse(&moved, &other).unwrap().show(&product, ""),
            stored
        );
    }
}
