//! Counters and histograms, and their text for Prometheus (OpenMetrics 1.0, written by the crate `prometheus-client`).
//!
//! Label values come from fixed lists, never from bytes of a message, so the number of series is bounded.
//!
//! # Limits
//! A restart sets all counters to zero. A scrape may see some counts of a message and not yet others.

use super::DryRun;
use crate::event::Record;
use crate::policy::{Action, Finding};
use crate::remark::Remark;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry, Unit};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Media type of the text.
pub(super) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bucket bounds for the processing time of a message, in seconds.
const SECONDS: [f64; 12] = [
    0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0,
];

/// Bucket bounds for the size of a message, in bytes: powers of four from 1 KiB to 256 MiB.
const BYTES: [f64; 10] = [
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
    268_435_456.0,
];

/// Label names with their values.
type Labels<const N: usize> = [(&'static str, &'static str); N];
type Counters<const N: usize> = Family<Labels<N>, Counter>;
type Number = Gauge<u64, AtomicU64>;

/// All counters of one daemon.
pub struct Metrics {
    registry: Registry,
    messages: Counters<2>,
    wanted: Counters<1>,
    findings: Counters<1>,
    forged_fields: Counter,
    bytes: Counters<1>,
    faults: Counters<1>,
    tempfail: Counters<1>,
    fail_open: Counter,
    connections: Family<Labels<1>, Number>,
    spool: Number,
    ledger: Number,
    reloads_rejected: Counter,
    log_lost: Counter,
    seconds: Histogram,
    sizes: Histogram,
    dry_run: DryRun,
}

impl Metrics {
    /// Registers all metrics with the value zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("mailglot");
        let seconds = Histogram::new(SECONDS);
        let sizes = Histogram::new(BYTES);
        let info = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", info);
        let (help, unit) = (
            "Time from the end of a message to its verdict",
            Unit::Seconds,
        );
        registry.register_with_unit("message", help, unit, seconds.clone());
        let (help, unit) = ("Size of a message as it came", Unit::Bytes);
        registry.register_with_unit("message", help, unit, sizes.clone());
        let mut to = Registering(registry);
        let metrics = Self {
            messages: to.add("messages", "Messages by what was done"),
            wanted: to.add(
                "wanted",
                "Messages by what their policy asks for: in a dry run, what would be done",
            ),
            findings: to.add("findings", "Messages with this finding"),
            forged_fields: to.add(
                "claims",
                "Forged fields that were deleted: their names are those that the gateway adds",
            ),
            bytes: to.add(
                "bytes",
                "Bytes of messages as they came, and as they leave with added fields",
            ),
            faults: to.add(
                "faults",
                "Faults of peers, of the system and of the program",
            ),
            tempfail: to.add("tempfail", "Messages that were deferred"),
            fail_open: to.add(
                "failopen",
                "Messages that passed unchanged because of a fault",
            ),
            connections: to.add("connections", "Connections that are open"),
            spool: to.add("spool_bytes", "Bytes of messages in temporary files"),
            ledger: to.add("ledger_bytes", "Bytes of all ledgers"),
            reloads_rejected: to.add(
                "reloads_rejected",
                "Reloads whose configuration was rejected",
            ),
            log_lost: to.add(
                "log_lines_lost",
                "Lines of the log that were lost because nobody read it",
            ),
            seconds,
            sizes,
            dry_run: DryRun::default(),
            registry: to.0,
        };
        // `rate` of Prometheus misses the first count of a series that does not start at zero.
        for finding in Finding::ALL {
            drop(metrics.findings.get_or_create(&[("id", finding.id())]));
        }
        for action in Action::ALL {
            drop(metrics.wanted.get_or_create(&[("action", action.name())]));
        }
        for direction in ["in", "out"] {
            drop(metrics.bytes.get_or_create(&[("direction", direction)]));
        }
        metrics
    }

    /// Counts a message from `route`.
    pub fn record(&self, route: &'static str, record: &Record) {
        self.dry_run.record(record);
        self.message(route, record.action.name(), record.time);
        self.sizes.observe(record.bytes_in as f64);
        self.wanted
            .get_or_create(&[("action", record.wanted.name())])
            .inc();
        self.bytes("in", record.bytes_in);
        self.bytes("out", record.bytes_out);
        for (finding, _) in record.findings.counted() {
            self.finding(finding.id());
        }
        self.forged_fields.inc_by(record.forged_fields.into());
        if record.action == Action::Tempfail {
            self.tempfail(record.remark.map_or("policy", Remark::name));
        }
        if record.failed_open {
            self.fail_open();
        }
    }

    /// Counts a message from `route`, with the action and the time that it took.
    pub fn message(&self, route: &'static str, action: &'static str, time: Duration) {
        self.messages
            .get_or_create(&[("route", route), ("action", action)])
            .inc();
        self.seconds.observe(time.as_secs_f64());
    }

    /// Counts a message with this finding.
    pub fn finding(&self, id: &'static str) {
        self.findings.get_or_create(&[("id", id)]).inc();
    }

    /// Counts bytes of a message, `in` or `out`.
    pub fn bytes(&self, direction: &'static str, bytes: u64) {
        self.bytes
            .get_or_create(&[("direction", direction)])
            .inc_by(bytes);
    }

    /// Counts a fault.
    pub fn fault(&self, kind: &'static str) {
        self.faults.get_or_create(&[("kind", kind)]).inc();
    }

    /// Counts a message that was deferred.
    pub fn tempfail(&self, reason: &'static str) {
        self.tempfail.get_or_create(&[("reason", reason)]).inc();
    }

    /// Counts a message that passed despite a fault.
    pub fn fail_open(&self) {
        self.fail_open.inc();
    }

    /// Sets the number of open connections.
    pub fn connections(&self, route: &'static str, open: u64) {
        self.connections
            .get_or_create(&[("route", route)])
            .set(open);
    }

    /// Sets the number of bytes in temporary files.
    pub fn spool(&self, bytes: u64) {
        self.spool.set(bytes);
    }

    /// Sets the number of bytes in ledgers.
    pub fn ledger(&self, bytes: u64) {
        self.ledger.set(bytes);
    }

    /// Counts a reload whose configuration was rejected.
    pub fn reload_rejected(&self) {
        self.reloads_rejected.inc();
    }

    /// Sets the number of log lines that were lost since the start.
    pub fn log_lost(&self, lines: u64) {
        self.log_lost.inner().store(lines, Ordering::Relaxed);
    }

    /// Returns the counts of a dry run by the sender's domain. No label contains a domain, because senders can invent any number.
    pub fn dry_run(&self) -> &DryRun {
        &self.dry_run
    }

    /// Returns the text of all metrics.
    pub fn render(&self) -> String {
        let mut text = String::with_capacity(16 << 10);
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// A registry during registration.
struct Registering(Registry);

impl Registering {
    /// Registers a new metric and returns it.
    fn add<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        let metric = M::default();
        self.0.register(name, help, metric.clone());
        metric
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::openmetrics;

    #[test]
    fn counts_are_in_the_text() {
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
        metrics.log_lost(4);
        metrics.log_lost(5);
        metrics.reload_rejected();
        let text = metrics.render();
        for line in [
            "mailglot_messages_total{route=\"milter\",action=\"normalize\"} 2",
            "mailglot_messages_total{route=\"milter\",action=\"pass\"} 1",
            "mailglot_messages_total{route=\"lmtp\",action=\"pass\"} 1",
            "mailglot_findings_total{id=\"raw-8bit-header\"} 1",
            "mailglot_findings_total{id=\"too-large\"} 0",
            "mailglot_bytes_total{direction=\"in\"} 11",
            "mailglot_faults_total{kind=\"optneg-short\"} 1",
            "mailglot_tempfail_total{reason=\"spool\"} 1",
            "mailglot_failopen_total 1",
            "mailglot_claims_total 0",
            "mailglot_connections{route=\"milter\"} 3",
            "mailglot_spool_bytes 1048576",
            "mailglot_ledger_bytes 99",
            "mailglot_log_lines_lost_total 5",
            "mailglot_reloads_rejected_total 1",
            "mailglot_message_seconds_bucket{le=\"0.0001\"} 2",
            "mailglot_message_seconds_bucket{le=\"0.0003\"} 3",
            "mailglot_message_seconds_bucket{le=\"30.0\"} 3",
            "mailglot_message_seconds_bucket{le=\"+Inf\"} 4",
            "mailglot_message_seconds_count 4",
            concat!(
                "mailglot_build_info{version=\"",
                env!("CARGO_PKG_VERSION"),
                "\"} 1"
            ),
        ] {
            assert!(
                text.lines().any(|told| told == line),
                "{line} is not in\n{text}"
            );
        }
    }

    /// Sizes on both sides of each bucket bound are counted in the right bucket.
    #[test]
    fn sizes_fall_into_their_buckets() {
        let metrics = Metrics::new();
        let mut sum = 0;
        for end in BYTES.map(|end| end as u64) {
            for size in [end, end + 1] {
                let record = Record::new(crate::envelope::Envelope::default(), "", size);
                metrics.record("milter", &record);
                sum += size;
            }
        }
        let families = openmetrics::parse(&metrics.render()).unwrap();
        let sizes = &families["mailglot_message_bytes"];
        for (at, end) in BYTES.iter().enumerate() {
            let bucket = format!("le=\"{end:?}\"");
            assert_eq!(
                sizes.value("_bucket", &bucket),
                Some((2 * at + 1) as f64),
                "{bucket}"
            );
        }
        assert_eq!(sizes.value("_bucket", "le=\"+Inf\""), Some(20.0));
        assert_eq!(
            (sizes.value("_count", ""), sizes.value("_sum", "")),
            (Some(20.0), Some(sum as f64))
        );
    }

    /// The text follows the grammar of OpenMetrics, before and after the first count.
    #[test]
    fn the_text_follows_openmetrics() {
        let metrics = Metrics::new();
        let check = |most: usize| {
            let families = openmetrics::parse(&metrics.render()).unwrap();
            for (name, kind) in [
                ("mailglot_messages", "counter"),
                ("mailglot_wanted", "counter"),
                ("mailglot_findings", "counter"),
                ("mailglot_claims", "counter"),
                ("mailglot_bytes", "counter"),
                ("mailglot_failopen", "counter"),
                ("mailglot_reloads_rejected", "counter"),
                ("mailglot_log_lines_lost", "counter"),
                ("mailglot_spool_bytes", "gauge"),
                ("mailglot_ledger_bytes", "gauge"),
                ("mailglot_message_seconds", "histogram"),
                ("mailglot_message_bytes", "histogram"),
                ("mailglot_build", "info"),
            ] {
                let found = families.get(name).map(|family| family.kind.as_str());
                assert!(
                    found == Some(kind) || most == 0 && found.is_none(),
                    "{name}: {found:?}"
                );
            }
        };
        check(0);
        for action in Action::ALL {
            metrics.message("milter", action.name(), Duration::from_millis(3));
            metrics.connections("milter", 2);
            metrics.fault("io");
            metrics.tempfail("policy");
        }
        check(1);
    }
}
