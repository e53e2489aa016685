//! Defines the actions of a policy, from the weakest to the strongest.

/// An action for a message. The strongest action of its findings is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The message passes unchanged.
    Pass,
    /// The message passes with an added field that lists its findings.
    Tag,
    /// The message is rewritten to UTF-8.
    Normalize,
    /// The message is deferred (4xx): the sender tries again.
    Tempfail,
    /// The mail server holds the message until a person decides.
    Quarantine,
    /// The message is rejected (5xx).
    Reject,
}

impl Action {
    /// All actions, the weakest first.
    pub const ALL: [Self; 6] = [
        Self::Pass,
        Self::Tag,
        Self::Normalize,
        Self::Tempfail,
        Self::Quarantine,
        Self::Reject,
    ];

    /// Returns the stable name for configurations, logs and counters.
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

    /// Returns the action with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}
