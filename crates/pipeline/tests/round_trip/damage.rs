//! Tests with damaged or altered ledgers and outputs.

use crate::{Dialect, back, job, maildir, mbox, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::{Error, NormalizeJob, Progress, RestoreJob, restore};
use std::fs;

#[test]
fn a_damaged_ledger_restores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Irregular)).unwrap();
    run(&job(&[at("a.mbox")], &at("out")));
    let good = fs::read(at("out.ledger")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        fs::write(at("out.ledger"), bytes).unwrap();
        let error = back(&at("out"), Some(&at("back"))).expect_err(what);
        assert!(matches!(error, Error::Ledger(..)), "{what}: {error:?}");
        assert!(!at("back").exists(), "{what}");
    };
    for byte in 0..good.len() {
        let mut bad = good.clone();
        bad[byte] ^= 0x10;
        refused(&bad, &format!("byte {byte}"));
    }
    for len in (0..good.len()).step_by(7) {
        refused(&good[..len], &format!("length {len}"));
    }
    fs::remove_file(at("out.ledger")).unwrap();
    assert!(matches!(
        back(&at("out"), Some(&at("back"))),
        Err(Error::Ledger(..))
    ));
    fs::write(at("out.ledger"), &good).unwrap();
    back(&at("out"), Some(&at("back"))).unwrap();
    // No temporary files are left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn a_wrong_output_restores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Rd)).unwrap();
    run(&job(&[at("a.mbox")], &at("out")));
    let good = fs::read(at("out")).unwrap();
    let mut cases: Vec<Vec<u8>> = vec![
        Vec::new(),
        good[..good.len() - 1].to_vec(),
        [&good[..], b"x"].concat(),
    ];
    for byte in (0..good.len()).step_by(11) {
        let mut bad = good.clone();
        bad[byte] ^= 1;
        cases.push(bad);
    }
    for bad in cases {
        fs::write(at("out"), bad).unwrap();
        let error = back(&at("out"), Some(&at("back"))).unwrap_err();
        assert!(matches!(error, Error::Ledger(..)), "{error:?}");
        assert!(!at("back").exists());
        assert!(back(&at("out"), None).is_err());
    }
}

#[test]
fn changed_file_of_an_output_folder_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    maildir(&at("md"));
    run(&job(&[at("md")], &at("out")));
    let (name, bytes) = tree(&at("out"))
        .into_iter()
        .find(|(_, bytes)| bytes.is_some())
        .unwrap();
    let bytes = bytes.unwrap();
    let path = at("out").join(name);
    fs::write(&path, [&bytes[..], b"\n"].concat()).unwrap();
    assert!(matches!(
        back(&at("out"), Some(&at("back"))),
        Err(Error::Ledger(..))
    ));
    fs::remove_file(&path).unwrap();
    assert!(back(&at("out"), Some(&at("back"))).is_err());
    assert!(!at("back").exists());
    fs::write(&path, &bytes).unwrap();
    back(&at("out"), Some(&at("back"))).unwrap();
}

#[test]
fn a_ledger_that_holds_its_message_whole_needs_no_output() {
    use mailglot_archive::ledger::write_whole;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let large = b"Subject: x\r\n\r\n\xfc\r\n".repeat(200_000);
    for (name, message) in [
        ("empty", &b""[..]),
        ("small", b"Subject: \xfc\r\n\r\nFrom \xff\0\r\n"),
        ("large", &large),
    ] {
        let (bytes, _) = write_whole(Vec::new(), message, br#"{"msg":"4F"}"#, "test").unwrap();
        fs::write(at(name), &bytes).unwrap();
        let wanted = |original| RestoreJob {
            output: None,
            ledger: Some(at(name)),
            original,
            force: false,
            keep_going: false,
        };
        let original = at(&format!("{name}.eml"));
        let done = restore(&wanted(Some(original.clone())), &Progress::default()).unwrap();
        assert!(fs::read(&original).unwrap() == message, "{name}");
        assert_eq!(
            (done.sources, done.messages, done.bytes),
            (1, 1, message.len() as u64)
        );
        assert_eq!(done.notes, [br#"{"msg":"4F"}"#]);
        restore(&wanted(None), &Progress::default()).unwrap();
        // If any byte is lost or changed, nothing is restored.
        for bad in [
            &bytes[..bytes.len() - 1],
            &[&bytes[..60], &[bytes[60] ^ 1], &bytes[61..]].concat(),
        ] {
            fs::write(at("bad"), bad).unwrap();
            let job = RestoreJob {
                output: None,
                ledger: Some(at("bad")),
                original: Some(at("none")),
                force: false,
                keep_going: false,
            };
            assert!(matches!(
                restore(&job, &Progress::default()),
                Err(Error::Ledger(..))
            ));
            assert!(!at("none").exists());
        }
    }
    // Such a ledger does not read the delivered message. Other ledgers need an archive.
    fs::write(at("delivered"), "Received: by x\nSubject: x\n\n").unwrap();
    run(&job(&[at("delivered")], &at("out")));
    let job = RestoreJob {
        output: Some(at("delivered")),
        ledger: Some(at("small")),
        original: Some(at("none")),
        force: false,
        keep_going: false,
    };
    let error = restore(&job, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("contains the whole original"), "{error}");
    let job = RestoreJob {
        output: None,
        ledger: Some(at("out.ledger")),
        original: Some(at("none")),
        force: false,
        keep_going: false,
    };
    let error = restore(&job, &Progress::default()).unwrap_err().to_string();
    assert!(error.contains("needs the normalized archive"), "{error}");
    let job = RestoreJob {
        output: None,
        ledger: None,
        original: Some(at("none")),
        force: false,
        keep_going: false,
    };
    assert!(matches!(
        restore(&job, &Progress::default()),
        Err(Error::Usage(_))
    ));
}

#[test]
fn notes_without_end_are_counted() {
    use mailglot_archive::ledger::{BlockBuilder, Ledger, LedgerWriter, Record};
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), b"").unwrap();
    run(&job(&[folder.path().join("a")], &folder.path().join("out")));
    let empty = Ledger::open(&folder.path().join("out.ledger"))
        .unwrap()
        .footer()
        .clone();
    let mut builder = BlockBuilder::new().unwrap();
    builder.push(&Record::Source(0));
    let long = vec![b'{'; (64 << 10) + 1];
    let notes = [&long[..]; 3].into_iter().chain([&b"{}"[..]; 150]);
    for note in notes {
        builder.push(&Record::Note(note));
    }
    let mut block = Vec::new();
    builder.finish(&mut block).unwrap();
    let mut writer = LedgerWriter::new(Vec::new()).unwrap();
    writer.block(&block).unwrap();
    fs::write(
        folder.path().join("ledger"),
        writer.finish(&empty).unwrap().0,
    )
    .unwrap();
    let ledger = Some(folder.path().join("ledger"));
    let job = RestoreJob {
        output: None,
        ledger,
        original: None,
        force: false,
        keep_going: false,
    };
    let done = restore(&job, &Progress::default()).unwrap();
    assert_eq!(done.notes, vec![b"{}".to_vec(); 100]);
    assert_eq!(done.more_notes, 53);
}

#[test]
fn an_altered_file_of_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(30, Dialect::Rd)).unwrap();
    for (form, out) in [(Format::EmlTree, "tree"), (Format::Maildir, "md")] {
        run(&NormalizeJob {
            to: Some(form),
            ..job(&[at("a.mbox")], &at(out))
        });
        let names: Vec<_> = tree(&at(out))
            .into_iter()
            .filter(|(_, bytes)| bytes.is_some())
            .collect();
        for at_file in [0, 12, 29] {
            let (name, bytes) = &names[at_file];
            let mut altered = bytes.clone().unwrap();
            altered[8] ^= 1;
            fs::write(at(out).join(name), altered).unwrap();
            let error = back(&at(out), None).unwrap_err().to_string();
            assert!(
                error.contains(&format!(
                    "{} was changed after it was written; nothing was restored (30 messages checked)",
                    at(out).join(name).display()
                )),
                "{error}"
            );
            fs::write(at(out).join(name), bytes.as_ref().unwrap()).unwrap();
        }
        back(&at(out), None).unwrap();
    }
}

/// Each changed or missing output is named, and only those.
#[test]
fn damaged_outputs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let inputs = ["a.mbox", "b.mbox", "c.mbox", "d.mbox"].map(at);
    for input in &inputs {
        fs::write(input, mbox(3, Dialect::Rd)).unwrap();
    }
    run(&job(&inputs, &at("out")));
    let output = |name: &str| at("out").join(name);
    let mut changed = fs::read(output("b.mbox")).unwrap();
    changed[70] ^= 1;
    fs::write(output("b.mbox"), &changed).unwrap();
    fs::write(output("d.mbox"), b"").unwrap();
    let expect = |words: &str| {
        let error = back(&at("out"), Some(&at("back"))).unwrap_err().to_string();
        let words = words.replace("OUT", &at("out").to_string_lossy());
        assert_eq!(error, format!("{}: {words}", at("out.ledger").display()));
        assert!(!at("back").exists());
    };
    let both = "nothing was restored: OUT/b.mbox was changed after it was written, OUT/d.mbox was changed after it was written";
    expect(both);
    fs::remove_file(output("a.mbox")).unwrap();
    expect(&format!("{both}, OUT/a.mbox is missing"));
    // A single output may belong to another ledger.
    run(&job(&inputs[..1], &at("one")));
    fs::write(at("one"), changed).unwrap();
    let error = back(&at("one"), None).unwrap_err().to_string();
    let words = "one was changed after it was written, or the ledger belongs to another archive";
    assert!(error.ends_with(words), "{error}");
}
