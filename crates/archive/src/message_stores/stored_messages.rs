//! Defines how an opened message store gives out its messages.
//!
//! # Limits
//! A store gives its messages out once, from first to last.

use crate::box_event::BoxEvent;
use crate::error::{Error, ErrorKind};
use crate::source::Flags;

/// An opened store.
pub(crate) struct OpenedStore {
    pub(crate) messages: Box<dyn StoredMessages>,
    /// Events that were found when the store was opened.
    pub(crate) events: Vec<BoxEvent>,
}

/// The messages of an opened store, in order. The caller adds the path of the store to errors.
pub(crate) trait StoredMessages: Send {
    /// Goes to the next message. An error ends the store.
    fn next(&mut self, events: &mut Vec<BoxEvent>) -> Result<NextMessage, ErrorKind>;

    /// Appends the next `wanted` bytes of the current message to `bytes`. Fewer bytes mean that the message ends there.
    fn read(
        &mut self,
        wanted: usize,
        bytes: &mut Vec<u8>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind>;

    /// Returns the size of the store in bytes if it is about that of its messages.
    fn size_hint(&self) -> Option<u64> {
        None
    }

    /// Returns true if the store changed since it was opened.
    fn changed(&self) -> Result<bool, Error>;
}

/// Result of going to the next message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextMessage {
    /// A message.
    Found(StoredMessage),
    /// Events were added, and the search for the message continues with the next call.
    EventsFirst,
    /// There are no more messages.
    End,
}

/// Number of events after which a search for a message pauses.
pub(crate) const PAUSE: usize = 1000;

/// A message of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredMessage {
    /// What identifies the message in its store: letters and digits.
    pub(crate) id: String,
    /// Its size in bytes, if it is known beforehand.
    pub(crate) size: Option<u64>,
    /// Its flags.
    pub(crate) flags: Flags,
}
