//! A connection over TCP or a Unix socket: connects, reads and writes with timeouts.
//!
//! # Limits
//! A timeout applies to one system call, except in [`Stream::write_until`].

use crate::address::Address;
use crate::limits::Limits;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with,
};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of one write of [`Stream::write_until`].
const AT_ONCE: usize = 16_384;

/// One connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// Calls the same method of either stream.
macro_rules! either {
    ($stream:expr, $inner:ident => $call:expr) => {
        match $stream {
            Stream::Unix($inner) => $call,
            Stream::Tcp($inner) => $call,
        }
    };
}

impl Stream {
    /// Connects to an address that `limits` allow. A host name with several addresses gets `time` for each.
    pub(crate) fn connect(address: &Address, time: Duration, limits: &Limits) -> io::Result<Self> {
        let place = match address {
            Address::Unix(path) => return connect_unix(path, time).map(Self::Unix),
            Address::Tcp(place) => place,
        };
        let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for address in place.to_socket_addrs()? {
            let allowed = limits.check_local(address, true);
            match allowed.and_then(|()| TcpStream::connect_timeout(&address, time)) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Self::Tcp(stream));
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Returns the address of the peer; `None` for a Unix socket.
    ///
    /// # Errors
    /// The peer has disconnected.
    pub(crate) fn client(&self) -> io::Result<Option<IpAddr>> {
        match self {
            Self::Unix(_) => Ok(None),
            Self::Tcp(stream) => stream
                .peer_addr()
                .map(|peer| Some(peer.ip().to_canonical())),
        }
    }

    /// Returns the IP address of the peer for logs; `local` for a Unix socket.
    pub(crate) fn peer(&self) -> String {
        match self {
            Self::Unix(_) => "local".to_owned(),
            Self::Tcp(stream) => stream
                .peer_addr()
                .map_or_else(|_| String::new(), |peer| peer.ip().to_string()),
        }
    }

    /// Shuts down reading. A waiting reader gets the end of the stream.
    pub(crate) fn shut_reading(&self) {
        // Fails if the peer has disconnected.
        let _ = either!(self, stream => stream.shutdown(std::net::Shutdown::Read));
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
        }
    }

    pub(crate) fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(Some(time)))
    }

    pub(crate) fn set_write_timeout(&self, time: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(Some(time)))
    }

    /// Writes all bytes before `end`, also to a peer that reads slowly.
    ///
    /// # Errors
    /// Writing failed or timed out.
    pub(crate) fn write_until(&self, bytes: &[u8], end: Instant) -> io::Result<()> {
        // The timeout of the socket applies to each wait for buffer space. A short piece waits only once.
        for mut piece in bytes.chunks(AT_ONCE) {
            while !piece.is_empty() {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(ErrorKind::TimedOut.into());
                }
                // Less than a millisecond may count as no timeout.
                self.set_write_timeout(left.max(Duration::from_millis(1)))?;
                match either!(self, stream => io::Write::write(&mut &*stream, piece)) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(count) => piece = &piece[count..],
                    Err(error) if error.kind() == ErrorKind::Interrupted => (),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Writes as many bytes as possible without waiting, and returns their number.
    pub(crate) fn offer(&self, bytes: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT;
        match rustix::io::retry_on_intr(|| either!(self, stream => send(stream, bytes, flags))) {
            Ok(count) => Ok(count),
            Err(Errno::AGAIN) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads without waiting. Returns `None` if no bytes have arrived.
    pub(crate) fn receive(&self, bytes: &mut [u8]) -> io::Result<Option<usize>> {
        let flags = RecvFlags::DONTWAIT;
        match rustix::io::retry_on_intr(
            || either!(self, stream => recv(stream, &mut *bytes, flags)),
        ) {
            Ok((count, _)) => Ok(Some(count)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Shuts down both directions, for all clones.
    pub(crate) fn shut(&self) {
        // Fails if the peer has disconnected.
        let _ = either!(self, stream => stream.shutdown(std::net::Shutdown::Both));
    }

    /// Writes all pieces, in as few calls as the system allows.
    pub(crate) fn write_pieces(&self, mut pieces: &mut [io::IoSlice<'_>]) -> io::Result<()> {
        /// Pieces per system call. Linux accepts up to 1,024.
        const MOST: usize = 512;
        while !pieces.is_empty() {
            let most = pieces.len().min(MOST);
            let written =
                either!(self, stream => io::Write::write_vectored(&mut &*stream, &pieces[..most]));
            match written {
                Ok(0) if pieces[..most].iter().any(|piece| !piece.is_empty()) => {
                    return Err(ErrorKind::WriteZero.into());
                }
                Ok(0) => pieces = &mut pieces[most..],
                Ok(count) => io::IoSlice::advance_slices(&mut pieces, count),
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns true if the peer has closed, as far as is visible before its last bytes are read. A peer that closed its sending half counts as
    /// closed, unless it `said_more` that is still unread. Does not wait.
    pub(crate) fn is_gone(&self, said_more: bool) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let mut byte = [0; 1];
        let seen = rustix::io::retry_on_intr(
            || either!(self, stream => recv(stream, &mut byte[..], flags)),
        );
        match seen {
            Ok((count, _)) => count == 0 && !said_more,
            Err(error) => error != Errno::AGAIN,
        }
    }

    /// Acknowledges input at once instead of with the next answer. Returns false if the socket has no acknowledgments.
    ///
    /// A server that sends small packets waits for it (Nagle), and without this 40 ms go by for each message. What comes upon it waits for
    /// its answer again: otherwise the system would acknowledge that by itself, too.
    pub(crate) fn acknowledge(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(stream) = self {
            use std::os::linux::net::TcpStreamExt;
            // Slower without it, not wrong.
            return stream
                .set_quickack(true)
                .and_then(|()| stream.set_quickack(false))
                .is_ok();
        }
        false
    }
}

impl io::Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => stream.read(bytes))
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        either!(self, stream => stream.as_fd())
    }
}

impl io::Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => (&*stream).write(bytes),
            Stream::Tcp(stream) => (&*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Creates a Unix stream socket that child processes do not inherit.
pub(crate) fn unix_socket() -> io::Result<OwnedFd> {
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    Ok(socket_with(family, kind, SocketFlags::CLOEXEC, None)?)
}

/// Connects to a Unix socket within `time`. Without a timeout the system waits for a listener whose queue is full.
pub(crate) fn connect_unix(path: &Path, time: Duration) -> io::Result<UnixStream> {
    let socket = unix_socket()?;
    // Zero would disable the timeout.
    set_socket_timeout(
        &socket,
        Timeout::Send,
        Some(time.max(Duration::from_millis(1))),
    )?;
    connect(&socket, &SocketAddrUnix::new(path)?).map_err(|error| match error {
        Errno::AGAIN => ErrorKind::TimedOut.into(),
        error => io::Error::from(error),
    })?;
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(UnixStream::from(socket))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_side_that_closed_is_seen() {
        let (near, far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        assert!(!near.is_gone(false));
        io::Write::write_all(&mut &far, b"a").unwrap();
        assert!(!near.is_gone(false));
        assert_eq!(
            io::Read::read(&mut near.try_clone().unwrap(), &mut [0; 9]).unwrap(),
            1
        );
        assert!(!near.is_gone(false));
        drop(far);
        assert!(near.is_gone(false) && !near.is_gone(true));
    }

    #[test]
    fn whoever_takes_bytes_slowly_has_the_time_of_the_whole() {
        let (near, far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        let reader = std::thread::spawn(move || {
            let mut far = far;
            let mut piece = vec![0; 8_192];
            // Each read makes room; all of them together would take minutes.
            while io::Read::read(&mut far, &mut piece).is_ok_and(|count| count > 0) {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let start = Instant::now();
        let error = near
            .write_until(&vec![0; 64 << 20], start + Duration::from_millis(300))
            .unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            "{error}"
        );
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
        near.shut();
        reader.join().unwrap();
        let (near, mut far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        near.write_until(b"all", Instant::now() + Duration::from_secs(20))
            .unwrap();
        let mut bytes = [0; 3];
        io::Read::read_exact(&mut far, &mut bytes).unwrap();
        assert_eq!(&bytes, b"all");
    }

    #[test]
    fn an_offer_does_not_wait() {
        let (near, far) = UnixStream::pair().unwrap();
        let near = Stream::Unix(near);
        let piece = vec![0; 65_536];
        let mut taken = 0;
        for _ in 0..10_000 {
            let count = near.offer(&piece).unwrap();
            taken += count;
            if count == 0 {
                break;
            }
        }
        assert!(taken > 0 && near.offer(b"p").unwrap() == 0);
        drop(far);
        assert!(near.offer(b"p").is_err());
    }
}
