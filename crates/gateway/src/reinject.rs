//! Reinjects a message: passes it to the `sendmail` command of the mail server.
//!
//! The command reads the message from a file that is complete before the command starts. So it never accepts a truncated message, even if
//! this program is killed.
//!
//! # Limits
//! A command that times out may already have accepted the message. Then the message is delivered twice rather than lost. The position in the
//! file says how much the command read. A command that opens `/dev/stdin` or maps the file moves no position. It counts as a failure,
//! although it may have delivered the message.

use mailglot_archive::words;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum interval between two checks whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes at the end of the command's standard error that are searched for its last line.
const LAST_LINE: u64 = 512;

/// Options for reinjecting a message.
#[derive(Clone, Debug)]
pub struct Reinject {
    /// The command. Its first arguments are `-G` (a relayed message) and `-i` (a line with a dot does not end the message).
    pub program: PathBuf,
    /// Further arguments: sender and recipients.
    pub arguments: Vec<OsString>,
    /// Folder of the unlinked file that the command reads.
    pub folder: PathBuf,
    /// Time at which the command is killed.
    pub deadline: Instant,
    /// True if the messages of the command are copied to standard error. An error has the last line in any case.
    pub verbose: bool,
}

impl Reinject {
    /// Runs the command with a message on its standard input.
    ///
    /// # Errors
    /// The file cannot be written, or the command cannot be started, takes too long, fails, or does not read the whole message.
    pub fn run(&self, message: &[u8]) -> io::Result<()> {
        let temporary =
            || tempfile::tempfile_in(&self.folder).map_err(|error| named(&self.folder, &error));
        let (mut file, mut errors) = (temporary()?, temporary()?);
        file.write_all(message)?;
        file.rewind()?;
        let mut command = Command::new(&self.program);
        command
            .args(["-G", "-i"])
            .args(&self.arguments)
            // Both descriptors share one position.
            .stdin(file.try_clone()?)
            .stdout(Stdio::null())
            .stderr(errors.try_clone()?);
        let mut child = command
            .spawn()
            .map_err(|error| named(&self.program, &error))?;
        let status = self.wait(&mut child);
        if self.verbose {
            errors.rewind()?;
            // A full log is no reason to deliver the message again.
            let _ = io::copy(&mut errors, &mut io::stderr());
        }
        let failure = match status {
            Err(error) => error,
            Ok(status) if !status.success() => {
                io::Error::other(format!("{}: {status}", self.program.display()))
            }
            Ok(_) => {
                let (read, length) = (file.stream_position()?, message.len());
                if read >= length as u64 {
                    return Ok(());
                }
                io::Error::other(format!(
                    "{}: read only {read} of the {length} bytes of the message",
                    self.program.display()
                ))
            }
        };
        Err(match last_line(&mut errors)? {
            Some(line) => io::Error::new(failure.kind(), format!("{failure}: {line}")),
            None => failure,
        })
    }

    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= self.deadline {
                // It may have ended this moment.
                let _ = child.kill();
                child.wait()?;
                return Err(named(
                    &self.program,
                    &io::Error::new(ErrorKind::TimedOut, "took too long"),
                ));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LOOK);
        }
    }
}

/// Returns the last line with a word, without control characters.
fn last_line(errors: &mut File) -> io::Result<Option<String>> {
    let length = errors.seek(SeekFrom::End(0))?;
    errors.seek(SeekFrom::Start(length.saturating_sub(LAST_LINE)))?;
    let mut end = Vec::new();
    errors.take(LAST_LINE).read_to_end(&mut end)?;
    let text = String::from_utf8_lossy(&end);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    Ok(line.map(|line| line.replace(char::is_control, " ")))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{}: {}", path.display(), words(error)),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn with(script: &str, seconds: u64) -> (tempfile::TempDir, Reinject) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("sendmail");
        fs::write(
            &program,
            format!("#!/bin/sh\ncd {}\n{script}\n", folder.path().display()),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let reinject = Reinject {
            program,
            arguments: ["-f", "", "--", "b@example.org"].map(OsString::from).into(),
            folder: folder.path().to_owned(),
            deadline: Instant::now() + Duration::from_secs(seconds),
            verbose: false,
        };
        (folder, reinject)
    }

    #[test]
    fn the_command_gets_message_and_arguments() {
        let (folder, reinject) = with(
            "cat > message; for a; do echo \"<$a>\" >> arguments; done",
            20,
        );
        let message = b"Subject: a\n\n.\nb\n".repeat(100_000);
        reinject.run(&message).unwrap();
        assert!(fs::read(folder.path().join("message")).unwrap() == message);
        let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
        assert_eq!(arguments, "<-G>\n<-i>\n<-f>\n<>\n<-->\n<b@example.org>\n");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            3,
            "no file of ours"
        );
    }

    #[test]
    fn a_message_that_is_not_read_completely_is_an_error() {
        let long = vec![b'x'; 6_000_000];
        for (script, message, words) in [
            ("exit 0", &b"x"[..], "read only 0 of the 1 bytes"),
            ("exit 0", &long, "read only 0 of the 6000000 bytes"),
            (
                "dd bs=1000 count=1 of=part 2> errors",
                &long,
                "read only 1000 of the 6000000 bytes",
            ),
        ] {
            let (_folder, reinject) = with(script, 20);
            let error = reinject.run(message).unwrap_err().to_string();
            assert!(error.contains(words), "{script}: {error}");
        }
        let (_folder, reinject) = with("exit 0", 20);
        reinject.run(b"").unwrap();
        let (_folder, reinject) = with("cat | wc -c > count", 20);
        reinject.run(&long).unwrap();
    }

    #[test]
    fn an_error_has_the_last_line_of_the_command() {
        for (script, end) in [
            ("exit 75", "exit status: 75"),
            (
                "echo 'a: b' >&2; printf 'sendmail: fatal:\\tno queue\\n\\n' >&2; exit 75",
                "75: sendmail: fatal: no queue",
            ),
            ("echo warning >&2", "of the message: warning"),
        ] {
            let (_folder, reinject) = with(script, 20);
            let error = reinject.run(b"x").unwrap_err().to_string();
            assert!(error.ends_with(end), "{script}: {error}");
        }
        let (_folder, reinject) = with("cat > /dev/null; echo warning >&2", 20);
        reinject.run(b"x").unwrap();
    }

    #[test]
    fn what_fails_is_an_error() {
        for script in ["exit 1", "exit 67", "kill -9 $$"] {
            let (_folder, reinject) = with(script, 20);
            assert!(reinject.run(b"x").is_err(), "{script}");
        }
        let (_folder, reinject) = with("exit 0", 20);
        let missing = Reinject {
            program: "/no/such/sendmail".into(),
            ..reinject.clone()
        };
        assert!(
            missing
                .run(b"x")
                .unwrap_err()
                .to_string()
                .starts_with("/no/such/sendmail: ")
        );
        let nowhere = Reinject {
            folder: "/no/such/folder".into(),
            ..reinject
        };
        assert!(nowhere.run(b"x").is_err());
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let (folder, reinject) = with("sleep 60; touch late", 1);
        let start = Instant::now();
        assert_eq!(reinject.run(b"x").unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(!folder.path().join("late").exists());
    }
}
