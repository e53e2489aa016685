//! Rewrites a large message without a copy of it: the output gets pieces of the original.
//!
//! The result is that of the module `message`, byte for byte. A test compares both.
//!
//! # Limits
//!
//! With `--verify`, a disagreement in a message above [`Limits::text`](mailglot_mime::Limits::text) has the offset in the message
//! without the middles of its attachments.

use super::message::{Made, Planned};
use super::source_message::SourceMessage;
use super::worker::RewriteWorker;
use crate::large_message::InPlace;
use crate::message_file_names;
use crate::message_pieces::Pieces;
use crate::separator::{end_in_lf, separator_line};
use crate::verify::Verifier;
use mailglot_archive::ledger::Requote;
use mailglot_archive::mbox::{is_separator_kept, mark_separator, pieces_need_mark};
use mailglot_archive::{Format, OutBatch, Quoting};
use mailglot_mime::undo_edits;

impl RewriteWorker<'_> {
    /// Adds the message to the output.
    pub(super) fn write_large(
        &self,
        (to, place): (Format, &InPlace),
        original: &SourceMessage<'_>,
        mut planned: Planned<'_>,
        verifier: Option<&Verifier>,
        out: &mut OutBatch,
    ) -> Made {
        let mut made = Made::default();
        let raw = original.raw;
        let is_mailbox = to == Format::Mbox;
        let new_length = || Pieces::new(raw, &planned.edits).len();
        if is_mailbox || self.invalidates_length(original, new_length()) {
            made.length_removed = planned.remove_length();
        }
        let edited = Pieces::new(raw, &planned.edits);
        let lines = edited.quotable_lines(place.marks.is_empty());
        let (mut separator, mut trailer) = (Vec::new(), &b""[..]);
        let mut written = edited;
        if is_mailbox {
            separator = separator_of(original.separator, &written);
            if !self.from_mbox {
                end_in_lf(&mut separator);
            }
            written = written.marked(&lines);
            (trailer, made.ends_line) = self.trailer_of(original, &written, &mut separator);
        }
        made.changed = !planned.edits.is_empty();
        made.same = original.omitted.is_empty()
            && (place.marks.is_empty() && !made.changed
                || written.equals(&Pieces::new(raw, &[]).marked(&place.removed)));
        made.lengths = [separator.len(), written.len(), trailer.len()];
        made.keeps = [separator == original.separator, trailer == original.trailer];
        if !is_mailbox {
            made.digest = Some(message_file_names::digest(written.slices()));
        }
        out.bytes.extend_from_slice(&separator);
        made.inserts = written.put(place.raw.start, out);
        out.bytes.extend_from_slice(trailer);
        drop(written);
        if made.changed && verifier.is_some() {
            made.verdict = planned.verify_shortened(self, verifier);
        }
        if !made.same && self.ledger.is_some() {
            let undo = undo_edits(raw, &planned.edits);
            let undo = original.put_back_omitted(&planned.edits, undo);
            let requote = self.requote_of(place, original.entry.quoting, !lines.is_empty());
            made.way = undo.map(|undo| (requote, undo));
        }
        made.report = planned.report;
        made
    }

    /// Returns the trailer of a message, and true if its last line gets a line end. Marks the separator if the text needs it.
    fn trailer_of<'t>(
        &self,
        original: &SourceMessage<'t>,
        written: &Pieces<'_>,
        separator: &mut Vec<u8>,
    ) -> (&'t [u8], bool) {
        let is_empty = written.is_empty();
        let before = if is_empty {
            separator.clone()
        } else {
            written.line_ends()
        };
        let (old, last) = (original.trailer, original.last);
        let ends_line = self.ends_line(is_empty, &before, old, last);
        let trailer = self.trailer(is_empty, &before, old, last);
        let text = written.slices().chain([trailer]);
        if pieces_need_mark(&written.head(), text) {
            let end = separator.len();
            mark_separator(separator, 0, end);
        }
        (trailer, ends_line)
    }

    /// Returns how to undo quoting. [`RewriteWorker::find_requote`] finds it by trial; here the lines of the message tell it.
    fn requote_of(&self, place: &InPlace, source: Quoting, has_line: bool) -> Requote {
        let unquote = self.to == Some(Format::Mbox);
        let is_quoted = unquote || source != Quoting::None;
        if !is_quoted || place.marks.is_empty() && !has_line {
            return Requote::Leave;
        }
        if place.requotes {
            return Requote::Convert { unquote, source };
        }
        Requote::Count {
            unquote,
            marks: place.marks.clone(),
        }
    }
}

/// Returns the separator of a message: the old one if it can stay, else one with its words and those of the message.
fn separator_of(old: &[u8], message: &Pieces<'_>) -> Vec<u8> {
    if is_separator_kept(old) {
        return old.to_vec();
    }
    separator_line(old, &message.head()).into_owned()
}
