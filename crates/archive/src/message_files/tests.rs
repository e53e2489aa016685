//! Tests that walk trees of files, Maildirs and MH folders, and write them again.
//!
//! # Limits
//!
//! `recognition` tests which files are mail, `changes` tests files that change or cannot be read, `ahead` tests files that other threads read,
//! `compressed` compressed messages.

mod ahead;
mod changes;
mod compressed;
mod recognition;

use super::*;
use crate::destination::{OutBatch, OutItem, create_tree};
use crate::input::Input;
use crate::open::open;
use crate::recognize::recognize;
use crate::source::Flags;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

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
        let mut destination = create_tree(&target, crate::replace::WriteOptions::FORCE).unwrap();
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
                    modified: entry.modified,
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
            // Three names are not UTF-8, and one of them and another collide.
            4
        )
    );
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
