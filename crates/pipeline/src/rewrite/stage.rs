//! Prepares the workers that rewrite the messages of all sources.

use super::entries::RewriteState;
use super::rewritten_batch::RewrittenBatch;
use super::worker::{Process, RewriteWorker};
use crate::discover::SourceInput;
use crate::large_message::LARGE;
use crate::output_plan::PlannedOutput;
use crate::reader::NumberedBatch;
use crate::run::{OpenSource, Stage};
use crate::tally::Tally;
use mailglot_archive::Format;
use mailglot_mime::{Policy, plan_parsed};
use std::io;

/// Rewrites the messages of all sources.
pub(crate) struct RewriteStage<'a> {
    /// One output for each source. None for a dry run.
    pub(crate) targets: Option<&'a [PlannedOutput]>,
    /// True if a ledger is written.
    pub(crate) has_ledger: bool,
    /// The policy for each message.
    pub(crate) policy: &'a Policy,
    /// Plans the edits of a message; [`plan_parsed`] except in tests.
    pub(crate) process: Process,
    /// True if a second reader verifies each rewritten message.
    pub(crate) verify: bool,
    /// Bytes from which a message is not copied; [`LARGE_MESSAGE`] except in tests.
    pub(crate) large: usize,
}

impl Stage for RewriteStage<'_> {
    type Output = RewrittenBatch;
    type State = RewriteState;

    fn takes_pieces(&self) -> bool {
        false
    }

    fn written_as(&self, index: usize, input: &SourceInput) -> Option<Format> {
        let target = self.targets.map(|targets| targets[index].format);
        Some(target.unwrap_or(input.found.default_output()))
    }

    fn hashes(&self) -> bool {
        self.targets.is_some()
    }

    fn state(&self, _: &OpenSource<'_>) -> io::Result<RewriteState> {
        RewriteState::new(self.verify)
    }

    fn work(
        &self,
        source: &OpenSource<'_>,
        state: &mut RewriteState,
        batch: &mut NumberedBatch,
        tally: &mut Tally,
        output: &mut RewrittenBatch,
    ) -> io::Result<()> {
        self.worker(source).work(state, batch, tally, output)
    }
}

impl RewriteStage<'_> {
    fn worker<'a>(&'a self, source: &'a OpenSource<'a>) -> RewriteWorker<'a> {
        let format = source.input.found.format;
        let is_one_message = source.is_one_message;
        let to = self
            .targets
            .map(|targets| targets[source.index].format_of(is_one_message));
        let default = if is_one_message {
            Format::Eml
        } else {
            source.input.found.default_output()
        };
        let written = to.unwrap_or(default);
        RewriteWorker {
            path: &source.path,
            folder: source.folder(),
            from_mbox: format == Format::Mbox && written != Format::Eml,
            writes_mailbox: written == Format::Mbox,
            to,
            keeps_flags: to.unwrap_or(format) == Format::Maildir,
            ledger: self.has_ledger.then_some(source.index as u64),
            policy: self.policy,
            process: self.process,
            large: self.large,
        }
    }
}

/// The function used outside tests.
pub(crate) const PROCESS: Process = plan_parsed;
/// The size used outside tests.
pub(crate) const LARGE_MESSAGE: usize = LARGE;
