//! Says which labels are compared with the text that they give.
//!
//! # Limits
//! None.

use crate::Detection;

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
