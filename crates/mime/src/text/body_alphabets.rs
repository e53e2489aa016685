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
//! Bodies in two alphabets say nothing, and neither do messages without a word or parameter under a label of Latin-1.

use crate::charset_choice::{Choice, OtherCharsets, SURE_CONFIDENCE, TextAlphabet, is_latin_1};
use crate::encoded_word;
use crate::message::Message;
use crate::part_id::PartId;
use mailglot_codec::Charset;
use memchr::memmem::{self, Finder};
use std::sync::LazyLock;

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
            && charset.keeps_ascii_text()
            && !charset.is_stateful();
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
    pub(crate) fn charsets(&self) -> OtherCharsets {
        let sure = self.common().filter(|body| body.is_sure);
        sure.map(BodyAlphabet::charsets).unwrap_or_default()
    }

    /// Like [`Self::charsets`], after all bodies but those in `stays` became UTF-8.
    pub(crate) fn charsets_then(&self, stays: impl Fn(PartId) -> bool) -> OtherCharsets {
        match self.common() {
            Some(body) if stays(body.part) => self.charsets(),
            Some(body) => body.alphabet.charsets().into(),
            None => OtherCharsets::default(),
        }
    }

    fn common(&self) -> Option<BodyAlphabet> {
        self.first.filter(|_| !self.differ)
    }
}

impl BodyAlphabet {
    fn charsets(self) -> OtherCharsets {
        match self.charset {
            Some(charset) if self.alphabet != TextAlphabet::Western => charset.into(),
            _ => self.alphabet.charsets().into(),
        }
    }
}

/// Returns true if a word or an extended parameter (RFC 2231, section 4) of the message has a label of Latin-1. Fast for headers without such.
pub(super) fn has_latin_1_label(message: &Message<'_>) -> bool {
    static WORD: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"=?"));
    static PARAMETER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"*="));
    let raw = message.raw();
    let is_word = |value: &[u8]| encoded_word::charsets(value).into_iter().any(is_latin_1);
    let is_parameter = |value: &[u8]| {
        let labels: [&[u8]; 2] = [b"8859-1'", b"1252'"];
        labels
            .iter()
            .any(|label| memmem::find(value, label).is_some())
    };
    message.numbered_parts().any(|(id, part)| {
        let header = part.header.of(raw);
        let (words, parameters) = (WORD.find(header), PARAMETER.find(header));
        let is_labelled = |value: &[u8]| {
            words.is_some() && is_word(value) || parameters.is_some() && is_parameter(value)
        };
        let may_be = words.is_some() || parameters.is_some();
        may_be
            && message
                .fields(id)
                .iter()
                .any(|field| is_labelled(field.value.of(raw)))
    })
}
