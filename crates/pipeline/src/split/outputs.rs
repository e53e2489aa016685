//! Writes the outputs of a split: the sink of its stage.
//!
//! # Limits
//!
//! Outputs are siblings in one folder, whatever the labels and folders.

use super::job::{SplitBy, SplitJob};
use super::requote::{MessagePlace, requote};
use super::split_batch::{Convention, OpenEnd, SplitBatch, SplitPiece};
use crate::discover::SourceInput;
use crate::error::Error;
use crate::message_file_names;
use crate::progress::Progress;
use crate::run::{EndedSource, ResultSink};
use crate::unique_name::UniqueNames;
use mailglot_archive::replace::FolderReplacement;
use mailglot_archive::{
    Destination, Error as FileError, FileMode, Format, Operation, OutBatch, OutItem, WriteOptions,
    create_tree,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Bytes of all outputs that are kept in memory, so that few files are open.
const PENDING: usize = 16 << 20;

/// An output of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitOutput {
    /// Its name below the output folder.
    pub name: String,
    /// Number of messages in it.
    pub messages: u64,
    /// Bytes in it.
    pub bytes: u64,
}

/// The outputs of a split.
pub(super) struct Outputs<'a> {
    job: &'a SplitJob,
    writer: Writer,
    /// Numbers of outputs by their key, shortened, and convention.
    by_key: HashMap<(String, Convention), usize>,
    /// Names that are taken.
    taken: UniqueNames,
    pub(super) list: Vec<OpenOutput>,
    /// Numbers of the outputs of the current message.
    current: Vec<usize>,
    /// Messages written from the current source, each counted once.
    written: u64,
    /// Line ends that were added because another message follows.
    pub(super) ended_lines: u64,
    /// Separators that got another sender or time because a mailbox was quoted anew.
    pub(super) replaced_separators: u64,
    /// The sources so far, for error messages.
    pub(super) sources: Vec<PathBuf>,
}

/// An output that is being written.
pub(super) struct OpenOutput {
    pub(super) output: SplitOutput,
    pub(super) convention: Convention,
    /// The messages of a mailbox.
    pub(super) places: Vec<MessagePlace>,
    /// True if a message came in pieces.
    has_pieces: bool,
    /// Sum of the digests of its messages.
    pub(super) digests: u128,
    /// What must precede another message.
    open_end: OpenEnd,
    /// Where a blank line was missing between messages, as in the input.
    pub(super) gaps: Vec<Gap>,
    /// Bytes of the line ends that would fill the gaps.
    gap_bytes: u64,
    /// Bytes that are not in its file yet.
    pending: Vec<u8>,
    /// Name of the file of the last message in a folder.
    file: String,
}

/// A place between two messages without a blank line.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    /// Offset in the output.
    at: u64,
    /// The missing line end.
    line_end: &'static [u8],
}

enum Writer {
    /// Mailboxes in a folder, and the number of their bytes in memory.
    Mailboxes(Box<FolderReplacement>, FileMode, usize),
    /// Files in folders.
    Tree(Box<dyn Destination>),
}

impl<'a> Outputs<'a> {
    /// Creates the temporary folder.
    pub(super) fn new(job: &'a SplitJob, options: WriteOptions) -> Result<Self, Error> {
        let writer = if job.to == Format::Mbox {
            let root = FolderReplacement::create(&job.output, options);
            Writer::Mailboxes(Box::new(root.map_err(Error::Output)?), options.mode, 0)
        } else {
            Writer::Tree(create_tree(&job.output, options).map_err(Error::Output)?)
        };
        Ok(Self {
            job,
            writer,
            by_key: HashMap::new(),
            // A folder with such a name would make the whole a Maildir.
            taken: UniqueNames::without(&["cur", "new", "tmp"]),
            list: Vec::new(),
            current: Vec::new(),
            written: 0,
            ended_lines: 0,
            replaced_separators: 0,
            sources: Vec::new(),
        })
    }

    /// Writes the buffered messages, and returns the temporary folder of mailboxes.
    pub(super) fn flush(&mut self) -> Result<Option<&FolderReplacement>, Error> {
        let Writer::Mailboxes(root, mode, held) = &mut self.writer else {
            return Ok(None);
        };
        for open in &mut self.list {
            if open.pending.is_empty() {
                continue;
            }
            let path = root.temporary().join(&open.output.name);
            let file = if open.output.bytes == open.pending.len() as u64 {
                mode.create_file(&path)
            } else {
                OpenOptions::new().append(true).open(&path)
            };
            let written = file.and_then(|mut file| file.write_all(&open.pending));
            written.map_err(|error| cannot_write(root.path(), &open.output, error))?;
            open.pending = Vec::new();
        }
        *held = 0;
        Ok(Some(root))
    }

    /// Adds the blank lines that the output at `index` lacks. Returns false if it lacks none. Its bytes must be in its file.
    pub(super) fn fill_gaps(&mut self, index: usize) -> Result<bool, Error> {
        let Writer::Mailboxes(root, mode, _) = &self.writer else {
            return Ok(false);
        };
        let open = &mut self.list[index];
        let gaps = std::mem::take(&mut open.gaps);
        if gaps.is_empty() {
            return Ok(false);
        }
        let path = root.temporary().join(&open.output.name);
        // No other output has this ending.
        let new = root.temporary().join(format!("{}.tmp", open.output.name));
        let filled = fill(&path, &new, &gaps, *mode);
        filled.map_err(|error| cannot_write(root.path(), &open.output, error))?;
        open.output.bytes += std::mem::take(&mut open.gap_bytes);
        let (mut filled, mut added) = (gaps.iter().peekable(), 0);
        for place in &mut open.places {
            while let Some(gap) = filled.next_if(|gap| gap.at <= place.start) {
                added += gap.line_end.len() as u64;
            }
            place.start += added;
        }
        Ok(true)
    }

    /// Writes the output at `index` anew, with plain separators and the quoting of mboxrd. Returns false if a message came in pieces.
    pub(super) fn requote(&mut self, index: usize, progress: &Progress) -> Result<bool, Error> {
        let Writer::Mailboxes(root, mode, _) = &self.writer else {
            return Ok(false);
        };
        let open = &mut self.list[index];
        if open.has_pieces {
            return Ok(false);
        }
        let path = root.temporary().join(&open.output.name);
        let new = root.temporary().join(format!("{}.tmp", open.output.name));
        let quoting = open.convention.quoting();
        let done = requote(&path, &new, &mut open.places, quoting, *mode, progress);
        let done = done.map_err(|error| cannot_write(root.path(), &open.output, error))?;
        let done = done.ok_or(Error::Interrupted)?;
        open.convention = Convention::Mboxrd;
        open.output.bytes = done.bytes;
        // The other messages got their line ends when another one followed.
        self.ended_lines += u64::from(open.open_end.ends_line);
        self.replaced_separators += done.replaced;
        Ok(true)
    }

    /// Returns the temporary folder of outputs that are folders. None if they are mailboxes.
    pub(super) fn tree(&self) -> Option<&Path> {
        match &self.writer {
            Writer::Mailboxes(..) => None,
            Writer::Tree(tree) => tree.temporary(),
        }
    }

    /// Puts the folder into place. Returns its outputs.
    pub(super) fn commit(self) -> Result<Vec<SplitOutput>, Error> {
        match self.writer {
            Writer::Mailboxes(mut root, ..) => root.sync().and_then(|()| root.commit()),
            Writer::Tree(mut tree) => tree.sync().and_then(|()| tree.commit()),
        }
        .map_err(Error::Output)?;
        Ok(self.list.into_iter().map(|open| open.output).collect())
    }

    /// Chooses the outputs of a message of `length` bytes, which begins with `piece`.
    fn choose(&mut self, piece: &SplitPiece, length: u64) {
        self.current.clear();
        if let SplitBy::Size(most) = self.job.by {
            let fits = |open: &OpenOutput| {
                let line_ends = open.gap_bytes + open.open_end.line_ends.len() as u64;
                let with = open.output.bytes + line_ends + length;
                open.convention == piece.convention && !piece.more && with <= most
            };
            let last = self.list.len().checked_sub(1);
            let index = match last.filter(|last| fits(&self.list[*last])) {
                Some(last) => last,
                None => self.open(
                    &format!("part-{:05}", self.list.len() + 1),
                    piece.convention,
                ),
            };
            self.current.push(index);
            return;
        }
        for key in &piece.keys {
            let known = (shortened(key).into_owned(), piece.convention);
            let index = if let Some(index) = self.by_key.get(&known) {
                *index
            } else {
                let index = self.open(key, piece.convention);
                self.by_key.insert(known, index);
                index
            };
            self.current.push(index);
        }
    }

    /// Opens an output with a name that every file system accepts.
    fn open(&mut self, key: &str, convention: Convention) -> usize {
        let ending = if self.job.to == Format::Mbox {
            ".mbox"
        } else {
            ""
        };
        let name = format!("{}{ending}", message_file_names::readable(key));
        self.list.push(OpenOutput {
            output: SplitOutput {
                name: self.taken.add(&name),
                messages: 0,
                bytes: 0,
            },
            convention,
            places: Vec::new(),
            has_pieces: false,
            digests: 0,
            open_end: OpenEnd::default(),
            gaps: Vec::new(),
            gap_bytes: 0,
            pending: Vec::new(),
            file: String::new(),
        });
        self.list.len() - 1
    }

    fn write(&mut self, piece: &SplitPiece, bytes: &[u8]) -> Result<(), Error> {
        if !piece.continued {
            self.choose(piece, bytes.len() as u64);
            self.written += 1;
        }
        for index in &self.current {
            let open = &mut self.list[*index];
            let number = open.output.messages;
            if !piece.continued {
                open.output.messages += 1;
                open.digests = open.digests.wrapping_add(piece.digest);
            }
            match &mut self.writer {
                Writer::Mailboxes(_, _, held) => {
                    let before = open.pending.len();
                    open.has_pieces |= piece.more;
                    if !piece.continued {
                        self.ended_lines += u64::from(open.end_message());
                        let source = self.sources.len().saturating_sub(1);
                        let added = (open.pending.len() - before) as u64;
                        let start = open.output.bytes + added;
                        open.places.push(MessagePlace::of(piece, start, source));
                    }
                    open.pending.extend_from_slice(bytes);
                    open.open_end = piece.open_end;
                    let added = open.pending.len() - before;
                    open.output.bytes += added as u64;
                    *held += added;
                }
                Writer::Tree(tree) => {
                    // The name has the digest of the first piece. The other pieces follow it into its file.
                    if !piece.continued {
                        let message = message_file_names::message_name(
                            self.job.to,
                            number,
                            "",
                            piece.flags,
                            || message_file_names::digest([bytes]),
                        );
                        open.file = format!("{}/{message}", open.output.name);
                    }
                    let name = open.file.clone();
                    let folders =
                        (self.job.to == Format::Maildir && number == 0 && !piece.continued).then(
                            || ["new", "tmp"].map(|part| format!("{}/{part}/", open.output.name)),
                        );
                    open.output.bytes += bytes.len() as u64;
                    tree.write(&file(name, bytes, piece, folders.into_iter().flatten()))
                        .map_err(Error::Output)?;
                }
            }
        }
        if matches!(self.writer, Writer::Mailboxes(_, _, held) if held > PENDING) {
            self.flush()?;
        }
        Ok(())
    }
}

impl OpenOutput {
    /// Ends the last message before another one. Returns true if its last line got a line end.
    ///
    /// A blank line that the input lacks is only noted as a gap. [`Outputs::fill_gaps`] adds it if the output is not read as its messages.
    fn end_message(&mut self) -> bool {
        let line_ends = self.open_end.line_ends;
        if self.open_end.ends_line {
            self.pending.extend_from_slice(line_ends);
        } else if !line_ends.is_empty() {
            self.gap_bytes += line_ends.len() as u64;
            self.gaps.push(Gap {
                at: self.output.bytes,
                line_end: line_ends,
            });
        }
        self.open_end.ends_line
    }
}

/// Copies a file to `new` with the missing line ends, and gives the copy its name.
fn fill(path: &Path, new: &Path, gaps: &[Gap], mode: FileMode) -> io::Result<()> {
    let mut old = BufReader::new(File::open(path)?);
    let mut file = BufWriter::new(mode.create_file(new)?);
    let mut from = 0;
    for gap in gaps {
        io::copy(&mut old.by_ref().take(gap.at - from), &mut file)?;
        file.write_all(gap.line_end)?;
        from = gap.at;
    }
    io::copy(&mut old, &mut file)?;
    file.flush()?;
    fs::rename(new, path)
}

/// Returns a batch of one file with the bytes of a piece, after empty folders.
fn file(
    name: String,
    bytes: &[u8],
    piece: &SplitPiece,
    folders: impl Iterator<Item = String>,
) -> OutBatch {
    let folder = |name: String| OutItem {
        span: 0..0,
        inserts: Vec::new(),
        name: name.into_bytes(),
        more: false,
        modified: None,
    };
    let mut items: Vec<OutItem> = folders.map(folder).collect();
    items.push(OutItem {
        span: 0..bytes.len(),
        inserts: Vec::new(),
        name: name.into_bytes(),
        more: piece.more,
        modified: piece.modified,
    });
    OutBatch {
        bytes: bytes.to_vec(),
        source: Vec::new(),
        items,
    }
}

/// Returns the error of an output below `folder` that cannot be written.
fn cannot_write(folder: &Path, output: &SplitOutput, error: io::Error) -> Error {
    Error::Output(FileError::new(
        folder.join(&output.name),
        Operation::Write,
        error,
    ))
}

/// Returns a key of bounded length that only equal keys share: of a long one its beginning and its digest.
pub(super) fn shortened(key: &str) -> Cow<'_, str> {
    const LONGEST: usize = 200;
    if key.len() <= LONGEST {
        return Cow::Borrowed(key);
    }
    let head = &key[..key.floor_char_boundary(LONGEST)];
    Cow::Owned(format!("{head}{}", blake3::hash(key.as_bytes())))
}

impl ResultSink<SplitBatch> for Outputs<'_> {
    fn begin(&mut self, _: usize, source: &SourceInput) -> Result<(), Error> {
        self.written = 0;
        self.sources.push(source.found.path.clone());
        Ok(())
    }

    fn take(&mut self, batch: &mut SplitBatch) -> Result<ControlFlow<()>, Error> {
        for piece in &batch.pieces {
            self.write(piece, &batch.bytes[piece.span.clone()])?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, _: &EndedSource<'_>) -> Result<Option<u64>, Error> {
        Ok(Some(self.written))
    }
}
