//! The state machine of a client's connection and its connection to the next hop. It does no I/O.
//!
//! # Limits
//! It has no clock: its driver detects timeouts.

mod client_commands;
mod client_state;
mod hop_replies;
mod next_hop;
mod state;

pub use state::{Delivery, Options, ProxySession, ProxyVerdict, Step};

use super::capabilities::Capabilities;
use super::content::Unacceptable;
use super::reply::ReplyLines;
use crate::next_hop_fault::{BadReply, HopFault};
use client_state::ClientState;
use next_hop::{HopStage, NextHopState};
use state::{Asked, SHUTTING_DOWN, SessionState};
use std::collections::VecDeque;
use std::mem;

impl ProxySession {
    /// A session that has done nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            client: ClientState::new(options.bare_lines),
            hop: NextHopState::default(),
            state: SessionState::Opening,
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

    /// Takes input of the client.
    pub fn client(&mut self, bytes: &[u8]) {
        self.client.lines.push(bytes);
    }

    /// The client is gone.
    pub fn client_gone(&mut self) {
        self.quit_if_unasked();
        self.state = SessionState::Closed;
    }

    /// The client is too slow.
    pub fn client_slow(&mut self) {
        self.leave(421, "4.4.2 Timeout");
        self.quit_if_unasked();
    }

    /// Releases memory that an idle session does not need.
    pub(super) fn release_memory(&mut self) {
        self.client.lines.shrink();
    }

    /// Takes input of the next hop.
    pub fn hop(&mut self, bytes: &[u8]) {
        self.hop.replies.push(bytes);
    }

    /// The next hop is connected.
    pub fn connected(&mut self) {
        self.hop.connected();
    }

    /// The next hop cannot be reached, has closed, or does not answer in time.
    pub fn hop_lost(&mut self) {
        self.lose(HopFault::Lost);
    }

    /// Accepts no further message. One whose content has begun may end.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// Replies that no message is accepted any more, and ends.
    pub(super) fn shut(&mut self) {
        self.leave(421, SHUTTING_DOWN);
    }

    /// The message was written to the next hop.
    pub fn sent(&mut self) {
        if self.state == SessionState::Sending {
            self.state = SessionState::Ending(self.shares());
        }
    }

    /// Returns how many complete replies the next hop has sent.
    pub(super) fn reply_count(&self) -> u64 {
        self.hop.reply_count
    }

    /// Takes the output for the client.
    pub fn take_client(&mut self) -> Vec<u8> {
        mem::take(&mut self.client.out)
    }

    /// Takes the output for the next hop.
    pub fn take_hop(&mut self) -> Vec<u8> {
        mem::take(&mut self.hop.out)
    }

    /// Takes content of the message, without dot-stuffing.
    pub fn take_text(&mut self) -> Vec<u8> {
        mem::take(&mut self.client.text)
    }

    /// Takes content as it came, if line ends of the message were corrected. The first call includes all content that was not taken before.
    pub(super) fn take_raw(&mut self) -> Vec<u8> {
        self.client.content.take_raw()
    }

    /// Takes a fault to be reported.
    pub fn take_fault(&mut self) -> Option<HopFault> {
        self.fault.take()
    }

    /// Returns the replies of the next hop to the last message.
    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Returns the extensions that were announced to the client.
    pub fn announced(&self) -> &Capabilities {
        &self.announced
    }

    /// Paths of the recipients that the next hop has accepted.
    pub fn recipients(&self) -> &[Vec<u8>] {
        &self.accepted
    }

    /// Returns the sender in angle brackets, and the queue id and client address that XFORWARD named.
    pub fn envelope(&self) -> (&[u8], &[u8], Option<&[u8]>) {
        let sender = self.mail.as_ref().map_or(&[][..], |mail| &mail.sender);
        (sender, &self.queue_id, self.peer.as_deref())
    }

    /// Returns true if the envelope announces UTF-8 in header fields.
    pub fn is_smtputf8(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.smtputf8)
    }

    /// Returns true if the envelope announces eight bits.
    pub fn is_eight_bit(&self) -> bool {
        self.mail.as_ref().is_some_and(|mail| mail.eight_bit)
    }

    /// Returns true if the client has begun a mail transaction (RFC 5321, section 3.3): it waits for the reply to MAIL, or has got it.
    pub(super) fn is_in_transaction(&self) -> bool {
        let asked = || {
            self.asked
                .iter()
                .any(|asked| matches!(asked, Asked::Mail(_)))
        };
        self.is_in_message()
            || self.mail.is_some()
            || self.state == SessionState::Commands && asked()
    }

    /// Returns true if the client may send content, or has sent it. A stop waits for this message only.
    pub fn is_in_message(&self) -> bool {
        !matches!(
            self.state,
            SessionState::Opening | SessionState::Commands | SessionState::Closed
        )
    }

    /// Returns true if a message is judged or sent to the next hop.
    pub fn is_settling(&self) -> bool {
        matches!(
            self.state,
            SessionState::Judging
                | SessionState::AskedData
                | SessionState::Sending
                | SessionState::Ending(_)
        )
    }

    /// Returns true if content is arriving.
    pub fn is_in_content(&self) -> bool {
        self.state == SessionState::Content
    }

    /// Returns true if the next hop has a complete message and owes the final reply.
    pub fn is_ending(&self) -> bool {
        matches!(self.state, SessionState::Ending(_))
    }

    /// Returns true if a command line is incomplete.
    pub fn is_within_line(&self) -> bool {
        self.state == SessionState::Commands && self.client.lines.is_within()
    }

    /// Returns true if there is unprocessed input of the client.
    pub(super) fn has_more(&self) -> bool {
        self.client.lines.is_within()
    }

    /// Returns true if the client has greeted.
    pub fn is_greeted(&self) -> bool {
        self.hello.is_some()
    }

    /// Returns why SMTP cannot carry the message.
    pub fn unacceptable(&self) -> Option<Unacceptable> {
        self.client.content.unacceptable()
    }

    /// Returns true if line ends of the message were corrected.
    pub fn has_corrected_line_ends(&self) -> bool {
        self.client.content.has_corrected_line_ends()
    }

    /// Returns how many bytes the corrected line ends have added to the message.
    pub(super) fn grown(&self) -> i64 {
        self.client.content.grown()
    }

    /// Processes the input as far as possible.
    pub fn step(&mut self) -> Step {
        loop {
            let step = match self.state {
                SessionState::Closed => Some(Step::Close),
                SessionState::Opening => self.open(),
                SessionState::Commands => self.commands(),
                SessionState::Content => self.read_content(),
                SessionState::Judging => Some(Step::Judge),
                SessionState::Sending => Some(Step::Send),
                SessionState::AskedData | SessionState::Ending(_) => self.finish(),
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Ends a message that was judged. Does nothing if none was.
    pub fn decide(&mut self, verdict: ProxyVerdict<'_>) {
        if self.state != SessionState::Judging {
            return;
        }
        match verdict {
            ProxyVerdict::Deliver => {
                self.delivery = Delivery::default();
                self.hop.out.extend_from_slice(b"DATA\r\n");
                self.state = SessionState::AskedData;
            }
            ProxyVerdict::Refuse(code, words) => {
                self.reply_to_all(&ReplyLines::own(code, words));
                self.forget_in_hop();
                self.end_message();
            }
        }
    }

    fn commands(&mut self) -> Option<Step> {
        if let Some(Asked::Local(reply)) = self.asked.front() {
            self.client.write_reply(reply);
            self.asked.pop_front();
            return None;
        }
        if !self.asked.is_empty() {
            if self.hop.stage == HopStage::Absent {
                return Some(Step::Connect);
            }
            match self.hop.next_reply() {
                Ok(Some(reply)) => return self.take_reply(&reply),
                Ok(None) => (),
                Err(bad) => return self.bad_reply(bad),
            }
        } else if !self.hop.replies.is_empty() {
            return self.bad_reply(BadReply::Unasked);
        } else if self.stopping {
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
        self.state = SessionState::Commands;
    }

    /// Forgets the values of XFORWARD, which hold for one message (Postfix's XFORWARD_README).
    fn forget_envelope(&mut self) {
        (self.mail, self.accepted) = (None, Vec::new());
        (self.queue_id, self.peer) = (Vec::new(), None);
    }

    /// Resets the envelope after a message.
    fn forget(&mut self) {
        self.forget_envelope();
        self.hop.clean = true;
    }

    fn leave(&mut self, code: u16, words: &str) -> Option<Step> {
        self.client.write_reply(&ReplyLines::own(code, words));
        self.state = SessionState::Closed;
        None
    }
}
