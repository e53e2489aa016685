//! Lists the reasons why a message gets less than its policy says (`why=` in the log).

use crate::policy::Finding;

/// Why a message gets less than its policy says, or does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// The next hop lacks 8BITMIME.
    EightBit,
    /// A fault of this kind.
    Fault(&'static str),
    /// The message has passed too many servers.
    Loop,
    /// The message exceeds the SIZE of the next hop.
    NextHopSize,
    /// The connection to the next hop was lost.
    NextHopLost,
    /// The next hop refused or deferred the message.
    NextHopRefused,
    /// A proxy cannot quarantine a message.
    NoQuarantine,
    /// Only some edits are made.
    Partial,
    /// The mail server did not grant the quarantine.
    QuarantineNotGranted,
    /// No edits are made: the findings are only reported.
    ReportOnly,
    /// A CR without LF keeps a field from being changed.
    StrayReturn,
    /// The message needs more field changes than a mail server accepts.
    TooManyChanges,
    /// The message has more forged fields than can be deleted.
    TooManyForgedFields,
    /// The message is not judged, because of this finding.
    Unread(Finding),
    /// The rewritten message cannot be sent.
    Unsendable,
}

impl Remark {
    /// Returns a stable name for logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::EightBit => "eight-bit",
            Self::Fault(kind) => kind,
            Self::Loop => "loop",
            Self::NextHopSize => "next-hop-size",
            Self::NextHopLost => "next-hop-lost",
            Self::NextHopRefused => "next-hop-refused",
            Self::NoQuarantine => "no place for quarantine",
            Self::Partial => "partial",
            Self::QuarantineNotGranted => "quarantine not granted",
            Self::ReportOnly => "report-only",
            Self::StrayReturn => "stray return",
            Self::TooManyChanges => "too many changes",
            Self::TooManyForgedFields => "too many claims",
            Self::Unread(finding) => finding.id(),
            Self::Unsendable => "unsendable",
        }
    }
}
