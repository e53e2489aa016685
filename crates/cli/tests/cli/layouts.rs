//! Formats other than mbox and Maildir, on the command line.

use crate::sandbox::{LATIN, Sandbox};
use std::fs;

fn babyl() -> Vec<u8> {
    let at = LATIN.windows(2).position(|two| two == b"\n\n").unwrap() + 2;
    [
        &b"BABYL OPTIONS:\nVersion: 5\n\x1f\x0c\n1, answered,, caf\xe9,\n"[..],
        &LATIN[..at],
        b"*** EOOH ***\nSubject: pruned\n\n",
        &LATIN[at..],
        b"\x1f\x0c\n0, unseen,,\n*** EOOH ***\n",
        LATIN,
        b"\x1f",
    ]
    .concat()
}

fn mbx() -> Vec<u8> {
    let mut out = b"*mbx*\r\n3a5c0f1200000003\r\n".to_vec();
    out.resize(2048, 0);
    for _ in 0..2 {
        let size = LATIN.len();
        out.extend_from_slice(
            format!(" 7-Jul-2001 12:00:00 +0000,{size};000000000005-00000001\r\n").as_bytes(),
        );
        out.extend_from_slice(LATIN);
    }
    out
}

fn rnews() -> Vec<u8> {
    let article = [format!("#! rnews {}\n", LATIN.len()).as_bytes(), LATIN].concat();
    article.repeat(2)
}

fn listserv() -> Vec<u8> {
    let date = b"\nDate: Fri, 1 Mar 1996 08:18:14 -0800\n";
    [&[b'='; 73][..], date, LATIN].concat().repeat(2)
}

fn emlx() -> Vec<u8> {
    let list = b"<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict><key>flags</key><integer>5</integer></dict></plist>\n";
    [format!("{}\n", LATIN.len()).as_bytes(), LATIN, list].concat()
}

/// check, count, text, inspect, normalize and restore, of a file and of a stream.
#[test]
fn every_command_reads_every_layout() {
    let sandbox = Sandbox::new();
    for (name, bytes, messages, dialect, flags) in [
        ("RMAIL", babyl(), 2, "Babyl", "RS"),
        ("inbox", mbx(), 2, "UW mbx", "FS"),
        ("1.emlx", emlx(), 1, "emlx", "RS"),
        ("batch", rnews(), 2, "rnews", ""),
        ("LOG9603", listserv(), 2, "LISTSERV notebook", ""),
    ] {
        sandbox.write(name, &bytes);
        let counted = |run: &str| run.split('\t').next().unwrap().to_owned();
        assert_eq!(
            counted(sandbox.run(&["count", name]).ended(0).text()),
            messages.to_string()
        );
        assert_eq!(
            counted(sandbox.pipe(&["count", "-"], &bytes).ended(0).text()),
            messages.to_string()
        );
        let told = sandbox.run(&["check", name]).ended(0);
        assert!(told.text().contains(dialect), "{told:?}");
        assert!(!told.text().contains("box.structure"), "{told:?}");
        for run in [
            sandbox.run(&["text", "--json", name]),
            sandbox.pipe(&["text", "--json", "-"], &bytes),
        ] {
            let run = run.ended(0);
            assert_eq!(run.text().lines().count(), messages);
            assert!(
                run.text()
                    .lines()
                    .all(|line| line.contains("It’s grün.") && line.contains("iso-8859-1")),
                "{run:?}"
            );
        }
        let address = if messages == 1 {
            name.to_owned()
        } else {
            format!("{name}:0")
        };
        let shown = sandbox.run(&["inspect", &address]).ended(0);
        let text = shown.text();
        assert!(
            text.contains("windows-1252") && !text.contains("pruned"),
            "{text}"
        );

        for (to, more) in [
            ("out.mbox", "mbox"),
            ("out.maildir", "maildir"),
            ("out.tree", "eml"),
        ] {
            sandbox
                .run(&["normalize", "--verify", name, "--to", more, "-o", to])
                .ended(0);
            sandbox.run(&["restore", to, "-o", "back"]).ended(0);
            assert_eq!(sandbox.read("back"), bytes, "{name} {more}");
            fs::remove_file(sandbox.path("back")).unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(sandbox.path("out.maildir/cur"))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert!(names[0].ends_with(&format!(":2,{flags}")), "{names:?}");
        for output in ["out.mbox", "out.maildir", "out.tree"] {
            let path = sandbox.path(output);
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
            fs::remove_file(sandbox.path(&format!("{output}.ledger"))).unwrap();
        }
    }
}

/// Mutt and Python write a `From ` line behind the delimiter of MMDF.
#[test]
fn a_from_line_of_mmdf_is_a_separator_everywhere() {
    let sandbox = Sandbox::new();
    let line = "From a@b.example Mon Jan  1 00:00:00 2001\n";
    let message = [
        &b"\x01\x01\x01\x01\n"[..],
        line.as_bytes(),
        LATIN,
        b"\x01\x01\x01\x01\n",
    ]
    .concat();
    let bytes = message.repeat(2);
    sandbox.write("box", &bytes);
    let printed = sandbox.run(&["cat", "box:1"]).ended(0);
    assert_eq!(printed.out, LATIN);
    for to in ["mbox", "eml", "maildir"] {
        let parts = format!("parts-{to}");
        let run = ["split", "box", "-o", &parts, "--by", "from", "--to", to];
        sandbox.run(&run).ended(0);
        sandbox
            .run(&["normalize", "--verify", "box", "--to", to, "-o", to])
            .ended(0);
        for output in [to, &parts] {
            let lines = sandbox.shell(&format!("grep -raE '^>*From a@b' {output}"));
            let wanted = if to == "mbox" { 2 } else { 0 };
            assert_eq!(lines.text().lines().count(), wanted, "{output} {lines:?}");
            assert!(!lines.text().contains(">From"), "{output} {lines:?}");
        }
        let back = format!("back-{to}");
        sandbox.run(&["restore", to, "-o", &back]).ended(0);
        assert_eq!(sandbox.read(&back), bytes, "{to}");
    }
    assert!(sandbox.read("mbox").starts_with(line.as_bytes()));
}

/// The header that Rmail displayed is in no output.
#[test]
fn babyl_is_listed_split_and_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("RMAIL", &babyl());
    for to in ["mbox", "eml", "maildir"] {
        let run = ["split", "RMAIL", "-o", to, "--by", "from", "--to", to];
        sandbox.run(&run).ended(0);
        let found = sandbox.shell(&format!("grep -raq pruned {to}"));
        assert_eq!(found.code, 1, "{to}");
        let counted = sandbox.run(&["count", to]).ended(0);
        assert!(counted.text().starts_with("2\t"), "{to}: {counted:?}");
    }
    let flagged = sandbox.shell("find maildir -name '*:2,RS'").ended(0);
    assert_eq!(flagged.text().lines().count(), 1, "{flagged:?}");
    let printed = sandbox.run(&["cat", "RMAIL:0"]).ended(0);
    assert_eq!(printed.out, LATIN);
    let listed = sandbox.run(&["ls", "RMAIL"]).ended(0);
    assert_eq!(listed.text().matches("Grüße").count(), 2, "{listed:?}");
}

#[test]
fn damage_is_reported_and_restored() {
    let sandbox = Sandbox::new();
    let mut emlx = emlx();
    emlx.splice(..1, *b"9");
    let mbx = mbx();
    for (name, bytes, words) in [
        (
            "RMAIL",
            babyl()[..babyl().len() - 1].to_vec(),
            "no end mark",
        ),
        (
            "inbox",
            mbx[..mbx.len() - 1].to_vec(),
            "mailglot searched for its end",
        ),
        ("1.emlx", emlx, "mailglot searched for its end"),
    ] {
        sandbox.write(name, &bytes);
        let told = sandbox.run(&["check", "--json", name]).ended(0);
        assert!(
            told.text().contains("box.structure") && told.text().contains(words),
            "{told:?}"
        );
        let output = format!("{name}.out");
        sandbox.run(&["normalize", name, "-o", &output]).ended(0);
        let back = format!("{name}.back");
        sandbox.run(&["restore", &output, "-o", &back]).ended(0);
        assert_eq!(sandbox.read(&back), bytes);
    }
}

/// A damaged or malicious tree: partial messages, saved pages, links and pipes.
#[test]
fn a_tree_of_apple_mail_is_read() {
    let sandbox = Sandbox::new();
    for folder in [
        "Mail/INBOX.mbox/A/Data/Messages",
        "Mail/INBOX.mbox/A/Data/Attachments/2/2",
    ] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    sandbox.write("Mail/INBOX.mbox/A/Data/Messages/1.emlx", &emlx());
    sandbox.write("Mail/INBOX.mbox/A/Data/Messages/2.partial.emlx", &emlx());
    sandbox.write("Mail/INBOX.mbox/A/Data/Attachments/2/2/a.pdf", b"%PDF");
    sandbox.write("Mail/page.mht", LATIN);
    sandbox
        .shell("mkfifo Mail/INBOX.mbox/A/Data/Messages/3.emlx")
        .ended(0);
    std::os::unix::fs::symlink(
        "1.emlx",
        sandbox.path("Mail/INBOX.mbox/A/Data/Messages/4.emlx"),
    )
    .unwrap();
    let told = sandbox.run(&["check", "--json", "Mail"]).ended(0);
    for words in [
        "Attachments/2/2/a.pdf",
        "special file not followed: INBOX.mbox/A/Data/Messages/3.emlx",
        "symbolic link not followed",
    ] {
        assert!(told.text().contains(words), "{words}: {told:?}");
    }
    assert_eq!(sandbox.run(&["count", "Mail"]).ended(0).text(), "3\tMail\n");
    sandbox
        .run(&["normalize", "Mail", "--to", "eml", "-o", "out"])
        .ended(0);
    assert!(sandbox.path("out/INBOX").is_dir());
}
