//! mbox files: reads every dialect, writes mboxrd.
//!
//! [`open`](crate::open) reads a mailbox, and finds its dialect in the first part of the file.
//! [`MailboxOptions`](crate::MailboxOptions) sets the rule for `From ` lines, and decisions about single lines. [`MailboxRange`] reads a
//! part of a file, which begins at a [`MessageStart`].
//!
//! [`separator_for`], [`trailer_for`] and [`quote_mboxrd`] write a message into a mailbox. [`SeparatorWords`] has the sender and the date
//! of an old separator. [`mark_separator`] marks a message that leaves a multipart open.
//!
//! # Limits
//! Other formats of one file with many messages are in `layouts`.

mod delimiters;
mod division;
mod fields;
mod from_line;
mod joined_line;
mod profile;
mod range;
mod range_starts;
mod read;
mod separator_header;
mod separator_mark;
mod separator_words;
mod split;
#[cfg(test)]
mod tests;
mod write;

pub use crate::line_ends::{line_end_length, without_padding};
pub(crate) use profile::{
    has_dated_separators, is_mailbox, is_mailbox_inside, looks_like_message, separators,
};
pub use range::{MailboxProfile, MailboxRange, MessageStart, RangeBorder};
pub use range_starts::MailboxStarts;
pub(crate) use read::Mailbox;
pub use separator_mark::{mark_separator, needs_mark, pieces_need_mark};
pub use separator_words::SeparatorWords;
pub use write::{
    is_separator_kept, lf_trailer_for, line_end, quote_mboxrd, requote, requotes, separator_for,
    trailer_for, unquote, unquote_in_place, without_mmdf_lines,
};
