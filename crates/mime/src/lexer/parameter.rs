//! Parses well-formed parameters (RFC 2045, section 5.1). [`crate::params`] reads all others with tolerance.

use super::syntax::is_token;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::{IResult, Parser};

/// The value of a well-formed parameter, as it stands in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrictValue<'a> {
    /// A token.
    Token(&'a [u8]),
    /// The inside of a quoted string that has neither quoted pairs nor folds.
    Quoted(&'a [u8]),
}

/// Parses `name=value` by RFC 2045, section 5.1, with a token or a plain quoted string as the value.
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
}
