//! Parses the address of a listener or next hop, `unix:PATH` or `tcp:HOST:PORT`, and compares addresses.
//!
//! # Limits
//! A path has at most [`MAX_PATH`] bytes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs, UdpSocket};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::{fmt, fs};

/// Maximum bytes of the path of a Unix socket.
pub(crate) const MAX_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// An address to listen at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("unix" | "local", path)) if path.len() > MAX_PATH => Err(format!(
                "`{path}` has {} bytes, and the path of a socket at most {MAX_PATH}",
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

/// Returns true if a connection to `other` reaches a socket of this machine that listens at `own`.
pub(crate) fn is_reached_by(own: IpAddr, other: IpAddr) -> bool {
    let (own, mut other) = (own.to_canonical(), other.to_canonical());
    if other.is_unspecified() {
        // A connection to the unspecified address goes to this machine.
        other = if other.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        };
    }
    // A listener at all addresses of IPv6 usually accepts connections of IPv4 too.
    let all = own.is_unspecified() && (own.is_ipv6() || other.is_ipv4());
    // Only an address of this machine can be bound.
    own == other || all && UdpSocket::bind((other, 0)).is_ok()
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
}
