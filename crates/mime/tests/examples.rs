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

const MESSAGE: &[u8] = b"From: J\xF6rg <j@example.org>\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\nDate: Mon, 2 Mar 1998 10:00:00 +0100\n\
    Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\nsch\xF6n\n\
    --b\nContent-Type: image/gif; name=a.gif\nContent-Transfer-Encoding: base64\n\nR0lGODlh\n--b--\n";

#[test]
fn read_message_prints_all_of_a_message() {
    let want = "Subject: Grüße\nFrom: Jörg <j@example.org>\nDate: 1998-03-02T10:00:00+01:00\n\
        \nschön\na.gif: 6 bytes\n";
    assert_eq!(run("read_message", &[], MESSAGE).0, want);
}

#[test]
fn decode_header_prints_findings() {
    let (out, _) = run("decode_header", &[], b"=?ISO-8859-1?Q?We=92ve?=\nplain");
    assert!(
        out.starts_with("We’ve\n  charset.superset at 0..24: "),
        "{out}"
    );
    assert!(out.ends_with("\nplain\n"), "{out}");
}

#[test]
fn normalize_message_writes_utf8() {
    let (out, errors) = run("normalize_message", &[], MESSAGE);
    assert!(
        out.starts_with("From: Jörg <j@example.org>\nSubject: Grüße\n"),
        "{out}"
    );
    assert!(errors.ends_with(" edits\n"), "{errors}");
}
