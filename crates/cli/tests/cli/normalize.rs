//! `normalize`

use crate::sandbox::{LATIN, Sandbox, lossy};
use std::fs;

/// The output has the form of the input, also of standard input.
#[test]
fn a_message_on_standard_input_stays_one_message() {
    let sandbox = Sandbox::new();
    let length = [b"Content-Length: 3\n", LATIN].concat();
    for (name, message) in [
        ("a", LATIN),
        ("b", &length),
        ("c", &LATIN[..LATIN.len() - 1]),
    ] {
        sandbox.write("in.eml", message);
        let (file, piped) = (format!("{name}.file"), format!("{name}.piped"));
        sandbox.run(&["normalize", "in.eml", "-o", &file]).ended(0);
        sandbox
            .pipe(&["normalize", "-", "-o", &piped], message)
            .ended(0);
        assert_eq!(sandbox.read(&piped), sandbox.read(&file), "{name}");
        let back = format!("{name}.back");
        sandbox.run(&["restore", &piped, "-o", &back]).ended(0);
        assert_eq!(sandbox.read(&back), message, "{name}");
        let mailbox = format!("{name}.mbox");
        let to_mbox = ["normalize", "-", "--to", "mbox", "-o", &mailbox];
        sandbox.pipe(&to_mbox, message).ended(0);
        assert!(
            sandbox
                .read(&mailbox)
                .starts_with(b"From joerg@example.org ")
        );
    }
    let archive = sandbox.read("archive.mbox");
    sandbox
        .pipe(&["normalize", "-", "-o", "piped"], &archive)
        .ended(0);
    assert!(sandbox.read("piped").starts_with(b"From "));
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
            .contains("other examples\n  charset.superset  archive.mbox:0 part 1 at "),
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
        run.text().contains("\nnot kept    flags of 1 message\n"),
        "{run:?}"
    );
    assert!(
        run.text()
            .contains("\nnot read    2 files that are not mail\n"),
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
