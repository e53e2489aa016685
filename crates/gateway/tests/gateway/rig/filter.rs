//! A filter, and a mail server that speaks with it.

use super::{Served, Told};
use mailglot_gateway::milter::{Incoming, put};
use mailglot_gateway::{Address, Engine, Limits, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

/// A running filter; it ends with the test.
pub(crate) struct RunningFilter {
    pub(crate) served: Served,
    pub(crate) told: Told,
    pub(crate) folder: tempfile::TempDir,
}

impl RunningFilter {
    pub(crate) fn start(tcp: bool, limits: impl FnOnce(&mut Limits)) -> Self {
        Self::start_with(tcp, Engine::default(), limits)
    }

    pub(crate) fn start_with(tcp: bool, engine: Engine, limits: impl FnOnce(&mut Limits)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = if tcp {
            "tcp:127.0.0.1:0".parse().unwrap()
        } else {
            Address::Unix(folder.path().join("socket"))
        };
        let mut bounds = Limits {
            spool: folder.path().to_owned(),
            ..Limits::default()
        };
        limits(&mut bounds);
        let told = Told::default();
        let served = Served::run(Server::milter(address, engine, bounds, told.ear()).unwrap());
        Self {
            served,
            told,
            folder,
        }
    }

    pub(crate) fn connect(&self) -> Mta {
        Mta::connect(&self.served.address)
    }
}

/// A stream of either kind.
pub(crate) trait Speech: Read + Write {}
impl Speech for UnixStream {}
impl Speech for TcpStream {}

/// The mail server's side.
pub(crate) struct Mta {
    pub(crate) stream: Box<dyn Speech>,
    incoming: Incoming,
}

impl Mta {
    /// Connects, and grants everything.
    pub(crate) fn connect(address: &Address) -> Self {
        Self::granting(address, 0x1ff)
    }

    /// Connects, and grants these actions.
    pub(crate) fn granting(address: &Address, actions: u32) -> Self {
        let stream: Box<dyn Speech> = match address {
            Address::Unix(path) => Box::new(UnixStream::connect(path).unwrap()),
            Address::Tcp(place) => Box::new(TcpStream::connect(place).unwrap()),
        };
        Self::over(stream, actions)
    }

    /// Speaks over a stream, and grants these actions.
    pub(crate) fn over(stream: Box<dyn Speech>, actions: u32) -> Self {
        Self::negotiating(stream, actions, 0x1f_ffff)
    }

    /// Connects to a socket in the file system, and wants an answer to each command.
    pub(crate) fn answered(filter: &RunningFilter) -> Self {
        const NO_REPLY: u32 = 0x80 | 0xf_f000;
        let stream = UnixStream::connect(filter.folder.path().join("socket")).unwrap();
        Self::negotiating(Box::new(stream), 0x1ff, 0x1f_ffff & !NO_REPLY)
    }

    fn negotiating(stream: Box<dyn Speech>, actions: u32, protocol: u32) -> Self {
        let mut mta = Self {
            stream,
            incoming: Incoming::default(),
        };
        mta.send(
            b'O',
            &[6_u32, actions, protocol].map(u32::to_be_bytes).concat(),
        );
        assert_eq!(mta.letter(), Some(b'O'));
        mta
    }

    /// Sends a command, and waits until the filter has read it.
    pub(crate) fn exchange(&mut self, command: u8, data: &[u8]) {
        self.send(command, data);
        assert_eq!(self.letter(), Some(b'c'));
    }

    pub(crate) fn send(&mut self, command: u8, data: &[u8]) {
        let mut out = Vec::new();
        put(&mut out, command, &[data]);
        // A filter that closed is seen when it is read from.
        let _ = self.stream.write_all(&out);
    }

    /// The next packet; none where the filter closed.
    pub(crate) fn packet(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut piece = [0; 4096];
        loop {
            if let Some(packet) = self.incoming.packet().unwrap() {
                return Some((packet.command, packet.data.to_vec()));
            }
            match self.stream.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.incoming.push(&piece[..count]),
            }
        }
    }

    /// The letter of the next packet; none where the filter closed.
    pub(crate) fn letter(&mut self) -> Option<u8> {
        self.packet().map(|(command, _)| command)
    }

    /// Sends a message; the packets up to the verdict.
    pub(crate) fn message(&mut self, fields: &[(&str, &str)], body: &[u8]) -> Vec<(u8, Vec<u8>)> {
        self.send(b'M', b"<a@example.org>\0");
        self.send(b'R', b"<b@example.org>\0");
        for (name, value) in fields {
            self.send(b'L', format!("{name}\0{value}\0").as_bytes());
        }
        self.body(body)
    }

    /// Ends a header and sends a body; the packets up to the verdict.
    pub(crate) fn body(&mut self, body: &[u8]) -> Vec<(u8, Vec<u8>)> {
        self.send(b'N', b"");
        for piece in body.chunks(65_535) {
            self.send(b'B', piece);
        }
        self.send(b'E', b"");
        let mut packets = Vec::new();
        while let Some(packet) = self.packet() {
            let last = !b"mihbqp".contains(&packet.0);
            packets.push(packet);
            if last {
                break;
            }
        }
        packets
    }
}

/// The letters of packets.
pub(crate) fn letters(packets: &[(u8, Vec<u8>)]) -> String {
    packets
        .iter()
        .map(|(command, _)| char::from(*command))
        .collect()
}
