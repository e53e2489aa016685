//! Reads words of another charset in lines of UTF-8. Mail merge programs insert such names.
//!
//! ```text
//! label utf-8   "Bonjour Fran\xE7ois, votre commande a \xC3\xA9t\xC3\xA9"   `François` is in windows-1252
//! ```
//!
//! # Limits
//! Finds words in single-byte charsets only. The bytes of their letters are E0 or above, and the words do not end the text. Bytes that may be
//! pieces of the text's own characters are damage.

use super::mixed_text::{MixedText, RestCharset};
use super::mixed_utf8::{has_no_sequence, is_single_byte_ascii, read_lines};
use crate::charset_choice::text_tests::truncated_utf8::CutCharacters;
use crate::charset_choice::text_tests::utf8_sequences::{malformed, sequences};
use mailglot_codec::detect;
use std::ops::Range;

/// Decodes the foreign words of a text in UTF-8 that is not valid. `find` detects their charset. Returns None without such words.
pub(super) fn words_in_utf8(
    bytes: &[u8],
    find: impl Fn(&[u8]) -> RestCharset,
) -> Option<MixedText> {
    sequences(bytes).next()?;
    let words = foreign_words(bytes);
    let mut joined = Vec::new();
    for word in &words {
        joined.extend_from_slice(&bytes[word.clone()]);
        joined.push(b'\n');
    }
    if joined.is_empty() {
        return None;
    }
    let other = find(&joined);
    let is_usable =
        is_single_byte_ascii(other.charset) && detect::has_letters(&joined, other.charset);
    is_usable.then(|| read_lines(bytes, other, words))?
}

/// Returns the words of ASCII letters and other bytes that begin no character of the text: `Fran\xE7ois`.
fn foreign_words(bytes: &[u8]) -> Vec<Range<usize>> {
    /// Lead bytes of Latin, Greek, Cyrillic, Hebrew and Arabic letters begin damage rather than words.
    const LAST_SHORT_LEAD: u8 = 0xDF;
    const MIN_LETTERS: usize = 2;
    let cuts = CutCharacters::new(bytes);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    // The text may be cut within its last character.
    let end = bytes.trim_ascii_end().len();
    let (mut words, mut examined) = (Vec::new(), 0);
    for at in malformed(bytes).filter(|at| at.len() == 1) {
        if at.start < examined {
            continue;
        }
        let before = bytes[..at.start].iter().rev().take_while(|b| is_letter(b));
        let after = bytes[at.end..].iter().take_while(|b| is_letter(b));
        let range = at.start - before.count()..at.end + after.count();
        let word = &bytes[range.clone()];
        examined = range.end;
        let is_foreign = |piece: Range<usize>| {
            let place = range.start + piece.start..range.start + piece.end;
            piece.len() == 1
                && word[piece.start] > LAST_SHORT_LEAD
                && place.end < end
                && !cuts.begins_letter(word[piece.start])
        };
        let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic());
        if has_no_sequence(word)
            && letters.count() >= MIN_LETTERS
            && malformed(word).all(is_foreign)
        {
            words.push(range);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Charset;

    const LATIN: fn(&[u8]) -> RestCharset = |_| RestCharset::named(Charset::WINDOWS_1252);

    #[test]
    fn words_of_another_charset_are_read_within_lines_of_utf8() {
        let order = "votre commande a été expédiée, Hélène.\n";
        let mixed = words_in_utf8(
            &[b"Bonjour Fran\xE7ois Lef\xE8vre, ", order.as_bytes()].concat(),
            LATIN,
        );
        let mixed = mixed.expect("two words");
        assert_eq!(mixed.text, format!("Bonjour François Lefèvre, {order}"));
        assert_eq!((mixed.runs, mixed.first, mixed.log.losses()), (2, 8, 0));
        let latin2 = RestCharset::named(Charset::ISO_8859_2);
        let text = [
            &b"Pan Dvo\xF8\xE1k, "[..],
            "objednávka byla odeslána.\n".as_bytes(),
        ];
        let mixed = words_in_utf8(&text.concat(), |_| latin2).expect("a word");
        assert_eq!(mixed.text, "Pan Dvořák, objednávka byla odeslána.\n");
        for damaged in [
            // Bytes that begin letters of the text, or of its emoji.
            &b"Gr\xC3\xBC\xC3\x9Fe an die Lehrkr\xC3 te\n"[..],
            "日本語の本 ab\u{65e5}".as_bytes(),
            b"\xE6\x97\xA5\xE6\x9C\xAC ab\xE6 cd\n",
            b"Gr\xC3\xBC\xC3\x9Fe x\xE9 y\n",
            b"Gr\xC3\xBC\xC3\x9Fe \x92ab\n",
        ] {
            let text = words_in_utf8(damaged, LATIN).map(|mixed| mixed.text);
            assert_eq!(text, None, "{}", damaged.escape_ascii());
        }
    }

    #[test]
    fn long_words_take_linear_time() {
        for unit in ["a\u{e9}\u{3}", "a\u{e9}", "ab\u{e9} "] {
            let unit = Charset::WINDOWS_1252.encode_exact(unit).expect("encodable");
            crate::linear::assert_linear(&"foreign words", 20_000, |n| {
                let text = [
                    "\u{e9} \u{e9}a".as_bytes(),
                    &unit.repeat(n),
                    "\u{e9}".as_bytes(),
                ];
                let _ = words_in_utf8(&text.concat(), LATIN);
            });
        }
    }
}
