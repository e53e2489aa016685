//! Runs whole jobs: reads, normalizes in parallel, writes in order. Independent of terminals and command lines.
//!
//! ```text
//! inputs ─► discover ─► run: reader ─► stage, on all cores ─► sink, in order
//!                         └► account ─► Summary, report.json
//! ```
//!
//! A job writes all of its outputs or none. They are written under temporary names and renamed at the end, after the message counts
//! were checked. The output bytes do not depend on the number of threads.
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
//!     opening: false.into(),
//!     selection: Default::default(),
//!     verify: false,
//! };
//! let summary = check(&job, &Progress::default())?;
//! assert_eq!(summary.messages_in, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! Restores names, contents and empty folders, but not permissions, owners and times of files. Links that were followed
//! are restored as files and folders. Of a folder with only mailboxes, including Apple Mail's (`X.mbox/`), restores the mailboxes.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod verify;

mod address;
mod commit_step;
mod count;
mod damaged_outputs;
mod discover;
mod duplicates;
mod edited_message;
mod envelope;
mod error;
mod file_time;
mod guesses;
mod hash;
mod incomplete_inputs;
mod job;
mod json;
mod json_file_name;
mod large_message;
mod length_field;
mod list;
mod locate;
mod lock;
mod member_names;
mod message_file_names;
mod message_pieces;
mod normalize;
mod ordered_pool;
mod output;
mod output_names;
mod output_plan;
mod parts;
mod parts_error;
mod path_checks;
mod progress;
mod raw_blocks;
mod reader;
mod rebuild_in_place;
mod replay;
mod report;
mod report_paths;
mod restore;
mod restore_quoting;
mod restored_names;
mod rewrite;
mod run;
mod selection;
mod separator;
mod skip_scope;
mod split;
mod staged_ledger;
mod status;
mod summary;
mod tally;
mod texts;
mod thousands;
mod unique_name;
mod unrestored;
mod work_times;

pub use address::{MessageAddress, MessageChoice};
pub use count::{count, count_each};
pub use discover::{Opening, check_stdin_once};
pub use duplicates::Dedupe;
pub use error::{
    AccountError, DamagedOutputs, Error, LedgerFault, LedgerFaultKind, Mismatch, ReadBackError,
    Relation, UnreadInput, UsageError,
};
pub use guesses::{GuessExample, LeastCertain, in_thousandths};
pub use incomplete_inputs::IncompleteInput;
pub use job::{CheckJob, LedgerPlace, NormalizeJob};
pub use json_file_name::FileName;
pub use list::{ListOptions, ListedMessage, list};
pub use locate::{Located, LocatedPiece, locate, locate_pieces};
pub use normalize::{check, normalize};
pub use parts::{
    JoinedParts, PartDone, PartsPlan, SPLIT_SIZE, UnfinishedParts, check_plan_place, commit_parts,
    plan_parts, resume, run_part, unfinished_parts,
};
pub use parts_error::{PartsError, PartsFault};
pub use progress::Progress;
pub use restore::{RestoreJob, Restored, restore};
pub use selection::Selection;
pub use split::{Split, SplitBy, SplitJob, SplitOutput, split};
pub use summary::{Example, SourceSummary, Summary, VerifySummary};
pub use texts::{TextOptions, TextOutcome, TextRecord, texts};
pub use thousands::with_thousands;
pub use unrestored::UnrestoredSource;
pub use work_times::WorkTimes;
