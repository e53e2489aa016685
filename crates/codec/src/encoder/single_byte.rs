//! Encodes single-byte charsets with the reverse of the decoder's table.
//!
//! # Limits
//! Does not decompose characters for windows-1258; `twins` does.

use super::out::{Encode, Gather, Out};
use crate::charset::Kind;
use crate::decoder::table;
use crate::generated::charsets::COUNT;
use crate::single_byte::{Page, Reverse};
use crate::{Charset, Mode};
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// An encoder by a table of a single-byte charset.
#[derive(Debug)]
pub(super) struct SingleByte {
    reverse: &'static Reverse,
}

impl SingleByte {
    pub(super) fn new(charset: Charset, mode: Mode) -> Self {
        static REVERSE: [OnceLock<Reverse>; 2 * COUNT] = [const { OnceLock::new() }; 2 * COUNT];
        let at = charset.index() * 2 + usize::from(mode == Mode::Strict);
        Self {
            reverse: REVERSE[at].get_or_init(|| reverse(charset, mode)),
        }
    }
}

/// Makes the reverse of the characters that are encoded: the charset's own, in lenient mode only those that lenient decoding reads as the
/// same. A C1 control of ISO-8859-1 would be decoded as a letter of windows-1252.
fn reverse(charset: Charset, mode: Mode) -> Reverse {
    let strict = table(charset, Mode::Strict);
    if mode == Mode::Strict {
        return Reverse::new(strict, |_| true);
    }
    // Holes of Windows pages are controls there, as WHATWG writes them.
    let as_read = match charset.kind() {
        Kind::SingleByte(page) => {
            matches!(
                page,
                Page::Own(_) | Page::Web(_) | Page::Windows(_) | Page::Koi8U
            )
        }
        _ => false,
    };
    let own = if as_read {
        table(charset, Mode::Lenient)
    } else {
        strict
    };
    let read = table(charset.superset(), Mode::Lenient);
    Reverse::new(own, |byte| own.cell(byte) == read.cell(byte))
}

impl Encode for SingleByte {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let reverse = self.reverse;
        let bytes = text.as_bytes();
        let ascii = reverse.is_ascii();
        out.bytes.reserve(text.len());
        let mut gathered = Gather::new();
        let mut at = 0;
        while let Some(first) = bytes.get(at) {
            if *first < 0x80 && ascii {
                at += gathered.put_ascii(&bytes[at..], out);
                continue;
            }
            // Letters of most alphabets take two bytes.
            if (0xC0..0xE0).contains(first) && at + 1 < bytes.len() {
                let code = u32::from(*first & 0x1F) << 6 | u32::from(bytes[at + 1] & 0x3F);
                if let Some(byte) = char::from_u32(code).and_then(|c| reverse.byte(c)) {
                    gathered.put([byte], out);
                    at += 2;
                    continue;
                }
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let Some(byte) = reverse.byte(c) else {
                gathered.flush(out);
                return ControlFlow::Break(at);
            };
            gathered.put([byte], out);
            at += c.len_utf8();
        }
        gathered.flush(out);
        ControlFlow::Continue(())
    }
}
