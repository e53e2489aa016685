//! Files that are not mail, in folders and on the command line.

use crate::sandbox::{Sandbox, mbox};
use std::fs;

#[test]
fn files_that_are_not_mail_are_named() {
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
    sandbox.write("Sent.mbox/Messages/1.txt", b"12\n");
    for (input, name) in [
        ("Maildir", ", left out: dovecot.index"),
        ("tree", ", left out: a/README.txt"),
        ("boxes", "; neither output nor ledger has it: .DS_Store"),
        (
            "Sent.mbox",
            "; neither output nor ledger has it: Messages/1.txt",
        ),
    ] {
        let words = format!(
            "not read    1 file that is not mail\n  box.no-mail  {input}: not mail{name}\n"
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
            .contains("not read    41 files that are not mail (-v names them)\n"),
        "{run:?}"
    );
    let run = sandbox.run(&["-v", "check", "tree"]).ended(0);
    assert_eq!(run.text().matches("  box.no-mail  tree: ").count(), 41);
}

/// Cyrus names messages `1.`. The summary reports such files when a known mailbox stands beside them.
#[test]
fn messages_of_imap_servers_are_named() {
    let sandbox = Sandbox::new();
    let message = b"Return-Path: <a@b>\nSubject: x\n\nplain\n";
    fs::create_dir_all(sandbox.path("store/user/anna")).unwrap();
    for name in ["1.", "2.", "draft~", ",3"] {
        sandbox.write(&format!("store/user/anna/{name}"), message);
    }
    sandbox.write("store/user/anna/cyrus.header", b"\xa1\x02\x8b\x0dCyrus");
    sandbox.write("store/user/anna/note", b"Subject: x\n\nplain\n");
    let hint = "find store -type f -name '[0-9]*.' -print0 | mailglot … --files0-from -";
    let run = sandbox.run(&["check", "store"]).ended(2);
    assert!(run.err.contains(hint), "{run:?}");
    sandbox.write("store/a.eml", message);
    let run = sandbox.run(&["normalize", "store", "-o", "out"]).ended(2);
    let words =
        "store: 2 files look like mail and were not read, because of their names; read them with: ";
    assert!(run.err.contains(&format!("{words}{hint}\n")), "{run:?}");
    assert!(
        run.err
            .contains("not read    2 files that look like mail, 4 files that are not mail"),
        "{run:?}"
    );
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    assert_eq!(sandbox.read("back/user/anna/1."), message);
    sandbox
        .shell("find store -type f -name '[0-9]*.' -print0 > names")
        .ended(0);
    sandbox
        .run(&["normalize", "--files0-from", "names", "-o", "read"])
        .ended(0);
}

/// Files of formats that are not read may have all the mail of a folder. A line on standard error names them with `-q`, too.
#[test]
fn formats_that_are_not_read_are_an_incomplete_input() {
    let utf16: Vec<u8> = mbox(&[b"Subject: x\n\nplain\n"])
        .iter()
        .flat_map(|&byte| [byte, 0])
        .collect();
    let utf16 = [&b"\xff\xfe"[..], &utf16].concat();
    let office = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more";
    for (name, content, advice) in [
        ("old.pst", &b"!BDN and more"[..], "with readpst"),
        ("a.msg", office, "with msgconvert"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c and more", "with `7z x`"),
        ("a.rar", b"Rar!\x1a\x07 and more", "with `unrar x`"),
        ("a.mbox.lzma", b"]\0\0\x80\0 and more", "xz -dc"),
        ("a.mbox", &utf16, "mailglot convert -f utf-16"),
    ] {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.path("tree")).unwrap();
        sandbox.write("tree/1.eml", b"Subject: x\n\nplain\n");
        sandbox.write(&format!("tree/{name}"), content);
        for args in [&["count", "tree"][..], &["normalize", "tree", "-o", "out"]] {
            let run = sandbox.run(&[&["-q"], args].concat()).ended(2);
            let words = format!("mailglot: tree: 1 file was not read: {name}: ");
            let named = run.err.starts_with(&words) && !run.err.contains("; it is ");
            let is_whole = named && run.err.contains(advice);
            assert!(is_whole, "{name}: {}", run.err);
        }
        // The file stays in the ledger.
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        assert_eq!(sandbox.read(&format!("back/{name}")), content);
    }
    // A message in UTF-16 is copied, and nothing in it is read.
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("tree")).unwrap();
    sandbox.write("tree/1.eml", &utf16);
    for args in [&["text", "tree"][..], &["normalize", "tree", "-o", "out"]] {
        let run = sandbox.run(&[&["-q"], args].concat()).ended(2);
        let words = "mailglot: tree: 1 file was not read: text in UTF-16, left as it is; pipe";
        assert!(run.err.starts_with(words), "{}", run.err);
    }
    // Other files of Office are not mail.
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("tree")).unwrap();
    sandbox.write("tree/1.eml", b"Subject: x\n\nplain\n");
    sandbox.write("tree/a.doc", office);
    sandbox.run(&["count", "tree"]).ended(0);
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
    let account = run.json();
    assert_eq!(
        (
            &account["messages_in"],
            account["unread"].as_array().map(Vec::len)
        ),
        (&1.into(), Some(1))
    );
}

/// In a tree of files the messages are read. The ledger keeps the files that are not mail.
#[test]
fn a_file_of_a_tree_without_a_header_is_left_out_and_told() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("wood")).unwrap();
    sandbox.write("wood/1.eml", b"Subject: x\n\nbody\n");
    sandbox.write("wood/2.eml", b"no header\n");
    sandbox.write("wood/3.eml", b"");
    sandbox.write("wood/._box.mbox", b"\0\x05\x16\x07");
    let words = "wood: 1 file does not begin with a header field and was left out (--force-format reads it)";
    let example = "box.no-header  wood (wood/2.eml): not mail, left out: it does not begin with a header field";
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
    let account = run.json();
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

/// Many files that are not mail give one line on standard error, and those beyond the message limit are no loss.
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
fn files_that_other_programs_convert_are_named() {
    let sandbox = Sandbox::new();
    let files: [(&str, &[u8], &str); 6] = [
        (
            "x.7z",
            b"7z\xBC\xAF\x27\x1C\0\x04 7z",
            "an archive of 7-Zip: unpack it first, for example with `7z x`",
        ),
        (
            "x.rar",
            b"Rar!\x1A\x07\x01\0 rar",
            "a RAR archive: unpack it first, for example with `unrar x`",
        ),
        (
            "x.lzma",
            b"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0",
            "lzma: pipe the content in: xz -dc x.lzma | mailglot … -",
        ),
        (
            "x.mbx",
            b"JMF6\x03\0\x01\0\x02\0\0\0",
            "a folder of Outlook Express 4 (.mbx): convert it",
        ),
        (
            "x.idx",
            b"JMF9\x03\0\x01\0\x02\0\0\0",
            "a folder of Outlook Express 4 (.mbx): convert it",
        ),
        (
            "Folders.dbx",
            b"\xCF\xAD\x12\xFE\xC6\xFD\x74\x6F\x66\xE3",
            "an index of Outlook Express (.dbx) without messages",
        ),
    ];
    for (name, bytes, words) in files {
        sandbox.write(name, bytes);
        let run = sandbox.run(&["check", name]).ended(2);
        assert!(run.err.contains(words), "{}", run.err);
        assert!(!run.err.contains("--force-format"), "{}", run.err);
    }
    // This file has the first byte of an lzma file, but not its header: the error calls it no mail.
    sandbox.write("x", b"]\0\0\x03\0abcdef");
    let run = sandbox.run(&["check", "x"]).ended(2);
    assert!(run.err.contains("--force-format"), "{}", run.err);
}
