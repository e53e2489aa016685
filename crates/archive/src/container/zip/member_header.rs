//! Decodes the fields that local and central headers share, and adds the member that they describe.
//!
//! # Limits
//! Where local and central header contradict each other, the central one counts. Of the names in extra fields, only the Unicode path is read.

use std::io;

use flate2::Crc;

use crate::box_event::{BoxDetail, BoxEventKind, ContainerDefect, SkipReason};
use crate::container::member_index::{MemberIndexBuilder, Node};
use crate::container::member_place::{Coding, MemberPlace};
use crate::container::name_decoding::NameSystem;
use crate::file_range::FileRange;

/// First bytes of a local header.
pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Marks an archive of several volumes, which may consist of one only.
pub(super) const SPANNED: [u8; 4] = *b"PK\x07\x08";
/// Size of a local header without its name and extra fields.
pub(super) const LOCAL_SIZE: u64 = 30;

/// Stored as it is.
pub(super) const STORED: u16 = 0;
/// Compressed by deflate.
pub(super) const DEFLATED: u16 = 8;

/// The headers of a member.
#[derive(Debug)]
pub(super) struct MemberHeader {
    /// Offset of the local header.
    pub(super) offset: u64,
    /// The name as it is stored.
    pub(super) name: Vec<u8>,
    /// The name in UTF-8 of an extra field.
    pub(super) unicode_path: Option<Vec<u8>>,
    pub(super) system: NameSystem,
    /// The name may have backslashes instead of slashes.
    pub(super) may_have_backslashes: bool,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: Option<u32>,
    /// Size of the stored bytes.
    pub(super) stored: u64,
    /// Size of the content.
    pub(super) size: u64,
    /// Type and permissions as Unix has them. 0 if unknown.
    pub(super) mode: u32,
}

/// Returns a number of two bytes.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    number_at::<2>(bytes, at) as u16
}

/// Returns a number of four bytes.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    number_at::<4>(bytes, at) as u32
}

/// Returns a number of eight bytes.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    number_at::<8>(bytes, at)
}

/// Returns the little-endian number of `N` bytes at an index, or 0 beyond the end.
fn number_at<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..at + N).unwrap_or_default();
    number
        .iter()
        .rev()
        .fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// Returns the first extra field with a number.
fn extra_field(extra: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = extra;
    while rest.len() >= 4 {
        let (id, length) = (u16_at(rest, 0), usize::from(u16_at(rest, 2)));
        let (field, behind) = rest[4..].split_at(length.min(rest.len() - 4));
        if id == wanted {
            return Some(field);
        }
        rest = behind;
    }
    None
}

/// Replaces the numbers that are all ones by those of the zip64 field, in order.
pub(super) fn read_zip64(extra: &[u8], numbers: [&mut u64; 3]) {
    const ZIP64: u16 = 1;
    let field = extra_field(extra, ZIP64).unwrap_or_default();
    let mut at = 0;
    for number in numbers {
        if *number == u64::from(u32::MAX) && at + 8 <= field.len() {
            *number = u64_at(field, at);
            at += 8;
        }
    }
}

/// Returns the name of the extra field "Unicode Path" (APPNOTE.TXT, section 4.6.9), if it belongs to the stored name.
pub(super) fn read_unicode_path(name: &[u8], extra: &[u8]) -> Option<Vec<u8>> {
    const UNICODE_PATH: u16 = 0x7075;
    let (start, path) = extra_field(extra, UNICODE_PATH)?.split_at_checked(5)?;
    let mut crc = Crc::new();
    crc.update(name);
    let belongs = start[0] == 1 && u32_at(start, 1) == crc.sum();
    (belongs && std::str::from_utf8(path).is_ok()).then(|| path.to_vec())
}

impl MemberHeader {
    /// Returns the name as it is stored, unless it is marked as UTF-8, or an extra field has it in UTF-8.
    pub(super) fn unmarked_name(&self) -> Option<&[u8]> {
        const UTF8: u16 = 1 << 11;
        let is_marked = self.flags & UTF8 != 0 && std::str::from_utf8(&self.name).is_ok();
        (!is_marked && self.unicode_path.is_none()).then_some(&self.name)
    }

    /// Returns the name of the extra field, or else the stored one.
    pub(super) fn unicode_name(&self) -> &[u8] {
        self.unicode_path.as_deref().unwrap_or(&self.name)
    }

    /// Adds the member under its decoded name. `data` is the offset of its stored bytes, if known.
    pub(super) fn add(
        &self,
        content: &FileRange,
        data: Option<u64>,
        name: &[u8],
        members: &mut MemberIndexBuilder,
    ) -> io::Result<()> {
        const FORMAT: u32 = 0o170_000;
        let is_folder = name.ends_with(b"/") || self.mode & FORMAT == 0o040_000;
        // Nothing, deflated, has two bytes.
        let has_content = self.size > 0 || self.stored > 2;
        if is_folder && !has_content {
            members.add(self.offset, name, Node::folder());
            return Ok(());
        }
        match self.mode & FORMAT {
            0 | 0o040_000 | 0o100_000 => {}
            0o120_000 => {
                members.add(self.offset, name, Node::Link);
                return Ok(());
            }
            _ => {
                members.add(self.offset, name, Node::Special);
                return Ok(());
            }
        }
        let skipped = match (self.flags, self.method) {
            (flags, _) if flags & 1 != 0 => Some(SkipReason::Encrypted),
            (_, STORED | DEFLATED) => None,
            (_, method) => Some(SkipReason::Method(method)),
        };
        if let Some(reason) = skipped {
            let kind = BoxEventKind::MemberSkipped;
            let detail = |name| BoxDetail::SkippedMember { name, reason };
            members.member_event(kind, self.offset, name, detail);
            return Ok(());
        }
        let data = match data {
            Some(data) => Some(data),
            None => self.find_data(content)?,
        };
        match data {
            Some(data) => self.add_file(content, data, name, members),
            None => self.damaged(ContainerDefect::NoLocalHeader, name, members),
        }
        Ok(())
    }

    /// Returns the offset of the stored bytes after the local header. `None` if there is no local header.
    fn find_data(&self, content: &FileRange) -> io::Result<Option<u64>> {
        let header = content.bytes_at::<{ LOCAL_SIZE as usize }>(self.offset)?;
        let header = header.filter(|header| header.starts_with(&LOCAL));
        let after = |header: [u8; LOCAL_SIZE as usize]| {
            let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
            self.offset + LOCAL_SIZE + names
        };
        Ok(header.map(after))
    }

    fn add_file(
        &self,
        content: &FileRange,
        data: u64,
        name: &[u8],
        members: &mut MemberIndexBuilder,
    ) {
        if !members.occupy(
            self.stored.min(content.len().saturating_sub(data)),
            content.len(),
        ) {
            return self.damaged(ContainerDefect::Overlap, name, members);
        }
        let end = data.saturating_add(self.stored);
        if end > content.len() {
            let missing = end - data.max(content.len());
            self.damaged(ContainerDefect::CutOff { missing }, name, members);
        }
        let coding = Coding::Zip {
            is_deflated: self.method == DEFLATED,
            size: self.size,
            crc: self.crc,
        };
        let data = data.min(content.len())..end.min(content.len());
        members.add(self.offset, name, Node::File(MemberPlace { data, coding }));
    }

    fn damaged(&self, defect: ContainerDefect, name: &[u8], members: &mut MemberIndexBuilder) {
        let packing = members.packing;
        let detail = |name| BoxDetail::Container {
            packing,
            name,
            defect,
        };
        members.member_event(BoxEventKind::Damaged, self.offset, name, detail);
    }
}
