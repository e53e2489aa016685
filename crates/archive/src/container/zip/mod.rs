//! Lists the members of a zip archive (APPNOTE.TXT 6.3.10), zip64 included.
//!
//! Reads the central directory. Without a whole one, as in a truncated archive, reads the local headers one after the other.
//!
//! # Limits
//! Reads stored and deflated members. Others, encrypted ones, and archives of several volumes are reported. Bytes before the first
//! and after the last member are ignored. The end of the directory is searched in the last 128 KiB.

mod directory;
mod local_headers;
mod member_header;

use std::io;

use super::member_index::MemberIndexBuilder;
use crate::file_range::FileRange;

pub(super) use self::directory::has_directory;

/// Adds the members of an archive.
pub(super) fn list(content: &FileRange, members: &mut MemberIndexBuilder) -> io::Result<()> {
    match directory::find(content)? {
        Some(directory) => directory.list(content, members),
        None => local_headers::list(content, members),
    }
}
