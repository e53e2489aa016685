//! Decides on words whose label names no known charset.
//!
//! ```text
//! =?x-foo?Q?Your_invoice?=   printable ASCII, as in nearly every charset   Your invoice
//! =?utf-9?Q?caf=C3=A9?=      UTF-8                                         café
//! =?x-foo?Q?caf=E9?=         any charset                                   stays as written
//! =??Q?caf=C3=A9?=           UTF-8                                         café
//! =??Q?Your_invoice?=        no encoded word (RFC 2047, section 2)         stays as written
//! ```
//!
//! # Limits
//!
//! The words of one run are decoded or kept together, so that no blank moves into a text.

use super::Reader;
use super::label_cache::LabelCache;
use crate::charset_choice::by_escapes;
use crate::encoded_word::context::UnknownLabel;
use crate::encoded_word::payload::{self, Sextets};
use crate::lexer::{self, Letter, WordFinder, WordToken};
use mailglot_codec::{Charset, Resolved, detect};

impl Reader<'_> {
    /// Returns the charset for a word with an unknown label, if its bytes or the caller tell one.
    ///
    /// Escape sequences need no label.
    pub(super) fn charset_of_unknown(
        &mut self,
        word: &WordToken,
        labels: &mut LabelCache<'_>,
    ) -> Option<Charset> {
        let bytes = self.payload_bytes(word);
        if let Some(charset) = by_escapes(None, &bytes, self.context.detection) {
            return Some(charset);
        }
        match self.context.unknown {
            UnknownLabel::Keep => None,
            UnknownLabel::IfCertain => {
                let is_certain = self.is_certain_run(word, labels);
                certain_charset(&bytes, !word.label.is_empty()).filter(|_| is_certain)
            }
            UnknownLabel::Fallback(charset) => Some(charset),
            UnknownLabel::Utf8IfValid => std::str::from_utf8(&bytes)
                .is_ok()
                .then_some(Charset::UTF_8),
        }
    }

    /// Returns true if this word, and all words with unknown labels that follow it in its run, are certain.
    ///
    /// Words are asked about from left to right, so the first one of a run decides for all of them.
    fn is_certain_run(&mut self, word: &WordToken, labels: &mut LabelCache<'_>) -> bool {
        if let Some((run, is_certain)) = &self.unknown_run
            && run.contains(&word.range.start)
        {
            return *is_certain;
        }
        let mut finder = WordFinder::new(self.value, self.value.len());
        let mut end = word.range.end;
        let mut is_certain = self.is_certain(word);
        while let Some(next) = finder.word_at(lexer::skip_space(self.value, end)) {
            end = next.range.end;
            let label = &self.value[next.label.clone()];
            if labels.resolve(label).0 == Resolved::Unknown {
                is_certain &= self.is_certain(&next);
            }
        }
        self.unknown_run = Some((word.range.start..end, is_certain));
        is_certain
    }

    /// Returns true if the bytes of a word with an unknown label tell their charset.
    fn is_certain(&self, word: &WordToken) -> bool {
        let bytes = self.payload_bytes(word);
        certain_charset(&bytes, !word.label.is_empty()).is_some()
            || by_escapes(None, &bytes, self.context.detection).is_some()
    }

    /// Decodes the payload of a word alone.
    fn payload_bytes(&self, word: &WordToken) -> Vec<u8> {
        let (text, mut bytes) = (&self.value[word.payload.clone()], Vec::new());
        match word.letter {
            Letter::Q => drop(payload::decode_q(text, false, &mut bytes)),
            Letter::B => drop(payload::decode_b(text, Sextets::default(), &mut bytes)),
        }
        bytes
    }
}

/// Returns US-ASCII for printable ASCII, and UTF-8 for text with characters beyond ASCII; None for anything else.
///
/// ASCII without any label is no encoded word (RFC 2047, section 2): `=??Q?abc?=`.
fn certain_charset(bytes: &[u8], has_label: bool) -> Option<Charset> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.is_empty() || text.contains(char::is_control) {
        return None;
    }
    if !text.is_ascii() {
        return Some(Charset::UTF_8);
    }
    let may_shift = detect::find_hz_shift(bytes).is_some() || has_shift_of_utf7(bytes);
    (has_label && !may_shift).then_some(Charset::US_ASCII)
}

/// Returns true if ASCII may contain a shift of UTF-7 (RFC 2152), or of the names of IMAP folders: `+AOk-`, `&AOk-`.
fn has_shift_of_utf7(bytes: &[u8]) -> bool {
    const SHORTEST: usize = 3;
    memchr::memchr2_iter(b'+', b'&', bytes).any(|at| {
        let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b',');
        let shifted = &bytes[at + 1..];
        let length = shifted.iter().take(SHORTEST).take_while(is_base64).count();
        length == SHORTEST || shifted.get(length) == Some(&b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_and_utf8_are_certain() {
        for (bytes, expected) in [
            (&b"Submit your tax refund"[..], Some(Charset::US_ASCII)),
            (b"R&D, a + b, C++", Some(Charset::US_ASCII)),
            ("Päivää".as_bytes(), Some(Charset::UTF_8)),
            ("日本".as_bytes(), Some(Charset::UTF_8)),
            (b"", None),
            (b"caf\xE9", None),
            (b"a\0b", None),
            (b"a\x1B$B8l\x1B(B", None),
            (b"caf+AOk-", None),
            (b"caf&AOk-", None),
            (b"~{VPND~}", None),
            (b"tab\tbed", None),
            ("\u{85}".as_bytes(), None),
        ] {
            assert_eq!(
                certain_charset(bytes, true),
                expected,
                "{}",
                bytes.escape_ascii()
            );
            let beyond_ascii = expected.filter(|charset| *charset == Charset::UTF_8);
            assert_eq!(certain_charset(bytes, false), beyond_ascii);
        }
    }
}
