//! Reads the mailboxes of a split again, and compares their messages with those of the inputs.
//!
//! # Limits
//!
//! Compares sums of digests, so the order of messages is not compared. Messages above the size limit are only counted. Of outputs that
//! are folders, only the numbers of files and of bytes are compared.

use super::outputs::{OpenOutput, Outputs};
use super::requote::MessagePlace;
use super::split_batch::digest;
use crate::error::{Error, ReadBackError};
use crate::progress::Progress;
use crate::reader::begins_message;
use mailglot_archive::mbox::unquote;
use mailglot_archive::{Batch, Entry, EntryKind, Format, Input, ReadOptions, open};
use std::path::Path;
use std::{fs, io};

/// Checks that each mailbox below the temporary folder is read as the messages that were written to it, and that each folder has them.
///
/// Adds blank lines to a mailbox that is not read so without them, or quotes its messages anew.
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
        let check = |outputs: &Outputs<'_>| check_mailbox(outputs, index, &folder, place, progress);
        let mut checked = check(outputs);
        if matches!(checked, Err(Error::ReadBack(_))) && outputs.fill_gaps(index)? {
            checked = check(outputs);
        }
        if matches!(checked, Err(Error::ReadBack(_))) && outputs.requote(index, progress)? {
            checked = check(outputs);
        }
        checked?;
    }
    Ok(())
}

/// Checks that the mailbox with this number, in `folder`, is read as its messages. `place` is the final path of the folder.
fn check_mailbox(
    outputs: &Outputs<'_>,
    index: usize,
    folder: &Path,
    place: &Path,
    progress: &Progress,
) -> Result<(), Error> {
    let open = &outputs.list[index];
    let found = read(&folder.join(&open.output.name), open, progress)?;
    if (found.messages, found.digests) == (open.output.messages, open.digests) {
        return Ok(());
    }
    let first = found.first_misread.unwrap_or(found.messages);
    let last = open.places.len().saturating_sub(1);
    let misread = open.places.get(last.min(first as usize));
    let message = misread.map(|place| {
        let source = outputs.sources.get(place.source as usize);
        let source = source.map_or("-".into(), |path| path.display().to_string());
        (format!("{source}:{}", place.ordinal), place.start)
    });
    Err(Error::ReadBack(ReadBackError {
        path: place.join(&open.output.name),
        written: open.output.messages,
        read: found.messages,
        message,
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
            let metadata = item.metadata()?;
            if metadata.is_dir() {
                waiting.push(item.path());
            } else {
                files += 1;
                bytes += metadata.len();
            }
        }
    }
    Ok((files, bytes))
}

/// What was read from a new mailbox.
#[derive(Default)]
struct Reading {
    /// Number of its messages.
    messages: u64,
    /// Sum of their digests.
    digests: u128,
    /// Number of the first message that stands elsewhere than it was written, or has other bytes. From 0.
    first_misread: Option<u64>,
}

/// Reads a mailbox, and compares its messages with the places of those that were written.
fn read(path: &Path, open_output: &OpenOutput, progress: &Progress) -> Result<Reading, Error> {
    let input = Input::on_disk(path, Format::Mbox);
    let options = ReadOptions {
        force_format: true,
        ..ReadOptions::default()
    };
    let quoting = open_output.convention.quoting();
    let mut source = open(&input, &options).map_err(Error::Output)?;
    let (mut batch, mut more) = (Batch::default(), false);
    let mut found = Reading::default();
    while source.next(&mut batch).map_err(Error::Output)? {
        if progress.is_interrupted() {
            return Err(Error::Interrupted);
        }
        for entry in &batch.entries {
            let begins = begins_message(entry, more);
            more = entry.more;
            if begins && found.first_misread.is_none() {
                let place = open_output.places.get(found.messages as usize);
                let quoted = &batch.bytes[entry.message.clone()];
                let is_same = place.is_some_and(|place| is_at(entry, place))
                    && (entry.quoting == quoting
                        || unquote(quoted, entry.quoting) == unquote(quoted, quoting));
                found.first_misread = (!is_same).then_some(found.messages);
            }
            found.messages += u64::from(begins);
            if entry.kind == EntryKind::Message {
                let message = unquote(&batch.bytes[entry.message.clone()], entry.quoting);
                found.digests = found.digests.wrapping_add(digest(&message));
            }
        }
    }
    Ok(found)
}

/// Returns true if a message was read where it was written, with up to two more bytes at its end: a line end.
fn is_at(entry: &Entry, place: &MessagePlace) -> bool {
    let written = place.message as usize;
    entry.offset == place.start
        && (entry.kind != EntryKind::Message
            || (written..=written + 2).contains(&entry.message.len()))
}
