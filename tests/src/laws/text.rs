//! Checks law 11: a message and its rewriting have the same text, part by part, including line ends.

use mailglot_codec::{Charset, LossLog};
use mailglot_mime::{
    Bodies, CharsetOut, EventKind, How, Message, OnLoss, PartId, Policy, Report, iso_2022_jp_form,
    text_parts,
    transfer::{self, TransferEncoding},
};
use std::borrow::Cow;

/// A text part for comparison.
struct ComparedText {
    part: PartId,
    section: String,
    media: String,
    how: How,
    used: Charset,
    is_lossy: bool,
    content: String,
}

/// Returns the first text part of `before` that reads differently in `after`. `report` is that of the processing.
pub(super) fn changed(
    before: &Message<'_>,
    after: &Message<'_>,
    report: &Report,
    policy: &Policy,
) -> Option<String> {
    let (old, new) = (texts(before, policy), texts(after, policy));
    if old.len() != new.len() {
        return Some(format!("{} text parts became {}", old.len(), new.len()));
    }
    old.iter().zip(&new).find_map(|(old, new)| {
        if (&old.section, &old.media) != (&new.section, &new.media) {
            return Some(format!("text part {} became {}", old.section, new.section));
        }
        let (was, is) = (
            as_written(&old.content, &old.media, policy),
            as_written(&new.content, &new.media, policy),
        );
        let reported = |kind| {
            report
                .events
                .iter()
                .any(|event| (event.kind, event.part) == (kind, old.part))
        };
        let holds = is_same(&was, &is)
            || is_ended(&was, &is) && reported(EventKind::CteLineEndAdded)
            || is_kept_guess(before, after, old, new, report, policy);
        (!holds).then(|| {
            let at = was
                .bytes()
                .zip(is.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            let shown = |text: &str| {
                let bytes = &text.as_bytes()[at.saturating_sub(20)..text.len().min(at + 40)];
                bytes.escape_ascii().to_string()
            };
            format!(
                "the text of part `{}` differs at byte {at}: `{}` and `{}`",
                old.section,
                shown(&was),
                shown(&is)
            )
        })
    })
}

fn texts(message: &Message<'_>, policy: &Policy) -> Vec<ComparedText> {
    let parts = text_parts(message, policy, &mut Report::with_limit(0));
    let texts = parts.into_iter().map(|part| ComparedText {
        part: part.part,
        section: part.section,
        media: format!("{}/{}", part.media.top, part.media.sub),
        how: part.reading.how,
        used: part.reading.used,
        is_lossy: !part.losses.is_empty(),
        content: part.text.into_owned(),
    });
    texts.collect()
}

/// Returns true if two texts have the same lines and line ends.
///
/// All CR LF and all LF count as the same. In mixed text, each kind is data.
pub(super) fn is_same(old: &str, new: &str) -> bool {
    old == new
        || is_uniform(old)
            && is_uniform(new)
            && old.replace("\r\n", "\n") == new.replace("\r\n", "\n")
}

/// Returns true if the line ends of a text are all CR LF or all LF.
fn is_uniform(text: &str) -> bool {
    !text.contains('\r') || !text.replace("\r\n", "").contains(['\r', '\n'])
}

/// Returns true if `new` is `old` with the missing line end at its end.
fn is_ended(old: &str, new: &str) -> bool {
    let rest = new.strip_suffix("\r\n").or_else(|| new.strip_suffix('\n'));
    !old.ends_with('\n') && rest.is_some_and(|rest| is_same(old, rest))
}

/// Returns a text with the characters that the policy writes, without charset names in a document, which follow its new charset.
fn as_written<'t>(text: &'t str, media: &str, policy: &Policy) -> Cow<'t, str> {
    let text = match policy.charset_out {
        CharsetOut::Iso2022Jp => iso_2022_jp_form(text),
        _ => Cow::Borrowed(text),
    };
    if media == "text/plain" {
        text
    } else {
        without_names(text)
    }
}

/// Replaces the text after `charset` or `encoding` and an equals sign.
fn without_names(text: Cow<'_, str>) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '"' | '\'');
    let (mut out, mut copied) = (String::new(), 0);
    let words = ["charset", "encoding"]
        .iter()
        .flat_map(|word| lower.match_indices(word));
    let mut ends: Vec<usize> = words.map(|(at, word)| at + word.len()).collect();
    ends.sort_unstable();
    for end in ends {
        let rest = &text[end..];
        let Some(value) = rest.trim_start_matches(is_blank).strip_prefix('=') else {
            continue;
        };
        let value = value.trim_start_matches(is_blank);
        let start = text.len() - value.len();
        let length = value
            .find(|c: char| !c.is_ascii_alphanumeric() && !"-_.:+".contains(c))
            .unwrap_or(value.len());
        if start < copied {
            continue;
        }
        out.push_str(&text[copied..start]);
        out.push('?');
        copied = start + length;
    }
    if copied == 0 {
        return text;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns true if a part's bytes stay, and its charset is a guess by fields and parts that were rewritten.
///
/// Bytes stay if the policy keeps them or they cannot be encoded. The guess before the pass rests on evidence elsewhere in the
/// message, such as the charset of an encoded word. That evidence is UTF-8 after the pass, so the next guess may differ. The law
/// requires that the kept bytes still decode to the old text in the charset that was guessed first.
fn is_kept_guess(
    before: &Message<'_>,
    after: &Message<'_>,
    old: &ComparedText,
    new: &ComparedText,
    report: &Report,
    policy: &Policy,
) -> bool {
    let reported = |kind| {
        report
            .events
            .iter()
            .any(|event| (event.kind, event.part) == (kind, old.part))
    };
    let foreign = matches!(
        before.part(old.part).map(|part| part.transfer),
        Some(TransferEncoding::Unknown | TransferEncoding::Uuencode)
    );
    let kept = foreign
        || policy.on_loss == OnLoss::Keep && old.is_lossy
        || reported(EventKind::MimeUnsettled)
        // Binary data under a label of text stays.
        || reported(EventKind::MimeNotText);
    let guessed = matches!(old.how, How::Message | How::Detected | How::Fallback);
    let decoded = |message: &Message<'_>, id: PartId| {
        let part = &message.parts()[id.0 as usize];
        transfer::decode(part.transfer, part.body.of(message.raw()), &mut Vec::new())
            .bytes
            .into_owned()
    };
    // Each byte as a character, so that line ends can be compared.
    let characters = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|&byte| char::from(byte))
            .collect::<String>()
    };
    let body = |message: &Message<'_>, id: PartId| {
        message.parts()[id.0 as usize]
            .body
            .of(message.raw())
            .to_vec()
    };
    if policy.bodies == Bodies::Keep {
        let (was, is) = (decoded(before, old.part), decoded(after, new.part));
        let again = old.used.decode(&is, &mut LossLog::with_limit(0));
        // A footer after base64 is part of the new bytes, and was part of the old text.
        let same = is_same(&old.content, &again)
            || is_ended(&old.content, &again) && reported(EventKind::CteLineEndAdded);
        return is_same(&characters(&was), &characters(&is)) || guessed && same;
    }
    kept && guessed && body(before, old.part) == body(after, new.part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_line_ends_are_equal_and_mixed_ones_are_data() {
        for (old, new, same) in [
            ("a\nb\n", "a\r\nb\r\n", true),
            ("a\r\nb\nc", "a\r\nb\nc", true),
            ("a\r\nb\nc", "a\nb\nc", false),
            ("a\r\nb", "a\r\r\nb", false),
            ("a\rb\n", "a\nb\n", false),
            ("a\n", "a", false),
            ("a\rb", "a\rb", true),
        ] {
            assert_eq!(is_same(old, new), same, "{old:?} {new:?}");
            assert_eq!(is_same(new, old), same, "{old:?} {new:?}");
        }
        assert!(is_ended("a\r\nb", "a\nb\n") && is_ended("a", "a\r\n"));
        assert!(!is_ended("a\n", "a\n\n") && !is_ended("a", "a\n\n") && !is_ended("a", "a"));
    }

    #[test]
    fn charset_names_are_not_text() {
        let plain = |text| without_names(Cow::Borrowed(text)).into_owned();
        assert_eq!(
            plain("<meta charset = \"koi8-r\">x"),
            "<meta charset = \"?\">x"
        );
        assert_eq!(
            plain("<?xml encoding='a'?>CharSet=b;"),
            "<?xml encoding='?'?>CharSet=?;"
        );
        assert_eq!(plain("charset\nencoding"), "charset\nencoding");
    }
}
