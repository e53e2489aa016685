//! One message by its address.
//!
//! # Limits
//!
//! An archive is read from its front to the message: there is no index.

use crate::file_name::own_file;
use crate::layout::{self, Input, Opening, Search};
use crate::tally::Notes;
use crate::{Error, FileName, Summary, backup};
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, EntryKind, Format};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A message taken out of an archive, unquoted.
#[derive(Clone, Debug)]
pub struct Located {
    /// `path` or `path:ordinal`
    pub address: String,
    /// The file of the message, where that is a file of its own in a folder.
    pub path: Option<FileName>,
    /// Where the message stands in its file, still quoted.
    pub place: Range<u64>,
    /// The same with its separator line and the blank line behind it.
    pub entry: Range<u64>,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Finds messages by address and hands them on one by one: `file.eml`, `-`, `box.mbox:17` (ordinal, from 0), `maildir:17`. An
/// archive without an ordinal gives all its messages. What cannot be read is handed on as an error, and the rest goes on.
/// `each` tells whether it wants more. [`Opening::force_format`] reads what has no header field, too. Gives an account of what was left out, in which nothing else is.
pub fn locate(
    address: &OsStr,
    opening: impl Into<Opening>,
    each: &mut dyn FnMut(Result<Located, Error>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let (path, wanted) = split(address);
    let mut found = false;
    let (mut unread, mut notes) = (Vec::new(), Notes::default());
    let Search { inputs, left_out } = layout::find_readable(&path, opening.into(), &mut unread)?;
    notes.left_out(&left_out);
    let mut told: HashSet<String> = unread.iter().map(Error::to_string).collect();
    for error in unread {
        if each(Err(error)).is_break() {
            return Ok(notes.finish());
        }
    }
    for input in inputs {
        let mut pass = |located: Result<Located, Error>| {
            found |= located.is_ok();
            // The walk through a folder meets again what the search met.
            let known = located
                .as_ref()
                .err()
                .is_some_and(|error| !told.insert(error.to_string()));
            if known {
                ControlFlow::Continue(())
            } else {
                each(located)
            }
        };
        if collect(&input, wanted, &mut notes, &mut pass).is_break() || (wanted.is_some() && found)
        {
            return Ok(notes.finish());
        }
    }
    if let (Some(ordinal), false) = (wanted, found) {
        let error = io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no message {ordinal}"),
        );
        return Err(Error::Input(path, error));
    }
    Ok(notes.finish())
}

/// Path and ordinal. A path that exists as it stands has none, even with a colon in its name.
fn split(address: &OsStr) -> (PathBuf, Option<u64>) {
    let whole = (PathBuf::from(address), None);
    if backup::exists(Path::new(address)) {
        return whole;
    }
    let bytes = address.as_bytes();
    match bytes.iter().rposition(|&byte| byte == b':') {
        Some(colon) if colon > 0 && bytes[colon + 1..].iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(&bytes[colon + 1..])
                .ok()
                .and_then(|number| number.parse().ok());
            number.map_or(whole, |number| {
                (OsStr::from_bytes(&bytes[..colon]).into(), Some(number))
            })
        }
        _ => whole,
    }
}

fn collect(
    input: &Input,
    wanted: Option<u64>,
    notes: &mut Notes,
    each: &mut dyn FnMut(Result<Located, Error>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut source = match input.open(&Limits::default()) {
        Ok(source) => source,
        Err(error) => return each(Err(error)),
    };
    let mut batch = Batch::default();
    let path = input.path();
    // A message too large for one entry, whose other pieces follow.
    let mut begun: Option<Located> = None;
    loop {
        match source.next(&mut batch) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                begun = None;
                each(Err(input.error(error)))?;
                if input.folder {
                    continue;
                }
                break;
            }
        }
        notes.events(&path, &batch.events);
        for entry in &batch.entries {
            let message = matches!(entry.kind, EntryKind::Message | EntryKind::Oversize);
            if !message || wanted.is_some_and(|ordinal| ordinal != entry.ordinal) {
                continue;
            }
            let raw = unquote(&batch.bytes[entry.message.clone()], entry.quoting);
            let in_file = |at: usize| entry.offset + (at - entry.span.start) as u64;
            let (message_end, end) = (in_file(entry.message.end), in_file(entry.span.end));
            let located = match begun.take() {
                Some(mut located) => {
                    located.bytes.extend_from_slice(&raw);
                    (located.place.end, located.entry.end) = (message_end, end);
                    located
                }
                None => Located {
                    address: match input.found.format {
                        Format::Eml => path.clone(),
                        _ => format!("{path}:{}", entry.ordinal),
                    },
                    path: own_file(input.folder.then_some(&*input.found.path), &entry.name),
                    place: in_file(entry.message.start)..message_end,
                    entry: entry.offset..end,
                    bytes: raw.into_owned(),
                },
            };
            if entry.more {
                begun = Some(located);
                continue;
            }
            each(Ok(located))?;
            if wanted.is_some() {
                return ControlFlow::Continue(());
            }
        }
    }
    begun.map_or(ControlFlow::Continue(()), |located| each(Ok(located)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_archive::Quoting;

    #[test]
    fn addresses_are_split_at_the_last_number() {
        for (address, path, ordinal) in [
            ("no/box.mbox:17", "no/box.mbox", Some(17)),
            ("no/box:x", "no/box:x", None),
            ("no/a:1:2", "no/a:1", Some(2)),
            ("-", "-", None),
            (":3", ":3", None),
            (
                "no/a:99999999999999999999",
                "no/a:99999999999999999999",
                None,
            ),
        ] {
            assert_eq!(
                split(OsStr::new(address)),
                (PathBuf::from(path), ordinal),
                "{address}"
            );
        }
    }

    #[test]
    fn messages_are_found_by_ordinal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mbox");
        let entry = |n| {
            format!("From a@b Mon Jan  1 00:00:0{n} 2001\nFrom: a@b\nSubject: {n}\n\n>From {n}\n\n")
        };
        let mbox: String = (0..3).map(entry).collect();
        std::fs::write(&path, mbox).unwrap();
        let path = path.to_string_lossy();
        let all = |address: &str| {
            let mut all = Vec::new();
            let mut each = |located: Result<Located, Error>| {
                all.push(located.unwrap());
                ControlFlow::Continue(())
            };
            locate(OsStr::new(address), false, &mut each).map(|_| all)
        };
        let one = all(&format!("{path}:1")).unwrap();
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].bytes, b"From: a@b\nSubject: 1\n\nFrom 1\n");
        assert_eq!(one[0].address, format!("{path}:1"));
        assert_eq!(all(&path).unwrap().len(), 3);
        let (file, mut end) = (std::fs::read(&*path).unwrap(), 0);
        let part = |range: &Range<u64>| &file[range.start as usize..range.end as usize];
        for (number, located) in all(&path).unwrap().iter().enumerate() {
            assert_eq!(part(&located.entry), entry(number).as_bytes());
            assert_eq!(
                unquote(part(&located.place), Quoting::Mboxrd),
                located.bytes
            );
            assert_eq!(located.entry.start, end);
            end = located.entry.end;
        }
        assert_eq!(end as usize, file.len());
        assert!(matches!(all(&format!("{path}:3")), Err(Error::Input(..))));
        assert!(matches!(all("no/such.mbox"), Err(Error::Input(..))));
        let mut seen = 0;
        let mut first = |_: Result<Located, Error>| {
            seen += 1;
            ControlFlow::Break(())
        };
        locate(OsStr::new(&*path), false, &mut first).unwrap();
        assert_eq!(seen, 1);
    }
}
