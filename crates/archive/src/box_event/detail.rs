//! Details of events about an archive, as typed data.

use super::container::{ContainerDefect, NameDefect, SkipReason};
use super::store::StoreDetail;
use crate::packing::Packing;
use std::fmt;

/// Details of a [`BoxEvent`](crate::BoxEvent) beyond its kind and offset. `Display` formats them as a sentence for people and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxDetail {
    /// A `From ` line with weak evidence.
    Points {
        /// Points of the evidence.
        points: i32,
        /// True if the line was read as a separator.
        accepted: bool,
    },
    /// A `From ` line inside an open multipart.
    OpenMultipart {
        /// Points of the evidence.
        points: i32,
        /// Offset of the last delimiter before the line.
        opened: u64,
        /// The decision and its reason.
        decision: MultipartDecision,
    },
    /// A `From ` line that does not start a line.
    InsideLine {
        /// True if it was read as a separator.
        accepted: bool,
    },
    /// No Content-Length of the file was right, so all were ignored.
    WrongLengths,
    /// Neither a separator nor the end of the file follows at the position that Content-Length declares.
    WrongLength,
    /// A `>From ` line in a mailbox whose quoting is a guess.
    UnknownQuoting,
    /// A decision of the caller about an offset where no `From ` line begins that was examined.
    UnusedOverride,
    /// Bytes before the first line.
    Prelude {
        /// Number of bytes.
        bytes: u64,
    },
    /// NUL bytes after the last line of a message.
    Padding {
        /// Number of bytes.
        bytes: u64,
    },
    /// A mailbox without separators, read as one message.
    NoSeparator,
    /// A single message with lines that look like separators.
    LooksLikeMailbox {
        /// Number of these lines.
        lines: u32,
    },
    /// A file that does not begin like a message.
    NotLikeMessage,
    /// Text before the first separator, read as a message.
    TextBeforeSeparator,
    /// The first message has no separator.
    FirstWithoutSeparator,
    /// A message above this limit in bytes.
    LongerThan(u64),
    /// A file that does not begin with a header field.
    NoHeader,
    /// A message without an end mark.
    NoEndMark,
    /// A message without a line of labels (Babyl).
    NoLabels,
    /// A message without the line that ends its first header (Babyl).
    NoHeaderEnd,
    /// A message whose labels do not say how many headers it has (Babyl).
    OtherHeader,
    /// A message without a displayed header, or without the empty line at its end (Babyl).
    NoDisplayedHeader,
    /// A message that is not as long as this number of bytes, which the file states.
    WrongSize(u64),
    /// The first line of an emlx file is not a number of bytes.
    NoSize,
    /// Bytes where a message should begin (mbx).
    NoMessageHere,
    /// Parts of a message in files beside it (emlx).
    PartsBeside {
        /// Paths of the files, from the folder of the message. The first 20.
        names: Vec<String>,
        /// Number of further files.
        more: usize,
    },
    /// A message with the bytes of an earlier one.
    Duplicate {
        /// Address of the first message with these bytes.
        first: String,
    },
    /// A folder with another name in the output.
    RenamedFolder {
        /// Name in the output.
        display: String,
        /// Original name of the folder, escaped.
        name: String,
    },
    /// A folder whose name is not UTF-8, under another name in the output.
    FolderNotUtf8 {
        /// Name in the output.
        display: String,
        /// Original name of the folder, escaped.
        name: String,
    },
    /// A symbolic link.
    Link {
        /// Path below the archive's root.
        name: String,
    },
    /// A symbolic link to nothing.
    DanglingLink {
        /// Path below the archive's root.
        name: String,
    },
    /// A folder that is read at another path, or a symbolic link to one.
    RepeatedFolder {
        /// Path below the archive's root.
        name: String,
    },
    /// A device, a pipe or a socket.
    SpecialFile {
        /// Path below the archive's root.
        name: String,
    },
    /// A file in an unsupported format.
    LeftPacked {
        /// The format.
        packing: Packing,
        /// Path below the archive's root.
        name: String,
    },
    /// Compressed message files of a folder were read like any other.
    Decompressed {
        /// Number of messages.
        messages: u64,
    },
    /// A file begins with header fields, but no known layout names messages so: `1.` of Cyrus.
    MailLike {
        /// Path below the archive's root.
        name: String,
        /// True if a ledger stores the file.
        kept: bool,
    },
    /// A file that is not mail.
    NoMail {
        /// Path below the archive's root.
        name: String,
        /// True if a ledger stores the file.
        kept: bool,
    },
    /// A member of a zip or tar archive that is not read.
    SkippedMember {
        /// Path below the archive's root.
        name: String,
        /// The reason.
        reason: SkipReason,
    },
    /// A member of a zip or tar archive that is read under another name.
    RenamedMember {
        /// The stored name, escaped.
        stored: String,
        /// Path below the archive's root.
        name: String,
        /// What is wrong with the stored name.
        defect: NameDefect,
    },
    /// Names of a zip or tar archive that do not say their charset.
    NameCharset {
        /// Number of these names.
        names: u64,
        /// The guessed charset. `None` if they were read as code page 437, as the format says.
        charset: Option<&'static str>,
        /// Path of the first one below the archive's root.
        first: String,
    },
    /// Members of a zip or tar archive beyond this number are not read.
    MemberLimit(u64),
    /// More members of a zip or tar archive have events, which are left out.
    MoreMembers,
    /// A defect of a zip or tar archive.
    Container {
        /// The format.
        packing: Packing,
        /// Path of the member below the archive's root. Empty for the archive itself.
        name: String,
        /// The defect.
        defect: ContainerDefect,
    },
    /// What happened to messages of a public-inbox, or of Outlook Express.
    Store(StoreDetail),
    /// Defective compressed data.
    Compressed {
        /// The compression.
        packing: Packing,
        /// The defect.
        defect: CompressionDefect,
    },
}

impl BoxDetail {
    /// What the text of [`Self::Duplicate`] begins with. The address of the first message follows.
    pub const SAME_BYTES: &'static str = "same bytes as ";

    /// Returns the path of the file that the sentence names.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Self::Link { name }
            | Self::DanglingLink { name }
            | Self::RepeatedFolder { name }
            | Self::SpecialFile { name }
            | Self::LeftPacked { name, .. }
            | Self::MailLike { name, .. }
            | Self::NoMail { name, .. }
            | Self::SkippedMember { name, .. }
            | Self::RenamedMember { name, .. }
            | Self::Container { name, .. } => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for BoxDetail {
    #[allow(clippy::too_many_lines, reason = "each variant has one text")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points { points, accepted } => {
                let decision = if *accepted { "accepted" } else { "not accepted" };
                write!(f, "{points} points, {decision}")
            }
            Self::InsideLine { accepted } => {
                let decision = if *accepted { "accepted" } else { "not accepted" };
                write!(f, "a separator inside a line, {decision}")
            }
            Self::UnusedOverride => f.write_str("the override had no effect: no `From ` line to decide begins here"),
            Self::OpenMultipart {
                points,
                opened,
                decision,
            } => {
                write!(f, "{points} points, ")?;
                decision.write(f, *opened)
            }
            Self::WrongLengths => f.write_str("the lengths in this file are wrong and not used"),
            Self::WrongLength => {
                f.write_str("neither a separator nor the end follows where Content-Length says")
            }
            Self::UnknownQuoting => f.write_str("whether this line was quoted cannot be known"),
            Self::Prelude { bytes } => write!(f, "{bytes} bytes before the first line"),
            Self::Padding { bytes } => write!(f, "{bytes} NUL bytes after a message"),
            Self::NoSeparator => f.write_str("no separator: one message"),
            Self::LooksLikeMailbox { lines } => {
                let look = if *lines == 1 {
                    "line in it looks like a separator"
                } else {
                    "lines in it look like separators"
                };
                write!(
                    f,
                    "read as one message, though {lines} {look} of a mailbox (named .mbox it is read as one)"
                )
            }
            Self::NotLikeMessage => f.write_str("does not begin like a message"),
            Self::TextBeforeSeparator => {
                f.write_str("text before the first separator, kept as a message")
            }
            Self::FirstWithoutSeparator => f.write_str("the first message has no separator"),
            Self::LongerThan(limit) => write!(f, "beyond {limit} bytes"),
            Self::NoHeader => f.write_str(
                "not mail, left out: it does not begin with a header field (--force-format reads it as a message)",
            ),
            Self::NoEndMark => f.write_str(
                "no end mark: the message ends where the next one begins, or with the file",
            ),
            Self::NoLabels => f.write_str("the message has no line with labels"),
            Self::NoHeaderEnd => {
                f.write_str("the line *** EOOH *** is missing: read as a message with one header")
            }
            Self::OtherHeader => f.write_str(
                "the first digit of the labels is wrong about the headers: read the header that is there",
            ),
            Self::NoDisplayedHeader => f.write_str(
                "no displayed header that ends in an empty line follows *** EOOH ***: the text there is read as the body",
            ),
            Self::WrongSize(size) => write!(
                f,
                "the message is not {size} bytes long, as the file says: mailglot searched for its end"
            ),
            Self::NoSize => {
                f.write_str("the first line is not a number of bytes: mailglot searched for the end")
            }
            Self::NoMessageHere => f.write_str("no message begins here: mailglot searched for the next one"),
            Self::PartsBeside { names, more } => {
                if names.is_empty() {
                    return f.write_str("the message lacks parts, and no files with them lie beside it");
                }
                let names = names.join(", ");
                write!(f, "the message lacks parts that lie beside it: {names}")?;
                match more {
                    0 => Ok(()),
                    more => write!(f, ", and {more} more"),
                }
            }
            Self::Duplicate { first } => write!(f, "{}{first}", Self::SAME_BYTES),
            Self::RenamedFolder { display, name } => write!(
                f,
                "another folder is written by the name of this one, which becomes {display}: {name}"
            ),
            Self::FolderNotUtf8 { display, name } => write!(
                f,
                "the name of a folder is not UTF-8 and becomes {display}: {name}"
            ),
            Self::Link { name } => write!(f, "symbolic link not followed: {name}"),
            Self::DanglingLink { name } => write!(f, "symbolic link to nothing: {name}"),
            Self::RepeatedFolder { name } => {
                write!(f, "folder read at another path, not read again: {name}")
            }
            Self::SpecialFile { name } => write!(f, "special file not followed: {name}"),
            Self::LeftPacked { packing, name } => {
                write!(f, "{}, left as it is: {name}", packing.words())
            }
            Self::Decompressed { messages } => {
                let files = if *messages == 1 { "message file" } else { "message files" };
                write!(f, "{messages} compressed {files} read; restored without compression")
            }
            Self::MailLike { name, kept: true } => write!(f, "looks like mail, not read: {name}"),
            Self::MailLike { name, kept: false } => {
                write!(f, "looks like mail, not read; neither output nor ledger has it: {name}")
            }
            Self::NoMail { name, kept: true } => write!(f, "not mail, left out: {name}"),
            Self::NoMail { name, kept: false } => {
                write!(f, "not mail; neither output nor ledger has it: {name}")
            }
            Self::SkippedMember { name, reason } => write!(f, "{reason}, left as it is: {name}"),
            Self::RenamedMember {
                stored,
                name,
                defect,
            } => write!(f, "member \"{stored}\" {defect}, read as {name}"),
            Self::NameCharset {
                names,
                charset,
                first,
            } => {
                let read = charset.map_or_else(
                    || "IBM437, as the format says".to_owned(),
                    |charset| format!("{charset}, a guess"),
                );
                write!(f, "names that do not say their charset, read as {read}: {names}, first {first}")
            }
            Self::MemberLimit(limit) => {
                write!(f, "more than {limit} members and folders; the others are left out")
            }
            Self::MoreMembers => f.write_str("further members with events are not listed"),
            Self::Container {
                packing,
                name,
                defect,
            } => {
                write!(f, "{}: {defect}", packing.words())?;
                let colon = if name.is_empty() { "" } else { ": " };
                write!(f, "{colon}{name}")
            }
            Self::Store(detail) => write!(f, "{detail}"),
            Self::Compressed { packing, defect } => defect.write(f, packing.member_words()),
        }
    }
}

/// A defect of compressed data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompressionDefect {
    /// Number of other bytes after the data.
    BytesBehind(u64),
    /// Number of NUL bytes after the data.
    ZerosBehind(u64),
    /// Number of NUL bytes between two members.
    ZerosInside(u64),
    /// The data expand to more than `limit` times their size. Reading stopped.
    Expansion {
        /// The limit.
        limit: u64,
        /// Bytes decompressed before that.
        given: u64,
    },
    /// The data are truncated.
    CutOff {
        /// Bytes decompressed before that.
        given: u64,
    },
    /// The content goes on after its declared size.
    BeyondSize {
        /// The declared size in bytes.
        size: u64,
    },
    /// The checksum of the content differs from the declared one.
    Checksum {
        /// Bytes of the content.
        given: u64,
    },
    /// The data are damaged.
    Damaged {
        /// The decoder's error message.
        error: String,
        /// Bytes decompressed before that.
        given: u64,
        /// Number of compressed bytes that were not read. None if reading continues with the next member.
        left: Option<u64>,
    },
}

impl CompressionDefect {
    /// Returns true if bytes from the defect on are not read. A wrong checksum alone loses none.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            Self::Expansion { .. } | Self::CutOff { .. } | Self::BeyondSize { .. } => true,
            Self::Damaged { left, .. } => left.is_some(),
            Self::BytesBehind(_)
            | Self::ZerosBehind(_)
            | Self::ZerosInside(_)
            | Self::Checksum { .. } => false,
        }
    }

    /// Writes the sentence. `what` names the compression.
    fn write(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        match self {
            Self::BytesBehind(bytes) => {
                write!(
                    f,
                    "{what}, and followed by {bytes} bytes that belong to no member"
                )
            }
            Self::ZerosBehind(bytes) => {
                write!(
                    f,
                    "{what}, and followed by {bytes} zero bytes, which are left out"
                )
            }
            Self::ZerosInside(bytes) => {
                write!(
                    f,
                    "{what}, and {bytes} zero bytes between two members are left out"
                )
            }
            Self::Expansion { limit, given } => write!(
                f,
                "{what}, and expands to more than {limit} times its size: {given} bytes of the content were read, \
                 the compressed bytes from here on are left out; a larger --max-expansion reads them"
            ),
            Self::CutOff { given } => write!(
                f,
                "{what}, and cut off: {given} bytes of the content were read"
            ),
            Self::BeyondSize { size } => write!(
                f,
                "{what}, and longer than it says: what comes after {size} bytes is left out"
            ),
            Self::Checksum { given } => write!(
                f,
                "{what}, and damaged: the checksum of its {given} bytes is wrong"
            ),
            Self::Damaged {
                error,
                given,
                left: None,
            } => write!(
                f,
                "{what}, and damaged: {error}; {given} bytes were read so far"
            ),
            Self::Damaged {
                error,
                given,
                left: Some(left),
            } => write!(
                f,
                "{what}, and damaged: {error}; {given} bytes of the content were read, \
                 {left} bytes from here on are left out"
            ),
        }
    }
}

/// Decision whether a `From ` line in an open multipart is a separator. Offsets are those of lines in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MultipartDecision {
    /// A separator: the delimiter does not recur within this many bytes.
    NotWithin(u64),
    /// A separator: the line at this offset looks like the delimiter, but no part follows it.
    NoDelimiter(u64),
    /// A separator: the delimiter recurs at this offset, but the mailbox quotes lines that are not separators.
    Unquoted(u64),
    /// A separator: the delimiter recurs at this offset, but no line closes the multipart.
    NeverClosed(u64),
    /// A separator: the delimiter recurs at this offset, but more separators precede it.
    OneOfSeveral(u64),
    /// Part of the multipart, whose delimiter recurs at this offset.
    Inside(u64),
    /// Part of an attached mailbox. The delimiter recurs at this offset.
    InsideMailbox(u64),
}

impl MultipartDecision {
    /// Returns true if the line is a separator.
    pub fn accepts(self) -> bool {
        !matches!(self, Self::Inside(_) | Self::InsideMailbox(_))
    }

    /// Returns the offset of the later line that is, or looks like, the delimiter.
    pub fn later_line(self) -> Option<u64> {
        match self {
            Self::NotWithin(_) => None,
            Self::NoDelimiter(at)
            | Self::Unquoted(at)
            | Self::NeverClosed(at)
            | Self::OneOfSeveral(at)
            | Self::Inside(at)
            | Self::InsideMailbox(at) => Some(at),
        }
    }

    /// Writes the sentence. `opened` is the offset of the last delimiter before the line.
    fn write(self, f: &mut fmt::Formatter<'_>, opened: u64) -> fmt::Result {
        let decision = if self.accepts() {
            "accepted although"
        } else {
            "not accepted because"
        };
        write!(f, "{decision} the multipart opened at {opened} is open")?;
        let (again, reason) = match self {
            Self::NotWithin(bytes) => {
                return write!(
                    f,
                    ": its delimiter does not come again within {bytes} bytes"
                );
            }
            Self::NoDelimiter(at) => {
                return write!(
                    f,
                    ": the line at {at} looks like its delimiter, but no part follows"
                );
            }
            Self::Unquoted(at) => (at, "the mailbox quotes lines that are no separators"),
            Self::NeverClosed(at) => (at, "no line closes the multipart"),
            Self::OneOfSeveral(at) => (at, "more separators stand before it"),
            Self::Inside(at) => (at, "no other evidence for a separator"),
            Self::InsideMailbox(at) => (at, "the part is named a mailbox"),
        };
        write!(f, " and its delimiter comes again at {again}: {reason}")
    }
}
