//! Splits a value into units that are rewritten as a whole: white space, plain pieces, and pieces with words or 8-bit bytes.
//!
//! # Limits
//!
//! A quoted string is one unit. The caller joins its segments.

use super::controls::{is_plain_text, push_clean};
use super::reader::{DecodedWord, Reader, Segment};
use super::rewrite_target::Form;
use super::unfold::unfold;
use super::writable::is_writable;
use crate::lexer::{Atom, AtomKind, LexicalContext};
use crate::unlogged::decode_lossless;
use crate::{japanese, lexer};
use mailglot_codec::Charset;
use std::ops::Range;

/// Properties of a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitState {
    /// White space only.
    pub space: bool,
    /// Raw 8-bit bytes.
    pub raw: bool,
    /// Raw bytes that are not UTF-8.
    pub invalid: bool,
    /// Decodable words.
    pub words: bool,
    /// Words that are not clean UTF-8.
    pub needs_rewrite: bool,
    /// Plain, but part of a string that is rewritten.
    pub is_joined: bool,
}

impl UnitState {
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            space: self.space && other.space,
            raw: self.raw || other.raw,
            invalid: self.invalid || other.invalid,
            words: self.words || other.words,
            needs_rewrite: self.needs_rewrite || other.needs_rewrite,
            is_joined: self.is_joined || other.is_joined,
        }
    }

    pub(crate) fn is_group_member(self) -> bool {
        self.raw || self.words || self.is_joined
    }

    pub(crate) fn wants_words(self) -> bool {
        self.raw || self.needs_rewrite
    }

    pub(crate) fn wants_raw(self) -> bool {
        self.invalid || self.words
    }
}

/// A piece of a value that is replaced as a whole or not at all.
#[derive(Debug)]
pub(crate) struct RewriteUnit {
    pub range: Range<usize>,
    pub lexical: LexicalContext,
    pub state: UnitState,
    /// Decoded text; empty for plain pieces.
    pub text: String,
}

impl RewriteUnit {
    pub(crate) fn plain(range: Range<usize>, lexical: LexicalContext) -> Self {
        Self {
            range,
            lexical,
            state: UnitState::default(),
            text: String::new(),
        }
    }
}

pub(crate) struct RewriteUnits<'r> {
    pub value: &'r [u8],
    pub reader: &'r Reader<'r>,
    pub form: Form,
    /// Quoted strings in a text that must not be split, in order.
    pub protected_strings: Vec<Range<usize>>,
    pub list: Vec<RewriteUnit>,
}

/// Returns the quoted strings of a raw text that contains addresses.
///
/// If an encoded word contained one quote of a string, an address reader would find other addresses.
pub(crate) fn protected_strings(value: &[u8]) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    if value.is_ascii()
        || memchr::memchr(b'"', value).is_none()
        || !lexer::contains_angle_address(value)
    {
        return list;
    }
    let is_border = |byte: Option<u8>| {
        byte.is_none_or(|b| {
            lexer::is_space(b) || matches!(b, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')')
        })
    };
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', value.get(at..).unwrap_or_default()) {
        let start = at + found;
        let Some(end) = lexer::quoted_end(value, start) else {
            break;
        };
        if is_border(lexer::byte_before(value, start))
            && is_border(value.get(end).copied())
            && !lexer::contains_angle_address(&value[start..end])
        {
            list.push(start..end);
            at = end;
        } else {
            // The closing quote may open another string.
            at = end - 1;
        }
    }
    list
}

impl RewriteUnits<'_> {
    /// Returns the properties of a whole segment.
    pub(crate) fn state(&self, segment: &Segment, repaired: bool) -> UnitState {
        if segment.words.is_empty() {
            let bytes = &self.value[segment.range.clone()];
            let shifted = lexer::has_raw_shift(bytes, segment.lexical);
            let raw = repaired || shifted || !bytes.is_ascii();
            let invalid = repaired || shifted || self.reader.utf8(bytes, segment.lexical).is_none();
            return UnitState {
                raw,
                invalid,
                ..UnitState::default()
            };
        }
        let words = &self.reader.words[segment.words.clone()];
        let needs_rewrite = repaired
            || !words.iter().all(|word| {
                is_clean_word(
                    self.value,
                    word,
                    &self.reader.bytes[word.bytes.clone()],
                    self.form,
                )
            });
        UnitState {
            words: true,
            needs_rewrite,
            ..UnitState::default()
        }
    }

    pub(crate) fn segment(&mut self, segment: &Segment, text: &str, repaired: bool) {
        let (range, lexical) = (segment.range.clone(), segment.lexical);
        if lexical == LexicalContext::Address {
            self.list.push(RewriteUnit::plain(range, lexical));
        } else if segment.words.is_empty() {
            self.text(range, lexical);
        } else {
            let state = self.state(segment, repaired);
            let text = text.to_owned();
            self.list.push(RewriteUnit {
                state,
                text,
                ..RewriteUnit::plain(range, lexical)
            });
        }
    }

    /// Joins the units of each protected string that contains raw bytes.
    pub(crate) fn join_protected_strings(&mut self) {
        let mut at = 0;
        for guard in &self.protected_strings {
            let inside = |atom: &RewriteUnit| atom.range.start < guard.end;
            at += self.list[at..]
                .iter()
                .take_while(|atom| atom.range.end <= guard.start)
                .count();
            let end = at
                + self.list[at..]
                    .iter()
                    .take_while(|atom| inside(atom))
                    .count();
            if self.list[at..end].iter().any(|atom| atom.state.raw) {
                for atom in self.list[at..end]
                    .iter_mut()
                    .filter(|a| !a.state.space && !a.state.is_group_member())
                {
                    atom.state.is_joined = true;
                    push_clean(
                        &String::from_utf8_lossy(&self.value[atom.range.clone()]),
                        &mut atom.text,
                    );
                }
            }
            at = end;
        }
    }

    /// Adds the atoms of a text.
    fn text(&mut self, range: Range<usize>, lexical: LexicalContext) {
        let bytes = &self.value[range.clone()];
        let joined = self.reader.without_splits(range.clone());
        let invalid = self.reader.utf8(&joined, lexical).is_none();
        let splits = self.reader.splits_in(range.clone());
        let mut atoms = lexer::atoms(bytes, lexical, self.reader.steps).peekable();
        while let Some(Atom {
            range: mut at,
            kind,
        }) = atoms.next()
        {
            // A fold within a character separates nothing.
            let is_split = |end: usize| {
                let end = range.start + end;
                splits
                    .binary_search_by_key(&end, |split| split.start)
                    .is_ok()
            };
            let start = at.start;
            while kind == AtomKind::Text && is_split(at.end) {
                let _ = atoms.next();
                at.end = atoms.next().map_or(bytes.len(), |rest| rest.range.end);
            }
            let (state, text) = match kind {
                AtomKind::Space => {
                    let (mut state, mut text) = (UnitState::default(), String::new());
                    state.space = true;
                    let unfolded = unfold(&bytes[at.clone()], false);
                    push_clean(&String::from_utf8_lossy(&unfolded), &mut text);
                    (state, text)
                }
                AtomKind::Delimiter => (UnitState::default(), String::new()),
                AtomKind::Text => {
                    let next = bytes.get(at.end).copied();
                    let own = range.start + start..range.start + at.end;
                    let (mut state, text) = self.atom(
                        &self.reader.without_splits(own.clone()),
                        lexical,
                        invalid,
                        next,
                    );
                    state.invalid |= !self.reader.splits_in(own).is_empty();
                    (state, text)
                }
            };
            self.list.push(RewriteUnit {
                range: range.start + at.start..range.start + at.end,
                lexical,
                state,
                text,
            });
        }
    }

    /// Returns the properties of an atom, and its text if it has raw bytes or damage. `next` is the byte after it.
    fn atom(
        &self,
        piece: &[u8],
        lexical: LexicalContext,
        invalid: bool,
        next: Option<u8>,
    ) -> (UnitState, String) {
        let raw_state = |invalid| UnitState {
            raw: true,
            invalid,
            ..UnitState::default()
        };
        let (mut state, mut raw) = (UnitState::default(), String::new());
        if !piece.is_ascii() {
            state = raw_state(invalid);
            raw = self.decode(piece, lexical, invalid, next.is_some());
        } else if self.reader.context.repairs.may_touch(piece) {
            raw = String::from_utf8_lossy(piece).into_owned();
        }
        if lexer::has_raw_shift(piece, lexical) {
            let ascii = String::from_utf8_lossy(piece);
            let text = if state.raw { raw.as_str() } else { &ascii };
            if let Some(shifted) = lexer::decode_raw_shifts(text, lexical) {
                state = raw_state(true);
                raw = shifted.text;
            }
        }
        if lexical == LexicalContext::Comment && raw.contains('\\') {
            raw = unescaped(&raw, next.is_some_and(lexer::is_space));
        }
        let mut findings = Vec::new();
        let is_free = lexical == LexicalContext::Text;
        let repaired = self
            .reader
            .repaired(raw.as_str().into(), is_free, &(0..0), &mut findings);
        if !findings.is_empty() {
            state = raw_state(true);
        }
        let mut text = String::new();
        if state.raw {
            let _ = self.reader.push_text(&repaired, &mut text);
        }
        (state, text)
    }

    /// Decodes a piece as it would decode within its text, where ASCII follows. Keeps controls.
    fn decode(
        &self,
        piece: &[u8],
        lexical: LexicalContext,
        invalid: bool,
        followed: bool,
    ) -> String {
        if !invalid {
            return String::from_utf8_lossy(piece).into_owned();
        }
        let mut bytes = piece.to_vec();
        if followed {
            bytes.push(b' ');
        }
        let mut text = self.reader.legacy_text(&bytes, lexical).into_owned();
        if followed {
            text.pop();
        }
        text
    }
}

/// Removes the backslashes of quoted pairs from a piece of a comment (RFC 2047, section 5: words contain no quoted pairs).
///
/// `before_space` means that a backslash at the end belongs to the white space after it. Before a parenthesis, which a backslash
/// would escape, it is the trail byte of a character for readers of the bytes, so it stays.
fn unescaped(piece: &str, before_space: bool) -> String {
    let mut text = lexer::unescape(piece).into_owned();
    let backslashes = piece.bytes().rev().take_while(|byte| *byte == b'\\');
    if before_space && backslashes.count() % 2 == 1 {
        text.pop();
    }
    text
}

/// Returns true for a word in the target charset that is strictly written, complete in itself and without controls.
pub(crate) fn is_clean_word(value: &[u8], word: &DecodedWord, bytes: &[u8], form: Form) -> bool {
    let token = &word.word;
    let bare =
        token.label.start == token.range.start + 2 && matches!(value[token.label.end], b'?' | b'*');
    let payload = &value[token.payload.clone()];
    let strict = bare
        && word.named
        && word.damage.reason().is_none()
        && payload
            .iter()
            .all(|&b| matches!(b, b'!'..=b'~') && b != b'?');
    strict
        && match form {
            Form::Words | Form::RawUtf8 => {
                is_usual_utf8_label(&value[token.label.clone()])
                    && word.charset == Some(Charset::UTF_8)
                    && std::str::from_utf8(bytes).is_ok_and(is_writable)
            }
            Form::Iso2022Jp => {
                word.charset == Some(Charset::ISO_2022_JP) && is_clean_japanese(bytes)
            }
        }
}

/// Returns true for `utf-8` and `utf8`. Few mail readers know other labels of UTF-8, such as `utf8mb4` and `ibm-1208`.
pub(crate) fn is_usual_utf8_label(label: &[u8]) -> bool {
    [&b"utf-8"[..], b"utf8"]
        .iter()
        .any(|usual| label.eq_ignore_ascii_case(usual))
}

/// Returns true for complete ISO-2022-JP text without controls.
pub(crate) fn is_clean_japanese(bytes: &[u8]) -> bool {
    let text = decode_lossless(Charset::ISO_2022_JP, bytes);
    japanese::is_complete(bytes) && text.is_some_and(|text| is_plain_text(&text))
}

/// Returns the index of the last member of the group that begins with the unit at `first`. White space may stand between two members.
pub(crate) fn end_of_group(
    first: usize,
    is_member: impl Fn(usize) -> bool,
    is_space: impl Fn(usize) -> bool,
) -> usize {
    let mut last = first;
    loop {
        if is_member(last + 1) {
            last += 1;
        } else if is_space(last + 1) && is_member(last + 2) {
            last += 2;
        } else {
            return last;
        }
    }
}
