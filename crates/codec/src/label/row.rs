//! A row of the table of labels.
//!
//! # Limits
//! Generated from `data/labels.tsv`.

use crate::Charset;

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
