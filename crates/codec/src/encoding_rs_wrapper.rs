//! Wraps the crate `encoding_rs`: decodes one sequence of bytes, and encodes one character.
//!
//! Machines have tables from `data/tables/web/`, and ask here for sequences that no table has.
//!
//! # Limits
//! The public interface of this crate mentions nothing of `encoding_rs`.

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

/// The meaning of a sequence of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The first `len` bytes are these characters; the second is NUL if there is only one.
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

/// Returns the bytes of one character, from the initial state back to it; `None` if the encoding lacks it.
pub(crate) fn encode_char(encoding: &'static Encoding, c: char) -> Option<([u8; 16], usize)> {
    let mut out = [0_u8; 16];
    let mut utf8 = [0_u8; 4];
    let mut encoder = encoding.new_encoder();
    let (result, _, written) =
        encoder.encode_from_utf8_without_replacement(c.encode_utf8(&mut utf8), &mut out, true);
    matches!(result, EncoderResult::InputEmpty).then_some((out, written))
}
