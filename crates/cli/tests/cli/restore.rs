//! `restore`

use crate::sandbox::{LATIN, Sandbox};
use std::fs;

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

#[test]
fn a_ledger_in_the_place_of_the_output_names_the_right_call() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "clean.mbox"])
        .ended(0);
    let run = sandbox
        .run(&["restore", "clean.mbox.ledger", "--verify-only"])
        .ended(4);
    assert!(
        run.err.ends_with(
            "clean.mbox.ledger.ledger: no such file or directory; \
             name the output of `normalize`, not its ledger: mailglot restore clean.mbox\n"
        ),
        "{}",
        run.err
    );
    std::fs::remove_file(sandbox.path("clean.mbox")).unwrap();
    let run = sandbox
        .run(&["restore", "clean.mbox.ledger", "--verify-only"])
        .ended(4);
    let call = "mailglot restore [NORMALIZED] --ledger clean.mbox.ledger\n";
    assert!(run.err.ends_with(call), "{}", run.err);
    // The advice about another file is given once.
    sandbox.write("empty.ledger", b"");
    let run = sandbox
        .run(&[
            "restore",
            "archive.mbox",
            "--ledger",
            "empty.ledger",
            "--verify-only",
        ])
        .ended(4);
    assert_eq!(run.err.matches("name the ledger").count(), 1, "{}", run.err);
}

/// What a gateway keeps is restored by another command.
#[test]
fn a_segment_of_a_gateway_names_its_command() {
    let sandbox = Sandbox::new();
    let name = crate::ledger::kept(&sandbox);
    let segment = format!("ledger/{}", name.split(':').next().unwrap());
    for args in [
        &["restore", "--ledger", &segment, "-o", "back"][..],
        &["restore", &segment, "-o", "back"],
    ] {
        let run = sandbox.run(args).ended(4);
        assert!(
            run.err.contains("`mailglot ledger restore --folder FOLDER")
                && !run.err.contains("mailglot normalize"),
            "{}",
            run.err
        );
    }
    // An output of `normalize` may have such a name.
    sandbox
        .shell("mailglot normalize -q archive.mbox -o out.segment && touch back.mbox")
        .ended(0);
    let run = sandbox
        .run(&["restore", "out.segment", "-o", "back.mbox"])
        .ended(4);
    assert!(
        run.err.contains("already exists") && !run.err.contains("ledger"),
        "{}",
        run.err
    );
    // The record alone is a ledger.
    sandbox
        .shell("mailglot ledger show --folder ledger --queue-id 4F2 --raw > 4F2.ledger && mailglot restore --ledger 4F2.ledger -o back")
        .ended(0);
    let help = sandbox.run(&["restore", "--help"]).ended(0);
    assert!(help.text().contains("`mailglot ledger restore`"));
    // A damaged segment is not confused with a ledger of `normalize`.
    sandbox.write(&segment, &[b'x'; 500]);
    let run = sandbox
        .run(&["ledger", "find", "--folder", "ledger"])
        .ended(2);
    assert!(
        run.err.contains("does not begin as a ledger does")
            && !run.err.contains("mailglot normalize"),
        "{}",
        run.err
    );
}

#[test]
fn an_unreadable_input_says_that_nothing_was_written() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&["normalize", "archive.mbox", "missing", "-o", "out"])
        .ended(2);
    assert_eq!(
        run.err,
        "mailglot: missing: no such file or directory; nothing was written, since each input must be readable\n"
    );
    assert!(!sandbox.path("out").exists());
}

/// The outputs of a tree are siblings. Summary and report say which is which.
#[test]
fn outputs_of_a_tree_are_named() {
    let sandbox = Sandbox::new();
    let mailbox = sandbox.read("archive.mbox");
    for folder in ["t/2001", "t/2002"] {
        std::fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.write(&format!("{folder}/Inbox"), &mailbox);
    }
    sandbox.write("t/other.mbox", &mailbox);
    for form in ["mbox", "eml", "maildir"] {
        let args = [
            "normalize",
            "t",
            "-o",
            form,
            "--to",
            form,
            "--report",
            "report.json",
            "--force",
        ];
        let run = sandbox.run(&args).ended(0);
        let lines = "outputs     3 in one folder, 1 under another name\n";
        assert!(run.err.contains(lines), "{form}: {}", run.err);
        let report: serde_json::Value =
            serde_json::from_slice(&sandbox.read("report.json")).unwrap();
        let sources = report["summary"]["sources"].as_array().unwrap();
        for source in sources {
            let (path, output) = (
                source["path"].as_str().unwrap(),
                source["output"].as_str().unwrap(),
            );
            assert!(sandbox.path(form).join(output).exists(), "{output}");
            let is_second = path == "t/2002/Inbox";
            assert_eq!(output.starts_with("Inbox-2"), is_second, "{path} {output}");
            let line = format!("  {output} is from {path}\n");
            assert_eq!(run.err.contains(&line), is_second, "{}", run.err);
        }
        // The messages of a mailbox had no file names.
        assert!(!run.err.contains("file names  new"), "{}", run.err);
    }
    let run = sandbox.run(&["-v", "normalize", "t", "-o", "all"]).ended(0);
    assert!(run.err.contains("t/other.mbox: 2 messages"), "{}", run.err);
    assert!(run.err.contains(", output other.mbox\n"), "{}", run.err);
    let run = sandbox
        .run(&["normalize", "t/other.mbox", "-o", "one"])
        .ended(0);
    assert!(!run.err.contains("outputs "), "{}", run.err);
}

/// Outputs that were changed or are missing do not stop the others.
#[test]
fn other_inputs_are_restored_on_request() {
    let sandbox = Sandbox::new();
    let mailbox = sandbox.read("archive.mbox");
    std::fs::create_dir_all(sandbox.path("t/sub")).unwrap();
    let names = [
        "a.mbox",
        "b.mbox",
        "c.mbox",
        "d.mbox",
        "sub/e.mbox",
        "sub/f.mbox",
    ];
    for name in names {
        sandbox.write(&format!("t/{name}"), &mailbox);
    }
    sandbox.write("t/empty.mbox", b"");
    let moved = sandbox.path("t/Maildir");
    std::fs::rename(sandbox.path("Maildir"), moved).unwrap();
    sandbox.run(&["normalize", "t", "-o", "out"]).ended(0);
    // Nothing is left out if nothing was changed.
    sandbox
        .run(&["restore", "--keep-going", "out", "-o", "all"])
        .ended(0);
    std::fs::remove_file(sandbox.path("out/a.mbox")).unwrap();
    let mut changed = sandbox.read("out/b.mbox");
    changed[40] ^= 1;
    sandbox.write("out/b.mbox", &changed);
    sandbox.write("out/d.mbox", &changed[..changed.len() / 2]);
    let messages = std::fs::read_dir(sandbox.path("out/Maildir/cur")).unwrap();
    let message = messages.into_iter().next().unwrap().unwrap().path();
    std::fs::write(message, b"Subject: x\n").unwrap();
    let run = sandbox.run(&["restore", "out", "-o", "back"]).ended(4);
    let hint = "; --keep-going restores the other inputs\n";
    assert!(run.err.ends_with(hint), "{}", run.err);
    assert!(!sandbox.path("back").exists());
    let run = sandbox
        .run(&["restore", "--keep-going", "out", "-o", "back"])
        .ended(2);
    for line in [
        "out/a.mbox is missing; a.mbox was not restored\n",
        "out/b.mbox was changed after it was written; b.mbox was not restored\n",
        "out/d.mbox was changed after it was written; d.mbox was not restored\n",
        "out/Maildir was changed after it was written; Maildir was not restored\n",
        "restored to back: 4 archives, 6 messages, ",
    ] {
        assert!(run.err.contains(line), "{line}: {}", run.err);
    }
    for name in names {
        let path = sandbox.path(&format!("back/{name}"));
        let is_left_out = ["a.mbox", "b.mbox", "d.mbox"].contains(&name);
        assert_eq!(
            std::fs::read(path).ok(),
            (!is_left_out).then(|| mailbox.clone())
        );
    }
    assert_eq!(sandbox.read("back/empty.mbox"), b"");
    assert!(!sandbox.path("back/Maildir").exists());
    let run = sandbox
        .run(&["restore", "--keep-going", "out", "--verify-only"])
        .ended(2);
    assert!(
        run.text()
            .starts_with("reversible: no: 4 of 8 archives could not be restored"),
        "{run:?}"
    );
    // Without one that can be restored, the command fails.
    std::fs::remove_dir_all(sandbox.path("out")).unwrap();
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let run = sandbox
        .run(&["restore", "--keep-going", "out", "-o", "none"])
        .ended(4);
    assert!(run.err.contains("nothing was restored: "), "{}", run.err);
}

/// Several inputs keep their relative paths, also names that end in a dot.
#[test]
fn named_files_are_restored_at_their_paths() {
    let sandbox = Sandbox::new();
    let message = sandbox.read("message.eml");
    let names = [
        "user/ann/1.",
        "user/ann/Sent/1.",
        "user/bob/1.",
        "user/bob/x: y.",
    ];
    for name in names {
        let path = sandbox.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        sandbox.write(name, &message);
    }
    for find in ["find user", "find \"$PWD/user\"", "cd user && find ."] {
        let out = format!("{}/out", sandbox.path(".").display());
        let line =
            format!("{find} -type f -print0 | mailglot normalize --files0-from - -o {out} --force");
        sandbox.shell(&line).ended(0);
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        for name in names {
            let place = match find {
                "find user" => format!("back/{name}"),
                _ => name.replacen("user", "back", 1),
            };
            assert_eq!(sandbox.read(&place), message, "{find} {name}");
        }
        std::fs::remove_dir_all(sandbox.path("back")).unwrap();
    }
}

/// A missing message of a folder is reported like a missing mailbox. The other inputs can be restored.
#[test]
fn a_missing_message_is_named() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("tree")).unwrap();
    sandbox.write("tree/1.eml", b"Subject: one\n\nplain\n");
    sandbox.write("tree/2.eml", b"Subject: two\n\nplain\n");
    sandbox.write(
        "b.mbox",
        b"From a@b.c Mon Jan  1 00:00:00 2001\nSubject: b\n\nb\n",
    );
    for inputs in [&["tree"][..], &["tree", "b.mbox"]] {
        let args = [&["normalize", "-o", "out", "--to", "maildir"], inputs].concat();
        sandbox.run(&args).ended(0);
        let gone = sandbox.shell("find out -name '00000001.*' | tee gone; rm $(cat gone)");
        let gone = gone.ended(0).text().trim_end().to_owned();
        let run = sandbox.run(&["restore", "out", "-o", "back"]).ended(4);
        let words = format!("nothing was restored: {gone} is missing");
        assert!(run.err.contains(&words), "{}", run.err);
        let has_others = inputs.len() > 1;
        let hint = "; --keep-going restores the other inputs\n";
        assert_eq!(run.err.ends_with(hint), has_others, "{}", run.err);
        let going = ["restore", "--keep-going", "out", "-o", "back"];
        sandbox.run(&going).ended(if has_others { 2 } else { 4 });
        assert_eq!(sandbox.path("back/b.mbox").exists(), has_others);
        sandbox.shell("rm -rf out out.ledger back").ended(0);
    }
}

#[test]
fn files_that_were_added_to_an_output_are_counted() {
    let sandbox = Sandbox::new();
    let normalize = ["normalize", "Maildir", "-o", "out"];
    sandbox.run(&normalize).ended(0);
    let restore = ["restore", "out", "-o", "back"];
    let run = sandbox.run(&restore).ended(0);
    assert!(!run.err.contains("left out"), "{}", run.err);
    sandbox.write("out/cur/extra:2,", b"Subject: x\n\nx\n");
    let run = sandbox.run(&["restore", "out", "-o", "again"]).ended(0);
    let words = "left out    1 file in out that `normalize` did not write\n";
    assert!(run.err.contains(words), "{}", run.err);
    // The current folder has a name, too.
    let run = sandbox.shell("cd out && mailglot restore . --verify-only");
    assert!(run.ended(0).text().contains("reversible: yes"));
    sandbox.shell("mv out renamed").ended(0);
    let run = sandbox.run(&["restore", "renamed", "-o", "more"]);
    assert!(
        run.err.ends_with("; name the ledger with --ledger\n"),
        "{}",
        run.err
    );
}
