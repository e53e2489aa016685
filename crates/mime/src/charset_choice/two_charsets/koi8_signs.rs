//! Decodes text in KOI8-R with signs of windows-1251.
//!
//! ```text
//! label koi8-r   "\xDC\xD4\xCF \x97 \xAB\xCE\xCF\xD7\xC1\xD1\xBB \xB95"   это — «новая» №5
//! label koi8-r   "\x80\x80\x84 \xC6\xC1\xCA\xCC"                           stays KOI8-R: ──└ файл
//! label koi8-r   "2\x963, 22/7\x973.14"                                    stays KOI8-R: 2√3, 22/7≈3.14
//! ```
//!
//! Gateways and editors converted the letters of windows-1251 and left its quotation marks, dashes and other signs as they were. KOI8-R has
//! lines of tables in their place.
//!
//! # Limits
//! Knows KOI8-R and KOI8-U. A pair of quotation marks, an apostrophe or a number sign proves the signs. So do three dashes or ellipses.
//! Text with other lines of tables, or with a sign in a place that text does not have, stays as it is. Two quotation marks are a pair if they
//! stand in one line, with fewer than 1,000 bytes between them.

use super::mixed_text::{MixedText, RestCharset, decode_runs};
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use mailglot_codec::Charset;
use std::ops::Range;

/// Number of dashes and ellipses that prove the signs.
const MIN_WEAK: usize = 3;
/// Number of bytes after an opening quotation mark that are searched for the closing one. A search of whole lines takes quadratic time.
const MAX_QUOTATION: usize = 1_000;

/// What the signs of a text say.
#[derive(Default)]
struct Signs {
    /// The runs of bytes that may be signs of windows-1251.
    runs: Vec<Range<usize>>,
    /// Signs that prove windows-1251.
    strong: usize,
    /// Signs that KOI8-R may have in the same place: `масса ≈ массе`.
    weak: usize,
}

/// Decodes text in `koi8` with signs of windows-1251. Returns `None` unless they are proved.
pub(crate) fn with_signs_in_koi8(bytes: &[u8], koi8: RestCharset) -> Option<MixedText> {
    let signs = signs(bytes, koi8.charset)?;
    let is_proved = signs.strong > 0 || signs.weak >= MIN_WEAK;
    let runs: Vec<_> = signs
        .runs
        .into_iter()
        .map(|run| (run, Charset::WINDOWS_1251))
        .collect();
    is_proved.then(|| decode_runs(bytes, &runs, koi8))
}

/// Returns true if dashes or ellipses of windows-1251 may stand in text in `koi8`, too few to prove it: `это ≈ новая версия`.
pub(crate) fn may_have_signs(bytes: &[u8], koi8: Charset) -> bool {
    signs(bytes, koi8).is_some_and(|signs| signs.weak > 0)
}

/// Returns the signs of a text in KOI8; `None` for other charsets, and for text with lines of tables.
fn signs(bytes: &[u8], koi8: Charset) -> Option<Signs> {
    if ![Charset::KOI8_R, Charset::KOI8_U].contains(&koi8) {
        return None;
    }
    let letters = KoiLetters {
        is_ukrainian: koi8 == Charset::KOI8_U,
    };
    let mut signs = Signs::default();
    for at in sign_offsets(bytes) {
        let byte = bytes[at];
        if letters.has(byte) || is_sign_of_koi8(byte) {
            continue;
        }
        match letters.place_of_sign(bytes, at) {
            KoiSignPlace::Certain => signs.strong += 1,
            KoiSignPlace::Usual => signs.weak += 1,
            KoiSignPlace::Open => {}
            KoiSignPlace::Wrong => return None,
        }
        match signs.runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at + 1,
            None => signs.runs.push(at..at + 1),
        }
    }
    Some(signs)
}

/// Where a sign of windows-1251 stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KoiSignPlace {
    /// KOI8-R has no sign there.
    Certain,
    /// Text often has the sign there, and KOI8-R may have its own one.
    Usual,
    /// Both may have a sign there.
    Open,
    /// Text has no such sign there: it is a line of a table.
    Wrong,
}

/// The bytes that are letters in KOI8.
#[derive(Clone, Copy)]
struct KoiLetters {
    is_ukrainian: bool,
}

impl KoiLetters {
    fn has(self, byte: u8) -> bool {
        match byte {
            0xA3 | 0xB3 | 0xC0.. => true,
            0xA4 | 0xA6 | 0xA7 | 0xAD | 0xB4 | 0xB6 | 0xB7 | 0xBD => self.is_ukrainian,
            _ => byte.is_ascii_alphabetic(),
        }
    }

    fn place_of_sign(self, bytes: &[u8], at: usize) -> KoiSignPlace {
        let byte = bytes[at];
        let (before, after) = (
            byte_or_blank(bytes, at.checked_sub(1)),
            byte_or_blank(bytes, Some(at + 1)),
        );
        // Lines of tables stand side by side.
        if before == byte || after == byte {
            return KoiSignPlace::Wrong;
        }
        let begins = !self.has(before) && self.has(after);
        let ends = (self.has(before) || before.is_ascii_digit() || is_end_of_sentence(before))
            && !self.has(after)
            && !after.is_ascii_digit();
        let pair_if = |is_placed: bool, partner: bool| match (is_placed, partner) {
            (false, _) => KoiSignPlace::Wrong,
            (true, true) => KoiSignPlace::Certain,
            (true, false) => KoiSignPlace::Open,
        };
        let rest = &bytes[at + 1..];
        let rest = &rest[..rest.len().min(MAX_QUOTATION)];
        let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        match byte {
            // « „ “ before ».
            0xAB => pair_if(begins, rest.contains(&0xBB)),
            0x84 => pair_if(begins, rest.contains(&0x93)),
            0x93 => pair_if(begins || ends, begins && rest.contains(&0x94)),
            // ‘ ” »
            0x91 => pair_if(begins, false),
            0x94 | 0xBB => pair_if(ends, false),
            // ’
            0x92 if self.has(before) && self.has(after) => KoiSignPlace::Certain,
            0x92 => pair_if(ends, false),
            // …
            0x85 if ends => KoiSignPlace::Usual,
            0x85 => KoiSignPlace::Wrong,
            // – —
            0x96 | 0x97 => self.place_of_dash(bytes, at),
            // №
            0xB9 => pair_if(number_follows(rest), true),
            // ™ after a name.
            0x99 if before.is_ascii_alphabetic() => KoiSignPlace::Open,
            // A bullet, a no-break space.
            0x95 | 0xA0 => KoiSignPlace::Open,
            _ => KoiSignPlace::Wrong,
        }
    }

    /// Returns the place of a dash between words. Between digits, `√` and `≈` are as likely.
    fn place_of_dash(self, bytes: &[u8], at: usize) -> KoiSignPlace {
        let (before, after) = (
            byte_or_blank(bytes, at.checked_sub(1)),
            byte_or_blank(bytes, Some(at + 1)),
        );
        let is_blank = |byte: &u8| matches!(byte, b' ' | 0xA0);
        let word_before = bytes[..at].iter().rev().find(|byte| !is_blank(byte));
        let word_after = bytes[at + 1..].iter().find(|byte| !is_blank(byte));
        let is_between_blanks = is_blank(&before) && matches!(after, b' ' | 0xA0 | b'\r' | b'\n');
        match (word_before, word_after) {
            (Some(one), Some(other))
                if is_between_blanks && !matches!(one, b'\n') && self.has(*other) =>
            {
                KoiSignPlace::Usual
            }
            // `≈ 5`, `√ 4`: signs of KOI8-R.
            (_, Some(other)) if other.is_ascii_digit() && !before.is_ascii_digit() => {
                KoiSignPlace::Wrong
            }
            _ => KoiSignPlace::Open,
        }
    }
}

/// Returns the offsets of the bytes from 80 to BF except A3 and B3 (`ё`, `Ё`). All signs are among them.
fn sign_offsets(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const BLOCK: usize = 64;
    let may_be_sign = |byte: &u8| byte & 0xC0 == 0x80 && byte & 0xEF != 0xA3;
    // The compiler vectorizes this loop.
    let may_have_sign = move |block: &[u8]| {
        let add = |found: u8, byte: &u8| found | u8::from(may_be_sign(byte));
        block.iter().fold(0, add) > 0
    };
    let blocks = bytes.chunks(BLOCK).enumerate();
    blocks
        .filter(move |(_, block)| may_have_sign(block))
        .flat_map(|(nth, block)| (nth * BLOCK..).zip(block))
        .filter(move |(_, byte)| may_be_sign(byte))
        .map(|(at, _)| at)
}

/// Returns true for signs of KOI8-R that are no lines: no-break space, degree, superscript two, middle dot, division, copyright.
fn is_sign_of_koi8(byte: u8) -> bool {
    matches!(byte, 0x9A | 0x9C..=0x9F | 0xBF)
}

fn is_end_of_sentence(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b'!' | b'?' | b')' | b'%' | 0x85 | 0xBB)
}

/// Returns true if a number follows, behind at most one blank.
fn number_follows(rest: &[u8]) -> bool {
    let rest = match rest {
        [b' ' | 0xA0, rest @ ..] => rest,
        rest => rest,
    };
    rest.first().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    /// Encodes letters in KOI8-R and all other characters in windows-1251.
    fn converted(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for c in text.chars() {
            let charset = if c.is_alphabetic() {
                "KOI8-R"
            } else {
                "windows-1251"
            };
            bytes.extend(encoded(charset, &c.to_string()));
        }
        bytes
    }

    fn read(bytes: &[u8], charset: Charset) -> Option<String> {
        let koi8 = RestCharset::named(charset);
        with_signs_in_koi8(bytes, koi8).map(|mixed| mixed.text)
    }

    #[test]
    fn signs_of_windows_are_read() {
        for text in [
            "Да — это «новая» версия.",
            "Смотри файл №5 и № 7.",
            "Это «новая» версия",
            "Он сказал “привет” и ушёл…",
            "„Правда“, 10–15 раз",
            "Windows™ и «Мир»…",
            "Да — это так — но не сразу… вот",
            "don’t",
        ] {
            let found = read(&converted(text), Charset::KOI8_R);
            assert_eq!(found.as_deref(), Some(text));
        }
    }

    #[test]
    fn single_dashes_are_suspect() {
        for (text, expected) in [
            ("Да — это новая версия", true),
            ("и ушёл…", true),
            ("10–15 раз", false),
            ("Привет", false),
        ] {
            let found = may_have_signs(&converted(text), Charset::KOI8_R);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn signs_of_koi8_stay() {
        for text in [
            "Привет, как дела",
            "≈ 5 рублей, √ 4",
            "╔═══╗ текст ║",
            "└── файл",
            "└привет┘",
            "■ пункт",
            "Вот и конец статьи.■",
            "20 °С, © Иванов",
            "▒▒▒ текст",
            "а ≈ 5",
            "а≥ б",
            "Дробь 22/7≈3.14 равна 2√3 метра",
            "Масса планеты ≈ массе Земли",
            "См. ╚здесь",
        ] {
            let bytes = encoded("KOI8-R", text);
            assert_eq!(read(&bytes, Charset::KOI8_R), None, "{text}");
        }
        assert_eq!(read(&converted("«да»"), Charset::WINDOWS_1251), None);
    }

    #[test]
    fn sign_offsets_are_those_of_a_plain_search() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        let is_sign = |byte: u8| matches!(byte, 0x80..=0xBF) && !matches!(byte, 0xA3 | 0xB3);
        for start in 0..=bytes.len() {
            let text = &bytes[start..];
            let expected: Vec<usize> = (0..text.len()).filter(|at| is_sign(text[*at])).collect();
            assert_eq!(sign_offsets(text).collect::<Vec<_>>(), expected, "{start}");
        }
    }

    #[test]
    fn long_lines_take_linear_time() {
        for unit in ["да\u{A0}", "«да ", "„да ", "а — б – "] {
            let bytes = converted(unit);
            crate::linear::assert_linear(&unit, 200_000, |n| {
                let _ = read(&bytes.repeat(n), Charset::KOI8_R);
            });
        }
    }

    #[test]
    fn ukrainian_letters_are_no_signs() {
        let bytes = encoded("KOI8-U", "Їжак і ґанок, Європа");
        assert_eq!(read(&bytes, Charset::KOI8_U), None);
    }
}
