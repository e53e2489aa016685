//! Settings for rewriting the messages of one source.

use mailglot_archive::Format;
use mailglot_mime::{Message, Plan, Policy};
use std::path::Path;

/// Rewrites the messages of one source.
pub(crate) struct RewriteWorker<'a> {
    /// Path of the source, for addresses.
    pub(super) path: &'a str,
    /// The folder, if messages are files of their own.
    pub(super) folder: Option<&'a Path>,
    /// True if the source is one mailbox file.
    pub(super) from_mbox: bool,
    /// True if the (would-be) output is one mailbox file.
    pub(super) writes_mailbox: bool,
    /// Format of the output. None for a dry run.
    pub(super) to: Option<Format>,
    /// True if the (would-be) output stores flags in file names.
    pub(super) keeps_flags: bool,
    /// Index of the source in the ledger. None without a ledger.
    pub(super) ledger: Option<u64>,
    pub(super) policy: &'a Policy,
    pub(super) process: Process,
    pub(super) verify: bool,
    /// Bytes from which a message is not copied.
    pub(super) large: usize,
}

/// Signature of [`plan_parsed`].
pub(crate) type Process = fn(&Message<'_>, &Policy) -> Plan;
