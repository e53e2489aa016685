//! The tables of two-byte sets are what most converters say, cell by cell; what is not stands in `data/grid-exceptions.tsv`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail by panic"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;

type Cells = BTreeMap<u32, String>;

fn data(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// Cells from a code on, `-` too.
fn enter(cells: &mut Cells, first: &str, values: &str) {
    let first = u32::from_str_radix(first, 16).unwrap();
    for (code, value) in (first..).zip(values.split(' ')) {
        assert!(
            cells.insert(code, value.to_owned()).is_none(),
            "{code:X} twice"
        );
    }
}

/// The answers of every converter: the table, but for the cells in which it differs.
fn answers(name: &str, table: &Cells) -> BTreeMap<String, Cells> {
    let text = data(&format!("oracles/{name}.tsv"));
    let mut answers = BTreeMap::new();
    let mut different: BTreeMap<String, Cells> = BTreeMap::new();
    for row in rows(&text) {
        let is_converter = !answers.contains_key(row[0]);
        if is_converter {
            answers.insert(row[0].to_owned(), table.clone());
        } else {
            enter(
                different.entry(row[0].to_owned()).or_default(),
                row[1],
                row[2],
            );
        }
    }
    for (converter, cells) in different {
        for (code, cell) in cells {
            assert_ne!(
                table.get(&code),
                Some(&cell),
                "{name} {converter} {code:X} is no difference"
            );
            answers.get_mut(&converter).unwrap().insert(code, cell);
        }
    }
    answers
}

/// The cells of a table, those of the table that it is kept as changes to included.
fn table(name: &str) -> Cells {
    let text = data(&format!("tables/{name}.tsv"));
    let mut cells = text
        .lines()
        .find_map(|line| line.strip_prefix("# over: "))
        .map(table)
        .unwrap_or_default();
    let mut changes = Cells::new();
    rows(&text).for_each(|row| enter(&mut changes, &format!("{}{}", row[0], row[1]), row[2]));
    cells.extend(changes);
    cells.retain(|_, cell| cell != "-");
    cells
}

/// The tables that the answers of converters cover; another test covers `pages`.
fn names() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/tables");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    files
        .filter_map(|file| Some(file.strip_suffix(".tsv")?.to_owned()))
        .filter(|name| name != "pages")
        .collect()
}

/// Returns what exceptions say of a table: a range of codes, and a cell or `=CONVERTER`. `*` is the range of all
/// codes, and decides only where no majority does.
fn excepted(name: &str) -> Vec<(RangeInclusive<u32>, String)> {
    let exceptions = data("grid-exceptions.tsv");
    let of_table = rows(&exceptions).filter(|row| row[0] == name && !row[3].is_empty());
    let code = |hex: &str| u32::from_str_radix(hex, 16).unwrap();
    let range = |codes: &str| match codes.split_once("..") {
        Some((first, last)) => code(first)..=code(last),
        None if codes == "*" => 0..=u32::MAX,
        None => code(codes)..=code(codes),
    };
    of_table
        .map(|row| (range(row[1]), row[2].to_owned()))
        .collect()
}

#[test]
fn every_cell_is_the_majority_or_a_documented_exception() {
    let mut seen = 0;
    for name in names() {
        let table = table(&name);
        let answers = answers(&name, &table);
        assert!(!answers.is_empty() && !table.is_empty(), "{name}");
        let excepted = excepted(&name);
        let mut used = vec![false; excepted.len()];
        let codes: BTreeSet<u32> = answers
            .values()
            .flat_map(|cells| cells.keys().copied())
            .collect();
        for code in codes {
            let said = |cells: &Cells| cells.get(&code).map_or("-", String::as_str).to_owned();
            let cell = said(&table);
            let agree = answers.values().filter(|cells| said(cells) == cell).count();
            let majority = 2 * agree > answers.len();
            // What names this code goes before what holds for all.
            let rule = excepted
                .iter()
                .position(|(codes, _)| *codes != (0..=u32::MAX) && codes.contains(&code));
            let rule = rule.or_else(|| {
                (!majority).then(|| excepted.iter().position(|(c, _)| c.contains(&code)))?
            });
            if let Some(rule) = rule {
                let (_, by) = &excepted[rule];
                let expected = by
                    .strip_prefix('=')
                    .map_or(by.clone(), |converter| said(&answers[converter]));
                assert_eq!(cell, expected, "{name} {code:X}");
                used[rule] = true;
            } else {
                assert!(
                    majority,
                    "{name} {code:X}: {agree} of {} converters say {cell}",
                    answers.len()
                );
            }
            seen += 1;
        }
        assert!(
            used.iter().all(|used| *used),
            "{name}: {excepted:?} {used:?}"
        );
    }
    assert!(seen > 500_000, "{seen}");
}
