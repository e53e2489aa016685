//! Formats of one file other than mbox: a table of them, and their common reader.
//!
//! To add one, write a file that implements [`FileLayout`], and add its line to [`LAYOUTS`]. `layout` defines what a format says
//! about a file: where a message begins and ends. `read` does the rest: memory, batches, pieces of large messages, compression.
//!
//! # Limits
//! Recognizes a format by the first bytes of a file, not by its name.

mod babyl;
mod emlx;
mod input;
mod layout;
mod read;
#[cfg(test)]
mod tests;
mod uw_mbx;

use std::path::Path;

use self::layout::Content;
pub(crate) use self::layout::FileLayout;
pub(crate) use self::read::LayoutReader;

/// Every format, in the order in which they are tried.
const LAYOUTS: &[&dyn FileLayout] = &[
    &babyl::Babyl, //
    &uw_mbx::UwMbx,
    &emlx::Emlx,
];

/// Returns the layout of a file that begins with `start`, at least 512 bytes of it if it is that long.
pub(crate) fn of(start: &[u8]) -> Option<&'static dyn FileLayout> {
    LAYOUTS
        .iter()
        .copied()
        .find(|layout| layout.recognizes(start))
}

/// Returns the layout of a file with one message. If the file `is_mail`, the extension of its name suffices.
pub(crate) fn of_message(
    start: &[u8],
    path: &Path,
    is_mail: bool,
) -> Option<&'static dyn FileLayout> {
    let fits = |layout: &&dyn FileLayout| {
        layout.recognizes(start) || (is_mail && has_extension(*layout, path))
    };
    one_message().find(fits)
}

/// Returns true for the name of a file with one message that has a layout.
pub(crate) fn is_named(path: &Path) -> bool {
    one_message().any(|layout| has_extension(layout, path))
}

fn one_message() -> impl Iterator<Item = &'static dyn FileLayout> {
    let layouts = LAYOUTS.iter().copied();
    layouts.filter(|layout| layout.content() == Content::OneMessage)
}

fn has_extension(layout: &dyn FileLayout, path: &Path) -> bool {
    let extension = path.extension().zip(layout.extension());
    extension.is_some_and(|(name, wanted)| name.eq_ignore_ascii_case(wanted))
}

/// Like [`of`], for formats that hold many messages.
pub(crate) fn of_mailbox(start: &[u8]) -> Option<&'static dyn FileLayout> {
    of(start).filter(|layout| layout.content() == Content::Messages)
}
