//! Builds `mailglot` with profile-guided optimization, as packages and benchmarks have it.
//!
//! ```text
//! instrumented build ──► work on generated mail ──► *.profraw ──► llvm-profdata merge ──► build with -Cprofile-use
//! ```
//!
//! The compiler then lays out and inlines the code by what the work ran often. The work is that of most users: to read, normalize, restore and
//! filter mail, to decode header values and to convert text. Its seeds are not those of the benchmarks.
//!
//! # Limits
//!
//! Needs `llvm-profdata` of the compiler's LLVM, which it has rustup install. Without it, the program is built without a profile, and a line on
//! standard error says so. `MAILGLOT_PROFILE=off` leaves the profile out, too. What the work does not reach, such as `split`, counts as rare.
//! Two builds at a time disturb each other.

use crate::run::{self, cargo, checked, is_older, output, root, succeeds, target};
use crate::workshop::mailbox_of;
use anyhow::{Context, ensure};
use std::env;
use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Mailboxes of the training: profile, size, seed and share of flawed parts.
const MAILBOXES: [[&str; 4]; 3] = [
    ["list", "8M", "1001", "many"],
    ["list", "8M", "1002", "none"],
    ["mixed", "24M", "1003", "few"],
];
/// Bytes that are converted to each charset. More would make the code for mail seem rare beside the loops over bytes.
const CONVERTED: usize = 20_000;
/// Messages of about 4 KB that pass through the milter.
const MESSAGES: &str = "4000";
/// The variable that would send the counts elsewhere.
const PROFILE_FILE: &str = "LLVM_PROFILE_FILE";
/// The variable that turns the profile off.
const SWITCH: &str = "MAILGLOT_PROFILE";

/// Builds the programs as packages and benchmarks have them, and returns the folder in which they lie: that of the profile `dist`.
///
/// # Errors
/// If a build or a command of the training fails.
pub(crate) fn build_dist() -> anyhow::Result<PathBuf> {
    let without = || run::build("dist", &["--bins"], &["mailglot", "mailglot-tests"]);
    if env::var_os(SWITCH).is_some_and(|value| value == "off") {
        return without();
    }
    let compiler = Compiler::find()?;
    let Some(profdata) = compiler.profdata() else {
        eprintln!("no profile: `rustup component add llvm-tools` installs what it needs");
        return without();
    };
    let programs = run::build("dist", &["--bins"], &["mailglot-tests"])?;
    let folder = target()?.join("profile-guided");
    let (raw, merged) = (folder.join("raw"), folder.join("merged.profdata"));
    let generate = format!("-Cprofile-generate={}", raw.display());
    let trainee = compiler.build(&generate, &folder.join("trainee"))?;
    let generator = programs.join("mailglot-gen");
    let sources = [trainee.clone(), generator, env::current_exe()?];
    if sources.iter().any(|source| is_older(&merged, source)) {
        if raw.exists() {
            fs::remove_dir_all(&raw)?;
        }
        train(&trainee, &programs, &folder.join("work"))?;
        let unfinished = folder.join("unfinished.profdata");
        let mut merge = Command::new(profdata);
        checked(merge.arg("merge").arg("-o").args([&unfinished, &raw]))?;
        fs::rename(unfinished, &merged)?;
    }
    let guided = format!("-Cprofile-use={}", merged.display());
    let program = compiler.build(&guided, &folder.join("guided"))?;
    // A program of an earlier build is a link to one of cargo's files, which must not change.
    let place = programs.join("mailglot");
    if place.exists() {
        fs::remove_file(&place)?;
    }
    fs::copy(program, place)?;
    Ok(programs)
}

/// The compiler that cargo runs at the root.
struct Compiler {
    /// The target triple of this machine.
    host: String,
    /// The folder that its toolchain lies in.
    sysroot: PathBuf,
}

impl Compiler {
    fn find() -> anyhow::Result<Self> {
        let ask = |what: &str| -> anyhow::Result<String> {
            let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let mut rustc = Command::new(rustc);
            let answer = output(rustc.current_dir(root()).args(["--print", what]))?;
            Ok(String::from_utf8(answer)?.trim().to_owned())
        };
        Ok(Self {
            host: ask("host-tuple")?,
            sysroot: ask("sysroot")?.into(),
        })
    }

    /// Returns the program that merges profiles. Installs it if rustup can.
    fn profdata(&self) -> Option<PathBuf> {
        let folder = self.sysroot.join("lib/rustlib").join(&self.host);
        let program = folder.join("bin/llvm-profdata");
        let mut rustup = Command::new("rustup");
        let add = ["component", "add", "llvm-tools"];
        let is_here =
            program.exists() || succeeds(rustup.current_dir(root()).args(add)) && program.exists();
        is_here.then_some(program)
    }

    /// Builds the program with one more option of the compiler, and returns its path.
    fn build(&self, option: &str, folder: &Path) -> anyhow::Result<PathBuf> {
        const PROFILE: &str = "guided";
        /// What stands between options. Unlike those of RUSTFLAGS, they may have spaces.
        const SEPARATOR: &str = "\u{1f}";
        let mut cargo = cargo();
        // Named, so that macros and build scripts are built without the option.
        cargo.args([
            "build",
            "--quiet",
            "--package",
            "mailglot",
            "--target",
            &self.host,
        ]);
        cargo
            .args(["--profile", PROFILE, "--target-dir"])
            .arg(folder);
        let mut options = env::var("RUSTFLAGS").unwrap_or_default();
        options = options
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(SEPARATOR);
        if !options.is_empty() {
            options.push_str(SEPARATOR);
        }
        checked(cargo.env("CARGO_ENCODED_RUSTFLAGS", options + option))?;
        Ok(folder.join(&self.host).join(PROFILE).join("mailglot"))
    }
}

/// Runs the program on generated mail in a folder of its own.
fn train(program: &Path, programs: &Path, folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(folder).args(arguments);
        command.env_remove(PROFILE_FILE);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    for (nth, [profile, size, seed, flaws]) in MAILBOXES.iter().enumerate() {
        let name = format!("{profile}-{flaws}-{seed}-{size}.mbox");
        let options = [
            "--profile",
            profile,
            "--size",
            size,
            "--seed",
            seed,
            "--flaws",
            flaws,
        ];
        let mailbox = mailbox_of(&programs.join("mailglot-gen"), &name, &options)?;
        let (mailbox, out) = (mailbox.display().to_string(), format!("{nth}-out.mbox"));
        for arguments in [
            &["text", "--json", "--threads", "1", &mailbox][..],
            &["text", &mailbox],
            &["normalize", "--threads", "1", &mailbox, "-o", &out],
            &["restore", &out, "-o", &format!("{nth}-again.mbox")],
            &["restore", "--verify-only", &out],
            &["check", &mailbox],
            &["count", &mailbox],
            &["ls", &mailbox],
            &["inspect", "--json", &mailbox],
        ] {
            checked(&mut run(arguments))?;
        }
        let values = folder.join("values");
        fs::write(&values, header_values(&fs::read(&mailbox)?))?;
        for arguments in [
            &["header", "decode", "-0"][..],
            &["header", "decode", "-0", "--detect", "off"],
            &["header", "decode", "-0", "--json"],
        ] {
            checked(run(arguments).stdin(File::open(&values)?))?;
        }
    }
    let mut text = output(run(&["text", "0-out.mbox"]).stdout(Stdio::piped()))?;
    text.truncate(CONVERTED);
    fs::write(folder.join("text"), text)?;
    convert(&run, folder)?;
    filter_mail(program, programs)
}

/// Returns the values of all subjects and addresses in a mailbox, each with NUL behind it.
fn header_values(mailbox: &[u8]) -> Vec<u8> {
    let mut values = Vec::new();
    let mut is_value = false;
    for line in mailbox.split_inclusive(|byte| *byte == b'\n') {
        let is_continued = line.starts_with(b" ") || line.starts_with(b"\t");
        if is_value && is_continued {
            values.extend_from_slice(line);
            continue;
        }
        if is_value {
            values.truncate(values.trim_ascii_end().len());
            values.push(0);
        }
        let fields = [&b"Subject: "[..], b"From: ", b"To: "];
        let value = fields.iter().find_map(|field| line.strip_prefix(*field));
        is_value = value.is_some();
        values.extend_from_slice(value.unwrap_or_default());
    }
    values
}

/// Converts a text to every charset and back. Most charsets lack some of its characters, so the exit code is 1.
fn convert(run: &dyn Fn(&[&str]) -> Command, folder: &Path) -> anyhow::Result<()> {
    let list = output(run(&["charsets", "--json"]).stdout(Stdio::piped()))?;
    for line in String::from_utf8(list)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let charset = row["name"].as_str().context("a charset has a name")?;
        for (from, to, input, into) in [
            ("utf-8", charset, "text", "encoded"),
            (charset, "utf-8", "encoded", "decoded"),
        ] {
            let mut command = run(&["convert", "-c", "-f", from, "-t", to, input]);
            let status = command.stdout(File::create(folder.join(into))?).status()?;
            ensure!(
                matches!(status.code(), Some(0 | 1)),
                "{from} to {to}: {status}"
            );
        }
    }
    Ok(())
}

/// Sends mail through a milter at a socket. Its folder has a short name, as sockets need.
fn filter_mail(program: &Path, programs: &Path) -> anyhow::Result<()> {
    let folder = env::temp_dir().join(format!("mailglot-training-{}", process::id()));
    fs::create_dir(&folder)?;
    let result = filter_mail_in(&folder, program, programs);
    fs::remove_dir_all(folder)?;
    result
}

fn filter_mail_in(folder: &Path, program: &Path, programs: &Path) -> anyhow::Result<()> {
    const PATIENCE: Duration = Duration::from_secs(30);
    let (socket, log) = (folder.join("socket"), folder.join("log"));
    let address = format!("unix:{}", socket.display());
    let mut milter = Command::new(program);
    milter.args(["milter", "--allow-root", "--listen", &address]);
    milter.env_remove(PROFILE_FILE).stderr(File::create(&log)?);
    let mut milter = Daemon(milter.spawn().context("cannot start the milter")?);
    let start = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        let is_over = milter.0.try_wait()?.is_some() || start.elapsed() > PATIENCE;
        ensure!(!is_over, "no milter: {}", fs::read_to_string(&log)?);
        thread::sleep(Duration::from_millis(20));
    }
    let mut load = Command::new(programs.join("mailglot-trial"));
    load.args(["load", &address, "--messages", MESSAGES]);
    checked(load.stdout(Stdio::null()))?;
    milter.end()
}

/// A program that is ended with its owner.
struct Daemon(Child);

impl Daemon {
    /// Ends it as an administrator does, so that it writes its profile.
    fn end(&mut self) -> anyhow::Result<()> {
        let pid = self.0.id().to_string();
        checked(Command::new("kill").args(["-s", "TERM", &pid]))?;
        let status = self.0.wait()?;
        ensure!(status.success(), "the milter: {status}");
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_subjects_and_addresses() {
        let mailbox = b"From a\nSubject: one\n two\r\nDate: x\nTo: b\n\nbody\n";
        assert_eq!(header_values(mailbox), b"one\n two\0b\0");
    }
}
