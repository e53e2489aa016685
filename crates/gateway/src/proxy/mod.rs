//! A proxy for SMTP and LMTP between a client and the next hop. It stands before or after the queue of a mail server, or before a mail store.
//!
//! [`ProxySession`] keeps this order:
//!
//! 1. A client connects. The proxy connects to the next hop, and passes its greeting on. If the next hop is unreachable, the reply is 421.
//! 2. EHLO or LHLO goes to the next hop unchanged. The reply announces only the extensions that the proxy supports
//!    ([`Capabilities`]).
//! 3. MAIL, RCPT, RSET, VRFY and XFORWARD go to the next hop byte for byte, and its replies come back unchanged, in order. If the next hop
//!    supports PIPELINING, up to 100 commands go in one batch. A line has at most [`LONGEST_LINE`] bytes. The proxy rejects a line that does
//!    not end in CRLF, or has CR, LF or NUL in it.
//! 4. The proxy answers DATA itself, after the next hop has accepted a recipient. Only CRLF, dot, CRLF ends the content. A NUL rejects the
//!    message. A bare CR or LF rejects it (550 5.5.2) or is corrected ([`BareLines`]), as the route or the action for `bare-lf` says. A dry run
//!    corrects it, because bare line ends cannot be sent safely. The ledger keeps the original bytes.
//!    Content beyond the announced SIZE is discarded, and its end gets 552 (RFC 1870, section 6.3).
//! 5. The proxy judges the whole message. If it rejects the message, the next hop gets RSET. If the client has closed by then, or the work
//!    took too long, the reply is 451 and nothing is delivered. The client sends the message again. The same happens if the client closes
//!    before the next hop has got the end of the message.
//! 6. The next hop gets DATA, and after its 354 the message with dot stuffing. The client gets its final reply, and never a 250 before that.
//!    If that reply is lost, the client gets 451: a message may arrive twice, but is not lost. In LMTP each recipient has its own reply.
//! 7. If the next hop disconnects between two messages, the proxy reconnects once and repeats the unanswered commands. At any other time
//!    the client gets 421 or 451.
//!
//! ```
//! use mailglot_gateway::proxy::{Options, ProxySession, Step, ProxyVerdict};
//!
//! let mut session = ProxySession::new(Options::default());
//! session.client(b"EHLO c\r\nMAIL FROM:<a@b.invalid>\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\nSubject: x\r\n\r\n..\r\n.\r\nQUIT\r\n");
//! // A next hop that accepts everything.
//! let mut replies = ["220 mx\r\n", "250 mx\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", "250 kept\r\n"].into_iter();
//! let mut replied = Vec::new();
//! loop {
//!     let step = session.step();
//!     replied.extend(session.take_client());
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
//! assert!(replied.ends_with(b"250 kept\r\n221 2.0.0 Bye\r\n"));
//! ```
//!
//! # Limits
//! - No TLS and no AUTH: both sides are on this machine or in its network. No queue: the proxy keeps nothing beyond a connection.
//! - The envelope stays unchanged. The proxy adds no `Received` field, because both neighbors add theirs. It detects mail loops by the fields of
//!   other servers.
//! - The program rejects a configuration whose proxies name each other as next hop. Two programs that do so open connections to each other until
//!   one reaches its limit. Then all of them end with 421, and no message was accepted.
//! - A client that closes its half of the connection (a TCP half-close) right behind a message counts as disconnected, as in Exim. A client that
//!   was killed looks the same. A client that sends QUIT or another command behind its message (RFC 2920, section 3.1) is served to the end.

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

pub use crate::next_hop_fault::{BadReply, HopFault};
pub use capabilities::Capabilities;
pub use content::{BareLines, Stuffer, Unacceptable};
#[cfg(test)]
pub(crate) use judge::reply;
pub use lines::LONGEST_LINE;
pub use route::{Route, Times};
pub use session::{Delivery, Options, ProxySession, ProxyVerdict, Step};
pub use smtp_client::SmtpMessage;
