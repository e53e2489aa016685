//! Encodes UTF-7 (RFC 2152).
//!
//! # Limits
//! Does not break lines.

use crate::encoder::{Encode, Out};
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
    /// Returns true if a character is encoded as itself.
    fn holds(self, c: char) -> bool {
        match c {
            _ if self == Self::Imap => matches!(c, ' '..='~') && c != '&',
            'A'..='Z' | 'a'..='z' | '0'..='9' => true,
            '\'' | '(' | ')' | ',' | '-' | '.' | '/' | ':' | '?' | ' ' | '\t' | '\r' | '\n' => true,
            '!'..='}' => self == Self::WithSetO && c != '+' && c != '\\',
            _ => false,
        }
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
#[derive(Debug)]
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

    fn shifted(&mut self, c: char, out: &mut Out<'_>) {
        let plus = std::mem::take(&mut self.plus);
        let run = self.run.get_or_insert_with(|| {
            out.push(self.direct.shift() as u8);
            Base64::new(self.direct.last_digit())
        });
        if plus {
            run.push('+', out.bytes);
        }
        run.push(c, out.bytes);
    }
}

impl Encode for Utf7Encoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        for (at, c) in text.char_indices() {
            if c == '\0' && self.direct == Direct::Imap {
                return ControlFlow::Break(at);
            }
            if self.direct.holds(c) {
                self.neutral(out);
                out.push(c as u8);
            } else if c == self.direct.shift()
                && (self.run.is_none() || self.direct == Direct::Imap)
            {
                self.neutral(out);
                if self.direct == Direct::Imap {
                    out.extend(b"&-");
                } else {
                    self.plus = true;
                }
            } else {
                self.shifted(c, out);
            }
        }
        ControlFlow::Continue(())
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
#[derive(Debug)]
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

    fn push(&mut self, c: char, out: &mut Vec<u8>) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            self.pending = self.pending << 16 | u32::from(*unit);
            self.bits += 16;
            while self.bits >= 6 {
                self.bits -= 6;
                out.push(digit(
                    (self.pending >> self.bits & 0x3F) as u8,
                    self.last_digit,
                ));
            }
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
