//! The language of HTML whose fonts have names in another charset than ASCII: `<font face=\xCB\xCE\xCC\xE5>` is 宋体 in GBK.
//!
//! Mailers of East Asia name the font of the system in every paragraph, and of English text that is often all there is above 7F.
//!
//! # Limits
//! Knows the fonts of Windows and of Office, in `<font face=…>` and `font-family:…`, where `font` is written so, in capitals or with one.

use mailglot_codec::{Charset, LossLog, Unmappable, detect};
use memchr::memmem;
use std::sync::OnceLock;

/// Languages, the charsets of their mail, and the names of their fonts.
const FONTS: [(&str, &str, &[&str]); 4] = [
    (
        "zh-CN",
        "GBK",
        &[
            "宋体",
            "新宋体",
            "黑体",
            "楷体",
            "仿宋",
            "隶书",
            "幼圆",
            "微软雅黑",
        ],
    ),
    (
        "zh-TW",
        "Big5",
        &["新細明體", "細明體", "標楷體", "微軟正黑體", "華康"],
    ),
    (
        "ko",
        "EUC-KR",
        &[
            "굴림",
            "돋움",
            "바탕",
            "궁서",
            "맑은 고딕",
            "새굴림",
            "한컴",
        ],
    ),
    (
        "ja",
        "Shift_JIS",
        &[
            "ＭＳ Ｐゴシック",
            "ＭＳ ゴシック",
            "ＭＳ Ｐ明朝",
            "ＭＳ 明朝",
            "メイリオ",
            "ＭＳ Ｐ",
        ],
    ),
];
/// Bytes that are looked at.
const WINDOW: usize = 1 << 16;

/// A name of [`FONTS`] in its charset.
struct Name {
    bytes: Vec<u8>,
    language: &'static str,
    charset: Charset,
}

/// Returns the language of the first name of a known font, and the charset that the name is in.
pub(super) fn language(html: &[u8]) -> Option<(&'static str, Charset)> {
    let html = &html[..html.len().min(WINDOW)];
    // Most HTML names no font, and that is found fast.
    if !["font", "FONT", "Font"]
        .iter()
        .any(|word| memmem::find(html, word.as_bytes()).is_some())
    {
        return None;
    }
    let names = names();
    let mut begins = [false; 256];
    for name in names {
        begins[usize::from(name.bytes[0])] = true;
    }
    // Before a name stand a blank or a sign.
    let is_apart = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let starts = detect::high_bytes(html).filter(|at| {
        begins[usize::from(html[*at])]
            && at
                .checked_sub(1)
                .is_some_and(|before| is_apart(&html[before]))
    });
    let mut named = starts.filter_map(|at| {
        let name = names
            .iter()
            .find(|name| html[at..].starts_with(&name.bytes))?;
        begins_name(&html[..at]).then_some(name)
    });
    named.next().map(|name| (name.language, name.charset))
}

/// All names of [`FONTS`], each in its charset, in that order.
fn names() -> &'static [Name] {
    static NAMES: OnceLock<Vec<Name>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let charsets = FONTS.iter().filter_map(|(language, charset, names)| {
            Charset::for_name(charset).map(|charset| (*language, charset, *names))
        });
        let encode =
            |(language, charset, names): (&'static str, Charset, &'static [&'static str])| {
                names.iter().map(move |name| {
                    let bytes = charset
                        .encode(name, Unmappable::Skip, &mut LossLog::with_limit(0))
                        .into_owned();
                    Name {
                        bytes,
                        language,
                        charset,
                    }
                })
            };
        charsets.flat_map(encode).collect()
    })
}

/// Whether the name of a font begins behind this: `face="`, `font-family: `, a comma between names.
fn begins_name(before: &[u8]) -> bool {
    /// How far back the attribute stands.
    const NEAR: usize = 64;
    let near = &before[before.len().saturating_sub(NEAR)..];
    let near = near.trim_ascii_end();
    let near = near
        .strip_suffix(b"\"")
        .or(near.strip_suffix(b"'"))
        .unwrap_or(near)
        .trim_ascii_end();
    let is_list = near.ends_with(b",");
    let is_key = |key: &[u8]| {
        near.len() >= key.len() && near[near.len() - key.len()..].eq_ignore_ascii_case(key)
    };
    let has_key = || {
        let lower = near.to_ascii_lowercase();
        memmem::find(&lower, b"face=").is_some() || memmem::find(&lower, b"font-family:").is_some()
    };
    is_key(b"face=") || is_key(b"font-family:") || is_list && has_key()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only bytes above 7F are looked at as beginnings.
    #[test]
    fn names_begin_beyond_ascii() {
        assert_eq!(
            names().len(),
            FONTS.iter().map(|(_, _, names)| names.len()).sum::<usize>()
        );
        assert!(
            names()
                .iter()
                .all(|name| name.bytes[0] >= 0x80 && name.bytes.len() >= 4)
        );
    }

    #[test]
    fn fonts_tell_languages() {
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
