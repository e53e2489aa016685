//! Options of normalization: which text is converted, and how.

use crate::Limits;
use mailglot_codec::{Charset, Resolved, View};

/// Form of non-ASCII text in header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Headers {
    /// Keep fields unchanged.
    Keep,
    /// RFC 2047 encoded words in UTF-8.
    #[default]
    Words,
    /// Raw UTF-8 (RFC 6532).
    RawUtf8,
}

/// Form of text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bodies {
    /// Keep bodies unchanged.
    Keep,
    /// UTF-8.
    #[default]
    Utf8,
}

/// Charset of rewritten text: of bodies unless [`Bodies::Keep`], and of fields unless [`Headers::Keep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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

/// Transfer encoding of text bodies.
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

/// What to do with a part or a field that contains undecodable bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Write U+FFFD for undecodable bytes.
    #[default]
    Replace,
    /// Keep that part or field unchanged.
    Keep,
}

/// What to do with text attachments, as defined by [`Part::attachment`](crate::Part::attachment).
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detection {
    /// No statistical detection; labels are believed.
    ///
    /// Text without a usable label is decoded by its byte order mark, its structure (escape sequences, wide characters) or as valid
    /// UTF-8. Else it is decoded as [`Policy::default_charset`] or windows-1252.
    Off,
    /// Detect only text without a usable label, or whose bytes are invalid under its label.
    Unlabelled,
    /// Also overrule a label that is valid for all bytes if words of the text prove another charset.
    #[default]
    Contradiction,
}

impl Detection {
    /// Returns the name in the command line, the configuration and reports: `off`, `unlabelled` or `contradiction`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Unlabelled => "unlabelled",
            Self::Contradiction => "contradiction",
        }
    }
}

/// Meanings of labels that the caller knows better than the message.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CharsetMap(Vec<(String, Charset)>);

impl CharsetMap {
    /// Adds the meaning of a label, compared without case. If the label names a known charset, all other names of that charset get
    /// it, too.
    ///
    /// The first entry for a label counts.
    pub fn add(&mut self, label: &str, meaning: Charset) {
        self.0.push((label.trim().to_ascii_lowercase(), meaning));
    }

    /// Returns the entries in the order in which they were added.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Charset)> {
        self.0
            .iter()
            .map(|(label, charset)| (label.as_str(), *charset))
    }

    /// Returns the meaning of a label; None if the map does not contain it.
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

/// The kinds of damage to undo. None by default, since a repair is a guess about the sender's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// Options of normalization. The default is for archives.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    /// Form of header fields.
    pub headers: Headers,
    /// Form of text bodies.
    pub bodies: Bodies,
    /// Charset of rewritten fields and bodies.
    pub charset_out: CharsetOut,
    /// What to do with text attachments.
    pub attachments: Attachments,
    /// Transfer encoding of text bodies.
    pub transfer: Transfer,
    /// What to do with undecodable bytes.
    pub on_loss: OnLoss,
    /// Keep messages unchanged that have a signature over the whole message (DKIM, DomainKeys, ARC).
    pub keep_signed: bool,
    /// How far charsets are guessed.
    pub detection: Detection,
    /// Charset of text without a usable label, if neither its bytes nor the rest of the message decide.
    pub default_charset: Option<Charset>,
    /// Kinds of damage in header fields to undo.
    pub repairs: Repairs,
    /// Labels with another meaning than the registered one.
    pub charset_map: CharsetMap,
    /// Language (RFC 5646) of text that does not declare one.
    pub language: Option<String>,
    /// Limits on resources.
    pub limits: Limits,
    /// Rules of charset detection. All are enabled except in measurements.
    #[doc(hidden)]
    pub charset_rules: mailglot_codec::detect::Rules,
}
