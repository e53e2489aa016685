//! Splits the text of a list of addresses into tokens.

use super::field_token::{FieldToken, push_blank, push_raw, push_solid};
use crate::encoded_word::{
    MAX_LINE_BYTES, MAX_RAW_BYTES, Place, RewriteUnit, Unencodable, end_of_group, is_control,
};
use crate::lexer::{self, LexicalContext, unescape};
use std::borrow::Cow;

/// Splits a list of addresses into tokens.
///
/// An atom that needs words becomes words together with adjacent text, and with neighboring words that only white space separates.
pub(super) fn tokens<'a>(
    text: &'a str,
    units: &[RewriteUnit],
    folds: bool,
) -> Result<Vec<FieldToken<'a>>, Unencodable> {
    let raw = |unit: &RewriteUnit| &text[unit.range.clone()];
    let Groups { members, wanted } = Groups::of(text, units, folds)?;
    let mut out = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let unit = &units[at];
        if !members[at] {
            match unit.lexical {
                _ if unit.state.space => push_blank(&mut out, raw(unit)),
                LexicalContext::Address | LexicalContext::Quoted => push_solid(&mut out, raw(unit)),
                _ => push_raw(&mut out, raw(unit)),
            }
            if folds && unit.lexical == LexicalContext::Phrase && raw(unit) == "," {
                out.push(FieldToken::Blank("".into()));
            }
            at += 1;
            continue;
        }
        let is_member = |at: usize| members.get(at) == Some(&true);
        let is_space = |at: usize| units.get(at).is_some_and(|unit| unit.state.space);
        let last = end_of_group(at, is_member, is_space);
        if wanted[at..=last].contains(&true) {
            let place = if is_phrase(unit.lexical) {
                Place::Phrase
            } else {
                Place::Comment
            };
            let words: String = units[at..=last]
                .iter()
                .map(|unit| meaning(unit, raw(unit)))
                .collect();
            out.push(FieldToken::Words(words.into(), place));
        } else {
            push_raw(&mut out, &text[unit.range.start..units[last].range.end]);
        }
        at = last + 1;
    }
    Ok(out)
}

/// The units that are written as words.
struct Groups {
    /// For each unit, true if it belongs to a group of words.
    members: Vec<bool>,
    /// For each unit, true if its group needs encoding.
    wanted: Vec<bool>,
}

impl Groups {
    /// Groups units that touch. Returns an error for an address with controls.
    fn of(text: &str, units: &[RewriteUnit], folds: bool) -> Result<Self, Unencodable> {
        let raw = |unit: &RewriteUnit| &text[unit.range.clone()];
        let needs_words = |unit: &RewriteUnit| {
            unit.state.wants_words()
                || raw(unit).contains(is_control) && !unit.state.space
                || folds
                    && unit.lexical == LexicalContext::Quoted
                    && unit.range.len() >= MAX_LINE_BYTES
        };
        let mut groups = Self {
            members: vec![false; units.len()],
            wanted: vec![false; units.len()],
        };
        let mut at = 0;
        while at < units.len() {
            let start = at;
            at += 1;
            let first = &units[start];
            if !touches(first, raw(first)) {
                if first.lexical == LexicalContext::Address && raw(first).contains(is_raw_control) {
                    return Err(Unencodable::Place);
                }
                continue;
            }
            let joins = |unit: &&RewriteUnit| {
                touches(unit, raw(unit)) && is_phrase(unit.lexical) == is_phrase(first.lexical)
            };
            at += units[at..].iter().take_while(joins).count();
            let length = units[at - 1].range.end - first.range.start;
            let is_long = folds && length > MAX_RAW_BYTES;
            let needed = is_long || units[start..at].iter().any(needs_words);
            for (unit, member) in units[start..at].iter().zip(&mut groups.members[start..at]) {
                *member = needed || unit.state.is_group_member();
            }
            groups.wanted[start..at].fill(needed);
        }
        Ok(groups)
    }
}

/// Returns true for units that words may include. White space, addresses and delimiters separate phrases and comment texts.
fn touches(unit: &RewriteUnit, raw: &str) -> bool {
    let delimiters = if is_phrase(unit.lexical) {
        "(),:;<>\""
    } else {
        "()"
    };
    let is_delimiter = || raw.len() == 1 && delimiters.contains(raw);
    unit.lexical != LexicalContext::Address
        && !unit.state.space
        && (unit.lexical == LexicalContext::Quoted || !is_delimiter())
}

fn is_raw_control(c: char) -> bool {
    is_control(c) && !matches!(c, '\t' | '\r' | '\n')
}

/// Returns the text of a unit: decoded if it has words, else as written, including controls.
fn meaning<'a>(atom: &'a RewriteUnit, raw: &'a str) -> Cow<'a, str> {
    let reads_otherwise = atom.state.words || lexer::has_raw_shift(raw.as_bytes(), atom.lexical);
    match atom.lexical {
        _ if reads_otherwise => atom.text.as_str().into(),
        LexicalContext::Quoted => unescape(&raw[1..raw.len() - 1]),
        LexicalContext::Comment => unescape(raw),
        _ => raw.into(),
    }
}

fn is_phrase(lexical: LexicalContext) -> bool {
    matches!(lexical, LexicalContext::Phrase | LexicalContext::Quoted)
}
