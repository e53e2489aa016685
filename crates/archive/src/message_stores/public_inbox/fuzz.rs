//! Reads any bytes as the output of `git`, for fuzzing.
//!
//! # Limits
//! Starts no `git`.

use std::io::{self, Read};

use super::blobs::{BlobLine, read_line};
use super::file_changes::{DiffOutput, read_output};

/// Reads bytes as the output of `git cat-file --batch`, and of `git diff-tree`. Returns the number of objects, and of changes.
///
/// Both end at what is not such output.
#[doc(hidden)]
pub fn read_git_output(bytes: &[u8]) -> (u64, u64) {
    let (mut objects, mut changes) = (0, 0);
    let mut output = bytes;
    while let Ok(BlobLine::Blob(_, size) | BlobLine::Other(_, size)) = read_line(&mut output) {
        objects += 1;
        let skipped = io::copy(&mut output.by_ref().take(size), &mut io::sink());
        if skipped.ok() != Some(size) || output.split_off_first() != Some(&b'\n') {
            break;
        }
    }
    let mut output = bytes;
    while let Ok(DiffOutput::Trees(..) | DiffOutput::FileChange(_) | DiffOutput::Mark) =
        read_output(&mut output)
    {
        changes += 1;
    }
    (objects, changes)
}
