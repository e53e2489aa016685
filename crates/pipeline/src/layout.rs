//! Which archives a job reads, and what its outputs are called.
//!
//! # Limits
//!
//! The outputs of a folder of many archives stand side by side, whatever folders the archives came from; restoring brings the
//! folders back.

use crate::{Error, FileName, backup, names};
use mailglot_archive::replace::is_stream;
use mailglot_archive::{
    BoxEvent, BoxEventKind, Format, Found, LeftOut, MAX_EXPANSION, Source, open, recognize_with,
};
use mailglot_mime::Limits;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
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
pub(crate) struct Input {
    /// As recognized.
    pub(crate) found: Found,
    /// A folder, not a file.
    pub(crate) folder: bool,
    pub(crate) opening: Opening,
    /// Its own name, unique among the inputs of the job.
    pub(crate) name: String,
    /// Where restoring puts it below the original's place, with `/`; empty: it is that place.
    pub(crate) original: Vec<u8>,
}

impl Input {
    /// Its path for people.
    pub(crate) fn path(&self) -> String {
        self.found.path.to_string_lossy().into_owned()
    }

    /// Its path for programs.
    pub(crate) fn name_in_json(&self) -> FileName {
        FileName::of(&self.found.path)
    }

    /// Opens it with the limits of a policy.
    pub(crate) fn open(&self, limits: &Limits) -> Result<Box<dyn Source>, Error> {
        open(&self.found, &self.read_options(limits)).map_err(|error| self.error(error))
    }

    /// How archives are read everywhere in this crate.
    fn read_options(&self, limits: &Limits) -> mailglot_archive::ReadOptions {
        mailglot_archive::ReadOptions {
            message_limit: limits.message,
            decode_name: folder_name,
            max_expansion: self.opening.max_expansion,
            force_format: self.opening.force_format,
            ..mailglot_archive::ReadOptions::default()
        }
    }

    /// The same for writing it in a form: no two of its folders become one.
    pub(crate) fn open_for(&self, limits: &Limits, form: Format) -> Result<Box<dyn Source>, Error> {
        let options = mailglot_archive::ReadOptions {
            written_folder: names::written_folder(form),
            ..self.read_options(limits)
        };
        open(&self.found, &options).map_err(|error| self.error(error))
    }

    /// An error of reading it.
    pub(crate) fn error(&self, error: io::Error) -> Error {
        Error::Input(self.found.path.clone(), error)
    }

    /// Fails when it is not what it was when it was opened. Asked after its end.
    pub(crate) fn unchanged(&self, source: &dyn Source) -> Result<(), Error> {
        match source.changed() {
            Ok(false) => Ok(()),
            Ok(true) => Err(self.error(io::Error::other("changed while it was read"))),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.found.path == Path::new("-")
    }
}

/// The display form of a Maildir++ folder name: raw UTF-8 wins, else modified UTF-7, else every bad byte escaped.
fn folder_name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text.to_owned(),
        _ => mailglot_codec::imap_utf7::decode_mailbox(name)
            .unwrap_or_else(|_| mailglot_codec::imap_utf7::decode_mailbox_display(name)),
    }
}

/// What a search found, and what it left out.
pub(crate) struct Search {
    pub(crate) inputs: Vec<Input>,
    /// What was not looked into, with the input below which it lies.
    pub(crate) left_out: Vec<(PathBuf, BoxEvent)>,
}

/// Recognizes every input; an input without any mail is an error, and so is whatever cannot be read below one.
pub(crate) fn find(paths: &[PathBuf], opening: Opening) -> Result<Search, Error> {
    find_with(paths, opening, &mut Err)
}

/// Like [`find`] for one input; what cannot be read below it does not stop the search and is added to `unread`.
pub(crate) fn find_readable(
    path: &Path,
    opening: Opening,
    unread: &mut Vec<Error>,
) -> Result<Search, Error> {
    let mut keep = |error| {
        unread.push(Error::Input(path.to_owned(), error));
        Ok(())
    };
    find_with(&[path.to_owned()], opening, &mut keep)
}

/// Refuses standard input where it is to be read twice: the second time nothing is left of it.
pub fn once(paths: &[PathBuf]) -> Result<(), Error> {
    if paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Error::Usage(
            "standard input (-) is given twice and can be read once".into(),
        ));
    }
    Ok(())
}

fn find_with(
    paths: &[PathBuf],
    opening: Opening,
    unread: &mut dyn FnMut(io::Error) -> io::Result<()>,
) -> Result<Search, Error> {
    if paths.is_empty() {
        return Err(Error::Usage("no input is given".into()));
    }
    once(paths)?;
    let (mut inputs, mut left_out) = (Vec::new(), Vec::new());
    let (mut taken, mut given) = (HashSet::new(), HashSet::new());
    for path in paths {
        let mut noted = Vec::new();
        let found = recognize_with(path, opening.force_format, &mut |left| match left {
            LeftOut::Unread(error) => unread(error),
            LeftOut::Noted(event) => {
                noted.push(event);
                Ok(())
            }
        });
        let found = found.map_err(|error| Error::Input(path.clone(), error))?;
        if found.is_empty() {
            // What is not looked into may be mail.
            let closed = noted
                .iter()
                .find(|event| event.kind != BoxEventKind::NoMail);
            let why = closed.map_or(String::new(), |event| format!(" ({})", event.detail));
            let text = format!("no mail was found here{why}");
            return Err(Error::Input(
                path.clone(),
                io::Error::new(io::ErrorKind::NotFound, text),
            ));
        }
        left_out.extend(noted.into_iter().map(|event| (path.clone(), event)));
        let mut places = HashSet::new();
        // One path comes back as it was, with all archives in their places; of several each is below its name.
        let own = match &found[..] {
            [one] if one.path == *path => unpacked(one),
            _ => path.clone(),
        };
        let top = if paths.len() == 1 {
            String::new()
        } else {
            unique(&own_name(&own), &mut given)
        };
        for found in found {
            let original = original_name(&top, path, &place(path, &found, &mut places));
            let folder = found.path != Path::new("-") && found.path.is_dir();
            let name = unique(&own_name(&unpacked(&found)), &mut taken);
            inputs.push(Input {
                found,
                folder,
                opening,
                name,
                original,
            });
        }
    }
    Ok(Search { inputs, left_out })
}

/// The path without the ending that tells of compression, where what is inside is read.
fn unpacked(found: &Found) -> PathBuf {
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
fn place(given: &Path, found: &Found, places: &mut HashSet<PathBuf>) -> PathBuf {
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

/// Form of the output of an input. A single message stays a single file unless a mailbox is asked for.
pub(crate) fn output_format(input: Format, to: Option<Format>) -> Format {
    match (to, input) {
        (None, input) => input,
        (Some(Format::Eml | Format::EmlTree), Format::Eml) => Format::Eml,
        (Some(Format::Eml), _) => Format::EmlTree,
        (Some(to), _) => to,
    }
}

/// Name of an output that is one of several: that of the source, with the ending of its new form.
pub(crate) fn output_name(input: &Input, to: Format, taken: &mut HashSet<String>) -> String {
    // A folder of such a name would make its output a Maildir.
    if is_folder(to) {
        taken.extend(["cur", "new", "tmp"].map(str::to_owned));
    }
    if to == input.found.format {
        return unique(&input.name, taken);
    }
    let stem = [".mbox", ".mbx", ".eml"]
        .iter()
        .find_map(|end| input.name.strip_suffix(end));
    let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or(&input.name);
    let name = match to {
        Format::Mbox => format!("{stem}.mbox"),
        Format::Eml => format!("{stem}.eml"),
        Format::Maildir | Format::EmlTree => stem.to_owned(),
    };
    unique(&name, taken)
}

/// True for forms that are a folder.
pub(crate) fn is_folder(format: Format) -> bool {
    matches!(format, Format::Maildir | Format::EmlTree)
}

/// Refuses a place to write that is, holds, or lies in something that is read.
pub(crate) fn check_apart(place: &Path, read: &[PathBuf]) -> Result<(), Error> {
    let place_there = resolved(place).map_err(|error| {
        let error = match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(error.kind(), "its folder does not exist; make it first")
            }
            _ => error,
        };
        Error::Output(place.to_owned(), error)
    })?;
    for path in read.iter().filter(|path| *path != Path::new("-")) {
        let there = resolved(path).map_err(|error| Error::Input(path.clone(), error))?;
        let relation = if place_there == there {
            "is"
        } else if place_there.starts_with(&there) {
            "lies inside"
        } else if there.starts_with(&place_there) {
            "holds"
        } else {
            continue;
        };
        let (place, path) = (place.display(), path.display());
        return Err(Error::Usage(format!(
            "{place} {relation} what is read: {path}"
        )));
    }
    Ok(())
}

/// Refuses a place that is taken, unless it may be replaced; a folder may be only when it holds nothing but mail.
pub(crate) fn check_free(place: &Path, force: bool, ours: &HashSet<String>) -> Result<(), Error> {
    let refuse = |kind, why: &str| Err(Error::Output(place.to_owned(), io::Error::new(kind, why)));
    if is_stream(place) {
        return refuse(
            io::ErrorKind::AlreadyExists,
            "is no regular file or folder; write somewhere else",
        );
    }
    if !backup::exists(place) {
        return Ok(());
    }
    if place.is_dir() && is_empty(place) {
        return Ok(());
    }
    if !force {
        return refuse(
            io::ErrorKind::AlreadyExists,
            "stands there already (--force replaces it)",
        );
    }
    if place.is_dir() && !only_mail(place, ours).unwrap_or(false) {
        return refuse(
            io::ErrorKind::DirectoryNotEmpty,
            "this folder holds more than mail and is not replaced; remove it yourself",
        );
    }
    Ok(())
}

/// True for a folder without anything in it.
pub(crate) fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut items| items.next().is_none())
}

/// Everything below is `.eml`, a message in a Maildir's folders, or named like an output of this job.
fn only_mail(folder: &Path, ours: &HashSet<String>) -> io::Result<bool> {
    const PARTS: [&str; 3] = ["cur", "new", "tmp"];
    let mut waiting = vec![(folder.to_owned(), false)];
    while let Some((inner, mail)) = waiting.pop() {
        // One of these names alone is anybody's.
        let maildir = PARTS.iter().all(|part| inner.join(part).is_dir());
        for item in fs::read_dir(&inner)? {
            let item = item?;
            let name = item.file_name().to_string_lossy().into_owned();
            if item.file_type()?.is_dir() {
                waiting.push((item.path(), maildir && PARTS.contains(&name.as_str())));
            } else if !((mail && names::is_maildir_message(&name))
                || Path::new(&name)
                    .extension()
                    .is_some_and(|end| end.eq_ignore_ascii_case("eml"))
                || (inner == folder && ours.contains(&name)))
            {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The place that is meant by a path: of a link the one that it points to, whether anything stands there or not. Jobs find it once, and
/// write, move away and compare that alone. A stream, and what is no link, stays as given.
pub(crate) fn followed(path: &Path) -> Result<PathBuf, Error> {
    // As many as the system follows.
    const MOST_LINKS: usize = 40;
    // With a slash at its end a link is not seen as one.
    let plain: PathBuf = path.components().collect();
    if is_stream(path) || !fs::symlink_metadata(&plain).is_ok_and(|metadata| metadata.is_symlink())
    {
        return Ok(path.to_owned());
    }
    if let Ok(there) = fs::canonicalize(&plain) {
        return Ok(there);
    }
    let mut place = plain;
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(to) => place = place.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(Error::Output(
        path.to_owned(),
        io::Error::other("links to itself"),
    ))
}

/// The absolute path with links resolved; the last component need not exist.
pub(crate) fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(there) = fs::canonicalize(path) {
        return Ok(there);
    }
    let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Ok(fs::canonicalize(parent)?.join(name))
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

/// The name, or the name with a number before its ending, if it is taken (compared without case, as some file systems do).
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let mut candidate = name.to_owned();
    let mut number = 1u64;
    while !taken.insert(candidate.to_lowercase()) {
        number += 1;
        candidate = format!("{stem}-{number}{ending}");
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_follow_the_form() {
        let mut taken = HashSet::new();
        let input = |name: &str, format| Input {
            found: Found {
                path: name.into(),
                format,
                packed: None,
            },
            opening: false.into(),
            folder: false,
            name: name.into(),
            original: Vec::new(),
        };
        let mbox = input("a.mbox", Format::Mbox);
        assert_eq!(output_name(&mbox, Format::Mbox, &mut taken), "a.mbox");
        assert_eq!(output_name(&mbox, Format::Mbox, &mut taken), "a-2.mbox");
        assert_eq!(output_name(&mbox, Format::Maildir, &mut taken), "a");
        assert_eq!(
            output_name(&input("list", Format::EmlTree), Format::Mbox, &mut taken),
            "list.mbox"
        );
        assert_eq!(
            output_name(&input("A", Format::EmlTree), Format::Maildir, &mut taken),
            "A-2"
        );
        assert_eq!(
            output_name(&input("cur", Format::Mbox), Format::EmlTree, &mut taken),
            "cur-2"
        );
        assert_eq!(
            output_name(
                &input("new.mbox", Format::Mbox),
                Format::Maildir,
                &mut taken
            ),
            "new-2"
        );
        assert_eq!(own_name(Path::new("-")), "stdin");
        let original = |top, found: &str| original_name(top, Path::new("in/dir"), Path::new(found));
        assert_eq!(original("", "in/dir"), b"");
        assert_eq!(original("", "in/dir/a/b.mbox"), b"a/b.mbox");
        assert_eq!(original("dir", "in/dir/b.mbox"), b"dir/b.mbox");
        assert_eq!(original("dir", "in/dir"), b"dir");
        assert_eq!(own_name(Path::new("x/Ärger.mbox")), "Ärger.mbox");
        assert_eq!(own_name(Path::new("x/Sent.mbox/mbox")), "Sent.mbox");
    }

    #[test]
    fn endings_of_compression_go_with_it() {
        for ending in ["gz", "zst", "zstd", "bz2", "xz", "XZ"] {
            let mut found = Found {
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
    fn one_message_stays_one_file() {
        assert_eq!(output_format(Format::Eml, None), Format::Eml);
        assert_eq!(
            output_format(Format::Eml, Some(Format::EmlTree)),
            Format::Eml
        );
        assert_eq!(
            output_format(Format::Mbox, Some(Format::Eml)),
            Format::EmlTree
        );
        assert_eq!(output_format(Format::Eml, Some(Format::Mbox)), Format::Mbox);
    }

    #[test]
    fn places_must_be_apart_and_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("in/sub")).unwrap();
        fs::write(path("in/a.mbox"), b"From x\n").unwrap();
        let read = [path("in")];
        assert!(check_apart(&path("out"), &read).is_ok());
        for bad in ["in", "in/out", "in/sub/out", "in/../in/x"] {
            assert!(
                matches!(check_apart(&path(bad), &read), Err(Error::Usage(_))),
                "{bad}"
            );
        }
        assert!(matches!(
            check_apart(folder.path(), &read),
            Err(Error::Usage(_))
        ));
        assert!(matches!(
            check_apart(&path("no/out"), &read),
            Err(Error::Output(..))
        ));

        let ours = HashSet::from(["a.mbox".to_owned()]);
        assert!(check_free(&path("new"), false, &ours).is_ok());
        assert!(check_free(Path::new("/dev/null"), true, &ours).is_err());
        assert!(check_free(&path("in/sub"), false, &ours).is_ok());
        assert!(check_free(&path("in/a.mbox"), false, &ours).is_err());
        assert!(check_free(&path("in/a.mbox"), true, &ours).is_ok());
        assert!(check_free(&path("in"), true, &ours).is_ok());
        fs::write(path("in/notes.txt"), b"mine").unwrap();
        assert!(check_free(&path("in"), true, &ours).is_err());
    }

    #[test]
    fn only_mail_is_replaced() {
        for (folders, file, replaced) in [
            (&["new"][..], "new/thesis.tex", false),
            (&["new"], "new/1.2.host", false),
            (&["cur", "new", "tmp"], "new/thesis.tex", false),
            (&["cur", "new", "tmp"], "cur/2024.tex", false),
            (&["cur", "new", "tmp"], "1.2.host", false),
            (&["cur", "new", "tmp", "cur/x"], "cur/x/1.2.host", false),
            (&["cur", "new", "tmp"], "new/1204680122.27c448.host", true),
            (
                &["cur", "new", "tmp"],
                "cur/00000001.0123456789ab.mailglot:2,S",
                true,
            ),
            (&["cur", "new", "tmp"], "cur/msg:2,", true),
            (&["a/cur", "a/new", "a/tmp"], "a/cur/1.2.host:2,FS", true),
            (&["new"], "new/a.eml", true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for inner in folders {
                fs::create_dir_all(folder.path().join(inner)).unwrap();
            }
            fs::write(folder.path().join(file), b"x").unwrap();
            assert_eq!(
                only_mail(folder.path(), &HashSet::new()).unwrap(),
                replaced,
                "{file}"
            );
        }
    }

    #[test]
    fn links_are_followed_to_their_place() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        for (link, to) in [
            ("dir", "real"),
            ("none", "none2"),
            ("none2", "later"),
            ("loop", "loop"),
        ] {
            symlink(to, root.join(link)).unwrap();
        }
        for (given, place) in [
            ("dir", "real"),
            ("dir/", "real"),
            ("none", "later"),
            ("plain", "plain"),
            ("dir/x", "dir/x"),
        ] {
            assert_eq!(
                followed(&root.join(given)).unwrap(),
                root.join(place),
                "{given}"
            );
        }
        assert!(followed(&root.join("loop")).is_err());
        assert_eq!(
            followed(Path::new("/dev/stdout")).unwrap(),
            Path::new("/dev/stdout")
        );
    }
}
