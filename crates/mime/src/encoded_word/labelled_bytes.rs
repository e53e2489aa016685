//! Decodes bytes with or without a charset label: those of words and of extended parameters (RFC 2231, section 4).

use super::context::{HeaderContext, is_plain};
use super::raw_charset::guess;
use super::utf8_mislabel::as_utf8;
use crate::Detection;
use crate::charset_choice::{
    LabelVerdict, MAIL_HINTS, check_label, redecode, utf8_outweighs_message,
};
use crate::event::{Detail, EventKind};
use mailglot_codec::{Charset, LossLog, detect};
use std::borrow::Cow;

/// Decodes bytes with or without a charset.
///
/// Returns the text, the charset (None: UTF-8 without a label or against it) and the number of losses under the label. Adds events
/// to `notes` if another charset replaced the label or is likelier.
pub(crate) fn bytes_to_text<'b>(
    charset: Option<Charset>,
    mapped: bool,
    bytes: &'b [u8],
    context: &HeaderContext,
    notes: &mut Vec<(EventKind, Detail)>,
) -> (Cow<'b, str>, Option<Charset>, u64) {
    let may_overrule = |charset: &Charset| context.may_overrule(*charset);
    if let Some(text) = charset
        .filter(may_overrule)
        .and_then(|charset| as_utf8(charset, bytes))
    {
        return (Cow::Borrowed(text), None, 0);
    }
    let known = charset.filter(|&c| c != Charset::US_ASCII || bytes.is_ascii());
    if known.is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
        && utf8_outweighs_message(context.rival_of_utf8(), bytes, text)
    {
        return (Cow::Borrowed(text), None, 0);
    }
    let used = known.unwrap_or_else(|| {
        context
            .raw
            .filter(|&c| is_plain(c))
            .unwrap_or_else(|| guess(bytes, context))
    });
    let mut log = LossLog::new();
    let text = used.decode(bytes, &mut log);
    let raw = context.raw.filter(|&c| is_plain(c));
    if known.is_some()
        && context.detection != Detection::Off
        && let Some(read) = redecode(bytes, used, &text, &log, raw, context.language)
    {
        notes.push(read.event);
        return (read.text, Some(read.used), log.losses());
    }
    let hints = || detect::Hints {
        language: context.language,
        ..MAIL_HINTS
    };
    if known.is_some()
        && log.losses() == 0
        && !mapped
        && let Some(LabelVerdict { read, events }) =
            check_label(used, bytes, raw, context.check_labels.then_some(hints))
    {
        notes.extend(events);
        if let Some(read) = read {
            return (read.text, Some(read.used), 0);
        }
    }
    (text, Some(used), log.losses())
}
