//! What a label that reads all bytes does not explain: a page of Windows that it was written for, another charset that makes likelier text.
//!
//! # Limits
//! Charsets whose bytes below 80 are no ASCII, and those with states, are believed.

use super::{How, found, label_plausibility, reads, superset};
use crate::EventKind;
use mailglot_codec::detect;
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// What is to be said of a label, and what reads the bytes instead of it, if anything does.
pub(crate) struct Otherwise<'b> {
    pub(crate) read: Option<Read<'b>>,
    pub(crate) events: Vec<(EventKind, Cow<'static, str>)>,
}

/// Another charset's reading.
pub(crate) struct Read<'b> {
    pub(crate) used: Charset,
    pub(crate) how: How,
    pub(crate) confidence: Option<f32>,
    pub(crate) text: Cow<'b, str>,
}

/// What speaks against a label that reads all bytes. `told`: the charset of other text of the message, which decides where the bytes alone leave
/// a doubt. What detection is told is gathered only where it is asked; without it no other charset is looked for than the page that the label
/// was written for.
pub(crate) fn otherwise<'b, 'h>(
    label: Charset,
    bytes: &'b [u8],
    told: Option<Charset>,
    hints: Option<impl FnOnce() -> detect::Hints<'h>>,
) -> Option<Otherwise<'b>> {
    let better = superset::on_evidence(label, bytes).filter(|better| reads(*better, bytes));
    let mut events = Vec::new();
    if let Some(doubt) =
        hints.and_then(|hints| label_plausibility::against(better.unwrap_or(label), bytes, hints))
    {
        let used = doubt.guess.charset;
        let mut log = LossLog::with_limit(0);
        let text = used.decode(bytes, &mut log);
        let is_told = told.is_some_and(|told| told.superset() == used.superset());
        if (doubt.decides || is_told)
            && log.losses() == 0
            && !label_plausibility::is_within_words(used, &text)
        {
            events.push(found(Some(label), used, doubt.guess.evidence.name()));
            let confidence = Some(doubt.guess.confidence);
            return Some(Otherwise {
                read: Some(Read {
                    used,
                    how: How::Detected,
                    confidence,
                    text,
                }),
                events,
            });
        }
        let detail = format!("{}, but {} is likelier", label.name(), used.name());
        events.push((EventKind::CharsetSuspected, Cow::Owned(detail)));
    }
    let read = better.map(|used| {
        let detail = format!("{} read as {}", label.name(), used.name());
        events.push((EventKind::CharsetSuperset, Cow::Owned(detail)));
        let text = used.decode(bytes, &mut LossLog::with_limit(0));
        Read {
            used,
            how: How::Superset,
            confidence: None,
            text,
        }
    });
    (read.is_some() || !events.is_empty()).then_some(Otherwise { read, events })
}

/// A first look: whether [`otherwise`] may have something to say; `doubts`: where it has what detection is told.
pub(crate) fn may_be_otherwise(label: Charset, bytes: &[u8], doubts: bool) -> bool {
    !bytes.is_ascii()
        && label.is_ascii_compatible()
        && (superset::on_evidence(label, bytes).is_some()
            || doubts && label_plausibility::is_worth_asking(label, bytes))
}
