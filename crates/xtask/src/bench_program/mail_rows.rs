//! `text --json`, `normalize` and `count` over mailboxes.
//!
//! # Limits
//!
//! mail-parser writes its JSON with `serde_json`. Beside `normalize`, which also writes, hashes and keeps a ledger, the rivals only
//! decode. On flawed mail they read some parts wrong, which a note counts; they are left out below the share that must be alike.

use super::inputs::{Inputs, Source};
use super::invocation::Invocation;
use super::race::{Race, Unit};
use super::row::{Check, Entrant, Form, Goal, Row};
use super::tools::Tools;
use crate::workshop::PROFILES;
use std::fs;
use std::path::Path;

/// Share of the text parts that a rival must read alike: flawed mail has 15 % that most of them misread.
const FLAWED_ALIKE: f64 = 0.7;
/// The same for mail without flaws.
const CLEAN_ALIKE: f64 = 0.9;
/// How many times as fast two threads must be.
const TWO_THREADS: f64 = 1.8;

/// Goals for a profile: `text --json` on flawed mail, and `normalize`.
fn goals(profile: &str) -> (f64, f64) {
    if profile == "list" {
        (1.5, 0.6)
    } else {
        (1.2, 0.5)
    }
}

/// Measures mailboxes of all sources.
pub(super) fn mailboxes(race: &mut Race, tools: &Tools, inputs: &Inputs) -> anyhow::Result<()> {
    race.table("Mailboxes", Unit::Speed);
    for source in [Source::Flawed, Source::Clean, Source::Shared] {
        for profile in PROFILES {
            one_mailbox(race, tools, inputs, (source, profile))?;
        }
    }
    Ok(())
}

fn one_mailbox(
    race: &mut Race,
    tools: &Tools,
    inputs: &Inputs,
    (source, profile): (Source, &str),
) -> anyhow::Result<()> {
    let name = |work: &str| format!("{work}, {profile}{}", source.suffix());
    let names = [
        "text --json",
        "normalize",
        "normalize, two threads",
        "count",
    ]
    .map(name);
    let all = if source == Source::Clean {
        1
    } else {
        names.len()
    };
    if !names[..all].iter().any(|name| race.wants(name)) {
        return Ok(());
    }
    let Some(mailbox) = inputs.mailbox(source, profile)? else {
        race.notes
            .push("gen_mbox.py: MAILGLOT_SHARED is not set".to_owned());
        return Ok(());
    };
    let bytes = fs::metadata(&mailbox)?.len();
    let (text_goal, normalize_goal) = goals(profile);
    let (text_goal, alike) = match source {
        Source::Clean => (2.0, CLEAN_ALIKE),
        Source::Flawed | Source::Shared => (text_goal, FLAWED_ALIKE),
    };
    let [text, normalize, two_threads, count] = names;
    if race.wants(&text) {
        let mut row = reading(tools, text, &mailbox, bytes);
        row.check = Check::Texts(alike);
        row.goal = Some(Goal {
            ratio: text_goal,
            against: &[],
        });
        race.row(row)?;
    }
    if source == Source::Clean {
        return Ok(());
    }
    let out = inputs.folder.join("out.mbox");
    let rewrite = |threads: &str| {
        tools
            .mailglot(&["normalize", "--threads", threads, "-o"])
            .arg(&out)
            .arg(&mailbox)
            .writes(&out)
            .writes(&out.with_extension("mbox.ledger"))
    };
    if race.wants(&normalize) {
        let (rivals, absent) = tools.decoders(&mailbox, bytes);
        race.row(Row {
            name: normalize,
            ours: Entrant::new("mailglot", rewrite("1"), bytes)
                .shown_by(text_json(tools, &mailbox), Form::Json),
            rivals,
            absent,
            check: Check::Texts(alike),
            goal: Some(Goal {
                ratio: normalize_goal,
                against: &["mail-parser"],
            }),
        })?;
    }
    if race.wants(&two_threads) {
        race.scaling(
            &two_threads,
            bytes,
            [&rewrite("1"), &rewrite("2")],
            TWO_THREADS,
        )?;
    }
    if race.wants(&count) {
        race.row(counting(tools, count, &mailbox, bytes))?;
    }
    Ok(())
}

fn text_json(tools: &Tools, mailbox: &Path) -> Invocation {
    tools
        .mailglot(&["text", "--json", "--threads", "1"])
        .arg(mailbox)
}

/// `text --json` beside mail-parser, as yet without a goal.
fn reading(tools: &Tools, name: String, mailbox: &Path, bytes: u64) -> Row {
    let rival = tools.rival(&["json"], mailbox);
    Row {
        name,
        ours: Entrant::new("mailglot", text_json(tools, mailbox), bytes),
        rivals: vec![Entrant::new("mail-parser", rival, bytes)],
        absent: Vec::new(),
        check: Check::Texts(CLEAN_ALIKE),
        goal: None,
    }
}

fn counting(tools: &Tools, name: String, mailbox: &Path, bytes: u64) -> Row {
    Row {
        name,
        ours: Entrant::new("mailglot", tools.mailglot(&["count"]).arg(mailbox), bytes),
        rivals: vec![Entrant::new(
            "mail-parser",
            tools.rival(&["split"], mailbox),
            bytes,
        )],
        absent: Vec::new(),
        check: Check::FirstNumber,
        goal: None,
    }
}
