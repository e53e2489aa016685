//! What messages are judged by: a policy, and what it leaves to the listener. No I/O, no clock.

use crate::envelope::Envelope;
use crate::judge::{self, Judgement};
use crate::milter::{Wants, action};
use crate::policy::Rules;
use crate::record::Ledgers;
use std::sync::Arc;

/// Reads and rewrites messages by one policy.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// The policy.
    pub rules: Rules,
    /// A message passes as it is where something of ours fails, instead of being deferred.
    pub fail_open: bool,
    /// A message beyond the limits is deferred, instead of passing as it is.
    pub defer_too_large: bool,
    /// Where the originals of changed messages are kept; `None` keeps no originals.
    pub ledgers: Option<Arc<Ledgers>>,
}

impl Engine {
    /// Judges by `rules`; failures and messages beyond the limits have their usual outcome.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Reports what would be done and changes nothing: no field is added or deleted, and what fails here passes.
    pub fn dry_run(&mut self) {
        let rules = &mut self.rules;
        rules.monitor = true;
        (
            rules.findings_header,
            rules.original_header,
            rules.strips_results,
        ) = (None, None, false);
        (self.fail_open, self.defer_too_large) = (true, false);
    }

    /// What a session is to ask for, so that this engine can do its work.
    pub fn wants(&self) -> Wants {
        let mut wants = Wants::default();
        if self.rules.quarantines() {
            wants.actions |= action::QUARANTINE;
        }
        wants
    }

    /// Reads a message and says what is to be done.
    pub fn judge<'a>(&self, raw: &'a [u8], envelope: &Envelope) -> Judgement<'a> {
        judge::judge(raw, envelope, &self.rules)
    }

    /// Reads a message whose stray line ends were set right before where it is `mended`.
    pub(crate) fn judge_corrected<'a>(
        &self,
        raw: &'a [u8],
        envelope: &Envelope,
        line_ends_corrected: bool,
    ) -> Judgement<'a> {
        judge::judge_corrected(raw, envelope, &self.rules, line_ends_corrected)
    }
}
