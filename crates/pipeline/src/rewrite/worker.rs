//! What the rewriting of the messages of one source needs to know.

use mailglot_archive::Format;
use mailglot_mime::{Message, Plan, Policy};
use std::path::Path;

/// Rewrites the messages of one source.
pub(crate) struct RewriteWorker<'a> {
    /// Path of the source, for addresses.
    pub(super) path: &'a str,
    /// The folder, if messages are files of their own.
    pub(super) folder: Option<&'a Path>,
    /// The source is one mailbox file.
    pub(super) from_mbox: bool,
    /// Form of the output; None: nothing is written.
    pub(super) to: Option<Format>,
    /// The output, or what it would be, has flags in the names of its files.
    pub(super) keeps_flags: bool,
    /// Index of the source in the ledger; None: no ledger.
    pub(super) ledger: Option<u64>,
    pub(super) policy: &'a Policy,
    pub(super) process: Process,
    pub(super) verify: bool,
}

/// The shape of [`plan_parsed`].
pub(crate) type Process = fn(&Message<'_>, &Policy) -> Plan;

/// Bytes of a message that is handled with care for memory.
pub(super) const LARGE: usize = 8 << 20;
