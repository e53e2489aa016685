//! A batch whose messages are being rewritten.

use super::rewritten_batch::RewrittenBatch;
use super::source_message::SourceMessage;
use super::worker::RewriteWorker;
use crate::file_time::file_time;
use crate::large_message::InPlace;
use crate::message_file_names;
use crate::reader::NumberedBatch;
use crate::separator::{LINE_END_ADDED, NO_LINE_END, SEPARATOR_REPLACED, replaced_separator};
use crate::tally::Tally;
use crate::verify::Verifier;
use mailglot_archive::ledger::{BlockBuilder, Record};
use mailglot_archive::{Entry, Flags, OutItem, SourceInsert};
use mailglot_mime::Severity;
use std::collections::BTreeMap;
use std::io;

/// A batch in progress.
pub(super) struct BatchRewrite<'a> {
    pub(super) job: &'a RewriteWorker<'a>,
    pub(super) feed: &'a NumberedBatch,
    /// The large messages, by the index of their entry.
    pub(super) in_place: &'a BTreeMap<usize, InPlace>,
    pub(super) builder: &'a mut BlockBuilder,
    pub(super) verifier: Option<&'a Verifier>,
    pub(super) tally: &'a mut Tally,
    pub(super) done: &'a mut RewrittenBatch,
    pub(super) name: &'a [u8],
    pub(super) more: bool,
    /// Whether each block before the last one could be built.
    pub(super) failed: io::Result<()>,
}

impl BatchRewrite<'_> {
    /// Adds a record to the ledger, if there is one.
    pub(super) fn record(&mut self, record: &Record<'_>) {
        if self.job.ledger.is_some() {
            self.builder.push(record);
        }
    }

    /// Reports an event at the start of an entry.
    pub(super) fn event(
        &mut self,
        entry: &Entry,
        code: &'static str,
        severity: Severity,
        detail: &str,
    ) {
        let address = || self.job.address(entry);
        self.tally
            .event(code, severity, address, entry.offset, detail);
    }

    /// Reports flags that the output cannot store.
    pub(super) fn report_flags(&mut self, entry: &Entry) {
        if entry.flags == Flags::default() || self.job.keeps_flags {
            return;
        }
        let detail = format!(
            "{} has no place in the output",
            message_file_names::flags(entry.flags)
        );
        self.event(entry, "msg.flags", Severity::Info, &detail);
    }

    /// Reports a message that is marked as deleted. It stays a message, in every output.
    pub(super) fn report_deleted(&mut self, entry: &Entry, raw: &[u8]) {
        if self.job.flags(entry, raw).0 & Flags::TRASHED != 0 {
            let detail = "it stays in the output";
            self.event(entry, "msg.deleted", Severity::Info, detail);
        }
    }

    /// Reports the folder of a message if the output merges all folders into one mailbox.
    pub(super) fn report_folder(&mut self, entry: &Entry) {
        if entry.folder.is_empty() || !self.job.writes_mailbox {
            return;
        }
        let detail = format!("folder {} has no place in the mailbox", entry.folder);
        self.event(entry, "msg.folder", Severity::Info, &detail);
    }

    /// Reports a line end that the mailbox adds to a message.
    pub(super) fn report_line_end(&mut self, entry: &Entry) {
        self.event(entry, LINE_END_ADDED, Severity::Info, NO_LINE_END);
    }

    /// Reports a separator line whose sender or time the mailbox does not keep as written.
    pub(super) fn report_separator(&mut self, entry: &Entry) {
        if !self.job.writes_mailbox {
            return;
        }
        let old = &self.feed.batch.bytes[entry.span.start..entry.message.start];
        if let Some(detail) = replaced_separator(old) {
            self.event(entry, SEPARATOR_REPLACED, Severity::Info, &detail);
        }
    }

    /// Adds what was appended to the output since `start` as an item. `original` is the message or the piece.
    pub(super) fn push_item(
        &mut self,
        start: usize,
        name: String,
        inserts: Vec<SourceInsert>,
        original: &SourceMessage<'_>,
    ) {
        let modified = if name.is_empty() {
            None
        } else {
            file_time(original.entry, original.separator, original.raw)
        };
        self.done.out.items.push(OutItem {
            span: start..self.done.out.bytes.len(),
            inserts,
            name: name.into_bytes(),
            more: original.entry.more,
            modified,
        });
    }

    /// Adds the record of the name of a message's file, if it has one.
    pub(super) fn record_name(&mut self, name: &str) {
        if !name.is_empty() {
            self.record(&Record::OutFile(name.as_bytes()));
        }
    }
}
