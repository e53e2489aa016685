//! Composes letters and marks, as in Unicode's form NFC. macOS writes file names in form NFD.
//!
//! ```text
//! e U+0301         é
//! U+1109 U+1161    사
//! か U+3099         が
//! ```
//!
//! The tests of text know composed letters only, so they judge composed text.
//!
//! # Limits
//! Letters of European languages and Vietnamese, Hangul and kana, each with the marks in the order of NFD.

use memchr::memmem;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Marks, the letters that have them, and these letters composed.
const LETTERS: [(char, &str, &str); 17] = [
    (
        '\u{300}',
        "AEIOUaeiouИеиÂâĂăÊêÔôƠơƯưYy",
        "ÀÈÌÒÙàèìòùЍѐѝẦầẰằỀềỒồỜờỪừỲỳ",
    ),
    (
        '\u{301}',
        "AEIOUYaeiouyCcLlNnRrSsZzΑΕΗΙΟΥΩϊαεηιϋουωГКгкÂâĂăÊêÔôƠơƯư",
        "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźΆΈΉΊΌΎΏΐάέήίΰόύώЃЌѓќẤấẮắẾếỐốỚớỨứ",
    ),
    (
        '\u{302}',
        "AEIOUaeiouCcGgHhJjSsWwYyẠạẸẹỌọ",
        "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẬậỆệỘộ",
    ),
    (
        '\u{303}',
        "ANOanoIiUuÂâĂăEeÊêÔôƠơƯưYy",
        "ÃÑÕãñõĨĩŨũẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ",
    ),
    ('\u{306}', "AaEeGgIiOoUuУИиуẠạ", "ĂăĔĕĞğĬĭŎŏŬŭЎЙйўẶặ"),
    ('\u{307}', "CcEeGgIZz", "ĊċĖėĠġİŻż"),
    ('\u{308}', "AEIOUaeiouyYΙΥιυЕІеі", "ÄËÏÖÜäëïöüÿŸΪΫϊϋЁЇёї"),
    ('\u{30A}', "AaUu", "ÅåŮů"),
    ('\u{30B}', "OoUu", "ŐőŰű"),
    ('\u{30C}', "CcDdEeLlNnRrSsTtZz", "ČčĎďĚěĽľŇňŘřŠšŤťŽž"),
    ('\u{31B}', "OoUu", "ƠơƯư"),
    ('\u{323}', "AaEeIiOoƠơUuƯưYy", "ẠạẸẹỊịỌọỢợỤụỰựỴỵ"),
    ('\u{327}', "CcGgKkLlNnRrSsTt", "ÇçĢģĶķĻļŅņŖŗŞşŢţ"),
    ('\u{328}', "AaEeIiUu", "ĄąĘęĮįŲų"),
    (
        '\u{309}',
        "AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy",
        "ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ",
    ),
    ('\u{326}', "SsTt", "ȘșȚț"),
    ('\u{304}', "AaEeIiOoUu", "ĀāĒēĪīŌōŪū"),
];

/// Returns the text with letters in place of letters with marks behind them. Fast for text without marks.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    if !may_have_marks(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        let both = last.and_then(|before| compose(before, c));
        if both.is_none() {
            out.extend(last);
        }
        last = both.or(Some(c));
    }
    out.extend(last);
    Cow::Owned(out)
}

/// Returns true if UTF-8 has the lead bytes of marks or of letters of Hangul, or the marks of kana. Fast.
fn may_have_marks(bytes: &[u8]) -> bool {
    static KANA_MARKS: LazyLock<[memmem::Finder<'static>; 2]> = LazyLock::new(|| {
        let finder = |mark: &'static str| memmem::Finder::new(mark.as_bytes());
        [finder("\u{3099}"), finder("\u{309A}")]
    });
    let Some(first) = memchr::memchr3(0xCC, 0xE1, 0xE3, bytes) else {
        return false;
    };
    let rest = &bytes[first..];
    let has_kana_mark = || KANA_MARKS.iter().any(|mark| mark.find(rest).is_some());
    memchr::memchr2(0xCC, 0xE1, rest).is_some() || has_kana_mark()
}

fn compose(base: char, mark: char) -> Option<char> {
    match mark {
        '\u{300}'..='\u{33F}' => {
            let (_, bases, letters) = LETTERS.iter().find(|(own, ..)| *own == mark)?;
            let place = bases.chars().position(|letter| letter == base)?;
            letters.chars().nth(place)
        }
        '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}' => compose_hangul(base, mark),
        '\u{3099}' => compose_kana(base, 1),
        '\u{309A}' => compose_kana(base, 2),
        _ => None,
    }
}

/// Composes a syllable (The Unicode Standard, section 3.12).
fn compose_hangul(base: char, part: char) -> Option<char> {
    const SYLLABLES: u32 = 0xAC00;
    const VOWELS: u32 = 21;
    const FINALS: u32 = 28;
    let (base, part) = (u32::from(base), u32::from(part));
    let syllable = match (base, part) {
        (0x1100..=0x1112, 0x1161..=0x1175) => {
            SYLLABLES + ((base - 0x1100) * VOWELS + part - 0x1161) * FINALS
        }
        (SYLLABLES..=0xD7A3, 0x11A8..=0x11C2) if (base - SYLLABLES).is_multiple_of(FINALS) => {
            base + part - 0x11A7
        }
        _ => return None,
    };
    char::from_u32(syllable)
}

/// Composes kana with the voiced mark, one place behind the letter, or with the half-voiced mark, two places behind.
fn compose_kana(base: char, places: u32) -> Option<char> {
    const VOICED: &str = "かきくけこさしすせそたちつてとカキクケコサシスセソタチツテト";
    const BOTH: &str = "はひふへほハヒフヘホ";
    let may_have = BOTH.contains(base) || places == 1 && VOICED.contains(base);
    may_have.then(|| char::from_u32(u32::from(base) + places))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_are_composed() {
        for (text, expected) in [
            ("Pre\u{301}sentation, garc\u{327}on", "Présentation, garçon"),
            ("Vie\u{323}\u{302}t", "Việt"),
            ("Андреи\u{306}, Ελε\u{301}νη", "Андрей, Ελένη"),
            ("\u{1109}\u{1161}\u{110C}\u{1175}\u{11AB}.jpg", "사진.jpg"),
            ("か\u{3099}ハ\u{309A}", "がパ"),
            (
                "q\u{301} \u{1161} \u{1109} か\u{309A}",
                "q\u{301} \u{1161} \u{1109} か\u{309A}",
            ),
            ("plain é", "plain é"),
            ("", ""),
        ] {
            assert_eq!(composed(text), expected, "{text}");
        }
    }
}
