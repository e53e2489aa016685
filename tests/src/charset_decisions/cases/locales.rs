//! Generates the texts of a locale as they are, and in capitals.
//!
//! # Limits
//!
//! Only these cases name the country of the writer.

use super::labels::Labels;
use crate::charset_decisions::{Case, Label, Set, TextPosition};
use crate::faker::MailLanguage;
use mailglot_codec::Charset;

const FORMS: [TextPosition; 3] = [TextPosition::Plain, TextPosition::Word, TextPosition::Html];
const UNLABELLED: [TextPosition; 3] = [
    TextPosition::Plain,
    TextPosition::RawHeader,
    TextPosition::Html,
];

/// A text of a locale, and its number, which chooses form and labels.
pub(super) struct LocaleText<'t> {
    pub(super) text: &'t str,
    pub(super) nth: usize,
    pub(super) lines: usize,
}

/// Generates the text under right labels, wrong labels and none.
pub(super) fn as_written(
    source: &LocaleText<'_>,
    language: &MailLanguage,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let LocaleText { text, nth, lines } = *source;
    // There are many single texts.
    let is_turn = |of: usize| lines > 1 || nth.is_multiple_of(of);
    let rare = language
        .rare
        .get(nth % language.rare.len().max(1))
        .filter(|_| is_turn(3));
    let utf8 = nth.is_multiple_of(4).then_some(Charset::UTF_8);
    for charset in language.common.iter().chain(rare).copied().chain(utf8) {
        let Some(base) = Case::new(Set::Plain, &language.name, charset, text, lines) else {
            continue;
        };
        let case = |form, label| base.with(form_of(form, lines), label);
        let labels = labels.of(charset, &base.bytes, &base.text);
        put(case(FORMS[nth % 3], labels.right[nth % labels.right.len()]));
        if labels.right.len() > 1 && is_turn(3) {
            put(case(
                FORMS[(nth + 1) % 3],
                labels.right[(nth + 1) % labels.right.len()],
            ));
        }
        let is_common = language.common.contains(&charset);
        if is_common && is_turn(3) {
            let mut case = case(UNLABELLED[nth / 3 % 3], Label::None);
            // Every second message names the country of the writer. Every second one of the others has a time zone.
            case.has_address = (nth / 3).is_multiple_of(2);
            case.country = (nth / 3 % 4 != 3)
                .then(|| language.country.clone())
                .filter(|country| country.len() == 2);
            put(case);
        }
        if is_common && nth.is_multiple_of(20) {
            for (at, label) in labels.wrong.into_iter().enumerate() {
                put(case(FORMS[(nth / 20 + at) % 3], label));
            }
        }
    }
}

/// Generates the text in capitals, under right labels, wrong labels and none.
pub(super) fn in_capitals(
    source: &LocaleText<'_>,
    language: &MailLanguage,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let LocaleText { text, nth, lines } = *source;
    let capitals: String = text.to_uppercase().chars().map(without_tonos).collect();
    if capitals == text {
        return;
    }
    for charset in &language.common {
        let Some(base) = Case::new(Set::Capitals, &language.name, *charset, &capitals, lines)
        else {
            continue;
        };
        let case = |form, label| base.with(form_of(form, lines), label);
        let labels = labels.of(*charset, &base.bytes, &base.text);
        put(case(FORMS[nth % 3], labels.right[nth % labels.right.len()]));
        if nth.is_multiple_of(3) {
            put(case(UNLABELLED[nth / 3 % 3], Label::None));
        }
        if nth.is_multiple_of(20) {
            for (at, label) in labels.wrong.into_iter().enumerate() {
                put(case(FORMS[(nth / 20 + at) % 3], label));
            }
        }
    }
}

/// Returns the position of a text of `lines` lines: several lines are no field.
fn form_of(form: TextPosition, lines: usize) -> TextPosition {
    if lines > 1 && matches!(form, TextPosition::RawHeader | TextPosition::Word) {
        TextPosition::Plain
    } else {
        form
    }
}

/// Returns a Greek capital without its accent: words in capitals have none (`Ά` becomes `Α`).
fn without_tonos(c: char) -> char {
    match c {
        'Ά' => 'Α',
        'Έ' => 'Ε',
        'Ή' => 'Η',
        'Ί' => 'Ι',
        'Ό' => 'Ο',
        'Ύ' => 'Υ',
        'Ώ' => 'Ω',
        other => other,
    }
}
