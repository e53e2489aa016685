//! The test whether a `From ` line stands inside an open multipart.
//!
//! # Limits
//! A delimiter counts only when it holds a letter or digit, and one that is followed by a blank line instead of a part
//! header also needs a digit, `=` or `_`: rows of dashes and signatures (`--Joe`) occur in many messages of one mailbox and open
//! nothing. A delimiter that is declared again (`boundary=`) before it comes again belongs to the next message: so
//! two copies of a message that was cut off stay two.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memmem::Finder;

use super::split::starts_line;
use super::write::split_line;

/// Bytes before and after a candidate that the open-multipart test looks at.
pub(super) const FAR: u64 = 1 << 20;
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
    /// Number of keys that are open.
    open: usize,
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
            open: 0,
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
        self.open == 0
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
        let before = (slot.get().opened.is_some(), slot.get().is_live());
        change(slot.get_mut());
        let key = slot.get();
        self.open = self.open + usize::from(key.opened.is_some()) - usize::from(before.0);
        self.live = self.live + usize::from(key.is_live()) - usize::from(before.1);
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
