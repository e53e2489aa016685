//! Header fields as spans of a message.

use crate::lexer::is_line_end;
use crate::span::Span;
use std::borrow::Cow;

/// A header field.
///
/// The value begins after the colon and ends before the last line end. It includes folds and leading white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name without the colon and white space before it.
    pub name: Span,
    /// The raw value.
    pub value: Span,
    /// The whole field, including its last line end.
    pub full: Span,
}

/// Removes the line ends of folds (RFC 5322, section 2.2.3) and keeps the white space after them.
///
/// ```
/// assert_eq!(&*mailglot_mime::header::unfold(b"a\r\n b"), b"a b");
/// ```
pub fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr2(b'\r', b'\n', value) else {
        return Cow::Borrowed(value);
    };
    let mut flat = Vec::with_capacity(value.len());
    flat.extend_from_slice(&value[..first]);
    let mut rest = &value[first..];
    while let Some((&byte, tail)) = rest.split_first() {
        let ends = rest.iter().take_while(|b| is_line_end(**b)).count();
        let fold = ends > 0 && matches!(rest.get(ends), None | Some(b' ' | b'\t'));
        if fold {
            rest = &rest[ends..];
        } else if ends > 0 {
            flat.extend_from_slice(&rest[..ends]);
            rest = &rest[ends..];
        } else {
            flat.push(byte);
            rest = tail;
        }
    }
    Cow::Owned(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfolding_removes_line_ends_before_blanks_only() {
        let table: &[(&[u8], &[u8])] = &[
            (b"", b""),
            (b" plain", b" plain"),
            (b" a\r\n b\n\tc", b" a b\tc"),
            (b" a\r\r\n b", b" a b"),
            (b" a\r b", b" a b"),
            (b" a\rb", b" a\rb"),
            (b" a\n", b" a"),
        ];
        for &(value, flat) in table {
            assert_eq!(&*unfold(value), flat, "{}", value.escape_ascii());
        }
        assert!(matches!(unfold(b"no fold"), Cow::Borrowed(_)));
    }
}
