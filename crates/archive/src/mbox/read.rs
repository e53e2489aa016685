//! Reads a mailbox front to back in bounded memory.
//!
//! Memory contains one batch, at most 1 MiB of look-ahead, and the current message up to its limit. Entries tile the file: bytes
//! outside messages, separators and trailers are gaps.
//!
//! # Limits
//! Standard input is a mailbox if its first 2 MiB begin with a separator or have several dated ones further on. Otherwise it is one
//! message. A Content-Length beyond the message limit is only trusted in a file, where the declared end can be read.

mod batch_cells;
mod ends;
mod entries;
mod inside_line;
mod mailbox;
mod open;
mod open_multipart;
mod open_range;

use std::io::{self, Read};

pub(crate) use self::mailbox::Mailbox;
use self::mailbox::{Current, ReadState};
use super::delimiters::Delimiters;
use super::split::NEAR;
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::error::{Error, Operation, at};
use crate::file_identity::FileIdentity;
use crate::mbox::division::Division;
use crate::source::{Batch, Entry, EntryKind, Profile, Quoting, Source};

impl<R: Read> Mailbox<R> {
    /// Fills a batch with whole entries.
    fn fill(&mut self, batch: &mut Batch) -> io::Result<bool> {
        batch.entries.clear();
        batch.events.clear();
        loop {
            match self.state {
                ReadState::Prelude => self.begin(&mut batch.entries)?,
                ReadState::Message(current) => {
                    let begins_batch = self.cells.enter(current.start, current.pieces_to > 0);
                    if begins_batch && !batch.entries.is_empty() {
                        break;
                    }
                    let end = self.find_end(&current)?;
                    self.give_out(current, &end, &mut batch.entries)?;
                }
                ReadState::Done => break,
            }
        }
        let cut = batch.entries.last().map_or(0, |entry| entry.span.end);
        let offset = self.window.base() + cut as u64;
        let searching = !matches!(self.state, ReadState::Done)
            && !self.is_undivided()
            && self.profile.division == Division::FromLines;
        if searching && cut > 0 {
            self.window.reach(offset + Delimiters::reach())?;
            self.delimiters
                .advance_to(self.window.data(), self.window.base(), offset);
        }
        self.window.hand_over(offset, &mut batch.bytes);
        let all = matches!(self.state, ReadState::Done);
        if all {
            self.report_unused_overrides();
        }
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

    /// Reports each override that named no line, once.
    fn report_unused_overrides(&mut self) {
        let overrides = std::mem::take(&mut self.options.overrides);
        for offset in overrides.keys() {
            if self.decides(*offset) && !self.used_overrides.contains(offset) {
                let (kind, detail) = (BoxEventKind::UnusedOverride, BoxDetail::UnusedOverride);
                self.event(kind, *offset, detail);
            }
        }
    }

    /// Returns the prelude and opens the first message.
    fn begin(&mut self, entries: &mut Vec<Entry>) -> io::Result<()> {
        let prelude = self.profile.prelude;
        self.window.reach(prelude + NEAR as u64)?;
        if self.window.end() == 0 {
            self.state = ReadState::Done;
            return Ok(());
        }
        let start = prelude.min(self.window.end());
        if start > 0 && self.from == 0 {
            let detail = BoxDetail::Prelude { bytes: start };
            self.event(BoxEventKind::Prelude, 0, detail);
            let span = 0..start as usize;
            let message = span.clone();
            entries.push(self.entry(EntryKind::Gap, 0, span, message, Quoting::None));
        }
        self.scan = start;
        if start == self.window.end() && self.window.ended() || start >= self.until {
            self.state = ReadState::Done;
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
                    self.state = ReadState::Done;
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
        self.state = ReadState::Message(current);
        Ok(())
    }
}

impl<R: Read + Send> Source for Mailbox<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        self.fill(batch).map_err(at(&self.path, Operation::Read))
    }

    fn profile(&self) -> &Profile {
        &self.profile.shown
    }

    fn is_one_message(&self) -> bool {
        let is_stream = self.file.is_none() && self.outside.is_none() && self.container.is_none();
        is_stream && self.is_undivided()
    }

    fn size_hint(&self) -> Option<u64> {
        let size = self.file.as_ref().map(|identity| identity.size)?;
        Some(self.until.min(size).saturating_sub(self.from))
    }

    fn changed(&self) -> Result<bool, Error> {
        if let Some(container) = &self.container {
            return container.is_changed();
        }
        let identity = self.file.as_ref().or(self.outside.as_ref());
        let changed = identity.map_or(Ok(false), FileIdentity::changed);
        changed.map_err(at(&self.path, Operation::Open))
    }
}
