//! Chooses the two charsets of text that mixes UTF-8 with another encoding.

use super::foreign_words::words_in_utf8;
use super::mixed_lines::with_utf8_lines;
use super::mixed_text::{MixedText, RestCharset};
use super::mixed_utf8;
use super::mixed_utf8::is_single_byte_ascii;
use super::utf8_runs::Runs;
use crate::charset_choice::choice::Choice;
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::labels::label_plausibility;
use crate::charset_choice::labels::label_scope::LabelScope;
use crate::charset_choice::labels::superset::better_by_bytes;
use crate::charset_choice::labels::utf8_vs_label::utf8_outweighs_label;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::utf8_sequences::has_isolated_sequence;
use crate::charset_choice::thresholds::{
    FALLBACK_CONFIDENCE, LIKELY_BESIDE_UTF8, LIKELY_CONFIDENCE,
};
use crate::event::{Detail, EventKind};
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, detect};
use std::borrow::Cow;

/// Finds text in two encodings under a label of one of them. Runs of UTF-8 contradict a label that decodes all bytes.
pub(crate) fn mixed_by_label(
    bytes: &[u8],
    charset: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if evidence.mapped || !evidence.may_find_mixed() {
        return None;
    }
    if charset == Charset::UTF_8 {
        let find = |rest: &[u8]| {
            rest_charset(
                rest,
                evidence,
                &evidence.hints(bytes),
                Charset::may_stand_beside_ascii,
            )
        };
        return mixed_utf8::in_utf8(bytes, find).or_else(|| words_in_utf8(bytes, find));
    }
    let is_off = LabelScope::of(evidence.detection()) == LabelScope::None;
    // Runs within lines, and lines, have one.
    if is_off || !has_isolated_sequence(bytes) {
        return None;
    }
    let rival = better_by_bytes(charset, bytes).unwrap_or(charset.superset());
    let in_words =
        mixed_utf8::in_rest_charset(bytes, rival, |runs| by_rest(bytes, charset, runs, evidence));
    in_words.or_else(|| in_lines_by_label(bytes, charset, evidence))
}

/// Finds lines of another charset in text that is certainly UTF-8 otherwise, if detection finds one that makes text of them.
pub(crate) fn lines_beside_utf8(bytes: &[u8], evidence: &Evidence<'_>) -> Option<MixedText> {
    if evidence.mapped || !evidence.may_find_mixed() {
        return None;
    }
    mixed_utf8::in_certain_utf8(bytes, |rest| {
        let hints = evidence.hints(rest);
        let named = rest_charset(rest, evidence, &hints, Charset::may_stand_beside_ascii);
        if named.confidence.is_none() {
            return Some(named);
        }
        let guess = detect::detect(rest, &hints);
        let is_usable =
            guess.confidence >= LIKELY_BESIDE_UTF8 && guess.charset.may_stand_beside_ascii();
        is_usable.then_some(RestCharset {
            charset: guess.charset,
            confidence: Some(guess.confidence),
        })
    })
}

/// Finds whole lines of UTF-8 beside other lines. The other lines are in the charset of the label, or in a charset that is so much likelier
/// that it replaces the label.
fn in_lines_by_label(bytes: &[u8], label: Charset, evidence: &Evidence<'_>) -> Option<MixedText> {
    if !label.may_stand_beside_ascii() {
        return None;
    }
    with_utf8_lines(bytes, |rest| {
        Some(label_or_likelier(
            rest,
            label_or_wider(label, rest),
            evidence,
        ))
    })
}

/// Returns the charset of a label, or a likelier one that replaces it.
fn label_or_likelier(rest: &[u8], charset: Charset, evidence: &Evidence<'_>) -> RestCharset {
    let scope = LabelScope::of(evidence.detection());
    let hints = || evidence.hints(rest);
    let likelier = label_plausibility::find_likelier(charset, rest, scope, hints)
        .filter(|likelier| likelier.decides)
        .map(|likelier| likelier.guess)
        .filter(|guess| guess.charset.may_stand_beside_ascii());
    RestCharset {
        charset: likelier.as_ref().map_or(charset, |guess| guess.charset),
        confidence: likelier.map(|guess| guess.confidence),
    }
}

/// Returns the label, or a wider charset if bytes need it. Single-byte labels mean the code page of Windows.
pub(crate) fn label_or_wider(label: Charset, rest: &[u8]) -> Charset {
    let is_whole = !label.is_single_byte() && decodes_without_loss(label, rest);
    let wider = if is_whole { label } else { label.superset() };
    better_by_bytes(label, rest).unwrap_or(wider)
}

/// Chooses the charset of the bytes outside the runs: the label, or a likelier charset if the label makes no text of them. Returns
/// None if the runs are probably chance in text under a wrong label.
fn by_rest(
    bytes: &[u8],
    label: Charset,
    runs: &Runs,
    evidence: &Evidence<'_>,
) -> Option<RestCharset> {
    // Continuation bytes of UTF-8 are no evidence for a code page with letters in their place.
    let better = runs.rest(bytes).find_map(|gap| better_by_bytes(label, gap));
    let charset = better.unwrap_or(label.superset());
    let by_label = RestCharset::named(charset);
    let rest = mixed_utf8::without_sequences(bytes);
    let scope = LabelScope::of(evidence.detection());
    let hints = || evidence.hints(&rest);
    let Some(likelier) = label_plausibility::find_likelier(charset, &rest, scope, hints) else {
        return Some(by_label);
    };
    let guess = likelier.guess;
    if likelier.decides {
        let is_beside_runs =
            is_single_byte_ascii(guess.charset) && Runs::find(bytes, guess.charset).is_some();
        return is_beside_runs.then_some(RestCharset {
            charset: guess.charset,
            confidence: Some(guess.confidence),
        });
    }
    let faults = mojibake_score(&decode_unlogged(charset, &rest));
    (faults <= runs.gain).then_some(by_label)
}

/// Returns the charset of the bytes outside escape sequences. It is a legacy label that decodes them to plausible text, else UTF-8 if they are
/// valid, else a guess.
pub(crate) fn rest_of_label(
    rest: &[u8],
    label: Option<Charset>,
    evidence: &Evidence<'_>,
) -> RestCharset {
    let guess = || {
        rest_charset(
            rest,
            evidence,
            &evidence.hints(rest),
            Charset::may_stand_beside_ascii,
        )
    };
    let is_usable = |label: &Charset| {
        label.may_stand_beside_ascii() && ![Charset::US_ASCII, Charset::UTF_8].contains(label)
    };
    let Some(label) = label.filter(is_usable) else {
        return guess();
    };
    if std::str::from_utf8(rest).is_ok_and(|text| utf8_outweighs_label(Some(label), rest, text)) {
        return RestCharset::named(Charset::UTF_8);
    }
    let charset = label_or_wider(label, rest);
    // Single-byte charsets decode most bytes.
    if !charset.is_single_byte() && !decodes_without_loss(charset, rest) {
        return guess();
    }
    label_or_likelier(rest, charset, evidence)
}

/// Finds text without a label that mixes UTF-8 with another charset.
pub(crate) fn mixed_without_label(
    bytes: &[u8],
    evidence: &Evidence<'_>,
    hints: &detect::Hints<'_>,
) -> Option<MixedText> {
    let in_words = || {
        mixed_utf8::in_unlabelled_text(bytes, |rest| {
            rest_charset(rest, evidence, hints, is_single_byte_ascii)
        })
    };
    let in_lines = || {
        with_utf8_lines(bytes, |rest| {
            let other = rest_charset(rest, evidence, hints, Charset::may_stand_beside_ascii);
            let is_likely = |confidence| confidence >= LIKELY_CONFIDENCE;
            other.confidence.is_none_or(is_likely).then_some(other)
        })
    };
    // Whole lines prove more than words.
    in_lines().or_else(in_words)
}

/// Returns the charset of the bytes that are not UTF-8 in text that mixes both.
///
/// Prefers the charset of the message or the caller if it makes plausible text, then a guess, then windows-1252. `may_be` selects
/// the candidates.
pub(crate) fn rest_charset(
    rest: &[u8],
    evidence: &Evidence<'_>,
    hints: &detect::Hints<'_>,
    may_be: impl Fn(Charset) -> bool,
) -> RestCharset {
    let is_other = |charset: &Charset| *charset != Charset::UTF_8 && may_be(*charset);
    let named = evidence
        .mail
        .into_iter()
        .flat_map(|mail| mail.named_charsets())
        .filter(is_other);
    let mut named = named
        .filter(|charset| decodes_without_loss(*charset, rest) && !detect::is_odd(rest, *charset));
    if let Some(charset) = named.next().or(evidence.fallback().filter(is_other)) {
        return RestCharset::named(charset);
    }
    let guess = detect::detect(rest, hints);
    let is_found = guess.confidence >= LIKELY_CONFIDENCE && is_other(&guess.charset);
    let (charset, confidence) = if is_found {
        (guess.charset, guess.confidence)
    } else {
        (Charset::WINDOWS_1252, FALLBACK_CONFIDENCE)
    };
    RestCharset {
        charset,
        confidence: Some(confidence),
    }
}

impl MixedText {
    /// Turns the text into a [`Choice`] with the charset of the text around the runs or lines.
    pub(crate) fn choice_of_rest<'a>(self, events: Vec<(EventKind, Detail)>) -> Choice<'a> {
        let used = self.other.charset;
        self.choice(used, events)
    }

    /// Turns the text into a [`Choice`] with charset `used`.
    pub(crate) fn choice<'a>(
        self,
        used: Charset,
        mut events: Vec<(EventKind, Detail)>,
    ) -> Choice<'a> {
        let Self {
            text,
            log,
            runs,
            first,
            other,
            run_charset,
            further,
        } = self;
        let (charset, within) = match run_charset {
            Some(run_charset) => (run_charset, other.charset),
            None if used == Charset::UTF_8 => (other.charset, used),
            None => (Charset::UTF_8, other.charset),
        };
        let detail = Detail::Mixed {
            pieces: runs as u64,
            charset,
            within,
            first,
        };
        events.push((EventKind::CharsetMixed, detail));
        for kind in further {
            let detail = Detail::Mixed {
                pieces: kind.count as u64,
                charset: kind.charset,
                within,
                first: kind.first,
            };
            events.push((EventKind::CharsetMixed, detail));
        }
        let choice = Choice::of_text(Cow::Owned(text), log, used, How::Detected, events);
        Choice {
            mixed: Some(other.charset),
            ..choice.with_confidence(other.confidence)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::choose;
    use mailglot_codec::View;

    /// The text under a label, and whether it was read in two charsets.
    fn read(label: &str, bytes: &[u8], mapped: bool) -> (String, bool) {
        let resolved = Charset::for_label(label.as_bytes(), View::Mail);
        let evidence = Evidence {
            label: Some(label.as_bytes()),
            resolved: Some(resolved),
            mapped,
            ..Evidence::default()
        };
        let choice = choose(bytes, &evidence);
        assert_eq!(choice.log.losses(), 0, "{label}");
        (choice.text.into_owned(), choice.mixed.is_some())
    }

    fn encode(label: &str, text: &str) -> Vec<u8> {
        let charset = Charset::for_label(label.as_bytes(), View::Mail).charset();
        let bytes = charset.and_then(|charset| Some(charset.encode_exact(text).ok()?.into_owned()));
        bytes.expect("in the charset")
    }

    const FOOTER: &[u8] = b"-- \n\x1b$B$3$s$K$A$O\x1b(B\n";
    const BODIES: [(&str, &str); 10] = [
        ("shift_jis", "明日の会議は三時からです。\n"),
        ("euc-jp", "明日の会議は三時からです。\n"),
        ("gb2312", "明天下午三点开会。\n"),
        ("big5", "明天下午三點開會。\n"),
        ("euc-kr", "내일 오후 세 시에 만나요.\n"),
        ("koi8-r", "Завтра встречаемся в три часа.\n"),
        ("windows-1251", "ЦІЛІ та її цілі.\n"),
        ("tis-620", "สวัสดีครับ พรุ่งนี้ประชุม\n"),
        ("windows-1256", "نلتقي غداً في الساعة الثالثة.\n"),
        ("iso-8859-2", "Zítra ve tři, PÓŁKA I PÓŁ.\n"),
    ];

    #[test]
    fn footers_in_iso2022jp_stand_below_text_of_the_label() {
        for (label, body) in BODIES {
            let body_bytes = encode(label, body);
            let bytes = [&body_bytes, FOOTER].concat();
            let want = format!("{body}-- \nこんにちは\n");
            assert_eq!(read(label, &bytes, false), (want, true), "{label}");
            // The caller's charset, and escape sequences of terminals.
            assert!(!read(label, &bytes, true).1, "{label}");
            let colors = [&body_bytes, &b"\x1b[31mx\x1b[0m\x1b(B\n"[..]].concat();
            assert!(!read(label, &colors, false).1, "{label}");
            let cut = [&body_bytes, &b"\x1b$B$3$s$\x1b(B\n"[..]].concat();
            assert!(!read(label, &cut, false).1, "{label}");
        }
    }

    #[test]
    fn utf8_stands_beside_text_of_the_label() {
        for (label, own, other) in [
            ("tis-620", "> สวัสดีครับ\n", "ที่อยู่ใหม่ของผมคือกรุงเทพฯ\n"),
            ("tis-620", "> ได้รับแล้ว\n", "ขอบคุณมากค่ะ\n"),
            (
                "windows-1251",
                "> Ві цілі\n",
                "Привет, как дела? Всё ли в порядке?\n",
            ),
            ("windows-1258", "> toi là\n", "Chúc anh chị mạnh khỏe.\n"),
            (
                "shift_jis",
                "> 佐藤一郎\n",
                "会議のお知らせをお送りします。\n",
            ),
            ("big5", "> 謝謝\n", "如果沒有問題，我們下星期三再開會。\n"),
        ] {
            let bytes = [encode(label, own), other.as_bytes().to_vec()];
            let want = (format!("{own}{other}"), true);
            assert_eq!(read(label, &bytes.concat(), false), want, "{label}");
            let [first, second] = bytes;
            let want = (format!("{other}{own}"), true);
            assert_eq!(read(label, &[second, first].concat(), false), want);
        }
    }

    /// The text beside the footer replaces the label, as it does alone.
    #[test]
    fn utf8_stands_beside_text_that_replaces_the_label() {
        for (charset, body) in [
            ("windows-1251", "Привет, направляем вам счет.\n"),
            ("koi8-r", "Привет, направляем вам счет за март.\n"),
            ("windows-1253", "Η παραγγελία σας έχει αποσταλεί.\n"),
            ("euc-kr", "다음 주 회의 일정이 변경되어 안내드립니다.\n"),
            ("gbk", "下周会议时间有变，请大家注意查看通知。\n"),
        ] {
            let body_bytes = encode(charset, body);
            // In double-byte charsets one character between ASCII letters may be a word: `짤 2020`.
            let is_wide = matches!(charset, "euc-kr" | "gbk");
            let footers = [
                "Grüße – für alle\n",
                "😀 OK\n",
                "-- \nJürgen\n",
                "© 2020 Example\n",
            ];
            for footer in &footers[..if is_wide { 2 } else { 4 }] {
                for label in ["iso-8859-1", "windows-1252"] {
                    let bytes = [&body_bytes[..], footer.as_bytes()].concat();
                    let want = (format!("{body}{footer}"), true);
                    assert_eq!(read(label, &bytes, false), want, "{charset} {label}");
                }
            }
        }
        let western = "Voilà la réunion de l’été, à bientôt.\n";
        for footer in ["© 2020 Example\n", "-- \nJürgen\n", "😀 OK\n"] {
            let bytes = [&encode("windows-1252", western)[..], footer.as_bytes()].concat();
            let want = (format!("{western}{footer}"), true);
            assert_eq!(read("iso-8859-1", &bytes, false), want);
        }
    }

    #[test]
    fn text_of_the_label_stays() {
        for (label, text) in BODIES {
            for times in 1..4 {
                let text = text.repeat(times);
                let bytes = encode(label, &text);
                assert_eq!(read(label, &bytes, false), (text, false), "{label}");
            }
        }
        let thanks = "谢谢\n".repeat(5);
        let bytes = encode("gb2312", &thanks);
        assert_eq!(read("gb2312", &bytes, false), (thanks, false));
    }
}
