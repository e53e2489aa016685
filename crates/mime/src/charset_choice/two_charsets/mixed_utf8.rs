//! Decodes text in two encodings: runs of UTF-8 in single-byte text, and lines of another charset in UTF-8.
//!
//! ```text
//! label iso-8859-1   "Communiqu\xC3\xA9 \xA0 top"   the run C3 A9 is é, A0 is a no-break space
//! label utf-8        "Grüße\n-- \nJos\xE9\n"         the last line is windows-1252
//! ```
//!
//! Mailing lists append footers in their own encoding, and programs join texts without converting them. [`Runs`] finds the runs of
//! UTF-8. A line under a label of UTF-8 counts as another charset's if it has no UTF-8 sequence, or hardly any beside such lines.
//! Its reading in that charset must score 0.
//!
//! # Limits
//! Finds runs of UTF-8 in single-byte text only. Finds lines in a double-byte charset if they are everyday text and all other lines
//! are UTF-8. In a line with UTF-8 sequences, other bytes are damage unless they belong to words ([`super::foreign_words`]).

use super::mixed_text::{MixedText, RestCharset, decode_into, foreign_lines, gaps, join};
use super::utf8_runs::{Runs, is_isolated, is_nearly_utf8};
use crate::charset_choice::labels::certain_utf8::is_certain;
use crate::charset_choice::text_tests::apostrophes::count_windows_signs;
use crate::charset_choice::text_tests::cjk_level1::{is_level1, is_level1_of_any};
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::truncated_utf8::{CutCharacters, is_truncated_utf8};
use crate::charset_choice::text_tests::utf8_sequences::{
    has_isolated_sequence, malformed, sequences, whole_characters,
};
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, LossLog, detect};
use std::ops::Range;

/// The single-byte charset may fail to decode one high byte in this many.
const MAX_UNREADABLE_SHARE: u64 = 4;

/// Decodes text of a single-byte charset with runs of UTF-8. Returns None without such runs, or if all of it is UTF-8.
pub(crate) fn in_single_byte(bytes: &[u8], other: RestCharset) -> Option<MixedText> {
    in_rest_charset(bytes, other.charset, |_| Some(other))
}

/// Like [`in_single_byte`], for runs that are more plausible as UTF-8 than in `rival`. `choose` names the charset of the rest.
pub(crate) fn in_rest_charset(
    bytes: &[u8],
    rival: Charset,
    choose: impl FnOnce(&Runs) -> Option<RestCharset>,
) -> Option<MixedText> {
    if !may_be_mixed(bytes, rival) {
        return None;
    }
    let runs =
        Runs::find(bytes, rival).filter(|runs| runs.rest(bytes).any(|gap| !gap.is_ascii()))?;
    let other = choose(&runs)?;
    let text = runs.decode(bytes, other);
    // A charset that cannot decode many of the bytes is wrong.
    let is_wrong =
        text.log.losses() * MAX_UNREADABLE_SHARE > detect::high_bytes(bytes).count() as u64;
    (!is_wrong).then_some(text)
}

/// Decodes unlabelled text that mixes UTF-8 with a single-byte charset. `find` detects the charset of the bytes that are not UTF-8.
///
/// Returns None if these bytes make implausible text: then they are damage.
pub(crate) fn in_unlabelled_text(
    bytes: &[u8],
    find: impl FnOnce(&[u8]) -> RestCharset,
) -> Option<MixedText> {
    if !has_isolated_runs(bytes) {
        return None;
    }
    let rest = without_sequences(bytes);
    if rest.is_ascii() {
        return None;
    }
    let other = find(&rest);
    let mixed = in_single_byte(bytes, other)?;
    let reading = decode_unlogged(other.charset, &rest);
    let is_sound = mojibake_score(&reading) == 0 && mojibake_score(&mixed.text) == 0;
    let is_damage = is_nearly_utf8(bytes)
        && (has_cut_character(bytes) || has_only_stray_letters(bytes, other.charset));
    (is_sound && !is_damage).then_some(mixed)
}

/// Returns true if all bytes that are not UTF-8 stand alone, and one is a Latin letter that is hardly a word by itself: `ÿ`, `þ`.
///
/// Apostrophes and hyphens belong to words: `ç'kemi`, `ß-carotene`.
fn has_only_stray_letters(bytes: &[u8], charset: Charset) -> bool {
    const WORDS: &str = "ÀÁÂÅÆÈÉÊÌÍÒÓÔÖØÙÚßàáâåæèéêìíñòóôöøùú×÷";
    let mut has_letter = false;
    for at in malformed(bytes).filter(|at| at.len() == 1) {
        let is_of_word = |b: &u8| b.is_ascii_alphanumeric() || b"'-".contains(b) || *b >= 0x80;
        let is_letter = |b: Option<&u8>| b.is_some_and(is_of_word);
        let before = at.start.checked_sub(1).map(|before| &bytes[before]);
        if is_letter(before) || is_letter(bytes.get(at.end)) {
            return false;
        }
        let text = decode_unlogged(charset, &bytes[at]);
        let is_word = |c: char| !matches!(c, '\u{C0}'..='\u{FF}') || WORDS.contains(c);
        has_letter |= !text.chars().all(is_word);
    }
    has_letter
}

/// Returns true if a character of UTF-8 is cut.
fn has_cut_character(bytes: &[u8]) -> bool {
    let cuts = CutCharacters::new(bytes);
    malformed(bytes).any(|at| cuts.contains(&at))
}

/// Decodes text under a label of UTF-8 with lines in another charset. `find` detects the charset of these lines.
pub(crate) fn in_utf8(bytes: &[u8], find: impl Fn(&[u8]) -> RestCharset) -> Option<MixedText> {
    // Most such text is valid UTF-8. This test is fast.
    if detect::is_utf8(bytes) || !has_utf8_sequence(bytes) || is_truncated_utf8(bytes) {
        return None;
    }
    let single = || {
        let lines = foreign_lines(bytes, has_no_sequence);
        let joined = join(bytes, &lines);
        let other = Some(joined)
            .filter(|joined| !joined.is_empty())
            .map(|joined| find(&joined))
            .filter(|other| is_single_byte_ascii(other.charset))?;
        let is_foreign = |line: &[u8]| has_no_sequence(line) || has_chance_sequences(line);
        let others = foreign_lines(bytes, |line| !is_foreign(line));
        // Chance sequences do not show that anything is UTF-8.
        let has_utf8 = have_fewer_faults_in_utf8(&join(bytes, &others), other.charset);
        has_utf8.then(|| (other, foreign_lines(bytes, is_rather_foreign)))
    };
    let (other, lines) = double_byte_lines(bytes, &find).or_else(single)?;
    read_lines(bytes, other, lines)
}

/// Returns true if the lines have no more faults as UTF-8 than in `charset`: `R\xD3\xAFA` is `RÓŻA` in windows-1250 and `RӯA` in UTF-8.
///
/// Lines that are all damaged must have fewer: `\xC1\xD0\xBC` is `ΑΠΌ` in windows-1253.
fn have_fewer_faults_in_utf8(lines: &[u8], charset: Charset) -> bool {
    let mut log = LossLog::with_limit(0);
    let reading = charset.decode(lines, &mut log);
    let faults = mojibake_score(&reading) + usize::try_from(log.losses()).unwrap_or(usize::MAX);
    let text: String = whole_characters(lines).collect();
    let is_valid = |line: &[u8]| std::str::from_utf8(line).is_ok();
    let least = usize::from(foreign_lines(lines, is_valid).is_empty());
    !lines.is_empty() && faults >= mojibake_score(&text) + least
}

/// Decodes text that is certainly UTF-8 but for some lines. `find` detects their charset.
pub(crate) fn in_certain_utf8(
    bytes: &[u8],
    find: impl Fn(&[u8]) -> Option<RestCharset>,
) -> Option<MixedText> {
    let lines = foreign_lines(bytes, is_rather_foreign);
    let joined = Some(join(bytes, &lines)).filter(|joined| !joined.is_empty())?;
    read_lines(bytes, find(&joined)?, lines)
}

/// Returns true if a line has more malformed sequences than others, or several and as many others, each one character that may be chance.
fn is_rather_foreign(line: &[u8]) -> bool {
    let (faults, whole) = (malformed(line).count(), sequences(line).count());
    let is_chance = || {
        let characters = whole_characters(line).filter(|c| !c.is_ascii());
        characters.count() <= faults && !sequences(line).any(|run| is_certain(line, &run))
    };
    faults > whole || faults > 1 && faults == whole && is_chance()
}

/// Returns the lines in a double-byte charset if they are everyday text and all other lines are UTF-8.
fn double_byte_lines(
    bytes: &[u8],
    find: impl Fn(&[u8]) -> RestCharset,
) -> Option<(RestCharset, Vec<Range<usize>>)> {
    let lines = foreign_lines(bytes, |line| std::str::from_utf8(line).is_err());
    let joined = join(bytes, &lines);
    if joined.is_empty() || !is_level1_of_any(&joined) || !other_lines_are_utf8(bytes, &lines) {
        return None;
    }
    let other = find(&joined);
    (!is_single_byte_ascii(other.charset) && is_level1(other.charset, &joined))
        .then_some((other, lines))
}

/// Returns true for single-byte charsets in which ASCII text is ASCII.
pub(crate) fn is_single_byte_ascii(charset: Charset) -> bool {
    charset.is_single_byte() && charset.keeps_ascii_text()
}

/// Decodes the given lines in another charset and everything else as UTF-8. Returns None if no line makes plausible text.
pub(super) fn read_lines(
    bytes: &[u8],
    other: RestCharset,
    lines: Vec<Range<usize>>,
) -> Option<MixedText> {
    let (mut text, mut log) = (
        String::with_capacity(bytes.len() + bytes.len() / 8),
        LossLog::new(),
    );
    let (mut from, mut foreign) = (0, 0);
    let lines = plausible_lines(bytes, other.charset, lines);
    for line in &lines {
        let between = from..line.range.start;
        decode_into(&mut text, &mut log, Charset::UTF_8, bytes, between);
        text.push_str(&line.text);
        foreign += count_beyond_ascii(&line.text);
        from = line.range.end;
    }
    let first = lines.first()?.range.start;
    decode_into(
        &mut text,
        &mut log,
        Charset::UTF_8,
        bytes,
        from..bytes.len(),
    );
    // Text of another charset has UTF-8 sequences by chance, but fewer than the remaining bytes, which would then be damage.
    let whole = count_beyond_ascii(&text) - foreign;
    (log.losses() <= whole).then_some(MixedText {
        text,
        log,
        runs: lines.len(),
        first,
        other,
        further: Vec::new(),
        run_charset: None,
    })
}

/// A line that another charset makes plausible text of.
struct PlausibleLine {
    range: Range<usize>,
    text: String,
    /// True if all bytes above 7F may be pieces of characters of UTF-8.
    may_be_cut: bool,
    /// Number of bytes above 7F if all are signs of windows-1252 in their places (`It\x92s`), otherwise 0.
    signs: usize,
}

/// Returns the lines that are plausible text in a charset. One that may have the ends of cut characters needs a certain one beside it, or several
/// signs in their places: `It\x92s fine, don\x92t worry`.
fn plausible_lines(bytes: &[u8], charset: Charset, lines: Vec<Range<usize>>) -> Vec<PlausibleLine> {
    let cuts = CutCharacters::new(bytes);
    let plausible = |range: Range<usize>| {
        let line = &bytes[range.clone()];
        let mut lost = LossLog::with_limit(0);
        let text = charset.decode(line, &mut lost).into_owned();
        let is_single_byte = is_single_byte_ascii(charset);
        let has_cuts = is_single_byte && has_only_cut_characters(line, range.start, &cuts);
        let has_cut_end = is_single_byte && ends_in_cut_character(line);
        let is_cut = has_cut_end && ends_in_cut_word(line);
        (lost.losses() == 0 && mojibake_score(&text) == 0 && !is_cut).then_some(PlausibleLine {
            signs: has_cuts
                .then(|| count_windows_signs(line))
                .flatten()
                .unwrap_or(0),
            range,
            text,
            may_be_cut: has_cuts || has_cut_end,
        })
    };
    let mut lines: Vec<_> = lines.into_iter().filter_map(plausible).collect();
    if lines.iter().map(|line| line.signs).sum::<usize>() > 1 {
        for line in &mut lines {
            line.may_be_cut &= line.signs == 0;
        }
    }
    let has_several = lines.iter().filter(|line| !line.may_be_cut).count() > 1;
    for at in 1..lines.len() {
        lines[at].may_be_cut &= !proves_next(bytes, &lines[at - 1], &lines[at], has_several);
    }
    for at in (1..lines.len()).rev() {
        lines[at - 1].may_be_cut &= !proves_next(bytes, &lines[at], &lines[at - 1], has_several);
    }
    lines.retain(|line| !line.may_be_cut);
    lines
}

/// Returns true if a line is certain, and no blank line stands between it and the other one. Several certain lines prove a greeting above
/// them, too.
fn proves_next(
    bytes: &[u8],
    line: &PlausibleLine,
    other: &PlausibleLine,
    has_several: bool,
) -> bool {
    let from = line.range.end.min(other.range.end);
    let between = &bytes[from..line.range.start.max(other.range.start)];
    let mut lines = between.split_inclusive(|byte| *byte == b'\n');
    !line.may_be_cut
        && between.is_ascii()
        && (has_several || !lines.any(|line| line.trim_ascii().is_empty()))
}

/// Counts non-ASCII characters, without U+FFFD.
fn count_beyond_ascii(text: &str) -> u64 {
    text.chars()
        .filter(|c| !c.is_ascii() && *c != char::REPLACEMENT_CHARACTER)
        .count() as u64
}

/// Returns true if single-byte text may contain isolated runs of UTF-8. Fast: most text has none.
pub(crate) fn may_be_mixed(bytes: &[u8], charset: Charset) -> bool {
    is_single_byte_ascii(charset) && has_isolated_runs(bytes)
}

/// Returns true if isolated UTF-8 runs outnumber those between other high bytes. Double-byte text has the latter by chance.
fn has_isolated_runs(bytes: &[u8]) -> bool {
    /// Number of runs between other bytes that decides, unless half as many are isolated.
    const MIN_WITHIN: usize = 16;
    if !has_isolated_sequence(bytes) {
        return false;
    }
    let (mut alone, mut within) = (0, 0);
    for run in sequences(bytes) {
        *(if is_isolated(bytes, &run) {
            &mut alone
        } else {
            &mut within
        }) += 1;
        if within >= MIN_WITHIN && within > 2 * alone {
            return false;
        }
    }
    alone > within
}

/// Returns true if a UTF-8 lead byte stands before a continuation byte.
fn has_utf8_sequence(bytes: &[u8]) -> bool {
    let next = bytes.get(1..).unwrap_or_default();
    let pair = |(first, second): (&u8, &u8)| {
        u8::from(matches!(*first, 0xC2..=0xF4)) & u8::from(second & 0xC0 == 0x80)
    };
    let blocks = bytes.chunks(255).zip(next.chunks(255));
    // Without branches within a block, so that the compiler vectorizes the loop.
    blocks
        .map(|(first, second)| {
            first
                .iter()
                .zip(second)
                .map(pair)
                .fold(0, |found, is| found | is)
        })
        .any(|found| found > 0)
}

/// Returns the words that have bytes outside UTF-8 sequences, without the sequences, joined by line feeds.
pub(crate) fn without_sequences(bytes: &[u8]) -> Vec<u8> {
    let mut rest = Vec::new();
    let mut last = 0;
    for Range { start, end } in malformed(bytes) {
        // Bytes that touch belong to one word.
        if start == last && rest.last() == Some(&b'\n') {
            rest.pop();
        }
        let is_word = |b: &u8| b.is_ascii() && !b.is_ascii_whitespace();
        let before = bytes[..start]
            .iter()
            .rev()
            .take(16)
            .take_while(|b| is_word(b))
            .count();
        let after = bytes[end..]
            .iter()
            .take(16)
            .take_while(|b| is_word(b))
            .count();
        rest.extend_from_slice(&bytes[start - before..end + after]);
        rest.push(b'\n');
        last = end;
    }
    rest
}

/// Returns true if no high byte of a line belongs to a UTF-8 sequence.
pub(super) fn has_no_sequence(line: &[u8]) -> bool {
    line.utf8_chunks().all(|chunk| chunk.valid().is_ascii())
}

/// Returns true if a line has so few UTF-8 sequences that they are chance: `Ві` is one in windows-1251.
fn has_chance_sequences(line: &[u8]) -> bool {
    const OTHERS: usize = 6;
    malformed(line).count() >= OTHERS * sequences(line).count()
}

/// Returns true if all other lines are plausible UTF-8 and have a character of three bytes or more.
///
/// Lines in double-byte charsets contain short UTF-8 sequences by chance.
fn other_lines_are_utf8(bytes: &[u8], lines: &[Range<usize>]) -> bool {
    let mut has_long = false;
    for range in gaps(lines.iter().cloned(), bytes.len()) {
        let Ok(text) = std::str::from_utf8(&bytes[range]) else {
            return false;
        };
        has_long |= text.chars().any(|c| c.len_utf8() > 2);
        if mojibake_score(text) > 0 {
            return false;
        }
    }
    has_long
}

/// Returns true if the only high bytes are a cut UTF-8 sequence at the end of the line.
fn ends_in_cut_character(line: &[u8]) -> bool {
    /// Number of bytes of the longest character without its end.
    const LONGEST: usize = 3;
    let line = line.trim_ascii_end();
    let high = detect::high_bytes(line).count();
    let last = line.iter().rev().take_while(|b| !b.is_ascii()).count();
    let begins = line
        .len()
        .checked_sub(last)
        .and_then(|at| line.get(at))
        .is_some_and(|b| matches!(b, 0xE2 | 0xF0));
    high == last && (1..=LONGEST).contains(&last) && (last > 1 || begins)
}

/// Returns true if an ASCII letter stands before the bytes above 7F at the end of the line: `gro\xC3`.
fn ends_in_cut_word(line: &[u8]) -> bool {
    let mut before = line
        .trim_ascii_end()
        .iter()
        .rev()
        .skip_while(|b| !b.is_ascii());
    before.next().is_some_and(u8::is_ascii_alphabetic)
}

/// Returns true if the bytes above 7F of a line are ends of characters, or the beginning of one letter before other text.
fn has_only_cut_characters(line: &[u8], start: usize, cuts: &CutCharacters<'_>) -> bool {
    let are_ends = detect::high_bytes(line).all(|at| line[at] < 0xC0);
    let is_cut = |at: Range<usize>| cuts.contains_letter(&(start + at.start..start + at.end));
    let mut pieces = malformed(line);
    are_ends
        || has_no_sequence(line) && pieces.next().is_some_and(is_cut) && pieces.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::{charset_named, encoded};

    const WINDOWS: RestCharset = RestCharset::named(Charset::WINDOWS_1252);
    const LATIN: fn(&[u8]) -> RestCharset = |_| WINDOWS;

    #[test]
    fn runs_of_utf8_are_read_in_single_byte_text() {
        let bytes = b"Communiqu\xC3\xA9, \xA0TOP \xC2\xA0 \xC2\xA0 exists \xA0 caf\xE9";
        let mixed = in_single_byte(bytes, WINDOWS).unwrap();
        assert_eq!(
            mixed.text,
            "Communiqué, \u{A0}TOP \u{A0} \u{A0} exists \u{A0} café"
        );
        assert_eq!((mixed.runs, mixed.first, mixed.log.losses()), (3, 9, 0));
    }

    #[test]
    fn single_byte_text_that_is_utf8_by_chance_stays() {
        for (charset, text) in [
            ("windows-1252", "NESCAFÉ® GOLD, café; QUALITÉ\u{a0}: BON"),
            ("windows-1251", "ЦІЛІ та інші її слова"),
            ("ISO-8859-2", "PÓŁKA I PÓŁ, wódka"),
        ] {
            let bytes = encoded(charset, text);
            let other = RestCharset::named(charset_named(charset));
            assert!(in_single_byte(&bytes, other).is_none(), "{text}");
        }
    }

    #[test]
    fn footers_in_another_charset_are_read_under_a_label_of_utf8() {
        let bytes = b"Gr\xC3\xBC\xC3\x9Fe\n-- \nJos\xE9 Garc\xEDa\n";
        let mixed = in_utf8(bytes, LATIN).unwrap();
        assert_eq!(mixed.text, "Grüße\n-- \nJosé García\n");
        assert_eq!((mixed.runs, mixed.first), (1, 12));
        for damaged in [
            &b"Gr\xC3\xBC\xC3\x9Fe\ndie gro\xC3\n"[..],
            b"Gr\xC3\xBC\xC3\x9Fe\ndon\xE2\n",
            b"Gr\xC3\xBC\xC3\x9Fe\n\xE6\x97\n",
            b"Gr\xC3\xBC\xC3\x9Fe caf\xE9",
            b"plain\ncaf\xE9\n",
        ] {
            assert!(
                in_utf8(damaged, LATIN).is_none(),
                "{}",
                damaged.escape_ascii()
            );
        }
    }

    /// The byte of a greeting may be the end of a cut character. Several lines below it show that it is not.
    #[test]
    fn a_greeting_follows_the_lines_below_it() {
        let latin2 = RestCharset::named(Charset::ISO_8859_2);
        let body = "Poštovani,\n\nobavještavamo vas o računu\nza sve uplate iz siječnja\nkoje još nismo primili.\n";
        let footer = "--\nСписок рассылки\n";
        let bytes = Charset::ISO_8859_2.encode_exact(body).expect("in Latin-2");
        let mixed = in_utf8(&[&bytes[..], footer.as_bytes()].concat(), |_| latin2);
        assert_eq!(
            mixed.map(|mixed| mixed.text),
            Some(format!("{body}{footer}"))
        );
        // Beside one such line it may be damage.
        let bytes = b"Po\xB9tovani,\n\nobavje\xB9tavamo \xE8\n--\n\xD0\xA1\xD0\xBF\n";
        let mixed = in_utf8(bytes, |_| latin2).expect("a line of Latin-2");
        assert!(mixed.text.starts_with("Po\u{FFFD}tovani"), "{}", mixed.text);
    }

    /// A line without ASCII is longer than a cut character.
    #[test]
    fn lines_of_thai_stand_beside_utf8() {
        let thai = RestCharset {
            charset: charset_named("windows-874"),
            confidence: Some(1.0),
        };
        let lines = "ชื่อโฮสต์ยังไม่จบ\nสวัสดีครับ\n";
        let body = "Čestitke\nuspješna\nprihvaća\n";
        let bytes = thai.charset.encode_exact(lines).expect("in the charset");
        let bytes = [body.as_bytes(), &bytes].concat();
        let mixed = in_certain_utf8(&bytes, |_| Some(thai)).expect("two charsets");
        assert_eq!(mixed.text, format!("{body}{lines}"));
        for damaged in [
            &b"se\xC3\xB1or\nMa\xE6\x97\n"[..],
            b"se\xC3\xB1or\n\xF0\x9F\x98\n",
        ] {
            let mixed = in_certain_utf8(damaged, |_| Some(WINDOWS));
            assert!(mixed.is_none(), "{}", damaged.escape_ascii());
        }
    }

    /// Signs of windows-1252 in their places are no ends of characters. A lone one may be.
    #[test]
    fn several_signs_in_their_places_are_windows_1252() {
        let body = "Jörg\n\n".as_bytes();
        for (line, want) in [
            (
                &b"It\x92s fine, don\x92t worry.\n"[..],
                Some("It’s fine, don’t worry.\n"),
            ),
            (
                b"It\x92s fine.\n\nI don\x92t.\n",
                Some("It’s fine.\n\nI don’t.\n"),
            ),
            (
                b"Acme \x96 \x93Confidential\x94 \x95 \xA9 2012\n",
                Some("Acme – “Confidential” • © 2012\n"),
            ),
            (b"It\x92s fine.\n", None),
            // The ends of signs and letters in UTF-8: `’`, `“”`, `–`, `Ö`.
            (b"It\x99s fine, don\x99t worry.\n", None),
            (b"\x80\x9CConfidential\x80\x9D\n", None),
            (b"one \x93 two \x93 three\n", None),
            (b"It\x92s for \x96sterreich\n", None),
        ] {
            let bytes = [body, line].concat();
            let text = in_utf8(&bytes, LATIN).map(|mixed| mixed.text);
            let want = want.map(|line| format!("Jörg\n\n{line}"));
            assert_eq!(text, want, "{}", line.escape_ascii());
        }
    }

    /// Lines in capitals have UTF-8 sequences by chance: `RӯA` is `RÓŻA` in windows-1250.
    #[test]
    fn chance_sequences_in_lines_show_no_utf8() {
        let charset = charset_named("windows-1250");
        let find = |_: &[u8]| RestCharset { charset, ..WINDOWS };
        for (text, is_utf8) in [("RÓŻA", false), ("Růža", true)] {
            let own = charset.encode_exact("PIŁKA, NÓG\n").expect("Polish");
            let other = if is_utf8 {
                text.as_bytes().to_vec()
            } else {
                charset.encode_exact(text).expect("Polish").into_owned()
            };
            let bytes = [&own[..], &other, b"\n"].concat();
            let mixed = in_utf8(&bytes, find).map(|mixed| mixed.text);
            let want = is_utf8.then(|| format!("PIŁKA, NÓG\n{text}\n"));
            assert_eq!(mixed, want, "{text}");
        }
    }

    #[test]
    fn lines_with_a_chance_sequence_follow_lines_without_one() {
        let encode = |text: &str| {
            Charset::WINDOWS_1251
                .encode_exact(text)
                .unwrap()
                .into_owned()
        };
        // `Ві` is a letter in UTF-8, too.
        let chance = encode("Відстежувати записи помилок\n");
        let pure = encode("не вистачає очікуваного\n");
        let cyrillic = |_: &[u8]| RestCharset::named(Charset::WINDOWS_1251);
        let before = "Виправлення перекладу\n".as_bytes();
        let mixed = in_utf8(&[before, &chance, &pure].concat(), cyrillic).unwrap();
        assert_eq!(
            mixed.text,
            "Виправлення перекладу\nВідстежувати записи помилок\nне вистачає очікуваного\n"
        );
        // Without such a line, it is damage.
        assert!(in_utf8(&[before, &chance].concat(), cyrillic).is_none());
        // No line shows UTF-8.
        assert!(in_utf8(&[&chance[..], &pure].concat(), cyrillic).is_none());
    }

    /// The block search finds what a search at each offset finds, for every length around a block and every offset.
    #[test]
    fn isolated_sequences_are_found_at_every_offset() {
        for length in (0..12).chain(250..264) {
            for at in 0..length {
                for sequence in [&b"\xC3\xA9"[..], b"\xE2\x82\xAC", b"\xC3\xA9\xC3\xA8"] {
                    let mut text = vec![b'x'; length];
                    let room = sequence.len().min(length - at);
                    text[at..at + room].copy_from_slice(&sequence[..room]);
                    let is_whole =
                        sequence[..room].ends_with(sequence) || room == 2 && sequence[0] == 0xC3;
                    assert!(has_isolated_sequence(&text) || !is_whole, "{length} {at}");
                    assert_eq!(
                        has_isolated_runs(&text),
                        is_whole && std::str::from_utf8(&text).is_ok(),
                        "{length} {at}"
                    );
                }
            }
        }
        for other in [
            &b"Zo\xEB\x92s"[..],
            b"dy. T\xEC\xB9\xEDm",
            b"caf\xE9",
            b"a\xA4\xC3\xA9",
        ] {
            assert!(!has_isolated_sequence(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn losses_keep_their_offsets() {
        let bytes = b"caf\xC3\xA9\nJos\xE9 a\nx \xC3\xA9\xFF\n";
        let mixed = in_utf8(bytes, LATIN).unwrap();
        assert_eq!(mixed.text, "café\nJosé a\nx é\u{FFFD}\n");
        assert_eq!(mixed.log.kept()[0].bytes, 17..18);
    }

    /// All losses are counted, and the first ones keep their offsets.
    #[test]
    fn many_losses_are_counted() {
        let bytes = [
            &b"caf\xC3\xA9\nJos\xE9 a\n"[..],
            &b"\xC3\xA9\xFF\n".repeat(200),
        ]
        .concat();
        let mixed = in_utf8(&bytes, LATIN).unwrap();
        assert_eq!(
            (
                mixed.runs,
                mixed.log.losses(),
                mixed.log.kept()[0].bytes.start
            ),
            (1, 200, 15)
        );
        // UTF-8 sequences by chance in windows-1251 text.
        let chance = [
            &b"\xC3\xA9\n\xD2\xE5\xEA\xF1\xF2 \xE5\n"[..],
            &b"\xC3\xA9\xE5\xEA\xF1\n".repeat(9),
        ];
        let find = |_: &[u8]| RestCharset {
            charset: charset_named("windows-1251"),
            ..WINDOWS
        };
        assert!(in_utf8(&chance.concat(), find).is_none());
    }

    /// U+FEFF within a text is a character, wherever the text is cut.
    #[test]
    fn marks_within_the_text_stay() {
        let bytes = "é x\u{feff}y\nJos# a\n\u{feff}\u{feff}é\n"
            .replace('#', "\u{1}")
            .into_bytes();
        let bytes: Vec<u8> = bytes
            .into_iter()
            .map(|byte| if byte == 1 { 0xE9 } else { byte })
            .collect();
        let mixed = in_utf8(&bytes, LATIN).unwrap();
        assert_eq!(mixed.text, "é x\u{feff}y\nJosé a\n\u{feff}\u{feff}é\n");
        assert_eq!((mixed.log.losses(), mixed.log.notes()), (0, 0));
    }

    /// Lines of everyday double-byte text are decoded beside UTF-8. Text in such a charset alone is not mixed.
    #[test]
    fn footers_of_two_bytes_a_character_are_read_beside_utf8() {
        for (name, footer) in [
            ("GBK", "这个邮件列表的说明，请看网页"),
            ("Big5", "請看網頁上的說明"),
            ("EUC-KR", "안녕하세요 감사합니다"),
            ("Shift_JIS", "このメールは自動で送られました"),
        ] {
            let charset = charset_named(name);
            let encode = |text: &str| {
                charset
                    .encode_exact(text)
                    .expect("the charset has every character")
                    .into_owned()
            };
            let find = |_: &[u8]| RestCharset {
                charset,
                confidence: Some(0.9),
            };
            let mail = [
                format!("日本語 é\nplain\n{}\n", "-- ").as_bytes(),
                &encode(footer),
                b"\n",
            ]
            .concat();
            let mixed = in_utf8(&mail, find).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(mixed.text, format!("日本語 é\nplain\n-- \n{footer}\n"));
            for cut in 1..footer.chars().count() {
                let (first, second) =
                    footer.split_at(footer.char_indices().nth(cut).expect("in range").0);
                let all = encode(&format!("{first}\n{second}\n{footer}\n"));
                assert!(in_utf8(&all, find).is_none(), "{name} {cut}");
            }
        }
    }

    #[test]
    fn one_damaged_line_is_no_utf8_beside_others() {
        let greek = RestCharset {
            charset: charset_named("windows-1253"),
            confidence: Some(1.0),
        };
        let lines = "Ιωάννς\n[list]ΑΠΌ\nΜακρίνα, Στίλιας 2\n";
        let bytes = greek.charset.encode_exact(lines).expect("in the charset");
        assert!(in_utf8(&bytes, |_| greek).is_none());
        // `\xC3\xBC` is no Greek text.
        let own = b"Gr\xC3\xBC\xC3\x9Fe caf\xE9\n";
        let mixed = in_utf8(
            &[own, &b"\xD3\xF4\xDF\xEB\xE9\xE1\xF2 2\n"[..]].concat(),
            |_| greek,
        );
        assert_eq!(
            mixed.expect("two charsets").text,
            "Grüße caf\u{FFFD}\nΣτίλιας 2\n"
        );
    }

    /// A damaged line does not count. The reported offset is that of the first decoded line.
    #[test]
    fn the_reported_offset_is_that_of_a_decoded_line() {
        let bytes = b"Gr\xC3\xBC\xC3\x9Fe\ndie gro\xE2\nJos\xE9 Garc\xEDa\n";
        let mixed = in_utf8(bytes, LATIN).unwrap();
        assert_eq!((mixed.runs, mixed.first), (1, 17));
    }
}
