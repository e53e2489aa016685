//! Compares the texts of a message before and after.

use mailglot_mime::{
    CharsetOut, Event, EventKind, How, Message, OnLoss, PartId, Policy, Report, iso_2022_jp_form,
    text_parts,
};

/// A text in the characters that the policy writes.
pub(crate) fn read_as(text: &str, policy: &Policy) -> String {
    match policy.charset_out {
        CharsetOut::Iso2022Jp => iso_2022_jp_form(text).into_owned(),
        _ => text.to_owned(),
    }
}

/// A text part for comparison.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) part: PartId,
    /// None for documents that name their charset.
    content: Option<String>,
    how: How,
    /// Some of it could not be read.
    lossy: bool,
    body: Vec<u8>,
}

pub(crate) fn texts(message: &Message<'_>, policy: &Policy) -> Vec<Text> {
    let parts = text_parts(message, policy, &mut Report::default());
    let text = |p: mailglot_mime::TextPart| {
        let part = message.part(p.part).unwrap();
        let named = |text: &str| {
            let text = text.to_lowercase();
            part.media.sub != "plain" && (text.contains("charset") || text.contains("encoding"))
        };
        let text = (!named(&p.text)).then(|| read_as(&p.text, policy));
        let body = part.body.of(message.raw()).to_vec();
        Text {
            part: p.part,
            content: text,
            how: p.reading.how,
            lossy: !p.losses.is_empty(),
            body,
        }
    };
    parts.into_iter().map(text).collect()
}

/// Returns true if lines and line ends are the same. Text with CR LF alone equals the same text with LF alone. A line end at the very end may be
/// added, which is reported.
pub(crate) fn same_text(old: &Text, new: &Text, told: &Report) -> bool {
    let (Some(one), Some(other)) = (&old.content, &new.content) else {
        return old.content.is_none() && new.content.is_none();
    };
    let uniform =
        |text: &str| !text.contains('\r') || !text.replace("\r\n", "").contains(['\r', '\n']);
    let same = |one: &str, other: &str| {
        let lines = |text: &str| text.replace("\r\n", "\n");
        one == other || uniform(one) && uniform(other) && lines(one) == lines(other)
    };
    let added = |event: &Event| event.kind == EventKind::CteLineEndAdded && event.part == old.part;
    let rest = other
        .strip_suffix("\r\n")
        .or_else(|| other.strip_suffix('\n'));
    same(one, other)
        || !one.ends_with('\n')
            && told.events.iter().any(added)
            && rest.is_some_and(|rest| same(one, rest))
}

/// Returns true if a part kept its bytes because some of them cannot be decoded, or because the new bytes would be decoded differently. If the
/// other parts helped to guess its charset and were rewritten, its guess may be another one now. Binary data stays, too.
pub(crate) fn kept_guess(old: &Text, new: &Text, told: &Report, policy: &Policy) -> bool {
    let stays = |event: &Event| {
        matches!(
            event.kind,
            EventKind::MimeUnsettled | EventKind::MimeNotText
        ) && event.part == old.part
    };
    let kept = policy.on_loss == OnLoss::Keep && old.lossy || told.events.iter().any(stays);
    kept && old.body == new.body && matches!(old.how, How::Message | How::Detected | How::Fallback)
}
