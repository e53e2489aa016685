use super::*;
use crate::{RestoreJob, restore};
use mailglot_mime::plan;

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

/// Fails at the third message.
#[allow(clippy::panic)] // What is tested is that a panic stays with its message.
fn faulty(raw: &[u8], policy: &Policy) -> mailglot_mime::Plan {
    assert!(!raw.windows(10).any(|w| w == b"Subject: 2"), "a fault on purpose");
    plan(raw, policy)
}

#[test]
fn a_fault_sets_its_message_aside_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let summary = normalize_with(&job(&at("a.mbox"), &at("out")), &Progress::default(), faulty).unwrap();
    assert_eq!((summary.messages_in, summary.written, summary.set_aside), (5, 4, 1));
    assert_eq!(summary.events["msg.set-aside"], 1);
    assert_eq!(fs::read(at("out.set-aside/00000000.eml")).unwrap(), b"From: a@b\nSubject: 2\n\ncaf\xE9\n");
    let back = RestoreJob { output: Some(at("out")), ledger: None, original: Some(at("back")), force: false };
    assert_eq!(restore(&back, &Progress::default()).unwrap().messages, 5);
    assert_eq!(fs::read(at("back")).unwrap(), mbox());
}

/// Nothing may be changed by an error between the renames but what already stands there.
#[test]
fn a_rename_that_fails_leaves_no_half_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let job = job(&at("a.mbox"), &at("out"));
    let inputs = layout::find(&job.inputs, false).unwrap().inputs;
    let plan = Plan::new(&job, &inputs).unwrap();
    let mut file = Replacement::create(&at("out.ledger"), false).unwrap();
    file.write_all(b"ledger").unwrap();
    let mut destination = create(Format::Mbox, &at("out"), false).unwrap();
    destination.sync().unwrap();
    // Something appears at the output's place after the checks.
    fs::write(at("out"), b"mine").unwrap();
    let ready = Ready { destination: Some(destination), ledger: Some(file), ..Ready::default() };
    let error = plan.commit(ready).unwrap_err();
    assert!(matches!(error, Error::Output(..)));
    assert_eq!(fs::read(at("out")).unwrap(), b"mine");
    assert!(!at("out.ledger").exists());
}

#[test]
fn threads_are_no_more_than_the_work() {
    assert_eq!(worth(8, Some(100)), 1);
    assert_eq!(worth(8, Some(3 << 20)), 4);
    assert_eq!(worth(2, Some(1 << 40)), 2);
    assert_eq!(worth(0, None), 1);
}
