//! Appends numbers to names that are taken.

use std::collections::{HashMap, HashSet};

/// Returns `name`, or if it is taken `name` with a number before its extension: `a.mbox`, `a-2.mbox`.
///
/// Compares names without case, as some file systems do. Names are bytes, mostly of UTF-8.
pub(crate) fn unique(name: &[u8], taken: &mut HashSet<Vec<u8>>) -> Vec<u8> {
    numbered(name, taken, &mut 1)
}

/// Names that are taken. Adding the same name many times takes constant time for each.
pub(crate) struct UniqueNames {
    taken: HashSet<Vec<u8>>,
    /// The last numbers of the names that were added again.
    last: HashMap<Vec<u8>, u64>,
}

impl UniqueNames {
    /// Returns a set in which `reserved` names are taken.
    pub(crate) fn without(reserved: &[&str]) -> Self {
        Self {
            taken: reserved
                .iter()
                .map(|name| folded(name.as_bytes()))
                .collect(),
            last: HashMap::new(),
        }
    }

    /// Adds a name as [`unique`] does, and returns it.
    pub(crate) fn add(&mut self, name: &str) -> String {
        let folded = folded(name.as_bytes());
        if self.taken.insert(folded.clone()) {
            return name.to_owned();
        }
        let last = self.last.entry(folded).or_insert(1);
        let own = numbered(name.as_bytes(), &mut self.taken, last);
        String::from_utf8_lossy(&own).into_owned()
    }
}

/// Adds `name` with the first free number after `number`, which becomes the number. A free name gets no number.
fn numbered(name: &[u8], taken: &mut HashSet<Vec<u8>>, number: &mut u64) -> Vec<u8> {
    let (stem, ending) = match memchr::memrchr(b'.', name) {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, &b""[..]),
    };
    let mut candidate = name.to_owned();
    while !taken.insert(folded(&candidate)) {
        *number += 1;
        candidate = [stem, format!("-{number}").as_bytes(), ending].concat();
    }
    candidate
}

/// Returns a name in lower case. Bytes that are not UTF-8 stay, as file systems compare them.
fn folded(name: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        folded.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        folded.extend_from_slice(chunk.invalid());
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_those_of_a_search_from_two() {
        let mut taken = HashSet::from([b"cur".to_vec()]);
        let mut names = UniqueNames::without(&["cur"]);
        for name in [
            "a.mbox", "A.mbox", "a-3.mbox", "a.mbox", "cur", "a.mbox", "a-3.mbox", ".x", ".x",
        ] {
            let own = unique(name.as_bytes(), &mut taken);
            assert_eq!(names.add(name).as_bytes(), own, "{name}");
        }
        assert_eq!(names.add("a.mbox"), "a-6.mbox");
    }

    #[test]
    fn names_that_are_not_utf8_stay_apart() {
        let mut taken = HashSet::new();
        for (name, own) in [
            (&b"Entw\xfcrfe.mbox"[..], &b"Entw\xfcrfe.mbox"[..]),
            (b"entw\xe4rfe.mbox", b"entw\xe4rfe.mbox"),
            (b"ENTW\xfcrfe.mbox", b"ENTW\xfcrfe-2.mbox"),
        ] {
            assert_eq!(unique(name, &mut taken), own);
        }
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
