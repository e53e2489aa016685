//! Lists the rules of a charset decision. Each can be switched off to measure its gain and cost.
//!
//! # Limits
//! Programs use [`Rules::default`], which has all rules. `docs/charset-decisions.md` measures each.

/// A set of decision rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules(u32);

impl Rules {
    /// The cost of a sign depends on its place: a no-break space is cheap between tags, expensive within a word.
    pub const SIGNS_BY_PLACE: Self = Self(1);
    /// Equal words and equal runs of signs count once.
    pub const REPEATS_ONCE: Self = Self(1 << 1);
    /// Words with control characters, such as remains of attachments, do not count where others are.
    pub const NOISE_WORDS: Self = Self(1 << 2);
    /// The prior of the ASCII words is bounded: English text with foreign names is English.
    pub const ASCII_LANGUAGE: Self = Self(1 << 3);
    /// Runs of valid UTF-8 in single-byte text are read as UTF-8, the rest by its charset.
    pub const MIXED_RUNS: Self = Self(1 << 4);
    /// Private use characters and box drawing within prose count against a charset.
    pub const PRIVATE_USE: Self = Self(1 << 5);
    /// Use names of fonts in HTML as evidence of the language.
    pub const FONT_NAMES: Self = Self(1 << 6);

    /// The time zone of the Date field is a prior of the languages.
    pub const TIME_ZONE: Self = Self(1 << 7);

    /// A word may list the letters of an alphabet instead of being a word of the language.
    pub const ALPHABET_LISTS: Self = Self(1 << 8);

    /// Every rule with its name, in the order of the documentation.
    pub const NAMED: &'static [(&'static str, Self)] = &[
        ("signs by place", Self::SIGNS_BY_PLACE),
        ("repeats count once", Self::REPEATS_ONCE),
        ("noise left out", Self::NOISE_WORDS),
        ("language of the ASCII text", Self::ASCII_LANGUAGE),
        ("mixed runs of UTF-8", Self::MIXED_RUNS),
        ("private use characters", Self::PRIVATE_USE),
        ("names of fonts", Self::FONT_NAMES),
        ("time zones", Self::TIME_ZONE),
        ("lists of letters", Self::ALPHABET_LISTS),
    ];

    /// Returns true if all rules of `other` are in the set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the set without the rules of `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Rules {
    /// No rule.
    pub const NONE: Self = Self(0);
    /// Every rule.
    pub const ALL: Self = Self(u32::MAX);
}

impl Default for Rules {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_one_bit_of_its_own() {
        let mut rest = Rules::default();
        for (name, rule) in Rules::NAMED {
            assert!(rest.has(*rule), "{name}");
            rest = rest.without(*rule);
            assert!(!rest.has(*rule), "{name}");
        }
    }
}
