//! Keeps the label of UTF-8 over text that has characters which no other charset has by chance.
//!
//! ```text
//! label utf-8   "Besten Dank, J\xC3\xBCrgen\n-- \n\xCD\xF5\xD0\xA1\xC3\xF7"   ü stands in a Latin word: the first line is UTF-8
//! label utf-8   "Ma\xFF\xB1ana, se\xC3\xB1or"                            ñ stands in a Latin word: FF B1 is damage
//! ```
//!
//! # Limits
//! Knows Latin letters within words, signs of typography, and words of at least four letters in another alphabet or two in an East Asian one.

use crate::charset_choice::choice::Choice;
use crate::charset_choice::text_tests::cjk_level1::is_beyond_level1;
use crate::charset_choice::text_tests::composed::composed;
use crate::charset_choice::text_tests::line_kinds::lines;
use crate::charset_choice::text_tests::mojibake_score::{
    is_letter, mojibake_score, mojibake_score_in_any_case,
};
use crate::charset_choice::text_tests::truncated_utf8::has_only_cut_signs;
use crate::charset_choice::text_tests::utf8_sequences::{
    has_isolated_sequence, malformed, sequences,
};
use crate::charset_choice::thresholds::{LIKELY_BESIDE_UTF8, LIKELY_CONFIDENCE};
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, LossLog, Script};
use std::cell::LazyCell;
use std::ops::Range;

/// Number of lines that are not UTF-8, for each line of certain UTF-8, up to which the label stays.
const MOST_OTHER_LINES: usize = 8;
/// Number of malformed sequences, for each certain character in the same lines, up to which they are damage.
const MOST_DAMAGE: usize = 2;
/// Number of letters that make a word certain: of an alphabet, and of East Asian ones.
const ALPHABET_LETTERS: usize = 4;
const EAST_ASIAN_LETTERS: usize = 2;
/// Number of bytes around a character that are read with it in another charset.
const CONTEXT: usize = 8;

/// Returns true if a text under a label of UTF-8 has certain UTF-8, or only signs that were cut. In addition, `other` must make no
/// text of it.
pub(crate) fn contradicts(bytes: &[u8], other: &Choice<'_>) -> bool {
    let is_replaced = other.mixed.is_none() && other.used != Charset::UTF_8;
    if !is_replaced || !other.used.is_ascii_compatible() {
        return false;
    }
    if has_only_cut_signs(bytes) {
        return true;
    }
    let certain = certain_runs(bytes);
    if certain.is_empty() {
        return is_damaged_character(bytes, other);
    }
    let odd = certain
        .iter()
        .filter(|run| is_odd_as(other.used, bytes, run));
    let is_odd = odd.count() * 2 >= certain.len();
    let count = LazyCell::new(|| LineCount::of(bytes, &certain));
    let are_enough = || {
        count.others <= count.certain * MOST_OTHER_LINES
            || malformed(bytes).count() <= certain.len() * MOST_DAMAGE
    };
    is_odd && (is_no_text(other) || are_enough())
        || is_weak(other) && count.certain > 1 && count.certain >= count.others
}

/// Returns true if `other` is a guess that is too weak to replace a label.
pub(crate) fn is_weak(other: &Choice<'_>) -> bool {
    other
        .confidence
        .is_some_and(|confidence| confidence < LIKELY_CONFIDENCE)
}

/// Returns true if a text was read as UTF-8 with losses, and has certain UTF-8: the losses may be lines in another charset.
pub(crate) fn stands_beside_losses(bytes: &[u8], read: &Choice<'_>) -> bool {
    let has_losses = read.used == Charset::UTF_8 && read.mixed.is_none() && read.log.losses() > 0;
    has_losses && sequences(bytes).any(|run| is_certain(bytes, &run))
}

/// Returns the runs whose characters are certain. They stand apart from other bytes above 7F.
fn certain_runs(bytes: &[u8]) -> Vec<Range<usize>> {
    if !has_isolated_sequence(bytes) {
        return Vec::new();
    }
    sequences(bytes)
        .filter(|run| is_certain(bytes, run))
        .collect()
}

/// Returns true if `other` is a guess without evidence, and not text: noise behind UTF-8 is in no charset.
fn is_no_text(other: &Choice<'_>) -> bool {
    let is_evidence = other
        .confidence
        .is_none_or(|confidence| confidence >= LIKELY_BESIDE_UTF8);
    !is_evidence && mojibake_score(&other.text) > 0
}

/// Returns true if a text has whole characters of UTF-8, little else, and `other` is a weak guess that gives no text.
fn is_damaged_character(bytes: &[u8], other: &Choice<'_>) -> bool {
    is_weak(other)
        && mojibake_score(&other.text) > 0
        && malformed(bytes).count() <= sequences(bytes).count() * MOST_DAMAGE
}

/// Numbers of lines with bytes above 7F.
struct LineCount {
    /// Lines of UTF-8 with certain characters.
    certain: usize,
    /// Lines that are not UTF-8.
    others: usize,
}

impl LineCount {
    fn of(bytes: &[u8], certain: &[Range<usize>]) -> Self {
        let (mut own, mut others) = (0, 0);
        for at in lines(bytes) {
            let is_valid = std::str::from_utf8(&bytes[at.clone()]).is_ok();
            others += usize::from(!is_valid);
            let first = certain.partition_point(|run| run.start < at.start);
            let has_certain = certain.get(first).is_some_and(|run| run.end <= at.end);
            own += usize::from(is_valid && has_certain);
        }
        Self {
            certain: own,
            others,
        }
    }
}

/// Returns true if a charset makes only signs of a word in UTF-8: `׀‡׀¶׀°׀÷` for `Їжак`.
pub(crate) fn is_signs_as(charset: Charset, run: &[u8]) -> bool {
    const LETTERS: usize = 3;
    let count = |text: &str| text.chars().filter(|c| is_letter(*c)).count();
    let is_word = std::str::from_utf8(run)
        .is_ok_and(|text| count(text) >= LETTERS && mojibake_score_in_any_case(text) == 0);
    is_word && count(&decode_unlogged(charset, run)) == 0
}

/// Returns true if a run of valid UTF-8 is no other charset by chance: other charsets do not have its bytes in such a place.
pub(crate) fn is_certain(bytes: &[u8], run: &Range<usize>) -> bool {
    let before = run.start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(run.end).copied();
    let is_apart = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii());
    let Ok(text) = std::str::from_utf8(&bytes[run.clone()]) else {
        return false;
    };
    if !is_apart(before) || !is_apart(after) {
        return false;
    }
    let is_in_word = [before, after]
        .into_iter()
        .flatten()
        .any(|byte| byte.is_ascii_alphabetic());
    let is_latin = |c| Script::of(c) == Some(Script::Latin);
    is_in_word && text.chars().all(is_latin)
        || text.chars().all(is_sign_of_typography)
        || is_word_of_one_alphabet(&composed(text))
}

/// Returns true for enough letters of an alphabet that is not Latin, or East Asian ones.
fn is_word_of_one_alphabet(text: &str) -> bool {
    let script = text.chars().next().and_then(Script::of);
    let is_alphabet = script.is_some_and(|script| script != Script::Latin);
    let is_of_alphabet = |c| is_alphabet && Script::of(c) == script;
    let count = text.chars().count();
    mojibake_score_in_any_case(text) == 0
        && (count >= ALPHABET_LETTERS && text.chars().all(is_of_alphabet)
            || text.chars().all(is_east_asian)
                && text.chars().filter(|c| !is_east_asian_sign(*c)).count() >= EAST_ASIAN_LETTERS)
}

/// Returns true for kana, Han, Hangul, and the signs between them.
fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
        || is_east_asian_sign(c)
}

/// Returns true for punctuation of East Asia and signs of full width.
fn is_east_asian_sign(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{301F}' | '\u{30FB}' | '\u{FF01}'..='\u{FF5E}')
}

/// Returns true for signs that programs write into text of all languages: dashes, quotation marks, bullets, the ellipsis, the euro.
fn is_sign_of_typography(c: char) -> bool {
    matches!(c, '\u{2013}'..='\u{2026}' | '€' | '™')
}

/// Returns true if another charset makes no text of a run and its neighbors, rare characters, or signs of a word.
fn is_odd_as(charset: Charset, bytes: &[u8], run: &Range<usize>) -> bool {
    let own = &bytes[run.clone()];
    // `丕賱賯` in GBK for Arabic letters.
    if is_beyond_level1(charset, own) || is_signs_as(charset, own) {
        return true;
    }
    let start = run.start.saturating_sub(CONTEXT);
    let ascii = |part: &[u8]| part.iter().take_while(|byte| byte.is_ascii()).count();
    let before = bytes[start..run.start]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii())
        .count();
    let end = bytes.len().min(run.end + CONTEXT);
    let after = ascii(&bytes[run.end..end]);
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(&bytes[run.start - before..run.end + after], &mut log);
    log.losses() > 0 || mojibake_score(&text) > 0 || mixes_scripts(&text)
}

/// Returns true if an ASCII letter stands beside a letter or sign that is not Latin: `J眉rgen`.
fn mixes_scripts(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|c| {
        let is_other = |c: char| !c.is_ascii() && Script::of(c) != Some(Script::Latin);
        let touches = before.is_ascii_alphabetic() && is_other(c)
            || is_other(before) && c.is_ascii_alphabetic();
        before = c;
        touches
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::{Evidence, choose};
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::View;

    fn is_certain_in(text: &[u8]) -> bool {
        sequences(text).any(|run| is_certain(text, &run))
    }

    #[test]
    fn letters_in_words_signs_and_words_are_certain() {
        for text in [
            "J\u{fc}rgen",
            "\u{e9}t\u{e9}",
            "caf\u{e9} ",
            "It\u{2019}s",
            "1 \u{2013} 2",
            "5 \u{20ac}",
            "Привет",
            "АвтоВАЗ",
            "ФриБСД",
            "日本",
            "안녕",
            "、日本。",
            "（はい）",
        ] {
            assert!(is_certain_in(text.as_bytes()), "{text}");
        }
        // `\u{e9}` alone may be two letters of another charset, and so may few letters of an alphabet.
        for text in ["\u{e9} ", "2\u{b0} C", "для", "日 ", "。（日"] {
            assert!(!is_certain_in(text.as_bytes()), "{text}");
        }
    }

    /// Text of other charsets has sequences of UTF-8, but none in such places.
    #[test]
    fn text_of_other_charsets_has_nothing_certain() {
        for (charset, text) in [
            ("ISO-8859-2", "PÓŁKA I PÓŁ, wódka; ŻÓŁĆ, ĆŁ"),
            ("windows-1251", "ЦІЛІ та інші її слова, Гё, Её, Дё"),
            ("KOI8-R", "её моё твоё всё ещё объём приём"),
            ("windows-1252", "NESCAFÉ® GOLD, café; QUALITÉ\u{a0}: BON"),
            ("GBK", "这个邮件列表的说明，请看网页。T恤 A股 K歌 e时代"),
            ("Big5", "請看網頁上的說明，謝謝。e時代"),
            ("EUC-KR", "안녕하세요 감사합니다 K리그"),
            ("Shift_JIS", "このメールは自動で送られました。Tシャツ"),
            ("EUC-JP", "このメールは自動で送られました。Tシャツ"),
        ] {
            let bytes = encoded(charset, text);
            assert!(!is_certain_in(&bytes), "{text}");
        }
    }

    /// Reads a text under a label of UTF-8 or none, with its charset.
    fn read(label: Option<&str>, bytes: &[u8]) -> (String, &'static str) {
        let label = label.map(str::as_bytes);
        let evidence = Evidence {
            label,
            resolved: label.map(|label| Charset::for_label(label, View::Mail)),
            ..Evidence::default()
        };
        let choice = choose(bytes, &evidence);
        (choice.text.into_owned(), choice.used.name())
    }

    #[test]
    fn lines_of_utf8_stay_beside_other_lines() {
        const GBK: &str = "元信息文件中未指定提供的二进制文件，且未通过“--exec”指定执行命令。\n";
        const CROATIAN: &str = "Čestitke\nuspješna\nprihvaća\nĐurić\nzaključati\n";
        for (own, charset, other) in [
            (CROATIAN, "TIS-620", "ชื่อโฮสต์ยังไม่จบ\nสชาย\n"),
            ("Šibenik,\n\n", "TIS-620", "ชื่อโฮสต์ยังไม่จบ\nสมชาย\n"),
            ("15 минут\n-- \n", "windows-1255", "שלך\nמאז…\nכל ערוצים\n"),
            (
                "Configuração\n-- \n",
                "windows-1251",
                "секретен\nЗасега връзки с парола не може\nна\n",
            ),
            ("القادم\n", "GBK", GBK),
        ] {
            let bytes = [own.as_bytes(), &encoded(charset, other)].concat();
            let text = format!("{own}{other}");
            assert_eq!(read(Some("utf-8"), &bytes), (text, "UTF-8"), "{charset}");
        }
        // The charset of the last line is not known.
        for label in [None, Some("utf-8")] {
            let bytes = ["installés\n\n".as_bytes(), b"\xE3\xA8\xB4\xD5\n"].concat();
            let (text, charset) = read(label, &bytes);
            assert!(text.starts_with("installés\n"), "{text}");
            assert_eq!(charset, "UTF-8");
        }
    }

    #[test]
    fn words_with_inner_capitals_stay_beside_latin_lines() {
        for (own, other) in [
            ("ФриБСД\n", "Päivittäinen\n"),
            (
                "Указ МВФ, КОИ8 и УказательДанных\nСовещание\n",
                "Grüße aus Köln\n",
            ),
            ("Сотрудники НИИ и ВУЗов приглашаются\n-- \n", "José\n"),
        ] {
            let bytes = [own.as_bytes(), &encoded("windows-1252", other)].concat();
            assert_eq!(read(None, &bytes).0, format!("{own}{other}"));
        }
        // Damaged UTF-8 without a label stays UTF-8.
        for damaged in [
            &b"W\xC3\xA4hlen Sie\nEinrichtung der \xED\xBD\xC3\xBAbersicht\n"[..],
            b"Hudebn\xC3\xAD p\xC3\x99eh\xC5r\xC3\xA1v\xC3\xA1\xC4\n",
        ] {
            let (text, charset) = read(None, damaged);
            let want = String::from_utf8_lossy(damaged);
            assert_eq!((text.as_str(), charset), (&*want, "UTF-8"));
        }
    }

    /// windows-1255 makes only signs of the bytes of `Їжак`: `׀‡׀¶׀°׀÷`.
    #[test]
    fn words_are_no_signs_of_another_charset() {
        for (own, charset, other) in [
            ("Їжак\n\n", "windows-1255", "מצורף\n"),
            (
                "עצירת\nתוך לוח\n\n",
                "windows-1254",
                "Sözdizimlerini Yazdır\n",
            ),
            ("ב־\"שמור\nה_קישור\n\n", "windows-1252", "niñas\n"),
        ] {
            let bytes = [own.as_bytes(), &encoded(charset, other)].concat();
            assert_eq!(read(None, &bytes).0, format!("{own}{other}"));
        }
        assert!(is_signs_as(
            charset_named("windows-1252"),
            "עצירת".as_bytes()
        ));
        // Boxes and signs in a row are too short, or have letters.
        for (charset, text) in [
            ("IBM437", "╨░╨░"),
            ("windows-1252", "«×»"),
            ("windows-1252", "Ã©tÃ©"),
        ] {
            assert!(
                !is_signs_as(charset_named(charset), &encoded(charset, text)),
                "{text}"
            );
        }
    }

    /// Text in one charset has words that are UTF-8 by chance: `จาก` in Thai.
    #[test]
    fn chance_words_keep_text_in_one_charset() {
        for lines in [
            "บันทึกสิ่งที่จะทำที่เสร็จสมบูรณ์แล้วไว้ในรายการบันทึกประจำวัน\nผู้ใช้\nลบโฟลเดอร์\nจาก 18\nประเภท:\n",
            "เข้าร่วมในโดเมนไม่สำเร็จ\nรายการเมนู\nแกน\nการรายงานปัญหาโดยอัตโนมัติ\n",
            "ความเร็วเมาส์\n\" ขาด\nสหรัฐอาหรับอิมิเรตส์\nกลับไปใช้ข้อมูลที่บันทึกไว้\n",
        ] {
            let (text, charset) = read(Some("utf-8"), &encoded("windows-874", lines));
            assert_eq!((text.as_str(), charset), (lines, "windows-874"));
        }
    }

    #[test]
    fn text_in_another_charset_disproves_the_label() {
        for (charset, text) in [
            (
                "GBK",
                "元信息文件中未指定提供的二进制文件，且未通过指定执行命令。\n谢谢谢谢\n",
            ),
            ("GBK", "谢谢谢谢\n谢谢谢谢\n谢谢，我们明天下午三点开会。\n"),
            ("EUC-KR", "내일 오후 세 시에 만나요. 감사합니다.\nK리그\n"),
            (
                "KOI8-R",
                "её моё твоё всё ещё объём приём\nЗавтра встречаемся в три часа.\n",
            ),
            ("windows-1251", "ЦІЛІ та інші її слова, цілі її цілі.\n"),
            (
                "windows-1250",
                "PÓŁKA I PÓŁ, wódka; żółć, zażółć gęślą jaźń\n",
            ),
            ("windows-874", "ชื่อโฮสต์ยังไม่จบ\nสวัสดีครับ พรุ่งนี้ประชุม\n"),
            (
                "macintosh",
                "L’été dernier, nous étions à côté de la forêt.\n«\u{A0}Ça va\u{A0}?\u{A0}»\n",
            ),
        ] {
            let (read, _) = read(Some("utf-8"), &encoded(charset, text));
            assert_eq!(read, text, "{charset}");
        }
    }
}
