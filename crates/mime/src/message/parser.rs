//! Scans a message forward for parts and delimiters, with a stack of open parts.

mod header_lines;
mod part_header;

use super::Message;
use super::charset;
use super::lines::{Line, LineRule};
use super::part::{MediaType, Part, PartKind};
use crate::encoded_word::HeaderContext;
use crate::event::{Detail, Event, EventKind, Reason};
use crate::header::Field;
use crate::lexer::split_name;
use crate::params;
use crate::part_id::PartId;
use crate::transfer::TransferEncoding;
use crate::{Limits, Span};
use part_header::PartHeader;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

static DASHES_AFTER_LF: LazyLock<memchr::memmem::Finder<'static>> =
    LazyLock::new(|| memchr::memmem::Finder::new(b"\n--"));

impl<'a> Message<'a> {
    /// Parses a message. Any bytes are a message, so it never fails.
    ///
    /// Needs one forward pass, in time linear in the input, without recursion. Beyond the limits of depth and parts
    /// the rest is opaque ([`PartKind::Opaque`]). Text beyond [`Limits::text`] is unread.
    pub fn parse(raw: &'a [u8], limits: &Limits) -> Self {
        let (lines, eol) = LineRule::of(raw);
        let mut parser = Parser {
            raw,
            limits: *limits,
            lines,
            parts: Vec::with_capacity(4),
            fields: Vec::with_capacity(32),
            boundaries: Vec::new(),
            defects: Vec::new(),
            stack: Vec::with_capacity(4),
            open: HashMap::new(),
            longest: 0,
            strays: Vec::new(),
            blank_run: (0, false),
            full: false,
        };
        let mut at = parser.open_part(0);
        while let Some(delimiter) = parser.next_delimiter(at) {
            at = parser.apply_delimiter(&delimiter);
        }
        parser.close_above(0, raw.len(), raw.len());
        parser.report_strays();
        parser.limit_text();
        let Parser {
            parts,
            fields,
            boundaries,
            mut defects,
            ..
        } = parser;
        defects.sort_by_key(|event| event.at.start);
        Self {
            raw,
            eol,
            parts,
            fields,
            boundaries,
            defects,
        }
    }
}

/// A part whose end is not known yet.
struct Frame {
    part: PartId,
    /// Index into the boundaries, for a multipart whose delimiters are searched.
    boundary: Option<usize>,
    children: u32,
}

/// Number of parts that gives `mime.many-parts`.
const MANY_PARTS: usize = 1_000;

/// A line that is a delimiter.
pub(super) struct Delimiter {
    /// Index of the multipart's frame on the stack.
    frame: usize,
    closing: bool,
    line: Line,
}

pub(super) struct Parser<'a> {
    pub(super) raw: &'a [u8],
    pub(super) limits: Limits,
    pub(super) lines: LineRule,
    pub(super) fields: Vec<Field>,
    /// End of the last run of blank lines that was examined, and whether the header continued after it.
    pub(super) blank_run: (usize, bool),
    parts: Vec<Part>,
    boundaries: Vec<(PartId, Cow<'a, [u8]>)>,
    defects: Vec<Event>,
    stack: Vec<Frame>,
    /// Frames by their open boundary, the innermost last, so that the time of a look-up does not depend on the depth.
    open: HashMap<Cow<'a, [u8]>, Vec<usize>>,
    /// Length of the longest boundary so far.
    longest: usize,
    /// Lines that begin like a delimiter but are none: index of the boundary, first such line, number of lines.
    strays: Vec<(usize, Span, u64)>,
    /// The limit of parts is reached and reported.
    full: bool,
}

/// Number of innermost open multiparts whose boundaries are compared with the beginnings of lines.
const NEAREST: usize = 4;

impl<'a> Parser<'a> {
    /// Opens the part at `at` and any messages embedded in it. Returns where the search for delimiters continues.
    fn open_part(&mut self, mut at: usize) -> usize {
        while self.open_one(at, &mut at) == PartKind::Message {}
        at
    }

    fn open_one(&mut self, start: usize, body: &mut usize) -> PartKind {
        let parent = self.stack.last_mut().map(|frame| {
            frame.children += 1;
            (frame.part, frame.children)
        });
        let id = PartId(self.parts.len() as u32);
        let digest = parent.is_some_and(|(parent, _)| {
            let media = &self.parts[parent.0 as usize].media;
            media.top == "multipart" && media.sub == "digest"
        });
        let depth = parent.map_or(0, |(parent, _)| self.parts[parent.0 as usize].depth + 1);
        let first = self.fields.len() as u32;
        // Events of the header refer to the part, so it is added before its header is read.
        self.parts.push(Part {
            parent: parent.map(|(parent, _)| parent),
            depth,
            number: parent.map_or(1, |(_, number)| number),
            header: Span::new(start, start),
            body: Span::new(start, start),
            fields: (first, first),
            media: default_media(digest),
            kind: PartKind::Leaf,
            transfer: TransferEncoding::Identity,
            content_type: None,
            content_transfer_encoding: None,
            charset: None,
            joined_charset: None,
            several_charsets: false,
            attachment: false,
            unread: false,
        });
        let header = self.read_header(start);
        *body = header.body;
        let (kind, boundary) = self.describe(id, &header);
        let boundary = boundary.map(|boundary| {
            self.open
                .entry(boundary.clone())
                .or_default()
                .push(self.stack.len());
            self.longest = self.longest.max(boundary.len());
            self.boundaries.push((id, boundary));
            self.boundaries.len() - 1
        });
        self.stack.push(Frame {
            part: id,
            boundary,
            children: 0,
        });
        kind
    }

    /// Sets the properties of a part from its header. Returns its kind, and its boundary if delimiters must be searched.
    fn describe(&mut self, id: PartId, header: &PartHeader) -> (PartKind, Option<Cow<'a, [u8]>>) {
        let raw = self.raw;
        let last = self.fields.len() as u32;
        let value =
            |fields: &[Field], index: Option<u32>| index.map(|index| fields[index as usize].value);
        let type_at = value(&self.fields, header.content_type);
        let transfer_at = value(&self.fields, header.content_transfer_encoding);
        let disposition_at = value(&self.fields, header.content_disposition);
        let part = &mut self.parts[id.0 as usize];
        part.header = header.span;
        part.body = Span::new(header.body, header.body);
        part.fields.1 = last;
        part.content_type = header.content_type;
        part.content_transfer_encoding = header.content_transfer_encoding;
        if let Some(at) = transfer_at {
            part.transfer = TransferEncoding::from_value(at.of(raw));
        }
        let disposition = disposition_at.map(|at| params::scan(at.of(raw)));
        // An unknown disposition means attachment (RFC 2183, section 2.8).
        part.attachment = disposition.as_ref().is_some_and(|(main, _)| {
            let word = main
                .trim_ascii()
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default();
            !word.is_empty() && !word.eq_ignore_ascii_case(b"inline")
        });
        let has_file_name = disposition
            .as_ref()
            .is_some_and(|(_, list)| names_file(list, b"filename"));
        let Some(at) = type_at else {
            self.mark_file(id, has_file_name);
            return self.decide_kind(id, None);
        };
        if at.len() > self.limits.field {
            self.defect(EventKind::HdrBeyondLimit, at, Reason::MediaTypeNotRead, 1);
            self.mark_file(id, has_file_name);
            return self.decide_kind(id, None);
        }
        let (main, list) = params::scan(at.of(raw));
        if let Some(media) = media_type(&main) {
            part.media = media;
        }
        self.mark_file(id, has_file_name || names_file(&list, b"name"));
        self.describe_charset(id, at, &list);
        let part = &self.parts[id.0 as usize];
        if part.media.top != "multipart" {
            if let (Some(place), Some((_, others))) = (disposition_at, &disposition)
                && names_differ((at, &list), (place, others), raw, self.limits.field)
            {
                self.defect(EventKind::MimeAmbiguousName, place, Detail::None, 1);
            }
            return self.decide_kind(id, None);
        }
        self.decide_kind(id, boundary(at.of(raw), &list))
    }

    /// Sets the charset of a part from the parameters `list` of its media type, which stands at `at`.
    fn describe_charset(&mut self, id: PartId, at: Span, list: &[params::RawParam<'_>]) {
        let value = at.of(self.raw);
        let charsets = charset::labels(value, list);
        let part = &mut self.parts[id.0 as usize];
        part.charset = charset::label(value, &charsets).map(|label| at.at(&label));
        part.joined_charset = charset::joined(value, &charsets);
        let mut others = charset::rivals(&charsets).skip(1);
        let second = others.next().filter(|_| part.media.top == "text");
        part.several_charsets = second.is_some();
        if let Some(second) = second {
            let (place, more) = (at.at(&second.range), 1 + others.count() as u64);
            self.push_defect(id, EventKind::CharsetAmbiguous, place, Detail::None, more);
        }
    }

    /// Makes a part with a file name an attachment, unless it may be the text of its message.
    ///
    /// The root, the first part of a multipart and the parts of multipart/alternative may be text.
    fn mark_file(&mut self, id: PartId, has_file_name: bool) {
        let part = &self.parts[id.0 as usize];
        let is_file = has_file_name
            && part.number > 1
            && part.parent.is_some_and(|parent| {
                let media = &self.parts[parent.0 as usize].media;
                media.top == "multipart" && media.sub != "alternative"
            });
        self.parts[id.0 as usize].attachment |= is_file;
    }

    /// Decides the kind of a part.
    fn decide_kind(
        &mut self,
        id: PartId,
        boundary: Option<Cow<'a, [u8]>>,
    ) -> (PartKind, Option<Cow<'a, [u8]>>) {
        let part = &self.parts[id.0 as usize];
        let multipart = part.media.top == "multipart";
        let message = part.media.is_message();
        if !multipart && !message {
            let finding = match (&*part.media.top, &*part.media.sub) {
                ("message", "partial") => EventKind::MimePartial,
                ("application", "ms-tnef" | "vnd.ms-tnef") => EventKind::MimeTnef,
                _ => return (PartKind::Leaf, None),
            };
            let at = part
                .content_type
                .map_or(part.header, |index| self.fields[index as usize].value);
            self.defect(finding, at, Detail::None, 1);
            return (PartKind::Leaf, None);
        }
        let at = |index: Option<u32>| index.map(|index| self.fields[index as usize].value);
        let type_at = at(part.content_type).unwrap_or(part.header);
        let encoded = matches!(
            part.transfer,
            TransferEncoding::Base64 | TransferEncoding::QuotedPrintable
        );
        let (depth, body) = (part.depth as usize, part.body.start);
        let is_quoted = part.transfer == TransferEncoding::QuotedPrintable
            && is_quoted_header(&self.raw[body..]);
        let label = at(part.content_transfer_encoding).filter(|_| encoded);
        if let Some(at) = label {
            self.defect(EventKind::CteWrongLabel, at, Reason::CompositeEncoding, 1);
        }
        let kind = if message && label.is_some() && (is_quoted || !self.begins_header(body)) {
            PartKind::Leaf
        } else if depth >= self.limits.depth || self.parts.len() >= self.limits.parts {
            self.defect(EventKind::MimeDepth, Span::new(body, body), Detail::None, 1);
            PartKind::Opaque
        } else if message {
            PartKind::Message
        } else if boundary.is_some() {
            PartKind::Multipart
        } else {
            self.defect(
                EventKind::MimeMissingBoundary,
                type_at,
                Reason::NoBoundary,
                1,
            );
            PartKind::Opaque
        };
        self.parts[id.0 as usize].kind = kind;
        (kind, boundary.filter(|_| kind == PartKind::Multipart))
    }

    /// Returns the next delimiter of an open multipart, at or after the line that begins at `from`.
    fn next_delimiter(&mut self, from: usize) -> Option<Delimiter> {
        if self.open.is_empty() {
            return None;
        }
        let mut at = from;
        loop {
            if self.raw[at..].starts_with(b"--") {
                let line = self.lines.line(self.raw, at);
                let delimiter = self.delimiter(line);
                if delimiter.is_some() {
                    return delimiter;
                }
                self.note_stray(line);
            }
            at = self.next_dashes(at)?;
        }
    }

    /// Counts a line that begins like a delimiter of an open boundary but is none.
    fn note_stray(&mut self, line: Line) {
        let text = &self.raw[line.start..line.end];
        let text = text.get(2..).unwrap_or_default();
        let mut open = self
            .stack
            .iter()
            .rev()
            .take(NEAREST)
            .filter_map(|frame| frame.boundary);
        let Some(index) = open.find(|&index| text.starts_with(&self.boundaries[index].1)) else {
            return;
        };
        // Lines are compared with the last boundaries only.
        match self
            .strays
            .iter_mut()
            .rev()
            .take(NEAREST)
            .find(|(known, ..)| *known == index)
        {
            Some((.., count)) => *count += 1,
            None => self
                .strays
                .push((index, Span::new(line.start, line.end), 1)),
        }
    }

    fn report_strays(&mut self) {
        for (boundary, at, count) in std::mem::take(&mut self.strays) {
            let part = self.boundaries[boundary].0;
            self.push_defect(
                part,
                EventKind::MimeAmbiguousBoundary,
                at,
                Reason::NotDelimiter,
                count,
            );
        }
    }

    /// Leaves the text beyond the limit unread.
    fn limit_text(&mut self) {
        if self.raw.len() <= self.limits.text {
            return;
        }
        let mut left = self.limits.text;
        for index in 0..self.parts.len() {
            let part = &mut self.parts[index];
            let is_text_file = part.attachment && part.is_text();
            if is_text_file || !(part.is_text() || part.may_contain_text(self.raw)) {
                continue;
            }
            if let Some(rest) = left.checked_sub(part.body.len()) {
                left = rest;
                continue;
            }
            part.unread = true;
            let (at, kind) = (part.body, EventKind::MsgTooLarge);
            let detail = Detail::LongerThan(self.limits.text);
            self.push_defect(PartId(index as u32), kind, at, detail, 1);
        }
    }

    /// Returns the start of the next line after `from` that begins with two hyphens.
    fn next_dashes(&self, from: usize) -> Option<usize> {
        if !self.lines.bare_cr {
            return DASHES_AFTER_LF
                .find(&self.raw[from..])
                .map(|at| from + at + 1);
        }
        let mut at = from;
        loop {
            at += 1 + memchr::memchr2(b'\r', b'\n', self.raw.get(at..)?)?;
            if self.raw[at..].starts_with(b"--") {
                return Some(at);
            }
        }
    }

    /// Returns the delimiter in a line, if the line is one.
    pub(super) fn delimiter(&self, line: Line) -> Option<Delimiter> {
        let text = self.raw[line.start..line.end]
            .strip_prefix(b"--")
            .filter(|_| !self.open.is_empty())?;
        let length = text
            .iter()
            .rposition(|b| !matches!(b, b' ' | b'\t' | b'\r'))
            .map_or(0, |last| last + 1);
        if length > self.longest + 2 {
            return None;
        }
        let innermost = |boundary: &[u8]| {
            self.open
                .get(boundary)
                .and_then(|frames| frames.last().copied())
        };
        let text = &text[..length];
        let opening = innermost(text);
        let closing = text.strip_suffix(b"--").and_then(innermost);
        // Both match if one boundary is another one with two hyphens after it.
        let frame = opening.max(closing)?;
        Some(Delimiter {
            frame,
            closing: opening != Some(frame),
            line,
        })
    }

    /// Closes the parts that a delimiter ends, and opens the part that it begins. Returns where the scan continues.
    fn apply_delimiter(&mut self, delimiter: &Delimiter) -> usize {
        let Line { start, next, .. } = delimiter.line;
        self.close_above(
            delimiter.frame + 1,
            self.lines.end_before(self.raw, start),
            start,
        );
        let part = self.stack[delimiter.frame].part;
        if delimiter.closing {
            if let Some(boundary) = self.stack[delimiter.frame].boundary {
                self.close_boundary(boundary);
            }
            if self.stack[delimiter.frame].children == 0 {
                self.make_opaque(part, Reason::NoPart);
            }
            self.stack[delimiter.frame].boundary = None;
            return next;
        }
        if self.parts.len() >= self.limits.parts {
            if !self.full {
                self.full = true;
                let rest = Span::new(start, self.raw.len());
                self.push_defect(part, EventKind::MimeDepth, rest, Reason::PartLimit, 1);
            }
            return next;
        }
        if self.parts.len() == MANY_PARTS {
            let at = delimiter.line;
            self.push_defect(
                part,
                EventKind::MimeManyParts,
                Span::new(at.start, at.end),
                Detail::None,
                1,
            );
        }
        self.open_part(next)
    }

    /// Ends the bodies of the parts on the stack from `keep` up, at `end`. Reports unclosed multiparts at `place`.
    fn close_above(&mut self, keep: usize, mut end: usize, place: usize) {
        while self.stack.len() > keep
            && let Some(frame) = self.stack.pop()
        {
            let body = &mut self.parts[frame.part.0 as usize].body;
            // Adjacent delimiters share one line end. The part between them, and so the multipart around it, ends after it.
            end = end.max(body.start);
            body.end = end;
            let Some(boundary) = frame.boundary else {
                continue;
            };
            self.close_boundary(boundary);
            if frame.children == 0 {
                self.make_opaque(frame.part, Reason::BoundaryNeverOccurs);
            } else {
                self.push_defect(
                    frame.part,
                    EventKind::MimeUnclosed,
                    Span::new(place, place),
                    Detail::None,
                    1,
                );
            }
        }
    }

    /// Makes a multipart without parts opaque.
    fn make_opaque(&mut self, id: PartId, why: Reason) {
        let part = &mut self.parts[id.0 as usize];
        part.kind = PartKind::Opaque;
        let at = part
            .content_type
            .map_or(part.header, |index| self.fields[index as usize].value);
        self.push_defect(id, EventKind::MimeMissingBoundary, at, why, 1);
    }

    /// Closes a boundary, which is the innermost one of its name.
    fn close_boundary(&mut self, boundary: usize) {
        let boundary = &*self.boundaries[boundary].1;
        if let Some(frames) = self.open.get_mut(boundary) {
            frames.pop();
            if frames.is_empty() {
                self.open.remove(boundary);
            }
        }
    }

    /// Adds an event for the part that is being opened.
    pub(super) fn defect(
        &mut self,
        kind: EventKind,
        at: Span,
        detail: impl Into<Detail>,
        count: u64,
    ) {
        self.push_defect(PartId(self.parts.len() as u32 - 1), kind, at, detail, count);
    }

    fn push_defect(
        &mut self,
        part: PartId,
        kind: EventKind,
        at: Span,
        detail: impl Into<Detail>,
        count: u64,
    ) {
        let event = Event::new(part, at, kind, detail);
        self.defects.push(event.counted(count));
    }
}

fn default_media(digest: bool) -> MediaType {
    let (top, sub) = if digest {
        ("message", "rfc822")
    } else {
        ("text", "plain")
    };
    MediaType {
        top: Cow::Borrowed(top),
        sub: Cow::Borrowed(sub),
    }
}

/// Returns top level and subtype; None for an invalid media type, which RFC 2045 5.2 reads as the default.
fn media_type(main: &[u8]) -> Option<MediaType> {
    let slash = memchr::memchr(b'/', main)?;
    let word = |bytes: &[u8]| {
        let bytes = bytes.trim_ascii();
        let end = bytes
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(bytes.len());
        (end > 0).then(|| intern(&bytes[..end]))
    };
    Some(MediaType {
        top: word(&main[..slash])?,
        sub: word(&main[slash + 1..])?,
    })
}

/// Returns the lower-case word. Does not allocate for common words.
fn intern(word: &[u8]) -> Cow<'static, str> {
    const COMMON: [&str; 24] = [
        "text",
        "plain",
        "html",
        "multipart",
        "alternative",
        "mixed",
        "related",
        "signed",
        "report",
        "digest",
        "encrypted",
        "application",
        "octet-stream",
        "pdf",
        "pgp-signature",
        "pkcs7-signature",
        "image",
        "jpeg",
        "png",
        "gif",
        "message",
        "rfc822",
        "delivery-status",
        "calendar",
    ];
    match COMMON
        .iter()
        .find(|common| common.as_bytes().eq_ignore_ascii_case(word))
    {
        Some(common) => Cow::Borrowed(common),
        None => Cow::Owned(String::from_utf8_lossy(word).to_lowercase()),
    }
}

/// Returns true if a parameter of this name, in any form, has a value.
fn names_file(list: &[params::RawParam<'_>], name: &[u8]) -> bool {
    let is_it = |base: &[u8]| base.eq_ignore_ascii_case(name);
    list.iter()
        .any(|param| is_it(split_name(param.name).0) && !param.value.is_empty())
}

/// The span of a field's value, and its parameters.
type Described<'l, 'a> = (Span, &'l [params::RawParam<'a>]);

/// Returns true if a Content-Type and a Content-Disposition give different file names.
fn names_differ(
    content: Described<'_, '_>,
    disposition: Described<'_, '_>,
    raw: &[u8],
    most: usize,
) -> bool {
    let begins = |name: &[u8], with: &[u8]| {
        name.get(..with.len())
            .is_some_and(|n| n.eq_ignore_ascii_case(with))
    };
    let of =
        |list: &[params::RawParam<'_>], name: &[u8]| list.iter().position(|p| begins(p.name, name));
    let (Some(one), Some(other)) = (of(content.1, b"name"), of(disposition.1, b"filename")) else {
        return false;
    };
    let (one, other) = (&content.1[one], &disposition.1[other]);
    if one.value == other.value && one.name.len() == 4 && other.name.len() == 8 {
        return false;
    }
    if content.0.len() > most || disposition.0.len() > most {
        return false;
    }
    let read = |at: Span, name: &str| {
        let params = params::parse(at.of(raw), &HeaderContext::default(), &mut Vec::new());
        params.get(name).map(str::to_owned)
    };
    let (one, other) = (read(content.0, "name"), read(disposition.0, "filename"));
    one.is_some() && other.is_some() && one != other
}

/// Returns the boundary among the parameters `list` of a media type, also in RFC 2231 form. `value` is the whole field value.
fn boundary<'a>(value: &'a [u8], list: &[params::RawParam<'a>]) -> Option<Cow<'a, [u8]>> {
    let plain = list
        .iter()
        .find(|param| param.name.eq_ignore_ascii_case(b"boundary"))
        .map(|param| param.value.clone());
    let encoded = || {
        let starts = |name: &[u8]| name.to_ascii_lowercase().starts_with(b"boundary*");
        list.iter().find(|param| starts(param.name))?;
        let params = params::parse(value, &HeaderContext::default(), &mut Vec::new());
        let text = params.get("boundary")?;
        Some(Cow::Owned(text.as_bytes().to_vec()))
    };
    plain
        .or_else(encoded)
        .map(trim_blanks)
        .filter(|boundary| !boundary.is_empty())
}

fn trim_blanks(boundary: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let length = boundary.trim_ascii_end().len();
    match boundary {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    }
}

/// Returns true if the header of a message is in quoted-printable: its parameters have `=3D` for `=`.
fn is_quoted_header(message: &[u8]) -> bool {
    /// Maximum number of bytes that are examined.
    const WINDOW: usize = 1 << 14;
    let window = &message[..message.len().min(WINDOW)];
    let is_end = |line: &&[u8]| line.trim_ascii().is_empty();
    let mut lines = window
        .split(|b| *b == b'\n')
        .take_while(|line| !is_end(line));
    lines.any(|line| {
        let at = memchr::memmem::find(line, b"=3D");
        at.is_some_and(|at| {
            let name = line[..at].to_ascii_lowercase();
            name.ends_with(b"charset") || name.ends_with(b"boundary")
        })
    })
}
