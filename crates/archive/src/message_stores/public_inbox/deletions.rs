//! The messages that a public-inbox deleted later.
//!
//! # Limits
//! Keeps up to 500,000 deletions in memory, 40 bytes each. An inbox with more of them is an error.

use super::file_changes::FileChange;
use super::object_id::ObjectId;
use crate::error::ErrorKind;

/// Largest number of deletions.
const MOST: usize = 500_000;

/// A version of the format of public-inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InboxVersion {
    /// A message is a file whose path is the SHA-1 of its Message-ID: `ab/cdef…`.
    V1,
    /// Each commit has one file: `m` is a new message, `d` is one to delete.
    V2,
    /// The newest commit is damaged or has no files. Each path tells the version.
    Unknown,
}

/// What identifies a message for its deletion.
pub(super) type MessageKey = [u8; 32];

/// What a change does: it removes a message, and then adds another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangeEffect {
    pub(super) deleted: Option<MessageKey>,
    pub(super) added: Option<(MessageKey, ObjectId)>,
}

impl InboxVersion {
    /// Returns true if messages may lie in folders.
    pub(super) fn has_folders(self) -> bool {
        self != Self::V2
    }

    /// Returns the effect of a change.
    pub(super) fn effect(self, change: &FileChange) -> ChangeEffect {
        if change.old == change.new {
            // Only the mode of the file changed.
            return ChangeEffect::default();
        }
        match (self, &change.path[..]) {
            (Self::V2 | Self::Unknown, b"m") => ChangeEffect {
                deleted: None,
                added: change.new.map(|id| (id.bytes(), id)),
            },
            (Self::V2 | Self::Unknown, b"d") => ChangeEffect {
                deleted: change.new.map(ObjectId::bytes),
                added: None,
            },
            (Self::V1 | Self::Unknown, path) if is_message_path(path) => ChangeEffect {
                deleted: change.old.map(|id| key(path, id)),
                added: change.new.map(|id| (key(path, id), id)),
            },
            _ => ChangeEffect::default(),
        }
    }
}

/// Returns true for `ab/cdef…`, and for `ab/cdef…/1234…` of messages with one Message-ID.
pub(super) fn is_message_path(path: &[u8]) -> bool {
    let is_digits = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    let mut parts = path.split(|&byte| byte == b'/');
    let lengths = [2, 38].map(|length| {
        let part = parts.next();
        part.is_some_and(|part| part.len() == length && is_digits(part))
    });
    let own = parts.next();
    lengths == [true, true]
        && own.is_none_or(|own| matches!(own.len(), 40 | 64) && is_digits(own))
        && parts.next().is_none()
}

/// In version 1 the same content may be at several paths.
fn key(path: &[u8], id: ObjectId) -> MessageKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&id.bytes()).update(path);
    *hasher.finalize().as_bytes()
}

/// The deletions of an inbox. Positions count its changes.
#[derive(Debug, Default)]
pub(super) struct Deletions {
    /// Sorted, with the last position of each message.
    found: Vec<(MessageKey, u64)>,
}

impl Deletions {
    /// Adds a deletion.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn add(&mut self, key: MessageKey, position: u64) -> Result<(), ErrorKind> {
        if self.found.len() == MOST {
            self.sort();
        }
        if self.found.len() == MOST {
            let message = format!("more than {MOST} messages of the inbox were deleted");
            return Err(ErrorKind::Git(message));
        }
        self.found.push((key, position));
        Ok(())
    }

    /// Prepares [`Self::is_deleted`].
    pub(super) fn sort(&mut self) {
        self.found
            .sort_unstable_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
        self.found.dedup_by_key(|found| found.0);
    }

    /// Returns true if a message that was added at a position was deleted later.
    pub(super) fn is_deleted(&self, key: MessageKey, position: u64) -> bool {
        let found = self.found.binary_search_by(|found| found.0.cmp(&key));
        found.is_ok_and(|at| self.found[at].1 > position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_later_deletions_count() {
        let mut deletions = Deletions::default();
        for (key, position) in [(1, 5), (2, 3), (1, 9), (1, 7)] {
            deletions.add([key; 32], position).unwrap();
        }
        deletions.sort();
        for (key, position, expected) in [
            (1, 8, true),
            (1, 9, false),
            (2, 2, true),
            (2, 4, false),
            (3, 0, false),
        ] {
            assert_eq!(
                deletions.is_deleted([key; 32], position),
                expected,
                "{key} {position}"
            );
        }
    }

    /// The same deletion needs no memory again; other ones end with an error.
    #[test]
    fn memory_is_bounded() {
        let mut deletions = Deletions::default();
        for position in 0..2 * MOST as u64 {
            deletions.add([1; 32], position).unwrap();
        }
        let key = |number: u64| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_le_bytes());
            key
        };
        let failed = (0..2 * MOST as u64).find(|&number| deletions.add(key(number), 0).is_err());
        assert!(failed.is_some_and(|number| number < MOST as u64));
    }

    #[test]
    fn paths_of_messages_are_known() {
        let digits = "0".repeat(38);
        for (path, expected) in [
            (format!("ab/{digits}"), true),
            (format!("ab/{digits}/{}", "f".repeat(40)), true),
            (format!("ab/{digits}/{}", "f".repeat(39)), false),
            (format!("ab/{digits}/{}/x", "f".repeat(40)), false),
            (format!("abc/{digits}"), false),
            (format!("ab/{digits}0"), false),
            (format!("ag/{digits}"), false),
            ("ab".to_owned(), false),
            ("m".to_owned(), false),
        ] {
            assert_eq!(is_message_path(path.as_bytes()), expected, "{path}");
        }
    }
}
