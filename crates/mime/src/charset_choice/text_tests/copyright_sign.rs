//! Finds the copyright sign of windows-1252 under labels of other charsets: `Copyright Š 2004` under ISO-8859-2.
//!
//! # Limits
//! The sign stands after white space and before a year. No other byte of the text is above 7F.

use super::foreign_letters::character;
use super::neighbor_bytes::byte_or_blank;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, is_alphabetic};

/// Returns true if the only byte above 7F is such a sign. Fast.
pub(crate) fn has_copyright_sign(label: Charset, bytes: &[u8]) -> bool {
    let mut high = high_bytes(bytes);
    let (Some(at), None) = (high.next(), high.next()) else {
        return false;
    };
    let is_before_year = || {
        let year = bytes[at + 1..].trim_ascii_start().first_chunk::<4>();
        year.is_some_and(|year| {
            year.iter().all(u8::is_ascii_digit)
                && matches!(year, [b'1', b'9', ..] | [b'2', b'0', ..])
        })
    };
    bytes[at] == 0xA9
        && label.is_single_byte()
        && label.is_ascii_compatible()
        && byte_or_blank(bytes, at.checked_sub(1)).is_ascii_whitespace()
        && is_before_year()
        && character(label, 0xA9).is_some_and(|c| is_alphabetic(c) || is_line(c))
}

/// Returns true for lines of tables, as KOI8-R has them.
fn is_line(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{259F}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    #[test]
    fn a_sign_before_a_year_is_found() {
        for (label, text, expected) in [
            ("ISO-8859-2", &b"Copyright \xA9 2004 Foo"[..], true),
            ("KOI8-R", b"Copyright \xA9 1998", true),
            ("ISO-8859-2", b"Foo\n\xA9 2004 Bar", true),
            ("IBM850", b"Office \xA9 2003", false),
            ("windows-1251", b"Copyright \xA9 2004", false),
            ("ISO-8859-2", b"\xA9koda 2004", false),
            ("ISO-8859-2", b"\xA9 2004, \xBElut\xFD", false),
            ("ISO-8859-2", b"\xA9 1", false),
            ("ISO-8859-2", b"plain", false),
        ] {
            let found = has_copyright_sign(charset_named(label), text);
            assert_eq!(found, expected, "{label} {}", text.escape_ascii());
        }
    }
}
