//! Writes JSON strings and numbers directly into a buffer.

use mailglot_kernel::json::{LineEnds, append_escaped};

/// Appends a JSON string with quotes.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    quoted(text, LineEnds::Kept, out);
}

/// Appends a JSON string with quotes. Writes every line end (CR LF, CR, LF) as `\n`.
pub(crate) fn lines(text: &str, out: &mut Vec<u8>) {
    quoted(text, LineEnds::Lf, out);
}

/// Appends two texts with a plain character between them, as one JSON string.
#[allow(dead_code, reason = "not every program that writes JSON so needs it")]
pub(crate) fn joined(one: &str, between: u8, other: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    append_escaped(one, LineEnds::Kept, out);
    out.push(between);
    append_escaped(other, LineEnds::Kept, out);
    out.push(b'"');
}

/// Appends a number.
#[allow(dead_code, reason = "as above")]
pub(crate) fn number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends a string, or `null`.
pub(crate) fn optional(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

fn quoted(text: &str, line_ends: LineEnds, out: &mut Vec<u8>) {
    out.push(b'"');
    append_escaped(text, line_ends, out);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_match_serde_json() {
        for code in (0..0x180).chain([0x2028, 0xFFFD, 0x1F600]) {
            let c = char::from_u32(code).unwrap();
            for before in 0..17 {
                let text = format!("{}{c}{c}äöü-0123456789", "x".repeat(before));
                let mut out = Vec::new();
                string(&text, &mut out);
                let back: String = serde_json::from_slice(&out).unwrap();
                assert_eq!(back, text);
                let expected = serde_json::to_string(&text).unwrap();
                // serde_json has short forms for backspace and form feed.
                if !matches!(c, '\u{8}' | '\u{c}') {
                    assert_eq!(String::from_utf8(out).unwrap(), expected);
                }
            }
        }
    }

    #[test]
    fn numbers_and_joined_texts() {
        for number in [0, 1, 9, 10, 12_345, u64::MAX] {
            let mut out = Vec::new();
            super::number(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
        let mut out = Vec::new();
        joined("te\"xt", b'/', "pla\\in", &mut out);
        assert_eq!(out, br#""te\"xt/pla\\in""#);
    }

    #[test]
    fn line_ends_become_lf() {
        let mut out = Vec::new();
        lines("a\r\nb\rc\n\r\r\nd\r", &mut out);
        assert_eq!(out, br#""a\nb\nc\n\n\nd\n""#);
        out.clear();
        optional(None, &mut out);
        assert_eq!(out, b"null");
    }
}
