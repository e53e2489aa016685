//! Detects the language of HTML by font names in a legacy charset: `<font face=\xCB\xCE\xCC\xE5>` is 宋体 in GBK.
//!
//! East Asian mailers name the system font in every paragraph. In English text these are often the only bytes above 7F.
//!
//! # Limits
//! Knows the fonts of Windows and Office in `<font face=…>` and `font-family:…`, with `font` written in lower case, upper case or
//! capitalized.

use mailglot_codec::{Charset, detect};
use memchr::memmem;

/// Font names in the usual mail charset of a language.
struct Fonts {
    language: &'static str,
    charset: Charset,
    /// Each name, and its bytes in `charset`.
    names: &'static [(&'static str, &'static [u8])],
}

const FONTS: [Fonts; 4] = [
    Fonts {
        language: "zh-CN",
        charset: Charset::GBK,
        names: &[
            ("宋体", b"\xCB\xCE\xCC\xE5"),
            ("新宋体", b"\xD0\xC2\xCB\xCE\xCC\xE5"),
            ("黑体", b"\xBA\xDA\xCC\xE5"),
            ("楷体", b"\xBF\xAC\xCC\xE5"),
            ("仿宋", b"\xB7\xC2\xCB\xCE"),
            ("隶书", b"\xC1\xA5\xCA\xE9"),
            ("幼圆", b"\xD3\xD7\xD4\xB2"),
            ("微软雅黑", b"\xCE\xA2\xC8\xED\xD1\xC5\xBA\xDA"),
        ],
    },
    Fonts {
        language: "zh-TW",
        charset: Charset::BIG5,
        names: &[
            ("新細明體", b"\xB7s\xB2\xD3\xA9\xFA\xC5\xE9"),
            ("細明體", b"\xB2\xD3\xA9\xFA\xC5\xE9"),
            ("標楷體", b"\xBC\xD0\xB7\xA2\xC5\xE9"),
            ("微軟正黑體", b"\xB7L\xB3n\xA5\xBF\xB6\xC2\xC5\xE9"),
            ("華康", b"\xB5\xD8\xB1d"),
        ],
    },
    Fonts {
        language: "ko",
        charset: Charset::EUC_KR,
        names: &[
            ("굴림", b"\xB1\xBC\xB8\xB2"),
            ("돋움", b"\xB5\xB8\xBF\xF2"),
            ("바탕", b"\xB9\xD9\xC5\xC1"),
            ("궁서", b"\xB1\xC3\xBC\xAD"),
            ("맑은 고딕", b"\xB8\xBC\xC0\xBA \xB0\xED\xB5\xF1"),
            ("새굴림", b"\xBB\xF5\xB1\xBC\xB8\xB2"),
            ("한컴", b"\xC7\xD1\xC4\xC4"),
        ],
    },
    Fonts {
        language: "ja",
        charset: Charset::SHIFT_JIS,
        names: &[
            ("ＭＳ Ｐゴシック", b"\x82l\x82r \x82o\x83S\x83V\x83b\x83N"),
            ("ＭＳ ゴシック", b"\x82l\x82r \x83S\x83V\x83b\x83N"),
            ("ＭＳ Ｐ明朝", b"\x82l\x82r \x82o\x96\xBE\x92\xA9"),
            ("ＭＳ 明朝", b"\x82l\x82r \x96\xBE\x92\xA9"),
            ("メイリオ", b"\x83\x81\x83C\x83\x8A\x83I"),
            ("ＭＳ Ｐ", b"\x82l\x82r \x82o"),
        ],
    },
];

/// The bytes that a name may begin with.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < FONTS.len() {
        let names = FONTS[at].names;
        let mut nth = 0;
        while nth < names.len() {
            first[names[nth].1[0] as usize] = true;
            nth += 1;
        }
        at += 1;
    }
    first
};

/// Maximum number of bytes that are examined.
const WINDOW: usize = 1 << 16;

/// Returns the language of the first name of a known font, and the charset that the name is in.
pub(crate) fn language(html: &[u8]) -> Option<(&'static str, Charset)> {
    let html = &html[..html.len().min(WINDOW)];
    // Most HTML names no font. This test is fast.
    if !["font", "FONT", "Font"]
        .iter()
        .any(|word| memmem::find(html, word.as_bytes()).is_some())
    {
        return None;
    }
    // A space or an ASCII symbol precedes a name.
    let is_apart = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let starts = detect::high_bytes(html).filter(|at| {
        FIRST[usize::from(html[*at])]
            && at
                .checked_sub(1)
                .is_some_and(|before| is_apart(&html[before]))
    });
    let mut named = starts.filter_map(|at| {
        let is_named = |(_, bytes): &(&str, &[u8])| html[at..].starts_with(bytes);
        let fonts = FONTS
            .iter()
            .find(|fonts| fonts.names.iter().any(is_named))?;
        begins_name(&html[..at]).then_some(fonts)
    });
    named.next().map(|fonts| (fonts.language, fonts.charset))
}

/// Returns true if `before` ends where a font name begins: `face="`, `font-family: `, or a comma between names.
fn begins_name(before: &[u8]) -> bool {
    /// Maximum distance between the attribute name and the font name.
    const MAX_ATTRIBUTE_BYTES: usize = 64;
    let nearby = &before[before.len().saturating_sub(MAX_ATTRIBUTE_BYTES)..];
    let nearby = nearby.trim_ascii_end();
    let nearby = nearby
        .strip_suffix(b"\"")
        .or(nearby.strip_suffix(b"'"))
        .unwrap_or(nearby)
        .trim_ascii_end();
    let is_list = nearby.ends_with(b",");
    let is_key = |key: &[u8]| {
        nearby.len() >= key.len() && nearby[nearby.len() - key.len()..].eq_ignore_ascii_case(key)
    };
    let has_key = || {
        let lower = nearby.to_ascii_lowercase();
        memmem::find(&lower, b"face=").is_some() || memmem::find(&lower, b"font-family:").is_some()
    };
    is_key(b"face=") || is_key(b"font-family:") || is_list && has_key()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::{LossLog, Unmappable};

    #[test]
    fn names_are_in_their_charsets() {
        for fonts in &FONTS {
            for (name, bytes) in fonts.names {
                let mut log = LossLog::new();
                let encoded = fonts.charset.encode(name, Unmappable::Skip, &mut log);
                assert_eq!((&*encoded, log.losses()), (*bytes, 0), "{name}");
                // Only bytes above 7F can begin a name.
                assert!(bytes[0] >= 0x80 && bytes.len() >= 4, "{name}");
            }
        }
    }

    #[test]
    fn fonts_reveal_languages() {
        for (html, expected) in [
            (
                &b"<font color=red face=\xCB\xCE\xCC\xE5 size=2>one</font>"[..],
                Some("zh-CN"),
            ),
            (b"<FONT FACE=\"\xB7\xC2\xCB\xCE_GB2312\">", Some("zh-CN")),
            (
                b"<p style='font-family: Arial, \"\xB7s\xB2\xD3\xA9\xFA\xC5\xE9\"'>",
                Some("zh-TW"),
            ),
            (b"<font face=\x82l\x82r \x96\xBE\x92\xA9>", Some("ja")),
            (b"<font face=\xB1\xBC\xB8\xB2>", Some("ko")),
            (b"<font face=Arial>\xCB\xCE\xCC\xE5</font>", None),
            (b"\xCB\xCE\xCC\xE5", None),
        ] {
            assert_eq!(
                language(html).map(|(language, _)| language),
                expected,
                "{}",
                html.escape_ascii()
            );
        }
    }
}
