//! Tests of reading whole mailboxes, and shared helpers.

mod boundaries;
mod content_length;
mod large;
mod padding;
pub(super) mod random;
mod rare_forms;
mod truth;

use std::io::{self, Read, Write};
use std::path::Path;

use super::Mailbox;
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::source::{Batch, EntryKind, Quoting, ReadOptions, Source};

/// An entry with its bytes, independent of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read1 {
    pub(super) kind: EntryKind,
    more: bool,
    pub(super) ordinal: u64,
    pub(super) offset: u64,
    separator: Vec<u8>,
    message: Vec<u8>,
    trailer: Vec<u8>,
    quoting: Quoting,
}

pub(super) fn drain(source: &mut dyn Source) -> (Vec<Read1>, Vec<BoxEvent>) {
    drain_from(source, 0)
}

/// Reads a source whose first byte has this offset.
pub(super) fn drain_from(source: &mut dyn Source, mut offset: u64) -> (Vec<Read1>, Vec<BoxEvent>) {
    let (mut entries, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        let mut at = 0;
        for entry in &batch.entries {
            assert_eq!(entry.span.start, at, "entries tile the batch");
            assert_eq!(entry.offset, offset, "offsets are those of the file");
            at = entry.span.end;
            offset += entry.span.len() as u64;
            entries.push(Read1 {
                kind: entry.kind,
                more: entry.more,
                ordinal: entry.ordinal,
                offset: entry.offset,
                separator: batch.bytes[entry.span.start..entry.message.start].to_vec(),
                message: batch.bytes[entry.message.clone()].to_vec(),
                trailer: batch.bytes[entry.message.end..entry.span.end].to_vec(),
                quoting: entry.quoting,
            });
        }
        assert_eq!(at, batch.bytes.len());
        events.append(&mut batch.events);
    }
    // Events come when they are known. A late one may belong to an entry of an earlier batch.
    events.sort_by_key(|event| (event.offset, event.kind));
    (entries, events)
}

/// A reader that returns a few bytes at a time, with sizes from a seed.
struct Chunky<'a>(&'a [u8], Random);

impl Read for Chunky<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = match self.1.below(3) {
            0 => 1,
            1 => 80,
            _ => 5000,
        };
        let count = (1 + self.1.below(most)).min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

fn stream(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let bytes = bytes.to_vec();
    drain(
        &mut Mailbox::from_stream(Path::new("-"), io::Cursor::new(bytes), &forced(options))
            .unwrap(),
    )
}

fn file(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    drain(&mut Mailbox::from_file(Path::new("box"), file, &forced(options)).unwrap())
}

/// Returns options that also read files that are not mail.
fn forced(options: &ReadOptions) -> ReadOptions {
    ReadOptions {
        force_format: true,
        ..options.clone()
    }
}

fn messages(entries: &[Read1]) -> Vec<&Read1> {
    let is_message = |entry: &&Read1| {
        matches!(entry.kind, EntryKind::Message)
            || (entry.kind == EntryKind::Oversize && !entry.more)
    };
    entries.iter().filter(is_message).collect()
}

fn concatenated(entries: &[Read1]) -> Vec<u8> {
    entries
        .iter()
        .flat_map(|e| [&e.separator[..], &e.message, &e.trailer].concat())
        .collect()
}

fn kinds(events: &[BoxEvent]) -> Vec<BoxEventKind> {
    events.iter().map(|event| event.kind).collect()
}

pub(super) const SEPARATOR: &str = "From a@example.org Mon Jan  1 00:00:00 2001\n";

pub(super) const HEADER: &str =
    "From: a@example.org\nSubject: s\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\n";
