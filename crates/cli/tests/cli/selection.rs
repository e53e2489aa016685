//! `--since`, `--until`, `--folder`, `--dedupe`, `--limit`, `--mbox-rule`, `--mbox-override` and `--max-message`

use crate::sandbox::{Sandbox, mbox};
use std::fs;

/// A mailbox with messages of 1999, 2001, without a date, and of 2003.
fn years() -> Vec<u8> {
    let dated = |date: &str| format!("From: a@b\nDate: {date}\nSubject: {date}\n\ntext\n");
    let messages = [
        dated("Fri, 31 Dec 1999 23:30:00 -0100"),
        dated("Thu, 17 May 2001 10:30:00 +0200"),
        dated("soon"),
        dated("Wed, 1 Jan 2003 00:00:00 +0000"),
    ];
    // Their separators have no date either.
    let entry = |message: &String| format!("From a@b\n{message}\n");
    messages.iter().map(entry).collect::<String>().into_bytes()
}

#[test]
fn messages_are_selected_by_date_and_number() {
    let sandbox = Sandbox::new();
    sandbox.write("y.mbox", &years());
    for (options, count) in [
        (&["--since", "2000"][..], 4),
        (&["--since", "2000", "--strict"], 3),
        (&["--since", "2000-01-01T00:30"], 4),
        (&["--since", "2000-01-01T00:31"], 3),
        (&["--until", "2001-05-17T08:29"], 2),
        (&["--until", "2001-05-17T08:30"], 3),
        (&["--until", "2001-05", "--strict"], 2),
        (&["--until", "2002", "--strict"], 2),
        (&["--since", "2001", "--until", "2001", "--strict"], 1),
        (&["--limit", "2"], 2),
        (&["--limit", "0"], 0),
        (&["--since", "2001", "--limit", "1"], 1),
        (&["--strict"], 4),
    ] {
        let ls = sandbox.run(&[&["ls", "y.mbox"], options].concat()).ended(0);
        assert_eq!(
            ls.text().lines().count(),
            count,
            "{options:?}: {}",
            ls.text()
        );
        let text = sandbox
            .run(&[&["text", "--json", "y.mbox"], options].concat())
            .ended(0);
        assert_eq!(text.text().lines().count(), count, "{options:?}");
        let counted = sandbox
            .run(&[&["count", "y.mbox"], options].concat())
            .ended(0);
        assert_eq!(counted.text(), format!("{count}\ty.mbox\n"), "{options:?}");
    }
    for wrong in ["2001-02-30", "yesterday", "", "01-01-2001"] {
        let run = sandbox.run(&["ls", "--since", wrong, "y.mbox"]).ended(1);
        assert!(run.err.contains("is not a date"), "{}", run.err);
    }
}

/// What is left out is counted, and the ledger gives it back.
#[test]
fn a_selected_archive_is_restored_whole() {
    let sandbox = Sandbox::new();
    sandbox.write("y.mbox", &years());
    let options = ["--since", "2001", "--strict", "--limit", "1"];
    let run = sandbox
        .run(
            &[
                &[
                    "normalize",
                    "y.mbox",
                    "-o",
                    "out.mbox",
                    "--report",
                    "r.json",
                ],
                &options[..],
            ]
            .concat(),
        )
        .ended(0);
    assert!(
        run.err
            .contains("messages    4 in = 1 written + 0 set aside + 3 left out on request"),
        "{}",
        run.err
    );
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
    assert_eq!(report["identity"]["dropped"], 3);
    assert_eq!(report["identity"]["holds"], true);
    assert_eq!(report["options"]["selection"]["limit"], 1);
    assert_eq!(
        sandbox.run(&["count", "out.mbox"]).ended(0).text(),
        "1\tout.mbox\n"
    );
    let run = sandbox
        .run(&["restore", "out.mbox", "-o", "back.mbox"])
        .ended(0);
    assert!(
        run.err.contains("3 messages that a selection left out"),
        "{}",
        run.err
    );
    assert_eq!(sandbox.read("back.mbox"), years());
    // None is written, and all come back.
    let none = [
        "normalize",
        "y.mbox",
        "-o",
        "none.mbox",
        "--since",
        "2010",
        "--strict",
    ];
    sandbox.run(&none).ended(0);
    assert_eq!(sandbox.read("none.mbox"), b"");
    sandbox
        .run(&["restore", "none.mbox", "-o", "back2.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("back2.mbox"), years());
    let run = sandbox
        .run(&["check", "--since", "2001", "--strict", "y.mbox"])
        .ended(0);
    assert!(
        run.text()
            .contains("mailglot normalize --since 2001 --strict y.mbox"),
        "{}",
        run.text()
    );
}

#[test]
fn large_and_small_messages_are_left_out_alike() {
    let sandbox = Sandbox::new();
    let large = format!(
        "From: a@b\nDate: 1 Jan 2001 00:00:00 +0000\n\n{}",
        "a line\n".repeat(400_000)
    );
    let small = "From: a@b\nDate: 1 Jan 2002 00:00:00 +0000\n\nx\n";
    let bytes = mbox(&[small.as_bytes(), large.as_bytes(), small.as_bytes()]);
    sandbox.write("l.mbox", &bytes);
    for (option, dropped) in [("--since", 1), ("--until", 2)] {
        let year = if option == "--since" { "2002" } else { "2001" };
        let out = format!("out{option}.mbox");
        let run = sandbox
            .run(&[
                "normalize",
                "l.mbox",
                "-o",
                &out,
                option,
                year,
                "--max-message",
                "100K",
            ])
            .ended(0);
        assert!(
            run.err.contains(&format!("+ {dropped} left out")),
            "{}",
            run.err
        );
        let back = format!("back{option}.mbox");
        sandbox.run(&["restore", &out, "-o", &back]).ended(0);
        assert!(sandbox.read(&back) == bytes, "{option}");
    }
}

#[test]
fn folders_are_selected_by_pattern() {
    let sandbox = Sandbox::new();
    for folder in [
        "Maildir/.Sent/cur",
        "Maildir/.Lists.a/cur",
        "tree/lists/old",
        "two/anna/.Sent/cur",
        "two/anna/cur",
        "two/anna/new",
        "two/boris/.Sent/cur",
        "two/boris/cur",
        "two/boris/new",
    ] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    for name in [
        "Maildir/.Sent/cur/2.b.host:2,S",
        "Maildir/.Lists.a/cur/3.b.host:2,",
        "two/anna/cur/1.b.host:2,",
        "two/anna/.Sent/cur/2.b.host:2,",
        "two/boris/.Sent/cur/3.b.host:2,",
    ] {
        sandbox.write(name, b"From: a@b\nSubject: s\n\nx\n");
    }
    for name in [
        "tree/inbox.mbox",
        "tree/lists/a.mbox",
        "tree/lists/old/a.mbox",
    ] {
        sandbox.write(name, &mbox(&[b"From: a@b\nSubject: s\n\nx\n"]));
    }
    for (input, pattern, count) in [
        ("Maildir", "Sent", 1),
        ("Maildir", "Lists/*", 1),
        ("Maildir", "*", 3),
        ("Maildir", "", 1),
        ("tree", "lists/*", 2),
        ("tree", "lists/?.mbox", 1),
        ("tree", "*.MBOX", 0),
        ("two", "Sent", 2),
        ("two", "anna/Sent", 1),
        ("two", "*/Sent", 2),
        ("two", "anna", 1),
        ("two", "", 0),
    ] {
        let run = sandbox.run(&["ls", "--folder", pattern, input]).ended(0);
        assert_eq!(
            run.text().lines().count(),
            count,
            "{input} {pattern}: {}",
            run.text()
        );
    }
    let run = sandbox
        .run(&["normalize", "tree", "-o", "out", "--folder", "lists/*"])
        .ended(0);
    assert!(
        run.err
            .contains("3 in = 2 written + 0 set aside + 1 left out"),
        "{}",
        run.err
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    assert_eq!(
        sandbox.read("back/inbox.mbox"),
        sandbox.read("tree/inbox.mbox")
    );
}

#[test]
fn the_rule_for_separators_can_be_given() {
    let sandbox = Sandbox::new();
    let separator = "From a@b Mon Jan  1 00:00:00 2001\n";
    let message = "From: a@b\nSubject: s\n\none\n";
    let undated = format!(
        "{separator}{message}\nFrom here we go\n\nFrom x\nSubject: t\n\ntwo\n\n{separator}{message}\n"
    );
    sandbox.write("u.mbox", undated.as_bytes());
    let inner = format!("{separator}From: quoted@b\n\nx\n");
    let lengths = format!(
        "{separator}Content-Length: {}\n{message}\n{inner}\n{separator}{message}\n",
        "one\n\n".len() + inner.len()
    );
    sandbox.write("cl.mbox", lengths.as_bytes());
    let mmdf = format!(
        "\x01\x01\x01\x01\n{message}\x01\x01\x01\x01\n\x01\x01\x01\x01\n{message}\x01\x01\x01\x01\n"
    );
    sandbox.write("m.mbox", mmdf.as_bytes());
    for (file, rule, count) in [
        ("u.mbox", "auto", 2),
        ("u.mbox", "strict", 2),
        ("u.mbox", "loose", 4),
        ("cl.mbox", "auto", 3),
        ("cl.mbox", "content-length", 2),
        ("m.mbox", "auto", 2),
        ("m.mbox", "mmdf", 2),
        ("u.mbox", "mmdf", 1),
    ] {
        let run = sandbox.run(&["count", "--mbox-rule", rule, file]).ended(0);
        assert_eq!(run.text(), format!("{count}\t{file}\n"), "{rule}");
        let out = format!("{rule}-{file}");
        sandbox
            .run(&["normalize", "--mbox-rule", rule, file, "-o", &out])
            .ended(0);
        let back = format!("back-{out}");
        sandbox.run(&["restore", &out, "-o", &back]).ended(0);
        assert_eq!(sandbox.read(&back), sandbox.read(file), "{rule} {file}");
    }
    sandbox
        .run(&["count", "--mbox-rule", "lax", "u.mbox"])
        .ended(1);
}

#[test]
fn single_separators_can_be_decided() {
    let sandbox = Sandbox::new();
    let separator = "From a@b Mon Jan  1 00:00:00 2001\n";
    let message = "From: a@b\nSubject: s\n\none\n";
    let text = format!("{separator}{message}\nFrom here we go\n\n{separator}{message}\n");
    sandbox.write("o.mbox", text.as_bytes());
    let doubtful = text.find("From here").unwrap();
    let second = text.rfind("From a@b Mon").unwrap();
    let count = |options: &[&str]| {
        let run = sandbox.run(&[&["count", "o.mbox"], options].concat());
        (run.code, run.text().split('\t').next().unwrap().to_owned())
    };
    let cut = format!("{doubtful}=cut");
    let join = format!("{second}=join");
    assert_eq!(count(&[]), (0, "2".to_owned()));
    assert_eq!(count(&["--mbox-override", &cut]), (0, "3".to_owned()));
    assert_eq!(count(&["--mbox-override", &join]), (0, "1".to_owned()));
    sandbox.write("list", format!("# both\n{cut}\n{join}\n").as_bytes());
    assert_eq!(count(&["--mbox-override", "@list"]), (0, "2".to_owned()));
    assert_eq!(count(&["--mbox-override", "5=cut"]).0, 0);
    // The first line, too: what precedes the second separator is then one message.
    let first = count(&["--mbox-override", "0=join"]);
    assert_eq!(first, (0, "2".to_owned()));
    let run = sandbox
        .run(&["check", "--json", "--mbox-override", "5=cut", "o.mbox"])
        .ended(0);
    assert_eq!(run.json()["events"]["mbox.unused-override"], 1);
    let run = sandbox
        .run(&["check", "--mbox-override", "5=cut", "o.mbox"])
        .ended(0);
    assert!(run.text().contains("\nno effect   1 override of an offset"));
    for wrong in ["5", "5=keep", "@missing", "x=cut"] {
        sandbox
            .run(&["count", "--mbox-override", wrong, "o.mbox"])
            .ended(1);
    }
    let run = sandbox
        .run(&["count", "--mbox-override", &cut, "o.mbox", "archive.mbox"])
        .ended(1);
    assert!(run.err.contains("exactly one input"), "{}", run.err);
    sandbox
        .run(&["count", "--mbox-override", &cut, "Maildir"])
        .ended(1);
}

#[test]
fn messages_that_are_not_selected_are_no_losses() {
    let sandbox = Sandbox::new();
    let check = |limit: &str, code: i32| {
        let options = ["--max-message", "100", "--fail-on", "loss", "--json"];
        let command = [&["check", "archive.mbox", "--limit", limit], &options[..]].concat();
        let run = sandbox.run(&command).ended(code);
        run.json()["events"]["msg.too-large"].clone()
    };
    assert_eq!(check("2", 3), 2);
    assert_eq!(check("1", 3), 1);
    assert_eq!(check("0", 0), serde_json::Value::Null);
}

#[test]
fn the_largest_message_can_be_set() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["text", "--max-message", "100", "message.eml"])
        .ended(2);
    assert_eq!(run.text(), "");
    sandbox
        .run(&["text", "--max-message", "1K", "message.eml"])
        .ended(0);
    let run = sandbox
        .run(&["check", "--json", "--max-message", "100", "archive.mbox"])
        .ended(0);
    assert_eq!(run.json()["events"]["msg.too-large"], 2);
    let run = sandbox
        .run(&[
            "normalize",
            "--max-message",
            "100",
            "archive.mbox",
            "-o",
            "out.mbox",
        ])
        .ended(0);
    assert!(
        run.err.contains("2 losses") || run.err.contains("msg.too-large"),
        "{}",
        run.err
    );
    sandbox
        .run(&["restore", "out.mbox", "-o", "back.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("back.mbox"), sandbox.read("archive.mbox"));
    for wrong in ["0", "1.5M", "big", "-1"] {
        sandbox
            .run(&["text", "--max-message", wrong, "message.eml"])
            .ended(1);
    }
}

/// Each archive has a line, although reading stops before the third.
#[test]
fn archives_after_the_limit_are_counted_too() {
    let sandbox = Sandbox::new();
    sandbox.write("y.mbox", &years());
    let words = [
        "count",
        "--limit",
        "3",
        "archive.mbox",
        "y.mbox",
        "message.eml",
    ];
    let run = sandbox.run(&words).ended(0);
    assert_eq!(run.text(), "2\tarchive.mbox\n1\ty.mbox\n0\tmessage.eml\n");
}

/// Two mailboxes and a Maildir. The second and third have messages of the first with another quoting, and some that differ a little.
fn copies(sandbox: &Sandbox) {
    let quoted = b"From: a@b\nSubject: q\n\n>From here\n";
    let received = b"Received: by c\nFrom: a@b\nSubject: q\n\n>From here\n";
    sandbox.write("a.mbox", &mbox(&[quoted, b"Subject: r\n\nx\n", quoted]));
    sandbox.write("b.mbox", &mbox(&[received, b"Subject: r\n\nx\n"]));
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(sandbox.path("md").join(folder)).unwrap();
    }
    sandbox.write("md/cur/1.host:2,S", b"From: a@b\nSubject: q\n\nFrom here\n");
    sandbox.write("md/cur/2.host:2,", b"Subject: r\r\n\r\nx\r\n");
    sandbox.write("md/cur/3.host:2,F", b"Subject: r\r\n\r\nx\r\n");
}

#[test]
fn duplicates_are_marked_with_the_address_of_the_first() {
    let sandbox = Sandbox::new();
    copies(&sandbox);
    let words = ["-v", "check", "--dedupe", "mark", "a.mbox", "b.mbox", "md"];
    let run = sandbox.run(&words).ended(0);
    for line in [
        "duplicates  4 messages read before",
        "  box.duplicate  a.mbox at 137: same bytes as a.mbox:0",
        "  box.duplicate  b.mbox at 93: same bytes as a.mbox:1",
        "  box.duplicate  md (md/cur/1.host:2,S) at 0: same bytes as a.mbox:0",
        "  box.duplicate  md (md/cur/3.host:2,F) at 0: same bytes as md:1",
    ] {
        assert!(run.text().contains(line), "{line}: {}", run.text());
    }
    assert!(
        run.text().contains("normalize --dedupe mark a.mbox"),
        "{}",
        run.text()
    );
    let plain = sandbox
        .run(&["normalize", "a.mbox", "b.mbox", "md", "-o", "plain"])
        .ended(0);
    assert!(!plain.err.contains("duplicates"), "{}", plain.err);
    let words = [
        "normalize",
        "--dedupe",
        "mark",
        "a.mbox",
        "b.mbox",
        "md",
        "-o",
        "marked",
    ];
    let marked = sandbox.run(&words).ended(0);
    assert!(marked.err.contains("8 in = 8 written"), "{}", marked.err);
    sandbox.shell("diff -r plain marked").ended(0);
    let words = ["check", "--dedupe", "mark", "--fail-on", "any", "a.mbox"];
    sandbox.run(&words).ended(3);
}

#[test]
fn dropped_duplicates_stay_in_the_ledger() {
    let sandbox = Sandbox::new();
    copies(&sandbox);
    let job = |output: &str, threads: &str| {
        let words = [
            "normalize",
            "--dedupe",
            "drop",
            "a.mbox",
            "b.mbox",
            "md",
            "-o",
            output,
            "--threads",
            threads,
            "--report",
            "r.json",
            "--force",
        ];
        sandbox.run(&words).ended(0)
    };
    let run = job("out", "1");
    assert!(
        run.err
            .contains("messages    8 in = 4 written + 0 set aside + 4 left out on request"),
        "{}",
        run.err
    );
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
    assert_eq!(report["identity"]["dropped"], 4);
    assert_eq!(report["options"]["selection"]["dedupe"], "drop");
    assert_eq!(report["summary"]["events"]["box.duplicate"], 4);
    for threads in ["2", "8"] {
        job(&format!("out{threads}"), threads);
        sandbox
            .shell(&format!(
                "diff -r out out{threads} && cmp out.ledger out{threads}.ledger"
            ))
            .ended(0);
    }
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    sandbox
        .shell("cmp a.mbox back/a.mbox && cmp b.mbox back/b.mbox && diff -r md back/md")
        .ended(0);
    // A message that is not selected is not the first; the limit counts what is written.
    let counted = sandbox
        .run(&[
            "count", "--dedupe", "drop", "--limit", "3", "a.mbox", "b.mbox",
        ])
        .ended(0);
    assert_eq!(counted.text(), "2\ta.mbox\n1\tb.mbox\n");
    let counted = sandbox
        .run(&["count", "--dedupe", "drop", "--folder", "b.mbox", "."])
        .ended(0);
    assert!(
        counted.text().contains("2\t./b.mbox\n"),
        "{}",
        counted.text()
    );
    for words in [
        &["plan", "a.mbox", "-o", "p.json", "--dedupe", "drop"][..],
        &[
            "normalize",
            "a.mbox",
            "-o",
            "r.mbox",
            "--resume",
            "--dedupe",
            "mark",
        ],
    ] {
        let run = sandbox.run(words).ended(1);
        assert!(
            run.err
                .contains("use `mailglot normalize` without --resume"),
            "{}",
            run.err
        );
    }
}
