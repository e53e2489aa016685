//! Collects the events, readings and guesses of a message.

use crate::event::{Event, EventKind, Severity};
use crate::guess::{GUESSES, Guess, GuessKind, certainty};
use crate::limits::Limits;
use crate::reading::Reading;
use std::mem;

/// The findings of one message: events, charsets of texts, guesses, and their numbers.
///
/// ```
/// use mailglot_mime::{EventKind, Policy, process};
///
/// let report = process(b"Content-Type: text/plain; charset=utf-8\n\n\xC3\xBC \xFF\n", &Policy::default()).report;
/// assert_eq!((report.losses(), report.has(EventKind::CharsetInvalidBytes)), (1, true));
/// assert_eq!(report.readings[0].used.name(), "UTF-8");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The first events. A normalization sorts them by place.
    pub events: Vec<Event>,
    /// Repairs that were planned and then withdrawn (`mime.unsettled`, [`OnLoss::Keep`](crate::OnLoss::Keep)). No number counts them.
    pub withdrawn: Vec<Event>,
    /// The number of withdrawn events that were not kept.
    pub withdrawn_dropped: u64,
    /// The number of events that were counted but not kept.
    pub dropped: u64,
    /// The charset of each text part.
    pub readings: Vec<Reading>,
    /// Guessed charsets and overruled labels, the least certain first; at most [`GUESSES`].
    pub guesses: Vec<Guess>,
    guessed: u64,
    overruled: u64,
    limit: usize,
    losses: u64,
    repairs: u64,
    /// The kinds that occurred, as bits of their discriminants.
    kinds: u128,
    /// Number of events that were not kept, by kind. Empty for nearly all mail.
    pub(crate) unkept: Vec<(EventKind, u64)>,
}

impl Report {
    /// Builds an empty report that keeps `limit` events.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            events: Vec::new(),
            withdrawn: Vec::new(),
            withdrawn_dropped: 0,
            dropped: 0,
            readings: Vec::new(),
            guesses: Vec::new(),
            guessed: 0,
            overruled: 0,
            limit,
            losses: 0,
            repairs: 0,
            kinds: 0,
            unkept: Vec::new(),
        }
    }

    /// Counts a guess, and keeps it if it is among the least certain ones. Calls `make` only then.
    ///
    /// Each kind has half of the places if there are enough guesses of both kinds.
    pub(crate) fn guess(
        &mut self,
        kind: GuessKind,
        confidence: Option<f32>,
        make: impl FnOnce() -> Guess,
    ) {
        match kind {
            GuessKind::Detected => self.guessed += 1,
            GuessKind::Overruled => self.overruled += 1,
        }
        let is_below = |known: &Guess| certainty(known.confidence) <= certainty(confidence);
        let mut place = self.guesses.partition_point(is_below);
        let most = GUESSES.min(self.limit);
        if self.guesses.len() >= most {
            let of_kind = self
                .guesses
                .iter()
                .filter(|known| known.kind == kind)
                .count();
            let gives_up = |known: &Guess| (known.kind == kind) == (of_kind >= most / 2);
            // The most certain guess of the kind that has at least its half is replaced.
            let Some(last) = self.guesses.iter().rposition(gives_up) else {
                return;
            };
            if of_kind >= most / 2 && place > last {
                return;
            }
            self.guesses.remove(last);
            place -= usize::from(last < place);
        }
        self.guesses.insert(place, make());
    }

    /// Returns the number of texts whose charset was guessed.
    pub fn guessed(&self) -> u64 {
        self.guessed
    }

    /// Returns the number of labels that were overruled.
    pub fn overruled(&self) -> u64 {
        self.overruled
    }

    /// Adds the guesses of an embedded message. `moved` converts their spans.
    pub(crate) fn extend_guesses(&mut self, inner: &mut Self, moved: impl Fn(Guess) -> Guess) {
        for guess in mem::take(&mut inner.guesses) {
            let (kind, confidence) = (guess.kind, guess.confidence);
            self.guess(kind, confidence, || moved(guess));
            match kind {
                GuessKind::Detected => inner.guessed -= 1,
                GuessKind::Overruled => inner.overruled -= 1,
            }
        }
        self.guessed += mem::take(&mut inner.guessed);
        self.overruled += mem::take(&mut inner.overruled);
    }

    /// Returns the state of the report, for [`Self::restore`]. Cheap for messages without guesses.
    pub(crate) fn state(&self) -> ReportState {
        ReportState {
            events: self.events.len(),
            withdrawn: self.withdrawn.len(),
            counts: Self {
                events: Vec::new(),
                withdrawn: Vec::new(),
                readings: Vec::new(),
                guesses: self.guesses.clone(),
                unkept: self.unkept.clone(),
                ..*self
            },
        }
    }

    /// Takes back everything since `state`, as if it had never been reported. Readings stay.
    pub(crate) fn restore(&mut self, state: ReportState) {
        self.events.truncate(state.events);
        self.withdrawn.truncate(state.withdrawn);
        *self = Self {
            events: mem::take(&mut self.events),
            withdrawn: mem::take(&mut self.withdrawn),
            readings: mem::take(&mut self.readings),
            ..state.counts
        };
    }

    /// Returns a mark for [`Self::withdraw`].
    pub(crate) fn mark(&self) -> ReportMark {
        ReportMark {
            events: self.events.len(),
            unkept: self.unkept.clone(),
            repairs: self.repairs,
        }
    }

    /// Moves the repairs and changes since `mark` to [`Self::withdrawn`], since their edits are dropped. Losses, guesses and notes
    /// stay.
    pub(crate) fn withdraw(&mut self, mark: &ReportMark) {
        let later = self.events.split_off(mark.events);
        for event in later {
            if describes_edit(event.kind) {
                self.withdrawn.push(event);
            } else {
                self.events.push(event);
            }
        }
        for (kind, times) in &mut self.unkept {
            if describes_edit(*kind) {
                let before = mark
                    .unkept
                    .iter()
                    .find(|(known, _)| known == kind)
                    .map_or(0, |(_, before)| *before);
                self.dropped -= *times - before;
                self.withdrawn_dropped += *times - before;
                *times = before;
            }
        }
        self.unkept.retain(|(_, times)| *times > 0);
        self.repairs = mark.repairs;
    }

    /// Adds an event, if there is one.
    pub(crate) fn extend(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.push(event);
        }
    }

    /// Adds an event. Beyond the limit it is counted and not kept.
    pub fn push(&mut self, event: Event) {
        if self.events.len() < self.limit {
            self.count(event.kind, 1);
            self.events.push(event);
        } else {
            self.push_unkept(event.kind, 1);
        }
    }

    /// Counts events without keeping them.
    fn push_unkept(&mut self, kind: EventKind, times: u64) {
        self.count(kind, times);
        self.dropped += times;
        match self.unkept.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => *all += times,
            None => self.unkept.push((kind, times)),
        }
    }

    /// Returns true if the report keeps events. One that does not counts losses and repairs; notes need no search.
    pub(crate) fn keeps_events(&self) -> bool {
        self.limit > 0
    }

    /// Adds the counts of events that another report did not keep.
    pub(crate) fn extend_unkept(&mut self, unkept: Vec<(EventKind, u64)>) {
        for (kind, times) in unkept {
            self.push_unkept(kind, times);
        }
    }

    fn count(&mut self, kind: EventKind, times: u64) {
        self.kinds |= 1 << kind as u32;
        match kind.severity() {
            Severity::Loss => self.losses += times,
            Severity::Repair => self.repairs += times,
            Severity::Info => {}
        }
    }

    /// Returns the number of events of each kind that were counted but not kept.
    pub fn unkept(&self) -> impl Iterator<Item = (EventKind, u64)> {
        self.unkept.iter().copied()
    }

    /// Returns true if an event of this kind occurred.
    pub fn has(&self, kind: EventKind) -> bool {
        self.kinds >> kind as u32 & 1 == 1
    }

    /// Returns the number of events of severity loss.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Returns the number of events of severity repair.
    pub fn repairs(&self) -> u64 {
        self.repairs
    }
}

impl Default for Report {
    /// Creates an empty report that keeps as many events as [`Limits::default`] says.
    fn default() -> Self {
        Self::with_limit(Limits::default().events)
    }
}

/// The state of a report before fields that may be planned again.
pub(crate) struct ReportState {
    events: usize,
    withdrawn: usize,
    /// Everything else, without events and readings.
    counts: Report,
}

/// The state of a report before edits that may be dropped; by default, that of an empty one.
#[derive(Default)]
pub(crate) struct ReportMark {
    events: usize,
    unkept: Vec<(EventKind, u64)>,
    repairs: u64,
}

/// Returns true for kinds that describe an edit, and are untrue when it is dropped.
fn describes_edit(kind: EventKind) -> bool {
    kind.severity() == Severity::Repair
        || matches!(
            kind,
            EventKind::CharsetBeyondOut
                | EventKind::CharsetLookAlike
                | EventKind::CteLineEndAdded
                | EventKind::SignatureVoided
                | EventKind::HdrStaleDigest
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Detail;
    use crate::part_id::PartId;
    use crate::span::Span;

    /// If one kind has many guesses, the other kind keeps its places, the least certain guesses first.
    #[test]
    fn guesses_of_both_kinds_are_kept() {
        for limit in [0, 1, 2, 5, GUESSES, 10 * GUESSES] {
            for first in [GuessKind::Detected, GuessKind::Overruled] {
                let mut report = Report::with_limit(limit);
                let most = GUESSES.min(limit);
                let mut add = |kind, number: u64| {
                    let confidence = Some(0.2 + (number * 7 % 300) as f32 / 1000.0);
                    report.guess(kind, confidence, || Guess {
                        part: PartId::ROOT,
                        field: None,
                        at: Span::default(),
                        kind,
                        declared: None,
                        used: mailglot_codec::Charset::UTF_8,
                        confidence,
                        excerpt: String::new(),
                    });
                };
                for number in 0..300 {
                    add(first, number);
                }
                let other = match first {
                    GuessKind::Detected => GuessKind::Overruled,
                    GuessKind::Overruled => GuessKind::Detected,
                };
                for number in 0..300 {
                    add(other, number);
                }
                assert_eq!(report.guesses.len(), most);
                assert_eq!(report.guessed() + report.overruled(), 600);
                assert!(
                    report
                        .guesses
                        .is_sorted_by_key(|guess| certainty(guess.confidence))
                );
                let others = report.guesses.iter().filter(|guess| guess.kind == other);
                assert_eq!(others.clone().count(), most / 2);
                assert!(
                    others.clone().all(|guess| guess.confidence < Some(0.26)),
                    "{limit}"
                );
            }
        }
    }

    #[test]
    fn report_counts_beyond_its_limit() {
        let mut report = Report::with_limit(1);
        for kind in [
            EventKind::CharsetInvalidBytes,
            EventKind::EwRaw8bit,
            EventKind::CharsetAlias,
        ] {
            let at = Span::default();
            report.push(Event::new(PartId::ROOT, at, kind, Detail::None));
        }
        assert_eq!((report.events.len(), report.dropped), (1, 2));
        assert_eq!((report.losses(), report.repairs()), (1, 1));
        let unkept: Vec<_> = report.unkept().collect();
        assert_eq!(
            unkept,
            [(EventKind::EwRaw8bit, 1), (EventKind::CharsetAlias, 1)]
        );
        let mut outer = Report::with_limit(9);
        outer.extend_unkept(report.unkept.clone());
        assert_eq!(
            (outer.dropped, outer.repairs(), outer.unkept().count()),
            (2, 1, 2)
        );
        for &kind in EventKind::ALL {
            let pushed = [
                EventKind::CharsetInvalidBytes,
                EventKind::EwRaw8bit,
                EventKind::CharsetAlias,
            ]
            .contains(&kind);
            assert_eq!(report.has(kind), pushed, "{}", kind.code());
        }
    }
}
