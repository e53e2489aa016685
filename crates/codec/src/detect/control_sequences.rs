//! Removes control sequences of terminals (ECMA-48), such as `ESC [ 1 ; 31 m`, before detection: they are no text in any charset.
//!
//! # Limits
//! Other escape sequences stay. They may designate character sets.

use std::borrow::Cow;

/// Returns the bytes without complete control sequences: `ESC [`, parameters and intermediate bytes, a final byte.
pub(super) fn without_control_sequences(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memmem::find(bytes, b"\x1b[") else {
        return Cow::Borrowed(bytes);
    };
    let (mut text, mut copied) = (Vec::with_capacity(bytes.len()), 0);
    for at in memchr::memchr_iter(0x1B, &bytes[first..]).map(|at| first + at) {
        let length = length(&bytes[at..]);
        if length > 0 {
            text.extend_from_slice(&bytes[copied..at]);
            copied = at + length;
        }
    }
    text.extend_from_slice(&bytes[copied..]);
    Cow::Owned(text)
}

/// Returns the length of the control sequence at the start of `bytes`, or 0.
fn length(bytes: &[u8]) -> usize {
    let Some(behind) = bytes.strip_prefix(b"\x1b[") else {
        return 0;
    };
    let last = behind.iter().position(|byte| !matches!(byte, b' '..=b'?'));
    let last = last.filter(|at| matches!(behind[*at], b'@'..=b'~'));
    last.map_or(0, |at| at + 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::Charset;
    use crate::detect::{Hints, detect};

    #[test]
    fn complete_sequences_are_removed() {
        for (bytes, want) in [
            (&b"plain"[..], &b"plain"[..]),
            (b"\x1b[1;31mred\x1b[m", b"red"),
            (b"a\x1b[\x1b[2Jb\x1b[?25l\x1b[0 q", b"a\x1b[b"),
            (b"\x1b[1\n\x1b[1", b"\x1b[1\n\x1b[1"),
            (b"\x1b$B8l\x1b(B\x1b[m", b"\x1b$B8l\x1b(B"),
            (b"\x1b[\xE9\x1b[7m\xE9", b"\x1b[\xE9\xE9"),
        ] {
            let read = without_control_sequences(bytes);
            assert_eq!(*read, *want, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    #[cfg(feature = "detect")]
    fn colored_text_is_detected() {
        for (charset, text) in [
            (Charset::KOI8_R, "Привет всем, вчера в клубе было собрание"),
            (
                Charset::BIG5,
                "我覺得這個問題很有趣，大家可以一起討論看看。",
            ),
            (
                Charset::SHIFT_JIS,
                "これは引用された文章です。とても面白い。",
            ),
            (Charset::GBK, "我觉得这个问题很有意思，大家可以一起讨论。"),
        ] {
            let mut bytes = Vec::new();
            for c in text.chars() {
                bytes.extend_from_slice(b"\x1b[1;33m");
                let c = charset
                    .encode_exact(c.encode_utf8(&mut [0; 4]))
                    .map(Cow::into_owned);
                bytes.extend(c.expect("the charset has every character"));
            }
            let guess = detect(&bytes, &Hints::default());
            let read = |charset: Charset| charset.decode_exact(&bytes).map(Cow::into_owned);
            assert_eq!(read(guess.charset), read(charset), "{charset}");
        }
    }
}
