//! Splits text into lines, which end in LF, CR LF, CR CR LF or a lone CR.
//!
//! # Limits
//! At most eight CRs belong to the LF after them.

/// Largest number of CRs before a LF that form one line end with it. A file with CR LF has CR CR LF after a transfer as text.
pub(crate) const MOST_RETURNS: usize = 8;

/// Returns the length of the line end at the start of `bytes`: CR, LF, or CRs and LF. 0 if none is there.
pub fn line_end_length(bytes: &[u8]) -> usize {
    let returns = bytes
        .iter()
        .take(MOST_RETURNS)
        .take_while(|&&byte| byte == b'\r')
        .count();
    match bytes.get(returns) {
        Some(b'\n') => returns + 1,
        _ => returns.min(1),
    }
}

/// Returns the first line without its end, and the offset of the next one.
pub(crate) fn split_line(bytes: &[u8]) -> (&[u8], usize) {
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(at) => (&bytes[..at], at + line_end_length(&bytes[at..])),
        None => (bytes, bytes.len()),
    }
}

/// Returns the bytes behind the last line end: the beginning of a line that goes on.
pub(crate) fn open_line(bytes: &[u8]) -> &[u8] {
    let start = memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |end| end + 1);
    &bytes[start..]
}

/// Returns the bytes before their last line end, which is CR LF, LF or CR, or None if they do not end in one.
///
/// CR CR LF counts as two: an empty line in CR LF may follow a message in CR.
pub(crate) fn without_line_end(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n' | b'\r'] => Some(rest),
        _ => None,
    }
}

/// Returns the bytes before the NUL bytes at their end, if a line end or nothing precedes those.
///
/// A crash or NFS may pad a mailbox with NUL bytes.
pub fn without_padding(bytes: &[u8]) -> &[u8] {
    let padding = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    match &bytes[..bytes.len() - padding] {
        rest @ ([] | [.., b'\n' | b'\r']) => rest,
        _ => bytes,
    }
}

/// Returns the number of `>` between the line start and `at`, or `None` if anything else stands there.
pub(crate) fn quote_depth(bytes: &[u8], at: usize) -> Option<usize> {
    let depth = bytes[..at]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'>')
        .count();
    match at.checked_sub(depth + 1) {
        None => Some(depth),
        Some(before) => matches!(bytes[before], b'\n' | b'\r').then_some(depth),
    }
}
