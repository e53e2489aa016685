//! One milter connection: reads packets, passes them to the session, and decides about each message.
//!
//! The pool runs it, so it must not wait for the mail server. With a long message it moves to a thread of its own, and stays there.
//!
//! # Limits
//! Timeouts are checked several times within their time, not to the millisecond.

use super::answer::{abilities, report_only};
use super::commit::{CommitSlot, Committing, MessageInWork};
use super::decide::{Decided, Decider, UncopiedBody, passing};
use super::event::{is_within, note_client, take_event};
use super::handle::{MilterHandle, Progress, WorkState};
use crate::address::Stream;
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::message_builder::{EMPTY_LINE, MessageBuilder};
use crate::milter::{
    self, Actions, Event, Granted, MilterSession, ProtocolError, Verdict, protocol,
};
use crate::outcome::{Abilities, Outcome};
use crate::record::Prepared;
use crate::server::{Next, PooledConnection, Shared, Waker};
use crate::spool::Reserved;
use std::convert::Infallible;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of the longest message that the pool judges: the worst such message takes about 50 ms.
const SHORT: u64 = 32 << 10;
/// Bytes of the output buffer that a connection keeps.
const KEPT: usize = 64 << 10;
/// Shared memory that a message reserves while it waits for its ledger: so many times its bytes, and so many bytes at least.
const RECORD_AND_OUTPUT: u64 = 4;
const RECORD_MINIMUM: u64 = 4 << 10;
/// How often a connection that has left the pool asks for the result of its ledger.
const COMMIT_CHECK: Duration = Duration::from_millis(1);
/// A connection that was silent for so long releases its buffers.
const REST: Duration = Duration::from_secs(2);

/// A connection with a mail server.
pub(super) struct MilterConnection {
    handle: Arc<MilterHandle>,
    stream: Stream,
    session: MilterSession,
    shared: Arc<Shared>,
    envelope: Envelope,
    message: Option<MessageBuilder>,
    /// Name of the SMTP client.
    peer: String,
    /// True if something was written since the last read.
    answered: bool,
    /// True if the connection has a thread of its own, which may wait.
    waits: bool,
    /// True if it needs a thread of its own, because the next message takes long.
    long: bool,
    /// Output that the pool sends. Nothing else happens before the mail server has taken it.
    unsent: Vec<u8>,
    /// The message that waits for its original to be durable. Nothing else happens before.
    committing: Option<Committing>,
    /// Wakes the pool when the original is durable.
    waker: Option<Waker>,
    /// The message whose verdict is in `unsent`.
    ended: Option<Box<Record>>,
    /// Begin of the silence of the mail server, its longest duration, and whether it began within a packet.
    silent: Instant,
    patience: Duration,
    within: bool,
}

/// The shared memory is used up.
struct NoMemoryLeft;

/// Why a connection ends.
#[derive(Debug)]
enum MilterEnd {
    /// The mail server quit.
    Quit,
    /// The mail server closed it within a message, between two packets.
    Gone,
    /// The mail server broke the protocol.
    Protocol(ProtocolError),
    /// Reading or writing failed.
    Io(io::Error),
}

impl From<io::Error> for MilterEnd {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl MilterConnection {
    pub(super) fn new(
        handle: Arc<MilterHandle>,
        stream: Stream,
        session: MilterSession,
        shared: Arc<Shared>,
    ) -> Self {
        let patience = shared.limits.negotiation;
        Self {
            handle,
            stream,
            session,
            shared,
            envelope: Envelope::default(),
            message: None,
            peer: String::new(),
            answered: false,
            waits: false,
            long: false,
            unsent: Vec::new(),
            committing: None,
            waker: None,
            ended: None,
            silent: Instant::now(),
            patience,
            within: false,
        }
    }

    /// Runs to the end in a thread of its own.
    pub(super) fn run(mut self) {
        self.waits = true;
        let Err(end) = self.speak();
        self.end(end);
    }

    /// Closes the connection, and reports a fault and its message.
    fn end(&mut self, end: MilterEnd) {
        self.stream.shut();
        let ended = self.ended.take();
        if let Some(mut record) = ended {
            self.handle.in_message.store(false, Ordering::SeqCst);
            not_taken(&mut record);
            self.shared.report(&ServerEvent::Message(&record));
        }
        let fault = match end {
            // A stop closes idle connections, and messages that take too long.
            MilterEnd::Quit | MilterEnd::Gone | MilterEnd::Io(_) if self.shared.is_stopping() => {
                Fault::Stopped
            }
            MilterEnd::Quit => return,
            MilterEnd::Gone => Fault::ServerGone,
            MilterEnd::Protocol(error) => error.into(),
            MilterEnd::Io(error) => Fault::Io(error),
        };
        if !matches!(fault, Fault::Stopped) {
            self.fault(&fault);
        }
        if self.handle.in_message.load(Ordering::SeqCst) {
            // The mail server defers its message.
            let size = self.message.as_ref().map_or(0, MessageBuilder::size);
            let mut record = Record::new(std::mem::take(&mut self.envelope), &self.peer, size);
            record.policy.clone_from(&self.shared.engine().rules.name);
            fault.defer(&mut record);
            self.shared.report(&ServerEvent::Message(&record));
        }
    }

    fn fault(&self, fault: &Fault) {
        self.shared.report(&ServerEvent::Fault {
            connection: self.handle.number,
            peer: &self.peer,
            fault,
        });
    }

    fn speak(&mut self) -> Result<Infallible, MilterEnd> {
        self.stream.set_write_timeout(self.shared.limits.stall)?;
        while self.committing.is_some() && !self.conclude_committed()? {
            // It comes from the pool, which had no memory to wait for its ledger.
            thread::sleep(COMMIT_CHECK);
        }
        self.send_rest()?;
        let mut set = None;
        loop {
            let understood = self.answer()?;
            let left = if self.renew(understood) {
                self.patience
            } else {
                self.patience.saturating_sub(self.silent.elapsed())
            };
            if left.is_zero() {
                return Err(io::Error::from(ErrorKind::TimedOut).into());
            }
            // A busy connection has the same timeout before each packet, so this sets it once.
            let rests = !self.within && self.session.holds_room() && left > REST;
            let left = if rests { REST } else { left };
            if set != Some(left) {
                self.stream.set_read_timeout(left)?;
                set = Some(left);
            }
            self.acknowledge();
            match self.stream.read(self.session.room()) {
                Ok(count) => self.came(count)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error)
                    if rests
                        && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    self.session.rest();
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads input or sends output, and continues as far as possible without a wait.
    fn go_on(&mut self) -> Result<Next, MilterEnd> {
        let before = self.unsent.len();
        if self.committing.is_some() {
            if !self.conclude_committed()? {
                return Ok(Next::Commit);
            }
        } else if before > 0 {
            self.send_rest()?;
        } else if let Some(count) = self.stream.receive(self.session.room())? {
            self.came(count)?;
        }
        let next = self.after(before)?;
        if !matches!(next, Next::Read) || !self.acknowledge() || before > 0 {
            return Ok(next);
        }
        // The acknowledgment releases data that the peer held back. On one machine it has arrived by now.
        match self.stream.receive(self.session.room())? {
            Some(count) => {
                self.came(count)?;
                let next = self.after(0)?;
                if matches!(next, Next::Read) {
                    self.acknowledge();
                }
                Ok(next)
            }
            None => Ok(next),
        }
    }

    /// Answers the input. `before` is the number of unsent bytes before that. Returns what the connection waits for.
    fn after(&mut self, before: usize) -> Result<Next, MilterEnd> {
        let all_sent = self.unsent.is_empty();
        let understood = all_sent && self.answer()?;
        if self.committing.is_some() {
            return Ok(Next::Commit);
        }
        if !self.unsent.is_empty() {
            // All output has one timeout, however little is taken at a time.
            if before == 0 || all_sent {
                (self.silent, self.patience) = (Instant::now(), self.shared.limits.stall);
            }
            return Ok(Next::Write);
        }
        // The timeout begins anew after output was taken.
        self.renew(understood || before > 0);
        Ok(if self.long || self.is_long() {
            Next::Thread
        } else {
            Next::Read
        })
    }

    fn is_long(&self) -> bool {
        self.message
            .as_ref()
            .is_some_and(|message| message.size() > SHORT)
    }

    /// Handles the end of a read of `count` bytes.
    fn came(&mut self, count: usize) -> Result<(), MilterEnd> {
        match count {
            0 if self.session.is_within_packet() => {
                Err(io::Error::from(ErrorKind::UnexpectedEof).into())
            }
            0 if self.handle.in_message.load(Ordering::SeqCst) => Err(MilterEnd::Gone),
            0 => Err(MilterEnd::Quit),
            _ => {
                self.handle.activity.record_input();
                self.session.came(count);
                Ok(())
            }
        }
    }

    /// Acknowledges input without an answer; an answer acknowledges by itself. Returns true if more input may have come.
    fn acknowledge(&mut self) -> bool {
        !std::mem::take(&mut self.answered) && self.stream.acknowledge()
    }

    /// Sets how long the mail server may be silent. Returns true if the time begins anew.
    fn renew(&mut self, understood: bool) -> bool {
        let limits = &self.shared.limits;
        let negotiated = self.session.granted().is_some();
        let was_within = std::mem::replace(&mut self.within, self.session.is_within_packet());
        self.patience = match (negotiated, self.within) {
            (false, _) => limits.negotiation,
            (true, true) => limits.stall,
            (true, false) => limits.idle,
        };
        // The time of a packet begins with its first byte. Up to the negotiation there is one time for everything.
        let begun = self.within && !was_within && negotiated;
        // Single bytes do not extend the time of a packet.
        let anew = understood || begun;
        if anew {
            self.silent = Instant::now();
        }
        anew
    }

    /// Handles all complete packets and writes the answers. Returns true if there was any.
    fn answer(&mut self) -> Result<bool, MilterEnd> {
        let mut understood = false;
        loop {
            if self.session.owes_verdict() {
                self.long = !self.waits && self.is_long();
                let reserved = match self.reserve() {
                    Ok(reserved) if !self.long => reserved,
                    _ => {
                        self.long = true;
                        return Ok(understood);
                    }
                };
                self.decide(reserved)?;
            }
            if self.committing.is_some() {
                return Ok(true);
            }
            if !self.unsent.is_empty() {
                return Ok(understood);
            }
            let granted = self.session.granted().unwrap_or_default();
            let Some(event) = self.session.event().map_err(MilterEnd::Protocol)? else {
                self.write()?;
                return Ok(understood);
            };
            understood = true;
            let before = self.handle.in_message.load(Ordering::SeqCst);
            let within = is_within(&event, before);
            self.handle.in_message.store(within, Ordering::SeqCst);
            if within {
                self.handle.activity.record_message();
            }
            note_client(&event, &self.handle.activity);
            let new = || empty_message(&self.shared, granted);
            if let Event::Negotiated(granted) = &event
                && report_only(*granted).is_some()
            {
                let forged_fields_stay = !granted.may(milter::action::CHANGE_HEADERS);
                let fault = &Fault::ReportOnly { forged_fields_stay };
                self.shared.report(&ServerEvent::Fault {
                    connection: self.handle.number,
                    peer: &self.peer,
                    fault,
                });
            }
            let engine = || self.shared.engine();
            if !take_event(
                event,
                new,
                engine,
                &mut self.envelope,
                &mut self.message,
                &mut self.peer,
            ) {
                return Err(MilterEnd::Quit);
            }
        }
    }

    /// Reserves shared memory for a message of the pool that waits for its ledger, if there is one. Fails if not enough is left: a thread of its own waits
    /// then, and only as many threads as there are permits have such messages.
    fn reserve(&self) -> Result<Option<Reserved>, NoMemoryLeft> {
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

    fn write(&mut self) -> Result<(), MilterEnd> {
        let output = self.session.output();
        if output.is_empty() {
            return Ok(());
        }
        let written = self.handle.send(
            self.waits,
            self.shared.limits.stall,
            output,
            &mut self.unsent,
        );
        self.session.written();
        self.answered = true;
        Ok(written?)
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

    /// Sends unsent output: all of it in a thread of its own, otherwise what the socket takes at once.
    fn send_rest(&mut self) -> Result<(), MilterEnd> {
        let taken = if self.waits {
            self.handle.write(self.shared.limits.stall, |mut stream| {
                stream.write_all(&self.unsent)
            })?;
            self.unsent.len()
        } else {
            self.stream.offer(&self.unsent)?
        };
        self.unsent.drain(..taken);
        self.unsent.shrink_to(KEPT);
        match self.ended.take_if(|_| self.unsent.is_empty()) {
            Some(record) => self.message_ends(&record),
            None => Ok(()),
        }
    }

    /// Reports a message whose verdict was sent.
    fn message_ends(&self, record: &Record) -> Result<(), MilterEnd> {
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
    fn decide(&mut self, reserved: Option<Reserved>) -> Result<(), MilterEnd> {
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
            .unwrap_or_else(|| empty_message(&self.shared, granted));
        let size = message.size() + EMPTY_LINE;
        let envelope = std::mem::take(&mut self.envelope);
        let mut record = Box::new(Record::new(envelope, &self.peer, size));
        let engine = self.shared.engine();
        let passing = passing(&mut message, &engine, granted);
        // If the protocol cannot express the edits, the message is deferred.
        let told = |(edits, forged_fields): &(Actions<'_>, u32)| {
            Some((edits.packets(granted)?, *forged_fields))
        };
        let passing = passing.and_then(|passing| Some((told(&passing)?, passing)));
        let (told, passing) = passing.unzip();
        let work = WorkState::On {
            since: start,
            told: start,
        };
        *self.handle.progress_state() = Progress {
            work,
            passing: told,
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
    fn conclude_committed(&mut self) -> Result<bool, MilterEnd> {
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
        let told = self.handle.send(
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
            told.map_err(MilterEnd::Io)
        } else {
            told.map_err(MilterEnd::Io).and_then(|()| match uncopied {
                Some(uncopied) => self.write_uncopied(&uncopied),
                None => self.write(),
            })
        };
        if let Err(MilterEnd::Io(_)) = &written {
            not_taken(&mut record);
        }
        record.time = start.elapsed();
        if written.is_ok() && !self.unsent.is_empty() {
            self.ended = Some(record);
            return Ok(());
        }
        self.message_ends(&record)?;
        written
    }
}

impl PooledConnection for MilterConnection {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn set_waker(&mut self, waker: Waker) {
        self.waker = Some(waker);
    }

    fn serve(&mut self) -> Next {
        self.go_on().unwrap_or_else(|end| {
            self.end(end);
            Next::End
        })
    }

    fn is_late(&mut self) -> bool {
        let silent = self.silent.elapsed();
        if silent >= REST && !self.within && self.unsent.is_empty() {
            self.unsent = Vec::new();
            if self.session.holds_room() {
                self.session.rest();
            }
        }
        // The disk is not the peer.
        silent >= self.patience && self.committing.is_none()
    }

    fn give_up(&mut self, why: io::Error) {
        self.end(MilterEnd::Io(why));
    }

    fn run(self: Box<Self>) {
        (*self).run();
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

/// Records a message whose verdict the mail server did not read: it defers the message, whatever the verdict was.
fn not_taken(record: &mut Record) {
    Fault::Io(ErrorKind::BrokenPipe.into()).defer(record);
}

fn empty_message(shared: &Shared, granted: Granted) -> MessageBuilder {
    MessageBuilder::within(
        granted.has(protocol::LEADING_SPACE),
        &shared.limits,
        shared.budget.clone(),
    )
}
