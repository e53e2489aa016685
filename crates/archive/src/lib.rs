//! Splits mailboxes into raw messages, writes mailboxes, and defines the ledger file format. Independent of MIME.
//!
//! ```text
//! path ─ recognize ─► Input ─ open ─► Source ─► Batch of Entry     (separator | message | trailer)
//!                                                    │
//!                               unquote, …, quote    ▼
//! path ◄─ commit ─ sync ─ Destination ◄──────────── OutBatch       (written beside, renamed)
//! ```
//!
//! Reads a stream in bounded memory and never fails on content: doubtful content becomes a [`BoxEvent`]. The entries of an archive
//! tile its files: their bytes, one after the other, equal the archive.
//!
//! ```
//! use mailglot_archive::{Batch, EntryKind, ReadOptions, open, recognize};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("list.mbox");
//! let text = "From a@example.org Mon Jan  1 00:00:00 2001\nSubject: one\n\nDear all,\n\n\
//!             From the office we hear\n\nFrom b@example.org Mon Jan  1 00:00:01 2001\nSubject: two\n\n";
//! std::fs::write(&path, text)?;
//!
//! let (mut again, mut messages) = (Vec::new(), 0);
//! for found in recognize(&path)? {
//!     let mut source = open(&found, &ReadOptions::default())?;
//!     let mut batch = Batch::default();
//!     while source.next(&mut batch)? {
//!         messages += batch.entries.iter().filter(|entry| entry.kind == EntryKind::Message).count();
//!         again.extend_from_slice(&batch.bytes);
//!     }
//! }
//! assert_eq!(messages, 2);
//! assert_eq!(again, text.as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//! Unix only: names are bytes, and a rename puts an output into place.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod box_event;
mod claim;
mod compressed_message;
mod container;
mod destination;
mod disk_identity;
mod entry_type;
mod error;
mod exit_cleanup;
mod expansion;
mod file_identity;
mod file_kind;
mod file_mode;
mod file_names;
mod file_range;
mod file_tree;
mod files_ahead;
mod folder_range;
mod followed_links;
mod following_line;
mod free_space;
mod input;
mod layouts;
mod line_ends;
mod mail_check;
mod mailbox_options;
mod maildir;
mod message_files;
mod message_stores;
mod mh;
mod named_enum;
mod packing_detection;
mod repository_kind;
mod skipped_file;
mod source;

mod direct_io;
pub mod ledger;
pub mod mbox;
mod open;
mod open_input;
mod packed;
mod packing;
mod path_cache;
mod recognize;
pub mod replace;
#[cfg(test)]
mod shared_material;
mod temporary_file;
mod tree_file;
mod window;
mod writer_process;

pub use box_event::{
    BoxDetail, BoxEvent, BoxEventKind, CompressionDefect, ContainerDefect, DbxDefect,
    MultipartDecision, NameDefect, SkipReason, StoreDetail,
};
pub use claim::Claim;
pub use container::{NameDecoding, NameSystem, OpenContainers};
pub use destination::{Destination, OutBatch, OutItem, SourceInsert, create, create_tree};
pub use error::{Error, ErrorKind, Operation, SpecialFile, words};
pub use file_mode::FileMode;
pub use file_tree::FileTree;
pub use files_ahead::{FilesAhead, ReadFiles, UnreadFiles};
pub use folder_range::{ENTRY_WEIGHT, FolderRange, FolderStart};
pub use input::{Input, InputRange};
pub use mailbox_options::{LineDecision, MailboxOptions, MboxRule};
pub use message_files::folder_starts;
pub use message_stores::MessageStore;
#[doc(hidden)]
pub use message_stores::read_git_output;
pub use open::{is_mbox_file, open};
pub use open_input::open_input;
pub use packing::Packing;
pub use recognize::{LeftOut, RecognizeOptions, recognize, recognize_with};
pub use replace::WriteOptions;
pub use source::MAX_EXPANSION;
pub use source::{Batch, Entry, EntryKind, Flags, Format, Profile, Quoting, ReadOptions, Source};
pub use writer_process::WriterProcess;
