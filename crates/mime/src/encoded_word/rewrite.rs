//! Computes the smallest changes that rewrite a value to UTF-8 words or to raw UTF-8.
//!
//! A value consists of units: white space, plain pieces, and pieces with words or 8-bit bytes. Adjacent pieces of the last kind
//! form a group together with the white space between them. A group is replaced as a whole or not at all, since a new word beside
//! an old one would swallow the space between them.
//!
//! # Limits
//!
//! Never changes addresses. Leaves a value alone if the result would decode to other text, or if an open quote turns an address
//! into text.

use super::context::HeaderContext;
use super::controls::push_clean;
use super::damage_signs::find_damaged_ascii;
use super::reader::Reader;
use super::repair::is_repair;
use super::rewrite_target::{Form, Replacement, RewriteTarget};
use super::rewrite_units::{
    RewriteUnit, RewriteUnits, UnitState, end_of_group, is_clean_word, protected_strings,
};
use super::rewrite_usual;
use super::value::decode_value;
use super::writer::GroupWriter;
use crate::event::{EventKind, Finding, FindingList, Reason};
use crate::field_kind::FieldKind;
use crate::lexer::{LexicalContext, has_open};
use crate::{japanese, lexer};
use mailglot_codec::Charset;
use std::borrow::Cow;

/// A value to rewrite.
pub(crate) struct Rewriting<'a> {
    pub(crate) value: &'a [u8],
    pub(crate) kind: FieldKind,
    pub(crate) target: RewriteTarget<'a>,
    /// The context in which the value is read now.
    pub(crate) context: &'a HeaderContext<'a>,
    /// The context in which it will be read again. Rewritten text elsewhere may give other evidence about raw bytes.
    pub(crate) then: &'a HeaderContext<'a>,
}

impl Rewriting<'_> {
    /// Returns the replacements; see [`crate::header::rewrite`]. Values with parameters stay.
    pub(crate) fn changes(&self, findings: &mut Vec<Finding>) -> Vec<Replacement> {
        let usual = if self.context.has_no_instructions() {
            rewrite_usual::plan(self.value, self.kind, &self.target, self.context, findings)
        } else {
            None
        };
        usual.unwrap_or_else(|| self.changes_of_any_value(findings))
    }

    /// Like [`Self::changes`], without the pass over plain values.
    pub(super) fn changes_of_any_value(&self, findings: &mut Vec<Finding>) -> Vec<Replacement> {
        let (value, kind, context) = (self.value, self.kind, self.context);
        match kind {
            FieldKind::Opaque | FieldKind::Parameters => Vec::new(),
            FieldKind::Unstructured if is_identifiers(value) => {
                let _ = decode_value(value, kind, context, findings);
                Vec::new()
            }
            FieldKind::Unstructured
            | FieldKind::Structured
            | FieldKind::Phrases
            | FieldKind::Comments => {
                let (before, list) = plan(value, kind, &self.target, context, findings);
                if list.is_empty() {
                    return list;
                }
                let checked = if kind.has_syntax() && lexer::swallows_address(value) {
                    Err(Reason::OpenQuoteHoldsAddress)
                } else {
                    let before = comparable(&before, kind, self.target.form);
                    self.verified(&before, list)
                        .ok_or(Reason::WouldReadDifferently)
                };
                checked.unwrap_or_else(|reason| {
                    findings.add(0..value.len(), EventKind::EwBadToken, reason);
                    Vec::new()
                })
            }
        }
    }

    /// Returns changes that keep the decoded text: `list`, or others. None if no changes keep it.
    fn verified(&self, before: &str, list: Vec<Replacement>) -> Option<Vec<Replacement>> {
        let (value, kind, target) = (self.value, self.kind, self.target);
        let rewrite_to_fixed_point = |value: Vec<u8>, form, passes| {
            let target = target.in_form(form);
            rewrite_to_fixed_point(value, passes, kind, &target, self.then, before)
        };
        let once = apply(value, &list);
        if let Some(after) = rewrite_to_fixed_point(once.clone(), target.form, PASSES - 1) {
            return Some(if after == once {
                list
            } else {
                difference(value, &after)
            });
        }
        if target.form == Form::Words {
            return None;
        }
        // Raw text may complete damage beside it to a word. Then tries UTF-8 words, if a second pass keeps them.
        let stays = |words: &Vec<u8>| {
            rewrite_to_fixed_point(words.clone(), target.form, PASSES)
                .is_none_or(|again| again == *words)
        };
        let in_words = target.in_form(Form::Words);
        let list = plan(value, kind, &in_words, self.context, &mut Vec::new()).1;
        let words =
            rewrite_to_fixed_point(apply(value, &list), Form::Words, PASSES - 1).filter(stays)?;
        Some(difference(value, &words))
    }
}

/// Rewrites to a fixed point. Returns None if the decoded text would change.
fn rewrite_to_fixed_point(
    mut after: Vec<u8>,
    passes: usize,
    kind: FieldKind,
    target: &RewriteTarget<'_>,
    context: &HeaderContext,
    before: &str,
) -> Option<Vec<u8>> {
    for _ in 0..passes {
        let list = plan(&after, kind, target, context, &mut Vec::new()).1;
        if list.is_empty() {
            let read = decode_value(&after, kind, context, &mut Vec::new());
            return (comparable(&read, kind, target.form) == before).then_some(after);
        }
        after = apply(&after, &list);
    }
    None
}

/// Returns true for raw bytes that consist of addresses or identifiers in angles, as in `X-MS-TNEF-Correlator`. An encoded word
/// would swallow the angles.
fn is_identifiers(value: &[u8]) -> bool {
    let mut pieces = value
        .split(|byte| lexer::is_space(*byte))
        .filter(|piece| !piece.is_empty())
        .peekable();
    let is_identifier = |piece: &[u8]| {
        let inside = piece
            .strip_prefix(b"<")
            .and_then(|rest| rest.strip_suffix(b">"));
        inside.is_some_and(|inside| {
            inside.contains(&b'@') && memchr::memchr3(b'<', b'>', b'?', inside).is_none()
        })
    };
    pieces.peek().is_some() && pieces.all(is_identifier)
}

/// Returns a text as `form` can show it. In a structured field the space between a name and its address does not count.
fn comparable(text: &str, kind: FieldKind, form: Form) -> Cow<'_, str> {
    let text = if form == Form::Iso2022Jp {
        japanese::folded(text).0
    } else {
        Cow::Borrowed(text)
    };
    if kind.has_syntax() && text.contains(" <") {
        Cow::Owned(text.replace(" <", "<"))
    } else {
        text
    }
}

/// Maximum number of passes. A change may open a closed group once.
const PASSES: usize = 4;

/// Returns one replacement that turns `old` into `new`. It does not begin or end beside white space.
fn difference(old: &[u8], new: &[u8]) -> Vec<Replacement> {
    let mut start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if start == old.len() && start == new.len() {
        return Vec::new();
    }
    while start > 0 && lexer::is_space(old[start - 1]) {
        start -= 1;
    }
    let mut end = old[start..]
        .iter()
        .rev()
        .zip(new[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    while end > 0 && lexer::is_space(old[old.len() - end]) {
        end -= 1;
    }
    vec![Replacement {
        at: start..old.len() - end,
        with: new[start..new.len() - end].to_vec(),
    }]
}

/// Applies replacements to a value.
pub fn apply(value: &[u8], list: &[Replacement]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(value.len() * 2), 0);
    for replacement in list {
        out.extend_from_slice(&value[at..replacement.at.start]);
        out.extend_from_slice(&replacement.with);
        at = replacement.at.end;
    }
    out.extend_from_slice(&value[at..]);
    out
}

/// Returns true if all words of an unstructured value are clean, in the charset of the form.
pub(crate) fn is_clean_text(value: &[u8], form: Form, context: &HeaderContext) -> bool {
    let reader = Reader::new(value, FieldKind::Unstructured, context, &mut Vec::new());
    let (mut text, mut findings) = (String::new(), Vec::new());
    if context.repairs.any() {
        reader
            .segments
            .iter()
            .for_each(|segment| reader.push(segment, &mut text, &mut findings));
    }
    !findings.iter().any(|f| is_repair(f.kind))
        && reader
            .words
            .iter()
            .all(|word| is_clean_word(value, word, &reader.bytes[word.bytes.clone()], form))
}

/// Returns the decoded text of a value, and the replacements.
fn plan(
    value: &[u8],
    kind: FieldKind,
    target: &RewriteTarget<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> (String, Vec<Replacement>) {
    if value.is_ascii()
        && !has_open(value)
        && !lexer::may_have_shifts(value)
        && !context.repairs.may_touch(value)
        && find_damaged_ascii(value).is_none()
    {
        return (String::new(), Vec::new());
    }
    let (text, rewrite_units) = rewrite_units(value, kind, target.form, context, findings);
    let mut note = None;
    let changes = match target.form {
        Form::Iso2022Jp => {
            in_japanese(value, &rewrite_units, target, &mut note).unwrap_or_else(|| {
                let in_words = target.in_form(Form::Words);
                plan(value, kind, &in_words, context, &mut Vec::new()).1
            })
        }
        Form::Words | Form::RawUtf8 => changes(value, &rewrite_units, target),
    };
    findings.extend(note);
    findings.sort_by_key(|f| f.at.start);
    (text, changes)
}

/// Returns the decoded text of a value, and its units.
pub(crate) fn rewrite_units(
    value: &[u8],
    kind: FieldKind,
    form: Form,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> (String, Vec<RewriteUnit>) {
    let mut reader = Reader::new(value, kind, context, findings);
    reader.is_written = form != Form::Iso2022Jp;
    let mut text = String::new();
    let protected_strings = if kind == FieldKind::Unstructured {
        protected_strings(value)
    } else {
        Vec::new()
    };
    let mut rewrite_units = RewriteUnits {
        value,
        reader: &reader,
        form,
        protected_strings,
        list: Vec::new(),
    };
    let mut segments = reader.segments.iter().peekable();
    while let Some(segment) = segments.next() {
        let start = text.len();
        let findings_before = findings.len();
        reader.push(segment, &mut text, findings);
        if segment.lexical != LexicalContext::Mark {
            let repaired = findings[findings_before..]
                .iter()
                .any(|f| is_repair(f.kind));
            rewrite_units.segment(segment, &text[start..], repaired);
            continue;
        }
        // A quoted string is one unit, up to its closing quote.
        let mut atom = RewriteUnit::plain(segment.range.clone(), LexicalContext::Quoted);
        for inner in segments.by_ref() {
            let findings_before = findings.len();
            reader.push(inner, &mut text, findings);
            atom.range.end = inner.range.end;
            if inner.lexical == LexicalContext::Mark {
                break;
            }
            let repaired = findings[findings_before..]
                .iter()
                .any(|f| is_repair(f.kind));
            atom.state = atom.state.with(rewrite_units.state(inner, repaired));
        }
        text[start..].clone_into(&mut atom.text);
        rewrite_units.list.push(atom);
    }
    rewrite_units.join_protected_strings();
    let mut shown = String::with_capacity(text.len());
    push_clean(&text, &mut shown);
    (shown, rewrite_units.list)
}

/// Returns the replacements for ISO-2022-JP; None if that cannot carry the text.
fn in_japanese(
    value: &[u8],
    rewrite_units: &[RewriteUnit],
    target: &RewriteTarget<'_>,
    note: &mut Option<Finding>,
) -> Option<Vec<Replacement>> {
    if !rewrite_units.iter().any(|atom| atom.state.wants_words()) {
        return Some(Vec::new());
    }
    // A separator keeps a voicing mark from joining the letter of another unit.
    let text: String = rewrite_units
        .iter()
        .map(|a| {
            if a.state.is_group_member() {
                a.text.as_str()
            } else {
                " "
            }
        })
        .collect();
    let (kind, count) = match japanese::write(&text) {
        Ok(written) => (EventKind::CharsetLookAlike, written.look_alikes),
        Err(lacking) => (EventKind::CharsetBeyondOut, lacking),
    };
    if count > 0 {
        *note = Some(Finding::counted(
            0..value.len(),
            kind,
            Charset::ISO_2022_JP,
            count,
        ));
    }
    (kind == EventKind::CharsetLookAlike).then(|| changes(value, rewrite_units, target))
}

/// Groups the units and writes the groups that need it.
fn changes(
    value: &[u8],
    rewrite_units: &[RewriteUnit],
    target: &RewriteTarget<'_>,
) -> Vec<Replacement> {
    let mut writer = GroupWriter::new(value, target);
    let mut i = 0;
    while i < rewrite_units.len() {
        if !rewrite_units[i].state.is_group_member() {
            i += 1;
            continue;
        }
        let state = |at: usize| rewrite_units.get(at).map(|unit| unit.state);
        let is_member = |at| state(at).is_some_and(UnitState::is_group_member);
        let last = end_of_group(i, is_member, |at| state(at).is_some_and(|unit| unit.space));
        let group = &rewrite_units[i..=last];
        i = last + 1;
        let state = group
            .iter()
            .map(|a| a.state)
            .reduce(UnitState::with)
            .unwrap_or_default();
        let wanted = match target.form {
            Form::Words | Form::Iso2022Jp => state.wants_words(),
            Form::RawUtf8 => state.wants_raw(),
        };
        if !wanted {
            continue;
        }
        let range = group[0].range.start..group[group.len() - 1].range.end;
        let text: String = group.iter().map(|a| a.text.as_str()).collect();
        writer.group(range, group[0].lexical, state, &text);
    }
    writer.list
}
