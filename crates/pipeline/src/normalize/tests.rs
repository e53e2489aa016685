use super::*;
use crate::discover::discover;
use crate::job::LedgerPlace;
use crate::output_plan::Ready;
use crate::restore::{RestoreJob, restore};
use crate::skip_scope::SkipScope;
use mailglot_archive::replace::Replacement;
use mailglot_archive::{Format, WriteOptions, create};
use mailglot_mime::{Message, Policy, plan_parsed};
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
        deterministic: false,
        force: false,
        opening: false.into(),
        selection: crate::selection::Selection::default(),
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
    for (out, large) in [("out", LARGE_MESSAGE), ("large", 1)] {
        let job = job(&at("a.mbox"), &at(out));
        let summary = normalize_with(&job, &Progress::default(), faulty, large).unwrap();
        assert_eq!(
            (summary.messages_in, summary.written, summary.set_aside),
            (5, 4, 1)
        );
        assert_eq!(summary.events["msg.set-aside"], 1);
        assert_eq!(
            fs::read(at(&format!("{out}.set-aside/00000000.eml"))).unwrap(),
            b"From: a@b\nSubject: 2\n\ncaf\xE9\n"
        );
        assert_eq!(restored(&at(out)), mbox());
    }
    assert_eq!(fs::read(at("out")).unwrap(), fs::read(at("large")).unwrap());
}

/// Restores a mailbox beside its output.
fn restored(output: &Path) -> Vec<u8> {
    let original = output.with_extension("back");
    let job = RestoreJob {
        output: Some(output.to_owned()),
        ledger: None,
        original: Some(original.clone()),
        force: false,
        keep_going: false,
    };
    restore(&job, &Progress::default()).unwrap();
    fs::read(original).unwrap()
}

/// After an error between the renames, nothing has changed but what was at the path already.
#[test]
fn failed_rename_leaves_no_partial_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox()).unwrap();
    let job = job(&at("a.mbox"), &at("out"));
    let inputs = discover(&job.inputs, false.into(), SkipScope::Nothing)
        .unwrap()
        .inputs;
    let plan = OutputPlan::new(&job, &inputs).unwrap();
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
    for (out, threads, large) in [("one", 1, LARGE_MESSAGE), ("four", 4, 1)] {
        let job = NormalizeJob {
            verify: true,
            threads,
            ..job(&at("a.mbox"), &at(out))
        };
        let summary = normalize_with(&job, &Progress::default(), spoiling, large).unwrap();
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
        assert_eq!(restored(&at(out)), mbox());
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
        opening: false.into(),
        selection: crate::selection::Selection::default(),
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

/// Mailboxes with all forms of quoting, separators, line ends and ends of messages.
fn mailboxes() -> Vec<Vec<u8>> {
    let long = "a line of an attachment\n".repeat(400);
    let part =
        format!("--b\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\u{e9}\n--b\n\n{long}\n");
    let multipart = format!("Content-Type: multipart/mixed; boundary=b\n\n{part}");
    let messages = [
        "From: a@b\nSubject: gr\u{fc}\u{df}e\n\nwords\n>From here\n>>From there\n>From: x\n x From y\n".to_owned(),
        format!("From: a@b\n{multipart}--b--\n"),
        format!("From: a@b\n{multipart}>From here\n"),
        format!("From: a@b\nContent-Length: 12\nDate: Mon, 2 Mar 1998 10:00:00 +0100\n\n{long}\n\n"),
        format!("From: a@b\n\n{long}caf\u{e9}"),
        String::new(),
        format!("Subject: =?utf-8?Q?x?=\n{}\n{long}", "X-Y: z\n".repeat(40)),
        "Content-Type: text/plain; charset=utf-16\n\nF\0r\0o\0m\0 \0x\0\n\0".to_owned(),
        format!("From: a@b\n\n{}\n", "x\n>From x\n".repeat(90)),
        "Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: text/plain; charset=iso-2022-jp\n\n\u{1b}$BF|K\\\u{1b}(B\n".to_owned(),
        "Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NLJ18XUIMvJxdc=\n".to_owned(),
    ];
    let separators = [
        "From a@b Mon Jan  1 00:00:00 2001",
        "From - Mon Jan 01 00:00:00 2001",
    ];
    let mailbox = |separator: &str| {
        let with = |message| format!("{separator}\n{message}\n");
        messages.iter().map(with).collect::<String>()
    };
    let texts = separators.iter().flat_map(|separator| {
        let text = mailbox(separator);
        let cr = text.replace('\n', "\r");
        let crlf = text.replace('\n', "\r\n");
        let mboxo = text.replace(">>From", "x").replace("\n>From: x", "\n");
        let unquoted = text.replace("\n>>From", "\nFrom");
        let open = text.trim_end_matches('\n').to_owned();
        [text, cr, crlf, mboxo, unquoted, open]
    });
    let babyl = format!(
        "BABYL OPTIONS: -*- rmail -*-\nVersion: 5\n\x1f\x0c\n1,,\nFrom: a@b\nSubject: =?utf-8?Q?x?=\n\n\
         *** EOOH ***\nSubject: x\n\nContent\n{long}\u{e9}\n\x1f"
    );
    let latin = |text: String| text.chars().map(|c| c as u8).collect();
    texts.chain([babyl]).map(latin).collect()
}

/// Reads all files below a folder, with their names.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for item in fs::read_dir(&next).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.push((name, fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Output, ledger, report and examples do not depend on whether messages are copied.
#[test]
fn a_message_that_is_not_copied_has_the_same_output() {
    for (number, bytes) in mailboxes().iter().enumerate() {
        for to in [Format::Mbox, Format::Maildir, Format::EmlTree] {
            let run = |large: usize, threads: usize| {
                let folder = tempfile::tempdir().unwrap();
                let at = |name: &str| folder.path().join(name);
                fs::write(at("a"), bytes).unwrap();
                let job = NormalizeJob {
                    to: Some(to),
                    threads,
                    verify: to == Format::Mbox,
                    ..job(&at("a"), &at("out"))
                };
                let summary = normalize_with(&job, &Progress::default(), plan_parsed, large);
                if large == 1 {
                    assert_eq!(restored(&at("out")), *bytes, "{number} {to:?}");
                    fs::remove_file(at("out.back")).unwrap();
                }
                let summary = format!("{:?}", summary.unwrap());
                let place = folder.path().to_string_lossy();
                (summary.replace(&*place, ""), tree(folder.path()))
            };
            let copied = run(usize::MAX, 1);
            for (large, threads) in [(1, 1), (500, 2)] {
                let (summary, files) = run(large, threads);
                assert_eq!(summary, copied.0, "{number} {to:?}");
                for (file, expected) in files.iter().zip(&copied.1) {
                    assert_eq!(file.0, expected.0, "{number} {to:?}");
                    assert!(file.1 == expected.1, "{number} {to:?}: {}", file.0);
                }
            }
        }
    }
}
