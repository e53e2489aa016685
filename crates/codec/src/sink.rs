//! Collects the output of the machines: the text and the log of losses.
//!
//! # Limits
//! Keeps no output offsets.

use crate::loss::{LossKind, LossLog};
use crate::mode::Mode;
use mailglot_kernel::{Packed, ascii};
use std::ops::Range;

/// Output side of every machine: text and losses.
pub(crate) struct Sink<'t> {
    pub(crate) text: &'t mut String,
    log: &'t mut LossLog,
    mode: Mode,
}

impl<'t> Sink<'t> {
    pub(crate) fn new(text: &'t mut String, log: &'t mut LossLog, mode: Mode) -> Self {
        Self { text, log, mode }
    }

    /// Writes one packed character.
    #[inline]
    pub(crate) fn put(&mut self, packed: Packed) {
        packed.append_to(self.text);
    }

    /// Writes one UTF-16 unit other than a surrogate.
    #[inline]
    pub(crate) fn put_unit(&mut self, unit: u16) {
        self.put(Packed::unit(unit));
    }

    #[inline]
    pub(crate) fn put_char(&mut self, c: char) {
        self.put(Packed::new(c));
    }

    /// Writes the character of one ASCII byte.
    #[inline]
    pub(crate) fn put_ascii_byte(&mut self, byte: u8) {
        self.put(Packed::ascii(byte));
    }

    fn put_replacement(&mut self) {
        self.put(Packed::REPLACEMENT);
    }

    /// Writes a run of ASCII bytes of any length, up to the first non-ASCII byte.
    pub(crate) fn put_ascii(&mut self, run: &[u8]) {
        ascii::append_prefix(run, self.text);
    }

    /// Logs a defect for which nothing is written; in strict mode every defect that is more than a note for information is an error.
    pub(crate) fn record(&mut self, bytes: Range<u64>, kind: LossKind) {
        self.log(bytes, kind, 0);
    }

    /// Logs a defect and writes U+FFFD for it.
    #[cold]
    pub(crate) fn replace(&mut self, bytes: Range<u64>, kind: LossKind) {
        self.log(bytes, kind, 1);
        self.put_replacement();
    }

    /// Logs a defect and writes `count` U+FFFD for it.
    #[cold]
    pub(crate) fn replace_by(&mut self, bytes: Range<u64>, kind: LossKind, count: usize) {
        self.log(bytes, kind, count as u64);
        (0..count).for_each(|_| self.put_replacement());
    }

    fn log(&mut self, bytes: Range<u64>, kind: LossKind, replaced: u64) {
        if self.mode == Mode::Lenient {
            self.log.add(bytes, kind, kind.is_loss(), replaced);
        } else if !kind.is_info() {
            self.log.add(bytes, kind, true, replaced);
        }
    }

    /// Logs a note, which is no error in any mode.
    pub(crate) fn note(&mut self, bytes: Range<u64>, kind: LossKind) {
        self.log.record(bytes, kind);
    }

    /// Counts a character that came out of a shifted state, if it is ASCII.
    pub(crate) fn shifted(&mut self, character: u32) {
        self.log.count_shifted(character);
    }

    /// Counts printable and other ASCII characters that came out of a shifted state.
    pub(crate) fn count_shifted(&mut self, ascii: u64, controls: u64) {
        self.log.add_shifted(ascii, controls);
    }

    /// Writes bytes that are UTF-8 already.
    pub(crate) fn put_valid(&mut self, bytes: &[u8]) {
        self.put_str(&String::from_utf8_lossy(bytes));
    }

    /// Writes text.
    pub(crate) fn put_str(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// The length of the run of ASCII bytes at the start.
pub(crate) fn ascii_run(bytes: &[u8]) -> usize {
    run_until(bytes, |b| b >= 0x80)
}

/// Returns the length of the run of bytes at the start before a `stop`.
#[inline]
pub(crate) fn run_until(bytes: &[u8], stop: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + 32) {
        if block.iter().fold(false, |any, b| any | stop(*b)) {
            break;
        }
        at += 32;
    }
    at + bytes[at..]
        .iter()
        .position(|b| stop(*b))
        .unwrap_or(bytes.len() - at)
}

/// Returns the length of the ASCII run at the start, or 1 if it is shorter than eight bytes. The first byte must be ASCII.
#[inline]
pub(crate) fn ascii_start(bytes: &[u8]) -> usize {
    if bytes
        .first_chunk::<8>()
        .is_some_and(|block| block.is_ascii())
    {
        ascii_run(bytes)
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
