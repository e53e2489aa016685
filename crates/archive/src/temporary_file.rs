//! A temporary file without a name, whose errors name its folder instead of the input.
//!
//! # Limits
//! The file lies in the folder that TMPDIR names, or else in `/tmp`. Stops before the disk is full.

use std::env;
use std::fs::File;
use std::io::{self, Write};

use crate::error::ErrorKind;
use crate::free_space::FreeSpace;
use rustix::io::Errno;

/// A temporary file without a name.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    file: File,
    space: FreeSpace,
}

impl TemporaryFile {
    /// Creates a file.
    pub(crate) fn create() -> io::Result<Self> {
        let file = tempfile::tempfile_in(env::temp_dir()).map_err(unusable)?;
        Ok(Self {
            file,
            space: FreeSpace::new(),
        })
    }

    /// Returns the file.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes).map_err(unusable)?;
        let checked = self.space.wrote(written as u64, &self.file);
        checked.map_err(unusable)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(unusable)
    }
}

/// Returns the error that names the folder of temporary files. One that can be repeated, or is about too many open files, stays.
pub(crate) fn unusable(error: io::Error) -> io::Error {
    let is_of_process = matches!(
        Errno::from_io_error(&error),
        Some(Errno::INTR | Errno::MFILE | Errno::NFILE)
    );
    if is_of_process {
        return error;
    }
    let folder = env::temp_dir();
    ErrorKind::TemporaryFolder { folder, error }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Operation};

    #[test]
    fn too_many_open_files_are_no_fault_of_the_folder() {
        for errno in [Errno::MFILE, Errno::NFILE, Errno::INTR] {
            let error = unusable(errno.into());
            assert_eq!(error.raw_os_error(), Some(errno.raw_os_error()));
        }
        assert_eq!(unusable(Errno::ACCESS.into()).raw_os_error(), None);
    }

    #[test]
    fn a_full_folder_is_named() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut file = TemporaryFile {
            file: full,
            space: FreeSpace::new(),
        };
        let error = file.write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let error = Error::new("a.zip", Operation::Read, error);
        let folder = env::temp_dir();
        let expected = format!(
            "a.zip: the folder of temporary files, {}, cannot be used: no space left on device",
            folder.display()
        );
        assert_eq!(error.to_string(), expected);
        assert!(error.lacks_resources());
    }
}
