//! Appends numbers to names that are taken.

use std::collections::HashSet;

/// Returns `name`, or if it is taken `name` with a number before its extension: `a.mbox`, `a-2.mbox`.
///
/// Compares names without case, as some file systems do.
pub(crate) fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let mut candidate = name.to_owned();
    let mut number = 1u64;
    while !taken.insert(candidate.to_lowercase()) {
        number += 1;
        candidate = format!("{stem}-{number}{ending}");
    }
    candidate
}
