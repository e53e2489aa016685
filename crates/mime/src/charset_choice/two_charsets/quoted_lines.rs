//! Decodes text whose quotations are in another charset than the lines of their writer.
//!
//! ```text
//! Content-Type: text/plain; charset=windows-1251
//!
//! > \xF0\xD2\xC9\xD7\xC5\xD4                     > Привет in KOI8-R
//! \xC7\xE4\xF0\xE0\xE2\xF1\xF2\xE2\xF3\xE9       Здравствуй in windows-1251
//! ```
//!
//! Mail programs copied the bytes of a message into the answer, whatever charset the answer had.
//!
//! # Rules
//! The text is divided into blocks: a block ends at a blank line, and where quoted lines begin or end. A block keeps the label if the label
//! makes words of it. If it does not, and if detection is sure of another charset, the block is read in that charset. If the quotations and the
//! other text both disprove the label, each is read in its own charset. Text without a label is read in two charsets if detection is sure of
//! both.
//!
//! # Limits
//! Quoted lines begin with `>`, behind white space or initials. A text has two charsets at most. Documents such as HTML have no quotations.

use super::block_charsets::{
    BEGINNING, are_apart, begins_oddly, guess, is_odd_block, likelier, may_have_other_charset,
    odd_blocks, proven_by_block, read_odd_blocks,
};
use super::mixed_lines::decode_lines;
use super::mixed_text::{MixedText, RestCharset, join};
use crate::charset_choice::evidence::Evidence;
use crate::charset_choice::text_tests::line_kinds::{begins_quotation, has_blank_line, is_quoted};
use mailglot_codec::Charset;
use mailglot_codec::detect::high_bytes;
use std::ops::Range;

/// Number of times that text of ASCII alone between quotations is passed.
const TRIES: usize = 4;

/// Returns true if the first lines of a quotation, or those of the text beside it, are odd under the label. Fast.
pub(crate) fn has_odd_beginning(bytes: &[u8], label: Charset, evidence: &Evidence<'_>) -> bool {
    if !may_have_other_charset(label, evidence) {
        return false;
    }
    let Some(first) = next_line(bytes, 0) else {
        return false;
    };
    let is_quotation = is_quoted(&bytes[first.clone()]);
    let Some(second) = next_of_other_kind(bytes, first.end, is_quotation) else {
        return false;
    };
    begins_oddly(&bytes[beginning(bytes, first, is_quotation)], label)
        || begins_oddly(&bytes[beginning(bytes, second, !is_quotation)], label)
}

/// Returns the next line with bytes above 7F.
fn next_line(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let high = from + high_bytes(&bytes[from..]).next()?;
    let start = memchr::memrchr(b'\n', &bytes[from..high]).map_or(from, |at| from + at + 1);
    Some(start..line_end(bytes, high))
}

/// Returns the offset behind the line end.
fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at + 1)
}

/// Returns the next line with bytes above 7F that is not quoted, behind a quotation, or one that is quoted, behind other text. None if the
/// first of several have no such bytes.
fn next_of_other_kind(bytes: &[u8], from: usize, is_quotation: bool) -> Option<Range<usize>> {
    let mut at = from;
    for _ in 0..TRIES {
        if is_quotation {
            let is_next = |at: &usize| *at < bytes.len() && is_quoted(&bytes[*at..]);
            while is_next(&at) {
                at = line_end(bytes, at);
            }
        } else {
            let mut signs = memchr::memchr_iter(b'>', &bytes[at..]);
            let sign = at + signs.find(|sign| begins_quotation(&bytes[..at + sign]))?;
            at = memchr::memrchr(b'\n', &bytes[at..sign]).map_or(at, |end| at + end + 1);
        }
        let line = next_line(bytes, at)?;
        if is_quoted(&bytes[line.clone()]) != is_quotation {
            return Some(line);
        }
        at = line.end;
    }
    None
}

/// Extends a line by the next ones of its kind, up to a few hundred bytes.
fn beginning(bytes: &[u8], line: Range<usize>, is_quotation: bool) -> Range<usize> {
    let mut end = line.end;
    while end < bytes.len()
        && end - line.start < BEGINNING
        && is_quoted(&bytes[end..]) == is_quotation
    {
        end = line_end(bytes, end);
    }
    line.start..end
}

/// Finds quotations, or text beside them, that disprove the label while it suits all other blocks. If a replacement is given, both may disprove
/// the label.
///
/// `replacement` is the charset that replaces the label for the whole text, if one does. If it suits both, they are not compared.
pub(crate) fn quotations_by_label(
    bytes: &[u8],
    label: Charset,
    replacement: Option<Charset>,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if !may_have_other_charset(label, evidence) {
        return None;
    }
    let blocks = blocks(bytes)?;
    if replacement.is_some_and(|charset| suits_both(charset, &quotations_and_rest(bytes, &blocks)))
    {
        return None;
    }
    let by_label = odd_blocks(bytes, &blocks, label).and_then(|odd| {
        // Mostly the quotations are in another charset than the label's. If they are not, the other lines may be.
        [true, false].into_iter().find_map(|proof| {
            let is_proof = |block: &Range<usize>| is_quoted(&bytes[block.clone()]) == proof;
            read_odd_blocks(bytes, &blocks, &odd, is_proof, label, evidence)
        })
    });
    match replacement {
        Some(_) => by_label.or_else(|| against_label(bytes, &blocks, label, evidence)),
        None => by_label,
    }
}

/// Finds quotations and text beside them that both disprove the label, each by another charset.
pub(crate) fn quotations_against_label(
    bytes: &[u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if !may_have_other_charset(label, evidence) {
        return None;
    }
    against_label(bytes, &blocks(bytes)?, label, evidence)
}

/// Like [`quotations_against_label`], for these blocks.
fn against_label(
    bytes: &[u8],
    blocks: &[Range<usize>],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    let texts = quotations_and_rest(bytes, blocks);
    let by_quotation = likelier(&texts[0], label, evidence)?;
    if suits_both(by_quotation.charset, &texts) {
        return None;
    }
    let by_own = likelier(&texts[1], label, evidence)?;
    in_both(bytes, blocks, &texts, [by_quotation, by_own], evidence)
}

/// Reads quotations in the first charset and the text beside them in the second, if each suits only its own text.
fn in_both(
    bytes: &[u8],
    blocks: &[Range<usize>],
    [quoted_bytes, own_bytes]: &[Vec<u8>; 2],
    [by_quotation, by_own]: [RestCharset; 2],
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    let is_apart = are_apart(
        [quoted_bytes, own_bytes],
        [by_quotation.charset, by_own.charset],
        evidence,
    );
    is_apart.then(|| {
        let is_quoted = |block: &&Range<usize>| is_quoted(&bytes[(*block).clone()]);
        let quoted: Vec<_> = blocks.iter().filter(is_quoted).cloned().collect();
        decode_lines(bytes, &quoted, by_quotation.charset, by_own)
    })
}

/// Returns the charset that a quotation or the text beside it proves, in text that [`quotations_by_label`] does not read.
pub(crate) fn proven_by_quotation(
    bytes: &[u8],
    label: Charset,
    evidence: &Evidence<'_>,
) -> Option<Charset> {
    let odd = odd_blocks(bytes, &blocks(bytes)?, label)?;
    proven_by_block(bytes, &odd, label, evidence)
}

/// Finds quotations and text beside them that are sure to have different charsets, in text without a label.
///
/// `guess_for_all` gives the charset of the whole text. If it suits both, they are not compared.
pub(crate) fn quotations_without_label(
    bytes: &[u8],
    guess_for_all: impl FnOnce() -> Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if evidence.document.is_some() {
        return None;
    }
    let blocks = blocks(bytes)?;
    let texts = quotations_and_rest(bytes, &blocks);
    if suits_both(guess_for_all(), &texts) {
        return None;
    }
    let charsets = [guess(&texts[0], evidence)?, guess(&texts[1], evidence)?];
    in_both(bytes, &blocks, &texts, charsets, evidence)
}

/// Joins the quoted blocks, and all others.
fn quotations_and_rest(bytes: &[u8], blocks: &[Range<usize>]) -> [Vec<u8>; 2] {
    [true, false].map(|proof| {
        let is_kind = |block: &&Range<usize>| is_quoted(&bytes[(*block).clone()]) == proof;
        join(bytes, blocks.iter().filter(is_kind))
    })
}

/// Returns true if the charset makes text of both.
fn suits_both(charset: Charset, texts: &[Vec<u8>; 2]) -> bool {
    texts.iter().all(|text| !is_odd_block(text, charset))
}

/// Returns the blocks with bytes above 7F, in order. None without quoted ones, or without others.
fn blocks(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let (mut was_quoted, mut kinds) = (None, [false; 2]);
    for line in lines_above_7f(bytes) {
        let is_quoted = is_quoted(&bytes[line.clone()]);
        kinds[usize::from(is_quoted)] = true;
        match blocks.last_mut() {
            Some(last)
                if was_quoted == Some(is_quoted)
                    && !has_blank_line(&bytes[last.end..line.start]) =>
            {
                last.end = line.end;
            }
            _ => blocks.push(line),
        }
        was_quoted = Some(is_quoted);
    }
    kinds.iter().all(|has| *has).then_some(blocks)
}

/// Returns the ranges of the lines with bytes above 7F, with their ends, in order.
fn lines_above_7f(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    std::iter::successors(next_line(bytes, 0), |line| next_line(bytes, line.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    /// The lines, each in the charset before it.
    fn bytes(lines: &[(&str, &str)]) -> Vec<u8> {
        let encode = |(charset, line): &(&str, &str)| {
            let charset = charset_named(charset);
            let line = format!("{line}\n");
            let bytes = charset.encode_exact(&line);
            bytes
                .unwrap_or_else(|_| panic!("{line} in {charset:?}"))
                .into_owned()
        };
        lines.iter().flat_map(encode).collect()
    }

    fn text(lines: &[(&str, &str)]) -> String {
        lines.iter().flat_map(|(_, line)| [*line, "\n"]).collect()
    }

    #[test]
    fn long_text_takes_linear_time() {
        for unit in [
            "> Привет\n",
            "Привет\n> и\n",
            ">",
            "a>Привет",
            "\n> Привет\n\nПривет\n",
        ] {
            let unit = Charset::WINDOWS_1251.encode_exact(unit);
            let unit = unit.expect("Cyrillic").into_owned();
            crate::linear::assert_linear(&"quotations", 20_000, |n| {
                let bytes = [
                    unit.repeat(n),
                    b"\n> \xF0\xD2\xC9\xD7\xC5\xD4 \xD7\xD3\xC5\xCD\n".repeat(n),
                ]
                .concat();
                let _ =
                    quotations_by_label(&bytes, Charset::WINDOWS_1251, None, &Evidence::default());
                let _ = quotations_by_label(&bytes, Charset::KOI8_R, None, &Evidence::default());
            });
        }
    }

    const MAILS: &[(&str, &[(&str, &str)])] = &[
        (
            "windows-1251",
            &[
                ("KOI8-R", "> Привет всем, кто будет завтра на встрече?"),
                (
                    "windows-1251",
                    "Здравствуйте, я точно приду, если не заболею.",
                ),
            ],
        ),
        (
            "windows-1251",
            &[
                (
                    "windows-1251",
                    "Здравствуйте, я точно приду, если не заболею.",
                ),
                ("IBM866", "АБ> Привет всем, кто будет завтра на встрече?"),
                (
                    "windows-1251",
                    "Начало в семь часов вечера, вход свободный.",
                ),
            ],
        ),
        (
            "windows-1251",
            &[
                (
                    "windows-1253",
                    "> Καλημέρα σας, η συνάντηση θα γίνει αύριο το πρωί",
                ),
                (
                    "windows-1251",
                    "Здравствуйте, я точно приду, если не заболею.",
                ),
            ],
        ),
        (
            "Shift_JIS",
            &[
                ("EUC-JP", "> お世話になっております。見積書をお送りします。"),
                (
                    "Shift_JIS",
                    "ありがとうございます。明日までに返事をします。",
                ),
            ],
        ),
        (
            "GBK",
            &[
                ("Big5", "> 你今天會來上課嗎？老師說要考試"),
                ("GBK", "我今天不能来上课，请你告诉老师"),
            ],
        ),
    ];

    fn read(lines: &[(&str, &str)], label: &str) -> Option<String> {
        let label = charset_named(label);
        quotations_by_label(&bytes(lines), label, None, &Evidence::default())
            .map(|mixed| mixed.text)
    }

    #[test]
    fn quotations_in_another_charset_are_read_under_the_label() {
        for (label, lines) in MAILS {
            assert_eq!(read(lines, label), Some(text(lines)), "{label}");
        }
    }

    /// Each letter may be one of Latin-1, but the words are of another language.
    #[test]
    fn quotations_in_a_foreign_language_are_read_under_latin_1() {
        let answers = [
            "La réunion est reportée à jeudi. Merci de prévenir les collègues qui n'ont pas accès à leur messagerie.",
            "Vielen Dank für die Grüße, wir hören uns nächste Woche.",
        ];
        for (charset, quotation) in [
            (
                "windows-1257",
                "> primename, kad susirinkimas įvyks kitą trečiadienį mokyklos salėje. Prašome pranešti, ar galėsite dalyvauti.",
            ),
            (
                "windows-1254",
                "> Sayın müşterimiz, siparişiniz kargoya verilmiştir. Teslimat üç iş günü içinde gerçekleşecektir. Sorularınız için bizi arayabilirsiniz.",
            ),
            (
                "ISO-8859-2",
                "> dziękujemy za złożone zamówienie. Przesyłka zostanie wysłana jutro kurierem.",
            ),
            (
                "ISO-8859-2",
                "> obavještavamo vas da još nismo primili uplatu računa iz siječnja.",
            ),
        ] {
            for answer in answers {
                let lines = [("windows-1252", answer), (charset, quotation)];
                for label in ["windows-1252", "ISO-8859-1"] {
                    assert_eq!(read(&lines, label), Some(text(&lines)), "{quotation}");
                }
            }
        }
        for quotation in [
            "> Der Termin wurde auf nächsten Donnerstag verschoben, bitte sagen Sie es den Kollegen.",
            "> Evit adc'hervel ar skridoù e rankit pouezañ war an afell a-zehoù.",
            "> Il consei al à decidût di cambiâ lis regulis de assemblee.",
            "> Rêziman û rêbernameya bikarhêner ji bo bernameyê ne hatine dîtin.",
            "> Fundurinn verður haldinn á fimmtudaginn, látið vinnufélagana vita.",
        ] {
            for answer in answers {
                let lines = [("windows-1252", answer), ("windows-1252", quotation)];
                assert_eq!(read(&lines, "windows-1252"), None, "{quotation}");
            }
        }
    }

    /// A quotation in the charset of the answer stands beside the other one.
    #[test]
    fn quotations_are_judged_one_by_one() {
        let (label, lines) = MAILS[3];
        let more = [lines, &[(label, "> 会議は三時からですか")]].concat();
        assert_eq!(read(&more, label), Some(text(&more)));
    }

    #[test]
    fn quotations_in_another_charset_are_read_without_a_label() {
        for (_, lines) in MAILS {
            let mixed = quotations_without_label(
                &bytes(lines),
                || Charset::WINDOWS_1252,
                &Evidence::default(),
            );
            assert_eq!(mixed.map(|mixed| mixed.text), Some(text(lines)));
        }
    }

    /// Text in one charset stays, also under a wrong label. So do lone signs, and text without a quotation.
    #[test]
    fn text_in_one_charset_has_no_other_quotations() {
        for (label, lines) in MAILS {
            let own = |line: &&(&str, &str)| !line.1.contains('>');
            let (own, line) = *lines.iter().find(own).expect("the answer");
            let quotation = format!("> {line}");
            let same = [(own, line), (own, quotation.as_str())];
            assert_eq!(read(&same, own), None, "{own}");
            let wrong = if *label == "KOI8-R" {
                "windows-1251"
            } else {
                "KOI8-R"
            };
            assert_eq!(read(&same, wrong), None, "{own} under {wrong}");
            let without: Vec<_> = lines
                .iter()
                .map(|(c, line)| (*c, line.trim_start_matches(|c| c != ' ')))
                .collect();
            assert_eq!(read(&without, label), None, "{label}");
        }
        let few = [
            ("KOI8-R", "> Привет всем, кто будет завтра на встрече?"),
            ("windows-1252", "\u{a0}\u{a0}see you"),
        ];
        assert_eq!(read(&few, "ISO-8859-1"), None);
    }
}
