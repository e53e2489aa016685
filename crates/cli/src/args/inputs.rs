//! The arguments that name inputs, for all commands that read archives.

use crate::exit::Failure;
use clap::Args as Group;
use mailglot_archive::words;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The inputs of a command.
#[derive(Debug, Group)]
pub(crate) struct InputArgs {
    /// Mailboxes, folders or messages; `-` is standard input.
    #[arg(value_name = "INPUT", required_unless_present = "files0_from")]
    inputs: Vec<PathBuf>,
    /// Also read the inputs named in FILE, each ended by NUL, as `find -print0` writes them; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    files0_from: Option<PathBuf>,
}

impl InputArgs {
    /// Returns the inputs, with those that a file names.
    ///
    /// # Errors
    /// The file cannot be read or names nothing, or standard input is both list and input.
    pub(crate) fn paths(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut paths = self.inputs.clone();
        let Some(list) = &self.files0_from else {
            return Ok(paths);
        };
        let mut bytes = Vec::new();
        let read = if list.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            fs::read(list).map(|read| bytes = read)
        };
        let wrong = |text: &str| {
            let text = format!("--files0-from {}: {text}", list.display());
            Failure::usage(text)
        };
        read.map_err(|error| wrong(&words(&error)))?;
        let names = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        if !names.is_empty() {
            for name in names.split(|byte| *byte == 0) {
                if name.is_empty() {
                    return Err(wrong("a name is empty"));
                }
                paths.push(OsStr::from_bytes(name).into());
            }
        }
        if paths.is_empty() {
            return Err(wrong("names no input"));
        }
        if list.as_os_str() == "-" && paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(wrong("standard input is the list, and cannot be an input"));
        }
        Ok(paths)
    }
}
