//! Moves the report of a message with decoded parts to the message before.
//!
//! # Limits
//! Events inside an embedded message get the range of the encoded bytes. A message in its encoding inside another one is one range.

use super::comparison::PartOrigin;
use super::decoding::DecodedMessage;
use crate::edit::Edit;
use crate::event::{Detail, Event};
use crate::message::Message;
use crate::recipe::OldEol;
use crate::report::Report;
use crate::span::Span;
use crate::transfer;
use std::ops::Range;

/// Changes parts and ranges of the report from the decoded message to those of `message`. `decodes` are the edits between both.
pub(super) fn move_report(
    message: &Message<'_>,
    decodes: &[Edit],
    decoded: &[DecodedMessage],
    origins: &[PartOrigin],
    report: &mut Report,
) {
    let map = SpanMap::of(decodes);
    for events in [&mut report.events, &mut report.withdrawn] {
        let mut inside: Vec<Vec<(usize, Range<usize>)>> = vec![Vec::new(); decoded.len()];
        for (index, event) in events.iter_mut().enumerate() {
            let origin = origins[event.part.0 as usize];
            let place = decoded
                .binary_search_by_key(&origin.id(), |one| one.id)
                .ok();
            let range = place.and_then(|place| map.inside(decoded[place].body, event.at));
            event.part = origin.id();
            match (origin, place, range) {
                (PartOrigin::Inside(_), Some(place), Some(range)) => {
                    inside[place].push((index, range));
                }
                _ => event.at = map.old(event.at),
            }
        }
        for (one, found) in decoded.iter().zip(inside) {
            move_events(message, one, &found, events);
        }
    }
    for reading in &mut report.readings {
        reading.part = origins[reading.part.0 as usize].id();
    }
    for guess in &mut report.guesses {
        let origin = origins[guess.part.0 as usize];
        guess.part = origin.id();
        guess.at = match origin {
            PartOrigin::Same(_) => map.old(guess.at),
            PartOrigin::Inside(id) => message.part_at(id).body,
        };
    }
}

/// Moves events inside an embedded message to the encoded bytes. `found` has their indices and their ranges in the decoded message.
fn move_events(
    message: &Message<'_>,
    decoded: &DecodedMessage,
    found: &[(usize, Range<usize>)],
    events: &mut [Event],
) {
    if found.is_empty() {
        return;
    }
    let nested = SpanMap::of(&decoded.nested);
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', &decoded.plain).collect();
    let before = |at: usize| {
        let ends = line_ends.partition_point(|end| *end < at);
        match decoded.eol {
            OldEol::Same => at,
            OldEol::CrLf => at + ends,
            OldEol::Lf => at - ends,
        }
    };
    let ranges: Vec<_> = found
        .iter()
        .map(|(_, range)| {
            let old = nested.old(Span::new(range.start, range.end));
            before(old.start)..before(old.end)
        })
        .collect();
    let body = decoded.body.of(message.raw());
    let label = message.part_at(decoded.id).transfer;
    let places = transfer::locate_any(label, body, &ranges);
    for ((index, _), place) in found.iter().zip(&places) {
        let event = &mut events[*index];
        event.at = decoded.body.at(place);
        let detail = std::mem::replace(&mut event.detail, Detail::None);
        event.detail = Detail::Embedded(Box::new(detail));
    }
}

/// Maps spans of the edited message to the message before.
struct SpanMap(Vec<(Span, Span)>);

impl SpanMap {
    fn of(edits: &[Edit]) -> Self {
        let (mut written, mut replaced) = (0, 0);
        let pair = |edit: &Edit| {
            let start = edit.span.start + written - replaced;
            written += edit.with.len();
            replaced += edit.span.len();
            (Span::new(start, start + edit.with.len()), edit.span)
        };
        Self(edits.iter().map(pair).collect())
    }

    /// Returns the old span. Written bytes map to the beginning and end of the bytes that they replaced.
    fn old(&self, span: Span) -> Span {
        let start = self.place(span.start, |old, _| old.start);
        Span::new(start, self.place(span.end, |old, _| old.end).max(start))
    }

    fn place(&self, at: usize, within: impl Fn(Span, Span) -> usize) -> usize {
        let passed = self.0.partition_point(|(new, _)| new.start < at);
        match passed.checked_sub(1).map(|last| self.0[last]) {
            Some((new, old)) if at < new.end => within(old, new),
            Some((new, old)) => old.end + (at - new.end),
            None => at,
        }
    }

    /// Returns the range of a span in the bytes that were written for `old`, if it lies in them.
    fn inside(&self, old: Span, span: Span) -> Option<Range<usize>> {
        let index = self
            .0
            .binary_search_by_key(&old.start, |(_, old)| old.start);
        let (new, _) = self.0[index.ok()?];
        let lies = new.start <= span.start && span.end <= new.end;
        lies.then(|| span.start - new.start..span.end - new.start)
    }
}
