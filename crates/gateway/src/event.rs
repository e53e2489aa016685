//! What a server tells of its work: messages and faults.
//!
//! # Limits
//! How they are written, counted and kept is [`record`](crate::record)'s.

use crate::engine::Envelope;
use crate::fault::Fault;
use crate::policy::{Action, Findings, Rules};
use std::time::Duration;

/// What a server tells of its work.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// A message has its verdict.
    Message(&'a Record),
    /// Something went wrong on a connection; its message is deferred.
    Fault {
        /// Connections are counted from 1.
        connection: u64,
        /// How the client is called.
        peer: &'a str,
        /// What it was.
        fault: &'a Fault,
    },
    /// The reporting thread waits from here on, so collected lines must be written.
    Flush,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Record {
    /// Who sent it to how many.
    pub envelope: Envelope,
    /// How the client is called.
    pub peer: String,
    /// Bytes that it had, or that were told of one that was cut off.
    pub bytes_in: u64,
    /// Bytes that it has now, those of added fields too; 0 where it is not looked at, or does not go on.
    pub bytes_out: u64,
    /// How many parts it has; 0 where it is not looked at.
    pub parts: u32,
    /// The parts that are changed, where originals are kept: [`ChangedPart::describe`](crate::judge::ChangedPart::describe) of each.
    pub changed: Vec<String>,
    /// What was done.
    pub action: Action,
    /// What the policy asks for: more than `action` in a dry run, and where less could be done.
    pub wanted: Action,
    /// How many fields that would be taken for ours were deleted, which no policy asks for.
    pub forged_fields: u32,
    /// What was found.
    pub findings: Findings,
    /// Name of the policy.
    pub policy: String,
    /// The policy only reports what it would do.
    pub dry_run: bool,
    /// Why less was done than the policy asks for.
    pub finding: Option<&'static str>,
    /// Something of ours failed, and the message passed unread.
    pub failed_open: bool,
    /// Characters that could not be read.
    pub losses: u64,
    /// Name of the ledger that gives the original back.
    pub ledger: Option<String>,
    /// From its end to its verdict.
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
            finding: None,
            failed_open: false,
            losses: 0,
            ledger: None,
            time: Duration::ZERO,
        }
    }

    /// Notes the policy that the message is judged by.
    pub(crate) fn judged_by(&mut self, rules: &Rules) {
        self.policy.clone_from(&rules.name);
        self.dry_run = rules.monitor;
    }
}
