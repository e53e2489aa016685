//! Finds an entry of the registry by name.
//!
//! # Limits
//! Ignores case only.

use super::Registered;
use crate::generated::iana::REGISTRY;
use std::sync::OnceLock;

/// The entry of a name or an alias, which differs in case at most; without an allocation.
pub(crate) fn find(label: &[u8]) -> Option<&'static Registered> {
    static NAMES: OnceLock<Vec<(&str, &Registered)>> = OnceLock::new();
    let order = |a: &[u8], b: &[u8]| {
        a.iter()
            .map(u8::to_ascii_lowercase)
            .cmp(b.iter().map(u8::to_ascii_lowercase))
    };
    let names = NAMES.get_or_init(|| {
        let of = |entry: &'static Registered| {
            entry
                .aliases
                .iter()
                .chain([&entry.name])
                .map(move |name| (*name, entry))
        };
        let mut names: Vec<_> = REGISTRY.iter().flat_map(of).collect();
        names.sort_by(|a, b| order(a.0.as_bytes(), b.0.as_bytes()));
        names
    });
    let found = names
        .binary_search_by(|(name, _)| order(name.as_bytes(), label))
        .ok()?;
    names.get(found).map(|(_, entry)| *entry)
}
