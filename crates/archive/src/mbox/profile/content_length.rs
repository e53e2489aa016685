//! Reads the end of a message that its Content-Length declares, and checks it.
//!
//! # Limits
//! Reads the first Content-Length of a header of at most 64 KiB.

use crate::line_ends::split_line;
use crate::mbox::fields::Fields;

/// Longest header in which a Content-Length is searched.
pub(in crate::mbox) const HEADER: usize = 64 << 10;

/// Number of bytes that [`confirms`] examines.
pub(in crate::mbox) const CONFIRM: u64 = 16;

/// Returns the end of the body that a Content-Length field declares, as an offset from the start of the message.
pub(in crate::mbox) fn declared_end(message: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(&message[..message.len().min(HEADER)]);
    let length = fields
        .by_ref()
        .find(|(name, _)| name.eq_ignore_ascii_case(b"content-length"))?
        .1;
    let length: u64 = std::str::from_utf8(length.trim_ascii())
        .ok()?
        .parse()
        .ok()?;
    fields.by_ref().for_each(drop);
    let header = message.len().min(HEADER) - fields.rest().len();
    let (line, step) = split_line(fields.rest());
    (line.is_empty() && step > 0)
        .then(|| (header + step) as u64)?
        .checked_add(length)
}

/// Checks that a separator or the end of the file follows a declared body, after up to two line ends.
///
/// `near` begins with the last byte of the body. Returns the number of bytes between the body and what follows.
pub(in crate::mbox) fn confirms(near: &[u8], whole: bool) -> Option<usize> {
    let (last, after) = near.split_first()?;
    // Such a length ends inside CR LF.
    if *last == b'\r' && after.starts_with(b"\n") {
        return None;
    }
    let mut at = 0;
    for _ in 0..3 {
        let ends_line = at > 0 || matches!(last, b'\n' | b'\r');
        if ends_line && after[at..].starts_with(b"From ") || whole && at == after.len() {
            return Some(at);
        }
        match &after[at..] {
            [b'\r', b'\n', ..] => at += 2,
            [b'\n' | b'\r', ..] => at += 1,
            _ => return None,
        }
    }
    None
}
