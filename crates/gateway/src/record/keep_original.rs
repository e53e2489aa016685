//! Keeps the original of a message before it is changed.
//!
//! # Limits
//! A message that only gains fields on top is not kept, because the delivered message contains its original. The index entry of a message
//! has at most the first 998 bytes of a queue id. It omits a sender of more than 998 bytes.

use super::{Form, LogLine};
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::Record;
use crate::fault::Fault;
use crate::judge::Judgement;
use crate::ledgers::{Ledgers, Prepared, message_id};
use crate::semaphore::Processing;
use mailglot_archive::ledger::IndexEntry;
use mailglot_mime::Edit;
use std::time::SystemTime;

impl Engine {
    /// Records the original charset and digest of each changed part, for [`Engine::keep`].
    pub(crate) fn name_changed(&self, judgement: &Judgement<'_>, record: &mut Record) {
        if self.ledgers.is_some() {
            let changed = judgement.changed.iter().take(LISTED);
            record.changed = changed.map(|part| part.describe(judgement.raw())).collect();
        }
    }

    /// Makes the original durable before the verdict is sent. `edits` are the changes; `record` gets the name in the ledger.
    ///
    /// Releases the permit before it waits for the disk, so that other messages are processed meanwhile and share the sync. The waiting bytes are taken
    /// from `memory_bytes`. A message for which no memory is left keeps its permit, so the number of permits bounds the rest.
    ///
    /// This cannot deadlock. Taking memory never waits. A thread that commits waits for the committer of the ledger, and the committer for the
    /// disk alone: it needs no permit and no memory. So every commit ends, and releases its permit and memory.
    ///
    /// # Errors
    /// The original could not be written; the message must not be changed.
    pub(crate) fn keep(
        &self,
        raw: &[u8],
        edits: &[Edit],
        record: &mut Record,
        processing: &mut Processing<'_>,
    ) -> Result<(), Fault> {
        let Some((ledgers, prepared)) = self.prepare_original(raw, edits, record)? else {
            return Ok(());
        };
        let texts: usize = edits.iter().map(|edit| edit.with.len()).sum();
        let waiting = (raw.len() + texts + prepared.len()) as u64;
        let _reserved = processing.wait_without_permit(waiting);
        record.ledger = Some(ledgers.commit(prepared).map_err(Fault::Ledger)?);
        Ok(())
    }

    /// Encodes the record of an original, and returns it with the ledger that it goes to. `None` if no originals are kept.
    ///
    /// # Errors
    /// The record cannot be encoded; the message must not be changed.
    pub(crate) fn prepare_original(
        &self,
        raw: &[u8],
        edits: &[Edit],
        record: &Record,
    ) -> Result<Option<(&Ledgers, Prepared)>, Fault> {
        let Some(ledgers) = &self.ledgers else {
            return Ok(None);
        };
        let note = note(raw, edits, record);
        let entry = entry(raw, &record.envelope);
        let prepared = ledgers
            .prepare(raw, &note, entry, SystemTime::now())
            .map_err(Fault::Ledger)?;
        Ok(Some((ledgers, prepared)))
    }
}

/// Length limit of queue id and sender in an index entry, in bytes. A path of SMTP has at most 256 (RFC 5321, section 4.5.3.1.3).
const LONGEST: usize = 998;

/// Returns the index entry of a message.
///
/// A longer sender counts as unknown: `mailglot ledger release` must not send for a part of an address.
fn entry(raw: &[u8], envelope: &Envelope) -> IndexEntry {
    let bare = |path: &[u8]| {
        let inner = path
            .strip_prefix(b"<")
            .and_then(|path| path.strip_suffix(b">"));
        inner.unwrap_or(path).to_vec()
    };
    IndexEntry {
        queue_id: envelope.queue_id[..envelope.queue_id.len().min(LONGEST)].to_vec(),
        message_id: message_id(raw).to_vec(),
        sender: (!envelope.sender.is_empty())
            .then(|| bare(&envelope.sender))
            .filter(|s| s.len() <= LONGEST),
        recipients: envelope
            .addresses
            .iter()
            .map(|address| bare(address))
            .collect(),
        recipient_count: envelope.recipients.into(),
        ..IndexEntry::default()
    }
}

/// Number of edits and parts that a note lists. Further ones are only counted.
const LISTED: usize = 1_000;

/// Returns the note of a ledger: the fields of the log line that are known before the verdict, and the replaced ranges.
fn note(raw: &[u8], edits: &[Edit], record: &Record) -> String {
    let findings: Vec<_> = record
        .findings
        .counted()
        .map(|(f, count)| format!("{}:{count}", f.id()))
        .collect();
    let places: Vec<_> = edits
        .iter()
        .take(LISTED)
        .map(|edit| {
            format!(
                "{}+{}>{}",
                edit.span.start,
                edit.span.len(),
                edit.with.len()
            )
        })
        .collect();
    let line = LogLine::new(Form::Json)
        .bytes("msg", &record.envelope.queue_id)
        .bytes("from", &record.envelope.sender)
        .number("rcpts", record.envelope.recipients.into())
        .number("in", raw.len() as u64)
        .number("out", record.bytes_out)
        .number("parts", record.parts.into())
        .text("action", record.action.name())
        .number("claims", record.forged_fields.into())
        .text("findings", &findings.join(","))
        .number("loss", record.losses)
        .text("policy", &record.policy)
        .number("edits", edits.len() as u64);
    // Charset and digest of each changed part.
    let line = line.words("changed", &record.changed.join(" "));
    // OFFSET+OLD>NEW, in bytes.
    line.words("replaced", &places.join(" ")).finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ledgers::{Catalog, Ledgers, Query, Retention};

    /// A client chooses the length of its sender. The original is found for any length.
    #[test]
    fn an_original_is_found_for_any_length_of_its_envelope() {
        let at = tempfile::tempdir().unwrap();
        let ledgers = Ledgers::open(at.path(), Retention::default(), |_| ()).unwrap();
        let catalog = Catalog::open(at.path()).unwrap();
        for length in [0, 1, 20, LONGEST, LONGEST + 1, 70_000, 3 << 20] {
            let path = |letter: u8| [b"<", &vec![letter; length][..], b">"].concat();
            let mut envelope = Envelope {
                sender: path(b's'),
                queue_id: vec![b'q'; length],
                ..Envelope::default()
            };
            (0..3).for_each(|_| envelope.recipient(&path(b'r')));
            let raw = [b"Message-ID: ", &vec![b'm'; length][..], b"\r\n\r\n"].concat();
            let entry = entry(&raw, &envelope);
            let name = ledgers.keep(&raw, "{}", entry, SystemTime::now()).unwrap();
            let read = catalog.read(&name).unwrap();
            assert!(read.original == raw);
            assert!(
                read.entry.queue_id == envelope.queue_id[..length.min(LONGEST)],
                "{length}"
            );
            let sender = (length <= LONGEST).then(|| vec![b's'; length]);
            assert!(read.entry.sender == sender, "{length}");
            let query = Query {
                queue_id: Some(read.entry.queue_id),
                ..Query::default()
            };
            let mut found = Vec::new();
            assert_eq!(
                catalog
                    .find(&query, |record| found.push(record.name))
                    .unwrap(),
                []
            );
            assert!(found.contains(&name), "{length}");
        }
    }
}
