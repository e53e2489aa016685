//! Mailboxes to raw messages and back, and the file format of the ledger. Knows no MIME.
#![forbid(unsafe_code)]

mod destination;
mod eml;
mod maildir;
mod source;

pub mod ledger;
pub mod mbox;
pub mod replace;

pub use destination::{Destination, OutBatch, OutItem, create, create_tree};
pub use source::{
    Batch, BoxEvent, BoxEventKind, Entry, EntryKind, Flags, Format, Found, Profile, Quoting, ReadOptions,
    Source, open, recognize,
};
