//! Lists the faults of a server and its connections.
//!
//! Logs and counters name a fault by its stable [`Fault::kind`]; its `Display` adds the cause in parentheses.
//!
//! # Limits
//! Problems of a message are findings ([`Finding`](crate::policy::Finding)), not faults.

use crate::message_builder::InexpressibleEdit;
use crate::milter::{ProtocolError, Refusal};
use crate::next_hop_fault::HopFault;
use std::{fmt, io};

/// A fault of a server, a connection or the work on a message.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A connection cannot be accepted.
    Accept(io::Error),
    /// The client closed the connection within a message.
    ClientGone,
    /// The client's address is in none of the networks that are served.
    ClientNetwork,
    /// The connection to the next hop cannot be opened.
    Connect(io::Error),
    /// As many connections are open as the limits allow.
    Connections,
    /// A message that passes because of another fault has 8-bit data, but the next hop lacks 8BITMIME.
    EightBit,
    /// An idle connection was closed for a new one.
    IdleClosed,
    /// Reading or writing a connection failed.
    Io(io::Error),
    /// The original cannot be written to a ledger.
    Ledger(io::Error),
    /// A reload began to keep originals while the message arrived: its first bytes are not kept.
    LedgerLate,
    /// Old ledgers cannot be removed, a segment cannot be closed, or one that a killed daemon left was cut or is damaged.
    LedgerSweep(io::Error),
    /// The next hop rejects, disconnects or violates the protocol.
    NextHop(HopFault),
    /// The work on a message or a connection panicked.
    Panic,
    /// The mail server violates the milter protocol.
    Protocol(ProtocolError),
    /// The session rejects the decision ([`Refusal`](crate::milter::Refusal)).
    Refused(Refusal),
    /// The mail server grants too few actions for edits. `claims_stay` is true if not even forged fields can be deleted.
    ReportOnly {
        /// True if forged fields stay.
        forged_fields_stay: bool,
    },
    /// The mail server closed the connection within a message.
    ServerGone,
    /// A client, or the work on a message, takes longer than the limits allow.
    Slow,
    /// A message cannot be kept in a temporary file.
    Spool(io::Error),
    /// The server stops before the message ends.
    Stopped,
    /// The server stops, and this number of connections do not end.
    Stuck(usize),
    /// The milter protocol cannot express the edits.
    InexpressibleEdit(InexpressibleEdit),
    /// The command line of the stdin filter is wrong.
    Usage,
}

impl Fault {
    /// Returns a stable name for logs and counters.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accept",
            Self::ClientGone => "client-gone",
            Self::ClientNetwork => "client-network",
            Self::Connect(_) => "connect",
            Self::Connections => "connections",
            Self::EightBit => "eight-bit",
            Self::IdleClosed => "idle-closed",
            Self::Io(_) => "io",
            Self::Ledger(_) | Self::LedgerLate => "ledger",
            Self::LedgerSweep(_) => "ledger-sweep",
            Self::NextHop(fault) => fault.kind(),
            Self::Panic => "panic",
            Self::Protocol(error) => error.kind(),
            Self::ReportOnly { .. } => "report-only",
            Self::ServerGone => "server-gone",
            Self::Slow => "slow",
            Self::Spool(_) => "spool",
            Self::Stopped | Self::Stuck(_) => "stopped",
            Self::Refused(_) | Self::InexpressibleEdit(_) => "inexpressible-edit",
            Self::Usage => "usage",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match self {
            Self::Accept(error)
            | Self::Connect(error)
            | Self::Io(error)
            | Self::Ledger(error)
            | Self::LedgerSweep(error)
            | Self::Spool(error) => write!(f, "{kind} ({error})"),
            Self::LedgerLate => write!(f, "{kind} (the engine changed while the message arrived)"),
            Self::Protocol(error) => error.fmt(f),
            Self::Refused(refusal) => write!(f, "{kind} ({refusal})"),
            Self::ReportOnly { forged_fields_stay } => {
                let forged_fields = if *forged_fields_stay {
                    "; fields of our name that come with mail stay"
                } else {
                    ""
                };
                write!(
                    f,
                    "{kind} (the server grants too little for edits{forged_fields})"
                )
            }
            Self::Stuck(connections) => write!(f, "{kind} ({connections} connections do not end)"),
            Self::InexpressibleEdit(why) => write!(f, "{kind} ({why})"),
            Self::ClientGone
            | Self::ClientNetwork
            | Self::Connections
            | Self::EightBit
            | Self::IdleClosed
            | Self::NextHop(_)
            | Self::Panic
            | Self::ServerGone
            | Self::Slow
            | Self::Stopped
            | Self::Usage => f.write_str(kind),
        }
    }
}

impl std::error::Error for Fault {}

impl From<HopFault> for Fault {
    fn from(fault: HopFault) -> Self {
        Self::NextHop(fault)
    }
}

impl From<ProtocolError> for Fault {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<InexpressibleEdit> for Fault {
    fn from(why: InexpressibleEdit) -> Self {
        Self::InexpressibleEdit(why)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::next_hop_fault::BadReply;

    fn io() -> io::Error {
        io::Error::other("disk full")
    }

    /// One fault of each kind, and of each form of a kind.
    pub(crate) fn all() -> Vec<(Fault, &'static str)> {
        vec![
            (Fault::Accept(io()), "accept (disk full)"),
            (Fault::ClientGone, "client-gone"),
            (Fault::ClientNetwork, "client-network"),
            (Fault::Connect(io()), "connect (disk full)"),
            (Fault::Connections, "connections"),
            (Fault::EightBit, "eight-bit"),
            (Fault::IdleClosed, "idle-closed"),
            (Fault::Io(io()), "io (disk full)"),
            (Fault::Ledger(io()), "ledger (disk full)"),
            (
                Fault::LedgerLate,
                "ledger (the engine changed while the message arrived)",
            ),
            (Fault::LedgerSweep(io()), "ledger-sweep (disk full)"),
            (Fault::NextHop(HopFault::Closing), "next-hop-closing"),
            (Fault::NextHop(HopFault::Lost), "next-hop-lost"),
            (Fault::NextHop(HopFault::Refuses), "next-hop-refuses"),
            (
                Fault::NextHop(HopFault::Reply(BadReply::Unasked)),
                "reply-unasked",
            ),
            (
                Fault::NextHop(HopFault::Reply(BadReply::TooLong)),
                "reply-too-long",
            ),
            (
                Fault::NextHop(HopFault::Reply(BadReply::Malformed)),
                "reply-malformed",
            ),
            (Fault::Panic, "panic"),
            (
                ProtocolError::UnknownCommand(b'z').into(),
                "unknown-command (command z)",
            ),
            (ProtocolError::Empty.into(), "packet-empty"),
            (
                ProtocolError::TooLong(2_000_000).into(),
                "packet-too-long (2000000 bytes)",
            ),
            (
                ProtocolError::NotNegotiated(b'M').into(),
                "not-negotiated (command M)",
            ),
            (ProtocolError::NegotiatedTwice.into(), "negotiated-twice"),
            (ProtocolError::ShortNegotiation.into(), "optneg-short"),
            (ProtocolError::OldVersion(1).into(), "optneg-version (1)"),
            (
                ProtocolError::MissingNul(b'L').into(),
                "string-without-end (command L)",
            ),
            (ProtocolError::BadConnect.into(), "connect-data"),
            (
                Refusal::NoMessage.into(),
                "inexpressible-edit (no message waits for a decision)",
            ),
            (
                Fault::ReportOnly {
                    forged_fields_stay: false,
                },
                "report-only (the server grants too little for edits)",
            ),
            (
                Fault::ReportOnly {
                    forged_fields_stay: true,
                },
                "report-only (the server grants too little for edits; fields of our name that come with mail stay)",
            ),
            (Fault::ServerGone, "server-gone"),
            (Fault::Slow, "slow"),
            (Fault::Spool(io()), "spool (disk full)"),
            (Fault::Stopped, "stopped"),
            (Fault::Stuck(2), "stopped (2 connections do not end)"),
            (
                InexpressibleEdit::NotAField.into(),
                "inexpressible-edit (an edit makes bytes that are not a field)",
            ),
            (Fault::Usage, "usage"),
        ]
    }

    #[test]
    fn a_fault_begins_with_its_kind() {
        for (fault, text) in all() {
            let (kind, told) = (fault.kind(), fault.to_string());
            assert_eq!(told, text);
            assert!(
                told == kind || told.starts_with(&format!("{kind} (")),
                "{fault:?}"
            );
            assert!(
                kind.bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_lowercase()),
                "{fault:?}"
            );
        }
    }
}
