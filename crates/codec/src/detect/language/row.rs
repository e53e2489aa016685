//! A row of the table of languages.
//!
//! # Limits
//! Generated from `data/languages.tsv`.

/// A script, or a group of them, whose letters are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    /// Chinese, Japanese, Korean.
    Han,
}

impl Script {
    /// Returns the script of most non-ASCII characters; Latin if there are none.
    pub(crate) fn most_of(text: &str) -> Self {
        let mut counts = [0_usize; 7];
        for c in text.chars().filter(|c| !c.is_ascii()) {
            let script = match c {
                '\u{80}'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}' | '\u{2000}'..='\u{2BFF}' => {
                    Self::Latin
                }
                '\u{370}'..='\u{3FF}' => Self::Greek,
                '\u{400}'..='\u{52F}' => Self::Cyrillic,
                '\u{590}'..='\u{5FF}' => Self::Hebrew,
                '\u{600}'..='\u{6FF}' => Self::Arabic,
                '\u{E00}'..='\u{E7F}' => Self::Thai,
                _ => Self::Han,
            };
            counts[script as usize] += 1;
        }
        let all = [
            Self::Latin,
            Self::Cyrillic,
            Self::Greek,
            Self::Hebrew,
            Self::Arabic,
            Self::Thai,
            Self::Han,
        ];
        // Signs stand in every script: letters of another one count for more.
        counts[0] /= 2;
        all.into_iter()
            .rev()
            .max_by_key(|script| counts[*script as usize])
            .unwrap_or(Self::Latin)
    }
}

/// A row of `data/languages.tsv`.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) script: Script,
    /// How much mail is written in it: 1 much, 2 less, 3 little.
    pub(crate) tier: u8,
    /// Country codes of the domain name system, lower case.
    pub(crate) countries: &'static [&'static str],
    /// Charsets that are common in its mail, by likelihood.
    pub(crate) common: &'static [&'static str],
    /// Charsets that are rare there.
    pub(crate) rare: &'static [&'static str],
}
