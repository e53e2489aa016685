//! Records how a text part was decoded: its label, the charset that was used, and the step that chose it.

use crate::named_enum::named;
use crate::part_id::PartId;
use mailglot_codec::Charset;

named! {
    /// The step that chose the charset of a text.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum How {
        /// 7-bit text without a label, or with one that agrees.
        Ascii = "ascii",
        /// A byte order mark decided.
        Bom = "bom",
        /// Escape sequences or NUL patterns decided.
        Structure = "structure",
        /// Valid UTF-8 outweighed the label.
        Utf8 = "utf-8",
        /// The label was right.
        Label = "label",
        /// The label's superset explains bytes that the label does not.
        Superset = "superset",
        /// A declaration inside the document (HTML, XML, CSS) decided.
        Document = "document",
        /// Another part or a header of the message decided.
        Message = "message",
        /// The caller's default charset decided.
        Hint = "hint",
        /// Detection decided.
        Detected = "detected",
        /// Nothing decided: windows-1252, or the caller's default charset.
        Fallback = "fallback",
    }
}

/// The charset that decoded a text part, and how it was chosen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The part.
    pub part: PartId,
    /// The label as written; `None` without one.
    pub declared: Option<String>,
    /// The charset that decoded the part.
    pub used: Charset,
    /// The step that chose it.
    pub how: How,
    /// The confidence from 0 to 1 of a guess; `None` if a rule decided.
    ///
    /// If detection is off, which is the default without the feature `detect`, [`How::Fallback`] comes with a constant. Nothing was
    /// measured then.
    pub confidence: Option<f32>,
}
