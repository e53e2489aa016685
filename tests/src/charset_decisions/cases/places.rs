//! Generates names in places of mail, such as brackets, tags, paths and subjects.
//!
//! # Limits
//!
//! Each text has one kind of place in each charset, which a hash of the text chooses. A text of several lines has it in each line.

use super::labels::Labels;
use super::locales::LocaleText;
use crate::charset_decisions::{Case, Label, MailPlace, Set, TextPosition};
use crate::faker::MailLanguage;
use crate::rng::Rng;
use mailglot_codec::Charset;

/// Generates the text in a place under right labels, and less often without a label and under a wrong one. `seed` changes the places.
pub(super) fn in_places(
    source: &LocaleText<'_>,
    language: &MailLanguage,
    seed: u64,
    labels: &mut Labels,
    put: &mut impl FnMut(Case),
) {
    let LocaleText { text, nth, lines } = *source;
    let rare = language
        .rare
        .get(nth % language.rare.len().max(1))
        .filter(|_| nth.is_multiple_of(6));
    for charset in language.common.iter().chain(rare).copied() {
        let mut rng = Rng::new(hash(text, charset) ^ seed);
        let place = *rng.pick(&MailPlace::ALL);
        let placed: Vec<String> = text
            .lines()
            .map(|line| in_place(line, place, &language.name, &mut rng))
            .collect();
        let placed = placed.join("\n");
        let Some(mut base) = Case::new(Set::Places, &language.name, charset, &placed, lines) else {
            continue;
        };
        base.place = Some(place);
        let form = form_of(place, lines, &mut rng);
        let labels = labels.of(charset, &base.bytes, &base.text);
        put(base.with(form, *rng.pick(&labels.right)));
        let body = if form == TextPosition::Word {
            TextPosition::Plain
        } else {
            form
        };
        if rng.chance(10) {
            put(base.with(body, Label::None));
        }
        if rng.chance(2) {
            for label in labels.wrong {
                put(base.with(form, label));
            }
        }
    }
}

/// Puts one word of a line into a place, or the whole line. Keeps the rest of the line, or only the word.
fn in_place(line: &str, place: MailPlace, language: &str, rng: &mut Rng) -> String {
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_ascii()).collect();
    if words.is_empty() || rng.chance(25) {
        return place.around(line, language, rng);
    }
    let word = *rng.pick(&words);
    let capitals = word.to_uppercase();
    let word_as_put = if rng.chance(15) { &capitals } else { word };
    let placed = place.around(word_as_put, language, rng);
    if rng.chance(50) {
        placed
    } else {
        line.replacen(word, &placed, 1)
    }
}

/// Returns the position of the text in its message.
fn form_of(place: MailPlace, lines: usize, rng: &mut Rng) -> TextPosition {
    match place {
        MailPlace::Tags => TextPosition::Html,
        _ if place.has_lines() || lines > 1 || rng.chance(40) => TextPosition::Plain,
        _ if rng.chance(20) => TextPosition::Html,
        _ => TextPosition::Word,
    }
}

/// Returns a hash (FNV-1a) of a text and its charset.
fn hash(text: &str, charset: Charset) -> u64 {
    let bytes = text.bytes().chain(charset.name().bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
