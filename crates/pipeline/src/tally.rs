//! Counts the results of batches, and adds them up in archive order.

use crate::guesses::{GuessExample, LeastCertain, Thresholds};
use crate::incomplete_inputs::IncompleteInput;
use crate::json_file_name::{Address, own_file};
use crate::lock::lock;
use crate::progress::Progress;
use crate::summary::{Example, SourceSummary, Summary, VerifySummary};
use crate::verify::{Defect, Disagreement};
use mailglot_archive::{BoxEvent, BoxEventKind, Packing};
use mailglot_codec::Charset;
use mailglot_mime::{EventKind, How, Message, Report, Severity};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Largest number of examples per code.
const EXAMPLES: usize = 3;
/// Like [`EXAMPLES`], for skipped files and duplicates, which nobody should have to search for.
const NAMED: usize = 1000;

/// Code of a message that the second reader reads differently.
const VERIFY_DISAGREES: &str = "verify.disagrees";

/// Returns the largest number of examples for a code.
fn most(code: &str) -> usize {
    let is_named = |kind: &BoxEventKind| kind.code() == code;
    if code == VERIFY_DISAGREES
        || is_named(&BoxEventKind::Duplicate)
        || LEFT_OUT.iter().any(is_named)
    {
        NAMED
    } else {
        EXAMPLES
    }
}

/// Adds an example unless there are enough of its code. Returns true if no more are needed.
pub(crate) fn add_example(summary: &mut Summary, example: Example) -> bool {
    let code = &example.code;
    let most = most(code);
    let known = summary.examples.iter().filter(|e| e.code == *code).count();
    if known < most {
        summary.examples.push(example);
    }
    known + 1 >= most
}

/// Events about bytes and files from which no message was read.
const LEFT_OUT: [BoxEventKind; 11] = [
    BoxEventKind::NotFollowed,
    BoxEventKind::Packed,
    BoxEventKind::NoMail,
    BoxEventKind::MailLike,
    BoxEventKind::TrailingBytes,
    BoxEventKind::Damaged,
    BoxEventKind::Expansion,
    BoxEventKind::MemberSkipped,
    BoxEventKind::MemberLimit,
    BoxEventKind::TooLarge,
    BoxEventKind::NoHeader,
];

/// Codes that need no more examples. Only a hint that saves work, so the order of batches does not matter.
#[derive(Debug, Default)]
pub(crate) struct Complete {
    codes: Mutex<Arc<BTreeSet<String>>>,
    /// Certainties at or above which guesses are ignored.
    thresholds: Mutex<Thresholds>,
}

impl Complete {
    /// Returns the codes that are complete.
    pub(crate) fn codes(&self) -> Arc<BTreeSet<String>> {
        Arc::clone(&lock(&self.codes))
    }

    fn thresholds(&self) -> Thresholds {
        *lock(&self.thresholds)
    }

    fn set_thresholds(&self, thresholds: Thresholds) {
        *lock(&self.thresholds) = thresholds;
    }

    fn add(&self, code: &str) {
        Arc::make_mut(&mut lock(&self.codes)).insert(code.to_owned());
    }
}

/// The counts of one batch.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Bytes read.
    pub(crate) bytes_in: u64,
    /// Number of messages begun.
    pub(crate) messages: u64,
    /// Messages set aside.
    pub(crate) set_aside: u64,
    /// Messages dropped on request.
    pub(crate) dropped: u64,
    /// Messages with edits.
    pub(crate) changed: u64,
    /// Bytes outside messages.
    pub(crate) gap_bytes: u64,
    /// Inputs that were not read to their end.
    incomplete: Vec<IncompleteInput>,
    /// Number of files without a header field in the place of messages, by archive.
    without_header: BTreeMap<String, u64>,
    /// Number of files and members of archives that may be mail and were not read, by archive.
    not_read: BTreeMap<String, u64>,
    doubtful_separators: u64,
    repairs: u64,
    losses: u64,
    guessed: u64,
    overruled: u64,
    least_certain: LeastCertain,
    /// Guesses at or above these certainties are only counted.
    thresholds: Thresholds,
    /// Counts by kind, in an array because most messages have some.
    kinds: Kinds,
    events: BTreeMap<&'static str, u64>,
    /// Counts by charset and reason, then by label, so that a lookup needs no new key.
    charsets: HashMap<(Charset, How), HashMap<Option<String>, u64>>,
    examples: Vec<Example>,
    verified: VerifySummary,
    complete: Arc<BTreeSet<String>>,
}

/// A counter for each [`EventKind`].
#[derive(Debug)]
struct Kinds([u64; EventKind::ALL.len()]);

impl Default for Kinds {
    fn default() -> Self {
        Self([0; EventKind::ALL.len()])
    }
}

impl Tally {
    /// Begins a batch, with the codes that need no more examples.
    pub(crate) fn begin(&mut self, complete: &Complete) {
        self.complete = complete.codes();
        self.thresholds = complete.thresholds();
    }

    /// Adds a processed message. `raw` is the message as it was processed, for the section numbers of examples.
    pub(crate) fn message(
        &mut self,
        address: &dyn Fn() -> Address,
        raw: &[u8],
        report: &Report,
        changed: bool,
    ) {
        self.changed += u64::from(changed);
        self.repairs += report.repairs();
        self.losses += report.losses();
        self.guessed += report.guessed();
        self.overruled += report.overruled();
        let mut parsed = None;
        for guess in &report.guesses {
            let (kind, confidence) = (guess.kind, guess.confidence);
            if self.thresholds.admit(kind, confidence)
                && self.least_certain.thresholds().admit(kind, confidence)
            {
                let parsed = parsed
                    .get_or_insert_with(|| Message::parse(raw, &mailglot_mime::Limits::default()));
                let Address { message, path } = address();
                self.least_certain
                    .push(GuessExample::new(message, path, parsed, guess));
            }
        }
        for event in &report.events {
            let code = event.kind.code();
            let count = &mut self.kinds.0[event.kind as usize];
            *count += 1;
            if *count <= EXAMPLES as u64 && !self.complete.contains(code) {
                let parsed = parsed
                    .get_or_insert_with(|| Message::parse(raw, &mailglot_mime::Limits::default()));
                let part = parsed.part(event.part).map(|_| parsed.section(event.part));
                let (offset, detail) = (event.at.start as u64, event.detail.to_string());
                self.examples.push(Example {
                    part: part.unwrap_or_default(),
                    length: event.at.len() as u64,
                    count: event.count,
                    ..Example::new(code, address(), offset, detail)
                });
            }
        }
        for (kind, times) in report.unkept() {
            self.kinds.0[kind as usize] += times;
        }
        for reading in &report.readings {
            let labels = self
                .charsets
                .entry((reading.used, reading.how))
                .or_default();
            match labels.get_mut(&reading.declared) {
                Some(count) => *count += 1,
                None => {
                    labels.insert(reading.declared.clone(), 1);
                }
            }
        }
    }

    /// Adds an event about the archive, or about a whole message.
    pub(crate) fn event(
        &mut self,
        code: &'static str,
        severity: Severity,
        address: impl FnOnce() -> Address,
        offset: u64,
        detail: &str,
    ) {
        match severity {
            Severity::Info => {}
            Severity::Repair => self.repairs += 1,
            Severity::Loss => self.losses += 1,
        }
        if self.count(code) {
            let detail = detail.to_owned();
            self.examples
                .push(Example::new(code, address(), offset, detail));
        }
    }

    /// Adds a rewritten message that the second reader accepts, with the known defects that explain differences.
    pub(crate) fn verified(&mut self, defects: &[Defect]) {
        let count = if defects.is_empty() {
            &mut self.verified.agreed
        } else {
            &mut self.verified.excused
        };
        *count += 1;
        for defect in defects {
            let counts = &mut self.verified.defects;
            match counts.get_mut(defect.name()) {
                Some(count) => *count += 1,
                None => _ = counts.insert(defect.name().to_owned(), 1),
            }
        }
    }

    /// Adds a rewritten message that the second reader reads differently.
    pub(crate) fn disagreement(
        &mut self,
        address: impl FnOnce() -> Address,
        disagreement: &Disagreement,
    ) {
        self.verified.disagreed += 1;
        self.losses += 1;
        if self.count(VERIFY_DISAGREES) {
            let (offset, detail) = (disagreement.at as u64, disagreement.to_string());
            self.examples.push(Example {
                part: disagreement.section.clone(),
                ..Example::new(VERIFY_DISAGREES, address(), offset, detail)
            });
        }
    }

    /// Adds an event from splitting.
    pub(crate) fn box_event(&mut self, path: &str, event: &BoxEvent) {
        let severity = match event.kind {
            kind if kind.is_loss() => Severity::Loss,
            kind if kind.is_repair() => Severity::Repair,
            _ => Severity::Info,
        };
        match event.kind {
            BoxEventKind::Damaged | BoxEventKind::Expansion => {
                self.incomplete.push(IncompleteInput::of(path, event));
            }
            BoxEventKind::NoHeader => *self.without_header.entry(path.to_owned()).or_default() += 1,
            BoxEventKind::Packed | BoxEventKind::MemberSkipped => {
                *self.not_read.entry(path.to_owned()).or_default() += 1;
            }
            BoxEventKind::AmbiguousFrom => self.doubtful_separators += 1,
            _ => {}
        }
        let address = || Address {
            message: path.to_owned(),
            path: own_file(Some(Path::new(path)), &event.name),
        };
        self.event(
            event.kind.code(),
            severity,
            address,
            event.offset,
            &event.detail.to_string(),
        );
    }

    /// Adds a message that is stored in an unsupported format.
    pub(crate) fn packed(&mut self, address: impl FnOnce() -> Address, packing: Packing) {
        let address = address();
        if packing == Packing::Utf16
            && let Some((path, _)) = address.message.rsplit_once(':')
        {
            *self.not_read.entry(path.to_owned()).or_default() += 1;
        }
        let address = || address;
        let detail = format!("{}, left as it is", packing.words());
        self.event(
            BoxEventKind::Packed.code(),
            Severity::Info,
            address,
            0,
            &detail,
        );
    }

    /// Adds losses without their events.
    pub(crate) fn add_losses(&mut self, losses: u64) {
        self.losses += losses;
    }

    /// Adds the counts to a watcher's counters.
    pub(crate) fn show(&self, progress: &Progress) {
        progress.bytes.fetch_add(self.bytes_in, Relaxed);
        progress.messages.fetch_add(self.messages, Relaxed);
        progress.repairs.fetch_add(self.repairs, Relaxed);
        progress.losses.fetch_add(self.losses, Relaxed);
    }

    /// Adds these counts to those of the job and of the source, and clears them.
    pub(crate) fn add_to(
        &mut self,
        summary: &mut Summary,
        source: &mut SourceSummary,
        complete: &Complete,
    ) {
        let tally = std::mem::take(self);
        source.messages += tally.messages;
        source.bytes += tally.bytes_in;
        source.gap_bytes += tally.gap_bytes;
        summary.messages_in += tally.messages;
        summary.bytes_in += tally.bytes_in;
        summary.set_aside += tally.set_aside;
        summary.dropped += tally.dropped;
        summary.changed += tally.changed;
        summary.repairs += tally.repairs;
        summary.losses += tally.losses;
        summary.guessed += tally.guessed;
        summary.overruled += tally.overruled;
        summary.least_certain.append(tally.least_certain);
        complete.set_thresholds(summary.least_certain.thresholds());
        summary.incomplete.extend(tally.incomplete);
        for (path, files) in tally.without_header {
            *summary.without_header.entry(path).or_default() += files;
        }
        for (path, files) in tally.not_read {
            *summary.not_read.entry(path).or_default() += files;
        }
        summary.doubtful_separators += tally.doubtful_separators;
        if let Some(verify) = &mut summary.verify {
            verify.add(tally.verified);
        }
        for example in tally.examples {
            let code = example.code.clone();
            if add_example(summary, example) {
                complete.add(&code);
            }
        }
        let kinds = EventKind::ALL
            .iter()
            .map(|kind| (kind.code(), tally.kinds.0[*kind as usize]));
        for (code, count) in kinds.filter(|(_, count)| *count > 0).chain(tally.events) {
            *summary.events.entry(code.to_owned()).or_default() += count;
        }
        for ((used, how), labels) in tally.charsets {
            for (declared, count) in labels {
                let declared = declared.as_deref().map_or("(none)".to_owned(), shown);
                let key = format!("{declared} → {} ({})", used.name(), how.name());
                *summary.charsets.entry(key).or_default() += count;
            }
        }
    }

    /// Counts an event. Returns true if it is one of the first of its code in this batch.
    fn count(&mut self, code: &'static str) -> bool {
        let count = self.events.entry(code).or_default();
        *count += 1;
        *count <= most(code) as u64 && !self.complete.contains(code)
    }
}

/// Shortens a label for a line of a report, and replaces controls.
fn shown(label: &str) -> String {
    let clean: String = label
        .chars()
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .take(64)
        .collect();
    if clean.is_empty() {
        "(empty)".to_owned()
    } else {
        clean.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up_and_keep_the_first_examples() {
        let (mut summary, mut source) = (Summary::default(), SourceSummary::default());
        let complete = Complete::default();
        for batch in 0..3 {
            let mut tally = Tally {
                messages: 2,
                bytes_in: 10,
                ..Tally::default()
            };
            tally.begin(&complete);
            for n in 0..2 {
                tally.event(
                    "msg.set-aside",
                    Severity::Loss,
                    || format!("a:{batch}{n}").into(),
                    0,
                    "",
                );
            }
            tally.add_to(&mut summary, &mut source, &complete);
            assert_eq!(tally.messages, 0);
        }
        assert_eq!(
            (summary.messages_in, source.bytes, summary.losses),
            (6, 30, 6)
        );
        assert_eq!(summary.events["msg.set-aside"], 6);
        let examples: Vec<_> = summary
            .examples
            .iter()
            .map(|e| e.message.as_str())
            .collect();
        assert_eq!(examples, ["a:00", "a:01", "a:10"]);
        assert!(complete.codes().contains("msg.set-aside"));
    }

    /// A message may have more events than are kept. The counts by code include all of them.
    #[test]
    fn counts_by_code_match_the_totals() {
        let names: Vec<_> = (0..1400)
            .map(|n| format!("\u{e4}{n} <a{n}@b.example>"))
            .collect();
        let inner = format!("To: {}\n\nx\n", names.join(",\n "));
        let attached = format!("Content-Type: message/rfc822\n\n{inner}");
        for raw in [inner, attached] {
            let raw: Vec<u8> = raw.chars().map(|c| c as u32 as u8).collect();
            let policy = mailglot_mime::Policy::default();
            let outcome = mailglot_mime::process(&raw, &policy);
            let (mut summary, mut tally) = (Summary::default(), Tally::default());
            tally.message(&|| "a:0".to_owned().into(), &raw, &outcome.report, true);
            tally.add_to(
                &mut summary,
                &mut SourceSummary::default(),
                &Complete::default(),
            );
            let repairs = EventKind::ALL
                .iter()
                .filter(|kind| kind.severity() == Severity::Repair);
            let counted: u64 = repairs
                .filter_map(|kind| summary.events.get(kind.code()))
                .sum();
            assert_eq!(
                (counted, counted > 1000),
                (summary.repairs, true),
                "{:?}",
                summary.events
            );
        }
    }

    #[test]
    fn labels_are_fit_to_print() {
        assert_eq!(shown("ISO-8859-1"), "iso-8859-1");
        assert_eq!(shown("a\u{1b}[0m\n"), "a\u{FFFD}[0m\u{FFFD}");
        assert_eq!(shown(""), "(empty)");
    }
}
