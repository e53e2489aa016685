//! A value cut into texts and words, each with the place where it stands (RFC 2047 5).

use super::token::{Finder, Word};
use crate::header::FieldKind;
use crate::lex;
use std::ops::Range;

/// What a piece of a value is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Unstructured text.
    Text,
    /// A phrase of a structured field, and the punctuation between phrases.
    Phrase,
    /// A comment, parentheses included.
    Comment,
    /// The inside of a quoted string.
    Quoted,
    /// The quotes around it; they are no text.
    Mark,
    /// An address, a date, an identifier: no words are read here.
    Address,
}

/// A text (`word` is None) or a word.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Range in the value. The pieces of a value cover it without gaps.
    pub range: Range<usize>,
    /// Where it stands.
    pub zone: Zone,
    /// The word.
    pub word: Option<Word>,
}

/// All pieces of a value, from left to right.
pub(crate) fn pieces(value: &[u8], kind: FieldKind, steps: lex::Steps) -> Vec<Piece> {
    let mut out = Pieces { value, steps, list: Vec::new() };
    match kind {
        FieldKind::Unstructured => out.words(0..value.len(), Zone::Text),
        FieldKind::Structured => out.structured(),
        FieldKind::Parameters | FieldKind::Opaque => out.text(0..value.len(), Zone::Address),
    }
    out.list
}

struct Pieces<'a> {
    value: &'a [u8],
    steps: lex::Steps,
    list: Vec<Piece>,
}

impl Pieces<'_> {
    fn text(&mut self, range: Range<usize>, zone: Zone) {
        if !range.is_empty() {
            self.list.push(Piece { range, zone, word: None });
        }
    }

    /// Words and the texts between them.
    fn words(&mut self, range: Range<usize>, zone: Zone) {
        let mut finder = Finder::new(self.value, range.end);
        let mut at = range.start;
        while let Some(word) = finder.next_from(at) {
            self.text(at..word.range.start, zone);
            at = word.range.end;
            self.list.push(Piece { range: word.range.clone(), zone, word: Some(word) });
        }
        self.text(at..range.end, zone);
    }

    fn structured(&mut self) {
        let (value, steps) = (self.value, self.steps);
        let mut finder = Finder::new(value, value.len());
        // Once a delimiter was found without its partner, later ones of its kind are text.
        let (mut quotes, mut comments, mut angles) = (true, true, true);
        let (mut at, mut text) = (0, 0);
        while let Some(&byte) = value.get(at) {
            let (end, zone) = match byte {
                b'"' if quotes => match steps.quoted_end(value, at) {
                    Some(end) if value.get(end) == Some(&b'@') => (atom_end(value, end), Zone::Address),
                    Some(end) => (end, Zone::Quoted),
                    None => {
                        quotes = false;
                        continue;
                    }
                },
                b'(' if comments => {
                    let Some(end) = steps.comment_end(value, at) else {
                        comments = false;
                        continue;
                    };
                    (end, Zone::Comment)
                }
                b'<' if angles => {
                    let Some(end) = angle_end(value, at) else {
                        angles = false;
                        continue;
                    };
                    (end, Zone::Address)
                }
                _ if lex::is_space(byte) || is_delimiter(byte) => {
                    at += 1;
                    continue;
                }
                _ => {
                    self.text(text..at, Zone::Phrase);
                    at = self.atom(&mut finder, at);
                    text = at;
                    continue;
                }
            };
            self.text(text..at, Zone::Phrase);
            match zone {
                Zone::Address => self.text(at..end, zone),
                Zone::Quoted => {
                    self.text(at..at + 1, Zone::Mark);
                    self.words(at + 1..end - 1, zone);
                    self.text(end - 1..end, Zone::Mark);
                }
                _ => self.words(at..end, zone),
            }
            at = end;
            text = end;
        }
        self.text(text..value.len(), Zone::Phrase);
    }

    /// Adds the atom at `at`, with the words in it; gives its end. With an `@` outside its words it is an address.
    fn atom(&mut self, finder: &mut Finder<'_>, at: usize) -> usize {
        let first = self.list.len();
        let (mut i, mut text, mut address) = (at, at, false);
        while let Some(&byte) = self.value.get(i) {
            if lex::is_space(byte) || is_delimiter(byte) {
                break;
            }
            if byte == b'='
                && let Some(word) = finder.word_at(i)
            {
                self.text(text..i, Zone::Phrase);
                i = word.range.end;
                text = i;
                self.list.push(Piece { range: word.range.clone(), zone: Zone::Phrase, word: Some(word) });
                continue;
            }
            address |= byte == b'@';
            i = if byte == b'@' {
                literal_end(self.value, i + 1)
            } else {
                let is_end = |byte| lex::is_space(byte) || is_delimiter(byte);
                i + self.steps.step_in_atom(self.value, i, is_end)
            };
        }
        self.text(text..i, Zone::Phrase);
        if address {
            self.list.truncate(first);
            self.text(at..i, Zone::Address);
        }
        i
    }
}

/// Bytes that end an atom of a phrase.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'"')
}

/// Offset after the address in angles at `at`; a local part in quotes may hold an angle.
fn angle_end(value: &[u8], at: usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        i += memchr::memchr2(b'>', b'"', value.get(i..)?)?;
        if value[i] == b'>' {
            return Some(i + 1);
        }
        let local = lex::quoted_end(value, i).filter(|&end| value.get(end) == Some(&b'@'));
        i = local.unwrap_or(i + 1);
    }
}

/// Offset after the domain literal at `at` (RFC 5322 3.4.1), whose colons separate nothing; `at` where there is none.
fn literal_end(value: &[u8], at: usize) -> usize {
    if value.get(at) != Some(&b'[') {
        return at;
    }
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'-');
    let end = value[at + 1..].iter().position(|b| !inner(b)).map(|n| at + 1 + n);
    end.filter(|&end| value[end] == b']').map_or(at, |end| end + 1)
}

fn atom_end(value: &[u8], at: usize) -> usize {
    value[at..].iter().position(|&b| lex::is_space(b) || is_delimiter(b)).map_or(value.len(), |n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &[u8], kind: FieldKind) -> Vec<Piece> {
        pieces(value, kind, lex::Steps::of(value))
    }

    #[test]
    fn zones_of_an_address_list() {
        let value = "=?u?q?a?= b (c =?u?q?d?=) <=?u?q?e?=@x>, \"=?u?q?f?=\" <g>, h@=?u?q?i?=, \"j\"@k";
        let shown: Vec<_> = all(value.as_bytes(), FieldKind::Structured)
            .into_iter()
            .map(|p| format!("{:?}{}{}", p.zone, if p.word.is_some() { "!" } else { ":" }, &value[p.range]))
            .collect();
        assert_eq!(
            shown,
            [
                "Phrase!=?u?q?a?=",
                "Phrase: ",
                "Phrase:b",
                "Phrase: ",
                "Comment:(c ",
                "Comment!=?u?q?d?=",
                "Comment:)",
                "Phrase: ",
                "Address:<=?u?q?e?=@x>",
                "Phrase:, ",
                "Mark:\"",
                "Quoted!=?u?q?f?=",
                "Mark:\"",
                "Phrase: ",
                "Address:<g>",
                "Phrase:, ",
                "Address:h@=?u?q?i?=",
                "Phrase:, ",
                "Address:\"j\"@k",
            ]
        );
    }

    #[test]
    fn open_quotes_take_linear_time() {
        for unit in [&b"\"\xe9\\\" "[..], b"\xe9\\\"", b"\"\\", b"\""] {
            crate::linear::assert_linear(&unit.escape_ascii().to_string(), 200_000, |n| {
                let _ = all(&[b"\"", &unit.repeat(n)[..]].concat(), FieldKind::Structured);
            });
        }
    }

    #[test]
    fn pieces_cover_the_value() {
        for value in [
            "",
            "\"",
            "(",
            "<",
            "a \"b",
            "a (b \"c",
            "<a\"b",
            "=?u?q?a?=@b \"c\"@",
            "((((",
            "\"\"\"",
            "=?a?Q?x<>?= <y>",
        ] {
            for kind in [FieldKind::Unstructured, FieldKind::Structured, FieldKind::Opaque] {
                let mut at = 0;
                for piece in all(value.as_bytes(), kind) {
                    assert_eq!(piece.range.start, at);
                    assert!(!piece.range.is_empty());
                    at = piece.range.end;
                }
                assert_eq!(at, value.len());
            }
        }
    }
}
