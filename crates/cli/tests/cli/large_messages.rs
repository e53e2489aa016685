//! Messages of many megabytes: memory, limits, and the same bytes whatever the limit and the number of threads

use crate::sandbox::{PROGRAM, Run, Sandbox};
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Bytes of an attachment: more than commands that read pieces hold in memory.
const ATTACHMENT: usize = 80 << 20;
/// Memory beside the messages in work. Less than is promised, so that a copy of a message does not fit.
const BASE: u64 = 32 << 20;

/// A message with text in ISO-8859-1, a quoted line and an attachment of `length` bytes.
fn large(number: usize, length: usize) -> Vec<u8> {
    let header = format!(
        "From: a@b\nSubject: gr\u{fc}n {number}\nContent-Type: multipart/mixed; boundary=b\n\n"
    ) + "--b\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\u{e9}\n>From here\n\n"
        + "--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n";
    let line = format!("AAEC{}\n", "QUJD".repeat(18));
    let mut message: Vec<u8> = header.chars().map(|c| c as u8).collect();
    message.extend_from_slice(line.repeat(length / line.len()).as_bytes());
    message.extend_from_slice(b"--b--\n");
    message
}

fn mailbox(lengths: &[usize]) -> Vec<u8> {
    let mut mailbox = Vec::new();
    for (number, length) in lengths.iter().enumerate() {
        mailbox.extend_from_slice(b"From a@b.c Mon Jan  1 00:00:00 2001\n");
        mailbox.append(&mut large(number, *length));
        mailbox.push(b'\n');
    }
    mailbox
}

/// Returns a message of [`large`] as it was before its mailbox quoted it.
fn unquoted(mut message: Vec<u8>) -> Vec<u8> {
    let at = message
        .windows(5)
        .position(|bytes| bytes == b">From")
        .unwrap();
    message.remove(at);
    message
}

/// Runs the program. Returns its peak memory in bytes, and how it ended.
fn peak(sandbox: &Sandbox, args: &[&str]) -> (u64, Run) {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::from(
            fs::File::create(sandbox.path("stdout")).unwrap(),
        ))
        .stderr(Stdio::from(
            fs::File::create(sandbox.path("stderr")).unwrap(),
        ))
        .spawn()
        .unwrap();
    let mut most = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let mut lines = status.iter().flat_map(|text| text.lines());
        let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(peak.unwrap_or(0) * 1024);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let run = Run {
        code: status.code().unwrap(),
        out: sandbox.read("stdout"),
        err: String::from_utf8(sandbox.read("stderr")).unwrap(),
    };
    (most, run)
}

#[test]
fn memory_is_little_more_than_the_largest_message() {
    let sandbox = Sandbox::new();
    let bytes = mailbox(&[10, ATTACHMENT, 10]);
    sandbox.write("a.mbox", &bytes);
    sandbox.write("b.mbox", &[&bytes[..], &bytes].concat());
    let message = (ATTACHMENT as u64) * 13 / 10;
    let pieces = 3 * BASE;
    for (args, most) in [
        (&["normalize", "a.mbox", "-o", "o.mbox"][..], message),
        (&["restore", "o.mbox", "--verify-only"], message),
        (&["check", "b.mbox", "--verify"], message),
        (&["text", "b.mbox", "--json", "--threads", "3"], message),
        (&["check", "b.mbox"], message),
        // These read a message of more than 64 MiB in pieces.
        (&["ls", "b.mbox"], pieces),
        (&["count", "b.mbox"], pieces),
        (&["cat", "b.mbox:4"], pieces),
    ] {
        let (memory, run) = peak(&sandbox, args);
        assert_eq!(run.code, 0, "{args:?} {}", run.err);
        assert!(memory < BASE + most, "{args:?}: {memory} bytes");
        assert!(memory > 1 << 20, "{args:?}: {memory} bytes");
        assert!(!run.err.contains("too large"), "{args:?} {}", run.err);
        match args[0] {
            "cat" => assert!(run.out == unquoted(large(1, ATTACHMENT))),
            "text" => assert_eq!(run.text().matches("caf\u{e9}\\nFrom here").count(), 6),
            "ls" => assert_eq!(run.text().lines().count(), 6),
            "count" => assert_eq!(run.text(), "6\tb.mbox\n"),
            _ => {}
        }
    }
}

/// A message above the limit stays, and the others do not depend on the limit.
#[test]
fn output_depends_on_the_limit_only_where_it_is_exceeded() {
    let sandbox = Sandbox::new();
    let lengths = [10, 12 << 20, 9 << 20, 100, 1000];
    let bytes = mailbox(&lengths);
    sandbox.write("a.mbox", &bytes);
    let run = |limit: &str, threads: &str| {
        let out = format!("{limit}-{threads}");
        let args = ["normalize", "a.mbox", "-o", &out, "--max-message", limit];
        let threads = ["--threads", threads];
        sandbox.run(&[&args[..], &threads].concat()).ended(0);
        let ledger = sandbox.read(&format!("{out}.ledger"));
        (sandbox.read(&out), ledger)
    };
    let whole = run("1G", "1");
    for (limit, threads) in [("1G", "4"), ("13M", "3")] {
        assert!(run(limit, threads) == whole, "{limit} {threads}");
    }
    let pieces = run("10M", "1");
    assert!(run("10M", "4") == pieces && pieces.0 != whole.0);
    let messages = |mailbox: &[u8]| -> Vec<Vec<u8>> {
        sandbox.write("b.mbox", mailbox);
        let numbers = 0..lengths.len();
        numbers
            .map(|n| sandbox.run(&["cat", &format!("b.mbox:{n}")]).out)
            .collect()
    };
    let (whole, pieces) = (messages(&whole.0), messages(&pieces.0));
    for (number, (whole, piece)) in whole.iter().zip(&pieces).enumerate() {
        assert_eq!(whole == piece, number != 1, "{number}");
        assert!(String::from_utf8_lossy(&whole[..240]).contains("caf\u{e9}\nFrom here"));
    }
    assert!(pieces[1] == unquoted(large(1, lengths[1])));
    for out in ["1G-4", "10M-4"] {
        let back = format!("{out}.back");
        sandbox.run(&["restore", out, "-o", &back]).ended(0);
        assert!(sandbox.read(&back) == bytes, "{out}");
    }
}

/// Bytes of a message that a selection leaves out are in several blocks of the ledger, which are never in memory together.
#[test]
fn a_large_message_that_is_left_out_is_restored() {
    let sandbox = Sandbox::new();
    let bytes = mailbox(&[10, ATTACHMENT, 10]);
    sandbox.write("a.mbox", &bytes);
    let args = ["normalize", "a.mbox", "-o", "o.mbox", "--limit", "1"];
    let (memory, run) = peak(&sandbox, &args);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(memory < BASE + ATTACHMENT as u64 * 13 / 10, "{memory}");
    assert!(sandbox.read("o.mbox").len() < 1000);
    let (memory, run) = peak(&sandbox, &["restore", "o.mbox", "--verify-only"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(memory < 2 * BASE, "{memory}");
}

/// The text at the beginning of a message above the limit is read, and the event says so.
#[test]
fn text_before_the_limit_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mailbox(&[10, 3 << 20, 10]));
    sandbox.write("a.eml", &unquoted(large(1, 3 << 20)));
    let whole = sandbox.run(&["text", "a.mbox"]).ended(0);
    assert_eq!(whole.text(), "caf\u{e9}\nFrom here\n".repeat(3));
    for (limit, input, texts, words) in [
        ("2M", "a.mbox", 3, "a.mbox:1 at "),
        ("2M", "a.eml", 1, "a.eml:0 at 0"),
        // The limit is within the text.
        (
            "130",
            "a.eml",
            0,
            "0 text parts within the first 130 bytes read",
        ),
    ] {
        let run = sandbox
            .run(&["text", "--max-message", limit, input])
            .ended(2);
        assert_eq!(
            run.text(),
            "caf\u{e9}\nFrom here\n".repeat(texts),
            "{limit}"
        );
        assert!(
            run.err.contains("not read    1 too large message"),
            "{}",
            run.err
        );
        assert!(run.err.contains(words), "{}", run.err);
    }
    let args = ["text", "--json", "--max-message", "2M", "a.mbox"];
    let run = sandbox.run(&args).ended(2);
    let json = sandbox.run(&["text", "--json", "a.mbox"]).ended(0);
    assert_eq!(run.text(), json.text());
    let words = "beyond 2097152 bytes; 1 text part within the first 2097";
    assert!(run.err.contains(words), "{}", run.err);
}
