//! Says which labels are compared with the text that they give, and which ones any structure outweighs.
//!
//! # Limits
//! None.

use crate::policy::Detection;
use mailglot_codec::Charset;

/// The labels that detection may overrule although they decode every byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelScope {
    /// No label.
    None,
    /// Labels that give implausible text.
    Implausible,
    /// Every label.
    All,
}

impl LabelScope {
    /// Returns the scope of a policy.
    pub(crate) fn of(detection: Detection) -> Self {
        match detection {
            Detection::Off | Detection::Unlabelled => Self::None,
            Detection::Contradiction => Self::Implausible,
            Detection::Always => Self::All,
        }
    }
}

/// Returns true for the labels that programs write over everything: any structure outweighs them.
pub(crate) fn is_open_label(label: Charset) -> bool {
    matches!(
        label,
        Charset::US_ASCII | Charset::UTF_8 | Charset::ISO_8859_1 | Charset::WINDOWS_1252
    )
}
