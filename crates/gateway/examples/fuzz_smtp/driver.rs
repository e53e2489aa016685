//! Drives a session as the proxy's connection does, and records both sides.
//!
//! # Limits
//! It reads from a peer only when the session asks for it.

use mailglot_gateway::proxy::{Delivery, Options, ProxySession, ProxyVerdict, Step, Stuffer};
use std::collections::VecDeque;

/// A next hop.
pub(crate) trait FuzzNextHop {
    /// Opens a connection. Returns false if there is none.
    fn connect(&mut self) -> bool;

    /// Takes commands while the session delivers message number `message`.
    fn write(&mut self, bytes: &[u8], message: usize);

    /// Takes dot-stuffed content.
    fn write_content(&mut self, bytes: &[u8], message: usize) {
        self.write(bytes, message);
    }

    /// Returns up to `most` bytes of replies, or `None` if it has closed.
    fn read(&mut self, most: usize) -> Option<Vec<u8>>;

    /// Returns how many bytes it has said.
    fn said(&self) -> usize {
        0
    }
}

/// The next action of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Bytes(Vec<u8>),
    /// The server stops while the client is silent.
    Stop,
    /// The client is silent for too long.
    Slow,
    /// The client closes, or half-closes.
    Gone,
}

/// A client.
pub(crate) trait FuzzClient {
    /// Returns what it does after it has read `heard`.
    fn act(&mut self, heard: &[u8]) -> Act;
}

/// What the judge does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    Pass,
    AddField,
    Refuse,
    Defer,
    /// Replaces the text with lines of dots and commands.
    Dots,
    Empty,
    /// Removes the last line end.
    Unended,
}

impl Judge {
    pub(crate) const ALL: [Self; 7] = [
        Self::Pass,
        Self::AddField,
        Self::Refuse,
        Self::Defer,
        Self::Dots,
        Self::Empty,
        Self::Unended,
    ];

    fn result(self, text: &[u8]) -> Result<Vec<u8>, (u16, &'static str)> {
        match self {
            Self::Pass => Ok(text.to_vec()),
            Self::AddField => Ok([b"X-Judged: yes\r\n", text].concat()),
            Self::Refuse => Err((550, "5.6.0 Judged")),
            Self::Defer => Err((451, "4.3.0 Judged")),
            Self::Dots => Ok(b".\r\n..\r\nMAIL FROM:<x@d.invalid>\r\n.\r\nDATA\r\n.".to_vec()),
            Self::Empty => Ok(Vec::new()),
            Self::Unended => Ok(text.strip_suffix(b"\r\n").unwrap_or(text).to_vec()),
        }
    }
}

/// A message that the session gave to the judge.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) text: Vec<u8>,
    pub(crate) unacceptable: bool,
    pub(crate) line_ends_corrected: bool,
    pub(crate) sender: Vec<u8>,
    pub(crate) recipients: Vec<Vec<u8>>,
    pub(crate) queue_id: Vec<u8>,
    pub(crate) peer: Option<Vec<u8>>,
    pub(crate) smtputf8: bool,
    pub(crate) eight_bit: bool,
    pub(crate) result: Result<Vec<u8>, (u16, &'static str)>,
    /// What the session counted, after the last reply.
    pub(crate) delivery: Option<Delivery>,
    /// Bytes that the client had heard.
    pub(crate) heard: usize,
    /// Bytes that the next hop had said when the message was sent.
    pub(crate) sent: Option<usize>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The session closed.
    Closed,
    /// The client closed.
    Gone,
    /// The client was too slow.
    Slow,
}

/// A record of one run.
#[derive(Debug)]
pub(crate) struct SessionTrace {
    pub(crate) options: Options,
    pub(crate) fed: Vec<u8>,
    pub(crate) heard: Vec<u8>,
    pub(crate) judged: Vec<Judged>,
    pub(crate) end: End,
    pub(crate) stopped: bool,
    /// The most bytes that the session kept beyond the recipients' paths, by its debug output; 0 if not measured.
    pub(crate) kept: usize,
}

/// How a run is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Bytes read from a client at a time.
    pub(crate) client: usize,
    /// Bytes read from a next hop at a time.
    pub(crate) hop: usize,
    pub(crate) measures: bool,
}

impl Cut {
    pub(crate) const WHOLE: Self = Self {
        client: usize::MAX,
        hop: usize::MAX,
        measures: false,
    };
}

/// Runs a session to its end.
///
/// # Errors
/// The session does not end.
pub(crate) fn run(
    options: Options,
    client: &mut impl FuzzClient,
    hop: &mut impl FuzzNextHop,
    judges: &[Judge],
    cut: Cut,
) -> Result<SessionTrace, String> {
    let mut session = ProxySession::new(options);
    let mut trace = SessionTrace {
        options,
        fed: Vec::new(),
        heard: Vec::new(),
        judged: Vec::new(),
        end: End::Closed,
        stopped: false,
        kept: 0,
    };
    let (mut text, mut pending) = (Vec::new(), VecDeque::new());
    for _ in 0..2_000_000 {
        let step = session.step();
        if !session.is_settling()
            && let Some(judged) = trace.judged.last_mut()
        {
            judged.delivery.get_or_insert(session.delivery());
        }
        text.extend(session.take_text());
        let out = session.take_hop();
        let message = trace.judged.len().saturating_sub(1);
        if !out.is_empty() {
            hop.write(&out, message);
        }
        trace.heard.extend(session.take_client());
        if cut.measures {
            let paths: usize = session.recipients().iter().map(|path| path.len() + 6).sum();
            let size = format!("{session:?}").len() / 5;
            trace.kept = trace.kept.max(size.saturating_sub(paths));
        }
        match step {
            Step::Client if trace.stopped && !session.is_in_message() => {
                return Err("the session waits for another message after the stop".into());
            }
            Step::Client => {
                if pending.is_empty() {
                    match client.act(&trace.heard) {
                        Act::Bytes(bytes) => pending.extend(bytes),
                        Act::Stop => {
                            trace.stopped = true;
                            session.stop();
                        }
                        Act::Slow => {
                            trace.end = End::Slow;
                            session.client_slow();
                        }
                        Act::Gone => {
                            trace.end = End::Gone;
                            session.client_gone();
                        }
                    }
                }
                let count = cut.client.max(1).min(pending.len());
                let piece: Vec<u8> = pending.drain(..count).collect();
                session.client(&piece);
                trace.fed.extend(piece);
            }
            Step::Hop => match hop.read(cut.hop) {
                Some(bytes) => session.hop(&bytes),
                None => session.hop_lost(),
            },
            Step::Connect if hop.connect() => session.connected(),
            Step::Connect => session.hop_lost(),
            Step::Judge => {
                let unacceptable = session.unacceptable().is_some();
                let judge = judges.get(trace.judged.len()).copied();
                let result = if unacceptable {
                    Err((550, "5.5.2 Unacceptable"))
                } else {
                    judge.unwrap_or(Judge::Pass).result(&text)
                };
                let verdict = match result {
                    Ok(_) => ProxyVerdict::Deliver,
                    Err((code, words)) => ProxyVerdict::Refuse(code, words),
                };
                trace.judged.push(Judged {
                    text: std::mem::take(&mut text),
                    unacceptable,
                    line_ends_corrected: session.has_corrected_line_ends(),
                    sender: session.envelope().0.to_vec(),
                    recipients: session.recipients().to_vec(),
                    queue_id: session.envelope().1.to_vec(),
                    peer: session.envelope().2.map(<[u8]>::to_vec),
                    smtputf8: session.is_smtputf8(),
                    eight_bit: session.is_eight_bit(),
                    delivery: None,
                    result: result.clone(),
                    heard: trace.heard.len(),
                    sent: None,
                });
                session.decide(verdict);
            }
            Step::Send => {
                let Some(judged) = trace.judged.last_mut() else {
                    return Err("a message is sent that was not judged".into());
                };
                if judged.sent.is_some() {
                    return Err("a message is sent twice".into());
                }
                judged.sent = Some(hop.said());
                let (mut stuffer, mut out) = (Stuffer::default(), Vec::new());
                let Ok(result) = &judged.result else {
                    return Err("a refused message is sent".into());
                };
                result
                    .chunks(cut.hop.max(1))
                    .for_each(|piece| stuffer.write(piece, &mut out));
                stuffer.finish(&mut out);
                hop.write_content(&out, message);
                session.sent();
            }
            Step::Close => return Ok(trace),
        }
    }
    Err("the session does not end".into())
}
