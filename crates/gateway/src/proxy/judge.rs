//! What becomes of a message on its way through the proxy: the engine's judgement, in bytes that may go to the next hop.
//!
//! # Limits
//! A dry run still sets line ends right and refuses a NUL, and eight bits that the next hop does not take: these cannot be sent as they
//! came. Eight bits that cannot be made seven (signed mail, a message that is not looked at) are refused where the next hop did not announce
//! 8BITMIME, or the client said HELO and so announced nothing itself: RFC 6152 3 knows no other end for them. An address that is not ASCII stays as it is, in the envelope and in header fields: nothing else names the same mailbox. There is no place
//! for what is to be held: it is deferred. Of a message that is too large to be looked at, or passes where judging it failed, no original is
//! kept, though its stray line ends are set right and fields that would be taken for ours go. What grows beyond the size that the next hop announced is dealt with as it came, as one that
//! is too large to be looked at: the next hop would refuse for good what it takes as it came. Where that may not go either, for it has eight bits and the
//! next hop takes seven, it is refused for good: it would be the same each time.

use super::capabilities::Capabilities;
use super::content::{Unacceptable, is_clean};
use super::leaving::Around;
use crate::engine::{Engine, Envelope};
use crate::judge::{above, find_claims, line_end};
use crate::notice::Record;
use crate::policy::{Action, Finding};
use mailglot_mime::{Edit, Headers, Span, Transfer};
use std::borrow::Cow;

/// What a client hears that is to come back.
const LATER: &str = "4.7.0 Try again later";

/// What is done to the bytes.
#[derive(Debug)]
pub(super) enum Fate {
    /// They go on as they came, but for what is done whatever is in them.
    Same(Around),
    /// Others go on.
    Other(Vec<u8>),
    /// They go nowhere: code and words for the client.
    Refused(u16, String),
}

impl From<(u16, String)> for Fate {
    fn from((code, words): (u16, String)) -> Self {
        Self::Refused(code, words)
    }
}

/// What the policy says of line ends that were set right: a fate where the message is refused for them, none where it goes on. In a
/// dry run it always does, with the line ends set right: as they came they cannot be sent.
pub(super) fn mended(engine: &Engine, record: &mut Record) -> Option<Fate> {
    record.findings.add(Finding::BareLf, String::new);
    let wanted = engine.rules.action(Finding::BareLf);
    record.wanted = wanted;
    if engine.rules.monitor {
        return None;
    }
    match wanted {
        Action::Reject => Some(unacceptable(Unacceptable::BareLine, record)),
        Action::Quarantine => Some(held(record)),
        Action::Tempfail => {
            record.action = Action::Tempfail;
            Some(Fate::Refused(451, LATER.to_owned()))
        }
        Action::Pass | Action::Tag | Action::Normalize => None,
    }
}

/// What is to be held must not pass.
fn held(record: &mut Record) -> Fate {
    (record.action, record.finding) = (Action::Tempfail, Some("no place for quarantine"));
    Fate::Refused(451, LATER.to_owned())
}

/// A fate of a message that is not judged, for what arrived with it.
pub(super) fn unacceptable(why: Unacceptable, record: &mut Record) -> Fate {
    record.action = Action::Reject;
    let (finding, words) = match why {
        Unacceptable::BareLine => (Finding::BareLf, "5.5.2 A CR or LF stands alone in the message"),
        Unacceptable::Nul => (Finding::NulIn8bit, "5.6.0 A NUL is in the message"),
    };
    if !record.findings.has(finding) {
        record.findings.add(finding, String::new);
    }
    record.wanted = record.action;
    Fate::Refused(550, words.to_owned())
}

/// A message that is not looked at, for the reason of `finding`; `header` holds all of its header and the empty line behind it.
pub(super) fn unread(header: &[u8], finding: Finding, engine: &Engine, record: &mut Record) -> Fate {
    record.findings.add(finding, String::new);
    record.finding = Some(finding.id());
    let wanted = engine.about_unread(finding);
    record.wanted = record.wanted.max(wanted);
    match wanted {
        Action::Reject => {
            record.action = Action::Reject;
            Fate::Refused(552, "5.3.4 Message too large".to_owned())
        }
        Action::Quarantine | Action::Tempfail => {
            record.action = Action::Tempfail;
            Fate::Refused(451, "4.3.4 Message too large".to_owned())
        }
        Action::Pass | Action::Tag | Action::Normalize => {
            // Stray line ends were set right before; whether that is told is the policy's, too.
            let told = wanted.max(engine.about_mended(record));
            Fate::Same(as_it_came(header, Some(told), engine, record))
        }
    }
}

/// A message of more bytes than its client was told that the next hop takes (RFC 1870 6.3).
pub(super) fn beyond_the_announced(record: &mut Record) -> Fate {
    record.findings.add(Finding::TooLarge, String::new);
    (record.action, record.wanted) = (Action::Reject, Action::Reject);
    record.finding = Some("next-hop-size");
    Fate::Refused(552, "5.3.4 Message too large".to_owned())
}

/// What is done to a message that goes on as it came: fields that would be taken for ours stay behind, and where it is `told`, a field says
/// what was found. `header` holds all of its header and the empty line behind it.
pub(super) fn as_it_came(
    header: &[u8],
    told: Option<Action>,
    engine: &Engine,
    record: &mut Record,
) -> Around {
    let gone = find_claims(header, &engine.rules);
    record.claims = gone.len() as u32;
    let edits: Vec<Edit> = gone.iter().map(|span| Edit::new(*span, b"")).collect();
    let told = told.is_some_and(|action| action >= Action::Tag);
    let field = if told { engine.field_unread(&record.findings) } else { None };
    if field.is_some() {
        record.action = record.action.max(Action::Tag);
    }
    Around { above: above(field.as_slice(), header, &edits, line_end(header)), gone }
}

/// Judges a message and writes what is allowed; `announced` is what the next hop takes, `mended` whether its line ends were set right, `came` the
/// message as it came before that, where originals are kept.
///
/// # Errors
/// The message cannot be kept as it came.
pub(super) fn judge(
    raw: &[u8],
    came: Option<&[u8]>,
    mended: bool,
    engine: &Engine,
    announced: &Capabilities,
    record: &mut Record,
) -> Result<Fate, String> {
    let eight_bit = announced.eight_bit;
    let engine = narrowed(engine, eight_bit, &record.envelope);
    let judgement = engine.judge_mended(raw, &record.envelope, mended);
    record.action = judgement.action;
    record.claims = judgement.claims;
    record.wanted = record.wanted.max(judgement.wanted);
    record.losses = judgement.report.losses();
    record.bytes_out = judgement.size() as u64;
    record.parts = judgement.parts;
    if matches!(judgement.action, Action::Pass | Action::Tag | Action::Normalize) {
        engine.name_changed(&judgement, record);
    }
    record.findings.clone_from(&judgement.findings);
    let fate = match judgement.action {
        Action::Reject => {
            let reasons = judgement.reasons(&engine.rules, Action::Reject);
            Fate::Refused(550, format!("5.6.0 message refused: {reasons}"))
        }
        Action::Quarantine => held(record),
        Action::Tempfail => Fate::Refused(451, LATER.to_owned()),
        Action::Pass | Action::Tag | Action::Normalize => match judgement.bytes() {
            Cow::Owned(bytes) if is_clean(&bytes) => Fate::Other(bytes),
            Cow::Owned(_) => {
                (record.action, record.finding) = (Action::Pass, Some("unsendable"));
                record.bytes_out = raw.len() as u64;
                Fate::Same(as_it_came(raw, None, &engine, record))
            }
            Cow::Borrowed(_) => Fate::Same(Around::default()),
        },
    };
    let beyond = |bytes: &[u8]| announced.most().is_some_and(|most| bytes.len() as u64 > most);
    let fate = match fate {
        Fate::Other(bytes) if beyond(&bytes) && !beyond(raw) => {
            grown(raw, &engine, eight_bit || raw.is_ascii(), announced.most(), record)
        }
        fate => fate,
    };
    let out = match &fate {
        Fate::Same(_) => raw,
        Fate::Other(bytes) => bytes,
        Fate::Refused(..) => return Ok(fate),
    };
    if !eight_bit && !out.is_ascii() {
        return Ok(beyond_the_hop(record).into());
    }
    if let Some(came) = came {
        // Places in what was set right are none in what came: it is all one change.
        record.action = record.action.max(Action::Normalize);
        engine.keep(came, &[Edit::new(Span::new(0, came.len()), out)], record)?;
    } else if matches!(fate, Fate::Other(_)) && !judgement.edits.is_empty() {
        engine.keep(raw, &judgement.edits, record)?;
    }
    Ok(fate)
}

/// A message of which more is made than the next hop takes: as it came it is not too large. `sendable` is whether its bits can go as they
/// came; where they cannot, neither can go.
fn grown(raw: &[u8], engine: &Engine, sendable: bool, most: Option<u64>, record: &mut Record) -> Fate {
    record.action = Action::Pass;
    let fate = unread(raw, Finding::TooLarge, engine, record);
    (record.finding, record.losses) = (Some("next-hop-size"), 0);
    record.changed.clear();
    match fate {
        Fate::Same(mut around) if sendable => {
            let gone: usize = around.gone.iter().map(|span| span.len()).sum();
            record.bytes_out = (raw.len() - gone) as u64;
            if most.is_some_and(|most| record.bytes_out + around.above.len() as u64 > most) {
                // A word about it would have it refused.
                (around.above, record.action) = (Vec::new(), Action::Pass);
            }
            Fate::Same(around)
        }
        Fate::Refused(..) => {
            record.bytes_out = 0;
            fate
        }
        Fate::Same(_) | Fate::Other(_) => {
            // It would be the same each time.
            (record.action, record.bytes_out) = (Action::Reject, 0);
            Fate::Refused(552, "5.3.4 In seven bits the message is too large for the next hop".to_owned())
        }
    }
}

/// Eight bits, in header or body, for a next hop that takes seven: RFC 6152 3 leaves a conversion to seven bits, which the judgement was, or
/// this.
pub(super) fn beyond_the_hop(record: &mut Record) -> (u16, String) {
    (record.action, record.finding) = (Action::Reject, Some("eight-bit"));
    (record.failed_open, record.bytes_out) = (false, 0);
    (550, "5.6.3 The next hop takes no 8-bit data".to_owned())
}

/// The engine, writing no more than the next hop and the envelope allow: the proxy announces nothing in its client's place.
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

/// Servers that a message may have gone through: those behind us would take one more (RFC 5321 6.3).
const HOPS: usize = 100;

/// A message that goes round and round, as far as the fields of its servers tell: how many there are is bounded, whatever the policy says.
pub(super) fn goes_round(header: &[u8], record: &mut Record) -> Option<Fate> {
    let trace =
        |name: &[u8]| name.eq_ignore_ascii_case(b"Received:") || name.eq_ignore_ascii_case(b"Received ");
    let hops = starts(header).filter(|at| header.get(*at..at + 9).is_some_and(trace)).take(HOPS + 1).count();
    (hops > HOPS).then(|| {
        (record.action, record.wanted) = (Action::Reject, Action::Reject);
        record.finding = Some("loop");
        Fate::Refused(554, "5.4.6 Too many hops: this message goes round".to_owned())
    })
}

/// How many fields a header has.
pub(super) fn fields(header: &[u8]) -> usize {
    starts(header).count()
}

/// Where the fields of a header begin.
fn starts(header: &[u8]) -> impl Iterator<Item = usize> {
    let goes_on = |at: &usize| matches!(header.get(*at), None | Some(b' ' | b'\t' | b'\r'));
    let behind = memchr::memmem::find_iter(header, b"\r\n").map(|at| at + 2);
    std::iter::once(0).chain(behind.filter(move |at| !goes_on(at)))
}

/// Where the body begins.
pub(super) fn body(raw: &[u8]) -> usize {
    if raw.starts_with(b"\r\n") {
        return 2;
    }
    memchr::memmem::find(raw, b"\r\n\r\n").map_or(raw.len(), |at| at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let mut engine = Engine { defer_too_large: defers, ..Engine::default() };
            engine.rules.monitor = monitor;
            engine.rules.set(Finding::TooLarge, asked);
            let mut record = Record::new(Envelope::default(), "", 0);
            let code = match unread(b"\r\n", Finding::TooLarge, &engine, &mut record) {
                Fate::Refused(code, _) => Some(code),
                _ => None,
            };
            assert_eq!(code, want, "{asked:?}");
            assert!(record.findings.has(Finding::TooLarge));
        }
    }
}
