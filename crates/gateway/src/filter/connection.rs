//! One connection of a server: reads, lets the session speak, decides about each message.

use super::decide::{Apart, decide};
use crate::address::Stream;
use crate::engine::{Engine, Envelope};
use crate::milter::{self, Actions, Event, Fault, Granted, Session, Verdict, protocol};
use crate::notice::{Notice, Record};
use crate::policy::Action;
use crate::received::Received;
use crate::record;
use crate::server::{Live, Shared};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a packet without data.
const SIGN: usize = 5;
/// A connection that is silent so long gives its buffer back.
const REST: Duration = Duration::from_secs(2);

/// Speaks with one server until either side ends it.
pub(super) struct Connection {
    outside: Arc<Outside>,
    stream: Stream,
    session: Session,
    shared: Arc<Shared>,
    envelope: Envelope,
    message: Option<Received>,
    /// How the client is called.
    peer: String,
    /// Something was written since bytes were read last.
    answered: bool,
}

/// What others see of a connection.
#[derive(Debug)]
pub(super) struct Outside {
    number: u64,
    stream: Stream,
    signs: Mutex<Signs>,
    /// When the server must have taken what is being written, the whole of it; none where nothing is.
    due: Mutex<Option<Instant>>,
    in_message: AtomicBool,
}

/// What is done about the message of a connection.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// There is none, or it is still told.
    None,
    /// It is worked on.
    On {
        since: Instant,
        /// When the server was told last.
        told: Instant,
        /// It passes where this takes too long; by the engine that judges it, whatever engine comes after.
        fail_open: bool,
    },
    /// It took too long; the server has its verdict, or what is left of it stands in [`Signs::owed`].
    GivenUp,
}

/// What the server is told while a message is worked on.
#[derive(Debug)]
struct Signs {
    work: Work,
    /// Bytes that the server has not taken yet: a verdict, or the rest of a sign of which it took a part.
    owed: Vec<u8>,
}

impl Outside {
    pub(super) fn new(number: u64, stream: Stream) -> Self {
        let signs = Mutex::new(Signs { work: Work::None, owed: Vec::new() });
        Self { number, stream, signs, due: Mutex::new(None), in_message: AtomicBool::new(false) }
    }

    /// Whether the message has its verdict already.
    pub(super) fn has_given_up(&self) -> bool {
        matches!(self.signs().work, Work::GivenUp)
    }

    fn due(&self) -> MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes, and takes no longer than `time` for all of it: [`Outside::pulse`] ends the connection then. The system's own bound is one of each
    /// wait for room, and a server that takes a little at a time would meet it for ever.
    fn write(&self, time: Duration, write: impl FnOnce(&Stream) -> io::Result<()>) -> io::Result<()> {
        *self.due() = Instant::now().checked_add(time);
        let written = write(&self.stream);
        let late = self.due().take().is_some_and(|due| due <= Instant::now());
        if late && written.is_err() { Err(ErrorKind::TimedOut.into()) } else { written }
    }

    fn signs(&self) -> MutexGuard<'_, Signs> {
        self.signs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live for Outside {
    fn end_idle(&self) {
        if !self.in_message.load(Ordering::SeqCst) {
            self.stream.shut();
        }
    }

    fn end(&self) {
        self.stream.shut();
    }

    /// Tells the server that work goes on, where it does and the last sign was given long enough ago. Work that takes too long gets its
    /// verdict here: the message is deferred, or passes where that is asked for.
    /// A server that takes nothing is not waited for: others are to hear of theirs.
    fn pulse(&self, shared: &Shared) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            // Whoever writes finds out.
            self.stream.shut();
        }
        // Held while it is written: a verdict cannot come between.
        let mut signs = self.signs();
        if let Work::On { since, told, fail_open } = signs.work {
            if since.elapsed() >= shared.limits.work {
                signs.work = Work::GivenUp;
                let verdict = if fail_open { b'c' } else { b't' };
                milter::put(&mut signs.owed, verdict, &[]);
            } else if told.elapsed() >= shared.limits.progress && signs.owed.is_empty() {
                signs.work = Work::On { since, told: Instant::now(), fail_open };
                milter::put(&mut signs.owed, b'p', &[]);
                self.offer(&mut signs.owed);
                if signs.owed.len() == SIGN {
                    // It has words of ours to read.
                    signs.owed.clear();
                }
                return;
            }
        }
        self.offer(&mut signs.owed);
    }
}

impl Outside {
    /// Gives the server what it takes at once.
    fn offer(&self, owed: &mut Vec<u8>) {
        if !owed.is_empty() {
            // The connection finds out by itself when its stream has failed.
            let taken = self.stream.offer(owed).unwrap_or(0);
            owed.drain(..taken);
        }
    }
}

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// As it should.
    Quit,
    /// The server said what none says.
    Fault(Fault),
    /// Reading or writing failed.
    Io(io::Error),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Connection {
    pub(super) fn new(outside: Arc<Outside>, stream: Stream, session: Session, shared: Arc<Shared>) -> Self {
        Self {
            outside,
            stream,
            session,
            shared,
            envelope: Envelope::default(),
            message: None,
            peer: String::new(),
            answered: false,
        }
    }

    /// Runs to the end, and tells of it where it is a fault.
    pub(super) fn run(mut self) {
        let end = self.speak();
        self.stream.shut();
        let text = match end {
            Ok(()) | Err(End::Quit) => return,
            Err(End::Fault(fault)) => fault.to_string(),
            // Idle connections are ended when the server stops.
            Err(End::Io(_)) if self.shared.is_stopping() => return,
            Err(End::Io(error)) => format!("io ({error})"),
        };
        self.fault(&text);
        if self.outside.in_message.load(Ordering::SeqCst) {
            // The server defers what it was telling.
            let size = self.message.as_ref().map_or(0, Received::size);
            let mut record = Record::new(std::mem::take(&mut self.envelope), &self.peer, size);
            record.policy.clone_from(&self.shared.engine().rules.name);
            (record.action, record.finding) = (Action::Tempfail, Some(record::kind(&text)));
            self.shared.tell(&Notice::Message(&record));
        }
    }

    fn fault(&self, fault: &str) {
        self.shared.tell(&Notice::Fault { connection: self.outside.number, peer: &self.peer, fault });
    }

    fn speak(&mut self) -> Result<(), End> {
        self.stream.set_write_timeout(self.shared.limits.stall)?;
        let (mut set, mut waiting, mut within) = (None, Instant::now(), false);
        loop {
            let understood = self.answer()?;
            let limits = &self.shared.limits;
            let patience = if self.session.granted().is_none() {
                limits.negotiation
            } else if self.session.is_within_packet() {
                limits.stall
            } else {
                limits.idle
            };
            let was_within = std::mem::replace(&mut within, self.session.is_within_packet());
            // The time before a packet is none of its own. Up to the negotiation there is one time for all.
            let begun = within && !was_within && self.session.granted().is_some();
            // Bytes that come one by one gain nobody time: a packet has what a packet has.
            let left = if understood || begun {
                waiting = Instant::now();
                patience
            } else {
                patience.saturating_sub(waiting.elapsed())
            };
            if left.is_zero() {
                return Err(io::Error::from(ErrorKind::TimedOut).into());
            }
            // Whoever is busy does not notice: the time is the same before each packet.
            let rests = !within && self.session.holds_room() && left > REST;
            let left = if rests { REST } else { left };
            if set != Some(left) {
                self.stream.set_read_timeout(left)?;
                set = Some(left);
            }
            if !std::mem::take(&mut self.answered) {
                // An answer acknowledges what it answers.
                self.stream.acknowledge_at_once();
            }
            let count = match self.stream.read(self.session.room()) {
                Ok(0) if self.session.is_within_packet() => {
                    return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
                }
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error)
                    if rests && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    self.session.rest();
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            self.session.came(count);
        }
    }

    /// Takes everything that was told, and writes what is due; whether anything was told.
    fn answer(&mut self) -> Result<bool, End> {
        let mut understood = false;
        loop {
            if self.session.owes_verdict() {
                self.decide()?;
            }
            let granted = self.session.granted().unwrap_or_default();
            let Some(event) = self.session.event().map_err(End::Fault)? else {
                self.write()?;
                return Ok(understood);
            };
            understood = true;
            self.outside.in_message.store(is_within(&event, self.message.is_some()), Ordering::SeqCst);
            let new = || empty_message(&self.shared, granted);
            if let Event::Negotiated(granted) = &event
                && let Some(why) = Engine::report_only(*granted)
            {
                let fault = format!("{why} (the server grants too little for edits)");
                self.shared.tell(&Notice::Fault {
                    connection: self.outside.number,
                    peer: &self.peer,
                    fault: &fault,
                });
            }
            if !take(event, new, &mut self.envelope, &mut self.message, &mut self.peer) {
                return Err(End::Quit);
            }
        }
    }

    /// Something of ours failed: the message is deferred, or passes where that is asked for. The session owes a verdict.
    fn fail(&mut self, fault: &str, engine: &Engine, record: &mut Record) -> Result<(), End> {
        self.failed(fault, engine, record);
        let verdict = if engine.fail_open { Verdict::Continue } else { Verdict::Tempfail };
        // These need no grant.
        self.session.decide(&Actions::default(), &verdict).map_err(|_| End::Quit)
    }

    fn failed(&self, fault: &str, engine: &Engine, record: &mut Record) {
        record.action = if engine.fail_open { Action::Pass } else { Action::Tempfail };
        record.failed_open = engine.fail_open;
        record.bytes_out = 0;
        record.finding = Some(record::kind(fault));
        self.fault(fault);
    }

    fn write(&mut self) -> Result<(), End> {
        let output = self.session.output();
        if output.is_empty() {
            return Ok(());
        }
        let written = self.outside.write(self.shared.limits.stall, |mut stream| stream.write_all(output));
        self.session.written();
        self.answered = true;
        Ok(written?)
    }

    /// Writes the output with a long body in it that is not copied.
    fn write_apart(&mut self, apart: &Apart) -> Result<(), End> {
        let (before, after) = self.session.output().split_at(apart.place);
        let body = apart.message.new_body(&apart.edits);
        let heads = milter::heads(&body);
        let mut pieces = vec![IoSlice::new(before)];
        pieces.extend(milter::packets(&heads, &body).into_iter().map(IoSlice::new));
        pieces.push(IoSlice::new(after));
        let written = self.outside.write(self.shared.limits.stall, |stream| stream.write_pieces(&mut pieces));
        self.session.written();
        self.answered = true;
        Ok(written?)
    }

    /// Decides about the message that has ended, and writes edits and verdict at once.
    fn decide(&mut self) -> Result<(), End> {
        // What was said before the end of the message goes first.
        self.write()?;
        let start = Instant::now();
        let granted = self.session.granted().unwrap_or_default();
        let message = self.message.take().unwrap_or_else(|| empty_message(&self.shared, granted));
        let mut record = Record::new(std::mem::take(&mut self.envelope), &self.peer, message.size());
        let engine = self.shared.engine();
        let work = Work::On { since: start, told: start, fail_open: engine.fail_open };
        *self.outside.signs() = Signs { work, owed: Vec::new() };
        let done =
            decide(&self.shared, &engine, message, granted, &mut self.session, &self.outside, &mut record);
        let failed = done.is_err();
        let apart = match done {
            Ok(apart) => apart,
            Err(fault) => {
                self.fail(&fault, &engine, &mut record)?;
                None
            }
        };
        // From here on no sign of work may come between.
        let none = Signs { work: Work::None, owed: Vec::new() };
        let Signs { work, owed } = std::mem::replace(&mut *self.outside.signs(), none);
        let told = if owed.is_empty() {
            Ok(())
        } else {
            self.outside.write(self.shared.limits.stall, |mut stream| stream.write_all(&owed))
        };
        let written = if matches!(work, Work::GivenUp) {
            // The server knows; what was found out later goes nowhere.
            self.session.written();
            if !failed {
                self.failed("slow", &engine, &mut record);
            }
            told.map_err(End::Io)
        } else {
            told.map_err(End::Io).and_then(|()| match apart {
                Some(apart) => self.write_apart(&apart),
                None => self.write(),
            })
        };
        if let Err(End::Io(_)) = &written {
            // Without its verdict the server defers the message, whatever was found out about it.
            (record.action, record.finding, record.failed_open) = (Action::Tempfail, Some("io"), false);
            record.bytes_out = 0;
        }
        record.time = start.elapsed();
        self.shared.tell(&Notice::Message(&record));
        self.outside.in_message.store(false, Ordering::SeqCst);
        if self.shared.is_stopping() { Err(End::Quit) } else { written }
    }
}

fn empty_message(shared: &Shared, granted: Granted) -> Received {
    Received::within(granted.has(protocol::LEADING_SPACE), &shared.limits, shared.budget.clone())
}

/// Whether a message is told from here on.
fn is_within(event: &Event<'_>, before: bool) -> bool {
    match event {
        Event::Mail(..) | Event::Header(..) | Event::Body(_) | Event::EndOfMessage(_) => true,
        Event::Abort | Event::NewClient | Event::Quit => false,
        Event::Recipient(..) | Event::Data | Event::EndOfHeaders => true,
        _ => before,
    }
}

/// Adds what was told to the message; false at the end of the connection.
fn take(
    event: Event<'_>,
    new: impl Fn() -> Received,
    envelope: &mut Envelope,
    message: &mut Option<Received>,
    peer: &mut String,
) -> bool {
    match event {
        Event::Quit => return false,
        Event::Connect { host, .. } => *peer = String::from_utf8_lossy(host).into_owned(),
        Event::Mail(sender, arguments) => {
            *message = None;
            let has = |wanted: &[u8]| arguments.clone().any(|argument| argument.eq_ignore_ascii_case(wanted));
            let (smtputf8, eight_bit) = (has(b"SMTPUTF8"), has(b"BODY=8BITMIME"));
            // Sendmail has told the message's name before this.
            let queue_id = std::mem::take(&mut envelope.queue_id);
            *envelope =
                Envelope { sender: sender.to_vec(), smtputf8, eight_bit, queue_id, ..Envelope::default() };
        }
        Event::Recipient(..) => envelope.recipients += 1,
        Event::Macros(_, pairs) => {
            for (name, value) in pairs {
                if matches!(name, b"i" | b"{i}") {
                    envelope.queue_id = value.to_vec();
                }
            }
        }
        Event::Header(name, value) => {
            message.get_or_insert_with(new).field(name, value);
        }
        Event::Body(piece) | Event::EndOfMessage(piece) => {
            message.get_or_insert_with(new).body(piece);
        }
        Event::Abort | Event::NewClient => (*message, *envelope) = (None, Envelope::default()),
        _ => (),
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::limits::Limits;
    use std::os::unix::net::UnixStream;

    fn at_work(stream: Stream, since: Instant, fail_open: bool) -> Outside {
        let outside = Outside::new(1, stream);
        outside.signs().work = Work::On { since, told: since, fail_open };
        outside
    }

    /// What connections share after a reload: the engine is not the one that messages at work are judged by.
    fn shared(work: Duration, fail_open: bool) -> Shared {
        let limits = Limits { work, progress: Duration::ZERO, ..Limits::default() };
        Shared::new(Engine { fail_open, ..Engine::default() }, limits, Box::new(|_| ()))
    }

    /// Both ends of a connection whose other side takes nothing, and how many bytes stand between them.
    fn full() -> (Stream, UnixStream, usize) {
        let (near, far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        let mut filled = 0;
        for piece in [65_536, 1] {
            loop {
                let count = near.offer(&vec![b'x'; piece]).unwrap();
                filled += count;
                if count < piece {
                    break;
                }
            }
        }
        (near, far, filled)
    }

    fn read(mut far: &UnixStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        far.read_exact(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_server_that_takes_nothing_is_not_waited_for() {
        let (near, far, filled) = full();
        let outside = at_work(near, Instant::now(), false);
        let start = Instant::now();
        let shared = shared(Duration::from_hours(1), false);
        (0..100).for_each(|_| outside.pulse(&shared));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        // No sign that it did not take comes later, and one that it takes now does.
        read(&far, filled);
        assert!(outside.signs().owed.is_empty());
        outside.pulse(&shared);
        assert_eq!(read(&far, SIGN), b"\0\0\0\x01p");
    }

    #[test]
    fn a_verdict_is_owed_until_it_is_taken() {
        for (fail_open, letter) in [(false, b't'), (true, b'c')] {
            let (near, far, filled) = full();
            let outside = at_work(near, Instant::now(), fail_open);
            let shared = shared(Duration::ZERO, !fail_open);
            (0..3).for_each(|_| outside.pulse(&shared));
            assert!(outside.has_given_up());
            assert_eq!(outside.signs().owed.len(), SIGN);
            read(&far, filled);
            (0..3).for_each(|_| outside.pulse(&shared));
            assert_eq!(read(&far, SIGN), [0, 0, 0, 1, letter]);
            assert!(outside.signs().owed.is_empty());
        }
    }

    #[test]
    fn the_rest_of_a_sign_comes_before_all_else() {
        let (near, far) = UnixStream::pair().unwrap();
        let outside = at_work(Stream::Unix(near), Instant::now(), false);
        outside.signs().owed = b"\x01p".to_vec();
        let shared = shared(Duration::ZERO, false);
        outside.pulse(&shared);
        assert_eq!(read(&far, 2 + SIGN), b"\x01p\0\0\0\x01t");
    }
}
