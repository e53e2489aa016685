//! JSON strings, written straight into a buffer.

/// Appends a JSON string with quotes.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    escaped(text, false, out);
}

/// Appends a JSON string with quotes in which every line end (CR LF, CR, LF) is `\n`.
pub(crate) fn lines(text: &str, out: &mut Vec<u8>) {
    escaped(text, true, out);
}

/// Appends two texts with a plain character between them as one JSON string.
#[allow(dead_code, reason = "not every program that writes JSON so needs it")]
pub(crate) fn joined(one: &str, between: u8, other: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape(one, false, out);
    out.push(between);
    escape(other, false, out);
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

fn escaped(text: &str, line_ends: bool, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 32 + 2);
    out.push(b'"');
    escape(text, line_ends, out);
    out.push(b'"');
}

fn escape(text: &str, line_ends: bool, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let plain = plain_run(&bytes[at..]);
        out.extend_from_slice(&bytes[at..at + plain]);
        at += plain;
        let Some(&byte) = bytes.get(at) else { break };
        at += 1;
        match byte {
            b'\r' if line_ends => {
                // Of CR LF the LF writes the line end.
                if bytes.get(at) != Some(&b'\n') {
                    out.extend_from_slice(b"\\n");
                }
            }
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
}

/// Length of the run before the next control, quote or backslash.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let mut at = 0;
    // Blocks without any: folded without a branch, which compilers turn into vector code.
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<32>) {
        let escaped = |byte: &u8| u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\');
        if block.iter().fold(0, |found, byte| found | escaped(byte)) != 0 {
            break;
        }
        at += block.len();
    }
    // Eight bytes at a time: a byte's high bit is set in `hit` when it needs an escape. A borrow can only mark bytes after
    // the first that does, and only the first is used.
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|chunk| <[u8; 8]>::try_from(chunk).ok()) {
        let word = u64::from_le_bytes(chunk);
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let equal = (quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash);
        let hit = (control | equal) & HIGHS;
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\').unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_at_every_place_is_as_serde_writes_it() {
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
