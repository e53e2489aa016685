//! A next hop that plays one part, on one connection.

use mailglot_gateway::Address;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

/// A next hop in a thread of its own. What its part comes to is known when it has ended.
pub(crate) struct Scripted<T> {
    pub(crate) address: Address,
    thread: JoinHandle<T>,
}

impl<T: Send + 'static> Scripted<T> {
    pub(crate) fn play(part: impl FnOnce(&mut Part) -> T + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let thread = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            part(&mut Part {
                stream,
                piece: vec![0; 65_536],
            })
        });
        Self { address, thread }
    }

    /// Waits for the end of the part.
    pub(crate) fn end(self) -> T {
        self.thread.join().unwrap()
    }
}

/// Its side of the connection.
pub(crate) struct Part {
    stream: TcpStream,
    piece: Vec<u8>,
}

impl Part {
    /// Says something; false where nobody is there any more.
    pub(crate) fn say(&mut self, words: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(words.as_ref()).is_ok()
    }

    /// What it hears next; nothing at the end of the connection.
    pub(crate) fn hear(&mut self) -> &[u8] {
        let count = loop {
            match self.stream.read(&mut self.piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                read => break read.unwrap_or(0),
            }
        };
        &self.piece[..count]
    }

    /// What it hears up to these words, or to the end of the connection.
    pub(crate) fn hear_until(&mut self, words: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        while !all.ends_with(words) {
            let heard = self.hear();
            if heard.is_empty() {
                break;
            }
            all.extend_from_slice(heard);
        }
        all
    }

    /// Says one after the other, and hears something after each.
    pub(crate) fn exchange(&mut self, words: &[&str]) {
        for words in words {
            assert!(self.say(words) && !self.hear().is_empty(), "{words}");
        }
    }

    /// Hears all up to the end of the connection.
    pub(crate) fn hear_out(&mut self) {
        while !self.hear().is_empty() {}
    }
}
