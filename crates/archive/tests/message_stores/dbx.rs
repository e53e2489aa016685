//! Files of Outlook Express that are whole.

use crate::dbx_writer::{DbxFile, DbxMessage};
use crate::{codes, contents, message, read, store};
use mailglot_archive::{
    ErrorKind, Flags, Format, LeftOut, ReadOptions, RecognizeOptions, open, recognize,
    recognize_with,
};
use std::fs;
use std::path::PathBuf;

/// Writes a file to a new folder.
pub(crate) fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Inbox.dbx");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Returns messages of 40 to about 3000 bytes.
pub(crate) fn messages(count: usize) -> Vec<DbxMessage> {
    (0..count)
        .map(|number| DbxMessage::new(message(number, 40 + number * 523 % 3000)))
        .collect()
}

#[test]
fn messages_come_in_the_order_of_the_tree() {
    for (count, per_node) in [(0, 3), (1, 1), (3, 3), (9, 2), (40, 3), (51, 51), (130, 7)] {
        let all = messages(count);
        let file = DbxFile::of(&all, per_node);
        let (_folder, path) = written(&file.bytes);
        let (found, events) = read(&path, &ReadOptions::default());
        let expected: Vec<_> = all.iter().map(|message| &message.bytes[..]).collect();
        assert_eq!(contents(&found), expected, "{count} in nodes of {per_node}");
        assert_eq!(events, []);
        if let Some(last) = found.last() {
            let first_segment = file.segments[count - 1][0];
            let name = format!("{:08}-{first_segment:08x}.eml", count - 1);
            assert_eq!(last.name, name);
        }
    }
}

#[test]
fn flags_are_read_and_messages_that_were_not_downloaded_are_named() {
    let mut all = messages(6);
    let flags = [0x80, 0x20 | 0x01, 0x08, 0x08_0080, 0x10_0000, 0];
    for (message, flags) in all.iter_mut().zip(flags) {
        message.flags = flags;
    }
    all[5].is_downloaded = false;
    let file = DbxFile::of(&all, 2);
    let (_folder, path) = written(&file.bytes);
    let (found, events) = read(&path, &ReadOptions::default());
    let expected = [
        Flags::SEEN,
        Flags::FLAGGED,
        Flags::DRAFT,
        Flags::SEEN | Flags::REPLIED,
        Flags::PASSED,
    ];
    let flags: Vec<_> = found.iter().map(|message| message.flags.0).collect();
    assert_eq!(flags, expected);
    let words = "the message is not in the file: Outlook Express did not download it";
    let at = file.infos[5] as u64;
    assert_eq!(events, [("box.left-out", at, words.to_owned())]);
}

#[test]
fn a_large_message_comes_in_pieces() {
    let all = [1000, 3001, 70_000].map(|length| DbxMessage::new(message(0, length)));
    let (_folder, path) = written(&DbxFile::of(&all, 3).bytes);
    let options = ReadOptions {
        message_limit: 3000,
        ..ReadOptions::default()
    };
    let (found, events) = read(&path, &options);
    let expected: Vec<_> = all.iter().map(|message| &message.bytes[..]).collect();
    assert_eq!(contents(&found), expected);
    let pieces: Vec<_> = found.iter().map(|message| message.pieces).collect();
    assert_eq!(pieces[..2], [1, 2]);
    assert!((24..30).contains(&pieces[2]), "{pieces:?}");
    assert_eq!(codes(&events), ["msg.too-large"; 2]);
}

#[test]
fn files_are_found_in_folders_and_containers() {
    let (folder, path) = written(&DbxFile::of(&messages(5), 2).bytes);
    // The list of folders: it has another second number, and no messages.
    let mut folders = DbxFile::of(&[], 1).bytes;
    folders[4] = 0xc6;
    fs::write(folder.path().join("Folders.dbx"), &folders).unwrap();
    fs::write(folder.path().join("1.eml"), b"Subject: x\n\n").unwrap();
    let found = recognize(folder.path()).unwrap();
    let stores: Vec<_> = found.iter().map(|input| input.store.is_some()).collect();
    assert_eq!(stores, [false, true]);
    assert_eq!(found[0].format, Format::EmlTree);
    // The tree of messages keeps the list of folders, and leaves the store to itself.
    let (mut names, mut batch) = (Vec::new(), mailglot_archive::Batch::default());
    let mut tree = open(&found[0], &ReadOptions::default()).unwrap();
    while tree.next(&mut batch).unwrap() {
        names.extend(batch.entries.iter().map(|entry| entry.name.clone()));
    }
    assert_eq!(names, [b"1.eml".to_vec(), b"Folders.dbx".to_vec()]);
    let error = recognize(&folder.path().join("Folders.dbx")).unwrap();
    let error = open(&error[0], &ReadOptions::default()).err().unwrap();
    assert!(error.to_string().contains("not a mail message"), "{error}");

    let plain = read(&path, &ReadOptions::default());
    for (name, is_packed) in [("stored.tar", false), ("packed.tar.gz", true)] {
        let container = folder.path().join(name);
        let mode = if is_packed { "-czf" } else { "-cf" };
        let mut tar = std::process::Command::new("tar");
        tar.arg(mode).arg(&container).arg("-C").arg(folder.path());
        assert!(tar.arg("Inbox.dbx").status().unwrap().success());
        let inside = container.join("Inbox.dbx");
        assert_eq!(read(&inside, &ReadOptions::default()), plain, "{name}");
    }
}

/// A compressed file is named, and is not read as a message whatever the options say.
#[test]
fn a_compressed_file_is_an_error() {
    let (folder, path) = written(&DbxFile::of(&messages(3), 2).bytes);
    let packed = folder.path().join("Inbox.dbx.gz");
    let mut gzip = std::process::Command::new("gzip");
    assert!(gzip.arg(&path).status().unwrap().success());
    assert!(packed.is_file());
    let mut tar = std::process::Command::new("tar");
    tar.current_dir(folder.path());
    let tar = tar.args(["-cf", "a.tar", "Inbox.dbx.gz"]).status();
    assert!(tar.unwrap().success());
    let member = folder.path().join("a.tar/Inbox.dbx.gz");
    for (path, force_format) in [(&packed, false), (&packed, true), (&member, false)] {
        let options = ReadOptions {
            force_format,
            ..ReadOptions::default()
        };
        let found = recognize(path).unwrap();
        let error = open(&found[0], &options).err().unwrap();
        assert!(
            matches!(error.kind(), ErrorKind::StoreInStream("Outlook Express")),
            "{error}"
        );
    }
    // In a folder, it is left as it is.
    let mut events = Vec::new();
    let options = RecognizeOptions::default();
    let found = recognize_with(folder.path(), &options, &mut |left| {
        if let LeftOut::Noted(event) = left {
            events.push((event.kind.code(), event.detail.to_string()));
        }
        Ok(())
    });
    assert_eq!(found.unwrap(), []);
    let packed = |name: &str| {
        let words = format!("compressed with gzip, left as it is: {name}");
        ("box.packed", words)
    };
    events.retain(|(code, _)| *code != "box.no-mail");
    assert_eq!(events, ["Inbox.dbx.gz", "a.tar/Inbox.dbx.gz"].map(packed));
}

#[test]
fn a_change_is_noticed() {
    let (_folder, path) = written(&DbxFile::of(&messages(2), 2).bytes);
    let source = open(&store(&path), &ReadOptions::default()).unwrap();
    assert!(!source.changed().unwrap());
    fs::write(&path, b"").unwrap();
    assert!(source.changed().unwrap());
}
