//! Defines what a format of one file must know: how to recognize a file, and where its messages begin and end.
//!
//! # Limits
//! The bytes of a message are contiguous, except for one omitted range.

use std::io;
use std::ops::Range;

use super::input::LayoutInput;
use crate::box_event::BoxDetail;
use crate::following_line::FollowingLine;
use crate::line_ends::split_line;
use crate::source::Flags;

/// A format of a file with messages.
pub(crate) struct FileLayout {
    /// The name for display, such as `Babyl`.
    pub(crate) name: &'static str,
    /// Returns true for the first bytes of such a file: 512 of them, or fewer if the file is shorter.
    pub(super) recognizes: fn(&[u8]) -> bool,
    /// The extension of the files of this format, damaged or not, if each contains one message. None if a file contains any number.
    pub(super) message_extension: Option<&'static str>,
    /// Creates a divider at the start of a file.
    pub(super) divider: fn() -> Box<dyn Divider>,
}

/// Returns true if text begins with a header field.
pub(super) fn is_field(text: &[u8]) -> bool {
    FollowingLine::of(split_line(text).0) != FollowingLine::Other
}

/// Returns the name of a header field (RFC 5322, sections 2.2 and 4.5.8: blanks may stand before the colon).
pub(super) fn field_name(line: &[u8]) -> Option<&[u8]> {
    let name = line[..memchr::memchr(b':', line)?].trim_ascii_end();
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(name)
}

/// Returns the flags of the bits that are set. `known` has the number of each bit, from 0, and its flag.
pub(super) fn flags_of(bits: u64, known: &[(u32, u32)]) -> Flags {
    let set = known.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    Flags(set.fold(0, |flags, (_, flag)| flags | flag))
}

/// Divides a file into messages and the bytes between them. All offsets are those of the file.
pub(crate) trait Divider: Send {
    /// Examines what begins at `at`, the start of the file or the end of the item before.
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item>;

    /// Searches for the end of the item that [`Self::begin`] returned last, from `scan` on.
    ///
    /// Without an end in memory it returns None, and `scan` is the offset before which no end can be. After the last byte of the
    /// file, None means that the item ends with the file.
    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>>;

    /// Returns the detail of the event for an item that ends with the file and without its end mark.
    fn unended(&self) -> Option<BoxDetail> {
        None
    }
}

/// An item of a file: a message, or bytes that belong to none.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// True for a message.
    pub(crate) is_message: bool,
    /// Offset of the message, behind its separator. For a gap, its start.
    pub(crate) message: u64,
    /// Bytes that lie inside the message but do not belong to it. Often empty.
    pub(crate) omitted: Range<u64>,
    /// Offset where the search for the end begins.
    pub(crate) scan: u64,
    /// Flags of the message.
    pub(crate) flags: Flags,
}

impl Item {
    /// Returns an item for bytes that belong to no message.
    pub(crate) fn gap(at: u64) -> Self {
        Self {
            is_message: false,
            ..Self::message(at, Flags::default())
        }
    }

    /// Returns a message that begins at `at` and has no omitted bytes.
    pub(crate) fn message(at: u64, flags: Flags) -> Self {
        Self {
            is_message: true,
            message: at,
            omitted: 0..0,
            scan: at,
            flags,
        }
    }
}

/// The end of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemEnd {
    /// Offset behind the message.
    pub(crate) message: u64,
    /// Offset behind its trailer, where the next item begins.
    pub(crate) next: u64,
    /// Flags that stand behind the message.
    pub(crate) flags: Flags,
}

impl ItemEnd {
    /// Returns the end of a message at `message` whose trailer ends at `next`.
    pub(crate) fn new(message: u64, next: u64) -> Self {
        Self {
            message,
            next,
            flags: Flags::default(),
        }
    }
}
