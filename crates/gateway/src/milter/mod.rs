//! The milter protocol of Sendmail and Postfix, versions 2 to 6, on the side of the filter. It does no I/O.
//!
//! The numbers come from Sendmail's `mfdef.h`. Behavior beyond that file was observed with Postfix 3.7.
//!
//! ```
//! use mailglot_gateway::milter::{Actions, Event, MilterSession, Verdict};
//!
//! let mut session = MilterSession::new();
//! // Negotiation, an envelope, and the end of an empty message, as a server sends them.
//! session.feed(b"\0\0\0\x0dO\0\0\0\x06\0\0\x01\xff\0\x1f\xff\xff\0\0\0\x0bM<a@b.org>\0\0\0\0\x01E");
//! while let Some(event) = session.event().unwrap() {
//!     if matches!(event, Event::EndOfMessage(_)) {
//!         break;
//!     }
//! }
//! session.take_output();
//! session.decide(&Actions::default(), &Verdict::Accept).unwrap();
//! assert_eq!(session.take_output(), b"\0\0\0\x01a");
//! ```
//!
//! # Limits
//! Changes neither sender nor recipients, and discards no mail.

mod actions;
mod negotiation;
mod session;
mod strings;
mod wire;

pub use actions::{Actions, FieldValue, HeaderChange, Refusal, ReplyText, Verdict};
pub(crate) use actions::{heads, packets};
pub use negotiation::{Granted, MacroStage, Wants, action, protocol};
pub use session::{Event, MilterSession, Peer};
pub use strings::{Pairs, Strings};
pub use wire::{Incoming, LONGEST_DATA, LONGEST_PACKET, Packet, ProtocolError, put};
