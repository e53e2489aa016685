//! One connection of a client and the one to the next hop that belongs to it, as a machine that does no I/O.
//!
//! # Limits
//! It keeps no time: who is too slow is told by its driver.

mod client;
mod hop;

use super::capabilities::Capabilities;
use super::command::Mail;
use super::content::{BareLines, Unacceptable};
use super::reply::{BadReply, HopFault, Reply};
use client::Client;
use hop::{Hop, Stage};
use std::collections::VecDeque;
use std::mem;

/// How a session speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// LMTP (RFC 2033) on both sides: a reply for each recipient.
    pub lmtp: bool,
    /// A CR or LF alone in content.
    pub bare_lines: BareLines,
}

/// What the driver is to do next. Before it reads or closes, it writes what there is to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read of the client, then [`Session::client`].
    Client,
    /// Read of the next hop, then [`Session::hop`].
    Hop,
    /// Connect to the next hop, then [`Session::connected`] or [`Session::hop_lost`].
    Connect,
    /// The message is complete: [`Session::decide`].
    Judge,
    /// Write the message with its dots and its end to the next hop, then [`Session::sent`].
    Send,
    /// Close both.
    Close,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// It goes to the next hop.
    Deliver,
    /// It does not: code, and words with an enhanced code before them.
    Refuse(u16, &'a str),
}

/// What the next hop said of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delivery {
    /// Recipients that it took; in SMTP all or none.
    pub taken: usize,
    /// Recipients that are refused for good.
    pub refused: usize,
    /// Recipients that are deferred.
    pub deferred: usize,
    /// The next hop went away before it said all.
    pub lost: bool,
}

/// What waits for a reply of the next hop, or for its turn to be told.
#[derive(Debug)]
enum Asked {
    Hello(Vec<u8>),
    Mail(Mail),
    /// Its path.
    Recipient(Vec<u8>),
    Reset,
    /// XFORWARD, and what it told of the message's name and of its client's address.
    Forward([Option<Vec<u8>>; 2]),
    Other,
    /// Of our own: the client hears nothing of it.
    Quiet,
    /// A reply of our own.
    Local(Reply),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next hop has not greeted for the first time.
    Opening,
    Commands,
    Content,
    Judging,
    /// DATA was given to the next hop.
    AskedData,
    Sending,
    /// So many replies of the next hop are to come.
    Ending(usize),
    Closed,
}

/// What a client hears that is ended between two messages.
const SHUTTING_DOWN: &str = "4.3.2 Service shutting down";

/// The machine.
#[derive(Debug)]
pub struct Session {
    options: Options,
    client: Client,
    hop: Hop,
    state: State,
    /// In the order in which the client hears of it.
    asked: VecDeque<Asked>,
    /// The line that the next hop was greeted with, and what the client was told then.
    hello: Option<Vec<u8>>,
    announced: Capabilities,
    mail: Option<Mail>,
    /// Paths of the recipients that the next hop takes.
    accepted: Vec<Vec<u8>>,
    delivery: Delivery,
    queue_id: Vec<u8>,
    peer: Option<Vec<u8>>,
    stopping: bool,
    fault: Option<HopFault>,
}

impl Session {
    /// A session that has done nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            client: Client::new(options.bare_lines),
            hop: Hop::default(),
            state: State::Opening,
            asked: VecDeque::new(),
            hello: None,
            announced: Capabilities::default(),
            mail: None,
            accepted: Vec::new(),
            delivery: Delivery::default(),
            queue_id: Vec::new(),
            peer: None,
            stopping: false,
            fault: None,
        }
    }

    /// Takes bytes of the client.
    pub fn client(&mut self, bytes: &[u8]) {
        self.client.lines.push(bytes);
    }

    /// The client is gone.
    pub fn client_gone(&mut self) {
        self.quit_if_unasked();
        self.state = State::Closed;
    }

    /// The client is too slow.
    pub fn client_slow(&mut self) {
        self.leave(421, "4.4.2 Timeout");
        self.quit_if_unasked();
    }

    /// Nobody says anything: memory that is not needed now is given back.
    pub(super) fn rest(&mut self) {
        self.client.lines.shrink();
    }

    /// Takes bytes of the next hop.
    pub fn hop(&mut self, bytes: &[u8]) {
        self.hop.replies.push(bytes);
    }

    /// The next hop is connected.
    pub fn connected(&mut self) {
        self.hop.connected();
    }

    /// The next hop cannot be reached, is gone, or says nothing in time.
    pub fn hop_lost(&mut self) {
        self.lose(HopFault::Lost);
    }

    /// Takes no message any more; one that has begun may end.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// Says that no message is taken any more, and ends.
    pub(super) fn shut(&mut self) {
        self.leave(421, SHUTTING_DOWN);
    }

    /// The message was written to the next hop.
    pub fn sent(&mut self) {
        if self.state == State::Sending {
            self.state = State::Ending(self.shares());
        }
    }

    /// How many whole replies the next hop has given.
    pub(super) fn heard(&self) -> u64 {
        self.hop.heard
    }

    /// Bytes for the client, to be written at once.
    pub fn take_client(&mut self) -> Vec<u8> {
        mem::take(&mut self.client.out)
    }

    /// Bytes for the next hop, to be written at once.
    pub fn take_hop(&mut self) -> Vec<u8> {
        mem::take(&mut self.hop.out)
    }

    /// Bytes of the message that arrives, without the dots of the way.
    pub fn take_text(&mut self) -> Vec<u8> {
        mem::take(&mut self.client.text)
    }

    /// Bytes as they came where line ends of the message were set right; with the first of them all that was not taken before.
    pub(super) fn take_raw(&mut self) -> Vec<u8> {
        self.client.content.take_raw()
    }

    /// A fault to be told, once.
    pub fn take_fault(&mut self) -> Option<HopFault> {
        self.fault.take()
    }

    /// What became of the last message that was given to the next hop.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// What the client was told of the next hop.
    pub fn announced(&self) -> &Capabilities {
        &self.announced
    }

    /// Paths of the recipients that the next hop takes.
    pub fn recipients(&self) -> &[Vec<u8>] {
        &self.accepted
    }

    /// Sender in angle brackets, the name of the message and of its client where XFORWARD told them.
    pub fn envelope(&self) -> (&[u8], &[u8], Option<&[u8]>) {
        let sender = self.mail.as_ref().map_or(&[][..], |mail| &mail.sender);
        (sender, &self.queue_id, self.peer.as_deref())
    }

    /// Whether the envelope announces UTF-8 in header fields.
    pub fn is_smtputf8(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.smtputf8)
    }

    /// Whether the envelope announces eight bits.
    pub fn is_eight_bit(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.eight_bit)
    }

    /// Whether a message is on its way here, or a client waits for leave to begin one.
    pub fn is_in_message(&self) -> bool {
        let asked = || {
            self.asked
                .iter()
                .any(|asked| matches!(asked, Asked::Mail(_)))
        };
        !matches!(self.state, State::Opening | State::Commands | State::Closed)
            || self.mail.is_some()
            || self.state == State::Commands && asked()
    }

    /// Whether a message is judged, or given to the next hop.
    pub fn is_settling(&self) -> bool {
        matches!(
            self.state,
            State::Judging | State::AskedData | State::Sending | State::Ending(_)
        )
    }

    /// Whether content is arriving.
    pub fn is_in_content(&self) -> bool {
        self.state == State::Content
    }

    /// Whether the next hop has a whole message and owes its word.
    pub fn is_ending(&self) -> bool {
        matches!(self.state, State::Ending(_))
    }

    /// Whether a command has begun and not ended.
    pub fn is_within_line(&self) -> bool {
        self.state == State::Commands && self.client.lines.is_within()
    }

    /// Whether the client has said more than was dealt with.
    pub(super) fn has_more(&self) -> bool {
        self.client.lines.is_within()
    }

    /// Whether the client has greeted.
    pub fn is_greeted(&self) -> bool {
        self.hello.is_some()
    }

    /// Why the message is to be refused whatever is in it.
    pub fn unacceptable(&self) -> Option<Unacceptable> {
        self.client.content.unacceptable()
    }

    /// Whether line ends of the message were set right.
    pub fn has_corrected_line_ends(&self) -> bool {
        self.client.content.has_corrected_line_ends()
    }

    /// Bytes that the message has more than came, as far as its line ends were set right.
    pub(super) fn grown(&self) -> i64 {
        self.client.content.grown()
    }

    /// Goes on as far as the bytes reach.
    pub fn step(&mut self) -> Step {
        loop {
            let step = match self.state {
                State::Closed => Some(Step::Close),
                State::Opening => self.open(),
                State::Commands => self.commands(),
                State::Content => self.read_content(),
                State::Judging => Some(Step::Judge),
                State::Sending => Some(Step::Send),
                State::AskedData | State::Ending(_) => self.finish(),
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Ends a message that was judged; nothing where none was.
    pub fn decide(&mut self, verdict: Verdict<'_>) {
        if self.state != State::Judging {
            return;
        }
        match verdict {
            Verdict::Deliver => {
                self.delivery = Delivery::default();
                self.hop.out.extend_from_slice(b"DATA\r\n");
                self.state = State::AskedData;
            }
            Verdict::Refuse(code, words) => {
                self.tell_all(&Reply::own(code, words));
                self.forget_in_hop();
                self.end_message();
            }
        }
    }

    fn commands(&mut self) -> Option<Step> {
        if let Some(Asked::Local(reply)) = self.asked.front() {
            self.client.hear(reply);
            self.asked.pop_front();
            return None;
        }
        if !self.asked.is_empty() {
            if self.hop.stage == Stage::Absent {
                return Some(Step::Connect);
            }
            match self.hop.next_reply() {
                Ok(Some(reply)) => return self.take_reply(reply),
                Ok(None) => (),
                Err(bad) => return self.bad_reply(bad),
            }
        } else if !self.hop.replies.is_empty() {
            return self.bad_reply(BadReply::Unasked);
        } else if self.stopping && self.mail.is_none() {
            return self.leave(421, SHUTTING_DOWN);
        }
        if self.has_room()
            && let Some(line) = self.client.lines.next()
        {
            self.command(line);
            return None;
        }
        if !self.asked.is_empty() {
            return Some(Step::Hop);
        }
        match self.client.held.take() {
            Some(held) => self.run_held(held),
            None => Some(Step::Client),
        }
    }

    fn quit_if_unasked(&mut self) {
        if self.asked.is_empty() {
            self.hop.quit();
        }
    }

    fn end_message(&mut self) {
        self.forget_envelope();
        self.state = State::Commands;
    }

    /// What XFORWARD told is told of one message (Postfix's XFORWARD_README).
    fn forget_envelope(&mut self) {
        (self.mail, self.accepted) = (None, Vec::new());
        (self.queue_id, self.peer) = (Vec::new(), None);
    }

    /// Both sides know of no message any more.
    fn forget(&mut self) {
        self.forget_envelope();
        self.hop.clean = true;
    }

    fn leave(&mut self, code: u16, words: &str) -> Option<Step> {
        self.client.hear(&Reply::own(code, words));
        self.state = State::Closed;
        None
    }
}
