//! The language that a message is written in, seen from text of it that says its charset: a hint at what its other bytes are.
//!
//! # Limits
//! Told by letters alone: languages in Latin letters are not, and of those in Cyrillic only Ukrainian is told from Russian.

use mailglot_codec::{Charset, EncodeOptions, Encoder, LossLog, Mode, Unmappable};

/// Characters beyond ASCII that are looked at.
const ENOUGH: usize = 500;

/// The language of a text (RFC 5646).
pub(super) fn language(text: &str) -> Option<&'static str> {
    let letters = || text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).take(ENOUGH);
    let count = |range: std::ops::RangeInclusive<char>| letters().filter(|c| range.contains(c)).count();
    let kana = count('\u{3041}'..='\u{30FA}');
    let hangul = count('\u{AC00}'..='\u{D7A3}');
    let han: String = letters().filter(|c| matches!(c, '\u{4E00}'..='\u{9FFF}')).collect();
    let cyrillic = count('\u{400}'..='\u{4FF}');
    let others = [
        ("el", count('\u{370}'..='\u{3FF}')),
        ("he", count('\u{5D0}'..='\u{5EA}')),
        ("ar", count('\u{620}'..='\u{64A}')),
        ("th", count('\u{E01}'..='\u{E3A}')),
    ];
    let all = letters().count();
    let is_most = |count: usize| count >= 2 && count * 2 > all;
    if kana * 5 > all && is_most(kana + han.chars().count()) {
        Some("ja")
    } else if is_most(hangul) {
        Some("ko")
    } else if is_most(han.chars().count()) {
        chinese(&han)
    } else if is_most(cyrillic) {
        let is_ukrainian = letters().any(|c| "ієїґІЄЇҐ".contains(c));
        Some(if is_ukrainian { "uk" } else { "ru" })
    } else {
        others.into_iter().find(|(_, count)| is_most(*count)).map(|(language, _)| language)
    }
}

/// Which of its standards has the characters that the other one lacks.
fn chinese(han: &str) -> Option<&'static str> {
    let [simple, full] =
        ["GB2312", "Big5"].map(|name| Charset::for_name(name).map_or(0, |c| lacking(c, han)));
    match () {
        () if simple * 4 < full => Some("zh-CN"),
        () if full * 4 < simple => Some("zh-TW"),
        () => None,
    }
}

fn lacking(charset: Charset, text: &str) -> u64 {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(0));
    let mut encoder = Encoder::with(charset, EncodeOptions::new(Unmappable::Skip).mode(Mode::Strict));
    encoder.push(text, &mut bytes, &mut log);
    log.losses()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_languages() {
        for (text, want) in [
            ("次回の会議の予定をお送りします", Some("ja")),
            ("다음 회의 일정", Some("ko")),
            ("各位同事：现将下次会议的安排发给大家", Some("zh-CN")),
            ("各位同仁：現將下次會議的安排寄給大家", Some("zh-TW")),
            ("中文", None),
            ("Привет, как дела", Some("ru")),
            ("Надсилаю вам її розклад", Some("uk")),
            ("Καλημέρα", Some("el")),
            ("שלום", Some("he")),
            ("مرحبا", Some("ar")),
            ("เรียนทุกท่าน", Some("th")),
            ("Grüße, déjà vu — 我", None),
            ("plain", None),
            ("", None),
        ] {
            assert_eq!(language(text), want, "{text}");
        }
    }
}
