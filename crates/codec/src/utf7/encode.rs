//! Encodes UTF-7 (RFC 2152).
//!
//! # Limits
//! Does not break lines.

use crate::encoder_machine::{Encode, Out};
use mailglot_kernel::base64::digit;
use std::ops::ControlFlow;

/// Which characters the encoder writes as themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direct {
    /// Set D and SP TAB CR LF.
    SetD,
    /// Set O too.
    WithSetO,
    /// Printable ASCII and SP, except `&`, which begins runs (RFC 3501, section 5.1.3).
    Imap,
}

impl Direct {
    /// Returns true if a byte is encoded as itself.
    const fn holds(self, byte: u8) -> bool {
        match byte {
            _ if matches!(self, Self::Imap) => matches!(byte, b' '..=b'~') && byte != b'&',
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => true,
            b'\'' | b'(' | b')' | b',' | b'-' | b'.' | b'/' | b':' | b'?' => true,
            b' ' | b'\t' | b'\r' | b'\n' => true,
            b'!'..=b'}' => matches!(self, Self::WithSetO) && byte != b'+' && byte != b'\\',
            _ => false,
        }
    }

    const fn table(self) -> [bool; 256] {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < table.len() {
            table[byte] = self.holds(byte as u8);
            byte += 1;
        }
        table
    }

    /// Returns the number of bytes at the start that are encoded as themselves.
    fn prefix(self, bytes: &[u8]) -> usize {
        static TABLES: [[bool; 256]; 3] = [
            Direct::SetD.table(),
            Direct::WithSetO.table(),
            Direct::Imap.table(),
        ];
        let table = &TABLES[self as usize];
        let holds = |byte: &u8| table[usize::from(*byte)];
        let (blocks, rest) = bytes.as_chunks::<16>();
        // Without branches within a block.
        let is_direct = |block: &&[u8; 16]| block.iter().fold(true, |all, byte| all & holds(byte));
        let count = blocks.iter().take_while(is_direct).count();
        let tail = blocks.get(count).map_or(rest, |block| block);
        count * 16 + tail.iter().take_while(|byte| holds(byte)).count()
    }

    /// Returns the character that begins a run. Followed by `-` it is itself.
    fn shift(self) -> char {
        if self == Self::Imap { '&' } else { '+' }
    }

    fn last_digit(self) -> u8 {
        if self == Self::Imap { b',' } else { b'/' }
    }
}

/// An encoder of UTF-7 and of modified UTF-7; a run is always ended by `-` (some decoders eat another terminator, some drop an open run).
#[derive(Clone, Debug)]
pub(crate) struct Utf7Encoder {
    direct: Direct,
    run: Option<Base64>,
    /// A pending `+` outside a run. The next character decides whether it goes into a run.
    plus: bool,
}

impl Utf7Encoder {
    pub(crate) fn new(direct: Direct) -> Self {
        Self {
            direct,
            run: None,
            plus: false,
        }
    }

    /// Encodes characters in a run, which it begins if none is open.
    fn shifted(&mut self, text: &str, out: &mut Out<'_>) {
        let plus = std::mem::take(&mut self.plus);
        let run = self.run.get_or_insert_with(|| {
            out.push(self.direct.shift() as u8);
            Base64::new(self.direct.last_digit())
        });
        if plus {
            run.push(u16::from(b'+'), out.bytes);
        }
        run.extend(text, out.bytes);
    }
}

impl Encode for Utf7Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let mut at = 0;
        loop {
            let length = self.direct.prefix(&text.as_bytes()[at..]);
            if length > 0 {
                self.neutral(out);
                out.extend(&text.as_bytes()[at..at + length]);
                at += length;
            }
            let beyond = text.as_bytes()[at..]
                .iter()
                .take_while(|byte| !byte.is_ascii());
            let end = at + beyond.count();
            if end > at {
                self.shifted(&text[at..end], out);
                at = end;
            }
            let Some(c) = text[at..].chars().next() else {
                return ControlFlow::Continue(());
            };
            if c.is_ascii() && self.direct.holds(c as u8) {
                continue;
            }
            if c == '\0' && self.direct == Direct::Imap {
                return ControlFlow::Break(at);
            }
            if c == self.direct.shift() && (self.run.is_none() || self.direct == Direct::Imap) {
                self.neutral(out);
                if self.direct == Direct::Imap {
                    out.extend(b"&-");
                } else {
                    self.plus = true;
                }
            } else {
                self.shifted(&text[at..=at], out);
            }
            at += 1;
        }
    }

    fn neutral(&mut self, out: &mut Out<'_>) {
        if std::mem::take(&mut self.plus) {
            out.extend(b"+-");
        }
        if let Some(run) = self.run.take() {
            run.finish(out.bytes);
            out.push(b'-');
        }
    }
}

/// The modified base64 of UTF-16 units.
#[derive(Clone, Debug)]
struct Base64 {
    last_digit: u8,
    pending: u32,
    bits: u32,
}

impl Base64 {
    fn new(last_digit: u8) -> Self {
        Self {
            last_digit,
            pending: 0,
            bits: 0,
        }
    }

    fn extend(&mut self, text: &str, out: &mut Vec<u8>) {
        let mut units = text.encode_utf16();
        // Three units are eight digits.
        while let Some(first) = units.next() {
            if self.bits > 0 {
                self.push(first, out);
                continue;
            }
            let (Some(second), third) = (units.next(), units.next()) else {
                self.push(first, out);
                return;
            };
            let Some(third) = third else {
                self.push(first, out);
                self.push(second, out);
                return;
            };
            let bits = u64::from(first) << 32 | u64::from(second) << 16 | u64::from(third);
            let digit = |nth: usize| digit((bits >> (42 - 6 * nth) & 0x3F) as u8, self.last_digit);
            out.extend_from_slice(&std::array::from_fn::<u8, 8, _>(digit));
        }
    }

    fn push(&mut self, unit: u16, out: &mut Vec<u8>) {
        self.pending = self.pending << 16 | u32::from(unit);
        self.bits += 16;
        while self.bits >= 6 {
            self.bits -= 6;
            out.push(digit(
                (self.pending >> self.bits & 0x3F) as u8,
                self.last_digit,
            ));
        }
    }

    fn finish(self, out: &mut Vec<u8>) {
        if self.bits > 0 {
            out.push(digit(
                (self.pending << (6 - self.bits) & 0x3F) as u8,
                self.last_digit,
            ));
        }
    }
}
