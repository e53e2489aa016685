//! Tests whether a charset puts capitals behind small letters within words, as wrong charsets do: `БорГи Носев` for `Ѓорѓи Ќосев`.
//!
//! # Limits
//! Few right words have such capitals, such as names of companies. So only the comparison with the label is evidence.

use mailglot_codec::{Charset, LossLog};

/// Number of bytes that are read.
const WINDOW: usize = 4096;

/// Returns true if `other` makes such words of the bytes, at least one of `MANY`, and the label makes none.
pub(super) fn has_faults_beside(label: Charset, other: Charset, bytes: &[u8]) -> bool {
    const MANY: usize = 10;
    let bytes = &bytes[..bytes.len().min(WINDOW)];
    let read = |charset: Charset| {
        let text = charset.decode(bytes, &mut LossLog::with_limit(0));
        case_faults(&text)
    };
    let (faults, words) = read(other);
    faults > 0 && faults * MANY >= words && read(label).0 == 0
}

/// Returns the number of capitals behind small letters, and of words, among those with a letter beyond ASCII.
fn case_faults(text: &str) -> (usize, usize) {
    let (mut faults, mut words) = (0, 0);
    for word in text.split(|c: char| !c.is_alphabetic()) {
        words += usize::from(!word.is_ascii());
        let pairs = word.chars().zip(word.chars().skip(1));
        faults += pairs
            .filter(|(one, next)| one.is_lowercase() && next.is_uppercase())
            .filter(|(one, next)| !one.is_ascii() || !next.is_ascii())
            .count();
    }
    (faults, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_behind_small_letters_are_faults() {
        for (label, other, text, expected) in [
            ("windows-1251", "x-mac-cyrillic", "Ѓурѓа Ѓорѓиева", true),
            ("KOI8-R", "windows-1251", "Анна Каренина", true),
            ("windows-1251", "KOI8-R", "Анна Каренина", true),
            ("windows-1251", "KOI8-R", "АННА КАРЕНИНА", false),
            ("ISO-8859-1", "windows-1251", "Frédéric Müller", false),
        ] {
            let charset = |name| Charset::for_name(name).unwrap();
            let bytes = charset(label).encode_exact(text).unwrap();
            let found = has_faults_beside(charset(label), charset(other), &bytes);
            assert_eq!(found, expected, "{text} {other}");
        }
        let camel = Charset::WINDOWS_1251
            .encode_exact("фирма ИнтерСвязь")
            .unwrap();
        assert!(!has_faults_beside(
            Charset::ISO_8859_1,
            Charset::WINDOWS_1251,
            &camel
        ));
    }
}
