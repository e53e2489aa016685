//! Lines on standard error: one a message, one a fault.

use mailglot_gateway::{Notice, Record};
use std::io::{self, Write};

/// A line on standard error for each message and each fault.
pub(crate) fn tell(route: &str, notice: &Notice<'_>) {
    let line = match notice {
        Notice::Message(record) => message(route, record),
        Notice::Fault { connection, peer, fault } => {
            format!("fault={} conn={connection} peer={}", value(fault.as_bytes()), value(peer.as_bytes()))
        }
    };
    // Whoever closed standard error wants to hear nothing.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

fn message(route: &str, record: &Record) -> String {
    let Record { envelope, peer, bytes_in, bytes_out, action, losses, time, policy, .. } = record;
    let findings: Vec<_> =
        record.findings.counted().map(|(f, count)| format!("{}:{count}", f.id())).collect();
    format!(
        "msg={} route={route} peer={} from={} rcpts={} in={bytes_in} out={bytes_out} action={} findings={} loss={losses} ms={:.2} policy={policy}{}",
        value(&envelope.queue_id),
        value(peer.as_bytes()),
        value(&envelope.sender),
        envelope.recipients,
        action.name(),
        findings.join(","),
        time.as_secs_f64() * 1_000.0,
        remarks(record),
    )
}

/// What a reader of the log must know beside what was done.
fn remarks(record: &Record) -> String {
    let mut text = String::new();
    if record.wanted != record.action {
        text = format!(" wanted={}", record.wanted.name());
    }
    if record.failed_open {
        text.push_str(" failed=open");
    }
    if let Some(remark) = record.finding {
        text.push_str(" remark=");
        text.push_str(&value(remark.as_bytes()));
    }
    text
}

/// A value of others: no byte of it ends the value or the line, or is more than a printable letter.
fn value(bytes: &[u8]) -> String {
    use std::fmt::Write;
    /// Bytes that are told.
    const LONGEST: usize = 256;
    let mut text = String::new();
    for byte in &bytes[..bytes.len().min(LONGEST)] {
        match byte {
            b'!'..=b'~' if !matches!(byte, b'"' | b'\\') => text.push(char::from(*byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(text, "\\x{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_one_word_of_printable_letters() {
        for byte in 0..=255_u8 {
            let text = value(&[byte]);
            assert!(text.bytes().all(|byte| (b'!'..=b'~').contains(&byte) && byte != b'"'), "{text}");
            assert_eq!(text.len() == 1, byte.is_ascii_graphic() && !b"\"\\".contains(&byte), "{text}");
        }
        assert_eq!(value(&[b'a'; 1_000]).len(), 256);
    }
}
