//! Chooses how to decode the raw bytes of a value, from its words, its other raw bytes and the message.
//!
//! # Limits
//!
//! All raw texts of a value that are not UTF-8 have one charset. Nothing is guessed in addresses.

use super::{Reader, Segment, same_charset};
use crate::charset_choice::{RawReading, has_letters, utf8_outweighs_message};
use crate::encoded_word::context::is_plain;
use crate::encoded_word::raw_charset::read_raw;
use crate::lexer::LexicalContext;
use crate::policy::Detection;
use mailglot_codec::Charset;
use std::borrow::Cow;
use std::ops::Range;

impl Reader<'_> {
    /// Returns raw bytes as UTF-8, unless they are UTF-8 only by chance.
    ///
    /// The message, the words of the value or its other raw bytes may name another charset that fits.
    pub(in crate::encoded_word) fn utf8<'t>(
        &self,
        bytes: &'t [u8],
        lexical: LexicalContext,
    ) -> Option<&'t str> {
        let text = std::str::from_utf8(bytes).ok()?;
        if bytes.is_ascii() || lexical == LexicalContext::Address {
            return Some(text);
        }
        utf8_outweighs_message(self.rival(), bytes, text).then_some(text)
    }

    /// Returns how to decode raw bytes that are not UTF-8.
    ///
    /// Does not guess in addresses: they are never rewritten, and their reading must not depend on text that is.
    pub(in crate::encoded_word) fn raw_reading(&self, lexical: LexicalContext) -> RawReading {
        if lexical == LexicalContext::Address {
            let is_certain = |_: &Charset| !self.context.raw_is_uncertain || self.named().is_none();
            let raw = self.context.plain_raw().filter(is_certain);
            return RawReading::In(raw.unwrap_or(Charset::WINDOWS_1252));
        }
        *self.reading.get_or_init(|| {
            let mut raw = Vec::new();
            for bytes in self.legacy() {
                raw.extend_from_slice(&bytes);
                raw.push(b' ');
            }
            // UTF-8 by chance is in the charset that UTF-8 was weighed against.
            let rival = raw.is_empty().then(|| self.rival()).flatten();
            rival.map_or_else(
                || read_raw(&raw, self.named(), &self.context),
                RawReading::In,
            )
        })
    }

    /// Returns the charset that all words of the value share.
    pub(super) fn named(&self) -> Option<Charset> {
        *self.named.get_or_init(|| {
            let mut used = self
                .words
                .iter()
                .filter_map(|w| w.charset)
                .map(|label| self.context.disproved.charset_or_label(label))
                .filter(|&c| c != Charset::US_ASCII);
            let first = used.next().filter(|&c| is_plain(c))?;
            used.all(|c| same_charset(Some(c), Some(first)))
                .then_some(first)
        })
    }

    /// Returns the range of each text between words that is not valid UTF-8. Leaves out addresses.
    ///
    /// *Example*: the range of `\xE9t\xE9` in `\xE9t\xE9 =?utf-8?Q?a?=`.
    pub(super) fn legacy_texts(&self) -> impl Iterator<Item = Range<usize>> {
        let is_raw = |s: &&Segment| s.words.is_empty() && s.lexical != LexicalContext::Address;
        let raw = self.segments.iter().filter(is_raw);
        let ranges = raw.map(|segment| segment.range.clone());
        ranges.filter(|range| std::str::from_utf8(&self.value[range.clone()]).is_err())
    }

    /// Returns the raw texts of the value that are not UTF-8, without folds within their characters.
    fn legacy(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let texts = self.legacy_texts().map(|range| self.without_splits(range));
        texts.filter(|bytes| std::str::from_utf8(bytes).is_err())
    }

    /// Returns the charset that competes with valid UTF-8 for raw bytes.
    fn rival(&self) -> Option<Charset> {
        *self.rival.get_or_init(|| {
            let may_guess = self.context.detection != Detection::Off;
            let guessed = || {
                (may_guess && self.legacy().any(|bytes| has_letters(&bytes)))
                    .then(|| self.raw_reading(LexicalContext::Text).charset())
                    .filter(|&charset| is_plain(charset))
            };
            self.context
                .rival_of_utf8()
                .or_else(|| self.named())
                .or_else(guessed)
        })
    }
}
