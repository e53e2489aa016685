//! The error of a configuration.

use mailglot_archive::words;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    kind: InvalidKind,
    text: String,
}

/// What has to change before a configuration can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidKind {
    /// The file: without an edit, the same error comes back.
    Content,
    /// The system: a file cannot be read, or a user or group does not exist yet.
    System,
}

impl Invalid {
    pub(super) fn of_content(text: String) -> Self {
        let kind = InvalidKind::Content;
        Self { kind, text }
    }

    pub(super) fn of_system(text: String) -> Self {
        let kind = InvalidKind::System;
        Self { kind, text }
    }

    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let text = format!("{}: {}", path.display(), words(error));
        match error.kind() {
            // It is no UTF-8, or the configuration names a file instead of a folder or a folder instead of a file.
            io::ErrorKind::InvalidData
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory => Self::of_content(text),
            _ => Self::of_system(text),
        }
    }

    /// Puts the place before the text.
    pub(super) fn within(self, place: &str) -> Self {
        let text = format!("{place}{}", self.text);
        Self { text, ..self }
    }

    /// Returns what has to change.
    pub fn kind(&self) -> InvalidKind {
        self.kind
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Invalid {}
