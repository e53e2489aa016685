//! Checks laws 2 to 5, 7, 10 and 11 on one message.

use super::law_results::LawResults;
use super::text;
use crate::rng::Rng;
use mailglot_codec::{Charset, View};
use mailglot_mime::encoded_word::{HeaderContext, Repairs};
use mailglot_mime::header::{self, FieldKind, field_kind};
use mailglot_mime::transfer::TransferEncoding;
use mailglot_mime::{
    Attachments, Bodies, CharsetOut, Edit, Headers, Message, OnLoss, Part, PartId, PartKind,
    Policy, Span, Transfer, apply_undo, decoded_messages, process, splice, spliced, transfer,
    undo_edits,
};

/// Processes the mutant under a policy, and checks the result.
pub(super) fn check(raw: &[u8], policy: &Policy, tally: &mut LawResults) {
    let outcome = process(raw, policy);
    tally.check(2, edits_are_complete(raw, &outcome.edits, &outcome.bytes));

    let again = process(&outcome.bytes, policy);
    tally.check(
        3,
        (again.bytes != outcome.bytes).then(|| second_pass(&outcome.bytes, &again.edits, policy)),
    );

    let before = Message::parse(raw, &policy.limits);
    let after = Message::parse(&outcome.bytes, &policy.limits);
    let text_differs = text::changed(&before, &after, &outcome.report, policy);
    tally.check(
        11,
        text_differs.map(|fault| format!("{fault} ({})", shown(policy))),
    );
    // Decoded messages have parts of their own.
    let decodes = if before.parts().len() == after.parts().len() {
        Vec::new()
    } else {
        decoded_messages(&before, policy)
    };
    let opened = spliced(raw, &decodes);
    let opened = Message::parse(&opened, &policy.limits);
    let tree = tree_changed(&opened, &after);
    let same_tree = tree.is_none();
    tally.check(4, tree);
    if same_tree {
        tally.check(2, untouched_changed(&opened, &after));
        tally.check(5, signed_changed(&opened, &after));
        tally.check(10, header_injected(&opened, &after));
    }
    tally.check(10, decoded_controls(&before));

    let undo = undo_edits(raw, &outcome.edits);
    let restored = apply_undo(&outcome.bytes, &undo);
    tally.check(
        7,
        (restored.as_deref() != Some(raw))
            .then(|| "undoing the edits gives other bytes".to_owned()),
    );
}

/// Returns one of the policies, in turns.
pub(super) fn policy(number: u64) -> Policy {
    let default = Policy::default();
    match number % 6 {
        0 | 1 => default,
        2 => default
            .headers(Headers::RawUtf8)
            .transfer(Transfer::Keep)
            .attachments(Attachments::Utf8),
        3 => default.transfer(Transfer::SevenBit),
        4 => default
            .on_loss(OnLoss::Keep)
            .keep_signed(true)
            .repairs(Repairs::ALL),
        _ => default
            .headers(Headers::Keep)
            .default_charset(Charset::for_label(b"windows-1251", View::Mail).charset()),
    }
}

/// Returns a random policy of those that keep text.
pub(super) fn policy_of_text(rng: &mut Rng) -> Policy {
    Policy::default()
        .headers(*rng.pick(&[Headers::Keep, Headers::Words, Headers::RawUtf8]))
        .bodies(*rng.pick(&[Bodies::Utf8, Bodies::Utf8, Bodies::Utf8, Bodies::Keep]))
        .charset_out(*rng.pick(&[CharsetOut::Utf8, CharsetOut::Utf8, CharsetOut::Iso2022Jp]))
        .attachments(*rng.pick(&[Attachments::Keep, Attachments::Utf8]))
        .transfer(*rng.pick(&[
            Transfer::Keep,
            Transfer::Clean,
            Transfer::SevenBit,
            Transfer::EightBit,
        ]))
        .on_loss(*rng.pick(&[OnLoss::Replace, OnLoss::Replace, OnLoss::Keep]))
}

/// Formats the options of a policy that affect bodies.
fn shown(policy: &Policy) -> String {
    let Policy {
        bodies,
        charset_out,
        transfer,
        on_loss,
        headers,
        attachments,
        ..
    } = policy;
    format!("{bodies:?}, {charset_out:?}, {transfer:?}, {on_loss:?}, {headers:?}, {attachments:?}")
}

/// Checks law 2: no edit means identical bytes, and the edits alone turn the input into the output.
fn edits_are_complete(raw: &[u8], edits: &[Edit], bytes: &[u8]) -> Option<String> {
    let mut identity = Vec::new();
    if splice(raw, &[], &mut identity).is_err() || identity != raw {
        return Some("splicing without edits is not the identity".to_owned());
    }
    let mut spliced = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        if edit.span.start < at || edit.span.end < edit.span.start || edit.span.end > raw.len() {
            return Some(format!(
                "edit {:?} overlaps, or lies outside the message",
                edit.span
            ));
        }
        spliced.extend_from_slice(&raw[at..edit.span.start]);
        spliced.extend_from_slice(&edit.with);
        at = edit.span.end;
    }
    spliced.extend_from_slice(&raw[at..]);
    (spliced != bytes).then(|| "the output is not the input with the edits applied".to_owned())
}

fn second_pass(bytes: &[u8], edits: &[Edit], policy: &Policy) -> String {
    let first = edits.first().map(|edit| {
        format!(
            "{:?} becomes {:?}",
            String::from_utf8_lossy(&edit.span.of(bytes)[..edit.span.len().min(80)]),
            String::from_utf8_lossy(&edit.with[..edit.with.len().min(80)])
        )
    });
    format!(
        "{:?}, {:?}: {} edits, the first: {first:?}",
        policy.headers,
        policy.transfer,
        edits.len()
    )
}

/// Checks law 4: same parts, same nesting, same media types.
fn tree_changed(before: &Message<'_>, after: &Message<'_>) -> Option<String> {
    if before.parts().len() != after.parts().len() {
        return Some(format!(
            "{} parts became {}",
            before.parts().len(),
            after.parts().len()
        ));
    }
    before
        .parts()
        .iter()
        .zip(after.parts())
        .position(|(old, new)| {
            // Raw UTF-8 in its header turns message/rfc822 into message/global.
            let embedded = old.kind == PartKind::Message && new.kind == PartKind::Message;
            (old.parent, old.depth, old.number, old.kind)
                != (new.parent, new.depth, new.number, new.kind)
                || old.media != new.media && !embedded
        })
        .map(|part| {
            format!(
                "part {part} changed its place, kind or type: {:?} became {:?}",
                before.parts()[part],
                after.parts()[part]
            )
        })
}

/// Checks law 2: everything but text stays, byte for byte. On a 7-bit way, the bytes without transfer encoding stay.
fn untouched_changed(before: &Message<'_>, after: &Message<'_>) -> Option<String> {
    let decoded = |message: &Message<'_>, part: &Part| {
        let body = part.body.of(message.raw()).to_vec();
        if part.kind == PartKind::Opaque {
            return body;
        }
        let decoded = transfer::decode(part.transfer, &body, &mut Vec::new());
        decoded.bytes.into_owned()
    };
    before
        .parts()
        .iter()
        .zip(after.parts())
        .enumerate()
        .find_map(|(index, (old, new))| {
            // A message that is a multipart without delimiters is one text.
            let is_flattened = index == 0
                && &*old.media.top == "multipart"
                && !has_delimiter(old.body.of(before.raw()));
            let opaque = old.kind == PartKind::Opaque && !is_flattened
                || (old.kind == PartKind::Leaf && &*old.media.top != "text");
            let is_encoded = old.transfer == TransferEncoding::Identity
                && !old.body.of(before.raw()).is_ascii()
                && new.body.of(after.raw()).is_ascii();
            let is_same = old.body.of(before.raw()) == new.body.of(after.raw())
                || is_encoded && decoded(before, old) == decoded(after, new);
            (opaque && !is_same).then(|| {
                format!(
                    "part {index} ({}/{}) is no text, but changed",
                    old.media.top, old.media.sub
                )
            })
        })
}

/// Returns true if a line may be the delimiter of a part: `--b`.
fn has_delimiter(body: &[u8]) -> bool {
    let is_delimiter =
        |line: &[u8]| line.starts_with(b"--") && line.iter().any(u8::is_ascii_alphanumeric);
    body.split(|byte| matches!(byte, b'\r' | b'\n'))
        .any(is_delimiter)
}

/// Checks law 5: everything below a signed or encrypted part stays, including headers.
fn signed_changed(before: &Message<'_>, after: &Message<'_>) -> Option<String> {
    let mut sealed = vec![false; before.parts().len()];
    for (index, (old, new)) in before.parts().iter().zip(after.parts()).enumerate() {
        let below = old
            .parent
            .is_some_and(|PartId(parent)| sealed[parent as usize]);
        let seals = matches!(
            (&*old.media.top, &*old.media.sub),
            ("multipart", "signed" | "encrypted")
                | (
                    "application",
                    "pkcs7-mime" | "x-pkcs7-mime" | "pkcs7-signature" | "pgp-encrypted"
                )
        );
        sealed[index] = below || seals;
        // In a multipart it would be its preamble alone.
        let pgp = old.kind != PartKind::Multipart
            && old.body.of(before.raw()).starts_with(b"-----BEGIN PGP ");
        let body_changed = old.body.of(before.raw()) != new.body.of(after.raw());
        let header_changed = old.header.of(before.raw()) != new.header.of(after.raw());
        if (sealed[index] || pgp) && body_changed {
            return Some(format!(
                "the body of signed part {index} ({}/{}) changed",
                old.media.top, old.media.sub
            ));
        }
        if below && header_changed {
            return Some(format!(
                "the header of part {index} inside a signed part changed"
            ));
        }
    }
    None
}

/// Checks law 10: no field is added but those that a rewritten body needs, and no NUL.
fn header_injected(before: &Message<'_>, after: &Message<'_>) -> Option<String> {
    for index in 0..before.parts().len() {
        let id = PartId(index as u32);
        let mut old = before
            .fields(id)
            .iter()
            .map(|field| field.name.of(before.raw()))
            .peekable();
        for name in after
            .fields(id)
            .iter()
            .map(|field| field.name.of(after.raw()))
        {
            if old.peek() == Some(&name) {
                old.next();
            } else if ![
                &b"content-type"[..],
                b"content-transfer-encoding",
                b"mime-version",
            ]
            .contains(&&*name.to_ascii_lowercase())
            {
                return Some(format!(
                    "part {index} got the field {:?}",
                    String::from_utf8_lossy(name)
                ));
            }
        }
        if let Some(name) = old.next() {
            return Some(format!(
                "part {index} lost the field {:?}",
                String::from_utf8_lossy(name)
            ));
        }
        let zeros = |message: &Message<'_>| {
            let header = message.part(id).map_or(Span::default(), |part| part.header);
            memchr::memchr_iter(0, header.of(message.raw())).count()
        };
        if zeros(after) > zeros(before) {
            return Some(format!("a NUL came into the header of part {index}"));
        }
    }
    None
}

/// Checks law 10: decoding a value for display yields no line end and no NUL either.
fn decoded_controls(message: &Message<'_>) -> Option<String> {
    message.all_fields().iter().find_map(|field| {
        let name = field.name.of(message.raw());
        let kind = field_kind(name);
        if kind == FieldKind::Opaque {
            return None;
        }
        let value = field.value.of(message.raw());
        let text = header::decode(value, kind, &HeaderContext::default(), &mut Vec::new());
        text.contains(['\r', '\n', '\0'])
            .then(|| format!("{:?} decodes to {text:?}", String::from_utf8_lossy(value)))
    })
}
