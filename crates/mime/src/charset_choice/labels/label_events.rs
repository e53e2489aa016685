//! Builds the events about a label.

use crate::event::{ChosenBy, Detail, EventKind};
use mailglot_codec::{Charset, Resolved};

/// Reports problems of the label and returns the charset that it names.
pub(crate) fn note_label(
    label: Option<&[u8]>,
    resolved: Option<Resolved>,
    events: &mut Vec<(EventKind, Detail)>,
) -> Option<Charset> {
    match resolved? {
        Resolved::Exact(charset) => Some(charset),
        Resolved::Alias(charset) => {
            events.push((EventKind::CharsetAlias, label_means(label, charset)));
            Some(charset)
        }
        Resolved::Repaired(charset) => {
            events.push((EventKind::CharsetGarbageLabel, label_means(label, charset)));
            Some(charset)
        }
        Resolved::NoInformation | Resolved::Unknown => {
            let label = String::from_utf8_lossy(label.unwrap_or_default());
            events.push((EventKind::CharsetUnknownLabel, Detail::Label(label.into())));
            None
        }
    }
}

/// Builds the detail for a label that means `charset`.
pub(crate) fn label_means(label: Option<&[u8]>, charset: Charset) -> Detail {
    Detail::label_means(label.unwrap_or_default(), charset)
}

/// Drops label events of pure ASCII, which needs no label. Keeps those about garbage and about unknown labels.
pub(crate) fn drop_label_events(resolved: Option<Resolved>, events: &mut Vec<(EventKind, Detail)>) {
    let unknown = resolved == Some(Resolved::Unknown);
    events.retain(|(kind, _)| unknown || *kind == EventKind::CharsetGarbageLabel);
}

/// Builds the event for a charset that the label did not name.
pub(crate) fn detected_event(
    declared: Option<Charset>,
    used: Charset,
    by: ChosenBy,
) -> (EventKind, Detail) {
    let kind = if declared == Some(Charset::UTF_8) {
        EventKind::CharsetLegacyInUtf8
    } else {
        EventKind::CharsetDetected
    };
    let by = Some(by);
    (kind, Detail::ReadAs { declared, used, by })
}
