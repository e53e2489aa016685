//! One client: reads and writes on both sides, keeps the message while it arrives, has it judged.

use super::content::BareLines;
use super::judge::{
    Fate, beyond_the_announced, beyond_the_hop, body, fields, judge, mended, unacceptable, unread,
};
use super::route::Route;
use super::sending::{Unsent, send};
use super::session::{Options, Session, Step, Verdict};
use crate::address::Stream;
use crate::engine::{Engine, Envelope};
use crate::notice::{Notice, Record};
use crate::policy::Action;
use crate::record;
use crate::server::{Live, Shared};
use crate::spool::Spool;
use std::io::{self, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time.
const PIECE: usize = 65_536;
/// A result of more bytes waits for the next hop in a file.
const KEPT: usize = 1 << 20;
/// Bytes of content that must arrive in a second, seen over the whole of a message.
const SLOWEST: u64 = 1_000;

/// What others see of a connection.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) number: u64,
    client: Stream,
    /// The next hop, while it is connected.
    hop: Mutex<Option<Stream>>,
    in_message: AtomicBool,
}

impl Outside {
    pub(super) fn new(number: u64, client: Stream) -> Self {
        Self { number, client, hop: Mutex::new(None), in_message: AtomicBool::new(false) }
    }

    fn hop(&self) -> MutexGuard<'_, Option<Stream>> {
        self.hop.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live for Outside {
    /// It may wait for the next hop too, which may take its time.
    fn end_idle(&self) {
        if !self.in_message.load(Ordering::SeqCst) {
            self.client.shut_reading();
            if let Some(hop) = &*self.hop() {
                hop.shut();
            }
        }
    }

    /// On both sides: it may wait for either.
    fn end(&self) {
        self.client.shut();
        if let Some(hop) = &*self.hop() {
            hop.shut();
        }
    }
}

/// Speaks with one client until either side ends it.
pub(super) struct Connection {
    outside: Arc<Outside>,
    client: Stream,
    /// Who it is; the system forgets it with the connection.
    address: String,
    hop: Option<Stream>,
    session: Session,
    route: Arc<Route>,
    shared: Arc<Shared>,
    arriving: Arriving,
    /// The message that goes to the next hop, and what will be told of it.
    leaving: Spool,
    record: Option<(Record, Instant)>,
    piece: Vec<u8>,
    /// When the client could first hear something: before, it waits for the next hop.
    began: Option<Instant>,
    /// When the client last said something, or was last answered.
    heard: Instant,
    /// When the next hop was asked what it is to answer next, and how many replies it had given then.
    asked: (Instant, u64),
    /// When the command that has not ended began.
    line_began: Option<Instant>,
}

/// A message that arrives.
struct Arriving {
    spool: Spool,
    /// The message as it came, where its line ends were set right and originals are kept.
    came: Option<Spool>,
    /// Its first bytes as they came were not kept: nothing was to be kept then.
    came_late: bool,
    size: u64,
    began: Option<Instant>,
    failure: Option<io::Error>,
    /// It has more bytes than the client was told that it may have: none of them is kept, and more are only counted.
    beyond: bool,
}

impl Arriving {
    fn new(shared: &Shared) -> Self {
        Self {
            spool: Spool::new(shared.budget.clone()),
            came: None,
            came_late: false,
            size: 0,
            began: None,
            failure: None,
            beyond: false,
        }
    }

    /// Adds bytes; `most` is how many the client was told that there may be.
    fn push(&mut self, text: &[u8], most: Option<u64>) {
        self.size += text.len() as u64;
        if most.is_some_and(|most| self.size > most) && !self.beyond {
            self.beyond = true;
            self.spool.clear();
            self.came = None;
        }
        if self.failure.is_none()
            && !self.beyond
            && let Err(error) = self.spool.push(text)
        {
            self.fail(error);
        }
    }

    /// Adds bytes as they came, before those of [`Arriving::push`] that belong to them; the first time, what has arrived stands
    /// before them.
    fn push_raw(&mut self, raw: &[u8], shared: &Shared) {
        if self.failure.is_some() || self.beyond || self.came_late {
            return;
        }
        if self.came.is_none() && shared.engine().ledgers.is_none() {
            self.came_late = true;
            return;
        }
        if self.size > shared.limits.message_bytes {
            // It is not read, and not kept.
            self.came = None;
            return;
        }
        let came = match &mut self.came {
            Some(came) => came.push(raw),
            none => {
                let came = none.insert(Spool::new(shared.budget.clone()));
                self.spool.pieces(|piece| came.push(piece)).and_then(|()| came.push(raw))
            }
        };
        if let Err(error) = came {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.spool.clear();
        self.came = None;
        self.failure = Some(error);
    }
}

/// Why a connection ends before both sides are content.
enum End {
    /// The client's side failed; there is nobody to tell.
    Client(io::Error),
}

impl Connection {
    pub(super) fn new(outside: Arc<Outside>, client: Stream, route: Arc<Route>, shared: Arc<Shared>) -> Self {
        // The policy is asked when the message is complete: it may defer, and be another one by then.
        let options =
            Options { lmtp: route.lmtp, bare_lines: route.bare_lines.unwrap_or(BareLines::Normalize) };
        Self {
            outside,
            address: client.peer(),
            client,
            hop: None,
            session: Session::new(options),
            arriving: Arriving::new(&shared),
            leaving: Spool::new(shared.budget.clone()),
            route,
            shared,
            record: None,
            piece: vec![0; PIECE],
            began: None,
            heard: Instant::now(),
            asked: (Instant::now(), 0),
            line_began: None,
        }
    }

    /// Runs to the end, and tells of it where it is a fault.
    pub(super) fn run(mut self) {
        let end = self.speak();
        self.tell_record();
        if let Err(End::Client(error)) = end {
            self.cut("io");
            if !self.shared.is_stopping() {
                self.fault(&format!("io ({error})"));
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
                self.arriving.push_raw(&raw, &self.shared);
            }
            if !text.is_empty() {
                self.arriving.push(&text, self.session.announced().most());
            }
            if let Some(fault) = self.session.take_fault() {
                self.fault(fault);
            }
            self.outside.in_message.store(self.session.is_in_message(), Ordering::SeqCst);
            if !self.session.is_settling() {
                self.tell_record();
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

    fn fault(&self, fault: &str) {
        self.shared.tell(&Notice::Fault { connection: self.outside.number, peer: &self.address, fault });
    }

    fn flush_client(&mut self) -> Result<(), End> {
        let output = self.session.take_client();
        if output.is_empty() {
            return Ok(());
        }
        let written = self.client.write_until(&output, soon(self.shared.limits.stall)).map_err(End::Client);
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
        *self.outside.hop() = None;
        if let Some(hop) = self.hop.take() {
            hop.shut();
        }
    }

    /// From now on the next hop owes us a word.
    fn ask_hop(&mut self) {
        self.asked = (Instant::now(), self.session.heard());
    }

    fn connect(&mut self) {
        let times = &self.route.times;
        let connected = Stream::connect(&self.route.next_hop, times.connect).and_then(|hop| {
            *self.outside.hop() = Some(hop.try_clone()?);
            Ok(hop)
        });
        match connected {
            Ok(hop) => {
                self.hop = Some(hop);
                self.session.connected();
                self.ask_hop();
            }
            Err(error) => {
                self.fault(&format!("connect ({error})"));
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
        let patience = if self.session.is_ending() { times.end } else { times.reply };
        let asked = self.asked.0;
        let Some(hop) = &mut self.hop else { return self.lose_hop() };
        let read = loop {
            let left = patience.checked_sub(asked.elapsed()).filter(|left| !left.is_zero());
            let Some(left) = left else { break Err(ErrorKind::TimedOut.into()) };
            // A shorter time than a millisecond may be none for the system.
            let left = left.max(Duration::from_millis(1));
            match hop.set_read_timeout(left).and_then(|()| hop.read(&mut self.piece)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                read => break read,
            }
        };
        match read {
            Ok(0) | Err(_) => self.lose_hop(),
            Ok(count) => {
                hop.acknowledge_at_once();
                self.session.hop(&self.piece[..count]);
            }
        }
    }

    fn read_client(&mut self) -> Result<(), End> {
        let Some(patience) = self.patience() else {
            self.fault("slow");
            self.cut("slow");
            self.session.client_slow();
            return Ok(());
        };
        self.client.set_read_timeout(patience).map_err(End::Client)?;
        match self.client.read(&mut self.piece) {
            // Its reading side was ended here, perhaps just when it began a message: it hears why.
            Ok(0) if self.shared.is_stopping() && !self.session.is_in_content() => self.session.shut(),
            Ok(0) => {
                if self.cut("client-gone") == Some("client-gone") {
                    self.fault("client-gone");
                }
                self.session.client_gone();
            }
            Ok(count) => {
                self.heard = Instant::now();
                if self.line_began.is_some() && self.piece[..count].contains(&b'\n') {
                    // What has not ended began here.
                    self.line_began = None;
                }
                self.client.acknowledge_at_once();
                self.session.client(&self.piece[..count]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            // The next look at the clock says whether its time is up.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => (),
            Err(error) => return Err(End::Client(error)),
        }
        Ok(())
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
            let began = *self.arriving.began.get_or_insert_with(Instant::now);
            let whole = limits.idle + Duration::from_secs(self.arriving.size / SLOWEST);
            whole.checked_sub(began.elapsed())?.min(limits.stall.checked_sub(silent)?)
        } else if !self.session.is_greeted() {
            limits.negotiation.checked_sub(self.began.unwrap_or(self.heard).elapsed())?
        } else if within_line {
            let began = *self.line_began.get_or_insert_with(Instant::now);
            limits.stall.checked_sub(began.elapsed())?
        } else {
            limits.idle.checked_sub(silent)?
        };
        // A shorter time than a millisecond may be none for the system.
        Some(left.max(Duration::from_millis(1)))
    }

    /// Judges the message that is complete, and tells the session.
    fn judge(&mut self) {
        let mut arrived = std::mem::replace(&mut self.arriving, Arriving::new(&self.shared));
        let start = Instant::now();
        let engine = self.shared.engine();
        let mut record = Record::new(self.envelope(), &self.peer(), arrived.size);
        record.policy.clone_from(&engine.rules.name);
        let mut fate = match (&arrived.failure, self.session.unacceptable()) {
            _ if arrived.beyond => beyond_the_announced(&mut record),
            (Some(error), _) => self.no_room(&mut record, error),
            (None, Some(why)) => unacceptable(why, &mut record),
            (None, None) => self.judge_text(&engine, &mut arrived, &mut record, start),
        };
        self.leaving = arrived.spool;
        if matches!(fate, Fate::Same) && !self.session.announced().eight_bit {
            // What was not looked at, or passes in spite of a fault.
            fate = match self.leaving.is_ascii() {
                Ok(true) => Fate::Same,
                // It may go when it is judged.
                Ok(false) if record.failed_open => self.given_up("eight-bit", &mut record),
                Ok(false) => beyond_the_hop(&mut record),
                Err(error) => self.no_room(&mut record, &error),
            };
        }
        if let Fate::Other(bytes) = fate {
            self.leaving = Spool::new(self.shared.budget.clone());
            fate = match self.leaving.keep(bytes, KEPT) {
                Ok(()) => Fate::Same,
                Err(error) => {
                    self.leaving.clear();
                    self.no_room(&mut record, &error)
                }
            };
        }
        if !matches!(fate, Fate::Refused(..)) {
            // A client that has gone, or will not wait any longer, sends the message again: delivered now, it would be there twice.
            if self.client.is_gone() {
                fate = self.given_up("client-gone", &mut record);
            } else if start.elapsed() >= self.shared.limits.work {
                fate = self.given_up("slow", &mut record);
            }
        }
        if self.session.is_mended() && !matches!(fate, Fate::Refused(..)) {
            // Whatever else was done or not, bytes have changed.
            record.action = record.action.max(Action::Normalize);
        }
        record.time = start.elapsed();
        match &fate {
            Fate::Refused(code, words) => self.session.decide(Verdict::Refuse(*code, words)),
            _ => self.session.decide(Verdict::Deliver),
        }
        self.record = Some((record, start));
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
        if arrived.size > self.shared.limits.message_bytes {
            return unread(engine, record);
        }
        let limits = &self.shared.limits;
        let turns = &self.shared.turns;
        let turn =
            start.checked_add(limits.work).map_or_else(|| Some(turns.take()), |end| turns.take_until(end));
        let Some(_turn) = turn else {
            return self.given_up("slow", record);
        };
        let read = arrived.spool.bytes();
        let came = arrived.came.as_mut().map(Spool::bytes).transpose();
        let (raw, came) = match read.and_then(|raw| Ok((raw, came?))) {
            Ok(both) => both,
            Err(error) => return self.no_room(record, &error),
        };
        let header = &raw[..body(&raw)];
        if header.len() > limits.header_bytes || fields(header) > limits.fields {
            return unread(engine, record);
        }
        let announced = self.session.announced();
        let work = || {
            if arrived.came_late && engine.ledgers.is_some() {
                return Err("ledger (the engine changed while the message arrived)".to_owned());
            }
            judge(&raw, came.as_deref(), engine, announced, record)
        };
        let fault = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(fate)) => return fate,
            Ok(Err(fault)) => fault,
            Err(_) => "panic".to_owned(),
        };
        self.fault(&fault);
        (record.finding, record.bytes_out) = (Some(record::kind(&fault)), 0);
        if engine.fail_open {
            (record.action, record.failed_open) = (Action::Pass, true);
            return Fate::Same;
        }
        record.action = Action::Tempfail;
        Fate::Refused(451, "4.3.0 Try again later".to_owned())
    }

    /// There is no use in the message's delivery any more, whatever was found out about it.
    fn given_up(&self, why: &'static str, record: &mut Record) -> Fate {
        self.fault(why);
        (record.action, record.finding, record.failed_open) = (Action::Tempfail, Some(why), false);
        Fate::Refused(451, "4.3.0 Try again later".to_owned())
    }

    /// The message cannot be kept on its way.
    fn no_room(&self, record: &mut Record, error: &io::Error) -> Fate {
        self.fault(&format!("spool ({error})"));
        (record.action, record.finding) = (Action::Tempfail, Some("spool"));
        Fate::Refused(452, "4.3.1 No room for the message".to_owned())
    }

    fn envelope(&self) -> Envelope {
        let (sender, recipients, queue_id, _) = self.session.envelope();
        Envelope {
            sender: sender.to_vec(),
            recipients: recipients as u32,
            queue_id: queue_id.to_vec(),
            smtputf8: self.session.is_smtputf8(),
            eight_bit: self.session.is_eight_bit(),
        }
    }

    fn peer(&self) -> String {
        let (.., peer) = self.session.envelope();
        peer.map_or_else(|| self.address.clone(), |peer| String::from_utf8_lossy(peer).into_owned())
    }

    /// Writes the message to the next hop. A client that goes before the end of that must not find it there: DATA cannot be taken back,
    /// so the connection is given up.
    fn send(&mut self) {
        let mut leaving = std::mem::replace(&mut self.leaving, Spool::new(self.shared.budget.clone()));
        let sent = match &self.hop {
            // Who takes longer than a client waits for the word at its end gets nothing delivered (RFC 5321 4.5.3.2.6).
            Some(hop) => send(&mut leaving, hop, &self.client, soon(self.route.times.end)),
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
                    (record.action, record.finding) = (Action::Tempfail, Some("client-gone"));
                }
                self.lose_hop();
                self.session.take_fault();
                self.fault("client-gone");
            }
        }
    }

    /// Tells of a message whose end does not come, which its client is to send again; why it was cut, none where none was arriving.
    fn cut(&self, why: &'static str) -> Option<&'static str> {
        if !self.session.is_in_content() {
            return None;
        }
        let why = if self.shared.is_stopping() { "stopped" } else { why };
        let mut record = Record::new(self.envelope(), &self.peer(), self.arriving.size);
        record.policy.clone_from(&self.shared.engine().rules.name);
        (record.action, record.finding) = (Action::Tempfail, Some(why));
        self.shared.tell(&Notice::Message(&record));
        Some(why)
    }

    /// Tells of the message whose end the client knows.
    fn tell_record(&mut self) {
        let Some((mut record, start)) = self.record.take() else { return };
        record.time = start.elapsed();
        let said = self.session.delivery();
        if record.action != Action::Reject && record.action != Action::Tempfail {
            if said.taken == 0 && said.deferred > 0 {
                record.action = Action::Tempfail;
            } else if said.taken == 0 && said.refused > 0 {
                record.action = Action::Reject;
            }
            if said.lost {
                record.finding = Some("next-hop-lost");
            } else if said.deferred + said.refused > 0 {
                record.finding = Some("next-hop-refused");
            }
        }
        self.shared.tell(&Notice::Message(&record));
    }
}

/// The end of a time that begins now.
fn soon(time: Duration) -> Instant {
    let now = Instant::now();
    // A time without end is as good as a day.
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_hours(24))
}
