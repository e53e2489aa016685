//! Parses and writes packets of the milter protocol: a length of four bytes (big-endian, of command and data), a command byte, data.

use std::fmt;

/// Bytes of the longest accepted packet, without its length field: a command byte, and the largest data size that can be negotiated.
pub const LONGEST_PACKET: usize = (1 << 20) + 1;
/// Maximum bytes of data in an outgoing packet. Every mail server accepts packets of this size.
pub const LONGEST_DATA: usize = 65_535;
/// Bytes of the length field.
const LENGTH: usize = 4;
/// Bytes of a packet beside its data.
pub(super) const OVERHEAD: usize = LENGTH + 1;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The command, a letter.
    pub command: u8,
    /// The data behind the command.
    pub data: &'a [u8],
}

/// Minimum size of the read buffer.
const LEAST_ROOM: usize = 16 << 10;
/// Size of the first buffer, and of the buffer of a busy connection.
const USUAL: usize = 64 << 10;
const LARGE: usize = 256 << 10;

/// Collects the bytes of a mail server, and splits them into packets.
///
/// Memory grows with the bytes that arrive, never with the length that a packet announces.
#[derive(Debug, Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    /// Bytes at the front that [`Incoming::packet`] has returned.
    read: usize,
    /// Bytes at the front that have arrived. The read buffer is behind them.
    filled: usize,
}

impl Incoming {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pack();
        self.bytes.truncate(self.filled);
        self.bytes.extend_from_slice(bytes);
        self.filled = self.bytes.len();
    }

    /// Returns a buffer to read into, at least `LEAST_ROOM` bytes. The caller must call [`Incoming::add_read`] after it.
    pub fn read_buffer(&mut self) -> &mut [u8] {
        self.pack();
        if self.bytes.len() - self.filled < LEAST_ROOM {
            // A packet that is longer than the buffer, or the first read.
            let mut larger = vec![0; (2 * self.bytes.len()).max(USUAL)];
            larger[..self.filled].copy_from_slice(&self.bytes[..self.filled]);
            self.bytes = larger;
        }
        &mut self.bytes[self.filled..]
    }

    /// Adds the first `count` bytes of [`Incoming::read_buffer`], at most all of it.
    pub fn add_read(&mut self, count: usize) {
        let room = self.bytes.len() - self.filled;
        self.filled += count.min(room);
        if count >= room && room >= USUAL && self.bytes.len() < LARGE {
            // The read filled the buffer, so more input may wait.
            self.bytes.resize(LARGE, 0);
        }
    }

    /// Moves unread bytes to the front if that is cheap.
    fn pack(&mut self) {
        if self.read == self.filled {
            (self.read, self.filled) = (0, 0);
            if self.bytes.len() > LARGE {
                // Long packets are rare.
                self.bytes = Vec::new();
            }
        } else if self.read >= self.filled / 2 {
            // Moves at most as many bytes as were read since the last move, so the total time is linear.
            self.bytes.copy_within(self.read..self.filled, 0);
            self.filled -= self.read;
            self.read = 0;
        }
    }

    /// Returns the next packet; `None` until it has arrived completely.
    ///
    /// # Errors
    /// The length is zero or exceeds [`LONGEST_PACKET`]. The start of the next packet is unknown then.
    pub fn packet(&mut self) -> Result<Option<Packet<'_>>, ProtocolError> {
        let rest = &self.bytes[self.read..self.filled];
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length) as usize;
        match length {
            0 => return Err(ProtocolError::Empty),
            _ if length > LONGEST_PACKET => return Err(ProtocolError::TooLong(length)),
            _ if rest.len() < length => return Ok(None),
            _ => (),
        }
        self.read += LENGTH + length;
        Ok(rest[..length].split_first().map(|(command, data)| Packet {
            command: *command,
            data,
        }))
    }

    /// Returns true if there is a buffer without unprocessed bytes.
    pub(crate) fn has_idle_buffer(&self) -> bool {
        !self.bytes.is_empty() && !self.is_within_packet()
    }

    /// Releases a buffer without unprocessed bytes.
    pub(crate) fn release_memory(&mut self) {
        if !self.is_within_packet() {
            *self = Self::default();
        }
    }

    /// Returns true if a packet has begun and not ended.
    pub fn is_within_packet(&self) -> bool {
        self.read < self.filled
    }
}

/// Writes a packet whose data is given in pieces.
pub fn put(out: &mut Vec<u8>, command: u8, data: &[&[u8]]) {
    let length = data.iter().map(|piece| piece.len()).sum();
    out.reserve(OVERHEAD + length);
    out.extend_from_slice(&head(command, length));
    for piece in data {
        out.extend_from_slice(piece);
    }
}

/// Returns length and command of a packet with `data` bytes of data.
pub(super) fn head(command: u8, data: usize) -> [u8; OVERHEAD] {
    let [a, b, c, d] = u32::try_from(data + 1).unwrap_or(u32::MAX).to_be_bytes();
    [a, b, c, d, command]
}

/// A violation of the milter protocol. The connection is closed, and the mail server defers the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A packet without command.
    Empty,
    /// A packet longer than [`LONGEST_PACKET`], with its length in bytes.
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

impl ProtocolError {
    /// Returns a stable name for logs and counters.
    pub fn kind(self) -> &'static str {
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

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::TooLong(length) => write!(f, " ({length} bytes)"),
            Self::NotNegotiated(command)
            | Self::MissingNul(command)
            | Self::UnknownCommand(command) => {
                write!(f, " (command {})", command.escape_ascii())
            }
            Self::OldVersion(version) => write!(f, " ({version})"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ProtocolError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn packets(pieces: &[&[u8]]) -> Result<Vec<(u8, Vec<u8>)>, ProtocolError> {
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
            for second in [
                first,
                (first + 1).min(bytes.len()),
                usize::midpoint(first, bytes.len()),
            ] {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(packets(&pieces).unwrap(), whole, "{first} {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(packets(&single).unwrap(), whole);
    }

    #[test]
    fn lengths_are_held_to_their_limits() {
        assert_eq!(packets(&[b"\0\0\0\0x"]), Err(ProtocolError::Empty));
        assert_eq!(
            packets(&[b"\xff\xff\xff\xffx"]),
            Err(ProtocolError::TooLong(0xffff_ffff))
        );
        assert_eq!(
            packets(&[b"\0\x10\0\x01"]),
            Ok(vec![]),
            "the longest is waited for"
        );
        assert_eq!(
            packets(&[b"\0\x10\0\x02"]),
            Err(ProtocolError::TooLong(LONGEST_PACKET + 1))
        );
    }

    #[test]
    fn memory_follows_the_bytes_that_came() {
        let mut incoming = Incoming::default();
        incoming.push(b"\0\x10\0\x01B");
        assert_eq!(incoming.packet(), Ok(None));
        assert!(incoming.is_within_packet());
        assert!(incoming.bytes.capacity() < 1_000);
    }

    #[test]
    fn a_rest_costs_no_byte() {
        let mut incoming = Incoming::default();
        for _ in 0..3 {
            while incoming.bytes.len() < LARGE {
                let room = incoming.read_buffer().len();
                incoming.read_buffer().fill(0);
                incoming.read_buffer()[..SHORT.len()].copy_from_slice(SHORT);
                incoming.add_read(room);
                incoming.read = incoming.filled;
            }
            assert!(incoming.has_idle_buffer());
            incoming.release_memory();
            assert!(incoming.bytes.capacity() == 0 && !incoming.has_idle_buffer());
            incoming.read_buffer()[..3].copy_from_slice(&SHORT[..3]);
            incoming.add_read(3);
            assert!(!incoming.has_idle_buffer());
            incoming.release_memory();
            incoming.push(&SHORT[3..]);
            assert_eq!(incoming.packet().unwrap().unwrap().data, b"ab");
        }
    }

    /// A packet.
    const SHORT: &[u8] = b"\0\0\0\x03Bab";

    #[test]
    fn packets_come_back_from_reads_of_any_length() {
        let body: Vec<u8> = (0..LONGEST_PACKET - 1).map(|at| (at % 251) as u8).collect();
        let mut bytes = Vec::new();
        for length in [
            0,
            1,
            300,
            70_000,
            0,
            LONGEST_PACKET - 1,
            65_535,
            65_535,
            65_535,
            65_535,
            5,
        ] {
            put(&mut bytes, b'B', &[&body[..length]]);
        }
        let whole = packets(&[&bytes]).unwrap();
        for step in [1_000, 4_096, 65_540, usize::MAX] {
            let (mut incoming, mut rest, mut all) = (Incoming::default(), &bytes[..], Vec::new());
            while !rest.is_empty() {
                let room = incoming.read_buffer();
                assert!(room.len() >= LEAST_ROOM);
                let count = room.len().min(step).min(rest.len());
                room[..count].copy_from_slice(&rest[..count]);
                rest = &rest[count..];
                incoming.add_read(count);
                while let Some(packet) = incoming.packet().unwrap() {
                    all.push((packet.command, packet.data.to_vec()));
                }
            }
            assert!(all == whole, "{step}");
            assert!(incoming.bytes.len() <= 4 * (LONGEST_PACKET + USUAL));
        }
    }
}
