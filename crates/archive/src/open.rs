//! Opens archives of every format for reading.
//!
//! # Limits
//! None.

use crate::error::{Error, Operation, at};
use crate::input::Input;
use crate::mbox::Mailbox;
use crate::message_files::Files;
use crate::packed;
use crate::regular::open_input;
use crate::source::{Format, ReadOptions, Source};
use std::io;

/// Opens a recognized archive for reading.
///
/// Standard input (`-`) is a mailbox if it begins with a separator or has several dated separators further on. Otherwise it is one
/// message.
///
/// # Errors
/// Rejects a single message without any header field, unless [`ReadOptions::force_format`] is set.
pub fn open(found: &Input, options: &ReadOptions) -> Result<Box<dyn Source>, Error> {
    let path = &found.path;
    if path.as_os_str() == "-" {
        let input = packed::through(path, io::stdin(), options.max_expansion)?;
        return Ok(Box::new(Mailbox::from_through(path, input, options)?));
    }
    Ok(match found.format {
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
            if found.packed.is_some() && metadata.is_file() {
                Box::new(Mailbox::from_packed(path, file, options)?)
            } else if metadata.is_file() {
                Box::new(
                    Mailbox::from_file(path, file, options).map_err(at(path, Operation::Read))?,
                )
            } else {
                let input = packed::through(path, file, options.max_expansion)?;
                Box::new(Mailbox::from_through(path, input, options)?)
            }
        }
        Format::Maildir | Format::EmlTree => Box::new(Files::folder(path, found.format, options)?),
        Format::Eml => Box::new(Files::single(path, options)?),
    })
}
