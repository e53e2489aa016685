//! Compressed mail, mail in UTF-16, and what in a folder is not looked into.

use crate::sandbox::{LATIN, Run, Sandbox, mbox};
use std::fs;
use std::os::unix::fs::symlink;

const GZIP: &str = "gzip -n";

#[test]
fn a_compressed_mailbox_is_read_like_what_is_in_it() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    sandbox
        .shell("gzip -n < archive.mbox > archive.mbox.gz")
        .ended(0);
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "plain.mbox"])
        .ended(0);
    sandbox
        .run(&["normalize", "archive.mbox.gz", "-o", "out.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("out.mbox"), sandbox.read("plain.mbox"));
    sandbox
        .run(&["restore", "out.mbox", "-o", "back.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("back.mbox"), inside);

    assert_eq!(
        sandbox.run(&["count", "archive.mbox.gz"]).ended(0).text(),
        "2\tarchive.mbox.gz\n"
    );
    let texts = |run: &str| {
        run.replace("archive.mbox.gz", "archive.mbox")
            .replace("\"-\"", "\"archive.mbox\"")
    };
    let plain = sandbox.run(&["text", "--json", "archive.mbox"]).ended(0);
    let through = sandbox.run(&["text", "--json", "archive.mbox.gz"]).ended(0);
    assert_eq!(texts(through.text()), plain.text());
    let piped = sandbox
        .pipe(&["text", "--json", "-"], &sandbox.read("archive.mbox.gz"))
        .ended(0);
    assert_eq!(texts(piped.text()), plain.text());
    let told = sandbox.run(&["check", "archive.mbox.gz"]).ended(0);
    assert!(
        told.text()
            .contains("archive.mbox.gz: 2 messages, mbox, compressed with gzip, LF, "),
        "{told:?}"
    );
    assert!(
        told.text()
            .ends_with("mailglot normalize archive.mbox.gz -o archive.utf8.mbox\n"),
        "{told:?}"
    );
    sandbox.run(&["inspect", "archive.mbox.gz:1"]).ended(0);
}

#[test]
fn a_folder_of_compressed_mailboxes_comes_back_without_compression() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    fs::create_dir_all(sandbox.path("list/old")).unwrap();
    for name in ["list/2001-May.txt", "list/old/2000.mbox", "list/twice.mbox"] {
        sandbox.write(name, &inside);
        sandbox.shell(&format!("{GZIP} {name}")).ended(0);
    }
    // Both the mailbox and what was compressed of it.
    sandbox.write("list/twice.mbox", &mbox(&[LATIN]));
    sandbox.run(&["normalize", "list", "-o", "out"]).ended(0);
    let mut names: Vec<_> = fs::read_dir(sandbox.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["2000.mbox", "2001-May.txt", "twice-2.mbox", "twice.mbox"]
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    for name in ["2001-May.txt", "old/2000.mbox", "twice.mbox.gz"] {
        assert_eq!(sandbox.read(&format!("back/{name}")), inside, "{name}");
    }
    assert_eq!(sandbox.read("back/twice.mbox"), mbox(&[LATIN]));
}

#[test]
fn what_is_not_read_is_refused_with_the_tool_for_it() {
    let sandbox = Sandbox::new();
    let before = sandbox.read("archive.mbox");
    let wide: Vec<u8> = before.iter().flat_map(|&byte| [byte, 0]).collect();
    for (name, bytes, words) in [
        (
            "a.lz4",
            b"\x04\x22\x4d\x180000".to_vec(),
            "compressed with lz4, which is not supported",
        ),
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

#[test]
fn of_compression_that_is_cut_off_all_that_is_there_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("large.mbox", &mbox(&vec![LATIN; 20_000]));
    let inside = sandbox.read("large.mbox");
    let name = "large.mbox.gz";
    sandbox.shell(&format!("{GZIP} large.mbox")).ended(0);
    let whole = sandbox.read(name);
    let half = whole.len() / 2;
    sandbox.write(name, &whole[..half]);
    let words = format!("mailglot: {name}: compressed with ");
    let place = format!(" bytes of what is inside were read (at byte {half})");
    let run = sandbox.run(&["normalize", name, "-o", "out"]).ended(2);
    assert!(
        run.err.contains(&words) && run.err.contains(&place),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("losses      1\n           1  box.damaged\n"),
        "{}",
        run.err
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    let back = sandbox.read("back");
    assert!(inside.starts_with(&back) && !back.is_empty());
    for args in [
        &["check", name][..],
        &["count", name],
        &["text", name],
        &["inspect", "--json", name],
    ] {
        let run = sandbox.run(args).ended(2);
        assert!(
            run.err.contains(&words) && run.err.contains(&place),
            "{args:?}: {}",
            run.err
        );
        assert!(!run.out.is_empty());
    }
    let piped = sandbox.pipe(&["count", "-"], &whole[..half]).ended(2);
    let messages = sandbox
        .run(&["count", "back"])
        .ended(0)
        .text()
        .replace("\tback", "\t-");
    assert_eq!(piped.text(), messages);
    sandbox.run(&["check", "--fail-on", "loss", name]).ended(3);
    fs::remove_file(sandbox.path("out")).unwrap();
    fs::remove_file(sandbox.path("out.ledger")).unwrap();
    // Where nothing at all comes out, it is an input that cannot be read.
    sandbox.write(name, &whole[..12]);
    let run = sandbox.run(&["normalize", name, "-o", "out"]).ended(2);
    assert!(run.err.contains("and cut off: 0 bytes"), "{}", run.err);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn what_lies_behind_compression_is_told_with_its_place_and_number() {
    let sandbox = Sandbox::new();
    let inside = sandbox.read("archive.mbox");
    sandbox
        .shell(&format!("{GZIP} archive.mbox && mv archive.mbox.gz whole"))
        .ended(0);
    let whole = sandbox.read("whole");
    let at = whole.len();
    for (rest, detail) in [
        (
            vec![0; 700],
            "700 zero bytes left out behind what is compressed with gzip",
        ),
        (
            b"\nsome junk".to_vec(),
            "10 bytes left out behind what is compressed with gzip",
        ),
    ] {
        sandbox.write("box.gz", &[&whole[..], &rest].concat());
        let line = format!("  box.trailing-bytes  box.gz at {at}: {detail}");
        let run = sandbox
            .run(&["normalize", "box.gz", "-o", "out", "--force"])
            .ended(0);
        assert!(run.err.contains(&line), "{}", run.err);
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        assert_eq!(sandbox.read("back"), inside);
        fs::remove_file(sandbox.path("back")).unwrap();
        for command in ["count", "text", "inspect", "check"] {
            let run = sandbox.run(&[command, "box.gz"]).ended(0);
            assert!(
                run.err.contains(&line) || run.text().contains(&line),
                "{command}: {run:?}"
            );
        }
        sandbox
            .run(&["check", "--fail-on", "repair", "box.gz"])
            .ended(3);
    }
}

#[test]
fn files_that_are_no_mail_are_named() {
    let sandbox = Sandbox::new();
    for folder in ["tree/a", "boxes", "Sent.mbox/Messages"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    sandbox.write("tree/a/1.eml", b"Subject: x\n\nplain\n");
    sandbox.write("boxes/a.mbox", &mbox(&[b"Subject: x\n\nplain\n"]));
    sandbox.write("Sent.mbox/mbox", &mbox(&[b"Subject: x\n\nplain\n"]));
    let plain = ["tree", "boxes", "Sent.mbox"];
    for input in plain {
        sandbox.run(&["check", "--fail-on", "any", input]).ended(0);
    }
    sandbox.write("Maildir/dovecot.index", b"\x07\x03");
    sandbox.write("tree/a/README.txt", b"about");
    sandbox.write("boxes/.DS_Store", b"\0\0\0\x01Bud1");
    sandbox.write("Sent.mbox/Messages/1.emlx", b"12\n");
    for (input, name) in [
        ("Maildir", "left out: dovecot.index"),
        ("tree", "left out: a/README.txt"),
        ("boxes", "left out, of a ledger too: .DS_Store"),
        ("Sent.mbox", "left out, of a ledger too: Messages/1.emlx"),
    ] {
        let words = format!(
            "left alone  1 file that is no mail\n  box.no-mail  {input}: no mail, {name}\n"
        );
        let out = format!("{input}.out");
        let run = sandbox
            .run(&["normalize", input, "-o", &out, "--fail-on", "any"])
            .ended(3);
        assert!(run.err.contains(&words), "{input}: {}", run.err);
        for command in ["check", "text", "count", "inspect"] {
            let run = sandbox.run(&[command, input]).ended(0);
            let told = if command == "check" {
                run.text()
            } else {
                &run.err
            };
            assert!(told.contains(&words), "{command} {input}: {run:?}");
            if command != "check" {
                assert!(sandbox.run(&["-q", command, input]).ended(0).err.is_empty());
            }
        }
        sandbox.run(&["check", "--fail-on", "any", input]).ended(3);
    }
    // The ledger of a tree holds what the output does not.
    sandbox.run(&["restore", "tree.out", "-o", "back"]).ended(0);
    assert_eq!(sandbox.read("back/a/README.txt"), b"about");
    // However many there are, the report names them.
    for n in 0..40 {
        sandbox.write(&format!("tree/a/{n}.txt"), b"about");
    }
    let run = sandbox.run(&["check", "tree"]).ended(0);
    assert!(
        run.text()
            .contains("left alone  41 files that are no mail (-v names them)\n"),
        "{run:?}"
    );
    let run = sandbox.run(&["-v", "check", "tree"]).ended(0);
    assert_eq!(run.text().matches("  box.no-mail  tree: ").count(), 41);
}

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_slice(&run.out).unwrap()
}

#[test]
fn what_has_no_header_is_read_by_force_only() {
    let sandbox = Sandbox::new();
    let files: [(&str, &[u8]); 5] = [
        ("photo.jpg", b"\xff\xd8\xff\xe0"),
        (
            "passwd",
            b"root:x:0:0:root:/root:/bin/bash\nlp:x:7:7:lp:/var/spool/lpd:/usr/sbin/nologin\n",
        ),
        (
            "program",
            &[b"\x7fELF\x02\x01\x01\0", &[0; 9000][..], b"\nSubject: x\n"].concat(),
        ),
        ("notes.eml", b"Dear all,\n\nSubject: is it?\n"),
        ("notes.mbox", b"no separator here\n"),
    ];
    for (name, bytes) in files {
        sandbox.write(name, bytes);
        let words = format!("{name}: not a mail message: it does not begin with a header field");
        for command in ["check", "count", "text", "inspect"] {
            let run = sandbox.run(&[command, name]).ended(2);
            assert!(
                run.err.contains(&words) && run.out.is_empty(),
                "{command}: {run:?}"
            );
            sandbox.run(&[command, "--force-format", name]).ended(0);
            let run = sandbox.pipe(&[command, "-"], bytes).ended(2);
            assert!(
                run.err.contains("-: not a mail message: "),
                "{command}: {run:?}"
            );
            sandbox
                .pipe(&[command, "--force-format", "-"], bytes)
                .ended(0);
        }
        let run = sandbox.run(&["normalize", name, "-o", "out"]).ended(2);
        assert!(
            run.err.contains(&words) && !sandbox.path("out").exists(),
            "{run:?}"
        );
        let run = sandbox
            .run(&["normalize", "--force-format", name, "-o", "out"])
            .ended(0);
        assert!(run.err.contains("messages    1 in = 1 written"), "{run:?}");
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        assert_eq!(sandbox.read("back"), bytes);
        for place in ["out", "out.ledger", "back"] {
            std::fs::remove_file(sandbox.path(place)).unwrap();
        }
        // A gateway passes on whatever it is given.
        let run = sandbox.pipe(&["filter"], bytes).ended(0);
        assert_eq!(run.out, bytes);
    }
    let run = sandbox
        .run(&["check", "--force-format", "photo.jpg"])
        .ended(0);
    assert!(
        run.text()
            .contains("mbox.single  photo.jpg at 0: does not begin like a message\n"),
        "{run:?}"
    );
    assert!(
        run.text()
            .contains("next: mailglot normalize --force-format photo.jpg -o "),
        "{run:?}"
    );
    let run = sandbox
        .run(&["check", "--json", "passwd", "message.eml"])
        .ended(2);
    let account = json(&run);
    assert_eq!(
        (
            &account["messages_in"],
            account["unread"].as_array().map(Vec::len)
        ),
        (&1.into(), Some(1))
    );
}

/// In a tree the other messages are read, and the ledger keeps what is none.
#[test]
fn a_file_of_a_tree_without_a_header_is_left_out_and_told() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("wood")).unwrap();
    sandbox.write("wood/1.eml", b"Subject: x\n\nbody\n");
    sandbox.write("wood/2.eml", b"no header\n");
    sandbox.write("wood/3.eml", b"");
    sandbox.write("wood/._box.mbox", b"\0\x05\x16\x07");
    let words = "wood: 1 file does not begin with a header field and was left out (--force-format reads it)";
    let example = "box.no-header  wood (wood/2.eml): no mail, left out: it does not begin with a header field";
    for command in ["check", "count", "text", "inspect"] {
        let run = sandbox.run(&[command, "wood"]).ended(2);
        assert!(run.err.contains(words), "{command}: {run:?}");
        assert!(
            format!("{}{}", run.err, run.text()).contains(example),
            "{command}: {run:?}"
        );
        sandbox.run(&[command, "--force-format", "wood"]).ended(0);
    }
    assert_eq!(sandbox.run(&["count", "wood"]).ended(2).text(), "2\twood\n");
    let run = sandbox.run(&["check", "--json", "wood"]).ended(2);
    let account = json(&run);
    assert_eq!(
        (
            &account["events"]["box.no-header"],
            &account["without_header"]["wood"]
        ),
        (&1.into(), &1.into())
    );
    let examples = account["examples"].as_array().unwrap();
    let example = examples
        .iter()
        .find(|example| example["code"] == "box.no-header")
        .unwrap();
    assert_eq!(
        (&example["message"], &example["path"]),
        (&"wood".into(), &"wood/2.eml".into())
    );
    let run = sandbox.run(&["normalize", "wood", "-o", "out"]).ended(2);
    assert!(
        run.err.contains(words) && run.err.contains("messages    2 in = 2 written"),
        "{run:?}"
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    assert_eq!(sandbox.read("back/2.eml"), b"no header\n");
    assert_eq!(sandbox.read("back/._box.mbox"), b"\0\x05\x16\x07");
}

/// Maildir and MH as well: what has no header field is no message, wherever it lies.
#[test]
fn files_without_a_header_in_folders_of_all_forms() {
    for (folder, message, other, beside) in [
        (
            "maildir",
            "cur/1.host:2,S",
            "new/2.host",
            &["cur/", "new/", "tmp/"][..],
        ),
        ("mh", "1", "2", &[".mh_sequences"]),
        ("tree", "1.eml", "2.eml", &[]),
    ] {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.path(folder)).unwrap();
        for name in beside {
            let name = format!("{folder}/{name}");
            if name.ends_with('/') {
                std::fs::create_dir(sandbox.path(&name)).unwrap();
            } else {
                sandbox.write(&name, b"");
            }
        }
        sandbox.write(&format!("{folder}/{message}"), b"Subject: x\n\nbody\n");
        sandbox.write(&format!("{folder}/{other}"), b"\x7fELF\x02\n");
        let words = format!("{folder}: 1 file does not begin with a header field and was left out");
        for command in ["check", "count", "text", "inspect"] {
            let run = sandbox.run(&[command, folder]).ended(2);
            assert!(run.err.contains(&words), "{command} {folder}: {run:?}");
            sandbox.run(&[command, "--force-format", folder]).ended(0);
        }
        for (options, number, code) in [(&[][..], 1, 2), (&["--force-format"], 2, 0)] {
            let run = sandbox
                .run(&[&["count"], options, &[folder]].concat())
                .ended(code);
            assert_eq!(run.text(), format!("{number}\t{folder}\n"));
            let run = sandbox
                .run(&[&["normalize"], options, &[folder, "-o", "out"]].concat())
                .ended(code);
            let identity = format!("messages    {number} in = {number} written");
            assert!(run.err.contains(&identity), "{folder}: {run:?}");
            sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
            assert_eq!(sandbox.read(&format!("back/{other}")), b"\x7fELF\x02\n");
            for place in ["out", "back"] {
                std::fs::remove_dir_all(sandbox.path(place)).unwrap();
            }
            std::fs::remove_file(sandbox.path("out.ledger")).unwrap();
        }
    }
}

/// Many files that are no mail give one line on standard error, and those beyond the message limit are no loss.
#[test]
fn many_files_without_a_header_are_one_line() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("wood")).unwrap();
    sandbox.write("wood/0.eml", b"Subject: x\n\nbody\n");
    for number in 1..=40 {
        sandbox.write(&format!("wood/{number}.eml"), b"no header\n");
    }
    let large = std::fs::File::create(sandbox.path("wood/99.eml")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let run = sandbox
        .run(&["check", "--fail-on", "loss", "wood"])
        .ended(2);
    let words = "mailglot: wood: 41 files do not begin with a header field and were left out (--force-format reads them)\n";
    assert_eq!(run.err, words);
    assert!(
        run.text().contains("losses      0\n") && !run.text().contains("msg.too-large"),
        "{run:?}"
    );
    assert!(sandbox.run(&["count", "wood"]).ended(2).err.lines().count() < 10);
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
    assert_eq!(lines[1], "doubtful    1 separator");
    assert_eq!(
        json(&sandbox.run(&["check", "--json", "cut.mbox"]).ended(0))["doubtful_separators"],
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
            "doubtful    1 separator"
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
            .contains("\ndoubtful    0 separators\n")
    );
}

/// Dovecot's plugin zlib keeps the messages of a Maildir in gzip, under their usual names.
#[test]
fn a_compressed_message_in_a_maildir_stays_and_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("Maildir/cur/2.a.host:2,S", LATIN);
    sandbox
        .shell(&format!(
            "{GZIP} < Maildir/cur/2.a.host:2,S > z && mv z Maildir/cur/2.a.host:2,S"
        ))
        .ended(0);
    let packed = sandbox.read("Maildir/cur/2.a.host:2,S");
    let told = sandbox.run(&["check", "Maildir"]).ended(0);
    assert!(
        told.text()
            .contains("left alone  1 compressed or UTF-16 file\n"),
        "{told:?}"
    );
    let told = sandbox.run(&["-v", "check", "Maildir"]).ended(0);
    assert!(
        told.text().contains(
            "box.packed  Maildir:1 (Maildir/cur/2.a.host:2,S): compressed with gzip, left as it is"
        ),
        "{told:?}"
    );
    for form in ["maildir", "mbox", "eml"] {
        let run = sandbox
            .run(&["normalize", "Maildir", "-o", form, "--to", form])
            .ended(0);
        assert!(
            run.err.contains("left alone  1 compressed or UTF-16 file"),
            "{}",
            run.err
        );
        sandbox
            .run(&["restore", form, "-o", &format!("back-{form}")])
            .ended(0);
        assert_eq!(
            sandbox.read(&format!("back-{form}/cur/2.a.host:2,S")),
            packed
        );
        // A second pass leaves it alone, too.
        sandbox
            .run(&["normalize", form, "-o", &format!("again-{form}")])
            .ended(0);
    }
    assert_eq!(sandbox.read("again-mbox"), sandbox.read("mbox"));
    let kept = fs::read_dir(sandbox.path("maildir/cur")).unwrap();
    assert!(
        kept.into_iter()
            .any(|entry| fs::read(entry.unwrap().path()).unwrap() == packed)
    );
    assert_eq!(
        sandbox.run(&["text", "Maildir"]).ended(0).text(),
        "Привет, мир!\n"
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
            .find(|line| line.starts_with("left alone"))
            .map(str::to_owned)
    };
    for (input, count) in [("boxes", 2), ("tree", 2), ("Maildir", 1)] {
        let words = if count == 1 {
            "1 link or special file"
        } else {
            "2 links and special files"
        };
        let words = Some(format!("left alone  {words}"));
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

/// A mailbox that is a thousand times as long as what it is compressed to.
#[test]
fn what_expands_beyond_all_measure_is_stopped_and_told() {
    let sandbox = Sandbox::new();
    let bomb = "{ printf 'From a@b.c Mon Jan  1 00:00:00 2001\\nFrom: a@b.c\\nSubject: x\\n\\n'; \
        yes words | head -c 100000000; } | gzip > bomb.mbox.gz";
    sandbox.shell(bomb).ended(0);
    let run = sandbox.shell("mailglot check bomb.mbox.gz").ended(2);
    assert!(
        run.text().contains("box.expansion") && run.err.contains("--max-expansion"),
        "{run:?}"
    );
    for command in ["count", "text"] {
        let run = sandbox
            .shell(&format!("mailglot {command} bomb.mbox.gz > /dev/null"))
            .ended(2);
        assert!(
            run.err.contains("more than 200 times as long inside"),
            "{command}: {}",
            run.err
        );
    }
    let run = sandbox
        .shell("mailglot normalize bomb.mbox.gz -o out.mbox --ledger none")
        .ended(2);
    assert!(run.err.contains("box.expansion"), "{}", run.err);
    let length = std::fs::metadata(sandbox.path("out.mbox")).unwrap().len();
    assert!((64 << 20..70 << 20).contains(&length), "{length}");
    let run = sandbox.shell("mailglot check --max-expansion 100000 bomb.mbox.gz");
    assert!(
        !run.text().contains("box.expansion") && run.err.is_empty(),
        "{run:?}"
    );
}

/// Reading stops within a message: that message is no part of the output, and nothing claims that all comes back.
#[test]
fn a_message_that_the_bound_cuts_is_set_aside() {
    let sandbox = Sandbox::new();
    let mailbox = "for n in $(seq 100); do printf 'From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: x\n\n'; \
        yes words | head -c 1000000; printf '\n\n'; done > box.mbox; gzip -k box.mbox";
    sandbox.shell(mailbox).ended(0);
    let run = sandbox
        .shell("mailglot normalize box.mbox.gz -o out.mbox")
        .ended(2);
    let whole = sandbox.read("box.mbox");
    let out = sandbox.read("out.mbox");
    let count = memchr::memmem::find_iter(&out, b"From a@b.c ").count();
    let words = format!(
        "messages    {} in = {count} written + 1 set aside",
        count + 1
    );
    assert!(run.err.contains(&words), "{}", run.err);
    assert!(out == whole[..out.len()] && whole[out.len()..].starts_with(b"From a@b.c "));
    assert!(
        run.err
            .contains("incomplete  box.mbox.gz: input left out from compressed byte ")
            && run.err.contains("reversible: only what was read, with "),
        "{}",
        run.err
    );
    let aside = sandbox.read("out.mbox.set-aside/00000000.eml");
    let message = &whole[out.len()..][b"From a@b.c Mon Jan  1 00:00:00 2001\n".len()..];
    assert!(!aside.is_empty() && message.starts_with(&aside) && aside.len() < 1_000_000);
    // What was read comes back, and no more is claimed.
    let run = sandbox
        .shell("mailglot restore out.mbox --verify-only")
        .ended(2);
    assert_eq!(run.text(), "reversible: only what was read (checked)\n");
    assert!(
        run.err
            .contains("incomplete: input left out from compressed byte "),
        "{}",
        run.err
    );
    sandbox
        .shell("mailglot restore out.mbox -o back.mbox")
        .ended(2);
    let back = sandbox.read("back.mbox");
    assert!(back.len() > out.len() && whole.starts_with(&back));
    // Without the bound all is there.
    let run = sandbox
        .shell("mailglot normalize --max-expansion 100000 box.mbox.gz -o all.mbox")
        .ended(0);
    assert!(run.err.contains("100 written + 0 set aside"), "{}", run.err);
    sandbox
        .shell("mailglot restore all.mbox --verify-only")
        .ended(0);
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
