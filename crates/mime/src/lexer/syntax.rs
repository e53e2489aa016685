//! Finds white space, comments and quoted strings of structured values (RFC 5322, section 3.2).
//!
//! # Limits
//!
//! A comment without closing parenthesis extends to the end of the value. Control characters of the obsolete syntax are ordinary
//! bytes.

use std::borrow::Cow;
use std::ops::Range;

/// Returns true for white space of header values: space, tab, CR and LF.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns true if a byte sequence is nothing but white space of header values.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| is_space(*byte))
}

/// Returns true for the bytes of line ends: CR and LF.
#[inline]
pub(crate) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Returns the length of the line end at the start of `bytes`: CR LF, CR or LF. 0 without one.
#[inline]
pub(crate) fn line_end_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Returns the range of the line at `start` without its line end (CR LF, CR or LF), and the start of the next line.
pub(crate) fn line_at(text: &[u8], start: usize) -> (Range<usize>, usize) {
    let rest = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let next = start + end + line_end_length(&rest[end..]);
    (start..start + end, next)
}

/// Returns true if white space is a fold: it has a line end.
pub(crate) fn is_fold(blanks: &[u8]) -> bool {
    memchr::memchr2(b'\r', b'\n', blanks).is_some()
}

/// Returns true if bytes begin with `prefix`, compared without case.
#[inline]
pub(crate) fn starts_without_case(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Returns true if bytes end with `suffix`, compared without case.
pub(crate) fn ends_without_case(bytes: &[u8], suffix: &[u8]) -> bool {
    let start = bytes.len().checked_sub(suffix.len());
    start.is_some_and(|start| bytes[start..].eq_ignore_ascii_case(suffix))
}

/// Returns the byte before the one at `at`.
pub(crate) fn byte_before(value: &[u8], at: usize) -> Option<u8> {
    Some(value[at.checked_sub(1)?])
}

/// Returns the offset of the first byte at or after `at` for which `is_end` is true; the end without one.
#[inline]
pub(crate) fn find_byte(value: &[u8], at: usize, is_end: impl Fn(u8) -> bool) -> usize {
    let found = value[at..].iter().position(|&b| is_end(b));
    found.map_or(value.len(), |n| at + n)
}

/// Returns the column after `bytes`, which stand on a line from `column` on.
pub(crate) fn column_after(column: usize, bytes: &[u8]) -> usize {
    memchr::memrchr2(b'\r', b'\n', bytes).map_or(column + bytes.len(), |n| bytes.len() - n - 1)
}

/// Returns true for bytes of a token (RFC 2045, section 5.1): printable ASCII without tspecials.
pub(crate) fn is_token(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E) && !is_tspecial(byte)
}

/// Returns true for bytes that every reader takes literally without quotes: `attribute-char` of RFC 2231, section 7.
///
/// Some readers give the other bytes of a token a meaning in any value.
pub(crate) fn is_attribute_char(byte: u8) -> bool {
    is_token(byte) && !matches!(byte, b'\'' | b'*' | b'%')
}

/// Returns true for the tspecials of RFC 2045, section 5.1.
pub(crate) fn is_tspecial(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')'
            | b'<'
            | b'>'
            | b'@'
            | b','
            | b';'
            | b':'
            | b'\\'
            | b'"'
            | b'/'
            | b'['
            | b']'
            | b'?'
            | b'='
    )
}

/// Returns the offset of the first byte at or after `at` that is not white space.
pub(crate) fn skip_space(value: &[u8], at: usize) -> usize {
    find_byte(value, at, |b| !is_space(b))
}

/// Removes white space at the end.
pub(crate) fn trim_end(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .rposition(|&b| !is_space(b))
        .map_or(0, |n| n + 1);
    &value[..end]
}

/// Returns the offset after the comment at `at` (where `(` stands), including nested ones; None if it is not closed.
pub(crate) fn comment_end(value: &[u8], at: usize) -> Option<usize> {
    comment_end_by(value, at, |_| 1)
}

/// Like [`comment_end`], for multi-byte characters: `step` returns the length of the character at an offset.
#[inline]
pub(super) fn comment_end_by(
    value: &[u8],
    at: usize,
    step: impl Fn(usize) -> usize,
) -> Option<usize> {
    let (mut depth, mut i) = (0_usize, at);
    loop {
        i += match value.get(i)? {
            b'\\' => 2,
            b'(' => {
                depth += 1;
                1
            }
            b')' if depth == 1 => return Some(i + 1),
            b')' => {
                depth -= 1;
                1
            }
            _ => step(i),
        };
    }
}

/// Skips white space and comments. An unclosed comment extends to the end of the value.
pub(crate) fn skip_cfws(value: &[u8], mut at: usize) -> usize {
    loop {
        at = skip_space(value, at);
        if value.get(at) != Some(&b'(') {
            return at;
        }
        at = comment_end(value, at).unwrap_or(value.len());
    }
}

/// Returns the offset after the quoted string at `at` (where `"` stands); None if it is not closed.
// For mailglot-gateway, too.
pub fn quoted_end(value: &[u8], at: usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        i += memchr::memchr2(b'"', b'\\', value.get(i..)?)?;
        if value[i] == b'"' {
            return Some(i + 1);
        }
        i += 2;
    }
}

/// Like [`quoted_end`], for multi-byte characters: `step` returns the length of the character at an offset.
#[inline]
pub(super) fn quoted_end_by(
    value: &[u8],
    at: usize,
    step: impl Fn(usize) -> usize,
) -> Option<usize> {
    let mut i = at + 1;
    loop {
        i += match value.get(i)? {
            b'"' => return Some(i + 1),
            b'\\' => 2,
            _ => step(i),
        };
    }
}

/// Returns true for bytes that end an atom of a phrase.
pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'"')
}

/// Returns true for bytes that end an atom: white space and delimiters.
pub(super) fn ends_atom(byte: u8) -> bool {
    is_space(byte) || is_delimiter(byte)
}

/// Removes the backslashes of quoted pairs (RFC 5322, section 3.2.1).
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
    Cow::Owned(out)
}

/// Like [`unescape`], for a text of comments that was decoded from `raw`.
///
/// A reader of the bytes may see the trail byte of a character where the text has a backslash: `(\xE9\)`. Such a backslash escapes
/// no parenthesis that ends or begins a comment. `step` returns the length of the character at an offset.
pub(crate) fn unescape_comment<'t>(
    text: &'t str,
    raw: &[u8],
    step: impl Fn(usize) -> usize,
) -> Cow<'t, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let is_parenthesis = |byte: &u8| matches!(byte, b'(' | b')');
    // For each parenthesis, true if it is part of a quoted pair.
    let mut pairs = Vec::new();
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        let is_pair = *byte == b'\\';
        let character = if is_pair { raw.get(at + 1) } else { Some(byte) };
        if character.is_some_and(is_parenthesis) {
            pairs.push(is_pair);
        }
        at += if is_pair { 2 } else { step(at).max(1) };
    }
    // The escape sequences of ISO-2022-JP have parentheses, too.
    if text.bytes().filter(|byte| is_parenthesis(byte)).count() != pairs.len() {
        return unescape(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut pairs = pairs.into_iter();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_delimiter =
            |next: &char| matches!(next, '(' | ')') && pairs.as_slice().first() == Some(&false);
        let c = match chars.peek() {
            Some(next) if c == '\\' && !is_delimiter(next) => chars.next().unwrap_or_default(),
            _ => c,
        };
        if matches!(c, '(' | ')') {
            pairs.next();
        }
        out.push(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_nest_and_may_be_open() {
        for (value, end) in [
            ("(a)b", Some(3)),
            ("(a(b)c)d", Some(7)),
            (r"(a\)b)c", Some(6)),
            ("(a(b)", None),
            (r"(\", None),
        ] {
            assert_eq!(comment_end(value.as_bytes(), 0), end, "{value}");
        }
        assert_eq!(skip_cfws(b" (a) \r\n\t(b(c)) x", 0), 15);
        assert_eq!(skip_cfws(b" (((", 0), 4);
    }

    #[test]
    fn trail_bytes_escape_no_parenthesis() {
        let wide = |raw: &'static [u8]| {
            move |at: usize| 1 + usize::from(raw[at] >= 0x80 && at + 1 < raw.len())
        };
        for (raw, text, want) in [
            (&b"(\xE9\\)"[..], "(é\\)", "(é\\)"),
            (b"(\\) \xE9\\)(b\\)", "(\\) é\\)(b\\)", "() é\\)(b)"),
            (b"(a (\xE9\\)\\\\)", "(a (é\\)\\\\)", "(a (é\\)\\)"),
            (b"(\xE9\\(a))", "(é\\(a))", "(é\\(a))"),
            (b"(\xE9\\ \\a\\", "(é\\ \\a\\", "(é a\\"),
            (b"(\x1b(B\\))", "(\\))", "())"),
        ] {
            assert_eq!(unescape_comment(text, raw, wide(raw)), want, "{text}");
        }
    }

    #[test]
    fn quoted_strings_end_at_the_first_bare_quote() {
        for (value, end) in [
            ("\"a\"b", Some(3)),
            (r#""a\"b"c"#, Some(6)),
            ("\"a", None),
            ("\"a\\", None),
            ("\"", None),
        ] {
            assert_eq!(quoted_end(value.as_bytes(), 0), end, "{value}");
        }
    }

    #[test]
    fn trims() {
        assert_eq!(
            trim_end(
                b" a b
	"
            ),
            b" a b"
        );
        assert_eq!(trim_end(b" 	"), b"");
    }
}
