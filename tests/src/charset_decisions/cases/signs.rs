//! Generates texts with signs of real mail, such as dashes, quotation marks and no-break spaces.
//!
//! # Limits
//!
//! Each text is in one charset of its language.

use super::groups::{LENGTHS, groups};
use super::labels::Labels;
use crate::charset_decisions::material::ENGLISH;
use crate::charset_decisions::{Case, Label, Set, TextPosition};
use crate::faker::MailLanguage;
use crate::generate::sentences;
use crate::rng::Rng;
use crate::signs::Sprinkler;
use mailglot_codec::Charset;
use std::collections::HashMap;

/// Generates texts of a locale with signs, each in one of its charsets.
pub(super) fn in_locale(
    texts: &[String],
    language: &MailLanguage,
    rng: &mut Rng,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let charsets: Vec<(Charset, Sprinkler)> = language
        .common
        .iter()
        .map(|charset| (*charset, Sprinkler::new(*charset)))
        .filter(|(_, signs)| !signs.is_empty())
        .collect();
    for lines in LENGTHS {
        for (nth, carrier) in groups(texts, lines, rng).into_iter().enumerate() {
            let Some((charset, signs)) = charsets.get(nth % charsets.len().max(1)) else {
                continue;
            };
            let carrier = Carrier {
                text: &carrier,
                nth,
                lines,
                language: &language.name,
                charset: *charset,
                signs,
            };
            sprinkle(&carrier, rng, labels, put);
        }
    }
}

/// Generates sentences of the mailbox generator with signs.
pub(super) fn in_sentences(labels: &mut Labels, put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(11);
    let mut signs: HashMap<Charset, Sprinkler> = HashMap::new();
    for (sentence, encoding) in sentences() {
        let Some(charset) =
            Charset::for_name(encoding).filter(|c| c.is_ascii_compatible() && !c.is_stateful())
        else {
            continue;
        };
        let signs = signs
            .entry(charset)
            .or_insert_with(|| Sprinkler::new(charset));
        if charset == Charset::UTF_8 || signs.is_empty() {
            continue;
        }
        for nth in 0..12 {
            let carrier = Carrier {
                text: sentence,
                nth,
                lines: 1,
                language: encoding,
                charset,
                signs,
            };
            sprinkle(&carrier, &mut rng, labels, put);
        }
    }
}

/// A text that gets signs.
struct Carrier<'t> {
    text: &'t str,
    /// Its number, which chooses form and labels.
    nth: usize,
    lines: usize,
    language: &'t str,
    charset: Charset,
    signs: &'t Sprinkler,
}

fn sprinkle(carrier: &Carrier<'_>, rng: &mut Rng, labels: &mut Labels, put: &mut impl FnMut(Case)) {
    let Carrier {
        nth,
        lines,
        language,
        charset,
        signs,
        ..
    } = *carrier;
    let html = nth % 2 == 1;
    let text = signs.sprinkle(carrier.text, html, rng);
    let western = charset == Charset::WINDOWS_1252;
    let set = if carrier.text.is_ascii() && western {
        Set::SignsOnly
    } else {
        Set::Signs
    };
    let Some(base) = Case::new(set, language, charset, &text, lines) else {
        return;
    };
    let is_line = is_one_line(&base.text);
    let body = if html {
        TextPosition::Html
    } else {
        TextPosition::Plain
    };
    let labels = labels.of(charset, &base.bytes, &base.text);
    let form = if is_line && nth.is_multiple_of(4) {
        TextPosition::Word
    } else {
        body
    };
    put(base.with(form, labels.right[nth / 2 % labels.right.len()]));
    if nth % 4 < 2 {
        put(base.with(
            if is_line && nth.is_multiple_of(8) {
                TextPosition::RawHeader
            } else {
                body
            },
            Label::None,
        ));
    }
    if nth % 32 < 2 {
        for label in labels.wrong {
            put(base.with(body, label));
        }
    }
}

/// Generates English texts whose only bytes above 7F are signs of windows-1252.
pub(super) fn in_english(put: &mut impl FnMut(Case)) {
    let mut rng = Rng::new(5);
    let signs = Sprinkler::new(Charset::WINDOWS_1252);
    for nth in 0..24_000 {
        let lines = [1, 1, 5, 1, 3, 40][nth % 6];
        let carrier: Vec<&str> = (0..lines).map(|_| *rng.pick(ENGLISH)).collect();
        let html = nth % 4 == 1;
        let text = signs.sprinkle(&carrier.join("\n"), html, &mut rng);
        let western = Charset::WINDOWS_1252;
        let Some(base) = Case::new(Set::SignsOnly, "en", western, &text, lines) else {
            continue;
        };
        let is_line = is_one_line(&base.text);
        let (form, label) = match nth % 8 {
            0 | 1 | 2 | 5 if is_line && nth % 3 == 0 => (TextPosition::RawHeader, Label::None),
            0 | 1 | 2 | 5 => (
                if html {
                    TextPosition::Html
                } else {
                    TextPosition::Plain
                },
                Label::None,
            ),
            3 if is_line => (TextPosition::Word, Label::Right("iso-8859-1")),
            3 | 4 => (TextPosition::Plain, Label::Right("windows-1252")),
            6 => (TextPosition::Plain, Label::Right("iso-8859-1")),
            // Only the Western charsets have such signs: this label says nothing.
            _ => (TextPosition::Plain, Label::Wrong("us-ascii")),
        };
        put(base.with(form, label));
    }
}

/// Returns true for text that may be the value of a header field.
fn is_one_line(text: &str) -> bool {
    !text.contains('\n') && text == text.trim_ascii()
}
