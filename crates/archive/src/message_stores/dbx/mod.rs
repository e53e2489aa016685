//! dbx: a mail folder of Outlook Express 5 and 6.
//!
//! ```text
//! file header      CF AD 12 FE, C5 FD 74 6F, …; at 0xC4 the number of messages, at 0xE4 the root of the tree
//! tree node        own offset, child, parent, number of entries; entries: message info, child
//! message info     own offset, length, number of fields; fields: number and value, or number and place of the value
//! message segment  own offset, size, bytes used, next segment; up to 0x200 bytes of the message
//! ```
//!
//! All numbers have four bytes, little-endian. The messages of the tree are read in its order. The place of its first segment
//! identifies a message. Source: Arne Schloh, "OE dbx file format" (oedbx.aroh.de).
//!
//! # Limits
//! Messages that Outlook Express deleted are not searched for in unused space. The list of folders (`Folders.dbx`) has no messages,
//! and neither have `Pop3uidl.dbx` and `Offline.dbx`. Files of Outlook Express 4 (`.mbx`) are not read.

mod defect;
mod message_info;
mod node_walk;
mod numbers;
mod segments;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::defect::damaged;
use self::message_info::MessageInfo;
use self::node_walk::NodeWalk;
use self::numbers::number_at;
use self::segments::{Chain, Segments};
use super::stored_messages::{NextMessage, OpenedStore, PAUSE, StoredMessage, StoredMessages};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, DbxDefect, StoreDetail};
use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_identity::FileIdentity;
use crate::file_range::FileRange;
use crate::file_tree::FileTree;
use crate::packed::CompressionEvents;
use crate::temporary_file::TemporaryFile;
use crate::tree_file::TreeFile;

/// The first bytes of a file with messages.
const SIGNATURE: [u8; 16] = [
    0xcf, 0xad, 0x12, 0xfe, 0xc5, 0xfd, 0x74, 0x6f, 0x66, 0xe3, 0xd1, 0x11, 0x9a, 0x4e, 0x00, 0xc0,
];
/// Place of the number of messages.
const COUNT: u64 = 0xc4;
/// Place of the offset of the tree.
const ROOT: u64 = 0xe4;

/// Returns true for the first bytes of such a file.
pub(super) fn is_file(start: &[u8]) -> bool {
    start.starts_with(&SIGNATURE)
}

/// Opens a file.
pub(super) fn open(path: &Path, tree: &FileTree) -> Result<OpenedStore, Error> {
    MailFolder::open(path, tree).map_err(at(path, Operation::Read))
}

/// An opened file.
struct MailFolder {
    path: PathBuf,
    /// The file on a disk, to notice changes.
    identity: Option<FileIdentity>,
    /// The container of the file, to notice changes.
    tree: FileTree,
    file: FileRange,
    walk: NodeWalk,
    segments: Segments,
    chain: Option<Chain>,
    /// Number of messages that the header declares.
    declared: u64,
    /// Number of messages in the tree so far.
    listed: u64,
    is_ended: bool,
}

impl MailFolder {
    fn open(path: &Path, tree: &FileTree) -> std::io::Result<OpenedStore> {
        let defects = CompressionEvents::default();
        let (file, identity) = match tree.open_reporting(path, &defects)? {
            TreeFile::Disk(file) => {
                let identity = FileIdentity::of(&file)?;
                let range = FileRange::new(Arc::new(file), 0..identity.size);
                (range, Some(identity))
            }
            TreeFile::Range(range) => (range, None),
            member @ TreeFile::Stream(..) => (copy(member)?, None),
        };
        let mut events = defects.take();
        let declared = number_at(&file, COUNT)?.unwrap_or(0);
        let root = number_at(&file, ROOT)?.unwrap_or(0);
        if root == 0 && declared > 0 {
            events.push(damaged(0, DbxDefect::NoTree));
        }
        let folder = Self {
            path: path.to_owned(),
            identity,
            tree: tree.clone(),
            walk: NodeWalk::new(root, file.len()),
            segments: Segments::new(file.len()),
            chain: None,
            declared: u64::from(declared),
            listed: 0,
            is_ended: false,
            file,
        };
        Ok(OpenedStore {
            messages: Box::new(folder),
            events,
        })
    }
}

/// Copies a compressed member of a container to a temporary file without a name.
fn copy(mut member: TreeFile) -> std::io::Result<FileRange> {
    const STEP: u64 = 64 << 10;
    let mut file = TemporaryFile::create()?;
    let mut size = 0;
    loop {
        let mut bytes = Vec::new();
        let read = member.append(STEP, &mut bytes)? as u64;
        if read == 0 {
            return Ok(FileRange::new(Arc::new(file.into_file()), 0..size));
        }
        std::io::Write::write_all(&mut file, &bytes)?;
        size += read;
    }
}

impl StoredMessages for MailFolder {
    fn next(&mut self, events: &mut Vec<BoxEvent>) -> Result<NextMessage, ErrorKind> {
        self.chain = None;
        while let Some(place) = self.walk.next(&self.file, events)? {
            self.listed += 1;
            let Some(info) = MessageInfo::read(&self.file, place)? else {
                events.push(damaged(place, DbxDefect::Info));
                if events.len() >= PAUSE {
                    return Ok(NextMessage::EventsFirst);
                }
                continue;
            };
            let Some(first) = info.message else {
                let detail = BoxDetail::Store(StoreDetail::NotDownloaded);
                let event = BoxEvent::new(BoxEventKind::LeftOut, u64::from(place), detail);
                events.push(event);
                if events.len() >= PAUSE {
                    return Ok(NextMessage::EventsFirst);
                }
                continue;
            };
            self.chain = Some(Chain::new(first));
            return Ok(NextMessage::Found(StoredMessage {
                id: format!("{first:08x}"),
                size: None,
                flags: info.flags,
            }));
        }
        if !self.is_ended && self.listed < self.declared {
            let (declared, listed) = (self.declared, self.listed);
            events.push(damaged(COUNT as u32, DbxDefect::Count { declared, listed }));
        }
        self.is_ended = true;
        Ok(NextMessage::End)
    }

    fn read(
        &mut self,
        wanted: usize,
        bytes: &mut Vec<u8>,
        events: &mut Vec<BoxEvent>,
    ) -> Result<(), ErrorKind> {
        let Some(chain) = &mut self.chain else {
            return Ok(());
        };
        let defect = chain.read(&self.file, &mut self.segments, wanted, bytes)?;
        events.extend(defect.map(|(place, defect)| damaged(place, defect)));
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.file.len())
    }

    fn changed(&self) -> Result<bool, Error> {
        let identity = self.identity.as_ref();
        let changed = identity.map_or(Ok(false), FileIdentity::changed);
        let changed = changed.map_err(at(&self.path, Operation::Open))?;
        Ok(changed || self.tree.is_changed()?)
    }
}
