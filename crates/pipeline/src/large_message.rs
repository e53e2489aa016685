//! Prepares a large message for the parser without a copy: removes omitted bytes and quoting in place, within its batch.
//!
//! # Limits
//!
//! A message with more than a million `From ` lines is not changed. Its caller copies it.

use crate::restore_quoting::{MOST_MARKS, from_lines, line_end};
use mailglot_archive::mbox::unquote_in_place;
use mailglot_archive::{Entry, EntryKind, Quoting};
use std::ops::Range;

/// Bytes from which a message is processed with less memory.
pub(crate) const LARGE: usize = 8 << 20;
/// Largest number of `From ` lines of a message that is changed in place.
pub(crate) const MOST_LINES: usize = 1 << 20;

/// A large message whose bytes in the batch are parsed as they are, and what was removed from them.
#[derive(Debug, Default)]
pub(crate) struct InPlace {
    /// Range of the message in the bytes of its batch.
    pub(crate) raw: Range<usize>,
    /// Bytes of the message as stored.
    pub(crate) stored: usize,
    /// The omitted bytes ([`Entry::omitted`]).
    pub(crate) omitted: Vec<u8>,
    /// Offset in the message where they stood.
    pub(crate) omitted_at: usize,
    /// Offsets in the message at which a `>` was removed.
    pub(crate) removed: Vec<usize>,
    /// Number of `>` of each `>*From ` line of the message as stored.
    pub(crate) marks: Vec<u64>,
    /// True if quoting the message again restores it.
    pub(crate) requotes: bool,
}

/// Removes omitted bytes and quoting from the message of an entry, or from a piece of one, in place. Returns the range of what is left.
///
/// `midline` means that the piece begins inside a line, which then is not quoted.
pub(crate) fn unquote_entry(entry: &Entry, batch: &mut [u8], midline: bool) -> Range<usize> {
    let Range { start, mut end } = entry.message;
    if !entry.omitted.is_empty() {
        batch.copy_within(entry.omitted.end..end, entry.omitted.start);
        end -= entry.omitted.len();
    }
    // A piece may begin with bytes of the one before, which `froms` does not cover.
    if entry.kind == EntryKind::Message && entry.froms == Some(false) {
        return start..end;
    }
    let head = if midline {
        line_end(&batch[start..end])
    } else {
        0
    };
    let lines = &mut batch[start + head..end];
    let removed = unquote_in_place(lines, entry.quoting, usize::MAX);
    start..end - removed.map_or(0, |removed| removed.len())
}

impl InPlace {
    /// Prepares the message of an entry whose message has at least `large` bytes. Returns None for any other entry.
    pub(crate) fn prepare(entry: &Entry, batch: &mut [u8], large: usize) -> Option<Self> {
        let Range { start, end } = entry.message;
        if entry.kind != EntryKind::Message || end - start < large {
            return None;
        }
        let mut marks = Vec::new();
        let mut same = true;
        if entry.froms != Some(false) {
            let lines = from_lines(&batch[start..end]).map(|(_, marks)| marks as u64);
            marks.extend(lines.take(MOST_LINES + 1));
            let is_beyond = |&marks: &u64| marks > MOST_MARKS as u64;
            if marks.len() > MOST_LINES || marks.iter().any(is_beyond) {
                return None;
            }
            same = entry.quoting == Quoting::None || !marks.contains(&0);
        }
        let mut length = end - start;
        let (mut omitted, mut omitted_at) = (Vec::new(), 0);
        if !entry.omitted.is_empty() {
            omitted.extend_from_slice(&batch[entry.omitted.clone()]);
            omitted_at = entry.omitted.start - start;
            batch.copy_within(entry.omitted.end..end, entry.omitted.start);
            length -= omitted.len();
        }
        let removed = if marks.is_empty() {
            Vec::new()
        } else {
            let message = &mut batch[start..start + length];
            unquote_in_place(message, entry.quoting, MOST_LINES).unwrap_or_default()
        };
        Some(Self {
            raw: start..start + length - removed.len(),
            stored: end - start,
            omitted,
            omitted_at,
            removed,
            marks,
            requotes: same,
        })
    }

    /// Returns the entry as stored. `batch` has its message in place.
    pub(crate) fn stored_entry(&self, entry: &Entry, batch: &[u8]) -> Vec<u8> {
        let separator = &batch[entry.span.start..entry.message.start];
        let trailer = &batch[entry.message.end..entry.span.end];
        [separator, &self.stored_message(batch), trailer].concat()
    }

    /// Returns the message as stored, with its omitted bytes.
    pub(crate) fn stored_message(&self, batch: &[u8]) -> Vec<u8> {
        let mut bytes = self.quoted_message(batch);
        // A mailbox with omitted bytes has no quoting.
        bytes.splice(
            self.omitted_at..self.omitted_at,
            self.omitted.iter().copied(),
        );
        bytes
    }

    /// Returns the message as stored, without its omitted bytes.
    pub(crate) fn quoted_message(&self, batch: &[u8]) -> Vec<u8> {
        let raw = &batch[self.raw.clone()];
        let mut bytes = Vec::with_capacity(self.stored);
        let mut at = 0;
        for &place in &self.removed {
            bytes.extend_from_slice(&raw[at..place]);
            bytes.push(b'>');
            at = place;
        }
        bytes.extend_from_slice(&raw[at..]);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &[u8], omitted: Range<usize>, quoting: Quoting) -> Entry {
        Entry {
            message: 2..text.len() - 1,
            omitted,
            quoting,
            ..Entry::new(EntryKind::Message, 0, 0, 0..text.len())
        }
    }

    #[test]
    fn a_message_in_place_is_the_unquoted_message() {
        let text = b"S\nA: b\n\n>From x\n>>From y\nFrom z\n\n";
        for quoting in [Quoting::None, Quoting::Mboxo, Quoting::Mboxrd] {
            let entry = entry(text, 0..0, quoting);
            let mut batch = text.to_vec();
            let place = InPlace::prepare(&entry, &mut batch, 1).unwrap();
            let stored = &text[entry.message.clone()];
            let unquoted = mailglot_archive::mbox::unquote(stored, quoting);
            assert_eq!(batch[place.raw.clone()], unquoted[..], "{quoting:?}");
            let mut again = text.to_vec();
            let range = unquote_entry(&entry, &mut again, false);
            assert_eq!(again[range], unquoted[..], "{quoting:?}");
            assert_eq!(place.stored_entry(&entry, &batch), text, "{quoting:?}");
            assert_eq!((&place.marks[..], place.stored), (&[1, 2, 0][..], 30));
            assert_eq!(place.requotes, quoting == Quoting::None);
        }
    }

    #[test]
    fn omitted_bytes_are_removed() {
        let text = b"S\nA: b\n\nA: b\n\ntext\n\n";
        let entry = entry(text, 8..14, Quoting::None);
        let mut batch = text.to_vec();
        let place = InPlace::prepare(&entry, &mut batch, 1).unwrap();
        assert_eq!(&batch[place.raw.clone()], b"A: b\n\ntext\n");
        let mut again = text.to_vec();
        let range = unquote_entry(&entry, &mut again, false);
        assert_eq!(&again[range], b"A: b\n\ntext\n");
        assert_eq!(place.stored_entry(&entry, &batch), text);
    }

    #[test]
    fn only_large_messages_are_prepared() {
        let text = b"S\nA: b\n\n".as_slice();
        let mut entry = entry(text, 0..0, Quoting::None);
        assert!(InPlace::prepare(&entry, &mut text.to_vec(), 6).is_none());
        assert!(InPlace::prepare(&entry, &mut text.to_vec(), 5).is_some());
        entry.kind = EntryKind::Oversize;
        assert!(InPlace::prepare(&entry, &mut text.to_vec(), 5).is_none());
        let many = [">".repeat(MOST_MARKS + 1).as_bytes(), b"From x\n"].concat();
        let entry = self::entry(&many, 0..0, Quoting::Mboxrd);
        assert!(InPlace::prepare(&entry, &mut many.clone(), 5).is_some());
        let many = [b"\n\n", &many[..]].concat();
        let entry = self::entry(&many, 0..0, Quoting::Mboxrd);
        assert!(InPlace::prepare(&entry, &mut many.clone(), 5).is_none());
    }
}
