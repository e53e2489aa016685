//! Plans edits of header fields.

use super::header_guesses::{self, FieldReading};
use crate::charset_choice::DisprovedLabels;
use crate::edit::Edit;
use crate::encoded_word::{
    self, Form, HeaderContext, Repairs, Replacement, RewriteTarget, Rewriting, find_damaged_ascii,
};
use crate::event::{Detail, Event, EventKind, Finding, Reason};
use crate::field_kind::FieldKind;
use crate::lexer::{ESCAPE, SHIFT_OUT};
use crate::message::{Message, PartKind};
use crate::part_id::PartId;
use crate::policy::{CharsetOut, Detection, Headers, OnLoss, Policy, Transfer};
use crate::report::Report;
use crate::span::Span;
use crate::text::{
    HeaderEvidence, MessageEvidence, RawCharset, disproved_labels, labels_of_bodies,
    raw_header_charset,
};
use crate::{fields, header, lexer, params};
use mailglot_codec::{Charset, detect};

/// Returns the first field of a part's header that signs the whole message.
pub(super) fn signature(message: &Message<'_>, id: PartId) -> Option<Span> {
    let raw = message.raw();
    let signs = |f: &&header::Field| header::is_signature(f.name.of(raw));
    message.fields(id).iter().find(signs).map(|f| f.full)
}

/// Returns the embedded messages that have a signature over the whole message, with that field.
pub(super) fn signed_within<'m>(
    message: &'m Message<'_>,
) -> impl Iterator<Item = (PartId, Span)> + 'm {
    message.numbered_parts().filter_map(|(id, part)| {
        part.parent
            .filter(|parent| message.part_at(*parent).kind == PartKind::Message)?;
        Some((id, signature(message, id)?))
    })
}

/// Plans the fields of all parts.
pub(super) fn plan(
    message: &Message<'_>,
    policy: &Policy,
    sealed: &[bool],
    hints: &MessageEvidence,
    report: &mut Report,
    edits: &mut Vec<Edit>,
) {
    let (state, bodies) = (report.state(), edits.len());
    let mut planner = HeaderPlanner {
        message,
        policy,
        hints,
        charset_now: None,
        disproved: labels_of_bodies(message, hints),
        words: WordEvidence::Unread,
        then: evidence_then(message, hints, policy, edits),
        is_settled: !report.has(EventKind::MimeUnsettled),
        report,
        edits,
    };
    planner.parts(sealed);
    if planner.words == WordEvidence::Late {
        planner.report.restore(state);
        planner.edits.truncate(bodies);
        planner.charset_now = None;
        planner.parts(sealed);
    }
}

/// Whether the words of the header were asked which labels they disprove. Few messages have such words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordEvidence {
    Unread,
    /// They disprove a label, and fields before may have words under the same label. So all fields must be planned again.
    Late,
    Read,
}

/// Plans header fields.
struct HeaderPlanner<'m, 'o> {
    message: &'m Message<'m>,
    policy: &'m Policy,
    hints: &'m MessageEvidence,
    /// The charset of raw bytes before the rewriting, computed on first use.
    charset_now: Option<RawCharset>,
    /// The labels that the text of the message disproves.
    disproved: DisprovedLabels,
    words: WordEvidence,
    /// What the message will say about its header fields after the rewriting.
    then: HeaderEvidence,
    /// False if a body stays whose text would be read otherwise under another label. Raw bytes of header fields may then be read
    /// otherwise, too.
    is_settled: bool,
    report: &'o mut Report,
    edits: &'o mut Vec<Edit>,
}

/// A field to plan.
#[derive(Clone, Copy)]
struct FieldToPlan<'m> {
    part: PartId,
    field: &'m header::Field,
    kind: FieldKind,
    value: &'m [u8],
    /// True if the value is ASCII.
    is_ascii: bool,
}

impl<'m> HeaderPlanner<'m, '_> {
    /// Plans the fields of all parts.
    fn parts(&mut self, sealed: &[bool]) {
        for (index, sealed) in sealed.iter().enumerate() {
            if !*sealed {
                self.part(PartId(index as u32));
            }
        }
    }

    /// Plans the fields of a part.
    fn part(&mut self, id: PartId) {
        let message = self.message;
        let fields = message.fields(id);
        let mut plain_ascii = PlainAscii::of(fields, message.raw(), self.policy);
        for field in fields {
            self.check(id, field);
            let is_plain_ascii = plain_ascii.contains(field);
            self.field(id, field, is_plain_ascii);
        }
        let part = message.part_at(id);
        // Their bodies are fields, too (RFC 3464, RFC 8098, RFC 5965).
        let has_fields = matches!(
            &*part.media.sub,
            "delivery-status" | "disposition-notification" | "feedback-report"
        );
        if part.media.top == "message" && has_fields && part.kind == PartKind::Leaf {
            self.report_not_utf8(id, part.body);
        }
    }

    /// Reports dates that cannot be parsed, long lines and ambiguous senders.
    fn check(&mut self, id: PartId, field: &header::Field) {
        let raw = self.message.raw();
        let (name, value) = (field.name.of(raw), field.value.of(raw));
        let is_dated = name.eq_ignore_ascii_case(b"date");
        if is_dated && !fields::is_plain_date(value) && fields::date(value).is_none() {
            let kind = EventKind::DateUnparsable;
            self.report
                .push(Event::new(id, field.value, kind, Detail::None));
        }
        if value.len() > LONGEST && has_long_line(value) {
            let kind = EventKind::HdrTooLong;
            self.report
                .push(Event::new(id, field.full, kind, Reason::LongLine));
        }
        if !name.is_ascii() {
            self.report_not_utf8(id, field.name);
        }
        let is_sender = is_from(name) && value.len() <= self.policy.limits.field;
        if is_sender && may_have_several_addresses(value) && fields::has_several_addresses(value) {
            let kind = EventKind::HdrAmbiguousFrom;
            self.report
                .push(Event::new(id, field.value, kind, Detail::None));
        }
        let may_be_encoded = || memchr::memchr(b'@', value).is_none() && lexer::has_open(value);
        if header::field_kind(name) == FieldKind::Structured
            && value.len() <= self.policy.limits.field
            && (may_be_encoded() || fields::may_have_unquoted_comma(value))
        {
            self.report_names(id, field);
        }
    }

    /// Reports names with a comma that has no quotes, and names that contain the address.
    fn report_names(&mut self, id: PartId, field: &header::Field) {
        let value = field.value.of(self.message.raw());
        let mut findings = Vec::new();
        let _ = fields::addresses(value, &HeaderContext::default(), &mut findings);
        findings.retain(|finding| fields::is_about_names(finding.kind));
        header_guesses::push(id, field.value, findings, self.report);
    }

    /// Reports bytes that are not UTF-8 in a place where nothing is rewritten.
    fn report_not_utf8(&mut self, id: PartId, at: Span) {
        if str::from_utf8(at.of(self.message.raw())).is_err() {
            let kind = EventKind::HdrNotUtf8;
            self.report.push(Event::new(id, at, kind, Detail::None));
        }
    }

    /// Plans a field, unless nothing in it can need a change.
    fn field(&mut self, id: PartId, field: &'m header::Field, is_plain_ascii: bool) {
        let raw = self.message.raw();
        let (name, value) = (field.name.of(raw), field.value.of(raw));
        let is_ascii = is_plain_ascii || value.is_ascii();
        let is_silent = is_plain_ascii
            || is_ascii
                && !may_encode(value)
                && !self.policy.repairs.may_touch(value)
                && find_damaged_ascii(value).is_none();
        let may_have_params = || memchr::memchr3(b';', b'=', b':', value).is_some();
        if is_silent && !(lexer::starts_without_case(name, b"content-") && may_have_params()) {
            return;
        }
        let kind = header::kind_of_field(name, value);
        if !is_ascii && kind == FieldKind::Opaque {
            self.report_not_utf8(id, field.value);
        }
        if kind == FieldKind::Opaque || is_silent && kind != FieldKind::Parameters {
            return;
        }
        if value.len() > self.policy.limits.field {
            let kind = EventKind::HdrBeyondLimit;
            self.report
                .push(Event::new(id, field.full, kind, Reason::LeftAlone));
            return;
        }
        if is_silent {
            let mut findings = Vec::new();
            if !params::survey(value, &mut findings) {
                header_guesses::push(id, field.value, findings, self.report);
                return;
            }
        }
        self.value(FieldToPlan {
            part: id,
            field,
            kind,
            value,
            is_ascii,
        });
    }

    /// Plans the value of a field: in one pass, by the evidence of the message, or by decoding alone if the policy keeps
    /// fields.
    fn value(&mut self, at: FieldToPlan<'m>) {
        let (field, kind, value) = (at.field, at.kind, at.value);
        let mut findings = Vec::new();
        let mut context = HeaderContext::of(self.policy);
        context.disproved = self.disproved;
        let Some(form) = form(self.policy, at.is_ascii, self.is_settled) else {
            // The field stays, so nothing in it is repaired.
            context.repairs = Repairs::default();
            let raw_charset = self.add_evidence(&at, &mut context);
            if kind == FieldKind::Parameters {
                let _ = params::parse(value, &context, &mut findings);
            } else {
                let _ = header::decode(value, kind, &context, &mut findings);
            }
            self.report_field(&at, &context, raw_charset, false, findings);
            return;
        };
        let target = RewriteTarget {
            form,
            column: field.value.start - field.full.start,
            eol: std::str::from_utf8(self.message.eol().bytes()).unwrap_or("\r\n"),
        };
        if form == Form::Words
            && context.has_no_instructions()
            && let Some(changes) =
                encoded_word::rewrite_usual(value, kind, &target, &context, &mut findings)
        {
            let is_kept = self.add_edits(field, changes, &findings);
            self.report_field(&at, &context, RawCharset::default(), is_kept, findings);
            return;
        }
        let raw_charset = self.add_evidence(&at, &mut context);
        let mut then = context;
        self.then.set(&mut then);
        let rewriting = Rewriting {
            value,
            kind,
            target,
            context: &context,
            then: &then,
        };
        let changes = header::changes(&rewriting, &mut findings);
        let is_kept = self.add_edits(field, changes, &findings);
        self.report_field(&at, &context, raw_charset, is_kept, findings);
    }

    /// Adds the message's evidence about raw bytes to the context, if the value may depend on it. Returns the charset.
    fn add_evidence(
        &mut self,
        at: &FieldToPlan<'_>,
        context: &mut HeaderContext<'_>,
    ) -> RawCharset {
        let may_need_evidence =
            || at.kind == FieldKind::Parameters && params::may_need_evidence(at.value);
        if at.is_ascii && !lexer::has_open(at.value) && !may_need_evidence() {
            return RawCharset {
                charset: context.raw,
                ..RawCharset::default()
            };
        }
        let (message, hints, policy) = (self.message, self.hints, self.policy);
        let disproved = self.disproved;
        let found = *self
            .charset_now
            .get_or_insert_with(|| raw_header_charset(message, hints, disproved, policy));
        found.set(context);
        found
    }

    /// Asks the words of the header which labels they disprove, if one of a field is decoded against its label.
    fn read_words(&mut self, findings: &[Finding]) {
        let is_overruled = |finding: &Finding| {
            let is_label = matches!(finding.detail, Detail::ReadAs { declared: Some(label), .. }
                if self.disproved.charset_for(label).is_none());
            let is_kind = matches!(
                finding.kind,
                EventKind::CharsetDetected | EventKind::CharsetLegacyInUtf8
            );
            is_kind && is_label
        };
        if self.words != WordEvidence::Unread || !findings.iter().any(is_overruled) {
            return;
        }
        let found = disproved_labels(self.message, self.hints, self.policy);
        self.words = if found == self.disproved {
            WordEvidence::Read
        } else {
            WordEvidence::Late
        };
        self.disproved = found;
    }

    /// Adds the edits of a field. Returns true if the policy keeps the field instead.
    fn add_edits(
        &mut self,
        field: &header::Field,
        changes: Vec<Replacement>,
        findings: &[Finding],
    ) -> bool {
        let is_kept = is_kept(self.policy, &changes, findings);
        if !is_kept {
            let edits = changes.into_iter().map(|it| it.into_edit(field.value));
            self.edits.extend(edits);
        }
        is_kept
    }

    /// Reports the findings of a field.
    fn report_field(
        &mut self,
        at: &FieldToPlan<'_>,
        context: &HeaderContext<'_>,
        raw: RawCharset,
        is_kept: bool,
        findings: Vec<Finding>,
    ) {
        self.read_words(&findings);
        let reading = FieldReading {
            field: at.field,
            kind: at.kind,
            context,
            raw,
            is_kept,
        };
        reading.report(at.part, self.message.raw(), findings, self.report);
    }
}

/// Returns what the message says about its header fields after the rewriting. The charset of raw bytes is that of the first body if it
/// stays, else the policy's default.
fn evidence_then(
    message: &Message<'_>,
    hints: &MessageEvidence,
    policy: &Policy,
    edits: &[Edit],
) -> HeaderEvidence {
    let is_edited = |span: Span| {
        let mut edits = edits.iter();
        edits.any(|edit| edit.span.start < span.end && span.start < edit.span.end)
    };
    // A body under a wrong label of UTF-8 becomes UTF-8, and the label is right then.
    let has_label_of_utf8 = |id: PartId| {
        let label = message.charset_label(id).unwrap_or_default();
        encoded_word::is_usual_utf8_label(&label)
    };
    let stays = |id: PartId| {
        let part = message.part_at(id);
        match part.charset {
            Some(label) if is_edited(label) => false,
            Some(_) => !has_label_of_utf8(id) || !is_edited(part.body),
            None => !is_edited(part.body),
        }
    };
    let body = hints.body.filter(|body| {
        policy.detection != Detection::Off
            && body.charset != Charset::UTF_8
            && body.charset.keeps_ascii_text()
            && stays(body.part)
    });
    let raw = RawCharset {
        charset: body.map(|body| body.charset).or(policy.default_charset),
        is_inferred: body.is_some(),
        is_default: body.is_some_and(|body| body.is_default),
        ..RawCharset::default()
    };
    let disproved = hints.labels_of_bodies.disproved(stays);
    let disproved = disproved.or_others(hints.alphabets.charsets_then(stays));
    HeaderEvidence { raw, disproved }
}

/// Returns true if the policy keeps a field because a change in it would contain undecodable bytes.
fn is_kept(policy: &Policy, changes: &[Replacement], findings: &[Finding]) -> bool {
    let lost = |finding: &&Finding| finding.kind == EventKind::CharsetInvalidBytes;
    policy.on_loss == OnLoss::Keep
        && findings.iter().filter(lost).any(|finding| {
            changes
                .iter()
                .any(|c| finding.at.start <= c.at.end && c.at.start <= finding.at.end)
        })
}

/// Longest line of a header without its line end (RFC 5322, section 2.1.1).
const LONGEST: usize = 998;

fn has_long_line(value: &[u8]) -> bool {
    let mut lines = value.split(|b| lexer::is_line_end(*b));
    lines.any(|line| line.len() > LONGEST)
}

fn is_from(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"from")
}

/// Returns true if there may be a second address. Fast.
fn may_have_several_addresses(value: &[u8]) -> bool {
    memchr::memchr2_iter(b'@', b'<', value).nth(2).is_some()
        || memchr::memchr_iter(b'@', value).nth(1).is_some()
}

/// Checks many fields at once for encoded text, which most of them do not contain.
#[derive(Default)]
struct PlainAscii<'m> {
    /// The header up to the end of its last field; empty if each field needs its own check.
    raw: &'m [u8],
    /// The offset up to which there is no encoded text.
    end: usize,
    /// The offset up to which there is no text that a repair may change.
    damaged: usize,
}

impl<'m> PlainAscii<'m> {
    fn of(fields: &[header::Field], raw: &'m [u8], policy: &Policy) -> Self {
        let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
            return Self::default();
        };
        let ascii = raw
            .get(first.full.start..last.full.end)
            .is_some_and(<[u8]>::is_ascii);
        if policy.repairs.any() || !ascii {
            return Self::default();
        }
        let raw = &raw[..last.full.end];
        Self {
            raw,
            end: next_encoding_sign(raw, first.full.start),
            damaged: next_damage(raw, first.full.start),
        }
    }

    /// Returns true if the value is ASCII without encoded text. Call it in the order of the fields.
    fn contains(&mut self, field: &header::Field) -> bool {
        if self.end < field.full.start {
            self.end = next_encoding_sign(self.raw, field.full.start);
        }
        if self.damaged < field.full.start {
            self.damaged = next_damage(self.raw, field.full.start);
        }
        field.value.end <= self.end.min(self.damaged)
    }
}

/// Returns the offset of the next sign of an encoded word, RFC 2231 parameter, escape sequence or HZ; the end without one.
fn next_encoding_sign(raw: &[u8], from: usize) -> usize {
    let rest = raw.get(from..).unwrap_or_default();
    let sign =
        memchr::memchr3_iter(b'?', b'*', ESCAPE, rest).find(|&at| is_encoding_sign(rest, at));
    let sign = sign.unwrap_or(rest.len());
    let sign = memchr::memchr(SHIFT_OUT, &rest[..sign]).unwrap_or(sign);
    from.min(raw.len()) + detect::find_hz_shift(&rest[..sign]).unwrap_or(sign)
}

/// Returns the offset of the next place in ASCII that a repair may change; the end without one.
fn next_damage(raw: &[u8], from: usize) -> usize {
    let damage = raw.get(from..).and_then(find_damaged_ascii);
    damage.map_or(raw.len(), |at| from + at)
}

/// Returns true if ASCII may be encoded text: an encoded word, an RFC 2231 parameter, an escape sequence, a shift or HZ.
fn may_encode(value: &[u8]) -> bool {
    memchr::memchr3_iter(b'?', b'*', ESCAPE, value).any(|at| is_encoding_sign(value, at))
        || detect::find_hz_shift(value).is_some()
        || memchr::memchr(SHIFT_OUT, value).is_some()
}

/// Returns true unless the byte is a question mark outside `=?`.
fn is_encoding_sign(bytes: &[u8], at: usize) -> bool {
    bytes[at] != b'?' || at > 0 && bytes[at - 1] == b'='
}

/// Returns the form that the policy asks for; None keeps fields. A message that is not settled gets no raw text.
fn form(policy: &Policy, ascii: bool, is_settled: bool) -> Option<Form> {
    match (policy.headers, policy.transfer) {
        (Headers::Keep, Transfer::SevenBit) => (!ascii).then_some(Form::Words),
        (Headers::Keep, _) => None,
        _ if policy.charset_out == CharsetOut::Iso2022Jp => Some(Form::Iso2022Jp),
        (Headers::Words, _) | (Headers::RawUtf8, Transfer::SevenBit) => Some(Form::Words),
        (Headers::RawUtf8, _) if is_settled => Some(Form::RawUtf8),
        (Headers::RawUtf8, _) => Some(Form::Words),
    }
}
