//! Finds the archives that a job reads.
//!
//! # Limits
//!
//! Everything is found before anything is read.

use crate::error::{UnreadInput, UsageError};
use crate::unique_name::unique;
use crate::{Error, FileName, backup, names};
use mailglot_archive::{
    BoxEvent, BoxEventKind, Error as FileError, ErrorKind, Format, Input, LeftOut, MAX_EXPANSION,
    Operation, ReadOptions, Source, open, recognize_with,
};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// How inputs are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Read files as messages that have no header field, which are refused otherwise.
    pub force_format: bool,
    /// How many times their own size compressed inputs may become.
    pub max_expansion: u64,
}

impl From<bool> for Opening {
    /// With the usual bound of compressed inputs.
    fn from(force_format: bool) -> Self {
        Self {
            force_format,
            max_expansion: MAX_EXPANSION,
        }
    }
}

/// An archive to read.
#[derive(Clone, Debug)]
pub(crate) struct SourceInput {
    /// As recognized.
    pub(crate) found: Input,
    /// The path under which it was found, as given.
    pub(crate) given: PathBuf,
    /// A folder, not a file.
    pub(crate) folder: bool,
    pub(crate) opening: Opening,
    /// Its own name, unique among the inputs of the job.
    pub(crate) name: String,
    /// Where restoring puts it below the original's place, with `/`; empty: it is that place.
    pub(crate) original: Vec<u8>,
}

impl SourceInput {
    /// Returns its path for people.
    pub(crate) fn path(&self) -> String {
        self.found.path.to_string_lossy().into_owned()
    }

    /// Returns its path for programs.
    pub(crate) fn name_in_json(&self) -> FileName {
        FileName::of(&self.found.path)
    }

    /// Opens it. If it is `written_as` some form, no two of its folders get one name in that form.
    pub(crate) fn open(
        &self,
        limits: &Limits,
        written_as: Option<Format>,
    ) -> Result<Box<dyn Source>, Error> {
        let options = ReadOptions {
            message_limit: limits.message,
            decode_name: folder_name,
            written_folder: written_as.and_then(names::written_folder),
            max_expansion: self.opening.max_expansion,
            force_format: self.opening.force_format,
            ..ReadOptions::default()
        };
        open(&self.found, &options).map_err(Error::Input)
    }

    /// Returns true for standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.found.path == Path::new("-")
    }
}

/// Decodes a Maildir++ folder name: raw UTF-8 wins, else modified UTF-7, else every bad byte is escaped.
fn folder_name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text.to_owned(),
        _ => mailglot_codec::imap_utf7::decode_mailbox(name)
            .unwrap_or_else(|_| mailglot_codec::imap_utf7::decode_mailbox_display(name)),
    }
}

/// The archives that were found, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// In order.
    pub(crate) inputs: Vec<SourceInput>,
    /// What was not looked into, with the input below which it lies.
    pub(crate) left_out: Vec<(PathBuf, BoxEvent)>,
    /// What could not be read.
    pub(crate) unread: Vec<UnreadInput>,
}

/// Recognizes every input. An input without any mail is an error, and so is whatever cannot be read below one.
pub(crate) fn discover(paths: &[PathBuf], opening: Opening) -> Result<Sources, Error> {
    check_paths(paths)?;
    let mut search = Search::new(opening, paths.len() > 1);
    for path in paths {
        search.path(path, &mut Err).map_err(Error::Input)?;
    }
    Ok(search.sources)
}

/// Like [`discover`], but goes on where an input cannot be read; [`Sources::unread`] lists it.
pub(crate) fn discover_readable(paths: &[PathBuf], opening: Opening) -> Result<Sources, Error> {
    check_paths(paths)?;
    let mut search = Search::new(opening, paths.len() > 1);
    for path in paths {
        let mut unread = Vec::new();
        let searched = search.path(path, &mut |error| {
            unread.push(error);
            Ok(())
        });
        unread.extend(searched.err());
        let unread = unread.into_iter();
        let unread = unread.map(|error| UnreadInput::new(path, error));
        search.sources.unread.extend(unread);
    }
    Ok(search.sources)
}

/// Refuses standard input that is given twice: it can be read only once.
pub fn once(paths: &[PathBuf]) -> Result<(), Error> {
    if paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(UsageError::StdinTwice.into());
    }
    Ok(())
}

fn check_paths(paths: &[PathBuf]) -> Result<(), Error> {
    if paths.is_empty() {
        return Err(UsageError::NoInput.into());
    }
    once(paths)
}

/// A search that is running.
struct Search {
    opening: Opening,
    /// Several paths were given, so that each comes back below its own name.
    is_several: bool,
    sources: Sources,
    /// Names of sources.
    names: HashSet<String>,
    /// Names of the paths that were given.
    given: HashSet<String>,
}

impl Search {
    fn new(opening: Opening, is_several: bool) -> Self {
        Self {
            opening,
            is_several,
            sources: Sources::default(),
            names: HashSet::new(),
            given: HashSet::new(),
        }
    }

    /// Adds the archives at `path`. `unread` decides whether the search goes on after an error below it.
    fn path(
        &mut self,
        path: &Path,
        unread: &mut dyn FnMut(FileError) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut noted = Vec::new();
        let found = recognize_with(path, self.opening.force_format, &mut |left| match left {
            LeftOut::Unread(error) => unread(error),
            LeftOut::Noted(event) => {
                noted.push(event);
                Ok(())
            }
        })?;
        if found.is_empty() {
            // What is not looked into may be mail.
            let closed = noted
                .into_iter()
                .find(|event| event.kind != BoxEventKind::NoMail);
            let kind = ErrorKind::NoMailFound(closed.map(|event| event.detail));
            return Err(FileError::new(path, Operation::Read, kind));
        }
        let left_out = noted.into_iter().map(|event| (path.to_owned(), event));
        self.sources.left_out.extend(left_out);
        // One path comes back as it was, with all archives in their places; of several each is below its name.
        let own = match &found[..] {
            [one] if one.path == *path => unpacked(one),
            _ => path.to_owned(),
        };
        let top = if self.is_several {
            unique(&own_name(&own), &mut self.given)
        } else {
            String::new()
        };
        let mut places = HashSet::new();
        for found in found {
            self.sources.inputs.push(SourceInput {
                original: original_name(&top, path, &place(path, &found, &mut places)),
                given: path.to_owned(),
                folder: found.path != Path::new("-") && found.path.is_dir(),
                opening: self.opening,
                name: unique(&own_name(&unpacked(&found)), &mut self.names),
                found,
            });
        }
        Ok(())
    }
}

/// The path without the ending that tells of compression, where what is inside is read.
fn unpacked(found: &Input) -> PathBuf {
    let ending = found.path.extension().map(OsStr::to_ascii_lowercase);
    let tells = ending.is_some_and(|end| {
        ["gz", "zst", "zstd", "bz2", "xz"]
            .iter()
            .any(|known| end == *known)
    });
    if found.packed.is_some() && tells {
        found.path.with_extension("")
    } else {
        found.path.clone()
    }
}

/// Where what is found below a path that was given is put back: a mailbox that was compressed without its ending, unless another file has that
/// name.
fn place(given: &Path, found: &Input, places: &mut HashSet<PathBuf>) -> PathBuf {
    let plain = unpacked(found);
    let own = if found.path == *given || backup::exists(&plain) {
        &found.path
    } else {
        &plain
    };
    if places.insert(own.clone()) {
        own.clone()
    } else {
        found.path.clone()
    }
}

/// The file name of a path, for `.` and `..` that of the folder meant.
fn own_name(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    // The file of an Apple mailbox: `Sent.mbox/mbox`.
    let apple = path
        .parent()
        .filter(|parent| path.ends_with("mbox") && parent.extension() == Some("mbox".as_ref()));
    let path = apple.unwrap_or(path);
    let whole = if path.file_name().is_none() {
        fs::canonicalize(path).ok()
    } else {
        None
    };
    let name = whole
        .as_deref()
        .unwrap_or(path)
        .file_name()
        .unwrap_or_default();
    names::clean(&name.to_string_lossy())
}

/// The path of an archive below the path that was given, after the name of that.
fn original_name(top: &str, given: &Path, found: &Path) -> Vec<u8> {
    let mut name = top.as_bytes().to_vec();
    let below = found.strip_prefix(given).unwrap_or(Path::new(""));
    for component in below.components() {
        if !name.is_empty() {
            name.push(b'/');
        }
        name.extend_from_slice(component.as_os_str().as_encoded_bytes());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_compression_go_with_it() {
        for ending in ["gz", "zst", "zstd", "bz2", "xz", "XZ"] {
            let mut found = Input {
                path: format!("a/l.mbox.{ending}").into(),
                format: Format::Mbox,
                packed: None,
            };
            assert_eq!(unpacked(&found), found.path);
            found.packed = Some(mailglot_archive::Packing::Xz);
            assert_eq!(unpacked(&found), Path::new("a/l.mbox"), "{ending}");
        }
    }

    #[test]
    fn names_of_inputs() {
        assert_eq!(own_name(Path::new("-")), "stdin");
        let original = |top, found: &str| original_name(top, Path::new("in/dir"), Path::new(found));
        assert_eq!(original("", "in/dir"), b"");
        assert_eq!(original("", "in/dir/a/b.mbox"), b"a/b.mbox");
        assert_eq!(original("dir", "in/dir/b.mbox"), b"dir/b.mbox");
        assert_eq!(original("dir", "in/dir"), b"dir");
        assert_eq!(own_name(Path::new("x/Ärger.mbox")), "Ärger.mbox");
        assert_eq!(own_name(Path::new("x/Sent.mbox/mbox")), "Sent.mbox");
    }
}
