//! A proxy before a next hop, and its client.

use super::{Served, Told};
use mailglot_gateway::policy::Rules;
use mailglot_gateway::proxy::Route;
use mailglot_gateway::{Address, Engine, Limits, Server, Socket};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A running proxy; it ends with the test.
pub(crate) struct RunningProxy {
    pub(crate) served: Served,
    pub(crate) told: Told,
    _folder: tempfile::TempDir,
}

impl RunningProxy {
    pub(crate) fn start(
        next_hop: &Address,
        set: impl FnOnce(&mut Route, &mut Limits, &mut Rules),
    ) -> Self {
        Self::with_engine(next_hop, |route, limits, engine| {
            set(route, limits, &mut engine.rules);
        })
    }

    pub(crate) fn with_engine(
        next_hop: &Address,
        set: impl FnOnce(&mut Route, &mut Limits, &mut Engine),
    ) -> Self {
        Self::on(
            Socket::New("tcp:127.0.0.1:0".parse().unwrap()),
            next_hop,
            set,
        )
    }

    pub(crate) fn plain(next_hop: &Address) -> Self {
        Self::start(next_hop, |_, _, _| ())
    }

    pub(crate) fn on(
        socket: Socket,
        next_hop: &Address,
        set: impl FnOnce(&mut Route, &mut Limits, &mut Engine),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut route = Route::to(next_hop.clone());
        let mut limits = Limits {
            spool: folder.path().to_owned(),
            ..Limits::default()
        };
        let mut rules = Rules::default();
        rules.findings_header = None;
        let mut engine = Engine::new(rules);
        set(&mut route, &mut limits, &mut engine);
        let told = Told::default();
        let served = Served::run(Server::proxy(socket, route, engine, limits, told.ear()).unwrap());
        Self {
            served,
            told,
            _folder: folder,
        }
    }

    pub(crate) fn connect(&self) -> ProxyClient {
        let Address::Tcp(place) = &self.served.address else {
            unreachable!("it listens there")
        };
        let stream = TcpStream::connect(place).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        ProxyClient {
            reader: BufReader::new(stream.try_clone().unwrap()),
            stream,
        }
    }

    /// A client that has been greeted, and has greeted.
    pub(crate) fn greeted(&self) -> ProxyClient {
        let mut client = self.connect();
        client.greet();
        client
    }
}

/// A client of a proxy.
pub(crate) struct ProxyClient {
    pub(crate) stream: TcpStream,
    pub(crate) reader: BufReader<TcpStream>,
}

impl ProxyClient {
    pub(crate) fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).unwrap();
    }

    pub(crate) fn greet(&mut self) {
        self.send("EHLO c\r\n");
        assert_eq!(self.codes(2), [220, 250]);
    }

    /// The code of the next reply; 0 where the connection has ended.
    pub(crate) fn code(&mut self) -> u16 {
        loop {
            let mut line = Vec::new();
            if self.reader.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                return 0;
            }
            if line.get(3) != Some(&b'-') {
                return String::from_utf8_lossy(&line[..3]).parse().unwrap();
            }
        }
    }

    pub(crate) fn codes(&mut self, count: usize) -> Vec<u16> {
        (0..count).map(|_| self.code()).collect()
    }

    /// Everything up to the end.
    pub(crate) fn all(mut self) -> String {
        let mut bytes = Vec::new();
        // A connection that is reset has ended too.
        let _ = self.reader.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Greets, and gives one message step by step; the code of its end.
    pub(crate) fn message(&mut self, mail: &str, text: &[u8]) -> u16 {
        self.send(format!(
            "MAIL FROM:<a@b.invalid>{mail}\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n"
        ));
        for _ in 0..3 {
            let code = self.code();
            if code >= 400 || code == 0 {
                return code;
            }
        }
        self.send([text, b".\r\n"].concat());
        self.code()
    }
}
