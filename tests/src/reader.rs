//! Runs third-party mail readers in a separate process (`readers/read.py`).
//!
//! # Limits
//! They are Debian packages: python3, python3-gi and gir1.2-gmime-3.0, which `cargo xtask test` installs.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Returns the output of a reader with these arguments: a line of JSON for each message.
///
/// # Panics
/// If the reader cannot be started, or fails.
pub fn lines(arguments: &[&str], messages: &[&[u8]]) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("readers/read.py");
    let mut child = Command::new("/usr/bin/python3")
        .arg(path)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("/usr/bin/python3 can be started");
    let mut input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let lines: Vec<String> = thread::scope(|scope| {
        scope.spawn(move || {
            for message in messages {
                let sent = input.write_all(&(message.len() as u64).to_be_bytes());
                sent.and_then(|()| input.write_all(message))
                    .expect("the reader reads all");
            }
        });
        output
            .lines()
            .map(|line| line.expect("a line of JSON"))
            .collect()
    });
    let ended = child.wait().expect("the reader ends");
    assert!(
        ended.success(),
        "{arguments:?} needs the packages python3, python3-gi, gir1.2-gmime-3.0"
    );
    assert_eq!(
        lines.len(),
        messages.len(),
        "{arguments:?}: an answer for each message"
    );
    lines
}
