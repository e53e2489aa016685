//! Recognizes trees and tables that are drawn in KOI8-R.
//!
//! # Limits
//! Knows KOI8-R and KOI8-U, and only bytes 80 to 8A, which are single lines and their corners.

use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;

/// Returns true if the bytes above 7F draw lines in KOI8-R, without any other character: `│ └─session-4.scope`.
///
/// They are letters in DOS charsets, but text has further letters.
pub(crate) fn is_drawing(label: Charset, bytes: &[u8]) -> bool {
    let is_line = |at: usize| matches!(bytes[at], 0x80..=0x8A);
    [Charset::KOI8_R, Charset::KOI8_U].contains(&label) && high_bytes(bytes).all(is_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    #[test]
    fn drawings_are_found() {
        let drawing = encoded("KOI8-R", "│ ├─init.scope\n│ └─session-4.scope");
        assert!(is_drawing(Charset::KOI8_R, &drawing));
        assert!(!is_drawing(Charset::WINDOWS_1251, &drawing));
        assert!(!is_drawing(Charset::KOI8_R, &encoded("IBM862", "שלום")));
        assert!(!is_drawing(Charset::KOI8_R, &encoded("KOI8-R", "│ файл")));
    }
}
