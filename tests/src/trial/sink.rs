//! The next hop: accepts mail by SMTP or LMTP, and keeps every message.
//!
//! # Limits
//! Keeps everything in memory. Strict about the end of data, CR LF `.` CR LF, and about nothing else.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A message that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The MAIL command, without CR LF.
    pub sender: String,
    /// The RCPT commands.
    pub recipients: Vec<String>,
    /// XFORWARD and other commands before MAIL.
    pub before: Vec<String>,
    /// Header and body, without dot-stuffing.
    pub data: Vec<u8>,
}

/// The server's behavior on messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// Accepts them.
    #[default]
    Take,
    /// Replies at their end to try again.
    Defer,
    /// Rejects them at their end.
    Refuse,
    /// Keeps them, and closes the connection without a reply.
    HangUp,
    /// Closes the connection when data begin.
    HangUpEarly,
    /// Never replies to the end of data.
    Silent,
}

/// Protocol and extensions of a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// LMTP: a reply for each recipient (RFC 2033).
    pub lmtp: bool,
    /// Keywords of the EHLO reply.
    pub words: Vec<&'static str>,
}

impl Default for Offer {
    /// Returns SMTP with the usual extensions of current mail servers.
    fn default() -> Self {
        let words = vec![
            "PIPELINING",
            "SIZE 2000000000",
            "8BITMIME",
            "SMTPUTF8",
            "DSN",
            "ENHANCEDSTATUSCODES",
        ];
        Self { lmtp: false, words }
    }
}

/// A server that listens until it is dropped.
#[derive(Debug)]
pub struct Sink {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    arrived: Mutex<Vec<Arrived>>,
    came: Condvar,
    manner: Mutex<Manner>,
    closed: AtomicBool,
    offer: Offer,
}

impl Sink {
    /// Listens at a port chosen by the system.
    ///
    /// # Panics
    /// If there is none.
    pub fn start(offer: Offer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            offer,
            ..Shared::default()
        });
        let server = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if server.closed.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let server = server.clone();
                // A broken connection is the other side's problem.
                thread::spawn(move || drop(server.serve(&stream)));
            }
        });
        Self { port, shared }
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Changes the behavior for later messages.
    pub fn set(&self, manner: Manner) {
        *self.shared.manner() = manner;
    }

    /// Returns the number of messages kept.
    pub fn count(&self) -> usize {
        self.shared.arrived().len()
    }

    /// Waits for `count` messages. Returns false if they do not arrive in time.
    pub fn wait(&self, count: usize, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut arrived = self.shared.arrived();
        while arrived.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            arrived = self
                .shared
                .came
                .wait_timeout(arrived, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    /// Takes all messages kept.
    pub fn take(&self) -> Vec<Arrived> {
        std::mem::take(&mut *self.shared.arrived())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the listening thread, if it still runs.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Shared {
    fn arrived(&self) -> MutexGuard<'_, Vec<Arrived>> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn manner(&self) -> MutexGuard<'_, Manner> {
        self.manner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut input = BufReader::new(stream);
        let mut output = stream;
        output.write_all(b"220 sink.test.invalid\r\n")?;
        let mut mail = Arrived::default();
        loop {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            let verb: String = line
                .chars()
                .take(4)
                .collect::<String>()
                .to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" | "LHLO" => output.write_all(&self.greeting())?,
                "HELO" | "NOOP" => output.write_all(b"250 2.0.0 sink.test.invalid\r\n")?,
                "MAIL" => {
                    mail.sender = line;
                    output.write_all(b"250 2.1.0 ok\r\n")?;
                }
                "RCPT" => {
                    mail.recipients.push(line);
                    output.write_all(b"250 2.1.5 ok\r\n")?;
                }
                "RSET" => {
                    mail = Arrived::default();
                    output.write_all(b"250 2.0.0 ok\r\n")?;
                }
                "DATA" => {
                    if *self.manner() == Manner::HangUpEarly {
                        return Ok(());
                    }
                    output.write_all(b"354 go on\r\n")?;
                    mail.data = data(&mut input)?;
                    let mail = std::mem::take(&mut mail);
                    let answers = if self.offer.lmtp {
                        mail.recipients.len()
                    } else {
                        1
                    };
                    let Some(answer) = self.end_of_data(mail) else {
                        return Ok(());
                    };
                    output.write_all(answer.repeat(answers).as_bytes())?;
                }
                "QUIT" => return output.write_all(b"221 2.0.0 bye\r\n"),
                _ => {
                    mail.before.push(line);
                    output.write_all(b"250 2.0.0 ok\r\n")?;
                }
            }
        }
    }

    /// Returns the reply to a whole message. None closes the connection.
    fn end_of_data(&self, mail: Arrived) -> Option<&'static str> {
        let manner = *self.manner();
        match manner {
            Manner::Defer => return Some("451 4.3.0 later\r\n"),
            Manner::Refuse => return Some("550 5.7.1 no\r\n"),
            Manner::Silent => {
                while *self.manner() == Manner::Silent && !self.closed.load(Ordering::SeqCst) {
                    thread::sleep(Duration::from_millis(20));
                }
                return None;
            }
            Manner::Take | Manner::HangUp | Manner::HangUpEarly => (),
        }
        self.arrived().push(mail);
        self.came.notify_all();
        (manner != Manner::HangUp).then_some("250 2.0.0 kept\r\n")
    }

    fn greeting(&self) -> Vec<u8> {
        let mut lines = vec!["sink.test.invalid"];
        lines.extend(&self.offer.words);
        let last = lines.len() - 1;
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            text.push_str(if at == last { "250 " } else { "250-" });
            text.push_str(line);
            text.push_str("\r\n");
        }
        text.into_bytes()
    }
}

/// Reads data up to their end, and removes dot-stuffing.
fn data(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let start = data.len();
        if input.read_until(b'\n', &mut data)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let fresh = start == 0 || data[..start].ends_with(b"\r\n");
        if fresh && data[start..] == *b".\r\n" {
            data.truncate(start);
            return Ok(data);
        }
        if fresh && data[start] == b'.' {
            data.remove(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::smtp::{Client, Letter};

    #[test]
    fn letters_arrive_unchanged() {
        let sink = Sink::start(Offer::default());
        let mut client = Client::connect(sink.port()).expect("a server");
        assert!(client.offers.iter().any(|word| word == "8BITMIME"));
        let letters = ["a: b\r\n\r\n.\r\n..\r\nx\n.\r\n", "", ".\r\n"].map(Letter::new);
        for letter in &letters {
            assert!(client.send(letter).expect("an answer").is_good());
        }
        assert!(sink.wait(3, Duration::from_secs(5)));
        let arrived = sink.take();
        for (letter, arrived) in letters.iter().zip(&arrived) {
            assert_eq!(arrived.data, letter.data);
            assert_eq!(arrived.sender, "MAIL FROM:<a@test.invalid> BODY=8BITMIME");
        }
        sink.set(Manner::Defer);
        assert!(client.send(&letters[0]).expect("an answer").is_temporary());
        sink.set(Manner::HangUp);
        assert!(client.send(&letters[0]).is_err());
        assert_eq!(sink.count(), 1, "kept, and not confirmed");
    }
}
