//! Measures charset decisions (`docs/charset-decisions.md`).
//!
//! # Limits
//!
//! Fetching held-out texts needs Debian's `apt-get`.

use crate::run::{self, cargo, root, target};
use anyhow::bail;
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Runs the program that measures, and has it rewrite the document unless `share` asks for a part only.
pub(crate) fn measure(held_out: Option<PathBuf>, share: Option<usize>) -> anyhow::Result<()> {
    if env::var_os("MAILGLOT_SHARED").is_none() {
        bail!("MAILGLOT_SHARED is not set: real mail is part of the measurement");
    }
    let held_out = match held_out {
        Some(folder) => folder,
        None => gathered()?,
    };
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "mailglot-tests"]);
    command
        .args(["--bin", "mailglot-charset-decisions", "--", "--held-out"])
        .arg(held_out);
    match share {
        Some(share) => command.args(["--rules", "--share", &share.to_string()]),
        None => command
            .arg("--write")
            .arg(root().join("docs/charset-decisions.md")),
    };
    run::checked(&mut command)
}

/// The text of packages that no model was made from; fetched at the first call.
fn gathered() -> anyhow::Result<PathBuf> {
    let folder = target()?.join("held-out");
    // Written last.
    if !folder.join("packages.tsv").is_file() {
        let packages = target()?.join("held-out-packages");
        let gather = root().join("crates/xtask/models/gather.py");
        run::checked(
            Command::new("python3")
                .arg(&gather)
                .arg("--fetch-held-out")
                .arg(&packages),
        )?;
        run::checked(
            Command::new("python3")
                .arg(&gather)
                .arg(&packages)
                .arg(&folder),
        )?;
    }
    Ok(folder)
}
