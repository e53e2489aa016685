//! Removes the folds of raw text (RFC 5322, section 2.2.3).

use crate::lexer;
use std::borrow::Cow;

/// Replaces each fold by one space. Drops a line end at the end of the value.
pub(super) fn unfold(bytes: &[u8], at_end: bool) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr2(b'\r', b'\n', bytes) else {
        return Cow::Borrowed(bytes);
    };
    let mut out = bytes[..first].to_vec();
    let mut i = first;
    while i < bytes.len() {
        if lexer::is_line_end(bytes[i]) {
            let end = lexer::skip_space(bytes, i);
            let is_last = || bytes[i..].iter().all(|b| lexer::is_line_end(*b));
            if !(end == bytes.len() && at_end && is_last()) {
                out.push(b' ');
            }
            i = end;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    Cow::Owned(out)
}
