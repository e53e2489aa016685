//! Reports each message and each fault: one log line and one count.
//!
//! # Limits
//! Faults are counted by kind. Only the log line names the cause.

use super::{Form, LogLine, Metrics, Priority};
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::policy::Action;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reports what a server does to a log and to counters.
///
/// Lines of messages are buffered and written together when the reporting thread pauses. A fault is written at once, with all lines before it.
pub struct Journal {
    route: &'static str,
    form: Form,
    metrics: Arc<Metrics>,
    write: Box<dyn Fn(&str) + Send + Sync>,
    /// Buffered lines, each with its line end.
    lines: Mutex<String>,
}

/// Number of buffered bytes that are written without waiting for a pause.
const FLUSH_SIZE: usize = 64 << 10;

impl Journal {
    /// Makes a journal for one route (`milter`, `smtp`, `lmtp`). `write` gets one or more whole lines, each with its line end.
    pub fn new(
        route: &'static str,
        form: Form,
        metrics: Arc<Metrics>,
        write: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            route,
            form,
            metrics,
            write: Box::new(write),
            lines: Mutex::default(),
        }
    }

    /// Reports a message or a fault. The line of a message may wait for [`ServerEvent::Flush`].
    pub fn report(&self, event: &ServerEvent<'_>) {
        match event {
            ServerEvent::Message(record) => {
                self.metrics.record(self.route, record);
                let mut lines = self.lines();
                let written = record.write_line(
                    self.route,
                    LogLine::behind(std::mem::take(&mut lines), self.form, record.priority()),
                );
                *lines = written;
                lines.push('\n');
                if lines.len() >= FLUSH_SIZE {
                    self.put(lines);
                }
            }
            ServerEvent::Fault {
                connection,
                peer,
                fault,
            } => {
                self.metrics.fault(fault.kind());
                let mut lines = self.lines();
                let line = LogLine::behind(std::mem::take(&mut lines), self.form, fault.priority());
                let line = line
                    .text("fault", &fault.to_string())
                    .number("conn", *connection);
                *lines = line.text("peer", peer).text("route", self.route).finish();
                lines.push('\n');
                self.put(lines);
            }
            ServerEvent::Flush => self.put(self.lines()),
        }
    }

    fn lines(&self) -> MutexGuard<'_, String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes all buffered lines and reuses their memory. The lock is released during the write, so a slow reader delays no other thread.
    fn put(&self, mut lines: MutexGuard<'_, String>) {
        if lines.is_empty() {
            return;
        }
        let mut text = std::mem::take(&mut *lines);
        drop(lines);
        (self.write)(&text);
        text.clear();
        let mut lines = self.lines();
        if lines.capacity() == 0 {
            *lines = text;
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.put(self.lines());
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

impl Fault {
    /// Returns the priority of its log line.
    fn priority(&self) -> Priority {
        match self {
            Self::Panic
            | Self::Spool(_)
            | Self::Ledger(_)
            | Self::LedgerLate
            | Self::LedgerSweep(_) => Priority::Error,
            _ => Priority::Warning,
        }
    }
}

impl Record {
    /// Returns the log line of this message, without a line end.
    pub fn line(&self, route: &str, form: Form) -> String {
        self.write_line(
            route,
            LogLine::behind(String::with_capacity(512), form, self.priority()),
        )
    }

    /// Returns the priority of its log line.
    fn priority(&self) -> Priority {
        match self.action {
            _ if self.failed_open => Priority::Warning,
            Action::Tempfail => Priority::Warning,
            Action::Quarantine | Action::Reject => Priority::Notice,
            Action::Pass | Action::Tag | Action::Normalize => Priority::Info,
        }
    }

    /// Fills an empty log line with the values of this message.
    fn write_line(&self, route: &str, line: LogLine) -> String {
        let findings: Vec<_> = self
            .findings
            .counted()
            .map(|(finding, count)| format!("{}:{count}", finding.id()))
            .collect();
        let mut line = line
            .bytes("msg", &self.envelope.queue_id)
            .text("route", route)
            .text("peer", &self.peer)
            .bytes("from", &self.envelope.sender)
            .list(
                "to",
                self.envelope.addresses.iter().map(Vec::as_slice),
                self.envelope.recipients as usize,
            )
            .number("rcpts", self.envelope.recipients.into())
            .bytes("message-id", &self.envelope.message_id)
            .number("in", self.bytes_in)
            .number("out", self.bytes_out)
            .number("parts", self.parts.into())
            .text("action", self.action.name());
        if self.wanted != self.action {
            line = line.text("wanted", self.wanted.name());
        }
        if self.forged_fields > 0 {
            line = line.number("claims", self.forged_fields.into());
        }
        line = line.text("findings", &findings.join(","));
        if let Some(remark) = self.remark {
            line = line.text("why", remark.name());
        }
        if self.failed_open {
            line = line.text("failed", "open");
        }
        line = line
            .number("loss", self.losses)
            .millis("ms", self.time)
            .text("policy", &self.policy);
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
    use crate::envelope::Envelope;
    use crate::policy::Finding;
    use crate::remark::Remark;
    use std::io;
    use std::time::Duration;

    fn record() -> Record {
        let sender = b"<a b@example.org>\n".to_vec();
        let message_id = b"<1@example.org>\r\n\x1b[2J".to_vec();
        let mut envelope = Envelope {
            sender,
            queue_id: b"4F2".to_vec(),
            message_id,
            ..Envelope::default()
        };
        for recipient in [&b"<b@example.org>"[..], b"<c@example.org>\nmsg=forged"] {
            envelope.recipient(recipient);
        }
        let mut record = Record::new(envelope, "192.0.2.1", 4_123);
        record.findings.add(Finding::Raw8bitHeader, String::new);
        record.findings.add(Finding::Raw8bitHeader, String::new);
        (record.action, record.wanted) = (Action::Normalize, Action::Normalize);
        (record.bytes_out, record.parts, record.time) = (4_310, 3, Duration::from_micros(219));
        record.policy = "default".to_owned();
        record
    }

    /// A fault of a ledger may lose originals.
    #[test]
    fn faults_of_ledgers_are_errors() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        for fault in [
            Fault::Ledger(full()),
            Fault::LedgerSweep(full()),
            Fault::LedgerLate,
        ] {
            assert_eq!(fault.priority(), Priority::Error, "{fault}");
        }
    }

    #[test]
    fn a_message_is_one_line_in_each_form() {
        let mut record = record();
        let findings = "raw-8bit-header:2";
        assert_eq!(
            record.line("milter", Form::Text),
            format!(
                "msg=4F2 route=milter peer=192.0.2.1 from=\"<a b@example.org>\\\\x0a\" \
                 to=\"<b@example.org>,<c@example.org>\\\\x0amsg=forged\" rcpts=2 \
                 message-id=\"<1@example.org>\\\\x0d\\\\x0a\\\\x1b[2J\" in=4123 out=4310 \
                 parts=3 action=normalize findings={findings} loss=0 ms=0.21 policy=default"
            )
        );
        record.wanted = Action::Reject;
        record.remark = Some(Remark::ReportOnly);
        record.ledger = Some("2026-11-22/1-4F2-0.ledger".to_owned());
        assert_eq!(
            record.line("lmtp", Form::Json),
            format!(
                "{{\"msg\":\"4F2\",\"route\":\"lmtp\",\"peer\":\"192.0.2.1\",\"from\":\"<a b@example.org>\\\\x0a\",\
                 \"to\":\"<b@example.org>,<c@example.org>\\\\x0amsg=forged\",\"rcpts\":2,\
                 \"message-id\":\"<1@example.org>\\\\x0d\\\\x0a\\\\x1b[2J\",\
                 \"in\":4123,\"out\":4310,\"parts\":3,\"action\":\"normalize\",\"wanted\":\"reject\",\"findings\":\"{findings}\",\
                 \"why\":\"report-only\",\"loss\":0,\"ms\":0.21,\"policy\":\"default\",\
                 \"ledger\":\"2026-11-22/1-4F2-0.ledger\"}}"
            )
        );
    }

    #[test]
    fn refused_mail_and_faults_have_a_higher_priority() {
        let mut record = record();
        for (action, failed_open, want) in [
            (Action::Pass, false, "<6>msg=4F2 "),
            (Action::Normalize, false, "<6>msg=4F2 "),
            (Action::Quarantine, false, "<5>msg=4F2 "),
            (Action::Reject, false, "<5>msg=4F2 "),
            (Action::Tempfail, false, "<4>msg=4F2 "),
            (Action::Pass, true, "<4>msg=4F2 "),
        ] {
            (record.action, record.failed_open) = (action, failed_open);
            let line = record.line("milter", Form::Journald);
            assert!(line.starts_with(want), "{line}");
            assert_eq!(line[3..], record.line("milter", Form::Text));
        }
        let lines = Arc::<Mutex<String>>::default();
        let into = lines.clone();
        let journal = Journal::new("milter", Form::Journald, Arc::default(), move |text| {
            into.lock().unwrap().push_str(text);
        });
        for fault in [Fault::Panic, Fault::Slow] {
            journal.report(&ServerEvent::Fault {
                connection: 1,
                peer: "",
                fault: &fault,
            });
        }
        let text = lines.lock().unwrap();
        assert!(
            text.starts_with("<3>fault=panic ") && text.contains("\n<4>fault=slow "),
            "{text}"
        );
    }

    #[test]
    fn lines_and_counts_go_together() {
        let (metrics, lines) = (
            Arc::new(Metrics::new()),
            Arc::<Mutex<Vec<String>>>::default(),
        );
        let into = lines.clone();
        let journal = Journal::new("milter", Form::Text, metrics.clone(), move |lines| {
            into.lock()
                .unwrap()
                .extend(lines.lines().map(str::to_owned));
        });
        let mut record = record();
        journal.report(&ServerEvent::Message(&record));
        (record.action, record.remark) = (Action::Tempfail, Some(Remark::Fault("spool")));
        journal.report(&ServerEvent::Message(&record));
        record.remark = None;
        journal.report(&ServerEvent::Message(&record));
        (record.action, record.failed_open) = (Action::Pass, true);
        journal.report(&ServerEvent::Message(&record));
        let error = || io::Error::other("disk full");
        for fault in [
            Fault::Spool(error()),
            Fault::Io(error()),
            Fault::Panic,
            Fault::Spool(error()),
        ] {
            journal.report(&ServerEvent::Fault {
                connection: 17,
                peer: "a b",
                fault: &fault,
            });
        }
        let lines = lines.lock().unwrap();
        assert_eq!(lines.len(), 8);
        assert_eq!(
            lines[4],
            "fault=\"spool (disk full)\" conn=17 peer=\"a b\" route=milter"
        );
        let text = metrics.render();
        for line in [
            "mailglot_messages_total{route=\"milter\",action=\"normalize\"} 1",
            "mailglot_messages_total{route=\"milter\",action=\"tempfail\"} 2",
            "mailglot_messages_total{route=\"milter\",action=\"pass\"} 1",
            "mailglot_findings_total{id=\"raw-8bit-header\"} 4",
            "mailglot_tempfail_total{reason=\"policy\"} 1",
            "mailglot_tempfail_total{reason=\"spool\"} 1",
            "mailglot_failopen_total 1",
            "mailglot_faults_total{kind=\"spool\"} 2",
            "mailglot_faults_total{kind=\"panic\"} 1",
            "mailglot_bytes_total{direction=\"out\"} 17240",
            "mailglot_message_seconds_count 4",
            "mailglot_message_bytes_sum 16492.0",
            "mailglot_wanted_total{action=\"normalize\"} 4",
        ] {
            assert!(
                text.lines().any(|told| told == line),
                "{line} is not in\n{text}"
            );
        }
    }

    #[test]
    fn lines_of_messages_wait_for_a_pause_and_none_is_lost() {
        for form in [Form::Text, Form::Json, Form::Journald] {
            let writes = Arc::<Mutex<Vec<String>>>::default();
            let into = writes.clone();
            let journal = Journal::new("milter", form, Arc::default(), move |lines| {
                into.lock().unwrap().push(lines.to_owned());
            });
            let record = record();
            let line = record.line("milter", form) + "\n";
            let written = || std::mem::take(&mut *writes.lock().unwrap());
            let message = || journal.report(&ServerEvent::Message(&record));
            (0..3).for_each(|_| message());
            assert!(written().is_empty());
            journal.report(&ServerEvent::Flush);
            assert_eq!(written(), [line.repeat(3)]);
            journal.report(&ServerEvent::Flush);
            assert!(written().is_empty());
            // A fault is written at once, after the lines before it.
            message();
            journal.report(&ServerEvent::Fault {
                connection: 1,
                peer: "",
                fault: &Fault::Slow,
            });
            let [text] = &written()[..] else {
                unreachable!("one write")
            };
            assert!(
                text.starts_with(&line)
                    && text[line.len()..].contains("fault")
                    && text.ends_with('\n')
            );
            // The buffer is bounded, with or without a pause.
            let many = FLUSH_SIZE / line.len() + 2;
            (0..many).for_each(|_| message());
            drop(journal);
            let all = written();
            assert_eq!(all.len(), 2);
            assert!(all[0].len() < FLUSH_SIZE + line.len());
            assert_eq!(all.concat(), line.repeat(many));
        }
    }
}
