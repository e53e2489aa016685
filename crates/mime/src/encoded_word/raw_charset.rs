//! Chooses the charset of raw bytes in a header.

use super::context::{HeaderContext, is_plain};
use crate::Detection;
use crate::charset_choice::MAIL_HINTS;
use mailglot_codec::{Charset, detect};

/// Guesses the charset of raw bytes that are not UTF-8. Returns windows-1252 if they prove nothing or the policy forbids guesses.
pub(super) fn guess(bytes: &[u8], context: &HeaderContext) -> Charset {
    if context.detection == Detection::Off {
        return Charset::WINDOWS_1252;
    }
    let language = context.language;
    // One or two letters alone are no word in any language.
    let is_little = bytes.iter().filter(|b| !b.is_ascii()).count() <= 2;
    if language.is_none() && is_little && !bytes.iter().any(u8::is_ascii_alphabetic) {
        return Charset::WINDOWS_1252;
    }
    let guess = detect::detect(
        bytes,
        &detect::Hints {
            language,
            ..MAIL_HINTS
        },
    );
    if is_plain(guess.charset) && guess.evidence != detect::Evidence::Fallback {
        guess.charset
    } else {
        Charset::WINDOWS_1252
    }
}
