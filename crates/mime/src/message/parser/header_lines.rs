//! Reads the header of a part line by line.
//!
//! # Rules (RFC 5322, section 2.2; RFC 7103, section 7)
//!
//! - An empty line, a delimiter line of an open multipart, or the end of the message ends a header.
//! - A line that begins with a blank continues the field before it.
//! - A line of parameters without a blank continues the Content-Type before it, if `wrapped_parameters` proves it.
//! - A line of blanks is a continuation too (obs-FWS, `hdr.blank-line`) if the next other line is a field, a continuation or empty.
//!   Otherwise it replaces the empty line (`mime.no-blank-line`).
//! - A line that is neither field nor continuation is junk (`hdr.no-colon`) if a field with a known name follows within eight
//!   lines. No empty line and no line with two hyphens at its start may come before that field. Lines that continue junk are junk.
//! - `From ` or `>From ` at the start of the first line is junk, too.
//! - The parser skips byte order marks (U+FEFF in UTF-8) before the first field of a message (`hdr.no-colon`). Windows Notepad writes such a mark.
//!   *Example*: `\u{FEFF}From: a@example.org` is the field `From`.
//! - Empty lines before the first field of a message are junk if two fields with known names follow. Otherwise the header is empty.
//! - Any other line that is neither field nor continuation begins the body (`mime.no-blank-line`), so that no text is lost. So does
//!   every such line with two hyphens at its start.
//! - A name is any run of bytes without blanks, controls and colons. Blanks may precede the colon. NUL stays part of the text.
//!
//! # Limits
//!
//! After a header without an empty line, a line of text that looks like a field is read as one.

use super::Parser;
use super::field_names::{SINGLE, field_name, single};
use super::part_header::PartHeader;
use crate::event::{Detail, EventKind, Reason};
use crate::header::{Field, is_known};
use crate::message::lines::Line;
use crate::span::Span;
use mailglot_codec::bom;

/// Number of fields that gives `hdr.many-fields`.
const MANY_FIELDS: usize = 1_000;

/// Number of lines that are searched for a field after a line that is not one.
const LOOKAHEAD: usize = 8;

/// Counts invalid lines and other damage of a header.
#[derive(Default)]
struct HeaderDamage {
    /// The byte order marks before the first field or mbox separator.
    marks: Option<Span>,
    junk: Option<Span>,
    junk_lines: u64,
    /// Lines of parameters without a blank before them.
    wrapped: Option<Span>,
    wrapped_lines: u64,
    /// Start of the first field beyond the limit.
    skipped: Option<usize>,
    skipped_fields: u64,
    /// Place where the header ends without an empty line.
    unended: Option<Span>,
    /// Number of fields.
    fields: usize,
    /// First line of blanks within the header.
    blank: Option<Span>,
    blank_lines: u64,
    /// Names of [`SINGLE`] that occurred, a bit each; then those that were repeated, with place and count.
    seen: u32,
    again: Vec<(usize, Span, u64)>,
}

/// The role of a line in a header.
enum Role {
    /// Length of the name, and offset of the colon.
    Field(usize, usize),
    Continuation,
    Junk,
    /// An empty line.
    End,
    /// A line of blanks that replaces the empty line.
    BlankEnd,
    /// The first line of the body, or a delimiter.
    BodyAlready,
}

/// The kind of the previous line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineBefore {
    Nothing,
    Field,
    SkippedField,
    Junk,
}

impl Parser<'_> {
    /// Reads the header that begins at `start`.
    pub(super) fn read_header(&mut self, start: usize) -> PartHeader {
        let first = self.fields.len();
        let mut header = PartHeader::default();
        let mut damage = HeaderDamage::default();
        let mut before = LineBefore::Nothing;
        // A field with a known name exists at or after this offset.
        let mut known = start;
        let mut at = start + self.marks_before(start);
        damage.marks = (at > start).then(|| Span::new(start, at));
        let first_field = self.after_empty_lines(at);
        (header.span, header.body) = loop {
            if at >= self.raw.len() {
                break (Span::new(start, at), at);
            }
            let line = self.lines.line(self.raw, at);
            if before == LineBefore::Field && damage.wrapped.is_none() {
                damage.wrapped = self.wrapped_lines(&header, line);
            }
            let role = if at < first_field {
                Role::Junk
            } else if damage.wrapped.is_some_and(|lines| at < lines.end) {
                damage.wrapped_lines += 1;
                Role::Continuation
            } else {
                self.role(line, before, &mut known)
            };
            match role {
                Role::Field(..) if self.fields.len() - first >= self.limits.fields => {
                    damage.skipped.get_or_insert(at);
                    damage.skipped_fields += 1;
                    before = LineBefore::SkippedField;
                }
                Role::Field(name, colon) => {
                    let name = Span::new(at, at + name);
                    if let Some(index) = single(name.of(self.raw)) {
                        damage.note(index, name);
                        header.note(index, self.fields.len() as u32);
                    }
                    let value = Span::new(at + colon + 1, line.end);
                    self.fields.push(Field {
                        name,
                        value,
                        full: Span::new(at, line.next),
                    });
                    before = LineBefore::Field;
                }
                Role::Continuation => {
                    if line.start < line.end
                        && self.raw[line.start..line.end].trim_ascii_start().is_empty()
                    {
                        damage.blank.get_or_insert(Span::new(line.start, line.end));
                        damage.blank_lines += 1;
                    }
                    if let (LineBefore::Field, Some(field)) = (before, self.fields.last_mut()) {
                        field.value.end = line.end;
                        field.full.end = line.next;
                    }
                }
                Role::Junk => {
                    damage.junk.get_or_insert(Span::new(at, line.end));
                    damage.junk_lines += 1;
                    before = LineBefore::Junk;
                }
                Role::End => break (Span::new(start, at), line.next),
                Role::BlankEnd => {
                    damage.unended = Some(Span::new(at, line.next));
                    break (Span::new(start, at), line.next);
                }
                Role::BodyAlready => {
                    damage.unended = Some(Span::new(at, at));
                    break (Span::new(start, at), at);
                }
            }
            at = line.next;
        };
        damage.fields = self.fields.len() - first;
        self.report_damage(header.span, &damage);
        header
    }

    /// Returns the number of bytes of all byte order marks before the first line, if that line is a field or an mbox separator. Returns 0 otherwise.
    ///
    /// *Example*: 3 for `\u{FEFF}From: a@example.org`, 0 for `\u{FEFF}Dear reader,`.
    fn marks_before(&self, start: usize) -> usize {
        let is_whole_message = self.stack.is_empty();
        let mut rest = &self.raw[start..];
        while is_whole_message && let Some(behind) = rest.strip_prefix(&bom::UTF_8) {
            rest = behind;
        }
        let is_separator = rest.starts_with(b"From ") || rest.starts_with(b">From ");
        if is_separator || field_name(rest).is_some() {
            self.raw.len() - start - rest.len()
        } else {
            0
        }
    }

    /// Decides the role of a line by the rules at the top of this file.
    fn role(&mut self, line: Line, before: LineBefore, known: &mut usize) -> Role {
        let content = &self.raw[line.start..line.end];
        match content.first() {
            None => return Role::End,
            Some(b' ' | b'\t') => {
                if is_line_of_blanks(content) && !self.header_goes_on(line.next) {
                    return Role::BlankEnd;
                }
                match before {
                    LineBefore::Field | LineBefore::SkippedField => return Role::Continuation,
                    LineBefore::Junk => return Role::Junk,
                    LineBefore::Nothing => {}
                }
            }
            Some(_) => {
                // A boundary may contain a colon.
                if self.delimiter(line).is_some() {
                    return Role::BodyAlready;
                }
                if let Some((name, colon)) = field_name(content) {
                    return Role::Field(name, colon);
                }
                if content.starts_with(b"--") {
                    // This may be the delimiter that this header declares.
                    return Role::BodyAlready;
                }
                if before == LineBefore::Nothing
                    && (content.starts_with(b"From ") || content.starts_with(b">From "))
                {
                    return Role::Junk;
                }
            }
        }
        if *known <= line.start {
            let Some(place) = self.known_field_after(line.next) else {
                return Role::BodyAlready;
            };
            *known = place;
        }
        Role::Junk
    }

    /// Returns true if a field, a continuation or an empty line follows a line of blanks and further such lines.
    fn header_goes_on(&mut self, mut at: usize) -> bool {
        // Examines a run of blank lines only once.
        if at <= self.blank_run.0 {
            return self.blank_run.1;
        }
        let raw = self.raw;
        let goes_on = loop {
            if at >= raw.len() {
                break false;
            }
            let line = self.lines.line(raw, at);
            let content = &raw[line.start..line.end];
            match content.first() {
                None => break true,
                Some(b' ' | b'\t') if is_line_of_blanks(content) => at = line.next,
                Some(b' ' | b'\t') => break true,
                Some(b'-') if self.delimiter(line).is_some() => break false,
                Some(_) => break field_name(content).is_some(),
            }
        };
        self.blank_run = (at, goes_on);
        goes_on
    }

    /// Returns the offset after the empty lines at the start of a message, if its header follows them. Otherwise returns `start`.
    ///
    /// Two fields with known names and an empty line must follow, or three such fields. So a text such as `To: the reader` stays a body.
    fn after_empty_lines(&self, start: usize) -> usize {
        const MIN_FIELDS: u32 = 3;
        // Bounces have the remains of headers behind empty lines: they are text there.
        let is_whole_message = self.stack.is_empty();
        let mut first = start;
        while is_whole_message && first < self.raw.len() {
            let line = self.lines.line(self.raw, first);
            if line.start < line.end {
                break;
            }
            first = line.next;
        }
        if first == start {
            return start;
        }
        let (mut at, mut known, mut ends) = (first, 0, true);
        while at < self.raw.len() {
            let line = self.lines.line(self.raw, at);
            let content = &self.raw[line.start..line.end];
            match field_name(content) {
                Some((name, _)) => known += u32::from(is_known(&content[..name])),
                None if at > first && matches!(content.first(), Some(b' ' | b'\t')) => {}
                None => {
                    ends = content.is_empty();
                    break;
                }
            }
            if known == MIN_FIELDS {
                break;
            }
            at = line.next;
        }
        if known == MIN_FIELDS || ends && known + 1 == MIN_FIELDS {
            first
        } else {
            start
        }
    }

    /// Returns the start of a field with a known name within the next lines of this header.
    fn known_field_after(&self, mut at: usize) -> Option<usize> {
        for _ in 0..LOOKAHEAD {
            if at >= self.raw.len() {
                return None;
            }
            let line = self.lines.line(self.raw, at);
            let content = &self.raw[line.start..line.end];
            if content.is_empty() || (content[0] == b'-' && self.delimiter(line).is_some()) {
                return None;
            }
            if is_known_field(content) {
                return Some(at);
            }
            // The header ends here at the latest.
            if content.starts_with(b"--") && field_name(content).is_none() {
                return None;
            }
            at = line.next;
        }
        None
    }

    /// Returns true if a field with a known name begins at `at`.
    pub(super) fn begins_header(&self, at: usize) -> bool {
        let line = self.lines.line(self.raw, at);
        is_known_field(&self.raw[line.start..line.end])
    }

    fn report_damage(&mut self, span: Span, damage: &HeaderDamage) {
        let bytes = span.of(self.raw);
        let no_colon = EventKind::HdrNoColon;
        self.defect_at(no_colon, damage.marks, Reason::ByteOrderMark, 1);
        self.defect_at(no_colon, damage.junk, Detail::None, damage.junk_lines);
        let continues = Reason::ContinuesField;
        self.defect_at(no_colon, damage.wrapped, continues, damage.wrapped_lines);
        let odd = memchr::memchr2(0, b'\r', bytes).map_or(&[][..], |at| &bytes[at..]);
        if let Some(at) = memchr::memchr(0, odd) {
            let at = span.end - odd.len() + at;
            let place = Span::new(at, at + 1);
            self.defect(EventKind::HdrNul, place, Detail::None, count(odd, 0));
        }
        if !self.lines.bare_cr && memchr::memchr(b'\r', odd).is_some() {
            let bare = count(bytes, b'\r') - count_line_ends(bytes);
            let mut places = memchr::memchr_iter(b'\r', bytes);
            let first = places.find(|&at| bytes.get(at + 1) != Some(&b'\n'));
            let first = first.map(|at| span.at(&(at..at + 1)));
            self.defect_at(EventKind::HdrBareCr, first, Detail::None, bare);
        }
        let skipped = damage.skipped.map(|start| Span::new(start, span.end));
        let beyond = EventKind::HdrBeyondLimit;
        self.defect_at(beyond, skipped, Reason::FieldLimit, damage.skipped_fields);
        let blank = EventKind::HdrBlankLine;
        self.defect_at(blank, damage.blank, Detail::None, damage.blank_lines);
        if damage.fields > MANY_FIELDS {
            let count = damage.fields as u64;
            self.defect(EventKind::HdrManyFields, span, Detail::None, count);
        }
        for (single, at, count) in &damage.again {
            let field = Detail::Field(SINGLE[*single]);
            self.defect(EventKind::HdrDuplicate, *at, field, *count);
        }
        self.defect_at(EventKind::MimeNoBlankLine, damage.unended, Detail::None, 1);
    }
}

impl PartHeader {
    /// Records the first of each field that describes the body.
    fn note(&mut self, single: usize, field: u32) {
        let slot = match single {
            0 => &mut self.content_type,
            1 => &mut self.content_transfer_encoding,
            2 => &mut self.content_disposition,
            _ => return,
        };
        slot.get_or_insert(field);
    }
}

impl HeaderDamage {
    /// Counts a field that may occur once.
    fn note(&mut self, single: usize, name: Span) {
        let bit = 1 << single;
        if self.seen & bit == 0 {
            self.seen |= bit;
            return;
        }
        match self.again.iter_mut().find(|(known, ..)| *known == single) {
            Some((.., count)) => *count += 1,
            None => self.again.push((single, name, 1)),
        }
    }
}

/// Returns true for a line of blanks.
fn is_line_of_blanks(line: &[u8]) -> bool {
    line.iter().all(|b| matches!(b, b' ' | b'\t'))
}

/// Returns true if a line begins a field with a known name.
fn is_known_field(line: &[u8]) -> bool {
    field_name(line).is_some_and(|(name, _)| is_known(&line[..name]))
}

fn count(bytes: &[u8], byte: u8) -> u64 {
    // Blocks of 255 bytes fit an eight-bit counter, so the compiler can use vector registers.
    bytes
        .chunks(255)
        .map(|block| u64::from(block.iter().map(|&b| u8::from(b == byte)).sum::<u8>()))
        .sum()
}

/// Counts CR LF.
fn count_line_ends(bytes: &[u8]) -> u64 {
    let pair = |(&a, &b): (&u8, &u8)| u8::from(a == b'\r' && b == b'\n');
    let next = bytes.get(1..).unwrap_or_default();
    let blocks = bytes.chunks(255).zip(next.chunks(255));
    blocks
        .map(|(first, second)| u64::from(first.iter().zip(second).map(pair).sum::<u8>()))
        .sum()
}
