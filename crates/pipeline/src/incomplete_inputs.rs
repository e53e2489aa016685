//! Lists inputs that were not read completely, for the summary and as a note in the ledger.
//!
//! # Limits
//!
//! Says where an input is damaged, not which messages are missing.

use crate::error::UnreadInput;
use crate::json_file_name::own_file;
use mailglot_archive::{BoxEvent, BoxEventKind, ErrorKind};
use std::fmt;
use std::path::Path;

/// An input that was not read completely: it is damaged, or `--max-expansion` stopped it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteInput {
    /// Its path.
    pub path: String,
    /// Offset in the compressed file of the first skipped byte. 0 if the whole input is meant.
    pub offset: u64,
    /// The reason.
    pub reason: String,
    /// True if `--max-expansion` skipped readable bytes. False if the file is damaged.
    pub is_bounded: bool,
    /// True if nothing of it was read.
    pub is_unread: bool,
}

impl fmt::Display for IncompleteInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)?;
        // Events about a whole input, such as a public-inbox, have no offset.
        match self.offset {
            0 => Ok(()),
            offset => write!(f, " (at byte {offset})"),
        }
    }
}

/// Serializes the text that people read, under the key `damaged`.
impl serde::Serialize for IncompleteInput {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl IncompleteInput {
    /// Converts an event about the input at `path`, or about a file in it.
    pub(crate) fn of(path: &str, event: &BoxEvent) -> Self {
        let file = own_file(Some(Path::new(path)), &event.name);
        Self {
            path: file.map_or_else(|| path.to_owned(), |file| file.to_string()),
            offset: event.offset,
            reason: event.detail.to_string(),
            is_bounded: event.kind == BoxEventKind::Expansion,
            is_unread: false,
        }
    }

    /// Converts a file or folder that could not be read.
    pub(crate) fn unread(unread: &UnreadInput) -> Self {
        Self {
            path: unread.error.path().to_string_lossy().into_owned(),
            offset: 0,
            reason: unread.error.kind().to_string(),
            is_bounded: false,
            // Of a folder that changed meanwhile, some messages were read.
            is_unread: !matches!(unread.error.kind(), ErrorKind::FolderChanged),
        }
    }

    /// Formats the note for a ledger: `{"incomplete":PATH,"is_damaged":BOOLEAN,"is_unread":BOOLEAN,"offset":N,"reason":TEXT}`. Readers find it by
    /// its first key.
    pub(crate) fn note(&self) -> Vec<u8> {
        let note = serde_json::json!({
            "incomplete": self.path,
            "is_damaged": !self.is_bounded,
            "is_unread": self.is_unread,
            "offset": self.offset,
            "reason": self.reason,
        });
        note.to_string().into_bytes()
    }

    /// Parses a note of a ledger. Returns `None` if it is about something else.
    pub(crate) fn from_note(note: &[u8]) -> Option<Self> {
        if !note.starts_with(b"{\"incomplete\":") {
            return None;
        }
        let note: serde_json::Value = serde_json::from_slice(note).ok()?;
        Some(Self {
            path: note["incomplete"].as_str()?.to_owned(),
            offset: note["offset"].as_u64()?,
            reason: note["reason"].as_str()?.to_owned(),
            // Older ledgers note only inputs that `--max-expansion` stopped.
            is_bounded: note["is_damaged"].as_bool() != Some(true),
            is_unread: note["is_unread"].as_bool() == Some(true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_shown_if_there_is_one() {
        for (offset, expected) in [(0, "a: r"), (7, "a: r (at byte 7)")] {
            let input = IncompleteInput {
                path: "a".to_owned(),
                offset,
                reason: "r".to_owned(),
                is_bounded: false,
                is_unread: false,
            };
            assert_eq!(input.to_string(), expected);
        }
    }

    #[test]
    fn note_round_trips() {
        for is_bounded in [true, false] {
            let input = IncompleteInput {
                path: "a \"b\".gz".to_owned(),
                offset: 230_564,
                reason: "r".to_owned(),
                is_bounded,
                is_unread: !is_bounded,
            };
            assert_eq!(IncompleteInput::from_note(&input.note()), Some(input));
        }
        let older = br#"{"incomplete":"a.gz","offset":7,"reason":"r"}"#;
        assert!(IncompleteInput::from_note(older).is_some_and(|input| input.is_bounded));
        for other in [&b"{}"[..], b"{\"incomplete\":1}", b"{\"incomplete\":", b""] {
            assert_eq!(IncompleteInput::from_note(other), None);
        }
    }
}
