//! Finds text in x-mac-cyrillic under a label of windows-1251: `Џривет, это моЯ статьЯ` is `Привет, это моя статья`.
//!
//! Both charsets have the same small letters but `я` and `ё`, which are `Я` and `Ю` in windows-1251. The capitals of x-mac-cyrillic are
//! signs, or letters of Serbian and Macedonian there. A cheap test selects text, and the margin of likelihood decides.
//!
//! # Limits
//! Text in capitals only has no evidence. Text of names only, such as `Ѓорче Ќулавков`, is reported at most.

use super::few_bytes::is_likelier_throughout;
use super::likelier_charset::LikelierCharset;
use super::neighbor_bytes::byte_or_blank;
use super::plain_words::few_plain_words;
use super::repetitions::unrepeated;
use crate::charset_choice::thresholds::window;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, high_bytes};

/// Margin of likelihood (natural logarithm) from which on x-mac-cyrillic is reported if `я` or `ё` shows it.
const REPORT_MARGIN: f32 = 6.0;
/// Margin from which on it replaces the label then.
const OVERRULE_MARGIN: f32 = 12.0;
/// Like [`REPORT_MARGIN`], if only capitals show it.
const REPORT_MARGIN_OF_CAPITALS: f32 = 10.0;
/// Like [`OVERRULE_MARGIN`], if only capitals show it.
const OVERRULE_MARGIN_OF_CAPITALS: f32 = 16.0;
/// Like [`OVERRULE_MARGIN`], if the label makes one or two plain words of the text. `Ѓорче Ќулавков` reaches 28.4.
const OVERRULE_MARGIN_OF_NAMES: f32 = 32.0;

/// Returns true if more words look like x-mac-cyrillic than like windows-1251. Fast.
pub(crate) fn may_be_mac_cyrillic(label: Charset, bytes: &[u8]) -> bool {
    label == Charset::WINDOWS_1251 && MacPlaces::of(bytes).are_most()
}

/// Returns x-mac-cyrillic if the text is likelier in it than in windows-1251.
pub(crate) fn likelier_by_mac_cyrillic(
    label: Charset,
    bytes: &[u8],
    hints: &detect::Hints<'_>,
) -> Option<LikelierCharset> {
    let charset = Charset::X_MAC_CYRILLIC;
    let places = (label == Charset::WINDOWS_1251).then(|| MacPlaces::of(bytes))?;
    let text = places.are_most().then(|| unrepeated(bytes, label))?;
    let margin = detect::margin_over(&text, label, charset, hints)?;
    let (report, overrule) = match (places.inner, few_plain_words(label, bytes)) {
        (_, Some(_)) => (REPORT_MARGIN_OF_CAPITALS, OVERRULE_MARGIN_OF_NAMES),
        (0, None) => (REPORT_MARGIN_OF_CAPITALS, OVERRULE_MARGIN_OF_CAPITALS),
        (1.., None) => (REPORT_MARGIN, OVERRULE_MARGIN),
    };
    let are_names = places.inner == 0 && places.small_words < places.capitals;
    let decides =
        margin >= overrule && !are_names && is_likelier_throughout(label, charset, bytes, hints);
    (margin >= report).then_some(LikelierCharset::by_model(charset, decides))
}

/// The places in a text that only one of both charsets explains.
#[derive(Default)]
struct MacPlaces {
    /// `я` and `ё` of x-mac-cyrillic after a small letter: `статьЯ`, `вернЮшь`.
    inner: usize,
    /// Capitals of x-mac-cyrillic that begin a word: `Џривет`, `‡дравствуйте`.
    capitals: usize,
    /// Words that begin with a small letter.
    small_words: usize,
    /// Capitals and `я` of windows-1251, and its further letters within words: `Привет`, `Ѓорѓи`.
    windows: usize,
}

impl MacPlaces {
    /// Counts the places. Ends early in text that is clearly in windows-1251.
    fn of(bytes: &[u8]) -> Self {
        /// Lead of places of windows-1251 that text in x-mac-cyrillic never has.
        const CLEAR_LEAD: usize = 4;
        let window = window(bytes);
        let is_small = |byte: u8| matches!(byte, 0xE0..=0xFE);
        let mut places = Self::default();
        for at in high_bytes(window) {
            let before = byte_or_blank(window, at.checked_sub(1));
            let is_first = before.is_ascii();
            let precedes_small = is_small(byte_or_blank(window, Some(at + 1)));
            match window[at] {
                0xDE | 0xDF if is_small(before) => places.inner += 1,
                0x80..=0x9F if is_small(before) && precedes_small => places.windows += 1,
                0x80..=0x9F if is_first && precedes_small => places.capitals += 1,
                0xC0..=0xDF if is_first && precedes_small => places.windows += 1,
                0xFF => places.windows += 1,
                0xE0..=0xFE if is_first => places.small_words += 1,
                _ => continue,
            }
            if places.windows >= 2 * places.mac() + CLEAR_LEAD {
                break;
            }
        }
        places
    }

    /// Returns the number of places that show x-mac-cyrillic.
    fn mac(&self) -> usize {
        self.inner + self.capitals
    }

    /// Returns true if more places show x-mac-cyrillic.
    fn are_most(&self) -> bool {
        self.mac() > self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::evidence::MAIL_HINTS;
    use crate::test_charsets::encoded;

    /// Returns whether x-mac-cyrillic is likelier than windows-1251, and whether it replaces the label.
    fn likelier(charset: &str, text: &str) -> Option<bool> {
        let bytes = encoded(charset, text);
        let found = likelier_by_mac_cyrillic(Charset::WINDOWS_1251, &bytes, &MAIL_HINTS);
        found.map(|likelier| likelier.decides)
    }

    #[test]
    fn letters_and_capitals_show_the_charset() {
        for (text, expected) in [
            (
                "Здравствуйте! В списке рассылки появилась новая статья о ядре.",
                Some(true),
            ),
            (
                "Привет! Напиши мне, когда вернёшься. Он сказал: «я дома».",
                Some(true),
            ),
            (
                "Добрый день! Встреча переносится на понедельник.",
                Some(true),
            ),
            ("Доброго дня! Надсилаю вам документи.", Some(true)),
            ("Поздрав, пишем ти из Новог Сада због књиге", Some(true)),
            ("мая", None),
            ("СПАСИБО БОЛЬШОЕ", None),
        ] {
            assert_eq!(likelier("x-mac-cyrillic", text), expected, "{text}");
            let bytes = encoded("x-mac-cyrillic", text);
            let other = likelier_by_mac_cyrillic(Charset::KOI8_R, &bytes, &MAIL_HINTS);
            assert!(other.is_none(), "{text}");
        }
    }

    #[test]
    fn right_labels_of_windows_1251_stay() {
        for text in [
            "Здравствуйте! В списке рассылки появилась новая статья о ядре.",
            "ЯПОНИЯ",
            "моЯ",
            "мЯу мЯу",
            "да",
            "„она“ „они“ „оно“",
            "‘да’ – “нет”",
            "Џорџ и Ђорђе, њихов пријатељ Љубиша",
            "ћирилични/руски",
        ] {
            assert_eq!(likelier("windows-1251", text), None, "{text}");
        }
        // Names, and words that end in a capital `Я`, are reported at most.
        for text in [
            "ИнтерЯзь и моЯ, твоЯ",
            "ты моЯ, а Я твоЯ",
            "Ѓорѓи Ѓорѓиев",
            "Ѓорче Ќулавков",
            "Ѓорче Ѓурчинов Ѓошевски Ќулавков",
            "Ѓорче, Ѓорче, Ѓорче, Ѓорче, Ѓорче",
        ] {
            assert_ne!(likelier("windows-1251", text), Some(true), "{text}");
        }
    }
}
