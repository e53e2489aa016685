//! The handle of a milter connection: its state, and the progress packets while a message is processed.
//!
//! # Limits
//! Progress packets are written without a wait: a mail server whose socket is full gets none.

use crate::milter;
use crate::server::{Activity, ConnectionHandle, Shared};
use crate::stream::Stream;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a progress packet, which has no data.
const PROGRESS_PACKET: usize = 5;

/// A milter connection as other threads see it.
#[derive(Debug)]
pub(super) struct MilterHandle {
    pub(super) number: u64,
    stream: Stream,
    progress_state: Mutex<Progress>,
    /// When the mail server must have read all of the current output; `None` if there is none.
    due: Mutex<Option<Instant>>,
    pub(super) in_message: AtomicBool,
    pub(super) activity: Activity,
}

/// State of the message of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum WorkState {
    /// There is none, or it still arrives.
    #[default]
    None,
    /// It is processed.
    On {
        since: Instant,
        /// When the last progress packet was sent.
        last_sent: Instant,
    },
    /// It took too long. Its verdict was sent, or the rest of it is in [`Progress::owed`]. If the message passes, holds the number of its
    /// forged fields, which are deleted.
    GivenUp(Option<u32>),
}

/// Packets for the mail server while a message is processed.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) work: WorkState,
    /// If the message passes when its processing takes too long: the edits that delete forged fields, and their number. `None` if it is deferred.
    /// The engine that judges the message decides, also after a reload.
    pub(super) passing: Option<(Vec<u8>, u32)>,
    /// Bytes that the socket has not taken yet: a verdict, or the rest of a progress packet.
    pub(super) owed: Vec<u8>,
}

impl MilterHandle {
    pub(super) fn new(number: u64, stream: Stream) -> Self {
        let (progress_state, activity) = (Mutex::new(Progress::default()), Activity::new(&stream));
        Self {
            number,
            stream,
            progress_state,
            due: Mutex::new(None),
            in_message: AtomicBool::new(false),
            activity,
        }
    }

    /// Returns true if the message already has its verdict.
    pub(super) fn has_given_up(&self) -> bool {
        matches!(self.progress_state().work, WorkState::GivenUp(_))
    }

    fn due(&self) -> MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes within `time`; after that [`MilterHandle::tick`] closes the connection. The timeout of the socket would not do: it begins anew whenever the
    /// server reads a little.
    pub(super) fn write(
        &self,
        time: Duration,
        write: impl FnOnce(&Stream) -> io::Result<()>,
    ) -> io::Result<()> {
        *self.due() = Instant::now().checked_add(time);
        let written = write(&self.stream);
        let late = self.due().take().is_some_and(|due| due <= Instant::now());
        if late && written.is_err() {
            Err(ErrorKind::TimedOut.into())
        } else {
            written
        }
    }

    /// Writes `bytes` if `wait`. Otherwise appends them to `unsent`, because the pool sends the output of many connections together.
    pub(super) fn send(
        &self,
        wait: bool,
        time: Duration,
        bytes: &[u8],
        unsent: &mut Vec<u8>,
    ) -> io::Result<()> {
        if wait && !bytes.is_empty() {
            return self.write(time, |mut stream| stream.write_all(bytes));
        }
        unsent.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn progress_state(&self) -> MutexGuard<'_, Progress> {
        self.progress_state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionHandle for MilterHandle {
    fn activity(&self) -> Option<&Activity> {
        Some(&self.activity)
    }

    fn end_idle(&self) {
        if !self.in_message.load(Ordering::SeqCst) {
            self.stream.shut();
        }
    }

    fn end(&self) {
        self.stream.shut();
    }

    /// Sends a progress packet if one is due. Sends the verdict of a message whose processing takes too long: it is deferred, or passes
    /// with `on_error = "accept"`.
    /// Never waits for the mail server, because this thread serves all connections.
    fn tick(&self, shared: &Shared) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            // The writing thread gets an error.
            self.stream.shut();
        }
        // The lock is held while the packet is written: no verdict comes between.
        let mut progress_state = self.progress_state();
        if let WorkState::On { since, last_sent } = progress_state.work {
            if since.elapsed() >= shared.limits.work {
                let passing = progress_state.passing.take();
                progress_state.work =
                    WorkState::GivenUp(passing.as_ref().map(|(_, forged_fields)| *forged_fields));
                let verdict = if passing.is_some() { b'c' } else { b't' };
                progress_state
                    .owed
                    .extend(passing.map(|(edits, _)| edits).unwrap_or_default());
                milter::put(&mut progress_state.owed, verdict, &[]);
            } else if last_sent.elapsed() >= shared.limits.progress
                && progress_state.owed.is_empty()
            {
                progress_state.work = WorkState::On {
                    since,
                    last_sent: Instant::now(),
                };
                milter::put(&mut progress_state.owed, b'p', &[]);
                self.offer(&mut progress_state.owed);
                if progress_state.owed.len() == PROGRESS_PACKET {
                    // Nothing of it was taken, because the socket is full.
                    progress_state.owed.clear();
                }
                return;
            }
        }
        self.offer(&mut progress_state.owed);
    }
}

impl MilterHandle {
    /// Writes what the socket takes at once.
    fn offer(&self, owed: &mut Vec<u8>) {
        if !owed.is_empty() {
            // The thread of the connection reports a failed stream.
            let taken = self.stream.offer(owed).unwrap_or(0);
            owed.drain(..taken);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::engine::Engine;
    use crate::limits::Limits;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    fn at_work(stream: Stream, since: Instant, passing: Option<(Vec<u8>, u32)>) -> MilterHandle {
        let handle = MilterHandle::new(1, stream);
        *handle.progress_state() = Progress {
            work: WorkState::On {
                since,
                last_sent: since,
            },
            passing,
            owed: Vec::new(),
        };
        handle
    }

    /// What connections share after a reload: the engine is not the one that messages at work are judged by.
    fn shared(work: Duration, fail_open: bool) -> Shared {
        let limits = Limits {
            work,
            progress: Duration::ZERO,
            ..Limits::default()
        };
        Shared::new(
            Engine {
                fail_open,
                ..Engine::default()
            },
            limits.into(),
            Box::new(|_| ()),
        )
    }

    /// Both ends of a connection whose other side takes nothing, and how many bytes stand between them.
    fn full() -> (Stream, UnixStream, usize) {
        let (near, far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        let mut filled = 0;
        for piece in [65_536, 1] {
            loop {
                let count = near.offer(&vec![b'x'; piece]).unwrap();
                filled += count;
                if count < piece {
                    break;
                }
            }
        }
        (near, far, filled)
    }

    fn read(mut far: &UnixStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        far.read_exact(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_server_that_takes_nothing_is_not_waited_for() {
        let (near, far, filled) = full();
        let handle = at_work(near, Instant::now(), None);
        let start = Instant::now();
        let shared = shared(Duration::from_hours(1), false);
        (0..100).for_each(|_| handle.tick(&shared));
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
        // No sign that it did not take comes later, and one that it takes now does.
        read(&far, filled);
        assert!(handle.progress_state().owed.is_empty());
        handle.tick(&shared);
        assert_eq!(read(&far, PROGRESS_PACKET), b"\0\0\0\x01p");
    }

    #[test]
    fn a_verdict_is_owed_until_it_is_taken() {
        let edit = b"\0\0\0\x07m\0\0\0\x01A\0".to_vec();
        for (passing, want) in [
            (None, b"\0\0\0\x01t".to_vec()),
            (Some((Vec::new(), 0)), b"\0\0\0\x01c".to_vec()),
            (Some((edit.clone(), 1)), [&*edit, b"\0\0\0\x01c"].concat()),
        ] {
            let (near, far, filled) = full();
            let fail_open = passing.is_some();
            let handle = at_work(near, Instant::now(), passing);
            let shared = shared(Duration::ZERO, !fail_open);
            (0..3).for_each(|_| handle.tick(&shared));
            assert!(handle.has_given_up());
            assert_eq!(handle.progress_state().owed.len(), want.len());
            read(&far, filled);
            (0..3).for_each(|_| handle.tick(&shared));
            assert_eq!(read(&far, want.len()), want);
            assert!(handle.progress_state().owed.is_empty());
        }
    }

    #[test]
    fn the_rest_of_a_sign_comes_before_all_else() {
        let (near, far) = UnixStream::pair().unwrap();
        let handle = at_work(Stream::Unix(near), Instant::now(), None);
        handle.progress_state().owed = b"\x01p".to_vec();
        let shared = shared(Duration::ZERO, false);
        handle.tick(&shared);
        assert_eq!(read(&far, 2 + PROGRESS_PACKET), b"\x01p\0\0\0\x01t");
    }
}
