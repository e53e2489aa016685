//! What is made of private mail is private: no output, ledger or temporary file is for more eyes than what it was made of.
//!
//! # Limits
//! Owners and groups are those of new files, and lists of access rights (ACL) are not looked at. What cannot be looked at is passed over: reading it
//! tells.

use rustix::fs::Mode;
use rustix::process::umask;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// From here on this process makes files and folders that nobody may read who may not read each of `given`: what is read, and what is
/// replaced, of folders also everything in them; `-` is standard input where that is a file. What is not there is passed over. The mask of the process changes (`umask`), for all its threads.
pub fn keep_private<'a>(given: impl IntoIterator<Item = &'a Path>) {
    let denied = denied(given);
    if denied != 0 {
        // There is no other way to ask for the mask of now.
        let now = umask(Mode::from_raw_mode(0o077));
        umask(now | Mode::from_raw_mode(denied));
    }
}

/// The rights that new files must not give.
fn denied<'a>(given: impl IntoIterator<Item = &'a Path>) -> u32 {
    const ALL: u32 = 0o077;
    let (mut denied, mut folders) = (0, Vec::new());
    for path in given {
        let there = if path == Path::new("-") {
            stdin()
        } else {
            fs::metadata(path).ok()
        };
        let Some(there) = there else { continue };
        denied |= denied_to(&there);
        if there.is_dir() {
            folders.push(path.to_owned());
        }
    }
    // Nobody reads more of a folder than lies in it, and once all is denied nothing can add to it.
    while denied != ALL
        && let Some(folder) = folders.pop()
    {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(there) = entry.metadata() else {
                continue;
            };
            if there.is_file() || there.is_dir() {
                denied |= denied_to(&there);
            }
            if there.is_dir() {
                folders.push(entry.path());
            }
            if denied == ALL {
                break;
            }
        }
    }
    denied
}

/// A pipe has rights that tell nothing.
fn stdin() -> Option<fs::Metadata> {
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    stdin.metadata().ok().filter(fs::Metadata::is_file)
}

/// All rights of the group, of others, or of both, where they may not read. A folder is closed to those who cannot look into it.
fn denied_to(metadata: &fs::Metadata) -> u32 {
    let mode = metadata.permissions().mode();
    let needed = if metadata.is_dir() { 0o555 } else { 0o444 };
    [0o070, 0o007]
        .into_iter()
        .filter(|who| mode & who & needed != who & needed)
        .sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn who_may_not_read_gets_no_right() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for (mode, denied) in [
            (0o600, 0o077),
            (0o644, 0),
            (0o666, 0),
            (0o640, 0o007),
            (0o604, 0o070),
            (0o700, 0o077),
            (0o620, 0o077),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(denied_to(&fs::metadata(&file).unwrap()), denied, "{mode:o}");
        }
        for (mode, denied) in [
            (0o700, 0o077),
            (0o750, 0o007),
            (0o755, 0),
            (0o711, 0o077),
            (0o744, 0o077),
        ] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(
                denied_to(&fs::metadata(folder.path()).unwrap()),
                denied,
                "{mode:o}"
            );
        }
    }

    #[test]
    fn what_lies_in_a_folder_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        fs::create_dir_all(path("a/b")).unwrap();
        for inner in [folder.path(), &path("a"), &path("a/b")] {
            set(inner, 0o755);
        }
        fs::write(path("a/b/inbox.mbox"), "").unwrap();
        std::os::unix::fs::symlink("/dev/null", path("link")).unwrap();
        for (mode, expected) in [(0o644, 0), (0o640, 0o007), (0o600, 0o077)] {
            set(&path("a/b/inbox.mbox"), mode);
            assert_eq!(denied([folder.path()]), expected, "{mode:o}");
        }
        set(&path("a/b/inbox.mbox"), 0o644);
        set(&path("a/b"), 0o750);
        assert_eq!(denied([folder.path(), Path::new("/nowhere")]), 0o007);
    }
}
