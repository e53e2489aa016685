//! Writes zip and tar archives for tests, good ones and such as no program writes.
//!
//! # Limits
//! Everything in memory.
#![allow(dead_code, reason = "each test program uses a part")]

use flate2::Crc;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How the members of a zip archive are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ZipStyle {
    pub(crate) is_stored: bool,
    /// All sizes and offsets in zip64 fields.
    pub is_zip64: bool,
    /// Sizes after the data, as in a stream.
    pub(crate) has_descriptors: bool,
}

/// A zip archive that is being written.
#[derive(Default)]
pub(crate) struct ZipWriter {
    pub(crate) bytes: Vec<u8>,
    central: Vec<u8>,
    members: u64,
    style: ZipStyle,
}

/// The fields of a member that a test may falsify.
#[derive(Clone, Debug)]
pub(crate) struct ZipMember {
    pub(crate) name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) stored: u64,
    pub(crate) size: u64,
    pub(crate) mode: u32,
    /// High byte of "version made by".
    pub(crate) system: u8,
    /// Extra fields beside those of the writer.
    pub(crate) extra: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

pub(crate) fn deflate(content: &[u8]) -> Vec<u8> {
    let mut out = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(content).unwrap();
    out.finish().unwrap()
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(content).unwrap();
    out.finish().unwrap()
}

pub(crate) fn crc(content: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(content);
    crc.sum()
}

impl ZipMember {
    pub(crate) fn new(name: &[u8], content: &[u8], is_stored: bool) -> Self {
        let data = if is_stored {
            content.to_vec()
        } else {
            deflate(content)
        };
        Self {
            name: name.to_vec(),
            flags: 0,
            method: if is_stored { 0 } else { 8 },
            crc: crc(content),
            stored: data.len() as u64,
            size: content.len() as u64,
            mode: 0o100_644,
            system: 3,
            extra: Vec::new(),
            data,
        }
    }
}

impl ZipWriter {
    pub(crate) fn new(style: ZipStyle) -> Self {
        Self {
            style,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, name: impl AsRef<[u8]>, content: &[u8]) {
        self.member(&ZipMember::new(
            name.as_ref(),
            content,
            self.style.is_stored,
        ));
    }

    /// Writes local header, data and central header.
    pub(crate) fn member(&mut self, member: &ZipMember) {
        let offset = self.bytes.len() as u64;
        let mut member = member.clone();
        if self.style.has_descriptors {
            member.flags |= 8;
        }
        let local = if self.style.has_descriptors {
            (0, 0, 0)
        } else {
            (member.crc, member.stored, member.size)
        };
        self.bytes.extend_from_slice(b"PK\x03\x04\x14\0");
        let fields = self.fields(&member, local, None);
        self.bytes.extend_from_slice(&fields.0);
        self.bytes.extend_from_slice(&fields.1);
        self.bytes.extend_from_slice(&member.data);
        if self.style.has_descriptors {
            self.bytes.extend_from_slice(b"PK\x07\x08");
            self.bytes.extend_from_slice(&member.crc.to_le_bytes());
            for size in [member.stored, member.size] {
                self.bytes.extend_from_slice(&(size as u32).to_le_bytes());
            }
        }
        self.central_header(&member, offset);
    }

    /// Writes a central header only.
    pub(crate) fn central_header(&mut self, member: &ZipMember, offset: u64) {
        self.members += 1;
        self.central.extend_from_slice(b"PK\x01\x02\x14");
        self.central.push(member.system);
        self.central.extend_from_slice(b"\x14\0");
        let sizes = (member.crc, member.stored, member.size);
        let (fixed, variable) = self.fields(member, sizes, Some(offset));
        self.central.extend_from_slice(&fixed);
        self.central.extend_from_slice(&[0; 6]);
        self.central
            .extend_from_slice(&(member.mode << 16).to_le_bytes());
        let offset = if self.style.is_zip64 {
            u32::MAX
        } else {
            offset as u32
        };
        self.central.extend_from_slice(&offset.to_le_bytes());
        self.central.extend_from_slice(&variable);
    }

    fn fields(
        &self,
        member: &ZipMember,
        (crc, stored, size): (u32, u64, u64),
        offset: Option<u64>,
    ) -> (Vec<u8>, Vec<u8>) {
        let mut fixed = Vec::new();
        fixed.extend_from_slice(&member.flags.to_le_bytes());
        fixed.extend_from_slice(&member.method.to_le_bytes());
        fixed.extend_from_slice(&[0; 4]);
        fixed.extend_from_slice(&crc.to_le_bytes());
        let mut extra = [b"UT\x01\0\0", &member.extra[..]].concat();
        if self.style.is_zip64 {
            fixed.extend_from_slice(&[0xff; 8]);
            let numbers: Vec<u64> = [size, stored].into_iter().chain(offset).collect();
            extra.extend_from_slice(&[1, 0, numbers.len() as u8 * 8, 0]);
            for number in numbers {
                extra.extend_from_slice(&number.to_le_bytes());
            }
        } else {
            fixed.extend_from_slice(&(stored as u32).to_le_bytes());
            fixed.extend_from_slice(&(size as u32).to_le_bytes());
        }
        fixed.extend_from_slice(&(member.name.len() as u16).to_le_bytes());
        fixed.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        (fixed, [&member.name[..], &extra].concat())
    }

    /// Writes the directory and the end record.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let start = self.bytes.len() as u64;
        let size = self.central.len() as u64;
        self.bytes.append(&mut self.central);
        if self.style.is_zip64 {
            let end = self.bytes.len() as u64;
            self.bytes
                .extend_from_slice(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0");
            for number in [self.members, self.members, size, start] {
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            self.bytes.extend_from_slice(b"PK\x06\x07\0\0\0\0");
            self.bytes.extend_from_slice(&end.to_le_bytes());
            self.bytes.extend_from_slice(&[1, 0, 0, 0]);
            self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
            self.bytes.extend_from_slice(&[0xff; 12]);
            self.bytes.extend_from_slice(&[0; 2]);
        } else {
            self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
            for _ in 0..2 {
                self.bytes
                    .extend_from_slice(&(self.members as u16).to_le_bytes());
            }
            self.bytes.extend_from_slice(&(size as u32).to_le_bytes());
            self.bytes.extend_from_slice(&(start as u32).to_le_bytes());
            self.bytes.extend_from_slice(&[0; 2]);
        }
        self.bytes
    }
}

/// How long names are written in a tar archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TarStyle {
    Ustar,
    Gnu,
    Pax,
}

/// A tar archive that is being written.
pub(crate) struct TarWriter {
    pub(crate) bytes: Vec<u8>,
    style: TarStyle,
}

impl TarWriter {
    pub(crate) fn new(style: TarStyle) -> Self {
        Self {
            bytes: Vec::new(),
            style,
        }
    }

    pub(crate) fn add(&mut self, name: impl AsRef<[u8]>, content: &[u8]) {
        self.typed(name.as_ref(), b'0', content);
    }

    /// Writes a member with the letter of its type.
    pub(crate) fn typed(&mut self, name: &[u8], letter: u8, content: &[u8]) {
        match self.style {
            TarStyle::Gnu if name.len() > 100 => {
                self.header(b"././@LongLink", b'L', name.len() as u64 + 1);
                self.content(&[name, b"\0"].concat());
            }
            TarStyle::Pax if name.len() > 100 || !name.is_ascii() => {
                let record = pax_record(b"path", name);
                self.header(b"PaxHeader", b'x', record.len() as u64);
                self.content(&record);
            }
            _ => {}
        }
        self.header(name, letter, content.len() as u64);
        self.content(content);
    }

    /// Writes a header block.
    pub(crate) fn header(&mut self, name: &[u8], letter: u8, size: u64) {
        let mut block = [0; 512];
        let (mut prefix, mut own) = (&b""[..], name);
        if name.len() > 100 && self.style == TarStyle::Ustar {
            let slash = (0..name.len()).find(|&at| name[at] == b'/' && name.len() - at <= 101);
            let slash = slash.expect("a slash in a long name");
            (prefix, own) = (&name[..slash], &name[slash + 1..]);
        }
        let own = &own[..own.len().min(100)];
        block[..own.len()].copy_from_slice(own);
        block[100..108].copy_from_slice(b"0000644\0");
        block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        block[156] = letter;
        let magic: &[u8] = if self.style == TarStyle::Gnu {
            b"ustar  \0"
        } else {
            b"ustar\x0000"
        };
        block[257..257 + magic.len()].copy_from_slice(magic);
        block[345..345 + prefix.len()].copy_from_slice(prefix);
        self.bytes.extend_from_slice(&with_checksum(block));
    }

    /// Writes a link. The target of more than 100 bytes stands in an extended header.
    pub(crate) fn link(&mut self, name: &[u8], letter: u8, target: &[u8]) {
        if target.len() > 100 {
            let (own, letter, text) = match self.style {
                TarStyle::Gnu => (&b"././@LongLink"[..], b'K', [target, b"\0"].concat()),
                _ => (&b"PaxHeader"[..], b'x', pax_record(b"linkpath", target)),
            };
            self.header(own, letter, text.len() as u64);
            self.content(&text);
        }
        let start = self.bytes.len();
        self.header(name, letter, 0);
        let mut block: [u8; 512] = self.bytes[start..].try_into().unwrap();
        let field = &target[..target.len().min(100)];
        block[157..157 + field.len()].copy_from_slice(field);
        self.bytes[start..].copy_from_slice(&with_checksum(block));
    }

    pub(crate) fn content(&mut self, content: &[u8]) {
        self.bytes.extend_from_slice(content);
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len() + 1024, 0);
        self.bytes
    }
}

/// Returns a header block with its checksum.
pub(crate) fn with_checksum(mut block: [u8; 512]) -> [u8; 512] {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Returns a record of an extended header.
pub(crate) fn pax_record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let rest = [b" ", key, b"=", value, b"\n"].concat();
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    [length.to_string().as_bytes(), &rest].concat()
}

/// Returns the files and folders below a folder: names, and contents of files.
pub(crate) fn files_of(folder: &Path) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let (mut files, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = waiting.pop() {
        let mut entries: Vec<_> = fs::read_dir(&next)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .as_os_str()
                .as_bytes()
                .to_vec();
            if path.is_dir() {
                files.push(([&name[..], b"/"].concat(), None));
                waiting.push(path);
            } else {
                files.push((name, Some(fs::read(&path).unwrap())));
            }
        }
    }
    files
}

/// Writes the files below a folder to a zip archive.
pub(crate) fn zip_of(folder: &Path, style: ZipStyle) -> Vec<u8> {
    let mut zip = ZipWriter::new(style);
    for (name, content) in files_of(folder) {
        zip.add(&name, &content.unwrap_or_default());
    }
    zip.finish()
}

/// Writes the files below a folder to a tar archive.
pub(crate) fn tar_of(folder: &Path, style: TarStyle) -> Vec<u8> {
    let mut tar = TarWriter::new(style);
    for (name, content) in files_of(folder) {
        match content {
            Some(content) => tar.add(&name, &content),
            None => tar.typed(&name, b'5', b""),
        }
    }
    tar.finish()
}
