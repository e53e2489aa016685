//! One connection of a server, as a machine that does no I/O.

use super::actions::{Actions, Refusal, Verdict};
use super::negotiation::{Granted, Wants, negotiate, protocol};
use super::strings::{Pairs, Strings, cut};
use super::wire::{self, Incoming, Packet, ProtocolError};

/// Bytes of memory that are kept from one output to the next.
const KEPT: usize = 64 << 10;

/// An event of the mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Both sides agreed.
    Negotiated(Granted),
    /// A client connected.
    Connect {
        /// Its name, or its address in brackets.
        host: &'a [u8],
        /// Where it is.
        peer: Peer<'a>,
    },
    /// How the client calls itself.
    Helo(&'a [u8]),
    /// A message begins: its sender in angle brackets, and arguments such as `BODY=8BITMIME`.
    Mail(&'a [u8], Strings<'a>),
    /// A recipient in angle brackets, and arguments.
    Recipient(&'a [u8], Strings<'a>),
    /// The client said DATA.
    Data,
    /// A field. Folds are LF and white space; with [`protocol::LEADING_SPACE`] all bytes behind the colon.
    Header(&'a [u8], &'a [u8]),
    /// The header is complete.
    EndOfHeaders,
    /// A piece of the body.
    Body(&'a [u8]),
    /// The message is complete, with the last piece of its body. [`MilterSession::decide`] must follow.
    EndOfMessage(&'a [u8]),
    /// The message is given up, or over; the connection stays.
    Abort,
    /// Macros for the command that follows, named by its letter.
    Macros(u8, Pairs<'a>),
    /// A command of the client that the server does not know.
    Unknown(&'a [u8]),
    /// The client is gone, another follows on the same connection.
    NewClient,
    /// The connection is to be closed.
    Quit,
}

/// Where a client connects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer<'a> {
    /// The mail server does not name it.
    Unknown,
    /// A path of the local machine.
    Local(&'a [u8]),
    /// An address of IP version 4 or 6 as text, and a port.
    Inet(&'a [u8], u16),
}

/// One connection of a server: bytes in, events out, bytes out.
///
/// Everything but the end of a message is answered here. After [`Event::EndOfMessage`] the session waits for
/// [`MilterSession::decide`] and gives no event before it.
#[derive(Debug, Default)]
pub struct MilterSession {
    incoming: Incoming,
    output: Vec<u8>,
    wants: Wants,
    granted: Option<Granted>,
    /// Between two clients of one connection: a negotiation may follow, and need not.
    between: bool,
    /// A message has ended, and has no verdict yet.
    owes: bool,
    /// Every question is answered with a temporary failure.
    refuses: bool,
}

impl MilterSession {
    /// A session that asks for everything that edits need.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session that asks for `wants`.
    pub fn with_wants(wants: Wants) -> Self {
        Self {
            wants,
            ..Self::default()
        }
    }

    /// A session for a filter that has too much to do: each client is answered with a temporary failure.
    pub fn refusing() -> Self {
        let mut wants = Wants::default();
        wants.protocol &= !(protocol::NO_CONNECT | protocol::NO_REPLY_CONNECT);
        Self {
            wants,
            refuses: true,
            ..Self::default()
        }
    }

    /// Takes bytes of the server.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.incoming.push(bytes);
    }

    /// Room for bytes of the server, to be read into; [`MilterSession::came`] must follow.
    pub fn room(&mut self) -> &mut [u8] {
        self.incoming.room()
    }

    /// So many bytes were read into the [room](MilterSession::room).
    pub fn came(&mut self, count: usize) {
        self.incoming.came(count);
    }

    /// Returns true if memory is held for bytes that are to come.
    pub(crate) fn holds_room(&self) -> bool {
        self.incoming.holds_room()
    }

    /// Gives memory back that is not needed while nothing comes.
    pub(crate) fn rest(&mut self) {
        self.incoming.rest();
        if self.output.is_empty() {
            self.output = Vec::new();
        }
    }

    /// What was agreed, once it was.
    pub fn granted(&self) -> Option<Granted> {
        self.granted
    }

    /// Returns true if a message waits for its verdict.
    pub fn owes_verdict(&self) -> bool {
        self.owes
    }

    /// Returns true if the server stopped in the middle of a packet.
    pub fn is_within_packet(&self) -> bool {
        self.incoming.is_within_packet()
    }

    /// Returns the next event; `None` if it needs more bytes or a verdict.
    ///
    /// # Errors
    /// What no server says. The connection must be closed: the server defers the message.
    pub fn event(&mut self) -> Result<Option<Event<'_>>, ProtocolError> {
        if self.owes {
            return Ok(None);
        }
        let Some(packet) = self.incoming.packet()? else {
            return Ok(None);
        };
        let Some(granted) = self
            .granted
            .filter(|_| !(self.between && packet.command == b'O'))
        else {
            if packet.command != b'O' {
                return Err(ProtocolError::NotNegotiated(packet.command));
            }
            let granted = negotiate(packet.data, &self.wants, &mut self.output)?;
            self.granted = Some(granted);
            self.between = false;
            return Ok(Some(Event::Negotiated(granted)));
        };
        let (event, reply) = read(packet)?;
        self.between = event == Event::NewClient;
        match reply {
            ReplyRule::Never => (),
            ReplyRule::Verdict => self.owes = true,
            ReplyRule::Unless(agreed) if granted.has(agreed) => (),
            ReplyRule::Unless(_) => {
                let letter = if self.refuses {
                    Verdict::Tempfail
                } else {
                    Verdict::Continue
                };
                letter.write(&mut self.output);
            }
        }
        Ok(Some(event))
    }

    /// Tells the server that work goes on: its clock starts anew. Nothing where no verdict is owed.
    pub fn progress(&mut self) {
        if self.owes {
            wire::put(&mut self.output, b'p', &[]);
        }
    }

    /// Ends a message: all edits in the order that every server understands, and the verdict. Edits of a verdict that keeps
    /// the message out are left away.
    ///
    /// # Errors
    /// No message has ended, or an edit was not granted or is too long; nothing is written then.
    pub fn decide(&mut self, actions: &Actions, verdict: &Verdict) -> Result<(), Refusal> {
        self.end(actions, verdict, true).map(drop)
    }

    /// As [`MilterSession::decide`], but a new body of many bytes is left out: where there is one, the caller puts its packets into the output
    /// at the place that is told.
    pub(crate) fn decide_around(
        &mut self,
        actions: &Actions,
        verdict: &Verdict,
    ) -> Result<Option<usize>, Refusal> {
        let length = |body: &Vec<&[u8]>| body.iter().map(|piece| piece.len()).sum::<usize>();
        let large = verdict.lets_pass()
            && actions
                .body
                .as_ref()
                .is_some_and(|body| length(body) > KEPT);
        Ok(Some(self.end(actions, verdict, !large)?).filter(|_| large))
    }

    /// Where the verdict stands in the output.
    fn end(&mut self, actions: &Actions, verdict: &Verdict, whole: bool) -> Result<usize, Refusal> {
        let granted = self
            .granted
            .filter(|_| self.owes)
            .ok_or(Refusal::NoMessage)?;
        let before = self.output.len();
        if verdict.lets_pass()
            && let Err(refusal) = actions.write(granted, whole, &mut self.output)
        {
            self.output.truncate(before);
            return Err(refusal);
        }
        let place = self.output.len();
        verdict.write(&mut self.output);
        self.owes = false;
        Ok(place)
    }

    /// Discards the verdict of the last message, which was not sent. The caller must decide again.
    pub(crate) fn take_back_verdict(&mut self) {
        self.output.clear();
        self.owes = true;
    }

    /// The bytes for the server, to be written at once.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Returns the output without taking it. The caller must call [`MilterSession::written`] after it.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The output was written, or is not wanted. Its memory is kept for the next one where it is not much.
    pub fn written(&mut self) {
        self.output.clear();
        self.output.shrink_to(KEPT);
    }
}

/// Whether a command is answered.
enum ReplyRule {
    Never,
    /// Not where these bits were agreed.
    Unless(u32),
    /// By the filter's decision.
    Verdict,
}

fn read(packet: Packet<'_>) -> Result<(Event<'_>, ReplyRule), ProtocolError> {
    let Packet { command, data } = packet;
    let string = |data| cut(data).ok_or(ProtocolError::MissingNul(command));
    Ok(match command {
        b'C' => {
            let (host, rest) = string(data)?;
            (
                Event::Connect {
                    host,
                    peer: peer(rest)?,
                },
                ReplyRule::Unless(protocol::NO_REPLY_CONNECT),
            )
        }
        b'H' => (
            Event::Helo(string(data)?.0),
            ReplyRule::Unless(protocol::NO_REPLY_HELO),
        ),
        b'M' => {
            let (sender, rest) = string(data)?;
            (
                Event::Mail(sender, Strings(rest)),
                ReplyRule::Unless(protocol::NO_REPLY_MAIL),
            )
        }
        b'R' => {
            let (recipient, rest) = string(data)?;
            (
                Event::Recipient(recipient, Strings(rest)),
                ReplyRule::Unless(protocol::NO_REPLY_RECIPIENT),
            )
        }
        b'T' => (Event::Data, ReplyRule::Unless(protocol::NO_REPLY_DATA)),
        b'L' => {
            let (name, rest) = string(data)?;
            (
                Event::Header(name, string(rest)?.0),
                ReplyRule::Unless(protocol::NO_REPLY_HEADER),
            )
        }
        b'N' => (
            Event::EndOfHeaders,
            ReplyRule::Unless(protocol::NO_REPLY_END_OF_HEADERS),
        ),
        b'B' => (
            Event::Body(data),
            ReplyRule::Unless(protocol::NO_REPLY_BODY),
        ),
        b'E' => (Event::EndOfMessage(data), ReplyRule::Verdict),
        b'U' => (
            Event::Unknown(string(data)?.0),
            ReplyRule::Unless(protocol::NO_REPLY_UNKNOWN),
        ),
        b'A' => (Event::Abort, ReplyRule::Never),
        b'D' => match data.split_first() {
            Some((command, rest)) => (
                Event::Macros(*command, Pairs(Strings(rest))),
                ReplyRule::Never,
            ),
            None => (Event::Macros(0, Pairs(Strings(data))), ReplyRule::Never),
        },
        b'K' => (Event::NewClient, ReplyRule::Never),
        b'Q' => (Event::Quit, ReplyRule::Never),
        b'O' => return Err(ProtocolError::NegotiatedTwice),
        _ => return Err(ProtocolError::UnknownCommand(command)),
    })
}

/// Family, port and address.
fn peer(data: &[u8]) -> Result<Peer<'_>, ProtocolError> {
    let (family, rest) = data.split_first().ok_or(ProtocolError::BadConnect)?;
    if *family == b'U' {
        return Ok(Peer::Unknown);
    }
    let (port, rest) = rest
        .split_first_chunk::<2>()
        .ok_or(ProtocolError::BadConnect)?;
    let (address, _) = cut(rest).ok_or(ProtocolError::BadConnect)?;
    match family {
        b'L' => Ok(Peer::Local(address)),
        b'4' | b'6' => Ok(Peer::Inet(address, u16::from_be_bytes(*port))),
        _ => Err(ProtocolError::BadConnect),
    }
}
