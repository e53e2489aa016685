//! Members that are neither plain files nor plain folders: hard links, sparse files, folders with content, and very many.

use crate::mailboxes::{Found, mbox, read};
use crate::writer::{TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter, with_checksum};
use mailglot_archive::{BoxEventKind, LeftOut, RecognizeOptions, recognize_with};
use std::fs;

fn read_bytes(bytes: &[u8]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, bytes).unwrap();
    read(&path)
}

/// A git repository may be a public-inbox, and git reads no archives.
#[test]
fn a_git_repository_must_be_unpacked() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("list.tar");
    let repository = |prefix: &str| {
        let mut tar = TarWriter::new(TarStyle::Gnu);
        tar.add(format!("{prefix}HEAD"), b"ref: refs/heads/master\n");
        tar.add(format!("{prefix}objects/ab/cd"), b"x");
        tar
    };
    let words =
        |name: &str| format!("a git repository that must be unpacked, left as it is: {name}");
    for (prefix, name) in [("git/0.git/", "git/0.git"), ("", "list.tar")] {
        fs::write(&path, repository(prefix).finish()).unwrap();
        let found = read(&path);
        assert_eq!(found.archives, Vec::<String>::new());
        let expected = format!(" box.member-skipped 0  {}", words(name));
        assert_eq!(found.events, [expected], "{name}");
    }
    // The folder of a working tree is no inbox, and other mail is read.
    let mut tar = repository("code/.git/");
    tar.add("a.mbox", &mbox("a", 2));
    fs::write(&path, tar.finish()).unwrap();
    let found = read(&path);
    assert_eq!(found.archives.len(), 1);
    assert!(
        found
            .events
            .iter()
            .all(|event| event.contains("box.no-mail")),
        "{:?}",
        found.events
    );
}

/// A repository without `HEAD` may be an inbox, too. Its files give no other events, and mail beside them is read.
#[test]
fn a_damaged_git_repository_must_be_unpacked() {
    let object = format!("objects/ab/{}", "c".repeat(38));
    let words = "a git repository that must be unpacked, left as it is: 0.git";
    let expected = format!(" box.member-skipped 0  {words}");
    for (files, count) in [
        (vec!["HEAD", "config", "hooks/update.sample", &object], 3),
        (
            vec!["config", "refs/heads/master", "objects/pack/pack-1.pack"],
            3,
        ),
        (vec!["HEAD", "packed-refs", "refs/heads/master"], 3),
        // Objects alone may lie beside mail.
        (vec![&object], 3),
        // Folders of mail.
        (vec!["objects/1.eml", "refs/1.eml"], 5),
    ] {
        let mut tar = TarWriter::new(TarStyle::Gnu);
        for name in &files {
            tar.add(format!("0.git/{name}"), b"Subject: x\n\nb\n");
        }
        for name in ["0.git/b.eml", "c.eml", "0.git/sub/d.eml"] {
            tar.add(name, b"Subject: x\n\nb\n");
        }
        let found = read_bytes(&tar.finish());
        let is_message = |entry: &&String| entry.contains("Message");
        let messages = found.entries.iter().filter(is_message).count();
        assert_eq!(messages, count, "{files:?}: {:?}", found.entries);
        let mut events = found.events;
        events.retain(|event| !event.contains("box.no-mail") || files.len() > 1);
        let skipped = if count == 5 {
            vec![]
        } else {
            vec![expected.clone()]
        };
        assert_eq!(events, skipped, "{files:?}");
    }
    // A tree that has nothing of the repository.
    let mut tar = TarWriter::new(TarStyle::Gnu);
    for name in ["0.git/HEAD", "0.git/config", &format!("0.git/{object}")] {
        tar.add(name, b"x");
    }
    tar.add("c.eml", b"Subject: x\n\nb\n");
    let found = read_bytes(&tar.finish());
    assert_eq!(found.events, [expected]);
    assert!(
        !found.entries.iter().any(|entry| entry.contains("0.git")),
        "{:?}",
        found.entries
    );
}

#[test]
fn hard_links_of_a_tar_are_read_like_the_member() {
    let long = "long/".repeat(30) + "1.eml";
    for style in [TarStyle::Ustar, TarStyle::Gnu, TarStyle::Pax] {
        for name in ["Maildir/cur/1.host:2,S", &long] {
            if style == TarStyle::Ustar && name == long {
                continue;
            }
            let mut tar = TarWriter::new(style);
            tar.add(name, b"Subject: one\n\n1\n");
            tar.link(b"b/cur/2.host:2,S", b'1', name.as_bytes());
            tar.typed(b"b/new/", b'5', b"");
            tar.link(b"a.mbox", b'1', b"later.mbox");
            tar.add("later.mbox", &mbox("later", 1));
            let found = read_bytes(&tar.finish());
            let copies = memchr::memmem::find_iter(&found.bytes, b"Subject: one").count();
            assert_eq!(copies, 2, "{style:?}");
            let words = "a hard link to a member that is not there, left as it is: a.mbox";
            assert!(
                found.events.iter().any(|event| event.ends_with(words)),
                "{:?}",
                found.events
            );
        }
    }
}

#[test]
fn hard_links_of_a_tar_are_limited() {
    let mut tar = TarWriter::new(TarStyle::Gnu);
    tar.add("0.mbox", &mbox("x", 20_000));
    for number in 1..=300 {
        tar.link(format!("{number}.mbox").as_bytes(), b'1', b"0.mbox");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.tar");
    fs::write(&path, tar.finish()).unwrap();
    let mut skipped = 0;
    let options = RecognizeOptions {
        max_expansion: 100,
        ..RecognizeOptions::default()
    };
    let found = recognize_with(&path, &options, &mut |left| {
        if let LeftOut::Noted(event) = left {
            assert_eq!(event.kind, BoxEventKind::Expansion);
            assert!(event.detail.to_string().contains("beyond --max-expansion"));
            skipped += 1;
        }
        Ok(())
    });
    let read = found.unwrap().len();
    assert!(
        (100..150).contains(&read) && read + skipped == 301,
        "{read}"
    );
}

#[test]
fn a_folder_with_content_is_a_file() {
    let mail = mbox("x", 1);
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.add("a/", &mail);
    zip.member(&ZipMember {
        mode: 0o040_755,
        ..ZipMember::new(b"b", &mail, true)
    });
    // Some programs deflate nothing.
    zip.add("c/", b"");
    let mut tar = TarWriter::new(TarStyle::Gnu);
    tar.add("a/", &mail);
    tar.add("b", &mail);
    tar.add("c/", b"");
    for bytes in [zip.finish(), tar.finish()] {
        let found = read_bytes(&bytes);
        assert_eq!(found.archives, ["a Mbox mbox", "b Mbox mbox"]);
        assert_eq!(found.bytes, mail.repeat(2));
        assert!(found.events.is_empty(), "{:?}", found.events);
    }
}

#[test]
fn the_map_of_a_sparse_file_is_skipped() {
    let mut tar = TarWriter::new(TarStyle::Gnu);
    tar.header(b"sparse", b'S', 1000);
    let mut block: [u8; 512] = tar.bytes[..].try_into().unwrap();
    block[482] = 1;
    tar.bytes = with_checksum(block).to_vec();
    let mut map = [b'7'; 512];
    map[504] = 1;
    tar.bytes.extend_from_slice(&map);
    map[504] = 0;
    tar.bytes.extend_from_slice(&map);
    tar.content(&[b'x'; 1000]);
    tar.add("a.mbox", &mbox("a", 1));
    let found = read_bytes(&tar.finish());
    assert_eq!(found.bytes, mbox("a", 1));
    let words = " box.member-skipped 0  a sparse file, left as it is: sparse";
    assert_eq!(found.events, [words]);
}

#[test]
fn members_of_containers_in_each_other_are_limited_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mut outer = ZipWriter::new(ZipStyle::default());
    for inner in 0..2 {
        let mut zip = ZipWriter::new(ZipStyle::default());
        zip.add("a.mbox", &mbox("a", 1));
        let empty = ZipMember::new(b"", b"", true);
        for number in 0..600_000u32 {
            let name = format!("{number}/").into();
            zip.central_header(
                &ZipMember {
                    name,
                    ..empty.clone()
                },
                0,
            );
        }
        outer.add(format!("{inner}.zip"), &zip.finish());
    }
    fs::write(&path, outer.finish()).unwrap();
    let mut limits = 0;
    let found = recognize_with(&path, &RecognizeOptions::default(), &mut |left| {
        if let LeftOut::Noted(event) = left {
            limits += usize::from(event.kind == BoxEventKind::MemberLimit);
        }
        Ok(())
    });
    assert_eq!((found.unwrap().len(), limits), (2, 1));
}

#[test]
fn events_about_links_are_limited() {
    for (name, content) in [
        ("a.mbox", mbox("a", 1)),
        ("a.eml", b"Subject: a\n\n".to_vec()),
    ] {
        let mut tar = TarWriter::new(TarStyle::Gnu);
        tar.add(name, &content);
        for number in 0..10_010 {
            tar.link(format!("{number}").as_bytes(), b'2', b"x");
        }
        let found = read_bytes(&tar.finish());
        assert_eq!(found.events.len(), 10_001, "{name}");
        let more = "further members with events are not listed";
        assert!(found.events.iter().any(|event| event.ends_with(more)));
    }
}
