//! Decodes ISO-2022-JP (RFC 1468), HZ (RFC 1843) and ISO-2022-KR (RFC 1557) in headers without encoded words, as mail used before RFC 1342.
//!
//! A sequence of ISO-2022-JP is `ESC $ B` or `ESC $ @`, characters, and `ESC ( B` or `ESC ( J`. One of HZ is `~{`, characters, and `~}`. One
//! of ISO-2022-KR is SO, characters, and SI, behind `ESC $ ) C` or without it. None contains white space, so a text and its pieces decode
//! alike. Newsreaders cut long fields, so a sequence may also end with white space or the end of the text. That end may be within a
//! character or within its last escape.
//!
//! # Limits
//!
//! Keeps undecodable sequences. Syntax characters end a sequence that is cut, except in unstructured text. [`raw_shift_length`] finds only whole
//! ones, since a cut one would hide the syntax behind it.

use super::lexical_context::LexicalContext;
use super::syntax::is_space;
use crate::unlogged::decode_lossless;
use mailglot_codec::{Charset, detect};
use std::ops::Range;

/// Begins an escape sequence (ISO 2022).
pub(crate) const ESCAPE: u8 = 0x1B;
/// Begins the characters of ISO-2022-KR (RFC 1557).
pub(crate) const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// A text whose sequences were decoded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShiftedText {
    pub text: String,
    /// Number of sequences.
    pub count: u64,
    /// The charset of the first one.
    pub charset: Charset,
    /// Number of characters that were cut.
    pub losses: u64,
}

/// Decodes the sequences of a text in its lexical context. Returns None without a sequence.
pub(crate) fn decode_raw_shifts(text: &str, lexical: LexicalContext) -> Option<ShiftedText> {
    let (mut out, mut copied, mut count, mut charset) = (String::new(), 0, 0, None);
    let mut losses = 0;
    let may_be_korean = may_be_korean(text.as_bytes(), lexical);
    for start in memchr::memchr3_iter(ESCAPE, b'~', SHIFT_OUT, text.as_bytes()) {
        // The second byte of a character of HZ may be a tilde.
        if start < copied {
            continue;
        }
        let Some(sequence) = whole_or_cut(&text.as_bytes()[start..], lexical, may_be_korean) else {
            continue;
        };
        losses += sequence.losses;
        out += text.get(copied..start).unwrap_or_default();
        out += &sequence.text;
        copied = start + sequence.length;
        count += 1;
        charset.get_or_insert(sequence.charset);
    }
    out += text.get(copied..).unwrap_or_default();
    Some(ShiftedText {
        text: out,
        count,
        charset: charset?,
        losses,
    })
}

/// Returns true if there may be sequences. Fast.
pub(crate) fn may_have_shifts(value: &[u8]) -> bool {
    memchr::memchr3_iter(ESCAPE, b'~', SHIFT_OUT, value).any(|at| may_begin_shift(&value[at..]))
}

/// Returns true if bytes begin with an escape character, a shift-out, or with `~{`.
pub(crate) fn may_begin_shift(bytes: &[u8]) -> bool {
    matches!(bytes, [ESCAPE | SHIFT_OUT, ..] | [b'~', b'{', ..])
}

/// Returns true if there is a sequence in a text of a lexical context.
pub(crate) fn has_raw_shift(value: &[u8], lexical: LexicalContext) -> bool {
    let may_be_korean = may_be_korean(value, lexical);
    let is_sequence = |at: usize| whole_or_cut(&value[at..], lexical, may_be_korean).is_some();
    memchr::memchr3_iter(ESCAPE, b'~', SHIFT_OUT, value).any(is_sequence)
}

/// Returns the bytes from the first sequence to the end of the last one.
pub(crate) fn raw_shifts_range(value: &[u8], lexical: LexicalContext) -> Option<Range<usize>> {
    let mut range: Option<Range<usize>> = None;
    let may_be_korean = may_be_korean(value, lexical);
    for at in memchr::memchr3_iter(ESCAPE, b'~', SHIFT_OUT, value) {
        let end = range.as_ref().map_or(0, |range| range.end);
        if at >= end
            && let Some(found) = whole_or_cut(&value[at..], lexical, may_be_korean)
        {
            range.get_or_insert(at..at).end = at + found.length;
        }
    }
    range
}

/// Returns the length of the whole sequence at the start of `bytes`.
pub(crate) fn raw_shift_length(bytes: &[u8]) -> Option<usize> {
    sequence(bytes).map(|sequence| sequence.length)
}

struct Sequence {
    text: String,
    length: usize,
    charset: Charset,
    losses: u64,
}

/// Returns the sequence at the start of `bytes`, whole or cut.
fn whole_or_cut(bytes: &[u8], lexical: LexicalContext, may_be_korean: bool) -> Option<Sequence> {
    may_begin_shift(bytes)
        .then(|| {
            sequence(bytes)
                .or_else(|| may_be_korean.then(|| korean_sequence(bytes)).flatten())
                .or_else(|| cut_sequence(bytes, lexical))
        })
        .flatten()
}

/// Returns true for unstructured text that designates no other set for SO than that of ISO-2022-KR. ISO-2022-CN designates `ESC $ ) A`.
fn may_be_korean(text: &[u8], lexical: LexicalContext) -> bool {
    let mut designations = memchr::memmem::find_iter(text, b"\x1B$)");
    lexical == LexicalContext::Text && designations.all(|at| text.get(at + 3) == Some(&b'C'))
}

/// Returns the sequence of ISO-2022-KR at the start of `bytes`. Many newsreaders wrote no designation.
///
/// At least half of its characters must be Hangul: other programs shift to other sets.
fn korean_sequence(bytes: &[u8]) -> Option<Sequence> {
    let rest = bytes.strip_prefix(b"\x1B$)C").unwrap_or(bytes);
    let characters = rest.strip_prefix(&[SHIFT_OUT])?;
    let end = characters
        .iter()
        .position(|byte| !byte.is_ascii_graphic())?;
    let pairs = &characters[..end];
    let hangul = pairs
        .chunks(2)
        .filter(|pair| matches!(pair[0], 0x30..=0x48));
    let is_text = end > 0 && end % 2 == 0 && 4 * hangul.count() >= end;
    if characters[end] != SHIFT_IN || !is_text {
        return None;
    }
    let eight_bits: Vec<u8> = pairs.iter().map(|byte| byte | 0x80).collect();
    Some(Sequence {
        text: decode_lossless(Charset::EUC_KR, &eight_bits)?.into_owned(),
        length: bytes.len() - rest.len() + end + 2,
        charset: Charset::ISO_2022_KR,
        losses: 0,
    })
}

/// Returns the sequence at the start of `bytes` that ends with white space or the end of the text instead of its escape.
///
/// The escape itself may be cut, or one byte of the last character be left.
fn cut_sequence(bytes: &[u8], lexical: LexicalContext) -> Option<Sequence> {
    let (charset, start) = match bytes {
        [ESCAPE, b'$', b'B' | b'@', ..] => (Charset::ISO_2022_JP, 3),
        [b'~', b'{', ..] => (Charset::HZ_GB_2312, 2),
        _ => return None,
    };
    let is_syntax = |byte: u8| {
        lexical != LexicalContext::Text && matches!(byte, b'"' | b'(' | b')' | b'<' | b'>' | b'\\')
    };
    let rest = &bytes[start..];
    let is_character = |byte: &u8| byte.is_ascii_graphic() && !is_syntax(*byte);
    let whole = if charset == Charset::HZ_GB_2312 {
        // Stops at the next `~{`, so that the search stays linear.
        let is_pair =
            |pair: &&[u8]| matches!(pair, [0x21..=0x77, _]) && pair.iter().all(is_character);
        rest.chunks_exact(2).take_while(is_pair).count() * 2
    } else {
        let end = rest.iter().position(|byte| !is_character(byte));
        end.unwrap_or(rest.len()) & !1
    };
    let (pairs, behind) = rest.split_at(whole);
    let (losses, escape) = match behind {
        b"~" if charset == Charset::HZ_GB_2312 => (0, 1),
        [byte, ..] if is_character(byte) => (1, 0),
        _ => (0, 0),
    };
    let behind = &behind[losses + escape..];
    let escape = match behind {
        b"\x1B" | b"\x1B(" if charset == Charset::ISO_2022_JP => behind.len(),
        _ => escape,
    };
    let closes = |byte: &u8| lexical == LexicalContext::Comment && *byte == b')';
    let is_end = |byte: &u8| is_space(*byte) || closes(byte);
    let is_at_end = escape > 0 || behind.first().is_none_or(is_end);
    if !is_at_end || !is_probable(charset, pairs) {
        return None;
    }
    let mut text = decode_lossless(charset, &bytes[..start + pairs.len()])?.into_owned();
    text.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, losses));
    Some(Sequence {
        text,
        length: start + whole + losses + escape,
        charset,
        losses: losses as u64,
    })
}

/// Returns true if the characters of a sequence that is cut are text. `~{` may also stand in code, before names in capitals.
fn is_probable(charset: Charset, pairs: &[u8]) -> bool {
    if charset == Charset::ISO_2022_JP {
        return pairs.len() >= 4;
    }
    let has = |rows: std::ops::RangeInclusive<u8>| {
        let pairs = pairs.chunks(2).filter(|pair| rows.contains(&pair[0]));
        pairs.count()
    };
    let (signs, common, rare) = (has(0x21..=0x29), has(0x30..=0x57), has(0x58..=0x77));
    let is_name = pairs
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
    common >= 4 && rare <= common && (signs + common + rare) * 2 == pairs.len() && !is_name
}

/// Returns the whole sequence at the start of `bytes`.
fn sequence(bytes: &[u8]) -> Option<Sequence> {
    let (charset, length) = match bytes {
        [ESCAPE, ..] => (Charset::ISO_2022_JP, iso2022jp_length(bytes)?),
        [b'~', b'{', ..] => (Charset::HZ_GB_2312, detect::hz_sequence(bytes)?),
        _ => return None,
    };
    Some(Sequence {
        text: decode_lossless(charset, bytes.get(..length)?)?.into_owned(),
        length,
        charset,
        losses: 0,
    })
}

/// Returns the length of the sequence of ISO-2022-JP at the start of `bytes`.
fn iso2022jp_length(bytes: &[u8]) -> Option<usize> {
    let characters = bytes
        .strip_prefix(b"\x1B$B")
        .or_else(|| bytes.strip_prefix(b"\x1B$@"))?;
    let end = memchr::memchr(ESCAPE, characters).filter(|end| *end > 0)?;
    let back = characters.get(end..end + 3)?;
    let whole = matches!(back, b"\x1B(B" | b"\x1B(J") && end % 2 == 0;
    let is_graphic = whole && characters.get(..end)?.iter().all(u8::is_ascii_graphic);
    is_graphic.then_some(3 + end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assert_linear;

    #[test]
    fn complete_sequences_are_decoded() {
        for (bytes, want) in [
            ("\x1B$B2q5D\x1B(B", Some(("会議", 1))),
            (
                "Re: \x1B$@2q5D\x1B(J (1) \x1B$B2q5D\x1B(B!",
                Some(("Re: 会議 (1) 会議!", 2)),
            ),
            ("\x1B$B2q \x1B$B2q5D\x1B(B", Some(("\x1B$B2q 会議", 1))),
            ("Re: \x1B$B2q5D", Some(("Re: 会議", 1))),
            ("\x1B$B2q5D2q5D (1)", Some(("会議会議 (1)", 1))),
            ("\x1B$B2q5D2", Some(("会議\u{FFFD}", 1))),
            ("\x1B$B2q5D\x1B", Some(("会議", 1))),
            ("\x1B$B2q5D\x1B(", Some(("会議", 1))),
            ("\x1B$B2q5D\x1B[m", None),
            ("~{NRCG=qLl", Some(("我们今天", 1))),
            ("~{NRCG=qLl~", Some(("我们今天", 1))),
            ("~{NRCG=qLlT", Some(("我们今天\u{FFFD}", 1))),
            ("~{NRCG=q", None),
            ("~{HOMEPATH", None),
            ("~{HOME_PATH}/x", None),
            ("~{list of names", None),
            ("\x1B$B2q5\x1B(B", None),
            ("\x1B$B2q 5D\x1B(B", None),
            ("\x1B$B\x1B(B", None),
            ("\x1B$B~~~~\x1B(B", None),
            ("é\x1B$B2q5D\x1B(Bé", Some(("é会議é", 1))),
            ("\x1B[1mbold\x1B[0m", None),
            ("~{VPND~}", Some(("中文", 1))),
            ("a~{0~VP~}~{ND~}b", Some(("a剥中文b", 2))),
            ("\x1B$B2q5D\x1B(B ~{VPND~}", Some(("会議 中文", 2))),
            ("~{VP ND~}", None),
            ("\x1B$)C\x0E;uGX\x0F \x0E:9\x0F!", Some(("새해 복!", 2))),
            ("\x0E;uGX\x0F", Some(("새해", 1))),
            // Half a character, no end, line drawing, Hanja only.
            ("\x0E;uG\x0F", None),
            ("\x0E;uGX", None),
            ("\x0Elqqk\x0F", None),
            ("\x1B$)C;uGX", None),
            // ISO-2022-CN.
            ("\x1B$)A\x0E<:Ky\x0F", None),
            ("\x1B$)A\x0E<:Ky\x0F \x0E<:Ky\x0F", None),
            ("\x1B$)C", None),
            ("~{list~} ~", None),
            ("", None),
        ] {
            let read = decode_raw_shifts(bytes, LexicalContext::Text);
            let read = read.as_ref().map(|read| (&*read.text, read.count));
            assert_eq!(read, want, "{bytes:?}");
            let has_one = has_raw_shift(bytes.as_bytes(), LexicalContext::Text);
            assert_eq!(has_one, want.is_some(), "{bytes:?}");
            assert!(want.is_none() || may_have_shifts(bytes.as_bytes()));
        }
    }

    #[test]
    fn syntax_ends_cut_sequences() {
        for (bytes, lexical, want) in [
            ("(\x1B$B2q5D)", LexicalContext::Comment, Some("(会議)")),
            ("(\x1B$B2q5D) x", LexicalContext::Comment, Some("(会議) x")),
            ("(\x1B$B2q5D(x))", LexicalContext::Comment, None),
            ("\x1B$B2q5D", LexicalContext::Phrase, Some("会議")),
            ("\x1B$B2q5D<", LexicalContext::Phrase, None),
            ("\x1B$B2q5D\\\"", LexicalContext::Quoted, None),
        ] {
            let read = decode_raw_shifts(bytes, lexical).map(|read| read.text);
            assert_eq!(read.as_deref(), want, "{bytes:?}");
        }
        assert_eq!(raw_shift_length(b"\x1B$B2q5D"), None);
        assert_eq!(
            decode_raw_shifts("\x0E;uGX\x0F", LexicalContext::Phrase),
            None
        );
    }

    #[test]
    fn the_range_is_that_of_the_sequences() {
        for (value, want) in [
            (&b"~{VPND~} (1)"[..], Some(0..8)),
            (b"~{list~} a~{VP~} ~{ND~}~ ~}", Some(10..23)),
            (b"\x1B[1m \x1B$B2q\x1B(B ~{VP~} \x1B", Some(5..20)),
            (b"~{list~} \x1B", None),
            (b"a \x1B$)C\x0E;uGX\x0F \x0E:9\x0F!", Some(2..17)),
        ] {
            assert_eq!(
                raw_shifts_range(value, LexicalContext::Text),
                want,
                "{}",
                value.escape_ascii()
            );
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in [
            "\x1B$B2q5D\x1B(B",
            "\x1B",
            "\x1B$B",
            "\x1B$B2q5D",
            "~{VPND~}",
            "~",
            "~{",
            "~{VP",
            "0~",
            "\x0E",
            "\x0E;u",
            "\x0E;uGX\x0F",
        ] {
            assert_linear(&unit, 50_000, |n| {
                drop(decode_raw_shifts(&unit.repeat(n), LexicalContext::Text));
            });
        }
    }
}
