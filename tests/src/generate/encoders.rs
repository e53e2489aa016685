//! Encoders of charsets and transfer encodings that share nothing with the crates under test.
//!
//! # Limits
//!
//! Charsets are those of encoding_rs, and UTF-7.

/// Encodes a sentence in a charset that can represent it.
///
/// # Panics
///
/// If the charset is unknown or cannot represent the text, because the truth would be wrong.
pub fn encode(text: &str, charset: &str) -> Vec<u8> {
    if charset == "utf-7" {
        return utf7(text).into_bytes();
    }
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes())
        .unwrap_or_else(|| panic!("no encoding is called {charset}"));
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost, "{charset} cannot carry {text}");
    bytes.into_owned()
}

/// Encodes as UTF-7 (RFC 2152), with everything but letters, digits and a few marks in shifted form.
pub fn utf7(text: &str) -> String {
    let direct = |c: char| c.is_ascii_alphanumeric() || " '(),-./:?\r\n".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.find(|c| !direct(c)).unwrap_or(rest.len());
        out.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let shifted = rest.find(direct).unwrap_or(rest.len());
        if shifted > 0 {
            let units = rest[..shifted]
                .encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect::<Vec<_>>();
            out.push('+');
            out.push_str(base64_words(&units).trim_end_matches('='));
            out.push('-');
            rest = &rest[shifted..];
        }
    }
    out
}

/// Bytes in one line of base64.
const LINE: usize = 57;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends base64 in lines of 76 characters, each with a line end.
pub fn base64(bytes: &[u8], eol: &str, out: &mut Vec<u8>) {
    out.reserve(bytes.len() / 3 * 4 + bytes.len() / 50 + 8);
    for line in bytes.chunks(LINE) {
        base64_line(line, out);
        out.extend_from_slice(eol.as_bytes());
    }
}

fn base64_line(bytes: &[u8], out: &mut Vec<u8>) {
    let letter = |bits: u32| ALPHABET[(bits & 63) as usize];
    let mut groups = bytes.chunks_exact(3);
    for group in &mut groups {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        out.extend_from_slice(&[
            letter(bits >> 18),
            letter(bits >> 12),
            letter(bits >> 6),
            letter(bits),
        ]);
    }
    match *groups.remainder() {
        [one] => {
            let bits = u32::from(one) << 16;
            out.extend_from_slice(&[letter(bits >> 18), letter(bits >> 12), b'=', b'=']);
        }
        [one, two] => {
            let bits = u32::from(one) << 16 | u32::from(two) << 8;
            out.extend_from_slice(&[
                letter(bits >> 18),
                letter(bits >> 12),
                letter(bits >> 6),
                b'=',
            ]);
        }
        _ => {}
    }
}

/// Encodes as base64 without line ends.
pub fn base64_words(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    base64_line(bytes, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends one line as quoted-printable, without its line end. Soft line breaks keep lines below 76 characters.
pub fn quoted_printable(line: &[u8], eol: &str, out: &mut Vec<u8>) {
    let mut column = 0;
    for &byte in line {
        let plain = (b' '..=b'~').contains(&byte) && byte != b'=';
        let width = if plain { 1 } else { 3 };
        if column + width > 75 {
            out.push(b'=');
            out.extend_from_slice(eol.as_bytes());
            column = 0;
        }
        if plain {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("={byte:02X}").as_bytes());
        }
        column += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_encoders() {
        assert_eq!(utf7("Grüße"), "Gr+APwA3w-e");
        assert_eq!(utf7("a+b"), "a+ACs-b");
        let mut out = Vec::new();
        base64(b"hello", "\n", &mut out);
        assert_eq!(out, b"aGVsbG8=\n");
        out.clear();
        quoted_printable(&[b'a'; 80], "\n", &mut out);
        assert_eq!(out.iter().position(|byte| *byte == b'\n'), Some(76));
        out.clear();
        quoted_printable(b"\xe9=", "\n", &mut out);
        assert_eq!(out, b"=E9=3D");
    }
}
