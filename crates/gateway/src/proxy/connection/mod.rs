//! One connection of the proxy: reads and writes on both sides.
//!
//! # Limits
//! It waits for the client or the next hop, never for both at a time.

mod incoming_message;
mod reporting;
mod verdict;

use incoming_message::IncomingMessage;

use super::content::BareLines;
use super::outgoing_message::OutgoingMessage;
use super::route::Route;
use super::sending::{Unsent, send};
use super::session::{Options, ProxySession, Step};
use crate::event::Record;
use crate::fault::Fault;
use crate::server::{Activity, ConnectionHandle, Shared};
use crate::stream::Stream;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time.
const PIECE: usize = 65_536;
/// Bytes read at a time after a client was silent.
const FEW: usize = 1_024;
/// After so long a silence of the client the connection releases its buffers.
const REST: Duration = Duration::from_secs(2);
/// Bytes of content that must arrive in a second, on average over the message.
const SLOWEST: u64 = 1_000;

/// A connection of the proxy as other threads see it.
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
    /// No connection.
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

    /// Closes both sides, because the thread may wait for the next hop, too.
    fn end_idle(&self) {
        if !self.in_message.load(Ordering::SeqCst) {
            self.client.shut_reading();
            self.hop().shut();
        }
    }

    /// Closes both sides, because the thread may wait for either.
    fn end(&self) {
        self.client.shut();
        self.hop().shut();
    }
}

/// A connection between a client and the next hop.
pub(super) struct ProxyConnection {
    handle: Arc<ProxyHandle>,
    client: Stream,
    /// Address of the client; the system forgets it when the connection closes.
    address: String,
    hop: Option<Stream>,
    session: ProxySession,
    route: Arc<Route>,
    shared: Arc<Shared>,
    incoming: IncomingMessage,
    /// The message for the next hop, and its record.
    outgoing: OutgoingMessage,
    record: Option<(Record, Instant)>,
    /// The read buffer; short while the client is silent.
    piece: Vec<u8>,
    /// True if the client is silent and the buffers are released.
    rested: bool,
    /// When the client got the first reply; before that, it waits for the next hop.
    began: Option<Instant>,
    /// When the client last sent something, or was last answered.
    client_active: Instant,
    /// When the next hop got the last command, and how many replies it had given then.
    asked: (Instant, u64),
    /// When the incomplete command line began.
    line_began: Option<Instant>,
}

/// The client's side failed, so nobody reads a reply.
struct ClientFailed(io::Error);

impl ProxyConnection {
    pub(super) fn new(
        handle: Arc<ProxyHandle>,
        client: Stream,
        route: Arc<Route>,
        shared: Arc<Shared>,
    ) -> Self {
        // The policy decides when the message is complete. A reload may replace it before.
        let options = Options {
            lmtp: route.lmtp,
            bare_lines: route.bare_lines.unwrap_or(BareLines::Normalize),
        };
        Self {
            handle,
            address: client.peer(),
            client,
            hop: None,
            session: ProxySession::new(options),
            incoming: IncomingMessage::new(&shared),
            outgoing: OutgoingMessage::nothing(&shared),
            route,
            shared,
            record: None,
            piece: Vec::new(),
            rested: false,
            began: None,
            client_active: Instant::now(),
            asked: (Instant::now(), 0),
            line_began: None,
        }
    }

    /// Runs to the end, and reports a fault.
    pub(super) fn run(mut self) {
        let end = self.speak();
        self.report_message();
        if let Err(ClientFailed(error)) = end {
            let fault = Fault::Io(error);
            self.report_cut_message(&fault);
            if !self.shared.is_stopping() {
                self.fault(&fault);
            }
        }
        self.client.shut();
        self.shut_hop();
    }

    fn speak(&mut self) -> Result<(), ClientFailed> {
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
            if self.session.is_in_transaction() {
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

    fn flush_client(&mut self) -> Result<(), ClientFailed> {
        let output = self.session.take_client();
        if output.is_empty() {
            return Ok(());
        }
        let written = self
            .client
            .write_until(&output, soon(self.shared.limits.stall))
            .map_err(ClientFailed);
        // The client's time begins here.
        self.client_active = Instant::now();
        self.began.get_or_insert(self.client_active);
        written
    }

    /// Writes to the next hop. Returns false if that failed; the session knows it then.
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
            // The stop may have closed it.
            self.session.stop();
        }
        self.session.hop_lost();
    }

    fn shut_hop(&mut self) {
        // A remaining clone would keep it open.
        let mut state = self.handle.hop();
        if !matches!(*state, HopState::Dismissed) {
            *state = HopState::None;
        }
        drop(state);
        if let Some(hop) = self.hop.take() {
            hop.shut();
        }
    }

    /// Starts the time for the next reply of the next hop.
    fn ask_hop(&mut self) {
        self.asked = (Instant::now(), self.session.reply_count());
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

    /// Reads a part of a reply. Each reply has one timeout as a whole, however the next hop splits it.
    fn read_hop(&mut self) {
        if self.asked.1 != self.session.reply_count() {
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
            // The system may treat a shorter time as no timeout.
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

    fn read_client(&mut self) -> Result<(), ClientFailed> {
        let Some(patience) = self.patience() else {
            self.fault(&Fault::Slow);
            self.report_cut_message(&Fault::Slow);
            self.session.client_slow();
            return Ok(());
        };
        // After the buffers are released, nothing happens before the timeout.
        let rests = !self.session.is_in_content() && !self.rested && patience > REST;
        self.client
            .set_read_timeout(if rests { REST } else { patience })
            .map_err(ClientFailed)?;
        self.make_room(if self.rested { FEW } else { PIECE });
        match self.client.read(&mut self.piece) {
            // The stop closed its reading side, perhaps just when DATA was answered. It gets a reply that says why.
            Ok(0)
                if self.shared.is_stopping()
                    && (!self.session.is_in_content() || self.incoming.size == 0) =>
            {
                self.session.shut();
            }
            Ok(0) => {
                if self.report_cut_message(&Fault::ClientGone) {
                    self.fault(&Fault::ClientGone);
                }
                self.session.client_gone();
            }
            Ok(count) => {
                self.client_active = Instant::now();
                self.handle.activity.record_input();
                self.rested = false;
                if self.line_began.is_some() && self.piece[..count].contains(&b'\n') {
                    // The incomplete line began in this piece.
                    self.line_began = None;
                }
                self.client.acknowledge();
                self.session.client(&self.piece[..count]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            // The next round checks the time.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if rests {
                    (self.piece, self.rested) = (Vec::new(), true);
                    self.session.release_memory();
                }
            }
            Err(error) => return Err(ClientFailed(error)),
        }
        Ok(())
    }

    /// Resizes the read buffer. The system allocates its pages when bytes arrive.
    fn make_room(&mut self, bytes: usize) {
        if self.piece.len() != bytes {
            self.piece = vec![0; bytes];
        }
    }

    /// Returns how long the client may be silent now; `None` if it took too long.
    fn patience(&mut self) -> Option<Duration> {
        let limits = &self.shared.limits;
        let within_line = self.session.is_within_line();
        if !within_line {
            self.line_began = None;
        }
        let silent = self.client_active.elapsed();
        let left = if self.session.is_in_content() {
            let began = *self.incoming.began.get_or_insert_with(Instant::now);
            let whole = limits.idle + Duration::from_secs(self.incoming.size / SLOWEST);
            whole
                .checked_sub(began.elapsed())?
                .min(limits.stall.checked_sub(silent)?)
        } else if !self.session.is_greeted() {
            limits
                .negotiation
                .checked_sub(self.began.unwrap_or(self.client_active).elapsed())?
        } else if within_line {
            let began = *self.line_began.get_or_insert_with(Instant::now);
            limits.stall.checked_sub(began.elapsed())?
        } else {
            limits.idle.checked_sub(silent)?
        };
        // The system may treat a shorter time as no timeout.
        Some(left.max(Duration::from_millis(1)))
    }

    /// Writes the message to the next hop. If the client closes before its end, the message must not be delivered. DATA cannot be taken back, so this
    /// closes the connection to the next hop.
    fn send(&mut self) {
        let mut outgoing =
            std::mem::replace(&mut self.outgoing, OutgoingMessage::nothing(&self.shared));
        let sent = match &self.hop {
            // A next hop that takes longer than a client waits for the final reply gets no complete message (RFC 5321 4.5.3.2.6).
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

/// Returns the end of a time that begins now.
fn soon(time: Duration) -> Instant {
    let now = Instant::now();
    // An endless time becomes a day.
    now.checked_add(time)
        .unwrap_or_else(|| now + Duration::from_hours(24))
}
