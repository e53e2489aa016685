//! Detects the charset of text that its label calls UTF-16 although it is in another charset. Programs write `unicode` over text in a Windows
//! code page.
//!
//! ```text
//! label unicode   "Just nu f\xE5r du 20 %"   `Just nu får du 20 %` instead of `畊瑳渠...`
//! ```
//!
//! # Limits
//! Text with NULs keeps its label: each line end in UTF-16 has a NUL. Without NULs, pairs of bytes that make words of one script keep it, too.

use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::thresholds::SURE_CONFIDENCE;
use crate::charset_choice::without_label::without_label;
use crate::policy::Detection;
use mailglot_codec::{Charset, bom, detect};

/// Minimum number of bytes. Fewer prove nothing.
const MIN_BYTES: usize = 12;

/// Decodes text that is not in the UTF-16 of its label. Returns None if the label may be right.
pub(crate) fn mislabeled_utf16<'a>(
    label: Charset,
    bytes: &'a [u8],
    evidence: &Evidence<'_>,
) -> Option<Choice<'a>> {
    let may_be_mislabeled = evidence.detection() != Detection::Off
        && !evidence.mapped
        && is_utf16(label)
        && bytes.len() >= MIN_BYTES
        && memchr::memchr(0, bytes).is_none()
        && bom::sniff(bytes).is_none()
        && (is_mostly_ascii(bytes) || !detect::is_text_in_pairs(label, bytes));
    if !may_be_mislabeled || bytes.is_ascii() {
        return None;
    }
    let choice = without_label(bytes, evidence, Some(label), Vec::new());
    let is_sure = choice
        .confidence
        .is_none_or(|confidence| confidence >= SURE_CONFIDENCE);
    (is_sure && choice.log.losses() == 0 && !is_utf16(choice.used)).then_some(choice)
}

fn is_utf16(charset: Charset) -> bool {
    [Charset::UTF_16, Charset::UTF_16BE, Charset::UTF_16LE].contains(&charset)
}

/// Returns true if at least three in four bytes are ASCII letters or white space. In UTF-16 ideographs have one such byte in three.
fn is_mostly_ascii(bytes: &[u8]) -> bool {
    let is_plain = |byte: &&u8| byte.is_ascii_alphabetic() || byte.is_ascii_whitespace();
    4 * bytes.iter().filter(is_plain).count() >= 3 * bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::encoded;

    fn read(label: Charset, bytes: &[u8]) -> Option<(&'static str, String)> {
        mislabeled_utf16(label, bytes, &Evidence::default())
            .map(|choice| (choice.used.name(), choice.text.into_owned()))
    }

    #[test]
    fn labels_of_utf16_yield_to_text_in_other_charsets() {
        for (charset, text) in [
            ("windows-1252", "Just nu får du 20 % på alla möbler."),
            ("windows-1252", "Schöne Grüße aus Köln, bis morgen!\n"),
            ("windows-1251", "Уважаемый клиент, Ваш заказ отправлен.\n"),
            ("KOI8-R", "Уважаемый клиент, Ваш заказ отправлен.\n"),
            ("Shift_JIS", "お客様のご注文は本日発送いたしました。\n"),
        ] {
            for pad in ["", "x"] {
                let text = format!("{text}{pad}");
                let bytes = encoded(charset, &text);
                for label in [Charset::UTF_16, Charset::UTF_16LE, Charset::UTF_16BE] {
                    let expected = Some((charset, text.clone()));
                    assert_eq!(read(label, &bytes), expected, "{label} {text}");
                }
            }
        }
    }

    /// Text in UTF-16 without ASCII has no NUL.
    #[test]
    fn text_in_utf16_keeps_its_label() {
        for text in [
            "删除所有的文件，然后重新启动计算机",
            "您好，附件是会议通知，请查收，谢谢",
            "本日は晴天なり。お世話になっております",
            "안녕하세요·회의일정을알려드립니다",
            "物事琴瑟猫犬狼玉石男女甲乙",
            "Приглашение",
            "Καλημέρα",
            "สวัสดีครับ",
        ] {
            for charset in ["UTF-16LE", "UTF-16BE"] {
                let label = Charset::for_name(charset).expect("a charset");
                assert_eq!(read(label, &encoded(charset, text)), None, "{text}");
            }
        }
    }
}
