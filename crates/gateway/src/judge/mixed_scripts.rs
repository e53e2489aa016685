//! Finds words that mix letters of confusable scripts (Unicode Technical Standard 39, section 5.1, main cases).
//!
//! # Limits
//! Latin, Greek, Cyrillic, Armenian, Cherokee and Coptic only. Other mixtures, such as Latin and Han, occur in everyday names.

use mailglot_codec::Script;

/// Returns true if one word of the text has letters of two of these scripts.
pub(super) fn is_mixed(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let mut scripts = word
            .chars()
            .filter_map(Script::of)
            .filter(|script| script.is_confusable());
        scripts
            .next()
            .is_some_and(|first| scripts.any(|other| other != first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_inside_a_word_are_found() {
        for (text, mixed) in [
            ("paypal", false),
            ("p\u{430}ypal", true),
            ("Привет Hello", false),
            ("\u{405}upport", true),
            ("日本語Mail", false),
            ("Ωmega", true),
            ("Ω mega", false),
            ("müller-łódź", false),
        ] {
            assert_eq!(is_mixed(text), mixed, "{text}");
        }
    }
}
