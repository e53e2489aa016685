//! `convert` to UTF-8 and from UTF-8, and `header decode -0`.
//!
//! # Limits
//!
//! Texts have only characters that encoding_rs, mail-parser, encodify, iconv and ICU map alike. A rival is left out if it lacks a
//! conversion. The crate encoding_rs does not have UTF-7 and does not encode UTF-16. The crate mail-parser does not encode. The crate
//! encodify has UTF-7 alone. Python decodes only the first of the header values, which it reads slowly.

use super::inputs::Inputs;
use super::race::{Race, Unit};
use super::row::{Check, Entrant, Goal, Row};
use super::tools::{Tools, add};
use std::fs;

/// Header values that Python decodes.
const FEW_VALUES: usize = 5_000;
/// Share of the header values that a rival must decode alike.
const VALUES_ALIKE: f64 = 0.95;

/// Charset, language, and how many times the speed of the best rival decoding must have.
const CHARSETS: [(&str, &str, Option<f64>); 13] = [
    ("shift_jis", "Japanese", Some(2.0)),
    ("euc-jp", "Japanese", Some(2.0)),
    ("iso-2022-jp", "Japanese", Some(2.0)),
    ("gbk", "Chinese", Some(2.0)),
    ("big5", "Chinese", None),
    ("euc-kr", "Korean", Some(2.0)),
    ("utf-16le", "Japanese", Some(2.5)),
    ("utf-7", "Japanese", Some(3.0)),
    ("utf-7", "mostly-ASCII", Some(1.5)),
    ("windows-1252", "French", Some(1.5)),
    ("koi8-r", "Russian", Some(1.5)),
    ("utf-8", "Japanese", Some(0.9)),
    ("utf-8", "English", Some(0.9)),
];

/// Measures charsets.
pub(super) fn charsets(race: &mut Race, tools: &Tools, inputs: &Inputs) -> anyhow::Result<()> {
    race.table("`convert` to UTF-8", Unit::Speed);
    for (label, language, goal) in CHARSETS {
        let name = format!("convert {label}, {language}");
        if !race.wants(&name) {
            continue;
        }
        let (file, utf8) = inputs.text(label, language)?;
        let bytes = fs::metadata(&file)?.len();
        let ours = tools.mailglot(&["convert", "-f", label]).arg(&file);
        let (rivals, absent) = tools.converters(label, "utf-8", &file, bytes);
        race.row(Row {
            name,
            ours: Entrant::new("mailglot", ours, bytes),
            rivals,
            absent,
            check: Check::Bytes,
            goal: goal.map(|ratio| Goal {
                ratio,
                against: &[],
            }),
        })?;
        fs::remove_file(file)?;
        fs::remove_file(utf8)?;
    }
    race.table("`convert` from UTF-8", Unit::Speed);
    for (label, language, _) in CHARSETS.into_iter().filter(|charset| charset.0 != "utf-8") {
        let name = format!("convert -t {label}, {language}");
        if race.wants(&name) {
            encoding(race, tools, inputs, (name, label, language))?;
        }
    }
    Ok(())
}

fn encoding(
    race: &mut Race,
    tools: &Tools,
    inputs: &Inputs,
    (name, label, language): (String, &str, &str),
) -> anyhow::Result<()> {
    let (file, utf8) = inputs.text(label, language)?;
    let bytes = fs::metadata(&utf8)?.len();
    let ours = tools
        .mailglot(&["convert", "-f", "utf-8", "-t", label])
        .arg(&utf8);
    let (rivals, absent) = tools.converters("utf-8", label, &utf8, bytes);
    let encoded = inputs.folder.join("encoded");
    race.row(Row {
        name,
        ours: Entrant::new("mailglot", ours, bytes),
        rivals,
        absent,
        // The same text has several forms in UTF-7 and ISO-2022-JP.
        check: Check::Decoded {
            decode: tools.mailglot(&["convert", "-f", label]).arg(&encoded),
            file: encoded,
            text: utf8.clone(),
        },
        goal: Some(Goal {
            ratio: 1.0,
            against: &["encoding_rs", "iconv"],
        }),
    })?;
    fs::remove_file(file)?;
    fs::remove_file(utf8)?;
    Ok(())
}

/// Measures header values, with labels checked against the text and without.
pub(super) fn header_values(race: &mut Race, tools: &Tools, inputs: &Inputs) -> anyhow::Result<()> {
    race.table("`header decode -0`, 100,000 values", Unit::Speed);
    for (name, detect, ratio) in [
        ("header decode -0", "contradiction", 1.3),
        ("header decode -0 --detect off", "off", 2.0),
    ] {
        if !race.wants(name) {
            continue;
        }
        let (all, few) = inputs.values(FEW_VALUES)?;
        let bytes = fs::metadata(&all)?.len();
        let ours = ["header", "decode", "-0", "--detect", detect];
        let mut field = (Vec::new(), Vec::new());
        for rival in ["encodify", "mail-parser"] {
            let run = tools.rival(&["header", rival], &all);
            add(&mut field, rival, Some(run), bytes);
        }
        let python = tools.python(&["header"], &few);
        add(&mut field, "Python", python, fs::metadata(&few)?.len());
        race.row(Row {
            name: name.to_owned(),
            ours: Entrant::new("mailglot", tools.mailglot(&ours).stdin(&all), bytes),
            rivals: field.0,
            absent: field.1,
            check: Check::Values(VALUES_ALIKE),
            goal: Some(Goal {
                ratio,
                against: &["encodify"],
            }),
        })?;
    }
    Ok(())
}
