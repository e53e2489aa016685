//! Options that overrule how mailboxes are split into messages.
//!
//! # Limits
//! None.

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

/// The rule that decides where messages begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MboxRule {
    /// The evidence of the mailbox and of each line decides.
    #[default]
    Auto,
    /// A `From ` line with a date, after a blank line.
    Strict,
    /// Every `From ` line.
    Loose,
    /// Content-Length where the next separator or the end of the file confirms it, else as [`Self::Auto`].
    ContentLength,
    /// Lines of four Control-A.
    Mmdf,
}

impl MboxRule {
    /// Returns the name in the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Strict => "strict",
            Self::Loose => "loose",
            Self::ContentLength => "content-length",
            Self::Mmdf => "mmdf",
        }
    }
}

/// A decision about a `From ` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineDecision {
    /// The line belongs to the message before it.
    Join,
    /// A message begins after the line.
    Cut,
}

impl LineDecision {
    /// Returns the name in the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Join => "join",
            Self::Cut => "cut",
        }
    }
}
