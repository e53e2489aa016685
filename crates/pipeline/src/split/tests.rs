//! Tests of labels, copies, rules and folders of a split.

use super::job::{SplitBy, SplitJob};
use super::outputs::Outputs;
use super::read_back::check;
use super::split;
use super::split_batch::{Convention, OpenEnd, SplitBatch, SplitPiece, digest};
use crate::discover::Opening;
use crate::error::Error;
use crate::progress::Progress;
use crate::run::ResultSink;
use crate::selection::Selection;
use mailglot_archive::{Flags, Format, LineDecision, MailboxOptions, MboxRule, WriteOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const SEPARATOR: &str = "From a@b Mon Jan  1 00:00:00 2001\n";

fn job(input: &Path, output: &Path, by: SplitBy) -> SplitJob {
    SplitJob {
        inputs: vec![input.to_owned()],
        output: output.to_owned(),
        by,
        to: Format::Mbox,
        copies: false,
        opening: Opening::from(false),
        selection: Selection::default(),
        threads: 1,
    }
}

/// Splits a mailbox. Returns the names and texts of the outputs.
fn parts(mailbox: &str, change: impl FnOnce(&mut SplitJob)) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.mbox"), folder.path().join("out"));
    fs::write(&input, mailbox).unwrap();
    let mut job = job(&input, &output, SplitBy::Size(1));
    change(&mut job);
    let done = split(&job, &Progress::default()).unwrap();
    let text = |name: &String| fs::read_to_string(output.join(name)).unwrap();
    let outputs = done.outputs.into_iter().map(|output| output.name);
    outputs.map(|name| (name.clone(), text(&name))).collect()
}

/// A piece of a large message.
fn piece(span: std::ops::Range<usize>, keys: &[&str], continued: bool, more: bool) -> SplitPiece {
    SplitPiece {
        message: span.clone(),
        span,
        ordinal: 0,
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        continued,
        more,
        convention: Convention::Mboxrd,
        open_end: OpenEnd::default(),
        digest: 0,
        flags: Flags::default(),
        modified: None,
    }
}

/// Each piece of a large message with two labels goes to both copies.
#[test]
fn pieces_of_copies_stay_apart() {
    for to in [Format::EmlTree, Format::Maildir] {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let mut job = job(Path::new("-"), &output, SplitBy::Label);
        (job.to, job.copies) = (to, true);
        let mut outputs = Outputs::new(&job, WriteOptions::NEW).unwrap();
        let mut batch = SplitBatch {
            bytes: b"one two three four ".to_vec(),
            pieces: vec![
                piece(0..4, &["A", "B"], false, true),
                piece(4..8, &[], true, true),
                piece(8..14, &[], true, false),
                piece(14..19, &["B", "A"], false, false),
            ],
        };
        assert!(outputs.take(&mut batch).unwrap().is_continue());
        let list = outputs.commit().unwrap();
        assert_eq!(list.len(), 2);
        for part in list {
            assert_eq!((part.messages, part.bytes), (2, 19));
            let mut place = output.join(&part.name);
            if to == Format::Maildir {
                place = place.join("cur");
            }
            let files = fs::read_dir(&place).unwrap();
            let mut texts: Vec<_> = files
                .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
                .collect();
            texts.sort();
            assert_eq!(texts, ["four ", "one two three "], "{to:?} {}", part.name);
        }
    }
}

#[test]
fn folders_with_other_bytes_do_not_appear() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let mut job = job(Path::new("-"), &output, SplitBy::Label);
    job.to = Format::EmlTree;
    let mut outputs = Outputs::new(&job, WriteOptions::NEW).unwrap();
    let mut batch = SplitBatch {
        bytes: b"one".to_vec(),
        pieces: vec![piece(0..3, &["A"], false, false)],
    };
    assert!(outputs.take(&mut batch).unwrap().is_continue());
    check(&mut outputs, &output, &Progress::default()).unwrap();
    fs::write(outputs.tree().unwrap().join("A/2.eml"), "x").unwrap();
    let fault = check(&mut outputs, &output, &Progress::default()).unwrap_err();
    assert!(matches!(fault, Error::Internal(..)), "{fault}");
}

#[test]
fn labels_are_found_in_linear_time_and_copies_are_limited() {
    let labels: Vec<String> = (0..60_000).map(|n| format!("l{n}")).collect();
    let mailbox = format!(
        "{SEPARATOR}X-Gmail-Labels: l0,{}\nSubject: s\n\nx\n\n",
        labels.join(",\n ")
    );
    let started = std::time::Instant::now();
    let first = parts(&mailbox, |job| job.by = SplitBy::Label);
    assert_eq!(first.keys().collect::<Vec<_>>(), ["l0.mbox"]);
    let all = parts(&mailbox, |job| {
        (job.by, job.copies) = (SplitBy::Label, true);
    });
    assert_eq!(all.len(), 1000);
    assert!(all.contains_key("l999.mbox"));
    // A search through all labels for each of them takes far longer.
    assert!(started.elapsed().as_secs() < 20);
}

/// Labels that are equal in their first 200 bytes stay apart.
#[test]
fn long_labels_are_compared_as_a_whole() {
    let long = "é".repeat(500);
    let message = |end: &str| format!("{SEPARATOR}X-Gmail-Labels: {long}{end}\n\nx{end}\n\n");
    let mailbox = [message("1"), message("2"), message("1")].concat();
    let parts = parts(&mailbox, |job| job.by = SplitBy::Label);
    let counts: Vec<_> = parts
        .values()
        .map(|part| part.matches("\nx").count())
        .collect();
    assert_eq!(counts.iter().sum::<usize>(), 3);
    assert_eq!(parts.len(), 2, "{:?}", parts.keys());
}

#[test]
fn keys_have_a_bounded_length() {
    let long = "é".repeat(1 << 19);
    let key = super::outputs::shortened(&long);
    assert!(key.len() < 300 && key.starts_with("éé"));
    assert_ne!(key, super::outputs::shortened(&format!("{long}é")));
    assert_eq!(super::outputs::shortened("Inbox"), "Inbox");
}

/// Parts are read without the rules by which their messages were found.
#[test]
fn mailboxes_read_by_rules_are_quoted_anew() {
    let message = |text: &str| format!("{SEPARATOR}Subject: s\n\n{text}\n\n");
    let mailbox = [message("one\n>From x"), message("two"), message("three")].concat();
    let second = message("one\n>From x").len() as u64;
    let joined = parts(&mailbox, |job| {
        job.opening.mailbox.overrides = Arc::new([(second, LineDecision::Join)].into());
    });
    assert_eq!(joined.len(), 2, "{joined:?}");
    assert!(joined["part-00001.mbox"].contains(&format!("\n>{SEPARATOR}")));
    let doubtful = "From nobody\nSubject: t\n\nfour\n\n";
    let mailbox = mailbox + doubtful + &message("five");
    let at = (mailbox.len() - doubtful.len() - message("five").len()) as u64;
    let cut = MailboxOptions {
        overrides: Arc::new([(at, LineDecision::Cut)].into()),
        ..MailboxOptions::default()
    };
    let loose = MailboxOptions {
        rule: MboxRule::Loose,
        ..MailboxOptions::default()
    };
    for options in [cut, loose] {
        let parts = parts(&mailbox, |job| job.opening.mailbox = options);
        assert_eq!(parts.len(), 5, "{parts:?}");
        assert!(parts["part-00004.mbox"].ends_with("Subject: t\n\nfour\n\n"));
    }
}

/// A mailbox without blank lines between messages is not changed, unless a part would be read otherwise.
#[test]
fn missing_blank_lines_are_added_only_where_a_part_needs_them() {
    let message = |number: usize| {
        format!("{SEPARATOR}From: a@b.example\nSubject: {number}\n\ntext {number}\n")
    };
    let messages: Vec<_> = (0..20).map(message).collect();
    let mailbox = messages.concat();
    for size in [1, 300, 1 << 20] {
        let parts = parts(&mailbox, |job| job.by = SplitBy::Size(size));
        let joined: String = parts.into_values().collect();
        assert_eq!(joined, mailbox, "{size}");
    }
    // A message that was cut off gets its line end.
    let cut = format!("{}{SEPARATOR}Subject: x\n\nno line end", messages.concat());
    let by_year = parts(&cut, |job| job.by = SplitBy::Year);
    assert_eq!(by_year.len(), 1);
    assert_eq!(by_year["2001.mbox"], cut);
}

/// A line of text that would be a separator is quoted, and a separator that would be text is written anew.
#[test]
fn parts_that_are_read_otherwise_are_quoted_anew() {
    let fields = "Subject: s\nDate: Mon, 1 Jan 1996 00:00:00 +0000\n";
    let line = "From a@b.example Mon Jan  1 00:00:00 2001\n";
    let first = format!(
        "From joe at example.org  Sat Jan  3 01:05:34 1996\nFrom: a1@b.example\n{fields}\nFrom: me\n\n"
    );
    let second = format!("{line}From: a2@b.example\n{fields}\n");
    let by_from = parts(&format!("{first}{second}{line}\n"), |job| {
        job.by = SplitBy::From;
    });
    assert_eq!(by_from.len(), 2);
    assert_eq!(by_from["a1@b.example.mbox"], first);
    assert_eq!(by_from["a2@b.example.mbox"], format!("{second}>{line}\n"));
    let text = "Archive of a list\n\nFrom - Mon, 01 Jan 2001 00:00:00 +0000\nFrom: a@b.example\n\n\
                From - Mon Jan  1 00:00:00 2001 +0200\n";
    let by_size = parts(text, |job| job.by = SplitBy::Size(1 << 20));
    let plain = &by_size["part-00001.mbox"];
    let separators: Vec<_> = plain
        .lines()
        .filter(|line| line.starts_with("From "))
        .collect();
    assert_eq!(separators.len(), 3, "{plain}");
    assert!(
        separators[2].ends_with(" Sun Dec 31 22:00:00 2000"),
        "{plain}"
    );
}

#[test]
fn a_part_that_is_read_otherwise_gets_its_blank_lines() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let job = job(Path::new("-"), &output, SplitBy::Size(1 << 20));
    let mut outputs = Outputs::new(&job, WriteOptions::NEW).unwrap();
    let bodies = [
        "Subject: s\n\none\n",
        "no header\n",
        "Subject: t\n\nthree\n",
    ];
    let mut batch = SplitBatch::default();
    for body in bodies {
        let start = batch.bytes.len();
        batch.bytes.extend_from_slice(SEPARATOR.as_bytes());
        batch.bytes.extend_from_slice(body.as_bytes());
        batch.pieces.push(SplitPiece {
            open_end: OpenEnd {
                line_ends: b"\n",
                ends_line: false,
            },
            digest: digest(body.as_bytes()),
            ..piece(start..batch.bytes.len(), &[], false, false)
        });
    }
    assert!(outputs.take(&mut batch).unwrap().is_continue());
    check(&mut outputs, &output, &Progress::default()).unwrap();
    let list = outputs.commit().unwrap();
    let expected = bodies.map(|body| format!("{SEPARATOR}{body}")).join("\n");
    assert_eq!(
        fs::read_to_string(output.join("part-00001.mbox")).unwrap(),
        expected
    );
    assert_eq!(list[0].bytes, expected.len() as u64);
    assert_eq!(fs::read_dir(&output).unwrap().count(), 1);
}

#[test]
fn an_interrupt_ends_the_quoting_anew() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let job = job(Path::new("-"), &output, SplitBy::Size(1 << 20));
    let mut outputs = Outputs::new(&job, WriteOptions::NEW).unwrap();
    let bytes = b"Subject: s\n\n".to_vec();
    let mut batch = SplitBatch {
        pieces: vec![piece(0..bytes.len(), &[], false, false)],
        bytes,
    };
    assert!(outputs.take(&mut batch).unwrap().is_continue());
    outputs.flush().unwrap();
    let interrupted = Progress::default();
    interrupted.interrupt.store(true, Ordering::Relaxed);
    let stopped = outputs.requote(0, &interrupted);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
}

/// A message in pieces is not quoted anew.
#[test]
fn the_error_names_the_message_and_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let job = job(Path::new("-"), &output, SplitBy::Size(1 << 20));
    let mut outputs = Outputs::new(&job, WriteOptions::NEW).unwrap();
    let message = format!("{SEPARATOR}Subject: s\n\n");
    let bytes = message.repeat(2).into_bytes();
    let mut batch = SplitBatch {
        pieces: vec![
            piece(0..10, &[], false, true),
            piece(10..bytes.len(), &[], true, false),
        ],
        bytes,
    };
    batch.pieces[0].ordinal = 7;
    outputs.sources.push("a.mbox".into());
    assert!(outputs.take(&mut batch).unwrap().is_continue());
    let fault = check(&mut outputs, &output, &Progress::default()).unwrap_err();
    let expected = format!(
        "{}: not written: its 1 message would be read as 2, beginning with a.mbox:7 at offset 0; \
         --to eml or --to maildir writes all messages",
        output.join("part-00001.mbox").display()
    );
    assert_eq!(fault.to_string(), expected);
}
