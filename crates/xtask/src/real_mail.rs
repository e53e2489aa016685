//! `cargo xtask real-mail`: the laws and the readings of mail that nobody wrote for a test.
//!
//! ```text
//! packages.tsv ─ fetch.py ─► target/real-mail/downloads ─ extract.py ─► messages, texts, mailboxes ─ check.py ─► verdicts.tsv
//! ```
//!
//! # Limits
//! Needs the network for the first run, `python3`, `pip`, `npm` and Debian's `apt-get`. Mail of others stays in the target folder: the
//! repository holds names of packages, hashes and verdicts.

use crate::run::{checked, given_or_release, root, target};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Downloads the packages that are not there yet, and checks the messages in them. Fails where a law is broken, a reading is wrong or
/// a reading has no verdict.
pub(crate) fn check(program: Option<PathBuf>) -> anyhow::Result<()> {
    let program = given_or_release(program)?;
    let folder = target()?.join("real-mail");
    fs::create_dir_all(&folder)?;
    checked(
        Command::new("python3")
            .args([
                "-B".as_ref(),
                root().join("crates/xtask/real_mail/check.py").as_os_str(),
            ])
            .arg(program)
            .arg(folder),
    )
}
