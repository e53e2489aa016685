//! Defines the groups of scripts. The statistics of a language count the letters of one group: those of Russian count Cyrillic letters.
//!
//! # Limits
//! Chinese, Japanese and Korean are one group.

/// A script, or a group of them, whose letters are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptGroup {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    /// Chinese, Japanese, Korean.
    Han,
}

impl ScriptGroup {
    /// Number of scripts.
    pub(crate) const COUNT: usize = Self::Han as usize + 1;

    const ALL: [Self; Self::COUNT] = [
        Self::Latin,
        Self::Cyrillic,
        Self::Greek,
        Self::Hebrew,
        Self::Arabic,
        Self::Thai,
        Self::Han,
    ];

    /// Returns the script of most non-ASCII characters, or Latin for ASCII text.
    pub(crate) fn most_of(text: &str) -> Self {
        let mut counts = [0; Self::COUNT];
        for c in text.chars().filter(|c| !c.is_ascii()) {
            counts[Self::of(c) as usize] += 1;
        }
        Self::of_counts(counts)
    }

    /// Returns the script of a non-ASCII character. Signs count as Latin, and the rest of Unicode as Han.
    pub(crate) const fn of(c: char) -> Self {
        match c {
            '\u{80}'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}' | '\u{2000}'..='\u{2BFF}' => Self::Latin,
            '\u{370}'..='\u{3FF}' => Self::Greek,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{590}'..='\u{5FF}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}' => Self::Arabic,
            '\u{E00}'..='\u{E7F}' => Self::Thai,
            _ => Self::Han,
        }
    }

    /// Returns the script with the most characters, the first of several.
    pub(crate) const fn of_counts(mut counts: [usize; Self::COUNT]) -> Self {
        // Signs stand in every script: letters of another one count for more.
        counts[0] /= 2;
        let (mut most, mut script) = (0, 1);
        while script < Self::COUNT {
            if counts[script] > counts[most] {
                most = script;
            }
            script += 1;
        }
        Self::ALL[most]
    }
}
