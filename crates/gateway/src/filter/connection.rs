//! One milter connection: reads packets, passes them to the session, and sends its output. `decision` decides about each message.
//!
//! The pool runs it, so it must not wait for the mail server. With a long message it moves to a thread of its own, and stays there.
//!
//! # Limits
//! Timeouts are checked several times within their time, not to the millisecond.

mod decision;

use super::answer::report_only;
use super::commit::Committing;
use super::event::{is_within, note_client, take_event};
use super::handle::MilterHandle;
use crate::envelope::Envelope;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::message_builder::MessageBuilder;
use crate::milter::{self, Event, MilterSession, ProtocolError};
use crate::server::{Next, PooledConnection, Shared, Waker};
use crate::stream::Stream;
use std::convert::Infallible;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of the longest message that the pool judges: the worst such message takes about 50 ms.
const SHORT: u64 = 32 << 10;
/// Bytes of the output buffer that a connection keeps.
const KEPT: usize = 64 << 10;
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
            Self::not_taken(&mut record);
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
            let rests = !self.within && self.session.has_idle_buffer() && left > REST;
            let left = if rests { REST } else { left };
            if set != Some(left) {
                self.stream.set_read_timeout(left)?;
                set = Some(left);
            }
            self.acknowledge();
            match self.stream.read(self.session.read_buffer()) {
                Ok(count) => self.record_read(count)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error)
                    if rests
                        && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    self.session.release_memory();
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
        } else if let Some(count) = self.stream.receive(self.session.read_buffer())? {
            self.record_read(count)?;
        }
        let next = self.after(before)?;
        if !matches!(next, Next::Read) || !self.acknowledge() || before > 0 {
            return Ok(next);
        }
        // The acknowledgment releases data that the peer held back. On one machine it has arrived by now.
        match self.stream.receive(self.session.read_buffer())? {
            Some(count) => {
                self.record_read(count)?;
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
    fn record_read(&mut self, count: usize) -> Result<(), MilterEnd> {
        match count {
            0 if self.session.is_within_packet() => {
                Err(io::Error::from(ErrorKind::UnexpectedEof).into())
            }
            0 if self.handle.in_message.load(Ordering::SeqCst) => Err(MilterEnd::Gone),
            0 => Err(MilterEnd::Quit),
            _ => {
                self.handle.activity.record_input();
                self.session.add_read(count);
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
            let new = || Self::empty_message(&self.shared, granted);
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
            if self.session.has_idle_buffer() {
                self.session.release_memory();
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
