//! A message that has arrived: whether it goes on, and as what.
//!
//! # Limits
//! A judgement that has begun is not broken off: where it took too long its outcome is thrown away.

use super::Connection;
use super::incoming_message::IncomingMessage;
use crate::engine::Engine;
use crate::event::Record;
use crate::fault::Fault;
use crate::outcome::{Cause, Reply};
use crate::policy::Finding;
use crate::proxy::judge::{
    Fate, body, failed_open, fields, goes_round, judge, rejected, stopped_for_line_ends,
    unacceptable, unread,
};
use crate::proxy::outgoing_message::{HeaderEdits, OutgoingMessage};
use crate::proxy::session::Verdict;
use crate::record::message_id;
use crate::semaphore::Processing;
use crate::spool::Spool;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A result of more bytes waits for the next hop in a file.
const KEPT: usize = 1 << 20;

impl Connection {
    /// Judges the message that is complete, and tells the session.
    pub(super) fn judge(&mut self) {
        let mut arrived = std::mem::replace(&mut self.incoming, IncomingMessage::new(&self.shared));
        let start = Instant::now();
        let engine = self.shared.engine();
        let mut record = Record::new(
            self.envelope(),
            &self.peer(),
            self.bytes_received(arrived.size),
        );
        record.judged_by(&engine.rules);
        let fate = match (arrived.failure.take(), self.session.unacceptable()) {
            _ if arrived.beyond => rejected(Cause::BeyondAnnounced, &mut record),
            (Some(error), _) => self.no_room(&mut record, error),
            (None, Some(why)) => unacceptable(why, &mut record),
            (None, None) => self.judge_text(&engine, &mut arrived, &mut record, start),
        };
        let refused = match fate {
            Fate::Same(header_edits) => self.pass(arrived.spool, header_edits, &mut record).err(),
            Fate::Other(bytes) => self.replace(bytes, &mut record).err(),
            Fate::Refused(reply) => Some(reply),
        };
        let refused = refused.or_else(|| {
            // A client that has gone, or will not wait any longer, sends the message again: delivered now, it would be there twice.
            if self.client.is_gone(self.session.has_more()) {
                Some(self.given_up(&Fault::ClientGone, &mut record))
            } else if start.elapsed() >= self.shared.limits.work {
                Some(self.given_up(&Fault::Slow, &mut record))
            } else {
                None
            }
        });
        if let Some(reply) = &refused {
            self.outgoing = OutgoingMessage::nothing(&self.shared);
            self.session
                .decide(Verdict::Refuse(reply.code, &reply.text()));
        } else {
            self.session.decide(Verdict::Deliver);
        }
        record.time = start.elapsed();
        self.record = Some((record, start));
    }

    /// The message goes on as it came, in what is done to it whatever is in it.
    fn pass(
        &mut self,
        spool: Spool,
        header_edits: HeaderEdits,
        record: &mut Record,
    ) -> Result<(), Reply> {
        self.outgoing = OutgoingMessage::new(spool, header_edits);
        if self.session.announced().eight_bit {
            return Ok(());
        }
        // What was not looked at, or passes in spite of a fault.
        match self.outgoing.is_ascii() {
            Ok(true) => Ok(()),
            // It may go when it is judged.
            Ok(false) if record.failed_open => Err(self.given_up(&Fault::EightBit, record)),
            Ok(false) => Err(Cause::EightBit.reject(record)),
            Err(error) => Err(self.full(record, error)),
        }
    }

    /// Another one goes on in its place.
    fn replace(&mut self, bytes: Vec<u8>, record: &mut Record) -> Result<(), Reply> {
        let mut spool = Spool::new(self.shared.budget.clone());
        let kept = spool.keep(bytes, KEPT);
        kept.map_err(|error| self.full(record, error))?;
        self.outgoing = OutgoingMessage::new(spool, HeaderEdits::default());
        Ok(())
    }

    /// Judges what can be sent, when it is its turn.
    fn judge_text(
        &self,
        engine: &Engine,
        arrived: &mut IncomingMessage,
        record: &mut Record,
        start: Instant,
    ) -> Fate {
        let line_ends_corrected = self.session.has_corrected_line_ends();
        if line_ends_corrected && let Some(fate) = stopped_for_line_ends(engine, record) {
            return fate;
        }
        let limits = &self.shared.limits;
        let semaphore = &self.shared.semaphore;
        let permit = start.checked_add(limits.work).map_or_else(
            || Some(semaphore.acquire()),
            |end| semaphore.acquire_until(end),
        );
        let Some(permit) = permit else {
            return self.given_up(&Fault::Slow, record).into();
        };
        let mut processing = Processing::new(Some(permit), &self.shared.budget);
        if arrived.size > limits.message_bytes {
            return match beginning(&mut arrived.spool, limits.message_bytes) {
                Ok(Some(header)) => {
                    record.envelope.message_id = message_id(&header).to_vec();
                    goes_round(&header[..body(&header)], record).unwrap_or_else(|| {
                        unread(
                            &header,
                            Finding::TooLarge,
                            line_ends_corrected,
                            engine,
                            record,
                        )
                    })
                }
                // What it claims cannot be told.
                Ok(None) => rejected(Cause::HeaderTooLarge, record),
                Err(error) => self.no_room(record, error),
            };
        }
        let read = arrived.spool.bytes();
        let original = arrived.original.as_mut().map(Spool::bytes).transpose();
        let (raw, original) = match read.and_then(|raw| Ok((raw, original?))) {
            Ok(both) => both,
            Err(error) => return self.no_room(record, error),
        };
        let header = &raw[..body(&raw)];
        record.envelope.message_id = message_id(header).to_vec();
        if let Some(fate) = goes_round(header, record) {
            return fate;
        }
        if header.len() > limits.header_bytes || fields(header) > limits.fields {
            return unread(
                &raw,
                Finding::TooManyHeaders,
                line_ends_corrected,
                engine,
                record,
            );
        }
        let announced = self.session.announced();
        let work = || {
            if arrived.original_incomplete && engine.ledgers.is_some() {
                return Err(Fault::LedgerLate);
            }
            judge(
                &raw,
                original.as_deref(),
                line_ends_corrected,
                engine,
                announced,
                record,
                &mut processing,
            )
        };
        let fault = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(fate)) => return fate,
            Ok(Err(fault)) => fault,
            Err(_) => Fault::Panic,
        };
        self.fault(&fault);
        if engine.fail_open {
            return Fate::Same(failed_open(
                &raw,
                &fault,
                line_ends_corrected,
                engine,
                record,
            ));
        }
        fault.defer(record).into()
    }

    /// There is no use in the message's delivery any more, whatever was found out about it.
    fn given_up(&self, fault: &Fault, record: &mut Record) -> Reply {
        self.fault(fault);
        fault.defer(record)
    }

    /// The message cannot be kept on its way.
    fn full(&self, record: &mut Record, error: io::Error) -> Reply {
        let fault = Fault::Spool(error);
        self.given_up(&fault, record)
    }

    fn no_room(&self, record: &mut Record, error: io::Error) -> Fate {
        self.full(record, error).into()
    }
}

/// The beginning of a message with its whole header and the empty line behind it; none where these are more than `most` bytes.
fn beginning(spool: &mut Spool, most: u64) -> io::Result<Option<Vec<u8>>> {
    let (mut bytes, mut ended) = (Vec::new(), false);
    spool.pieces_while(|piece| {
        let from = bytes.len().saturating_sub(3);
        bytes.extend_from_slice(piece);
        ended = bytes.starts_with(b"\r\n")
            || memchr::memmem::find(&bytes[from..], b"\r\n\r\n").is_some();
        Ok(!ended && bytes.len() as u64 <= most)
    })?;
    Ok((ended || bytes.len() as u64 <= most).then_some(bytes))
}
