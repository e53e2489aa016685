//! Rewrites messages: turns a batch of the source into bytes of the output and a block of the ledger. Also used for the dry run.
//!
//! # Limits
//!
//! Copies a message that is stored compressed or in UTF-16 (Dovecot's zlib plugin does so in a Maildir) unchanged, with an event.
//!
//! Copies a message above the size limit in pieces: only its quoting is adapted to the output. Its file name has the digest of its
//! first piece.

mod large;
mod line_ends;
mod message;
mod worker;

use self::large::LargeMade;
use self::message::{Made, Requoting, SourceMessage};
pub(crate) use self::worker::Process;
use self::worker::RewriteWorker;
use crate::discover::SourceInput;
use crate::edited_message::put_message;
use crate::file_name::Address;
use crate::in_place::{InPlace, LARGE};
use crate::incomplete::IncompleteInput;
use crate::plan::PlannedOutput;
use crate::quote::{has_from, line_end};
use crate::raw_blocks::RAW_PIECE;
use crate::reader::{NumberedBatch, begins_message};
use crate::run::{OpenSource, Stage, Worker};
use crate::tally::Tally;
use crate::verify::{Disagreement, Verdict, Verifier};
use crate::{names, status};
use mailglot_archive::ledger::{BlockBuilder, Body, Change, MessageRecord, Old, RawKind, Record};
use mailglot_archive::mbox::{mark_separator, separator_for, unquote};
use mailglot_archive::{
    BoxEvent, BoxEventKind, Entry, EntryKind, Flags, Format, OutBatch, OutItem, Packing,
};
use mailglot_mime::{Policy, Severity, Undo, plan_parsed};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rewrites the messages of all sources.
pub(crate) struct RewriteStage<'a> {
    /// One output for each source. None for a dry run.
    pub(crate) targets: Option<&'a [PlannedOutput]>,
    /// True if a ledger is written.
    pub(crate) has_ledger: bool,
    /// The policy for each message.
    pub(crate) policy: &'a Policy,
    /// Plans the edits of a message; [`plan_parsed`] except in tests.
    pub(crate) process: Process,
    /// True if a second reader verifies each rewritten message.
    pub(crate) verify: bool,
    /// Bytes from which a message is not copied; [`LARGE_MESSAGE`] except in tests.
    pub(crate) large: usize,
}

impl Stage for RewriteStage<'_> {
    type Output = RewrittenBatch;
    type Worker<'a>
        = RewriteWorker<'a>
    where
        Self: 'a;

    fn written_as(&self, index: usize, input: &SourceInput) -> Option<Format> {
        let target = self.targets.map(|targets| targets[index].format);
        Some(target.unwrap_or(input.found.default_output()))
    }

    fn hashes(&self) -> bool {
        self.targets.is_some()
    }

    fn worker<'a>(&'a self, source: &'a OpenSource<'a>) -> RewriteWorker<'a> {
        let format = source.input.found.format;
        let to = self.targets.map(|targets| targets[source.index].format);
        RewriteWorker {
            path: &source.path,
            folder: source.folder(),
            from_mbox: format == Format::Mbox,
            writes_mailbox: to.unwrap_or(source.input.found.default_output()) == Format::Mbox,
            to,
            keeps_flags: to.unwrap_or(format) == Format::Maildir,
            ledger: self.has_ledger.then_some(source.index as u64),
            policy: self.policy,
            process: self.process,
            verify: self.verify,
            large: self.large,
        }
    }
}

/// Bytes up to which a message that is not in the output is in one block of the ledger.
const ONE_BLOCK: usize = 64 << 20;
/// Bytes of the largest message that the ledger stores as a whole. A block of the ledger has at most 1 GiB.
const LARGEST_WHOLE: usize = 512 << 20;

/// The function used outside tests.
pub(crate) const PROCESS: Process = plan_parsed;
/// The size used outside tests.
pub(crate) const LARGE_MESSAGE: usize = LARGE;

/// Result of a batch.
#[derive(Debug, Default)]
pub(crate) struct RewrittenBatch {
    /// Data for the destination.
    pub(crate) out: OutBatch,
    /// Number of messages that begin in `out`.
    pub(crate) written: u64,
    /// Blocks of the ledger before the last one. Often none.
    pub(crate) blocks: Vec<Vec<u8>>,
    /// Last block of the ledger. Empty without one.
    pub(crate) block: Vec<u8>,
    /// A large message for the ledger alone, as a range of the source in `out`. Its blocks follow. One pass never has them in memory
    /// together.
    pub(crate) ledger_only: Option<(RawKind, Range<usize>)>,
    /// Messages that were set aside, as in the source.
    pub(crate) aside: Vec<Vec<u8>>,
}

impl RewrittenBatch {
    /// Clears the results and keeps the buffers, except those of a large message.
    pub(crate) fn clear(&mut self) {
        self.out.bytes.clear();
        self.out.bytes.shrink_to(8 << 20);
        self.out.source = Vec::new();
        self.out.items.clear();
        self.written = 0;
        self.blocks.clear();
        self.block.clear();
        self.ledger_only = None;
        self.aside.clear();
    }
}

/// State of a worker between batches.
pub(crate) struct RewriteState {
    builder: BlockBuilder,
    /// Verifies rewritten messages.
    verifier: Option<Verifier>,
}

impl Worker for RewriteWorker<'_> {
    type State = RewriteState;
    type Output = RewrittenBatch;

    fn state(&self) -> io::Result<RewriteState> {
        Ok(RewriteState {
            builder: BlockBuilder::new()?,
            verifier: self.verify.then(Verifier::new),
        })
    }

    fn work(
        &self,
        state: &mut RewriteState,
        feed: &mut NumberedBatch,
        tally: &mut Tally,
        done: &mut RewrittenBatch,
    ) -> io::Result<()> {
        done.clear();
        let RewriteState { builder, verifier } = state;
        let in_place = self.prepare(feed);
        let mut batch = BatchRewrite {
            job: self,
            feed,
            in_place: &in_place,
            builder,
            verifier: verifier.as_ref(),
            tally,
            done,
            name: &feed.name,
            more: feed.continued,
            failed: Ok(()),
        };
        batch.entries();
        std::mem::replace(&mut batch.failed, Ok(()))?;
        if self.ledger.is_some() {
            batch.builder.finish(&mut batch.done.block)?;
        }
        if done.out.has_inserts() || done.ledger_only.is_some() {
            done.out.source = std::mem::take(&mut feed.batch.bytes);
        }
        Ok(())
    }
}

/// A batch in progress.
struct BatchRewrite<'a> {
    job: &'a RewriteWorker<'a>,
    feed: &'a NumberedBatch,
    /// The large messages, by the index of their entry.
    in_place: &'a BTreeMap<usize, InPlace>,
    builder: &'a mut BlockBuilder,
    verifier: Option<&'a Verifier>,
    tally: &'a mut Tally,
    done: &'a mut RewrittenBatch,
    name: &'a [u8],
    more: bool,
    /// Whether each block before the last one could be built.
    failed: io::Result<()>,
}

impl<'a> BatchRewrite<'a> {
    fn entries(&mut self) {
        let feed = self.feed;
        if let Some(index) = self.job.ledger.filter(|_| feed.first) {
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
            self.name_file(entry);
            if feed.is_dropped(index) {
                self.drop_message(entry);
                self.more = entry.more;
                continue;
            }
            match entry.kind {
                EntryKind::Directory => {}
                EntryKind::Gap | EntryKind::Other => {
                    self.tally.gap_bytes += bytes.len() as u64;
                    let kind = if entry.kind == EntryKind::Gap {
                        RawKind::Gap
                    } else {
                        RawKind::Other
                    };
                    self.record_raw(kind, bytes);
                }
                EntryKind::Message => {
                    if is_cut && Some(index) == last_here {
                        self.cut_by_bound(entry);
                        continue;
                    }
                    if let Some(place) = self.in_place.get(&index) {
                        self.large_message(entry, place, Some(index) == last);
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

    /// Adds a record if another file of a folder begins.
    fn name_file(&mut self, entry: &'a Entry) {
        if entry.kind == EntryKind::Directory {
            self.record(&Record::Directory(&entry.name));
        } else if entry.name != self.name {
            self.record(&Record::File(&entry.name));
        }
        self.name = &entry.name;
    }

    /// Rewrites a message. `froms` means that `From ` occurs in it.
    fn message(&mut self, entry: &'a Entry, froms: bool, last: bool) {
        let bytes = &self.feed.batch.bytes[..];
        let quoted = entry.message_in(bytes);
        let raw = if froms {
            unquote(&quoted, entry.quoting)
        } else {
            Cow::Borrowed(&*quoted)
        };
        let original = SourceMessage::new(entry, bytes, &raw, froms, last);
        let start = self.done.out.bytes.len();
        self.tally.messages += 1;
        let (job, verifier) = (self.job, self.verifier);
        let out = &mut self.done.out.bytes;
        // A panic in one message must not end the job.
        let made = catch_unwind(AssertUnwindSafe(|| job.make(&original, verifier, out)));
        let Ok(made) = made else {
            self.done.out.bytes.truncate(start);
            return self.fault(entry);
        };
        match &made.verdict {
            Some(Verdict::Rejected(disagreement)) => {
                self.done.out.bytes.truncate(start);
                return self.disagreement(entry, disagreement);
            }
            Some(Verdict::Accepted(defects)) => self.tally.verified(defects),
            None => {}
        }
        self.report(entry, &raw, &made);
        let Some(to) = job.to else { return };
        let end = self.done.out.bytes.len();
        let digest = || names::digest([&self.done.out.bytes[start..end]]);
        let name = job.name(to, entry, &raw, digest);
        if job.ledger.is_some() {
            let out = &self.done.out.bytes[start..];
            let trailer = &out[made.lengths[0] + made.lengths[1]..];
            let keeps = [
                &out[..made.lengths[0]] == original.separator,
                trailer == original.trailer,
            ];
            self.record_message(&original, &made, &name, keeps);
        }
        self.done.written += 1;
        self.done.out.items.push(OutItem {
            span: start..end,
            inserts: Vec::new(),
            name: name.into_bytes(),
            more: false,
        });
    }

    /// Rewrites a large message, which was prepared in place.
    fn large_message(&mut self, entry: &'a Entry, place: &'a InPlace, last: bool) {
        let bytes = &self.feed.batch.bytes[..];
        let original = SourceMessage::in_place(entry, bytes, place, last);
        let start = self.done.out.bytes.len();
        self.tally.messages += 1;
        let (job, verifier) = (self.job, self.verifier);
        let out = &mut self.done.out;
        // A panic in one message must not end the job.
        let large = catch_unwind(AssertUnwindSafe(|| {
            job.make_large(&original, place, verifier, out)
        }));
        let verdict = large.as_ref().map(|large| &large.made.verdict);
        if !matches!(verdict, Ok(None | Some(Verdict::Accepted(_)))) {
            self.done.out.bytes.truncate(start);
        }
        let Ok(mut large) = large else {
            return self.fault(entry);
        };
        match large.made.verdict.take() {
            Some(Verdict::Rejected(disagreement)) => {
                return self.disagreement(entry, &disagreement);
            }
            Some(Verdict::Accepted(defects)) => self.tally.verified(&defects),
            None => {}
        }
        let LargeMade {
            made,
            inserts,
            keeps,
            digest,
        } = large;
        let needs_whole = job.ledger.is_some() && made.way.is_none() && !made.same;
        if needs_whole && place.stored > LARGEST_WHOLE {
            self.done.out.bytes.truncate(start);
            let detail = "too large for a ledger without edits; the message was copied as it is";
            return self.set_aside_raw(entry, detail);
        }
        self.report(entry, original.raw, &made);
        let Some(to) = job.to else { return };
        let name = job.name(to, entry, original.raw, || digest);
        if job.ledger.is_some() {
            if needs_whole {
                let stored = place.stored_message(bytes);
                let original = SourceMessage {
                    old: &stored,
                    ..original
                };
                self.record_message(&original, &made, &name, keeps);
            } else {
                self.record_message(&original, &made, &name, keeps);
            }
        }
        self.done.written += 1;
        self.done.out.items.push(OutItem {
            span: start..self.done.out.bytes.len(),
            inserts,
            name: name.into_bytes(),
            more: false,
        });
    }

    /// Counts a message and its events.
    fn report(&mut self, entry: &Entry, raw: &[u8], made: &Made) {
        let job = self.job;
        let address = || job.address(entry);
        self.tally
            .message(&address, raw, &made.report, made.changed);
        if let Some(field) = made.length_removed {
            let detail = "field removed: it was true of the old bytes only";
            let (code, offset) = ("mbox.bad-length", field.start as u64);
            self.tally
                .event(code, Severity::Info, address, offset, detail);
        }
        if made.ends_line {
            self.report_line_end(entry);
        }
        if let Some(packing) = Packing::of(raw) {
            self.tally.packed(address, packing);
        }
        self.report_flags(entry);
    }

    /// Adds the record of a message. `keeps` says whether separator and trailer are those of the source.
    fn record_message(
        &mut self,
        original: &SourceMessage<'_>,
        made: &Made,
        name: &str,
        keeps: [bool; 2],
    ) {
        let lengths = made.lengths;
        let separator = (!keeps[0]).then_some(original.separator);
        let trailer = (!keeps[1]).then_some(original.trailer);
        if !name.is_empty() {
            self.record(&Record::OutFile(name.as_bytes()));
        }
        if made.same && separator.is_none() && trailer.is_none() {
            self.record(&Record::Same {
                messages: 1,
                bytes: original.entry.span.len() as u64,
            });
            return;
        }
        let body = match &made.way {
            _ if made.same => Body::Same,
            None => Body::Whole(original.old),
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

    /// Copies a piece of a message above the size limit. Only its quoting is adapted to the output.
    fn piece(&mut self, entry: &'a Entry, midline: bool, last: bool) {
        let first = !self.more;
        self.tally.messages += u64::from(begins_message(entry, self.more));
        if first {
            self.report_flags(entry);
        }
        let bytes = &self.feed.batch.bytes[..];
        let original = SourceMessage::new(entry, bytes, &bytes[entry.message.clone()], true, last);
        let (old, trailer) = (original.old, original.trailer);
        let job = self.job;
        let adds_line_end =
            !entry.more && job.writes_mailbox && job.ends_line(old.is_empty(), old, trailer, last);
        if adds_line_end {
            self.report_line_end(entry);
        }
        let Some(to) = job.to else { return };
        let start = self.done.out.bytes.len();
        let lengths = job.put_piece(to, &original, (midline, first), &mut self.done.out.bytes);
        // The name has the digest of the first piece, because the whole message is never in memory.
        let name = if first {
            let digest = || names::digest([&self.done.out.bytes[start..]]);
            job.name(to, entry, old, digest)
        } else {
            String::new()
        };
        if job.ledger.is_some() {
            if !name.is_empty() {
                self.record(&Record::OutFile(name.as_bytes()));
            }
            self.record_piece(&original, lengths, midline, first);
        }
        self.done.written += u64::from(first);
        let end = self.done.out.bytes.len();
        self.done.out.items.push(OutItem {
            span: start..end,
            inserts: Vec::new(),
            name: name.into_bytes(),
            more: entry.more,
        });
    }

    /// Adds the record of a piece at the end of the output: as it is, by undoing the quoting, or as a copy.
    fn record_piece(
        &mut self,
        original: &SourceMessage<'_>,
        lengths: [usize; 3],
        midline: bool,
        first: bool,
    ) {
        let old = original.old;
        let out = &self.done.out.bytes;
        let out = &out[out.len() - lengths.iter().sum::<usize>()..];
        let new = &out[lengths[0]..lengths[0] + lengths[1]];
        if out == &self.feed.batch.bytes[original.entry.span.clone()] {
            self.record(&Record::Same {
                messages: u64::from(first),
                bytes: original.entry.span.len() as u64,
            });
            return;
        }
        let quoting = Requoting {
            source: original.entry.quoting,
            midline,
            froms: true,
        };
        let body = if new == old {
            Body::Same
        } else {
            match self.job.find_requote(&quoting, old, new, &[]) {
                None => Body::Whole(old),
                Some(requote) => Body::Undo {
                    requote,
                    changes: Vec::new(),
                },
            }
        };
        self.record(&Record::Message(MessageRecord {
            out: lengths.map(|len| len as u64),
            separator: Some(original.separator),
            trailer: Some(original.trailer),
            body,
            continued: !first,
            midline,
        }));
    }

    /// Reports flags that the output cannot store.
    fn report_flags(&mut self, entry: &Entry) {
        if entry.flags == Flags::default() || self.job.keeps_flags {
            return;
        }
        let address = || self.job.address(entry);
        let detail = format!("{} has no place in the output", names::flags(entry.flags));
        self.tally
            .event("msg.flags", Severity::Info, address, entry.offset, &detail);
    }

    /// Reports a line end that the mailbox adds to a message.
    fn report_line_end(&mut self, entry: &Entry) {
        let address = || self.job.address(entry);
        let detail = "the last line of the message had no line end";
        self.tally.event(
            "mbox.line-end-added",
            Severity::Info,
            address,
            entry.offset,
            detail,
        );
    }

    /// Sets aside a message after an internal fault.
    fn fault(&mut self, entry: &'a Entry) {
        self.set_aside_raw(entry, "internal fault; the message was copied as it is");
    }

    /// Sets aside the last message before `--max-expansion` stopped the input, because its end was not read.
    fn cut_by_bound(&mut self, entry: &'a Entry) {
        self.tally.messages += 1;
        let detail = "cut by --max-expansion; copied as far as it was read";
        self.set_aside_raw(entry, detail);
    }

    fn set_aside_raw(&mut self, entry: &'a Entry, detail: &str) {
        let address = || self.job.address(entry);
        self.tally.event(
            "msg.set-aside",
            Severity::Loss,
            address,
            entry.offset,
            detail,
        );
        self.set_aside(entry);
    }

    /// Sets aside a message on which the second reader disagrees after its rewriting.
    fn disagreement(&mut self, entry: &'a Entry, disagreement: &Disagreement) {
        self.tally
            .disagreement(|| self.job.address(entry), disagreement);
        self.set_aside(entry);
    }

    /// Keeps a message, or a piece of one, out of the output on request. The ledger stores it.
    fn drop_message(&mut self, entry: &'a Entry) {
        let begins = begins_message(entry, self.more);
        self.tally.messages += u64::from(begins);
        let kind = if begins {
            RawKind::Dropped
        } else {
            RawKind::Other
        };
        let bytes = &self.feed.batch.bytes[entry.span.clone()];
        let is_last = entry.span.end == self.feed.batch.bytes.len();
        if bytes.len() > ONE_BLOCK && is_last && self.job.ledger.is_some() {
            self.done.ledger_only = Some((kind, entry.span.clone()));
        } else {
            self.record_raw(kind, bytes);
        }
    }

    /// Keeps a message out of the output, but counts it.
    fn set_aside(&mut self, entry: &'a Entry) {
        self.tally.set_aside += 1;
        let batch = &self.feed.batch.bytes;
        if let Some(place) = self.in_place_of(entry) {
            self.record_raw(RawKind::SetAside, &place.stored_entry(entry, batch));
            self.done.aside.push(place.quoted_message(batch));
            return;
        }
        self.record_raw(RawKind::SetAside, &batch[entry.span.clone()]);
        let message = entry.message_in(batch);
        self.done.aside.push(message.into_owned());
    }

    fn in_place_of(&self, entry: &Entry) -> Option<&'a InPlace> {
        let entries = &self.feed.batch.entries;
        let mut places = self.in_place.iter();
        let found = places.find(|(index, _)| std::ptr::eq(&raw const entries[**index], entry));
        found.map(|(_, place)| place)
    }

    /// Records bytes that are not in the output. Large ones make several blocks, because a block has a limit.
    fn record_raw(&mut self, kind: RawKind, bytes: &[u8]) {
        let most = if bytes.len() > ONE_BLOCK {
            RAW_PIECE
        } else {
            ONE_BLOCK
        };
        let (first, rest) = bytes.split_at(bytes.len().min(most));
        self.record(&Record::Raw { kind, bytes: first });
        for bytes in rest.chunks(most) {
            self.end_block();
            let kind = RawKind::Other;
            self.record(&Record::Raw { kind, bytes });
        }
    }

    /// Ends a block of the ledger before the last one.
    fn end_block(&mut self) {
        if self.job.ledger.is_none() {
            return;
        }
        let mut block = Vec::new();
        match self.builder.finish(&mut block) {
            Ok(()) => self.done.blocks.push(block),
            Err(error) => self.failed = Err(error),
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        if self.job.ledger.is_some() {
            self.builder.push(record);
        }
    }
}

impl RewriteWorker<'_> {
    /// Prepares the large messages of a batch in place.
    fn prepare(&self, feed: &mut NumberedBatch) -> BTreeMap<usize, InPlace> {
        let dropped: Vec<bool> = (0..feed.batch.entries.len())
            .map(|index| feed.is_dropped(index))
            .collect();
        let entries = feed.batch.entries.iter().enumerate();
        let kept = entries.filter(|(index, _)| !dropped[*index]);
        let bytes = &mut feed.batch.bytes;
        kept.filter_map(|(index, entry)| Some((index, InPlace::prepare(entry, bytes, self.large)?)))
            .collect()
    }

    /// Returns the name of a message's file below the root of the output. A mailbox may have flags in header fields.
    fn name(
        &self,
        to: Format,
        entry: &Entry,
        raw: &[u8],
        digest: impl FnOnce() -> String,
    ) -> String {
        let mut flags = entry.flags;
        if self.from_mbox && to == Format::Maildir {
            flags.0 |= status::flags(raw).0;
        }
        names::message_name(to, entry.ordinal, &entry.folder, flags, digest)
    }

    /// Appends a piece of a message, quoted for the output. Returns the lengths of separator, message and trailer.
    fn put_piece(
        &self,
        to: Format,
        original: &SourceMessage<'_>,
        (midline, first): (bool, bool),
        out: &mut Vec<u8>,
    ) -> [usize; 3] {
        let (old, start) = (original.old, out.len());
        if first && to == Format::Mbox {
            out.extend_from_slice(&separator_for(original.separator, old));
            // The end of the last piece is not known yet.
            mark_separator(out, start, out.len());
        }
        let body = out.len();
        let (head, lines) = old.split_at(if midline { line_end(old) } else { 0 });
        out.extend_from_slice(head);
        let lines = unquote(lines, original.entry.quoting);
        put_message(to, true, &lines, &[], out);
        let end = out.len();
        if !original.entry.more && to == Format::Mbox {
            let trailer = self.trailer(old.is_empty(), old, original.trailer, original.last);
            out.extend_from_slice(trailer);
        }
        [body - start, end - body, out.len() - end]
    }

    fn address(&self, entry: &Entry) -> Address {
        Address::of(self.path, self.folder, entry)
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
