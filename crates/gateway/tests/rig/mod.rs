//! A proxy between a client and a next hop over real sockets, for tests.

use crate::next_hop::{Hop, Kept, Manner};
use mailglot_gateway::policy::Rules;
use mailglot_gateway::proxy::{Proxy, Route, Stop};
use mailglot_gateway::{Address, Engine, Limits, Notice, Record};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A next hop that listens; it ends with the test.
pub(crate) struct NextHop {
    pub(crate) address: Address,
    pub(crate) kept: Arc<Mutex<Vec<Kept>>>,
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
    pub(crate) connections: Arc<AtomicUsize>,
    pub(crate) stopping: Arc<AtomicBool>,
    pub(crate) thread: Option<JoinHandle<()>>,
}

impl NextHop {
    /// Its connections have these manners, in order; the last one holds for all others.
    pub(crate) fn start(manners: Vec<Manner>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let (kept, heard) = (Arc::<Mutex<Vec<Kept>>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (stopping, connections) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (ends, counted, all, said) = (stopping.clone(), connections.clone(), kept.clone(), heard.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let manner = manners[number.min(manners.len() - 1)].clone();
                let (all, said) = (all.clone(), said.clone());
                thread::spawn(move || serve(stream.unwrap(), manner, &all, &said));
            }
        });
        Self { address, kept, heard, connections, stopping, thread: Some(thread) }
    }

    pub(crate) fn kept(&self) -> Vec<Kept> {
        self.kept.lock().unwrap().clone()
    }
}

impl Drop for NextHop {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Address::Tcp(place) = &self.address {
            drop(TcpStream::connect(place));
        }
        self.thread.take().unwrap().join().unwrap();
    }
}

fn serve(mut stream: TcpStream, manner: Manner, all: &Mutex<Vec<Kept>>, said: &Mutex<Vec<String>>) {
    stream.set_nodelay(true).unwrap();
    let delay = manner.delay;
    let mut hop = Hop::new(manner);
    let mut piece = vec![0; 65_536];
    let mut answer = hop.greet();
    loop {
        all.lock().unwrap().append(&mut hop.kept);
        said.lock().unwrap().append(&mut hop.heard);
        if stream.write_all(&answer).is_err() || hop.dead || hop.quit {
            return;
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                answer = hop.feed(&piece[..count]);
                thread::sleep(delay);
            }
        }
    }
}

/// A running proxy; it ends with the test.
pub(crate) struct Running {
    pub(crate) address: Address,
    pub(crate) stop: Stop,
    pub(crate) thread: Option<JoinHandle<()>>,
    pub(crate) records: Arc<Mutex<Vec<Record>>>,
    pub(crate) faults: Arc<Mutex<Vec<String>>>,
    pub(crate) _folder: tempfile::TempDir,
}

impl Running {
    pub(crate) fn start(next_hop: &Address, set: impl FnOnce(&mut Route, &mut Limits, &mut Rules)) -> Self {
        Self::with_engine(next_hop, |route, limits, engine| set(route, limits, &mut engine.rules))
    }

    pub(crate) fn with_engine(
        next_hop: &Address,
        set: impl FnOnce(&mut Route, &mut Limits, &mut Engine),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut route = Route::to(next_hop.clone());
        let mut limits = Limits { spool: folder.path().to_owned(), ..Limits::default() };
        let mut rules = Rules::default();
        rules.findings_header = None;
        let mut engine = Engine::new(rules);
        set(&mut route, &mut limits, &mut engine);
        let (records, faults) = (Arc::<Mutex<Vec<Record>>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (into_records, into_faults) = (records.clone(), faults.clone());
        let tell = move |notice: &Notice<'_>| match notice {
            Notice::Message(record) => into_records.lock().unwrap().push((*record).clone()),
            Notice::Fault { fault, .. } => into_faults.lock().unwrap().push((*fault).to_owned()),
        };
        let listen = "tcp:127.0.0.1:0".parse().unwrap();
        let proxy = Proxy::bind(&listen, route, engine, limits, tell).unwrap();
        let (address, stop) = (proxy.address().unwrap(), proxy.stopper().unwrap());
        let thread = Some(thread::spawn(move || proxy.run()));
        Self { address, stop, thread, records, faults, _folder: folder }
    }

    pub(crate) fn plain(next_hop: &Address) -> Self {
        Self::start(next_hop, |_, _, _| ())
    }

    pub(crate) fn connect(&self) -> Client {
        let Address::Tcp(place) = &self.address else { unreachable!("it listens there") };
        let stream = TcpStream::connect(place).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { reader: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    pub(crate) fn end(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }

    pub(crate) fn records(&self, count: usize) -> Vec<Record> {
        awaited(&self.records, count)
    }

    pub(crate) fn faults(&self, count: usize) -> Vec<String> {
        awaited(&self.faults, count)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

/// What is in the list once so much is, or as much as came in a long time.
pub(crate) fn awaited<T: Clone>(list: &Mutex<Vec<T>>, count: usize) -> Vec<T> {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        let now = list.lock().unwrap().clone();
        if now.len() >= count || Instant::now() > patience {
            return now;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    pub(crate) reader: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).unwrap();
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
        self.send(format!("MAIL FROM:<a@b.invalid>{mail}\r\nRCPT TO:<c@d.invalid>\r\nDATA\r\n"));
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
