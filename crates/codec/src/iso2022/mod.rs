//! ISO 2022 in seven bits, as mail uses it: ISO-2022-JP and its relatives (RFC 1468, 1554, 2237, JIS X 0213, CP50220),
//! ISO-2022-KR (RFC 1557), ISO-2022-CN and -CN-EXT (RFC 1922), HZ (RFC 1843), whose tildes do what escapes do, and
//! the registered sets of two bytes by themselves, without any escapes.
//!
//! Escape sequences say what the bytes 21-7E mean: directly (G0), after SO (G1), or for one character (G2, G3).
//! Leniently every line begins in ASCII, whatever state the last one ended in, so that no state hides the rest of a
//! text; a byte below 21 is never part of a character, and a byte that ends a character too early is read again. Two
//! escapes in a row and empty runs are nothing to remark on, as joined encoded-words have them.
//!
//! | module | |
//! |---|---|
//! | [`flavor`] | the charsets, and what each of them allows |
//! | [`escape`] | the escape sequences |
//! | [`set`] | the coded character sets, both ways |
//! | [`decoder`], [`tilde`] | reading |
//! | [`encoder`] | writing |
//!
//! # Limits
//! A lost ESC is not repaired. Eight-bit bytes are U+FFFD each, but for katakana in ISO-2022-JP; whether the text is
//! really Shift_JIS, EUC-KR or GBK is for the caller to find out.

mod decoder;
mod encoder;
mod escape;
mod flavor;
mod set;
mod tilde;

pub(crate) use decoder::Iso2022;
pub(crate) use encoder::Encoder;
pub(crate) use flavor::Flavor;
pub(crate) use set::Set;

use mailglot_kernel::ascii;

/// What stands between most lines of Japanese text.
const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

const ESC: u8 = 0x1B;
const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// Appends a text of printable ASCII and pairs of JIS X 0208, each run of them between `ESC $ B` and `ESC ( B`, as nearly all Japanese
/// words are; false, and nothing is appended, where there is anything else.
pub(crate) fn append_usual(flavor: Flavor, bytes: &[u8], text: &mut String) -> bool {
    let start = text.len();
    let is_usual = flavor.is_japanese() && usual(flavor, bytes, text).is_some();
    if !is_usual {
        text.truncate(start);
    }
    is_usual
}

fn usual(flavor: Flavor, bytes: &[u8], text: &mut String) -> Option<()> {
    let tables = Set::Jisx0208.flat(true)?;
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

/// Whether text without eight-bit bytes is ASCII by itself: nothing in it can shift.
pub(crate) fn is_plain(flavor: Flavor, bytes: &[u8]) -> bool {
    flavor.initial() == Set::Ascii
        && bytes.is_ascii()
        && !bytes.iter().any(|b| flavor.is_special(*b))
}
