//! Rewrites one message: plans its edits, appends the result with the output's quoting, and finds how to restore the original.

use super::worker::RewriteWorker;
use crate::edited_message::{ends_open, put_message, spliced};
use crate::in_place::{InPlace, LARGE};
use crate::length_field;
use crate::quote::{count_marks, has_from_line, line_end, rebuild};
use crate::verify::{Rewritten, Verdict, Verifier};
use mailglot_archive::ledger::Requote;
use mailglot_archive::mbox::{
    is_separator_kept, leaves_multipart_open, mark_separator, requotes, separator_for,
};
use mailglot_archive::{Entry, Format, Packing, Quoting};
use mailglot_mime::{Edit, Message, Plan, Report, Shortened, Span, Undo, shortened, undo_edits};
use std::borrow::Cow;
use std::ops::Range;

/// A message of a source.
pub(super) struct SourceMessage<'b> {
    pub(super) entry: &'b Entry,
    /// The separator before it.
    pub(super) separator: &'b [u8],
    /// The message as stored, quoted. In a message in place, the same as `raw`.
    pub(super) old: &'b [u8],
    /// Bytes of the message as stored.
    pub(super) stored: usize,
    /// The message, unquoted, without the omitted bytes.
    pub(super) raw: &'b [u8],
    /// Bytes in `old` that do not belong to the message, such as the second header of Babyl.
    pub(super) omitted: &'b [u8],
    /// Offset in `raw` where they were left out.
    pub(super) omitted_at: usize,
    /// The text between the message and the next separator.
    pub(super) trailer: &'b [u8],
    /// True if `From ` occurs in the message.
    pub(super) froms: bool,
    /// True if no message follows in its source.
    pub(super) last: bool,
}

impl<'b> SourceMessage<'b> {
    /// Describes the message of `entry` in a batch. `raw` is the unquoted message.
    pub(super) fn new(
        entry: &'b Entry,
        batch: &'b [u8],
        raw: &'b [u8],
        froms: bool,
        last: bool,
    ) -> Self {
        Self {
            entry,
            separator: &batch[entry.span.start..entry.message.start],
            old: &batch[entry.message.clone()],
            stored: entry.message.len(),
            raw,
            omitted: &batch[entry.omitted.clone()],
            omitted_at: entry.omitted.start.saturating_sub(entry.message.start),
            trailer: &batch[entry.message.end..entry.span.end],
            froms,
            last,
        }
    }

    /// Describes the message of `entry` that was prepared in place.
    pub(super) fn in_place(
        entry: &'b Entry,
        batch: &'b [u8],
        place: &'b InPlace,
        last: bool,
    ) -> Self {
        let raw = &batch[place.raw.clone()];
        Self {
            old: raw,
            stored: place.stored,
            omitted: &place.omitted,
            omitted_at: place.omitted_at,
            ..Self::new(entry, batch, raw, !place.marks.is_empty(), last)
        }
    }
}

impl SourceMessage<'_> {
    /// Adds the step that puts the omitted bytes back to the inverse of the edits. Returns None if an edit spans their place.
    pub(super) fn put_back_omitted(
        &self,
        edits: &[Edit],
        mut undo: Vec<Undo>,
    ) -> Option<Vec<Undo>> {
        if self.omitted.is_empty() {
            return Some(undo);
        }
        let place = self.omitted_at;
        let before =
            edits.partition_point(|edit| edit.span.end <= place && edit.span.start < place);
        if edits
            .get(before)
            .is_some_and(|edit| edit.span.start < place)
        {
            return None;
        }
        let earlier = edits[..before].iter();
        let (removed, added) = earlier.fold((0, 0), |(removed, added), edit| {
            (
                removed + edit.span.end - edit.span.start,
                added + edit.with.len(),
            )
        });
        let at = place - removed + added;
        let step = Undo::new(Span::new(at, at), Ok(self.omitted.to_vec()));
        // The list ends before an edit that is not valid.
        if before > undo.len() {
            return None;
        }
        undo.insert(before, step);
        Some(undo)
    }
}

/// A message of the output.
#[derive(Default)]
pub(super) struct Made {
    pub(super) report: Report,
    /// True if there were edits.
    pub(super) changed: bool,
    /// The inverse edits, and how to undo quoting. None: the ledger stores the whole message.
    pub(super) way: Option<(Requote, Vec<Undo>)>,
    /// True if the message is identical to that of the source.
    pub(super) same: bool,
    /// Position of the first Content-Length, if one was removed.
    pub(super) length_removed: Option<Span>,
    /// True if the mailbox adds a line end to the last line.
    pub(super) ends_line: bool,
    /// Verdict of the second reader on an edited message, if requested.
    pub(super) verdict: Option<Verdict>,
    /// Bytes of separator, message and trailer in the output.
    pub(super) lengths: [usize; 3],
}

/// A parsed message and its edits.
pub(super) struct Planned<'b> {
    raw: &'b [u8],
    /// None for a message that is not parsed: compressed, in UTF-16 or too large.
    message: Option<Message<'b>>,
    pub(super) edits: Vec<Edit>,
    pub(super) report: Report,
}

impl<'b> Planned<'b> {
    /// Parses a message and plans its edits.
    pub(super) fn new(worker: &RewriteWorker<'_>, raw: &'b [u8]) -> Self {
        let limits = &worker.policy.limits;
        let message = (Packing::of(raw).is_none() && raw.len() <= limits.message)
            .then(|| Message::parse(raw, limits));
        let Plan { edits, report } = match &message {
            None => Plan {
                edits: Vec::new(),
                report: Report::default(),
            },
            Some(message) => (worker.process)(message, worker.policy),
        };
        Self {
            raw,
            message,
            edits,
            report,
        }
    }

    /// Adds the edit that removes Content-Length. Returns the position of the field.
    pub(super) fn remove_length(&mut self) -> Option<Span> {
        length_field::remove(self.raw, self.message.as_ref(), &mut self.edits)
    }

    /// Appends the edited message. Returns true if it was searched for `From ` lines.
    fn put(&self, to: Format, froms: bool, out: &mut Vec<u8>) -> bool {
        put_message(to, froms, self.raw, &self.edits, out)
    }

    /// Verifies the edited message `new` with the second reader.
    pub(super) fn verify(
        &self,
        worker: &RewriteWorker<'_>,
        verifier: Option<&Verifier>,
        new: &[u8],
        undo: &[Undo],
    ) -> Option<Verdict> {
        let message = self.message.as_ref()?;
        let rewritten = Rewritten {
            bytes: new,
            edits: &self.edits,
            undo,
            readings: &self.report.readings,
        };
        Some(verifier?.verify(message, &rewritten, worker.policy))
    }

    /// Verifies the edited message with the second reader, without the middles of its attachments if it is large.
    pub(super) fn verify_shortened(
        &self,
        worker: &RewriteWorker<'_>,
        verifier: Option<&Verifier>,
    ) -> Option<Verdict> {
        let message = self.message.as_ref()?;
        let Some(Shortened { raw, edits, .. }) = shortened(message, &self.edits, worker.policy)
        else {
            let new = spliced(self.raw, &self.edits);
            return self.verify(worker, verifier, &new, &undo_edits(self.raw, &self.edits));
        };
        let message = Message::parse(&raw, &worker.policy.limits);
        let rewritten = Rewritten {
            bytes: &spliced(&raw, &edits),
            edits: &edits,
            undo: &undo_edits(&raw, &edits),
            readings: &self.report.readings,
        };
        Some(verifier?.verify(&message, &rewritten, worker.policy))
    }
}

impl RewriteWorker<'_> {
    /// Processes a message and appends it to `out`, with separator and trailer. A dry run appends nothing.
    pub(super) fn make(
        &self,
        original: &SourceMessage<'_>,
        verifier: Option<&Verifier>,
        out: &mut Vec<u8>,
    ) -> Made {
        let planned = Planned::new(self, original.raw);
        match self.to {
            None => self.preview(original, planned, verifier, out),
            Some(to) => self.write(to, original, planned, verifier, out),
        }
    }

    /// Determines what would change.
    fn preview(
        &self,
        original: &SourceMessage<'_>,
        mut planned: Planned<'_>,
        verifier: Option<&Verifier>,
        scratch: &mut Vec<u8>,
    ) -> Made {
        let raw = original.raw;
        let length_removed = if self.writes_mailbox {
            planned.remove_length()
        } else {
            None
        };
        let changed = !planned.edits.is_empty();
        let mut ends_line = false;
        if self.writes_mailbox && ends_open(raw, &planned.edits) {
            planned.put(Format::Eml, false, scratch);
            ends_line =
                self.ends_line(scratch.is_empty(), scratch, original.trailer, original.last);
            scratch.clear();
        }
        let mut verdict = None;
        if changed && verifier.is_some() {
            let undo = undo_edits(raw, &planned.edits);
            verdict = planned.verify(self, verifier, &spliced(raw, &planned.edits), &undo);
        }
        Made {
            report: planned.report,
            changed,
            length_removed,
            ends_line,
            verdict,
            ..Made::default()
        }
    }

    /// Appends the message to the output.
    fn write(
        &self,
        to: Format,
        original: &SourceMessage<'_>,
        mut planned: Planned<'_>,
        verifier: Option<&Verifier>,
        out: &mut Vec<u8>,
    ) -> Made {
        // A mailbox with quoting has no lengths. A reader that trusts a right length treats quoting as text, and the next message
        // as part of this one.
        let mut length_removed = if to == Format::Mbox {
            planned.remove_length()
        } else {
            None
        };
        let start = out.len();
        if to == Format::Mbox {
            put_separator(original.separator, &planned, out);
        }
        let begin = out.len();
        let mut quotes = planned.put(to, original.froms, out);
        if to != Format::Mbox && self.invalidates_length(original, out.len() - begin) {
            length_removed = planned.remove_length();
            if length_removed.is_some() {
                out.truncate(begin);
                quotes = planned.put(to, original.froms, out);
            }
        }
        let mut body = begin..out.len();
        let mut ends_line = false;
        if to == Format::Mbox {
            ends_line = self.put_trailer(original, start, &mut body, out);
        }
        let new = &out[body.clone()];
        let changed = !planned.edits.is_empty();
        let mut made = Made {
            changed,
            same: original.omitted.is_empty()
                && ((!original.froms && !changed) || new == original.old),
            length_removed,
            ends_line,
            lengths: [body.start - start, body.len(), out.len() - body.end],
            ..Made::default()
        };
        let verified = changed && verifier.is_some();
        if verified || !made.same && self.ledger.is_some() {
            let undo = undo_edits(original.raw, &planned.edits);
            if verified {
                // Without quoting, the output is the edited message.
                let quoted = to == Format::Mbox && quotes;
                let new = if quoted {
                    Cow::Owned(spliced(original.raw, &planned.edits))
                } else {
                    Cow::Borrowed(new)
                };
                made.verdict = planned.verify(self, verifier, &new, &undo);
            }
            let undo = original.put_back_omitted(&planned.edits, undo);
            // The edits were copied to the output. Free them, because a large message is in memory several times.
            planned.edits = Vec::new();
            let quoting = Requoting {
                source: original.entry.quoting,
                midline: false,
                froms: quotes,
            };
            made.way = undo.and_then(|undo| {
                let way = self.find_requote(&quoting, original.old, new, &undo);
                way.map(|requote| (requote, undo))
            });
        }
        made.report = planned.report;
        made
    }

    /// Appends the trailer of a message. Returns true if its last line gets a line end.
    ///
    /// `body` is the range of the message in `out`, whose entry begins at `start`. It moves if the separator is marked.
    fn put_trailer(
        &self,
        original: &SourceMessage<'_>,
        start: usize,
        body: &mut Range<usize>,
        out: &mut Vec<u8>,
    ) -> bool {
        // Quoting keeps the last line and its end. An empty message follows its separator directly.
        let is_empty = body.start == body.end;
        let before = if is_empty {
            &out[start..body.start]
        } else {
            &out[body.clone()]
        };
        let (old, last) = (original.trailer, original.last);
        let ends_line = self.ends_line(is_empty, before, old, last);
        let trailer = self.trailer(is_empty, before, old, last);
        out.extend_from_slice(trailer);
        if leaves_multipart_open(&out[body.start..]) {
            let inserted = mark_separator(out, start, body.start);
            *body = body.start + inserted..body.end + inserted;
        }
        ends_line
    }

    /// Returns true if a Content-Length is no longer right after a message of `new` bytes moved from a mailbox to its own file.
    ///
    /// Without quoting, only the length defined where the message ended.
    pub(super) fn invalidates_length(&self, original: &SourceMessage<'_>, new: usize) -> bool {
        self.from_mbox && (new != original.stored || original.entry.quoting == Quoting::None)
    }

    /// Finds by trial how to undo quoting. Returns None if no way restores the original bytes.
    pub(super) fn find_requote(
        &self,
        quoting: &Requoting,
        old: &[u8],
        new: &[u8],
        undo: &[Undo],
    ) -> Option<Requote> {
        let Requoting {
            source,
            midline,
            froms,
        } = *quoting;
        let unquote = self.to == Some(Format::Mbox);
        let quoted = unquote || source != Quoting::None;
        if !quoted || !froms || !(has_from_line(old) || has_from_line(new)) {
            debug_assert_eq!(
                rebuild(new, midline, &Requote::Leave, undo).as_deref(),
                Some(old),
                "undo differs"
            );
            return Some(Requote::Leave);
        }
        // For a large message, copies would need too much memory. This test is equivalent.
        if !midline && old.len() > LARGE && requotes(old, source) {
            return Some(Requote::Convert { unquote, source });
        }
        let marks = || count_marks(if midline { &old[line_end(old)..] } else { old });
        [
            Requote::Convert { unquote, source },
            Requote::Count {
                unquote,
                marks: marks(),
            },
        ]
        .into_iter()
        .find(|way| rebuild(new, midline, way, undo).is_some_and(|back| back == old))
    }
}

/// The quoting of a message or piece.
pub(super) struct Requoting {
    /// How the source quotes.
    pub(super) source: Quoting,
    /// True if the piece begins inside a line.
    pub(super) midline: bool,
    /// True if `From ` may occur in it.
    pub(super) froms: bool,
}

/// Appends the separator of a mailbox: the old one if it can stay, else one built from the edited message.
fn put_separator(old: &[u8], planned: &Planned<'_>, out: &mut Vec<u8>) {
    if is_separator_kept(old) {
        out.extend_from_slice(old);
        return;
    }
    let start = out.len();
    planned.put(Format::Mbox, false, out);
    let rebuilt = separator_for(old, &out[start..]).into_owned();
    out.truncate(start);
    out.extend_from_slice(&rebuilt);
}
