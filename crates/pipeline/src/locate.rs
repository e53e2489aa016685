//! Finds messages by address: a stage of the loop.
//!
//! # Limits
//!
//! Reads an archive from the front to the message, because there is no index.

use crate::address::{MessageAddress, MessageChoice};
use crate::discover::{Opening, SourceInput, discover_readable};
use crate::envelope;
use crate::error::{UnreadInput, UsageError};
use crate::file_name::own_file;
use crate::quote::line_end;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{EndedSource, Job, OpenSource, ResultSink, Stage, Worker, run};
use crate::selection::Selection;
use crate::tally::Tally;
use crate::{Error, FileName, Progress, Summary};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Entry, EntryKind, Error as FileError, ErrorKind, Format, Operation};
use mailglot_mime::{Limits, Mail};
use std::io;
use std::ops::{ControlFlow, Range};

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

/// Finds the messages of an address and passes them to `each` one by one until it breaks.
///
/// [`Summary::unread`] lists unreadable inputs, and an address that names no message.
///
/// # Errors
/// The address names a byte of a folder.
pub fn locate(
    address: &MessageAddress,
    opening: impl Into<Opening>,
    each: &mut (dyn FnMut(Located) -> ControlFlow<()> + Send),
) -> Result<Summary, Error> {
    let opening = opening.into();
    let mut sources = discover_readable(std::slice::from_ref(&address.path), opening.clone())?;
    let member = address.member_of_container();
    let mut address = address;
    if sources.inputs.is_empty()
        && let Some(member) = &member
    {
        let found = discover_readable(std::slice::from_ref(&member.path), opening)?;
        if !found.inputs.is_empty() {
            (sources, address) = (found, member);
        }
    }
    let MessageAddress { path, choice } = address;
    let is_found = !sources.inputs.is_empty();
    let is_file = matches!(
        &sources.inputs[..],
        [] | [SourceInput { folder: false, .. }]
    );
    if matches!(choice, MessageChoice::Offset(_)) && !is_file {
        return Err(UsageError::OffsetInFolder(path.clone()).into());
    }
    let job = Job {
        sources,
        limits: &Limits::default(),
        threads: 1,
        progress: &Progress::default(),
        skips_unreadable: true,
        selection: &Selection::default(),
        stops_at_limit: false,
    };
    let mut sink = LocateSink {
        each,
        choice,
        begun: None,
        given: 0,
    };
    let mut summary = run(job, &LocateStage { choice }, &mut sink, Summary::default())?;
    let missing = match choice {
        MessageChoice::All => None,
        MessageChoice::Ordinal(ordinal) => Some(ErrorKind::NoMessage(*ordinal)),
        MessageChoice::Offset(offset) => Some(ErrorKind::NoMessageAt(*offset)),
        MessageChoice::Id(id) => Some(ErrorKind::NoMessageId(id.clone())),
    };
    if let (Some(missing), 0, true) = (missing, sink.given, is_found) {
        let error = FileError::new(path, Operation::Read, missing);
        summary.unread.push(UnreadInput::new(path, error));
    }
    Ok(summary)
}

/// Extracts the requested messages from the batches.
struct LocateStage<'a> {
    choice: &'a MessageChoice,
}

impl Stage for LocateStage<'_> {
    type Output = Vec<LocatedPiece>;
    type Worker<'a>
        = LocateWorker<'a>
    where
        Self: 'a;

    fn worker<'a>(&'a self, source: &'a OpenSource<'a>) -> LocateWorker<'a> {
        LocateWorker {
            source,
            choice: self.choice,
        }
    }
}

/// A message, or a piece of one above the size limit.
struct LocatedPiece {
    located: Located,
    ordinal: u64,
    /// True for a piece that continues the previous one.
    continued: bool,
    /// True if the next piece continues it.
    more: bool,
}

struct LocateWorker<'a> {
    source: &'a OpenSource<'a>,
    choice: &'a MessageChoice,
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
            let continued = std::mem::replace(&mut more, entry.more);
            tally.messages += u64::from(begins_message(entry, continued));
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            // The first piece decides for the others, which the sink joins or discards.
            if is_message && (continued || self.may_be_wanted(entry, &feed.batch.bytes)) {
                let mut piece = self.piece(entry, &feed.batch.bytes, *midline);
                piece.continued = continued;
                pieces.push(piece);
            }
        }
        Ok(())
    }
}

impl LocateWorker<'_> {
    /// Returns true for a message that the address names, and for the first piece of one that it may name.
    fn may_be_wanted(&self, entry: &Entry, batch: &[u8]) -> bool {
        match self.choice {
            MessageChoice::All => true,
            MessageChoice::Ordinal(ordinal) => entry.ordinal == *ordinal,
            MessageChoice::Offset(offset) => {
                let end = entry.offset + entry.span.len() as u64;
                (entry.offset..end).contains(offset) || (entry.more && entry.offset <= *offset)
            }
            MessageChoice::Id(id) => {
                let message = entry.message_in(batch);
                Mail::parse(envelope::header(&message))
                    .message_id()
                    .as_ref()
                    == Some(id)
            }
        }
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
            continued: false,
            more: entry.more,
        }
    }
}

/// Joins pieces and passes on whole messages.
struct LocateSink<'a> {
    each: &'a mut (dyn FnMut(Located) -> ControlFlow<()> + Send),
    choice: &'a MessageChoice,
    /// A message whose other pieces follow.
    begun: Option<LocatedPiece>,
    given: u64,
}

impl LocateSink<'_> {
    fn give(&mut self, located: Located) -> ControlFlow<()> {
        if let MessageChoice::Offset(offset) = self.choice
            && !located.entry.contains(offset)
        {
            return ControlFlow::Continue(());
        }
        self.given += 1;
        (self.each)(located)?;
        // Several messages may have one Message-ID.
        if matches!(
            self.choice,
            MessageChoice::Ordinal(_) | MessageChoice::Offset(_)
        ) {
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
                Some(mut begun) if piece.continued && begun.ordinal == piece.ordinal => {
                    begun.located.bytes.extend_from_slice(&piece.located.bytes);
                    begun.located.place.end = piece.located.place.end;
                    begun.located.entry.end = piece.located.entry.end;
                    begun.more = piece.more;
                    begun
                }
                // The first piece of this message was not wanted.
                _ if piece.continued => continue,
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
    use std::ffi::OsStr;

    #[test]
    fn messages_are_found_by_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let entry = |n| {
            format!(
                "From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nMessage-ID: <{n}@x>\nSubject: {n}\n\n>From {n}\n\n"
            )
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
            let address = MessageAddress::parse(OsStr::new(address));
            let summary = locate(&address, false, &mut each).unwrap();
            match summary.unread.into_iter().next() {
                None => Ok(all),
                Some(unread) => Err(unread),
            }
        };
        let one = all(&format!("{path}:1")).unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(
            one[0].bytes,
            b"From: a@b\nMessage-ID: <1@x>\nSubject: 1\n\nFrom 1\n"
        );
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
        for located in all(&path).unwrap() {
            for offset in [
                located.entry.start,
                located.place.start,
                located.entry.end - 1,
            ] {
                let found = all(&format!("{path}@{offset}")).unwrap();
                assert_eq!((found.len(), &found[0].entry), (1, &located.entry));
            }
        }
        let missing = all(&format!("{path}@{end}")).unwrap_err().error;
        assert!(matches!(missing.kind(), ErrorKind::NoMessageAt(at) if *at == end));
        let found = all(&format!("{path}#<2@x>")).unwrap();
        assert_eq!(found[0].address, format!("{path}:2"));
        let missing = all(&format!("{path}#<3@x>")).unwrap_err().error;
        assert!(matches!(missing.kind(), ErrorKind::NoMessageId(id) if id == "3@x"));
        let missing = all(&format!("{path}:3")).unwrap_err().error;
        assert!(matches!(missing.kind(), ErrorKind::NoMessage(3)));
        let missing = all("no/such.mbox").unwrap_err().error;
        assert_eq!(missing.io_kind(), io::ErrorKind::NotFound);
        let mut seen = 0;
        let mut first = |_: Located| {
            seen += 1;
            ControlFlow::Break(())
        };
        locate(
            &MessageAddress::parse(OsStr::new(&*path)),
            false,
            &mut first,
        )
        .unwrap();
        assert_eq!(seen, 1);
    }
}
