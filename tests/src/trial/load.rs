//! Puts a filter under load: one message repeatedly, over several concurrent connections.

use super::mta::{ACTIONS, Mail, Mta, PROTOCOL};
use std::io;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Options of a load.
#[derive(Clone, Debug)]
pub struct Load {
    /// The message.
    pub mail: Mail,
    /// Number of concurrent connections.
    pub connections: usize,
    /// Number of messages per connection.
    pub messages: usize,
    /// How it is written.
    pub writes: WritePieces,
}

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePieces {
    /// In pieces of this many bytes.
    By(usize),
    /// As [`Mta::write_as_postfix`] does.
    AsPostfix,
}

/// Results of a load.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Messages per second, all connections together.
    pub rate: f64,
    /// Time of each message from its first byte to its verdict, sorted.
    pub times: Vec<Duration>,
}

impl Measured {
    /// Returns the time within which `share` of the messages finished, in microseconds.
    pub fn micros(&self, share: f64) -> f64 {
        let last = self.times.len().saturating_sub(1);
        self.times
            .get((last as f64 * share) as usize)
            .map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }
}

impl Load {
    /// Creates a load of one connection.
    pub fn new(mail: Mail, messages: usize) -> Self {
        Self {
            mail,
            connections: 1,
            messages,
            writes: WritePieces::By(usize::MAX),
        }
    }

    /// Sends everything to the filter at `address`.
    ///
    /// # Errors
    /// A connection failed, or the filter did not accept a message.
    ///
    /// # Panics
    /// If one of its threads panics.
    pub fn run(&self, address: &str) -> io::Result<Measured> {
        let ready = Barrier::new(self.connections + 1);
        let mut all = Measured::default();
        let (seconds, results) = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.connections)
                .map(|_| scope.spawn(|| self.one(address, &ready)))
                .collect();
            ready.wait();
            let start = Instant::now();
            let results: Vec<_> = threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect();
            (start.elapsed().as_secs_f64(), results)
        });
        for times in results {
            all.times.extend(times?);
        }
        all.rate = all.times.len() as f64 / seconds;
        all.times.sort_unstable();
        Ok(all)
    }

    fn one(&self, address: &str, ready: &Barrier) -> io::Result<Vec<Duration>> {
        let opened = Mta::open(address, ACTIONS, PROTOCOL);
        ready.wait();
        let mut mta = opened?;
        match self.writes {
            WritePieces::By(piece) => mta.write_by(piece),
            WritePieces::AsPostfix => mta.write_as_postfix(address),
        }
        let mut times = Vec::with_capacity(self.messages);
        for _ in 0..self.messages {
            let start = Instant::now();
            let letter = match mta.begin(&self.mail)? {
                Some(early) => early.letter,
                None => mta.finish_counting()?.0,
            };
            if letter != b'c' && letter != b'a' {
                return Err(io::Error::other(format!(
                    "a message got {:?}",
                    char::from(letter)
                )));
            }
            times.push(start.elapsed());
        }
        Ok(times)
    }
}
