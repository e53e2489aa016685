//! Decodes text whose sections have different charsets: footers of mail services, messages of a digest, forwarded messages.
//!
//! ```text
//! Content-Type: text/plain; charset=windows-1251
//!
//! \xCF\xF0\xE8\xE2\xE5\xF2                     Привет in windows-1251
//! ---
//! \xF0\xCF\xDE\xD4\xC1 \xD2\xD5                  Почта ру in KOI8-R
//! ```
//!
//! # Rules
//! A line that begins with three hyphens, underscores or equals signs begins a section, and so does the line before a signature (`-- `).
//! Sections are judged one by one, as quotations are. A separator of many letters beyond ASCII is judged alone.
//!
//! # Limits
//! Text without a label has two charsets at most. Documents such as HTML have no sections. Of many sections and separators under a label, the first 32 and
//! the last show whether any is odd. Labels without a language of their own, such as ISO-8859-16, have no other sections.

use super::block_charsets::{
    BEGINNING, are_apart, begins_oddly, guess, has_various_letters, is_odd_block,
    may_have_other_charset, odd_blocks, proven_by_block, read_each_odd_block, read_odd_blocks,
};
use super::mixed_lines::decode_lines;
use super::mixed_text::{MixedText, join};
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::text_tests::line_kinds::separators;
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;
use std::ops::Range;

/// Number of sections whose beginnings show whether any section is odd.
const FIRST_SECTIONS: usize = 32;
/// Number of bytes above 7F in a separator that show whether it is odd.
const LETTERS_OF_SEPARATOR: usize = 8;
/// Minimum number of different bytes above 7F that prove the charset of a section: it may be a list of letters.
const MIN_DIFFERENT: usize = 10;

/// Returns true if the beginning of a section is odd under the label. Fast.
pub(crate) fn has_odd_section(bytes: &[u8], label: Charset, evidence: &Evidence<'_>) -> bool {
    if !may_have_other_charset(label, evidence) || !has_language(label) {
        return false;
    }
    let blocks = sections(bytes);
    let last = blocks.iter().skip(FIRST_SECTIONS).next_back();
    blocks.len() > 1
        && blocks.iter().take(FIRST_SECTIONS).chain(last).any(|block| {
            let start = &bytes[block.start..block.end.min(block.start + BEGINNING)];
            // A character may be cut at the end.
            let line_end = memchr::memrchr(b'\n', start);
            let beginning = line_end.map_or(start, |at| &start[..at]);
            begins_oddly(beginning, label)
        })
}

/// Returns false for Latin charsets that no language has as its usual one: any text seems odd under them.
fn has_language(label: Charset) -> bool {
    !matches!(
        label,
        Charset::ISO_8859_3 | Charset::ISO_8859_10 | Charset::ISO_8859_14 | Charset::ISO_8859_16
    )
}

/// Finds sections that disprove the label while it suits all others.
pub(crate) fn sections_by_label(
    bytes: &[u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if !may_have_other_charset(label, evidence) {
        return None;
    }
    let blocks = sections(bytes);
    match odd_blocks(bytes, &blocks, label) {
        Some(odd) if has_various_letters(&join(bytes, &odd), MIN_DIFFERENT) => {
            // What each section proves alone outweighs what all prove together.
            read_each_odd_block(bytes, &blocks, &odd, label, evidence)
                .or_else(|| read_odd_blocks(bytes, &blocks, &odd, |_| true, label, evidence))
        }
        Some(_) => None,
        // The label suits no section.
        None if is_odd_block(&bytes[blocks.first()?.clone()], label) => {
            sections_without_label(bytes, evidence)
        }
        None => None,
    }
}

/// Returns the charset that a section proves, in text whose sections [`sections_by_label`] does not read.
pub(crate) fn proven_by_section(
    bytes: &[u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<Charset> {
    let odd = odd_blocks(bytes, &sections(bytes), label)?;
    let is_text = has_various_letters(&join(bytes, &odd), MIN_DIFFERENT);
    is_text
        .then(|| proven_by_block(bytes, &odd, label, evidence))
        .flatten()
}

/// Finds sections that are sure to have different charsets, in text without a label.
pub(crate) fn sections_without_label(bytes: &[u8], evidence: &Evidence<'_>) -> Option<MixedText> {
    if evidence.document.is_some() {
        return None;
    }
    let blocks = sections(bytes);
    let longest = blocks
        .iter()
        .max_by_key(|block| high_bytes(&bytes[(*block).clone()]).count())?;
    let sure =
        |text: &[u8]| guess(text, evidence).filter(|_| has_various_letters(text, MIN_DIFFERENT));
    let own = sure(&bytes[longest.clone()])?;
    let (others, same): (Vec<_>, Vec<_>) = blocks
        .iter()
        .cloned()
        .partition(|block| is_odd_block(&bytes[block.clone()], own.charset));
    let [other_bytes, own_bytes] = [&others, &same].map(|blocks| join(bytes, blocks));
    let other = sure(&other_bytes)?;
    let suits_all = blocks
        .iter()
        .all(|block| !is_odd_block(&bytes[block.clone()], other.charset));
    let charsets = [other.charset, own.charset];
    let is_apart = !suits_all && are_apart([&other_bytes, &own_bytes], charsets, evidence);
    is_apart
        .then(|| decode_lines(bytes, &others, other.charset, own))
        .filter(|mixed| mixed.log.losses() == 0)
}

/// Returns for each section the range from its first to its last line with bytes above 7F, in order.
fn sections(bytes: &[u8]) -> Vec<Range<usize>> {
    let starts = section_starts(bytes);
    if starts.is_empty() {
        return Vec::new();
    }
    let froms = std::iter::once(0).chain(starts.iter().copied());
    let ends = starts.iter().copied().chain([bytes.len()]);
    let lines = |(from, end): (usize, usize)| {
        let section = &bytes[from..end];
        let first = high_bytes(section).next()?;
        let last = section.iter().rposition(|byte| !byte.is_ascii())?;
        let start = memchr::memrchr(b'\n', &section[..first]).map_or(0, |at| at + 1);
        let line_end = memchr::memchr(b'\n', &section[last..]);
        Some(from + start..from + line_end.map_or(section.len(), |at| last + at + 1))
    };
    froms.zip(ends).filter_map(lines).collect()
}

/// Returns the offsets at which sections begin, in order. A separator of many letters beyond ASCII is a section of its own, since the program of
/// the answer wrote it: `-----Исходное сообщение-----`.
fn section_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    for start in separators(bytes) {
        starts.push(start);
        let line_end = memchr::memchr(b'\n', &bytes[start..]).map(|at| start + at + 1);
        let is_judged_alone = |end: &usize| {
            let letters = high_bytes(&bytes[start..*end]);
            letters.take(LETTERS_OF_SEPARATOR).count() == LETTERS_OF_SEPARATOR
        };
        starts.extend(line_end.filter(is_judged_alone));
    }
    starts.dedup();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset_choice::choose;
    use crate::event::EventKind;
    use crate::test_charsets::{charset_named, encoded};
    use mailglot_codec::View;

    const SECTIONS: &[[(&str, &str); 2]] = &[
        [
            ("windows-1251", "Привет, Наталья, как дела?\n"),
            (
                "KOI8-R",
                "---\nПочта Рамблера: быстро и удобно, всегда рядом\n",
            ),
        ],
        [
            (
                "ISO-8859-1",
                "La réunion est reportée à demain, à bientôt, Hélène\n",
            ),
            (
                "KOI8-R",
                "____________\nСпасибо, Алексей, будем ждать завтра\n",
            ),
        ],
        [
            (
                "KOI8-R",
                "Привет, Наталья! Завтра приеду домой, жди меня.\n",
            ),
            (
                "windows-1251",
                "------------------\nСпасибо, Алексей, будем ждать тебя.\n",
            ),
        ],
        [
            (
                "Shift_JIS",
                "お世話になっております。見積書をお送りします。\n",
            ),
            (
                "EUC-JP",
                "====\nありがとうございます。明日までに返事をします。\n",
            ),
        ],
    ];

    #[test]
    fn sections_in_another_charset_are_read() {
        for [(label, one), (charset, other)] in SECTIONS {
            let bytes = [encoded(label, one), encoded(charset, other)].concat();
            let text = format!("{one}{other}");
            let label = charset_named(label);
            let evidence = Evidence::default();
            assert!(has_odd_section(&bytes, label, &evidence), "{text}");
            let mixed = sections_by_label(&bytes, label, &evidence);
            assert_eq!(mixed.map(|mixed| mixed.text).as_ref(), Some(&text));
            let mixed = sections_without_label(&bytes, &evidence);
            assert_eq!(mixed.map(|mixed| mixed.text), Some(text));
        }
    }

    /// Outlook writes the separator in the charset of the answer.
    #[test]
    fn separators_of_letters_belong_to_the_answer() {
        for separator in [
            "-----Исходное сообщение-----\n",
            "-------- Пересылаемое сообщение --------\n",
        ] {
            for (label, charset) in [
                ("KOI8-R", "windows-1251"),
                ("windows-1251", "KOI8-R"),
                ("IBM866", "windows-1251"),
            ] {
                let answer = "Здравствуйте, коллеги! Всё работает.\n";
                let question = "Добрый день! Как поживаете?\n";
                let own = format!("{answer}\n{separator}From: Ivan\n\n");
                let text = format!("{own}{question}");
                let bytes = [encoded(label, &own), encoded(charset, question)].concat();
                let evidence = Evidence::default();
                let label = charset_named(label);
                assert!(has_odd_section(&bytes, label, &evidence), "{text}");
                let mixed = sections_by_label(&bytes, label, &evidence).map(|mixed| mixed.text);
                assert_eq!(mixed.as_ref(), Some(&text), "{label:?}");
                // The separator is in the charset of the question.
                let other = format!("{separator}From: Ivan\n\n{question}");
                let bytes = [encoded(label.name(), answer), encoded(charset, &other)].concat();
                let mixed = sections_by_label(&bytes, label, &evidence).map(|mixed| mixed.text);
                assert_eq!(mixed, Some(format!("{answer}{other}")), "{label:?}");
            }
        }
    }

    /// Each section proves its charset alone. One event names each charset.
    #[test]
    fn sections_may_have_a_charset_each() {
        let western = "Kaffe och smörgås serveras från klockan ett.\n";
        let separator = "------------------------------\n\n";
        for others in [
            [
                (
                    "KOI8-R",
                    "Направляем вам счёт за март, просим его оплатить.\n",
                ),
                ("windows-874", "ขอแจ้งให้ทราบว่าการประชุมเลื่อนไปวันศุกร์\n"),
            ],
            [
                (
                    "windows-1251",
                    "Вашата поръчка е приета и ще бъде изпратена утре.\n",
                ),
                (
                    "windows-949",
                    "다음 주 회의 일정이 변경되어 안내드립니다.\n",
                ),
            ],
            [
                (
                    "windows-1254",
                    "Sayın müşterimiz, siparişiniz kargoya verilmiştir. Teslimat üç iş günü içinde gerçekleşecektir. Sorularınız için bizi arayabilirsiniz.\n",
                ),
                ("GBK", "下周会议时间有变，请大家注意查看通知。\n"),
            ],
        ] {
            let mut bytes = encoded("windows-1252", western);
            let mut text = western.to_owned();
            for (charset, section) in others {
                let section = format!("{separator}{section}");
                bytes.extend(encoded(charset, &section));
                text.push_str(&section);
            }
            let label = Charset::WINDOWS_1252;
            let evidence = Evidence::default();
            assert!(has_odd_section(&bytes, label, &evidence), "{text}");
            let mixed = sections_by_label(&bytes, label, &evidence).expect("mixed");
            assert_eq!(mixed.text, text);
            let choice = mixed.choice_of_rest(Vec::new());
            assert_eq!(choice.events.len(), 2, "{:?}", choice.events);
        }
    }

    /// Too many sections to judge each alone keep the label, and one of them proves that it is wrong.
    #[test]
    fn sections_that_are_not_read_are_reported() {
        let russian = "---\nНаправляем вам счёт за март, просим его оплатить.\n";
        let korean = "---\n다음 주 회의 일정이 변경되어 안내드립니다.\n";
        let western = "Kaffe och smörgås serveras från klockan ett.\n";
        let pair = [encoded("KOI8-R", russian), encoded("windows-949", korean)].concat();
        let bytes = [encoded("windows-1252", western), pair.repeat(40)].concat();
        let (label, evidence) = (Charset::WINDOWS_1252, Evidence::default());
        assert!(sections_by_label(&bytes, label, &evidence).is_none());
        let proven = proven_by_section(&bytes, label, &evidence);
        assert_eq!(proven, Some(Charset::KOI8_R));
        let evidence = Evidence {
            label: Some(b"windows-1252"),
            resolved: Some(Charset::for_label(b"windows-1252", View::Mail)),
            ..Evidence::default()
        };
        let choice = choose(&bytes, &evidence);
        let kinds: Vec<_> = choice.events.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(
            (choice.used, kinds),
            (label, vec![EventKind::CharsetSuspected])
        );
    }

    /// The label makes Latin letters ideographs within the words of the footer.
    #[test]
    fn latin_sections_are_read_under_east_asian_labels() {
        for (label, text) in [
            ("Big5", "謝謝您，我已經收到了。\n"),
            ("GBK", "您好，请查收附件中的资料。\n"),
        ] {
            for (charset, footer) in [
                (
                    "windows-1252",
                    "-- \nBitte lächeln! Für alle, die schöne Grüße verschicken möchten.\n",
                ),
                ("windows-1252", "-- \nJürgen Schäfer, Straße 5, Köln\n"),
                (
                    "windows-1252",
                    "---\nPour vous désabonner, écrivez à la liste générale\n",
                ),
            ] {
                let bytes = [encoded(label, text), encoded(charset, footer)].concat();
                let label = charset_named(label);
                let evidence = Evidence::default();
                assert!(has_odd_section(&bytes, label, &evidence), "{text}{footer}");
                let mixed = sections_by_label(&bytes, label, &evidence).map(|mixed| mixed.text);
                assert_eq!(mixed, Some(format!("{text}{footer}")));
            }
        }
    }

    #[test]
    fn text_in_one_charset_has_no_other_sections() {
        for (label, text) in [
            (
                "windows-1251",
                "Привет, Наталья, как дела?\n---\nПочта Рамблера: быстро, всегда рядом\n",
            ),
            (
                "KOI8-R",
                "Привет, Наталья! Завтра приеду.\n====\nСпасибо, Алексей, будем ждать тебя.\n",
            ),
            (
                "Shift_JIS",
                "お世話になっております。\n___\nありがとうございます。明日までに返事をします。\n",
            ),
            (
                "ISO-8859-1",
                "Kære alle, vi ses på mandag. Venlig hilsen Søren\n---\næøåæøåæøåæøåæøåæøå\n",
            ),
            (
                "ISO-8859-1",
                "Test på dansk\n---\næøå æøå æøå æøå æøå æøå\n",
            ),
            (
                "EUC-KR",
                "안녕하세요. 변수는 다음과 같습니다.\n---\nα β γ δ ε λ μ π\n",
            ),
            (
                "EUC-KR",
                "오늘은 한글 모음을 배웁니다.\n---\nㅏ ㅑ ㅓ ㅕ ㅗ ㅛ ㅜ ㅠ ㅡ ㅣ\n",
            ),
            ("GBK", "您好，请查收附件中的资料。\n---\nα β γ δ ε λ μ π\n"),
        ] {
            let charset = charset_named(label);
            let bytes = encoded(label, text);
            let evidence = Evidence::default();
            assert!(
                sections_by_label(&bytes, charset, &evidence).is_none(),
                "{text}"
            );
            assert!(
                sections_by_label(&bytes, Charset::KOI8_U, &evidence).is_none(),
                "{text}"
            );
            assert!(
                sections_without_label(&bytes, &evidence).is_none(),
                "{text}"
            );
        }
    }

    /// Legacy bytes in a section of UTF-8 are damage.
    #[test]
    fn damaged_utf8_is_no_other_section() {
        let text = b"Gr\xC3\xBC\xC3\x9Fe aus K\xC3\xB6ln\n-- \nAusf\xBChrung\nUng\xC3\xBCltiges f\xBCr alle\n";
        assert!(sections_by_label(text, Charset::UTF_8, &Evidence::default()).is_none());
        let text = b"miesi\xC4\x85c\n---\nmiesi\x85c\n";
        assert!(sections_by_label(text, Charset::UTF_8, &Evidence::default()).is_none());
    }

    #[test]
    fn lines_of_signs_begin_sections() {
        let text = b"a\n--\nb\n-- \nc\n---\nd\n--- Original ---\ne\n___\n==x\n====\n";
        let starts = separators(text);
        let lines: Vec<_> = starts
            .iter()
            .map(|at| {
                text[*at..]
                    .split(|b| *b == b'\n')
                    .next()
                    .unwrap_or_default()
            })
            .map(String::from_utf8_lossy)
            .collect();
        assert_eq!(lines, ["-- ", "---", "--- Original ---", "___", "===="]);
        assert_eq!(
            sections(b"\xE9\n---\na\n\xE9b\nc\n\xE9\nd\n---\n"),
            [0..2, 8..15]
        );
    }

    #[test]
    fn long_text_takes_linear_time() {
        for unit in ["Привет\n---\n", "---\n", "---\nи"] {
            let unit = encoded("windows-1251", unit);
            crate::linear::assert_linear(&"sections", 20_000, |n| {
                let bytes = [
                    unit.repeat(n),
                    b"\n---\n\xF0\xD2\xC9\xD7\xC5\xD4 \xD7\xD3\xC5\xCD\n".repeat(n),
                ]
                .concat();
                let _ = sections_by_label(&bytes, Charset::WINDOWS_1251, &Evidence::default());
                let _ = sections_without_label(&bytes, &Evidence::default());
            });
        }
    }
}
