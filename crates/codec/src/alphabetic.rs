//! Tells letters from other characters, as [`char::is_alphabetic`] does, but without its search for the characters of most mail.
//!
//! # Limits
//! Asks the standard library about rare characters.

/// Returns the same as [`char::is_alphabetic`], and faster for the letters and signs of most languages.
// For the charset choice of mailglot-mime, too.
#[doc(hidden)]
pub fn is_alphabetic(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_alphabetic(),
        '\u{80}'..='\u{BF}' => matches!(c, 'ª' | 'µ' | 'º'),
        '\u{C0}'..='\u{2C1}' => !matches!(c, '×' | '÷'),
        // Greek and Cyrillic.
        '\u{388}'..='\u{38A}' | '\u{38E}'..='\u{3A1}' | '\u{3A3}'..='\u{3F5}' => true,
        '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}' => true,
        // Hebrew, Arabic and Thai.
        '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{657}' | '\u{66E}'..='\u{6D3}' => true,
        '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E46}' => true,
        // Latin for Vietnamese.
        '\u{1E00}'..='\u{1F15}' => true,
        // Punctuation, mathematical signs, boxes.
        '\u{2010}'..='\u{2070}' | '\u{2190}'..='\u{24B5}' | '\u{2500}'..='\u{2BFF}' => false,
        // Kana, Han and Hangul.
        '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' => true,
        '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => true,
        // Private use, and U+FFFD.
        '\u{E000}'..='\u{F8FF}' | char::REPLACEMENT_CHARACTER => false,
        _ => c.is_alphabetic(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!(
                is_alphabetic(c),
                c.is_alphabetic(),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }
}
