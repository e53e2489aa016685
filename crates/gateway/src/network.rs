//! Parses networks of clients in CIDR notation (RFC 4632): `192.0.2.0/24`.
//!
//! # Limits
//! Accepts neither host names nor IPv6 zones.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A network such as `192.0.2.0/24` or `2001:db8::/32`; an address alone is a network of one.
///
/// ```
/// use mailglot_gateway::Network;
///
/// let network: Network = "192.0.2.0/24".parse().unwrap();
/// assert!(network.contains("192.0.2.7".parse().unwrap()));
/// assert!(!network.contains("198.51.100.7".parse().unwrap()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// Number of leading bits that all addresses of the network share.
    prefix: u32,
}

impl Network {
    /// Returns true if `address` belongs to the network. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.7`) counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (own, other) = (bits(self.address), bits(address.to_canonical()));
        own.1 == other.1 && masked(own, self.prefix) == masked(other, self.prefix)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("`{text}` is no network such as 192.0.2.0/24 or 2001:db8::/32");
        let (address, prefix) = text
            .split_once('/')
            .map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| unknown())?;
        let (_, width) = bits(address);
        let prefix = match prefix {
            None => width,
            // No sign, and no more digits than are needed.
            Some(digits)
                if (1..=3).contains(&digits.len())
                    && digits.bytes().all(|b| b.is_ascii_digit()) =>
            {
                digits
                    .parse()
                    .ok()
                    .filter(|prefix| *prefix <= width)
                    .ok_or_else(unknown)?
            }
            Some(_) => return Err(unknown()),
        };
        let network = Self { address, prefix };
        let first = masked(bits(address), prefix);
        if first != bits(address).0 {
            let first = match address {
                IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits(first as u32)),
                IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from_bits(first)),
            };
            return Err(format!(
                "`{text}` has bits behind its prefix; the network is {first}/{prefix}"
            ));
        }
        Ok(network)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// Returns the bits of an address, and their number.
fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (address.to_bits().into(), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// Keeps the leading bits of a number, and clears the others.
fn masked((bits, width): (u128, u32), prefix: u32) -> u128 {
    let behind = width - prefix;
    bits.checked_shr(behind)
        .and_then(|bits| bits.checked_shl(behind))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Compares each prefix with the bits of the addresses, one by one.
    #[test]
    fn every_prefix_has_its_addresses() {
        let base = [
            u128::from(0xc000_02ff_u32),
            0x2001_0db8_0000_0000_0000_0000_ffff_ffff,
        ];
        for (base, width) in base.into_iter().zip([32, 128]) {
            let address = |bits: u128| match width {
                32 => IpAddr::V4(Ipv4Addr::from_bits(bits as u32)),
                _ => IpAddr::V6(Ipv6Addr::from_bits(bits)),
            };
            for prefix in 0..=width {
                let first = masked((base, width), prefix);
                let network: Network = format!("{}/{prefix}", address(first)).parse().unwrap();
                assert_eq!(network.to_string().parse::<Network>().unwrap(), network);
                for flipped in 0..width {
                    // Bit 0 is the first of the address.
                    let other = address(base ^ (1 << (width - 1 - flipped)));
                    assert_eq!(
                        network.contains(other),
                        flipped >= prefix,
                        "{network} {other}"
                    );
                }
            }
        }
    }

    #[test]
    fn families_do_not_mix_but_for_ipv4_written_as_ipv6() {
        let all = |text: &str| text.parse::<Network>().unwrap();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(all("0.0.0.0/0").contains(address("192.0.2.1")));
        assert!(!all("0.0.0.0/0").contains(address("2001:db8::1")));
        assert!(!all("::/0").contains(address("192.0.2.1")));
        assert!(all("192.0.2.1").contains(address("::ffff:192.0.2.1")));
        assert!(!all("192.0.2.1").contains(address("192.0.2.2")));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "/",
            "a",
            "192.0.2.0/33",
            "192.0.2.0/",
            "192.0.2.0/-1",
            "192.0.2/24",
            "::/129",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        for text in [
            "192.0.2.0/+24",
            "192.0.2.0/024x",
            "localhost",
            "192.0.2.0/24/24",
            " 192.0.2.0/24",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let error = "192.0.2.7/24".parse::<Network>().unwrap_err();
        assert!(error.ends_with("the network is 192.0.2.0/24"), "{error}");
    }
}
