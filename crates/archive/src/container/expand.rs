//! Decompresses a container to a temporary file without a name.
//!
//! # Limits
//! As those of the temporary file.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::expansion::FREE;
use crate::expansion::Meter;
use crate::file_range::FileRange;
use crate::packed::{CompressionEvents, ExpansionLimits, through_within};
use crate::temporary_file::TemporaryFile;
use crate::tree_file::TreeFile;

/// Bytes to copy at once.
const STEP: usize = 64 << 10;

/// Copies `input`, decompressed, to a temporary file. Adds the defects of the compression to `events`.
pub(super) fn expand(
    path: &Path,
    input: TreeFile,
    is_compressed: bool,
    (ratio, meter): (u64, Meter),
    events: &CompressionEvents,
) -> std::io::Result<FileRange> {
    let mut input: Box<dyn Read> = if is_compressed {
        let meter = Some(meter);
        let limits = ExpansionLimits {
            ratio,
            free: FREE,
            meter,
        };
        Box::new(through_within(path, input, limits, events)?)
    } else {
        Box::new(input)
    };
    let mut file = TemporaryFile::create()?;
    let mut buffer = vec![0; STEP];
    let mut size = 0;
    loop {
        let read = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        file.write_all(&buffer[..read])?;
        size += read as u64;
    }
    Ok(FileRange::new(Arc::new(file.into_file()), 0..size))
}
