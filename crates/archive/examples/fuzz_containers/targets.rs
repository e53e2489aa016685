//! What is fuzzed, and the laws that each input must keep.
//!
//! # Limits
//! Archives of a few kilobytes.

use crate::dbx_writer::{DbxFile, DbxMessage};
use crate::writer::{
    TarStyle, TarWriter, ZipMember, ZipStyle, ZipWriter, gzip, pax_record, with_checksum,
};
use mailglot_archive::{
    Batch, Error, LeftOut, ReadOptions, RecognizeOptions, open, read_git_output, recognize_with,
};
use mailglot_fuzz::{Random, Target, fold, size};
use std::cell::RefCell;
use std::fs;
use std::path::{Component, Path};

/// One kind of archive to fuzz.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContainerTarget {
    Zip,
    Tar,
    Packed,
    /// A file of Outlook Express.
    Dbx,
    /// What `git` writes for a public-inbox.
    Git,
}

const MAIL: &[u8] = b"From a@b.c Mon Jan  1 00:00:00 2001\nFrom: a@b.c\nSubject: s\n\nb\n\n";

/// Marks, numbers and names that readers of archives trip over.
const TOKENS: [&[u8]; 30] = [
    b"PK\x01\x02",
    b"PK\x03\x04",
    b"PK\x05\x06\0\0\0\0",
    b"PK\x06\x06",
    b"PK\x06\x07",
    b"PK\x07\x08",
    b"\xff\xff\xff\xff",
    b"\xff\xff",
    b"\0\0\0\0\0\0\0\0",
    b"\x01\0\x18\0\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x08\0",
    b"\x09\0",
    b"../",
    b"/",
    b".mbox",
    b".eml",
    b"cur/",
    b"ustar\x0000",
    b"ustar  \0",
    b"77777777777\0",
    b"\x80\0\0\0\0\0\0\x01\0\0\0\0",
    b"11 path=a/b\n",
    b"19 size=9999999999\n",
    b"L",
    b"\x10\0\0\0\0\x02\0\0",
    b"\xbc\x24\0\0",
    b" blob 3\n",
    b" missing\n",
    b":100644 100644 ",
    b"\nend\n",
];

impl Target for ContainerTarget {
    fn all() -> Vec<Self> {
        vec![Self::Zip, Self::Tar, Self::Packed, Self::Dbx, Self::Git]
    }

    fn name(self) -> String {
        let name = match self {
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Packed => "packed",
            Self::Dbx => "dbx",
            Self::Git => "git",
        };
        name.to_owned()
    }

    fn longest(self) -> usize {
        match self {
            // The header alone has 9 KiB.
            Self::Dbx => 24 << 10,
            _ => 8 << 10,
        }
    }

    fn token(self, number: usize) -> &'static [u8] {
        TOKENS[number % TOKENS.len()]
    }

    fn seeds(self) -> Vec<Vec<u8>> {
        match self {
            Self::Zip => zips(),
            Self::Tar => tars(),
            Self::Packed => tars().iter().map(|tar| gzip(tar)).collect(),
            Self::Dbx => dbx_files(),
            Self::Git => git_outputs(),
        }
    }

    fn laws(self, input: &[u8], random: &mut Random) -> Result<u64, String> {
        if matches!(self, Self::Git) {
            let (objects, changes) = read_git_output(input);
            let most = input.len() as u64;
            if objects > most || changes > most {
                return Err(format!("{objects} objects, {changes} changes"));
            }
            return Ok(fold(size(objects), &size(changes).to_le_bytes()));
        }
        let mut bytes = input.to_vec();
        if matches!(self, Self::Tar) && random.below(2) == 0 {
            correct_checksums(&mut bytes);
        }
        thread_local! {
            static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
        }
        FOLDER.with_borrow_mut(|folder| {
            let folder = folder.get_or_insert_with(|| tempfile::tempdir().unwrap());
            let path = folder.path().join("t.zip");
            fs::write(&path, &bytes).unwrap();
            let first = read(&path)?;
            let second = read(&path)?;
            if first != second {
                return Err("the second reading differs".to_owned());
            }
            if first.bytes.len() > 2000 * bytes.len() + (1 << 20) {
                return Err(format!("{} bytes of {}", first.bytes.len(), bytes.len()));
            }
            if fs::read_dir(folder.path()).unwrap().count() != 1 {
                return Err("something was written".to_owned());
            }
            let kinds = first
                .kinds
                .iter()
                .fold(0, |hash, kind| fold(hash, kind.as_bytes()));
            let lengths = [first.archives as u64, size(first.bytes.len() as u64)];
            Ok(lengths
                .iter()
                .fold(kinds, |hash, length| fold(hash, &length.to_le_bytes())))
        })
    }
}

/// What is found in an archive.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    archives: usize,
    bytes: Vec<u8>,
    /// Codes of the events.
    kinds: Vec<&'static str>,
}

/// Reads everything at a path, and checks the paths of what is found.
fn read(path: &Path) -> Result<Found, String> {
    let mut found = Found::default();
    let mut kinds = Vec::new();
    let options = RecognizeOptions::default();
    let inputs = recognize_with(path, &options, &mut |left| {
        if let LeftOut::Noted(event) = left {
            let _ = event.detail.to_string();
            kinds.push(event.kind.code());
        }
        Ok(())
    });
    found.kinds = kinds;
    // An input of another kind.
    let Ok(inputs) = inputs else {
        return Ok(found);
    };
    for input in inputs {
        let below = input
            .path
            .strip_prefix(path)
            .map_err(|_| "a path outside")?;
        if !below
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(format!("the path {}", below.display()));
        }
        found.archives += 1;
        let read = drain(&input, &mut found);
        found.kinds.extend(read.err().map(|_| "error"));
    }
    Ok(found)
}

fn drain(input: &mailglot_archive::Input, found: &mut Found) -> Result<(), Error> {
    let mut source = open(input, &ReadOptions::default())?;
    let mut batch = Batch::default();
    while source.next(&mut batch)? {
        found.bytes.extend_from_slice(&batch.bytes);
        let kinds = batch.events.iter().map(|event| event.kind.code());
        found.kinds.extend(kinds);
    }
    Ok(())
}

/// Corrects the checksum of each header block.
fn correct_checksums(bytes: &mut [u8]) {
    for block in bytes.as_chunks_mut::<512>().0 {
        if &block[257..262] == b"ustar" {
            *block = with_checksum(*block);
        }
    }
}

fn zips() -> Vec<Vec<u8>> {
    let style = ZipStyle::default();
    let styles = [
        style,
        ZipStyle {
            is_stored: true,
            ..style
        },
        ZipStyle {
            is_zip64: true,
            ..style
        },
        ZipStyle {
            has_descriptors: true,
            ..style
        },
    ];
    let mut zips: Vec<_> = styles
        .into_iter()
        .map(|style| {
            let mut zip = ZipWriter::new(style);
            zip.add("d/a.mbox", MAIL);
            zip.add("e/1.eml", &MAIL[36..]);
            zip.member(&ZipMember {
                flags: 1,
                ..ZipMember::new(b"x", b"x", true)
            });
            zip.finish()
        })
        .collect();
    let mut outer = ZipWriter::new(style);
    outer.add("in.zip", &zips[0]);
    zips.push(outer.finish());
    zips
}

fn tars() -> Vec<Vec<u8>> {
    let styles = [TarStyle::Ustar, TarStyle::Gnu, TarStyle::Pax];
    let tar = |style| {
        let mut tar = TarWriter::new(style);
        tar.add("long/".repeat(25) + "a.mbox", MAIL);
        tar.typed(b"l", b'2', b"");
        tar.add("e/1.eml", &MAIL[36..]);
        tar.typed(b"PaxHeader", b'x', &pax_record(b"size", b"60"));
        tar.add("b.mbox", MAIL);
        tar.finish()
    };
    styles.into_iter().map(tar).collect()
}

fn dbx_files() -> Vec<Vec<u8>> {
    let messages = [&MAIL[36..], &MAIL.repeat(20)[36..], b"Subject: x\n\n"].map(DbxMessage::new);
    let file = |per_node| DbxFile::of(&messages, per_node).bytes;
    vec![file(1), file(3)]
}

fn git_outputs() -> Vec<Vec<u8>> {
    let (a, b) = ("a".repeat(40), "b".repeat(40));
    let objects = format!("{a} blob 3\nabc\n{b} missing\n{a} tree 0\n\n");
    let changes =
        format!("{a} {b}\n:000000 100644 {a} {b} A\0m\0:100644 000000 {a} {b} D\0d\0end\n");
    vec![objects.into_bytes(), changes.into_bytes()]
}
