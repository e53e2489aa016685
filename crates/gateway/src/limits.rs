//! Defines the limits of a server: connections, sizes and times.
//!
//! # Limits
//! `mailglot_mime::Limits` has the limits for the parts of a message.

use crate::network::Network;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the longest header field that is rewritten: name, colon, value and line ends. A field that would become longer stays unchanged.
///
/// Postfix 3.7.11 with a milter cuts each field at 60,000 bytes, where each fold counts as one byte. Its `header_size_limit` does not change this.
/// A packet has at most [`LONGEST_DATA`](crate::milter::LONGEST_DATA) bytes.
pub(crate) const LONGEST_FIELD: usize = 59_000;

/// Maximum number of header fields that a milter changes in one message. A message that needs more stays unchanged.
///
/// Postfix 3.7.11 stores each new field at the end of its queue file, and jumps there and back to deliver the message. It sets a message with more
/// than 10,000 jumps aside as corrupt, after it has accepted it. Other filters change fields, too.
pub(crate) const MOST_CHANGES: usize = 4_000;

/// Limits of a server. Each has a defined outcome when it is exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of connections. A few more are accepted and deferred; the others wait.
    pub connections: usize,
    /// Maximum number of TCP connections of one client address. `None` is three quarters of `connections`.
    pub client_connections: Option<usize>,
    /// True if listeners and next hops may be on other machines.
    pub allow_remote: bool,
    /// Networks whose clients are served over TCP. Empty: all.
    pub client_networks: Vec<Network>,
    /// Maximum bytes of a message. A larger one passes unread, and its original is not kept.
    pub message_bytes: u64,
    /// How long a mail server may be silent between commands.
    pub idle: Duration,
    /// How long the negotiation may take.
    pub negotiation: Duration,
    /// How long a mail server may pause within a packet, or leave an answer unread.
    pub stall: Duration,
    /// Interval of progress packets while a message is processed.
    pub progress: Duration,
    /// How long the work on a message may take. This includes the wait for a processor, but not the time that a short message of a milter waits for
    /// earlier messages of its thread.
    pub work: Duration,
    /// How long messages in progress may take after a stop.
    pub drain: Duration,
    /// Maximum bytes of all header fields. A message with more passes unread, and its original is not kept.
    pub header_bytes: usize,
    /// Maximum number of header fields, with the same outcome.
    pub fields: usize,
    /// Permissions of a Unix socket.
    pub socket_mode: u32,
    /// Group of a Unix socket. `None` is the group of the process.
    pub socket_group: Option<u32>,
    /// Bytes of memory for arriving messages, beyond the first MiB of each. All connections share them.
    pub memory_bytes: u64,
    /// Folder for long messages while they arrive.
    pub spool: PathBuf,
    /// Maximum bytes in that folder. A message that needs more is deferred.
    pub spool_bytes: u64,
    /// Bytes that must stay free on the disk of that folder.
    pub disk_reserve: u64,
}

impl Limits {
    /// Returns the maximum number of connections of one client address, so that some are left for other clients.
    pub(crate) fn share(&self) -> usize {
        self.client_connections
            .unwrap_or(self.connections - self.connections / 4)
            .max(1)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_000,
            client_connections: None,
            allow_remote: false,
            client_networks: Vec::new(),
            message_bytes: 64 << 20,
            idle: Duration::from_mins(10),
            negotiation: Duration::from_secs(10),
            stall: Duration::from_mins(1),
            progress: Duration::from_secs(5),
            work: Duration::from_mins(1),
            drain: Duration::from_secs(30),
            header_bytes: 16 << 20,
            fields: 100_000,
            socket_mode: 0o660,
            socket_group: None,
            memory_bytes: 16 << 20,
            spool: std::env::temp_dir(),
            spool_bytes: 4 << 30,
            disk_reserve: 256 << 20,
        }
    }
}
