//! The evidence about a body before its bytes are examined.

use super::mail_evidence::MailEvidence;
use crate::document_charset::Document;
use crate::policy::Detection;
use mailglot_codec::{Charset, Resolved, detect};

/// The evidence about a body before its bytes are examined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence<'a> {
    /// The label as written, unquoted.
    pub label: Option<&'a [u8]>,
    /// The charset that the label names.
    pub resolved: Option<Resolved>,
    /// The document type, if declarations inside the document may count.
    pub document: Option<Document>,
    /// True if the caller mapped this label to a charset.
    pub mapped: bool,
    /// The message that contains the body.
    pub mail: Option<&'a dyn MailEvidence>,
}

impl Evidence<'_> {
    /// Returns the caller's default charset.
    pub(super) fn fallback(&self) -> Option<Charset> {
        self.mail.and_then(|mail| mail.policy().default_charset)
    }

    /// Returns the extent of detection that the policy allows.
    pub(super) fn detection(&self) -> Detection {
        self.mail
            .map_or(Detection::default(), |mail| mail.policy().detection)
    }

    /// Returns true if the policy allows the search for text in two encodings.
    pub(super) fn may_find_mixed(&self) -> bool {
        self.detection() != Detection::Off && self.rules().has(detect::Rules::MIXED_RUNS)
    }

    /// Returns the rules of charset detection that are in force.
    pub(super) fn rules(&self) -> detect::Rules {
        self.mail
            .map_or(detect::Rules::ALL, |mail| mail.policy().charset_rules)
    }

    /// Returns the hints that detection gets for these bytes.
    pub(super) fn hints<'b>(&'b self, bytes: &'b [u8]) -> detect::Hints<'b> {
        self.mail.map_or(MAIL_HINTS, |mail: &'b dyn MailEvidence| {
            mail.hints(self.document.map(|_| bytes))
        })
    }
}

/// The hints of detection for raw bytes in mail.
pub(crate) const MAIL_HINTS: detect::Hints<'static> = detect::Hints {
    declared: None,
    language: None,
    country: None,
    time_zone: None,
    ascii_compatible: true,
    rules: detect::Rules::ALL,
};
