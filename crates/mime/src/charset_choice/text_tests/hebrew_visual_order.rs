//! Detects Hebrew text in visual order (RFC 1556) by the label and by final letter forms.
//!
//! Visual order stores each line with its last letter first. `iso-8859-8` means visual order; `iso-8859-8-i` and `-e` mean logical
//! order.
//!
//! # Limits
//! Lines are not reordered. The order of numbers and Latin words in them is uncertain, and the bytes would contradict the new
//! order.

use crate::event::Reason;
use mailglot_codec::Charset;

/// Returns a note for text in visual order under a label of ISO 8859-8.
///
/// Kaf, mem, nun, pe and tsadi have final forms, which end words in logical order. They show the order whatever the label says.
pub(crate) fn visual_order_note(label: Charset, text: &str) -> Option<Reason> {
    if !label_states_order(label) {
        return None;
    }
    let says_visual = label == Charset::ISO_8859_8;
    let (mut words, mut first, mut last) = (0, 0, 0);
    for word in text.split(|c| !is_hebrew_letter(c)) {
        let mut letters = word.chars();
        let (Some(begin), Some(end)) = (letters.next(), letters.next_back()) else {
            continue;
        };
        words += 1;
        first += usize::from(is_final_form(begin));
        last += usize::from(is_final_form(end));
    }
    match (says_visual, first, last) {
        (_, first, last) if first > last => Some(Reason::VisualOrderByLetters),
        (true, first, last) if first == last && words > 0 => Some(Reason::VisualOrderByLabel),
        _ => None,
    }
}

/// Returns true if the label states an order of Hebrew text.
pub(crate) fn label_states_order(label: Charset) -> bool {
    label.superset() == Charset::ISO_8859_8
}

fn is_hebrew_letter(c: char) -> bool {
    matches!(c, '\u{5D0}'..='\u{5EA}')
}

fn is_final_form(c: char) -> bool {
    matches!(c, '\u{5DA}' | '\u{5DD}' | '\u{5DF}' | '\u{5E3}' | '\u{5E5}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_labels_reveal_visual_order() {
        let logical = "שלום לכולם, אני שולח לכם את סדר היום";
        let visual: String = logical.chars().rev().collect();
        for (label, text, order) in [
            ("ISO-8859-8", logical, None),
            ("ISO-8859-8", &*visual, Some(Reason::VisualOrderByLetters)),
            ("ISO-8859-8-I", logical, None),
            ("ISO-8859-8-I", &*visual, Some(Reason::VisualOrderByLetters)),
            ("ISO-8859-8-E", &*visual, Some(Reason::VisualOrderByLetters)),
            ("ISO-8859-8", "ערב", Some(Reason::VisualOrderByLabel)),
            ("ISO-8859-8-I", "ערב", None),
            ("ISO-8859-8", "plain, א 12", None),
            ("ISO-8859-8", "", None),
            ("windows-1255", &*visual, None),
        ] {
            let charset = Charset::for_name(label).unwrap_or(Charset::UTF_8);
            assert_eq!(visual_order_note(charset, text), order, "{label} {text}");
        }
    }
}
