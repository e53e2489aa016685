//! mbx: a mailbox format of the IMAP server of the University of Washington (UW imapd, c-client).
//!
//! ```text
//! *mbx* CR LF 3a5c0f1200000003 CR LF …                             head of 2048 bytes, padded with NUL
//!  7-Jul-2001 12:00:00 +0000,1234;000000000001-00000003 CR LF      separator: date, size, flags, UID
//! message of 1234 bytes
//! ```
//!
//! The last four digits before the hyphen are flags: 1 seen, 2 deleted, 4 flagged, 8 answered, 0x20 draft, 0x8000 removed but still
//! in the file. Source: `mbx_isvalid` and `mbx_parse` of `mbx.c` in c-client.
//!
//! # Limits
//! Reads removed messages like those that are marked as deleted. Keywords (the first eight digits) are no flags; they stay in the
//! ledger, as do UIDs and dates of receipt. Folders of messages have the dates as times of their files.

use std::io;

use super::by_size::{self, SizedItem};
use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd, flags_of};
use crate::box_event::BoxDetail;
use crate::source::Flags;

/// The format.
pub(super) const UW_MBX: FileLayout = FileLayout {
    name: "UW mbx",
    recognizes,
    message_extension: None,
    divider: || Box::<MbxDivider>::default(),
};

/// Length of the head.
const HEAD: u64 = 2048;
/// Largest number of bytes of a separator.
const NEAR: usize = 96;
/// Number of bytes of the date.
const DATE: usize = 26;
/// Number of bytes behind the size: flags, hyphen, UID, line end.
const TAIL: usize = 12 + 1 + 8 + 2;
/// Bits of the flags.
const FLAGS: [(u32, u32); 6] = [
    (0, Flags::SEEN),
    (1, Flags::TRASHED),
    (2, Flags::FLAGGED),
    (3, Flags::REPLIED),
    (5, Flags::DRAFT),
    (15, Flags::TRASHED),
];

/// Returns true for the first bytes of a file of this format.
fn recognizes(start: &[u8]) -> bool {
    let digits = |range| {
        start
            .get(range)
            .is_some_and(|digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit))
    };
    start.starts_with(b"*mbx*\r\n") && digits(7..23) && start.get(23..25) == Some(b"\r\n")
}

/// Divides an mbx file.
#[derive(Default)]
struct MbxDivider {
    item: SizedItem,
}

impl Divider for MbxDivider {
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item> {
        if at == 0 {
            let is_right = is_boundary(input, HEAD)?.unwrap_or(false);
            if !is_right && input.near(HEAD - 1, 2)?.len() == 2 {
                input.report(0, BoxDetail::NoMessageHere);
            }
            self.item = if is_right {
                SizedItem::Until(HEAD)
            } else {
                SizedItem::Search
            };
            return Ok(Item::gap(0));
        }
        let Some(separator) = Separator::parse(input.near(at, NEAR)?) else {
            input.report(at, BoxDetail::NoMessageHere);
            self.item = SizedItem::Search;
            return Ok(Item::gap(at));
        };
        let message = at + separator.length as u64;
        let end = message.saturating_add(separator.size);
        let mut item = Item::message(message, separator.flags);
        if is_boundary(input, end)? == Some(true) {
            self.item = SizedItem::Until(end);
            item.scan = message;
        } else {
            input.report(at, BoxDetail::WrongSize(separator.size));
            self.item = SizedItem::Search;
        }
        Ok(item)
    }

    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>> {
        self.item.end(input, scan, find_separator)
    }
}

fn is_boundary(input: &mut LayoutInput, at: u64) -> io::Result<Option<bool>> {
    by_size::is_boundary(input, at, NEAR, |near| Separator::parse(near).is_some())
}

/// Searches for a separator from `scan` on. Returns its offset.
fn find_separator(input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<u64>> {
    let mut from = *scan;
    loop {
        let data = input.rest(from);
        let Some(found) = memchr::memchr(b';', data) else {
            let end = input.window.end();
            *scan = end.saturating_sub(NEAR as u64).max(*scan);
            return Ok(None);
        };
        let semicolon = from + found as u64;
        // Date, comma and up to 20 digits precede it.
        let earliest = semicolon.saturating_sub((DATE + 1 + 20) as u64).max(*scan);
        let latest = semicolon.saturating_sub((DATE + 2) as u64);
        for at in earliest..=latest {
            let near = input.near(at, NEAR)?;
            if Separator::parse(near).is_some() {
                return Ok(Some(at));
            }
        }
        from = semicolon + 1;
    }
}

/// The line before a message.
#[derive(Debug, PartialEq, Eq)]
struct Separator {
    size: u64,
    flags: Flags,
    /// Length of the line with its end.
    length: usize,
}

impl Separator {
    fn parse(near: &[u8]) -> Option<Self> {
        let (date, rest) = near.split_at_checked(DATE)?;
        let rest = rest.strip_prefix(b",").filter(|_| is_date(date))?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let size = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        let tail = rest[digits..].strip_prefix(b";")?.get(..TAIL)?;
        let hexadecimal = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
        let is_right = hexadecimal(&tail[..12])
            && tail[12] == b'-'
            && hexadecimal(&tail[13..21])
            && tail.ends_with(b"\r\n");
        if !is_right {
            return None;
        }
        let flags = std::str::from_utf8(&tail[8..12]).ok()?;
        Some(Self {
            size,
            flags: flags_of(u64::from_str_radix(flags, 16).ok()?, &FLAGS),
            length: DATE + 1 + digits + 1 + TAIL,
        })
    }
}

/// Returns true for a date such as ` 7-Jul-2001 12:00:00 +0000`. `a` stands for a letter, `0` for a digit.
fn is_date(date: &[u8]) -> bool {
    const SHAPE: &[u8; DATE] = b"00-aaa-0000 00:00:00 +0000";
    date.iter()
        .zip(SHAPE)
        .enumerate()
        .all(|(index, (byte, shape))| match shape {
            b'0' => byte.is_ascii_digit() || (index == 0 && *byte == b' '),
            b'a' => byte.is_ascii_alphabetic(),
            b'+' => matches!(byte, b'+' | b'-'),
            shape => byte == shape,
        })
}
