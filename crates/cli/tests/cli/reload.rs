//! SIGHUP: a daemon reads its configuration again.

use crate::daemon::{Daemon, configured, connected, sent};
use std::process::Command;

#[test]
fn a_file_decides_and_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = configured(folder.path(), "");
    let mut daemon = Daemon::start(&["--config", &file]);
    assert!(daemon.line().starts_with("listening at"));
    daemon.line();
    let mut stream = connected(&folder.path().join("socket"));
    assert_eq!(sent(&mut stream), "mc");
    assert!(daemon.line().ends_with("policy=own"));
    let hang_up = |daemon: &Daemon| {
        Command::new("kill")
            .args(["-HUP", &daemon.child.id().to_string()])
            .status()
            .unwrap();
    };
    configured(folder.path(), "monitor = true");
    hang_up(&daemon);
    assert!(daemon.line().contains("read anew"));
    assert_eq!(sent(&mut stream), "ic");
    let line = daemon.line();
    assert!(
        line.contains(" action=tag wanted=normalize ") && line.ends_with("policy=own"),
        "{line}"
    );
    configured(folder.path(), "monitor = perhaps");
    hang_up(&daemon);
    // What the parser of the file says has lines of its own.
    while !daemon.line().contains("keeps the old configuration") {}
    assert_eq!(sent(&mut stream), "ic", "a wrong file changes nothing");
    daemon.line();
    drop(stream);
    assert_eq!(daemon.end("-TERM"), 0);
}

/// All listeners take what a file says, or none does; and what a running daemon cannot do is named.
#[test]
fn a_reload_is_whole_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let write = |one: &str, other: &str, more: &str| {
        let text = format!(
            "listen = [\n  {{ route = \"milter\", address = \"unix:{}\", policy = \"one\" }},\n  {{ route = \"milter\", address = \"unix:{}\", policy = \"other\" }},\n]\n\
             [policy.one]\n{one}\n[policy.other]\n{other}\n{more}\n",
            place("one"),
            place("other")
        );
        std::fs::write(folder.path().join("file.toml"), text).unwrap();
    };
    write("", "", "[limits]\nfields = 100");
    let mut daemon = Daemon::start(&["--config", &place("file.toml")]);
    (0..3).for_each(|_| drop(daemon.line()));
    let hang_up = |daemon: &Daemon| {
        Command::new("kill")
            .args(["-HUP", &daemon.child.id().to_string()])
            .status()
            .unwrap();
    };
    let ledger = format!("monitor = true\nledger = \"{}\"", place("ledger"));
    for (one, other, more, named) in [
        (
            "monitor = true",
            ledger.as_str(),
            "[limits]\nfields = 100",
            vec!["other: ledger"],
        ),
        (
            "monitor = true",
            "",
            "[limits]\nfields = 1",
            vec!["mailglot: limits.fields changed from 100 to 1"],
        ),
    ] {
        write(one, other, more);
        hang_up(&daemon);
        for named in named {
            let line = daemon.line();
            assert!(line.contains(named), "{line}");
        }
        assert!(
            daemon
                .line()
                .contains("keeps the old configuration; restart it")
        );
        for name in ["one", "other"] {
            assert_eq!(
                sent(&mut connected(&folder.path().join(name))),
                "mc",
                "{name}"
            );
            assert!(daemon.line().contains(" action=normalize "));
        }
    }
    write("monitor = true", "monitor = true", "[limits]\nfields = 100");
    hang_up(&daemon);
    assert!(daemon.line().contains("read anew"));
    for name in ["one", "other"] {
        assert_eq!(
            sent(&mut connected(&folder.path().join(name))),
            "ic",
            "{name}"
        );
        daemon.line();
    }
    assert_eq!(daemon.end("-TERM"), 0);
}

#[test]
fn another_address_leaves_the_other_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let file = place("file.toml");
    let text = format!(
        "[[listen]]\nroute = \"smtp\"\naddress = \"unix:{}\"\nnext_hop = \"unix:/none\"\n\
         [[listen]]\nroute = \"milter\"\naddress = \"unix:{}\"\npolicy = \"monitor\"\n",
        place("smtp"),
        place("first")
    );
    std::fs::write(&file, &text).unwrap();
    let mut daemon = Daemon::start(&[
        "--config",
        &file,
        "--listen",
        &format!("unix:{}", place("socket")),
    ]);
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("smtp"))
    );
    assert_eq!(
        daemon.line(),
        format!("listening at unix:{}", place("socket"))
    );
    daemon.line();
    assert_eq!(
        sent(&mut connected(&folder.path().join("socket"))),
        "ic",
        "the policy is that of the file"
    );
    assert!(!folder.path().join("first").exists());
    assert_eq!(daemon.end("-TERM"), 0);
    let refused = |address: &str, word: &str| {
        let mut daemon = Daemon::start(&["--config", &file, "--listen", address]);
        let line = daemon.line();
        assert!(line.contains(word), "{line}");
        assert_eq!(daemon.child.wait().unwrap().code(), Some(1));
    };
    refused(&format!("unix:{}", place("smtp")), "listens there already");
    std::fs::write(
        &file,
        text.split("[[listen]]\nroute = \"milter\"").next().unwrap(),
    )
    .unwrap();
    refused("tcp:127.0.0.1:0", "no milter");
}

/// With `log = "json"` each line is an object: those of a start, of reloads and of a configuration that is wrong.
#[test]
fn messages_are_json_in_a_log_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.toml");
    let write = |policy: &str| {
        let text = format!(
            "listen = [{{ route = \"milter\", address = \"unix:{}\", policy = \"{policy}\" }}]\n[report]\nlog = \"json\"\n",
            folder.path().join("socket").display()
        );
        std::fs::write(&path, text).unwrap();
    };
    let command = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mailglot"));
        command
            .args(["serve", "--allow-root", "--config"])
            .arg(&path);
        command
    };
    write("default");
    let mut daemon = Daemon::spawn(&mut command());
    assert!(daemon.json_text().starts_with("listening at "));
    daemon.json_text();
    write("nobody");
    crate::daemon::signal(&daemon.child, "-HUP");
    let line = daemon.line();
    let object: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(object["priority"], "error", "{line}");
    assert!(
        object["text"].as_str().unwrap().contains("nobody"),
        "{line}"
    );
    assert_eq!(daemon.end("-TERM"), 0);
    let output = command().output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.is_empty() && !output.status.success());
    for line in said.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object["priority"], "error", "{line}");
    }
}
