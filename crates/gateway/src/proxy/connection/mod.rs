//! One client: reads and writes on both sides.
//!
//! # Limits
//! The client and the next hop are waited for in turn, never both at a time.

mod incoming_message;
mod reporting;
mod verdict;

use incoming_message::IncomingMessage;

use super::content::BareLines;
use super::outgoing_message::OutgoingMessage;
use super::route::Route;
use super::sending::{Unsent, send};
use super::session::{Options, Session, Step};
use crate::address::Stream;
use crate::event::Record;
use crate::fault::Fault;
use crate::server::{Activity, ConnectionHandle, Shared};
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time.
const PIECE: usize = 65_536;
/// Bytes read at a time of a client that was silent.
const FEW: usize = 1_024;
/// A client that is silent so long has its connection's buffers given back.
const REST: Duration = Duration::from_secs(2);
/// Bytes of content that must arrive in a second, seen over the whole of a message.
const SLOWEST: u64 = 1_000;

/// What others see of a connection.
#[derive(Debug)]
pub(super) struct ProxyHandle {
    pub(super) number: u64,
    client: Stream,
    hop: Mutex<HopState>,
    in_message: AtomicBool,
    activity: Activity,
}

/// State of the connection to the next hop, as other threads see it.
#[derive(Debug)]
enum HopState {
    /// There is none.
    None,
    /// The connection's thread is in `connect`, which nobody can interrupt.
    Connecting,
    Connected(Stream),
    /// The connection was dismissed, so none is made any more.
    Dismissed,
}

impl HopState {
    fn shut(&self) {
        if let Self::Connected(hop) = self {
            hop.shut();
        }
    }
}

impl ProxyHandle {
    pub(super) fn new(number: u64, client: Stream) -> Self {
        let activity = Activity::new(&client);
        Self {
            number,
            client,
            hop: Mutex::new(HopState::None),
            in_message: AtomicBool::new(false),
            activity,
        }
    }

    fn hop(&self) -> MutexGuard<'_, HopState> {
        self.hop.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionHandle for ProxyHandle {
    fn activity(&self) -> Option<&Activity> {
        Some(&self.activity)
    }

    fn can_be_dismissed(&self) -> bool {
        !matches!(*self.hop(), HopState::Connecting)
    }

    fn dismiss(&self) -> bool {
        let mut hop = self.hop();
        if matches!(*hop, HopState::Connecting) {
            return false;
        }
        hop.shut();
        *hop = HopState::Dismissed;
        drop(hop);
        // A client that is gone needs no word.
        let _ = self
            .client
            .offer(b"421 4.3.2 Too many connections, and this one is idle\r\n");
        self.client.shut();
        true
    }

    /// It may wait for the next hop too, which may take its time.
    fn end_idle(&self) {
        if !self.in_message.load(Ordering::SeqCst) {
            self.client.shut_reading();
            self.hop().shut();
        }
    }

    /// On both sides: it may wait for either.
    fn end(&self) {
        self.client.shut();
        self.hop().shut();
    }
}

/// Speaks with one client until either side ends it.
pub(super) struct Connection {
    handle: Arc<ProxyHandle>,
    client: Stream,
    /// Who it is; the system forgets it with the connection.
    address: String,
    hop: Option<Stream>,
    session: Session,
    route: Arc<Route>,
    shared: Arc<Shared>,
    incoming: IncomingMessage,
    /// The message that goes to the next hop, and what will be told of it.
    outgoing: OutgoingMessage,
    record: Option<(Record, Instant)>,
    /// What is read into; little while the client is silent.
    piece: Vec<u8>,
    /// The client is silent, and the buffers are given back.
    rested: bool,
    /// When the client could first hear something: before, it waits for the next hop.
    began: Option<Instant>,
    /// When the client last said something, or was last answered.
    heard: Instant,
    /// When the next hop was asked what it is to answer next, and how many replies it had given then.
    asked: (Instant, u64),
    /// When the command that has not ended began.
    line_began: Option<Instant>,
}

/// Why a connection ends before both sides are content.
enum End {
    /// The client's side failed; there is nobody to tell.
    Client(io::Error),
}

impl Connection {
    pub(super) fn new(
        handle: Arc<ProxyHandle>,
        client: Stream,
        route: Arc<Route>,
        shared: Arc<Shared>,
    ) -> Self {
        // The policy is asked when the message is complete: it may defer, and be another one by then.
        let options = Options {
            lmtp: route.lmtp,
            bare_lines: route.bare_lines.unwrap_or(BareLines::Normalize),
        };
        Self {
            handle,
            address: client.peer(),
            client,
            hop: None,
            session: Session::new(options),
            incoming: IncomingMessage::new(&shared),
            outgoing: OutgoingMessage::nothing(&shared),
            route,
            shared,
            record: None,
            piece: Vec::new(),
            rested: false,
            began: None,
            heard: Instant::now(),
            asked: (Instant::now(), 0),
            line_began: None,
        }
    }

    /// Runs to the end, and tells of it where it is a fault.
    pub(super) fn run(mut self) {
        let end = self.speak();
        self.report_message();
        if let Err(End::Client(error)) = end {
            let fault = Fault::Io(error);
            self.report_cut_message(&fault);
            if !self.shared.is_stopping() {
                self.fault(&fault);
            }
        }
        self.client.shut();
        self.shut_hop();
    }

    fn speak(&mut self) -> Result<(), End> {
        loop {
            if self.shared.is_stopping() {
                self.session.stop();
            }
            let step = self.session.step();
            let text = self.session.take_text();
            let raw = self.session.take_raw();
            if !raw.is_empty() {
                self.incoming.push_raw(&raw, &self.shared);
            }
            if !text.is_empty() {
                self.incoming.push(&text, self.session.announced().most());
            }
            if let Some(fault) = self.session.take_fault() {
                self.fault(&fault.into());
            }
            let in_message = self.session.is_in_message();
            self.handle.in_message.store(in_message, Ordering::SeqCst);
            if in_message {
                self.handle.activity.record_message();
            }
            if !self.session.is_settling() {
                self.report_message();
            }
            match step {
                Step::Close => {
                    self.flush_hop();
                    return self.flush_client();
                }
                Step::Client => {
                    if self.flush_hop() {
                        self.flush_client()?;
                        self.read_client()?;
                    }
                }
                Step::Hop => {
                    if self.flush_hop() {
                        self.flush_client()?;
                        self.read_hop();
                    }
                }
                Step::Connect => {
                    self.flush_client()?;
                    self.connect();
                }
                Step::Judge => self.judge(),
                Step::Send => self.send(),
            }
        }
    }

    fn flush_client(&mut self) -> Result<(), End> {
        let output = self.session.take_client();
        if output.is_empty() {
            return Ok(());
        }
        let written = self
            .client
            .write_until(&output, soon(self.shared.limits.stall))
            .map_err(End::Client);
        // Only from here on it keeps us waiting.
        self.heard = Instant::now();
        self.began.get_or_insert(self.heard);
        written
    }

    /// Writes to the next hop; false where that failed, and the session goes another way.
    fn flush_hop(&mut self) -> bool {
        let output = self.session.take_hop();
        if output.is_empty() {
            return true;
        }
        let written = match &self.hop {
            Some(hop) => hop.write_until(&output, soon(self.route.times.reply)),
            None => Err(ErrorKind::NotConnected.into()),
        };
        self.ask_hop();
        let well = written.is_ok();
        if !well {
            self.lose_hop();
        }
        well
    }

    fn lose_hop(&mut self) {
        self.shut_hop();
        if self.shared.is_stopping() {
            // It may have been ended from here.
            self.session.stop();
        }
        self.session.hop_lost();
    }

    fn shut_hop(&mut self) {
        // A clone that stays would keep it open.
        let mut state = self.handle.hop();
        if !matches!(*state, HopState::Dismissed) {
            *state = HopState::None;
        }
        drop(state);
        if let Some(hop) = self.hop.take() {
            hop.shut();
        }
    }

    /// From now on the next hop owes us a word.
    fn ask_hop(&mut self) {
        self.asked = (Instant::now(), self.session.heard());
    }

    fn connect(&mut self) {
        let mut state = self.handle.hop();
        if matches!(*state, HopState::Dismissed) {
            drop(state);
            return self.lose_hop();
        }
        *state = HopState::Connecting;
        drop(state);
        let times = &self.route.times;
        let connected = Stream::connect(&self.route.next_hop, times.connect, &self.shared.limits)
            .and_then(|hop| {
                *self.handle.hop() = HopState::Connected(hop.try_clone()?);
                Ok(hop)
            });
        match connected {
            Ok(hop) => {
                self.hop = Some(hop);
                self.session.connected();
                self.ask_hop();
            }
            Err(error) => {
                self.fault(&Fault::Connect(error));
                self.lose_hop();
            }
        }
    }

    /// Reads on in a reply. The whole of each reply has its time, however the next hop cuts it.
    fn read_hop(&mut self) {
        if self.asked.1 != self.session.heard() {
            self.ask_hop();
        }
        let times = &self.route.times;
        let patience = if self.session.is_ending() {
            times.end
        } else {
            times.reply
        };
        let asked = self.asked.0;
        self.make_room(PIECE);
        let Some(hop) = &mut self.hop else {
            return self.lose_hop();
        };
        let read = loop {
            let left = patience
                .checked_sub(asked.elapsed())
                .filter(|left| !left.is_zero());
            let Some(left) = left else {
                break Err(ErrorKind::TimedOut.into());
            };
            // A shorter time than a millisecond may be none for the system.
            let left = left.max(Duration::from_millis(1));
            match hop
                .set_read_timeout(left)
                .and_then(|()| hop.read(&mut self.piece))
            {
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                read => break read,
            }
        };
        match read {
            Ok(0) | Err(_) => self.lose_hop(),
            Ok(count) => {
                hop.acknowledge();
                self.session.hop(&self.piece[..count]);
            }
        }
    }

    fn read_client(&mut self) -> Result<(), End> {
        let Some(patience) = self.patience() else {
            self.fault(&Fault::Slow);
            self.report_cut_message(&Fault::Slow);
            self.session.client_slow();
            return Ok(());
        };
        // Once they are given back, nothing is to be done before its time is up.
        let rests = !self.session.is_in_content() && !self.rested && patience > REST;
        self.client
            .set_read_timeout(if rests { REST } else { patience })
            .map_err(End::Client)?;
        self.make_room(if self.rested { FEW } else { PIECE });
        match self.client.read(&mut self.piece) {
            // Its reading side was ended here, perhaps just when it began a message: it hears why.
            Ok(0) if self.shared.is_stopping() && !self.session.is_in_content() => {
                self.session.shut();
            }
            Ok(0) => {
                if self.report_cut_message(&Fault::ClientGone) {
                    self.fault(&Fault::ClientGone);
                }
                self.session.client_gone();
            }
            Ok(count) => {
                self.heard = Instant::now();
                self.handle.activity.record_input();
                self.rested = false;
                if self.line_began.is_some() && self.piece[..count].contains(&b'\n') {
                    // What has not ended began here.
                    self.line_began = None;
                }
                self.client.acknowledge();
                self.session.client(&self.piece[..count]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            // The next look at the clock says whether its time is up.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if rests {
                    (self.piece, self.rested) = (Vec::new(), true);
                    self.session.rest();
                }
            }
            Err(error) => return Err(End::Client(error)),
        }
        Ok(())
    }

    /// Makes room for so many bytes, which the system gives only as they come.
    fn make_room(&mut self, bytes: usize) {
        if self.piece.len() != bytes {
            self.piece = vec![0; bytes];
        }
    }

    /// How long the client may be silent now; none where it took too long.
    fn patience(&mut self) -> Option<Duration> {
        let limits = &self.shared.limits;
        let within_line = self.session.is_within_line();
        if !within_line {
            self.line_began = None;
        }
        let silent = self.heard.elapsed();
        let left = if self.session.is_in_content() {
            let began = *self.incoming.began.get_or_insert_with(Instant::now);
            let whole = limits.idle + Duration::from_secs(self.incoming.size / SLOWEST);
            whole
                .checked_sub(began.elapsed())?
                .min(limits.stall.checked_sub(silent)?)
        } else if !self.session.is_greeted() {
            limits
                .negotiation
                .checked_sub(self.began.unwrap_or(self.heard).elapsed())?
        } else if within_line {
            let began = *self.line_began.get_or_insert_with(Instant::now);
            limits.stall.checked_sub(began.elapsed())?
        } else {
            limits.idle.checked_sub(silent)?
        };
        // A shorter time than a millisecond may be none for the system.
        Some(left.max(Duration::from_millis(1)))
    }

    /// Writes the message to the next hop. A client that goes before the end of that must not find it there: DATA cannot be taken back,
    /// so the connection is given up.
    fn send(&mut self) {
        let mut outgoing =
            std::mem::replace(&mut self.outgoing, OutgoingMessage::nothing(&self.shared));
        let sent = match &self.hop {
            // Who takes longer than a client waits for the word at its end gets nothing delivered (RFC 5321 4.5.3.2.6).
            Some(hop) => {
                let client = (&self.client, self.session.has_more());
                send(&mut outgoing, hop, client, soon(self.route.times.end))
            }
            None => Err(Unsent::Failed),
        };
        match sent {
            Ok(()) => {
                self.session.sent();
                self.ask_hop();
            }
            Err(Unsent::Failed) => self.lose_hop(),
            Err(Unsent::ClientGone) => {
                if let Some((record, _)) = &mut self.record {
                    Fault::ClientGone.defer(record);
                }
                self.lose_hop();
                self.session.take_fault();
                self.fault(&Fault::ClientGone);
            }
        }
    }
}

/// The end of a time that begins now.
fn soon(time: Duration) -> Instant {
    let now = Instant::now();
    // A time without end is as good as a day.
    now.checked_add(time)
        .unwrap_or_else(|| now + Duration::from_hours(24))
}
