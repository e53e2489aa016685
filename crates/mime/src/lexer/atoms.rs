//! Splits text of one lexical context into white space, delimiters and atoms.

use super::lexical_context::LexicalContext;
use super::raw_characters::CharacterSteps;
use super::syntax::{is_delimiter, is_space, skip_space};
use std::ops::Range;

/// The kind of an [`Atom`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomKind {
    /// White space, folds included.
    Space,
    /// One byte that separates atoms in this context.
    Delimiter,
    /// Everything else. A quoted pair of a comment stays together.
    Text,
}

/// White space, a delimiter or an atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Atom {
    /// The range in the text.
    pub(crate) range: Range<usize>,
    /// The kind.
    pub(crate) kind: AtomKind,
}

/// Returns the atoms of a text in order, without gaps.
///
/// In a phrase the specials of RFC 5322 are delimiters, in a comment the parentheses; other contexts have none.
pub(crate) fn atoms(
    text: &[u8],
    lexical: LexicalContext,
    steps: CharacterSteps,
) -> impl Iterator<Item = Atom> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let kind = match *text.get(at)? {
            byte if is_space(byte) => {
                at = skip_space(text, at);
                AtomKind::Space
            }
            byte if separates(byte, lexical) => {
                at += 1;
                AtomKind::Delimiter
            }
            _ => {
                at = text_end(text, at, lexical, steps);
                AtomKind::Text
            }
        };
        let range = start..at;
        Some(Atom { range, kind })
    })
}

/// Returns true for the delimiters of a context.
fn separates(byte: u8, lexical: LexicalContext) -> bool {
    match lexical {
        LexicalContext::Phrase => is_delimiter(byte),
        LexicalContext::Comment => matches!(byte, b'(' | b')'),
        _ => false,
    }
}

/// Returns the end of the atom at `at`.
fn text_end(text: &[u8], mut at: usize, lexical: LexicalContext, steps: CharacterSteps) -> usize {
    while let Some(&byte) = text
        .get(at)
        .filter(|&&byte| !is_space(byte) && !separates(byte, lexical))
    {
        let is_pair = lexical == LexicalContext::Comment
            && byte == b'\\'
            && text.get(at + 1).is_some_and(|&next| !is_space(next));
        at += if is_pair { 2 } else { steps.step(text, at) };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, lexical: LexicalContext) -> String {
        let steps = CharacterSteps::default();
        let shown = |atom: Atom| match atom.kind {
            AtomKind::Space => "_".to_owned(),
            AtomKind::Delimiter => format!("<{}>", &text[atom.range]),
            AtomKind::Text => text[atom.range].to_owned(),
        };
        let list: Vec<String> = atoms(text.as_bytes(), lexical, steps).map(shown).collect();
        list.join("|")
    }

    #[test]
    fn atoms_end_at_space_and_at_delimiters_of_their_context() {
        for (text, phrase, comment) in [
            (
                "a, \r\n b:(c)",
                "a|<,>|_|b|<:>|<(>|c|<)>",
                "a,|_|b:|<(>|c|<)>",
            ),
            (
                "(a\\) b\\ c)",
                "<(>|a\\|<)>|_|b\\|_|c|<)>",
                "<(>|a\\)|_|b\\|_|c|<)>",
            ),
            ("", "", ""),
        ] {
            assert_eq!(shown(text, LexicalContext::Phrase), phrase, "{text:?}");
            assert_eq!(shown(text, LexicalContext::Comment), comment, "{text:?}");
        }
        assert_eq!(shown("a,(b) c", LexicalContext::Text), "a,(b)|_|c");
    }
}
