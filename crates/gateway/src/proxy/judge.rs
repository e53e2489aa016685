//! Translates the outcome of a message into bytes that may go to the next hop, or a reply for the client.
//!
//! # Limits
//! - A dry run still corrects line ends, and refuses a NUL, and 8-bit data that the next hop does not accept. SMTP cannot carry them.
//! - Some 8-bit data cannot be made 7-bit: signed mail, and a message that is not read. They are refused if the next hop did not announce
//!   8BITMIME, or if the client said HELO (RFC 6152, section 3).
//! - A non-ASCII address stays, in the envelope and in header fields: no other address names the same mailbox.
//! - There is no quarantine: such a message is deferred.
//! - No original is kept of a message that is too large to be read, or that passes after a fault. Its line ends are corrected and forged fields
//!   are deleted all the same.
//! - A message that grows beyond the SIZE of the next hop is sent as it came. If that is impossible because of 8-bit data, it is refused.

use super::capabilities::Capabilities;
use super::content::{Unacceptable, is_clean};
use super::outgoing_message::HeaderEdits;
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::Record;
use crate::fault::Fault;
use crate::judge::{LineEnds, above, find_forged_fields, line_end};
use crate::outcome::{Abilities, Cause, Disposition, Extent, Outcome, Reply};
use crate::policy::Finding;
use crate::remark::Remark;
use crate::semaphore::Processing;
use mailglot_mime::{Edit, Headers, Span, Transfer};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of judging a message for the next hop.
#[derive(Debug)]
pub(super) enum ProxyOutcome {
    /// The message passes unchanged, except for edits that every message gets.
    Same(HeaderEdits),
    /// Rewritten bytes pass.
    Other(Vec<u8>),
    /// The message does not pass. The client gets this reply.
    Refused(Reply),
}

impl From<Reply> for ProxyOutcome {
    fn from(reply: Reply) -> Self {
        Self::Refused(reply)
    }
}

/// Returns the reply of an outcome; `None` if the message passes.
pub(crate) fn reply(outcome: &Outcome<'_>) -> Option<Reply> {
    match &outcome.disposition {
        Disposition::Deliver | Disposition::Quarantine(_) => None,
        Disposition::Reject(reply) | Disposition::Defer(reply) => Some(reply.clone()),
    }
}

/// Rejects a message for `cause`.
pub(super) fn rejected(cause: Cause, record: &mut Record) -> ProxyOutcome {
    cause.reject(record).into()
}

/// Returns the abilities of a proxy for a message.
fn abilities(forged_fields: usize, line_ends_corrected: bool) -> Abilities {
    Abilities {
        edits: Extent::All,
        rewrites: line_ends_corrected || forged_fields > 0,
        fields: true,
        no_quarantine: Some(Remark::NoQuarantine),
        forged_fields: forged_fields as u32,
        too_many_forged_fields: false,
        line_ends_corrected,
    }
}

/// Stops a message whose line ends were corrected, if the policy says so. In a dry run it passes with corrected line ends, because SMTP cannot
/// carry the original ones.
pub(super) fn stopped_for_line_ends(engine: &Engine, record: &mut Record) -> Option<ProxyOutcome> {
    record.findings.add(Finding::BareLf, String::new);
    let outcome = Outcome::of_bare_lines(&engine.rules, &abilities(0, true));
    outcome.record(record);
    reply(&outcome).map(ProxyOutcome::from)
}

/// Rejects a message that SMTP cannot carry.
pub(super) fn unacceptable(why: Unacceptable, record: &mut Record) -> ProxyOutcome {
    let cause = match why {
        Unacceptable::BareLine => Cause::BareLine,
        Unacceptable::Nul => Cause::Nul,
    };
    rejected(cause, record)
}

/// Handles a message that is not judged because of `finding`; `header` holds its whole header and the empty line behind it.
pub(super) fn unread(
    header: &[u8],
    finding: Finding,
    line_ends_corrected: bool,
    engine: &Engine,
    record: &mut Record,
) -> ProxyOutcome {
    record.findings.add(finding, String::new);
    let removed = find_forged_fields(header, &engine.rules);
    let outcome = Outcome::unread(
        engine,
        finding,
        &record.findings,
        &abilities(removed.len(), line_ends_corrected),
    );
    outcome.record(record);
    reply(&outcome).map_or_else(
        || ProxyOutcome::Same(header_edits(header, &outcome, removed)),
        ProxyOutcome::from,
    )
}

/// Returns the edits of a message that goes on as it came: forged fields are deleted, and the fields of `outcome` are added. `header` must have
/// the whole header and the empty line behind it.
fn header_edits(header: &[u8], outcome: &Outcome<'_>, removed: Vec<Span>) -> HeaderEdits {
    let edits: Vec<Edit> = removed.iter().map(|span| Edit::new(*span, b"")).collect();
    HeaderEdits {
        above: above(&outcome.fields, header, &edits, line_end(header)),
        removed,
    }
}

/// Returns the edits of a message that goes on after a fault.
pub(super) fn failed_open(
    raw: &[u8],
    fault: &Fault,
    line_ends_corrected: bool,
    engine: &Engine,
    record: &mut Record,
) -> HeaderEdits {
    let find = || find_forged_fields(raw, &engine.rules);
    let removed = catch_unwind(AssertUnwindSafe(find)).unwrap_or_default();
    let outcome = Outcome::failed(fault, Some(&abilities(removed.len(), line_ends_corrected)));
    outcome.record(record);
    header_edits(raw, &outcome, removed)
}

/// A message that is short enough to be read.
#[derive(Clone, Copy)]
pub(super) struct ReadableMessage<'a> {
    /// The message with correct line ends.
    pub(super) raw: &'a [u8],
    pub(super) line_ends: LineEnds<'a>,
}

/// Judges a message and writes the allowed result. `announced` has the extensions of the next hop. Releases the permit of `processing`
/// before it waits for the disk.
///
/// # Errors
/// The original cannot be kept.
pub(super) fn judge(
    message: ReadableMessage<'_>,
    engine: &Engine,
    announced: &Capabilities,
    record: &mut Record,
    processing: &mut Processing<'_>,
) -> Result<ProxyOutcome, Fault> {
    let (raw, line_ends_corrected) = (message.raw, message.line_ends.are_corrected());
    let eight_bit = announced.eight_bit;
    let engine = narrowed(engine, eight_bit, &record.envelope);
    let judgement = engine.judge_corrected(raw, &record.envelope, message.line_ends);
    let rewrites = line_ends_corrected || !judgement.edits.is_empty();
    let abilities = Abilities {
        rewrites,
        ..abilities(judgement.forged_fields as usize, line_ends_corrected)
    };
    let outcome = Outcome::judged(&judgement, &engine.rules, &abilities);
    record.read(&judgement, judgement.size());
    outcome.record(record);
    if let Some(reply) = reply(&outcome) {
        return Ok(reply.into());
    }
    engine.name_changed(&judgement, record);
    let beyond = |bytes: &[u8]| {
        announced
            .most()
            .is_some_and(|most| bytes.len() as u64 > most)
    };
    let proxy_outcome = match judgement.bytes() {
        Cow::Owned(bytes) if !is_clean(&bytes) => {
            let removed = find_forged_fields(raw, &engine.rules);
            let outcome = Outcome::unsendable(
                &judgement,
                &Abilities {
                    forged_fields: removed.len() as u32,
                    ..abilities
                },
            );
            outcome.record(record);
            ProxyOutcome::Same(header_edits(raw, &outcome, removed))
        }
        Cow::Owned(bytes) if beyond(&bytes) && !beyond(raw) => grown(
            raw,
            line_ends_corrected,
            &engine,
            eight_bit || raw.is_ascii(),
            announced.most(),
            record,
        ),
        Cow::Owned(bytes) => ProxyOutcome::Other(bytes),
        Cow::Borrowed(_) => ProxyOutcome::Same(HeaderEdits::default()),
    };
    let out = match &proxy_outcome {
        ProxyOutcome::Same(header_edits) => {
            record.bytes_out = header_edits.size(raw.len());
            raw
        }
        ProxyOutcome::Other(bytes) => {
            record.bytes_out = bytes.len() as u64;
            bytes
        }
        ProxyOutcome::Refused(..) => return Ok(proxy_outcome),
    };
    if !eight_bit && !out.is_ascii() {
        return Ok(rejected(Cause::EightBit, record));
    }
    if let LineEnds::Corrected(Some(original)) = message.line_ends {
        // Offsets in the corrected message do not fit the original, so the whole message is one change.
        engine.keep(
            original,
            &[Edit::new(Span::new(0, original.len()), out)],
            record,
            processing,
        )?;
    } else if matches!(proxy_outcome, ProxyOutcome::Other(_)) && !judgement.edits.is_empty() {
        engine.keep(raw, &judgement.edits, record, processing)?;
    }
    Ok(proxy_outcome)
}

/// Returns the proxy_outcome of a message that grows beyond the SIZE of the next hop. The original is not too large. `sendable` is true if it can be
/// sent without encoding.
fn grown(
    raw: &[u8],
    line_ends_corrected: bool,
    engine: &Engine,
    sendable: bool,
    most: Option<u64>,
    record: &mut Record,
) -> ProxyOutcome {
    record.findings.add(Finding::TooLarge, String::new);
    (record.losses, record.bytes_out) = (0, 0);
    record.changed.clear();
    let removed = find_forged_fields(raw, &engine.rules);
    let outcome = Outcome::unread(
        engine,
        Finding::TooLarge,
        &record.findings,
        &abilities(removed.len(), line_ends_corrected),
    )
    .because(Remark::NextHopSize);
    outcome.record(record);
    if let Some(reply) = reply(&outcome) {
        return reply.into();
    }
    if !sendable {
        // It would be the same each time.
        return rejected(Cause::SevenBitSize, record);
    }
    let mut header_edits = header_edits(raw, &outcome, removed);
    if most.is_some_and(|most| header_edits.size(raw.len()) > most) {
        // A field about it would have it refused.
        header_edits.above = Vec::new();
        outcome.without_fields().record(record);
    }
    ProxyOutcome::Same(header_edits)
}

/// Returns the engine with output limited to what the next hop and the envelope allow. The proxy announces no extension that its client did not.
fn narrowed<'e>(engine: &'e Engine, eight_bit: bool, envelope: &Envelope) -> Cow<'e, Engine> {
    let mut narrowed = Cow::Borrowed(engine);
    let transfer = engine.rules.rewriting.transfer;
    if !eight_bit && transfer != Transfer::SevenBit {
        narrowed.to_mut().rules.rewriting.transfer = Transfer::SevenBit;
    } else if !envelope.eight_bit && matches!(transfer, Transfer::EightBit | Transfer::Keep) {
        // RFC 6152 3: without BODY=8BITMIME no more of it becomes 8-bit than came so.
        narrowed.to_mut().rules.rewriting.transfer = Transfer::Clean;
    }
    if !envelope.smtputf8 && engine.rules.rewriting.headers == Headers::RawUtf8 {
        narrowed.to_mut().rules.rewriting.headers = Headers::Words;
    }
    narrowed
}

/// Maximum number of `Received` fields. RFC 5321, section 6.3, recommends a limit of at least 100.
const MAX_HOPS: usize = 100;

/// Refuses a message in a loop: one with too many `Received` fields, under every policy.
pub(super) fn refuse_loop(header: &[u8], record: &mut Record) -> Option<ProxyOutcome> {
    let trace = |name: &[u8]| {
        name.eq_ignore_ascii_case(b"Received:") || name.eq_ignore_ascii_case(b"Received ")
    };
    let hops = starts(header)
        .filter(|at| header.get(*at..at + 9).is_some_and(trace))
        .take(MAX_HOPS + 1)
        .count();
    (hops > MAX_HOPS).then(|| rejected(Cause::Loop, record))
}

/// Returns the number of fields in a header.
pub(super) fn fields(header: &[u8]) -> usize {
    starts(header).count()
}

/// Returns the offsets at which the fields of a header begin.
fn starts(header: &[u8]) -> impl Iterator<Item = usize> {
    let goes_on = |at: &usize| matches!(header.get(*at), None | Some(b' ' | b'\t' | b'\r'));
    let behind = memchr::memmem::find_iter(header, b"\r\n").map(|at| at + 2);
    std::iter::once(0).chain(behind.filter(move |at| !goes_on(at)))
}

/// Returns the offset of the body.
pub(super) fn body(raw: &[u8]) -> usize {
    if raw.starts_with(b"\r\n") {
        return 2;
    }
    memchr::memmem::find(raw, b"\r\n\r\n").map_or(raw.len(), |at| at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Action;

    #[test]
    fn policies_speak_of_mail_that_is_not_looked_at() {
        for (asked, monitor, defers, want) in [
            (Action::Pass, false, false, None),
            (Action::Tag, false, false, None),
            (Action::Pass, false, true, Some(451)),
            (Action::Tempfail, false, false, Some(451)),
            (Action::Quarantine, false, false, Some(451)),
            (Action::Reject, false, true, Some(552)),
            (Action::Reject, true, false, None),
        ] {
            let mut engine = Engine {
                defer_too_large: defers,
                ..Engine::default()
            };
            engine.rules.monitor = monitor;
            engine.rules.set(Finding::TooLarge, asked);
            let mut record = Record::new(Envelope::default(), "", 0);
            let code = match unread(b"\r\n", Finding::TooLarge, false, &engine, &mut record) {
                ProxyOutcome::Refused(reply) => Some(reply.code),
                _ => None,
            };
            assert_eq!(code, want, "{asked:?}");
            assert!(record.findings.has(Finding::TooLarge));
        }
    }
}
