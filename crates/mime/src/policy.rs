//! What a caller wants of a normalised message.

use crate::Limits;
use mailglot_codec::{Charset, Resolved, View};

/// Form of non-ASCII text in header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Headers {
    /// Untouched.
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
    /// Untouched.
    Keep,
    /// UTF-8.
    #[default]
    Utf8,
}

/// Charset of what is written: of text bodies that are not [`Bodies::Keep`], and of fields that are not [`Headers::Keep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CharsetOut {
    /// UTF-8.
    #[default]
    Utf8,
    /// ISO-2022-JP (RFC 1468), for readers in Japan that know nothing else: each text part, field and parameter that it can carry whole, as
    /// 7-bit data. The others are in UTF-8, fields in words, with an event. What is in ISO-2022-JP already stays.
    Iso2022Jp,
}

/// Transfer encoding of text bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfer {
    /// As it is, where the new bytes allow it.
    Keep,
    /// As it is, and 7-bit data stays 7-bit data: for a way that promised no more.
    Clean,
    /// Only 7-bit data: quoted-printable or base64 where needed.
    SevenBit,
    /// Plain text that a search can read, wherever lines allow it.
    #[default]
    EightBit,
}

/// What to do with a part or a header field whose bytes cannot all be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnLoss {
    /// Write U+FFFD where bytes could not be read.
    #[default]
    Replace,
    /// Leave that part, or that field, as it is.
    Keep,
}

/// What becomes of text attachments: [`Part::attachment`](crate::Part::attachment) says which parts are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Attachments {
    /// Untouched: they are files.
    #[default]
    Keep,
    /// Those in another charset become UTF-8, as other text does; all others stay.
    Utf8,
    /// Untouched, and [`text_parts`](crate::text_parts) leaves them out.
    Skip,
}

/// How far the charset of a text may be guessed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detection {
    /// No statistical detection. Labels are read as written. Text without a usable label is read by its byte order mark, its structure
    /// (escape sequences, wide characters) or as valid UTF-8, else as windows-1252 or [`Policy::default_charset`].
    Off,
    /// Detects only where no usable label exists, or where the label cannot read the bytes.
    Unlabelled,
    /// Also overrules a label that reads all bytes, where words of the text prove another charset.
    #[default]
    Contradiction,
}

impl Detection {
    /// The word that the command line, the configuration and reports use: `off`, `unlabelled` or `contradiction`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Unlabelled => "unlabelled",
            Self::Contradiction => "contradiction",
        }
    }
}

/// What a caller knows better than the labels: what each of some labels means.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CharsetMap(Vec<(String, Charset)>);

impl CharsetMap {
    /// Reads a label as a charset from now on: this label in any case and, where it names a known charset, every other name of that.
    /// The first entry for a label counts.
    pub fn add(&mut self, label: &str, meaning: Charset) {
        self.0.push((label.trim().to_ascii_lowercase(), meaning));
    }

    /// The entries as they were added.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Charset)> {
        self.0
            .iter()
            .map(|(label, charset)| (label.as_str(), *charset))
    }

    /// What a label means; None where the map does not say.
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

    /// Resolves a label, this map first; true where the map decided.
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

/// What to make of a message. The default is the archive's.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    /// Header fields.
    pub headers: Headers,
    /// Text bodies.
    pub bodies: Bodies,
    /// The charset that both are to be in.
    pub charset_out: CharsetOut,
    /// Text attachments.
    pub attachments: Attachments,
    /// Transfer encoding of text bodies.
    pub transfer: Transfer,
    /// Unreadable bytes.
    pub on_loss: OnLoss,
    /// Leave messages alone that carry a signature over the whole message (DKIM, DomainKey, ARC).
    pub keep_signed: bool,
    /// How far charsets are guessed.
    pub detection: Detection,
    /// Charset of text without a usable label, if neither its bytes nor the rest of the message decide.
    pub default_charset: Option<Charset>,
    /// Damage in header fields that is undone.
    pub repairs: Repairs,
    /// Labels that mean something else than they say.
    pub charset_map: CharsetMap,
    /// Language (RFC 5646) of text that does not tell its own.
    pub language: Option<String>,
    /// Bounds.
    pub limits: Limits,
    /// The rules of charset decisions; all but in measurements.
    #[doc(hidden)]
    pub charset_rules: mailglot_codec::detect::Rules,
}
