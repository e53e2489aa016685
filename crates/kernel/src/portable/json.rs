//! Escapes text for JSON strings without vector instructions.
//!
//! # Limits
//! None.

pub(crate) fn portable_json(text: &[u8], lines: bool, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 32);
    let mut rest = text;
    while let Some(plain) = rest.iter().position(|byte| is_escaped(*byte)) {
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        put_escape(rest, lines, out);
        rest = &rest[1..];
    }
    out.extend_from_slice(rest);
}

/// The escaped bytes: controls, the quote, the backslash.
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\')
}

/// Appends the escape of the first byte.
#[inline]
pub(crate) fn put_escape(rest: &[u8], lines: bool, out: &mut Vec<u8>) {
    let Some(&byte) = rest.first() else { return };
    match byte {
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' if lines => {
            // In CR LF the LF writes the line end.
            if rest.get(1) != Some(&b'\n') {
                out.extend_from_slice(b"\\n");
            }
        }
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&digits);
        }
    }
}
