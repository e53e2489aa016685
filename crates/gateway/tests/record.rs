//! What is told and kept of messages that go through the daemon: one line and one count each, and the original of what is changed.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic)]

use mailglot_archive::ledger::{Block, Body, Ledger, Record as LedgerRecord};
use mailglot_gateway::milter::{Incoming, put};
use mailglot_gateway::record::{Form, Journal, Ledgers, Metrics, Retention};
use mailglot_gateway::{Address, Engine, Limits, Server, Stop};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A running filter with a journal; it ends with the test.
struct Filter {
    socket: PathBuf,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    metrics: Arc<Metrics>,
    lines: Arc<Mutex<Vec<String>>>,
    folder: tempfile::TempDir,
}

impl Filter {
    fn start(ledgers: bool, set: impl FnOnce(&mut Engine, &mut Limits)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let mut engine = Engine::default();
        if ledgers {
            let place = folder.path().join("ledgers");
            let kept = Ledgers::open(place, Retention::default(), |error| panic!("{error}")).unwrap();
            engine.ledgers = Some(Arc::new(kept));
        }
        let mut limits = Limits { spool: folder.path().to_owned(), ..Limits::default() };
        set(&mut engine, &mut limits);
        let (metrics, lines) = (Arc::new(Metrics::new()), Arc::<Mutex<Vec<String>>>::default());
        let into = lines.clone();
        let journal = Journal::new("milter", Form::Text, metrics.clone(), move |line| {
            into.lock().unwrap().push(line.to_owned());
        });
        let address = Address::Unix(socket.clone());
        let server = Server::bind(&address, engine, limits, move |notice| journal.tell(notice)).unwrap();
        let stop = server.stopper().unwrap();
        let thread = Some(thread::spawn(move || server.run().unwrap()));
        Self { socket, stop, thread, metrics, lines, folder }
    }

    fn connect(&self) -> Mta {
        let mut mta =
            Mta { stream: UnixStream::connect(&self.socket).unwrap(), incoming: Incoming::default() };
        mta.send(b'O', &[6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat());
        assert_eq!(mta.packet(), Some(b'O'));
        mta
    }

    /// Lines of messages, once there are so many; one is told right behind its verdict.
    fn messages(&self, count: usize) -> Vec<String> {
        let patience = Instant::now() + Duration::from_secs(20);
        loop {
            let lines = self.lines.lock().unwrap().clone();
            let messages: Vec<_> = lines.into_iter().filter(|line| line.starts_with("msg=")).collect();
            if messages.len() >= count || Instant::now() > patience {
                return messages;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The sum of all series of a family.
    fn sum(&self, family: &str) -> u64 {
        let text = self.metrics.render();
        let own = text.lines().filter(|line| {
            line.starts_with(&format!("{family}{{")) || line.starts_with(&format!("{family} "))
        });
        own.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
    }
}

impl Drop for Filter {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take()
            && !thread::panicking()
        {
            thread.join().unwrap();
        }
    }
}

/// The other side.
struct Mta {
    stream: UnixStream,
    incoming: Incoming,
}

impl Mta {
    fn send(&mut self, command: u8, data: &[u8]) {
        let mut out = Vec::new();
        put(&mut out, command, &[data]);
        // A filter that closed is seen when it is read from.
        let _ = self.stream.write_all(&out);
    }

    /// The letter of the next packet; none where the filter closed.
    fn packet(&mut self) -> Option<u8> {
        let mut piece = [0; 4096];
        loop {
            if let Some(packet) = self.incoming.packet().unwrap() {
                return Some(packet.command);
            }
            match self.stream.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.incoming.push(&piece[..count]),
            }
        }
    }

    fn begin(&mut self, id: &str) {
        self.send(b'M', b"<a@example.org>\0");
        self.send(b'R', b"<b@example.org>\0");
        self.send(b'D', format!("Ni\0{id}\0").as_bytes());
        self.send(b'L', b"Subject\0 =?iso-8859-1?Q?Gr=FC=DFe?=\0");
    }

    /// Sends a message; the letter of its verdict.
    fn message(&mut self, id: &str, body: &[u8]) -> Option<u8> {
        self.begin(id);
        self.send(b'N', b"");
        for piece in body.chunks(65_535) {
            self.send(b'B', piece);
        }
        self.send(b'E', b"");
        loop {
            let letter = self.packet()?;
            if !b"mihbqp".contains(&letter) {
                return Some(letter);
            }
        }
    }
}

/// The message in a ledger, and what is told of it.
fn kept(path: &Path) -> (Vec<u8>, String) {
    let mut ledger = Ledger::open(path).unwrap();
    let (mut block, mut message, mut note) = (Block::default(), Vec::new(), String::new());
    while ledger.next_block(&mut block).unwrap() {
        for record in block.records() {
            match record.unwrap() {
                LedgerRecord::Note(text) => note = String::from_utf8(text.to_vec()).unwrap(),
                LedgerRecord::Message(record) => match record.body {
                    Body::Whole(piece) => message.extend_from_slice(piece),
                    _ => unreachable!(),
                },
                _ => (),
            }
        }
    }
    (message, note)
}

const SUBJECT: &[u8] = b"Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n";

/// G11: whatever becomes of a message, it is one line and one count.
#[test]
fn each_message_is_one_line_and_one_count() {
    let filter = Filter::start(true, |_, limits| {
        limits.message_bytes = 4 << 20;
        limits.stall = Duration::from_millis(500);
    });
    let mut sent = 0;
    let mut mta = filter.connect();
    for number in 0..50 {
        assert_eq!(mta.message(&format!("N{number}"), b"plain\r\n"), Some(b'c'));
        sent += 1;
    }
    // Too large; given up by the client, which is no message; several connections at a time.
    assert_eq!(mta.message("L", &vec![b'a'; 5 << 20]), Some(b'c'));
    mta.begin("gone");
    mta.send(b'A', b"");
    assert_eq!(mta.message("after", b""), Some(b'c'));
    sent += 2;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut mta = filter.connect();
                (0..10).for_each(|_| assert_eq!(mta.message("P", b"Gr\xfc\xdfe\r\n"), Some(b'c')));
            });
        }
    });
    sent += 80;
    // Faults in the middle of a message, and outside of any.
    for bad in [&b"\0\0\0\x01z"[..], b"\0\0\0\0", b"\xff\xff\xff\xffB", b"\0\0\0\x05Labc"] {
        let mut mta = filter.connect();
        mta.begin("bad");
        mta.stream.write_all(bad).unwrap();
        assert_eq!(mta.packet(), None);
        sent += 1;
        let mut mta = filter.connect();
        mta.stream.write_all(bad).unwrap();
        assert_eq!(mta.packet(), None);
    }
    // One that stops in the middle of a packet.
    let mut slow = filter.connect();
    slow.begin("slow");
    slow.stream.write_all(b"\0\0\0\x09B").unwrap();
    assert_eq!(slow.packet(), None);
    sent += 1;
    // No place for ledgers any more: messages that would be changed are deferred, the others pass.
    let ledgers = filter.folder.path().join("ledgers");
    let day = fs::read_dir(&ledgers).unwrap().next().unwrap().unwrap().path();
    fs::remove_dir_all(&ledgers).unwrap();
    fs::write(&ledgers, b"in the way").unwrap();
    assert_eq!(mta.message("full", b"x\r\n"), Some(b't'));
    mta.send(b'M', b"<a@example.org>\0");
    mta.send(b'E', b"");
    assert_eq!(mta.packet(), Some(b'c'));
    sent += 2;
    drop(day);

    let messages = filter.messages(sent);
    assert_eq!(messages.len(), sent);
    assert_eq!(filter.sum("mailglot_messages_total"), sent as u64);
    assert_eq!(filter.sum("mailglot_message_seconds_count"), sent as u64);
    let of = |words: &str| messages.iter().filter(|line| line.contains(words)).count() as u64;
    assert_eq!(of(" action=tempfail "), 6);
    assert_eq!(filter.sum("mailglot_tempfail_total"), 6);
    assert_eq!(of(" why=ledger "), 1);
    assert_eq!(of(" why=too-large "), 1);
    assert_eq!(of(" action=normalize "), 50 + 1 + 80);
    assert_eq!(of(" ledger="), 50 + 1 + 80);
    let faults = filter.lines.lock().unwrap().iter().filter(|line| line.starts_with("fault=")).count();
    assert_eq!(filter.sum("mailglot_faults_total"), faults as u64);
    assert_eq!(faults, 2 * 4 + 1 + 1);
}

#[test]
fn what_is_changed_is_kept_before_its_verdict() {
    let filter = Filter::start(true, |_, _| ());
    let place = filter.folder.path().join("ledgers");
    let mut mta = filter.connect();
    for (id, body) in [("4F1", &b"plain\r\n"[..]), ("4F2", &b"Gr\xfc\xdfe\r\n".repeat(400_000))] {
        assert_eq!(mta.message(id, body), Some(b'c'));
        // It is there when the verdict is: the daemon may be gone a moment later.
        let path = fs::read_dir(&place).unwrap().flatten().flat_map(|day| fs::read_dir(day.path()).unwrap());
        let path = path.flatten().map(|entry| entry.path()).find(|path| path.to_string_lossy().contains(id));
        let (message, note) = kept(&path.unwrap());
        assert!(message == [SUBJECT, b"\r\n", body].concat(), "{id}");
        for words in [
            format!("{{\"msg\":\"{id}\",\"from\":\"<a@example.org>\",\"rcpts\":1,"),
            "\"action\":\"normalize\"".into(),
        ] {
            assert!(note.contains(&words), "{note}");
        }
        let replaced = note.split("\"replaced\":\"").nth(1).unwrap();
        let (offset, rest) = replaced.split_once('+').unwrap();
        let length = rest.split('>').next().unwrap();
        let (offset, length): (usize, usize) = (offset.parse().unwrap(), length.parse().unwrap());
        assert!(offset + length <= message.len() && offset < SUBJECT.len(), "{note}");
    }
    // What passes as it is, is not kept.
    mta.send(b'M', b"<a@example.org>\0");
    mta.send(b'L', b"Subject\0 plain\0");
    mta.send(b'E', b"plain\r\n");
    assert_eq!(mta.packet(), Some(b'c'));
    let messages = filter.messages(3);
    let names: Vec<_> = messages.iter().filter_map(|line| line.split(" ledger=").nth(1)).collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|name| place.join(name).exists()), "{names:?}");
}

#[test]
fn a_message_that_cannot_be_kept_passes_unchanged_where_that_is_asked_for() {
    let filter = Filter::start(true, |engine, _| engine.fail_open = true);
    let ledgers = filter.folder.path().join("ledgers");
    fs::remove_dir_all(&ledgers).unwrap();
    fs::write(&ledgers, b"in the way").unwrap();
    let mut mta = filter.connect();
    mta.begin("4F2");
    mta.send(b'E', b"x\r\n");
    assert_eq!(mta.packet(), Some(b'c'), "without an edit before it");
    let messages = filter.messages(1);
    assert!(messages[0].contains(" action=pass ") && messages[0].contains(" why=ledger "), "{messages:?}");
    assert_eq!(filter.sum("mailglot_failopen_total"), 1);
}

#[test]
fn without_a_ledger_nothing_is_kept() {
    let filter = Filter::start(false, |_, _| ());
    assert_eq!(filter.connect().message("4F2", b"Gr\xfc\xdfe\r\n"), Some(b'c'));
    assert!(!filter.messages(1)[0].contains("ledger="));
    assert_eq!(fs::read_dir(filter.folder.path()).unwrap().count(), 1, "the socket alone");
}
