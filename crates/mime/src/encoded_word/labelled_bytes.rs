//! Decodes bytes with or without a charset label: those of words and of extended parameters (RFC 2231, section 4).

use super::context::HeaderContext;
use super::raw_charset::read_raw;
use super::reader::same_charset;
use super::utf8_mislabel::as_utf8;
use crate::charset_choice::{
    LabelScope, LabelVerdict, beside_lost_characters, by_escapes, check_label,
    decode_with_lost_characters, lossless_superset, read_as_disproved, read_in_other_alphabet,
    read_in_other_script, redecode, utf8_outweighs_message,
};
use crate::event::{Detail, EventKind, Reason};
use crate::policy::Detection;
use crate::reading::How;
use crate::unlogged::decode_unlogged;
use mailglot_codec::detect::high_bytes;
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;

/// Decodes bytes with or without a charset.
///
/// Returns the text, the charset (None: UTF-8 without a label or against it) and the number of losses under the label. Adds events
/// to `notes` if another charset replaced the label or is likelier.
pub(crate) fn bytes_to_text<'b>(
    charset: Option<Charset>,
    mapped: bool,
    bytes: &'b [u8],
    context: &HeaderContext,
    notes: &mut Vec<(EventKind, Detail)>,
) -> (Cow<'b, str>, Option<Charset>, u64) {
    if let Some(used) = by_escapes(charset, bytes, context.detection).filter(|_| !mapped) {
        return (decode_unlogged(used, bytes), Some(used), 0);
    }
    let may_overrule = |charset: &Charset| context.may_overrule(*charset);
    if let Some(text) = charset
        .filter(may_overrule)
        .and_then(|charset| as_utf8(charset, bytes))
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
    let mut log = LossLog::new();
    let Some(used) = known else {
        let reading = read_raw(bytes, None, context);
        let text = reading.decode(bytes, &mut log);
        let charset = Some(reading.charset()).filter(|charset| *charset != Charset::UTF_8);
        return (text, charset, log.losses());
    };
    if let Some((text, used)) = read_lost_characters(used, bytes, mapped, context, notes) {
        return (Cow::Owned(text), Some(used), 0);
    }
    let text = used.decode(bytes, &mut log);
    let LabelVerdict { read, events, .. } =
        check_decoded(used, bytes, (&text, &log), mapped, context, true);
    notes.extend(events);
    if let Some(read) = read {
        return (read.text, Some(read.used), log.losses());
    }
    (text, Some(used), log.losses())
}

/// Decodes text of a single-byte charset with U+FFFD in UTF-8, which an earlier program wrote for characters that it lost. Returns the text
/// and the charset of all other bytes.
pub(super) fn read_lost_characters(
    label: Charset,
    bytes: &[u8],
    mapped: bool,
    context: &HeaderContext,
    notes: &mut Vec<(EventKind, Detail)>,
) -> Option<(String, Charset)> {
    if mapped || context.label_scope() == LabelScope::None {
        return None;
    }
    let rest = beside_lost_characters(bytes, label)?;
    let mut log = LossLog::new();
    let text = label.decode(&rest, &mut log);
    let LabelVerdict { read, events, .. } =
        check_decoded(label, &rest, (&text, &log), mapped, context, true);
    let used = read.map_or(label, |read| read.used);
    if !used.is_single_byte() || log.losses() > 0 {
        return None;
    }
    notes.extend(events);
    notes.push((EventKind::CharsetMixed, Reason::LostCharacters.into()));
    Some((decode_with_lost_characters(bytes, used), used))
}

/// Checks the label of decoded bytes: another charset may decode them with fewer losses, or to likelier text.
///
/// `decoded` is the text under the label with its losses. `is_evidence` is false for bytes that prove too little to replace their
/// label. Then a charset that detection finds likelier is only reported, from three bytes above 7F on. Other text of the message may
/// disprove the label even then.
pub(super) fn check_decoded<'b>(
    label: Charset,
    bytes: &'b [u8],
    (text, log): (&str, &LossLog),
    mapped: bool,
    context: &HeaderContext,
    is_evidence: bool,
) -> LabelVerdict<'b> {
    let raw = context.plain_raw();
    let has_superset = || lossless_superset(label, bytes).is_some();
    let verdict = if log.losses() == 0 || has_superset() {
        let scope = if is_evidence || may_be_reported(bytes) {
            context.label_scope()
        } else {
            LabelScope::None
        };
        (!mapped)
            .then(|| check_label(label, bytes, raw, scope, || context.hints()))
            .flatten()
            .map(|verdict| match verdict.read.as_ref() {
                Some(read) if !is_evidence && read.how == How::Detected => {
                    LabelVerdict::suspected(label, read.used)
                }
                _ => verdict,
            })
    } else if context.detection == Detection::Off {
        None
    } else {
        redecode(bytes, label, text, log, raw, context.language)
    };
    let other = context.disproved(label).filter(|_| !mapped);
    let decoded = (text, log.losses());
    let by_message = match other {
        Some(other) => read_as_disproved(bytes, label, decoded, other, context.language),
        None => context
            .others(label)
            .filter(|_| !mapped)
            .and_then(|others| match others.latin() {
                Some(other) => read_in_other_alphabet(bytes, label, text, other, context.language),
                None => read_in_other_script(bytes, label, text, others),
            }),
    };
    // Bytes that prove the same alone need no other text.
    let used = |verdict: &Option<LabelVerdict<'_>>| Some(verdict.as_ref()?.read.as_ref()?.used);
    if used(&by_message).is_some() && !same_charset(used(&by_message), used(&verdict)) {
        return by_message.unwrap_or_default();
    }
    verdict.or(by_message).unwrap_or_default()
}

/// Returns true if a word without ASCII letters is long enough to report a likelier charset: `é×ÁÎ` is `Иван` in KOI8-R.
fn may_be_reported(bytes: &[u8]) -> bool {
    high_bytes(bytes).nth(2).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::value::decode_text;
    use crate::event::Finding;

    #[test]
    fn lost_characters_in_words_are_no_letters() {
        for (value, want, is_reported) in [
            ("=?iso-8859-1?Q?Gr=FC=EF=BF=BDe?= x", "Grü\u{FFFD}e x", true),
            (
                "=?windows-1251?B?z/Do4uXyIOLx5ezvv73vv70=?=",
                "Привет всем\u{FFFD}\u{FFFD}",
                true,
            ),
            (
                "=?koi8-r?Q?=F0=D2=C9=D7=C5=D4=EF=BF=BD?=",
                "Привет\u{FFFD}",
                true,
            ),
            ("=?iso-8859-1?Q?na=EFf=BF=BD?=", "naïf¿½", false),
            ("=?utf-8?Q?cr=EF=BF=BDme?=", "cr\u{FFFD}me", false),
        ] {
            let mut findings = Vec::new();
            let context = HeaderContext {
                check_labels: true,
                ..HeaderContext::default()
            };
            let text = decode_text(value.as_bytes(), &context, &mut findings);
            assert_eq!(text, want, "{value}");
            let is_lost = |f: &Finding| f.detail == Detail::Reason(Reason::LostCharacters);
            assert_eq!(findings.iter().any(is_lost), is_reported, "{value}");
        }
    }
}
