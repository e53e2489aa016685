//! A proxy for SMTP and LMTP: between a client and the next hop, before the queue of a server, behind it, or before a mail store.
//!
//! The order of work, which [`ProxySession`] keeps:
//!
//! 1. A client connects; the next hop is connected at once, and greets in its name. A next hop that is not there is a 421.
//! 2. EHLO or LHLO goes to the next hop as it came. The client hears of its extensions those that are let through
//!    ([`Capabilities`]).
//! 3. MAIL, RCPT, RSET, VRFY and XFORWARD go to the next hop byte for byte, and its replies come back as they are, in order. Up to a
//!    hundred go in one batch where the next hop takes that. A line is at most [`LONGEST_LINE`] bytes; one that does not end with
//!    CRLF, or has CR, LF or NUL in it, goes nowhere.
//! 4. DATA is answered here, once a recipient was taken. Content ends with CRLF, dot, CRLF and nothing else. A CR or LF alone
//!    refuses the message (550 5.5.2) or becomes CRLF, a CR in a header field a space ([`BareLines`]); a NUL refuses it. Where the route does
//!    not say which, the policy's action for `bare-lf` does: bytes with stray line ends cannot be sent safely, so they are set right
//!    even in a dry run, which refuses nothing for them. The original is kept as it came.
//!    Of content beyond the SIZE that the client was told nothing is kept, and at its end it hears 552 (RFC 1870 6.3).
//! 5. The whole message is judged. What is refused is refused here, and the next hop gets RSET.
//!    A client that has closed by then, or has waited longer than the work on a message may take, hears 451 and nothing is delivered:
//!    it sends the message again. The same holds for one that closes before the next hop was given the end of the message.
//! 6. The next hop gets DATA, and after its 354 the message with its dots. What it says then is what the client hears: a 250 is never
//!    said before the next hop's. Where its word is lost the client hears 451: rather twice than never. In LMTP each recipient
//!    has its own reply.
//! 7. A next hop that goes away between two messages is connected once more, and gets the commands that it did not answer; one
//!    that goes away at another time is a 421 or 451.
//!
//! ```
//! use mailglot_gateway::proxy::{Options, ProxySession, Step, ProxyVerdict};
//!
//! let mut session = ProxySession::new(Options::default());
//! session.client(b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nSubject: x\r\n\r\n..\r\n.\r\nQUIT\r\n");
//! // A next hop that says yes to everything.
//! let mut replies = ["220 mx\r\n", "250 mx\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", "250 kept\r\n"].into_iter();
//! let mut heard = Vec::new();
//! loop {
//!     let step = session.step();
//!     heard.extend(session.take_client());
//!     match step {
//!         Step::Connect => session.connected(),
//!         Step::Hop => session.hop(replies.next().unwrap().as_bytes()),
//!         Step::Judge => session.decide(ProxyVerdict::Deliver),
//!         Step::Send => session.sent(),
//!         Step::Client => session.client_gone(),
//!         Step::Close => break,
//!     }
//! }
//! assert_eq!(session.take_text(), b"Subject: x\r\n\r\n.\r\n");
//! assert!(heard.ends_with(b"250 kept\r\n221 2.0.0 Bye\r\n"));
//! ```
//!
//! # Limits
//! No TLS and no AUTH: both ends are on this machine or in its network. No queue: nothing is kept beyond a connection. The envelope
//! is never changed, and no `Received` field is added: what is signed leaves as it came, and both neighbours add theirs. So messages that go round
//! are seen by the fields of other servers. Proxies of one configuration that name each other as next hop are refused at the start; those of two
//! programs open one connection after the other, for each opens its own before it greets, until one of them has as many as it may: then all end with 421, and
//! no message was taken. A client that ends its own half of the connection (a TCP half-close) right behind a
//! message is taken for gone: a program that has died looks the same, and a message twice is worse than a 451; Exim does so, too, and RFC
//! 5321 4.1.1.10 has it send QUIT before. One that has sent QUIT, or whatever else, behind its message (RFC 2920 3.1) has said that it knows
//! what it does, and is served to the end.

mod capabilities;
mod command;
mod connection;
mod content;
mod field_lines;
mod judge;
mod lines;
mod outgoing_message;
mod reply;
mod route;
mod sending;
mod service;
mod session;
mod smtp_client;

pub use capabilities::Capabilities;
pub use content::{BareLines, Stuffer, Unacceptable};
#[cfg(test)]
pub(crate) use judge::reply;
pub use lines::LONGEST_LINE;
pub use reply::{BadReply, HopFault};
pub use route::{Route, Times};
pub use session::{Delivery, Options, ProxySession, ProxyVerdict, Step};
pub use smtp_client::SmtpMessage;
