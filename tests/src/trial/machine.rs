//! A scratch copy of this Debian machine, on which packages are installed and services run (`tests/machine`).
//!
//! It has mounts, a network, processes and a host name of its own; what a test writes there is in memory and gone afterwards.
//!
//! # Limits
//! Linux, Debian, root. systemd does not run there; `tests/machine/run.sh` does for one unit what it would do.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Builds the Debian package with this revision into `folder`, without compression.
///
/// # Panics
/// When it cannot be built.
pub fn package(folder: &Path, revision: u32) {
    let output = Command::new(crate::binary::xtask())
        .args(["package", "--fast", "--program"])
        .arg(crate::binary::path())
        .args(["--revision", &revision.to_string(), "--output"])
        .arg(folder)
        .output()
        .expect("xtask can be started");
    assert!(output.status.success(), "{}", crate::binary::shown(&output));
}

/// Runs commands of bash on a scratch machine; they find the files of `folder` in their working directory, and the first that fails ends them.
///
/// # Panics
/// When there is no such machine: this is not root's process, or namespaces are forbidden.
pub fn run(folder: &Path, commands: &str) -> Output {
    fs::write(folder.join("commands"), commands).expect("a file of commands");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("machine");
    let scripts = fs::canonicalize(scripts).expect("tests/machine");
    // The machine's own files are below /mnt there.
    let inside = |path: &Path| Path::new("/mnt").join(path.strip_prefix("/").unwrap_or(path));
    Command::new("unshare")
        .args([
            "--mount",
            "--net",
            "--uts",
            "--ipc",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ])
        .arg("sh")
        .arg(scripts.join("enter.sh"))
        .arg("sh")
        .arg(inside(&scripts.join("run.sh")))
        .arg(inside(folder))
        .output()
        .expect("unshare can be started")
}
