//! A message as a mail server tells it, piece by piece.
//!
//! # Limits
//! Of a message that is not looked at its bytes are not kept, but for the names and numbers of fields that are not to stand.

mod complete;

pub use complete::{Complete, Untellable};

use crate::engine::Engine;
use crate::judge;
use crate::limits::{Limits, MOST_CHANGES};
use crate::milter::{Actions, FieldValue, HeaderChange};
use crate::policy::Finding;
use crate::spool::{Budget, Spool};
use complete::Told;
use mailglot_mime::Span;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

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
/// Bytes of the empty line behind the header, which nobody tells.
pub(crate) const EMPTY_LINE: u64 = 2;

impl Received {
    /// An empty message. `leading_space` is whether [`LEADING_SPACE`](crate::milter::protocol::LEADING_SPACE) was agreed; a
    /// message of more bytes than `limit`, those of the empty line behind its header among them, is not kept; a long body is kept in a file in `folder`.
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
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Whether nobody has said yet which fields of a message that is not looked at are not to stand.
    pub(crate) fn is_unwatched(&self) -> bool {
        self.beyond.is_some() && self.watch.is_none()
    }

    /// Looks for fields that are not to stand by the rules of `engine`, among those that were told and those that will be. Of a message that is
    /// not looked at nothing else is kept from here on.
    pub(crate) fn watch(&mut self, engine: Arc<Engine>) {
        let told = self.header();
        let mut watch = Watch::new(engine, self.most.2.min(MOST_CHANGES));
        watch.told(&told);
        self.watch = Some(watch);
    }

    /// The header as far as it was told, which goes with that.
    fn header(&mut self) -> Complete {
        self.keep_header();
        let (raw, fields) = (std::mem::take(&mut self.header), std::mem::take(&mut self.fields));
        Complete { body: raw.len(), raw, fields, leading_space: self.leading_space }
    }

    /// The fields of a message that is not looked at which are not to stand, and how many they are; none where nobody can say which.
    pub(crate) fn claims(mut self, engine: &Arc<Engine>) -> Option<(Vec<HeaderChange>, u32)> {
        if self.watch.is_none() {
            self.watch(engine.clone());
        }
        self.watch.filter(Watch::is_few).map(|watch| (watch.gone, watch.count))
    }

    /// The same of any message that was told to its end, which stays as it is.
    ///
    /// None too where its header cannot be read.
    pub(crate) fn claims_of(&mut self, engine: &Engine) -> Option<(Vec<HeaderChange>, u32)> {
        if let Some(watch) = &self.watch {
            return watch.is_few().then(|| (watch.gone.clone(), watch.count));
        }
        let raw = match self.front {
            Some(front) => {
                let mut header = self.body.first(front).ok()?;
                // Without the empty line.
                header.truncate(front.saturating_sub(2));
                header
            }
            None => self.header.clone(),
        };
        let (body, fields) = (raw.len(), self.fields.clone());
        let header = Complete { raw, fields, body, leading_space: self.leading_space };
        let mut actions = Actions::default();
        let count = header.delete(&mut actions, &engine.rules);
        (count as usize <= MOST_CHANGES).then_some((actions.changes, count))
    }

    /// Whether there are more bytes than are looked at. None of them is kept then.
    pub fn is_too_large(&self) -> bool {
        self.beyond.is_some()
    }

    /// What there is too much of.
    pub fn beyond(&self) -> Option<Finding> {
        self.beyond
    }

    /// Bytes that were told, of header and body; the empty line between them is not.
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
        if self.size + EMPTY_LINE > self.most.0 {
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
    /// Fields that were told.
    fields: u32,
    /// How many more may go; one that has none left is no message that anybody means.
    left: usize,
}

impl Watch {
    fn new(engine: Arc<Engine>, most: usize) -> Self {
        Self { engine, names: HashMap::new(), gone: Vec::new(), count: 0, fields: 0, left: most.max(1) }
    }

    /// Whether no more are to go than a server can be asked for.
    fn is_few(&self) -> bool {
        self.left > 0 && self.count as usize <= MOST_CHANGES
    }

    /// Fields that were told before.
    fn told(&mut self, header: &Complete) {
        let mut actions = Actions::default();
        self.count = header.delete(&mut actions, &self.engine.rules);
        self.gone = actions.changes;
        self.fields = header.fields.len() as u32;
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
        let position = self.fields;
        self.fields += 1;
        let Some(index) = self.number(name) else { return };
        if self.left > 0
            && judge::is_claim(name, value, &self.engine.rules)
            && let Some(name) = FieldValue::new(name)
        {
            self.gone.push(HeaderChange { name, index, position, value: None });
            self.count += 1;
            self.left -= 1;
        }
    }
}
