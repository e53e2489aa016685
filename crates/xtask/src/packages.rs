//! Programs of others that tests and benchmarks start: brought in from Debian where they are missing.
//!
//! Nothing is started by the installation: while it runs, `policy-rc.d` forbids it, as Debian's policy has it for such
//! cases. One that is there already stays as it is and decides. Postfix is installed without a configuration.
//!
//! # Limits
//!
//! Debian and its children only. Elsewhere what is missing is named, and the run ends.

use crate::run::{checked, has, succeeds};
use anyhow::{Context, bail};
use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where Debian's scripts ask whether a service may be started.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// A program, as a path or as a name that is looked up, and the package that brings it.
type NeededProgram = (&'static str, &'static str);

/// What the tests start: a mail server, clients of the milter protocol, makers and checkers of signatures.
const TESTS: &[NeededProgram] = &[
    ("/usr/lib/postfix/sbin/master", "postfix"),
    ("miltertest", "miltertest"),
    ("/usr/sbin/opendkim", "opendkim"),
    ("/usr/sbin/opendkim-testmsg", "opendkim-tools"),
    ("openssl", "openssl"),
    ("gpg", "gnupg"),
    // A public-inbox.
    ("git", "git"),
    ("setpriv", "util-linux"),
    // The set-up page and the Debian package.
    ("curl", "curl"),
    ("ip", "iproute2"),
    ("dpkg-shlibdeps", "dpkg-dev"),
    ("strip", "binutils"),
    ("systemd-analyze", "systemd"),
    ("deb-systemd-helper", "init-system-helpers"),
    // The spelling of the documents.
    ("codespell", "codespell"),
];

/// What the benchmark of the gateway needs beside them: what its rival is built with.
const RIVALS: &[NeededProgram] = &[
    ("/usr/lib/postfix/sbin/master", "postfix"),
    ("/usr/sbin/opendkim", "opendkim"),
    ("openssl", "openssl"),
    ("/usr/include/libmilter/mfapi.h", "libmilter-dev"),
    ("cc", "gcc"),
    ("setpriv", "util-linux"),
    ("taskset", "util-linux"),
];

/// What `header-differences` runs beside Python.
const HEADER_READERS: &[NeededProgram] =
    &[("python3", "python3"), ("perl", "perl"), ("php", "php-cli")];

/// What `compare` runs beside Python.
const COMPARED: &[NeededProgram] = &[
    ("perl", "perl"),
    ("iconv", "libc-bin"),
    ("uconv", "icu-devtools"),
    ("/usr/share/perl5/Email/MIME.pm", "libemail-mime-perl"),
];

/// Installs the readers that `compare` runs and that are missing.
pub(crate) fn for_comparison() -> anyhow::Result<()> {
    see_to(COMPARED)?;
    if !gmime() {
        install(&["python3", "python3-gi", "gir1.2-gmime-3.0"])?;
    }
    Ok(())
}

/// Sees to the readers of header values: Python, Perl with Encode, PHP with iconv and mbstring.
pub(crate) fn for_header_readers() -> anyhow::Result<()> {
    see_to(HEADER_READERS)?;
    if !has_mbstring() {
        install(&["php-mbstring"])?;
    }
    if !has_mbstring() {
        bail!("header-differences needs Debian's package php-mbstring");
    }
    Ok(())
}

fn has_mbstring() -> bool {
    let script = "exit(function_exists('mb_decode_mimeheader') && function_exists('iconv_mime_decode') ? 0 : 1);";
    succeeds(Command::new("php").args(["-r", script]))
}

/// Installs what the full test set starts and is missing. Prints the list first.
pub(crate) fn for_tests() -> anyhow::Result<()> {
    let shared = env::var_os("MAILGLOT_SHARED").is_some();
    let mut wanted = missing(TESTS);
    if shared && !gmime() {
        wanted.extend(["python3", "python3-gi", "gir1.2-gmime-3.0"]);
    } else if !has("python3") {
        wanted.push("python3");
    }
    if wanted.is_empty() {
        return Ok(());
    }
    println!(
        "The full test set needs Debian packages that are missing: {}.\n\
         They are installed now with apt-get; no service is started. `cargo xtask test --fast` installs nothing.",
        wanted.join(", ")
    );
    install(&wanted)?;
    check_installed(TESTS)?;
    if shared && !gmime() {
        bail!(
            "the tests with shared material need Debian's packages python3-gi and gir1.2-gmime-3.0"
        );
    }
    Ok(())
}

/// Fails if a program is missing that the fast test set starts. Installs nothing.
pub(crate) fn for_fast_tests() -> anyhow::Result<()> {
    for program in ["python3", "perl"] {
        if !has(program) {
            bail!("the tests start {program}, which is not installed: apt-get install {program}");
        }
    }
    Ok(())
}

/// Sees to everything that the benchmark of the gateway starts.
pub(crate) fn for_gateway() -> anyhow::Result<()> {
    see_to(RIVALS)
}

/// Whether Python can read mail with GMime.
fn gmime() -> bool {
    let script = "import gi; gi.require_version('GMime', '3.0')";
    succeeds(Command::new("/usr/bin/python3").args(["-c", script]))
}

fn see_to(wanted: &[NeededProgram]) -> anyhow::Result<()> {
    let missing = missing(wanted);
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)?;
    check_installed(wanted)
}

/// Fails if programs are missing although their packages were installed.
fn check_installed(wanted: &[NeededProgram]) -> anyhow::Result<()> {
    let missing = missing(wanted);
    if !missing.is_empty() {
        bail!(
            "installed, but their programs are not there: {}",
            missing.join(", ")
        );
    }
    Ok(())
}

/// Packages whose programs are not there.
fn missing(wanted: &[NeededProgram]) -> Vec<&'static str> {
    let mut packages = Vec::new();
    for (program, package) in wanted {
        let here = if program.starts_with('/') {
            Path::new(program).exists()
        } else {
            has(program)
        };
        if !here && !packages.contains(package) {
            packages.push(package);
        }
    }
    packages
}

/// Installs packages of Debian's. No service is started, and nothing is asked.
fn install(packages: &[&str]) -> anyhow::Result<()> {
    let wanted = packages.join(", ");
    if !has("apt-get") {
        bail!("needed, and not here: {wanted}");
    }
    println!("installing {wanted}");
    // What is known of may do, where the lists cannot be brought up to date.
    if let Err(error) = checked(privileged("apt-get").args(["update", "-qq"])) {
        println!("{error}");
    }
    if packages.contains(&"postfix") {
        // Without an answer a Postfix that is installed gets a configuration of its own.
        answer("postfix postfix/main_mailer_type select No configuration\n")?;
    }
    let _policy = Policy::forbid()?;
    checked(
        privileged("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages),
    )
}

/// A command with the rights to install, that asks nothing.
fn privileged(program: &str) -> Command {
    let mut command = Command::new(if has("sudo") { "sudo" } else { "env" });
    command.args(["DEBIAN_FRONTEND=noninteractive", program]);
    command
}

/// Answers a question of a package before it is asked.
fn answer(line: &str) -> anyhow::Result<()> {
    let mut child = privileged("debconf-set-selections")
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run debconf-set-selections")?;
    child
        .stdin
        .take()
        .context("no way to answer")?
        .write_all(line.as_bytes())?;
    if !child.wait()?.success() {
        bail!("debconf-set-selections failed");
    }
    Ok(())
}

/// While it lives, no service is started by an installation. Where somebody else decides already, that stays.
struct Policy {
    ours: bool,
}

impl Policy {
    fn forbid() -> anyhow::Result<Self> {
        let ours = !Path::new(POLICY).exists();
        if ours {
            let script =
                format!("printf '#!/bin/sh\\nexit 101\\n' >{POLICY} && chmod 755 {POLICY}");
            checked(privileged("sh").args(["-c", &script]))?;
        }
        Ok(Self { ours })
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = checked(privileged("rm").args(["-f", POLICY]))
        {
            println!("{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_once() {
        let wanted = [
            ("/", "a"),
            ("/no/such/one", "b"),
            ("no such program", "b"),
            ("/no/such/two", "c"),
        ];
        assert_eq!(missing(&wanted), ["b", "c"]);
    }
}
