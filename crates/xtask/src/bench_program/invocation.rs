//! How a measured program is started.

use crate::run::output;
use anyhow::Context;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program, its arguments, its standard input, and the files that it writes.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
    stdin: Option<PathBuf>,
    written: Vec<PathBuf>,
}

impl Invocation {
    pub(super) fn new(program: impl AsRef<Path>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            stdin: None,
            written: Vec::new(),
        }
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub(super) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        let arguments = arguments
            .into_iter()
            .map(|argument| argument.as_ref().to_owned());
        self.arguments.extend(arguments);
        self
    }

    /// Reads standard input from a file.
    pub(super) fn stdin(mut self, file: &Path) -> Self {
        self.stdin = Some(file.to_owned());
        self
    }

    /// Names a file that the program writes. It is removed before and after each run.
    pub(super) fn writes(mut self, file: &Path) -> Self {
        self.written.push(file.to_owned());
        self
    }

    /// Runs the program once and returns what it prints.
    pub(super) fn output(&self) -> anyhow::Result<Vec<u8>> {
        for file in self.written.iter().filter(|file| file.exists()) {
            fs::remove_file(file)?;
        }
        let stdin = match &self.stdin {
            Some(file) => File::open(file)
                .with_context(|| file.display().to_string())?
                .into(),
            None => Stdio::null(),
        };
        output(
            Command::new(&self.program)
                .args(&self.arguments)
                .stdin(stdin),
        )
    }

    /// The arguments of `mailglot-rivals cost` that repeat the program until it used `least` microseconds.
    pub(super) fn cost_arguments(&self, pin: bool, least: u64) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["cost".into()];
        if pin {
            words.push("--pin".into());
        }
        words.extend(["--least".into(), least.to_string().into()]);
        if let Some(file) = &self.stdin {
            words.extend(["--stdin".into(), file.into()]);
        }
        for file in &self.written {
            words.extend(["--remove".into(), file.into()]);
        }
        words.push("--".into());
        words.push(self.program.clone().into());
        words.extend(self.arguments.iter().cloned());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_its_arguments_come_last() {
        let invocation = Invocation::new("/bin/x")
            .args(["-q", "a"])
            .stdin(Path::new("in"))
            .writes(Path::new("out"));
        assert_eq!(
            invocation.cost_arguments(true, 7),
            [
                "cost", "--pin", "--least", "7", "--stdin", "in", "--remove", "out", "--",
                "/bin/x", "-q", "a"
            ]
        );
    }

    #[test]
    fn output_reads_standard_input_and_reports_failures() {
        let input =
            std::env::temp_dir().join(format!("mailglot-invocation-{}", std::process::id()));
        fs::write(&input, "text").unwrap();
        let printed = Invocation::new("cat").stdin(&input).output();
        fs::remove_file(&input).unwrap();
        assert_eq!(printed.unwrap(), b"text");
        assert!(Invocation::new("false").output().is_err());
    }
}
