//! The bounds of a server.
//!
//! # Limits
//! Bounds of a message's parts are those of the mime crate.

use crate::network::Network;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the longest header field that is written anew: name, colon, value, line ends. A field that would be longer stays as it came.
///
/// With a milter Postfix cuts a field at 60,000 bytes, of name, colon and value with folds of one byte, whatever its `header_size_limit` says
/// (seen with 3.7.11, in fields that come as in fields that a filter changes or adds); and no packet to a server has more than
/// [`LONGEST_DATA`](crate::milter::LONGEST_DATA).
pub(crate) const LONGEST_FIELD: usize = 59_000;

/// Header fields that are changed in one message by a milter. Where more would be, it stays as it came.
///
/// Postfix keeps what a field becomes at the end of its file, and jumps back once for each when it reads the message to deliver it. One with
/// more than 10,000 such jumps it sets aside as corrupt, after it has taken it (seen with 3.7.11). Other filters change fields too. For each field that
/// changes or goes it reads the header from its top.
pub(crate) const MOST_CHANGES: usize = 4_000;

/// Bounds of a server with a defined outcome each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; some more are deferred, the rest waits.
    pub connections: usize,
    /// Connections of one client address at a time, of those that TCP tells; none where the address has a share of three quarters.
    pub client_connections: Option<usize>,
    /// Listens, and hands mail on, beyond this machine.
    pub allow_remote: bool,
    /// Networks whose clients are served over TCP; all where the list is empty.
    pub client_networks: Vec<Network>,
    /// Bytes of a message; a larger one passes as it is and is not kept.
    pub message_bytes: u64,
    /// How long a server may be silent between commands.
    pub idle: Duration,
    /// How long it may take to negotiate.
    pub negotiation: Duration,
    /// How long it may stop in the middle of a packet, or not take an answer.
    pub stall: Duration,
    /// How often it is told that work goes on.
    pub progress: Duration,
    /// How long work on a message may take, the time that it waits for a processor in it; but not the time that a short message of a milter
    /// waits for those before it in its thread.
    pub work: Duration,
    /// How long messages may take to end when the filter stops.
    pub drain: Duration,
    /// Bytes of all header fields, and how many they may be; a message of more passes as it is and is not kept.
    pub header_bytes: usize,
    /// Number of header fields.
    pub fields: usize,
    /// Permissions of a socket in the file system.
    pub socket_mode: u32,
    /// Group of a socket in the file system; `None` is the group of the process.
    pub socket_group: Option<u32>,
    /// Bytes of messages that stay in memory while they arrive, beyond the first MiB of each; all connections share them.
    pub memory_bytes: u64,
    /// Where long messages are kept while they arrive.
    pub spool: PathBuf,
    /// Bytes of all long bodies that are kept; a message beyond is deferred.
    pub spool_bytes: u64,
    /// Bytes that must stay free where they are kept.
    pub disk_reserve: u64,
}

impl Limits {
    /// Connections that one client address may have at a time: what is left of all serves the others.
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
