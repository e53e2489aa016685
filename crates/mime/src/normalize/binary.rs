//! Detects binary files in parts with a text media type. The planner does not change them.
//!
//! # Limits
//! Recognizes unknown kinds of files by their control characters, so short ones may be missed.

use crate::event::FileKind;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_kernel::ByteClasses;

/// First bytes of file formats. If the flag is false, the format also needs non-ASCII bytes or control characters.
const KINDS: [(&[u8], bool, FileKind); 16] = [
    (b"PK\x03\x04", true, FileKind::Zip),
    (b"\x1F\x8B\x08", true, FileKind::Gzip),
    (b"BZh91AY&SY", true, FileKind::Bzip2),
    (b"\xFD7zXZ\0", true, FileKind::Xz),
    (b"7z\xBC\xAF\x27\x1C", true, FileKind::SevenZip),
    (b"Rar!\x1A\x07", true, FileKind::Rar),
    (b"\x89PNG\r\n\x1A\n", true, FileKind::Png),
    (b"\xFF\xD8\xFF", true, FileKind::Jpeg),
    (b"GIF87a", false, FileKind::Gif),
    (b"GIF89a", false, FileKind::Gif),
    (b"II*\0", true, FileKind::Tiff),
    (b"MM\0*", true, FileKind::Tiff),
    (b"OggS\0", true, FileKind::Ogg),
    (b"ID3\x03\0", true, FileKind::Mp3),
    (b"%PDF-", false, FileKind::Pdf),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", true, FileKind::Ole),
];

/// A text is binary if at least one of this many bytes is a control character that is unusual in text.
const SELDOM: usize = 32;
/// Minimum number of different control characters in binary data. The color codes of chat logs use fewer.
const DIFFERENT: u32 = 6;

/// Bytes of a file that [`file_kind`] decodes.
const HEAD: usize = 1 << 18;

/// Returns the kind of binary file that begins with `bytes`, which `charset` decodes best; None for text.
///
/// A file with many NULs is binary, too. A mail body with them is text with padding.
// For `mailglot detect` only.
#[doc(hidden)]
pub fn file_kind(bytes: &[u8], charset: Charset) -> Option<FileKind> {
    let bytes = &bytes[..bytes.len().min(HEAD)];
    let text = decode_unlogged(charset, bytes);
    let text = text.as_bytes();
    let has_many_nuls = || memchr::memchr_iter(0, text).count() * SELDOM >= text.len().max(1);
    kind(bytes, text, ByteClasses::of(text))
        .or_else(|| has_many_nuls().then_some(FileKind::Unknown))
}

/// Returns the kind of binary file in `bytes`; None for text. `text` is the decoded text, `classes` are those of its bytes.
/// Linear time.
pub(super) fn kind(bytes: &[u8], text: &[u8], classes: ByteClasses) -> Option<FileKind> {
    let found = KINDS.iter().find(|(start, ..)| bytes.starts_with(start));
    let known = found
        .filter(|(_, alone, _)| *alone || !bytes.is_ascii() || text.iter().any(|b| is_control(*b)));
    match known {
        Some((.., kind)) => Some(*kind),
        None => (classes.has_unusual_control() && is_data(text)).then_some(FileKind::Unknown),
    }
}

fn is_data(text: &[u8]) -> bool {
    let count = text.iter().filter(|b| is_control(**b)).count();
    if count * SELDOM < text.len() || count < DIFFERENT as usize {
        return false;
    }
    let seen = text
        .iter()
        .filter(|b| is_control(**b))
        .fold(0_u128, |seen, b| seen | 1 << b);
    seen.count_ones() >= DIFFERENT
}

/// Returns true for control characters that are unusual in text.
///
/// Texts contain tabs, line ends, form feeds, vertical tabs, backspaces, shifts, escapes and the end of DOS files.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0x10..=0x19 | 0x1C..=0x1F | 0x7F)
}

#[cfg(test)]
mod tests {
    use super::{ByteClasses, Charset, FileKind, file_kind, is_control};

    #[test]
    fn files_with_many_nuls_are_binary() {
        let kind = |bytes: &[u8]| file_kind(bytes, Charset::WINDOWS_1252);
        assert_eq!(kind(&[0; 40]), Some(FileKind::Unknown));
        assert_eq!(kind(b"\x1F\x8B\x08\0\0"), Some(FileKind::Gzip));
        assert_eq!(
            kind(b"text with one NUL\0 in a line of many characters"),
            None
        );
        assert_eq!(kind(b""), None);
        assert_eq!(file_kind(b"w\0i\0d\0e\0", Charset::UTF_16LE), None);
    }

    #[test]
    fn kinds_are_recognized_by_their_first_bytes() {
        assert_eq!(kind(b"PK\x03\x04\x14\0", b""), Some(FileKind::Zip));
        assert_eq!(
            kind(b"%PDF-1.4\n%\xE2\xE3", "%PDF-1.4\n%âã".as_bytes()),
            Some(FileKind::Pdf)
        );
        // Texts that begin like a file format.
        for text in [
            "%PDF- is how they begin",
            "ID3-Tags für alle",
            "GIF89 für alle",
            "PK 03",
            "BZhé",
        ] {
            assert_eq!(kind(text.as_bytes(), text.as_bytes()), None, "{text}");
        }
    }

    fn kind(bytes: &[u8], text: &[u8]) -> Option<FileKind> {
        super::kind(bytes, text, ByteClasses::of(text))
    }

    #[test]
    fn controls_of_data_are_unusual_controls() {
        for byte in 0..=0xFF {
            let is_unusual = ByteClasses::of(&[byte]).has_unusual_control();
            // The end of DOS files is a control of text here.
            assert_eq!(is_control(byte), is_unusual && byte != 0x1A, "{byte:X}");
        }
    }

    #[test]
    fn data_has_many_different_controls() {
        let mut state = 7_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        for length in [200, 2000, 20_000] {
            let data: Vec<u8> = (0..length).map(|_| random()).collect();
            let text: String = data.iter().map(|b| char::from(*b)).collect();
            assert!(kind(&data, text.as_bytes()).is_some(), "{length}");
        }
        let colors = "\u{3}04<a>\u{3} \u{2}bold\u{2} \u{1f}line\u{1f}\n".repeat(9);
        let overstruck = "_\u{8}a_\u{8}b\n\u{c}".repeat(9);
        let padded = ["text", &"\0".repeat(4000)].concat();
        for text in [colors, overstruck, padded] {
            assert_eq!(kind(text.as_bytes(), text.as_bytes()), None, "{text}");
        }
    }
}
