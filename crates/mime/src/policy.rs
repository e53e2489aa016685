//! Defines the options for reading and normalizing a message.

use crate::Limits;
use mailglot_codec::{Charset, Resolved, View};

/// The form in which [`Policy`] writes non-ASCII text of header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Headers {
    /// Leaves fields unchanged.
    Keep,
    /// Writes encoded words in UTF-8 (RFC 2047, section 2), and extended parameters (RFC 2231, section 4).
    #[default]
    Words,
    /// Writes raw UTF-8 (RFC 6532, section 3.2).
    RawUtf8,
}

/// The form in which [`Policy`] writes text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bodies {
    /// Leaves bodies unchanged.
    Keep,
    /// Writes UTF-8.
    #[default]
    Utf8,
}

/// The charset of rewritten text bodies and header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CharsetOut {
    /// UTF-8.
    #[default]
    Utf8,
    /// ISO-2022-JP (RFC 1468), for Japanese readers that support nothing else.
    ///
    /// Applies to each text part, field and parameter that it can encode completely, as 7-bit data. Others become UTF-8, fields as
    /// encoded words, with an event. ISO-2022-JP text stays.
    Iso2022Jp,
}

impl CharsetOut {
    /// Returns the name that the command line, the configuration and reports use: `utf-8` or `iso-2022-jp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Iso2022Jp => "iso-2022-jp",
        }
    }
}

/// The transfer encoding of text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfer {
    /// Keep the encoding if the new bytes allow it.
    Keep,
    /// Keep the encoding, and keep 7-bit data 7-bit, for transports that do not offer 8-bit.
    Clean,
    /// Only 7-bit data: quoted-printable or base64 where needed.
    SevenBit,
    /// Plain text, which can be searched, if its lines allow it.
    #[default]
    EightBit,
}

/// The treatment of a part or header field with undecodable bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Write U+FFFD for undecodable bytes.
    #[default]
    Replace,
    /// Leave the part or field unchanged.
    Keep,
}

/// The treatment of text attachments, which [`Part::attachment`](crate::Part::attachment) marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Attachments {
    /// Keep them unchanged: they are files.
    #[default]
    Keep,
    /// Convert those in another charset to UTF-8; keep all others unchanged.
    Utf8,
    /// Keep them unchanged, and skip them in [`text_parts`](crate::text_parts).
    Skip,
}

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
    Off,
    /// Detect only text without a usable label, or whose bytes are invalid under its label.
    Unlabelled,
    /// Also overrules a label that reads all bytes, where words of the text prove another charset.
    Contradiction,
    /// Detects all text whose charset its bytes do not prove. The label is only a hint: it decides where detection is not sure.
    ///
    /// For archives whose labels are mostly wrong. Right labels of short texts are overruled more often than with
    /// [`Detection::Contradiction`].
    Always,
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

impl Detection {
    /// Returns the name in the command line, the configuration and reports: `off`, `unlabelled`,
    /// `contradiction` or `always`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Unlabelled => "unlabelled",
            Self::Contradiction => "contradiction",
            Self::Always => "always",
        }
    }
}

/// Meanings of labels that the caller knows better than the message.
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
        self.entities && memchr::memmem::find(value, b"&").is_some()
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
    /// The transfer encoding of text bodies.
    pub transfer: Transfer,
    /// The treatment of undecodable bytes.
    pub on_loss: OnLoss,
    /// Whether messages with a signature over the whole message (DKIM, DomainKeys, ARC) stay unchanged.
    pub keep_signed: bool,
    /// How far charsets are detected.
    pub detection: Detection,
    /// Charset of text without a usable label, if neither its bytes nor the rest of the message decide.
    pub default_charset: Option<Charset>,
    /// The kinds of damage in header fields to undo.
    pub repairs: Repairs,
    /// Meanings of labels that the caller knows better than the message.
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
    /// Sets the form of non-ASCII text in header fields.
    #[must_use]
    pub fn headers(self, headers: Headers) -> Self {
        Self { headers, ..self }
    }

    /// Sets the form of text bodies.
    #[must_use]
    pub fn bodies(self, bodies: Bodies) -> Self {
        Self { bodies, ..self }
    }

    /// Sets the charset of rewritten bodies and fields.
    #[must_use]
    pub fn charset_out(self, charset_out: CharsetOut) -> Self {
        Self {
            charset_out,
            ..self
        }
    }

    /// Sets how text attachments are treated.
    #[must_use]
    pub fn attachments(self, attachments: Attachments) -> Self {
        Self {
            attachments,
            ..self
        }
    }

    /// Sets the transfer encoding of text bodies.
    #[must_use]
    pub fn transfer(self, transfer: Transfer) -> Self {
        Self { transfer, ..self }
    }

    /// Sets how parts and fields with unreadable bytes are treated.
    #[must_use]
    pub fn on_loss(self, on_loss: OnLoss) -> Self {
        Self { on_loss, ..self }
    }

    /// Sets whether messages with a DKIM, DomainKeys or ARC signature stay unchanged.
    #[must_use]
    pub fn keep_signed(self, keep_signed: bool) -> Self {
        Self {
            keep_signed,
            ..self
        }
    }

    /// Sets how far charsets are guessed.
    #[must_use]
    pub fn detection(self, detection: Detection) -> Self {
        Self { detection, ..self }
    }

    /// Sets the charset of text without a usable label if nothing else decides.
    #[must_use]
    pub fn default_charset(self, charset: impl Into<Option<Charset>>) -> Self {
        Self {
            default_charset: charset.into(),
            ..self
        }
    }

    /// Sets the kinds of damage in header fields that are undone.
    #[must_use]
    pub fn repairs(self, repairs: Repairs) -> Self {
        Self { repairs, ..self }
    }

    /// Sets the labels that mean another charset than they say.
    #[must_use]
    pub fn charset_map(self, charset_map: CharsetMap) -> Self {
        Self {
            charset_map,
            ..self
        }
    }

    /// Sets the language (RFC 5646) of text that names none.
    #[must_use]
    pub fn language(self, language: impl Into<String>) -> Self {
        Self {
            language: Some(language.into()),
            ..self
        }
    }

    /// Sets the limits of a message.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    #[doc(hidden)] // For measurements of single rules.
    #[must_use]
    pub fn charset_rules(self, charset_rules: mailglot_codec::detect::Rules) -> Self {
        Self {
            charset_rules,
            ..self
        }
    }
}

/// Setters, one for each field.
impl Repairs {
    /// Sets whether UTF-8 that was decoded as windows-1252 or ISO-8859-1 is restored.
    #[must_use]
    pub fn mojibake(self, mojibake: bool) -> Self {
        Self { mojibake, ..self }
    }

    /// Sets whether HTML entities become their characters.
    #[must_use]
    pub fn entities(self, entities: bool) -> Self {
        Self { entities, ..self }
    }

    /// Sets whether ISO-2022-JP without escape characters is decoded.
    #[must_use]
    pub fn escapes(self, escapes: bool) -> Self {
        Self { escapes, ..self }
    }

    /// Sets whether encoded words inside encoded words are decoded.
    #[must_use]
    pub fn nested(self, nested: bool) -> Self {
        Self { nested, ..self }
    }
}
