//! Parses addresses of messages: `FILE`, `FILE:17`, `FILE@81233`, `FILE#<message-id>`.
//!
//! # Limits
//!
//! A path that exists on a disk is never split, even if its name ends like an address. In a zip or tar archive, `t.zip/a:3` is
//! the message 3 of `t.zip/a`, or the file `a:3` if there is no `a`.

use crate::staged_ledger::exists;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The messages of an archive that an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageAddress {
    /// The path of the archive. `-` is standard input.
    pub path: PathBuf,
    /// The messages.
    pub choice: MessageChoice,
}

/// Which messages of an archive an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageChoice {
    /// All messages: `FILE`.
    All,
    /// The message with this ordinal, from 0: `FILE:17`.
    Ordinal(u64),
    /// The message whose entry contains this byte of the file, from 0: `FILE@81233`.
    Offset(u64),
    /// All messages with this Message-ID, without angle brackets: `FILE#<message-id>`, or `FILE#id@host` if `FILE` exists.
    Id(String),
}

impl MessageAddress {
    /// Parses an address as given on a command line.
    ///
    /// ```
    /// use mailglot_pipeline::{MessageAddress, MessageChoice};
    ///
    /// let address = MessageAddress::parse("list.mbox@81233".as_ref());
    /// assert_eq!(address.path.to_str(), Some("list.mbox"));
    /// assert_eq!(address.choice, MessageChoice::Offset(81_233));
    /// ```
    pub fn parse(address: &OsStr) -> Self {
        let whole = Self {
            path: address.into(),
            choice: MessageChoice::All,
        };
        if exists(Path::new(address)) {
            return whole;
        }
        let split = |(path, choice): (&[u8], MessageChoice)| Self {
            path: OsStr::from_bytes(path).into(),
            choice,
        };
        let bytes = address.as_bytes();
        let is_file =
            |found: &(&[u8], MessageChoice)| exists(Path::new(OsStr::from_bytes(found.0)));
        with_id(bytes)
            .or_else(|| with_number(bytes).filter(is_file))
            .or_else(|| with_bare_id(bytes).filter(is_file))
            .or_else(|| with_number(bytes))
            .map_or(whole, split)
    }

    /// Returns all messages of `t.zip/a:3` for the message 3 of `t.zip/a`. `None` for other addresses.
    pub(crate) fn member_of_container(&self) -> Option<Self> {
        let ending = match &self.choice {
            MessageChoice::Ordinal(ordinal) => format!(":{ordinal}"),
            MessageChoice::Offset(offset) => format!("@{offset}"),
            MessageChoice::All | MessageChoice::Id(_) => return None,
        };
        if exists(&self.path) {
            return None;
        }
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        Some(Self {
            path: path.into(),
            choice: MessageChoice::All,
        })
    }
}

/// Splits `FILE#<message-id>` at its first `#<`, since an identifier may contain others.
fn with_id(address: &[u8]) -> Option<(&[u8], MessageChoice)> {
    let inside = address.strip_suffix(b">")?;
    let mark = memchr::memmem::find(inside, b"#<").filter(|mark| *mark > 0)?;
    let id = String::from_utf8_lossy(&inside[mark + 2..]);
    Some((&address[..mark], MessageChoice::Id(id.trim().to_owned())))
}

/// Splits `FILE#message-id`, without angle brackets.
fn with_bare_id(address: &[u8]) -> Option<(&[u8], MessageChoice)> {
    let mark = memchr::memchr(b'#', address)?;
    let (path, id) = (&address[..mark], &address[mark + 1..]);
    let is_id = memchr::memchr(b'@', id).is_some() && memchr::memchr(b'/', id).is_none();
    is_id.then(|| {
        let id = String::from_utf8_lossy(id).into_owned();
        (path, MessageChoice::Id(id))
    })
}

/// Splits `FILE:17` and `FILE@81233`.
fn with_number(address: &[u8]) -> Option<(&[u8], MessageChoice)> {
    let mark = address
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .filter(|mark| *mark > 0)?;
    let number = std::str::from_utf8(&address[mark + 1..])
        .ok()?
        .parse()
        .ok()?;
    match address[mark] {
        b':' => Some((&address[..mark], MessageChoice::Ordinal(number))),
        b'@' => Some((&address[..mark], MessageChoice::Offset(number))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_one_message_or_all() {
        let id = |id: &str| MessageChoice::Id(id.to_owned());
        for (address, path, choice) in [
            ("no/box.mbox:17", "no/box.mbox", MessageChoice::Ordinal(17)),
            ("no/box@81233", "no/box", MessageChoice::Offset(81_233)),
            ("no/box#<a@b>", "no/box", id("a@b")),
            ("no/box#<a#<@b:1>", "no/box", id("a#<@b:1")),
            ("no/#1@5", "no/#1", MessageChoice::Offset(5)),
            ("-#<a@b>", "-", id("a@b")),
            ("-@5", "-", MessageChoice::Offset(5)),
            ("no/box:x", "no/box:x", MessageChoice::All),
            ("no/box:", "no/box:", MessageChoice::All),
            ("no/box#a@b", "no/box#a@b", MessageChoice::All),
            ("no/a:1:2", "no/a:1", MessageChoice::Ordinal(2)),
            ("-", "-", MessageChoice::All),
            (":3", ":3", MessageChoice::All),
            ("#<a@b>", "#<a@b>", MessageChoice::All),
            ("17", "17", MessageChoice::All),
            ("no/a:+1", "no/a:+1", MessageChoice::All),
            (
                "no/a:99999999999999999999",
                "no/a:99999999999999999999",
                MessageChoice::All,
            ),
        ] {
            let path = PathBuf::from(path);
            assert_eq!(
                MessageAddress::parse(OsStr::new(address)),
                MessageAddress { path, choice },
                "{address}"
            );
        }
    }

    #[test]
    fn an_identifier_without_angle_brackets_needs_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let parse = |ending: &str| {
            let mut address = path.clone().into_os_string();
            address.push(ending);
            MessageAddress::parse(&address).choice
        };
        assert_eq!(parse("#m@x.example"), MessageChoice::All);
        std::fs::write(&path, b"").unwrap();
        let id = |id: &str| MessageChoice::Id(id.to_owned());
        assert_eq!(parse("#m@x.example"), id("m@x.example"));
        assert_eq!(parse("#1@5"), id("1@5"));
        assert_eq!(parse("#<m@x>"), id("m@x"));
        assert_eq!(parse("#m"), MessageChoice::All);
        // The number of a file with such a name counts first.
        std::fs::write(folder.path().join("a.mbox#1"), b"").unwrap();
        assert_eq!(parse("#1@5"), MessageChoice::Offset(5));
    }

    #[test]
    fn an_existing_path_is_not_split() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a:1", "a@5", "a#<x@y>"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "Subject: x\n\n").unwrap();
            let address = MessageAddress::parse(path.as_os_str());
            assert_eq!((address.path, address.choice), (path, MessageChoice::All));
        }
        let bytes = OsStr::from_bytes(b"no/\xff:3");
        let address = MessageAddress::parse(bytes);
        assert_eq!(address.path.as_os_str().as_bytes(), b"no/\xff");
    }
}
