//! Divides text into lines. Recognizes quoted lines, blank lines, and lines that separate a signature or section.
//!
//! # Limits
//! Knows no HTML: a whole document may be one line. Tags show too little: a cell such as `QQ群` may be UTF-8 by chance.

use std::ops::Range;

/// Maximum number of bytes before `>`, and of initials among them.
const BEFORE_SIGN: usize = 12;
const INITIALS: usize = 4;

/// Returns the ranges of the lines with their ends, in order.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    bytes.split_inclusive(|b| *b == b'\n').map(move |line| {
        start += line.len();
        start - line.len()..start
    })
}

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

/// Returns true if text that begins at the start of a line has a blank line.
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

/// Returns true if two lines belong to one paragraph or quotation, such as `> señor` and `> ¿tiene`. `second` stands behind `first`.
///
/// Both lines are quoted, or neither is. The text between them is ASCII, without blank lines and lines that separate sections (`-- `).
pub(crate) fn stand_together(bytes: &[u8], first: &Range<usize>, second: &Range<usize>) -> bool {
    let between = &bytes[first.end..second.start];
    let is_quotation = |line: &Range<usize>| is_quoted(&bytes[line.clone()]);
    // `separators` finds lines behind a line end.
    let from_line_end = first.end.saturating_sub(1);
    between.is_ascii()
        && !has_blank_line(between)
        && separators(&bytes[from_line_end..second.start]).is_empty()
        && is_quotation(first) == is_quotation(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_quotation_stand_together() {
        for (text, want) in [
            ("> a\n> b\n", true),
            ("a\r\nb\r\n", true),
            ("a\nplain\nb\n", true),
            ("> a\nb\n", false),
            ("a\n\nb\n", false),
            ("a\r\n\r\nb\r\n", false),
            ("a\né\nb\n", false),
            ("a\n-- \nb\n", false),
            ("a\n____\nb\n", false),
        ] {
            let line = |letter: &str| {
                let mut all = lines(text.as_bytes());
                let is_it = |line: &Range<usize>| {
                    let line = &text[line.clone()];
                    line.contains(letter) && !line.contains("pl")
                };
                all.find(is_it).expect("a line has the letter")
            };
            let together = stand_together(text.as_bytes(), &line("a"), &line("b"));
            assert_eq!(together, want, "{text}");
        }
    }
}
