//! Dry runs, log formats and metrics of a daemon.

use crate::daemon::{Daemon, answer, connected, packet, sent, signal};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

/// A dry run judges by the policy and changes nothing; a signal and the end bring the summary.
#[test]
fn a_dry_run_changes_nothing_and_summarizes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let file = folder.path().join("file.toml");
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{}\", policy = \"strict\" }}]\n\
         [policy.strict]\nactions = {{ utf7-in-header = \"reject\" }}\n",
        path.display()
    );
    fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailglot"));
    command
        .args(["serve", "--allow-root", "--dry-run", "--config"])
        .arg(&file);
    let mut daemon = Daemon::spawn(&mut command);
    assert!(daemon.line().starts_with("listening at "));
    assert!(daemon.line().starts_with("dry run: "));
    assert!(daemon.line().contains("milter_default_action"));
    let mut stream = connected(&path);
    for _ in 0..3 {
        assert_eq!(sent(&mut stream), "c");
        let line = daemon.line();
        assert!(
            line.contains(" action=pass wanted=normalize ") && line.contains(" policy=strict"),
            "{line}"
        );
    }
    for (name, value, action) in [
        ("Subject", " =?utf-7?Q?+AOQ-?=", "reject"),
        ("Subject", " plain", "pass"),
        ("MIME-Ambiguity-Results", " forged", "pass"),
    ] {
        let message = [
            packet(b'M', b"<a@Other.Example>\0"),
            packet(b'L', format!("{name}\0{value}\0").as_bytes()),
            packet(b'N', b""),
            packet(b'E', b""),
        ];
        stream.write_all(&message.concat()).unwrap();
        assert_eq!(answer(&mut stream), (b'c', Vec::new()), "{name}");
        let line = daemon.line();
        assert!(line.contains(" action=pass "), "{line}");
        assert_eq!(
            line.contains(&format!(" wanted={action} ")),
            action != "pass",
            "{line}"
        );
    }
    // The policies are read again, and it stays a dry run.
    signal(&daemon.child, "-HUP");
    assert_eq!(daemon.line(), "policies read anew");
    assert_eq!(sent(&mut stream), "c");
    daemon.line();
    signal(&daemon.child, "-USR1");
    let all = daemon.line();
    assert!(all.starts_with("dry-run=summary seconds="), "{all}");
    assert!(
        all.contains(" messages=7 pass=2 tag=0 normalize=4 tempfail=0 quarantine=0 reject=1 "),
        "{all}"
    );
    let first = daemon.line();
    assert!(
        first.starts_with(
            "dry-run=domain rank=1 domain=example.org messages=4 pass=0 tag=0 normalize=4 "
        ),
        "{first}"
    );
    let second = daemon.line();
    assert!(
        second.starts_with("dry-run=domain rank=2 domain=other.example messages=3 pass=2 "),
        "{second}"
    );
    drop(stream);
    signal(&daemon.child, "-TERM");
    assert_eq!(daemon.line().split(' ').next(), Some("dry-run=summary"));
    assert_eq!(daemon.line().split(' ').next(), Some("dry-run=domain"));
}

/// `--log journald`: each line of a message begins with its priority.
#[test]
fn journald_gets_priorities() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let address = format!("unix:{}", path.display());
    for (form, start) in [
        ("journald", "<6>msg="),
        ("logfmt", "msg="),
        ("text", "msg="),
        ("json", "{\"msg\":"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mailglot"));
        command.args([
            "milter",
            "--allow-root",
            "--listen",
            &address,
            "--log",
            form,
        ]);
        let mut daemon = Daemon::spawn(&mut command);
        (0..2).for_each(|_| drop(daemon.line()));
        let mut stream = connected(&path);
        let message = [
            packet(b'M', b"<a@example.org>\0"),
            packet(b'R', b"<b@example.org>\0"),
            packet(b'R', b"<c@example.org>\n<6>msg=forged\0"),
            packet(b'L', b"Message-ID\0\n <1@example.org>\"\x1b\0"),
            packet(b'E', b""),
        ];
        stream.write_all(&message.concat()).unwrap();
        while answer(&mut stream).0 != b'c' {}
        let line = daemon.line();
        assert!(line.starts_with(start), "{line}");
        let (id, to) = (
            "<1@example.org>\\\\x22\\\\x1b",
            "<b@example.org>,<c@example.org>\\\\x0a<6>msg=forged",
        );
        assert!(line.contains(id) && line.contains(to), "{line}");
        stream.write_all(&packet(b'z', b"")).unwrap();
        let line = daemon.line();
        assert_eq!(line.starts_with("<4>fault="), form == "journald", "{line}");
        assert_eq!(daemon.end("-TERM"), 0);
    }
}

/// 150 clients that connect to the counters and say nothing delay no scrape.
#[test]
fn a_scrape_does_not_wait_for_silent_clients() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("unix:{}", folder.path().join("socket").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailglot"));
    command.args([
        "milter",
        "--allow-root",
        "--listen",
        &address,
        "--metrics",
        "127.0.0.1:0",
    ]);
    let mut daemon = Daemon::spawn(&mut command);
    daemon.line();
    let line = daemon.line();
    let metrics = line.strip_prefix("metrics at ").unwrap();
    let silent: Vec<_> = (0..150)
        .map(|_| TcpStream::connect(metrics).unwrap())
        .collect();
    // A wait for silent clients would take 2 seconds each time.
    let start = Instant::now();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(metrics).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(
            text.starts_with("HTTP/1.1 200 ") && text.ends_with("# EOF\n"),
            "{text}"
        );
    }
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    drop(silent);
    assert_eq!(daemon.end("-TERM"), 0);
}
