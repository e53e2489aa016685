//! rnews: batches of news articles, as servers exchange them by UUCP, and as gateways between mail and news store them.
//!
//! ```text
//! #! rnews 1234                           separator: number of bytes
//! article of 1234 bytes
//! ```
//!
//! Source: RFC 5537, section 4.1 (`application/news-transmission`); rnews(1) of INN.
//!
//! # Limits
//! Reads no compressed batches (`#! cunbatch`); their content can be unpacked by gzip. Never written.

use std::io;

use super::by_size::{self, SizedItem};
use super::input::LayoutInput;
use super::layout::{Divider, FileLayout, Item, ItemEnd};
use crate::box_event::BoxDetail;
use crate::line_ends::split_line;
use crate::source::Flags;

/// The format.
pub(super) const RNEWS: FileLayout = FileLayout {
    name: "rnews",
    recognizes: |start| ArticleSeparator::parse(start).is_some(),
    message_extension: None,
    divider: || Box::<RnewsDivider>::default(),
};

/// First bytes of a separator.
const MARK: &[u8] = b"#! rnews ";
/// Largest number of bytes of a separator.
const NEAR: usize = 64;

/// Divides a batch.
#[derive(Default)]
struct RnewsDivider {
    item: SizedItem,
}

impl Divider for RnewsDivider {
    fn begin(&mut self, input: &mut LayoutInput, at: u64) -> io::Result<Item> {
        self.item = SizedItem::Search;
        let Some(separator) = ArticleSeparator::parse(input.near(at, NEAR)?) else {
            input.report(at, BoxDetail::NoMessageHere);
            return Ok(Item::gap(at));
        };
        let article = at + separator.length as u64;
        let end = article.saturating_add(separator.size);
        let is_separator = |near: &[u8]| ArticleSeparator::parse(near).is_some();
        if by_size::is_boundary(input, end, NEAR, is_separator)? == Some(true) {
            self.item = SizedItem::Until(end);
        } else {
            input.report(at, BoxDetail::WrongSize(separator.size));
        }
        Ok(Item::message(article, Flags::default()))
    }

    fn end(&mut self, input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<ItemEnd>> {
        self.item.end(input, scan, find_separator)
    }
}

/// Searches for a line that is a separator from `scan` on. Returns its offset.
fn find_separator(input: &mut LayoutInput, scan: &mut u64) -> io::Result<Option<u64>> {
    input.find_separator(scan, MARK, NEAR, |near| {
        ArticleSeparator::parse(near).is_some()
    })
}

/// The line before an article.
#[derive(Debug, PartialEq, Eq)]
struct ArticleSeparator {
    size: u64,
    /// Length of the line with its end.
    length: usize,
}

impl ArticleSeparator {
    fn parse(near: &[u8]) -> Option<Self> {
        let near = &near[..near.len().min(NEAR)];
        let (line, length) = split_line(near);
        let digits = line.strip_prefix(MARK)?.trim_ascii();
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        if !is_number || length == line.len() {
            return None;
        }
        let size = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some(Self { size, length })
    }
}
