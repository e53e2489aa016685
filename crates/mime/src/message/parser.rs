//! Parses a message in one forward pass, with a stack of open parts.
//!
//! `header_lines` reads the header of a part, `part_kind` decides what the part is, and `delimiters` finds the lines that end it.
//!
//! # Limits
//!
//! After [`Limits::parts`] parts, the rest of the message belongs to no part. Text beyond [`Limits::text`] is unread.

mod content_fields;
mod delimiters;
mod field_names;
mod header_lines;
mod lost_parts;
mod part_header;
mod part_kind;
mod wrapped_parameters;

use super::Message;
use super::lines::LineRule;
use super::part::{Part, PartKind};
use crate::event::{Detail, Event, EventKind, Reason};
use crate::header::Field;
use crate::lexer;
use crate::limits::Limits;
use crate::media_type::MediaType;
use crate::part_id::PartId;
use crate::span::Span;
use crate::transfer::TransferEncoding;
use std::borrow::Cow;
use std::collections::HashMap;

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
            outer_texts: Vec::new(),
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
        parser.note_flattened();
        let Parser {
            parts,
            fields,
            boundaries,
            mut defects,
            mut outer_texts,
            ..
        } = parser;
        defects.sort_by_key(|event| event.at.start);
        outer_texts.sort_by_key(|(_, at)| at.start);
        Self {
            raw,
            eol,
            parts,
            fields,
            boundaries,
            outer_texts,
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
    /// Start of the epilogue of a multipart whose closing delimiter was found.
    epilogue: Option<usize>,
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
    /// Lines that begin like a delimiter, but have other text behind it: index of the boundary, first such line, number of lines.
    strays: Vec<(usize, Span, u64)>,
    /// Preambles, epilogues and the body of a message without parts, if they have non-ASCII bytes or escape characters.
    outer_texts: Vec<(PartId, Span)>,
    /// The limit of parts is reached and reported.
    full: bool,
}

impl Parser<'_> {
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
            media.is_multipart() && media.sub == "digest"
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
            epilogue: None,
        });
        kind
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
        for (part, at) in std::mem::take(&mut self.outer_texts) {
            if let Some(rest) = left.checked_sub(at.len()) {
                left = rest;
                self.outer_texts.push((part, at));
            } else {
                let detail = Detail::LongerThan(self.limits.text);
                self.push_defect(part, EventKind::MsgTooLarge, at, detail, 1);
            }
        }
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
            if let Some(start) = frame.epilogue {
                self.note_outer_text(frame.part, start, end);
            }
            let Some(boundary) = frame.boundary else {
                continue;
            };
            self.close_boundary(boundary);
            if frame.children == 0 {
                self.make_opaque(frame.part, Reason::BoundaryNeverOccurs);
            } else {
                let at = Span::new(place, place);
                self.push_defect(frame.part, EventKind::MimeUnclosed, at, Detail::None, 1);
            }
        }
    }

    /// Records a preamble or epilogue if a normalization may change it, and reports the header of a part in it.
    pub(super) fn note_outer_text(&mut self, part: PartId, start: usize, end: usize) {
        let at = Span::new(start, end.max(start));
        self.report_lost_part(part, at);
        let text = at.of(self.raw);
        if !text.is_ascii() || memchr::memchr(0x1B, text).is_some() {
            self.outer_texts.push((part, at));
        }
    }

    /// Records the body of a message that is a multipart without parts: Eudora stored one text without delimiters in their place.
    ///
    /// A label, a transfer encoding or a line like a delimiter makes the body more than one text.
    fn note_flattened(&mut self) {
        let root = &self.parts[0];
        let is_flattened = root.kind == PartKind::Opaque
            && root.media.is_multipart()
            && root.transfer == TransferEncoding::Identity
            && root.charset.is_none()
            && root.joined_charset.is_none()
            && !root.attachment
            && !root.unread;
        let body = root.body;
        if is_flattened && !has_delimiter_line(body.of(self.raw)) {
            self.note_outer_text(PartId::ROOT, body.start, body.end);
        }
    }

    /// Makes a multipart without parts opaque.
    fn make_opaque(&mut self, id: PartId, why: Reason) {
        let part = &mut self.parts[id.0 as usize];
        part.kind = PartKind::Opaque;
        let field = part.content_type;
        let header = part.header;
        let at = self.value(field).unwrap_or(header);
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

    /// Returns the value of a field by its index.
    pub(super) fn value(&self, field: Option<u32>) -> Option<Span> {
        Some(self.fields[field? as usize].value)
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

    /// Like [`Self::defect`], if there is a place.
    #[inline]
    pub(super) fn defect_at(
        &mut self,
        kind: EventKind,
        at: Option<Span>,
        detail: impl Into<Detail>,
        count: u64,
    ) {
        if let Some(at) = at {
            self.defect(kind, at, detail, count);
        }
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

/// Returns true if a line begins like a delimiter: with `--` and a character of its name. Signatures and rulers do not.
fn has_delimiter_line(body: &[u8]) -> bool {
    body.split(|byte| lexer::is_line_end(*byte))
        .filter_map(|line| line.strip_prefix(b"--"))
        .any(|name| name.iter().any(u8::is_ascii_alphanumeric))
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
