//! Accepts clients, and wakes the accepting thread for the shutdown.
//!
//! Sending the signal needs no further descriptor, and no listener that still exists: it writes to a socket pair that was made at the start.
//!
//! # Limits
//! The signal cannot be taken back.

use crate::listener::ListeningSocket;
use crate::stream::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait for a free descriptor before a client is refused.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two attempts meanwhile.
const STEP: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

/// A listener, and the receiving end of the shutdown signal.
pub(super) struct Acceptor {
    listener: ListeningSocket,
    shutdown: UnixStream,
    spare: Spare,
}

/// Ends [`Acceptor::next`] for good.
#[derive(Clone)]
pub(super) struct ShutdownSignal(Arc<UnixStream>);

impl ShutdownSignal {
    pub(super) fn send(&self) {
        // A full socket holds a signal already.
        let _ = (&*self.0).write(&[1]);
    }
}

impl Acceptor {
    pub(super) fn new(listener: ListeningSocket) -> io::Result<(Self, ShutdownSignal)> {
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

    pub(super) fn listener(&self) -> &ListeningSocket {
        &self.listener
    }

    /// Waits for the next client. Returns `None` after the shutdown signal, or if the client has closed meanwhile. If no descriptor is free, refuses
    /// the client and returns the error.
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
        // Descriptors of clients that have just left become free in a moment.
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

/// Returns true if the process or the system has no descriptor left.
fn lacks_descriptors(error: &io::Error) -> bool {
    let none = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|number| none.contains(&number))
}

/// A reserved descriptor. If no other is free, it serves to accept and close a client at once.
struct Spare(Option<File>);

impl Spare {
    fn new() -> Self {
        // Without it clients wait longer, nothing else.
        Self(File::open("/dev/null").ok())
    }

    /// Accepts and closes a waiting connection if `error` says that no descriptor is free.
    fn turn_away(&mut self, error: &io::Error, listener: &ListeningSocket) {
        if lacks_descriptors(error) && self.0.take().is_some() {
            // It fails if nobody waits.
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
        let listener = ListeningSocket::bind(&Address::Unix(path.clone()), 0o600, None).unwrap();
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
