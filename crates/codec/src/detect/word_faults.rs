//! Finds words that only a wrong charset makes: capitals behind small letters (`БорГи` for `Ѓорѓи`), and dashes before small letters
//! (`—рдечен` for `Срдечен`).
//!
//! x-mac-cyrillic and windows-1251 read small letters alike. So the letters of a language can prefer the wrong one: `Ѓ` and `Џ` are rare.
//!
//! # Limits
//! Few right words have such capitals, such as names of companies. So only the comparison with another reading is evidence.

use super::candidate_filter::Trial;
use super::cost::NAT;
use super::language::{Candidate, ScriptGroup, candidates};
use super::priors::Priors;
use super::readings::Readings;
use super::sample::Sample;
use super::score::{self, Scored};
use crate::{Charset, LossLog};

/// How much likelier a reading with such words may be without winning over one without them.
const WORTH: u32 = 24 * NAT;

/// Returns true if at least one of ten words with letters beyond ASCII is such a word.
// For the charset choice of mailglot-mime, too.
#[doc(hidden)]
pub fn has_word_faults(text: &str) -> bool {
    /// Words for each fault.
    const MANY: usize = 10;
    let (mut faults, mut words) = (0, 0);
    let mut is_behind_dash = false;
    for piece in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphabetic());
        let begins_small = word
            .chars()
            .next()
            .is_some_and(|first| !first.is_ascii() && first.is_lowercase());
        words += usize::from(!word.is_ascii());
        faults += usize::from(is_behind_dash && begins_small) + capitals_behind_small_letters(word);
        // No dash of `слово—слово`.
        is_behind_dash = word.is_empty() && piece.ends_with(['\u{2013}', '\u{2014}']);
    }
    faults > 0 && faults * MANY >= words
}

/// Counts capitals behind small letters, one of the two beyond ASCII.
fn capitals_behind_small_letters(word: &str) -> usize {
    let pairs = word.chars().zip(word.chars().skip(1));
    pairs
        .filter(|(one, next)| one.is_lowercase() && next.is_uppercase())
        .filter(|(one, next)| !one.is_ascii() || !next.is_ascii())
        .count()
}

/// Makes a Cyrillic charset with such words less likely than a common one without them that reads most letters alike.
pub(super) fn prefer_faultless(scored: &mut Vec<Scored>, sample: &Sample, priors: &Priors) {
    let Some(best) = scored.first().copied() else {
        return;
    };
    let is_related =
        |other: &Candidate| other.is_single_byte && other.script == ScriptGroup::Cyrillic;
    let read = |charset: Charset| charset.decode(&sample.bytes, &mut LossLog::with_limit(0));
    if !candidates()
        .iter()
        .any(|candidate| candidate.charset == best.charset && is_related(candidate))
    {
        return;
    }
    let text = read(best.charset);
    if !has_word_faults(&text) {
        return;
    }
    let is_alike = |charset: Charset| are_mostly_alike(&text, &read(charset));
    let others = candidates().iter().filter(|other| {
        is_related(other)
            && !other.is_rare()
            && is_alike(other.charset)
            && !has_word_faults(&read(other.charset))
    });
    // The first look may have excluded it.
    let trials = others.map(|other| Trial::new(other, priors));
    let others = score::scored(trials, &mut Readings::new(sample, priors.rules));
    let Some(faultless) = others
        .first()
        .filter(|other| other.cost < best.cost + WORTH)
    else {
        return;
    };
    scored.retain(|other| other.charset != faultless.charset);
    // Of the charsets that read small letters alike, the others are rare in mail.
    for other in scored.iter_mut() {
        if other.charset.is_single_byte() && is_alike(other.charset) {
            other.cost += WORTH;
        }
    }
    scored.push(*faultless);
    scored.sort_by_key(|scored| scored.cost);
}

/// Returns the places of the Cyrillic charsets that read nearly all letters like the one at `best`, with that. Languages without a model
/// have letters in place of others there: `є` in windows-1251 for `ө` in Mongolian.
pub(super) fn relatives(scored: &[Scored], best: usize, sample: &Sample) -> Vec<usize> {
    /// One of so many characters beyond ASCII may differ.
    const RARE: usize = 4;
    let is_cyrillic = |charset: Charset| {
        let mut all = candidates().iter();
        all.any(|own| {
            own.charset == charset && own.is_single_byte && own.script == ScriptGroup::Cyrillic
        })
    };
    if !is_cyrillic(scored[best].charset) {
        return vec![best];
    }
    let read = |charset: Charset| charset.decode(&sample.bytes, &mut LossLog::with_limit(0));
    let text = read(scored[best].charset);
    let is_alike = |charset: Charset| {
        let other = read(charset);
        let pairs = || text.chars().zip(other.chars());
        let all = pairs().filter(|(one, _)| !one.is_ascii()).count();
        pairs().filter(|(one, other)| one != other).count() * RARE <= all
    };
    (0..scored.len())
        .filter(|at| is_cyrillic(scored[*at].charset) && is_alike(scored[*at].charset))
        .collect()
}

/// Returns true if most characters beyond ASCII are the same ones in both readings of single bytes.
fn are_mostly_alike(text: &str, other: &str) -> bool {
    let pairs = text.chars().zip(other.chars());
    let (mut alike, mut all) = (0, 0);
    for (one, other) in pairs.filter(|(one, _)| !one.is_ascii()) {
        all += 1;
        alike += usize::from(one == other);
    }
    alike * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, detect};
    use super::*;

    #[test]
    fn capitals_and_dashes_in_wrong_places_are_faults() {
        for (text, expected) in [
            ("БорГи Памбазов", true),
            ("—рдечен поздрав на сите", true),
            ("McÉlroy pÄr", true),
            ("Ѓорѓи Џамбазов", false),
            ("слово—слово, это – слово", false),
            ("— Да, — сказал он. —Здравствуйте", false),
            ("—dijo, eBay iPod", false),
            (
                "фирма ИнтерСвязь и ещё девять других слов, чтобы их было одиннадцать",
                false,
            ),
            ("АННА", false),
            ("", false),
        ] {
            assert_eq!(has_word_faults(text), expected, "{text}");
        }
    }

    #[test]
    fn a_guess_has_no_capitals_behind_small_letters_if_a_like_charset_has_none() {
        for (name, text) in [
            ("windows-1251", "Ѓорѓи Џамбазов"),
            ("windows-1251", "Срдечен поздрав, Ѓорѓи Џамбазов"),
            ("windows-1251", "Поздрав, Ѓорѓи"),
            ("windows-1251", "Ѓурѓа Ќосева"),
            ("windows-1251", "МегаФон и РосБизнесКонсалтинг"),
            ("x-mac-cyrillic", "Срдечен поздрав, Ѓорѓи Џамбазов"),
            ("x-mac-cyrillic", "Борис Годунов, Псков"),
            ("KOI8-R", "МегаФон и РосБизнесКонсалтинг"),
        ] {
            let charset = Charset::for_name(name).unwrap();
            let bytes = charset.encode_exact(text).unwrap();
            let hints = Hints {
                ascii_compatible: true,
                ..Hints::default()
            };
            let guess = detect(&bytes, &hints);
            let read = guess.charset.decode(&bytes, &mut LossLog::new());
            assert_eq!(read, text, "{name} as {}", guess.charset);
        }
    }
}
