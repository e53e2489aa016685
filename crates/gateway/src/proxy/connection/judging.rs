//! A message that has arrived: whether it goes on, and as what.
//!
//! # Limits
//! A judgement that has begun is not broken off: where it took too long its outcome is thrown away.

use super::Connection;
use super::arriving::Arriving;
use crate::engine::Engine;
use crate::notice::Record;
use crate::policy::{Action, Finding};
use crate::proxy::judge::{
    Fate, as_it_came, beyond_the_announced, beyond_the_hop, body, fields, goes_round, judge, mended,
    unacceptable, unread,
};
use crate::proxy::leaving::{Around, Leaving};
use crate::proxy::session::Verdict;
use crate::record;
use crate::spool::Spool;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A result of more bytes waits for the next hop in a file.
const KEPT: usize = 1 << 20;

impl Connection {
    /// Judges the message that is complete, and tells the session.
    pub(super) fn judge(&mut self) {
        let mut arrived = std::mem::replace(&mut self.arriving, Arriving::new(&self.shared));
        let start = Instant::now();
        let engine = self.shared.engine();
        let mut record = Record::new(self.envelope(), &self.peer(), self.came(arrived.size));
        record.policy.clone_from(&engine.rules.name);
        let fate = match (&arrived.failure, self.session.unacceptable()) {
            _ if arrived.beyond => beyond_the_announced(&mut record),
            (Some(error), _) => self.no_room(&mut record, error),
            (None, Some(why)) => unacceptable(why, &mut record),
            (None, None) => self.judge_text(&engine, &mut arrived, &mut record, start),
        };
        let refused = match fate {
            Fate::Same(around) => self.pass(arrived.spool, around, &mut record).err(),
            Fate::Other(bytes) => self.replace(bytes, &mut record).err(),
            Fate::Refused(code, words) => Some((code, words)),
        };
        let refused = refused.or_else(|| {
            // A client that has gone, or will not wait any longer, sends the message again: delivered now, it would be there twice.
            if self.client.is_gone(self.session.has_more()) {
                Some(self.given_up("client-gone", &mut record))
            } else if start.elapsed() >= self.shared.limits.work {
                Some(self.given_up("slow", &mut record))
            } else {
                None
            }
        });
        if let Some((code, words)) = &refused {
            (record.claims, record.bytes_out) = (0, 0);
            self.leaving = Leaving::nothing(&self.shared);
            self.session.decide(Verdict::Refuse(*code, words));
        } else {
            if self.session.is_mended() || record.claims > 0 {
                // Whatever else was done or not, bytes have changed.
                record.action = record.action.max(Action::Normalize);
            }
            self.session.decide(Verdict::Deliver);
        }
        record.time = start.elapsed();
        self.record = Some((record, start));
    }

    /// The message goes on as it came, in what is done to it whatever is in it.
    fn pass(&mut self, spool: Spool, around: Around, record: &mut Record) -> Result<(), (u16, String)> {
        self.leaving = Leaving::new(spool, around);
        if self.session.announced().eight_bit {
            return Ok(());
        }
        // What was not looked at, or passes in spite of a fault.
        match self.leaving.is_ascii() {
            Ok(true) => Ok(()),
            // It may go when it is judged.
            Ok(false) if record.failed_open => Err(self.given_up("eight-bit", record)),
            Ok(false) => Err(beyond_the_hop(record)),
            Err(error) => Err(self.full(record, &error)),
        }
    }

    /// Another one goes on in its place.
    fn replace(&mut self, bytes: Vec<u8>, record: &mut Record) -> Result<(), (u16, String)> {
        let mut spool = Spool::new(self.shared.budget.clone());
        let kept = spool.keep(bytes, KEPT);
        kept.map_err(|error| self.full(record, &error))?;
        self.leaving = Leaving::new(spool, Around::default());
        Ok(())
    }

    /// Judges what can be sent, when it is its turn.
    fn judge_text(
        &self,
        engine: &Engine,
        arrived: &mut Arriving,
        record: &mut Record,
        start: Instant,
    ) -> Fate {
        if self.session.is_mended()
            && let Some(fate) = mended(engine, record)
        {
            return fate;
        }
        let limits = &self.shared.limits;
        let turns = &self.shared.turns;
        let turn =
            start.checked_add(limits.work).map_or_else(|| Some(turns.take()), |end| turns.take_until(end));
        let Some(_turn) = turn else {
            return self.given_up("slow", record).into();
        };
        if arrived.size > limits.message_bytes {
            return match beginning(&mut arrived.spool, limits.message_bytes) {
                Ok(Some(header)) => goes_round(&header[..body(&header)], record)
                    .unwrap_or_else(|| unread(&header, Finding::TooLarge, engine, record)),
                // What it claims cannot be told.
                Ok(None) => unacceptable_header(record),
                Err(error) => self.no_room(record, &error),
            };
        }
        let read = arrived.spool.bytes();
        let came = arrived.came.as_mut().map(Spool::bytes).transpose();
        let (raw, came) = match read.and_then(|raw| Ok((raw, came?))) {
            Ok(both) => both,
            Err(error) => return self.no_room(record, &error),
        };
        let header = &raw[..body(&raw)];
        if let Some(fate) = goes_round(header, record) {
            return fate;
        }
        if header.len() > limits.header_bytes || fields(header) > limits.fields {
            return unread(&raw, Finding::TooManyHeaders, engine, record);
        }
        let announced = self.session.announced();
        let work = || {
            if arrived.came_late && engine.ledgers.is_some() {
                return Err("ledger (the engine changed while the message arrived)".to_owned());
            }
            judge(&raw, came.as_deref(), self.session.is_mended(), engine, announced, record)
        };
        let fault = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(fate)) => return fate,
            Ok(Err(fault)) => fault,
            Err(_) => "panic".to_owned(),
        };
        self.fault(&fault);
        (record.finding, record.bytes_out, record.claims) = (Some(record::kind(&fault)), 0, 0);
        if engine.fail_open {
            (record.action, record.failed_open) = (Action::Pass, true);
            let around = catch_unwind(AssertUnwindSafe(|| as_it_came(&raw, None, engine, record)));
            return Fate::Same(around.unwrap_or_default());
        }
        record.action = Action::Tempfail;
        Fate::Refused(451, "4.3.0 Try again later".to_owned())
    }

    /// There is no use in the message's delivery any more, whatever was found out about it.
    fn given_up(&self, why: &'static str, record: &mut Record) -> (u16, String) {
        self.fault(why);
        (record.action, record.finding, record.failed_open) = (Action::Tempfail, Some(why), false);
        (451, "4.3.0 Try again later".to_owned())
    }

    /// The message cannot be kept on its way.
    fn full(&self, record: &mut Record, error: &io::Error) -> (u16, String) {
        self.fault(&format!("spool ({error})"));
        (record.action, record.finding) = (Action::Tempfail, Some("spool"));
        (452, "4.3.1 No room for the message".to_owned())
    }

    fn no_room(&self, record: &mut Record, error: &io::Error) -> Fate {
        self.full(record, error).into()
    }
}

/// A message whose header is larger than messages that are looked at.
fn unacceptable_header(record: &mut Record) -> Fate {
    record.findings.add(Finding::TooManyHeaders, String::new);
    (record.action, record.wanted) = (Action::Reject, Action::Reject);
    record.finding = Some(Finding::TooManyHeaders.id());
    Fate::Refused(552, "5.3.4 Message header too large".to_owned())
}

/// The beginning of a message with its whole header and the empty line behind it; none where these are more than `most` bytes.
fn beginning(spool: &mut Spool, most: u64) -> io::Result<Option<Vec<u8>>> {
    let (mut bytes, mut ended) = (Vec::new(), false);
    spool.pieces_while(|piece| {
        let from = bytes.len().saturating_sub(3);
        bytes.extend_from_slice(piece);
        ended = bytes.starts_with(b"\r\n") || memchr::memmem::find(&bytes[from..], b"\r\n\r\n").is_some();
        Ok(!ended && bytes.len() as u64 <= most)
    })?;
    Ok((ended || bytes.len() as u64 <= most).then_some(bytes))
}
