//! The results of a job in numbers.

use crate::error::UnreadInput;
use crate::guesses::LeastCertain;
use crate::incomplete_inputs::IncompleteInput;
use crate::json_file_name::{Address, FileName};
use std::collections::BTreeMap;

/// Numbers for one input.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SourceSummary {
    /// Path as given.
    pub path: FileName,
    /// Dialect as sniffed, e.g. `mboxrd`.
    pub dialect: String,
    /// Line end as sniffed, e.g. `LF`.
    pub line_end: String,
    /// Messages found.
    pub messages: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes outside messages (prelude, other files).
    pub gap_bytes: u64,
    /// BLAKE3 digest of the archive in hexadecimal (folders: of names and contents). None for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
    /// Name of its output below the folder of outputs. None if there is one output, and for a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<FileName>,
}

/// An example of an event.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Example {
    /// Event code.
    pub code: String,
    /// `path:ordinal`
    pub message: String,
    /// The file of the message, if it is a file of its own in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FileName>,
    /// Section number of the part.
    pub part: String,
    /// Byte offset of the event in the message.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Number of bytes, characters, fields or words that it stands for (1 for a single thing).
    pub count: u64,
    /// The event's description.
    pub detail: String,
}

impl Example {
    /// Creates an example without a part and a length, and with a count of 1. Examples about a part set these fields.
    pub(crate) fn new(code: &str, address: Address, offset: u64, detail: String) -> Self {
        Self {
            code: code.to_owned(),
            message: address.message,
            path: address.path,
            part: String::new(),
            offset,
            length: 0,
            count: 1,
            detail,
        }
    }
}

/// Results of the second reader (`--verify`). It got `agreed + excused + disagreed` messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct VerifySummary {
    /// The second readers, with their versions.
    pub readers: Vec<String>,
    /// Messages that it reads as this project reads the original.
    pub agreed: u64,
    /// Messages that it reads differently, or cannot read, only because of its known defects.
    pub excused: u64,
    /// Messages that it reads differently. They were set aside.
    pub disagreed: u64,
    /// Number of messages by known defect.
    pub defects: BTreeMap<String, u64>,
}

impl VerifySummary {
    /// Adds the counts of other messages.
    pub(crate) fn add(&mut self, other: Self) {
        self.agreed += other.agreed;
        self.excused += other.excused;
        self.disagreed += other.disagreed;
        for (defect, count) in other.defects {
            *self.defects.entry(defect).or_default() += count;
        }
    }
}

/// The results of a job. `messages_in == written + set_aside + dropped` holds, or the job fails.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Summary {
    /// The inputs, in order.
    pub sources: Vec<SourceSummary>,
    /// Files and folders below the inputs that could not be read, with the reason. Also inputs, but a normalization does not continue
    /// after these.
    pub unread: Vec<UnreadInput>,
    /// Inputs that were damaged, or that `--max-expansion` stopped.
    #[serde(rename = "damaged")]
    pub incomplete: Vec<IncompleteInput>,
    /// Number of files without a header field in the place of messages, by folder. They were skipped.
    pub without_header: BTreeMap<String, u64>,
    /// Number of files and members of archives that may be mail, but could not be read, by input: `box.packed` and `box.member-skipped`.
    pub not_read: BTreeMap<String, u64>,
    /// Messages read.
    pub messages_in: u64,
    /// Lines of mailboxes that may or may not begin a message. Each is an event `mbox.ambiguous-from`.
    pub doubtful_separators: u64,
    /// Messages written.
    pub written: u64,
    /// Messages copied unchanged to the set-aside folder, after an internal fault or a mismatch of the second reader.
    pub set_aside: u64,
    /// Messages dropped on request ([`Selection`](crate::Selection)). A normalization keeps their bytes in the ledger.
    pub dropped: u64,
    /// Messages with at least one edit.
    pub changed: u64,
    /// Texts with a guessed charset: bodies, and texts in header fields.
    pub guessed: u64,
    /// Overruled labels.
    pub overruled: u64,
    /// The five hundred least certain decisions of each kind.
    pub least_certain: LeastCertain,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written, without the ledger. None for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_out: Option<u64>,
    /// Size of the ledger in bytes. None without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger_bytes: Option<u64>,
    /// Results of the second reader. None if it was not used.
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
    /// The first few events of each code. For skipped files and duplicates, the first thousand.
    pub examples: Vec<Example>,
}
