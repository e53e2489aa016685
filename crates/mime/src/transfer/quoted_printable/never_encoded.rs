//! Recognizes text labelled as quoted-printable that no program encoded.
//!
//! ```text
//! <a href="http://a.example/?id=15&sum=2500">Заявка</a>
//! ```
//!
//! `=15` and `=25` are escapes by their form only. An encoder writes `=3D` for an equals sign, escapes bytes above 7F, and breaks
//! lines of more than 76 characters.
//!
//! # Rules
//! The text has bytes above 7F or a long line. One equals sign at least begins no escape. Each escape stands where plain text has an
//! equals sign. There it is behind a name in the query of an address, behind an attribute of a tag, or between a name and a number.
//! Soft line breaks and `=3D` show an encoder, except at the end of the text.

use super::escape::{Escape, escape};
use super::web_address::{ends_address, is_of_name};
use memchr::memchr_iter;

/// Maximum number of characters in a line of quoted-printable.
const WIDTH: usize = 76;
/// Maximum number of bytes between the start of a tag or an address and an equals sign.
const REACH: usize = 512;

/// Returns true for a body that no program encoded, although some equals signs look like escapes.
pub(super) fn is_never_encoded(body: &[u8]) -> bool {
    let mut invalid = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'=', &body[at..]) {
        let sign = at + found;
        match escape(body, sign) {
            Escape::Bad => invalid += 1,
            Escape::Byte(byte) if byte != b'=' && stands_in_plain_text(body, sign) => {}
            Escape::SoftBreak(next) if next == body.len() => {}
            _ => return false,
        }
        at = sign + 1;
    }
    invalid > 0 && (!body.is_ascii() || has_long_line(body))
}

/// Returns true if the equals sign at `sign` follows a name as in an address, a tag, or a line of names and numbers.
fn stands_in_plain_text(body: &[u8], sign: usize) -> bool {
    let before = &body[sign.saturating_sub(REACH)..sign];
    let length = before.iter().rev().take_while(|b| is_of_name(**b)).count();
    let (before, name) = before.split_at(before.len() - length);
    if name.is_empty() {
        return false;
    }
    match before.last() {
        Some(b'?' | b'&' | b';') => is_within_address(before),
        Some(b' ' | b'\t' | b'\n' | b'\r') if is_within_tag(before) => true,
        None if length == sign => is_number(&body[sign + 1..]),
        Some(b'\n' | b'\r') => is_number(&body[sign + 1..]),
        _ => false,
    }
}

/// Returns true if the bytes end within an address that has a scheme.
fn is_within_address(before: &[u8]) -> bool {
    let end = before.iter().rposition(|b| ends_address(*b));
    let start = end.map_or(0, |end| end + 1);
    memchr::memmem::find(&before[start..], b"://").is_some()
}

/// Returns true if the bytes end within a tag: `<td align=left`.
fn is_within_tag(before: &[u8]) -> bool {
    memchr::memrchr2(b'<', b'>', before).is_some_and(|at| {
        before[at] == b'<'
            && before[at + 1..]
                .first()
                .is_some_and(u8::is_ascii_alphabetic)
    })
}

/// Returns true for three digits or more up to the end of the line.
fn is_number(rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 2 && matches!(rest.get(digits), None | Some(b'\r' | b'\n'))
}

/// Returns true if a line is longer than an encoder makes them.
fn has_long_line(body: &[u8]) -> bool {
    let mut start = 0;
    memchr_iter(b'\n', body)
        .chain([body.len()])
        .any(|end| std::mem::replace(&mut start, end + 1) + WIDTH + 1 < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_was_never_encoded() {
        for body in [
            "<p>Заявка: <a href=\"http://a.ru/?id=ABC\">Иван</a></p>",
            "<p style=\"color:red\">Заявка</p>\n<a href=\"http://a.ru/?id=15&sum=2500&phone=89001234567\">Иван</a>",
            "<table width=80 border=00><tr><td align=left>Grüße</td></tr></table>",
            "Name=Иван\r\nphone=89001234567\r\n",
            "phone=89001234567\nName=Иван",
            "<a href=\"http://a.example/?id=15&sum=2500\">A line that no encoder left so long, since it has more than 76</a>",
            "a=x, ü http://a.example/?id=15 =\n",
        ] {
            assert!(is_never_encoded(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn quoted_printable_with_faults_is_encoded() {
        for body in [
            "",
            "Grüße",
            // An encoder wrote an equals sign, a soft line break or an escape within a word.
            "<a href=3D\"x\">Grüße</a> a=x",
            "<p class=\"x\">Grüße</p> aus =\nKöln",
            "Gr=FC=DFe aus K=F6ln. <p class=\"x\">Grüße</p>",
            "caf=E9 50=% Grüße",
            "<b>caf=E9</b> <p class=\"x\">Grüße</p>",
            "&nbsp;caf=E9 a=x Grüße",
            "=E9t=E9 a=x Grüße",
            "boys=92\nphone=89 a=x Grüße",
            "http://a.example/?q=D0=BF a=x ü",
            // Short lines of ASCII prove nothing.
            "a=x http://a.example/?id=15\n",
            // Each equals sign begins an escape.
            "ü http://a.example/?id=15\n",
        ] {
            assert!(!is_never_encoded(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn long_bodies_take_linear_time() {
        for unit in [
            "<a b=15 ",
            "http://x/?a=15&",
            "a=155\n",
            "a=x\u{e4}",
            "aaaa=15",
        ] {
            crate::linear::assert_linear(&unit, 200_000, |n| {
                let _ = is_never_encoded(
                    ["<a b=15 ", &unit.repeat(n / unit.len())]
                        .concat()
                        .as_bytes(),
                );
            });
        }
    }
}
