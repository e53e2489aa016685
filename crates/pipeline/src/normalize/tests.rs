use super::*;
use crate::LedgerPlace;
use crate::discover::discover;
use crate::plan::Ready;
use crate::{RestoreJob, restore};
use mailglot_archive::replace::Replacement;
use mailglot_archive::{Format, WriteOptions, create};
use mailglot_mime::Policy;
use mailglot_mime::{Message, plan_parsed};
use std::fs;

fn job(input: &Path, output: &Path) -> NormalizeJob {
    NormalizeJob {
        inputs: vec![input.to_owned()],
        output: output.to_owned(),
        to: None,
        policy: Policy::default(),
        ledger: LedgerPlace::Beside,
        report: None,
        threads: 2,
        force: false,
        force_format: false,
        max_expansion: 200,
        mailbox: mailglot_archive::MailboxOptions::default(),
        selection: crate::Selection::default(),
        verify: false,
    }
}

fn mbox() -> Vec<u8> {
    let mut bytes = Vec::new();
    for n in 0..5 {
        let text = format!("From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nSubject: {n}\n\ncaf");
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(b"\xE9\n\n");
    }
    bytes
}

/// Panics at the third message.
#[allow(clippy::panic)] // What is tested is that a panic stays with its message.
fn faulty(message: &Message<'_>, policy: &Policy) -> mailglot_mime::Plan {
    assert!(
        !message.raw().windows(10).any(|w| w == b"Subject: 2"),
        "a fault on purpose"
    );
    plan_parsed(message, policy)
}

#[test]
fn fault_sets_its_message_aside_and_the_rest_continues() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let summary = normalize_with(
        &job(&at("a.mbox"), &at("out")),
        &Progress::default(),
        faulty,
    )
    .unwrap();
    assert_eq!(
        (summary.messages_in, summary.written, summary.set_aside),
        (5, 4, 1)
    );
    assert_eq!(summary.events["msg.set-aside"], 1);
    assert_eq!(
        fs::read(at("out.set-aside/00000000.eml")).unwrap(),
        b"From: a@b\nSubject: 2\n\ncaf\xE9\n"
    );
    let back = RestoreJob {
        output: Some(at("out")),
        ledger: None,
        original: Some(at("back")),
        force: false,
    };
    assert_eq!(restore(&back, &Progress::default()).unwrap().messages, 5);
    assert_eq!(fs::read(at("back")).unwrap(), mbox());
}

/// After an error between the renames, nothing has changed but what was at the path already.
#[test]
fn failed_rename_leaves_no_partial_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let job = job(&at("a.mbox"), &at("out"));
    let inputs = discover(&job.inputs, false.into()).unwrap().inputs;
    let plan = Plan::new(&job, &inputs).unwrap();
    let mut file = Replacement::create(&at("out.ledger"), WriteOptions::NEW).unwrap();
    file.write_all(b"ledger").unwrap();
    let mut destination = create(Format::Mbox, &at("out"), WriteOptions::NEW).unwrap();
    destination.sync().unwrap();
    // A file appears at the output's path after the checks.
    fs::write(at("out"), b"mine").unwrap();
    let ready = Ready {
        destination: Some(destination),
        ledger: Some(file),
        ..Ready::default()
    };
    let error = plan.commit(ready).unwrap_err();
    assert!(matches!(error, Error::Output(..)));
    assert_eq!(fs::read(at("out")).unwrap(), b"mine");
    assert!(!at("out.ledger").exists());
}

/// Plans as usual, and corrupts the text of one message.
fn spoiling(message: &Message<'_>, policy: &Policy) -> mailglot_mime::Plan {
    let mut planned = plan_parsed(message, policy);
    if message.raw().windows(10).any(|w| w == b"Subject: 3")
        && let Some(edit) = planned
            .edits
            .iter_mut()
            .find(|edit| edit.with.ends_with("é\n".as_bytes()))
    {
        let at = edit.with.len() - 3;
        edit.with[at..at + 2].copy_from_slice("è".as_bytes());
        edit.recipe = None;
    }
    planned
}

/// The second reader detects a planted fault of the rewriter, for any number of threads. The message is set aside, and restored.
#[test]
fn message_is_set_aside_if_the_second_reader_disagrees() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    for (out, threads) in [("one", 1), ("four", 4)] {
        let job = NormalizeJob {
            verify: true,
            threads,
            ..job(&at("a.mbox"), &at(out))
        };
        let summary = normalize_with(&job, &Progress::default(), spoiling).unwrap();
        assert_eq!(
            (summary.messages_in, summary.written, summary.set_aside),
            (5, 4, 1)
        );
        let verify = summary.verify.unwrap();
        assert_eq!((verify.agreed, verify.excused, verify.disagreed), (4, 0, 1));
        assert_eq!((summary.losses, summary.events["verify.disagrees"]), (1, 1));
        let example = summary
            .examples
            .iter()
            .find(|example| example.code == "verify.disagrees")
            .unwrap();
        assert_eq!(
            (example.message.rsplit(':').next(), example.part.as_str()),
            (Some("3"), "1")
        );
        assert_eq!(
            example.detail,
            r#"text: "café" in the original, "cafè" in the rewritten message"#
        );
        let aside = fs::read(at(&format!("{out}.set-aside/00000000.eml"))).unwrap();
        assert_eq!(aside, b"From: a@b\nSubject: 3\n\ncaf\xE9\n");
        let back = at(&format!("{out}.back"));
        let restoring = RestoreJob {
            output: Some(at(out)),
            ledger: None,
            original: Some(back.clone()),
            force: false,
        };
        restore(&restoring, &Progress::default()).unwrap();
        assert_eq!(fs::read(back).unwrap(), mbox());
    }
    assert_eq!(fs::read(at("one")).unwrap(), fs::read(at("four")).unwrap());
    assert_eq!(
        fs::read(at("one.ledger")).unwrap(),
        fs::read(at("four.ledger")).unwrap()
    );
}

/// Without the option nothing is verified. A dry run verifies what would be written.
#[test]
fn verification_is_optional() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let summary = normalize(&job(&at("a.mbox"), &at("out")), &Progress::default()).unwrap();
    assert_eq!(summary.verify, None);
    let dry = CheckJob {
        inputs: vec![at("a.mbox")],
        policy: Policy::default(),
        threads: 2,
        force_format: false,
        max_expansion: 200,
        mailbox: mailglot_archive::MailboxOptions::default(),
        selection: crate::Selection::default(),
        verify: true,
    };
    let summary = check(&dry, &Progress::default()).unwrap();
    let verify = summary.verify.unwrap();
    assert_eq!(
        (
            verify.agreed,
            verify.excused,
            verify.disagreed,
            summary.changed
        ),
        (5, 0, 0, 5)
    );
    assert_eq!(verify.readers, READERS);
}
