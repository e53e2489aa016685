//! The client's side of a session: its commands, its content, and its replies.
//!
//! # Limits
//! The next hop judges the arguments of commands, except parameters that were not announced.

use super::client_state::WaitingCommand;
use super::state::{Asked, ProxySession, SessionState, Step};
use crate::proxy::command::{Mail, Verb, forwarded, recipient};
use crate::proxy::content::Content;
use crate::proxy::lines::CommandLine;
use crate::proxy::reply::ReplyLines;
use std::mem;

/// Maximum number of commands that wait for their replies.
const BATCH: usize = 100;
/// Maximum bytes of commands that wait for their replies.
const BATCH_BYTES: usize = 65_536;
/// Number of wrong commands after which a client is disconnected.
const MISTAKES: u32 = 20;

impl ProxySession {
    /// Returns true if the session can accept one more command.
    pub(super) fn has_room(&self) -> bool {
        let waiting = self.asked.len();
        let alone =
            !self.announced.pipelining || matches!(self.asked.back(), Some(Asked::Hello(_)));
        self.client.held.is_none()
            && waiting < (if alone { 1 } else { BATCH })
            && self.hop.waiting() < BATCH_BYTES
    }

    /// Handles a command: passes it to the next hop, queues an own reply, or delays it until everything before it is answered.
    pub(super) fn command(&mut self, line: CommandLine) {
        let verb = if let CommandLine::Whole(line) = &line {
            Verb::of(line)
        } else {
            Verb::Unknown
        };
        if mem::take(&mut self.client.refused_data) && verb == Verb::Unknown {
            // The client did not wait for 354. None of its content may become a command.
            self.client.held = Some(WaitingCommand::Leave(ReplyLines::own(
                421,
                "4.7.0 No data were asked for",
            )));
            return;
        }
        let line = match line {
            CommandLine::Whole(line) => line,
            CommandLine::TooLong => return self.mistake(500, "5.5.2 Line too long"),
            CommandLine::Unclean => {
                return self.mistake(
                    500,
                    "5.5.2 A line ends with CRLF and has no CR, LF or NUL in it",
                );
            }
        };
        let greeted = self.hello.is_some();
        match verb {
            Verb::Lhlo if self.options.lmtp => self.client.held = Some(WaitingCommand::Hello(line)),
            Verb::Helo | Verb::Ehlo if !self.options.lmtp => {
                self.client.held = Some(WaitingCommand::Hello(line));
            }
            Verb::Noop => self.say(250, "2.0.0 Ok"),
            Verb::Help => self.say(214, "2.0.0 See RFC 5321"),
            Verb::Quit => self.client.held = Some(WaitingCommand::Quit),
            Verb::Bdat => {
                // What follows is content, and where it ends is not known here.
                self.client.held = Some(WaitingCommand::Leave(ReplyLines::own(
                    421,
                    "4.7.0 BDAT was not announced",
                )));
            }
            Verb::Reset if !greeted => self.say(250, "2.0.0 Ok"),
            Verb::Mail | Verb::Rcpt | Verb::Data | Verb::Verify | Verb::Forward if !greeted => {
                self.mistake(503, "5.5.1 Say hello first");
                self.client.refused_data = verb == Verb::Data;
            }
            Verb::Data if line.trim_ascii_end().len() > 4 => {
                self.mistake(501, "5.5.4 DATA has no argument");
                self.client.refused_data = true;
            }
            Verb::Data => self.client.held = Some(WaitingCommand::Data),
            Verb::Mail => {
                let mail = Mail::read(&line);
                if mail.binary {
                    self.mistake(555, "5.5.4 BODY=BINARYMIME was not announced");
                } else {
                    self.ask(&line, Asked::Mail(mail));
                }
            }
            Verb::Rcpt => self.ask(&line, Asked::Recipient(recipient(&line).to_vec())),
            Verb::Reset => self.ask(&line, Asked::Reset),
            Verb::Verify => self.ask(&line, Asked::Other),
            Verb::Forward if self.announced.forward.is_some() => {
                let attributes =
                    ["IDENT", "ADDR"].map(|name| forwarded(&line, name).map(<[u8]>::to_vec));
                self.ask(&line, Asked::Forward(attributes));
            }
            Verb::Helo | Verb::Ehlo | Verb::Lhlo | Verb::Unknown => {
                self.mistake(500, "5.5.1 Command unknown");
            }
            Verb::Forward | Verb::Unoffered => self.mistake(502, "5.5.1 Command not implemented"),
        }
    }

    /// Sends a line to the next hop.
    fn ask(&mut self, line: &[u8], asked: Asked) {
        let waits = self
            .asked
            .iter()
            .any(|asked| !matches!(asked, Asked::Local(_)));
        self.hop.ask(line, waits);
        self.asked.push_back(asked);
    }

    /// Queues a reply of the proxy. The client gets it after the replies to all earlier commands.
    fn say(&mut self, code: u16, words: &str) {
        self.asked
            .push_back(Asked::Local(ReplyLines::own(code, words)));
    }

    fn mistake(&mut self, code: u16, words: &str) {
        self.client.mistakes += 1;
        self.say(code, words);
        if self.client.mistakes > MISTAKES {
            self.client.held = Some(WaitingCommand::Leave(ReplyLines::own(
                421,
                "4.7.0 Too many errors",
            )));
        }
    }

    /// Everything before it is answered.
    pub(super) fn run_held(&mut self, held: WaitingCommand) -> Option<Step> {
        match held {
            WaitingCommand::Hello(line) => self.ask(&line.clone(), Asked::Hello(line)),
            WaitingCommand::Data if self.mail.is_none() || self.accepted.is_empty() => {
                let words = if self.mail.is_none() {
                    "5.5.1 MAIL first"
                } else {
                    "5.5.1 No valid recipients"
                };
                self.mistake(
                    if self.mail.is_some() && !self.options.lmtp {
                        554
                    } else {
                        503
                    },
                    words,
                );
                self.client.refused_data = true;
            }
            WaitingCommand::Data => {
                self.client
                    .write_reply(&ReplyLines::own(354, "End data with <CR><LF>.<CR><LF>"));
                self.client.content = Content::new(self.options.bare_lines);
                self.state = SessionState::Content;
            }
            WaitingCommand::Quit => {
                self.hop.quit();
                self.client.write_reply(&ReplyLines::own(221, "2.0.0 Bye"));
                self.state = SessionState::Closed;
            }
            WaitingCommand::Leave(reply) => {
                self.client.write_reply(&reply);
                self.state = SessionState::Closed;
            }
        }
        None
    }

    pub(super) fn read_content(&mut self) -> Option<Step> {
        let (used, ended) = self
            .client
            .content
            .read(self.client.lines.rest(), &mut self.client.text);
        self.client.lines.take(used);
        if !ended {
            return Some(Step::Client);
        }
        self.state = SessionState::Judging;
        None
    }
}
