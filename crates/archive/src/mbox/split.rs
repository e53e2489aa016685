//! The splitting rule: evidence for and against a `From ` line, and the test for an open multipart.
//!
//! A decision depends on the profile of the file and on the bytes within 1 MiB, nothing else; so it is the same
//! for every way of cutting the file.
//!
//! # Limits
//! A `From ` line above 4 KiB is never a separator. A delimiter counts only when it holds a letter or digit, and one that
//! is followed by a blank line instead of a part header also needs a digit, `=` or `_`: rows of dashes and signatures
//! (`--Joe`) occur in many messages of one mailbox and open nothing.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memmem::Finder;

use super::from_line::{FromLine, Shape, Shapes};
use super::write::{quote_depth, split_line};

/// Bytes before and after a candidate that the open-multipart test looks at.
pub(super) const FAR: u64 = 1 << 20;
/// Bytes after the start of a candidate that all other evidence lies in.
pub(super) const NEAR: usize = 16 << 10;
/// Bytes before a candidate that evidence may lie in.
pub(super) const BEHIND: usize = 1 << 10;
/// Points from which a candidate is accepted.
pub(super) const ACCEPT: i32 = 6;

const LONGEST_LINE: usize = 4 << 10;

/// What follows a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follower {
    /// A field known in mail.
    Known,
    /// Something of the shape `name: value`.
    Field,
    /// Anything else.
    Other,
}

/// What speaks for and against a candidate, as far as its neighborhood tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The line itself.
    pub line: FromLine,
    /// Index after its line end.
    pub end: usize,
    /// A blank line stands before, or only the prelude.
    pub blank_before: bool,
    /// The first line after it that is no quoted or unquoted `From ` line.
    pub follower: Follower,
    /// The lines around it are base64.
    pub base64: bool,
}

impl Evidence {
    /// Looks at a `From ` line that starts at `at`. `data` starts up to [`BEHIND`] bytes before the candidate, or at the start
    /// of the entry; it ends [`NEAR`] bytes after `at` or at the end of the file (`whole`). `None`: no line of bearable length.
    pub(super) fn gather(data: &[u8], at: usize, first: bool, whole: bool) -> Option<Self> {
        let (line, step) = split_line(&data[at..]);
        if line.len() > LONGEST_LINE || (step == line.len() && !whole) {
            return None;
        }
        let end = at + step;
        let before = line_before(data, at);
        let mut follower = &data[end..];
        let mut after = None;
        for _ in 0..16 {
            let (line, step) = split_line(follower);
            after = Some(line);
            if !is_from_line(line) || step == line.len() {
                break;
            }
            follower = &follower[step..];
        }
        let after = after.unwrap_or_default();
        Some(Self {
            line: FromLine::classify(line),
            end,
            blank_before: first || before.is_some_and(<[u8]>::is_empty),
            follower: Follower::of(after),
            base64: before.is_some_and(is_base64_line) && is_base64_line(split_line(&data[end..]).0),
        })
    }

    /// The points without those of the open-multipart test.
    pub(super) fn points(&self, dominant: Shapes) -> i32 {
        let mut points = 0;
        if self.blank_before {
            points += 2;
        }
        if self.line.dated {
            points += 2;
        }
        points += match self.follower {
            Follower::Known => 3,
            Follower::Field => 2,
            Follower::Other => 0,
        };
        if dominant.contains(self.line) {
            points += 3;
        } else if self.line.shape == Shape::Git {
            points -= 6;
        }
        if self.base64 {
            points -= 2;
        }
        points
    }
}

/// Points of a candidate inside an open multipart.
pub(super) const INSIDE: i32 = -6;

/// True when a `From ` found at `at` starts a line; `start` tells that index 0 of `data` starts one.
pub(super) fn starts_line(data: &[u8], at: usize, start: bool) -> bool {
    match at.checked_sub(1) {
        None => start,
        Some(before) => matches!(data[before], b'\n' | b'\r'),
    }
}

fn is_from_line(line: &[u8]) -> bool {
    let depth = line.iter().take_while(|&&byte| byte == b'>').count();
    line[depth..].starts_with(b"From ")
}

/// The line before `at` without its end, as far as it lies within [`BEHIND`].
fn line_before(data: &[u8], at: usize) -> Option<&[u8]> {
    let before = &data[at.saturating_sub(BEHIND)..at];
    let ([before @ .., b'\r', b'\n'] | [before @ .., b'\n' | b'\r']) = before else { return None };
    let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1);
    Some(&before[start..])
}

/// A full-width line of base64, as in the middle of a body.
fn is_base64_line(line: &[u8]) -> bool {
    (60..=76).contains(&line.len())
        && line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

impl Follower {
    /// Classifies a line.
    pub(super) fn of(line: &[u8]) -> Self {
        let name = line.iter().take_while(|byte| (b'!'..=b'~').contains(byte) && **byte != b':').count();
        let colon = name + line[name..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if name == 0 || name > 70 || line.get(colon) != Some(&b':') {
            return Self::Other;
        }
        if is_known(&line[..name]) {
            Self::Known
        } else if colon == name && matches!(line.get(colon + 1), None | Some(b' ' | b'\t')) {
            Self::Field
        } else {
            Self::Other
        }
    }
}

/// Names of fields that stand in mail and hardly in prose.
fn is_known(name: &[u8]) -> bool {
    const FAMILIES: [&str; 10] = [
        "x-",
        "list-",
        "content-",
        "dkim-",
        "arc-",
        "resent-",
        "received-",
        "authentication-",
        "original-",
        "mail-",
    ];
    const NAMES: &[&str] = &[
        "approved",
        "auto-submitted",
        "bcc",
        "cc",
        "comments",
        "date",
        "delivered-to",
        "delivery-date",
        "disposition-notification-to",
        "domainkey-signature",
        "encoding",
        "envelope-to",
        "errors-to",
        "followup-to",
        "from",
        "importance",
        "in-reply-to",
        "keywords",
        "lines",
        "mailing-list",
        "message-id",
        "mime-version",
        "newsgroups",
        "organisation",
        "organization",
        "path",
        "precedence",
        "priority",
        "received",
        "references",
        "reply-to",
        "return-path",
        "return-receipt-to",
        "sender",
        "sensitivity",
        "status",
        "subject",
        "thread-index",
        "thread-topic",
        "to",
        "user-agent",
        "xref",
    ];
    let begins = |family: &&str| {
        name.get(..family.len()).is_some_and(|start| start.eq_ignore_ascii_case(family.as_bytes()))
    };
    FAMILIES.iter().any(begins) || NAMES.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
}

/// Lines that look like delimiters of a multipart, around the place that is being decided.
///
/// `advance` walks over the file once; what lies ahead of the candidate waits in a queue until the candidate passes it.
/// Each key (hash of a delimiter) knows whether it is open and what comes next for it, so a question costs no search.
pub(super) struct Delimiters {
    lines: Finder<'static>,
    declarations: Finder<'static>,
    /// Lone CRs end lines too.
    bare_cr: bool,
    /// Everything that starts before this offset was read.
    read: u64,
    /// Read, but at or after the last candidate.
    ahead: VecDeque<Mark>,
    /// Opened delimiters in order of offset, for forgetting.
    opened: VecDeque<(u64, u64)>,
    keys: HashMap<u64, Key>,
    /// Number of keys that are open and come again.
    live: usize,
}

#[derive(Clone, Copy)]
struct Mark {
    at: u64,
    key: u64,
    kind: MarkKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    /// `--X` before a part.
    Open,
    /// `--X` before anything else.
    Plain,
    /// `--X--`
    Close,
    /// `boundary="X"`
    Declare,
}

#[derive(Default)]
struct Key {
    opened: Option<u64>,
    ahead: VecDeque<MarkKind>,
}

impl Key {
    /// Open, and its delimiter comes again before it is declared anew.
    fn is_live(&self) -> bool {
        self.opened.is_some() && self.ahead.front().is_some_and(|kind| *kind != MarkKind::Declare)
    }
}

impl Delimiters {
    /// Longest delimiter line with white space after it, and what is looked at behind it.
    const REACH: usize = 128;

    pub(super) fn new(bare_cr: bool) -> Self {
        Self {
            lines: Finder::new(if bare_cr { "--" } else { "\n--" }),
            declarations: Finder::new("oundary"),
            bare_cr,
            read: 0,
            ahead: VecDeque::new(),
            opened: VecDeque::new(),
            keys: HashMap::new(),
            live: 0,
        }
    }

    /// Bytes needed after the offset given to [`Self::settle`] or [`Self::look_ahead`].
    pub(super) const fn reach() -> u64 {
        Self::REACH as u64
    }

    /// Takes in the lines that start before `to`; `data` starts at offset `base` and reaches [`Self::reach`] beyond `to` or to
    /// the end of the file.
    pub(super) fn settle(&mut self, data: &[u8], base: u64, to: u64) {
        while let Some(mark) = self.ahead.front().copied().filter(|mark| mark.at < to) {
            self.ahead.pop_front();
            self.change(mark.key, |key| {
                key.ahead.pop_front();
            });
            self.take_in(mark);
        }
        if self.read < to {
            let from = self.read.max(base);
            let mut marks = Vec::new();
            self.find_lines(data, base, from, to, &mut marks);
            for mark in marks {
                self.take_in(mark);
            }
            self.read = to;
        }
        while let Some(&(at, key)) = self.opened.front() {
            if at + FAR >= to {
                break;
            }
            self.opened.pop_front();
            self.change(key, |key| {
                if key.opened == Some(at) {
                    key.opened = None;
                }
            });
        }
    }

    /// True when nothing is open: then nothing is inside, whatever comes.
    pub(super) fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// Reads the lines that start before `to` without passing them.
    pub(super) fn look_ahead(&mut self, data: &[u8], base: u64, to: u64) {
        if self.read >= to {
            return;
        }
        let mut marks = Vec::new();
        self.find_lines(data, base, self.read, to, &mut marks);
        self.find_declarations(data, base, self.read, to, &mut marks);
        marks.sort_by_key(|mark| mark.at);
        for mark in marks {
            self.change(mark.key, |key| key.ahead.push_back(mark.kind));
            self.ahead.push_back(mark);
        }
        self.read = to;
    }

    /// Offset up to which [`Self::look_ahead`] has read.
    pub(super) fn seen(&self) -> u64 {
        self.read
    }

    /// True when an open delimiter comes again.
    pub(super) fn inside(&self) -> bool {
        self.live > 0
    }

    fn take_in(&mut self, mark: Mark) {
        match mark.kind {
            MarkKind::Open => {
                self.change(mark.key, |key| key.opened = Some(mark.at));
                self.opened.push_back((mark.at, mark.key));
            }
            MarkKind::Close if self.keys.contains_key(&mark.key) => {
                self.change(mark.key, |key| key.opened = None);
            }
            _ => {}
        }
    }

    /// Changes a key and keeps the count of live ones; keys that say nothing are dropped.
    fn change(&mut self, key: u64, change: impl FnOnce(&mut Key)) {
        let mut slot = match self.keys.entry(key) {
            Slot::Occupied(slot) => slot,
            Slot::Vacant(slot) => slot.insert_entry(Key::default()),
        };
        let before = slot.get().is_live();
        change(slot.get_mut());
        let key = slot.get();
        self.live = self.live + usize::from(key.is_live()) - usize::from(before);
        if key.opened.is_none() && key.ahead.is_empty() {
            slot.remove();
        }
    }

    fn find_lines(&self, data: &[u8], base: u64, from: u64, to: u64, marks: &mut Vec<Mark>) {
        let (from, to) = ((from - base) as usize, ((to - base) as usize).min(data.len()));
        // A line end before the first line belongs to the search, and a whole line that starts before `to`.
        let mut at = from.saturating_sub(1);
        if from == 0 && base == 0 && data.starts_with(b"--") {
            marks.extend(delimiter(data, 0, base));
        }
        let limit = (to + 2).min(data.len());
        let skip = usize::from(!self.bare_cr);
        while at < limit {
            let Some(found) = self.lines.find(&data[at..limit]) else { return };
            let start = at + found + skip;
            at = start + 1;
            if self.bare_cr && !starts_line(data, start, false) {
                at = start + data[start..limit].iter().take_while(|&&byte| byte == b'-').count();
                continue;
            }
            if start >= from && start < to {
                marks.extend(delimiter(data, start, base));
            }
        }
    }

    fn find_declarations(&self, data: &[u8], base: u64, from: u64, to: u64, marks: &mut Vec<Mark>) {
        let (from, to) = ((from - base) as usize, ((to - base) as usize).min(data.len()));
        let limit = (to + 6).min(data.len());
        let mut at = from;
        while at < limit {
            let Some(found) = self.declarations.find(&data[at..limit]) else { return };
            let start = at + found;
            at = start + 7;
            if start >= to {
                return;
            }
            let value = &data[at..data.len().min(start + Self::REACH)];
            let Some(value) = value.trim_ascii_start().strip_prefix(b"=") else { continue };
            let value = value.trim_ascii_start();
            let name = match value.strip_prefix(b"\"") {
                Some(quoted) => quoted.split(|&byte| byte == b'"').next(),
                None => value.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next(),
            };
            let name = name.unwrap_or_default();
            if (2..=70).contains(&name.len()) {
                marks.push(Mark { at: base + start as u64, key: hash(name), kind: MarkKind::Declare });
            }
        }
    }
}

/// Reads the line at `start`, which begins with `--`.
fn delimiter(data: &[u8], start: usize, base: u64) -> Option<Mark> {
    let window = &data[start..data.len().min(start + Delimiters::REACH)];
    let (line, step) = split_line(&window[..window.len().min(100)]);
    if step == line.len() && line.len() == 100 {
        return None;
    }
    let name = line.get(2..)?.trim_ascii_end();
    let (name, closing) = match name.strip_suffix(b"--") {
        Some(name) => (name, true),
        None => (name, false),
    };
    if !(2..=70).contains(&name.len()) || !name.iter().any(u8::is_ascii_alphanumeric) {
        return None;
    }
    let next = window.get(step..).unwrap_or_default();
    let kind = if closing {
        MarkKind::Close
    } else if next.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"))
        || (matches!(next.first(), None | Some(b'\n' | b'\r')) && looks_generated(name))
    {
        MarkKind::Open
    } else {
        MarkKind::Plain
    };
    Some(Mark { at: base + start as u64, key: hash(name), kind })
}

/// Only characters of RFC 2046 section 5.1.1, and one that programs put in and people seldom.
fn looks_generated(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(byte))
        && name.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'=' | b'_'))
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Number of `>` before a `From ` at `at` when only those stand before it in the line.
pub(super) fn quoted(data: &[u8], at: usize) -> Option<usize> {
    quote_depth(data, at).filter(|depth| *depth > 0)
}
