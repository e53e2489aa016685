//! Records how a text part was decoded: its label, the charset that was used, and the step that chose it.

use crate::part_id::PartId;
use mailglot_codec::Charset;

/// The step that decided the charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// 7-bit text without a label, or with one that agrees.
    Ascii,
    /// A byte order mark decided.
    Bom,
    /// Escape sequences or NUL patterns decided.
    Structure,
    /// Valid UTF-8 outweighed the label.
    Utf8,
    /// The label was right.
    Label,
    /// The label's superset explains bytes that the label does not.
    Superset,
    /// A declaration inside the document (HTML, XML, CSS) decided.
    Document,
    /// Another part or a header of the message decided.
    Message,
    /// The caller's default charset decided.
    Hint,
    /// Detection decided.
    Detected,
    /// Nothing decided: windows-1252, or the caller's default charset.
    Fallback,
}

impl How {
    /// Returns the stable lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ascii",
            Self::Bom => "bom",
            Self::Structure => "structure",
            Self::Utf8 => "utf-8",
            Self::Label => "label",
            Self::Superset => "superset",
            Self::Document => "document",
            Self::Message => "message",
            Self::Hint => "hint",
            Self::Detected => "detected",
            Self::Fallback => "fallback",
        }
    }
}

/// How a text part was decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The part.
    pub part: PartId,
    /// The label as written; None without a label.
    pub declared: Option<String>,
    /// The charset that decoded the part.
    pub used: Charset,
    /// The step that decided it.
    pub how: How,
    /// 0 to 1 for a guess; None if a rule decided.
    pub confidence: Option<f32>,
}
