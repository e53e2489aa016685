//! Tests files that cannot be read, or that change after they were listed.
//!
//! # Limits
//!
//! The superuser can read everything, so a closed folder is tested for other users only.

use super::{drain, found, write};
use crate::input::Input;
use crate::message_files::*;
use crate::open::open;
use crate::recognize::{RecognizeOptions, recognize, recognize_with};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};

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

/// Events that come before an error are in the next batch.
#[test]
fn an_error_loses_no_event() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("1.eml"), b"Subject: x\n");
    write(&root.path().join("2.eml"), b"Subject: x\n");
    write(
        &root.path().join("3.gz"),
        b"\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    );
    let archive = Input::on_disk(root.path().to_owned(), Format::EmlTree);
    let mut source = open(&archive, &ReadOptions::default()).unwrap();
    fs::remove_file(root.path().join("1.eml")).unwrap();
    let mut batch = Batch::default();
    assert!(source.next(&mut batch).is_err());
    let (_, events) = drain(source.as_mut());
    assert_eq!(
        events[0].detail.to_string(),
        "compressed with gzip, left as it is: 3.gz"
    );
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

/// A message that is renamed while `cur` and `new` are listed may be in neither list.
#[test]
fn renamed_messages_are_found_again() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    for name in ["cur/1.a:2,S", "new/2.a", "cur/3.a:2,"] {
        write(&at(name), b"Subject: x\n\n");
    }
    let archive = Input::on_disk(root.path().to_owned(), Format::Maildir);
    let mut files = Files::folder(&archive, &ReadOptions::default()).unwrap();
    let mut messages = vec![b"other".to_vec(), b"cur/1.a:2,".to_vec()];
    let listed = ["cur", "new"].map(|name| (at(name), None));
    files.add_missed(&listed, &mut messages, 1);
    messages[1..].sort();
    assert_eq!(
        messages,
        [&b"other"[..], b"cur/1.a:2,", b"cur/3.a:2,", b"new/2.a"]
    );
    let touch = || {
        let folder = fs::File::open(at("cur")).unwrap();
        folder.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    };
    fs::rename(at("cur/1.a:2,S"), at("cur/1.a:2,RS")).unwrap();
    fs::rename(at("new/2.a"), at("cur/2.a:2,")).unwrap();
    touch();
    assert!(!files.changed().unwrap(), "only flags changed");
    let (lines, _) = drain(&mut files);
    for (line, name) in
        lines[lines.len() - 3..]
            .iter()
            .zip(["cur/1.a:2,RS", "cur/2.a:2,", "cur/3.a:2,"])
    {
        assert!(line.contains(name), "{lines:?}");
    }
    assert!(!files.changed().unwrap());
    fs::remove_file(at("cur/3.a:2,")).unwrap();
    touch();
    assert!(files.changed().unwrap() && !files.content_changed().unwrap());
}
