//! Chooses the two charsets of text that mixes UTF-8 with another encoding.

use super::choice::Choice;
use super::damage::decodes_without_loss;
use super::evidence::Evidence;
use super::label_scope::LabelScope;
use super::mixed_utf8::{self, MixedText, OtherCharset};
use super::superset;
use super::thresholds::{FALLBACK_CONFIDENCE, LIKELY_CONFIDENCE};
use crate::event::{Detail, EventKind};
use crate::reading::How;
use mailglot_codec::{Charset, detect};
use std::borrow::Cow;

/// Finds text in two encodings under a label of one of them. Runs of UTF-8 contradict a label that decodes all bytes.
pub(super) fn mixed_by_label(
    bytes: &[u8],
    charset: Charset,
    evidence: &Evidence<'_>,
) -> Option<MixedText> {
    if evidence.mapped || !evidence.may_find_mixed() {
        return None;
    }
    if charset == Charset::UTF_8 {
        return mixed_utf8::in_utf8(bytes, |rest| {
            let any = |charset: Charset| charset.is_ascii_compatible() && !charset.is_stateful();
            rest_charset(rest, evidence, &evidence.hints(bytes), any)
        });
    }
    let may_overrule = LabelScope::of(evidence.detection()) != LabelScope::None;
    if !may_overrule || !mixed_utf8::may_be_mixed(bytes, charset) {
        return None;
    }
    let charset = superset::better_by_bytes(charset, bytes).unwrap_or(charset.superset());
    let other = OtherCharset {
        charset,
        confidence: None,
    };
    mixed_utf8::in_single_byte(bytes, other)
}

/// Returns the charset of the bytes that are not UTF-8 in text that mixes both.
///
/// Prefers the charset of the message or the caller if it makes plausible text, then a guess, then windows-1252. `may_be` selects
/// the candidates.
pub(super) fn rest_charset(
    rest: &[u8],
    evidence: &Evidence<'_>,
    hints: &detect::Hints<'_>,
    may_be: impl Fn(Charset) -> bool,
) -> OtherCharset {
    let is_other = |charset: &Charset| *charset != Charset::UTF_8 && may_be(*charset);
    let named = evidence
        .mail
        .into_iter()
        .flat_map(|mail| mail.named_charsets())
        .filter(is_other);
    let mut named = named
        .filter(|charset| decodes_without_loss(*charset, rest) && !detect::is_odd(rest, *charset));
    if let Some(charset) = named.next().or(evidence.fallback().filter(is_other)) {
        return OtherCharset {
            charset,
            confidence: None,
        };
    }
    let guess = detect::detect(rest, hints);
    let is_found = guess.confidence >= LIKELY_CONFIDENCE && is_other(&guess.charset);
    let (charset, confidence) = if is_found {
        (guess.charset, guess.confidence)
    } else {
        (Charset::WINDOWS_1252, FALLBACK_CONFIDENCE)
    };
    OtherCharset {
        charset,
        confidence: Some(confidence),
    }
}

impl MixedText {
    /// Turns the text into a [`Choice`] with charset `used`.
    pub(super) fn choice<'a>(
        self,
        used: Charset,
        mut events: Vec<(EventKind, Detail)>,
    ) -> Choice<'a> {
        let Self {
            text,
            log,
            runs,
            first,
            other,
        } = self;
        let detail = Detail::Mixed {
            pieces: runs as u64,
            other: other.charset,
            in_utf8: used == Charset::UTF_8,
            first,
        };
        events.push((EventKind::CharsetMixed, detail));
        let choice = Choice::of_text(Cow::Owned(text), log, used, How::Detected, events);
        Choice {
            mixed: Some(other.charset),
            ..choice.with_confidence(other.confidence)
        }
    }
}
