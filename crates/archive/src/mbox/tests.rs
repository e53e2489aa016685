//! Tests of reading as a whole: the splitter cases, the tiling law, independence of buffer sizes, ground truth.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::{Batch, BoxEvent, BoxEventKind, EntryKind, Format, Found, Quoting, ReadOptions, Source, open};

/// An entry with its bytes, independent of batches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read1 {
    kind: EntryKind,
    more: bool,
    ordinal: u64,
    offset: u64,
    separator: Vec<u8>,
    message: Vec<u8>,
    trailer: Vec<u8>,
    quoting: Quoting,
}

fn drain(source: &mut dyn Source) -> (Vec<Read1>, Vec<BoxEvent>) {
    let (mut entries, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    let mut offset = 0;
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
    (entries, events)
}

/// Gives out a few bytes at a time, sizes from a seed.
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

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

fn stream(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let bytes = bytes.to_vec();
    drain(&mut Mailbox::from_stream(io::Cursor::new(bytes), options).unwrap())
}

fn file(bytes: &[u8], options: &ReadOptions) -> (Vec<Read1>, Vec<BoxEvent>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    drain(&mut Mailbox::from_file(file, options).unwrap())
}

fn messages(entries: &[Read1]) -> Vec<&Read1> {
    let is_message = |entry: &&Read1| {
        matches!(entry.kind, EntryKind::Message) || (entry.kind == EntryKind::Oversize && !entry.more)
    };
    entries.iter().filter(is_message).collect()
}

fn concatenated(entries: &[Read1]) -> Vec<u8> {
    entries.iter().flat_map(|e| [&e.separator[..], &e.message, &e.trailer].concat()).collect()
}

fn kinds(events: &[BoxEvent]) -> Vec<BoxEventKind> {
    events.iter().map(|event| event.kind).collect()
}

const SEPARATOR: &str = "From a@example.org Mon Jan  1 00:00:00 2001\n";
const HEADER: &str = "From: a@example.org\nSubject: s\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\n";

#[test]
fn boundaries_that_people_see() {
    let one = |body: &str| format!("{SEPARATOR}{HEADER}{body}\n\n");
    let two = |line: &str| format!("{line}\n{HEADER}one\n\n{line}\n{HEADER}two\n\n");
    let git = "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n";
    let patch = format!("{git}From: x@example.org\nSubject: [PATCH] y\n\n---\n f.c | 1 +");
    let declared = format!("Hello\n\n{SEPARATOR}stands in the text\n");
    let multipart = |close: &str| {
        format!(
            "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\n\
             attached:\n\n{SEPARATOR}{HEADER}inner\n\n{close}--=_b1--\n\n"
        )
    };
    let cases: Vec<(&str, usize, String)> = vec![
        ("plain", 2, two(SEPARATOR.trim_end())),
        ("prose after a blank line", 1, one("Dear all,\n\nFrom the office of the president we hear.\nbye")),
        ("prose in a paragraph", 1, one("We hear\nFrom the office\nnews")),
        ("prose with a time", 1, one("x\n\nFrom Monday 10:30 we are open, since 2001\nbye")),
        ("a pasted patch", 1, one(&format!("See:\n\n{patch}"))),
        ("patches as mailbox", 2, format!("{patch}\n\n{patch}\n")),
        ("no blank line before", 2, format!("{SEPARATOR}{HEADER}one\n{SEPARATOR}{HEADER}two\n")),
        ("bare", 2, two("From ")),
        ("without date", 2, two("From a@example.org")),
        ("Thunderbird", 2, two("From - Mon Jan 01 00:00:00 2001")),
        ("Takeout", 2, two("From 15111@xxx Mon Jan 01 00:00:00 +0000 2018").replace('\n', "\r\n")),
        ("pipermail", 2, two("From joe at example.org  Mon Jan  1 00:00:00 2001")),
        (
            "Content-Length",
            2,
            format!(
                "{SEPARATOR}Content-Length: {}\n{HEADER}{declared}\n{SEPARATOR}Content-Length: 4\n{HEADER}two\n\n",
                declared.len()
            ),
        ),
        ("quoted", 2, format!("{}{}", one(">From here\n>>From there"), one("x"))),
        ("a quoted separator as first line", 1, format!("{SEPARATOR}>{SEPARATOR}{HEADER}x\n\n")),
        ("byte order mark", 1, format!("\u{feff}{}", one("x"))),
        (
            "MMDF",
            2,
            format!(
                "\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n"
            ),
        ),
        (
            "MMDF with single lines",
            2,
            format!("\x01\x01\x01\x01\n{HEADER}a\n\x01\x01\x01\x01\n{HEADER}b\n\x01\x01\x01\x01\n\n"),
        ),
        ("CR", 2, two(SEPARATOR.trim_end()).replace('\n', "\r")),
        ("an attached mailbox", 1, multipart("")),
        ("an attached mailbox, then another message", 2, format!("{}{}", multipart(""), one("x"))),
        ("the same open multipart twice", 2, {
            let open = format!(
                "{SEPARATOR}Content-Type: multipart/mixed; boundary=\"=_b1\"\nSubject: s\n\n--=_b1\nContent-Type: text/plain\n\nx\n\n"
            );
            open.repeat(2)
        }),
        (
            "signatures and rows of dashes open nothing",
            3,
            one("text\n------------------------------\n\n--Joe\n").repeat(3),
        ),
        ("nothing", 0, String::new()),
        ("no separator", 1, "Subject: x\n\nbody\n".to_owned()),
        ("separator alone", 1, SEPARATOR.to_owned()),
        ("separator without line end", 1, SEPARATOR.trim_end().to_owned()),
        ("begins in a message", 2, format!("Subject: x\n\nbody\n\n{}", one("y"))),
    ];
    for (name, count, text) in cases {
        let (entries, events) = file(text.as_bytes(), &ReadOptions::default());
        assert_eq!(messages(&entries).len(), count, "{name}: {events:?} {entries:?}");
        assert_eq!(concatenated(&entries), text.as_bytes(), "{name}");
        for (ordinal, entry) in messages(&entries).iter().enumerate() {
            assert_eq!(entry.ordinal, ordinal as u64, "{name}");
        }
    }
}
