//! Writes the small files of a job in parts, whole or not at all.
//!
//! # Limits
//! Takes the content as a whole.

use crate::error::Error;
use mailglot_archive::replace::Replacement;
use mailglot_archive::{Error as FileError, Operation, WriteOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file, and syncs it.
pub(super) fn write_file(place: &Path, content: &[u8], options: WriteOptions) -> Result<(), Error> {
    let mut file = Replacement::create(place, options).map_err(Error::Output)?;
    let written = file.write_all(content);
    written.map_err(failed(place, Operation::Write))?;
    file.commit().map_err(Error::Output)
}

/// Returns a function that adds path and operation to an error of an output.
pub(super) fn failed(path: &Path, operation: Operation) -> impl Fn(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::Output(FileError::new(&path, operation, error))
}
