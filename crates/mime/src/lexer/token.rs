//! Splits a value into tokens: texts and encoded words, each with its lexical context (RFC 2047, section 5).

use super::angle_address::angle_end;
use super::lexical_context::LexicalContext;
use super::raw_characters::CharacterSteps;
use super::spaced_address::{SpacedAddresses, literal_end};
use super::syntax::{comment_end, ends_atom, find_byte, is_delimiter, is_space};
use super::word::{WordFinder, WordToken};
use crate::field_kind::FieldKind;
use std::ops::Range;

/// A text (`word` is None) or a word.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// The range in the value. The tokens of a value cover it without gaps.
    pub range: Range<usize>,
    /// The context in which the token stands.
    pub lexical: LexicalContext,
    /// The word.
    pub word: Option<WordToken>,
}

/// Returns the tokens of a value, from left to right.
pub(crate) fn tokens(value: &[u8], kind: FieldKind, steps: CharacterSteps) -> Vec<Token> {
    let addresses = kind == FieldKind::Structured;
    let mut out = Tokenizer {
        value,
        steps,
        addresses,
        list: Vec::new(),
    };
    match kind {
        FieldKind::Unstructured => out.words(0..value.len(), LexicalContext::Text),
        FieldKind::Structured | FieldKind::Phrases => out.structured(),
        FieldKind::Comments => out.comments(),
        FieldKind::Parameters | FieldKind::Opaque => {
            out.text(0..value.len(), LexicalContext::Address);
        }
    }
    out.list
}

struct Tokenizer<'a> {
    value: &'a [u8],
    steps: CharacterSteps,
    /// True if addresses may occur outside angles.
    addresses: bool,
    list: Vec<Token>,
}

impl Tokenizer<'_> {
    fn text(&mut self, range: Range<usize>, lexical: LexicalContext) {
        if !range.is_empty() {
            self.list.push(Token {
                range,
                lexical,
                word: None,
            });
        }
    }

    /// Adds the words in a range and the texts between them.
    fn words(&mut self, range: Range<usize>, lexical: LexicalContext) {
        let mut finder = WordFinder::new(self.value, range.end);
        let mut at = range.start;
        while let Some(word) = finder.next_from(at) {
            self.text(at..word.range.start, lexical);
            at = word.range.end;
            self.list.push(Token {
                range: word.range.clone(),
                lexical,
                word: Some(word),
            });
        }
        self.text(at..range.end, lexical);
    }

    /// Adds the comments with their words. Parentheses of a URI (`http://a/b_(c)`) begin no comment.
    fn comments(&mut self) {
        let value = self.value;
        let mut text = 0;
        for comment in uri_comments(value) {
            self.text(text..comment.start, LexicalContext::Address);
            text = comment.end;
            self.words(comment, LexicalContext::Comment);
        }
        self.text(text..value.len(), LexicalContext::Address);
    }

    fn structured(&mut self) {
        let (value, steps) = (self.value, self.steps);
        let mut finder = WordFinder::new(value, value.len());
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
                        (find_byte(value, end, ends_atom), LexicalContext::Address)
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
                    let Some(end) = angle_end(value, at) else {
                        angles = false;
                        continue;
                    };
                    (end, LexicalContext::Address)
                }
                _ if is_space(byte) || is_delimiter(byte) => {
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
    fn atom(&mut self, finder: &mut WordFinder<'_>, at: usize) -> usize {
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
                self.list.push(Token {
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

/// Returns the comments beside URIs (RFC 2369, section 2), from left to right.
fn uri_comments(value: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    // After a delimiter without a partner, later ones of its kind are text.
    let (mut comments, mut angles) = (true, true);
    std::iter::from_fn(move || {
        while let Some(found) = memchr::memchr2(b'<', b'(', value.get(at..)?) {
            let start = at + found;
            at = start + 1;
            let begins =
                start == 0 || is_space(value[start - 1]) || b",>)".contains(&value[start - 1]);
            if value[start] == b'<' && angles {
                let end = angle_end(value, start);
                angles = end.is_some();
                at = end.unwrap_or(at);
            } else if value[start] == b'(' && comments && begins {
                let end = comment_end(value, start);
                comments = end.is_some();
                if let Some(end) = end {
                    at = end;
                    return Some(start..end);
                }
            }
        }
        None
    })
}

/// Returns true if bytes above 7F stand outside comments: URIs stay as written.
pub(crate) fn has_raw_uris(value: &[u8]) -> bool {
    let mut text = 0;
    let is_raw = |range: Range<usize>| !value[range].is_ascii();
    let is_before = uri_comments(value).any(|comment| {
        let before = text..comment.start;
        text = comment.end;
        is_raw(before)
    });
    is_before || is_raw(text..value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &[u8], kind: FieldKind) -> Vec<Token> {
        tokens(value, kind, CharacterSteps::of(value))
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
    fn addresses_may_have_white_space_beside_dots_and_at_signs() {
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
