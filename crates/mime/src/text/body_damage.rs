//! Finds text of bodies that other programs damaged: UTF-8 and other charsets that were decoded as windows-1252, and ISO-2022-JP without
//! escapes.
//!
//! # Limits
//!
//! Repairs nothing.
//! Searches the first 4 KiB for text that was decoded as windows-1252. A character beyond windows-1252 there ends the search.
//! Finds no lost escape characters beside uuencoded blocks or other escape characters, and none in text without kana.

use crate::charset_choice::{LabelScope, MAIL_HINTS, check_label};
use crate::encoded_word::repair;
use crate::event::Reason;
use crate::reading::How;
use mailglot_codec::{Charset, Script, detect, is_alphabetic};
use memchr::memmem;

/// Returns the damage of a text and its number of places.
pub(super) fn misread_words(text: &str) -> Option<(Reason, u64)> {
    let count = repair::count_misread(text).max(count_misread_losses(text));
    (count > 0).then_some((Reason::BodyMojibake, count))
}

/// Counts characters of words that were lost before the text was decoded as windows-1252: `fï¿½r` was `f�r`.
fn count_misread_losses(text: &str) -> u64 {
    const LOST: &str = "ï¿½";
    let bytes = text.as_bytes();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_alphabetic)
    };
    let is_in_word = |at: &usize| is_letter(at.checked_sub(1)) || is_letter(Some(at + LOST.len()));
    memmem::find_iter(bytes, LOST).filter(is_in_word).count() as u64
}

/// Returns the charset of a text that was decoded as windows-1252 before it was encoded in UTF-8: `Ïðèâåò` was `Привет` in windows-1251.
///
/// The text must overrule a label of ISO-8859-1, and have a letter beyond Latin. So text in a language without a model stays, such as Turkmen:
/// `nasýhaty`.
pub(super) fn misread_charset(text: &str, scope: LabelScope) -> Option<Charset> {
    if scope == LabelScope::None || !may_be_misread(text.as_bytes()) {
        return None;
    }
    let bytes = windows_1252_bytes(text)?;
    let verdict = check_label(Charset::ISO_8859_1, &bytes, None, scope, || MAIL_HINTS)?;
    let read = verdict.read?;
    let is_beyond_latin = |c: char| is_alphabetic(c) && Script::of(c) != Some(Script::Latin);
    (read.how == How::Detected && read.text.chars().any(is_beyond_latin)).then_some(read.used)
}

/// Returns true if windows-1252 has the first non-ASCII characters, and many of them stand side by side, as in `Ïðèâåò`. In most Western text
/// they stand alone, as in `Größe`. Fast.
fn may_be_misread(text: &[u8]) -> bool {
    /// Number of characters that are examined, and one in how many stands behind another.
    const MAX_EXAMINED: usize = 64;
    const SHARE: usize = 4;
    let (mut all, mut adjacent, mut end) = (0, 0, usize::MAX);
    let is_lead = |at: &usize| text[*at] >= 0xC0;
    for at in detect::high_bytes(text).filter(is_lead).take(MAX_EXAMINED) {
        let length = match text[at] {
            // U+0080 to U+00FF, `Œ`, `Š`, `Ž`, `Ÿ`, `ƒ`, `ˆ`, `˜`.
            0xC2 | 0xC3 | 0xC5 | 0xC6 | 0xCB => 2,
            // Quotation marks, dashes, `€`, `™` and others.
            0xE2 => 3,
            _ => return false,
        };
        all += 1;
        adjacent += usize::from(at == end);
        end = at + length;
    }
    adjacent > 0 && adjacent * SHARE >= all
}

/// Returns the bytes that windows-1252 decodes to the first non-ASCII words of a text. C1 controls stand for themselves. Returns None for
/// ASCII and text with other characters.
fn windows_1252_bytes(text: &str) -> Option<Vec<u8>> {
    /// Number of bytes from which on a blank ends the words. No character of two bytes contains one.
    const MIN_SIZE: usize = 4096;
    const MAX_SIZE: usize = 4 * MIN_SIZE;
    let first = detect::high_bytes(text.as_bytes()).next()?;
    let start = text[..first].rfind(char::is_whitespace).unwrap_or_default();
    let mut bytes = Vec::new();
    for c in text[start..].chars() {
        if bytes.len() >= MIN_SIZE && c.is_ascii_whitespace() || bytes.len() >= MAX_SIZE {
            break;
        }
        if let Ok(byte) = u8::try_from(u32::from(c)) {
            bytes.push(byte);
        } else {
            let mut utf8 = [0; 4];
            let c = c.encode_utf8(&mut utf8);
            bytes.extend_from_slice(&Charset::WINDOWS_1252.encode_exact(c).ok()?);
        }
    }
    Some(bytes)
}

/// Minimum number of kana. Fewer may stand in code or in encoded data by chance.
const KANA: usize = 2;

/// Returns the damage of a text that lost the escape characters of ISO-2022-JP, and the number of its sequences.
///
/// Encoded data may have a sequence by chance, beside many starts of sequences that do not decode.
pub(super) fn lost_escapes(text: &str) -> Option<(Reason, u64)> {
    let start = sequences(text).next()?;
    if memchr::memchr(0x1B, text.as_bytes()).is_some() {
        return None;
    }
    let (restored, count) = repair::lost_escapes(&text[start..]);
    let kana = |c: &char| matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}');
    let is_proved = count > 0
        && restored.chars().filter(kana).nth(KANA - 1).is_some()
        && sequences(&restored).count() as u64 <= count;
    is_proved.then_some((Reason::BodyLostEscapes, count))
}

/// Returns the offsets of `$B`. The dollar sign alone is rare in text, so its search is the fastest.
fn sequences(text: &str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| text[*at..].starts_with("$B");
    memchr::memchr_iter(b'$', text.as_bytes()).filter(begins)
}

#[cfg(test)]
mod tests {
    use crate::event::EventKind;
    use crate::normalize::plan;
    use crate::policy::Policy;
    use mailglot_codec::{Charset, LossLog};

    /// Returns the detail and the count of the event about a body.
    fn suspected(label: &str, body: &str) -> Option<(String, u64)> {
        let mail = format!(
            "Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: 8bit\n\n{body}\n"
        );
        let plan = plan(mail.as_bytes(), &Policy::default());
        assert!(plan.edits.is_empty(), "{body}");
        let events = &plan.report.events;
        let event = events
            .iter()
            .find(|e| e.kind == EventKind::CharsetSuspected)?;
        assert_eq!(event.at.of(mail.as_bytes()), format!("{body}\n").as_bytes());
        Some((event.detail.to_string(), event.count))
    }

    #[test]
    fn damaged_bodies_are_reported() {
        const MISREAD: &str = "UTF-8 decoded as windows-1252, and encoded again";
        const ESCAPES: &str = "ISO-2022-JP without escape characters";
        for (body, count) in [
            ("Schöne GrÃ¼ÃŸe aus KÃ¶ln", 2),
            ("SchÃ¶ne GrÃ¼ÃŸe", 2),
            ("DÃ©jÃ\u{a0} vu, lâ€™Ã©tÃ©", 4),
            ("MaÃ±ana en EspaÃ±a", 2),
            ("NÃ£o, informaÃ§Ã£o", 2),
            ("Das ist fï¿½r dich", 1),
            ("ZaÅ¼Ã³Å‚Ä‡", 1),
            ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", 1),
            ("æ—¥æœ¬èªž", 1),
            ("GrÃƒÂ¼ÃƒÅ¸e", 1),
            ("CAFÃ‰", 1),
            ("MANHÃ… Ã©", 2),
        ] {
            let found = suspected("utf-8", body);
            assert_eq!(found, Some((MISREAD.to_owned(), count)), "{body}");
        }
        for label in ["utf-8", "us-ascii", "iso-2022-jp"] {
            let found = suspected(label, "$BF|K\\8l$N7oL>$G$9(B, $B%F%9%H(B");
            assert_eq!(found, Some((ESCAPES.to_owned(), 2)), "{label}");
        }
    }

    /// Texts in the charsets of their languages, as a program that knows only Latin-1 decodes them.
    #[test]
    fn text_that_was_decoded_as_latin_1_is_reported() {
        for (charset, text) in [
            (Charset::WINDOWS_1251, "Привет! Как дела, что нового?"),
            (Charset::KOI8_R, "Здравствуйте, отправляю вам договор."),
            (Charset::GBK, "您好！我是公司的老师，谢谢您的来信。"),
            (Charset::EUC_KR, "안녕하세요, 메일 잘 받았습니다."),
            (Charset::BIG5, "您好，謝謝您的來信，我們會盡快回覆。"),
            (Charset::ISO_8859_7, "Καλημέρα σας, ευχαριστώ πολύ"),
        ] {
            let bytes = charset.encode_exact(text).unwrap();
            let misread = Charset::ISO_8859_1.decode(&bytes, &mut LossLog::new());
            let (detail, count) = suspected("utf-8", &misread).expect(text);
            let (name, rest) = detail.split_once(' ').expect(&detail);
            assert_eq!(
                (rest, count),
                ("decoded as windows-1252, and encoded again", 1)
            );
            let found: Charset = name.parse().unwrap();
            assert_eq!(found.decode(&bytes, &mut LossLog::new()), text, "{detail}");
        }
    }

    /// A trail byte of Big5 may be an ASCII letter.
    #[test]
    fn long_texts_are_not_cut_within_characters() {
        let sentence = "您好，謝謝您的來信，我們會盡快回覆。\n";
        for count in [10, 130, 200, 1000] {
            let bytes = Charset::BIG5.encode_exact(sentence).unwrap().repeat(count);
            let misread = Charset::ISO_8859_1.decode(&bytes, &mut LossLog::new());
            assert!(suspected("utf-8", &misread).is_some(), "{count}");
        }
    }

    #[test]
    fn sound_bodies_are_not_reported() {
        for body in [
            "Não, Ã é uma letra: MANHÃ, «IRMû, AMANHÃ…",
            "MÃ” XÂ… AMANHÃ\u{a0}– ROMÃ»",
            "CAFÉ® NESCAFÉ® ÉTÉ… QUALITÉ\u{a0}: ÂME, CHÂTEAU, PÂTÉ”",
            "Trân trọng, Cảm ơn bạn, ÂM NHẠC – Ã, VÂNG",
            "“À bientôt” – l’été, où ça?",
            "Größe: ÄÖÜ–äöü, Straße „Köln“",
            "Ýagdaýy görkeziji: hiç, geçmek, nasýhaty",
            "Ýsa og ýl, dýr, Bý, Trý, nýtt, ÝVIR, kýr",
            "Pakêta hê nehatiye veavakirin, darikê amûran",
            "Українська – мова, Привет",
            "日本語の件名です, 中文, 한국어",
            "cost $Bonds(B) and $B; print \"$B{$A}(B)\"; $BASE(B) $PATH",
            "my ($A, $B) = @_; $B->{x}(B); $B++ for 1..3; 10$ (BUY)",
            "$B%F(B",
        ] {
            assert_eq!(suspected("utf-8", body), None, "{body}");
        }
    }
}
