//! Extracts the bytes of parameters with their charset labels, as evidence for other parts of the message.

use super::misplaced_marks::move_cut_escape;
use super::scan::{Item, LIMIT, Scanner};
use super::value::{percent_decode, split_extended};
use crate::lexer::{NameForm, split_name};
use std::collections::HashMap;
use std::ops::Range;

/// Returns true if percent-decoding gives non-ASCII bytes that are not UTF-8 or not labelled UTF-8.
///
/// Only such a value may need evidence from the rest of the message.
pub(crate) fn may_need_evidence(value: &[u8]) -> bool {
    let mut bytes = Vec::new();
    if memchr::memchr(b'%', value).is_some_and(|_| memchr::memchr(b'*', value).is_some()) {
        percent_decode(value, &mut bytes);
    }
    if bytes.is_ascii() {
        return false;
    }
    let is_utf8 = |item: Item<'_>| {
        let begins = matches!(
            split_name(item.raw.name).1,
            NameForm::Extended
                | NameForm::Segment {
                    number: 0,
                    encoded: true
                }
        );
        let label = begins.then(|| split_extended(&item.raw.value).0);
        label.is_none_or(|label| label.is_some_and(|label| label.eq_ignore_ascii_case(b"utf-8")))
    };
    std::str::from_utf8(&bytes).is_err() || !Scanner::new(value).1.take(LIMIT).all(is_utf8)
}

/// The bytes of a parameter with their label.
#[derive(Default)]
pub(crate) struct Labelled {
    /// None for a plain value, whose encoded words have their own labels.
    pub(crate) label: Option<Vec<u8>>,
    /// The value. Percent-encoding is decoded if the value has a label.
    pub(crate) bytes: Vec<u8>,
}

/// The parameters of a field with their labels. Segments of RFC 2231 are joined.
pub(crate) struct LabelledParams {
    /// Ranges of the values in order, each with the index of its parameter.
    places: Vec<(Range<usize>, usize)>,
    pub(crate) list: Vec<Labelled>,
}

impl LabelledParams {
    /// Scans the value of a field once.
    pub(crate) fn new(value: &[u8]) -> Self {
        let mut places = Vec::new();
        let mut list: Vec<Labelled> = Vec::new();
        let mut extended: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut segments = Vec::new();
        for raw in Scanner::new(value).1.take(LIMIT).map(|item| item.raw) {
            let (name, form) = split_name(raw.name);
            let index = match form {
                NameForm::Plain => {
                    list.push(Labelled {
                        label: None,
                        bytes: raw.value.into_owned(),
                    });
                    list.len() - 1
                }
                NameForm::Extended | NameForm::Segment { .. } => {
                    let index = *extended
                        .entry(name.to_ascii_lowercase())
                        .or_insert_with(|| {
                            list.push(Labelled {
                                label: Some(Vec::new()),
                                bytes: Vec::new(),
                            });
                            list.len() - 1
                        });
                    let (number, encoded) = match form {
                        NameForm::Segment { number, encoded } => (number, encoded),
                        _ => (0, true),
                    };
                    segments.push((index, number, encoded, raw.value));
                    index
                }
            };
            places.push((raw.range, index));
        }
        segments.sort_by_key(|(index, number, ..)| (*index, *number));
        for next in 1..segments.len() {
            let (before, after) = segments.split_at_mut(next);
            if let (Some((one, _, true, text)), Some((other, _, true, later))) =
                (before.last_mut(), after.first_mut())
                && one == other
            {
                move_cut_escape(text, later);
            }
        }
        let mut last = None;
        for (index, _, encoded, text) in &segments {
            let Labelled { label, bytes } = &mut list[*index];
            let mut text = &**text;
            if last.replace(*index) != Some(*index) && *encoded {
                let (named, _, rest) = split_extended(text);
                *label = Some(named.unwrap_or_default().to_vec());
                text = rest;
            }
            if *encoded {
                percent_decode(text, bytes);
            } else {
                bytes.extend_from_slice(text);
            }
        }
        Self { places, list }
    }

    /// Returns the index of the parameter whose value overlaps `at`, a range of the field's value.
    pub(crate) fn at(&self, at: &Range<usize>) -> Option<usize> {
        let first = self
            .places
            .partition_point(|(range, _)| range.end <= at.start);
        self.places
            .get(first)
            .filter(|(range, _)| range.start < at.end)
            .map(|(_, index)| *index)
    }
}
