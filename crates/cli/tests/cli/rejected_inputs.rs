//! Inputs that are rejected or skipped, and mailboxes with doubtful separators.

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn what_is_not_read_is_refused_with_the_tool_for_it() {
    let sandbox = Sandbox::new();
    let before = sandbox.read("archive.mbox");
    let wide: Vec<u8> = before.iter().flat_map(|&byte| [byte, 0]).collect();
    for (name, bytes, words) in [
        ("a.Z", b"\x1f\x9d\x90\0".to_vec(), "gzip -dc a.Z | mailglot"),
        (
            "a.eml",
            [&b"\xff\xfe"[..], &wide].concat(),
            "mailglot convert -f utf-16 -t utf-8 a.eml | mailglot",
        ),
        ("a.mbox", wide, "text in UTF-16, which is not supported"),
    ] {
        sandbox.write(name, &bytes);
        for args in [
            &["check", name][..],
            &["text", name],
            &["count", name],
            &["normalize", name, "-o", "out"],
        ] {
            let run = sandbox.run(args).ended(2);
            assert!(
                run.err.starts_with(&format!("mailglot: {name}: ")) && run.err.contains(words),
                "{}",
                run.err
            );
        }
        let run = sandbox.pipe(&["check", "-"], &bytes).ended(2);
        assert!(
            run.err
                .contains("which is not supported; pipe the content in: "),
            "{}",
            run.err
        );
        fs::remove_file(sandbox.path(name)).unwrap();
    }
    assert!(!sandbox.path("out").exists());
}

/// Headers between the messages of sdbox and mdbox would become text of one message.
#[test]
fn dbox_files_of_dovecot_are_refused_with_the_command_that_exports_them() {
    let sandbox = Sandbox::new();
    let message = b"\x01\x02N   0000000000000139\nFrom: a@example.org\nSubject: x\n\nwords\n\n\x01\x03\nR4b3c2a11\nG0123\n\n";
    let file = [&b"2 M1e C4b3c2a11\n"[..], message, message].concat();
    fs::create_dir_all(sandbox.path("mdbox/storage")).unwrap();
    fs::create_dir_all(sandbox.path("sdbox/mailboxes/INBOX/dbox-Mails")).unwrap();
    sandbox.write("mdbox/storage/m.1", &file);
    sandbox.write("mdbox/storage/dovecot.map.index", b"\x07\x03");
    sandbox.write("sdbox/mailboxes/INBOX/dbox-Mails/u.1", &file);
    sandbox.shell("gzip -kc mdbox/storage/m.1 > m.gz").ended(0);
    let advice = "; export the mail first: doveadm backup -u USER maildir:PATH\n";
    for (input, words) in [
        (
            "mdbox/storage/m.1",
            "a dbox file of Dovecot, which is not supported",
        ),
        ("m.gz", "a dbox file of Dovecot, which is not supported"),
        (
            "mdbox",
            "no mail found (a dbox file of Dovecot, left as it is: storage/m.1)",
        ),
        (
            "sdbox",
            "no mail found (a dbox file of Dovecot, left as it is: mailboxes/INBOX/dbox-Mails/u.1)",
        ),
    ] {
        for args in [
            &["check", input][..],
            &["count", input],
            &["text", input],
            &["normalize", input, "-o", "out"],
        ] {
            let run = sandbox.run(args).ended(2);
            let line = format!("mailglot: {input}: {words}{advice}");
            assert!(run.err.starts_with(&line), "{args:?}: {}", run.err);
        }
    }
    let run = sandbox.pipe(&["check", "-"], &file).ended(2);
    assert!(run.err.contains(advice), "{}", run.err);
    assert!(!sandbox.path("out").exists());
    // A message that quotes such a file is mail.
    let quoting = [&b"Subject: x\n\n"[..], &file].concat();
    sandbox.write("quoting.eml", &quoting);
    sandbox.run(&["check", "quoting.eml"]).ended(0);
}

#[test]
fn doubtful_separators_stand_in_the_first_lines() {
    let sandbox = Sandbox::new();
    let message = |fields: &str, body: &str| {
        format!(
            "From a@b.example Mon Jan  1 00:00:00 2001\nFrom: a@b.example\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\
             {fields}\n{body}\n\n"
        )
    };
    let delimiter = "--b1\nContent-Type: text/plain\n\nwords";
    let cut = message(
        "Content-Type: multipart/mixed; boundary=b1\n",
        &format!("{delimiter}\n{delimiter}"),
    );
    let mailbox = [
        cut,
        message("", "x"),
        message("", &format!("so:\n\n{delimiter}")),
    ]
    .concat();
    sandbox.write("cut.mbox", mailbox.as_bytes());
    let run = sandbox.run(&["check", "cut.mbox"]).ended(0);
    let lines: Vec<_> = run.text().lines().take(2).collect();
    assert!(lines[0].starts_with("cut.mbox: 3 messages"), "{lines:?}");
    assert_eq!(
        lines[1],
        "to review   1 doubtful separator, 0 suspected charsets"
    );
    assert_eq!(
        sandbox
            .run(&["check", "--json", "cut.mbox"])
            .ended(0)
            .json()["doubtful_separators"],
        1
    );
    let run = sandbox
        .run(&[
            "normalize",
            "cut.mbox",
            "-o",
            "out",
            "--report",
            "report.json",
        ])
        .ended(0);
    let lines: Vec<_> = run.err.lines().take(2).collect();
    assert_eq!(
        lines,
        [
            "messages    3 in = 3 written + 0 set aside",
            "to review   1 doubtful separator, 0 suspected charsets"
        ]
    );
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report.json")).unwrap();
    assert_eq!(report["summary"]["doubtful_separators"], 1);
    let example = report["summary"]["examples"]
        .as_array()
        .unwrap()
        .iter()
        .find(|example| example["code"] == "mbox.ambiguous-from");
    let detail = example.unwrap()["detail"].as_str().unwrap();
    let at = |number: usize| mailbox.match_indices("--b1\n").nth(number).unwrap().0;
    let offsets = format!(
        "opened at {} is open and its delimiter comes again at {}",
        at(1),
        at(2)
    );
    assert!(detail.contains(&offsets), "{detail}");
    assert!(
        sandbox
            .run(&["check", "message.eml"])
            .ended(0)
            .text()
            .contains("\nto review   0 doubtful separators, 0 suspected charsets\n")
    );
}

#[test]
fn links_and_special_files_are_counted_in_the_summary() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("boxes")).unwrap();
    sandbox.write("boxes/a.mbox", &mbox(&[LATIN]));
    symlink("../archive.mbox", sandbox.path("boxes/b.mbox")).unwrap();
    sandbox
        .shell("mkfifo boxes/c.mbox && cp -r boxes tree && mv tree/a.mbox tree/a.eml")
        .ended(0);
    symlink("1.a.host:2,S", sandbox.path("Maildir/cur/2.a.host:2,S")).unwrap();
    let line = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("not read"))
            .map(str::to_owned)
    };
    for (input, count) in [("boxes", 2), ("tree", 2), ("Maildir", 1)] {
        let words = if count == 1 {
            "1 link or special file"
        } else {
            "2 links and special files"
        };
        let words = Some(format!("not read    {words}"));
        let out = format!("{input}.out");
        assert_eq!(
            line(&sandbox.run(&["normalize", input, "-o", &out]).ended(0).err),
            words,
            "{input}"
        );
        assert_eq!(
            line(sandbox.run(&["check", input]).ended(0).text()),
            words,
            "{input}"
        );
        let told = sandbox.run(&["-v", "check", input]).ended(0);
        assert_eq!(
            told.text().matches("box.not-followed  ").count(),
            count,
            "{told:?}"
        );
    }
    assert_eq!(
        line(sandbox.run(&["check", "archive.mbox"]).ended(0).text()),
        None
    );
    // A folder of nothing else says what is there.
    fs::remove_file(sandbox.path("boxes/a.mbox")).unwrap();
    let run = sandbox.run(&["check", "boxes"]).ended(2);
    assert!(run.err.contains("no mail found (s"), "{}", run.err);
}

/// Opening a named pipe would wait until somebody writes, and some devices never end.
#[test]
fn pipes_and_devices_that_are_named_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.shell("printf 'From a@b.c Mon Jan  1 00:00:00 2001\\nFrom: a@b.c\\nSubject: x\\n\\nwords\\n\\n' > box.mbox; mkfifo pipe pipe.mbox pipe.eml").ended(0);
    for input in ["pipe", "pipe.mbox", "pipe.eml", "/dev/zero", "/dev/null"] {
        for command in ["check", "count", "text", "inspect", "normalize -o out"] {
            let run = sandbox.shell(&format!("timeout 20 mailglot {command} {input}"));
            assert!(
                run.err.contains("which is not supported"),
                "{command} {input}: {run:?}"
            );
            assert!(!sandbox.path("out").exists());
        }
    }
    for input in [
        "- < box.mbox",
        "/dev/stdin < box.mbox",
        "- < <(cat box.mbox)",
        "<(cat box.mbox)",
    ] {
        let run = sandbox
            .shell(&format!("timeout 20 bash -c 'mailglot count {input}'"))
            .ended(0);
        assert!(run.text().contains('1'), "{input}: {}", run.text());
    }
}

/// A Maildir whose messages lie elsewhere, a mailbox behind a link, a loop and a link to nothing.
#[test]
fn links_are_followed_on_request() {
    let sandbox = Sandbox::new();
    sandbox
        .shell("mkdir -p tree/md/new tree/md/tmp tree/boxes elsewhere && mv Maildir/cur elsewhere/cur && mkfifo elsewhere/pipe")
        .ended(0);
    for (target, link) in [
        ("../../elsewhere/cur", "tree/md/cur"),
        ("../../archive.mbox", "tree/boxes/linked.mbox"),
        ("..", "tree/boxes/loop"),
        ("nowhere", "tree/boxes/gone.mbox"),
        ("../../elsewhere/pipe", "tree/boxes/pipe.mbox"),
    ] {
        symlink(target, sandbox.path(link)).unwrap();
    }
    let counted = sandbox.run(&["count", "--follow-links", "tree"]).ended(0);
    assert_eq!(counted.text(), "2\ttree/boxes/linked.mbox\n1\ttree/md\n");
    let run = sandbox
        .run(&["-v", "normalize", "--follow-links", "tree", "-o", "out"])
        .ended(0);
    for line in [
        "symbolic link to nothing: boxes/gone.mbox",
        "folder read at another path, not read again: boxes/loop",
        "special file not followed: boxes/pipe.mbox",
        "3 in = 3 written",
    ] {
        assert!(run.err.contains(line), "{line}: {}", run.err);
    }
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    sandbox
        .shell("cmp back/boxes/linked.mbox archive.mbox && diff -r back/md/cur elsewhere/cur")
        .ended(0);
    let run = sandbox.run(&["check", "--follow-links", "tree"]).ended(0);
    assert!(
        run.text().contains("normalize --follow-links tree"),
        "{}",
        run.text()
    );
    // The folder behind the link is an input.
    let run = sandbox
        .run(&[
            "normalize",
            "--follow-links",
            "tree",
            "-o",
            "elsewhere/cur/out",
        ])
        .ended(1);
    assert!(
        run.err.contains("the output lies inside an input"),
        "{}",
        run.err
    );
}
