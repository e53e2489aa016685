//! Compares a named charset with a likelier one by the words that both decode differently.
//!
//! ```text
//! <meta charset="iso-8859-1">Hradec Kr\xE1lov\xE9 ... non si pu\xF2     può, not puň
//! ```
//!
//! Words that both charsets decode alike prove their language, not the charset. A Czech name in Italian text is an example.
//!
//! # Limits
//! Compares single-byte charsets that have a model. Others decode nearly all words differently.

use super::case_faults::outweighs;
use crate::charset_choice::thresholds::window;
use crate::unlogged::decode_unlogged;
use mailglot_codec::Charset;
use mailglot_codec::detect::{self, Hints, Rival};

/// Returns true if a likelier charset outweighs the one that a document declares, also in the words that both decode differently.
pub(crate) fn outweighs_declaration(
    rival: &Rival,
    declared: Charset,
    bytes: &[u8],
    hints: &Hints<'_>,
) -> bool {
    let other = rival.guess.charset;
    outweighs(rival, declared, bytes)
        && contested_words(declared, other, bytes)
            .and_then(|words| detect::margin_over(&words, declared, other, hints))
            .is_none_or(|margin| margin > 0.0)
}

/// Returns the words with bytes above 7F that the charsets decode differently. Returns None for other charsets, and if all words are.
fn contested_words(one: Charset, other: Charset, bytes: &[u8]) -> Option<Vec<u8>> {
    if !one.is_single_byte() || !other.is_single_byte() {
        return None;
    }
    let text = |charset: Charset, word| decode_unlogged(charset, word);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let (mut contested, mut has_others) = (Vec::new(), false);
    for word in window(bytes).split(|byte| !is_letter(byte)) {
        if word.is_ascii() {
            continue;
        }
        if text(one, word) == text(other, word) {
            has_others = true;
        } else {
            contested.extend_from_slice(word);
            contested.push(b' ');
        }
    }
    (has_others && !contested.is_empty()).then_some(contested)
}

#[cfg(test)]
mod tests {
    use crate::charset_choice::{Evidence, choose};
    use crate::document_charset::Document;
    use crate::test_charsets::encoded;
    use mailglot_codec::{Charset, Resolved};

    fn read(charset: &str, declared: &str, text: &str) -> [String; 2] {
        let html =
            format!("<html><head><meta charset={declared}></head><body>{text}</body></html>");
        let bytes = encoded(charset, &html);
        [None, Some(Charset::UTF_8)].map(|label| {
            let evidence = Evidence {
                label: label.map(|_| &b"utf-8"[..]),
                resolved: label.map(Resolved::Exact),
                document: Some(Document::Html),
                ..Evidence::default()
            };
            let text = choose(&bytes, &evidence).text;
            let start = text.find("<body>").unwrap() + 6;
            text[start..text.find("</body>").unwrap()].to_owned()
        })
    }

    /// Foreign names do not disprove a declaration.
    #[test]
    fn words_that_read_alike_prove_no_charset() {
        for text in [
            "<p>Hradec Králové</p>\n<p>non si può usare una sottoquery nel vincolo di controllo</p>",
            "<p>Plzeň</p>",
        ] {
            let charset = if text.contains('ň') {
                "ISO-8859-2"
            } else {
                "ISO-8859-1"
            };
            assert_eq!(read(charset, charset, text), [text, text]);
        }
    }

    /// A wrong declaration loses.
    #[test]
    fn words_that_read_differently_disprove_a_declaration() {
        for (charset, text) in [
            (
                "ISO-8859-2",
                "Příliš žluťoučký kůň úpěl ďábelské ódy a zůstal státi v Hradci Králové",
            ),
            (
                "windows-1250",
                "Zażółć gęślą jaźń, chłopiec poszedł do szkoły i wrócił późno",
            ),
            (
                "windows-1251",
                "Привет, Мария! Завтра я приеду поздно, ужинайте без меня",
            ),
        ] {
            assert_eq!(read(charset, "iso-8859-1", text), [text, text]);
        }
    }
}
