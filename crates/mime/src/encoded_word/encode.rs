//! Encodes text as encoded words in UTF-8 (RFC 2047, sections 2 and 5; RFC 5322, section 2.1.1).
//!
//! # Limits
//!
//! For other charsets see [`super::encode_as`]. Folds only at single spaces: of several, some readers lose those before the line
//! end, others those after it.

use super::controls::is_control;
use super::reader::MAX_WORD_BYTES;
use crate::lexer::Letter;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use unicode_segmentation::UnicodeSegmentation;

/// The encoding of an encoded word (RFC 2047, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Base64.
    B,
    /// Quoted-printable-like.
    Q,
    /// The shorter one; Q if equal.
    #[default]
    Shorter,
}

/// The place of a word. It limits the Q alphabet (RFC 2047, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Unstructured text.
    Text,
    /// Inside a comment.
    Comment,
    /// Inside a phrase.
    Phrase,
}

/// Maximum number of bytes on a line (RFC 2047, section 2).
pub(crate) const MAX_LINE_BYTES: usize = 76;
/// Maximum length of raw text without a fold in bytes (RFC 5322 2.1.1 allows 998 on a line). Longer text becomes words.
pub(crate) const MAX_RAW_BYTES: usize = 900;
/// Number of bytes that a word in UTF-8 needs besides its text.
const FRAME: usize = frame("UTF-8");

/// Returns the number of bytes that a word needs besides its text.
pub(crate) const fn frame(charset: &str) -> usize {
    "=??Q??=".len() + charset.len()
}

/// Encodes a text as encoded words in UTF-8, folded with `eol` and a space at 76 columns. Folds text that needs no word.
///
/// An empty `eol` gives one line. `column` is the number of bytes on the line before the text; without room for a word the line
/// gets longer. Controls are encoded; readers show spaces for them.
///
/// Text that needs no words stays itself at its place. In a phrase it becomes a quoted string if it has other characters than atoms
/// and spaces. A comment gets backslashes before parentheses and backslashes (RFC 5322, sections 3.2.1 to 3.2.5).
///
/// ```
/// use mailglot_mime::encoded_word::{Encoding, Place, encode};
///
/// let phrase = |text| encode(text, Place::Phrase, Encoding::Shorter, 6, "\r\n");
/// assert_eq!(phrase("Bob <bob@x.example>"), "\"Bob <bob@x.example>\"");
/// assert_eq!(phrase("John Doe"), "John Doe");
/// assert_eq!(encode("a) (b", Place::Comment, Encoding::Shorter, 6, "\r\n"), r"a\) \(b");
/// ```
pub fn encode(text: &str, place: Place, encoding: Encoding, column: usize, eol: &str) -> String {
    let mut lines = LineWriter::new(column, eol);
    let (start, end) = match span_to_encode(text, place, eol) {
        Some(span) => span,
        None if lines.without_words(text, place) => return lines.out,
        None => (0, text.len()),
    };
    lines.out.reserve(text.len() * 3);
    lines.raw(&text[..start]);
    let letter = choose_letter(&text.as_bytes()[start..end], place, encoding);
    lines.words(&text[start..end], place, letter, start > 0);
    lines.raw(&text[end..]);
    lines.out
}

/// Chooses B or Q by the length of the whole text in the charset of the words.
pub(crate) fn choose_letter(text: &[u8], place: Place, encoding: Encoding) -> Letter {
    match encoding {
        Encoding::B => Letter::B,
        Encoding::Q => Letter::Q,
        Encoding::Shorter => {
            let of = |letter| encoded_len(text, place, letter);
            if of(Letter::Q) <= of(Letter::B) {
                Letter::Q
            } else {
                Letter::B
            }
        }
    }
}

/// Returns the length of text in a word, in bytes.
pub(crate) fn encoded_len(text: &[u8], place: Place, letter: Letter) -> usize {
    match letter {
        Letter::B => text.len().div_ceil(3) * 4,
        Letter::Q => text.iter().map(|&b| q_len(b, place)).sum(),
    }
}

/// Returns the part of a text that needs words: from the first to the last such piece between spaces.
///
/// If lines are folded, a single space stands before and after it, and further spaces belong to it.
pub(crate) fn span_to_encode(text: &str, place: Place, eol: &str) -> Option<(usize, usize)> {
    let (mut start, mut end) = match span_needing_words(text, place, !eol.is_empty()) {
        None if eol.is_empty() || !has_long_stretch(text) => return None,
        None => return Some((0, text.len())),
        Some(range) => range,
    };
    if !eol.is_empty() {
        let blanks = |text: &str, rest: usize| (text.len() - rest).saturating_sub(1);
        let (before, after) = (&text[..start], &text[end..]);
        start -= blanks(before, before.trim_end_matches(' ').len());
        end += blanks(after, after.trim_start_matches(' ').len());
        if has_long_stretch(&text[..start]) || has_long_stretch(&text[end..]) {
            return Some((0, text.len()));
        }
    }
    Some((start, end))
}

/// Returns true if a piece between two single spaces has inner spaces and exceeds a line.
fn has_long_stretch(text: &str) -> bool {
    stretches(text)
        .any(|stretch| stretch.len() >= MAX_LINE_BYTES && stretch.trim_matches(' ').contains("  "))
}

/// Splits a text before each single space.
pub(crate) fn stretches(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let single = |at: usize| {
        bytes[at] == b' '
            && at > 0
            && bytes[at - 1] != b' '
            && bytes.get(at + 1).is_some_and(|&b| b != b' ')
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = (at + 1..bytes.len())
            .find(|&at| single(at))
            .unwrap_or(bytes.len());
        text.get(start..at).filter(|piece| !piece.is_empty())
    })
}

fn span_needing_words(text: &str, place: Place, folds: bool) -> Option<(usize, usize)> {
    let needs = |piece: &str| {
        !piece.is_ascii()
            || piece.contains("=?")
            || piece.contains(is_control)
            || folds && piece.len() > MAX_RAW_BYTES
    };
    let (mut range, mut at) = (None, 0);
    for piece in text.split(' ') {
        let end = at + piece.len();
        if needs(piece) {
            range = Some((range.map_or(at, |(start, _)| start), end));
        }
        at = end + 1;
    }
    if text.starts_with(' ') {
        let blanks = text.len() - text.trim_start_matches(' ').len();
        let first = text[blanks..].find(' ').map_or(text.len(), |n| blanks + n);
        range = Some((0, range.map_or(first, |(_, end)| end.max(first))));
    }
    if text.ends_with(' ') {
        let last = text.trim_end_matches(' ').rfind(' ').map_or(0, |n| n + 1);
        range = Some((range.map_or(last, |(start, _)| start.min(last)), text.len()));
    }
    let (start, end) = range?;
    let raw = |byte: u8| match place {
        Place::Text => true,
        Place::Comment => !matches!(byte, b'(' | b')' | b'\\' | b'"'),
        Place::Phrase => is_atom(byte) || byte == b' ',
    };
    let kept = [&text[..start], &text[end..]];
    // Readers collapse several spaces in a phrase (RFC 5322, section 3.2.3).
    let stays =
        |part: &str| part.bytes().all(raw) && (place != Place::Phrase || !part.contains("  "));
    if kept.into_iter().all(stays) {
        Some((start, end))
    } else {
        Some((0, text.len()))
    }
}

/// Returns true for bytes of an atom (RFC 5322, section 3.2.3).
pub(crate) fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// Returns a text as a quoted string (RFC 5322, section 3.2.4).
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Output text with its current column.
#[derive(Debug)]
pub(crate) struct LineWriter<'e> {
    /// The output so far.
    pub out: String,
    /// Number of bytes on the current line.
    pub column: usize,
    /// The line end of folds.
    pub eol: &'e str,
    /// Number of bytes that follow the words on their last line.
    pub tail: usize,
}

impl<'e> LineWriter<'e> {
    /// Starts on a line that has `column` bytes.
    pub(crate) fn new(column: usize, eol: &'e str) -> Self {
        Self {
            out: String::new(),
            column,
            eol,
            tail: 0,
        }
    }

    /// Ends the line; the next one starts with a space.
    pub(crate) fn fold(&mut self) {
        self.fold_before(" ");
    }

    /// Ends the line; the next one starts with `blanks`.
    pub(crate) fn fold_before(&mut self, blanks: &str) {
        self.out.push_str(self.eol);
        self.out.push_str(blanks);
        self.column = blanks.len();
    }

    /// Ends the line if `length` more bytes would not fit.
    pub(crate) fn begin(&mut self, length: usize) {
        if !self.eol.is_empty()
            && self.column > 1
            && self.column + length + self.tail > MAX_LINE_BYTES
        {
            self.fold();
        }
    }

    /// Appends raw text. Folds at single spaces if the line would exceed its limit.
    pub(crate) fn raw(&mut self, text: &str) {
        for piece in stretches(text) {
            let starts_with_single =
                piece.starts_with(' ') && !piece.starts_with("  ") && piece.len() > 1;
            if starts_with_single && self.column + piece.len() > MAX_LINE_BYTES && self.column > 1 {
                self.fold();
                self.push(&piece[1..]);
            } else {
                self.push(piece);
            }
        }
    }

    /// Appends ASCII text at its place: atoms or a quoted string in a phrase, escaped text in a comment. Returns false if a
    /// quoted string does not fit on the line.
    pub(super) fn without_words(&mut self, text: &str, place: Place) -> bool {
        match place {
            Place::Phrase
                if text.contains("  ") || !text.bytes().all(|b| is_atom(b) || b == b' ') =>
            {
                let string = quoted(text);
                if !self.eol.is_empty() && self.column + string.len() > MAX_LINE_BYTES {
                    return false;
                }
                self.push(&string);
            }
            Place::Comment => {
                let escaped = text.replace('\\', "\\\\");
                let escaped = escaped.replace('(', "\\(").replace(')', "\\)");
                let is_long = |piece: &str| piece.len() > MAX_RAW_BYTES;
                if !self.eol.is_empty() && escaped.split(' ').any(is_long) {
                    return false;
                }
                self.raw(&escaped);
            }
            _ => self.raw(text),
        }
        true
    }

    /// Returns the number of bytes that a word on this line may have.
    pub(super) fn room(&self) -> usize {
        let taken = self.column + self.tail.min(MAX_LINE_BYTES / 2);
        MAX_WORD_BYTES.min(MAX_LINE_BYTES.saturating_sub(taken))
    }

    /// Appends a word with a text that is encoded in the charset.
    pub(super) fn word(&mut self, charset: &str, text: &[u8], place: Place, letter: Letter) {
        let start = self.out.len();
        self.out.extend(["=?", charset]);
        match letter {
            Letter::B => {
                self.out.push_str("?B?");
                STANDARD.encode_string(text, &mut self.out);
            }
            Letter::Q => {
                self.out.push_str("?Q?");
                for &byte in text {
                    match byte {
                        b' ' => self.out.push('_'),
                        _ if q_len(byte, place) == 1 => self.out.push(char::from(byte)),
                        _ => self.out.extend(['=', digit(byte >> 4), digit(byte & 15)]),
                    }
                }
            }
        }
        self.out.push_str("?=");
        self.column += self.out.len() - start;
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.len();
    }

    /// Appends words for a whole text. With `fold`, the last byte of the output is a space that may become a fold.
    pub(crate) fn words(&mut self, text: &str, place: Place, letter: Letter, fold: bool) {
        let mut filler = WordFiller {
            lines: self,
            text: String::new(),
            ends: Vec::new(),
            length: 0,
            place,
            letter,
            fresh: true,
            fold,
        };
        if text.starts_with('\u{FEFF}') {
            // Readers drop one byte order mark at the start.
            filler.take("\u{FEFF}");
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(stretch(rest));
            rest = after;
            if part.chars().nth(1).is_none() {
                filler.add(part);
                continue;
            }
            for unit in part.graphemes(true) {
                if filler.holds_together(unit) {
                    filler.add(unit);
                } else {
                    let mut buffer = [0; 4];
                    unit.chars()
                        .for_each(|c| filler.add(c.encode_utf8(&mut buffer)));
                }
            }
        }
        filler.finish();
    }
}

/// Returns the length up to the first place where two characters certainly do not join.
fn stretch(text: &str) -> usize {
    let mut before = false;
    for (at, c) in text.char_indices() {
        let single = is_single(c);
        if before && single {
            return at;
        }
        before = single;
    }
    text.len()
}

/// Returns true if the character never joins another one of this set in a grapheme cluster (UAX 29).
fn is_single(c: char) -> bool {
    matches!(c,
        ' '..='~'
        | '\u{A0}'..='\u{2FF}'
        // Greek, Cyrillic, Armenian, Hebrew, Arabic without their marks.
        | '\u{370}'..='\u{482}'
        | '\u{48A}'..='\u{58F}'
        | '\u{5D0}'..='\u{5EA}'
        | '\u{620}'..='\u{64A}'
        // Thai without its vowel signs.
        | '\u{E01}'..='\u{E30}'
        | '\u{E3F}'..='\u{E46}'
        | '\u{1E00}'..='\u{1FFF}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205E}'
        | '\u{20A0}'..='\u{20CF}'
        | '\u{2100}'..='\u{2BFF}'
        // Punctuation, kana, ideographs, Hangul syllables, wide forms.
        | '\u{3000}'..='\u{3029}'
        | '\u{3030}'..='\u{3098}'
        | '\u{309B}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{FF01}'..='\u{FF9D}')
}

/// Fills one word after the other.
struct WordFiller<'l, 'e> {
    lines: &'l mut LineWriter<'e>,
    text: String,
    /// The ends of the grapheme clusters in `text`.
    ends: Vec<usize>,
    /// Number of bytes of the text: encoded for Q, unencoded for B.
    length: usize,
    place: Place,
    letter: Letter,
    /// True while the first word is empty.
    fresh: bool,
    /// True if the first word may start a new line.
    fold: bool,
}

impl WordFiller<'_, '_> {
    /// Returns true if a grapheme cluster fits into one word here.
    fn holds_together(&self, unit: &str) -> bool {
        let line = MAX_WORD_BYTES.min(MAX_LINE_BYTES - 1 - self.lines.tail.min(MAX_LINE_BYTES / 2))
            - FRAME;
        let room = if self.fresh && !self.fold {
            self.room()
        } else {
            line
        };
        self.encoded(if self.fresh { self.length } else { 0 } + self.cost(unit)) <= room
    }

    /// Returns the number of encoded bytes that fit on the line.
    fn room(&self) -> usize {
        self.lines.room().saturating_sub(FRAME)
    }

    /// Returns the number of bytes that `unit` adds to [`Self::length`].
    fn cost(&self, unit: &str) -> usize {
        match self.letter {
            Letter::B => unit.len(),
            Letter::Q => encoded_len(unit.as_bytes(), self.place, Letter::Q),
        }
    }

    /// Returns the number of encoded bytes for a [`Self::length`].
    fn encoded(&self, length: usize) -> usize {
        match self.letter {
            Letter::B => length.div_ceil(3) * 4,
            Letter::Q => length,
        }
    }

    fn add(&mut self, unit: &str) {
        if self.encoded(self.length + self.cost(unit)) > self.room() {
            if !self.fresh {
                let (text, ends) = self.finish_unpadded();
                self.lines.fold();
                if !text.is_empty() {
                    let mut start = 0;
                    for end in ends {
                        self.add(&text[start..end]);
                        start = end;
                    }
                    self.add(unit);
                    return;
                }
            } else if self.fold && self.lines.column > 1 {
                self.lines.out.pop();
                self.lines.fold();
            }
        }
        self.fresh = false;
        self.take(unit);
    }

    fn take(&mut self, unit: &str) {
        self.length += self.cost(unit);
        self.text.push_str(unit);
        self.ends.push(self.text.len());
    }

    /// Writes a word before others, in base64 without padding: GMime before 3.2.14 loses the word after a padded one. Returns the
    /// rest of the text with the ends of its clusters.
    ///
    /// Three-byte characters after a one-byte character never end at a multiple of three. Then some of them go into a Q word.
    fn finish_unpadded(&mut self) -> (String, Vec<usize>) {
        let len = self.text.len();
        if self.letter == Letter::Q || len.is_multiple_of(3) {
            self.finish();
            return (String::new(), Vec::new());
        }
        let aligned = self
            .ends
            .iter()
            .copied()
            .rfind(|end| end.is_multiple_of(3) && end * 2 > len);
        let room = self.room();
        let in_q = || {
            let fits = |end: &&usize| {
                encoded_len(&self.text.as_bytes()[..**end], self.place, Letter::Q) <= room
            };
            let ends = || self.ends.iter().take_while(fits).copied();
            ends()
                .filter(|end| (len - end).is_multiple_of(3))
                .last()
                .or_else(|| ends().last())
        };
        let (letter, end) = match (aligned, aligned.is_none().then(in_q).flatten()) {
            (Some(end), _) => (Letter::B, end),
            (None, Some(end)) => (Letter::Q, end),
            // No Q word can hold the grapheme cluster.
            (None, None) => (Letter::B, len),
        };
        let rest = self.text.split_off(end);
        let ends = self
            .ends
            .iter()
            .filter(|other| **other > end)
            .map(|other| other - end)
            .collect();
        let before = std::mem::replace(&mut self.letter, letter);
        self.finish();
        self.letter = before;
        (rest, ends)
    }

    /// Writes the word.
    fn finish(&mut self) {
        self.lines
            .word("UTF-8", self.text.as_bytes(), self.place, self.letter);
        self.text.clear();
        self.ends.clear();
        self.length = 0;
    }
}

fn digit(nibble: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(nibble)])
}

/// Returns the number of bytes that one byte needs in a Q word.
pub(crate) fn q_len(byte: u8, place: Place) -> usize {
    if PLAIN[usize::from(byte)] & 1 << place as u8 == 0 {
        3
    } else {
        1
    }
}

/// For each byte, a bit for each place where a Q word has it unescaped (RFC 2047, section 5) or as an underscore.
static PLAIN: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        let (text, comment, phrase) = match byte {
            b' ' | b'!' | b'*' | b'+' | b'-' | b'/' => (true, true, true),
            b'=' | b'?' | b'_' => (false, false, false),
            b'(' | b')' | b'"' | b'\\' => (true, false, false),
            _ => (true, true, byte.is_ascii_alphanumeric()),
        };
        table[byte as usize] = (text as u8) << Place::Text as u8
            | (comment as u8) << Place::Comment as u8
            | (phrase as u8) << Place::Phrase as u8;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::law_tests::read_at;
    use super::super::{HeaderContext, encode_as};
    use super::*;
    use crate::fields;
    use mailglot_codec::Charset;

    const PLACES: [Place; 3] = [Place::Text, Place::Comment, Place::Phrase];
    const ENCODINGS: [Encoding; 3] = [Encoding::B, Encoding::Q, Encoding::Shorter];

    fn clean(text: &str) -> String {
        text.chars()
            .map(|c| if is_control(c) { ' ' } else { c })
            .collect()
    }

    fn check(text: &str) {
        for place in PLACES {
            for encoding in ENCODINGS {
                for (column, eol) in [(9, "\r\n"), (0, "\n"), (60, "\n")] {
                    let words = encode(text, place, encoding, column, eol);
                    assert_eq!(read_at(&words, place), clean(text), "{words:?}");
                    if words == text {
                        continue;
                    }
                    assert!(words.is_ascii());
                    for (i, line) in words.split(eol).enumerate() {
                        let width = line.len() + if i == 0 { column } else { 0 };
                        let whole = line.trim_start().split(' ').any(|piece| piece.len() > 70);
                        assert!(
                            width <= MAX_LINE_BYTES || whole || i == 0 && column > 50,
                            "{width} {line:?}"
                        );
                        assert!(width <= 998);
                        assert!(!line.trim().is_empty());
                    }
                    for word in words
                        .split_ascii_whitespace()
                        .filter(|w| w.starts_with("=?UTF-8?"))
                    {
                        assert!(word.len() <= MAX_WORD_BYTES, "{word}");
                    }
                }
            }
        }
    }

    #[test]
    fn text_comes_back() {
        for text in [
            "",
            "plain",
            "Grüße aus Köln",
            " leading",
            "trailing ",
            "  two  ü  two  ",
            "a=?b",
            "=?utf-8?Q?a?=",
            "tab\there",
            "Re: Größe und noch viel mehr Text, der länger als eine Zeile ist und gefaltet werden muss, bis zum Ende hin",
            "👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀",
            "e\u{301}\u{302}\u{303}",
            "\u{FEFF}mark",
            "\u{FEFF}",
            "Müller, Max (Köln) \"x\" \\ <a@b>",
            " ",
            "ü ?= =?",
        ] {
            check(text);
        }
        check(&"ä".repeat(500));
        check(&"漢字 ".repeat(100));
        check(&format!("e{}", "\u{301}".repeat(300)));
        check(&format!("ü {} ü", "long".repeat(50)));
    }

    /// `Bob <evil@x.example>` as a name once forged an address.
    #[test]
    fn ascii_text_stays_within_its_phrase_or_comment() {
        let addresses = |value: &str| {
            fields::addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new())
        };
        for text in [
            "Bob <evil@x.example>",
            "Doe, John",
            "John \"J\" Doe",
            "(x)",
            "semi;colon",
            "a <b>",
            "a) (b",
            "C:\\x",
            "\"",
            "two  spaces",
            "J. Doe",
            &"Doe, ".repeat(30),
            &"x".repeat(2000),
            &"(".repeat(900),
        ] {
            for (column, eol) in [(6, "\r\n"), (6, ""), (70, "\n")] {
                let write = |place| {
                    let utf8 = encode(text, place, Encoding::Shorter, column, eol);
                    let (latin, encoding) = (Charset::ISO_8859_1, Encoding::Shorter);
                    let other = encode_as(text, latin, place, encoding, column, eol).unwrap();
                    assert!(utf8.contains("=?") || utf8 == other, "{utf8:?} {other:?}");
                    utf8
                };
                let value = format!("{} <a@b.example>", write(Place::Phrase));
                let found = addresses(&value);
                let [fields::Entry::Mailbox(mailbox)] = &found[..] else {
                    panic!("{value:?}: {found:?}");
                };
                assert_eq!(mailbox.name.as_deref(), Some(text.trim_end()), "{value:?}");
                let value = format!("a@b.example ({})", write(Place::Comment));
                let is_short = value.lines().all(|line| line.len() <= 998);
                assert!(eol.is_empty() || is_short, "{value:?}");
                let found = addresses(&value);
                assert_eq!(found.len(), 1, "{value:?}");
                assert_eq!(read_at(&write(Place::Comment), Place::Comment), text);
            }
        }
        for (text, want) in [("John Doe", "John Doe"), ("a  b", "\"a  b\""), ("", "")] {
            assert_eq!(
                encode(text, Place::Phrase, Encoding::Shorter, 6, "\n"),
                want
            );
        }
    }

    #[test]
    fn every_code_point_comes_back() {
        let mut text = String::new();
        for (i, c) in ('\0'..=char::MAX)
            .filter(|&c| c < '\u{3000}' || u32::from(c) % 61 == 0)
            .enumerate()
        {
            text.push(c);
            if i % 50 == 49 {
                check(&text);
                text.clear();
            }
        }
        check(&text);
    }

    #[test]
    fn single_characters_do_not_join() {
        // A character for each class whose members are single.
        let others = ['a', '\u{AD}', '\u{AC00}', '\u{AC01}', '\u{2764}'];
        for c in ('\0'..=char::MAX).filter(|&c| is_single(c)) {
            for other in others.into_iter().chain([c]) {
                assert!(is_single(other));
                for pair in [format!("{c}{other}"), format!("{other}{c}")] {
                    assert_eq!(pair.graphemes(true).count(), 2, "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn mixed_texts_are_cut_between_clusters() {
        for text in [
            "a\u{301}bc\u{302}",
            "\u{E01}\u{E33}\u{E01}\u{E48}x",
            "\u{1F469}\u{200D}\u{1F680}ab\u{1F1E9}\u{1F1EA}",
            "\u{2764}\u{FE0F}\u{AC00}\u{11A8}\u{AC00}",
            "\u{915}\u{94D}\u{937}x",
        ] {
            let (mut rest, mut units) = (text, Vec::new());
            while !rest.is_empty() {
                let (part, after) = rest.split_at(stretch(rest));
                units.extend(part.graphemes(true));
                rest = after;
            }
            assert_eq!(units, text.graphemes(true).collect::<Vec<_>>());
        }
        assert_eq!(stretch("ab"), 1);
        assert_eq!(stretch("a\u{301}bc"), 4);
    }

    #[test]
    fn the_shorter_form_is_taken() {
        let auto = |text| encode(text, Place::Text, Encoding::Shorter, 0, "\n");
        assert_eq!(
            auto("Prüfungsamt Jena"),
            "=?UTF-8?Q?Pr=C3=BCfungsamt?= Jena"
        );
        assert_eq!(auto("日本語"), "=?UTF-8?B?5pel5pys6Kqe?=");
        assert_eq!(auto("Re: Grüße (1)"), "Re: =?UTF-8?B?R3LDvMOfZQ==?= (1)");
        assert_eq!(
            encode("a, ü", Place::Phrase, Encoding::Q, 0, "\n"),
            "=?UTF-8?Q?a=2C_=C3=BC?="
        );
    }
}
