//! The next hop's side of a session: its replies, and the commands that are repeated after a lost connection.
//!
//! # Limits
//! Reconnects once for a command, and never within a message.

use super::next_hop::HopStage;
use super::state::{Asked, ProxySession, SHUTTING_DOWN, SessionState, Step};
use crate::next_hop_fault::{BadReply, HopFault};
use crate::proxy::capabilities::Capabilities;
use crate::proxy::command::Verb;
use crate::proxy::reply::ReplyLines;
use std::mem;

impl ProxySession {
    /// Before the client was greeted.
    pub(super) fn open(&mut self) -> Option<Step> {
        if self.hop.stage == HopStage::Absent {
            return Some(Step::Connect);
        }
        match self.hop.next_reply() {
            Ok(None) => Some(Step::Hop),
            Ok(Some(reply)) if reply.code == 220 => {
                let first = reply.texts.first().map_or(&[][..], Vec::as_slice);
                let name = first
                    .split(|byte| *byte == b' ')
                    .next()
                    .filter(|name| !name.is_empty());
                let protocol: &[u8] = if self.options.lmtp {
                    b" LMTP"
                } else {
                    b" ESMTP"
                };
                let text = [name.unwrap_or(b"localhost"), protocol].concat();
                ReplyLines {
                    code: 220,
                    texts: vec![text],
                }
                .write(&mut self.client.out);
                (self.hop.stage, self.state) = (HopStage::Ready, SessionState::Commands);
                None
            }
            // Some servers greet with 5xx when they are only temporarily unavailable, so the client gets a 4xx.
            Ok(Some(_)) => self.lose(HopFault::Refuses),
            Err(bad) => self.bad_reply(bad),
        }
    }

    /// Handles a reply to a command that waits.
    pub(super) fn take_reply(&mut self, reply: &ReplyLines) -> Option<Step> {
        if !self.hop.is_ready() && !self.hop.replies.is_empty() {
            // No command was sent yet. A second reply would count as the answer to the first command.
            return self.bad_reply(BadReply::Unasked);
        }
        match self.hop.stage {
            HopStage::Greeting if reply.code == 220 => {
                let line = self.hello.clone().unwrap_or_default();
                if line.is_empty() {
                    self.hop.resume();
                } else {
                    self.hop.greet_anew(&line);
                }
                return None;
            }
            HopStage::Hello
                if reply.is_positive() && Capabilities::read(reply).covers(&self.announced) =>
            {
                self.hop.resume();
                return None;
            }
            HopStage::Ready => (),
            // The extensions differ from those before.
            HopStage::Absent | HopStage::Greeting | HopStage::Hello => {
                return self.lose(HopFault::Refuses);
            }
        }
        if reply.code == 421 {
            if self.hop.again.is_none() {
                self.client.write_reply(reply);
                self.fault = Some(HopFault::Closing);
                self.state = SessionState::Closed;
                return None;
            }
            return self.lose(HopFault::Closing);
        }
        if !reply.is_final() {
            return self.bad_reply(BadReply::Malformed);
        }
        let positive = reply.is_positive();
        if !positive && matches!(self.asked.front(), Some(Asked::Quiet)) {
            // RSET failed. The old transaction must not mix with the next message.
            return self.lose(HopFault::Refuses);
        }
        self.hop.again = None;
        match self.asked.pop_front() {
            Some(Asked::Hello(line)) if positive => self.greet(line, reply),
            Some(Asked::Quiet) => self.hop.clean = true,
            Some(asked) => {
                self.client.write_reply(reply);
                match asked {
                    Asked::Mail(mail) => {
                        self.hop.clean = false;
                        if positive {
                            (self.mail, self.accepted) = (Some(mail), Vec::new());
                        }
                    }
                    Asked::Recipient(path) if positive => self.accepted.push(path),
                    Asked::Recipient(_) => (),
                    Asked::Reset if positive => self.forget(),
                    Asked::Forward([id, peer]) if positive => {
                        self.hop.clean = false;
                        self.queue_id = id.unwrap_or_else(|| mem::take(&mut self.queue_id));
                        self.peer = peer.or(self.peer.take()).filter(|peer| !peer.is_empty());
                    }
                    _ => self.hop.clean = false,
                }
            }
            None => return self.bad_reply(BadReply::Unasked),
        }
        None
    }

    /// Handles the next hop's acceptance of EHLO, LHLO or HELO.
    fn greet(&mut self, line: Vec<u8>, reply: &ReplyLines) {
        // HELO announces no extensions, so the client may use none.
        let esmtp = Verb::of(&line) != Verb::Helo;
        self.announced = if esmtp {
            Capabilities::read(reply)
        } else {
            Capabilities::default()
        };
        let reply = if esmtp {
            self.announced.reply(reply)
        } else {
            reply.clone()
        };
        self.client.write_reply(&reply);
        self.hello = Some(line);
        self.forget();
    }

    /// Handles a final reply of the next hop to a message.
    pub(super) fn finish(&mut self) -> Option<Step> {
        let reply = match self.hop.next_reply() {
            Ok(None) => return Some(Step::Hop),
            Ok(Some(reply)) => reply,
            Err(bad) => return self.bad_reply(bad),
        };
        match self.state {
            SessionState::AskedData if reply.code == 354 => {
                if !self.hop.replies.is_empty() {
                    // A reply to a message that the next hop does not have.
                    return self.bad_reply(BadReply::Unasked);
                }
                self.state = SessionState::Sending;
            }
            SessionState::AskedData if matches!(reply.code / 100, 4 | 5) => {
                self.count(&reply, self.shares());
                self.reply_to_all(&reply);
                self.forget_in_hop();
                self.end_message();
                self.close_with(&reply);
            }
            SessionState::Ending(left) if reply.is_final() => {
                self.client.write_reply(&reply);
                self.count(&reply, 1);
                if left > 1 {
                    self.state = SessionState::Ending(left - 1);
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

    /// Returns the number of final replies for a message: one, or one for each recipient.
    pub(super) fn shares(&self) -> usize {
        if self.options.lmtp {
            self.accepted.len()
        } else {
            1
        }
    }

    fn count(&mut self, reply: &ReplyLines, shares: usize) {
        let recipients = if self.options.lmtp {
            shares
        } else {
            self.accepted.len()
        };
        match reply.code / 100 {
            2 => self.delivery.taken += recipients,
            5 => self.delivery.refused += recipients,
            _ => self.delivery.deferred += recipients,
        }
    }

    /// Replies about the whole message: once, or in LMTP once for each recipient.
    pub(super) fn reply_to_all(&mut self, reply: &ReplyLines) {
        for _ in 0..self.shares() {
            self.client.write_reply(reply);
        }
    }

    /// Drops the transaction at the next hop.
    pub(super) fn forget_in_hop(&mut self) {
        if self.hop.reset() {
            self.asked.push_back(Asked::Quiet);
        }
    }

    /// Handles a 421: the next hop closes, and so does the proxy.
    fn close_with(&mut self, reply: &ReplyLines) {
        if reply.code == 421 {
            self.fault = Some(HopFault::Closing);
            self.state = SessionState::Closed;
        }
    }

    pub(super) fn bad_reply(&mut self, bad: BadReply) -> Option<Step> {
        self.hop.again = None;
        self.lose(HopFault::Reply(bad))
    }

    /// Handles the loss of the next hop. Confirms nothing that the next hop did not confirm.
    pub(super) fn lose(&mut self, fault: HopFault) -> Option<Step> {
        let (known, began) = (self.hop.is_ready(), self.is_in_message());
        self.hop.lost();
        match self.state {
            SessionState::AskedData | SessionState::Sending | SessionState::Ending(_) => {
                let left = if let SessionState::Ending(left) = self.state {
                    left
                } else {
                    self.shares()
                };
                for _ in 0..left {
                    self.client
                        .write_reply(&ReplyLines::own(451, "4.4.2 Lost the next hop"));
                }
                self.delivery.deferred += if self.options.lmtp {
                    left
                } else {
                    self.accepted.len()
                };
                self.delivery.lost = true;
                self.fault = Some(fault);
                self.hop.clean = true;
                self.end_message();
            }
            // Everything was said.
            SessionState::Closed => (),
            // It was ended from here, that nobody waits for it.
            _ if self.stopping && !began => return self.leave(421, SHUTTING_DOWN),
            // Nobody misses it before the next command.
            SessionState::Commands
                if self.asked.is_empty() && self.mail.is_none() && self.hop.clean => {}
            SessionState::Commands
                if matches!(self.asked.front(), Some(Asked::Quiet)) && self.asked.len() == 1 =>
            {
                self.asked.clear();
                self.hop.clean = true;
            }
            // It went away between two messages: once more, with another connection.
            SessionState::Commands if known && self.hop.again.is_some() => (),
            _ => {
                self.fault = Some(fault);
                return self.leave(421, "4.3.0 The next hop is not available");
            }
        }
        None
    }
}
