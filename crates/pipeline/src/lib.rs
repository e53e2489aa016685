//! The loop from archive to archive: threads, order, accounting. Knows no terminal and no arguments.
//!
//! ```text
//! inputs ─► discover ─► run: reader ─► stage, on all cores ─► sink, in order
//!                         └► account ─► Summary, report.json
//! ```
//!
//! Every job comes whole or not at all: outputs are written beside their places and renamed at the end, after the accounting
//! identity was checked. The same bytes come out for any number of threads.
//!
//! ```
//! use mailglot_pipeline::{CheckJob, Progress, check};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a.eml");
//! std::fs::write(&path, "Subject: hello\n\ntext\n")?;
//! let job = CheckJob {
//!     inputs: vec![path],
//!     policy: Default::default(),
//!     threads: 1,
//!     force_format: false,
//!     max_expansion: 200,
//!     verify: false,
//! };
//! let summary = check(&job, &Progress::default())?;
//! assert_eq!(summary.messages_in, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! Permissions, owners and times of files are not restored, links inside folders are not followed by restoring; names,
//! contents and empty folders are restored. Of a folder of mailboxes alone, those of Apple Mail (`X.mbox/`) among them, the mailboxes are restored.
#![forbid(unsafe_code)]

pub mod verify;

mod backup;
mod count;
mod discover;
mod edited_message;
mod error;
mod file_name;
mod guesses;
mod hash;
mod incomplete;
mod job;
mod json;
mod length_field;
mod locate;
mod names;
mod normalize;
mod ordered_pool;
mod output;
mod output_names;
mod path_checks;
mod plan;
mod progress;
mod quote;
mod reader;
mod replay;
mod report;
mod restore;
mod rewrite;
mod run;
mod status;
mod summary;
mod tally;
mod texts;
mod unique_name;

pub use count::{count, count_each};
pub use discover::{Opening, once};
pub use error::{
    AccountError, Error, LedgerFault, LedgerFaultKind, Mismatch, Relation, UnreadInput, UsageError,
};
pub use file_name::FileName;
pub use guesses::{GuessExample, LeastCertain, in_thousandths};
pub use incomplete::IncompleteInput;
pub use job::{CheckJob, LedgerPlace, NormalizeJob};
pub use locate::{Located, locate};
pub use normalize::{check, normalize};
pub use progress::Progress;
pub use restore::{RestoreJob, Restored, restore};
pub use summary::{Example, SourceSummary, Summary, VerifySummary};
pub use texts::{TextOptions, TextOutcome, TextRecord, texts};
