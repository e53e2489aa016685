//! Finds the archives that a job reads.
//!
//! # Limits
//!
//! Finds all archives before it reads any of them.

use crate::error::{Error, UnreadInput, UsageError};
use crate::json_file_name::FileName;
use crate::member_names::MEMBER_NAMES;
use crate::message_file_names;
use crate::restored_names::RestoredNames;
use crate::skip_scope::SkipScope;
use crate::unique_name::unique;
use mailglot_archive::{
    BoxEvent, BoxEventKind, Error as FileError, ErrorKind, Format, Input, LeftOut, MAX_EXPANSION,
    MailboxOptions, MboxRule, OpenContainers, Operation, ReadOptions, RecognizeOptions, Source,
    open, recognize_with,
};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Options for opening inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Reads files as messages even if they have no header field. By default they are rejected.
    pub force_format: bool,
    /// Limit on the ratio of decompressed to compressed size.
    pub max_expansion: u64,
    /// Follows symbolic links below a folder: to files, and to folders that are not read at another path.
    pub follow_links: bool,
    /// Reads each folder of a Maildir as an archive of its own, so that it has an output of its own.
    pub divides_maildirs: bool,
    /// How mailboxes are split into messages.
    pub mailbox: MailboxOptions,
}

impl From<bool> for Opening {
    /// Uses the default limit for compressed inputs.
    fn from(force_format: bool) -> Self {
        Self {
            force_format,
            max_expansion: MAX_EXPANSION,
            follow_links: false,
            divides_maildirs: false,
            mailbox: MailboxOptions::default(),
        }
    }
}

/// An archive to read.
#[derive(Clone, Debug)]
pub(crate) struct SourceInput {
    /// The recognized input.
    pub(crate) found: Input,
    /// Its number among the inputs of the job, from 0.
    pub(crate) number: usize,
    /// The path given by the caller under which it was found.
    pub(crate) given: PathBuf,
    /// True for a folder.
    pub(crate) folder: bool,
    pub(crate) opening: Opening,
    /// Its own name, unique among the inputs of the job. On Unix, names are bytes.
    pub(crate) name: Vec<u8>,
    /// Path of the restored archive below the original's path, with `/`. Empty if it is that path.
    pub(crate) original: Vec<u8>,
}

impl SourceInput {
    /// Returns its path for display.
    pub(crate) fn path(&self) -> String {
        self.found.path.to_string_lossy().into_owned()
    }

    /// Returns its path for JSON.
    pub(crate) fn name_in_json(&self) -> FileName {
        FileName::of(&self.found.path)
    }

    /// Opens it, to be decompressed on `threads` threads. With `written_as`, no two of its folders get the same name in that format.
    pub(crate) fn open(
        &self,
        limits: &Limits,
        written_as: Option<Format>,
        threads: usize,
    ) -> Result<Box<dyn Source>, Error> {
        let options = ReadOptions {
            threads,
            ..self.read_options(limits, written_as)
        };
        open(&self.found, &options).map_err(Error::Input)
    }

    /// Returns the options with which it is opened.
    pub(crate) fn read_options(&self, limits: &Limits, written_as: Option<Format>) -> ReadOptions {
        ReadOptions {
            message_limit: limits.message,
            decode_name: folder_name,
            written_folder: written_as.and_then(message_file_names::written_folder),
            max_expansion: self.opening.max_expansion,
            force_format: self.opening.force_format,
            mailbox: self.opening.mailbox.clone(),
            ..ReadOptions::default()
        }
    }

    /// Returns its path below the given folder. Empty for a given file and for the given folder itself.
    pub(crate) fn place(&self) -> String {
        let below = self.found.path.strip_prefix(&self.given);
        below.map_or_else(
            |_| String::new(),
            |below| escaped_name(below.as_os_str().as_encoded_bytes()),
        )
    }

    /// Returns true for standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.found.path == Path::new("-")
    }
}

/// Returns a name as text. Bytes that are not UTF-8 become escapes: `Entw\xFCrfe`. A backslash before `x` becomes `\x5C`, so no two names are one
/// text.
pub(crate) fn escaped_name(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find("\\x") {
            text.push_str(&rest[..at]);
            text.push_str("\\x5C");
            rest = &rest[at + 1..];
        }
        text.push_str(rest);
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Decodes a Maildir++ folder name as raw UTF-8, else as modified UTF-7. Otherwise escapes every bad byte.
fn folder_name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text.to_owned(),
        _ => mailglot_codec::imap_utf7::decode_mailbox(name)
            .unwrap_or_else(|_| mailglot_codec::imap_utf7::decode_mailbox_display(name)),
    }
}

/// The archives that were found, and what was skipped.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The archives, in order.
    pub(crate) inputs: Vec<SourceInput>,
    /// Skipped files, with the input below which they lie.
    pub(crate) left_out: Vec<(PathBuf, BoxEvent)>,
    /// Unreadable files and folders.
    pub(crate) unread: Vec<UnreadInput>,
}

/// Recognizes every input. [`Sources::unread`] lists what is skipped.
///
/// # Errors
/// An input has no mail, or cannot be read, or a file or folder below it cannot, and `skipped` does not allow that.
pub(crate) fn discover(
    paths: &[PathBuf],
    opening: Opening,
    skipped: SkipScope,
) -> Result<Sources, Error> {
    check_paths(paths)?;
    let mut search = InputSearch::new(opening, paths);
    for path in paths {
        let mut unread = Vec::new();
        let is_skipped = |error: &FileError| match skipped {
            SkipScope::Nothing => false,
            SkipScope::Files => error.path() != path && !error.lacks_resources(),
            SkipScope::Inputs => true,
        };
        let searched = search.path(path, &mut |error| {
            if !is_skipped(&error) {
                return Err(error);
            }
            unread.push(error);
            Ok(())
        });
        if let Err(error) = searched {
            if skipped == SkipScope::Inputs {
                unread.push(error);
            } else if matches!(error.kind(), ErrorKind::NoMailFound(_)) {
                // What cannot be read is the reason.
                return Err(Error::Input(unread.into_iter().next().unwrap_or(error)));
            } else {
                return Err(Error::Input(error));
            }
        }
        let unread = unread.into_iter();
        let unread = unread.map(|error| UnreadInput::new(path, error));
        search.sources.unread.extend(unread);
    }
    search.check_overrides()?;
    Ok(search.sources)
}

/// Rejects standard input that is given twice, because it can be read only once.
pub fn check_stdin_once(paths: &[PathBuf]) -> Result<(), Error> {
    if paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(UsageError::StdinTwice.into());
    }
    Ok(())
}

fn check_paths(paths: &[PathBuf]) -> Result<(), Error> {
    if paths.is_empty() {
        return Err(UsageError::NoInput.into());
    }
    check_stdin_once(paths)
}

/// State of a search.
struct InputSearch {
    opening: Opening,
    open_containers: OpenContainers,
    /// True if several paths were given, so that each is restored at its own path.
    is_several: bool,
    sources: Sources,
    /// Names of the sources.
    names: HashSet<Vec<u8>>,
    /// The places at which the given paths are restored.
    given: RestoredNames,
}

impl InputSearch {
    fn new(opening: Opening, paths: &[PathBuf]) -> Self {
        Self {
            opening,
            open_containers: OpenContainers::default(),
            is_several: paths.len() > 1,
            sources: Sources::default(),
            names: HashSet::new(),
            given: RestoredNames::of(paths),
        }
    }

    /// Rejects decisions about lines of a mailbox if it is not clear which one is meant.
    fn check_overrides(&self) -> Result<(), Error> {
        let is_one_mailbox = match &self.sources.inputs[..] {
            [] => true,
            [one] => one.found.format == Format::Mbox,
            _ => false,
        };
        if is_one_mailbox || self.opening.mailbox.overrides.is_empty() {
            Ok(())
        } else {
            Err(UsageError::OverrideNeedsMailbox.into())
        }
    }

    /// Adds the archives at `path`. `unread` decides whether the search continues after an error below it.
    fn path(
        &mut self,
        path: &Path,
        unread: &mut dyn FnMut(FileError) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut noted = Vec::new();
        let options = RecognizeOptions {
            force_format: self.opening.force_format,
            max_expansion: self.opening.max_expansion,
            follow_links: self.opening.follow_links,
            divides_maildirs: self.opening.divides_maildirs,
            open_containers: self.open_containers.clone(),
            member_names: MEMBER_NAMES,
        };
        let found = recognize_with(path, &options, &mut |left| match left {
            LeftOut::Unread(error) => unread(error),
            LeftOut::Noted(event) => {
                noted.push(event);
                Ok(())
            }
        })?;
        if found.is_empty() {
            // A skipped file may be mail.
            let is_known = |kind| matches!(kind, BoxEventKind::NoMail | BoxEventKind::MailLike);
            let closed = noted.into_iter().find(|event| !is_known(event.kind));
            let kind = ErrorKind::NoMailFound(closed.map(|event| event.detail));
            return Err(FileError::new(path, Operation::Read, kind));
        }
        let left_out = noted.into_iter().map(|event| (path.to_owned(), event));
        self.sources.left_out.extend(left_out);
        // A single path is restored as it was, with all archives at their paths. Several are restored at their paths.
        let own = match &found[..] {
            [one] if one.path == *path => unpacked(one),
            _ => path.to_owned(),
        };
        let top = if self.is_several {
            self.given.add(&own, own_name(&own))
        } else {
            Vec::new()
        };
        let mut places = HashSet::new();
        let mut maildir = PathBuf::new();
        let has_rule = self.opening.mailbox.rule != MboxRule::Auto
            || !self.opening.mailbox.overrides.is_empty();
        for mut found in found {
            // Whoever says how a given file is split says that it is a mailbox.
            if has_rule && found.format == Format::Eml && found.path == *path {
                found.format = Format::Mbox;
            }
            let own = match maildir_folder(&found, &mut maildir) {
                Some(folder) => message_file_names::readable(&folder).into_bytes(),
                None => own_name(&unpacked(&found)),
            };
            self.sources.inputs.push(SourceInput {
                original: original_name(&top, path, &place(path, &found, &mut places)),
                given: path.to_owned(),
                folder: found.is_folder(),
                number: self.sources.inputs.len(),
                opening: self.opening.clone(),
                name: unique(&own, &mut self.names),
                found,
            });
        }
        Ok(())
    }
}

/// Returns the display name of an input that is one folder of the Maildir at `maildir`. `None` for the Maildir itself, which `maildir`
/// then is, and for other inputs.
fn maildir_folder(found: &Input, maildir: &mut PathBuf) -> Option<String> {
    if !found.is_one_folder {
        return None;
    }
    let is_below = !maildir.as_os_str().is_empty() && found.path.starts_with(&*maildir);
    if !is_below {
        maildir.clone_from(&found.path);
        return None;
    }
    Some(found.maildir_folder(maildir, folder_name)).filter(|folder| !folder.is_empty())
}

/// Returns the path without the extension of the compression, if the compressed file is read.
fn unpacked(found: &Input) -> PathBuf {
    let ending = found.path.extension().map(OsStr::to_ascii_lowercase);
    let is_compression = ending.is_some_and(|end| {
        ["gz", "zst", "zstd", "bz2", "xz", "lz4"]
            .iter()
            .any(|known| end == *known)
    });
    if found.packed.is_some() && is_compression {
        found.path.with_extension("")
    } else {
        found.path.clone()
    }
}

/// Returns the path at which a found archive is restored.
///
/// A compressed mailbox loses its extension, unless another file has that name.
fn place(given: &Path, found: &Input, places: &mut HashSet<PathBuf>) -> PathBuf {
    let plain = unpacked(found);
    let own = if found.path == *given || found.tree.has(&plain) {
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

/// Returns the file name of a path. `.` and `..` are resolved to the name of the folder.
fn own_name(path: &Path) -> Vec<u8> {
    if path == Path::new("-") {
        return b"stdin".to_vec();
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
    message_file_names::clean_bytes(name.as_encoded_bytes())
}

/// Returns the path of an archive below the given path, after the name of that.
fn original_name(top: &[u8], given: &Path, found: &Path) -> Vec<u8> {
    let mut name = top.to_vec();
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
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn names_that_are_not_utf8_have_different_texts() {
        assert_eq!(escaped_name(b"Entw\xfcrfe"), "Entw\\xFCrfe");
        assert_eq!(
            escaped_name("Entwürfe \u{fffd}".as_bytes()),
            "Entwürfe \u{fffd}"
        );
        assert_eq!(escaped_name(br"Entw\xFCrfe"), r"Entw\x5CxFCrfe");
        assert_eq!(escaped_name(br"a\\xb\c\x"), r"a\\x5Cxb\c\x5Cx");
    }

    #[test]
    fn compression_extensions_are_removed() {
        for ending in ["gz", "zst", "zstd", "bz2", "xz", "XZ", "lz4"] {
            let mut found = Input::on_disk(format!("a/l.mbox.{ending}"), Format::Mbox);
            assert_eq!(unpacked(&found), found.path);
            found.packed = Some(mailglot_archive::Packing::Xz);
            assert_eq!(unpacked(&found), Path::new("a/l.mbox"), "{ending}");
        }
    }

    #[test]
    fn folders_of_a_maildir_are_named_after_the_path_in_it() {
        let folder = |path: &str| Input {
            is_one_folder: true,
            ..Input::on_disk(path, Format::Maildir)
        };
        let mut maildir = PathBuf::new();
        let mut name = |path: &str| maildir_folder(&folder(path), &mut maildir);
        assert_eq!(name("m/A"), None);
        assert_eq!(name("m/A/.Entw&APw-rfe.2004").unwrap(), "Entwürfe/2004");
        assert_eq!(name("m/A/lists/.x").unwrap(), "lists/x");
        // Not below `m/A`.
        assert_eq!(name("m/AB"), None);
        assert_eq!(name("m/AB/.Sent").unwrap(), "Sent");
        let other = Input::on_disk("m/AB/old.mbox", Format::Mbox);
        assert_eq!(maildir_folder(&other, &mut maildir), None);
    }

    #[test]
    fn names_of_inputs() {
        assert_eq!(own_name(Path::new("-")), b"stdin");
        let original = |top: &str, found: &str| {
            original_name(top.as_bytes(), Path::new("in/dir"), Path::new(found))
        };
        assert_eq!(original("", "in/dir"), b"");
        assert_eq!(original("", "in/dir/a/b.mbox"), b"a/b.mbox");
        assert_eq!(original("dir", "in/dir/b.mbox"), b"dir/b.mbox");
        assert_eq!(original("dir", "in/dir"), b"dir");
        assert_eq!(own_name(Path::new("x/Ärger.mbox")), "Ärger.mbox".as_bytes());
        let latin = OsStr::from_bytes(b"x/\xc4rger.mbox");
        assert_eq!(own_name(Path::new(latin)), b"\xc4rger.mbox");
        assert_eq!(own_name(Path::new("x/Sent.mbox/mbox")), b"Sent.mbox");
    }
}
