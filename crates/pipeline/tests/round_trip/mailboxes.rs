//! Tests with mailboxes of every dialect, and unusual ones.

use crate::second_pass::Random;
use crate::{Dialect, FORMS, back, check_dry_run, crlf, job, mbox, round_trip, run, tree};
use mailglot_archive::Format;
use mailglot_pipeline::{NormalizeJob, Progress, Selection, SplitBy, SplitJob, split};
use std::fs;

#[test]
fn mailboxes_of_every_dialect_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    for dialect in [Dialect::Rd, Dialect::O, Dialect::Cl2, Dialect::Irregular] {
        for ends in ["lf", "crlf"] {
            let path = folder.path().join(format!("{dialect:?}-{ends}.mbox"));
            let lf = mbox(30, dialect);
            // The lengths of mboxcl2 are those with LF.
            if ends == "crlf" && matches!(dialect, Dialect::Cl2) {
                continue;
            }
            fs::write(&path, if ends == "lf" { lf } else { crlf(&lf) }).unwrap();
            for to in FORMS {
                let summary = round_trip(&path, to);
                assert_eq!(summary.messages_in, 30, "{dialect:?} {ends} {to:?}");
                assert!(summary.changed >= 15, "{summary:?}");
            }
        }
    }
}

/// Texts with lines like delimiters, before or after decoding, remain as many messages as before.
#[test]
fn output_is_read_as_the_same_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.mbox");
    let typed = |encoding: &str, body: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n{body}\n"
        )
    };
    let multipart = |end: &str| {
        format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"b#\"\n\n--b#\n\ntext\n\n--b#\n\nFrom inside\n{end}"
        )
    };
    let messages = [
        // `Grüße`, `--Anna_H` and a number, with empty lines between.
        typed("base64", "R3LDvMOfZQoKLS1Bbm5hX0gKClRlbC4gMTIzCg=="),
        typed("quoted-printable", "gr=C3=BC=C3=9Fe\n\n--=20\n\nAnna"),
        typed("quoted-printable", "gr=C3=BC=C3=9Fe\n\n=2D-x1\n\n=46rom me"),
        typed(
            "8bit",
            "--On 1 January 2001 10:00 +0000 Joe Smith wrote:\n\n> hi",
        ),
        typed(
            "7bit",
            "Not delivered:\n\n--=_abc123\nContent-Type: text/plain\n\nhello",
        ),
        "\n--b2-- x\n".to_owned(),
        "Date: Mon, 1 Jan 2001 00:00:00 +0000\n--b2-- x\n".to_owned(),
        multipart("--b#--\n"),
        multipart(""),
    ];
    let separators = [
        "From a@example.org Mon Jan  1 00:00:00 2001\n",
        "From  a@b  Mon Jan  1 00:00:00 2001\n",
        "From joe at example.org  Mon Jan  1 00:00:00 2001\n",
        "From - Mon Jan 01 00:00:00 2001\n",
        "From root Mon Jan  1 00:00:00 2001\n",
        "From root Mon Jan  1 00:00:00 2001 +0100\n",
        "From \n",
    ];
    let mut random = Random(0x5eed);
    let mut below = |limit: usize| random.below(limit);
    let mut mailboxes: Vec<(Vec<u8>, Option<u64>)> = (0..80)
        .map(|_| {
            let count = 2 + below(12);
            let separator = separators[below(separators.len())];
            let ends = ["\n", "\r\n", "\r"][below(3)];
            let mut text = String::new();
            for n in 0..count {
                let message = messages[below(messages.len())].replace('#', &n.to_string());
                let blank = if below(8) == 0 { "" } else { "\n" };
                let number = n.to_string();
                text += &[
                    separator,
                    "From: a@example.org\nSubject: ",
                    &number,
                    "\n",
                    &message,
                    blank,
                ]
                .concat();
            }
            (text.replace('\n', ends).into_bytes(), Some(count as u64))
        })
        .collect();
    mailboxes.extend(
        [
            "From  a@b  Mon Jan  1 00:00:00 2001\r--b2-- x\rFrom  a@b  Mon Jan  1 00:00:00 2001\r\nFrom: \"D. S.\" <d@example.com>\r--b2-- x\r\n",
            "From joe at example.org  Mon Jan  1 00:00:00 2001\n--b2-- x\r\nFrom joe at example.org  Mon Jan  1 00:00:00 2001\nContent-Type: multipart/encrypted; protocol=\"application=?windows-1256?b?zcjHIMjf4w==?=\r\n--b2-- x",
        ]
        .map(|text| (text.as_bytes().to_vec(), None)),
    );
    for (number, (text, expected)) in mailboxes.into_iter().enumerate() {
        fs::write(&path, &text).unwrap();
        // A second pass reads as many messages as were written, and changes nothing.
        let summary = round_trip(&path, Some(Format::Mbox));
        assert!(
            expected.is_none_or(|count| count == summary.messages_in),
            "{number}: {} of {expected:?} in {}",
            summary.messages_in,
            text.escape_ascii()
        );
    }
}

#[test]
fn odd_mailboxes_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let base = mbox(5, Dialect::Rd);
    let mut bom = b"\xEF\xBB\xBF\n\n".to_vec();
    bom.extend_from_slice(&base);
    let mut no_end = base.clone();
    no_end.truncate(base.len() - 2);
    let no_blank = String::from_utf8_lossy(&base)
        .replace("\n\nFrom s", "\nFrom s")
        .into_bytes();
    let cr = base
        .iter()
        .map(|&b| if b == b'\n' { b'\r' } else { b })
        .collect();
    let mmdf = [&b"\x01\x01\x01\x01\nFrom: a@b\nSubject: x\n\nte\xE9xt\nFrom x\n\x01\x01\x01\x01\n"
        [..]; 2]
        .concat();
    let takeout = String::from_utf8_lossy(&crlf(&base))
        .replace("2001\r\nFrom:", "+0000 2001\r\nFrom:")
        .into_bytes();
    let cases: [(&str, Vec<u8>); 8] = [
        ("bom", bom),
        ("no-end", no_end),
        ("no-blank", no_blank),
        ("cr", cr),
        ("mmdf", mmdf),
        ("takeout", takeout),
        ("empty", Vec::new()),
        (
            "noise",
            (0..4000u32).map(|i| ((i * 7919) >> 3) as u8).collect(),
        ),
    ];
    for (name, bytes) in cases {
        let path = folder.path().join(format!("{name}.mbox"));
        fs::write(&path, bytes).unwrap();
        for to in FORMS {
            round_trip(&path, to);
        }
    }
}

#[test]
fn a_large_message_passes_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.mbox");
    let mut bytes = mbox(2, Dialect::Rd);
    bytes.extend_from_slice(
        b"From big@example.org Mon Jan  1 00:00:00 2001\nFrom: big@example.org\nSubject: big\n\n",
    );
    let lines =
        b">From a line\nanother line of some length, so that pieces end anywhere\n>>>From deeper\n";
    while bytes.len() < 3_000_000 {
        bytes.extend_from_slice(lines);
    }
    bytes.push(b'\n');
    bytes.extend_from_slice(&mbox(2, Dialect::Rd));
    fs::write(&path, &bytes).unwrap();
    for to in FORMS {
        for limit in [100_000, 100_001, 65_537] {
            let out = folder.path().join(format!("out-{to:?}-{limit}"));
            let mut job = NormalizeJob {
                to,
                ..job(std::slice::from_ref(&path), &out)
            };
            job.policy.limits.message = limit;
            job.threads = 2;
            let summary = run(&job);
            assert_eq!((summary.messages_in, summary.written), (5, 5), "{to:?}");
            assert_eq!(summary.events["msg.too-large"], 1);
            let original = folder.path().join(format!("back-{to:?}-{limit}"));
            back(&out, Some(&original)).unwrap();
            assert!(fs::read(&original).unwrap() == bytes, "{to:?} {limit}");
            if to == Some(Format::Maildir) {
                let big = tree(&out)
                    .into_values()
                    .flatten()
                    .max_by_key(Vec::len)
                    .unwrap();
                assert!(!big.windows(8).any(|w| w == b"\n>From a"), "quoting stayed");
            }
        }
    }
}

#[test]
fn content_length_is_removed_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.mbox"), mbox(6, Dialect::Cl2)).unwrap();
    let there = job(&[at("a.mbox")], &at("out"));
    let summary = run(&there);
    assert_eq!(summary.events["mbox.length-removed"], 6);
    // The lengths are right.
    assert_eq!(summary.events.get("mbox.bad-length"), None);
    check_dry_run(&there, &summary);
    let out = fs::read(at("out")).unwrap();
    assert!(!out.windows(15).any(|w| w == b"Content-Length:"));
    assert_eq!(summary.messages_in, 6);
    back(&at("out"), Some(&at("back"))).unwrap();
    assert_eq!(
        fs::read(at("back")).unwrap(),
        fs::read(at("a.mbox")).unwrap()
    );
}

/// Our mailbox has quoting. With a right length it would be read as text, and a wrong one may reach into the next message.
#[test]
fn written_mailbox_has_no_content_length() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let message =
        |field: String, body: &str| format!("From: a@b.example\nSubject: x\n{field}\n{body}");
    let length = |length: usize| format!("Content-Length: {length}\n");
    let separator = "From a@b.example Mon Jan  1 00:00:00 2001\n";
    let last = message(length(9999), "third =?iso-8859-1?Q?=E9?=\n");
    let hidden = message(String::new(), "hidden\n");
    let over = format!("visible\n\n{separator}{hidden}").len();
    let hiding = [
        message(length(over), "visible\n"),
        hidden,
        last.replace("Subject: x", "Subject: =?latin1?Q?=E9?="),
    ];
    let true_ones = ["one\n", ">From quoted\n>>From twice\n", "three\n"]
        .map(|body| message(length(body.len()), body));
    for (name, messages) in [("hiding", hiding), ("true", true_ones)] {
        let mailbox = messages
            .each_ref()
            .map(|message| format!("{separator}{message}\n"))
            .concat();
        fs::write(at("box"), mailbox).unwrap();
        fs::create_dir_all(at("tree")).unwrap();
        for (n, message) in messages.iter().enumerate() {
            fs::write(at("tree").join(format!("{n}.eml")), message).unwrap();
        }
        for source in ["box", "tree"] {
            let to_mbox = |from: &str, to: &str| {
                let there = NormalizeJob {
                    to: Some(Format::Mbox),
                    ..job(&[at(from)], &at(to))
                };
                run(&there)
            };
            assert_eq!(to_mbox(source, "out").messages_in, 3, "{name} {source}");
            let again = to_mbox("out", "again");
            assert_eq!(
                (again.messages_in, again.changed),
                (3, 0),
                "{name} {source}"
            );
            let out = fs::read(at("out")).unwrap();
            assert!(
                !out.windows(15).any(|w| w == b"Content-Length:"),
                "{name} {source}"
            );
            assert_eq!(out, fs::read(at("again")).unwrap(), "{name} {source}");
            for file in ["out", "out.ledger", "again", "again.ledger"] {
                fs::remove_file(at(file)).unwrap();
            }
        }
        round_trip(&at("box"), Some(Format::Mbox));
        round_trip(&at("tree"), Some(Format::Mbox));
    }
}

/// Its separator precedes the blank line, and its line end counts.
#[test]
fn an_empty_message_keeps_its_line_ends() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let separator = "From a@b.example Mon Jan  1 00:00:00 2001";
    for ends in ["\n", "\r\n", "\r"] {
        for messages in [
            "#{}#",
            "#{}#{}#Subject: x##text##",
            "#{}#Subject: x##{}#",
            "{}#",
            "{}#{}#",
            "{}##{}##",
        ] {
            let mailbox = messages.replace("{}", separator).replace('#', ends);
            fs::write(at("box"), &mailbox).unwrap();
            round_trip(&at("box"), Some(Format::Mbox));
            run(&NormalizeJob {
                to: Some(Format::Mbox),
                ..job(&[at("box")], &at("out"))
            });
            run(&job(&[at("out")], &at("again")));
            let [out, again] = ["out", "again"]
                .map(|name| String::from_utf8(fs::read(at(name)).unwrap()).unwrap());
            assert_eq!(out, again, "{mailbox:?}");
            for file in ["out", "out.ledger", "again", "again.ledger"] {
                fs::remove_file(at(file)).unwrap();
            }
        }
    }
}

/// Everywhere that a reader of mailboxes finds the field: also in mailboxes with CR alone, and in headers that others end earlier.
#[test]
fn wrong_content_length_is_renamed_in_ambiguous_headers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.mbox");
    for (field, ends) in [
        ("X: y", "\n"),
        ("X: y", "\r\n"),
        ("X: y", "\r"),
        ("X: y\rz", "\n"),
        ("no field", "\n"),
        ("no field", "\r\n"),
        ("no field", "\r"),
    ] {
        for quotes in ["", ">", ">>"] {
            let mut mailbox = Vec::new();
            for number in 1..4 {
                let body = format!("Pr\u{e9}\nFrom me to you\n\n{quotes}From x\n")
                    .chars()
                    .map(|c| c as u32 as u8)
                    .collect::<Vec<_>>();
                let lines = body.split(|byte| *byte == b'\n').count() - 1;
                let header = format!(
                    "From a{number}@b.example Mon Jan  1 00:00:0{number} 2001\nFrom: a@b.example\n{field}\nMIME-Version: 1.0\n\
                     Content-Type: text/plain; charset=iso-8859-1\nContent-Length: {}\n\n",
                    body.len() + lines * (ends.len() - 1)
                );
                let text = [header.as_bytes(), &body, b"\n"].concat();
                mailbox.extend(text.iter().flat_map(|byte| match byte {
                    b'\n' => ends.as_bytes(),
                    byte => std::slice::from_ref(byte),
                }));
            }
            fs::write(&path, &mailbox).unwrap();
            let summary = round_trip(&path, Some(Format::Mbox));
            assert_eq!(
                (summary.messages_in, summary.changed),
                (3, 3),
                "{field:?} {ends:?} {quotes}"
            );
            let out = folder.path().join("out");
            run(&NormalizeJob {
                to: Some(Format::Mbox),
                ..job(std::slice::from_ref(&path), &out)
            });
            let text = String::from_utf8(fs::read(&out).unwrap()).unwrap();
            assert!(
                !text.replace('\r', "\n").contains("\nContent-Length:"),
                "{text:?}"
            );
            fs::remove_file(&out).unwrap();
            fs::remove_file(out.with_extension("ledger")).unwrap();
        }
    }
}

/// A mailbox adds a line end to the last line of each message, and reports that.
#[test]
fn line_ends_that_a_mailbox_adds_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let head = "From: a@b.c\nContent-Type: text/plain; charset=iso-8859-1\n\n";
    for (body, ended) in [
        ("a", true),
        ("a\r", true),
        ("a\u{e9}", true),
        ("a\n", false),
        ("a\r\n", false),
        ("", false),
    ] {
        let bytes: Vec<u8> = format!("{head}{body}").chars().map(|c| c as u8).collect();
        for (text, ended) in [(bytes.clone(), ended), (crlf(&bytes), ended)] {
            let path = folder.path().join("message.eml");
            fs::write(&path, &text).unwrap();
            let added = |to| {
                round_trip(&path, to)
                    .events
                    .get("mbox.line-end-added")
                    .copied()
                    .unwrap_or(0)
            };
            assert_eq!(
                added(Some(Format::Mbox)),
                u64::from(ended),
                "{}",
                text.escape_ascii()
            );
            assert_eq!(
                added(None) + added(Some(Format::Maildir)),
                0,
                "{}",
                text.escape_ascii()
            );
            // The last message of a mailbox. `round_trip` compares it with a dry run.
            let path = folder.path().join("box.mbox");
            let separator = &b"From a@b.c Mon Jan  1 00:00:00 2001\n"[..];
            fs::write(&path, [separator, &text].concat()).unwrap();
            let open = !matches!(text.last(), Some(b'\n' | b'\r'));
            let added = round_trip(&path, None)
                .events
                .get("mbox.line-end-added")
                .copied()
                .unwrap_or(0);
            assert_eq!(added, u64::from(open), "{}", text.escape_ascii());
        }
    }
}

/// A crash, a full disk or NFS may leave NUL bytes in a mailbox.
#[test]
fn nul_bytes_between_messages_stay_out_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("padded.mbox");
    let nuls = vec![0; 700];
    let mailbox = mbox(6, Dialect::Rd);
    fs::write(
        &path,
        [&nuls, &mailbox[..], &nuls, &mailbox, &nuls].concat(),
    )
    .unwrap();
    for to in FORMS {
        let summary = round_trip(&path, to);
        assert_eq!(summary.messages_in, 12, "{to:?}");
        assert_eq!(summary.events["mbox.padding"], 2, "{to:?}");
        assert_eq!(summary.events["mbox.prelude"], 1, "{to:?}");
    }
    let out = folder.path().join("out.mbox");
    run(&job(std::slice::from_ref(&path), &out));
    let written = fs::read(&out).unwrap();
    assert!(!written.contains(&0) && !written.windows(3).any(|three| three == b"=00"));
    let parts = folder.path().join("parts");
    split(
        &SplitJob {
            inputs: vec![path],
            output: parts.clone(),
            by: SplitBy::Size(1 << 20),
            to: Format::Mbox,
            copies: false,
            opening: false.into(),
            selection: Selection::default(),
            threads: 1,
        },
        &Progress::default(),
    )
    .unwrap();
    let copied = fs::read(parts.join("part-00001.mbox")).unwrap();
    assert!(copied == [&mailbox[..], &mailbox].concat());
}
