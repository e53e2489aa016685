//! Text as the tokens that are counted, one character each. The codec reads bytes into the same tokens.
//!
//! # Limits
//! Each language has letters of one script; letters of others are signs.

/// White space, controls, the ends of a text.
pub(super) const SPACE: char = '_';
/// ASCII that is no letter.
pub(super) const OTHER: char = '.';
/// A run of ASCII letters in text of another script than Latin.
pub(super) const ASCII: char = 'A';
/// What is neither ASCII nor a letter of the script.
pub(super) const SIGN: char = '*';
/// A letter of the script that the language has not.
pub(super) const FOREIGN: char = '?';
/// All of these, in the order of their numbers.
pub(super) const MARKS: [char; 5] = [SPACE, OTHER, ASCII, SIGN, FOREIGN];

/// A script, or a group of them, whose letters are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    /// Chinese, Japanese, Korean: characters are counted one by one.
    Han,
}

impl Script {
    /// Those whose letters are counted in their neighbourhood, in the order of the packed file.
    pub(super) const LETTERS: [Self; 6] = [
        Self::Latin,
        Self::Cyrillic,
        Self::Greek,
        Self::Hebrew,
        Self::Arabic,
        Self::Thai,
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "latin" => Self::Latin,
            "cyrillic" => Self::Cyrillic,
            "greek" => Self::Greek,
            "hebrew" => Self::Hebrew,
            "arabic" => Self::Arabic,
            "thai" => Self::Thai,
            "han" => Self::Han,
            _ => return None,
        })
    }

    /// Whether capitals are told from small letters.
    pub(super) fn has_case(self) -> bool {
        matches!(self, Self::Latin | Self::Cyrillic | Self::Greek)
    }

    fn has(self, c: char) -> bool {
        match self {
            Self::Latin => {
                c.is_ascii_alphabetic()
                    || matches!(c, '\u{C0}'..='\u{24F}' | '\u{300}'..='\u{323}' | '\u{1E00}'..='\u{1EFF}')
                        && !matches!(c, '×' | '÷')
            }
            Self::Cyrillic => matches!(c, '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}'),
            Self::Greek => matches!(c, '\u{386}' | '\u{388}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}'),
            Self::Hebrew => {
                matches!(c, '\u{591}'..='\u{5BD}' | '\u{5BF}'..='\u{5C2}' | '\u{5D0}'..='\u{5F2}')
            }
            Self::Arabic => matches!(c, '\u{620}'..='\u{65F}' | '\u{670}'..='\u{6D3}'),
            Self::Thai => matches!(c, '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E4E}'),
            Self::Han => !c.is_ascii() && !c.is_control(),
        }
    }

    /// The tokens of a text, before an alphabet is applied: repeated spaces, signs of ASCII and ASCII runs are one.
    pub(super) fn tokens(self, text: &str) -> impl Iterator<Item = Token> {
        let mut last = SPACE;
        text.chars().chain([' ']).filter_map(move |c| {
            let token = self.token(c);
            let mark = token.mark();
            let again = mark == Some(last) && matches!(last, SPACE | OTHER | ASCII);
            last = mark.unwrap_or('\0');
            (!again).then_some(token)
        })
    }

    fn token(self, c: char) -> Token {
        if self.has(c) {
            Token::Letter(folded(c))
        } else if c.is_ascii_alphabetic() {
            Token::Ascii
        } else if c.is_ascii_whitespace() || c.is_control() {
            Token::Space
        } else if c.is_ascii() {
            Token::Other
        } else {
            Token::Sign(c)
        }
    }
}

/// One token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Space,
    Other,
    Ascii,
    Sign(char),
    Letter(char),
}

impl Token {
    /// The character that stands for it, but for letters.
    pub(super) fn mark(self) -> Option<char> {
        match self {
            Self::Space => Some(SPACE),
            Self::Other => Some(OTHER),
            Self::Ascii => Some(ASCII),
            Self::Sign(_) => Some(SIGN),
            Self::Letter(_) => None,
        }
    }
}

/// The small letter.
fn folded(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_one_token() {
        let marks = |script: Script, text: &str| -> String {
            script
                .tokens(text)
                .map(|token| match token {
                    Token::Letter(c) => c,
                    other => other.mark().unwrap(),
                })
                .collect()
        };
        assert_eq!(marks(Script::Latin, "Où est-ce?  «Là»"), "où_est.ce._*là*_");
        assert_eq!(
            marks(Script::Cyrillic, "Файл foo.txt (да)"),
            "файл_A.A_.да._"
        );
    }
}
