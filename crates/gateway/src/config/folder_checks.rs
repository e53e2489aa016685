//! Checks that the folders of a configuration can be used.
//!
//! # Limits
//! Checks permissions without writing. A quota, or a restriction of the service manager, shows when the daemon starts.

use super::Config;
use crate::record::check_existing;
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
}

impl Config {
    /// Lists the folders that this process cannot use: a spool that does not exist or cannot be written, a ledger folder that
    /// cannot be written or made, is a link, has another owner, or that others may write. It makes nothing.
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

fn unusable(key: &str, folder: &Path, error: &io::Error) -> UnusableFolder {
    let owner = fs::symlink_metadata(folder)
        .ok()
        .filter(fs::Metadata::is_dir)
        .map(|metadata| metadata.uid());
    let advice = if error.kind() == ErrorKind::NotFound {
        "; create the folder, and give it to the user that runs the daemon"
    } else {
        ""
    };
    UnusableFolder {
        text: format!("{key}: {}: {error}{advice}", folder.display()),
        other_owner: owner.filter(|owner| *owner != super::effective_user()),
    }
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
            "none: No such file or directory (os error 2); create the folder, and give it to the user that runs the daemon"
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
}
