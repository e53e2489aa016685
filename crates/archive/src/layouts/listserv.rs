//! Notebook archives of LISTSERV: files such as `LOG9603`, in which the server keeps the messages of a mailing list.
//!
//! ```text
//! =========================================================================   separator: 73 signs
//! Date:         Fri, 1 Mar 1996 08:18:14 -0800                                header of the message
//! ```
//!
//! Source: L-Soft, List Owner's Manual for LISTSERV, "Correct Notebook Log Format".
//!
//! # Limits
//! A text that quotes a separator with the header behind it, Date and From included, begins a message. LISTSERV reads it so, too.
//! Never written.

use std::io;

use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd, field_name};
use crate::box_event::BoxDetail;
use crate::line_ends::split_line;
use crate::source::Flags;

/// The format.
pub(super) const LISTSERV: FileLayout = FileLayout {
    name: "LISTSERV notebook",
    recognizes,
    message_extension: None,
    divider: || Box::new(ListservDivider),
};

/// The line before each message.
const SEPARATOR: &[u8; 73] = &[b'='; 73];
/// Number of bytes in which the header of a message is looked for, with its separator.
const NEAR: usize = 4096;
/// Number of bytes at the start of a file that must show a separator and a header.
const START: usize = 512;

/// Returns true for the first bytes of a file of this format.
fn recognizes(start: &[u8]) -> bool {
    let start = &start[..start.len().min(START)];
    separator(start, start.len() < START).is_some()
}

/// Divides a notebook.
struct ListservDivider;

impl Divider for ListservDivider {
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item> {
        // The search has examined the header of every other message.
        let near = input.near(at, SEPARATOR.len() + 2)?;
        let Some(length) = separator_line(near) else {
            input.report(at, BoxDetail::NoMessageHere);
            return Ok(Item::gap(at));
        };
        Ok(Item::message(at + length as u64, Flags::default()))
    }

    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>> {
        let found = input.find_separator(scan, SEPARATOR, NEAR, |near| {
            separator(near, near.len() < NEAR).is_some()
        })?;
        Ok(found.map(|at| ItemEnd::new(at, at)))
    }
}

/// Returns the length of a separator line with its end.
fn separator_line(near: &[u8]) -> Option<usize> {
    let (line, length) = split_line(near);
    (line == SEPARATOR && length > line.len()).then_some(length)
}

/// Returns the length of the separator line if a header with Date and From follows it at once. `is_all` says that `near` ends with the file.
///
/// Every line up to the first empty one must be a field or continue one: `Date: ...`, `From: ...`. If `near` ends within the header, Date is
/// enough, since LISTSERV writes it first.
fn separator(near: &[u8], is_all: bool) -> Option<usize> {
    let separator = separator_line(near)?;
    let mut rest = &near[separator..];
    let (mut has_date, mut has_from, mut is_first) = (false, false, true);
    loop {
        let (line, length) = split_line(rest);
        let is_cut = length == line.len() && !is_all;
        // A message without a text may have no empty line.
        if (line.is_empty() || line == SEPARATOR) && !is_cut {
            return (has_date && has_from).then_some(separator);
        }
        if is_cut {
            return has_date.then_some(separator);
        }
        let is_continuation = matches!(line[0], b' ' | b'\t') && !is_first;
        if !is_continuation {
            let name = field_name(line)?;
            has_date |= name.eq_ignore_ascii_case(b"Date");
            has_from |= name.eq_ignore_ascii_case(b"From");
        }
        is_first = false;
        rest = &rest[length..];
    }
}
