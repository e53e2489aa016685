//! Tests which files of a folder are messages, mailboxes, or no mail.
//!
//! # Limits
//!
//! The formats themselves have tests of their own.

use super::{drain, found, maildir, write};
use crate::input::Input;
use crate::message_files::*;
use crate::open::open;
use crate::recognize::{LeftOut, RecognizeOptions, recognize, recognize_with};
use std::io;

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

/// The head of a mailbox is missing, so it begins with text. A name of a mailbox and one separator suffice.
#[test]
fn a_mailbox_without_its_head_is_known_by_name() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    let message = "From x@y.z Mon Jan  1 00:00:00 2001\nFrom: x\nSubject: 2\n\ntwo\n";
    let cut = format!("rest of a message\n\n{message}");
    let undated = cut.replace(" Mon Jan  1 00:00:00 2001", "");
    let packed = zstd::bulk::compress(cut.as_bytes(), 1).unwrap();
    write(&path("cut.mbox"), cut.as_bytes());
    write(&path("cut.txt"), cut.as_bytes());
    write(&path("packed.mbox.zst"), &packed);
    write(&path("packed.zst"), &packed);
    write(&path("prose.mbox"), undated.as_bytes());
    let mailboxes = ["cut.mbox", "packed.mbox.zst"];
    let expected = mailboxes.map(|name| (path(name), Format::Mbox));
    assert_eq!(found(root.path()), expected);
    for name in mailboxes {
        assert_eq!(found(&path(name))[0].1, Format::Mbox, "{name}");
        let archive = recognize(&path(name)).unwrap().remove(0);
        let (lines, events) = drain(open(&archive, &ReadOptions::default()).unwrap().as_mut());
        assert_eq!(lines.len(), 2, "{name}: {lines:?}");
        let gap = BoxEvent::new(BoxEventKind::Gap, 0, BoxDetail::TextBeforeSeparator);
        assert_eq!(events, [gap], "{name}");
    }
}

/// This program writes a message without a header to a file of its own, and must read it again.
#[test]
fn written_files_without_a_header_are_messages() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["m/cur", "m/new"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for (folder, ours, other) in [
        ("tree", "00000000-0123456789ab.eml", "1.eml"),
        (
            "m",
            "cur/00000000.0123456789ab.mailglot:2,S",
            "cur/1.host:2,S",
        ),
    ] {
        let folder = root.path().join(folder);
        write(&folder.join(ours), b"text alone\n");
        write(&folder.join(other), b"text alone\n");
        let archive = recognize(&folder).unwrap().remove(0);
        let (lines, events) = drain(open(&archive, &ReadOptions::default()).unwrap().as_mut());
        let messages = lines.iter().filter(|line| line.starts_with("Message"));
        assert_eq!(messages.count(), 1, "{lines:?}");
        assert_eq!(events.len(), 1);
        assert_eq!(
            (events[0].kind, &events[0].name[..]),
            (BoxEventKind::NoHeader, other.as_bytes())
        );
    }
    let file = root.path().join("tree/00000000-0123456789ab.eml");
    let archive = recognize(&file).unwrap().remove(0);
    let (lines, events) = drain(open(&archive, &ReadOptions::default()).unwrap().as_mut());
    assert_eq!((lines.len(), events[0].kind), (1, BoxEventKind::Single));
}
