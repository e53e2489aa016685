//! Events about an archive outside its messages: kind, offset, and typed details.

mod container;
mod detail;
mod store;

pub use container::{ContainerDefect, NameDefect, SkipReason};
pub use detail::{BoxDetail, CompressionDefect, MultipartDecision};
pub use store::{DbxDefect, StoreDetail};

use crate::named_enum::named;

named! {
    /// Code of a [`BoxEvent`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum BoxEventKind {
        /// `mbox.ambiguous-from`
        AmbiguousFrom = "mbox.ambiguous-from",
        /// `mbox.bad-length`
        BadLength = "mbox.bad-length",
        /// `mbox.quoting-guess`
        QuotingGuess = "mbox.quoting-guess",
        /// `mbox.unused-override`
        UnusedOverride = "mbox.unused-override",
        /// `mbox.prelude`
        Prelude = "mbox.prelude",
        /// `mbox.padding`
        Padding = "mbox.padding",
        /// `mbox.single`
        Single = "mbox.single",
        /// `box.gap`
        Gap = "box.gap",
        /// `box.folder-name`
        FolderName = "box.folder-name",
        /// `box.truncated`
        Truncated = "box.truncated",
        /// `box.not-followed`
        NotFollowed = "box.not-followed",
        /// `box.packed`
        Packed = "box.packed",
        /// `box.decompressed`
        Decompressed = "box.decompressed",
        /// `box.no-mail`
        NoMail = "box.no-mail",
        /// `box.mail-like`
        MailLike = "box.mail-like",
        /// `box.trailing-bytes`
        TrailingBytes = "box.trailing-bytes",
        /// `box.damaged`
        Damaged = "box.damaged",
        /// `box.expansion`
        Expansion = "box.expansion",
        /// `box.member-skipped`
        MemberSkipped = "box.member-skipped",
        /// `box.member-name`
        MemberName = "box.member-name",
        /// `box.name-charset`
        NameCharset = "box.name-charset",
        /// `box.member-limit`
        MemberLimit = "box.member-limit",
        /// `msg.too-large`
        TooLarge = "msg.too-large",
        /// `box.no-header`
        NoHeader = "box.no-header",
        /// `box.structure`
        Structure = "box.structure",
        /// `box.parts-beside`
        PartsBeside = "box.parts-beside",
        /// `box.duplicate`
        Duplicate = "box.duplicate",
        /// `box.left-out`
        LeftOut = "box.left-out",
    }

    /// Returns the stable code listed in EVENTS.md.
    pub fn code;
}

impl BoxEventKind {
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
