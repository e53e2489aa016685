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
mod unmarked_names;

use std::io;

use self::unmarked_names::UnmarkedNames;
use super::member_index::MemberIndexBuilder;
use super::name_decoding::NameDecoding;
use super::name_sample::NameSample;
use crate::file_range::FileRange;

pub(super) use self::directory::has_directory;

/// Adds the members of an archive. Reads all headers twice: `decoding` chooses the charset of the names before one is decoded.
pub(super) fn list(
    content: &FileRange,
    decoding: NameDecoding,
    members: &mut MemberIndexBuilder,
) -> io::Result<()> {
    let directory = directory::find(content)?;
    let mut sample = NameSample::default();
    match directory {
        Some(directory) => directory.gather_names(content, &mut sample)?,
        None => local_headers::gather_names(content, &mut sample)?,
    }
    let mut names = UnmarkedNames::new(sample, decoding);
    match directory {
        Some(directory) => directory.list(content, &mut names, members)?,
        None => local_headers::list(content, &mut names, members)?,
    }
    names.report(members);
    Ok(())
}
