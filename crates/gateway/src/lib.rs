//! Mail filters for MTAs: milter protocol, SMTP and LMTP proxy, pipe.
//!
//! ```text
//!  bytes of the server ─► MilterSession::feed ─► MilterSession::event ─► Event ─► MessageBuilder ─► ReceivedMessage
//!                                                                                                   │
//!                                                                       Outcome ◄─ Judgement ◄─ Engine::judge
//!                                                                          │
//!  bytes to the server ◄─ MilterSession::take_output ◄─ MilterSession::decide ◄─ Actions, Verdict
//! ```
//!
//! - [`Engine`] judges a message and rewrites it in memory: for programs that have the message already.
//! - [`Server`] listens as a milter or as an SMTP proxy, and judges each message by an engine.
//! - [`PipeFilter`] passes one message from a stream to another.
//! - [`milter`] is the protocol of Sendmail's and Postfix's mail filters. It does no I/O, keeps no clock and starts no thread. A
//!   program feeds bytes that came from the server and writes the bytes that are to go there.
//!
//! ```
//! use mailglot_gateway::policy::{Action, Rules};
//! use mailglot_gateway::{Engine, Envelope};
//!
//! let engine = Engine::new(Rules::default());
//! let judgement = engine.judge(b"Subject: Caf\xE9\r\n\r\n", &Envelope::default());
//! assert_eq!(judgement.action, Action::Normalize);
//! let text = String::from_utf8(judgement.bytes().into_owned())?;
//! assert!(text.contains("Subject: =?UTF-8?B?Q2Fmw6k=?=\r\n"), "{text}");
//! # Ok::<(), std::string::FromUtf8Error>(())
//! ```
//!
//! # Limits
//! Unix only. Delivers no mail itself: the next server does.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod config;
pub mod descriptors;
pub mod judge;
pub mod ledgers;
pub mod milter;
pub mod policy;
pub mod proxy;
pub mod record;

mod access;
mod address;
mod engine;
mod envelope;
mod event;
mod fault;
mod filter;
mod limits;
mod listener;
mod message_builder;
mod network;
mod next_hop_fault;
mod outcome;
mod pipe;
mod reinject;
mod remark;
#[cfg(test)]
mod repository_file;
mod resources;
mod semaphore;
mod server;
#[cfg(test)]
mod shared_material;
mod socket_folder;
mod spool;
mod stream;

pub use address::Address;
pub use engine::Engine;
pub use envelope::Envelope;
pub use event::{Record, ServerEvent};
pub use fault::Fault;
pub use filter::Decision;
pub use limits::Limits;
pub use listener::{Inherited, Socket};
pub use message_builder::{InexpressibleEdit, MessageBuilder, ReceivedMessage};
pub use network::Network;
pub use outcome::{Abilities, Cause, Disposition, Extent, Outcome, Reply};
pub use pipe::{PipeFilter, Stopped};
pub use reinject::Reinject;
pub use remark::Remark;
pub use resources::{Bounds, Resources};
pub use server::{Server, Stop};
