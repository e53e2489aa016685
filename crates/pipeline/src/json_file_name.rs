//! Represents file names in JSON: as strings, or as base64 if they are not UTF-8.
//!
//! # Limits
//!
//! Text for people has U+FFFD in names that are not UTF-8.

use crate::json;
use mailglot_archive::Entry;
use mailglot_mime::transfer::base64::encode_lines;
use mailglot_mime::transfer::{TransferEncoding, decode};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A path in JSON: a string, or `{"bytes": base64}` if it is not UTF-8. So no two files share a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileName {
    /// Valid UTF-8.
    Text(String),
    /// Any other bytes.
    Bytes {
        /// The bytes in base64.
        bytes: String,
    },
}

impl FileName {
    /// Returns the name of a path.
    pub fn of(path: &Path) -> Self {
        if let Some(text) = path.to_str() {
            return Self::Text(text.to_owned());
        }
        let mut base64 = Vec::new();
        encode_lines(path.as_os_str().as_bytes(), usize::MAX, b"", &mut base64);
        let bytes = String::from_utf8(base64).unwrap_or_default();
        Self::Bytes { bytes }
    }

    /// Returns the path with this name, byte for byte.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes { bytes } => {
                let decoded = decode(TransferEncoding::Base64, bytes.as_bytes(), &mut Vec::new());
                OsStr::from_bytes(&decoded.bytes).into()
            }
        }
    }

    /// Appends it as JSON, in the same form as its `Serialize` implementation.
    pub(crate) fn put_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => json::string(text, out),
            Self::Bytes { bytes } => {
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
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bytes { .. } => f.write_str(&self.path().to_string_lossy()),
        }
    }
}

/// The address of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `path:ordinal`, or the path of an archive.
    pub(crate) message: String,
    /// Its file, if the message is the only one in a file below an input folder.
    pub(crate) path: Option<FileName>,
}

impl Address {
    /// Returns the address of a message in the archive at `path`. `folder` is set if each message is a file.
    pub(crate) fn of(path: &str, folder: Option<&Path>, entry: &Entry) -> Self {
        Self {
            message: format!("{path}:{}", entry.ordinal),
            path: own_file(folder, &entry.name),
        }
    }
}

/// Returns the path of the file `name` below a folder. None if `name` is empty.
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
    fn non_utf8_names_stay_distinct() {
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
        for bytes in [
            &b"a"[..],
            b"a\xe9",
            b"\xff\xfe/x",
            b"\xe9\n",
            b"dir/\x80b.mbox",
        ] {
            let path = Path::new(OsStr::from_bytes(bytes));
            let json = serde_json::to_string(&FileName::of(path)).unwrap();
            let back: FileName = serde_json::from_str(&json).unwrap();
            assert_eq!(back.path(), path);
            assert_eq!(back.to_string(), path.to_string_lossy());
        }
    }
}
