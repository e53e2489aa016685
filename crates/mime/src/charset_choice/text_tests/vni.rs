//! Recognizes Vietnamese in VNI, an encoding of fonts that mail sends as windows-1252.
//!
//! Marks stand behind their letters: `Chaøo anh` is `Chào anh`, `ñöôïc` is `được`.
//!
//! # Limits
//! A name or a short line proves too little. Text in VISCII, TCVN 5712 and windows-1258 is left to detection.

use super::western_letters::is_western_letter;
use mailglot_codec::{Charset, LossLog, detect};

/// Minimum number of syllables with a mark behind a letter.
const FEWEST_SYLLABLES: usize = 5;

/// Minimum number of different marks in them.
const FEWEST_MARKS: u32 = 3;

/// Number of words in other languages that the text may have, such as `Müller`, and the number of syllables that allows one more.
const MOST_OTHERS: usize = 2;
const SYLLABLES_FOR_ANOTHER: usize = 16;

/// Returns true if nearly all words beyond ASCII are syllables of Vietnamese in VNI. Stops early in other text.
pub(crate) fn is_vni(bytes: &[u8]) -> bool {
    // This test needs no decoding, and rejects nearly all other text.
    has_syllables(bytes, |word| {
        let has_marks = has_marks_behind_vowels(word);
        has_marks.then(|| usize::from(word.iter().any(|b| is_mark(*b))))
    }) && has_syllables(bytes, marked_letters)
}

/// Returns true if nearly all words are syllables. `marked_letters` returns the number of letters with a mark byte, or None for other words.
fn has_syllables(bytes: &[u8], marked_letters: impl Fn(&[u8]) -> Option<usize>) -> bool {
    let (mut syllables, mut others, mut marks) = (0, 0, 0_u64);
    let mut at = 0;
    while let Some(high) = detect::high_bytes(&bytes[at..]).next().map(|gap| at + gap) {
        let before = bytes[at..high]
            .iter()
            .rev()
            .take_while(|b| is_western_letter(**b));
        let start = high - before.count();
        let behind = bytes[high..].iter().take_while(|b| is_western_letter(**b));
        let end = high + behind.count();
        at = end.max(high + 1);
        // Signs such as dashes and quotation marks say nothing.
        if end == high {
            continue;
        }
        let word = &bytes[start..end];
        match marked_letters(word) {
            Some(0) => {}
            Some(_) => {
                syllables += 1;
                let high = word.iter().filter(|b| **b >= 0xC0);
                marks |= high.fold(0, |marks, b| marks | 1 << (b & 0x1F));
            }
            None => others += 1,
        }
        if others > MOST_OTHERS + syllables / SYLLABLES_FOR_ANOTHER {
            return false;
        }
    }
    syllables >= FEWEST_SYLLABLES && marks.count_ones() >= FEWEST_MARKS
}

/// Counts the letters of a Vietnamese syllable that have a mark byte: 1 for `Cha\xF8o`. Returns None for other words.
fn marked_letters(word: &[u8]) -> Option<usize> {
    /// Bytes of `nghieâng`.
    const LONGEST: usize = 9;
    if word.len() > LONGEST {
        return None;
    }
    let mut log = LossLog::with_limit(0);
    let text = Charset::VNI.decode(word, &mut log).to_lowercase();
    let is_written_so = log.is_empty() && is_syllable(&text);
    is_written_so.then(|| word.len() - text.chars().count())
}

/// Returns true if each byte above 7F is a letter of VNI, or a mark behind a vowel. Most words of other charsets fail here, fast.
fn has_marks_behind_vowels(word: &[u8]) -> bool {
    // Small and capital letters of windows-1252 differ in one bit.
    let is_letter = |b: u8| matches!(b | 0x20, 0xE6 | 0xEC..=0xEE | 0xF1..=0xF4 | 0xF6);
    let is_vowel = |b: u8| matches!(b | 0x20, b'a' | b'e' | b'o' | b'u' | b'y' | 0xF4 | 0xF6);
    let is_mark = |b: u8| matches!(b | 0x20, 0xE0..=0xE5 | 0xE8..=0xEB | 0xEF | 0xF5 | 0xF8..=0xFC);
    let before = [0].iter().chain(word);
    let mut pairs = before.zip(word).filter(|(_, b)| !b.is_ascii());
    pairs.all(|(before, b)| is_letter(*b) || is_vowel(*before) && is_mark(*b))
}

/// Returns true for marks of VNI.
fn is_mark(byte: u8) -> bool {
    matches!(byte | 0x20, 0xE0..=0xE5 | 0xE8..=0xEB | 0xEF | 0xF5 | 0xF8..=0xFC)
}

/// The vowels, each with its five tones.
const VOWELS: &str = "aáàảãạăắằẳẵặâấầẩẫậeéèẻẽẹêếềểễệiíìỉĩịoóòỏõọôốồổỗộơớờởỡợuúùủũụưứừửữựyýỳỷỹỵ";
const TONES: usize = 6;

/// The consonants that a syllable begins with. A longer one stands before its beginning.
const INITIALS: [&str; 28] = [
    "ngh", "ch", "gh", "gi", "kh", "ng", "nh", "ph", "qu", "th", "tr", "b", "c", "d", "đ", "g",
    "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "x", "",
];

/// The consonants that a syllable ends in.
const FINALS: [&str; 9] = ["ch", "ng", "nh", "c", "m", "n", "p", "t", ""];

/// Returns true if small letters are a syllable of Vietnamese: consonants, one to three vowels with at most one tone, consonants.
fn is_syllable(text: &str) -> bool {
    INITIALS.iter().any(|initial| {
        text.strip_prefix(initial).is_some_and(|rest| {
            let vowel = |c: char| VOWELS.chars().position(|known| known == c);
            let places = || rest.chars().map_while(vowel);
            let length = rest
                .chars()
                .take(places().count())
                .map(char::len_utf8)
                .sum();
            let tones = places().filter(|place| place % TONES != 0).count();
            matches!(places().count(), 1..=3) && tones <= 1 && FINALS.contains(&&rest[length..])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Unmappable;

    fn vni(text: &str) -> Vec<u8> {
        let bytes = Charset::VNI.encode_exact(text);
        bytes.expect("VNI has the letters").into_owned()
    }

    #[test]
    fn syllables_of_vietnamese_are_told_from_other_words() {
        for (text, expected) in [
            ("chào", true),
            ("nghiêng", true),
            ("được", true),
            ("giờ", true),
            ("quý", true),
            ("gì", true),
            ("khuỷu", true),
            ("goảt", true),
            ("nạf", false),
            ("tửởk", false),
            ("áà", false),
            ("brà", false),
        ] {
            assert_eq!(is_syllable(text), expected, "{text}");
        }
    }

    #[test]
    fn each_letter_of_vni_passes_the_first_look() {
        for c in VOWELS.chars().filter(|c| !c.is_ascii()) {
            for text in [c.to_string(), c.to_uppercase().collect()] {
                assert!(has_marks_behind_vowels(&vni(&text)), "{text}");
            }
        }
        assert!(!has_marks_behind_vowels("привет".as_bytes()));
    }

    #[test]
    fn vietnamese_in_vni_is_recognized() {
        for text in [
            "Chào anh, em gửi kèm theo biên bản cuộc họp tuần trước.",
            "CỘNG HÒA XÃ HỘI CHỦ NGHĨA VIỆT NAM: Độc lập, Tự do, Hạnh phúc",
            "<p><font face=\"VNI-Times\">Nếu không có vấn đề gì thì chúng ta sẽ họp lại</font></p>",
        ] {
            assert!(is_vni(&vni(text)), "{text}");
        }
        assert!(!is_vni(&vni("Trần Quốc Việt")), "a name is too short");
    }

    #[test]
    fn other_languages_and_charsets_are_no_vni() {
        for (charset, text) in [
            (
                Charset::WINDOWS_1252,
                "Où est le poète ? À Noël, au goût de maïs, naïf comme un aïeul.",
            ),
            (
                Charset::WINDOWS_1252,
                "Não são mãos, são pães; não vão lá à noite, irmão, são leões.",
            ),
            (
                Charset::WINDOWS_1252,
                "Größe, Straße, Bäume, für, über, können, müssen, Vögel",
            ),
            (
                Charset::WINDOWS_1252,
                "Città, perché, più, può, già, così, università, caffè",
            ),
            (
                Charset::WINDOWS_1252,
                "reële coördinatie, geïnd, zeeën, efficiënt, Noë, ideeën",
            ),
            (
                Charset::WINDOWS_1252,
                "på små åer, blåbær, brød, kød, gås, år, vågen, tålmodig",
            ),
            (
                Charset::WINDOWS_1254,
                "Türkçe öğretmen çünkü gözlük süt ölçü büyük küçük",
            ),
            (
                Charset::WINDOWS_1257,
                "kõik lõõtspill õun jõulud mõõk rõõm sõõr tõõtama",
            ),
            (
                Charset::VISCII,
                "Chào anh, em gửi kèm theo biên bản cuộc họp tuần trước.",
            ),
            (
                Charset::TCVN5712_1,
                "Chào anh, em gửi kèm theo biên bản cuộc họp tuần trước.",
            ),
            (
                Charset::WINDOWS_1251,
                "Привет, как дела? Спасибо, всё хорошо. До встречи!",
            ),
            (
                Charset::GBK,
                "你好，世界，这是一封信，请查收。谢谢大家的帮助",
            ),
        ] {
            let bytes = charset.encode(text, Unmappable::Skip, &mut LossLog::new());
            assert!(!is_vni(&bytes), "{charset}: {text}");
        }
    }
}
