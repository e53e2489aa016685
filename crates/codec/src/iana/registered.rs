//! An entry of the registry.
//!
//! # Limits
//! Without references and descriptions.

/// An entry of the IANA registry of character sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registered {
    /// The registered name.
    pub name: &'static str,
    /// The number (MIBenum).
    pub mib: u16,
    /// The preferred MIME name, if the registry has one.
    pub mime: Option<&'static str>,
    /// The other names, in the registry's order.
    pub aliases: &'static [&'static str],
    /// The reason why there is no decoder; `None` if there is one.
    pub why_not: Option<&'static str>,
}

impl Registered {
    pub(crate) const fn new(
        name: &'static str,
        mib: u16,
        mime: Option<&'static str>,
        aliases: &'static [&'static str],
        why_not: Option<&'static str>,
    ) -> Self {
        Self {
            name,
            mib,
            mime,
            aliases,
            why_not,
        }
    }
}
