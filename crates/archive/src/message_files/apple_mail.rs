//! Knows how Apple Mail stores messages: the names of their folders, and the parts beside a message.
//!
//! Apple Mail stores a message as `Work.mbox/…/Data/1/Messages/1234.emlx`. Its folder is named by the last `.mbox`, whatever the
//! folders below. `1234.partial.emlx` lacks parts; they are the files in `…/Data/1/Attachments/1234/`. Source: the readme of
//! qqilihq/partial-emlx-converter.
//!
//! # Limits
//! Parts beside a message stay where they are: the event `box.parts-beside` names the first twenty.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::entry_type::EntryType;
use crate::file_tree::FileTree;

/// Largest number of files that an event names.
const NAMED: usize = 20;
/// Largest number of files that are counted.
const COUNTED: usize = 1000;
/// Depth of the folders in which they are searched.
const DEPTH: usize = 4;
/// Extension of the folder of a mailbox.
const MBOX: &[u8] = b".mbox";

/// Returns the event for a message at `path` whose parts lie beside it. `name` is its path below the root.
pub(super) fn parts_beside(tree: &FileTree, name: &[u8], path: &Path) -> Option<BoxEvent> {
    let file_name = path.file_name()?.as_bytes();
    let number = file_name.to_ascii_lowercase();
    let number = number.strip_suffix(b".partial.emlx")?.len();
    let number = OsStr::from_bytes(&file_name[..number]);
    let attachments = Path::new("Attachments");
    let folder = attachments.join(number);
    let mut found = Vec::new();
    if let Some(data) = path.parent().and_then(Path::parent) {
        let is_own = [attachments, &folder].map(|folder| tree.is_folder(&data.join(folder)));
        if is_own == [true, true] {
            files_below(tree, data, &folder, DEPTH, &mut found);
        }
    }
    found.sort();
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let detail = BoxDetail::PartsBeside { names: found, more };
    Some(BoxEvent::of_file(BoxEventKind::PartsBeside, name, detail))
}

/// Collects the paths of the files in a folder below `root`, without following links.
fn files_below(tree: &FileTree, root: &Path, folder: &Path, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = tree.entries(&root.join(folder)) else {
        return;
    };
    for entry in entries.flatten() {
        let path = folder.join(entry.name);
        match entry.kind {
            EntryType::Folder if depth > 0 => files_below(tree, root, &path, depth - 1, found),
            EntryType::File if found.len() < COUNTED => {
                found.push(path.to_string_lossy().into_owned());
            }
            _ => {}
        }
    }
}

/// Returns the path of the folder of a message of Apple Mail: up to the last `.mbox`, or that of the file.
pub(super) fn apple_folder(name: &[u8]) -> &[u8] {
    let file = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    let folder = &name[..file];
    let mut end = folder.len();
    loop {
        let start = folder[..end].iter().rposition(|&byte| byte == b'/');
        if is_apple(&folder[start.map_or(0, |at| at + 1)..end]) {
            return &folder[..end];
        }
        let Some(start) = start else {
            return folder;
        };
        end = start;
    }
}

/// Returns the display name of a folder of Apple Mail: without `.mbox`.
pub(super) fn apple_name(folder: &[u8]) -> String {
    let levels = folder.split(|&byte| byte == b'/').map(|level| {
        let kept = if is_apple(level) {
            level.len() - MBOX.len()
        } else {
            level.len()
        };
        String::from_utf8_lossy(&level[..kept])
    });
    levels.collect::<Vec<_>>().join("/")
}

/// Returns true for the name of a mailbox folder.
fn is_apple(level: &[u8]) -> bool {
    level
        .len()
        .checked_sub(MBOX.len())
        .is_some_and(|at| at > 0 && level[at..].eq_ignore_ascii_case(MBOX))
}
