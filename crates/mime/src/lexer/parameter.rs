//! Splits the value of a field with parameters into tokens (RFC 2045, section 5.1), including common syntax errors.
//!
//! # Limits
//!
//! [`crate::params`] removes quotes and folds, and reports the errors. HZ without quotes ends at a semicolon within its characters.

use super::parameter_name::{NameForm, is_file_name, split_name};
use super::raw_shifts::{ESCAPE, may_have_shifts, raw_shift_length};
use super::syntax::{
    comment_end, ends_without_case, find_byte, is_line_end, is_space, is_token, skip_cfws,
    skip_space, trim_end,
};
use super::trail_backslash::TrailBackslash;
use super::word::has_word;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::combinator::recognize;
use nom::sequence::separated_pair;
use nom::{IResult, Parser};
use std::borrow::Cow;
use std::ops::Range;

/// Names that start a parameter inside an unquoted value even without a semicolon before them.
const KNOWN: [&str; 12] = [
    "charset",
    "format",
    "delsp",
    "boundary",
    "name",
    "filename",
    "size",
    "type",
    "start",
    "protocol",
    "micalg",
    "report-type",
];

/// A token after the main value. All ranges are offsets in the field value.
#[derive(Clone, Debug)]
pub(crate) enum ParameterToken {
    /// The offset of a semicolon.
    Semicolon(usize),
    /// Text that is no parameter.
    Skipped(Range<usize>),
    /// A parameter. Its name is empty if the equals sign has none.
    Parameter(ParameterSpan),
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct ParameterSpan {
    /// The name.
    pub(crate) name: Range<usize>,
    /// The end of the equals sign, if white space or a comment stands beside it.
    pub(crate) blank: Option<usize>,
    /// True if a colon stands for the equals sign: `charset: koi8-r`.
    pub(crate) has_colon: bool,
    /// The value with its quotes.
    pub(crate) value: Range<usize>,
    /// The kind of the value.
    pub(crate) kind: ValueKind,
    /// Text after a quoted string that is skipped.
    pub(crate) junk: Range<usize>,
    /// True for a parameter that follows the grammar. Its value has neither quoted pairs nor folds.
    pub(crate) is_strict: bool,
}

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A value without quotes.
    Unquoted,
    /// A quoted string.
    Quoted,
    /// A quoted string whose quotes are doubled: `""a b""`.
    DoublyQuoted,
    /// Quoted strings that each consist of encoded words: `"=?utf-8?Q?a?=" "=?utf-8?Q?b?="`.
    QuotedWords,
    /// A quoted string without its closing quote.
    Unclosed,
}

impl ParameterSpan {
    /// Returns the range of the value without its quotes.
    pub(crate) fn inside(&self) -> Range<usize> {
        let Range { start, end } = self.value;
        match self.kind {
            ValueKind::Unquoted => start..end,
            ValueKind::Quoted | ValueKind::QuotedWords => start + 1..end - 1,
            ValueKind::DoublyQuoted => start + 2..end - 2,
            ValueKind::Unclosed => start + 1..end,
        }
    }
}

/// Splits a field value once.
#[derive(Debug)]
pub(crate) struct ParameterLexer<'a> {
    value: &'a [u8],
    at: usize,
    /// True after an unclosed comment: later parentheses are text.
    open_comment: bool,
    /// True after an unclosed quoted string with ISO-2022-JP: later ones are not searched.
    open_shift: bool,
    /// Which backslashes are trail bytes when the end of a quoted string is searched.
    backslashes: TrailBackslash,
}

impl<'a> ParameterLexer<'a> {
    /// Starts at the beginning of a field value.
    pub(crate) fn new(value: &'a [u8]) -> Self {
        Self {
            value,
            at: 0,
            open_comment: false,
            open_shift: false,
            backslashes: TrailBackslash::of(value),
        }
    }

    /// Returns the offset up to which the value is split.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the main value without comments and white space, and the text after it that is skipped.
    pub(crate) fn main(&mut self) -> (Cow<'a, [u8]>, Range<usize>) {
        let value = self.value;
        let mut main: Cow<'a, [u8]> = Cow::Borrowed(b"");
        self.at = skip_cfws(value, 0);
        if starts_lone_file_name(value, self.at) {
            return (self.disposition_after_file_name(), self.at..self.at);
        }
        if starts_charset(value, self.at) {
            return (main, self.at..self.at);
        }
        loop {
            self.at = skip_cfws(value, self.at);
            let start = self.at;
            let continues =
                main.is_empty() || main.ends_with(b"/") || value.get(start) == Some(&b'/');
            if start == value.len() || value[start] == b';' || !continues {
                break;
            }
            let end = find_byte(value, start, |b| is_space(b) || matches!(b, b';' | b'('));
            if main.is_empty() {
                main = Cow::Borrowed(&value[start..end]);
            } else {
                main.to_mut().extend_from_slice(&value[start..end]);
            }
            self.at = end;
        }
        let junk = self.skip_junk();
        if main.contains(&b'"') {
            main.to_mut().retain(|&b| b != b'"');
        }
        (main, junk)
    }

    /// Returns the disposition of a field that begins with a file name: `filename=a.txt; attachment`. Empty if it has none.
    fn disposition_after_file_name(&self) -> Cow<'a, [u8]> {
        /// Maximum number of tokens that are searched.
        const TOKENS: usize = 100;
        let rest = Self {
            at: self.at,
            ..Self::new(self.value)
        };
        let mut words = rest.take(TOKENS).filter_map(|token| match token {
            ParameterToken::Skipped(range) => Some(trim_end(&self.value[range])),
            _ => None,
        });
        let is_disposition = |word: &&[u8]| {
            word.eq_ignore_ascii_case(b"attachment") || word.eq_ignore_ascii_case(b"inline")
        };
        Cow::Borrowed(words.find(is_disposition).unwrap_or_default())
    }

    /// Skips to the next `;`, or to a `token=` that starts a parameter without one. Returns the range of the skipped text.
    fn skip_junk(&mut self) -> Range<usize> {
        let value = self.value;
        self.at = skip_cfws(value, self.at);
        let before = self.at;
        while value.get(self.at).is_some_and(|&b| b != b';') && !starts_parameter(value, self.at) {
            // Advances by at least one byte, so that a lone special character cannot stop the scan.
            let is_end = |b| is_space(b) || matches!(b, b';' | b'(');
            self.at = skip_cfws(value, find_byte(value, self.at + 1, is_end));
        }
        before..self.at
    }

    /// Reads the value of a parameter after the equals sign.
    fn parameter(&mut self, name: Range<usize>, blank: Option<usize>) -> ParameterSpan {
        let value = self.value;
        self.at = skip_space(value, self.at);
        if value.get(self.at) == Some(&b'(') && !self.open_comment {
            // Parentheses directly before a file name belong to it, as in `(1)Plan.pdf`. A comment is separate from the value.
            let after = comment_end(value, self.at);
            self.open_comment = after.is_none();
            if after.is_some_and(|n| {
                value.get(n).is_some_and(|&b| is_space(b) || b == b'"')
                    || !is_file_name(&value[name.clone()])
                    || is_token_in_comments(value, n)
            }) {
                self.at = skip_cfws(value, self.at);
            }
        }
        let start = self.at;
        let (end, kind) = if let Some(end) = doubly_quoted_end(value, start) {
            self.at = end;
            (end, ValueKind::DoublyQuoted)
        } else if let Some(end) = quoted_words_end(value, start) {
            self.at = end;
            (end, ValueKind::QuotedWords)
        } else if value.get(start) == Some(&b'"') {
            let over_shifts = self.quoted_end_over_shifts(start);
            let closed = over_shifts.or_else(|| self.backslashes.quoted_end(value, start));
            self.at = closed.unwrap_or(value.len());
            match closed {
                Some(end) => (end, ValueKind::Quoted),
                None => (without_line_end(value).len(), ValueKind::Unclosed),
            }
        } else {
            (self.unquoted(), ValueKind::Unquoted)
        };
        let junk = if kind == ValueKind::Unquoted {
            end..end
        } else {
            self.skip_junk()
        };
        ParameterSpan {
            name,
            blank,
            has_colon: false,
            value: start..end,
            kind,
            junk,
            is_strict: false,
        }
    }

    /// Returns the end of the quoted string at `start` if it contains ISO-2022-JP or HZ, whose bytes may equal quotes and backslashes.
    ///
    /// Does not skip a sequence in which other readers would see a parameter.
    fn quoted_end_over_shifts(&mut self, start: usize) -> Option<usize> {
        if self.open_shift || !may_have_shifts(&self.value[start..]) {
            return None;
        }
        let (mut at, mut shifted) = (start + 1, false);
        while let Some(found) = self.value.get(at..).and_then(|rest| {
            rest.iter()
                .position(|b| matches!(b, b'"' | b'\\' | b'~' | 0x1B))
        }) {
            at += found;
            let rest = &self.value[at..];
            at += match rest[0] {
                b'"' => return shifted.then_some(at + 1),
                b'\\' => 2,
                _ => {
                    let hides =
                        |length: &usize| memchr::memmem::find(&rest[..*length], b"\";").is_some();
                    let length = raw_shift_length(rest).filter(|length| !hides(length));
                    shifted |= length.is_some();
                    length.unwrap_or(1)
                }
            };
        }
        // Later strings have no end either.
        self.open_shift = true;
        None
    }

    /// Reads an unquoted value. Returns its end without trailing white space and comments.
    fn unquoted(&mut self) -> usize {
        let value = self.value;
        let mut end = self.at;
        while let Some(&byte) = value.get(self.at) {
            if byte == b';' {
                break;
            }
            if is_space(byte) {
                let blanks = self.at;
                self.at = skip_space(value, blanks);
                let folded = value[blanks..self.at].contains(&b'\n');
                if starts_known_parameter(value, self.at, folded) {
                    break;
                }
                continue;
            }
            if let Some(length) = unquoted_shift_length(value, self.at) {
                self.at += length;
                end = self.at;
                continue;
            }
            if byte == b'(' && !self.open_comment {
                // A comment at the end is a comment. Before more text it belongs to a file name such as `Plan (1).pdf`.
                if let Some(after) = comment_end(value, self.at) {
                    self.at = after;
                    continue;
                }
                self.open_comment = true;
            }
            self.at += 1;
            end = self.at;
        }
        end
    }

    /// Reads a parameter with syntax errors. Returns None and skips the text if there is no parameter.
    fn tolerant(&mut self) -> Option<ParameterSpan> {
        let value = self.value;
        let start = self.at;
        if let Some(colon) = charset_colon(value, start) {
            let equals = value.get(colon + 1) == Some(&b'=');
            self.at = colon + 1 + usize::from(equals);
            return Some(ParameterSpan {
                has_colon: true,
                ..self.parameter(start..start + CHARSET.len(), None)
            });
        }
        let is_end = |b| is_space(b) || matches!(b, b'=' | b';' | b'(' | b'"');
        let mut end = find_byte(value, start, is_end);
        self.at = skip_cfws(value, end);
        // `filename *=utf-8''a%20b` has a blank before the asterisk.
        let has_apart_mark = value.get(self.at) == Some(&b'*') && is_file_name(&value[start..end]);
        if has_apart_mark {
            end = find_byte(value, self.at, is_end);
            self.at = skip_cfws(value, end);
        }
        match value.get(self.at) {
            Some(b'=') => self.at += 1,
            // Skips a name without a value. The text after it may be a parameter.
            Some(b'"') => {
                let closed = self.backslashes.quoted_end(value, self.at);
                self.at = closed.unwrap_or(value.len());
                return None;
            }
            _ => return None,
        }
        let is_apart =
            has_apart_mark || self.at > end + 1 || value.get(self.at).is_some_and(|&b| is_space(b));
        Some(self.parameter(start..end, is_apart.then_some(self.at)))
    }

    /// Reads a parameter that follows the grammar and ends at a valid place.
    fn strict(&mut self) -> Option<ParameterSpan> {
        let (rest, (name, value)) = parameter(&self.value[self.at..]).ok()?;
        let end = self.value.len() - rest.len();
        if !matches!(rest.first(), None | Some(b';' | b'\r' | b'\n')) {
            return None;
        }
        let next = skip_space(self.value, end);
        if !matches!(self.value.get(next), None | Some(b';')) {
            return None;
        }
        let kind = match value.first() {
            Some(b'"') => ValueKind::Quoted,
            _ => ValueKind::Unquoted,
        };
        let name = self.at..self.at + name.len();
        self.at = next;
        Some(ParameterSpan {
            name,
            blank: None,
            has_colon: false,
            value: end - value.len()..end,
            kind,
            junk: end..end,
            is_strict: true,
        })
    }
}

impl Iterator for ParameterLexer<'_> {
    type Item = ParameterToken;

    fn next(&mut self) -> Option<ParameterToken> {
        self.at = skip_cfws(self.value, self.at);
        let start = self.at;
        if *self.value.get(start)? == b';' {
            self.at += 1;
            return Some(ParameterToken::Semicolon(start));
        }
        let span = self.strict().or_else(|| self.tolerant());
        Some(match span {
            Some(span) => ParameterToken::Parameter(span),
            None => ParameterToken::Skipped(start..self.at),
        })
    }
}

/// Returns the length of the sequence of ISO-2022-JP at `at`, whose bytes may equal semicolons and parentheses.
///
/// Returns None if other readers would see a known parameter in it.
fn unquoted_shift_length(value: &[u8], at: usize) -> Option<usize> {
    let rest = &value[at..];
    if rest.first() != Some(&ESCAPE) {
        return None;
    }
    let length = raw_shift_length(rest)?;
    let mut semicolons = memchr::memchr_iter(b';', &rest[..length]);
    let hides = semicolons.any(|semicolon| starts_known_parameter(rest, semicolon + 1, false));
    (!hides).then_some(length)
}

/// Returns true if a token and comments follow, up to the end of the parameter: `one(comment)`.
fn is_token_in_comments(value: &[u8], at: usize) -> bool {
    let end = token_end(value, at);
    let next = skip_space(value, end);
    if end == at || value.get(next) != Some(&b'(') || comment_end(value, next).is_none() {
        return false;
    }
    matches!(value.get(skip_cfws(value, next)), None | Some(b';'))
}

/// Returns true if `token=` or `charset:` stands at `at`.
fn starts_parameter(value: &[u8], at: usize) -> bool {
    let end = token_end(value, at);
    let has_equals = end > at && value.get(skip_space(value, end)) == Some(&b'=');
    has_equals || charset_colon(value, at).is_some()
}

/// Returns the end of a value at `start` between doubled quotes. They stand around a value only: `""` alone is an empty one.
fn doubly_quoted_end(value: &[u8], start: usize) -> Option<usize> {
    let inside = value.get(start..)?.strip_prefix(b"\"\"")?;
    let length = memchr::memchr3(b'"', b';', b'\\', inside)?;
    let is_text = !inside[..length].trim_ascii().is_empty();
    let end = start + length + 4;
    let is_end = value.get(end).is_none_or(|b| is_space(*b) || *b == b';');
    (is_text && inside[length..].starts_with(b"\"\"") && is_end).then_some(end)
}

/// Returns the end of two or more quoted strings at `start` if each consists of encoded words. Some programs quote each line of a long name.
fn quoted_words_end(value: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut found) = (start, None);
    let mut strings = 0;
    while let Some(inside) = value.get(at..).and_then(|rest| rest.strip_prefix(b"\"")) {
        let length = memchr::memchr2(b'"', b'\\', inside)?;
        let text = &inside[..length];
        let are_words = text.starts_with(b"=?") && text.ends_with(b"?=") && has_word(text);
        if !are_words || inside[length] != b'"' {
            break;
        }
        strings += 1;
        let end = at + length + 2;
        found = Some(end);
        at = skip_space(value, end);
    }
    let is_end = value.get(at).is_none_or(|byte| *byte == b';');
    found.filter(|_| strings > 1 && is_end)
}

const CHARSET: &[u8] = b"charset";

/// Returns the offset of the colon if `charset:` stands at `at`. Some programs write parameters like header fields.
fn charset_colon(value: &[u8], at: usize) -> Option<usize> {
    let name = value.get(at..at + CHARSET.len())?;
    let colon = skip_space(value, at + CHARSET.len());
    let is_it = name.eq_ignore_ascii_case(CHARSET) && value.get(colon) == Some(&b':');
    is_it.then_some(colon)
}

/// Returns true if `charset=` or `charset:` stands at `at`, in any form, where a media type is expected.
fn starts_charset(value: &[u8], at: usize) -> bool {
    let (base, _) = split_name(&value[at..token_end(value, at)]);
    let is_named = base.eq_ignore_ascii_case(CHARSET) && starts_parameter(value, at);
    is_named || charset_colon(value, at).is_some()
}

/// Returns true if `filename=` stands at `at`, in any form, where a disposition is expected.
fn starts_lone_file_name(value: &[u8], at: usize) -> bool {
    let (base, _) = split_name(&value[at..token_end(value, at)]);
    base.eq_ignore_ascii_case(b"filename") && starts_parameter(value, at)
}

/// Returns true if `token=` stands at `at` and the token is a known name or a segment of RFC 2231 3.
///
/// At the start of a line, any token with a quoted value counts.
fn starts_known_parameter(value: &[u8], at: usize, folded: bool) -> bool {
    let end = token_end(value, at);
    if end == at || value.get(end) != Some(&b'=') {
        return false;
    }
    let name = &value[at..end];
    if folded && value.get(end + 1) == Some(&b'"')
        || matches!(split_name(name).1, NameForm::Segment { .. })
    {
        return true;
    }
    let name = &name[..memchr::memchr(b'*', name).unwrap_or(name.len())];
    let is_known = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    name.len() > 5 && ends_without_case(name, b"-date") || KNOWN.iter().any(is_known)
}

fn token_end(value: &[u8], at: usize) -> usize {
    find_byte(value, at, |b| !is_token(b))
}

fn without_line_end(value: &[u8]) -> &[u8] {
    let end = value.iter().rposition(|b| !is_line_end(*b));
    &value[..end.map_or(0, |n| n + 1)]
}

/// Parses `name=value` by RFC 2045 5.1. The value is a token, or a quoted string that has neither quoted pairs nor folds.
fn parameter(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8])> {
    let quoted = recognize((tag("\""), take_while(is_plain_quoted), tag("\"")));
    let value = alt((take_while1(is_token), quoted));
    separated_pair(take_while1(is_token), tag("="), value).parse(input)
}

fn is_plain_quoted(byte: u8) -> bool {
    matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_parameters() {
        assert_eq!(
            parameter(b"a=b;c"),
            Ok((&b";c"[..], (&b"a"[..], &b"b"[..])))
        );
        assert_eq!(
            parameter(b"a=\"b c\""),
            Ok((&b""[..], (&b"a"[..], &b"\"b c\""[..])))
        );
        for bad in ["a =b", "=b", "a=", "a=\"b", "a=\"b\\c\"", "a=;"] {
            assert!(parameter(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
