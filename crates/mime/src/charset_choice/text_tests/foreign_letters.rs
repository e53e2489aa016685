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

use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{MAX_HIGH_BYTES, WINDOW, high_bytes};
use mailglot_codec::{Charset, LossLog, is_alphabetic};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns how many different words have one or two letters of the label's script between ASCII letters, a small one after them: `Hцhe`.
/// Returns 0 if a word has more letters of the script side by side, as its languages do.
///
/// Units, gene names and plurals have such letters at their ends: `kΩ`, `TNFα`, `CDы`. So a Cyrillic letter in another place must
/// neither end Russian words nor look like a Latin letter: `Renй`, `HДTTE`. The text must have no Cyrillic words.
pub(crate) fn latin_words_with_foreign_letters(label: Charset, bytes: &[u8]) -> usize {
    if !has_other_script(label) {
        return 0;
    }
    let Some(first) = high_bytes(bytes).next() else {
        return 0;
    };
    let start = bytes[..first]
        .iter()
        .rposition(|byte| !byte.is_ascii_alphabetic())
        .map_or(0, |at| at + 1);
    let window = &bytes[start..bytes.len().min(first + WINDOW)];
    if has_long_run(window) {
        return 0;
    }
    let text = decode_unlogged(label, window);
    let words = text.split(|c: char| !is_alphabetic(c));
    let (mut mixed, mut at_ends, mut has_own_words) = (HashSet::new(), HashSet::new(), false);
    for word in words.filter(|word| word.chars().any(is_foreign)) {
        if longest_run(word) > 2 {
            return 0;
        }
        if has_inner_letter(word) {
            mixed.insert(word);
        } else if has_telling_letter(word) {
            at_ends.insert(word);
        }
        has_own_words |= word.chars().all(is_foreign);
    }
    if has_own_words {
        return mixed.len();
    }
    mixed.len() + at_ends.len()
}

/// Returns true if several words are Western ones under a label of another script: `Jьrgen Mьller`. Words that only have letters which look like
/// Latin ones do not count: people write them to deceive filters.
pub(crate) fn has_western_words(label: Charset, bytes: &[u8]) -> bool {
    latin_words_with_foreign_letters(label, bytes) > 1 && {
        let text = decode_unlogged(label, bytes);
        text.chars()
            .any(|c| is_foreign(c) && is_alphabetic(c) && !is_look_alike(c))
    }
}

/// Returns true if `other`, a charset of another script, reads letters of Western words as its own. Many words of its script outweigh that.
///
/// *Example*: `On Monday, Иван wrote: … Regards, RenИ` is Latin-1 with a name in KOI8-R.
pub(crate) fn breaks_western_words(other: Charset, bytes: &[u8]) -> bool {
    /// Number of words in the other script that outweigh a broken one.
    const OUTWEIGHING: usize = 8;
    /// Fewest letters of a word in the other script.
    const LETTERS: usize = 3;
    if !has_other_script(other) {
        return false;
    }
    let (mut broken, mut own) = (0, 0);
    let text = decode_unlogged(other, bytes);
    for word in text.split(|c: char| !is_alphabetic(c)) {
        if word.is_ascii() {
            continue;
        }
        let is_broken = || {
            longest_run(word) <= 2
                && (has_inner_letter(word) || has_telling_letter(word) || has_odd_ending(word))
        };
        if is_broken() {
            broken += 1;
        } else if word.chars().all(is_foreign) && word.chars().count() >= LETTERS {
            own += 1;
        }
    }
    own < OUTWEIGHING * broken
}

/// Returns true if a Latin word ends in a capital Cyrillic letter, or in a letter of another foreign script: `RenИ`, `Renι`.
fn has_odd_ending(word: &str) -> bool {
    /// Fewest letters before the last one.
    const LETTERS: usize = 3;
    let mut chars = word.chars();
    let last = chars.next_back().unwrap_or_default();
    let before = chars.as_str();
    let is_cyrillic = matches!(last, '\u{400}'..='\u{52F}');
    before.len() >= LETTERS
        && before.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        && before.is_ascii()
        && is_foreign(last)
        && (last.is_uppercase() || !is_cyrillic)
}

/// Returns how many different words of Arabic letters have Latin ones beside them, under a label of windows-1256: `لسèل` is `فسوف` in ISO-8859-6.
/// Words with ASCII letters are French or English ones.
pub(crate) fn arabic_words_with_latin_letters(label: Charset, bytes: &[u8]) -> usize {
    if label != Charset::WINDOWS_1256 {
        return 0;
    }
    let Some(first) = high_bytes(bytes).next() else {
        return 0;
    };
    let window = &bytes[first..bytes.len().min(first + WINDOW)];
    let text = decode_unlogged(label, window);
    let has = |word: &str, is_such: fn(char) -> bool| word.chars().any(is_such);
    let words = text.split(|c: char| !is_alphabetic(c)).filter(|word| {
        has(word, is_foreign) && has(word, |c| !is_foreign(c)) && !has(word, |c| c.is_ascii())
    });
    words.collect::<HashSet<&str>>().len()
}

/// Returns the character of a byte; None if the charset has none.
pub(crate) fn character(charset: Charset, byte: u8) -> Option<char> {
    let mut log = LossLog::with_limit(0);
    let bytes = [byte];
    let text = charset.decode(&bytes, &mut log);
    text.chars().next().filter(|_| log.losses() == 0)
}

/// Returns true for Cyrillic and Greek letters that look like Latin ones: `Т`, but not `т`.
pub(super) fn is_look_alike(letter: char) -> bool {
    const SMALL: &str = "аеосрухіѕјёїαονυκρχε";
    const CAPITALS: &str = "АВЕКМНОРСТУХІЇЅЈЁΑΕΗΙΚΝΟΡΤΥΧ";
    SMALL.contains(letter) || CAPITALS.contains(letter)
}

/// Returns true for letters that are not Latin. windows-1256 has letters of French, too.
fn is_foreign(letter: char) -> bool {
    letter >= '\u{250}'
}

fn longest_run(word: &str) -> usize {
    let runs = word.split(|c: char| !is_foreign(c));
    runs.map(|run| run.chars().count()).max().unwrap_or(0)
}

/// Returns true if letters of another script stand between an ASCII letter and a small one.
fn has_inner_letter(word: &str) -> bool {
    let mut parts = word.split(is_foreign);
    let begins_with_ascii = parts
        .next()
        .is_some_and(|part| part.ends_with(|c: char| c.is_ascii()));
    begins_with_ascii && parts.any(|part| part.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Returns true for one Cyrillic letter at the end or the beginning of a Latin word, or between Latin capitals. The letter stands nowhere in
/// words of both alphabets: `Renй`, `Цsterreich`, `GRЦSSE`.
fn has_telling_letter(word: &str) -> bool {
    /// Fewest ASCII letters of such a word, and of one that begins with a capital before small letters.
    const LETTERS: usize = 3;
    const LETTERS_OF_NAME: usize = 2;
    let mut foreign = word.chars().filter(|c| is_foreign(*c));
    let (Some(letter), None) = (foreign.next(), foreign.next()) else {
        return false;
    };
    let Some((before, after)) = word.split_once(letter) else {
        return false;
    };
    let are_small = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase());
    let are_capitals = |part: &str| part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_telling = || {
        matches!(letter, '\u{400}'..='\u{45F}')
            && !SHARED.contains(letter.to_lowercase().next().unwrap_or(letter))
    };
    let is_word = match (before, after) {
        (before, "") => {
            before.get(1..).is_some_and(are_small) || are_capitals(before) && letter.is_uppercase()
        }
        ("", after) => letter.is_uppercase() && are_small(after),
        _ => letter.is_uppercase() && are_capitals(before) && are_capitals(after),
    };
    let is_name = before.starts_with(|c: char| c.is_ascii_uppercase())
        && before.ends_with(|c: char| c.is_ascii_lowercase());
    let least = if is_name { LETTERS_OF_NAME } else { LETTERS };
    before.len() + after.len() >= least && is_word && is_telling()
}

/// Cyrillic letters that end Russian forms of foreign words, or look like Latin letters.
const SHARED: &str = "аеиоуыэюявкмнрстхѕіјё";

/// Returns true for charsets of one byte whose letters above 7F are not Latin.
pub(crate) fn has_other_script(label: Charset) -> bool {
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
pub(crate) fn are_of_several_alphabets(label: Charset, bytes: &[u8]) -> bool {
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
        let text = decode_unlogged(charset, &[byte as u8]).to_lowercase();
        let Some(letter) = text.chars().find(|c| is_alphabetic(*c) && !c.is_ascii()) else {
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
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn western_words_beside_a_name_in_another_script_are_broken() {
        let name = |charset| match charset {
            "ISO-8859-7" => "Γιώργος wrote:\n",
            _ => "Иван Петров wrote:\n",
        };
        for charset in ["KOI8-R", "windows-1251", "ISO-8859-7"] {
            for western in [
                "Regards, René",
                "Jürgen, René",
                "Søren, Rødgrød",
                "Fräulein Müller",
            ] {
                let bytes = [
                    encoded(charset, name(charset)),
                    encoded("ISO-8859-1", western),
                ]
                .concat();
                assert!(
                    breaks_western_words(charset_named(charset), &bytes),
                    "{charset} {western}"
                );
            }
        }
        for text in [
            "Иван Петров пишет: Linuxа не хватает, emailы и CDшки, SMSки",
            "Купить Nоkia можно здесь, пишите нам на почту в любое время",
            "Привет",
        ] {
            for charset in ["KOI8-R", "windows-1251"] {
                let bytes = encoded(charset, text);
                assert!(
                    !breaks_western_words(charset_named(charset), &bytes),
                    "{charset} {text}"
                );
            }
        }
    }

    #[test]
    fn letters_of_another_script_stand_within_latin_words() {
        for (label, text, expected) in [
            ("windows-1251", "die Hцhe der Rechnung", 1),
            ("windows-1251", "schцne GrьЯe", 2),
            ("windows-1251", "fьr dich, fьr mich", 1),
            ("KOI8-R", "Ю bientТt", 1),
            ("ISO-8859-7", "maρana", 1),
            ("windows-1255", "maסana", 1),
            ("windows-1256", "Saudan Delèze Sàrl", 0),
            ("windows-1251", "а", 0),
            ("windows-1251", "Привет, Bob", 0),
            ("windows-1251", "Renй Cuypers", 1),
            ("windows-1251", "Chloл Brontл", 2),
            ("windows-1251", "ICH HДTTE", 1),
            ("windows-1251", "Zoй", 1),
            ("windows-1251", "FRANЗOIS", 1),
            ("windows-1251", "Цsterreich", 1),
            ("windows-1251", "Renй и Zoл", 0),
            ("windows-1251", "MOCКBA, Googleа, VIPы, Win98й, Tшл", 0),
            ("windows-1251", "Wi-Fi и fьr, привет", 0),
            ("windows-1251", "«Windows» — IT-специалист", 0),
            ("windows-1251", "100Mб, PCы, XIXв и HTMLка", 0),
            ("windows-1251", "Cкидкa нa тoвap", 0),
            (
                "ISO-8859-7",
                "TNFα and IFNγ, NFκB, cosφ, 10 kΩ, 5 μm, Δt",
                0,
            ),
            ("windows-1251", "№ 5 «a»", 0),
            ("windows-1252", "für", 0),
            ("windows-1251", "ASCII", 0),
        ] {
            let bytes = encoded(label, text);
            let found = latin_words_with_foreign_letters(charset_named(label), &bytes);
            assert_eq!(found, expected, "{label} {text}");
        }
    }

    #[test]
    fn latin_letters_stand_within_arabic_words() {
        let count =
            |label: &str, text: &[u8]| arabic_words_with_latin_letters(charset_named(label), text);
        let iso = |text| encoded("ISO-8859-6", text);
        let page = |text| encoded("windows-1256", text);
        assert_eq!(count("windows-1256", &iso("مسيل في يوم")), 3);
        assert_eq!(count("windows-1256", &iso("كتاب")), 0);
        for text in [
            "مسيل في يوم",
            "Délégué: السيد عمر, né à Alger",
            "dell’école الـ école",
        ] {
            assert_eq!(count("windows-1256", &page(text)), 0, "{text}");
        }
        assert_eq!(count("ISO-8859-6", &iso("مسيل في يوم")), 0);
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
                if let Ok(bytes) = charset_named(label).encode_exact(text) {
                    let found = are_of_several_alphabets(charset_named(label), &bytes);
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
