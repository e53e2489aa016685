//! Parses message identifiers (RFC 5322, section 3.6.4, with the obsolete syntax of 4.5.4).
//!
//! # Limits
//!
//! Old programs write text into In-Reply-To: only identifiers in angles count. Without any, words with an `@` or a single word
//! count.

use crate::lexer;
use crate::unlogged::decode_name;
use std::ops::Range;

/// Parses the identifiers of Message-ID, In-Reply-To, References or Content-ID, in their order, without angles and folds. An identifier that is
/// not UTF-8 is read as windows-1252.
///
/// ```
/// use mailglot_mime::fields::identifiers;
///
/// assert_eq!(identifiers(b"<1@a.example>\n <2@b.example>"), ["1@a.example", "2@b.example"]);
/// ```
pub fn identifiers(value: &[u8]) -> Vec<String> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'<', &value[at..]) {
        let Some((inner, end)) = in_angles(value, at + n + 1) else {
            break;
        };
        push(&value[inner], &mut list);
        at = end;
    }
    if list.is_empty() {
        let bare = value.split(|&b| lexer::is_space(b) || matches!(b, b'<' | b'>' | b',' | b'"'));
        let words: Vec<&[u8]> = bare.filter(|word| !word.is_empty()).collect();
        // A single word is an identifier even without an `@`.
        let alone = words.len() == 1;
        words
            .into_iter()
            .filter(|word| alone || word.contains(&b'@'))
            .for_each(|word| push(word, &mut list));
    }
    list
}

/// Returns the range of the identifier whose angle opens before `start`, and the offset after it.
///
/// If the angle is not closed, the next `<` begins a new identifier.
fn in_angles(value: &[u8], mut start: usize) -> Option<(Range<usize>, usize)> {
    let mut at = start;
    loop {
        let byte = *value.get(at)?;
        at = match byte {
            b'>' => return Some((start..at, at + 1)),
            b'<' => {
                start = at + 1;
                start
            }
            // Angles in quoted strings and literals do not count.
            b'"' if at == start || value[at - 1] == b'.' => {
                quoted_local(value, at).unwrap_or(at + 1)
            }
            b'[' if value[at - 1] == b'@' => literal_end(value, at).unwrap_or(at + 1),
            _ => at + 1,
        };
    }
}

/// Maximum number of bytes that are searched for the end of a quoted string or literal.
const MOST: usize = 1_000;

/// Returns the offset after the quoted string at `at`, if the local part or address continues after it.
fn quoted_local(value: &[u8], at: usize) -> Option<usize> {
    let end = lexer::quoted_end(&value[..value.len().min(at + MOST)], at)?;
    matches!(value.get(end), Some(b'@' | b'.')).then_some(end)
}

/// Returns the offset after the literal at `at`, if the closing angle follows it (RFC 5322, section 3.6.4).
fn literal_end(value: &[u8], at: usize) -> Option<usize> {
    let inner = &value[at..value.len().min(at + MOST)];
    // A `<` begins another identifier, so the literal is not closed.
    let end = at + memchr::memchr2(b']', b'<', inner).filter(|n| inner[*n] == b']')? + 1;
    (value.get(end) == Some(&b'>')).then_some(end)
}

fn push(inner: &[u8], list: &mut Vec<String>) {
    let bytes = without_space(inner);
    if !bytes.is_empty() {
        list.push(decode_name(&bytes).into_owned());
    }
}

/// Removes white space from an identifier. In quoted strings, removes only line ends.
fn without_space(inner: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        let is_start = byte == b'"' && matches!(bytes.last(), None | Some(b'.'));
        if let Some(end) = if is_start {
            quoted_local(inner, at)
        } else {
            None
        } {
            let string = inner[at..end].iter();
            bytes.extend(string.filter(|b| !lexer::is_line_end(**b)));
            at = end;
            continue;
        }
        if !lexer::is_space(byte) {
            bytes.push(byte);
        }
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unlogged::decode_unlogged;
    use mailglot_codec::Charset;

    #[test]
    fn identifiers_are_in_angles() {
        for (value, want) in [
            (
                " <a@b.example>\r\n\t<c.d@[1.2.3.4]>",
                vec!["a@b.example", "c.d@[1.2.3.4]"],
            ),
            ("<a@\r\n b.example>", vec!["a@b.example"]),
            ("Your message of Monday <x@y> (really)", vec!["x@y"]),
            ("a@b.example, c@d", vec!["a@b.example", "c@d"]),
            ("<open <a@b>", vec!["a@b"]),
            ("<no-at-sign>", vec!["no-at-sign"]),
            ("<open@x", vec!["open@x"]),
            (
                "<\"a b\"@c> <a@[x>y]> <\"a>b\"@c>",
                vec!["\"a b\"@c", "a@[x>y]", "\"a>b\"@c"],
            ),
            ("<\"a\r\n b\".\"<\"@c>", vec!["\"a b\".\"<\"@c"]),
            ("<\"a <b@c> x\" <d@[e> <f]>", vec!["b@c", "d@[e", "f]"]),
            ("", vec![]),
            ("<>", vec![]),
            ("0002", vec!["0002"]),
            ("no such thing", vec![]),
        ] {
            assert_eq!(identifiers(value.as_bytes()), want, "{value:?}");
        }
    }

    /// Names of computers have such letters. Different identifiers stay different.
    #[test]
    fn letters_beyond_ascii_are_kept() {
        for byte in 0x80..=0xFF_u8 {
            let value = [b"<1$2@J".as_slice(), &[byte], b"rg>"].concat();
            let letter = decode_unlogged(Charset::WINDOWS_1252, &[byte]).into_owned();
            let letter = letter.replace(char::REPLACEMENT_CHARACTER, &char::from(byte).to_string());
            assert_eq!(identifiers(&value), [format!("1$2@J{letter}rg")]);
        }
        assert_eq!(identifiers("<1@Jörg>".as_bytes()), ["1@Jörg"]);
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in ["<\"", "<", "<\".\"", "<a@[", "\"", "<\"a\".", "<a@[x]"] {
            crate::linear::assert_linear(&unit, 100_000, |n| {
                let _ = identifiers(unit.repeat(n).as_bytes());
            });
        }
    }
}
