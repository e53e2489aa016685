//! Events of a server: messages and faults.
//!
//! # Limits
//! The module [`record`](crate::record) writes and counts them.

use crate::envelope::Envelope;
use crate::fault::Fault;
use crate::policy::{Action, Findings, Rules};
use crate::remark::Remark;
use std::time::Duration;

/// An event of a server.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// A message has its verdict.
    Message(&'a Record),
    /// A connection failed; its message is deferred.
    Fault {
        /// Number of the connection, from 1.
        connection: u64,
        /// Name or address of the client.
        peer: &'a str,
        /// What failed.
        fault: &'a Fault,
    },
    /// The reporting thread waits from here on, so collected lines must be written.
    Flush,
}

/// The record of one message.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its envelope.
    pub envelope: Envelope,
    /// Name or address of the client.
    pub peer: String,
    /// Bytes of the message as received; of a cut one, those that came.
    pub bytes_in: u64,
    /// Bytes of the message as sent on, with added fields; 0 if it is not read, or does not go on.
    pub bytes_out: u64,
    /// Number of its parts; 0 if it is not read.
    pub parts: u32,
    /// Each changed part as [`ChangedPart::describe`](crate::judge::ChangedPart::describe) writes it, if originals are kept.
    pub changed: Vec<String>,
    /// The action that was taken.
    pub action: Action,
    /// The action that the policy asks for. It is stronger than `action` in a dry run, and if the front end can do less.
    pub wanted: Action,
    /// Number of deleted fields that a sender forged under our names (`claims=` in the log). No policy decides about them.
    pub forged_fields: u32,
    /// Its findings.
    pub findings: Findings,
    /// Name of the policy.
    pub policy: String,
    /// The policy only reports what it would do.
    pub dry_run: bool,
    /// Why `action` is weaker than `wanted`.
    pub remark: Option<Remark>,
    /// The gateway failed, and the message passed unread.
    pub failed_open: bool,
    /// Characters that could not be decoded.
    pub losses: u64,
    /// Name of the ledger record with the original.
    pub ledger: Option<String>,
    /// Time from its end to its verdict.
    pub time: Duration,
}

impl Record {
    pub(crate) fn new(envelope: Envelope, peer: &str, bytes_in: u64) -> Self {
        Self {
            envelope,
            peer: peer.to_owned(),
            bytes_in,
            bytes_out: 0,
            parts: 0,
            changed: Vec::new(),
            action: Action::Pass,
            wanted: Action::Pass,
            forged_fields: 0,
            findings: Findings::default(),
            policy: String::new(),
            dry_run: false,
            remark: None,
            failed_open: false,
            losses: 0,
            ledger: None,
            time: Duration::ZERO,
        }
    }

    /// Records the policy that judges the message.
    pub(crate) fn judged_by(&mut self, rules: &Rules) {
        self.policy.clone_from(&rules.name);
        self.dry_run = rules.monitor;
    }
}
