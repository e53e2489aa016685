//! Defines policies: an action for each finding, and options for signed mail and added fields.
//!
//! # Limits
//! A policy decides about messages, not about parts: the strongest action of all findings applies to the whole message.

mod action;
mod finding;

pub use action::Action;
pub use finding::{Finding, Findings};

use mailglot_mime::{Limits, OnLoss, Policy, Transfer};
use serde::Deserialize;

/// What a policy does with a signed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signed {
    /// It stays byte for byte.
    Pass,
    /// It is rewritten if it has Authentication-Results of the own server (RFC 8601), whatever their results are. For final delivery only.
    RewriteAfterVerify,
}

/// Which unchanged signed messages get the field that lists findings.
///
/// DKIM does not cover a new field on top, but the message is no longer the same byte for byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagSigned {
    /// No message.
    Never,
    /// Messages with a wrong or ambiguous label or structure ([`Finding::occurs_in_correct_mail`] is false).
    #[default]
    Ambiguous,
    /// Messages with any finding whose action is `tag` or stronger.
    Always,
}

/// A policy: an action for each finding, and options.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The name, for logs.
    pub name: String,
    /// What happens to signed mail.
    pub signed: Signed,
    /// Which signed mail gets the field that lists findings.
    pub tag_signed: TagSigned,
    /// True for a dry run: the policy reports actions and takes none.
    pub monitor: bool,
    /// Options for reading and writing text. The transfer encoding and the treatment of signatures are chosen for each message.
    pub rewriting: Policy,
    /// The `authserv-id` of the own server, whose Authentication-Results count (RFC 8601, section 2.5).
    pub authserv_id: Option<String>,
    /// True if fields Authentication-Results with that name come from outside and must be deleted.
    pub strips_results: bool,
    /// Name of the field that lists findings; `None` adds no field.
    pub findings_header: Option<String>,
    /// Name of the field with the digest of the original of a rewritten message; `None` adds no field.
    pub original_header: Option<String>,
    /// Name of this gateway in the field that lists findings.
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
    /// The policy `strict`: rejects mail that can be read in several ways.
    pub fn strict() -> Self {
        Self {
            name: "strict".to_owned(),
            actions: Finding::ALL.map(Finding::strictly),
            ..Self::default()
        }
    }

    /// The policy `monitor`: judges and reports like `default`, and changes nothing.
    pub fn monitor() -> Self {
        Self {
            name: "monitor".to_owned(),
            monitor: true,
            ..Self::default()
        }
    }

    /// Returns the built-in policy with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::default()),
            "strict" => Some(Self::strict()),
            "monitor" => Some(Self::monitor()),
            _ => None,
        }
    }

    /// Returns the default options of a gateway for text. Parts with losses stay unchanged, because the gateway may keep no original.
    pub fn usual_rewriting() -> Policy {
        // The server checks the size of messages before.
        let limits = Limits::default().message(usize::MAX).text(usize::MAX);
        Policy::default()
            .on_loss(OnLoss::Keep)
            .transfer(Transfer::Clean)
            // Embedded messages stay, since whoever forwards one does not vouch for its content.
            .keep_encoded_messages(true)
            .limits(limits.field(102_400))
    }

    /// Returns the action for a finding.
    pub fn action(&self, finding: Finding) -> Action {
        self.actions[finding as usize]
    }

    /// Sets the action for a finding.
    pub fn set(&mut self, finding: Finding, action: Action) {
        self.actions[finding as usize] = action;
    }

    /// Returns the strongest action for these findings.
    pub fn strongest(&self, findings: &Findings) -> Action {
        findings
            .counted()
            .map(|(finding, _)| self.action(finding))
            .max()
            .unwrap_or(Action::Pass)
    }

    /// Returns true if an unchanged signed message with these findings gets the field that lists them.
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

    /// Returns true if the action for some finding is `quarantine`.
    pub fn quarantines(&self) -> bool {
        self.actions.contains(&Action::Quarantine)
    }
}
