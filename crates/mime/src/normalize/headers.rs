//! Edits of header fields.

use super::header_guesses::{self, FieldReading};
use crate::encoded_word::{
    self, Form, HeaderContext, Repairs, Replacement, RewriteTarget, Rewriting,
};
use crate::event::{Detail, Event, EventKind, Finding, Reason};
use crate::header::{self, FieldKind};
use crate::text::{MessageEvidence, RawCharset, raw_header_charset};
use crate::{
    CharsetOut, Edit, Headers, Message, OnLoss, PartId, PartKind, Policy, Report, Span, Transfer,
};
use crate::{fields, params};
use mailglot_codec::Charset;

/// The first field that signs the whole message whose header a part has.
pub(super) fn signature(message: &Message<'_>, id: PartId) -> Option<Span> {
    let raw = message.raw();
    let signs = |f: &&header::Field| header::is_signature(f.name.of(raw));
    message.fields(id).iter().find(signs).map(|f| f.full)
}

/// The embedded messages that are signed as a whole.
pub(super) fn signed_within<'m>(
    message: &'m Message<'_>,
) -> impl Iterator<Item = (PartId, Span)> + 'm {
    message
        .parts()
        .iter()
        .enumerate()
        .filter_map(|(index, part)| {
            let id = PartId(index as u32);
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
    let raw = message.raw();
    let mut raw_charset: Option<RawCharset> = None;
    let charset_then = charset_then(message, hints, policy, edits);
    for (index, sealed) in sealed.iter().enumerate() {
        if *sealed {
            continue;
        }
        let id = PartId(index as u32);
        let mut is_plain_ascii = PlainAscii::of(message.fields(id), raw, policy);
        for field in message.fields(id) {
            let value = field.value.of(raw);
            let dated = field.name.of(raw).eq_ignore_ascii_case(b"date");
            if dated && !fields::is_plain_date(value) && fields::date(value).is_none() {
                let kind = EventKind::DateUnparsable;
                report.push(Event::new(id, field.value, kind, Detail::None));
            }
            if value.len() > LONGEST && has_long_line(value) {
                let kind = EventKind::HdrTooLong;
                report.push(Event::new(id, field.full, kind, Reason::LongLine));
            }
            let from = is_from(field.name.of(raw)) && value.len() <= policy.limits.field;
            if from && may_have_rivals(value) && fields::has_rivals(value) {
                let kind = EventKind::HdrAmbiguousFrom;
                report.push(Event::new(id, field.value, kind, Detail::None));
            }
            let is_plain_ascii = is_plain_ascii.contains(field);
            let ascii = is_plain_ascii || value.is_ascii();
            let silent =
                is_plain_ascii || ascii && !may_encode(value) && !policy.repairs.may_touch(value);
            if silent && !(starts_like_mime(field.name.of(raw)) && value.contains(&b';')) {
                continue;
            }
            let kind = header::field_kind(field.name.of(raw));
            if kind == FieldKind::Opaque || silent && kind != FieldKind::Parameters {
                continue;
            }
            if value.len() > policy.limits.field {
                let kind = EventKind::HdrBeyondLimit;
                report.push(Event::new(id, field.full, kind, Reason::LeftAlone));
                continue;
            }
            let mut findings = Vec::new();
            if silent {
                if !params::survey(value, &mut findings) {
                    header_guesses::push(id, field.value, findings, report);
                    continue;
                }
                // Told again below, with the rest.
                findings.clear();
            }
            let form = form(policy, ascii);
            let (column, eol) = (field.value.start - field.full.start, message.eol().bytes());
            let mut context = HeaderContext::of(policy);
            if form.is_none() {
                // What stays is not repaired.
                context.repairs = Repairs::default();
            }
            if form == Some(Form::Words)
                && !policy.repairs.any()
                && context.map.is_none()
                && let Some(changes) =
                    encoded_word::rewrite_plain(value, kind, column, eol, &mut findings)
            {
                let kept = is_kept(policy, &changes, &findings);
                if !kept {
                    edits.extend(
                        changes
                            .into_iter()
                            .map(|c| Edit::new(field.value.at(&c.at), c.with)),
                    );
                }
                let reading = FieldReading {
                    field,
                    kind,
                    context: &context,
                    raw: RawCharset::default(),
                    is_kept: kept,
                };
                reading.report(id, raw, findings, report);
                continue;
            }
            let mut raw_of = RawCharset {
                charset: context.raw,
                ..RawCharset::default()
            };
            let asks = || kind == FieldKind::Parameters && params::asks_the_message(value);
            if !ascii || encoded_word::has_open(value) || asks() {
                raw_of =
                    *raw_charset.get_or_insert_with(|| raw_header_charset(message, hints, policy));
                (context.raw, context.raw_is_uncertain) = (raw_of.charset, raw_of.is_uncertain);
            }
            let mut kept = false;
            if let Some(form) = form {
                let target = RewriteTarget {
                    form,
                    column,
                    eol: std::str::from_utf8(eol).unwrap_or("\r\n"),
                };
                let then = HeaderContext {
                    raw: charset_then,
                    raw_is_uncertain: false,
                    ..context
                };
                let rewriting = Rewriting {
                    value,
                    kind,
                    target,
                    context: &context,
                    then: &then,
                };
                let changes = rewriting.changes(&mut findings);
                kept = is_kept(policy, &changes, &findings);
                if !kept {
                    edits.extend(
                        changes
                            .into_iter()
                            .map(|c| Edit::new(field.value.at(&c.at), c.with)),
                    );
                }
            } else if kind == FieldKind::Parameters {
                let _ = params::parse(value, &context, &mut findings);
            } else {
                let _ = encoded_word::decode(value, kind, &context, &mut findings);
            }
            let reading = FieldReading {
                field,
                kind,
                context: &context,
                raw: raw_of,
                is_kept: kept,
            };
            reading.report(id, raw, findings, report);
        }
    }
}

/// What tells of raw bytes in the message as it will be: its text, where that stays as it is. Words will be in UTF-8.
fn charset_then(
    message: &Message<'_>,
    hints: &MessageEvidence,
    policy: &Policy,
    edits: &[Edit],
) -> Option<Charset> {
    let stays = |id: &PartId| {
        let part = message.part_at(*id);
        let told = part.charset.unwrap_or(part.body);
        !edits
            .iter()
            .any(|edit| edit.span.start < told.end && told.start < edit.span.end)
    };
    let body = hints
        .body
        .filter(|c| *c != Charset::UTF_8 && c.is_ascii_compatible());
    body.filter(|_| hints.body_part.as_ref().is_some_and(stays))
        .or(policy.default_charset)
}

/// Whether a field stays as it is because what is written anew in it has bytes that cannot be read: the policy has them kept.
fn is_kept(policy: &Policy, changes: &[Replacement], findings: &[Finding]) -> bool {
    let lost = |finding: &&Finding| finding.kind == EventKind::CharsetInvalidBytes;
    policy.on_loss == OnLoss::Keep
        && findings.iter().filter(lost).any(|finding| {
            changes
                .iter()
                .any(|c| finding.at.start <= c.at.end && c.at.start <= finding.at.end)
        })
}

/// Longest line of a header without its line end (RFC 5322 2.1.1).
const LONGEST: usize = 998;

fn has_long_line(value: &[u8]) -> bool {
    value
        .split(|b| matches!(b, b'\n' | b'\r'))
        .any(|line| line.len() > LONGEST)
}

fn is_from(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"from")
}

/// A cheap look for a second address.
fn may_have_rivals(value: &[u8]) -> bool {
    memchr::memchr2_iter(b'@', b'<', value).nth(2).is_some()
        || memchr::memchr_iter(b'@', value).nth(1).is_some()
}

/// Looks at many fields at once for what may stand for something else: most have nothing of it.
struct PlainAscii<'m> {
    /// The header up to the end of its last field; empty where each field has to be looked at.
    raw: &'m [u8],
    /// Up to here there is nothing.
    end: usize,
}

impl<'m> PlainAscii<'m> {
    fn of(fields: &[header::Field], raw: &'m [u8], policy: &Policy) -> Self {
        let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
            return Self { raw: &[], end: 0 };
        };
        let ascii = raw
            .get(first.full.start..last.full.end)
            .is_some_and(<[u8]>::is_ascii);
        if policy.repairs.any() || !ascii {
            return Self { raw: &[], end: 0 };
        }
        let raw = &raw[..last.full.end];
        Self {
            raw,
            end: next_encoding_sign(raw, first.full.start),
        }
    }

    /// Whether the value is ASCII that stands for itself; asked in the order of the fields.
    fn contains(&mut self, field: &header::Field) -> bool {
        if self.end < field.full.start {
            self.end = next_encoding_sign(self.raw, field.full.start);
        }
        field.value.end <= self.end
    }
}

/// Place of the next byte of a word, a parameter of RFC 2231 or a shift; the end where there is none.
fn next_encoding_sign(raw: &[u8], from: usize) -> usize {
    let rest = raw.get(from..).unwrap_or_default();
    let sign =
        memchr::memchr3_iter(b'?', b'*', ESCAPE, rest).find(|&at| is_encoding_sign(rest, at));
    sign.map_or(raw.len(), |at| from + at)
}

/// A cheap look at a name before its kind is asked for.
fn starts_like_mime(name: &[u8]) -> bool {
    name.get(..8)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"content-"))
}

/// Whether ASCII may stand for something else: a word, a parameter of RFC 2231, or a shift.
fn may_encode(value: &[u8]) -> bool {
    memchr::memchr3_iter(b'?', b'*', ESCAPE, value).any(|at| is_encoding_sign(value, at))
}

/// What shifts to another set of characters (ISO 2022).
const ESCAPE: u8 = 0x1B;

/// Whether a question mark belongs to a word; all else that is looked for tells by itself.
fn is_encoding_sign(bytes: &[u8], at: usize) -> bool {
    bytes[at] != b'?' || at > 0 && bytes[at - 1] == b'='
}

/// The form that the policy asks for; None leaves fields as they are.
fn form(policy: &Policy, ascii: bool) -> Option<Form> {
    match (policy.headers, policy.transfer) {
        (Headers::Keep, Transfer::SevenBit) => (!ascii).then_some(Form::Words),
        (Headers::Keep, _) => None,
        _ if policy.charset_out == CharsetOut::Iso2022Jp => Some(Form::Iso2022Jp),
        (Headers::Words, _) | (Headers::RawUtf8, Transfer::SevenBit) => Some(Form::Words),
        (Headers::RawUtf8, _) => Some(Form::RawUtf8),
    }
}
