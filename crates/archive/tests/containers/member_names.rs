//! Names of members: encodings, names that lead elsewhere, and kinds of members that are not read.

use crate::mailboxes::{mbox, read};
use crate::writer::{TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter, crc, pax_record};
use mailglot_archive::{
    Input, LeftOut, NameDecoding, NameSystem, RecognizeOptions, recognize_with,
};
use std::fs;
use std::path::Path;

/// Reads an archive. Returns the archives and the events.
fn found(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, bytes).unwrap();
    let found = read(&path);
    assert_eq!(found.unread, Vec::<String>::new());
    // Nothing was written.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let archives = found
        .archives
        .iter()
        .map(|line| line.replace(" Mbox mboxo", ""));
    (archives.collect(), found.events)
}

#[test]
fn hostile_names_are_cleaned() {
    let long = "n".repeat(300) + ".mbox";
    let mail = mbox("x", 1);
    let names: [(&[u8], &str, &str); 7] = [
        (b"/abs/a.mbox", "abs/a.mbox", "has an absolute name"),
        (b"../../b.mbox", "b.mbox", "has \"..\" in its name"),
        (
            b"c\x1b[2J.mbox",
            "c_[2J.mbox",
            "has control characters in its name",
        ),
        (b"d.mbox", "d.mbox", ""),
        (b"d.mbox", "d-2.mbox", "has the name of another member"),
        (
            b"d.mbox/e.mbox",
            "d-3.mbox/e.mbox",
            "has the name of another member",
        ),
        (long.as_bytes(), "", "has a name that is too long"),
    ];
    let mut zip = ZipWriter::new(ZipStyle::default());
    let mut tar = TarWriter::new(TarStyle::Pax);
    for (name, _, _) in &names {
        zip.add(name, &mail);
        tar.add(name, &mail);
    }
    zip.add(b"nul\0.mbox", &mail);
    for bytes in [zip.finish(), tar.finish()] {
        let (archives, events) = found(&bytes);
        for (_, path, reason) in &names {
            assert!(
                path.is_empty() || archives.iter().any(|line| line.starts_with(path)),
                "{path} {archives:?}"
            );
            let event = events.iter().find(|event| {
                event.contains("box.member-name") && event.contains(reason) && event.contains(path)
            });
            assert!(reason.is_empty() || event.is_some(), "{path} {events:#?}");
        }
        assert!(
            archives
                .iter()
                .all(|line| line.len() < 300 && !line.contains(".."))
        );
        let is_zip = bytes.starts_with(b"PK");
        assert_eq!(archives.len(), names.len() + usize::from(is_zip));
        assert_eq!(
            archives.iter().any(|line| line.starts_with("nul_.mbox")),
            is_zip
        );
    }
}

#[test]
fn names_are_utf8_or_code_page_437() {
    let mail = mbox("x", 1);
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.add(b"Entw\x81rfe.mbox", &mail);
    zip.add("日本.mbox", &mail);
    let (archives, events) = found(&zip.finish());
    assert_eq!(archives.len(), 2);
    assert!(archives[0].starts_with("Entwürfe.mbox") && archives[1].starts_with("日本.mbox"));
    let event = "box.name-charset 0  names that do not say their charset, \
        read as IBM437, as the format says: 1, first Entwürfe.mbox";
    assert_eq!(events, [format!(" {event}")]);
    // Without a likely charset, the bytes of a tar archive stay as they are.
    let mut tar = TarWriter::new(TarStyle::Gnu);
    tar.add(b"Entw\xfcrfe.mbox", &mail);
    assert!(found(&tar.finish()).0[0].starts_with("Entw\u{fffd}rfe.mbox"));
}

#[test]
fn members_that_are_not_read_are_named() {
    let mail = mbox("x", 1);
    let mut zip = ZipWriter::new(ZipStyle::default());
    zip.add("good.mbox", &mail);
    let member = ZipMember::new(b"x.mbox", &mail, false);
    zip.member(&ZipMember {
        name: b"secret.mbox".to_vec(),
        flags: 1,
        ..member.clone()
    });
    zip.member(&ZipMember {
        name: b"lzma.mbox".to_vec(),
        method: 14,
        ..member.clone()
    });
    zip.member(&ZipMember {
        name: b"link.mbox".to_vec(),
        mode: 0o120_777,
        ..member.clone()
    });
    zip.member(&ZipMember {
        name: b"pipe.mbox".to_vec(),
        mode: 0o010_644,
        ..member
    });
    let (archives, events) = found(&zip.finish());
    assert!(
        archives.len() == 1 && archives[0].starts_with("good.mbox"),
        "{archives:?}"
    );
    let texts: Vec<_> = events
        .iter()
        .map(|event| event.rsplit("  ").next().unwrap())
        .collect();
    let wanted = [
        "symbolic link not followed: link.mbox",
        "compressed by method 14, left as it is: lzma.mbox",
        "special file not followed: pipe.mbox",
        "encrypted, left as it is: secret.mbox",
    ];
    assert_eq!(texts, wanted);

    let mut tar = TarWriter::new(TarStyle::Pax);
    tar.typed(b"link.mbox", b'2', b"");
    tar.typed(b"hard.mbox", b'1', b"");
    tar.typed(b"pipe.mbox", b'6', b"");
    tar.typed(b"disk.mbox", b'4', b"");
    tar.typed(b"sparse.mbox", b'S', &mail);
    tar.typed(b"label", b'V', b"");
    let record = [
        pax_record(b"GNU.sparse.major", b"1"),
        pax_record(b"path", b"s2.mbox"),
    ]
    .concat();
    tar.typed(b"PaxHeader", b'x', &record);
    tar.add("x", &mail);
    tar.add("good.mbox", &mail);
    let (archives, events) = found(&tar.finish());
    assert!(
        archives.len() == 1 && archives[0].starts_with("good.mbox"),
        "{archives:?}"
    );
    let texts: Vec<_> = events
        .iter()
        .map(|event| event.rsplit("  ").next().unwrap())
        .collect();
    let wanted = [
        "special file not followed: disk.mbox",
        "a hard link to a member that is not there, left as it is: hard.mbox",
        "of type \"V\", left as it is: label",
        "symbolic link not followed: link.mbox",
        "special file not followed: pipe.mbox",
        "a sparse file, left as it is: s2.mbox",
        "a sparse file, left as it is: sparse.mbox",
    ];
    assert_eq!(texts, wanted);
}

/// Decodes the names of a Japanese archive, as far as the tests need it.
const JAPANESE: NameDecoding = NameDecoding {
    choose: |sample, system| {
        assert_eq!(sample, b"\x95\x5c.mbox\na\\\x95\x5c.mbox\n");
        (system == NameSystem::Dos).then_some("Shift_JIS")
    },
    decode: |name, charset| {
        assert_eq!(charset, "Shift_JIS");
        let name = name.strip_suffix(b"\x95\x5c.mbox")?;
        Some(String::from_utf8_lossy(name).into_owned() + "表.mbox")
    },
};

/// Returns the paths in an archive from a system, and the details of its events.
fn japanese(system: u8) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.zip");
    let mut zip = ZipWriter::new(ZipStyle::default());
    let mut add = |name: &[u8], flags: u16, extra: Vec<u8>| {
        zip.member(&ZipMember {
            flags,
            extra,
            system,
            mode: 0,
            ..ZipMember::new(name, &mbox("x", 1), true)
        });
    };
    let unicode_path = |name: &[u8]| {
        let path = "本.mbox".as_bytes();
        let size = path.len() as u8 + 5;
        [b"up", &[size, 0, 1][..], &crc(name).to_le_bytes(), path].concat()
    };
    add(b"\x95\x5c.mbox", 0, Vec::new());
    add(b"a\\\x95\x5c.mbox", 0, Vec::new());
    add(b"b/\x95\x5c.mbox", 0, Vec::new());
    add("ü.mbox".as_bytes(), 1 << 11, Vec::new());
    add(b"\x96\x7b.mbox", 0, unicode_path(b"\x96\x7b.mbox"));
    fs::write(&path, zip.finish()).unwrap();
    let (inputs, events) = recognized(&path, JAPANESE);
    let names = inputs.iter().map(|input| below(&path, input));
    (names.collect(), events)
}

/// Recognizes an archive. Returns its inputs and the details of its events.
fn recognized(path: &Path, member_names: NameDecoding) -> (Vec<Input>, Vec<String>) {
    let options = RecognizeOptions {
        member_names,
        ..RecognizeOptions::default()
    };
    let mut events = Vec::new();
    let inputs = recognize_with(path, &options, &mut |left| {
        if let LeftOut::Noted(event) = left {
            events.push(event.detail.to_string());
        }
        Ok(())
    });
    (inputs.unwrap(), events)
}

/// Returns the name of an input within its archive.
fn below(archive: &Path, input: &Input) -> String {
    let below = input.path.strip_prefix(archive).unwrap();
    below.to_str().unwrap().to_owned()
}

/// Decodes names in Latin-1, if there is such a letter in them.
const LATIN: NameDecoding = NameDecoding {
    choose: |sample, system| {
        assert_eq!(
            (sample, system),
            (&b"Entw\xfcrfe.mbox\n\xe4\n"[..], NameSystem::Other)
        );
        Some("windows-1252")
    },
    decode: |name, _| {
        let text = name.iter().map(|byte| char::from(*byte));
        (!name.contains(&0xff)).then(|| text.collect())
    },
};

/// Names in pax records and other names that are UTF-8 stay.
#[test]
fn names_of_a_tar_that_are_not_utf8_are_read_in_the_charset_that_is_chosen() {
    let mail = mbox("x", 1);
    let long = [&b"Entw\xfcrfe.mbox/"[..], &b"long/".repeat(30), b"a.mbox"].concat();
    for style in [TarStyle::Gnu, TarStyle::Pax] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.tar");
        let mut tar = TarWriter::new(style);
        tar.add("日本/ü.mbox", &mail);
        tar.add(b"\xc3\xa9/Entw\xfcrfe.mbox", &mail);
        tar.add(b"\xe4/b.mbox", &mail);
        tar.link(b"\xe4/c.mbox", b'1', b"\xe4/b.mbox");
        tar.add(&long, &mail);
        tar.add("ascii.mbox", &mail);
        fs::write(&path, tar.finish()).unwrap();
        let (inputs, events) = recognized(&path, LATIN);
        let names: Vec<_> = inputs.iter().map(|input| below(&path, input)).collect();
        let deep = format!("Entwürfe.mbox/{}a.mbox", "long/".repeat(30));
        let wanted = [
            &deep,
            "ascii.mbox",
            "ä/b.mbox",
            "ä/c.mbox",
            "é/Entwürfe.mbox",
            "日本/ü.mbox",
        ];
        assert_eq!(names, wanted, "{style:?}");
        let event = "names that do not say their charset, read as windows-1252, a guess: 4, first é/Entwürfe.mbox";
        assert_eq!(events, [event], "{style:?}");
    }
}

#[test]
fn names_without_a_charset_are_read_in_the_one_that_is_chosen() {
    let names = ["a/表.mbox", "b/表.mbox", "ü.mbox", "本.mbox", "表.mbox"];
    let event = "names that do not say their charset, read as Shift_JIS, a guess: 3, first 表.mbox";
    assert_eq!(
        japanese(0),
        (names.map(String::from).to_vec(), vec![event.to_owned()])
    );
    // Without a choice they are in code page 437, and a backslash is one.
    let (names, events) = japanese(7);
    assert!(names.contains(&"b/ò\\.mbox".to_owned()), "{names:?}");
    assert!(
        events[0].contains("read as IBM437, as the format says: 3"),
        "{events:?}"
    );
}
