//! Lexical pieces of structured header values (RFC 5322 3.2, RFC 2045 5.1).
//!
//! The strict grammar is written with nom and answers for well-formed input; the tolerant scanners of [`crate::params`] fall back to
//! the byte functions below it.
//!
//! # Limits
//!
//! A comment that is not closed ends with the value. Obsolete syntax with control characters is taken as ordinary bytes.

mod angle_address;
mod raw_characters;
mod raw_iso2022jp;
mod trail_backslash;

pub(crate) use angle_address::angle_end;
pub(crate) use raw_characters::CharacterSteps;
pub(crate) use raw_iso2022jp::{
    decode_raw_iso2022jp, has_escape, has_raw_iso2022jp, raw_iso2022jp_length,
};
pub(crate) use trail_backslash::{TrailBackslash, contains_angle_address, swallows_address};

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::{IResult, Parser};

/// White space of header values: space, tab, and the bytes of a folded line end.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A byte of a token (RFC 2045 5.1): printable ASCII but tspecials.
pub(crate) fn is_token(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E) && !is_tspecial(byte)
}

/// The tspecials of RFC 2045 5.1.
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

/// Offset of the first byte at or after `at` that is no white space.
pub(crate) fn skip_space(value: &[u8], at: usize) -> usize {
    value[at..]
        .iter()
        .position(|&b| !is_space(b))
        .map_or(value.len(), |n| at + n)
}

/// `value` without white space at its end.
pub(crate) fn trim_end(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .rposition(|&b| !is_space(b))
        .map_or(0, |n| n + 1);
    &value[..end]
}

/// Offset after the comment that starts at `at` (where `(` stands), nested ones included; None when it is not closed.
pub(crate) fn comment_end(value: &[u8], at: usize) -> Option<usize> {
    comment_end_by(value, at, |_| 1)
}

/// [`comment_end`] in text of which what stands at a place takes so many bytes.
#[inline]
fn comment_end_by(value: &[u8], at: usize, step: impl Fn(usize) -> usize) -> Option<usize> {
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

/// Skips white space and comments; an unclosed comment reaches to the end of the value.
pub(crate) fn skip_cfws(value: &[u8], mut at: usize) -> usize {
    loop {
        at = skip_space(value, at);
        if value.get(at) != Some(&b'(') {
            return at;
        }
        at = comment_end(value, at).unwrap_or(value.len());
    }
}

/// Offset after the quoted string that starts at `at` (where `"` stands); None when it is not closed.
pub(crate) fn quoted_end(value: &[u8], at: usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        i += memchr::memchr2(b'"', b'\\', value.get(i..)?)?;
        if value[i] == b'"' {
            return Some(i + 1);
        }
        i += 2;
    }
}

/// [`quoted_end`] in text of which what stands at a place takes so many bytes.
#[inline]
fn quoted_end_by(value: &[u8], at: usize, step: impl Fn(usize) -> usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        i += match value.get(i)? {
            b'"' => return Some(i + 1),
            b'\\' => 2,
            _ => step(i),
        };
    }
}

/// The value of a well-formed parameter, as it stands in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrictValue<'a> {
    /// A token.
    Token(&'a [u8]),
    /// The inside of a quoted string that has neither quoted pairs nor folds.
    Quoted(&'a [u8]),
}

/// `name=value` exactly as RFC 2045 5.1 has it, with a plain quoted string or a token for a value.
pub(crate) fn parameter(input: &[u8]) -> IResult<&[u8], (&[u8], StrictValue<'_>)> {
    let plain = (
        tag("\""),
        nom::bytes::complete::take_while(is_plain_quoted),
        tag("\""),
    )
        .map(|(_, s, _)| StrictValue::Quoted(s));
    let value = alt((take_while1(is_token).map(StrictValue::Token), plain));
    (take_while1(is_token), tag("="), value)
        .map(|(name, _, value)| (name, value))
        .parse(input)
}

fn is_plain_quoted(byte: u8) -> bool {
    matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~' | b'\t')
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
    fn strict_parameters() {
        assert_eq!(
            parameter(b"a=b;c"),
            Ok((&b";c"[..], (&b"a"[..], StrictValue::Token(b"b"))))
        );
        assert_eq!(
            parameter(b"a=\"b c\""),
            Ok((&b""[..], (&b"a"[..], StrictValue::Quoted(b"b c"))))
        );
        for bad in ["a =b", "=b", "a=", "a=\"b", "a=\"b\\c\"", "a=;"] {
            assert!(parameter(bad.as_bytes()).is_err(), "{bad}");
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
