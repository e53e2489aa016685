#![allow(clippy::unwrap_used, clippy::panic)]

use super::heartbeat::Heartbeat;
use super::*;
use crate::limits::Limits;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Says back what it hears; a byte `!` is a message that ends with `.`, and `#` a panic.
struct Echo;

struct EchoHandle {
    stream: Stream,
    busy: AtomicBool,
}

impl ConnectionHandle for EchoHandle {
    fn end_idle(&self) {
        if !self.busy.load(Ordering::SeqCst) {
            self.stream.shut();
        }
    }

    fn end(&self) {
        self.stream.shut();
    }

    fn tick(&self, _: &Shared) {
        if self.busy.load(Ordering::SeqCst) {
            let _ = (&self.stream).write_all(b"p");
        }
    }
}

impl Service for Echo {
    fn accept(
        &self,
        _: u64,
        mut stream: Stream,
        full: bool,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>> {
        let handle = Arc::new(EchoHandle {
            stream: stream.try_clone()?,
            busy: AtomicBool::new(false),
        });
        let (own, shared) = (handle.clone(), shared.clone());
        let run = Box::new(move || {
            if full {
                return (&stream).write_all(b"full").unwrap();
            }
            let mut byte = [0];
            while stream.read(&mut byte).is_ok_and(|count| count > 0) {
                assert!(byte != *b"#", "as asked for");
                own.busy.store(byte == *b"!", Ordering::SeqCst);
                let _ = (&stream).write_all(&byte);
                if byte == *b"." && shared.is_stopping() {
                    return;
                }
            }
        });
        Ok(Some(Accepted {
            handle,
            run: Execution::Thread(run),
        }))
    }
}

pub(super) struct Running {
    path: PathBuf,
    stop: Stop,
    thread: Option<JoinHandle<io::Result<()>>>,
    faults: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

impl Running {
    fn start(set: impl FnOnce(&mut Limits)) -> Self {
        Self::serving(Box::new(Echo), set)
    }

    /// Of a panic it is told with another.
    pub(super) fn serving(service: Box<dyn Service>, set: impl FnOnce(&mut Limits)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut limits = Limits {
            drain: Duration::from_millis(300),
            ..Limits::default()
        };
        set(&mut limits);
        let faults = Arc::<Mutex<Vec<String>>>::default();
        let into = faults.clone();
        let report = move |event: &ServerEvent<'_>| {
            let ServerEvent::Fault { fault, .. } = event else {
                assert!(matches!(event, ServerEvent::Flush), "no message is told");
                return;
            };
            into.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(fault.to_string());
            assert_ne!(fault.kind(), "panic");
        };
        let socket = Socket::New(Address::Unix(path.clone()));
        let server =
            Server::listen(socket, service, Engine::default(), limits.into(), report).unwrap();
        let stop = server.stopper();
        Self {
            path,
            stop,
            thread: Some(thread::spawn(|| server.run())),
            faults,
            _folder: folder,
        }
    }

    pub(super) fn connect(&self) -> UnixStream {
        connect(&self.path)
    }

    pub(super) fn faults(&self) -> Vec<String> {
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn has_ended(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Stops it; how long that took.
    pub(super) fn end(&mut self) -> Duration {
        let start = Instant::now();
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap().unwrap();
        start.elapsed()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() && !thread::panicking() {
            self.end();
        }
    }
}

fn connect(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// The next byte, without signs of life; none at the end.
pub(super) fn heard(stream: &mut UnixStream) -> Option<u8> {
    let mut byte = [b'p'];
    while byte == *b"p" {
        match stream.read(&mut byte) {
            Ok(0) => return None,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            count => assert_eq!(count.unwrap(), 1),
        }
    }
    Some(byte[0])
}

/// What is answered; none where the other end is gone.
pub(super) fn said(stream: &mut UnixStream, byte: u8) -> Option<u8> {
    match stream.write_all(&[byte]) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => None,
        written => {
            written.unwrap();
            heard(stream)
        }
    }
}

#[test]
fn a_stop_ends_idle_connections_at_once_and_lets_messages_end() {
    let mut server = Running::start(|limits| limits.drain = Duration::from_mins(1));
    let (mut idle, mut busy) = (server.connect(), server.connect());
    assert_eq!(
        (said(&mut idle, b'a'), said(&mut busy, b'!')),
        (Some(b'a'), Some(b'!'))
    );
    assert_eq!(server.stop.connections(), 2);
    server.stop.stop();
    assert_eq!(heard(&mut idle), None);
    assert!(!server.has_ended());
    assert_eq!(said(&mut busy, b'.'), Some(b'.'));
    assert_eq!(heard(&mut busy), None);
    assert!(server.end() < Duration::from_secs(20));
    assert!(!server.path.exists() && server.faults().is_empty());
}

#[test]
fn a_message_that_does_not_end_is_not_waited_for() {
    let mut server = Running::start(|_| ());
    let mut busy = server.connect();
    assert_eq!(said(&mut busy, b'!'), Some(b'!'));
    let time = server.end();
    assert!(
        time >= Duration::from_millis(300) && time < Duration::from_secs(20),
        "{time:?}"
    );
    assert_eq!(heard(&mut busy), None);
}

#[test]
fn beats_go_on_and_look_at_connections() {
    let server = Running::start(|limits| limits.progress = Duration::from_millis(20));
    let before = server.stop.beats();
    let mut busy = server.connect();
    busy.write_all(b"!").unwrap();
    let mut signs = 0;
    let mut byte = [0];
    while signs < 3 {
        busy.read_exact(&mut byte).unwrap();
        signs += usize::from(byte == *b"p");
    }
    assert!(server.stop.beats() >= before + 3);
}

#[test]
fn those_beyond_the_limit_hear_so_and_a_place_becomes_free() {
    let server = Running::start(|limits| limits.connections = 2);
    let mut places = [server.connect(), server.connect()];
    for stream in &mut places {
        assert_eq!(said(stream, b'a'), Some(b'a'));
    }
    let mut text = String::new();
    server.connect().read_to_string(&mut text).unwrap();
    assert_eq!(text, "full");
    assert_eq!(server.faults(), ["connections"]);
    drop(places);
    let patience = Instant::now() + Duration::from_secs(20);
    while server.stop.connections() > 0 {
        assert!(Instant::now() < patience);
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(said(&mut server.connect(), b'a'), Some(b'a'));
    assert_eq!(server.faults(), ["connections"]);
}

#[test]
fn a_stop_is_heard_where_nobody_can_connect() {
    let mut server = Running::start(|_| ());
    let mut idle = server.connect();
    assert_eq!(said(&mut idle, b'a'), Some(b'a'));
    std::fs::remove_file(&server.path).unwrap();
    assert!(server.end() < Duration::from_secs(20));
    assert_eq!(heard(&mut idle), None);
}

#[test]
fn a_panic_ends_its_connection_and_no_other() {
    let mut server = Running::start(|_| ());
    let (mut good, mut bad) = (server.connect(), server.connect());
    assert_eq!(said(&mut good, b'a'), Some(b'a'));
    assert_eq!(said(&mut bad, b'#'), None);
    assert_eq!(said(&mut good, b'a'), Some(b'a'));
    drop(good);
    assert!(
        server.end() < Duration::from_secs(20),
        "nothing is waited for that is gone"
    );
    assert_eq!(server.faults(), ["panic"]);
}

/// A service whose threads end when they are told to, whatever becomes of their connections.
struct Stuck(Arc<AtomicBool>);

impl Service for Stuck {
    fn accept(
        &self,
        _: u64,
        stream: Stream,
        _: bool,
        _: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>> {
        let handle = Arc::new(EchoHandle {
            stream: stream.try_clone()?,
            busy: AtomicBool::new(false),
        });
        let free = self.0.clone();
        let run = Box::new(move || {
            while !free.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(5));
            }
        });
        Ok(Some(Accepted {
            handle,
            run: Execution::Thread(run),
        }))
    }
}

#[test]
fn a_thread_that_does_not_end_is_told_and_left() {
    let free = Arc::new(AtomicBool::new(false));
    let mut server = Running::serving(Box::new(Stuck(free.clone())), |limits| {
        limits.drain = Duration::ZERO;
    });
    let _client = server.connect();
    let patience = Instant::now() + Duration::from_secs(20);
    while server.stop.connections() == 0 {
        assert!(Instant::now() < patience);
        thread::sleep(Duration::from_millis(5));
    }
    let took = server.end();
    assert!(
        took >= ENDING && took < ENDING + Duration::from_secs(20),
        "{took:?}"
    );
    assert_eq!(server.faults(), ["stopped (1 connections do not end)"]);
    free.store(true, Ordering::SeqCst);
}

#[test]
fn a_hand_that_stands_still_is_seen_and_one_that_waits_is_not() {
    let limit = Duration::from_millis(200);
    let heartbeats = [Arc::<Heartbeat>::default(), Arc::default()];
    let mut watchdog = Watchdog::default();
    let start = Instant::now();
    assert!(watchdog.all_alive(&heartbeats, start, limit));
    // One at work with steps, one that waits.
    heartbeats[0].beat();
    for quarter in 1..=6 {
        heartbeats[0].beat();
        assert!(watchdog.all_alive(&heartbeats, start + limit / 4 * quarter, limit));
    }
    let later = start + limit * 4;
    assert!(!watchdog.all_alive(&heartbeats, later, limit));
    assert!(
        watchdog.all_alive(&heartbeats[1..], later, limit),
        "it waits"
    );
    heartbeats[0].set_idle();
    assert!(watchdog.all_alive(&heartbeats, later, limit));
}

/// The report about a refused client blocks here, so the acceptor sends no heartbeats.
#[test]
fn beats_end_while_clients_are_not_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let free = Arc::new(AtomicBool::new(false));
    let twin = free.clone();
    let report = move |_: &ServerEvent<'_>| {
        while !twin.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(5));
        }
    };
    let limits = Limits {
        connections: 0,
        progress: Duration::from_millis(20),
        ..Limits::default()
    };
    let socket = Socket::New(Address::Unix(path.clone()));
    let server = Server::listen(
        socket,
        Box::new(Echo),
        Engine::default(),
        limits.into(),
        report,
    )
    .unwrap();
    let stop = server.stopper();
    let thread = thread::spawn(|| server.run());
    let before = stop.beats();
    let patience = Instant::now() + Duration::from_secs(20);
    while stop.beats() < before + 3 {
        assert!(Instant::now() < patience);
        thread::sleep(Duration::from_millis(5));
    }
    // It is full: that is told.
    let _client = connect(&path);
    thread::sleep(STALL_LIMIT + WATCH_INTERVAL * 12);
    let seen = stop.beats();
    thread::sleep(WATCH_INTERVAL * 4);
    assert_eq!(stop.beats(), seen);
    free.store(true, Ordering::SeqCst);
    while stop.beats() == seen {
        assert!(Instant::now() < patience + STALL_LIMIT * 2);
        thread::sleep(Duration::from_millis(5));
    }
    stop.stop();
    thread.join().unwrap().unwrap();
}
