//! Recognizes Western names in bytes that a double-byte charset of Chinese or Korean decodes, too.
//!
//! ```text
//! J\xF6rg M\xFCller   windows-1252; GBK makes one ideograph of \xF6r, and one of \xFCl
//! \xD6\xEC\xE9F\xBB\xF9   GBK; \xE9F stands between ideographs
//! ```
//!
//! # Limits
//! One character after a letter, such as `Amy\xE9F`, is read as Western text if it is not an everyday one. Shift_JIS is not
//! checked, since its half-width katakana take one byte.

use super::cjk_level1::is_level1;
use super::neighbor_bytes::byte_or_blank;
use super::western_letters::is_western_letter;
use mailglot_codec::Charset;

/// Returns true if each pair of a double-byte charset stands alone among ASCII letters, and one of them ends in a letter.
///
/// Ideographs and syllables stand beside each other, or in words of their own.
pub(crate) fn is_western_in_pairs(charset: Charset, bytes: &[u8]) -> bool {
    let is_checked = matches!(
        charset,
        Charset::GB2312
            | Charset::GBK
            | Charset::GB18030
            | Charset::BIG5
            | Charset::BIG5_HKSCS
            | Charset::MS950
            | Charset::IBM950
            | Charset::EUC_KR
            | Charset::KS_C_5601_1987
            | Charset::WINDOWS_949
    );
    if !is_checked || is_level1(charset, bytes) {
        return false;
    }
    let (mut at, mut ends_in_letter) = (0, false);
    let is_ascii_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
    // The end of the last pair.
    let mut last_pair = 0;
    while let Some(&lead) = bytes.get(at) {
        if lead.is_ascii() {
            at += 1;
            continue;
        }
        let Some(&trail) = bytes.get(at + 1) else {
            return false;
        };
        // A trail byte of the pair before is no letter.
        let before = at.checked_sub(1).filter(|_| at > last_pair);
        let is_alone = is_ascii_letter(before) || is_ascii_letter(Some(at + 2));
        let are_letters =
            is_western_letter(lead) && is_western_letter(trail) && !matches!(lead, 0xD7 | 0xF7);
        if !is_alone || !are_letters {
            return false;
        }
        ends_in_letter |= trail.is_ascii();
        at += 2;
        last_pair = at;
    }
    ends_in_letter
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::{LossLog, Unmappable, View};

    fn known(label: &str) -> Charset {
        let resolved = Charset::for_label(label.as_bytes(), View::Mail);
        resolved.charset().expect("a known label")
    }

    #[test]
    fn western_names_are_not_ideographs() {
        for name in [
            "J\u{f6}rg M\u{fc}ller",
            "Bj\u{f6}rn",
            "S\u{f8}ren Kierkegaard",
            "\u{c9}mile Zola",
            "Fran\u{e7}ois",
            "Gr\u{fc}\u{df}er J\u{f6}rg",
            "L\u{f3}pez Nu\u{f1}ez",
            "P\u{e4}r \u{c5}sberg",
            "\u{d6}zg\u{fc}r",
        ] {
            let bytes: Vec<u8> = name.chars().map(|c| c as u8).collect();
            for label in [
                "gb2312",
                "gbk",
                "gb18030",
                "big5",
                "euc-kr",
                "ks_c_5601-1987",
                "windows-949",
            ] {
                assert!(is_western_in_pairs(known(label), &bytes), "{name} {label}");
            }
            assert!(
                !is_western_in_pairs(Charset::WINDOWS_1252, &bytes),
                "{name}"
            );
        }
    }

    /// The hundred most common family names of China, and some that only traditional letters write.
    const FAMILY_NAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓韩冯曹彭曾肖田董潘袁蔡蒋余于杜叶程\
        魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常\
        張劉陳楊黃趙吳孫馬羅鄭謝許鄧韓馮蔣葉蘇呂盧鐘譚陸賈鄒龍黎賀顧龔萬錢嚴喆镕";

    #[test]
    fn chinese_and_korean_names_stay() {
        for label in ["gbk", "big5", "euc-kr"] {
            let charset = known(label);
            let bytes_of = |c: char| {
                let mut log = LossLog::new();
                let text = c.to_string();
                let bytes = charset.encode(&text, Unmappable::Skip, &mut log);
                log.is_empty().then(|| bytes.into_owned())
            };
            let family: Vec<_> = match label {
                "euc-kr" => "김이박최정강조윤장임뷁햏"
                    .chars()
                    .filter_map(bytes_of)
                    .collect(),
                _ => FAMILY_NAMES.chars().filter_map(bytes_of).collect(),
            };
            let given: Vec<_> = ('\u{4E00}'..='\u{9FA5}')
                .chain('\u{AC00}'..='\u{D7A3}')
                .filter_map(bytes_of)
                .collect();
            assert!(family.len() > 10 && given.len() > 4_000, "{label}");
            for family in &family {
                for given in &given {
                    let name = [&family[..], given].concat();
                    assert!(
                        !is_western_in_pairs(charset, &name),
                        "{} {label}",
                        name.escape_ascii()
                    );
                }
            }
            // A given name in Latin letters, and a name alone.
            for given in &given {
                for (before, after) in [
                    ("", ""),
                    ("John ", ""),
                    ("", " John"),
                    ("\"", "\""),
                    ("", " (HR)"),
                ] {
                    let name = [before.as_bytes(), given, after.as_bytes()].concat();
                    assert!(
                        !is_western_in_pairs(charset, &name),
                        "{} {label}",
                        name.escape_ascii()
                    );
                }
            }
        }
    }
}
