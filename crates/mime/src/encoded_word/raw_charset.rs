//! Chooses the charset of raw bytes in a header.
//!
//! # Limits
//! All raw bytes of a value that are not UTF-8 have one reading.

use super::context::{HeaderContext, is_plain};
use crate::charset_choice::{RawEvidence, RawReading};
use crate::event::{Detail, EventKind, Finding};
use crate::policy::Detection;
use mailglot_codec::{Charset, detect};
use std::cell::OnceCell;
use std::ops::Range;

/// Chooses how to decode raw bytes that are not UTF-8. `own` is the charset of the words beside them.
pub(super) fn read_raw(bytes: &[u8], own: Option<Charset>, context: &HeaderContext) -> RawReading {
    let raw = context.plain_raw();
    if context.detection == Detection::Off {
        let raw = raw.filter(|_| !context.raw_is_uncertain || own.is_none());
        return RawReading::In(raw.or(own).unwrap_or(Charset::WINDOWS_1252));
    }
    let is_proven = !context.raw_is_inferred && !context.raw_is_uncertain;
    let text = RawEvidence {
        bytes,
        given: raw.filter(|_| is_proven),
        named: [own, raw.filter(|_| !is_proven)],
        is_last_uncertain: context.raw_is_uncertain,
        is_last_default: context.raw_is_default,
        hints: context.hints(),
        scope: context.label_scope(),
    };
    let guessed = OnceCell::new();
    text.read(|| *guessed.get_or_init(|| guess(bytes, context)))
}

/// Builds the finding for bytes of another charset in UTF-8 text that begins at `start`. Returns None without such bytes.
pub(super) fn mixed_finding(raw: &[u8], start: usize, other: Charset) -> Option<Finding> {
    let (mut at, mut found, mut count) = (start, None::<Range<usize>>, 0);
    for chunk in raw.utf8_chunks() {
        at += chunk.valid().len();
        let end = at + chunk.invalid().len();
        if end == at + 1 {
            found.get_or_insert(at..end).end = end;
            count += 1;
        }
        at = end;
    }
    let kind = EventKind::CharsetMixed;
    found.map(|found| Finding::counted(found, kind, Detail::WithinUtf8(other), count))
}

/// Guesses the charset of raw bytes that are not UTF-8. Returns windows-1252 if they prove nothing.
fn guess(bytes: &[u8], context: &HeaderContext) -> Charset {
    // One or two letters alone are no word in any language.
    let is_little = bytes.iter().filter(|b| !b.is_ascii()).count() <= 2;
    if context.language.is_none() && is_little && !bytes.iter().any(u8::is_ascii_alphabetic) {
        return Charset::WINDOWS_1252;
    }
    let guess = detect::detect(bytes, &context.hints());
    if is_plain(guess.charset) && guess.evidence != detect::Evidence::Fallback {
        guess.charset
    } else {
        Charset::WINDOWS_1252
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_two_letters_are_no_evidence() {
        for bytes in [&b"\xe4"[..], b"\xdc", b"1. \xe4 \xc4", b"\xcf\xf0"] {
            assert_eq!(
                guess(bytes, &HeaderContext::default()),
                Charset::WINDOWS_1252,
                "{}",
                bytes.escape_ascii()
            );
        }
        let word = b"\xcf\xf0\xe8\xe2\xe5\xf2";
        assert_eq!(
            guess(word, &HeaderContext::default()).name(),
            "windows-1251"
        );
        let russian = HeaderContext {
            language: Some("ru"),
            ..HeaderContext::default()
        };
        assert_ne!(guess(b"\xcf\xf0", &russian), Charset::WINDOWS_1252);
        let off = HeaderContext {
            detection: Detection::Off,
            ..HeaderContext::default()
        };
        assert_eq!(read_raw(word, None, &off).charset(), Charset::WINDOWS_1252);
    }
}
