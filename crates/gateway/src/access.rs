//! Checks who may reach a server, and which hosts it may connect to: only this machine, unless `allow_remote` is set.
//!
//! # Limits
//! A host name counts as remote if one of its addresses is remote, or if it has none. It is resolved and checked again when it is used.

use crate::address::Address;
use crate::limits::Limits;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

impl Limits {
    /// Returns why a server must not listen at `address` or send mail to `next_hop`; `None` if it may.
    ///
    /// Addresses beyond the loopback interface need [`Limits::allow_remote`]. A TCP listener there also needs [`Limits::client_networks`].
    pub fn refusal(&self, address: &Address, next_hop: Option<&Address>) -> Option<String> {
        let needed =
            "`allow_remote = true` with `client_networks` (--allow-remote, --client-network)";
        let is_tcp = matches!(address, Address::Tcp(_));
        if !is_tcp && !self.client_networks.is_empty() {
            return Some(format!(
                "client_networks: clients of {address} have no network; its mode and group say who may connect"
            ));
        }
        if self.allow_remote {
            return (is_tcp && self.client_networks.is_empty()).then(|| {
                format!(
                    "allow_remote: {address} needs `client_networks` (--client-network), the networks of its clients"
                )
            });
        }
        if !is_local(address, false) {
            return Some(format!(
                "{address} can be reached from other machines; this needs {needed}"
            ));
        }
        next_hop
            .filter(|hop| !is_local(hop, true))
            .map(|hop| format!("next_hop: {hop} is not on this machine; this needs {needed}"))
    }

    /// Checks a resolved address: it must belong to this machine, unless remote addresses are allowed. `connects` is false for a listener.
    pub(crate) fn check_local(&self, address: SocketAddr, connects: bool) -> io::Result<()> {
        if self.allow_remote || is_loopback(address.ip(), connects) {
            return Ok(());
        }
        let words = format!("{address} is not on this machine, which needs allow_remote");
        Err(io::Error::new(ErrorKind::PermissionDenied, words))
    }

    /// Returns true if a client with this address may be served. `None` is a client on a Unix socket.
    pub(crate) fn admits(&self, client: Option<IpAddr>) -> bool {
        let Some(client) = client else { return true };
        self.client_networks.is_empty()
            || self
                .client_networks
                .iter()
                .any(|network| network.contains(client))
    }
}

/// Returns true for a TCP address with a host name, which the system has to resolve.
pub(crate) fn is_named(address: &Address) -> bool {
    matches!(address, Address::Tcp(place) if place.parse::<SocketAddr>().is_err())
}

/// Returns true if only this machine can reach the address, or if it `connects` to this machine.
fn is_local(address: &Address, connects: bool) -> bool {
    let place = match address {
        Address::Unix(_) => return true,
        Address::Tcp(place) => place,
    };
    let Ok(addresses) = place.to_socket_addrs() else {
        return false;
    };
    let addresses: Vec<_> = addresses.collect();
    !addresses.is_empty()
        && addresses
            .iter()
            .all(|address| is_loopback(address.ip(), connects))
}

/// Returns true for addresses of the loopback interface (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
///
/// A connection to the unspecified address (`0.0.0.0`) reaches this machine. A listener there is reachable at all addresses.
fn is_loopback(address: IpAddr, connects: bool) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || connects && address.is_unspecified()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refusal(
        allow_remote: bool,
        networks: &[&str],
        address: &str,
        hop: Option<&str>,
    ) -> Option<String> {
        let client_networks = networks.iter().map(|text| text.parse().unwrap()).collect();
        let limits = Limits {
            allow_remote,
            client_networks,
            ..Limits::default()
        };
        limits.refusal(
            &address.parse().unwrap(),
            hop.map(|hop| hop.parse().unwrap()).as_ref(),
        )
    }

    #[test]
    fn beyond_this_machine_is_asked_for_with_networks() {
        let (local, remote) = (
            [
                "unix:/a",
                "tcp:127.0.0.1:1",
                "tcp:[::1]:1",
                "tcp:127.9.9.9:1",
            ],
            [
                "tcp:0.0.0.0:1",
                "tcp:[::]:1",
                "tcp:192.0.2.1:1",
                "tcp:[2001:db8::1]:1",
                "tcp:no-such-host.invalid:1",
            ],
        );
        for address in local {
            assert_eq!(refusal(false, &[], address, None), None, "{address}");
            for hop in local.into_iter().chain(["tcp:0.0.0.0:1", "tcp:[::]:1"]) {
                assert_eq!(
                    refusal(false, &[], address, Some(hop)),
                    None,
                    "{address} {hop}"
                );
            }
            for hop in &remote[2..] {
                assert!(
                    refusal(false, &[], address, Some(hop)).is_some(),
                    "{address} {hop}"
                );
                let needs_list = address.starts_with("tcp");
                assert_eq!(
                    refusal(true, &[], address, Some(hop)).is_some(),
                    needs_list,
                    "{address} {hop}"
                );
                if needs_list {
                    assert_eq!(refusal(true, &["127.0.0.0/8"], address, Some(hop)), None);
                }
            }
        }
        for address in remote {
            assert!(refusal(false, &[], address, None).is_some(), "{address}");
            assert!(
                refusal(false, &["192.0.2.0/24"], address, None).is_some(),
                "{address}"
            );
            assert!(refusal(true, &[], address, None).is_some(), "{address}");
            assert_eq!(
                refusal(true, &["192.0.2.0/24"], address, None),
                None,
                "{address}"
            );
        }
        assert!(refusal(true, &["192.0.2.0/24"], "unix:/a", None).is_some());
    }
}
