//! A complete message, and its edits as requests of the milter protocol.
//!
//! # Limits
//! A mail server counts fields by name and takes whole values. The protocol cannot express an edit that crosses the end of a field or removes its name;
//! it is refused. The planner makes none.

use super::field_spans::{FieldSpan, Fields};
use crate::judge;
use crate::limits::LONGEST_FIELD;
use crate::milter::{Actions, FieldValue, HeaderChange};
use crate::policy::Rules;
use mailglot_mime::Edit;
use std::collections::HashMap;
use std::fmt;

/// Up to so many fields, a linear search finds those of a name.
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

    /// What makes this message that of its edits, sorted and apart, in the words of the protocol. A field that would have a CR that ends no
    /// line stays as it is, for no server takes it; where it is one of those that say how the body is read, they all stay, and the body.
    /// Where such a CR makes the planner see the end of the header, or a label of the body, that the server does not see, all stays.
    ///
    /// # Errors
    /// An edit that cannot be told; the message must stay as it is.
    pub fn actions<'a>(&'a self, edits: &'a [Edit]) -> Result<Actions<'a>, InexpressibleEdit> {
        self.expressible_actions(edits).map(|(actions, _)| actions)
    }

    /// As [`ReceivedMessage::actions`], and whether they are all of the edits.
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
            .any(|told| ends_header(told.span.of(&self.raw)))
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
        // The server has said where fields begin and where they end.
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
        for (at, told) in self.fields.iter().enumerate() {
            if header.is_empty() {
                break;
            }
            header = self.additions(header, told.span.start, &mut actions)?;
            let inside = header.partition_point(|edit| edit.span.start < told.span.end);
            let (own, rest) = header.split_at(inside);
            header = rest;
            if own.is_empty() {
                continue;
            }
            let new = self.edited(told, own)?;
            // Where a CR alone stands in it, the planner may have seen several fields here, each of them short enough.
            if !has_bare_return(&new) && new.len() <= LONGEST_FIELD {
                actions.changes.push(self.change(at, counts.of(at), &new)?);
            } else if lines(&new).skip(1).any(says_how_to_read) {
                return Ok((Actions::default(), false));
            } else {
                all = false;
                body_stays |= says_how_to_read(&new);
            }
        }
        let end = self.fields.end();
        if !self.additions(header, end, &mut actions)?.is_empty() {
            return Err(InexpressibleEdit::AcrossFields);
        }
        if body_stays {
            actions
                .changes
                .retain(|change| !says_how_to_read(change.name.as_bytes()));
            actions
                .appended
                .retain(|(name, _)| !says_how_to_read(name.as_bytes()));
        } else if !in_body.is_empty() {
            actions.body = Some(pieces(&self.raw, body, in_body));
        }
        Ok((actions, all))
    }

    /// Returns the bytes of the message with these changes, without fields that are added on top.
    pub(crate) fn size_with(&self, actions: &Actions<'_>) -> usize {
        let space = usize::from(!self.leading_space);
        let value = |value: &FieldValue| {
            let bytes = value.as_bytes();
            // A fold has a CR more in a message, and a field a colon and its end.
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
        for (at, told) in self.fields.iter().enumerate() {
            size += match changes.get(&at) {
                Some(change) => change
                    .value
                    .as_ref()
                    .map_or(0, |text| told.name + value(text)),
                None => told.span.len(),
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

    /// Has fields go that would be taken for ours, by name and value as the server told them, whatever a CR in a field makes a reader see; and
    /// what begins so behind such a CR.
    ///
    /// How many there were.
    pub(crate) fn delete(&self, actions: &mut Actions<'_>, rules: &Rules) -> u32 {
        let mut forged_fields = Vec::new();
        let odd = has_bare_return(&self.raw[..self.body]);
        for (at, told) in self.fields.iter().enumerate() {
            let bytes = told.span.of(&self.raw);
            let (name, rest) = bytes.split_at(told.name);
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
            let told = self.fields.at(at);
            let name = &self.raw[told.span.start..][..told.name];
            let value = left.map(|left| self.value(left.get(told.name + 1..).unwrap_or_default()));
            // What cannot stay without them goes.
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
            // Both stand in the order of the fields.
            actions.changes.retain(|change| {
                gone.binary_search_by_key(&change.position, |other| other.position)
                    .is_err()
            });
            actions.changes.append(&mut gone);
        }
        count
    }

    /// New fields that stand before the field that begins at `at`; the edits behind them.
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

    /// The bytes of a field with its edits.
    fn edited(&self, told: FieldSpan, edits: &[Edit]) -> Result<Vec<u8>, InexpressibleEdit> {
        if edits.iter().any(|edit| edit.span.end > told.span.end) {
            return Err(InexpressibleEdit::AcrossFields);
        }
        let grown: usize = edits.iter().map(|edit| edit.with.len()).sum();
        let mut new = Vec::with_capacity(told.span.len() + grown);
        let mut at = told.span.start;
        for edit in edits {
            new.extend_from_slice(&self.raw[at..edit.span.start]);
            new.extend_from_slice(&edit.with);
            at = edit.span.end;
        }
        new.extend_from_slice(&self.raw[at..told.span.end]);
        Ok(new)
    }

    /// The field below `at` others, the `index`th of its name, becomes another, or goes.
    fn change(&self, at: usize, index: u32, new: &[u8]) -> Result<HeaderChange, InexpressibleEdit> {
        let told = self.fields.at(at);
        let name = &self.raw[told.span.start..][..told.name];
        let value = match new
            .strip_prefix(name)
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

    /// A value as the server takes it, from all bytes between the colon and the next field.
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

/// The places of fields among those of their name, from 1: servers count so. Asked for one field after the other.
struct NameCounts<'m> {
    message: &'m ReceivedMessage,
    /// Fields in `names`, of a message that has many.
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
        let name = |told: FieldSpan| &raw[told.span.start..][..told.name];
        let own = name(fields.at(at));
        if fields.len() <= FEW {
            return fields
                .iter()
                .take(at + 1)
                .map(|told| u32::from(name(told).eq_ignore_ascii_case(own)))
                .sum();
        }
        for told in (self.counted..=at).map(|at| fields.at(at)) {
            *self
                .names
                .entry(name(told).to_ascii_lowercase())
                .or_insert(0) += 1;
        }
        self.counted = at + 1;
        self.names
            .get(&own.to_ascii_lowercase())
            .copied()
            .unwrap_or_default()
    }
}

/// Returns true if a CR ends no line.
fn has_bare_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Returns true if a reader for whom a CR ends lines sees an empty line in the field.
fn ends_header(field: &[u8]) -> bool {
    has_bare_return(field) && lines(field).any(<[u8]>::is_empty)
}

/// The lines of a field, whatever ends them.
fn lines(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    let field = field.strip_suffix(b"\r\n").unwrap_or(field);
    field.split(|byte| *byte == b'\n').flat_map(|line| {
        line.strip_suffix(b"\r")
            .unwrap_or(line)
            .split(|byte| *byte == b'\r')
    })
}

/// Returns true if a field, or the name of one, is of those that say how a body is read (RFC 2045 3).
fn says_how_to_read(field: &[u8]) -> bool {
    let begins = |with: &[u8]| {
        field
            .get(..with.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    begins(b"content-") || begins(b"mime-version")
}

/// The bytes from `at` on with their edits, none of them copied.
fn pieces<'a>(raw: &'a [u8], mut at: usize, edits: &'a [Edit]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::with_capacity(2 * edits.len() + 1);
    for edit in edits {
        pieces.extend([&raw[at..edit.span.start], &edit.with]);
        at = edit.span.end;
    }
    pieces.push(&raw[at..]);
    pieces
}

/// Fields one behind another, folds in them.
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

/// Why the milter protocol cannot express edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InexpressibleEdit {
    /// An edit crosses the end of a field.
    AcrossFields,
    /// The edited bytes are not a field.
    NotAField,
}

impl InexpressibleEdit {
    /// The reason in words for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcrossFields => "an edit reaches over the end of a field",
            Self::NotAField => "an edit makes bytes that are not a field",
        }
    }
}

impl fmt::Display for InexpressibleEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for InexpressibleEdit {}
