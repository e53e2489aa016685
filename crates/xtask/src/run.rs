//! Starting other programs, and where things lie.

use anyhow::{Context, bail};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// The text of a file, by its path in the repository.
pub(crate) fn read(path: &str) -> anyhow::Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// Cargo, started at the root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command to its end; an exit code other than 0 is an error that names the command.
pub(crate) fn checked(command: &mut Command) -> anyhow::Result<()> {
    let shown = show(command);
    let status = command
        .status()
        .with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Runs a command and hands each line of its output (stdout and stderr) to `line`, which prints it or not. Tells whether it went well.
pub(crate) fn watched(command: &mut Command, mut line: impl FnMut(&str)) -> anyhow::Result<bool> {
    let shown = show(command);
    // One pipe for both streams keeps their order; a shell that only joins them is the portable way.
    let mut joined = Command::new("sh");
    joined
        .arg("-c")
        .arg(r#"exec "$@" 2>&1"#)
        .arg("sh")
        .arg(command.get_program())
        .args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => joined.env(key, value),
            None => joined.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        joined.current_dir(folder);
    }
    let mut child = joined
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {shown}"))?;
    let Some(out) = child.stdout.take() else {
        bail!("{shown}: no output")
    };
    for text in BufReader::new(out).split(b'\n') {
        line(&String::from_utf8_lossy(&text?));
    }
    Ok(child.wait()?.success())
}

/// What a command prints on stdout.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let shown = show(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {shown}"))?;
    if !output.status.success() {
        bail!("{shown}: {}", output.status);
    }
    Ok(output.stdout)
}

/// What a command prints on stdout when it reads `input`.
pub(crate) fn output_for(command: &mut Command, input: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let shown = show(command);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {shown}"))?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    let is_written = writer.join().is_ok_and(|result| result.is_ok());
    if !output.status.success() {
        bail!("{shown} failed: {}", output.status);
    }
    if !is_written {
        bail!("{shown} did not read all of its input");
    }
    Ok(output.stdout)
}

/// True if a command can be run and its exit code is 0. Its output is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The target folder of this workspace.
pub(crate) fn target() -> anyhow::Result<PathBuf> {
    let metadata = output(cargo().args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--offline",
    ]))
    .or_else(|_| output(cargo().args(["metadata", "--no-deps", "--format-version", "1"])))?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata)?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .context("cargo metadata names no target folder")
}

/// Builds the programs in release mode for tests, and returns the folder in which they lie.
pub(crate) fn build_release() -> anyhow::Result<PathBuf> {
    build("release", &["--bins"], &["mailglot", "mailglot-tests"])
}

/// The program that is given, or the one of the release build.
pub(crate) fn given_or_release(program: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    match program {
        Some(program) => Ok(program),
        None => Ok(build_release()?.join("mailglot")),
    }
}

/// Builds the check of the laws, and the program that it starts, in release mode.
pub(crate) fn build_for_laws() -> anyhow::Result<PathBuf> {
    let programs = ["--bin", "mailglot", "--bin", "mailglot-laws"];
    build("release", &programs, &["mailglot", "mailglot-tests"])
}

/// Builds the generator of mailboxes in release mode, and returns its path.
pub(crate) fn build_generator() -> anyhow::Result<PathBuf> {
    let programs = build("release", &["--bin", "mailglot-gen"], &["mailglot-tests"])?;
    Ok(programs.join("mailglot-gen"))
}

/// Builds programs of these packages, and returns the folder in which they lie.
pub(crate) fn build(
    profile: &str,
    programs: &[&str],
    packages: &[&str],
) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo();
    cargo
        .args(["build", "--quiet", "--profile", profile])
        .args(programs);
    for package in packages {
        cargo.args(["--package", package]);
    }
    checked(&mut cargo)?;
    Ok(target()?.join(profile))
}

/// Returns true if the first file is older than the second, or one of them is missing.
pub(crate) fn is_older(one: &Path, other: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    modified(other).is_none_or(|other| modified(one) < Some(other))
}

/// True when a program of this name can be started.
pub(crate) fn has(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn show(command: &Command) -> String {
    let mut words = vec![command.get_program()];
    words.extend(command.get_args());
    words.join(OsStr::new(" ")).to_string_lossy().into_owned()
}
