//! The WHATWG encodings of `encoding_rs`, asked one sequence at a time, and its encoders.
//!
//! The machines for single bytes build their tables from these answers at first use. Those for double bytes have them in
//! `data/tables/web/`, and come back here for what no table holds.
//!
//! # Limits
//! Nothing of `encoding_rs` passes this crate's public interface.

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

/// What a sequence of bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The first `len` bytes are these characters (the second is NUL where there is only one).
    Text { len: usize, chars: [char; 2] },
    /// The first `len` bytes are malformed; what follows is to be read again.
    Malformed { len: usize },
    /// More bytes are needed.
    More,
}

/// The first step of decoding `bytes` (not empty) from the initial state.
pub(crate) fn step(encoding: &'static Encoding, bytes: &[u8], last: bool) -> Step {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut out = [0_u8; 16];
    for (i, byte) in bytes.iter().enumerate() {
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(std::slice::from_ref(byte), &mut out, false);
        match result {
            DecoderResult::Malformed(_, after) => {
                // A byte that is to be read again may be unread, or read and counted in `after`.
                return Step::Malformed {
                    len: (i + read).saturating_sub(usize::from(after)).max(1),
                };
            }
            _ if written > 0 => {
                let text = std::str::from_utf8(&out[..written]).unwrap_or("\u{FFFD}");
                let mut chars = text.chars();
                let chars = [
                    chars.next().unwrap_or('\u{FFFD}'),
                    chars.next().unwrap_or('\0'),
                ];
                return Step::Text { len: i + 1, chars };
            }
            _ => {}
        }
    }
    if !last {
        return Step::More;
    }
    Step::Malformed { len: bytes.len() }
}

/// The character of one byte, if the byte is one by itself.
pub(crate) fn single(encoding: &'static Encoding, byte: u8) -> Option<char> {
    match step(encoding, &[byte], false) {
        Step::Text { chars: [c, _], .. } => Some(c),
        _ => None,
    }
}

/// The bytes of one character from the initial state and back to it; `None` if it cannot be mapped.
pub(crate) fn encode_char(encoding: &'static Encoding, c: char) -> Option<([u8; 16], usize)> {
    let mut out = [0_u8; 16];
    let mut utf8 = [0_u8; 4];
    let mut encoder = encoding.new_encoder();
    let (result, _, written) =
        encoder.encode_from_utf8_without_replacement(c.encode_utf8(&mut utf8), &mut out, true);
    matches!(result, EncoderResult::InputEmpty).then_some((out, written))
}
