//! Rewrites one message: plans its edits, appends the result with the output's quoting, and finds how to restore the original.

use super::source_message::SourceMessage;
use super::worker::RewriteWorker;
use crate::edited_message::{ends_open, put_message};
use crate::large_message::{InPlace, LARGE};
use crate::length_field;
use crate::message_pieces::Pieces;
use crate::restore_quoting::{count_marks, has_from_line, line_end, rebuild};
use crate::separator::{end_in_lf, separator_line};
use crate::verify::{Rewritten, Verdict, Verifier};
use mailglot_archive::ledger::Requote;
use mailglot_archive::mbox::{is_separator_kept, mark_separator, needs_mark, requotes};
use mailglot_archive::{Format, OutBatch, Packing, Quoting, SourceInsert};
use mailglot_mime::{
    Edit, Message, Plan, Report, Shortened, Span, Undo, shortened, spliced, undo_edits,
};
use std::borrow::Cow;
use std::ops::Range;

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
    /// True if the separator and the trailer are those of the source.
    pub(super) keeps: [bool; 2],
    /// The parts of a large message that are not copied.
    pub(super) inserts: Vec<SourceInsert>,
    /// Digest of a large message, for the name of its file.
    pub(super) digest: Option<String>,
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
    fn verify(
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

    /// Verifies the edited message with the second reader.
    fn verify_spliced(
        &self,
        worker: &RewriteWorker<'_>,
        verifier: Option<&Verifier>,
    ) -> Option<Verdict> {
        let new = spliced(self.raw, &self.edits);
        self.verify(worker, verifier, &new, &undo_edits(self.raw, &self.edits))
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
            return self.verify_spliced(worker, verifier);
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
    /// Processes a message, which may be prepared in place, and appends it to `out` with separator and trailer.
    ///
    /// A dry run appends nothing.
    pub(super) fn make(
        &self,
        original: &SourceMessage<'_>,
        place: Option<&InPlace>,
        verifier: Option<&Verifier>,
        out: &mut OutBatch,
    ) -> Made {
        let planned = Planned::new(self, original.raw);
        match (self.to, place) {
            (None, _) => self.preview(original, planned, place.is_some(), verifier),
            (Some(to), None) => self.write(to, original, planned, verifier, &mut out.bytes),
            (Some(to), Some(place)) => {
                self.write_large((to, place), original, planned, verifier, out)
            }
        }
    }

    /// Determines what would change.
    fn preview(
        &self,
        original: &SourceMessage<'_>,
        mut planned: Planned<'_>,
        is_large: bool,
        verifier: Option<&Verifier>,
    ) -> Made {
        let raw = original.raw;
        let mut made = Made::default();
        if self.writes_mailbox {
            made.length_removed = planned.remove_length();
        }
        made.changed = !planned.edits.is_empty();
        if self.writes_mailbox && ends_open(raw, &planned.edits) {
            let pieces = Pieces::new(raw, &planned.edits);
            let ends = pieces.line_ends();
            let (trailer, last) = (original.trailer, original.last);
            made.ends_line = self.ends_line(pieces.is_empty(), &ends, trailer, last);
        }
        if made.changed && verifier.is_some() {
            made.verdict = if is_large {
                planned.verify_shortened(self, verifier)
            } else {
                planned.verify_spliced(self, verifier)
            };
        }
        made.report = planned.report;
        made
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
            if !self.from_mbox {
                end_in_lf(&mut out[start..]);
            }
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
            ends_line = self.put_trailer(original, start, &mut body, quotes, out);
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
            keeps: [
                &out[start..body.start] == original.separator,
                &out[body.end..] == original.trailer,
            ],
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
    /// `body` is the range of the message in `out`, whose entry begins at `start`. It moves if the separator is marked. Pass
    /// `has_from: false` only if the message has no `From ` at all.
    fn put_trailer(
        &self,
        original: &SourceMessage<'_>,
        start: usize,
        body: &mut Range<usize>,
        has_from: bool,
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
        if needs_mark(&out[body.start..], has_from) {
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
        let (source, midline) = (quoting.source, quoting.midline);
        let unquote = self.to == Some(Format::Mbox);
        let quoted = unquote || source != Quoting::None;
        if !quoted || !quoting.froms || !(has_from_line(old) || has_from_line(new)) {
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

/// Appends the separator of a mailbox: the old one if it can stay, else one with its words and those of the edited message.
fn put_separator(old: &[u8], planned: &Planned<'_>, out: &mut Vec<u8>) {
    if is_separator_kept(old) {
        out.extend_from_slice(old);
        return;
    }
    let start = out.len();
    planned.put(Format::Mbox, false, out);
    let rebuilt = separator_line(old, &out[start..]).into_owned();
    out.truncate(start);
    out.extend_from_slice(&rebuilt);
}
