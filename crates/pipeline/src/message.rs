//! One message by its address.
//!
//! # Limits
//!
//! An archive is read from its front to the message: there is no index.

use crate::layout::{self, Input};
use crate::{Error, away};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, EntryKind, Format};
use mailglot_mime::Limits;
use std::io;
use std::path::{Path, PathBuf};

/// A message taken out of an archive, unquoted.
#[derive(Clone, Debug)]
pub struct Located {
    /// `path` or `path:ordinal`
    pub address: String,
    /// Offset of the entry in its file.
    pub offset: u64,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Finds a message by address: `file.eml`, `-`, `box.mbox:17` (ordinal, from 0), `maildir:17`. An archive without an ordinal gives all its messages.
pub fn locate(address: &str) -> Result<Vec<Located>, Error> {
    let (path, wanted) = split(address);
    let mut located = Vec::new();
    for input in layout::find(std::slice::from_ref(&path))? {
        collect(&input, wanted, &mut located)?;
        if wanted.is_some() && !located.is_empty() {
            break;
        }
    }
    if let (Some(ordinal), true) = (wanted, located.is_empty()) {
        let error = io::Error::new(io::ErrorKind::NotFound, format!("there is no message {ordinal}"));
        return Err(Error::Input(path, error));
    }
    Ok(located)
}

/// Path and ordinal. A path that exists as it stands has none, even with a colon in its name.
fn split(address: &str) -> (PathBuf, Option<u64>) {
    let whole = (PathBuf::from(address), None);
    if away::exists(Path::new(address)) {
        return whole;
    }
    match address.rsplit_once(':') {
        Some((path, number)) if !path.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            number.parse().map_or(whole, |number| (PathBuf::from(path), Some(number)))
        }
        _ => whole,
    }
}

fn collect(input: &Input, wanted: Option<u64>, located: &mut Vec<Located>) -> Result<(), Error> {
    let mut source = input.open(&Limits::default())?;
    let mut batch = Batch::default();
    let mut more = false;
    let path = input.path();
    while source.next(&mut batch).map_err(|error| input.error(error))? {
        for entry in &batch.entries {
            let message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if message && wanted.is_none_or(|ordinal| ordinal == entry.ordinal) {
                let raw = unquote(&batch.bytes[entry.message.clone()], entry.quoting);
                match located.last_mut().filter(|_| more) {
                    // Further pieces of a message too large for one entry.
                    Some(last) => last.bytes.extend_from_slice(&raw),
                    None => located.push(Located {
                        address: match input.found.format {
                            Format::Eml => path.clone(),
                            _ => format!("{path}:{}", entry.ordinal),
                        },
                        offset: entry.offset,
                        bytes: raw.into_owned(),
                    }),
                }
            }
            more = entry.more;
        }
        if wanted.is_some() && !located.is_empty() && !more {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_at_the_last_number() {
        for (address, path, ordinal) in [
            ("no/box.mbox:17", "no/box.mbox", Some(17)),
            ("no/box:x", "no/box:x", None),
            ("no/a:1:2", "no/a:1", Some(2)),
            ("-", "-", None),
            (":3", ":3", None),
            ("no/a:99999999999999999999", "no/a:99999999999999999999", None),
        ] {
            assert_eq!(split(address), (PathBuf::from(path), ordinal), "{address}");
        }
    }

    #[test]
    fn messages_are_found_by_ordinal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let entry =
            |n| format!("From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nSubject: {n}\n\n>From {n}\n\n");
        let mbox: String = (0..3).map(entry).collect();
        std::fs::write(&path, mbox).unwrap();
        let path = path.to_string_lossy();
        let one = locate(&format!("{path}:1")).unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].bytes, b"From: a@b\nSubject: 1\n\nFrom 1\n");
        assert_eq!(one[0].address, format!("{path}:1"));
        assert_eq!(locate(&path).unwrap().len(), 3);
        assert!(matches!(locate(&format!("{path}:3")), Err(Error::Input(..))));
        assert!(matches!(locate("no/such.mbox"), Err(Error::Input(..))));
    }
}
