//! Collects what this project reads in the original message, at the positions of the edits.
//!
//! # Limits
//! Comments of List-Help and similar fields are not compared.

use crate::length_field;
use mailglot_mime::encoded_word::HeaderContext;
use mailglot_mime::fields::{Entry, addresses_of};
use mailglot_mime::header::decode;
use mailglot_mime::header::{Field, FieldKind, field_kind};
use mailglot_mime::transfer::TransferEncoding;
use mailglot_mime::{
    Edit, Message, Part, PartId, PartKind, Policy, Reading, Report, Span, TextPart, header_context,
    params, text_as_read, text_parts,
};
use std::borrow::Cow;
use std::cell::OnceCell;

/// What the second reader must read in a rewritten message, in document order of fields, then of bodies.
pub(super) struct Expected<'a> {
    pub items: Vec<ExpectedItem<'a>>,
    /// Maps offsets from the original to the rewritten message.
    pub offsets: Offsets<'a>,
}

/// One edited field or rewritten body.
pub(super) struct ExpectedItem<'a> {
    pub part: PartId,
    /// The field with its name, or the body, in the original.
    pub original: Span,
    /// The field. None for a body.
    pub field: Option<Field>,
    /// Its start in the rewritten message.
    pub start: usize,
    /// Its end in the rewritten message.
    pub end: usize,
    pub content: Content<'a>,
}

/// The expected content.
pub(super) enum Content<'a> {
    /// The text of a body.
    Body(BodyText<'a>),
    /// A field of text, with its name.
    Text(String, String),
    /// A field of addresses, with its name.
    Mailboxes(String, Vec<Entry>),
    /// A field of parameters, with its name: name and text of each parameter.
    Parameters(String, Vec<(String, String)>),
}

/// The text of a body.
pub(super) struct BodyText<'a> {
    pub text: Cow<'a, str>,
    /// True for a document that may declare its own charset.
    pub document: bool,
    /// Its original charset label; empty without one.
    pub label: String,
    /// True if neither its bytes nor its transfer encoding were edited, so that it can only have changed with its label.
    pub is_unedited: bool,
    /// Its original bytes, if they had no transfer encoding.
    pub plain: Option<&'a [u8]>,
}

/// How much of a part's body was rewritten.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edited {
    /// Nothing.
    No,
    /// The Content-Type field was changed or added.
    Type,
    /// Its bytes, or their transfer encoding.
    Bytes,
}

impl<'a> Expected<'a> {
    /// Reads the original where the edits are. `readings` tells the charsets of its bodies.
    pub(super) fn of(
        message: &Message<'a>,
        edits: &'a [Edit],
        readings: &[Reading],
        policy: &Policy,
    ) -> Self {
        let mut reader = EditedPlaces {
            message,
            policy,
            offsets: Offsets::new(edits),
            alone: HeaderContext::of(policy),
            context: OnceCell::new(),
            items: Vec::new(),
        };
        let parts = message.numbered_parts();
        let bodies: Vec<Edited> = parts.map(|(id, part)| reader.part(id, part)).collect();
        reader.bodies(&bodies, readings);
        let EditedPlaces { items, offsets, .. } = reader;
        Self { items, offsets }
    }
}

/// Collects the original content of the edited positions.
struct EditedPlaces<'m, 'a> {
    message: &'m Message<'a>,
    policy: &'m Policy,
    offsets: Offsets<'a>,
    /// Context for reading a field on its own.
    alone: HeaderContext<'m>,
    /// Context for reading a field with evidence from the whole message.
    context: OnceCell<HeaderContext<'m>>,
    items: Vec<ExpectedItem<'a>>,
}

impl<'a> EditedPlaces<'_, 'a> {
    /// Adds the edited fields of a part. Returns how much of its body was rewritten.
    fn part(&mut self, id: PartId, part: &Part) -> Edited {
        let whole = Span::new(part.header.start, part.body.end.max(part.header.end));
        let in_part = self.offsets.touching(whole);
        if in_part.is_empty() {
            return Edited::No;
        }
        let of_body = in_part.iter().map(|edit| edited(edit, part)).max();
        let message = self.message;
        let of_fields = message
            .fields(id)
            .iter()
            .map(|field| self.field(id, field))
            .max();
        of_body.max(of_fields).unwrap_or(Edited::No)
    }

    /// Adds a field if it was edited. Returns the effect on its part's body.
    fn field(&mut self, part: PartId, field: &Field) -> Edited {
        let raw = self.message.raw();
        let edits = self.offsets.touching(field.full);
        if !edits.iter().any(|edit| is_inside(edit, field)) {
            return Edited::No;
        }
        let name = field.name.of(raw);
        let edited = match () {
            () if name.eq_ignore_ascii_case(b"content-type") => Edited::Type,
            () if name.eq_ignore_ascii_case(b"content-transfer-encoding") => Edited::Bytes,
            () => Edited::No,
        };
        let removes =
            |edit: &Edit| edit.span.start <= field.full.start && field.full.end <= edit.span.end;
        if edits.iter().any(removes) {
            return edited;
        }
        // Raw bytes are decoded with evidence from the whole message. Words seldom are: see `in_full`.
        let context = if field.value.of(raw).is_ascii() {
            &self.alone
        } else {
            self.context
                .get_or_init(|| header_context(self.message, self.policy))
        };
        let (start, end) = (
            self.offsets.after(field.full.start),
            self.offsets.before(field.full.end),
        );
        let content = read_field(self.message, field, context);
        self.items.extend(content.map(|content| ExpectedItem {
            part,
            original: field.full,
            field: Some(*field),
            start,
            end,
            content,
        }));
        edited
    }

    /// Adds the texts of bodies that were rewritten.
    fn bodies(&mut self, bodies: &[Edited], readings: &[Reading]) {
        let (message, policy) = (self.message, self.policy);
        let mut all = None;
        for (index, edited) in bodies.iter().enumerate() {
            let id = PartId(index as u32);
            if *edited == Edited::No || !message.part(id).is_some_and(is_text) {
                continue;
            }
            let reading = readings.iter().find(|reading| reading.part == id);
            let read = reading.and_then(|reading| {
                let declared = reading.declared.clone().unwrap_or_default();
                Some((declared, text_as_read(message, reading)?))
            });
            let read = read.or_else(|| {
                let all = all.get_or_insert_with(|| texts(message, policy));
                let text = all.iter_mut().find(|text| text.part == id)?;
                let declared = text.reading.declared.clone().unwrap_or_default();
                Some((declared, std::mem::take(&mut text.text)))
            });
            self.items
                .extend(read.map(|(label, text)| self.body(id, *edited, label, text)));
        }
    }

    fn body(
        &self,
        id: PartId,
        edited: Edited,
        label: String,
        text: Cow<'a, str>,
    ) -> ExpectedItem<'a> {
        let part = &self.message.parts()[id.0 as usize];
        let is_plain = part.transfer == TransferEncoding::Identity;
        let content = Content::Body(BodyText {
            text,
            document: part.media.sub != "plain",
            label,
            is_unedited: edited == Edited::Type,
            plain: is_plain.then(|| part.body.of(self.message.raw())),
        });
        ExpectedItem {
            part: id,
            original: part.body,
            field: None,
            start: self.offsets.after(part.body.start),
            end: self.offsets.after(part.body.end),
            content,
        }
    }
}

fn is_text(part: &Part) -> bool {
    part.kind == PartKind::Leaf && part.media.is_text()
}

/// Reads all texts of the original, with the choice of their charsets.
pub(super) fn texts<'a>(message: &Message<'a>, policy: &Policy) -> Vec<TextPart<'a>> {
    text_parts(message, policy, &mut Report::with_limit(0))
}

impl Expected<'_> {
    /// Returns true if only fields of the message's own header were edited.
    pub(super) fn is_of_header(&self) -> bool {
        self.items
            .iter()
            .all(|item| item.part == PartId::ROOT && item.field.is_some())
    }
}

impl Content<'_> {
    /// Returns `text`, or the name of the field.
    pub(super) fn what(&self) -> &str {
        match self {
            Self::Body(..) => "text",
            Self::Text(name, _) | Self::Mailboxes(name, _) | Self::Parameters(name, _) => name,
        }
    }
}

/// Returns true if an edit changes a field, rather than adding another one before or after it.
fn is_inside(edit: &Edit, field: &Field) -> bool {
    if edit.span.is_empty() {
        field.full.start < edit.span.start && edit.span.start < field.full.end
    } else {
        edit.span.start < field.full.end && field.full.start < edit.span.end
    }
}

/// Returns the first added line that is not a field required by a rewritten body. A Content-Length may get another name.
pub(super) fn stray_line(message: &Message<'_>, edits: &[Edit]) -> Option<(PartId, usize, String)> {
    const NEEDED: [&[u8]; 3] = [
        b"content-type",
        b"content-transfer-encoding",
        b"mime-version",
    ];
    let offsets = Offsets::new(edits);
    message
        .parts()
        .iter()
        .enumerate()
        .find_map(|(index, part)| {
            let added = offsets.touching(part.header).iter().filter(|edit| {
                edit.span.is_empty()
                    && part.header.start <= edit.span.start
                    && edit.span.start <= part.header.end
            });
            added
                .filter(|edit| starts_line(message.raw(), edit.span.start))
                .filter(|edit| !length_field::is_renaming(message.raw(), edit))
                .find_map(|edit| {
                    let mut lines = edit.with.split(|byte| matches!(byte, b'\r' | b'\n'));
                    let stray = lines.find(|line| {
                        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
                        !line.is_empty()
                            && !line[0].is_ascii_whitespace()
                            && !NEEDED
                                .iter()
                                .any(|needed| needed.eq_ignore_ascii_case(name))
                    })?;
                    Some((
                        PartId(index as u32),
                        edit.span.start,
                        String::from_utf8_lossy(stray).into_owned(),
                    ))
                })
        })
}

fn starts_line(raw: &[u8], place: usize) -> bool {
    place == 0 || matches!(raw[place - 1], b'\r' | b'\n')
}

/// Returns the effect of an edit on a body.
fn edited(edit: &Edit, part: &Part) -> Edited {
    let in_body = if edit.span.is_empty() {
        part.body.start < edit.span.start && edit.span.start <= part.body.end
    } else {
        edit.span.start < part.body.end && part.body.start < edit.span.end
    };
    match () {
        () if in_body => Edited::Bytes,
        () if edit.span.is_empty() && edit.span.start <= part.header.end.max(part.body.start) => {
            Edited::Type
        }
        () => Edited::No,
    }
}

/// Reads an item once more, by all that the message tells. `texts` are those of the message.
pub(super) fn in_full<'a>(
    message: &Message<'a>,
    item: &ExpectedItem<'a>,
    context: impl FnOnce() -> &'a HeaderContext<'a>,
    texts: impl FnOnce() -> &'a [TextPart<'a>],
) -> Option<Content<'a>> {
    if let Some(field) = item.field {
        return read_field(message, &field, context());
    }
    let Content::Body(body) = &item.content else {
        return None;
    };
    let text = texts().iter().find(|text| text.part == item.part)?;
    Some(Content::Body(BodyText {
        text: Cow::Borrowed(text.as_str()),
        label: body.label.clone(),
        ..*body
    }))
}

fn read_field(
    message: &Message<'_>,
    field: &Field,
    context: &HeaderContext<'_>,
) -> Option<Content<'static>> {
    let (name, value) = (field.name.of(message.raw()), field.value.of(message.raw()));
    let mut findings = Vec::new();
    let kind = field_kind(name);
    let name = String::from_utf8_lossy(name).into_owned();
    Some(match kind {
        FieldKind::Opaque | FieldKind::Comments => return None,
        FieldKind::Structured => {
            let list = addresses_of(name.as_bytes(), value, context, &mut findings);
            Content::Mailboxes(name, list)
        }
        FieldKind::Parameters => {
            if begins_with_file_name(value) {
                return None;
            }
            let params = params::parse(value, context, &mut findings);
            Content::Parameters(
                name,
                params
                    .list
                    .into_iter()
                    .map(|param| (param.name, param.text))
                    .collect(),
            )
        }
        FieldKind::Unstructured | FieldKind::Phrases => Content::Text(
            name,
            decode(value, kind, context, &mut findings).into_owned(),
        ),
    })
}

/// Returns true if nothing precedes the file name that is the first parameter: `filename=a.txt; attachment`.
///
/// Other readers take such a name for the disposition. After a disposition, a rewritten name has a semicolon.
fn begins_with_file_name(value: &[u8]) -> bool {
    let (main, list) = params::scan(value);
    list.first().is_some_and(|first| {
        let base = first.name.split(|byte| *byte == b'*').next();
        let is_file_name = base.is_some_and(|base| {
            base.eq_ignore_ascii_case(b"filename") || base.eq_ignore_ascii_case(b"name")
        });
        let before = &value[..first.range.start];
        is_file_name
            && !before.contains(&b';')
            && (main.is_empty() || before.trim_ascii_start().starts_with(first.name))
    })
}

/// Maps offsets from the original to the rewritten message. The edits are sorted and do not overlap.
pub(super) struct Offsets<'a> {
    edits: &'a [Edit],
    /// For each edit, the total bytes that it and those before it removed and added.
    sizes: Vec<(usize, usize)>,
}

impl<'a> Offsets<'a> {
    fn new(edits: &'a [Edit]) -> Self {
        let sum = |all: &mut (usize, usize), edit: &Edit| {
            *all = (all.0 + edit.span.len(), all.1 + edit.with.len());
            Some(*all)
        };
        Self {
            edits,
            sizes: edits.iter().scan((0, 0), sum).collect(),
        }
    }

    /// Returns the edits that touch a span, including those at its borders.
    fn touching(&self, span: Span) -> &'a [Edit] {
        let first = self
            .edits
            .partition_point(|edit| edit.span.end < span.start);
        let last = self
            .edits
            .partition_point(|edit| edit.span.start <= span.end);
        &self.edits[first..last.max(first)]
    }

    /// Maps an offset of the original to the rewritten message, after any text inserted at that offset.
    pub(super) fn after(&self, place: usize) -> usize {
        self.moved(
            place,
            self.edits.partition_point(|edit| edit.span.end <= place),
        )
    }

    /// Like [`Self::after`], but before any text inserted at that offset.
    pub(super) fn before(&self, place: usize) -> usize {
        let is_before =
            |edit: &Edit| edit.span.end < place || edit.span.end == place && !edit.span.is_empty();
        self.moved(place, self.edits.partition_point(is_before))
    }

    fn moved(&self, place: usize, before: usize) -> usize {
        let (removed, added) = before
            .checked_sub(1)
            .map_or((0, 0), |last| self.sizes[last]);
        place - removed + added
    }
}
