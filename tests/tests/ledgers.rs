//! The ledger of a gateway restores every message that the gateway changed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use mailglot_archive::ledger::IndexEntry;
use mailglot_gateway::MessageBuilder;
use mailglot_gateway::ledgers::{Catalog, Ledgers, Retention};
use mailglot_gateway::policy::Rules;
use mailglot_mime::{Policy, process};
use mailglot_pipeline::{Progress, RestoreJob, restore};
use mailglot_tests::shared;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

/// A message as a server tells it: fields while they last, all line ends CRLF.
fn told(raw: &[u8]) -> MessageBuilder {
    let mut received = MessageBuilder::new(true, u64::MAX, std::env::temp_dir());
    let mut field: Option<(Vec<u8>, Vec<u8>)> = None;
    let mut lines = raw.split_inclusive(|byte| *byte == b'\n');
    let mut body = Vec::new();
    for line in lines.by_ref() {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let colon = text.iter().position(|byte| *byte == b':');
        if let (Some(b' ' | b'\t'), Some((_, value))) = (text.first(), &mut field) {
            value.push(b'\n');
            value.extend_from_slice(text);
            continue;
        }
        if let Some((name, value)) = field.take() {
            received.field(&name, &value);
        }
        match colon {
            Some(colon) if colon > 0 => {
                field = Some((text[..colon].to_vec(), text[colon + 1..].to_vec()));
            }
            _ if text.is_empty() => break,
            _ => {
                body.extend_from_slice(text);
                body.extend_from_slice(b"\r\n");
                break;
            }
        }
    }
    if let Some((name, value)) = field {
        received.field(&name, &value);
    }
    for line in lines {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        body.extend_from_slice(text.strip_suffix(b"\r").unwrap_or(text));
        body.extend_from_slice(if line.ends_with(b"\n") { b"\r\n" } else { b"" });
    }
    received.body(&body);
    received
}

#[test]
fn every_shared_message_that_is_changed_comes_back_from_its_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("ledgers");
    let ledgers = Ledgers::open(&place, Retention::default(), |error| panic!("{error}")).unwrap();
    let catalog = Catalog::open(&place).unwrap();
    let (mut seen, mut changed) = (0, 0);
    for path in shared::messages() {
        let complete = told(&fs::read(&path).unwrap()).complete().unwrap();
        for policy in [Rules::usual_rewriting(), Policy::default()] {
            seen += 1;
            if process(complete.raw(), &policy).edits.is_empty() {
                continue;
            }
            changed += 1;
            let entry = IndexEntry::default();
            let name = ledgers
                .keep(complete.raw(), "{}", entry, SystemTime::now())
                .unwrap();
            let reading = catalog.read(&name).unwrap();
            assert!(reading.original == complete.raw(), "{}", path.display());
            // The same by those who know ledgers of one message only.
            let single = folder.path().join("single.ledger");
            fs::write(&single, reading.ledger).unwrap();
            let original = folder.path().join(format!("{changed}.eml"));
            restored(single, original.clone());
            assert!(
                fs::read(&original).unwrap() == complete.raw(),
                "{}",
                path.display()
            );
        }
    }
    println!("{seen} messages, {changed} changed");
    assert!(
        std::env::var_os("MAILGLOT_SHARED").is_none() || changed > 300,
        "{seen} messages, {changed} changed"
    );
}

fn restored(ledger: PathBuf, original: PathBuf) {
    let job = RestoreJob {
        output: None,
        ledger: Some(ledger),
        original: Some(original),
        force: false,
        keep_going: false,
    };
    let done = restore(&job, &Progress::default()).unwrap();
    assert_eq!(done.messages, 1);
}
