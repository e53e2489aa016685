//! Reads the local headers of a zip archive one after the other, for an archive without a whole central directory.
//!
//! # Limits
//! Ends at the first bytes that are no header, but passes over a directory between archives that were joined. If a header does not say how long
//! a deflated member is, the member is decompressed to find its end. A stored member of unknown length ends the search.

use std::collections::HashSet;
use std::io::{self, BufReader};

use flate2::bufread::DeflateDecoder;

use super::member_header::{
    DEFLATED, LOCAL, LOCAL_SIZE, MemberHeader, SPANNED, read_unicode_path, read_zip64, u16_at,
    u32_at,
};
use super::unmarked_names::{UnmarkedNames, add_name};
use crate::box_event::{BoxDetail, BoxEventKind, ContainerDefect};
use crate::container::member_index::MemberIndexBuilder;
use crate::container::member_reader::is_damage;
use crate::container::name_decoding::NameSystem;
use crate::container::name_sample::NameSample;
use crate::file_range::FileRange;

/// The headers of a directory: first bytes, size without variable fields, and offsets of the sizes of these fields.
const DIRECTORY: [([u8; 4], u64, &[usize]); 2] = [
    (*b"PK\x01\x02", 46, &[28, 30, 32]),
    (*b"PK\x05\x06", 22, &[20]),
];
/// Flag: sizes and checksum follow the data.
const DESCRIPTOR: u16 = 1 << 3;

/// Adds the members, and reports that there is no directory.
pub(super) fn list(
    content: &FileRange,
    names: &mut UnmarkedNames,
    members: &mut MemberIndexBuilder,
) -> io::Result<()> {
    let (at, read) = list_others(content, 0, &HashSet::new(), names, members)?;
    let detail = BoxDetail::Container {
        packing: members.packing,
        name: String::new(),
        defect: ContainerDefect::NoDirectory { read },
    };
    members.event(BoxEventKind::Damaged, at, detail);
    Ok(())
}

/// Adds the members from an offset on, except those whose headers are at the `known` offsets.
///
/// Returns the offset where the headers end, and the number of members.
pub(super) fn list_others(
    content: &FileRange,
    start: u64,
    known: &HashSet<u64>,
    names: &mut UnmarkedNames,
    members: &mut MemberIndexBuilder,
) -> io::Result<(u64, u64)> {
    let mut read = 0;
    let end = each_header(content, start, &mut |header, data| {
        if !known.contains(&header.offset) {
            header.add(content, Some(data), &names.decode(header), members)?;
            read += 1;
        }
        Ok(!members.is_full())
    })?;
    Ok((end, read))
}

/// Adds the names of the members to a sample.
pub(super) fn gather_names(content: &FileRange, sample: &mut NameSample) -> io::Result<()> {
    each_header(content, 0, &mut |header, _| Ok(add_name(sample, header)))?;
    Ok(())
}

/// Calls a function for each header and the offset of its data, as long as it returns true. Returns the offset where the headers end.
fn each_header(
    content: &FileRange,
    start: u64,
    see: &mut dyn FnMut(&MemberHeader, u64) -> io::Result<bool>,
) -> io::Result<u64> {
    let is_spanned = content.bytes_at::<4>(start)? == Some(SPANNED);
    let mut at = if is_spanned { start + 4 } else { start };
    let mut decompressed = 0;
    loop {
        let Some((header, data)) = next(content, at)? else {
            match after_directory(content, at)? {
                Some(next) => at = next,
                None => break,
            }
            continue;
        };
        let Some((header, end)) = with_sizes(header, content, data, &mut decompressed)? else {
            break;
        };
        let goes_on = see(&header, data)?;
        at = after_descriptor(&header, content, end)?;
        if !goes_on || at > content.len() {
            break;
        }
    }
    Ok(at.min(content.len()))
}

/// Returns the offset behind a directory if the members of another archive follow.
fn after_directory(content: &FileRange, mut at: u64) -> io::Result<Option<u64>> {
    let start = at;
    loop {
        let mut fixed = [0; 46];
        content.read_at(at, &mut fixed)?;
        let known = DIRECTORY.iter().find(|known| fixed.starts_with(&known.0));
        let Some((_, size, fields)) = known else {
            let is_member = at > start && fixed.starts_with(&LOCAL);
            return Ok(is_member.then_some(at));
        };
        let variable = fields.iter().map(|field| u64::from(u16_at(&fixed, *field)));
        at += size + variable.sum::<u64>();
    }
}

/// Reads the header at an offset. Returns it and the offset of the data.
fn next(content: &FileRange, at: u64) -> io::Result<Option<(MemberHeader, u64)>> {
    let fixed = content.bytes_at::<{ LOCAL_SIZE as usize }>(at)?;
    let Some(fixed) = fixed.filter(|fixed| fixed.starts_with(&LOCAL)) else {
        return Ok(None);
    };
    let [name_size, extra_size] = [26, 28].map(|at| usize::from(u16_at(&fixed, at)));
    let mut variable = vec![0; name_size + extra_size];
    if content.read_at(at + LOCAL_SIZE, &mut variable)? < variable.len() {
        return Ok(None);
    }
    let mut stored = u64::from(u32_at(&fixed, 18));
    let mut size = u64::from(u32_at(&fixed, 22));
    read_zip64(&variable[name_size..], [&mut size, &mut stored, &mut 0]);
    let header = MemberHeader {
        offset: at,
        name: variable[..name_size].to_vec(),
        unicode_path: read_unicode_path(&variable[..name_size], &variable[name_size..]),
        system: NameSystem::Dos,
        may_have_backslashes: false,
        flags: u16_at(&fixed, 6),
        method: u16_at(&fixed, 8),
        crc: Some(u32_at(&fixed, 14)),
        stored,
        size,
        mode: 0,
    };
    Ok(Some((header, at + LOCAL_SIZE + variable.len() as u64)))
}

/// Completes a header without sizes. Returns it and the end of the data, or `None` if that cannot be found.
fn with_sizes(
    mut header: MemberHeader,
    content: &FileRange,
    data: u64,
    decompressed: &mut u64,
) -> io::Result<Option<(MemberHeader, u64)>> {
    if header.flags & DESCRIPTOR == 0 || header.stored > 0 {
        let end = data.saturating_add(header.stored);
        return Ok(Some((header, end)));
    }
    if header.method != DEFLATED || header.flags & 1 != 0 {
        return Ok(None);
    }
    let part = content.part(data..content.len());
    let mut decoder = DeflateDecoder::new(BufReader::with_capacity(64 << 10, part));
    // Damage and too much data are reported when the member is read.
    let most = most_decompressed(content).saturating_sub(*decompressed);
    let copied = io::copy(&mut io::Read::take(&mut decoder, most), &mut io::sink());
    if let Err(error) = copied
        && !is_damage(&error)
    {
        return Err(error);
    }
    *decompressed += decoder.total_out();
    header.stored = decoder.total_in();
    header.size = decoder.total_out();
    header.crc = None;
    let end = data + header.stored;
    Ok(Some((header, end)))
}

/// Returns the number of bytes that the search for ends may decompress.
fn most_decompressed(content: &FileRange) -> u64 {
    use crate::expansion::FREE;
    use crate::source::MAX_EXPANSION;
    content.len().saturating_mul(MAX_EXPANSION).max(FREE)
}

/// Returns the offset after the sizes and the checksum that follow a member.
fn after_descriptor(header: &MemberHeader, content: &FileRange, end: u64) -> io::Result<u64> {
    if header.flags & DESCRIPTOR == 0 {
        return Ok(end);
    }
    // With and without a mark, with sizes of four and of eight bytes.
    for size in [16, 12, 24, 20] {
        let next = content.bytes_at::<2>(end.saturating_add(size))?;
        if next == Some(*b"PK") {
            return Ok(end + size);
        }
    }
    Ok(end)
}
