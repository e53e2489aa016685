//! One connection of a client and the one to the next hop that belongs to it, as a machine that does no I/O.

use super::capabilities::Capabilities;
use super::command::{Mail, Verb, forwarded};
use super::content::{BareLines, Content, Unacceptable};
use super::lines::{Line, Lines};
use super::reply::{BadReply, Replies, Reply};
use std::collections::VecDeque;
use std::mem;

/// Commands that wait for their replies at a time.
const BATCH: usize = 100;
/// Bytes of commands that wait for their replies.
const BATCH_BYTES: usize = 65_536;
/// Commands of a client that may be wrong before it is sent away.
const MISTAKES: u32 = 20;

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
    Recipient,
    Reset,
    Other,
    /// Of our own: the client hears nothing of it.
    Quiet,
    /// A reply of our own.
    Local(Reply),
}

/// A command that waits until everything before it is answered.
#[derive(Debug)]
enum Held {
    Hello(Vec<u8>),
    Data,
    Quit,
    /// Say this and close.
    Leave(Reply),
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

/// How far the next hop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hop {
    Absent,
    Greeting,
    /// Greeted anew; the client has no part in it.
    Hello,
    Ready,
}

/// The machine.
#[derive(Debug)]
pub struct Session {
    options: Options,
    lines: Lines,
    replies: Replies,
    to_client: Vec<u8>,
    to_hop: Vec<u8>,
    text: Vec<u8>,
    state: State,
    hop: Hop,
    asked: VecDeque<Asked>,
    held: Option<Held>,
    content: Content,
    /// The line that the next hop was greeted with, and what the client was told then.
    hello: Option<Vec<u8>>,
    announced: Capabilities,
    mail: Option<Mail>,
    accepted: usize,
    delivery: Delivery,
    queue_id: Vec<u8>,
    peer: Option<Vec<u8>>,
    /// The next hop knows nothing of a message: commands may be given again to another connection.
    clean: bool,
    /// Commands that wait for their replies, while they may be given again.
    again: Option<Vec<u8>>,
    mistakes: u32,
    /// DATA was refused: what follows may be content.
    refused_data: bool,
    stopping: bool,
    fault: Option<&'static str>,
    /// Replies of the next hop that were complete.
    heard: u64,
}

impl Session {
    /// A session that has done nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            lines: Lines::default(),
            replies: Replies::default(),
            to_client: Vec::new(),
            to_hop: Vec::new(),
            text: Vec::new(),
            state: State::Opening,
            hop: Hop::Absent,
            asked: VecDeque::new(),
            held: None,
            content: Content::new(options.bare_lines),
            hello: None,
            announced: Capabilities::default(),
            mail: None,
            accepted: 0,
            delivery: Delivery::default(),
            queue_id: Vec::new(),
            peer: None,
            clean: true,
            again: None,
            mistakes: 0,
            refused_data: false,
            stopping: false,
            fault: None,
            heard: 0,
        }
    }

    /// Takes bytes of the client.
    pub fn client(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The client is gone.
    pub fn client_gone(&mut self) {
        if self.hop == Hop::Ready && self.asked.is_empty() {
            self.to_hop.extend_from_slice(b"QUIT\r\n");
        }
        self.state = State::Closed;
    }

    /// The client is too slow.
    pub fn client_slow(&mut self) {
        self.leave(421, "4.4.2 Timeout");
        if self.hop == Hop::Ready && self.asked.is_empty() {
            self.to_hop.extend_from_slice(b"QUIT\r\n");
        }
    }

    /// Takes bytes of the next hop.
    pub fn hop(&mut self, bytes: &[u8]) {
        self.replies.push(bytes);
    }

    /// The next hop is connected.
    pub fn connected(&mut self) {
        (self.hop, self.replies) = (Hop::Greeting, Replies::default());
    }

    /// The next hop cannot be reached, is gone, or says nothing in time.
    pub fn hop_lost(&mut self) {
        self.lose("next-hop-lost");
    }

    /// Takes no message any more; one that has begun may end.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// The message was written to the next hop.
    pub fn sent(&mut self) {
        if self.state == State::Sending {
            self.state = State::Ending(self.shares());
        }
    }

    /// How many whole replies the next hop has given.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// Bytes for the client, to be written at once.
    pub fn take_client(&mut self) -> Vec<u8> {
        mem::take(&mut self.to_client)
    }

    /// Bytes for the next hop, to be written at once.
    pub fn take_hop(&mut self) -> Vec<u8> {
        mem::take(&mut self.to_hop)
    }

    /// Bytes of the message that arrives, without the dots of the way.
    pub fn take_text(&mut self) -> Vec<u8> {
        mem::take(&mut self.text)
    }

    /// Bytes as they came where line ends of the message were set right; with the first of them all that was not taken before.
    pub(super) fn take_raw(&mut self) -> Vec<u8> {
        self.content.take_raw()
    }

    /// A fault to be told, once.
    pub fn take_fault(&mut self) -> Option<&'static str> {
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

    /// Sender in angle brackets, number of recipients, the name of the message and of its client where XFORWARD told them.
    pub fn envelope(&self) -> (&[u8], usize, &[u8], Option<&[u8]>) {
        let sender = self.mail.as_ref().map_or(&[][..], |mail| &mail.sender);
        (sender, self.accepted, &self.queue_id, self.peer.as_deref())
    }

    /// Whether the envelope announces UTF-8 in header fields.
    pub fn is_smtputf8(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.smtputf8)
    }

    /// Whether the envelope announces eight bits.
    pub fn is_eight_bit(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.eight_bit)
    }

    /// Whether a message is on its way here.
    pub fn is_in_message(&self) -> bool {
        !matches!(self.state, State::Opening | State::Commands | State::Closed) || self.mail.is_some()
    }

    /// Whether a message is judged, or given to the next hop.
    pub fn is_settling(&self) -> bool {
        matches!(self.state, State::Judging | State::AskedData | State::Sending | State::Ending(_))
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
        self.state == State::Commands && self.lines.is_within()
    }

    /// Whether the client has greeted.
    pub fn is_greeted(&self) -> bool {
        self.hello.is_some()
    }

    /// Why the message is to be refused whatever is in it.
    pub fn unacceptable(&self) -> Option<Unacceptable> {
        self.content.unacceptable()
    }

    /// Whether line ends of the message were set right.
    pub fn is_mended(&self) -> bool {
        self.content.is_mended()
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
                self.to_hop.extend_from_slice(b"DATA\r\n");
                self.state = State::AskedData;
            }
            Verdict::Refuse(code, words) => {
                self.tell_all(&Reply::own(code, words));
                self.forget_in_hop();
                self.end_message();
            }
        }
    }

    fn next_reply(&mut self) -> Result<Option<Reply>, BadReply> {
        let reply = self.replies.next();
        self.heard += u64::from(matches!(reply, Ok(Some(_))));
        reply
    }

    fn open(&mut self) -> Option<Step> {
        if self.hop == Hop::Absent {
            return Some(Step::Connect);
        }
        match self.next_reply() {
            Ok(None) => Some(Step::Hop),
            Ok(Some(reply)) if reply.code == 220 => {
                let first = reply.texts.first().map_or(&[][..], Vec::as_slice);
                let name = first.split(|byte| *byte == b' ').next().filter(|name| !name.is_empty());
                let protocol: &[u8] = if self.options.lmtp { b" LMTP" } else { b" ESMTP" };
                let text = [name.unwrap_or(b"localhost"), protocol].concat();
                Reply { code: 220, texts: vec![text] }.write(&mut self.to_client);
                (self.hop, self.state) = (Hop::Ready, State::Commands);
                None
            }
            // A next hop that takes nobody today says so for good at times: the client shall come back.
            Ok(Some(_)) => self.lose("next-hop-refuses"),
            Err(bad) => self.bad_reply(bad),
        }
    }

    fn commands(&mut self) -> Option<Step> {
        if let Some(Asked::Local(reply)) = self.asked.front() {
            reply.write(&mut self.to_client);
            self.asked.pop_front();
            return None;
        }
        if !self.asked.is_empty() {
            if self.hop == Hop::Absent {
                return Some(Step::Connect);
            }
            match self.next_reply() {
                Ok(Some(reply)) => return self.take_reply(reply),
                Ok(None) => (),
                Err(bad) => return self.bad_reply(bad),
            }
        } else if !self.replies.is_empty() {
            return self.bad_reply(BadReply::Unasked);
        } else if self.stopping && self.mail.is_none() {
            return self.leave(421, "4.3.2 Service shutting down");
        }
        if self.has_room()
            && let Some(line) = self.lines.next()
        {
            self.command(line);
            return None;
        }
        if !self.asked.is_empty() {
            return Some(Step::Hop);
        }
        match self.held.take() {
            Some(held) => self.run_held(held),
            None => Some(Step::Client),
        }
    }

    /// Whether one more command may be taken.
    fn has_room(&self) -> bool {
        let waiting = self.asked.len();
        let alone = !self.announced.pipelining || matches!(self.asked.back(), Some(Asked::Hello(_)));
        let bytes = self.again.as_ref().map_or(0, Vec::len).max(self.to_hop.len());
        self.held.is_none() && waiting < (if alone { 1 } else { BATCH }) && bytes < BATCH_BYTES
    }

    fn command(&mut self, line: Line) {
        let verb = if let Line::Whole(line) = &line { Verb::of(line) } else { Verb::Unknown };
        if mem::take(&mut self.refused_data) && verb == Verb::Unknown {
            // Content of a client that did not wait for the word: none of it may become a command.
            self.held = Some(Held::Leave(Reply::own(421, "4.7.0 No data were asked for")));
            return;
        }
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => return self.mistake(500, "5.5.2 Line too long"),
            Line::Unclean => {
                return self.mistake(500, "5.5.2 A line ends with CRLF and has no CR, LF or NUL in it");
            }
        };
        let greeted = self.hello.is_some();
        match verb {
            Verb::Lhlo if self.options.lmtp => self.held = Some(Held::Hello(line)),
            Verb::Helo | Verb::Ehlo if !self.options.lmtp => self.held = Some(Held::Hello(line)),
            Verb::Noop => self.say(250, "2.0.0 Ok"),
            Verb::Help => self.say(214, "2.0.0 See RFC 5321"),
            Verb::Quit => self.held = Some(Held::Quit),
            Verb::Bdat => {
                // What follows is content, and where it ends is not known here.
                self.held = Some(Held::Leave(Reply::own(421, "4.7.0 BDAT was not announced")));
            }
            Verb::Reset if !greeted => self.say(250, "2.0.0 Ok"),
            Verb::Mail | Verb::Rcpt | Verb::Data | Verb::Verify | Verb::Forward if !greeted => {
                self.mistake(503, "5.5.1 Say hello first");
            }
            Verb::Data if line.trim_ascii_end().len() > 4 => self.mistake(501, "5.5.4 DATA has no argument"),
            Verb::Data => self.held = Some(Held::Data),
            Verb::Mail => {
                let mail = Mail::read(&line);
                if mail.binary {
                    self.mistake(555, "5.5.4 BODY=BINARYMIME was not announced");
                } else {
                    self.ask(&line, Asked::Mail(mail));
                }
            }
            Verb::Rcpt => self.ask(&line, Asked::Recipient),
            Verb::Reset => self.ask(&line, Asked::Reset),
            Verb::Verify => self.ask(&line, Asked::Other),
            Verb::Forward if self.announced.forward.is_some() => {
                if let Some(id) = forwarded(&line, "IDENT") {
                    self.queue_id = id.to_vec();
                }
                if let Some(peer) = forwarded(&line, "ADDR") {
                    self.peer = Some(peer.to_vec());
                }
                self.ask(&line, Asked::Other);
            }
            Verb::Helo | Verb::Ehlo | Verb::Lhlo | Verb::Unknown => {
                self.mistake(500, "5.5.1 Command unknown");
            }
            Verb::Forward | Verb::Unoffered => self.mistake(502, "5.5.1 Command not implemented"),
        }
    }

    /// Gives a line to the next hop.
    fn ask(&mut self, line: &[u8], asked: Asked) {
        let waits = self.asked.iter().any(|asked| !matches!(asked, Asked::Local(_)));
        if !waits && self.clean {
            self.again = Some(Vec::new());
        }
        for out in self.again.iter_mut().chain((self.hop == Hop::Ready).then_some(&mut self.to_hop)) {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
        self.asked.push_back(asked);
    }

    /// Says something of our own, when everything before it was answered.
    fn say(&mut self, code: u16, words: &str) {
        self.asked.push_back(Asked::Local(Reply::own(code, words)));
    }

    fn mistake(&mut self, code: u16, words: &str) {
        self.mistakes += 1;
        self.say(code, words);
        if self.mistakes > MISTAKES {
            self.held = Some(Held::Leave(Reply::own(421, "4.7.0 Too many errors")));
        }
    }

    fn run_held(&mut self, held: Held) -> Option<Step> {
        match held {
            Held::Hello(line) => self.ask(&line.clone(), Asked::Hello(line)),
            Held::Data if self.mail.is_none() || self.accepted == 0 => {
                let words =
                    if self.mail.is_none() { "5.5.1 MAIL first" } else { "5.5.1 No valid recipients" };
                self.mistake(if self.mail.is_some() && !self.options.lmtp { 554 } else { 503 }, words);
                self.refused_data = true;
            }
            Held::Data => {
                Reply::own(354, "End data with <CR><LF>.<CR><LF>").write(&mut self.to_client);
                self.content = Content::new(self.options.bare_lines);
                self.state = State::Content;
            }
            Held::Quit => {
                if self.hop == Hop::Ready {
                    self.to_hop.extend_from_slice(b"QUIT\r\n");
                }
                Reply::own(221, "2.0.0 Bye").write(&mut self.to_client);
                self.state = State::Closed;
            }
            Held::Leave(reply) => {
                reply.write(&mut self.to_client);
                self.state = State::Closed;
            }
        }
        None
    }

    fn read_content(&mut self) -> Option<Step> {
        let (used, ended) = self.content.read(self.lines.rest(), &mut self.text);
        self.lines.take(used);
        if !ended {
            return Some(Step::Client);
        }
        self.state = State::Judging;
        None
    }

    /// A reply while commands wait.
    fn take_reply(&mut self, reply: Reply) -> Option<Step> {
        match self.hop {
            Hop::Greeting if reply.code == 220 => {
                let line = self.hello.clone().unwrap_or_default();
                if line.is_empty() {
                    self.resume();
                } else {
                    self.hop = Hop::Hello;
                    self.to_hop.extend_from_slice(&line);
                    self.to_hop.extend_from_slice(b"\r\n");
                }
                return None;
            }
            Hop::Hello if reply.is_positive() && Capabilities::read(&reply).covers(&self.announced) => {
                self.resume();
                return None;
            }
            Hop::Ready => (),
            // It is not what it was.
            Hop::Absent | Hop::Greeting | Hop::Hello => return self.lose("next-hop-refuses"),
        }
        if reply.code == 421 {
            if self.again.is_none() {
                reply.write(&mut self.to_client);
                self.fault = Some("next-hop-closing");
                self.state = State::Closed;
                return None;
            }
            return self.lose("next-hop-closing");
        }
        if !reply.is_final() {
            return self.bad_reply(BadReply::Malformed);
        }
        let positive = reply.is_positive();
        if !positive && matches!(self.asked.front(), Some(Asked::Quiet)) {
            // It will not forget: what it knows must not reach the next message.
            return self.lose("next-hop-refuses");
        }
        self.again = None;
        match self.asked.pop_front() {
            Some(Asked::Hello(line)) if positive => {
                // After HELO nothing is announced, and nothing may be used.
                let esmtp = Verb::of(&line) != Verb::Helo;
                self.announced = if esmtp { Capabilities::read(&reply) } else { Capabilities::default() };
                let reply = if esmtp { self.announced.reply(&reply) } else { reply };
                reply.write(&mut self.to_client);
                self.hello = Some(line);
                self.forget();
            }
            Some(Asked::Quiet) => self.clean = true,
            Some(asked) => {
                reply.write(&mut self.to_client);
                match asked {
                    Asked::Mail(mail) => {
                        self.clean = false;
                        if positive {
                            (self.mail, self.accepted) = (Some(mail), 0);
                        }
                    }
                    Asked::Recipient => self.accepted += usize::from(positive),
                    Asked::Reset if positive => self.forget(),
                    _ => self.clean = false,
                }
            }
            None => return self.bad_reply(BadReply::Unasked),
        }
        None
    }

    /// The next hop is ready anew: commands that wait are given to it.
    fn resume(&mut self) {
        self.hop = Hop::Ready;
        self.clean = true;
        self.to_hop.extend_from_slice(self.again.take().as_deref().unwrap_or_default());
    }

    /// The end of a message that the next hop takes or refuses.
    fn finish(&mut self) -> Option<Step> {
        let reply = match self.next_reply() {
            Ok(None) => return Some(Step::Hop),
            Ok(Some(reply)) => reply,
            Err(bad) => return self.bad_reply(bad),
        };
        match self.state {
            State::AskedData if reply.code == 354 => {
                if !self.replies.is_empty() {
                    // A word about a message that it does not have.
                    return self.bad_reply(BadReply::Unasked);
                }
                self.state = State::Sending;
            }
            State::AskedData if matches!(reply.code / 100, 4 | 5) => {
                self.count(&reply, self.shares());
                self.tell_all(&reply);
                self.forget_in_hop();
                self.end_message();
                self.close_with(&reply);
            }
            State::Ending(left) if reply.is_final() => {
                reply.write(&mut self.to_client);
                self.count(&reply, 1);
                if left > 1 {
                    self.state = State::Ending(left - 1);
                } else {
                    self.forget();
                    self.end_message();
                    self.close_with(&reply);
                }
            }
            _ => return self.bad_reply(BadReply::Malformed),
        }
        None
    }

    /// What the next hop says of a message, in replies: one, or one for each recipient.
    fn shares(&self) -> usize {
        if self.options.lmtp { self.accepted } else { 1 }
    }

    fn count(&mut self, reply: &Reply, shares: usize) {
        let recipients = if self.options.lmtp { shares } else { self.accepted };
        match reply.code / 100 {
            2 => self.delivery.taken += recipients,
            5 => self.delivery.refused += recipients,
            _ => self.delivery.deferred += recipients,
        }
    }

    /// A word about the whole message: once, or once for each recipient.
    fn tell_all(&mut self, reply: &Reply) {
        for _ in 0..self.shares() {
            reply.write(&mut self.to_client);
        }
    }

    /// The next hop shall forget the message that it was told of.
    fn forget_in_hop(&mut self) {
        if self.hop == Hop::Ready {
            self.to_hop.extend_from_slice(b"RSET\r\n");
            self.asked.push_back(Asked::Quiet);
            // Another connection knows nothing either.
            self.again = Some(b"RSET\r\n".to_vec());
        }
    }

    fn end_message(&mut self) {
        (self.mail, self.accepted) = (None, 0);
        self.queue_id.clear();
        self.state = State::Commands;
    }

    /// Both sides know of no message any more.
    fn forget(&mut self) {
        (self.mail, self.accepted) = (None, 0);
        self.clean = true;
    }

    /// A next hop that says 421 closes, and so do we.
    fn close_with(&mut self, reply: &Reply) {
        if reply.code == 421 {
            self.fault = Some("next-hop-closing");
            self.state = State::Closed;
        }
    }

    fn bad_reply(&mut self, bad: BadReply) -> Option<Step> {
        self.again = None;
        self.lose(match bad {
            BadReply::TooLong => "reply-too-long",
            BadReply::Malformed => "reply-malformed",
            BadReply::Unasked => "reply-unasked",
        })
    }

    /// The next hop is of no use any more: nothing that it did not confirm is confirmed.
    fn lose(&mut self, fault: &'static str) -> Option<Step> {
        let known = self.hop == Hop::Ready;
        self.hop = Hop::Absent;
        self.replies = Replies::default();
        self.to_hop.clear();
        match self.state {
            State::AskedData | State::Sending | State::Ending(_) => {
                let left = if let State::Ending(left) = self.state { left } else { self.shares() };
                for _ in 0..left {
                    Reply::own(451, "4.4.2 Lost the next hop").write(&mut self.to_client);
                }
                self.delivery.deferred += if self.options.lmtp { left } else { self.accepted };
                self.delivery.lost = true;
                self.fault = Some(fault);
                self.clean = true;
                self.end_message();
            }
            // Nobody misses it before the next command.
            State::Commands if self.asked.is_empty() && self.mail.is_none() && self.clean => (),
            State::Commands if matches!(self.asked.front(), Some(Asked::Quiet)) && self.asked.len() == 1 => {
                self.asked.clear();
                self.clean = true;
            }
            // It went away between two messages: once more, with another connection.
            State::Commands if known && self.again.is_some() => (),
            _ => {
                self.fault = Some(fault);
                return self.leave(421, "4.3.0 The next hop is not available");
            }
        }
        None
    }

    fn leave(&mut self, code: u16, words: &str) -> Option<Step> {
        Reply::own(code, words).write(&mut self.to_client);
        self.state = State::Closed;
        None
    }
}
