//! Decides about a complete message: whether it goes on, and with which bytes.
//!
//! # Limits
//! Nothing interrupts a judgement. If it took too long, its outcome is dropped.

use super::ProxyConnection;
use super::incoming_message::IncomingMessage;
use crate::engine::Engine;
use crate::event::Record;
use crate::fault::Fault;
use crate::judge::LineEnds;
use crate::ledgers::message_id;
use crate::outcome::{Cause, Reply};
use crate::policy::Finding;
use crate::proxy::judge::{
    ProxyOutcome, ReadableMessage, body, failed_open, fields, judge, refuse_loop, rejected,
    stopped_for_line_ends, unacceptable, unread,
};
use crate::proxy::outgoing_message::{HeaderEdits, OutgoingMessage};
use crate::proxy::session::ProxyVerdict;
use crate::semaphore::Processing;
use crate::spool::Spool;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A longer result is written to a file while it waits for the next hop.
const KEPT: usize = 1 << 20;

impl ProxyConnection {
    /// Judges the complete message, and gives the session its verdict.
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
        let proxy_outcome = match (arrived.failure.take(), self.session.unacceptable()) {
            _ if arrived.beyond => rejected(Cause::BeyondAnnounced, &mut record),
            (Some(error), _) => self.no_room(&mut record, error),
            (None, Some(why)) => unacceptable(why, &mut record),
            (None, None) => self.judge_text(&engine, &mut arrived, &mut record, start),
        };
        let refused = match proxy_outcome {
            ProxyOutcome::Same(header_edits) => {
                self.pass(arrived.spool, header_edits, &mut record).err()
            }
            ProxyOutcome::Other(bytes) => self.replace(bytes, &mut record).err(),
            ProxyOutcome::Refused(reply) => Some(reply),
        };
        let refused = refused.or_else(|| {
            // A client that has gone, or will not wait any longer, sends the message again. Delivered now, it would arrive twice.
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
                .decide(ProxyVerdict::Refuse(reply.code, &reply.enhanced_text()));
        } else {
            self.session.decide(ProxyVerdict::Deliver);
        }
        record.time = start.elapsed();
        self.record = Some((record, start));
    }

    /// Sends the message on as it came, apart from its header edits.
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
        // The message was not read, or passes in spite of a fault.
        match self.outgoing.is_ascii() {
            Ok(true) => Ok(()),
            // Once judged, it may be sendable.
            Ok(false) if record.failed_open => Err(self.given_up(&Fault::EightBit, record)),
            Ok(false) => Err(Cause::EightBit.reject(record)),
            Err(error) => Err(self.full(record, error)),
        }
    }

    /// Sends `bytes` on in place of the message.
    fn replace(&mut self, bytes: Vec<u8>, record: &mut Record) -> Result<(), Reply> {
        let mut spool = Spool::new(self.shared.budget.clone());
        let kept = spool.keep(bytes, KEPT);
        kept.map_err(|error| self.full(record, error))?;
        self.outgoing = OutgoingMessage::new(spool, HeaderEdits::default());
        Ok(())
    }

    /// Judges a message that SMTP can carry, once there is a permit.
    fn judge_text(
        &self,
        engine: &Engine,
        arrived: &mut IncomingMessage,
        record: &mut Record,
        start: Instant,
    ) -> ProxyOutcome {
        let line_ends_corrected = self.session.has_corrected_line_ends();
        if line_ends_corrected && let Some(proxy_outcome) = stopped_for_line_ends(engine, record) {
            return proxy_outcome;
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
            return self.judge_beginning(engine, &mut arrived.spool, record);
        }
        let read = arrived.spool.bytes();
        let original = arrived.original.as_mut().map(Spool::bytes).transpose();
        let (raw, original) = match read.and_then(|raw| Ok((raw, original?))) {
            Ok(both) => both,
            Err(error) => return self.no_room(record, error),
        };
        let header = &raw[..body(&raw)];
        record.envelope.message_id = message_id(header).to_vec();
        if let Some(proxy_outcome) = refuse_loop(header, record) {
            return proxy_outcome;
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
            let message = ReadableMessage {
                raw: &raw,
                line_ends: if line_ends_corrected {
                    LineEnds::Corrected(original.as_deref())
                } else {
                    LineEnds::AsReceived
                },
            };
            judge(message, engine, announced, record, &mut processing)
        };
        let fault = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(proxy_outcome)) => return proxy_outcome,
            Ok(Err(fault)) => fault,
            Err(_) => Fault::Panic,
        };
        self.fault(&fault);
        if engine.fail_open {
            return ProxyOutcome::Same(failed_open(
                &raw,
                &fault,
                line_ends_corrected,
                engine,
                record,
            ));
        }
        fault.defer(record).into()
    }

    /// Judges a message that is too large to be read, by its header.
    fn judge_beginning(
        &self,
        engine: &Engine,
        spool: &mut Spool,
        record: &mut Record,
    ) -> ProxyOutcome {
        let header = match beginning(spool, self.shared.limits.message_bytes) {
            Ok(Some(header)) => header,
            // Its forged fields cannot be determined.
            Ok(None) => return rejected(Cause::HeaderTooLarge, record),
            Err(error) => return self.no_room(record, error),
        };
        record.envelope.message_id = message_id(&header).to_vec();
        refuse_loop(&header[..body(&header)], record).unwrap_or_else(|| {
            let corrected = self.session.has_corrected_line_ends();
            unread(&header, Finding::TooLarge, corrected, engine, record)
        })
    }

    /// Defers a message whose delivery is of no use any more.
    fn given_up(&self, fault: &Fault, record: &mut Record) -> Reply {
        self.fault(fault);
        fault.defer(record)
    }

    /// Defers a message for which there is no room.
    fn full(&self, record: &mut Record, error: io::Error) -> Reply {
        let fault = Fault::Spool(error);
        self.given_up(&fault, record)
    }

    fn no_room(&self, record: &mut Record, error: io::Error) -> ProxyOutcome {
        self.full(record, error).into()
    }
}

/// Returns the begin of a message, with its header and the empty line behind it. Returns `None` if these exceed `most` bytes.
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
