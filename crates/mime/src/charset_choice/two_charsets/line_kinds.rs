//! Recognizes quoted lines, blank lines, and lines that separate a signature or section.
//!
//! # Limits
//! Knows no HTML.

/// Maximum number of bytes before `>`, and of initials among them.
const BEFORE_SIGN: usize = 12;
const INITIALS: usize = 4;

/// Returns true if the line begins with `>`, behind white space or initials.
pub(crate) fn is_quoted(line: &[u8]) -> bool {
    let start = &line[..line.len().min(BEFORE_SIGN + 1)];
    let sign = start.iter().position(|b| matches!(b, b'>' | b'\n'));
    sign.is_some_and(|at| start[at] == b'>' && begins_quotation(&start[..at]))
}

/// Returns true if `>` behind these bytes begins a quoted line.
pub(crate) fn begins_quotation(before: &[u8]) -> bool {
    let nearest = &before[before.len().saturating_sub(BEFORE_SIGN + 1)..];
    let start = match nearest.iter().rposition(|b| *b == b'\n') {
        Some(at) => at + 1,
        None if before.len() <= BEFORE_SIGN => 0,
        None => return false,
    };
    let initials = nearest[start..].trim_ascii();
    let is_letter = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii();
    initials.len() <= INITIALS && initials.iter().all(is_letter)
}

/// Returns true if a line of whole lines is blank.
pub(crate) fn has_blank_line(lines: &[u8]) -> bool {
    let is_end = |at: usize| matches!(lines.get(at), Some(b'\n' | b'\r'));
    is_end(0) || memchr::memchr_iter(b'\n', lines).any(|at| is_end(at + 1))
}

/// Returns the starts of lines that separate sections, in order.
pub(crate) fn separators(bytes: &[u8]) -> Vec<usize> {
    let is_separator = |line: &[u8]| match line {
        [b'-', b'-', b' ', b'\n' | b'\r', ..] => true,
        [first, second, third, ..] => first == second && second == third,
        _ => false,
    };
    let mut starts = Vec::new();
    let mut from = 0;
    while let Some(sign) = memchr::memchr3(b'-', b'_', b'=', &bytes[from..]).map(|n| from + n) {
        if sign > 0 && bytes[sign - 1] == b'\n' && is_separator(&bytes[sign..]) {
            starts.push(sign);
        }
        let line_end = memchr::memchr(b'\n', &bytes[sign..]);
        from = line_end.map_or(bytes.len(), |n| sign + n + 1);
    }
    starts
}
