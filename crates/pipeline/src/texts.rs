//! The decoded text of an archive.
//!
//! # Limits
//!
//! A message beyond the size limit has no text here, and neither has one that is kept compressed or in UTF-16; both are told. HTML is given as it is, tags and all.

use crate::file_name::{Address, own_file};
use crate::layout::{self, Opening};
use crate::normalize::worth;
use crate::ordered_pool::{self, BatchWorker, Stop};
use crate::reader::{NumberedBatch, Reader};
use crate::tally::Notes;
use crate::{Error, FileName, Progress, Summary, json};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{BoxEvent, Entry, EntryKind, Packing};
use mailglot_mime::{Message, Policy, Report, TextPart, text_parts};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// One text part, as `text --json` prints it (archives.md 6).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, PartialEq, Eq)]
pub struct TextRecord {
    /// Path as given.
    pub file: FileName,
    /// Ordinal of the message, from 0.
    pub message: u64,
    /// The file of the message, where that is a file of its own in a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Section number.
    pub part: String,
    /// Media type.
    #[serde(rename = "type")]
    pub media: String,
    /// Label as written.
    pub charset: Option<String>,
    /// Charset used.
    pub used: String,
    /// UTF-8, line ends LF; None when the part cannot be read at all.
    pub text: Option<String>,
    /// Codes of events with severity loss.
    pub losses: Vec<String>,
}

/// Where no text came from.
#[derive(Debug, Default)]
pub struct Untold {
    /// Addresses of messages that a fault of the program kept from being read.
    pub messages: Vec<String>,
    /// Files and folders below an input that could not be read.
    pub files: Vec<Error>,
    /// An account of what was left out, in which nothing else is.
    pub account: Summary,
}

/// How text parts are read and written.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// Worker threads, at least 1. Output does not depend on it.
    pub threads: usize,
    /// A JSON object a line and part instead of plain text.
    pub json: bool,
    /// Read files as messages that have no header field, which are refused otherwise.
    pub force_format: bool,
    /// How many times their own size compressed inputs may become.
    pub max_expansion: u64,
}

/// Writes all text parts of the inputs in order. What cannot be read inside a folder, and a message that a fault keeps from
/// being read, does not stop the others.
pub fn texts(
    inputs: &[PathBuf],
    policy: &Policy,
    options: TextOptions,
    out: &mut (dyn Write + Send),
    progress: &Progress,
) -> Result<Untold, Error> {
    texts_with(inputs, policy, options, out, progress, text_parts)
}

/// What finds the text of a message.
type Parts = for<'a> fn(&Message<'a>, &Policy, &mut Report) -> Vec<TextPart<'a>>;

/// [`texts`] with another function in the place of [`text_parts`].
fn texts_with(
    inputs: &[PathBuf],
    policy: &Policy,
    options: TextOptions,
    out: &mut (dyn Write + Send),
    progress: &Progress,
    parts: Parts,
) -> Result<Untold, Error> {
    let TextOptions {
        threads,
        json,
        force_format,
        max_expansion,
    } = options;
    crate::once(inputs)?;
    let (mut untold, mut notes) = (Untold::default(), Notes::default());
    let mut found = Vec::new();
    for path in inputs {
        let mut search = layout::find_readable(
            path,
            Opening {
                force_format,
                max_expansion,
            },
            &mut untold.files,
        )?;
        notes.left_out(&search.left_out);
        found.append(&mut search.inputs);
    }
    for input in found {
        let source = input.open(&policy.limits)?;
        let hint = source.size_hint();
        progress.total.fetch_add(hint.unwrap_or(0), Relaxed);
        let mut file = Vec::new();
        input.name_in_json().put_json(&mut file);
        let folder = input.folder.then_some(&*input.found.path);
        let path = input.path();
        let work = Texts {
            file: &file,
            path: &path,
            folder,
            policy,
            json,
            progress,
            parts,
        };
        let mut hand_on = |done: &mut Written| {
            let faults = done.faults.drain(..);
            untold
                .messages
                .extend(faults.map(|address| address.to_string()));
            if !done.events.is_empty() {
                notes.events(&input.path(), &done.events);
            }
            done.packed
                .drain(..)
                .for_each(|(address, packing)| notes.packed(address, packing));
            out.write_all(&done.bytes)
        };
        let reader = Reader::new(source, None).tolerant(input.folder);
        let reader = ordered_pool::run(reader, worth(threads, hint), &work, &mut hand_on).map_err(
            |stop| match stop {
                Stop::Read(error) | Stop::Work(error) => input.error(error),
                Stop::HandOn(error) => Error::Output("-".into(), error),
                Stop::Interrupted => Error::Interrupted,
            },
        )?;
        let mut reader = reader;
        untold
            .files
            .extend(reader.unread.drain(..).map(|error| input.error(error)));
        untold
            .files
            .extend(input.unchanged(&*reader.finish().0).err());
    }
    out.flush()
        .map_err(|error| Error::Output("-".into(), error))?;
    // The walk through a folder meets again what the search met.
    let mut told = HashSet::new();
    untold.files.retain(|error| told.insert(error.to_string()));
    untold.account = notes.finish();
    Ok(untold)
}

/// What comes of a batch.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    /// Messages with a fault.
    faults: Vec<Address>,
    /// Messages that are kept in a form that is not read.
    packed: Vec<(Address, Packing)>,
    /// Found in the archive.
    events: Vec<BoxEvent>,
}

/// The text parts of one archive.
struct Texts<'a> {
    /// Its path as a JSON string.
    file: &'a [u8],
    /// The same for people.
    path: &'a str,
    /// The folder, where messages are files of their own.
    folder: Option<&'a Path>,
    policy: &'a Policy,
    json: bool,
    progress: &'a Progress,
    parts: Parts,
}

impl BatchWorker for Texts<'_> {
    type WorkerState = ();
    type BatchResult = Written;

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }

    fn worker_state(&self) -> io::Result<()> {
        Ok(())
    }

    fn work(&self, (): &mut (), feed: &NumberedBatch, done: &mut Written) -> io::Result<()> {
        done.events.clone_from(&feed.batch.events);
        let out = &mut done.bytes;
        out.clear();
        out.shrink_to(8 << 20);
        let (mut messages, mut losses) = (0, 0);
        for entry in &feed.batch.entries {
            if entry.kind != EntryKind::Message {
                continue;
            }
            let start = out.len();
            let found = catch_unwind(AssertUnwindSafe(|| {
                self.message(entry, &feed.batch.bytes, out)
            }));
            losses += match found {
                Ok(Ok(losses)) => losses,
                Ok(Err(packing)) => {
                    done.packed.push((self.address(entry), packing));
                    0
                }
                Err(_) => {
                    out.truncate(start);
                    done.faults.push(self.address(entry));
                    1
                }
            };
            messages += 1;
        }
        self.progress.messages.fetch_add(messages, Relaxed);
        self.progress.losses.fetch_add(losses, Relaxed);
        self.progress
            .bytes
            .fetch_add(feed.batch.bytes.len() as u64, Relaxed);
        Ok(())
    }
}

impl Texts<'_> {
    fn address(&self, entry: &Entry) -> Address {
        Address::of(self.path, self.folder, entry)
    }

    /// Appends the text parts of a message; gives the number of losses, or in what the message is kept.
    fn message(&self, entry: &Entry, batch: &[u8], out: &mut Vec<u8>) -> Result<u64, Packing> {
        let raw = &batch[entry.message.clone()];
        let raw = if entry.froms == Some(false) {
            Cow::Borrowed(raw)
        } else {
            unquote(raw, entry.quoting)
        };
        if let Some(packing) = Packing::of(&raw) {
            return Err(packing);
        }
        let message = Message::parse(&raw, &self.policy.limits);
        let mut report = Report::with_limit(self.policy.limits.events);
        let path = own_file(self.folder, &entry.name).filter(|_| self.json);
        for part in (self.parts)(&message, self.policy, &mut report) {
            if self.json {
                self.put_json(entry.ordinal, path.as_ref(), &part, out);
            } else if let Some(text) = &part.text {
                put_plain(text, out);
            }
        }
        Ok(report.losses())
    }

    fn put_json(
        &self,
        ordinal: u64,
        path: Option<&FileName>,
        part: &TextPart<'_>,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(b"{\"file\":");
        out.extend_from_slice(self.file);
        out.extend_from_slice(b",\"message\":");
        json::number(ordinal, out);
        if let Some(path) = path {
            out.extend_from_slice(b",\"path\":");
            path.put_json(out);
        }
        out.extend_from_slice(b",\"part\":");
        json::string(&part.section, out);
        out.extend_from_slice(b",\"type\":");
        json::joined(&part.media.top, b'/', &part.media.sub, out);
        out.extend_from_slice(b",\"charset\":");
        json::optional(part.reading.declared.as_deref(), out);
        out.extend_from_slice(b",\"used\":");
        json::string(part.reading.used.name(), out);
        out.extend_from_slice(b",\"text\":");
        match &part.text {
            Some(text) => json::lines(text, out),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"losses\":[");
        for (index, loss) in part.losses.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            json::string(loss.code(), out);
        }
        out.extend_from_slice(b"]}\n");
    }
}

/// Appends text with LF line ends, and one at its end.
fn put_plain(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(cr) = memchr::memchr(b'\r', rest) {
        out.extend_from_slice(&rest[..cr]);
        rest = &rest[cr + 1..];
        if rest.first() != Some(&b'\n') {
            out.push(b'\n');
        }
    }
    out.extend_from_slice(rest);
    if !text.is_empty() && out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run(path: &std::path::Path, threads: usize, json: bool) -> String {
        let mut out = Vec::new();
        let policy = Policy::default();
        let options = TextOptions {
            threads,
            json,
            force_format: false,
            max_expansion: 200,
        };
        texts(
            &[path.to_owned()],
            &policy,
            options,
            &mut out,
            &Progress::default(),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn records_have_the_fixed_form() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a \"b\".mbox");
        let mut mbox = b"From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: one\n".to_vec();
        mbox.extend_from_slice(
            b"Content-Type: text/plain; charset=ISO-8859-1\n\ncaf\xE9\r\n>From here\n\n",
        );
        mbox.extend_from_slice(
            b"From a@b Mon Jan  1 00:00:01 2001\nFrom: a@b\nSubject: two\nMIME-Version: 1.0\n",
        );
        mbox.extend_from_slice(b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nfirst\n--x\n");
        mbox.extend_from_slice(b"Content-Type: text/html; charset=utf-8\n\n<p>\xC3\n--x--\n");
        fs::write(&path, &mbox).unwrap();
        let text = run(&path, 1, true);
        let records: Vec<TextRecord> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(records.len(), 3);
        for (record, line) in records.iter().zip(text.lines()) {
            assert_eq!(record.file, FileName::of(&path));
            assert_eq!(serde_json::to_string(record).unwrap(), line);
        }
        let first = &records[0];
        assert_eq!(
            (first.message, first.part.as_str(), first.media.as_str()),
            (0, "1", "text/plain")
        );
        assert_eq!(first.charset.as_deref(), Some("ISO-8859-1"));
        assert_eq!(
            first.text.as_deref().map(str::trim_end),
            Some("café\nFrom here")
        );
        assert_eq!((records[1].message, records[1].part.as_str()), (1, "1"));
        assert_eq!(
            (records[2].part.as_str(), records[2].media.as_str()),
            ("2", "text/html")
        );
        assert_eq!(run(&path, 3, true), text);
        assert!(run(&path, 1, false).starts_with("café\nFrom here\n"));
    }

    #[test]
    fn a_fault_in_a_message_is_told_and_the_others_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let entry = |n| {
            format!("From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nSubject: {n}\n\ntext {n}\n\n")
        };
        fs::write(&path, (0..3).map(entry).collect::<String>()).unwrap();
        let (mut out, policy) = (Vec::new(), Policy::default());
        let parts: Parts = |message, policy, report| {
            assert!(!message.raw().ends_with(b"text 1\n"), "a fault");
            text_parts(message, policy, report)
        };
        let progress = Progress::default();
        let inputs = [path.clone()];
        let options = TextOptions {
            threads: 2,
            json: false,
            force_format: false,
            max_expansion: 200,
        };
        let untold = texts_with(&inputs, &policy, options, &mut out, &progress, parts).unwrap();
        assert_eq!(untold.messages, [format!("{}:1", path.display())]);
        assert_eq!(out, b"text 0\ntext 2\n");
        let progress = Progress::default();
        progress.interrupt.store(true, Relaxed);
        let stopped = texts(&inputs, &policy, options, &mut Vec::new(), &progress);
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
