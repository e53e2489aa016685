//! Tests of layouts, read as files, as streams and compressed, in batches of several sizes.

mod babyl;
mod emlx;
mod listserv;
mod rnews;
mod uw_mbx;

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::box_event::BoxEvent;
use crate::input::Input;
use crate::open::open;
use crate::packing::Packing;
use crate::recognize::recognize;
use crate::source::{Batch, EntryKind, Flags, Format, ReadOptions, Source};

/// An entry with its bytes, independent of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    kind: EntryKind,
    more: bool,
    ordinal: u64,
    offset: u64,
    separator: Vec<u8>,
    message: Vec<u8>,
    trailer: Vec<u8>,
    flags: Flags,
}

/// Events as code, offset and words.
type Events = Vec<(&'static str, u64, String)>;

/// Reads a file named `name` in every way, which must not differ.
fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> (Vec<Piece>, Events) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let found = recognize(&path).unwrap().remove(0);
    let all = drain(&mut *open(&found, options).unwrap(), bytes);
    for batch in [1, 100, 5000] {
        let options = ReadOptions {
            batch,
            ..options.clone()
        };
        assert_eq!(
            drain(&mut *open(&found, &options).unwrap(), bytes),
            all,
            "batches of {batch}"
        );
    }
    all
}

/// Reads a file in one way, for tests with thousands of files.
fn read_once(name: &str, bytes: &[u8]) -> (Vec<Piece>, Events) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let found = recognize(&path).unwrap().remove(0);
    let options = ReadOptions {
        batch: 1000,
        ..ReadOptions::default()
    };
    drain(&mut *open(&found, &options).unwrap(), bytes)
}

/// Like [`read`], and reads the file compressed, too. Without look-ahead, events may differ.
fn read_packed(name: &str, bytes: &[u8], options: &ReadOptions) -> Vec<Piece> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.gz"));
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    fs::write(&path, out.finish().unwrap()).unwrap();
    let found = recognize(&path).unwrap().remove(0);
    assert_eq!(found.packed, Some(Packing::Gzip));
    let mut source = open(&found, options).unwrap();
    assert!(source.profile().dialect.ends_with(", compressed with gzip"));
    let pieces = drain(&mut *source, bytes).0;
    assert!(!source.changed().unwrap());
    pieces
}

fn drain(source: &mut dyn Source, bytes: &[u8]) -> (Vec<Piece>, Events) {
    let (mut pieces, mut events, mut batch) = (Vec::new(), Events::new(), Batch::default());
    let mut all = Vec::new();
    let mut message = Vec::new();
    while source.next(&mut batch).unwrap() {
        let mut at = 0;
        for entry in &batch.entries {
            assert_eq!(entry.span.start, at, "entries tile the batch");
            assert_eq!(
                entry.offset,
                (all.len() + at) as u64,
                "offsets are those of the file"
            );
            at = entry.span.end;
            let bytes = entry.message_in(&batch.bytes);
            message.extend_from_slice(&bytes);
            pieces.push(Piece {
                kind: entry.kind,
                more: entry.more,
                ordinal: entry.ordinal,
                offset: entry.offset,
                separator: batch.bytes[entry.span.start..entry.message.start].to_vec(),
                message: bytes.into_owned(),
                trailer: batch.bytes[entry.message.end..entry.span.end].to_vec(),
                flags: entry.flags,
            });
        }
        assert_eq!(at, batch.bytes.len());
        all.extend_from_slice(&batch.bytes);
        let words = |event: &BoxEvent| (event.kind.code(), event.offset, event.detail.to_string());
        events.extend(batch.events.iter().map(words));
    }
    assert!(all == bytes, "the entries tile the file");
    events.sort();
    (pieces, events)
}

/// Returns the messages, pieces joined, with their flags.
fn messages(pieces: &[Piece]) -> Vec<(Vec<u8>, u32)> {
    let mut found: Vec<(Vec<u8>, u32)> = Vec::new();
    let mut continued = false;
    for piece in pieces {
        if matches!(piece.kind, EntryKind::Message | EntryKind::Oversize) {
            if !continued {
                found.push((Vec::new(), piece.flags.0));
            }
            let last = found.last_mut().unwrap();
            last.0.extend_from_slice(&piece.message);
            continued = piece.more;
        }
    }
    assert!(!continued, "the last piece of a message says so");
    found
}

/// Returns the codes of events.
fn codes(events: &Events) -> Vec<&'static str> {
    events.iter().map(|(code, ..)| *code).collect()
}

/// Options with a message limit.
fn limited(message_limit: usize) -> ReadOptions {
    ReadOptions {
        message_limit,
        ..ReadOptions::default()
    }
}

#[test]
fn files_are_recognized_by_their_beginning() {
    let mbx = b"*mbx*\r\n3a5c0f1200000003\r\n\r\n";
    for (start, name) in [
        (&b"BABYL OPTIONS:\nVersion: 5\n\x1f"[..], "Babyl"),
        (b"BABYL OPTIONS: -*- rmail -*-\r\n", "Babyl"),
        (mbx, "UW mbx"),
        (b"#! rnews 12\nSubject: x\n", "rnews"),
        (b"#! rnews 12 \r\nSubject: x\n", "rnews"),
        (b"#! rnews x\nSubject: x\n", ""),
        (b"#! rnews 12", ""),
        (b"#! cunbatch\n", ""),
        (b"12\nSubject: x\n\nabc", "emlx"),
        (b"12        \r\nSubject: x\r\n", "emlx"),
        (b"Babyl Options:\n", ""),
        (b"*mbx*\r\n3a5c0f12\r\n00000003\r\n", ""),
        (b"*mbx*\n3a5c0f1200000003\n", ""),
        (b"12\n13\n14\n", ""),
        (b"12 \n\nSubject: x\n", ""),
        (b"-12\nSubject: x\n", ""),
        (b"Subject: x\n\n", ""),
        (b"", ""),
    ] {
        let found = super::of(start).map_or("", |layout| layout.name);
        assert_eq!(found, name, "{}", start.escape_ascii());
    }
    let line = "=".repeat(73);
    for (start, is_notebook) in [
        (format!("{line}\nDate: x\nFrom: a@b.example\n\nx\n"), true),
        (format!("{line}\r\nDate: x\r\nFrom: a@b.example\r\n"), true),
        (
            format!("{line}\nDate: x\nTo: {}", "a@b.example, ".repeat(50)),
            true,
        ),
        (format!("{line}\nDate: x\n\nx\n"), false),
        (
            format!("{line}\nChanges: x\nFrom: a@b.example\n\nx\n"),
            false,
        ),
        (format!("{line}\n Date: x\nFrom: a@b.example\n\nx\n"), false),
        (format!("{line}\n\nDate: x\nFrom: a@b.example\n\n"), false),
        (format!("={line}\nDate: x\nFrom: a@b.example\n\n"), false),
        (format!("\n{line}\nDate: x\nFrom: a@b.example\n\n"), false),
        (line, false),
    ] {
        let found = super::of(start.as_bytes()).map(|layout| layout.name);
        assert_eq!(found, is_notebook.then_some("LISTSERV notebook"), "{start}");
    }
}

/// The file is changed while it is read.
#[test]
fn changes_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("RMAIL");
    let bytes = b"BABYL OPTIONS:\n\x1f\x0c\n0,,\n*** EOOH ***\nSubject: x\n\n\x1f";
    fs::write(&path, bytes).unwrap();
    let found = Input {
        format: Format::Mbox,
        ..recognize(Path::new(&path)).unwrap().remove(0)
    };
    let mut source = open(&found, &ReadOptions::default()).unwrap();
    assert_eq!(source.size_hint(), Some(bytes.len() as u64));
    assert_eq!(source.profile().line_end, "LF");
    while source.next(&mut Batch::default()).unwrap() {}
    assert!(!source.changed().unwrap());
    fs::write(&path, b"").unwrap();
    assert!(source.changed().unwrap());
}
