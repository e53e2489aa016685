//! The smallest changes that bring a value to UTF-8 words or to raw UTF-8.
//!
//! A value is cut into atoms: white space, plain pieces, and pieces that hold words or 8-bit bytes. Neighbors of the last kind form a
//! group, white space between them included, and a group is replaced as a whole or not at all: a word beside another one would
//! swallow the space that stood between them.
//!
//! # Limits
//!
//! Addresses are never changed. What cannot be written so that it reads the same is left alone.

use super::decode::{Reader, Ready, Segment, is_plain_text, push_clean, unfold};
use super::encode::{LINE, Lines, choose, is_atom};
use super::encode_legacy::japanese_words;
use super::repair::is_repair;
use super::token::ends_word;
use super::zone::Zone;
use super::{Encoding, Finding, Form, HeaderContext, Place, Replacement, decode, has_open, plain};
use crate::header::FieldKind;
use crate::{EventKind, japanese, lex, params};
use mailglot_codec::{Charset, LossLog};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a line of raw text beyond which words are written instead (RFC 5322 2.1.1 allows 998).
const LONG: usize = 900;

/// The changes that bring a value to `form`: nothing for a value that is there already, and only the runs of words or raw bytes that need it.
/// `column` is the number of bytes of the line before the value; `eol` is used for folds.
///
/// Applying the changes leaves the decoded text as it was, and a second call finds nothing to change. Plain values (ASCII text and
/// well-formed words that stand free) have this by their shape; for all others both are checked, and a value that fails the check is
/// left alone.
pub fn rewrite(
    value: &[u8],
    kind: FieldKind,
    form: Form,
    context: &HeaderContext,
    column: usize,
    eol: &[u8],
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let eol = std::str::from_utf8(eol).unwrap_or("\r\n");
    let target = Target { form, column, eol };
    if context.asks_for_nothing()
        && let Some(list) = plain::plan(value, kind, &target, findings)
    {
        return list;
    }
    general(value, kind, &target, context, findings)
}

/// [`rewrite`] for values of any shape.
pub(super) fn general(
    value: &[u8],
    kind: FieldKind,
    target: &Target<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> Vec<Replacement> {
    let Target { form, column, eol } = *target;
    match kind {
        FieldKind::Opaque => Vec::new(),
        FieldKind::Parameters => params::rewrite(value, form, context, column, eol, findings),
        FieldKind::Unstructured | FieldKind::Structured => {
            let (before, list) = plan(value, kind, target, context, findings);
            if list.is_empty() {
                return list;
            }
            let before = comparable(&before, form);
            let settle = |value: Vec<u8>, form, passes| {
                settle(value, passes, kind, &Target { form, ..*target }, context, &before)
            };
            let once = apply(value, &list);
            if let Some(after) = settle(once.clone(), form, PASSES - 1) {
                return if after == once { list } else { difference(value, &after) };
            }
            // Raw text that would complete the damage around it to a word: words in UTF-8 then, if they stay.
            let stays =
                |words: &Vec<u8>| settle(words.clone(), form, PASSES).is_none_or(|again| again == *words);
            if form != Form::Words
                && let Some(words) = settle(value.to_vec(), Form::Words, PASSES).filter(stays)
            {
                return difference(value, &words);
            }
            findings.push(Finding::new(0..value.len(), EventKind::EwBadToken, UNSAFE));
            Vec::new()
        }
    }
}

/// [`rewrite`] to words where the value is plain; None where only the general case can tell. What the rest of the message says does not
/// matter to a plain value.
pub(crate) fn rewrite_plain(
    value: &[u8],
    kind: FieldKind,
    column: usize,
    eol: &[u8],
    findings: &mut Vec<Finding>,
) -> Option<Vec<Replacement>> {
    let eol = std::str::from_utf8(eol).unwrap_or("\r\n");
    plain::plan(value, kind, &Target { form: Form::Words, column, eol }, findings)
}

/// The value after as many passes as it takes, the last of which finds nothing, if it reads the same then.
fn settle(
    mut after: Vec<u8>,
    passes: usize,
    kind: FieldKind,
    target: &Target<'_>,
    context: &HeaderContext,
    before: &str,
) -> Option<Vec<u8>> {
    for _ in 0..passes {
        let list = plan(&after, kind, target, context, &mut Vec::new()).1;
        if list.is_empty() {
            let read = decode(&after, kind, context, &mut Vec::new());
            return (comparable(&read, target.form) == before).then_some(after);
        }
        after = apply(&after, &list);
    }
    None
}

/// A text in the characters that the form has.
fn comparable(text: &str, form: Form) -> Cow<'_, str> {
    if form == Form::Iso2022Jp { japanese::folded(text).0 } else { Cow::Borrowed(text) }
}

/// Passes after which a value that still changes is left alone. A change may open a group that stood closed before, once.
const PASSES: usize = 4;

/// One replacement that makes `new` of `old`, cut beside something that is no white space.
fn difference(old: &[u8], new: &[u8]) -> Vec<Replacement> {
    let mut start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if start == old.len() && start == new.len() {
        return Vec::new();
    }
    while start > 0 && lex::is_space(old[start - 1]) {
        start -= 1;
    }
    let mut end =
        old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    while end > 0 && lex::is_space(old[old.len() - end]) {
        end -= 1;
    }
    vec![Replacement { at: start..old.len() - end, with: new[start..new.len() - end].to_vec() }]
}

/// Why a value was left alone.
pub(crate) const UNSAFE: &str = "left as it is: it would not read the same";

/// A value with replacements applied.
pub(crate) fn apply(value: &[u8], list: &[Replacement]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(value.len() * 2), 0);
    for replacement in list {
        out.extend_from_slice(&value[at..replacement.at.start]);
        out.extend_from_slice(&replacement.with);
        at = replacement.at.end;
    }
    out.extend_from_slice(&value[at..]);
    out
}

/// Whether all words of a text without structure are clean, in the charset of the form.
pub(crate) fn is_tidy_text(value: &[u8], form: Form, context: &HeaderContext) -> bool {
    let reader = Reader::new(value, FieldKind::Unstructured, context, &mut Vec::new());
    let (mut text, mut findings) = (String::new(), Vec::new());
    if context.repairs.any() {
        reader.segments.iter().for_each(|segment| reader.push(segment, &mut text, &mut findings));
    }
    !findings.iter().any(|f| is_repair(f.kind))
        && reader.words.iter().all(|word| is_tidy(value, word, &reader.bytes[word.bytes.clone()], form))
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(super) struct Target<'e> {
    /// What to write.
    pub form: Form,
    /// Bytes of the line before the value.
    pub column: usize,
    /// Line end of folds.
    pub eol: &'e str,
}

/// The decoded text of a value, and the changes.
fn plan(
    value: &[u8],
    kind: FieldKind,
    target: &Target<'_>,
    context: &HeaderContext,
    findings: &mut Vec<Finding>,
) -> (String, Vec<Replacement>) {
    if value.is_ascii() && !has_open(value) && !context.repairs.may_touch(value) {
        return (String::new(), Vec::new());
    }
    let reader = Reader::new(value, kind, context, findings);
    let mut text = String::new();
    let mut atoms = Atoms { value, reader: &reader, form: target.form, list: Vec::new() };
    let mut segments = reader.segments.iter().peekable();
    while let Some(segment) = segments.next() {
        let start = text.len();
        let told = findings.len();
        reader.push(segment, &mut text, findings);
        if segment.zone != Zone::Mark {
            let repaired = findings[told..].iter().any(|f| is_repair(f.kind));
            atoms.segment(segment, &text[start..], repaired);
            continue;
        }
        // A quoted string is one atom, up to its closing quote.
        let mut atom = Atom::plain(segment.range.clone(), Zone::Quoted);
        for inner in segments.by_ref() {
            let told = findings.len();
            reader.push(inner, &mut text, findings);
            atom.range.end = inner.range.end;
            if inner.zone == Zone::Mark {
                break;
            }
            let repaired = findings[told..].iter().any(|f| is_repair(f.kind));
            atom.state = atom.state.with(atoms.state(inner, repaired));
        }
        text[start..].clone_into(&mut atom.text);
        atoms.list.push(atom);
    }
    let mut note = None;
    let changes = match target.form {
        Form::Iso2022Jp => in_japanese(value, &atoms.list, target, &mut note).unwrap_or_else(|| {
            let target = Target { form: Form::Words, ..*target };
            plan(value, kind, &target, context, &mut Vec::new()).1
        }),
        Form::Words | Form::RawUtf8 => changes(value, &atoms.list, target),
    };
    findings.extend(note);
    findings.sort_by_key(|f| f.at.start);
    (text, changes)
}

/// The changes that bring a value to ISO-2022-JP; None where that cannot carry its text.
fn in_japanese(
    value: &[u8],
    atoms: &[Atom],
    target: &Target<'_>,
    note: &mut Option<Finding>,
) -> Option<Vec<Replacement>> {
    if !atoms.iter().any(|atom| atom.state.wants_words()) {
        return Some(Vec::new());
    }
    // What stands between them keeps a mark from joining a letter that it does not stand behind.
    let text: String = atoms.iter().map(|a| if a.state.member() { a.text.as_str() } else { " " }).collect();
    let (kind, count) = match japanese::write(&text) {
        Ok(written) => (EventKind::CharsetLookAlike, written.look_alikes),
        Err(lacking) => (EventKind::CharsetBeyondOut, lacking),
    };
    if count > 0 {
        *note = Some(Finding::counted(0..value.len(), kind, "ISO-2022-JP", count));
    }
    (kind == EventKind::CharsetLookAlike).then(|| changes(value, atoms, target))
}

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
}

impl State {
    fn with(self, other: Self) -> Self {
        Self {
            space: self.space && other.space,
            raw: self.raw || other.raw,
            invalid: self.invalid || other.invalid,
            words: self.words || other.words,
            dirty: self.dirty || other.dirty,
        }
    }

    fn member(self) -> bool {
        self.raw || self.words
    }

    fn wants_words(self) -> bool {
        self.raw || self.dirty
    }

    fn wants_raw(self) -> bool {
        self.invalid || self.words
    }
}

/// A piece of a value that is replaced as a whole or not at all.
#[derive(Debug)]
struct Atom {
    range: Range<usize>,
    zone: Zone,
    state: State,
    /// Decoded; empty for plain pieces.
    text: String,
}

impl Atom {
    fn plain(range: Range<usize>, zone: Zone) -> Self {
        Self { range, zone, state: State::default(), text: String::new() }
    }
}

struct Atoms<'r> {
    value: &'r [u8],
    reader: &'r Reader<'r>,
    form: Form,
    list: Vec<Atom>,
}

impl Atoms<'_> {
    /// What a whole segment holds.
    fn state(&self, segment: &Segment, repaired: bool) -> State {
        if segment.words.is_empty() {
            let bytes = &self.value[segment.range.clone()];
            let raw = repaired || !bytes.is_ascii();
            let invalid = repaired || std::str::from_utf8(bytes).is_err();
            return State { raw, invalid, ..State::default() };
        }
        let words = &self.reader.words[segment.words.clone()];
        let dirty = repaired
            || !words
                .iter()
                .all(|word| is_tidy(self.value, word, &self.reader.bytes[word.bytes.clone()], self.form));
        State { words: true, dirty, ..State::default() }
    }

    fn segment(&mut self, segment: &Segment, text: &str, repaired: bool) {
        let Segment { range, zone, words } = segment;
        if *zone == Zone::Address {
            self.list.push(Atom::plain(range.clone(), *zone));
        } else if words.is_empty() {
            self.text(range.clone(), *zone);
        } else {
            let state = self.state(segment, repaired);
            self.list.push(Atom { range: range.clone(), zone: *zone, state, text: text.to_owned() });
        }
    }

    /// Cuts a text into white space, delimiters and the pieces between them.
    fn text(&mut self, range: Range<usize>, zone: Zone) {
        let bytes = &self.value[range.clone()];
        let invalid = std::str::from_utf8(bytes).is_err();
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
                push_clean(&String::from_utf8_lossy(&unfold(&bytes[start..at], false)), &mut text);
            } else if delimiter(byte) {
                at += 1;
            } else {
                while let Some(&byte) = bytes.get(at).filter(|&&b| !lex::is_space(b) && !delimiter(b)) {
                    // A quoted pair in a comment stays together.
                    let pair = zone == Zone::Comment && byte == b'\\';
                    at += if pair && bytes.get(at + 1).is_some_and(|&b| !lex::is_space(b)) { 2 } else { 1 };
                }
                let piece = &bytes[start..at];
                let mut raw = String::new();
                if !piece.is_ascii() {
                    state = State { raw: true, invalid, ..State::default() };
                    raw = self.decode(piece, zone, invalid, at < bytes.len());
                } else if self.reader.context.repairs.may_touch(piece) {
                    raw = String::from_utf8_lossy(piece).into_owned();
                }
                let mut findings = Vec::new();
                let repaired =
                    self.reader.repaired(raw.as_str().into(), zone == Zone::Text, &(0..0), &mut findings);
                if !findings.is_empty() {
                    state = State { raw: true, invalid: true, ..State::default() };
                }
                if state.raw {
                    push_clean(&repaired, &mut text);
                }
            }
            self.list.push(Atom { range: range.start + start..range.start + at, zone, state, text });
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
fn is_tidy(value: &[u8], word: &Ready, bytes: &[u8], form: Form) -> bool {
    let token = &word.word;
    let bare = token.label.start == token.range.start + 2 && matches!(value[token.label.end], b'?' | b'*');
    let payload = &value[token.payload.clone()];
    let strict = bare
        && word.named
        && word.damage.describe().is_none()
        && payload.iter().all(|&b| matches!(b, b'!'..=b'~') && b != b'?');
    strict
        && match form {
            Form::Words | Form::RawUtf8 => {
                word.charset == Some(Charset::UTF_8) && std::str::from_utf8(bytes).is_ok_and(is_plain_text)
            }
            Form::Iso2022Jp => word.charset == Some(Charset::ISO_2022_JP) && is_clean_japanese(bytes),
        }
}

/// Bytes that are text in ISO-2022-JP, to its end and without controls.
pub(crate) fn is_clean_japanese(bytes: &[u8]) -> bool {
    let mut log = LossLog::with_limit(0);
    let text = Charset::ISO_2022_JP.decode(bytes, &mut log);
    log.losses() == 0 && japanese::is_complete(bytes) && is_plain_text(&text)
}

/// Groups atoms and writes the groups that need it.
fn changes(value: &[u8], atoms: &[Atom], target: &Target<'_>) -> Vec<Replacement> {
    let mut writer = Writer::new(value, target);
    let mut i = 0;
    while i < atoms.len() {
        if !atoms[i].state.member() {
            i += 1;
            continue;
        }
        let first = i;
        let mut last = i;
        while let Some(next) = atoms.get(last + 1) {
            if next.state.member() {
                last += 1;
            } else if next.state.space && atoms.get(last + 2).is_some_and(|a| a.state.member()) {
                last += 2;
            } else {
                break;
            }
        }
        i = last + 1;
        let group = &atoms[first..=last];
        let state = group.iter().map(|a| a.state).reduce(State::with).unwrap_or_default();
        let wanted = match target.form {
            Form::Words | Form::Iso2022Jp => state.wants_words(),
            Form::RawUtf8 => state.wants_raw(),
        };
        if !wanted {
            continue;
        }
        let range = group[0].range.start..group[group.len() - 1].range.end;
        let text: String = group.iter().map(|a| a.text.as_str()).collect();
        writer.group(range, group[0].zone, state, &text);
    }
    writer.list
}

/// Writes groups anew, from left to right.
pub(super) struct Writer<'v, 't> {
    value: &'v [u8],
    target: &'t Target<'t>,
    /// What was written to so far, in the old value.
    at: usize,
    /// The column there, in the new value.
    column: usize,
    /// The changes.
    pub list: Vec<Replacement>,
}

impl<'v, 't> Writer<'v, 't> {
    /// Nothing is written yet.
    pub(super) fn new(value: &'v [u8], target: &'t Target<'t>) -> Self {
        Self { value, target, at: 0, column: target.column, list: Vec::new() }
    }

    /// Writes the text of a group that starts in `zone`.
    pub(super) fn group(&mut self, mut range: Range<usize>, zone: Zone, state: State, text: &str) {
        let value = self.value;
        let column = advance(self.column, &value[self.at..range.start]);
        let place = match zone {
            Zone::Comment => Place::Comment,
            Zone::Phrase | Zone::Quoted => Place::Phrase,
            _ => Place::Text,
        };
        // A single space before the group may become a fold.
        let foldable =
            range.start >= 2 && value[range.start - 1] == b' ' && !lex::is_space(value[range.start - 2]);
        let mut lines =
            Lines { out: String::with_capacity(text.len() * 2 + 16), column, eol: self.target.eol };
        if foldable {
            lines.out.push(' ');
        }
        let raw =
            self.target.form == Form::RawUtf8 && raw_form(value, &range, text, place, &mut lines, foldable);
        if !raw {
            if !state.wants_words() {
                self.column = advance(column, &value[range.clone()]);
                self.at = range.end;
                return;
            }
            if self.target.form == Form::Iso2022Jp {
                japanese_words(&mut lines, &japanese::folded(text).0, place, foldable);
            } else {
                let glued = !ends_word(&value[range.end..]);
                let letter = choose(text, place, if glued { Encoding::B } else { Encoding::Shorter });
                lines.words(text, place, letter, foldable);
            }
        }
        // Of the rest of the line no more than would fit is looked at.
        let line = &value[range.end..value.len().min(range.end + LINE + 1)];
        let line = &line[..memchr::memchr2(b'\r', b'\n', line).unwrap_or(line.len())];
        if line.len() >= 2 && line[0] == b' ' && !lex::is_space(line[1]) && lines.column + line.len() > LINE {
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

/// Writes raw UTF-8, where it would read the same; false where it would not.
fn raw_form(
    value: &[u8],
    range: &Range<usize>,
    text: &str,
    place: Place,
    lines: &mut Lines<'_>,
    foldable: bool,
) -> bool {
    let before = range.start.checked_sub(1).map(|n| value[n]);
    let touches = before == Some(b'=') && text.starts_with('?')
        || text.ends_with('=') && value.get(range.end) == Some(&b'?');
    // White space at an edge is safe between text, not beside a fold or at the ends of the value.
    let inner = |byte: Option<u8>| byte.is_some_and(|b| !lex::is_space(b));
    let edge = text.starts_with(' ') && !inner(before)
        || text.ends_with(' ') && !inner(value.get(range.end).copied());
    if text.is_empty() || text.contains("=?") || touches || edge && place != Place::Phrase {
        return false;
    }
    let special = match place {
        Place::Text => false,
        Place::Comment => {
            if text.contains(['(', ')', '\\', '"']) {
                return false;
            }
            false
        }
        Place::Phrase => {
            edge || text.contains("  ") || text.bytes().any(|b| b.is_ascii() && b != b' ' && !is_atom(b))
        }
    };
    let mut written = Lines { out: String::new(), column: lines.column, eol: lines.eol };
    if special {
        let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        if foldable && lines.column > 1 && lines.column + quoted.len() > LINE {
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
    let longest = written.out.split(lines.eol).map(str::len).max().unwrap_or(0);
    if longest > LONG || lines.column > LONG {
        return false;
    }
    *lines = written;
    true
}

/// The column after some bytes.
fn advance(column: usize, bytes: &[u8]) -> usize {
    memchr::memrchr2(b'\r', b'\n', bytes).map_or(column + bytes.len(), |n| bytes.len() - n - 1)
}
