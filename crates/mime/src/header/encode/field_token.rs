//! The tokens that make up an encoded field value.

use crate::encoded_word::Place;
use std::borrow::Cow;

/// A token of a field value.
#[derive(Debug)]
pub(super) enum FieldToken<'a> {
    /// White space; if empty, a place where a fold may add some.
    Blank(Cow<'a, str>),
    /// Text that is written as it is, without a fold.
    Solid(String),
    /// Text that becomes words.
    Words(Cow<'a, str>, Place),
}

pub(super) fn push_blank<'a>(tokens: &mut Vec<FieldToken<'a>>, blanks: &'a str) {
    match tokens.last_mut() {
        _ if blanks.is_empty() => {}
        Some(FieldToken::Blank(before)) => before.to_mut().push_str(blanks),
        _ => tokens.push(FieldToken::Blank(blanks.into())),
    }
}

pub(super) fn push_solid(tokens: &mut Vec<FieldToken<'_>>, text: &str) {
    match tokens.last_mut() {
        Some(FieldToken::Solid(solid)) => solid.push_str(text),
        _ => tokens.push(FieldToken::Solid(text.to_owned())),
    }
}

/// Adds raw text, which may be folded at its white space.
pub(super) fn push_raw<'a>(tokens: &mut Vec<FieldToken<'a>>, text: &'a str) {
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        push_blank(tokens, &rest[..blanks]);
        let end = rest[blanks..]
            .find([' ', '\t'])
            .map_or(rest.len(), |n| blanks + n);
        if end > blanks {
            push_solid(tokens, &rest[blanks..end]);
        }
        rest = &rest[end..];
    }
}
