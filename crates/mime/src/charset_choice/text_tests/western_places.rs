//! Finds bytes of windows-1252 in places that are usual for their letters and signs, and where damaged UTF-8 leaves no such byte.
//!
//! ```text
//! Re: \xC7a y est          Ça    the shortest word that begins so
//! Les \x9Cufs              œ     two letters show the word
//! 5 \xB0C, \xA35           ° £   signs beside numbers
//! ```
//!
//! # Limits
//! Words of one letter may be in any alphabet: `\xE8` is `è` in Italian and `и` in Russian. So may letters before others be: `\x9A` is `š`
//! in windows-1252 and `Ü` in IBM850.
//!
//! Examines few bytes, each between ASCII characters. A byte at the end of the text may be the start of a cut character. So may a
//! byte before a space that was a no-break space (A0): `\xC3 `, `\xC5 koda`, `\xD0 `.

use super::neighbor_bytes::byte_or_blank;
use mailglot_codec::detect::{self, high_bytes};

/// Maximum number of bytes above 7F.
const FEW: usize = 4;

/// Returns true if there are few bytes above 7F, and windows-1252 has a letter or sign for each that is usual in its place.
pub(crate) fn has_usual_western_places(bytes: &[u8]) -> bool {
    let places: Vec<usize> = high_bytes(bytes).take(FEW + 1).collect();
    (1..=FEW).contains(&places.len())
        && places.iter().all(|at| {
            let place = HighBytePlace::of(bytes, *at);
            place.is_between_ascii() && (place.has_usual_letter() || place.has_usual_sign())
        })
}

/// A byte above 7F and what stands around it. Spaces stand before and after the text.
struct HighBytePlace<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The two bytes before, the nearest last.
    before: [u8; 2],
    /// The two bytes behind.
    after: [u8; 2],
}

impl<'b> HighBytePlace<'b> {
    fn of(bytes: &'b [u8], at: usize) -> Self {
        let byte = |at: Option<usize>| byte_or_blank(bytes, at);
        Self {
            bytes,
            at,
            before: [byte(at.checked_sub(2)), byte(at.checked_sub(1))],
            after: [byte(at.checked_add(1)), byte(at.checked_add(2))],
        }
    }

    fn is_between_ascii(&self) -> bool {
        self.before[1].is_ascii() && self.after[0].is_ascii()
    }

    fn begins_word(&self) -> bool {
        !self.before[1].is_ascii_alphanumeric()
    }

    fn has_usual_letter(&self) -> bool {
        let [next, far] = self.after;
        match self.bytes[self.at] {
            // Ça
            0xC7 => self.begins_word() && next == b'a' && !far.is_ascii_alphanumeric(),
            // Œ œ: œuvre, œil
            0x8C | 0x9C => self.begins_word() && (next == b'u' || (next, far) == (b'i', b'l')),
            _ => false,
        }
    }

    fn has_usual_sign(&self) -> bool {
        let [far_before, before] = self.before;
        let [next, far] = self.after;
        let is_before_number = next.is_ascii_digit() || next == b' ' && far.is_ascii_digit();
        let is_behind_number =
            before.is_ascii_digit() || before == b' ' && far_before.is_ascii_digit();
        let is_alone = |byte: u8| !byte.is_ascii_alphanumeric();
        match self.bytes[self.at] {
            // € £ ¥
            0x80 | 0xA3 | 0xA5 => detect::is_beside_number(self.bytes, self.at),
            // ¡ ¿
            0xA1 => self.begins_word() && next.is_ascii_alphabetic() && self.is_followed_by(b'!'),
            0xBF => self.begins_word() && next.is_ascii_alphabetic() && self.is_followed_by(b'?'),
            // § © ±
            0xA7 | 0xA9 | 0xB1 => self.begins_word() && is_before_number,
            // ª º °
            0xAA => before.is_ascii_digit() && is_alone(next),
            0xBA => self.is_number_sign(is_before_number),
            0xB0 => {
                let is_degree = || is_alone(next) || b"CF".contains(&next) && is_alone(far);
                is_behind_number && is_degree() || self.is_number_sign(is_before_number)
            }
            // ®
            0xAE => before.is_ascii_alphanumeric() && is_alone(next),
            // µ
            0xB5 => is_behind_number && b"mgslAFHSVW".contains(&next) && is_alone(far),
            // ¼ ¾ ½
            0xBC | 0xBE => before.is_ascii_digit() && is_alone(next),
            0xBD => {
                before.is_ascii_digit() && is_alone(next)
                    || before == b' ' && next == b' ' && far.is_ascii_alphanumeric()
            }
            // × ÷
            0xD7 | 0xF7 => {
                let is_apart = before == b' ' && next == b' ';
                before.is_ascii_digit() && next.is_ascii_digit()
                    || is_apart && far_before.is_ascii_alphanumeric() && far.is_ascii_alphanumeric()
            }
            _ => false,
        }
    }

    /// Returns true behind a digit, and between `n` and a number: `1º`, `nº 5`.
    fn is_number_sign(&self, is_before_number: bool) -> bool {
        let [far_before, before] = self.before;
        let is_ordinal = before.is_ascii_digit() && !self.after[0].is_ascii_alphanumeric();
        let is_number = matches!(before, b'n' | b'N') && !far_before.is_ascii_alphanumeric();
        is_ordinal || is_number && is_before_number
    }

    fn is_followed_by(&self, sign: u8) -> bool {
        self.bytes[self.at..].contains(&sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_signs_have_their_places() {
        for text in [
            &b"Re: \xC7a y est"[..],
            b"Les \x9Cufs",
            b"\xA35",
            b"5 \xB0C",
            b"n\xB0 5, 1\xAA volta",
            b"\xA7 5",
            b"\xBD price",
            b"10 \xD7 5",
            b"\xA1Oferta!",
            b"\xBFHola?",
        ] {
            assert!(has_usual_western_places(text), "{}", text.escape_ascii());
        }
    }

    /// Cut characters, half characters before a no-break space that became a space, and the ends of characters.
    #[test]
    fn damaged_utf8_has_other_places() {
        for text in [
            &b"Re: \xE6"[..],
            // In Russian and in IBM850.
            b"Google \xE8 Apple",
            b"Re: \x9Abersicht",
            b"Norge \xE5",
            b"Voil\xC3 !",
            b"\xC3 demain",
            b"\xC5 koda",
            b"x \xD0 y",
            b"it\xE2 s",
            b"\xBCr",
            b"\x9Cber",
            b"\xA9 abc",
            b"\xA1Hola",
            b"\xFF",
            b"Gr\xC3\xB6\xC3 e",
            b"\xE8\xA0 abc",
            b"x \xE8 \xA0y",
            b"plain",
        ] {
            assert!(!has_usual_western_places(text), "{}", text.escape_ascii());
        }
    }
}
