//! Reads the central directory of a zip archive.
//!
//! # Limits
//! Ignores the declared number of members if the directory has more, since that number overflows in some writers.

use std::collections::HashSet;
use std::io::{self, BufReader, Read};

use super::local_headers::list_others;
use super::member_header::{
    LOCAL, MemberHeader, SPANNED, read_unicode_path, read_zip64, u16_at, u32_at, u64_at,
};
use super::unmarked_names::{UnmarkedNames, add_name};
use crate::box_event::{BoxDetail, BoxEventKind, ContainerDefect};
use crate::container::member_index::MemberIndexBuilder;
use crate::container::name_decoding::NameSystem;
use crate::container::name_sample::NameSample;
use crate::file_range::FileRange;

/// Number of bytes at the end in which the end record is searched: it, its comment, and as many other bytes.
const TAIL: u64 = 128 << 10;
/// The end record, its zip64 locator and record, and a central header: first bytes and size without variable fields.
const END: ([u8; 4], usize) = (*b"PK\x05\x06", 22);
const LOCATOR: ([u8; 4], u64) = (*b"PK\x06\x07", 20);
const END64: ([u8; 4], u64) = (*b"PK\x06\x06", 56);
const CENTRAL: ([u8; 4], usize) = (*b"PK\x01\x02", 46);

/// Where a central directory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    start: u64,
    size: u64,
    /// Number of bytes before the archive, such as a program that extracts it. Offsets do not count them.
    before: u64,
    /// Declared number of members.
    members: u64,
}

/// Returns true if a file ends with a central directory.
pub(in crate::container) fn has_directory(content: &FileRange) -> io::Result<bool> {
    find(content).map(|found| found.is_some())
}

/// Finds the directory by the last end record that fits to one.
///
/// Returns `None` for the directory of an archive inside a truncated one, or behind another: it does not list the first members.
pub(super) fn find(content: &FileRange) -> io::Result<Option<Directory>> {
    let start = content.len().saturating_sub(TAIL);
    let mut tail = vec![0; (content.len() - start) as usize];
    let filled = content.read_at(start, &mut tail)?;
    tail.truncate(filled);
    for at in memchr::memmem::rfind_iter(&tail, &END.0) {
        if tail.len() - at >= END.1
            && let Some(found) = candidate(content, start + at as u64, &tail[at..at + END.1])?
        {
            let begins = content.bytes_at::<4>(0)?;
            let is_of_another = found.before > 0 && matches!(begins, Some(LOCAL | SPANNED));
            return Ok((!is_of_another).then_some(found));
        }
    }
    Ok(None)
}

/// Checks that a directory begins where the end record at `end` says.
fn candidate(content: &FileRange, end: u64, record: &[u8]) -> io::Result<Option<Directory>> {
    let mut members = u64::from(u16_at(record, 10));
    let mut size = u64::from(u32_at(record, 12));
    let mut offset = u64::from(u32_at(record, 16));
    let mut directory_end = end;
    let is_huge = members == u64::from(u16::MAX)
        || size == u64::from(u32::MAX)
        || offset == u64::from(u32::MAX);
    if is_huge && let Some((at, record)) = zip64_record(content, end)? {
        members = u64_at(&record, 32);
        size = u64_at(&record, 40);
        offset = u64_at(&record, 48);
        directory_end = at;
    }
    let behind = directory_end.checked_sub(size);
    let before = behind.and_then(|start| start.checked_sub(offset));
    let places = [behind.zip(before), Some((offset, 0))];
    for (start, before) in places.into_iter().flatten() {
        let first = content.bytes_at::<4>(start)?;
        // An end record of zeros hides no members: nothing but its comment is beside it.
        let comment = u64::from(u16_at(record, 20));
        let is_whole = directory_end == 0 && end + END.1 as u64 + comment == content.len();
        let is_empty = members == 0 && size == 0 && is_whole;
        if first == Some(CENTRAL.0) || is_empty {
            return Ok(Some(Directory {
                start,
                size: size.min(directory_end.saturating_sub(start)),
                before,
                members,
            }));
        }
    }
    Ok(None)
}

/// Returns offset and bytes of the zip64 record before the end record.
fn zip64_record(
    content: &FileRange,
    end: u64,
) -> io::Result<Option<(u64, [u8; END64.1 as usize])>> {
    let Some(at) = end.checked_sub(LOCATOR.1) else {
        return Ok(None);
    };
    let locator = content.bytes_at::<{ LOCATOR.1 as usize }>(at)?;
    let Some(locator) = locator.filter(|locator| locator.starts_with(&LOCATOR.0)) else {
        return Ok(None);
    };
    // With bytes before the archive, the offset is too small.
    let places = [Some(u64_at(&locator, 8)), at.checked_sub(END64.1)];
    for place in places.into_iter().flatten() {
        let record = content.bytes_at::<{ END64.1 as usize }>(place)?;
        if let Some(record) = record.filter(|record| record.starts_with(&END64.0)) {
            return Ok(Some((place, record)));
        }
    }
    Ok(None)
}

impl Directory {
    /// Adds the names of the members to a sample.
    pub(super) fn gather_names(
        self,
        content: &FileRange,
        sample: &mut NameSample,
    ) -> io::Result<()> {
        let mut input = self.open(content);
        while let Some((header, _)) = self.next(&mut input)? {
            if !add_name(sample, &header) {
                break;
            }
        }
        Ok(())
    }

    fn open(self, content: &FileRange) -> impl Read {
        let part = content.part(self.start..self.start + self.size);
        BufReader::with_capacity(64 << 10, part)
    }

    /// Adds the members. If the directory ends early, finds the others by their local headers.
    pub(super) fn list(
        self,
        content: &FileRange,
        names: &mut UnmarkedNames,
        members: &mut MemberIndexBuilder,
    ) -> io::Result<()> {
        let mut input = self.open(content);
        let (mut at, mut read) = (self.start, 0);
        let mut offsets = HashSet::new();
        while !members.is_full() {
            let Some((header, size)) = self.next(&mut input)? else {
                break;
            };
            header.add(content, None, &names.decode(&header), members)?;
            offsets.insert(header.offset);
            at += size;
            read += 1;
        }
        if read < self.members && !members.is_full() {
            let (_, more) = list_others(content, self.before, &offsets, names, members)?;
            let (packing, listed) = (members.packing, self.members);
            let detail = BoxDetail::Container {
                packing,
                name: String::new(),
                defect: ContainerDefect::ShortDirectory { listed, read, more },
            };
            members.event(BoxEventKind::Damaged, at, detail);
        }
        Ok(())
    }

    /// Reads the next header. Returns it and its size, or `None` at the end or at other bytes.
    fn next(self, input: &mut impl Read) -> io::Result<Option<(MemberHeader, u64)>> {
        let mut fixed = [0; CENTRAL.1];
        if !fill(input, &mut fixed)? || !fixed.starts_with(&CENTRAL.0) {
            return Ok(None);
        }
        let [name_size, extra_size, comment_size] =
            [28, 30, 32].map(|at| usize::from(u16_at(&fixed, at)));
        let mut variable = vec![0; name_size + extra_size + comment_size];
        if !fill(input, &mut variable)? {
            return Ok(None);
        }
        let mut stored = u64::from(u32_at(&fixed, 20));
        let mut size = u64::from(u32_at(&fixed, 24));
        let mut offset = u64::from(u32_at(&fixed, 42));
        let extra = &variable[name_size..name_size + extra_size];
        read_zip64(extra, [&mut size, &mut stored, &mut offset]);
        // The upper half has a Unix mode if a Unix program, or macOS, made the header.
        let is_unix = matches!(fixed[5], 3 | 19);
        let header = MemberHeader {
            offset: self.before.saturating_add(offset),
            name: variable[..name_size].to_vec(),
            unicode_path: read_unicode_path(&variable[..name_size], extra),
            system: system_of(fixed[5]),
            may_have_backslashes: !is_unix,
            flags: u16_at(&fixed, 8),
            method: u16_at(&fixed, 10),
            crc: Some(u32_at(&fixed, 16)),
            stored,
            size,
            mode: if is_unix { u32_at(&fixed, 38) >> 16 } else { 0 },
        };
        Ok(Some((header, (fixed.len() + variable.len()) as u64)))
    }
}

/// Returns the system of a number in the field "version made by".
fn system_of(number: u8) -> NameSystem {
    match number {
        // FAT, OS/2, and Windows with NTFS or FAT: 11 is Info-ZIP's number for NTFS.
        0 | 6 | 10 | 11 | 14 => NameSystem::Dos,
        _ => NameSystem::Other,
    }
}

/// Fills a buffer. Returns false if the input ends before.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
