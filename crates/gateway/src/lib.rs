//! Filters that stand beside a mail server.
//!
//! ```text
//!  bytes of the server ─► wire::Incoming ─► MilterSession::event ─► Event     a driver reads, collects the message, decides
//!  bytes to the server ◄─ MilterSession::output ◄─ MilterSession::decide ◄─ Actions, Verdict
//!                                                            ▲
//!  MessageBuilder ─► ReceivedMessage ─► judge ─► Judgement ─► Outcome ─► Engine::decide
//! ```
//!
//! [`milter`] is the protocol of Sendmail's and Postfix's mail filters. It does no I/O, keeps no clock and starts no thread: a
//! driver feeds bytes that came from the server and writes the bytes that are to go there.
#![forbid(unsafe_code)]

pub mod config;
pub mod descriptors;
pub mod judge;
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
