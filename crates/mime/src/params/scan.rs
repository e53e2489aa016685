//! Reads the main value and the parameters of a field as written, and records tolerated syntax errors.

use super::param::RawParam;
use crate::encoded_word::{self, HeaderContext};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{
    self, ParameterLexer, ParameterSpan, ParameterToken, TrailBackslash, ValueKind, is_file_name,
    may_begin_shift, raw_shift_length,
};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of parameters and segments that are read from a field.
pub(super) const LIMIT: usize = 11_000;

/// Maximum number of findings per field. Further findings of a kind are only counted.
const NOTES: usize = 100;

/// Splits a value into its main value, without comments and white space, and its parameters as written (RFC 2045, section 5.1).
pub fn scan(value: &[u8]) -> (Cow<'_, [u8]>, Vec<RawParam<'_>>) {
    let (main, items) = Scanner::new(value);
    (main, items.take(LIMIT).map(|item| item.raw).collect())
}

/// A parameter with its position.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    /// The parameter for the caller.
    pub raw: RawParam<'a>,
    /// Range of the name.
    pub name: Range<usize>,
    /// True for a quoted string.
    pub quoted: bool,
    /// True for several quoted strings of encoded words.
    pub is_joined: bool,
    /// True if a semicolon precedes it.
    pub has_semicolon: bool,
}

/// A numbered segment of a value: `name*3`, or `name*3*` if it is percent-encoded.
#[derive(Clone, Debug)]
pub(super) struct ValueSegment<'a> {
    pub number: u32,
    pub is_encoded: bool,
    pub item: Item<'a>,
}

impl ValueSegment<'_> {
    /// Returns the value as written, without quotes.
    pub(super) fn value(&self) -> &[u8] {
        &self.item.raw.value
    }
}

/// Reads the tokens of a field value, and records syntax errors.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    value: &'a [u8],
    tokens: ParameterLexer<'a>,
    /// True if a semicolon precedes the next parameter.
    semicolon: bool,
    /// The evidence of the message; None if the caller does not decode values.
    context: Option<HeaderContext<'a>>,
    /// Syntax errors that were tolerated so far.
    pub(super) tolerated: Vec<Finding>,
}

impl<'a> Scanner<'a> {
    /// Reads the main value. [`Scanner::next`] reads the parameters.
    pub(super) fn new(value: &'a [u8]) -> (Cow<'a, [u8]>, Self) {
        let mut scanner = Self {
            value,
            tokens: ParameterLexer::new(value),
            semicolon: false,
            context: None,
            tolerated: Vec::new(),
        };
        let (main, junk) = scanner.tokens.main();
        scanner.note_junk(junk);
        (main, scanner)
    }

    /// Sets the context, whose charset decides which backslashes after non-ASCII bytes are trail bytes.
    pub(super) fn within(self, context: &HeaderContext<'a>) -> Self {
        Self {
            context: Some(*context),
            ..self
        }
    }

    /// Records a syntax error and how it was read.
    fn tolerate(&mut self, at: Range<usize>, kind: EventKind, detail: impl Into<Detail>) {
        if self.tolerated.len() >= NOTES
            && let Some(last) = self.tolerated.iter_mut().rfind(|f| f.kind == kind)
        {
            last.count += 1;
            return;
        }
        self.tolerated.add(at, kind, detail);
    }

    /// Reports the unread rest of a field with too many parameters.
    pub(super) fn note_rest(&mut self) {
        let rest = lexer::skip_space(self.value, self.tokens.offset())..self.value.len();
        if !rest.is_empty() && self.value[rest.clone()].iter().any(|&b| b != b';') {
            self.tolerated
                .add(rest, EventKind::HdrBeyondLimit, Reason::ParameterLimit);
        }
    }

    fn note_junk(&mut self, junk: Range<usize>) {
        if !junk.is_empty() {
            self.tolerate(junk, EventKind::ParamJunk, Reason::Skipped);
        }
    }

    /// Removes quotes and folds from a parameter, and records its syntax errors.
    fn item(&mut self, span: &ParameterSpan) -> Item<'a> {
        let (name, range) = (span.name.clone(), span.value.clone());
        let text = &self.value[span.inside()];
        if let Some(end) = span.blank {
            self.tolerate(name.start..end, EventKind::ParamBlank, Detail::None);
        }
        if span.kind == ValueKind::Unclosed {
            self.tolerate(
                range.clone(),
                EventKind::ParamUnclosedQuote,
                Reason::UpToEnd,
            );
        }
        if span.kind == ValueKind::DoublyQuoted {
            self.tolerate(range.clone(), EventKind::ParamJunk, Reason::DoubledQuotes);
        }
        if span.kind == ValueKind::QuotedWords {
            self.tolerate(range.clone(), EventKind::ParamJunk, Reason::JoinedStrings);
        }
        self.note_junk(span.junk.clone());
        let quoted = span.kind != ValueKind::Unquoted;
        if quoted {
            self.note_tabs(span.inside().start, text);
        }
        let has = |test: fn(u8) -> bool| text.iter().any(|&b| test(b));
        let error = if span.is_strict {
            None
        } else if quoted {
            is_path(text).then_some((EventKind::ParamBackslash, Reason::BackslashKept))
        } else if text.is_empty() {
            Some((EventKind::ParamNoValue, Reason::EmptyValue))
        } else if has(lexer::is_space) {
            Some((EventKind::ParamUnquoted, Reason::UnquotedSpace))
        } else {
            let reason = Reason::UnquotedSpecials;
            has(lexer::is_tspecial).then_some((EventKind::ParamUnquoted, reason))
        };
        if let Some((kind, reason)) = error {
            let is_empty = kind == EventKind::ParamNoValue;
            let at = if is_empty { &name } else { &range };
            self.tolerate(at.clone(), kind, reason);
        }
        let value = if span.is_strict {
            Cow::Borrowed(text)
        } else if span.kind == ValueKind::QuotedWords {
            join_words(text)
        } else if quoted {
            self.unquote(text)
        } else {
            unfold(text)
        };
        Item {
            raw: RawParam {
                name: &self.value[name.clone()],
                range,
                value,
            },
            name,
            quoted,
            is_joined: span.kind == ValueKind::QuotedWords,
            has_semicolon: false,
        }
    }

    /// Reports tabs in a quoted string that are neither part of a fold nor between encoded words. Each is read as a space.
    fn note_tabs(&mut self, start: usize, inside: &[u8]) {
        let (mut at, mut count, mut first) = (0, 0, None);
        while let Some(found) = inside
            .get(at..)
            .and_then(|rest| memchr::memchr(b'\t', rest))
        {
            let tab = at + found;
            let end = lexer::skip_space(inside, tab);
            let blanks = tab
                - inside[at..tab]
                    .iter()
                    .rev()
                    .take_while(|b| lexer::is_space(**b))
                    .count()..end;
            let is_fold = inside[blanks.clone()].contains(&b'\n');
            let separates =
                inside[..blanks.start].ends_with(b"?=") && inside[end..].starts_with(b"=?");
            if !is_fold && !separates {
                count += memchr::memchr_iter(b'\t', &inside[blanks.clone()]).count() as u64;
                first.get_or_insert(start + tab);
            }
            at = end;
        }
        if let Some(first) = first {
            self.tolerate(
                first..start + inside.len(),
                EventKind::EwControlChar,
                Reason::TabInQuotes,
            );
            if let Some(finding) = self.tolerated.last_mut() {
                finding.count = finding.count.max(count);
            }
        }
    }

    fn unquote(&self, inside: &'a [u8]) -> Cow<'a, [u8]> {
        let charset =
            |context| TrailBackslash::in_charset(encoded_word::charset_of_raw(inside, context));
        unquote(inside, || {
            self.context.as_ref().map_or(TrailBackslash::Wide, charset)
        })
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let before = std::mem::take(&mut self.semicolon);
            let skipped = match self.tokens.next()? {
                ParameterToken::Semicolon(at) => {
                    if before {
                        self.tolerate(at..at + 1, EventKind::ParamEmpty, Reason::Skipped);
                    }
                    self.semicolon = true;
                    continue;
                }
                ParameterToken::Skipped(range) => range,
                ParameterToken::Parameter(span) => {
                    let mut item = self.item(&span);
                    item.has_semicolon = before;
                    if !item.name.is_empty() {
                        let kind = EventKind::ParamNoSemicolon;
                        if !before {
                            self.tolerate(item.name.clone(), kind, Detail::None);
                        }
                        if span.has_colon {
                            self.tolerate(item.name.clone(), kind, Reason::Colon);
                        }
                        return Some(item);
                    }
                    item.name.start..self.tokens.offset()
                }
            };
            self.tolerate(skipped, EventKind::ParamNoValue, Reason::Skipped);
        }
    }
}

/// Joins the encoded words of several quoted strings by spaces.
fn join_words(text: &[u8]) -> Cow<'_, [u8]> {
    let between = |byte: &u8| *byte == b'"' || lexer::is_space(*byte);
    let mut joined = Vec::with_capacity(text.len());
    for word in text.split(between).filter(|word| !word.is_empty()) {
        if !joined.is_empty() {
            joined.push(b' ');
        }
        joined.extend_from_slice(word);
    }
    joined.into()
}

/// Removes quoted pairs and folds from the inside of a quoted string.
///
/// Keeps backslashes that are trail bytes or within ISO-2022-JP. In a Windows path, removes only those before a quote or a
/// backslash.
fn unquote(inside: &[u8], backslashes: impl FnOnce() -> TrailBackslash) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr3(b'\\', b'\r', b'\n', inside) else {
        return Cow::Borrowed(inside);
    };
    let first = memchr::memchr2(0x1B, b'~', &inside[..first]).unwrap_or(first);
    let path = is_path(inside);
    let is_raw = !inside.is_ascii() && std::str::from_utf8(inside).is_err();
    let backslashes = if is_raw {
        backslashes()
    } else {
        TrailBackslash::None
    };
    let mut out = Vec::with_capacity(inside.len());
    let mut i = if backslashes == TrailBackslash::None {
        first
    } else {
        0
    };
    out.extend_from_slice(&inside[..i]);
    while i < inside.len() {
        if backslashes.step(inside, i) == 2 {
            out.extend_from_slice(&inside[i..i + 2]);
            i += 2;
            // A mailer that ignores the charset escapes the trail byte too.
            let is_pair = out.ends_with(b"\\") && matches!(inside.get(i), Some(b'"' | b'\\'));
            if is_pair {
                out.pop();
                out.push(inside[i]);
                i += 1;
            }
            continue;
        }
        if may_begin_shift(&inside[i..])
            && let Some(length) = raw_shift_length(&inside[i..])
        {
            out.extend_from_slice(&inside[i..i + length]);
            i += length;
            continue;
        }
        match (inside[i], inside.get(i + 1)) {
            (b'\\', Some(&next)) if !path || matches!(next, b'"' | b'\\') => {
                out.push(next);
                i += 1;
            }
            (b'\r', Some(b'\n')) => i += 1,
            (b'\n', _) => {}
            (byte, _) => out.push(byte),
        }
        i += 1;
    }
    Cow::Owned(out)
}

/// Reports a file name that contains a path.
pub(super) fn note_path(name: &str, text: &str, at: Range<usize>, findings: &mut Vec<Finding>) {
    if is_file_name(name.as_bytes()) && text.contains(['/', '\\']) {
        findings.add(at, EventKind::ParamPath, Detail::None);
    }
}

/// Returns true for a Windows path: `X:\` or `\\` at the start.
fn is_path(inside: &[u8]) -> bool {
    inside.starts_with(br"\\")
        || matches!(inside, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Replaces each fold of an unquoted value by a space.
fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr2(b'\r', b'\n', value) else {
        return Cow::Borrowed(value);
    };
    let mut out = value[..first].to_vec();
    let mut i = first;
    while i < value.len() {
        if !lexer::is_line_end(value[i]) {
            out.push(value[i]);
            i += 1;
            continue;
        }
        out.truncate(lexer::trim_end(&out).len());
        out.push(b' ');
        i = lexer::skip_space(value, i);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use crate::linear::assert_linear;

    fn show(value: &str) -> String {
        let (main, list) = scan(value.as_bytes());
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let list: Vec<_> = list
            .iter()
            .map(|p| format!("|{}={}", lossy(p.name), lossy(&p.value)))
            .collect();
        lossy(&main) + &list.concat()
    }

    #[test]
    fn reads_what_mail_writes() {
        for (value, want) in [
            (" text/plain; charset=utf-8", "text/plain|charset=utf-8"),
            (
                "text / plain (x)\r\n ; Charset = \"utf-8\"",
                "text/plain|Charset=utf-8",
            ),
            ("(a) text(b)/(c)plain(d)", "text/plain"),
            ("\"text/html\"; a=b", "text/html|a=b"),
            ("text/plain charset=utf-8", "text/plain|charset=utf-8"),
            ("text/plain; charset: utf-8", "text/plain|charset=utf-8"),
            (
                "text/plain; Charset :\"utf-8\"; x=y",
                "text/plain|Charset=utf-8|x=y",
            ),
            (
                "text/plain; charset:utf-8 format=flowed",
                "text/plain|charset=utf-8|format=flowed",
            ),
            ("text/plain; charset:=utf-8", "text/plain|charset=utf-8"),
            ("text/plain charset: utf-8", "text/plain|charset=utf-8"),
            ("charset=utf-8", "|charset=utf-8"),
            ("charset: utf-8; x=y", "|charset=utf-8|x=y"),
            // Other words before a colon are no parameters.
            ("a/b; format: flowed", "a/b"),
            ("a/b; charsets: x", "a/b"),
            ("a/b; x-charset: x", "a/b"),
            ("a/b; name=My charset: x.txt", "a/b|name=My charset: x.txt"),
            ("a/b; name=\"charset: x\"", "a/b|name=charset: x"),
            ("charsets=utf-8", "charsets=utf-8"),
            (
                "text/plain; charset=us-ascii (Plain text)",
                "text/plain|charset=us-ascii",
            ),
            (
                "text/plain; charset=us-ascii (a) (b); x=y",
                "text/plain|charset=us-ascii|x=y",
            ),
            ("a/b; name=Plan (1).pdf; x=1", "a/b|name=Plan (1).pdf|x=1"),
            (
                "a/b; name=Monats\r\n plan Mai.pdf  ",
                "a/b|name=Monats plan Mai.pdf",
            ),
            (
                "a/b; name=Plan Mai charset=utf-8",
                "a/b|name=Plan Mai|charset=utf-8",
            ),
            (
                "a/b; charset=\"utf-8\" format=flowed",
                "a/b|charset=utf-8|format=flowed",
            ),
            ("a/b;;; =; foo; bar=; x", "a/b|bar="),
            ("a/b; name=\"open; x=1\r\n", "a/b|name=open; x=1"),
            (r#"a; f="C:\dir\f.txt""#, r"a|f=C:\dir\f.txt"),
            (r#"a; f="\"q\" \\ \x""#, r#"a|f="q" \ x"#),
            ("a; f*0*=utf-8''x%20; f*1=y", "a|f*0*=utf-8''x%20|f*1=y"),
            ("a; b=\"x\r\n y\"", "a|b=x y"),
            ("a; b=\"x\" junk; c=d", "a|b=x|c=d"),
            ("a; b=\"\"x y\"\"; c=d", "a|b=x y|c=d"),
            ("a; b=\"\"x.y\"\"", "a|b=x.y"),
            ("a; b=\"\"; c=\"\"", "a|b=|c="),
            ("a; b=\"\"x; c=\"\"y", "a|b=|c="),
            ("a; b=\"\" \"\"; c=d", "a|b=|c=d"),
            ("a; form-data name=\"x\"", "a|name=x"),
            ("", ""),
            (";", ""),
        ] {
            assert_eq!(show(value), want, "{value:?}");
        }
    }

    #[test]
    fn ranges_cover_the_value_with_its_quotes() {
        let value = b"a/b; charset=\"utf-8\"; name= Plan  (x) ;y=z";
        let ranges: Vec<_> = scan(value).1.into_iter().map(|p| &value[p.range]).collect();
        assert_eq!(ranges, [&b"\"utf-8\""[..], b"Plan", b"z"]);
    }

    #[test]
    fn the_strict_grammar_and_the_tolerant_scanner_agree() {
        // White space before the equals sign forces the tolerant path.
        for (name, value) in [
            ("a", "b"),
            ("charset", "\"x y;z\""),
            ("n*0*", "utf-8''%41"),
            ("q", "\"\""),
            ("t", "\"(a)\""),
        ] {
            for tail in ["", ";", " ; c=d", "\r\n\t"] {
                let strict = show(&format!("m; {name}={value}{tail}"));
                let tolerant = show(&format!("m; {name} ={value}{tail}"));
                assert_eq!(strict, tolerant);
            }
        }
    }

    #[test]
    fn attack_values_take_linear_time() {
        for unit in ["(", "\"", "a=", "a=(", ";", "a=\"\\", "a b=(c", " ", "a=b "] {
            assert_linear(&unit, 200_000, |n| {
                let _ = scan(format!("x; a={}", unit.repeat(n)).as_bytes());
            });
        }
        for unit in [&b"\"\xe9\\\";a="[..], b"\"\xe9\\\" ", b"\xe9\\\""] {
            assert_linear(&unit.escape_ascii().to_string(), 200_000, |n| {
                let _ = scan(&[b"x; a=\"", &unit.repeat(n)[..]].concat());
            });
        }
    }
}
