//! Tests of the law of ranges: the ranges of a mailbox, however it is cut, have the messages of the whole.

use super::*;
use crate::box_event::{BoxEvent, BoxEventKind};
use crate::mailbox_options::LineDecision;
use crate::mailbox_options::MboxRule;
use crate::mbox::Mailbox;
use crate::mbox::tests::random::random_mailbox;
use crate::mbox::tests::{HEADER, Random, Read1, SEPARATOR, drain_from};
use crate::source::{Batch, EntryKind, ReadOptions, Source};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

struct Sample {
    file: tempfile::NamedTempFile,
    starts: MailboxStarts,
    options: ReadOptions,
}

impl Sample {
    fn new(text: &[u8], options: ReadOptions) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let options = ReadOptions {
            force_format: true,
            ..options
        };
        Self {
            starts: MailboxStarts::open(file.path(), &options).unwrap(),
            file,
            options,
        }
    }

    fn source(&self, range: &MailboxRange) -> impl Source + use<> {
        let file = File::open(self.file.path()).unwrap();
        Mailbox::of_range(Path::new("box"), file, range, &self.options).unwrap()
    }

    fn read(&self, range: &MailboxRange) -> (Vec<Read1>, Vec<BoxEvent>) {
        let from = range.start.map_or(0, |start| start.offset);
        drain_from(&mut self.source(range), from)
    }

    /// Returns the sizes of the batches.
    fn batches(&self, range: &MailboxRange) -> Vec<usize> {
        let (mut source, mut batch, mut sizes) = (self.source(range), Batch::default(), Vec::new());
        while source.next(&mut batch).unwrap() {
            sizes.extend((!batch.bytes.is_empty()).then_some(batch.bytes.len()));
        }
        sizes
    }

    /// Reads the ranges between cuts, one after the other.
    fn read_ranges(&self, cuts: &[u64]) -> (Vec<Read1>, Vec<BoxEvent>) {
        let (mut entries, mut events) = (Vec::<Read1>::new(), Vec::new());
        for pair in cuts.windows(2) {
            let Some(mut range) = self.starts.range(pair[0], pair[1]).unwrap() else {
                continue;
            };
            range.ordinal = entries.last().map_or(0, |entry| {
                entry.ordinal + u64::from(entry.kind != EntryKind::Gap)
            });
            let read = self.read(&range);
            entries.extend(read.0);
            events.extend(read.1);
        }
        (entries, sorted(events))
    }
}

/// Each range reports the first `>From ` line of doubtful quoting. One is enough.
fn sorted(mut events: Vec<BoxEvent>) -> Vec<BoxEvent> {
    events.sort_by_key(|event| (event.offset, event.kind));
    let mut first = true;
    events.retain(|event| event.kind != BoxEventKind::QuotingGuess || std::mem::take(&mut first));
    events
}

fn cuts(random: &mut Random, size: usize, count: usize) -> Vec<u64> {
    let mut cuts: Vec<u64> = (1..count)
        .map(|_| random.below(size + 1) as u64)
        .chain([0, size as u64])
        .collect();
    cuts.sort_unstable();
    cuts
}

fn check(text: &[u8], options: &ReadOptions, random: &mut Random, context: &str) {
    let sample = Sample::new(text, options.clone());
    let (entries, events) = sample.read(&sample.starts.whole());
    for count in [1 + random.below(5), 1 + random.below(97)] {
        let cuts = cuts(random, text.len(), count);
        let ranges = sample.read_ranges(&cuts);
        let shown = || format!("{context}: {cuts:?} {}", text.escape_ascii());
        assert_eq!(ranges.0, entries, "{}", shown());
        // Events at the very start of a file say how it begins.
        assert_eq!(ranges.1, sorted(events.clone()), "{}", shown());
    }
    // Each message, with its ordinal, by reading from the start.
    let borders: Vec<u64> = (0..=text.len() as u64)
        .step_by(1 + text.len() / 7)
        .collect();
    let counted = sample.starts.count_to(&borders).unwrap();
    for (border, counted) in borders.iter().zip(counted) {
        let local = sample.starts.first_at(*border, None).unwrap();
        assert_eq!(local.start, counted.start, "{context}: {border}");
    }
}

#[test]
fn ranges_of_random_mailboxes_have_the_messages_of_the_whole() {
    let mut random = Random(0x04a4_e6e5);
    for round in 0..400 {
        let mut text = Vec::new();
        for _ in 0..=random.below(4) {
            text.extend(random_mailbox(&mut random));
        }
        if text.is_empty() {
            continue;
        }
        let mut options = ReadOptions {
            batch: 1 + random.below(2000),
            ..ReadOptions::default()
        };
        options.mailbox.rule = [
            MboxRule::Auto,
            MboxRule::Auto,
            MboxRule::Auto,
            MboxRule::Strict,
            MboxRule::Loose,
            MboxRule::ContentLength,
            MboxRule::Mmdf,
        ][random.below(7)];
        if round % 5 == 0 {
            options.message_limit = 1 + random.below(300);
        }
        let froms: Vec<u64> = memchr::memmem::find_iter(&text, "From ")
            .map(|at| at as u64)
            .collect();
        if round % 4 == 0 && !froms.is_empty() {
            let decisions: BTreeMap<_, _> = (0..random.below(4))
                .map(|_| {
                    let decision = [LineDecision::Cut, LineDecision::Join];
                    (froms[random.below(froms.len())], decision[random.below(2)])
                })
                .collect();
            options.mailbox.overrides = Arc::new(decisions);
        }
        check(&text, &options, &mut random, &format!("round {round}"));
    }
}

/// Messages above and below 1 MiB, truncated multiparts, attached mailboxes, and replies that quote delimiters.
fn large_mailbox(random: &mut Random, quotes: bool) -> Vec<u8> {
    let mut text = String::new();
    let size = (3 << 20) + random.below(3 << 20);
    let mut number = 0;
    while text.len() < size {
        number += 1;
        let boundary = ["b1".to_owned(), format!("=_{number}")][random.below(2)].clone();
        let words = "some words of a message\n".repeat(random.below(200));
        let data = format!("{}\n", "QUJD".repeat(19)).repeat(random.below(20_000));
        let inner = format!("{SEPARATOR}{HEADER}inner\n\n");
        let quoted = if quotes { ">" } else { "" };
        let body = match random.below(6) {
            0 => format!("{HEADER}{words}"),
            1 => format!("{HEADER}{words}--- Forwarded message ---\n\n{words}"),
            2 => format!(
                "Content-Type: multipart/mixed; boundary=\"{boundary}\"\n{HEADER}--{boundary}\nContent-Type: image/png\n\n{data}--{boundary}--\n"
            ),
            3 => format!(
                "Content-Type: multipart/mixed; boundary=\"{boundary}\"\n{HEADER}--{boundary}\nContent-Type: text/plain\n\n{words}"
            ),
            4 => format!(
                "Content-Type: multipart/mixed; boundary=\"{boundary}\"\n{HEADER}--{boundary}\nContent-Type: application/mbox\n\n{inner}{words}{inner}--{boundary}--\n"
            ),
            _ => format!(
                "{HEADER}{words}\n--{boundary}\nContent-Type: text/plain\n\n{quoted}From here on\n{words}"
            ),
        };
        text.extend([SEPARATOR, &body, "\n"]);
    }
    text.into_bytes()
}

#[test]
fn ranges_of_large_mailboxes_have_the_messages_of_the_whole() {
    let mut random = Random(0x1_a46e);
    for round in 0..4 {
        let text = large_mailbox(&mut random, round % 2 == 0);
        let options = ReadOptions {
            message_limit: if round == 3 { 500_000 } else { 64 << 20 },
            ..ReadOptions::default()
        };
        let sample = Sample::new(&text, options);
        let (entries, events) = sample.read(&sample.starts.whole());
        assert!(entries.len() > 10);
        for count in [2, 1 + random.below(20)] {
            let cuts = cuts(&mut random, text.len(), count);
            let ranges = sample.read_ranges(&cuts);
            assert!(ranges.0 == entries, "round {round}: {cuts:?}");
            assert_eq!(ranges.1, sorted(events.clone()), "round {round}: {cuts:?}");
        }
    }
}

/// Most borders are found without reading the file from its start.
#[test]
fn certain_lines_are_frequent() {
    let mut random = Random(77);
    let text = large_mailbox(&mut random, true);
    let sample = Sample::new(&text, ReadOptions::default());
    assert!(sample.starts.is_local());
    let (mut certain, mut borders) = (0, 0);
    for border in (1 << 20..text.len() as u64).step_by(200_000) {
        let found = sample.starts.certain_before(border, 0).unwrap();
        certain += usize::from(found.is_some());
        borders += 1;
    }
    assert!(certain * 2 > borders, "{certain} of {borders}");
}

/// A range that begins in the first cell of a batch has the batches of the whole.
#[test]
fn ranges_at_multiples_of_a_batch_have_the_batches_of_the_whole() {
    let mut random = Random(0xba7c);
    for round in 0..200 {
        let mut text = random_mailbox(&mut random);
        text.extend(random_mailbox(&mut random));
        let batch = 1 + random.below(300);
        let options = ReadOptions {
            batch,
            message_limit: if round % 3 == 0 {
                1 + random.below(200)
            } else {
                64 << 20
            },
            ..ReadOptions::default()
        };
        let sample = Sample::new(&text, options);
        let whole = sample.batches(&sample.starts.whole());
        let step = (batch * (1 + random.below(3))) as u64;
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() as u64 {
            let Range { start, end } = at..at + step;
            if let Some(range) = sample.starts.range(start, end).unwrap() {
                parts.extend(sample.batches(&range));
            }
            at = end;
        }
        assert_eq!(
            parts,
            whole,
            "round {round}: {batch} {}",
            text.escape_ascii()
        );
    }
}

#[test]
fn profiles_and_borders_can_be_stored() {
    let text = format!("{SEPARATOR}{HEADER}>From x\n\n{SEPARATOR}{HEADER}x\n\n").repeat(3);
    let sample = Sample::new(text.as_bytes(), ReadOptions::default());
    let json = serde_json::to_string(&**sample.starts.profile()).unwrap();
    let back: MailboxProfile = serde_json::from_str(&json).unwrap();
    assert_eq!(back, **sample.starts.profile());
    let border = sample.starts.count_to(&[1]).unwrap().remove(0);
    let json = serde_json::to_string(&border).unwrap();
    assert_eq!(serde_json::from_str::<RangeBorder>(&json).unwrap(), border);
    assert_eq!(border.ordinal, Some(1));
}

#[test]
fn a_file_of_another_size_is_rejected() {
    let text = format!("{SEPARATOR}{HEADER}x\n\n");
    let sample = Sample::new(text.as_bytes(), ReadOptions::default());
    let whole = sample.starts.whole();
    File::options()
        .append(true)
        .open(sample.file.path())
        .unwrap()
        .write_all(b"y")
        .unwrap();
    let file = File::open(sample.file.path()).unwrap();
    assert!(Mailbox::of_range(Path::new("box"), file, &whole, &sample.options).is_err());
}
