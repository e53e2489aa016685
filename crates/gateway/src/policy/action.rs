//! What may be done to a message, from the weakest to the strongest.

/// An action for a message; the strongest of its findings counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It stays as it is.
    Pass,
    /// It stays as it is, and gains a field with its findings.
    Tag,
    /// It is written in UTF-8.
    Normalize,
    /// Its sender shall try again.
    Tempfail,
    /// It is held for a person to look at.
    Quarantine,
    /// It is refused.
    Reject,
}

impl Action {
    /// Every action, the weakest first.
    pub const ALL: [Self; 6] = [
        Self::Pass,
        Self::Tag,
        Self::Normalize,
        Self::Tempfail,
        Self::Quarantine,
        Self::Reject,
    ];

    /// A stable name for configurations, logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Tag => "tag",
            Self::Normalize => "normalize",
            Self::Tempfail => "tempfail",
            Self::Quarantine => "quarantine",
            Self::Reject => "reject",
        }
    }

    /// The action of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}
