//! What speaks against a label that reads every byte. Mailers that know one charset only write its name over everything, and that
//! charset is nearly always Latin-1.
//!
//! # Limits
//! Only labels of Latin-1 and its kin are doubted, and those with bytes 80-9F that no table explains. What is looked at is the first
//! 4 KiB from the first byte above 7F; where nothing there is odd, detection is not asked, so that right labels cost nothing.

use super::superset::has_c1;
use mailglot_codec::Charset;

/// How much of a text is looked at.
const WINDOW: usize = 4096;
/// Bytes above 7F that are looked at.
const ENOUGH: usize = 64;

/// Whether detection is to be asked about this label.
pub(super) fn is_doubtful(label: Charset, bytes: &[u8]) -> bool {
    match label.name() {
        "ISO-8859-1" | "windows-1252" | "ISO-8859-15" => is_odd_latin(bytes),
        "ISO-8859-4" | "ISO-8859-5" => has_c1(bytes),
        _ => false,
    }
}

/// Whether bytes are rarely found so in languages of Western Europe: letters that only Icelandic has (and which are Turkish under another
/// label), signs within words, and most of the bytes above 7F side by side, as in other scripts.
fn is_odd_latin(bytes: &[u8]) -> bool {
    let Some(start) = bytes.iter().position(|b| *b >= 0x80) else { return false };
    let window = &bytes[start..bytes.len().min(start + WINDOW)];
    let before = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    let (mut high, mut side_by_side) = (0, 0);
    for at in high_bytes(window).take(ENOUGH) {
        let byte = window[at];
        let last = at.checked_sub(1).map_or(before, |at| window[at]);
        let next = window.get(at + 1).copied().unwrap_or(b' ');
        if is_icelandic(byte) || is_sign(byte) && is_letter(last) && is_letter(next) {
            return true;
        }
        high += 1;
        side_by_side += usize::from(last >= 0x80 || next >= 0x80);
    }
    side_by_side * 2 > high
}

/// Bytes above 7F up to which their being of one language weighs more than a model of another.
const FEW: usize = 16;
/// Letters of the languages of Western Europe beyond ASCII, in windows-1252: German, French, Spanish, Portuguese, those of the North, Italian.
const LANGUAGES: [&[u8]; 6] = [
    b"\xe4\xf6\xfc\xdf\xe9",
    b"\xe0\xe2\xe4\xe6\xe7\xe8\xe9\xea\xeb\xee\xef\xf4\xf6\xf9\xfb\xfc\xff\x8c\x9c\x9f",
    b"\xe1\xe9\xed\xf1\xf3\xfa\xfc",
    b"\xe0\xe1\xe2\xe3\xe7\xe9\xea\xed\xf3\xf4\xf5\xfa\xfc",
    b"\xe4\xe5\xe6\xe9\xf6\xf8\xfc",
    b"\xe0\xe8\xe9\xec\xf2\xf9",
];

/// Whether the few letters above 7F are all of one language of Western Europe, and no sign stands within a word.
pub(super) fn is_western(bytes: &[u8]) -> bool {
    let mut possible = LANGUAGES.to_vec();
    for (count, at) in high_bytes(bytes).enumerate() {
        let byte = bytes[at];
        let beside = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|b| is_letter(*b));
        let lower = if matches!(byte, 0xC0..=0xDE) { byte | 0x20 } else { byte };
        if !matches!(byte, 0xA1..=0xBF) {
            possible.retain(|letters| letters.contains(&lower));
        } else if is_sign(byte) && beside(at.checked_sub(1)) && beside(Some(at + 1)) {
            return false;
        }
        if count >= FEW || possible.is_empty() {
            return false;
        }
    }
    true
}

/// What stands in no text that was read by the right charset: controls beyond ASCII, characters that none but a vendor knows.
pub(super) fn what_is_odd(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let controls = |at: usize| matches!(bytes.get(at + 1), Some(0x80..=0x84 | 0x86..=0x9F));
    if memchr::memchr_iter(0xC2, bytes).any(controls) {
        return Some("controls");
    }
    // U+E000 to U+EFFF; those behind are not in any charset of mail.
    memchr::memchr(0xEE, bytes).map(|_| "characters of private use")
}

/// Whether most characters of two bytes that a text has then stand beside letters of ASCII, as letters of Latin do and they do not.
pub(super) fn is_within_words(charset: Charset, text: &str) -> bool {
    if charset.is_single_byte() || !charset.is_ascii_compatible() {
        return false;
    }
    let (mut wide, mut within) = (0_usize, 0_usize);
    let mut last = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii() {
            let next = chars.peek().is_some_and(char::is_ascii_alphabetic);
            wide += 1;
            within += usize::from(last.is_ascii_alphabetic() || next);
        }
        last = c;
    }
    within * 2 > wide
}

/// Places of the bytes above 7F. Eight bytes are looked at in one go.
fn high_bytes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_word = |(nth, word): (usize, &[u8; 8])| {
        let mut high = u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
        std::iter::from_fn(move || {
            let at = nth * 8 + high.trailing_zeros() as usize / 8;
            let found = high != 0;
            high &= high.wrapping_sub(1);
            found.then_some(at)
        })
    };
    let start = words.len() * 8;
    let in_rest = rest.iter().enumerate().filter(|(_, byte)| **byte >= 0x80).map(move |(at, _)| start + at);
    words.iter().enumerate().flat_map(in_word).chain(in_rest)
}

/// Ð Ý Þ ð ý þ.
fn is_icelandic(byte: u8) -> bool {
    matches!(byte & 0xDF, 0xD0 | 0xDD | 0xDE)
}

/// A sign that does not stand within words: not an apostrophe, a hyphen, a quotation mark, a dot between letters.
fn is_sign(byte: u8) -> bool {
    matches!(byte, 0xA1..=0xBF) && !matches!(byte, 0xAA | 0xAB | 0xAD | 0xB0 | 0xB4 | 0xB7 | 0xBA | 0xBB)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0xC0
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::{LossLog, Unmappable};

    fn bytes(charset: &str, text: &str) -> Vec<u8> {
        let charset = Charset::for_name(charset).unwrap_or_else(|| panic!("{charset}"));
        charset.encode(text, Unmappable::Fatal, &mut LossLog::new()).into_owned()
    }

    #[test]
    fn few_letters_of_one_language_are_western() {
        for text in [
            "Umlaut-Test: äöü ÄÖÜ ß",
            "ÄÖÜ",
            "ÆØÅ",
            "ÎÏÔ",
            "àéèùç",
            "æøå\n-- \nfoo",
            "£££\n-- \nfoo",
            "ñáéíóúü",
            "àâäéèêëîïôöùûüÿç",
            "20 °C ± 5 µm",
        ] {
            assert!(is_western(&bytes("windows-1252", text)), "{text}");
        }
        for (charset, text) in [
            ("windows-1251", "Привет"),
            ("KOI8-R", "Привет"),
            ("windows-1253", "Καλημέρα"),
            ("windows-1255", "שלום"),
            ("windows-1254", "yağmur yağıyor"),
            ("ISO-8859-2", "wiadomość"),
            ("GBK", "你好，世界"),
            ("windows-1251", "да, около половины"),
        ] {
            assert!(!is_western(&bytes(charset, text)), "{text}");
        }
        let mixed = b"R\xe9union pr\xe9vue\n\nListe des \xc3\xa9tudiants: fran\xc3\xa7ais \xc3\xa0 t\xc3\xa9l\xc3\xa9charger";
        assert!(is_within_words(Charset::GBK, &Charset::GBK.decode(mixed, &mut LossLog::new())));
        assert!(!is_within_words(Charset::GBK, "你好，世界 ok"));
    }

    #[test]
    fn controls_and_private_characters_are_odd() {
        for (text, odd) in [
            ("caf\u{e9} \u{a0}\u{85}日本 \u{fffd}", None),
            ("a\u{81}", Some("controls")),
            ("\u{9f}", Some("controls")),
            ("\u{e01d}", Some("characters of private use")),
            ("\u{efff}", Some("characters of private use")),
        ] {
            assert_eq!(what_is_odd(text), odd, "{text:?}");
        }
    }

    #[test]
    fn western_text_is_not_odd() {
        for text in [
            "Schöne Grüße aus Köln, vergiß nicht: 20 °C, 5 m², § 7",
            "«L’été», déjà vu; un cœur, des œufs – 12 €",
            "¿Qué tal? Mañana 3ª clase, 2º piso, l·l",
            "It´s a co\u{AD}op, naïve café",
            "Kære Søren, på øen; smörgåsbord",
        ] {
            assert!(!is_doubtful(Charset::ISO_8859_1, &bytes("windows-1252", text)), "{text}");
        }
        for (charset, text) in [
            ("windows-1254", "İstanbul'da yağmur yağıyor"),
            ("windows-1251", "Привет, как дела"),
            ("windows-1253", "Καλημέρα"),
            ("ISO-8859-2", "wiadomość została wysłana, się"),
            ("GBK", "你好，世界"),
            ("windows-1252", "það er gott að vera hér"),
        ] {
            assert!(is_doubtful(Charset::ISO_8859_1, &bytes(charset, text)), "{text}");
            assert!(!is_doubtful(Charset::KOI8_R, &bytes(charset, text)), "{text}");
        }
    }
}
