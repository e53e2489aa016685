//! Decodes text with whole lines of UTF-8 between lines of another charset.
//!
//! ```text
//! no label       "\xA7\x41\xA6\x6E...\n郵件列表退訂請寫信\n"     the first line is Big5
//! label euc-kr   "\xBF\xC0\xB4\xC3\n메일링 리스트 탈퇴 안내\n"    the second line is UTF-8
//! ```
//!
//! # Limits
//! A line that mixes both encodings belongs to the other charset. Text whose other lines are mostly UTF-8 is damaged, not mixed.

use super::mixed_text::{MixedText, RestCharset, decode_runs, foreign_lines, join};
use crate::charset_choice::labels::certain_utf8::is_signs_as;
use crate::charset_choice::labels::utf8_vs_label::utf8_outweighs_lines;
use crate::charset_choice::text_tests::cjk_level1::is_level1;
use crate::charset_choice::text_tests::line_kinds::stand_together;
use crate::charset_choice::text_tests::mojibake_score::{
    mojibake_score, mojibake_score_in_any_case,
};
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::utf8_sequences::{
    SequenceCount, has_byte_order_mark, has_isolated_sequence, sequences,
};
use mailglot_codec::{Charset, detect, is_alphabetic};
use std::ops::Range;

/// In text of a single-byte charset at most one non-ASCII character in this many is implausible.
const MAX_FAULTS_SHARE: usize = 16;

/// Number of lines that one line of UTF-8 may prove in its paragraph.
const MOST_FOLLOWING: usize = 2;

/// Decodes text whose non-ASCII lines are UTF-8 or in another charset. `find` names the charset of the lines that are not UTF-8.
pub(crate) fn with_utf8_lines(
    bytes: &[u8],
    find: impl FnOnce(&[u8]) -> Option<RestCharset>,
) -> Option<MixedText> {
    if !has_isolated_sequence(bytes) {
        return None;
    }
    let is_utf8 = |line: &[u8]| std::str::from_utf8(line).is_ok();
    let mut lines = foreign_lines(bytes, is_utf8);
    if lines.is_empty() {
        return None;
    }
    let rest = join(bytes, &foreign_lines(bytes, |line| !is_utf8(line)));
    if rest.is_empty() || is_rather_damaged_utf8(&rest) {
        return None;
    }
    let other = find(&rest)?;
    let reading = other.charset.decode_exact(&rest)?;
    let is_plausible = if other.charset.is_single_byte() {
        let letters = reading.chars().filter(|c| !c.is_ascii()).count();
        mojibake_score(&reading) * MAX_FAULTS_SHARE <= letters
    } else {
        // The models rate short names such as `佐藤一郎` as implausible. Everyday characters keep the label.
        is_level1(other.charset, &rest) || !detect::is_odd(&rest, other.charset)
    };
    if !is_plausible {
        return None;
    }
    retain_utf8(bytes, &mut lines, other.charset);
    (!lines.is_empty()).then(|| decode_lines(bytes, &lines, Charset::UTF_8, other))
}

/// Returns true if UTF-8 sequences outweigh the other bytes by two to one. In double-byte text they never do.
fn is_rather_damaged_utf8(rest: &[u8]) -> bool {
    let count = SequenceCount::of(rest);
    count.within >= 2 * count.malformed
}

/// Retains the lines that are rather UTF-8 than in the charset of the other lines, and words that stand in a paragraph with such lines.
fn retain_utf8(bytes: &[u8], lines: &mut Vec<Range<usize>>, charset: Charset) {
    let stands_with_next =
        |line: &Range<usize>, next: &Range<usize>| stand_together(bytes, line, next);
    let mut kept = Vec::new();
    for paragraph in lines.chunk_by(stands_with_next) {
        let is_utf8 = |line: &Range<usize>| is_rather_utf8(&bytes[line.clone()], charset);
        let are_utf8: Vec<bool> = paragraph.iter().map(is_utf8).collect();
        let count = are_utf8.iter().filter(|is| **is).count();
        let may_follow = count * MOST_FOLLOWING >= paragraph.len() - count;
        for (line, is_utf8) in paragraph.iter().zip(are_utf8) {
            if is_utf8 || count > 0 && may_follow && has_word_ends(&bytes[line.clone()]) {
                kept.push(line.clone());
            }
        }
    }
    *lines = kept;
}

/// Returns true if each non-ASCII character is a Latin letter or apostrophe in a word of several ASCII letters: `Cordialità`.
///
/// In double-byte charsets it may be a character behind a word, as in `Tom没`. Beside lines of UTF-8 it hardly is.
fn has_word_ends(line: &[u8]) -> bool {
    let is_letter = |b: &&u8| b.is_ascii_alphabetic();
    let touches_letters = |run: &Range<usize>| {
        let before = line[..run.start].iter().rev().take(2).take_while(is_letter);
        let after = line[run.end..].iter().take(2).take_while(is_letter);
        before.count() + after.count() > 1
    };
    let is_latin = |run: &Range<usize>| {
        let text = std::str::from_utf8(&line[run.clone()]).unwrap_or_default();
        let is_latin = |c: char| c == '’' || is_alphabetic(c) && c <= '\u{24F}';
        text.chars().all(is_latin)
    };
    sequences(line).all(|run| touches_letters(&run) && is_latin(&run))
}

/// Returns true if the line is more plausible as UTF-8 than in the charset of the other lines.
fn is_rather_utf8(line: &[u8], charset: Charset) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    mojibake_score_in_any_case(text) == 0
        && (!charset.is_single_byte() && (has_latin_words(line) || has_byte_order_mark(line))
            || sequences(line).any(|run| is_signs_as(charset, &line[run]))
            || utf8_outweighs_lines(Some(charset), line, text))
}

/// Returns true if lowercase ASCII letters touch each run of high bytes, and two runs are different or one touches a single letter:
/// `für alle Mädchen`, `für`.
///
/// One run within longer words proves nothing: people write a Chinese or Korean character between words, as in `so忙now`.
fn has_latin_words(line: &[u8]) -> bool {
    let is_lowercase = |at: Option<usize>| byte_or_blank(line, at).is_ascii_lowercase();
    let is_within_word =
        |run: &Range<usize>| is_lowercase(run.start.checked_sub(1)) && is_lowercase(Some(run.end));
    let is_letter = |b: &&u8| b.is_ascii_alphabetic();
    let touches_one_letter = |run: Range<usize>| {
        let before = line[..run.start].iter().rev().take_while(is_letter).count();
        before == 1 || line[run.end..].iter().take_while(is_letter).count() == 1
    };
    let runs = || sequences(line);
    let first = runs().next();
    let is_other = |run: Range<usize>| first.clone().is_some_and(|first| line[run] != line[first]);
    let is_enough = || runs().any(is_other) || runs().any(touches_one_letter);
    runs().all(|run| is_within_word(&run)) && is_enough()
}

/// Decodes lines in one charset, and everything else in another one.
pub(crate) fn decode_lines(
    bytes: &[u8],
    lines: &[Range<usize>],
    charset: Charset,
    other: RestCharset,
) -> MixedText {
    let runs: Vec<_> = lines.iter().map(|line| (line.clone(), charset)).collect();
    let mixed = decode_runs(bytes, &runs, other);
    MixedText {
        run_charset: (charset != Charset::UTF_8).then_some(charset),
        ..mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    fn read(charset: &str, body: &str, footer: &str) -> Option<String> {
        let charset = charset_named(charset);
        let body = charset
            .encode_exact(body)
            .expect("the charset has every character");
        let bytes = [&body, footer.as_bytes()].concat();
        let other = RestCharset::named(charset);
        with_utf8_lines(&bytes, |_| Some(other)).map(|mixed| mixed.text)
    }

    #[test]
    fn footers_in_utf8_are_read_beside_every_charset() {
        for (charset, body, footer) in [
            (
                "EUC-KR",
                "오늘 저녁에 뭐 해?\n",
                "메일링 리스트 탈퇴 안내\n",
            ),
            ("Big5", "你今天會來上課嗎？\n", "郵件列表退訂請寫信\n"),
            (
                "GBK",
                "请查收附件\nplain\n",
                "Größe und Länge, für alle Mädchen\n",
            ),
            ("Shift_JIS", "会議のお知らせ\n", "メーリングリスト\n"),
            ("ISO-8859-5", "Привет всем, пишите\n", "Список рассылки\n"),
            (
                "KOI8-R",
                "Привет всем, пишите\n",
                "Mailingliste für Nutzer\n",
            ),
            ("EUC-JP", "会議のお知らせ\n", "Mailingliste für Nutzer\n"),
            // Names of files in form NFD.
            (
                "EUC-KR",
                "오늘 저녁에 뭐 해?\n",
                "\u{1112}\u{116C}\u{110B}\u{1174}.doc\n",
            ),
            ("GBK", "请查收附件\n", "Андреи\u{306}.txt\n"),
            // Byte order marks in lines of ASCII.
            ("GBK", "请查收附件\n", "\u{FEFF}Hello\n"),
            ("Big5", "你今天會來上課嗎？\n", "<div>\u{FEFF}<p>\n"),
        ] {
            let want = format!("{body}{footer}");
            assert_eq!(read(charset, body, footer), Some(want), "{charset}");
        }
    }

    /// `Clientèle` is `Client猫le` in GBK, as a character may stand between words. Lines beside it show that it is UTF-8.
    #[test]
    fn words_follow_the_lines_beside_them() {
        let body = "尊敬的客户，感谢您的订购。\n\n";
        let quotation = "> Größe und Länge\n> Service Clientèle\n> Cordialità\n";
        let want = format!("{body}{quotation}");
        assert_eq!(read("GBK", body, quotation), Some(want));
        // None of these is in the paragraph of the quotation.
        for other in ["Tom没\n", "\n> so忙now\n", "-- \n> so忙now\n"] {
            let charset = Charset::GBK;
            let other_bytes = charset.encode_exact(other).expect("Chinese");
            let body_bytes = charset.encode_exact(body).expect("Chinese");
            let utf8 = "> Größe und Länge\n";
            let bytes = [&body_bytes[..], utf8.as_bytes(), &other_bytes].concat();
            let find = |_: &[u8]| Some(RestCharset::named(charset));
            let text = with_utf8_lines(&bytes, find).map(|mixed| mixed.text);
            assert_eq!(text, Some(format!("{body}{utf8}{other}")), "{other}");
        }
    }

    /// Lines that are UTF-8 by chance stay, and damaged UTF-8 is not in two charsets.
    #[test]
    fn text_in_one_charset_stays() {
        for (charset, body) in [
            ("GBK", "目录\n请查收附件\n"),
            ("EUC-KR", "천체\n오늘 저녁\n"),
            ("GBK", "请查收附件\nso忙now\n再见\n"),
            ("GBK", "你好,项目文件已经上传\nsvn没update\n谢谢\n"),
            ("EUC-KR", "오늘 저녁\npopup창close\n"),
            ("Big5", "你今天會來上課嗎？\njust聽music\n再見\n"),
        ] {
            assert_eq!(read(charset, body, ""), None, "{charset}");
        }
        let damaged = ["日本語のテキスト\n日本".as_bytes(), b"\xE8\xAA\n"].concat();
        let any = |_: &[u8]| Some(RestCharset::named(Charset::GBK));
        assert!(with_utf8_lines(&damaged, any).is_none());
    }
}
