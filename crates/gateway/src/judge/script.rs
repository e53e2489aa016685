//! Words that mix letters of scripts that are taken for one another (Unicode Technical Standard 39, 5.1, for its main cases).
//!
//! # Limits
//! Latin, Greek, Cyrillic, Armenian, Cherokee and Coptic; other mixtures, such as of Latin and Han, are everyday names.

/// A script with letters that look like those of another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
    Coptic,
}

/// Whether one word of the text has letters of two of them.
pub(super) fn is_mixed(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let mut scripts = word.chars().filter_map(script);
        scripts.next().is_some_and(|first| scripts.any(|other| other != first))
    })
}

fn script(c: char) -> Option<Script> {
    Some(match c {
        'a'..='z'
        | 'A'..='Z'
        | '\u{C0}'..='\u{D6}'
        | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{24F}'
        | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
        '\u{370}'..='\u{3E1}' | '\u{3F0}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
        '\u{3E2}'..='\u{3EF}' | '\u{2C80}'..='\u{2CFF}' => Script::Coptic,
        '\u{400}'..='\u{52F}'
        | '\u{1C80}'..='\u{1C8F}'
        | '\u{2DE0}'..='\u{2DFF}'
        | '\u{A640}'..='\u{A69F}' => Script::Cyrillic,
        '\u{530}'..='\u{58F}' => Script::Armenian,
        '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' => Script::Cherokee,
        _ => return None,
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
