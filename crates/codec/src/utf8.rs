//! Decodes UTF-8 (RFC 3629) and CESU-8 (Unicode Technical Report 26).
//!
//! One U+FFFD replaces each maximal subpart of an ill-formed sequence, as in WHATWG and Unicode 3.9. The log records the whole
//! intended sequence in one range (`overlong`, `cesu-pair`, `obsolete-6` …).
//!
//! # Limits
//! Under the label UTF-8, forms of RFC 2279 and CESU-8 pairs are reported, and repaired only on request ([`crate::Repair`]);
//! `C0 80` is never NUL.

use crate::decode::{Chunk, Decode};
use crate::loss::LossKind;
use crate::mode::Mode;
use crate::options::{DecodeOptions, Repair};
use crate::sink::Sink;
use mailglot_kernel::utf8::valid_prefix;

/// The byte order mark in UTF-8.
pub(crate) const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Returns true if bytes are valid UTF-8, like [`std::str::from_utf8`], with vector instructions.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn is_utf8(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}

/// A UTF-8 decoder.
#[derive(Clone, Debug)]
pub(crate) struct Utf8Decoder {
    forms: Forms,
    /// True if a byte order mark at the start is removed.
    strips_mark: bool,
}

/// Forms beyond RFC 3629 that are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Forms {
    pairs: Pairs,
    /// Overlong forms of U+0080 to U+10FFFF are repaired.
    rfc_2279: bool,
}

/// How a surrogate pair in two times three bytes is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Pairs {
    /// Six malformed bytes.
    #[default]
    Damage,
    /// A character, and a note.
    Repaired,
    /// A character (CESU-8).
    Sound,
    /// A character, and the form of four bytes is an error (strict CESU-8).
    Required,
}

impl Utf8Decoder {
    pub(crate) fn new(options: DecodeOptions) -> Self {
        let pairs = if options.repairs(Repair::Cesu8) {
            Pairs::Repaired
        } else {
            Pairs::Damage
        };
        Self::with(pairs, options)
    }

    pub(crate) fn cesu(options: DecodeOptions) -> Self {
        let strict = options.mode() == Mode::Strict;
        Self::with(
            if strict {
                Pairs::Required
            } else {
                Pairs::Sound
            },
            options,
        )
    }

    fn with(pairs: Pairs, options: DecodeOptions) -> Self {
        Self {
            forms: Forms {
                pairs,
                rfc_2279: options.repairs(Repair::Rfc2279),
            },
            strips_mark: options.strips_mark(),
        }
    }
}

impl Utf8Decoder {
    /// Returns the valid text at the start of `bytes`, if it is the text that decoding gives, without an entry in the log. `is_start` tells
    /// that they begin the input.
    pub(crate) fn text_at_start<'b>(&self, bytes: &'b [u8], is_start: bool) -> &'b str {
        let may_be_mark = is_start && self.strips_mark && bytes.first() == Some(&BOM[0]);
        if may_be_mark || self.forms.pairs == Pairs::Required {
            return "";
        }
        let whole = &bytes[..bytes.len() - cut_sequence(bytes)];
        mailglot_kernel::utf8::as_str(whole).unwrap_or_else(|| valid_prefix(whole))
    }
}

/// Returns the length of a sequence at the end of `bytes` that may go on.
fn cut_sequence(bytes: &[u8]) -> usize {
    /// Bytes of the longest sequence that is cut.
    const MOST: usize = 3;
    let is_lead = |byte: &u8| *byte >= 0xC0;
    let near = &bytes[bytes.len().saturating_sub(MOST)..];
    near.iter().rposition(is_lead).map_or(0, |at| {
        let length = near.len() - at;
        let announced = near[at].leading_ones() as usize;
        if announced > length { length } else { 0 }
    })
}

impl Decode for Utf8Decoder {
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        if rest.base == 0 && self.strips_mark {
            if rest.bytes.starts_with(&BOM) {
                sink.note(0..3, LossKind::ByteOrderMark);
                return Some(3);
            }
            if !rest.last && BOM.starts_with(rest.bytes) {
                return None;
            }
        }
        step(rest, self.forms, sink)
    }

    fn expected_len(&self, bytes: &[u8]) -> usize {
        bytes.len() + 16
    }
}

/// Decodes a run of valid characters, or one ill-formed sequence; see [`Decode::step`]. At most five bytes stay behind.
#[inline(always)]
pub(crate) fn step(rest: Chunk<'_>, forms: Forms, sink: &mut Sink<'_>) -> Option<usize> {
    let valid = valid_prefix(rest.bytes);
    if !valid.is_empty() {
        if forms.pairs == Pairs::Required {
            record_long_forms(valid.as_bytes(), rest.base, sink);
        }
        sink.put_str(valid);
        return Some(valid.len());
    }
    let form = ill_formed(rest.bytes, rest.last)?;
    let range = rest.range(form.len);
    if let Some((c, kind)) = repaired(&rest.bytes[..form.len], &form, forms) {
        if let Some(kind) = kind {
            sink.record(range, kind);
        }
        sink.put_char(c);
    } else {
        sink.replace_by(range, form.kind, form.replacements);
    }
    Some(form.len)
}

/// Returns the character of an ill-formed sequence that the options repair, and the kind of its log entry, if any.
fn repaired(bytes: &[u8], form: &IllFormed, forms: Forms) -> Option<(char, Option<LossKind>)> {
    match form.kind {
        LossKind::CesuPair => {
            let kind = match forms.pairs {
                Pairs::Damage => return None,
                Pairs::Repaired => Some(LossKind::CesuPairRepaired),
                Pairs::Sound | Pairs::Required => None,
            };
            surrogate_pair(bytes).map(|c| (c, kind))
        }
        LossKind::Overlong | LossKind::Obsolete5 | LossKind::Obsolete6 if forms.rfc_2279 => {
            let (lead, trail) = bytes.split_first()?;
            if trail.len() + 1 != lead.leading_ones() as usize {
                return None;
            }
            let first = u32::from(lead & (0x7F >> lead.leading_ones()));
            // Six bytes hold 31 bits.
            let scalar = trail
                .iter()
                .fold(first, |bits, byte| bits << 6 | u32::from(byte & 0x3F));
            let c = char::from_u32(scalar).filter(|c| !c.is_ascii())?;
            Some((c, Some(LossKind::Rfc2279Repaired)))
        }
        _ => None,
    }
}

/// Logs the four-byte forms, which CESU-8 writes as pairs.
fn record_long_forms(valid: &[u8], start: u64, sink: &mut Sink<'_>) {
    for (at, _) in valid.iter().enumerate().filter(|(_, byte)| **byte >= 0xF0) {
        sink.record(start + at as u64..start + at as u64 + 4, LossKind::Invalid);
    }
}

/// An ill-formed sequence: its intended form, and the number of U+FFFD that replace it.
struct IllFormed {
    len: usize,
    kind: LossKind,
    replacements: usize,
}

impl IllFormed {
    fn new(len: usize, kind: LossKind, replacements: usize) -> Self {
        Self {
            len,
            kind,
            replacements,
        }
    }
}

/// Names the ill-formed sequence at the start; `None` if more input must be seen.
#[inline(always)]
fn ill_formed(bytes: &[u8], last: bool) -> Option<IllFormed> {
    let lead = bytes[0];
    let second = bytes.get(1).copied().unwrap_or(0);
    // Bytes that the lead announces, whether each would be a U+FFFD of its own, and the name of the whole form.
    let (announced, impossible) = match lead {
        0x80..=0xBF => {
            return Some(IllFormed::new(1, LossKind::StrayContinuation, 1));
        }
        0xC0..=0xC1 => (2, LossKind::Overlong),
        0xE0 if (0x80..0xA0).contains(&second) => (3, LossKind::Overlong),
        0xED if (0xA0..0xC0).contains(&second) => (3, LossKind::Surrogate),
        0xF0 if (0x80..0x90).contains(&second) => (4, LossKind::Overlong),
        0xF4 if (0x90..0xC0).contains(&second) => (4, LossKind::TooLarge),
        0xC2..=0xDF => (2, LossKind::Truncated),
        0xE0..=0xEF => (3, LossKind::Truncated),
        0xF0..=0xF4 => (4, LossKind::Truncated),
        0xF5..=0xF7 => (4, LossKind::TooLarge),
        0xF8..=0xFB => (5, LossKind::Obsolete5),
        0xFC..=0xFD => (6, LossKind::Obsolete6),
        _ => {
            return Some(IllFormed::new(1, LossKind::InvalidByte, 1));
        }
    };
    let len = trail_end(bytes, announced);
    if len == bytes.len() && len < announced && !last {
        return None;
    }
    if impossible == LossKind::Truncated {
        return Some(IllFormed::new(len, LossKind::Truncated, 1));
    }
    if len == 1 {
        return Some(IllFormed::new(len, LossKind::InvalidByte, 1));
    }
    if impossible == LossKind::Surrogate && len == 3 && second < 0xB0 {
        // Only the low half that follows makes it a pair.
        let next = &bytes[3..];
        let low =
            next.first() == Some(&0xED) && next.get(1).is_none_or(|b| (0xB0..0xC0).contains(b));
        if !last && (next.is_empty() || low && trail_end(next, 3) == next.len() && next.len() < 3) {
            return None;
        }
        if low && trail_end(next, 3) == 3 {
            return Some(IllFormed::new(6, LossKind::CesuPair, 6));
        }
    }
    Some(IllFormed::new(len, impossible, len))
}

/// Where the continuation bytes behind a lead byte end, at `most`.
fn trail_end(bytes: &[u8], most: usize) -> usize {
    let most = most.min(bytes.len());
    (1..most).find(|i| bytes[*i] & 0xC0 != 0x80).unwrap_or(most)
}

/// The character of a surrogate pair in two times three bytes.
fn surrogate_pair(bytes: &[u8]) -> Option<char> {
    let [_, h1, h2, _, l1, l2] = *bytes else {
        return None;
    };
    let half = |a: u8, b: u8| u32::from(a & 0x0F) << 6 | u32::from(b & 0x3F);
    char::from_u32(0x10000 + (half(h1, h2) << 10 | half(l1, l2) & 0x3FF))
}

#[cfg(test)]
mod tests {
    use crate::charset::Charset;
    use crate::loss::LossLog;

    fn decode(bytes: &[u8]) -> (String, Vec<(u64, u64, &'static str)>) {
        let mut log = LossLog::with_limit(1000);
        let text = Charset::UTF_8.decode(bytes, &mut log).into_owned();
        (
            text,
            log.kept()
                .iter()
                .map(|l| (l.bytes.start, l.bytes.end, l.kind.name()))
                .collect(),
        )
    }

    #[test]
    fn forms_are_named_in_one_range() {
        for (bytes, expected) in [
            (&b"a\xC0\x80b"[..], &[(1, 3, "overlong")][..]),
            (b"\xE0\x80\xAF", &[(0, 3, "overlong")]),
            (b"\xF0\x80\x80\xAF", &[(0, 4, "overlong")]),
            (b"\xED\xA0\x80x", &[(0, 3, "surrogate")]),
            (b"\xED\xB0\x80x", &[(0, 3, "surrogate")]),
            (b"\xED\xA0\xBD\xED\xB8\x80", &[(0, 6, "cesu-pair")]),
            (b"\xED\xA0\xBD\xED\xB8", &[(0, 5, "surrogate")]),
            (b"\xF4\x90\x80\x80", &[(0, 4, "too-large")]),
            (b"\xF7\xBF\xBF\xBF", &[(0, 4, "too-large")]),
            (b"\xF8\x88\x80\x80\x80", &[(0, 5, "obsolete-5")]),
            (b"\xFC\x84\x80\x80\x80\x80", &[(0, 6, "obsolete-6")]),
            (b"\xFE\xFF", &[(0, 2, "invalid-byte")]),
            (b"\xE2\x82x", &[(0, 2, "truncated")]),
            (b"\xF0\x9F\x98", &[(0, 3, "truncated")]),
            (b"\x80\x80\x80", &[(0, 3, "stray-continuation")]),
        ] {
            let (text, losses) = decode(bytes);
            assert_eq!(losses, expected, "{bytes:x?}");
            assert_eq!(text, String::from_utf8_lossy(bytes), "{bytes:x?}");
        }
    }

    #[test]
    fn every_sequence_of_three_bytes_and_four_byte_borders_read_as_std_reads_them() {
        let check = |bytes: &[u8]| {
            let mut log = LossLog::with_limit(0);
            let text = Charset::UTF_8.decode(bytes, &mut log);
            // A BOM at the start is taken off, which std does not do.
            let expected = String::from_utf8_lossy(bytes);
            assert_eq!(
                text,
                expected.strip_prefix('\u{FEFF}').unwrap_or(&expected),
                "{bytes:x?}"
            );
            assert_eq!(
                log.losses() == 0,
                std::str::from_utf8(bytes).is_ok(),
                "{bytes:x?}"
            );
        };
        for a in 0x70..=0xFF_u8 {
            for b in 0..=0xFF {
                check(&[a, b]);
                for c in [
                    0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED,
                    0xF0, 0xFF,
                ] {
                    check(&[a, b, c]);
                    if a >= 0xE0 {
                        for d in [0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xF4] {
                            check(&[a, b, c, d]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_bom_is_taken_off_once() {
        assert_eq!(decode(b"\xEF\xBB\xBFa"), ("a".into(), vec![(0, 3, "bom")]));
        assert_eq!(decode(b"\xEF\xBB\xBF\xEF\xBB\xBFa").0, "\u{FEFF}a");
        assert_eq!(decode(b"a\xEF\xBB\xBF").0, "a\u{FEFF}");
        assert_eq!(
            decode(b"\xEF\xBB"),
            ("\u{FFFD}".into(), vec![(0, 2, "truncated")])
        );
    }

    #[test]
    fn cesu_pairs_are_characters_under_their_own_label() {
        let mut log = LossLog::new();
        assert_eq!(
            Charset::CESU_8.decode(b"\xED\xA0\xBD\xED\xB8\x80x", &mut log),
            "\u{1F600}x"
        );
        assert!(log.is_empty());
    }
}
