//! The rules of the decision, each of which can be switched off.

use mailglot_mime::Policy;

/// A policy without one rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in tables.
    pub name: &'static str,
    /// The policy in which only this rule is off.
    pub without: Policy,
}

/// Returns each rule.
pub fn rules() -> Vec<Rule> {
    // No rule can be switched off yet: this one changes nothing.
    vec![Rule { name: "none", without: Policy::default() }]
}
