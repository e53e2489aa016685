//! Decodes the value of a parameter: encoded words, percent-encoding and raw bytes (RFC 2231, section 4; RFC 2047).
//!
//! # Limits
//!
//! Reads 1 MiB of a value.

use super::scan::Item;
use crate::charset_choice::visual_order_note;
use crate::encoded_word::{self, HeaderContext, repair};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::has_word;
use mailglot_codec::{Charset, Resolved, View};
use mailglot_kernel::hex_escapes::digit_value;
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of bytes that are read from one value.
pub(super) const VALUE: usize = 1 << 20;

/// The position of a value in the field.
pub(super) struct ValuePlace {
    pub(super) range: Range<usize>,
    /// Offset of the first byte, if the value is a verbatim part of the field.
    exact: Option<usize>,
    /// True if an extended value has an escaped letter or digit.
    has_escaped_letter: bool,
}

impl ValuePlace {
    /// Describes a value at `range` that may differ from its bytes in the field.
    pub(super) fn new(range: Range<usize>) -> Self {
        Self {
            range,
            exact: None,
            has_escaped_letter: false,
        }
    }

    /// Describes an extended value, whose percent-encoded bytes are `parts`.
    pub(super) fn of_extended<'b>(
        range: Range<usize>,
        mut parts: impl Iterator<Item = &'b [u8]>,
    ) -> Self {
        Self {
            has_escaped_letter: parts.any(has_escaped_letter),
            ..Self::new(range)
        }
    }

    /// Describes the value of a plain parameter.
    pub(super) fn of_plain(item: &Item<'_>) -> Self {
        let start = item.raw.range.start + usize::from(item.quoted);
        Self {
            range: item.raw.range.clone(),
            exact: matches!(item.raw.value, Cow::Borrowed(_)).then_some(start),
            has_escaped_letter: false,
        }
    }
}

/// The decoded text of one form.
pub(super) struct FormText {
    pub(super) text: String,
    pub(super) language: Option<String>,
    /// Number of bytes that are invalid in the declared charset. A damaged form counts only if no other form is intact.
    pub(super) losses: u64,
}

/// Returns the bytes of a value up to the limit, and reports a longer one.
pub(super) fn limit<'b>(bytes: &'b [u8], at: &ValuePlace, found: &mut Vec<Finding>) -> &'b [u8] {
    if bytes.len() > VALUE {
        let range = at.range.clone();
        found.add(range, EventKind::HdrBeyondLimit, Reason::ValueLimit);
    }
    &bytes[..bytes.len().min(VALUE)]
}

/// Decodes a plain value: encoded words and raw bytes.
pub(super) fn words(
    bytes: &[u8],
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> FormText {
    let mut own = Vec::new();
    let text = encoded_word::decode_text(bytes, context, &mut own);
    if has_word(bytes) {
        found.add(at.range.clone(), EventKind::ParamRfc2047, Detail::None);
    }
    let losses = own
        .iter()
        .filter(|f| f.kind == EventKind::CharsetInvalidBytes)
        .map(|f| f.count)
        .sum();
    found.extend(own.into_iter().map(|finding| match at.exact {
        Some(start) => finding.shifted(start),
        None => Finding {
            at: at.range.clone(),
            ..finding
        },
    }));
    FormText {
        text: text.into_owned(),
        language: None,
        losses,
    }
}

/// Decodes the bytes of an extended value in the charset that it names.
pub(super) fn extended(
    label: Option<&[u8]>,
    language: Option<&[u8]>,
    bytes: &[u8],
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> FormText {
    let (resolved, mapped) = label.map_or((Resolved::NoInformation, false), |label| {
        context.resolve(label)
    });
    let mut report = |kind, detail: Detail| {
        found.add(at.range.clone(), kind, detail);
    };
    if let Some(charset) = resolved.charset().filter(|_| mapped) {
        report(EventKind::CharsetMapped, charset.into());
    }
    if label.is_none_or(<[u8]>::is_empty) {
        report(EventKind::ParamNoCharset, Detail::None);
    } else if resolved.charset().is_none() {
        report(EventKind::CharsetUnknownLabel, Reason::LabelIgnored.into());
    } else if language.is_none() {
        report(EventKind::ParamNoCharset, Reason::OneApostrophe.into());
    }
    let mut events = Vec::new();
    let (raw, used, losses) =
        encoded_word::bytes_to_text(resolved.charset(), mapped, bytes, context, &mut events);
    let is_read = !events.is_empty();
    found.add_all(&at.range, events);
    if !is_read && used != resolved.charset() && !bytes.is_ascii() {
        let range = at.range.clone();
        found.push(if let (Some(charset), None) = (resolved.charset(), used) {
            encoded_word::mislabel_finding(charset, range)
        } else {
            let used = used.unwrap_or(Charset::UTF_8);
            Finding::new(range, EventKind::CharsetDetected, used)
        });
    }
    if let Some(order) = used.and_then(|used| visual_order_note(used, &raw)) {
        found.add(at.range.clone(), EventKind::CharsetVisualOrder, order);
    }
    if losses > 0 && !is_read {
        let range = at.range.clone();
        let kind = EventKind::CharsetInvalidBytes;
        found.add_counted(range, kind, Detail::None, losses);
    }
    let is_ascii = resolved.charset().is_none_or(|c| c == Charset::US_ASCII);
    let nested =
        (is_ascii || !at.has_escaped_letter).then(|| nested_words(&raw, at, context, found));
    let text = nested
        .flatten()
        .unwrap_or_else(|| clean_text(&raw, at, context, found));
    let language = language
        .filter(|l| !l.is_empty())
        .map(|l| String::from_utf8_lossy(l).into_owned());
    FormText {
        text,
        language,
        losses,
    }
}

/// Decodes an extended value that consists of encoded words. Programs encode a file name twice, first for RFC 2047.
///
/// Such a value stays if one of its letters is escaped, unless its label is US-ASCII: see [`is_encoded_words`].
fn nested_words(
    raw: &str,
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> Option<String> {
    if !is_encoded_words(raw) {
        return None;
    }
    let mut findings = Vec::new();
    let place = ValuePlace::new(at.range.clone());
    let decoded = words(raw.as_bytes(), &place, context, &mut findings);
    let is_whole = decoded.losses == 0 && !decoded.text.contains("=?");
    is_whole.then(|| {
        found.append(&mut findings);
        decoded.text
    })
}

/// Returns true for a text that consists of encoded words. `encode` writes such a name with an escaped letter (`%3D%3F%75tf-8%3F`), so that
/// it is no name that was encoded twice.
pub(super) fn is_encoded_words(text: &str) -> bool {
    let may_be = text.starts_with("=?") && text.ends_with("?=") && text.is_ascii();
    may_be && has_word(text.as_bytes())
}

/// Returns true if a letter or digit of percent-encoded text is escaped. Programs that encode a name twice escape only what needs it.
fn has_escaped_letter(text: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    memchr::memchr_iter(b'%', text).any(|at| escape(&text[at..]).is_some_and(is_letter))
}

/// Applies the repairs of the context to decoded text, and replaces controls by spaces.
fn clean_text(
    raw: &str,
    at: &ValuePlace,
    context: &HeaderContext,
    found: &mut Vec<Finding>,
) -> String {
    let repaired = repair::repaired(raw.into(), context.repairs, true, &at.range, found);
    repair::report_repairable(&repaired, context.repairs, true, &at.range, found);
    let mut text = String::new();
    let controls = encoded_word::push_clean(&repaired, &mut text);
    encoded_word::report_controls(controls, &at.range, found);
    let (range, strip) = (at.range.clone(), context.strip_hidden);
    encoded_word::report_hidden_characters(&mut text, 0, range, strip, found);
    text
}

/// Splits `charset'language'value` into charset, language and value.
///
/// With one apostrophe, the text before it is the charset if it is a known label.
pub(super) fn split_extended(value: &[u8]) -> (Option<&[u8]>, Option<&[u8]>, &[u8]) {
    let Some(first) = memchr::memchr(b'\'', value) else {
        return (None, None, value);
    };
    let (label, rest) = (&value[..first], &value[first + 1..]);
    if let Some(second) = memchr::memchr(b'\'', rest) {
        return (Some(label), Some(&rest[..second]), &rest[second + 1..]);
    }
    if label.is_empty() || Charset::for_label(label, View::Mail).charset().is_some() {
        return (Some(label), None, rest);
    }
    (None, None, value)
}

/// Decodes percent-encoding and returns the number of percent signs without two digits, which are kept.
pub(super) fn percent_decode(text: &[u8], out: &mut Vec<u8>) -> u64 {
    let (mut rest, mut bad) = (text, 0);
    while let Some(n) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..n]);
        let byte = escape(&rest[n..]);
        out.push(byte.unwrap_or(b'%'));
        bad += u64::from(byte.is_none());
        rest = &rest[n + if byte.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    bad
}

/// Returns true for a plain value with percent-encoded UTF-8: `%D0%94%D0%BE.doc`. Outlook Web Access and browsers wrote such names.
pub(super) fn is_url_encoded(value: &[u8]) -> bool {
    if memchr::memchr(b'%', value).is_none() {
        return false;
    }
    let mut bytes = Vec::new();
    let bad = percent_decode(&value[..value.len().min(VALUE)], &mut bytes);
    let has_characters = |text: &str| text.chars().any(|c| !c.is_ascii() && !c.is_control());
    bad == 0 && value.is_ascii() && std::str::from_utf8(&bytes).is_ok_and(has_characters)
}

/// Returns the byte that a percent sign and two hexadecimal digits at the start of `text` encode.
pub(super) fn escape(text: &[u8]) -> Option<u8> {
    match text {
        [b'%', high, low, ..] => Some(digit_value(*high)? << 4 | digit_value(*low)?),
        _ => None,
    }
}

/// Like [`percent_decode`], and reports percent signs without two digits.
pub(super) fn percent(text: &[u8], at: &ValuePlace, out: &mut Vec<u8>, found: &mut Vec<Finding>) {
    let bad = percent_decode(text, out);
    if bad > 0 {
        let range = at.range.clone();
        let kind = EventKind::ParamBadPercent;
        found.add_counted(range, kind, Reason::PercentKept, bad);
    }
}
