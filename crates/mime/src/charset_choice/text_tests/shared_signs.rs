//! Removes signs that two double-byte charsets decode alike, such as `「」` and `（）`.
//!
//! The models count `「` as Chinese, so `「충청북도」` looked like GBK. The sign has the same bytes in EUC-KR, and proves neither charset.
//!
//! # Limits
//! Characters of two bytes.

use super::repetitions::characters;
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Replaces each sign that both charsets decode alike with a space.
pub(crate) fn without_shared_signs(bytes: &[u8], one: Charset, other: Charset) -> Cow<'_, [u8]> {
    if one.is_single_byte() || other.is_single_byte() {
        return Cow::Borrowed(bytes);
    }
    let read = |charset: Charset, character: &[u8]| {
        let mut log = LossLog::with_limit(0);
        let text = charset.decode(character, &mut log);
        let mut chars = text.chars();
        let first = chars.next().filter(|_| log.losses() == 0);
        first.filter(|c| !c.is_alphanumeric() && chars.next().is_none())
    };
    let is_shared = |character: &[u8]| {
        character.len() == 2 && {
            let sign = read(one, character);
            sign.is_some() && sign == read(other, character)
        }
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut is_changed = false;
    for character in characters(bytes) {
        if is_shared(character) {
            out.push(b' ');
            is_changed = true;
        } else {
            out.extend_from_slice(character);
        }
    }
    if is_changed {
        Cow::Owned(out)
    } else {
        Cow::Borrowed(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_charsets::charset_named;

    #[test]
    fn signs_that_both_charsets_have_are_removed() {
        for (one, other, text, expected) in [
            ("EUC-KR", "GBK", "「충청북도」", " 충청북도 "),
            ("EUC-KR", "GBK", "교육/훈련", "교육/훈련"),
            // GBK has letters in these places, or another sign.
            ("EUC-KR", "GBK", "ㅋㅋ", "ㅋㅋ"),
            ("Big5", "GBK", "「楊梅」", "「楊梅」"),
            ("EUC-JP", "windows-1252", "「匝瑳市」", "「匝瑳市」"),
        ] {
            let [one, other] = [one, other].map(charset_named);
            let bytes = one.encode_exact(text).unwrap();
            let found = without_shared_signs(&bytes, one, other);
            assert_eq!(one.decode_exact(&found).unwrap(), expected, "{text}");
        }
    }
}
