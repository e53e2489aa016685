//! emlx: a message of Apple Mail in a file of its own.
//!
//! ```text
//! 1234                                    separator: number of bytes of the message, padded with blanks
//! From: …                                 message
//!
//! body
//! <?xml version="1.0" encoding="UTF-8"?>  trailer: a property list
//! <plist version="1.0"><dict> … <key>flags</key><integer>8590195713</integer> … </dict></plist>
//! ```
//!
//! Bits of `flags`: 0 read, 1 deleted, 2 answered, 4 flagged, 6 draft, 8 forwarded, 9 redirected. Source: "emlx flags?",
//! jwz.org/blog/2005/07/emlx-flags; docs.fileformat.com/email/emlx.
//!
//! # Limits
//! Reads the flags only; the other properties stay in the ledger. A property list of more than 1 MiB is part of the message.

use std::io;

use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd, flags_of, is_field};
use crate::box_event::BoxDetail;
use crate::source::Flags;

/// The format.
pub(super) const EMLX: FileLayout = FileLayout {
    name: "emlx",
    recognizes: |start| first_line(start).is_some_and(|(_, length)| is_field(&start[length..])),
    message_extension: Some("emlx"),
    divider: || Box::<EmlxDivider>::default(),
};

/// Largest number of bytes of the first line.
const NEAR: usize = 64;
/// Largest number of bytes of the property list.
const LIST: usize = 1 << 20;
/// Largest number of bytes of the XML declaration.
const HEAD: usize = 256;

/// Divides an emlx file into its three parts.
#[derive(Default)]
struct EmlxDivider {
    /// Offset behind the message, if the first line is right.
    end: Option<u64>,
}

impl Divider for EmlxDivider {
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item> {
        if at > 0 {
            // The file grew.
            self.end = None;
            return Ok(Item::gap(at));
        }
        let near = input.near(at, NEAR)?;
        let Some((size, length)) = first_line(near) else {
            let length = damaged_line(near) as u64;
            input.report(at, BoxDetail::NoSize);
            return Ok(Item::message(at + length, Flags::default()));
        };
        let message = at + length as u64;
        let end = message.saturating_add(size);
        let list = if end > message {
            input.ahead(end - 1, 1 + LIST + 1)?
        } else {
            None
        };
        let is_right = list.is_some_and(|near| match &near[..] {
            // The file ends earlier.
            [] => false,
            [_, rest @ ..] => is_list(rest) || (rest.len() <= LIST && rest.trim_ascii().is_empty()),
        });
        self.end = is_right.then_some(end);
        if !is_right {
            input.report(at, BoxDetail::WrongSize(size));
        }
        Ok(Item::message(message, Flags::default()))
    }

    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>> {
        if let Some(end) = self.end {
            if input.window.end() < end {
                *scan = input.window.end();
                return Ok(None);
            }
            return Ok(Some(with_list(end, input.near(end, LIST)?)));
        }
        loop {
            let data = input.rest(*scan);
            let Some(found) = memchr::memmem::find(data, b"<?xml") else {
                *scan = input.window.end().saturating_sub(4).max(*scan);
                return Ok(None);
            };
            let at = *scan + found as u64;
            let list = input.near(at, LIST + 1)?;
            if is_list(list) {
                return Ok(Some(with_list(at, list)));
            }
            *scan = at + 1;
        }
    }
}

/// Returns true if the property list of an emlx file stands in `start` where the first line says.
pub(super) fn is_exact(start: &[u8]) -> bool {
    let end = first_line(start).and_then(|(size, length)| (length as u64).checked_add(size));
    let end = end.and_then(|end| usize::try_from(end).ok());
    end.and_then(|end| start.get(end..))
        .is_some_and(|rest| is_list(&rest[..rest.len().min(HEAD)]))
}

/// Returns the end of a message at `at`, where `list` is the rest of the file.
fn with_list(at: u64, list: &[u8]) -> ItemEnd {
    ItemEnd {
        flags: flags(list),
        ..ItemEnd::new(at, at + list.len() as u64)
    }
}

/// Parses the first line: a decimal number and blanks. Returns the number, and the length of the line with its end.
fn first_line(start: &[u8]) -> Option<(u64, usize)> {
    let start = &start[..start.len().min(NEAR)];
    let end = memchr::memchr(b'\n', start)?;
    let number = std::str::from_utf8(start[..end].trim_ascii()).ok()?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| is_plain)?, end + 1))
}

/// Returns the length of a first line that is neither a number nor a header field, but stands before one.
fn damaged_line(near: &[u8]) -> usize {
    match memchr::memchr(b'\n', near) {
        Some(end) if !is_field(near) && is_field(&near[end + 1..]) => end + 1,
        _ => 0,
    }
}

/// Returns true if the rest of a file is a property list. `rest` has at most one byte more than [`LIST`].
fn is_list(rest: &[u8]) -> bool {
    let mut begins = rest.trim_ascii_start();
    if begins.starts_with(b"<?xml") {
        let declaration = &begins[..begins.len().min(HEAD)];
        let Some(end) = memchr::memmem::find(declaration, b"?>") else {
            return false;
        };
        begins = begins[end + 2..].trim_ascii_start();
    }
    let is_named = begins.starts_with(b"<!DOCTYPE plist") || begins.starts_with(b"<plist");
    rest.len() <= LIST && is_named
}

/// Returns the flags in a property list.
fn flags(list: &[u8]) -> Flags {
    const KEY: &[u8] = b"<key>flags</key>";
    let value = memchr::memmem::find(list, KEY).map(|at| list[at + KEY.len()..].trim_ascii_start());
    let digits = value
        .and_then(|value| value.strip_prefix(b"<integer>"))
        .map(<[u8]>::trim_ascii_start)
        .map(|value| {
            &value[..value
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()]
        });
    let bits: u64 = digits
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    let known = [
        (0, Flags::SEEN),
        (1, Flags::TRASHED),
        (2, Flags::REPLIED),
        (4, Flags::FLAGGED),
        (6, Flags::DRAFT),
        (8, Flags::PASSED),
        (9, Flags::PASSED),
    ];
    flags_of(bits, &known)
}
