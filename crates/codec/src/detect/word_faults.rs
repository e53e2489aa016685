//! Finds words that only a wrong charset makes: capitals behind small letters (`БорГи` for `Ѓорѓи`), and dashes before small letters
//! (`—рдечен` for `Срдечен`).
//!
//! x-mac-cyrillic and windows-1251 read small letters alike. So the letters of a language can prefer the wrong one: `Ѓ` and `Џ` are rare.
//!
//! # Limits
//! Few right words have such capitals, such as names of companies. So only the comparison with another reading is evidence.

use super::candidate_filter::Trial;
use super::cost::NAT;
use super::language::{Candidate, candidates};
use super::priors::Priors;
use super::readings::Readings;
use super::sample::Sample;
use super::score::{self, Scored};
use crate::alphabetic::is_alphabetic;
use crate::charset::Charset;
use crate::detect::script_group::ScriptGroup;
use crate::loss::LossLog;

/// How much likelier a reading with such words may be without winning over one without them.
const WORTH: u32 = 32 * NAT;

/// Returns true if at least one of ten words with letters beyond ASCII is such a word.
// For the charset choice of mailglot-mime, too.
#[doc(hidden)]
pub fn has_word_faults(text: &str) -> bool {
    /// Words for each fault.
    const MANY: usize = 10;
    let (mut faults, mut words) = (0, 0);
    // The letter before this one in its word, and whether the word has a letter beyond ASCII.
    let (mut before, mut is_beyond_ascii): (Option<char>, _) = (None, false);
    let mut is_behind_dash = false;
    for c in text.chars() {
        if !is_alphabetic(c) {
            words += usize::from(is_beyond_ascii);
            // No dash of `слово—слово`.
            is_behind_dash = before.is_none() && matches!(c, '\u{2013}' | '\u{2014}');
            (before, is_beyond_ascii) = (None, false);
            continue;
        }
        let is_fault = match before {
            None => is_behind_dash && !c.is_ascii() && c.is_lowercase(),
            Some(before) => {
                !(before.is_ascii() && c.is_ascii()) && c.is_uppercase() && before.is_lowercase()
            }
        };
        faults += usize::from(is_fault);
        is_beyond_ascii |= !c.is_ascii();
        before = Some(c);
    }
    words += usize::from(is_beyond_ascii);
    faults > 0 && faults * MANY >= words
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
    if !has_word_faults(&text) && !lacks_kazakh_letters(best.charset, &text) {
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

/// Returns true for a long text in KZ-1048 without the letters қ, ә, і, ң, ұ and һ of Kazakh. Such text is Mongolian in windows-1251, which
/// writes `є` for `ө`: KZ-1048 decodes `єглєє` as `ғглғғ`.
fn lacks_kazakh_letters(charset: Charset, text: &str) -> bool {
    /// Minimum number of characters beyond ASCII. In Kazakh one of seven is such a letter.
    const MIN_LETTERS: usize = 40;
    charset == Charset::KZ_1048
        && text.chars().filter(|c| !c.is_ascii()).count() >= MIN_LETTERS
        && !text.contains(|c| "қҚәӘіІңҢұҰһҺ".contains(c))
}

/// Returns `best` and the Cyrillic charsets that decode at least three of four letters alike, the most common one first. Returns nothing if `best` is not
/// Cyrillic.
///
/// Languages without a model have letters in place of others: `є` in windows-1251 for `ө` in Mongolian.
pub(super) fn related_charsets(best: Charset, sample: &Sample) -> Vec<Charset> {
    /// One of so many characters beyond ASCII may differ.
    const ONE_OF: usize = 4;
    let is_cyrillic = |own: &&Candidate| own.is_single_byte && own.script == ScriptGroup::Cyrillic;
    let all = || candidates().iter().filter(is_cyrillic);
    if !all().any(|own| own.charset == best) {
        return Vec::new();
    }
    let read = |charset: Charset| charset.decode(&sample.bytes, &mut LossLog::with_limit(0));
    let text = read(best);
    let is_alike = |charset: Charset| {
        let other = read(charset);
        let pairs = || text.chars().zip(other.chars());
        let count = pairs().filter(|(one, _)| !one.is_ascii()).count();
        let mut different = pairs().filter(|(one, other)| one != other);
        different.clone().count() * ONE_OF <= count
            && different.all(|(_, other)| is_alphabetic(other))
    };
    let mut found: Vec<&Candidate> = all()
        .filter(|own| own.charset == best || is_alike(own.charset))
        .collect();
    found.sort_by_key(|own| own.rarity());
    found.into_iter().map(|own| own.charset).collect()
}

/// Returns true if nearly all characters beyond ASCII are letters. ISO-8859-5 text decoded as IBM866 has box drawing: `Добрый` is `┤▐╤ры┘`.
pub(super) fn has_letters_only(charset: Charset, sample: &Sample) -> bool {
    /// One of so many characters may be a sign.
    const ONE_OF: usize = 20;
    let text = charset.decode(&sample.bytes, &mut LossLog::with_limit(0));
    let high = || text.chars().filter(|c| !c.is_ascii());
    high().filter(|c| !is_alphabetic(*c)).count() * ONE_OF <= high().count()
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
    fn mongolian_is_no_kazakh() {
        let hints = Hints {
            ascii_compatible: true,
            ..Hints::default()
        };
        let bytes = |name: &str, text: &str| {
            let charset = Charset::for_name(name).unwrap();
            charset.encode_exact(text).unwrap().into_owned()
        };
        // The letters of Mongolian in windows-1251.
        let mongolian = "Таны захидлыг хvлээн авлаа, баярлалаа. Хурал єглєє гурван цагт эхэлнэ, зїїн талын єрєєнд.";
        let page = bytes("windows-1251", mongolian);
        assert_eq!(detect(&page, &hints).charset, Charset::WINDOWS_1251);
        for label in [Charset::ISO_8859_1, Charset::KOI8_R] {
            let rival = super::super::rival(&page, label, &hints).expect("a rival");
            assert_eq!(rival.guess.charset, Charset::WINDOWS_1251, "{label}");
            assert!(rival.guess.confidence > 0.9, "{label} {rival:?}");
        }
        let kazakh = "Қазақстан Республикасының астанасы туралы хабарлама, ғылым мен өнер";
        let page = bytes("KZ-1048", kazakh);
        assert_eq!(detect(&page, &hints).charset, Charset::KZ_1048);
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
