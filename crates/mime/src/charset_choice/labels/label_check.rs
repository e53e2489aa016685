//! Checks a label that decodes all bytes: a Windows code page or another charset may fit better.
//!
//! # Limits
//! Accepts labels of stateful charsets and of charsets whose bytes below 80 are not ASCII.

use super::label_events::detected_event;
use super::label_scope::LabelScope;
use super::misread_words::may_be_misread_word;
use super::utf8_vs_label::{may_be_latin_utf8, may_be_sign_of_utf8};
use super::{label_plausibility, superset};
use crate::charset_choice::text_tests::copyright_sign::has_copyright_sign;
use crate::charset_choice::text_tests::damage::decodes_without_loss;
use crate::charset_choice::text_tests::latin_under_east_asian::may_be_latin_under;
use crate::charset_choice::text_tests::utf8_sequences::has_lost_characters;
use crate::charset_choice::text_tests::western_words::{WesternWords, western_words};
use crate::event::{ChosenBy, Detail, EventKind, Reason};
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::{Guess, high_bytes};
use mailglot_codec::{Charset, LossLog, detect};
use std::borrow::Cow;

/// Events about a label, and the text in a better charset if there is one.
#[derive(Default)]
pub(crate) struct LabelVerdict<'b> {
    pub(crate) read: Option<OtherReading<'b>>,
    /// A charset that is likely enough to replace the label, but cannot decode a few characters: text that was cut within a character.
    pub(crate) damaged: Option<Guess>,
    pub(crate) events: Vec<(EventKind, Detail)>,
}

impl<'b> LabelVerdict<'b> {
    /// The text in `used`, the charset of other text of the message, with the event `charset.detected`.
    pub(crate) fn by_message(label: Charset, used: Charset, text: Cow<'b, str>) -> Self {
        let how = How::Message;
        Self {
            damaged: None,
            events: vec![detected_event(Some(label), used, ChosenBy::Step(how))],
            read: Some(OtherReading {
                used,
                how,
                confidence: None,
                text,
            }),
        }
    }

    /// The text under its label, with the event `charset.suspected` that names a likelier charset.
    pub(crate) fn suspected(label: Charset, likelier: Charset) -> Self {
        let detail = Detail::Likelier { label, likelier };
        Self {
            read: None,
            damaged: None,
            events: vec![(EventKind::CharsetSuspected, detail)],
        }
    }
}

/// The text in another charset than the label's.
pub(crate) struct OtherReading<'b> {
    pub(crate) used: Charset,
    pub(crate) how: How,
    pub(crate) confidence: Option<f32>,
    pub(crate) text: Cow<'b, str>,
}

/// Checks a label that decodes all bytes, alone or with its superset, and returns None if nothing is wrong with it.
///
/// `message_charset` is the charset of other text in the message. It decides where the bytes alone do not. `hints` runs only if
/// detection is needed. With [`LabelScope::None`], only the Windows code page behind the label is considered.
pub(crate) fn check_label<'b, 'h>(
    label: Charset,
    bytes: &'b [u8],
    message_charset: Option<Charset>,
    scope: LabelScope,
    hints: impl FnOnce() -> detect::Hints<'h>,
) -> Option<LabelVerdict<'b>> {
    // Mail programs never write `vni` by mistake. Detection would take `Vie\xE4t` for Latin-1.
    if label == Charset::VNI {
        return None;
    }
    if let Some(used) = superset::lossless_superset(label, bytes) {
        return Some(by_superset(label, used, bytes, Vec::new()));
    }
    let better = superset::better_by_bytes(label, bytes)
        .filter(|better| decodes_without_loss(*better, bytes));
    let (mut events, mut damaged) = (Vec::new(), None);
    if let Some(likelier) =
        label_plausibility::find_likelier(better.unwrap_or(label), bytes, scope, hints)
    {
        let used = likelier.guess.charset;
        let mut log = LossLog::with_limit(0);
        let text = used.decode(bytes, &mut log);
        let is_named = message_charset
            .is_some_and(|message_charset| message_charset.superset() == used.superset());
        // The label itself may be likelier than its superset, which its bytes need.
        if used != label && (likelier.decides || is_named) && log.losses() == 0 {
            events.push(detected_event(
                Some(label),
                used,
                ChosenBy::Detection(likelier.guess.evidence),
            ));
            let confidence = Some(likelier.guess.confidence);
            return Some(LabelVerdict {
                read: Some(OtherReading {
                    used,
                    how: How::Detected,
                    confidence,
                    text,
                }),
                damaged: None,
                events,
            });
        }
        if likelier.decides && has_few_losses(used, bytes, &log) {
            damaged = Some(likelier.guess);
        }
        let compared = if used == label {
            better.unwrap_or(label)
        } else {
            label
        };
        let detail = Detail::Likelier {
            label: compared,
            likelier: used,
        };
        events.push((EventKind::CharsetSuspected, detail));
    }
    if events.is_empty() && scope != LabelScope::None {
        let suspicion = suspicion(label, bytes);
        events.extend(suspicion.map(|detail| (EventKind::CharsetSuspected, detail)));
    }
    match better {
        Some(used) => Some(LabelVerdict {
            damaged,
            ..by_superset(label, used, bytes, events)
        }),
        None if events.is_empty() => None,
        None => Some(LabelVerdict {
            read: None,
            damaged,
            events,
        }),
    }
}

/// Returns what makes a label suspect that no likelier charset replaces.
fn suspicion(label: Charset, bytes: &[u8]) -> Option<Detail> {
    let of = |likelier| Some(Detail::Likelier { label, likelier });
    if may_be_utf8(label, bytes) {
        return of(Charset::UTF_8);
    }
    if may_be_latin_under(label, bytes) || has_copyright_sign(label, bytes) {
        return of(Charset::WINDOWS_1252);
    }
    if may_have_euro(label, bytes) {
        return of(Charset::ISO_8859_15);
    }
    let has_western_words = western_words(label, bytes) != WesternWords::None;
    has_western_words.then(|| Reason::ForeignLetters.into())
}

/// Decodes the bytes in a superset of the label.
fn by_superset(
    label: Charset,
    used: Charset,
    bytes: &[u8],
    mut events: Vec<(EventKind, Detail)>,
) -> LabelVerdict<'_> {
    events.push((
        EventKind::CharsetSuperset,
        Detail::read_as(Some(label), used),
    ));
    let read = OtherReading {
        used,
        how: How::Superset,
        confidence: None,
        text: decode_unlogged(used, bytes),
    };
    LabelVerdict {
        read: Some(read),
        damaged: None,
        events,
    }
}

/// Returns true if a charset of several bytes for each character decodes nearly all of a text. There is at most one loss for each 24 bytes
/// above 7F. A text of one sentence may be cut within its last character.
fn has_few_losses(charset: Charset, bytes: &[u8], log: &LossLog) -> bool {
    const BYTES_FOR_EACH_LOSS: usize = 24;
    !charset.is_single_byte()
        && usize::try_from(log.losses())
            .is_ok_and(|losses| high_bytes(bytes).count() >= losses * BYTES_FOR_EACH_LOSS)
}

/// Returns true if text under a label of another charset may be UTF-8.
fn may_be_utf8(label: Charset, bytes: &[u8]) -> bool {
    may_be_latin_utf8(label, bytes)
        || may_be_misread_word(label, bytes)
        || may_be_sign_of_utf8(label, bytes)
}

/// Returns true if a currency sign of Latin-1 stands beside a number: it may be the euro of ISO-8859-15.
fn may_have_euro(label: Charset, bytes: &[u8]) -> bool {
    const EURO: u8 = 0xA4;
    matches!(label, Charset::ISO_8859_1 | Charset::WINDOWS_1252)
        && memchr::memchr_iter(EURO, bytes).any(|at| detect::is_beside_number(bytes, at))
}

/// Returns true if [`check_label`] may find something. Fast.
pub(crate) fn needs_label_check(label: Charset, bytes: &[u8], scope: LabelScope) -> bool {
    !bytes.is_ascii()
        && (label.is_ascii_compatible() || label.may_stand_beside_ascii())
        && (superset::better_by_bytes(label, bytes).is_some()
            || scope != LabelScope::None
                && (may_be_utf8(label, bytes)
                    || may_be_latin_under(label, bytes)
                    || has_copyright_sign(label, bytes)
                    || may_have_euro(label, bytes))
            || label.is_single_byte() && has_lost_characters(bytes)
            || label_plausibility::is_in_scope(label, bytes, scope))
}
