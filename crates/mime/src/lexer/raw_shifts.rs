//! Decodes ISO-2022-JP (RFC 1468) and HZ (RFC 1843) in headers without encoded words, as Japanese and Chinese mail used before RFC 1342.
//!
//! A sequence of ISO-2022-JP is `ESC $ B` or `ESC $ @`, characters, and `ESC ( B` or `ESC ( J`. One of HZ is `~{`, characters, and
//! `~}`. Neither contains white space, so a text and its pieces decode alike.
//!
//! # Limits
//!
//! Keeps sequences that are truncated or undecodable.

use mailglot_codec::{Charset, LossLog, detect};
use std::ops::Range;

const ESCAPE: u8 = 0x1B;

/// A text whose sequences were decoded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShiftedText {
    pub text: String,
    /// Number of sequences.
    pub count: u64,
    /// The charset of the first one.
    pub charset: Charset,
}

/// Decodes the sequences of a text. Returns None without a sequence.
pub(crate) fn decode_raw_shifts(text: &str) -> Option<ShiftedText> {
    let (mut out, mut copied, mut count, mut charset) = (String::new(), 0, 0, None);
    for start in memchr::memchr2_iter(ESCAPE, b'~', text.as_bytes()) {
        // The second byte of a character of HZ may be a tilde.
        if start < copied {
            continue;
        }
        let Some(sequence) = sequence(&text.as_bytes()[start..]) else {
            continue;
        };
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
    })
}

/// Returns true if there may be sequences. Fast.
pub(crate) fn may_have_shifts(value: &[u8]) -> bool {
    memchr::memchr2_iter(ESCAPE, b'~', value).any(|at| may_begin_shift(&value[at..]))
}

/// Returns true if bytes begin with an escape character, or with `~{`.
pub(crate) fn may_begin_shift(bytes: &[u8]) -> bool {
    matches!(bytes, [ESCAPE, ..] | [b'~', b'{', ..])
}

/// Returns true if there is a sequence.
pub(crate) fn has_raw_shift(value: &[u8]) -> bool {
    memchr::memchr2_iter(ESCAPE, b'~', value).any(|at| sequence(&value[at..]).is_some())
}

/// Returns the bytes from the first sequence to the end of the last one.
pub(crate) fn raw_shifts_range(value: &[u8]) -> Option<Range<usize>> {
    let mut range: Option<Range<usize>> = None;
    for at in memchr::memchr2_iter(ESCAPE, b'~', value) {
        let end = range.as_ref().map_or(0, |range| range.end);
        if at >= end
            && let Some(length) = raw_shift_length(&value[at..])
        {
            range.get_or_insert(at..at).end = at + length;
        }
    }
    range
}

/// Returns the length of the sequence at the start of `bytes`.
pub(crate) fn raw_shift_length(bytes: &[u8]) -> Option<usize> {
    sequence(bytes).map(|sequence| sequence.length)
}

struct Sequence {
    text: String,
    length: usize,
    charset: Charset,
}

/// Returns the sequence at the start of `bytes`.
fn sequence(bytes: &[u8]) -> Option<Sequence> {
    let (charset, length) = match bytes {
        [ESCAPE, ..] => (Charset::ISO_2022_JP, iso2022jp_length(bytes)?),
        [b'~', b'{', ..] => (Charset::HZ_GB_2312, detect::hz_sequence(bytes)?),
        _ => return None,
    };
    let mut log = LossLog::with_limit(0);
    let text = charset.decode(bytes.get(..length)?, &mut log).into_owned();
    (log.losses() == 0).then_some(Sequence {
        text,
        length,
        charset,
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
            ("\x1B$B2q5\x1B(B", None),
            ("\x1B$B2q5D", None),
            ("\x1B$B2q 5D\x1B(B", None),
            ("\x1B$B\x1B(B", None),
            ("\x1B$B~~~~\x1B(B", None),
            ("é\x1B$B2q5D\x1B(Bé", Some(("é会議é", 1))),
            ("\x1B[1mbold\x1B[0m", None),
            ("~{VPND~}", Some(("中文", 1))),
            ("a~{0~VP~}~{ND~}b", Some(("a剥中文b", 2))),
            ("\x1B$B2q5D\x1B(B ~{VPND~}", Some(("会議 中文", 2))),
            ("~{VP ND~}", None),
            ("~{list~} ~", None),
            ("", None),
        ] {
            let read = decode_raw_shifts(bytes);
            let read = read.as_ref().map(|read| (&*read.text, read.count));
            assert_eq!(read, want, "{bytes:?}");
            assert_eq!(has_raw_shift(bytes.as_bytes()), want.is_some());
            assert!(want.is_none() || may_have_shifts(bytes.as_bytes()));
        }
    }

    #[test]
    fn the_range_is_that_of_the_sequences() {
        for (value, want) in [
            (&b"~{VPND~} (1)"[..], Some(0..8)),
            (b"~{list~} a~{VP~} ~{ND~}~ ~}", Some(10..23)),
            (b"\x1B[1m \x1B$B2q\x1B(B ~{VP~} \x1B", Some(5..20)),
            (b"~{list~} \x1B", None),
        ] {
            assert_eq!(raw_shifts_range(value), want, "{}", value.escape_ascii());
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
        ] {
            assert_linear(&unit, 50_000, |n| {
                drop(decode_raw_shifts(&unit.repeat(n)));
            });
        }
    }
}
