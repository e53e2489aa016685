//! `normalize`, `restore`, `check`, `count`

use crate::sandbox::{LATIN, Sandbox, lossy, mbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[test]
fn normalize_and_restore() {
    let sandbox = Sandbox::new();
    let before = sandbox.read("archive.mbox");
    let run = sandbox
        .run(&[
            "normalize",
            "archive.mbox",
            "-o",
            "clean.mbox",
            "--report",
            "report.json",
        ])
        .ended(0);
    assert!(run.out.is_empty(), "standard output stays free");
    for words in [
        "messages    2 in = 2 written + 0 set aside",
        "bytes ",
        "changed     2 messages",
        "charset.superset",
        "losses      0",
        "koi8-r → KOI8-R",
        "ledger ",
        "reversible: with clean.mbox.ledger (check: mailglot restore clean.mbox --verify-only)",
    ] {
        assert!(run.err.contains(words), "{words}: {}", run.err);
    }
    let clean = String::from_utf8(sandbox.read("clean.mbox")).unwrap();
    assert!(
        clean.contains("It’s grün.") && clean.contains("Привет, мир!"),
        "{clean}"
    );
    assert!(
        clean.contains("charset=utf-8") || clean.contains("charset=UTF-8"),
        "{clean}"
    );
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report.json")).unwrap();
    assert!(report.is_object());
    assert_eq!(sandbox.read("archive.mbox"), before);

    let run = sandbox
        .run(&["restore", "clean.mbox", "--verify-only"])
        .ended(0);
    assert_eq!(run.text(), "reversible: yes (checked)\n");
    let run = sandbox
        .run(&["-q", "restore", "clean.mbox", "--verify-only"])
        .ended(0);
    assert!(run.out.is_empty() && run.err.is_empty(), "{run:?}");
    let run = sandbox
        .run(&["restore", "clean.mbox", "-o", "original.mbox"])
        .ended(0);
    assert!(
        run.err
            .contains("restored to original.mbox: 1 archive, 2 messages"),
        "{}",
        run.err
    );
    assert_eq!(sandbox.read("original.mbox"), before);

    // A second pass changes nothing.
    let run = sandbox
        .run(&["normalize", "clean.mbox", "-o", "again.mbox"])
        .ended(0);
    assert!(run.err.contains("changed     0 messages"), "{}", run.err);
    assert_eq!(sandbox.read("again.mbox"), clean.as_bytes());
}

#[test]
fn text_attachments_stay_unless_asked_for() {
    let sandbox = Sandbox::new();
    let message = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee there\n--b\n\
        Content-Type: text/plain; charset=koi8-r\nContent-Disposition: attachment; filename=a.txt\n\
        Content-Transfer-Encoding: base64\n\n8NLJ18XULCDNydIhCg==\n--b--\n";
    sandbox.write("a.eml", message);
    let shown = sandbox.run(&["inspect", "a.eml"]).ended(0);
    assert!(
        shown.text().contains("mime.attachment-untouched"),
        "{}",
        shown.text()
    );
    sandbox
        .run(&["normalize", "a.eml", "-o", "kept.eml"])
        .ended(0);
    assert_eq!(sandbox.read("kept.eml"), message);
    sandbox
        .run(&[
            "normalize",
            "a.eml",
            "-o",
            "utf8.eml",
            "--attachments",
            "utf-8",
        ])
        .ended(0);
    let clean = String::from_utf8(sandbox.read("utf8.eml")).unwrap();
    assert!(
        clean.contains("charset=utf-8") && clean.contains("\n\nПривет, мир!\n"),
        "{clean}"
    );
    sandbox
        .run(&["restore", "utf8.eml", "-o", "back.eml"])
        .ended(0);
    assert_eq!(sandbox.read("back.eml"), message);
    let filtered = sandbox
        .pipe(&["filter", "--attachments", "utf-8"], message)
        .ended(0);
    assert_eq!(filtered.text(), clean);
    assert_eq!(sandbox.pipe(&["filter"], message).ended(0).out, message);
    assert!(
        sandbox
            .run(&["text", "a.eml"])
            .ended(0)
            .text()
            .contains("Привет, мир!")
    );
    let text = sandbox
        .run(&["text", "--no-attachments", "a.eml"])
        .ended(0)
        .text()
        .to_owned();
    assert!(
        text.contains("see there") && !text.contains("Привет"),
        "{text}"
    );
}

#[test]
fn normalize_is_quiet_or_verbose() {
    let sandbox = Sandbox::new();
    for (n, args) in [["-q", "normalize"], ["normalize", "-q"]]
        .iter()
        .enumerate()
    {
        let output = format!("out{n}.mbox");
        let args = [&args[..], &["archive.mbox", "-o", &output]].concat();
        let run = sandbox.run(&args).ended(0);
        assert!(run.err.is_empty(), "{}", run.err);
    }
    let run = sandbox
        .run(&["normalize", "archive.mbox", "-o", "v.mbox", "--verbose"])
        .ended(0);
    assert!(
        run.err.contains("archive.mbox: 2 messages, mbox, LF"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("e.g. charset.superset  archive.mbox:0 part 1 at "),
        "{}",
        run.err
    );
}

#[test]
fn normalize_takes_standard_input_and_threads() {
    let sandbox = Sandbox::new();
    let archive = sandbox.read("archive.mbox");
    sandbox
        .run(&[
            "normalize",
            "archive.mbox",
            "-o",
            "a.mbox",
            "--threads",
            "1",
        ])
        .ended(0);
    sandbox
        .pipe(
            &["normalize", "-", "-o", "b.mbox", "--threads", "2"],
            &archive,
        )
        .ended(0);
    assert_eq!(sandbox.read("a.mbox"), sandbox.read("b.mbox"));
}

#[test]
fn forms_of_output() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "dir", "--to", "maildir"])
        .ended(0);
    assert_eq!(fs::read_dir(sandbox.path("dir/cur")).unwrap().count(), 2);
    sandbox
        .run(&["normalize", "Maildir", "-o", "one.mbox", "--to", "mbox"])
        .ended(0);
    assert!(sandbox.read("one.mbox").starts_with(b"From "));
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "tree", "--to", "eml"])
        .ended(0);
    assert_eq!(fs::read_dir(sandbox.path("tree")).unwrap().count(), 2);
    sandbox
        .run(&["normalize", "archive.mbox", "Maildir", "-o", "both"])
        .ended(0);
    for name in ["dir", "one.mbox", "tree", "both"] {
        let run = sandbox.run(&["restore", name, "--verify-only"]).ended(0);
        assert_eq!(run.text(), "reversible: yes (checked)\n", "{name}");
    }
}

#[test]
fn folders_of_mh_come_back_as_they_were() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("mh/inbox")).unwrap();
    for (name, bytes) in [
        ("inbox/2", LATIN),
        ("inbox/11", LATIN),
        ("inbox/.mh_sequences", b"unseen: 11\n"),
        ("context", b"x: y\n"),
    ] {
        sandbox.write(&format!("mh/{name}"), bytes);
    }
    let run = sandbox.run(&["check", "mh"]).ended(0);
    assert!(run.text().starts_with("mh: 2 messages, MH, "), "{run:?}");
    assert!(
        run.text()
            .contains("left alone  2 files that are no mail, 1 message that loses its flags\n"),
        "{run:?}"
    );
    assert_eq!(sandbox.run(&["count", "mh"]).ended(0).text(), "2\tmh\n");
    for form in ["eml", "mbox", "maildir"] {
        sandbox
            .run(&["normalize", "mh", "-o", form, "--to", form])
            .ended(0);
        sandbox
            .run(&["restore", form, "-o", &format!("back-{form}")])
            .ended(0);
        let run = sandbox.shell(&format!("diff -r mh back-{form}")).ended(0);
        assert!(run.out.is_empty());
    }
    let mut flags: Vec<_> = fs::read_dir(sandbox.path("maildir/.inbox/cur"))
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .rsplit_once(',')
                .unwrap()
                .1
                .to_owned()
        })
        .collect();
    flags.sort();
    assert_eq!(flags, ["", "S"]);
}

#[test]
fn policies_reach_the_messages() {
    let sandbox = Sandbox::new();
    let clean = |options: &[&str]| {
        let args = [
            &["normalize", "message.eml", "-o", "out.eml", "--force"],
            options,
        ]
        .concat();
        sandbox.run(&args).ended(0);
        String::from_utf8_lossy(&sandbox.read("out.eml")).into_owned()
    };
    assert!(clean(&[]).contains("Subject: =?UTF-8?"));
    assert!(clean(&["--headers", "raw-utf8"]).contains("Subject: Grüße"));
    assert!(clean(&["--headers", "keep"]).contains("Subject: =?iso-8859-1?Q?Gr=FC=DFe?="));
    assert!(clean(&["--transfer", "7bit"]).is_ascii());
    sandbox.write("message.eml", b"Subject: x\n\n\xf0\xd2\xc9\xd7\n");
    assert!(clean(&["--default-charset", "koi8-r"]).contains("Прив"));
    sandbox.write(
        "message.eml",
        &[b"DKIM-Signature: v=1; a=rsa-sha256\n", LATIN].concat(),
    );
    assert!(clean(&["--keep-signed"]).contains("iso-8859-1"));
    assert!(clean(&[]).contains("It’s"));
}

#[test]
fn losses_are_replaced_only_where_a_ledger_keeps_them() {
    let sandbox = Sandbox::new();
    let lossy = lossy();
    sandbox.write("lossy.eml", &lossy);
    let run = sandbox
        .run(&["normalize", "lossy.eml", "-o", "a.eml", "--fail-on", "loss"])
        .ended(3);
    assert!(run.err.contains("charset.invalid-bytes"), "{}", run.err);
    assert!(
        String::from_utf8(sandbox.read("a.eml"))
            .unwrap()
            .contains("日本語のテキストです。\n\u{FFFD}")
    );
    let run = sandbox
        .run(&["normalize", "lossy.eml", "-o", "b.eml", "--ledger", "none"])
        .ended(0);
    assert!(run.err.contains("reversible: no"), "{}", run.err);
    assert_eq!(sandbox.read("b.eml"), lossy);
    assert!(!sandbox.path("b.eml.ledger").exists());
    sandbox
        .run(&[
            "normalize",
            "lossy.eml",
            "-o",
            "c.eml",
            "--ledger",
            "none",
            "--on-loss",
            "replace",
        ])
        .ended(0);
    assert_eq!(sandbox.read("c.eml"), sandbox.read("a.eml"));
    sandbox
        .run(&[
            "normalize",
            "lossy.eml",
            "-o",
            "d.eml",
            "--on-loss",
            "keep",
            "--ledger",
            "d.l",
        ])
        .ended(0);
    assert_eq!(sandbox.read("d.eml"), lossy);
    sandbox
        .run(&["restore", "d.eml", "--ledger", "d.l", "-o", "e.eml"])
        .ended(0);
    assert_eq!(sandbox.read("e.eml"), lossy);
}

#[test]
fn fail_on_names_what_counts() {
    let sandbox = Sandbox::new();
    for (what, code) in [("loss", 0), ("repair", 3), ("any", 3)] {
        sandbox
            .run(&["check", "--fail-on", what, "archive.mbox"])
            .ended(code);
        sandbox
            .run(&[
                "normalize",
                "archive.mbox",
                "-o",
                "out.mbox",
                "--force",
                "--fail-on",
                what,
            ])
            .ended(code);
        assert!(
            sandbox.path("out.mbox").exists(),
            "the output is written all the same"
        );
    }
    sandbox.write("plain.eml", b"Subject: x\n\nplain\n");
    sandbox
        .run(&["check", "--fail-on", "any", "plain.eml"])
        .ended(0);
}

#[test]
fn what_is_missing_is_no_finding_and_no_next_step() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["check", "missing", "--fail-on", "any"])
        .ended(2);
    sandbox
        .run(&["check", "--json", "missing", "--fail-on", "any"])
        .ended(2);
    let run = sandbox
        .run(&["check", "missing", "archive.mbox", "--fail-on", "any"])
        .ended(2);
    assert!(
        run.text()
            .ends_with("\nnext: mailglot normalize archive.mbox -o archive.utf8.mbox\n"),
        "{run:?}"
    );
    sandbox
        .run(&["check", "archive.mbox", "--fail-on", "any"])
        .ended(3);
}

#[test]
fn a_damaged_ledger_restores_nothing() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "clean.mbox"])
        .ended(0);
    let mut ledger = sandbox.read("clean.mbox.ledger");
    let middle = ledger.len() / 2;
    ledger[middle] ^= 1;
    sandbox.write("bad.ledger", &ledger);
    let run = sandbox
        .run(&[
            "restore",
            "clean.mbox",
            "-o",
            "original",
            "--ledger",
            "bad.ledger",
        ])
        .ended(4);
    assert!(run.err.contains("bad.ledger"), "{}", run.err);
    assert!(!sandbox.path("original").exists());
    sandbox
        .run(&[
            "restore",
            "archive.mbox",
            "-o",
            "original",
            "--ledger",
            "clean.mbox.ledger",
        ])
        .ended(4);
    assert!(!sandbox.path("original").exists());
}

#[test]
fn check_tells_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    let run = sandbox.run(&["check", "archive.mbox"]).ended(0);
    for words in [
        "archive.mbox: 2 messages, mbox, LF, ",
        "would change 2 of 2 messages",
        "koi8-r → KOI8-R",
        "charset.superset",
        "e.g. repairs\n  charset.superset  archive.mbox:0 part 1 at ",
        "ambiguous ",
        "next: mailglot normalize archive.mbox -o archive.utf8.mbox",
    ] {
        assert!(run.text().contains(words), "{words}: {}", run.text());
    }
    assert!(!run.text().contains('\u{1b}'), "colors only on a terminal");
    assert_eq!(sandbox.names(), before);
    let next = run.text().split("next: ").nth(1).unwrap().trim();
    sandbox.shell(next).ended(0);
    assert!(sandbox.path("archive.utf8.mbox").exists());
}

#[test]
fn check_in_json() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["check", "--json", "archive.mbox", "Maildir"])
        .ended(0);
    let account: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(account["messages_in"], 3);
    assert_eq!(account["sources"][1]["messages"], 1);
    assert_eq!(run.text().lines().count(), 1);
}

#[test]
fn count_is_a_line_a_file() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["count", "archive.mbox", "Maildir", "message.eml"])
        .ended(0);
    assert_eq!(run.text(), "2\tarchive.mbox\n1\tMaildir\n1\tmessage.eml\n");
    let run = sandbox
        .pipe(&["count", "-"], &sandbox.read("archive.mbox"))
        .ended(0);
    assert_eq!(run.text(), "2\t-\n");
    let run = sandbox.run(&["count", "missing", "archive.mbox"]).ended(2);
    assert_eq!(run.text(), "2\tarchive.mbox\n");
    assert!(run.err.contains("mailglot: missing: "), "{}", run.err);
}

#[test]
fn names_in_counts_do_not_break_lines() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let name = std::ffi::OsStr::from_bytes(b"a\nb\tc\xff.mbox");
    fs::write(sandbox.path("").join(name), mbox(&[LATIN])).unwrap();
    let run = sandbox.run(&[std::ffi::OsStr::new("count"), name]).ended(0);
    assert_eq!(run.out, b"1\ta\xe2\x90\x8ab\xe2\x90\x89c\xff.mbox\n");
}

#[test]
fn standard_input_has_addresses_and_is_read_once() {
    let sandbox = Sandbox::new();
    let archive = sandbox.read("archive.mbox");
    let run = sandbox
        .pipe(&["inspect", "-:1", "--json"], &archive)
        .ended(0);
    assert!(
        run.text().starts_with("{\"message\":\"-:1\"") && run.text().lines().count() == 1,
        "{run:?}"
    );
    assert_eq!(
        sandbox
            .pipe(&["inspect", "--json", "-"], &archive)
            .ended(0)
            .text()
            .lines()
            .count(),
        2
    );
    let run = sandbox.run(&["inspect", "--jsn", "message.eml"]).ended(1);
    assert!(run.err.contains("--jsn"), "{run:?}");
    for args in [
        &["normalize", "-", "-", "-o", "out"][..],
        &["check", "-", "message.eml", "-"],
        &["text", "-", "-"],
        &["count", "-", "-"],
    ] {
        let run = sandbox.pipe(args, &archive).ended(1);
        assert!(
            run.err.contains("standard input (-) is given twice") && run.out.is_empty(),
            "{run:?}"
        );
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn jobs_that_differ_have_other_options_in_their_reports() {
    let sandbox = Sandbox::new();
    let mut seen = std::collections::HashSet::new();
    for more in [
        &[][..],
        &["--attachments", "utf-8"],
        &["--repair", "mojibake"],
        &["--repair", "nested"],
        &["--charset-out", "iso-2022-jp"],
        &["--ledger", "none"],
        &["--ledger", "l"],
        &["--transfer", "7bit"],
    ] {
        let line = [
            "normalize",
            "archive.mbox",
            "-o",
            "out",
            "--report",
            "report",
            "--force",
        ];
        sandbox.run(&[&line[..], more].concat()).ended(0);
        let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report")).unwrap();
        assert!(seen.insert(report["options"].to_string()), "{more:?}");
    }
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let sandbox = Sandbox::new();
    let closed = sandbox.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("notes"), "no mail").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Who may read everything (root) finds no mail there.
    for command in ["count", "check", "text", "inspect"] {
        for bad in ["missing.mbox", "closed"] {
            let run = sandbox.run(&[command, bad]);
            assert_eq!(run.code, 2, "{command} {bad}: {run:?}");
            assert!(run.err.contains(bad), "{command} {bad}: {}", run.err);
        }
        let run = sandbox.run(&[command, "missing.mbox", "message.eml"]);
        assert_eq!(run.code, 2, "{command}: {run:?}");
        assert!(!run.out.is_empty(), "{command}");
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_message_comes_back_from_the_ledger_of_a_gateway() {
    let sandbox = Sandbox::new();
    let note = br#"{"msg":"4F2","action":"normalize"}"#;
    let (ledger, _) =
        mailglot_archive::ledger::write_whole(Vec::new(), LATIN, note, "test").unwrap();
    sandbox.write("4F2.ledger", &ledger);
    let run = sandbox
        .run(&[
            "-v",
            "restore",
            "--ledger",
            "4F2.ledger",
            "-o",
            "original.eml",
        ])
        .ended(0);
    assert!(
        run.err.contains(r#"{"msg":"4F2","action":"normalize"}"#),
        "{}",
        run.err
    );
    assert!(run.err.contains("reversible: yes (checked)"), "{}", run.err);
    assert_eq!(sandbox.read("original.eml"), LATIN);
    sandbox
        .run(&["restore", "--ledger", "4F2.ledger", "--verify-only"])
        .ended(0);
    sandbox
        .run(&[
            "restore",
            "message.eml",
            "--ledger",
            "4F2.ledger",
            "--verify-only",
        ])
        .ended(4);
    sandbox.run(&["restore", "--verify-only"]).ended(1);
}

/// The summary names a command that lists each message number with the old name, also for messages without text.
#[test]
fn new_file_names_are_announced_with_the_list_of_old_ones() {
    let sandbox = Sandbox::new();
    let image = "Content-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lG\n";
    for (folder, names) in [
        ("tree", ["b.eml", "sub/a.eml"]),
        ("maildir", ["cur/1.x:2,S", "new/2.y"]),
    ] {
        for below in ["sub", "cur", "new", "tmp"] {
            if folder == "maildir" || below == "sub" {
                fs::create_dir_all(sandbox.path(folder).join(below)).unwrap();
            }
        }
        for name in names {
            let message = format!("Subject: {name}\n{image}");
            fs::write(sandbox.path(folder).join(name), message).unwrap();
        }
        let output = format!("{folder}.out");
        let run = sandbox.run(&["normalize", folder, "-o", &output]).ended(0);
        let command = format!("mailglot inspect --json {folder}");
        assert!(
            run.err
                .contains(&format!("`{command}` lists numbers and old names")),
            "{}",
            run.err
        );
        let list = sandbox.run(&["inspect", "--json", folder]).ended(0);
        let rows: Vec<serde_json::Value> = list
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), names.len(), "{rows:?}");
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row["message"], format!("{folder}:{number}"));
            let old = row["path"].as_str().unwrap();
            let subject = old.strip_prefix(&format!("{folder}/")).unwrap();
            let new = find(&sandbox.path(&output), &format!("{number:08}"));
            assert!(
                fs::read_to_string(&new)
                    .unwrap()
                    .contains(&format!("Subject: {subject}\n")),
                "{old} {}",
                new.display()
            );
        }
        sandbox.run(&["restore", &output, "-o", "back"]).ended(0);
        for name in names {
            assert_eq!(
                sandbox.read(&format!("back/{name}")),
                sandbox.read(&format!("{folder}/{name}"))
            );
        }
        fs::remove_dir_all(sandbox.path("back")).unwrap();
    }
}

/// Returns the file below `folder` whose name begins with `start`.
fn find(folder: &Path, start: &str) -> PathBuf {
    let (mut open, mut found) = (vec![folder.to_path_buf()], None);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(start)
            {
                found = Some(path);
            }
        }
    }
    found.expect(start)
}
