//! Mail and repositories beside an inbox, and epochs that cannot be read.

use crate::public_inbox::numbers;
use crate::repositories::{create, git, object_path, run, text, v1_add, v2};
use crate::{codes, drain, read};
use mailglot_archive::{
    Batch, EntryKind, Format, Input, LeftOut, ReadOptions, RecognizeOptions, open, recognize,
    recognize_with,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const MAIL: &[u8] = b"From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: s\n\nb\n\n";

/// Writes a mailbox, a Maildir and a single message.
fn write_mail(folder: &Path) {
    fs::create_dir_all(folder.join("Mail")).unwrap();
    fs::write(folder.join("a.mbox"), MAIL).unwrap();
    fs::write(folder.join("Mail/b.mbox"), MAIL).unwrap();
    fs::write(folder.join("x.eml"), b"Subject: x\n\nb\n").unwrap();
    for name in ["cur", "new", "tmp"] {
        fs::create_dir_all(folder.join("box").join(name)).unwrap();
    }
    fs::write(folder.join("box/new/1"), b"Subject: y\n\nb\n").unwrap();
}

/// Returns the archives as path, format and whether they are a store, and the events.
fn search(root: &Path, follow_links: bool) -> (Vec<(String, Format, bool)>, Vec<String>) {
    let mut events = Vec::new();
    let options = RecognizeOptions {
        follow_links,
        ..RecognizeOptions::default()
    };
    let found = recognize_with(root, &options, &mut |left| {
        events.push(match left {
            LeftOut::Unread(error) => error.to_string(),
            LeftOut::Noted(event) => event.detail.to_string(),
        });
        Ok(())
    });
    let shown = |input: mailglot_archive::Input| {
        let path = input.path.strip_prefix(root).unwrap();
        (
            path.display().to_string(),
            input.format,
            input.store.is_some(),
        )
    };
    (found.unwrap().into_iter().map(shown).collect(), events)
}

fn mail(store: Option<&str>) -> Vec<(String, Format, bool)> {
    let mut all = vec![
        (String::new(), Format::EmlTree, false),
        ("Mail/b.mbox".to_owned(), Format::Mbox, false),
        ("a.mbox".to_owned(), Format::Mbox, false),
        ("box".to_owned(), Format::Maildir, false),
    ];
    if let Some(store) = store {
        all.push((store.to_owned(), Format::EmlTree, true));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// A repository with the name of an epoch is no inbox, and hides no mail.
#[test]
fn mail_beside_other_repositories_is_read() {
    let source = vec![vec![("README".to_owned(), "100644", Some(b"x\n".to_vec()))]];
    for commits in [vec![], source] {
        let folder = tempfile::tempdir().unwrap();
        write_mail(folder.path());
        create(&folder.path().join("git/1.git"), "sha1", &commits);
        assert_eq!(search(folder.path(), false).0, mail(None));
    }
}

#[test]
fn mail_beside_an_inbox_is_read_and_its_repositories_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    write_mail(folder.path());
    for (number, message) in [0, 1].into_iter().enumerate() {
        let path = folder.path().join(format!("git/{number}.git"));
        create(&path, "sha1", &v2(&[('m', message)]));
    }
    fs::write(folder.path().join("inbox.lock"), b"").unwrap();
    fs::write(folder.path().join("msgmap.sqlite3"), b"x").unwrap();
    fs::create_dir_all(folder.path().join("xap15")).unwrap();
    fs::write(folder.path().join("xap15/over.sqlite3"), b"x").unwrap();
    let (found, events) = search(folder.path(), false);
    assert_eq!(found, mail(Some("")));
    assert_eq!(events, Vec::<String>::new());
    // The tree has the message, and nothing of the inbox.
    let tree = recognize(folder.path()).unwrap().into_iter();
    let tree = tree.filter(|input| input.format == Format::EmlTree && input.store.is_none());
    let tree: Vec<_> = tree.collect();
    let mut source = open(&tree[0], &ReadOptions::default()).unwrap();
    let (mut names, mut batch) = (Vec::new(), mailglot_archive::Batch::default());
    while source.next(&mut batch).unwrap() {
        let own = batch.entries.iter().map(|entry| &entry.name);
        names.extend(own.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    let is_foreign = |name: &String| name.starts_with("git/") || name.starts_with("xap15/");
    assert!(names.contains(&"x.eml".to_owned()), "{names:?}");
    assert!(!names.iter().any(is_foreign), "{names:?}");
    // An epoch that is named by the caller is read.
    let (found, _) = search(&folder.path().join("git"), false);
    let epochs = ["0.git", "1.git"].map(|name| (name.to_owned(), Format::EmlTree, true));
    assert_eq!(found, epochs);
}

/// Returns the names of the messages of the tree at `root`.
fn tree_names(root: &Path) -> Vec<String> {
    let tree = Input::on_disk(root, Format::EmlTree);
    let mut source = open(&tree, &ReadOptions::default()).unwrap();
    let (mut names, mut batch) = (Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        let messages = batch.entries.iter();
        let messages = messages.filter(|entry| entry.kind == EntryKind::Message);
        names.extend(messages.map(|entry| String::from_utf8_lossy(&entry.name).into_owned()));
    }
    names.sort();
    names
}

/// A file or folder belongs to an inbox by its name and its content.
#[test]
fn mail_with_the_name_of_a_part_of_an_inbox_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    create(&root.join("git/0.git"), "sha1", &v2(&[('m', 0)]));
    fs::create_dir_all(root.join("xap15")).unwrap();
    fs::write(root.join("xap15/over.sqlite3"), b"x").unwrap();
    fs::write(root.join("msgmap.sqlite3"), b"x").unwrap();
    create(&root.join("all.git"), "sha1", &[]);
    assert_eq!(tree_names(root), Vec::<String>::new());
    fs::remove_dir_all(root.join("all.git")).unwrap();
    let mail = [
        "all.git/1.eml",
        "git/7.git/1.eml",
        "git/8.git/objects/1.eml",
        "git/8.git/refs/1.eml",
        "inbox.lock/1.eml",
        "msgmap.sqlite3.eml",
        "xap2024/1.eml",
    ];
    for path in mail.map(|name| root.join(name)) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"Subject: x\n\nb\n").unwrap();
    }
    fs::write(root.join("xap16"), MAIL).unwrap();
    let (found, events) = search(root, false);
    let inputs = [("", false), ("", true), ("xap16", false)];
    let found: Vec<_> = found
        .iter()
        .map(|(path, _, store)| (&path[..], *store))
        .collect();
    assert_eq!(found, inputs);
    assert_eq!(events, Vec::<String>::new());
    assert_eq!(tree_names(root), mail);
}

/// Of a folder with a repository, only what `git` writes belongs to the inbox.
#[test]
fn mail_inside_repositories_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (number, commits) in [v2(&[('m', 0)]), v2(&[('m', 1)]), vec![]]
        .iter()
        .enumerate()
    {
        create(&root.join(format!("git/{number}.git")), "sha1", commits);
    }
    create(&root.join("all.git"), "sha1", &[]);
    create(&root.join("old.git"), "sha1", &[v1_add(2, 2)]);
    fs::create_dir_all(root.join("xap15/0")).unwrap();
    fs::write(root.join("xap15/0/postlist.glass"), b"x").unwrap();
    fs::write(root.join("xap15/over.sqlite3"), b"x").unwrap();
    assert_eq!(tree_names(root), Vec::<String>::new());
    let mail = [
        "all.git/c.eml",
        "git/1.git/a.eml",
        "git/2.git/b.eml",
        "git/2.git/sub/b.eml",
        "old.git/d.eml",
        "xap15/1.eml",
    ];
    for path in mail.map(|name| root.join(name)) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"Subject: x\n\nb\n").unwrap();
    }
    fs::write(root.join("git/1.git/box"), MAIL).unwrap();
    fs::write(root.join("git/1.git/HEAD.lock"), b"").unwrap();
    let (found, events) = search(root, false);
    let expected = [
        ("", false),
        ("", true),
        ("git/1.git/box", false),
        ("old.git", true),
    ];
    let shown = found.iter().map(|(path, _, store)| (&path[..], *store));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(events, Vec::<String>::new());
    assert_eq!(tree_names(root), mail);
    // Each message of a repository is read once, and its files are in no tree.
    let mut read = Vec::new();
    for input in recognize(root).unwrap() {
        let mut source = open(&input, &ReadOptions::default()).unwrap();
        let mut batch = Batch::default();
        while source.next(&mut batch).unwrap() {
            let files = batch.entries.iter();
            let files = files.filter(|entry| entry.kind != EntryKind::Directory);
            read.extend(files.map(|entry| (input.store.is_some(), entry.kind)));
        }
    }
    let of_stores = read.iter().filter(|(is_store, _)| *is_store).count();
    assert_eq!((of_stores, read.len()), (3, 3 + mail.len() + 1), "{read:?}");
    assert!(read.iter().all(|(_, kind)| *kind == EntryKind::Message));
    // The same holds for a repository that the caller names.
    let (found, _) = search(&root.join("old.git"), false);
    let expected = [false, true].map(|store| (String::new(), Format::EmlTree, store));
    assert_eq!(found, expected);
}

/// A repository that borrows objects, and has objects of its own, shows more than the epochs.
#[test]
fn a_union_with_objects_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    create(&root.join("git/0.git"), "sha1", &v2(&[('m', 0)]));
    create(&root.join("all.git"), "sha1", &[]);
    fs::create_dir_all(root.join("all.git/objects/info")).unwrap();
    fs::write(
        root.join("all.git/objects/info/alternates"),
        b"../../git/0.git/objects\n",
    )
    .unwrap();
    let inbox = (String::new(), Format::EmlTree, true);
    assert_eq!(search(root, false), (vec![inbox], Vec::new()));
    fs::remove_dir_all(root.join("all.git")).unwrap();
    create(&root.join("all.git"), "sha1", &v2(&[('m', 1)]));
    fs::write(
        root.join("all.git/objects/info/alternates"),
        b"../../git/0.git/objects\n",
    )
    .unwrap();
    let (_, events) = search(root, false);
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        events[0].contains("objects lie in other folders"),
        "{events:?}"
    );
}

/// No store is read inside a Maildir, so its files are kept.
#[test]
fn a_repository_inside_a_maildir_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_mail(root);
    create(&root.join("box/.sub/a.git"), "sha1", &v2(&[('m', 0)]));
    create(&root.join("box/.sub/git/0.git"), "sha1", &v2(&[('m', 0)]));
    let maildir = Input::on_disk(root.join("box"), Format::Maildir);
    let mut source = open(&maildir, &ReadOptions::default()).unwrap();
    let (mut names, mut batch) = (Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        names.extend(batch.entries.iter().map(|entry| entry.name.clone()));
    }
    for name in [".sub/a.git/HEAD", ".sub/git/0.git/HEAD"] {
        assert!(names.contains(&name.as_bytes().to_vec()), "{name}");
    }
}

/// An inbox that lies in the place of the repository that shows all epochs.
#[test]
fn an_inbox_named_all_is_read() {
    let folder = tempfile::tempdir().unwrap();
    create(&folder.path().join("git/0.git"), "sha1", &v2(&[('m', 0)]));
    create(&folder.path().join("all.git"), "sha1", &[v1_add(1, 1)]);
    let (found, _) = search(folder.path(), false);
    let stores = ["", "all.git"].map(|name| (name.to_owned(), Format::EmlTree, true));
    assert_eq!(found, stores);
}

/// Folders of mail with names of git, and no objects, are no damaged repository.
#[test]
fn folders_with_names_of_git_are_no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mail = [
        "a/objects/1.eml",
        "a/refs/1.eml",
        "b/objects/pack/1.eml",
        "git/1.git/c.eml",
        "git/1.git/objects/ab/1.eml",
        "git/1.git/refs/1.eml",
    ];
    for path in mail.map(|name| root.join(name)) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"Subject: x\n\nb\n").unwrap();
    }
    fs::write(root.join("git/1.git/objects/readme"), b"x\n").unwrap();
    let tree = (String::new(), Format::EmlTree, false);
    assert_eq!(search(root, false).0, std::slice::from_ref(&tree));
    assert_eq!(tree_names(root), mail);
    // An object hides no mail beside it.
    let object = "c".repeat(38);
    fs::create_dir(root.join("b/objects/ab")).unwrap();
    fs::write(root.join("b/objects/ab").join(object), b"x").unwrap();
    let store = ("b".to_owned(), Format::EmlTree, true);
    assert_eq!(search(root, false).0, [tree, store]);
    assert_eq!(tree_names(root), mail);
}

/// An inbox of version 1 with the name of an epoch is an archive of its own.
#[test]
fn inboxes_of_both_versions_lie_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    create(&folder.path().join("git/0.git"), "sha1", &v2(&[('m', 0)]));
    create(&folder.path().join("git/1.git"), "sha1", &[v1_add(1, 1)]);
    let (found, _) = search(folder.path(), false);
    let stores = ["", "git/1.git"].map(|name| (name.to_owned(), Format::EmlTree, true));
    assert_eq!(found, stores);
    let read = recognize(folder.path()).unwrap();
    let read: Vec<_> = read
        .iter()
        .map(|input| numbers(&drain(&mut *open(input, &ReadOptions::default()).unwrap()).0))
        .collect();
    assert_eq!(read, [[0], [1]]);
}

#[test]
fn an_epoch_that_is_a_link_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    let other = folder.path().join("other.git");
    create(&list.join("git/0.git"), "sha1", &v2(&[('m', 0)]));
    create(&other, "sha1", &v2(&[('m', 1)]));
    symlink(&other, list.join("git/1.git")).unwrap();
    let (found, events) = search(&list, false);
    assert_eq!(found, [(String::new(), Format::EmlTree, true)]);
    assert_eq!(events.len(), 1);
    assert!(events[0].contains("git/1.git"), "{events:?}");
    let (found, _) = search(&list, true);
    let stores = ["", "git/1.git"].map(|name| (name.to_owned(), Format::EmlTree, true));
    assert_eq!(found, stores);
}

/// A damaged newest commit or tree is told, also of an inbox that is one repository.
#[test]
fn a_damaged_repository_is_no_empty_folder() {
    for (name, commits, expected) in [
        ("HEAD", v2(&[('m', 0), ('m', 1)]), vec![]),
        ("HEAD^{tree}", v2(&[('m', 0), ('m', 1)]), vec![0]),
        ("HEAD^{tree}", vec![v1_add(0, 0), v1_add(1, 1)], vec![0]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.git");
        create(&path, "sha1", &commits);
        let id = run(&path, &["rev-parse", name]);
        fs::remove_file(object_path(&path, &id)).unwrap();
        let (found, events) = read(&path, &ReadOptions::default());
        assert_eq!(numbers(&found), expected, "{name}");
        assert_eq!(codes(&events), ["box.damaged"], "{name}");
    }
}

/// Objects without a commit that can be found are lost messages.
#[test]
fn an_epoch_without_a_readable_head_is_damaged() {
    let break_head: [fn(&Path); 3] = [
        |path| fs::remove_file(path.join("HEAD")).unwrap(),
        |path| fs::remove_file(path.join("refs/heads/master")).unwrap(),
        |path| {
            let mut migrate = Command::new("git");
            migrate.arg("--git-dir").arg(path);
            migrate.args(["refs", "migrate", "--ref-format=reftable"]);
            assert!(migrate.status().unwrap().success());
        },
    ];
    for (number, break_head) in break_head.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("git/0.git");
        create(&path, "sha1", &v2(&[('m', 1)]));
        break_head(&path);
        let words = "git/0.git: HEAD names no commit that can be read; its messages are left out";
        for other in [false, true] {
            if other {
                create(&folder.path().join("git/1.git"), "sha1", &v2(&[('m', 2)]));
            }
            let (found, events) = read(folder.path(), &ReadOptions::default());
            assert_eq!(found.len(), usize::from(other), "{number}");
            assert_eq!(codes(&events), ["box.damaged"], "{number}");
            assert!(events[0].2.starts_with(words), "{events:?}");
        }
        // The same repository at another path is an inbox of its own.
        let alone = folder.path().join("a.git");
        fs::rename(path, &alone).unwrap();
        let (found, events) = read(&alone, &ReadOptions::default());
        assert_eq!((found, codes(&events)), (vec![], vec!["box.damaged"]));
        let words = "HEAD names no commit that can be read; its messages are left out";
        assert!(events[0].2.starts_with(words), "{events:?}");
    }
}

/// A repository without its folder of objects lost all messages.
#[test]
fn an_epoch_without_objects_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    create(&folder.path().join("git/0.git"), "sha1", &v2(&[('m', 1)]));
    fs::remove_dir_all(folder.path().join("git/0.git/objects")).unwrap();
    create(&folder.path().join("git/1.git"), "sha1", &v2(&[('m', 2)]));
    let (found, events) = read(folder.path(), &ReadOptions::default());
    assert_eq!(numbers(&found), [2]);
    assert_eq!(codes(&events), ["box.damaged"]);
}

/// The search reports a repository that cannot be read, and the tree of messages around it does not read its files.
#[test]
fn an_unreadable_repository_is_no_part_of_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_mail(root);
    create(&root.join("old.git"), "sha1", &v2(&[('m', 0)]));
    fs::create_dir_all(root.join("old.git/objects/info")).unwrap();
    fs::write(root.join("old.git/objects/info/alternates"), b"/srv/a\n").unwrap();
    let (found, events) = search(root, false);
    assert_eq!(found, mail(None));
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        events[0].contains("objects lie in other folders"),
        "{events:?}"
    );
    let tree = Input::on_disk(root, Format::EmlTree);
    let mut source = open(&tree, &ReadOptions::default()).unwrap();
    let (mut names, mut batch) = (Vec::new(), Batch::default());
    while source.next(&mut batch).unwrap() {
        names.extend(batch.entries.iter().map(|entry| entry.name.clone()));
        assert!(batch.events.is_empty(), "{:?}", batch.events);
    }
    assert_eq!(names, [b"x.eml".to_vec(), b"Mail".to_vec()]);
}

#[test]
fn merges_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.git");
    create(&path, "sha1", &v2(&[('m', 0), ('m', 1), ('m', 2)]));
    let tree = run(&path, &["rev-parse", "HEAD^{tree}"]);
    let parents = ["-p", "HEAD", "-p", "HEAD~2"];
    let mut merge = vec![
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        &tree,
    ];
    merge.extend(parents);
    merge.extend(["-m", "x"]);
    let merge = run(&path, &merge);
    run(&path, &["update-ref", "refs/heads/master", &merge]);
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(numbers(&found), [0, 1, 2]);
    assert_eq!(codes(&events), ["box.left-out"]);
    assert!(events[0].2.contains(&merge), "{events:?}");
    assert_eq!(text(0), found[0].bytes);
}

#[test]
fn merges_beyond_a_thousand_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.git");
    create(&path, "sha1", &v2(&[('m', 0), ('m', 1)]));
    let root = run(&path, &["rev-parse", "HEAD~1"]);
    let head = "commit refs/heads/master\ncommitter A <a@b> 1000000000 +0000\ndata 0\n";
    let merges = (0..1003).map(|number| {
        let from = if number == 0 {
            "from refs/heads/master^0\n"
        } else {
            ""
        };
        format!("{head}{from}merge {root}\n")
    });
    let stream = folder.path().join("stream");
    fs::write(&stream, merges.collect::<String>()).unwrap();
    let mut import = git(&path);
    import.args(["fast-import", "--quiet"]);
    import.stdin(fs::File::open(&stream).unwrap());
    assert!(import.status().unwrap().success());
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(numbers(&found), [0, 1]);
    assert_eq!(codes(&events), ["box.left-out"; 1001]);
    assert!(
        events[1000].2.starts_with("3 more commits are merges"),
        "{:?}",
        events[1000]
    );
}
