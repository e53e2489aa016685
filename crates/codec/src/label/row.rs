//! A row of the table of labels.
//!
//! # Limits
//! Generated from `data/labels.tsv`.

use super::resolved::{Resolved, named};
use crate::charset::Charset;

/// The meaning of a label in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// This charset.
    Is(Charset),
    /// Nothing.
    Nothing,
    /// A charset without a decoder here; it must not be repaired into another.
    Foreign,
}

/// Where a label of the table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The registered name of the IANA registry.
    IanaName,
    /// A registered alias.
    Iana,
    /// WHATWG, not registered.
    Web,
    /// Seen in mail, or a name of some system.
    Mail,
    /// A slip of the pen.
    Slip,
}

/// A label in lower case, its meaning, and its source.
pub(super) type LabelRow = (&'static str, Means, Source);

/// Returns how a row answers.
pub(super) const fn answer_of(row: &'static LabelRow) -> Resolved {
    let (label, means, source) = row;
    match (means, source) {
        (Means::Is(charset), Source::IanaName) => Resolved::Exact(*charset),
        (Means::Is(charset), Source::Slip) => Resolved::Repaired(*charset),
        (Means::Is(charset), _) => named(label, *charset),
        (Means::Nothing, _) => Resolved::NoInformation,
        (Means::Foreign, _) => Resolved::Unknown,
    }
}
