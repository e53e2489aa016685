//! Builds mailboxes and groups from the tokens of an address list.
//!
//! # Limits
//!
//! Groups do not nest.

use super::address_forms::{
    bare, decnet_rest, ends_in_address, ends_with_mailto, is_bare_address, is_half,
    is_obscured_address, scheme_start,
};
use super::mailbox::{Entry, Mailbox};
use super::unquoted_comma::{are_two_names, is_first_part, is_last_part, is_title};
use crate::encoded_word::AddressToken;
use crate::event::{Detail, EventKind, Finding, FindingList};
use std::borrow::Cow;
use std::ops::Range;

impl List {
    pub(super) fn new(last_address_counts: bool) -> Self {
        Self {
            last_address_counts,
            ..Self::default()
        }
    }

    pub(super) fn read(
        self,
        value: &[u8],
        tokens: &[AddressToken<'_>],
        findings: &mut Vec<Finding>,
    ) -> Vec<Entry> {
        let mut reader = self;
        let mut next = 0;
        while let Some(token) = tokens.get(next) {
            next += 1;
            match token {
                AddressToken::Separator(b':', at) if reader.may_be_decnet() => {
                    match decnet_rest(&tokens[next..]) {
                        0 => reader.separator(b':', at.clone()),
                        count => {
                            reader.text(":", at.clone(), false);
                            reader.push_decnet(&tokens[next..next + count]);
                            next += count;
                        }
                    }
                }
                AddressToken::Separator(byte, at) => reader.separator(*byte, at.clone()),
                AddressToken::Text(text, at) => reader.text(text, at.clone(), false),
                AddressToken::Quoted(text, at) => reader.text(text, at.clone(), true),
                AddressToken::Comment(text, at) => {
                    let inner = value.get(at.start + 1..at.end - 1);
                    // An encoded word is no address, whatever it decodes to.
                    let is_address = inner == Some(text.as_bytes()) && is_bare_address(text);
                    reader.comment(text.clone(), is_address, at);
                }
                AddressToken::Address(text, at) => reader.address(text, at.clone()),
            }
        }
        reader.end();
        reader.close();
        findings.append(&mut reader.findings);
        reader.done
    }
}

/// The start of the text after an address in angles. It is the name of the next address, if one follows without a comma.
struct NextName {
    /// Offset in the phrase.
    phrase: usize,
    /// Number of comments before it.
    comments: usize,
    /// True if the phrase before it contains words or quotes.
    named: bool,
    /// Offset in the value of the end of the mailbox before it.
    end: usize,
    /// Offset in the value.
    start: usize,
}

#[derive(Default)]
pub(super) struct List {
    done: Vec<Entry>,
    /// The last address in angles counts, even without a comma before it.
    last_address_counts: bool,
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
    /// Where the name of another address may begin.
    next_name: Option<NextName>,
    comments: Vec<String>,
    /// Length of the phrase at the first comment.
    before_comments: Option<usize>,
    /// The last comment is an address.
    is_address_comment: bool,
    /// The last piece was a comment.
    after_comment: bool,
    /// The last piece was an address.
    after_address: bool,
    /// Offset in the phrase after its last words or quotes, and after its last address in angles.
    unquoted: usize,
    at: Option<Range<usize>>,
    /// The number of entries directly before this one that have no address and may be the first part of its name.
    first_parts: usize,
    /// `mailto:` precedes the address.
    is_link: bool,
    /// What is odd about names.
    findings: Vec<Finding>,
}

impl List {
    fn touch(&mut self, at: &Range<usize>) {
        match &mut self.at {
            Some(own) => own.end = at.end,
            None => self.at = Some(at.clone()),
        }
    }

    fn comment(&mut self, text: String, is_address: bool, at: &Range<usize>) {
        self.touch(at);
        self.after_address = false;
        self.is_address_comment = is_address;
        self.before_comments
            .get_or_insert(self.phrase.trim_end().len());
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
        let after_address = std::mem::take(&mut self.after_address);
        let stray = after_address && !named && text.trim_start().starts_with('>');
        let text = if stray {
            // Stray angles: `<<a@b>>`, `a@b>`.
            self.touch(&at);
            format!(" {}", text.trim_start_matches(['>', ' ', '\t'])).into()
        } else {
            Cow::Borrowed(text)
        };
        if text.trim().is_empty() && !named {
            if self.at.is_some() {
                self.phrase.push_str(&text);
            }
            return;
        }
        self.begin_next_name(at.start);
        self.touch(&at);
        self.phrase.push_str(&text);
        self.named |= named;
        if named {
            self.unquoted = self.phrase.len();
        }
    }

    /// Notes where text begins after an address in angles.
    fn begin_next_name(&mut self, start: usize) {
        if !self.angles || self.next_name.is_some() {
            return;
        }
        self.next_name = Some(NextName {
            phrase: self.phrase.len(),
            comments: self.comments.len(),
            named: std::mem::take(&mut self.named),
            end: self.at.as_ref().map_or(start, |at| at.end),
            start,
        });
    }

    /// Ends the mailbox before a second address without a comma. Text after the first address is the name of the second one.
    fn split(&mut self, at: Range<usize>) {
        let Some(next) = self.next_name.take() else {
            self.end();
            self.touch(&at);
            return;
        };
        let phrase = self.phrase.split_off(next.phrase.min(self.phrase.len()));
        let comments = self.comments.split_off(next.comments);
        let named = std::mem::replace(&mut self.named, next.named);
        let unquoted = self.unquoted.saturating_sub(next.phrase);
        if let Some(own) = &mut self.at {
            own.end = next.end;
        }
        self.end();
        self.phrase = phrase;
        self.comments = comments;
        self.named = named;
        self.unquoted = unquoted;
        self.at = Some(next.start..at.end);
    }

    /// Returns true for a bare address that Outlook repeats after one in angles: `Bob <a@b.example> [mailto:a@b.example]`.
    fn is_in_brackets(&self, written: &str) -> bool {
        if written.starts_with('<') {
            return false;
        }
        let start = self
            .next_name
            .as_ref()
            .map_or(self.phrase.len(), |next| next.phrase);
        let before = self.phrase.get(start..).unwrap_or_default().trim_end();
        // `a@[192.0.2.1]` ends in the bracket of its domain.
        let closes = written.ends_with(']') && !written.contains("@[");
        closes || before.ends_with('[') || ends_with_mailto(before) || written.starts_with('[')
    }

    /// Removes stray opening angles before an address from the phrase, but none of its words and quotes: `Joe <a@b`.
    fn strip_open_angle(&mut self) {
        let start = self.unquoted.min(self.phrase.len());
        let own = &self.phrase[start..];
        if own.trim_end().ends_with('<') {
            let kept = own.trim_end_matches(['<', ' ', '\t']).len();
            self.phrase.truncate(start + kept);
            self.phrase.push(' ');
        }
    }

    fn address(&mut self, written: &str, at: Range<usize>) {
        let inner = written
            .strip_prefix('<')
            .and_then(|inner| inner.strip_suffix('>'));
        let text = bare(inner.unwrap_or(written));
        let has_first = self.address.as_ref().is_some_and(|first| !first.is_empty());
        if self.angles
            && has_first
            && !is_half(written)
            && !self.last_address_counts
            && !self.is_in_brackets(written)
        {
            self.split(at.clone());
        }
        self.touch(&at);
        self.after_address = true;
        if inner.is_some() {
            // A second angle: `<<a@b>>`.
            let text = text.trim_start_matches('<').to_owned();
            // A bare address before the one in angles is a name: `a@b <a@b>`.
            if let Some(before) = self.address.replace(text) {
                self.write_back(before);
            }
            self.unquoted = self.phrase.len();
            self.angles = true;
            return;
        }
        self.strip_open_angle();
        match &mut self.address {
            // An encoded word or a quoted string is no local part: `"Joe" @`.
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
                let bracket = text
                    .strip_suffix(']')
                    .filter(|_| self.is_link && !text.contains("@["));
                let text = bracket.map_or(text.clone(), str::to_owned);
                self.written = Some((self.phrase.len(), text.clone()));
                self.address = Some(text);
            }
            Some(_) if self.angles => {
                self.begin_next_name(at.start);
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
        // A bare address that Outlook shows: `Bob [mailto:a@b.example]`.
        if byte == b':'
            && self.address.is_none()
            && let Some(start) = scheme_start(&self.phrase)
        {
            self.phrase.truncate(start);
            self.unquoted = self.unquoted.min(start);
            self.is_link = true;
            return;
        }
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
            _ => {
                let first_parts = if self.may_be_first_part() {
                    self.first_parts + 1
                } else {
                    0
                };
                self.end();
                self.first_parts = first_parts;
            }
        }
    }

    fn clear(&mut self) {
        let done = std::mem::take(&mut self.done);
        let group = self.group.take();
        let findings = std::mem::take(&mut self.findings);
        *self = Self {
            done,
            group,
            findings,
            last_address_counts: self.last_address_counts,
            ..Self::default()
        };
    }

    /// Returns true if the phrase is one word before a colon, such as `HOST` of the DECnet address `HOST::USER`.
    fn may_be_decnet(&self) -> bool {
        let host = self.phrase.trim_start();
        self.group.is_none()
            && self.address.is_none()
            && !self.named
            && self.comments.is_empty()
            && host.ends_with(|c: char| c.is_ascii_alphanumeric())
            && !host.contains(|c: char| c.is_ascii_whitespace())
    }

    /// Adds the rest of an address of DECnet.
    fn push_decnet(&mut self, tokens: &[AddressToken<'_>]) {
        for token in tokens {
            match token {
                AddressToken::Separator(_, at) => self.text(":", at.clone(), false),
                AddressToken::Text(text, at) => self.text(text, at.clone(), false),
                _ => {}
            }
        }
    }

    /// Ends a mailbox and adds it to the group or the list.
    fn end(&mut self) {
        if let Some(next) = self.next_name.take() {
            self.named |= next.named;
        }
        // An encoded word is no domain: `joe@ =?utf-8?Q?b?=`.
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
        let mut mailbox = self.take_mailbox();
        if self.angles {
            self.join_first_parts(&mut mailbox);
        }
        if mailbox.address.is_empty() && mailbox.name.as_deref().is_some_and(ends_in_address) {
            let kind = EventKind::HdrEncodedAddress;
            self.findings.add(mailbox.at.clone(), kind, Detail::None);
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

    /// Returns the mailbox of the phrase, the address and the comments since the last entry. Takes the address and the comments.
    fn take_mailbox(&mut self) -> Mailbox {
        let phrase = if self.named {
            // Spaces of quoted strings stay.
            self.phrase.trim().to_owned()
        } else {
            self.phrase.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        // Comments stand only after the phrase.
        let is_whole = self
            .before_comments
            .is_none_or(|length| length == self.phrase.trim_end().len());
        let mut mailbox = Mailbox {
            comments: std::mem::take(&mut self.comments),
            at: self.at.clone().unwrap_or_default(),
            ..Mailbox::default()
        };
        match self.address.take() {
            Some(address) => {
                let (address, name) = if address.ends_with('@') && !self.angles {
                    // The second half of `a @ b`.
                    let (domain, name) = phrase.split_once(' ').unwrap_or((&phrase, ""));
                    (address + domain, name.to_owned())
                } else {
                    (address, phrase)
                };
                mailbox.address = address;
                mailbox.name = Some(name).filter(|name| !name.is_empty());
            }
            None if phrase.is_empty() => {}
            // `Joe (joe@example.org)`
            None if self.is_address_comment && mailbox.comments.len() == 1 => {
                let comment = mailbox.comments.remove(0);
                comment.trim().clone_into(&mut mailbox.address);
                mailbox.name = Some(phrase);
            }
            None if !self.named
                && is_whole
                && is_obscured_address(&phrase, !mailbox.comments.is_empty()) =>
            {
                mailbox.address = phrase;
            }
            // A lone atom is a local part: `root`.
            None if !self.named && !phrase.contains(' ') => mailbox.address = phrase,
            None => mailbox.name = Some(phrase),
        }
        mailbox
    }

    /// Returns true if a comma after this entry may belong to a name: `Smith, John <js@x.example>`.
    fn may_be_first_part(&self) -> bool {
        self.address.is_none() && self.comments.is_empty() && is_first_part(&self.phrase)
    }

    /// Returns the last mailbox of the open group or of the list.
    fn last_mailbox(&self) -> Option<&Mailbox> {
        match (&self.group, self.done.last()) {
            (Some((_, list)), _) => list.last(),
            (None, Some(Entry::Mailbox(last))) => Some(last),
            _ => None,
        }
    }

    /// Joins the entries before an address in angles to its name if they are parts of it.
    fn join_first_parts(&mut self, mailbox: &mut Mailbox) {
        let name = mailbox.name.as_deref().unwrap_or_default();
        let belongs = match self.first_parts {
            1 => {
                let first = self.last_mailbox().and_then(|first| first.name.as_deref());
                is_last_part(name) && !first.is_some_and(|first| are_two_names(first, name))
            }
            2 => is_last_part(name) && is_title(name),
            _ => false,
        };
        if !belongs || mailbox.address.is_empty() {
            return;
        }
        for _ in 0..self.first_parts {
            let first = match &mut self.group {
                Some((_, list)) => list.pop(),
                None => match self.done.pop() {
                    Some(Entry::Mailbox(first)) => Some(first),
                    other => {
                        self.done.extend(other);
                        None
                    }
                },
            };
            let Some(first) = first else { return };
            // A lone atom was read as a local part.
            let part = first.name.unwrap_or(first.address);
            let name = mailbox.name.take().unwrap_or_default();
            mailbox.name = Some(format!("{part}, {name}"));
            mailbox.at.start = first.at.start;
        }
        let kind = EventKind::HdrUnquotedComma;
        self.findings.add(mailbox.at.clone(), kind, Detail::None);
    }

    fn close(&mut self) {
        if let Some((name, list)) = self.group.take() {
            self.done.push(Entry::Group { name, list });
        }
    }
}
