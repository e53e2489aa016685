//! Detects base64 and quoted-printable in ASCII text whose header does not declare them.
//!
//! # Limits
//! Base64 is recognized from the start of the text up to its first blank line, and further on by two full lines. Quoted-printable is
//! recognized by escapes of letters or of escape sequences (ISO 2022). The text is reported and stays: it may show an encoding on purpose.

use super::base64::text_lines;
use super::encoding::TransferEncoding;
use crate::lexer::starts_without_case;
use memchr::memmem;

/// Minimum number of escapes of bytes above 7F, and of those within words.
const ESCAPES: usize = 3;
const WITHIN_WORDS: usize = 2;

/// Returns the transfer encoding that ASCII text seems to have although its header does not declare it.
pub(crate) fn undeclared_encoding(text: &[u8]) -> Option<TransferEncoding> {
    if is_quoted_printable(text) && !has_encoded_properties(text) {
        return Some(TransferEncoding::QuotedPrintable);
    }
    (text_lines::begins_with_base64(text) || text_lines::contains_base64(text))
        .then_some(TransferEncoding::Base64)
}

/// Returns true if the text has escapes of letters within words, or of escape sequences.
pub(super) fn is_quoted_printable(text: &[u8]) -> bool {
    has_encoded_letters(text) || has_encoded_shifts(text)
}

/// Returns true if the equals signs of the text begin escapes of bytes above 7F or end lines, and hardly anything else.
fn has_encoded_letters(text: &[u8]) -> bool {
    let (mut escapes, mut within_words, mut others) = (0, 0, 0);
    // The end of the last escape.
    let mut end = None;
    for at in memchr::memchr_iter(b'=', text) {
        match text[at + 1..] {
            [b'8' | b'9' | b'A'..=b'F', low, ref rest @ ..] if is_digit(low) => {
                escapes += 1;
                let before = at.checked_sub(1).map(|before| text[before]);
                let follows = end == Some(at) || before.is_some_and(|b| b.is_ascii_alphabetic());
                // Capitals may be digits: `color=FFAABB`.
                let goes_on = matches!(rest, [b'=' | b'a'..=b'z', ..]);
                within_words += usize::from(follows && goes_on);
                end = Some(at + 3);
            }
            [high, low, ..] if is_digit(high) && is_digit(low) => {}
            [] | [b'\n' | b'\r', ..] => {}
            _ => others += 1,
        }
    }
    escapes >= ESCAPES && within_words >= WITHIN_WORDS && others * 4 <= escapes
}

/// Returns true if the text has escape sequences of ISO 2022 in quoted-printable. There is one to a character set of two bytes, and one back
/// to ASCII.
fn has_encoded_shifts(text: &[u8]) -> bool {
    let begin = memmem::find(text, b"=1B$");
    begin.is_some_and(|at| memmem::find(&text[at..], b"=1B(").is_some())
}

/// Returns true for a card or calendar that declares the encoding of its properties (vCard 2.1, vCalendar 1.0).
fn has_encoded_properties(text: &[u8]) -> bool {
    let declares = |line: &[u8]| {
        let head = line.split(|b| *b == b':').next().unwrap_or_default();
        let mut parameters = head.split(|b| *b == b';').skip(1);
        parameters.any(|parameter| {
            let value = parameter.rsplit(|b| *b == b'=').next();
            value.is_some_and(|value| value.eq_ignore_ascii_case(b"QUOTED-PRINTABLE"))
        })
    };
    starts_without_case(text.trim_ascii_start(), b"BEGIN:V")
        && text.split(|b| *b == b'\n').any(declares)
}

/// Returns true for a digit of an encoder.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'A'..=b'F')
}

#[cfg(test)]
mod tests {
    use super::super::base64;
    use super::*;
    use TransferEncoding::{Base64, QuotedPrintable};

    #[test]
    fn encodings_without_a_label_are_recognized() {
        let mut encoded = Vec::new();
        let text = "Привет, Мария! Завтра я приеду поздно, ужинайте без меня.\n".repeat(3);
        base64::encode_lines(text.as_bytes(), 76, b"\n", &mut encoded);
        let footer = [&encoded[..], b"\n-- \nSent to the list\n"].concat();
        let fields = [
            b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n",
            &encoded[..],
        ]
        .concat();
        let greeting = [b"Hello,\r\n\r\n", &encoded[..], b"--b--\r\n"].concat();
        for (text, encoding) in [
            (
                &b"Gr=FC=DFe aus K=F6ln, da=DF ihr kommt.=20\nBis n=E4chste Woche\n"[..],
                QuotedPrintable,
            ),
            (b"=D0=9F=D1=80=D0=B8=D0=B2=D0=B5=D1=82", QuotedPrintable),
            (b"=1B$B$3$s$K$A$O!#=1B(B\n", QuotedPrintable),
            (b"caf=C3=A9 =\nd=C3=A9j=C3=A0 =3D vu, a=b", QuotedPrintable),
            (
                b"BEGIN:VCARD\nFN:M=FCller, Gr=F6=DFe, K=F6ln\nEND:VCARD\n",
                QuotedPrintable,
            ),
            (&encoded, Base64),
            (&footer, Base64),
            (&fields, Base64),
            (&greeting, Base64),
        ] {
            assert_eq!(
                undeclared_encoding(text),
                Some(encoding),
                "{}",
                text.escape_ascii()
            );
        }
    }

    #[test]
    fn other_text_is_not_encoded() {
        let mut key = Vec::new();
        let random: Vec<u8> = (0..180_u32).map(|n| (n * n * 7 + n * 31) as u8).collect();
        base64::encode_lines(&random, 64, b"\n", &mut key);
        let armour = [
            b"-----BEGIN CERTIFICATE-----\n",
            &key[..],
            b"-----END CERTIFICATE-----\n",
        ]
        .concat();
        let mut one_line = b"see\n\n".to_vec();
        base64::encode_lines(
            b"Only one line of text, which proves nothing",
            76,
            b"\n",
            &mut one_line,
        );
        let sum = b"Checksums:\n\n3f786850e387550fdab836ed7e6dc881de23001b\n".repeat(3);
        let rule = "0".repeat(76) + "\n";
        let rules = format!("table\n{rule}{rule}{rule}");
        for text in [
            &b"Gr=FC=DFe"[..],
            b"color=FF0000 width=80 a=B2 b=A3 c=C4",
            b"x=1, y=2, z=3",
            b"a=DEADBEEF b=CAFE c=FACE d=BEEF",
            b"==========\n= ABC =\n==========\n",
            b"hello",
            b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
            &key,
            &armour,
            &one_line,
            &sum,
            rules.as_bytes(),
            b"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7\n",
            b"BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=iso-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller=\n Gr=F6=DFe, K=F6ln\nEND:VCARD\n",
            b"\r\nBEGIN:VCALENDAR\r\nSUMMARY;quoted-printable:=D0=9F=D1=80=D0=B8\r\nEND:VCALENDAR\r\n",
            b"",
        ] {
            assert_eq!(undeclared_encoding(text), None, "{}", text.escape_ascii());
        }
    }
}
