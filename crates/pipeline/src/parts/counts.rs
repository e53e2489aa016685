//! The counts of one piece of a split, as its manifest stores them.
//!
//! # Limits
//!
//! Ordinals of messages count from the start of the piece until the parts are joined.

use crate::guesses::{GuessExample, LeastCertain};
use crate::incomplete_inputs::IncompleteInput;
use crate::summary::{Example, SourceSummary, Summary, VerifySummary};
use crate::tally::add_example;
use mailglot_archive::BoxEventKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of a piece: those of [`Summary`] and [`SourceSummary`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PieceCounts {
    pub(super) messages: u64,
    pub(super) bytes: u64,
    gap_bytes: u64,
    pub(super) dialect: String,
    pub(super) line_end: String,
    doubtful_separators: u64,
    pub(super) written: u64,
    pub(super) set_aside: u64,
    pub(super) dropped: u64,
    changed: u64,
    guessed: u64,
    overruled: u64,
    repairs: u64,
    pub(super) losses: u64,
    events: BTreeMap<String, u64>,
    charsets: BTreeMap<String, u64>,
    without_header: BTreeMap<String, u64>,
    not_read: BTreeMap<String, u64>,
    incomplete: Vec<(String, u64, String, bool)>,
    verify: Option<VerifySummary>,
    examples: Vec<Example>,
    least_certain: Vec<GuessExample>,
}

impl PieceCounts {
    /// Takes the counts of a loop over one source.
    pub(super) fn of(summary: Summary) -> Self {
        let source = summary.sources.into_iter().next().unwrap_or_default();
        let incomplete = summary.incomplete.into_iter();
        let least = &summary.least_certain;
        let guesses = least.overruled().iter().chain(least.guessed());
        Self {
            messages: source.messages,
            bytes: source.bytes,
            gap_bytes: source.gap_bytes,
            dialect: source.dialect,
            line_end: source.line_end,
            doubtful_separators: summary.doubtful_separators,
            written: summary.written,
            set_aside: summary.set_aside,
            dropped: summary.dropped,
            changed: summary.changed,
            guessed: summary.guessed,
            overruled: summary.overruled,
            repairs: summary.repairs,
            losses: summary.losses,
            events: summary.events,
            charsets: summary.charsets,
            without_header: summary.without_header,
            not_read: summary.not_read,
            incomplete: incomplete
                .map(|input| (input.path, input.offset, input.reason, input.is_bounded))
                .collect(),
            verify: summary.verify,
            least_certain: guesses.cloned().collect(),
            examples: summary.examples,
        }
    }

    /// Returns true if a second reader read the messages.
    pub(super) fn has_verify(&self) -> bool {
        self.verify.is_some()
    }

    /// Adds the counts to those of the job and of the source, whose earlier pieces were added before. `ordinal` is that of the first
    /// message as the piece counts.
    pub(super) fn add_to(mut self, summary: &mut Summary, joined: &mut JoinedSource, ordinal: u64) {
        self.forget_repeated_guess(&mut joined.has_quoting_guess);
        let source = &mut joined.account;
        let (path, before) = (&*joined.path, source.messages.saturating_sub(ordinal));
        source.messages += self.messages;
        source.bytes += self.bytes;
        source.gap_bytes += self.gap_bytes;
        source.dialect = self.dialect;
        source.line_end = self.line_end;
        summary.messages_in += self.messages;
        summary.bytes_in += self.bytes;
        summary.doubtful_separators += self.doubtful_separators;
        summary.written += self.written;
        summary.set_aside += self.set_aside;
        summary.dropped += self.dropped;
        summary.changed += self.changed;
        summary.guessed += self.guessed;
        summary.overruled += self.overruled;
        summary.repairs += self.repairs;
        summary.losses += self.losses;
        for (into, from) in [
            (&mut summary.events, self.events),
            (&mut summary.charsets, self.charsets),
            (&mut summary.without_header, self.without_header),
            (&mut summary.not_read, self.not_read),
        ] {
            for (key, count) in from {
                *into.entry(key).or_default() += count;
            }
        }
        let incomplete = self.incomplete.into_iter();
        summary
            .incomplete
            .extend(
                incomplete.map(|(path, offset, reason, is_bounded)| IncompleteInput {
                    path,
                    offset,
                    reason,
                    is_bounded,
                    is_unread: false,
                }),
            );
        if let (Some(all), Some(own)) = (&mut summary.verify, self.verify) {
            all.add(own);
        }
        for mut example in self.examples {
            shift(&mut example.message, path, before);
            add_example(summary, example);
        }
        let mut least = LeastCertain::default();
        for mut guess in self.least_certain {
            shift(&mut guess.message, path, before);
            least.push(guess);
        }
        summary.least_certain.append(least);
    }

    /// Keeps one event about the quoting of a source, which each range reports once.
    fn forget_repeated_guess(&mut self, is_known: &mut bool) {
        let code = BoxEventKind::QuotingGuess.code();
        if *is_known {
            self.events.remove(code);
            self.examples.retain(|example| example.code != code);
        }
        *is_known |= self.events.contains_key(code);
    }
}

/// A source whose pieces are being joined.
pub(super) struct JoinedSource {
    /// Its path for display.
    pub(super) path: String,
    /// Its counts so far.
    pub(super) account: SourceSummary,
    /// True if an event said that the quoting is a guess.
    pub(super) has_quoting_guess: bool,
}

/// Adds `before` to the ordinal of an address `path:ordinal`.
fn shift(address: &mut String, path: &str, before: u64) {
    let ordinal = address
        .strip_prefix(path)
        .and_then(|rest| rest.strip_prefix(':'));
    if let Some(ordinal) = ordinal.and_then(|ordinal| ordinal.parse::<u64>().ok()) {
        *address = format!("{path}:{}", ordinal + before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_shifted() {
        for (address, shifted) in [
            ("a:b:7", "a:b:17"),
            ("a:b", "a:b"),
            ("a:b:c", "a:b:c"),
            ("c:7", "c:7"),
        ] {
            let mut address = address.to_owned();
            shift(&mut address, "a:b", 10);
            assert_eq!(address, shifted);
        }
    }
}
