//! Writes the rewritten groups of a value as words or as raw UTF-8, and folds long lines.
//!
//! # Limits
//!
//! Folds only at single spaces or within words.

use super::controls::is_control;
use super::encode::{Encoding, Place};
use super::encode::{LineWriter, MAX_LINE_BYTES, MAX_RAW_BYTES, choose_letter, is_atom, quoted};
use super::encode_legacy::japanese_words;
use super::rewrite_target::{Form, Replacement, RewriteTarget};
use super::rewrite_units::UnitState;
use crate::japanese;
use crate::lexer::{self, LexicalContext, byte_before, column_after, ends_word};
use std::ops::Range;

/// Writes groups from left to right.
pub(super) struct GroupWriter<'v, 't> {
    value: &'v [u8],
    target: &'t RewriteTarget<'t>,
    /// Offset in the old value up to which the groups are written.
    at: usize,
    /// The column of that offset in the new value.
    column: usize,
    /// The replacements.
    pub list: Vec<Replacement>,
}

impl<'v, 't> GroupWriter<'v, 't> {
    /// Starts at the beginning of the value.
    pub(super) fn new(value: &'v [u8], target: &'t RewriteTarget<'t>) -> Self {
        Self {
            value,
            target,
            at: 0,
            column: target.column,
            list: Vec::new(),
        }
    }

    /// Writes the text of a group whose first unit is in the context `lexical`.
    pub(super) fn group(
        &mut self,
        mut range: Range<usize>,
        lexical: LexicalContext,
        state: UnitState,
        text: &str,
    ) {
        let value = self.value;
        let column = column_after(self.column, &value[self.at..range.start]);
        let place = match lexical {
            LexicalContext::Comment => Place::Comment,
            LexicalContext::Phrase | LexicalContext::Quoted => Place::Phrase,
            _ => Place::Text,
        };
        // A single space before the group may become a fold.
        let foldable = range.start >= 2
            && value[range.start - 1] == b' '
            && !lexer::is_space(value[range.start - 2]);
        let mut lines = LineWriter::new(column, self.target.eol);
        lines.out.reserve(text.len() * 2 + 16);
        if foldable {
            lines.out.push(' ');
        }
        let raw = self.target.form == Form::RawUtf8
            && raw_form(value, &range, text, place, &mut lines, foldable);
        if !raw {
            if !state.wants_words() {
                self.column = column_after(column, &value[range.clone()]);
                self.at = range.end;
                return;
            }
            if self.target.form == Form::Iso2022Jp {
                japanese_words(&mut lines, &japanese::folded(text).0, place, foldable);
            } else {
                let glued = !ends_word(&value[range.end..]);
                let encoding = if glued {
                    Encoding::B
                } else {
                    Encoding::Shorter
                };
                let letter = choose_letter(text.as_bytes(), place, encoding);
                lines.words(text, place, letter, foldable);
            }
            // White space must separate a word from the text after it (RFC 2047, section 5). A name may touch its address.
            if place == Place::Phrase && value.get(range.end) == Some(&b'<') {
                lines.push(" ");
            }
        }
        // Examines no more of the line than would fit.
        let line = &value[range.end..value.len().min(range.end + MAX_LINE_BYTES + 1)];
        let line = &line[..memchr::memchr2(b'\r', b'\n', line).unwrap_or(line.len())];
        if line.len() >= 2
            && line[0] == b' '
            && !lexer::is_space(line[1])
            && lines.column + line.len() > MAX_LINE_BYTES
        {
            lines.fold();
            range.end += 1;
        }
        self.column = lines.column;
        self.at = range.end;
        let mut with = lines.out.into_bytes();
        if foldable {
            if with.first() == Some(&b' ') {
                with.remove(0);
            } else {
                range.start -= 1;
            }
        }
        if value[range.clone()] != with[..] {
            self.list.push(Replacement { at: range, with });
        }
    }
}

/// Writes raw UTF-8 if it would decode to the same text; returns false otherwise.
fn raw_form(
    value: &[u8],
    range: &Range<usize>,
    text: &str,
    place: Place,
    lines: &mut LineWriter<'_>,
    foldable: bool,
) -> bool {
    let before = byte_before(value, range.start);
    let touches = before == Some(b'=') && text.starts_with('?')
        || text.ends_with('=') && value.get(range.end) == Some(&b'?');
    // A space at an edge is safe between text, but not beside a fold or at the ends of the value.
    let inner = |byte: Option<u8>| byte.is_some_and(|b| !lexer::is_space(b));
    let edge = text.starts_with(' ') && !inner(before)
        || text.ends_with(' ') && !inner(value.get(range.end).copied());
    // A header must not contain raw controls.
    let has_controls = text.contains(is_control);
    if text.is_empty()
        || has_controls
        || text.contains("=?")
        || touches
        || edge && place != Place::Phrase
    {
        return false;
    }
    let special = match place {
        Place::Text => false,
        Place::Comment if text.contains(['(', ')', '\\', '"']) => return false,
        Place::Comment => false,
        Place::Phrase => {
            edge || text.contains("  ")
                || text
                    .bytes()
                    .any(|b| b.is_ascii() && b != b' ' && !is_atom(b))
        }
    };
    let mut written = LineWriter::new(lines.column, lines.eol);
    if special {
        let quoted = quoted(text);
        if foldable && lines.column > 1 && lines.column + quoted.len() > MAX_LINE_BYTES {
            written.fold();
        } else if foldable {
            written.out.push(' ');
        }
        written.column += quoted.len();
        written.out.push_str(&quoted);
    } else if foldable {
        written.column -= 1;
        written.raw(&format!(" {text}"));
    } else {
        written.raw(text);
    }
    let longest = written
        .out
        .split(lines.eol)
        .map(str::len)
        .max()
        .unwrap_or(0);
    if longest > MAX_RAW_BYTES || lines.column > MAX_RAW_BYTES {
        return false;
    }
    *lines = written;
    true
}
