//! Decodes and encodes mailbox names in modified UTF-7 (RFC 3501, section 5.1.3).
//!
//! A mailbox name is an identifier, so the decoder is strict: each text has exactly one name, and every other byte
//! string is [`Invalid`].
//!
//! # Limits
//! [`decode_mailbox`] rejects raw UTF-8. Use [`decode_mailbox_utf8`] for servers that send it (RFC 6855, RFC 9051).

use crate::charset::Charset;
use crate::loss::LossLog;
use crate::mode::Mode;
use mailglot_kernel::base64::{NOT_A_DIGIT, values};
use std::fmt::Write as _;

const VALUES: [u8; 256] = values(b',');

/// The name is not valid modified UTF-7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not valid modified UTF-7")
    }
}

impl std::error::Error for Invalid {}

/// Decodes a name in modified UTF-7 (RFC 3501, section 5.1.3).
///
/// Returns [`Invalid`] if the name is not the one form that the RFC allows for its text.
///
/// ```
/// use mailglot_codec::imap_utf7::decode_mailbox;
///
/// assert_eq!(decode_mailbox(b"Entw&APw-rfe").as_deref(), Ok("Entwürfe"));
/// assert!(decode_mailbox(b"Entw&APw").is_err());
/// ```
pub fn decode_mailbox(name: &[u8]) -> Result<String, Invalid> {
    let mut text = String::with_capacity(name.len());
    for piece in Pieces::new(name) {
        match piece {
            NamePiece::Direct(c) => text.push(c),
            NamePiece::Run(run) => text.push_str(&run),
            NamePiece::Bad(_) => return Err(Invalid),
        }
    }
    Ok(text)
}

/// The form that a name was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Modified UTF-7, or ASCII only.
    ModifiedUtf7,
    /// Raw UTF-8, in which `&` is an ordinary character.
    Utf8,
}

/// Like [`decode_mailbox`], but decodes a name with bytes above 7F as raw UTF-8 without control characters. Servers send such names
/// after `ENABLE UTF8=ACCEPT` (RFC 6855, section 3), and some without it. The returned form says which one it was.
///
/// Two names may have the same text, in one form each. Keep the bytes or the form if a name is an identifier.
pub fn decode_mailbox_utf8(name: &[u8]) -> Result<(String, Form), Invalid> {
    if name.is_ascii() {
        return decode_mailbox(name).map(|text| (text, Form::ModifiedUtf7));
    }
    let text = std::str::from_utf8(name).map_err(|_| Invalid)?;
    // RFC 5198 section 2: no controls, not those of C1 either, and no line or paragraph separator.
    if text
        .chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        return Err(Invalid);
    }
    Ok((text.to_owned(), Form::Utf8))
}

/// Decodes a name for display, so that two different names never look the same.
///
/// `\xHH` replaces every byte of an invalid run, and `\` is doubled.
pub fn decode_mailbox_display(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for piece in Pieces::new(name) {
        match piece {
            NamePiece::Direct('\\') => text.push_str("\\\\"),
            NamePiece::Direct(c) => text.push(c),
            NamePiece::Run(run) => text.push_str(&run),
            NamePiece::Bad(bytes) => {
                for byte in bytes {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "\\x{byte:02X}");
                }
            }
        }
    }
    text
}

/// Encodes a name in modified UTF-7 (RFC 3501, section 5.1.3).
///
/// Returns `None` for a text with U+0000, which no mailbox name can contain (RFC 3501, section 9, `CHAR`).
///
/// ```
/// use mailglot_codec::imap_utf7::encode_mailbox;
///
/// assert_eq!(encode_mailbox("Entwürfe").as_deref(), Some("Entw&APw-rfe"));
/// ```
pub fn encode_mailbox(name: &str) -> Option<String> {
    let (mut bytes, mut log) = (Vec::with_capacity(name.len()), LossLog::with_limit(0));
    let mut encoder = Charset::UTF_7_IMAP.new_exact_encoder(Mode::Lenient);
    encoder.push(name, &mut bytes, &mut log);
    let whole = !encoder.is_stopped();
    encoder.finish(&mut bytes, &mut log);
    whole.then(|| bytes.into_iter().map(char::from).collect())
}

fn is_direct(c: char) -> bool {
    matches!(c, ' '..='~')
}

enum NamePiece<'a> {
    Direct(char),
    Run(String),
    Bad(&'a [u8]),
}

/// A name in pieces: direct characters, valid runs, and invalid bytes.
struct Pieces<'a> {
    rest: &'a [u8],
    /// The piece before was a run, after which another one is superfluous.
    after_run: bool,
}

impl<'a> Pieces<'a> {
    fn new(name: &'a [u8]) -> Self {
        Self {
            rest: name,
            after_run: false,
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = NamePiece<'a>;

    fn next(&mut self) -> Option<NamePiece<'a>> {
        let (first, behind) = self.rest.split_first()?;
        let after_run = std::mem::take(&mut self.after_run);
        if *first != b'&' {
            self.rest = behind;
            let c = char::from(*first);
            return Some(if is_direct(c) {
                NamePiece::Direct(c)
            } else {
                NamePiece::Bad(std::slice::from_ref(first))
            });
        }
        let end = behind
            .iter()
            .position(|b| VALUES[usize::from(*b)] == NOT_A_DIGIT)
            .unwrap_or(behind.len());
        let run = &behind[..end];
        let ended = behind.get(end) == Some(&b'-');
        let len = 1 + run.len() + usize::from(ended);
        let (whole, rest) = self.rest.split_at(len);
        self.rest = rest;
        if ended && run.is_empty() {
            return Some(NamePiece::Direct('&'));
        }
        self.after_run = true;
        match decode_run(run) {
            Some(text) if ended && !after_run => Some(NamePiece::Run(text)),
            _ => Some(NamePiece::Bad(whole)),
        }
    }
}

/// The text of a run; `None` unless it is the only way to write that text.
fn decode_run(digits: &[u8]) -> Option<String> {
    let mut units = Vec::with_capacity(digits.len() * 6 / 16);
    let (mut pending, mut bits) = (0_u32, 0);
    for digit in digits {
        pending = pending << 6 | u32::from(VALUES[usize::from(*digit)]);
        bits += 6;
        if bits >= 16 {
            bits -= 16;
            units.push((pending >> bits) as u16);
        }
    }
    if bits >= 6 || pending & ((1 << bits) - 1) != 0 {
        return None;
    }
    let text = String::from_utf16(&units).ok()?;
    (!text.is_empty() && !text.chars().any(|c| is_direct(c) || c == '\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn names_of_the_rfc() {
        let name = b"~peter/mail/&U,BTFw-/&ZeVnLIqe-";
        assert_eq!(
            decode_mailbox(name).as_deref(),
            Ok("~peter/mail/台北/日本語")
        );
        assert_eq!(
            encode_mailbox("~peter/mail/台北/日本語")
                .unwrap()
                .as_bytes(),
            name
        );
        assert_eq!(decode_mailbox(b"&Jjo!"), Err(Invalid));
        assert_eq!(decode_mailbox(b"&U,BTFw-&ZeVnLIqe-"), Err(Invalid));
        assert_eq!(encode_mailbox("a&b").as_deref(), Some("a&-b"));
        assert_eq!(
            (encode_mailbox("a\0b"), decode_mailbox(b"a&AAA-b")),
            (None, Err(Invalid))
        );
    }

    /// All byte strings of up to `most` bytes of an alphabet.
    fn all_names(alphabet: &[u8], most: usize) -> Vec<Vec<u8>> {
        let mut names = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..most {
            let to = names.len();
            for i in from..to {
                names.extend(
                    alphabet
                        .iter()
                        .map(|b| [names[i].as_slice(), &[*b]].concat())
                        .collect::<Vec<_>>(),
                );
            }
            from = to;
        }
        names
    }

    #[test]
    fn raw_utf_8_is_told_from_modified_utf_7() {
        for (name, expected) in [
            ("caf\u{E9}".as_bytes(), Ok(("café", Form::Utf8))),
            ("日本&AKM-".as_bytes(), Ok(("日本&AKM-", Form::Utf8))),
            (b"caf&AOk-", Ok(("café", Form::ModifiedUtf7))),
            (b"plain", Ok(("plain", Form::ModifiedUtf7))),
            (b"&AKM", Err(Invalid)),
            (b"caf\xE9", Err(Invalid)),
            ("\u{E9}\t".as_bytes(), Err(Invalid)),
            ("\u{E9}\u{85}".as_bytes(), Err(Invalid)),
            ("\u{E9}\u{2028}".as_bytes(), Err(Invalid)),
        ] {
            let got = decode_mailbox_utf8(name);
            assert_eq!(
                got.as_ref().map(|(text, form)| (text.as_str(), *form)),
                expected.as_ref().copied()
            );
        }
        assert_eq!(decode_mailbox("caf\u{E9}".as_bytes()), Err(Invalid));
    }

    #[test]
    fn no_two_names_look_the_same() {
        // Every name of up to four bytes of a telling alphabet, up to six of a smaller one, and many longer ones.
        let mut seen: HashMap<String, Vec<u8>> = HashMap::new();
        let mut names = all_names(b"&-AKMo,/\\x26D \x00\x7F\xC3\xA3", 4);
        names.extend(all_names(b"&-A\\x0", 6));
        for runs in [
            "&AKM-",
            "&AKMAow-",
            "&AKM",
            "&AKM-&AKM-",
            "&AKM-&-",
            "\\xA3",
            "&2AA-",
            "&AGE-",
            "\\x26AKM-",
        ] {
            for tail in ["", "-", "&AKM-", "&-", "\\x2D", "a"] {
                names.push(format!("{runs}{tail}").into_bytes());
            }
        }
        names.extend((0..=255).map(|b| vec![b]));
        names.sort();
        names.dedup();
        for name in names {
            let shown = decode_mailbox_display(&name);
            if let Ok(text) = decode_mailbox(&name) {
                assert_eq!(encode_mailbox(&text).unwrap().as_bytes(), name);
                assert_eq!(text.replace('\\', "\\\\"), shown);
            }
            if let Some(other) = seen.insert(shown.clone(), name.clone()) {
                panic!("{name:?} and {other:?} both look like {shown:?}");
            }
        }
    }
}
