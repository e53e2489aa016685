//! Finds text of Central Europe under a label of Latin-1 by its letters.
//!
//! ```text
//! Josip Peènik                 ISO-8859-1    Josip Pečnik                 ISO-8859-2
//! Tehnièar sredstava za pranje windows-1252  Tehničar sredstava za pranje windows-1250
//! ```
//!
//! # Limits
//! Only reports the charset. Languages without a model have such letters, too: Kurdish `wêneya` under ISO-8859-1.

use super::byte_set::set;
use super::foreign_letters::character;
use super::likelier_charset::LikelierCharset;
use super::repetitions::unrepeated;
use super::western_letters::is_latin_1;
use crate::charset_choice::thresholds::{MAX_HIGH_BYTES, SURE_CONFIDENCE};
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Evidence, Guess, high_bytes};

/// The charsets of Polish, Czech, Croatian and other languages of Central Europe.
pub(super) const CENTRAL_EUROPEAN: [Charset; 2] = [Charset::ISO_8859_2, Charset::WINDOWS_1250];

/// Bytes that windows-1252 and both charsets read alike: `é`, `°`, the quotation marks of Windows (controls in ISO-8859-2).
const SHARED: [bool; 256] = set(
    b"\x80\x81\x82\x84\x85\x86\x87\x89\x8A\x8B\x8E\x90\x91\x92\x93\x94\x95\x96\x97\x99\x9A\x9B\x9E\xA0\
      \xA4\xA7\xA8\xAD\xB0\xB4\xB8\xC1\xC2\xC4\xC7\xC9\xCB\xCD\xCE\xD3\xD4\xD6\xD7\xDA\xDC\xDD\xDF\xE1\
      \xE2\xE4\xE7\xE9\xEB\xED\xEE\xF3\xF4\xF6\xF7\xFA\xFC\xFD",
);

/// Returns true if letters under a label of Latin-1 have neighbors that languages of Central Europe rather have: `Peènik` is `Pečnik` in
/// ISO-8859-2. Fast.
pub(crate) fn may_be_central_european(label: Charset, bytes: &[u8]) -> bool {
    /// How much likelier (natural logarithm) the letters must be beside their neighbors.
    const LEAD: f32 = 0.5;
    is_latin_1(label)
        && high_bytes(bytes)
            .take(MAX_HIGH_BYTES)
            .any(|at| !SHARED[usize::from(bytes[at])])
        && detect::letters_lead(bytes, label, &CENTRAL_EUROPEAN).is_some_and(|lead| lead >= LEAD)
}

/// Returns the charset of Central Europe in which the text is far likelier than under the label. Ignores words that both read alike.
pub(crate) fn likelier_by_central_european_letters(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    /// How much likelier (natural logarithm) the text must be. Few of 16,000 names and sentences in Western languages reach this: `Giosuè`.
    const MARGIN: f32 = 8.0;
    if !may_be_central_european(label, bytes) {
        return None;
    }
    let text = unrepeated(bytes, label);
    let margin = |charset| {
        let text = without_shared_letters(&text, label, charset)?;
        detect::margin_over(&text, label, charset, hints)
    };
    let (charset, _) = CENTRAL_EUROPEAN
        .into_iter()
        .filter_map(|charset| Some((charset, margin(charset)?)))
        .filter(|(_, margin)| *margin >= MARGIN)
        .max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let guess = Guess {
        charset,
        confidence: SURE_CONFIDENCE,
        evidence: Evidence::Model,
    };
    let decides = false;
    Some(LikelierCharset { guess, decides })
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
            let is_alike = |charset| character(charset, byte) == own;
            let expected =
                is_alike(Charset::WINDOWS_1250) && (byte < 0xA0 || is_alike(Charset::ISO_8859_2));
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
                likelier_by_central_european_letters(Charset::WINDOWS_1252, &bytes, &MAIL_HINTS);
            let reported = likelier.map(|likelier| likelier.decides);
            assert_eq!(reported, is_reported.then_some(false), "{text}");
        }
    }
}
