//! Lists the characters of a charset that mail readers decode alike.
//!
//! Tables differ: `Big5` of the WHATWG Encoding Standard has kana and Cyrillic where other tables have nothing, or other characters. The data
//! come from five readers (Python, glibc, Perl, PHP, browsers). `cargo xtask mail-repertoire` asks the installed ones again.
//!
//! # Limits
//! If fewer than three of these readers know a charset, all its characters count.

use crate::charset::Charset;
use crate::generated::mail_repertoire::DISPUTED;

impl Charset {
    /// Returns the byte offset of the first character of `text` that fewer than three readers of mail decode alike from this charset.
    ///
    /// Characters that the charset lacks do not count.
    ///
    /// ```
    /// use mailglot_codec::Charset;
    /// assert_eq!(Charset::BIG5.first_disputed("會議テスト"), Some(6));
    /// assert_eq!(Charset::SHIFT_JIS.first_disputed("会議テスト"), None);
    /// ```
    // For the charset choice of mailglot-mime only.
    #[doc(hidden)]
    pub fn first_disputed(self, text: &str) -> Option<usize> {
        let name = self.name();
        let (_, ranges) = DISPUTED.iter().find(|(other, _)| *other == name)?;
        let is_disputed = |c: char| {
            let next = ranges.partition_point(|(_, last)| *last < c as u32);
            ranges
                .get(next)
                .is_some_and(|(first, _)| *first <= c as u32)
        };
        text.char_indices()
            .find(|(_, c)| is_disputed(*c))
            .map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_charsets_and_ranges_in_order() {
        assert!(DISPUTED.len() > 8);
        for (name, ranges) in DISPUTED {
            let charset = Charset::for_name(name).expect("a charset of ours");
            assert!(ranges.iter().all(|(first, last)| first <= last), "{name}");
            assert!(
                ranges.windows(2).all(|pair| pair[0].1 < pair[1].0),
                "{name}"
            );
            for c in ranges
                .iter()
                .flat_map(|(first, last)| *first..=*last)
                .filter_map(char::from_u32)
            {
                assert_eq!(
                    charset.first_disputed(&format!("a{c}")),
                    Some(1),
                    "{name} {c}"
                );
            }
        }
    }

    #[test]
    fn text_of_every_day_is_undisputed() {
        for (name, text) in [
            (
                "Big5",
                "各位同仁：現將下次會議的安排寄給大家，請在星期五以前回覆。",
            ),
            (
                "GBK",
                "各位同事：现将下次会议的安排发给大家，请在星期五以前回复。",
            ),
            ("GB2312", "会议通知"),
            ("EUC-KR", "안녕하세요 여러분"),
            ("Shift_JIS", "次回の会議の予定をお送りいたします。①"),
            ("ISO-2022-JP", "次回の会議の予定をお送りいたします。"),
            ("ISO-8859-1", "Grüße aus Köln"),
            ("windows-1252", "“5 €”"),
        ] {
            assert_eq!(
                Charset::for_name(name).and_then(|charset| charset.first_disputed(text)),
                None,
                "{name}"
            );
        }
    }
}
