//! Writes the tokens of a field value into lines.

use super::field_token::FieldToken;
use super::style::Style;
use crate::encoded_word::{
    Encoding, LineWriter, MAX_LINE_BYTES, MAX_WORD_BYTES, Place, Unencodable, encode_legacy,
};
use crate::lexer::Letter;
use mailglot_codec::Charset;

/// Writes tokens into lines.
pub(super) struct TokenWriter<'s> {
    lines: LineWriter<'s>,
    encoding: Encoding,
    charset: Charset,
}

impl<'s> TokenWriter<'s> {
    pub(super) fn new(style: &Style<'s>, charset: Charset, column: usize) -> Self {
        Self {
            lines: LineWriter::new(column, style.eol),
            encoding: style.encoding,
            charset,
        }
    }

    pub(super) fn write(mut self, tokens: &[FieldToken<'_>]) -> Result<String, Unencodable> {
        encode_legacy::check(self.charset)?;
        let mut blanks: &str = "";
        for (at, token) in tokens.iter().enumerate() {
            let soft = at > 0 && matches!(tokens[at - 1], FieldToken::Blank(_));
            let before = tokens[..at]
                .iter()
                .rev()
                .find(|token| !matches!(token, FieldToken::Blank(_)));
            match token {
                FieldToken::Blank(text) => {
                    blanks = text;
                    continue;
                }
                FieldToken::Solid(text) => {
                    let first = text.as_bytes().first();
                    let after_words = matches!(before, Some(FieldToken::Words(_, Place::Phrase)));
                    if blanks.is_empty()
                        && after_words
                        && !matches!(first, Some(b',' | b';' | b':' | b')' | b'>'))
                    {
                        blanks = " ";
                    }
                    let next = match tokens.get(at + 1) {
                        Some(FieldToken::Words(words, Place::Comment)) => {
                            self.first(words, Place::Comment, tail(tokens.get(at + 2)))
                        }
                        _ => 0,
                    };
                    self.separate(blanks, soft, text.len() + next, is_free(before, Some(text)));
                    self.lines.push(text);
                }
                FieldToken::Words(text, place) => {
                    encode_legacy::carries(self.charset, text).map_err(|at| {
                        Unencodable::Character {
                            charset: self.charset,
                            at,
                        }
                    })?;
                    if blanks.is_empty() && *place == Place::Phrase && before.is_some() {
                        blanks = " ";
                    }
                    self.lines.tail = tail(tokens.get(at + 1));
                    let need = self.first(text, *place, self.lines.tail);
                    if blanks.len() > 1
                        && !is_free(before, None)
                        && self.lines.column + blanks.len() + need > MAX_LINE_BYTES
                    {
                        // Some readers reduce a fold to one space.
                        let text = format!("{}{text}", &blanks[1..]);
                        self.separate(" ", soft, need + blanks.len(), true);
                        self.words(&text, *place);
                    } else {
                        self.separate(blanks, soft, need, true);
                        self.words(text, *place);
                    }
                    self.lines.tail = 0;
                }
            }
            blanks = "";
        }
        self.lines.push(blanks);
        Ok(self.lines.out)
    }

    /// Writes white space before a token of `need` bytes, or a fold instead.
    fn separate(&mut self, blanks: &str, soft: bool, need: usize, free: bool) {
        let fits = self.lines.column + blanks.len() + need <= MAX_LINE_BYTES;
        if self.lines.out.is_empty() && blanks.is_empty() {
            self.lines.begin(need);
        } else if fits || self.lines.column <= 1 || blanks.len() > 1 && !free {
            self.lines.push(blanks);
        } else if !blanks.is_empty() {
            self.lines.fold_before(blanks);
        } else if soft {
            self.lines.fold();
        }
    }

    /// Returns the length of a single word for a text and the `tail` after it, or of the first word if one is not enough.
    fn first(&self, text: &str, place: Place, tail: usize) -> usize {
        let most = MAX_WORD_BYTES - tail.min(MAX_LINE_BYTES / 2);
        let letter = self.letter(text, place);
        let whole = encode_legacy::word_length(text, self.charset, place, letter);
        tail + if whole <= most {
            whole
        } else {
            self.first_word(text, place, most)
        }
    }

    /// Returns the length of the first word of a text in bytes.
    pub(super) fn first_word(&self, text: &str, place: Place, most: usize) -> usize {
        let letter = self.letter(text, place);
        encode_legacy::first_word(text, self.charset, place, letter, most)
    }

    /// Chooses B or Q for a text.
    fn letter(&self, text: &str, place: Place) -> Letter {
        encode_legacy::letter(self.charset, text, place, self.encoding)
    }

    fn words(&mut self, text: &str, place: Place) {
        let letter = self.letter(text, place);
        encode_legacy::write_words(&mut self.lines, text, self.charset, place, letter, false);
    }
}

/// Returns the number of bytes that must follow words on the same line.
fn tail(token: Option<&FieldToken<'_>>) -> usize {
    match token {
        Some(FieldToken::Solid(text)) if text.starts_with([',', ';', ':', ')', '>']) => text.len(),
        _ => 0,
    }
}

/// Returns true if the amount of white space between two tokens has no meaning.
fn is_free(before: Option<&FieldToken<'_>>, after: Option<&str>) -> bool {
    let ends = matches!(before, Some(FieldToken::Solid(text)) if text.ends_with([',', ';', ':', '>', ')']));
    ends || after.is_some_and(|text| text.starts_with(['<', '(']) || text.contains('@'))
}
