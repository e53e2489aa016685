//! `split`

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Names and contents of all files below a folder.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn message(fields: &str, text: &str) -> Vec<u8> {
    format!("From: a@b\n{fields}\n{text}\n").into_bytes()
}

#[test]
fn parts_by_size_joined_are_the_mailbox() {
    let sandbox = Sandbox::new();
    let text = |n: usize| {
        message(
            &format!("Subject: {n}\n"),
            &format!("{}>From {n}\n", "line\n".repeat(n * 7)),
        )
    };
    let messages: Vec<_> = (0..40).map(text).collect();
    let mut mailbox = mbox(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
    // The last message has no blank line after it.
    mailbox.truncate(mailbox.len() - 2);
    sandbox.write("a.mbox", &mailbox);
    for (size, threads) in [("1", "1"), ("3K", "1"), ("3K", "3"), ("1G", "2")] {
        let out = format!("out-{size}-{threads}");
        let run = sandbox
            .run(&[
                "split",
                "a.mbox",
                "-o",
                &out,
                "--size",
                size,
                "--threads",
                threads,
            ])
            .ended(0);
        assert!(
            run.err.contains("messages    40 in = 40 written"),
            "{}",
            run.err
        );
        let parts = files(&sandbox.path(&out));
        assert!(
            parts
                .values()
                .map(Vec::as_slice)
                .collect::<Vec<_>>()
                .concat()
                == mailbox,
            "{size}"
        );
        let most = if size == "3K" { 3072 } else { usize::MAX };
        assert!(
            parts
                .values()
                .all(|part| part.len() <= most && part.starts_with(b"From "))
        );
        match size {
            "1" => assert_eq!(parts.len(), 40),
            "1G" => assert_eq!(parts.keys().collect::<Vec<_>>(), ["part-00001.mbox"]),
            _ => assert!(parts.len() > 5 && parts.contains_key("part-00002.mbox")),
        }
    }
    assert_eq!(
        files(&sandbox.path("out-3K-1")),
        files(&sandbox.path("out-3K-3"))
    );
}

#[test]
fn parts_by_year_sender_and_folder() {
    let sandbox = Sandbox::new();
    let dated = |year: u32, from: &str| {
        format!("From: {from}\nDate: 1 Jul {year} 10:00:00 +0000\nSubject: {year}\n\nx\n")
            .into_bytes()
    };
    let list = [
        dated(1999, "B <B@x>"),
        dated(2001, "b@X"),
        dated(1999, ""),
        message("Date: never\n", "x"),
    ];
    let mut bytes = mbox(&list.iter().map(Vec::as_slice).collect::<Vec<_>>());
    bytes = String::from_utf8(bytes)
        .unwrap()
        .replace("Mon Jan  1 00:00:00 2001", "")
        .into_bytes();
    sandbox.write("a.mbox", &bytes);
    sandbox
        .run(&["split", "a.mbox", "-o", "years", "--by", "year"])
        .ended(0);
    let years = files(&sandbox.path("years"));
    assert_eq!(
        years.keys().collect::<Vec<_>>(),
        ["1999.mbox", "2001.mbox", "unknown.mbox"]
    );
    sandbox
        .run(&[
            "split", "a.mbox", "-o", "senders", "--by", "from", "--to", "eml",
        ])
        .ended(0);
    let senders = files(&sandbox.path("senders"));
    let folders: Vec<_> = senders
        .keys()
        .map(|name| name.split('/').next().unwrap())
        .collect();
    assert_eq!(folders, ["a@b", "b@x", "b@x", "unknown"]);
    let mut written: Vec<_> = senders.values().cloned().collect();
    let mut expected = list.to_vec();
    written.sort();
    expected.sort();
    assert_eq!(written, expected, "unchanged");
    fs::create_dir_all(sandbox.path("Maildir/.Sent.2001/cur")).unwrap();
    sandbox.write("Maildir/.Sent.2001/cur/2.b.host:2,FS", &dated(2001, "me@x"));
    sandbox
        .run(&[
            "split", "Maildir", "a.mbox", "-o", "folders", "--by", "folder",
        ])
        .ended(0);
    let folders = files(&sandbox.path("folders"));
    assert_eq!(
        folders.keys().collect::<Vec<_>>(),
        ["Maildir.mbox", "Sent_2001.mbox", "a.mbox"]
    );
    let run = sandbox
        .run(&[
            "split", "Maildir", "-o", "m", "--by", "folder", "--to", "maildir",
        ])
        .ended(0);
    assert!(run.err.contains("2 in = 2 written"), "{}", run.err);
    let names = files(&sandbox.path("m"));
    assert!(
        names
            .keys()
            .any(|name| name.starts_with("Sent_2001/cur/00000000.") && name.ends_with(":2,FS")),
        "{names:?}"
    );
    assert!(sandbox.path("m/Sent_2001/new").is_dir() && sandbox.path("m/Maildir/tmp").is_dir());
    sandbox.run(&["count", "m/Sent_2001"]).ended(0);
}

#[test]
fn labels_are_decoded_before_they_are_split() {
    let sandbox = Sandbox::new();
    let messages = [
        message(
            "X-Gmail-Labels: =?utf-8?Q?=C3=85pnet,Ve?=\n =?utf-8?Q?nner?=,Inbox\n",
            "x",
        ),
        message("X-Gmail-Labels: Inbox\n", "y"),
        message("", "z"),
        message("X-Gmail-Labels: , ,\n", "z"),
    ];
    sandbox.write(
        "t.mbox",
        &mbox(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>()),
    );
    sandbox
        .run(&["split", "t.mbox", "-o", "one", "--by", "label"])
        .ended(0);
    let one = files(&sandbox.path("one"));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        ["Inbox.mbox", "unknown.mbox", "Åpnet.mbox"]
    );
    let run = sandbox
        .run(&["split", "t.mbox", "-o", "all", "--by", "label", "--copies"])
        .ended(0);
    assert!(run.err.contains("copies      2"), "{}", run.err);
    let all = files(&sandbox.path("all"));
    assert_eq!(
        all.keys().collect::<Vec<_>>(),
        ["Inbox.mbox", "Venner.mbox", "unknown.mbox", "Åpnet.mbox"]
    );
    assert_eq!(
        sandbox.run(&["count", "all/Inbox.mbox"]).ended(0).text(),
        "2\tall/Inbox.mbox\n"
    );
    sandbox
        .run(&["split", "t.mbox", "-o", "x", "--by", "year", "--copies"])
        .ended(1);
}

#[test]
fn names_from_mail_stay_in_the_folder() {
    let sandbox = Sandbox::new();
    let long = "l".repeat(255);
    let labels = [
        "..",
        "../../up",
        "/etc/passwd",
        "a\\b:c",
        "cur",
        "\u{202e}moc",
        "x=00y=1B=0D=0Az",
        &long,
        &format!("{long}2"),
        "CON",
        "con",
    ];
    let encoded = |label: &str| {
        label.bytes().fold(String::new(), |mut all, byte| {
            let _ = write!(all, "={byte:02X}");
            all
        })
    };
    let messages: Vec<_> = labels
        .iter()
        .map(|label| {
            let label = if label.contains("=00") {
                (*label).to_owned()
            } else {
                encoded(label)
            };
            let mut words = String::new();
            for chunk in label.as_bytes().chunks(60) {
                let chunk = std::str::from_utf8(chunk).unwrap();
                let _ = write!(words, "\n =?utf-8?Q?{chunk}?=");
            }
            message(
                &format!("X-Gmail-Labels:{words}\n"),
                label.get(..20).unwrap_or(&label),
            )
        })
        .collect();
    sandbox.write(
        "t.mbox",
        &mbox(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>()),
    );
    let before = sandbox.names();
    for to in ["mbox", "eml", "maildir"] {
        let run = sandbox
            .run(&[
                "split", "t.mbox", "-o", "out", "--by", "label", "--to", to, "-v",
            ])
            .ended(0);
        assert!(run.err.contains("11 in = 11 written"), "{}", run.err);
        assert!(
            !run.err
                .contains(|c: char| c != '\n' && (c.is_control() || c == '\u{202e}')),
            "{:?}",
            run.err
        );
        let tops: Vec<_> = fs::read_dir(sandbox.path("out"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(tops.len(), labels.len(), "{tops:?}");
        let is_plain = |name: &String| {
            name.len() <= 220
                && !name.contains(|c: char| c.is_control() || c == '\u{202e}' || c == ':')
        };
        assert!(tops.iter().all(is_plain), "{tops:?}");
        fs::remove_dir_all(sandbox.path("out")).unwrap();
        assert_eq!(sandbox.names(), before);
    }
}

#[test]
fn each_dialect_is_read_back_as_it_was() {
    let sandbox = Sandbox::new();
    let separator = "From a@b Mon Jan  1 00:00:00 2001\n";
    let mboxrd = format!("{separator}From: a@b\nSubject: rd\n\n>From x\n>>From y\n\n").repeat(2);
    let mboxo =
        format!("{separator}From: a@b\nSubject: o\n\n>From x\n\nFrom here to there\n\n").repeat(3);
    let mboxcl2 =
        format!("{separator}From: a@b\nContent-Length: 51\n\n{separator}Subject: inner\n\n\n")
            .repeat(3);
    let unquoted = format!("{separator}From: a@b\nSubject: n\n\nFrom here to there\n\n").repeat(3);
    let mmdf = "\x01\x01\x01\x01\nFrom: a@b\nSubject: m\n\nFrom me\n\x01\x01\x01\x01\n".repeat(2);
    let open = "From: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nno end";
    for (name, bytes) in [
        ("rd", mboxrd),
        ("o", mboxo),
        ("cl2", mboxcl2),
        ("n", unquoted),
        ("mmdf", mmdf),
        (
            "crlf",
            format!("{separator}Subject: c\n\n>From x\n\n")
                .repeat(2)
                .replace('\n', "\r\n"),
        ),
        (
            "first",
            format!(
                "Subject: cut\n\nx\n\n{}",
                format!("{separator}From: a@b\nSubject: s\n\ny\n\n").repeat(3)
            ),
        ),
        (
            "babyl",
            "BABYL OPTIONS:\nVersion: 5\n\x1f\x0c\n1,,\nFrom: a@b\nSubject: full\n\n*** EOOH ***\nSubject: pruned\n\nFrom me\nx\n\x1f"
                .to_owned(),
        ),
        ("open", format!("{separator}{open}")),
    ] {
        sandbox.write(&format!("{name}.mbox"), bytes.as_bytes());
    }
    let names = [
        "rd", "o", "cl2", "n", "mmdf", "crlf", "first", "babyl", "open",
    ]
    .map(|name| format!("{name}.mbox"));
    let args: Vec<&str> = names.iter().map(String::as_str).collect();
    let plain = sandbox.run(&[&["cat"], &args[..]].concat()).ended(0).out;
    let run = sandbox
        .run(&[&["split", "-o", "out", "--size", "1G"], &args[..]].concat())
        .ended(0);
    let parts: Vec<String> = files(&sandbox.path("out"))
        .into_keys()
        .map(|name| format!("out/{name}"))
        .collect();
    assert!(parts.len() > 2, "{parts:?}: {}", run.err);
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let read = sandbox.run(&[&["cat"], &parts[..]].concat()).ended(0).out;
    assert_eq!(
        String::from_utf8_lossy(&read),
        String::from_utf8_lossy(&plain)
    );
}

/// Parts in which a line of text would be a separator, or a separator a line of text, are quoted anew.
#[test]
fn parts_that_would_be_read_otherwise_are_quoted_anew() {
    let sandbox = Sandbox::new();
    let fields = "Subject: s\nDate: Mon, 1 Jan 1996 00:00:00 +0000\n";
    let line = "From a@b.example Mon Jan  1 00:00:00 2001\n";
    let second = format!("From: a2@b.example\n{fields}\n");
    let by_line = format!(
        "From joe at example.org  Sat Jan  3 01:05:34 1996\nFrom: a1@b.example\n{fields}\nFrom: me\n\n{line}{second}{line}\n"
    );
    let by_text = "Archive of a list\n\nFrom - Mon, 01 Jan 2001 00:00:00 +0000\nFrom: a@b.example\n\n\
                   From - Mon Jan  1 00:00:00 2001 +0200\n";
    sandbox.write("line.mbox", by_line.as_bytes());
    sandbox.write("text.mbox", by_text.as_bytes());
    for (name, rule, parts, replaced) in [
        ("line", ["--by", "from"], 2, None),
        (
            "text",
            ["--size", "1M"],
            1,
            Some("separators  1 separator with"),
        ),
    ] {
        let mailbox = format!("{name}.mbox");
        let [option, value] = rule;
        let run = sandbox
            .run(&["split", &mailbox, "-o", name, option, value])
            .ended(0);
        if let Some(line) = replaced {
            assert!(run.err.contains(line), "{}", run.err);
        }
        let written = files(&sandbox.path(name));
        assert_eq!(written.len(), parts);
        let names: Vec<_> = written
            .keys()
            .map(|part| format!("{name}/{part}"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let read = sandbox.run(&[&["cat"], &names[..]].concat()).ended(0).out;
        let plain = sandbox.run(&["cat", &mailbox]).ended(0).out;
        assert_eq!(
            read.escape_ascii().to_string(),
            plain.escape_ascii().to_string()
        );
    }
    let quoted = &files(&sandbox.path("line"))["a2@b.example.mbox"];
    let expected = format!("{line}{second}>{line}\n");
    assert_eq!(String::from_utf8_lossy(quoted), expected);
    let first = &files(&sandbox.path("line"))["a1@b.example.mbox"];
    assert!(
        first.starts_with(b"From joe at "),
        "only the doubtful part changes"
    );
}

#[test]
fn a_message_without_a_line_end_gets_one_only_before_another() {
    let sandbox = Sandbox::new();
    let separator = "From a@b Mon Jan  1 00:00:00 2001\n";
    let open = format!("{separator}From: a@b\nSubject: s\n\nno end");
    for name in ["a.mbox", "b.mbox"] {
        sandbox.write(name, open.as_bytes());
    }
    let run = sandbox
        .run(&["split", "a.mbox", "b.mbox", "-o", "out", "--by", "year"])
        .ended(0);
    assert!(run.err.contains("mbox.line-end-added"), "{}", run.err);
    assert_eq!(
        sandbox.read("out/2001.mbox"),
        format!("{open}\n\n{open}").as_bytes()
    );
}

#[test]
fn outputs_appear_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    for (args, code) in [
        (
            &[
                "split",
                "archive.mbox",
                "missing",
                "-o",
                "out",
                "--by",
                "year",
            ][..],
            2,
        ),
        (
            &["split", "archive.mbox", "-o", "message.eml", "--by", "year"],
            4,
        ),
        (
            &["split", "archive.mbox", "-o", "Maildir", "--by", "year"],
            4,
        ),
        (
            &["split", "Maildir", "-o", "Maildir/out", "--by", "year"],
            1,
        ),
        (
            &["split", "archive.mbox", "-o", "no/out", "--by", "year"],
            4,
        ),
        (&["split", "archive.mbox", "-o", "-", "--by", "year"], 1),
        (&["split", "archive.mbox", "-o", "out"], 1),
        (&["split", "archive.mbox", "-o", "out", "--by", "mood"], 1),
        (
            &[
                "split",
                "archive.mbox",
                "-o",
                "out",
                "--by",
                "year",
                "--size",
                "1M",
            ],
            1,
        ),
        (&["split", "archive.mbox", "-o", "out", "--size", "0"], 1),
        (&["split", "archive.mbox", "--by", "year"], 1),
    ] {
        let run = sandbox.run(args).ended(code);
        assert!(!run.err.is_empty(), "{args:?}");
        assert_eq!(sandbox.names(), before, "{args:?}");
    }
    fs::create_dir(sandbox.path("out")).unwrap();
    let run = sandbox
        .run(&[
            "split",
            "archive.mbox",
            "-o",
            "out",
            "--by",
            "year",
            "--limit",
            "1",
        ])
        .ended(0);
    assert!(
        run.err
            .contains("2 in = 1 written + 0 set aside + 1 left out"),
        "{}",
        run.err
    );
    assert_eq!(sandbox.read("out/2001.mbox"), mbox(&[LATIN]));
}

/// A message above the size limit is copied in pieces.
#[test]
fn large_messages_are_copied_whole() {
    let sandbox = Sandbox::new();
    let large = message(
        "Subject: large\n",
        &"some words of a line\nFrom me to you\n".repeat(2_000_000),
    );
    assert!(large.len() > 65 << 20);
    fs::create_dir_all(sandbox.path("tree")).unwrap();
    sandbox.write("tree/1.eml", &large);
    sandbox.write("tree/2.eml", LATIN);
    sandbox
        .run(&["split", "tree", "-o", "out", "--size", "1M"])
        .ended(0);
    let parts = files(&sandbox.path("out"));
    assert_eq!(parts.len(), 2);
    assert!(sandbox.run(&["cat", "out/part-00001.mbox"]).ended(0).out == large);
    sandbox
        .run(&[
            "split", "out", "-o", "back", "--by", "folder", "--to", "eml",
        ])
        .ended(0);
    assert!(
        files(&sandbox.path("back"))
            .values()
            .any(|bytes| *bytes == large)
    );
}
