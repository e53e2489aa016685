//! The context in which the bytes of a header are decoded.

use crate::charset_choice::{AlphabetCharsets, DisprovedLabels, LabelScope, MAIL_HINTS};
use crate::policy::{CharsetMap, Detection, Policy, Repairs};
use crate::setters::setters;
use mailglot_codec::{Charset, Resolved, View, detect};

/// What the message or the caller knows about the bytes of a header, and options of decoding.
///
/// Each field has a setter of the same name. [`crate::header_context`] makes one from a message.
///
/// ```
/// use mailglot_codec::Charset;
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::header::{FieldKind, decode};
///
/// let context = HeaderContext::default().raw(Charset::KOI8_R);
/// assert_eq!(decode(b"\xE4\xC1", FieldKind::Unstructured, &context, &mut Vec::new()), "Да");
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HeaderContext<'a> {
    /// Charset of raw bytes that are not valid UTF-8. None: detection over the value, else windows-1252.
    pub raw: Option<Charset>,
    /// True if `raw` is a guess from little text. Valid UTF-8 then stays UTF-8.
    pub raw_is_uncertain: bool,
    /// True if other text of the message, rather than the caller, gives `raw`. Then `raw` decodes only values in which it makes
    /// plausible text.
    pub raw_is_inferred: bool,
    /// True if `raw` is Latin-1 of a body that proves little, such as one in ASCII: programs write this label by default. Then a likelier
    /// charset decodes short values, too.
    pub raw_is_default: bool,
    /// How to handle words in unknown charsets.
    pub unknown: UnknownLabel,
    /// The kinds of damage to undo.
    pub repairs: Repairs,
    /// True to replace invisible characters in decoded text by spaces.
    pub strip_hidden: bool,
    /// The caller's meanings of labels of words and parameters.
    pub map: Option<&'a CharsetMap>,
    /// Language (RFC 5646) of raw bytes without a known charset.
    pub language: Option<&'a str>,
    /// How far the charset of raw bytes may be guessed, and labels that cannot decode their bytes be overruled.
    pub detection: Detection,
    /// True to check labels of words and parameters like those of bodies: another charset may make likelier text of their bytes.
    ///
    /// The check takes several times as long as decoding.
    pub check_labels: bool,
    /// Labels that other text of the message disproves, and charsets of its text in other alphabets. Only a message gives them.
    pub(crate) disproved: DisprovedLabels,
    /// True for the text of a word that is decoded once more. Its damage is reported with the word.
    pub(crate) is_nested: bool,
}

impl HeaderContext<'_> {
    /// Returns the context that a policy implies without a message.
    pub fn of(policy: &Policy) -> HeaderContext<'_> {
        let map = Some(&policy.charset_map).filter(|map| map.entries().next().is_some());
        HeaderContext {
            raw: policy.default_charset,
            repairs: policy.repairs,
            map,
            language: policy.language.as_deref(),
            detection: policy.detection,
            check_labels: LabelScope::of(policy.detection) != LabelScope::None,
            ..HeaderContext::default()
        }
    }

    /// Returns true if neither repairs nor a charset map affect values of the usual shapes.
    #[inline]
    pub(crate) fn has_no_instructions(&self) -> bool {
        !self.repairs.any() && self.map.is_none()
    }

    /// Returns the charset of raw bytes, if raw bytes in a header can be in it.
    #[inline]
    pub(super) fn plain_raw(&self) -> Option<Charset> {
        self.raw.filter(|charset| is_plain(*charset))
    }

    /// Returns the charset that competes with valid UTF-8.
    pub(crate) fn rival_of_utf8(&self) -> Option<Charset> {
        self.plain_raw().filter(|_| !self.raw_is_uncertain)
    }

    /// Returns what detection knows about text of a header.
    pub(crate) fn hints(&self) -> detect::Hints<'_> {
        detect::Hints {
            language: self.language,
            ..MAIL_HINTS
        }
    }

    /// Returns the charset of other text of the message under this label, if that text disproves the label.
    pub(super) fn disproved(&self, label: Charset) -> Option<Charset> {
        let charset = self.disproved.charset_for(label)?;
        (self.label_scope() != LabelScope::None).then_some(charset)
    }

    /// Returns the charsets of other text of the message in another alphabet, for text under a label of Latin-1.
    pub(super) fn others(&self, label: Charset) -> Option<AlphabetCharsets> {
        let charsets = self.disproved.others(label)?;
        (self.label_scope() != LabelScope::None).then_some(charsets)
    }

    /// Returns the labels that are checked.
    pub(super) fn label_scope(&self) -> LabelScope {
        match self.detection {
            _ if !self.check_labels => LabelScope::None,
            Detection::Always => LabelScope::All,
            _ => LabelScope::Implausible,
        }
    }

    /// Returns true if valid UTF-8 may overrule the label. US-ASCII says nothing about bytes above 7F.
    pub(super) fn may_overrule(&self, label: Charset) -> bool {
        label == Charset::US_ASCII || LabelScope::of(self.detection) != LabelScope::None
    }

    /// Resolves a label. The flag is true if the caller's map decided.
    pub(crate) fn resolve(&self, label: &[u8]) -> (Resolved, bool) {
        match self.map {
            Some(map) => map.resolve(label),
            None => (Charset::for_label(label, View::Mail), false),
        }
    }
}

/// How to handle a word with an unknown charset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownLabel {
    /// Decode it if it and its neighbors with unknown labels are printable ASCII or UTF-8. Keep it as written otherwise.
    ///
    /// UTF-8 needs a character beyond ASCII. ASCII that may be UTF-7 or HZ is kept.
    #[default]
    IfCertain,
    /// Keep it as written.
    Keep,
    /// Decode it as UTF-8 if its bytes are valid UTF-8.
    Utf8IfValid,
    /// Decode it in this charset.
    Fallback(Charset),
}

/// Returns true if raw bytes in a header can be in this charset: stateless, and ASCII text is ASCII.
pub(super) fn is_plain(charset: Charset) -> bool {
    charset.may_stand_beside_ascii() && charset != Charset::UTF_8 && charset != Charset::US_ASCII
}

/// Setters, one for each field.
impl<'a> HeaderContext<'a> {
    setters! {
        /// Sets the charset of raw bytes that are not valid UTF-8.
        raw: impl Into<Option<Charset>>,
        /// Sets the caller's meanings of labels.
        map: impl Into<Option<&'a CharsetMap>>,
        /// Sets the language (RFC 5646) of raw bytes without a known charset.
        language: impl Into<Option<&'a str>>,
        /// Sets whether `raw` is a guess from little text.
        raw_is_uncertain: bool,
        /// Sets whether other text of the message gives `raw`.
        raw_is_inferred: bool,
        /// Sets whether `raw` is a label of Latin-1 over a body in ASCII.
        raw_is_default: bool,
        /// Sets how to handle words in unknown charsets.
        unknown: UnknownLabel,
        /// Sets the kinds of damage to undo.
        repairs: Repairs,
        /// Sets whether invisible characters become spaces.
        strip_hidden: bool,
        /// Sets how far the charset of raw bytes may be guessed.
        detection: Detection,
        /// Sets whether to compare labels with the text of their bytes.
        check_labels: bool,
    }
}
