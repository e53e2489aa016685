//! Ends of messages whose separators state their sizes.
//!
//! # Limits
//! Sizes are checked by what follows them: a separator, or the end of the file.

use std::io;

use super::input::LayoutInput;
use super::layout::ItemEnd;

/// Where an item ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum SizedItem {
    /// At this offset.
    Until(u64),
    /// Where the next separator begins.
    #[default]
    Search,
}

impl SizedItem {
    /// Returns the end of the item. `find` searches for a separator.
    pub(super) fn end(
        self,
        input: &mut LayoutInput,
        scan: &mut u64,
        find: impl FnOnce(&mut LayoutInput, &mut u64) -> io::Result<Option<u64>>,
    ) -> io::Result<Option<ItemEnd>> {
        match self {
            Self::Until(end) if end <= input.window.end() => Ok(Some(ItemEnd::new(end, end))),
            Self::Until(_) => {
                *scan = input.window.end();
                Ok(None)
            }
            Self::Search => Ok(find(input, scan)?.map(|at| ItemEnd::new(at, at))),
        }
    }
}

/// Returns true if a separator of at most `longest` bytes begins or the file ends at an offset behind its first byte. None if that
/// cannot be known.
pub(super) fn is_boundary(
    input: &mut LayoutInput,
    at: u64,
    longest: usize,
    is_separator: impl FnOnce(&[u8]) -> bool,
) -> io::Result<Option<bool>> {
    let near = input.ahead(at - 1, 1 + longest)?;
    Ok(near.map(|near| match &near[..] {
        // The file ends earlier.
        [] => false,
        [_] => true,
        [_, near @ ..] => is_separator(near),
    }))
}
