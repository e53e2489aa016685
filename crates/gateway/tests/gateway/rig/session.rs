//! A proxy session with its client and its next hop, without I/O.
//!
//! # Limits
//!
//! The client sends all that it has to say and waits for no reply.

use super::{HopConnection, Kept, Manner};
use mailglot_gateway::proxy::{Delivery, Options, ProxySession, ProxyVerdict, Step, Stuffer};

/// Both sides of a session. Only the first connection of a next hop is in its manner; later ones are faultless.
pub(crate) struct SessionWorld {
    session: ProxySession,
    manner: Manner,
    hop: Option<HopConnection>,
    answers: Vec<u8>,
    /// What the client heard.
    pub(crate) heard: Vec<u8>,
    pub(crate) commands: Vec<String>,
    pub(crate) kept: Vec<Kept>,
    deliveries: Vec<Delivery>,
    text: Vec<u8>,
    /// Name and client of each message that was complete, as XFORWARD told them.
    pub(crate) forwarded: Vec<(String, Option<String>)>,
    pub(crate) connections: usize,
}

impl SessionWorld {
    pub(crate) fn new(options: Options, manner: Manner) -> Self {
        Self {
            session: ProxySession::new(options),
            manner,
            hop: None,
            answers: Vec::new(),
            heard: Vec::new(),
            commands: Vec::new(),
            kept: Vec::new(),
            deliveries: Vec::new(),
            text: Vec::new(),
            forwarded: Vec::new(),
            connections: 0,
        }
    }

    /// Runs to the end: client's bytes in pieces of `step`, the next hop's in pieces of `back`.
    pub(crate) fn run(&mut self, input: &[u8], step: usize, back: usize) {
        let mut pieces = input.chunks(step.max(1));
        for _ in 0..20 * (input.len() + 1_000) {
            let next = self.session.step();
            self.text.extend(self.session.take_text());
            if !self.session.is_settling() {
                let delivery = self.session.delivery();
                if self.deliveries.last() != Some(&delivery) {
                    self.deliveries.push(delivery);
                }
            }
            let out = self.session.take_hop();
            self.give(&out);
            self.heard.extend(self.session.take_client());
            match next {
                Step::Client => match pieces.next() {
                    Some(piece) => self.session.client(piece),
                    None => self.session.client_gone(),
                },
                Step::Hop => {
                    if self.answers.is_empty() {
                        assert!(
                            self.hop.as_ref().is_none_or(|hop| hop.dead),
                            "waits for a word that was not asked for"
                        );
                        self.end_hop();
                        self.session.hop_lost();
                    } else {
                        let count = back.clamp(1, self.answers.len());
                        let piece: Vec<u8> = self.answers.drain(..count).collect();
                        self.session.hop(&piece);
                    }
                }
                Step::Connect => {
                    self.end_hop();
                    let manner = if self.connections == 0 {
                        self.manner.clone()
                    } else {
                        Manner {
                            death: None,
                            ..self.manner.clone()
                        }
                    };
                    self.connections += 1;
                    let mut hop = HopConnection::new(manner);
                    self.answers = hop.greet();
                    self.hop = Some(hop);
                    self.session.connected();
                }
                Step::Judge => {
                    let (_, id, peer) = self.session.envelope();
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    self.forwarded.push((text(id), peer.map(text)));
                    let verdict = match self.session.unacceptable() {
                        Some(_) => ProxyVerdict::Refuse(550, "5.5.2 Unacceptable"),
                        None if self.text.starts_with(b"Refuse") => {
                            ProxyVerdict::Refuse(550, "5.6.0 Refused")
                        }
                        None => ProxyVerdict::Deliver,
                    };
                    if verdict != ProxyVerdict::Deliver {
                        self.text.clear();
                    }
                    self.session.decide(verdict);
                }
                Step::Send => {
                    let (mut stuffer, mut out) = (Stuffer::default(), Vec::new());
                    stuffer.write(&std::mem::take(&mut self.text), &mut out);
                    stuffer.finish(&mut out);
                    self.give(&out);
                    self.session.sent();
                }
                Step::Close => {
                    self.end_hop();
                    return;
                }
            }
        }
        panic!("does not end");
    }

    fn give(&mut self, bytes: &[u8]) {
        if let Some(hop) = self.hop.as_mut().filter(|hop| !hop.dead) {
            self.answers.extend(hop.feed(bytes));
        }
    }

    fn end_hop(&mut self) {
        if let Some(hop) = self.hop.take() {
            self.kept.extend(hop.kept);
            self.commands.extend(hop.heard);
        }
        self.answers.clear();
    }

    /// The codes that the client heard; one for each reply.
    pub(crate) fn codes(&self) -> Vec<u16> {
        let mut codes = Vec::new();
        for line in String::from_utf8_lossy(&self.heard).split_terminator("\r\n") {
            let (code, rest) = line.split_at(3);
            if !rest.starts_with('-') {
                codes.push(code.parse().unwrap());
            }
        }
        codes
    }
}

pub(crate) fn run_dialogue(input: &[u8], manner: &Manner) -> SessionWorld {
    let mut world = SessionWorld::new(
        Options {
            lmtp: manner.lmtp,
            ..Options::default()
        },
        manner.clone(),
    );
    world.run(input, usize::MAX, usize::MAX);
    world
}

/// Two messages over SMTP.
pub(crate) const TWO_MESSAGES: &[u8] = b"EHLO client\r\nXFORWARD NAME=a ADDR=192.0.2.1 IDENT=q1\r\nMAIL FROM:<a@b.invalid> SIZE=10 BODY=8BITMIME\r\n\
    RCPT TO:<c@d.invalid> NOTIFY=NEVER\r\nRCPT TO:<refused@d.invalid>\r\nRCPT TO:<e@d.invalid>\r\nDATA\r\n\
    Subject: one\r\n\r\n..dot\r\n..\r\ntext\r\n.\r\n\
    MAIL FROM:<x@b.invalid>\r\nRCPT TO:<y@d.invalid>\r\nDATA\r\n.\r\nRSET\r\nNOOP\r\nQUIT\r\n";

/// A message over LMTP to three recipients.
pub(crate) fn lmtp_message() -> Vec<u8> {
    b"LHLO client\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nRCPT TO:<refused@d.invalid>\r\n\
      RCPT TO:<e@d.invalid>\r\nDATA\r\nSubject: one\r\n\r\ntext\r\n.\r\nQUIT\r\n"
        .to_vec()
}
