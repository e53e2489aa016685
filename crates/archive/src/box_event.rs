//! Events about an archive outside its messages: kind, offset, and typed details.

mod container;
mod detail;
mod store;

pub use container::{ContainerDefect, NameDefect, SkipReason};
pub use detail::{BoxDetail, CompressionDefect, MultipartDecision};
pub use store::{DbxDefect, StoreDetail};

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
    /// `mbox.unused-override`
    UnusedOverride,
    /// `mbox.prelude`
    Prelude,
    /// `mbox.padding`
    Padding,
    /// `mbox.single`
    Single,
    /// `box.gap`
    Gap,
    /// `box.folder-name`
    FolderName,
    /// `box.truncated`
    Truncated,
    /// `box.not-followed`
    NotFollowed,
    /// `box.packed`
    Packed,
    /// `box.decompressed`
    Decompressed,
    /// `box.no-mail`
    NoMail,
    /// `box.mail-like`
    MailLike,
    /// `box.trailing-bytes`
    TrailingBytes,
    /// `box.damaged`
    Damaged,
    /// `box.expansion`
    Expansion,
    /// `box.member-skipped`
    MemberSkipped,
    /// `box.member-name`
    MemberName,
    /// `box.name-charset`
    NameCharset,
    /// `box.member-limit`
    MemberLimit,
    /// `msg.too-large`
    TooLarge,
    /// `box.no-header`
    NoHeader,
    /// `box.structure`
    Structure,
    /// `box.parts-beside`
    PartsBeside,
    /// `box.duplicate`
    Duplicate,
    /// `box.left-out`
    LeftOut,
}

impl BoxEventKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::AmbiguousFrom,
        Self::BadLength,
        Self::QuotingGuess,
        Self::UnusedOverride,
        Self::Prelude,
        Self::Padding,
        Self::Single,
        Self::Gap,
        Self::FolderName,
        Self::Truncated,
        Self::NotFollowed,
        Self::Packed,
        Self::Decompressed,
        Self::NoMail,
        Self::MailLike,
        Self::TrailingBytes,
        Self::Damaged,
        Self::Expansion,
        Self::MemberSkipped,
        Self::MemberName,
        Self::NameCharset,
        Self::MemberLimit,
        Self::TooLarge,
        Self::NoHeader,
        Self::Structure,
        Self::PartsBeside,
        Self::Duplicate,
        Self::LeftOut,
    ];

    /// Returns true if something that may be mail was lost (severity `loss`).
    pub fn is_loss(self) -> bool {
        matches!(
            self,
            Self::Damaged | Self::Expansion | Self::MemberLimit | Self::TooLarge
        )
    }

    /// Returns true if something was read despite a defect (severity `repair`). All others have severity `info`.
    pub fn is_repair(self) -> bool {
        matches!(
            self,
            Self::Padding | Self::TrailingBytes | Self::MemberName | Self::Structure
        )
    }

    /// Returns the stable code listed in EVENTS.md.
    pub fn code(self) -> &'static str {
        match self {
            Self::AmbiguousFrom => "mbox.ambiguous-from",
            Self::BadLength => "mbox.bad-length",
            Self::QuotingGuess => "mbox.quoting-guess",
            Self::UnusedOverride => "mbox.unused-override",
            Self::Prelude => "mbox.prelude",
            Self::Padding => "mbox.padding",
            Self::Single => "mbox.single",
            Self::Gap => "box.gap",
            Self::FolderName => "box.folder-name",
            Self::Truncated => "box.truncated",
            Self::NotFollowed => "box.not-followed",
            Self::Packed => "box.packed",
            Self::Decompressed => "box.decompressed",
            Self::NoMail => "box.no-mail",
            Self::MailLike => "box.mail-like",
            Self::TrailingBytes => "box.trailing-bytes",
            Self::Damaged => "box.damaged",
            Self::Expansion => "box.expansion",
            Self::MemberSkipped => "box.member-skipped",
            Self::MemberName => "box.member-name",
            Self::NameCharset => "box.name-charset",
            Self::MemberLimit => "box.member-limit",
            Self::TooLarge => "msg.too-large",
            Self::NoHeader => "box.no-header",
            Self::Structure => "box.structure",
            Self::PartsBeside => "box.parts-beside",
            Self::Duplicate => "box.duplicate",
            Self::LeftOut => "box.left-out",
        }
    }
}

/// An event about an archive, outside its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxEvent {
    /// Its kind.
    pub kind: BoxEventKind,
    /// Offset in the file. Events about compression have offsets in the compressed file.
    pub offset: u64,
    /// Details.
    pub detail: BoxDetail,
    /// The file in a folder, as a path below the archive's root, in bytes with `/`.
    ///
    /// Empty for the archive itself, and if `detail` names the file.
    pub name: Vec<u8>,
}

impl BoxEvent {
    /// Builds an event about the whole archive.
    pub(crate) fn new(kind: BoxEventKind, offset: u64, detail: BoxDetail) -> Self {
        Self {
            kind,
            offset,
            detail,
            name: Vec::new(),
        }
    }

    /// Returns true if compressed data were not read to their end. Then the last message before the event may be incomplete.
    pub fn is_cut(&self) -> bool {
        self.kind == BoxEventKind::Expansion
            || matches!(&self.detail, BoxDetail::Compressed { defect, .. } if defect.is_cut())
    }

    /// Builds an event about the file `name` of a folder.
    pub(crate) fn of_file(kind: BoxEventKind, name: &[u8], detail: BoxDetail) -> Self {
        Self {
            kind,
            offset: 0,
            detail,
            name: name.to_vec(),
        }
    }
}
