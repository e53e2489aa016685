//! Listens at an address, with a new socket or with one that systemd passes on (socket activation).
//!
//! # Limits
//! A path that another program listens at, or where a file exists, is an error.

use crate::address::{Address, MAX_PATH, is_reached_by};
use crate::socket_folder::{Identity, SocketFolder};
use crate::stream::{Stream, connect_unix, unix_socket};
use rustix::fs::Mode;
use rustix::net::{SocketAddrUnix, bind, listen};
use std::fs;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an existing socket at the path of a new one may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(1);

/// A listening socket that the program inherited. It outlives the program.
#[derive(Debug)]
pub enum Inherited {
    /// A Unix socket.
    Unix(UnixListener),
    /// Host and port.
    Tcp(TcpListener),
}

impl Inherited {
    /// Returns its address.
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
    /// A new socket at this address.
    New(Address),
    /// An inherited socket.
    Given(Inherited),
}

impl Socket {
    /// Returns the address at which it listens or will listen.
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

/// A listening socket. Dropping it removes a Unix socket that it created.
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
    /// Listens. A Unix socket appears with its final permissions, and replaces a socket that nobody listens at.
    pub(crate) fn bind(address: &Address, mode: u32, group: Option<u32>) -> io::Result<Self> {
        match address {
            Address::Unix(path) => Self::bind_unix(path, mode, group),
            Address::Tcp(place) => Ok(Self::Tcp(TcpListener::bind(place)?)),
        }
    }

    /// Creates a Unix socket that nobody can use before it has its permissions and its name.
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
                // The new socket is removed. The first error is returned.
                folder.remove(name);
                Err(error)
            }
        }
    }

    /// Uses an inherited socket.
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

    /// Accepts the next connection. Waits for one unless the socket is non-blocking.
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

    /// Returns its address, with the port that the system chose.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Unix { path, .. } => Ok(Address::Unix(path.clone())),
            Self::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?.to_string())),
        }
    }

    /// Returns true if a connection to this address reaches this socket. Returns false if the address cannot be resolved now.
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

    /// Makes [`ListeningSocket::accept`] non-blocking.
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
        // The socket of another program stays.
        if let Self::Unix {
            made: Some((folder, made)),
            ..
        } = self
        {
            folder.remove_own(*made);
        }
    }
}

/// Returns the temporary name under which a socket is created.
fn beside(path: &Path, number: u32) -> PathBuf {
    let mut long = path.to_owned().into_os_string();
    long.push(format!(".{number}"));
    if long.len() <= MAX_PATH {
        long.into()
    } else {
        path.with_file_name(format!(".{number}"))
    }
}

/// Listens at a Unix socket to which only this user can connect so far.
fn bound(path: &Path) -> io::Result<UnixListener> {
    /// Length of the queue of waiting clients, as in std.
    const WAITING: i32 = 4_096;
    let socket = unix_socket()?;
    // Linux creates the file with the permissions of the socket.
    rustix::fs::fchmod(&socket, Mode::from_raw_mode(0o600))?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, WAITING)?;
    Ok(UnixListener::from(socket))
}

/// Returns true if a process answers at a socket; false if no socket exists.
///
/// # Errors
/// The path exists and is not a socket.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::limits::Limits;

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
    fn a_listener_that_accepts_nobody_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let socket = unix_socket().unwrap();
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
    fn a_socket_may_have_the_longest_path_that_there_is() {
        let folder = tempfile::tempdir().unwrap();
        for length in MAX_PATH - 9..=MAX_PATH {
            let rest = length - folder.path().as_os_str().len() - 1;
            let path = folder.path().join("s".repeat(rest));
            let address: Address = format!("unix:{}", path.display()).parse().unwrap();
            let listener = ListeningSocket::bind(&address, 0o600, None).unwrap();
            Stream::connect(&address, PATIENCE, &Limits::default()).unwrap();
            drop(listener);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{length}");
            assert!(
                format!("unix:{}", "s".repeat(MAX_PATH + 1))
                    .parse::<Address>()
                    .is_err()
            );
        }
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
