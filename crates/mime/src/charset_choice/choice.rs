//! A chosen charset with the text that it gives.

use crate::event::{Detail, EventKind};
use crate::reading::How;
use crate::split_folds::MovedFolds;
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// A chosen charset and the decoded text.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    pub used: Charset,
    pub how: How,
    pub confidence: Option<f32>,
    /// The decoded text; borrowed if the bytes are valid UTF-8 already.
    pub text: Cow<'a, str>,
    /// The losses. Their offsets refer to the input bytes.
    pub log: LossLog,
    /// Events about the label.
    pub events: Vec<(EventKind, Detail)>,
    /// The main charset of a text in two charsets, or the other one beside UTF-8. One charset alone cannot restore such bytes.
    pub mixed: Option<Charset>,
    /// The folds that moved out of characters before decoding, in a calendar or vCard.
    pub moved_folds: Option<MovedFolds>,
}

impl<'a> Choice<'a> {
    /// Decodes `bytes` as `used`.
    pub(super) fn decode(
        bytes: &'a [u8],
        used: Charset,
        how: How,
        events: Vec<(EventKind, Detail)>,
    ) -> Self {
        let mut log = LossLog::new();
        let text = used.decode(bytes, &mut log);
        Self::of_text(text, log, used, how, events)
    }

    /// Reads bytes that are valid UTF-8.
    pub(crate) fn as_utf8(bytes: &'a [u8]) -> Self {
        Self::decode(bytes, Charset::UTF_8, How::Utf8, Vec::new())
    }

    /// Takes text that is decoded already.
    pub(super) fn of_text(
        text: Cow<'a, str>,
        log: LossLog,
        used: Charset,
        how: How,
        events: Vec<(EventKind, Detail)>,
    ) -> Self {
        Self {
            used,
            how,
            confidence: None,
            text,
            log,
            events,
            mixed: None,
            moved_folds: None,
        }
    }

    /// Decodes other bytes in the same charset.
    pub(crate) fn of_bytes(self, bytes: &[u8]) -> Choice<'static> {
        let mut log = LossLog::new();
        let text = self.used.decode(bytes, &mut log).into_owned();
        Choice {
            text: Cow::Owned(text),
            log,
            ..self
        }
    }

    /// Copies borrowed text, so that the result outlives the bytes.
    pub(crate) fn into_owned(self) -> Choice<'static> {
        Choice {
            text: Cow::Owned(self.text.into_owned()),
            ..self
        }
    }

    /// Sets the confidence of a guess.
    pub(super) fn with_confidence(self, confidence: Option<f32>) -> Self {
        Self { confidence, ..self }
    }

    /// Puts events before the existing ones.
    pub(super) fn after(self, mut events: Vec<(EventKind, Detail)>) -> Self {
        events.extend(self.events);
        Self { events, ..self }
    }
}
