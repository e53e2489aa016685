//! Tests that walk trees of files, Maildirs and MH folders, and write them again.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::{
    Flags, Input, LeftOut, OutBatch, OutItem, RecognizeOptions, create_tree, open, recognize,
    recognize_with,
};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Formats every entry as text: kind, folder, name, content.
fn drain(source: &mut dyn Source) -> (Vec<String>, Vec<BoxEvent>) {
    let (mut lines, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        for entry in &batch.entries {
            let (name, bytes) = (&entry.name, &batch.bytes[entry.span.clone()]);
            lines.push(format!(
                "{:?} {} {:?} {} {}",
                entry.kind,
                entry.ordinal,
                entry.folder,
                name.escape_ascii(),
                bytes.escape_ascii()
            ));
        }
        events.append(&mut batch.events);
    }
    (lines, events)
}

fn found(path: &Path) -> Vec<(PathBuf, Format)> {
    recognize(path)
        .unwrap()
        .into_iter()
        .map(|found| (found.path, found.format))
        .collect()
}

/// Returns the content of a tree. Folders end with `/`.
fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut all, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_owned();
            if path.is_dir() {
                all.push((name.join(""), Vec::new()));
                folders.push(path);
            } else {
                all.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

fn maildir(root: &Path) {
    write(&root.join("new/3.a"), b"Subject: 3\n");
    write(&root.join("cur/2.a:2,FS"), b"Subject: 2\n");
    write(&root.join("cur/4.a;2,R"), b"Subject: 4\r\n");
    write(&root.join("tmp/1.a"), b"half");
    write(&root.join("dovecot-uidlist"), b"3 V1\n");
    write(&root.join(".Sent.&AMQ-/cur/1.a:2,"), b"");
    write(&root.join(".Sent.&AMQ-/maildirfolder"), b"");
    fs::create_dir_all(root.join(".Sent.&AMQ-/new")).unwrap();
    fs::create_dir_all(root.join(".Empty/cur")).unwrap();
    write(&root.join(OsStr::from_bytes(b".raw\xff/new/1.b")), b"x");
}

#[test]
fn a_maildir_in_order() {
    let root = tempfile::tempdir().unwrap();
    maildir(root.path());
    symlink("cur/3.a", root.path().join("cur/5.link")).unwrap();
    assert_eq!(
        found(root.path()),
        [(root.path().to_owned(), Format::Maildir)]
    );
    let options = ReadOptions {
        decode_name: |raw| String::from_utf8_lossy(raw).replace("&AMQ-", "Ä"),
        ..ReadOptions::default()
    };
    let archive = Input::on_disk(root.path().to_owned(), Format::Maildir);
    let mut source = open(&archive, &options).unwrap();
    assert_eq!(source.profile().dialect, "Maildir++");
    let (lines, events) = drain(source.as_mut());
    assert_eq!(
        lines,
        [
            r#"Other 0 "" dovecot-uidlist 3 V1\n"#,
            r#"Directory 0 "" cur "#,
            r#"Directory 0 "" new "#,
            r#"Message 0 "" cur/2.a:2,FS Subject: 2\n"#,
            r#"Message 1 "" new/3.a Subject: 3\n"#,
            r#"Message 2 "" cur/4.a;2,R Subject: 4\r\n"#,
            r#"Directory 3 "" .Empty "#,
            r#"Directory 3 ".Empty" .Empty/cur "#,
            r#"Directory 3 "" .Sent.&AMQ- "#,
            r#"Other 3 ".Sent.&AMQ-" .Sent.&AMQ-/maildirfolder "#,
            r#"Directory 3 ".Sent.&AMQ-" .Sent.&AMQ-/cur "#,
            r#"Directory 3 ".Sent.&AMQ-" .Sent.&AMQ-/new "#,
            r#"Message 3 "Sent/Ä" .Sent.&AMQ-/cur/1.a:2, "#,
            r#"Directory 4 "" .raw\xff "#,
            r#"Directory 4 ".raw�" .raw\xff/new "#,
            r#"Other 4 ".raw�/new" .raw\xff/new/1.b x"#,
            r#"Directory 4 "" tmp "#,
            r#"Other 4 "tmp" tmp/1.a half"#,
        ]
    );
    let reported: Vec<_> = events
        .iter()
        .map(|event| event.detail.to_string())
        .collect();
    assert_eq!(
        reported,
        [
            "not mail, left out: dovecot-uidlist",
            "symbolic link not followed: cur/5.link",
            "not mail, left out: .Sent.&AMQ-/maildirfolder",
            "not mail, left out: .raw\u{fffd}/new/1.b",
            "not mail, left out: tmp/1.a",
        ]
    );
    assert!(!source.changed().unwrap());
    fs::write(root.path().join("new/9.a"), b"").unwrap();
    assert!(source.changed().unwrap());
}

#[test]
fn mh_folders_are_read_by_number() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    for name in ["10", "9", "100", "inbox/2", "inbox/12"] {
        write(&path(name), format!("Subject: {name}\n\n").as_bytes());
    }
    write(&path("7"), b"nothing like a message");
    write(&path("inbox/3"), b"From the office\n");
    write(&path("inbox/,1"), b"Subject: deleted\n\n");
    write(&path("inbox/.mh_sequences"), b"unseen: 3\nreplied: 2\n");
    assert_eq!(
        found(root.path()),
        [(root.path().to_owned(), Format::EmlTree)]
    );
    let mut source = open(&recognize(root.path()).unwrap()[0], &ReadOptions::default()).unwrap();
    let (lines, events) = drain(source.as_mut());
    assert_eq!(
        lines,
        [
            r#"Other 0 "" 7 nothing like a message"#,
            r#"Message 0 "" 9 Subject: 9\n\n"#,
            r#"Message 1 "" 10 Subject: 10\n\n"#,
            r#"Message 2 "" 100 Subject: 100\n\n"#,
            r#"Directory 3 "" inbox "#,
            r#"Message 3 "inbox" inbox/2 Subject: inbox/2\n\n"#,
            r#"Message 4 "inbox" inbox/3 From the office\n"#,
            r#"Message 5 "inbox" inbox/12 Subject: inbox/12\n\n"#,
            r#"Other 6 "inbox" inbox/,1 Subject: deleted\n\n"#,
            r#"Other 6 "inbox" inbox/.mh_sequences unseen: 3\nreplied: 2\n"#,
        ]
    );
    let reported: Vec<_> = events
        .iter()
        .map(|event| event.detail.to_string())
        .collect();
    let no_mail =
        ["7", "inbox/,1", "inbox/.mh_sequences"].map(|name| format!("not mail, left out: {name}"));
    assert_eq!(reported, no_mail);
    assert_eq!(source.profile().dialect, "MH");
    let archive = Input::on_disk(path("inbox"), Format::EmlTree);
    let (mut source, mut batch) = (
        open(&archive, &ReadOptions::default()).unwrap(),
        Batch::default(),
    );
    assert!(source.next(&mut batch).unwrap());
    let flags: Vec<_> = batch.entries.iter().map(|entry| entry.flags.0).collect();
    assert_eq!(flags, [Flags::SEEN | Flags::REPLIED, 0, Flags::SEEN, 0, 0]);
}

#[test]
fn tree_is_restored_byte_for_byte() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    maildir(from.path());
    write(&from.path().join("large"), &[b'x'; 5000]);
    write(&from.path().join("cur/7.a"), &b"line\n".repeat(1000));
    let archive = Input::on_disk(from.path().to_owned(), Format::Maildir);
    let target = to.path().join("out");
    for batch in [1, 3000, 1 << 20] {
        let options = ReadOptions {
            batch,
            message_limit: 1000,
            ..ReadOptions::default()
        };
        let mut source = open(&archive, &options).unwrap();
        let mut destination = create_tree(&target, crate::WriteOptions::FORCE).unwrap();
        let mut batch = Batch::default();
        let mut pieces = 0;
        while source.next(&mut batch).unwrap() {
            let items = batch.entries.iter().map(|entry| {
                let mut name = entry.name.clone();
                if entry.kind == EntryKind::Directory {
                    name.push(b'/');
                }
                pieces += usize::from(entry.more);
                OutItem {
                    span: entry.span.clone(),
                    inserts: Vec::new(),
                    name,
                    more: entry.more,
                }
            });
            let items = items.collect();
            destination
                .write(&OutBatch {
                    source: Vec::new(),
                    bytes: batch.bytes.clone(),
                    items,
                })
                .unwrap();
        }
        assert!(pieces > 5);
        destination.sync().unwrap();
        destination.commit().unwrap();
        assert_eq!(tree(&target), tree(from.path()));
    }
}

#[test]
fn a_folder_is_searched() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    write(&path("b/2.EML"), b"Subject: 2\n\n");
    write(
        &path("a.eml"),
        b"From x@y.z Mon Jan  1 00:00:00 2001\nSubject: 1\n\n",
    );
    write(&path("notes.txt"), b"notes");
    write(
        &path("Inbox"),
        b"From - Mon Jan  1 00:00:00 2001\nSubject: 1\n\n",
    );
    write(&path("c/list.mbox"), b"");
    let box_of =
        |name: &str| format!("From {name}@y.z Mon Jan  1 00:00:00 2001\nTo: x\n\n").into_bytes();
    let packed = |bytes: &[u8]| zstd::bulk::compress(bytes, 1).unwrap();
    write(&path("c/old.zst"), &packed(&box_of("old")));
    write(&path("c/photo.zst"), &packed(b"\xff\xd8\xff\xe0"));
    write(&path("c/one.eml.zst"), &packed(b"Subject: x\n\n"));
    write(&path("c/older.bz2"), b"BZh91AY&SY");
    write(&path("c/notes"), b"\xff\xfeN\0o\0t\0e\0");
    write(&path("c/saved"), b"\xff\xfeT\0o\0:\0 \0x\0");
    write(&path("c/Sent.mbox/mbox"), b"From x@y.z\nSubject: 1\n\n");
    write(&path("c/Sent.mbox/table_of_contents"), b"");
    maildir(&path("m"));
    let expected = [
        (root.path().to_owned(), Format::EmlTree),
        (path("Inbox"), Format::Mbox),
        (path("c/Sent.mbox/mbox"), Format::Mbox),
        (path("c/list.mbox"), Format::Mbox),
        (path("c/old.zst"), Format::Mbox),
        (path("m"), Format::Maildir),
    ];
    assert_eq!(found(root.path()), expected);
    let mut source = open(&recognize(root.path()).unwrap()[0], &ReadOptions::default()).unwrap();
    let (lines, events) = drain(source.as_mut());
    let reported: Vec<_> = events
        .iter()
        .map(|event| (event.kind, event.detail.to_string()))
        .collect();
    let reported: Vec<_> = reported
        .iter()
        .map(|(kind, text)| (*kind, &**text))
        .collect();
    assert_eq!(
        reported,
        [
            (BoxEventKind::NoMail, "not mail, left out: notes.txt"),
            (BoxEventKind::NoMail, "not mail, left out: c/notes"),
            (
                BoxEventKind::Packed,
                "compressed with bzip2, left as it is: c/older.bz2"
            ),
            (
                BoxEventKind::Packed,
                "compressed with zstd, left as it is: c/one.eml.zst"
            ),
            (BoxEventKind::NoMail, "not mail, left out: c/photo.zst"),
            (
                BoxEventKind::Packed,
                "text in UTF-16, left as it is: c/saved"
            ),
            (
                BoxEventKind::NoMail,
                "not mail, left out: c/Sent.mbox/table_of_contents"
            ),
        ]
    );
    // The tree reports all of them itself, and keeps them.
    let mut beside = Vec::new();
    let reported = recognize_with(
        root.path(),
        &RecognizeOptions::default(),
        &mut |left| match left {
            LeftOut::Unread(error) => Err(error),
            LeftOut::Noted(event) => {
                beside.push(event.detail.to_string());
                Ok(())
            }
        },
    );
    assert_eq!(reported.unwrap().len(), expected.len());
    assert_eq!(beside, [""; 0]);
    assert_eq!(
        lines
            .into_iter()
            .filter(|line| !line.contains(" c/"))
            .collect::<Vec<_>>(),
        [
            r#"Message 0 "" a.eml From x@y.z Mon Jan  1 00:00:00 2001\nSubject: 1\n\n"#,
            r#"Other 1 "" notes.txt notes"#,
            r#"Directory 1 "" b "#,
            r#"Message 1 "b" b/2.EML Subject: 2\n\n"#,
            r#"Directory 2 "" c "#,
        ]
    );
}

#[test]
fn colliding_folders_get_numbers() {
    let root = tempfile::tempdir().unwrap();
    for folder in [&b"a\xfe"[..], b"a\xff", b"a\xfe/b", b"c:d", b"c_d"] {
        let path = root.path().join(OsStr::from_bytes(folder));
        write(&path.join("1.eml"), b"Subject: x\n");
        write(&path.join("2.eml"), b"Subject: x\n");
    }
    let archive = Input::on_disk(root.path().to_owned(), Format::EmlTree);
    let read = |written_folder| {
        let options = ReadOptions {
            written_folder,
            ..ReadOptions::default()
        };
        let (mut source, mut batch) = (open(&archive, &options).unwrap(), Batch::default());
        assert!(source.next(&mut batch).unwrap());
        let messages = batch
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Message);
        let folders: Vec<_> = messages
            .step_by(2)
            .map(|entry| entry.folder.clone())
            .collect();
        (folders, batch.events.len())
    };
    assert_eq!(
        read(None),
        (
            ["a\u{fffd}", "a\u{fffd}/b", "a\u{fffd}", "c:d", "c_d"]
                .map(str::to_owned)
                .into(),
            0
        )
    );
    let (folders, reported) = read(Some(|folder| folder.replace(':', "_")));
    assert_eq!(
        (folders, reported),
        (
            ["a\u{fffd}", "a\u{fffd}/b", "a\u{fffd}-2", "c:d", "c_d-2"]
                .map(str::to_owned)
                .into(),
            2
        )
    );
}

#[test]
fn other_files_in_a_maildir_are_examined() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    let mailbox = b"From x@y.z Mon Jan  1 00:00:00 2001\nTo: x\n\n";
    for name in ["cur/2.a:2,S", "new/4.a", "1.eml", "sub/3.eml"] {
        write(&path(name), b"Subject: x\n");
    }
    for name in ["old.mbox", "sub/list", "cur/inner/box", "tmp/half.mbox"] {
        write(&path(name), mailbox);
    }
    for name in ["cur/.DS_Store", "new/.nfs0001", "tmp/5.eml"] {
        write(&path(name), b"Subject: no message\n");
    }
    assert_eq!(
        found(root.path()),
        [
            (root.path().to_owned(), Format::Maildir),
            (path("cur/inner/box"), Format::Mbox),
            (path("old.mbox"), Format::Mbox),
            (path("sub/list"), Format::Mbox),
        ]
    );
    let archive = Input::on_disk(root.path().to_owned(), Format::Maildir);
    let (lines, events) = drain(open(&archive, &ReadOptions::default()).unwrap().as_mut());
    let messages: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("Message"))
        .collect();
    assert_eq!(
        messages,
        [
            r#"Message 0 "" 1.eml Subject: x\n"#,
            r#"Message 1 "" cur/2.a:2,S Subject: x\n"#,
            r#"Message 2 "" new/4.a Subject: x\n"#,
            r#"Message 3 "sub" sub/3.eml Subject: x\n"#,
        ]
    );
    let reported: Vec<_> = events
        .iter()
        .map(|event| event.detail.to_string())
        .collect();
    let no_mail = [
        "cur/.DS_Store",
        "new/.nfs0001",
        "tmp/5.eml",
        "tmp/half.mbox",
    ];
    assert_eq!(
        reported,
        no_mail.map(|name| format!("not mail, left out: {name}"))
    );
}

#[test]
fn single_files() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    let cases: [(&str, &[u8], Format); 8] = [
        ("empty.eml", b"", Format::Eml),
        ("empty", b"", Format::Mbox),
        (
            "message",
            b"Subject: x\n\nFrom a@b.c Mon Jan  1 00:00:00 2001\nTo: x\n",
            Format::Eml,
        ),
        ("binary", b"\x7fELF\0\0", Format::Eml),
        (
            "box",
            b"\xef\xbb\xbf\nFrom a@b.c Mon Jan  1 00:00:00 2001\nTo: x\n",
            Format::Mbox,
        ),
        (
            "mmdf",
            b"\x01\x01\x01\x01\nTo: x\n\n\x01\x01\x01\x01\n",
            Format::Mbox,
        ),
        (
            "2001-May.txt",
            b"From joe at b.c  Mon Jan  1 00:00:00 2001\nFrom: x\n",
            Format::Mbox,
        ),
        ("letter.txt", b"From the office\nwe hear\n", Format::Eml),
    ];
    for (name, bytes, format) in cases {
        write(&path(name), bytes);
        assert_eq!(found(&path(name)), [(path(name), format)], "{name}");
    }
    let read = |name: &str| {
        let archive = recognize(&path(name)).unwrap().remove(0);
        let options = ReadOptions {
            force_format: true,
            ..ReadOptions::default()
        };
        let refused = open(&archive, &ReadOptions::default()).err();
        assert_eq!(
            refused.is_some(),
            ["binary", "letter.txt"].contains(&name),
            "{name}: {refused:?}"
        );
        drain(open(&archive, &options).unwrap().as_mut())
    };
    assert_eq!(read("empty.eml").0, [r#"Message 0 ""  "#]);
    assert!(read("empty").0.is_empty());
    let (lines, events) = read("binary");
    assert_eq!((lines.len(), events[0].kind), (1, BoxEventKind::Single));
    assert_eq!(
        read("message").1,
        [BoxEvent::new(
            BoxEventKind::Single,
            12,
            BoxDetail::LooksLikeMailbox { lines: 1 }
        )]
    );
    assert!(read("letter.txt").1.is_empty());

    let missing = recognize(&path("missing")).unwrap_err();
    assert_eq!(missing.io_kind(), io::ErrorKind::NotFound);
    assert!(missing.to_string().contains("missing"), "{missing}");
}

#[test]
fn unreadable_file_hides_no_other() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("1.eml"), b"Subject: x\n");
    // The beginning of gzip data that cannot be decompressed.
    write(
        &root.path().join("2.gz"),
        b"\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    );
    assert_eq!(
        found(root.path()),
        [(root.path().to_owned(), Format::EmlTree)]
    );
    let archive = Input::on_disk(root.path().to_owned(), Format::EmlTree);
    let mut source = open(&archive, &ReadOptions::default()).unwrap();
    let (lines, events) = drain(source.as_mut());
    assert_eq!(lines[0], r#"Message 0 "" 1.eml Subject: x\n"#);
    assert!(lines[1].starts_with("Other "), "{lines:?}");
    assert_eq!(
        events[0].detail.to_string(),
        "compressed with gzip, left as it is: 2.gz"
    );
}

#[test]
fn walk_continues_after_an_error() {
    let root = tempfile::tempdir().unwrap();
    for name in ["1.eml", "2.eml", "3.eml"] {
        write(&root.path().join(name), b"Subject: x\n");
    }
    let archive = Input::on_disk(root.path().to_owned(), Format::EmlTree);
    let mut source = open(&archive, &ReadOptions::default()).unwrap();
    fs::remove_file(root.path().join("2.eml")).unwrap();
    let mut batch = Batch::default();
    assert!(source.next(&mut batch).unwrap());
    assert_eq!(batch.entries.len(), 1);
    let error = source.next(&mut batch).unwrap_err();
    assert!(error.io_kind() == io::ErrorKind::NotFound && error.to_string().contains("2.eml"));
    assert!(source.next(&mut batch).unwrap());
    assert_eq!(batch.entries[0].name, b"3.eml");
    assert!(!source.next(&mut batch).unwrap());

    let closed = root.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    // The superuser can read everything.
    if fs::read_dir(&closed).is_err() {
        let error = recognize(root.path()).unwrap_err();
        assert!(
            error.io_kind() == io::ErrorKind::PermissionDenied
                && error.to_string().contains("closed")
        );
    }
}

/// A file that becomes a link, a pipe or another folder after it was listed is reported and not read.
#[test]
fn a_swapped_file_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("secret.eml"), b"Subject: secret\n\n");
    let at = |name: &str| root.path().join(name);
    for name in ["1.eml", "2.eml", "3.eml", "sub/4.eml", "sub/secret.eml"] {
        write(&at(name), b"Subject: x\n\n");
    }
    let archive = Input {
        format: Format::EmlTree,
        ..recognize(root.path()).unwrap().remove(0)
    };
    let options = ReadOptions {
        batch: 1,
        ..ReadOptions::default()
    };
    let mut source = open(&archive, &options).unwrap();
    fs::remove_file(at("1.eml")).unwrap();
    symlink(outside.path().join("secret.eml"), at("1.eml")).unwrap();
    fs::remove_file(at("2.eml")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, at("2.eml"), fifo, mode, 0).unwrap();
    // The folder becomes a link between two of its files.
    let (mut lines, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        for entry in &batch.entries {
            lines.push(String::from_utf8_lossy(&entry.name).into_owned());
            if entry.name == b"sub/4.eml" {
                fs::remove_dir_all(at("sub")).unwrap();
                symlink(outside.path(), at("sub")).unwrap();
            }
        }
        assert!(!batch.bytes.windows(6).any(|six| six == b"secret"));
        events.extend(batch.events.iter().map(|event| event.detail.to_string()));
    }
    assert_eq!(lines, ["3.eml", "sub", "sub/4.eml"]);
    assert_eq!(
        events,
        [
            "symbolic link not followed: 1.eml",
            "special file not followed: 2.eml",
            "symbolic link not followed: sub/secret.eml",
        ]
    );
    assert!(source.changed().unwrap());
}

/// Where links are followed, too, a pipe that takes the place of a link's target is reported and not read.
#[test]
fn a_swapped_target_of_a_followed_link_is_not_read() {
    let root = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    for name in ["1.eml", "2.eml", "sub/3.eml"] {
        write(&outside.path().join(name), b"Subject: x\n\n");
    }
    for name in ["1.eml", "2.eml", "sub"] {
        symlink(outside.path().join(name), root.path().join(name)).unwrap();
    }
    symlink("nowhere", root.path().join("4.eml")).unwrap();
    let options = RecognizeOptions {
        follow_links: true,
        ..RecognizeOptions::default()
    };
    let found = recognize_with(root.path(), &options, &mut |_| Ok(())).unwrap();
    assert_eq!(found.len(), 1);
    let options = ReadOptions {
        batch: 1,
        ..ReadOptions::default()
    };
    let mut source = open(&found[0], &options).unwrap();
    fs::remove_file(outside.path().join("2.eml")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    let pipe = outside.path().join("2.eml");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, fifo, mode, 0).unwrap();
    let (mut names, mut events, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        let entries = batch.entries.iter();
        names.extend(entries.map(|entry| String::from_utf8_lossy(&entry.name).into_owned()));
        events.extend(batch.events.iter().map(|event| event.detail.to_string()));
    }
    assert_eq!(names, ["1.eml", "sub", "sub/3.eml"]);
    assert_eq!(
        events,
        [
            "symbolic link to nothing: 4.eml",
            "special file not followed: 2.eml"
        ]
    );
    assert!(source.changed().unwrap());
}

#[test]
fn files_of_a_maildir_have_no_other_layout() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    write(&root.join("cur/1.emlx"), b"Subject: a\n\nx\n");
    write(
        &root.join("cur/2.emlx"),
        b"12\nSubject: x\n\n<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>\n",
    );
    write(&root.join("new/3.host"), b"Subject: c\n\nz\n");
    let input = Input::on_disk(root, Format::Maildir);
    let mut source = open(&input, &ReadOptions::default()).unwrap();
    let (lines, events) = drain(&mut *source);
    assert_eq!(source.profile().dialect, "Maildir");
    let messages = lines.iter().filter(|line| line.starts_with("Message"));
    let plist = "<?xml version=\\\"1.0\\\"?><plist version=\\\"1.0\\\"><dict/></plist>";
    assert_eq!(
        messages.collect::<Vec<_>>(),
        [
            "Message 0 \"\" cur/1.emlx Subject: a\\n\\nx\\n",
            &format!("Message 1 \"\" cur/2.emlx 12\\nSubject: x\\n\\n{plist}\\n"),
            "Message 2 \"\" new/3.host Subject: c\\n\\nz\\n"
        ]
    );
    assert_eq!(events, []);
}

#[test]
fn a_large_file_that_is_no_mail_is_read_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("1.eml"), vec![0; 3 << 20]).unwrap();
    fs::write(folder.path().join("2.eml"), "Subject: x\n\n").unwrap();
    let input = Input::on_disk(folder.path(), Format::EmlTree);
    let mut files = Files::folder(&input, &ReadOptions::default()).unwrap();
    let (mut batch, mut bytes, mut ordinals, mut events) = (Batch::default(), 0, Vec::new(), 0);
    while files.next(&mut batch).unwrap() {
        assert!(batch.bytes.len() <= 2 << 20, "{}", batch.bytes.len());
        bytes += batch.bytes.len();
        for entry in &batch.entries {
            let is_message = entry.kind == EntryKind::Message;
            assert_eq!(is_message, entry.name == b"2.eml");
            ordinals.extend(is_message.then_some(entry.ordinal));
        }
        events += batch.events.len();
    }
    assert_eq!((bytes, events), ((3 << 20) + 12, 1));
    assert_eq!(ordinals, [0]);
}
