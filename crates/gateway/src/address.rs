//! Parses and uses the address of a listener or next hop: `unix:PATH` or `tcp:HOST:PORT`.

use crate::limits::Limits;
use crate::socket_folder::{Identity, SocketFolder};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, bind, connect,
    listen, recv, send, socket_with,
};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};
use std::{fmt, fs};

/// How long a socket that stands where one is to be made has to take a connection.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of the longest path of a socket.
const LONGEST: usize = if cfg!(target_os = "linux") { 107 } else { 103 };
/// Bytes that are written at once where the whole has its time.
const AT_ONCE: usize = 16_384;

/// An address to listen at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("unix" | "local", path)) if path.len() > LONGEST => Err(format!(
                "`{path}` has {} bytes, and the path of a socket at most {LONGEST}",
                path.len()
            )),
            Some(("unix" | "local", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("tcp" | "inet", place))
                if place
                    .rsplit_once(':')
                    .is_some_and(|(_, port)| port.parse::<u16>().is_ok()) =>
            {
                Ok(Self::Tcp(place.to_owned()))
            }
            _ => Err(format!(
                "`{text}` is neither `unix:PATH` nor `tcp:HOST:PORT`"
            )),
        }
    }
}

impl Address {
    /// Returns true if a connection to `other` reaches a listener at this address, as far as is known before the listener exists. Looks up host names if
    /// the ports are equal.
    pub(crate) fn is_reached_by(&self, other: &Self) -> bool {
        let port = |place: &str| {
            place
                .rsplit_once(':')
                .and_then(|(_, port)| port.parse::<u16>().ok())
        };
        match (self, other) {
            (Self::Tcp(own), Self::Tcp(place)) if own == place => true,
            (Self::Tcp(own), Self::Tcp(place))
                if port(own) == port(place) && port(own) != Some(0) =>
            {
                let (Ok(own), Ok(others)) = (own.to_socket_addrs(), place.to_socket_addrs()) else {
                    return false;
                };
                let others: Vec<_> = others.collect();
                own.into_iter().any(|own| {
                    others
                        .iter()
                        .any(|other| is_reached_by(own.ip(), other.ip()))
                })
            }
            (Self::Unix(own), Self::Unix(other)) => place(own) == place(other),
            _ => false,
        }
    }
}

/// Resolves the existing part of a path, so that two spellings of one place are equal and links are followed.
pub(crate) fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut place = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(place.pop()),
            other => place.push(other),
        }
        if let Ok(there) = fs::canonicalize(&place) {
            place = there;
        }
    }
    place
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(place) => write!(f, "tcp:{place}"),
        }
    }
}

/// A socket that listens already, as a supervisor of services hands it on. It outlives the program.
#[derive(Debug)]
pub enum Inherited {
    /// A socket in the file system.
    Unix(UnixListener),
    /// Host and port.
    Tcp(TcpListener),
}

impl Inherited {
    /// Where it listens.
    ///
    /// # Errors
    /// The system does not return it, or the socket has no name.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Self::Unix(listener) => {
                let address = listener.local_addr()?;
                let path = address
                    .as_pathname()
                    .ok_or_else(|| io::Error::other("a socket without a path"))?;
                Ok(Address::Unix(path.to_owned()))
            }
            Self::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?.to_string())),
        }
    }
}

/// A listening socket.
#[derive(Debug)]
pub enum Socket {
    /// One of its own, at this address.
    New(Address),
    /// One that listens already.
    Given(Inherited),
}

impl Socket {
    /// Where it listens, or is to listen.
    ///
    /// # Errors
    /// The system does not return it.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::New(address) => Ok(address.clone()),
            Self::Given(socket) => socket.address(),
        }
    }
}

impl From<Address> for Socket {
    fn from(address: Address) -> Self {
        Self::New(address)
    }
}

impl From<Inherited> for Socket {
    fn from(socket: Inherited) -> Self {
        Self::Given(socket)
    }
}

/// A socket that listens. One that was made here in the file system is taken away at the end.
#[derive(Debug)]
pub(crate) enum ListeningSocket {
    Unix {
        listener: UnixListener,
        path: PathBuf,
        made: Option<(SocketFolder, Identity)>,
    },
    Tcp(TcpListener),
}

impl ListeningSocket {
    /// Listens. A socket in the file system appears complete, with its permissions; a dead one gives way.
    pub(crate) fn bind(address: &Address, mode: u32, group: Option<u32>) -> io::Result<Self> {
        match address {
            Address::Unix(path) => Self::bind_unix(path, mode, group),
            Address::Tcp(place) => Ok(Self::Tcp(TcpListener::bind(place)?)),
        }
    }

    /// Makes a socket that nobody can use before it has its permissions and its name.
    fn bind_unix(path: &Path, mode: u32, group: Option<u32>) -> io::Result<Self> {
        let folder = SocketFolder::open(path)?;
        if is_alive(path)? {
            return Err(io::Error::new(
                ErrorKind::AddrInUse,
                "another program listens there",
            ));
        }
        let beside = beside(path, std::process::id());
        let name = beside.file_name().unwrap_or_default();
        let there = folder.path_of(name);
        if !is_alive(&there)? {
            // A killed process with this number may have left one; in a container all processes have the same number.
            folder.remove(name);
        }
        let listener = bound(&there)?;
        let placed = folder
            .give(name, mode, group)
            .and_then(|()| folder.identity(name))
            .and_then(|made| folder.place(name).map(|()| made));
        match placed {
            Ok(made) => Ok(Self::Unix {
                listener,
                path: path.to_owned(),
                made: Some((folder, made)),
            }),
            Err(error) => {
                // What was made here goes; the error that counts is the first.
                folder.remove(name);
                Err(error)
            }
        }
    }

    /// Goes on with a socket of somebody else.
    pub(crate) fn inherit(socket: Inherited) -> io::Result<Self> {
        let address = socket.address()?;
        Ok(match (socket, address) {
            (Inherited::Unix(listener), Address::Unix(path)) => Self::Unix {
                listener,
                path,
                made: None,
            },
            (Inherited::Tcp(listener), _) => Self::Tcp(listener),
            (Inherited::Unix(_), Address::Tcp(_)) => return Err(ErrorKind::InvalidInput.into()),
        })
    }

    /// The next connection, which waits where it is not asked otherwise.
    pub(crate) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix { listener, .. } => {
                let (stream, _) = listener.accept()?;
                // On some systems a connection inherits this setting from the listener.
                #[cfg(not(target_os = "linux"))]
                stream.set_nonblocking(false)?;
                Ok(Stream::Unix(stream))
            }
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                #[cfg(not(target_os = "linux"))]
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    /// Where it listens, the port that the system chose in it.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Unix { path, .. } => Ok(Address::Unix(path.clone())),
            Self::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?.to_string())),
        }
    }

    /// Returns true if who connects to this address comes in here. An address that cannot be looked up now is not ours, as far as is known.
    pub(crate) fn is_at(&self, address: &Address) -> bool {
        match (self, address) {
            (Self::Unix { path, .. }, Address::Unix(other)) => {
                let file = |path: &Path| fs::metadata(path).map(|meta| (meta.dev(), meta.ino()));
                matches!((file(path), file(other)), (Ok(own), Ok(other)) if own == other)
            }
            (Self::Tcp(listener), Address::Tcp(place)) => {
                let (Ok(own), Ok(mut others)) = (listener.local_addr(), place.to_socket_addrs())
                else {
                    return false;
                };
                others
                    .any(|other| own.port() == other.port() && is_reached_by(own.ip(), other.ip()))
            }
            _ => false,
        }
    }

    /// Has [`ListeningSocket::accept`] never wait.
    pub(crate) fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Self::Unix { listener, .. } => listener.set_nonblocking(true),
            Self::Tcp(listener) => listener.set_nonblocking(true),
        }
    }
}

impl AsFd for ListeningSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix { listener, .. } => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl Drop for ListeningSocket {
    fn drop(&mut self) {
        // Another one's stays.
        if let Self::Unix {
            made: Some((folder, made)),
            ..
        } = self
        {
            folder.remove_own(*made);
        }
    }
}

/// Where a socket is made that is to stand at a path.
fn beside(path: &Path, number: u32) -> PathBuf {
    let mut long = path.to_owned().into_os_string();
    long.push(format!(".{number}"));
    if long.len() <= LONGEST {
        long.into()
    } else {
        path.with_file_name(format!(".{number}"))
    }
}

/// Returns true if a socket of this machine that listens at `own` hears those who connect to `other`.
fn is_reached_by(own: IpAddr, other: IpAddr) -> bool {
    let (own, mut other) = (own.to_canonical(), other.to_canonical());
    if other.is_unspecified() {
        // To connect to no address is to connect to oneself.
        other = if other.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        };
    }
    // One for all addresses of IPv6 is usually one for those of IPv4 too.
    let all = own.is_unspecified() && (own.is_ipv6() || other.is_ipv4());
    // Only an address of this machine can be taken here.
    own == other || all && UdpSocket::bind((other, 0)).is_ok()
}

/// Connects. The system waits without end for a listener that accepts nobody, where as many wait already as may.
fn connect_unix(path: &Path, time: std::time::Duration) -> io::Result<UnixStream> {
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // None of it would be no bound for the system.
    set_socket_timeout(
        &socket,
        Timeout::Send,
        Some(time.max(std::time::Duration::from_millis(1))),
    )?;
    connect(&socket, &SocketAddrUnix::new(path)?).map_err(|error| match error {
        Errno::AGAIN => ErrorKind::TimedOut.into(),
        error => io::Error::from(error),
    })?;
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(UnixStream::from(socket))
}

/// Listens at a socket that only this user can connect to yet.
fn bound(path: &Path) -> io::Result<UnixListener> {
    /// Clients that wait to be accepted, as std has it.
    const WAITING: i32 = 4_096;
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // Linux makes the file with the permissions that the socket has by then.
    rustix::fs::fchmod(&socket, Mode::from_raw_mode(0o600))?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, WAITING)?;
    Ok(UnixListener::from(socket))
}

/// Returns true if a process answers at a socket; false if no socket exists.
///
/// # Errors
/// The path exists and is no socket.
fn is_alive(path: &Path) -> io::Result<bool> {
    match connect_unix(path, PATIENCE) {
        Ok(_) => Ok(true),
        // As many as may wait there already for one who accepts nobody now.
        Err(error) if error.kind() == ErrorKind::TimedOut => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound) => Ok(false),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            use std::os::unix::fs::FileTypeExt;
            if fs::symlink_metadata(path)?.file_type().is_socket() {
                Ok(false)
            } else {
                Err(io::Error::new(
                    ErrorKind::AlreadyExists,
                    "what stands there is no socket",
                ))
            }
        }
        Err(error) => Err(error),
    }
}

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
    /// Connects, within what `limits` allow; a host of several addresses has `time` for each of them.
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

    /// The address of the other end; none of a socket in the file system.
    ///
    /// # Errors
    /// The other end is gone.
    pub(crate) fn client(&self) -> io::Result<Option<IpAddr>> {
        match self {
            Self::Unix(_) => Ok(None),
            Self::Tcp(stream) => stream
                .peer_addr()
                .map(|peer| Some(peer.ip().to_canonical())),
        }
    }

    /// Who is at the other end.
    pub(crate) fn peer(&self) -> String {
        match self {
            Self::Unix(_) => "local".to_owned(),
            Self::Tcp(stream) => stream
                .peer_addr()
                .map_or_else(|_| String::new(), |peer| peer.ip().to_string()),
        }
    }

    /// Nothing more is read: a reader that waits sees the end.
    pub(crate) fn shut_reading(&self) {
        // The other side may have ended it before.
        let _ = either!(self, stream => stream.shutdown(std::net::Shutdown::Read));
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
        }
    }

    pub(crate) fn set_read_timeout(&self, time: std::time::Duration) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(Some(time)))
    }

    pub(crate) fn set_write_timeout(&self, time: std::time::Duration) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(Some(time)))
    }

    /// Writes all bytes, and takes no longer than until `end` for them, however slowly the other side takes them.
    ///
    /// # Errors
    /// Writing failed, or the time is up.
    pub(crate) fn write_until(&self, bytes: &[u8], end: Instant) -> io::Result<()> {
        // The system's bound is one of each wait for room; a piece waits once.
        for mut piece in bytes.chunks(AT_ONCE) {
            while !piece.is_empty() {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(ErrorKind::TimedOut.into());
                }
                // A shorter time than a millisecond may be none for the system.
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

    /// Writes as many of the bytes as the system takes at once; how many. It does not wait.
    pub(crate) fn offer(&self, bytes: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT;
        match rustix::io::retry_on_intr(|| either!(self, stream => send(stream, bytes, flags))) {
            Ok(count) => Ok(count),
            Err(Errno::AGAIN) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what has come; none where nothing has. It does not wait.
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

    /// Ends both directions, for all clones.
    pub(crate) fn shut(&self) {
        // The other side may have ended it before.
        let _ = either!(self, stream => stream.shutdown(std::net::Shutdown::Both));
    }

    /// Writes all pieces, in as few calls as the system allows.
    pub(crate) fn write_pieces(&self, mut pieces: &mut [io::IoSlice<'_>]) -> io::Result<()> {
        /// Pieces of a call; the system takes 1,024.
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

    /// Acknowledges what was read, now and not together with the next answer; false where there is nothing of that kind to do.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_read_and_shown() {
        for text in ["unix:/run/a.sock", "tcp:127.0.0.1:10025", "tcp:[::1]:1"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "unix:",
            "/run/a.sock",
            "tcp:1",
            "tcp:host:port",
            "tcp:h:70000",
            "http:a:1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_listener_knows_its_own_address_by_every_name() {
        let port = |listener: &ListeningSocket| match listener.address().unwrap() {
            Address::Tcp(place) => place.rsplit_once(':').unwrap().1.to_owned(),
            Address::Unix(_) => unreachable!(),
        };
        let at = |text: &str| ListeningSocket::bind(&text.parse().unwrap(), 0o600, None).unwrap();
        let is = |listener: &ListeningSocket, host: &str| {
            listener.is_at(&format!("tcp:{host}:{}", port(listener)).parse().unwrap())
        };
        let (one, all) = (at("tcp:127.0.0.1:0"), at("tcp:0.0.0.0:0"));
        for (host, of_one, of_all) in [
            ("127.0.0.1", true, true),
            ("localhost", true, true),
            ("0.0.0.0", true, true),
            ("[::ffff:127.0.0.1]", true, true),
            ("127.0.0.2", false, true),
            ("[::1]", false, false),
            // Of documentation (RFC 5737): no machine has it.
            ("192.0.2.1", false, false),
        ] {
            assert_eq!((is(&one, host), is(&all, host)), (of_one, of_all), "{host}");
        }
        assert!(!one.is_at(&Address::Tcp(format!("127.0.0.1:{}", port(&all)))));
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        let unix = ListeningSocket::bind(&Address::Unix(own.clone()), 0o600, None).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        let by = |path: &Path| unix.is_at(&Address::Unix(path.to_owned()));
        assert!(by(&own) && by(&link) && by(&folder.path().join("./own")));
        assert!(!by(&folder.path().join("other")) && !one.is_at(&Address::Unix(own)));
    }

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
    fn a_listener_that_accepts_nobody_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let socket = socket_with(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )
        .unwrap();
        rustix::net::bind(&socket, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&socket, 0).unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let (address, socket_path) = (Address::Unix(path.clone()), path);
        std::thread::spawn(move || {
            let mut waiting = Vec::new();
            let failed = loop {
                match Stream::connect(&address, Duration::from_millis(50), &Limits::default()) {
                    Ok(stream) => waiting.push(stream),
                    Err(error) => break error.kind(),
                }
            };
            tell.send((waiting, failed)).unwrap();
        });
        let (streams, failed) = told
            .recv_timeout(std::time::Duration::from_secs(20))
            .unwrap();
        let waiting = streams.len();
        assert!((1..9).contains(&waiting), "{waiting}");
        // It is another's all the same, and found out in time.
        assert!(is_alive(&socket_path).unwrap());
        assert_eq!(failed, ErrorKind::TimedOut);
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
    fn a_socket_may_have_the_longest_path_that_there_is() {
        let folder = tempfile::tempdir().unwrap();
        for length in LONGEST - 9..=LONGEST {
            let rest = length - folder.path().as_os_str().len() - 1;
            let path = folder.path().join("s".repeat(rest));
            let address: Address = format!("unix:{}", path.display()).parse().unwrap();
            let listener = ListeningSocket::bind(&address, 0o600, None).unwrap();
            Stream::connect(&address, PATIENCE, &Limits::default()).unwrap();
            drop(listener);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{length}");
            assert!(
                format!("unix:{}", "s".repeat(LONGEST + 1))
                    .parse::<Address>()
                    .is_err()
            );
        }
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

    #[test]
    fn a_dead_socket_gives_way_a_live_one_and_a_file_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        let address = Address::Unix(path.clone());
        let listener = ListeningSocket::bind(&address, 0o660, None).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
        assert_eq!(
            ListeningSocket::bind(&address, 0o660, None)
                .unwrap_err()
                .kind(),
            ErrorKind::AddrInUse
        );
        drop(listener);
        assert!(!path.exists());
        // What one of the same number left when it was killed is in nobody's way.
        drop(UnixListener::bind(folder.path().join(format!("s.{}", std::process::id()))).unwrap());
        drop(ListeningSocket::bind(&address, 0o660, None).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(&path, "a").unwrap();
        assert_eq!(
            ListeningSocket::bind(&address, 0o660, None)
                .unwrap_err()
                .kind(),
            ErrorKind::AlreadyExists
        );
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }
}
