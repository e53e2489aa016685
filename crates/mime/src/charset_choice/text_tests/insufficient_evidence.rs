//! Detects bytes that prove too little for a guess at their charset: one letter or symbol, repeated or alone.
//!
//! # Limits
//! Two different bytes may be a word. One is enough if a language or a country is known.

use super::neighbor_bytes::byte_or_blank;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, high_bytes};

/// Returns true if a single byte value above 7F occurs, and it proves nothing.
///
/// It proves nothing if `guessed` and windows-1252 decode it differently, and it is never a letter within an ASCII word.
pub(crate) fn is_insufficient(bytes: &[u8], guessed: Charset) -> bool {
    let Some(byte) = only_high_byte(bytes) else {
        return false;
    };
    let read = |charset: Charset| decode_unlogged(charset, &[byte]).into_owned();
    if guessed == Charset::MACINTOSH && detect::mac_signs(bytes) > 0 {
        return false;
    }
    if guessed == Charset::ISO_8859_15 && detect::has_euro(bytes) {
        return false;
    }
    if !guessed.is_single_byte() || read(guessed) == read(Charset::WINDOWS_1252) {
        return false;
    }
    let is_letter = detect::has_letters(&[byte], guessed);
    let at = |at: Option<usize>| byte_or_blank(bytes, at);
    let in_word = |place: usize| {
        let (before, after) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        before != byte
            && after != byte
            && (before.is_ascii_alphabetic() || after.is_ascii_alphabetic())
    };
    !(is_letter && high_bytes(bytes).any(in_word))
}

/// Returns the byte value above 7F if exactly one occurs.
pub(crate) fn only_high_byte(bytes: &[u8]) -> Option<u8> {
    let mut high = high_bytes(bytes).map(|at| bytes[at]);
    let first = high.next()?;
    high.all(|byte| byte == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_byte_is_evidence_only_in_words() {
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
            (b"don\xd5t", "macintosh", false),
            (b"5 \xa4", "ISO-8859-15", false),
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
