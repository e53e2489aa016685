//! The state machine of one milter connection: takes the bytes of a mail server, gives events and answers. It does no I/O.

use super::actions::{Actions, Refusal, Verdict};
use super::negotiation::{Granted, Wants, negotiate, protocol};
use super::strings::{Pairs, Strings, cut};
use super::wire::{self, Incoming, Packet, ProtocolError};

/// Bytes of memory that are kept from one output to the next.
const KEPT: usize = 64 << 10;

/// An event of the mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The negotiation has ended.
    Negotiated(Granted),
    /// A client connected.
    Connect {
        /// Its name, or its address in brackets.
        host: &'a [u8],
        /// Its address and port, or the path of its socket.
        peer: Peer<'a>,
    },
    /// The argument of HELO or EHLO.
    Helo(&'a [u8]),
    /// A message begins: its sender in angle brackets, and arguments such as `BODY=8BITMIME`.
    Mail(&'a [u8], Strings<'a>),
    /// A recipient in angle brackets, and arguments.
    Recipient(&'a [u8], Strings<'a>),
    /// The client sent DATA.
    Data,
    /// A header field: name and value. A fold is LF and white space. With [`protocol::LEADING_SPACE`] the value has all bytes behind the colon.
    Header(&'a [u8], &'a [u8]),
    /// The header is complete.
    EndOfHeaders,
    /// A piece of the body.
    Body(&'a [u8]),
    /// The message is complete, with the last piece of its body. [`MilterSession::decide`] must follow.
    EndOfMessage(&'a [u8]),
    /// The mail server drops the message, or has finished it. The connection stays open.
    Abort,
    /// Macros for the next command, whose letter is given.
    Macros(u8, Pairs<'a>),
    /// A command of the client that the server does not know.
    Unknown(&'a [u8]),
    /// The client has disconnected. Another client follows on the same connection.
    NewClient,
    /// The mail server closes the connection.
    Quit,
}

/// The address that a client connects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer<'a> {
    /// The mail server does not name it.
    Unknown,
    /// A path of the local machine.
    Local(&'a [u8]),
    /// An address of IP version 4 or 6 as text, and a port.
    Inet(&'a [u8], u16),
}

/// One connection of a mail server: bytes in, events and answers out.
///
/// The session itself answers every command except the end of a message. After [`Event::EndOfMessage`] it gives no event until the caller
/// calls [`MilterSession::decide`].
#[derive(Debug, Default)]
pub struct MilterSession {
    incoming: Incoming,
    output: Vec<u8>,
    wants: Wants,
    granted: Option<Granted>,
    /// True between two clients of one connection, where a negotiation may follow.
    between: bool,
    /// True if a message has ended and has no verdict yet.
    owes: bool,
    /// True if every command gets a temporary failure.
    refuses: bool,
}

impl MilterSession {
    /// Creates a session that asks for everything that edits need.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a session that asks for `wants`.
    pub fn with_wants(wants: Wants) -> Self {
        Self {
            wants,
            ..Self::default()
        }
    }

    /// Creates a session for an overloaded filter: each client gets a temporary failure.
    pub fn refusing() -> Self {
        let mut wants = Wants::default();
        wants.protocol &= !(protocol::NO_CONNECT | protocol::NO_REPLY_CONNECT);
        Self {
            wants,
            refuses: true,
            ..Self::default()
        }
    }

    /// Adds bytes that the mail server sent.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.incoming.push(bytes);
    }

    /// Returns a buffer to read into, at least 16 KiB. The caller must call [`MilterSession::add_read`] after it.
    pub fn read_buffer(&mut self) -> &mut [u8] {
        self.incoming.read_buffer()
    }

    /// Adds the first `count` bytes of [`MilterSession::read_buffer`], which the caller has read into it.
    pub fn add_read(&mut self, count: usize) {
        self.incoming.add_read(count);
    }

    /// Returns true if there is a read buffer without unprocessed bytes.
    pub(crate) fn has_idle_buffer(&self) -> bool {
        self.incoming.has_idle_buffer()
    }

    /// Releases memory that an idle connection does not need.
    pub(crate) fn release_memory(&mut self) {
        self.incoming.release_memory();
        if self.output.is_empty() {
            self.output = Vec::new();
        }
    }

    /// Returns the result of the negotiation; `None` before it.
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
    /// The bytes violate the milter protocol. The caller must close the connection; the mail server then defers the message.
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

    /// Writes a progress packet, which restarts the timeout of the mail server. Does nothing if no message waits for its verdict.
    pub fn progress(&mut self) {
        if self.owes {
            wire::put(&mut self.output, b'p', &[]);
        }
    }

    /// Ends a message: writes the edits, in an order that every mail server understands, and the verdict. Omits the edits of a message that
    /// is rejected or deferred.
    ///
    /// # Errors
    /// No message waits for a verdict, or an edit was not granted or is too long. Then nothing is written.
    pub fn decide(&mut self, actions: &Actions, verdict: &Verdict) -> Result<(), Refusal> {
        self.end(actions, verdict, true).map(drop)
    }

    /// Like [`MilterSession::decide`], but omits a new body of more than 64 KiB. Returns the offset in the output at which the caller must insert
    /// the packets of that body; `None` for a short one.
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

    /// Writes edits and verdict. Returns the offset of the verdict in the output.
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

    /// Takes the output, which the caller must write to the mail server at once.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Returns the output without taking it. The caller must call [`MilterSession::written`] after it.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Drops the output after it was written. Keeps up to 64 KiB of its memory for the next output.
    pub fn written(&mut self) {
        self.output.clear();
        self.output.shrink_to(KEPT);
    }
}

/// Which commands are answered.
enum ReplyRule {
    Never,
    /// Answered unless one of these bits was negotiated.
    Unless(u32),
    /// Answered by [`MilterSession::decide`].
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

/// Parses family, port and address of a connect packet.
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
