//! Parses lists of mailboxes and groups (RFC 5322, sections 3.4 and 4.4).
//!
//! # Limits
//!
//! Groups do not nest, as in RFC 5322; a colon inside a group belongs to the next name. The route of an address (`@a,@b:c@d`) is
//! dropped.

use crate::encoded_word::{AddressToken, HeaderContext, address_tokens};
use crate::event::Finding;
use crate::lexer;
use std::fmt;
use std::ops::Range;

/// A mailbox: an address with an optional display name (RFC 5322, section 3.4).
///
/// ```
/// use mailglot_mime::encoded_word::HeaderContext;
/// use mailglot_mime::fields::{Entry, addresses};
///
/// let value = b"=?utf-8?Q?J=C3=B6rg?= <j@example.org>, team: a@b.example;";
/// let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
/// assert_eq!(list[0].to_string(), "Jörg <j@example.org>");
/// assert!(matches!(&list[1], Entry::Group { name, list } if name == "team" && list.len() == 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mailbox {
    /// The decoded display name; without one, the last comment after the address (RFC 5322, section A.6.3).
    pub name: Option<String>,
    /// The address as written, without angle brackets, white space and comments. Empty if there is only a name.
    pub address: String,
    /// Other comments, decoded, without their parentheses.
    pub comments: Vec<String>,
    /// The range in the field value.
    pub at: Range<usize>,
}

/// An entry of a list of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A single mailbox.
    Mailbox(Mailbox),
    /// A group: `name: list;`.
    Group {
        /// Decoded name of the group.
        name: String,
        /// Members; may be empty, as in `undisclosed-recipients:;`.
        list: Vec<Mailbox>,
    },
}

/// Writes `name <address>` for people: the name is decoded, and quoted if it has characters that separate addresses.
impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_deref() {
            None | Some("") => f.write_str(&self.address),
            Some(name) => {
                write_name(name, f)?;
                write!(f, " <{}>", self.address)
            }
        }
    }
}

/// Writes a name, quoted if it has characters that separate addresses.
fn write_name(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if name.contains(['"', '\\', ',', ';', ':', '<', '>', '(', ')', '@', '[', ']']) {
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{name}\"")
    } else {
        f.write_str(name)
    }
}

/// Writes a mailbox, or `name: list;`. Names are quoted as those of a [`Mailbox`].
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mailbox(mailbox) => mailbox.fmt(f),
            Self::Group { name, list } => {
                write_name(name, f)?;
                f.write_str(":")?;
                for (index, mailbox) in list.iter().enumerate() {
                    write!(f, "{} {mailbox}", if index == 0 { "" } else { "," })?;
                }
                f.write_str(";")
            }
        }
    }
}

/// Parses a list of addresses, then decodes the encoded words in its names.
///
/// A decoded name may contain a comma or `@`; it stays one name.
pub fn addresses(value: &[u8], context: &HeaderContext, findings: &mut Vec<Finding>) -> Vec<Entry> {
    let mut reader = List::default();
    for part in address_tokens(value, context, findings) {
        match part {
            AddressToken::Separator(byte, at) => reader.separator(byte, at),
            AddressToken::Text(text, at) => reader.text(&text, at, false),
            AddressToken::Quoted(text, at) => reader.text(&text, at, true),
            AddressToken::Comment(text, at) => reader.comment(text, &at),
            AddressToken::Address(bytes, at) => reader.address(bytes, at),
        }
    }
    reader.end();
    reader.close();
    reader.done
}

/// Returns true if a mailbox has several addresses: two in angles, or two without a comma between them.
pub(crate) fn has_several_addresses(value: &[u8]) -> bool {
    // The address since the last separator: None without one, else true for one in angles.
    let mut open = None;
    for part in address_tokens(value, &HeaderContext::default(), &mut Vec::new()) {
        match part {
            AddressToken::Separator(..) => open = None,
            // `a @ b` is one address in two pieces; a lone `@` is no address.
            AddressToken::Address(bytes, _) if bytes.starts_with(b"@") || bytes.ends_with(b"@") => {
            }
            AddressToken::Address(bytes, _) => {
                let angles = bytes.starts_with(b"<");
                // A bare address before one in angles is its name: `a@b <a@b>`.
                if open.is_some_and(|before| before || !angles) {
                    return true;
                }
                open = Some(angles);
            }
            AddressToken::Text(..) | AddressToken::Quoted(..) | AddressToken::Comment(..) => {}
        }
    }
    false
}

#[derive(Default)]
struct List {
    done: Vec<Entry>,
    /// The open group.
    group: Option<(String, Vec<Mailbox>)>,
    phrase: String,
    /// The phrase contains words or quotes, so it is no address.
    named: bool,
    address: Option<String>,
    /// Offset of a bare address in the phrase and its original text, since it may turn out to be part of the name.
    written: Option<(usize, String)>,
    /// The address is in angles.
    angles: bool,
    comments: Vec<String>,
    /// The last piece was a comment.
    after_comment: bool,
    at: Option<Range<usize>>,
}

impl List {
    fn touch(&mut self, at: &Range<usize>) {
        match &mut self.at {
            Some(own) => own.end = at.end,
            None => self.at = Some(at.clone()),
        }
    }

    fn comment(&mut self, text: String, at: &Range<usize>) {
        self.touch(at);
        self.comments.push(text);
        // White space before and after a comment becomes one space.
        self.phrase.truncate(
            self.phrase.trim_end_matches(' ').len() + usize::from(self.phrase.ends_with(' ')),
        );
        self.after_comment = true;
    }

    fn text(&mut self, text: &str, at: Range<usize>, named: bool) {
        let after_comment = std::mem::take(&mut self.after_comment) && self.phrase.ends_with(' ');
        let text = if after_comment && !named {
            text.trim_start_matches(' ')
        } else {
            text
        };
        if text.trim().is_empty() && !named {
            if self.at.is_some() {
                self.phrase.push_str(text);
            }
            return;
        }
        self.touch(&at);
        self.phrase.push_str(text);
        self.named |= named;
    }

    fn address(&mut self, bytes: &[u8], at: Range<usize>) {
        self.touch(&at);
        let inner = bytes
            .strip_prefix(b"<")
            .and_then(|inner| inner.strip_suffix(b">"));
        let text = bare(inner.unwrap_or(bytes));
        if inner.is_some() {
            // A bare address before the one in angles is a name: `a@b <a@b>`.
            if let Some(before) = self.address.replace(text) {
                self.write_back(before);
            }
            self.angles = true;
            return;
        }
        match &mut self.address {
            // Decoded text is no part of an address.
            None if self.named && text == "@" => self.phrase.push_str(&text),
            None if text.starts_with('@') => {
                // `a @ b`: the obsolete syntax allows this white space.
                let phrase = std::mem::take(&mut self.phrase);
                let local = phrase.trim_end();
                let from = local.rfind(' ').map_or(0, |n| n + 1);
                self.written = Some((from, format!("{}{text}", &phrase[from..])));
                self.address = Some(format!("{}{text}", &local[from..]));
                local[..from].clone_into(&mut self.phrase);
            }
            None => {
                self.written = Some((self.phrase.len(), text.clone()));
                self.address = Some(text);
            }
            Some(_) if self.angles => {
                self.phrase.push_str(&text);
                self.named = true;
            }
            // Two addresses without a comma are two mailboxes.
            Some(_) => {
                self.end();
                self.touch(&at);
                self.address = Some(text);
            }
        }
    }

    /// Inserts a bare address into the phrase at its original offset.
    fn write_back(&mut self, address: String) {
        let (at, text) = self.written.take().unwrap_or((self.phrase.len(), address));
        self.phrase.insert_str(at.min(self.phrase.len()), &text);
        self.named = true;
    }

    fn separator(&mut self, byte: u8, at: Range<usize>) {
        match byte {
            b':' if self.group.is_none() && self.address.is_none() => {
                let name = self.phrase.trim().to_owned();
                self.clear();
                self.group = Some((name, Vec::new()));
            }
            // A route before an address: `@a:b@c`.
            b':' if !self.angles
                && self
                    .address
                    .as_ref()
                    .is_some_and(|route| route.starts_with('@')) =>
            {
                self.address = None;
            }
            b':' => self.text(":", at, false),
            b';' => {
                self.end();
                self.close();
            }
            _ => self.end(),
        }
    }

    fn clear(&mut self) {
        let done = std::mem::take(&mut self.done);
        let group = self.group.take();
        *self = Self {
            done,
            group,
            ..Self::default()
        };
    }

    /// Ends a mailbox and adds it to the group or the list.
    fn end(&mut self) {
        // Decoded text is no domain.
        if self.named
            && !self.angles
            && self
                .address
                .as_ref()
                .is_some_and(|address| address.ends_with('@'))
        {
            let address = self.address.take().unwrap_or_default();
            self.write_back(address);
        }
        let phrase = self.phrase.split_whitespace().collect::<Vec<_>>().join(" ");
        // Spaces of quoted strings stay.
        let phrase = if self.named {
            self.phrase.trim().to_owned()
        } else {
            phrase
        };
        let mut mailbox = Mailbox {
            comments: std::mem::take(&mut self.comments),
            at: self.at.clone().unwrap_or_default(),
            ..Mailbox::default()
        };
        match self.address.take() {
            Some(address) => {
                let (address, more) = if address.ends_with('@') && !self.angles {
                    // The second half of `a @ b`.
                    let (domain, more) = phrase.split_once(' ').unwrap_or((&phrase, ""));
                    (address + domain, more.to_owned())
                } else {
                    (address, phrase)
                };
                mailbox.address = address;
                mailbox.name = Some(more).filter(|name| !name.is_empty());
            }
            None if phrase.is_empty() => {}
            // A lone atom is a local part: `root`.
            None if !self.named && !phrase.contains(' ') => mailbox.address = phrase,
            None => mailbox.name = Some(phrase),
        }
        if mailbox.name.is_none() && !mailbox.address.is_empty() {
            mailbox.name = mailbox.comments.pop().filter(|name| !name.is_empty());
        }
        self.clear();
        if mailbox.name.is_none() && mailbox.address.is_empty() {
            return;
        }
        match &mut self.group {
            Some((_, list)) => list.push(mailbox),
            None => self.done.push(Entry::Mailbox(mailbox)),
        }
    }

    fn close(&mut self) {
        if let Some((name, list)) = self.group.take() {
            self.done.push(Entry::Group { name, list });
        }
    }
}

/// Removes white space, comments and the route from an address. Quoted strings stay.
fn bare(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut comments) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = lexer::quoted_end(bytes, at).unwrap_or(bytes.len());
                out.extend(
                    bytes[at..end]
                        .iter()
                        .filter(|b| !matches!(b, b'\r' | b'\n')),
                );
                at = end;
                continue;
            }
            b'(' if comments => {
                if let Some(end) = lexer::comment_end(bytes, at) {
                    at = end;
                    continue;
                }
                comments = false;
                out.push(byte);
            }
            _ if lexer::is_space(byte) => {}
            _ => out.push(byte),
        }
        at += 1;
    }
    let route = out.first() == Some(&b'@');
    let start = if route {
        memchr::memchr(b':', &out).map_or(0, |n| n + 1)
    } else {
        0
    };
    let mut text = String::new();
    crate::encoded_word::push_clean(&String::from_utf8_lossy(&out[start..]), &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoded_word::{Form, RewriteTarget, apply};
    use crate::header::{self, FieldKind};
    use crate::linear::assert_linear;

    /// Formats mailboxes as `name <address> (comment)` with `|` between them, and groups as `name{…}`.
    fn shown(value: &str) -> String {
        let mailbox = |m: &Mailbox| {
            let name = m
                .name
                .as_ref()
                .map_or(String::new(), |name| format!("{name} "));
            let comments: String = m.comments.iter().flat_map(|c| [" (", c, ")"]).collect();
            format!("{name}<{}>{comments}", m.address)
        };
        let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
        let entries = list.iter().map(|entry| match entry {
            Entry::Mailbox(m) => mailbox(m),
            Entry::Group { name, list } => {
                format!(
                    "{name}{{{}}}",
                    list.iter().map(mailbox).collect::<Vec<_>>().join("|")
                )
            }
        });
        entries.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn displayed_names_are_quoted_where_they_need_quotes() {
        for value in [
            "\"a, b: c\": \"d; e\" <d@e>, f@g;",
            "\"a \\\\ \\\"b\\\"\" <c@d>",
            "team: a@b, c <d@e>;",
        ] {
            let list = addresses(value.as_bytes(), &HeaderContext::default(), &mut Vec::new());
            let [entry] = &list[..] else {
                panic!("{list:?}")
            };
            assert_eq!(entry.to_string(), value);
        }
    }

    #[test]
    fn rewritten_comments_and_strings_have_no_quoted_pairs() {
        for (value, want, name) in [
            (
                &b"b@x.org (\\\"M\xfcller\\\")"[..],
                "b@x.org (=?UTF-8?B?Ik3DvGxsZXIi?=)",
                "\"Müller\"",
            ),
            (
                b"b@x.org (a\\)b \\\\\xfc \\c)",
                "b@x.org (a\\)b =?UTF-8?B?XMO8?= \\c)",
                "a)b \\ü c",
            ),
            (
                b"b@x.org (\xfc\\ \xe4\\\\ c)",
                "b@x.org (=?UTF-8?B?w7wgw6Rc?= c)",
                "ü ä\\ c",
            ),
            (
                b"\"\\\"M\xfcller\\\"\" <b@x.org>",
                "=?UTF-8?B?Ik3DvGxsZXIi?= <b@x.org>",
                "\"Müller\"",
            ),
            (
                b"\"a\\\\b\\ \xfc\" <b@x.org>",
                "=?UTF-8?B?YVxiIMO8?= <b@x.org>",
                "a\\b ü",
            ),
        ] {
            for form in [Form::Words, Form::RawUtf8, Form::Iso2022Jp] {
                let target = RewriteTarget {
                    form,
                    column: 9,
                    eol: "\n",
                };
                let (kind, context) = (FieldKind::Structured, HeaderContext::default());
                let list = header::rewrite(value, kind, target, &context, &mut Vec::new());
                let after = apply(value, &list);
                let read = |value: &[u8]| {
                    let text = header::decode(value, kind, &context, &mut Vec::new()).into_owned();
                    let list = addresses(value, &context, &mut Vec::new());
                    let Some(Entry::Mailbox(mailbox)) = list.into_iter().next() else {
                        panic!("no mailbox in {text}")
                    };
                    (text, mailbox.name, mailbox.address)
                };
                let shown = String::from_utf8_lossy(&after);
                if form == Form::Words {
                    assert_eq!(shown, want);
                }
                assert_eq!(read(&after).1.as_deref(), Some(name), "{shown} {form:?}");
                assert_eq!(read(&after), read(value), "{shown} {form:?}");
            }
        }
    }

    #[test]
    fn lists_are_split_before_words_are_decoded() {
        for (value, want) in [
            ("a@b.example", "<a@b.example>"),
            (
                " Joe Q. Public <john.q@example.com>, <c@d>",
                "Joe Q. Public <john.q@example.com>|<c@d>",
            ),
            (
                "\"Giant; \\\"Big\\\" Box\" <s@b.example>",
                "Giant; \"Big\" Box <s@b.example>",
            ),
            (
                "=?utf-8?Q?M=C3=BCller=2C_Max_=3Cx=40y=3E?= <a@b>",
                "Müller, Max <x@y> <a@b>",
            ),
            (
                "=?utf-8?Q?=C3=BC?= =?utf-8?Q?=C3=A4?= x <a@b>",
                "üä x <a@b>",
            ),
            ("\"=?utf-8?Q?=C3=BC?=\" <a@b>", "ü <a@b>"),
            ("A Group:Ed <e@x>,j@y (Joe);", "A Group{Ed <e@x>|Joe <j@y>}"),
            ("Undisclosed recipients:;", "Undisclosed recipients{}"),
            (
                "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=: a@b, c@d; e@f",
                "Grüße{<a@b>|<c@d>}|<e@f>",
            ),
            (
                "Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>",
                "Pete <pete@silly.test> (A nice ) chap)",
            ),
            ("a@b (=?utf-8?Q?J=C3=B6rg?=)", "Jörg <a@b>"),
            ("joe @ x.example", "<joe@x.example>"),
            ("joe@ x.example", "<joe@x.example>"),
            ("<@a.example,@b.example:c@d>", "<c@d>"),
            ("@a.example:c@d", "<c@d>"),
            ("n <@a.example:c@d>, @b.example: e@f", "n <c@d>|<e@f>"),
            ("\"a b\"@c.example", "<\"a b\"@c.example>"),
            ("x <\"a>b\"@c.example>", "x <\"a>b\"@c.example>"),
            (
                "<\"a>b\" @ x.de>, J\u{f6}rg \"x\" <c@d.de>",
                "<\"a>b\"@x.de>|J\u{f6}rg x <c@d.de>",
            ),
            (
                "<\"a b\" @ x.de>, \"@J\u{f6}rg\" <c@d.de>",
                "<\"a b\"@x.de>|@J\u{f6}rg <c@d.de>",
            ),
            ("n <a(>)@b>", "n <a@b>"),
            (
                "u@[IPv6:2001:db8::1], v@[192.0.2.1]",
                "<u@[IPv6:2001:db8::1]>|<v@[192.0.2.1]>",
            ),
            ("a@b <c@d>", "a@b <c@d>"),
            ("a@b c@d", "<a@b>|<c@d>"),
            ("root, Joe Public", "<root>|Joe Public <>"),
            (",, a@b,", "<a@b>"),
            ("", ""),
            ("=?utf-8?Q?a?=@b.example", "<=?utf-8?Q?a?=@b.example>"),
            ("Open \"quote <a@b>", "Open \"quote <a@b>"),
            (
                "Gr\u{fc}n <gr\u{fc}n@b.example>",
                "Gr\u{fc}n <gr\u{fc}n@b.example>",
            ),
            ("G: =?utf-8?Q?=3B?= <a@b>;", "G{; <a@b>}"),
            ("<>", ""),
            ("a . b @ c . example", "<a.b@c.example>"),
            ("x y @ z", "x <y@z>"),
            ("\"a\".b@c.d", "<\"a\".b@c.d>"),
            ("a.\"b c\".d@e", "<a.\"b c\".d@e>"),
            ("\"a\" . \"b\"@c.d", "<\"a\".\"b\"@c.d>"),
            ("a@c .d", "<a@c.d>"),
            ("hans @ home <a@b.c>", "hans @ home <a@b.c>"),
            (
                "Mr. hans @home sweet <a@b.c>",
                "Mr. hans @home sweet <a@b.c>",
            ),
            ("a@b \"n\" <c@d>", "a@b n <c@d>"),
            ("x a@b y <c@d>", "x a@b y <c@d>"),
            (
                "=?utf-8?q?boss=40bank?= @ evil.example",
                "<=?utf-8?q?boss=40bank?=@evil.example>",
            ),
            (
                "=?utf-8?q?boss=40bank?= @ evil.example x",
                "boss@bank @ evil.example x <>",
            ),
            (
                "a @ =?utf-8?q?bank.example?=",
                "<a@=?utf-8?q?bank.example?=>",
            ),
            ("a @ =?utf-8?q?bank.example?= x", "a @ bank.example x <>"),
            ("G: a . b@c, d@e .f;", "G{<a.b@c>|<d@e.f>}"),
            ("\"x y\" @ b.example", "<\"x y\"@b.example>"),
            ("x . \"y\" @ b.example (n)", "n <x.\"y\"@b.example>"),
            ("J\u{f6}rg @ b.example", "<J\u{f6}rg@b.example>"),
            ("=?utf-8?Q?=C3=BC?= (c) Bob <a@b>", "\u{fc} Bob <a@b> (c)"),
            ("\u{fc} (c)(d)  Bob <a@b>", "\u{fc} Bob <a@b> (c) (d)"),
        ] {
            assert_eq!(shown(value), want, "{value:?}");
        }
    }

    #[test]
    fn mailboxes_with_rival_addresses() {
        for (value, want) in [
            ("x <a@b>", false),
            ("a@b <a@b>", false),
            ("x <a@b>, y <c@d>", false),
            ("G: a@b, c@d;", false),
            ("a @ b", false),
            ("\"x <a@b>\" <c@d>", false),
            ("=?utf-8?Q?<a@b>?= <c@d> (<e@f>)", false),
            ("<a@b> <c@d>", true),
            ("x <a@b(c)> <d@e>", true),
            ("x <a@b> c@d", true),
            ("a@b c@d", true),
        ] {
            assert_eq!(has_several_addresses(value.as_bytes()), want, "{value:?}");
        }
    }

    #[test]
    fn places_are_those_of_the_mailboxes() {
        let value = b"x <a@b>, =?utf-8?Q?=C3=BC?= <c@d> (e)";
        let list = addresses(value, &HeaderContext::default(), &mut Vec::new());
        let places: Vec<_> = list
            .iter()
            .map(|entry| match entry {
                Entry::Mailbox(m) => &value[m.at.clone()],
                Entry::Group { .. } => &[],
            })
            .collect();
        assert_eq!(places, [&b"x <a@b>"[..], b"=?utf-8?Q?=C3=BC?= <c@d> (e)"]);
    }

    #[test]
    fn long_input_takes_linear_time() {
        for unit in [
            "a@b,",
            "(",
            "\"",
            "<",
            "a:",
            ";",
            "=?utf-8?Q?a?= ",
            "@",
            "<@",
            "a ",
            "<a(b",
            "<\"a\"(",
            "[",
            "a@[",
        ] {
            assert_linear(&unit, 100_000, |n| {
                let _ = addresses(
                    unit.repeat(n).as_bytes(),
                    &HeaderContext::default(),
                    &mut Vec::new(),
                );
            });
        }
    }
}
