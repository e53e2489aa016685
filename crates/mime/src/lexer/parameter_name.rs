//! Splits the name of a parameter from its RFC 2231 marks, and recognizes file names.

/// The form of a value, according to the RFC 2231 marks of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameForm {
    /// `name`
    Plain,
    /// `name*`
    Extended,
    /// `name*3`, or `name*3*` if `encoded`
    Segment {
        /// The segment number.
        number: u32,
        /// True if the value is percent-encoded.
        encoded: bool,
    },
}

/// Splits a name from its RFC 2231 marks. An asterisk without a valid segment number is part of the name.
///
/// Numbers of a file name may have leading zeros, as some programs write them. White space may precede the asterisk.
pub(crate) fn split_name(name: &[u8]) -> (&[u8], NameForm) {
    let Some(star) = memchr::memchr(b'*', name).filter(|&n| n > 0) else {
        return (name, NameForm::Plain);
    };
    let (base, mark) = (name[..star].trim_ascii_end(), &name[star + 1..]);
    if mark.is_empty() {
        return (base, NameForm::Extended);
    }
    let (digits, encoded) = mark
        .strip_suffix(b"*")
        .map_or((mark, false), |digits| (digits, true));
    let canonical = digits == b"0" || digits.first().is_some_and(|d| (b'1'..=b'9').contains(d));
    let canonical = canonical || is_file_name(base);
    let number = if canonical && digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit) {
        std::str::from_utf8(digits)
            .ok()
            .and_then(|d| d.parse().ok())
    } else {
        None
    };
    number.map_or((name, NameForm::Plain), |number| {
        (base, NameForm::Segment { number, encoded })
    })
}

/// Returns the number of digits of a segment number with leading zeros; None for other names.
pub(crate) fn leading_zeros(name: &[u8]) -> Option<usize> {
    let star = memchr::memchr(b'*', name)?;
    let mark = &name[star + 1..];
    let digits = mark.strip_suffix(b"*").unwrap_or(mark);
    (digits.len() > 1 && digits[0] == b'0').then_some(digits.len())
}

/// Returns true if a parameter names a file.
pub(crate) fn is_file_name(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"filename") || name.eq_ignore_ascii_case(b"name")
}
