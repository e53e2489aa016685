//! Resolves the labels of transfer encodings.

use crate::lexer;
use crate::named_enum::named;

named! {
    /// A transfer encoding (RFC 2045, section 6), after spelling errors of its label are corrected.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum TransferEncoding {
        /// 7bit, 8bit, binary, no label, or a misspelling of these
        Identity = "identity",
        /// `base64`.
        Base64 = "base64",
        /// `quoted-printable`.
        QuotedPrintable = "quoted-printable",
        /// `x-uuencode` and its spellings. [`decode`](crate::transfer::decode) leaves it undecoded.
        Uuencode = "uuencode",
        /// An unknown encoding, treated as identity.
        Unknown = "unknown",
    }
}

impl TransferEncoding {
    /// Returns true for base64 and quoted-printable.
    pub(crate) fn is_base64_or_quoted_printable(self) -> bool {
        matches!(self, Self::Base64 | Self::QuotedPrintable)
    }

    /// Returns true for an encoding that this crate does not decode.
    pub(crate) fn is_undecodable(self) -> bool {
        matches!(self, Self::Unknown | Self::Uuencode)
    }

    /// Returns true for a value that names this encoding as RFC 2045, section 6.1, does. Comments are allowed, quotes and parameters are not.
    pub(crate) fn is_spelled(self, value: &[u8]) -> bool {
        let start = lexer::skip_cfws(value, 0);
        let length = value[start..]
            .iter()
            .take_while(|b| lexer::is_token(**b))
            .count();
        let (token, end) = (&value[start..start + length], start + length);
        let is = |name: &str| token.eq_ignore_ascii_case(name.as_bytes());
        let is_name = match self {
            Self::Identity => token.is_empty() || is("7bit") || is("8bit") || is("binary"),
            Self::Base64 | Self::QuotedPrintable => is(self.name()),
            // Other events say how these are read.
            Self::Uuencode | Self::Unknown => return true,
        };
        is_name && lexer::skip_cfws(value, end) == value.len()
    }

    /// Reads a field value, with the spellings that occur (`quoted-printeable`, `8bits`, quotes, comments).
    pub fn from_value(value: &[u8]) -> Self {
        let label = CleanLabel::of(value);
        let key = label.key();
        let starts = |prefix: &[u8]| key.starts_with(prefix);
        if key.is_empty()
            || starts(b"7bit")
            || starts(b"8bit")
            || starts(b"binary")
            || key == b"none"
        {
            Self::Identity
        } else if starts(b"quoted") || key.ends_with(b"printable") || key == b"qp" {
            Self::QuotedPrintable
        } else if is_base64(key) {
            Self::Base64
        } else if matches!(
            key,
            b"uuencode" | b"xuuencode" | b"uuencoded" | b"uue" | b"xuue"
        ) {
            Self::Uuencode
        } else if label.slash
            || [&b"utf"[..], b"iso8859", b"usascii", b"ascii", b"windows12"]
                .into_iter()
                .any(starts)
        {
            // A media type or a charset belongs to another field.
            Self::Identity
        } else {
            Self::Unknown
        }
    }
}

/// Returns true for a label of base64, also with a letter too many, too few, wrong or in the wrong place (`bas64`, `base46`).
fn is_base64(key: &[u8]) -> bool {
    const NAME: &[u8] = b"base64";
    if key.starts_with(NAME) || matches!(key, b"b64" | b"xbase64") {
        return true;
    }
    let same = key.iter().zip(NAME).take_while(|(a, b)| a == b).count();
    let (key, name) = (&key[same..], &NAME[same..]);
    match (key, name) {
        ([_, rest @ ..], [_, others @ ..]) if rest == others => true,
        ([a, b, rest @ ..], [c, d, others @ ..]) if [a, b] == [d, c] && rest == others => true,
        _ => key.get(1..) == Some(name) || name.get(1..) == Some(key),
    }
}

/// Letters and digits of a label, in lower case and without comments.
struct CleanLabel {
    bytes: [u8; 24],
    length: usize,
    /// True if a slash occurs between them.
    slash: bool,
}

impl CleanLabel {
    fn of(value: &[u8]) -> Self {
        let mut label = Self {
            bytes: [0; 24],
            length: 0,
            slash: false,
        };
        let mut comments = 0_usize;
        for &byte in value {
            match byte {
                b'(' => comments += 1,
                b')' => comments = comments.saturating_sub(1),
                _ if comments > 0 => {}
                b';' => break,
                b'/' => label.slash = true,
                _ if byte.is_ascii_alphanumeric() || !byte.is_ascii() => {
                    // A longer label is unknown already.
                    let Some(slot) = label.bytes.get_mut(label.length) else {
                        break;
                    };
                    *slot = byte.to_ascii_lowercase();
                    label.length += 1;
                }
                _ => {}
            }
        }
        label
    }

    fn key(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_labels_are_recognized() {
        for (value, is_spelled) in [
            ("", true),
            (" 7bit", true),
            ("8BIT ", true),
            ("binary", true),
            ("(nothing)", true),
            (" Quoted-Printable\r\n", true),
            ("(a (b) c) base64 (d)", true),
            // Other events report these.
            ("x-uuencode", true),
            ("foo", true),
            ("8bits", false),
            ("8-bit", false),
            ("none", false),
            ("utf-8", false),
            ("text/html", false),
            ("quoted printable", false),
            ("quoted-printablenn", false),
            ("quoted-printable;", false),
            ("\"base64\"", false),
            ("bas64", false),
            ("base64 base64", false),
        ] {
            let encoding = TransferEncoding::from_value(value.as_bytes());
            assert_eq!(
                encoding.is_spelled(value.as_bytes()),
                is_spelled,
                "{value:?}"
            );
        }
    }
}
