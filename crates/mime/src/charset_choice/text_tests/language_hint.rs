//! Detects the language of a message from its labelled text, as a hint for its unlabelled bytes.
//!
//! # Limits
//! Uses letters alone: it does not identify languages in Latin letters, and in Cyrillic it distinguishes only Ukrainian from
//! Russian.

use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, EncodeOptions, Encoder, LossLog, Mode, Unmappable, is_alphabetic};

/// Maximum number of non-ASCII characters that are examined.
const MAX_CHARS: usize = 500;

/// Returns the language of a text as an RFC 5646 tag.
pub(crate) fn detect_language(text: &str) -> Option<&'static str> {
    /// Languages that their script identifies, in the order of the counters.
    const OTHERS: [&str; 4] = ["el", "he", "ar", "th"];
    let (mut kana, mut hangul, mut cyrillic, mut others) = (0, 0, 0, [0; OTHERS.len()]);
    let (mut han, mut characters, mut all, mut is_ukrainian) = (String::new(), 0, 0, false);
    // Most text is ASCII from some offset on, and much of it throughout.
    let mut rest = text;
    while all < MAX_CHARS
        && let Some(start) = high_bytes(rest.as_bytes()).next()
    {
        let mut chars = rest[start..].chars();
        let Some(c) = chars.next() else { break };
        rest = chars.as_str();
        match c {
            '\u{3041}'..='\u{30FA}' => kana += 1,
            '\u{AC00}'..='\u{D7A3}' => hangul += 1,
            '\u{4E00}'..='\u{9FFF}' => {
                han.push(c);
                characters += 1;
            }
            '\u{400}'..='\u{4FF}' => {
                cyrillic += 1;
                is_ukrainian |= "ієїґІЄЇҐ".contains(c);
            }
            '\u{370}'..='\u{3FF}' => others[0] += 1,
            '\u{5D0}'..='\u{5EA}' => others[1] += 1,
            '\u{620}'..='\u{64A}' => others[2] += 1,
            '\u{E01}'..='\u{E3A}' => others[3] += 1,
            c if is_alphabetic(c) => {}
            _ => continue,
        }
        all += 1;
    }
    let is_most = |count: usize| count >= 2 && count * 2 > all;
    if kana * 5 > all && is_most(kana + characters) {
        Some("ja")
    } else if is_most(hangul) {
        Some("ko")
    } else if is_most(characters) {
        chinese(&han)
    } else if is_most(cyrillic) {
        Some(if is_ukrainian { "uk" } else { "ru" })
    } else {
        others
            .iter()
            .position(|count| is_most(*count))
            .map(|script| OTHERS[script])
    }
}

/// Distinguishes simplified from traditional Chinese by the characters that GB 2312 or Big5 lacks.
fn chinese(han: &str) -> Option<&'static str> {
    let [simple, full] = ["GB2312", "Big5"]
        .map(|name| Charset::for_name(name).map_or(0, |c| count_unencodable(c, han)));
    match () {
        () if simple * 4 < full => Some("zh-CN"),
        () if full * 4 < simple => Some("zh-TW"),
        () => None,
    }
}

fn count_unencodable(charset: Charset, text: &str) -> u64 {
    let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(0));
    let mut encoder = Encoder::with(
        charset,
        EncodeOptions::new(Unmappable::Skip).mode(Mode::Strict),
    );
    encoder.push(text, &mut bytes, &mut log);
    log.losses()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_identify_languages() {
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
            assert_eq!(detect_language(text), want, "{text}");
        }
    }
}
