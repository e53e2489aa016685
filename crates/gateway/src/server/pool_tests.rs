#![allow(clippy::unwrap_used, clippy::panic)]

use super::tests::{Running, heard, said};
use super::*;
use std::io::Write;

/// Says back what it hears, by turns with others; `w` takes work of more than half of [`PATIENCE`], and `#` is a panic.
struct EchoPool;

/// How long a client may be silent.
const PATIENCE: Duration = Duration::from_secs(3);

struct PooledEcho {
    stream: Stream,
    unsent: Vec<u8>,
    silent: Instant,
}

struct PooledEchoHandle(Stream);

impl ConnectionHandle for PooledEchoHandle {
    fn end_idle(&self) {
        self.0.shut();
    }

    fn end(&self) {
        self.0.shut();
    }
}

impl Service for EchoPool {
    fn accept(
        &self,
        _: u64,
        stream: Stream,
        _: bool,
        _: &Arc<Shared>,
    ) -> io::Result<Option<Accepted>> {
        let handle = Arc::new(PooledEchoHandle(stream.try_clone()?));
        let echo = PooledEcho {
            stream,
            unsent: Vec::new(),
            silent: Instant::now(),
        };
        Ok(Some(Accepted {
            handle,
            run: Execution::Pool(Box::new(echo)),
        }))
    }
}

impl PooledConnection for PooledEcho {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn serve(&mut self) -> Next {
        if !self.unsent.is_empty() {
            let sent = self.stream.offer(&self.unsent).unwrap();
            self.unsent.drain(..sent);
            return Next::Read;
        }
        let mut byte = [0];
        let count = self.stream.receive(&mut byte).unwrap();
        if count == Some(0) {
            return Next::End;
        }
        if count.is_none() {
            return Next::Read;
        }
        assert!(byte != *b"#", "as asked for");
        if byte == *b"w" {
            thread::sleep(PATIENCE * 3 / 5);
        }
        self.silent = Instant::now();
        self.unsent.push(byte[0]);
        Next::Write
    }

    fn is_late(&mut self) -> bool {
        self.silent.elapsed() >= PATIENCE
    }

    fn give_up(&mut self, _: io::Error) {}

    fn run(self: Box<Self>) {}
}

fn start() -> Running {
    Running::serving(Box::new(EchoPool), |limits| {
        limits.stall = Duration::from_millis(100);
    })
}

#[test]
fn who_spoke_while_others_were_served_is_not_late() {
    let server = start();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let [mut busy, mut quick] = [(); 2].map(|()| {
        (0..2 * workers)
            .map(|_| server.connect())
            .collect::<Vec<_>>()
    });
    for stream in busy.iter_mut().chain(&mut quick) {
        assert_eq!(said(stream, b'a'), Some(b'a'));
    }
    let start = Instant::now();
    // Two for each thread, one behind the other.
    for stream in &mut busy {
        stream.write_all(b"w").unwrap();
    }
    thread::sleep(PATIENCE / 10);
    for stream in &mut quick {
        stream.write_all(b"b").unwrap();
    }
    for stream in &mut quick {
        assert_eq!(heard(stream), Some(b'b'));
    }
    for stream in &mut busy {
        assert_eq!(heard(stream), Some(b'w'));
    }
    assert!(start.elapsed() >= PATIENCE, "{:?}", start.elapsed());
    // And who says nothing is.
    assert_eq!(heard(&mut quick[0]), None);
}

#[test]
fn a_thread_that_is_at_work_gets_no_new_connection() {
    let server = start();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut busy: Vec<_> = (0..workers).map(|_| server.connect()).collect();
    for stream in &mut busy {
        stream.write_all(b"w").unwrap();
    }
    thread::sleep(pool::BUSY * 4);
    // All are, so that it has a thread, which ends it at once here: before they are done.
    let start = Instant::now();
    assert_eq!(heard(&mut server.connect()), None);
    assert!(start.elapsed() < PATIENCE * 2 / 5, "{:?}", start.elapsed());
    for stream in &mut busy {
        assert_eq!(heard(stream), Some(b'w'));
    }
}

/// What is told of it may fail as well.
#[test]
fn a_panic_ends_its_connection_and_no_other() {
    let mut server = start();
    let (mut good, mut bad) = (server.connect(), server.connect());
    assert_eq!(said(&mut good, b'a'), Some(b'a'));
    assert_eq!(said(&mut bad, b'#'), None);
    for _ in 0..8 {
        assert_eq!(said(&mut server.connect(), b'a'), Some(b'a'));
    }
    assert_eq!(said(&mut good, b'a'), Some(b'a'));
    drop(good);
    assert!(
        server.end() < Duration::from_secs(20),
        "nothing is waited for that is gone"
    );
    assert_eq!(server.faults(), ["panic"]);
}
