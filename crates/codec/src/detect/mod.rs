//! Guesses the charset of bytes without a label, or with a wrong one.
//!
//! ```text
//! BOM ─► structure ─► valid UTF-8 ─► the declared charset ─► UTF-8 with damage ─► models of languages ─► windows-1252
//! ```
//!
//! Without the feature `detect` the models of languages are not compiled in. Detection then answers by byte order mark, structure, UTF-8 and
//! the declared charset, otherwise windows-1252 with [`Evidence::Fallback`] and confidence 0. It overrules no label.
//!
//! ```
//! use mailglot_codec::detect::{Evidence, Hints, detect};
//!
//! let guess = detect("Grüße".as_bytes(), &Hints::default());
//! assert_eq!((guess.charset.name(), guess.evidence), ("UTF-8", Evidence::Utf8));
//! ```
//!
//! # Limits
//! Never guesses EBCDIC. Guesses UTF-7 and HZ only if nothing contradicts them; that is no proof, so mail uses [`structure`].

mod alphabet_list;
mod apostrophe;
mod ascii;
mod candidate_filter;
#[cfg(feature = "detect")]
mod chardetng_tiebreak;
mod classed_char;
mod comparison;
mod confidence_limit;
mod control_sequences;
mod cost;
mod currency;
mod damaged_escapes;
mod detection_page;
mod guess;
mod hints;
mod hz;
pub(crate) mod language;
mod latin_words;
mod least_losses;
mod list_trials;
mod lone_signs;
mod mac_signs;
mod models;
mod odd_text;
mod priors;
mod ranking;
mod reading;
mod readings;
mod recent_rankings;
mod rules;
mod sample;
mod score;
pub(crate) mod script_group;
mod signs;
mod strict_charset;
mod structure;
mod time_zone;
mod wide;
mod word_faults;

#[doc(hidden)]
pub use crate::utf8::is_utf8;
#[doc(hidden)]
pub use apostrophe::{Apostrophe, quoted_words};
#[doc(hidden)]
pub use comparison::{are_margins_above, margin_over, utf8_margin};
#[doc(hidden)]
pub use currency::{are_beside_numbers, has_euro, is_beside_number};
#[doc(hidden)]
pub use damaged_escapes::damaged_iso2022;
pub use guess::{Evidence, Guess, Rival};
pub use hints::Hints;
#[doc(hidden)]
pub use hz::{HzRun, find_hz_shift, hz_characters, hz_runs, hz_sequence};
#[doc(hidden)]
pub use mac_signs::mac_signs;
pub use odd_text::{MAX_HIGH_BYTES, WINDOW};
pub use odd_text::{has_letters, high_bytes, is_odd, is_rather_odd, letters_lead};
#[doc(hidden)]
pub use rules::Rules;
#[doc(hidden)]
pub use strict_charset::strict_charset;
pub use structure::{is_text_in_pairs, structure};
#[doc(hidden)]
pub use word_faults::has_word_faults;

use crate::bom;
use crate::charset::Charset;
use control_sequences::without_control_sequences;
use guess::FALLBACK;
use models::HAS_MODELS;
use priors::priors;
use ranking::{Nearly, Ranking};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

/// Detects the charset of a text.
///
/// Never fails: text that is likely in no charset is windows-1252 with [`Evidence::Fallback`].
///
/// ```
/// use mailglot_codec::detect::{Evidence, Hints, detect};
///
/// let guess = detect(b"\x1b$B$3$s$K$A$O\x1b(B", &Hints::default());
/// assert_eq!((guess.charset.name(), guess.evidence), ("ISO-2022-JP", Evidence::Structure));
/// ```
pub fn detect(bytes: &[u8], hints: &Hints<'_>) -> Guess {
    Weighed::new(bytes, hints).guess()
}

/// Returns the most likely charsets, at most `n`, the best first. If several charsets give the same text, only one is returned.
/// If a rule decides, there is only one.
///
/// The first is the answer of [`detect`]. Rules may choose it against the models, or lower its confidence: a few symbols do not prove
/// Chinese. The others follow as the models rate their text, with the confidence of the models. So a later confidence may be higher than the first.
pub fn detect_top(bytes: &[u8], hints: &Hints<'_>, n: usize) -> Vec<Guess> {
    let weighed = Weighed::new(bytes, hints);
    let only = weighed
        .certain()
        .or_else(|| (!HAS_MODELS).then(|| weighed.guess()));
    if let Some(guess) = only {
        return vec![guess].into_iter().take(n).collect();
    }
    let ranking = weighed.ranking();
    let first = ranking.guess(&weighed.bytes);
    let same = |s: &&score::Scored| s.charset == first.charset;
    let mut seen: HashSet<u64> = ranking.scored.iter().filter(same).map(|s| s.text).collect();
    let mut top = vec![first];
    for (at, other) in ranking.scored.iter().enumerate() {
        if seen.insert(other.text) {
            top.push(ranking.at(at));
        }
    }
    top.truncate(n);
    top
}

/// Returns a charset that is more likely than the label (see [`Weighed::rival`]).
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn rival(bytes: &[u8], label: Charset, hints: &Hints<'_>) -> Option<Rival> {
    Weighed::new(bytes, hints).rival(label)
}

/// Returns how much likelier (natural logarithm) the ASCII words of a text are in a language of `other` than in those of `charset`.
///
/// Without `other`, every language counts that is not written in `charset`. Returns `None` for ASCII, and for charsets without a language of
/// Latin script.
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub fn ascii_lead(bytes: &[u8], charset: Charset, other: Option<Charset>) -> Option<f32> {
    let candidate = language::for_label(charset)?;
    let other = match other {
        Some(other) => Some(language::for_label(other)?),
        None => None,
    };
    HAS_MODELS.then(|| ascii::lead(bytes, candidate, other))?
}

/// A text that was weighed in all charsets once, to be asked about several.
#[derive(Debug)]
// For the charset choice of mailglot-mime only.
#[doc(hidden)]
pub struct Weighed<'b> {
    /// Without control sequences of terminals.
    bytes: Cow<'b, [u8]>,
    hints: Hints<'b>,
    ranking: OnceCell<Arc<Ranking>>,
    nearly: OnceCell<Nearly>,
    guess: OnceCell<Guess>,
}

impl<'b> Weighed<'b> {
    /// A text that will be weighed when first needed.
    pub fn new(bytes: &'b [u8], hints: &Hints<'b>) -> Self {
        Self {
            bytes: without_control_sequences(bytes),
            hints: *hints,
            ranking: OnceCell::new(),
            nearly: OnceCell::new(),
            guess: OnceCell::new(),
        }
    }

    /// Returns the answer of [`detect`].
    pub fn guess(&self) -> Guess {
        *self.guess.get_or_init(|| {
            self.certain().unwrap_or_else(|| {
                if HAS_MODELS {
                    self.ranking().guess(&self.bytes)
                } else {
                    FALLBACK
                }
            })
        })
    }

    /// Returns a charset that is more likely than the label. `None` if the label is the likeliest, or its charset has no model.
    pub fn rival(&self, label: Charset) -> Option<Rival> {
        HAS_MODELS
            .then(|| self.ranking().rival(&self.bytes, label))
            .flatten()
    }

    fn ranking(&self) -> &Ranking {
        self.ranking
            .get_or_init(|| recent_rankings::ranking(&self.bytes, &self.hints, || self.nearly()))
    }

    fn nearly(&self) -> Nearly {
        *self.nearly.get_or_init(|| Nearly::of(&self.bytes))
    }

    /// The answer of the steps that need no statistics.
    fn certain(&self) -> Option<Guess> {
        certain(&self.bytes, &self.hints).or_else(|| {
            (self.nearly() == Nearly::Proven).then_some(Guess {
                charset: Charset::UTF_8,
                confidence: 0.95,
                evidence: Evidence::Utf8,
            })
        })
    }
}

/// Makes the file `detect-pages.bin` of this crate: the properties of each byte in each single-byte charset that detection uses.
#[doc(hidden)]
pub fn pages() -> Vec<u8> {
    let pages = language::candidates().iter();
    pages
        .filter(|candidate| candidate.is_single_byte)
        .flat_map(|candidate| {
            detection_page::DetectionPage::packed(candidate.charset, candidate.script)
        })
        .collect()
}

/// Detects one charset for several texts, such as all undeclared parts and fields of a message.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    gathered: Vec<u8>,
}

impl Detector {
    /// Maximum number of bytes that are kept. More bytes do not change the guess.
    const KEPT: usize = 1 << 18;

    /// Returns a detector without text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Each call adds a separate text: words do not continue in the next one.
    pub fn feed(&mut self, text: &[u8]) {
        if !self.gathered.is_empty() && self.gathered.len() < Self::KEPT {
            self.gathered.push(b'\n');
        }
        let room = Self::KEPT.saturating_sub(self.gathered.len());
        self.gathered
            .extend_from_slice(&text[..text.len().min(room)]);
    }

    /// Returns the guess for all texts so far. `hints` count as in [`detect`].
    pub fn guess(&self, hints: &Hints<'_>) -> Guess {
        detect(&self.gathered, hints)
    }
}

/// Guesses by the steps that need no statistics, except damaged UTF-8.
fn certain(bytes: &[u8], hints: &Hints<'_>) -> Option<Guess> {
    let sure = |charset, confidence, evidence| {
        Some(Guess {
            charset,
            confidence,
            evidence,
        })
    };
    if let Some((charset, _)) = bom::sniff(bytes) {
        let is_damaged = charset == Charset::UTF_8 && !is_utf8(bytes);
        let confidence = match is_damaged.then(|| Nearly::of(bytes)) {
            None => 1.0,
            Some(Nearly::Proven) => 0.9,
            Some(_) => 0.5,
        };
        return sure(charset, confidence, Evidence::Bom);
    }
    if let Some(charset) = structure(bytes) {
        return sure(charset, 0.98, Evidence::Structure);
    }
    if let Some(charset) = damaged_iso2022(bytes) {
        return sure(charset, 0.9, Evidence::Structure);
    }
    if HAS_MODELS
        && !hints.ascii_compatible
        && let Some(charset) = structure::seven_bit(bytes, &priors(hints))
    {
        return sure(charset, 0.9, Evidence::Structure);
    }
    if bytes.is_ascii() && (hints.ascii_compatible || !wide::has_many_controls(bytes)) {
        return sure(Charset::US_ASCII, 0.98, Evidence::Ascii);
    }
    if !bytes.is_ascii() && is_utf8(bytes) {
        return sure(Charset::UTF_8, 0.99, Evidence::Utf8);
    }
    let is_possible = |c: &Charset| !hints.ascii_compatible || c.keeps_ascii_text();
    let declared = hints
        .declared
        .filter(|c| *c != Charset::US_ASCII && is_possible(c) && reads(*c, bytes));
    declared.and_then(|charset| sure(charset, 0.9, Evidence::Declared))
}

/// Returns true if a charset decodes all bytes without loss and C1 controls.
fn reads(charset: Charset, bytes: &[u8]) -> bool {
    charset
        .decode_exact(bytes)
        .is_some_and(|text| !text.chars().any(|c| matches!(c, '\u{80}'..='\u{9F}')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossLog;

    /// The bytes as text, as they were read.
    fn read(bytes: &[u8], hints: &Hints<'_>) -> String {
        let guess = detect(
            bytes,
            &Hints {
                ascii_compatible: true,
                ..*hints
            },
        );
        guess
            .charset
            .decode(bytes, &mut LossLog::new())
            .into_owned()
    }

    #[test]
    fn signs_and_lone_letters_prove_no_charset() {
        for (bytes, expected) in [
            (&b"  '{' = \xE4 (adieresis)\n  '|' = \xF6 (odieresis)\n  '}' = \xE5 (aring)\n  '[' = \xC4 (Adieresis)\n"[..], "windows-1252"),
            (
                b"<html><body>\n\x93X<tr><td width=\"20\"> </td><td>\xBE\xC5\xC0\xD9\xC1\xD4:\xA0 5\x80   \xBB\xD2\xB9\xCA\xD8\xC7",
                "windows-874",
            ),
        ] {
            let guess = detect(bytes, &Hints { ascii_compatible: true, ..Hints::default() });
            assert_eq!(guess.charset.name(), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn addresses_name_the_country_of_a_lone_letter() {
        let text = "Fixed a crash in the parser of quotation marks, patch submitted by Pawel P\u{119}kala <pawel@example.pl>.";
        for name in ["windows-1250", "ISO-8859-2"] {
            let bytes = Charset::for_name(name)
                .unwrap()
                .encode_exact(text)
                .expect("the charset has every character");
            assert_eq!(read(&bytes, &Hints::default()), text);
        }
        let western = b"A very comprehensive collection of problems was compiled by Ricard Vil\xE0. The tests are in a text format.";
        assert_eq!(
            detect(western, &Hints::default()).charset,
            Charset::WINDOWS_1252
        );
    }

    #[test]
    fn punctuation_of_japan_beside_english_is_read() {
        for bytes in [
            &b"The bug that selects no key is fixed now\n(Thanks! Tokunaga-san)\xA1\xA5\n"[..],
            b"Using the program\n\n\xA1\xA6About locale names\n  The program uses the following names.\n\n\xA1\xA6About keys\n",
        ] {
            let expected = Charset::EUC_JP.decode(bytes, &mut LossLog::new()).into_owned();
            assert_eq!(read(bytes, &Hints::default()), expected);
        }
        for (name, line) in [
            ("GBK", "owners.\u{3000}\n\u{3000}Tel. 020 7946 0123"),
            ("Big5", "owners.\u{3000}\n\u{3000}Tel. 020 7946 0123"),
            ("GBK", "<p>Section\u{3000}4 of the act</p>"),
        ] {
            let bytes = Charset::for_name(name)
                .unwrap()
                .encode_exact(line)
                .expect("the charset has every character");
            assert_eq!(read(&bytes, &Hints::default()), line, "{name}");
        }
    }

    #[test]
    fn time_zones_tell_what_is_likely() {
        let name = b"\xBB\xB0\xB1\xBA";
        let charset = |zone: Option<i16>| {
            detect(
                name,
                &Hints {
                    time_zone: zone,
                    ..Hints::default()
                },
            )
            .charset
        };
        assert_eq!(
            (charset(Some(540)), charset(Some(480))),
            (Charset::EUC_JP, Charset::GBK)
        );
        // Greenwich is the zone of servers.
        assert_eq!(charset(Some(0)), charset(None));
    }

    #[test]
    fn steps_in_order() {
        let guess = |bytes: &[u8]| {
            let guess = detect(bytes, &Hints::default());
            (guess.charset.name(), guess.evidence.name())
        };
        assert_eq!(guess(b"\xEF\xBB\xBFabc"), ("UTF-8", "bom"));
        assert_eq!(guess(b"\x1b$B$3$s\x1b(B"), ("ISO-2022-JP", "structure"));
        assert_eq!(guess(b"\x1b[31mred\x1b[0m"), ("US-ASCII", "ascii"));
        assert_eq!(guess(b"\x1b$)C\x0e0!\x0f"), ("ISO-2022-KR", "structure"));
        assert_eq!(guess(b"~{VPND~}\n"), ("HZ-GB-2312", "structure"));
        assert_eq!(guess(b"cd ~{user,other}"), ("US-ASCII", "ascii"));
        assert_eq!(guess(b"plain"), ("US-ASCII", "ascii"));
        assert_eq!(guess("naïve".as_bytes()), ("UTF-8", "utf-8"));
        assert_eq!(guess(b"na\xEFve caf\xE9"), ("windows-1252", "model"));
        for signs in [&b"a \x93quoted\x94 word"[..], b"it\x92s 10\xB0C, \xA9 2004"] {
            assert_eq!(
                guess(signs),
                ("windows-1252", "model"),
                "{}",
                signs.escape_ascii()
            );
        }
        assert_eq!(guess("café déjà\n".as_bytes()), ("UTF-8", "utf-8"));
        // Cut, with a stray byte, with a line of Latin-1.
        let japanese = "日本語のテキスト".as_bytes();
        assert_eq!(guess(&japanese[..japanese.len() - 1]), ("UTF-8", "utf-8"));
        assert_eq!(
            guess(b"caf\xC3\xA9 d\xC3\xA9j\xC3\xA0 \xFF"),
            ("UTF-8", "utf-8")
        );
        assert_eq!(
            guess(&[japanese, b"\n-- \nJos\xE9 Garc\xEDa"].concat()),
            ("UTF-8", "utf-8")
        );
        let mut log = LossLog::new();
        let russian = "Привет, как дела? Всё хорошо.";
        for charset in [Charset::KOI8_R, Charset::WINDOWS_1251, Charset::ISO_8859_5] {
            let bytes = charset.encode(russian, crate::encoder::Unmappable::Skip, &mut log);
            assert_eq!(
                detect(
                    &bytes,
                    &Hints {
                        country: Some("RU"),
                        ..Hints::default()
                    }
                )
                .charset
                .decode(&bytes, &mut log),
                russian
            );
        }
        assert!(log.is_empty());
    }
}
