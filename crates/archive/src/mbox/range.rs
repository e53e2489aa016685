//! Ranges of a mailbox: where they begin, and what a reader must know to read one.
//!
//! ```text
//! file ─► MailboxStarts ─► first_at(border) ─► RangeBorder, RangeBorder, … ─► MailboxRange ─► open
//! ```
//!
//! A message belongs to the range in which its separator starts. [`MailboxStarts`](super::MailboxStarts) finds the borders.
//!
//! # Limits
//! Only mailboxes that are files of their own, not compressed, and of a `From ` or MMDF dialect.

use super::profile::FileProfile;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Results of sniffing a mailbox, for readers of its ranges. It can be stored and handed to another machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MailboxProfile(pub(super) FileProfile);

/// The first bytes of a message in a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageStart {
    /// Offset of the separator.
    pub offset: u64,
    /// Offset of the message after the separator.
    pub message: u64,
}

/// A border between two ranges: the first message at or after an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeBorder {
    /// The message. None if no message starts at or after the offset.
    pub start: Option<MessageStart>,
    /// The ordinal of the message, if the file was read from its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u64>,
}

/// A run of messages in a mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailboxRange {
    /// The profile of the whole file.
    pub profile: Arc<MailboxProfile>,
    /// The first message. None for the start of the file, with the bytes before its first message.
    pub start: Option<MessageStart>,
    /// The ordinal of the first message.
    pub ordinal: u64,
    /// The offset at which the first message after the range starts. None for the end of the file.
    pub end: Option<u64>,
    /// Size of the file in bytes when it was sniffed.
    pub size: u64,
}

impl MailboxRange {
    /// Returns the number of bytes in the range.
    pub fn len(&self) -> u64 {
        self.end.unwrap_or(self.size) - self.start.map_or(0, |start| start.offset)
    }

    /// Returns true for a range without bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the range includes the end of the file.
    pub fn is_at_end(&self) -> bool {
        self.end.is_none()
    }

    /// Returns true if the range includes the start of the file.
    pub fn is_at_start(&self) -> bool {
        self.start.is_none()
    }
}
