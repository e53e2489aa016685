//! A milter that reads and answers, and does nothing else: what the sockets alone cost.
//!
//! It grants what the server offers, and answers each message with a new body of 4 KiB. The benchmark compares its rates over TCP and over a Unix socket with
//! those of the gateway.
//!
//! # Limits
//! It takes a read that ends with an end-of-message packet for the end of a message, and parses nothing.

use anyhow::Context;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::linux::net::TcpStreamExt;
use std::os::unix::net::{UnixListener, UnixStream};

/// Bytes of the new body.
const BODY: usize = 4_096;
/// The packet that ends a message.
const END: &[u8] = b"\0\0\0\x01E";
/// Epoll data of the listening socket; connections are numbered from 1.
const LISTENER: u64 = 0;

enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Listener {
    fn bind(address: &str) -> anyhow::Result<Self> {
        if let Some(path) = address.strip_prefix("unix:") {
            return Ok(Self::Unix(UnixListener::bind(path)?));
        }
        let port = address
            .strip_prefix("tcp:")
            .context("unix:PATH or tcp:HOST:PORT")?;
        Ok(Self::Tcp(TcpListener::bind(port)?))
    }

    fn accept(&self) -> std::io::Result<Connection> {
        Ok(match self {
            Self::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Connection::Unix(stream)
            }
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Connection::Tcp(stream)
            }
        })
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Unix(listener) => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Connection {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Unix(stream) => stream.write_all(bytes),
            Self::Tcp(stream) => stream.write_all(bytes),
        }
    }

    /// Acknowledges what came, so that a server that waits for that goes on.
    fn acknowledge(&self) -> std::io::Result<()> {
        match self {
            Self::Unix(_) => Ok(()),
            Self::Tcp(stream) => stream.set_quickack(true),
        }
    }

    /// Answers what has come. Returns false at the end of the connection.
    fn answer(&mut self, buffer: &mut [u8], verdict: &[u8]) -> std::io::Result<bool> {
        loop {
            let count = match self.read(buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            };
            let read = &buffer[..count];
            match read.get(4) {
                _ if count == 0 => return Ok(false),
                Some(b'O') => self.write(read)?,
                _ if read.ends_with(END) => self.write(verdict)?,
                _ => self.acknowledge()?,
            }
        }
    }
}

/// Serves an address until it is killed.
pub(crate) fn serve(address: &str) -> anyhow::Result<()> {
    let listener = Listener::bind(address)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let number = EventData::new_u64(LISTENER);
    epoll::add(&epoll, &listener, number, EventFlags::IN)?;
    let body = (u32::try_from(BODY)? + 1).to_be_bytes();
    let verdict = [&body[..], b"b", &[b'x'; BODY], b"\0\0\0\x01c"].concat();
    let mut connections = HashMap::new();
    let (mut buffer, mut last) = (vec![0; 1 << 18], LISTENER);
    let mut events = Vec::with_capacity(64);
    loop {
        events.clear();
        epoll::wait(&epoll, spare_capacity(&mut events), None)?;
        for event in &events {
            let number = event.data.u64();
            if number == LISTENER {
                let connection = listener.accept()?;
                last += 1;
                epoll::add(
                    &epoll,
                    &connection,
                    EventData::new_u64(last),
                    EventFlags::IN,
                )?;
                connections.insert(last, connection);
                continue;
            }
            let answered = connections
                .get_mut(&number)
                .map(|connection: &mut Connection| connection.answer(&mut buffer, &verdict));
            if !matches!(answered, Some(Ok(true))) {
                connections.remove(&number);
            }
        }
    }
}
