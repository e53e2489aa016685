//! Faults of the next hop, to which the proxy passes mail on.

use std::fmt;

/// A malformed reply of the next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadReply {
    /// A line or a reply has no end.
    TooLong,
    /// No code of three digits, or another code on a later line, or control characters.
    Malformed,
    /// Nothing was asked.
    Unasked,
}

/// A fault of the next hop while a client waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopFault {
    /// It answers 421 and closes the connection.
    Closing,
    /// It cannot be reached, closes the connection, or does not answer in time.
    Lost,
    /// It refuses the session.
    Refuses,
    /// It breaks the protocol.
    Reply(BadReply),
}

impl HopFault {
    /// A stable name for logs and counters.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Closing => "next-hop-closing",
            Self::Lost => "next-hop-lost",
            Self::Refuses => "next-hop-refuses",
            Self::Reply(BadReply::TooLong) => "reply-too-long",
            Self::Reply(BadReply::Malformed) => "reply-malformed",
            Self::Reply(BadReply::Unasked) => "reply-unasked",
        }
    }
}

impl fmt::Display for BadReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HopFault::Reply(*self).kind())
    }
}
