//! Decodes, rewrites and encodes encoded words (RFC 2047).
//!
//! ```text
//! value ── lexical_context::pieces ──► texts and words ── decode::Reader ──► texts and runs ──┬─► decode: one text
//!            (token)                             (payload)                        └─► rewrite: replacements (encode)
//! ```
//!
//! `decode_fast_path` and `rewrite_fast_path` handle values of the usual shapes in one pass, without the steps above. Both decode words with
//! `strict_syntax`.
//!
//! # Limits
//!
//! Decodes words once: text that reads as a word afterwards stays. Reports direction overrides and invisible characters, and keeps them by
//! default. Drops the language tag of a rewritten word, since few readers understand one, and reports it.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the context is passed on as the public functions take it"
)]

mod address_lexer;
mod context;
mod controls;
mod decode;
mod decode_fast_path;
mod encode;
mod encode_legacy;
mod explain;
mod field_encoder;
mod invisible;
mod invisible_scan;
#[cfg(test)]
mod laws;
mod lexical_context;
mod payload;
pub(crate) mod repair;
mod rewrite;
mod rewrite_fast_path;
mod rewrite_units;
mod stream;
mod strict_syntax;
mod token;
mod utf8_mislabel;
mod word_run;
mod writable;
mod writer;

pub use crate::policy::Repairs;
pub(crate) use address_lexer::{AddressToken, address_tokens};
#[cfg(test)]
use controls::is_control;
pub(crate) use controls::push_clean;
pub(crate) use decode::charset_of_raw;
pub use encode::encode;
pub(crate) use encode::{LineWriter, choose_letter};
pub(crate) use encode_legacy::japanese_words;
pub use encode_legacy::{Unencodable, encode_as};
pub use explain::{Piece, Word, explain};
pub use field_encoder::{Style, encode_field};
pub(crate) use invisible::report_hidden_characters;
pub(crate) use payload::hex;
pub use rewrite::rewrite;
pub(crate) use rewrite::{Rewriting, apply, is_clean_text, rewrite_plain};
pub(crate) use rewrite_units::is_clean_japanese;
pub use stream::{MOST, Stream};
pub(crate) use utf8_mislabel::mislabel_finding;
pub(crate) use writable::is_writable;
pub(crate) use writer::RewriteTarget;

use crate::charset_choice::{
    LabelVerdict, MAIL_HINTS, check_label, redecode, utf8_outweighs_message,
};
use crate::event::{Detail, EventKind, Finding};
use crate::header::FieldKind;
use crate::{CharsetMap, Detection, Policy, lex, params};
use mailglot_codec::{Charset, LossLog, Resolved, View, detect};
use std::borrow::Cow;
use std::ops::Range;

/// What the message or the caller knows about the bytes of a header, and options of decoding.
///
/// Each field has a setter of the same name. [`crate::header_context`] makes one from a message.
///
/// ```
/// use mailglot_codec::Charset;
/// use mailglot_mime::encoded_word::{HeaderContext, decode};
/// use mailglot_mime::header::FieldKind;
///
/// let context = HeaderContext::default().raw(Charset::KOI8_R);
/// assert_eq!(decode(b"\xE4\xC1", FieldKind::Unstructured, &context, &mut Vec::new()), "Да");
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HeaderContext<'a> {
    /// Charset of raw bytes that are not valid UTF-8. None: detection over the value, else windows-1252.
    pub raw: Option<Charset>,
    /// Whether `raw` is a guess from little text: valid UTF-8 stays UTF-8 then.
    pub raw_is_uncertain: bool,
    /// How to handle words in unknown charsets.
    pub unknown: UnknownLabel,
    /// The kinds of damage to undo.
    pub repairs: Repairs,
    /// Whether to replace invisible characters in decoded text by spaces.
    pub strip_hidden: bool,
    /// The caller's meanings of labels of words and parameters.
    pub map: Option<&'a CharsetMap>,
    /// Language (RFC 5646) of raw bytes without a known charset.
    pub language: Option<&'a str>,
    /// What detection may do: guess the charset of raw bytes, replace a label that cannot decode its bytes, overrule one.
    pub detection: Detection,
    /// Whether to check labels of words and parameters as those of bodies: another charset may make likelier text of their bytes.
    ///
    /// The check costs several times what decoding costs.
    pub check_labels: bool,
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
            check_labels: policy.detection == Detection::Contradiction,
            ..HeaderContext::default()
        }
    }

    /// Returns true if neither repairs nor a charset map affect values of the usual shapes.
    #[inline]
    pub(crate) fn has_no_instructions(&self) -> bool {
        !self.repairs.any() && self.map.is_none()
    }

    /// Returns the charset that competes with valid UTF-8.
    pub(crate) fn rival_of_utf8(&self) -> Option<Charset> {
        self.raw
            .filter(|&charset| !self.raw_is_uncertain && decode::is_plain(charset))
    }

    /// Returns true if valid UTF-8 may overrule the label. US-ASCII says nothing about bytes above 7F.
    fn may_overrule(&self, label: Charset) -> bool {
        label == Charset::US_ASCII || self.detection == Detection::Contradiction
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
    /// Keep it as written.
    #[default]
    Keep,
    /// Decode it as UTF-8 if its bytes are valid UTF-8.
    Utf8IfValid,
    /// Decode it in this charset.
    Fallback(Charset),
}

/// A change of a value: `with` replaces the bytes at `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The range in the value.
    pub at: Range<usize>,
    /// The new bytes.
    pub with: Vec<u8>,
}

/// Target of [`rewrite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Encoded words in UTF-8.
    Words,
    /// Raw UTF-8 (RFC 6532).
    RawUtf8,
    /// Encoded words in ISO-2022-JP (RFC 1468) if it can carry all text of the value except raw ASCII; otherwise words in UTF-8.
    ///
    /// In a value with parameters each one counts by itself. Some characters become others (EVENTS.md, `charset.look-alike`).
    Iso2022Jp,
}

/// The encoding of an encoded word (RFC 2047, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Base64.
    B,
    /// Quoted-printable-like.
    Q,
    /// The shorter one; Q if equal.
    #[default]
    Shorter,
}

/// The place of a word. It limits the Q alphabet (RFC 2047 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Unstructured text.
    Text,
    /// Inside a comment.
    Comment,
    /// Inside a phrase.
    Phrase,
}

/// Decodes a field value for display: unfolds it, decodes words, replaces controls by spaces.
///
/// In a structured field a quoted string loses its quotes and quoted pairs, so that it reads the same when it becomes words. A value with
/// parameters becomes `value; name="text"` with joined continuations.
///
/// Borrows the value if nothing needs decoding.
// Inlined, since most callers know the arguments.
#[inline]
pub fn decode<'v>(
    value: &'v [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    if kind == FieldKind::Unstructured
        && context.has_no_instructions()
        && (!context.raw.is_some_and(decode::is_plain) || value.is_ascii())
        && let Some(text) = decode_fast_path::decode(value, context.check_labels, findings)
    {
        return text;
    }
    decode_any(value, kind, context, findings)
}

/// Decodes values of any shape; see [`decode`].
#[inline(never)]
fn decode_any<'v>(
    value: &'v [u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    match kind {
        FieldKind::Parameters => params::parse(value, context, findings).to_string().into(),
        _ => decode_unparameterized(value, kind, context, findings).into(),
    }
}

/// Decodes values of any shape without parameters; see [`decode`].
fn decode_unparameterized(
    value: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> String {
    let mut out = String::with_capacity(value.len());
    let reader = decode::Reader::new(value, kind, context, findings);
    for segment in &reader.segments {
        reader.push(segment, &mut out, findings);
    }
    findings.sort_by_key(|f| f.at.start);
    out
}

/// Decodes a value as it stands in a header, or a text of several lines.
///
/// A single line with its line end is a whole value: white space at its ends does not belong to it. In several lines each one is decoded
/// alone and keeps its line end, except between two encoded words, where it disappears like a fold.
pub fn decode_lines(
    text: &[u8],
    kind: FieldKind,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut first) = (0, true);
    while at < text.len() || first {
        let end = line_end(text, at);
        let line = &text[at..end];
        let bare = line
            .strip_suffix(b"\n")
            .map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        let whole = first && end == text.len() && bare.len() < line.len();
        let start = at + if whole { lex::skip_space(bare, 0) } else { 0 };
        let value = if whole {
            lex::trim_end(&bare[start - at..])
        } else {
            bare
        };
        let mut found = Vec::new();
        out.push_str(&decode(value, kind, context, &mut found));
        findings.extend(found.into_iter().map(|mut finding| {
            finding.at = start + finding.at.start..start + finding.at.end;
            finding
        }));
        if !whole {
            out.push_str(if line.ends_with(b"\r\n") {
                "\r\n"
            } else {
                &"\n"[..line.len() - bare.len()]
            });
        }
        (at, first) = (end, false);
    }
    out
}

/// Returns the offset after the first line end that is not a fold.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[at..])
        .map(|n| at + n + 1)
        .scan(at, |start, end| Some((std::mem::replace(start, end), end)))
        .find(|&(start, end)| {
            !matches!(text.get(end), Some(b' ' | b'\t')) && !is_between_words(text, start, end)
        })
        .map_or(text.len(), |(_, end)| end)
}

/// Returns true if the line `start..end` ends in an encoded word, and the next line begins with one, both in known charsets.
fn is_between_words(text: &[u8], start: usize, end: usize) -> bool {
    if !text[end..].starts_with(b"=?") {
        return false;
    }
    let line = text[start..end].trim_ascii_end();
    if !line.ends_with(b"?=") {
        return false;
    }
    let is_known = |label: &[u8]| {
        !label.is_empty() && Charset::for_label(label, View::Mail) != Resolved::Unknown
    };
    let mut finder = token::Finder::new(line, line.len());
    let (mut at, mut last) = (0, None);
    while let Some(word) = finder.next_from(at) {
        at = word.range.end;
        last = Some(word);
    }
    let is_last =
        last.is_some_and(|word| word.range.end == line.len() && is_known(&line[word.label]));
    let next_end = memchr::memchr2(b'\r', b'\n', &text[end..]).map_or(text.len(), |n| end + n);
    let next = &text[end..next_end];
    let is_next = || {
        let word = token::Finder::new(next, next.len()).next_from(0);
        word.is_some_and(|word| word.range.start == 0 && is_known(&next[word.label]))
    };
    is_last && is_next()
}

/// Decodes unstructured text with words and raw bytes.
pub(crate) fn decode_text<'v>(
    value: &'v [u8],
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Cow<'v, str> {
    decode(value, FieldKind::Unstructured, context, findings)
}

/// Decodes bytes with or without a charset.
///
/// Returns the text, the charset (None: UTF-8 without a label or against it) and the number of losses under the label. Adds events to
/// `notes` if another charset replaced the label or is likelier.
pub(crate) fn bytes_to_text<'b>(
    charset: Option<Charset>,
    mapped: bool,
    bytes: &'b [u8],
    context: &HeaderContext,
    notes: &mut Vec<(EventKind, Detail)>,
) -> (Cow<'b, str>, Option<Charset>, u64) {
    let may_overrule = |charset: &Charset| context.may_overrule(*charset);
    if let Some(text) = charset
        .filter(may_overrule)
        .and_then(|charset| utf8_mislabel::as_utf8(charset, bytes))
    {
        return (Cow::Borrowed(text), None, 0);
    }
    let known = charset.filter(|&c| c != Charset::US_ASCII || bytes.is_ascii());
    if known.is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
        && utf8_outweighs_message(context.rival_of_utf8(), bytes, text)
    {
        return (Cow::Borrowed(text), None, 0);
    }
    let used = known.unwrap_or_else(|| {
        context
            .raw
            .filter(|&c| decode::is_plain(c))
            .unwrap_or_else(|| decode::guess(bytes, context))
    });
    let mut log = LossLog::new();
    let text = used.decode(bytes, &mut log);
    let raw = context.raw.filter(|&c| decode::is_plain(c));
    if known.is_some()
        && context.detection != Detection::Off
        && let Some(read) = redecode(bytes, used, &text, &log, raw, context.language)
    {
        notes.push(read.event);
        return (read.text, Some(read.used), log.losses());
    }
    let hints = || detect::Hints {
        language: context.language,
        ..MAIL_HINTS
    };
    if known.is_some()
        && log.losses() == 0
        && !mapped
        && let Some(LabelVerdict { read, events }) =
            check_label(used, bytes, raw, context.check_labels.then_some(hints))
    {
        notes.extend(events);
        if let Some(read) = read {
            return (read.text, Some(read.used), 0);
        }
    }
    (text, Some(used), log.losses())
}

/// Returns true if a value contains `=?`.
pub(crate) fn has_open(value: &[u8]) -> bool {
    memchr::memchr_iter(b'?', value).any(|at| at > 0 && value[at - 1] == b'=')
}

/// Returns true if a value contains an encoded word.
pub(crate) fn has_word(value: &[u8]) -> bool {
    token::Finder::new(value, value.len())
        .next_from(0)
        .is_some()
}

/// Returns the charsets of the words in a value, in order, without unknown ones.
///
/// ```
/// use mailglot_mime::encoded_word::charsets;
///
/// assert_eq!(charsets(b"=?koi8-r?B?5A==?= =?utf-8?Q?a?=").len(), 2);
/// ```
pub fn charsets(value: &[u8]) -> Vec<Charset> {
    let mut finder = token::Finder::new(value, value.len());
    let (mut at, mut list) = (0, Vec::new());
    while let Some(word) = finder.next_from(at) {
        at = word.range.end;
        list.extend(Charset::for_label(&value[word.label], View::Mail).charset());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use mailglot_codec::{LossLog, Unmappable};

    fn read(value: &[u8], kind: FieldKind) -> (String, Vec<&'static str>) {
        let mut findings = Vec::new();
        let text = decode(value, kind, &HeaderContext::default(), &mut findings).into_owned();
        (text, findings.iter().map(|f| f.kind.code()).collect())
    }

    fn text(value: &str) -> String {
        read(value.as_bytes(), FieldKind::Unstructured).0
    }

    #[test]
    fn languages_are_told() {
        for (tag, detail) in [
            ("de-AT", Some("de-AT")),
            ("EN ", Some("EN")),
            ("", None),
            ("d_e", Some("")),
        ] {
            let value = format!("=?utf-8*{tag}?Q?x?= =?iso-8859-1?Q?y?=");
            let mut findings = Vec::new();
            decode_text(value.as_bytes(), &HeaderContext::default(), &mut findings);
            let notes = findings
                .iter()
                .filter(|f| f.kind == EventKind::EwLanguage)
                .map(|f| (f.detail.to_string(), f.at.start));
            assert_eq!(
                notes.collect::<Vec<_>>(),
                detail
                    .map(|d| (d.to_owned(), 0))
                    .into_iter()
                    .collect::<Vec<_>>(),
                "{value}"
            );
        }
        let long = format!("=?utf-8*{}?Q?x?=", "x".repeat(40));
        assert_eq!(
            read(long.as_bytes(), FieldKind::Unstructured),
            ("x".into(), vec!["ew.language"])
        );
    }

    #[test]
    fn words_are_read_as_mail_means_them() {
        for (value, want) in [
            ("=?utf-8?B?5pel5pw=?= =?utf-8?B?rOiqng==?=", "日本語"),
            ("=?UTF-8?Q?Gr=C3?= =?utf8?B?tsOfZQ==?=", "Größe"),
            ("(=?utf-8?q?=C3=A9?=) x=?utf-8?q?=C3=A9?=y", "(é) xéy"),
            ("=?utf-8?Q?a?= =?koi8-r?B?8A==?= b", "aП b"),
            (
                "=?utf-8?Q?a?= \r\n =?x-gibberish?Q?b?= =?utf-8?Q?c?=",
                "a  =?x-gibberish?Q?b?= c",
            ),
            (
                "=?utf-8?B?SGVsbG8g?= =?utf-8?B?d29ybGQ?= !",
                "Hello world !",
            ),
            ("=?utf-8?B?SGVsb?= =?utf-8?B?G8=?=", "Hello"),
            ("=?utf-8?B?w7w?= =?utf-8?B?w7w?=", "üü"),
            ("=?iso-8859-1?Q?=805?=", "€5"),
            ("=?us-ascii?Q?na=C3=AFve?=", "naïve"),
            ("=?unknown-8bit?Q?na=C3=AFve?=", "naïve"),
            (
                "=?utf-8?B?\u{e4}\u{f6}\u{fc} a?=",
                "=?utf-8?B?\u{e4}\u{f6}\u{fc} a?=",
            ),
            ("=?utf-8?B?w6Q", "=?utf-8?B?w6Q"),
            ("=?utf-8?Q?a=0D=0AX:_b=00?=", "a  X: b "),
            ("=?utf-8?B?PT9VVEYtOD9RP3g/PQ==?=", "=?UTF-8?Q?x?="),
            ("=?utf-16?B?/v8AYQ==?= =?utf-16?B?/v8AYg==?=", "ab"),
            (
                "=?utf-16?B?/v8AYQ==?= =?utf-16?B?//5iAA==?= =?utf-16?B?YwA=?= =?utf-16?B?/v8AZA==?=",
                "abcd",
            ),
            ("=?utf-32?B?AAD+/wAAAGE=?= =?utf-32?B?//4AAGIAAAA=?=", "ab"),
            (
                "=?utf-16?Q??= =?utf-16?B?//4RYg==?= =?utf-16?B?5WUsZw==?=",
                "我日本",
            ),
            ("=?utf-7?Q?+AOQ-x?= =?utf-7?Q?+AOQ-?=", "äxä"),
            ("=?utf-7?B?K0FP?= =?utf-7?B?US0=?=", "ä"),
            (
                "=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?=",
                "日本",
            ),
            (
                "=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?S1wbKEI=?=",
                "日本",
            ),
            ("a\r\n\tb\r\n", "a b"),
            ("", ""),
        ] {
            assert_eq!(text(value), want, "{value:?}");
        }
    }

    #[test]
    fn byte_order_marks_between_words_are_dropped_in_all_wide_charsets() {
        let encode = |charset: Charset, text: &str| {
            let mut log = LossLog::new();
            charset
                .encode(text, Unmappable::Fatal, &mut log)
                .into_owned()
        };
        let is_form = |c: &Charset| c.is_unicode() && c.is_wide();
        let mut count = 0;
        for charset in Charset::all().filter(is_form) {
            let word = |letter: &str| {
                // Encoders write a mark where the charset leaves the byte order open.
                let letter = encode(charset, letter);
                let is_open = [Charset::UTF_16, Charset::UTF_32].contains(&charset.superset());
                let bytes = if is_open {
                    letter
                } else {
                    [encode(charset.superset(), "\u{FEFF}"), letter].concat()
                };
                format!("=?{charset}?B?{}?=", STANDARD.encode(bytes))
            };
            let value = ["a", "b", "c"].map(word).join(" ");
            assert_eq!(text(&value), "abc", "{value}");
            count += 1;
        }
        assert!(count > 15, "{count}");
    }

    #[test]
    fn utf8_is_read_as_such_whatever_its_label_says() {
        let (utf8, split, raw) = ("charset.utf8-in-legacy", "ew.split-char", "ew.raw8bit");
        for (value, want, codes) in [
            (
                "=?iso-8859-1?Q?Ren=C3=A9e_M=C3=BCller?=",
                "Renée Müller",
                vec![utf8],
            ),
            ("=?windows-1251?B?0J/RgNC40LLQtdGC?=", "Привет", vec![utf8]),
            (
                "=?iso-8859-1?Q?Ren=C3=A9e?= =?windows-1251?B?0J/RgNC40LLQtdGC?=",
                "RenéeПривет",
                vec![utf8, utf8],
            ),
            // A sequence may be cut; a run counts as a whole.
            (
                "=?iso-8859-1?Q?Ren=C3?= =?iso-8859-1?Q?=A9e?=",
                "Renée",
                vec![utf8],
            ),
            (
                "=?windows-1251?Q?=D0=9F?= =?windows-1251?Q?=D1=80?=",
                "Пр",
                vec![utf8],
            ),
            (
                "=?windows-1251?Q?=D0=9F?= x =?windows-1251?Q?=D0=9F?=",
                "Рџ x Рџ",
                vec![],
            ),
            ("=?iso-2022-jp?B?5pel5pys?=", "日本", vec![utf8]),
            ("=?us-ascii?Q?na=C3=AFve?= é", "naïve é", vec![utf8, raw]),
            ("=?utf-8?Q?na=C3?= =?utf-8?Q?=AFve?=", "naïve", vec![split]),
            ("=?iso-8859-1?Q?na=EFve?=", "naïve", vec![]),
            (
                "=?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?_na=C3=AFf?=",
                "café naÃ¯f",
                vec![],
            ),
            ("=?gb2312?B?xOO6ww==?=", "你好", vec![]),
            ("=?gb2312?B?5Lya6K6u6YCa55+l?=", "会议通知", vec![utf8]),
            ("=?koi8-r?B?8NLJ18XU?=", "Привет", vec![]),
        ] {
            for kind in [FieldKind::Unstructured, FieldKind::Structured] {
                assert_eq!(
                    read(value.as_bytes(), kind),
                    (want.to_owned(), codes.clone()),
                    "{value}"
                );
            }
        }
        let mut findings = Vec::new();
        let value = b"ab =?iso-8859-1?Q?Ren=C3=A9e?= =?iso-8859-1?Q?x?= d";
        let _ = decode(
            value,
            FieldKind::Unstructured,
            &HeaderContext::default(),
            &mut findings,
        );
        assert_eq!(
            (findings[0].at.clone(), findings[0].detail.to_string()),
            (3..49, "ISO-8859-1 read as UTF-8".to_owned())
        );
    }

    #[test]
    fn lines_are_values_or_text() {
        for (input, want) in [
            ("", ""),
            (" a =?utf-8?Q?b?= ", " a b "),
            (" a =?utf-8?Q?b?= \r\n", "a b"),
            (" a\n =?utf-8?Q?_b?=\n", "a  b"),
            ("\n", ""),
            ("a\r\nb", "a\r\nb"),
            ("=?utf-8?Q?a?=\n=?utf-8?Q?b?= \n\n", "ab \n\n"),
            ("=?utf-8?Q?a?= x\n=?utf-8?Q?b?=\n\n", "a x\nb\n\n"),
            ("a\n b\r\nc\r\n", "a b\r\nc\r\n"),
        ] {
            let context = HeaderContext::default();
            let got = decode_lines(
                input.as_bytes(),
                FieldKind::Unstructured,
                &context,
                &mut Vec::new(),
            );
            assert_eq!(got, want, "{input:?}");
        }
        let mut findings = Vec::new();
        let value = b"x\n  =?utf-8?Q?=FF?=\ny =?utf-8?Q?=FF?=\n";
        let _ = decode_lines(
            value,
            FieldKind::Unstructured,
            &HeaderContext::default(),
            &mut findings,
        );
        let notes: Vec<_> = findings.iter().map(|f| &value[f.at.clone()]).collect();
        assert_eq!(notes, [b"=?utf-8?Q?=FF?="; 2]);
    }

    #[test]
    fn damage_stays_where_it_is() {
        for (value, want) in [
            (
                "=?utf-8?Q?=9F=91=A9=E2=80=8D=F0=9F=91=A7?=",
                "\u{fffd}\u{fffd}\u{fffd}\u{200d}\u{1f467}",
            ),
            ("=?utf-8?Q?an_die_B=C3?=", "an die B\u{fffd}"),
            ("=?utf-8?Q?=BCr?=", "\u{fffd}r"),
            ("=?utf-8?q?=CF=81=CE!=B1?=", "ρ\u{fffd}!\u{fffd}"),
            ("=?gbk?q?x=fe?= =?gbk?Q?=d6=f7=cc=e2?=", "x\u{fffd}主题"),
            ("=?big5?q?x=fe?= =?big5?Q?=a4=a4=a4=e5?=", "x\u{fffd}中文"),
            ("=?shift_jis?q?x=83?= =?shift_jis?Q?=83=8b?=", "x\u{fffd}ル"),
            (
                "=?euc-kr?q?x=be?= =?euc-kr?Q?=be=c8=b3=e7?=",
                "x\u{fffd}안녕",
            ),
            // A split character beside a damaged one.
            (
                "=?gbk?q?=fe?= =?gbk?Q?=d6=f7=cc?= =?gbk?Q?=e2?=",
                "\u{fffd}主题",
            ),
            ("=?iso-8859-15?b?aW=U=?=", "ie"),
            ("=?UTF-16?B?MEIwRDBGMEgwSg==?=", "あいうえお"),
            ("=?utf-16?B?Z05XZA==?=", "李坤"),
            ("=?utf-16?Q?Hello_World?=", "Hello World"),
            ("=?iso-8859-1?Q?_=20=e1=e2=E3=09=E4?=", "  áâã ä"),
        ] {
            let (text, codes) = read(value.as_bytes(), FieldKind::Unstructured);
            assert_eq!(text, want, "{value}");
            assert_eq!(
                codes.contains(&"charset.invalid-bytes"),
                want.contains('\u{fffd}'),
                "{value} {codes:?}"
            );
        }
    }

    #[test]
    fn raw_bytes_do_not_stop_words() {
        assert_eq!(text("Grüße =?iso-8859-1?Q?aus_K=F6ln?="), "Grüße aus Köln");
        let context = HeaderContext {
            raw: Charset::for_name("KOI8-R"),
            ..HeaderContext::default()
        };
        let value = b"\xF0\xD2 =?utf-8?Q?=C3=A9?= \xC3\xA9";
        assert_eq!(
            decode(value, FieldKind::Unstructured, &context, &mut Vec::new()),
            "Пр é é"
        );
        let words = b"\xF0 =?koi8-r?Q?=F0?=";
        assert_eq!(read(words, FieldKind::Unstructured).0, "П П");
    }

    #[test]
    fn structured_fields_keep_their_addresses() {
        for (value, want) in [
            (
                "=?utf-8?Q?=C3=A9?= <=?utf-8?Q?a?=@b.example>",
                "é <=?utf-8?Q?a?=@b.example>",
            ),
            ("=?utf-8?Q?a?=@b.example", "=?utf-8?Q?a?=@b.example"),
            (
                "\"=?utf-8?Q?=C3=A9,?= \\\"x\\\"\" <a@b.example>",
                "é, \"x\" <a@b.example>",
            ),
            (
                "a@b.example (=?utf-8?Q?=C3=A9?= (x))",
                "a@b.example (é (x))",
            ),
        ] {
            assert_eq!(
                read(value.as_bytes(), FieldKind::Structured).0,
                want,
                "{value}"
            );
        }
        assert_eq!(read(b"=?utf-8?Q?a?=", FieldKind::Opaque).0, "=?utf-8?Q?a?=");
        let params = read(
            b"Text/Plain; NAME=\"=?utf-8?Q?=C3=A9?=\"",
            FieldKind::Parameters,
        )
        .0;
        assert_eq!(params, "text/plain; name=\"é\"");
    }

    #[test]
    fn what_was_found_is_told() {
        for (value, want) in [
            ("=?utf-8?Q?a?=", vec![]),
            ("=?utf-8?Q?=C3=B6=FF?=", vec!["charset.invalid-bytes"]),
            ("=?utf-8?Q?=FF?=", vec!["charset.invalid-bytes"]),
            ("=?utf-8?Q?caf=E9?=", vec!["charset.legacy-in-utf8"]),
            ("=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", vec!["ew.split-char"]),
            (
                "=?iso-2022-jp?Q?=1B$BF?= =?iso-2022-jp?Q?|K=5C=1B(B?=",
                vec!["ew.split-char"],
            ),
            (
                "=?iso-2022-jp?Q?=1B$BF|?= =?iso-2022-jp?Q?K=5C=1B(B?=",
                vec![],
            ),
            (
                "=?utf-16be?Q?=00a=00?= =?utf-16be?Q?b?=",
                vec!["ew.split-char"],
            ),
            ("=?utf-8?B?SGVsb?=", vec!["ew.bad-token"]),
            // What it leaves is no part of a word that is none.
            (
                "=?utf-8?B?SGVsb?= =?utf-8?B?~~~~?=",
                vec!["ew.bad-token", "ew.bad-token"],
            ),
            ("=?x-gibberish?Q?a?=", vec!["charset.unknown-label"]),
            ("=?utf8?Q?a?=", vec!["charset.alias"]),
            ("=?iso-8859-1?Q?=80?=", vec!["charset.superset"]),
            ("=?utf-8?B?w6k?=", vec!["ew.bad-token"]),
            ("x=?utf-8?Q?a?=", vec!["ew.glued"]),
            ("é", vec!["ew.raw8bit"]),
            ("=?utf-8?Q?=07?=", vec!["ew.control-char"]),
        ] {
            assert_eq!(
                read(value.as_bytes(), FieldKind::Unstructured).1,
                want,
                "{value}"
            );
        }
        let quoted = read(b"\"=?utf-8?Q?a?=\" <b@c.example>", FieldKind::Structured).1;
        assert_eq!(quoted, ["ew.in-quotes"]);
    }

    #[test]
    fn every_control_of_raw_text_is_told() {
        for c in ('\0'..='\x1F')
            .chain('\x7F'..='\u{9F}')
            .chain(['\u{2028}', '\u{2029}'])
        {
            let notes = !matches!(c, '\t' | '\n' | '\r');
            for value in [format!("x{c}b"), format!("x é{c}b"), format!("x{c} b")] {
                for kind in [
                    FieldKind::Unstructured,
                    FieldKind::Structured,
                    FieldKind::Phrases,
                ] {
                    let (text, codes) = read(value.as_bytes(), kind);
                    assert!(!text.contains(is_control), "{value:?}");
                    assert_eq!(
                        codes.contains(&"ew.control-char"),
                        notes,
                        "{value:?} {kind:?}"
                    );
                }
            }
        }
        let codes = |value: &str| read(value.as_bytes(), FieldKind::Parameters).1;
        assert!(codes("a; name=\"x\u{85}b\"").contains(&"ew.control-char"));
        for fold in ["x\r\n b", "x\n\tb", "x\r\r\n b", "x b\r\n", "x\tb"] {
            assert_eq!(
                read(fold.as_bytes(), FieldKind::Unstructured).1,
                Vec::<&str>::new(),
                "{fold:?}"
            );
        }
    }

    #[test]
    fn base64_may_be_cut_anywhere_and_often() {
        for (text, charset) in [
            ("т123", "utf-8"),
            ("タカナ", "utf-16be"),
            ("日本語 x", "utf-8"),
            ("Привет!", "koi8-r"),
        ] {
            let resolved = Charset::for_label(charset.as_bytes(), View::Mail)
                .charset()
                .unwrap();
            let bytes = resolved
                .encode(text, mailglot_codec::Unmappable::Fatal, &mut LossLog::new())
                .into_owned();
            let whole = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
            for first in 1..whole.len() {
                for second in first + 1..whole.len() {
                    let pieces = [&whole[..first], &whole[first..second], &whole[second..]];
                    let words = pieces
                        .map(|piece| format!("=?{charset}?B?{piece}?="))
                        .join(" ");
                    let (got, codes) = read(words.as_bytes(), FieldKind::Unstructured);
                    let lost = codes.iter().any(|code| {
                        matches!(*code, "charset.invalid-bytes" | "charset.legacy-in-utf8")
                    });
                    assert_eq!(got, text, "{words}");
                    assert!(!lost, "{words} {codes:?}");
                }
            }
        }
    }

    #[test]
    fn findings_point_at_words() {
        let mut findings = Vec::new();
        let value = b"ab =?utf-8?Q?c?= =?utf-8?Q?=C3=B6=C3=BC=FF=FF?= d";
        let _ = decode(
            value,
            FieldKind::Unstructured,
            &HeaderContext::default(),
            &mut findings,
        );
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (&value[findings[0].at.clone()], findings[0].count),
            (&b"=?utf-8?Q?=C3=B6=C3=BC=FF=FF?="[..], 2)
        );
    }

    #[test]
    fn charsets_of_words() {
        let list = charsets(b"=?utf-8?Q?a?= =?x-gibberish?Q?b?= =?koi8-r?Q?c?=");
        assert_eq!(
            list.iter().map(|c| c.name()).collect::<Vec<_>>(),
            ["UTF-8", "KOI8-R"]
        );
    }
}
