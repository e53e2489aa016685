//! Repositories that are damaged, or made to harm whoever reads them.

use crate::public_inbox::numbers;
use crate::repositories::{FileChange, create, object_path, run, text, v1_add, v2};
use crate::{Events, codes, read, store};
use mailglot_archive::{ErrorKind, ReadOptions, open, recognize};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Creates an epoch with the messages 0 to 9.
fn ten(folder: &Path) -> PathBuf {
    let path = folder.join("a.git");
    let steps: Vec<_> = (0..10).map(|number| ('m', number)).collect();
    create(&path, "sha1", &v2(&steps));
    path
}

/// Replaces an object by other bytes, or removes it.
fn damage(repository: &Path, name: &str, bytes: Option<&[u8]>) -> String {
    let id = run(repository, &["rev-parse", name]);
    let path = object_path(repository, &id);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    match bytes {
        Some(bytes) => fs::write(&path, bytes).unwrap(),
        None => fs::remove_file(&path).unwrap(),
    }
    id
}

fn read_ten(path: &Path) -> (Vec<usize>, Events) {
    let (found, events) = read(path, &ReadOptions::default());
    (numbers(&found), events)
}

#[test]
fn a_damaged_message_is_named_and_the_others_are_read() {
    for bytes in [
        None,
        Some(&b"x"[..]),
        Some(b""),
        Some(b"\x78\x9cnot deflated"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = ten(folder.path());
        let id = damage(&path, "HEAD~5:m", bytes);
        let (found, events) = read_ten(&path);
        assert_eq!(found, [0, 1, 2, 3, 5, 6, 7, 8, 9], "{bytes:?}");
        assert_eq!(codes(&events), ["box.damaged"], "{bytes:?}");
        assert!(events[0].2.contains(&id), "{events:?}");
    }
}

#[test]
fn a_damaged_tree_loses_its_own_message() {
    for bytes in [None, Some(&b"x"[..])] {
        let folder = tempfile::tempdir().unwrap();
        let path = ten(folder.path());
        damage(&path, "HEAD~5^{tree}", bytes);
        let (found, events) = read_ten(&path);
        // The next message is found by what changed since the damaged tree.
        assert_eq!(found, [0, 1, 2, 3, 6, 7, 8, 9], "{bytes:?}");
        assert_eq!(codes(&events), ["box.damaged"; 2], "{bytes:?} {events:?}");
    }
}

#[test]
fn a_damaged_commit_hides_only_what_is_older() {
    for (name, expected) in [("HEAD~5", 5), ("HEAD~9", 1), ("HEAD~1", 9)] {
        let folder = tempfile::tempdir().unwrap();
        let path = ten(folder.path());
        let id = damage(&path, name, None);
        let (found, events) = read_ten(&path);
        assert_eq!(found, (expected..10).collect::<Vec<_>>(), "{name}");
        assert_eq!(codes(&events), ["box.damaged"], "{name}");
        assert!(events[0].2.contains(&id), "{events:?}");
    }
    // The newest commit is gone.
    let folder = tempfile::tempdir().unwrap();
    let path = ten(folder.path());
    damage(&path, "HEAD", None);
    assert_eq!(
        codes(&read(&path, &ReadOptions::default()).1),
        ["box.damaged"]
    );
    let inbox = folder.path().join("inbox/git");
    fs::create_dir_all(&inbox).unwrap();
    fs::rename(&path, inbox.join("0.git")).unwrap();
    let (found, events) = read(&folder.path().join("inbox"), &ReadOptions::default());
    assert_eq!(found, []);
    assert_eq!(codes(&events), ["box.damaged"]);
}

/// A pack whose bytes are changed, at every few bytes.
#[test]
fn damaged_packs_never_end_silently() {
    let folder = tempfile::tempdir().unwrap();
    let path = ten(folder.path());
    run(&path, &["gc", "-q"]);
    let packs = fs::read_dir(path.join("objects/pack")).unwrap().flatten();
    let pack = packs
        .map(|entry| entry.path())
        .find(|path| path.extension().unwrap() == "pack");
    let pack = pack.unwrap();
    fs::set_permissions(&pack, fs::Permissions::from_mode(0o600)).unwrap();
    let whole = fs::read(&pack).unwrap();
    let input = store(&path);
    for at in (12..whole.len() - 20).step_by(whole.len() / 12) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&pack, &bytes).unwrap();
        let Ok(mut source) = open(&input, &ReadOptions::default()) else {
            continue;
        };
        let (mut count, mut told, mut batch) = (0, false, mailglot_archive::Batch::default());
        loop {
            match source.next(&mut batch) {
                Ok(true) => {
                    count += batch.entries.len();
                    told |= !batch.events.is_empty();
                }
                Ok(false) => break,
                Err(_) => {
                    told = true;
                    break;
                }
            }
        }
        assert!(count == 10 || told, "{count} messages at {at}");
    }
}

/// The configuration, hooks, replaced objects and links of a repository have no effect.
#[test]
fn what_a_repository_orders_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = ten(folder.path());
    let mark = folder.path().join("mark");
    let script = folder.path().join("script");
    fs::write(
        &script,
        format!("#!/bin/sh\ntouch {}\nexit 1\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let plain = read(&path, &ReadOptions::default());
    // A replaced object would show another message.
    let (old, new) = (
        run(&path, &["rev-parse", "HEAD:m"]),
        run(&path, &["rev-parse", "HEAD~1:m"]),
    );
    run(&path, &["replace", &old, &new]);
    let missing = damage(&path, "HEAD~5:m", None);
    let order = script.display();
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {order}\n\tpager = {order}\n\thooksPath = {}\n\
         \tgitProxy = {order}\n\tsshCommand = {order}\n\taskPass = {order}\n\tworktree = /\n\
         [extensions]\n\tpartialClone = origin\n\tnoSuchExtension = true\n\
         [remote \"origin\"]\n\turl = ext::{order}\n\tpromisor = true\n\tuploadpack = {order}\n\
         [pager]\n\trev-list = {order}\n\tcat-file = {order}\n[diff]\n\texternal = {order}\n\
         [include]\n\tpath = /dev/tty\n[protocol]\n\tallow = always\n[alias]\n\tcat-file = !{order}\n",
        folder.path().display()
    );
    fs::write(path.join("config"), config).unwrap();
    let pack = path.join("objects/pack");
    fs::create_dir_all(&pack).unwrap();
    for name in ["post-checkout", "reference-transaction"] {
        fs::create_dir_all(path.join("hooks")).unwrap();
        fs::copy(&script, path.join("hooks").join(name)).unwrap();
    }
    fs::write(path.join("commondir"), "/\n").unwrap();
    let (found, events) = read_ten(&path);
    assert_eq!(found, [0, 1, 2, 3, 5, 6, 7, 8, 9]);
    assert_eq!(codes(&events), ["box.damaged"]);
    assert!(events[0].2.contains(&missing));
    assert!(!mark.exists());
    assert_eq!(plain.0.len(), 10);
    // The folder of git's own is gone.
    drop(store(&path));
}

#[test]
fn borrowed_objects_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = ten(folder.path());
    fs::create_dir_all(path.join("objects/info")).unwrap();
    fs::write(
        path.join("objects/info/alternates"),
        b"/srv/other.git/objects\n",
    )
    .unwrap();
    let error = recognize(&path).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BorrowedObjects));
    assert!(error.to_string().contains("git repack -a -d"), "{error}");
    // In a folder, the error does not hide other mail.
    fs::write(folder.path().join("1.eml"), b"Subject: x\n\n").unwrap();
    assert!(recognize(folder.path()).is_err());
}

/// A pipe would stop git forever, and a link leads to the objects of another folder.
#[test]
fn objects_that_are_no_files_are_an_error() {
    for place in [
        "pack/pack-1.idx",
        "info/packs",
        "ab/cd",
        "pack",
        "info/commit-graphs/commit-graph-chain",
    ] {
        for is_link in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = ten(folder.path());
            let object = path.join("objects").join(place);
            fs::create_dir_all(object.parent().unwrap()).unwrap();
            if object.is_dir() {
                fs::remove_dir(&object).unwrap();
            }
            if is_link {
                symlink("/etc/passwd", &object).unwrap();
            } else {
                let made = std::process::Command::new("mkfifo").arg(&object).status();
                assert!(made.unwrap().success());
            }
            let error = recognize(&path).unwrap_err();
            match error.kind() {
                ErrorKind::BorrowedObjects => assert!(is_link, "{place}"),
                ErrorKind::Special(_) => assert!(!is_link, "{place}"),
                other => panic!("{place}: {other:?}"),
            }
        }
    }
}

#[test]
fn links_make_no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let path = ten(folder.path());
    let other = folder.path().join("b.git");
    fs::create_dir(&other).unwrap();
    for name in ["HEAD", "objects", "refs"] {
        symlink(path.join(name), other.join(name)).unwrap();
    }
    assert!(recognize(&other).is_err() || recognize(&other).unwrap().is_empty());
    // A reference that leads out of the repository names no commit.
    fs::write(path.join("HEAD"), b"ref: refs/../../b.git/HEAD\n").unwrap();
    let (found, events) = read_ten(&path);
    assert_eq!((found, codes(&events)), (vec![], vec!["box.damaged"]));
}

/// A small repository has a million paths of one empty file, or as many of other files. A later commit may delete any of them.
#[test]
fn an_inbox_with_changes_without_end_is_refused() {
    for name in [38, 37] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.git");
        let mut tree: Vec<FileChange> = (0..1000)
            .map(|number| (format!("00/{number:0name$}"), "100644", Some(Vec::new())))
            .collect();
        tree.push((crate::repositories::v1_path(0), "100644", Some(Vec::new())));
        create(&path, "sha1", &[tree]);
        let tree = run(&path, &["rev-parse", "HEAD:00"]);
        let all = (0..200).map(|number| format!("040000 tree {tree}\t{number:02x}\n"));
        let list = folder.path().join("list");
        fs::write(&list, all.collect::<String>()).unwrap();
        let mut make = crate::repositories::git(&path);
        make.arg("mktree").stdin(fs::File::open(&list).unwrap());
        let tree = String::from_utf8(make.output().unwrap().stdout).unwrap();
        let commit = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit-tree",
            tree.trim(),
            "-m",
            "x",
        ];
        let commit = run(&path, &commit);
        run(&path, &["update-ref", "refs/heads/master", &commit]);
        let options = ReadOptions {
            max_expansion: 1,
            ..ReadOptions::default()
        };
        let error = open(&store(&path), &options).err().unwrap();
        assert!(matches!(
            error.kind(),
            ErrorKind::InboxExpansion { most: 131_072 }
        ));
        assert!(error.to_string().contains("--max-expansion"), "{error}");
    }
}

/// Many paths have one large file: the repository is small, and its mail is not.
#[test]
fn mail_that_grows_without_end_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.git");
    let large = [text(0), b"0123456789abcde\n".repeat(1 << 17)].concat();
    let one: Vec<FileChange> = (0..50)
        .map(|number| {
            (
                crate::repositories::v1_path(number),
                "100644",
                Some(large.clone()),
            )
        })
        .collect();
    create(&path, "sha1", &[v1_add(1000, 1), one]);
    let options = ReadOptions {
        max_expansion: 20,
        ..ReadOptions::default()
    };
    let (mut length, mut codes, mut batch) = (0, Vec::new(), mailglot_archive::Batch::default());
    let mut source = open(&store(&path), &options).unwrap();
    while source.next(&mut batch).unwrap() {
        length += batch.bytes.len();
        codes.extend(batch.events.iter().map(|event| event.kind.code()));
    }
    assert_eq!(codes, ["box.expansion"]);
    assert!((60 << 20..=64 << 20).contains(&length), "{length}");
}
