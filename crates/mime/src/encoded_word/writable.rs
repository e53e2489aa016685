//! Decides which text may be written to a header: text without controls, except those of misread UTF-8.

use super::controls::{is_control, is_plain_text};
use super::repair;

/// Appends a text with a space for each control. Keeps controls that are part of UTF-8 that was misread as windows-1252 or
/// ISO-8859-1.
pub(super) fn push_written(text: &str, out: &mut String) {
    if is_plain_text(text) {
        out.push_str(text);
        return;
    }
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let misread_length = repair::misread_length(rest);
        if misread_length > 0 {
            out.push_str(&rest[..misread_length]);
        } else {
            out.push(if is_control(c) { ' ' } else { c });
        }
        rest = &rest[misread_length.max(c.len_utf8())..];
    }
}

/// Returns true if the text has no other controls than those that [`push_written`] keeps.
pub(crate) fn is_writable(text: &str) -> bool {
    is_plain_text(text) || {
        let mut out = String::with_capacity(text.len());
        push_written(text, &mut out);
        out == text
    }
}
