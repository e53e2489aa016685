//! The program, and the rivals that this machine has.
//!
//! # Limits
//!
//! GMime is called by a small program in C, for which a C compiler and its library are enough. Without them, as without iconv, uconv or
//! Python, the tables say what is not installed.

use super::invocation::Invocation;
use super::row::{Entrant, Form};
use crate::run::{has, output, root, succeeds};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that are measured.
pub(super) struct Tools {
    pub(super) mailglot: PathBuf,
    pub(super) rivals: PathBuf,
    python: Option<PathBuf>,
    gmime: Option<PathBuf>,
}

/// Rivals of a row, and what is said of those that are not there.
pub(super) type Field = (Vec<Entrant>, Vec<String>);

impl Tools {
    /// Looks for the rivals, and compiles the one on GMime into `folder`.
    pub(super) fn find(mailglot: PathBuf, rivals: PathBuf, folder: &Path) -> Self {
        Self {
            mailglot,
            rivals,
            python: python(),
            gmime: gmime(folder),
        }
    }

    /// Starts the program with quiet output.
    pub(super) fn mailglot(&self, words: &[&str]) -> Invocation {
        Invocation::new(&self.mailglot).arg("-q").args(words)
    }

    /// Starts the program of the rivals.
    pub(super) fn rival(&self, words: &[&str], file: &Path) -> Invocation {
        Invocation::new(&self.rivals).args(words).arg(file)
    }

    /// Starts the script in Python.
    pub(super) fn python(&self, words: &[&str], file: &Path) -> Option<Invocation> {
        let python = self.python.as_ref()?;
        let script = root().join("benches/rivals/rival.py");
        let invocation = Invocation::new(python).arg("-B").arg(script);
        Some(invocation.args(words).arg(file))
    }

    /// The converters that know UTF-8 and one other charset.
    pub(super) fn converters(&self, from: &str, to: &str, file: &Path, bytes: u64) -> Field {
        let mut field = (Vec::new(), Vec::new());
        let known = |rival: &str| match (rival, from, to) {
            ("encodify", ..) => from == "utf-7" || to == "utf-7",
            ("encoding-rs", "utf-7", _) | ("encoding-rs", _, "utf-7" | "utf-16le") => false,
            ("mail-parser", _, to) => to == "utf-8",
            _ => true,
        };
        for (name, word) in [
            ("encoding_rs", "encoding-rs"),
            ("mail-parser", "mail-parser"),
            ("encodify", "encodify"),
        ] {
            if known(word) {
                let run = self.rival(&["convert", word, from, to], file);
                field.0.push(Entrant::new(name, run, bytes));
            }
        }
        for name in ["iconv", "uconv"] {
            let run =
                has(name).then(|| Invocation::new(name).args(["-f", from, "-t", to]).arg(file));
            add(&mut field, name, run, bytes);
        }
        // Python's Big5 lacks the characters that ETEN added.
        let named = |label| if label == "big5" { "cp950" } else { label };
        let python = self.python(&["convert", named(from), named(to)], file);
        add(&mut field, "Python", python, bytes);
        field
    }

    /// The readers that decode a whole mailbox and write nothing.
    pub(super) fn decoders(&self, mailbox: &Path, bytes: u64) -> Field {
        let mut field = (Vec::new(), Vec::new());
        let mail_parser = self.rival(&["json"], mailbox);
        field.0.push(
            Entrant::new("mail-parser", self.rival(&["decode"], mailbox), bytes)
                .shown_by(mail_parser, Form::Json),
        );
        let mailparse = self.rival(&["mailparse-texts"], mailbox);
        field.0.push(
            Entrant::new("mailparse", self.rival(&["mailparse"], mailbox), bytes)
                .shown_by(mailparse, Form::Nul),
        );
        match &self.gmime {
            Some(gmime) => field.0.push(
                Entrant::new("GMime", Invocation::new(gmime).arg(mailbox), bytes).shown_by(
                    Invocation::new(gmime).arg("--texts").arg(mailbox),
                    Form::Nul,
                ),
            ),
            None => field.1.push(not_installed("GMime")),
        }
        field
    }
}

/// Adds a rival to a field, or says that it is not installed.
pub(super) fn add(field: &mut Field, name: &'static str, run: Option<Invocation>, bytes: u64) {
    match run {
        Some(run) => field.0.push(Entrant::new(name, run, bytes)),
        None => field.1.push(not_installed(name)),
    }
}

fn not_installed(name: &str) -> String {
    format!("{name}: not installed")
}

/// Finds Python itself: `python3` may be a script that chooses a version, which would cost time.
fn python() -> Option<PathBuf> {
    let mut command = Command::new("python3");
    command.args(["-c", "import sys; print(sys.executable)"]);
    let path = output(&mut command).ok()?;
    let path = String::from_utf8(path).ok()?;
    Some(PathBuf::from(path.trim()))
}

/// Compiles the rival on GMime.
fn gmime(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("gmime-decode");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(root().join("benches/gmime/decode.c"))
        .args([
            "-l:libgmime-3.0.so.0",
            "-l:libgobject-2.0.so.0",
            "-l:libglib-2.0.so.0",
        ]);
    succeeds(&mut compiler).then_some(program)
}
