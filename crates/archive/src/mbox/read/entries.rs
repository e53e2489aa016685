//! Returns messages, whole or in pieces, as entries.
//!
//! # Limits
//! The bytes of an entry must be in the window.

use std::io::{self, Read};
use std::ops::Range;

use super::mailbox::{Current, GUARD, Mailbox, MessageEnd, ReadState};
use crate::box_event::{BoxDetail, BoxEventKind};
use crate::line_ends::{without_line_end, without_padding};
use crate::mbox::division::Division;
use crate::mbox::split::quoted;
use crate::source::{Entry, EntryKind, Quoting};

impl<R: Read> Mailbox<R> {
    /// Returns the current message or its next pieces, and opens the next message.
    pub(super) fn give_out(
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
            _ if last => {
                let padding = self.padding(&current, known);
                self.without_blank_line(current.message, padding)
            }
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
                self.state = ReadState::Message(current);
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
            // The next message belongs to another range.
            MessageEnd::Separator { start, .. } if *start >= self.until => ReadState::Done,
            MessageEnd::Separator { start, end, .. } if self.profile.division == Division::Mmdf => {
                self.scan = *end;
                ReadState::Message(Current {
                    start: *start,
                    message: *end,
                    declared: None,
                    pieces_to: 0,
                })
            }
            MessageEnd::Separator { start, end, .. } => {
                ReadState::Message(self.open_message(*start, *end)?)
            }
            _ => ReadState::Done,
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
            let cut = self
                .window
                .line_start_before(current.message, current.message + piece);
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
            && !self.is_undivided()
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
            // A header without separators is one message, as in a file of its own.
            0 if self.profile.begins_with_field => return,
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

    /// Returns where a message ends and NUL bytes begin that a crash left: `text\n`, `\0\0\0`. Reports these bytes. Returns `end` if the message has
    /// none at its end.
    ///
    /// Pieces of a message above the limit keep such bytes.
    fn padding(&mut self, current: &Current, end: u64) -> u64 {
        if self.is_undivided() || current.pieces_to > 0 {
            return end;
        }
        let message = current.message;
        let bytes = &self.window.data()[self.window.index(message)..self.window.index(end)];
        let start = message + without_padding(bytes).len() as u64;
        if start < end {
            let bytes = end - start;
            self.event(BoxEventKind::Padding, start, BoxDetail::Padding { bytes });
        }
        start
    }

    /// Returns the end of a message without one trailing blank line.
    fn without_blank_line(&self, message: u64, end: u64) -> u64 {
        let bytes = &self.window.data()[self.window.index(message)..self.window.index(end)];
        let Some(rest) = without_line_end(bytes) else {
            return end;
        };
        if matches!(rest.last(), None | Some(b'\n' | b'\r')) {
            message + rest.len() as u64
        } else {
            end
        }
    }

    pub(super) fn entry(
        &self,
        kind: EntryKind,
        offset: u64,
        span: Range<usize>,
        message: Range<usize>,
        quoting: Quoting,
    ) -> Entry {
        Entry {
            message,
            quoting,
            ..Entry::new(kind, self.ordinal, offset, span)
        }
    }
}
