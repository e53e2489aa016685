//! Keeping the original of a message that is changed.
//!
//! # Limits
//! A message that only gains fields above all others is not kept: it is all there.

use super::{Form, Line};
use crate::engine::Engine;
use crate::fault::Fault;
use crate::judge::Judgement;
use crate::notice::Record;
use mailglot_mime::Edit;
use std::time::SystemTime;

impl Engine {
    /// Names the parts that are changed, as they came, for [`Engine::keep`].
    pub(crate) fn name_changed(&self, judgement: &Judgement<'_>, record: &mut Record) {
        if self.ledgers.is_some() {
            let changed = judgement.changed.iter().take(LISTED);
            record.changed = changed.map(|part| part.told(judgement.raw())).collect();
        }
    }

    /// Keeps a message that is going to be changed, before anybody is told so; `edits` are what is changed. The record tells where.
    ///
    /// # Errors
    /// It cannot be kept, and must not be changed.
    pub fn keep(&self, raw: &[u8], edits: &[Edit], record: &mut Record) -> Result<(), Fault> {
        let Some(ledgers) = &self.ledgers else { return Ok(()) };
        let note = note(raw, edits, record);
        let name = ledgers.keep(raw, &note, &record.envelope.queue_id, SystemTime::now());
        record.ledger = Some(name.map_err(Fault::Ledger)?);
        Ok(())
    }
}

/// Edits and parts that an account lists; more are only counted.
const LISTED: usize = 1_000;

/// The account of a message in its ledger: the line of the log but for what is not known yet, and where bytes were replaced.
fn note(raw: &[u8], edits: &[Edit], record: &Record) -> String {
    let findings: Vec<_> =
        record.findings.counted().map(|(f, count)| format!("{}:{count}", f.id())).collect();
    let places: Vec<_> = edits
        .iter()
        .take(LISTED)
        .map(|edit| format!("{}+{}>{}", edit.span.start, edit.span.len(), edit.with.len()))
        .collect();
    let line = Line::new(Form::Json)
        .bytes("msg", &record.envelope.queue_id)
        .bytes("from", &record.envelope.sender)
        .number("rcpts", record.envelope.recipients.into())
        .number("in", raw.len() as u64)
        .number("out", record.bytes_out)
        .number("parts", record.parts.into())
        .text("action", record.action.name())
        .number("claims", record.claims.into())
        .text("findings", &findings.join(","))
        .number("loss", record.losses)
        .text("policy", &record.policy)
        .number("edits", edits.len() as u64);
    // How each part came, and the digest of what stood in it.
    let line = line.words("changed", &record.changed.join(" "));
    // Offset, bytes that stood there, bytes that stand there now.
    line.words("replaced", &places.join(" ")).finish()
}
