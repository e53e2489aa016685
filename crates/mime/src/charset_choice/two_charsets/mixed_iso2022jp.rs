//! Decodes text in ISO-2022-JP that also has characters in UTF-8 or another charset.
//!
//! ```text
//! "\x1b$B$3$s\x1b(B\nGr\xC3\xBC\xC3\x9Fe\n"     こん, Grüße
//! "\x1b$B$3$s\x1b(B\nGr\xFC\xDFe\n"             こん, Grüße
//! ```
//!
//! Escape sequences are structure: a segment from `ESC $ B` to `ESC ( B` that decodes without loss is Japanese in any text of mail.
//! Segments with losses are Japanese if most of their characters are, except under the label of ISO-2022-JP or a legacy charset. All
//! other bytes must be UTF-8, or have no UTF-8 and decode in one other charset without loss. It is the charset of the label, if that is
//! a legacy charset that decodes them.
//!
//! # Limits
//! Under the label of ISO-2022-JP, other bytes may be half-width katakana in eight bits, or damage. They are in another charset only if
//! one is no katakana, and each is a letter beside an ASCII letter or the charset is likely.

use super::mixed_text::{MixedText, RestCharset, gaps, join};
use super::utf8_runs::{Runs, is_isolated, is_mostly_latin};
use crate::charset_choice::labels::label_scope::is_open_label;
use crate::charset_choice::text_tests::mojibake_score::mojibake_score;
use crate::charset_choice::text_tests::neighbor_bytes::byte_or_blank;
use crate::charset_choice::text_tests::truncated_utf8::has_only_cut_signs;
use crate::charset_choice::text_tests::utf8_sequences::sequences;
use crate::charset_choice::thresholds::LIKELY_CONFIDENCE;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, LossLog, detect};
use std::ops::Range;

const ESC: u8 = 0x1B;
/// The last half-width katakana in eight bits; the first one is A1.
const LAST_KATAKANA: u8 = 0xDF;
/// The first letter of the Latin charsets with 96 characters.
const FIRST_LETTER: u8 = 0xC0;

/// Decodes ISO-2022-JP with UTF-8 or another charset outside its segments.
///
/// `label` is the declared charset, which the escape sequences outweigh if it may be wrong. `find` chooses the charset of the bytes outside
/// the segments if they are not UTF-8, or if the label names a legacy charset. Then it may choose UTF-8.
pub(crate) fn in_iso2022jp(
    bytes: &[u8],
    label: Option<Charset>,
    find: impl FnOnce(&[u8]) -> RestCharset,
) -> Option<MixedText> {
    if bytes.is_ascii() || memchr::memchr(ESC, bytes).is_none() {
        return None;
    }
    let segments = segments(bytes);
    if segments.is_empty() {
        return None;
    }
    let others = gaps(segments.iter().cloned(), bytes.len());
    let is_labelled = label.is_some_and(is_japanese);
    let has_legacy_label = label.is_some_and(|label| !is_japanese(label) && !is_open_label(label));
    let is_utf8 = |range: &Range<usize>| std::str::from_utf8(&bytes[range.clone()]).is_ok();
    let is_all_utf8 = others.iter().all(is_utf8);
    if is_labelled && is_all_utf8 && may_be_katakana(bytes) {
        return None;
    }
    let is_whole = !segments
        .iter()
        .any(|segment| is_cut_by_high_byte(bytes, segment));
    let rest = if is_all_utf8 && !has_legacy_label {
        None
    } else {
        let rest = join(bytes, &others);
        let other = find(&rest);
        let is_other = other.charset != Charset::UTF_8;
        if is_other && has_utf8(&rest, other.charset, has_legacy_label) {
            return None;
        }
        if is_other && (!is_whole || is_labelled && !has_words_in(&rest, other)) {
            return None;
        }
        is_other.then_some(other)
    };
    let charset = rest.map_or(Charset::UTF_8, |rest| rest.charset);
    let SegmentTexts {
        text,
        log,
        has_japanese,
    } = decode(bytes, &segments, &others, charset)?;
    let may_be_damaged = || {
        !is_labelled && !has_legacy_label && is_whole && is_japanese_beside_damage(bytes, &segments)
    };
    if log.losses() > 0 && !may_be_damaged() {
        return None;
    }
    let is_within = rest.is_some() || label == Some(Charset::UTF_8);
    let (runs, first) = if is_within {
        (segments.len(), segments[0].start)
    } else {
        let starts: Vec<usize> = sequences(bytes).map(|run| run.start).collect();
        (starts.len(), *starts.first()?)
    };
    has_japanese.then_some(MixedText {
        text,
        log,
        runs,
        first,
        other: rest.unwrap_or(RestCharset::named(Charset::ISO_2022_JP)),
        further: Vec::new(),
        run_charset: rest.map(|_| Charset::ISO_2022_JP),
    })
}

/// Returns true if text of a single-byte charset has UTF-8, too: it is damaged or mixed UTF-8.
///
/// Text of a double-byte charset, of another alphabet, and under a right label has UTF-8 sequences by chance.
fn has_utf8(rest: &[u8], charset: Charset, is_label: bool) -> bool {
    let has_sequence = || !is_label && is_mostly_latin(charset) && sequences(rest).next().is_some();
    charset.is_single_byte() && (has_sequence() || Runs::find(rest, charset).is_some())
}

/// Returns true if a byte above 7F follows a segment that has not returned to ASCII. The byte is damage, or a katakana of JIS X 0201.
fn is_cut_by_high_byte(bytes: &[u8], segment: &Range<usize>) -> bool {
    let own = &bytes[segment.clone()];
    let last = memchr::memrchr(ESC, own).map(|at| &own[at..]);
    let is_ascii = last.is_some_and(|escape| escape.starts_with(b"\x1b(B"));
    !is_ascii && bytes.get(segment.end).is_some_and(|byte| !byte.is_ascii())
}

/// Returns true if the bytes above 7F of a text outside the segments are letters of another charset. They must not be katakana, damage, or
/// Japanese in eight bits. A single-byte charset is certain if each letter touches an ASCII letter; another one must be likely.
fn has_words_in(rest: &[u8], other: RestCharset) -> bool {
    let is_likely = other
        .confidence
        .is_none_or(|confidence| confidence >= LIKELY_CONFIDENCE);
    let is_katakana = |run: &[u8]| run.iter().all(|byte| matches!(*byte, 0xA1..=LAST_KATAKANA));
    let is_letter_in_word = |run: &Range<usize>| {
        rest[run.clone()].iter().all(|byte| *byte >= FIRST_LETTER) && touches_letter(rest, run)
    };
    let runs: Vec<Range<usize>> = high_runs(rest).collect();
    let has_letter = runs.iter().any(|run| !is_katakana(&rest[run.clone()]));
    let is_in_words = other.charset.is_single_byte() && runs.iter().all(is_letter_in_word);
    let is_sound = || {
        let text = decode_unlogged(other.charset, rest);
        mojibake_score(&text) == 0 && !text.contains(|c: char| matches!(c, '\u{80}'..='\u{9F}'))
    };
    has_letter && (is_in_words || is_likely) && !has_only_cut_signs(rest) && is_sound()
}

/// Returns the runs of bytes above 7F.
fn high_runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    bytes
        .chunk_by(|one, other| one.is_ascii() == other.is_ascii())
        .filter_map(move |run| {
            let at = start..start + run.len();
            start = at.end;
            (!run[0].is_ascii()).then_some(at)
        })
}

/// Returns true if an ASCII letter stands beside a run.
fn touches_letter(bytes: &[u8], run: &Range<usize>) -> bool {
    let is_letter = |at: Option<usize>| byte_or_blank(bytes, at).is_ascii_alphabetic();
    is_letter(run.start.checked_sub(1)) || is_letter(Some(run.end))
}

/// Returns true if the text has escape sequences that decode to Japanese.
pub(crate) fn has_japanese_segments(bytes: &[u8]) -> bool {
    let is_japanese = |segment: Range<usize>| {
        Charset::ISO_2022_JP
            .decode_exact(&bytes[segment])
            .is_some_and(|text| !text.is_ascii())
    };
    segments(bytes).into_iter().any(is_japanese)
}

/// Returns true for the Japanese charsets with escape sequences.
pub(crate) fn is_japanese(charset: Charset) -> bool {
    charset.superset() == Charset::ISO_2022_JP
}

/// Returns true if text that would be written in UTF-8 would be read as ISO-2022-JP with UTF-8.
pub(crate) fn has_iso2022jp(text: &[u8]) -> bool {
    let no_other = |_: &[u8]| RestCharset::named(Charset::UTF_8);
    in_iso2022jp(text, Some(Charset::UTF_8), no_other).is_some()
}

/// Returns the ranges from an escape sequence to the next one that returns to ASCII, to the line end, or to a high byte.
fn segments(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(start) = memchr::memchr(ESC, &bytes[from..]).map(|n| from + n) {
        from = start + 1;
        if !is_designation(&bytes[start..]) {
            continue;
        }
        let end = start + segment_length(&bytes[start..]);
        found.push(start..end);
        from = end;
    }
    found
}

/// Returns the length of the segment at the start of `rest`.
fn segment_length(rest: &[u8]) -> usize {
    let ends = rest.iter().enumerate().find_map(|(at, byte)| match byte {
        b'\r' | b'\n' | 0x80.. => Some(at),
        &ESC if rest[at..].starts_with(b"\x1b(B") => Some(at + 3),
        _ => None,
    });
    ends.unwrap_or(rest.len())
}

/// Returns true for the escape sequences of JIS X 0208, JIS X 0212, JIS X 0213 and JIS X 0201.
fn is_designation(rest: &[u8]) -> bool {
    match rest {
        [ESC, b'$', b'@' | b'B', ..] => true,
        [ESC, b'$', b'(', set, ..] => matches!(set, b'@' | b'B' | b'D' | b'O' | b'P' | b'Q'),
        [ESC, b'(', set, ..] => matches!(set, b'B' | b'I' | b'J'),
        _ => false,
    }
}

/// The text of the segments and of the ranges between them.
struct SegmentTexts {
    text: String,
    /// The losses of the segments, with offsets into the whole text.
    log: LossLog,
    /// True if the segments have Japanese characters.
    has_japanese: bool,
}

/// Decodes segments and the ranges between them. Returns None if other bytes do not decode.
fn decode(
    bytes: &[u8],
    segments: &[Range<usize>],
    others: &[Range<usize>],
    charset: Charset,
) -> Option<SegmentTexts> {
    let mut decoded = SegmentTexts {
        text: String::with_capacity(bytes.len()),
        log: LossLog::new(),
        has_japanese: false,
    };
    for (nth, other) in others.iter().enumerate() {
        let other = &bytes[other.clone()];
        match charset {
            Charset::UTF_8 => decoded.text.push_str(std::str::from_utf8(other).ok()?),
            _ => decoded.text.push_str(&charset.decode_exact(other)?),
        }
        if let Some(segment) = segments.get(nth) {
            let mut own = LossLog::new();
            let japanese = Charset::ISO_2022_JP.decode(&bytes[segment.clone()], &mut own);
            decoded.has_japanese |= !japanese.is_ascii();
            decoded.text.push_str(&japanese);
            if own.losses() > 0 {
                decoded.log.append(&own, segment.start as u64);
            }
        }
    }
    Some(decoded)
}

/// Returns true if segments with losses are mostly Japanese.
fn is_japanese_beside_damage(bytes: &[u8], segments: &[Range<usize>]) -> bool {
    detect::damaged_iso2022(&join(bytes, segments)) == Some(Charset::ISO_2022_JP)
}

/// Returns true if the high bytes may be half-width katakana rather than UTF-8.
fn may_be_katakana(bytes: &[u8]) -> bool {
    /// Number of characters that are not valid UTF-8 by chance.
    const MIN_CHARACTERS: usize = 3;
    let mut chars = 0;
    for run in sequences(bytes) {
        let own = &bytes[run.clone()];
        if touches_letter(bytes, &run) || own.iter().any(|b| !matches!(*b, 0xA1..=LAST_KATAKANA)) {
            return false;
        }
        let Ok(text) = std::str::from_utf8(own) else {
            return true;
        };
        if mojibake_score(text) > 0 || !is_isolated(bytes, &run) {
            return true;
        }
        chars += text.chars().count();
    }
    chars < MIN_CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    const JAPANESE: &[u8] = b"\x1b$B$3$s$K$A$O\x1b(B";
    const LATIN: fn(&[u8]) -> RestCharset = |_| RestCharset::named(Charset::WINDOWS_1252);

    fn read(label: Option<Charset>, after: &[u8]) -> Option<(String, usize, usize)> {
        let bytes = [JAPANESE, after].concat();
        in_iso2022jp(&bytes, label, LATIN).map(|mixed| (mixed.text, mixed.runs, mixed.first))
    }

    #[test]
    fn escape_sequences_are_decoded_beside_utf8() {
        let lines = "\nGrüße\n".as_bytes();
        let text = "こんにちは\nGrüße\n".to_owned();
        assert_eq!(read(None, lines), Some((text.clone(), 1, 19)));
        assert_eq!(read(Some(Charset::UTF_8), lines), Some((text, 1, 0)));
        assert_eq!(
            read(Some(Charset::ISO_2022_JP), "José".as_bytes()).map(|read| read.0),
            Some("こんにちはJosé".to_owned())
        );
    }

    #[test]
    fn escape_sequences_are_decoded_beside_another_charset() {
        let text = "こんにちは\ncafé, naïve\n".to_owned();
        for label in [None, Some(Charset::UTF_8), Some(Charset::ISO_8859_1)] {
            let read = read(label, b"\ncaf\xE9, na\xEFve\n");
            assert_eq!(read, Some((text.clone(), 1, 0)), "{label:?}");
        }
        // Bytes that the charset lacks.
        let japanese = |_: &[u8]| RestCharset::named(Charset::SHIFT_JIS);
        let bytes = [JAPANESE, b" caf\xE9 "].concat();
        assert!(in_iso2022jp(&bytes, None, japanese).is_none());
        // Under its own label, other bytes may be katakana or damage.
        let label = Some(Charset::ISO_2022_JP);
        let text = |after| read(label, after).map(|read| read.0);
        assert_eq!(
            text(b"\n-- \nJ\xF6rg M\xFCller"),
            Some("こんにちは\n-- \nJörg Müller".to_owned())
        );
        let weak = |_: &[u8]| RestCharset {
            confidence: Some(0.6),
            ..LATIN(&[])
        };
        for after in [
            &b" \xE9"[..],
            b"\xB1\xB2\xB3",
            b" \xFF \xFE",
            b"\x1b$B$3\xFFK\\\x1b(B",
            // `PCｶｰﾄﾞ`, `Tｼｬﾂ`, `ｶｰﾄﾞA` behind JIS X 0201, 山田太郎 in Shift_JIS, 株 in EUC-JP, half a sign.
            b"\nPC\xB6\xB0\xC4\xDE\n",
            b" T\xBC\xAC\xC2",
            b"\x1b(J\xB6\xB0\xC4\xDEA\x1b(B",
            b"\n\x8eR\x93c\x91\xbe\x98Y\n",
            b"NTT\xB3\xF4",
            b"it\xE2\x80...",
        ] {
            let bytes = [JAPANESE, after].concat();
            let read = in_iso2022jp(&bytes, label, weak);
            assert!(read.is_none(), "{}", after.escape_ascii());
        }
    }

    #[test]
    fn segments_may_be_damaged_without_their_label() {
        let after = b"\x1b$B$3$\n-- \nJos\xE9\n";
        let text = "こんにちはこ\u{FFFD}\n-- \nJosé\n".to_owned();
        assert_eq!(read(None, after), Some((text, 2, 0)));
        let bytes = [JAPANESE, after].concat();
        let log = in_iso2022jp(&bytes, None, LATIN).map(|mixed| mixed.log);
        let kept = log.map(|log| log.kept()[0].bytes.clone());
        assert_eq!(kept, Some(21..22));
        assert_eq!(read(Some(Charset::ISO_2022_JP), after), None);
    }

    #[test]
    fn other_text_stays() {
        for after in [
            &b"\x1b$Bx\x1b(B\x1b$Bx\x1b(B \xC3\xA9"[..],
            b"\x1b$B$\xC3\xA9",
            b" x",
        ] {
            assert_eq!(read(None, after), None, "{}", after.escape_ascii());
        }
        // Two half-width katakana.
        assert_eq!(read(Some(Charset::ISO_2022_JP), b" \xC3\xA9\n"), None);
        assert!(in_iso2022jp("\x1b[31mé\x1b[0m \x1b(B".as_bytes(), None, LATIN).is_none());
    }

    #[test]
    fn many_escape_sequences_take_linear_time() {
        for unit in ["\x1b(B", "\x1b$B", "\x1b(B\x1b$B", "\x1b$B$3\x1b(B"] {
            assert_linear(&unit, 20_000, |n| {
                for end in ["\né\n".as_bytes(), b"\n\xE9\n"] {
                    let bytes = [unit.repeat(n).as_bytes(), end].concat();
                    let _ = in_iso2022jp(&bytes, None, LATIN);
                }
            });
        }
    }
}
