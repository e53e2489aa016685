//! Compressed inputs that were not read to their end: for the summary, and as a note in the ledger.
//!
//! # Limits
//!
//! The ledger notes only inputs that `--max-expansion` ended: of a damaged file everything that can be read comes back.

use mailglot_archive::{BoxEvent, BoxEventKind};
use std::fmt;

/// A compressed input that was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteInput {
    /// Its path.
    pub path: String,
    /// Offset in the compressed file from which bytes were left out.
    pub offset: u64,
    /// Why.
    pub reason: String,
    /// Bytes that could be read were left out (`--max-expansion`); otherwise the file is damaged.
    pub is_bounded: bool,
}

impl fmt::Display for IncompleteInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} (at byte {})",
            self.path, self.reason, self.offset
        )
    }
}

/// In JSON the text that people read, under the key `damaged`.
impl serde::Serialize for IncompleteInput {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl IncompleteInput {
    /// Takes what the event says of the input at `path`.
    pub(crate) fn of(path: &str, event: &BoxEvent) -> Self {
        Self {
            path: path.to_owned(),
            offset: event.offset,
            reason: event.detail.to_string(),
            is_bounded: event.kind == BoxEventKind::Expansion,
        }
    }

    /// The note of a ledger: `{"incomplete":PATH,"offset":N,"reason":TEXT}`.
    pub(crate) fn note(&self) -> Vec<u8> {
        let note = serde_json::json!({
            "incomplete": self.path,
            "offset": self.offset,
            "reason": self.reason,
        });
        note.to_string().into_bytes()
    }

    /// Reads a note of a ledger; `None` if it is about something else.
    pub(crate) fn from_note(note: &[u8]) -> Option<Self> {
        if !note.starts_with(b"{\"incomplete\":") {
            return None;
        }
        let note: serde_json::Value = serde_json::from_slice(note).ok()?;
        Some(Self {
            path: note["incomplete"].as_str()?.to_owned(),
            offset: note["offset"].as_u64()?,
            reason: note["reason"].as_str()?.to_owned(),
            is_bounded: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_comes_back() {
        let input = IncompleteInput {
            path: "a \"b\".gz".to_owned(),
            offset: 230_564,
            reason: "r".to_owned(),
            is_bounded: true,
        };
        assert_eq!(IncompleteInput::from_note(&input.note()), Some(input));
        for other in [&b"{}"[..], b"{\"incomplete\":1}", b"{\"incomplete\":", b""] {
            assert_eq!(IncompleteInput::from_note(other), None);
        }
    }
}
