//! Recognizes HZ (RFC 1843) in ASCII text without a label, as Chinese newsgroups and mail of the 1990s have it.
//!
//! # Limits
//! A sequence that ends with its line instead of `~}` proves nothing. Words in capitals between `~{` and `~}` do.

use crate::charset::Charset;
use crate::loss::LossLog;
use std::ops::Range;

/// Characters of a run, or of several runs.
#[derive(Clone, Copy, Default)]
struct HzCharacters {
    signs: usize,
    /// Han characters of the first level, the more common half.
    first_level: usize,
    /// Han characters of the second level. Small letters would all be of this one.
    second_level: usize,
}

impl HzCharacters {
    fn is_text(self) -> bool {
        self.first_level > 0 && self.second_level <= self.first_level
    }

    fn all(self) -> usize {
        self.signs + self.first_level + self.second_level
    }
}

/// Returns the length of the HZ sequence at the start of `bytes`: `~{`, characters of GB 2312, `~}` (RFC 1843).
///
/// Most of its Han characters must be of the first level.
///
/// ```
/// use mailglot_codec::detect::hz_sequence;
///
/// assert_eq!(hz_sequence(b"~{VPND~} (1)"), Some(8));
/// assert_eq!(hz_sequence(b"~{list~}"), None);
/// ```
// For mailglot-mime only.
#[doc(hidden)]
pub fn hz_sequence(bytes: &[u8]) -> Option<usize> {
    let (length, characters) = run(bytes)?;
    (characters.is_text() && is_lossless(&bytes[..length])).then_some(length)
}

/// Returns the number of characters in the HZ sequences of a text, or 0 if they do not prove that it is HZ.
///
/// All sequences count together. Signs alone prove nothing and contradict nothing. Each `~{` that begins no sequence outweighs four characters.
// For mailglot-mime only.
#[doc(hidden)]
pub fn hz_characters(bytes: &[u8]) -> usize {
    const CHARACTERS_FOR_BROKEN: usize = 4;
    let (mut all, mut broken) = (HzCharacters::default(), 0_usize);
    for found in hz_runs(bytes) {
        match found {
            HzRun::Whole(at) => {
                let (_, own) = run(&bytes[at]).unwrap_or_default();
                all.signs += own.signs;
                all.first_level += own.first_level;
                all.second_level += own.second_level;
            }
            HzRun::Broken(_) => broken += 1,
        }
    }
    if all.is_text() {
        all.all().saturating_sub(broken * CHARACTERS_FOR_BROKEN)
    } else {
        0
    }
}

/// A `~{` of a text and what follows it.
// For mailglot-mime only.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HzRun {
    /// Characters of GB 2312 and `~}`.
    Whole(Range<usize>),
    /// Anything else, up to `~}` or to the end of the line.
    Broken(Range<usize>),
}

/// Returns the offset of the first `~{`, which shifts to the characters of GB 2312 in HZ (RFC 1843).
// For mailglot-mime, too.
#[doc(hidden)]
pub fn find_hz_shift(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'~', bytes).find(|at| bytes.get(at + 1) == Some(&b'{'))
}

/// Returns the runs of a text that begin with `~{`.
// For mailglot-mime only.
#[doc(hidden)]
pub fn hz_runs(bytes: &[u8]) -> impl Iterator<Item = HzRun> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + find_hz_shift(&bytes[at..])?;
        let rest = &bytes[start..];
        if let Some((length, _)) = run(rest).filter(|(length, _)| is_lossless(&rest[..*length])) {
            at = start + length;
            return Some(HzRun::Whole(start..at));
        }
        at = start + broken_length(rest);
        Some(HzRun::Broken(start..at))
    })
}

/// Returns the length of the broken run at the start of `bytes`: up to `~}`, the next `~{` or the end of the line, whichever is nearest.
fn broken_length(bytes: &[u8]) -> usize {
    for at in memchr::memchr2_iter(b'\n', b'~', &bytes[2..]).map(|at| at + 2) {
        match bytes[at..] {
            [b'\n', ..] | [b'~', b'{', ..] => return at,
            [b'~', b'}', ..] => return at + 2,
            _ => {}
        }
    }
    bytes.len()
}

/// Returns the length of the run at the start of `bytes`, `~{`, pairs in the rows of GB 2312, `~}`, and its characters.
fn run(bytes: &[u8]) -> Option<(usize, HzCharacters)> {
    let (mut length, mut found) = (2, HzCharacters::default());
    for pair in bytes.strip_prefix(b"~{")?.chunks_exact(2) {
        length += 2;
        match pair {
            b"~}" if length > 4 => return Some((length, found)),
            [0x21..=0x29, 0x21..=0x7E] => found.signs += 1,
            [0x30..=0x57, 0x21..=0x7E] => found.first_level += 1,
            [0x58..=0x77, 0x21..=0x7E] => found.second_level += 1,
            _ => return None,
        }
    }
    None
}

fn is_lossless(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let _ = Charset::HZ_GB_2312.decode(bytes, &mut log);
    log.losses() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_whole_and_of_common_characters() {
        for (bytes, want) in [
            ("~{VPND~}", Some(8)),
            ("~{ND55~} ~{VPND~}", Some(8)),
            ("~{5D~}", Some(6)),
            ("~{!6VPND!7~}", Some(12)),
            ("~{0~VP~}", Some(8)),
            ("~{VPND", None),
            ("~{VPN~}", None),
            ("~{VP ND~}", None),
            ("~{VP\nND~}", None),
            ("~{~}", None),
            ("~{!!~}", None),
            ("~{list~}", None),
            ("~{ ~A~}", None),
            ("~{~a~^, ~}", None),
            ("~{+!VP~}", None),
            ("~VPND~}", None),
            ("~{", None),
            ("", None),
        ] {
            assert_eq!(hz_sequence(bytes.as_bytes()), want, "{bytes}");
        }
    }

    #[test]
    fn characters_of_all_sequences_count_together() {
        for (bytes, want) in [
            ("~{VPND~}\n", 2),
            ("a ~{VP~} ~ ~{ND!#~} http://example.org/~user\n", 3),
            ("~{VPND~} ~{abc\n", 0),
            ("~{VPNDVPNDVPND~} ~{abc\n", 2),
            ("~{VPND~} \u{E9}\n", 2),
            ("~{VPND~}\nDOS~{!\"~}Windows ~{#!~}\n", 4),
            ("~{VPND~} ~{gf~}\n", 3),
            ("~{#!~}\n", 0),
            ("~{VP~} ~{list~} ~{name~}\n", 0),
            ("~{VPNDVPND~}\nx ~{ y\n", 0),
            ("~{VPNDVPNDVPND~}\n~{VPND\n", 2),
            ("plain\n", 0),
        ] {
            assert_eq!(hz_characters(bytes.as_bytes()), want, "{bytes}");
        }
    }

    #[test]
    fn code_is_not_hz() {
        for text in [
            "(format t \"~{~A~^, ~}~%\" list)\n",
            "(format nil \"~{~S ~}\" ABCD)\n",
            "mkdir ~{a,b}/x; cd ~{USER}\n",
            "$a~{b}~}c\n\\def\\x{~{a}~}\n",
            "http://example.org/~{NAME}/~{ID}\n",
            "HZ begins with \"~{\" and ends with \"~}\". Example: ~{VPND~}.\n",
            "~{~{~{~{~}~}~}~}\n",
        ] {
            assert_eq!(hz_characters(text.as_bytes()), 0, "{text}");
        }
    }

    #[test]
    fn broken_runs_end_with_their_line() {
        let runs: Vec<HzRun> = hz_runs(b"~{VP~}x ~{ y\n~{a~}~{V ~{!!~}").collect();
        assert_eq!(
            runs,
            [
                HzRun::Whole(0..6),
                HzRun::Broken(8..12),
                HzRun::Broken(13..18),
                HzRun::Broken(18..22),
                HzRun::Whole(22..28),
            ]
        );
    }

    /// GB 2312 has 6,763 Han characters. The crate `encoding_rs` tells which pairs they are.
    #[test]
    fn all_han_characters_count() {
        let mut han = 0;
        for pair in (0x21..=0x77_u8).flat_map(|a| (0x21..=0x7E_u8).map(move |b| [a, b])) {
            // A common character beside it.
            let sequence = [&b"~{5D"[..], &pair, b"~}"].concat();
            let high = pair.map(|byte| byte | 0x80);
            let (text, _, damaged) = encoding_rs::GBK.decode(&high);
            let is_han = |c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c);
            if !damaged && text.chars().all(is_han) {
                han += 1;
                assert_eq!(hz_sequence(&sequence), Some(8), "{text} {pair:X?}");
            }
        }
        assert_eq!(han, 6_763);
    }
}
