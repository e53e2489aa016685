//! Bytes that tell too little for a guess at their charset: one letter or sign, over and over or alone.
//!
//! # Limits
//! Two kinds of bytes may be a word. Where a language or a country is told, one is enough.

use mailglot_codec::detect::{self, high_bytes};
use mailglot_codec::{Charset, LossLog};

/// Whether there is one kind of byte above 7F only, which the charset that was guessed reads otherwise than windows-1252 does, and never as a
/// letter within a word of ASCII.
pub(super) fn is_insufficient(bytes: &[u8], guessed: Charset) -> bool {
    let Some(byte) = only_high_byte(bytes) else {
        return false;
    };
    let read = |charset: Charset| {
        charset
            .decode(&[byte], &mut LossLog::with_limit(0))
            .into_owned()
    };
    if !guessed.is_single_byte() || read(guessed) == read(Charset::WINDOWS_1252) {
        return false;
    }
    let is_letter = detect::has_letters(&[byte], guessed);
    let at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let in_word = |place: usize| {
        let (before, after) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        before != byte
            && after != byte
            && (before.is_ascii_alphabetic() || after.is_ascii_alphabetic())
    };
    !(is_letter && high_bytes(bytes).any(in_word))
}

/// The only kind of byte above 7F.
pub(super) fn only_high_byte(bytes: &[u8]) -> Option<u8> {
    let mut high = high_bytes(bytes).map(|at| bytes[at]);
    let first = high.next()?;
    high.all(|byte| byte == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_byte_tells_little_but_in_words() {
        for (bytes, guessed, want) in [
            (&b"abc \xff\xff def"[..], "ISO-8859-13", true),
            (b"x\xff y\xff", "ISO-8859-13", true),
            (b"\xff\xff\xff\xff\xff\xff", "windows-1251", true),
            (b"\xf8\xf8 x", "windows-1255", true),
            (b"abc\xff\xffdef", "windows-1251", true),
            (b"Ku\xf8e", "windows-1250", false),
            (b"Pawe\xb3", "ISO-8859-2", false),
            (b"10 \xb0C", "windows-1258", false),
            (b"caf\xe9", "windows-1252", false),
            (b"\xc4\xe0", "windows-1251", false),
            (b"plain", "windows-1251", false),
        ] {
            let charset = Charset::for_name(guessed).unwrap_or(Charset::UTF_8);
            assert_eq!(
                is_insufficient(bytes, charset),
                want,
                "{} {guessed}",
                bytes.escape_ascii()
            );
        }
    }
}
