//! Detects base64 under the label of quoted-printable, and quoted-printable under the label of base64.
//!
//! # Limits
//! Base64 must fill the body and encode text. Quoted-printable must have escapes of bytes above 7F within words, or of escape sequences
//! (ISO 2022).

use super::base64::text_lines;
use super::encoding::TransferEncoding;
use super::undeclared_encoding::is_quoted_printable;
use memchr::memmem;

/// Returns the transfer encoding of a body if it is another one than its label names.
pub(super) fn actual_encoding(label: TransferEncoding, body: &[u8]) -> Option<TransferEncoding> {
    match label {
        // ASCII in base64 may be what was sent, such as a key or a token.
        TransferEncoding::QuotedPrintable if text_lines::is_base64_of_letters(body) => {
            Some(TransferEncoding::Base64)
        }
        TransferEncoding::Base64 if is_quoted_printable_alone(body) => {
            Some(TransferEncoding::QuotedPrintable)
        }
        _ => None,
    }
}

/// Returns true for quoted-printable without lines of base64. Fast for clean base64, which has equals signs at its end only.
fn is_quoted_printable_alone(body: &[u8]) -> bool {
    let Some(first) = memchr::memchr(b'=', body) else {
        return false;
    };
    body[first..].trim_ascii_end().len() > 3
        && is_quoted_printable(body)
        // Base64 has neither blanks in its lines nor escapes in a row.
        && (memchr::memchr(b' ', body.trim_ascii()).is_some() || has_escapes_in_a_row(body))
        && !body
            .split(|b| *b == b'\n')
            .any(|line| text_lines::is_full_line(line.trim_ascii_end()))
}

/// Returns true if an escape of a byte above 7F directly follows another one: `=C3=A9`.
fn has_escapes_in_a_row(body: &[u8]) -> bool {
    let is_digit = |b: &u8| b.is_ascii_digit() || matches!(b, b'A'..=b'F');
    memmem::find_iter(body, b"=").any(|at| {
        matches!(&body[at..], [_, b'8' | b'9' | b'A'..=b'F', low, b'=', b'8' | b'9' | b'A'..=b'F', next, ..]
            if is_digit(low) && is_digit(next))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;
    use crate::transfer::{base64, quoted_printable};

    const TEXT: &str = "Grüße aus München, schöne Tage für alle Bürger.\n";

    fn base64_of(bytes: &[u8]) -> Vec<u8> {
        let mut lines = Vec::new();
        base64::encode_lines(bytes, 76, b"\r\n", &mut lines);
        lines
    }

    #[test]
    fn wrong_labels_of_encodings_are_recognized() {
        use TransferEncoding::{Base64, QuotedPrintable};
        let mut quoted = Vec::new();
        quoted_printable::encode(TEXT.as_bytes(), b"\r\n", &mut quoted);
        let russian = "Привет".repeat(20);
        let mut words = Vec::new();
        quoted_printable::encode(russian.as_bytes(), b"\n", &mut words);
        for (label, body, want) in [
            (QuotedPrintable, base64_of(TEXT.as_bytes()), Some(Base64)),
            // Padding.
            (
                QuotedPrintable,
                base64_of("One line of text, für alle, with padding".as_bytes()),
                Some(Base64),
            ),
            // A token.
            (
                QuotedPrintable,
                base64_of(b"{\"user\": \"a\", \"scope\": \"read write\", \"n\": 1}"),
                None,
            ),
            (
                QuotedPrintable,
                base64_of(TEXT.repeat(9).as_bytes()),
                Some(Base64),
            ),
            // Latin-1 is recognized if it is long.
            (
                QuotedPrintable,
                base64_of(&b"caf\xE9 au lait \xE0 Paris\r\n".repeat(9)),
                Some(Base64),
            ),
            (Base64, quoted.clone(), Some(QuotedPrintable)),
            (Base64, words, Some(QuotedPrintable)),
            (QuotedPrintable, quoted.clone(), None),
            (Base64, base64_of(TEXT.as_bytes()), None),
            // A footer in quoted-printable.
            (Base64, [base64_of(TEXT.as_bytes()), quoted].concat(), None),
            (
                QuotedPrintable,
                b"3f786850e387550fdab836ed7e6dc881de23001b\n".to_vec(),
                None,
            ),
            (
                QuotedPrintable,
                b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz".to_vec(),
                None,
            ),
            (
                QuotedPrintable,
                base64_of(&(0..=255).collect::<Vec<u8>>()),
                None,
            ),
            (Base64, b"a=C3 b=D4 c=E5 d=F6\n".to_vec(), None),
            (Base64, b"Zg==\nZg==\nZg==\n".to_vec(), None),
        ] {
            assert_eq!(
                actual_encoding(label, &body),
                want,
                "{}",
                body.escape_ascii()
            );
        }
    }

    #[test]
    fn time_is_linear() {
        for unit in ["Zg==", "=C3", "=C3=A9 e", "R3LD\n"] {
            assert_linear(&unit, 300_000, |n| {
                let body = unit.repeat(n);
                for label in [TransferEncoding::Base64, TransferEncoding::QuotedPrintable] {
                    let _ = actual_encoding(label, body.as_bytes());
                }
            });
        }
    }
}
