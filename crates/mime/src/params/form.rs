//! Decodes the forms in which a parameter occurs, and chooses the one that counts.

use super::group::Group;
use super::misplaced_marks::{
    lacks_asterisk, late_charset, segments_without_asterisk, without_asterisk,
};
use super::param::Param;
use super::scan::{Item, ValueSegment};
use super::value::{FormText, VALUE, ValuePlace, extended, limit, percent, split_extended, words};
use crate::encoded_word::HeaderContext;
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::lexer::{NameForm, split_name};
use std::ops::Range;

/// The forms in order of precedence.
pub(super) const FORMS: [NameForm; 3] = [
    NameForm::Extended,
    NameForm::Segment {
        number: 0,
        encoded: false,
    },
    NameForm::Plain,
];

/// A decoded form with its findings.
pub(super) struct DecodedForm {
    pub(super) extent: Range<usize>,
    pub(super) decoded: FormText,
    pub(super) found: Vec<Finding>,
}

/// Returns the index of the form that counts: the first undamaged one, else the first.
pub(super) fn preferred(forms: &[Option<DecodedForm>; 3]) -> Option<usize> {
    let clean =
        |read: &Option<DecodedForm>| read.as_ref().is_some_and(|read| read.decoded.losses == 0);
    forms
        .iter()
        .position(clean)
        .or_else(|| forms.iter().position(Option::is_some))
}

impl<'a> Group<'a> {
    /// Decodes each form that is present, with its extent and findings.
    pub(super) fn read(&self, context: &HeaderContext) -> [Option<DecodedForm>; 3] {
        FORMS.map(|form| {
            let mut found = Vec::new();
            let (extent, decoded) = self.decode_form(form, context, &mut found)?;
            Some(DecodedForm {
                extent,
                decoded,
                found,
            })
        })
    }

    /// Returns each form as a group of its own, repeated ones included, with its decoded value.
    ///
    /// Skips damaged forms and incomplete segments.
    pub(super) fn singles(&self, context: &HeaderContext) -> Vec<(Group<'a>, Param)> {
        let single = || Group {
            name: self.name.clone(),
            whole: true,
            ..Group::default()
        };
        let mut list = Vec::new();
        let whole = self.plain.iter().chain(&self.extended);
        for item in whole.chain(&self.left_out) {
            let mut group = single();
            match split_name(item.raw.name).1 {
                NameForm::Plain => group.plain = Some(item.clone()),
                NameForm::Extended => group.extended = Some(item.clone()),
                NameForm::Segment { .. } => continue,
            }
            list.push(group);
        }
        let is_segment =
            |item: &Item<'_>| matches!(split_name(item.raw.name).1, NameForm::Segment { .. });
        if !self.segments.is_empty() && !self.left_out.iter().any(is_segment) {
            list.push(Group {
                segments: self.segments.clone(),
                ..single()
            });
        }
        list.into_iter()
            .filter_map(|group| {
                let read = group.read(context).into_iter().flatten().next()?;
                (read.decoded.losses == 0).then(|| (group, self.param(read.decoded)))
            })
            .collect()
    }

    /// Returns the parameter of this name with a decoded text.
    pub(super) fn param(&self, decoded: FormText) -> Param {
        Param {
            name: self.name.clone(),
            text: decoded.text,
            language: decoded.language,
        }
    }

    fn decode_form(
        &self,
        form: NameForm,
        context: &HeaderContext,
        found: &mut Vec<Finding>,
    ) -> Option<(Range<usize>, FormText)> {
        let mut bytes = Vec::new();
        match form {
            NameForm::Plain => {
                let item = self.plain.as_ref()?;
                if lacks_asterisk(item.raw.name, &item.raw.value) {
                    let at = ValuePlace::new(item.raw.range.clone());
                    let decoded = without_asterisk(&item.raw.value, &at, found);
                    return Some((item.extent(), decoded));
                }
                let at = ValuePlace::of_plain(item);
                Some((
                    item.extent(),
                    words(limit(&item.raw.value, &at, found), &at, context, found),
                ))
            }
            NameForm::Extended => {
                let item = self.extended.as_ref()?;
                let value = [&*item.raw.value].into_iter();
                let at = ValuePlace::of_extended(item.raw.range.clone(), value);
                let (charset, language, rest) = split_extended(limit(&item.raw.value, &at, found));
                percent(rest, &at, &mut bytes, found);
                Some((
                    item.extent(),
                    extended(charset, language, &bytes, &at, context, found),
                ))
            }
            NameForm::Segment { .. } => {
                let items = || self.segments.iter().map(|segment| &segment.item);
                let first = items().map(|item| item.name.start).min()?;
                let starts = items().map(|item| item.raw.range.start);
                let ends = items().map(|item| item.raw.range.end);
                let encoded = self.segments.iter().filter(|segment| segment.is_encoded);
                let values = encoded.clone().map(ValueSegment::value);
                let at = ValuePlace::of_extended(starts.min()?..ends.max()?, values);
                let name = self.name.as_bytes();
                if let Some(value) = segments_without_asterisk(name, &self.segments) {
                    let range = at.range.clone();
                    found.add(range, EventKind::ParamBadMark, Reason::NoAsterisk);
                    let decoded = without_asterisk(&value, &at, found);
                    return Some((first..at.range.end, decoded));
                }
                let (mut head, mut language) = (None, None);
                let late = late_charset(&self.segments);
                for segment in &self.segments {
                    let mut part = segment.value();
                    let is_first = segment.number == 0 && segment.is_encoded;
                    if is_first || late == Some(segment.number) {
                        (head, language, part) = split_extended(part);
                    }
                    if segment.is_encoded {
                        let place = ValuePlace::new(segment.item.raw.range.clone());
                        percent(part, &place, &mut bytes, found);
                    } else {
                        bytes.extend_from_slice(part);
                    }
                    if bytes.len() > VALUE {
                        break;
                    }
                }
                if late.is_some() {
                    let range = at.range.clone();
                    found.add(range, EventKind::ParamBadMark, Reason::LaterCharset);
                }
                let bytes = limit(&bytes, &at, found);
                let extent = first..at.range.end;
                let decoded = if encoded.count() > 0 {
                    extended(head, language, bytes, &at, context, found)
                } else {
                    words(bytes, &at, context, found)
                };
                Some((extent, decoded))
            }
        }
    }
}
