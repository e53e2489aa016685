//! `mailglot milter`: the daemon beside a mail server.
//!
//! # Limits
//!
//! It stays in the foreground, as supervisors of services want it.

use crate::args::MilterArgs;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use mailglot_gateway::{Engine, Limits, Notice, Record, Server};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, Write};
use std::thread;

/// Runs the command.
pub(crate) fn run(args: &MilterArgs, console: Console) -> Result<Exit, Failure> {
    let place = &args.listen;
    let failed = |error: io::Error| Failure::new(Exit::Output, format!("{place}: {error}"));
    // Before the socket appears: who sees it may already end us.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let server = Server::bind(place, Engine::default(), Limits::default(), |notice| tell("milter", notice))
        .map_err(failed)?;
    console.say(format_args!("listening at {}", server.address().map_err(failed)?));
    let stop = server.stopper().map_err(failed)?;
    let handle = signals.handle();
    let watcher = thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            stop.stop();
        }
    });
    let watcher = watcher.map_err(failed)?;
    let served = server.run();
    handle.close();
    // It only waits for signals.
    let _ = watcher.join();
    served.map_err(failed)?;
    Ok(Exit::Done)
}

/// A line on standard error for each message and each fault.
pub(super) fn tell(route: &str, notice: &Notice<'_>) {
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
    let Record { envelope, peer, bytes_in, bytes_out, action, losses, time, .. } = record;
    let findings: Vec<_> =
        record.findings.counted().map(|(f, count)| format!("{}:{count}", f.id())).collect();
    format!(
        "msg={} route={route} peer={} from={} rcpts={} in={bytes_in} out={bytes_out} action={} findings={} loss={losses} ms={:.2}",
        value(&envelope.queue_id),
        value(peer.as_bytes()),
        value(&envelope.sender),
        envelope.recipients,
        action.name(),
        findings.join(","),
        time.as_secs_f64() * 1_000.0,
    )
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
