//! Options of a split.
//!
//! # Limits
//!
//! Nothing is checked here.

use crate::discover::Opening;
use crate::selection::Selection;
use mailglot_archive::Format;
use std::path::PathBuf;

/// A split of archives into several.
#[derive(Clone, Debug)]
pub struct SplitJob {
    /// Files and folders. `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The folder to create.
    pub output: PathBuf,
    /// What decides in which output a message is written.
    pub by: SplitBy,
    /// Format of the outputs: `Format::Mbox`, `Format::Maildir` or `Format::EmlTree`.
    pub to: Format,
    /// Writes a message with several labels once for each of the first 1,000. By default it is written for the first.
    pub copies: bool,
    /// How inputs are opened.
    pub opening: Opening,
    /// The messages to write.
    pub selection: Selection,
    /// Number of worker threads, at least 1. Does not affect the outputs.
    pub threads: usize,
}

/// What decides in which output a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitBy {
    /// The size: an output ends before the message with which it would exceed this number of bytes.
    Size(u64),
    /// The year of the message's date, in the sender's zone.
    Year,
    /// The labels in `X-Gmail-Labels`.
    Label,
    /// The folder in its archive, or the mailbox.
    Folder,
    /// The address of the first mailbox in From, in lower case.
    From,
}
