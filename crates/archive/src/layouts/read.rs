//! Reads a file of any layout front to back in bounded memory.
//!
//! Memory contains one batch and the current message up to its limit. The entries tile the file.
//!
//! # Limits
//! The first piece of a message above the limit has the flags that stand before the message only.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::error::{Error, Operation, at};
use crate::file_identity::FileIdentity;
use crate::file_range::FileRange;
use crate::file_tree::FileTree;
use crate::packed::{CompressionEvents, Through};
use crate::source::{Batch, Entry, EntryKind, Flags, Profile, ReadOptions, Source};
use crate::window::Window;

/// Bytes per piece of a message above the limit, or fewer if the limit is smaller.
const PIECE: u64 = 1 << 20;
/// Number of bytes that must be known after a piece.
const GUARD: u64 = 256;
/// Number of bytes that show the line ends of a file.
const SAMPLE: u64 = 64 << 10;

/// A file of some layout as a [`Source`].
pub(crate) struct LayoutReader {
    /// Path for error messages.
    path: PathBuf,
    input: LayoutInput,
    divider: Box<dyn Divider>,
    profile: Profile,
    /// The file, to notice changes. None for a stream.
    identity: Option<FileIdentity>,
    /// The container of the file, to notice changes.
    container: Option<FileTree>,
    size: Option<u64>,
    /// Defects of the compression so far.
    defects: CompressionEvents,
    batch: u64,
    limit: u64,
    state: State,
    ordinal: u64,
}

enum State {
    /// An item begins at this offset.
    Begin(u64),
    Inside(OpenItem),
    Done,
}

/// The item that is being read.
struct OpenItem {
    /// Offset of its separator, or of the next piece.
    start: u64,
    item: Item,
    /// Offset where the search for its end continues.
    scan: u64,
    /// True if a piece of it was returned.
    in_pieces: bool,
}

impl OpenItem {
    /// Continues with the piece that begins at `at`.
    fn begin_piece(&mut self, at: u64) {
        self.start = at;
        self.item.message = at;
        self.in_pieces = true;
    }
}

impl LayoutReader {
    /// Reads a regular file.
    pub(crate) fn from_file(
        path: &Path,
        mut file: File,
        layout: &FileLayout,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        file.rewind()?;
        let identity = FileIdentity::of(&file)?;
        let again = FileRange::new(Arc::new(file.try_clone()?), 0..u64::MAX);
        let size = identity.size;
        let mut reader = Self::new(path, Box::new(file), Some(again), layout, options)?;
        reader.identity = Some(identity);
        reader.size = Some(size);
        Ok(reader)
    }

    /// Reads a stream, or a compressed file, which `outside` is.
    pub(crate) fn from_through(
        path: &Path,
        input: Through,
        outside: Option<&File>,
        layout: &FileLayout,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let (defects, packing) = (input.defects.clone(), input.packing);
        let mut reader = Self::new(path, Box::new(input), None, layout, options)?;
        reader.defects = defects;
        reader.identity = outside.map(FileIdentity::of).transpose()?;
        if let Some(packing) = packing {
            for word in [", ", packing.words()] {
                reader.profile.dialect.push_str(word);
            }
        }
        Ok(reader)
    }

    /// Reads a member of a container.
    pub(crate) fn from_member(
        path: &Path,
        input: Through,
        tree: &FileTree,
        layout: &FileLayout,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let is_packed = input.packing.is_some();
        let mut reader = Self::from_through(path, input, None, layout, options)?;
        if !is_packed {
            reader.input.look_into(tree.stored(path)?);
        }
        reader.container = Some(tree.clone());
        Ok(reader)
    }

    fn new(
        path: &Path,
        input: Box<dyn Read + Send>,
        file: Option<FileRange>,
        layout: &FileLayout,
        options: &ReadOptions,
    ) -> io::Result<Self> {
        let limit = options.message_limit.max(1) as u64;
        let batch = options.batch.max(1) as u64;
        let mut window = Window::new(input, options.batch);
        window.reach(1)?;
        let sample = &window.data()[..window.data().len().min(SAMPLE as usize)];
        let profile = Profile {
            dialect: layout.name.to_owned(),
            line_end: line_end(sample),
        };
        Ok(Self {
            path: path.to_owned(),
            input: LayoutInput::new(window, file, batch + limit + PIECE),
            divider: (layout.divider)(),
            profile,
            identity: None,
            container: None,
            size: None,
            defects: CompressionEvents::default(),
            batch,
            limit,
            state: State::Begin(0),
            ordinal: 0,
        })
    }

    /// Fills a batch with whole entries.
    fn fill(&mut self, batch: &mut Batch) -> io::Result<bool> {
        batch.entries.clear();
        batch.events.clear();
        let taken = |entries: &[Entry]| entries.last().map_or(0, |entry| entry.span.end as u64);
        while taken(&batch.entries) < self.batch {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Begin(start) => {
                    if self.input.near(start, 1)?.is_empty() {
                        break;
                    }
                    let item = self.divider.begin(&mut self.input, start)?;
                    self.state = State::Inside(OpenItem {
                        start,
                        scan: item.scan,
                        item,
                        in_pieces: false,
                    });
                }
                State::Inside(current) => self.state = self.advance(current, &mut batch.entries)?,
                State::Done => break,
            }
        }
        let cut = taken(&batch.entries);
        let offset = self.input.window.base() + cut;
        self.input.window.hand_over(offset, &mut batch.bytes);
        let all = matches!(self.state, State::Done);
        let events = &mut self.input.events;
        events.sort_by_key(|event| event.offset);
        let is_covered = |event: &mut BoxEvent| all || event.offset < offset;
        batch.events.extend(events.extract_if(.., is_covered));
        if all {
            batch.events.append(&mut self.defects.take());
        }
        Ok(!batch.entries.is_empty() || !batch.events.is_empty())
    }

    /// Reads on until the item ends, or until pieces of it can be returned.
    fn advance(&mut self, mut current: OpenItem, entries: &mut Vec<Entry>) -> io::Result<State> {
        loop {
            let input = &mut self.input;
            if let Some(end) = self.divider.end(input, &mut current.scan)? {
                self.finish(current, end, entries);
                return Ok(State::Begin(end.next));
            }
            let end = self.input.window.end();
            if self.input.window.ended() {
                if let Some(detail) = self.divider.unended() {
                    self.input.report(current.start, detail);
                }
                self.finish(current, ItemEnd::new(end, end), entries);
                return Ok(State::Done);
            }
            let known = current.scan.min(end);
            let limit = if current.item.is_message && !current.in_pieces {
                self.limit
            } else {
                self.piece()
            };
            if known.saturating_sub(current.item.message) > limit.saturating_add(GUARD) {
                self.give_out_pieces(&mut current, known, entries);
                return Ok(State::Inside(current));
            }
            self.input.window.fill()?;
        }
    }

    /// Returns the whole item, or the rest of it.
    fn finish(&mut self, mut current: OpenItem, end: ItemEnd, entries: &mut Vec<Entry>) {
        let message_end = end.message.max(current.item.message);
        let next = end.next.max(message_end);
        let length = message_end - current.item.message;
        current.item.flags.0 |= end.flags.0;
        if !current.item.is_message {
            self.give_out_pieces(&mut current, message_end, entries);
            if current.start < next {
                self.push(&current, EntryKind::Gap, message_end..next, false, entries);
            }
            return;
        }
        if current.in_pieces || length > self.limit {
            self.give_out_pieces(&mut current, message_end, entries);
            let ends = message_end..next;
            self.push(&current, EntryKind::Oversize, ends, false, entries);
        } else {
            let ends = message_end..next;
            self.push(&current, EntryKind::Message, ends, false, entries);
        }
        self.ordinal += 1;
    }

    /// Returns all but the last piece of a gap, or of a message above the limit, up to `known`.
    fn give_out_pieces(&mut self, current: &mut OpenItem, known: u64, entries: &mut Vec<Entry>) {
        let kind = if current.item.is_message {
            EntryKind::Oversize
        } else {
            EntryKind::Gap
        };
        if !current.in_pieces && current.item.is_message {
            let detail = BoxDetail::LongerThan(self.limit);
            self.input
                .report_as(BoxEventKind::TooLarge, current.start, detail);
            // The omitted bytes follow the first piece.
            let omitted = std::mem::take(&mut current.item.omitted);
            if !omitted.is_empty() {
                self.push(current, kind, omitted.clone(), true, entries);
                current.begin_piece(omitted.end);
            }
            current.in_pieces = true;
        }
        let piece = self.piece();
        while known.saturating_sub(current.item.message) > piece + GUARD {
            let from = current.item.message;
            let cut = self.input.window.line_start_before(from, from + piece);
            let more = current.item.is_message;
            self.push(current, kind, cut..cut, more, entries);
            current.begin_piece(cut);
        }
    }

    /// Adds an entry. The message ends where `ends` begins, and the entry where it ends.
    fn push(
        &self,
        current: &OpenItem,
        kind: EntryKind,
        ends: Range<u64>,
        more: bool,
        entries: &mut Vec<Entry>,
    ) {
        let window = &self.input.window;
        let index = |range: Range<u64>| window.index(range.start)..window.index(range.end);
        let span = index(current.start..ends.end);
        let message = if kind == EntryKind::Gap {
            span.clone()
        } else {
            index(current.item.message..ends.start)
        };
        let omitted = if kind == EntryKind::Message && !current.item.omitted.is_empty() {
            index(current.item.omitted.clone())
        } else {
            0..0
        };
        let flags = if kind == EntryKind::Gap {
            Flags::default()
        } else {
            current.item.flags
        };
        entries.push(Entry {
            more,
            message,
            omitted,
            flags,
            ..Entry::new(kind, self.ordinal, current.start, span)
        });
    }

    fn piece(&self) -> u64 {
        PIECE.min(self.limit)
    }
}

impl Source for LayoutReader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        self.fill(batch).map_err(at(&self.path, Operation::Read))
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn size_hint(&self) -> Option<u64> {
        self.size
    }

    fn changed(&self) -> Result<bool, Error> {
        if let Some(container) = &self.container {
            return container.is_changed();
        }
        let changed = self
            .identity
            .as_ref()
            .map_or(Ok(false), FileIdentity::changed);
        changed.map_err(at(&self.path, Operation::Open))
    }
}

/// Returns the line ends of a sample, as a [`Profile`] names them.
fn line_end(sample: &[u8]) -> &'static str {
    let crlf = memchr::memmem::find_iter(sample, b"\r\n").count();
    let lf = memchr::memchr_iter(b'\n', sample).count() - crlf;
    let cr = memchr::memchr_iter(b'\r', sample).count() - crlf;
    match (lf, crlf, cr) {
        (_, 0, 0) => "LF",
        (0, _, 0) => "CRLF",
        (0, 0, _) => "CR",
        _ => "mixed",
    }
}
