//! Message identifiers (RFC 5322 3.6.4, with the obsolete syntax of 4.5.4).
//!
//! # Limits
//!
//! In-Reply-To of old programs holds text too; only what stands in angles counts there, and without any, words with an `@`, or a single word.

use crate::lex;

/// The identifiers of Message-ID, In-Reply-To, References or Content-ID, without angles and folds, as they stand in the message.
pub fn identifiers(value: &[u8]) -> Vec<String> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'<', &value[at..]) {
        let start = at + n + 1;
        let Some(length) = memchr::memchr(b'>', &value[start..]) else { break };
        // Where an angle was left open, the next one begins an identifier of its own.
        let inner = &value[start..start + length];
        let inner = memchr::memrchr(b'<', inner).map_or(inner, |n| &inner[n + 1..]);
        push(inner, &mut list);
        at = start + length + 1;
    }
    if list.is_empty() {
        let bare = value.split(|&b| lex::is_space(b) || matches!(b, b'<' | b'>' | b',' | b'"'));
        let words: Vec<&[u8]> = bare.filter(|word| !word.is_empty()).collect();
        // A word that stands alone is meant as one.
        let alone = words.len() == 1;
        words.into_iter().filter(|word| alone || word.contains(&b'@')).for_each(|word| push(word, &mut list));
    }
    list
}

fn push(inner: &[u8], list: &mut Vec<String>) {
    let bytes: Vec<u8> = inner.iter().copied().filter(|&b| !lex::is_space(b)).collect();
    if !bytes.is_empty() {
        list.push(String::from_utf8_lossy(&bytes).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_what_stands_in_angles() {
        for (value, want) in [
            (" <a@b.example>\r\n\t<c.d@[1.2.3.4]>", vec!["a@b.example", "c.d@[1.2.3.4]"]),
            ("<a@\r\n b.example>", vec!["a@b.example"]),
            ("Your message of Monday <x@y> (really)", vec!["x@y"]),
            ("a@b.example, c@d", vec!["a@b.example", "c@d"]),
            ("<open <a@b>", vec!["a@b"]),
            ("<no-at-sign>", vec!["no-at-sign"]),
            ("<open@x", vec!["open@x"]),
            ("", vec![]),
            ("<>", vec![]),
            ("0002", vec!["0002"]),
            ("no such thing", vec![]),
        ] {
            assert_eq!(identifiers(value.as_bytes()), want, "{value:?}");
        }
    }
}
