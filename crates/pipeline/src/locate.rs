//! Finds messages by address: a stage of the loop.
//!
//! # Limits
//!
//! Reads an archive from the front to the message, because there is no index.

use crate::discover::{Opening, SourceInput, discover_readable};
use crate::error::UnreadInput;
use crate::file_name::own_file;
use crate::quote::line_end;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{EndedSource, Job, OpenSource, ResultSink, Stage, Worker, run};
use crate::tally::Tally;
use crate::{Error, FileName, Progress, Summary, backup};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Entry, EntryKind, Error as FileError, ErrorKind, Format, Operation};
use mailglot_mime::Limits;
use std::ffi::OsStr;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A message extracted from an archive, unquoted.
#[derive(Clone, Debug)]
pub struct Located {
    /// `path` or `path:ordinal`
    pub address: String,
    /// The file of the message, if it is a file of its own in a folder.
    pub path: Option<FileName>,
    /// Byte range of the message in its file, still quoted.
    pub place: Range<u64>,
    /// Byte range that also includes its separator line and the blank line after it.
    pub entry: Range<u64>,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Finds messages by address and passes them to `each` one by one until it breaks.
///
/// Addresses are `file.eml`, `-`, `box.mbox:17` (ordinal, from 0), `maildir:17`. An archive without an ordinal gives all its
/// messages. [`Summary::unread`] lists unreadable inputs.
pub fn locate(
    address: &OsStr,
    opening: impl Into<Opening>,
    each: &mut (dyn FnMut(Located) -> ControlFlow<()> + Send),
) -> Result<Summary, Error> {
    let (path, wanted) = split(address);
    let inputs = [path];
    let sources = discover_readable(&inputs, opening.into())?;
    let is_found = !sources.inputs.is_empty();
    let job = Job {
        sources,
        limits: &Limits::default(),
        threads: 1,
        progress: &Progress::default(),
        skips_unreadable: true,
    };
    let mut sink = LocateSink {
        each,
        is_one: wanted.is_some(),
        begun: None,
        given: 0,
    };
    let mut summary = run(job, &LocateStage { wanted }, &mut sink, Summary::default())?;
    if let (Some(ordinal), 0, true) = (wanted, sink.given, is_found) {
        let [path] = &inputs;
        let error = FileError::new(path, Operation::Read, ErrorKind::NoMessage(ordinal));
        summary.unread.push(UnreadInput::new(path, error));
    }
    Ok(summary)
}

/// Splits an address into path and ordinal. A path that exists has no ordinal, even with a colon in its name.
fn split(address: &OsStr) -> (PathBuf, Option<u64>) {
    let whole = (PathBuf::from(address), None);
    if backup::exists(Path::new(address)) {
        return whole;
    }
    let bytes = address.as_bytes();
    match bytes.iter().rposition(|&byte| byte == b':') {
        Some(colon) if colon > 0 && bytes[colon + 1..].iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(&bytes[colon + 1..])
                .ok()
                .and_then(|number| number.parse().ok());
            number.map_or(whole, |number| {
                (OsStr::from_bytes(&bytes[..colon]).into(), Some(number))
            })
        }
        _ => whole,
    }
}

/// Extracts the requested messages from the batches.
struct LocateStage {
    /// The ordinal of the message. None for all.
    wanted: Option<u64>,
}

impl Stage for LocateStage {
    type Output = Vec<LocatedPiece>;
    type Worker<'a> = LocateWorker<'a>;

    fn written_as(&self, _: usize, _: &SourceInput) -> Option<Format> {
        None
    }

    fn hashes(&self) -> bool {
        false
    }

    fn worker<'a>(&'a self, source: &'a OpenSource<'a>) -> LocateWorker<'a> {
        LocateWorker {
            source,
            wanted: self.wanted,
        }
    }
}

/// A message, or a piece of one above the size limit.
struct LocatedPiece {
    located: Located,
    ordinal: u64,
    /// True if the next piece continues it.
    more: bool,
}

struct LocateWorker<'a> {
    source: &'a OpenSource<'a>,
    wanted: Option<u64>,
}

impl Worker for LocateWorker<'_> {
    type State = ();
    type Output = Vec<LocatedPiece>;

    fn state(&self) -> io::Result<()> {
        Ok(())
    }

    fn work(
        &self,
        (): &mut (),
        feed: &NumberedBatch,
        tally: &mut Tally,
        pieces: &mut Vec<LocatedPiece>,
    ) -> io::Result<()> {
        pieces.clear();
        let mut more = feed.continued;
        for (entry, midline) in feed.batch.entries.iter().zip(&feed.midline) {
            tally.messages += u64::from(begins_message(entry, more));
            more = entry.more;
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if is_message && self.wanted.is_none_or(|wanted| wanted == entry.ordinal) {
                pieces.push(self.piece(entry, &feed.batch.bytes, *midline));
            }
        }
        Ok(())
    }
}

impl LocateWorker<'_> {
    fn piece(&self, entry: &Entry, batch: &[u8], midline: bool) -> LocatedPiece {
        let quoted = entry.message_in(batch);
        let (head, lines) = quoted.split_at(if midline { line_end(&quoted) } else { 0 });
        let mut bytes = head.to_vec();
        bytes.extend_from_slice(&unquote(lines, entry.quoting));
        let in_file = |at: usize| entry.offset + (at - entry.span.start) as u64;
        let path = &self.source.path;
        let located = Located {
            address: match self.source.input.found.format {
                Format::Eml => path.clone(),
                _ => format!("{path}:{}", entry.ordinal),
            },
            path: own_file(self.source.folder(), &entry.name),
            place: in_file(entry.message.start)..in_file(entry.message.end),
            entry: entry.offset..in_file(entry.span.end),
            bytes,
        };
        LocatedPiece {
            located,
            ordinal: entry.ordinal,
            more: entry.more,
        }
    }
}

/// Joins pieces and passes on whole messages.
struct LocateSink<'a> {
    each: &'a mut (dyn FnMut(Located) -> ControlFlow<()> + Send),
    /// True if a single message is requested.
    is_one: bool,
    /// A message whose other pieces follow.
    begun: Option<LocatedPiece>,
    given: u64,
}

impl LocateSink<'_> {
    fn give(&mut self, located: Located) -> ControlFlow<()> {
        self.given += 1;
        (self.each)(located)?;
        if self.is_one {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl ResultSink<Vec<LocatedPiece>> for LocateSink<'_> {
    fn begin(&mut self, _: usize, _: &SourceInput) -> Result<(), Error> {
        self.begun = None;
        Ok(())
    }

    fn take(&mut self, pieces: &mut Vec<LocatedPiece>) -> Result<ControlFlow<()>, Error> {
        for piece in pieces.drain(..) {
            let piece = match self.begun.take() {
                // The rest is missing if the message could not be read to its end.
                Some(mut begun) if begun.ordinal == piece.ordinal => {
                    begun.located.bytes.extend_from_slice(&piece.located.bytes);
                    begun.located.place.end = piece.located.place.end;
                    begun.located.entry.end = piece.located.entry.end;
                    begun.more = piece.more;
                    begun
                }
                _ => piece,
            };
            if piece.more {
                self.begun = Some(piece);
            } else if self.give(piece.located).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, _: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        if let Some(begun) = self.begun.take() {
            // The source has ended, so there is nothing to stop.
            let _ = self.give(begun.located);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Quoting;

    #[test]
    fn addresses_are_split_at_the_last_number() {
        for (address, path, ordinal) in [
            ("no/box.mbox:17", "no/box.mbox", Some(17)),
            ("no/box:x", "no/box:x", None),
            ("no/a:1:2", "no/a:1", Some(2)),
            ("-", "-", None),
            (":3", ":3", None),
            (
                "no/a:99999999999999999999",
                "no/a:99999999999999999999",
                None,
            ),
        ] {
            assert_eq!(
                split(OsStr::new(address)),
                (PathBuf::from(path), ordinal),
                "{address}"
            );
        }
    }

    #[test]
    fn messages_are_found_by_ordinal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let entry = |n| {
            format!("From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nSubject: {n}\n\n>From {n}\n\n")
        };
        let mbox: String = (0..3).map(entry).collect();
        std::fs::write(&path, mbox).unwrap();
        let path = path.to_string_lossy();
        let all = |address: &str| {
            let mut all = Vec::new();
            let mut each = |located: Located| {
                all.push(located);
                ControlFlow::Continue(())
            };
            let summary = locate(OsStr::new(address), false, &mut each).unwrap();
            match summary.unread.into_iter().next() {
                None => Ok(all),
                Some(unread) => Err(unread),
            }
        };
        let one = all(&format!("{path}:1")).unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].bytes, b"From: a@b\nSubject: 1\n\nFrom 1\n");
        assert_eq!(one[0].address, format!("{path}:1"));
        assert_eq!(all(&path).unwrap().len(), 3);
        let (file, mut end) = (std::fs::read(&*path).unwrap(), 0);
        let part = |range: &Range<u64>| &file[range.start as usize..range.end as usize];
        for (number, located) in all(&path).unwrap().iter().enumerate() {
            assert_eq!(part(&located.entry), entry(number).as_bytes());
            assert_eq!(
                unquote(part(&located.place), Quoting::Mboxrd),
                located.bytes
            );
            assert_eq!(located.entry.start, end);
            end = located.entry.end;
        }
        assert_eq!(end as usize, file.len());
        let missing = all(&format!("{path}:3")).unwrap_err().error;
        assert!(matches!(missing.kind(), ErrorKind::NoMessage(3)));
        let missing = all("no/such.mbox").unwrap_err().error;
        assert_eq!(missing.io_kind(), io::ErrorKind::NotFound);
        let mut seen = 0;
        let mut first = |_: Located| {
            seen += 1;
            ControlFlow::Break(())
        };
        locate(OsStr::new(&*path), false, &mut first).unwrap();
        assert_eq!(seen, 1);
    }
}
