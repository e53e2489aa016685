//! Files and folders that cannot be read, and names and links that are unusual.

use crate::sandbox::{LATIN, Sandbox, mbox};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

/// A Maildir with a message that cannot be opened by anybody, a loop of links, and names that are no UTF-8.
fn odd_maildir(sandbox: &Sandbox) {
    let folder = |name: &str| sandbox.path("Maildir").join(name);
    fs::write(
        folder("cur").join(OsStr::from_bytes(b"2.\xff\n:2,F")),
        LATIN,
    )
    .unwrap();
    fs::write(folder("new/3.plain"), LATIN).unwrap();
    symlink("gone", folder("cur/4.dangling")).unwrap();
    symlink("..", folder("cur/loop")).unwrap();
}

#[test]
fn odd_names_and_links_come_through() {
    let sandbox = Sandbox::new();
    odd_maildir(&sandbox);
    assert_eq!(
        sandbox.run(&["count", "Maildir"]).ended(0).text(),
        "3\tMaildir\n"
    );
    for form in ["mbox", "maildir", "eml"] {
        let back = format!("back-{form}");
        sandbox
            .run(&["normalize", "Maildir", "-o", form, "--to", form])
            .ended(0);
        sandbox.run(&["restore", form, "-o", &back]).ended(0);
        let name = OsStr::from_bytes(b"2.\xff\n:2,F");
        assert_eq!(
            fs::read(sandbox.path(&back).join("cur").join(name)).unwrap(),
            LATIN,
            "{form}"
        );
    }
}

/// Normalizes an input without what cannot be read below it, and restores it to `back`.
fn left_out(sandbox: &Sandbox, input: &str, cause: &str) {
    let run = sandbox
        .run(&["normalize", input, "-o", "out", "--report", "report.json"])
        .ended(2);
    let line = format!("mailglot: {cause}");
    assert_eq!(run.err.matches(&line).count(), 1, "{}", run.err);
    assert!(
        run.err.contains("reversible: only what was read"),
        "{}",
        run.err
    );
    let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report.json")).unwrap();
    assert_eq!(report["summary"]["unread"], serde_json::json!([cause]));
    // The ledger names it, too.
    let run = sandbox.run(&["restore", "out", "-o", "back"]).ended(2);
    let (path, reason) = cause.split_once(": ").unwrap();
    let line = format!("mailglot: {path}: not read: {reason}; the original lacks it\n");
    assert!(run.err.contains(&line), "{}", run.err);
}

#[test]
fn a_mailbox_in_a_tree_that_cannot_be_read_does_not_stop_the_rest() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("tree")).unwrap();
    sandbox.write("tree/1.eml", LATIN);
    // The beginning of an xz file with a dictionary of 2 GiB.
    let header = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4F\x02\0!\x01&\0\0\0\xd5\xd7\xceS";
    sandbox.write(
        "tree/large.mbox.xz",
        &[header, &b"\x01\0/From"[..]].concat(),
    );
    let cause = "tree/large.mbox.xz: compressed by xz with a dictionary larger than 256 MiB";
    left_out(&sandbox, "tree", cause);
    assert_eq!(sandbox.read("back/1.eml"), LATIN);
    // A given input must be readable.
    let before = sandbox.names();
    let given = [
        "normalize",
        "message.eml",
        "tree/large.mbox.xz",
        "-o",
        "other",
    ];
    let run = sandbox.run(&given).ended(2);
    assert!(
        run.err.contains("nothing was written, since each input"),
        "{}",
        run.err
    );
    let resumed = ["normalize", "tree", "-o", "other", "--resume"];
    let run = sandbox.run(&resumed).ended(2);
    assert!(
        run.err.contains("there is no output, since --resume"),
        "{}",
        run.err
    );
    assert_eq!(sandbox.names(), before);
}

#[test]
fn one_message_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    odd_maildir(&sandbox);
    let closed = sandbox.path("Maildir/new/3.plain");
    let mode = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(&closed, permissions).unwrap();
    };
    mode(0o000);
    if fs::File::open(&closed).is_ok() {
        println!("skipped: the superuser may read everything");
        return;
    }
    let before = sandbox.names();
    let resumed = ["normalize", "Maildir", "-o", "out", "--resume"];
    let run = sandbox.run(&resumed).ended(2);
    let refusal = "Maildir/new/3.plain: permission denied; there is no output, since --resume needs every file\n";
    assert!(run.err.ends_with(refusal), "{}", run.err);
    // Only the plan and finished parts stay.
    fs::remove_dir_all(sandbox.path("out.parts")).unwrap();
    assert_eq!(sandbox.names(), before);
    left_out(
        &sandbox,
        "Maildir",
        "Maildir/new/3.plain: permission denied",
    );
    assert!(sandbox.path("back/cur").is_dir() && !sandbox.path("back/new/3.plain").exists());
    for command in ["count", "check", "text", "inspect"] {
        let run = sandbox.run(&[command, "Maildir", "message.eml"]).ended(2);
        assert_eq!(
            run.err
                .matches("Maildir/new/3.plain: permission denied")
                .count(),
            1,
            "{}",
            run.err
        );
        assert!(!run.out.is_empty(), "{command}");
    }
    mode(0o600);
}

#[test]
fn a_closed_folder_in_a_tree_does_not_hide_the_rest() {
    let sandbox = Sandbox::new();
    for folder in ["tree/closed", "tree/open"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.write(&format!("{folder}/1.eml"), LATIN);
    }
    let closed = sandbox.path("tree/closed");
    let mode = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(&closed, permissions).unwrap();
    };
    mode(0o000);
    if fs::read_dir(&closed).is_ok() {
        println!("skipped: the superuser may read everything");
        return;
    }
    for command in ["count", "check", "text", "inspect"] {
        let run = sandbox.run(&[command, "tree"]);
        assert_eq!(
            (run.code, &*run.err),
            (2, "mailglot: tree/closed: permission denied\n"),
            "{command}"
        );
        assert!(!run.out.is_empty(), "{command}");
    }
    left_out(&sandbox, "tree", "tree/closed: permission denied");
    assert_eq!(sandbox.read("back/open/1.eml"), LATIN);
    mode(0o700);
}

#[test]
fn inspect_takes_any_path_and_stops_when_nobody_reads() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("").join(OsStr::from_bytes(b"a\xff:2"));
    fs::write(&path, mbox(&[LATIN, LATIN])).unwrap();
    assert_eq!(
        sandbox
            .run(&[OsStr::new("inspect"), path.as_os_str()])
            .ended(0)
            .text()
            .matches(", CR")
            .count(),
        0
    );
    let mut address = path.into_os_string();
    address.push(":1");
    let run = sandbox.run(&[OsStr::new("inspect"), &address]).ended(0);
    assert!(run.text().contains(":1  at "), "{}", run.text());
    sandbox.write("many.mbox", &mbox(&vec![LATIN; 5000]));
    sandbox
        .shell("mailglot inspect many.mbox | head -1")
        .ended(0);
}
