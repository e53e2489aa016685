//! Extracts the decoded text of archives: a stage of the loop.
//!
//! # Limits
//!
//! Messages that are compressed or in UTF-16 have no text here, nor has text beyond its limit. Of a message above the size limit, only text
//! parts that end within the limit are read. The limit is 1 MiB if the message is a file. Events report them. HTML is returned with its
//! tags.

use crate::discover::{Opening, discover};
use crate::error::Error;
use crate::json;
use crate::json_file_name::{Address, FileName, own_file};
use crate::large_message::unquote_entry;
use crate::progress::Progress;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{Job, OpenSource, ResultSink, Stage, run};
use crate::selection::Selection;
use crate::skip_scope::SkipScope;
use crate::summary::Summary;
use crate::tally::Tally;
use mailglot_archive::{Batch, Entry, EntryKind, Error as FileError, Operation, Packing};
use mailglot_mime::{EventKind, Message, Policy, Report, TextPart, text_parts};
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// A text part, as `text --json` prints it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, PartialEq, Eq)]
pub struct TextRecord {
    /// Path as given.
    pub file: FileName,
    /// Ordinal of the message, from 0.
    pub message: u64,
    /// The file of the message, if it is a file of its own in a folder.
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
    /// Decoded text with LF line ends. None if the part cannot be read at all.
    pub text: Option<String>,
    /// Codes of events with severity loss.
    pub losses: Vec<String>,
}

/// Result of [`texts`].
#[derive(Debug, Default)]
pub struct TextOutcome {
    /// Addresses of messages that could not be read because of a defect of the program.
    pub failed: Vec<String>,
    /// The counts.
    pub account: Summary,
}

/// Options for reading and writing text parts.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// Number of worker threads, at least 1. Does not affect the output.
    pub threads: usize,
    /// Writes one JSON object per line and part instead of plain text.
    pub json: bool,
    /// How inputs are opened.
    pub opening: Opening,
    /// The messages to read. Reading stops at its limit.
    pub selection: Selection,
}

/// Writes all text parts of the inputs in order.
///
/// Continues after unreadable inputs ([`Summary::unread`]) and after a message that fails because of a defect of the program.
///
/// ```
/// use mailglot_pipeline::{Progress, TextOptions, TextRecord, texts};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.eml");
/// std::fs::write(&path, b"Content-Type: text/plain; charset=koi8-r\n\n\xE4\xC1\n")?;
/// let options = TextOptions { threads: 1, json: true, opening: false.into(), selection: Default::default() };
/// let mut out = Vec::new();
/// texts(&[path], &Default::default(), &options, &mut out, &Progress::default())?;
/// let record: TextRecord = serde_json::from_slice(&out)?;
/// assert_eq!((record.used.as_str(), record.text.as_deref()), ("KOI8-R", Some("Да\n")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An error of `out` is returned as an error of the output `-`.
pub fn texts(
    inputs: &[PathBuf],
    policy: &Policy,
    options: &TextOptions,
    out: &mut (dyn Write + Send),
    progress: &Progress,
) -> Result<TextOutcome, Error> {
    let stage = TextStage {
        policy,
        json: options.json,
        parts: text_parts,
    };
    texts_with(inputs, &stage, options, out, progress)
}

/// Signature of the function that extracts the text of a message.
type Parts = for<'a> fn(&Message<'a>, &Policy, &mut Report) -> Vec<TextPart<'a>>;

/// Like [`texts`], with a stage of the caller.
fn texts_with(
    inputs: &[PathBuf],
    stage: &TextStage<'_>,
    options: &TextOptions,
    out: &mut (dyn Write + Send),
    progress: &Progress,
) -> Result<TextOutcome, Error> {
    let job = Job {
        sources: discover(inputs, options.opening.clone(), SkipScope::Inputs)?,
        limits: &stage.policy.limits,
        threads: options.threads,
        progress,
        skipped: SkipScope::Inputs,
        selection: &options.selection,
        stops_at_limit: true,
    };
    let mut sink = TextSink {
        out,
        failed: Vec::new(),
    };
    let account = run(job, stage, &mut sink, Summary::default())?;
    sink.out.flush().map_err(at_output)?;
    Ok(TextOutcome {
        failed: sink.failed,
        account,
    })
}

/// Returns the error of the output.
fn at_output(error: io::Error) -> Error {
    Error::Output(FileError::new("-", Operation::Write, error))
}

/// Writes text in archive order.
struct TextSink<'a> {
    out: &'a mut (dyn Write + Send),
    failed: Vec<String>,
}

impl ResultSink<BatchText> for TextSink<'_> {
    fn take(&mut self, text: &mut BatchText) -> Result<ControlFlow<()>, Error> {
        self.failed.append(&mut text.failed);
        self.out.write_all(&text.bytes).map_err(at_output)?;
        Ok(ControlFlow::Continue(()))
    }
}

/// Reads the text parts of all sources.
struct TextStage<'a> {
    policy: &'a Policy,
    json: bool,
    parts: Parts,
}

impl Stage for TextStage<'_> {
    type Output = BatchText;
    /// Path of the source as a JSON string.
    type State = Vec<u8>;

    fn takes_pieces(&self) -> bool {
        true
    }

    fn state(&self, source: &OpenSource<'_>) -> io::Result<Vec<u8>> {
        let mut file = Vec::new();
        source.input.name_in_json().put_json(&mut file);
        Ok(file)
    }

    /// Appends the text of each message. Of a message above the size limit, it reads the beginning and reports the rest.
    fn work(
        &self,
        source: &OpenSource<'_>,
        file: &mut Vec<u8>,
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        text: &mut BatchText,
    ) -> io::Result<()> {
        let out = &mut text.bytes;
        out.clear();
        out.shrink_to(8 << 20);
        let texts = SourceTexts {
            stage: self,
            source,
            file,
        };
        let mut more = feed.continued;
        for index in 0..feed.batch.entries.len() {
            let is_dropped = feed.is_dropped(index);
            let Batch { entries, bytes, .. } = &mut feed.batch;
            let entry = &entries[index];
            let begins = begins_message(entry, more);
            tally.messages += u64::from(begins);
            more = entry.more;
            if !begins || is_dropped {
                continue;
            }
            let start = out.len();
            let found = catch_unwind(AssertUnwindSafe(|| {
                if entry.kind != EntryKind::Oversize {
                    let raw = unquote_entry(entry, bytes, false);
                    return texts.message(entry, &bytes[raw], tally, out);
                }
                let head = head(&entries[index..], self.policy.limits.message);
                let beginning = Entry {
                    message: head,
                    froms: None,
                    ..entry.clone()
                };
                let raw = unquote_entry(&beginning, bytes, false);
                texts.beginning(entry, &bytes[raw], tally, out)
            }));
            match found {
                Ok(Ok(losses)) => tally.add_losses(losses),
                Ok(Err(packing)) => tally.packed(|| texts.address(entry), packing),
                Err(_) => {
                    out.truncate(start);
                    tally.add_losses(1);
                    text.failed.push(texts.address(entry).to_string());
                }
            }
        }
        Ok(())
    }
}

/// Text of a batch.
#[derive(Default)]
struct BatchText {
    bytes: Vec<u8>,
    /// Addresses of messages that caused a panic.
    failed: Vec<String>,
}

/// Reads the text parts of one source.
struct SourceTexts<'a> {
    stage: &'a TextStage<'a>,
    source: &'a OpenSource<'a>,
    /// Path of the source as a JSON string.
    file: &'a [u8],
}

impl SourceTexts<'_> {
    fn address(&self, entry: &Entry) -> Address {
        Address::of(&self.source.path, self.source.folder(), entry)
    }

    /// Parses a message. Returns the format of a file that is packed and has no text.
    fn parsed<'r>(&self, raw: &'r [u8]) -> Result<Message<'r>, Packing> {
        match Packing::of(raw) {
            Some(packing) => Err(packing),
            None => Ok(Message::parse(raw, &self.stage.policy.limits)),
        }
    }

    /// Appends the text parts of a message. Returns the number of losses, or the format of a message without text.
    fn message(
        &self,
        entry: &Entry,
        raw: &[u8],
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) -> Result<u64, Packing> {
        let message = self.parsed(raw)?;
        // Only losses count here.
        let mut report = Report::with_limit(0);
        for defect in message.defects() {
            if defect.kind == EventKind::MsgTooLarge {
                let (code, severity) = (defect.kind.code(), defect.kind.severity());
                let (offset, detail) = (defect.at.start as u64, defect.detail.to_string());
                tally.event(code, severity, || self.address(entry), offset, &detail);
            }
        }
        for part in (self.stage.parts)(&message, self.stage.policy, &mut report) {
            self.put(entry, &part, out);
        }
        Ok(report.losses())
    }

    /// Appends the text parts that end within `raw`, the beginning of a message above the limit, and reports the message.
    fn beginning(
        &self,
        entry: &Entry,
        raw: &[u8],
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) -> Result<u64, Packing> {
        let message = self.parsed(raw)?;
        let policy = self.stage.policy;
        let is_whole = |part: &TextPart<'_>| {
            let part = message.part(part.part);
            part.is_some_and(|part| part.body.end < raw.len())
        };
        let (mut read, mut losses) = (0, 0);
        let found = (self.stage.parts)(&message, policy, &mut Report::with_limit(0));
        for part in found.into_iter().filter(is_whole) {
            self.put(entry, &part, out);
            read += 1;
            losses += part.losses.len() as u64;
        }
        let kind = EventKind::MsgTooLarge;
        let words = if read == 1 { "part" } else { "parts" };
        let (limit, end) = (policy.limits.message, raw.len());
        let detail =
            format!("beyond {limit} bytes; {read} text {words} within the first {end} bytes read");
        let address = || self.address(entry);
        tally.event(kind.code(), kind.severity(), address, entry.offset, &detail);
        Ok(losses)
    }

    fn put(&self, entry: &Entry, part: &TextPart<'_>, out: &mut Vec<u8>) {
        if self.stage.json {
            let path = own_file(self.source.folder(), &entry.name);
            self.put_json(entry.ordinal, path.as_ref(), part, out);
        } else {
            put_plain(&part.text, out);
        }
    }

    /// Appends a text part as one line of JSON.
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
        json::lines(&part.text, out);
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

/// Returns the range of a message above the limit that is in its batch, at most `limit` bytes. `entries` begin with its first piece.
fn head(entries: &[Entry], limit: usize) -> Range<usize> {
    let mut head = entries[0].message.clone();
    for pair in entries.windows(2) {
        if !pair[0].more || pair[1].message.start != head.end {
            break;
        }
        head.end = pair[1].message.end;
    }
    head.start..head.end.min(head.start.saturating_add(limit))
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
    use std::sync::atomic::Ordering::Relaxed;

    fn run(path: &std::path::Path, threads: usize, json: bool) -> String {
        let mut out = Vec::new();
        let policy = Policy::default();
        let options = TextOptions {
            threads,
            json,
            opening: false.into(),
            selection: Selection::default(),
        };
        texts(
            &[path.to_owned()],
            &policy,
            &options,
            &mut out,
            &Progress::default(),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Keeps what is written, and changes the time of a file at the first write.
    struct TouchingWriter<'p> {
        file: Option<&'p std::path::Path>,
        written: Vec<u8>,
    }

    impl Write for TouchingWriter<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if let Some(path) = self.file.take() {
                let file = fs::File::options().write(true).open(path)?;
                file.set_modified(std::time::SystemTime::UNIX_EPOCH)?;
            }
            self.written.write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// The messages of an input that cannot be read to its end count, too.
    #[test]
    fn a_limit_holds_beside_an_input_that_changes() {
        let folder = tempfile::tempdir().unwrap();
        let message = b"From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: one\n\ntext\n\n";
        let [first, second] = ["1.mbox", "2.mbox"].map(|name| folder.path().join(name));
        fs::write(&first, message.repeat(50_000)).unwrap();
        fs::write(&second, message.repeat(100)).unwrap();
        let options = TextOptions {
            threads: 1,
            json: true,
            opening: false.into(),
            selection: Selection {
                limit: Some(50_003),
                ..Selection::default()
            },
        };
        let (policy, progress) = (Policy::default(), Progress::default());
        let mut out = TouchingWriter {
            file: Some(&first),
            written: Vec::new(),
        };
        let inputs = [first.clone(), second];
        let found = texts(&inputs, &policy, &options, &mut out, &progress).unwrap();
        assert_eq!(found.account.unread.len(), 1);
        let lines = memchr::memchr_iter(b'\n', &out.written).count();
        assert_eq!(lines, 50_003);
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
    fn fault_in_a_message_is_reported_and_others_continue() {
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
            opening: false.into(),
            selection: Selection::default(),
        };
        let stage = TextStage {
            policy: &policy,
            json: false,
            parts,
        };
        let outcome = texts_with(&inputs, &stage, &options, &mut out, &progress).unwrap();
        assert_eq!(outcome.failed, [format!("{}:1", path.display())]);
        assert_eq!(out, b"text 0\ntext 2\n");
        let progress = Progress::default();
        progress.interrupt.store(true, Relaxed);
        let stopped = texts(&inputs, &policy, &options, &mut Vec::new(), &progress);
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
