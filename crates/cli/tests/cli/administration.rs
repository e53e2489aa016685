//! Rejected configurations: at a check by root, at a reload, and at a start under journald.

use crate::daemon::{Daemon, signal};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mailglot");

fn write(folder: &Path, more: &str) -> PathBuf {
    let file = folder.join("mailglot.toml");
    let text = format!(
        "listen = [{{ route = \"milter\", address = \"unix:{}/socket\" }}]\n{more}",
        folder.display()
    );
    fs::write(&file, text).unwrap();
    file
}

/// The folder of a running service belongs to the user of its unit, which root's check does not know.
#[test]
fn a_check_by_root_notes_a_folder_of_another_owner() {
    if mailglot_gateway::config::effective_user() != 0 {
        println!("this needs root: not tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger");
    let file = write(
        folder.path(),
        &format!("[policy.default]\nledger = \"{}\"\n", ledger.display()),
    );
    fs::create_dir(&ledger).unwrap();
    fs::set_permissions(&ledger, fs::Permissions::from_mode(0o700)).unwrap();
    chown(&ledger, Some(65_534), None).unwrap();
    let check = |more: &[&str]| {
        let run = Command::new(PROGRAM)
            .args(["serve", "--check-config", "--config"])
            .arg(&file)
            .args(more)
            .output()
            .unwrap();
        (
            run.status.code(),
            String::from_utf8_lossy(&run.stderr).into_owned(),
        )
    };
    let (code, said) = check(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("note: ledger: ") && said.contains("right if user 65534 runs the daemon"),
        "{said}"
    );
    // Root itself will run it, and cannot use that folder.
    assert_eq!(check(&["--allow-root"]).0, Some(1));
    // No user can use a link.
    fs::remove_dir(&ledger).unwrap();
    std::os::unix::fs::symlink(folder.path(), &ledger).unwrap();
    let (code, said) = check(&[]);
    assert!(code == Some(1) && said.contains("symbolic link"), "{said}");
}

/// A rejected reload has a priority that `journalctl -p warning` shows, the old and new value, and a count.
#[test]
fn a_rejected_reload_is_an_error_in_the_journal_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let report = "[report]\nlog = \"journald\"\nmetrics = \"127.0.0.1:0\"\n";
    let file = write(folder.path(), report);
    let mut daemon = Daemon::start(&["--config", file.to_str().unwrap()]);
    let lines: Vec<String> = (0..3).map(|_| daemon.line()).collect();
    assert!(
        lines.iter().all(|line| line.starts_with("<6>")),
        "{lines:?}"
    );
    // The note at the start names the whole check.
    assert!(
        lines[2].contains("{ postconf -x; postconf -Fx; postconf -Px; } | mailglot check-mta"),
        "{lines:?}"
    );
    let metrics = lines
        .iter()
        .find_map(|line| line.strip_prefix("<6>metrics at "))
        .unwrap();
    let rejected = || {
        let mut stream = TcpStream::connect(metrics).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("mailglot_reloads_rejected_total "));
        line.unwrap().to_owned()
    };
    assert_eq!(rejected(), "0");
    write(folder.path(), &format!("{report}[limits]\nfields = 5\n"));
    signal(&daemon.child, "-HUP");
    assert_eq!(
        daemon.line(),
        "<3>mailglot: limits.fields changed from 100000 to 5"
    );
    assert!(daemon.line().starts_with(
        "<3>mailglot: reload rejected: the daemon keeps the old configuration; restart it"
    ));
    write(folder.path(), "policy = [");
    signal(&daemon.child, "-HUP");
    loop {
        let line = daemon.line();
        assert!(line.starts_with("<3>"), "{line}");
        if line.contains("reload rejected") {
            break;
        }
    }
    assert_eq!(rejected(), "2");
    assert_eq!(daemon.end("-TERM"), 0);
}

/// A failed start has the priority before any file says `log = "journald"`.
#[test]
fn a_failed_start_is_an_error_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let journal = File::create(&path).unwrap();
    let stat = journal.metadata().unwrap();
    for (stream, want) in [
        (
            format!("{}:{}", stat.dev(), stat.ino()),
            "<3>mailglot: configuration: ",
        ),
        (
            format!("{}:{}", stat.dev(), stat.ino() + 1),
            "mailglot: configuration: ",
        ),
    ] {
        let code = Command::new(PROGRAM)
            .args(["serve", "--config", "/no/such/file"])
            .env("JOURNAL_STREAM", stream)
            .stderr(File::create(&path).unwrap())
            .status()
            .unwrap();
        assert_eq!(code.code(), Some(1));
        let said = fs::read_to_string(&path).unwrap();
        assert!(said.starts_with(want), "{said}");
    }
}

/// Errors of the administrator's commands say what to do.
#[test]
fn errors_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let run = Command::new(PROGRAM)
            .args(args)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        (
            run.status.code(),
            String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned(),
        )
    };
    let socket = format!("unix:{}/none/gw.sock", folder.path().display());
    let (code, said) = run(&["milter", "--allow-root", "--listen", &socket]);
    assert!(
        code == Some(4) && said.contains("make the directory of the socket"),
        "{said}"
    );
    let (code, said) = run(&["check-mta"]);
    assert!(
        code == Some(2) && said.contains("postconf -Fx; postconf -Px"),
        "{said}"
    );
    let file = folder.path().join("a.ledger");
    fs::write(&file, "Subject: x\n\n").unwrap();
    let original = folder.path().join("a.mbox");
    let (_, said) = run(&[
        "restore",
        "--ledger",
        file.to_str().unwrap(),
        "-o",
        original.to_str().unwrap(),
    ]);
    assert!(
        said.contains("does not begin as a ledger does; name the ledger"),
        "{said}"
    );
    // The option names the command that reads what the daemon keeps.
    for command in ["milter", "proxy"] {
        let (_, help) = run(&[command, "--help"]);
        let words: Vec<&str> = help.split_whitespace().collect();
        assert!(
            words
                .join(" ")
                .contains("in this folder, for `mailglot ledger`"),
            "{help}"
        );
    }
}
