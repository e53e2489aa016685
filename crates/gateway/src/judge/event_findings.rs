//! Converts events of the planner to findings of policies.

use crate::envelope::Envelope;
use crate::policy::{Finding, Findings};
use mailglot_codec::{Charset, bom};
use mailglot_mime::header::{FieldKind, kind_of_field};
use mailglot_mime::{Detail, Event, EventKind, Message, PartId, Reason, Report};

/// Adds the findings of events. For events that were only counted, each kind is added once.
pub(super) fn find(
    message: &Message<'_>,
    report: &Report,
    envelope: &Envelope,
    findings: &mut Findings,
) {
    // Findings in text that stays unchanged count, too.
    for event in report.events.iter().chain(&report.withdrawn) {
        let place = || message.section(event.part);
        if event.kind == EventKind::EwControlChar && is_raw_shift(event.at.of(message.raw())) {
            findings.add(Finding::UndeclaredEscape, place);
            continue;
        }
        if let Some(finding) = finding_of(event, envelope) {
            findings.add(finding, place);
        }
        if event.kind == EventKind::EwHiddenChar && has_bidi_control(event.at.of(message.raw())) {
            findings.add(Finding::BidiControl, place);
        }
    }
    opaque_fields(message, envelope, findings);
    if report.dropped + report.withdrawn_dropped == 0 {
        return;
    }
    for kind in EventKind::ALL
        .iter()
        .copied()
        .filter(|kind| report.has(*kind))
    {
        let at = mailglot_mime::Span::default();
        let event = Event::new(PartId::ROOT, at, kind, Detail::None);
        if let Some(finding) = finding_of(&event, envelope)
            && !findings.has(finding)
        {
            findings.add(finding, String::new);
        }
    }
    if report.has(EventKind::EwHiddenChar) && !findings.has(Finding::BidiControl) {
        bidi_controls(message, findings);
    }
}

/// Adds the finding of the first field of each part that has characters for the direction of writing.
fn bidi_controls(message: &Message<'_>, findings: &mut Findings) {
    let raw = message.raw();
    for (id, _) in message.numbered_parts() {
        let mut fields = message.fields(id).iter();
        if fields.any(|field| has_bidi_control(field.value.of(raw))) {
            findings.add(Finding::BidiControl, || message.section(id));
        }
    }
}

/// Adds the finding of raw bytes in fields that are never rewritten (Received, Message-ID, trace fields of lists), and in names of fields.
fn opaque_fields(message: &Message<'_>, envelope: &Envelope, findings: &mut Findings) {
    let raw = message.raw();
    for (id, part) in message.numbered_parts() {
        if part.header.of(raw).is_ascii() {
            continue;
        }
        if part.header.of(raw).starts_with(&bom::UTF_8) && !envelope.smtputf8 {
            findings.add(Finding::Raw8bitHeader, || message.section(id));
        }
        for field in message.fields(id) {
            let (name, whole) = (field.name.of(raw), field.full.of(raw));
            let is_allowed = || envelope.smtputf8 && std::str::from_utf8(whole).is_ok();
            let is_opaque = || kind_of_field(name, field.value.of(raw)) == FieldKind::Opaque;
            let stays = || !name.is_ascii() || is_opaque();
            if !whole.is_ascii() && stays() && !is_allowed() {
                findings.add(Finding::Raw8bitHeader, || message.section(id));
            }
        }
    }
}

/// Returns true if all control characters of header text without encoded words are those of ISO 2022: ESC, SO and SI.
fn is_raw_shift(text: &[u8]) -> bool {
    let shifts = |byte: u8| matches!(byte, 0x0E | 0x0F | 0x1B);
    let controls = text
        .iter()
        .filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    text.iter().any(|byte| shifts(*byte))
        && controls.copied().all(shifts)
        && memchr::memmem::find(text, b"=?").is_none()
}

/// Returns the finding of an event.
fn finding_of(event: &Event, envelope: &Envelope) -> Option<Finding> {
    use EventKind as E;
    Some(match event.kind {
        E::CharsetSuperset
        | E::CharsetUnlabelled
        | E::CharsetUtf8InLegacy
        | E::CharsetLegacyInUtf8
        | E::CharsetGarbageLabel => Finding::MislabelledCharset,
        E::CharsetDetected if overrules_label(&event.detail) => Finding::MislabelledCharset,
        E::CharsetUnknownLabel => Finding::UnknownCharset,
        E::CharsetAmbiguous => Finding::AmbiguousCharset,
        E::CharsetInvalidBytes => Finding::MalformedCharset,
        E::CharsetBeyondOut => Finding::BeyondCharsetOut,
        E::CharsetLookAlike => Finding::LookAlike,
        E::EwSplitChar => Finding::SplitCharacter,
        E::EwRaw8bit if !envelope.smtputf8 || event.detail != Detail::Charset(Charset::UTF_8) => {
            Finding::Raw8bitHeader
        }
        E::EwGlued | E::EwInQuotes | E::EwBadToken | E::ParamRfc2047 => {
            Finding::MisplacedEncodedWord
        }
        E::EwInAddress => Finding::EncodedWordInAddrSpec,
        E::EwControlChar => Finding::ControlInEncodedWord,
        E::EwHiddenChar => Finding::InvisibleCharacters,
        E::MimeAmbiguousName => Finding::AmbiguousFilename,
        E::CteQpBadEscape
        | E::CteB64Trailing
        | E::CteB64TextLost
        | E::CteB64Truncated
        | E::CteEncodedMessage => Finding::MalformedCte,
        E::CteWrongLabel if event.detail != Reason::UnknownEncoding => Finding::MalformedCte,
        E::CteNul => Finding::NulIn8bit,
        E::MimeMissingBoundary => Finding::MissingBoundary,
        E::MimeUnclosed => Finding::UnterminatedMultipart,
        E::MimeAmbiguousBoundary => Finding::BoundaryPrefix,
        E::MimeDepth if event.detail == Reason::PartLimit => Finding::TooManyParts,
        E::MimeDepth => Finding::TooDeep,
        E::MimeManyParts => Finding::TooManyParts,
        E::MimePartial => Finding::MessagePartial,
        E::MimeSignedUntouched if event.detail == Reason::InlinePgp => Finding::InlinePgp,
        E::MimeSignedUntouched => Finding::SignedNotNormalised,
        E::HdrNul => Finding::NulInHeader,
        E::HdrNoColon | E::HdrBareCr => Finding::MalformedHeaderLine,
        E::HdrBlankLine => Finding::WhitespaceLine,
        E::MimeNoBlankLine => Finding::UnendedHeader,
        E::HdrDuplicate => Finding::DuplicateHeader,
        E::HdrAmbiguousFrom => Finding::AmbiguousFrom,
        E::HdrManyFields => Finding::TooManyHeaders,
        E::HdrBeyondLimit => match event.detail {
            Detail::Reason(Reason::FieldLimit) => Finding::TooManyHeaders,
            Detail::Reason(Reason::ParameterLimit) => Finding::TooManyParams,
            _ => Finding::HeaderTooLong,
        },
        _ => return None,
    })
}

/// Returns true for text that was read in another charset than its label names, also in an encoded word or a parameter. Events that were only
/// counted may be such ones.
fn overrules_label(detail: &Detail) -> bool {
    matches!(
        detail,
        Detail::None
            | Detail::ReadAs {
                declared: Some(_),
                ..
            }
    )
}

/// Returns true if header text has characters that change the direction of writing, also in encoded words.
fn has_bidi_control(bytes: &[u8]) -> bool {
    use mailglot_mime::encoded_word::HeaderContext;
    use mailglot_mime::header::decode;
    let text = decode(
        bytes,
        FieldKind::Unstructured,
        &HeaderContext::default(),
        &mut Vec::new(),
    );
    text.contains(|c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'))
}
