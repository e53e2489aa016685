//! Chooses how one parameter is rewritten: as encoded words, as an extended value or in raw UTF-8.
//!
//! # Limits
//!
//! A name of more than 100 bytes gets no value in ISO-2022-JP.

use super::encode::{extended, japanese_extended, japanese_words, quoted, words};
use super::file_names::with_semicolon;
use super::group::Group;
use super::param::Param;
use super::scan::{Item, ValueSegment};
use super::value::{percent_decode, split_extended};
use crate::encoded_word::{
    self, Form, HeaderContext, Repairs, decode_text, is_clean_japanese, is_clean_text,
};
use crate::event::{EventKind, Finding, FindingList};
use crate::japanese;
use crate::lexer::{self, LexicalContext, NameForm, has_word, split_name};
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, View};
use std::ops::Range;

/// Longest name, in bytes, whose value is written in ISO-2022-JP. Longer names make longer lines, and the time per line grows with
/// its length.
const LONGEST_JAPANESE: usize = 100;

/// A parameter to rewrite.
pub(super) struct Job<'a> {
    /// Range from name to value.
    pub(super) at: Range<usize>,
    /// Ranges of further segments, including their semicolons.
    pub(super) drop: Vec<Range<usize>>,
    name: &'a str,
    text: &'a str,
    language: &'a str,
    syntax: Syntax,
    /// True for ISO-2022-JP output.
    japanese: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `name="=?UTF-8?Q?…?="`
    Words,
    /// `name*=utf-8''…`
    Extended,
    /// `name="…"` in raw UTF-8.
    Raw,
}

/// Returns how to rewrite a name with one form. `among` means that the name has other forms, so this form stays.
pub(super) fn job<'a>(
    value: &'a [u8],
    (group, among): (&Group<'a>, bool),
    param: &'a Param,
    form: Form,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Option<Job<'a>> {
    let items: Vec<_> = group.items().collect();
    let first = *items.iter().min_by_key(|i| i.name.start)?;
    let drop = items
        .iter()
        .filter(|i| i.name.start != first.name.start)
        .map(|item| with_semicolon(value, item))
        .collect::<Option<Vec<_>>>()?;
    let whole = items
        .iter()
        .map(|item| item.extent())
        .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
    let (form, japanese) = match form {
        Form::Iso2022Jp if !param.text.is_ascii() => {
            // None means that this form needs no change.
            syntax(group, &items, Form::Iso2022Jp, param, context)?;
            let (kind, count) = match japanese::write(&param.text) {
                Ok(_) if group.name.len() > LONGEST_JAPANESE => (
                    EventKind::CharsetBeyondOut,
                    param.text.chars().count() as u64,
                ),
                Ok(written) => (EventKind::CharsetLookAlike, written.look_alikes),
                Err(lacking) => (EventKind::CharsetBeyondOut, lacking),
            };
            if count > 0 {
                findings.add_counted(whole, kind, Charset::ISO_2022_JP, count);
            }
            let japanese = kind == EventKind::CharsetLookAlike;
            (
                if japanese {
                    Form::Iso2022Jp
                } else {
                    Form::Words
                },
                japanese,
            )
        }
        // ASCII text is the same in UTF-8.
        Form::Iso2022Jp => (Form::Words, false),
        form => (form, false),
    };
    let syntax = match syntax(group, &items, form, param, context)? {
        Syntax::Extended if among && group.plain.is_some() => Syntax::Words,
        syntax => syntax,
    };
    let (base, mark) = split_name(first.raw.name);
    let base = if mark == NameForm::Plain {
        first.raw.name
    } else {
        base
    };
    let name = std::str::from_utf8(base)
        .ok()
        .filter(|n| n.bytes().all(lexer::is_token))?;
    Some(Job {
        at: first.extent(),
        drop,
        name,
        text: &param.text,
        language: param.language.as_deref().unwrap_or(""),
        syntax,
        japanese,
    })
}

/// Returns the syntax for rewriting a parameter; None if it needs no change.
fn syntax(
    group: &Group<'_>,
    items: &[&Item<'_>],
    form: Form,
    param: &Param,
    context: &HeaderContext,
) -> Option<Syntax> {
    let is_extended = group.extended.is_some();
    let is_encoded = |segment: &ValueSegment<'_>| segment.is_encoded;
    if is_extended || group.segments.iter().any(is_encoded) {
        let headed = is_extended || group.segments.first().is_some_and(is_encoded);
        let (head, _, first) = match &items[0].raw.value {
            value if headed => split_extended(value),
            value => (None, None, &value[..]),
        };
        let charset = head.and_then(|label| Charset::for_label(label, View::Mail).charset());
        let mut bytes = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let value = if at == 0 { first } else { &item.raw.value };
            if group.segments.get(at).is_none_or(is_encoded) {
                percent_decode(value, &mut bytes);
            } else {
                bytes.extend_from_slice(value);
            }
        }
        let ascii = bytes.is_ascii() && charset.is_none_or(Charset::is_ascii_compatible);
        let controls = bytes.iter().any(u8::is_ascii_control);
        let clean = match form {
            Form::Iso2022Jp => charset == Some(Charset::ISO_2022_JP) && is_clean_japanese(&bytes),
            Form::Words | Form::RawUtf8 => {
                charset == Some(Charset::UTF_8)
                    && std::str::from_utf8(&bytes).is_ok_and(encoded_word::is_writable)
            }
        };
        // A repair makes the text differ from the bytes.
        let same = !context.repairs.any()
            || param.text.as_bytes() == bytes
            || form == Form::Iso2022Jp
                && clean
                && decode_unlogged(Charset::ISO_2022_JP, &bytes) == param.text;
        let written = items.iter().all(|item| match form {
            Form::Words | Form::Iso2022Jp => item.raw.value.is_ascii(),
            Form::RawUtf8 => std::str::from_utf8(&item.raw.value).is_ok(),
        });
        // So do encoded words in an extended value.
        let has_words = ascii && !controls && param.text.as_bytes() != bytes;
        let stays = same && !has_words && written && (clean || ascii && !controls);
        return (!stays).then_some(Syntax::Extended);
    }
    let bytes: Vec<u8> = items
        .iter()
        .flat_map(|i| i.raw.value.iter().copied())
        .collect();
    let words =
        has_word(&bytes) && decode_text(&bytes, context, &mut Vec::new()).as_bytes() != bytes;
    let shifted = lexer::has_raw_shift(&bytes, LexicalContext::Text);
    let raw = shifted || !bytes.is_ascii();
    let repaired = !raw && !words && is_repaired(&bytes, context);
    // An equals sign ends the value for some readers, and so does the end of the first quoted string.
    let is_bare = group.plain.is_some() && items.iter().any(|item| !item.quoted || item.is_joined);
    let readable = !param.text.contains("=?") && !param.text.contains(['\r', '\n']);
    match form {
        Form::RawUtf8 if !words && !shifted && !repaired && std::str::from_utf8(&bytes).is_ok() => {
            None
        }
        Form::RawUtf8 if readable => Some(Syntax::Raw),
        _ if words && !raw && !is_bare && is_clean_text(&bytes, form, context) => None,
        _ if words => Some(Syntax::Words),
        _ if raw || repaired => Some(Syntax::Extended),
        _ => None,
    }
}

/// Returns true if a requested repair changes ASCII text, such as HTML entities.
fn is_repaired(bytes: &[u8], context: &HeaderContext) -> bool {
    let kept = HeaderContext {
        repairs: Repairs::default(),
        ..*context
    };
    let decode = |context| decode_text(bytes, context, &mut Vec::new());
    context.repairs.may_touch(bytes) && decode(context) != decode(&kept)
}

impl Job<'_> {
    /// Returns the extended parameter behind a fold, if it needs segments at `column` and none on a line of its own.
    ///
    /// Many readers do not join segments.
    pub(super) fn write_on_new_line(&self, column: usize, eol: &str) -> Option<String> {
        let is_whole = |text: &str| !text.contains("*0*=");
        if self.syntax != Syntax::Extended || is_whole(&self.write(column, eol)) {
            return None;
        }
        // With the space before it and a semicolon behind it, the line has up to 78 columns (RFC 5322, section 2.1.1).
        let whole = self.write(0, eol);
        is_whole(&whole).then(|| format!("{eol} {whole}"))
    }

    /// Returns the parameter as written from `column` on.
    pub(super) fn write(&self, column: usize, eol: &str) -> String {
        match self.syntax {
            Syntax::Words if self.japanese => japanese_words(self.name, self.text, column, eol),
            Syntax::Extended if self.japanese => {
                japanese_extended(self.name, self.text, self.language, column, eol)
            }
            Syntax::Raw => quoted(self.name, self.text),
            Syntax::Words => words(self.name, self.text, column, eol),
            Syntax::Extended => extended(self.name, self.text, self.language, column, eol),
        }
    }
}
