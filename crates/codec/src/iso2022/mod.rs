//! Decodes and encodes 7-bit ISO 2022 of mail.
//!
//! The charsets are ISO-2022-JP and its variants (RFC 1468, 1554, 2237, JIS X 0213, CP50220), ISO-2022-KR (RFC 1557), ISO-2022-CN
//! and -CN-EXT (RFC 1922). Further charsets are HZ with tildes instead of escapes (RFC 1843), and the registered two-byte sets
//! alone, without escapes.
//!
//! Escape sequences define the bytes 21-7E: directly (G0), after SO (G1), or for one character (G2, G3). In lenient mode every
//! line begins in ASCII, so that no state hides the rest of a text. A byte below 21 is never part of a character. A byte that
//! ends a character too early is read again. Two escapes in a row and empty runs are no defects, because joined encoded words
//! have them. Control sequences of terminals (`ESC [ 7 m`, ECMA-48) designate no set: lenient mode keeps them as ASCII in any state.
//!
//! | module | duty |
//! |---|---|
//! | [`control`] | the control characters |
//! | [`flavor`] | the charsets and the sets that each allows |
//! | [`escape`] | the escape sequences |
//! | [`set`] | the coded character sets, in both directions |
//! | [`decoder`], [`tilde`] | decoding |
//! | [`encoder`] | encoding |
//!
//! # Limits
//! Does not repair a lost ESC. Each 8-bit byte is U+FFFD, except katakana in ISO-2022-JP. The caller must detect text that is really
//! Shift_JIS, EUC-KR or GBK.

mod control;
mod decoder;
mod encoder;
mod escape;
mod flavor;
mod set;
mod tilde;

pub(crate) use decoder::Iso2022Decoder;
pub(crate) use encoder::Iso2022Encoder;
pub(crate) use flavor::Flavor;
pub(crate) use set::CodedSet;

use control::ESC;
use mailglot_kernel::ascii;

/// Appends a text of printable ASCII and pairs of JIS X 0208. Each run of pairs stands between `ESC $ B` and `ESC ( B`, as in nearly all
/// Japanese words. Returns false and appends nothing if there is anything else.
pub(crate) fn append_usual(flavor: Flavor, bytes: &[u8], text: &mut String) -> bool {
    let start = text.len();
    let is_usual = flavor.is_japanese() && usual(flavor, bytes, text).is_some();
    if !is_usual {
        text.truncate(start);
    }
    is_usual
}

fn usual(flavor: Flavor, bytes: &[u8], text: &mut String) -> Option<()> {
    let tables = CodedSet::Jisx0208.flat(true)?;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return Some(()),
            [ESC, b'$', b'B', behind @ ..] => {
                let read = tables.append_seven_bit(flavor.last_lead(), None, behind, text);
                let [ESC, b'(', b'B', behind @ ..] = behind.get(read..)? else {
                    return None;
                };
                behind
            }
            _ => {
                let run = rest
                    .iter()
                    .position(|byte| !matches!(byte, 0x20..=0x7E))
                    .unwrap_or(rest.len());
                if run == 0 {
                    return None;
                }
                ascii::append_prefix(&rest[..run], text);
                &rest[run..]
            }
        };
    }
}

/// Returns true if text without 8-bit bytes is plain ASCII, without shifts.
pub(crate) fn is_plain(flavor: Flavor, bytes: &[u8]) -> bool {
    flavor.initial() == CodedSet::Ascii
        && bytes.is_ascii()
        && !bytes.iter().any(|b| flavor.is_special(*b))
}
