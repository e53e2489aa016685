//! Finds text of Central Europe, the Baltic states and Turkey under a label of Latin-1 by its letters. Also finds text of Western Europe
//! under labels of Central Europe.
//!
//! ```text
//! Josip Peènik                 ISO-8859-1    Josip Pečnik                 ISO-8859-2
//! Tehnièar sredstava za pranje windows-1252  Tehničar sredstava za pranje windows-1250
//! Aurimas Èernius              ISO-8859-1    Aurimas Černius              windows-1257
//! Thanks, £ukasz               ISO-8859-1    Thanks, Łukasz               ISO-8859-2
//! Kristian Hřgsberg            ISO-8859-2    Kristian Høgsberg            windows-1252
//! Vežmi pekne ďakujem          ISO-8859-2    Veľmi pekne ďakujem          windows-1250
//! ```
//!
//! # Limits
//! Only reports the charset, except for long text, and for windows-1250 under a label of ISO-8859-2. Languages without a model have such letters, too: Kurdish `wêneya` under ISO-8859-1.

use super::byte_set::set;
use super::foreign_letters::character;
use super::likelier_charset::LikelierCharset;
use super::repetitions::unrepeated;
use super::western_letters::is_latin_1;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, MAX_HIGH_BYTES, high_bytes};

/// The charsets of Polish, Czech, Croatian and other languages of Central Europe.
pub(super) const CENTRAL_EUROPEAN: [Charset; 2] = [Charset::ISO_8859_2, Charset::WINDOWS_1250];

/// The charsets that a word under a label of Latin-1 may be in.
const NEIGHBORS: [Charset; 4] = [
    Charset::ISO_8859_2,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1254,
    Charset::WINDOWS_1257,
];

/// Bytes that windows-1252 and all [`NEIGHBORS`] read alike: `é`, `°`, the quotation marks of Windows (controls in ISO-8859-2).
const SHARED: [bool; 256] = set(
    b"\x80\x81\x82\x84\x85\x86\x87\x89\x8B\x90\x91\x92\x93\x94\x95\x96\x97\x99\x9B\xA0\xA4\xA7\xAD\xB0\xB4\
      \xC4\xC9\xD3\xD6\xD7\xDC\xDF\xE4\xE9\xF3\xF6\xF7\xFC",
);

/// Returns the charsets that text under a label may be in.
fn candidates(label: Charset) -> &'static [Charset] {
    match label {
        _ if is_latin_1(label) => &NEIGHBORS,
        Charset::ISO_8859_2 => &[Charset::WINDOWS_1252, Charset::WINDOWS_1250],
        Charset::WINDOWS_1250 => &[Charset::WINDOWS_1252],
        _ => &[],
    }
}

/// Returns true if text under a label of ISO-8859-2 may be in windows-1250: `Vežmi` is `Veľmi`. Its letters are hardly less likely there.
fn may_be_windows_1250(label: Charset, bytes: &[u8]) -> bool {
    /// Minimum of the likelihood (natural logarithm) of the letters beside their neighbors. Most right text stays far below.
    const LEAD: f32 = -6.0;
    /// `Ą`, `Ľ`, `ą` and `ľ` in windows-1250.
    const LETTERS: [u8; 4] = [0xA5, 0xBC, 0xB9, 0xBE];
    let mut all = high_bytes(bytes).take(MAX_HIGH_BYTES);
    label == Charset::ISO_8859_2
        && all.any(|at| LETTERS.contains(&bytes[at]))
        && detect::letters_lead(bytes, label, &[Charset::WINDOWS_1250])
            .is_some_and(|lead| lead > LEAD)
}

/// Returns true if letters have neighbors that languages of other charsets rather have: `Peènik` under a label of Latin-1 is `Pečnik` in
/// ISO-8859-2. Also for signs that touch words: `Micha³`. Fast.
pub(crate) fn may_be_neighbor_language(label: Charset, bytes: &[u8]) -> bool {
    /// How much likelier (natural logarithm) the letters must be beside their neighbors, under Latin-1 and under other labels.
    const LEAD: f32 = 0.0;
    const LEAD_OF_CHOSEN: f32 = 1.0;
    let candidates = candidates(label);
    let all = || high_bytes(bytes).take(MAX_HIGH_BYTES).map(|at| bytes[at]);
    if candidates.is_empty() || all().all(|byte| SHARED[usize::from(byte)]) {
        return false;
    }
    let leads = |least: f32| {
        detect::letters_lead(bytes, label, candidates).is_some_and(|lead| lead > least)
    };
    if is_latin_1(label) {
        has_sign_beside_letters(bytes) || leads(LEAD)
    } else {
        // Letters such as `ş` are signs in windows-1252: `Nemeº`.
        let is_sign = |byte: u8| matches!(byte, 0xA1..=0xBF) && !SHARED[usize::from(byte)];
        !all().any(is_sign) && leads(LEAD_OF_CHOSEN) || may_be_windows_1250(label, bytes)
    }
}

/// Signs of windows-1252 that are letters in ISO-8859-2 or windows-1250: `£ ¥ ¦ © ª ¬ ® ¯ ³ ¶ ¹ º ¼ ¾`.
pub(super) const SIGNS: [bool; 256] =
    set(b"\xA3\xA5\xA6\xA9\xAA\xAC\xAE\xAF\xB3\xB6\xB9\xBA\xBC\xBE");

/// Returns true if such a sign touches two letters before or two small letters after: `Micha³`, `£ukasz`, also `Windows®`. So does an opening sign
/// behind letters (`ju¿`), and a closing guillemet without an opening one (`necha»`). Fast.
pub(crate) fn has_sign_beside_letters(bytes: &[u8]) -> bool {
    const OPENING_QUESTION_MARK: u8 = 0xBF;
    const GUILLEMETS: [u8; 2] = [0xAB, 0xBB];
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0xC0;
    let is_small = |byte: &u8| byte.is_ascii_lowercase() || *byte >= 0xDF;
    let has_opening = || high_bytes(bytes).any(|at| bytes[at] == GUILLEMETS[0]);
    high_bytes(bytes).take(MAX_HIGH_BYTES).any(|at| {
        let (before, after) = (&bytes[..at], &bytes[at + 1..]);
        let is_behind = || {
            before
                .iter()
                .rev()
                .take(2)
                .filter(|byte| is_letter(byte))
                .count()
                == 2
        };
        match bytes[at] {
            byte if SIGNS[usize::from(byte)] => {
                after.iter().take(2).filter(|byte| is_small(byte)).count() == 2 || is_behind()
            }
            OPENING_QUESTION_MARK => is_behind(),
            byte => byte == GUILLEMETS[1] && is_behind() && !has_opening(),
        }
    })
}

/// Returns the charset in which the text is far likelier than under the label. Ignores words that both read alike.
pub(crate) fn likelier_by_letters_of_neighbors(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    /// How much likelier (natural logarithm) the text must be. Few of 16,000 names and sentences in Western languages reach this: `Giosuè`.
    const MARGIN: f32 = 6.0;
    /// Like [`MARGIN`], for charsets that differ by letters of Czech and Norwegian, too: `Malý`, `Martinø`.
    const MARGIN_OF_FEW: f32 = 9.0;
    /// Like [`MARGIN`], for signs that touch words.
    const MARGIN_OF_SIGNS: f32 = 4.0;
    /// Like [`MARGIN`], to replace the label.
    const OVERRULE: f32 = 48.0;
    /// Like [`OVERRULE`], for windows-1250 under a label of ISO-8859-2.
    const OVERRULE_LATIN2: f32 = 16.0;
    if !may_be_neighbor_language(label, bytes) {
        return None;
    }
    let has_signs = is_latin_1(label) && has_sign_beside_letters(bytes);
    let least = |charset: Charset| match charset {
        _ if has_signs => MARGIN_OF_SIGNS,
        Charset::WINDOWS_1254 | Charset::WINDOWS_1257 => MARGIN_OF_FEW,
        _ => MARGIN,
    };
    let text = unrepeated(bytes, label);
    let margin = |charset| {
        let text = if has_signs {
            other_lines(&text)
        } else {
            without_shared_letters(&text, label, charset)?
        };
        detect::margin_over(&text, label, charset, hints)
    };
    let (charset, margin) = candidates(label)
        .iter()
        .filter_map(|charset| Some((*charset, margin(*charset)?)))
        .filter(|(charset, margin)| *margin >= least(*charset))
        .max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    // Signs may be marks of footnotes.
    let decides = match label {
        _ if is_latin_1(label) => !has_signs && margin >= OVERRULE,
        _ => charset == Charset::WINDOWS_1250 && margin >= OVERRULE_LATIN2,
    };
    Some(LikelierCharset::by_model(charset, decides))
}

/// Returns the lines with bytes above 7F. Other lines may be in another language.
fn other_lines(bytes: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_ascii())
        .collect();
    lines.join(&b'\n')
}

/// Removes words whose letters beyond ASCII are alike in both charsets: `Škoda` and `Žižkov` in windows-1252 and windows-1250. Returns None if
/// no others are left.
fn without_shared_letters(bytes: &[u8], one: Charset, other: Charset) -> Option<Vec<u8>> {
    let differs = |byte: &u8| !byte.is_ascii() && character(one, *byte) != character(other, *byte);
    let has_proof = |word: &&[u8]| word.is_ascii() || word.iter().any(differs);
    let words: Vec<&[u8]> = bytes
        .split(u8::is_ascii_whitespace)
        .filter(has_proof)
        .collect();
    (!words.iter().all(|word| word.is_ascii())).then(|| words.join(&b' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::test_charsets::encoded;

    /// Bytes from 80 to 9F are controls in ISO-8859-2.
    #[test]
    fn shared_bytes_are_read_alike() {
        for byte in 0x80..=0xFF {
            let own = character(Charset::WINDOWS_1252, byte);
            let is_alike = |charset: &Charset| {
                *charset == Charset::ISO_8859_2 && byte < 0xA0 || character(*charset, byte) == own
            };
            let expected = NEIGHBORS.iter().all(is_alike);
            assert_eq!(SHARED[usize::from(byte)], expected, "{byte:02X}");
        }
    }

    #[test]
    fn neighbors_of_central_europe_are_reported() {
        for (text, charset, is_reported) in [
            ("Josip Pečnik", "ISO-8859-2", true),
            ("Predavač arhitekture i urbanizma", "ISO-8859-2", true),
            ("Tehničar sredstava za pranje", "ISO-8859-2", true),
            ("Renáta Mačkovičová", "windows-1250", true),
            ("Michał Górny", "ISO-8859-2", true),
            ("Thanks to Łukasz", "ISO-8859-2", true),
            ("Aurimas Černius", "windows-1257", true),
            ("ponieważ termin mija już jutro", "ISO-8859-2", true),
            ("Nepodarilo sa alokovať pamäť", "ISO-8859-2", true),
            (
                "See the note¹ below, Windows® and 5 cm³",
                "windows-1252",
                false,
            ),
            // `¿` in place of lost characters, and guillemets in pairs.
            ("The company¿s don¿t", "windows-1252", false),
            ("voir « menu», puis »la suite«", "windows-1252", false),
            // Czech names in French.
            (
                "Škoda, Žižkov, Œuvre; l’œuvre de Šárka",
                "windows-1252",
                false,
            ),
            // Kurdish, Breton, French, German and Swedish under their right labels.
            ("Daxistina zêdeyî ya cureyê wêne", "ISO-8859-1", false),
            ("Fazi en ur zigeriñ ar restr", "ISO-8859-1", false),
            (
                "Voilà, l’élève préfère la leçon à l’hôtel",
                "windows-1252",
                false,
            ),
            ("Grüße aus Köln, schöne Füße", "ISO-8859-1", false),
            ("Hej på dig, vi ses på måndag", "ISO-8859-1", false),
        ] {
            let bytes = encoded(charset, text);
            let likelier =
                likelier_by_letters_of_neighbors(Charset::WINDOWS_1252, &bytes, &MAIL_HINTS);
            let reported = likelier.map(|likelier| likelier.decides);
            assert_eq!(reported, is_reported.then_some(false), "{text}");
        }
    }

    /// Letters of windows-1250 are other letters in ISO-8859-2.
    #[test]
    fn latin_2_of_windows_is_found_under_iso_8859_2() {
        for (text, charset, is_found) in [
            (
                "Veľmi pekne ďakujem, posielam ľahký návod",
                "windows-1250",
                true,
            ),
            ("Błąd podczas łączenia", "windows-1250", true),
            (
                "Najlepša hvala za vse, številka že ni znana",
                "ISO-8859-2",
                false,
            ),
            (
                "Přijedu začátkem června, že ano? Každý ví",
                "ISO-8859-2",
                false,
            ),
            ("Žltý kôň ľahko šťastný, veľmi ďakujem", "ISO-8859-2", false),
            ("Zażółć gęślą jaźń", "ISO-8859-2", false),
        ] {
            let bytes = encoded(charset, text);
            let label = Charset::ISO_8859_2;
            let likelier = likelier_by_letters_of_neighbors(label, &bytes, &MAIL_HINTS);
            let found = likelier.map(|likelier| likelier.guess.charset);
            assert_eq!(found, is_found.then_some(Charset::WINDOWS_1250), "{text}");
        }
    }
}
