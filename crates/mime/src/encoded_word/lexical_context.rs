//! Splits a value into texts and words, each with its lexical context (RFC 2047 5).

use super::token::{Finder, WordToken};
use crate::header::FieldKind;
use crate::lex;
use std::ops::Range;

/// The lexical context of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexicalContext {
    /// Unstructured text.
    Text,
    /// A phrase of a structured field, and the punctuation between phrases.
    Phrase,
    /// A comment, parentheses included.
    Comment,
    /// The inside of a quoted string.
    Quoted,
    /// The quotes around a quoted string; they are no text.
    Mark,
    /// An address, a date, an identifier: words in it are not decoded.
    Address,
}

/// A text (`word` is None) or a word.
#[derive(Clone, Debug)]
pub(crate) struct LexicalPiece {
    /// The range in the value. The pieces of a value cover it without gaps.
    pub range: Range<usize>,
    /// The context in which the piece stands.
    pub lexical: LexicalContext,
    /// The word.
    pub word: Option<WordToken>,
}

/// Returns all pieces of a value, from left to right.
pub(crate) fn pieces(
    value: &[u8],
    kind: FieldKind,
    steps: lex::CharacterSteps,
) -> Vec<LexicalPiece> {
    let addresses = kind == FieldKind::Structured;
    let mut out = LexicalPieces {
        value,
        steps,
        addresses,
        list: Vec::new(),
    };
    match kind {
        FieldKind::Unstructured => out.words(0..value.len(), LexicalContext::Text),
        FieldKind::Structured | FieldKind::Phrases => out.structured(),
        FieldKind::Parameters | FieldKind::Opaque => {
            out.text(0..value.len(), LexicalContext::Address);
        }
    }
    out.list
}

struct LexicalPieces<'a> {
    value: &'a [u8],
    steps: lex::CharacterSteps,
    /// Whether addresses may stand outside angles.
    addresses: bool,
    list: Vec<LexicalPiece>,
}

impl LexicalPieces<'_> {
    fn text(&mut self, range: Range<usize>, lexical: LexicalContext) {
        if !range.is_empty() {
            self.list.push(LexicalPiece {
                range,
                lexical,
                word: None,
            });
        }
    }

    /// Adds the words in a range and the texts between them.
    fn words(&mut self, range: Range<usize>, lexical: LexicalContext) {
        let mut finder = Finder::new(self.value, range.end);
        let mut at = range.start;
        while let Some(word) = finder.next_from(at) {
            self.text(at..word.range.start, lexical);
            at = word.range.end;
            self.list.push(LexicalPiece {
                range: word.range.clone(),
                lexical,
                word: Some(word),
            });
        }
        self.text(at..range.end, lexical);
    }

    fn structured(&mut self) {
        let (value, steps) = (self.value, self.steps);
        let mut finder = Finder::new(value, value.len());
        // After a delimiter without a partner, later ones of its kind are text.
        let (mut quotes, mut comments, mut angles) = (true, true, true);
        let tried = if self.addresses { 0 } else { value.len() };
        let mut spaced = SpacedAddresses {
            value,
            steps,
            tried,
            quotes: true,
        };
        let (mut at, mut text) = (0, 0);
        while let Some(&byte) = value.get(at) {
            let (end, lexical) = match byte {
                b'"' if quotes => {
                    let Some(end) = steps.quoted_end(value, at) else {
                        quotes = false;
                        continue;
                    };
                    let domain = self.addresses && value.get(end) == Some(&b'@');
                    let (end, lexical) = if domain {
                        (atom_end(value, end), LexicalContext::Address)
                    } else {
                        (end, LexicalContext::Quoted)
                    };
                    spaced
                        .address(at, end)
                        .map_or((end, lexical), |end| (end, LexicalContext::Address))
                }
                b'(' if comments => {
                    let Some(end) = steps.comment_end(value, at) else {
                        comments = false;
                        continue;
                    };
                    (end, LexicalContext::Comment)
                }
                b'<' if angles => {
                    let Some(end) = lex::angle_end(value, at) else {
                        angles = false;
                        continue;
                    };
                    (end, LexicalContext::Address)
                }
                _ if lex::is_space(byte) || is_delimiter(byte) => {
                    at += 1;
                    continue;
                }
                _ => {
                    self.text(text..at, LexicalContext::Phrase);
                    let first = self.list.len();
                    let mut end = self.atom(&mut finder, at);
                    if let Some(last) = spaced.address(at, end) {
                        self.list.truncate(first);
                        self.text(at..last, LexicalContext::Address);
                        end = last;
                    }
                    (at, text) = (end, end);
                    continue;
                }
            };
            self.text(text..at, LexicalContext::Phrase);
            match lexical {
                LexicalContext::Address => self.text(at..end, lexical),
                LexicalContext::Quoted => {
                    self.text(at..at + 1, LexicalContext::Mark);
                    self.words(at + 1..end - 1, lexical);
                    self.text(end - 1..end, LexicalContext::Mark);
                }
                _ => self.words(at..end, lexical),
            }
            at = end;
            text = end;
        }
        self.text(text..value.len(), LexicalContext::Phrase);
    }

    /// Adds the atom at `at` with its words; returns its end. An `@` outside words makes it an address.
    fn atom(&mut self, finder: &mut Finder<'_>, at: usize) -> usize {
        let first = self.list.len();
        let (mut i, mut text, mut address) = (at, at, false);
        while let Some(&byte) = self.value.get(i) {
            if ends_atom(byte) {
                break;
            }
            if byte == b'='
                && let Some(word) = finder.word_at(i)
            {
                self.text(text..i, LexicalContext::Phrase);
                i = word.range.end;
                text = i;
                self.list.push(LexicalPiece {
                    range: word.range.clone(),
                    lexical: LexicalContext::Phrase,
                    word: Some(word),
                });
                continue;
            }
            let sign = self.addresses && byte == b'@';
            address |= sign;
            i = if sign {
                literal_end(self.value, i + 1)
            } else {
                i + self.steps.step_in_atom(self.value, i, ends_atom)
            };
        }
        self.text(text..i, LexicalContext::Phrase);
        if address {
            self.list.truncate(first);
            self.text(at..i, LexicalContext::Address);
        }
        i
    }
}

/// Finds addresses with white space beside their dots or their `@`, or with strings among their atoms (RFC 5322 4.4).
struct SpacedAddresses<'a> {
    value: &'a [u8],
    steps: lex::CharacterSteps,
    /// The offset before which no other address begins.
    tried: usize,
    /// Whether every quote so far had a partner.
    quotes: bool,
}

impl SpacedAddresses<'_> {
    /// Returns the offset after an address that begins with the atom or string `at..end`.
    fn address(&mut self, at: usize, end: usize) -> Option<usize> {
        let value = self.value;
        let next = lex::skip_space(value, end);
        let goes_on = match value.get(next)? {
            b'.' | b'@' => true,
            b'"' => value[end - 1] == b'.',
            _ => value[end - 1] == b'@' && next > end,
        };
        if goes_on && at >= self.tried {
            self.whole(at)
        } else {
            None
        }
    }

    /// Returns the offset after an address at `at`.
    ///
    /// It has one `@`, and a separator, a comment or nothing follows it. Otherwise it is the name before another address.
    #[cold]
    fn whole(&mut self, at: usize) -> Option<usize> {
        let value = self.value;
        let (mut start, mut signs, mut is_spaced) = (at, 0, false);
        // A string beside an atom: `"a".b@c` (RFC 5322 4.4, `obs-local-part`).
        let mut is_mixed = false;
        loop {
            let (end, more) = self.piece(start)?;
            let next = lex::skip_space(value, end);
            self.tried = next;
            signs += more;
            match value.get(next) {
                None | Some(b',' | b';' | b'(') => {
                    return (signs == 1 && (is_spaced || is_mixed)).then_some(end);
                }
                Some(byte) => {
                    // A dot after a letter and before white space ends an initial: `J. R.`
                    let goes_on = matches!(byte, b'.' | b'@')
                        || next == end && *byte == b'"'
                        || value[end - 1] == b'@'
                        || value[start] == b'.' && value[end - 1] == b'.'
                        || next == end && value[start] == b'"';
                    if !goes_on {
                        return None;
                    }
                }
            }
            is_spaced |= next > end;
            is_mixed |= value[start] == b'"' || value[next] == b'"';
            start = next;
        }
    }

    /// Returns the offset after the atoms or the quoted string at `at`, and the number of `@` in it.
    fn piece(&mut self, at: usize) -> Option<(usize, usize)> {
        let value = self.value;
        if value[at] == b'"' {
            let end = if self.quotes {
                self.steps.quoted_end(value, at)
            } else {
                None
            };
            self.quotes = end.is_some();
            return Some((end?, 0));
        }
        let (mut i, mut signs) = (literal_end(value, at), 0);
        while let Some(&byte) = value.get(i).filter(|byte| !ends_atom(**byte)) {
            signs += usize::from(byte == b'@');
            i = if byte == b'@' {
                literal_end(value, i + 1)
            } else {
                i + self.steps.step_in_atom(value, i, ends_atom)
            };
        }
        (i > at).then_some((i, signs))
    }
}

/// Returns true if white space stands before a dot or beside an `@`, as in obsolete addresses.
pub(super) fn has_spaced(value: &[u8]) -> bool {
    let is_space = |at: usize| value.get(at).is_some_and(|byte| lex::is_space(*byte));
    memchr::memchr2_iter(b'@', b'.', value)
        .any(|at| at > 0 && is_space(at - 1) || value[at] == b'@' && is_space(at + 1))
}

/// Returns true for bytes that end an atom of a phrase.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'"')
}

/// Returns the offset after the domain literal at `at` (RFC 5322 3.4.1), whose colons do not separate; `at` without one.
fn literal_end(value: &[u8], at: usize) -> usize {
    if value.get(at) != Some(&b'[') {
        return at;
    }
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'-');
    let end = value[at + 1..]
        .iter()
        .position(|b| !inner(b))
        .map(|n| at + 1 + n);
    end.filter(|&end| value[end] == b']')
        .map_or(at, |end| end + 1)
}

fn ends_atom(byte: u8) -> bool {
    lex::is_space(byte) || is_delimiter(byte)
}

fn atom_end(value: &[u8], at: usize) -> usize {
    value[at..]
        .iter()
        .position(|&b| ends_atom(b))
        .map_or(value.len(), |n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &[u8], kind: FieldKind) -> Vec<LexicalPiece> {
        pieces(value, kind, lex::CharacterSteps::of(value))
    }

    #[test]
    fn zones_of_an_address_list() {
        let value =
            "=?u?q?a?= b (c =?u?q?d?=) <=?u?q?e?=@x>, \"=?u?q?f?=\" <g>, h@=?u?q?i?=, \"j\"@k";
        let shown: Vec<_> = all(value.as_bytes(), FieldKind::Structured)
            .into_iter()
            .map(|p| {
                format!(
                    "{:?}{}{}",
                    p.lexical,
                    if p.word.is_some() { "!" } else { ":" },
                    &value[p.range]
                )
            })
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
    fn addresses_may_have_white_space_at_their_signs() {
        for (value, address) in [
            ("a . b @ c . example", Some("a . b @ c . example")),
            ("J\u{f6}rg @ b.example, x", Some("J\u{f6}rg @ b.example")),
            (
                "=?utf-8?Q?=C3=A9?= @b.example",
                Some("=?utf-8?Q?=C3=A9?= @b.example"),
            ),
            (
                "\"J\u{f6} x\" . \"y\"@ b (c)",
                Some("\"J\u{f6} x\" . \"y\"@ b"),
            ),
            ("G: n a@b\r\n .c;", Some("a@b\r\n .c")),
            ("\"a\".b@c.d", Some("\"a\".b@c.d")),
            ("a.\"b c\".d@e, x", Some("a.\"b c\".d@e")),
            ("n a @ [IPv6:::1]", Some("a @ [IPv6:::1]")),
            // In angles with strings and comments.
            (
                "<\"a>b\" @ x.de>, J\u{f6}rg \"x\" <c@d.de>",
                Some("<\"a>b\" @ x.de>"),
            ),
            (
                "\u{f6} <\"a>b\".\"c\"@x.de>, \"x\" <c@d.de>",
                Some("<\"a>b\".\"c\"@x.de>"),
            ),
            ("\u{f6} <a(>)@b>, c", Some("<a(>)@b>")),
            // Names.
            ("J. R. \u{e9} <a@b>", Some("<a@b>")),
            ("\u{e9} @ work <a@b>", Some("@")),
            ("\u{e9} @ work: a@b;", Some("@")),
            ("J. a@b", Some("a@b")),
            ("\u{e9} @ a @ b", Some("@")),
            ("\u{e9} . x", None),
        ] {
            let pieces = all(value.as_bytes(), FieldKind::Structured);
            let found = pieces
                .into_iter()
                .find(|piece| piece.lexical == LexicalContext::Address);
            assert_eq!(found.map(|piece| &value[piece.range]), address, "{value}");
        }
    }

    #[test]
    fn phrases_have_no_addresses_outside_angles() {
        for (value, address) in [
            ("Fu\u{df}ball@Schule, a @ b", None),
            ("\"\u{e9}\"@b", None),
            ("a@b <x.y.z>", Some("<x.y.z>")),
        ] {
            let pieces = all(value.as_bytes(), FieldKind::Phrases);
            let found = pieces
                .into_iter()
                .find(|piece| piece.lexical == LexicalContext::Address);
            assert_eq!(found.map(|piece| &value[piece.range]), address, "{value}");
        }
    }

    #[test]
    fn open_quotes_take_linear_time() {
        for unit in [
            &b"\"\xe9\\\" "[..],
            b"\xe9\\\"",
            b"\"\\",
            b"\"",
            b"a . \"",
            b"a . ",
            b"a @ ",
            b"@ \"\"",
            b"\".\" . ",
            b". a@b (",
        ] {
            crate::linear::assert_linear(&unit.escape_ascii().to_string(), 200_000, |n| {
                let _ = all(
                    &[b"\"", &unit.repeat(n)[..]].concat(),
                    FieldKind::Structured,
                );
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
            for kind in [
                FieldKind::Unstructured,
                FieldKind::Structured,
                FieldKind::Opaque,
            ] {
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
