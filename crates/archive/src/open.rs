//! Opens archives of every format for reading.
//!
//! # Limits
//! None.

use crate::error::{Error, ErrorKind, Operation, at};
use crate::file_names::is_named_mailbox;
use crate::input::{Input, InputRange};
use crate::layouts::{self, FileLayout, LayoutReader};
use crate::mbox::Mailbox;
use crate::message_files::Files;
use crate::message_stores::MessageStore;
use crate::open_input::open_input;
use crate::packed::{self, Through};
use crate::source::{Format, ReadOptions, Source};
use crate::tree_file::TreeFile;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// Opens a recognized archive for reading.
///
/// Standard input (`-`) is a mailbox if it begins with a separator or has several dated separators further on. Otherwise it is one
/// message.
///
/// # Errors
/// Rejects a single message without any header field, unless [`ReadOptions::force_format`] is set. Rejects a message store in a
/// stream or in a compressed file.
pub fn open(found: &Input, options: &ReadOptions) -> Result<Box<dyn Source>, Error> {
    let path = &found.path;
    if path.as_os_str() == "-" {
        return stream(path, io::stdin(), options);
    }
    if let Some(store) = found.store {
        return store.open(path, &found.tree, options);
    }
    Ok(match found.format {
        Format::Mbox if found.tree.is_container() => open_member(found, options)?,
        Format::Mbox => {
            let file = open_input(path)?;
            let metadata = file.metadata().map_err(at(path, Operation::Open))?;
            if metadata.is_dir() {
                return Err(Error::new(
                    path,
                    Operation::Open,
                    io::ErrorKind::IsADirectory,
                ));
            }
            if let Some(InputRange::Mailbox(range)) = &found.range {
                let mailbox = Mailbox::of_range(path, file, range, options);
                return Ok(Box::new(mailbox.map_err(at(path, Operation::Read))?));
            }
            if !metadata.is_file() {
                return stream(path, file, options);
            }
            if let Some(source) = layout(path, &file, found.packed.is_some(), options)? {
                return Ok(source);
            }
            if found.packed.is_some() {
                Box::new(Mailbox::from_packed(path, file, options)?)
            } else {
                Box::new(
                    Mailbox::from_file(path, file, options).map_err(at(path, Operation::Read))?,
                )
            }
        }
        Format::Maildir | Format::EmlTree => Box::new(Files::folder(found, options)?),
        Format::Eml => Box::new(Files::single(found, options)?),
    })
}

/// Returns true for a mailbox whose ranges can be read: a file of its own, not compressed, and of a `From ` or MMDF dialect.
///
/// # Errors
/// The file cannot be read.
pub fn is_mbox_file(found: &Input) -> Result<bool, Error> {
    let path = &found.path;
    if found.format != Format::Mbox || found.packed.is_some() || found.tree.is_container() {
        return Ok(false);
    }
    let file = open_input(path)?;
    let metadata = file.metadata().map_err(at(path, Operation::Open))?;
    if !metadata.is_file() {
        return Ok(false);
    }
    let failed = at(path, Operation::Read);
    Ok(file_layout(path, &file).map_err(failed)?.is_none())
}

/// Returns the layout of a mailbox that is a regular file, and rewinds it.
fn file_layout(path: &Path, mut file: &File) -> io::Result<Option<&'static FileLayout>> {
    let start = packed::beginning(&mut file, packed::BEGINNING)?;
    file.rewind()?;
    let layout = layouts::of_possible_mailbox(&start, is_named_mailbox(path), |most| {
        packed::beginning(&mut file, most)
    });
    file.rewind()?;
    layout
}

/// Returns the layout of a mailbox in a stream, compressed or not. Damage before the first byte is reported by the reader of mailboxes.
fn stream_layout(
    path: &Path,
    input: &mut Through,
    start: &[u8],
) -> io::Result<Option<&'static FileLayout>> {
    let is_named = is_named_mailbox(path) || is_named_mailbox(&path.with_extension(""));
    layouts::of_possible_mailbox(start, is_named, |most| input.peek(most))
}

/// Opens a mailbox in a container.
fn open_member(found: &Input, options: &ReadOptions) -> Result<Box<dyn Source>, Error> {
    let path = &found.path;
    let open = || found.tree.open(path).map_err(at(path, Operation::Open));
    let mut inside = match found.packed {
        Some(_) => found.tree.through(path, open()?, options.max_expansion)?,
        None => open()?.into_through(),
    };
    // Damage before the first byte is reported by the reader of mailboxes.
    let start = inside.peek(packed::BEGINNING).unwrap_or_default();
    reject_store(path, &start)?;
    let layout = stream_layout(path, &mut inside, &start).map_err(at(path, Operation::Read))?;
    if let Some(layout) = layout {
        let reader = LayoutReader::from_member(path, inside, &found.tree, layout, options);
        return Ok(Box::new(reader.map_err(at(path, Operation::Read))?));
    }
    let file = open()?;
    Ok(match file {
        TreeFile::Range(range) if found.packed.is_none() => {
            let mailbox = Mailbox::from_range(path, &found.tree, range, options);
            Box::new(mailbox.map_err(at(path, Operation::Read))?)
        }
        _ => Box::new(Mailbox::from_member(
            &found.path,
            &found.tree,
            found.packed,
            options,
        )?),
    })
}

/// Opens a stream, compressed or not.
fn stream(
    path: &Path,
    input: impl Read + Send + 'static,
    options: &ReadOptions,
) -> Result<Box<dyn Source>, Error> {
    let mut input = packed::through_on(path, input, options.max_expansion, options.threads)?;
    let start = input.peek(packed::BEGINNING);
    let start = start.map_err(at(path, Operation::Read))?;
    reject_store(path, &start)?;
    let layout = stream_layout(path, &mut input, &start).map_err(at(path, Operation::Read))?;
    if let Some(layout) = layout {
        let reader = LayoutReader::from_through(path, input, None, layout, options);
        return Ok(Box::new(reader.map_err(at(path, Operation::Read))?));
    }
    Ok(Box::new(Mailbox::from_through(path, input, options)?))
}

/// Rejects a message store in a stream or in a compressed file. The segments of a message lie anywhere in the store, so its reader
/// seeks, which a stream cannot do.
fn reject_store(path: &Path, start: &[u8]) -> Result<(), Error> {
    match MessageStore::of_file(start) {
        None => Ok(()),
        Some(store) => {
            let kind = ErrorKind::StoreInStream(store.name());
            Err(Error::new(path, Operation::Read, kind))
        }
    }
}

/// Opens a regular file whose first bytes are those of a layout other than mbox. Otherwise rewinds the file.
fn layout(
    path: &Path,
    mut file: &File,
    is_packed: bool,
    options: &ReadOptions,
) -> Result<Option<Box<dyn Source>>, Error> {
    let failed = at(path, Operation::Read);
    let again = file.try_clone().map_err(&failed)?;
    if !is_packed {
        return match file_layout(path, file).map_err(&failed)? {
            Some(layout) => {
                let reader = LayoutReader::from_file(path, again, layout, options);
                Ok(Some(Box::new(reader.map_err(failed)?)))
            }
            None => Ok(None),
        };
    }
    let mut input = packed::through_on(path, again, options.max_expansion, options.threads)?;
    // Damage before the first byte is reported by the reader of mailboxes.
    let start = input.peek(packed::BEGINNING).unwrap_or_default();
    reject_store(path, &start)?;
    if let Some(layout) = stream_layout(path, &mut input, &start).map_err(&failed)? {
        let reader = LayoutReader::from_through(path, input, Some(file), layout, options);
        return Ok(Some(Box::new(reader.map_err(failed)?)));
    }
    file.rewind().map_err(failed)?;
    Ok(None)
}
