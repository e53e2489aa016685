//! Chooses the charset of raw bytes in header fields.

use super::decoded_body::DecodedBody;
use super::label_evidence::disproved_labels;
use super::message_evidence::{MailContext, MessageEvidence};
use crate::charset_choice::{
    DisprovedLabels, MailEvidence, SURE_CONFIDENCE, has_letters, is_legacy,
};
use crate::encoded_word::HeaderContext;
use crate::header::{FieldKind, field_kind};
use crate::{Detection, Message, PartId, Policy};
use mailglot_codec::Charset;
use mailglot_codec::detect::Detector;

/// Returns the context for decoding header fields of a message: the charset of its raw bytes, from its words, texts and raw bytes, and
/// the labels that its texts disprove.
///
/// Use it with [`crate::header::decode`] to decode single fields of a message or of a header alone.
pub fn header_context<'p>(message: &Message<'_>, policy: &'p Policy) -> HeaderContext<'p> {
    let mut context = HeaderContext::of(policy);
    header_evidence(message, policy).set(&mut context);
    context
}

/// Reads the text parts, and returns what the message says about its header fields.
pub(crate) fn header_evidence(message: &Message<'_>, policy: &Policy) -> HeaderEvidence {
    let mut hints = MessageEvidence::default();
    for (index, part) in message.parts().iter().enumerate() {
        if part.is_text() {
            let id = PartId(index as u32);
            let _ = DecodedBody::read(message, id).choose(message, id, policy, &mut hints);
        }
    }
    let disproved = disproved_labels(message, &hints, policy);
    let raw = raw_header_charset(message, &hints, disproved, policy);
    HeaderEvidence { raw, disproved }
}

/// What a message says about its header fields.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeaderEvidence {
    pub raw: RawCharset,
    pub disproved: DisprovedLabels,
}

impl HeaderEvidence {
    /// Sets the evidence in a context.
    pub(crate) fn set(self, context: &mut HeaderContext<'_>) {
        self.raw.set(context);
        context.disproved = self.disproved;
    }
}

/// The charset for raw 8-bit bytes in the headers of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawCharset {
    /// None if no ASCII-compatible charset was found.
    pub charset: Option<Charset>,
    /// 0 to 1 for a guess; None if the message or the caller names the charset.
    pub confidence: Option<f32>,
    /// True for a guess from little text, which valid UTF-8 overrules.
    pub is_uncertain: bool,
    /// True if other text of the message gives the charset, rather than the caller.
    pub is_inferred: bool,
    /// True for a label of Latin-1 over a body in ASCII, which a likelier charset overrules.
    pub is_default: bool,
}

impl RawCharset {
    /// Sets the charset of raw bytes in a context.
    pub(crate) fn set(self, context: &mut HeaderContext<'_>) {
        context.raw = self.charset;
        context.raw_is_uncertain = self.is_uncertain;
        context.raw_is_inferred = self.is_inferred;
        context.raw_is_default = self.is_default;
    }
}

/// The confidence of windows-1252 if nothing was detected.
pub(crate) const LAST_RESORT: f32 = 0.1;

/// Returns the charset for raw 8-bit bytes in the headers.
///
/// Tries the charset of the encoded words, then that of the first text part, then detection over all raw bytes. Words under a
/// disproved label are in the charset of the text that disproved it.
pub(crate) fn raw_header_charset(
    message: &Message<'_>,
    hints: &MessageEvidence,
    disproved: DisprovedLabels,
    policy: &Policy,
) -> RawCharset {
    let may_guess = policy.detection != Detection::Off;
    let is_named = |c: &Charset| may_guess && *c != Charset::UTF_8 && c.is_ascii_compatible();
    let words = hints
        .words(message)
        .map(|label| disproved.charset_or_label(label))
        .filter(is_named);
    let named = words.or(hints.body.filter(is_named));
    if let Some(charset) = named.or(policy.default_charset) {
        return RawCharset {
            charset: Some(charset),
            is_default: words.is_none() && named.is_some() && hints.body_is_default,
            is_inferred: named.is_some(),
            ..RawCharset::default()
        };
    }
    if !may_guess {
        let charset = Some(Charset::WINDOWS_1252);
        return RawCharset {
            charset,
            confidence: Some(LAST_RESORT),
            is_uncertain: true,
            ..RawCharset::default()
        };
    }
    let mail = MailContext {
        message,
        part: PartId::ROOT,
        policy,
        hints,
        body: None,
    };
    let hints_for_raw = mail.detection(None);
    let (mut raw, mut has_evidence) = (Detector::new(), false);
    for field in message.all_fields() {
        let value = field.value.of(message.raw());
        if is_legacy(value) && field_kind(field.name.of(message.raw())) != FieldKind::Opaque {
            raw.feed(value);
            has_evidence |= has_letters(value);
        }
    }
    let own = raw.guess(&hints_for_raw);
    let all = if own.confidence < SURE_CONFIDENCE {
        mail.pooled_guess()
            .filter(|all| all.confidence > own.confidence)
    } else {
        None
    };
    let is_uncertain = match &all {
        Some(all) => all.confidence < SURE_CONFIDENCE,
        None => own.confidence < SURE_CONFIDENCE || !has_evidence,
    };
    let guess = all.unwrap_or(own);
    let charset = Some(guess.charset).filter(|c| c.is_ascii_compatible());
    RawCharset {
        charset,
        confidence: charset.map(|_| guess.confidence),
        is_uncertain,
        is_inferred: true,
        is_default: false,
    }
}
