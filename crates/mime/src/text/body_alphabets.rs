//! Collects the alphabets of the bodies, as evidence about words that a program labelled as Latin-1 by default.
//!
//! ```text
//! Subject: =?iso-8859-1?Q?Pozv=E1nka_na_sch=F9zi?=   Pozvánka na schůzi in ISO-8859-2, beside a body in Czech
//! From: =?iso-8859-1?Q?=E9=D2=C1?=                   Ира in KOI8-R, beside a body in Russian
//! ```
//!
//! A body in a legacy charset gives this charset. A body in UTF-8 gives the charsets that mail has for its alphabet.
//!
//! # Limits
//! Bodies in two alphabets say nothing, and neither do messages without a word or parameter under a usual label of Latin-1.

use crate::charset_choice::{AlphabetCharsets, Choice, SURE_CONFIDENCE, TextAlphabet, is_latin_1};
use crate::message::Message;
use crate::part_id::PartId;
use mailglot_codec::{Charset, View};
use mailglot_kernel::TextFinder;
use memchr::memmem;

/// The alphabets of the bodies read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyAlphabets {
    first: Option<BodyAlphabet>,
    /// True if another body has another alphabet.
    differ: bool,
}

/// The alphabet of a body.
#[derive(Clone, Copy, Debug)]
struct BodyAlphabet {
    part: PartId,
    alphabet: TextAlphabet,
    /// The charset of the body, if words can be in it: not UTF-8, not Latin-1.
    charset: Option<Charset>,
    /// False if the charset is a guess from little text.
    is_sure: bool,
}

impl BodyAlphabets {
    /// Notes the alphabet of a decoded body. A sure body counts before others.
    pub(super) fn note(&mut self, part: PartId, choice: &Choice<'_>) {
        let Some(alphabet) = TextAlphabet::of(&choice.text) else {
            return;
        };
        let charset = choice.mixed.unwrap_or(choice.used);
        let is_of_words = charset != Charset::UTF_8
            && !is_latin_1(charset.superset())
            && charset.may_stand_beside_ascii();
        let body = BodyAlphabet {
            part,
            alphabet,
            charset: Some(charset).filter(|_| is_of_words),
            is_sure: choice.confidence.is_none_or(|c| c >= SURE_CONFIDENCE),
        };
        match self.first {
            Some(first) if first.alphabet != alphabet => self.differ = true,
            Some(first) if first.is_sure || !body.is_sure => {}
            _ => self.first = Some(body),
        }
    }

    /// Returns the charsets of the bodies' alphabet.
    pub(crate) fn charsets(&self) -> AlphabetCharsets {
        let sure = self.common().filter(|body| body.is_sure);
        sure.map(BodyAlphabet::charsets).unwrap_or_default()
    }

    /// Like [`Self::charsets`], after all bodies but those in `stays` became UTF-8.
    pub(crate) fn charsets_then(&self, stays: impl Fn(PartId) -> bool) -> AlphabetCharsets {
        match self.common() {
            Some(body) if stays(body.part) => self.charsets(),
            Some(body) => body.alphabet.charsets().into(),
            None => AlphabetCharsets::default(),
        }
    }

    fn common(&self) -> Option<BodyAlphabet> {
        self.first.filter(|_| !self.differ)
    }
}

impl BodyAlphabet {
    fn charsets(self) -> AlphabetCharsets {
        match self.charset {
            Some(charset) if self.alphabet != TextAlphabet::Western => charset.into(),
            _ => self.alphabet.charsets().into(),
        }
    }
}

/// Returns true if a word or an extended parameter (RFC 2231, section 4) of the message may have a label of Latin-1. Fast.
pub(super) fn has_latin_1_label(message: &Message<'_>) -> bool {
    static WORD: TextFinder = TextFinder::new(b"=?", [0, 1]);
    static PARAMETER: TextFinder = TextFinder::new(b"*=", [0, 1]);
    let is_parameter = |header: &[u8]| {
        let labels: [&[u8]; 2] = [b"8859-1'", b"1252'"];
        let mut labels = labels.iter();
        PARAMETER.find(header).is_some()
            && labels.any(|label| memmem::find(header, label).is_some())
    };
    message.numbered_parts().any(|(_, part)| {
        let header = part.header.of(message.raw());
        let mut words = WORD.find_iter(header);
        words.any(|at| begins_with_latin_1(&header[at + 2..])) || is_parameter(header)
    })
}

/// Returns true if the label of an encoded word names Latin-1: `ISO-8859-1?Q?...`, `windows-1252*de?Q?...`.
fn begins_with_latin_1(word: &[u8]) -> bool {
    /// What usual labels of Latin-1 end in: `ISO-8859-1`, `cp1252`, `latin1`, `l1`, `IBM819`. Most other labels need no look-up.
    const ENDS: [&[u8]; 3] = [b"1", b"1252", b"819"];
    const LONGEST: usize = 40;
    let start = &word[..word.len().min(LONGEST)];
    let Some(end) = memchr::memchr2(b'?', b'*', start) else {
        return false;
    };
    let label = &start[..end];
    let resolved = || Charset::for_label(label, View::Mail).charset();
    ENDS.iter().any(|end| label.ends_with(end)) && resolved().is_some_and(is_latin_1)
}
