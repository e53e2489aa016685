//! Finds messages whose bytes a job has read before.
//!
//! Two messages are equal if `mailglot cat` prints the same bytes for them: separator lines and the mailbox's quoting do not count.
//! Every header field counts. Copies of a list message that differ in `Received`, `Status` or `X-Mozilla-Status` are not equal, nor
//! are copies with other line ends. Flags in file names, folders and labels in the archive do not count.
//!
//! # Limits
//! Keeps 24 bytes for each different message: 16 of a BLAKE3 digest, and its number. The table needs up to 100 bytes per message while it
//! grows. A message above the size limit is not compared, since its first piece is processed before its last one is read.

use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, BoxDetail, BoxEvent, BoxEventKind, Entry, EntryKind};
use mailglot_mime::named;
use std::collections::HashMap;

named! {
    /// What happens to a message whose bytes were read before in the same job.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Dedupe {
        /// An event names the first such message.
        Mark = "mark",
        /// The event, and the message is dropped on request.
        Drop = "drop",
    }
}

/// The first 16 bytes of the BLAKE3 digest of a message.
type Digest = [u8; 16];

/// The messages of a job so far.
#[derive(Debug, Default)]
pub(crate) struct SeenMessages {
    /// The number of each different message in the job, from 0.
    numbers: HashMap<Digest, u64>,
    /// The sources so far.
    sources: Vec<SeenSource>,
    /// Number of the first message of the next source.
    next: u64,
}

/// A source whose messages have numbers.
#[derive(Debug)]
struct SeenSource {
    /// Number of its first message.
    start: u64,
    /// Its path for display.
    path: String,
    /// True if the path is the address of its only message.
    is_one_message: bool,
}

impl SeenMessages {
    /// Begins a source.
    pub(crate) fn begin(&mut self, path: String, is_one_message: bool) {
        self.sources.push(SeenSource {
            start: self.next,
            path,
            is_one_message,
        });
    }

    /// Returns the event of a message that is equal to an earlier one. Remembers any other.
    pub(crate) fn duplicate(&mut self, entry: &Entry, batch: &Batch) -> Option<BoxEvent> {
        let start = self.sources.last()?.start;
        let number = start + entry.ordinal;
        self.next = self.next.max(number + 1);
        if entry.kind != EntryKind::Message {
            return None;
        }
        let first = *self
            .numbers
            .entry(digest(entry, &batch.bytes))
            .or_insert(number);
        (first != number).then(|| BoxEvent {
            kind: BoxEventKind::Duplicate,
            offset: entry.offset,
            detail: BoxDetail::Duplicate {
                first: self.address(first),
            },
            name: entry.name.clone(),
        })
    }

    /// Returns the address of a message.
    fn address(&self, number: u64) -> String {
        let after = self
            .sources
            .partition_point(|source| source.start <= number);
        let source = after.checked_sub(1).and_then(|at| self.sources.get(at));
        source.map_or_else(String::new, |source| {
            if source.is_one_message {
                source.path.clone()
            } else {
                format!("{}:{}", source.path, number - source.start)
            }
        })
    }
}

/// Returns the digest of a message without its quoting.
fn digest(entry: &Entry, batch: &[u8]) -> Digest {
    let message = entry.message_in(batch);
    let digest = if entry.froms == Some(false) {
        blake3::hash(&message)
    } else {
        blake3::hash(&unquote(&message, entry.quoting))
    };
    let mut short = Digest::default();
    short.copy_from_slice(&digest.as_bytes()[..size_of::<Digest>()]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Quoting;

    fn entry(ordinal: u64, kind: EntryKind, quoting: Quoting, length: usize) -> Entry {
        Entry {
            quoting,
            ..Entry::new(kind, ordinal, 7, 0..length)
        }
    }

    #[test]
    fn addresses_name_the_first_copy_in_any_source() {
        let mut seen = SeenMessages::default();
        let mut find = |source: Option<(&str, bool)>, ordinal, kind, quoting, text: &str| {
            if let Some((path, is_one)) = source {
                seen.begin(path.to_owned(), is_one);
            }
            let batch = Batch {
                bytes: text.as_bytes().to_vec(),
                ..Batch::default()
            };
            let event = seen.duplicate(&entry(ordinal, kind, quoting, text.len()), &batch);
            event.map(|event| match event.detail {
                BoxDetail::Duplicate { first } => first,
                other => panic!("{other:?}"),
            })
        };
        let (whole, piece) = (EntryKind::Message, EntryKind::Oversize);
        let (plain, rd) = (Quoting::None, Quoting::Mboxrd);
        assert_eq!(
            find(Some(("a", false)), 0, whole, rd, "a: 1\n\n>From x\n"),
            None
        );
        assert_eq!(find(None, 1, whole, rd, "a: 2\n\n"), None);
        assert_eq!(find(None, 2, whole, rd, "a: 2\n\n"), Some("a:1".to_owned()));
        // Pieces count, but are not compared.
        assert_eq!(find(None, 3, piece, rd, "a: 2\n\n"), None);
        assert_eq!(
            find(Some(("empty", false)), 0, whole, plain, "a: 3\r\n"),
            None
        );
        assert_eq!(
            find(Some(("b.eml", true)), 0, whole, plain, "a: 4\n\n"),
            None
        );
        let quoted = find(Some(("c", false)), 0, whole, plain, "a: 1\n\nFrom x\n");
        assert_eq!(quoted, Some("a:0".to_owned()));
        // Other line ends are other bytes.
        assert_eq!(find(None, 1, whole, plain, "a: 3\n"), None);
        assert_eq!(
            find(None, 2, whole, plain, "a: 4\n\n"),
            Some("b.eml".to_owned())
        );
        assert_eq!(
            find(None, 3, whole, plain, "a: 3\n"),
            Some("c:1".to_owned())
        );
    }
}
