//! A message as a mail server tells it, piece by piece, and the edits that the server is asked for.
//!
//! # Limits
//! A server counts fields by name and takes whole values: an edit that reaches over the end of a field, or takes its name
//! away, cannot be told and is refused. The planner makes none.

use crate::engine::Engine;
use crate::judge;
use crate::limits::{LONGEST_FIELD, Limits};
use crate::milter::{Actions, FieldValue, HeaderChange};
use crate::policy::{Finding, Rules};
use crate::spool::{Budget, Spool};
use mailglot_mime::{Edit, Span};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

/// A message while it is told, field by field and by pieces of its body. One that grows goes to a file without name.
#[derive(Debug)]
pub struct Received {
    /// Whole fields, line ends in them, until they are moved before the body.
    header: Vec<u8>,
    fields: Vec<Told>,
    body: Spool,
    /// Bytes of the header and of the empty line, where they stand at the front of `body`: nothing is left to be put together then.
    front: Option<usize>,
    /// A field came behind a piece of the body: both are kept apart.
    late: bool,
    /// Values come with the space behind the colon, and go back with it.
    leading_space: bool,
    /// Bytes of a message that is looked at, of its header, and number of its fields.
    most: (u64, usize, usize),
    /// Why it is not looked at.
    beyond: Option<Finding>,
    /// What of it is not to stand all the same.
    watch: Option<Watch>,
    /// Bytes that were told.
    size: u64,
    /// Why the body is not here.
    failed: Option<io::Error>,
}

/// What a usual message needs: bytes, and fields.
const BYTES: usize = 8_192;
const FIELDS: usize = 24;
/// Fields among which those of a name are looked for one by one.
const FEW: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Told {
    span: Span,
    /// Bytes of the name.
    name: usize,
}

impl Received {
    /// An empty message. `leading_space` is whether [`LEADING_SPACE`](crate::milter::protocol::LEADING_SPACE) was agreed; a
    /// message of more bytes than `limit` is not kept; a long body is kept in a file in `folder`.
    pub fn new(leading_space: bool, limit: u64, folder: PathBuf) -> Self {
        let limits = Limits {
            message_bytes: limit,
            spool: folder,
            spool_bytes: u64::MAX,
            disk_reserve: 0,
            ..Limits::default()
        };
        Self::within(leading_space, &limits, Arc::new(Budget::of(&limits)))
    }

    /// An empty message within the bounds of a server.
    pub(crate) fn within(leading_space: bool, limits: &Limits, budget: Arc<Budget>) -> Self {
        Self {
            header: Vec::with_capacity(BYTES),
            fields: Vec::with_capacity(FIELDS),
            body: Spool::new(budget),
            front: None,
            late: false,
            leading_space,
            most: (limits.message_bytes, limits.header_bytes, limits.fields),
            beyond: None,
            watch: None,
            size: 0,
            failed: None,
        }
    }

    /// Adds a field as [`Event::Header`](crate::milter::Event::Header) has it: folds are LF and white space.
    pub fn field(&mut self, name: &[u8], value: &[u8]) {
        if self.beyond.is_some() {
            let space = usize::from(!self.leading_space);
            let folds = memchr::memchr_iter(b'\n', value).count();
            self.size += (name.len() + 1 + space + value.len() + folds + 2) as u64;
            if let Some(watch) = &mut self.watch {
                watch.field(name, value);
            }
            return;
        }
        if self.front.is_some() {
            self.part();
        }
        let start = self.header.len();
        self.header.extend_from_slice(name);
        self.header.push(b':');
        if !self.leading_space {
            self.header.push(b' ');
        }
        let mut at = 0;
        for end in memchr::memchr_iter(b'\n', value) {
            self.header.extend_from_slice(&value[at..end]);
            self.header.extend_from_slice(b"\r\n");
            at = end + 1;
        }
        self.header.extend_from_slice(&value[at..]);
        self.header.extend_from_slice(b"\r\n");
        let span = Span::new(start, self.header.len());
        self.fields.push(Told { span, name: name.len() });
        if self.header.len() > self.most.1 || self.fields.len() > self.most.2 {
            self.forget(Finding::TooManyHeaders);
        }
        self.grow(span.len());
    }

    /// Adds a piece of the body. Where there is no place for it, [`Received::complete`] says so.
    pub fn body(&mut self, bytes: &[u8]) {
        if self.grow(bytes.len())
            && self.failed.is_none()
            && let Err(error) = self.push(bytes)
        {
            self.fail(error);
        }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.front.is_none() && !self.late {
            let mut header = std::mem::take(&mut self.header);
            header.reserve_exact(2 + bytes.len());
            header.extend_from_slice(b"\r\n");
            self.front = Some(header.len());
            self.body.begin(header);
        }
        self.body.push(bytes)
    }

    /// Takes header and body apart again, for good. Servers do not tell fields behind the body.
    fn part(&mut self) {
        let front = self.front.take().unwrap_or_default();
        self.late = true;
        if self.failed.is_some() || self.beyond.is_some() {
            return;
        }
        let empty = self.body.another();
        let body = std::mem::replace(&mut self.body, empty);
        let apart = body.into_bytes().and_then(|mut header| {
            self.body.push(&header[front..])?;
            header.truncate(front.saturating_sub(2));
            Ok(header)
        });
        match apart {
            Ok(header) => self.header = header,
            Err(error) => self.fail(error),
        }
    }

    /// The body cannot be kept; the header is, where it can.
    fn fail(&mut self, error: io::Error) {
        self.keep_header();
        self.body.clear();
        self.failed = Some(error);
    }

    /// Takes the header from where it stands before the body.
    fn keep_header(&mut self) {
        let Some(front) = self.front.take() else { return };
        match self.body.first(front) {
            Ok(header) => self.header = header,
            Err(error) => {
                self.fields = Vec::new();
                self.failed.get_or_insert(error);
            }
        }
        // Without the empty line.
        self.header.truncate(front.saturating_sub(2));
    }

    /// Why it cannot be judged although it is not too large; none where it can.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }

    /// Whether nobody has said yet which fields of a message that is not looked at are not to stand.
    pub(crate) fn is_unwatched(&self) -> bool {
        self.beyond.is_some() && self.watch.is_none()
    }

    /// Looks for fields that are not to stand by the rules of `engine`, among those that were told and those that will be. Of a message that is
    /// not looked at nothing else is kept from here on.
    pub(crate) fn watch(&mut self, engine: Arc<Engine>) {
        let told = self.header();
        let mut watch = Watch::new(engine, self.most.2);
        watch.told(&told);
        self.watch = Some(watch);
    }

    /// The header as far as it was told, which goes with that.
    fn header(&mut self) -> Complete {
        self.keep_header();
        let (raw, fields) = (std::mem::take(&mut self.header), std::mem::take(&mut self.fields));
        Complete { body: raw.len(), raw, fields, leading_space: self.leading_space }
    }

    /// The fields of a message that cannot be judged which are not to stand, and how many they are; none where nobody can say which.
    pub(crate) fn claims(mut self, engine: &Arc<Engine>) -> Option<(Vec<HeaderChange>, u32)> {
        if self.watch.is_none() {
            self.watch(engine.clone());
        }
        self.watch.filter(|watch| watch.left > 0).map(|watch| (watch.gone, watch.count))
    }

    /// Whether there are more bytes than are looked at. None of them is kept then.
    pub fn is_too_large(&self) -> bool {
        self.beyond.is_some()
    }

    /// What there is too much of.
    pub fn beyond(&self) -> Option<Finding> {
        self.beyond
    }

    /// Bytes that were told, of header and body.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The message, all of it in memory; what was told of one that is too large is gone.
    ///
    /// # Errors
    /// The file of a long body cannot be made, written or read.
    pub fn complete(mut self) -> io::Result<Complete> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.beyond.is_some() {
            (self.header, self.fields) = (Vec::new(), Vec::new());
        }
        if let Some(body) = self.front {
            let raw = self.body.into_bytes()?;
            return Ok(Complete { raw, fields: self.fields, body, leading_space: self.leading_space });
        }
        let mut raw = self.header;
        let body = raw.len() + 2;
        // Once and exactly: a large message is held once while it is put together.
        raw.reserve_exact(2 + self.body.len() as usize);
        raw.extend_from_slice(b"\r\n");
        self.body.append_to(&mut raw)?;
        Ok(Complete { raw, fields: self.fields, body, leading_space: self.leading_space })
    }

    /// Counts bytes; false where they are too many.
    fn grow(&mut self, bytes: usize) -> bool {
        self.size += bytes as u64;
        if self.size > self.most.0 {
            self.forget(Finding::TooLarge);
        }
        self.beyond.is_none()
    }

    fn forget(&mut self, why: Finding) {
        self.beyond.get_or_insert(why);
        self.keep_header();
        self.body.clear();
    }
}

/// What of a message that is not looked at is not to stand.
#[derive(Debug)]
struct Watch {
    engine: Arc<Engine>,
    /// Fields of each name of which some may not stand, in lower case.
    names: HashMap<Vec<u8>, u32>,
    gone: Vec<HeaderChange>,
    count: u32,
    /// How many more may go; one that has none left is no message that anybody means.
    left: usize,
}

impl Watch {
    fn new(engine: Arc<Engine>, most: usize) -> Self {
        Self { engine, names: HashMap::new(), gone: Vec::new(), count: 0, left: most.max(1) }
    }

    /// Fields that were told before.
    fn told(&mut self, header: &Complete) {
        let mut actions = Actions::default();
        self.count = header.delete(&mut actions, &self.engine.rules);
        self.gone = actions.changes;
        for told in &header.fields {
            self.number(&header.raw[told.span.start..][..told.name]);
        }
    }

    /// The place of one more field of this name among those; none where each of them may stand.
    fn number(&mut self, name: &[u8]) -> Option<u32> {
        judge::is_suspect(name, &self.engine.rules).then(|| {
            let number = self.names.entry(name.to_ascii_lowercase()).or_insert(0);
            *number += 1;
            *number
        })
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        let Some(index) = self.number(name) else { return };
        if self.left > 0
            && judge::is_claim(name, value, &self.engine.rules)
            && let Some(name) = FieldValue::new(name)
        {
            self.gone.push(HeaderChange { name, index, value: None });
            self.count += 1;
            self.left -= 1;
        }
    }
}

/// A message that was told to its end; its bytes have line ends of CRLF.
#[derive(Debug)]
pub struct Complete {
    raw: Vec<u8>,
    fields: Vec<Told>,
    /// Where the body begins, behind the empty line.
    body: usize,
    leading_space: bool,
}

impl Complete {
    /// The message.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// What makes this message that of its edits, sorted and apart, in the words of the protocol. A field that would have a CR that ends no
    /// line stays as it is, for no server takes it; where it is one of those that say how the body is read, they all stay, and the body.
    /// Where such a CR makes the planner see the end of the header, or a label of the body, that the server does not see, all stays.
    ///
    /// # Errors
    /// An edit that cannot be told; the message must stay as it is.
    pub fn actions<'a>(&'a self, edits: &'a [Edit]) -> Result<Actions<'a>, Untellable> {
        self.told(edits).map(|(actions, _)| actions)
    }

    /// As [`Complete::actions`], and whether they are all of the edits.
    pub(crate) fn told<'a>(&'a self, edits: &'a [Edit]) -> Result<(Actions<'a>, bool), Untellable> {
        let mut actions = Actions::default();
        if edits.is_empty() {
            return Ok((actions, true));
        }
        if self.fields.iter().any(|told| ends_header(told.span.of(&self.raw))) {
            return Ok((actions, false));
        }
        let body = self.body;
        let split = edits.partition_point(|edit| edit.span.start < body);
        let (header, in_body) = edits.split_at(split);
        if header.iter().any(|edit| edit.span.end > body) {
            return Err(Untellable::AcrossFields);
        }
        let mut header = header;
        // The server has said where fields begin and where they end.
        let between = |edit: &Edit| {
            edit.span.is_empty() && (edit.with == b"\r\n" || edit.with.starts_with(judge::NAMED))
        };
        if header.iter().any(between) {
            return Ok((actions, false));
        }
        let (mut body_stays, mut all) = (false, true);
        let mut counts = Counts::new(self);
        for (at, told) in self.fields.iter().enumerate() {
            if header.is_empty() {
                break;
            }
            header = self.additions(header, told.span.start, &mut actions)?;
            let inside = header.partition_point(|edit| edit.span.start < told.span.end);
            let (own, rest) = header.split_at(inside);
            header = rest;
            if own.is_empty() {
                continue;
            }
            let new = self.edited(*told, own)?;
            // Where a CR alone stands in it, the planner may have seen several fields here, each of them short enough.
            if !has_bare_return(&new) && new.len() <= LONGEST_FIELD {
                actions.changes.push(self.change(*told, counts.of(at), &new)?);
            } else if lines(&new).skip(1).any(says_how_to_read) {
                return Ok((Actions::default(), false));
            } else {
                all = false;
                body_stays |= says_how_to_read(&new);
            }
        }
        let end = self.fields.last().map_or(0, |told| told.span.end);
        if !self.additions(header, end, &mut actions)?.is_empty() {
            return Err(Untellable::AcrossFields);
        }
        if body_stays {
            actions.changes.retain(|change| !says_how_to_read(change.name.as_bytes()));
            actions.appended.retain(|(name, _)| !says_how_to_read(name.as_bytes()));
        } else if !in_body.is_empty() {
            actions.body = Some(pieces(&self.raw, body, in_body));
        }
        Ok((actions, all))
    }

    /// Bytes that the message has with these changes, fields above all others aside.
    pub(crate) fn size_with(&self, actions: &Actions<'_>) -> usize {
        let space = usize::from(!self.leading_space);
        let value = |value: &FieldValue| {
            let bytes = value.as_bytes();
            // A fold has a CR more in a message, and a field a colon and its end.
            bytes.len() + memchr::memchr_iter(b'\n', bytes).count() + space + 3
        };
        let place = |change: &HeaderChange| (change.name.as_bytes().to_ascii_lowercase(), change.index);
        let changes: HashMap<_, _> = actions.changes.iter().map(|change| (place(change), change)).collect();
        let mut counts = Counts::new(self);
        let mut size = 2 + actions
            .appended
            .iter()
            .map(|(name, text)| name.as_bytes().len() + value(text))
            .sum::<usize>();
        for (at, told) in self.fields.iter().enumerate() {
            let name = self.raw[told.span.start..][..told.name].to_ascii_lowercase();
            size += match changes.get(&(name, counts.of(at))) {
                Some(change) => change.value.as_ref().map_or(0, |text| told.name + value(text)),
                None => told.span.len(),
            };
        }
        let body = actions.body.as_ref().map(|pieces| pieces.iter().map(|piece| piece.len()).sum());
        size + body.unwrap_or(self.raw.len() - self.body)
    }

    /// The body with its edits, which are sorted and apart, in pieces that are not copied.
    pub(crate) fn new_body<'a>(&'a self, edits: &'a [Edit]) -> Vec<&'a [u8]> {
        let split = edits.partition_point(|edit| edit.span.start < self.body);
        pieces(&self.raw, self.body, &edits[split..])
    }

    /// Has fields go that would be taken for ours, by name and value as the server told them, whatever a CR in a field makes a reader see; and
    /// what begins so behind such a CR.
    ///
    /// How many there were.
    pub(crate) fn delete(&self, actions: &mut Actions<'_>, rules: &Rules) -> u32 {
        let mut gone = Vec::new();
        let odd = has_bare_return(&self.raw[..self.body]);
        for (at, told) in self.fields.iter().enumerate() {
            let bytes = told.span.of(&self.raw);
            let (name, rest) = bytes.split_at(told.name);
            if judge::is_claim(name, rest.strip_prefix(b":").unwrap_or(rest), rules) {
                gone.push((at, None, 1));
            } else if let Some((left, count)) = odd.then(|| judge::without_claims(bytes, rules)).flatten() {
                gone.push((at, Some(left), count));
            }
        }
        let mut counts = Counts::new(self);
        let mut count = 0;
        let mut changes = HashMap::new();
        for (at, left, claims) in gone {
            let told = self.fields[at];
            let name = &self.raw[told.span.start..][..told.name];
            let value = left.map(|left| self.value(left.get(told.name + 1..).unwrap_or_default()));
            // What cannot stay without them goes.
            let (value, Some(name)) = (value.and_then(Result::ok), FieldValue::new(name)) else { continue };
            let index = counts.of(at);
            count += claims;
            changes
                .insert((name.as_bytes().to_ascii_lowercase(), index), HeaderChange { name, index, value });
        }
        if !changes.is_empty() {
            let place = |change: &HeaderChange| (change.name.as_bytes().to_ascii_lowercase(), change.index);
            actions.changes.retain(|change| !changes.contains_key(&place(change)));
            let mut changes: Vec<_> = changes.into_iter().collect();
            changes.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            actions.changes.extend(changes.into_iter().map(|(_, change)| change));
        }
        count
    }

    /// New fields that stand before the field that begins at `at`; the edits behind them.
    fn additions<'e>(
        &self,
        edits: &'e [Edit],
        at: usize,
        actions: &mut Actions<'_>,
    ) -> Result<&'e [Edit], Untellable> {
        let here = edits.iter().take_while(|edit| edit.span.is_empty() && edit.span.start == at).count();
        for edit in &edits[..here] {
            for field in whole_fields(&edit.with) {
                let colon = field.iter().position(|byte| *byte == b':').ok_or(Untellable::NoField)?;
                let name = FieldValue::new(&field[..colon]).ok_or(Untellable::NoField)?;
                actions.appended.push((name, self.value(&field[colon + 1..])?));
            }
        }
        Ok(&edits[here..])
    }

    /// The bytes of a field with its edits.
    fn edited(&self, told: Told, edits: &[Edit]) -> Result<Vec<u8>, Untellable> {
        if edits.iter().any(|edit| edit.span.end > told.span.end) {
            return Err(Untellable::AcrossFields);
        }
        let grown: usize = edits.iter().map(|edit| edit.with.len()).sum();
        let mut new = Vec::with_capacity(told.span.len() + grown);
        let mut at = told.span.start;
        for edit in edits {
            new.extend_from_slice(&self.raw[at..edit.span.start]);
            new.extend_from_slice(&edit.with);
            at = edit.span.end;
        }
        new.extend_from_slice(&self.raw[at..told.span.end]);
        Ok(new)
    }

    /// A field, the `index`th of its name, becomes another, or goes.
    fn change(&self, told: Told, index: u32, new: &[u8]) -> Result<HeaderChange, Untellable> {
        let name = &self.raw[told.span.start..][..told.name];
        let value = match new.strip_prefix(name).and_then(|rest| rest.strip_prefix(b":")) {
            Some(value) => Some(self.value(value)?),
            None if new.is_empty() => None,
            None => return Err(Untellable::NoField),
        };
        let name = FieldValue::new(name).ok_or(Untellable::NoField)?;
        Ok(HeaderChange { name, index, value })
    }

    /// A value as the server takes it, from all bytes between the colon and the next field.
    fn value(&self, bytes: &[u8]) -> Result<FieldValue, Untellable> {
        let bytes = bytes.strip_suffix(b"\r\n").ok_or(Untellable::NoField)?;
        let bytes = if self.leading_space { bytes } else { bytes.strip_prefix(b" ").unwrap_or(bytes) };
        let mut value = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for cr in memchr::memchr_iter(b'\r', bytes).filter(|cr| bytes.get(cr + 1) == Some(&b'\n')) {
            value.extend_from_slice(&bytes[at..cr]);
            at = cr + 1;
        }
        value.extend_from_slice(&bytes[at..]);
        FieldValue::new(value).ok_or(Untellable::NoField)
    }
}

/// The places of fields among those of their name, from 1: servers count so. Asked for one field after the other.
struct Counts<'m> {
    message: &'m Complete,
    /// Fields in `names`, of a message that has many.
    counted: usize,
    names: HashMap<Vec<u8>, u32>,
}

impl<'m> Counts<'m> {
    fn new(message: &'m Complete) -> Self {
        Self { message, counted: 0, names: HashMap::new() }
    }

    fn of(&mut self, at: usize) -> u32 {
        let Complete { raw, fields, .. } = self.message;
        let name = |told: &Told| &raw[told.span.start..][..told.name];
        let own = name(&fields[at]);
        if fields.len() <= FEW {
            return fields[..=at].iter().map(|told| u32::from(name(told).eq_ignore_ascii_case(own))).sum();
        }
        for told in &fields[self.counted..=at] {
            *self.names.entry(name(told).to_ascii_lowercase()).or_insert(0) += 1;
        }
        self.counted = at + 1;
        self.names.get(&own.to_ascii_lowercase()).copied().unwrap_or_default()
    }
}

/// Whether a CR ends no line.
fn has_bare_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Whether a field has an empty line in it, for those to whom a CR ends lines.
fn ends_header(field: &[u8]) -> bool {
    has_bare_return(field) && lines(field).any(<[u8]>::is_empty)
}

/// The lines of a field, whatever ends them.
fn lines(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    let field = field.strip_suffix(b"\r\n").unwrap_or(field);
    field
        .split(|byte| *byte == b'\n')
        .flat_map(|line| line.strip_suffix(b"\r").unwrap_or(line).split(|byte| *byte == b'\r'))
}

/// Whether a field, or the name of one, is of those that say how a body is read (RFC 2045 3).
fn says_how_to_read(field: &[u8]) -> bool {
    let begins = |with: &[u8]| field.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"content-") || begins(b"mime-version")
}

/// The bytes from `at` on with their edits, none of them copied.
fn pieces<'a>(raw: &'a [u8], mut at: usize, edits: &'a [Edit]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::with_capacity(2 * edits.len() + 1);
    for edit in edits {
        pieces.extend([&raw[at..edit.span.start], &edit.with]);
        at = edit.span.end;
    }
    pieces.push(&raw[at..]);
    pieces
}

/// Fields one behind another, folds in them.
fn whole_fields(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let ends = bytes.windows(3).position(|w| w[..2] == *b"\r\n" && !matches!(w[2], b' ' | b'\t'));
        let (field, rest) = bytes.split_at(ends.map_or(bytes.len(), |at| at + 2));
        fields.push(field);
        bytes = rest;
    }
    fields
}

/// Why edits cannot be told to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untellable {
    /// An edit reaches over the end of a field.
    AcrossFields,
    /// What it makes is no field.
    NoField,
}

impl Untellable {
    /// The reason in words for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcrossFields => "an edit reaches over the end of a field",
            Self::NoField => "an edit makes what is no field",
        }
    }
}

impl fmt::Display for Untellable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for Untellable {}
