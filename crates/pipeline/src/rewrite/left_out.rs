//! Keeps messages and other bytes out of the output, and stores them in the ledger.

use super::batch::BatchRewrite;
use crate::large_message::InPlace;
use crate::raw_blocks::RAW_PIECE;
use crate::reader::begins_message;
use crate::verify::Disagreement;
use mailglot_archive::ledger::{RawKind, Record};
use mailglot_archive::{BoxEventKind, Entry, Packing};
use mailglot_mime::Severity;

/// Bytes up to which a message that is not in the output is in one block of the ledger.
const ONE_BLOCK: usize = 64 << 20;

impl BatchRewrite<'_> {
    /// Sets aside a message after an internal fault.
    pub(super) fn fault(&mut self, entry: &Entry, place: Option<&InPlace>) {
        let detail = "internal fault; the message was copied as it is";
        self.set_aside_raw(entry, place, detail);
    }

    /// Sets aside the last message before compressed data were damaged, or before `--max-expansion` stopped them. Its end was not read.
    pub(super) fn cut(&mut self, entry: &Entry, place: Option<&InPlace>, by: BoxEventKind) {
        self.tally.messages += 1;
        let detail = if by == BoxEventKind::Expansion {
            "cut by --max-expansion; copied as far as it was read"
        } else {
            "cut, as the compressed data are damaged; copied as far as it was read"
        };
        self.set_aside_raw(entry, place, detail);
    }

    /// Sets aside a compressed message of a folder. In a mailbox, other readers would fail at its bytes.
    pub(super) fn packed(&mut self, entry: &Entry, place: Option<&InPlace>, packing: Packing) {
        let address = || self.job.address(entry);
        self.tally.packed(address, packing);
        let detail = format!(
            "{}, which a mailbox cannot hold; the message was copied as it is",
            packing.words()
        );
        self.set_aside_raw(entry, place, &detail);
    }

    /// Sets aside a message for the reason `detail`.
    pub(super) fn set_aside_raw(&mut self, entry: &Entry, place: Option<&InPlace>, detail: &str) {
        self.event(entry, "msg.set-aside", Severity::Loss, detail);
        self.set_aside(entry, place);
    }

    /// Sets aside a message on which the second reader disagrees after its rewriting.
    pub(super) fn disagreement(
        &mut self,
        entry: &Entry,
        place: Option<&InPlace>,
        disagreement: &Disagreement,
    ) {
        self.tally
            .disagreement(|| self.job.address(entry), disagreement);
        self.set_aside(entry, place);
    }

    /// Keeps a message out of the output, but counts it.
    fn set_aside(&mut self, entry: &Entry, place: Option<&InPlace>) {
        self.tally.set_aside += 1;
        let batch = &self.feed.batch.bytes;
        if let Some(place) = place {
            self.record_raw(RawKind::SetAside, &place.stored_entry(entry, batch));
            self.done.aside.push(place.quoted_message(batch));
            return;
        }
        self.record_raw(RawKind::SetAside, &batch[entry.span.clone()]);
        let message = entry.message_in(batch);
        self.done.aside.push(message.into_owned());
    }

    /// Keeps a message, or a piece of one, out of the output on request. The ledger stores it.
    pub(super) fn drop_message(&mut self, entry: &Entry) {
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

    /// Records bytes that are not in the output. Large ones make several blocks, because a block has a limit.
    pub(super) fn record_raw(&mut self, kind: RawKind, bytes: &[u8]) {
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
}
