//! `cargo xtask header-differences`: decodes header values with mailglot and four other readers, and compares the texts.
//!
//! Values come from a grammar. Each difference belongs to a class: the kind of value, and how the other text differs. The table
//! `tests/readers/header_classes.tsv` has a judgement for each class. A class that is not in the table, or that has no judgement,
//! makes the command fail. So does a value that mailglot reads otherwise than the rule of its kind says.
//!
//! # Limits
//! Texts are compared with one space for each run of white space and controls, and without white space at their ends.

mod samples;
mod values;

use crate::tsv::rows;
use crate::{packages, run};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use values::{KINDS, Random, Value};

/// Where the judgements are.
const TABLE: &str = "tests/readers/header_classes.tsv";

/// A reader, and the script that runs it: values on standard input, each ended by NUL; on standard output a line of JSON for each.
const READERS: [(&str, &[&str]); 4] = [
    ("python", &["python3", "tests/readers/header.py"]),
    ("perl", &["perl", "tests/readers/header.pl"]),
    ("php-iconv", &["php", "tests/readers/header.php", "iconv"]),
    (
        "php-mbstring",
        &["php", "tests/readers/header.php", "mbstring"],
    ),
];

/// A line of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct JudgedClass {
    readers: Vec<String>,
    judgement: String,
    source: String,
    why: String,
    example: [String; 3],
}

/// Runs the comparison. `bless`: writes new classes into the table, without a judgement if no rule decides.
pub(crate) fn compare(
    count: usize,
    seed: u64,
    program: Option<PathBuf>,
    bless: bool,
) -> anyhow::Result<()> {
    packages::for_header_readers()?;
    let program = run::given_or_release(program)?;
    let mut random = Random::new(seed);
    let values: Vec<Value> = (0..count).map(|_| values::value(&mut random)).collect();
    let input: Vec<u8> = values
        .iter()
        .flat_map(|value| value.bytes.iter().copied().chain([0]))
        .collect();
    let ours = texts(
        Command::new(&program).args(["-q", "header", "decode", "-0"]),
        &input,
        b'\0',
    )?;
    let ours: Vec<String> = ours
        .iter()
        .map(|text| flat(&String::from_utf8_lossy(text)))
        .collect();
    check_length("mailglot", ours.len(), count)?;
    let wrong = wrong(&values, &ours);
    let found = differences(&values, &ours, &input)?;
    let path = run::root().join(TABLE);
    let mut table = read_table(&fs::read_to_string(&path).unwrap_or_default());
    let open = print_table(&found, &mut table, bless);
    if bless {
        fs::write(&path, write_table(&table))?;
    }
    println!(
        "\n{count} values, seed {seed}: {} classes, {} wrong",
        found.len(),
        wrong.lines().count()
    );
    if !wrong.is_empty() {
        bail!("mailglot breaks a rule:\n{wrong}");
    }
    if !open.is_empty() {
        bail!("not judged in {TABLE}:\n{open}");
    }
    Ok(())
}

/// Differences by class and reader: how many, and an example.
type Classes = BTreeMap<String, BTreeMap<&'static str, (usize, [String; 3])>>;

/// Compares our texts with those of each reader.
fn differences(values: &[Value], ours: &[String], input: &[u8]) -> anyhow::Result<Classes> {
    let count = values.len();
    let mut found: Classes = BTreeMap::new();
    for (reader, command) in READERS {
        let lines = texts(
            Command::new(command[0])
                .args(&command[1..])
                .current_dir(run::root()),
            input,
            b'\n',
        )?;
        check_length(reader, lines.len(), count)?;
        for ((value, ours), line) in values.iter().zip(ours).zip(&lines) {
            let theirs: Option<String> =
                serde_json::from_slice(line).with_context(|| format!("answer of {reader}"))?;
            let Some(difference) = difference(ours, theirs.as_deref()) else {
                continue;
            };
            let class = found
                .entry(format!("{}/{difference}", value.kind))
                .or_default();
            let example = || {
                [
                    value.bytes.escape_ascii().to_string(),
                    ours.clone(),
                    flat(&theirs.unwrap_or_default()),
                ]
            };
            class.entry(reader).or_insert_with(|| (0, example())).0 += 1;
        }
    }
    Ok(found)
}

/// Prints the classes with their judgements. Returns examples of those that the table does not judge.
fn print_table(found: &Classes, table: &mut BTreeMap<String, JudgedClass>, bless: bool) -> String {
    let mut open = String::new();
    println!(
        "| class | {} | judgement |",
        READERS.map(|(name, _)| name).join(" | ")
    );
    println!("|---|{}---|", "---:|".repeat(READERS.len()));
    for (class, readers) in found {
        let judged = table.entry(class.clone()).or_default();
        if bless {
            complete(class, readers, judged);
        }
        let counts =
            READERS.map(|(name, _)| readers.get(name).map_or(0, |(count, _)| *count).to_string());
        println!(
            "| {class} | {} | {} |",
            counts.join(" | "),
            judged.judgement
        );
        let missing = readers
            .keys()
            .filter(|name| !judged.readers.iter().any(|known| known == *name));
        let missing: Vec<&str> = missing.copied().collect();
        if !missing.is_empty() || !JUDGEMENTS.contains(&&*judged.judgement) {
            let reader = missing
                .first()
                .or(readers.keys().next())
                .copied()
                .unwrap_or_default();
            let Some((_, [value, ours, theirs])) = readers.get(reader) else {
                continue;
            };
            let _ = writeln!(
                open,
                "{class} ({}): {value}\n  ours   {ours}\n  theirs {theirs}",
                missing.join(", ")
            );
        }
    }
    open
}

/// What a judgement may be.
const JUDGEMENTS: [&str; 3] = ["ours right", "theirs right", "disputed"];

/// Completes a class of the table; the kind's own rule decides where there is one.
fn complete(class: &str, readers: &BTreeMap<&str, (usize, [String; 3])>, judged: &mut JudgedClass) {
    for (reader, (_, example)) in readers {
        if judged.example[0].is_empty() {
            judged.example.clone_from(example);
        }
        if !judged.readers.iter().any(|known| known == reader) {
            judged.readers.push((*reader).to_owned());
            judged.readers.sort();
        }
    }
    if judged.judgement.is_empty() {
        let kind = class.split('/').next().unwrap_or_default();
        let (_, source, _) = KINDS
            .iter()
            .find(|(name, ..)| *name == kind)
            .copied()
            .unwrap_or(KINDS[0]);
        "?".clone_into(&mut judged.judgement);
        source.clone_into(&mut judged.source);
    }
}

/// The values that mailglot reads otherwise than their rule says.
fn wrong(values: &[Value], ours: &[String]) -> String {
    let mut list = String::new();
    for (value, ours) in values.iter().zip(ours) {
        if let Some(text) = value.text.as_deref().map(flat).filter(|text| text != ours) {
            let _ = writeln!(
                list,
                "{}: {} is {ours:?}, not {text:?}",
                value.kind,
                value.bytes.escape_ascii()
            );
        }
    }
    list
}

/// How a text differs from ours; None if it is the same.
fn difference(ours: &str, theirs: Option<&str>) -> Option<&'static str> {
    let Some(theirs) = theirs.map(flat) else {
        return Some("fails");
    };
    let solid = |text: &str| text.replace(' ', "");
    Some(match () {
        () if theirs == ours => return None,
        () if solid(&theirs) == solid(ours) => "white-space",
        () if solid(&theirs.replace('_', "")) == solid(&ours.replace('_', "")) => "underscores",
        () if theirs.contains("=?") && !ours.contains("=?") => "not-decoded",
        () if !theirs.contains("=?") && ours.contains("=?") => "decoded",
        () if theirs.contains('\u{fffd}') && !ours.contains('\u{fffd}') => "replaced",
        () if theirs.len() < ours.len() && ours.starts_with(&*theirs) => "cut",
        () if theirs.contains('?') && !ours.contains('?') => "question-marks",
        () => "other",
    })
}

/// One space for each run of white space and controls, and none at the ends.
fn flat(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|piece| !piece.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn check_length(reader: &str, found: usize, wanted: usize) -> anyhow::Result<()> {
    if found != wanted {
        bail!("{reader} gave {found} texts for {wanted} values");
    }
    Ok(())
}

/// Runs a command and cuts its output at `end`.
fn texts(command: &mut Command, input: &[u8], end: u8) -> anyhow::Result<Vec<Vec<u8>>> {
    let output = run::output_for(command.stderr(Stdio::null()), input.to_vec())?;
    let mut list: Vec<Vec<u8>> = output
        .split(|byte| *byte == end)
        .map(<[u8]>::to_vec)
        .collect();
    // Nothing stands behind the last one.
    list.pop();
    Ok(list)
}

const HEAD: &str = "# Differences between mailglot and other readers of header values, by class (cargo xtask header-differences).\n\
    # class\treaders\tjudgement\tsource\twhy\tvalue\tours\ttheirs\n";

fn read_table(text: &str) -> BTreeMap<String, JudgedClass> {
    let class = |row: Vec<&str>| {
        let mut columns = row.into_iter().map(str::to_owned);
        let mut next = || columns.next().unwrap_or_default();
        let (class, readers) = (next(), next());
        let readers = readers
            .split(' ')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        let (judgement, source, why) = (next(), next(), next());
        (
            class,
            JudgedClass {
                readers,
                judgement,
                source,
                why,
                example: [next(), next(), next()],
            },
        )
    };
    rows(text).map(class).collect()
}

fn write_table(table: &BTreeMap<String, JudgedClass>) -> String {
    let mut out = HEAD.to_owned();
    for (class, judged) in table {
        let readers = judged.readers.join(" ");
        let (judgement, source, why) = (&judged.judgement, &judged.source, &judged.why);
        let example = judged.example.join("\t");
        let _ = writeln!(
            out,
            "{class}\t{readers}\t{judgement}\t{source}\t{why}\t{example}"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_names() {
        for (ours, theirs, want) in [
            ("a b", Some("a\r\n b "), None),
            ("a b", Some("ab"), Some("white-space")),
            ("a b", Some("a_b"), Some("underscores")),
            ("ü", Some("=?utf-8?Q?=C3=BC?="), Some("not-decoded")),
            ("=?x?Q?a?=", Some("a"), Some("decoded")),
            ("ü", Some("\u{fffd}"), Some("replaced")),
            ("abc", Some("a"), Some("cut")),
            ("ü", Some("?"), Some("question-marks")),
            ("ü", Some("Ã¼"), Some("other")),
            ("ü", None, Some("fails")),
        ] {
            assert_eq!(difference(ours, theirs), want, "{ours} {theirs:?}");
        }
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let row = JudgedClass {
            readers: vec!["perl".to_owned(), "python".to_owned()],
            judgement: "ours right".to_owned(),
            source: "RFC 2047 2".to_owned(),
            why: "x".to_owned(),
            example: ["a".to_owned(), "b".to_owned(), String::new()],
        };
        let table = BTreeMap::from([("plain/other".to_owned(), row)]);
        assert_eq!(read_table(&write_table(&table)), table);
    }

    #[test]
    fn the_same_seed_makes_the_same_values_of_all_kinds() {
        let values = |seed| {
            let mut random = Random::new(seed);
            (0..2_000)
                .map(|_| values::value(&mut random))
                .collect::<Vec<_>>()
        };
        let bytes = |seed| {
            values(seed)
                .into_iter()
                .map(|value| value.bytes)
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(7), bytes(7));
        assert_ne!(bytes(7), bytes(8));
        for (kind, ..) in KINDS {
            assert!(values(1).iter().any(|value| value.kind == kind), "{kind}");
        }
        assert!(values(1).iter().all(|value| !value.bytes.contains(&0)));
    }

    #[test]
    fn every_class_of_the_table_is_judged() -> anyhow::Result<()> {
        let table = read_table(&fs::read_to_string(run::root().join(TABLE))?);
        assert!(table.len() > 20);
        for (class, judged) in table {
            assert!(JUDGEMENTS.contains(&&*judged.judgement), "{class}");
            assert!(
                !judged.source.is_empty() && !judged.why.is_empty() && !judged.readers.is_empty(),
                "{class}"
            );
            let kind = class.split('/').next().unwrap_or_default();
            assert!(KINDS.iter().any(|(name, ..)| *name == kind), "{class}");
        }
        Ok(())
    }
}
