//! Holds a message on its way to the next hop, in memory or in a file.
//!
//! # Limits
//! All header edits are known before the first byte is sent. The bytes are not inspected while they are sent.

use crate::server::Shared;
use crate::spool::Spool;
use mailglot_mime::Span;
use std::io;

/// Header edits of a message that goes on as it came.
#[derive(Debug, Default)]
pub(super) struct HeaderEdits {
    /// Fields that are added above it.
    pub(super) above: Vec<u8>,
    /// Ranges that are removed, in order and disjoint.
    pub(super) removed: Vec<Span>,
}

impl HeaderEdits {
    /// Returns the bytes that leave of a message of `size` bytes.
    pub(super) fn size(&self, came: usize) -> u64 {
        let removed: usize = self.removed.iter().map(|span| span.len()).sum();
        (came - removed + self.above.len()) as u64
    }
}

/// A message for the next hop.
#[derive(Debug)]
pub(super) struct OutgoingMessage {
    spool: Spool,
    header_edits: HeaderEdits,
}

impl OutgoingMessage {
    pub(super) fn new(spool: Spool, header_edits: HeaderEdits) -> Self {
        Self {
            spool,
            header_edits,
        }
    }

    /// Creates an empty message.
    pub(super) fn nothing(shared: &Shared) -> Self {
        Self::new(Spool::new(shared.budget.clone()), HeaderEdits::default())
    }

    /// Returns the bytes of the stored message, without added fields.
    pub(super) fn len(&self) -> u64 {
        self.spool.len()
    }

    /// Passes all bytes that leave to `take`, piece by piece.
    ///
    /// # Errors
    /// The file cannot be read, or `take` fails.
    pub(super) fn pieces(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.header_edits.above.is_empty() {
            take(&self.header_edits.above)?;
        }
        let (mut at, mut removed) = (0, self.header_edits.removed.iter().peekable());
        self.spool.pieces(|mut piece| {
            while !piece.is_empty() {
                while removed.next_if(|span| span.end <= at).is_some() {}
                let next = removed.peek();
                let skipped = next
                    .filter(|span| span.start <= at)
                    .map(|span| span.end - at);
                let until = skipped.or_else(|| next.map(|span| span.start - at));
                let (now, later) = piece.split_at(until.unwrap_or(piece.len()).min(piece.len()));
                if skipped.is_none() {
                    take(now)?;
                }
                (at, piece) = (at + now.len(), later);
            }
            Ok(())
        })
    }

    /// Returns true if all bytes that leave are ASCII.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn is_ascii(&mut self) -> io::Result<bool> {
        let mut ascii = true;
        self.pieces(|piece| {
            ascii &= piece.is_ascii();
            Ok(())
        })?;
        Ok(ascii)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::limits::Limits;
    use crate::spool::Budget;
    use std::sync::Arc;

    #[test]
    fn what_stays_behind_is_cut_wherever_pieces_end() {
        let text: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
        for removed in [
            vec![],
            vec![(0, 1)],
            vec![(0, 3), (3, 5), (9, 65_536)],
            vec![(65_535, 65_537), (131_072, 131_073), (199_999, 200_000)],
            vec![(0, 200_000)],
        ] {
            let limits = Limits {
                memory_bytes: 0,
                disk_reserve: 0,
                ..Limits::default()
            };
            for most in [0, usize::MAX] {
                let mut spool = Spool::new(Arc::new(Budget::of(&limits)));
                spool.keep(text.clone(), most).unwrap();
                let spans = removed
                    .iter()
                    .map(|(start, end)| Span::new(*start, *end))
                    .collect();
                let mut outgoing = OutgoingMessage::new(
                    spool,
                    HeaderEdits {
                        above: b"A: b\r\n".to_vec(),
                        removed: spans,
                    },
                );
                let mut want = b"A: b\r\n".to_vec();
                let stays = |at: &usize| {
                    !removed
                        .iter()
                        .any(|(start, end)| (start..end).contains(&at))
                };
                want.extend((0..text.len()).filter(stays).map(|at| text[at]));
                let mut got = Vec::new();
                outgoing
                    .pieces(|piece| {
                        got.extend_from_slice(piece);
                        Ok(())
                    })
                    .unwrap();
                assert!(got == want, "{removed:?} {most}");
                assert_eq!(outgoing.is_ascii().unwrap(), want.is_ascii());
            }
        }
    }
}
