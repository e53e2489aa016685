//! Mailboxes inside zip and tar archives, which other programs wrote: the same results as for the folder on a disk.

use crate::sandbox::{LATIN, Sandbox, lossy, mbox};
use std::fs;

/// Packs the folder `mail` by Python's zipfile, and by tar(1) with several compressions.
const PACK: &str = "cd mail && python3 -m zipfile -c ../mail.zip * && tar -cf ../mail.tar . && \
    tar -czf ../mail.tar.gz * && tar -cJf ../mail.tar.xz *";

const PACKED: [&str; 4] = ["mail.zip", "mail.tar", "mail.tar.gz", "mail.tar.xz"];

/// A folder of two mailboxes, a compressed one, a Maildir, messages and another file, and archives of it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in [
        "Takeout/Mail",
        "old",
        "eml/a",
        "Maildir/cur",
        "Maildir/new",
        "Maildir/tmp",
    ] {
        fs::create_dir_all(sandbox.path("mail").join(folder)).unwrap();
    }
    let archive = sandbox.read("archive.mbox");
    sandbox.write("mail/Takeout/Mail/All mail.mbox", &archive);
    sandbox.write("mail/old/list.mbox", &mbox(&[&lossy()]));
    sandbox.write("mail/old/2001.mbox", &archive.repeat(3));
    sandbox.write("mail/Maildir/cur/1.a.host:2,S", LATIN);
    sandbox.write("mail/eml/a/1.eml", LATIN);
    sandbox.write("mail/notes.txt", b"no mail\n");
    sandbox.shell("gzip -n mail/old/2001.mbox").ended(0);
    sandbox.shell(PACK).ended(0);
    sandbox
}

#[test]
fn an_archive_gives_the_results_of_its_folder() {
    let sandbox = sandbox();
    let run = |args: &[&str]| {
        let run = sandbox.run(args).ended(0);
        (run.text().to_owned(), run.err)
    };
    let commands = [&["check", "--json"][..], &["count"], &["text", "--json"]];
    let of = |name| commands.map(|command| run(&[command, &[name]].concat()));
    let wanted = of("mail");
    sandbox.run(&["normalize", "mail", "-o", "out"]).ended(0);
    sandbox
        .shell("cp -r mail expected; gunzip -f expected/old/2001.mbox.gz")
        .ended(0);
    for name in PACKED {
        let as_folder =
            |(out, err): (String, String)| (out.replace(name, "mail"), err.replace(name, "mail"));
        assert_eq!(of(name).map(as_folder), wanted, "{name}");
        let before = sandbox.read(name);
        sandbox.run(&["normalize", name, "-o", "packed"]).ended(0);
        // Each mailbox comes back at its path; a compressed one without its compression.
        sandbox.run(&["restore", "packed", "-o", "back"]).ended(0);
        sandbox.shell("diff -r expected back").ended(0);
        // The tree of messages is named after its folder.
        let tree = sandbox.path(&format!("packed/{name}"));
        fs::rename(tree, sandbox.path("packed/mail")).unwrap();
        sandbox.shell("diff -r out packed").ended(0);
        assert_eq!(sandbox.read(name), before);
        sandbox.shell("rm -r packed packed.ledger back").ended(0);
    }
}

#[test]
fn a_message_in_an_archive_has_an_address() {
    let sandbox = sandbox();
    for (address, charset) in [
        ("mail.zip/Takeout/Mail/All mail.mbox:0", "windows-1252"),
        ("mail.tar.gz/old/2001.mbox.gz:1", "KOI8-R"),
        ("mail.tar/Maildir:0", "windows-1252"),
        ("mail.zip/eml/a/1.eml", "windows-1252"),
    ] {
        let run = sandbox.run(&["inspect", address]).ended(0);
        assert!(run.text().contains(charset), "{address}: {}", run.text());
    }
    let run = sandbox.run(&["count", "mail.zip/old"]).ended(0);
    let counts = "6\tmail.zip/old/2001.mbox.gz\n1\tmail.zip/old/list.mbox\n";
    assert_eq!(run.text(), counts);
    sandbox.run(&["count", "mail.zip/none"]).ended(2);
    let all = "mail.zip/Takeout/Mail/All mail.mbox";
    sandbox
        .run(&["normalize", all, "-o", "mail.zip", "--force"])
        .ended(1);
    sandbox.run(&["normalize", all, "-o", "one.mbox"]).ended(0);
    sandbox
        .run(&["restore", "one.mbox", "-o", "back.mbox"])
        .ended(0);
    assert_eq!(sandbox.read("back.mbox"), sandbox.read("archive.mbox"));
}

#[test]
fn the_report_lists_the_members_with_their_digests() {
    let sandbox = sandbox();
    sandbox
        .run(&["normalize", "mail.zip", "-o", "out", "--report", "r.json"])
        .ended(0);
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("r.json")).unwrap();
    let sources = report["summary"]["sources"].as_array().unwrap();
    let all = "mail.zip/Takeout/Mail/All mail.mbox";
    let source = sources.iter().find(|source| source["path"] == all);
    // The digest of a mailbox is that of its bytes, wherever it lies.
    sandbox
        .run(&["normalize", "archive.mbox", "-o", "a", "--report", "a.json"])
        .ended(0);
    let alone: serde_json::Value = serde_json::from_slice(&sandbox.read("a.json")).unwrap();
    let digest = &alone["summary"]["sources"][0]["blake3"];
    assert!(digest.as_str().is_some_and(|digest| digest.len() == 64));
    assert_eq!(&source.unwrap()["blake3"], digest);
}

#[test]
fn what_is_not_read_in_an_archive_is_reported() {
    let sandbox = sandbox();
    let pack = "cd mail && zip -q -P secret ../s.zip old/list.mbox && zip -q ../s.zip notes.txt Takeout/Mail/*.mbox";
    sandbox.shell(pack).ended(0);
    let run = sandbox.run(&["-v", "check", "s.zip"]).ended(2);
    let words = "mailglot: s.zip: 1 file was not read: old/list.mbox: encrypted; unpack the archive, and give the name of the folder\n";
    for command in ["check", "count", "text", "ls"] {
        let run = sandbox.run(&["-q", command, "s.zip"]).ended(2);
        assert_eq!(run.err, words, "{command}");
    }
    for event in [
        "encrypted, left as it is: old/list.mbox",
        "not mail; neither output nor ledger has it: notes.txt",
    ] {
        assert!(run.text().contains(event), "{event} {}", run.text());
    }
    assert!(run.text().ends_with("mailglot normalize s.zip -o s.utf8\n"));
    // Half of an archive: what precedes is read, and the exit code says that something is missing.
    let whole = sandbox.read("mail.tar");
    sandbox.write("half.tar", &whole[..whole.len() / 2]);
    let run = sandbox.run(&["count", "half.tar"]).ended(2);
    assert!(run.err.contains("cut off"), "{}", run.err);
    // A pipe cannot be read in any order.
    let run = sandbox.pipe(&["check", "-"], &whole).ended(2);
    let advice = "in a stream; write it to a file, and give its name";
    assert!(run.err.contains(advice), "{}", run.err);
    let pack = "mkdir none && cd none && echo x > a.txt && zip -q ../none.zip a.txt";
    sandbox.shell(pack).ended(0);
    let run = sandbox.run(&["check", "none.zip"]).ended(2);
    let words = "none.zip: no mail found";
    assert!(run.err.contains(words), "{}", run.err);
}

#[test]
fn ls_prints_addresses_that_work() {
    let sandbox = sandbox();
    // A program that extracts the archive precedes it.
    let zip = sandbox.read("mail.zip");
    sandbox.write("self.zip", &[b"MZ a program\n".repeat(99), zip].concat());
    for name in ["mail.zip", "mail.tar.gz", "self.zip"] {
        let run = sandbox.run(&["ls", name]).ended(0);
        let list = run.text().to_owned();
        assert!(list.lines().count() > 8, "{list}");
        // The messages outside mailboxes and Maildirs have the address of the archive itself.
        let rows: Vec<_> = list.lines().filter(|line| line.starts_with(name)).collect();
        assert_eq!(rows.len() + 1, list.lines().count(), "{list}");
        for row in rows {
            let size = row.find("  ").unwrap();
            sandbox.run(&["cat", &row[..size]]).ended(0);
        }
        sandbox.run(&["cat", &format!("{name}:0")]).ended(0);
    }
    let run = sandbox.run(&["ls", "archive.mbox"]).ended(0);
    assert!(!run.text().contains("archive.mbox"), "{}", run.text());
}

#[test]
fn names_in_an_archive_may_look_like_addresses() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("in")).unwrap();
    for name in ["a:3", "a@5", "b:1", "b"] {
        sandbox.write(&format!("in/{name}"), &mbox(&[name_of(name).as_bytes()]));
    }
    sandbox.shell("cd in && zip -qr ../t.zip .").ended(0);
    for (address, name) in [
        ("a:3", "a:3"),
        ("a@5", "a@5"),
        ("b:0", "b"),
        ("b:1:0", "b:1"),
    ] {
        let run = sandbox.run(&["cat", &format!("t.zip/{address}")]).ended(0);
        assert_eq!(run.text(), name_of(name), "{address}");
    }
    for address in ["a:4", "b:1", "c:3"] {
        sandbox.run(&["cat", &format!("t.zip/{address}")]).ended(2);
    }
    // A slash at the end leads into the archive.
    let run = sandbox.run(&["count", "t.zip/"]).ended(0);
    assert_eq!(run.text().lines().count(), 4, "{}", run.text());
    sandbox.run(&["normalize", "t.zip/", "-o", "out"]).ended(0);
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    sandbox.shell("diff -r in back").ended(0);
}

/// A message whose subject is a name.
fn name_of(name: &str) -> String {
    format!("From: a@example.org\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: {name}\n\nx\n")
}

#[test]
fn a_mailbox_keeps_its_name_if_the_archive_has_that_without_compression() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("in")).unwrap();
    sandbox.write("in/1.eml", LATIN);
    sandbox.write("in/list", b"just text, no mail\n");
    sandbox.write("in/list.gz", &mbox(&[LATIN, LATIN]));
    let pack = "cd in && cp list.gz ../plain && mv list.gz x && gzip -n x && mv x.gz list.gz && \
        zip -qr ../t.zip . && tar -cf ../t.tar .";
    sandbox.shell(pack).ended(0);
    for name in ["t.zip", "t.tar", "in"] {
        sandbox.run(&["normalize", name, "-o", "out"]).ended(0);
        sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
        sandbox
            .shell("cmp back/list.gz plain && cmp back/list in/list && cmp back/1.eml in/1.eml")
            .ended(0);
        sandbox.shell("rm -r out out.ledger back").ended(0);
    }
}

#[test]
fn a_missing_folder_of_temporary_files_is_named() {
    let sandbox = Sandbox::new();
    sandbox.shell("tar czf a.tgz archive.mbox").ended(0);
    let run = sandbox
        .shell("TMPDIR=/nowhere/at/all mailglot count a.tgz")
        .ended(2);
    assert_eq!(
        run.err,
        "mailglot: a.tgz: the folder of temporary files, /nowhere/at/all, cannot be used: no such file or directory; \
         name another folder in the variable TMPDIR\n"
    );
}

/// Python's zipfile writes names beyond ASCII in UTF-8 only. The replaced names are as long.
const FROM_DOS: &str = r#"
import zipfile
names = [name.encode("cp866") for name in ("Входящие/Отчёт за месяц.mbox", "Входящие/Фото.mbox")]
plain = ["".join(chr(byte) if byte < 128 else "Z" for byte in name) for name in names]
with zipfile.ZipFile("dos.zip", "w") as archive:
    for name in plain:
        archive.write("a.mbox", name)
        archive.getinfo(name).create_system = 0
data = open("dos.zip", "rb").read()
for name, raw in zip(plain, names):
    assert data.count(name.encode()) == 2
    data = data.replace(name.encode(), raw)
open("dos.zip", "wb").write(data)
"#;

/// Writes a tar archive in the format of old GNU tar, with names in KOI8-R.
const FROM_UNIX: &str = r#"
import tarfile
with tarfile.open("unix.tar", "w", format=tarfile.GNU_FORMAT, encoding="koi8-r") as tar:
    for name in ["Входящие/Отчёт за месяц.mbox", "plain.mbox"]:
        tar.add("a.mbox", arcname=name)
"#;

#[test]
fn names_of_a_tar_from_unix_are_read_in_their_charset() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mbox(&[LATIN]));
    sandbox.write("unix.py", FROM_UNIX.as_bytes());
    sandbox.shell("python3 unix.py").ended(0);
    let run = sandbox
        .run(&["normalize", "unix.tar", "-o", "out", "-v"])
        .ended(0);
    assert!(run.err.contains("KOI8-R, a guess: 1"), "{}", run.err);
    assert!(sandbox.path("out").join("Отчёт за месяц.mbox").exists());
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    for name in ["Входящие/Отчёт за месяц.mbox", "plain.mbox"] {
        assert_eq!(
            sandbox.read(&format!("back/{name}")),
            sandbox.read("a.mbox")
        );
    }
}

#[test]
fn names_of_a_zip_from_dos_are_read_in_their_code_page() {
    let sandbox = Sandbox::new();
    sandbox.write("a.mbox", &mbox(&[LATIN]));
    sandbox.write("dos.py", FROM_DOS.as_bytes());
    sandbox.shell("python3 dos.py").ended(0);
    let name = "Входящие/Отчёт за месяц.mbox";
    let list = sandbox.run(&["ls", "dos.zip"]).ended(0);
    assert!(list.text().contains(name), "{}", list.text());
    let run = sandbox
        .run(&["normalize", "dos.zip", "-o", "out", "-v"])
        .ended(0);
    assert!(run.err.contains("box.name-charset"), "{}", run.err);
    assert!(run.err.contains("IBM866, a guess"), "{}", run.err);
    assert!(sandbox.path("out").join("Отчёт за месяц.mbox").exists());
    sandbox.run(&["restore", "out", "-o", "back"]).ended(0);
    assert_eq!(
        sandbox.read(&format!("back/{name}")),
        sandbox.read("a.mbox")
    );
}
