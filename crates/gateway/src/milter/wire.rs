//! Packets: four bytes of length (big-endian, of command and data), one byte of command, data.

use std::fmt;

/// The longest packet that is accepted: command, and what a server sends that was granted the largest size of data.
pub const LONGEST_PACKET: usize = (1 << 20) + 1;
/// The most data in a packet that goes out; every server takes as much.
pub const LONGEST_DATA: usize = 65_535;
/// Bytes of the length.
const LENGTH: usize = 4;
/// Bytes of a packet beside its data.
pub(super) const OVERHEAD: usize = LENGTH + 1;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its command, a letter.
    pub command: u8,
    /// What follows the command.
    pub data: &'a [u8],
}

/// Bytes that came from the server, and the packets in them.
///
/// Memory is taken for bytes that are here, never for a length that was announced.
#[derive(Debug, Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    /// Bytes at the front that were given out as packets.
    read: usize,
}

impl Incoming {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.read == self.bytes.len() {
            self.bytes.clear();
            self.read = 0;
        } else if self.read >= self.bytes.len() / 2 {
            // Each byte is moved at most once for as many that were read: linear over all.
            self.bytes.drain(..self.read);
            self.read = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next packet, when all of it is here.
    ///
    /// # Errors
    /// A length of zero, or beyond [`LONGEST_PACKET`]. The place of the next packet is unknown after that.
    pub fn packet(&mut self) -> Result<Option<Packet<'_>>, Fault> {
        let rest = &self.bytes[self.read..];
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        match length {
            0 => return Err(Fault::Empty),
            _ if length > LONGEST_PACKET => return Err(Fault::TooLong(length)),
            _ if rest.len() < length => return Ok(None),
            _ => (),
        }
        self.read += LENGTH + length;
        Ok(rest[..length].split_first().map(|(command, data)| Packet { command: *command, data }))
    }

    /// Whether a packet has begun and not ended.
    pub fn is_within_packet(&self) -> bool {
        self.read < self.bytes.len()
    }
}

/// Writes a packet whose data is given in pieces.
pub fn put(out: &mut Vec<u8>, command: u8, data: &[&[u8]]) {
    let length = data.iter().map(|piece| piece.len()).sum();
    out.reserve(OVERHEAD + length);
    begin(out, command, length);
    for piece in data {
        out.extend_from_slice(piece);
    }
}

/// Writes length and command of a packet with so many bytes of data, which must follow.
pub(super) fn begin(out: &mut Vec<u8>, command: u8, data: usize) {
    out.extend_from_slice(&u32::try_from(data + 1).unwrap_or(u32::MAX).to_be_bytes());
    out.push(command);
}

/// What no server says: the connection is closed after it, and the server defers the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A packet without command.
    Empty,
    /// A packet of so many bytes, more than [`LONGEST_PACKET`].
    TooLong(usize),
    /// A command before the negotiation.
    NotNegotiated(u8),
    /// A second negotiation.
    NegotiatedTwice,
    /// A negotiation of less than twelve bytes of data.
    ShortNegotiation,
    /// A version of the protocol below 2.
    OldVersion(u32),
    /// A string of this command has no end.
    MissingNul(u8),
    /// Port or address of a connection is missing, or its family is unknown.
    BadConnect,
    /// A command that the protocol does not have.
    UnknownCommand(u8),
}

impl Fault {
    /// A stable name for logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "packet-empty",
            Self::TooLong(_) => "packet-too-long",
            Self::NotNegotiated(_) => "not-negotiated",
            Self::NegotiatedTwice => "negotiated-twice",
            Self::ShortNegotiation => "optneg-short",
            Self::OldVersion(_) => "optneg-version",
            Self::MissingNul(_) => "string-without-end",
            Self::BadConnect => "connect-data",
            Self::UnknownCommand(_) => "unknown-command",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::TooLong(length) => write!(f, " ({length} bytes)"),
            Self::NotNegotiated(command) | Self::MissingNul(command) | Self::UnknownCommand(command) => {
                write!(f, " (command {})", command.escape_ascii())
            }
            Self::OldVersion(version) => write!(f, " ({version})"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn packets(pieces: &[&[u8]]) -> Result<Vec<(u8, Vec<u8>)>, Fault> {
        let (mut incoming, mut all) = (Incoming::default(), Vec::new());
        for piece in pieces {
            incoming.push(piece);
            while let Some(packet) = incoming.packet()? {
                all.push((packet.command, packet.data.to_vec()));
            }
        }
        Ok(all)
    }

    #[test]
    fn packets_come_back_at_every_split() {
        let mut bytes = Vec::new();
        put(&mut bytes, b'L', &[b"Subject", b"\0", b" a", b"\0"]);
        put(&mut bytes, b'N', &[]);
        put(&mut bytes, b'B', &[&[0; 300]]);
        let whole = packets(&[&bytes]).unwrap();
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[0], (b'L', b"Subject\0 a\0".to_vec()));
        for first in 0..=bytes.len() {
            for second in [first, (first + 1).min(bytes.len()), usize::midpoint(first, bytes.len())] {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(packets(&pieces).unwrap(), whole, "{first} {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(packets(&single).unwrap(), whole);
    }

    #[test]
    fn lengths_are_held_to_their_limits() {
        assert_eq!(packets(&[b"\0\0\0\0x"]), Err(Fault::Empty));
        assert_eq!(packets(&[b"\xff\xff\xff\xffx"]), Err(Fault::TooLong(0xffff_ffff)));
        assert_eq!(packets(&[b"\0\x10\0\x01"]), Ok(vec![]), "the longest is waited for");
        assert_eq!(packets(&[b"\0\x10\0\x02"]), Err(Fault::TooLong(LONGEST_PACKET + 1)));
    }

    #[test]
    fn memory_follows_the_bytes_that_came() {
        let mut incoming = Incoming::default();
        incoming.push(b"\0\x10\0\x01B");
        assert_eq!(incoming.packet(), Ok(None));
        assert!(incoming.is_within_packet());
        assert!(incoming.bytes.capacity() < 1_000);
    }
}
