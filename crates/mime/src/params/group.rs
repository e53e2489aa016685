//! Groups the parameters of a field by name: plain and extended forms, and numbered segments (RFC 2231, sections 3 and 4).
//!
//! # Limits
//!
//! Reads at most 1,000 different names.

use super::misplaced_marks::{lacks_asterisk, repair_marks};
use super::scan::{Item, LIMIT, Scanner, ValueSegment};
use super::value::is_url_encoded;
use crate::encoded_word::{self, HeaderContext};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{NameForm, is_file_name, leading_zeros, split_name};
use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::discriminant;
use std::ops::Range;

/// Maximum number of different names that are read from one field.
pub(super) const NAMES: usize = 1_000;

/// All forms in which one name occurs.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    /// Lower-case name.
    pub name: String,
    /// `name`
    pub plain: Option<Item<'a>>,
    /// `name*`
    pub extended: Option<Item<'a>>,
    /// `name*0`, `name*1`, …, sorted, without gaps or duplicates.
    pub segments: Vec<ValueSegment<'a>>,
    /// True if no parameter of this name was left out.
    pub whole: bool,
    /// Repeated parameters of one form, and segments that cannot be joined.
    pub left_out: Vec<Item<'a>>,
}

/// Returns the main value and the parameters, grouped by name in order of first appearance.
pub(super) fn group<'a>(
    value: &'a [u8],
    context: &HeaderContext<'a>,
    findings: &mut Vec<Finding>,
) -> (Cow<'a, [u8]>, Vec<Group<'a>>) {
    let (main, scanner) = Scanner::new(value);
    let mut scanner = scanner.within(context);
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for item in scanner.by_ref().take(LIMIT) {
        let (base, form) = split_name(item.raw.name);
        note_mark(&item, form, findings);
        let mut name = String::new();
        let controls = encoded_word::push_clean(
            &String::from_utf8_lossy(base).to_ascii_lowercase(),
            &mut name,
        );
        encoded_word::report_controls(controls, &item.name, findings);
        let known = index.get(&name).copied();
        if known.is_none() && groups.len() == NAMES {
            let rest = item.name.start..value.len();
            let kind = EventKind::HdrBeyondLimit;
            findings.add(rest, kind, Reason::ParameterLimit);
            break;
        }
        let at = known.unwrap_or_else(|| {
            index.insert(name.clone(), groups.len());
            groups.push(Group {
                name,
                whole: true,
                ..Group::default()
            });
            groups.len() - 1
        });
        let group = &mut groups[at];
        let place = match form {
            NameForm::Plain => &mut group.plain,
            NameForm::Extended => &mut group.extended,
            NameForm::Segment { number, encoded } => {
                group.segments.push(ValueSegment {
                    number,
                    is_encoded: encoded,
                    item,
                });
                continue;
            }
        };
        if place.is_none() {
            *place = Some(item);
        } else {
            group.whole = false;
            let kind = EventKind::ParamDuplicate;
            findings.add(item.extent(), kind, Reason::FirstCounts);
            group.left_out.push(item);
        }
    }
    if index.len() < NAMES {
        scanner.note_rest();
    }
    findings.append(&mut scanner.tolerated);
    for group in &mut groups {
        group.sort(findings);
        repair_marks(group.extended.as_mut(), &mut group.segments, findings);
    }
    (main, groups)
}

/// Reports an invalid or missing RFC 2231 mark, and quotes around an extended value, which RFC 2231 7 does not allow.
pub(super) fn note_mark(item: &Item<'_>, form: NameForm, findings: &mut Vec<Finding>) {
    match form {
        NameForm::Plain if item.raw.name.contains(&b'*') => {
            let at = item.name.clone();
            findings.add(at, EventKind::ParamBadMark, Reason::PartOfName);
        }
        NameForm::Plain if lacks_asterisk(item.raw.name, &item.raw.value) => {
            let at = item.raw.range.clone();
            findings.add(at, EventKind::ParamBadMark, Reason::NoAsterisk);
        }
        NameForm::Plain if is_file_name(item.raw.name) && is_url_encoded(&item.raw.value) => {
            let at = item.raw.range.clone();
            findings.add(at, EventKind::ParamUrlEncoded, Detail::None);
        }
        NameForm::Segment { .. } if leading_zeros(item.raw.name).is_some() => {
            let at = item.name.clone();
            findings.add(at, EventKind::ParamBadMark, Reason::LeadingZeros);
        }
        NameForm::Extended | NameForm::Segment { encoded: true, .. } if item.quoted => {
            let at = item.raw.range.clone();
            findings.add(at, EventKind::ParamQuotedExtended, Reason::Unquoted);
        }
        _ => {}
    }
}

impl Item<'_> {
    /// Returns the range from the name to the end of the value.
    pub(super) fn extent(&self) -> Range<usize> {
        self.name.start..self.raw.range.end.max(self.name.end)
    }
}

impl<'a> Group<'a> {
    /// Returns the parameters of this name that were not left out.
    pub(super) fn items(&self) -> impl Iterator<Item = &Item<'a>> {
        let segments = self.segments.iter().map(|segment| &segment.item);
        self.plain.iter().chain(&self.extended).chain(segments)
    }

    /// Returns those of one form.
    pub(super) fn items_of(&self, form: NameForm) -> impl Iterator<Item = &Item<'a>> {
        let is_of = move |item: &&Item<'_>| {
            discriminant(&split_name(item.raw.name).1) == discriminant(&form)
        };
        self.items().filter(is_of)
    }

    /// Returns in how many forms the name occurs.
    pub(super) fn forms(&self) -> usize {
        usize::from(self.plain.is_some())
            + usize::from(self.extended.is_some())
            + usize::from(!self.segments.is_empty())
    }

    /// Sorts the segments and leaves out those that cannot be joined.
    ///
    /// Some programs count from 1, and some write numbers with leading zeros, which make all of them equally long.
    fn sort(&mut self, findings: &mut Vec<Finding>) {
        let count = self.segments.len();
        self.segments.sort_by_key(|segment| segment.number);
        let mut kept: Vec<_> = Vec::with_capacity(count);
        let first = self.segments.first();
        let length = first.and_then(|first| leading_zeros(first.item.raw.name));
        let is_only_form = self.plain.is_none() && self.extended.is_none();
        let counts_from = match first {
            Some(first)
                if first.number == 1 && is_only_form && is_file_name(self.name.as_bytes()) =>
            {
                let at = first.item.extent();
                findings.add(at, EventKind::ParamGap, Reason::CountedFromOne);
                1
            }
            _ => 0,
        };
        for mut segment in std::mem::take(&mut self.segments) {
            let next = counts_from + kept.len() as u32;
            let own = leading_zeros(segment.item.raw.name);
            if segment.number == next && (own.is_none() || own == length) {
                segment.number -= counts_from;
                kept.push(segment);
                continue;
            }
            let (kind, detail) = if segment.number < next {
                (EventKind::ParamDuplicate, Reason::FirstCounts)
            } else {
                (EventKind::ParamGap, Reason::BehindGap)
            };
            findings.add(segment.item.extent(), kind, detail);
            self.left_out.push(segment.item);
        }
        self.segments = kept;
        self.whole &= self.segments.len() == count;
    }
}
