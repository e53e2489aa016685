//! Output files: written whole or not at all, through links, into streams, with private modes.

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn outputs_are_whole_or_absent() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    for (args, code) in [
        (
            &["normalize", "archive.mbox", "missing.mbox", "-o", "out"][..],
            2,
        ),
        (
            &["normalize", "archive.mbox", "-o", "no/such/folder/out.mbox"],
            4,
        ),
        (&["normalize", "archive.mbox", "-o", "message.eml"], 4),
        (&["normalize", "archive.mbox", "-o", "-"], 1),
        (&["normalize", "Maildir", "-o", "Maildir/out"], 1),
        (&["restore", "archive.mbox", "-o", "out"], 4),
        (&["restore", "missing", "--verify-only"], 2),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, code, "{args:?}: {run:?}");
        assert!(run.err.starts_with("mailglot: "), "{args:?}: {}", run.err);
        assert!(run.out.is_empty());
        assert_eq!(sandbox.names(), before, "{args:?}");
    }
    assert_eq!(sandbox.read("message.eml"), LATIN);
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "message.eml", "--force"])
        .ended(0);
    let replaced = sandbox.read("message.eml");
    assert!(
        replaced != LATIN
            && String::from_utf8(replaced)
                .unwrap()
                .contains("charset=utf-8")
    );
}

/// A device stays what it is, and so does a pipe; what can be written through is.
#[test]
fn one_place_under_two_names_is_wanted_once() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("d/o")).unwrap();
    symlink("d", sandbox.path("ld")).unwrap();
    symlink("q", sandbox.path("lq")).unwrap();
    sandbox.write("d/q", b"old");
    for (input, line) in [
        ("archive.mbox", "-o q --ledger ./q"),
        ("archive.mbox", "-o q --report ./q"),
        ("archive.mbox", "-o q --report q.ledger"),
        ("archive.mbox", "-o q --report ./q.set-aside"),
        ("archive.mbox", "-o d/q --ledger ld/q"),
        ("archive.mbox", "-o lq --ledger q"),
        ("Maildir", "-o d/o --ledger ./d/o/l"),
        ("Maildir", "-o ./d/o --ledger ld/o/l"),
        ("Maildir", "-o ld/o/x --ledger d/o/../o/x"),
    ] {
        for force in ["", "--force"] {
            let run = sandbox
                .shell(&format!("mailglot normalize {input} {line} {force}"))
                .ended(1);
            assert!(
                run.err.contains("two outputs have this path"),
                "{line}: {}",
                run.err
            );
        }
        assert_eq!(sandbox.read("d/q"), b"old");
        assert_eq!(
            fs::read_dir(sandbox.path("d")).unwrap().count(),
            2,
            "{line}"
        );
        assert!(
            !sandbox.path("q").exists() && !sandbox.path("q.ledger").exists(),
            "{line}"
        );
    }
}

#[test]
fn links_stay_and_their_places_are_written() {
    let sandbox = Sandbox::new();
    let is_link = |name: &str| {
        fs::symlink_metadata(sandbox.path(name))
            .unwrap()
            .is_symlink()
    };
    fs::create_dir(sandbox.path("real-folder")).unwrap();
    sandbox.write("real", b"old");
    sandbox.write("real-ledger", b"old");
    let links = [
        ("link", "real"),
        ("ledger", "real-ledger"),
        ("folder", "real-folder"),
        ("dangling", "later"),
        ("dangling-folder", "later-folder"),
    ];
    for (link, to) in links {
        symlink(to, sandbox.path(link)).unwrap();
    }
    let archive = sandbox.read("archive.mbox");
    let runs: [&[&str]; 8] = [
        &["normalize", "archive.mbox", "-o", "link", "--force"],
        &["restore", "link", "-o", "back"],
        &[
            "normalize",
            "archive.mbox",
            "-o",
            "x",
            "--ledger",
            "ledger",
            "--force",
        ],
        &["restore", "x", "--ledger", "ledger", "-o", "dangling"],
        &["normalize", "Maildir", "-o", "folder/"],
        &["restore", "folder", "-o", "dangling-folder"],
        &["normalize", "Maildir", "-o", "folder", "--force"],
        &["restore", "folder/", "--verify-only"],
    ];
    for args in runs {
        sandbox.run(args).ended(0);
        assert!(links.iter().all(|(link, _)| is_link(link)), "{args:?}");
    }
    assert!(sandbox.read("back") == archive && sandbox.read("later") == archive);
    assert!(sandbox.path("later-folder/cur").is_dir() && sandbox.path("real-folder/cur").is_dir());
    let run = sandbox
        .run(&["normalize", "archive.mbox", "-o", "link"])
        .ended(4);
    assert!(run.err.contains("real: already exists"), "{}", run.err);
    // A folder under restoration is replaced in its place too.
    fs::create_dir(sandbox.path("empty")).unwrap();
    symlink("empty", sandbox.path("to-empty")).unwrap();
    sandbox
        .run(&["restore", "folder", "-o", "to-empty/"])
        .ended(0);
    assert!(is_link("to-empty") && sandbox.path("empty/cur").is_dir());
    assert!(!sandbox.names().iter().any(|name| name.contains(".tmp")));
}

#[test]
fn force_takes_no_folder_of_others() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("proj/new")).unwrap();
    sandbox.write("proj/new/thesis.tex", b"x");
    let run = sandbox
        .run(&[
            "normalize",
            "archive.mbox",
            "-o",
            "proj",
            "--to",
            "eml",
            "--force",
        ])
        .ended(4);
    assert!(run.err.contains("holds more than mail"), "{}", run.err);
    assert_eq!(sandbox.read("proj/new/thesis.tex"), b"x");
}

#[test]
fn streams_are_written_through_and_never_replaced() {
    let sandbox = Sandbox::new();
    let want = sandbox
        .run(&["convert", "-f", "windows-1252", "letter.txt"])
        .ended(0)
        .out;
    for line in [
        "mailglot convert -f windows-1252 -o /dev/stdout letter.txt > got",
        "mailglot convert -f windows-1252 -o /dev/fd/3 letter.txt 3> got",
        "mailglot convert -f windows-1252 -o /dev/stdout letter.txt | cat > got",
        "mkfifo pipe; cat pipe > got & mailglot convert -f windows-1252 -o pipe letter.txt; wait; test -p pipe; rm pipe",
    ] {
        sandbox.shell(line).ended(0);
        assert_eq!(sandbox.read("got"), want, "{line}");
    }
    // What the shell wrote before stays.
    sandbox
        .shell("(echo before; mailglot convert -f windows-1252 -o /dev/stdout letter.txt) > got")
        .ended(0);
    assert_eq!(sandbox.read("got"), [b"before\n", &want[..]].concat());
    sandbox
        .run(&[
            "convert",
            "-f",
            "windows-1252",
            "-o",
            "/dev/null",
            "letter.txt",
        ])
        .ended(0);
    sandbox
        .run(&[
            "convert",
            "-f",
            "windows-1252",
            "-o",
            "/dev/full",
            "letter.txt",
        ])
        .ended(4);
    let report =
        "mailglot -q normalize archive.mbox -o out.mbox --report /dev/stdout | cat > report.json";
    sandbox.shell(report).ended(0);
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report.json")).unwrap();
    assert_eq!(report["identity"]["messages_in"], 2);
    let before = sandbox.names();
    for line in [
        "mailglot normalize archive.mbox -o /dev/stdout --force > got",
        "mailglot normalize archive.mbox -o /dev/null --ledger none --force",
        "mailglot normalize archive.mbox -o other.mbox --ledger /dev/stdout --force > got",
        "mailglot restore out.mbox -o /dev/stdout > got",
        "mailglot convert -f windows-1252 -o y/ letter.txt",
        "mailglot normalize archive.mbox -o y/ --ledger none",
        "mailglot restore out.mbox -o y/",
    ] {
        let run = sandbox.shell(line).ended(4);
        assert!(
            [
                "write to another path",
                "the name ends in a slash",
                "choose another name"
            ]
            .iter()
            .any(|words| run.err.contains(words)),
            "{line}: {}",
            run.err
        );
        assert_eq!(sandbox.names(), before, "{line}");
    }
    // A folder may be named so.
    sandbox.run(&["normalize", "Maildir", "-o", "y/"]).ended(0);
    assert!(sandbox.path("y/cur").is_dir() && sandbox.path("y.ledger").is_file());
    sandbox
        .shell("test -c /dev/null && test -c /dev/full")
        .ended(0);
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let many = vec![LATIN; 4000];
    sandbox.write("big.mbox", &mbox(&many));
    let (before, input) = (sandbox.names(), sandbox.read("big.mbox"));
    // The limit counts blocks of 512 bytes; without the signal, writing beyond it fails.
    let run = sandbox.shell("trap '' XFSZ; ulimit -f 64; mailglot normalize big.mbox -o out.mbox");
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.err.contains("mailglot: out.mbox"), "{}", run.err);
    assert_eq!(sandbox.names(), before);
    assert!(sandbox.read("big.mbox") == input);
    let run = sandbox
        .shell("mailglot check archive.mbox > /dev/full")
        .ended(4);
    assert!(run.err.contains("standard output"), "{}", run.err);
}

#[test]
fn what_is_made_of_private_mail_is_private() {
    let sandbox = Sandbox::new();
    let set = |name: &str, mode| {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let mode = |name: &str| {
        fs::metadata(sandbox.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let run = |line: &str| sandbox.shell(&format!("umask 022; {line}"));
    for (own, made) in [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644)] {
        set("archive.mbox", own);
        run("mailglot -q normalize --force archive.mbox -o out.mbox --report report.json").ended(0);
        run("mailglot -q normalize --force archive.mbox --to maildir -o folder").ended(0);
        run("mailglot -q convert -f koi8-r archive.mbox -o text").ended(0);
        for name in [
            "out.mbox",
            "out.mbox.ledger",
            "report.json",
            "folder.ledger",
            "text",
        ] {
            assert_eq!(mode(name), made, "{name} of {own:o}");
        }
        assert_eq!(mode("folder/cur"), made | (made & 0o444) >> 2, "{own:o}");
        run("mailglot -q restore out.mbox -o back.mbox").ended(0);
        assert_eq!(mode("back.mbox"), made, "{own:o}");
        for name in [
            "out.mbox",
            "out.mbox.ledger",
            "report.json",
            "folder.ledger",
            "back.mbox",
            "text",
        ] {
            fs::remove_file(sandbox.path(name)).unwrap();
        }
        fs::remove_dir_all(sandbox.path("folder")).unwrap();
    }
    // What comes out of a private ledger beside its output is private, too. So is the output of a private file on standard input,
    // and a ledger in the place of a private one.
    set("archive.mbox", 0o644);
    run("mailglot -q normalize archive.mbox -o out.mbox").ended(0);
    set("out.mbox.ledger", 0o600);
    run("mailglot -q restore out.mbox -o back.mbox").ended(0);
    assert_eq!(mode("back.mbox"), 0o600);
    run("mailglot -q normalize --force archive.mbox -o out.mbox").ended(0);
    assert_eq!(mode("out.mbox.ledger"), 0o600);
    set("archive.mbox", 0o600);
    run("mailglot -q normalize - -o stdin.mbox < archive.mbox").ended(0);
    assert_eq!(mode("stdin.mbox"), 0o600);
    run("cat archive.mbox | mailglot -q normalize - -o piped.mbox").ended(0);
    assert_eq!(mode("piped.mbox"), 0o644);
    // What is replaced was private.
    run("touch text; chmod 600 text; mailglot -q convert -f koi8-r archive.mbox -o text").ended(0);
    assert_eq!(mode("text"), 0o600);
}

#[test]
fn names_that_are_not_utf8_stay_byte_for_byte() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let names = [
        &b"Entw\xfcrfe.mbox"[..],
        b"Entw\xe4rfe.mbox",
        b"\xf7\xc8\xcf\xc4.mbox",
    ];
    std::fs::create_dir(sandbox.path("in")).unwrap();
    for (number, name) in names.iter().enumerate() {
        let subject = format!("Subject: {number}\n\nx\n");
        let path = sandbox.path("in").join(OsStr::from_bytes(name));
        std::fs::write(path, mbox(&[subject.as_bytes()])).unwrap();
    }
    sandbox.shell("cd in && tar -cf ../in.tar *").ended(0);
    for (input, out, back) in [("in", "out", "back"), ("in.tar", "tar-out", "tar-back")] {
        let report = ["normalize", input, "-o", out, "--report", "report.json"];
        let run = sandbox.run(&report).ended(0);
        assert!(!run.err.contains("under another name"), "{}", run.err);
        sandbox.shell(&format!("diff -r in {out}")).ended(0);
        let report: serde_json::Value =
            serde_json::from_slice(&sandbox.read("report.json")).unwrap();
        let sources = report["summary"]["sources"].as_array().unwrap();
        assert_eq!(sources.len(), names.len());
        assert!(
            sources
                .iter()
                .all(|source| source["output"]["bytes"].is_string())
        );
        sandbox.run(&["restore", out, "-o", back]).ended(0);
        let parts = format!("{out}-parts");
        let split = [
            "split", "--by", "folder", "--to", "mbox", input, "-o", &parts,
        ];
        sandbox.run(&split).ended(0);
        let files = std::fs::read_dir(sandbox.path(&parts)).unwrap();
        assert_eq!(files.count(), names.len());
        sandbox
            .shell(&format!("diff -r in {back}; rm report.json"))
            .ended(0);
    }
}
