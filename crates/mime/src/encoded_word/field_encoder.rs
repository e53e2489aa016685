//! The value of a field, written from text: words in any charset where they may stand (RFC 2047 5), folds between (RFC 5322 2.2.3).
//!
//! ```text
//! text ── rewrite::rewrite_units ──► groups, solid pieces, blanks ──► TokenWriter: one line, or lines of 76
//! ```
//!
//! # Limits
//!
//! Addresses are never changed. Words that are in a list of addresses stay as they are where they are in UTF-8 and nothing beside them is to be
//! encoded. Folds stand at white space that is there, and at that which separates words from others. What has none is as long as it is.

use super::controls::is_control;
use super::decode::MAX_WORD_BYTES;
use super::encode::{
    LineWriter, MAX_LINE_BYTES, choose_letter, first_word, is_atom, span_to_encode, stretches,
    word_length,
};
use super::lexical_context::LexicalContext;
use super::rewrite::rewrite_units;
use super::rewrite_units::RewriteUnit;
use super::token::Letter;
use super::{
    Encoding, Form, HeaderContext, Place, Unencodable, apply, decode, encode_as, encode_legacy,
};
use crate::header::{FieldKind, field_kind};
use crate::lex;
use mailglot_codec::{Charset, smallest_sufficient};
use std::borrow::Cow;

/// Options of [`encode_field`].
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The charsets, the best first. The first that can encode the whole value is used, otherwise UTF-8.
    pub charsets: &'a [Charset],
    /// The encoding of the words.
    pub encoding: Encoding,
    /// The line end of folds. If it is empty, the value stays on one line.
    pub eol: &'a str,
}

/// Encodes the text of a whole field, of which what may be words becomes words: in a list of addresses names and comments, in `List-Id` what
/// stands before the identifier, in `Keywords` each of them, in other fields all. The first line has `name`, a colon and a space before it.
///
/// Where addresses are to stand, a text without an `@` is a group where it looks like one (`name: ;`), a name before an address in angles,
/// or else a single name: [`decode`] gives it back as it is.
pub fn encode_field(name: &str, text: &str, style: &Style<'_>) -> Result<String, Unencodable> {
    // Name, colon and space.
    let column = name.len() + 2;
    let kind = field_kind(name.as_bytes());
    match kind {
        FieldKind::Unstructured => field_text(text, Place::Text, style, column),
        FieldKind::Phrases if name.eq_ignore_ascii_case("keywords") => {
            keywords(text, style, column)
        }
        FieldKind::Structured | FieldKind::Phrases if text.contains('@') => {
            list(text, kind, style, column)
        }
        FieldKind::Structured | FieldKind::Phrases if is_group(text) || has_angles(text) => {
            match list(text, kind, style, column) {
                Ok(value) if is_quoted_group(text) || reads(&value, kind) == text => Ok(value),
                _ => phrase(text, style, column),
            }
        }
        FieldKind::Structured | FieldKind::Phrases => phrase(text, style, column),
        FieldKind::Parameters => parameters(text, style, column),
        FieldKind::Opaque if text.is_ascii() => {
            let mut lines = LineWriter::new(column, style.eol);
            lines.raw(text);
            Ok(lines.out)
        }
        FieldKind::Opaque => Err(Unencodable::Place),
    }
}

impl Style<'_> {
    /// A text that is words as a whole, or needs none.
    pub fn text(&self, text: &str, place: Place, column: usize) -> Result<String, Unencodable> {
        encode_as(
            text,
            self.charset(text),
            place,
            self.encoding,
            column,
            self.eol,
        )
    }

    /// The charset for a whole value.
    fn charset(&self, text: &str) -> Charset {
        let is_sufficient = |charset: &&Charset| {
            smallest_sufficient(text, &[**charset]).charset.is_some()
                && encode_legacy::check(**charset).is_ok()
                && encode_legacy::carries(**charset, text).is_ok()
        };
        let charset = self
            .charsets
            .iter()
            .find(is_sufficient)
            .or(self.charsets.first());
        charset.copied().unwrap_or(Charset::UTF_8)
    }
}

/// [`Style::text`] after a name, on a new line where the name leaves no room for what the text begins with.
fn field_text(
    text: &str,
    place: Place,
    style: &Style<'_>,
    column: usize,
) -> Result<String, Unencodable> {
    let need = match span_to_encode(text, place, style.eol) {
        Some((0, end)) => {
            let composer = TokenWriter::new(style, style.charset(text), column);
            composer.first_word(&text[..end], place, MAX_WORD_BYTES)
        }
        _ => stretches(text).next().map_or(0, str::len),
    };
    if style.eol.is_empty() || column + need <= MAX_LINE_BYTES {
        return style.text(text, place, column);
    }
    Ok(format!("{} {}", style.eol, style.text(text, place, 1)?))
}

/// Text is UTF-8.
fn context() -> HeaderContext<'static> {
    HeaderContext {
        raw: Some(Charset::UTF_8),
        ..HeaderContext::default()
    }
}

fn reads(value: &str, kind: FieldKind) -> Cow<'_, str> {
    decode(value.as_bytes(), kind, &context(), &mut Vec::new())
}

/// `name: …;`
fn is_group(text: &str) -> bool {
    text.trim_end_matches(' ').ends_with(';') && text.find(':').is_some_and(|at| at > 0)
}

/// `"name": …;`
fn is_quoted_group(text: &str) -> bool {
    let end = if text.starts_with('"') {
        lex::CharacterSteps::default().quoted_end(text.as_bytes(), 0)
    } else {
        None
    };
    is_group(text) && end.is_some_and(|end| text[end..].trim_start_matches(' ').starts_with(':'))
}

/// `name <address>`
fn has_angles(text: &str) -> bool {
    let Some((name, address)) = text.trim_end_matches(' ').rsplit_once(" <") else {
        return false;
    };
    let Some(address) = address.strip_suffix('>') else {
        return false;
    };
    !name.contains(['<', '>', '"', '\\', '(']) && address.bytes().all(|b| is_atom(b) || b == b'.')
}

/// A value with parameters: those that need it in the extended form.
fn parameters(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let kind = FieldKind::Parameters;
    let (value, eol) = (text.as_bytes(), style.eol.as_bytes());
    let changes = super::rewrite(
        value,
        kind,
        Form::Words,
        &context(),
        column,
        eol,
        &mut Vec::new(),
    );
    let written = String::from_utf8_lossy(&apply(value, &changes)).into_owned();
    if written.is_ascii() && reads(&written, kind) == reads(text, kind) {
        Ok(written)
    } else {
        Err(Unencodable::Place)
    }
}

/// A single name: atoms, a quoted string, or words.
fn phrase(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_atom);
    if text.is_empty()
        || text.split(' ').all(is_word) && span_to_encode(text, Place::Phrase, style.eol).is_none()
    {
        return field_text(text, Place::Phrase, style, column);
    }
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) && !text.contains("=?") {
        let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let is_long = !style.eol.is_empty() && quoted.len() >= MAX_LINE_BYTES;
        if !is_long && reads(&quoted, FieldKind::Structured) == text {
            let mut lines = LineWriter::new(column, style.eol);
            lines.begin(quoted.len());
            lines.push(&quoted);
            return Ok(lines.out);
        }
        return TokenWriter::new(style, style.charset(text), column)
            .write(&[FieldToken::Words(Cow::Borrowed(text), Place::Phrase)]);
    }
    field_text(text, Place::Phrase, style, column)
}

/// Phrases between commas (RFC 5322 3.6.5).
fn keywords(text: &str, style: &Style<'_>, column: usize) -> Result<String, Unencodable> {
    let mut tokens = Vec::new();
    let mut rest = text;
    // A quote or a parenthesis stands without its partner, and so may others.
    let mut open = false;
    while !rest.is_empty() {
        let end = if open { None } else { element_end(rest) };
        open |= end.is_none();
        let end = end.unwrap_or_else(|| rest.find(',').unwrap_or(rest.len()));
        let body = rest[..end].trim_matches([' ', '\t']);
        let start = rest[..end].len() - rest[..end].trim_start_matches([' ', '\t']).len();
        push_blank(&mut tokens, &rest[..start]);
        let is_raw = body.bytes().all(|b| matches!(b, b' '..=b'~')) && !body.contains("=?");
        if !body.is_empty() && is_raw {
            push_solid(&mut tokens, body);
        } else if !body.is_empty() {
            tokens.push(FieldToken::Words(unquoted(body).into(), Place::Phrase));
        }
        push_blank(&mut tokens, &rest[start + body.len()..end]);
        let comma = rest[end..].starts_with(',');
        if comma {
            push_solid(&mut tokens, ",");
            if !style.eol.is_empty() {
                tokens.push(FieldToken::Blank("".into()));
            }
        }
        rest = &rest[end + usize::from(comma)..];
    }
    TokenWriter::new(style, style.charset(text), column).write(&tokens)
}

/// Where a comma stands outside quotes and comments, or the end; None where one of these has no end.
fn element_end(text: &str) -> Option<usize> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let (mut quoted, mut depth) = (false, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted || depth > 0 => at += 1,
            b'"' if depth == 0 => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted && depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    (!quoted && depth == 0).then_some(text.len())
}

/// A phrase without the quotes of its strings.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let Some(end) = lex::CharacterSteps::default().quoted_end(rest.as_bytes(), at) else {
            break;
        };
        out.push_str(&rest[..at]);
        unescape(&rest[at + 1..end - 1], &mut out);
        rest = &rest[end..];
    }
    out + rest
}

fn unescape(text: &str, out: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
}

/// Addresses, groups, names, comments.
fn list(
    text: &str,
    kind: FieldKind,
    style: &Style<'_>,
    column: usize,
) -> Result<String, Unencodable> {
    let raw = text.as_bytes();
    let (decoded, rewrite_units) =
        rewrite_units(raw, kind, Form::Words, &context(), &mut Vec::new());
    let tokens = tokens(text, &rewrite_units, !style.eol.is_empty())?;
    let has_words = tokens
        .iter()
        .any(|token| matches!(token, FieldToken::Words(..)));
    if has_words && lex::swallows_address(raw) {
        return Err(Unencodable::Place);
    }
    let written = TokenWriter::new(style, style.charset(&decoded), column).write(&tokens)?;
    if !written.is_ascii() {
        return Err(Unencodable::Place);
    }
    let solid = |text: &str| text.split_ascii_whitespace().collect::<String>();
    if has_words && solid(&reads(&written, kind)) != solid(&decoded) {
        return Err(Unencodable::Place);
    }
    Ok(written)
}

/// What a value is made of.
#[derive(Debug)]
enum FieldToken<'a> {
    /// White space; if empty, a place where a fold may add some.
    Blank(Cow<'a, str>),
    /// What is written as it is, without a fold.
    Solid(String),
    /// What becomes words.
    Words(Cow<'a, str>, Place),
}

fn push_blank<'a>(tokens: &mut Vec<FieldToken<'a>>, blanks: &'a str) {
    match tokens.last_mut() {
        _ if blanks.is_empty() => {}
        Some(FieldToken::Blank(before)) => before.to_mut().push_str(blanks),
        _ => tokens.push(FieldToken::Blank(blanks.into())),
    }
}

fn push_solid(tokens: &mut Vec<FieldToken<'_>>, text: &str) {
    match tokens.last_mut() {
        Some(FieldToken::Solid(solid)) => solid.push_str(text),
        _ => tokens.push(FieldToken::Solid(text.to_owned())),
    }
}

/// Raw text that may be folded at its white space.
fn push_raw<'a>(tokens: &mut Vec<FieldToken<'a>>, text: &'a str) {
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

fn is_phrase(lexical: LexicalContext) -> bool {
    matches!(lexical, LexicalContext::Phrase | LexicalContext::Quoted)
}

/// A list in tokens: atoms that need words, with what touches them, and with those that are words already where only white space is between.
fn tokens<'a>(
    text: &'a str,
    rewrite_units: &[RewriteUnit],
    folds: bool,
) -> Result<Vec<FieldToken<'a>>, Unencodable> {
    let raw = |atom: &RewriteUnit| &text[atom.range.clone()];
    // White space, an address or a delimiter stands between the phrases and texts of comments.
    let joins = |atom: &RewriteUnit| {
        let delimiters = if is_phrase(atom.lexical) {
            "(),:;<>\""
        } else {
            "()"
        };
        let single = || atom.range.len() == 1 && delimiters.contains(raw(atom));
        atom.lexical != LexicalContext::Address
            && !atom.state.space
            && (atom.lexical == LexicalContext::Quoted || !single())
    };
    let needs = |atom: &RewriteUnit| {
        atom.state.wants_words()
            || raw(atom).contains(is_control) && !atom.state.space
            || folds && atom.lexical == LexicalContext::Quoted && atom.range.len() >= MAX_LINE_BYTES
    };
    let mut is_group_member = vec![false; rewrite_units.len()];
    let mut wanted = vec![false; rewrite_units.len()];
    let mut at = 0;
    while at < rewrite_units.len() {
        let start = at;
        at += 1;
        if !joins(&rewrite_units[start]) {
            if rewrite_units[start].lexical == LexicalContext::Address
                && raw(&rewrite_units[start]).contains(is_raw_control)
            {
                return Err(Unencodable::Place);
            }
            continue;
        }
        while at < rewrite_units.len()
            && joins(&rewrite_units[at])
            && is_phrase(rewrite_units[at].lexical) == is_phrase(rewrite_units[start].lexical)
        {
            at += 1;
        }
        let needed = rewrite_units[start..at].iter().any(needs);
        for i in start..at {
            is_group_member[i] = needed || rewrite_units[i].state.is_group_member();
            wanted[i] = needed;
        }
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < rewrite_units.len() {
        let atom = &rewrite_units[at];
        if !is_group_member[at] {
            match atom.lexical {
                _ if atom.state.space => push_blank(&mut out, raw(atom)),
                LexicalContext::Address | LexicalContext::Quoted => push_solid(&mut out, raw(atom)),
                _ => push_raw(&mut out, raw(atom)),
            }
            if folds && atom.lexical == LexicalContext::Phrase && raw(atom) == "," {
                out.push(FieldToken::Blank("".into()));
            }
            at += 1;
            continue;
        }
        let mut last = at;
        loop {
            if is_group_member.get(last + 1) == Some(&true) {
                last += 1;
            } else if rewrite_units.get(last + 1).is_some_and(|a| a.state.space)
                && is_group_member.get(last + 2) == Some(&true)
            {
                last += 2;
            } else {
                break;
            }
        }
        if wanted[at..=last].contains(&true) {
            let place = if is_phrase(atom.lexical) {
                Place::Phrase
            } else {
                Place::Comment
            };
            let words: String = rewrite_units[at..=last]
                .iter()
                .map(|atom| meaning(atom, raw(atom)))
                .collect();
            out.push(FieldToken::Words(words.into(), place));
        } else {
            push_raw(
                &mut out,
                &text[atom.range.start..rewrite_units[last].range.end],
            );
        }
        at = last + 1;
    }
    Ok(out)
}

fn is_raw_control(c: char) -> bool {
    is_control(c) && !matches!(c, '\t' | '\r' | '\n')
}

/// What an atom says: with its controls, where it has no words.
fn meaning<'a>(atom: &'a RewriteUnit, raw: &'a str) -> Cow<'a, str> {
    let reads_otherwise = atom.state.words || lex::has_raw_iso2022jp(raw.as_bytes());
    match atom.lexical {
        _ if reads_otherwise => atom.text.as_str().into(),
        LexicalContext::Quoted => {
            let mut text = String::new();
            unescape(&raw[1..raw.len() - 1], &mut text);
            text.into()
        }
        _ => raw.into(),
    }
}

/// Writes tokens into lines.
struct TokenWriter<'s> {
    lines: LineWriter<'s>,
    encoding: Encoding,
    charset: Charset,
}

impl<'s> TokenWriter<'s> {
    fn new(style: &Style<'s>, charset: Charset, column: usize) -> Self {
        Self {
            lines: LineWriter::new(column, style.eol),
            encoding: style.encoding,
            charset,
        }
    }

    fn write(mut self, tokens: &[FieldToken<'_>]) -> Result<String, Unencodable> {
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
                        // A fold is one space for some readers.
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

    /// White space before `need` bytes, or a fold in its place.
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

    /// Bytes of the words for a text with what follows them, where one line holds them; else those of the first word.
    fn first(&self, text: &str, place: Place, tail: usize) -> usize {
        let most = MAX_WORD_BYTES - tail.min(MAX_LINE_BYTES / 2);
        let whole = match self.letter(text, place) {
            Ok(letter) => word_length(text, place, letter),
            Err(b) => encode_legacy::word_length(text, self.charset, place, b),
        };
        tail + if whole <= most {
            whole
        } else {
            self.first_word(text, place, most)
        }
    }

    /// Bytes of a word that begins a text.
    fn first_word(&self, text: &str, place: Place, most: usize) -> usize {
        match self.letter(text, place) {
            Ok(letter) => first_word(text, place, letter, most),
            Err(b) => encode_legacy::first_word(text, self.charset, place, b, most),
        }
    }

    /// The letter in UTF-8, or whether it is B in another charset.
    fn letter(&self, text: &str, place: Place) -> Result<Letter, bool> {
        if self.charset == Charset::UTF_8 {
            return Ok(choose_letter(text, place, self.encoding));
        }
        Err(encode_legacy::is_b(
            self.charset,
            text,
            place,
            self.encoding,
        ))
    }

    fn words(&mut self, text: &str, place: Place) {
        match self.letter(text, place) {
            Ok(letter) => self.lines.words(text, place, letter, false),
            Err(b) => {
                encode_legacy::write_words(&mut self.lines, text, self.charset, place, b, false);
            }
        }
    }
}

/// Bytes that touch the words before them.
fn tail(token: Option<&FieldToken<'_>>) -> usize {
    match token {
        Some(FieldToken::Solid(text)) if text.starts_with([',', ';', ':', ')', '>']) => text.len(),
        _ => 0,
    }
}

/// Whether white space between two pieces says nothing, however much it is.
fn is_free(before: Option<&FieldToken<'_>>, after: Option<&str>) -> bool {
    let ends = matches!(before, Some(FieldToken::Solid(text)) if text.ends_with([',', ';', ':', '>', ')']));
    ends || after.is_some_and(|text| text.starts_with(['<', '(']) || text.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Entry, addresses};
    use crate::linear::assert_linear;
    use crate::random::Random;

    const PLAIN: Style<'_> = Style {
        charsets: &[Charset::UTF_8],
        encoding: Encoding::Shorter,
        eol: "",
    };

    fn charset(name: &str) -> Charset {
        Charset::for_name(name).expect("a charset of ours")
    }

    /// Calls `work` with all styles.
    fn styles(work: impl Fn(&Style<'_>)) {
        for charsets in [
            &[Charset::UTF_8][..],
            &[Charset::ISO_2022_JP, Charset::UTF_8],
            &[charset("KOI8-R"), Charset::UTF_8],
        ] {
            for encoding in [Encoding::Shorter, Encoding::B, Encoding::Q] {
                for eol in ["", "\n", "\r\n"] {
                    work(&Style {
                        charsets,
                        encoding,
                        eol,
                    });
                }
            }
        }
    }

    /// Words have their length and lines theirs, and none ends in white space.
    fn check_lines(name: &str, value: &str, style: &Style<'_>) {
        assert!(value.is_ascii(), "{value}");
        let words = value
            .split([' ', '(', ')', '\n', '\r', ','])
            .filter(|word| word.starts_with("=?"));
        words.for_each(|word| assert!(word.len() <= MAX_WORD_BYTES, "{word} in {value}"));
        if style.eol.is_empty() {
            assert!(!value.contains('\n'));
            return;
        }
        for (at, line) in format!("{name}: {value}").split(style.eol).enumerate() {
            assert!(line.len() <= MAX_LINE_BYTES, "{} in {value}", line.len());
            assert!(
                at == 0 || line.starts_with(' ') && !line.trim().is_empty(),
                "{value:?}"
            );
            assert!(
                at == 0 && line.len() <= name.len() + 2 || line.trim_end() == line,
                "{value:?}"
            );
        }
    }

    fn entries(value: &str) -> Vec<(Option<String>, String, Vec<String>)> {
        let mut out = Vec::new();
        let mut add = |one: crate::fields::Mailbox| out.push((one.name, one.address, one.comments));
        for entry in addresses(value.as_bytes(), &context(), &mut Vec::new()) {
            match entry {
                Entry::Mailbox(one) => add(one),
                Entry::Group { name, list } => {
                    list.into_iter().for_each(&mut add);
                    add(crate::fields::Mailbox {
                        name: Some(name),
                        address: String::new(),
                        comments: Vec::new(),
                        at: 0..0,
                    });
                }
            }
        }
        out
    }

    const NAMES: [&str; 14] = [
        "Jörg",
        "Max",
        "日本",
        "太郎",
        "Привет",
        "Müller-Lüdenscheidt",
        "👩‍🚀",
        "e\u{301}x",
        "שלום",
        "สวัสดี",
        "O'Neill",
        "한국어",
        "ﾃｽﾄ",
        "नमस्ते",
    ];

    fn names(random: &mut Random, most: usize) -> String {
        (0..=random.below(most))
            .map(|_| *random.pick(&NAMES))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn mailbox(random: &mut Random) -> String {
        let address = format!(
            "{}@{}.example",
            "ab".repeat(1 + random.below(12)),
            "x".repeat(1 + random.below(9))
        );
        match random.below(6) {
            0 => address,
            1 => format!("{address} ({})", names(random, 5)),
            2 => format!(
                "{address} ({} \"q\" (x {}))",
                names(random, 1),
                names(random, 1)
            ),
            3 => format!(
                "\"{}, \\\"{}\" <{address}>",
                names(random, 3),
                names(random, 9)
            ),
            4 => format!("\"plain, {}\" <{address}>", random.below(99)),
            _ => format!("{} <{address}>", names(random, 6)),
        }
    }

    #[test]
    fn lists_keep_their_addresses_and_names() {
        let mut random = Random(7);
        for _ in 0..400 {
            let list: Vec<String> = (0..=random.below(6))
                .map(|_| {
                    if random.below(6) > 0 {
                        return mailbox(&mut random);
                    }
                    let (name, one, two) = (
                        names(&mut random, 2),
                        mailbox(&mut random),
                        mailbox(&mut random),
                    );
                    format!("{name}: {one}, {two};")
                })
                .collect();
            let text = list.join(*random.pick(&[", ", ",", ",  "]));
            if !text.contains('@') {
                continue;
            }
            styles(|style| {
                let value = encode_field("To", &text, style).expect("phrases and comments");
                check_lines("To", &value, style);
                assert_eq!(entries(&value), entries(&text), "{text}\n{value}");
            });
        }
    }

    #[test]
    fn texts_and_names_come_back() {
        let pieces = [
            "Jörg",
            "Max",
            "日本",
            "👩‍🚀",
            "e\u{301}",
            "=?",
            "?=",
            "=?utf-8?Q?a?=",
            " ",
            " ",
            " ",
            "  ",
            "   ",
            "\u{FEFF}",
            ",",
            "\"",
            "\\",
            "(",
            ")",
            "<",
            ">",
            ".",
            ";",
            ":",
            "]",
            "Привет",
            "a-very-long-atom-of-ASCII",
            "x",
            "1",
        ];
        let mut random = Random(11);
        for _ in 0..1_500 {
            let text: String = (0..=random.below(24))
                .map(|_| *random.pick(&pieces))
                .collect();
            if text.len() > 60 && !text.contains(' ') && text.is_ascii() {
                continue;
            }
            styles(|style| {
                for name in [
                    "Subject",
                    "From",
                    "X-A-Name-That-Leaves-Less-Room-Than-A-Word-With-A-Cluster-Needs",
                ] {
                    let value = encode_field(name, &text, style).expect("text");
                    let kind = field_kind(name.as_bytes());
                    if kind == FieldKind::Structured && is_quoted_group(&text) {
                        continue;
                    }
                    let body = value
                        .strip_prefix(&format!("{} ", style.eol))
                        .unwrap_or(&value);
                    let body = if style.eol.is_empty() { &value } else { body };
                    assert_eq!(reads(body, kind), text, "{name}: {value:?}");
                    let is_atom_too_long = text
                        .split(' ')
                        .any(|atom| atom.is_ascii() && atom.len() > 40);
                    if !is_atom_too_long {
                        check_lines(name, &value, style);
                    }
                }
            });
        }
    }

    #[test]
    fn syntax_stays_out_of_words() {
        let eol = "\n";
        for (name, text, eol, want) in [
            (
                "List-Id",
                "Grüne <l.x.de>",
                "",
                "=?UTF-8?B?R3LDvG5l?= <l.x.de>",
            ),
            (
                "List-Id",
                "Fußball@Schule <l.x.de>",
                "",
                "=?UTF-8?B?RnXDn2JhbGxAU2NodWxl?= <l.x.de>",
            ),
            ("Keywords", "grün, blau", "", "=?UTF-8?B?Z3LDvG4=?=, blau"),
            ("Keywords", "ü@x", "", "=?UTF-8?B?w7xAeA==?="),
            (
                "Keywords",
                "\"a, ü\",\"b, c\"",
                "",
                "=?UTF-8?B?YSwgw7w=?=,\"b, c\"",
            ),
            ("To", "ü: ;", "", "=?UTF-8?B?w7w=?=: ;"),
            ("To", "\"ü, x\": ;", "", "=?UTF-8?B?w7wsIHg=?=: ;"),
            ("To", "ü <root>", "", "=?UTF-8?B?w7w=?= <root>"),
            ("To", "Smith, John", "", "\"Smith, John\""),
            ("To", "John \"Jack\" Doe", "", "\"John \\\"Jack\\\" Doe\""),
            ("To", "John Doe", "", "John Doe"),
            (
                "To",
                "undisclosed-recipients:;",
                "",
                "undisclosed-recipients:;",
            ),
            (
                "To",
                "\"ü\"<a@b>,ö<c@d>",
                "",
                "=?UTF-8?B?w7w=?= <a@b>, =?UTF-8?B?w7Y=?= <c@d>",
            ),
            ("To", "Jo\u{1}hn <a@b.c>", "", "=?UTF-8?Q?Jo=01hn?= <a@b.c>"),
            (
                "To",
                "ривет M?= Ole.org>, \"von@home\" <max.m@example.org>",
                "",
                "=?UTF-8?B?0YDQuNCy0LXRgg==?= M?= Ole.org>, \"von@home\" <max.m@example.org>",
            ),
            (
                "Subject",
                "Hello there, this is a text that is to be read before the fold    grün",
                eol,
                "Hello there, this is a text that is to be read before the fold\n =?UTF-8?Q?___gr=C3=BCn?=",
            ),
        ] {
            assert_eq!(
                encode_field(name, text, &Style { eol, ..PLAIN }).as_deref(),
                Ok(want),
                "{name}: {text}"
            );
        }
        for (name, text) in [
            ("From", "jörg@example.org"),
            ("To", "x <a@exämple.org>"),
            ("To", "a\u{1}@b"),
            ("Message-ID", "<ü@x>"),
        ] {
            assert_eq!(
                encode_field(name, text, &PLAIN),
                Err(Unencodable::Place),
                "{text}"
            );
        }
    }

    #[test]
    fn long_values_have_short_lines() {
        let style = Style { eol: "\n", ..PLAIN };
        for (name, unit) in [
            ("To", "Jorg <a@b.c>, "),
            ("To", "Jorg <a@b.c>,"),
            ("Subject", "word "),
            ("Subject", "two  blanks  "),
            ("Keywords", "ü, b,c,"),
            ("From", "name.x "),
            ("References", "<a@b.example> "),
        ] {
            let text = unit.repeat(300);
            for text in [text.trim_end(), &format!("ü {}", text.trim_end())] {
                if name != "References" || text.is_ascii() {
                    check_lines(
                        name,
                        &encode_field(name, text, &style).expect("encodable"),
                        &style,
                    );
                }
            }
        }
    }

    #[test]
    fn charsets_that_are_none_for_words_are_refused() {
        for name in [
            "IBM930",
            "SCSU",
            "BOCU-1",
            "IBM037",
            "UTF-EBCDIC",
            "UTF-7",
            "UTF-16",
        ] {
            let charset = charset(name);
            for text in ["ü", "plain"] {
                let style = Style {
                    charsets: &[charset],
                    ..PLAIN
                };
                assert_eq!(
                    style.text(text, Place::Text, 0),
                    Err(Unencodable::Charset(charset)),
                    "{name}"
                );
            }
        }
        for name in [
            "ISO-2022-KR",
            "ISO-2022-JP",
            "Shift_JIS",
            "GB18030",
            "KOI8-R",
        ] {
            assert_eq!(encode_legacy::check(charset(name)), Ok(()), "{name}");
        }
    }

    #[test]
    fn values_take_linear_time() {
        for (name, unit) in [
            ("To", "ü <a@b>, "),
            ("To", "a@b (ü), "),
            ("To", "(ü"),
            ("To", "ü\"@"),
            ("Keywords", "(ü, "),
            ("Keywords", "\"ü\\, "),
            ("To", "ü:"),
            ("From", ".ü  "),
            ("Subject", "a  "),
        ] {
            for eol in ["", "\n"] {
                let style = Style {
                    encoding: Encoding::B,
                    eol,
                    ..PLAIN
                };
                assert_linear(&(name, unit), 100_000, |n| {
                    let _ = encode_field(name, &unit.repeat(n), &style);
                });
            }
        }
    }
}
