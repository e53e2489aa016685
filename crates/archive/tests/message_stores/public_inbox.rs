//! Repositories of public-inbox, made by git.

use crate::repositories::{commit, create, run, text, v1_add, v1_path, v1_remove, v2};
use crate::{ReadMessage, codes, contents, drain, read, store};
use mailglot_archive::{Format, ReadOptions, open, recognize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Returns the numbers of the messages. Fails if the content of a message differs.
pub(crate) fn numbers(messages: &[ReadMessage]) -> Vec<usize> {
    let number = |bytes: &&[u8]| {
        let line = bytes.strip_prefix(b"From: a").unwrap();
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&line[..digits])
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(*bytes, text(number));
        number
    };
    contents(messages).iter().map(number).collect()
}

/// Returns the files below a folder with their sizes and times.
fn files(folder: &Path) -> BTreeMap<std::path::PathBuf, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let metadata = entry.metadata().unwrap();
        found.insert(entry.path(), (metadata.len(), metadata.modified().unwrap()));
        if metadata.is_dir() {
            found.extend(files(&entry.path()));
        }
    }
    found
}

/// Creates an inbox of version 2. The second epoch deletes a message of the first.
fn inbox(folder: &Path) {
    let epochs = [
        v2(&[('m', 0), ('m', 1), ('m', 2), ('d', 1), ('m', 3)]),
        v2(&[('m', 4), ('d', 2), ('m', 5), ('d', 3), ('m', 3)]),
    ];
    fs::create_dir_all(folder.join("git")).unwrap();
    for (number, commits) in epochs.iter().enumerate() {
        create(&folder.join(format!("git/{number}.git")), "sha1", commits);
    }
    fs::write(folder.join("inbox.lock"), b"").unwrap();
    fs::create_dir(folder.join("xap15")).unwrap();
}

#[test]
fn epochs_are_read_in_order_without_deleted_messages() {
    let folder = tempfile::tempdir().unwrap();
    inbox(folder.path());
    let before = files(folder.path());
    let (found, events) = read(folder.path(), &ReadOptions::default());
    // Message 3 was deleted and came again.
    assert_eq!(numbers(&found), [0, 4, 5, 3]);
    assert_eq!(codes(&events), ["box.left-out"; 3]);
    let repository = folder.path().join("git/0.git");
    let id = run(&repository, &["rev-parse", "HEAD~2:m"]);
    let words = format!(
        "a message that was deleted later is left out: `git --git-dir REPO cat-file blob {id}` shows it"
    );
    assert_eq!(events[1].2, words);
    let id = run(&repository, &["rev-parse", "HEAD:m"]);
    assert_eq!(found[3].name, format!("00000003-{id}.eml"));
    assert_eq!(files(folder.path()), before, "nothing was written");

    // An epoch alone.
    let (found, events) = read(&folder.path().join("git/0.git"), &ReadOptions::default());
    assert_eq!(numbers(&found), [0, 2, 3]);
    assert_eq!(codes(&events), ["box.left-out"]);
}

#[test]
fn version_1_is_read_in_the_order_of_commits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.git");
    // A second message with the same Message-ID, then a link and a file, which are not read.
    let mut odd = v1_add(6, 6);
    odd.push((
        format!("{}/{:040x}", v1_path(7), 1),
        "100644",
        Some(text(7)),
    ));
    odd.push((v1_path(8), "120000", Some(b"/etc/passwd".to_vec())));
    odd.push((format!("ab/{}", "g".repeat(38)), "100644", Some(text(9))));
    let commits = [
        v1_add(200, 200),
        v1_add(1, 1),
        v1_add(3, 3),
        v1_add(2, 2),
        v1_remove(1),
        // An edited message, a copy of one at another path, and one that came again.
        v1_add(3, 33),
        v1_add(4, 2),
        v1_remove(2),
        v1_add(1, 1),
        odd,
    ];
    create(&path, "sha1", &commits);
    let (found, events) = read(&path, &ReadOptions::default());
    assert_eq!(numbers(&found), [200, 33, 2, 1, 6, 7]);
    assert_eq!(codes(&events), ["box.left-out"; 3]);
}

#[test]
fn repositories_are_read_however_they_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let steps: Vec<_> = (0..150).map(|number| ('m', number)).collect();
    for format in ["sha1", "sha256"] {
        let path = folder.path().join(format!("{format}.git"));
        create(&path, format, &v2(&steps));
        let (loose, events) = read(&path, &ReadOptions::default());
        assert_eq!(numbers(&loose), (0..150).collect::<Vec<_>>());
        assert_eq!(events, []);
        run(&path, &["gc", "-q"]);
        assert!(path.join("packed-refs").is_file());
        assert_eq!(read(&path, &ReadOptions::default()).0, loose);
    }
    // A merge is followed by its first parent, and HEAD may name a commit.
    let path = folder.path().join("sha1.git");
    let head = run(&path, &["rev-parse", "HEAD"]);
    fs::write(path.join("HEAD"), format!("{head}\n")).unwrap();
    assert_eq!(read(&path, &ReadOptions::default()).0.len(), 150);
}

/// An inbox may have more repositories than a process may have open files.
#[test]
fn many_epochs_keep_few_files_open() {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join("git");
    fs::create_dir(&git).unwrap();
    create(&git.join("0.git"), "sha1", &v2(&[('m', 0), ('m', 1)]));
    for number in 1..20 {
        let mut copy = Command::new("cp");
        copy.arg("-R").arg(git.join("0.git"));
        let copy = copy.arg(git.join(format!("{number}.git"))).status();
        assert!(copy.unwrap().success());
    }
    let input = store(folder.path());
    let open_files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open_files();
    let mut source = open(&input, &ReadOptions::default()).unwrap();
    assert!(open_files() < before + 5, "{before} {}", open_files());
    let (found, events) = drain(&mut *source);
    assert_eq!(numbers(&found), [0, 1].repeat(20));
    assert_eq!(events, []);
}

#[test]
fn an_epoch_without_commits_is_named() {
    let folder = tempfile::tempdir().unwrap();
    inbox(folder.path());
    create(&folder.path().join("git/2.git"), "sha1", &[]);
    create(&folder.path().join("git/10.git"), "sha1", &[]);
    fs::create_dir(folder.path().join("git/11.git")).unwrap();
    let (found, events) = read(folder.path(), &ReadOptions::default());
    assert_eq!(found.len(), 4);
    let words: Vec<_> = events.iter().map(|(_, _, words)| &words[..]).collect();
    let no_commit =
        ["2", "10"].map(|number| format!("no commit in the repository \"git/{number}.git\""));
    assert_eq!(words[..2], no_commit);
    assert_eq!(codes(&events), ["box.left-out"; 5]);
}

#[test]
fn a_change_of_mode_is_no_new_message() {
    let path = |name: &str| tempfile::tempdir().unwrap().keep().join(name);
    let executable = |mut commit: Vec<crate::repositories::FileChange>| {
        commit.retain(|change| change.2.is_some());
        commit[0].1 = "100755";
        commit
    };
    let first = v2(&[('m', 0), ('m', 1)]);
    let v2 = [&first[..], &[executable(first[1].clone())]].concat();
    let v1 = vec![v1_add(0, 0), v1_add(1, 1), executable(v1_add(1, 1))];
    for commits in [v2, v1] {
        let path = path("a.git");
        create(&path, "sha1", &commits);
        let (found, events) = read(&path, &ReadOptions::default());
        assert_eq!(numbers(&found), [0, 1]);
        assert_eq!(events, []);
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}

#[test]
fn messages_above_the_limit_come_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.git");
    let large = [text(1), b"0123456789\n".repeat(20_000)].concat();
    let all = [
        text(0),
        large,
        text(2),
        b"no line end".to_vec(),
        Vec::new(),
        text(5),
    ];
    let add = |content: &Vec<u8>| vec![("m".to_owned(), "100644", Some(content.clone()))];
    create(&path, "sha1", &all.iter().map(add).collect::<Vec<_>>());
    let whole = read(&path, &ReadOptions::default());
    assert_eq!(contents(&whole.0), all);
    let options = ReadOptions {
        message_limit: 10_000,
        ..ReadOptions::default()
    };
    let (found, events) = read(&path, &options);
    assert_eq!(contents(&found), all);
    assert!(found[1].pieces > 20);
    assert_eq!(codes(&events), ["msg.too-large"]);
}

#[test]
fn other_repositories_are_no_mail() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("code.git");
    let file = |name: &str| vec![(name.to_owned(), "100644", Some(b"fn main() {}\n".to_vec()))];
    create(&source, "sha1", &[file("main.rs"), file("m")]);
    let nothing = folder.path().join("empty.git");
    create(&nothing, "sha1", &[]);
    fs::write(folder.path().join("1.eml"), b"Subject: x\n\n").unwrap();
    // A working tree with a file named m only.
    let work = folder.path().join("work");
    let mut clone = Command::new("git");
    clone
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["init", "-q"]);
    assert!(clone.arg(&work).status().unwrap().success());
    run(
        &work.join(".git"),
        &["symbolic-ref", "HEAD", "refs/heads/master"],
    );
    commit(&work.join(".git"), &[file("m")]);
    let found = recognize(folder.path()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].format, found[0].store), (Format::EmlTree, None));
    // An inbox in a folder of other mail is an archive of its own, and not part of the tree.
    create(&folder.path().join("list.git"), "sha1", &v2(&[('m', 0)]));
    let found = recognize(folder.path()).unwrap();
    assert_eq!(found.len(), 2);
    let mut tree = open(&found[0], &ReadOptions::default()).unwrap();
    let mut batch = mailglot_archive::Batch::default();
    while tree.next(&mut batch).unwrap() {
        assert!(
            batch
                .entries
                .iter()
                .all(|entry| !entry.name.starts_with(b"list.git"))
        );
    }
}

#[test]
fn a_new_commit_is_noticed_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.git");
    create(&path, "sha1", &v2(&[('m', 0), ('m', 1)]));
    let mut source = open(&store(&path), &ReadOptions::default()).unwrap();
    commit(&path, &v2(&[('m', 2)]));
    assert_eq!(run(&path, &["rev-list", "--count", "HEAD"]), "3");
    let (mut count, mut batch) = (0, mailglot_archive::Batch::default());
    while source.next(&mut batch).unwrap() {
        count += batch.entries.len();
    }
    assert_eq!(count, 2);
    assert!(source.changed().unwrap());
}

/// An inbox whose messages were all deleted has none, and names them.
#[test]
fn an_inbox_without_messages_names_the_deleted_ones() {
    let delete = |name: &str| vec![(name.to_owned(), "", None)];
    for commits in [
        vec![v1_add(1, 1), v1_add(2, 2), v1_remove(1), v1_remove(2)],
        [v2(&[('m', 1), ('d', 1)]), vec![delete("d")]].concat(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.git");
        create(&path, "sha1", &commits);
        assert_eq!(run(&path, &["ls-tree", "HEAD"]), "");
        let deleted = commits.len() / 2;
        let (found, events) = read(&path, &ReadOptions::default());
        assert_eq!(
            (found, codes(&events)),
            (vec![], vec!["box.left-out"; deleted])
        );
    }
}
