#![allow(clippy::unwrap_used)]
//! The tables of `docs/outcomes.md`, beside what the three front ends make of outcomes.

use super::*;
use crate::envelope::Envelope;
use crate::milter::{Actions, Granted, Verdict};
use std::collections::BTreeSet;

/// The rows of the table under a heading, without its own two lines. `None` where there is no repository.
fn rows(heading: &str) -> Option<Vec<Vec<String>>> {
    let page = crate::repository_file::read("docs/outcomes.md")?;
    let section = page
        .split("\n## ")
        .find(|section| section.starts_with(heading))
        .unwrap();
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let rows = lines
        .map(|line| {
            line.trim_matches('|')
                .split(" | ")
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect();
    Some(rows)
}

/// What a front end can do that can do everything, in a message with as many forged fields.
fn everything(forged_fields: u32) -> Abilities {
    Abilities {
        edits: Extent::All,
        rewrites: forged_fields > 0,
        fields: true,
        no_quarantine: None,
        forged_fields,
        too_many_forged_fields: false,
        line_ends_corrected: false,
    }
}

/// A proxy and the stdin filter have no place to hold a message.
fn without_quarantine() -> Abilities {
    Abilities {
        no_quarantine: Some(Remark::NoQuarantine),
        ..everything(0)
    }
}

/// What the milter says.
fn milter(outcome: &Outcome<'_>) -> String {
    let mut actions = Actions::default();
    let verdict = crate::filter::translate(outcome, Granted::default(), &mut actions);
    let held = actions
        .quarantine
        .map(|reasons| String::from_utf8_lossy(reasons.as_bytes()).into_owned());
    let said = match verdict {
        Verdict::Continue => "continue".to_owned(),
        Verdict::Tempfail => "tempfail".to_owned(),
        Verdict::Reply(text) => text.as_str().to_owned(),
        other => format!("{other:?}"),
    };
    match held {
        Some(reasons) => format!("`quarantine` with `{reasons}`, `{said}`"),
        None => format!("`{said}`"),
    }
}

/// What the proxy says.
fn proxy(outcome: &Outcome<'_>) -> String {
    let reply = crate::proxy::reply(outcome);
    reply.map_or_else(String::new, |reply| {
        format!("`{} {}`", reply.code, reply.enhanced_text())
    })
}

/// What the stdin filter says.
fn filter(outcome: &Outcome<'_>, words: &str) -> String {
    match crate::pipe::translate(outcome, words) {
        Some(stopped) => {
            format!(
                "exit code {}, `{}`",
                if stopped.temporary { 75 } else { 65 },
                stopped.text
            )
        }
        None => String::new(),
    }
}

#[test]
fn every_action_has_its_documented_words() {
    let message = b"Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\nx\r\n";
    let Some(table) = rows("Outcomes") else {
        return;
    };
    assert_eq!(table.len(), 4);
    for row in &table {
        for name in row[0].split(", ").map(|name| name.trim_matches('`')) {
            let action = Action::named(name).unwrap();
            let mut rules = Rules::default();
            rules.set(Finding::DuplicateHeader, action);
            let judgement = judge::judge(message, &Envelope::default(), &rules);
            let held = Outcome::judged(&judgement, &rules, &everything(0));
            let refused = Outcome::judged(&judgement, &rules, &without_quarantine());
            assert_eq!(judgement.action, action);
            if action <= Action::Normalize {
                assert_eq!(
                    (milter(&held).as_str(), row[1].as_str()),
                    ("`continue`", "the edits, `continue`")
                );
                assert_eq!(
                    (proxy(&refused).as_str(), row[2].as_str()),
                    ("", "the reply of the next hop")
                );
                assert_eq!(
                    (filter(&refused, "").as_str(), row[3].as_str()),
                    ("", "exit code 0 and the message")
                );
                continue;
            }
            let words = format!("message refused: {}", judgement.reasons(&rules, action));
            let said = [milter(&held), proxy(&refused), filter(&refused, &words)];
            assert_eq!(said, row[1..], "{name}");
            if action == Action::Quarantine {
                assert_eq!(milter(&refused), "`tempfail`");
            }
        }
    }
}

#[test]
fn what_is_not_read_has_its_documented_words() {
    let Some(table) = rows("Messages that are not read") else {
        return;
    };
    assert_eq!(table.len(), 3);
    for row in &table {
        let action = Action::named(row[0].trim_matches('`')).unwrap();
        let mut engine = Engine::default();
        engine.rules.set(Finding::TooLarge, action);
        let mut findings = Findings::default();
        findings.add(Finding::TooLarge, String::new);
        let outcome = |abilities: &Abilities| {
            Outcome::unread(&engine, Finding::TooLarge, &findings, abilities)
        };
        let said = [
            milter(&outcome(&everything(0))),
            proxy(&outcome(&without_quarantine())),
        ];
        assert_eq!(said, row[1..], "{action:?}");
        // In a dry run each of them passes, unless the limits defer it, and the report says what would be done.
        engine.rules.monitor = true;
        for defers in [false, true] {
            engine.defer_too_large = defers;
            let outcome = Outcome::unread(&engine, Finding::TooLarge, &findings, &everything(0));
            assert_eq!(
                milter(&outcome),
                if defers { "`tempfail`" } else { "`continue`" }
            );
            let limit = if defers {
                Action::Tempfail
            } else {
                Action::Pass
            };
            assert_eq!(outcome.wanted, action.max(limit), "{action:?} {defers}");
        }
    }
}

#[test]
fn every_cause_has_its_documented_reply() {
    use Cause::{
        BareLine, BeyondAnnounced, EightBit, HeaderTooLarge, Loop, Nul, SevenBitSize,
        TooManyForgedFields,
    };
    // In the order of the table.
    let causes = [
        BareLine,
        BeyondAnnounced,
        EightBit,
        HeaderTooLarge,
        Loop,
        Nul,
        SevenBitSize,
        TooManyForgedFields,
    ];
    let Some(table) = rows("Messages that SMTP") else {
        return;
    };
    assert_eq!(table.len(), causes.len());
    for (cause, row) in causes.into_iter().zip(&table) {
        let outcome = Outcome::rejected(cause);
        assert_eq!(
            [milter(&outcome), proxy(&outcome)],
            [row[1].clone(), row[1].clone()],
            "{cause:?}"
        );
        assert!(filter(&outcome, "").starts_with("exit code 65, "));
        let mut record = Record::new(Envelope::default(), "", 1);
        let reply = cause.reject(&mut record);
        assert_eq!(
            format!("`{} {}`", reply.code, reply.enhanced_text()),
            row[1]
        );
        assert_eq!(record.action, Action::Reject);
    }
}

/// Every fault has one row, in the order of its name. If a fault defers a message, each front end says what stands in its row. A message that
/// passes in spite of a fault passes on each front end.
#[test]
fn every_fault_has_its_documented_words() {
    let Some(table) = rows("Faults") else { return };
    let named: Vec<&str> = table.iter().map(|row| row[0].trim_matches('`')).collect();
    assert!(named.is_sorted_by(|one, next| one < next), "{named:?}");
    let faults = crate::fault::tests::all();
    let kinds: BTreeSet<&str> = faults.iter().map(|(fault, _)| fault.kind()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), named);
    for (fault, _) in &faults {
        let row = table
            .iter()
            .find(|row| row[0].trim_matches('`') == fault.kind())
            .unwrap();
        let outcome = Outcome::failed(fault, None);
        if row[2].contains("tempfail") {
            assert_eq!(milter(&outcome), row[2], "{fault}");
        }
        if row[3].contains("Try again later") || row[3].contains("No room") {
            assert!(row[3].starts_with(&proxy(&outcome)), "{fault}: {row:?}");
        }
        if row[4] != "–" {
            assert_eq!(row[4], "exit code 75, `4.3.0` and the cause");
            assert_eq!(
                filter(&outcome, "why"),
                "exit code 75, `4.3.0 why`",
                "{fault}"
            );
        }
        let passes = Outcome::failed(fault, Some(&everything(2)));
        assert_eq!(
            (
                milter(&passes).as_str(),
                proxy(&passes).as_str(),
                filter(&passes, "").as_str()
            ),
            ("`continue`", "", "")
        );
        let mut record = Record::new(Envelope::default(), "", 1);
        passes.record(&mut record);
        assert_eq!(
            (record.remark, record.failed_open, record.forged_fields),
            (Some(Remark::Fault(fault.kind())), true, 2)
        );
        // Forged fields are gone, which is a change.
        assert_eq!(record.action, Action::Normalize);
        fault.defer(&mut record);
        assert_eq!(
            (record.remark, record.failed_open, record.forged_fields),
            (Some(Remark::Fault(fault.kind())), false, 0)
        );
        assert_eq!((record.action, record.bytes_out), (Action::Tempfail, 0));
    }
}
