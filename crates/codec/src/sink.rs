//! Where the machines write: a small block of bytes on the stack, validated and appended to the text when full.
//!
//! Decoders write packed UTF-8 with four-byte stores, which a `String` cannot take without `unsafe`. The block is
//! checked with SIMD when it is flushed, at a small part of the cost of decoding.
//!
//! # Limits
//! No output offsets are kept.

use crate::{LossKind, LossLog, Mode};
use std::ops::Range;

/// Bytes gathered before a flush.
const BLOCK: usize = 768;
/// Room for the overlapping stores behind the block.
const SLACK: usize = 40;
/// ASCII runs of this length go to the text directly.
const LONG_RUN: usize = 512;

/// Output side of every machine: text and losses.
pub(crate) struct Sink<'t> {
    text: &'t mut String,
    log: &'t mut LossLog,
    mode: Mode,
    buffer: [u8; BLOCK + SLACK],
    len: usize,
}

/// One character as its UTF-8 bytes in the low bytes and its length in the top byte; four-byte characters fill the
/// whole number, which their last byte (80 or more) tells. 0 is no character.
pub(crate) const fn pack(c: char) -> u32 {
    let mut bytes = [0u8; 4];
    let len = c.encode_utf8(&mut bytes).len();
    if len < 4 {
        bytes[3] = len as u8;
    }
    u32::from_le_bytes(bytes)
}

/// The length in bytes of a packed character.
#[inline]
pub(crate) fn packed_len(packed: u32) -> usize {
    let top = (packed >> 24) as usize;
    if top >= 0x80 { 4 } else { top }
}

/// The character of a packed number; `None` for 0.
pub(crate) fn unpack(packed: u32) -> Option<char> {
    std::str::from_utf8(&packed.to_le_bytes()[..packed_len(packed)]).ok()?.chars().next()
}

impl<'t> Sink<'t> {
    pub(crate) fn new(text: &'t mut String, log: &'t mut LossLog, mode: Mode) -> Self {
        Self { text, log, mode, buffer: [0; BLOCK + SLACK], len: 0 }
    }

    /// Writes one packed character.
    #[inline]
    pub(crate) fn put(&mut self, packed: u32) {
        self.put_len(packed, packed_len(packed));
    }

    /// Writes one packed character known to be of the basic plane; a little faster than [`Sink::put`].
    #[inline]
    pub(crate) fn put_basic(&mut self, packed: u32) {
        self.put_len(packed, (packed >> 24) as usize);
    }

    #[inline]
    fn put_len(&mut self, packed: u32, len: usize) {
        self.make_room();
        if let Some(slot) = self.buffer[self.len..].first_chunk_mut::<4>() {
            *slot = packed.to_le_bytes();
            self.len += len;
        }
    }

    /// Writes up to eight characters of the basic plane at once.
    #[inline]
    pub(crate) fn put_many<const N: usize>(&mut self, packed: [u32; N]) {
        const { assert!(N <= 8) };
        self.make_room();
        // A slot of fixed size and masked offsets leave nothing to check for each character.
        let Some(slot) = self.buffer[self.len..].first_chunk_mut::<36>() else { return };
        let mut len = 0;
        for p in packed {
            let at = len & 31;
            slot[at..at + 4].copy_from_slice(&p.to_le_bytes());
            len += (p >> 24) as usize & 3;
        }
        self.len += len;
    }

    /// Writes one UTF-16 unit that is no surrogate.
    #[inline]
    pub(crate) fn put_unit(&mut self, unit: u16) {
        let u = u32::from(unit);
        let packed = if u < 0x80 {
            u | 1 << 24
        } else if u < 0x800 {
            (0xC0 | u >> 6) | (0x80 | u & 0x3F) << 8 | 2 << 24
        } else {
            (0xE0 | u >> 12) | (0x80 | u >> 6 & 0x3F) << 8 | (0x80 | u & 0x3F) << 16 | 3 << 24
        };
        self.put_basic(packed);
    }

    pub(crate) fn put_char(&mut self, c: char) {
        self.put(pack(c));
    }

    pub(crate) fn put_replacement(&mut self) {
        self.put(const { pack('\u{FFFD}') });
    }

    /// Writes eight ASCII bytes.
    #[inline]
    pub(crate) fn put_ascii_8(&mut self, bytes: [u8; 8]) {
        self.make_room();
        self.buffer[self.len..self.len + 8].copy_from_slice(&bytes);
        self.len += 8;
    }

    /// Writes thirty-two ASCII bytes.
    #[inline]
    pub(crate) fn put_ascii_32(&mut self, bytes: [u8; 32]) {
        self.make_room();
        self.buffer[self.len..self.len + 32].copy_from_slice(&bytes);
        self.len += 32;
    }

    /// Writes a run of ASCII bytes of any length.
    pub(crate) fn put_ascii(&mut self, mut run: &[u8]) {
        if run.len() >= LONG_RUN {
            self.put_valid(run);
            return;
        }
        while !run.is_empty() {
            self.make_room();
            let n = run.len().min(BLOCK + SLACK - self.len);
            self.buffer[self.len..self.len + n].copy_from_slice(&run[..n]);
            self.len += n;
            run = &run[n..];
        }
    }

    /// Writes bytes that are UTF-8 already.
    pub(crate) fn put_valid(&mut self, bytes: &[u8]) {
        self.flush();
        append(self.text, bytes);
    }

    /// Logs a defect; in strict mode every defect that is more than a note for information is an error.
    pub(crate) fn record(&mut self, bytes: Range<u64>, kind: LossKind) {
        if self.mode == Mode::Lenient {
            self.log.record(bytes, kind);
        } else if !kind.is_info() {
            self.log.record_error(bytes, kind);
        }
    }

    /// Logs a defect and writes U+FFFD for it.
    #[cold]
    pub(crate) fn replace(&mut self, bytes: Range<u64>, kind: LossKind) {
        self.record(bytes, kind);
        self.put_replacement();
    }

    /// Logs what is no error in either mode.
    pub(crate) fn note(&mut self, bytes: Range<u64>, kind: LossKind) {
        self.log.record(bytes, kind);
    }

    /// Appends what is gathered to the text.
    pub(crate) fn flush(&mut self) {
        append(self.text, &self.buffer[..self.len]);
        self.len = 0;
    }

    #[inline]
    fn make_room(&mut self) {
        if self.len > BLOCK {
            self.flush();
        }
    }
}

fn append(text: &mut String, bytes: &[u8]) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        // Machines write whole characters only; should one not, its output is still text.
        Err(_) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
}

/// The length of the run of ASCII bytes at the start.
pub(crate) fn ascii_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + 32) {
        if block.iter().fold(0, |all, b| all | b) >= 0x80 {
            break;
        }
        at += 32;
    }
    at + bytes[at..].iter().position(|b| *b >= 0x80).unwrap_or(bytes.len() - at)
}

/// The next eight bytes, if they are there and all ASCII.
#[inline]
pub(crate) fn ascii_8(bytes: &[u8]) -> Option<[u8; 8]> {
    let block: [u8; 8] = *bytes.first_chunk()?;
    (u64::from_le_bytes(block) & 0x8080_8080_8080_8080 == 0).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_characters_come_out_as_they_went_in() {
        let mut text = String::new();
        let mut log = LossLog::new();
        let all: String = ('\0'..=char::MAX).collect();
        let mut sink = Sink::new(&mut text, &mut log, Mode::Lenient);
        all.chars().for_each(|c| sink.put_char(c));
        sink.flush();
        assert!(text == all);
    }

    #[test]
    fn ascii_runs_end_at_the_first_high_byte() {
        for n in 0..100 {
            let mut bytes = vec![b'a'; n];
            assert_eq!(ascii_run(&bytes), n);
            bytes.extend([0x80, b'b']);
            assert_eq!(ascii_run(&bytes), n);
        }
    }
}
