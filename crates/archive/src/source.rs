//! Where raw messages come from.

use crate::box_event::BoxEvent;
use crate::error::Error;
use std::ops::Range;

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

/// Flags of a message, from the name of its file or from sequences of MH; and the keywords `a` to `z` of a Maildir, by their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// Maildir `S`
    pub const SEEN: u32 = 1;
    /// Maildir `R`
    pub const REPLIED: u32 = 2;
    /// Maildir `F`
    pub const FLAGGED: u32 = 4;
    /// Maildir `T`
    pub const TRASHED: u32 = 8;
    /// Maildir `D`
    pub const DRAFT: u32 = 16;
    /// Maildir `P`
    pub const PASSED: u32 = 32;

    /// The bit of a keyword, which is a letter from `a` to `z`.
    pub fn keyword(letter: u8) -> Option<u32> {
        letter
            .is_ascii_lowercase()
            .then(|| 1 << (6 + letter - b'a'))
    }
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

/// What sniffing told about a mailbox, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// e.g. `mboxrd`, `mboxo`, `mboxcl2`, `MMDF`, `Maildir++`
    pub dialect: String,
    /// `LF`, `CRLF`, `CR`, `mixed`; for folders and single messages `as in each message`
    pub line_end: &'static str,
}

/// How many times its own size a compressed input may become, where nobody says otherwise.
///
/// Mail becomes 2 to 6 times smaller by gzip, and up to 20 times by xz where messages repeat each other.
pub const MAX_EXPANSION: u64 = 200;

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
    /// What becomes of a folder's display form in an output. Of folders that would become one all but the first get a number. The default
    /// looks at no folder.
    pub written_folder: Option<fn(&str) -> String>,
    /// How many times their own size compressed inputs may become (200). Reading stops there, as where they are cut off. The first
    /// 64 MiB of what is inside are free.
    pub max_expansion: u64,
    /// Reads files as messages that have no header field. The default refuses them: they are no mail.
    pub force_format: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            batch: 1 << 19,
            message_limit: 64 << 20,
            decode_name: |raw| String::from_utf8_lossy(raw).into_owned(),
            written_folder: None,
            max_expansion: MAX_EXPANSION,
            force_format: false,
        }
    }
}

/// An archive that is being read, front to back, in bounded memory.
pub trait Source: Send {
    /// Fills `batch` (cleared first; its allocations are reused) with the next entries; false at the end.
    /// In a folder, the call after an error goes on behind what could not be read.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error>;
    /// What sniffing told.
    fn profile(&self) -> &Profile;
    /// Bytes of the archive where they are known beforehand (for progress).
    fn size_hint(&self) -> Option<u64>;
    /// True when the input changed while it was read (size or modification time). Asked after the end.
    fn changed(&self) -> Result<bool, Error>;
}
