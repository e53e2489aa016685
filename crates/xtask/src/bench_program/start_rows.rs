//! Small inputs from start to exit: one header value, one message of 4 KB, a mailbox of 1 MB.
//!
//! # Limits
//!
//! Beside the header value, iconv converts a file of the same bytes: it shows what the start of a small program costs.

use super::inputs::{Inputs, Source};
use super::invocation::Invocation;
use super::race::{Race, Unit};
use super::row::{Check, Entrant, Form, Goal, Row};
use super::tools::{Field, Tools, add};
use crate::run::has;
use std::fs;
use std::path::Path;

/// Share of the text parts that must be alike.
const ALIKE: f64 = 0.9;

/// Header values: name of the row, and value.
const VALUES: [(&str, &str); 2] = [
    (
        "one ASCII header value",
        "Minutes of the meeting on Tuesday",
    ),
    ("one encoded header value", "=?shift_jis?B?k/qWe4zq?="),
];

/// Measures small inputs.
pub(super) fn small_inputs(race: &mut Race, tools: &Tools, inputs: &Inputs) -> anyhow::Result<()> {
    race.table("Start to exit", Unit::Time);
    for (name, value) in VALUES {
        if race.wants(name) {
            header_value(race, tools, inputs, (name, value))?;
        }
    }
    let (message, mailbox) = ("one message of 4 KB", "a mailbox of 1 MB");
    if race.wants(message) {
        let big = inputs.mailbox_of_size(Source::Clean, "list", "1M")?;
        let file = inputs.message(&big)?;
        let mut field = readers(tools, &file)?;
        let python = tools.python(&["text"], &file);
        let bytes = fs::metadata(&file)?.len();
        match python {
            Some(run) => field
                .0
                .push(Entrant::new("Python", run.clone(), bytes).shown_by(run, Form::Nul)),
            None => field.1.push("Python: not installed".to_owned()),
        }
        race.row(text_row(tools, message, &file, field)?)?;
    }
    if race.wants(mailbox) {
        let file = inputs.mailbox_of_size(Source::Clean, "list", "1M")?;
        race.row(text_row(tools, mailbox, &file, readers(tools, &file)?)?)?;
    }
    Ok(())
}

fn header_value(
    race: &mut Race,
    tools: &Tools,
    inputs: &Inputs,
    (name, value): (&str, &str),
) -> anyhow::Result<()> {
    let file = inputs.small("value", format!("{value}\0").as_bytes())?;
    let mut field = (Vec::new(), Vec::new());
    let iconv = has("iconv").then(|| {
        Invocation::new("iconv")
            .args(["-f", "shift_jis", "-t", "utf-8"])
            .arg(&file)
    });
    add(&mut field, "iconv", iconv, 1);
    for rival in ["encodify", "mail-parser"] {
        let run = tools.rival(&["header", rival], &file);
        add(&mut field, rival, Some(run), 1);
    }
    add(&mut field, "Python", tools.python(&["header"], &file), 1);
    race.row(Row {
        name: name.to_owned(),
        ours: Entrant::new("mailglot", tools.mailglot(&["header", "decode", value]), 1),
        rivals: field.0,
        absent: field.1,
        check: Check::Nothing,
        goal: Some(Goal {
            ratio: 2.0,
            against: &["iconv"],
        }),
    })
}

fn readers(tools: &Tools, file: &Path) -> anyhow::Result<Field> {
    let mut field = (Vec::new(), Vec::new());
    let bytes = fs::metadata(file)?.len();
    let run = tools.rival(&["json"], file);
    add(&mut field, "mail-parser", Some(run), bytes);
    Ok(field)
}

fn text_row(tools: &Tools, name: &str, file: &Path, field: Field) -> anyhow::Result<Row> {
    let bytes = fs::metadata(file)?.len();
    let ours = tools
        .mailglot(&["text", "--json", "--threads", "1"])
        .arg(file);
    Ok(Row {
        name: name.to_owned(),
        ours: Entrant::new("mailglot", ours, bytes),
        rivals: field.0,
        absent: field.1,
        check: Check::Texts(ALIKE),
        goal: None,
    })
}
