//! Settings for rewriting the messages of one source.

use crate::json_file_name::Address;
use crate::large_message::InPlace;
use crate::reader::NumberedBatch;
use crate::{message_file_names, status};
use mailglot_archive::{Entry, Flags, Format};
use mailglot_mime::{Message, Plan, Policy};
use std::collections::BTreeMap;
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
    /// Bytes from which a message is not copied.
    pub(super) large: usize,
}

/// Signature of [`plan_parsed`].
pub(crate) type Process = fn(&Message<'_>, &Policy) -> Plan;

impl RewriteWorker<'_> {
    /// Prepares the large messages of a batch in place.
    pub(super) fn prepare(&self, feed: &mut NumberedBatch) -> BTreeMap<usize, InPlace> {
        let dropped: Vec<bool> = (0..feed.batch.entries.len())
            .map(|index| feed.is_dropped(index))
            .collect();
        let entries = feed.batch.entries.iter().enumerate();
        let kept = entries.filter(|(index, _)| !dropped[*index]);
        let bytes = &mut feed.batch.bytes;
        kept.filter_map(|(index, entry)| Some((index, InPlace::prepare(entry, bytes, self.large)?)))
            .collect()
    }

    /// Returns the name of a message's file below the root of the output.
    pub(super) fn name(
        &self,
        to: Format,
        entry: &Entry,
        raw: &[u8],
        digest: impl FnOnce() -> String,
    ) -> String {
        let flags = if to == Format::Maildir {
            self.flags(entry, raw)
        } else {
            entry.flags
        };
        message_file_names::message_name(to, entry.ordinal, &entry.folder, flags, digest)
    }

    /// Returns the flags of a message. A mailbox may have flags in header fields.
    pub(super) fn flags(&self, entry: &Entry, raw: &[u8]) -> Flags {
        let mut flags = entry.flags;
        if self.from_mbox {
            flags.0 |= status::flags(raw).0;
        }
        flags
    }

    pub(super) fn address(&self, entry: &Entry) -> Address {
        Address::of(self.path, self.folder, entry)
    }
}
