//! Checks that the folders of a configuration can be used.
//!
//! # Limits
//! Checks permissions without writing. A quota, or a restriction of the service manager, shows when the daemon starts.
//! Whether a user may make a socket in its folder is not checked, because systemd may make the socket.

use super::Config;
use crate::address::Address;
use crate::ledgers::check_existing;
use crate::socket_folder::SocketFolder;
use mailglot_archive::words;
use rustix::fs::{Access, access};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A folder of the configuration that this process cannot use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnusableFolder {
    /// Key, path and reason.
    pub text: String,
    /// The owner of the folder if that is another user. This user may be able to use it.
    pub other_owner: Option<u32>,
    /// True if the folder does not exist, but `RuntimeDirectory=` of systemd may make it before the daemon starts.
    pub may_appear: bool,
}

impl Config {
    /// Lists the folders in which no safe socket can be made, as a start would find them. Such a folder does not exist, is a link,
    /// belongs to another user, or others may write it.
    pub fn unusable_sockets(&self) -> Vec<UnusableFolder> {
        let mut faults = BTreeSet::new();
        for listener in &self.listeners {
            if let Address::Unix(path) = &listener.address
                && let Err(error) = SocketFolder::open(path)
            {
                faults.insert(unusable_socket(path, &error));
            }
        }
        faults.into_iter().collect()
    }

    /// Lists the spools and ledger folders that only root can use: key, path and what to do.
    pub fn folders_only_root_can_use(&self) -> Vec<String> {
        let mut texts = BTreeSet::new();
        for listener in &self.listeners {
            texts.extend(of_root("limits.spool_dir", &listener.limits.spool));
            let ledger = listener.ledger.as_ref();
            texts.extend(ledger.and_then(|ledger| of_root("ledger", &ledger.folder)));
        }
        texts.into_iter().collect()
    }

    /// Lists the folders that this process cannot use, and makes nothing. Such a folder is a spool that does not exist or
    /// cannot be written. It may also be a ledger folder that cannot be written or made, is a link, has another owner, or
    /// that others may write.
    pub fn unusable(&self) -> Vec<UnusableFolder> {
        let mut faults = BTreeSet::new();
        for listener in &self.listeners {
            let spool = &listener.limits.spool;
            if let Err(error) = writable(spool) {
                faults.insert(unusable("limits.spool_dir", spool, &error));
            }
            if let Some(ledger) = &listener.ledger
                && let Err(error) =
                    can_be_made(&ledger.folder).and_then(|()| check_existing(&ledger.folder))
            {
                faults.insert(unusable("ledger", &ledger.folder, &error));
            }
        }
        faults.into_iter().collect()
    }
}

/// The user number of root.
const ROOT: u32 = 0;

/// Returns a note if a folder belongs to root and only root may write it.
fn of_root(key: &str, folder: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    let is_only_of_root =
        metadata.is_dir() && metadata.uid() == ROOT && metadata.mode() & 0o022 == 0;
    let place = folder.display();
    is_only_of_root.then(|| {
        format!(
            "{key}: {place}: belongs to root, so no other user can run the daemon; give it to that user: chown -R USER {place}"
        )
    })
}

fn unusable_socket(path: &Path, error: &io::Error) -> UnusableFolder {
    let parent = path.parent().unwrap_or(Path::new("/"));
    let is_missing = error.kind() == ErrorKind::NotFound;
    let may_appear = is_missing && parent.parent() == Some(Path::new("/run"));
    let advice = if is_missing && !may_appear {
        "; create the folder, and give it to the user that runs the daemon"
    } else {
        ""
    };
    // A folder that others may write is unsafe for its owner, too.
    let owner = fs::symlink_metadata(parent)
        .ok()
        .filter(|metadata| metadata.is_dir() && metadata.mode() & 0o022 == 0)
        .map(|metadata| metadata.uid());
    UnusableFolder {
        text: format!("address: unix:{}: {}{advice}", path.display(), words(error)),
        other_owner: owner.filter(|owner| !is_missing && *owner != super::effective_user()),
        may_appear,
    }
}

fn unusable(key: &str, folder: &Path, error: &io::Error) -> UnusableFolder {
    let owner = folder_owner(folder);
    let me = super::effective_user();
    let advice = match error.kind() {
        ErrorKind::NotFound => {
            "; create the folder, and give it to the user that runs the daemon".to_owned()
        }
        ErrorKind::PermissionDenied => denied(folder, owner, me, error),
        _ => String::new(),
    };
    UnusableFolder {
        text: format!("{key}: {}: {}{advice}", folder.display(), words(error)),
        other_owner: owner.filter(|owner| *owner != me),
        may_appear: false,
    }
}

/// Returns the owner of a folder and the command that changes it. If the folder does not exist or cannot be reached, names the folder above.
fn denied(folder: &Path, owner: Option<u32>, me: u32, error: &io::Error) -> String {
    let place = folder.display();
    match owner {
        Some(owner) if owner != me => {
            // An error of `check_owner` says `belongs to user 0`. Errors of the system have no text of their own.
            let reason = if error.get_ref().is_some() {
                String::new()
            } else {
                format!("; it belongs to user {owner}, and this program runs as user {me}")
            };
            format!("{reason}; give it to the user that runs the daemon: chown -R USER {place}")
        }
        Some(_) => String::new(),
        None => {
            let known = |above: &Path| folder_owner(above).map(|owner| (above.to_owned(), owner));
            let Some((above, owner)) = folder.ancestors().skip(1).find_map(known) else {
                return String::new();
            };
            format!(
                "; {} belongs to user {owner}, and this program runs as user {me}; create {place} as root, and give it to the user that \
                 runs the daemon: chown -R USER {place}",
                above.display()
            )
        }
    }
}

/// Returns the owner of a folder; `None` if the folder does not exist or this process may not look it up.
fn folder_owner(folder: &Path) -> Option<u32> {
    fs::symlink_metadata(folder)
        .ok()
        .filter(fs::Metadata::is_dir)
        .map(|metadata| metadata.uid())
}

/// Checks that this process may create files in a folder.
fn writable(folder: &Path) -> io::Result<()> {
    if !fs::metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// Returns true if it may make files in a folder that it makes, with those above it, where it is not there.
fn can_be_made(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        match writable(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            known => Some(known),
        }
    });
    there.unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_are_looked_at_and_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).display().to_string();
        fs::write(folder.path().join("file"), "").unwrap();
        std::os::unix::fs::symlink(".", folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("open")).unwrap();
        fs::set_permissions(
            folder.path().join("open"),
            fs::Permissions::from_mode(0o770),
        )
        .unwrap();
        let faults = |ledger: &str, spool: &str| {
            let text = format!(
                "listen = [{{ route = \"milter\", address = \"tcp:127.0.0.1:1\" }}, {{ route = \"milter\", address = \"tcp:127.0.0.1:2\" }}]\n\
                 [policy.default]\nledger = \"{}\"\n[limits]\nspool_dir = \"{}\"",
                place(ledger),
                place(spool)
            );
            Config::parse(&text).unwrap().unusable()
        };
        for (ledger, spool) in [("", ""), ("a", "."), ("a/b/c", "")] {
            assert_eq!(faults(ledger, spool), [], "{ledger} {spool}");
        }
        assert!(!folder.path().join("a").exists());
        assert!(faults("", "none")[0].text.ends_with(
            "none: no such file or directory; create the folder, and give it to the user that runs the daemon"
        ));
        for (ledger, spool, words) in [
            ("", "none", vec!["limits.spool_dir: "]),
            ("", "file", vec!["limits.spool_dir: "]),
            ("file", "", vec!["ledger: "]),
            ("link", "", vec!["ledger: "]),
            ("open", "", vec!["ledger: "]),
            ("file/a/b", "none", vec!["ledger: ", "limits.spool_dir: "]),
        ] {
            let found = faults(ledger, spool);
            assert_eq!(found.len(), words.len(), "{found:?}");
            assert!(
                found.iter().zip(words).all(
                    |(fault, word)| fault.text.starts_with(word) && fault.other_owner.is_none()
                ),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_denied_folder_names_its_owner_and_the_command() {
        let plain = || io::Error::from_raw_os_error(13);
        let foreign = io::Error::new(ErrorKind::PermissionDenied, "belongs to user 0");
        let place = Path::new("/proc/none/led");
        for (owner, error, text) in [
            (
                Some(7),
                plain(),
                "; it belongs to user 7, and this program runs as user 5; give it to the user that runs the daemon: chown -R USER /proc/none/led",
            ),
            (
                Some(7),
                foreign,
                "; give it to the user that runs the daemon: chown -R USER /proc/none/led",
            ),
            (Some(5), plain(), ""),
            (
                None,
                plain(),
                "; /proc belongs to user 0, and this program runs as user 5; create /proc/none/led as root, and give it to the user \
                 that runs the daemon: chown -R USER /proc/none/led",
            ),
        ] {
            assert_eq!(denied(place, owner, 5, &error), text);
        }
    }

    #[test]
    fn folders_of_sockets_are_those_that_a_start_accepts() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).unwrap();
        let faults = |socket: &Path| {
            let text = format!(
                "listen = [{{ route = \"milter\", address = \"unix:{}\" }}]",
                socket.display()
            );
            Config::parse(&text).unwrap().unusable_sockets()
        };
        assert_eq!(faults(&folder.path().join("s")), []);
        for (socket, words, may_appear) in [
            (open.join("s"), "can be written by everybody", false),
            (
                folder.path().join("none/s"),
                "none: no such file or directory; create the folder, and give it to the user that runs the daemon",
                false,
            ),
            (
                "/run/mailglot-that-no-machine-has/s".into(),
                "/run/mailglot-that-no-machine-has: no such file or directory",
                true,
            ),
            (
                "/run/mailglot-that-no-machine-has/below/s".into(),
                "create the folder, and give it to the user that runs the daemon",
                false,
            ),
        ] {
            let found = faults(&socket);
            let [fault] = &found[..] else {
                panic!("{found:?}")
            };
            assert!(
                fault
                    .text
                    .starts_with(&format!("address: unix:{}: ", socket.display()))
                    && fault.text.contains(words),
                "{fault:?}"
            );
            assert_eq!((fault.other_owner, fault.may_appear), (None, may_appear));
        }
    }
}
