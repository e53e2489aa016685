//! Finds the first charset of a list that can encode a text, and the characters that the others lack.
//!
//! # Limits
//! Ignores the length of the encoded text; only the order of the list counts.

use crate::charset::Charset;
use crate::encoder::Unmappable;
use crate::loss::LossLog;

/// Characters that are named for one candidate.
const NAMED: usize = 32;

/// The answer of [`smallest_sufficient`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The first candidate that can encode the whole text, or `None`.
    pub charset: Option<Charset>,
    /// The candidates before it, with the characters that each lacks.
    pub prevented: Vec<Prevented>,
}

/// A candidate that cannot encode the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prevented {
    /// The candidate.
    pub charset: Charset,
    /// The characters that it lacks, each once, as they first occur; at most 32 of them.
    pub characters: Vec<char>,
    /// The number of different characters that it lacks.
    pub count: usize,
}

/// Returns the first of `candidates`, ordered from the smallest to the largest, that can encode all of `text` by its own
/// definition. Replacements, look-alikes and characters of a superset do not count.
///
/// ```
/// use mailglot_codec::{Charset, smallest_sufficient};
///
/// let list = [Charset::US_ASCII, Charset::ISO_8859_1, Charset::UTF_8];
/// let choice = smallest_sufficient("naïve ☃", &list);
/// assert_eq!(choice.charset, Some(Charset::UTF_8));
/// assert_eq!(choice.prevented[0].characters, ['ï', '☃']);
/// assert_eq!(choice.prevented[1].characters, ['☃']);
/// ```
pub fn smallest_sufficient(text: &str, candidates: &[Charset]) -> Choice {
    let mut prevented = Vec::new();
    for charset in candidates {
        match lacking(*charset, text) {
            None => {
                return Choice {
                    charset: Some(*charset),
                    prevented,
                };
            }
            Some(found) => prevented.push(found),
        }
    }
    Choice {
        charset: None,
        prevented,
    }
}

/// Returns the characters of a text that a charset lacks; `None` if it lacks none.
fn lacking(charset: Charset, text: &str) -> Option<Prevented> {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(usize::MAX));
    let mut encoder = charset.new_strict_encoder(Unmappable::Skip);
    encoder.push(text, &mut bytes, &mut log);
    encoder.finish(&mut bytes, &mut log);
    let mut seen = std::collections::HashSet::new();
    let mut characters = Vec::new();
    for loss in log.kept() {
        for c in text[loss.bytes.start as usize..loss.bytes.end as usize].chars() {
            if seen.insert(c) && characters.len() < NAMED {
                characters.push(c);
            }
        }
    }
    (!seen.is_empty()).then_some(Prevented {
        charset,
        characters,
        count: seen.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_suffices_is_taken_and_the_others_tell_why_not() {
        let list = [Charset::US_ASCII, Charset::ISO_2022_JP, Charset::SHIFT_JIS];
        assert_eq!(
            smallest_sufficient("plain", &list),
            Choice {
                charset: Some(list[0]),
                prevented: vec![]
            }
        );
        let choice = smallest_sufficient("日本", &list);
        assert_eq!(
            (choice.charset, choice.prevented.len()),
            (Some(Charset::ISO_2022_JP), 1)
        );
        // Half-width katakana would be look-alikes in ISO-2022-JP.
        assert_eq!(
            smallest_sufficient("ｱｱ", &list).charset,
            Some(Charset::SHIFT_JIS)
        );
        let none = smallest_sufficient("한 한글", &list);
        assert_eq!((none.charset, none.prevented.len()), (None, 3));
        assert_eq!(none.prevented[0].characters, ['한', '글']);
        let many: String = ('\u{100}'..'\u{200}').collect();
        let found = &smallest_sufficient(&many, &list[..1]).prevented[0];
        assert_eq!((found.characters.len(), found.count), (NAMED, 256));
    }
}
