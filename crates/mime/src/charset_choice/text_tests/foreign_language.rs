//! Finds the charset of text whose words without accents are of a language that its label of Latin-1 does not have.
//!
//! ```text
//! Dokument neo\xE8ek\xE1van\xEC skon\xE8il po znaku     neoèekávanì skonèil     neočekávaně skončil in windows-1250
//! Nu s-a putut demonta loca\xFEia                   locaþia                 locaţia in windows-1250
//! ```
//!
//! Each letter may be one of Latin-1. But `po znaku` is Czech, `Nu s-a putut` is Romanian, and Latin-1 lacks letters of both languages.
//!
//! # Rules
//! The whole text is far likelier in another charset of one byte ([`TEXT`]), which reads letters of at least one word otherwise. The ASCII words
//! are likelier in a language that is not written in Latin-1 ([`WORDS`]). Text under a right label with only one or two such words never
//! reaches [`TEXT`]. So the ASCII words need no lead there ([`WORDS_OF_FEW_LETTERS`]).
//!
//! If only vowels with grave accents and circumflexes differ, the ASCII words must be far likelier: Breton, Friulian and Kurdish have no model.
//! `è` alone needs less ([`WORDS_OF_GRAVE_E`]): `č` is frequent, and no language has only `è`.
//!
//! # Limits
//! A short name keeps its label: it may stand in text of any language.

use super::byte_set::set;
use super::few_bytes::is_likelier_throughout;
use super::foreign_letters::character;
use super::likelier_charset::LikelierCharset;
use super::repetitions::unrepeated;
use super::western_letters::is_latin_1;
use crate::charset_choice::thresholds::SURE_CONFIDENCE;
use mailglot_codec::detect::{self, MAX_HIGH_BYTES, Rival, high_bytes};
use mailglot_codec::{Charset, is_alphabetic};

/// Margin of likelihood (natural logarithm) of the ASCII words, if at least three words have two or more letters that differ.
const WORDS: f32 = 1.0;
/// Like [`WORDS`], for fewer words, or a single letter.
const WORDS_OF_FEW_LETTERS: f32 = -3.0;
/// Like [`WORDS`], if only `è` differs.
const WORDS_OF_GRAVE_E: f32 = 0.0;
/// Like [`WORDS`], for a charset that is not in [`CHARSETS`].
const WORDS_IN_RARE_CHARSET: f32 = 8.0;
/// Like [`WORDS`], if only vowels of [`ORDINARY`] differ.
const WORDS_OF_ORDINARY: f32 = 24.0;
/// Margin of likelihood of the text.
const TEXT: f32 = 20.0;

/// The charsets that mail programs write for Latin letters that Western Europe does not have. Others are rare in mail, such as those of DOS.
const CHARSETS: [Charset; 7] = [
    Charset::WINDOWS_1250,
    Charset::ISO_8859_2,
    Charset::ISO_8859_16,
    Charset::WINDOWS_1254,
    Charset::WINDOWS_1257,
    Charset::ISO_8859_13,
    Charset::WINDOWS_1258,
];

/// Letters that Latin-1 and all [`CHARSETS`] have in the same places.
const SHARED: [bool; 256] = set(b"\xC4\xC9\xD3\xD6\xDC\xDF\xE4\xE9\xF3\xF6\xFC");
/// Small vowels with grave accents and circumflexes in Latin-1.
const ORDINARY: [bool; 256] = set(b"\xE0\xE2\xE8\xEA\xEC\xEE\xF2\xF4\xF9\xFB");

/// Returns true if several words of a text may be of a language that its label of Latin-1 does not have. Fast for words of header fields.
pub(crate) fn may_be_foreign_language(label: Charset, bytes: &[u8]) -> bool {
    is_latin_1(label)
        && required_lead(bytes, is_unshared)
            .is_some_and(|lead| lead.words > 1 && has_lead(label, bytes, lead.margin.max(WORDS)))
}

/// Like [`may_be_foreign_language`], also for a single word.
pub(crate) fn may_have_foreign_word(label: Charset, bytes: &[u8]) -> bool {
    is_latin_1(label)
        && required_lead(bytes, is_unshared).is_some_and(|lead| has_lead(label, bytes, lead.margin))
}

/// Returns true if the ASCII words are likelier by `least` in a language whose letters Latin-1 lacks.
fn has_lead(label: Charset, bytes: &[u8], least: f32) -> bool {
    let lead = |other| detect::ascii_lead(bytes, label, other).is_some_and(|lead| lead >= least);
    lead(None) || has_baltic_letters(bytes) && lead(Some(Charset::WINDOWS_1257))
}

/// Returns true for bytes that some of [`CHARSETS`] reads otherwise than Latin-1.
fn is_unshared(byte: u8) -> bool {
    !SHARED[usize::from(byte)]
}

/// Returns true for `ð` or `þ`, which are `š` and `ž` in windows-1257. Estonian is written in Latin-1, too, except these letters.
fn has_baltic_letters(bytes: &[u8]) -> bool {
    high_bytes(bytes)
        .take(MAX_HIGH_BYTES)
        .any(|at| matches!(bytes[at] | 0x20, 0xF0 | 0xFE))
}

/// Asks detection for the charset of text in such a language.
pub(crate) fn likelier_by_language(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    if !may_have_foreign_word(label, bytes) {
        return None;
    }
    let Rival {
        guess,
        margin,
        rarity,
        ..
    } = detect::rival(&unrepeated(bytes, label), label, hints)?;
    let is_clear = guess.charset.is_single_byte()
        && guess.confidence >= SURE_CONFIDENCE
        && margin - rarity >= TEXT
        && is_likelier_throughout(label, guess.charset, bytes, hints);
    let differs = |byte: u8| {
        let other = character(guess.charset, byte);
        other.is_some_and(is_alphabetic) && other != character(label, byte)
    };
    let rare = if CHARSETS.contains(&guess.charset) {
        0.0
    } else {
        WORDS_IN_RARE_CHARSET
    };
    let required = required_lead(bytes, differs).filter(|_| is_clear)?;
    let least = required.margin.max(rare);
    let lead = detect::ascii_lead(bytes, label, Some(guess.charset))?;
    (lead >= least).then_some(LikelierCharset {
        guess,
        decides: true,
    })
}

/// What the letters that two charsets read differently require of the ASCII words.
struct RequiredLead {
    /// Minimum lead of the ASCII words: the logarithm of how many times likelier another language makes them. *Example*: 1.0 is 2.7 times.
    margin: f32,
    /// Number of different words with such letters. Counted up to 3.
    words: usize,
}

/// Returns what the letters that `differs` selects require. None if they prove nothing.
fn required_lead(bytes: &[u8], differs: impl Fn(u8) -> bool) -> Option<RequiredLead> {
    const MIN_WORDS: usize = 3;
    let (mut letters, mut is_letter) = (0, [false; 256]);
    let (mut are_ordinary, mut are_grave_e) = (true, true);
    let (mut words, mut found) = (0, [&b""[..]; MIN_WORDS]);
    for at in high_bytes(bytes).take(MAX_HIGH_BYTES) {
        let byte = bytes[at];
        if !is_letter[usize::from(byte)] {
            if !differs(byte) {
                continue;
            }
            is_letter[usize::from(byte)] = true;
            letters += 1;
            are_ordinary &= ORDINARY[usize::from(byte | 0x20)];
            are_grave_e &= byte | 0x20 == 0xE8;
        }
        if words < MIN_WORDS {
            let word = word_at(bytes, at);
            if !found[..words].contains(&word) {
                found[words] = word;
                words += 1;
            }
        } else if letters > 1 && !are_ordinary {
            break;
        }
    }
    let margin = match words {
        0 => return None,
        _ if are_grave_e => WORDS_OF_GRAVE_E,
        MIN_WORDS if are_ordinary => WORDS_OF_ORDINARY,
        _ if are_ordinary => return None,
        MIN_WORDS if letters > 1 => WORDS,
        _ => WORDS_OF_FEW_LETTERS,
    };
    Some(RequiredLead { margin, words })
}

/// Returns the ASCII letters and bytes above 7F around the byte at `at`.
fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let before = bytes[..at]
        .iter()
        .rev()
        .take_while(|b| is_letter(b))
        .count();
    let after = bytes[at..].iter().take_while(|b| is_letter(b)).count();
    &bytes[at - before..at + after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::test_charsets::encoded;

    /// The charset that replaces a label of ISO-8859-1.
    fn replaced(charset: &str, text: &str) -> Option<&'static str> {
        let bytes = encoded(charset, text);
        likelier_by_language(Charset::ISO_8859_1, &bytes, &MAIL_HINTS)
            .map(|likelier| likelier.guess.charset.name())
    }

    #[test]
    fn text_in_a_language_that_latin_1_lacks_replaces_the_label() {
        for (charset, text) in [
            (
                "windows-1250",
                "Dokument neočekávaně skončil po znaku přiřazení následujícím za názvem atributu",
            ),
            (
                "windows-1250",
                "Nu s-a putut demonta locaţia, trebuie să închideţi fişierul şi să încercaţi din nou după ce aţi pornit",
            ),
            (
                "windows-1257",
                "Nepavyko išsaugoti failo, nes nėra teisių rašyti į šį aplanką. Bandykite dar kartą vėliau.",
            ),
            (
                "windows-1254",
                "Toplantı yarın saat onda başlıyor, lütfen belgeleri getirmeyi unutmayın ve ışıkları kapatın",
            ),
        ] {
            assert_eq!(replaced(charset, text), Some(charset), "{text}");
        }
    }

    #[test]
    fn right_labels_stay() {
        for text in [
            // Languages without a model.
            "Pelê wêneyê di rêya dosyayê de nehat dîtin, navê pelê nederbasdar e û nehat guhertin",
            "Nol è pussibil vierzi il file di clâf: erôr tal salvâ la imagjin te cartele dai dâts",
            "Fazi en ur zigeriñ ar skeudenn, krouiñ ur renkell nevez ha kargañ ar pakadoù staliet",
            // Names from elsewhere in English and in French.
            "We met José Ibáñez, François Lefèvre and Åsa Sjöström in Málaga, near Besançon and Linköping",
            "La réunion commence à dix heures, où l'équipe présentera le français à côté du façonnage",
            "A reunião começa às dez horas, não se esqueça de trazer a documentação e as informações",
            "Mötet börjar klockan tio på måndag, glöm inte att ta med handlingarna från förra året",
        ] {
            assert_eq!(replaced("windows-1252", text), None, "{text}");
        }
    }

    #[test]
    fn one_or_two_words_suffice() {
        for (charset, text) in [
            ("windows-1250", "Pokus o vytáčanie zlyhal"),
            ("windows-1250", "Nelze otevřít soubor pro zápis"),
            (
                "windows-1250",
                "Znova uporabi barve pri večkratnem navajanju",
            ),
            (
                "windows-1257",
                "Reikia iš naujo paleisti programas, kad pakeitimai veiktų",
            ),
            (
                "windows-1257",
                "Õigeid režiime on kaks, kuid meie omi ei ole",
            ),
            ("windows-1250", "Jiří Dvořák"),
        ] {
            assert_eq!(replaced(charset, text), Some(charset), "{text}");
        }
        for text in [
            "Jørgen Bøe",
            "Ragnheiður Þórðardóttir",
            "Giosuè Storladi",
            // Western names in Czech, Slovak and Lithuanian.
            "Zkopírovat Øystein Holst \nsftp: navazování spojení",
            "Tunel do vrátil Bøe-Berge Gruppen chybu",
            "Luca Borzomì a Giosuè Storladi: Nelze odeslat stav",
            "Pasirinktas elementas\nSivø",
            // Breton and Wolof, which have no model.
            "O kregiñ gant staliañ",
            "Republik bu Poloñ",
        ] {
            assert_eq!(replaced("windows-1252", text), None, "{text}");
        }
    }

    #[test]
    fn shared_letters_are_those_of_all_charsets() {
        for byte in 0xC0..=0xFF {
            let letter = character(Charset::WINDOWS_1252, byte).filter(|c| is_alphabetic(*c));
            let is_same = |charset: &Charset| character(*charset, byte) == letter;
            let is_shared = letter.is_some() && CHARSETS.iter().all(is_same);
            assert_eq!(SHARED[usize::from(byte)], is_shared, "{byte:x}");
        }
    }

    #[test]
    fn long_bodies_take_linear_time() {
        for unit in ["p\u{f8}ijmout ", "\u{ec}\u{e8} a ", "na do "] {
            let unit = Charset::ISO_8859_1.encode_exact(unit).expect("encodable");
            crate::linear::assert_linear(&"foreign language", 20_000, |n| {
                let _ = may_be_foreign_language(Charset::ISO_8859_1, &unit.repeat(n));
            });
        }
    }
}
