//! Shortens a large message before its edits are checked: removes the middles of long attachments.
//!
//! The check parses and plans the edited message once more. A full copy would double the memory.
//!
//! ```text
//! header ─ text ─ attachment: first 64 KiB │ removed │ last 64 KiB ─ end
//! ```
//!
//! # Limits
//! Only attachments that are not decoded and have no line that begins with `--` are shortened. No delimiter can be in what is removed.

use crate::edit::Edit;
use crate::message::{Message, Part, PartKind};
use crate::policy::Policy;
use crate::span::Span;
use memchr::{memchr, memmem, memrchr};

/// Bytes that stay at both ends of an attachment.
const KEPT: usize = 64 << 10;

/// A message and its edits, without the middles of long attachments.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shortened {
    /// The message.
    pub raw: Vec<u8>,
    /// The edits, at their places in it.
    pub edits: Vec<Edit>,
}

/// Removes the middles of long attachments if the message has more than [`Limits::text`](crate::Limits::text) bytes.
///
/// Returns `None` for a smaller message, and for one without such attachments. The parts stay the same in number, order and kind.
pub fn shortened(message: &Message<'_>, edits: &[Edit], policy: &Policy) -> Option<Shortened> {
    if message.raw().len() <= policy.limits.text {
        return None;
    }
    shortened_to(message, edits, policy, KEPT)
}

fn shortened_to(
    message: &Message<'_>,
    edits: &[Edit],
    policy: &Policy,
    kept: usize,
) -> Option<Shortened> {
    let raw = message.raw();
    let is_long = |part: &&Part| part.body.len() > 4 * kept && may_be_shortened(message, part);
    let long = message.parts().iter().filter(is_long);
    let cuts: Vec<Span> = long
        .filter_map(|part| middle(raw, part.body, edits, kept))
        .collect();
    if cuts.is_empty() {
        return None;
    }
    let mut short = Vec::new();
    let mut at = 0;
    for cut in &cuts {
        short.extend_from_slice(&raw[at..cut.start]);
        at = cut.end;
    }
    short.extend_from_slice(&raw[at..]);
    let mut removed = 0;
    let ends = cuts.iter().map(|cut| {
        removed += cut.len();
        (cut.end, removed)
    });
    let ends: Vec<(usize, usize)> = ends.collect();
    let moved = |place: usize| {
        let before = ends.partition_point(|(end, _)| *end <= place);
        place - before.checked_sub(1).map_or(0, |last| ends[last].1)
    };
    let edits = edits.iter().map(|edit| Edit {
        span: Span::new(moved(edit.span.start), moved(edit.span.end)),
        with: edit.with.clone(),
        recipe: edit.recipe.clone(),
    });
    let edits = edits.collect();
    let again = Message::parse(&short, &policy.limits);
    let kind = |part: &Part| (part.parent, part.kind, part.body.start - part.header.end);
    let is_same = again.eol() == message.eol()
        && again
            .parts()
            .iter()
            .map(kind)
            .eq(message.parts().iter().map(kind));
    is_same.then_some(Shortened { raw: short, edits })
}

/// Returns true for an attachment that is not decoded.
fn may_be_shortened(message: &Message<'_>, part: &Part) -> bool {
    part.kind == PartKind::Leaf
        && !matches!(&*part.media.top, "text" | "message" | "multipart")
        && !part.unread
        && !part.may_contain_text(message.raw())
}

/// Returns the whole lines in the middle of a body, unless an edit or a line that begins with `--` is in it.
fn middle(raw: &[u8], body: Span, edits: &[Edit], kept: usize) -> Option<Span> {
    let start = body.start + kept;
    let start = start + memchr(b'\n', &raw[start..body.end - kept])? + 1;
    let end = start + memrchr(b'\n', &raw[start..body.end - kept])? + 1;
    let next = edits.partition_point(|edit| edit.span.end <= body.start);
    let is_edited = edits
        .get(next)
        .is_some_and(|edit| edit.span.start < body.end);
    let has_dashes = |line_end: &[u8]| memmem::find(&raw[start - 1..end], line_end).is_some();
    let is_kept = is_edited || end == start || has_dashes(b"\n--") || has_dashes(b"\r--");
    (!is_kept).then(|| Span::new(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::spliced;
    use crate::normalize::plan_parsed;

    #[test]
    fn only_the_middles_of_attachments_are_removed() {
        let data = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU2Nzg5\n".repeat(100);
        let part = |media: &str, body: &str| {
            format!("--b\nContent-Type: {media}\nContent-Transfer-Encoding: base64\n\n{body}")
        };
        let message = |middle: &str| {
            let text = "--b\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\u{e9}\n";
            let text = format!(
                "Subject: gr\u{fc}n\nContent-Type: multipart/mixed; boundary=b\n\n{text}{middle}{text}--b--\n"
            );
            text.chars().map(|c| c as u8).collect::<Vec<_>>()
        };
        let binary = data.replace("QUJD", "AAEC");
        for (middle, is_short) in [
            (part("application/octet-stream", &binary), true),
            (part("image/png", &binary) + &part("audio/x", &binary), true),
            (
                part("image/png", &(binary.clone() + "--\n" + &binary)),
                false,
            ),
            (part("text/csv", &data), false),
            (part("message/rfc822", &data), false),
            (part("image/png", &binary[..300]), false),
        ] {
            let raw = message(&middle);
            let policy = Policy::default();
            let parsed = Message::parse(&raw, &policy.limits);
            let edits = plan_parsed(&parsed, &policy).edits;
            assert!(!edits.is_empty());
            assert!(shortened(&parsed, &edits, &policy).is_none());
            let short = shortened_to(&parsed, &edits, &policy, 200);
            assert_eq!(short.is_some(), is_short, "{middle:.60}");
            let Some(short) = short else { continue };
            assert!(short.raw.len() < raw.len() / 2);
            let parsed = Message::parse(&short.raw, &policy.limits);
            let again = plan_parsed(&parsed, &policy).edits;
            assert_eq!(again, short.edits);
            let new = spliced(&short.raw, &short.edits);
            let whole = spliced(&raw, &edits);
            assert!(whole.starts_with(&new[..200]) && whole.ends_with(&new[new.len() - 200..]));
        }
    }
}
