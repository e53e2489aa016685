//! Reads a mailbox front to back in bounded memory.
//!
//! Memory contains one batch, at most 1 MiB of look-ahead, and the current message up to its limit. Entries tile the file: bytes
//! outside messages, separators and trailers are gaps.
//!
//! # Limits
//! Standard input is a mailbox if its first 2 MiB begin with a separator or have several dated ones further on. Otherwise it is one
//! message. A Content-Length beyond the message limit is only trusted in a file, where the declared end can be read.

mod ends;
mod open_multipart;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;

use self::ends::GUARD;
use self::open_multipart::SeparatorsAhead;
use super::delimiters::Delimiters;
use super::profile::{Division, FileProfile, HEAD, STREAM_HEAD, SniffInput};
use super::split::{NEAR, quoted};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_names::is_named_mailbox;
use crate::mail_check;
use crate::packed::{CompressionEvents, Through, beginning, through};
use crate::packing::Packing;
use crate::{Batch, Entry, EntryKind, Flags, Profile, Quoting, ReadOptions, Source};

/// Bytes per piece of a message above the limit, or fewer if the limit is smaller.
const PIECE: u64 = 1 << 20;

/// A mailbox as a [`Source`].
pub(crate) struct Mailbox<R> {
    /// Path for error messages.
    path: PathBuf,
    window: super::window::Window<R>,
    /// The same file again, for reading far ahead.
    file: Option<FileIdentity>,
    /// The compressed file, to notice changes.
    outside: Option<FileIdentity>,
    /// Defects of the compression so far.
    defects: CompressionEvents,
    profile: FileProfile,
    batch: u64,
    limit: u64,
    finder: Finder<'static>,
    delimiters: Delimiters,
    separators_ahead: SeparatorsAhead,
    /// True if the separator of the current message is marked: each `From ` line in the message is quoted.
    is_marked: bool,
    state: State,
    ordinal: u64,
    /// Offset where the search for the next separator continues.
    scan: u64,
    guess_open: bool,
    /// True if `From ` occurred in the current message.
    froms: bool,
    /// True if the input is one message whose event is still to be reported.
    leading: bool,
    /// Events not yet covered by a batch.
    events: Vec<BoxEvent>,
}

/// A file and its metadata when reading began.
struct FileIdentity {
    file: File,
    size: u64,
    modified: Option<std::time::SystemTime>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Prelude,
    Message(Current),
    Done,
}

/// The entry that is being read.
#[derive(Clone, Copy, Debug)]
struct Current {
    /// Offset of the separator, or of the next piece.
    start: u64,
    /// Offset of the message, or of the piece in later pieces.
    message: u64,
    /// End of the message by its Content-Length, and offset of the next separator or the end of the file.
    declared: Option<(u64, u64)>,
    /// Offset up to which pieces of this message were returned. 0 while it is whole.
    pieces_to: u64,
}

/// Where the current message ends.
enum MessageEnd {
    /// At the next separator.
    Separator {
        message: Option<u64>,
        start: u64,
        end: u64,
    },
    /// At the end of the file.
    File { message: Option<u64> },
    /// Not before this offset, which exceeds the limit.
    Beyond(u64),
}

impl FileIdentity {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            file: file.try_clone()?,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

impl Mailbox<Through> {
    /// Reads a compressed file. Sniffs it first, without reading it twice to its end.
    pub(crate) fn from_packed(
        path: &Path,
        mut file: File,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let failed = at(path, Operation::Read);
        let outside = FileIdentity::of(&file).map_err(&failed)?;
        let mut inside = through(path, file.try_clone().map_err(&failed)?, u64::MAX)?;
        let head = beginning(&mut inside, HEAD as usize).map_err(&failed)?;
        let profile = FileProfile::of_start(&head).map_err(&failed)?;
        let is_mailbox = is_named_mailbox(&path.with_extension("")) || profile.is_mailbox();
        drop((inside, head));
        file.rewind().map_err(&failed)?;
        let known = Some((profile, is_mailbox));
        let mut mailbox = Self::from_through_known(
            path,
            through(path, file, options.max_expansion)?,
            known,
            options,
        )?;
        mailbox.outside = Some(outside);
        Ok(mailbox)
    }

    /// Reads a stream, compressed or not.
    ///
    /// # Errors
    /// Nothing can be decompressed, or the decompressed data have an unsupported format.
    pub(crate) fn from_through(
        path: &Path,
        input: Through,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        Self::from_through_known(path, input, None, options)
    }

    /// Like [`Self::from_through`]. `known` has the results of sniffing, if known, and whether the input is a mailbox.
    fn from_through_known(
        path: &Path,
        input: Through,
        known: Option<(FileProfile, bool)>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let (defects, packing) = (input.defects.clone(), input.packing);
        let mailbox = Self::from_known(path, input, known, options);
        let mut mailbox = mailbox.map_err(at(path, Operation::Read))?;
        if let Some(refused) =
            Packing::of_file(mailbox.window.data()).filter(|inside| !inside.is_read())
        {
            return Err(Error::new(
                path,
                Operation::Read,
                ErrorKind::NotRead(refused),
            ));
        }
        if mailbox.window.end() == 0
            && let Some(damage) = defects
                .take()
                .into_iter()
                .find(|event| event.kind.is_loss())
        {
            let kind = ErrorKind::NothingDecompressed(damage.detail);
            return Err(Error::new(path, Operation::Read, kind));
        }
        mailbox.defects = defects;
        if let Some(packing) = packing {
            for word in [", ", packing.words()] {
                mailbox.profile.shown.dialect.push_str(word);
            }
        }
        Ok(mailbox)
    }
}

impl Mailbox<File> {
    /// Opens a regular file.
    pub(crate) fn from_file(path: &Path, file: File, options: &ReadOptions) -> io::Result<Self> {
        let again = FileIdentity::of(&file)?;
        let profile = FileProfile::sniff(&SniffInput::File(&file, again.size))?;
        let window = super::window::Window::new(file, options.batch);
        let mut mailbox = Self::new(path, window, Some(again), profile, options);
        if mailbox.profile.is_one_message() {
            mailbox.check_mail(options)?;
        }
        Ok(mailbox)
    }
}

impl<R: Read> Mailbox<R> {
    /// Reads a stream that cannot be read twice. Its beginning decides whether it is a mailbox.
    #[cfg(test)]
    pub(crate) fn from_stream(path: &Path, input: R, options: &ReadOptions) -> io::Result<Self> {
        Self::from_known(path, input, None, options)
    }

    /// Reads a stream. Sniffs its beginning unless the result is `known`.
    fn from_known(
        path: &Path,
        input: R,
        known: Option<(FileProfile, bool)>,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let mut window = super::window::Window::new(input, options.batch);
        window.reach(if known.is_some() {
            NEAR as u64
        } else {
            STREAM_HEAD
        })?;
        let (profile, is_mailbox) = if let Some(known) = known {
            known
        } else {
            let start = &window.data()[..window.data().len().min(STREAM_HEAD as usize)];
            let whole = window.ended() && start.len() == window.data().len();
            let profile = FileProfile::sniff(&SniffInput::Start(start, whole))?;
            let is_mailbox = profile.is_mailbox();
            (profile, is_mailbox)
        };
        let mut mailbox = Self::new(path, window, None, profile, options);
        if !is_mailbox {
            mailbox.open_single();
        }
        if !is_mailbox || mailbox.profile.is_one_message() {
            mailbox.check_mail(options)?;
        }
        Ok(mailbox)
    }

    fn new(
        path: &Path,
        window: super::window::Window<R>,
        file: Option<FileIdentity>,
        profile: FileProfile,
        options: &ReadOptions,
    ) -> Self {
        let delimiters = Delimiters::new(profile.bare_cr);
        let needle = if profile.division == Division::Mmdf {
            "\x01\x01\x01\x01"
        } else {
            "From "
        };
        let mut events = Vec::new();
        if profile.bad_length {
            let detail = BoxDetail::WrongLengths;
            events.push(BoxEvent::new(BoxEventKind::BadLength, 0, detail));
        }
        Self {
            path: path.to_owned(),
            window,
            file,
            outside: None,
            defects: CompressionEvents::default(),
            guess_open: profile.quoting_guess,
            profile,
            batch: options.batch.max(1) as u64,
            limit: options.message_limit.max(1) as u64,
            finder: Finder::new(needle),
            delimiters,
            separators_ahead: SeparatorsAhead::default(),
            is_marked: false,
            state: State::Prelude,
            froms: false,
            leading: false,
            ordinal: 0,
            scan: 0,
            events,
        }
    }

    /// Fills a batch with whole entries.
    fn fill(&mut self, batch: &mut Batch) -> io::Result<bool> {
        batch.entries.clear();
        batch.events.clear();
        loop {
            let taken = batch
                .entries
                .last()
                .map_or(0, |entry| entry.span.end as u64);
            if taken >= self.batch {
                break;
            }
            match self.state {
                State::Prelude => self.begin(&mut batch.entries)?,
                State::Message(current) => {
                    let end = self.find_end(&current)?;
                    self.give_out(current, &end, &mut batch.entries)?;
                }
                State::Done => break,
            }
        }
        let cut = batch.entries.last().map_or(0, |entry| entry.span.end);
        let offset = self.window.base() + cut as u64;
        let searching = !matches!(self.state, State::Done)
            && self.scan != u64::MAX
            && self.profile.division == Division::FromLines;
        if searching && cut > 0 {
            self.window.reach(offset + Delimiters::reach())?;
            self.delimiters
                .advance_to(self.window.data(), self.window.base(), offset);
        }
        self.window.hand_over(offset, &mut batch.bytes);
        let all = matches!(self.state, State::Done);
        self.events.sort_by_key(|event| event.offset);
        batch.events.extend(
            self.events
                .extract_if(.., |event| all || event.offset < offset),
        );
        if all {
            batch.events.append(&mut self.defects.take());
        }
        Ok(!batch.entries.is_empty() || !batch.events.is_empty())
    }

    /// Rejects a single message without a header field, unless `force_format` is set.
    fn check_mail(&mut self, options: &ReadOptions) -> io::Result<()> {
        self.window.reach(mail_check::BEGINNING as u64)?;
        if options.force_format
            || Packing::of_file(self.window.data()).is_some()
            || mail_check::is_mail(self.window.data())
        {
            return Ok(());
        }
        Err(ErrorKind::NoHeader.into())
    }

    /// Reads the input as one message.
    fn open_single(&mut self) {
        self.state = State::Message(Current {
            start: 0,
            message: 0,
            declared: None,
            pieces_to: 0,
        });
        self.scan = u64::MAX;
        self.leading = true;
        self.profile.quoting = Quoting::None;
        if self.window.end() == 0 {
            self.state = State::Done;
        }
    }

    fn event(&mut self, kind: BoxEventKind, offset: u64, detail: BoxDetail) {
        self.events.push(BoxEvent::new(kind, offset, detail));
    }

    /// Returns the prelude and opens the first message.
    fn begin(&mut self, entries: &mut Vec<Entry>) -> io::Result<()> {
        let prelude = self.profile.prelude;
        self.window.reach(prelude + NEAR as u64)?;
        if self.window.end() == 0 {
            self.state = State::Done;
            return Ok(());
        }
        let start = prelude.min(self.window.end());
        if start > 0 {
            let detail = BoxDetail::Prelude { bytes: start };
            self.event(BoxEventKind::Prelude, 0, detail);
            let span = 0..start as usize;
            let message = span.clone();
            entries.push(self.entry(EntryKind::Gap, 0, span, message, Quoting::None));
        }
        self.scan = start;
        if start == self.window.end() && self.window.ended() {
            self.state = State::Done;
            return Ok(());
        }
        let mut current = Current {
            start,
            message: start,
            declared: None,
            pieces_to: 0,
        };
        match self.profile.division {
            Division::Mmdf => {
                let run = self.mmdf_run(start)?;
                current.message = run.end;
                self.scan = run.end;
                if run.ends_file {
                    // Only delimiters.
                    self.state = State::Done;
                    let span = self.window.index(start)..self.window.index(run.end);
                    let message = span.clone();
                    entries.push(self.entry(EntryKind::Gap, start, span, message, Quoting::None));
                    return Ok(());
                }
            }
            Division::FromLines => {
                self.delimiters.begin(start);
                if let Some(end) = self.accept(start)? {
                    current = self.open_message(start, end)?;
                } else if self.profile.strong == 0 {
                    self.event(BoxEventKind::Single, start, BoxDetail::NoSeparator);
                } else if !self.profile.begins_with_field {
                    self.event(BoxEventKind::Gap, start, BoxDetail::TextBeforeSeparator);
                } else {
                    self.event(
                        BoxEventKind::Truncated,
                        start,
                        BoxDetail::FirstWithoutSeparator,
                    );
                }
            }
        }
        self.state = State::Message(current);
        Ok(())
    }

    /// Returns the current message or its next pieces, and opens the next message.
    fn give_out(
        &mut self,
        current: Current,
        end: &MessageEnd,
        entries: &mut Vec<Entry>,
    ) -> io::Result<()> {
        let (known, last) = match end {
            MessageEnd::Separator { start, .. } => (*start, true),
            MessageEnd::File { .. } => (self.window.end(), true),
            MessageEnd::Beyond(known) => (*known, false),
        };
        let message_end = match end {
            MessageEnd::Separator {
                message: Some(at), ..
            }
            | MessageEnd::File { message: Some(at) } => *at,
            _ if last => self.without_blank_line(current.message, known),
            _ => known,
        };
        let mut current = current;
        if self.guess_open && current.declared.is_some() {
            self.report_quoting_guess(current.message, message_end);
        }
        let is_too_large = current.pieces_to > 0 || message_end - current.message > self.limit;
        if is_too_large {
            self.give_out_pieces(&mut current, known, entries);
            if !last {
                self.state = State::Message(current);
                return Ok(());
            }
            let end = message_end.max(current.message);
            self.push_piece(&current, end, known, false, entries);
        } else {
            entries.push(self.whole_message(&current, message_end, known));
        }
        self.ordinal += 1;
        self.report_single();
        self.state = match end {
            MessageEnd::Separator { start, end, .. } if self.profile.division == Division::Mmdf => {
                self.scan = *end;
                State::Message(Current {
                    start: *start,
                    message: *end,
                    declared: None,
                    pieces_to: 0,
                })
            }
            MessageEnd::Separator { start, end, .. } => {
                State::Message(self.open_message(*start, *end)?)
            }
            _ => State::Done,
        };
        Ok(())
    }

    /// Returns all but the last piece of a message above the limit, up to `known`.
    fn give_out_pieces(&mut self, current: &mut Current, known: u64, entries: &mut Vec<Entry>) {
        if current.pieces_to == 0 {
            let detail = BoxDetail::LongerThan(self.limit);
            self.event(BoxEventKind::TooLarge, current.start, detail);
            current.pieces_to = current.start;
        }
        let piece = self.piece();
        // The bytes in memory are returned at once. Later batches return one piece or more.
        while known - current.message > piece + GUARD {
            let cut = self.line_start_before(current.message, current.message + piece);
            self.push_piece(current, cut, cut, true, entries);
            current.start = cut;
            current.message = cut;
            current.pieces_to = cut;
        }
    }

    /// Returns the entry of a message within the limit.
    fn whole_message(&self, current: &Current, message_end: u64, known: u64) -> Entry {
        let span = self.window.index(current.start)..self.window.index(known);
        let message = self.window.index(current.message)..self.window.index(message_end);
        let quoting = self.profile.quoting;
        let mut entry = self.entry(EntryKind::Message, current.start, span, message, quoting);
        // The search for the next separator read the whole message, so it found every `From `.
        let is_searched = self.profile.division == Division::FromLines
            && self.scan != u64::MAX
            && current.declared.is_none();
        entry.froms = is_searched.then_some(self.froms);
        entry
    }

    /// Reports a file that is one message, once.
    fn report_single(&mut self) {
        if !std::mem::take(&mut self.leading) {
            return;
        }
        let (offset, detail) = match self.profile.strong {
            0 => (self.profile.prelude, BoxDetail::NoSeparator),
            lines => (
                self.profile.first_strong,
                BoxDetail::LooksLikeMailbox { lines },
            ),
        };
        self.event(BoxEventKind::Single, offset, detail);
    }

    /// Reports the first `>From ` line of a message that was not searched, if its quoting is a guess.
    fn report_quoting_guess(&mut self, from: u64, to: u64) {
        let data = &self.window.data()[self.window.index(from)..self.window.index(to.max(from))];
        let found = self
            .finder
            .find_iter(data)
            .find(|at| quoted(data, *at).is_some());
        if let Some(at) = found {
            self.guess_open = false;
            self.event(
                BoxEventKind::QuotingGuess,
                from + at as u64,
                BoxDetail::UnknownQuoting,
            );
        }
    }

    fn push_piece(
        &self,
        current: &Current,
        message_end: u64,
        to: u64,
        more: bool,
        entries: &mut Vec<Entry>,
    ) {
        let span = self.window.index(current.start)..self.window.index(to);
        let message = self.window.index(current.message)..self.window.index(message_end);
        let mut entry = self.entry(
            EntryKind::Oversize,
            current.start,
            span,
            message,
            self.profile.quoting,
        );
        entry.more = more;
        entries.push(entry);
    }

    fn piece(&self) -> u64 {
        PIECE.min(self.limit)
    }

    /// Returns the last line start in `after + 1..=to`, or `to`.
    fn line_start_before(&self, after: u64, to: u64) -> u64 {
        let (from, to_index) = (self.window.index(after), self.window.index(to));
        let data = &self.window.data()[from..to_index];
        let Some(at) = memchr::memrchr2(b'\n', b'\r', data) else {
            return to;
        };
        // The LF of a CR may follow the cut.
        let split = at + 1 == data.len()
            && data[at] == b'\r'
            && self.window.data().get(to_index) == Some(&b'\n');
        if split { to + 1 } else { after + at as u64 + 1 }
    }

    /// Returns the end of a message without one trailing blank line.
    fn without_blank_line(&self, message: u64, end: u64) -> u64 {
        let bytes = &self.window.data()[self.window.index(message)..self.window.index(end)];
        let ([rest @ .., b'\r', b'\n'] | [rest @ .., b'\n' | b'\r']) = bytes else {
            return end;
        };
        if matches!(rest.last(), None | Some(b'\n' | b'\r')) {
            message + rest.len() as u64
        } else {
            end
        }
    }

    fn entry(
        &self,
        kind: EntryKind,
        offset: u64,
        span: Range<usize>,
        message: Range<usize>,
        quoting: Quoting,
    ) -> Entry {
        Entry {
            kind,
            more: false,
            ordinal: self.ordinal,
            offset,
            span,
            message,
            quoting,
            froms: None,
            flags: Flags::default(),
            name: Vec::new(),
            folder: String::new(),
        }
    }
}

impl<R: Read + Send> Source for Mailbox<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        self.fill(batch).map_err(at(&self.path, Operation::Read))
    }

    fn profile(&self) -> &Profile {
        &self.profile.shown
    }

    fn size_hint(&self) -> Option<u64> {
        self.file.as_ref().map(|identity| identity.size)
    }

    fn changed(&self) -> Result<bool, Error> {
        let Some(identity) = self.file.as_ref().or(self.outside.as_ref()) else {
            return Ok(false);
        };
        let now = identity.file.metadata();
        let now = now.map_err(at(&self.path, Operation::Open))?;
        Ok(now.len() != identity.size || now.modified().ok() != identity.modified)
    }
}
