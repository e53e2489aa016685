//! Formats of one file other than mbox: a table of them, and their common reader.
//!
//! To add one, write a file with a [`FileLayout`], and add its line to [`LAYOUTS`]. `layout` defines what a format says
//! about a file: where a message begins and ends. `read` does the rest: memory, batches, pieces of large messages, compression.
//!
//! # Limits
//! Recognizes a format by the first bytes of a file, not by its name.

mod babyl;
mod by_size;
mod emlx;
mod input;
mod layout;
mod listserv;
mod read;
mod rnews;
#[cfg(test)]
mod tests;
mod uw_mbx;

use std::io;
use std::path::Path;

pub(crate) use self::layout::FileLayout;
pub(crate) use self::read::LayoutReader;
use crate::mbox::has_dated_separators;

/// Every format, in the order in which they are tried.
static LAYOUTS: &[FileLayout] = &[
    babyl::BABYL, //
    uw_mbx::UW_MBX,
    rnews::RNEWS,
    listserv::LISTSERV,
    emlx::EMLX,
];

/// Number of bytes at the start of a file in which separators are searched.
const MORE: usize = 1 << 20;

/// Returns the layout of a file that begins with `start`, at least 512 bytes of it if it is that long.
pub(crate) fn of(start: &[u8]) -> Option<&'static FileLayout> {
    LAYOUTS.iter().find(|layout| (layout.recognizes)(start))
}

/// Like [`of`], for a file that may be a mailbox. `more` returns the given number of bytes at the start of the file, or all of it.
///
/// Separators with a date prove that a number in the first line is not the length of a message. A file that `is_named` as a mailbox
/// needs one of them.
pub(crate) fn of_possible_mailbox(
    start: &[u8],
    is_named: bool,
    more: impl FnOnce(usize) -> io::Result<Vec<u8>>,
) -> io::Result<Option<&'static FileLayout>> {
    let Some(layout) = of(start) else {
        return Ok(None);
    };
    if layout.message_extension.is_some() {
        let start = more(MORE)?;
        if !emlx::is_exact(&start) && has_dated_separators(&start, start.len() < MORE, is_named)? {
            return Ok(None);
        }
    }
    Ok(Some(layout))
}

/// Returns the layout of a file with one message. If the file `is_mail`, the extension of its name suffices.
pub(crate) fn of_message(start: &[u8], path: &Path, is_mail: bool) -> Option<&'static FileLayout> {
    let mut layouts = LAYOUTS.iter();
    layouts.find(|layout| {
        let is_recognized = layout.message_extension.is_some() && (layout.recognizes)(start);
        is_recognized || is_mail && has_extension(layout, path)
    })
}

/// Returns true for the name of a file with one message that has a layout.
pub(crate) fn is_named(path: &Path) -> bool {
    LAYOUTS.iter().any(|layout| has_extension(layout, path))
}

fn has_extension(layout: &FileLayout, path: &Path) -> bool {
    let extension = path.extension().zip(layout.message_extension);
    extension.is_some_and(|(name, wanted)| name.eq_ignore_ascii_case(wanted))
}

/// Like [`of`], for formats that hold many messages.
pub(crate) fn of_mailbox(start: &[u8]) -> Option<&'static FileLayout> {
    of(start).filter(|layout| layout.message_extension.is_none())
}
