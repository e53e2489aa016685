//! Checks paths before anything is read or written: an output must not be an input, and may only replace mail.
//!
//! # Limits
//!
//! Does not notice changes by other processes after the check.

use crate::discover::SourceInput;
use crate::error::{Error, Relation, UsageError};
use crate::message_file_names;
use crate::staged_ledger::exists;
use mailglot_archive::replace::is_stream;
use mailglot_archive::{Error as FileError, ErrorKind, Operation};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the paths that a job reads: those given, and the links below them that are followed. `inputs` were found in `given`.
pub(crate) fn read_paths(given: &[PathBuf], inputs: &[SourceInput]) -> Vec<PathBuf> {
    let mut links = Vec::new();
    let mut done = HashSet::new();
    // The archives below one path have the same links.
    for input in inputs.iter().filter(|input| done.insert(&input.given)) {
        links.extend(input.found.tree.followed_links().map(Path::to_owned));
    }
    // The first that overlaps an output is named.
    links.sort();
    given.iter().cloned().chain(links).collect()
}

/// Rejects an output path that is, contains, or lies in an input.
pub(crate) fn check_apart(place: &Path, read: &[PathBuf]) -> Result<(), Error> {
    let place_there = resolved(place).map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NoParent,
            _ => error.into(),
        };
        Error::Output(FileError::new(place, Operation::Create, kind))
    })?;
    for path in read.iter().filter(|path| *path != Path::new("-")) {
        let there = resolved(on_disk(path))
            .map_err(|error| Error::Input(FileError::new(path, Operation::Open, error)))?;
        let relation = if place_there == there {
            Relation::Is
        } else if place_there.starts_with(&there) {
            Relation::LiesInside
        } else if there.starts_with(&place_there) {
            Relation::Contains
        } else {
            continue;
        };
        return Err(Error::Usage(UsageError::Overlap {
            output: place.to_owned(),
            relation,
            input: path.clone(),
        }));
    }
    Ok(())
}

/// Returns the file that has the input: for a path into a zip or tar archive, the archive.
pub(crate) fn on_disk(path: &Path) -> &Path {
    if exists(path) {
        return path;
    }
    let mut above = path.ancestors().skip(1);
    above.find(|above| above.is_file()).unwrap_or(path)
}

/// Rejects a path that is taken, unless it may be replaced. A folder may only be replaced if it contains nothing but mail.
pub(crate) fn check_free(place: &Path, force: bool, ours: &HashSet<Vec<u8>>) -> Result<(), Error> {
    let refuse = |why: ErrorKind| Err(Error::Output(FileError::new(place, Operation::Create, why)));
    if is_stream(place) {
        return refuse(ErrorKind::Stream);
    }
    if !exists(place) {
        return Ok(());
    }
    if place.is_dir() && is_empty(place) {
        return Ok(());
    }
    if !force {
        return refuse(ErrorKind::Exists);
    }
    if place.is_dir() && !only_mail(place, ours).unwrap_or(false) {
        return refuse(ErrorKind::HoldsMoreThanMail);
    }
    Ok(())
}

/// Rejects a file where a folder is to be written, and a folder where a file is. Neither replaces the other.
pub(crate) fn check_form(place: &Path, is_folder: bool) -> Result<(), Error> {
    let kind = match is_folder {
        _ if !exists(place) || place.is_dir() == is_folder => return Ok(()),
        true => ErrorKind::NotFolder,
        false => ErrorKind::IsFolder,
    };
    Err(Error::Output(FileError::new(
        place,
        Operation::Create,
        kind,
    )))
}

/// Returns true for an empty folder.
pub(crate) fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut items| items.next().is_none())
}

/// Returns true if everything below is `.eml`, a message in a Maildir's folders, or named like an output of this job.
fn only_mail(folder: &Path, ours: &HashSet<Vec<u8>>) -> io::Result<bool> {
    const PARTS: [&str; 3] = ["cur", "new", "tmp"];
    let mut waiting = vec![(folder.to_owned(), false)];
    while let Some((inner, mail)) = waiting.pop() {
        // A single folder with one of these names proves nothing.
        let maildir = PARTS.iter().all(|part| inner.join(part).is_dir());
        for item in fs::read_dir(&inner)? {
            let item = item?;
            let name = item.file_name().to_string_lossy().into_owned();
            if item.file_type()?.is_dir() {
                waiting.push((item.path(), maildir && PARTS.contains(&name.as_str())));
            } else if !((mail && message_file_names::is_maildir_message(&name))
                || Path::new(&name)
                    .extension()
                    .is_some_and(|end| end.eq_ignore_ascii_case("eml"))
                || (inner == folder && ours.contains(item.file_name().as_encoded_bytes())))
            {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Resolves a link to the path it points to, whether or not that exists. Streams and other paths stay as given.
///
/// A job resolves each path once, and then only uses the result.
pub(crate) fn followed(path: &Path) -> Result<PathBuf, Error> {
    // As many as the kernel follows.
    const MOST_LINKS: usize = 40;
    // With a trailing slash, a link is not recognized as one.
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
    Err(Error::Output(FileError::new(
        path,
        Operation::Create,
        ErrorKind::LinkLoop,
    )))
}

/// Returns the absolute path with links resolved. The last component need not exist.
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

#[cfg(test)]
mod tests {
    use super::*;

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

        let ours = HashSet::from(["a.mbox".into()]);
        assert!(check_free(&path("new"), false, &ours).is_ok());
        assert!(check_free(Path::new("/dev/null"), true, &ours).is_err());
        assert!(check_free(&path("in/sub"), false, &ours).is_ok());
        assert!(check_free(&path("in/a.mbox"), false, &ours).is_err());
        assert!(check_free(&path("in/a.mbox"), true, &ours).is_ok());
        assert!(check_free(&path("in"), true, &ours).is_ok());
        fs::write(path("in/notes.txt"), b"mine").unwrap();
        assert!(check_free(&path("in"), true, &ours).is_err());
        for (place, as_file, as_folder) in [
            ("in", false, true),
            ("in/a.mbox", true, false),
            ("new", true, true),
        ] {
            let is_free = |is_folder| check_form(&path(place), is_folder).is_ok();
            assert_eq!((is_free(false), is_free(true)), (as_file, as_folder));
        }
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
