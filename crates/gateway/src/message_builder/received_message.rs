//! Translates the edits of a complete message into requests of the milter protocol.
//!
//! # Limits
//! The protocol counts fields by name and replaces whole values. An edit that crosses the end of a field, or removes its name, is an error.
//! The planner makes no such edit.

use super::field_spans::{FieldSpan, Fields};
use crate::judge;
use crate::limits::LONGEST_FIELD;
use crate::milter::{Actions, FieldValue, HeaderChange};
use crate::policy::Rules;
use mailglot_codec::bom;
use mailglot_mime::Edit;
use mailglot_mime::named;
use std::collections::HashMap;

/// Number of fields up to which a linear search counts those of a name.
const FEW: usize = 64;

/// A complete message with CRLF line ends.
#[derive(Debug)]
pub struct ReceivedMessage {
    pub(super) raw: Vec<u8>,
    pub(super) fields: Fields,
    /// Offset of the body, behind the empty line.
    pub(super) body: usize,
    pub(super) leading_space: bool,
}

impl ReceivedMessage {
    /// The message.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Translates edits into requests of the milter protocol. The edits are sorted and do not overlap.
    ///
    /// Omits edits that a bare CR makes unsafe:
    ///
    /// - A field stays if its new value would have a bare CR, which no mail server accepts.
    /// - If that field describes the body (`Content-*`, `MIME-Version`), all such fields and the body stay.
    /// - A bare CR may show the planner an end of the header, or a label of the body, that the mail server does not see. Then everything
    ///   stays.
    ///
    /// # Errors
    /// The protocol cannot express an edit. The message must stay unchanged.
    pub fn actions<'a>(&'a self, edits: &'a [Edit]) -> Result<Actions<'a>, InexpressibleEdit> {
        self.expressible_actions(edits).map(|(actions, _)| actions)
    }

    /// Like [`ReceivedMessage::actions`]. Also returns true if no edit was omitted.
    pub(crate) fn expressible_actions<'a>(
        &'a self,
        edits: &'a [Edit],
    ) -> Result<(Actions<'a>, bool), InexpressibleEdit> {
        let mut actions = Actions::default();
        if edits.is_empty() {
            return Ok((actions, true));
        }
        if self
            .fields
            .iter()
            .any(|field| ends_header(field.span.of(&self.raw)))
        {
            return Ok((actions, false));
        }
        let body = self.body;
        let split = edits.partition_point(|edit| edit.span.start < body);
        let (header, in_body) = edits.split_at(split);
        if header.iter().any(|edit| edit.span.end > body) {
            return Err(InexpressibleEdit::AcrossFields);
        }
        let mut header = header;
        // The mail server defines the fields, so an edit must not split or join them.
        let between = |edit: &Edit| {
            let named = [judge::NAMED, judge::LEADING]
                .iter()
                .any(|name| edit.with.starts_with(name));
            edit.span.is_empty() && (edit.with == b"\r\n" || named)
        };
        if header.iter().any(between) {
            return Ok((actions, false));
        }
        let (mut body_stays, mut all) = (false, true);
        let mut counts = NameCounts::new(self);
        for (at, field) in self.fields.iter().enumerate() {
            if header.is_empty() {
                break;
            }
            header = self.additions(header, field.span.start, &mut actions)?;
            let inside = header.partition_point(|edit| edit.span.start < field.span.end);
            let (own, rest) = header.split_at(inside);
            header = rest;
            if own.is_empty() {
                continue;
            }
            let new = self.edited(field, own)?;
            // With a bare CR the planner may have seen several short fields here.
            if !has_bare_return(&new) && new.len() <= LONGEST_FIELD {
                actions.changes.push(self.change(at, counts.of(at), &new)?);
            } else if lines(&new).skip(1).any(describes_body) {
                return Ok((Actions::default(), false));
            } else {
                all = false;
                body_stays |= describes_body(&new);
            }
        }
        let end = self.fields.end();
        if !self.additions(header, end, &mut actions)?.is_empty() {
            return Err(InexpressibleEdit::AcrossFields);
        }
        if body_stays {
            actions
                .changes
                .retain(|change| !describes_body(change.name.as_bytes()));
            actions
                .appended
                .retain(|(name, _)| !describes_body(name.as_bytes()));
        } else if !in_body.is_empty() {
            actions.body = Some(pieces(&self.raw, body, in_body));
        }
        Ok((actions, all))
    }

    /// Returns the size of the message in bytes after these changes, without fields that are added on top.
    pub(crate) fn size_with(&self, actions: &Actions<'_>) -> usize {
        let space = usize::from(!self.leading_space);
        let value = |value: &FieldValue| {
            let bytes = value.as_bytes();
            // In a message each fold has a CR, and each field a colon and CRLF.
            bytes.len() + memchr::memchr_iter(b'\n', bytes).count() + space + 3
        };
        let changes: HashMap<_, _> = actions
            .changes
            .iter()
            .map(|change| (change.position as usize, change))
            .collect();
        let mut size = 2 + actions
            .appended
            .iter()
            .map(|(name, text)| name.as_bytes().len() + value(text))
            .sum::<usize>();
        for (at, field) in self.fields.iter().enumerate() {
            size += match changes.get(&at) {
                Some(change) => change
                    .value
                    .as_ref()
                    .map_or(0, |text| field.name + value(text)),
                None => field.span.len(),
            };
        }
        let body = actions
            .body
            .as_ref()
            .map(|pieces| pieces.iter().map(|piece| piece.len()).sum());
        size + body.unwrap_or(self.raw.len() - self.body)
    }

    /// Returns the body with its edits, in pieces that are not copied.
    pub(crate) fn new_body<'a>(&'a self, edits: &'a [Edit]) -> Vec<&'a [u8]> {
        let split = edits.partition_point(|edit| edit.span.start < self.body);
        pieces(&self.raw, self.body, &edits[split..])
    }

    /// Adds deletions of forged fields to `actions`, and returns their number.
    ///
    /// Judges name and value as the mail server sent them. Also removes forged fields that begin behind a bare CR within another field.
    pub(crate) fn delete(&self, actions: &mut Actions<'_>, rules: &Rules) -> u32 {
        let mut forged_fields = Vec::new();
        let odd = has_bare_return(&self.raw[..self.body]);
        for (at, field) in self.fields.iter().enumerate() {
            let bytes = field.span.of(&self.raw);
            let (name, rest) = bytes.split_at(field.name);
            if judge::is_forged_field(name, rest.strip_prefix(b":").unwrap_or(rest), rules) {
                forged_fields.push((at, None, 1));
            } else if let Some((left, count)) = odd
                .then(|| judge::without_forged_fields(bytes, rules))
                .flatten()
            {
                forged_fields.push((at, Some(left), count));
            }
        }
        let mut counts = NameCounts::new(self);
        let mut count = 0;
        let mut gone = Vec::new();
        for (at, left, forged_fields) in forged_fields {
            let field = self.fields.at(at);
            let name = &self.raw[field.span.start..][..field.name];
            let value = left.map(|left| self.value(left.get(field.name + 1..).unwrap_or_default()));
            // If the rest of the value is invalid, the whole field is deleted.
            let (value, Some(name)) = (value.and_then(Result::ok), FieldValue::new(name)) else {
                continue;
            };
            let index = counts.of(at);
            count += forged_fields;
            gone.push(HeaderChange {
                name,
                index,
                position: at as u32,
                value,
            });
        }
        if !gone.is_empty() {
            // Both are in the order of the fields.
            actions.changes.retain(|change| {
                gone.binary_search_by_key(&change.position, |other| other.position)
                    .is_err()
            });
            actions.changes.append(&mut gone);
        }
        count
    }

    /// Adds the new fields that edits insert at `at` to `actions`. Returns the remaining edits.
    fn additions<'e>(
        &self,
        edits: &'e [Edit],
        at: usize,
        actions: &mut Actions<'_>,
    ) -> Result<&'e [Edit], InexpressibleEdit> {
        let here = edits
            .iter()
            .take_while(|edit| edit.span.is_empty() && edit.span.start == at)
            .count();
        for edit in &edits[..here] {
            for field in whole_fields(&edit.with) {
                let colon = field
                    .iter()
                    .position(|byte| *byte == b':')
                    .ok_or(InexpressibleEdit::NotAField)?;
                let name = FieldValue::new(&field[..colon]).ok_or(InexpressibleEdit::NotAField)?;
                actions
                    .appended
                    .push((name, self.value(&field[colon + 1..])?));
            }
        }
        Ok(&edits[here..])
    }

    /// Returns the bytes of a field after its edits.
    fn edited(&self, field: FieldSpan, edits: &[Edit]) -> Result<Vec<u8>, InexpressibleEdit> {
        if edits.iter().any(|edit| edit.span.end > field.span.end) {
            return Err(InexpressibleEdit::AcrossFields);
        }
        let grown: usize = edits.iter().map(|edit| edit.with.len()).sum();
        let mut new = Vec::with_capacity(field.span.len() + grown);
        let mut at = field.span.start;
        for edit in edits {
            new.extend_from_slice(&self.raw[at..edit.span.start]);
            new.extend_from_slice(&edit.with);
            at = edit.span.end;
        }
        new.extend_from_slice(&self.raw[at..field.span.end]);
        Ok(new)
    }

    /// Returns the change of field `at` (from 0), the `index`th of its name (from 1), to `new`. Empty: a deletion.
    fn change(&self, at: usize, index: u32, new: &[u8]) -> Result<HeaderChange, InexpressibleEdit> {
        let field = self.fields.at(at);
        let name = &self.raw[field.span.start..][..field.name];
        // A milter cannot rename a field, so a byte order mark before the name stays.
        let unmarked = name.strip_prefix(&bom::UTF_8);
        let value = match new
            .strip_prefix(name)
            .or_else(|| new.strip_prefix(unmarked?))
            .and_then(|rest| rest.strip_prefix(b":"))
        {
            Some(value) => Some(self.value(value)?),
            None if new.is_empty() => None,
            None => return Err(InexpressibleEdit::NotAField),
        };
        let name = FieldValue::new(name).ok_or(InexpressibleEdit::NotAField)?;
        Ok(HeaderChange {
            name,
            index,
            position: at as u32,
            value,
        })
    }

    /// Converts the bytes between a colon and the next field to a value of the protocol.
    fn value(&self, bytes: &[u8]) -> Result<FieldValue, InexpressibleEdit> {
        let bytes = bytes
            .strip_suffix(b"\r\n")
            .ok_or(InexpressibleEdit::NotAField)?;
        let bytes = if self.leading_space {
            bytes
        } else {
            bytes.strip_prefix(b" ").unwrap_or(bytes)
        };
        let mut value = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for cr in memchr::memchr_iter(b'\r', bytes).filter(|cr| bytes.get(cr + 1) == Some(&b'\n')) {
            value.extend_from_slice(&bytes[at..cr]);
            at = cr + 1;
        }
        value.extend_from_slice(&bytes[at..]);
        FieldValue::new(value).ok_or(InexpressibleEdit::NotAField)
    }
}

/// Numbers fields by name, from 1, as mail servers do. The caller asks for fields in ascending order.
struct NameCounts<'m> {
    message: &'m ReceivedMessage,
    /// Number of fields that `names` counts; unused for short headers.
    counted: usize,
    names: HashMap<Vec<u8>, u32>,
}

impl<'m> NameCounts<'m> {
    fn new(message: &'m ReceivedMessage) -> Self {
        Self {
            message,
            counted: 0,
            names: HashMap::new(),
        }
    }

    fn of(&mut self, at: usize) -> u32 {
        let ReceivedMessage { raw, fields, .. } = self.message;
        let name = |field: FieldSpan| &raw[field.span.start..][..field.name];
        let own = name(fields.at(at));
        if fields.len() <= FEW {
            return fields
                .iter()
                .take(at + 1)
                .map(|field| u32::from(name(field).eq_ignore_ascii_case(own)))
                .sum();
        }
        for field in (self.counted..=at).map(|at| fields.at(at)) {
            *self
                .names
                .entry(name(field).to_ascii_lowercase())
                .or_insert(0) += 1;
        }
        self.counted = at + 1;
        self.names
            .get(&own.to_ascii_lowercase())
            .copied()
            .unwrap_or_default()
    }
}

/// Returns true if a CR is not followed by LF.
fn has_bare_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Returns true if the field has an empty line for a reader that ends lines at bare CRs.
fn ends_header(field: &[u8]) -> bool {
    has_bare_return(field) && lines(field).any(<[u8]>::is_empty)
}

/// Returns the lines of a field, which end in CRLF, LF or CR.
fn lines(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    let field = field.strip_suffix(b"\r\n").unwrap_or(field);
    field.split(|byte| *byte == b'\n').flat_map(|line| {
        line.strip_suffix(b"\r")
            .unwrap_or(line)
            .split(|byte| *byte == b'\r')
    })
}

/// Returns true if a field or field name describes the body: `Content-*` and `MIME-Version` (RFC 2045, section 3).
fn describes_body(field: &[u8]) -> bool {
    let begins = |with: &[u8]| {
        field
            .get(..with.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    begins(b"content-") || begins(b"mime-version")
}

/// Returns the bytes from `at` on with their edits, as slices.
fn pieces<'a>(raw: &'a [u8], mut at: usize, edits: &'a [Edit]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::with_capacity(2 * edits.len() + 1);
    for edit in edits {
        pieces.extend([&raw[at..edit.span.start], &edit.with]);
        at = edit.span.end;
    }
    pieces.push(&raw[at..]);
    pieces
}

/// Splits bytes into fields, each with its folds.
fn whole_fields(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let ends = bytes
            .windows(3)
            .position(|w| w[..2] == *b"\r\n" && !matches!(w[2], b' ' | b'\t'));
        let (field, rest) = bytes.split_at(ends.map_or(bytes.len(), |at| at + 2));
        fields.push(field);
        bytes = rest;
    }
    fields
}

named! {
    /// Why the milter protocol cannot express edits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum InexpressibleEdit {
        /// An edit crosses the end of a field.
        AcrossFields = "an edit reaches over the end of a field",
        /// The edited bytes are not a field.
        NotAField = "an edit makes bytes that are not a field",
    }
}

impl std::error::Error for InexpressibleEdit {}
