//! What happened, as a line and as counts: one of each for each message and each fault.
//!
//! # Limits
//! A fault that has no name in [`KINDS`] is counted as `other`; its line has all words.

use super::{Form, Line, Metrics};
use crate::notice::{Notice, Record};
use crate::policy::Action;
use std::fmt;
use std::sync::Arc;

/// Names of all faults, as their words begin.
const KINDS: [&str; 23] = [
    "accept",
    "connect-data",
    "connections",
    "io",
    "ledger",
    "ledger-sweep",
    "negotiated-twice",
    "next-hop",
    "next-hop-lost",
    "not-negotiated",
    "optneg-short",
    "optneg-version",
    "packet-empty",
    "packet-too-long",
    "panic",
    "quarantine",
    "reload",
    "report-only",
    "slow",
    "spool",
    "stopped",
    "string-without-end",
    "unknown-command",
];

/// The name under which a fault is counted: never more than there are in a list of ours.
pub(crate) fn kind(fault: &str) -> &'static str {
    let word = fault.split(' ').next().unwrap_or_default();
    KINDS.into_iter().find(|kind| *kind == word).unwrap_or("other")
}

/// Tells what a server does: to a log, and to counters.
pub struct Journal {
    route: &'static str,
    form: Form,
    metrics: Arc<Metrics>,
    write: Box<dyn Fn(&str) + Send + Sync>,
}

impl Journal {
    /// For the server of one route (`milter`, `smtp`, `lmtp`); each line is given to `write` without its end.
    pub fn new(
        route: &'static str,
        form: Form,
        metrics: Arc<Metrics>,
        write: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self { route, form, metrics, write: Box::new(write) }
    }

    /// Tells of a message or a fault.
    pub fn tell(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Message(record) => {
                self.count(record);
                (self.write)(&record.line(self.route, self.form));
            }
            Notice::Fault { connection, peer, fault } => {
                self.metrics.fault(kind(fault));
                let line = Line::new(self.form).text("fault", fault).number("conn", *connection);
                (self.write)(&line.text("peer", peer).text("route", self.route).finish());
            }
        }
    }

    fn count(&self, record: &Record) {
        let metrics = &self.metrics;
        metrics.message(self.route, record.action.name(), record.time);
        metrics.bytes("in", record.bytes_in);
        metrics.bytes("out", record.bytes_out);
        for (finding, _) in record.findings.counted() {
            metrics.finding(finding.id());
        }
        if record.action == Action::Tempfail {
            metrics.tempfail(record.finding.unwrap_or("policy"));
        }
        if record.failed_open {
            metrics.fail_open();
        }
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal")
            .field("route", &self.route)
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

impl Record {
    /// The line of the log for this message.
    pub fn line(&self, route: &str, form: Form) -> String {
        let findings: Vec<_> =
            self.findings.counted().map(|(finding, count)| format!("{}:{count}", finding.id())).collect();
        let mut line = Line::new(form)
            .bytes("msg", &self.envelope.queue_id)
            .text("route", route)
            .text("peer", &self.peer)
            .bytes("from", &self.envelope.sender)
            .number("rcpts", self.envelope.recipients.into())
            .number("in", self.bytes_in)
            .number("out", self.bytes_out)
            .number("parts", self.parts.into())
            .text("action", self.action.name());
        if self.wanted != self.action {
            line = line.text("wanted", self.wanted.name());
        }
        line = line.text("findings", &findings.join(","));
        if let Some(why) = self.finding {
            line = line.text("why", why);
        }
        if self.failed_open {
            line = line.text("failed", "open");
        }
        line = line.number("loss", self.losses).millis("ms", self.time).text("policy", &self.policy);
        if let Some(ledger) = &self.ledger {
            line = line.text("ledger", ledger);
        }
        line.finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Envelope;
    use crate::policy::Finding;
    use std::sync::Mutex;
    use std::time::Duration;

    fn record() -> Record {
        let sender = b"<a b@example.org>\n".to_vec();
        let envelope = Envelope { sender, recipients: 2, queue_id: b"4F2".to_vec(), ..Envelope::default() };
        let mut record = Record::new(envelope, "192.0.2.1", 4_123);
        record.findings.add(Finding::Raw8bitHeader, String::new);
        record.findings.add(Finding::Raw8bitHeader, String::new);
        (record.action, record.wanted) = (Action::Normalize, Action::Normalize);
        (record.bytes_out, record.parts, record.time) = (4_310, 3, Duration::from_micros(219));
        record.policy = "default".to_owned();
        record
    }

    #[test]
    fn a_message_is_one_line_in_each_form() {
        let mut record = record();
        let findings = "raw-8bit-header:2";
        assert_eq!(
            record.line("milter", Form::Text),
            format!(
                "msg=4F2 route=milter peer=192.0.2.1 from=\"<a b@example.org>\\x0a\" rcpts=2 in=4123 out=4310 \
                 parts=3 action=normalize findings={findings} loss=0 ms=0.21 policy=default"
            )
        );
        record.wanted = Action::Reject;
        record.finding = Some("report-only");
        record.ledger = Some("2026-11-22/1-4F2-0.ledger".to_owned());
        assert_eq!(
            record.line("lmtp", Form::Json),
            format!(
                "{{\"msg\":\"4F2\",\"route\":\"lmtp\",\"peer\":\"192.0.2.1\",\"from\":\"<a b@example.org>\\\\x0a\",\"rcpts\":2,\
                 \"in\":4123,\"out\":4310,\"parts\":3,\"action\":\"normalize\",\"wanted\":\"reject\",\"findings\":\"{findings}\",\
                 \"why\":\"report-only\",\"loss\":0,\"ms\":0.21,\"policy\":\"default\",\
                 \"ledger\":\"2026-11-22/1-4F2-0.ledger\"}}"
            )
        );
    }

    #[test]
    fn lines_and_counts_go_together() {
        let (metrics, lines) = (Arc::new(Metrics::new()), Arc::<Mutex<Vec<String>>>::default());
        let into = lines.clone();
        let journal = Journal::new("milter", Form::Text, metrics.clone(), move |line| {
            into.lock().unwrap().push(line.to_owned());
        });
        let mut record = record();
        journal.tell(&Notice::Message(&record));
        (record.action, record.finding) = (Action::Tempfail, Some("spool"));
        journal.tell(&Notice::Message(&record));
        record.finding = None;
        journal.tell(&Notice::Message(&record));
        (record.action, record.failed_open) = (Action::Pass, true);
        journal.tell(&Notice::Message(&record));
        for fault in ["spool (disk full)", "io (reset)", "\u{7f}new", ""] {
            journal.tell(&Notice::Fault { connection: 17, peer: "a b", fault });
        }
        let lines = lines.lock().unwrap();
        assert_eq!(lines.len(), 8);
        assert_eq!(lines[4], "fault=\"spool (disk full)\" conn=17 peer=\"a b\" route=milter");
        let text = metrics.render();
        for line in [
            "mailglot_messages_total{route=\"milter\",action=\"normalize\"} 1",
            "mailglot_messages_total{route=\"milter\",action=\"tempfail\"} 2",
            "mailglot_messages_total{route=\"milter\",action=\"pass\"} 1",
            "mailglot_findings_total{id=\"raw-8bit-header\"} 4",
            "mailglot_tempfail_total{reason=\"policy\"} 1",
            "mailglot_tempfail_total{reason=\"spool\"} 1",
            "mailglot_failopen_total 1",
            "mailglot_faults_total{kind=\"spool\"} 1",
            "mailglot_faults_total{kind=\"other\"} 2",
            "mailglot_bytes_total{direction=\"out\"} 17240",
            "mailglot_message_seconds_count 4",
        ] {
            assert!(text.lines().any(|told| told == line), "{line} is not in\n{text}");
        }
    }
}
