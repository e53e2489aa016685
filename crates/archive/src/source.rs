//! Reads archives as batches of entries: the `Source` trait and its types.

use crate::box_event::BoxEvent;
use crate::error::Error;
use crate::files_ahead::{FilesAhead, ReadFiles};
use crate::mailbox_options::MailboxOptions;
use std::borrow::Cow;
use std::ops::Range;
use std::time::SystemTime;

/// Format of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One file of many messages: every mbox dialect, MMDF, Babyl, and mbx of UW imapd.
    Mbox,
    /// Maildir or Maildir++.
    Maildir,
    /// A folder tree of `.eml`, `.emlx` and `.mht` files, and of messages named by numbers (MH). Message stores are read like one.
    EmlTree,
    /// One message in one file.
    Eml,
}

/// How `From ` lines in messages are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Quoting {
    /// Not at all (mboxcl2, MMDF, Maildir, eml).
    None,
    /// `From ` became `>From ` (mboxo).
    Mboxo,
    /// Every `^>*From ` got one more `>` (mboxrd).
    Mboxrd,
}

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A message.
    Message,
    /// A message above the size limit, returned in pieces.
    Oversize,
    /// Bytes of a mailbox outside any message (byte order mark, blank lines before the first separator).
    Gap,
    /// A file of a folder that is not a message (`dovecot-uidlist`, …), returned in pieces.
    Other,
    /// A folder, so that empty folders can be restored.
    Directory,
}

/// Flags of a message, from its file name, its file or the MH sequences, and the Maildir keywords `a` to `z` by their letters.
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

    /// Returns the bit of a keyword letter from `a` to `z`.
    pub fn keyword(letter: u8) -> Option<u32> {
        letter
            .is_ascii_lowercase()
            .then(|| 1 << (6 + letter - b'a'))
    }
}

/// A piece of an archive. The entries of all batches, in order, tile the archive's files:
/// their bytes, one after the other, equal the files.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind.
    pub kind: EntryKind,
    /// The next entry continues this one (only Oversize and Other).
    pub more: bool,
    /// Ordinal of the message in its file (mbox) or archive (folders), from 0. A gap has the ordinal of the next message.
    pub ordinal: u64,
    /// Offset of the entry's first byte in its file.
    pub offset: u64,
    /// Range of the whole entry in [`Batch::bytes`]: separator, message, trailer.
    pub span: Range<usize>,
    /// Range of the message in [`Batch::bytes`], still quoted. The separator lines precede it; the trailer (a blank line, an MMDF
    /// delimiter) follows it.
    pub message: Range<usize>,
    /// Bytes inside [`Self::message`] that do not belong to it: in Babyl, the second copy of the header. Often empty.
    pub omitted: Range<usize>,
    /// How `From ` lines in the message are quoted.
    pub quoting: Quoting,
    /// True if `From ` occurs anywhere in the message. None if that was not examined.
    pub froms: Option<bool>,
    /// Flags.
    pub flags: Flags,
    /// Path below the archive's root with `/` separators, as bytes. Empty for mbox and single files.
    pub name: Vec<u8>,
    /// Display name of the folder (UTF-8, `/` between levels). Empty for the root.
    pub folder: String,
    /// Modification time of the file of a message on a disk.
    pub modified: Option<SystemTime>,
    /// BLAKE3 of the span, if it is a whole file that another thread read and hashed.
    pub digest: Option<[u8; 32]>,
}

impl Entry {
    /// Returns the only or last entry of a message or file. Its whole span is message text, without quoting, flags and names.
    pub fn new(kind: EntryKind, ordinal: u64, offset: u64, span: Range<usize>) -> Self {
        Self {
            kind,
            more: false,
            ordinal,
            offset,
            message: span.clone(),
            span,
            omitted: 0..0,
            quoting: Quoting::None,
            froms: None,
            flags: Flags::default(),
            name: Vec::new(),
            folder: String::new(),
            modified: None,
            digest: None,
        }
    }

    /// Returns the message in the bytes of its batch, still quoted, without the omitted range.
    pub fn message_in<'b>(&self, batch: &'b [u8]) -> Cow<'b, [u8]> {
        let message = &batch[self.message.clone()];
        if self.omitted.is_empty() {
            return Cow::Borrowed(message);
        }
        let before = &batch[self.message.start..self.omitted.start];
        let after = &batch[self.omitted.end..self.message.end];
        Cow::Owned([before, after].concat())
    }
}

/// A run of entries of about [`ReadOptions::batch`] bytes.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Bytes of all entries, one after the other.
    pub bytes: Vec<u8>,
    /// The entries, in archive order.
    pub entries: Vec<Entry>,
    /// Events found while splitting.
    pub events: Vec<BoxEvent>,
}

/// Results of sniffing a mailbox, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// E.g. `mboxrd`, `mboxo`, `mboxcl2`, `MMDF`, `Babyl`, `Maildir++`.
    pub dialect: String,
    /// `LF`, `CRLF`, `CR` or `mixed`. Empty for folders and single messages, where each message has its own.
    pub line_end: &'static str,
}

/// Default ratio of decompressed to compressed size at which reading stops.
///
/// gzip shrinks mail 2 to 6 times. xz shrinks it up to 20 times if messages repeat each other.
pub const MAX_EXPANSION: u64 = 200;

/// Options for reading.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Target size of a batch in bytes. Default: 512 KiB, so that a batch and its output fit into a processor's cache.
    ///
    /// The boundaries of batches do not depend on the number of threads. In a mailbox, a batch has the messages that start between two
    /// multiples of this size. So they do not depend on where reading began.
    pub batch: usize,
    /// Size in bytes above which a message is returned in pieces. Default: 64 MiB.
    pub message_limit: usize,
    /// Decodes one level of a Maildir++ folder name to UTF-8 (modified UTF-7, RFC 3501 section 5.1.3).
    ///
    /// Not called for names that are valid UTF-8 with non-ASCII characters. The default replaces invalid UTF-8.
    pub decode_name: fn(&[u8]) -> String,
    /// Converts a folder's display name to its name in the output. The default ignores folders.
    ///
    /// If several folders get the same name, all but the first get a number.
    pub written_folder: Option<fn(&str) -> String>,
    /// Limit on the ratio of decompressed to compressed size (200). Reading stops there as at a truncated end.
    ///
    /// The first 64 MiB of decompressed data are exempt.
    pub max_expansion: u64,
    /// Number of threads that decompress a mailbox in bzip2, or in xz with several blocks (1). Does not affect the results. Compressed
    /// members of containers use one.
    pub threads: usize,
    /// Reads files as messages even if they have no header field. By default they are rejected, as they are not mail.
    pub force_format: bool,
    /// How mailboxes are split into messages.
    pub mailbox: MailboxOptions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            batch: 1 << 19,
            message_limit: 64 << 20,
            decode_name: |raw| String::from_utf8_lossy(raw).into_owned(),
            written_folder: None,
            max_expansion: MAX_EXPANSION,
            threads: 1,
            force_format: false,
            mailbox: MailboxOptions::default(),
        }
    }
}

/// An archive that is read front to back in bounded memory.
pub trait Source: Send {
    /// Fills `batch` with the next entries, and returns false at the end. Clears `batch` first and reuses its allocations.
    ///
    /// In a folder, the call after an error continues after the unreadable file.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Error>;
    /// Returns files that any thread can open and read, so that [`Self::next`] takes less time for the next `batches` batches. The
    /// batches are the same without this call. The default implementation returns no files.
    ///
    /// `threads` is the number of threads that ask. It bounds the memory of the files that were read.
    fn files_ahead(&mut self, _batches: usize, _threads: usize) -> FilesAhead {
        FilesAhead::Enough
    }
    /// Takes back files of [`Self::files_ahead`] that were read.
    fn give(&mut self, _files: ReadFiles) {}
    /// Returns the results of sniffing.
    fn profile(&self) -> &Profile;
    /// Returns true for a stream that is one message, not a mailbox. By default it is not.
    fn is_one_message(&self) -> bool {
        false
    }
    /// Returns the size of the archive in bytes if it is known beforehand (for progress).
    fn size_hint(&self) -> Option<u64>;
    /// Returns true if the input changed while it was read, by size or modification time. Call it at the end.
    fn changed(&self) -> Result<bool, Error>;
    /// Like [`Self::changed`], but ignores files that came to a folder, left it, or were renamed.
    fn content_changed(&self) -> Result<bool, Error> {
        self.changed()
    }
}
