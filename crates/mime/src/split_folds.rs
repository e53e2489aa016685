//! Moves folds out of the characters of calendars and vCards.
//!
//! Programs fold the lines of these formats at a number of bytes. A fold may stand within a character, since readers remove folds before
//! they decode (RFC 5545, section 3.1; RFC 6350, section 3.2).
//!
//! ```text
//! SUMMARY:\xD0\x9A\xD0\r\n \xBE    UTF-8: Ко
//! SUMMARY:\x93\xFA\x96\r\n \x7B    Shift_JIS: 日本
//! SUMMARY:\x1B$BF|K\r\n \\\x1B(B     ISO-2022-JP: 日本
//! ```
//!
//! A fold moves before its character, in ISO-2022-JP before the escape sequence that begins the run of characters. All other bytes keep their offsets, and readers that remove folds find the same lines.
//!
//! # Limits
//! Other stateful charsets, UTF-16 and folds by CR alone stay as they are. A line may become three bytes longer, and one
//! of ISO-2022-JP as long as its run.

use crate::lexer;
use crate::media_type::MediaType;
use mailglot_codec::Charset;
use std::ops::Range;

/// Double-byte charsets that raw text without a right label may be in.
pub(crate) const DOUBLE_BYTE: [Charset; 5] = [
    Charset::SHIFT_JIS,
    Charset::EUC_JP,
    Charset::EUC_KR,
    Charset::GBK,
    Charset::BIG5,
];

/// A body whose folds moved out of its characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MovedFolds {
    /// All bytes of the body.
    bytes: Vec<u8>,
    /// The first fold, at its old place.
    pub(crate) first: Range<usize>,
    /// The number of characters that had a fold.
    pub(crate) count: u64,
}

/// Returns true for calendars and vCards, whose readers remove folds before they decode.
pub(crate) fn has_folds(media: &MediaType) -> bool {
    let is_folded = matches!(
        &*media.sub,
        "calendar" | "x-vcalendar" | "vcard" | "x-vcard" | "directory"
    );
    is_folded && media.top == "text"
}

impl MovedFolds {
    /// Moves the folds out of the characters of text in `charset`. Returns `None` if no character has one.
    pub(crate) fn find(bytes: &[u8], charset: Charset) -> Option<Self> {
        let characters = if charset == Charset::UTF_8 {
            characters_of_utf8(bytes)
        } else if is_iso2022jp(charset) {
            sequences_of_iso2022jp(bytes)
        } else {
            DoubleByteLayout::of(charset)?.characters(bytes)
        };
        let first = characters.first()?.clone();
        // No byte of a character of two bytes or more is white space.
        let start = first.start + bytes[first].iter().position(|b| lexer::is_space(*b))?;
        let moved = Self {
            bytes: with_folds_before(bytes, &characters),
            first: start..start + fold_length(&bytes[start..]),
            count: characters.len() as u64,
        };
        (charset != Charset::UTF_8 || is_mostly_utf8(&moved.bytes)).then_some(moved)
    }

    /// Returns all bytes of the body.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns true if the bytes have a fold within a shifted run or an escape sequence of ISO-2022-JP.
pub(crate) fn splits_iso2022jp(bytes: &[u8]) -> bool {
    memchr::memchr(ESC, bytes).is_some() && !sequences_of_iso2022jp(bytes).is_empty()
}

/// Returns true if the bytes have a fold within a character of some double-byte charset, in which no other character is incomplete.
pub(crate) fn may_be_double_byte(bytes: &[u8]) -> bool {
    let mut layouts = DOUBLE_BYTE
        .iter()
        .filter_map(|charset| DoubleByteLayout::of(*charset));
    layouts.any(|layout| layout.fits(bytes))
}

/// Returns true if a fold has a byte above 7F before it, and after it a byte that may end a character. Fast.
pub(crate) fn may_split(bytes: &[u8]) -> bool {
    folds(bytes).next().is_some()
}

/// Returns the folds that may stand within a character, in order.
fn folds(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let fold = |lf: usize| {
        let start = lf - usize::from(lf > 0 && bytes[lf - 1] == b'\r');
        let end = start + fold_length(&bytes[start..]);
        let is_within =
            start > 0 && bytes[start - 1] >= 0x80 && bytes.get(end).is_some_and(|b| *b >= 0x30);
        (end > start && is_within).then_some(start..end)
    };
    memchr::memchr_iter(b'\n', bytes).filter_map(fold)
}

/// Returns the length of a line end and one blank at the start of `bytes`, or 0.
fn fold_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', b' ' | b'\t', ..] => 3,
        [b'\n', b' ' | b'\t', ..] => 2,
        _ => 0,
    }
}

/// Returns the bytes without the folds that may stand within a character.
pub(crate) fn joined(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for fold in folds(bytes) {
        out.extend_from_slice(&bytes[at..fold.start]);
        at = fold.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// Returns the bytes with the folds of each character before it.
fn with_folds_before(bytes: &[u8], characters: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for character in characters {
        out.extend_from_slice(&bytes[at..character.start]);
        let split = &bytes[character.clone()];
        out.extend(split.iter().filter(|b| lexer::is_space(**b)));
        out.extend(split.iter().filter(|b| !lexer::is_space(**b)));
        at = character.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// Returns the ranges of the UTF-8 characters with folds in them.
fn characters_of_utf8(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for fold in folds(bytes) {
        let done = found.last().map_or(0, |last| last.end);
        if fold.start >= done
            && matches!(bytes.get(fold.end), Some(0x80..=0xBF))
            && let Some(character) = character_of_utf8(bytes, done, fold.start)
        {
            found.push(character);
        }
    }
    found
}

/// Returns the range of the UTF-8 character that begins before the fold at `fold` and ends after it.
fn character_of_utf8(bytes: &[u8], from: usize, fold: usize) -> Option<Range<usize>> {
    let near = from.max(fold.saturating_sub(3))..fold;
    let start = near.start + bytes[near].iter().rposition(|b| *b >= 0xC0)?;
    let length = match bytes[start] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let (mut character, mut at) = (Vec::with_capacity(length), start);
    while character.len() < length {
        at += fold_length(&bytes[at..]);
        character.push(*bytes.get(at)?);
        at += 1;
    }
    (at > fold && std::str::from_utf8(&character).is_ok()).then_some(start..at)
}

const ESC: u8 = 0x1B;

/// Returns true for ISO-2022-JP and its relatives.
fn is_iso2022jp(charset: Charset) -> bool {
    let microsoft = [Charset::CP50220, Charset::CP50221, Charset::CP50222];
    charset.superset() == Charset::ISO_2022_JP || microsoft.contains(&charset)
}

/// Returns the ranges of the escape sequences and shifted runs of ISO-2022-JP (RFC 1468) with folds in them.
///
/// A run begins with its escape sequence, since a line end returns to ASCII. It ends behind its last fold.
fn sequences_of_iso2022jp(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(skipped) = memchr::memchr(ESC, &bytes[at..]) {
        let start = at + skipped;
        let Some(escape) = EscapeSequence::at(bytes, start) else {
            at = start + 1;
            continue;
        };
        let mut last_fold = escape.is_split.then_some(escape.end);
        let (mut is_shifted, mut end) = (escape.is_shift, escape.end);
        while is_shifted && let Some(byte) = bytes.get(end) {
            let fold = fold_length(&bytes[end..]);
            if fold > 0 {
                end += fold;
                last_fold = Some(end);
            } else if let Some(next) = EscapeSequence::at(bytes, end) {
                (is_shifted, end) = (next.is_shift, next.end);
                last_fold = next.is_split.then_some(end).or(last_fold);
            } else if *byte == b'\n' {
                break;
            } else {
                end += 1;
            }
        }
        found.extend(last_fold.map(|end| start..end));
        at = end;
    }
    found
}

/// An escape sequence, perhaps with folds in it.
struct EscapeSequence {
    end: usize,
    is_split: bool,
    /// Characters other than ASCII or JIS X 0201 Roman follow.
    is_shift: bool,
}

impl EscapeSequence {
    /// Reads the escape sequence at `start`.
    fn at(bytes: &[u8], start: usize) -> Option<Self> {
        if bytes.get(start) != Some(&ESC) {
            return None;
        }
        let (mut at, mut is_split) = (start + 1, false);
        let mut next = || {
            let folds = folds_length(&bytes[at..]);
            is_split |= folds > 0;
            at += folds + 1;
            bytes.get(at - 1).copied()
        };
        let is_shift = match next()? {
            b'$' => match next()? {
                b'@' | b'A' | b'B' => true,
                b'(' if matches!(next()?, b'@' | b'B' | b'C' | b'D' | b'O' | b'P' | b'Q') => true,
                _ => return None,
            },
            b'(' => match next()? {
                b'B' | b'H' | b'J' => false,
                b'I' => true,
                _ => return None,
            },
            _ => return None,
        };
        Some(Self {
            end: at,
            is_split,
            is_shift,
        })
    }
}

/// Returns the length of the folds at the start of `bytes`.
fn folds_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match fold_length(&bytes[at..]) {
            0 => return at,
            length => at += length,
        }
    }
}

/// Returns true if most sequences are valid: text in another charset has some of them by chance.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    /// Number of valid characters for each malformed sequence.
    const VALID_PER_MALFORMED: usize = 4;
    let (mut valid, mut malformed) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        malformed += usize::from(!chunk.invalid().is_empty());
    }
    valid >= malformed * VALID_PER_MALFORMED
}

/// The lengths of the characters of a double-byte charset.
#[derive(Clone, Copy)]
struct DoubleByteLayout {
    is_shift_jis: bool,
    /// 8F begins three bytes.
    is_euc_jp: bool,
    /// 81 30 81 30 is a character.
    is_gb18030: bool,
}

/// A sequence of a double-byte charset that begins with a byte above 7F.
struct DoubleByteSequence {
    range: Range<usize>,
    is_split: bool,
    is_complete: bool,
}

impl DoubleByteLayout {
    fn of(charset: Charset) -> Option<Self> {
        let is = |other: Charset| other.superset() == charset.superset();
        DOUBLE_BYTE.into_iter().any(is).then(|| Self {
            is_shift_jis: is(Charset::SHIFT_JIS),
            is_euc_jp: is(Charset::EUC_JP),
            is_gb18030: is(Charset::GBK),
        })
    }

    /// Returns true if no sequence is incomplete and one has a fold.
    fn fits(self, bytes: &[u8]) -> bool {
        // In Cyrillic text, most letters before a fold are half-width katakana of Shift_JIS.
        if !folds(bytes).any(|fold| self.is_lead(bytes[fold.start - 1])) {
            return false;
        }
        let mut is_split = false;
        let is_text = self.sequences(bytes).all(|sequence| {
            is_split |= sequence.is_split;
            sequence.is_complete
        });
        is_text && is_split
    }

    /// Returns the ranges of the characters with folds in them.
    fn characters(self, bytes: &[u8]) -> Vec<Range<usize>> {
        let is_split = |sequence: &DoubleByteSequence| sequence.is_complete && sequence.is_split;
        let sequences = self.sequences(bytes).filter(is_split);
        sequences.map(|sequence| sequence.range).collect()
    }

    fn sequences(self, bytes: &[u8]) -> impl Iterator<Item = DoubleByteSequence> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let skipped = bytes[at..].iter().position(|b| self.is_lead(*b))?;
            let sequence = self.sequence(bytes, at + skipped);
            at = sequence.range.end;
            Some(sequence)
        })
    }

    /// Reads the sequence whose lead byte is at `start`.
    fn sequence(self, bytes: &[u8], start: usize) -> DoubleByteSequence {
        let is_triple = self.is_euc_jp && bytes[start] == 0x8F;
        let (mut at, mut read, mut missing) = (start + 1, 1, 1 + usize::from(is_triple));
        let mut is_split = false;
        while missing > 0 {
            let fold = fold_length(&bytes[at..]);
            let Some(trail) = bytes.get(at + fold) else {
                break;
            };
            match trail {
                0x40..=0x7E | 0x80..=0xFE => missing -= 1,
                0x30..=0x39 if self.is_gb18030 && read == 1 => missing = 2,
                0x30..=0x39 if self.is_gb18030 && read == 3 => missing = 0,
                _ => break,
            }
            is_split |= fold > 0;
            at += fold + 1;
            read += 1;
        }
        DoubleByteSequence {
            range: start..at,
            is_split,
            is_complete: missing == 0,
        }
    }

    fn is_lead(self, byte: u8) -> bool {
        match byte {
            // Half-width katakana, and bytes without characters.
            0xA0..=0xDF | 0xFD..=0xFE => !self.is_shift_jis,
            0x81..=0xFC => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    fn moved(charset: Charset, bytes: &[u8]) -> Option<Vec<u8>> {
        let moved = MovedFolds::find(bytes, charset)?;
        assert_eq!(moved.bytes.len(), bytes.len());
        assert_eq!(MovedFolds::find(&moved.bytes, charset), None);
        Some(moved.bytes)
    }

    #[test]
    fn folds_stand_before_their_characters() {
        for (charset, bytes, want) in [
            (
                Charset::UTF_8,
                &b"\xD0\n \x9A"[..],
                Some(&b"\n \xD0\x9A"[..]),
            ),
            (
                Charset::UTF_8,
                b"a\xE6\x97\r\n\t\xA5b",
                Some(b"a\r\n\t\xE6\x97\xA5b"),
            ),
            (
                Charset::UTF_8,
                b"\xF0\n \x9F\n \x8E\n \x82",
                Some(b"\n \n \n \xF0\x9F\x8E\x82"),
            ),
            (
                Charset::UTF_8,
                b"It\xE2\x80\n \x99s",
                Some(b"It\n \xE2\x80\x99s"),
            ),
            (Charset::UTF_8, b"\xD0\x9A\n \xD0\x9A", None),
            (Charset::UTF_8, b"\xD0\n\x9A", None),
            (Charset::UTF_8, b"\xD0\n  \x9A", None),
            (Charset::UTF_8, b"\xE0\n \x80\x80", None),
            (Charset::UTF_8, b"\xD0\n ", None),
            (Charset::SHIFT_JIS, b"\x93\n \xFA", Some(b"\n \x93\xFA")),
            (Charset::SHIFT_JIS, b"\xB1\n \xB1", None),
            (Charset::SHIFT_JIS, b"\x93\xFA\n A", None),
            (
                Charset::EUC_JP,
                b"\x8F\xB0\n \xA1",
                Some(b"\n \x8F\xB0\xA1"),
            ),
            (Charset::GB18030, b"\x81\n 0\x810", Some(b"\n \x810\x810")),
            (Charset::GB2312, b"\x810\x81\n 0", Some(b"\n \x810\x810")),
            (Charset::BIG5, b"\xA4\n A\n 0", Some(b"\n \xA4A\n 0")),
            (Charset::WINDOWS_1251, b"\xD0\n \x9A", None),
            (
                Charset::ISO_2022_JP,
                b"a\x1B$BF|K\r\n \\\x1B(Bb\n c",
                Some(b"a\r\n \x1B$BF|K\\\x1B(Bb\n c"),
            ),
            (
                Charset::ISO_2022_JP,
                b"\x1B$BF|\r\n K\n \\\x1B(B",
                Some(b"\r\n \n \x1B$BF|K\\\x1B(B"),
            ),
            (
                Charset::ISO_2022_JP,
                b"a\x1B\r\n $BF|\x1B(\n B",
                Some(b"a\r\n \n \x1B$BF|\x1B(B"),
            ),
            (Charset::ISO_2022_JP, b"\x1B(\n Ja", Some(b"\n \x1B(Ja")),
            (Charset::ISO_2022_JP, b"\x1B(Ja\n b", None),
            (Charset::ISO_2022_JP, b"ab\n cd\x1B$BF|\x1B(Ba\n bc", None),
            (Charset::ISO_2022_JP, b"\x1B$BF|\na\n bc", None),
            (Charset::ISO_2022_JP, b"\x1B\n [1m", None),
            (Charset::ISO_2022_JP, b"\x1B$\n ", None),
        ] {
            let note = bytes.escape_ascii();
            assert_eq!(moved(charset, bytes).as_deref(), want, "{note}");
        }
    }

    #[test]
    fn searches_take_linear_time() {
        for unit in [
            &b"\xD0\n \x9A"[..],
            b"\xF0\n ",
            b"\n \x80",
            b"\x81\n 0",
            b"\x8F\xA1\r\n ",
            b"\x80",
            b"\x1B$B\n ",
            b"\x1B\n ",
        ] {
            for charset in [
                Charset::UTF_8,
                Charset::GBK,
                Charset::EUC_JP,
                Charset::ISO_2022_JP,
            ] {
                assert_linear(&unit.escape_ascii(), 20_000, |n| {
                    let bytes = unit.repeat(n);
                    drop(MovedFolds::find(&bytes, charset));
                    let _ = may_be_double_byte(&joined(&bytes));
                });
            }
        }
    }
}
