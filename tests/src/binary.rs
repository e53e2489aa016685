//! Runs the program under test.
//!
//! `MAILGLOT_BIN` names it (`cargo xtask test` sets it to the release build). Without the variable, the debug build is made once.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

/// Returns the path of the program.
///
/// # Panics
///
/// If it cannot be built.
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| named_or_built("MAILGLOT_BIN", "mailglot"))
}

/// Returns the path of `xtask`.
///
/// `MAILGLOT_XTASK` names it (`cargo xtask test` names itself). Without the variable, the debug build is made once.
///
/// # Panics
///
/// If it cannot be built.
pub fn xtask() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| named_or_built("MAILGLOT_XTASK", "xtask"))
}

fn named_or_built(variable: &str, package: &str) -> PathBuf {
    if let Some(path) = env::var_os(variable) {
        let path = PathBuf::from(path);
        assert!(
            path.is_file(),
            "{variable} names no file: {}",
            path.display()
        );
        return path;
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--package", package])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be started");
    assert!(built.status.success(), "{package} does not build");
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == package)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the program that it built")
}

/// Returns a command for the program, without arguments.
pub fn command() -> Command {
    let mut command = Command::new(path());
    command.stdin(Stdio::null());
    command
}

/// Runs the program to its end.
///
/// # Panics
///
/// If it cannot be started.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    command()
        .args(arguments)
        .output()
        .expect("the program can be started")
}

/// Runs the program with `input` as its stdin.
///
/// # Panics
///
/// If it cannot be started.
pub fn run_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Output {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("stdin was piped");
    thread::scope(|scope| {
        // The program may end before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child
            .wait_with_output()
            .expect("the program can be waited for")
    })
}

/// Formats the output of a run for messages of failed tests.
pub fn shown(output: &Output) -> String {
    format!(
        "{}\n-- stdout\n{}\n-- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
