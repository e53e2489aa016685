//! Determines the script of a letter (Unicode Standard Annex 24), for scripts of single-byte charsets and scripts with similar letters.
//!
//! # Limits
//! Uses blocks, without the signs among Latin letters. Does not distinguish the scripts of East Asian charsets, and no others.

/// A writing system, such as Latin or Cyrillic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Script {
    /// ASCII, Latin-1, Extended-A and -B, Extended Additional.
    Latin,
    /// With the letters of Ancient Greek.
    Greek,
    /// Its letters in the block of Greek, too.
    Coptic,
    /// With its extensions.
    Cyrillic,
    /// Armenian.
    Armenian,
    /// Hebrew, its points too.
    Hebrew,
    /// Arabic, its marks too.
    Arabic,
    /// Thai.
    Thai,
    /// Georgian.
    Georgian,
    /// Cherokee.
    Cherokee,
}

impl Script {
    /// Returns the script of a letter. `None` for letters of other scripts and for characters that are no letters.
    pub fn of(c: char) -> Option<Self> {
        Some(match c {
            'a'..='z'
            | 'A'..='Z'
            | '\u{C0}'..='\u{D6}'
            | '\u{D8}'..='\u{F6}'
            | '\u{F8}'..='\u{24F}'
            | '\u{1E00}'..='\u{1EFF}' => Self::Latin,
            '\u{370}'..='\u{3E1}' | '\u{3F0}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Self::Greek,
            '\u{3E2}'..='\u{3EF}' | '\u{2C80}'..='\u{2CFF}' => Self::Coptic,
            '\u{400}'..='\u{52F}'
            | '\u{1C80}'..='\u{1C8F}'
            | '\u{2DE0}'..='\u{2DFF}'
            | '\u{A640}'..='\u{A69F}' => Self::Cyrillic,
            '\u{530}'..='\u{58F}' => Self::Armenian,
            '\u{590}'..='\u{5FF}' => Self::Hebrew,
            '\u{600}'..='\u{77F}' => Self::Arabic,
            '\u{E00}'..='\u{E7F}' => Self::Thai,
            '\u{10A0}'..='\u{10FF}' => Self::Georgian,
            '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' => Self::Cherokee,
            _ => return None,
        })
    }

    /// Returns true if letters of this script look like those of other scripts (Unicode Technical Standard 39).
    pub fn is_confusable(self) -> bool {
        !matches!(
            self,
            Self::Hebrew | Self::Arabic | Self::Thai | Self::Georgian
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_scripts_and_signs_have_none() {
        for (text, want) in [
            ("aZéłſ", Some(Script::Latin)),
            ("αΏἀ", Some(Script::Greek)),
            ("ϣ", Some(Script::Coptic)),
            ("яЁґ", Some(Script::Cyrillic)),
            ("Բև", Some(Script::Armenian)),
            ("שּ", Some(Script::Hebrew)),
            ("پب", Some(Script::Arabic)),
            ("ข", Some(Script::Thai)),
            ("გ", Some(Script::Georgian)),
            ("Ꭰ", Some(Script::Cherokee)),
            ("1 ×÷€日한か", None),
        ] {
            for c in text.chars() {
                assert_eq!(Script::of(c), want, "{c}");
            }
        }
    }
}
