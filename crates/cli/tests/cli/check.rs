//! `check` and `count`, and the exit codes of `--fail-on`

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;

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
        "examples of repairs\n  charset.superset  archive.mbox:0 part 1 at ",
        "to review   0 doubtful separators, 0 suspected charsets\n",
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
fn a_check_tells_what_options_of_normalize_would_do() {
    let sandbox = Sandbox::new();
    for (subject, option, code) in [
        (
            "=?utf-8?Q?sch=C3=83=C2=B6ne?=",
            "--repair=mojibake",
            "ew.mojibake",
        ),
        ("Gr&uuml;&szlig;e", "--repair=entities", "ew.entity"),
        ("$BF|K\\8l(B", "--repair=escapes", "ew.lost-escape"),
        (
            "=?utf-8?Q?=3D=3Fiso-8859-1=3FQ=3FCaf=3DE9=3F=3D?=",
            "--repair=nested",
            "ew.nested",
        ),
        (
            "=?utf-8?B?MTAg4oKs?=",
            "--charset-out=iso-2022-jp",
            "charset.beyond-out",
        ),
        (
            "=?utf-8?B?7722776A7722776F?=",
            "--charset-out=iso-2022-jp",
            "charset.look-alike",
        ),
    ] {
        let message = format!("Subject: {subject}\n\nplain\n");
        sandbox.write("one.eml", message.as_bytes());
        for command in ["check", "inspect"] {
            let without = sandbox.run(&[command, "-v", "one.eml"]).ended(0);
            assert!(!without.text().contains(code), "{command} {option}");
            let with = sandbox.run(&[command, "-v", option, "one.eml"]).ended(0);
            assert!(with.text().contains(code), "{option}: {}", with.text());
        }
        let next = sandbox.run(&["check", option, "one.eml"]).ended(0);
        let (option, value) = option.split_once('=').unwrap();
        let next_words = format!("next: mailglot normalize {option} {value} one.eml");
        assert!(next.text().contains(&next_words), "{}", next.text());
    }
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
    let steps = "\nfirst: see standard error for inputs that were not read; the output would lack them\n\
                 next: mailglot normalize archive.mbox -o archive.utf8.mbox\n";
    assert!(run.text().ends_with(steps), "{run:?}");
    sandbox
        .run(&["check", "archive.mbox", "--fail-on", "any"])
        .ended(3);
}

#[test]
fn guesses_end_with_the_options_that_correct_them() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.eml",
        b"Subject: x\n\nLe caf\xe9 pr\xe8s de la gare est ferm\xe9\n",
    );
    let hint = "\n  to set the charset of text without a usable label: --default-charset koi8-r\n";
    let run = sandbox.run(&["check", "a.eml"]).ended(0);
    assert!(
        run.text().contains(hint) && !run.text().contains("--detect"),
        "{run:?}"
    );
    let corrected = ["check", "a.eml", "--default-charset", "koi8-r"];
    let run = sandbox.run(&corrected).ended(0);
    assert!(run.text().contains("(none) → KOI8-R"), "{run:?}");
    assert!(!run.text().contains("guesses"), "{run:?}");
}

#[test]
fn a_message_from_standard_input_is_no_finding() {
    let sandbox = Sandbox::new();
    let plain = b"Subject: x\n\nplain\n";
    sandbox
        .pipe(&["check", "--fail-on", "any", "-"], plain)
        .ended(0);
    let separators =
        b"Subject: x\n\nhe wrote:\n\nFrom a@b.example Mon Jan  1 00:00:00 2001\nSubject: y\n\nz\n";
    let run = sandbox
        .pipe(&["check", "--fail-on", "any", "-"], separators)
        .ended(3);
    assert!(
        run.text().contains(", 1 input read as one message\n"),
        "{run:?}"
    );
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
