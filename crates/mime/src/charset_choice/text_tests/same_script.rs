//! Finds text in another charset of the label's script. That charset has few other letters, or has its letters at other bytes.
//!
//! ```text
//! ¶νθιμος Δουκάς   windows-1253    Άνθιμος Δουκάς   ISO-8859-7
//! drľava           windows-1250    država           ISO-8859-2
//! Auđra            ISO-8859-4      Aušra            windows-1257
//! بفد              ISO-8859-6      بلد              windows-1256
//! ```
//!
//! A cheap test of letters beside their neighbors selects text, and the margin of likelihood decides.
//!
//! # Limits
//! Compares each label with one other charset, for six labels. The Cyrillic charsets have tests of their own ([`super::mac_cyrillic`]).

use super::few_bytes::is_likelier_throughout;
use super::latin2_letters::has_letters_of_iso_8859_2;
use super::likelier_charset::LikelierCharset;
use super::neighbor_bytes::byte_or_blank;
use super::plain_words::few_plain_words;
use super::repetitions::unrepeated;
use crate::charset_choice::thresholds::window;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self};

/// Margin of likelihood (natural logarithm) from which on the other charset is reported. Hardly any text under its right label reaches it
/// (`cargo xtask charset-decisions`).
const REPORT_MARGIN: f32 = 10.0;
/// Like [`REPORT_MARGIN`], for the Greek charsets, which differ in one letter: `Ά`.
const REPORT_MARGIN_OF_ALPHA: f32 = 2.0;
/// Margin of likelihood from which on the other charset replaces the label.
const OVERRULE_MARGIN: f32 = 20.0;
/// Like [`OVERRULE_MARGIN`], if the label makes one or two plain words of the text.
const OVERRULE_MARGIN_OF_NAMES: f32 = 32.0;

/// Minimum number of letters: fewer have rare neighbors, as in `ąt`.
const MIN_LETTERS: usize = 4;

/// Returns the charset of the same script that text under a label may be in.
fn other(label: Charset) -> Option<Charset> {
    match label {
        Charset::WINDOWS_1250 => Some(Charset::ISO_8859_2),
        Charset::WINDOWS_1253 => Some(Charset::ISO_8859_7),
        Charset::WINDOWS_1256 => Some(Charset::ISO_8859_6),
        Charset::ISO_8859_4 => Some(Charset::WINDOWS_1257),
        Charset::ISO_8859_6 => Some(Charset::WINDOWS_1256),
        Charset::ISO_8859_7 => Some(Charset::WINDOWS_1253),
        _ => None,
    }
}

/// Returns true if letters fit the other charset rather than the label. Fast.
pub(crate) fn may_be_of_same_script(label: Charset, bytes: &[u8]) -> bool {
    match (label, other(label)) {
        (Charset::WINDOWS_1250, _) => has_letters_of_iso_8859_2(bytes),
        (Charset::WINDOWS_1253, _) => has_alpha_at(0xB6, bytes),
        (Charset::ISO_8859_7, _) => has_alpha_at(0xA2, bytes),
        (_, Some(charset)) => {
            detect::letters_lead(bytes, label, &[charset]).is_some_and(|lead| lead > 0.0)
        }
        (_, None) => false,
    }
}

/// Returns true if a byte begins Greek words, as `Ά` does. `Ά` is B6 in ISO-8859-7, where windows-1253 has `¶`. It is A2 in windows-1253,
/// where ISO-8859-7 has `’`.
fn has_alpha_at(alpha: u8, bytes: &[u8]) -> bool {
    const GREEK: u8 = 0xB8;
    let window = window(bytes);
    let is_greek = |at: Option<usize>| byte_or_blank(window, at) >= GREEK;
    memchr::memchr_iter(alpha, window)
        .any(|at| !is_greek(at.checked_sub(1)) && is_greek(Some(at + 1)))
}

/// Returns the other charset of the script if the text is far likelier in it.
pub(crate) fn likelier_of_same_script(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    let charset = other(label).filter(|_| may_be_of_same_script(label, bytes))?;
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    bytes.iter().filter(is_letter).nth(MIN_LETTERS - 1)?;
    let margin = detect::margin_over(&unrepeated(bytes, label), label, charset, hints)?;
    let overrule = match few_plain_words(label, bytes) {
        Some(_) => OVERRULE_MARGIN_OF_NAMES,
        None => OVERRULE_MARGIN,
    };
    let is_greek = matches!(label, Charset::WINDOWS_1253 | Charset::ISO_8859_7);
    let report = if is_greek {
        REPORT_MARGIN_OF_ALPHA
    } else {
        REPORT_MARGIN
    };
    // Uyghur and other languages without a model have letters that are rare in Arabic and Persian.
    let decides = label != Charset::WINDOWS_1256
        && margin >= overrule
        && is_likelier_throughout(label, charset, bytes, hints);
    (margin >= report).then_some(LikelierCharset::by_model(charset, decides))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::test_charsets::{charset_named, encoded};

    /// Returns the name of the likelier charset for text in `charset`, and whether it replaces the label.
    fn likelier(label: &str, charset: &str, text: &str) -> Option<(&'static str, bool)> {
        let bytes = encoded(charset, text);
        let found = likelier_of_same_script(charset_named(label), &bytes, &MAIL_HINTS);
        found.map(|likelier| (likelier.guess.charset.name(), likelier.decides))
    }

    #[test]
    fn names_are_reported_and_sentences_replace_the_label() {
        for (label, charset, text, decides) in [
            ("windows-1253", "ISO-8859-7", "Άνθιμος Δουκάς", false),
            ("ISO-8859-7", "windows-1253", "Άγιος Χριστόφορος", false),
            (
                "windows-1250",
                "ISO-8859-2",
                "Neodvisna država Zahodna Samoa",
                false,
            ),
            ("ISO-8859-4", "windows-1257", "Aušra Kalvėnas", false),
            ("ISO-8859-6", "windows-1256", "ريان جار الله", true),
            ("windows-1256", "ISO-8859-6", "مالك عاملة", false),
            (
                "ISO-8859-6",
                "windows-1256",
                "السلام عليكم، أرسل لكم الملف المطلوب مع التقدير",
                true,
            ),
            (
                "windows-1256",
                "ISO-8859-6",
                "السلام عليكم، أرسل لكم الملف المطلوب مع التقدير",
                false,
            ),
            (
                "ISO-8859-4",
                "windows-1257",
                "Laba diena, siunčiu jums prašomą failą, ačiū už pagalbą",
                true,
            ),
        ] {
            let expected = Some((charset, decides));
            assert_eq!(likelier(label, charset, text), expected, "{text}");
        }
    }

    #[test]
    fn right_labels_stay_without_a_report() {
        for (charset, text) in [
            ("windows-1253", "Ευρώπη/ΆγιοςΜαρίνος"),
            ("windows-1253", "Διαμαντής-Άγγελος Κυρίτσης"),
            ("ISO-8859-7", "ΆΣΠΡΟ"),
            ("ISO-8859-7", "’θελα, ’χω"),
            ("windows-1250", "ąt"),
            ("windows-1250", "Oľga Dudková"),
            ("windows-1250", "© 2004 Firma® s.r.o., Kráľ"),
            ("windows-1250", "Zażółć gęślą"),
            ("ISO-8859-4", "Ēvalds Zvirbulis"),
            ("ISO-8859-6", "ابتكار جزار"),
            ("windows-1256", "مبتذلة"),
            ("windows-1256", "دانشجو"),
            ("KOI8-R", "Привет"),
        ] {
            assert_eq!(likelier(charset, charset, text), None, "{text}");
        }
    }
}
