//! Runs the program `git` on the objects of a repository that nobody vouches for.
//!
//! `git` gets a folder of its own as repository, and the objects of the other one. So it reads neither the configuration nor the
//! hooks, the references, the grafts and the replaced objects of that repository. It does not matter who owns that repository,
//! and nothing is written there. Only `rev-list`, `diff-tree`, `ls-tree` and `cat-file` are run.
//!
//! # Limits
//! Of the messages of `git`, the first 4 KiB are kept. `git` may have up to 2 GiB of memory (Linux). The folder of its own lies where
//! TMPDIR says, and stays there if the program is killed by `SIGKILL`.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use super::object_id::ObjectId;
use crate::error::ErrorKind;
use crate::exit_cleanup::{self, TemporaryFolder};

/// Largest number of bytes of messages that are kept.
const MESSAGES: u64 = 4096;
/// Bytes of memory that `git` may have.
#[cfg(target_os = "linux")]
const MEMORY: u64 = 2 << 30;

/// The objects of a repository, and the folder of its own that `git` uses.
pub(super) struct GitObjects {
    own: TemporaryFolder,
    objects: PathBuf,
}

impl GitObjects {
    /// Prepares to read the objects of a repository. `id` is the name of one of them.
    pub(super) fn of(repository: &Path, id: ObjectId) -> Result<Self, ErrorKind> {
        let objects = repository.join("objects").canonicalize()?;
        let own = Self::own(id).map_err(|error| ErrorKind::TemporaryFolder {
            folder: std::env::temp_dir(),
            error,
        })?;
        Ok(Self { own, objects })
    }

    /// Creates a repository without objects.
    fn own(id: ObjectId) -> io::Result<TemporaryFolder> {
        let own = TemporaryFolder::create("mailglot-git-")?;
        fs::create_dir(own.path().join("refs"))?;
        fs::create_dir(own.path().join("objects"))?;
        fs::write(own.path().join("HEAD"), "ref: refs/heads/none\n")?;
        let (version, extension) = if id.is_sha256() {
            (1, "[extensions]\n\tobjectformat = sha256\n")
        } else {
            (0, "")
        };
        let core = "bare = true\n\tbigFileThreshold = 1m\n\tdeltaBaseCacheLimit = 16m\n\tcommitGraph = false";
        let config =
            format!("[core]\n\trepositoryformatversion = {version}\n\t{core}\n{extension}");
        fs::write(own.path().join("config"), config)?;
        Ok(own)
    }

    /// Starts `git`.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<GitProcess, ErrorKind> {
        let mut command = Command::new("git");
        command.env_clear();
        for name in ["PATH", "TMPDIR", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .envs([
                ("LC_ALL", "C"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_ATTR_NOSYSTEM", "1"),
                ("GIT_NO_LAZY_FETCH", "1"),
                ("GIT_NO_REPLACE_OBJECTS", "1"),
                ("GIT_ALLOW_PROTOCOL", "none"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_OPTIONAL_LOCKS", "0"),
            ])
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .arg("--git-dir")
            .arg(self.own.path())
            .args(["--no-pager", "-c", "protocol.allow=never"])
            .args(arguments)
            .current_dir(self.own.path())
            // Ctrl-C in a terminal ends only this program, which then ends `git`.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child =
            exit_cleanup::start(|| command.spawn()).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NoGit,
                _ => ErrorKind::Io(error),
            })?;
        Ok(GitProcess::new(child))
    }
}

/// A running `git`. It is killed if it is dropped before its end.
pub(super) struct GitProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    /// Collects the messages that `git` writes to its standard error.
    stderr_text: Option<JoinHandle<Vec<u8>>>,
    is_waited: bool,
}

/// How `git` ended.
pub(super) struct GitEnd {
    status: ExitStatus,
    /// The reason that it gives.
    message: String,
}

impl GitProcess {
    fn new(mut child: Child) -> Self {
        limit_memory(&child);
        let errors = child.stderr.take();
        let stderr_text = errors.map(|errors| thread::spawn(move || stderr_text(errors)));
        Self {
            input: child.stdin.take(),
            output: child.stdout.take().map(BufReader::new),
            stderr_text,
            child,
            is_waited: false,
        }
    }

    /// Sends requests. If `git` has ended, its output ends, too.
    pub(super) fn send(&mut self, requests: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Ok(());
        };
        match input.write_all(requests) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            sent => sent,
        }
    }

    /// Ends the requests.
    pub(super) fn end_requests(&mut self) {
        self.input = None;
    }

    /// Waits for the end.
    pub(super) fn end(mut self) -> io::Result<GitEnd> {
        self.input = None;
        // Nothing that is still written is of use, and `git` must not wait.
        self.output = None;
        exit_cleanup::forget(&self.child);
        let status = self.child.wait()?;
        self.is_waited = true;
        let text = self
            .stderr_text
            .take()
            .and_then(|thread| thread.join().ok());
        let message = reason(&text.unwrap_or_default());
        Ok(GitEnd { status, message })
    }
}

impl Read for GitProcess {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.output
            .as_mut()
            .map_or(Ok(0), |output| output.read(into))
    }
}

impl BufRead for GitProcess {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.output.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, amount: usize) {
        if let Some(output) = &mut self.output {
            output.consume(amount);
        }
    }
}

impl Drop for GitProcess {
    fn drop(&mut self) {
        if !self.is_waited {
            let _ = self.child.kill();
            exit_cleanup::forget(&self.child);
            let _ = self.child.wait();
        }
    }
}

impl GitEnd {
    /// Returns true if `git` did all it was asked for.
    pub(super) fn is_success(&self) -> bool {
        self.status.success()
    }

    /// Returns why `git` failed on an object. An error if it was killed, or says nothing.
    pub(super) fn failure(self) -> Result<String, ErrorKind> {
        match self.status.signal() {
            Some(signal) => Err(ErrorKind::Git(format!("git was ended by signal {signal}"))),
            None if self.message.is_empty() => {
                Err(ErrorKind::Git(format!("git ended early: {}", self.status)))
            }
            None => Ok(self.message),
        }
    }
}

/// Returns the message with which `git` ended, or else the first one. Controls are replaced.
fn reason(messages: &[u8]) -> String {
    let text = String::from_utf8_lossy(messages);
    let mut lines = text.lines();
    let first = lines.clone().next().unwrap_or_default();
    let last = lines.find(|line| line.starts_with("fatal: "));
    let shown = last.unwrap_or(first).chars();
    shown
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// Returns the beginning of the messages, and reads their rest.
fn stderr_text(mut stderr: impl Read) -> Vec<u8> {
    let mut messages = Vec::new();
    let _ = stderr.by_ref().take(MESSAGES).read_to_end(&mut messages);
    let _ = io::copy(&mut stderr, &mut io::sink());
    messages
}

#[cfg(target_os = "linux")]
fn limit_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    // A process that has ended has no limit.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child) {}

/// Reads up to and with `end`, which the result lacks. `None` at the end of the output.
///
/// # Errors
/// `end` does not come within `most` bytes.
pub(super) fn read_field(
    output: &mut impl BufRead,
    end: u8,
    most: usize,
) -> io::Result<Option<Vec<u8>>> {
    let mut field = Vec::new();
    output
        .by_ref()
        .take(most as u64)
        .read_until(end, &mut field)?;
    match field.pop() {
        Some(last) if last == end => Ok(Some(field)),
        // `git` was ended while it wrote.
        Some(_) if field.len() + 1 < most => Ok(None),
        None => Ok(None),
        Some(_) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "git wrote something unknown",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_one_line() {
        for (messages, expected) in [
            (
                &b"error: a\nfatal: b\x1b[0m\nerror: c\n"[..],
                "fatal: b\u{fffd}[0m",
            ),
            (b"error: a\nerror: b\n", "error: a"),
            (b"\xff\n", "\u{fffd}"),
            (b"", ""),
        ] {
            assert_eq!(reason(messages), expected);
        }
    }

    #[test]
    fn messages_are_bounded() {
        let messages = io::repeat(b'x').take(1 << 20);
        assert_eq!(stderr_text(messages).len() as u64, MESSAGES);
    }
}
