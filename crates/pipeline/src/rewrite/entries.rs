//! Rewrites the messages of a batch one after the other, and keeps the rest for the ledger.

use super::batch::BatchRewrite;
use super::message::Made;
use super::rewritten_batch::RewrittenBatch;
use super::source_message::SourceMessage;
use super::worker::RewriteWorker;
use crate::large_message::InPlace;
use crate::message_file_names;
use crate::reader::NumberedBatch;
use crate::restore_quoting::has_from;
use crate::tally::Tally;
use crate::verify::{Verdict, Verifier};
use mailglot_archive::ledger::{BlockBuilder, RawKind, Record};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, BoxEvent, Entry, EntryKind, Format, Packing};
use mailglot_mime::Severity;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of the largest message that the ledger stores as a whole. A block of the ledger has at most 1 GiB.
const LARGEST_WHOLE: usize = 512 << 20;

/// State of a worker between batches.
pub(crate) struct RewriteState {
    builder: BlockBuilder,
    /// Verifies rewritten messages.
    verifier: Option<Verifier>,
}

impl RewriteState {
    /// Creates the state, with a second reader if `verify`.
    pub(super) fn new(verify: bool) -> io::Result<Self> {
        Ok(Self {
            builder: BlockBuilder::new()?,
            verifier: verify.then(Verifier::new),
        })
    }
}

impl RewriteWorker<'_> {
    /// Rewrites the messages of a batch.
    pub(super) fn work(
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

impl<'a> BatchRewrite<'a> {
    fn entries(&mut self) {
        let feed = self.feed;
        if let Some(index) = self.job.ledger.filter(|_| feed.first) {
            self.builder.push(&Record::Source(index));
        }
        let last = feed.batch.entries.iter().rposition(is_message);
        let last = last.filter(|_| feed.last);
        let cut = cut_messages(&feed.batch);
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
                    let place = self.in_place.get(&index);
                    match cut.get(&index) {
                        Some(event) => self.cut(entry, place, event.kind),
                        None => self.message(entry, place, Some(index) == last),
                    }
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

    /// Rewrites the message of an entry, which may be prepared in place.
    fn message(&mut self, entry: &Entry, place: Option<&InPlace>, last: bool) {
        let bytes = &self.feed.batch.bytes[..];
        if let Some(place) = place {
            let original = SourceMessage::in_place(entry, bytes, place, last);
            return self.rewrite(&original, Some(place));
        }
        let message = || &bytes[entry.message.clone()];
        let froms = entry.froms.unwrap_or_else(|| has_from(message()));
        let quoted = entry.message_in(bytes);
        let raw = if froms {
            unquote(&quoted, entry.quoting)
        } else {
            Cow::Borrowed(&*quoted)
        };
        let original = SourceMessage::new(entry, bytes, &raw, froms, last);
        self.rewrite(&original, None);
    }

    fn rewrite(&mut self, original: &SourceMessage<'_>, place: Option<&InPlace>) {
        let entry = original.entry;
        let start = self.done.out.bytes.len();
        self.tally.messages += 1;
        if self.job.to == Some(Format::Mbox)
            && !self.job.from_mbox
            && let Some(packing) = Packing::of(original.raw).filter(|p| *p != Packing::Utf16)
        {
            return self.packed(entry, place, packing);
        }
        let (job, verifier, out) = (self.job, self.verifier, &mut self.done.out);
        // A panic in one message must not end the job.
        let made = catch_unwind(AssertUnwindSafe(|| {
            job.make(original, place, verifier, out)
        }));
        let Ok(mut made) = made else {
            self.done.out.bytes.truncate(start);
            return self.fault(entry, place);
        };
        match made.verdict.take() {
            Some(Verdict::Rejected(disagreement)) => {
                self.done.out.bytes.truncate(start);
                return self.disagreement(entry, place, &disagreement);
            }
            Some(Verdict::Accepted(defects)) => self.tally.verified(&defects),
            None => {}
        }
        // The original of a large message, as stored, if no steps restore it.
        let needs_whole = job.ledger.is_some() && made.way.is_none() && !made.same;
        let whole = place.filter(|_| needs_whole);
        if whole.is_some_and(|place| place.stored > LARGEST_WHOLE) {
            self.done.out.bytes.truncate(start);
            let detail = "too large for a ledger without edits; the message was copied as it is";
            return self.set_aside_raw(entry, place, detail);
        }
        self.report(entry, original.raw, &made);
        let Some(to) = job.to else { return };
        let inserts = std::mem::take(&mut made.inserts);
        let known = made.digest.take();
        let digest =
            || known.unwrap_or_else(|| message_file_names::digest([&self.done.out.bytes[start..]]));
        let name = job.name(to, entry, original.raw, digest);
        if job.ledger.is_some() {
            let stored = whole.map(|place| place.stored_message(&self.feed.batch.bytes));
            let old = stored.as_deref().unwrap_or(original.old);
            self.record_message(original, old, &made, &name);
        }
        self.done.written += 1;
        self.push_item(start, name, inserts, original);
    }

    /// Counts a message and its events.
    fn report(&mut self, entry: &Entry, raw: &[u8], made: &Made) {
        let job = self.job;
        let address = || job.address(entry);
        self.tally
            .message(&address, raw, &made.report, made.changed);
        if let Some(field) = made.length_removed {
            let detail = "it counts the bytes of the input";
            let (code, offset) = ("mbox.length-removed", field.start as u64);
            self.tally
                .event(code, Severity::Info, address, offset, detail);
        }
        if made.ends_line {
            self.report_line_end(entry);
        }
        self.report_separator(entry);
        if let Some(packing) = Packing::of(raw) {
            self.tally.packed(address, packing);
        }
        self.report_flags(entry);
        self.report_folder(entry);
        self.report_deleted(entry, raw);
    }
}

fn is_message(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Message | EntryKind::Oversize)
}

/// Returns the messages whose ends were not read, by index, with the event that says so: of each file the last message before it.
fn cut_messages(batch: &Batch) -> BTreeMap<usize, &BoxEvent> {
    let events = batch.events.iter().filter(|event| event.is_cut());
    let last = |event: &BoxEvent| {
        let is_of = |entry: &Entry| is_message(entry) && entry.name == event.name;
        batch.entries.iter().rposition(is_of)
    };
    events
        .filter_map(|event| Some((last(event)?, event)))
        .collect()
}
