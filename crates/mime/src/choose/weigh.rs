//! Valid UTF-8 against a label of another charset.
//!
//! # Limits
//! What is weighed is how likely text of the label's charset is to be valid UTF-8 by chance, not what it says.

use super::shifts;
use mailglot_codec::{Charset, LossLog};

/// Sequences that text of two bytes a character does not have by chance: one in five of its frequent characters is a sequence of UTF-8.
const MANY: usize = 8;

/// Whether valid UTF-8, whose text this is, outweighs a label.
pub(crate) fn utf8_beats(declared: Option<Charset>, bytes: &[u8], text: &str) -> bool {
    let Some(charset) = declared else { return true };
    if charset == Charset::US_ASCII {
        return true;
    }
    if charset.is_stateful() {
        return !shifts(charset, bytes);
    }
    if charset.is_ebcdic() {
        // Its letters are beyond ASCII, and short names of it may be UTF-8 by chance.
        return text.bytes().filter(u8::is_ascii_alphabetic).nth(3).is_some();
    }
    if charset.is_single_byte() {
        return beats_single_bytes(charset, text);
    }
    let mut log = LossLog::new();
    let reading = charset.decode(bytes, &mut log);
    log.losses() > 0 || reading.chars().any(is_private) || is_of_one_kind(text)
}

/// Whether text under a label of GB 2312 is in HZ (RFC 1843), which has the same characters in seven bits.
pub(super) fn is_hz_under(label: Charset, bytes: &[u8]) -> bool {
    if !matches!(label.name(), "GBK" | "GB18030" | "GB2312") || memchr::memmem::find(bytes, b"~{").is_none() {
        return false;
    }
    let mut log = LossLog::with_limit(0);
    let text = Charset::HZ_GB_2312.decode(bytes, &mut log);
    log.is_empty() && !text.is_ascii()
}

fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}')
}

/// More than one sequence is no chance. One makes no word under the label: signs, a capital behind a small letter, letters of another alphabet
/// beside ours.
fn beats_single_bytes(charset: Charset, text: &str) -> bool {
    let mut wide = text.char_indices().filter(|(_, c)| !c.is_ascii());
    let Some((at, first)) = wide.next() else { return false };
    if wide.next().is_some() {
        return true;
    }
    let mut log = LossLog::new();
    let mut sequence = [0; 4];
    let reading = charset.decode(first.encode_utf8(&mut sequence).as_bytes(), &mut log);
    let before = text[..at].chars().next_back();
    let after = text[at + first.len_utf8()..].chars().next();
    let beside_letters = [before, after].iter().flatten().any(char::is_ascii_alphabetic);
    !log.is_empty()
        || reading.chars().any(|c| !c.is_alphabetic())
        || before.is_some_and(|c| c.is_ascii_lowercase())
            && reading.chars().next().is_some_and(char::is_uppercase)
        || beside_letters && reading.chars().any(|c| c > '\u{24F}')
}

/// What a letter is of, for texts that have one alphabet beside ASCII.
#[derive(PartialEq, Eq)]
enum Kind {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// Three and four bytes.
    Wide,
}

/// None for signs.
fn kind(c: char) -> Option<Kind> {
    Some(match c {
        '\u{D7}' | '\u{F7}' => return None,
        '\u{C0}'..='\u{24F}' => Kind::Latin,
        '\u{370}'..='\u{3FF}' => Kind::Greek,
        '\u{400}'..='\u{52F}' => Kind::Cyrillic,
        '\u{590}'..='\u{5FF}' => Kind::Hebrew,
        '\u{600}'..='\u{6FF}' => Kind::Arabic,
        '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}' => return None,
        '\u{800}'.. => Kind::Wide,
        _ => return None,
    })
}

/// Whether UTF-8 has letters enough, all of one alphabet, that a charset of two bytes a character is not what they are in; or so many
/// that their alphabets do not matter.
fn is_of_one_kind(text: &str) -> bool {
    let mut all: Option<Kind> = None;
    let (mut letters, mut others, mut simple) = (0, 0, true);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        match kind(c) {
            Some(kind) if all.as_ref().is_none_or(|all| *all == kind) => {
                letters += 1;
                // Of Latin-1: the lead byte is the same for all.
                simple &= kind == Kind::Wide || c <= '\u{FF}';
                all = Some(kind);
            }
            _ => others += 1,
        }
        if letters + others >= MANY {
            return true;
        }
    }
    others == 0 && letters >= if simple { 2 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beats(label: &str, text: &str) -> bool {
        let charset = Charset::for_name(label).unwrap_or_else(|| panic!("{label}"));
        utf8_beats(Some(charset), text.as_bytes(), text)
    }

    #[test]
    fn text_in_utf_8_is_known_under_labels_of_two_bytes() {
        for label in ["GBK", "GB18030", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"] {
            for text in [
                "Здравствуйте, как дела? Größe, déjà vu.",
                "Größe der Räume",
                "Καλημέρα",
                "会议通知\n各位同事\n",
                "会议",
                "안녕하세요",
                "שלום",
                "Как",
            ] {
                assert!(beats(label, text), "{label} {text}");
            }
        }
        assert!(!beats("GBK", "caf\u{e9}") && !beats("GBK", "x"));
    }

    #[test]
    fn hz_is_known_under_labels_of_its_family() {
        assert!(is_hz_under(Charset::GBK, b"x ~{VPND~} y"));
        for (charset, bytes) in [
            (Charset::GBK, &b"x ~{ y"[..]),
            (Charset::GBK, b"~~ x"),
            (Charset::GBK, b"fn ~{~} x"),
            (Charset::BIG5, b"~{VPND~}"),
        ] {
            assert!(!is_hz_under(charset, bytes), "{}", bytes.escape_ascii());
        }
    }

    /// Words of charsets of two bytes that are valid UTF-8, the known ones among them.
    #[test]
    fn words_that_are_valid_utf_8_by_chance_keep_their_label() {
        for (label, word) in [("GBK", "目录"), ("GBK", "学期"), ("EUC-KR", "쨈"), ("GBK", "目录 目录")]
        {
            let charset = Charset::for_name(label).unwrap_or_else(|| panic!("{label}"));
            let bytes = charset.encode(word, mailglot_codec::Unmappable::Fatal, &mut LossLog::new());
            if let Ok(text) = std::str::from_utf8(&bytes) {
                assert!(!utf8_beats(Some(charset), &bytes, text), "{label} {word} {text}");
            }
        }
    }

    #[test]
    fn names_in_ebcdic_are_no_utf_8() {
        let charset = Charset::for_name("IBM037").unwrap_or_else(|| panic!("IBM037"));
        let bytes = b"\xc4\x85\x40\xc4\x81";
        assert!(!utf8_beats(Some(charset), bytes, std::str::from_utf8(bytes).unwrap_or_default()));
        let text = "Größe und Länge";
        assert!(utf8_beats(Some(charset), text.as_bytes(), text));
    }

    #[test]
    fn one_sequence_makes_a_word_or_none() {
        for (label, text) in [
            ("windows-1250", "Straße"),
            ("windows-1251", "Straße"),
            ("windows-1254", "Straße"),
            ("windows-1250", "Perú"),
            ("ISO-8859-2", "você"),
            ("windows-1251", "10 µm"),
            ("windows-1252", "Straße"),
        ] {
            assert!(beats(label, text), "{label} {text}");
        }
        for (label, bytes) in [("windows-1251", &b"\xc3\x9f"[..]), ("windows-1250", b"\xc3\x9f OK")] {
            let charset = Charset::for_name(label).unwrap_or_else(|| panic!("{label}"));
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            assert!(!utf8_beats(Some(charset), bytes, text), "{label} {text}");
        }
    }
}
