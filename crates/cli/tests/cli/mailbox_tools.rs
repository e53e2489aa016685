//! `ls`, `cat`, addresses, and `--files0-from`

use crate::sandbox::{LATIN, Sandbox, mbox};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_line_a_message() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["ls", "archive.mbox"]).ended(0);
    let rows: Vec<&str> = run.text().lines().collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    let size = sandbox.read("archive.mbox").len();
    assert!(
        rows[0].starts_with(&format!(
            "     0          44  {:>8}  2001-01-01 00:00  ",
            LATIN.len()
        )),
        "{}",
        rows[0]
    );
    assert!(
        rows[0].ends_with("Jörg <joerg@example.org>  Grüße"),
        "{}",
        rows[0]
    );
    assert!(
        rows[1].starts_with("     1  ") && rows[1].ends_with("Привет"),
        "{}",
        rows[1]
    );
    let run = sandbox.run(&["ls", "--json", "archive.mbox"]).ended(0);
    let objects = lines(run.text());
    assert_eq!(
        objects[0],
        json!({"file": "archive.mbox", "message": 0, "offset": 44, "length": LATIN.len(), "date": "2001-01-01T00:00:00-00:00",
            "date_source": "separator", "from": "Jörg <joerg@example.org>", "subject": "Grüße", "message_id": null})
    );
    let end = objects[1]["offset"].as_u64().unwrap() + objects[1]["length"].as_u64().unwrap();
    assert_eq!(end as usize, size - 1, "without the blank line");
}

#[test]
fn an_empty_message_has_the_offset_of_its_separator() {
    let sandbox = Sandbox::new();
    let separator = "From a@b.c Mon Jan  1 00:00:00 2001\n";
    let mailbox = format!("{separator}{separator}Subject: second\n\nb\n\n");
    sandbox.write("e.mbox", mailbox.as_bytes());
    let run = sandbox.run(&["ls", "--json", "e.mbox"]).ended(0);
    let offsets: Vec<u64> = lines(run.text())
        .iter()
        .map(|listed| listed["offset"].as_u64().unwrap())
        .collect();
    assert_eq!(offsets, [0, 72]);
    for (offset, message) in [(0, ""), (72, "Subject: second\n\nb\n")] {
        let run = sandbox.run(&["cat", &format!("e.mbox@{offset}")]).ended(0);
        assert_eq!(run.text(), message, "{offset}");
    }
}

/// A lone CR at the start of a line ends no header, with or without raw bytes beside it.
#[test]
fn all_commands_read_one_header() {
    let sandbox = Sandbox::new();
    for (name, byte) in [("ascii.mbox", b'e'), ("raw.mbox", 0xe9)] {
        let mailbox = [
            &b"From x@y.example Mon Jan  1 00:00:00 1990\nSubject: caf"[..],
            &[byte],
            b"\n\rName: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nFrom: a@b.example\nMessage-ID: <1@x>\n\nbody\n\n",
        ]
        .concat();
        sandbox.write(name, &mailbox);
        let run = sandbox.run(&["ls", "--json", name]).ended(0);
        let listed = &lines(run.text())[0];
        let fields = ["date", "date_source", "from", "message_id"].map(|key| listed[key].clone());
        let expected = ["2001-01-01T00:00:00Z", "field", "a@b.example", "1@x"];
        assert_eq!(fields, expected.map(Value::from), "{name}");
        let found = sandbox.run(&["cat", &format!("{name}#1@x")]).ended(0).out;
        assert_eq!(found, mailbox[42..mailbox.len() - 1]);
        let out = format!("{name}.out");
        sandbox
            .run(&["split", name, "-o", &out, "--by", "from"])
            .ended(0);
        assert!(sandbox.path(&out).join("a@b.example.mbox").exists());
        let count = sandbox.run(&["count", "--since", "2000", name]).ended(0);
        assert_eq!(count.text(), format!("1\t{name}\n"));
    }
}

#[test]
fn a_byte_far_from_the_start_is_found_in_a_file_and_on_standard_input() {
    let sandbox = Sandbox::new();
    let message = |number: usize| {
        let text = format!("Text {number}.\n").repeat(20_000);
        format!("From: a@b.c\nSubject: {number}\n\n{text}").into_bytes()
    };
    let messages: Vec<Vec<u8>> = (0..10).map(message).collect();
    let mailbox = mbox(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
    sandbox.write("large.mbox", &mailbox);
    let offset = mailbox.len() - 5;
    assert!(offset > 3 << 19);
    let file = sandbox
        .run(&["cat", &format!("large.mbox@{offset}")])
        .ended(0);
    let piped = sandbox
        .pipe(&["cat", &format!("-@{offset}")], &mailbox)
        .ended(0);
    assert!(file.text().starts_with("From: a@b.c\nSubject: 9\n"));
    assert!(file.text() == piped.text());
}

#[test]
fn several_archives_have_addresses() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["ls", "archive.mbox", "Maildir"]).ended(0);
    let first: Vec<&str> = run
        .text()
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(first, ["archive.mbox:0", "archive.mbox:1", "Maildir:0"]);
    let run = sandbox.run(&["ls", "--json", "Maildir"]).ended(0);
    assert_eq!(lines(run.text())[0]["path"], "Maildir/cur/1.a.host:2,S");
    // A list of addresses gives back all messages.
    let run = sandbox
        .shell("mailglot ls -0 archive.mbox Maildir | xargs -0 mailglot cat")
        .ended(0);
    let separate: Vec<u8> = ["archive.mbox:0", "archive.mbox:1", "Maildir:0"]
        .iter()
        .flat_map(|address| sandbox.run(&["cat", address]).ended(0).out)
        .collect();
    assert!(run.out == separate && run.out.starts_with(LATIN));
}

#[test]
fn nothing_from_mail_steers_a_list() {
    let sandbox = Sandbox::new();
    let hostile = b"From: =?utf-8?B?GypbMzFt?= <a@b>\nSubject: =?utf-8?Q?a=1B[31mb=0Ac=E2=80=AEd=C2=9B=E2=80=8Fe?= \x1b]0;x\x07\n\nx\n";
    sandbox.write("h\u{1b}[2J.mbox", &mbox(&[hostile, hostile]));
    let run = sandbox
        .run(&["ls", "h\u{1b}[2J.mbox", "archive.mbox"])
        .ended(0);
    assert_eq!(run.text().lines().count(), 4, "{}", run.text());
    let steers = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{200f}' | '\u{202e}'));
    assert!(!run.text().contains(steers), "{:?}", run.text());
    let run = sandbox.run(&["ls", "--json", "h\u{1b}[2J.mbox"]).ended(0);
    assert!(!run.text().contains(|c: char| c != '\n' && c < ' '));
    assert_eq!(lines(run.text())[0]["file"], "h\u{1b}[2J.mbox");
}

#[test]
fn threads_do_not_show_in_a_list() {
    let sandbox = Sandbox::new();
    let one = sandbox.read("archive.mbox");
    sandbox.write("large.mbox", &one.repeat((4 << 20) / one.len()));
    let list = |threads: &str| {
        sandbox
            .run(&["ls", "--threads", threads, "large.mbox"])
            .ended(0)
            .out
    };
    let alone = list("1");
    assert!(alone.len() > 1 << 20);
    assert!(list("3") == alone);
    let run = sandbox.run(&["ls", "--limit", "3", "large.mbox"]).ended(0);
    assert_eq!(
        run.out,
        alone
            .split_inclusive(|byte| *byte == b'\n')
            .take(3)
            .collect::<Vec<_>>()
            .concat()
    );
    let run = sandbox.shell("{ mailglot ls large.mbox; echo $? >&2; } | head -c 10 > /dev/null");
    assert_eq!(run.err, "0\n");
}

#[test]
fn messages_are_printed_by_address() {
    let sandbox = Sandbox::new();
    let message = |id: &str, text: &str| format!("From: a@b\nMessage-ID: <{id}>\n\n{text}\n");
    let stored = [
        message("1@x", ">From there\n>>From here"),
        message("2#@x", "caf\u{e9}"),
        message("1@x", "again"),
    ];
    let bytes: Vec<&[u8]> = stored.iter().map(String::as_bytes).collect();
    let mailbox = mbox(&bytes);
    sandbox.write("a.mbox", &mailbox);
    let cat = |address: &str| sandbox.run(&["cat", address]).ended(0);
    let first = stored[0]
        .replace(">From there", "From there")
        .replace(">>From", ">From");
    assert_eq!(cat("a.mbox:0").text(), first);
    assert_eq!(cat("a.mbox#<1@x>").text(), first.clone() + &stored[2]);
    assert_eq!(cat("a.mbox#<2#@x>").text(), stored[1]);
    assert_eq!(
        cat("a.mbox").text(),
        first.clone() + &stored[1] + &stored[2]
    );
    // Each byte of the file belongs to one message.
    for (offset, expected) in [
        (0, &first),
        (44 + stored[0].len(), &first),
        (45 + stored[0].len(), &stored[1]),
        (mailbox.len() - 1, &stored[2]),
    ] {
        assert_eq!(
            cat(&format!("a.mbox@{offset}")).text(),
            expected,
            "{offset}"
        );
    }
    for (address, words) in [
        ("a.mbox:3".to_owned(), "no message has the number 3"),
        (
            format!("a.mbox@{}", mailbox.len()),
            "no message contains byte",
        ),
        (
            "a.mbox#<3@x>".to_owned(),
            "no message has the Message-ID <3@x>",
        ),
    ] {
        let run = sandbox.run(&["cat", &address]).ended(2);
        assert!(
            run.out.is_empty() && run.err.contains(words),
            "{address}: {}",
            run.err
        );
        sandbox.run(&["inspect", &address]).ended(2);
    }
    let run = sandbox.run(&["cat", "Maildir@0"]).ended(1);
    assert!(
        run.err.contains("a folder has no byte offsets"),
        "{}",
        run.err
    );
    for address in ["-:1", "-@150", "-#<2#@x>"] {
        let run = sandbox.pipe(&["cat", address], &mailbox).ended(0);
        assert_eq!(run.text(), stored[1], "{address}");
        let run = sandbox
            .pipe(&["inspect", "--json", address], &mailbox)
            .ended(0);
        assert_eq!(run.json()["message"], "-:1");
    }
}

#[test]
fn raw_bytes_stay_and_utf8_is_what_normalize_writes() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["cat", "message.eml"]).ended(0).out, LATIN);
    let maildir = sandbox.read("Maildir/cur/1.a.host:2,S");
    assert_eq!(sandbox.run(&["cat", "Maildir:0"]).ended(0).out, maildir);
    sandbox
        .run(&["normalize", "message.eml", "-o", "n.eml"])
        .ended(0);
    let run = sandbox.run(&["cat", "--utf8", "message.eml"]).ended(0);
    assert_eq!(run.out, sandbox.read("n.eml"));
    assert!(run.text().contains("It’s grün"));
    sandbox.write("lossy.eml", &crate::sandbox::lossy());
    let run = sandbox.run(&["cat", "--utf8", "lossy.eml"]).ended(0);
    assert!(run.err.contains("lossy.eml: 1 loss"), "{}", run.err);
    let run = sandbox
        .run(&["cat", "--utf8", "--headers", "raw-utf8", "message.eml"])
        .ended(0);
    assert!(run.text().contains("Subject: Grüße\n"), "{}", run.text());
}

#[test]
fn inputs_come_from_a_list() {
    let sandbox = Sandbox::new();
    let odd = OsStr::from_bytes(b"odd\n\xe9.mbox");
    fs::write(sandbox.path("").join(odd), mbox(&[LATIN])).unwrap();
    sandbox.write("list", b"archive.mbox\0odd\n\xe9.mbox\0");
    for command in ["count", "ls", "text", "check"] {
        let run = sandbox.run(&[command, "--files0-from", "list"]).ended(0);
        assert!(!run.out.is_empty(), "{command}");
    }
    let counted = b"2\tarchive.mbox\n1\todd\xe2\x90\x8a\xe9.mbox\n";
    let list = sandbox.read("list");
    let run = sandbox
        .pipe(&["count", "--files0-from", "-"], &list)
        .ended(0);
    assert_eq!(run.out, counted);
    let run = sandbox
        .run(&["count", "Maildir", "--files0-from", "list"])
        .ended(0);
    assert_eq!(run.out, [b"1\tMaildir\n", &counted[..]].concat());
    sandbox
        .run(&["normalize", "--files0-from", "list", "-o", "out"])
        .ended(0);
    sandbox.run(&["restore", "out", "--verify-only"]).ended(0);
    for (bytes, words) in [
        (&b""[..], "names no input"),
        (b"\0", "names no input"),
        (b"archive.mbox\0\0Maildir\0", "a name is empty"),
        (b"-\0", "cannot be an input"),
    ] {
        let run = sandbox
            .pipe(&["count", "--files0-from", "-"], bytes)
            .ended(1);
        assert!(run.err.contains(words), "{}", run.err);
    }
    sandbox.run(&["count", "--files0-from", "missing"]).ended(1);
    let run = sandbox
        .pipe(&["count", "--files0-from", "-"], b"missing\0archive.mbox\0")
        .ended(2);
    assert_eq!(run.text(), "2\tarchive.mbox\n");
}

/// A mailbox with local users has the same senders and dates before and after, and the summary counts what changed.
#[test]
fn separators_stay_or_are_counted() {
    let sandbox = Sandbox::new();
    let messages = |last: &str| {
        let lines = [
            "- Wed Feb 14 09:49:48 2001",
            "root Thu Feb 15 09:49:48 2001",
            last,
        ];
        let message = |line: &&str| format!("From {line}\nFrom: a@b.c\nSubject: x\n\ntext\n\n");
        lines.iter().map(message).collect::<String>()
    };
    let old = messages("z at y.x  Fri Feb 16 09:49:48 2001");
    sandbox.write("old.mbox", old.as_bytes());
    let line =
        "separators  1 separator with sender or time in another form (mbox.separator-replaced)";
    for run in [
        sandbox.run(&["check", "old.mbox"]).ended(0),
        sandbox
            .run(&["normalize", "old.mbox", "-o", "new.mbox"])
            .ended(0),
    ] {
        let told = format!("{}{}", run.text(), run.err);
        assert!(told.lines().any(|one| one == line), "{told}");
    }
    let new = messages("z@y.x Fri Feb 16 09:49:48 2001");
    assert_eq!(sandbox.read("new.mbox"), new.as_bytes());
    let rows = |name: &str| {
        let run = sandbox.run(&["ls", "--json", name]).ended(0);
        let row = |row: &Value| (row["date"].clone(), row["date_source"].clone());
        lines(run.text()).iter().map(row).collect::<Vec<_>>()
    };
    let dates = rows("old.mbox");
    assert_eq!(dates[0].0, "2001-02-14T09:49:48-00:00");
    assert_eq!(rows("new.mbox"), dates);
}
