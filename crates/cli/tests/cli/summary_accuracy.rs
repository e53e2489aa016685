//! Summaries, reports and suggested commands are true: file names, options, counts.

use crate::sandbox::{LATIN, PROGRAM, Run, Sandbox, lossy, mbox};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

fn objects(run: &Run) -> Vec<Value> {
    run.text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// `fo` with three messages. The names of two of them are not UTF-8.
fn folder(sandbox: &Sandbox) {
    fs::create_dir_all(sandbox.path("fo/sub")).unwrap();
    sandbox.write("fo/sub/two.eml", LATIN);
    for name in [&b"fo/a\xe8.eml"[..], b"fo/a\xe9.eml"] {
        fs::write(sandbox.path("").join(OsStr::from_bytes(name)), lossy()).unwrap();
    }
}

/// A message of a folder is told with its file, by every command; one of a mailbox is as it was.
#[test]
fn messages_of_folders_have_the_names_of_their_files() {
    let sandbox = Sandbox::new();
    folder(&sandbox);
    let names = [
        json!({"bytes": "Zm8vYeguZW1s"}),
        json!({"bytes": "Zm8vYekuZW1s"}),
        json!("fo/sub/two.eml"),
    ];
    for command in [&["text", "--json"][..], &["inspect", "--json"]] {
        let rows = objects(&sandbox.run(&[command, &["fo"]].concat()).ended(0));
        let paths: Vec<_> = rows.iter().map(|row| row["path"].clone()).collect();
        assert_eq!(paths, names, "{command:?}");
        for other in ["archive.mbox", "message.eml"] {
            let rows = objects(&sandbox.run(&[command, &[other]].concat()).ended(0));
            assert!(rows.iter().all(|row| row.get("path").is_none()), "{rows:?}");
        }
    }
    let rows = objects(&sandbox.run(&["text", "--json", "Maildir"]).ended(0));
    assert_eq!(rows[0]["path"], "Maildir/cur/1.a.host:2,S");
    let shown = sandbox.run(&["inspect", "fo:2"]).ended(0);
    assert!(
        shown.text().starts_with("fo:2 (fo/sub/two.eml)  at "),
        "{shown:?}"
    );
    let shown = sandbox.run(&["-v", "check", "fo"]).ended(0);
    assert!(
        shown
            .text()
            .contains("charset.superset  fo:2 (fo/sub/two.eml) part 1 at "),
        "{shown:?}"
    );
    let account = &objects(&sandbox.run(&["check", "--json", "fo"]).ended(0))[0];
    let losses = account["examples"].as_array().unwrap().iter();
    let losses = losses.filter(|example| example["code"] == "charset.invalid-bytes");
    assert_eq!(
        losses
            .map(|example| example["path"].clone())
            .collect::<Vec<_>>(),
        names[..2]
    );
}

/// Two inputs whose names are no text keep different names.
#[test]
fn names_that_are_no_text_are_not_mixed_up() {
    let sandbox = Sandbox::new();
    folder(&sandbox);
    let inputs = [&b"fo/a\xe8.eml"[..], b"fo/a\xe9.eml"].map(OsStr::from_bytes);
    let with = |words: &[&'static str]| {
        let words: Vec<&OsStr> = words.iter().map(|word| OsStr::new(*word)).collect();
        sandbox.run(&[&words[..], &inputs[..]].concat()).ended(0)
    };
    let names = [
        json!({"bytes": "Zm8vYeguZW1s"}),
        json!({"bytes": "Zm8vYekuZW1s"}),
    ];
    let rows = objects(&with(&["text", "--json"]));
    assert_eq!([&rows[0]["file"], &rows[1]["file"]], [&names[0], &names[1]]);
    let account = &objects(&with(&["check", "--json"]))[0];
    assert_eq!(
        [
            &account["sources"][0]["path"],
            &account["sources"][1]["path"]
        ],
        [&names[0], &names[1]]
    );
    with(&["normalize", "--report", "report", "-o", "out"]);
    let report: Value = serde_json::from_slice(&sandbox.read("report")).unwrap();
    assert_eq!(report["options"]["inputs"], json!(names));
}

/// A run that writes a report.
const REPORTED: [&str; 7] = [
    "normalize",
    "archive.mbox",
    "-o",
    "out",
    "--report",
    "report",
    "--force",
];

/// The summary of a dry run has no size of an output or ledger.
#[test]
fn summaries_omit_what_was_not_written() {
    let sandbox = Sandbox::new();
    let account = &objects(&sandbox.run(&["check", "--json", "archive.mbox"]).ended(0))[0];
    for (object, key) in [
        (account, "bytes_out"),
        (account, "ledger_bytes"),
        (&account["sources"][0], "blake3"),
    ] {
        assert!(object.is_object() && object.get(key).is_none(), "{key}");
    }
    let report = |more: &[&str]| {
        sandbox.run(&[&REPORTED[..], more].concat()).ended(0);
        serde_json::from_slice::<Value>(&sandbox.read("report")).unwrap()
    };
    let all = report(&[]);
    let (out, ledger) = (sandbox.read("out").len(), sandbox.read("out.ledger").len());
    assert_eq!(
        (
            &all["summary"]["bytes_out"],
            &all["summary"]["ledger_bytes"]
        ),
        (&json!(out), &json!(ledger))
    );
    assert_eq!(
        all["summary"]["sources"][0]["blake3"]
            .as_str()
            .unwrap()
            .len(),
        64
    );
    assert!(
        report(&["--ledger", "none"])["summary"]
            .get("ledger_bytes")
            .is_none()
    );
    let run = sandbox.run(&["normalize", "-", "-o", "empty"]).ended(0);
    assert!(!run.err.contains('%'), "{}", run.err);
}

/// What a report says of the options can be given to the command line.
#[test]
fn options_of_a_report_are_those_of_the_command_line() {
    let sandbox = Sandbox::new();
    for (option, key, values) in [
        ("--transfer", "transfer", &["8bit", "7bit", "keep"][..]),
        ("--charset-out", "charset_out", &["utf-8", "iso-2022-jp"]),
        ("--headers", "headers", &["words", "raw-utf8", "keep"]),
        ("--attachments", "attachments", &["keep", "utf-8"]),
        ("--on-loss", "on_loss", &["replace", "keep"]),
        ("--to", "to", &["mbox"]),
    ] {
        for value in values {
            sandbox
                .run(&[&REPORTED[..], &[option, value]].concat())
                .ended(0);
            let report: Value = serde_json::from_slice(&sandbox.read("report")).unwrap();
            assert_eq!(report["options"][key], json!(value), "{option}");
        }
    }
}

/// The ledger of an output that was replaced goes with it, unless it is none, or that of another file.
#[test]
fn no_ledger_stays_beside_another_output() {
    let sandbox = Sandbox::new();
    let normalize = |more: &[&str]| {
        sandbox
            .run(&[&["normalize", "archive.mbox", "-o", "out"][..], more].concat())
            .ended(0);
        sandbox.path("out.ledger").exists()
    };
    assert!(normalize(&[]));
    assert!(!normalize(&["--force", "--ledger", "none"]));
    assert!(normalize(&["--force"]));
    assert!(!normalize(&["--force", "--ledger", "other"]));
    sandbox
        .run(&["restore", "out", "--ledger", "other", "--verify-only"])
        .ended(0);
    sandbox.write("out.ledger", b"a list of mine");
    assert!(normalize(&["--force", "--ledger", "none"]));
    assert_eq!(sandbox.read("out.ledger"), b"a list of mine");
    // What cannot be done leaves both.
    assert!(normalize(&["--force", "--ledger", "other"]));
    fs::remove_file(sandbox.path("out.ledger")).unwrap();
    assert!(normalize(&["--force"]));
    sandbox
        .run(&[
            "normalize",
            "missing",
            "-o",
            "out",
            "--force",
            "--ledger",
            "none",
        ])
        .ended(2);
    sandbox.run(&["restore", "out", "--verify-only"]).ended(0);
}

/// The command that check suggests can be run as it is printed, whatever the name, and does what was checked.
#[test]
fn the_next_command_runs() {
    let raw = b"From: a@example.org\nSubject: \x8f\n\n\x8f\xa8\n";
    let names = [
        &b"plain.mbox"[..],
        b"new\nline\t'\x1b[31m.mbox",
        b"a\xe9 b.mbox",
        &[&[b'n'; 250][..], b".mbox"].concat(),
        &[b'm'; 240],
    ];
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        let name = OsStr::from_bytes(name);
        fs::write(folder.path().join(name), mbox(&[raw])).unwrap();
        let run = |line: &mut Command| line.current_dir(folder.path()).output().unwrap();
        let checked = run(Command::new(PROGRAM)
            .args(["check", "--default-charset", "cp437"])
            .arg(name));
        let text = String::from_utf8(checked.stdout).unwrap();
        let next = text.split("next: mailglot ").nth(1).unwrap().trim_end();
        let done = run(Command::new("bash").args(["-c", &format!("{PROGRAM} {next}")]));
        assert!(
            done.status.success(),
            "{next}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let others = fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        let is_output = |path: &Path| {
            path.file_name() != Some(name) && path.extension() != Some("ledger".as_ref())
        };
        let outputs: Vec<_> = others.filter(|path| is_output(path)).collect();
        assert_eq!(outputs.len(), 1, "{outputs:?}");
        assert!(
            String::from_utf8(fs::read(&outputs[0]).unwrap())
                .unwrap()
                .ends_with("\n\nÅ¿\n\n"),
            "{next}"
        );
    }
}

/// Overruled labels stand first, however many guesses are less certain, and no confidence is 1.
#[test]
fn guesses_hide_no_overruled_label() {
    let sandbox = Sandbox::new();
    let text = |content_type: &str, body: &[u8]| {
        [
            b"Subject: x\nContent-Type: ",
            content_type.as_bytes(),
            b"\nContent-Transfer-Encoding: 8bit\n\n",
            body,
        ]
        .concat()
    };
    let mut messages: Vec<Vec<u8>> = (0..480).map(|_| text("text/plain", b"\xa4 x\n")).collect();
    messages.push(text(
        "text/plain; charset=iso-8859-1",
        "Grüße aus Köln, schöne Straße\n".as_bytes(),
    ));
    messages.push(text("text/plain; charset=foo-9", b"J\xf6rg\n"));
    // A model is sure of so much Russian.
    let russian: Vec<u8> =
        "Сегодня была хорошая погода, и мы пошли гулять в парк, где встретили друзей.\n"
            .repeat(20)
            .chars()
            .map(|c| {
                if c.is_ascii() {
                    c as u8
                } else {
                    (c as u32 - 0x410 + 0xc0) as u8
                }
            })
            .collect();
    messages.push(text("text/plain", &russian));
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    sandbox.write("many.mbox", &mbox(&messages));
    let run = sandbox.run(&["check", "many.mbox"]).ended(0);
    let lines: Vec<_> = run
        .text()
        .lines()
        .skip_while(|line| !line.starts_with("guesses "))
        .collect();
    assert!(
        lines[0].starts_with("guesses     1 overruled label, 482 guessed charsets, "),
        "{lines:?}"
    );
    assert!(
        lines[1].ends_with("label iso-8859-1 overruled, read as UTF-8"),
        "{lines:?}"
    );
    let run = sandbox.run(&["-v", "check", "many.mbox"]).ended(0);
    assert!(run.text().contains("unknown label foo-9, read as "));
    let account = &objects(&sandbox.run(&["check", "--json", "many.mbox"]).ended(0))[0];
    let known = account["least_certain"].as_array().unwrap();
    assert_eq!(
        known
            .iter()
            .filter(|guess| guess["kind"] == "overruled")
            .count(),
        1
    );
    let rows = objects(
        &sandbox
            .run(&["inspect", "--json", "many.mbox:482"])
            .ended(0),
    );
    let sure = &rows[0]["parts"][0]["confidence"];
    assert!(
        sure.as_f64().is_some_and(|sure| (0.9..1.0).contains(&sure)),
        "{sure}"
    );
    sandbox.write("russian.txt", &russian);
    let run = sandbox.run(&["detect", "russian.txt"]).ended(0);
    assert!(
        run.text().contains("\twindows-1251\t0.99\tmodel"),
        "{run:?}"
    );
}
