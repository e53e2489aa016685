//! Names of files that tell what they are.
//!
//! # Limits
//! None.

use std::path::Path;

/// True for `*.eml`.
pub(crate) fn is_eml(path: &Path) -> bool {
    extension_is(path, &["eml"])
}

/// True for the endings of mailboxes, and for `mbox` in a folder of Apple Mail (`X.mbox/mbox`).
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
