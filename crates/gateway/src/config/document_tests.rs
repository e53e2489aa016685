//! Compares docs/configuration.md and the sample file with the parser.

#![allow(clippy::unwrap_used)]
use super::Config;
use super::file::{File, LimitsTable, Listen, PolicyTable, ReportTable};
use super::toml_error::keys;

/// The parts of a file around a key of each section: text before the key, and text behind its line.
const AROUND: [(&str, &str, &str); 5] = [
    ("Top of the file", "", MILTER),
    ("`[[listen]]`", MILTER, ""),
    (
        "`[policy.NAME]`",
        concat!(
            "[[listen]]\nroute = \"milter\"\naddress = \"unix:/run/a.sock\"\npolicy = \"own\"\n",
            "[policy.own]\n"
        ),
        "",
    ),
    (
        "`[limits]`",
        concat!(
            "[[listen]]\nroute = \"milter\"\naddress = \"unix:/run/a.sock\"\n",
            "[limits]\n"
        ),
        "",
    ),
    (
        "`[report]`",
        concat!(
            "[[listen]]\nroute = \"milter\"\naddress = \"unix:/run/a.sock\"\n",
            "[report]\n"
        ),
        "",
    ),
];
const MILTER: &str = "[[listen]]\nroute = \"milter\"\naddress = \"unix:/run/a.sock\"\n";

/// The rows of a section: key, values and default.
fn rows<'p>(page: &'p str, section: &str) -> Vec<[&'p str; 3]> {
    let text = page.split(&format!("\n## {section}\n")).nth(1).unwrap();
    let text = text.split("\n## ").next().unwrap();
    let cells = |row: &'p str| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        [cells[0].trim_matches('`'), cells[1], cells[2]]
    };
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(cells).collect()
}

/// The values of a cell that stand in it as TOML.
fn literals(cell: &str) -> impl Iterator<Item = &str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|word| toml::from_str::<toml::Table>(&format!("a = {word}")).is_ok())
}

#[test]
fn the_page_and_the_sample_have_each_key() {
    let (Some(page), Some(sample)) = (
        crate::repository_file::read("docs/configuration.md"),
        crate::repository_file::read("packaging/mailglot.toml"),
    ) else {
        return;
    };
    let all = [
        keys::<File>(),
        keys::<Listen>(),
        keys::<PolicyTable>(),
        keys::<LimitsTable>(),
        keys::<ReportTable>(),
    ];
    for ((section, ..), keys) in AROUND.iter().zip(all) {
        let listed: Vec<&str> = rows(&page, section).iter().map(|row| row[0]).collect();
        assert_eq!(listed, keys, "{section}");
        for key in keys {
            let names = [
                format!("{key} = "),
                format!("[{key}]"),
                format!("[[{key}]]"),
                format!("[{key}."),
            ];
            let is_named = |line: &str| {
                let line = line.trim_start_matches(['#', ' ']);
                names.iter().any(|name| line.starts_with(name.as_str()))
            };
            assert!(sample.lines().any(is_named), "the sample lacks {key}");
        }
    }
}

/// Writing a documented default does not change the configuration. The parser accepts each documented value, and rejects others.
#[test]
fn the_page_has_the_values_and_defaults_of_the_parser() {
    let Some(page) = crate::repository_file::read("docs/configuration.md") else {
        return;
    };
    let (mut defaults, mut lists) = (0, 0);
    for (section, before, behind) in AROUND {
        let without = format!("{:?}", Config::parse(&format!("{before}{behind}")).unwrap());
        for [key, values, default] in rows(&page, section) {
            let parsed = |value: &str| {
                let text = format!("{before}{key} = {value}\n{behind}");
                Config::parse(&text).map(|config| format!("{config:?}"))
            };
            let mut words = literals(default);
            if let (Some(word), None) = (words.next(), words.next())
                && default == format!("`{word}`")
            {
                assert_eq!(parsed(word).as_ref(), Ok(&without), "{key}");
                defaults += 1;
            }
            let words: Vec<&str> = literals(values).collect();
            let said = |value: &str| match parsed(value) {
                Ok(_) => String::new(),
                Err(error) => error.to_string(),
            };
            let unknown = said("\"?\"");
            if let Some((_, known)) = unknown.split_once("unknown variant `?`, expected") {
                let known: Vec<String> = known
                    .split('`')
                    .skip(1)
                    .step_by(2)
                    .map(|name| format!("\"{name}\""))
                    .filter(|name| name != "\"text\"")
                    .collect();
                assert_eq!(words, known, "{key}");
                lists += 1;
            }
            for word in words {
                let said = said(word);
                let is_known = !said.contains("unknown variant") && !said.contains("invalid type");
                assert!(is_known, "{key} = {word}: {said}");
            }
        }
    }
    assert!(defaults > 30 && lists > 8, "{defaults} {lists}");
}
