//! Tests with separator lines: sender and time stay, and what another text replaces is reported.

use crate::{job, round_trip, run};
use mailglot_archive::Format;
use mailglot_mime::Policy;
use mailglot_pipeline::{ListOptions, NormalizeJob, Progress, Selection, list};
use std::fs;
use std::path::Path;

/// Old lines, the lines of the output, and whether an event tells about the difference.
const LINES: [(&str, &str, bool); 11] = [
    (
        "a@b.c Wed Feb 14 09:49:48 2001",
        "a@b.c Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "- Wed Feb 14 09:49:48 2001",
        "- Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "root Wed Feb 14 09:49:48 2001",
        "root Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "nobody Wed Feb  7 09:49:48 2001",
        "nobody Wed Feb  7 09:49:48 2001",
        false,
    ),
    (
        "a@b.c Wed Feb 14 09:49:48 2001 -0000",
        "a@b.c Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "root Wed Feb 14 09:49:48 2001 -0000",
        "root Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "1234@xxx Wed Feb 14 09:49:48 +0000 2001",
        "1234@xxx Wed Feb 14 09:49:48 2001",
        false,
    ),
    (
        "root Wed Feb 14 09:49:48 2001 +0100",
        "root Wed Feb 14 08:49:48 2001",
        true,
    ),
    (
        "a@b.c Wed Feb 14 09:49:48 MET 2001",
        "a@b.c Wed Feb 14 08:49:48 2001",
        true,
    ),
    (
        "joe Wed Feb 14 09:49:48 2001 remote from uunet",
        "uunet!joe Wed Feb 14 09:49:48 2001",
        true,
    ),
    (
        "z at y.x  Wed Feb 14 09:49:48 2001",
        "z@y.x Wed Feb 14 09:49:48 2001",
        true,
    ),
];

/// The header after each separator: with a date, without one, and no header at all.
const STARTS: [&str; 3] = [
    "From: author@b.c\nDate: Tue, 13 Feb 2001 10:00:00 +0000\n\n",
    "From: author@b.c\n\n",
    "",
];

fn mailbox(lines: impl Iterator<Item = &'static str>, start: &str, ends: &str) -> String {
    let messages = lines.map(|line| format!("From {line}\n{start}text\n\n"));
    messages.collect::<String>().replace('\n', ends)
}

/// Returns the times of the messages, in seconds since 1970.
fn times(path: &Path) -> Vec<Option<i64>> {
    let options = ListOptions {
        opening: false.into(),
        selection: Selection::default(),
        policy: Policy::default(),
        threads: 1,
    };
    let mut times = Vec::new();
    list(
        &[path.to_owned()],
        &options,
        &Progress::default(),
        &mut |message| {
            times.push(message.date.map(|date| date.timestamp()));
            Ok(())
        },
    )
    .unwrap();
    times
}

#[test]
fn separators_keep_sender_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("box.mbox"), folder.path().join("out"));
    for start in STARTS {
        // Before text without a header, only a line of the usual form is a separator.
        let is_known = |line: &&(&str, &str, bool)| !start.is_empty() || line.0 == line.1;
        let lines: Vec<_> = LINES.iter().filter(is_known).collect();
        for ends in ["\n", "\r\n"] {
            let old = mailbox(lines.iter().map(|line| line.0), start, ends);
            let new = mailbox(lines.iter().map(|line| line.1), start, ends);
            fs::write(&path, old).unwrap();
            let before = times(&path);
            assert!(before.len() == lines.len() && before.iter().all(Option::is_some));
            let summary = round_trip(&path, None);
            let reported = lines.iter().filter(|line| line.2).count() as u64;
            let events = summary.events.get("mbox.separator-replaced");
            assert_eq!(events.copied().unwrap_or(0), reported);
            assert_eq!(summary.changed, 0);
            run(&NormalizeJob {
                force: true,
                ..job(std::slice::from_ref(&path), &out)
            });
            assert_eq!(fs::read_to_string(&out).unwrap(), new);
            assert_eq!(times(&out), before);
            // A Maildir has no separators.
            let summary = round_trip(&path, Some(Format::Maildir));
            assert_eq!(summary.events.get("mbox.separator-replaced"), None);
        }
    }
}

/// A mark changes nothing else in a line.
#[test]
fn marked_separators_keep_sender_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("box.mbox"), folder.path().join("out"));
    let open = "From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n\n";
    let text = |mark: &str| {
        let first = format!("From root Wed Feb 14 09:49:48 2001{mark}\n{open}");
        let second = format!("From - Wed Feb 14 09:49:48 2001{mark}\n{open}");
        [first, second.replace("=b", "=c").replace("--b", "--c")].concat()
    };
    for mark in ["", " -0000"] {
        fs::write(&path, text(mark)).unwrap();
        let summary = round_trip(&path, None);
        assert_eq!((summary.messages_in, summary.changed), (2, 0));
        assert_eq!(summary.events.get("mbox.separator-replaced"), None);
        run(&NormalizeJob {
            force: true,
            ..job(std::slice::from_ref(&path), &out)
        });
        assert_eq!(fs::read_to_string(&out).unwrap(), text(" -0000"));
    }
}
