//! Writes a folder of mail in several forms, and reads what is found at a path.

use crate::writer::gzip;
use mailglot_archive::{
    Batch, BoxEvent, Error, LeftOut, ReadOptions, RecognizeOptions, open, recognize_with,
};
use std::fs;
use std::path::Path;

/// A mailbox of `count` messages.
pub(crate) fn mbox(subject: &str, count: usize) -> Vec<u8> {
    let message = |number| {
        format!(
            "From a@example.org Mon Jan  1 00:00:{number:02} 2001\nFrom: a@example.org\n\
             Subject: {subject} {number}\n\nDear all,\nwords\n\n"
        )
    };
    (0..count).map(message).collect::<String>().into_bytes()
}

/// Writes two mailboxes, a compressed one, a Maildir, a tree of messages with an MH folder, and other files.
pub(crate) fn write_folder(root: &Path) {
    let long = "a folder with a long name/".repeat(5) + "list.mbox";
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("Takeout/Mail/All mail.mbox", mbox("all", 7)),
        ("inbox", mbox("in", 3)),
        (&long, mbox("long", 2)),
        ("old/2001.mbox.gz", gzip(&mbox("old", 5))),
        ("Maildir/cur/1.host:2,FS", b"Subject: one\n\n1\n".to_vec()),
        ("Maildir/new/2.host", b"Subject: two\n\n2\n".to_vec()),
        (
            "Maildir/.Entw&APw-rfe/cur/3.host:2,S",
            b"Subject: three\n\n3\n".to_vec(),
        ),
        ("Maildir/dovecot-uidlist", b"3 V1 N4\n".to_vec()),
        ("eml/b.eml", b"Subject: b\n\nb\n".to_vec()),
        ("eml/\u{dc}n/a.eml", b"Subject: a\n\na\n".to_vec()),
        ("mh/.mh_sequences", b"unseen: 10\n".to_vec()),
        ("mh/2", b"Subject: second\n\n2\n".to_vec()),
        ("mh/10", b"Subject: tenth\n\n10\n".to_vec()),
        ("notes.txt", b"no mail\n".to_vec()),
        ("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF".repeat(2000)),
        ("one.eml.gz", gzip(b"Subject: x\n\n")),
    ];
    for (name, content) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    for empty in ["Maildir/tmp", "Maildir/.Entw&APw-rfe/new", "empty"] {
        fs::create_dir_all(root.join(empty)).unwrap();
    }
}

/// Everything at a path, as text: archives with entries and events, and what the search reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Path below the given one and format of each archive.
    pub(crate) archives: Vec<String>,
    pub(crate) entries: Vec<String>,
    pub(crate) events: Vec<String>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) unread: Vec<String>,
}

/// Reads everything at a path.
pub(crate) fn read(path: &Path) -> Found {
    read_with(path, 200).unwrap()
}

/// Reads everything at a path, with a limit on expansion.
pub(crate) fn read_with(path: &Path, max_expansion: u64) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut left = Vec::new();
    let options = RecognizeOptions {
        max_expansion,
        ..RecognizeOptions::default()
    };
    let inputs = recognize_with(path, &options, &mut |left_out| {
        match left_out {
            LeftOut::Noted(event) => left.push(shown("", &event)),
            LeftOut::Unread(error) => found.unread.push(error.to_string()),
        }
        Ok(())
    })?;
    found.events.append(&mut left);
    let options = ReadOptions {
        max_expansion,
        ..ReadOptions::default()
    };
    for input in inputs {
        let name = input
            .path
            .strip_prefix(path)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let mut source = match open(&input, &options) {
            Ok(source) => source,
            Err(error) => {
                found.unread.push(error.to_string());
                continue;
            }
        };
        let profile = source.profile().clone();
        found
            .archives
            .push(format!("{name} {:?} {}", input.format, profile.dialect));
        let mut batch = Batch::default();
        while source.next(&mut batch)? {
            for entry in &batch.entries {
                found.entries.push(format!(
                    "{name} {:?} {} {} {:?} {} {} {:?} {}",
                    entry.kind,
                    entry.ordinal,
                    entry.offset,
                    entry.span,
                    entry.folder,
                    entry.name.escape_ascii(),
                    entry.flags,
                    entry.more
                ));
            }
            found
                .events
                .extend(batch.events.iter().map(|event| shown(&name, event)));
            found.bytes.extend_from_slice(&batch.bytes);
        }
        assert!(!source.changed()?, "{name}");
    }
    Ok(found)
}

fn shown(name: &str, event: &BoxEvent) -> String {
    let (code, offset, detail) = (event.kind.code(), event.offset, &event.detail);
    format!(
        "{name} {code} {offset} {} {detail}",
        event.name.escape_ascii()
    )
}
