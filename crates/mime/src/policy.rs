//! Defines the options for reading and normalizing a message.

use crate::limits::Limits;
use crate::named_enum::named;
use crate::setters::setters;
use mailglot_codec::{Charset, Resolved, View};

named! {
    /// The form in which [`Policy`] writes non-ASCII text of header fields.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Headers {
        /// Leaves fields unchanged.
        Keep = "keep",
        /// Writes encoded words in UTF-8 (RFC 2047, section 2), and extended parameters (RFC 2231, section 4).
        #[default]
        Words = "words",
        /// Writes raw UTF-8 (RFC 6532, section 3.2).
        RawUtf8 = "raw-utf8",
    }
}

/// The form in which [`Policy`] writes text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bodies {
    /// Leaves bodies unchanged.
    Keep,
    /// Writes UTF-8, also in preambles and epilogues.
    #[default]
    Utf8,
}

named! {
    /// The charset of rewritten text bodies and header fields.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    #[non_exhaustive]
    pub enum CharsetOut {
        /// UTF-8.
        #[default]
        Utf8 = "utf-8",
        /// ISO-2022-JP (RFC 1468), for Japanese readers that support nothing else.
        ///
        /// Applies to each text part, field and parameter that it can encode completely, as 7-bit data. Others become UTF-8, fields as
        /// encoded words, with an event. ISO-2022-JP text stays.
        Iso2022Jp = "iso-2022-jp",
    }
}

named! {
    /// The transfer encoding of text bodies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Transfer {
        /// Keep the encoding if the new bytes allow it.
        Keep = "keep",
        /// Keep the encoding, and keep 7-bit data 7-bit, for transports that do not offer 8-bit.
        Clean = "clean",
        /// Only 7-bit data: quoted-printable or base64 where needed, for attachments and binary data, too.
        ///
        /// Text before or after the parts of a multipart stays 8-bit, because it has no transfer encoding. Signed and encrypted parts, and
        /// message/* other than messages, stay 8-bit, too. So do text whose charset is unknown, and bodies whose transfer encoding is
        /// unknown or wrong.
        SevenBit = "7bit",
        /// Plain text, which can be searched, if its lines allow it.
        #[default]
        EightBit = "8bit",
    }
}

named! {
    /// The treatment of a part or header field with undecodable bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum OnLoss {
        /// Write U+FFFD for undecodable bytes.
        #[default]
        Replace = "replace",
        /// Leave the part or field unchanged.
        Keep = "keep",
    }
}

/// The treatment of charset declarations inside documents that are UTF-8, as their label says.
///
/// Declarations of rewritten text always follow the new label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Declarations {
    /// Leaves a document unchanged if only its declaration is wrong: mail readers follow the label.
    #[default]
    Keep,
    /// Rewrites a document also for its declaration, which programs follow that read it as a file.
    Utf8,
}

named! {
    /// The treatment of text attachments, which [`Part::attachment`](crate::Part::attachment) marks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum Attachments {
        /// Keep them unchanged: they are files.
        #[default]
        Keep = "keep",
        /// Convert those in another charset to UTF-8; keep all others unchanged.
        Utf8 = "utf-8",
        /// Keep them unchanged, and skip them in [`text_parts`](crate::text_parts).
        Skip = "skip",
    }
}

named! {
    /// How far the charset of a text may be guessed from its bytes.
    ///
    /// Without the cargo feature `detect` the default is [`Detection::Off`]. The other values then follow their rules without statistics: no
    /// charset is detected by its text, and only valid UTF-8 and structure overrule a label.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Detection {
        /// No statistical detection; labels are believed.
        ///
        /// Text without a usable label is decoded by its byte order mark, its structure (escape sequences, wide characters) or as valid
        /// UTF-8. Else it is decoded as [`Policy::default_charset`] or windows-1252.
        Off = "off",
        /// Detect only text without a usable label, or whose bytes are invalid under its label.
        Unlabelled = "unlabelled",
        /// Also overrules a label that reads all bytes, where words of the text prove another charset.
        Contradiction = "contradiction",
        /// Detects all text whose charset its bytes do not prove. The label is only a hint: it decides where detection is not sure.
        ///
        /// For archives whose labels are mostly wrong. Right labels of short texts are overruled more often than with
        /// [`Detection::Contradiction`].
        Always = "always",
    }
}

impl Transfer {
    /// Returns true if text in ASCII must not become 8-bit data.
    pub(crate) fn keeps_seven_bit(self) -> bool {
        matches!(self, Self::Clean | Self::SevenBit)
    }
}

impl Default for Detection {
    /// Returns [`Detection::Contradiction`], or [`Detection::Off`] without the cargo feature `detect`.
    fn default() -> Self {
        if cfg!(feature = "detect") {
            Self::Contradiction
        } else {
            Self::Off
        }
    }
}

/// User-defined charset aliases.
///
/// ```
/// use mailglot_codec::Charset;
/// use mailglot_mime::{CharsetMap, Mail, Policy};
///
/// let mut map = CharsetMap::default();
/// map.add("x-corp", Charset::KOI8_R);
/// let raw = b"Content-Type: text/plain; charset=x-corp\n\n\xE4\xC1";
/// let mail = Mail::parse_with(raw, Policy::default().charset_map(map));
/// assert_eq!(mail.texts()[0].as_str(), "Да");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CharsetMap(Vec<(String, Charset)>);

impl CharsetMap {
    /// Adds the meaning of a label: this label in any case and, where it names a known charset, every other name of that.
    /// The first entry for a label counts.
    pub fn add(&mut self, label: &str, meaning: Charset) {
        self.0.push((label.trim().to_ascii_lowercase(), meaning));
    }

    /// Returns the entries in the order of [`Self::add`].
    pub fn entries(&self) -> impl Iterator<Item = (&str, Charset)> {
        self.0
            .iter()
            .map(|(label, charset)| (label.as_str(), *charset))
    }

    /// Returns the meaning of a label, or `None` if the map has none.
    pub fn meaning(&self, label: &[u8]) -> Option<Charset> {
        if self.0.is_empty() {
            return None;
        }
        let label = label.trim_ascii();
        let resolve = |label: &[u8]| Charset::for_label(label, View::Mail).charset();
        let named = resolve(label);
        let same = |entry: &str| {
            entry.as_bytes().eq_ignore_ascii_case(label)
                || named.is_some() && resolve(entry.as_bytes()) == named
        };
        self.0
            .iter()
            .find(|(entry, _)| same(entry))
            .map(|(_, charset)| *charset)
    }

    /// Resolves a label, using this map first. Returns true if the map decided.
    pub(crate) fn resolve(&self, label: &[u8]) -> (Resolved, bool) {
        match self.meaning(label) {
            Some(charset) => (Resolved::Exact(charset), true),
            None => (Charset::for_label(label, View::Mail), false),
        }
    }
}

/// The kinds of damage in header fields to undo. None by default, since a repair is a guess about the sender's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repairs {
    /// UTF-8 that was read as windows-1252 or ISO-8859-1 and written again as UTF-8, once or several times.
    pub mojibake: bool,
    /// HTML entities for characters outside ASCII.
    pub entities: bool,
    /// ISO-2022-JP that lost its escape characters.
    pub escapes: bool,
    /// Encoded words whose text is encoded words. They are decoded once more.
    pub nested: bool,
}

impl Repairs {
    /// All repairs.
    pub const ALL: Self = Self {
        mojibake: true,
        entities: true,
        escapes: true,
        nested: true,
    };

    /// Returns true if any repair is enabled.
    #[inline]
    pub fn any(self) -> bool {
        self.mojibake || self.entities || self.escapes || self.nested
    }

    /// Returns true if an enabled repair may change ASCII text without words.
    pub(crate) fn may_touch(self, value: &[u8]) -> bool {
        self.entities && memchr::memchr(b'&', value).is_some()
            || self.escapes
                && memchr::memchr_iter(b'$', value)
                    .any(|at| matches!(value.get(at + 1), Some(b'B' | b'@')))
    }
}

/// Options for reading and normalizing a message.
///
/// The default suits archives: UTF-8 bodies in 8 bits, encoded words in header fields, attachments and unread bytes kept.
/// Each field has a setter of the same name.
///
/// ```
/// use mailglot_mime::{Headers, Policy, Transfer};
///
/// let policy = Policy::default().headers(Headers::RawUtf8).transfer(Transfer::Keep).keep_signed(true);
/// assert_eq!(policy.headers, Headers::RawUtf8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Policy {
    /// The form of non-ASCII text in header fields.
    pub headers: Headers,
    /// The form of text bodies.
    pub bodies: Bodies,
    /// The charset of rewritten fields and bodies.
    pub charset_out: CharsetOut,
    /// The treatment of text attachments.
    pub attachments: Attachments,
    /// The treatment of wrong charset declarations in UTF-8 documents.
    pub declarations: Declarations,
    /// The transfer encoding of text bodies.
    pub transfer: Transfer,
    /// The treatment of undecodable bytes.
    pub on_loss: OnLoss,
    /// Whether messages stay unchanged that have a signature over the whole message (DKIM, DomainKeys, ARC) or over the whole body
    /// (S/MIME, PGP/MIME). A signed body stays in any case.
    pub keep_signed: bool,
    /// Whether embedded messages in base64 or quoted-printable stay as they are. Otherwise they are decoded and normalized.
    pub keep_encoded_messages: bool,
    /// How far charsets are detected.
    pub detection: Detection,
    /// Charset of non-UTF-8 text without a usable label, if it decodes all bytes and no label in the message names another.
    ///
    /// Replaces detection in bodies. In raw header fields, the charset of a body may be preferred.
    pub default_charset: Option<Charset>,
    /// The kinds of damage in header fields to undo.
    pub repairs: Repairs,
    /// User-defined charset aliases.
    pub charset_map: CharsetMap,
    /// The language (RFC 5646) of text that names none.
    pub language: Option<String>,
    /// The limits of a message.
    pub limits: Limits,
    /// Rules of charset detection. All are enabled except in measurements.
    #[doc(hidden)]
    pub charset_rules: mailglot_codec::detect::Rules,
}

/// Setters, one for each field.
impl Policy {
    setters! {
        /// Sets the form of non-ASCII text in header fields.
        headers: Headers,
        /// Sets the form of text bodies.
        bodies: Bodies,
        /// Sets the charset of rewritten bodies and fields.
        charset_out: CharsetOut,
        /// Sets how text attachments are treated.
        attachments: Attachments,
        /// Sets how wrong charset declarations in UTF-8 documents are treated.
        declarations: Declarations,
        /// Sets the transfer encoding of text bodies.
        transfer: Transfer,
        /// Sets how parts and fields with unreadable bytes are treated.
        on_loss: OnLoss,
        /// Sets whether messages with a DKIM, DomainKeys or ARC signature stay unchanged.
        keep_signed: bool,
        /// Sets whether embedded messages in base64 or quoted-printable stay as they are.
        keep_encoded_messages: bool,
        /// Sets how far charsets are guessed.
        detection: Detection,
        /// Sets the charset of text without a usable label if nothing else decides.
        default_charset: impl Into<Option<Charset>>,
        /// Sets the kinds of damage in header fields that are undone.
        repairs: Repairs,
        /// Sets the labels that mean another charset than they say.
        charset_map: CharsetMap,
        /// Sets the limits of a message.
        limits: Limits,
        #[doc(hidden)] // For measurements of single rules.
        charset_rules: mailglot_codec::detect::Rules,
    }

    /// Sets the language (RFC 5646) of text that names none.
    #[must_use]
    pub fn language(self, language: impl Into<String>) -> Self {
        Self {
            language: Some(language.into()),
            ..self
        }
    }
}

/// Setters, one for each field.
impl Repairs {
    setters! {
        /// Sets whether UTF-8 that was decoded as windows-1252 or ISO-8859-1 is restored.
        mojibake: bool,
        /// Sets whether HTML entities become their characters.
        entities: bool,
        /// Sets whether ISO-2022-JP without escape characters is decoded.
        escapes: bool,
        /// Sets whether encoded words inside encoded words are decoded.
        nested: bool,
    }
}
