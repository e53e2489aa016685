//! Options that overrule how mailboxes are split into messages.
//!
//! # Limits
//! None.

use crate::named_enum::named;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How mailboxes are split into messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailboxOptions {
    /// The rule for separators.
    pub rule: MboxRule,
    /// Decisions about single `From ` lines by their offsets in the (decompressed) mailbox. They overrule the rule.
    pub overrides: Arc<BTreeMap<u64, LineDecision>>,
}

named! {
    /// The rule that decides where messages begin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum MboxRule {
        /// The evidence of the mailbox and of each line decides.
        #[default]
        Auto = "auto",
        /// A `From ` line with a date, after a blank line.
        Strict = "strict",
        /// Every `From ` line.
        Loose = "loose",
        /// Content-Length where the next separator or the end of the file confirms it, else as [`Self::Auto`].
        ContentLength = "content-length",
        /// Lines of four Control-A.
        Mmdf = "mmdf",
    }

    /// Returns the name in the command line and in reports.
    pub fn name;
}

named! {
    /// A decision about a `From ` line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LineDecision {
        /// The line belongs to the message before it.
        Join = "join",
        /// A message begins after the line.
        Cut = "cut",
    }

    /// Returns the name in the command line and in reports.
    pub fn name;
}
