//! Connections of the pool whose messages wait for their ledger.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::address::Address;
use crate::engine::Engine;
use crate::event::ServerEvent;
use crate::ledgers::{Ledgers, Retention};
use crate::limits::Limits;
use crate::server::{Server, Stop};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What the server reported: `LEDGER` of a message whose original is kept, `plain` of another, or a fault.
type Reports = Arc<Mutex<Vec<String>>>;

struct Milter {
    path: PathBuf,
    ledgers: Arc<Ledgers>,
    reports: Reports,
    stop: Stop,
    thread: Option<JoinHandle<io::Result<()>>>,
    _folder: tempfile::TempDir,
}

impl Milter {
    fn start(set: impl FnOnce(&mut Limits)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let ledgers = Ledgers::open(folder.path().join("kept"), Retention::default(), |_| ());
        let ledgers = Arc::new(ledgers.unwrap());
        let engine = Engine {
            ledgers: Some(ledgers.clone()),
            ..Engine::default()
        };
        let mut limits = Limits::default();
        set(&mut limits);
        let reports = Reports::default();
        let into = reports.clone();
        let report = move |event: &ServerEvent<'_>| {
            let words = match event {
                ServerEvent::Message(record) => match &record.ledger {
                    Some(_) => "kept".to_owned(),
                    None => record.action.name().to_owned(),
                },
                ServerEvent::Fault { fault, .. } => fault.kind().to_owned(),
                ServerEvent::Flush => return,
            };
            into.lock().unwrap().push(words);
        };
        let server = Server::milter(Address::Unix(path.clone()), engine, limits, report).unwrap();
        let stop = server.stopper();
        Self {
            path,
            ledgers,
            reports,
            stop,
            thread: Some(thread::spawn(|| server.run())),
            _folder: folder,
        }
    }

    fn connect(&self) -> UnixStream {
        let mut stream = UnixStream::connect(&self.path).unwrap();
        let wants = [6_u32, 0x1ff, 0x1f_ffff].map(u32::to_be_bytes).concat();
        stream.write_all(&packet(b'O', &wants)).unwrap();
        assert_eq!(answer(&mut stream), b'O');
        stream
    }

    /// Waits until so many events were reported, and returns them in order of the alphabet.
    fn reports(&self, count: usize) -> Vec<String> {
        let start = Instant::now();
        while self.reports.lock().unwrap().len() < count {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{:?}",
                self.reports
            );
            thread::sleep(Duration::from_millis(2));
        }
        let mut reports = self.reports.lock().unwrap().clone();
        reports.sort();
        reports
    }

    fn end(mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap().unwrap();
    }
}

fn packet(command: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len() + 1).unwrap().to_be_bytes();
    [&length[..], &[command], data].concat()
}

/// The packets of a message that needs no answer before its end.
fn message(body: &[u8]) -> Vec<u8> {
    let field = b"Content-Type\0 text/plain; charset=iso-8859-1\0";
    let steps: [(u8, &[u8]); 6] = [
        (b'M', b"<a@test.invalid>\0"),
        (b'R', b"<b@test.invalid>\0"),
        (b'L', field),
        (b'N', b""),
        (b'B', body),
        (b'E', b""),
    ];
    steps.map(|(command, data)| packet(command, data)).concat()
}

/// The letter of the next packet.
fn answer(stream: &mut UnixStream) -> u8 {
    let mut head = [0; 5];
    stream.read_exact(&mut head).unwrap();
    let length = u32::from_be_bytes(*head.first_chunk().unwrap()) as usize;
    stream.read_exact(&mut vec![0; length - 1]).unwrap();
    head[4]
}

/// Reads edits and the verdict of a message.
fn verdict(stream: &mut UnixStream) -> (u8, usize) {
    let mut edits = 0;
    loop {
        match answer(stream) {
            letter if b"catr".contains(&letter) => return (letter, edits),
            _ => edits += 1,
        }
    }
}

/// Returns true if nothing comes for a while.
fn is_silent(stream: &mut UnixStream) -> bool {
    let time = Duration::from_millis(150);
    stream.set_read_timeout(Some(time)).unwrap();
    let read = stream.read(&mut [0; 1]);
    stream.set_read_timeout(None).unwrap();
    matches!(read, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

const CHANGED: &[u8] = b"Gr\xfc\xdfe\r\n";

#[test]
fn a_stalled_disk_delays_no_message_that_stays_as_it_is() {
    let milter = Milter::start(|_| ());
    // More than the pool has threads.
    let mut waiting: Vec<_> = (0..20).map(|_| milter.connect()).collect();
    let mut other = milter.connect();
    let disk = milter.ledgers.stall();
    for stream in &mut waiting {
        stream.write_all(&message(CHANGED)).unwrap();
    }
    assert!(waiting.iter_mut().all(is_silent));
    other.write_all(&message(b"plain text\r\n")).unwrap();
    assert_eq!(verdict(&mut other).0, b'c');
    drop(disk);
    for stream in &mut waiting {
        let (letter, edits) = verdict(stream);
        assert!(letter == b'c' && edits > 0);
    }
    let reports = milter.reports(21);
    let kept = reports.iter().filter(|report| *report == "kept").count();
    assert_eq!((kept, reports.len()), (20, 21));
    milter.end();
}

#[test]
fn a_peer_that_sends_on_before_its_verdict_gets_all_verdicts() {
    let milter = Milter::start(|_| ());
    let mut stream = milter.connect();
    let disk = milter.ledgers.stall();
    stream.write_all(&message(CHANGED)).unwrap();
    assert!(is_silent(&mut stream));
    for _ in 0..3 {
        stream.write_all(&message(CHANGED)).unwrap();
    }
    assert!(is_silent(&mut stream));
    drop(disk);
    for _ in 0..4 {
        let (letter, edits) = verdict(&mut stream);
        assert!(letter == b'c' && edits > 0);
    }
    assert_eq!(milter.reports(4), ["kept"; 4]);
    // And it goes on as usual.
    stream.write_all(&message(CHANGED)).unwrap();
    assert_eq!(verdict(&mut stream).0, b'c');
    milter.end();
}

#[test]
fn a_peer_that_leaves_while_its_message_is_kept_is_forgotten() {
    let milter = Milter::start(|_| ());
    let mut stream = milter.connect();
    let disk = milter.ledgers.stall();
    stream.write_all(&message(CHANGED)).unwrap();
    assert!(is_silent(&mut stream));
    drop(stream);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(milter.reports(0), [""; 0]);
    drop(disk);
    // Nobody read the verdict: the mail server defers the message, although its original is kept.
    assert_eq!(milter.reports(2).len(), 2);
    milter.end();
}

#[test]
fn a_peer_is_not_late_while_the_disk_is() {
    let milter = Milter::start(|limits| {
        limits.idle = Duration::from_millis(100);
        limits.stall = Duration::from_secs(5);
    });
    let mut stream = milter.connect();
    let disk = milter.ledgers.stall();
    stream.write_all(&message(CHANGED)).unwrap();
    thread::sleep(Duration::from_millis(600));
    drop(disk);
    assert_eq!(verdict(&mut stream).0, b'c');
    milter.end();
}

#[test]
fn without_shared_memory_a_message_waits_in_a_thread_of_its_own() {
    let milter = Milter::start(|limits| limits.memory_bytes = 0);
    let (mut waiting, mut other) = (milter.connect(), milter.connect());
    let disk = milter.ledgers.stall();
    waiting.write_all(&message(CHANGED)).unwrap();
    assert!(is_silent(&mut waiting));
    other.write_all(&message(b"plain text\r\n")).unwrap();
    let (letter, _) = verdict(&mut other);
    assert_eq!(letter, b'c');
    drop(disk);
    assert_eq!(verdict(&mut waiting).0, b'c');
    milter.end();
}
