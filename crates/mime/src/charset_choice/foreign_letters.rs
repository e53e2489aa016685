//! Finds letters under a label that no language of the label puts together: letters of another script within Latin words, and letters of
//! several alphabets.
//!
//! ```text
//! Hцhe der Rechnung      windows-1251     Höhe der Rechnung     windows-1252
//! más ańos, seńora       ISO-8859-2       más años, señora      ISO-8859-1
//! ```
//!
//! # Limits
//! Examines the first letters above 7F. Names of another language stand beside letters of the own one, so these tests only select text
//! for the comparison of likelihoods.

use super::thresholds::{MAX_HIGH_BYTES, WINDOW};
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, LossLog};
use std::sync::LazyLock;

/// Returns true if each word with letters of the label's script, except single letters, has ASCII letters, too: `fьr`, `а bientфt`.
pub(super) fn are_within_latin_words(label: Charset, bytes: &[u8]) -> bool {
    if !has_other_script(label) {
        return false;
    }
    let Some(first) = high_bytes(bytes).next() else {
        return false;
    };
    let start = bytes[..first]
        .iter()
        .rposition(|byte| !byte.is_ascii_alphabetic())
        .map_or(0, |at| at + 1);
    let window = &bytes[start..bytes.len().min(first + WINDOW)];
    if has_long_run(window) {
        return false;
    }
    let text = label.decode(window, &mut LossLog::with_limit(0));
    let words = text.split(|c: char| !c.is_alphabetic());
    let mut has_mixed = false;
    // windows-1256 has letters of French, too.
    let is_latin = |word: &str| word.chars().all(|c| c < '\u{250}');
    for word in words.filter(|word| !is_latin(word)) {
        if word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            has_mixed = true;
        } else if word.chars().nth(1).is_some() {
            return false;
        }
    }
    has_mixed
}

/// Returns true for charsets of one byte whose letters above 7F are not Latin.
fn has_other_script(label: Charset) -> bool {
    matches!(
        label.superset(),
        Charset::WINDOWS_1251
            | Charset::KOI8_R
            | Charset::KOI8_U
            | Charset::ISO_8859_5
            | Charset::IBM866
            | Charset::WINDOWS_1253
            | Charset::ISO_8859_7
            | Charset::WINDOWS_1255
            | Charset::ISO_8859_8
            | Charset::WINDOWS_1256
            | Charset::ISO_8859_6
    )
}

/// Returns true if four bytes above 7F stand side by side without an ASCII letter beside them, as in a word of the label's script. Fast.
fn has_long_run(window: &[u8]) -> bool {
    const LONG: usize = 4;
    let mut runs = window
        .chunk_by(|one, other| one.is_ascii() == other.is_ascii())
        .scan(b' ', |before, run| {
            let last = std::mem::replace(before, *run.last()?);
            Some((last, run))
        })
        .take(MAX_HIGH_BYTES)
        .skip_while(|(_, run)| run[0].is_ascii());
    runs.any(|(before, run)| {
        !run[0].is_ascii() && run.len() >= LONG && !before.is_ascii_alphabetic()
    })
}

/// Letters beyond ASCII of the languages in ISO-8859-2 and windows-1250.
const ALPHABETS: [&str; 8] = [
    // Czech and Slovak, which stand side by side.
    "áäčďéěíĺľňóôŕřšťúůýž",
    "ąćęłńóśźż",
    "áéíóöőúüű",
    "čćđšž",
    "ăâîşţ",
    "äöüßéá",
    "ëç",
    // Sorbian.
    "čćěłńóřŕšśžź",
];

/// Returns true if no language of Central Europe has all letters of the text, under a label of Central Europe.
pub(super) fn are_of_several_alphabets(label: Charset, bytes: &[u8]) -> bool {
    static OF_ISO: LazyLock<[u8; 256]> = LazyLock::new(|| alphabets(Charset::ISO_8859_2));
    static OF_WINDOWS: LazyLock<[u8; 256]> = LazyLock::new(|| alphabets(Charset::WINDOWS_1250));
    let languages = match label {
        Charset::ISO_8859_2 => &OF_ISO,
        Charset::WINDOWS_1250 => &OF_WINDOWS,
        _ => return false,
    };
    let mut letters = high_bytes(bytes).take(MAX_HIGH_BYTES);
    let mut common = u8::MAX;
    letters.any(|at| {
        common &= languages[usize::from(bytes[at])];
        common == 0
    })
}

/// Returns for each byte the set of [`ALPHABETS`] that have its letter, a bit each. Signs are in all.
fn alphabets(charset: Charset) -> [u8; 256] {
    std::array::from_fn(|byte| {
        let text = charset
            .decode(&[byte as u8], &mut LossLog::with_limit(0))
            .to_lowercase();
        let Some(letter) = text.chars().find(|c| c.is_alphabetic() && !c.is_ascii()) else {
            return u8::MAX;
        };
        let sets = ALPHABETS.iter().enumerate();
        sets.fold(0, |sets, (nth, alphabet)| {
            sets | u8::from(alphabet.contains(letter)) << nth
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charset(name: &str) -> Charset {
        Charset::for_name(name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn letters_of_another_script_stand_within_latin_words() {
        for (label, text, expected) in [
            ("windows-1251", "die Hцhe der Rechnung", true),
            ("windows-1251", "fьr", true),
            ("KOI8-R", "Ю bientТt", true),
            ("ISO-8859-7", "maρana", true),
            ("windows-1255", "maסana", true),
            ("windows-1256", "Saudan Delèze Sàrl", false),
            ("windows-1251", "а", false),
            ("windows-1251", "Привет, Bob", false),
            ("windows-1251", "Wi-Fi и fьr, мы", false),
            ("windows-1251", "«Windows» — IT-специалист", false),
            ("windows-1251", "только ASCII-текст и HTMLка", false),
            ("windows-1251", "№ 5 «a»", false),
            ("windows-1252", "für", false),
            ("windows-1251", "ASCII", false),
        ] {
            let bytes = charset(label).encode_exact(text).expect("encodable");
            let found = are_within_latin_words(charset(label), &bytes);
            assert_eq!(found, expected, "{label} {text}");
        }
    }

    #[test]
    fn letters_of_several_alphabets_are_of_no_language() {
        for (text, expected) in [
            ("El ańo pasado vendimos más", true),
            ("seńora Núńez", true),
            ("Zażółć gęślą jaźń", false),
            ("Příliš žluťoučký kůň úpěl ďábelské ódy", false),
            ("Árvíztűrő tükörfúrógép", false),
            ("Şi ăsta, în vânt: ţară", false),
            ("Größe, café", false),
            ("§ 5 „Mańana“", false),
            ("", false),
        ] {
            for label in ["ISO-8859-2", "windows-1250"] {
                if let Ok(bytes) = charset(label).encode_exact(text) {
                    let found = are_of_several_alphabets(charset(label), &bytes);
                    assert_eq!(found, expected, "{label} {text}");
                }
            }
        }
        assert!(!are_of_several_alphabets(
            Charset::ISO_8859_1,
            b"a\xF1o m\xE1s"
        ));
    }
}
