//! A next hop of our own for tests: bytes in, bytes out, and what it took for good.

use mailglot_gateway::Address;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A message that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) mail: String,
    pub(crate) recipients: Vec<String>,
    /// As it came, dots taken away.
    pub(crate) text: Vec<u8>,
}

/// Where it goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    Greeting,
    Hello,
    Mail,
    Recipient,
    Data,
    /// After so many bytes of content.
    Content(usize),
    /// The message is kept, and nobody hears of it.
    KeptWord,
    /// The message is forgotten.
    LostWord,
    /// In LMTP, after the word about the first recipient.
    FirstWord,
    /// After a whole message.
    After,
    /// As `After`, with a 421 behind it.
    AfterWith421,
}

/// How it is.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) lmtp: bool,
    /// What it announces.
    pub(crate) extensions: &'static [&'static str],
    pub(crate) death: Option<Death>,
    /// Its answer to DATA and to the end of a message, where it is no yes.
    pub(crate) data: Option<&'static str>,
    pub(crate) end: Option<&'static str>,
    /// How long it thinks about what it hears.
    pub(crate) delay: Duration,
}

pub(crate) const ALL: &[&str] = &[
    "PIPELINING",
    "SIZE 10240000",
    "VRFY",
    "STARTTLS",
    "AUTH PLAIN",
    "ENHANCEDSTATUSCODES",
    "8BITMIME",
    "DSN",
    "SMTPUTF8",
    "CHUNKING",
    "BINARYMIME",
    "XFORWARD NAME ADDR PROTO HELO SOURCE PORT IDENT",
];

impl Default for Manner {
    fn default() -> Self {
        Self {
            lmtp: false,
            extensions: ALL,
            death: None,
            data: None,
            end: None,
            delay: Duration::ZERO,
        }
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct HopConnection {
    manner: Manner,
    bytes: Vec<u8>,
    greeted: bool,
    in_data: bool,
    mail: Option<String>,
    recipients: Vec<String>,
    /// Every command, in order.
    pub(crate) heard: Vec<String>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) dead: bool,
    pub(crate) quit: bool,
}

impl HopConnection {
    pub(crate) fn new(manner: Manner) -> Self {
        Self {
            manner,
            bytes: Vec::new(),
            greeted: false,
            in_data: false,
            mail: None,
            recipients: Vec::new(),
            heard: Vec::new(),
            kept: Vec::new(),
            dead: false,
            quit: false,
        }
    }

    /// What it says first.
    pub(crate) fn greet(&mut self) -> Vec<u8> {
        if self.dies(Death::Greeting) {
            return Vec::new();
        }
        b"220 hop.invalid ESMTP Test\r\n".to_vec()
    }

    /// Takes bytes; what it answers.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.bytes.extend_from_slice(bytes);
        while !self.dead && !self.quit {
            if self.in_data {
                if let Some(Death::Content(count)) = self.manner.death
                    && self.bytes.len() >= count
                {
                    self.dead = true;
                    break;
                }
                if !self.end(&mut out) {
                    break;
                }
            } else {
                let Some(end) = self.bytes.windows(2).position(|pair| pair == b"\r\n") else {
                    break;
                };
                let line: Vec<u8> = self.bytes.drain(..end + 2).take(end).collect();
                assert!(
                    !line.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)),
                    "unclean line {line:?}"
                );
                let line = String::from_utf8_lossy(&line).into_owned();
                self.heard.push(line.clone());
                out.extend(self.command(&line).bytes());
            }
        }
        out
    }

    fn dies(&mut self, death: Death) -> bool {
        self.dead |= self.manner.death == Some(death);
        self.dead
    }

    fn command(&mut self, line: &str) -> String {
        let verb = line
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let dies = match verb.as_str() {
            "EHLO" | "LHLO" | "HELO" => self.dies(Death::Hello),
            "MAIL" => self.dies(Death::Mail),
            "RCPT" => self.dies(Death::Recipient),
            "DATA" => self.dies(Death::Data),
            _ => false,
        };
        if dies {
            return String::new();
        }
        match verb.as_str() {
            "EHLO" | "LHLO" => {
                if (verb == "LHLO") != self.manner.lmtp {
                    return "500 5.5.1 Not here\r\n".to_owned();
                }
                self.forget();
                self.greeted = true;
                let mut lines = vec!["hop.invalid"];
                lines.extend(self.manner.extensions);
                let last = lines.len() - 1;
                lines
                    .iter()
                    .enumerate()
                    .flat_map(|(at, line)| ["250", if at < last { "-" } else { " " }, line, "\r\n"])
                    .collect()
            }
            "HELO" => {
                self.forget();
                self.greeted = true;
                "250 hop.invalid\r\n".to_owned()
            }
            "MAIL" if self.mail.is_some() => "503 5.5.1 Nested\r\n".to_owned(),
            "MAIL" if line.contains("<refused") => "550 5.1.8 No such sender\r\n".to_owned(),
            "MAIL" => {
                self.mail = Some(line.to_owned());
                "250 2.1.0 Sender ok\r\n".to_owned()
            }
            "RCPT" if self.mail.is_none() => "503 5.5.1 MAIL first\r\n".to_owned(),
            "RCPT" if line.contains("<refused") => {
                "550-5.1.1 No such\r\n550 5.1.1 user\r\n".to_owned()
            }
            "RCPT" => {
                self.recipients.push(line.to_owned());
                "250 2.1.5 Recipient ok\r\n".to_owned()
            }
            "DATA" if self.recipients.is_empty() => "554 5.5.1 No valid recipients\r\n".to_owned(),
            "DATA" if self.manner.data.is_some() => {
                format!("{}\r\n", self.manner.data.unwrap_or_default())
            }
            "DATA" => {
                self.in_data = true;
                "354 Go on\r\n".to_owned()
            }
            "RSET" => {
                self.forget();
                "250 2.0.0 Forgotten\r\n".to_owned()
            }
            "QUIT" => {
                self.quit = true;
                "221 2.0.0 Bye\r\n".to_owned()
            }
            "XFORWARD" if self.mail.is_none() => "250 2.0.0 Ok\r\n".to_owned(),
            "VRFY" => "252 2.0.0 Perhaps\r\n".to_owned(),
            _ => "500 5.5.2 Unknown\r\n".to_owned(),
        }
    }

    /// Looks for the end of the content; false where it has not come.
    fn end(&mut self, out: &mut Vec<u8>) -> bool {
        let whole = [b"\r\n", &*self.bytes].concat();
        let Some(end) = whole.windows(5).position(|bytes| bytes == b"\r\n.\r\n") else {
            return false;
        };
        self.bytes.drain(..end + 3);
        let raw = &whole[2..(end + 2).max(2)];
        let mut text = Vec::new();
        for line in raw.split_inclusive(|byte| *byte == b'\n') {
            let inner = line.strip_suffix(b"\r\n").expect("a line ends with CRLF");
            assert!(
                !inner.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)),
                "unclean text {line:?}"
            );
            text.extend_from_slice(line.strip_prefix(b".").unwrap_or(line));
        }
        self.in_data = false;
        let kept = Kept {
            mail: self.mail.take().unwrap_or_default(),
            recipients: std::mem::take(&mut self.recipients),
            text,
        };
        if self.dies(Death::LostWord) {
            return true;
        }
        if let Some(answer) = self.manner.end {
            out.extend(format!("{answer}\r\n").bytes());
            return true;
        }
        let words = if self.manner.lmtp {
            kept.recipients.len()
        } else {
            1
        };
        self.kept.push(kept);
        if self.dies(Death::KeptWord) {
            return true;
        }
        for number in 0..words {
            out.extend(format!("250 2.0.0 Kept {number}\r\n").bytes());
            if self.dies(Death::FirstWord) {
                return true;
            }
        }
        if self.manner.death == Some(Death::AfterWith421) {
            out.extend(b"421 4.4.2 Too long\r\n");
            self.dead = true;
        }
        self.dies(Death::After);
        true
    }

    fn forget(&mut self) {
        self.mail = None;
        self.recipients.clear();
    }
}

/// A next hop that listens; it ends with the test.
pub(crate) struct RunningNextHop {
    pub(crate) address: Address,
    kept: Arc<Mutex<Vec<Kept>>>,
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
    pub(crate) connections: Arc<AtomicUsize>,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl RunningNextHop {
    /// Its connections have these manners, in order; the last one holds for all others.
    pub(crate) fn start(manners: Vec<Manner>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let (kept, heard) = (
            Arc::<Mutex<Vec<Kept>>>::default(),
            Arc::<Mutex<Vec<String>>>::default(),
        );
        let (stopping, connections) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (ends, counted, all, said) = (
            stopping.clone(),
            connections.clone(),
            kept.clone(),
            heard.clone(),
        );
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
        Self {
            address,
            kept,
            heard,
            connections,
            stopping,
            thread: Some(thread),
        }
    }

    pub(crate) fn kept(&self) -> Vec<Kept> {
        self.kept.lock().unwrap().clone()
    }
}

impl Drop for RunningNextHop {
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
    let mut hop = HopConnection::new(manner);
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
