//! Babyl, version 5: the mailbox format of Rmail before Emacs 23.
//!
//! ```text
//! BABYL OPTIONS:                          head, up to the first 0x1F
//! Version: 5
//! 0x1F 0x0C
//! 1, answered,, a-label,                  separator: digit, attributes, labels of the user
//! From: …  full header                    message, if the digit is 1
//!
//! *** EOOH ***                            omitted: the pruned header that Rmail showed
//! From: …  pruned header
//!
//! body
//! 0x1F                                    trailer
//! ```
//!
//! With the digit 0 there is one header, behind `*** EOOH ***`. The message has its full header, and the ledger has the other one.
//! Some files have the digit 1 but no pruned header: the body begins right behind `*** EOOH ***`.
//! Source: `etc/BABYL` of Emacs 22; `rmail-convert-to-babyl-format` and `rmail-reformat-message` of its Lisp files.
//!
//! # Limits
//! Labels of the user are no flags; they stay in the ledger. Emacs 20 to 22 stored decoded text in emacs-mule, and left the charset
//! of the header as it was (field X-Coding-System). Such text is read by its label. A header above 1 MiB is not divided.

use std::collections::HashSet;
use std::io;

use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd, field_name, is_field};
use crate::box_event::BoxDetail;
use crate::line_ends::{split_line, without_line_end};
use crate::source::Flags;

/// The format.
pub(super) const BABYL: FileLayout = FileLayout {
    name: "Babyl",
    recognizes: |start| start.starts_with(b"BABYL OPTIONS:"),
    message_extension: None,
    divider: || Box::<BabylDivider>::default(),
};

/// Largest number of bytes of the line with labels, and of blanks behind a message.
const NEAR: usize = 4 << 10;
/// Largest number of bytes of both headers.
const HEADERS: usize = 1 << 20;
/// The line between the two headers.
const END_OF_HEADER: &[u8] = b"*** EOOH ***";

/// Divides a Babyl file.
#[derive(Default)]
struct BabylDivider {
    /// True if the current item is a message, and not the head of the file.
    is_message: bool,
    /// Offset of the first mark in the head behind which no message was found.
    skipped_mark: Option<u64>,
}

impl Divider for BabylDivider {
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item> {
        self.is_message = at > 0;
        if !self.is_message {
            return Ok(Item::gap(at));
        }
        let near = input.near(at, NEAR)?;
        let marker = marker(near);
        let Some(labels) = Labels::parse(&near[marker..]) else {
            input.report(at, BoxDetail::NoLabels);
            return Ok(Item::message(at + marker as u64, Flags::default()));
        };
        let start = at + (marker + labels.length) as u64;
        let Some(headers) = Headers::find(input, start)? else {
            input.report(at, BoxDetail::NoHeaderEnd);
            return Ok(Item::message(start, labels.flags));
        };
        if headers.has_full != labels.is_pruned {
            input.report(at, BoxDetail::OtherHeader);
        }
        if !headers.has_pruned {
            input.report(at, BoxDetail::NoDisplayedHeader);
        }
        let mut item = Item::message(start + headers.message as u64, labels.flags);
        let base = start;
        item.omitted = base + headers.omitted.start as u64..base + headers.omitted.end as u64;
        item.scan = item.omitted.end.max(item.message);
        Ok(item)
    }

    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>> {
        let mut skipped_in_message = None;
        let skipped = if self.is_message {
            &mut skipped_in_message
        } else {
            &mut self.skipped_mark
        };
        let found = find_end(input, scan, skipped)?;
        if found.is_some()
            && let Some(mark) = self.skipped_mark.take()
        {
            input.report(mark, BoxDetail::NoMessageHere);
        }
        if let Some(end) = found.filter(|end| end.message == end.next) {
            input.report(end.next, BoxDetail::NoEndMark);
        }
        Ok(found)
    }

    fn unended(&self) -> Option<BoxDetail> {
        Some(BoxDetail::NoEndMark)
    }
}

/// Searches for an end mark, or for a message that begins although the one before has no end mark.
///
/// `skipped` receives the offset of the first mark that ends nothing.
fn find_end(
    input: &mut LayoutInput,
    scan: &mut u64,
    skipped: &mut Option<u64>,
) -> io::Result<Option<ItemEnd>> {
    loop {
        let data = input.rest(*scan);
        let Some(found) = memchr::memchr2(0x1f, 0x0c, data) else {
            *scan = input.window.end().max(*scan);
            return Ok(None);
        };
        let at = *scan + found as u64;
        let before = input.rest(at.saturating_sub(1)).first();
        let starts_line = matches!(before, Some(b'\n' | b'\r'));
        let near = input.near(at, NEAR)?;
        let ends = if near[0] == 0x1f {
            after_mark(near).map(|length| ItemEnd::new(at, at + length as u64))
        } else {
            let marker = marker(near);
            let begins = starts_line && marker > 0 && Labels::parse(&near[marker..]).is_some();
            begins.then(|| ItemEnd::new(at, at))
        };
        if ends.is_some() {
            return Ok(ends);
        }
        if near[0] == 0x1f {
            skipped.get_or_insert(at);
        }
        *scan = at + 1;
    }
}

/// Returns the length of an end mark with the blanks behind it. None if neither a message nor the end of the file follows.
fn after_mark(near: &[u8]) -> Option<usize> {
    let blanks = near[1..]
        .iter()
        .take_while(|byte| matches!(byte, b'\n' | b'\r' | b' ' | b'\t'))
        .count();
    let rest = &near[1 + blanks..];
    let ends_file = rest.is_empty() && near.len() < NEAR;
    (ends_file || marker(rest) > 0).then_some(1 + blanks)
}

/// Returns the length of a form feed and its line end, or 0. The file may end in them.
fn marker(bytes: &[u8]) -> usize {
    match bytes {
        [0x0c] => 1,
        [0x0c, b'\n' | b'\r', ..] => split_line(bytes).1,
        _ => 0,
    }
}

/// The line with the labels of a message.
#[derive(Debug, PartialEq, Eq)]
struct Labels {
    /// True if the message has a pruned header beside its full one.
    is_pruned: bool,
    flags: Flags,
    /// Length of the line with its end.
    length: usize,
}

impl Labels {
    /// Parses `1, attribute, attribute,, label, label,`.
    fn parse(near: &[u8]) -> Option<Self> {
        let (line, length) = split_line(near);
        if length == line.len() {
            return None;
        }
        let (is_pruned, rest) = match line {
            [b'0', b',', rest @ ..] => (false, rest),
            [b'1', b',', rest @ ..] => (true, rest),
            _ => return None,
        };
        let both = memchr::memmem::find(rest, b",,").map(|at| &rest[..at]);
        let attributes = match both {
            Some(attributes) => attributes,
            None if rest.starts_with(b",") => b"",
            None => return None,
        };
        let mut flags = Flags::SEEN;
        for attribute in attributes.split(|&byte| byte == b',') {
            match attribute.trim_ascii() {
                b"unseen" => flags &= !Flags::SEEN,
                b"deleted" => flags |= Flags::TRASHED,
                b"answered" => flags |= Flags::REPLIED,
                b"forwarded" => flags |= Flags::PASSED,
                _ => {}
            }
        }
        Some(Self {
            is_pruned,
            flags: Flags(flags),
            length,
        })
    }
}

/// The headers of a message, as offsets behind the line with labels.
struct Headers {
    /// True if the full header precedes the pruned one.
    has_full: bool,
    /// True if a header follows the line between both, with an empty line behind it.
    has_pruned: bool,
    message: usize,
    omitted: std::ops::Range<usize>,
}

impl Headers {
    /// Finds the headers of the message whose labels end at `start`. None without a line that ends the first header.
    fn find(input: &mut LayoutInput, start: u64) -> io::Result<Option<Self>> {
        let mut length = NEAR;
        loop {
            // The headers end before the message does.
            let mut scan = start;
            let end =
                find_end(input, &mut scan, &mut None)?.map(|end| (end.message - start) as usize);
            let data = input.near(start, end.map_or(length, |end| end.min(length)))?;
            let found = end_of_header(data);
            let pruned_ends = found.is_some_and(|(_, after)| blank_line(&data[after..]).is_some());
            let is_whole = data.len() < length;
            if pruned_ends || is_whole || length >= HEADERS {
                return Ok(found.map(|(at, after)| Self::of(data, at, after, is_whole)));
            }
            length *= 2;
        }
    }

    /// Chooses the header in `data`, where the line between both has these offsets. `is_whole` is true if the message ends in `data`.
    fn of(data: &[u8], at: usize, after: usize, is_whole: bool) -> Self {
        let (before, rest) = (&data[..at], &data[after..]);
        let summary = summary_line(before);
        let full = &before[summary..];
        let has_full = is_field(full) && !is_from_line_only(full);
        if !has_full {
            return Self {
                has_full,
                has_pruned: true,
                message: after,
                omitted: after..after,
            };
        }
        let pruned = PrunedHeader::of(full, rest, is_whole);
        // One empty line must stay between header and body.
        let is_ended = blank_line(full).is_some_and(|(_, text)| text == full.len());
        let has_pruned = pruned.blank > 0 || pruned.length == rest.len();
        let text = after + pruned.length;
        let end = if is_ended {
            text + pruned.blank
        } else if has_pruned {
            text
        } else {
            without_line_end(&data[..text]).map_or(text, <[u8]>::len)
        };
        Self {
            has_full,
            has_pruned,
            message: summary,
            omitted: at..end,
        }
    }
}

/// The pruned header at the start of a text. All lengths are 0 without one.
#[derive(Default)]
struct PrunedHeader {
    /// Length with the last line end.
    length: usize,
    /// Length of the empty line behind it, or 0.
    blank: usize,
}

impl PrunedHeader {
    /// Finds the pruned header of a message with the header `full`. `is_whole` is true if the message ends in `rest`.
    ///
    /// Rmail pruned the full header, so other lines that look like fields are a body: `Note: at noon.`
    fn of(full: &[u8], rest: &[u8], is_whole: bool) -> Self {
        let known: HashSet<&[u8]> = lines(full).collect();
        let name_of = |line| {
            let name = field_name(line).filter(|_| is_field(line))?;
            Some(name.to_ascii_lowercase())
        };
        let names: HashSet<Vec<u8>> = lines(full).filter_map(name_of).collect();
        let mut found = Self::default();
        let mut has_known = false;
        while found.length < rest.len() {
            let (line, next) = split_line(&rest[found.length..]);
            if line.is_empty() {
                found.blank = next;
                break;
            }
            let is_cut = next == line.len();
            let is_repeated = known.contains(line)
                || is_cut && is_whole && known.iter().any(|other| other.starts_with(line));
            let name = name_of(line);
            let is_continued = found.length > 0 && matches!(line[0], b' ' | b'\t');
            if (is_cut && !is_whole) || !(is_repeated || is_continued || name.is_some()) {
                break;
            }
            has_known |= is_repeated || name.is_some_and(|name| names.contains(&name));
            found.length += next;
        }
        if has_known || found.length == 0 {
            found
        } else {
            Self::default()
        }
    }
}

/// Returns the lines of a text without their ends.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (line, length) = split_line(text);
        let rest = text.get(length..).filter(|_| length > 0)?;
        text = rest;
        Some(line)
    })
}

/// Returns the offsets of the line between both headers and of the next line.
fn end_of_header(data: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(data, END_OF_HEADER).find_map(|at| {
        let starts_line = at == 0 || matches!(data[at - 1], b'\n' | b'\r');
        let (line, length) = split_line(&data[at..]);
        (starts_line && line == END_OF_HEADER).then_some((at, at + length))
    })
}

/// Returns the offsets of the first empty line and of the line behind it.
fn blank_line(data: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        let (line, length) = split_line(&data[at..]);
        if length == line.len() {
            return None;
        }
        if line.is_empty() {
            return Some((at, at + length));
        }
        at += length;
    }
}

/// Returns the length of the line that Rmail kept for its summary before the full header.
fn summary_line(header: &[u8]) -> usize {
    const NAME: &[u8] = b"summary-line:";
    let is_summary = header
        .get(..NAME.len())
        .is_some_and(|name| name.eq_ignore_ascii_case(NAME));
    match split_line(header) {
        (line, length) if is_summary && length > line.len() => length,
        _ => 0,
    }
}

/// Returns true for the separator of an mbox, which Rmail stored as a field before the only header.
fn is_from_line_only(header: &[u8]) -> bool {
    const NAME: &[u8] = b"mail-from:";
    let end = split_line(header).1;
    let named = header
        .get(..NAME.len())
        .is_some_and(|name| name.eq_ignore_ascii_case(NAME));
    named && header[end..].trim_ascii().is_empty()
}
