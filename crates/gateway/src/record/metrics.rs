//! Counters, and their text for Prometheus (exposition format 0.0.4).
//!
//! Labels are words of our own lists, never of a message: the number of series is bounded.
//!
//! # Limits
//! Nothing is kept over a restart; whoever collects sees counters begin anew.

use crate::notice::Record;
use crate::policy::Action;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper ends of the time that a message takes, in microseconds.
const BUCKETS: [u64; 12] =
    [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000];

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Messages,
    Findings,
    Claims,
    Bytes,
    Faults,
    Tempfail,
    FailOpen,
    Connections,
    SpoolBytes,
    LedgerBytes,
    LogLost,
}

/// Name, kind, labels and help of each family, in order of [`Family`].
const FAMILIES: [(Family, &str, &str, &[&str], &str); 11] = [
    (
        Family::Messages,
        "mailglot_messages_total",
        "counter",
        &["route", "action"],
        "Messages by what was done.",
    ),
    (Family::Findings, "mailglot_findings_total", "counter", &["id"], "Messages with this finding."),
    (
        Family::Claims,
        "mailglot_claims_total",
        "counter",
        &[],
        "Fields that were deleted because they would be taken for ours.",
    ),
    (Family::Bytes, "mailglot_bytes_total", "counter", &["direction"], "Bytes of messages."),
    (
        Family::Faults,
        "mailglot_faults_total",
        "counter",
        &["kind"],
        "Faults of peers, of the system and of the program.",
    ),
    (Family::Tempfail, "mailglot_tempfail_total", "counter", &["reason"], "Messages that were deferred."),
    (
        Family::FailOpen,
        "mailglot_failopen_total",
        "counter",
        &[],
        "Messages that passed unchanged because of a fault.",
    ),
    (Family::Connections, "mailglot_connections", "gauge", &["route"], "Connections that are open."),
    (Family::SpoolBytes, "mailglot_spool_bytes", "gauge", &[], "Bytes of messages in temporary files."),
    (Family::LedgerBytes, "mailglot_ledger_bytes", "gauge", &[], "Bytes of all ledgers."),
    (
        Family::LogLost,
        "mailglot_log_lines_lost_total",
        "counter",
        &[],
        "Lines of the log that were lost because nobody read it.",
    ),
];

/// All counters of one daemon.
#[derive(Debug, Default)]
pub struct Metrics {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    series: BTreeMap<(Family, [&'static str; 2]), u64>,
    /// Messages by bucket of time; the last is beyond all.
    times: [u64; BUCKETS.len() + 1],
    micros: u64,
}

impl Metrics {
    /// Nothing was counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// All counts of a message that came over `route`, seen together or not at all.
    pub fn record(&self, route: &'static str, record: &Record) {
        let mut counts = self.counts();
        counts.message(route, record.action.name(), record.time);
        counts.add(Family::Bytes, ["in", ""], record.bytes_in);
        counts.add(Family::Bytes, ["out", ""], record.bytes_out);
        for (finding, _) in record.findings.counted() {
            counts.add(Family::Findings, [finding.id(), ""], 1);
        }
        if record.claims > 0 {
            counts.add(Family::Claims, ["", ""], record.claims.into());
        }
        if record.action == Action::Tempfail {
            counts.add(Family::Tempfail, [record.finding.unwrap_or("policy"), ""], 1);
        }
        if record.failed_open {
            counts.add(Family::FailOpen, ["", ""], 1);
        }
    }

    /// A message came over `route`, and `action` was done; it took `time`.
    pub fn message(&self, route: &'static str, action: &'static str, time: Duration) {
        self.counts().message(route, action, time);
    }

    /// A message has a finding.
    pub fn finding(&self, id: &'static str) {
        self.counts().add(Family::Findings, [id, ""], 1);
    }

    /// Bytes of a message, `in` or `out`.
    pub fn bytes(&self, direction: &'static str, bytes: u64) {
        self.counts().add(Family::Bytes, [direction, ""], bytes);
    }

    /// Something went wrong.
    pub fn fault(&self, kind: &'static str) {
        self.counts().add(Family::Faults, [kind, ""], 1);
    }

    /// A message was deferred.
    pub fn tempfail(&self, reason: &'static str) {
        self.counts().add(Family::Tempfail, [reason, ""], 1);
    }

    /// A message passed although something went wrong.
    pub fn fail_open(&self) {
        self.counts().add(Family::FailOpen, ["", ""], 1);
    }

    /// So many connections are open.
    pub fn connections(&self, route: &'static str, open: u64) {
        self.counts().set(Family::Connections, [route, ""], open);
    }

    /// So many bytes are in temporary files.
    pub fn spool(&self, bytes: u64) {
        self.counts().set(Family::SpoolBytes, ["", ""], bytes);
    }

    /// So many bytes are in ledgers.
    pub fn ledger(&self, bytes: u64) {
        self.counts().set(Family::LedgerBytes, ["", ""], bytes);
    }

    /// So many lines of the log were lost since the start.
    pub fn log_lost(&self, lines: u64) {
        self.counts().set(Family::LogLost, ["", ""], lines);
    }

    /// The text for whoever collects.
    pub fn render(&self) -> String {
        let counts = self.counts();
        let mut out = String::with_capacity(4_096);
        for (family, name, kind, labels, help) in FAMILIES {
            let series = counts.series.range((family, ["", ""])..).take_while(|((of, _), _)| *of == family);
            head(&mut out, name, kind, help);
            let before = out.len();
            for ((_, values), number) in series {
                let pairs: Vec<_> =
                    labels.iter().zip(values).map(|(label, value)| format!("{label}=\"{value}\"")).collect();
                sample(&mut out, name, &pairs.join(","), number);
            }
            if out.len() == before && labels.is_empty() {
                sample(&mut out, name, "", &0);
            }
        }
        counts.histogram(&mut out);
        head(&mut out, "mailglot_build_info", "gauge", "The version that runs.");
        sample(&mut out, "mailglot_build_info", concat!("version=\"", env!("CARGO_PKG_VERSION"), "\""), &1);
        out
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn message(&mut self, route: &'static str, action: &'static str, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.add(Family::Messages, [route, action], 1);
        self.times[BUCKETS.partition_point(|end| *end < micros)] += 1;
        self.micros = self.micros.saturating_add(micros);
    }

    fn add(&mut self, family: Family, labels: [&'static str; 2], number: u64) {
        let value = self.series.entry((family, labels)).or_default();
        *value = value.saturating_add(number);
    }

    fn set(&mut self, family: Family, labels: [&'static str; 2], number: u64) {
        self.series.insert((family, labels), number);
    }

    fn histogram(&self, out: &mut String) {
        let name = "mailglot_message_seconds";
        head(out, name, "histogram", "Time from the end of a message to its verdict.");
        let mut below = 0;
        for (end, count) in BUCKETS.iter().map(Some).chain([None]).zip(self.times) {
            below += count;
            let end = end.map_or("+Inf".to_owned(), |micros| seconds(*micros));
            sample(out, &format!("{name}_bucket"), &format!("le=\"{end}\""), &below);
        }
        sample(out, &format!("{name}_sum"), "", &seconds(self.micros));
        sample(out, &format!("{name}_count"), "", &below);
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(out: &mut String, name: &str, labels: &str, value: &dyn std::fmt::Display) {
    let _ = if labels.is_empty() {
        writeln!(out, "{name} {value}")
    } else {
        writeln!(out, "{name}{{{labels}}} {value}")
    };
}

/// Microseconds as seconds, without zeros at the end.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_registry_names_every_family() {
        let text = Metrics::new().render();
        for (_, name, kind, ..) in FAMILIES {
            assert!(text.contains(&format!("# TYPE {name} {kind}\n")), "{text}");
        }
        assert!(text.contains(
            "
mailglot_failopen_total 0
"
        ));
        assert!(text.contains("mailglot_message_seconds_bucket{le=\"+Inf\"} 0\n"));
        assert!(text.contains(concat!(
            "mailglot_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1\n"
        )));
    }

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::new();
        metrics.message("milter", "normalize", Duration::from_micros(90));
        metrics.message("milter", "normalize", Duration::from_micros(100));
        metrics.message("milter", "pass", Duration::from_micros(101));
        metrics.message("lmtp", "pass", Duration::from_mins(2));
        metrics.finding("raw-8bit-header");
        metrics.bytes("in", 5);
        metrics.bytes("in", 6);
        metrics.fault("optneg-short");
        metrics.tempfail("spool");
        metrics.fail_open();
        metrics.connections("milter", 7);
        metrics.connections("milter", 3);
        metrics.spool(1 << 20);
        metrics.ledger(99);
        let text = metrics.render();
        for line in [
            "mailglot_messages_total{route=\"milter\",action=\"normalize\"} 2",
            "mailglot_messages_total{route=\"milter\",action=\"pass\"} 1",
            "mailglot_messages_total{route=\"lmtp\",action=\"pass\"} 1",
            "mailglot_findings_total{id=\"raw-8bit-header\"} 1",
            "mailglot_bytes_total{direction=\"in\"} 11",
            "mailglot_faults_total{kind=\"optneg-short\"} 1",
            "mailglot_tempfail_total{reason=\"spool\"} 1",
            "mailglot_failopen_total 1",
            "mailglot_connections{route=\"milter\"} 3",
            "mailglot_spool_bytes 1048576",
            "mailglot_ledger_bytes 99",
            "mailglot_message_seconds_bucket{le=\"0.0001\"} 2",
            "mailglot_message_seconds_bucket{le=\"0.0003\"} 3",
            "mailglot_message_seconds_bucket{le=\"30\"} 3",
            "mailglot_message_seconds_bucket{le=\"+Inf\"} 4",
            "mailglot_message_seconds_sum 120.000291",
            "mailglot_message_seconds_count 4",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} is not in\n{text}");
        }
    }

    /// Each line is a comment or `name{labels} number`, each family stands together, below its type.
    #[test]
    fn the_text_keeps_the_form() {
        let metrics = Metrics::new();
        metrics.message("milter", "pass", Duration::ZERO);
        metrics.finding("too-large");
        let text = metrics.render();
        assert!(text.ends_with('\n'));
        let mut family = "";
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                family = rest.split(' ').next().unwrap_or_default();
            } else if !line.starts_with("# HELP ") {
                let (series, number) = line.rsplit_once(' ').expect("a number");
                assert!(number.parse::<f64>().is_ok(), "{line}");
                assert!(series.starts_with(family) && !family.is_empty(), "{line}");
                let name = series.split('{').next().unwrap_or_default();
                assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{line}");
            }
        }
        let types: Vec<_> = text.lines().filter(|line| line.starts_with("# TYPE ")).collect();
        let mut once = types.clone();
        once.dedup();
        assert_eq!(types.len(), once.len());
    }
}
