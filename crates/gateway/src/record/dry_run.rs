//! Counts what a dry run would do, by the sender's domain, for the summary after a trial of some days.
//!
//! ```text
//! dry-run=summary seconds=604800 messages=81231 pass=80007 tag=210 normalize=1002 tempfail=0 quarantine=0 reject=12 findings=raw-8bit-header:811,…
//! dry-run=domain rank=1 domain=example.org messages=611 tag=0 normalize=402 tempfail=0 quarantine=0 reject=3 findings=raw-8bit-header:390,…
//! ```
//!
//! # Limits
//! Counts start at zero with each start of the program. Beyond 2,000 domains, those with the fewest messages to change are dropped. The counts of
//! a dropped domain are missing from its line, but not from the summary.

use super::{Form, LogLine};
use crate::event::Record;
use crate::policy::{Action, Finding};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Limit on the number of counted domains.
const DOMAINS: usize = 2_000;
/// Number of domains that the summary names.
const TOP: usize = 10;
/// Number of findings that a line names.
const NAMED: usize = 5;
/// Length limit of a domain in bytes (RFC 1035, section 2.3.4). A longer one is truncated.
const LONGEST: usize = 255;

/// Counts what a dry run would do.
#[derive(Debug)]
pub struct DryRun {
    since: Instant,
    state: Mutex<DryRunTotals>,
}

#[derive(Debug, Default)]
struct DryRunTotals {
    all: DomainCounts,
    domains: HashMap<Box<[u8]>, DomainCounts>,
    /// True if domains were dropped.
    forgot: bool,
}

/// Counts of messages, of one domain or of all.
#[derive(Clone, Debug)]
struct DomainCounts {
    messages: u64,
    /// Number of messages for each action that the policy asks for.
    wanted: [u64; Action::ALL.len()],
    /// Number of messages with each finding.
    findings: [u32; Finding::ALL.len()],
}

impl Default for DomainCounts {
    fn default() -> Self {
        Self {
            messages: 0,
            wanted: [0; Action::ALL.len()],
            findings: [0; Finding::ALL.len()],
        }
    }
}

impl Default for DryRun {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            state: Mutex::default(),
        }
    }
}

impl DryRun {
    /// Counts a message if its policy only reports.
    pub fn record(&self, record: &Record) {
        if !record.dry_run {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.all.add(record);
        let domain = domain(&record.envelope.sender);
        if !state.domains.contains_key(&domain) && state.domains.len() >= DOMAINS {
            state.forget();
        }
        state.domains.entry(domain).or_default().add(record);
    }

    /// Returns the summary and the ten domains with the most messages to change or refuse, as lines with their ends. Empty if no
    /// message was judged in a dry run.
    pub fn lines(&self, form: Form) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.all.messages == 0 {
            return String::new();
        }
        let line = LogLine::new(form)
            .text("dry-run", "summary")
            .number("seconds", self.since.elapsed().as_secs());
        let mut text = state
            .all
            .written(line.number("messages", state.all.messages));
        let mut domains: Vec<_> = state
            .domains
            .iter()
            .filter(|(_, counts)| counts.changed() > 0)
            .collect();
        domains.sort_unstable_by_key(|(name, counts)| (Reverse(counts.rank()), *name));
        for (at, (name, counts)) in domains.iter().take(TOP).enumerate() {
            let line = LogLine::new(form)
                .text("dry-run", "domain")
                .number("rank", at as u64 + 1);
            let line = line
                .bytes("domain", name)
                .number("messages", counts.messages);
            text += &counts.written(line);
        }
        if state.forgot {
            let line = LogLine::new(form).text("dry-run", "note");
            text += &line
                .text(
                    "note",
                    "counts of domains are lower bounds: there were too many",
                )
                .finish();
            text.push('\n');
        }
        text
    }
}

impl DryRunTotals {
    /// Drops the half of all domains with the fewest messages to change.
    fn forget(&mut self) {
        let mut ranks: Vec<_> = self.domains.values().map(DomainCounts::rank).collect();
        let (_, middle, _) = ranks.select_nth_unstable(DOMAINS / 2);
        let middle = *middle;
        // Of domains with equal counts, some stay.
        let mut stay = DOMAINS / 2;
        self.domains.retain(|_, counts| {
            let stays = counts.rank() > middle || counts.rank() == middle && stay > DOMAINS / 4;
            stay -= usize::from(stays && stay > 0);
            stays
        });
        self.forgot = true;
    }
}

impl DomainCounts {
    fn add(&mut self, record: &Record) {
        self.messages += 1;
        self.wanted[record.wanted as usize] += 1;
        for (finding, _) in record.findings.counted() {
            let count = &mut self.findings[finding as usize];
            *count = count.saturating_add(1);
        }
    }

    /// Returns the number of messages whose action is not `pass`.
    fn changed(&self) -> u64 {
        self.wanted.iter().sum::<u64>() - self.wanted[Action::Pass as usize]
    }

    /// Returns the sort key: messages to rewrite or stop, then messages to tag, then all messages.
    fn rank(&self) -> (u64, u64, u64) {
        let tagged = self.wanted[Action::Tag as usize];
        (self.changed() - tagged, tagged, self.messages)
    }

    /// Returns a log line with its line end.
    fn written(&self, mut line: LogLine) -> String {
        for &action in Action::ALL {
            line = line.number(action.name(), self.wanted[action as usize]);
        }
        let mut findings: Vec<_> = Finding::ALL
            .iter()
            .zip(self.findings)
            .filter(|(_, count)| *count > 0)
            .collect();
        findings.sort_by_key(|(_, count)| Reverse(*count));
        let mut names = String::new();
        for (at, (finding, count)) in findings.iter().take(NAMED).enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(
                names,
                "{}{}:{count}",
                if at > 0 { "," } else { "" },
                finding.id()
            );
        }
        line.text("findings", &names).finish() + "\n"
    }
}

/// Returns the domain of an envelope sender in lower case: `<>` for bounces, and an empty text for a path without a domain.
fn domain(sender: &[u8]) -> Box<[u8]> {
    let path = sender
        .strip_prefix(b"<")
        .and_then(|path| path.strip_suffix(b">"))
        .unwrap_or(sender);
    if path.is_empty() {
        return b"<>"[..].into();
    }
    let domain = memchr::memrchr(b'@', path).map_or(&b""[..], |at| &path[at + 1..]);
    domain[..domain.len().min(LONGEST)]
        .to_ascii_lowercase()
        .into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::Envelope;

    fn record(sender: &str, wanted: Action) -> Record {
        let envelope = Envelope {
            sender: sender.as_bytes().to_vec(),
            ..Envelope::default()
        };
        let mut record = Record::new(envelope, "", 100);
        (record.dry_run, record.wanted) = (true, wanted);
        if wanted == Action::Normalize {
            record.findings.add(Finding::Raw8bitHeader, String::new);
        }
        record
    }

    fn value<'l>(line: &'l str, key: &str) -> &'l str {
        let at = line.find(&format!(" {key}=")).unwrap() + key.len() + 2;
        line[at..].split(' ').next().unwrap()
    }

    #[test]
    fn domains_are_counted_and_sorted_by_messages_to_change() {
        let dry_run = DryRun::default();
        assert_eq!(dry_run.lines(Form::Text), "");
        // Domain N sends N messages to rewrite and two that pass.
        for number in 1..=30_u64 {
            for _ in 0..number {
                dry_run.record(&record(
                    &format!("<a@D{number}.Example>"),
                    Action::Normalize,
                ));
            }
            (0..2).for_each(|_| {
                dry_run.record(&record(&format!("<b@d{number}.example>"), Action::Pass));
            });
        }
        dry_run.record(&record("<>", Action::Tag));
        (0..1_000).for_each(|_| dry_run.record(&record("<a@clean.example>", Action::Pass)));
        // A message that is really changed does not count for a dry run.
        dry_run.record(&Record {
            dry_run: false,
            ..record("<a@real.example>", Action::Reject)
        });
        let text = dry_run.lines(Form::Text);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 1 + TOP);
        let all = lines[0];
        assert!(all.starts_with("dry-run=summary seconds="), "{all}");
        assert_eq!(
            [value(all, "messages"), value(all, "pass")],
            ["1526", "1060"]
        );
        assert_eq!(
            [
                value(all, "tag"),
                value(all, "normalize"),
                value(all, "reject")
            ],
            ["1", "465", "0"]
        );
        assert_eq!(value(all, "findings"), "raw-8bit-header:465");
        for (at, line) in lines[1..].iter().enumerate() {
            let number = 30 - at;
            assert_eq!(value(line, "domain"), format!("d{number}.example"));
            assert_eq!(value(line, "rank"), (at + 1).to_string());
            assert_eq!(value(line, "messages"), (number + 2).to_string());
            assert_eq!(value(line, "normalize"), number.to_string());
        }
        let json = dry_run.lines(Form::Json);
        assert!(
            json.lines()
                .all(|line| line.starts_with("{\"dry-run\":\"") && line.ends_with('}')),
            "{json}"
        );
    }

    /// Senders may invent any number of domains: memory is bounded, the totals are exact, and a frequent domain stays.
    #[test]
    fn invented_domains_do_not_push_out_frequent_ones() {
        let dry_run = DryRun::default();
        for number in 0..20_000 {
            dry_run.record(&record(
                &format!("<a@x{number}.invalid>"),
                Action::Normalize,
            ));
            if number % 10 == 0 {
                dry_run.record(&record("<a@often.example>", Action::Normalize));
            }
        }
        assert!(dry_run.state.lock().unwrap().domains.len() <= DOMAINS);
        let text = dry_run.lines(Form::Text);
        assert_eq!(value(text.lines().next().unwrap(), "messages"), "22000");
        let first = text.lines().nth(1).unwrap();
        assert_eq!(
            [value(first, "domain"), value(first, "normalize")],
            ["often.example", "2000"]
        );
        assert!(
            text.lines().last().unwrap().starts_with("dry-run=note "),
            "{text}"
        );
    }

    #[test]
    fn the_domain_of_a_sender_is_found() {
        for (sender, want) in [
            ("<a@Example.ORG>", "example.org"),
            ("a@b", "b"),
            ("<\"x@y\"@z>", "z"),
            ("<>", "<>"),
            ("", "<>"),
            ("<postmaster>", ""),
        ] {
            assert_eq!(*domain(sender.as_bytes()), *want.as_bytes(), "{sender}");
        }
        assert_eq!(
            domain(format!("<a@{}>", "x".repeat(9_000)).as_bytes()).len(),
            LONGEST
        );
    }
}
