//! Where clients come in: a listener that is waited at, and a bell that ends the wait.
//!
//! The bell needs nothing of the system when it is rung: no descriptor, no address, nobody who listens there still.
//!
//! # Limits
//! Once rung, it rings for ever.

use crate::address::{Listener, Stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a client that there is no descriptor for waits for one.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often one is asked for meanwhile.
const STEP: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

/// A listener with its bell.
pub(super) struct Acceptor {
    listener: Listener,
    shutdown: UnixStream,
    spare: Spare,
}

/// Ends the wait at a door, for good.
#[derive(Clone)]
pub(super) struct ShutdownSignal(Arc<UnixStream>);

impl ShutdownSignal {
    pub(super) fn send(&self) {
        // Where it takes no more, it rings already.
        let _ = (&*self.0).write(&[1]);
    }
}

impl Acceptor {
    pub(super) fn new(listener: Listener) -> io::Result<(Self, ShutdownSignal)> {
        listener.set_nonblocking()?;
        let (shutdown, signal) = UnixStream::pair()?;
        signal.set_nonblocking(true)?;
        Ok((
            Self {
                listener,
                shutdown,
                spare: Spare::new(),
            },
            ShutdownSignal(Arc::new(signal)),
        ))
    }

    pub(super) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Waits for the next client; none where the bell was rung, or the client is gone again. Where there is no descriptor for it, it is
    /// turned away.
    pub(super) fn next(&mut self) -> io::Result<Option<Stream>> {
        let mut waited = [
            PollFd::new(&self.listener, PollFlags::IN),
            PollFd::new(&self.shutdown, PollFlags::IN),
        ];
        match poll(&mut waited, None) {
            Ok(_) => (),
            Err(Errno::INTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        if !waited[1].revents().is_empty() || waited[0].revents().is_empty() {
            return Ok(None);
        }
        let start = Instant::now();
        let mut taken = self.listener.accept();
        // Those of clients that have just left are free in a moment.
        while taken.as_ref().is_err_and(lacks_descriptors) && start.elapsed() < PATIENCE {
            if self.is_shut_down_within(STEP)? {
                return Ok(None);
            }
            taken = self.listener.accept();
        }
        match taken {
            Ok(stream) => Ok(Some(stream)),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(None)
            }
            Err(error) => {
                self.spare.turn_away(&error, &self.listener);
                Err(error)
            }
        }
    }

    fn is_shut_down_within(&self, time: Timespec) -> io::Result<bool> {
        match poll(
            &mut [PollFd::new(&self.shutdown, PollFlags::IN)],
            Some(&time),
        ) {
            Ok(shutdown) => Ok(shutdown > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the process, or the system, has no descriptor left.
fn lacks_descriptors(error: &io::Error) -> bool {
    let none = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|number| none.contains(&number))
}

/// A descriptor that is kept for the time when there is no other: who connects then is turned away at once, and need not wait.
struct Spare(Option<File>);

impl Spare {
    fn new() -> Self {
        // Without it clients wait longer, no more.
        Self(File::open("/dev/null").ok())
    }

    /// Accepts and closes a connection that waits, where the error tells that there are no descriptors.
    fn turn_away(&mut self, error: &io::Error, listener: &Listener) {
        if lacks_descriptors(error) && self.0.take().is_some() {
            // Nobody may be waiting: nothing is done then.
            drop(listener.accept());
        }
        if self.0.is_none() {
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::address::Address;
    use std::io::Read;
    use std::path::PathBuf;

    fn acceptor() -> (tempfile::TempDir, PathBuf, Acceptor, ShutdownSignal) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = Listener::bind(&Address::Unix(path.clone()), 0o600, None).unwrap();
        let (acceptor, shutdown) = Acceptor::new(listener).unwrap();
        (folder, path, acceptor, shutdown)
    }

    #[test]
    fn a_bell_is_heard_without_the_address_and_before_those_who_wait() {
        let (_folder, path, mut acceptor, shutdown) = acceptor();
        let _first = UnixStream::connect(&path).unwrap();
        assert!(acceptor.next().unwrap().is_some());
        std::fs::remove_file(&path).unwrap();
        let waits = std::thread::spawn(move || acceptor.next().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!waits.is_finished());
        (0..100_000).for_each(|_| shutdown.send());
        assert!(waits.join().unwrap());
        let (_folder, path, mut acceptor, shutdown) = self::acceptor();
        let _client = UnixStream::connect(&path).unwrap();
        shutdown.send();
        assert!(acceptor.next().unwrap().is_none() && acceptor.next().unwrap().is_none());
    }

    #[test]
    fn without_descriptors_who_waits_is_turned_away_and_nobody_is_waited_for() {
        let (_folder, path, mut acceptor, _bell) = acceptor();
        for error in [Errno::MFILE, Errno::NFILE]
            .map(|errno| io::Error::from_raw_os_error(errno.raw_os_error()))
        {
            let mut waiting = UnixStream::connect(&path).unwrap();
            acceptor.spare.turn_away(&error, &acceptor.listener);
            assert_eq!(waiting.read(&mut [0]).unwrap(), 0, "{error}");
            assert!(
                acceptor.spare.0.is_some(),
                "and the spare one is there again"
            );
            acceptor.spare.turn_away(&error, &acceptor.listener);
            assert!(acceptor.spare.0.is_some());
        }
        // Another error turns nobody away.
        let _waiting = UnixStream::connect(&path).unwrap();
        acceptor.spare.turn_away(
            &io::Error::from_raw_os_error(Errno::CONNABORTED.raw_os_error()),
            &acceptor.listener,
        );
        assert!(acceptor.next().unwrap().is_some());
    }
}
