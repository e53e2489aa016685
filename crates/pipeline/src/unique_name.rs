//! Appends numbers to names that are taken.

use std::collections::{HashMap, HashSet};

/// Returns `name`, or if it is taken `name` with a number before its extension: `a.mbox`, `a-2.mbox`.
///
/// Compares names without case, as some file systems do.
pub(crate) fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    numbered(name, taken, &mut 1)
}

/// Names that are taken. Adding the same name many times takes constant time for each.
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// The last numbers of the names that were added again.
    last: HashMap<String, u64>,
}

impl UniqueNames {
    /// Returns a set in which `reserved` names are taken.
    pub(crate) fn without(reserved: &[&str]) -> Self {
        Self {
            taken: reserved.iter().map(|name| name.to_lowercase()).collect(),
            last: HashMap::new(),
        }
    }

    /// Adds a name as [`unique`] does, and returns it.
    pub(crate) fn add(&mut self, name: &str) -> String {
        let folded = name.to_lowercase();
        if self.taken.insert(folded.clone()) {
            return name.to_owned();
        }
        let last = self.last.entry(folded).or_insert(1);
        numbered(name, &mut self.taken, last)
    }
}

/// Adds `name` with the first free number after `number`, which becomes the number. A free name gets no number.
fn numbered(name: &str, taken: &mut HashSet<String>, number: &mut u64) -> String {
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let mut candidate = name.to_owned();
    while !taken.insert(candidate.to_lowercase()) {
        *number += 1;
        candidate = format!("{stem}-{number}{ending}");
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_those_of_a_search_from_two() {
        let mut taken = HashSet::from(["cur".to_owned()]);
        let mut names = UniqueNames::without(&["cur"]);
        for name in [
            "a.mbox", "A.mbox", "a-3.mbox", "a.mbox", "cur", "a.mbox", "a-3.mbox", ".x", ".x",
        ] {
            assert_eq!(names.add(name), unique(name, &mut taken), "{name}");
        }
        assert_eq!(names.add("a.mbox"), "a-6.mbox");
    }

    /// With a search from 2, these names take minutes.
    #[test]
    fn many_equal_names_are_numbered_in_linear_time() {
        let mut names = UniqueNames::without(&[]);
        let started = std::time::Instant::now();
        for _ in 1..30_000 {
            names.add("a.mbox");
        }
        assert_eq!(names.add("a.mbox"), "a-30000.mbox");
        assert!(started.elapsed().as_secs() < 20);
    }
}
