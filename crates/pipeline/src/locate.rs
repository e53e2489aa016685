//! Finds messages by address: a stage of the loop.
//!
//! # Limits
//!
//! Reads an archive from the front to the message, because there is no index. For the offset of a byte, reads only the part of a mailbox
//! before that byte. Of a message in pieces, a run of `>` before `From ` keeps its first `>` if the run begins in an earlier piece.

use crate::address::{MessageAddress, MessageChoice};
use crate::discover::{Opening, SourceInput, discover};
use crate::envelope;
use crate::error::{Error, UnreadInput, UsageError};
use crate::json_file_name::{FileName, own_file};
use crate::large_message::unquote_entry;
use crate::progress::Progress;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{EndedSource, Job, OpenSource, ResultSink, Stage, run};
use crate::selection::Selection;
use crate::skip_scope::SkipScope;
use crate::summary::Summary;
use crate::tally::Tally;
use mailglot_archive::mbox::{MailboxRange, MailboxStarts};
use mailglot_archive::{
    Batch, Entry, EntryKind, Error as FileError, ErrorKind, Format, InputRange, Operation,
    is_mbox_file,
};
use mailglot_mime::{Limits, Mail};
use std::io;
use std::ops::{ControlFlow, Range};

/// A message extracted from an archive, unquoted.
#[derive(Clone, Debug)]
pub struct Located {
    /// `path` or `path:ordinal`; `path@offset` if the mailbox was not read from its start
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

/// A message extracted from an archive, or a piece of one above 64 MiB, unquoted.
#[derive(Clone, Debug)]
pub struct LocatedPiece<'b> {
    /// `path` or `path:ordinal`; `path@offset` if the mailbox was not read from its start
    pub address: String,
    /// The file of the message, if it is a file of its own in a folder.
    pub path: Option<FileName>,
    /// Byte range of the piece in its file, still quoted.
    pub place: Range<u64>,
    /// Byte range that also includes its separator line and the blank line after it.
    pub entry: Range<u64>,
    /// The piece.
    pub bytes: &'b [u8],
    /// True for a piece that continues the previous one.
    pub continued: bool,
    /// True if the next piece continues it.
    pub more: bool,
}

/// Finds the messages of an address and passes them to `each` one by one until it breaks.
///
/// [`Summary::unread`] lists unreadable inputs, and an address that names no message.
///
/// # Errors
/// The address names a byte of a folder or of a message store.
pub fn locate(
    address: &MessageAddress,
    opening: impl Into<Opening>,
    each: &mut (dyn FnMut(Located) -> ControlFlow<()> + Send),
) -> Result<Summary, Error> {
    let mut begun: Option<Located> = None;
    let mut join = |piece: LocatedPiece<'_>| {
        let more = piece.more;
        if !piece.continued {
            // The rest is missing if a message could not be read to its end.
            if let Some(located) = begun.replace(Located::new(piece)) {
                each(located)?;
            }
        } else if let Some(begun) = &mut begun {
            begun.bytes.extend_from_slice(piece.bytes);
            begun.place.end = piece.place.end;
            begun.entry.end = piece.entry.end;
        }
        let whole = begun.take_if(|_| !more);
        whole.map_or(ControlFlow::Continue(()), &mut *each)
    };
    let summary = locate_pieces(address, opening, &mut join)?;
    if let Some(located) = begun {
        // All sources have ended, so there is nothing to stop.
        let _ = each(located);
    }
    Ok(summary)
}

impl Located {
    /// Copies the first piece of a message.
    fn new(piece: LocatedPiece<'_>) -> Self {
        Self {
            address: piece.address,
            path: piece.path,
            place: piece.place,
            entry: piece.entry,
            bytes: piece.bytes.to_vec(),
        }
    }
}

/// Like [`locate`], passing a message above 64 MiB in pieces.
///
/// A message that is found by the offset of a byte is passed as a whole.
///
/// # Errors
/// The address names a byte of a folder or of a message store.
pub fn locate_pieces(
    address: &MessageAddress,
    opening: impl Into<Opening>,
    each: &mut (dyn FnMut(LocatedPiece<'_>) -> ControlFlow<()> + Send),
) -> Result<Summary, Error> {
    let opening = opening.into();
    let mut sources = discover(
        std::slice::from_ref(&address.path),
        opening.clone(),
        SkipScope::Inputs,
    )?;
    let member = address.member_of_container();
    let mut address = address;
    if sources.inputs.is_empty()
        && let Some(member) = &member
    {
        let found = discover(
            std::slice::from_ref(&member.path),
            opening,
            SkipScope::Inputs,
        )?;
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
        let is_store = matches!(&sources.inputs[..], [one] if one.found.store.is_some());
        let error = if is_store {
            UsageError::OffsetInStore
        } else {
            UsageError::OffsetInFolder
        };
        return Err(error(path.clone()).into());
    }
    if let (MessageChoice::Offset(offset), [input]) = (choice, &mut sources.inputs[..]) {
        input.found.range = range_before(input, *offset).map(InputRange::Mailbox);
    }
    let job = Job {
        sources,
        limits: &Limits::default(),
        threads: 1,
        progress: &Progress::default(),
        skipped: SkipScope::Inputs,
        selection: &Selection::default(),
        stops_at_limit: false,
    };
    let mut sink = LocateSink {
        each,
        choice,
        open: None,
        joined: None,
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

/// Returns a part of a mailbox that has the message with the byte at `offset`. `None` if the archive must be read from its start, where
/// errors are reported, too.
fn range_before(input: &SourceInput, offset: u64) -> Option<MailboxRange> {
    /// Bytes before the offset that the smallest part has. Each next one has more, for larger messages.
    const REACH: u64 = 1 << 20;
    const GROWTH: u64 = 16;
    let path = &input.found.path;
    if offset <= REACH || path.as_os_str() == "-" || !is_mbox_file(&input.found).ok()? {
        return None;
    }
    let options = input.read_options(&Limits::default(), None);
    let starts = MailboxStarts::open(path, &options).ok()?;
    if !starts.is_local() || offset >= starts.size() {
        return None;
    }
    let mut reach = REACH;
    while let Some(from) = offset.checked_sub(reach).filter(|from| *from > 0) {
        if let Some(range) = starts.range(from, offset + 1).ok()? {
            return Some(range);
        }
        reach *= GROWTH;
    }
    None
}

/// Extracts the requested messages from the batches.
struct LocateStage<'a> {
    choice: &'a MessageChoice,
}

impl Stage for LocateStage<'_> {
    type Output = LocatedBatch;
    type State = ();

    fn takes_pieces(&self) -> bool {
        true
    }

    fn state(&self, _: &OpenSource<'_>) -> io::Result<()> {
        Ok(())
    }

    fn work(
        &self,
        source: &OpenSource<'_>,
        (): &mut (),
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        located: &mut LocatedBatch,
    ) -> io::Result<()> {
        located.pieces.clear();
        let mut more = feed.continued;
        let Batch { entries, bytes, .. } = &mut feed.batch;
        for (entry, midline) in entries.iter().zip(&feed.midline) {
            let continued = std::mem::replace(&mut more, entry.more);
            tally.messages += u64::from(begins_message(entry, continued));
            let is_message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            // The first piece decides for the others, which the sink passes on or discards.
            if is_message && (continued || self.may_be_wanted(entry, bytes)) {
                let mut piece = piece(source, entry, bytes, *midline);
                piece.continued = continued;
                located.pieces.push(piece);
            }
        }
        located.bytes = if located.pieces.is_empty() {
            Vec::new()
        } else {
            std::mem::take(bytes)
        };
        Ok(())
    }
}

/// The requested messages of a batch.
#[derive(Default)]
struct LocatedBatch {
    bytes: Vec<u8>,
    pieces: Vec<WantedPiece>,
}

/// A message or a piece of one, in the bytes of its batch.
struct WantedPiece {
    address: String,
    path: Option<FileName>,
    place: Range<u64>,
    entry: Range<u64>,
    span: Range<usize>,
    ordinal: u64,
    continued: bool,
    more: bool,
}

impl WantedPiece {
    fn with<'b>(&self, bytes: &'b [u8]) -> LocatedPiece<'b> {
        LocatedPiece {
            address: self.address.clone(),
            path: self.path.clone(),
            place: self.place.clone(),
            entry: self.entry.clone(),
            bytes,
            continued: self.continued,
            more: self.more,
        }
    }
}

impl LocateStage<'_> {
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

/// Returns the message of an entry, or a piece of it. Removes its quoting from the batch.
fn piece(source: &OpenSource<'_>, entry: &Entry, batch: &mut [u8], midline: bool) -> WantedPiece {
    let span = unquote_entry(entry, batch, midline);
    let in_file = |at: usize| entry.offset + (at - entry.span.start) as u64;
    let path = &source.path;
    WantedPiece {
        address: match (source.input.found.format, &source.input.found.range) {
            (Format::Eml, _) => path.clone(),
            (_, Some(_)) => format!("{path}@{}", entry.offset),
            (_, None) => format!("{path}:{}", entry.ordinal),
        },
        path: own_file(source.folder(), &entry.name),
        place: in_file(entry.message.start)..in_file(entry.message.end),
        entry: entry.offset..in_file(entry.span.end),
        span,
        ordinal: entry.ordinal,
        continued: false,
        more: entry.more,
    }
}

/// Passes on the requested messages.
struct LocateSink<'a> {
    each: &'a mut (dyn FnMut(LocatedPiece<'_>) -> ControlFlow<()> + Send),
    choice: &'a MessageChoice,
    /// Ordinal of a message whose other pieces follow.
    open: Option<u64>,
    /// The pieces so far of a message that may have the requested byte.
    joined: Option<(WantedPiece, Vec<u8>)>,
    given: u64,
}

impl LocateSink<'_> {
    /// Passes on a message or a piece of one.
    fn give(&mut self, piece: &WantedPiece, bytes: &[u8]) -> ControlFlow<()> {
        self.given += u64::from(!piece.continued);
        (self.each)(piece.with(bytes))?;
        // Several messages may have one Message-ID.
        let is_one = matches!(
            self.choice,
            MessageChoice::Ordinal(_) | MessageChoice::Offset(_)
        );
        if is_one && !piece.more {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Passes on a piece unless it continues a message that is not requested.
    fn pass(&mut self, piece: &WantedPiece, bytes: &[u8]) -> ControlFlow<()> {
        if piece.continued && self.open != Some(piece.ordinal) {
            return ControlFlow::Continue(());
        }
        self.open = piece.more.then_some(piece.ordinal);
        self.give(piece, bytes)
    }

    /// Joins the pieces of a message, and passes it on if it has the byte at `offset`.
    fn join(&mut self, piece: WantedPiece, bytes: &[u8], offset: u64) -> ControlFlow<()> {
        let (whole, joined) = match self.joined.take() {
            Some((mut begun, mut joined)) if piece.continued && begun.ordinal == piece.ordinal => {
                joined.extend_from_slice(bytes);
                begun.place.end = piece.place.end;
                begun.entry.end = piece.entry.end;
                begun.more = piece.more;
                (begun, joined)
            }
            // The first piece of this message was not requested.
            _ if piece.continued => return ControlFlow::Continue(()),
            _ => (piece, bytes.to_vec()),
        };
        if whole.more {
            self.joined = Some((whole, joined));
            return ControlFlow::Continue(());
        }
        self.give_joined(&whole, &joined, offset)
    }

    fn give_joined(&mut self, whole: &WantedPiece, bytes: &[u8], offset: u64) -> ControlFlow<()> {
        if whole.entry.contains(&offset) {
            self.give(whole, bytes)
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl ResultSink<LocatedBatch> for LocateSink<'_> {
    fn begin(&mut self, _: usize, _: &SourceInput) -> Result<(), Error> {
        (self.open, self.joined) = (None, None);
        Ok(())
    }

    fn take(&mut self, located: &mut LocatedBatch) -> Result<ControlFlow<()>, Error> {
        let batch = std::mem::take(&mut located.bytes);
        for piece in located.pieces.drain(..) {
            let bytes = &batch[piece.span.clone()];
            let passed = match self.choice {
                MessageChoice::Offset(offset) => self.join(piece, bytes, *offset),
                _ => self.pass(&piece, bytes),
            };
            if passed.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, _: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        if let (Some((mut whole, bytes)), MessageChoice::Offset(offset)) =
            (self.joined.take(), self.choice)
        {
            whole.more = false;
            // The source has ended, so there is nothing to stop.
            let _ = self.give_joined(&whole, &bytes, *offset);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Quoting;
    use mailglot_archive::mbox::unquote;
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

    #[test]
    fn a_byte_far_from_the_start_is_found_by_the_bytes_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        // A message above 1 MiB, and one that quotes a separator in a multipart.
        let body = |number: usize| match number {
            20 => "A line of a long message.\n".repeat(120_000),
            30 => format!(
                "--cut\n\n{}From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\n\n--cut--\n",
                "Text.\n".repeat(4_000)
            ),
            _ => format!("Text {number}.\n").repeat(8_000),
        };
        let message = |number: usize| {
            let fields = if number == 30 {
                "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=cut\n"
            } else {
                ""
            };
            let body = body(number);
            format!(
                "From a@b Mon Jan  1 00:00:00 2001\nFrom: a@b\nSubject: {number}\n{fields}\n{body}\n"
            )
        };
        let mailbox: String = (0..50).map(message).collect();
        std::fs::write(&path, mailbox).unwrap();
        let path = path.to_string_lossy();
        let found = |address: &str| {
            let mut found = Vec::new();
            let mut each = |located: Located| {
                found.push(located);
                ControlFlow::Continue(())
            };
            let address = MessageAddress::parse(OsStr::new(address));
            let summary = locate(&address, false, &mut each).unwrap();
            assert!(summary.unread.is_empty());
            found
        };
        let all = found(&path);
        assert_eq!(all.len(), 50);
        for (number, expected) in all.iter().enumerate() {
            let Range { start, end } = expected.entry;
            for offset in [start, start.midpoint(end), end - 1] {
                let near = found(&format!("{path}@{offset}"));
                let [near] = &near[..] else {
                    panic!("{offset}: {}", near.len());
                };
                assert!(near.bytes == expected.bytes, "{offset}");
                assert_eq!(
                    (&near.place, &near.entry),
                    (&expected.place, &expected.entry)
                );
                let is_far = number > 20;
                let address = if is_far {
                    format!("{path}@{start}")
                } else {
                    near.address.clone()
                };
                assert_eq!(near.address, address);
            }
        }
    }
}
