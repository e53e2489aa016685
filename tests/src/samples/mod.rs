//! The sample archives, generated from recipes that explain each of their bytes.
//!
//! `historic.mbox`: 1993 to 2025, many charsets and the flaws of their time. `nihongo`: a Japanese Maildir++. `broken`: messages
//! that violate all standards.
//!
//! # Limits
//!
//! All texts, names and addresses are invented. Every sample is small: together they show each kind of repair once or twice, and
//! say nothing about speed.

mod broken;
mod historic;
mod message;
mod nihongo;

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Names of the archives below `samples/`.
pub const ARCHIVES: [&str; 3] = ["historic.mbox", "nihongo", "broken"];

/// Returns the folder of the samples.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../samples")
}

/// Returns every file of the samples by its name below `samples/`.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    files.insert("historic.mbox".to_owned(), historic::mailbox());
    for (name, bytes) in nihongo::files() {
        files.insert(format!("nihongo/{name}"), bytes);
    }
    for (name, bytes) in broken::files() {
        files.insert(format!("broken/{name}"), bytes);
    }
    files
}

/// Returns every message of the samples.
pub fn messages() -> Vec<Vec<u8>> {
    let mut messages = historic::messages()
        .into_iter()
        .map(|(_, message)| message)
        .collect::<Vec<_>>();
    messages.extend(nihongo::files().into_iter().map(|(_, bytes)| bytes));
    messages.extend(broken::files().into_iter().map(|(_, bytes)| bytes));
    messages
}
