//! Sets the charset in the Content-Type of a text body.
//!
//! # Limits
//! A field that exists keeps its place and its other parameters.

use super::body::Body;
use super::part_fields::PartFields;
use crate::edit::Edit;
use crate::event::{Detail, EventKind, Finding, Reason};
use crate::message::charset;
use crate::span::Span;
use crate::{lexer, params};
use std::ops::Range;

impl Body<'_, '_> {
    /// Sets the charset of Content-Type to `label`. Adds the field if it is missing.
    pub(super) fn relabel(&self, label: &str, fields: &mut PartFields<'_, '_>) {
        let edits = &mut *fields.edits;
        let part = self.message.part_at(self.id);
        let raw = self.message.raw();
        let value = self.message.content_type_value(self.id);
        if let Some(one) = self.one_label(label) {
            edits.extend(self.semicolon_before(one.first()));
            edits.extend(one);
        } else if let Some(span) = part.charset {
            let old = span.of(raw);
            if part.joined_charset.is_some() {
                edits.extend(value.into_iter().flat_map(|value| {
                    let changes = charset::in_place(value.of(raw), label).into_iter();
                    changes.map(move |change| change.into_edit(value))
                }));
            } else {
                edits.extend(self.missing_semicolon());
                let colon = self.colon();
                if colon.is_some() || !charset::unquote(old).eq_ignore_ascii_case(label.as_bytes())
                {
                    let quote = if old.starts_with(b"\"") { "\"" } else { "" };
                    let equals = if colon.is_some() { "=" } else { "" };
                    let with = format!("{equals}{quote}{label}{quote}").into_bytes();
                    let start = value.map_or(span.start, |value| unfolded_start(raw, value, span));
                    let start = colon.unwrap_or(start);
                    edits.push(Edit::new(Span::new(start, span.end), with));
                }
            }
        } else if let Some(value) = value {
            let missing = value.of(raw).trim_ascii().is_empty();
            let at = value.start + charset_place(value.of(raw));
            let media = if missing { " text/plain" } else { "" };
            let with = format!("{media}; charset={label}").into_bytes();
            edits.push(Edit::new(Span::new(at, at), with));
        } else {
            fields.add_version();
            fields.add(&["Content-Type: text/plain; charset=", label]);
        }
    }

    /// Returns edits that reduce several charset parameters, or one in RFC 2231 form, to one.
    pub(super) fn one_label(&self, label: &str) -> Option<Vec<Edit>> {
        let value = self.message.content_type_value(self.id)?;
        if value.len() > self.policy.limits.field {
            // A field beyond the limit is not parsed.
            return None;
        }
        let changes = charset::one_label(value.of(self.message.raw()), label)?;
        let edits = changes.into_iter().map(|change| change.into_edit(value));
        Some(edits.collect())
    }

    /// Returns the edit that writes the semicolon before the parameter that `change` begins in, if none is there.
    fn semicolon_before(&self, change: Option<&Edit>) -> Option<Edit> {
        let (start, raw) = (change?.span.start, self.message.raw());
        let value = self.message.content_type_value(self.id)?;
        let before = raw[value.start..start].trim_ascii_end();
        let place = value.start + before.len();
        let is_missing = raw.get(start) != Some(&b';') && !before.ends_with(b";");
        is_missing.then(|| Edit::new(Span::new(place, place), b";".to_vec()))
    }

    /// Returns true if the charset is a parameter that few other readers find: without a semicolon or with a colon.
    pub(super) fn has_hidden_charset(&self) -> bool {
        self.missing_semicolon().is_some() || self.colon().is_some()
    }

    /// Returns the edit that writes the semicolon before the charset parameter if none is there, and the media type if that is missing, too.
    fn missing_semicolon(&self) -> Option<Edit> {
        let span = self.message.content_type_value(self.id)?;
        let value = span.of(self.message.raw());
        let name = self.fault_of_charset(&Detail::None)?;
        let before = value[..name.start].trim_ascii_end().len();
        let (at, with) = match before {
            0 => (span.start + name.start, "text/plain; "),
            before => (span.start + before, ";"),
        };
        Some(Edit::new(Span::new(at, at), with))
    }

    /// Returns the offset behind the name of the charset parameter if a colon stands for its equals sign.
    fn colon(&self) -> Option<usize> {
        let span = self.message.content_type_value(self.id)?;
        let name = self.fault_of_charset(&Reason::Colon.into())?;
        Some(span.start + name.end)
    }

    /// Returns the range of the name of the charset parameter in the field's value, if this fault stands at it.
    fn fault_of_charset(&self, detail: &Detail) -> Option<Range<usize>> {
        let label = self.message.part_at(self.id).charset?;
        let span = self.message.content_type_value(self.id)?;
        let value = span.of(self.message.raw());
        let before_label = label.start.checked_sub(span.start);
        if before_label.is_some_and(|end| value.get(..end).is_some_and(has_semicolon)) {
            return None;
        }
        let mut findings = Vec::new();
        let _ = params::survey(value, &mut findings);
        let is_it = |finding: &&Finding| {
            finding.kind == EventKind::ParamNoSemicolon && finding.detail == *detail
        };
        let name = findings
            .into_iter()
            .filter(|finding| is_it(&finding))
            .map(|finding| finding.at)
            .take_while(|name| span.start + name.end <= label.start)
            .last()?;
        value[name.clone()]
            .eq_ignore_ascii_case(b"charset")
            .then_some(name)
    }
}

/// Returns the start of a charset's name, or of the fold between it and its equals sign. Some readers find no name after a fold.
fn unfolded_start(raw: &[u8], value: Span, name: Span) -> usize {
    let before = raw.get(value.start..name.start).unwrap_or_default();
    let solid = before.trim_ascii_end();
    if lexer::is_fold(&before[solid.len()..]) && solid.ends_with(b"=") {
        value.start + solid.len()
    } else {
        name.start
    }
}

/// Returns true for the text before the value of a charset whose name directly follows a semicolon. Fast.
fn has_semicolon(before: &[u8]) -> bool {
    let name = before.strip_suffix(b"\"").unwrap_or(before);
    let name = name.trim_ascii_end().strip_suffix(b"=");
    let name = name.unwrap_or_default().trim_ascii_end();
    let Some((rest, name)) = name.split_last_chunk::<7>() else {
        return false;
    };
    name.eq_ignore_ascii_case(b"charset") && rest.trim_ascii_end().ends_with(b";")
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
