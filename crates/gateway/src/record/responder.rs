//! A very small HTTP server for [`Metrics`]: `GET /metrics`, and nothing else.
//!
//! One thread serves all connections with non-blocking sockets, so a silent client delays no other client. Beyond 32 connections
//! the oldest connection without a request is closed.
//!
//! # Limits
//! There is no authentication, so it listens on a loopback address only. Any user of the machine can bind the port first; then it tries
//! again every two seconds. A connection carries one request.

use super::metrics::{MEDIA_TYPE, Metrics};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Length limit of a request in bytes.
const LONGEST: usize = 1_024;
/// Time limit for the request, for the response, and for the client's close.
const PATIENCE: Duration = Duration::from_secs(2);
/// Limit on open connections.
const CONNECTIONS: usize = 32;
/// Number of bytes that are read after a request. Unread bytes would reset the connection.
const DRAINED: usize = 64 << 10;
/// Stack size of the thread in bytes.
const STACK: usize = 256 << 10;
/// Interval between attempts to bind an address that another program holds.
const RETRY: Duration = Duration::from_secs(2);
/// Interval at which a thread that waits for its address checks whether it must stop.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// Pause after a failed `accept`.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// A running responder. It ends when it is dropped.
#[derive(Debug)]
pub struct Responder {
    address: SocketAddr,
    is_waiting: bool,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Responder {
    /// Serves metrics at `address`, which must be a loopback address. `refresh` sets the measured values before each response. While another
    /// program holds the address, it waits for it ([`Self::is_waiting`]).
    ///
    /// # Errors
    /// The address is not a loopback address or cannot be used, or no thread can be started.
    pub fn start(
        address: SocketAddr,
        metrics: Arc<Metrics>,
        refresh: impl Fn(&Metrics) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let words = "metrics are answered on the loopback only";
            return Err(io::Error::new(ErrorKind::InvalidInput, words));
        }
        let listener = match bind(address) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => None,
            bound => Some(bound?),
        };
        let is_waiting = listener.is_none();
        let address = listener
            .as_ref()
            .map_or(Ok(address), TcpListener::local_addr)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let render = move || {
            refresh(&metrics);
            metrics.render()
        };
        let ended = stopping.clone();
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                if let Some(listener) = listener.or_else(|| wait_for(address, &ended)) {
                    serve(&listener, &render, &ended);
                }
            })?;
        Ok(Self {
            address,
            is_waiting,
            stopping,
            thread: Some(thread),
        })
    }

    /// Returns the address, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns true if another program held the address at the start.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Waits until the address can be bound. Returns `None` if it is stopped before.
fn wait_for(address: SocketAddr, stopping: &AtomicBool) -> Option<TcpListener> {
    let mut tried = Instant::now();
    while !stopping.load(Ordering::SeqCst) {
        thread::sleep(STOP_CHECK);
        if tried.elapsed() >= RETRY {
            tried = Instant::now();
            if let Ok(listener) = bind(address) {
                return Some(listener);
            }
        }
    }
    None
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread. If that fails, it does not wait for the thread.
        if TcpStream::connect_timeout(&self.address, PATIENCE).is_ok()
            && let Some(thread) = self.thread.take()
        {
            // The panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

/// Returns the text of a response.
type Render = dyn Fn() -> String;

/// Serves all connections until it is stopped.
fn serve(listener: &TcpListener, render: &Render, stopping: &AtomicBool) {
    // Sorted by age, the oldest first.
    let mut clients = VecDeque::<HttpConnection>::with_capacity(CONNECTIONS);
    while !stopping.load(Ordering::SeqCst) {
        let mut waiting = vec![PollFd::new(listener, PollFlags::IN)];
        waiting.extend(
            clients
                .iter()
                .map(|client| PollFd::new(&client.stream, client.awaits())),
        );
        let left = clients.iter().map(HttpConnection::left).min();
        let left = left.map(|left| Timespec {
            tv_sec: left.as_secs().cast_signed(),
            tv_nsec: left.subsec_nanos().into(),
        });
        if poll(&mut waiting, left.as_ref()).is_err() {
            continue;
        }
        let ready: Vec<_> = waiting
            .iter()
            .skip(1)
            .map(|fd| !fd.revents().is_empty())
            .collect();
        let mut ready = ready.into_iter();
        clients.retain_mut(|client| {
            let is_ready = ready.next().unwrap_or_default();
            client.advance(is_ready, render)
        });
        for _ in 0..CONNECTIONS {
            match listener.accept() {
                Ok((stream, _)) => welcome(stream, &mut clients, render),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(_) => {
                    thread::sleep(AFTER_FAILURE);
                    break;
                }
            }
        }
    }
}

/// Accepts a new connection. If there are too many, closes the oldest connection without a request.
fn welcome(stream: TcpStream, clients: &mut VecDeque<HttpConnection>, render: &Render) {
    if stream.set_nonblocking(true).is_err() {
        return;
    }
    let mut client = HttpConnection {
        stream,
        since: Instant::now(),
        state: HttpState::Reading(Vec::new()),
    };
    // The request has often arrived already.
    if !client.advance(true, render) {
        return;
    }
    if clients.len() >= CONNECTIONS {
        let oldest = clients
            .iter()
            .position(|client| !matches!(client.state, HttpState::Writing(..)));
        clients.remove(oldest.unwrap_or_default());
    }
    clients.push_back(client);
}

/// One connection.
struct HttpConnection {
    stream: TcpStream,
    /// Time at which its state began.
    since: Instant,
    state: HttpState,
}

/// State of a connection.
enum HttpState {
    /// Reads the request; these bytes have arrived.
    Reading(Vec<u8>),
    /// Writes the response from this byte on.
    Writing(Vec<u8>, usize),
    /// Reads bytes after the request, up to this number.
    Draining(usize),
}

impl HttpConnection {
    fn awaits(&self) -> PollFlags {
        if matches!(self.state, HttpState::Writing(..)) {
            PollFlags::OUT
        } else {
            PollFlags::IN
        }
    }

    /// Returns the time limit of its state.
    fn left(&self) -> Duration {
        PATIENCE.saturating_sub(self.since.elapsed())
    }

    /// Reads and writes without waiting. Returns false at the end of the connection.
    fn advance(&mut self, is_ready: bool, render: &Render) -> bool {
        if self.left().is_zero() {
            if !matches!(self.state, HttpState::Reading(_)) {
                return false;
            }
            self.enter(HttpState::Writing(answer(&Request::TooSlow, render), 0));
        } else if !is_ready {
            return true;
        }
        loop {
            match self.work(render) {
                Ok(Some(next)) => self.enter(next),
                Ok(None) => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
    }

    fn enter(&mut self, next: HttpState) {
        (self.state, self.since) = (next, Instant::now());
    }

    /// Works until its state ends. Returns the next state, or `None` at the end of the connection.
    fn work(&mut self, render: &Render) -> io::Result<Option<HttpState>> {
        match &mut self.state {
            HttpState::Reading(seen) => loop {
                let mut bytes = [0; LONGEST];
                let room = LONGEST - seen.len();
                let count = self.stream.read(&mut bytes[..room])?;
                seen.extend_from_slice(&bytes[..count]);
                let asked = if seen.windows(4).any(|w| w == b"\r\n\r\n")
                    || seen.windows(2).any(|w| w == b"\n\n")
                {
                    understood(seen)
                } else if count == 0 {
                    Request::Bad
                } else if seen.len() == LONGEST {
                    Request::TooLong
                } else {
                    continue;
                };
                return Ok(Some(HttpState::Writing(answer(&asked, render), 0)));
            },
            HttpState::Writing(bytes, at) => {
                while *at < bytes.len() {
                    match self.stream.write(&bytes[*at..])? {
                        0 => return Ok(None),
                        count => *at += count,
                    }
                }
                // Unread bytes would reset the connection when it closes, and the answer with it.
                self.stream.shutdown(Shutdown::Write)?;
                Ok(Some(HttpState::Draining(DRAINED)))
            }
            HttpState::Draining(room) => loop {
                match self.stream.read(&mut [0; 512])? {
                    0 => return Ok(None),
                    count => *room = room.saturating_sub(count),
                }
                if *room == 0 {
                    return Ok(None);
                }
            },
        }
    }
}

/// The kind of a request.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Metrics,
    Other,
    Method,
    Bad,
    TooLong,
    TooSlow,
}

/// Parses the first line of a request (RFC 9112, section 3).
fn understood(bytes: &[u8]) -> Request {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
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

/// Builds the whole response.
fn answer(asked: &Request, render: &Render) -> Vec<u8> {
    let (status, text) = match asked {
        Request::Metrics => ("200 OK", render()),
        Request::Bad => ("400 Bad Request", "this is no request\n".to_owned()),
        Request::Other => ("404 Not Found", "only /metrics is here\n".to_owned()),
        Request::Method => (
            "405 Method Not Allowed\r\nAllow: GET",
            "only GET is answered\n".to_owned(),
        ),
        Request::TooSlow => (
            "408 Request Timeout",
            "the request took too long\n".to_owned(),
        ),
        Request::TooLong => (
            "431 Request Header Fields Too Large",
            "the request is too long\n".to_owned(),
        ),
    };
    let kind = if *asked == Request::Metrics {
        MEDIA_TYPE
    } else {
        "text/plain; charset=utf-8"
    };
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    (head + &text).into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn start() -> Responder {
        let metrics = Arc::new(Metrics::new());
        metrics.finding("too-large");
        Responder::start("127.0.0.1:0".parse().unwrap(), metrics, |metrics| {
            metrics.spool(7);
        })
        .unwrap()
    }

    fn ask(responder: &Responder, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(responder.address()).unwrap();
        stream.write_all(request).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_request_gets_all_metrics() {
        let responder = start();
        for request in [
            &b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"[..],
            b"GET /metrics HTTP/1.0\n\n",
            b"GET /metrics?x=1 HTTP/1.1\r\n\r\n",
        ] {
            let text = ask(&responder, request);
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(
                head.starts_with(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0;"
                ),
                "{head}"
            );
            assert!(
                head.contains(&format!("Content-Length: {}\r\n", body.len())),
                "{head}"
            );
            assert!(body.contains("mailglot_findings_total{id=\"too-large\"} 1\n"));
            assert!(body.contains("mailglot_spool_bytes 7\n"));
        }
    }

    #[test]
    fn other_requests_get_an_error_status() {
        let responder = start();
        for (request, status) in [
            (&b"GET / HTTP/1.1\r\n\r\n"[..], "404"),
            (b"GET /metricsx HTTP/1.1\r\n\r\n", "404"),
            (
                b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
                "405",
            ),
            (b"HEAD /metrics HTTP/1.1\r\n\r\n", "405"),
            (b"GET /metrics\r\n\r\n", "400"),
            (b"\x16\x03\x01\x02\0\n\n", "400"),
            (b"GET  /metrics HTTP/1.1\r\n\r\n", "400"),
        ] {
            let text = ask(&responder, request);
            assert!(
                text.starts_with(&format!("HTTP/1.1 {status} ")),
                "{} {text}",
                request.escape_ascii()
            );
        }
    }

    #[test]
    fn long_and_late_requests_are_refused() {
        let responder = start();
        let at_limit = |length: usize| {
            let fixed = "GET /metrics HTTP/1.1\r\nX: \r\n\r\n".len();
            format!(
                "GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n",
                "a".repeat(length - fixed)
            )
        };
        assert!(ask(&responder, at_limit(LONGEST).as_bytes()).starts_with("HTTP/1.1 200 "));
        assert!(ask(&responder, at_limit(LONGEST + 1).as_bytes()).starts_with("HTTP/1.1 431 "));
        assert!(ask(&responder, at_limit(60_000).as_bytes()).starts_with("HTTP/1.1 431 "));
        // One byte now and then does not keep the connection open.
        let start = Instant::now();
        let mut stream = TcpStream::connect(responder.address()).unwrap();
        let mut feeder = stream.try_clone().unwrap();
        let feeding = thread::spawn(move || {
            while feeder.write_all(b"G").is_ok() && start.elapsed() < 20 * PATIENCE {
                thread::sleep(Duration::from_millis(100));
            }
        });
        let mut text = Vec::new();
        // The responder may close the connection before the last byte arrives.
        let _ = stream.read_to_end(&mut text);
        assert!(
            text.starts_with(b"HTTP/1.1 408 "),
            "{}",
            text.escape_ascii()
        );
        assert!(
            start.elapsed() >= PATIENCE && start.elapsed() < 15 * PATIENCE,
            "{:?}",
            start.elapsed()
        );
        feeding.join().unwrap();
    }

    /// Five times as many silent clients connect as connections are kept, some with half a request. Each scrape is answered at once.
    #[test]
    fn silent_clients_delay_no_scrape() {
        let responder = start();
        let mut silent = Vec::new();
        let start = Instant::now();
        for number in 0..5 * CONNECTIONS {
            let mut stream = TcpStream::connect(responder.address()).unwrap();
            if number % 2 == 0 {
                // The oldest may be closed already.
                let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n");
            }
            silent.push(stream);
            assert!(ask(&responder, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
        }
        // If the responder waited for silent clients, this would take minutes.
        assert!(start.elapsed() < 20 * PATIENCE, "{:?}", start.elapsed());
        // A client that sends a request and does not read the response delays nobody either.
        let mut deaf = TcpStream::connect(responder.address()).unwrap();
        deaf.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let start = Instant::now();
        for _ in 0..20 {
            assert!(ask(&responder, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
        }
        assert!(start.elapsed() < 15 * PATIENCE, "{:?}", start.elapsed());
        // The newest silent client gets the reason for the close; the oldest were closed without a response.
        let mut text = String::new();
        silent
            .last_mut()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert!(text.starts_with("HTTP/1.1 408 "), "{text}");
    }

    #[test]
    fn other_addresses_than_loopback_are_refused() {
        let metrics = Arc::new(Metrics::new());
        for place in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9180"] {
            let error =
                Responder::start(place.parse().unwrap(), metrics.clone(), |_| ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{place}");
        }
    }

    #[test]
    fn dropping_the_responder_frees_its_port() {
        let metrics = Arc::new(Metrics::new());
        // Other tests listen at 127.0.0.1 only.
        let responder = Responder::start("127.0.0.2:0".parse().unwrap(), metrics, |_| ()).unwrap();
        let address = responder.address();
        drop(responder);
        assert!(TcpStream::connect(address).is_err());
    }
}
