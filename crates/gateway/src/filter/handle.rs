//! What others see of a connection: whether a message is on it, and the signs that work goes on.
//!
//! # Limits
//! A sign is offered and not waited for: a server that takes nothing hears of nothing.

use crate::address::Stream;
use crate::milter;
use crate::server::{Activity, ConnectionHandle, Shared};
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a packet without data.
const PROGRESS_PACKET: usize = 5;

/// What others see of a connection.
#[derive(Debug)]
pub(super) struct MilterHandle {
    pub(super) number: u64,
    stream: Stream,
    progress_state: Mutex<Progress>,
    /// When the server must have taken what is being written, the whole of it; none where nothing is.
    due: Mutex<Option<Instant>>,
    pub(super) in_message: AtomicBool,
    pub(super) activity: Activity,
}

/// What is done about the message of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum WorkState {
    /// There is none, or it is still told.
    #[default]
    None,
    /// It is worked on.
    On {
        since: Instant,
        /// When the server was told last.
        told: Instant,
    },
    /// It took too long; the server has its verdict, or what is left of it stands in [`Progress::owed`]. Where the message passes, how many fields
    /// of it do not.
    GivenUp(Option<u32>),
}

/// What the server is told while a message is worked on.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) work: WorkState,
    /// The message passes where work takes too long, by the engine that judges it, whatever engine comes after: edits that are told before that,
    /// and how many fields go with them. None where it is deferred.
    pub(super) passing: Option<(Vec<u8>, u32)>,
    /// Bytes that the server has not taken yet: a verdict, or the rest of a sign of which it took a part.
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

    /// Whether the message has its verdict already.
    pub(super) fn has_given_up(&self) -> bool {
        matches!(self.progress_state().work, WorkState::GivenUp(_))
    }

    fn due(&self) -> MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes, and takes no longer than `time` for all of it: [`MilterHandle::tick`] ends the connection then. The system's own bound is one of each
    /// wait for room, and a server that takes a little at a time would meet it for ever.
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

    /// Writes bytes where the server is waited for; else they are put behind what is unsent, for answers of many connections go out together.
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

    /// Tells the server that work goes on, where it does and the last sign was given long enough ago. WorkState that takes too long gets its
    /// verdict here: the message is deferred, or passes where that is asked for.
    /// A server that takes nothing is not waited for: others are to hear of theirs.
    fn tick(&self, shared: &Shared) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            // Whoever writes finds out.
            self.stream.shut();
        }
        // Held while it is written: a verdict cannot come between.
        let mut progress_state = self.progress_state();
        if let WorkState::On { since, told } = progress_state.work {
            if since.elapsed() >= shared.limits.work {
                let passing = progress_state.passing.take();
                progress_state.work =
                    WorkState::GivenUp(passing.as_ref().map(|(_, forged_fields)| *forged_fields));
                let verdict = if passing.is_some() { b'c' } else { b't' };
                progress_state
                    .owed
                    .extend(passing.map(|(edits, _)| edits).unwrap_or_default());
                milter::put(&mut progress_state.owed, verdict, &[]);
            } else if told.elapsed() >= shared.limits.progress && progress_state.owed.is_empty() {
                progress_state.work = WorkState::On {
                    since,
                    told: Instant::now(),
                };
                milter::put(&mut progress_state.owed, b'p', &[]);
                self.offer(&mut progress_state.owed);
                if progress_state.owed.len() == PROGRESS_PACKET {
                    // It has words of ours to read.
                    progress_state.owed.clear();
                }
                return;
            }
        }
        self.offer(&mut progress_state.owed);
    }
}

impl MilterHandle {
    /// Gives the server what it takes at once.
    fn offer(&self, owed: &mut Vec<u8>) {
        if !owed.is_empty() {
            // The connection finds out by itself when its stream has failed.
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
            work: WorkState::On { since, told: since },
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
