//! Finds the charset whose own definition decodes what a guess decodes by a superset.
//!
//! Lenient decoding of Shift_JIS decodes the rows of NEC and IBM, too. A strict decoder such as iconv's needs the name Windows-31J for
//! them. The table of charsets has the supersets ([`Charset::superset`]).
//!
//! # Limits
//! Knows only supersets that lenient decoding uses, and eucJP-ms.

use crate::charset::Charset;
use crate::loss::LossLog;
use crate::mode::Mode;

/// Returns a relative of `charset`, such as Windows-31J of Shift_JIS, that decodes `bytes` strictly to the text that lenient decoding gives.
///
/// Returns `charset` itself if it does, or if no relative does.
pub fn strict_charset(charset: Charset, bytes: &[u8]) -> Charset {
    if charset.is_unicode() {
        return charset;
    }
    let lenient = charset.decode_exact(bytes);
    if let Some(text) = &lenient {
        let decodes =
            |other: &Charset| decode_strictly(*other, bytes).is_some_and(|own| own == **text);
        if decodes(&charset) {
            return charset;
        }
        // A Windows page is the superset of pages of ISO 8859, which are no supersets of each other.
        let is_single_byte = charset.is_single_byte();
        let mut relatives: Vec<Charset> = Charset::all()
            .filter(|other| !is_single_byte && other.superset() == charset.superset())
            .chain([charset.superset()])
            .collect();
        // More programs know the registered names: CP50220, not ISO-2022-JP-3.
        relatives.sort_by_key(|other| other.mib().is_none());
        if let Some(found) = relatives.into_iter().find(decodes) {
            return found;
        }
    }
    // Its table is one of its own, as it has JIS X 0212 beside the rows of NEC and IBM.
    let is_japanese = charset == Charset::EUC_JP;
    if is_japanese && decode_strictly(Charset::EUCJP_MS, bytes).is_some() {
        return Charset::EUCJP_MS;
    }
    charset
}

/// Returns the text, if the charset's own definition has every byte.
fn decode_strictly(charset: Charset, bytes: &[u8]) -> Option<String> {
    let (mut text, mut log) = (String::with_capacity(bytes.len()), LossLog::with_limit(0));
    let mut decoder = charset.new_decoder(Mode::Strict);
    for piece in bytes.chunks(1 << 16) {
        decoder.push(piece, &mut text, &mut log);
        if log.losses() > 0 {
            return None;
        }
    }
    decoder.finish(&mut text, &mut log);
    (log.losses() == 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supersets_are_named_only_where_they_are_needed() {
        for (guess, text, expected) in [
            ("Shift_JIS", "資料です", "Shift_JIS"),
            ("Shift_JIS", "①資料", "Windows-31J"),
            ("EUC-JP", "資料です", "EUC-JP"),
            ("EUC-JP", "①資料", "CP51932"),
            ("EUC-JP", "①髙纊丂", "eucJP-ms"),
            ("ISO-2022-JP", "資料です", "ISO-2022-JP"),
            ("ISO-2022-JP", "漢字ｶﾅ", "CP50220"),
            ("GBK", "你們", "GBK"),
            ("GBK", "你們𠀀", "GB18030"),
            ("GB2312", "你們", "GBK"),
            ("GB2312", "你好", "GB2312"),
            ("EUC-KR", "안녕", "EUC-KR"),
            ("EUC-KR", "똠방각하", "windows-949"),
            ("ISO-8859-1", "caf\u{e9}", "ISO-8859-1"),
            ("ISO-8859-1", "“caf\u{e9}”", "windows-1252"),
            ("ISO-8859-9", "“ğ”", "windows-1254"),
            ("UTF-8", "“ğ”", "UTF-8"),
        ] {
            let named = |name| Charset::for_name(name).expect("the charset exists");
            // CP50220 decodes half-width katakana, and encodes full-width ones.
            let writer = if expected == "CP50220" {
                "CP50221"
            } else {
                expected
            };
            let bytes = named(writer)
                .encode_exact(text)
                .expect("the charset has every character");
            let found = strict_charset(named(guess), &bytes);
            assert_eq!(found.name(), expected, "{guess} {text}");
            assert_eq!(decode_strictly(found, &bytes).as_deref(), Some(text));
        }
    }

    #[test]
    fn damage_keeps_the_name() {
        assert_eq!(
            strict_charset(Charset::SHIFT_JIS, b"\x87\x40\xFF"),
            Charset::SHIFT_JIS
        );
    }
}
