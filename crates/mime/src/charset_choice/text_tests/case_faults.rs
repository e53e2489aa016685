//! Tests whether a charset puts capitals behind small letters within words, as wrong charsets do: `БорГи Носев` for `Ѓорѓи Ќосев`. Dashes
//! before small letters count, too: `—рдечен` for `Срдечен`.
//!
//! # Limits
//! Few right words have such capitals, such as names of companies. So only the comparison with the label is evidence.

use crate::charset_choice::thresholds::window;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{Rival, has_word_faults};

/// Returns true if `other` makes such words of the bytes, at least one of ten, and the label makes none.
pub(crate) fn has_faults_beside(label: Charset, other: Charset, bytes: &[u8]) -> bool {
    let window = window(bytes);
    let has_faults = |charset: Charset| has_word_faults(&decode_unlogged(charset, window));
    has_faults(other) && !has_faults(label)
}

/// Returns true if a likelier charset outweighs a named one, and does not put faults where that has none.
pub(crate) fn outweighs(rival: &Rival, named: Charset, bytes: &[u8]) -> bool {
    rival.outweighs && !has_faults_beside(named, rival.guess.charset, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    #[test]
    fn capitals_behind_small_letters_are_faults() {
        for (label, other, text, expected) in [
            ("windows-1251", "x-mac-cyrillic", "Ѓурѓа Ѓорѓиева", true),
            ("KOI8-R", "windows-1251", "Анна Каренина", true),
            ("windows-1251", "KOI8-R", "Анна Каренина", true),
            ("windows-1251", "KOI8-R", "АННА КАРЕНИНА", false),
            ("ISO-8859-1", "windows-1251", "Frédéric Müller", false),
        ] {
            let bytes = encoded(label, text);
            let found = has_faults_beside(charset_named(label), charset_named(other), &bytes);
            assert_eq!(found, expected, "{text} {other}");
        }
        let camel = encoded("windows-1251", "фирма ИнтерСвязь");
        assert!(!has_faults_beside(
            Charset::ISO_8859_1,
            Charset::WINDOWS_1251,
            &camel
        ));
    }
}
