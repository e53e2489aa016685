//! A value in atoms: white space, plain pieces, and pieces that hold words or 8-bit bytes.
//!
//! # Limits
//!
//! A quoted string is one atom; who goes through the segments puts it together.

use super::Form;
use super::controls::{is_plain_text, is_writable, push_clean};
use super::decode::{Reader, Ready, Segment, unfold};
use super::lexical_context::Zone;
use crate::{japanese, lex};
use mailglot_codec::{Charset, LossLog};
use std::ops::Range;

/// What an atom holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// White space only.
    pub space: bool,
    /// Raw 8-bit bytes.
    pub raw: bool,
    /// Raw bytes that are no UTF-8.
    pub invalid: bool,
    /// Decodable words.
    pub words: bool,
    /// Words that are not clean UTF-8.
    pub dirty: bool,
    /// Plain, but part of a string that is written anew.
    pub pulled: bool,
}

impl State {
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            space: self.space && other.space,
            raw: self.raw || other.raw,
            invalid: self.invalid || other.invalid,
            words: self.words || other.words,
            dirty: self.dirty || other.dirty,
            pulled: self.pulled || other.pulled,
        }
    }

    pub(super) fn member(self) -> bool {
        self.raw || self.words || self.pulled
    }

    pub(super) fn wants_words(self) -> bool {
        self.raw || self.dirty
    }

    pub(super) fn wants_raw(self) -> bool {
        self.invalid || self.words
    }
}

/// A piece of a value that is replaced as a whole or not at all.
#[derive(Debug)]
pub(super) struct Atom {
    pub range: Range<usize>,
    pub zone: Zone,
    pub state: State,
    /// Decoded; empty for plain pieces.
    pub text: String,
}

impl Atom {
    pub(super) fn plain(range: Range<usize>, zone: Zone) -> Self {
        Self {
            range,
            zone,
            state: State::default(),
            text: String::new(),
        }
    }
}

pub(super) struct Atoms<'r> {
    pub value: &'r [u8],
    pub reader: &'r Reader<'r>,
    pub form: Form,
    /// Strings that must not be cut in a text, in order.
    pub guards: Vec<Range<usize>>,
    pub list: Vec<Atom>,
}

/// The quoted strings of a text with raw bytes in which addresses stand: words that held one quote of a string would hide who is meant from a
/// reader of addresses, which the field may be for.
pub(super) fn guards(value: &[u8]) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    if value.is_ascii() || memchr::memchr(b'"', value).is_none() || !lex::holds_address(value) {
        return list;
    }
    let is_border = |byte: Option<&u8>| {
        byte.is_none_or(|b| {
            lex::is_space(*b) || matches!(b, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')')
        })
    };
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', value.get(at..).unwrap_or_default()) {
        let start = at + found;
        let Some(end) = lex::quoted_end(value, start) else {
            break;
        };
        let before = start.checked_sub(1).and_then(|before| value.get(before));
        if is_border(before) && is_border(value.get(end)) && !lex::holds_address(&value[start..end])
        {
            list.push(start..end);
            at = end;
        } else {
            // What closes it may open another one.
            at = end - 1;
        }
    }
    list
}

impl Atoms<'_> {
    /// What a whole segment holds.
    pub(super) fn state(&self, segment: &Segment, repaired: bool) -> State {
        if segment.words.is_empty() {
            let bytes = &self.value[segment.range.clone()];
            let shifted = lex::has_shift(bytes);
            let raw = repaired || shifted || !bytes.is_ascii();
            let invalid = repaired || shifted || self.reader.utf8(bytes, segment.zone).is_none();
            return State {
                raw,
                invalid,
                ..State::default()
            };
        }
        let words = &self.reader.words[segment.words.clone()];
        let dirty = repaired
            || !words.iter().all(|word| {
                is_tidy(
                    self.value,
                    word,
                    &self.reader.bytes[word.bytes.clone()],
                    self.form,
                )
            });
        State {
            words: true,
            dirty,
            ..State::default()
        }
    }

    pub(super) fn segment(&mut self, segment: &Segment, text: &str, repaired: bool) {
        let Segment { range, zone, words } = segment;
        if *zone == Zone::Address {
            self.list.push(Atom::plain(range.clone(), *zone));
        } else if words.is_empty() {
            self.text(range.clone(), *zone);
        } else {
            let state = self.state(segment, repaired);
            self.list.push(Atom {
                range: range.clone(),
                zone: *zone,
                state,
                text: text.to_owned(),
            });
        }
    }

    /// Makes one group of each string of a text that has raw bytes in it.
    pub(super) fn pull(&mut self) {
        let mut at = 0;
        for guard in &self.guards {
            let inside = |atom: &Atom| atom.range.start < guard.end;
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
                    .filter(|a| !a.state.space && !a.state.member())
                {
                    atom.state.pulled = true;
                    push_clean(
                        &String::from_utf8_lossy(&self.value[atom.range.clone()]),
                        &mut atom.text,
                    );
                }
            }
            at = end;
        }
    }

    /// Cuts a text into white space, delimiters and the pieces between them.
    fn text(&mut self, range: Range<usize>, zone: Zone) {
        let bytes = &self.value[range.clone()];
        let invalid = self.reader.utf8(bytes, zone).is_none();
        let steps = self.reader.steps;
        let delimiter = |byte: u8| match zone {
            Zone::Phrase => matches!(byte, b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'"'),
            Zone::Comment => matches!(byte, b'(' | b')'),
            _ => false,
        };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let mut state = State::default();
            let mut text = String::new();
            if lex::is_space(byte) {
                at = lex::skip_space(bytes, at);
                state.space = true;
                push_clean(
                    &String::from_utf8_lossy(&unfold(&bytes[start..at], false)),
                    &mut text,
                );
            } else if delimiter(byte) {
                at += 1;
            } else {
                while let Some(&byte) = bytes
                    .get(at)
                    .filter(|&&b| !lex::is_space(b) && !delimiter(b))
                {
                    // A quoted pair in a comment stays together.
                    let pair = zone == Zone::Comment && byte == b'\\';
                    let is_pair = pair && bytes.get(at + 1).is_some_and(|&b| !lex::is_space(b));
                    at += if is_pair { 2 } else { steps.step(bytes, at) };
                }
                let piece = &bytes[start..at];
                let mut raw = String::new();
                if !piece.is_ascii() {
                    state = State {
                        raw: true,
                        invalid,
                        ..State::default()
                    };
                    raw = self.decode(piece, zone, invalid, at < bytes.len());
                } else if self.reader.context.repairs.may_touch(piece) {
                    raw = String::from_utf8_lossy(piece).into_owned();
                }
                if lex::has_shift(piece) {
                    let ascii = String::from_utf8_lossy(piece);
                    let text = if state.raw { raw.as_str() } else { &ascii };
                    if let Some((text, _)) = lex::read_shifts(text) {
                        state = State {
                            raw: true,
                            invalid: true,
                            ..State::default()
                        };
                        raw = text;
                    }
                }
                let mut findings = Vec::new();
                let repaired = self.reader.repaired(
                    raw.as_str().into(),
                    zone == Zone::Text,
                    &(0..0),
                    &mut findings,
                );
                if !findings.is_empty() {
                    state = State {
                        raw: true,
                        invalid: true,
                        ..State::default()
                    };
                }
                if state.raw {
                    let _ = self.reader.push_text(&repaired, &mut text);
                }
            }
            self.list.push(Atom {
                range: range.start + start..range.start + at,
                zone,
                state,
                text,
            });
        }
    }

    /// Decodes a piece as it is decoded within its text: what follows it there is ASCII. Controls stay.
    fn decode(&self, piece: &[u8], zone: Zone, invalid: bool, followed: bool) -> String {
        if !invalid {
            return String::from_utf8_lossy(piece).into_owned();
        }
        let mut bytes = piece.to_vec();
        if followed {
            bytes.push(b' ');
        }
        let mut text = self.reader.legacy_text(&bytes, zone).into_owned();
        if followed {
            text.pop();
        }
        text
    }
}

/// A word in the charset of the form, in strict syntax, complete in itself and without controls.
pub(super) fn is_tidy(value: &[u8], word: &Ready, bytes: &[u8], form: Form) -> bool {
    let token = &word.word;
    let bare =
        token.label.start == token.range.start + 2 && matches!(value[token.label.end], b'?' | b'*');
    let payload = &value[token.payload.clone()];
    let strict = bare
        && word.named
        && word.damage.describe().is_none()
        && payload
            .iter()
            .all(|&b| matches!(b, b'!'..=b'~') && b != b'?');
    strict
        && match form {
            Form::Words | Form::RawUtf8 => {
                word.charset == Some(Charset::UTF_8)
                    && std::str::from_utf8(bytes).is_ok_and(is_writable)
            }
            Form::Iso2022Jp => {
                word.charset == Some(Charset::ISO_2022_JP) && is_clean_japanese(bytes)
            }
        }
}

/// Bytes that are text in ISO-2022-JP, to its end and without controls.
pub(crate) fn is_clean_japanese(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let text = Charset::ISO_2022_JP.decode(bytes, &mut log);
    log.losses() == 0 && japanese::is_complete(bytes) && is_plain_text(&text)
}
