//! Scans the main value and the parameters of a field as written, and tolerates syntax errors.

use super::param::RawParam;
use super::parameter_name::{NameForm, is_file_name, split_name};
use crate::encoded_word::{self, HeaderContext};
use crate::event::{Detail, EventKind, Finding, FindingList, Reason};
use crate::lexer::{self, TrailBackslash, has_escape, raw_iso2022jp_length};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of parameters and segments that are read from a field.
pub(super) const LIMIT: usize = 11_000;

/// Maximum number of findings per field. Further findings of a kind are only counted.
const NOTES: usize = 100;

/// Names that start a parameter inside an unquoted value even without a semicolon before them.
const KNOWN: [&str; 12] = [
    "charset",
    "format",
    "delsp",
    "boundary",
    "name",
    "filename",
    "size",
    "type",
    "start",
    "protocol",
    "micalg",
    "report-type",
];

/// Returns the main value without comments and white space, and the parameters as written.
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
}

/// Scans a field value once.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    value: &'a [u8],
    at: usize,
    /// True after an unclosed comment: later parentheses are text.
    open_comment: bool,
    /// True after an unclosed quoted string with ISO-2022-JP: later ones are not searched.
    open_shift: bool,
    /// True if a semicolon precedes the next parameter.
    semicolon: bool,
    /// Which backslashes are trail bytes when the end of a quoted string is searched.
    backslashes: TrailBackslash,
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
            at: 0,
            open_comment: false,
            open_shift: false,
            semicolon: false,
            backslashes: TrailBackslash::of(value),
            context: None,
            tolerated: Vec::new(),
        };
        let main = scanner.main();
        (main, scanner)
    }

    /// Sets the context, whose charset decides which backslashes after non-ASCII bytes are trail bytes.
    pub(super) fn within(self, context: &HeaderContext<'a>) -> Self {
        Self {
            context: Some(*context),
            ..self
        }
    }

    fn main(&mut self) -> Cow<'a, [u8]> {
        let value = self.value;
        let mut main: Cow<'a, [u8]> = Cow::Borrowed(b"");
        loop {
            self.at = lexer::skip_cfws(value, self.at);
            let start = self.at;
            let continues =
                main.is_empty() || main.ends_with(b"/") || value.get(start) == Some(&b'/');
            if start == value.len() || value[start] == b';' || !continues {
                break;
            }
            let end = value[start..]
                .iter()
                .position(|&b| lexer::is_space(b) || matches!(b, b';' | b'('))
                .map_or(value.len(), |n| start + n);
            if main.is_empty() {
                main = Cow::Borrowed(&value[start..end]);
            } else {
                main.to_mut().extend_from_slice(&value[start..end]);
            }
            self.at = end;
        }
        self.skip_junk();
        if main.contains(&b'"') {
            main.to_mut().retain(|&b| b != b'"');
        }
        main
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
        let rest = lexer::skip_space(self.value, self.at)..self.value.len();
        if !rest.is_empty() && self.value[rest.clone()].iter().any(|&b| b != b';') {
            self.tolerated
                .add(rest, EventKind::HdrBeyondLimit, Reason::ParameterLimit);
        }
    }

    /// Skips to the next `;`, or to a `token=` that starts a parameter without one.
    fn skip_junk(&mut self) {
        let before = lexer::skip_cfws(self.value, self.at);
        self.advance();
        let skipped = before..self.at.max(before);
        if !skipped.is_empty() {
            self.tolerate(skipped, EventKind::ParamJunk, Reason::Skipped);
        }
    }

    fn advance(&mut self) {
        loop {
            self.at = lexer::skip_cfws(self.value, self.at);
            if self.value.get(self.at).is_none_or(|&b| b == b';')
                || starts_parameter(self.value, self.at)
            {
                return;
            }
            let rest = &self.value[self.at..];
            // Advances by at least one byte, so that a lone special character cannot stop the scan.
            let step = rest[1..]
                .iter()
                .position(|&b| lexer::is_space(b) || matches!(b, b';' | b'('))
                .map_or(rest.len(), |n| n + 1);
            self.at += step;
        }
    }

    fn value(&mut self, name: Range<usize>) -> Item<'a> {
        let value = self.value;
        self.at = lexer::skip_space(value, self.at);
        if value.get(self.at) == Some(&b'(') && !self.open_comment {
            // Parentheses directly before a file name belong to it, as in `(1)Plan.pdf`. A comment is separate from the value.
            let after = lexer::comment_end(value, self.at);
            self.open_comment = after.is_none();
            if after.is_some_and(|n| {
                value
                    .get(n)
                    .is_some_and(|&b| lexer::is_space(b) || b == b'"')
                    || !is_file_name(&value[name.clone()])
                    || is_token_in_comments(value, n)
            }) {
                self.at = lexer::skip_cfws(value, self.at);
            }
        }
        let start = self.at;
        let raw = |range: Range<usize>, bytes| RawParam {
            name: &value[name.clone()],
            range,
            value: bytes,
        };
        if value.get(start) == Some(&b'"') {
            let over_shifts = self.quoted_end_over_shifts(start);
            let closed = over_shifts.or_else(|| self.backslashes.quoted_end(value, start));
            let end = closed.unwrap_or_else(|| without_line_end(value).len());
            let inside = start + 1..closed.map_or(end, |n| n - 1);
            self.at = closed.unwrap_or(value.len());
            if closed.is_none() {
                self.tolerate(start..end, EventKind::ParamUnclosedQuote, Reason::UpToEnd);
            }
            self.skip_junk();
            let inside = &value[inside];
            self.note_tabs(start + 1, inside);
            if is_path(inside) {
                self.tolerate(start..end, EventKind::ParamBackslash, Reason::BackslashKept);
            }
            return Item {
                raw: raw(start..end, self.unquote(inside)),
                name,
                quoted: true,
            };
        }
        let end = self.unquoted();
        let plain = &value[start..end];
        if plain.is_empty() {
            self.tolerate(name.clone(), EventKind::ParamNoValue, Reason::EmptyValue);
        } else if plain.iter().any(|&b| lexer::is_space(b)) {
            self.tolerate(start..end, EventKind::ParamUnquoted, Reason::UnquotedSpace);
        } else if plain.iter().any(|&b| lexer::is_tspecial(b)) {
            self.tolerate(
                start..end,
                EventKind::ParamUnquoted,
                Reason::UnquotedSpecials,
            );
        }
        Item {
            raw: raw(start..end, unfold(&value[start..end])),
            name,
            quoted: false,
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

    /// Returns the end of the quoted string at `start` if it contains ISO-2022-JP, whose bytes may equal quotes and backslashes.
    ///
    /// Does not skip a sequence in which other readers would see a parameter.
    fn quoted_end_over_shifts(&mut self, start: usize) -> Option<usize> {
        if self.open_shift || !has_escape(&self.value[start..]) {
            return None;
        }
        let (mut at, mut shifted) = (start + 1, false);
        while let Some(found) = self
            .value
            .get(at..)
            .and_then(|rest| memchr::memchr3(b'"', b'\\', 0x1B, rest))
        {
            at += found;
            let rest = &self.value[at..];
            at += match rest[0] {
                b'"' => return shifted.then_some(at + 1),
                b'\\' => 2,
                _ => {
                    let hides =
                        |length: &usize| memchr::memmem::find(&rest[..*length], b"\";").is_some();
                    let length = raw_iso2022jp_length(rest).filter(|length| !hides(length));
                    shifted |= length.is_some();
                    length.unwrap_or(1)
                }
            };
        }
        // Later strings have no end either.
        self.open_shift = true;
        None
    }

    /// Reads an unquoted value. Returns its end without trailing white space and comments.
    fn unquoted(&mut self) -> usize {
        let value = self.value;
        let mut end = self.at;
        while let Some(&byte) = value.get(self.at) {
            if byte == b';' {
                break;
            }
            if lexer::is_space(byte) {
                let blanks = self.at;
                self.at = lexer::skip_space(value, blanks);
                let folded = value[blanks..self.at].contains(&b'\n');
                if starts_known_parameter(value, self.at, folded) {
                    break;
                }
                continue;
            }
            if byte == b'(' && !self.open_comment {
                // A comment at the end is a comment. Before more text it belongs to a file name such as `Plan (1).pdf`.
                if let Some(after) = lexer::comment_end(value, self.at) {
                    self.at = after;
                    continue;
                }
                self.open_comment = true;
            }
            self.at += 1;
            end = self.at;
        }
        end
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let value = self.value;
        loop {
            self.at = lexer::skip_cfws(value, self.at);
            if *value.get(self.at)? == b';' {
                if self.semicolon {
                    self.tolerate(self.at..self.at + 1, EventKind::ParamEmpty, Reason::Skipped);
                }
                self.semicolon = true;
                self.at += 1;
                continue;
            }
            let start = self.at;
            let semicolon = std::mem::take(&mut self.semicolon);
            let item = self.strict().or_else(|| self.tolerant());
            if let Some(item) = item {
                if !semicolon {
                    self.tolerate(item.name.clone(), EventKind::ParamNoSemicolon, Detail::None);
                }
                return Some(item);
            }
            self.tolerate(start..self.at, EventKind::ParamNoValue, Reason::Skipped);
        }
    }
}

impl<'a> Scanner<'a> {
    /// Reads a parameter with syntax errors. Returns None and skips the text if there is no parameter.
    fn tolerant(&mut self) -> Option<Item<'a>> {
        let value = self.value;
        let start = self.at;
        let end = value[start..]
            .iter()
            .position(|&b| lexer::is_space(b) || matches!(b, b'=' | b';' | b'(' | b'"'))
            .map_or(value.len(), |n| start + n);
        self.at = lexer::skip_cfws(value, end);
        match value.get(self.at) {
            Some(b'=') => self.at += 1,
            // Skips a name without a value. The text after it may be a parameter.
            Some(b'"') => {
                self.at = self
                    .backslashes
                    .quoted_end(value, self.at)
                    .unwrap_or(value.len());
                return None;
            }
            _ => return None,
        }
        if self.at > end + 1 || value.get(self.at).is_some_and(|&b| lexer::is_space(b)) {
            self.tolerate(start..self.at, EventKind::ParamBlank, Detail::None);
        }
        let item = self.value(start..end);
        (start < end).then_some(item)
    }

    /// Reads a parameter that follows the grammar and ends at a valid place.
    fn strict(&mut self) -> Option<Item<'a>> {
        let (rest, (name, value)) = lexer::parameter(&self.value[self.at..]).ok()?;
        let end = self.value.len() - rest.len();
        if !matches!(rest.first(), None | Some(b';' | b'\r' | b'\n')) {
            return None;
        }
        let next = lexer::skip_space(self.value, end);
        if !matches!(self.value.get(next), None | Some(b';')) {
            return None;
        }
        let (bytes, quoted) = match value {
            lexer::StrictValue::Token(bytes) => (bytes, false),
            lexer::StrictValue::Quoted(bytes) => (bytes, true),
        };
        let range = end - bytes.len() - 2 * usize::from(quoted)..end;
        let name_range = self.at..self.at + name.len();
        if quoted {
            self.note_tabs(range.start + 1, bytes);
        }
        self.at = next;
        Some(Item {
            raw: RawParam {
                name,
                range,
                value: Cow::Borrowed(bytes),
            },
            name: name_range,
            quoted,
        })
    }
}

/// Returns true if a token and comments follow, up to the end of the parameter: `one(comment)`.
fn is_token_in_comments(value: &[u8], at: usize) -> bool {
    let end = token_end(value, at);
    let next = lexer::skip_space(value, end);
    if end == at || value.get(next) != Some(&b'(') || lexer::comment_end(value, next).is_none() {
        return false;
    }
    matches!(value.get(lexer::skip_cfws(value, next)), None | Some(b';'))
}

/// Returns true if `token=` stands at `at`.
fn starts_parameter(value: &[u8], at: usize) -> bool {
    let end = token_end(value, at);
    end > at && value.get(lexer::skip_space(value, end)) == Some(&b'=')
}

/// Returns true if `token=` stands at `at` and the token is a known name or a segment of RFC 2231 3.
///
/// At the start of a line, any token with a quoted value counts.
fn starts_known_parameter(value: &[u8], at: usize, folded: bool) -> bool {
    let end = token_end(value, at);
    if end == at || value.get(end) != Some(&b'=') {
        return false;
    }
    let name = &value[at..end];
    if folded && value.get(end + 1) == Some(&b'"')
        || matches!(split_name(name).1, NameForm::Segment { .. })
    {
        return true;
    }
    let name = &name[..memchr::memchr(b'*', name).unwrap_or(name.len())];
    let dated = name.len() > 5 && name[name.len() - 5..].eq_ignore_ascii_case(b"-date");
    dated
        || KNOWN
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

fn token_end(value: &[u8], at: usize) -> usize {
    value[at..]
        .iter()
        .position(|&b| !lexer::is_token(b))
        .map_or(value.len(), |n| at + n)
}

fn without_line_end(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .rposition(|&b| b != b'\r' && b != b'\n')
        .map_or(0, |n| n + 1);
    &value[..end]
}

/// Removes quoted pairs and folds from the inside of a quoted string.
///
/// Keeps backslashes that are trail bytes or within ISO-2022-JP. In a Windows path, removes only those before a quote or a
/// backslash.
fn unquote(inside: &[u8], backslashes: impl FnOnce() -> TrailBackslash) -> Cow<'_, [u8]> {
    let Some(first) = inside
        .iter()
        .position(|&b| matches!(b, b'\\' | b'\r' | b'\n'))
    else {
        return Cow::Borrowed(inside);
    };
    let first = memchr::memchr(0x1B, &inside[..first]).unwrap_or(first);
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
        if inside[i] == 0x1B
            && let Some(length) = raw_iso2022jp_length(&inside[i..])
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
        if !matches!(value[i], b'\r' | b'\n') {
            out.push(value[i]);
            i += 1;
            continue;
        }
        while out.last().is_some_and(|&b| lexer::is_space(b)) {
            out.pop();
        }
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
