//! Tests that read zip and tar archives as folders: the same mail as on a disk, and damaged, lying and hostile archives.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bombs;
mod classification;
mod damage;
mod joined;
mod mailboxes;
mod member_names;
mod member_types;
mod writer;

use crate::mailboxes::{mbox, read, write_folder};
use crate::writer::{TarStyle, ZipStyle, ZipWriter, gzip, tar_of, zip_of};
use lz4_flex::frame::FrameEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use mailglot_archive::{Batch, Input, ReadOptions, open, recognize};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Every form in which a folder can be packed.
fn forms(folder: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let style = ZipStyle::default();
    let tar = tar_of(folder, TarStyle::Ustar);
    let mut nested = ZipWriter::new(style);
    nested.add("t.tar.gz", &gzip(&tar));
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&tar).unwrap();
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    xz.write_all(&tar).unwrap();
    let mut lz4 = FrameEncoder::new(Vec::new());
    lz4.write_all(&tar).unwrap();
    vec![
        ("deflated.zip", zip_of(folder, style)),
        (
            "stored.zip",
            zip_of(
                folder,
                ZipStyle {
                    is_stored: true,
                    ..style
                },
            ),
        ),
        (
            "zip64.zip",
            zip_of(
                folder,
                ZipStyle {
                    is_zip64: true,
                    ..style
                },
            ),
        ),
        (
            "streamed.zip",
            zip_of(
                folder,
                ZipStyle {
                    has_descriptors: true,
                    ..style
                },
            ),
        ),
        ("gnu.tar", tar_of(folder, TarStyle::Gnu)),
        ("pax.tar", tar_of(folder, TarStyle::Pax)),
        ("t.tar.gz", gzip(&tar)),
        ("t.tar.zst", zstd::bulk::compress(&tar, 1).unwrap()),
        ("t.tar.bz2", bzip2.finish().unwrap()),
        ("t.tar.xz", xz.finish().unwrap()),
        ("t.tar.lz4", lz4.finish().unwrap()),
        (
            "extracting.zip",
            [b"MZ a program\n".repeat(100), zip_of(folder, style)].concat(),
        ),
        (
            "followed.zip",
            [zip_of(folder, style), b"\0 and more".repeat(1000)].concat(),
        ),
        ("ustar.tar", tar),
    ]
}

#[test]
fn a_container_reads_like_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    write_folder(&folder);
    let wanted = read(&folder);
    assert_eq!(wanted.archives.len(), 6, "{:#?}", wanted.archives);
    assert!(wanted.unread.is_empty());
    for (name, bytes) in forms(&folder) {
        let path = root.path().join(name);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path), wanted, "{name}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn containers_below_a_folder_and_in_each_other_are_searched() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    write_folder(&folder);
    let tar = tar_of(&folder, TarStyle::Pax);
    let mut photos = ZipWriter::new(ZipStyle::default());
    photos.add("1.jpg", b"\xff\xd8\xff\xe0");
    photos.add("2.jpg", b"\xff\xd8\xff\xe0");
    let mut outer = ZipWriter::new(ZipStyle::default());
    outer.add("b/inner.tar.gz", &gzip(&tar));
    outer.add("x.mbox", &mbox("x", 2));
    outer.add("photos.zip", &photos.finish());
    let mut stored = ZipWriter::new(ZipStyle {
        is_stored: true,
        ..ZipStyle::default()
    });
    stored.add("outer.zip", &outer.finish());
    let all = root.path().join("all");
    fs::create_dir(&all).unwrap();
    fs::write(all.join("stored.zip"), stored.finish()).unwrap();
    fs::write(all.join("own.eml"), b"Subject: own\n\n").unwrap();
    let found = read(&all);
    let single = read(&folder);
    let names: Vec<_> = found
        .archives
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(names[0], "");
    assert_eq!(names[1], "stored.zip/outer.zip/b/inner.tar.gz");
    assert_eq!(names.last().unwrap(), &"stored.zip/outer.zip/x.mbox");
    assert_eq!(names.len(), single.archives.len() + 2);
    // One event for an archive without mail, not one for each photo.
    let photos = "not mail; neither output nor ledger has it: stored.zip/outer.zip/photos.zip";
    assert_eq!(
        found
            .events
            .iter()
            .filter(|event| event.contains("photos"))
            .count(),
        1
    );
    assert!(
        found.events.iter().any(|event| event.ends_with(photos)),
        "{:#?}",
        found.events
    );
}

#[test]
fn a_container_without_mail_stays_in_a_tree_of_messages() {
    let root = tempfile::tempdir().unwrap();
    let mut photos = ZipWriter::new(ZipStyle::default());
    photos.add("1.jpg", b"\xff\xd8\xff\xe0");
    let photos = photos.finish();
    fs::write(root.path().join("a.eml"), b"Subject: a\n\n").unwrap();
    fs::write(root.path().join("photos.zip"), &photos).unwrap();
    let found = read(root.path());
    assert_eq!(found.archives.len(), 1);
    assert!(found.bytes.ends_with(&photos), "kept for the ledger");
    assert_eq!(
        found.events,
        [" box.no-mail 0  not mail, left out: photos.zip"]
    );
    // Without the search before it, the reader of the tree searches the archive itself.
    let tree = Input::on_disk(root.path(), mailglot_archive::Format::EmlTree);
    let mut source = open(&tree, &ReadOptions::default()).unwrap();
    let mut batch = Batch::default();
    assert!(source.next(&mut batch).unwrap());
    assert_eq!(batch.entries.len(), 2);
}

#[test]
fn containers_are_opened_four_deep() {
    let root = tempfile::tempdir().unwrap();
    let mut inner = mbox("deep", 1);
    let mut name = "a.mbox".to_owned();
    for depth in 1..=5 {
        let mut zip = ZipWriter::new(ZipStyle {
            is_stored: depth % 2 == 0,
            ..ZipStyle::default()
        });
        zip.add(&name, &inner);
        inner = zip.finish();
        name = format!("{depth}.zip");
        let path = root.path().join(&name);
        fs::write(&path, &inner).unwrap();
        let found = read(&path);
        assert_eq!(found.archives.len(), usize::from(depth <= 4), "{depth}");
        if depth == 5 {
            let skipped = " box.member-skipped 0  inside too many archives, left as it is: 4.zip/3.zip/2.zip/1.zip";
            assert_eq!(found.events, [skipped]);
        }
    }
}

#[test]
fn empty_containers_are_empty_trees() {
    let root = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.zip", ZipWriter::default().finish()),
        (
            "b.zip",
            ZipWriter::new(ZipStyle {
                is_zip64: true,
                ..ZipStyle::default()
            })
            .finish(),
        ),
        (
            "c.tar.gz",
            gzip(&{
                let mut tar = writer::TarWriter::new(TarStyle::Ustar);
                tar.typed(b"./", b'5', b"");
                tar.finish()
            }),
        ),
    ] {
        let path = root.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path).archives, [" EmlTree eml tree"], "{name}");
    }
}

#[test]
fn a_path_leads_into_a_container() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    write_folder(&folder);
    let mut outer = ZipWriter::new(ZipStyle::default());
    outer.add("in/t.tar.gz", &gzip(&tar_of(&folder, TarStyle::Gnu)));
    let path = root.path().join("o.zip");
    fs::write(&path, outer.finish()).unwrap();
    for below in [
        "eml",
        "Maildir",
        "inbox",
        "old/2001.mbox.gz",
        "old",
        "eml/b.eml",
    ] {
        let inside = read(&path.join("in/t.tar.gz").join(below));
        assert_eq!(inside, read(&folder.join(below)), "{below}");
        assert_eq!(inside.archives.len(), 1);
    }
    for nowhere in ["in/x", "in/t.tar.gz/x", "in/t.tar.gz/inbox/x"] {
        let error = recognize(&path.join(nowhere)).unwrap_err();
        assert_eq!(
            error.io_kind(),
            std::io::ErrorKind::NotADirectory,
            "{nowhere}"
        );
    }
}

#[test]
fn a_change_of_the_container_is_noticed() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    write_folder(&folder);
    let path = root.path().join("t");
    for bytes in [
        zip_of(&folder, ZipStyle::default()),
        tar_of(&folder, TarStyle::Ustar),
        gzip(&tar_of(&folder, TarStyle::Ustar)),
    ] {
        fs::write(&path, &bytes).unwrap();
        let inputs = recognize(&path).unwrap();
        for input in &inputs {
            fs::write(&path, &bytes).unwrap();
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(modified + std::time::Duration::from_secs(1))
                .unwrap();
            // Either the opening, or the question afterwards, notices it.
            if let Ok(source) = open(input, &ReadOptions::default()) {
                assert!(source.changed().unwrap(), "{}", input.path.display());
            }
        }
    }
}

#[test]
fn many_containers_keep_few_files_open() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for number in 0..100 {
        let mut tar = writer::TarWriter::new(TarStyle::Gnu);
        tar.add("a.mbox", &mbox(&number.to_string(), 1));
        fs::write(folder.join(format!("{number:03}.tgz")), gzip(&tar.finish())).unwrap();
    }
    let open_files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open_files();
    let inputs = recognize(&folder).unwrap();
    assert_eq!(inputs.len(), 100);
    assert!(open_files() < before + 60, "{} {}", before, open_files());
    // Those that were closed are decompressed again.
    for (number, input) in inputs.iter().enumerate() {
        let mut source = open(input, &ReadOptions::default()).unwrap();
        let mut batch = Batch::default();
        assert!(source.next(&mut batch).unwrap());
        assert_eq!(batch.bytes, mbox(&number.to_string(), 1));
    }
}
