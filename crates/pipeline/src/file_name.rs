//! Names of files in what programs read.
//!
//! # Limits
//!
//! What is said for people has U+FFFD where a name is no text.

use crate::json;
use mailglot_archive::Entry;
use mailglot_mime::transfer::base64::encode_lines;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path in JSON: a string; `{"bytes": base64}` where it is no UTF-8, so that two files never have one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileName {
    /// Text.
    Text(String),
    /// Any other bytes.
    Bytes {
        /// In base64.
        bytes: String,
        /// For people.
        #[serde(skip)]
        shown: String,
    },
}

impl FileName {
    /// The name of a path.
    pub fn of(path: &Path) -> Self {
        if let Some(text) = path.to_str() {
            return Self::Text(text.to_owned());
        }
        let mut base64 = Vec::new();
        encode_lines(path.as_os_str().as_bytes(), usize::MAX, b"", &mut base64);
        let bytes = String::from_utf8(base64).unwrap_or_default();
        Self::Bytes {
            bytes,
            shown: path.to_string_lossy().into_owned(),
        }
    }

    /// Appends it as JSON, as serializing writes it.
    pub(crate) fn put_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => json::string(text, out),
            Self::Bytes { bytes, .. } => {
                out.extend_from_slice(b"{\"bytes\":");
                json::string(bytes, out);
                out.push(b'}');
            }
        }
    }
}

impl Default for FileName {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(text) | Self::Bytes { shown: text, .. } => text,
        })
    }
}

/// Where a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `path:ordinal`, or the path of an archive.
    pub(crate) message: String,
    /// Its file, where that holds nothing else and lies in a folder that was named.
    pub(crate) path: Option<FileName>,
}

impl Address {
    /// The address of a message in an archive whose path is `path`; `folder` is that where each message is a file.
    pub(crate) fn of(path: &str, folder: Option<&Path>, entry: &Entry) -> Self {
        Self {
            message: format!("{path}:{}", entry.ordinal),
            path: own_file(folder, &entry.name),
        }
    }
}

/// The path of a file of a folder, whose `name` is its path below that; None without a name.
pub(crate) fn own_file(folder: Option<&Path>, name: &[u8]) -> Option<FileName> {
    let folder = folder.filter(|_| !name.is_empty())?;
    Some(FileName::of(&folder.join(OsStr::from_bytes(name))))
}

impl From<String> for Address {
    fn from(message: String) -> Self {
        Self {
            message,
            path: None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.path
            .as_ref()
            .map_or(Ok(()), |path| write!(f, " ({path})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_text_stay_apart() {
        let json = |bytes: &[u8]| {
            let name = FileName::of(Path::new(OsStr::from_bytes(bytes)));
            let mut out = Vec::new();
            name.put_json(&mut out);
            let json = serde_json::to_string(&name).unwrap();
            assert_eq!(json.as_bytes(), out);
            json
        };
        assert_eq!(json("a/ü\n".as_bytes()), "\"a/ü\\n\"");
        assert_eq!(json(b"a\xe9"), "{\"bytes\":\"Yek=\"}");
        assert_ne!(json(b"a\xe9"), json(b"a\xe8"));
        let long = json(&b"\xff".repeat(3000));
        assert_eq!(long.matches('/').count(), 4000, "on one line");
        let back: FileName = serde_json::from_str(&long).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), long);
        assert_eq!(
            FileName::of(Path::new(OsStr::from_bytes(b"a\xe9"))).to_string(),
            "a\u{fffd}"
        );
    }
}
