//! Policies: what is done about what is found.
//!
//! # Limits
//! A policy decides about messages, not about parts: the strongest action that a finding asks for is done to the message.

mod action;
mod finding;

pub use action::Action;
pub use finding::{Finding, Findings};

use mailglot_mime::{Limits, OnLoss, Policy, Transfer};

/// What becomes of a message that somebody else signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    /// Not a byte changes.
    Pass,
    /// It is rewritten where our own server has told that it looked at the signature (RFC 8601), for final delivery only.
    RewriteAfterVerify,
}

/// Which signed messages that are not rewritten gain the field that tells of findings. It stands above the signed message: DKIM does not
/// cover it, but the message is no longer what it was to the byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagSigned {
    /// None.
    Never,
    /// Those with a wrong or ambiguous label or structure ([`Finding::occurs_in_correct_mail`] is false). Correct ones stay to the byte.
    #[default]
    Ambiguous,
    /// All with a finding whose action is `tag` or stronger.
    Always,
}

/// A named set of decisions.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Its name, for logs.
    pub name: String,
    /// Signed mail.
    pub signed: Signed,
    /// Signed mail that gains a field.
    pub tag_signed: TagSigned,
    /// Dry run: says what would be done, and does nothing.
    pub monitor: bool,
    /// How text is read and written. Transfer encoding and signatures are decided by message.
    pub rewriting: Policy,
    /// Name of the server in Authentication-Results whose word counts (RFC 8601 2.5).
    pub authserv_id: Option<String>,
    /// Fields Authentication-Results that claim that name are from outside, and deleted.
    pub strips_results: bool,
    /// Name of the field with the findings; `None` writes none.
    pub findings_header: Option<String>,
    /// Name of the field with the digest of the original of a rewritten message; `None` writes none.
    pub original_header: Option<String>,
    /// Name of this gateway in the field with the findings.
    pub host: String,
    pub(crate) actions: [Action; Finding::ALL.len()],
}

impl Default for Rules {
    /// The policy `default`.
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            signed: Signed::Pass,
            tag_signed: TagSigned::default(),
            monitor: false,
            rewriting: Self::usual_rewriting(),
            authserv_id: None,
            strips_results: false,
            findings_header: Some("MIME-Ambiguity-Results".to_owned()),
            original_header: None,
            host: "localhost".to_owned(),
            actions: Finding::ALL.map(Finding::usual),
        }
    }
}

impl Rules {
    /// The policy `strict`: mail that can be read in several ways is refused.
    pub fn strict() -> Self {
        Self {
            name: "strict".to_owned(),
            actions: Finding::ALL.map(Finding::strictly),
            ..Self::default()
        }
    }

    /// The policy `monitor`: judges as `default`, reports, and changes nothing else.
    pub fn monitor() -> Self {
        Self {
            name: "monitor".to_owned(),
            monitor: true,
            ..Self::default()
        }
    }

    /// The built-in policy of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::default()),
            "strict" => Some(Self::strict()),
            "monitor" => Some(Self::monitor()),
            _ => None,
        }
    }

    /// What a gateway does to text where nobody says more: parts that cannot be read to their end stay, since no original is kept;
    /// limits are those of mail on its way.
    pub fn usual_rewriting() -> Policy {
        // The size is checked before.
        let limits = Limits::default().message(usize::MAX).text(usize::MAX);
        Policy::default()
            .on_loss(OnLoss::Keep)
            .transfer(Transfer::Clean)
            .limits(limits.field(102_400))
    }

    /// Returns the action for a finding.
    pub fn action(&self, finding: Finding) -> Action {
        self.actions[finding as usize]
    }

    /// Decides about a finding.
    pub fn set(&mut self, finding: Finding, action: Action) {
        self.actions[finding as usize] = action;
    }

    /// The strongest action that findings ask for.
    pub fn strongest(&self, findings: &Findings) -> Action {
        findings
            .counted()
            .map(|(finding, _)| self.action(finding))
            .max()
            .unwrap_or(Action::Pass)
    }

    /// Returns true if a signed message with these findings gains a field, although nothing in it is rewritten.
    pub(crate) fn tags_signed(&self, findings: &Findings) -> bool {
        let tells = |finding: Finding| {
            self.action(finding) >= Action::Tag && !finding.occurs_in_correct_mail()
        };
        match self.tag_signed {
            TagSigned::Never => false,
            TagSigned::Ambiguous => findings.counted().any(|(finding, _)| tells(finding)),
            TagSigned::Always => true,
        }
    }

    /// Returns true if some finding would quarantine a message.
    pub fn quarantines(&self) -> bool {
        self.actions.contains(&Action::Quarantine)
    }
}
