//! Mailboxes with messages that were cut off, and whether each message is still found.
//!
//! # Limits
//! A message is cut off anywhere but in its separator. The mailbox ends its last line and adds a blank line, as mail programs do.

use crate::rng::Rng;
use mailglot_archive::mbox::{quote_mboxrd, requote};
use mailglot_archive::{
    Batch, BoxDetail, BoxEvent, BoxEventKind, EntryKind, Format, Input, Quoting, ReadOptions, open,
};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// One message in `CUT` is cut off.
const CUT: usize = 100;

/// How a mailbox is written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// How `From ` lines in bodies are quoted. `None` leaves out messages that have such lines.
    pub quoting: Quoting,
    /// CR LF instead of LF.
    pub crlf: bool,
}

/// mboxrd, mboxo, and messages without any line to quote, each with LF and with CR LF.
pub const FORMS: [Form; 6] = [
    Form {
        quoting: Quoting::Mboxrd,
        crlf: false,
    },
    Form {
        quoting: Quoting::Mboxrd,
        crlf: true,
    },
    Form {
        quoting: Quoting::Mboxo,
        crlf: false,
    },
    Form {
        quoting: Quoting::Mboxo,
        crlf: true,
    },
    Form {
        quoting: Quoting::None,
        crlf: false,
    },
    Form {
        quoting: Quoting::None,
        crlf: true,
    },
];

/// Messages as they stand in a mailbox: their separator lines, and the messages quoted, with the line ends of the form.
pub struct Messages {
    crlf: bool,
    messages: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Messages {
    /// Takes messages as they stand in files, with or without a separator line of their own.
    pub fn new(files: &[Vec<u8>], form: Form) -> Self {
        let messages = files.iter().filter_map(|file| {
            let lines = unified(file, form.crlf);
            let (separator, message) = if lines.starts_with(b"From ") {
                let end = memchr::memchr(b'\n', &lines).map_or(lines.len(), |end| end + 1);
                lines.split_at(end)
            } else {
                (SEPARATOR, &lines[..])
            };
            let mut quoted = Vec::with_capacity(message.len());
            match form.quoting {
                Quoting::Mboxo => requote(message, Quoting::Mboxo, &mut quoted),
                _ => quote_mboxrd(message, &mut quoted),
            }
            let is_wanted = form.quoting != Quoting::None || quoted == message;
            is_wanted.then(|| (unified(separator, form.crlf), quoted))
        });
        Self {
            crlf: form.crlf,
            messages: messages.collect(),
        }
    }

    /// Takes a mailbox apart whose messages begin at these offsets.
    pub fn of_mailbox(mailbox: &[u8], offsets: &[usize], form: Form) -> Self {
        let ends = offsets.iter().skip(1).copied().chain([mailbox.len()]);
        let messages = offsets.iter().zip(ends).filter_map(|(start, end)| {
            let entry = &mailbox[*start..end];
            let entry = entry
                .strip_suffix(if form.crlf { &b"\r\n"[..] } else { b"\n" })
                .unwrap_or(entry);
            let line = memchr::memchr(b'\n', entry).map_or(entry.len(), |end| end + 1);
            let (separator, message) = entry.split_at(line);
            let is_wanted =
                form.quoting != Quoting::None || memmem::find(message, b">From ").is_none();
            is_wanted.then(|| (separator.to_vec(), message.to_vec()))
        });
        Self {
            crlf: form.crlf,
            messages: messages.collect(),
        }
    }

    /// True if a line in a message is quoted, so that the reader can know that the mailbox quotes.
    pub fn have_quoted_lines(&self) -> bool {
        self.messages.iter().any(|(_, message)| {
            memmem::find(message, b"\n>From ").is_some()
                || memmem::find(message, b"\n>>From ").is_some()
        })
    }

    /// A mailbox with a message in a hundred cut off at a random byte, and the offsets of its separators. `None` cuts nothing.
    ///
    /// With `returns`, a reply follows up to 20 messages later, which has the message from one of its lines on.
    pub fn mailbox(&self, seed: Option<u64>, returns: bool) -> (Vec<u8>, BTreeSet<u64>) {
        let mut rng = Rng::new(seed.unwrap_or_default());
        let mut cut = rng.below(CUT);
        let (mut mailbox, mut offsets) = (Vec::new(), BTreeSet::new());
        let mut waiting: Vec<(usize, Vec<u8>)> = Vec::new();
        for (number, (separator, message)) in self.messages.iter().enumerate() {
            for (_, reply) in waiting.extract_if(.., |(due, _)| *due == number) {
                self.append(
                    &unified(SEPARATOR, self.crlf),
                    &reply,
                    &mut mailbox,
                    &mut offsets,
                );
            }
            let is_cut = seed.is_some() && number == cut;
            let kept = if is_cut {
                rng.below(message.len())
            } else {
                message.len()
            };
            self.append(separator, &message[..kept], &mut mailbox, &mut offsets);
            if is_cut {
                cut = (number / CUT + 1) * CUT + rng.below(CUT);
            }
            if is_cut && returns {
                let from = rng.below(message.len());
                let line = memchr::memrchr(b'\n', &message[..from]).map_or(0, |end| end + 1);
                let reply = [&unified(REPLY, self.crlf), &message[line..]].concat();
                waiting.push((number + 1 + rng.below(20), reply));
            }
        }
        (mailbox, offsets)
    }

    /// Appends an entry as mail programs write it, and its offset.
    fn append(
        &self,
        separator: &[u8],
        message: &[u8],
        mailbox: &mut Vec<u8>,
        offsets: &mut BTreeSet<u64>,
    ) {
        let end: &[u8] = if self.crlf { b"\r\n" } else { b"\n" };
        offsets.insert(mailbox.len() as u64);
        mailbox.extend_from_slice(separator);
        mailbox.extend_from_slice(message);
        if !mailbox.ends_with(b"\n") {
            mailbox.extend_from_slice(end);
        }
        mailbox.extend_from_slice(end);
    }
}

/// What the reader finds in a mailbox.
#[derive(Debug, Default)]
pub struct Reading {
    /// Offsets of its messages.
    pub offsets: BTreeSet<u64>,
    /// Doubtful separators by their offsets.
    pub doubts: BTreeMap<u64, BoxDetail>,
}

/// Reads a mailbox that is written into `folder`.
///
/// # Panics
///
/// When the folder takes no file, or the entries do not tile the mailbox (law 6).
pub fn read(mailbox: &[u8], folder: &Path, options: &ReadOptions) -> Reading {
    let path = folder.join("read.mbox");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(mailbox).unwrap();
    drop(file);
    let found = Input {
        path,
        format: Format::Mbox,
        packed: None,
    };
    let mut source = open(&found, options).unwrap();
    let (mut reading, mut batch, mut at) = (Reading::default(), Batch::default(), 0);
    while source.next(&mut batch).unwrap() {
        assert!(
            mailbox[at..].starts_with(&batch.bytes),
            "the batch at {at} is not that of the mailbox"
        );
        for entry in &batch.entries {
            assert_eq!(entry.offset as usize, at, "entries tile the mailbox");
            at += entry.span.len();
            if entry.kind == EntryKind::Message {
                reading.offsets.insert(entry.offset);
            }
        }
        let doubts = batch
            .events
            .drain(..)
            .filter(|event| event.kind == BoxEventKind::AmbiguousFrom);
        reading
            .doubts
            .extend(doubts.map(|BoxEvent { offset, detail, .. }| (offset, detail)));
    }
    assert_eq!(at, mailbox.len(), "entries tile the mailbox");
    reading
}

/// What became of the separators of many mailboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Separators.
    pub separators: usize,
    /// Those that were not found; an event has their offsets.
    pub missed: usize,
    /// Lines of messages that were read as separators; an event has their offsets.
    pub added: usize,
    /// Separators that were found in an open multipart; an event has their offsets.
    pub doubted: usize,
}

impl Tally {
    /// Compares what was found with the truth.
    ///
    /// # Errors
    ///
    /// Names the first separator that was missed or added without an event that has the offsets of both lines.
    pub fn compare(&mut self, truth: &BTreeSet<u64>, reading: &Reading) -> Result<(), String> {
        self.separators += truth.len();
        self.missed += truth.difference(&reading.offsets).count();
        self.added += reading.offsets.difference(truth).count();
        for offset in truth.symmetric_difference(&reading.offsets) {
            let detail = reading.doubts.get(offset);
            if detail.and_then(lines_around).is_none() {
                return Err(format!("separator at {offset}: {detail:?}"));
            }
        }
        let both = reading
            .doubts
            .iter()
            .filter(|(_, detail)| lines_around(detail).is_some());
        self.doubted += both
            .filter(|(offset, _)| reading.offsets.contains(offset))
            .count();
        Ok(())
    }

    /// Adds another tally.
    pub fn add(&mut self, other: Self) {
        self.separators += other.separators;
        self.missed += other.missed;
        self.added += other.added;
        self.doubted += other.doubted;
    }
}

/// Returns the offsets of both lines that an event about an open multipart names: its opening and its later delimiter.
pub fn lines_around(detail: &BoxDetail) -> Option<(u64, u64)> {
    match detail {
        BoxDetail::OpenMultipart {
            opened, decision, ..
        } => decision.later_line().map(|later| (*opened, later)),
        _ => None,
    }
}

const SEPARATOR: &[u8] = b"From someone@example.org Mon Jan  1 00:00:00 2001\n";

/// The start of a reply that has the source of another message.
const REPLY: &[u8] = b"From: someone@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: Re: your message\n\nIt came so:\n\n";

/// The bytes with one kind of line end.
fn unified(bytes: &[u8], crlf: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    let mut rest = bytes;
    while let Some(at) = memchr::memchr2(b'\r', b'\n', rest) {
        out.extend_from_slice(&rest[..at]);
        let step = if rest[at..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        out.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        rest = &rest[at + step..];
    }
    out.extend_from_slice(rest);
    out
}
