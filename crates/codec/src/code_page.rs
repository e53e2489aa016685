//! Maps numbers of code pages to charsets: IBM's numbers, and Microsoft's from 10000 on.
//!
//! # Limits
//! If vendors use a number for different charsets, it means the one that mail uses.

use crate::charset::Charset;
use crate::generated::code_pages::NUMBERS;

/// The charset of a code page number.
pub(crate) fn by_number(number: u32) -> Option<Charset> {
    let at = NUMBERS
        .binary_search_by_key(&number, |(number, _)| *number)
        .ok()?;
    NUMBERS.get(at).map(|(_, charset)| *charset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label_view::View;

    #[test]
    fn numbers_stand_in_order_and_lead_to_the_charsets_of_their_labels() {
        assert!(NUMBERS.is_sorted_by(|a, b| a.0 < b.0));
        for (number, charset) in NUMBERS {
            assert_eq!(by_number(*number), Some(*charset));
            for label in [
                format!("cp{number}"),
                format!("x-cp{number:05}"),
                format!("windows-{number}"),
            ] {
                let found = Charset::for_label(label.as_bytes(), View::Mail).charset();
                assert_eq!(found, Some(*charset), "{label}");
            }
        }
        assert_eq!(by_number(1), None);
    }
}
