//! Defines the actions of a policy, from the weakest to the strongest.

use mailglot_mime::named;

named! {
    /// An action for a message. The strongest action of its findings is taken.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// The message passes unchanged.
        Pass = "pass",
        /// The message passes with an added field that lists its findings.
        Tag = "tag",
        /// The message is rewritten to UTF-8.
        Normalize = "normalize",
        /// The message is deferred (4xx): the sender tries again.
        Tempfail = "tempfail",
        /// The mail server holds the message until a person decides.
        Quarantine = "quarantine",
        /// The message is rejected (5xx).
        Reject = "reject",
    }
}

impl Action {
    /// Returns the action with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|action| action.name() == name)
    }
}
