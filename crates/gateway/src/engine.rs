//! Judges and rewrites messages by one policy, with the options of one listener. It does no I/O and reads no clock.

use crate::envelope::Envelope;
use crate::judge::{self, Judgement, LineEnds};
use crate::ledgers::Ledgers;
use crate::milter::{Wants, action};
use crate::policy::Rules;
use std::sync::Arc;

/// Reads and rewrites messages by one policy.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// The policy.
    pub rules: Rules,
    /// True if a message passes unchanged after a failure of the gateway. False: it is deferred.
    pub fail_open: bool,
    /// True if a message beyond the limits is deferred. False: it passes unread.
    pub defer_too_large: bool,
    /// Where the originals of changed messages are kept; `None` keeps no originals.
    pub ledgers: Option<Arc<Ledgers>>,
}

impl Engine {
    /// Creates an engine for `rules`. A failure defers the message; a message beyond the limits passes unread.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Switches to a dry run: the engine reports actions, adds and deletes no field, and lets messages pass after failures.
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

    /// Returns the milter options that a session must request for this engine.
    pub fn wants(&self) -> Wants {
        let mut wants = Wants::default();
        if self.rules.quarantines() {
            wants.actions |= action::QUARANTINE;
        }
        wants
    }

    /// Returns true if a message as it came is kept, or is named in a field of the changed message.
    pub(crate) fn needs_originals(&self) -> bool {
        self.ledgers.is_some() || self.rules.original_header.is_some()
    }

    /// Judges a message: returns its findings, its action and its edits.
    pub fn judge<'a>(&self, raw: &'a [u8], envelope: &Envelope) -> Judgement<'a> {
        judge::judge(raw, envelope, &self.rules)
    }

    /// Like [`Engine::judge`], for a message whose bare line ends may have been corrected before.
    pub(crate) fn judge_corrected<'a>(
        &self,
        raw: &'a [u8],
        envelope: &Envelope,
        line_ends: LineEnds<'_>,
    ) -> Judgement<'a> {
        judge::judge_corrected(raw, envelope, &self.rules, line_ends)
    }
}
