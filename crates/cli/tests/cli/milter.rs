//! `milter`: the daemon as a supervisor of services and a mail server see it

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A packet of the protocol.
fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len() + 1).unwrap();
    [&length.to_be_bytes()[..], &[command], data].concat()
}

/// The next packet that came back.
fn answer(stream: &mut UnixStream) -> (u8, Vec<u8>) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut bytes).unwrap();
    (bytes[0], bytes[1..].to_vec())
}

/// A running daemon, and the lines that it says.
struct Daemon {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Daemon {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mailglot"))
            .arg("milter")
            .args(args)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Asks for the end; the exit code.
    fn end(mut self, signal: &str) -> i32 {
        let asked = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
        self.child.wait().unwrap().code().unwrap()
    }
}

fn connected(path: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(&packet(b'O', &[6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat())).unwrap();
    assert_eq!(answer(&mut stream).0, b'O');
    stream
}

#[test]
fn a_message_goes_through_and_signals_end_it() {
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let address = format!("unix:{}", path.display());
        let mut daemon = Daemon::start(&["--listen", &address]);
        assert_eq!(daemon.line(), format!("listening at {address}"));
        let mut stream = connected(&path);
        let message = [
            packet(b'M', b"<a b@example.org>\0"),
            packet(b'R', b"<c@example.org>\0"),
            packet(b'D', b"Ni\x004F2\0"),
            packet(b'L', b"Subject\0 =?iso-8859-1?Q?=FC?=\0"),
            packet(b'N', b""),
            packet(b'E', b""),
        ];
        stream.write_all(&message.concat()).unwrap();
        assert_eq!(answer(&mut stream), (b'm', b"\0\0\0\x01Subject\0 =?UTF-8?B?w7w=?=\0".to_vec()));
        assert_eq!(answer(&mut stream), (b'c', Vec::new()));
        let line = daemon.line();
        assert!(
            line.starts_with("msg=4F2 route=milter peer= from=<a\\x20b@example.org> rcpts=1 in=31 out=")
                && line.contains(" action=normalize "),
            "{line}"
        );
        stream.write_all(&packet(b'z', b"")).unwrap();
        assert!(daemon.line().starts_with("fault=unknown-command"));
        assert_eq!(daemon.end(signal), 0);
        assert!(!path.exists());
    }
}

#[test]
fn a_place_that_cannot_be_taken_is_said() {
    let mut daemon = Daemon::start(&["--listen", "unix:/no/such/folder/socket"]);
    assert!(daemon.line().contains("unix:/no/such/folder/socket: "));
    assert_eq!(daemon.child.wait().unwrap().code(), Some(4));
}
