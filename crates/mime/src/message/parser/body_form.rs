//! Tests whether a whole body has the form that a doubtful field declares. One exception disproves it.
//!
//! # Limits
//!
//! Text that a mailing list adds to an encoded body disproves the encoding.

use crate::transfer::encodes_text;

/// Minimum number of base64 digits that prove the encoding.
const DIGITS: usize = 16;

/// Returns true if a body is base64 and nothing else. `is_text` is true if text must be encoded.
pub(super) fn is_base64(body: &[u8], is_text: bool) -> bool {
    let is_space = |b: &u8| matches!(b, b'\r' | b'\n' | b' ' | b'\t');
    let digits: Vec<u8> = body.iter().copied().filter(|b| !is_space(b)).collect();
    let padding = digits.iter().rev().take_while(|b| **b == b'=').count();
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let has_form = digits.len() >= DIGITS
        && digits.len().is_multiple_of(4)
        && padding <= 2
        && digits[..digits.len() - padding].iter().all(is_digit);
    // Words of ASCII letters are digits, too. So blanks within a line are none of base64.
    let has_words = || {
        let lines = body.split(|b| *b == b'\n');
        lines
            .map(<[u8]>::trim_ascii)
            .any(|line| line.iter().any(u8::is_ascii_whitespace))
    };
    has_form && !has_words() && (!is_text || encodes_text(&digits))
}

/// Returns true if a body is quoted-printable: printable ASCII, with at least one escape that the encoding needs, and no other equals sign.
pub(super) fn is_quoted_printable(body: &[u8]) -> bool {
    let is_text = |b: &u8| matches!(b, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    if !body.iter().all(is_text) {
        return false;
    }
    let mut needed = 0_usize;
    for at in memchr::memchr_iter(b'=', body) {
        match body.get(at + 1..).unwrap_or_default() {
            [b'\n', ..] | [b'\r', b'\n', ..] => needed += 1,
            [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let is_beyond_ascii = matches!(high, b'8' | b'9' | b'A'..=b'F' | b'a'..=b'f');
                needed += usize::from(
                    is_beyond_ascii || (*high, low.to_ascii_uppercase()) == (b'3', b'D'),
                );
            }
            _ => return false,
        }
    }
    needed > 0
}

/// Returns true if a body is one HTML document.
pub(super) fn is_html(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    let begins = |tag: &[u8]| {
        text.get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    let tail = text.len().saturating_sub(b"</html>".len());
    (begins(b"<html") || begins(b"<!doctype html")) && text[tail..].eq_ignore_ascii_case(b"</html>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_forms() {
        for (body, want) in [
            ("R3LDvMOfZSBhdXMgS8O2bG4K\n", "base64"),
            ("\r\nR3LDvMOfZSBh\r\ndXMgS8O2bG4K\r\n\r\n", "base64"),
            // A footer, a short word, a digest without text, words, a digit too few, text behind the end.
            ("R3LDvMOfZSBhdXMgS8O2bA==\nfooter\n", ""),
            ("Hello123\n", ""),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709\n", ""),
            ("R3LDvMOf ZSBhdXMg S8O2bG4K\n", ""),
            ("R3LDvMOfZSBhdXMgS8O2bG4\n", ""),
            ("R3LDvMOfZSBhdXMgS8O2bA==R3LD\n", ""),
            ("za=BF=F3=B3=E6 g=EA=B6l=B1\n", "quoted-printable"),
            ("one =\r\ntwo\r\n", "quoted-printable"),
            ("one=3Dtwo\n", "quoted-printable"),
            ("a=b\n", ""),
            ("?id=41\n", ""),
            ("plain\n", ""),
            ("one =\n\u{e9}=3D\n", ""),
            ("", ""),
            ("<html><p>x</p></html>\n", "html"),
            ("<!DOCTYPE html>\n<p>x\n</HTML>", "html"),
            ("<html><p>x</p></html>\nfooter\n", ""),
            ("text <html></html>\n", ""),
            ("</html>", ""),
        ] {
            let body = body.as_bytes();
            let found = [
                (is_base64(body, true), "base64"),
                (is_quoted_printable(body), "quoted-printable"),
                (is_html(body), "html"),
            ];
            let found: String = found
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, name)| *name)
                .collect();
            assert_eq!(found, want, "{}", body.escape_ascii());
        }
        let image = b"/9j/4AAQSkZJRgABAQEASABIAAD/2wBD\n";
        assert!(is_base64(image, false) && !is_base64(image, true));
    }
}
