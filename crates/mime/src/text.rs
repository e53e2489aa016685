//! Decodes the text parts of a message.

mod delimiters;
mod encoded;
mod message_evidence;
mod parts;

pub use encoded::{EncodedBlock, encoded_blocks};
pub use parts::{TextPart, text_parts};

use crate::charset_choice::{
    Choice, Evidence, MailEvidence, SURE_CONFIDENCE, choose, choose_by_sample, choose_for_footer,
    has_letters, is_legacy,
};
use crate::document_charset::Document;
use crate::encoded_word::HeaderContext;
use crate::event::{Detail, Event, EventKind, Finding};
use crate::guess::excerpt;
use crate::header::FieldKind;
use crate::reading::{How, Reading};
use crate::recipe::{to_crlf, to_lf};
use crate::transfer::blocks::{Block, beside, blocks, has_yenc};
use crate::transfer::{self, Decoded, TransferEncoding};
use crate::{Detection, Guess, GuessKind, Message, PartId, Policy, Report, Span};
use mailglot_codec::detect::Detector;
use mailglot_codec::{Charset, Loss, LossLog, Resolved, View};
use memchr::memmem;
use message_evidence::MailContext;
pub(crate) use message_evidence::MessageEvidence;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// Describes a choice for the caller.
pub(crate) fn reading(message: &Message<'_>, id: PartId, choice: &Choice<'_>) -> Reading {
    let declared = message
        .charset_label(id)
        .map(|label| String::from_utf8_lossy(&label).into_owned());
    Reading {
        part: id,
        declared,
        used: choice.used,
        how: choice.how,
        confidence: choice.confidence,
    }
}

/// Decodes a text body in the charset of its [`Reading`], without choosing the charset again.
///
/// Returns `None` if plain text was appended after an encoded body. Text in two charsets is decoded in one of them.
pub fn text_as_read<'a>(message: &Message<'a>, reading: &Reading) -> Option<Cow<'a, str>> {
    let part = message.part(reading.part);
    let body = part.body.of(message.raw());
    let decoded = transfer::decode(part.transfer, body, &mut Vec::new());
    if decoded.footer.is_some() {
        return None;
    }
    let mut log = LossLog::with_limit(0);
    Some(match decoded.bytes {
        Cow::Borrowed(bytes) => reading.used.decode(bytes, &mut log),
        Cow::Owned(bytes) => Cow::Owned(reading.used.decode(&bytes, &mut log).into_owned()),
    })
}

/// A body without its transfer encoding.
#[derive(Debug)]
pub(crate) struct Transferred<'a> {
    pub body: &'a [u8],
    pub span: Span,
    pub label: TransferEncoding,
    pub decoded: Decoded<'a>,
    /// The charset label as written, unquoted.
    charset: Option<Cow<'a, [u8]>>,
    pub resolved: Option<Resolved>,
    /// Encoded blocks (uuencode, yEnc) in the text, with offsets into the decoded bytes.
    pub blocks: Vec<Block>,
    findings: Vec<Finding>,
    /// Caches whether an inline PGP block begins in the body.
    armour: OnceCell<bool>,
}

impl<'a> Transferred<'a> {
    /// Decodes the transfer encoding of a leaf.
    pub(crate) fn read(message: &Message<'a>, id: PartId) -> Self {
        let part = message.part(id);
        let body = part.body.of(message.raw());
        let mut findings = Vec::new();
        let decoded = transfer::decode(part.transfer, body, &mut findings);
        // A charset label counts only on text.
        let charset = message
            .charset_label(id)
            .filter(|_| part.media.top == "text");
        let resolved = charset
            .as_deref()
            .map(|label| Charset::for_label(label, View::Mail));
        // A uuencode label reports the whole body as one block.
        let blocks = match part.transfer {
            TransferEncoding::Uuencode => Vec::new(),
            _ => blocks(&decoded.bytes),
        };
        Self {
            body,
            span: part.body,
            label: part.transfer,
            decoded,
            charset,
            resolved,
            blocks,
            findings,
            armour: OnceCell::new(),
        }
    }

    /// Returns true if an inline PGP block begins in the decoded body or in the encoded one: some signers sign the encoding.
    pub(crate) fn has_armour(&self) -> bool {
        *self.armour.get_or_init(|| {
            has_armour(&self.decoded.bytes)
                || self.decoded.used != TransferEncoding::Identity && has_armour(self.body)
        })
    }

    /// Returns true if the transfer encoding had a finding of this kind.
    pub(crate) fn has(&self, kind: EventKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }

    /// Returns plain text that was appended after the encoded body.
    pub(crate) fn footer(&self) -> Option<&'a [u8]> {
        self.decoded
            .footer
            .as_ref()
            .map(|range| &self.body[range.clone()])
    }

    /// Chooses the charset of the body and decodes it.
    pub(crate) fn choose(
        &self,
        message: &Message<'_>,
        id: PartId,
        policy: &Policy,
        hints: &mut MessageEvidence,
    ) -> Choice<'_> {
        self.choose_for(&self.decoded.bytes, message, id, policy, hints)
    }

    /// Like [`Self::choose`], for decoded bytes that may outlive `self`.
    pub(crate) fn choose_for<'b>(
        &self,
        bytes: &'b [u8],
        message: &Message<'_>,
        id: PartId,
        policy: &Policy,
        hints: &mut MessageEvidence,
    ) -> Choice<'b> {
        let part = message.part(id);
        let meaning = self
            .charset
            .as_deref()
            .and_then(|label| policy.charset_map.meaning(label));
        let mail = MailContext {
            message,
            part: id,
            policy,
            hints,
            body: Some(self),
        };
        let evidence = Evidence {
            label: self.charset.as_deref(),
            resolved: meaning.map(Resolved::Exact).or(self.resolved),
            document: Document::of(&part.media.sub),
            mapped: meaning.is_some(),
            mail: Some(&mail),
        };
        let choice = if has_yenc(&self.blocks) {
            choose_by_sample(bytes, &beside(&self.blocks, bytes), &evidence)
        } else {
            choose(bytes, &evidence)
        };
        // The planner leaves attachments and sealed parts alone, so they must not affect how it decodes other parts.
        if !part.attachment && part.is_text() && !message.is_sealed(id) {
            hints.note_body_charset(
                id,
                choice.used,
                !matches!(choice.how, How::Ascii | How::Fallback),
            );
        }
        choice
    }

    /// Reports findings, label events and losses as events of the message.
    pub(crate) fn report_findings(
        &self,
        message: &Message<'_>,
        id: PartId,
        choice: &Choice<'_>,
        policy: &Policy,
        report: &mut Report,
    ) {
        for finding in &self.findings {
            report.push(finding.clone().into_event(id, self.span));
        }
        let label = message
            .part(id)
            .charset
            .unwrap_or(Span::new(self.span.start, self.span.start));
        for (kind, detail) in &choice.events {
            report.push(Event::new(id, label, *kind, detail.clone()));
        }
        if self.decoded.used == TransferEncoding::Identity
            && self.label == TransferEncoding::Identity
            && !matches!(choice.how, How::Ascii)
            && says_seven_bit(message, id)
            && !self.body.is_ascii()
            && !choice.text.is_ascii()
        {
            let kind = EventKind::Cte8bitIn7bit;
            report.push(Event::new(id, self.span, kind, Detail::None));
        }
        self.report_blocks(id, report);
        if let Some(first) = memchr::memchr(0, self.body) {
            let count = memchr::memchr_iter(0, self.body).count() as u64;
            let at = self.span.at(&(first..first + 1));
            let event = Event::new(id, at, EventKind::CteNul, Detail::None);
            report.push(event.counted(count));
        }
        self.report_losses(id, choice, report);
        self.report_guess(message, id, choice, report);
        self.report_footer(id, choice.used, policy, report);
    }

    /// Reports a guessed charset or an overruled label. US-ASCII says nothing of bytes above 7F.
    fn report_guess(
        &self,
        message: &Message<'_>,
        id: PartId,
        choice: &Choice<'_>,
        report: &mut Report,
    ) {
        let label = self
            .resolved
            .and_then(Resolved::charset)
            .filter(|label| *label != Charset::US_ASCII);
        let by_label = matches!(choice.how, How::Label | How::Superset | How::Ascii);
        let overruled =
            |label: Charset| !by_label && ![label, label.superset()].contains(&choice.used);
        let kind = match label {
            Some(label) if overruled(label) => GuessKind::Overruled,
            // If the label names one of two encodings in a text, nothing was guessed.
            _ if choice.mixed.is_some() && choice.confidence.is_none() => return,
            _ if matches!(choice.how, How::Detected | How::Fallback) => GuessKind::Detected,
            _ => return,
        };
        report.guess(kind, choice.confidence, || {
            let Reading {
                declared,
                used,
                confidence,
                ..
            } = reading(message, id, choice);
            let used = choice.mixed.unwrap_or(used);
            let excerpt = excerpt(&choice.text);
            Guess {
                part: id,
                field: None,
                at: self.span,
                kind,
                declared,
                used,
                confidence,
                excerpt,
            }
        });
    }

    /// Reports blocks of uuencode and yEnc in the text.
    fn report_blocks(&self, id: PartId, report: &mut Report) {
        if self.blocks.is_empty() {
            return;
        }
        let ranges: Vec<_> = self.blocks.iter().map(|block| block.at.clone()).collect();
        let places = transfer::locate_any(self.decoded.used, self.body, &ranges);
        for (block, place) in self.blocks.iter().zip(&places) {
            let at = self.span.at(place);
            let detail = Detail::Block(block.check());
            report.push(Event::new(id, at, block.kind, detail));
        }
    }

    /// Reports how appended non-ASCII text was decoded.
    fn report_footer(&self, id: PartId, used: Charset, policy: &Policy, report: &mut Report) {
        let Some(range) = self
            .decoded
            .footer
            .as_ref()
            .filter(|range| !self.body[range.start..].is_ascii())
        else {
            return;
        };
        let choice = choose_for_footer(&self.body[range.clone()], used, policy);
        let at = self.span.at(range);
        let mut push = |kind, detail, count| {
            report.push(Event::new(id, at, kind, detail).counted(count));
        };
        push(
            EventKind::CharsetDetected,
            Detail::AppendedText(choice.used),
            1,
        );
        if choice.log.losses() > 0 {
            let detail = Detail::InCharset(choice.used);
            push(EventKind::CharsetInvalidBytes, detail, choice.log.losses());
        }
        if matches!(choice.how, How::Detected | How::Fallback) {
            let (kind, used, confidence) = (GuessKind::Detected, choice.used, choice.confidence);
            let excerpt = || excerpt(&choice.text);
            report.guess(kind, confidence, || {
                let (declared, excerpt) = (None, excerpt());
                Guess {
                    part: id,
                    field: None,
                    at,
                    kind,
                    declared,
                    used,
                    confidence,
                    excerpt,
                }
            });
        }
    }

    fn report_losses(&self, id: PartId, choice: &Choice<'_>, report: &mut Report) {
        let losses: Vec<&Loss> = choice
            .log
            .kept()
            .iter()
            .filter(|l| l.kind.is_loss())
            .collect();
        if choice.log.losses() == 0 {
            return;
        }
        let ranges: Vec<_> = losses
            .iter()
            .map(|l| l.bytes.start as usize..l.bytes.end as usize)
            .collect();
        let places = transfer::locate(self.decoded.used, self.body, &ranges);
        let more = choice.log.losses().saturating_sub(losses.len() as u64);
        for (index, (loss, place)) in losses.iter().zip(&places).enumerate() {
            let last = index + 1 == losses.len();
            let (at, kind) = (self.span.at(place), EventKind::CharsetInvalidBytes);
            let detail = Detail::Loss {
                kind: loss.kind,
                charset: Some(choice.used),
            };
            let count = if last { 1 + more } else { 1 };
            report.push(Event::new(id, at, kind, detail).counted(count));
        }
        if losses.is_empty() {
            let (kind, detail) = (
                EventKind::CharsetInvalidBytes,
                Detail::InCharset(choice.used),
            );
            report.push(Event::new(id, self.span, kind, detail).counted(more));
        }
    }
}

/// Decodes a footer as it follows the decoded text; returns it with its number of losses.
///
/// Adds a line end if the text has none at its end. Uses the line ends of the text, since those outside an encoding belong to the message.
pub(crate) fn footer_text(
    text: &[u8],
    footer: &[u8],
    used: Charset,
    message: &Message<'_>,
    policy: &Policy,
) -> (Vec<u8>, u64) {
    let seam = match text.last() {
        None | Some(b'\n' | b'\r') => b"",
        Some(_) => message.eol().bytes(),
    };
    let footer = choose_for_footer(footer, used, policy);
    let more = [seam, footer.text.as_bytes()].concat();
    let more = match memchr::memchr(b'\n', text) {
        Some(end) if text[..end].ends_with(b"\r") => to_crlf(&more),
        Some(_) => to_lf(&more),
        None => more,
    };
    (more, footer.log.losses())
}

/// Returns true if an inline PGP block begins in a text.
pub(crate) fn has_armour(text: &[u8]) -> bool {
    static BEGIN: OnceLock<memmem::Finder<'static>> = OnceLock::new();
    BEGIN
        .get_or_init(|| memmem::Finder::new(b"-----BEGIN PGP "))
        .find(text)
        .is_some()
}

/// Returns true if the part declares 7bit, or nothing, which means the same.
fn says_seven_bit(message: &Message<'_>, id: PartId) -> bool {
    let Some(index) = message.part(id).content_transfer_encoding else {
        return true;
    };
    let value = message.all_fields()[index as usize].value.of(message.raw());
    value.trim_ascii().eq_ignore_ascii_case(b"7bit")
}

/// Gathers the evidence of a message for its header fields: all raw bytes together, its words, its text.
///
/// Use it with [`crate::encoded_word::decode`] to decode single fields of a message or of a header alone.
pub fn header_context<'p>(message: &Message<'_>, policy: &'p Policy) -> HeaderContext<'p> {
    let mut hints = MessageEvidence::default();
    for (index, part) in message.parts().iter().enumerate() {
        if part.is_text() {
            let id = PartId(index as u32);
            let _ = Transferred::read(message, id).choose(message, id, policy, &mut hints);
        }
    }
    let RawCharset {
        charset,
        is_uncertain,
        ..
    } = raw_header_charset(message, &hints, policy);
    HeaderContext {
        raw: charset,
        raw_is_uncertain: is_uncertain,
        ..HeaderContext::of(policy)
    }
}

/// The charset for raw 8-bit bytes in the headers of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawCharset {
    /// None if no ASCII-compatible charset was found.
    pub charset: Option<Charset>,
    /// 0 to 1 for a guess; None if the message or the caller names the charset.
    pub confidence: Option<f32>,
    /// Whether it is a guess from little text, which valid UTF-8 outweighs.
    pub is_uncertain: bool,
}

/// The confidence of windows-1252 if nothing was detected.
pub(crate) const LAST_RESORT: f32 = 0.1;

/// Finds the charset for raw 8-bit bytes in the headers: that of its words, else of its first text part, else detection over all raw bytes.
pub(crate) fn raw_header_charset(
    message: &Message<'_>,
    hints: &MessageEvidence,
    policy: &Policy,
) -> RawCharset {
    let may_guess = policy.detection != Detection::Off;
    let told = [hints.words(message), hints.body]
        .into_iter()
        .flatten()
        .filter(|_| may_guess);
    let told = told
        .into_iter()
        .find(|c| *c != Charset::UTF_8 && c.is_ascii_compatible());
    if let Some(charset) = told.or(policy.default_charset) {
        return RawCharset {
            charset: Some(charset),
            ..RawCharset::default()
        };
    }
    if !may_guess {
        let charset = Some(Charset::WINDOWS_1252);
        return RawCharset {
            charset,
            confidence: Some(LAST_RESORT),
            is_uncertain: true,
        };
    }
    let mail = MailContext {
        message,
        part: PartId::ROOT,
        policy,
        hints,
        body: None,
    };
    let told = mail.detection(None);
    let (mut raw, mut has_evidence) = (Detector::new(), false);
    for field in message.all_fields() {
        let value = field.value.of(message.raw());
        if is_legacy(value)
            && crate::header::field_kind(field.name.of(message.raw())) != FieldKind::Opaque
        {
            raw.feed(value);
            has_evidence |= has_letters(value);
        }
    }
    let own = raw.guess(&told);
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
    }
}
