//! A batch of source entries to the bytes of the output and the block of the ledger: the worker's part of a job.
//!
//! # Limits
//!
//! A message that is kept compressed or in UTF-16 (what Dovecot's plugin zlib leaves in a Maildir) passes as it is, with an event.
//!
//! A message beyond the size limit passes in pieces: its quoting follows the output's form, nothing else is looked at, and the
//! name of its file holds the digest of its first piece.

use crate::edited_message::{ends_open, put_message, spliced};
use crate::file_name::Address;
use crate::incomplete::IncompleteInput;
use crate::ordered_pool::BatchWorker;
use crate::quote::{count_marks, has_from, has_from_line, line_end, rebuild};
use crate::reader::NumberedBatch;
use crate::tally::{Complete, Tally};
use crate::verify::{Disagreement, Verdict, Verifier};
use crate::{Progress, length_field, names, status};
use mailglot_archive::ledger::{
    BlockBuilder, Body, Change, MessageRecord, Old, RawKind, Record, Requote,
};
use mailglot_archive::mbox::{
    is_separator_kept, leaves_multipart_open, line_end as line_end_of, mark_separator, requotes,
    separator_for, trailer_for, unquote,
};
use mailglot_archive::{
    BoxEvent, BoxEventKind, Entry, EntryKind, Flags, Format, OutBatch, OutItem, Packing, Quoting,
};
use mailglot_mime::{
    Edit, Message, Plan, Policy, Report, Severity, Span, Undo, plan_parsed, undo_edits,
};
use std::borrow::Cow;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What is made of one source.
pub(crate) struct RewriteWorker<'a> {
    /// Path of the source, for addresses.
    pub(crate) path: &'a str,
    /// The folder, where messages are files of their own.
    pub(crate) folder: Option<&'a Path>,
    /// The source is one mailbox file.
    pub(crate) from_mbox: bool,
    /// Form of the output; None: nothing is written.
    pub(crate) to: Option<Format>,
    /// The output, or what it would be, has flags in the names of its files.
    pub(crate) keeps_flags: bool,
    /// Index of the source in the ledger; None: no ledger.
    pub(crate) ledger: Option<u64>,
    /// What to do with each message.
    pub(crate) policy: &'a Policy,
    /// Counters for a watcher.
    pub(crate) progress: &'a Progress,
    /// Codes that need no more examples.
    pub(crate) complete: &'a Complete,
    /// Tells what to change of a message; [`plan_parsed`] but in tests.
    pub(crate) process: Process,
    /// Reads each rewritten message with a second reader before it is accepted.
    pub(crate) verify: bool,
}

/// The shape of [`plan_parsed`].
pub(crate) type Process = fn(&Message<'_>, &Policy) -> Plan;

/// Bytes of a message that is handled with care for memory.
const LARGE: usize = 8 << 20;

/// The function that is used outside tests.
pub(crate) const PROCESS: Process = plan_parsed;

/// What comes of a batch.
#[derive(Debug, Default)]
pub(crate) struct RewrittenBatch {
    /// For the destination.
    pub(crate) out: OutBatch,
    /// Messages that begin in `out`.
    pub(crate) written: u64,
    /// For the ledger; empty without one.
    pub(crate) block: Vec<u8>,
    /// Messages set aside: ordinal and bytes as they stand in the source.
    pub(crate) aside: Vec<(u64, Vec<u8>)>,
    /// The account.
    pub(crate) tally: Tally,
}

impl RewrittenBatch {
    /// Forgets the results and keeps the buffers, but for those of a large message.
    pub(crate) fn clear(&mut self) {
        self.out.bytes.clear();
        self.out.bytes.shrink_to(8 << 20);
        self.out.items.clear();
        self.written = 0;
        self.block.clear();
        self.aside.clear();
    }
}

/// What a worker keeps between batches.
pub(crate) struct WorkerState {
    builder: BlockBuilder,
    /// Where rewritten messages are verified.
    verifier: Option<Verifier>,
}

impl BatchWorker for RewriteWorker<'_> {
    type WorkerState = WorkerState;
    type BatchResult = RewrittenBatch;

    fn is_interrupted(&self) -> bool {
        self.progress.is_interrupted()
    }

    fn worker_state(&self) -> io::Result<WorkerState> {
        Ok(WorkerState {
            builder: BlockBuilder::new()?,
            verifier: self.verify.then(Verifier::new),
        })
    }

    fn work(
        &self,
        worker_state: &mut WorkerState,
        feed: &NumberedBatch,
        done: &mut RewrittenBatch,
    ) -> io::Result<()> {
        done.clear();
        done.tally.begin(self.complete);
        let WorkerState { builder, verifier } = worker_state;
        let verifier = verifier.as_ref();
        let mut batch = Batch {
            job: self,
            feed,
            builder,
            verifier,
            done,
            name: &feed.name,
            more: feed.continued,
        };
        batch.entries();
        if self.ledger.is_some() {
            batch.builder.finish(&mut batch.done.block)?;
        }
        done.tally.show(self.progress);
        Ok(())
    }
}

/// One batch at work.
struct Batch<'a> {
    job: &'a RewriteWorker<'a>,
    feed: &'a NumberedBatch,
    builder: &'a mut BlockBuilder,
    verifier: Option<&'a Verifier>,
    done: &'a mut RewrittenBatch,
    name: &'a [u8],
    more: bool,
}

/// A message of the output, without what stands around it.
struct Made {
    report: Report,
    /// There were edits.
    changed: bool,
    /// Changes back, and how quoting comes back; None: the ledger keeps the message whole.
    way: Option<(Requote, Vec<Undo>)>,
    same: bool,
    /// Where the first Content-Length stood, if one went.
    length_removed: Option<Span>,
    /// The mailbox ends a last line that had no end.
    ends_line: bool,
    /// What the second reader says of a message with edits, where one was asked.
    verdict: Option<Verdict>,
}

impl<'a> Batch<'a> {
    fn entries(&mut self) {
        let feed = self.feed;
        for event in &feed.batch.events {
            self.done.tally.box_event(self.job.path, event);
        }
        if let Some(index) = self.job.ledger.filter(|_| feed.number == 0) {
            self.builder.push(&Record::Source(index));
        }
        let bound = |event: &&BoxEvent| event.kind == BoxEventKind::Expansion;
        let is_cut = feed.batch.events.iter().any(|event| bound(&event));
        for event in feed.batch.events.iter().filter(bound) {
            let note = IncompleteInput::of(self.job.path, event).note();
            self.record(&Record::Note(&note));
        }
        let is_message =
            |entry: &Entry| matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
        let last_here = feed.batch.entries.iter().rposition(is_message);
        let last = last_here.filter(|_| feed.last);
        for (index, entry) in feed.batch.entries.iter().enumerate() {
            let bytes = &feed.batch.bytes[entry.span.clone()];
            self.done.tally.bytes_in += bytes.len() as u64;
            self.name_file(entry);
            match entry.kind {
                EntryKind::Directory => {}
                EntryKind::Gap | EntryKind::Other => {
                    self.done.tally.gap_bytes += bytes.len() as u64;
                    let kind = if entry.kind == EntryKind::Gap {
                        RawKind::Gap
                    } else {
                        RawKind::Other
                    };
                    self.record(&Record::Raw { kind, bytes });
                }
                EntryKind::Message => {
                    if is_cut && Some(index) == last_here {
                        self.cut_by_bound(entry);
                        continue;
                    }
                    let message = || &feed.batch.bytes[entry.message.clone()];
                    let froms = entry.froms.unwrap_or_else(|| has_from(message()));
                    self.message(entry, froms, Some(index) == last);
                }
                EntryKind::Oversize => self.piece(entry, feed.midline[index], Some(index) == last),
            }
            self.more = entry.more;
        }
    }

    /// Tells the ledger when another file of a folder begins.
    fn name_file(&mut self, entry: &'a Entry) {
        if entry.kind == EntryKind::Directory {
            self.record(&Record::Directory(&entry.name));
        } else if entry.name != self.name {
            self.record(&Record::File(&entry.name));
        }
        self.name = &entry.name;
    }

    /// `froms`: `From ` occurs in the message.
    fn message(&mut self, entry: &'a Entry, froms: bool, last: bool) {
        let bytes = &self.feed.batch.bytes[..];
        let old = &bytes[entry.message.clone()];
        let raw = if froms {
            unquote(old, entry.quoting)
        } else {
            Cow::Borrowed(old)
        };
        let start = self.done.out.bytes.len();
        self.done.tally.messages += 1;
        let (job, verifier) = (self.job, self.verifier);
        let out = &mut self.done.out.bytes;
        // Whatever a message does to the code that reads it, the rest of the archive goes on.
        let made = catch_unwind(AssertUnwindSafe(|| {
            job.make(entry, old, &raw, (froms, last), bytes, verifier, out)
        }));
        let Ok((made, lengths)) = made else {
            self.done.out.bytes.truncate(start);
            return self.fault(entry);
        };
        let address = || job.address(entry);
        match &made.verdict {
            Some(Verdict::Rejected(disagreement)) => {
                self.done.out.bytes.truncate(start);
                return self.disagreement(entry, disagreement);
            }
            Some(Verdict::Accepted(defects)) => self.done.tally.verified(defects),
            None => {}
        }
        self.done
            .tally
            .message(&address, &raw, &made.report, made.changed);
        if let Some(field) = made.length_removed {
            let detail = "field removed: it was true of the old bytes only";
            self.done.tally.event(
                "mbox.bad-length",
                Severity::Info,
                address,
                field.start as u64,
                detail,
            );
        }
        if made.ends_line {
            self.report_line_end(entry);
        }
        if let Some(packing) = Packing::of(&raw) {
            self.done.tally.packed(address, packing);
        }
        self.tell_of_flags(entry);
        let Some(to) = job.to else { return };
        let end = self.done.out.bytes.len();
        let name = job.name(to, entry, &raw, &self.done.out.bytes[start..end]);
        if job.ledger.is_some() {
            self.record_message(entry, &made, lengths, &name, start);
        }
        self.done.written += 1;
        self.done.out.items.push(OutItem {
            span: start..end,
            name: name.into_bytes(),
            more: false,
        });
    }

    /// Puts a message into the ledger whose output begins at `start`.
    fn record_message(
        &mut self,
        entry: &Entry,
        made: &Made,
        lengths: [usize; 3],
        name: &str,
        start: usize,
    ) {
        let batch = &self.feed.batch.bytes;
        let old = &batch[entry.message.clone()];
        let old_separator = &batch[entry.span.start..entry.message.start];
        let old_trailer = &batch[entry.message.end..entry.span.end];
        let (separator, trailer) = {
            let out = &self.done.out.bytes[start..];
            let trailer = &out[lengths[0] + lengths[1]..];
            (
                (&out[..lengths[0]] != old_separator).then_some(old_separator),
                (trailer != old_trailer).then_some(old_trailer),
            )
        };
        if !name.is_empty() {
            self.record(&Record::OutFile(name.as_bytes()));
        }
        if made.same && separator.is_none() && trailer.is_none() {
            self.record(&Record::Same {
                messages: 1,
                bytes: entry.span.len() as u64,
            });
            return;
        }
        let body = match &made.way {
            _ if made.same => Body::Same,
            None => Body::Whole(old),
            Some((requote, undo)) => Body::Undo {
                requote: requote.clone(),
                changes: undo.iter().map(change).collect(),
            },
        };
        self.record(&Record::Message(MessageRecord {
            out: lengths.map(|len| len as u64),
            separator,
            trailer,
            body,
            continued: false,
            midline: false,
        }));
    }

    /// A piece of a message that is too large to be looked at: only its quoting follows the output's form.
    fn piece(&mut self, entry: &'a Entry, midline: bool, last: bool) {
        let first = !self.more;
        self.done.tally.messages += u64::from(first);
        if first {
            self.tell_of_flags(entry);
        }
        let bytes = &self.feed.batch.bytes[..];
        let old = &bytes[entry.message.clone()];
        let old_trailer = &bytes[entry.message.end..entry.span.end];
        if !entry.more
            && self.job.writes_mailbox()
            && self.job.ends_line(old.is_empty(), old, old_trailer, last)
        {
            self.report_line_end(entry);
        }
        let Some(to) = self.job.to else { return };
        let start = self.done.out.bytes.len();
        let job = self.job;
        let out = &mut self.done.out.bytes;
        let mut lengths = [0; 3];
        if first && to == Format::Mbox {
            out.extend_from_slice(&separator_for(
                &bytes[entry.span.start..entry.message.start],
                old,
            ));
            // Where the last piece ends is not known yet.
            mark_separator(out, start, out.len());
        }
        lengths[0] = out.len() - start;
        let (head, lines) = old.split_at(if midline { line_end(old) } else { 0 });
        out.extend_from_slice(head);
        let lines = unquote(lines, entry.quoting);
        put_message(to, true, &lines, &[], out);
        lengths[1] = out.len() - start - lengths[0];
        if !entry.more && to == Format::Mbox {
            out.extend_from_slice(job.trailer(old.is_empty(), old, old_trailer, last));
        }
        lengths[2] = out.len() - start - lengths[0] - lengths[1];
        let new = &out[start + lengths[0]..start + lengths[0] + lengths[1]];
        let same = new == old;
        let way = if same {
            None
        } else {
            job.way_back(entry.quoting, midline, true, old, new, &[])
        };
        // The name holds the digest of the first piece; the whole message is never in memory.
        let name = if first {
            job.name(to, entry, old, &out[start..])
        } else {
            String::new()
        };
        if job.ledger.is_some() {
            self.record_piece(entry, same, way, lengths, &name, (midline, first), start);
        }
        self.done.written += u64::from(first);
        let end = self.done.out.bytes.len();
        self.done.out.items.push(OutItem {
            span: start..end,
            name: name.into_bytes(),
            more: entry.more,
        });
    }

    /// Records how the old bytes of a piece come back: as they are in the output, by undoing the quoting, or from a copy.
    #[allow(clippy::too_many_arguments)] // One caller, which has each value at hand.
    fn record_piece(
        &mut self,
        entry: &Entry,
        same: bool,
        way: Option<Requote>,
        lengths: [usize; 3],
        name: &str,
        (midline, first): (bool, bool),
        start: usize,
    ) {
        let bytes = &self.feed.batch.bytes;
        let (out, old) = (&self.done.out.bytes[start..], &bytes[entry.span.clone()]);
        let whole_same = out == old;
        if !name.is_empty() {
            self.record(&Record::OutFile(name.as_bytes()));
        }
        if whole_same {
            self.record(&Record::Same {
                messages: u64::from(first),
                bytes: old.len() as u64,
            });
            return;
        }
        let body = match way {
            _ if same => Body::Same,
            None => Body::Whole(&bytes[entry.message.clone()]),
            Some(requote) => Body::Undo {
                requote,
                changes: Vec::new(),
            },
        };
        self.record(&Record::Message(MessageRecord {
            out: lengths.map(|len| len as u64),
            separator: Some(&bytes[entry.span.start..entry.message.start]),
            trailer: Some(&bytes[entry.message.end..entry.span.end]),
            body,
            continued: !first,
            midline,
        }));
    }

    /// Tells of flags that the output has no place for.
    fn tell_of_flags(&mut self, entry: &Entry) {
        if entry.flags == Flags::default() || self.job.keeps_flags {
            return;
        }
        let address = || self.job.address(entry);
        let detail = format!("{} has no place in the output", names::flags(entry.flags));
        self.done
            .tally
            .event("msg.flags", Severity::Info, address, entry.offset, &detail);
    }

    /// Reports a line end that the mailbox adds to a message.
    fn report_line_end(&mut self, entry: &Entry) {
        let address = || self.job.address(entry);
        let detail = "the last line of the message had no line end";
        self.done.tally.event(
            "mbox.line-end-added",
            Severity::Info,
            address,
            entry.offset,
            detail,
        );
    }

    /// Sets a message aside that a fault of the program kept from being worked on.
    fn fault(&mut self, entry: &'a Entry) {
        self.set_aside_raw(entry, "internal fault; the message was copied as it is");
    }

    /// Sets aside the last message before `--max-expansion` ended the input: its end was not read.
    fn cut_by_bound(&mut self, entry: &'a Entry) {
        self.done.tally.messages += 1;
        let detail = "cut by --max-expansion; copied as far as it was read";
        self.set_aside_raw(entry, detail);
    }

    fn set_aside_raw(&mut self, entry: &'a Entry, detail: &str) {
        let address = || self.job.address(entry);
        self.done.tally.event(
            "msg.set-aside",
            Severity::Loss,
            address,
            entry.offset,
            detail,
        );
        self.set_aside(entry);
    }

    /// Sets a message aside that the second reader reads otherwise after its rewriting.
    fn disagreement(&mut self, entry: &'a Entry, disagreement: &Disagreement) {
        self.done
            .tally
            .disagreement(|| self.job.address(entry), disagreement);
        self.set_aside(entry);
    }

    /// Keeps a message out of the output, but not out of the account.
    fn set_aside(&mut self, entry: &'a Entry) {
        let bytes = &self.feed.batch.bytes[entry.span.clone()];
        self.done.tally.set_aside += 1;
        self.record(&Record::Raw {
            kind: RawKind::SetAside,
            bytes,
        });
        let message = &self.feed.batch.bytes[entry.message.clone()];
        self.done.aside.push((entry.ordinal, message.to_vec()));
    }

    fn record(&mut self, record: &Record<'_>) {
        if self.job.ledger.is_some() {
            self.builder.push(record);
        }
    }
}

impl RewriteWorker<'_> {
    /// Name of a message's file below the root of the output. A mailbox has its flags in fields.
    fn name(&self, to: Format, entry: &Entry, raw: &[u8], out: &[u8]) -> String {
        let flags = if self.from_mbox && to == Format::Maildir {
            status::flags(raw)
        } else {
            entry.flags
        };
        names::message_name(to, entry.ordinal, &entry.folder, flags, out)
    }

    fn address(&self, entry: &Entry) -> Address {
        Address::of(self.path, self.folder, entry)
    }

    /// Processes a message and appends it to `out`, with what stands around it. Gives the lengths of separator, message, trailer.
    #[allow(clippy::too_many_arguments)] // One caller, which has each value at hand.
    fn make(
        &self,
        entry: &Entry,
        old: &[u8],
        raw: &[u8],
        (froms, last): (bool, bool),
        batch: &[u8],
        verifier: Option<&Verifier>,
        out: &mut Vec<u8>,
    ) -> (Made, [usize; 3]) {
        let message = (Packing::of(raw).is_none() && raw.len() <= self.policy.limits.message)
            .then(|| Message::parse(raw, &self.policy.limits));
        let Plan { mut edits, report } = match &message {
            None => Plan {
                edits: Vec::new(),
                report: Report::default(),
            },
            Some(message) => (self.process)(message, self.policy),
        };
        let verify = |edits: &[Edit], new: &[u8], undo: &[Undo]| {
            Some(verifier?.verify(message.as_ref()?, edits, new, undo, self.policy))
        };
        let Some(to) = self.to else {
            let length_removed = self
                .from_mbox
                .then(|| length_field::remove(raw, message.as_ref(), &mut edits))
                .flatten();
            let changed = !edits.is_empty();
            let mut ends_line = false;
            if self.writes_mailbox() && ends_open(raw, &edits) {
                put_message(Format::Eml, false, raw, &edits, out);
                let old_trailer = &batch[entry.message.end..entry.span.end];
                ends_line = self.ends_line(out.is_empty(), out, old_trailer, last);
                out.clear();
            }
            let verdict = if changed && verifier.is_some() {
                verify(&edits, &spliced(raw, &edits), &undo_edits(raw, &edits))
            } else {
                None
            };
            return (
                Made {
                    report,
                    changed,
                    way: None,
                    same: false,
                    length_removed,
                    ends_line,
                    verdict,
                },
                [0; 3],
            );
        };
        // A mailbox with quoting has no lengths: one that is true would let its reader take the quoting for text, and the next message for
        // a part of this one.
        let mut length_removed = (to == Format::Mbox)
            .then(|| length_field::remove(raw, message.as_ref(), &mut edits))
            .flatten();
        let start = out.len();
        if to == Format::Mbox {
            let separator = &batch[entry.span.start..entry.message.start];
            if is_separator_kept(separator) {
                out.extend_from_slice(separator);
            } else {
                put_message(to, false, raw, &edits, out);
                let rebuilt = separator_for(separator, &out[start..]).into_owned();
                out.truncate(start);
                out.extend_from_slice(&rebuilt);
            }
        }
        let mut body = out.len();
        let mut quotes = put_message(to, froms, raw, &edits, out);
        if to != Format::Mbox && self.outlives_length(entry, old, out.len() - body) {
            length_removed = length_field::remove(raw, message.as_ref(), &mut edits);
            if length_removed.is_some() {
                out.truncate(body);
                quotes = put_message(to, froms, raw, &edits, out);
            }
        }
        let mut end = out.len();
        let mut ends_line = false;
        if to == Format::Mbox {
            // Quoting leaves its end and its line ends as they are; where there is none, the separator stands before it.
            let before = if body == end {
                &out[start..body]
            } else {
                &out[body..end]
            };
            let old_trailer = &batch[entry.message.end..entry.span.end];
            let trailer = self.trailer(body == end, before, old_trailer, last);
            ends_line = self.ends_line(body == end, before, old_trailer, last);
            out.extend_from_slice(trailer);
            if leaves_multipart_open(&out[body..]) {
                let inserted = mark_separator(out, start, body);
                (body, end) = (body + inserted, end + inserted);
            }
        }
        let new = &out[body..end];
        let changed = !edits.is_empty();
        let same = (!froms && !changed) || new == old;
        let (mut way, mut verdict) = (None, None);
        let verified = changed && verifier.is_some();
        if verified || !same && self.ledger.is_some() {
            let undo = undo_edits(raw, &edits);
            if verified {
                // Where nothing was quoted the output is what the edits made.
                let quoted = to == Format::Mbox && quotes;
                let new = if quoted {
                    Cow::Owned(spliced(raw, &edits))
                } else {
                    Cow::Borrowed(new)
                };
                verdict = verify(&edits, &new, &undo);
            }
            // What was copied to the output is no longer needed; a large message counts several times already.
            drop(edits);
            way = self
                .way_back(entry.quoting, false, quotes, old, new, &undo)
                .map(|requote| (requote, undo));
        }
        let lengths = [body - start, end - body, out.len() - end];
        (
            Made {
                report,
                changed,
                way,
                same,
                length_removed,
                ends_line,
                verdict,
            },
            lengths,
        )
    }

    /// Whether a Content-Length is true no longer of a message that leaves a mailbox for a file of its own, where it has so many bytes.
    /// Without quoting the length alone said where the message ended.
    fn outlives_length(&self, entry: &Entry, old: &[u8], new: usize) -> bool {
        self.from_mbox && (new != old.len() || entry.quoting == Quoting::None)
    }

    /// Keeps the old end of an entry where it is plain line ends; sees to the blank line before the next separator.
    /// `before` is the message, or the separator of one that is empty.
    fn trailer<'t>(&self, is_empty: bool, before: &[u8], old: &'t [u8], last: bool) -> &'t [u8] {
        if self.keeps_trailer(is_empty, before, old, last) {
            old
        } else {
            trailer_for(before)
        }
    }

    /// Whether the old end of an entry stays.
    fn keeps_trailer(&self, is_empty: bool, before: &[u8], old: &[u8], last: bool) -> bool {
        let plain = old.iter().all(|b| matches!(b, b'\n' | b'\r'));
        let line_ends = is_empty || matches!(before.last(), Some(b'\n' | b'\r'));
        // A CR and the LF after it would make one line end of two.
        let merged = before.ends_with(b"\r") && old.starts_with(b"\n");
        self.from_mbox && plain && line_ends && !merged && (last || !old.is_empty())
    }

    /// Whether [`RewriteWorker::trailer`] ends the last line of a message, too.
    fn ends_line(&self, is_empty: bool, before: &[u8], old: &[u8], last: bool) -> bool {
        !before.ends_with(b"\n")
            && !is_empty
            && !self.keeps_trailer(is_empty, before, old, last)
            && trailer_for(before).len() > line_end_of(before).len()
    }

    /// Whether the output is a mailbox, or would be one without `to`.
    fn writes_mailbox(&self) -> bool {
        self.to.map_or(self.from_mbox, |to| to == Format::Mbox)
    }

    /// Finds out how quoting comes back, by going the way; None when the old bytes do not come back on any. Without
    /// `froms`, neither side holds a `From `.
    fn way_back(
        &self,
        source: Quoting,
        midline: bool,
        froms: bool,
        old: &[u8],
        new: &[u8],
        undo: &[Undo],
    ) -> Option<Requote> {
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
        // Of a large message the chain's copies would cost too much memory; this test is equal to it.
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

fn change(undo: &Undo) -> Change<'_> {
    Change {
        start: undo.span.start as u64,
        len: undo.span.len() as u64,
        old: match &undo.old {
            Ok(bytes) => Old::Bytes(bytes),
            Err(recipe) => Old::Recipe(recipe.as_bytes()),
        },
    }
}
