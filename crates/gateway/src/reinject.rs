//! Reinjects a message: passes it to the `sendmail` command of the mail server.
//!
//! The command reads the message from a file that is complete before the command starts. So it never accepts a truncated message, even if
//! this program is killed.
//!
//! # Limits
//! A command that times out may already have accepted the message. Then the message is delivered twice rather than lost.

use mailglot_archive::words;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum interval between two checks whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);

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
    /// True if the command inherits standard error; false discards its messages.
    pub verbose: bool,
}

impl Reinject {
    /// Runs the command with a message on its standard input.
    ///
    /// # Errors
    /// The file cannot be written, or the command cannot be started, takes too long, or fails.
    pub fn run(&self, message: &[u8]) -> io::Result<()> {
        let mut file =
            tempfile::tempfile_in(&self.folder).map_err(|error| named(&self.folder, &error))?;
        file.write_all(message)?;
        file.rewind()?;
        let output = || {
            if self.verbose {
                Stdio::inherit()
            } else {
                Stdio::null()
            }
        };
        let mut command = Command::new(&self.program);
        command
            .args(["-G", "-i"])
            .args(&self.arguments)
            .stdin(file)
            .stdout(Stdio::null())
            .stderr(output());
        let mut child = command
            .spawn()
            .map_err(|error| named(&self.program, &error))?;
        let status = self.wait(&mut child)?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!(
                "{}: {status}",
                self.program.display()
            )))
        }
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
