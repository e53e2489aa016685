//! Decides about each message of a connection, and writes edits and verdict.
//!
//! # Limits
//! A message of the pool that waits for its ledger needs shared memory. If too little is left, the connection leaves the pool.

use super::{MilterConnection, MilterEnd};
use crate::engine::Engine;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::filter::answer::abilities;
use crate::filter::commit::{CommitSlot, Committing, MessageInWork};
use crate::filter::decide::{Decided, Decider, UncopiedBody, passing};
use crate::filter::handle::{Progress, WorkState};
use crate::ledgers::Prepared;
use crate::message_builder::{EMPTY_LINE, MessageBuilder};
use crate::milter::{self, Actions, Granted, Verdict, protocol};
use crate::outcome::{Abilities, Outcome};
use crate::server::Shared;
use crate::spool::Reserved;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Shared memory that a message reserves while it waits for its ledger: so many times its bytes, and so many bytes at least.
const RECORD_AND_OUTPUT: u64 = 4;
const RECORD_MINIMUM: u64 = 4 << 10;

/// The shared memory is used up.
pub(super) struct NoMemoryLeft;

impl MilterConnection {
    /// Reserves shared memory for a message of the pool that waits for its ledger, if there is one. Fails if not enough is left: a thread of its own waits
    /// then, and only as many threads as there are permits have such messages.
    pub(super) fn reserve(&self) -> Result<Option<Reserved>, NoMemoryLeft> {
        if self.waits || self.shared.engine().ledgers.is_none() {
            return Ok(None);
        }
        let size = self.message.as_ref().map_or(0, MessageBuilder::size);
        let bytes = size
            .saturating_mul(RECORD_AND_OUTPUT)
            .saturating_add(RECORD_MINIMUM);
        let reserved = self.shared.budget.reserve(bytes).ok_or(NoMemoryLeft)?;
        Ok(Some(reserved))
    }

    /// Reports a fault of the gateway. Defers the message, or passes it with the edits in `passing`. The session owes a verdict.
    fn fail(
        &mut self,
        fault: &Fault,
        passing: Option<(Actions<'_>, u32)>,
        record: &mut Record,
    ) -> Result<(), MilterEnd> {
        self.fault(fault);
        record_failed(
            fault,
            passing.as_ref().map(|(_, forged_fields)| *forged_fields),
            record,
        );
        let verdict = if passing.is_some() {
            Verdict::Continue
        } else {
            Verdict::Tempfail
        };
        let actions = passing.map(|(edits, _)| edits).unwrap_or_default();
        self.session
            .decide(&actions, &verdict)
            .map_err(|_| MilterEnd::Quit)
    }

    /// Writes the output and a long body, which is copied only in the pool.
    fn write_uncopied(&mut self, uncopied: &UncopiedBody) -> Result<(), MilterEnd> {
        let (before, after) = self.session.output().split_at(uncopied.place);
        let body = uncopied.message.new_body(&uncopied.edits);
        let heads = milter::heads(&body);
        let packets = milter::packets(&heads, &body);
        let pieces = [before].into_iter().chain(packets).chain([after]);
        let written = if self.waits {
            let mut pieces: Vec<_> = pieces.map(IoSlice::new).collect();
            self.handle.write(self.shared.limits.stall, |stream| {
                stream.write_pieces(&mut pieces)
            })
        } else {
            pieces.for_each(|piece| self.unsent.extend_from_slice(piece));
            Ok(())
        };
        self.session.written();
        self.answered = true;
        Ok(written?)
    }

    /// Reports a message whose verdict was sent.
    pub(super) fn message_ends(&self, record: &Record) -> Result<(), MilterEnd> {
        if self.waits {
            self.shared.report(&ServerEvent::Message(record));
        } else {
            // The worker flushes it with those of other connections, before it polls.
            self.shared.report_unflushed(record);
        }
        self.handle.in_message.store(false, Ordering::SeqCst);
        if self.shared.is_stopping() {
            Err(MilterEnd::Quit)
        } else {
            Ok(())
        }
    }

    /// Decides about a complete message, and writes edits and verdict at once, or when its original is durable.
    pub(super) fn decide(&mut self, reserved: Option<Reserved>) -> Result<(), MilterEnd> {
        // Earlier output goes first.
        self.write()?;
        if !self.unsent.is_empty() {
            // No progress packet may come before it.
            return Ok(());
        }
        let start = Instant::now();
        let granted = self.session.granted().unwrap_or_default();
        let mut message = self
            .message
            .take()
            .unwrap_or_else(|| Self::empty_message(&self.shared, granted));
        let size = message.size() + EMPTY_LINE;
        let envelope = std::mem::take(&mut self.envelope);
        let mut record = Box::new(Record::new(envelope, &self.peer, size));
        let engine = self.shared.engine();
        let passing = passing(&mut message, &engine, granted);
        // If the protocol cannot express the edits, the message is deferred.
        let packets = |(edits, forged_fields): &(Actions<'_>, u32)| {
            Some((edits.packets(granted)?, *forged_fields))
        };
        let passing = passing.and_then(|passing| Some((packets(&passing)?, passing)));
        let (packets, passing) = passing.unzip();
        let work = WorkState::On {
            since: start,
            last_sent: start,
        };
        *self.handle.progress_state() = Progress {
            work,
            passing: packets,
            owed: Vec::new(),
        };
        let decider = Decider {
            shared: &self.shared,
            engine: &engine,
            handle: &self.handle,
            waits: self.waits,
        };
        let done = decider.decide(message, &mut self.session, &mut record);
        let message = MessageInWork {
            record,
            start,
            passing,
        };
        match done {
            Ok(Decided {
                uncopied,
                original: Some(original),
            }) => {
                self.submit(&engine, original, message, uncopied, reserved);
                Ok(())
            }
            Ok(Decided { uncopied, .. }) => self.conclude(message, Ok(uncopied)),
            Err(fault) => self.conclude(message, Err(fault)),
        }
    }

    /// Submits the original of a message. The connection waits until it is durable.
    fn submit(
        &mut self,
        engine: &Engine,
        original: Prepared,
        message: MessageInWork,
        uncopied: Option<UncopiedBody>,
        reserved: Option<Reserved>,
    ) {
        let slot = Arc::new(CommitSlot::new(self.waker.clone()));
        self.committing = Some(Committing {
            message,
            uncopied,
            slot: slot.clone(),
            _reserved: reserved,
        });
        match &engine.ledgers {
            Some(ledgers) => ledgers.submit(original, move |result| slot.set(result)),
            None => slot.set(Err(ErrorKind::NotFound.into())),
        }
    }

    /// Concludes the message whose original is durable, or could not be kept. Returns false if that is not known yet.
    pub(super) fn conclude_committed(&mut self) -> Result<bool, MilterEnd> {
        let result = self.committing.as_ref().and_then(|on| on.slot.take());
        let Some(result) = result else {
            return Ok(false);
        };
        let Some(mut on) = self.committing.take() else {
            return Ok(false);
        };
        let done = match result {
            Ok(name) => {
                on.message.record.ledger = Some(name);
                Ok(on.uncopied)
            }
            Err(error) => {
                self.session.take_back_verdict();
                Err(Fault::Ledger(error))
            }
        };
        self.conclude(on.message, done)?;
        Ok(true)
    }

    /// Writes edits and verdict of a message, or those of its fault, and reports it.
    fn conclude(
        &mut self,
        message: MessageInWork,
        done: Result<Option<UncopiedBody>, Fault>,
    ) -> Result<(), MilterEnd> {
        let MessageInWork {
            mut record,
            start,
            passing,
        } = message;
        let (uncopied, failure) = match done {
            Ok(uncopied) => (uncopied, None),
            Err(fault) => {
                self.fail(&fault, passing, &mut record)?;
                (None, Some(fault))
            }
        };
        // From here on no progress packet is sent.
        let Progress { work, owed, .. } = std::mem::take(&mut *self.handle.progress_state());
        let owed_sent = self.handle.send(
            self.waits,
            self.shared.limits.stall,
            &owed,
            &mut self.unsent,
        );
        let written = if let WorkState::GivenUp(passed) = work {
            // The verdict was sent already; the result is dropped.
            self.session.written();
            let fault = failure.unwrap_or_else(|| {
                self.fault(&Fault::Slow);
                Fault::Slow
            });
            record_failed(&fault, passed, &mut record);
            owed_sent.map_err(MilterEnd::Io)
        } else {
            owed_sent
                .map_err(MilterEnd::Io)
                .and_then(|()| match uncopied {
                    Some(uncopied) => self.write_uncopied(&uncopied),
                    None => self.write(),
                })
        };
        if let Err(MilterEnd::Io(_)) = &written {
            Self::not_taken(&mut record);
        }
        record.time = start.elapsed();
        if written.is_ok() && !self.unsent.is_empty() {
            self.ended = Some(record);
            return Ok(());
        }
        self.message_ends(&record)?;
        written
    }

    /// Records a message whose verdict the mail server did not read: it defers the message, whatever the verdict was.
    pub(super) fn not_taken(record: &mut Record) {
        Fault::Io(ErrorKind::BrokenPipe.into()).defer(record);
    }

    /// Starts a message for which the mail server granted this.
    pub(super) fn empty_message(shared: &Shared, granted: Granted) -> MessageBuilder {
        MessageBuilder::within(
            granted.has(protocol::LEADING_SPACE),
            &shared.limits,
            shared.budget.clone(),
        )
    }
}

/// Records a message at which the gateway failed: it is deferred, or passes without so many forged fields.
fn record_failed(fault: &Fault, passed: Option<u32>, record: &mut Record) {
    let abilities = passed.map(|forged_fields| Abilities {
        forged_fields,
        ..abilities(Granted::default())
    });
    Outcome::failed(fault, abilities.as_ref()).record(record);
}
