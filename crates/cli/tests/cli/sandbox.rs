//! A temporary folder with some mail in it, and the program to run there.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_mailglot");

/// A message in ISO-8859-1 with a byte of windows-1252, which is a repair and no loss.
pub(crate) const LATIN: &[u8] = b"From: =?iso-8859-1?Q?J=F6rg?= <joerg@example.org>\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\n\
    MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nIt\x92s gr\xfcn.\n";

/// A message in KOI8-R.
const CYRILLIC: &[u8] = b"From: a@example.org\nSubject: =?koi8-r?B?8NLJ18XU?=\nMIME-Version: 1.0\n\
    Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n\n\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2!\n";

/// A sentence in Shift_JIS.
const SENTENCE: &[u8] =
    b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\x82\xc5\x82\xb7\x81\x42\n";

/// A message in Shift_JIS with a byte that its charset does not have; long enough that the label is believed.
pub(crate) fn lossy() -> Vec<u8> {
    let header = b"From: a@example.org\nSubject: x\nMIME-Version: 1.0\n\
        Content-Type: text/plain; charset=shift_jis\nContent-Transfer-Encoding: 8bit\n\n";
    [&header[..], &SENTENCE.repeat(10), b"\xff\n"].concat()
}

/// A folder that goes away with its value.
pub(crate) struct Sandbox(TempDir);

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code; of a signal its negative number.
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Run {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.out).unwrap()
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

impl Sandbox {
    /// `archive.mbox` (2 messages), `Maildir` (1), `message.eml`, and text files.
    pub(crate) fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        sandbox.write("archive.mbox", &mbox(&[LATIN, CYRILLIC]));
        sandbox.write("message.eml", LATIN);
        for folder in ["cur", "new", "tmp"] {
            fs::create_dir_all(sandbox.path("Maildir").join(folder)).unwrap();
        }
        sandbox.write("Maildir/cur/1.a.host:2,S", CYRILLIC);
        sandbox.write("letter.txt", b"It\x92s gr\xfcn \x80\n");
        sandbox.write("jis.txt", b"\x1b$BF|K\\\x1b(B\n");
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs the program with empty standard input.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Run {
        self.pipe(args, b"")
    }

    /// Runs the program with this standard input.
    pub(crate) fn pipe<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Run {
        let mut command = Command::new(PROGRAM);
        command.args(args);
        ran(command, self.0.path(), &[input])
    }

    /// Runs the program with a standard input that comes in pieces.
    pub(crate) fn pipe_in_pieces<S: AsRef<OsStr>>(&self, args: &[S], pieces: &[&[u8]]) -> Run {
        let mut command = Command::new(PROGRAM);
        command.args(args);
        ran(command, self.0.path(), pieces)
    }

    /// Runs a line of a shell; `mailglot` is the program.
    pub(crate) fn shell(&self, line: &str) -> Run {
        let folder = Path::new(PROGRAM).parent().unwrap().display();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .env("PATH", format!("{folder}:{path}"));
        ran(command, self.0.path(), &[])
    }
}

/// A mailbox (mboxrd) of messages.
pub(crate) fn mbox(messages: &[&[u8]]) -> Vec<u8> {
    let mut all = Vec::new();
    for message in messages {
        all.extend_from_slice(b"From a@example.org Mon Jan  1 00:00:00 2001\n");
        all.extend_from_slice(message);
        all.push(b'\n');
    }
    all
}

fn ran(mut command: Command, folder: &Path, input: &[&[u8]]) -> Run {
    command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.env_remove("NO_COLOR");
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The program may end without reading all; that is no failure of the test.
        scope.spawn(move || {
            for (index, piece) in input.iter().enumerate() {
                if index > 0 {
                    thread::sleep(Duration::from_millis(20));
                }
                stdin.write_all(piece).unwrap_or_default();
            }
        });
        let output = child.wait_with_output().unwrap();
        let signal = || -output.status.signal().unwrap_or_default();
        Run {
            code: output.status.code().unwrap_or_else(signal),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            out: output.stdout,
        }
    })
}
