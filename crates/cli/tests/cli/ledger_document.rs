//! A ledger folder, read by a program that was written from `docs/ledger-format.md`.

use crate::sandbox::{LATIN, Sandbox};
use mailglot_archive::ledger::IndexEntry;
use mailglot_gateway::ledgers::{Ledgers, Retention};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Records as the reader has them.
fn read(folder: &Path) -> Vec<Value> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/segments.py");
    let run = Command::new("/usr/bin/python3")
        .arg(reader)
        .arg(folder)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "it needs python3 and libzstd.so.1: {words}"
    );
    let lines = String::from_utf8(run.stdout).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn entries() -> Vec<IndexEntry> {
    let known = IndexEntry {
        queue_id: b"4F2".to_vec(),
        message_id: b"<1.2@example.org>".to_vec(),
        sender: Some("a@bücher.example".into()),
        recipients: (0..200)
            .map(|number| format!("b{number}@example.net").into_bytes())
            .collect(),
        recipient_count: 200,
        ..IndexEntry::default()
    };
    let null_sender = IndexEntry {
        sender: Some(Vec::new()),
        recipient_count: 3,
        ..known.clone()
    };
    vec![known, null_sender, IndexEntry::default()]
}

fn messages() -> Vec<Vec<u8>> {
    // The last one takes two pieces.
    let long = [
        LATIN,
        &b"Ein Satz, der oft kommt.\r\n".repeat((1 << 20) / 26 + 200),
    ]
    .concat();
    vec![LATIN.to_vec(), Vec::new(), b"\x89MGR".repeat(40), long]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn a_reader_of_the_document_finds_every_record() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("ledger");
    let ledgers = Ledgers::open(&folder, Retention::default(), |_| ()).unwrap();
    let now = SystemTime::now();
    let mut sent = Vec::new();
    for (number, entry) in entries().into_iter().enumerate() {
        for message in &messages()[..if number == 0 { 4 } else { 3 }] {
            let note = format!("{{\"number\":{}}}", sent.len());
            // Each entry has an hour of its own, and so a segment.
            let later = now + Duration::from_secs(3_600 * number as u64);
            let name = ledgers.keep(message, &note, entry.clone(), later).unwrap();
            sent.push((name, message.clone(), note));
        }
    }
    let check = |exit: i32, records: &[Value], in_index: &dyn Fn(&Value) -> bool| {
        let found = sandbox
            .run(&["ledger", "find", "--folder", "ledger", "--json"])
            .ended(exit)
            .text()
            .to_owned();
        assert_eq!(
            (found.lines().count(), records.len()),
            (sent.len(), sent.len())
        );
        for ((ours, record), (name, message, note)) in found.lines().zip(records).zip(&sent) {
            let mut ours: Value = serde_json::from_str(ours).unwrap();
            ours["note"] = serde_json::from_str(note).unwrap();
            ours["original"] = json!(hex(message));
            ours["in_index"] = json!(in_index(&ours));
            assert_eq!(ours["name"], **name);
            assert!(*record == ours, "{name}");
        }
    };
    // The last segment is open and has no index yet.
    let last = sent.last().unwrap().0.split(':').next().unwrap().to_owned();
    check(0, &read(&folder), &|record| {
        !record["name"].as_str().unwrap().starts_with(&last)
    });
    drop(ledgers);
    check(0, &read(&folder), &|_| true);
    // What a killed daemon leaves: a torn record, and no end.
    let path = folder.join(&last);
    let bytes = fs::read(&path).unwrap();
    let index = memchr::memmem::rfind(&bytes, b"\x89MGX").unwrap();
    fs::write(&path, &bytes[..index]).unwrap();
    let record = memchr::memmem::find(&bytes, b"\x89MGR").unwrap();
    File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(&bytes[record..record + 200])
        .unwrap();
    check(2, &read(&folder), &|record| {
        !record["name"].as_str().unwrap().starts_with(&last)
    });
    // The next daemon cuts it, and makes the index anew.
    let cut = |error: &std::io::Error| {
        assert!(error.to_string().contains("removed 200 bytes"), "{error}");
    };
    drop(Ledgers::open(&folder, Retention::default(), cut).unwrap());
    check(0, &read(&folder), &|_| true);
    assert!(
        fs::read(&path).unwrap() == bytes,
        "cut and closed as it was before"
    );
}
