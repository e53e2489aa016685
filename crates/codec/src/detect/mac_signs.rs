//! Finds text whose bytes above 7F are apostrophes, quotation marks and other signs of macintosh, where Latin-1 has capitals.
//!
//! ```text
//! don\xD5t           macintosh `don’t`, Latin-1 `donÕt`
//! \xD2hello\xD3      macintosh `“hello”`, Latin-1 `ÒhelloÓ`
//! l\xD5\x8Etude      macintosh `l’étude`, windows-1252 `lÕŽtude`
//! ```
//!
//! # Rules
//! Macintosh is proven by contractions and possessives of English (`don’t`, `Bob’s`), elisions of French and Italian (`l’étude`), and words in
//! quotation marks. All other bytes above 7F must be small letters or signs of macintosh in usual places: `\xD0` is a dash between words, and
//! `\x8E` is `é` beside a small letter. One byte elsewhere, such as the `\xE9` of `Jos\xE9`, disproves macintosh.
//!
//! # Limits
//! Text without such words stays in its charset, although `\xD5` may be an apostrophe: `the boys\xD5 room`.

use super::apostrophe::{Apostrophe, quoted_words};
use super::odd_text::high_bytes;

const OPENING: u8 = 0xD2;
const CLOSING: u8 = 0xD3;
const APOSTROPHE: u8 = 0xD5;
const NO_BREAK_SPACE: u8 = 0xCA;

/// Counts the apostrophes and quotations that prove macintosh. Returns 0 if a byte above 7F is no sign or small letter of macintosh in a usual
/// place.
pub fn mac_signs(bytes: &[u8]) -> usize {
    // Most texts have no apostrophe and no quotation mark of macintosh.
    if memchr::memchr2(APOSTROPHE, OPENING, bytes).is_none() {
        return 0;
    }
    let mut proofs = 0;
    for at in high_bytes(bytes) {
        match place(bytes, at) {
            SignPlace::Proof => proofs += 1,
            SignPlace::Usual => {}
            SignPlace::Odd => return 0,
        }
    }
    proofs
}

/// How a byte above 7F fits macintosh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignPlace {
    /// An apostrophe or quotation mark that no other charset has there: `don\xD5t`.
    Proof,
    /// A sign or small letter that may stand there: `caf\x8E`.
    Usual,
    /// No sign or letter of macintosh that may stand there: `Jos\xE9`.
    Odd,
}

/// Returns how the byte at `at` fits macintosh.
fn place(bytes: &[u8], at: usize) -> SignPlace {
    let is_proof = match bytes[at] {
        APOSTROPHE => is_contraction(Apostrophe::at(bytes, at)),
        OPENING => is_quotation(bytes, at),
        _ => false,
    };
    let beside = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n');
    if is_proof {
        SignPlace::Proof
    } else if is_usual(
        bytes[at],
        beside(at.checked_sub(1)),
        beside(at.checked_add(1)),
    ) {
        SignPlace::Usual
    } else {
        SignPlace::Odd
    }
}

/// Returns true if a byte above 7F is a sign or small letter of macintosh that may stand between two other bytes.
fn is_usual(byte: u8, last: u8, next: u8) -> bool {
    let ends_text = is_text_end(last);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let is_within = last.is_ascii_lowercase() && next.is_ascii_lowercase();
    match byte {
        APOSTROPHE => {
            ends_text && !next.is_ascii_uppercase()
                || last.is_ascii_alphabetic() && matches!(next, b'S' | b'T')
                || last.is_ascii_alphabetic() && is_small_letter(next)
                || matches!(last, b'l' | b'L' | b'd' | b'D' | b'O') && next.is_ascii_uppercase()
                || !is_word(last) && next.is_ascii_digit()
        }
        // `‘`
        0xD4 => !is_word(last) && (is_word(next) || is_small_letter(next)),
        OPENING => !is_word(last) && !next.is_ascii_whitespace(),
        CLOSING => ends_text && !is_word(next),
        // Dashes.
        0xD0 | 0xD1 => is_within || !is_word(last) && !is_word(next) || ends_text && next == b' ',
        // `…`
        0xC9 => ends_text && !next.is_ascii_uppercase(),
        NO_BREAK_SPACE => !last.is_ascii_uppercase() && !next.is_ascii_lowercase(),
        // `«`, `»`
        0xC7 => !is_word(last) && matches!(next, b' ' | NO_BREAK_SPACE),
        0xC8 => (ends_text || last == NO_BREAK_SPACE) && !is_word(next),
        // `•`
        0xA5 => last.is_ascii_whitespace() && next.is_ascii_whitespace(),
        // `®`, `™`
        0xA8 | 0xAA => is_word(last) && !is_word(next),
        // `©`
        0xA9 => !is_word(last),
        // `°`, `£`, `€`
        0xA1 => last.is_ascii_digit(),
        0xA3 | 0xDB => !last.is_ascii_alphabetic() && !next.is_ascii_alphabetic(),
        // `ß`, `œ`; `î`, `ñ` and `ó`, which are signs of windows-1252.
        0xA7 => last.is_ascii_lowercase(),
        0xCF | 0x94 | 0x96 | 0x97 => is_within,
        // The word `à`.
        0x88 if last == b' ' && next == b' ' => true,
        _ => is_small_letter(byte) && (last.is_ascii_lowercase() || next.is_ascii_lowercase()),
    }
}

/// Returns true for the small letters of macintosh between 80 and 9F that are no quotation marks or dashes in windows-1252.
fn is_small_letter(byte: u8) -> bool {
    byte.is_ascii_lowercase()
        || matches!(byte, 0x87..=0x8A | 0x8D..=0x90 | 0x99 | 0x9A | 0x9C..=0x9F)
}

/// Returns true if a byte may end words in small letters.
fn is_text_end(byte: u8) -> bool {
    byte.is_ascii_lowercase()
        || byte.is_ascii_digit()
        || byte.is_ascii_punctuation()
        || is_small_letter(byte)
        || matches!(byte, CLOSING | APOSTROPHE | 0xC9)
}

/// Returns true for the apostrophe of a contraction, possessive or elision in small letters.
fn is_contraction(apostrophe: Apostrophe<'_>) -> bool {
    let Apostrophe { word, end, .. } = apostrophe;
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    let has_capital = word.len() > 1 && word[1..].iter().any(u8::is_ascii_uppercase);
    if word.is_empty() || has_capital || is_digit(apostrophe.before) || is_digit(apostrophe.after) {
        return false;
    }
    let (is_pronoun, is_auxiliary) = (apostrophe.is_pronoun(), apostrophe.is_auxiliary());
    match end {
        b"t" => is_auxiliary,
        b"s" => word.len() > 2 || is_pronoun,
        b"re" | b"ll" | b"d" => is_pronoun,
        b"ve" => is_pronoun || is_auxiliary,
        b"m" => word == b"I",
        // `é`, `è` and `ê` begin the next word.
        [] => matches!(apostrophe.after, Some(0x8E..=0x90)) && apostrophe.is_elided(),
        [b'a' | b'e' | b'h' | b'i' | b'o' | b'u' | b'y', rest @ ..] => {
            end.iter().all(u8::is_ascii_lowercase)
                && (rest.len() > 1 || matches!(end, b"ai" | b"en" | b"il" | b"un" | b"on" | b"au"))
                && apostrophe.is_elided()
        }
        _ => false,
    }
}

/// Returns true if the quotation mark at `at` begins several letters in quotation marks that end in small ones: `\xD2hello\xD3`.
fn is_quotation(bytes: &[u8], at: usize) -> bool {
    quoted_words(bytes, at, [OPENING, CLOSING]).is_some_and(|words| {
        let mut letters = words.iter().rev().filter(|b| !b.is_ascii_punctuation());
        words.len() > 1 && letters.next().is_some_and(u8::is_ascii_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use super::*;
    use crate::charset::Charset;
    use crate::loss::LossLog;

    fn mac(text: &str) -> Vec<u8> {
        let bytes = Charset::MACINTOSH.encode_exact(text);
        bytes.expect("the charset has every character").into_owned()
    }

    fn guessed(bytes: &[u8]) -> (Charset, f32) {
        let hints = Hints {
            ascii_compatible: true,
            ..Hints::default()
        };
        let guess = detect(bytes, &hints);
        (guess.charset, guess.confidence)
    }

    #[test]
    fn contractions_elisions_and_quotations_prove_macintosh() {
        for (text, expected) in [
            ("I don’t know", 1),
            ("I don’t know, don’t ask", 2),
            ("We’ve seen that you’re late, and I’m not.", 3),
            ("It’s Bob’s fault, isn’t it? I don’t know… maybe.", 4),
            ("He’d say they’ll come", 2),
            ("“hello” he said – twice", 1),
            ("“We can’t,” she said—and “we won’t.”", 4),
            ("DON’T PANIC, it’s fine", 1),
            ("l’avis d’autres, qu’il a", 3),
            ("l’étude à part, c’est ça", 2),
            ("dell’anno, all’inizio", 2),
            ("the workers’ rights, the ’90s: it’s over ‘now’", 1),
            ("«\u{A0}Je n’ai\u{A0}»\u{A0}: 5 €, 20°", 1),
        ] {
            assert_eq!(mac_signs(&mac(text)), expected, "{text}");
            let (charset, confidence) = guessed(&mac(text));
            let read = charset.decode(&mac(text), &mut LossLog::new()).into_owned();
            assert_eq!(read, text);
            assert_eq!(confidence > 0.9, expected > 1, "{text} {confidence}");
        }
    }

    #[test]
    fn capitals_of_other_charsets_prove_nothing() {
        for (charset, text) in [
            ("windows-1252", "OPÕE"),
            ("windows-1252", "AS NAÇÕES, LIMÕES E BOTÕES"),
            ("windows-1252", "Õues on külm, Õnne"),
            ("windows-1252", "JÕUD, VÕIT, ÕS"),
            ("windows-1252", "donÕt, itÕs in Estonian: JÕGI"),
            ("windows-1252", "Øystein donÕt itÕs Ødegård"),
            ("windows-1252", "donÕt itÕs café"),
            ("windows-1252", "École donÕt itÕs"),
            ("windows-1252", "É isto: itÕs donÕt"),
            ("windows-1252", "Òpera i Ócar"),
            ("windows-1252", "ÒHELLOÓ"),
            ("windows-1252", "Õ Ò Ó"),
            ("windows-1252", "it’s donÕt won’t itÕs"),
            ("windows-1251", "Хорошо, это так"),
            ("KOI8-R", "Уже рядом с домом"),
            ("ISO-8859-2", "Őrség, FŐ, Ňom"),
            ("IBM857", "Kıbrıs, yalnız, sınıf, kızım"),
            ("GBK", "这里的照片 don誸"),
            ("ISO-8859-7", "Υγεία"),
        ] {
            let charset = Charset::for_name(charset).expect("a known charset");
            let bytes = charset.encode_exact(text).expect("in the charset");
            assert_eq!(mac_signs(&bytes), 0, "{text}");
        }
        // Vietnamese in TCVN3: `tiếng Việt`, `biết`, `nếu`.
        for bytes in [&b"ti\xD5ng"[..], b"bi\xD5t", b"n\xD5u", b"h\xD5t, k\xD5t"] {
            assert_eq!(mac_signs(bytes), 0, "{}", bytes.escape_ascii());
        }
    }
}
