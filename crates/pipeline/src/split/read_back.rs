//! Reads the mailboxes of a split again, and compares their messages with those of the inputs.
//!
//! # Limits
//!
//! Compares sums of digests, so the order of messages is not compared. Messages above the size limit are only counted. Of outputs that
//! are folders, only the numbers of files and of bytes are compared.

use super::outputs::{OpenOutput, Outputs};
use super::split_batch::digest;
use crate::error::{Error, ReadBackError};
use crate::progress::Progress;
use crate::reader::begins_message;
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, EntryKind, Format, Input, ReadOptions, open};
use std::path::Path;
use std::{fs, io};

/// Checks that each mailbox below the temporary folder is read as the messages that were written to it, and that each folder has them.
///
/// Adds blank lines to a mailbox that is not read so without them.
///
/// # Errors
/// A mailbox would be read as other messages, or a folder has more or fewer bytes. `place` is the final path of the folder.
pub(super) fn check(
    outputs: &mut Outputs<'_>,
    place: &Path,
    progress: &Progress,
) -> Result<(), Error> {
    let Some(root) = outputs.flush()? else {
        return check_folders(outputs, place);
    };
    let folder = root.temporary().to_owned();
    for index in 0..outputs.list.len() {
        let mut checked = check_mailbox(&outputs.list[index], &folder, place, progress);
        if matches!(checked, Err(Error::ReadBack(_))) && outputs.fill_gaps(index)? {
            checked = check_mailbox(&outputs.list[index], &folder, place, progress);
        }
        checked?;
    }
    Ok(())
}

/// Checks that a mailbox in `folder` is read as its messages. `place` is the final path of the folder.
fn check_mailbox(
    open: &OpenOutput,
    folder: &Path,
    place: &Path,
    progress: &Progress,
) -> Result<(), Error> {
    let (messages, digests) = read(&folder.join(&open.output.name), progress)?;
    if (messages, digests) == (open.output.messages, open.digests) {
        return Ok(());
    }
    Err(Error::ReadBack(ReadBackError {
        path: place.join(&open.output.name),
        written: open.output.messages,
        read: messages,
    }))
}

/// Compares the numbers of files and bytes of outputs that are folders with those of their messages.
fn check_folders(outputs: &Outputs<'_>, place: &Path) -> Result<(), Error> {
    let Some(root) = outputs.tree() else {
        return Ok(());
    };
    for open in &outputs.list {
        let internal = |error| Error::Internal(place.join(&open.output.name), error);
        let (files, bytes) = measure(&root.join(&open.output.name)).map_err(internal)?;
        if (files, bytes) != (open.output.messages, open.output.bytes) {
            let other = format!(
                "{files} files of {bytes} bytes instead of {} of {} bytes",
                open.output.messages, open.output.bytes
            );
            return Err(internal(io::Error::other(other)));
        }
    }
    Ok(())
}

/// Returns the number of files below a folder, and the sum of their lengths in bytes.
fn measure(folder: &Path) -> io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for item in fs::read_dir(folder)? {
            let item = item?;
            let of = item.metadata()?;
            if of.is_dir() {
                waiting.push(item.path());
            } else {
                files += 1;
                bytes += of.len();
            }
        }
    }
    Ok((files, bytes))
}

/// Returns the number of messages in a mailbox, and the sum of their digests.
fn read(path: &Path, progress: &Progress) -> Result<(u64, u128), Error> {
    let input = Input::on_disk(path, Format::Mbox);
    let options = ReadOptions {
        force_format: true,
        ..ReadOptions::default()
    };
    let mut source = open(&input, &options).map_err(Error::Output)?;
    let (mut batch, mut more) = (Batch::default(), false);
    let (mut messages, mut digests) = (0, 0u128);
    while source.next(&mut batch).map_err(Error::Output)? {
        if progress.is_interrupted() {
            return Err(Error::Interrupted);
        }
        for entry in &batch.entries {
            messages += u64::from(begins_message(entry, more));
            more = entry.more;
            if entry.kind == EntryKind::Message {
                let message = unquote(&batch.bytes[entry.message.clone()], entry.quoting);
                digests = digests.wrapping_add(digest(&message));
            }
        }
    }
    Ok((messages, digests))
}
