//! A running daemon, and the packets of the milter protocol that tests exchange with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A packet of the protocol.
pub(crate) fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len() + 1).unwrap();
    [&length.to_be_bytes()[..], &[command], data].concat()
}

/// The next packet that came back.
pub(crate) fn answer(stream: &mut UnixStream) -> (u8, Vec<u8>) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut bytes).unwrap();
    (bytes[0], bytes[1..].to_vec())
}

/// A running daemon, and the lines that it says.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    pub(crate) lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Daemon {
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::spawn(
            Command::new(env!("CARGO_BIN_EXE_mailglot"))
                .args(["milter", "--allow-root"])
                .args(args),
        )
    }

    /// Whatever command it is that becomes the daemon.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    pub(crate) fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// The text of the next line, which is a message in JSON.
    pub(crate) fn json_text(&mut self) -> String {
        let line = self.line();
        let object: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(object["priority"], "info", "{line}");
        object["text"].as_str().unwrap().to_owned()
    }

    /// Asks for the end; the exit code.
    pub(crate) fn end(mut self, signal: &str) -> i32 {
        self::signal(&self.child, signal);
        self.child.wait().unwrap().code().unwrap()
    }
}

/// A test that fails leaves no daemon running.
impl Drop for Daemon {
    fn drop(&mut self) {
        // Both do nothing to a daemon that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let asked = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(asked.success());
}

pub(crate) fn connected(path: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(path).unwrap();
    stream
        .write_all(&packet(
            b'O',
            &[6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat(),
        ))
        .unwrap();
    assert_eq!(answer(&mut stream).0, b'O');
    stream
}

/// A file with a milter at the address and what else it says.
pub(crate) fn configured(folder: &Path, policy: &str) -> String {
    let path = folder.join("mailglot.toml");
    let socket = folder.join("socket");
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{}\", policy = \"own\" }}]\n[policy.own]\n{policy}\n",
        socket.display()
    );
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Sends a message with text in Latin-1; the letters that come back.
pub(crate) fn sent(stream: &mut UnixStream) -> String {
    let message = [
        packet(b'M', b"<a@example.org>\0"),
        packet(b'L', b"Subject\0 =?iso-8859-1?Q?=FC?=\0"),
        packet(b'N', b""),
        packet(b'E', b""),
    ];
    stream.write_all(&message.concat()).unwrap();
    let mut letters = String::new();
    while !letters.ends_with(['c', 't', 'y', 'r']) {
        letters.push(char::from(answer(stream).0));
    }
    stream.write_all(&packet(b'A', b"")).unwrap();
    letters
}

/// What a start that failed says, and its exit code.
pub(crate) fn refused(args: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_mailglot"))
        .args(args)
        .output()
        .unwrap();
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}
