//! Finds charset declarations inside documents: HTML meta, XML declaration, CSS `@charset`, properties of vCards and calendars.
//!
//! # Limits
//! Searches 1,024 bytes for a declaration of the whole document (4,096 while an HTML head is open), as browsers do. Searches as
//! many characters to correct one. Does not distinguish scripts and styles from markup.

use crate::lexer::starts_without_case;
use crate::unlogged::decode_unlogged;
use mailglot_codec::{Charset, Resolved, View, bom};
use memchr::memmem;
use std::ops::Range;

/// Number of bytes that are searched for declarations.
const NEAR: usize = 1024;
/// Number of bytes that are searched while an HTML head is open.
const FAR: usize = 4096;

/// A kind of document that may declare its charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// Meta elements (the prescan of WHATWG HTML 13.2.3.2), or an XML declaration.
    Html,
    /// An XML declaration (XML 1.0, 4.3.3).
    Xml,
    /// `@charset` at the very beginning (CSS Syntax 3, 3.2).
    Css,
    /// Properties, each with its own charset (vCard 2.1, vCalendar 1.0), or one for all of them (`X-LOTUS-CHARSET` of Lotus Notes).
    Card,
}

impl Document {
    /// Returns the kind for a lower-case subtype of `text`; XML by RFC 7303.
    pub(crate) fn of(sub: &str) -> Option<Self> {
        match sub {
            "html" | "xhtml" | "xhtml+xml" | "x-html" | "x-server-parsed-html" => Some(Self::Html),
            "xml" | "x-xml" | "xsl" | "xslt" | "rss" | "x-rss" | "atom" | "opml" | "x-opml"
            | "vnd.wap.wml" | "vnd.wap.si" | "vnd.wap.sl" => Some(Self::Xml),
            "css" => Some(Self::Css),
            "vcard" | "x-vcard" | "directory" | "calendar" | "x-vcalendar" => Some(Self::Card),
            sub => sub.ends_with("+xml").then_some(Self::Xml),
        }
    }

    /// Returns the ranges of the charset names that the beginning of a document declares for all of it, sorted.
    fn declarations(self, near: &[u8], far: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        match self {
            Self::Html => {
                let start = near.to_ascii_lowercase();
                let open = memmem::find(&start, b"<head").is_some()
                    && memmem::find(&start, b"</head").is_none();
                let head = if open {
                    far.to_ascii_lowercase()
                } else {
                    start
                };
                found.extend(xml(&head));
                metas(&head, &mut found);
            }
            Self::Xml => found.extend(xml(&near.to_ascii_lowercase())),
            Self::Css => found.extend(css(&near.to_ascii_lowercase())),
            Self::Card => {}
        }
        found
    }
}

/// Returns true for a lower-case subtype of `text` whose documents declare one charset for all of their text: HTML, XML and CSS.
// For mailglot-gateway only.
#[doc(hidden)]
pub fn declares_charset(sub: &str) -> bool {
    Document::of(sub).is_some_and(|document| document != Document::Card)
}

/// Returns the charset that a file declares within itself, if it begins as XML, HTML or a style sheet with `@charset`.
///
/// ```
/// use mailglot_mime::{codec::Charset, charset_in_file};
///
/// let file = b"<?xml version='1.0' encoding='KOI8-R'?><a/>";
/// assert_eq!(charset_in_file(file), Some(Charset::KOI8_R));
/// ```
// For `mailglot detect` only.
#[doc(hidden)]
pub fn charset_in_file(bytes: &[u8]) -> Option<Charset> {
    let near = without_mark(&bytes[..bytes.len().min(NEAR)]);
    let document = match near.trim_ascii_start().first()? {
        b'<' => Document::Html,
        b'@' => Document::Css,
        _ => return None,
    };
    declared_charset(bytes, document)
}

/// Returns the declared charset of a document, if it counts.
///
/// UTF-16 that is named in ASCII bytes means UTF-8. Stateful charsets and EBCDIC never count.
pub(crate) fn declared_charset(bytes: &[u8], document: Document) -> Option<Charset> {
    if document == Document::Card {
        return card_charset(bytes);
    }
    named_charsets(bytes, document).find_map(|charset| {
        if [
            Charset::UTF_16,
            Charset::UTF_16BE,
            Charset::UTF_16LE,
            Charset::UTF_32,
        ]
        .contains(&charset)
        {
            return Some(Charset::UTF_8);
        }
        charset.is_ascii_compatible().then_some(charset)
    })
}

/// Returns the first charset that a document names, whether it counts or not.
pub(crate) fn named_charset(bytes: &[u8], document: Document) -> Option<Charset> {
    named_charsets(bytes, document).next()
}

/// Returns the charset that a document in UTF-8 declares, if that is another one. UTF-16 that is named in ASCII bytes means UTF-8.
pub(crate) fn declared_beside_utf8(bytes: &[u8], document: Document) -> Option<Charset> {
    let declared = match document {
        Document::Card => card_charset(bytes),
        document => named_charset(bytes, document),
    };
    declared.filter(|charset| *charset != Charset::UTF_8 && !charset.is_wide())
}

/// Returns true if an HTML document names UTF-7 and has sequences of UTF-7. Browsers decode no document so: ASCII would hide scripts.
pub(crate) fn is_named_utf7(bytes: &[u8], document: Document) -> bool {
    let near = &bytes[..bytes.len().min(FAR)];
    let has_sequences = || {
        let text = decode_unlogged(Charset::UTF_7, bytes);
        let is_decoded = |c: char| !c.is_ascii() && c != char::REPLACEMENT_CHARACTER;
        text.chars().any(is_decoded)
    };
    document == Document::Html
        && memmem::find(near, b"-7").is_some()
        && named_charset(bytes, document) == Some(Charset::UTF_7)
        && has_sequences()
}

/// Returns the known charsets that a document names, in order.
fn named_charsets(bytes: &[u8], document: Document) -> impl Iterator<Item = Charset> {
    let to = |most: usize| &bytes[..bytes.len().min(most)];
    let names = document.declarations(to(NEAR), to(FAR)).into_iter();
    names.filter_map(
        |range| match Charset::for_label(&bytes[range], View::Mail) {
            Resolved::Exact(charset) | Resolved::Alias(charset) => Some(charset),
            _ => None,
        },
    )
}

/// Returns the charset that all properties of a card with unencoded non-ASCII text name.
fn card_charset(card: &[u8]) -> Option<Charset> {
    let mut names = properties(card).into_iter();
    let first = Charset::for_label(&card[names.next()?], View::Mail).charset()?;
    let is_same = |range| Charset::for_label(&card[range], View::Mail).charset() == Some(first);
    (first.is_ascii_compatible() && names.all(is_same)).then_some(first)
}

/// Returns the language of a document: the first `lang` attribute.
pub(crate) fn language(bytes: &[u8]) -> Option<&str> {
    let near = &bytes[..bytes.len().min(NEAR)];
    let found = near.to_ascii_lowercase();
    let mut places = memmem::find_iter(&found, b"lang");
    places.find_map(|at| {
        let is_name = at > 0 && (near[at - 1].is_ascii_whitespace() || near[at - 1] == b':');
        let range = value_after(near, at + b"lang".len()).filter(|_| is_name)?;
        std::str::from_utf8(&near[range])
            .ok()
            .filter(|tag| !tag.is_empty())
    })
}

/// Returns the ranges of charset names other than `name`, which a conversion must replace.
pub(crate) fn patches(text: &[u8], document: Document, name: &str) -> Vec<Range<usize>> {
    let found = match document {
        Document::Card => properties(text),
        // Counts characters, since the search reached that far in the old charset.
        document => document.declarations(characters(text, NEAR), characters(text, FAR)),
    };
    found
        .into_iter()
        .filter(|r| !text[r.clone()].eq_ignore_ascii_case(name.as_bytes()))
        .collect()
}

/// Returns the first `most` characters of UTF-8 text.
fn characters(text: &[u8], most: usize) -> &[u8] {
    let starts = text
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte & 0xC0 != 0x80);
    starts
        .map(|(at, _)| at)
        .nth(most)
        .map_or(text, |end| &text[..end])
}

/// Adds the charset names in meta elements. `head` is in lower case. Skips comments and attribute values.
fn metas(head: &[u8], found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(tag) = memchr::memchr(b'<', &head[at..]).map(|i| at + i) {
        let rest = &head[tag + 1..];
        at = if rest.starts_with(b"!--") {
            match memmem::find(&head[tag + 2..], b"-->") {
                Some(end) => tag + 2 + end + 3,
                None => return,
            }
        } else if rest
            .iter()
            .find(|b| **b != b'/')
            .is_some_and(u8::is_ascii_alphabetic)
        {
            let name = tag
                + 1
                + rest
                    .iter()
                    .take_while(|b| !is_blank(**b) && !b"/>".contains(b))
                    .count();
            let mut meta = Meta::default();
            let Some(end) = attributes(head, name, |name, value| meta.see(head, name, value))
            else {
                return;
            };
            if &head[tag + 1..name] == b"meta" {
                found.extend(meta.declared());
            }
            end
        } else {
            tag + 1
        };
    }
}

/// Calls `see` for each attribute of the tag whose name ends at `at`. Returns the offset after the tag; None if it is not closed.
fn attributes(
    head: &[u8],
    mut at: usize,
    mut see: impl FnMut(Range<usize>, Range<usize>),
) -> Option<usize> {
    let while_in =
        |at: usize, skip: fn(u8) -> bool| at + head[at..].iter().take_while(|b| skip(**b)).count();
    loop {
        at = while_in(at, |b| is_blank(b) || b == b'/');
        if *head.get(at)? == b'>' {
            return Some(at + 1);
        }
        // A name may begin with an equals sign.
        let end = while_in(at + 1, |b| !is_blank(b) && !b"/>=".contains(&b));
        let name = at..end;
        at = while_in(end, is_blank);
        if *head.get(at)? != b'=' {
            see(name, at..at);
            continue;
        }
        at = while_in(at + 1, is_blank);
        let quoted = Some(*head.get(at)?).filter(|b| b"\"'".contains(b));
        let value = match quoted {
            Some(quote) => at + 1..at + 1 + memchr::memchr(quote, &head[at + 1..])?,
            None => at..while_in(at, |b| !is_blank(b) && b != b'>'),
        };
        at = value.end + usize::from(quoted.is_some());
        see(name, value);
    }
}

/// The attributes of a meta element that may declare a charset.
#[derive(Default)]
struct Meta {
    charset: Option<Range<usize>>,
    /// The charset in `content`, and true if a media type stands before it.
    content: Option<(Range<usize>, bool)>,
    /// True if `http-equiv` is `content-type`; None without `http-equiv`.
    equivalent: Option<bool>,
    /// The element has `name`, `property` or `itemprop`.
    named: bool,
}

impl Meta {
    /// Records an attribute. The first attribute of each name counts.
    fn see(&mut self, head: &[u8], name: Range<usize>, value: Range<usize>) {
        match &head[name] {
            b"charset" if self.charset.is_none() => self.charset = label(head, value),
            b"content" if self.content.is_none() => {
                let text = &head[value.clone()];
                let typed = [&b"text/"[..], b"application/"]
                    .iter()
                    .any(|kind| text.trim_ascii_start().starts_with(kind));
                self.content = in_content(head, value).map(|range| (range, typed));
            }
            b"http-equiv" if self.equivalent.is_none() => {
                self.equivalent = Some(head[value].trim_ascii() == b"content-type");
            }
            b"name" | b"property" | b"itemprop" => self.named = true,
            _ => {}
        }
    }

    /// Returns the declared charset. Some mailers omit `http-equiv`; then a media type identifies `content`.
    fn declared(self) -> Option<Range<usize>> {
        self.charset.or_else(|| {
            let (range, typed) = self.content?;
            self.equivalent
                .unwrap_or(typed && !self.named)
                .then_some(range)
        })
    }
}

/// Returns the name after `charset=` in the value of `content`.
fn in_content(head: &[u8], value: Range<usize>) -> Option<Range<usize>> {
    let mut places = memmem::find_iter(&head[value.clone()], b"charset");
    places.find_map(|at| {
        let name = value_after(&head[..value.end], value.start + at + b"charset".len())?;
        Some(name).filter(|name| name.start < name.end)
    })
}

/// Returns a value without blanks around it, if it is a label.
fn label(head: &[u8], value: Range<usize>) -> Option<Range<usize>> {
    let text = &head[value.clone()];
    let start = value.start + (text.len() - text.trim_ascii_start().len());
    let end = start + text.trim_ascii().len();
    (start < end && head[start..end].iter().all(|b| is_of_label(*b))).then_some(start..end)
}

/// Returns the encoding in an XML declaration. Only blanks and a byte order mark may precede it.
fn xml(head: &[u8]) -> Option<Range<usize>> {
    /// Maximum number of blanks before the declaration.
    const BLANKS: usize = 64;
    let start = head.len() - without_mark(head).trim_ascii_start().len();
    let inside = head[start..]
        .strip_prefix(b"<?xml")
        .filter(|_| start <= BLANKS)?;
    let end = start + b"<?xml".len() + memchr::memchr(b'>', inside)?;
    let mut places = memmem::find_iter(&head[start..end], b"encoding");
    places.find_map(|at| {
        let at = start + at;
        let name =
            value_after(&head[..end], at + b"encoding".len()).filter(|_| is_blank(head[at - 1]))?;
        let quoted =
            |quote: u8| head[name.start - 1] == quote && head.get(name.end) == Some(&quote);
        (quoted(b'"') || quoted(b'\'')).then_some(name)
    })
}

/// Returns the `@charset` at the start of a style sheet.
fn css(head: &[u8]) -> Option<Range<usize>> {
    let rule = without_mark(head).strip_prefix(b"@charset ")?;
    let (quote, rest) = rule
        .split_first()
        .filter(|(quote, _)| b"\"'".contains(quote))?;
    let start = head.len() - rest.len();
    let name = start..start + rest.iter().take_while(|b| is_of_label(**b)).count();
    let ends = head[name.end..]
        .strip_prefix(&[*quote])
        .is_some_and(|rest| rest.starts_with(b";"));
    (ends && name.start < name.end).then_some(name)
}

/// A property of a card with non-ASCII text.
pub(crate) struct Property {
    /// Its lines, with their ends.
    pub(crate) lines: Range<usize>,
    /// The name after `CHARSET=`, unless the text is encoded.
    name: Option<Range<usize>>,
}

impl Property {
    /// Returns the charset that the property names.
    pub(crate) fn charset(&self, card: &[u8]) -> Option<Charset> {
        Charset::for_label(&card[self.name.clone()?], View::Mail).charset()
    }
}

/// Returns the names after `CHARSET=` of properties with unencoded non-ASCII text, and those of `X-LOTUS-CHARSET`. Encoded text keeps its
/// charset.
fn properties(text: &[u8]) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = text.split_inclusive(|b| *b == b'\n').map(|line| {
        end += line.len();
        end - line.len()..end
    });
    let properties = non_ascii_properties(text).into_iter();
    let mut names: Vec<Range<usize>> = properties
        .filter_map(|property| property.name)
        .chain(lines.filter_map(|line| lotus_charset(text, line)))
        .collect();
    names.sort_by_key(|name| name.start);
    names
}

/// Returns the properties with non-ASCII text, in order.
pub(crate) fn non_ascii_properties(text: &[u8]) -> Vec<Property> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut end = at;
        loop {
            end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |i| end + i + 1);
            // A line that begins with a blank continues the one before.
            if !text.get(end).is_some_and(|b| b" \t".contains(b)) {
                break;
            }
        }
        let line = &text[at..end];
        let colon = memchr::memchr(b':', line).filter(|colon| !line[*colon..].is_ascii());
        if colon.is_some() || !line.is_ascii() {
            let name = colon.and_then(|colon| charset_parameter(text, at..at + colon));
            let lines = at..end;
            found.push(Property { lines, name });
        }
        at = end;
    }
    found
}

/// Returns the name after `CHARSET=` in the name and parameters of a property, unless its text is encoded.
fn charset_parameter(text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let head = text[range.clone()].to_ascii_uppercase();
    let mut name = None;
    let mut encoded = false;
    let mut place = range.start;
    for parameter in head.split(|b| *b == b';') {
        if let Some(value) = parameter.strip_prefix(b"CHARSET=") {
            let (start, end) = (
                place + parameter.len() - value.len(),
                place + parameter.len(),
            );
            let quoted = value.len() > 1 && value.starts_with(b"\"") && value.ends_with(b"\"");
            let quote = usize::from(quoted);
            name = label(&text[..range.end], start + quote..end - quote);
        }
        let encoding = parameter.strip_prefix(b"ENCODING=").unwrap_or(parameter);
        encoded |= [&b"QUOTED-PRINTABLE"[..], b"BASE64", b"Q", b"B"].contains(&encoding);
        place += parameter.len() + 1;
    }
    name.filter(|_| !encoded)
}

/// Returns the charset in a line `X-LOTUS-CHARSET:ISO-8859-2`, which Lotus Notes writes into calendars.
fn lotus_charset(text: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    const NAME: &[u8] = b"X-LOTUS-CHARSET:";
    if !starts_without_case(&text[line.clone()], NAME) {
        return None;
    }
    label(text, line.start + NAME.len()..line.end)
}

/// Returns true if a card has non-ASCII quoted-printable text without a charset of its own. It is in the charset around it.
pub(crate) fn has_encoded_text(card: &[u8]) -> bool {
    let lines = card.split(|b| *b == b'\n');
    let is_encoded = |line: &[u8]| {
        let Some(colon) = memchr::memchr(b':', line) else {
            return false;
        };
        let (head, text) = line.split_at(colon);
        let head = head.to_ascii_uppercase();
        let mut parameters = head.split(|b| *b == b';').skip(1);
        let encoding = |parameter: &[u8]| {
            let encoding = parameter.strip_prefix(b"ENCODING=").unwrap_or(parameter);
            encoding == b"QUOTED-PRINTABLE" || encoding == b"Q"
        };
        parameters.clone().any(encoding)
            && !parameters.any(|parameter| parameter.starts_with(b"CHARSET="))
            && text
                .windows(2)
                .any(|pair| pair[0] == b'=' && b"89ABCDEFabcdef".contains(&pair[1]))
    };
    lines
        .filter(|line| memchr::memchr(b'=', line).is_some())
        .any(is_encoded)
}

/// Returns the name after an equals sign, blanks and a quote.
fn value_after(head: &[u8], at: usize) -> Option<Range<usize>> {
    let skip = |at: usize| at + head[at..].iter().take_while(|b| is_blank(**b)).count();
    let equals = skip(at);
    let mut at = (head.get(equals) == Some(&b'=')).then(|| skip(equals + 1))?;
    if head.get(at).is_some_and(|b| b"\"'".contains(b)) {
        at += 1;
    }
    let length = head[at..].iter().take_while(|b| is_of_label(**b)).count();
    (length > 0).then(|| at..at + length)
}

fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(&bom::UTF_8).unwrap_or(head)
}

fn is_of_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:+".contains(&byte)
}

fn is_blank(byte: u8) -> bool {
    b" \t\r\n\x0C".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::Document::{Card, Css, Html, Xml};
    use super::*;
    use crate::linear::assert_linear;

    fn names(document: Document, text: &str) -> Vec<&str> {
        patches(text.as_bytes(), document, "")
            .into_iter()
            .map(|r| &text[r])
            .collect()
    }

    #[test]
    fn declarations_of_each_form() {
        let type_is = "content=\"text/html; charset=Windows-1251\"";
        for (document, text, want) in [
            (Html, "<html><head><META CHARSET=koi8-r></head>", "koi8-r"),
            (Html, "<meta\n charset = ' koi8-r '/>", "koi8-r"),
            (
                Html,
                &format!("<meta http-equiv=\"Content-Type\" {type_is}>"),
                "Windows-1251",
            ),
            (
                Html,
                &format!("<meta {type_is} http-equiv=content-type>"),
                "Windows-1251",
            ),
            (
                Html,
                &format!("<p title='<meta>'>x<meta {type_is}>"),
                "Windows-1251",
            ),
            (
                Html,
                "<meta http-equiv=content-type content='charset; charset = \"x-sjis\"'>",
                "x-sjis",
            ),
            (
                Html,
                "<!-- a > b --><meta charset=a1><!--><meta charset=b2>",
                "a1 b2",
            ),
            (
                Html,
                "<?xml version='1.0' encoding='ISO-8859-2'?><html>",
                "ISO-8859-2",
            ),
            (
                Xml,
                "\u{feff}<?xml version='1.0' encoding = \"ISO-8859-2\"?><a/>",
                "ISO-8859-2",
            ),
            (Css, "@charset \"latin1\";p{}", "latin1"),
            (Css, "\u{feff}@charset 'latin1';", "latin1"),
            (
                Card,
                "FN;CHARSET=ISO-8859-1:Größe\r\nN;charset=koi8-r;ENCODING=8BIT:a;\n б\nX;CHARSET=\"cp1251\":б\n",
                "ISO-8859-1 koi8-r cp1251",
            ),
            (
                Card,
                "BEGIN:VCALENDAR\r\nx-lotus-charset:windows-1251\r\nSUMMARY:б\r\nEND:VCALENDAR\r\n",
                "windows-1251",
            ),
        ] {
            assert_eq!(
                names(document, text),
                want.split(' ').collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    #[test]
    fn text_that_resembles_a_declaration_is_ignored() {
        for (document, text) in [
            (Html, "<meta name=charset><p>charset=x"),
            (
                Html,
                "<meta name=\"description\" content=\"charset=koi8-r\">",
            ),
            (
                Html,
                "<meta name=\"description\" content=\"text/html; charset=koi8-r\">",
            ),
            (
                Html,
                "<meta http-equiv=refresh content=\"0; charset=koi8-r\">",
            ),
            (Html, "<meta content=\"charset=koi8-r\">"),
            (Html, "<metadata charset=koi8-r>"),
            (Html, "<!-- <meta charset=koi8-r> -->"),
            (Html, "<p title=\"<meta charset=koi8-r>\">"),
            (Html, "<meta charset=koi8-r"),
            (Html, "<meta charset='koi8-r"),
            (Html, "<meta charset='a b'>"),
            (
                Html,
                "info@charset.org, @charset \"latin1\"; <style>@charset \"latin1\";</style>",
            ),
            (Html, &format!("{}<meta charset=koi8-r>", " ".repeat(2000))),
            (Xml, "<a/><?xml encoding='ISO-8859-2'?>"),
            (Xml, "<?xml xencoding='ISO-8859-2'?>"),
            (Xml, "<?xml encoding='ISO-8859-2\"?>"),
            (Xml, "<a><meta charset=koi8-r/></a>"),
            (Css, "p{} @charset \"latin1\";"),
            (Css, "@charset latin1;"),
            (Css, "@charset \"latin1\" ;"),
            (Card, "FN;CHARSET=ISO-8859-1:plain\nä:b;CHARSET=x:y"),
            (Card, "FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:ä=E4"),
            (Card, "FN;CHARSET=ISO-8859-1;BASE64:ä"),
            (
                Card,
                "SUMMARY:X-LOTUS-CHARSET:ä\nX-LOTUS-CHARSET:\nX-LOTUS-CHARSET:a b\n",
            ),
            (Card, "FN;CHARSET=\":ä\nFN;CHARSET=\"\":ä\nFN;CHARSET=\"a:ä"),
        ] {
            assert_eq!(names(document, text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn declarations_are_found_after_conversion() {
        let title = "щ".repeat(960);
        let html = format!("<title>{title}</title><meta charset=koi8-r>");
        assert_eq!(names(Html, &html), ["koi8-r"]);
        assert_eq!(
            names(Html, &format!("щ{}{html}", " ".repeat(100))),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn subtypes() {
        for (sub, want) in [
            ("html", Some(Html)),
            ("svg+xml", Some(Xml)),
            ("vnd.wap.wml", Some(Xml)),
            ("css", Some(Css)),
            ("x-vcard", Some(Card)),
            ("calendar", Some(Card)),
            ("x-vcalendar", Some(Card)),
            ("x-server-parsed-html", Some(Html)),
            ("x-html", Some(Html)),
            ("x-xml", Some(Xml)),
            ("xslt", Some(Xml)),
            ("rss", Some(Xml)),
            ("x-opml", Some(Xml)),
            ("x-opml+xml", Some(Xml)),
            ("plain", None),
            ("x-htmlish", None),
        ] {
            assert_eq!(Document::of(sub), want, "{sub}");
        }
    }

    #[test]
    fn searches_take_linear_time() {
        for unit in [
            "<a ",
            "<!--",
            "<meta charset",
            "<a b='",
            "a:é\n ",
            ";",
            "\n ",
            "CHARSET=;",
        ] {
            for document in [Html, Xml, Css, Card] {
                assert_linear(&unit, 20_000, |n| {
                    drop(patches(&unit.repeat(n).into_bytes(), document, "x"));
                });
            }
        }
    }

    #[test]
    fn files_declare_their_charset() {
        for (file, want) in [
            (
                &b"<?xml version=\"1.0\" encoding=\"gbk\"?><a/>"[..],
                Some("GBK"),
            ),
            (
                b"\xEF\xBB\xBF\n<!DOCTYPE html><meta charset=koi8-r>",
                Some("KOI8-R"),
            ),
            (b"@charset \"iso-8859-2\"; p {}", Some("ISO-8859-2")),
            (b"How to write <meta charset=koi8-r>", None),
            (b" @charset \"iso-8859-2\";", None),
            (b"", None),
        ] {
            assert_eq!(
                charset_in_file(file).map(Charset::name),
                want,
                "{}",
                file.escape_ascii()
            );
        }
    }

    #[test]
    fn wide_and_stateful_declarations() {
        assert_eq!(
            declared_charset(b"<meta charset=utf-16>", Html),
            Some(Charset::UTF_8)
        );
        assert_eq!(declared_charset(b"<meta charset=utf-7>", Html), None);
        assert_eq!(declared_charset(b"<meta charset=iso-2022-jp>", Html), None);
        assert_eq!(declared_charset(b"<meta charset=ibm037>", Html), None);
        assert_eq!(declared_charset(b"<meta charset=viqr>", Html), None);
    }

    #[test]
    fn only_wrong_names_are_patched() {
        assert_eq!(patches(b"<meta charset=UTF-8>", Html, "utf-8"), Vec::new());
        assert_eq!(
            patches(b"<meta charset=latin1>", Html, "utf-8"),
            vec![14..20]
        );
    }
}
