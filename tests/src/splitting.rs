//! Tests whether every message of a mailbox with truncated messages is still found.
//!
//! # Limits
//! Truncates a message anywhere but in its separator. The mailbox ends its last line and adds a blank line, as mail programs do.

use crate::rng::Rng;
use mailglot_archive::mbox::{MailboxStarts, quote_mboxrd, requote};
use mailglot_archive::{
    Batch, BoxDetail, BoxEvent, BoxEventKind, EntryKind, Format, Input, Quoting, ReadOptions, open,
};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// One message in `CUT` is truncated.
const CUT: usize = 100;

/// The form of a mailbox.
#[derive(Clone, Copy, Debug)]
pub struct MailboxForm {
    /// Quoting of `From ` lines in bodies. `None` omits messages with such lines.
    pub quoting: Quoting,
    /// Uses CR LF instead of LF.
    pub crlf: bool,
}

/// mboxrd, mboxo, and messages without lines to quote, each with LF and with CR LF.
pub const FORMS: [MailboxForm; 6] = [
    MailboxForm {
        quoting: Quoting::Mboxrd,
        crlf: false,
    },
    MailboxForm {
        quoting: Quoting::Mboxrd,
        crlf: true,
    },
    MailboxForm {
        quoting: Quoting::Mboxo,
        crlf: false,
    },
    MailboxForm {
        quoting: Quoting::Mboxo,
        crlf: true,
    },
    MailboxForm {
        quoting: Quoting::None,
        crlf: false,
    },
    MailboxForm {
        quoting: Quoting::None,
        crlf: true,
    },
];

/// Messages as they stand in a mailbox: with their separator lines, quoted, with the line ends of the form.
pub struct Messages {
    crlf: bool,
    messages: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Messages {
    /// Converts messages from files, with or without their own separator lines.
    pub fn new(files: &[Vec<u8>], form: MailboxForm) -> Self {
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

    /// Splits a mailbox whose messages begin at these offsets.
    pub fn of_mailbox(mailbox: &[u8], offsets: &[usize], form: MailboxForm) -> Self {
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

    /// Returns true if a message has a quoted line, which shows the reader that the mailbox quotes.
    pub fn have_quoted_lines(&self) -> bool {
        self.messages.iter().any(|(_, message)| {
            memmem::find(message, b"\n>From ").is_some()
                || memmem::find(message, b"\n>>From ").is_some()
        })
    }

    /// Builds a mailbox with one message in a hundred truncated at a random byte, and the offsets of its separators.
    ///
    /// A seed of `None` truncates nothing. With `returns`, a reply follows up to 20 messages later that contains the message from
    /// one of its lines on.
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

/// Results of reading a mailbox.
#[derive(Debug, Default)]
pub struct Reading {
    /// Offsets of its messages.
    pub offsets: BTreeSet<u64>,
    /// Doubtful separators by their offsets.
    pub doubts: BTreeMap<u64, BoxDetail>,
}

/// Writes a mailbox to `folder` and reads it.
///
/// # Panics
///
/// If the file cannot be written, or the entries do not tile the mailbox (law 6).
pub fn read(mailbox: &[u8], folder: &Path, options: &ReadOptions) -> Reading {
    let path = folder.join("read.mbox");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(mailbox).unwrap();
    drop(file);
    let found = Input::on_disk(path, Format::Mbox);
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

/// Reads the mailbox that [`read`] wrote to `folder` in ranges, cut at random bytes of this seed. Returns the offsets of the messages.
///
/// # Panics
///
/// If the file cannot be read.
pub fn read_ranges(folder: &Path, seed: u64, options: &ReadOptions) -> BTreeSet<u64> {
    let starts = MailboxStarts::open(&folder.join("read.mbox"), options).unwrap();
    let size = starts.size();
    let mut rng = Rng::new(seed);
    let cut = |rng: &mut Rng| rng.below(size as usize + 1) as u64;
    let mut cuts: Vec<u64> = (0..rng.below(97)).map(|_| cut(&mut rng)).collect();
    cuts.extend([0, size]);
    cuts.sort_unstable();
    let mut offsets = BTreeSet::new();
    for pair in cuts.windows(2) {
        let Some(range) = starts.range(pair[0], pair[1]).unwrap() else {
            continue;
        };
        let mut found = Input::on_disk(folder.join("read.mbox"), Format::Mbox);
        found.range = Some(mailglot_archive::InputRange::Mailbox(range));
        let (mut source, mut batch) = (open(&found, options).unwrap(), Batch::default());
        while source.next(&mut batch).unwrap() {
            let messages = batch.entries.iter();
            let messages = messages.filter(|entry| entry.kind == EntryKind::Message);
            offsets.extend(messages.map(|entry| entry.offset));
        }
    }
    offsets
}

/// Counts of separators in many mailboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeparatorCounts {
    /// Number of separators.
    pub separators: usize,
    /// Separators that were not found. An event has their offsets.
    pub missed: usize,
    /// Lines of messages that were read as separators. An event has their offsets.
    pub added: usize,
    /// Separators found in an open multipart. An event has their offsets.
    pub doubted: usize,
}

impl SeparatorCounts {
    /// Compares the result with the truth.
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

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: Self) {
        self.separators += other.separators;
        self.missed += other.missed;
        self.added += other.added;
        self.doubted += other.doubted;
    }
}

/// Returns the offsets of both lines named by an event about an open multipart: its opening and its later delimiter.
pub fn lines_around(detail: &BoxDetail) -> Option<(u64, u64)> {
    match detail {
        BoxDetail::OpenMultipart {
            opened, decision, ..
        } => decision.later_line().map(|later| (*opened, later)),
        _ => None,
    }
}

const SEPARATOR: &[u8] = b"From someone@example.org Mon Jan  1 00:00:00 2001\n";

/// The start of a reply that contains the source of another message.
const REPLY: &[u8] = b"From: someone@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: Re: your message\n\nIt came so:\n\n";

/// Returns the bytes with one kind of line end.
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
