//! Finds invisible characters, which let a text look different from what it is (Unicode Technical Report 36, 2 and 3).
//!
//! # Limits
//!
//! Does not report joiners and single direction marks (U+200C to U+200F), which many scripts need. Reports tags even in flags of
//! regions.

use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use std::ops::Range;

/// Returns true for direction overrides and isolates, zero-width characters, blank letters and tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{AD}'
        | '\u{34F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{200B}'
        | '\u{2060}'..='\u{2064}'
        | '\u{FEFF}'
        | '\u{180E}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0001}'
        | '\u{E0020}'..='\u{E007F}')
}

/// Returns true if the text has such a character. For most text the lead bytes exclude it.
pub(super) fn has_hidden(text: &str) -> bool {
    let lead = |b: &u8| matches!(b, 0xC2 | 0xCD | 0xE1..=0xE3 | 0xEF | 0xF3);
    text.as_bytes().iter().any(lead) && text.chars().any(is_hidden)
}

/// Reports invisible characters in `text` from `start` on. Replaces them by spaces if `strip` is set.
pub(crate) fn report_hidden_characters(
    text: &mut String,
    start: usize,
    at: Range<usize>,
    strip: bool,
    findings: &mut Vec<Finding>,
) {
    let new = &text[start..];
    if !has_hidden(new) {
        return;
    }
    let count = new.chars().filter(|&c| is_hidden(c)).count() as u64;
    let detail = if strip {
        Reason::ReplacedBySpaces.into()
    } else {
        Detail::None
    };
    findings.add_counted(at, EventKind::EwHiddenChar, detail, count);
    if strip {
        let shown: String = new
            .chars()
            .map(|c| if is_hidden(c) { ' ' } else { c })
            .collect();
        text.truncate(start);
        text.push_str(&shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_scan_misses_no_character() {
        let mut buffer = [0; 4];
        for c in ('\0'..=char::MAX).filter(|&c| is_hidden(c)) {
            assert!(
                has_hidden(c.encode_utf8(&mut buffer)),
                "U+{:04X}",
                u32::from(c)
            );
        }
        assert!(!has_hidden("na\u{ef}ve \u{200d}\u{200f}日本語"));
    }

    #[test]
    fn invisible_characters_stay_or_become_spaces() {
        for (strip, want) in [(false, "x\u{202e}fdp.exe"), (true, "x fdp.exe")] {
            let (mut text, mut findings) = (String::from("x\u{202e}fdp.exe"), Vec::new());
            report_hidden_characters(&mut text, 1, 3..9, strip, &mut findings);
            assert_eq!(
                (&*text, findings[0].kind.code(), findings[0].count),
                (want, "ew.hidden-char", 1)
            );
        }
    }
}
