//! Compares files and folders as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Returns the content of every file below a path by its relative name, and None for a folder. A single file has the empty name.
pub fn read(path: &Path) -> io::Result<BTreeMap<String, Option<Vec<u8>>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(next) = open.pop() {
        let name = next
            .strip_prefix(path)
            .unwrap_or(&next)
            .to_string_lossy()
            .into_owned();
        if next.is_dir() {
            for entry in fs::read_dir(&next)? {
                open.push(entry?.path());
            }
            found.insert(name, None);
        } else {
            found.insert(name, Some(fs::read(&next)?));
        }
    }
    Ok(found)
}

/// Describes the first difference between two trees. Returns None if they are equal.
pub fn difference(
    one: &BTreeMap<String, Option<Vec<u8>>>,
    other: &BTreeMap<String, Option<Vec<u8>>>,
) -> Option<String> {
    for (name, content) in one {
        match other.get(name) {
            None => return Some(format!("`{name}` is missing")),
            Some(found) if found != content => {
                let (left, right) = (
                    content.as_deref().unwrap_or(b""),
                    found.as_deref().unwrap_or(b""),
                );
                let at = left
                    .iter()
                    .zip(right)
                    .position(|(l, r)| l != r)
                    .unwrap_or(left.len().min(right.len()));
                let shown = |bytes: &[u8]| {
                    String::from_utf8_lossy(
                        &bytes[at.saturating_sub(40).min(bytes.len())..(at + 40).min(bytes.len())],
                    )
                    .into_owned()
                };
                return Some(format!(
                    "`{name}` differs at byte {at} ({} and {} bytes): {:?} and {:?}",
                    left.len(),
                    right.len(),
                    shown(left),
                    shown(right)
                ));
            }
            Some(_) => {}
        }
    }
    other
        .keys()
        .find(|name| !one.contains_key(*name))
        .map(|name| format!("`{name}` is too many"))
}
