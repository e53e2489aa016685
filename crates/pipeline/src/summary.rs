//! The account of a job.

use crate::{FileName, IncompleteInput, LeastCertain, UnreadInput};
use std::collections::BTreeMap;

/// One input.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct SourceSummary {
    /// Path as given.
    pub path: FileName,
    /// Dialect and line end as sniffed, e.g. `mboxrd`, `LF`.
    pub dialect: String,
    /// Line end.
    pub line_end: String,
    /// Messages found.
    pub messages: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes that belong to no message (prelude, other files).
    pub gap_bytes: u64,
    /// BLAKE3 of all bytes of the archive in hexadecimal (folders: of names and contents); None for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
}

/// A shown example of a repair or loss.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Example {
    /// Event code.
    pub code: String,
    /// `path:ordinal`
    pub message: String,
    /// The file of the message, where that is a file of its own in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Section number of the part.
    pub part: String,
    /// Byte offset of the event in the message.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// How many bytes, characters, fields or words it stands for (1 where it is a single thing).
    pub count: u64,
    /// The event's words.
    pub detail: String,
}

/// What a second reader made of the rewritten messages (`--verify`). The messages that it was asked about are `agreed + excused + disagreed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerifySummary {
    /// The second readers, with their versions.
    pub readers: Vec<String>,
    /// Messages that it reads as this project reads the original.
    pub agreed: u64,
    /// Messages that it reads otherwise only because of its known defects.
    pub excused: u64,
    /// Messages that it reads otherwise; they were set aside.
    pub disagreed: u64,
    /// Number of messages by known defect.
    pub defects: BTreeMap<String, u64>,
}

/// The account of a normalisation or a dry run. `messages_in == written + set_aside` holds, or the job fails.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Summary {
    /// Inputs in order.
    pub sources: Vec<SourceSummary>,
    /// Inputs, and files below them, that could not be read, and why; only a dry run goes on then.
    pub unread: Vec<UnreadInput>,
    /// Compressed inputs that were not read to their end.
    #[serde(rename = "damaged")]
    pub incomplete: Vec<IncompleteInput>,
    /// Number of files of a folder, by its path, that stand in the place of messages and have no header field. They were left out.
    pub without_header: BTreeMap<String, u64>,
    /// Messages read.
    pub messages_in: u64,
    /// Lines of mailboxes that may or may not begin a message; each is an event `mbox.ambiguous-from`.
    pub doubtful_separators: u64,
    /// Messages written.
    pub written: u64,
    /// Messages copied raw to the set-aside folder: after an internal fault, or because a second reader disagreed.
    pub set_aside: u64,
    /// Messages with at least one edit.
    pub changed: u64,
    /// Texts whose charset was guessed: bodies, and texts in header fields.
    pub guessed: u64,
    /// Labels that were overruled.
    pub overruled: u64,
    /// The first five hundred of each, the least certain ones first.
    pub least_certain: LeastCertain,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written, without the ledger; None for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_out: Option<u64>,
    /// Bytes of the ledger; None without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger_bytes: Option<u64>,
    /// What the second reader made of the rewritten messages; None where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifySummary>,
    /// Events of severity repair.
    pub repairs: u64,
    /// Events of severity loss.
    pub losses: u64,
    /// Number of events by code.
    pub events: BTreeMap<String, u64>,
    /// Number of text parts by `declared → used (how)`.
    pub charsets: BTreeMap<String, u64>,
    /// The first few events of each code; of those that tell of files that were left out the first thousand.
    pub examples: Vec<Example>,
}
