//! Finds the runs of UTF-8 in text of a single-byte charset.
//!
//! ```text
//! windows-1252   "caf\xC3\xA9 na\xEFve"              the run C3 A9 is é
//! windows-1251   "\xCF\xF0\xE8\nи он\n"              the second line is UTF-8, `и` too
//! ```
//!
//! A run counts as UTF-8 if the single-byte reading has a higher [`mojibake_score`]. Runs without evidence of their own follow the rest of their
//! line or paragraph. If nearly all high bytes are UTF-8, such runs follow the rest of the text. If the other high bytes of their line are not
//! UTF-8, they are decoded with these: `สวัสดี` in TIS-620 contains valid UTF-8 by chance.
//!
//! # Limits
//! Does not join the parts of a character that other bytes separate.

use super::mixed_text::{MixedText, RestCharset, decode_into};
use crate::charset_choice::labels::certain_utf8::is_signs_as;
use crate::charset_choice::text_tests::line_kinds::{lines, stand_together};
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::utf8_sequences::{malformed, sequences};
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, LossLog, detect, is_alphabetic};
use std::ops::Range;

/// Minimum number of UTF-8 runs in text of a non-Latin alphabet, if the reading of the runs is no evidence.
const MIN_RUNS: usize = 3;

/// Minimum number of implausible characters that UTF-8 avoids with which fewer than [`MIN_RUNS`] runs are enough.
const PLAIN_GAIN: usize = 5;

/// In text that is nearly all UTF-8, at most one high byte in this many is something else.
const MAX_OTHERS_SHARE: usize = 9;

/// Number of bytes around a run that are examined with it.
const CONTEXT_BYTES: usize = 4;

/// How a UTF-8 sequence is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// As UTF-8, because of its own letters or those of its line or paragraph.
    Utf8,
    /// Like most other sequences of the text.
    FollowsText,
    /// In the other charset: other bytes of its line are not UTF-8.
    Chance,
}

/// The runs of UTF-8 in a text.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The kind of each UTF-8 sequence of the text, in order.
    kinds: Vec<RunKind>,
    /// Sequences that follow the text count as UTF-8.
    is_nearly_utf8: bool,
    /// Number of implausible characters that the single-byte reading of the runs has, and UTF-8 has not.
    pub(crate) gain: usize,
}

/// Numbers of runs.
#[derive(Clone, Copy, Default)]
struct RunCount {
    /// Runs that no other high byte touches.
    isolated: usize,
    has_word: bool,
    /// Runs that are parts of Latin words.
    in_latin_words: usize,
}

impl RunCount {
    /// Counts one isolated run.
    fn of(evidence: RunEvidence) -> Self {
        Self {
            isolated: 1,
            has_word: evidence.letters > 1,
            in_latin_words: usize::from(evidence.is_in_latin_word),
        }
    }

    /// Returns true for several runs, and half of `all` at least.
    fn are_most(self, all: Self) -> bool {
        self.isolated > 1 && self.isolated * 2 >= all.isolated
    }

    fn add(&mut self, other: Self) {
        self.isolated += other.isolated;
        self.has_word |= other.has_word;
        self.in_latin_words += other.in_latin_words;
    }
}

/// Lines of one paragraph or quotation whose bytes above 7F are all UTF-8 sequences, or one other line. ASCII lines may stand between.
struct Paragraph {
    /// True if all bytes above 7F are UTF-8 sequences.
    is_utf8: bool,
    /// The range of their runs in [`Runs::kinds`].
    kinds: Range<usize>,
    all: RunCount,
    /// Runs with evidence of their own.
    proven: RunCount,
    /// Runs that count as UTF-8.
    counted: RunCount,
    /// The last line.
    last: Range<usize>,
}

impl Paragraph {
    fn extend(&mut self, next: Self) {
        self.kinds.end = next.kinds.end;
        self.all.add(next.all);
        self.proven.add(next.proven);
        self.counted.add(next.counted);
        self.last = next.last;
    }

    /// Returns the runs that count as UTF-8. Most runs prove the others: `¿` in `Atención: ¿tiene alguna pregunta?`.
    fn close(self, kinds: &mut [RunKind]) -> RunCount {
        if !self.is_utf8 || !self.proven.are_most(self.all) {
            return self.counted;
        }
        kinds[self.kinds].fill(RunKind::Utf8);
        self.all
    }
}

impl RunKind {
    fn without_evidence(may_follow: bool) -> Self {
        if may_follow {
            Self::FollowsText
        } else {
            Self::Chance
        }
    }
}

/// Counts the bytes of a line that are not UTF-8: `\xE0` in `Réunion \xE0 9 h`.
struct OtherBytes {
    are_none: bool,
    /// True if the line has at most as many other bytes as UTF-8 sequences. No-break spaces (A0) do not count.
    are_few: bool,
    /// True if nearly all bytes above 7F belong to UTF-8 sequences, so that the others are damage.
    are_damage: bool,
}

impl OtherBytes {
    fn of(line: &[u8]) -> Self {
        let are_none = detect::is_utf8(line);
        let count = || malformed(line).filter(|at| line[at.clone()] != [0xA0]);
        Self {
            are_none,
            are_few: are_none || count().count() <= sequences(line).count(),
            are_damage: are_none || is_nearly_utf8(line),
        }
    }
}

/// What shows that an isolated run is UTF-8.
#[derive(Clone, Copy, Default)]
struct RunEvidence {
    /// Number of implausible characters that UTF-8 avoids.
    gain: usize,
    /// Number of letters in UTF-8.
    letters: usize,
    /// True for Latin letters beside an ASCII letter, and for an apostrophe or dash there, which another alphabet makes of them:
    /// `cafГ©` for `café`, `DonвЂ™t` for `Don’t`.
    is_in_latin_word: bool,
}

impl Runs {
    /// Finds the runs that are more plausible as UTF-8 than in `charset`. Returns None without enough evidence.
    pub(crate) fn find(bytes: &[u8], charset: Charset) -> Option<Self> {
        let mut found = Self::default();
        let is_latin = is_mostly_latin(charset);
        let (mut all, mut utf8, mut following) = <(RunCount, RunCount, RunCount)>::default();
        let mut better = 0;
        let mut paragraphs: Vec<Paragraph> = Vec::new();
        for range in lines(bytes) {
            let (at, line) = (range.start, &bytes[range.clone()]);
            if line.is_ascii() {
                continue;
            }
            let first = found.kinds.len();
            let others = OtherBytes::of(line);
            let (mut of_line, mut proven) = (RunCount::default(), RunCount::default());
            for run in sequences(line) {
                let run = at + run.start..at + run.end;
                if !is_isolated(bytes, &run) {
                    let may_follow = is_latin || others.are_damage;
                    found.kinds.push(RunKind::without_evidence(may_follow));
                    continue;
                }
                let evidence = evidence(bytes, &run, charset);
                let count = RunCount::of(evidence);
                found.gain += evidence.gain;
                of_line.add(count);
                if evidence.gain > 0 {
                    better += 1;
                    proven.add(count);
                    found.kinds.push(RunKind::Utf8);
                } else {
                    found.kinds.push(RunKind::without_evidence(others.are_few));
                }
                if found.kinds.last() != Some(&RunKind::Chance) {
                    following.add(count);
                }
            }
            all.add(of_line);
            let mut counted = proven;
            if (proven.has_word || proven.are_most(of_line)) && others.are_none {
                // A word, or most letters, prove the rest of a line in UTF-8.
                found.kinds[first..].fill(RunKind::Utf8);
                counted = of_line;
            }
            let line = Paragraph {
                is_utf8: others.are_none,
                kinds: first..found.kinds.len(),
                all: of_line,
                proven,
                counted,
                last: range,
            };
            match paragraphs.last_mut() {
                Some(before)
                    if before.is_utf8
                        && line.is_utf8
                        && stand_together(bytes, &before.last, &line.last) =>
                {
                    before.extend(line);
                }
                _ => paragraphs.push(line),
            }
        }
        for paragraph in paragraphs {
            utf8.add(paragraph.close(&mut found.kinds));
        }
        found.is_nearly_utf8 = better * 2 >= following.isolated && is_nearly_utf8(bytes);
        if found.is_nearly_utf8 {
            utf8 = following;
        }
        // In double-byte text most UTF-8 sequences stand between other high bytes.
        let is_apart = found.is_nearly_utf8 || found.kinds.len() < 2 * all.isolated;
        let is_counted = utf8.isolated >= MIN_RUNS && utf8.isolated == all.isolated;
        let is_enough = is_latin
            || utf8.in_latin_words > 0
            || utf8.has_word && (is_counted || found.gain >= PLAIN_GAIN);
        let is_most = utf8.isolated * 3 >= all.isolated * 2;
        (utf8.isolated > 0 && is_apart && is_enough && is_most).then_some(found)
    }

    /// Returns the ranges of the runs, in order. `bytes` is the text in which they were found.
    fn ranges<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = Range<usize>> + use<'_, 'b> {
        let is_utf8 = |(_, kind): &(Range<usize>, &RunKind)| match kind {
            RunKind::Utf8 => true,
            RunKind::FollowsText => self.is_nearly_utf8,
            RunKind::Chance => false,
        };
        let all = sequences(bytes).zip(&self.kinds);
        all.filter(is_utf8).map(|(run, _)| run)
    }

    /// Returns the bytes outside the runs.
    pub(crate) fn rest<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> + use<'_, 'b> {
        let end = bytes.len()..bytes.len();
        self.ranges(bytes).chain([end]).scan(0, |from, run| {
            let gap = &bytes[*from..run.start];
            *from = run.end;
            Some(gap)
        })
    }

    /// Decodes the runs as UTF-8 and the rest in the other charset.
    pub(crate) fn decode(&self, bytes: &[u8], other: RestCharset) -> MixedText {
        let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
        let (mut log, mut from, mut runs) = (LossLog::new(), 0, 0);
        for run in self.ranges(bytes) {
            decode_into(&mut text, &mut log, other.charset, bytes, from..run.start);
            text.push_str(&String::from_utf8_lossy(&bytes[run.clone()]));
            from = run.end;
            runs += 1;
        }
        decode_into(&mut text, &mut log, other.charset, bytes, from..bytes.len());
        MixedText {
            text,
            log,
            runs,
            first: self.ranges(bytes).next().map_or(0, |run| run.start),
            other,
            further: Vec::new(),
            run_charset: None,
        }
    }
}

/// Returns true if no other high byte touches the run, except no-break spaces.
pub(crate) fn is_isolated(bytes: &[u8], run: &Range<usize>) -> bool {
    let is_apart = |b: Option<&u8>| b.is_none_or(|b| b.is_ascii() || *b == 0xA0);
    is_apart(run.start.checked_sub(1).and_then(|at| bytes.get(at))) && is_apart(bytes.get(run.end))
}

/// Returns what shows that an isolated run is UTF-8.
fn evidence(bytes: &[u8], run: &Range<usize>, charset: Charset) -> RunEvidence {
    let before = bytes[..run.start]
        .iter()
        .rev()
        .take(CONTEXT_BYTES)
        .take_while(|b| b.is_ascii())
        .count();
    let after = bytes[run.end..]
        .iter()
        .take(CONTEXT_BYTES)
        .take_while(|b| b.is_ascii())
        .count();
    let window = &bytes[run.start - before..run.end + after];
    let Ok(text) = std::str::from_utf8(window) else {
        return RunEvidence::default();
    };
    let own = || text.chars().filter(|c| !c.is_ascii());
    let letters = own().filter(|c| is_alphabetic(*c)).count();
    let none = RunEvidence {
        letters,
        ..RunEvidence::default()
    };
    // A single letter of another alphabet is implausible.
    let is_other = |c: char| is_alphabetic(c) && c > '\u{24F}' && !is_latin_letter(c);
    if own().count() == 1 && own().any(is_other) {
        return none;
    }
    if closes_quotation(bytes, run, charset) {
        return none;
    }
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(window, &mut log);
    let faults = mojibake_score(&reading) + log.losses() as usize;
    let gain = faults.saturating_sub(mojibake_score(text));
    let is_in_latin_word = is_in_latin_word(bytes, run, charset);
    let is_word = is_in_latin_word || is_signs_as(charset, &bytes[run.clone()]);
    let gain = if is_word_of_own_alphabet(&bytes[run.clone()], charset) {
        gain.max(PLAIN_GAIN)
    } else {
        gain
    };
    RunEvidence {
        gain: gain.max(usize::from(is_word)),
        is_in_latin_word,
        ..none
    }
}

/// Returns true for the Latin letters of European languages and Vietnamese.
fn is_latin_letter(c: char) -> bool {
    matches!(c, 'À'..='\u{24F}' | '\u{1EA0}'..='\u{1EF9}')
}

/// Returns true for a word of three letters or more that the charset has, too. All letters are of one block of UTF-8, so the charset reads every
/// second character as one of two: `РћР»РµРєСЃС–Р№` is `Олексій` under windows-1251.
fn is_word_of_own_alphabet(run: &[u8], charset: Charset) -> bool {
    const MIN_BYTES: usize = 6;
    let [first, ..] = *run else {
        return false;
    };
    // Two neighboring leads cover an alphabet: D0 and D1, D8 and D9, CE and CF.
    let is_of_block = |pair: &[u8]| pair[0] & !1 == first & !1 && pair.len() == 2;
    run.len() >= MIN_BYTES
        && first >= 0xCE
        && run.chunks(2).all(is_of_block)
        && std::str::from_utf8(run)
            .is_ok_and(|word| word.chars().all(is_alphabetic) && charset.encode_exact(word).is_ok())
}

/// Returns true if the run consists of Latin letters beside an ASCII letter, or of an apostrophe or dash there. The charset must make a
/// letter of another alphabet and something else of it. Between ASCII letters, all of it may be such letters: `JΓΌrgen` for `Jürgen`.
fn is_in_latin_word(bytes: &[u8], run: &Range<usize>, charset: Charset) -> bool {
    let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
    let (before, after) = (
        is_letter(run.start.checked_sub(1)),
        is_letter(Some(run.end)),
    );
    let Ok(text) = std::str::from_utf8(&bytes[run.clone()]) else {
        return false;
    };
    let is_word = text.chars().all(is_latin_letter) && (before || after);
    let is_sign = || matches!(text, "’" | "–" | "—" | "‑") && before && after;
    if !is_word && !is_sign() {
        return false;
    }
    let reading = decode_unlogged(charset, &bytes[run.clone()]);
    let is_other = |c: char| is_alphabetic(c) && c > '\u{24F}';
    let has_sign = || reading.contains(|c: char| !is_alphabetic(c));
    reading.starts_with(is_other) && (before && after || has_sign())
}

/// Returns true if the charset decodes the run as a letter and a closing quotation mark behind an opening one: `„ALEMÃ“`.
fn closes_quotation(bytes: &[u8], run: &Range<usize>, charset: Charset) -> bool {
    /// Number of bytes before the run that are examined.
    const WINDOW: usize = 128;
    let reading = decode_unlogged(charset, &bytes[run.clone()]);
    let mut chars = reading.chars();
    let (letter, mark) = (chars.next(), chars.next());
    let opening = match mark {
        Some('“' | '”') => '„',
        Some('‘' | '’') => '‚',
        _ => return false,
    };
    if !letter.is_some_and(is_alphabetic) || chars.next().is_some() {
        return false;
    }
    let before = &bytes[run.start.saturating_sub(WINDOW)..run.start];
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let line = decode_unlogged(charset, line);
    // The last sign behind a blank or bracket opens the quotation; a mark behind a word would close it.
    let mut reversed = line.chars().rev();
    let sign = reversed.find(|c| !c.is_ascii() && !c.is_alphanumeric());
    let before = reversed.next().unwrap_or(' ');
    sign == Some(opening) && before.is_ascii() && !before.is_ascii_alphanumeric()
}

/// Returns true if nearly all high bytes belong to UTF-8 sequences.
pub(crate) fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let others: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    others * MAX_OTHERS_SHARE <= detect::high_bytes(bytes).count()
}

/// Returns true if most high bytes of a single-byte charset are Latin letters.
pub(crate) fn is_mostly_latin(charset: Charset) -> bool {
    let upper: Vec<u8> = (0xC0..=0xFF).collect();
    let text = decode_unlogged(charset, &upper);
    text.chars()
        .filter(|c| matches!(c, '\u{C0}'..='\u{24F}'))
        .count()
        > upper.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    fn texts(charset: &str, bytes: &[u8]) -> Option<Vec<String>> {
        let runs = Runs::find(bytes, charset_named(charset))?;
        let text = |run: Range<usize>| String::from_utf8_lossy(&bytes[run]).into_owned();
        Some(runs.ranges(bytes).map(text).collect())
    }

    #[test]
    fn short_words_follow_their_line_and_their_text() {
        let line = [&b"\xCF\xF0\xE8\xE2\xE5\xF2\n"[..], "Клуб и я\n".as_bytes()].concat();
        assert_eq!(
            texts("windows-1251", &line),
            Some(["Клуб", "и", "я"].map(str::to_owned).to_vec())
        );
        let text = ["Я\nи\nПривет, как дела?\n".as_bytes(), b"a\x92b\n"].concat();
        for charset in ["windows-1252", "windows-1251", "ISO-8859-2"] {
            assert_eq!(
                texts(charset, &text).map(|runs| runs.len()),
                Some(5),
                "{charset}"
            );
        }
    }

    /// Mail merge programs insert names in UTF-8.
    #[test]
    fn a_word_of_the_same_alphabet_is_found_within_a_line() {
        for (charset, line, name) in [
            ("KOI8-R", "Уважаемый клиент, заказ отправлен. ", "Иван"),
            (
                "windows-1251",
                "Доброго дня! Ваше замовлення прийнято. ",
                "Олексій",
            ),
            (
                "windows-1253",
                "Αγαπητέ πελάτη, η παραγγελία εστάλη. ",
                "Νίκος",
            ),
            ("windows-1255", "לקוח יקר, ההזמנה נשלחה היום. ", "יעקב"),
            (
                "windows-1256",
                "عزيزي العميل، تم إرسال طلبك اليوم. ",
                "فاطمة",
            ),
        ] {
            let legacy = charset_named(charset)
                .encode_exact(line)
                .expect("encodable");
            for end in ["\n", ", 42\n"] {
                let text = [&legacy, name.as_bytes(), end.as_bytes()].concat();
                let found = texts(charset, &text);
                assert_eq!(found, Some(vec![name.to_owned()]), "{charset} {end:?}");
            }
        }
        // Thai has such bytes, but no Cyrillic letters.
        let thai = b"\xA1\xD2\xC3 \xD0\xA1\xD0\xA1\xD0\xA1 \xA1\xD2\xC3\n";
        assert_eq!(texts("TIS-620", thai), None);
    }

    /// `¿` is `Âż` in ISO-8859-2, which may be two letters.
    #[test]
    fn letters_follow_most_others_of_their_paragraph() {
        let body = b"Wi\xB6niewski, dzi\xEAkujemy za z\xB3o\xBFenie\n\n";
        let quotation = "> Estimado señor Muñoz:\n> Atención al cliente: ¿tiene\n";
        let runs = |text: &str| texts("ISO-8859-2", &[&body[..], text.as_bytes()].concat());
        let all = ["ñ", "ñ", "ó", "¿"].map(str::to_owned).to_vec();
        assert_eq!(runs(quotation), Some(all));
        // Another paragraph, the text of the writer, and a signature do not follow.
        for other in ["\n¿tiene\n", "¿tiene\n", "> -- \n\n> ¿tiene\n"] {
            let text = format!("> Estimado señor Muñoz:\n{other}");
            let few = ["ñ", "ñ"].map(str::to_owned).to_vec();
            assert_eq!(runs(&text), Some(few), "{other}");
        }
    }

    /// `à` and a blank are `Ă` and a no-break space in windows-1250.
    #[test]
    fn letters_follow_most_others_of_their_line() {
        let text = [
            &b"\xF8\xEDli\xB9 \x9elu\xBB\n"[..],
            "désabonner, écrivez à la\n".as_bytes(),
        ]
        .concat();
        let runs = ["é", "é", "à"].map(str::to_owned).to_vec();
        assert_eq!(texts("windows-1250", &text), Some(runs));
    }

    #[test]
    fn an_ordinal_in_utf8_stands_beside_latin_1() {
        let text = [
            &b"Direcci\xF3n, tel\xE9fono y poblaci\xF3n:\n"[..],
            "C/ Mayor 3, 1ºA\n".as_bytes(),
        ]
        .concat();
        assert_eq!(texts("windows-1252", &text), Some(vec!["º".to_owned()]));
    }

    #[test]
    fn a_mark_that_closes_a_quotation_is_no_half_of_a_letter() {
        for (text, expected) in [
            ("„ALEMÃ“", None),
            ("A „segurança“ de\n(„COVILHÃ“)", None),
            // Nothing opens a quotation, or something else closes it.
            ("CAMIÃ“ de la França", Some("Ó")),
            ("„segurança“ em CAMIÃ“", Some("Ó")),
            ("„Ação\nCAMIÃ“", Some("Ó")),
            ("„cafÃ© e pão“", Some("é")),
        ] {
            let charset = Charset::WINDOWS_1252;
            let bytes = charset.encode_exact(text).expect("encodable");
            let found = texts("windows-1252", &bytes);
            let expected = expected.map(|run| vec![run.to_owned()]);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn one_latin_word_is_enough_within_another_alphabet() {
        let body = b"\xC7\xE4\xF0\xE0\xE2\xF1\xF2\xE2\xF3\xE9\xF2\xE5 ";
        let beside = |text: &str| [&body[..], text.as_bytes()].concat();
        for (text, expected) in [
            ("Don’t reply", Some(vec!["’"])),
            ("caf\u{E9}", Some(vec!["é"])),
            ("Grüße aus Köln", Some(vec!["üß", "ö"])),
            ("25°C § 5", None),
            ("5 é 3", None),
        ] {
            let found = texts("windows-1251", &beside(text));
            let expected = expected.map(|runs| runs.into_iter().map(str::to_owned).collect());
            assert_eq!(found, expected, "{text}");
        }
        // Words of the label that are UTF-8 by chance: two letters beside an ASCII letter, `Ві` and `цё` alone.
        assert_eq!(texts("windows-874", b"DVD\xC3\xA9 \xC1\xD2"), None);
        assert_eq!(
            texts("windows-1251", b"\xC2\xB3 \xEF\xF0\xE8\xE2\xE5\xF2"),
            None
        );
        assert_eq!(texts("KOI8-R", b"\xC3\xA3 \xF0\xD2\xC9\xD7\xC5\xD4"), None);
    }

    #[test]
    fn two_words_are_enough_if_they_are_plain() {
        let body = b"\xCF\xF0\xE8\xE2\xE5\xF2 \xE2\xF1\xE5\xEC\n";
        let footer = |text: &str| [&body[..], text.as_bytes()].concat();
        assert!(texts("windows-1251", &footer("Список рассылки\n")).is_some());
        assert!(texts("windows-1251", &footer("её\n")).is_none());
    }
}
