//! Where raw messages come from.
//!
//! # Limits
//! Mail stores of single programs are not recognised. An MH folder is part of a tree of messages, and is written as one. Symbolic links below a folder are not followed. Of what is compressed,
//! mailboxes alone are read through it, in gzip, zstd, bzip2 and xz; single messages are not. A file that cannot be read through at all is left alone.

use std::fs::{self, File, FileType};
use std::io::{self, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::eml::Files;
use crate::maildir;
use crate::mbox::{self, Mailbox};
use crate::mh;
use crate::packed::{self, Packing};
use crate::replace::with_path;

/// Form of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One file of many messages (every mbox dialect, MMDF).
    Mbox,
    /// Maildir or Maildir++.
    Maildir,
    /// A folder tree of `.eml` files, and of messages that are named by numbers (MH).
    EmlTree,
    /// One message in one file.
    Eml,
}

/// An input that was recognised: one file or folder that is one archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path as given (or found below a folder that was given); `-` is standard input.
    pub path: PathBuf,
    /// Its form.
    pub format: Format,
    /// What has to be read through to reach a mailbox; of a stream it is found out when it is opened.
    pub packed: Option<Packing>,
}

/// How `From ` lines inside messages are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quoting {
    /// Not at all (mboxcl2, MMDF, Maildir, eml).
    None,
    /// `From ` became `>From ` (mboxo).
    Mboxo,
    /// Every `^>*From ` got one more `>` (mboxrd).
    Mboxrd,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A message.
    Message,
    /// A message beyond the limit, handed on in pieces.
    Oversize,
    /// Bytes of a mailbox that belong to no message (byte order mark, blank lines before the first separator).
    Gap,
    /// A file of a folder that is no message (`dovecot-uidlist`, …), handed on in pieces.
    Other,
    /// A folder (so that empty ones come back).
    Directory,
}

/// Flags of a message, from Maildir names or Status fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// Maildir `S`
    pub const SEEN: u8 = 1;
    /// Maildir `R`
    pub const REPLIED: u8 = 2;
    /// Maildir `F`
    pub const FLAGGED: u8 = 4;
    /// Maildir `T`
    pub const TRASHED: u8 = 8;
    /// Maildir `D`
    pub const DRAFT: u8 = 16;
    /// Maildir `P`
    pub const PASSED: u8 = 32;
}

/// One piece of an archive. The entries of all batches, in order, tile the archive's files (law 6).
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// This entry goes on in the next one (only Oversize and Other).
    pub more: bool,
    /// Ordinal of the message in its file (mbox) or archive (folders), from 0; for a gap that of the next message.
    pub ordinal: u64,
    /// Offset of the entry's first byte in its file.
    pub offset: u64,
    /// The whole entry in [`Batch::bytes`]: separator, message, trailer.
    pub span: Range<usize>,
    /// The message inside it, still quoted. Bytes before are the separator line(s), bytes after the trailer (a blank line, an MMDF delimiter).
    pub message: Range<usize>,
    /// How `From ` lines in the message are quoted.
    pub quoting: Quoting,
    /// Whether the words `From ` occur anywhere in the message; None where nobody has looked.
    pub froms: Option<bool>,
    /// Flags.
    pub flags: Flags,
    /// Path below the archive's root for a file of a folder, as bytes with `/`; empty for mbox and single files.
    pub name: Vec<u8>,
    /// Folder in display form (UTF-8, `/` between levels); empty for the root.
    pub folder: String,
}

/// A run of entries, about [`ReadOptions::batch`] bytes of them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Bytes of all entries, one after the other.
    pub bytes: Vec<u8>,
    /// In archive order.
    pub entries: Vec<Entry>,
    /// What was found while splitting.
    pub events: Vec<BoxEvent>,
}

/// Code of a [`BoxEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BoxEventKind {
    /// `mbox.ambiguous-from`
    AmbiguousFrom,
    /// `mbox.bad-length`
    BadLength,
    /// `mbox.quoting-guess`
    QuotingGuess,
    /// `mbox.prelude`
    Prelude,
    /// `mbox.single`
    Single,
    /// `box.gap`
    Gap,
    /// `box.truncated`
    Truncated,
    /// `box.not-followed`
    NotFollowed,
    /// `box.packed`
    Packed,
    /// `box.no-mail`
    NoMail,
    /// `box.trailing-bytes`
    TrailingBytes,
    /// `box.damaged`
    Damaged,
    /// `msg.too-large`
    TooLarge,
}

impl BoxEventKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::AmbiguousFrom,
        Self::BadLength,
        Self::QuotingGuess,
        Self::Prelude,
        Self::Single,
        Self::Gap,
        Self::Truncated,
        Self::NotFollowed,
        Self::Packed,
        Self::NoMail,
        Self::TrailingBytes,
        Self::Damaged,
        Self::TooLarge,
    ];

    /// True for what lost something that may be mail (severity `loss`).
    pub fn is_loss(self) -> bool {
        self == Self::Damaged
    }

    /// True for what was read in spite of a defect (severity `repair`). All others are of severity `info`.
    pub fn is_repair(self) -> bool {
        self == Self::TrailingBytes
    }

    /// The stable code, as in EVENTS.md.
    pub fn code(self) -> &'static str {
        match self {
            Self::AmbiguousFrom => "mbox.ambiguous-from",
            Self::BadLength => "mbox.bad-length",
            Self::QuotingGuess => "mbox.quoting-guess",
            Self::Prelude => "mbox.prelude",
            Self::Single => "mbox.single",
            Self::Gap => "box.gap",
            Self::Truncated => "box.truncated",
            Self::NotFollowed => "box.not-followed",
            Self::Packed => "box.packed",
            Self::NoMail => "box.no-mail",
            Self::TrailingBytes => "box.trailing-bytes",
            Self::Damaged => "box.damaged",
            Self::TooLarge => "msg.too-large",
        }
    }
}

/// Something found in an archive, outside its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxEvent {
    /// What.
    pub kind: BoxEventKind,
    /// Offset in the file; what is told of compression has offsets in the compressed one.
    pub offset: u64,
    /// More words.
    pub detail: String,
}

/// What sniffing told about a mailbox, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// e.g. `mboxrd`, `mboxo`, `mboxcl2`, `MMDF`, `Maildir++`
    pub dialect: String,
    /// `LF`, `CRLF`, `CR`, `mixed`; for folders and single messages `as in each message`
    pub line_end: &'static str,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Aim for this many bytes a batch (512 KiB: it and what becomes of it stay in a processor's cache). The cut does not depend on
    /// threads.
    pub batch: usize,
    /// A message above this many bytes comes in pieces (64 MiB).
    pub message_limit: usize,
    /// Turns one level of a Maildir++ folder name into UTF-8 (modified UTF-7, RFC 3501 section 5.1.3). Not asked
    /// for names that are valid UTF-8 with non-ASCII characters. The default replaces what is no UTF-8.
    pub decode_name: fn(&[u8]) -> String,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            batch: 1 << 19,
            message_limit: 64 << 20,
            decode_name: |raw| String::from_utf8_lossy(raw).into_owned(),
        }
    }
}

/// An archive that is being read, front to back, in bounded memory.
pub trait Source: Send {
    /// Fills `batch` (cleared first; its allocations are reused) with the next entries; false at the end.
    /// In a folder, the call after an error goes on behind what could not be read.
    fn next(&mut self, batch: &mut Batch) -> io::Result<bool>;
    /// What sniffing told.
    fn profile(&self) -> &Profile;
    /// Bytes of the archive where they are known beforehand (for progress).
    fn size_hint(&self) -> Option<u64>;
    /// True when the input changed while it was read (size or modification time). Asked after the end.
    fn changed(&self) -> io::Result<bool>;
}

/// Recognises what a path is. A folder that is neither Maildir nor Apple `X.mbox/` is searched: every mbox file and every
/// Maildir below it is one archive, all `.eml` files and MH folders together one tree, which comes first. `-` is standard input.
pub fn recognize(path: &Path) -> io::Result<Vec<Found>> {
    recognize_with(path, &mut |left| match left {
        LeftOut::Unread(error) => Err(error),
        LeftOut::Noted(_) => Ok(()),
    })
}

/// What a search leaves out.
#[derive(Debug)]
pub enum LeftOut {
    /// A file or folder that cannot be read.
    Unread(io::Error),
    /// What is not looked into: a link, a device, a compressed file, a file that is no mail. Where a tree is among what is found, it tells
    /// of these itself.
    Noted(BoxEvent),
}

/// [`recognize`], with a say in what happens with what is left out below `path`: `left_out` gives an error to end the search, or the search
/// goes on.
pub fn recognize_with(
    path: &Path,
    left_out: &mut dyn FnMut(LeftOut) -> io::Result<()>,
) -> io::Result<Vec<Found>> {
    let found = |path: &Path, format| Found { path: path.to_owned(), format, packed: None };
    if path.as_os_str() == "-" {
        return Ok(vec![found(path, Format::Mbox)]);
    }
    let metadata = fs::metadata(path).map_err(|error| with_path(path, &error))?;
    if metadata.is_file()
        && let Some(packing) = packing(path)?
    {
        return if packing.is_read() {
            Ok(vec![Found { packed: Some(packing), ..found(path, Format::Mbox) }])
        } else {
            Err(packing.refused(path))
        };
    }
    if !metadata.is_dir() {
        let empty = metadata.len() == 0 && !is_eml(path);
        let mailbox = empty || matches!(FileKind::of(path)?, FileKind::Mailbox(_));
        return Ok(vec![found(path, if mailbox { Format::Mbox } else { Format::Eml })]);
    }
    let mut beside = Vec::new();
    if let Some(archive) = folder_archive(path) {
        if archive.format == Format::Mbox {
            apple_files(path, path, &mut beside)?;
            tell(beside, left_out)?;
        }
        return Ok(vec![archive]);
    }
    let mut archives = Vec::new();
    let mut has_messages = false;
    let mut noted = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut below = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if folder == path => return Err(with_path(&folder, &error)),
            Err(error) => {
                left_out(LeftOut::Unread(with_path(&folder, &error)))?;
                continue;
            }
        };
        for entry in entries {
            let entry = entry.map_err(|error| with_path(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| with_path(&entry.path(), &error))?;
            let file = entry.path();
            let name = file.strip_prefix(path).unwrap_or(&file).as_os_str().as_encoded_bytes();
            if kind.is_dir() {
                match folder_archive(&file) {
                    Some(archive) => {
                        if archive.format == Format::Mbox {
                            apple_files(path, &file, &mut beside)?;
                        }
                        archives.push(archive);
                    }
                    None => below.push(file),
                }
            } else if !kind.is_file() {
                noted.push(not_followed(kind, name));
            } else if is_eml(&file) {
                has_messages = true;
            } else {
                match FileKind::of(&file) {
                    Ok(FileKind::Mailbox(packed)) => {
                        archives.push(Found { packed, ..found(&file, Format::Mbox) });
                    }
                    Ok(FileKind::Message) => has_messages = true,
                    Ok(FileKind::LeftAlone(packing)) => noted.push(left_alone(packing, name)),
                    Ok(FileKind::Other) => noted.push(no_mail(name, false)),
                    Err(error) => left_out(LeftOut::Unread(error))?,
                }
            }
        }
        folders.append(&mut below);
    }
    archives.sort_by(|a, b| a.path.cmp(&b.path));
    if has_messages {
        archives.insert(0, found(path, Format::EmlTree));
    } else {
        beside.append(&mut noted);
    }
    tell(beside, left_out)?;
    Ok(archives)
}

/// Tells of what was left out, in the order of the words.
fn tell(mut events: Vec<BoxEvent>, left_out: &mut dyn FnMut(LeftOut) -> io::Result<()>) -> io::Result<()> {
    events.sort_by(|a, b| a.detail.cmp(&b.detail));
    events.into_iter().try_for_each(|event| left_out(LeftOut::Noted(event)))
}

/// Opens a recognised archive for reading. Standard input (`-`) is a mailbox when it begins with a separator, else one message.
pub fn open(found: &Found, options: &ReadOptions) -> io::Result<Box<dyn Source>> {
    let path = &found.path;
    let failed = |error| with_path(path, &error);
    if path.as_os_str() == "-" {
        let input = packed::through(path, io::stdin())?;
        return Ok(Box::new(Mailbox::from_through(path, input, options)?));
    }
    Ok(match found.format {
        Format::Mbox => {
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            if metadata.is_dir() {
                return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
            }
            if found.packed.is_some() && metadata.is_file() {
                Box::new(Mailbox::from_packed(path, file, options)?)
            } else if metadata.is_file() {
                Box::new(Mailbox::from_file(path, file, options).map_err(failed)?)
            } else {
                let input = packed::through(path, file)?;
                Box::new(Mailbox::from_through(path, input, options)?)
            }
        }
        Format::Maildir | Format::EmlTree => Box::new(Files::folder(path, found.format, options)?),
        Format::Eml => Box::new(Files::single(path, options)?),
    })
}

/// A folder that is one archive by itself.
fn folder_archive(path: &Path) -> Option<Found> {
    if is_apple_folder(path) {
        return Some(Found { path: path.join("mbox"), format: Format::Mbox, packed: None });
    }
    maildir::is_root(path).then(|| Found { path: path.to_owned(), format: Format::Maildir, packed: None })
}

/// Tells of the files beside the mailbox in a folder of Apple Mail; their names are told below `root`.
fn apple_files(root: &Path, folder: &Path, events: &mut Vec<BoxEvent>) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        let failed = |error| with_path(&inner, &error);
        for entry in fs::read_dir(&inner).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (file, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            let name = file.strip_prefix(root).unwrap_or(&file).as_os_str().as_encoded_bytes();
            if kind.is_dir() {
                folders.push(file);
            } else if !kind.is_file() {
                events.push(not_followed(kind, name));
            } else if file != folder.join("mbox") {
                events.push(no_mail(name, false));
            }
        }
    }
    Ok(())
}

/// Apple Mail's `X.mbox/` with the mailbox in it.
pub(crate) fn is_apple_folder(path: &Path) -> bool {
    extension_is(path, &["mbox"]) && path.join("mbox").is_file()
}

/// True for `*.eml`.
pub(crate) fn is_eml(path: &Path) -> bool {
    extension_is(path, &["eml"])
}

/// What a file is that is no `.eml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A mailbox, by its name or by its first line, and what has to be read through. Pipes are mailboxes.
    Mailbox(Option<Packing>),
    /// A message of an MH folder.
    Message,
    /// It may be mail, but is in a form that is not read.
    LeftAlone(Packing),
    /// No mail.
    Other,
}

impl FileKind {
    /// Looks at a file.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Self::look(path).map_err(|error| with_path(path, &error))
    }

    fn look(path: &Path) -> io::Result<Self> {
        if is_eml(path) {
            return Ok(Self::Other);
        }
        // A pipe can be opened once only.
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Ok(Self::Mailbox(None));
        }
        let numbered = mh::number(path.file_name().unwrap_or_default().as_encoded_bytes()).is_some();
        if numbered && path.with_file_name(mh::SEQUENCES).is_file() {
            return Ok(Self::Message);
        }
        let mut file = File::open(path)?;
        let start = packed::beginning(&mut file, 512)?;
        match Packing::of(&start) {
            Some(packing) if packing.is_read() => {
                let inner = path.with_extension("");
                if is_eml(&inner) {
                    return Ok(Self::LeftAlone(packing));
                }
                file.rewind()?;
                let mut inside = packed::through(path, file)?;
                let start = packed::beginning(&mut inside, mbox::BEGINNING)?;
                if start.is_empty() && !inside.told.take().is_empty() {
                    return Ok(Self::LeftAlone(packing));
                }
                let mailbox = is_named_mailbox(&inner) || mbox::begins(&start)?;
                Ok(if mailbox { Self::Mailbox(Some(packing)) } else { Self::Other })
            }
            Some(packing) if packed::may_be_mail(&start, packing) => Ok(Self::LeftAlone(packing)),
            _ if is_named_mailbox(path) => Ok(Self::Mailbox(None)),
            _ if mbox::is_mailbox(&file, metadata.len())? => Ok(Self::Mailbox(None)),
            _ if numbered && mbox::looks_like_message(&start) => Ok(Self::Message),
            _ => Ok(Self::Other),
        }
    }
}

/// What a file that was named is packed in.
fn packing(path: &Path) -> io::Result<Option<Packing>> {
    let start = File::open(path).and_then(|mut file| packed::beginning(&mut file, 16));
    Ok(Packing::of(&start.map_err(|error| with_path(path, &error))?))
}

/// What is told of a link, a device, a pipe or a socket in a folder.
pub(crate) fn not_followed(kind: FileType, name: &[u8]) -> BoxEvent {
    let what = if kind.is_symlink() { "symbolic link" } else { "special file" };
    let detail = format!("{what} not followed: {}", String::from_utf8_lossy(name));
    BoxEvent { kind: BoxEventKind::NotFollowed, offset: 0, detail }
}

/// What is told of a file that is not looked into.
pub(crate) fn left_alone(packing: Packing, name: &[u8]) -> BoxEvent {
    let detail = format!("{}, left as it is: {}", packing.words(), String::from_utf8_lossy(name));
    BoxEvent { kind: BoxEventKind::Packed, offset: 0, detail }
}

/// What is told of a file that is no mail. In a tree of messages it is `kept` by the ledger.
pub(crate) fn no_mail(name: &[u8], kept: bool) -> BoxEvent {
    let place = if kept { "left out" } else { "left out, of a ledger too" };
    let detail = format!("no mail, {place}: {}", String::from_utf8_lossy(name));
    BoxEvent { kind: BoxEventKind::NoMail, offset: 0, detail }
}

fn is_named_mailbox(path: &Path) -> bool {
    extension_is(path, &["mbox", "mbx", "mboxrd", "mboxo", "mboxcl", "mboxcl2"])
}

fn extension_is(path: &Path, wanted: &[&str]) -> bool {
    path.extension()
        .is_some_and(|extension| wanted.iter().any(|wanted| extension.eq_ignore_ascii_case(wanted)))
}
