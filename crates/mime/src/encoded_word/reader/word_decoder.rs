//! Resolves the label of a word and decodes its payload.
//!
//! # Limits
//!
//! A word stays as written if its label is unknown and nothing tells its charset (`unknown_label`), or if its payload is no base64. If two words share
//! a quantum of base64, its bytes belong to the second word.

use super::label_cache::LabelCache;
use super::{DecodedWord, Reader, same_charset};
use crate::encoded_word::payload::{self, PayloadDamage, Sextets};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{Letter, WordToken};
use mailglot_codec::{Charset, Resolved};

/// The charset that the label of a word names.
struct WordCharset {
    /// The charset; None if the label says nothing.
    charset: Option<Charset>,
    /// True if the caller mapped the label.
    mapped: bool,
    /// True if the label is a name or an alias of the charset, without repair.
    named: bool,
}

/// Returns true for bytes that are no text because blanks in the payload replaced characters of its base64.
fn is_noise(damage: PayloadDamage, charset: Option<Charset>, bytes: &[u8]) -> bool {
    /// Minimum number of controls. A word that lost its last characters has less noise.
    const CONTROLS: usize = 2;
    let is_cut = damage.space && (damage.padding || damage.dropped || damage.foreign);
    // Other charsets have bytes of controls within their characters.
    let has_controls =
        charset.is_none_or(|charset| charset.is_ascii_compatible() && !charset.is_stateful());
    let is_control = |byte: &&u8| {
        byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0E | 0x0F | 0x1B)
    };
    is_cut && has_controls && bytes.iter().filter(is_control).take(CONTROLS).count() == CONTROLS
}

/// The sextets that a word left to the next one, with the damage of the word.
#[derive(Clone, Copy, Default)]
struct CarriedSextets {
    sextets: Sextets,
    damage: PayloadDamage,
}

impl Reader<'_> {
    /// Resolves the label of a word and reports unusual labels. Returns None for a word that stays as written.
    fn resolve_label(
        &mut self,
        word: &WordToken,
        labels: &mut LabelCache<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<WordCharset> {
        let label = &self.value[word.label.clone()];
        let (resolved, mapped) = labels.resolve(label);
        let by_bytes = match resolved {
            Resolved::Unknown => self.charset_of_unknown(word, labels),
            _ => None,
        };
        let mut report = |kind, detail: Detail| {
            findings.add(word.range.clone(), kind, detail);
        };
        if mapped {
            let charset = resolved.charset().map_or(Detail::None, Detail::Charset);
            report(EventKind::CharsetMapped, charset);
        }
        let charset = match resolved {
            Resolved::Unknown => {
                let kind = EventKind::CharsetUnknownLabel;
                let Some(charset) = by_bytes else {
                    report(kind, Reason::WordKept.into());
                    return None;
                };
                report(kind, charset.into());
                Some(charset)
            }
            _ if label.is_empty() => {
                let kind = EventKind::CharsetUnknownLabel;
                report(kind, Reason::WordWithoutCharset.into());
                return None;
            }
            _ => resolved.charset(),
        };
        let means = |charset| Detail::label_means(label, charset);
        match resolved {
            Resolved::Alias(charset) => report(EventKind::CharsetAlias, means(charset)),
            Resolved::Repaired(charset) => report(EventKind::CharsetGarbageLabel, means(charset)),
            Resolved::NoInformation => {
                report(
                    EventKind::CharsetUnknownLabel,
                    Reason::LabelSaysNothing.into(),
                );
            }
            _ => {}
        }
        let named = matches!(resolved, Resolved::Exact(_) | Resolved::Alias(_));
        Some(WordCharset {
            charset,
            mapped,
            named,
        })
    }

    /// Resolves the label of a word and decodes its payload. Returns None for a word that stays as written.
    pub(super) fn ready(
        &mut self,
        mut word: WordToken,
        joined: bool,
        labels: &mut LabelCache<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<DecodedWord> {
        let WordCharset {
            charset,
            mapped,
            named,
        } = self.resolve_label(&word, labels, findings)?;
        let text = &self.value[word.payload.clone()];
        let mut start = self.bytes.len();
        if word.letter == Letter::B && is_q_encoded(text, charset) {
            findings.add(word.range.clone(), EventKind::EwBadToken, Reason::QUnderB);
            word.letter = Letter::Q;
        }
        let (damage, left) = match word.letter {
            Letter::Q => {
                let is_utf8 = charset == Some(Charset::UTF_8);
                let damage = payload::decode_q(text, is_utf8, &mut self.bytes);
                (damage, Sextets::default())
            }
            Letter::B => {
                let carried = if joined {
                    self.carry(charset, text)
                } else {
                    CarriedSextets::default()
                };
                start = self.bytes.len();
                let result = payload::decode_b(text, carried.sextets, &mut self.bytes);
                if !result.plausible || is_noise(result.damage, charset, &self.bytes[start..]) {
                    self.bytes.truncate(start);
                    self.undo_carry(carried);
                    findings.add(word.range, EventKind::EwBadToken, Reason::WordNotBase64);
                    return None;
                }
                // Other readers see the cut.
                let mut damage = result.damage;
                damage.padding |= carried.sextets.count() > 0;
                (damage, result.left)
            }
        };
        Some(DecodedWord {
            word,
            charset,
            mapped,
            named,
            damage,
            bytes: start..self.bytes.len(),
            left,
        })
    }

    /// Takes over the sextets of the word before if its last quantum continues in this payload.
    fn carry(&mut self, charset: Option<Charset>, text: &[u8]) -> CarriedSextets {
        let Some(before) = self.words.last_mut() else {
            return CarriedSextets::default();
        };
        let left = before.left;
        if left.count() == 0 || !same_charset(before.charset, charset) {
            return CarriedSextets::default();
        }
        if !left.wants_more() && payload::stands_alone(text) {
            return CarriedSextets::default();
        }
        let carried = CarriedSextets {
            sextets: left,
            damage: before.damage,
        };
        before.bytes.end -= left.bytes();
        before.damage.padding = true;
        before.damage.dropped = false;
        self.bytes.truncate(before.bytes.end);
        carried
    }

    /// Undoes [`Self::carry`].
    fn undo_carry(&mut self, carried: CarriedSextets) {
        if let Some(before) = self
            .words
            .last_mut()
            .filter(|_| carried.sextets.count() > 0)
        {
            carried.sextets.flush(&mut self.bytes);
            before.bytes.end = self.bytes.len();
            before.damage = carried.damage;
        }
    }
}

/// Returns true if a payload under the letter B is in the Q encoding: `=?utf-8?B?J=C3=B6rg_M=C3=BCller?=`. Each equals sign begins an escape, which base64
/// has only by chance, and the bytes are text in the charset of the word.
fn is_q_encoded(payload: &[u8], charset: Option<Charset>) -> bool {
    let Some(charset) = charset.filter(|charset| charset.is_ascii_compatible()) else {
        return false;
    };
    let is_escape = |at: usize| {
        let digits = payload.get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let mut escapes = memchr::memchr_iter(b'=', payload).peekable();
    if escapes.peek().is_none() || !escapes.all(is_escape) {
        return false;
    }
    let mut bytes = Vec::with_capacity(payload.len());
    payload::decode_q(payload, charset == Charset::UTF_8, &mut bytes);
    let is_proof = charset == Charset::UTF_8 || payload.iter().any(|byte| b"_.,-()".contains(byte));
    is_proof && !bytes.is_ascii() && charset.decode_exact(&bytes).is_some()
}

#[cfg(test)]
mod tests {
    use crate::encoded_word::HeaderContext;
    use crate::encoded_word::value::decode_text;
    use crate::event::EventKind;

    #[test]
    fn noise_from_base64_with_blanks_stays_encoded() {
        for word in [
            "=?ISO-8859-1?B?UEgR lqZ VuIEhlYWQgVH rbGeOIFNob BJc RP2JzZXNzZW?=",
            "=?ISO-8859-1?B?SHVzYmFuZ JzX0JhbGxzL JfU2F5c19BbXiScw==?=",
        ] {
            let mut findings = Vec::new();
            let text = decode_text(word.as_bytes(), &HeaderContext::default(), &mut findings);
            assert_eq!(text, word);
            let kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
            assert_eq!(kinds, [EventKind::EwBadToken]);
        }
        // Blanks alone, a lost end, controls without blanks.
        for (word, want) in [
            ("=?ISO-8859-1?B?SHVz YmFu ZCdz?=", "Husband's"),
            ("=?ISO-8859-1?B?SHVz YmFu ZCd?=", "Husband'"),
            ("=?ISO-8859-1?B?AQIDBA?=", "    "),
            ("=?utf-16be?B?AEgA dQBz?=", "Hus"),
        ] {
            let text = decode_text(word.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            assert_eq!(text, want, "{word}");
        }
    }

    #[test]
    fn q_encoding_under_the_letter_b_is_read() {
        for (value, expected, is_reported) in [
            ("=?utf-8?B?J=C3=B6rg_M=C3=BCller?=", "Jörg Müller", true),
            ("=?utf-8?B?J=C3=B6rg?=", "Jörg", true),
            ("=?iso-8859-1?b?J=F6rg_M=FCller?=", "Jörg Müller", true),
            (
                "=?koi8-r?B?=F0=D2=C9=D7=C5=D4,_Anna?=",
                "Привет, Anna",
                true,
            ),
            ("=?utf-8?B?SsO2cmc=?=", "Jörg", false),
            ("=?utf-8?B?SsO2cg==?= =?utf-8?B?Zw==?=", "Jörg", false),
        ] {
            let mut findings = Vec::new();
            let text = decode_text(value.as_bytes(), &HeaderContext::default(), &mut findings);
            assert_eq!(text, expected, "{value}");
            let mut reported = findings.iter().map(|finding| finding.kind);
            assert_eq!(
                reported.any(|kind| kind == EventKind::EwBadToken),
                is_reported,
                "{value}"
            );
        }
    }
}
