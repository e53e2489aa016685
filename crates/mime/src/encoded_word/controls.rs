//! Finds and replaces control characters in the text of headers.

use crate::event::{Detail, EventKind, Finding, FindingList};
use std::ops::Range;

/// Returns true for characters that must not reach a header: controls and line separators.
pub(crate) fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2028}' | '\u{2029}')
}

/// Returns true if a text has no control. Checks bytes, not characters.
pub(super) fn is_plain_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    let control = |i: usize, byte: u8| match byte {
        0..=0x1F | 0x7F => true,
        0xC2 => bytes.get(i + 1).is_some_and(|&b| b < 0xA0),
        0xE2 => matches!(bytes.get(i + 1..i + 3), Some([0x80, 0xA8 | 0xA9])),
        _ => false,
    };
    !bytes.iter().enumerate().any(|(i, &byte)| control(i, byte))
}

/// Reports controls, if there are any.
pub(crate) fn report_controls(count: u64, at: &Range<usize>, findings: &mut Vec<Finding>) {
    if count > 0 {
        findings.add_counted(at.clone(), EventKind::EwControlChar, Detail::None, count);
    }
}

/// Appends a text with a space for each control; returns the number of controls.
pub(crate) fn push_clean(text: &str, out: &mut String) -> u64 {
    if is_plain_text(text) {
        out.push_str(text);
        return 0;
    }
    let mut controls = 0;
    out.extend(text.chars().map(|c| {
        let control = is_control(c);
        controls += u64::from(control);
        if control { ' ' } else { c }
    }));
    controls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_is_found_by_its_bytes() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}é");
            assert_eq!(is_plain_text(&text), !is_control(c), "{c:?}");
            assert_eq!(
                is_plain_text(&text[..=c.len_utf8()]),
                !is_control(c),
                "{c:?}"
            );
        }
    }
}
