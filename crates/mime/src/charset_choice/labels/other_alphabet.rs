//! Decodes text labelled as Latin-1 in the charset of a body in another Latin alphabet.
//!
//! ```text
//! Content-Type: text/plain; charset=iso-8859-2     a body in Czech, under its right label
//! Subject: =?iso-8859-1?Q?Pozv=E1nka_na_sch=F9zi?= Pozvánka na schůzi, since schùzi is no likely word
//! From: =?iso-8859-1?Q?Andr=E8?=                   Andrè, since Andrč is not likelier
//! ```
//!
//! The label of the text is not disproved, since the body is right. So the other charset must give a much likelier text.
//!
//! # Limits
//! Text that is likely in both charsets stays: the name `Boldù` beside `Boldů`.

use super::disproved_label::{is_lone_letter, likelier_relative};
use super::label_check::LabelVerdict;
use super::label_plausibility::non_text_characters;
use crate::charset_choice::evidence::MAIL_HINTS;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::mojibake_score::{is_letter, mojibake_score};
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Hints};

/// How much likelier (natural logarithm) the text must be to replace that of the label, and to be reported.
const DECIDES: f32 = 9.0;
const REPORTED: f32 = 5.0;
/// Each implausible character that only the label gives counts so much, up to [`MAX_FAULTS`] characters: `ªtefan` has a sign before a letter.
const FAULT: f32 = 4.0;
const MAX_FAULTS: usize = 2;

/// Decodes bytes in `other`, the charset of a body in another Latin alphabet. Returns None to keep the label.
///
/// `text` is the text under the label.
pub(crate) fn read_in_other_alphabet<'b>(
    bytes: &'b [u8],
    label: Charset,
    text: &str,
    other: Charset,
    language: Option<&str>,
) -> Option<LabelVerdict<'b>> {
    if bytes.is_ascii() || is_lone_letter(bytes) {
        return None;
    }
    let hints = Hints {
        language,
        ..MAIL_HINTS
    };
    let used = likelier_relative(other, bytes, &hints);
    if !decodes_without_loss(used, bytes) {
        return None;
    }
    let read = decode_unlogged(used, bytes);
    if text == read || non_text_characters(&read).is_some() {
        return None;
    }
    let (before, now) = (mojibake_score(text), mojibake_score(&read));
    if now > before {
        return None;
    }
    let signs = signs_for_letters(text, &read);
    let faults = signs.misplaced.max(before - now).min(MAX_FAULTS);
    let margin = detect::margin_over(bytes, label, used, &hints)? + FAULT * faults as f32;
    match margin {
        DECIDES.. if signs.usual == 0 => Some(LabelVerdict::by_message(label, used, read)),
        DECIDES.. => Some(LabelVerdict::suspected(label, used)),
        REPORTED.. if signs.usual == 0 => Some(LabelVerdict::suspected(label, used)),
        _ => None,
    }
}

/// Numbers of signs under the label that are letters in the other charset.
#[derive(Default)]
struct SignCount {
    /// Signs in their usual places: `1º`, `½ l`, `¿Qué`.
    usual: usize,
    /// Signs where letters stand: `¹kola`, `£asica`, `Nemeº`.
    misplaced: usize,
}

/// Counts the signs of `text` that are letters in `read`, the same bytes in another single-byte charset.
fn signs_for_letters(text: &str, read: &str) -> SignCount {
    let mut count = SignCount::default();
    // Number of letters side by side before the sign.
    let mut letters = 0;
    let mut chars = text.chars().zip(read.chars()).peekable();
    while let Some((sign, other)) = chars.next() {
        if is_letter(sign) {
            letters += 1;
            continue;
        }
        if is_letter(other) {
            let next = chars.peek().map_or(' ', |pair| pair.0);
            if is_misplaced(sign, letters, next) {
                count.misplaced += 1;
            } else {
                count.usual += 1;
            }
        }
        letters = 0;
    }
    count
}

/// Returns true if a sign stands where only letters do: before a letter, or an ordinal, exponent or fraction behind a word.
fn is_misplaced(sign: char, letters_before: usize, next: char) -> bool {
    /// Minimum length of a word. `Nº` and `Mª` are abbreviations.
    const WORD: usize = 3;
    match sign {
        '¿' | '¡' | '«' | '»' | '·' => false,
        '©' => next.is_lowercase(),
        'º' | 'ª' | '¹' | '²' | '³' | '¼' | '½' | '¾' => {
            is_letter(next) || letters_before >= WORD
        }
        _ => is_letter(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::LossLog;

    /// Returns the text in the other charset, and whether a doubt is reported.
    fn read(other: &str, bytes: &[u8]) -> (Option<String>, bool) {
        let (label, other) = (Charset::ISO_8859_1, charset_named(other));
        let text = label.decode(bytes, &mut LossLog::new());
        let verdict = read_in_other_alphabet(bytes, label, &text, other, None).unwrap_or_default();
        let is_reported = verdict.read.is_none() && !verdict.events.is_empty();
        (verdict.read.map(|read| read.text.into_owned()), is_reported)
    }

    #[test]
    fn words_in_the_alphabet_of_the_body_are_read() {
        for (other, text) in [
            ("ISO-8859-2", "Pozvánka na schůzi"),
            ("ISO-8859-2", "Factură pentru luna martie"),
            ("ISO-8859-2", "Ştefan Ţepeş"),
            ("ISO-8859-2", "Jiří Dvořák"),
            ("ISO-8859-2", "Zaproszenie na święto"),
            ("ISO-8859-2", "Łukasz Żak"),
            ("windows-1250", "Škoda Plzeň"),
            ("windows-1254", "Yarın görüşürüz"),
            ("windows-1257", "Jūratė Šimkutė"),
        ] {
            let found = read(other, &encoded(other, text));
            assert_eq!(found, (Some(text.to_owned()), false), "{other} {text}");
        }
        // The body has no windows-1250, and the word has.
        let found = read("ISO-8859-2", &encoded("windows-1250", "Žlutý kůň"));
        assert_eq!(found.0.as_deref(), Some("Žlutý kůň"));
    }

    #[test]
    fn words_of_western_languages_stay() {
        for text in [
            "Andrè",
            "Giosuè",
            "Jörg Müller",
            "François",
            "José Muñoz",
            "Søren Kierkegård",
            "Ærø",
            "João",
            "São Paulo",
            "Ça va?",
            "Þór Guðmundsson",
            "naïve",
            "Nº 5",
            "Mª José",
            "1ª edição",
            "¿Qué tal?",
            "¡Hola!",
            "«Été»",
            "£5",
            "© 2001 René",
            "½ Preis",
            "5 m²",
            "Hinweis¹",
            "100 µg",
            "20 °C ± 5",
            "Ø 5 mm",
            "Ö",
            "plain",
        ] {
            for other in ["ISO-8859-2", "windows-1250", "windows-1254", "windows-1257"] {
                let found = read(other, &encoded("ISO-8859-1", text));
                assert_eq!(found, (None, false), "{other} {text}");
            }
        }
    }
}
