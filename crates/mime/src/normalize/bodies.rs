//! Plans edits of text bodies, and of the fields that describe them.

use super::body::{Body, Outgoing, UTF_8};
use super::fields::added_fields;
use super::outgoing;
use super::{binary, global, lines};
use crate::document_charset::{self, Document};
use crate::event::{Detail, Event, EventKind, Reason};
use crate::message::charset;
use crate::recipe::{Base64Lines, OldEol, Recipe, UndoSteps, to_crlf};
use crate::text::{MessageEvidence, Transferred, footer_text, has_armour, reading};
use crate::transfer::blocks::{Block, has_yenc};
use crate::transfer::{TransferEncoding, base64, quoted_printable};
use crate::{
    Attachments, Bodies, Edit, Eol, Message, OnLoss, PartId, PartKind, Policy, Report, Span,
    Transfer, charset_choice, params,
};
use mailglot_codec::{Charset, LossLog, Resolved};
use memchr::memmem;
use std::borrow::Cow;

/// Plans all text bodies. Returns their evidence about the charsets of the message.
pub(super) fn plan(
    message: &Message<'_>,
    policy: &Policy,
    sealed: &[bool],
    report: &mut Report,
    edits: &mut Vec<Edit>,
) -> MessageEvidence {
    let mut hints = MessageEvidence::default();
    let mut widened = Vec::new();
    for (index, part) in message.parts().iter().enumerate() {
        let id = PartId(index as u32);
        if sealed[index] || !part.is_text() {
            continue;
        }
        let transferred = Transferred::read(message, id);
        let choice = transferred.choose(message, id, policy, &mut hints);
        if part.attachment {
            let body = Body {
                message,
                id,
                policy,
                transferred: &transferred,
                choice: &choice,
            };
            let legacy = policy.bodies == Bodies::Utf8 && body.needs_charset();
            if legacy && policy.attachments != Attachments::Utf8 {
                let detail = Detail::InCharset(choice.used);
                let kind = EventKind::MimeAttachmentUntouched;
                report.push(Event::new(id, part.body, kind, detail));
            }
            if !legacy || policy.attachments != Attachments::Utf8 {
                // A file that is UTF-8 already also keeps its transfer encoding.
                continue;
            }
        }
        let mark = report.mark();
        transferred.report_findings(message, id, &choice, policy, report);
        report.readings.push(reading(message, id, &choice));
        let body = Body {
            message,
            id,
            policy,
            transferred: &transferred,
            choice: &choice,
        };
        if !body.may_change() {
            report.withdraw(&mark);
            if body.is_bare() && body.needs_charset() {
                let detail = Reason::NoTypeInvented;
                report.push(Event::new(id, part.body, EventKind::MimeUnsettled, detail));
            }
            continue;
        }
        let outgoing = outgoing::of(&body);
        let note = outgoing.note.clone();
        let Some(target) = body.target(outgoing) else {
            report.extend(note);
            continue;
        };
        if let Some(obstacle) = body.obstacle(&target) {
            report.withdraw(&mark);
            report.extend(obstacle.event(id, part.body));
            continue;
        }
        report.extend(note);
        if target.steps.added_end > 0 {
            let (kind, at) = (
                EventKind::CteLineEndAdded,
                Span::new(part.body.end, part.body.end),
            );
            report.push(Event::new(id, at, kind, Detail::None));
        }
        report.extend(body.stale_digest(&target));
        let (wide, text) = body.write(&target, edits);
        if wide {
            widened.push(id);
        }
        drop(target);
        if let Some(edit) = text {
            // Moves the text, which may be long, instead of copying it.
            edits[edit].with = choice.text.into_owned().into_bytes();
        }
    }
    widen_ancestors(message, &widened, edits);
    hints
}

/// Why a body stays as it is although it could be rewritten.
enum Obstacle {
    /// A reason that an earlier event has reported.
    Known,
    Found(EventKind, Detail),
}

impl Obstacle {
    fn event(self, part: PartId, at: Span) -> Option<Event> {
        match self {
            Self::Known => None,
            Self::Found(kind, detail) => Some(Event::new(part, at, kind, detail)),
        }
    }
}

/// The planned form of a body.
struct BodyTarget<'a> {
    /// The text in its new charset. Has the line ends of the message unless it will be encoded.
    text: Cow<'a, [u8]>,
    transfer: TransferEncoding,
    /// The new charset label, if it changes.
    relabel: Option<&'static str>,
    steps: UndoSteps,
    /// True if `steps` restore the old bytes, including line ends. A footer prevents this.
    is_reversible: bool,
    /// True if the bytes stay in a charset in which CR and LF bytes may be parts of other characters.
    opaque_lines: bool,
}

/// The requirements of the policy for a body.
struct Requirements {
    /// The body arrived in a transfer encoding.
    was_encoded: bool,
    /// The new charset is a 7-bit charset (ISO-2022-JP).
    is_seven_bit: bool,
    /// The body may be written without a transfer encoding.
    is_open: bool,
    /// The body gets another charset label.
    relabels: bool,
}

impl BodyTarget<'_> {
    fn relabels(&self, label: &str) -> bool {
        self.relabel == Some(label)
    }
}

impl<'a> Body<'a, '_> {
    /// Returns true if the body may be rewritten.
    fn may_change(&self) -> bool {
        let part = self.message.part_at(self.id);
        // Two charsets in one body: only a change of charset could hold both.
        let others = |footer: &[u8]| !footer.is_ascii() || !self.choice.used.is_ascii_compatible();
        let mixed =
            self.policy.bodies == Bodies::Keep && self.transferred.footer().is_some_and(others);
        let has_losses =
            || self.choice.log.losses() > 0 || self.transferred.has(EventKind::CteB64TextLost);
        !(matches!(
            part.transfer,
            TransferEncoding::Unknown | TransferEncoding::Uuencode
        ) || self.is_bare()
            || self.policy.on_loss == OnLoss::Keep && has_losses()
            || mixed)
    }

    /// Returns true for a message without any field. Such data is not mail, so no header is added.
    fn is_bare(&self) -> bool {
        self.id == PartId::ROOT && self.message.fields(self.id).is_empty()
    }

    /// Returns the first reason not to rewrite the body, such as binary data or an inline signature.
    fn obstacle(&self, target: &BodyTarget<'_>) -> Option<Obstacle> {
        let (transferred, text) = (self.transferred, self.choice.text.as_bytes());
        let bytes = &*transferred.decoded.bytes;
        let relabels = target.relabel.is_some();
        if target.relabels(UTF_8) && charset_choice::is_misread_under_utf8(&target.text) {
            let detail = Reason::WouldReadAsUtf8;
            return Some(Obstacle::Found(EventKind::MimeUnsettled, detail.into()));
        }
        if let Some(kind) = binary::kind(bytes, &target.text) {
            return Some(Obstacle::Found(EventKind::MimeNotText, Detail::File(kind)));
        }
        // A conversion would damage binary data.
        let spoils = |block: &Block| memmem::find(text, &bytes[block.at.clone()]).is_none();
        if has_yenc(&transferred.blocks) || relabels && transferred.blocks.iter().any(spoils) {
            return Some(Obstacle::Known);
        }
        if transferred.has_armour() || !self.choice.used.is_ascii_compatible() && has_armour(text) {
            return Some(Obstacle::Found(
                EventKind::MimeSignedUntouched,
                Reason::InlinePgp.into(),
            ));
        }
        let own = relabels && self.choice.used != Charset::UTF_8;
        let document = Document::of(&self.message.part_at(self.id).media.sub);
        if own && document == Some(Document::Card) && document_charset::has_encoded_text(text) {
            let detail = Reason::EncodedInCharset;
            return Some(Obstacle::Found(EventKind::MimeUnsettled, detail.into()));
        }
        if own && bytes.starts_with(br"{\rtf") {
            let detail = Reason::OwnCodePage;
            return Some(Obstacle::Found(EventKind::MimeUnsettled, detail.into()));
        }
        None
    }

    /// Returns the planned form of the body, or None if it needs no change.
    fn target(&self, outgoing: Outgoing<'a>) -> Option<BodyTarget<'a>> {
        let requirements = self.requirements(outgoing.label, outgoing.text.is_ascii());
        if self.meets(&requirements) {
            return None;
        }
        let boundaries = lines::boundaries_around(self.message, self.id);
        let draft = self.draft(outgoing, &requirements);
        if requirements.is_open && requirements.was_encoded {
            if let Some((text, old_eol, added_end)) = self.decoded_lines(&draft, &boundaries) {
                let steps = UndoSteps {
                    added_end,
                    eol: old_eol,
                    ..draft.steps
                };
                return Some(BodyTarget {
                    text: Cow::Owned(text),
                    steps,
                    ..draft
                });
            }
            if !requirements.relabels && self.transferred.footer().is_none() {
                return None;
            }
        }
        let eol = self.message.eol();
        // In a charset that is not ASCII-compatible, line ends of the decoded text may differ from those of the message.
        let made_lines = requirements.relabels
            && !requirements.was_encoded
            && !self.choice.used.is_ascii_compatible();
        if requirements.is_open && !requirements.was_encoded {
            let text = &*draft.text;
            let stands = !requirements.relabels
                || lines::may_stand(text, eol, &boundaries, false)
                    && !(made_lines && lines::has_bare_ends(text, eol))
                    && (!lines::joins_header(text, eol)
                        || lines::joins_header(self.transferred.body, eol));
            if stands {
                return Some(draft);
            }
        }
        if requirements.is_open
            && made_lines
            && let Some((plain, _)) = lines::with_line_ends(&draft.text, eol)
            && lines::may_stand(&plain, eol, &boundaries, true)
        {
            let text = Cow::Owned(plain.into_owned());
            return Some(BodyTarget {
                text,
                is_reversible: false,
                ..draft
            });
        }
        Some(self.encoded(draft, &requirements))
    }

    /// Returns the requirements for a body with the new label `label`. `ascii` means that its new text is ASCII.
    fn requirements(&self, label: Option<&'static str>, ascii: bool) -> Requirements {
        let was_encoded = self.transferred.decoded.used != TransferEncoding::Identity;
        let is_seven_bit = label.is_some_and(|label| label != UTF_8);
        let is_open = match self.policy.transfer {
            // 7-bit data needs no transfer encoding.
            _ if is_seven_bit => true,
            Transfer::EightBit => true,
            Transfer::SevenBit => ascii,
            Transfer::Keep => !was_encoded,
            Transfer::Clean => {
                !was_encoded && (ascii || !self.transferred.decoded.bytes.is_ascii())
            }
        };
        let relabels = label.is_some();
        Requirements {
            was_encoded,
            is_seven_bit,
            is_open,
            relabels,
        }
    }

    /// Returns true if the body has the right label and a transfer encoding that the policy accepts.
    fn meets(&self, requirements: &Requirements) -> bool {
        let keeps_encoding = match self.policy.transfer {
            // Text that does not change keeps its encoding.
            Transfer::Keep | Transfer::Clean => true,
            Transfer::SevenBit => {
                requirements.is_open != requirements.was_encoded || requirements.was_encoded
            }
            Transfer::EightBit => requirements.is_open != requirements.was_encoded,
        };
        // Trailing blanks are not part of the text, but some readers show them or reflow lines by them.
        let keeps_encoding = keeps_encoding || self.transferred.has(EventKind::CteQpTrailingBlanks);
        let is_wrongly_labelled =
            self.message.part_at(self.id).transfer != self.transferred.decoded.used;
        !requirements.relabels && !is_wrongly_labelled && keeps_encoding
    }

    /// Builds the target of a body without transfer encoding, with the steps that restore the old bytes.
    fn draft(&self, outgoing: Outgoing<'a>, requirements: &Requirements) -> BodyTarget<'a> {
        let charset = (requirements.relabels && !requirements.is_seven_bit)
            .then(|| self.choice.used.superset())
            .filter(|c| *c != Charset::UTF_8);
        // Recipes begin with UTF-8.
        let is_reversible = self.transferred.footer().is_none()
            && self.transferred.decoded.used != TransferEncoding::QuotedPrintable
            && !requirements.is_seven_bit
            && self.choice.mixed.is_none();
        BodyTarget {
            text: outgoing.text,
            transfer: TransferEncoding::Identity,
            relabel: outgoing.label,
            steps: UndoSteps {
                added_end: 0,
                eol: OldEol::Same,
                patches: outgoing.patches,
                charset,
                base64: self.base64_lines(),
            },
            is_reversible,
            opaque_lines: !requirements.relabels && self.has_opaque_lines(),
        }
    }

    /// Returns the text with the message's line ends, its old line ends, and the length of an added line end.
    ///
    /// Returns None if the text needs a transfer encoding.
    fn decoded_lines(
        &self,
        draft: &BodyTarget<'_>,
        boundaries: &[&[u8]],
    ) -> Option<(Vec<u8>, OldEol, usize)> {
        let eol = self.message.eol();
        let (plain, old_eol) = lines::with_line_ends(&draft.text, eol)?;
        if !lines::may_stand(&plain, eol, boundaries, true) {
            return None;
        }
        let mut plain = plain.into_owned();
        let added_end = self.end_line(&mut plain, eol);
        let reads_same = !draft.opaque_lines || self.reads_same(&plain, added_end > 0);
        reads_same.then_some((plain, old_eol, added_end))
    }

    /// Chooses a transfer encoding for text that needs one.
    fn encoded(&self, draft: BodyTarget<'a>, requirements: &Requirements) -> BodyTarget<'a> {
        let BodyTarget {
            mut text,
            opaque_lines,
            ..
        } = draft;
        let transfer = match self.transferred.decoded.used {
            _ if requirements.is_seven_bit => TransferEncoding::Base64,
            // Keeps the encoding of text whose line ends are data, even if line ends of the message change later.
            used if requirements.was_encoded
                && (!requirements.is_open || opaque_lines || lines::are_data(&text)) =>
            {
                used
            }
            _ if opaque_lines => TransferEncoding::Base64,
            _ => shorter(&text),
        };
        if transfer == TransferEncoding::QuotedPrintable
            && !opaque_lines
            && let Some((plain, _)) = lines::with_line_ends(&text, self.message.eol())
        {
            text = Cow::Owned(plain.into_owned());
        }
        // A recipe would have to decode the new encoding first, so the ledger stores the old bytes.
        BodyTarget {
            text,
            transfer,
            is_reversible: false,
            ..draft
        }
    }

    /// Returns true if CR and LF bytes may be parts of other characters in the used or in the declared charset.
    fn has_opaque_lines(&self) -> bool {
        let label = self.transferred.resolved.and_then(Resolved::charset);
        label
            .into_iter()
            .chain([self.choice.used])
            .any(|charset| !charset.is_ascii_compatible())
    }

    /// Returns true if `bytes` have the old lines in the declared charset and in the charset that was used.
    ///
    /// `ended` means that one line end was added. Only the line ends differ from the old bytes. So readers that believe the label
    /// and readers that guess must find the same lines. The used charset may be a guess from other fields, which the next pass may
    /// not find again.
    fn reads_same(&self, bytes: &[u8], ended: bool) -> bool {
        let label = self.transferred.resolved.and_then(Resolved::charset);
        label.into_iter().chain([self.choice.used]).all(|charset| {
            let decode = |bytes: &[u8]| {
                charset
                    .decode(bytes, &mut LossLog::with_limit(0))
                    .into_owned()
                    .into_bytes()
            };
            let mut old = decode(&self.transferred.decoded.bytes);
            if let Some(footer) = self.transferred.footer() {
                let (end, _) = footer_text(&old, footer, charset, self.message, self.policy);
                old.extend_from_slice(&end);
            }
            old.extend_from_slice(if ended {
                self.message.eol().bytes()
            } else {
                b""
            });
            lines::are_same(&old, &decode(bytes))
        })
    }

    /// Ends the last line of a plain body at the end of a message, if the encoded body ended it. Returns the number of added bytes.
    fn end_line(&self, text: &mut Vec<u8>, eol: Eol) -> usize {
        let span = self.transferred.span;
        let raw = self.message.raw();
        if span.end < raw.len() || text.ends_with(b"\n") || !raw.ends_with(b"\n") || span.is_empty()
        {
            return 0;
        }
        text.extend_from_slice(eol.bytes());
        eol.bytes().len()
    }

    /// Returns an event if a digest of the decoded body (RFC 1864) becomes invalid. The digest stays, as signatures do.
    fn stale_digest(&self, target: &BodyTarget<'_>) -> Option<Event> {
        let at = self.message.field(self.id, b"content-md5")?.full;
        // The digest is computed with CR LF line ends, whatever the body has.
        let bare = |bytes: &'_ [u8]| -> Vec<u8> {
            bytes.iter().copied().filter(|b| *b != b'\r').collect()
        };
        if bare(&target.text) == bare(&self.transferred.decoded.bytes) {
            return None;
        }
        let (kind, detail) = (EventKind::HdrStaleDigest, Detail::Field("Content-MD5"));
        Some(Event::new(self.id, at, kind, detail))
    }

    /// Returns the lines of a base64 body, for its recipe.
    fn base64_lines(&self) -> Option<Base64Lines> {
        if self.transferred.decoded.used != TransferEncoding::Base64 {
            return None;
        }
        let body = self.transferred.body;
        let width = memchr::memchr2(b'\r', b'\n', body).unwrap_or(body.len());
        let crlf = body.get(width) == Some(&b'\r');
        Some(Base64Lines {
            width,
            crlf,
            ended: body.ends_with(b"\n"),
        })
    }

    /// Adds the edits. Returns true if the part became 8bit, so that the parts around it may need the same label.
    ///
    /// Also returns the index of the edit that still needs the text of the choice, which is moved there later.
    fn write(&self, target: &BodyTarget<'_>, edits: &mut Vec<Edit>) -> (bool, Option<usize>) {
        let (mut new, mut text) = (Vec::new(), None);
        let eol = self.message.eol().bytes();
        let with: &[u8] = match target.transfer {
            TransferEncoding::Base64 => {
                // Base64 encodes text with CR LF line ends (RFC 2045, section 6.8). A CR in the text means that line ends are data.
                let plain = self.message.eol() == Eol::Lf
                    && self.had_lines()
                    && !target.opaque_lines
                    && memchr::memchr(b'\r', &target.text).is_none();
                let canonical = if plain {
                    Cow::Owned(to_crlf(&target.text))
                } else {
                    Cow::Borrowed(&*target.text)
                };
                base64::encode_lines(&canonical, 76, eol, &mut new);
                if !self.transferred.body.ends_with(b"\n") {
                    new.truncate(new.len().saturating_sub(eol.len()));
                }
                &new
            }
            TransferEncoding::QuotedPrintable => {
                quoted_printable::encode(&target.text, eol, &mut new);
                // If the last line had no line end, this adds a soft line break. Otherwise a line end after the body would complete
                // a final CR, or double an escaped line end.
                let text = &target.text;
                let open = !text.is_empty() && !new.ends_with(b"\n");
                if open
                    && (matches!(text.last(), Some(b'\r' | b'\n'))
                        || self.transferred.body.ends_with(b"\n"))
                    && self.transferred.span.end == self.message.raw().len()
                {
                    new.extend_from_slice(&[b"=", eol].concat());
                }
                &new
            }
            _ => &target.text,
        };
        if with != self.transferred.body {
            let recipe = target.is_reversible.then(|| target.steps.recipe());
            let recipe = if self.comes_back(target) {
                recipe.map(Recipe::certain)
            } else {
                recipe
            };
            let is_choice = std::ptr::eq(with, self.choice.text.as_bytes());
            text = is_choice.then_some(edits.len());
            let with = if is_choice { Vec::new() } else { with.to_vec() };
            edits.push(Edit {
                span: self.transferred.span,
                with,
                recipe,
            });
        }
        let eight = target.transfer == TransferEncoding::Identity && !with.is_ascii();
        let mut added = Vec::new();
        if let Some(label) = target.relabel {
            self.relabel(label, edits, &mut added);
        }
        let seven = target.relabel.is_some_and(|label| label != UTF_8);
        let widened = self.rename_transfer(target.transfer, (eight, seven), edits, &mut added);
        edits.extend(added_fields(self.message, self.id, &added));
        (widened, text)
    }

    /// Returns true if the steps restore the old bytes without a trial, because each of them is lossless.
    fn comes_back(&self, target: &BodyTarget<'_>) -> bool {
        let steps = &target.steps;
        let bytes = &*self.transferred.decoded.bytes;
        let charset = match steps.charset {
            Some(_) => self.choice.log.is_empty() && self.choice.used.comes_back(),
            None => target.relabel.is_none() || self.choice.text.as_bytes() == bytes,
        };
        target.is_reversible
            && steps.patches.is_empty()
            && charset
            && steps
                .base64
                .is_none_or(|lines| lines.come_back(self.transferred.body, bytes.len()))
    }

    /// Returns true if the lines of the old body ended as those of the message.
    fn had_lines(&self) -> bool {
        matches!(
            self.transferred.decoded.used,
            TransferEncoding::Identity | TransferEncoding::QuotedPrintable
        )
    }

    /// Sets the charset of Content-Type to `label`. Adds the field if it is missing.
    fn relabel(&self, label: &str, edits: &mut Vec<Edit>, added: &mut Vec<u8>) {
        let part = self.message.part_at(self.id);
        let raw = self.message.raw();
        let eol = self.message.eol().bytes();
        if let Some(one) = self.one_label(label) {
            edits.extend(one);
        } else if let Some(span) = part.charset {
            let old = span.of(raw);
            if part.joined_charset.is_some() {
                let value = part
                    .content_type
                    .map(|index| self.message.all_fields()[index as usize].value);
                let changes = value.map(|value| (value, charset::in_place(value.of(raw), label)));
                edits.extend(changes.into_iter().flat_map(|(value, changes)| {
                    changes
                        .into_iter()
                        .map(move |(at, with)| Edit::new(value.at(&at), with))
                }));
            } else if !charset::unquote(old).eq_ignore_ascii_case(label.as_bytes()) {
                let quote = if old.starts_with(b"\"") { "\"" } else { "" };
                let with = format!("{quote}{label}{quote}").into_bytes();
                edits.extend(self.missing_semicolon(span));
                edits.push(Edit::new(span, with));
            }
        } else if let Some(index) = part.content_type {
            let value = self.message.all_fields()[index as usize].value;
            let (at, missing) = (
                value.start + charset_place(value.of(raw)),
                value.of(raw).trim_ascii().is_empty(),
            );
            let media = if missing { " text/plain" } else { "" };
            let with = format!("{media}; charset={label}").into_bytes();
            edits.push(Edit::new(Span::new(at, at), with));
        } else {
            let top = part
                .parent
                .is_none_or(|p| self.message.part_at(p).kind == PartKind::Message);
            if top && self.message.field(self.id, b"mime-version").is_none() {
                added.extend_from_slice(b"MIME-Version: 1.0");
                added.extend_from_slice(eol);
            }
            added.extend_from_slice(b"Content-Type: text/plain; charset=");
            added.extend_from_slice(label.as_bytes());
            added.extend_from_slice(eol);
        }
    }

    /// Returns the edit that writes the semicolon before the charset parameter if none is there. `label` is the parameter's value.
    fn missing_semicolon(&self, label: Span) -> Option<Edit> {
        let index = self.message.part_at(self.id).content_type?;
        let span = self.message.all_fields()[index as usize].value;
        let value = span.of(self.message.raw());
        let mut findings = Vec::new();
        let _ = params::survey(value, &mut findings);
        let name = findings
            .iter()
            .filter(|finding| finding.kind == EventKind::ParamNoSemicolon)
            .map(|finding| &finding.at)
            .take_while(|name| span.start + name.end <= label.start)
            .last()?;
        let is_charset = value[name.clone()].eq_ignore_ascii_case(b"charset");
        let at = span.start + value[..name.start].trim_ascii_end().len();
        is_charset.then(|| Edit::new(Span::new(at, at), b";".to_vec()))
    }

    /// Corrects Content-Transfer-Encoding. Returns true if it became 8bit.
    ///
    /// `eight` means that the body has 8-bit bytes. `seven` means that 7bit also replaces 8bit and binary.
    fn rename_transfer(
        &self,
        transfer: TransferEncoding,
        (eight, seven): (bool, bool),
        edits: &mut Vec<Edit>,
        added: &mut Vec<u8>,
    ) -> bool {
        let part = self.message.part_at(self.id);
        let name: &[u8] = match transfer {
            TransferEncoding::Base64 => b"base64",
            TransferEncoding::QuotedPrintable => b"quoted-printable",
            _ if eight => b"8bit",
            _ => b"7bit",
        };
        let Some(index) = part.content_transfer_encoding else {
            if name == b"7bit" {
                return false;
            }
            added.extend_from_slice(b"Content-Transfer-Encoding: ");
            added.extend_from_slice(name);
            added.extend_from_slice(self.message.eol().bytes());
            return eight;
        };
        let value = self.message.all_fields()[index as usize].value;
        let old = value.of(self.message.raw());
        let trimmed = old.trim_ascii();
        let broad =
            trimmed.eq_ignore_ascii_case(b"8bit") || trimmed.eq_ignore_ascii_case(b"binary");
        if trimmed.eq_ignore_ascii_case(name)
            || (broad && (name == b"8bit" || name == b"7bit" && !seven))
        {
            return false;
        }
        if trimmed.is_empty() {
            edits.push(Edit::new(value, [b" ", name].concat()));
        } else {
            let start = value.start + (old.len() - old.trim_ascii_start().len());
            edits.push(Edit::new(Span::new(start, start + trimmed.len()), name));
        }
        eight
    }
}

/// Returns quoted-printable for text that is mostly ASCII, else base64.
fn shorter(text: &[u8]) -> TransferEncoding {
    let escaped = text.iter().filter(|b| **b >= 0x7f || **b == b'=').count();
    if escaped * 6 <= text.len() {
        TransferEncoding::QuotedPrintable
    } else {
        TransferEncoding::Base64
    }
}

/// Returns the offset for a first parameter in a Content-Type: after the media type.
///
/// If the text there is neither a parameter nor a comment, returns the end, so that the text does not become part of a name.
fn charset_place(value: &[u8]) -> usize {
    let start = value.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let end = start
        + value[start..]
            .iter()
            .take_while(|b| !b" \t\r\n;(,".contains(b))
            .count();
    match value[end..].trim_ascii_start() {
        [] | [b';' | b'(', ..] => end,
        _ => value.trim_ascii_end().len(),
    }
}

/// Changes 7bit to 8bit in composite parts around raw 8-bit bytes (RFC 2045, section 6.4).
fn widen_ancestors(message: &Message<'_>, widened: &[PartId], edits: &mut Vec<Edit>) {
    let mut done = std::collections::BTreeSet::new();
    for id in widened {
        let mut next = message.part_at(*id).parent;
        while let Some(id) = next.filter(|id| done.insert(*id)) {
            next = message.part_at(id).parent;
            edits.extend(global::widened(message, id));
        }
    }
}
