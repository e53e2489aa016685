//! Defines the details of an event, as data.
//!
//! # Limits
//! A detail contains at most two charsets and one short piece of text.

use super::{FileKind, Reason};
use crate::named_enum::named;
use crate::reading::How;
use mailglot_codec::detect::Evidence;
use mailglot_codec::{Charset, LossKind};
use std::fmt;

/// Details of an event beyond its kind and place. `Display` writes them as text for people and logs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Detail {
    /// The event has no details.
    #[default]
    None,
    /// A fixed sentence explains the event.
    Reason(Reason),
    /// The event concerns this charset.
    Charset(Charset),
    /// The text is in this charset.
    InCharset(Charset),
    /// The label, as written.
    Label(Box<str>),
    /// The label has this meaning: it is an alias (`latin1` means ISO-8859-1) or damaged, or the caller gave it the meaning.
    LabelMeans {
        /// The label, as written.
        label: Box<str>,
        /// Its meaning.
        charset: Charset,
    },
    /// Text was decoded in a charset that the label does not name.
    ReadAs {
        /// The charset that the label names.
        declared: Option<Charset>,
        /// The charset that decoded the text.
        used: Charset,
        /// The step that chose it; None if the kind of the event implies it.
        by: Option<ChosenBy>,
    },
    /// A byte order mark or structure in the bytes identifies the charset.
    ShownBy {
        /// The charset that decoded the text.
        used: Charset,
        /// The step that found it.
        how: How,
    },
    /// Text after the encoded body was decoded in this charset.
    AppendedText(Charset),
    /// Another charset is likelier than the label's, which decoded the text.
    Likelier {
        /// The charset that the label names.
        label: Charset,
        /// The likelier charset.
        likelier: Charset,
    },
    /// The text was once in this charset, was decoded as windows-1252 and encoded again.
    MisreadFrom(Charset),
    /// The document declares another charset than the label, which decoded the text.
    Declares {
        /// The charset that the label names.
        label: Charset,
        /// The charset that the document declares.
        declared: Charset,
    },
    /// Decoding in the charset gives characters that text does not contain.
    Gives {
        /// The charset that decoded the text.
        charset: Charset,
        /// The characters.
        characters: NonText,
    },
    /// The text mixes two charsets: lines or words of another charset in UTF-8, or runs of one charset in another.
    Mixed {
        /// The number of lines, words or runs.
        pieces: u64,
        /// Their charset.
        charset: Charset,
        /// The charset of the text around them.
        within: Charset,
        /// The offset of the first piece in the decoded part, in bytes.
        first: usize,
    },
    /// Bytes of this charset stand between UTF-8 sequences.
    WithinUtf8(Charset),
    /// The charset cannot decode some bytes.
    Loss {
        /// The kind of damage.
        kind: LossKind,
        /// The charset.
        charset: Option<Charset>,
    },
    /// An encoded word names this language (RFC 2231, section 5).
    Language(Box<str>),
    /// A misspelled label of a transfer encoding has this meaning: `bas64` means `base64`.
    EncodingMeans {
        /// The label, as written.
        label: Box<str>,
        /// The encoding.
        encoding: EncodingMeaning,
    },
    /// The event concerns the header field with this name.
    Field(&'static str),
    /// The part has this media type: type, slash, subtype.
    MediaType(Box<str>),
    /// The part contains a file of this kind.
    File(FileKind),
    /// The body contains a block of uuencode or yEnc.
    Block(BlockCheck),
    /// The message is longer than this limit, in bytes.
    LongerThan(usize),
    /// The event is inside an embedded message, with these details.
    Embedded(Box<Self>),
}

impl Detail {
    /// Returns the detail for a label, as written, that means `charset`.
    pub(crate) fn label_means(label: &[u8], charset: Charset) -> Self {
        let label = String::from_utf8_lossy(label).into();
        Self::LabelMeans { label, charset }
    }

    /// Returns true if nothing is known beyond kind and place.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Reason(reason) => reason.fmt(f),
            Self::Charset(charset) => f.write_str(charset.name()),
            Self::InCharset(charset) => write!(f, "in {}", charset.name()),
            Self::Label(text) | Self::Language(text) | Self::MediaType(text) => f.write_str(text),
            Self::LabelMeans { label, charset } => write!(f, "{label} means {}", charset.name()),
            Self::ReadAs { declared, used, by } => {
                if let Some(declared) = declared {
                    write!(f, "{} ", declared.name())?;
                }
                write!(f, "read as {}", used.name())?;
                by.map_or(Ok(()), |by| write!(f, " ({})", by.name()))
            }
            Self::ShownBy { used, how } => {
                write!(f, "read as {} by its {}", used.name(), how.name())
            }
            Self::AppendedText(charset) => write!(f, "appended text read as {}", charset.name()),
            Self::Likelier { label, likelier } => {
                write!(f, "{}, but {} is likelier", label.name(), likelier.name())
            }
            Self::MisreadFrom(charset) => write!(
                f,
                "{} decoded as windows-1252, and encoded again",
                charset.name()
            ),
            Self::Declares { label, declared } => {
                write!(
                    f,
                    "{}, but the document declares {}",
                    label.name(),
                    declared.name()
                )
            }
            Self::Gives {
                charset,
                characters,
            } => write!(f, "{} gives {characters}", charset.name()),
            Self::Mixed {
                pieces,
                charset,
                within,
                first,
            } => {
                let piece = if *within == Charset::UTF_8 {
                    "piece"
                } else {
                    "run"
                };
                let s = if *pieces == 1 { "" } else { "s" };
                let [charset, within] = [charset, within].map(|charset| charset.name());
                write!(
                    f,
                    "{pieces} {piece}{s} of {charset} within {within} text, the first at byte {first} of the decoded part"
                )
            }
            Self::WithinUtf8(charset) => {
                write!(f, "bytes of {} within UTF-8 text", charset.name())
            }
            Self::Loss { kind, charset } => {
                f.write_str(kind.name())?;
                charset.map_or(Ok(()), |charset| write!(f, " in {}", charset.name()))
            }
            Self::EncodingMeans { label, encoding } => {
                write!(f, "{label} means {}", encoding.name())?;
                match encoding {
                    EncodingMeaning::Unencoded => Ok(()),
                    _ => f.write_str("; other programs may not decode it"),
                }
            }
            Self::Field(name) => f.write_str(name),
            Self::File(kind) => kind.fmt(f),
            Self::Block(block) => block.fmt(f),
            Self::LongerThan(limit) => write!(f, "more than {limit} bytes, left alone"),
            Self::Embedded(detail) if detail.is_none() => f.write_str("in an embedded message"),
            Self::Embedded(detail) => write!(f, "{detail}, in an embedded message"),
        }
    }
}

impl Detail {
    /// Describes text that was decoded in another charset than its label names.
    pub(crate) fn read_as(declared: Option<Charset>, used: Charset) -> Self {
        Self::ReadAs {
            declared,
            used,
            by: None,
        }
    }
}

impl From<Reason> for Detail {
    fn from(reason: Reason) -> Self {
        Self::Reason(reason)
    }
}

impl From<Charset> for Detail {
    fn from(charset: Charset) -> Self {
        Self::Charset(charset)
    }
}

impl PartialEq<Reason> for Detail {
    fn eq(&self, other: &Reason) -> bool {
        matches!(self, Self::Reason(reason) if reason == other)
    }
}

/// The step that chose a charset other than the label's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChosenBy {
    /// A step of the charset choice chose it.
    Step(How),
    /// Detection chose it by this evidence.
    Detection(Evidence),
    /// Detection chose it for all undeclared text of the message.
    UndeclaredText,
}

impl ChosenBy {
    /// Returns a short text for reports, such as `model` or `bom`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step(how) => how.name(),
            Self::Detection(evidence) => evidence.name(),
            Self::UndeclaredText => "all undeclared text of the message",
        }
    }
}

named! {
    /// The meaning of a misspelled label of a transfer encoding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum EncodingMeaning {
        /// 7bit, 8bit or binary.
        Unencoded = "7bit, 8bit or binary",
        /// Base64.
        Base64 = "base64",
        /// Quoted-printable.
        QuotedPrintable = "quoted-printable",
    }
}

named! {
    /// Characters that only a wrong charset produces.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum NonText {
        /// C1 controls.
        Controls = "controls",
        /// Characters of private use.
        PrivateUse = "characters of private use",
    }
}

/// Size and checksum that a block of uuencode or yEnc states, compared with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockCheck {
    /// The length of the file, or of the part of it that the block contains, in bytes.
    pub size: u64,
    /// True if the block has its last line.
    pub ended: bool,
    /// True if the block states this size; `None` if it states none.
    pub size_fits: Option<bool>,
    /// True if the bytes have the checksum that the block states; `None` if it states none.
    pub sum_fits: Option<bool>,
}

impl fmt::Display for BlockCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.size)?;
        if !self.ended {
            f.write_str(", without its end")?;
        }
        if self.size_fits == Some(false) {
            f.write_str(", not of the stated size")?;
        }
        if self.sum_fits == Some(false) {
            f.write_str(", without the stated checksum")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages may have many events, so details must be as small as a string.
    #[test]
    fn details_are_small() {
        assert!(size_of::<Detail>() <= size_of::<String>());
    }

    #[test]
    fn details_are_sentences() {
        let charset = Charset::ISO_8859_8;
        let embedded = |detail: Detail| Detail::Embedded(Box::new(detail));
        for (detail, sentence) in [
            (Detail::None, ""),
            (charset.into(), "ISO-8859-8"),
            (Reason::InlinePgp.into(), "inline PGP"),
            (embedded(Detail::None), "in an embedded message"),
            (
                embedded(Detail::Label("x".into())),
                "x, in an embedded message",
            ),
            (
                Detail::ReadAs {
                    declared: None,
                    used: charset,
                    by: Some(ChosenBy::UndeclaredText),
                },
                "read as ISO-8859-8 (all undeclared text of the message)",
            ),
            (
                Detail::ReadAs {
                    declared: Some(Charset::UTF_8),
                    used: charset,
                    by: None,
                },
                "UTF-8 read as ISO-8859-8",
            ),
            (
                Detail::Mixed {
                    pieces: 1,
                    charset,
                    within: Charset::UTF_8,
                    first: 7,
                },
                "1 piece of ISO-8859-8 within UTF-8 text, the first at byte 7 of the decoded part",
            ),
            (
                Detail::Mixed {
                    pieces: 2,
                    charset: Charset::UTF_8,
                    within: charset,
                    first: 0,
                },
                "2 runs of UTF-8 within ISO-8859-8 text, the first at byte 0 of the decoded part",
            ),
            (
                Detail::label_means(b"hebrew", charset),
                "hebrew means ISO-8859-8",
            ),
            (
                Detail::EncodingMeans {
                    label: "8BITS".into(),
                    encoding: EncodingMeaning::Unencoded,
                },
                "8BITS means 7bit, 8bit or binary",
            ),
            (
                Detail::EncodingMeans {
                    label: "bas64".into(),
                    encoding: EncodingMeaning::Base64,
                },
                "bas64 means base64; other programs may not decode it",
            ),
            (
                Detail::WithinUtf8(charset),
                "bytes of ISO-8859-8 within UTF-8 text",
            ),
            (
                Detail::Block(BlockCheck {
                    size: 5,
                    ended: false,
                    size_fits: Some(false),
                    sum_fits: Some(true),
                }),
                "5 bytes, without its end, not of the stated size",
            ),
        ] {
            assert_eq!(detail.to_string(), sentence);
        }
    }
}
