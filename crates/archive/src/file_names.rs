//! Recognizes messages and mailboxes by their file names.
//!
//! # Limits
//! None.

use std::path::Path;

/// Returns true for `*.eml`.
pub(crate) fn is_eml(path: &Path) -> bool {
    extension_is(path, &["eml"])
}

/// Returns true for the file extensions of mailboxes, and for `mbox` in an Apple Mail folder (`X.mbox/mbox`).
pub(crate) fn is_named_mailbox(path: &Path) -> bool {
    let apple = || {
        path.ends_with("mbox")
            && path
                .parent()
                .is_some_and(|folder| extension_is(folder, &["mbox"]))
    };
    extension_is(
        path,
        &["mbox", "mbx", "mboxrd", "mboxo", "mboxcl", "mboxcl2"],
    ) || apple()
}

fn extension_is(path: &Path, wanted: &[&str]) -> bool {
    path.extension().is_some_and(|extension| {
        wanted
            .iter()
            .any(|wanted| extension.eq_ignore_ascii_case(wanted))
    })
}
