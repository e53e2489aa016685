//! Computes the exit code of a command that continues after failures, and of `--fail-on`.

use crate::args::FailOn;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_archive::BoxEventKind;
use mailglot_mime::EventKind;
use mailglot_pipeline::Summary;

/// Returns how a job with this summary ends.
pub(super) fn judged(summary: &Summary, fail_on: Option<FailOn>) -> Exit {
    let found = match fail_on {
        None => false,
        Some(FailOn::Loss) => summary.losses > 0,
        Some(FailOn::Guess) => summary.guessed + summary.overruled > 0,
        Some(FailOn::Repair) => summary.repairs + summary.losses + undone(summary) > 0,
        Some(FailOn::Any) => !summary.events.is_empty() || summary.changed > 0,
    };
    let aside = if summary.set_aside > 0 {
        Exit::Unread
    } else {
        Exit::Done
    };
    aside.max(if found { Exit::Losses } else { Exit::Done })
}

/// Counts events about messages and parts that could not be changed although they should be, or that lost something.
fn undone(summary: &Summary) -> u64 {
    let codes = [
        EventKind::MimeUnsettled.code(),
        BoxEventKind::Packed.code(),
        BoxEventKind::MemberSkipped.code(),
        "msg.flags",
    ];
    codes
        .iter()
        .filter_map(|code| summary.events.get(*code))
        .sum()
}

/// Prints a failure that does not end the work, and raises `worst` to its exit code.
pub(super) fn note(failure: &Failure, worst: &mut Exit, console: Console) {
    console.error(&failure.message);
    *worst = (*worst).max(failure.exit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_judged() {
        let clean = Summary::default();
        let repaired = Summary {
            repairs: 1,
            events: [("cte.wrong-label".into(), 1)].into(),
            ..Summary::default()
        };
        let lost = Summary {
            losses: 1,
            set_aside: 1,
            events: [("msg.set-aside".into(), 1)].into(),
            ..Summary::default()
        };
        let lossy = Summary {
            set_aside: 0,
            ..lost.clone()
        };
        let noted = Summary {
            events: [("charset.alias".into(), 1)].into(),
            ..Summary::default()
        };
        let unsettled = Summary {
            events: [("mime.unsettled".into(), 1)].into(),
            ..Summary::default()
        };
        let guessed = Summary {
            guessed: 1,
            ..Summary::default()
        };
        let overruled = Summary {
            overruled: 1,
            ..Summary::default()
        };
        let changed = Summary {
            changed: 1,
            ..Summary::default()
        };
        for (summary, fail_on, exit) in [
            (&lossy, Some(FailOn::Loss), Exit::Losses),
            (&clean, Some(FailOn::Any), Exit::Done),
            (&repaired, None, Exit::Done),
            (&repaired, Some(FailOn::Loss), Exit::Done),
            (&repaired, Some(FailOn::Repair), Exit::Losses),
            (&lost, None, Exit::Unread),
            (&lost, Some(FailOn::Loss), Exit::Unread),
            (&lost, Some(FailOn::Repair), Exit::Unread),
            (&noted, Some(FailOn::Repair), Exit::Done),
            (&noted, Some(FailOn::Any), Exit::Losses),
            (&changed, Some(FailOn::Any), Exit::Losses),
            (&clean, Some(FailOn::Guess), Exit::Done),
            (&repaired, Some(FailOn::Guess), Exit::Done),
            (&guessed, Some(FailOn::Guess), Exit::Losses),
            (&overruled, Some(FailOn::Guess), Exit::Losses),
            (&guessed, Some(FailOn::Loss), Exit::Done),
            (&unsettled, Some(FailOn::Loss), Exit::Done),
            (&unsettled, Some(FailOn::Repair), Exit::Losses),
        ] {
            assert_eq!(judged(summary, fail_on), exit, "{fail_on:?}");
        }
    }
}
