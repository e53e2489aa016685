//! Copies a message above the size limit piece by piece. Such a message is not parsed.
//!
//! # Limits
//!
//! Only the quoting is adapted to the output. The file name has the digest of the first piece, because the whole message is never
//! in memory.

use super::batch::BatchRewrite;
use super::message::Requoting;
use super::source_message::SourceMessage;
use super::worker::RewriteWorker;
use crate::edited_message::put_message;
use crate::message_file_names;
use crate::reader::begins_message;
use crate::restore_quoting::line_end;
use crate::separator::{end_in_lf, separator_line};
use mailglot_archive::ledger::{Body, MessageRecord, Record};
use mailglot_archive::mbox::{mark_separator, unquote};
use mailglot_archive::{Entry, Format};

impl BatchRewrite<'_> {
    /// Copies a piece of a message above the size limit. Only its quoting is adapted to the output.
    pub(super) fn piece(&mut self, entry: &Entry, midline: bool, last: bool) {
        let first = !self.more;
        self.tally.messages += u64::from(begins_message(entry, self.more));
        if first {
            self.report_flags(entry);
            self.report_folder(entry);
            self.report_deleted(entry, &self.feed.batch.bytes[entry.message.clone()]);
        }
        if begins_message(entry, self.more) {
            self.report_separator(entry);
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
        let name = if first {
            let digest = || message_file_names::digest([&self.done.out.bytes[start..]]);
            job.name(to, entry, old, digest)
        } else {
            String::new()
        };
        if job.ledger.is_some() {
            self.record_name(&name);
            self.record_piece(&original, lengths, midline, first);
        }
        self.done.written += u64::from(first);
        self.push_item(start, name, Vec::new(), &original);
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
}

impl RewriteWorker<'_> {
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
            out.extend_from_slice(&separator_line(original.separator, old));
            if !self.from_mbox {
                end_in_lf(&mut out[start..]);
            }
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
}
