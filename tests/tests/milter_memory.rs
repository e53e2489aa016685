//! Memory of the daemon, measured by the kernel: while many clients send headers and bodies, idle, and after a burst.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and tells"
)]

use mailglot_tests::trial::filter::{Program, milter_under};
use mailglot_tests::trial::mta::{NO_REPLIES, PROTOCOL};
use mailglot_tests::trial::{postfix, wait_for};
use std::io::{BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

const MIB: u64 = 1 << 20;
/// Bytes of `memory_bytes`, which all messages share.
const SHARED: u64 = 16 * MIB;
/// What each connection may have beside.
const EACH: u64 = 2 * MIB;
const CLIENTS: usize = 200;

struct MeasuredDaemon {
    program: Program,
    socket: PathBuf,
    _folder: tempfile::TempDir,
}

impl MeasuredDaemon {
    fn start() -> Self {
        let folder = postfix::folder();
        let socket = folder.path().join("socket");
        let address = format!("unix:{}", socket.display());
        let mut command = milter_under::<&str>(&[], &address, []);
        let program = Program::start(&mut command, &address, &folder.path().join("log"));
        Self {
            program,
            socket,
            _folder: folder,
        }
    }

    fn rss(&self) -> u64 {
        self.program.resident()
    }
}

/// A connection that has negotiated and begun a message.
struct Sender(BufWriter<UnixStream>);

impl Sender {
    fn begin(daemon: &MeasuredDaemon) -> Self {
        let stream = UnixStream::connect(&daemon.socket).unwrap();
        let mut sender = Self(BufWriter::with_capacity(1 << 18, stream));
        sender.put(
            b'O',
            &[6_u32, 0x1ff, PROTOCOL | NO_REPLIES]
                .map(u32::to_be_bytes)
                .concat(),
        );
        sender.letter();
        sender.put(b'M', b"<a@test.invalid>\0");
        sender.put(b'R', b"<b@test.invalid>\0");
        sender
    }

    fn put(&mut self, command: u8, data: &[u8]) {
        let length = u32::try_from(data.len() + 1).unwrap();
        self.0
            .write_all(&[&length.to_be_bytes()[..], &[command], data].concat())
            .unwrap();
    }

    /// The letter of the next packet.
    fn letter(&mut self) -> u8 {
        self.0.flush().unwrap();
        let mut head = [0; 5];
        self.0.get_mut().read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes(head[..4].try_into().unwrap());
        let mut rest = vec![0; length as usize - 1];
        self.0.get_mut().read_exact(&mut rest).unwrap();
        head[4]
    }

    /// Sends so many bytes of fields, each with a value of `value` bytes.
    fn header(&mut self, bytes: usize, value: usize) {
        let field = [&b"X-Filler\0 "[..], &vec![b'x'; value], b"\0"].concat();
        for _ in 0..bytes / (value + 12) {
            self.put(b'L', &field);
        }
        self.0.flush().unwrap();
    }

    /// Ends the message; its verdict.
    fn end(&mut self) -> u8 {
        self.put(b'E', b"");
        loop {
            let letter = self.letter();
            if !b"mihbqp".contains(&letter) {
                return letter;
            }
        }
    }
}

/// All clients at once, by some threads; the connections, which stay open.
fn all(daemon: &MeasuredDaemon, send: impl Fn(&mut Sender, usize) + Sync) -> Vec<Sender> {
    thread::scope(|scope| {
        let send = &send;
        let threads: Vec<_> = (0..8)
            .map(|first| {
                scope.spawn(move || {
                    let numbers = (first..CLIENTS).step_by(8);
                    let each = numbers.map(|number| {
                        let mut sender = Sender::begin(daemon);
                        send(&mut sender, number);
                        sender
                    });
                    each.collect::<Vec<_>>()
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn tell(what: &str, before: u64, now: u64) {
    println!(
        "{what}: {:.1} MiB before, {:.1} MiB now",
        before as f64 / MIB as f64,
        now as f64 / MIB as f64
    );
}

/// Long fields, usual ones, and so many short ones as a message may have.
#[test]
fn header_fields_count_against_the_memory_that_messages_share() {
    let daemon = MeasuredDaemon::start();
    let before = daemon.rss();
    let senders = all(&daemon, |sender, number| {
        let value = [60_000, 1_000, 150][number % 3];
        sender.header(15 << 20, value);
    });
    let most = daemon.program.memory().1;
    tell(
        "200 clients with 15 MiB of header fields each",
        before,
        most,
    );
    assert!(
        most <= before + SHARED + CLIENTS as u64 * EACH,
        "{} MiB",
        most / MIB
    );
    // They are messages like others.
    let verdicts: Vec<u8> = senders
        .into_iter()
        .take(3)
        .map(|mut sender| sender.end())
        .collect();
    assert_eq!(verdicts, b"ccc");
}

#[test]
fn memory_comes_back_after_a_burst() {
    let daemon = MeasuredDaemon::start();
    drop(all(&daemon, |sender, _| assert_eq!(sender.end(), b'c')));
    thread::sleep(Duration::from_secs(1));
    let before = daemon.rss();
    let body = b"Gr\xfc\xdfe, a line of text that is read as windows-1252\r\n".repeat(1_200);
    let senders = all(&daemon, |sender, _| {
        sender.put(b'L', b"Content-Type\0 text/plain; charset=iso-8859-1\0");
        sender.put(b'N', b"");
        for _ in 0..60 {
            sender.put(b'B', &body);
        }
        assert_eq!(sender.end(), b'c');
    });
    tell(
        "200 messages of 4 MB were rewritten, their connections are open",
        before,
        daemon.rss(),
    );
    drop(senders);
    let back = wait_for(Duration::from_secs(30), || {
        daemon.rss() <= before + 24 * MIB
    });
    tell("their connections are closed", before, daemon.rss());
    assert!(back, "{} MiB stay", (daemon.rss() - before) / MIB);
}
