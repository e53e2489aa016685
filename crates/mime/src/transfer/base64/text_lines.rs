//! Recognizes lines of base64 that encode text, in a body that may be anything.
//!
//! # Limits
//! The first 1,024 characters decide whether base64 encodes text.

use super::tolerant::sextet;

/// Minimum length of the first line of base64.
const FIRST_LINE: usize = 40;
/// Number of base64 characters that show whether they encode text.
const SAMPLE: usize = 1024;
/// Number of bytes without control characters that are text, whatever their charset.
const CERTAIN: usize = 128;

/// Returns true if the lines up to the first blank one are whole lines of base64 that encode text.
pub(in crate::transfer) fn begins_with_base64(text: &[u8]) -> bool {
    let first = lines(text).skip_while(|line| line.is_empty());
    digits(first.take_while(|line| !line.is_empty())).is_some_and(|digits| encodes_text(&digits))
}

/// Returns true if two full lines of base64 or more in a row certainly encode text, wherever they stand.
pub(in crate::transfer) fn contains_base64(text: &[u8]) -> bool {
    let is_found = |digits: &[u8], count| count > 1 && encodes_certain_text(digits);
    let (mut run, mut width, mut count) = (Vec::new(), 0, 0);
    for line in lines(text) {
        let is_full = is_full_line(line);
        if !is_full || line.len() != width {
            if is_found(&run, count) {
                return true;
            }
            run.clear();
            (width, count) = (line.len(), 0);
        }
        if is_full {
            count += 1;
            if run.len() < SAMPLE {
                run.extend_from_slice(line);
            }
        }
    }
    is_found(&run, count)
}

/// Returns true if all lines of a body are whole lines of base64 that certainly encode text with bytes above 7F.
pub(in crate::transfer) fn is_base64_of_letters(body: &[u8]) -> bool {
    digits(lines(body.trim_ascii()))
        .is_some_and(|digits| encodes_certain_text(&digits) && !decode(&digits).is_ascii())
}

/// Returns true if a body begins with full lines of base64 that certainly encode text.
pub(super) fn leads_with_base64(body: &[u8]) -> bool {
    let width = lines(body).next().map_or(0, <[u8]>::len);
    let mut digits = Vec::new();
    for line in lines(body) {
        let padding = line.iter().rev().take_while(|b| **b == b'=').count();
        let is_last = line.len() < width || padding > 0;
        let is_whole = line.len() <= width && line.len().is_multiple_of(4) && padding <= 2;
        if !is_whole || !are_digits(&line[..line.len() - padding]) {
            break;
        }
        digits.extend_from_slice(line);
        if is_last || digits.len() >= SAMPLE {
            break;
        }
    }
    encodes_certain_text(&digits)
}

/// Returns true if base64 encodes UTF-8 without control characters.
pub(super) fn encodes_utf8(digits: &[u8]) -> bool {
    let decoded = decode(digits);
    std::str::from_utf8(&decoded).is_ok_and(|text| !text.contains(char::is_control))
}

/// Returns the lines without the white space at their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line.trim_ascii_end()
    })
}

/// Returns the first characters of lines of base64, or `None` if an encoder does not write such lines.
fn digits<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Option<Vec<u8>> {
    let mut lines = lines.peekable();
    let width = lines.peek().map_or(0, |line| line.len());
    if width < FIRST_LINE || !width.is_multiple_of(4) {
        return None;
    }
    let mut digits = Vec::new();
    while let Some(line) = lines.next() {
        let is_whole = line.len() == width || lines.peek().is_none() && line.len() < width;
        let padding = line.iter().rev().take_while(|b| **b == b'=').count();
        if !is_whole
            || !line.len().is_multiple_of(4)
            || padding > if lines.peek().is_none() { 2 } else { 0 }
            || !are_digits(&line[..line.len() - padding])
        {
            return None;
        }
        if digits.len() < SAMPLE {
            digits.extend_from_slice(line);
        }
    }
    Some(digits)
}

/// Returns true for a line of base64 of the usual length, without padding.
pub(in crate::transfer) fn is_full_line(line: &[u8]) -> bool {
    line.len() >= FIRST_LINE && line.len().is_multiple_of(4) && are_digits(line)
}

fn are_digits(line: &[u8]) -> bool {
    line.iter()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

/// Decodes characters of base64 up to their padding.
fn decode(digits: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(b'=', digits).unwrap_or(digits.len());
    let mut bytes = Vec::with_capacity(end / 4 * 3 + 3);
    for quantum in digits[..end].chunks(4) {
        let bits = quantum
            .iter()
            .fold(0, |bits, digit| bits << 6 | u32::from(sextet(*digit)));
        let bits = bits << (6 * (4 - quantum.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..quantum.len()]);
    }
    bytes
}

/// Returns true if base64 encodes text with blanks or line ends. Keys and files have control characters.
fn encodes_text(digits: &[u8]) -> bool {
    is_text(&decode(digits))
}

/// Like [`encodes_text`], for UTF-8 or long text. A short word rarely decodes to bytes without control characters by chance.
fn encodes_certain_text(digits: &[u8]) -> bool {
    let decoded = decode(digits);
    // The last character may be cut.
    let is_utf8 = match std::str::from_utf8(&decoded) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_text(&decoded) && (is_utf8 || decoded.len() >= CERTAIN)
}

fn is_text(bytes: &[u8]) -> bool {
    let is_control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x1B) || *b == 0x7F;
    let is_blank = |b: &u8| matches!(b, b' ' | b'\n');
    !bytes.iter().any(is_control) && bytes.iter().any(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_a_split() {
        const BYTES: &[u8] = b"\n\r a=";
        const LONGEST: u32 = 6;
        for length in 0..=LONGEST {
            for number in 0..BYTES.len().pow(length) {
                let byte = |place| BYTES[number / BYTES.len().pow(place) % BYTES.len()];
                let text: Vec<u8> = (0..length).map(byte).collect();
                let split = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
                assert!(lines(&text).eq(split), "{}", text.escape_ascii());
            }
        }
    }
}
