//! Next hops: one that follows RFC 5321 strictly and fails on request, and one that replies with any bytes.
//!
//! # Limits
//! They have no clock. A next hop that stays silent closes.

use crate::driver::FuzzNextHop;
use std::collections::VecDeque;

/// How the next hop treats one command, a greeting, or the end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Normal,
    /// Replies in several lines. In LMTP, it defers each second recipient of a message.
    Several,
    Defer,
    Refuse,
    /// Replies 421 and closes.
    Closing,
    /// Replies 421 and stays.
    Staying,
    CloseBefore,
    /// Executes the command, then closes without a reply.
    CloseAfter,
    /// Executes the command, then sends a malformed reply.
    Malformed,
    /// Sends a reply of the wrong class.
    Wrong,
    /// Executes the command, then closes within the reply.
    Cut,
    /// Sends one reply too many.
    Extra,
    /// Closes within the content. With the greeting, it announces no extensions on this connection.
    Content,
}

impl Mood {
    pub(crate) const ALL: [Self; 13] = [
        Self::Normal,
        Self::Several,
        Self::Defer,
        Self::Refuse,
        Self::Closing,
        Self::Staying,
        Self::CloseBefore,
        Self::CloseAfter,
        Self::Malformed,
        Self::Wrong,
        Self::Cut,
        Self::Extra,
        Self::Content,
    ];

    /// Returns true if the connection survives and the session is not out of step.
    pub(crate) fn is_regular(self) -> bool {
        matches!(
            self,
            Self::Normal | Self::Several | Self::Defer | Self::Refuse
        )
    }

    fn executes(self) -> bool {
        !matches!(
            self,
            Self::Defer
                | Self::Refuse
                | Self::Closing
                | Self::Staying
                | Self::CloseBefore
                | Self::Wrong
        )
    }
}

/// A command that the next hop read. Its reply names its index in the log.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) connection: usize,
    pub(crate) line: Vec<u8>,
}

/// A DATA command, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// Number of the message that the session was delivering.
    pub(crate) message: usize,
    pub(crate) mail: Vec<u8>,
    pub(crate) recipients: Vec<Vec<u8>>,
    /// The reply to DATA.
    pub(crate) data: Vec<u8>,
    /// The complete text, without dot-stuffing.
    pub(crate) text: Option<Vec<u8>>,
    pub(crate) accepted: bool,
    /// Complete replies after the end of the content.
    pub(crate) finals: Vec<Vec<u8>>,
}

/// A strict next hop, over all its connections.
#[derive(Debug, Default)]
pub(crate) struct Strict {
    lmtp: bool,
    extensions: Vec<&'static str>,
    pub(crate) moods: VecDeque<Mood>,
    pub(crate) greetings: VecDeque<Mood>,
    pub(crate) log: Vec<Logged>,
    pub(crate) attempts: Vec<Attempt>,
    /// The first violation of the protocol by the session.
    pub(crate) fault: Option<String>,
    /// True after a reply that no command asked for. Later replies may meet the wrong command.
    pub(crate) out_of_turn: bool,
    /// Each reply is read before the next command is sent.
    pub(crate) answers_one_by_one: bool,
    pub(crate) connections: usize,
    /// Connections that announce no extensions.
    pub(crate) plain_connections: Vec<usize>,
    closed: bool,
    replies: Vec<u8>,
    bytes: Vec<u8>,
    in_content: bool,
    closes_in_content: bool,
    greeted: bool,
    mail: Option<Vec<u8>>,
    recipients: Vec<Vec<u8>>,
}

impl Strict {
    pub(crate) fn new(lmtp: bool, extensions: &[&'static str]) -> Self {
        Self {
            lmtp,
            extensions: extensions.to_vec(),
            ..Self::default()
        }
    }

    fn complain(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    fn forget(&mut self) {
        (self.mail, self.recipients) = (None, Vec::new());
    }

    /// Returns the code of a normal reply. Changes no state.
    fn code(&self, verb: &[u8]) -> u16 {
        match verb {
            b"EHLO" | b"HELO" if !self.lmtp => 250,
            b"LHLO" if self.lmtp => 250,
            b"RSET" => 250,
            b"QUIT" => 221,
            b"VRFY" => 252,
            _ if !self.greeted => 503,
            b"XFORWARD" if self.mail.is_none() => 250,
            b"MAIL" if self.mail.is_none() => 250,
            b"RCPT" if self.mail.is_some() => 250,
            b"DATA" if self.mail.is_some() && !self.recipients.is_empty() => 354,
            b"MAIL" | b"RCPT" | b"DATA" | b"XFORWARD" => 503,
            _ => 500,
        }
    }

    fn command(&mut self, line: Vec<u8>, message: usize) {
        let end = line.iter().position(|byte| *byte == b' ');
        let verb = line[..end.unwrap_or(line.len())].to_ascii_uppercase();
        let number = self.log.len();
        self.log.push(Logged {
            connection: self.connections,
            line: line.clone(),
        });
        let mood = self.moods.pop_front().unwrap_or(Mood::Normal);
        let code = self.code(&verb);
        if verb == b"DATA" {
            self.attempts.push(Attempt {
                message,
                mail: self.mail.clone().unwrap_or_default(),
                recipients: self.recipients.clone(),
                data: Vec::new(),
                text: None,
                accepted: false,
                finals: Vec::new(),
            });
            if code != 354 {
                self.complain("DATA outside a transaction".into());
            }
        }
        if mood.executes() && code < 400 {
            match verb.as_slice() {
                b"EHLO" | b"HELO" | b"LHLO" => {
                    self.greeted = true;
                    self.forget();
                }
                b"RSET" => self.forget(),
                b"MAIL" => self.mail = Some(line),
                b"RCPT" => self.recipients.push(line),
                b"DATA" => self.in_content = true,
                _ => (),
            }
        }
        self.closes_in_content = mood == Mood::Content && self.in_content;
        let mut texts = vec![format!("2.0.0 text #{number}")];
        if verb == b"EHLO" || verb == b"LHLO" {
            texts = vec![format!("hop.invalid #{number}")];
            if !self.plain_connections.contains(&self.connections) {
                texts.extend(self.extensions.iter().map(ToString::to_string));
            }
        } else if mood == Mood::Several {
            // After HELO no line announces anything.
            let is_helo = verb == b"HELO";
            let second = if is_helo {
                "XFORWARD NAME ADDR IDENT"
            } else {
                "second line"
            };
            texts.push(second.into());
        }
        let reply = match (mood, code) {
            (Mood::Defer, ..) => one(451, &format!("4.0.0 Later #{number}")),
            (Mood::Refuse, ..) => one(550, &format!("5.0.0 No #{number}")),
            (Mood::Wrong, 354) => one(250, &format!("2.0.0 Wrong #{number}")),
            (Mood::Wrong, _) => one(354, &format!("Wrong #{number}")),
            (_, 400..) => one(code, &format!("5.5.1 Sequence #{number}")),
            _ => several(code, &texts),
        };
        let from = self.replies.len();
        self.put(mood, &reply, number);
        if verb == b"DATA"
            && let Some(attempt) = self.attempts.last_mut()
        {
            attempt.data = self.replies[from..].to_vec();
        }
        self.closed |= verb == b"QUIT";
    }

    /// Sends a reply as the mood has it.
    fn put(&mut self, mood: Mood, reply: &[u8], number: usize) {
        match mood {
            Mood::Closing | Mood::Staying => {
                self.replies
                    .extend(one(421, &format!("4.3.2 Closing #{number}")));
                self.closed |= mood == Mood::Closing;
            }
            Mood::CloseBefore | Mood::CloseAfter => self.closed = true,
            Mood::Malformed => self.replies.extend(b"25x what\r\n"),
            Mood::Cut => {
                self.replies.extend(&reply[..reply.len() / 2]);
                self.closed = true;
            }
            Mood::Extra => {
                self.replies.extend(reply);
                self.replies.extend(b"250 2.0.0 Out of turn\r\n");
                self.out_of_turn = true;
            }
            _ => self.replies.extend(reply),
        }
    }

    /// Reads content to its end. Returns false if more must come.
    fn content(&mut self) -> bool {
        if self.closes_in_content && self.bytes.len() > 3 {
            self.closed = true;
            return false;
        }
        let whole = [b"\r\n", &*self.bytes].concat();
        let Some(end) = memchr::memmem::find(&whole, b"\r\n.\r\n") else {
            return false;
        };
        self.bytes.drain(..end + 3);
        let mut text = Vec::new();
        for line in whole[2..(end + 2).max(2)].split_inclusive(|byte| *byte == b'\n') {
            let inner = line.strip_suffix(b"\r\n").unwrap_or(line);
            let bare = inner.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
            let plain = inner.strip_prefix(b".").unwrap_or(inner);
            if bare
                || inner.len() == line.len()
                || inner.starts_with(b".") && !plain.starts_with(b".")
            {
                self.complain(format!("content line {}", line.escape_ascii()));
            }
            text.extend_from_slice(plain);
            text.extend_from_slice(b"\r\n");
        }
        (self.in_content, self.closes_in_content) = (false, false);
        let mood = self.moods.pop_front().unwrap_or(Mood::Normal);
        let shares = if self.lmtp { self.recipients.len() } else { 1 };
        let number = self.log.len();
        self.log.push(Logged {
            connection: self.connections,
            line: b".".to_vec(),
        });
        self.forget();
        let mut finals = Vec::new();
        for share in 0..shares {
            let name = format!("{share} #{number}");
            let reply = match mood {
                Mood::Defer => one(452, &format!("4.0.0 Later {name}")),
                Mood::Refuse => several(554, &["5.0.0 No".into(), format!("5.0.0 Never {name}")]),
                Mood::Wrong => one(354, &format!("Again {name}")),
                Mood::Several if share % 2 == 1 => one(450, &format!("4.0.0 Half {name}")),
                Mood::Several => several(250, &[format!("2.0.0 Kept {name}"), "Yes".into()]),
                _ => one(250, &format!("2.0.0 Kept {name}")),
            };
            let start = self.replies.len();
            let last = share + 1 == shares;
            // A reply is cut or doubled behind the last recipient.
            let mood = match mood {
                Mood::Cut | Mood::Extra if !last => Mood::Normal,
                mood => mood,
            };
            self.put(mood, &reply, number);
            let said = self.replies[start..].to_vec();
            if said.ends_with(b"\r\n") && mood != Mood::Extra {
                finals.push(said);
            }
            if self.closed {
                break;
            }
        }
        if mood == Mood::Malformed || mood == Mood::Wrong {
            finals.clear();
        }
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.text = Some(text);
            attempt.accepted = mood.executes();
            attempt.finals = finals;
        }
        true
    }
}

impl FuzzNextHop for Strict {
    fn connect(&mut self) -> bool {
        self.connections += 1;
        (self.replies, self.bytes) = (Vec::new(), Vec::new());
        (self.in_content, self.greeted, self.closed) = (false, false, false);
        self.forget();
        let reply = match self.greetings.pop_front().unwrap_or(Mood::Normal) {
            Mood::Several => several(220, &["hop.invalid ESMTP".into(), "hello".into()]),
            Mood::Defer => one(421, "4.3.2 Not now"),
            Mood::Refuse => one(554, "5.3.2 Never"),
            Mood::Closing => return false,
            Mood::Malformed => b"hello\r\n".to_vec(),
            Mood::Wrong => one(250, "hop.invalid"),
            Mood::Cut | Mood::CloseBefore => {
                self.closed = true;
                b"220 hop".to_vec()
            }
            Mood::Content => {
                self.plain_connections.push(self.connections);
                one(220, "hop.invalid SMTP")
            }
            Mood::Extra => {
                self.out_of_turn = true;
                b"220 hop.invalid ESMTP\r\n250 2.0.0 Out of turn\r\n".to_vec()
            }
            _ => one(220, "hop.invalid ESMTP"),
        };
        self.replies = reply;
        true
    }

    fn write(&mut self, bytes: &[u8], message: usize) {
        if self.closed {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        while !self.closed {
            if self.in_content {
                if !self.content() {
                    return;
                }
                continue;
            }
            let Some(end) = memchr::memchr(b'\n', &self.bytes) else {
                if !self.bytes.is_empty() {
                    self.complain(format!("half a line {}", self.bytes.escape_ascii()));
                }
                return;
            };
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let Some(inner) = strict_line(&line) else {
                self.complain(format!("command line {}", line.escape_ascii()));
                return;
            };
            self.command(inner.to_vec(), message);
        }
    }

    fn read(&mut self, most: usize) -> Option<Vec<u8>> {
        if self.replies.is_empty() {
            if !self.closed {
                self.complain("the session waits for a reply that is not due".into());
            }
            return None;
        }
        let count = most.clamp(1, self.replies.len());
        Some(self.replies.drain(..count).collect())
    }
}

/// Returns a command line without its CRLF if RFC 5321 allows it.
pub(crate) fn strict_line(line: &[u8]) -> Option<&[u8]> {
    let inner = line.strip_suffix(b"\r\n").filter(|_| line.len() <= 4_096)?;
    let clean = !inner.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    clean.then_some(inner)
}

fn one(code: u16, text: &str) -> Vec<u8> {
    format!("{code} {text}\r\n").into_bytes()
}

fn several(code: u16, texts: &[String]) -> Vec<u8> {
    let last = texts.len().saturating_sub(1);
    let lines = texts.iter().enumerate().map(|(at, text)| {
        let mark = if at < last { '-' } else { ' ' };
        format!("{code}{mark}{text}\r\n")
    });
    lines.collect::<String>().into_bytes()
}

/// A next hop that replies with given bytes, in any order.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    /// Replies of each connection. The last entry ends all of them.
    connections: VecDeque<Vec<u8>>,
    replies: Vec<u8>,
    /// Commands that it got.
    pub(crate) commands: Vec<u8>,
    /// Bytes that the session read.
    pub(crate) said: Vec<u8>,
}

impl Raw {
    pub(crate) fn new(connections: VecDeque<Vec<u8>>) -> Self {
        Self {
            connections,
            ..Self::default()
        }
    }
}

impl FuzzNextHop for Raw {
    fn connect(&mut self) -> bool {
        let next = self.connections.pop_front();
        let is_there = next.is_some();
        self.replies = next.unwrap_or_default();
        is_there
    }

    fn write(&mut self, bytes: &[u8], _: usize) {
        self.commands.extend_from_slice(bytes);
    }

    fn write_content(&mut self, _: &[u8], _: usize) {}

    fn read(&mut self, most: usize) -> Option<Vec<u8>> {
        if self.replies.is_empty() {
            return None;
        }
        let count = most.clamp(1, self.replies.len());
        let bytes: Vec<u8> = self.replies.drain(..count).collect();
        self.said.extend_from_slice(&bytes);
        Some(bytes)
    }

    fn said(&self) -> usize {
        self.said.len()
    }
}
