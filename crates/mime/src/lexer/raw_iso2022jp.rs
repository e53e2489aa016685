//! Decodes ISO-2022-JP (RFC 1468) in headers without encoded words, as Japanese mail used before RFC 1342.
//!
//! A sequence is `ESC $ B` or `ESC $ @`, characters, and `ESC ( B` or `ESC ( J`. It contains no white space, so a text and its
//! pieces decode alike.
//!
//! # Limits
//!
//! Keeps sequences that are truncated or undecodable.

use mailglot_codec::{Charset, LossLog};

const ESCAPE: u8 = 0x1B;

/// Decodes the sequences of a text and counts them. Returns None without a sequence.
pub(crate) fn decode_raw_iso2022jp(text: &str) -> Option<(String, u64)> {
    let (mut out, mut copied, mut count) = (String::new(), 0, 0);
    for start in memchr::memchr_iter(ESCAPE, text.as_bytes()) {
        let Some((read, length)) = text.as_bytes().get(start..).and_then(sequence) else {
            continue;
        };
        out += text.get(copied..start).unwrap_or_default();
        out += &read;
        copied = start + length;
        count += 1;
    }
    out += text.get(copied..).unwrap_or_default();
    (count > 0).then_some((out, count))
}

/// Returns true if there may be sequences. Fast.
pub(crate) fn has_escape(value: &[u8]) -> bool {
    memchr::memchr(ESCAPE, value).is_some()
}

/// Returns true if there is a sequence.
pub(crate) fn has_raw_iso2022jp(value: &[u8]) -> bool {
    memchr::memchr_iter(ESCAPE, value).any(|at| value.get(at..).and_then(sequence).is_some())
}

/// Returns the length of the sequence at the start of `bytes`.
pub(crate) fn raw_iso2022jp_length(bytes: &[u8]) -> Option<usize> {
    sequence(bytes).map(|(_, length)| length)
}

/// Returns the text and the length of the sequence at the start of `bytes`.
fn sequence(bytes: &[u8]) -> Option<(String, usize)> {
    let characters = bytes
        .strip_prefix(b"\x1B$B")
        .or_else(|| bytes.strip_prefix(b"\x1B$@"))?;
    let end = memchr::memchr(ESCAPE, characters).filter(|end| *end > 0)?;
    let back = characters.get(end..end + 3)?;
    let whole = matches!(back, b"\x1B(B" | b"\x1B(J") && end % 2 == 0;
    if !whole || !characters.get(..end)?.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let length = 3 + end + 3;
    let mut log = LossLog::with_limit(0);
    let text = Charset::ISO_2022_JP
        .decode(bytes.get(..length)?, &mut log)
        .into_owned();
    (log.losses() == 0).then_some((text, length))
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
            ("", None),
        ] {
            let want = want.map(|(text, count)| (text.to_owned(), count));
            assert_eq!(decode_raw_iso2022jp(bytes), want, "{bytes:?}");
            assert_eq!(has_raw_iso2022jp(bytes.as_bytes()), want.is_some());
        }
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in ["\x1B$B2q5D\x1B(B", "\x1B", "\x1B$B", "\x1B$B2q5D"] {
            assert_linear(&unit, 50_000, |n| {
                drop(decode_raw_iso2022jp(&unit.repeat(n)));
            });
        }
    }
}
