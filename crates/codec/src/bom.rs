//! Recognizes byte order marks.
//!
//! # Limits
//! Only those of UTF-8, UTF-16 and UTF-32. The signatures of UTF-7, SCSU and GB 18030 are text.

use crate::charset::Charset;
use crate::utf8::BOM;

/// U+FEFF in UTF-8. Also stands before the first header field of some messages.
pub const UTF_8: [u8; 3] = BOM;

/// Returns the charset that a byte order mark at the start names, and the length of the mark in bytes.
///
/// Tests UTF-32 before UTF-16.
///
/// ```
/// use mailglot_codec::{Charset, bom};
///
/// assert_eq!(bom::sniff(b"\xEF\xBB\xBFtext"), Some((Charset::UTF_8, 3)));
/// ```
pub fn sniff(bytes: &[u8]) -> Option<(Charset, usize)> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Some((Charset::UTF_8, 3)),
        [0xFF, 0xFE, 0, 0, ..] => Some((Charset::UTF_32LE, 4)),
        [0, 0, 0xFE, 0xFF, ..] => Some((Charset::UTF_32BE, 4)),
        [0xFF, 0xFE, ..] => Some((Charset::UTF_16LE, 2)),
        [0xFE, 0xFF, ..] => Some((Charset::UTF_16BE, 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_mark_wins() {
        assert_eq!(sniff(b"\xFF\xFE\0\0"), Some((Charset::UTF_32LE, 4)));
        assert_eq!(sniff(b"\xFF\xFEA\0"), Some((Charset::UTF_16LE, 2)));
        assert_eq!(sniff(b"\0\0\xFE\xFF"), Some((Charset::UTF_32BE, 4)));
        assert_eq!(sniff(b"\xFE\xFF\0A"), Some((Charset::UTF_16BE, 2)));
        assert_eq!(sniff(b"\xEF\xBB\xBFA"), Some((Charset::UTF_8, 3)));
        assert_eq!(sniff(b"\xEF\xBB"), None);
        assert_eq!(sniff(b""), None);
    }
}
