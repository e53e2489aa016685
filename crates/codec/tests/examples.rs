//! The example programs print what their first lines promise.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a program, which stands in the folder `examples` beside the folder of this test.
fn run(name: &str, arguments: &[&str], input: &[u8]) -> (String, String) {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|folder| folder.parent()).unwrap();
    let mut child = Command::new(profile.join("examples").join(name))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{name}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn decode_charset_prints_text_and_losses() {
    let (out, errors) = run("decode_charset", &["shift_jis"], b"\x93\xFA\x96\x7B\xFF");
    assert_eq!(
        (&*out, &*errors),
        ("日本\u{FFFD}", "Shift_JIS: invalid at 4..5\n")
    );
}

#[test]
fn detect_charset_prints_the_best_first() {
    let (out, _) = run("detect_charset", &[], "Привет, как дела?".as_bytes());
    assert_eq!(out, "0.99 UTF-8          Привет, как дела?\n");
}
