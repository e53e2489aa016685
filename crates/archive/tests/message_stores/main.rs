//! Tests that read message stores: public-inbox, and dbx of Outlook Express. Written by git, and after the description of the format.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod beside_inboxes;
mod dbx;
mod dbx_damage;
mod dbx_writer;
mod hostile_repositories;
mod public_inbox;
mod repositories;

use mailglot_archive::{
    Batch, EntryKind, Flags, Format, Input, ReadOptions, Source, open, recognize,
};
use std::path::Path;

/// A message as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReadMessage {
    bytes: Vec<u8>,
    name: String,
    flags: Flags,
    /// Number of pieces.
    pieces: usize,
}

/// Events as code, offset and words.
type Events = Vec<(&'static str, u64, String)>;

/// Returns the only archive at a path, which is a store.
fn store(path: &Path) -> Input {
    let mut found = recognize(path).unwrap();
    assert_eq!(found.len(), 1);
    let input = found.remove(0);
    assert!(input.store.is_some() && input.is_folder());
    assert_eq!(
        (input.format, input.default_output()),
        (Format::EmlTree, Format::Mbox)
    );
    input
}

/// Reads a store in large and in small batches, which must not differ.
fn read(path: &Path, options: &ReadOptions) -> (Vec<ReadMessage>, Events) {
    let input = store(path);
    let all = drain(&mut *open(&input, options).unwrap());
    let small = ReadOptions {
        batch: 300,
        ..options.clone()
    };
    assert_eq!(
        drain(&mut *open(&input, &small).unwrap()),
        all,
        "small batches"
    );
    all
}

fn drain(source: &mut dyn Source) -> (Vec<ReadMessage>, Events) {
    let (mut messages, mut events, mut batch) = (Vec::new(), Events::new(), Batch::default());
    let mut more = false;
    while source.next(&mut batch).unwrap() {
        let mut at = 0;
        for entry in &batch.entries {
            assert_eq!((entry.span.start, &entry.message), (at, &entry.span));
            at = entry.span.end;
            assert!(matches!(
                entry.kind,
                EntryKind::Message | EntryKind::Oversize
            ));
            let bytes = &batch.bytes[entry.span.clone()];
            if !more {
                assert_eq!((entry.ordinal, entry.offset), (messages.len() as u64, 0));
                messages.push(ReadMessage {
                    bytes: Vec::new(),
                    name: String::from_utf8(entry.name.clone()).unwrap(),
                    flags: entry.flags,
                    pieces: 0,
                });
            }
            let message = messages.last_mut().unwrap();
            assert_eq!(entry.offset, message.bytes.len() as u64);
            message.bytes.extend_from_slice(bytes);
            message.pieces += 1;
            more = entry.more;
        }
        assert_eq!(at, batch.bytes.len());
        let words = batch.events.iter();
        events
            .extend(words.map(|event| (event.kind.code(), event.offset, event.detail.to_string())));
    }
    assert!(!more);
    assert!(!source.changed().unwrap());
    (messages, events)
}

/// Returns the contents of messages.
fn contents(messages: &[ReadMessage]) -> Vec<&[u8]> {
    messages.iter().map(|message| &message.bytes[..]).collect()
}

/// Returns the codes of events.
fn codes(events: &Events) -> Vec<&'static str> {
    events.iter().map(|(code, ..)| *code).collect()
}

/// Returns a message of about `length` bytes with CR LF.
fn message(number: usize, length: usize) -> Vec<u8> {
    let mut text = format!("From: a{number}@b.c\r\nSubject: n{number}\r\n\r\n").into_bytes();
    while text.len() < length {
        text.extend_from_slice(format!("line {} of {number}\r\n", text.len()).as_bytes());
    }
    text
}
