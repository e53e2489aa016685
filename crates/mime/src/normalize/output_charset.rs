//! Chooses the output charset of a text part.
//!
//! # Limits
//! An all-ASCII part keeps any label whose charset has the same bytes for ASCII as UTF-8.

use super::body::{Body, Outgoing, UTF_8};
use crate::event::{Event, EventKind};
use crate::policy::{Bodies, CharsetOut};
use crate::{japanese, lexer};
use mailglot_codec::{Charset, Resolved};
use std::borrow::Cow;

/// Returns the text of a part in the charset that the policy asks for, else in UTF-8.
pub(super) fn of<'a>(body: &Body<'a, '_>) -> Outgoing<'a> {
    let usual = || match body.policy.bodies {
        Bodies::Keep => body.content(None),
        Bodies::Utf8 => {
            let relabels = body.needs_charset() || body.needs_label() || body.needs_declaration();
            body.content(relabels.then_some(UTF_8))
        }
    };
    match (body.policy.bodies, body.policy.charset_out) {
        (Bodies::Utf8, CharsetOut::Iso2022Jp) => {
            japanese(body).unwrap_or_else(|note| Outgoing { note, ..usual() })
        }
        _ => usual(),
    }
}

/// Returns the text in ISO-2022-JP. If that cannot encode it, returns an event about it; None for ASCII text.
fn japanese<'a>(body: &Body<'a, '_>) -> Result<Outgoing<'a>, Option<Event>> {
    let choice = body.choice;
    let footer = body.source.footer().filter(|footer| !footer.is_ascii());
    if choice.text.is_ascii() && footer.is_none() && !body.needs_charset() {
        return Err(None);
    }
    let read = choice.used == Charset::ISO_2022_JP && choice.log.losses() == 0 && footer.is_none();
    // Other readers decode a line differently if it does not end in ASCII.
    let bytes = &*body.source.decoded.bytes;
    let mut lines = bytes.split(|byte| lexer::is_line_end(*byte));
    let read = read && lines.all(japanese::is_complete);
    if read && is_labelled_japanese(body) {
        return Ok(body.content(None));
    }
    let content = body.content(Some(japanese::LABEL));
    let note = |kind, count| Some(body.event(kind, Charset::ISO_2022_JP).counted(count));
    let text = std::str::from_utf8(&content.text).map_err(|_| None)?;
    let written =
        japanese::write(text).map_err(|lacking| note(EventKind::CharsetBeyondOut, lacking))?;
    if read && content.patches.is_empty() && body.source.footer().is_none() {
        // Only the label was missing.
        let text = Cow::Borrowed(bytes);
        return Ok(Outgoing { text, ..content });
    }
    let changed = written.look_alikes;
    Ok(Outgoing {
        text: Cow::Owned(written.bytes),
        note: note(EventKind::CharsetLookAlike, changed).filter(|_| changed > 0),
        ..content
    })
}

/// Returns true if the only label of the part is ISO-2022-JP.
fn is_labelled_japanese(body: &Body<'_, '_>) -> bool {
    let is_it = matches!(body.source.resolved, Some(Resolved::Exact(charset) | Resolved::Alias(charset))
        if charset == Charset::ISO_2022_JP);
    is_it && !body.message.part_at(body.id).several_charsets
}
