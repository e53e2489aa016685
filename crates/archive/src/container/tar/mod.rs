//! Lists the members of a tar archive: the old format, ustar, pax and GNU.
//!
//! If names are not UTF-8, lists the archive a second time, to decode them in the charset that was chosen by all of them.
//! Finds the next header after a damaged one, and reads archives that follow each other.
//!
//! # Limits
//! Sparse files and other types of members that only one program knows are reported and skipped. A hard link to a
//! later member is reported.

mod header;
mod pax;
mod unmarked_names;

use std::io;

use self::header::{BLOCK, Header, MemberType};
use self::pax::PaxRecords;
use self::unmarked_names::TarNames;
use super::member_index::{MemberIndexBuilder, Node};
use super::member_place::{Coding, MemberPlace};
use super::name_decoding::NameDecoding;
use crate::box_event::{BoxDetail, BoxEventKind, CompressionDefect, ContainerDefect, SkipReason};
use crate::file_range::FileRange;

/// Largest extended header in bytes.
const LARGEST_EXTENSION: u64 = 1 << 20;

/// Adds the members of an archive. `decoding` chooses the charset of names that are not UTF-8.
pub(super) fn list(
    content: &FileRange,
    decoding: NameDecoding,
    members: &mut MemberIndexBuilder,
) -> io::Result<()> {
    let mut names = TarNames::gather();
    list_named(content, &mut names, members)?;
    if let Some(mut chosen) = names.chosen(decoding) {
        members.start_again();
        list_named(content, &mut chosen, members)?;
        chosen.report(members);
    }
    Ok(())
}

/// Adds the members of an archive by their decoded names.
fn list_named(
    content: &FileRange,
    names: &mut TarNames,
    members: &mut MemberIndexBuilder,
) -> io::Result<()> {
    let mut list = TarList {
        content,
        at: 0,
        next: PaxRecords::default(),
        names,
    };
    while !members.is_full() {
        let at = list.at;
        let Some(block) = content.bytes_at::<BLOCK>(at)? else {
            break;
        };
        if block == [0; BLOCK] {
            if list.ends(members)? {
                return Ok(());
            }
            continue;
        }
        match Header::parse(&block) {
            Some(header) => list.member(&header, members)?,
            None => list.find_header(members)?,
        }
    }
    if !members.is_full() {
        damaged(ContainerDefect::NoEnd, content.len(), b"", members);
    }
    Ok(())
}

/// A position in an archive.
struct TarList<'a> {
    content: &'a FileRange,
    /// Offset of the next header.
    at: u64,
    /// What extended headers say about the next member.
    next: PaxRecords,
    names: &'a mut TarNames,
}

impl TarList<'_> {
    /// Adds the member of a header, or reads an extended header.
    fn member(&mut self, header: &Header, members: &mut MemberIndexBuilder) -> io::Result<()> {
        let start = self.at;
        let data = self.after_header(header)?;
        let is_extension = matches!(
            header.kind,
            MemberType::Pax | MemberType::PaxGlobal | MemberType::LongName | MemberType::LongLink
        );
        let own_size = if is_extension { None } else { self.next.size };
        let size = own_size.unwrap_or(header.size);
        let end = data.saturating_add(size);
        self.at = end.checked_next_multiple_of(BLOCK as u64).unwrap_or(end);
        if is_extension {
            return self.extension(header, data, members);
        }
        let said = std::mem::take(&mut self.next);
        let name = said.path.as_deref().unwrap_or(&header.name);
        let name = &*self.names.member(name, start);
        let kind = if said.is_sparse {
            MemberType::Sparse
        } else {
            header.kind
        };
        let node = match kind {
            // The old format has no other mark of a folder.
            MemberType::File if name.ends_with(b"/") && size == 0 => Node::folder(),
            MemberType::Folder => Node::folder(),
            MemberType::Link => Node::Link,
            MemberType::HardLink => {
                let target = said.target.as_deref().unwrap_or(&header.target);
                members.add_hard_link(start, name, &self.names.decode(target));
                return Ok(());
            }
            MemberType::Special => Node::Special,
            MemberType::Sparse | MemberType::Other(_) => {
                let reason = match kind {
                    MemberType::Other(kind) => SkipReason::Type(kind),
                    _ => SkipReason::Sparse,
                };
                let detail = |name| BoxDetail::SkippedMember { name, reason };
                members.member_event(BoxEventKind::MemberSkipped, start, name, detail);
                return Ok(());
            }
            _ => {
                let missing = end.saturating_sub(data.max(self.content.len()));
                if missing > 0 {
                    damaged(ContainerDefect::CutOff { missing }, start, name, members);
                }
                let clip = |offset: u64| offset.min(self.content.len());
                Node::File(MemberPlace {
                    data: clip(data)..clip(end),
                    coding: Coding::Plain,
                })
            }
        };
        members.add(start, name, node);
        self.at = self.at.min(self.content.len());
        Ok(())
    }

    /// Returns the offset behind a header and the map of a sparse file that follows it.
    fn after_header(&self, header: &Header) -> io::Result<u64> {
        const MORE: usize = 504;
        let mut data = self.at + BLOCK as u64;
        let mut is_extended = header.is_extended;
        while is_extended && let Some(map) = self.content.bytes_at::<BLOCK>(data)? {
            data += BLOCK as u64;
            is_extended = map[MORE] != 0;
        }
        Ok(data)
    }

    /// Reads an extended header, which is about the next member.
    fn extension(
        &mut self,
        header: &Header,
        data: u64,
        members: &mut MemberIndexBuilder,
    ) -> io::Result<()> {
        if header.size > LARGEST_EXTENSION || self.at > self.content.len() {
            let start = data - BLOCK as u64;
            damaged(ContainerDefect::BadExtension, start, &header.name, members);
            self.at = self.at.min(self.content.len());
            return Ok(());
        }
        let mut text = vec![0; header.size as usize];
        let filled = self.content.read_at(data, &mut text)?;
        text.truncate(filled);
        match header.kind {
            MemberType::Pax => self.next.read(&text),
            // A global header names no member.
            MemberType::PaxGlobal => {}
            kind => {
                let end = text.iter().position(|&byte| byte == 0);
                text.truncate(end.unwrap_or(text.len()));
                if kind == MemberType::LongName {
                    self.next.path = Some(text);
                } else {
                    self.next.target = Some(text);
                }
            }
        }
        Ok(())
    }

    /// Skips the zero blocks at the end. Returns true unless another archive follows.
    fn ends(&mut self, members: &mut MemberIndexBuilder) -> io::Result<bool> {
        let start = self.at;
        let mut chunk = vec![0; 64 << 10];
        loop {
            let filled = self.content.read_at(self.at, &mut chunk)?;
            if filled == 0 {
                self.at = self.content.len();
                return Ok(true);
            }
            let zeros = chunk[..filled].iter().position(|&byte| byte != 0);
            self.at += zeros.unwrap_or(filled) as u64;
            if zeros.is_some() {
                break;
            }
        }
        let rest = self.content.len() - self.at;
        self.at = start + (self.at - start) / BLOCK as u64 * BLOCK as u64;
        let block = self.content.bytes_at::<BLOCK>(self.at)?;
        if block.is_some_and(|block| Header::parse(&block).is_some()) {
            return Ok(false);
        }
        let packing = members.packing;
        let defect = CompressionDefect::BytesBehind(rest);
        let detail = BoxDetail::Compressed { packing, defect };
        members.event(BoxEventKind::TrailingBytes, self.at, detail);
        Ok(true)
    }

    /// Reports a block that is not a header, and skips to the next header.
    fn find_header(&mut self, members: &mut MemberIndexBuilder) -> io::Result<()> {
        const BLOCKS: usize = 128;
        let start = self.at;
        self.next = PaxRecords::default();
        self.at += BLOCK as u64;
        let mut chunk = vec![0; BLOCKS * BLOCK];
        'search: loop {
            let filled = self.content.read_at(self.at, &mut chunk)?;
            let (blocks, rest) = chunk[..filled].as_chunks::<BLOCK>();
            for block in blocks {
                if Header::parse(block).is_some() {
                    break 'search;
                }
                self.at += BLOCK as u64;
            }
            if blocks.len() < BLOCKS {
                self.at += rest.len() as u64;
                break;
            }
        }
        let skipped = self.at - start;
        damaged(ContainerDefect::BadHeader { skipped }, start, b"", members);
        Ok(())
    }
}

/// Reports a defect of the member `name`, or of the archive if the name is empty.
fn damaged(defect: ContainerDefect, offset: u64, name: &[u8], members: &mut MemberIndexBuilder) {
    let packing = members.packing;
    let kind = BoxEventKind::Damaged;
    if name.is_empty() {
        let name = String::new();
        let detail = BoxDetail::Container {
            packing,
            name,
            defect,
        };
        return members.event(kind, offset, detail);
    }
    let detail = |name| BoxDetail::Container {
        packing,
        name,
        defect,
    };
    members.member_event(kind, offset, name, detail);
}
