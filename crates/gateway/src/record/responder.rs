//! A very small HTTP server for [`Metrics`]: `GET /metrics`, and nothing else.
//!
//! # Limits
//! It asks nobody who he is: it listens on the loopback only. A connection carries one request.

use super::metrics::Metrics;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes of the longest request.
const LONGEST: usize = 1_024;
/// How long a request and its answer may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Connections that are answered at a time; further ones wait to be accepted.
const CONNECTIONS: usize = 4;
/// How often is looked whether one of them has ended.
const TURN: Duration = Duration::from_millis(5);
/// Bytes of a thread's stack.
const STACK: usize = 128 << 10;
/// How long a failed `accept` is waited out.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// A running responder. It ends when it is dropped.
#[derive(Debug)]
pub struct Responder {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Responder {
    /// Answers at `address`, which must be one of the loopback; `refresh` sets what is measured and not counted, before each answer.
    ///
    /// # Errors
    /// The address is another's, is taken, or no thread can be made.
    pub fn start(
        address: SocketAddr,
        metrics: Arc<Metrics>,
        refresh: impl Fn(&Metrics) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let words = "metrics are answered on the loopback only";
            return Err(io::Error::new(ErrorKind::InvalidInput, words));
        }
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let stopping = Arc::new(AtomicBool::new(false));
        let render: Arc<Render> = Arc::new(move || {
            refresh(&metrics);
            metrics.render()
        });
        let ended = stopping.clone();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .stack_size(STACK)
            .spawn(move || serve(&listener, &render, &ended))?;
        Ok(Self { address, stopping, thread: Some(thread) })
    }

    /// Where it answers, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread; where that fails it is not waited for.
        if TcpStream::connect_timeout(&self.address, PATIENCE).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // Its panic has been told where it happened.
            let _ = thread.join();
        }
    }
}

/// Gives the text of an answer.
type Render = dyn Fn() -> String + Send + Sync;

fn serve(listener: &TcpListener, render: &Arc<Render>, stopping: &AtomicBool) {
    let running = Arc::new(AtomicUsize::new(0));
    while !stopping.load(Ordering::SeqCst) {
        if running.load(Ordering::SeqCst) >= CONNECTIONS {
            // None of them takes long.
            thread::sleep(TURN);
            continue;
        }
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(AFTER_FAILURE);
            continue;
        };
        running.fetch_add(1, Ordering::SeqCst);
        let (render, counted) = (render.clone(), running.clone());
        let made = thread::Builder::new().stack_size(STACK).spawn(move || {
            // Whoever asks sees that the answer does not come.
            let _ = respond(&stream, &*render);
            counted.fetch_sub(1, Ordering::SeqCst);
        });
        if made.is_err() {
            running.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Reads a request and answers it.
fn respond(stream: &TcpStream, render: &Render) -> io::Result<()> {
    let start = Instant::now();
    let (status, text) = match request(stream, start)? {
        Request::Metrics => (200, render()),
        Request::Other => (404, "only /metrics is here\n".to_owned()),
        Request::Method => (405, "only GET is answered\n".to_owned()),
        Request::Bad => (400, "this is no request\n".to_owned()),
        Request::TooLong => (431, "the request is too long\n".to_owned()),
        Request::TooSlow => (408, "the request took too long\n".to_owned()),
    };
    answer(stream, status, &text, start)?;
    // What was sent and not read would take the answer away with it when the stream is closed.
    stream.shutdown(Shutdown::Write)?;
    let (mut rest, mut room) = ([0; 512], 64 * 1_024_usize);
    while let Some(left) = PATIENCE.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
        stream.set_read_timeout(Some(left))?;
        match (&mut &*stream).read(&mut rest)? {
            0 => break,
            count => room = room.saturating_sub(count),
        }
        if room == 0 {
            break;
        }
    }
    Ok(())
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Metrics,
    Other,
    Method,
    Bad,
    TooLong,
    TooSlow,
}

fn request(stream: &TcpStream, start: Instant) -> io::Result<Request> {
    let (mut bytes, mut used) = ([0; LONGEST], 0);
    loop {
        let Some(left) = PATIENCE.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else {
            return Ok(Request::TooSlow);
        };
        stream.set_read_timeout(Some(left))?;
        match (&mut &*stream).read(&mut bytes[used..]) {
            Ok(0) => return Ok(Request::Bad),
            Ok(count) => used += count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(Request::TooSlow);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
        let seen = &bytes[..used];
        if seen.windows(4).any(|w| w == b"\r\n\r\n") || seen.windows(2).any(|w| w == b"\n\n") {
            return Ok(understood(seen));
        }
        if used == LONGEST {
            return Ok(Request::TooLong);
        }
    }
}

/// The first line of a request (RFC 9112 3).
fn understood(bytes: &[u8]) -> Request {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let words: Vec<_> = line.split(|byte| *byte == b' ').collect();
    match words[..] {
        [method, target, version] if version.starts_with(b"HTTP/1.") => {
            let path = target.split(|byte| *byte == b'?').next();
            match (method, path) {
                (b"GET", Some(b"/metrics")) => Request::Metrics,
                (b"GET", _) => Request::Other,
                _ => Request::Method,
            }
        }
        _ => Request::Bad,
    }
}

fn answer(mut stream: &TcpStream, status: u16, text: &str, start: Instant) -> io::Result<()> {
    let words = match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed\r\nAllow: GET",
        408 => "Request Timeout",
        _ => "Request Header Fields Too Large",
    };
    let kind = if status == 200 { "; version=0.0.4" } else { "" };
    let left = PATIENCE.saturating_sub(start.elapsed()).max(Duration::from_millis(100));
    stream.set_write_timeout(Some(left))?;
    let length = text.len();
    let whole = format!(
        "HTTP/1.1 {status} {words}\r\nContent-Type: text/plain{kind}; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    stream.write_all(whole.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn start() -> Responder {
        let metrics = Arc::new(Metrics::new());
        metrics.finding("too-large");
        Responder::start("127.0.0.1:0".parse().unwrap(), metrics, |metrics| metrics.spool(7)).unwrap()
    }

    fn ask(responder: &Responder, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(responder.address()).unwrap();
        stream.write_all(request).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn metrics_are_answered_whole() {
        let responder = start();
        for request in [
            &b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"[..],
            b"GET /metrics HTTP/1.0\n\n",
            b"GET /metrics?x=1 HTTP/1.1\r\n\r\n",
        ] {
            let text = ask(&responder, request);
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(
                head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4;"),
                "{head}"
            );
            assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
            assert!(body.contains("mailglot_findings_total{id=\"too-large\"} 1\n"));
            assert!(body.contains("mailglot_spool_bytes 7\n"));
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        let responder = start();
        for (request, status) in [
            (&b"GET / HTTP/1.1\r\n\r\n"[..], "404"),
            (b"GET /metricsx HTTP/1.1\r\n\r\n", "404"),
            (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "405"),
            (b"HEAD /metrics HTTP/1.1\r\n\r\n", "405"),
            (b"GET /metrics\r\n\r\n", "400"),
            (b"\x16\x03\x01\x02\0\n\n", "400"),
            (b"GET  /metrics HTTP/1.1\r\n\r\n", "400"),
        ] {
            let text = ask(&responder, request);
            assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{} {text}", request.escape_ascii());
        }
    }

    #[test]
    fn a_request_has_a_length_and_a_time() {
        let responder = start();
        let at_limit = |length: usize| {
            let fixed = "GET /metrics HTTP/1.1\r\nX: \r\n\r\n".len();
            format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(length - fixed))
        };
        assert!(ask(&responder, at_limit(LONGEST).as_bytes()).starts_with("HTTP/1.1 200 "));
        assert!(ask(&responder, at_limit(LONGEST + 1).as_bytes()).starts_with("HTTP/1.1 431 "));
        assert!(ask(&responder, at_limit(60_000).as_bytes()).starts_with("HTTP/1.1 431 "));
        // One byte now and then does not keep the connection.
        let start = Instant::now();
        let mut stream = TcpStream::connect(responder.address()).unwrap();
        let mut feeder = stream.try_clone().unwrap();
        let feeding = thread::spawn(move || {
            while feeder.write_all(b"G").is_ok() && start.elapsed() < 5 * PATIENCE {
                thread::sleep(Duration::from_millis(100));
            }
        });
        let mut text = Vec::new();
        // The responder may be gone before the last byte comes.
        let _ = stream.read_to_end(&mut text);
        assert!(text.starts_with(b"HTTP/1.1 408 "), "{}", text.escape_ascii());
        assert!(start.elapsed() >= PATIENCE && start.elapsed() < 4 * PATIENCE, "{:?}", start.elapsed());
        feeding.join().unwrap();
    }

    #[test]
    fn a_fifth_connection_waits_for_its_turn() {
        let responder = start();
        let silent: Vec<_> =
            (0..CONNECTIONS).map(|_| TcpStream::connect(responder.address()).unwrap()).collect();
        let start = Instant::now();
        assert!(ask(&responder, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
        // The silent ones were given up one by one.
        assert!(start.elapsed() > PATIENCE / 2 && start.elapsed() < 10 * PATIENCE, "{:?}", start.elapsed());
        for mut stream in silent {
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            assert!(text.starts_with("HTTP/1.1 408 "), "{text}");
        }
    }

    #[test]
    fn only_the_loopback_is_listened_at() {
        let metrics = Arc::new(Metrics::new());
        for place in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9180"] {
            let error = Responder::start(place.parse().unwrap(), metrics.clone(), |_| ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{place}");
        }
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let responder = start();
        let address = responder.address();
        drop(responder);
        assert!(TcpStream::connect(address).is_err());
    }
}
