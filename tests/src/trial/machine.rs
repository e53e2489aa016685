//! A scratch copy of this Debian machine for installing packages and running services (`tests/machine`).
//!
//! It has its own mounts, network, processes and host name. Files that a test writes there are in memory and disappear afterwards.
//!
//! # Limits
//! Linux, Debian, root. systemd does not run there; `tests/machine/run.sh` emulates it for one unit.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Builds the Debian package with this revision in `folder`, without compression.
///
/// # Panics
/// If it cannot be built.
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

/// Runs bash commands on a scratch machine, in a working directory with the files of `folder`. Stops at the first that fails.
///
/// # Panics
/// If the machine cannot be created: the process is not root's, or namespaces are forbidden.
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
