//! Checks the laws on one message.

use crate::texts::{kept_guess, read_as, same_text, texts};
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::header::{Field, FieldKind, field_kind};
use mailglot_mime::{
    Headers, Limits, Message, Part, PartId, PartKind, Policy, Report, TextPart, Transfer,
    apply_undo, decoded_messages, header, header_context, params, process, spliced, text_parts,
    undo_edits,
};

/// The law that a message breaks under a policy, with what shows it.
pub(crate) fn broken(raw: &[u8], policy: &Policy) -> Option<(&'static str, String)> {
    let checked = std::panic::catch_unwind(|| check(raw, policy).err());
    checked.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        Some(("no panic", text))
    })
}

fn check(raw: &[u8], policy: &Policy) -> Result<(), (&'static str, String)> {
    let law = |name: &'static str, holds: bool, shown: &dyn Fn() -> String| {
        if holds { Ok(()) } else { Err((name, shown())) }
    };
    let once = process(raw, policy);
    let new = &*once.bytes;
    let twice = process(new, policy);
    law(
        "a second pass changes nothing",
        twice.edits.is_empty() && *twice.bytes == *new,
        &|| {
            twice
                .edits
                .iter()
                .map(|e| {
                    format!(
                        "{} -> {}\n",
                        e.span.of(new).escape_ascii(),
                        e.with.escape_ascii()
                    )
                })
                .collect()
        },
    )?;
    law(
        "no edits, no change",
        !once.edits.is_empty() || new == raw,
        &String::new,
    )?;
    let undone = apply_undo(new, &undo_edits(raw, &once.edits));
    law(
        "what was changed comes back",
        undone.as_deref() == Some(raw),
        &String::new,
    )?;
    let (encoded, after) = (
        Message::parse(raw, &policy.limits),
        Message::parse(new, &policy.limits),
    );
    // Decoded messages have parts of their own.
    let decodes = if encoded.parts().len() == after.parts().len() {
        Vec::new()
    } else {
        decoded_messages(&encoded, policy)
    };
    let opened = spliced(raw, &decodes);
    let before = Message::parse(&opened, &policy.limits);
    if !decodes.is_empty() {
        let contents = |message| {
            let texts = text_parts(message, policy, &mut Report::default());
            let content =
                |text: TextPart<'_>| (text.section, text.text.trim_end().replace("\r\n", "\n"));
            texts.into_iter().map(content).collect::<Vec<_>>()
        };
        let (old, new) = (contents(&encoded), contents(&before));
        law("decoding keeps the texts", old == new, &|| {
            format!("{old:?}\n{new:?}")
        })?;
    }
    let tree = |m: &Message<'_>| -> Vec<String> {
        // Raw UTF-8 in its header makes message/rfc822 message/global.
        let media = |p: &Part| Some(p.media.clone()).filter(|_| p.kind != PartKind::Message);
        m.parts()
            .iter()
            .map(|p| format!("{:?} {:?} {:?}", p.parent, p.kind, media(p)))
            .collect()
    };
    law("the tree stays", tree(&before) == tree(&after), &|| {
        format!("{:?}\n{:?}", tree(&before), tree(&after))
    })?;
    signed_parts(&before, &after)?;
    let (before_fields, after_fields) = (Fields::of(&before, policy), Fields::of(&after, policy));
    for index in 0..before.parts().len() {
        fields(&before_fields, &after_fields, PartId(index as u32), policy)?;
    }
    let (old, new_texts) = (texts(&before, policy), texts(&after, policy));
    for (old, new) in old.iter().zip(&new_texts) {
        law(
            "the text stays",
            old.part == new.part && same_text(old, new, &once.report)
                || kept_guess(old, new, &once.report, policy),
            &|| format!("{old:?}\n{new:?}"),
        )?;
    }
    if policy.transfer == Transfer::SevenBit && raw.is_ascii() {
        law("7bit stays 7bit", new.is_ascii(), &String::new)?;
    }
    Ok(())
}

/// Signed and encrypted parts are the same bytes. Of a whole message these are its body.
fn signed_parts(before: &Message<'_>, after: &Message<'_>) -> Result<(), (&'static str, String)> {
    for (b, a) in before.parts().iter().zip(after.parts()) {
        let sealed = match &*b.media.top {
            "multipart" => matches!(&*b.media.sub, "signed" | "encrypted"),
            "application" => b.media.sub.contains("pkcs7-"),
            _ => false,
        };
        // Neither signature nor encryption covers the fields of the message.
        let is_open = b.parent.is_none();
        let bytes = |m: &Message<'_>, p: &Part| {
            let start = if is_open {
                p.body.start
            } else {
                p.header.start
            };
            m.raw()[start..p.body.end].to_vec()
        };
        if sealed && bytes(before, b) != bytes(after, a) {
            return Err((
                "signed parts stay",
                bytes(after, a).escape_ascii().to_string(),
            ));
        }
    }
    Ok(())
}

/// A message, and the context in which its fields are decoded.
struct Fields<'a> {
    message: &'a Message<'a>,
    context: HeaderContext<'a>,
}

impl<'a> Fields<'a> {
    fn of(message: &'a Message<'a>, policy: &'a Policy) -> Self {
        let context = header_context(message, policy);
        Self { message, context }
    }
}

/// Fields stay as many and in order, but for added ones; what is written anew reads the same; NUL and line ends do not
/// come in.
fn fields(
    before: &Fields<'_>,
    after: &Fields<'_>,
    id: PartId,
    policy: &Policy,
) -> Result<(), (&'static str, String)> {
    let name = |m: &Message<'_>, f: &Field| m.raw()[f.name.start..f.name.end].to_ascii_lowercase();
    let (context, now) = (&before.context, &after.context);
    let (before, after) = (before.message, after.message);
    let mut new = after.fields(id).iter();
    for field in before.fields(id) {
        let (old_name, old) = (name(before, field), field.value.of(before.raw()));
        let Some(other) = new.next().filter(|f| name(after, f) == old_name) else {
            return Err(("fields stay", old_name.escape_ascii().to_string()));
        };
        let value = other.value.of(after.raw());
        let ends = |value: &[u8]| {
            let ends = value
                .iter()
                .enumerate()
                .filter(|(_, b)| matches!(b, b'\n' | b'\r'));
            ends.filter(|(at, _)| {
                !value[at + 1..]
                    .first()
                    .is_some_and(|b| b" \t\r\n".contains(b))
            })
            .count()
        };
        let nuls = |value: &[u8]| value.iter().filter(|b| **b == 0).count();
        let (shown_old, shown) = (old.escape_ascii(), value.escape_ascii());
        let shown = format!("{}: {shown_old}\n{shown}", old_name.escape_ascii());
        if ends(value) > ends(old) || nuls(value) > nuls(old) {
            return Err(("no line end and no NUL comes into a header", shown));
        }
        // Raw bytes that stay, in addresses, may be guessed otherwise where others do not.
        if old == value
            || std::str::from_utf8(value).is_err()
            || old.len() > Limits::default().field
        {
            continue;
        }
        let same = match (field_kind(&old_name), &*old_name) {
            (_, b"content-transfer-encoding") => true,
            (FieldKind::Opaque, _) => old == value,
            // A value without a media type, such as `text`, has no parameters.
            (FieldKind::Parameters, b"content-type")
                if !parameters(old, context).0.contains('/') =>
            {
                true
            }
            (FieldKind::Parameters, _) => {
                let (old, new) = (parameters(old, context), parameters(value, now));
                let global = old.0 == "message/rfc822" && new.0 == "message/global";
                let same = old
                    .1
                    .iter()
                    .map(|(name, text)| (name, read_as(text, policy)))
                    .eq(new
                        .1
                        .iter()
                        .map(|(name, text)| (name, read_as(text, policy))));
                same && (old.0 == new.0 || global && policy.headers == Headers::RawUtf8)
            }
            (kind, _) => {
                let read = |value, context| {
                    let text = header::decode(value, kind, context, &mut Vec::new());
                    without_gaps(&read_as(&text, policy), kind)
                };
                read(old, context) == read(value, now)
            }
        };
        if !same {
            return Err(("fields read the same", shown));
        }
    }
    let added: [&[u8]; 3] = [
        b"mime-version",
        b"content-type",
        b"content-transfer-encoding",
    ];
    match new.find(|f| !added.contains(&&*name(after, f))) {
        Some(field) => Err((
            "no field is added",
            name(after, field).escape_ascii().to_string(),
        )),
        None => Ok(()),
    }
}

/// The text of a field without spaces before `<`: a word that is written gets one there (RFC 2047, section 5, rule 3).
fn without_gaps(text: &str, kind: FieldKind) -> String {
    if matches!(kind, FieldKind::Structured | FieldKind::Phrases) {
        text.replace(" <", "<")
    } else {
        text.to_owned()
    }
}

/// The value, and all parameters but the charset.
fn parameters(value: &[u8], context: &HeaderContext) -> (String, Vec<(String, String)>) {
    let params = params::parse(value, context, &mut Vec::new());
    let list = params.list.into_iter().filter(|p| p.name != "charset");
    (params.value, list.map(|p| (p.name, p.text)).collect())
}
