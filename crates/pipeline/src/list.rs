//! Lists the messages of archives with date, sender and subject: a stage of the loop.
//!
//! # Limits
//!
//! Reads header fields only. A header with raw bytes is decoded together with its body, whose charset may be its own.

use crate::discover::{Opening, SourceInput, discover};
use crate::envelope::{self, DateSource};
use crate::error::Error;
use crate::json_file_name::{FileName, own_file};
use crate::progress::Progress;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{EndedSource, Job, OpenSource, ResultSink, Stage, run};
use crate::selection::Selection;
use crate::skip_scope::SkipScope;
use crate::summary::Summary;
use crate::tally::Tally;
use mailglot_archive::{Entry, EntryKind, Error as FileError, Operation};
use mailglot_mime::Policy;
use mailglot_mime::fields::Date;
use serde::{Serialize, Serializer};
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A message of an archive, as `ls --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct ListedMessage {
    /// Path of the archive, for addresses. JSON has [`Self::file`].
    #[serde(skip)]
    pub archive: Arc<Path>,
    /// Path of the archive as given.
    pub file: FileName,
    /// Ordinal of the message, from 0.
    pub message: u64,
    /// The file of the message, if it is a file of its own in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Folder of the message in a Maildir or a tree of messages. Empty for the root.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Offset of the message's first byte in its file.
    pub offset: u64,
    /// Bytes of the message in its file, with the quoting of the mailbox.
    pub length: u64,
    /// Date of the message, in RFC 3339. None if it cannot be read.
    #[serde(serialize_with = "rfc_3339")]
    pub date: Option<Date>,
    /// Where the date stands: `field` (Date) or `separator`. None without a date.
    pub date_source: Option<&'static str>,
    /// The decoded mailboxes of From, joined by `, `. Empty without any.
    pub from: String,
    /// The decoded Subject. None without one.
    pub subject: Option<String>,
    /// Message-ID without angle brackets. None without one.
    pub message_id: Option<String>,
}

#[allow(clippy::ref_option, reason = "serde calls it with the field")]
fn rfc_3339<S: Serializer>(date: &Option<Date>, serializer: S) -> Result<S::Ok, S::Error> {
    match date {
        None => serializer.serialize_none(),
        Some(date) => serializer.collect_str(date),
    }
}

/// Options of [`list`].
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// How inputs are opened.
    pub opening: Opening,
    /// The messages to list. Reading stops at its limit.
    pub selection: Selection,
    /// How header fields are decoded.
    pub policy: Policy,
    /// Number of worker threads, at least 1. Does not affect the order.
    pub threads: usize,
}

/// Lists the messages of `inputs` in order, and calls `each` for each of them.
///
/// [`Summary::unread`] lists unreadable inputs.
///
/// # Errors
/// An error of `each` is returned as an error of the output `-`.
pub fn list(
    inputs: &[PathBuf],
    options: &ListOptions,
    progress: &Progress,
    each: &mut (dyn FnMut(&ListedMessage) -> io::Result<()> + Send),
) -> Result<Summary, Error> {
    let job = Job {
        sources: discover(inputs, options.opening.clone(), SkipScope::Inputs)?,
        limits: &options.policy.limits,
        threads: options.threads,
        progress,
        skipped: SkipScope::Inputs,
        selection: &options.selection,
        stops_at_limit: true,
    };
    let stage = ListStage {
        policy: &options.policy,
    };
    let mut sink = ListSink { each, begun: None };
    run(job, &stage, &mut sink, Summary::default())
}

/// Reads the header fields of all messages.
struct ListStage<'a> {
    policy: &'a Policy,
}

impl Stage for ListStage<'_> {
    type Output = Vec<ListedPiece>;
    type State = ListedArchive;

    fn takes_pieces(&self) -> bool {
        true
    }

    fn state(&self, source: &OpenSource<'_>) -> io::Result<ListedArchive> {
        Ok(ListedArchive {
            path: source.input.found.path.as_path().into(),
            file: source.input.name_in_json(),
        })
    }

    fn work(
        &self,
        source: &OpenSource<'_>,
        archive: &mut ListedArchive,
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        pieces: &mut Vec<ListedPiece>,
    ) -> io::Result<()> {
        pieces.clear();
        let mut more = feed.continued;
        for (index, entry) in feed.batch.entries.iter().enumerate() {
            let continued = std::mem::replace(&mut more, entry.more);
            let begins = begins_message(entry, continued);
            tally.messages += u64::from(begins);
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if !is_message || feed.is_dropped(index) {
                continue;
            }
            pieces.push(if begins {
                let listed = self.listed(source, archive, entry, &feed.batch.bytes);
                ListedPiece::First(Box::new(listed), entry.more)
            } else {
                ListedPiece::Further(entry.message.len() as u64, entry.more)
            });
        }
        Ok(())
    }
}

/// A message, or a piece of one above the size limit.
enum ListedPiece {
    /// A message or its first piece, and true if another piece follows.
    First(Box<ListedMessage>, bool),
    /// Bytes of a further piece, and true if another one follows.
    Further(u64, bool),
}

/// The paths of an archive, for each of its messages.
struct ListedArchive {
    path: Arc<Path>,
    file: FileName,
}

/// Returns the offset of the first byte of a message. An empty one has none: its separator then tells it from the next message.
fn first_byte(entry: &Entry) -> u64 {
    let separator = if entry.message.is_empty() {
        0
    } else {
        entry.message.start - entry.span.start
    };
    entry.offset + separator as u64
}

impl ListStage<'_> {
    fn listed(
        &self,
        source: &OpenSource<'_>,
        archive: &ListedArchive,
        entry: &Entry,
        batch: &[u8],
    ) -> ListedMessage {
        let raw = &*entry.message_in(batch);
        let separator = &batch[entry.span.start..entry.message.start];
        let mut listed = ListedMessage {
            archive: Arc::clone(&archive.path),
            file: archive.file.clone(),
            message: entry.ordinal,
            path: own_file(source.folder(), &entry.name),
            folder: entry.folder.clone(),
            offset: first_byte(entry),
            length: entry.message.len() as u64,
            date: None,
            date_source: None,
            from: String::new(),
            subject: None,
            message_id: None,
        };
        // A panic in one message must not hide the others: its fields stay empty.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let dated = envelope::dated(raw, separator);
            listed.date = dated.map(|(date, _)| date);
            listed.date_source = dated.map(|(_, source)| DateSource::name(source));
            let mail = envelope::mail(raw, self.policy);
            let from = mail.from();
            let names: Vec<String> = from.iter().map(ToString::to_string).collect();
            listed.from = names.join(", ");
            listed.subject = mail.subject().map(std::borrow::Cow::into_owned);
            listed.message_id = mail.message_id();
        }));
        listed
    }
}

/// Joins pieces and passes on whole messages.
struct ListSink<'a> {
    each: &'a mut (dyn FnMut(&ListedMessage) -> io::Result<()> + Send),
    /// A message whose other pieces follow.
    begun: Option<Box<ListedMessage>>,
}

impl ListSink<'_> {
    fn give(&mut self) -> Result<(), Error> {
        let given = self
            .begun
            .take()
            .map_or(Ok(()), |listed| (self.each)(&listed));
        given.map_err(|error| Error::Output(FileError::new("-", Operation::Write, error)))
    }
}

impl ResultSink<Vec<ListedPiece>> for ListSink<'_> {
    fn begin(&mut self, _: usize, _: &SourceInput) -> Result<(), Error> {
        // A message that could not be read to its end.
        self.give()
    }

    fn take(&mut self, pieces: &mut Vec<ListedPiece>) -> Result<ControlFlow<()>, Error> {
        for piece in pieces.drain(..) {
            let more = match piece {
                ListedPiece::First(listed, more) => {
                    self.begun = Some(listed);
                    more
                }
                ListedPiece::Further(bytes, more) => {
                    if let Some(begun) = &mut self.begun {
                        begun.length += bytes;
                    }
                    more
                }
            };
            if !more {
                self.give()?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, _: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        self.give()?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(threads: usize) -> ListOptions {
        ListOptions {
            opening: false.into(),
            selection: Selection::default(),
            policy: Policy::default(),
            threads,
        }
    }

    fn listed(path: &std::path::Path, options: &ListOptions) -> Vec<ListedMessage> {
        let mut all = Vec::new();
        let mut each = |listed: &ListedMessage| {
            all.push(listed.clone());
            Ok(())
        };
        list(&[path.to_owned()], options, &Progress::default(), &mut each).unwrap();
        all
    }

    #[test]
    fn fields_are_decoded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let first = "From a@b Mon Jan  1 00:00:00 2001\n";
        let message = b"From: =?iso-8859-1?Q?J=F6rg?= <j@b>, c@d\nSubject: gr\xfc\xdfe\n you\nMessage-Id: <1@b>\n\
            Date: Mon, 2 Mar 1998 10:00:00 +0100\n\nx\n";
        let second = "\nFrom a@b Mon Jan  1 00:00:01 2001\nFrom: \nX: y\n\n";
        let bytes = [first.as_bytes(), message, second.as_bytes()].concat();
        std::fs::write(&path, &bytes).unwrap();
        let all = listed(&path, &options(1));
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].from, "Jörg <j@b>, c@d");
        assert_eq!(all[0].subject.as_deref(), Some("grüße you"));
        assert_eq!(all[0].message_id.as_deref(), Some("1@b"));
        let place = all[0].offset as usize..(all[0].offset + all[0].length) as usize;
        assert_eq!(&bytes[place], message);
        let json = serde_json::to_value(&all[0]).unwrap();
        assert_eq!(json["date"], "1998-03-02T10:00:00+01:00");
        assert_eq!((&*all[1].from, &all[1].subject), ("", &None));
        assert_eq!(all[1].date_source, Some("separator"));
        let json = serde_json::to_value(&all[1]).unwrap();
        assert_eq!(
            (&json["message"], &json["subject"]),
            (&1.into(), &serde_json::Value::Null)
        );
    }

    #[test]
    fn a_large_message_is_listed_once_with_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let message = |n: usize, lines: usize| {
            let body = "a line of text\n".repeat(lines);
            format!("From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: {n}\n\n{body}\n")
        };
        let mbox: String = [1, 20_000, 1]
            .iter()
            .enumerate()
            .map(|(n, lines)| message(n, *lines))
            .collect();
        std::fs::write(&path, &mbox).unwrap();
        let whole = listed(&path, &options(1));
        let mut small = options(3);
        small.policy.limits.message = 50_000;
        let pieces = listed(&path, &small);
        let places = |list: &[ListedMessage]| -> Vec<_> {
            list.iter()
                .map(|one| (one.offset, one.length, one.subject.clone()))
                .collect()
        };
        assert_eq!(whole.len(), 3);
        assert_eq!(places(&pieces), places(&whole));
    }
}
