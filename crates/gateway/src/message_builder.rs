//! Builds a message from the packets of a mail server.
//!
//! # Limits
//! Keeps only the names and positions of forged fields if a message exceeds the limits.

mod field_spans;
mod received_message;

pub use received_message::{InexpressibleEdit, ReceivedMessage};

use crate::engine::Engine;
use crate::judge;
use crate::limits::{Limits, MOST_CHANGES};
use crate::milter::{Actions, FieldValue, HeaderChange};
use crate::policy::Finding;
use crate::spool::{Budget, Spool};
use field_spans::Fields;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Collects the fields of a message and the pieces of its body. Writes a long message to an unlinked file.
#[derive(Debug)]
pub struct MessageBuilder {
    /// Complete fields with line ends, the empty line, and the body.
    text: Spool,
    fields: Fields,
    /// Bytes of the header and the empty line, once the body begins.
    front: Option<usize>,
    /// Fields that arrived after the body.
    late: Option<Spool>,
    /// True if field values include the space behind the colon, in both directions.
    leading_space: bool,
    /// Limits of a message that is judged: bytes, bytes of the header, number of fields.
    most: (u64, usize, usize),
    /// The limit that the message exceeds. Such a message is not judged.
    beyond: Option<Finding>,
    /// Forged fields of a message that is not judged.
    scan: Option<ForgedFieldScan>,
    /// Bytes of header and body so far, without the empty line.
    size: u64,
    /// The first failure of the file. Nothing is stored after it.
    failed: Option<io::Error>,
    /// The field that could not be stored.
    unkept: Option<(Vec<u8>, Vec<u8>)>,
}

/// Bytes and fields of a typical header, for the first allocation.
const BYTES: usize = 8_192;
const FIELDS: usize = 24;
/// Bytes of the empty line behind the header. No packet contains it.
pub(crate) const EMPTY_LINE: u64 = 2;

impl MessageBuilder {
    /// Creates an empty message. `leading_space` is true if [`LEADING_SPACE`](crate::milter::protocol::LEADING_SPACE) was negotiated.
    ///
    /// Keeps at most `limit` bytes, including the empty line behind the header. Stores a long body in an unlinked file in `folder`.
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

    /// Creates an empty message with the limits of a server.
    pub(crate) fn within(leading_space: bool, limits: &Limits, budget: Arc<Budget>) -> Self {
        Self {
            text: Spool::with_capacity(budget, BYTES),
            fields: Fields::with_capacity(FIELDS),
            front: None,
            late: None,
            leading_space,
            most: (limits.message_bytes, limits.header_bytes, limits.fields),
            beyond: None,
            scan: None,
            size: 0,
            failed: None,
            unkept: None,
        }
    }

    /// Adds a field of [`Event::Header`](crate::milter::Event::Header). A fold is LF and white space.
    pub fn field(&mut self, name: &[u8], value: &[u8]) {
        let space = usize::from(!self.leading_space);
        let folds = memchr::memchr_iter(b'\n', value).count();
        let bytes = name.len() + 1 + space + value.len() + folds + 2;
        if self.beyond.is_some() || self.failed.is_some() {
            self.size += bytes as u64;
            if let Some(scan) = &mut self.scan {
                scan.field(name, value);
            }
            return;
        }
        let place = match self.front {
            None => &mut self.text,
            Some(_) => self.late.get_or_insert_with(|| self.text.another()),
        };
        let header = match place.room(bytes) {
            Ok(header) if self.fields.push(bytes, name.len()) => header,
            kept => {
                self.failed = kept.err();
                self.unkept = Some((name.to_owned(), value.to_owned()));
                if self.failed.is_none() {
                    self.forget(Finding::TooManyHeaders);
                }
                self.grow(bytes);
                return;
            }
        };
        header.extend_from_slice(name);
        header.extend_from_slice(if space > 0 { b": " } else { b":" });
        let mut at = 0;
        for end in memchr::memchr_iter(b'\n', value) {
            header.extend_from_slice(&value[at..end]);
            header.extend_from_slice(b"\r\n");
            at = end + 1;
        }
        header.extend_from_slice(&value[at..]);
        header.extend_from_slice(b"\r\n");
        place.hold(self.fields.memory());
        self.failed = place.settle().err();
        if self.fields.end() > self.most.1 || self.fields.len() > self.most.2 {
            self.forget(Finding::TooManyHeaders);
        }
        self.grow(bytes);
    }

    /// Adds a piece of the body. [`MessageBuilder::complete`] returns the error if it cannot be stored.
    pub fn body(&mut self, bytes: &[u8]) {
        if self.grow(bytes.len()) && self.failed.is_none() {
            self.failed = self.push(bytes).err();
        }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.front.is_some() {
            return self.text.push(bytes);
        }
        let text = self.text.room(EMPTY_LINE as usize + bytes.len())?;
        // Most bodies arrive in one piece, so the exact size is the final one.
        text.reserve_exact(EMPTY_LINE as usize + bytes.len());
        text.extend_from_slice(b"\r\n");
        text.extend_from_slice(bytes);
        self.front = Some(self.fields.end() + EMPTY_LINE as usize);
        Ok(())
    }

    /// Returns a copy of the stored header.
    fn header(&mut self) -> io::Result<ReceivedMessage> {
        let before = self
            .front
            .map_or(self.fields.end(), |front| front - EMPTY_LINE as usize);
        let mut raw = self.text.first(before)?;
        if let Some(late) = &mut self.late {
            late.append_to(&mut raw)?;
        }
        let (body, fields) = (raw.len(), self.fields.clone());
        Ok(ReceivedMessage {
            raw,
            fields,
            body,
            leading_space: self.leading_space,
        })
    }

    /// Takes the failure that prevents judging the message.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Returns true if the message exceeds a limit and was not scanned for forged fields yet.
    pub(crate) fn needs_scan(&self) -> bool {
        (self.beyond.is_some() || self.failed.is_some()) && self.scan.is_none()
    }

    /// Scans all fields, also those that still arrive, for forged ones by the rules of `engine`. Stores nothing else from here on.
    pub(crate) fn scan(&mut self, engine: Arc<Engine>) {
        let budget = self.text.budget().clone();
        let alone = budget.read_alone();
        let mut scan = ForgedFieldScan::new(engine, self.most.2.min(MOST_CHANGES));
        match self.header() {
            Ok(header) => scan.add_header(&header),
            Err(error) => {
                // Its forged fields cannot be determined.
                scan.left = 0;
                self.failed.get_or_insert(error);
            }
        }
        drop(alone);
        if let Some((name, value)) = self.unkept.take() {
            scan.field(&name, &value);
        }
        self.text.clear();
        (self.front, self.late, self.fields) = (None, None, Fields::default());
        self.scan = Some(scan);
    }

    /// Returns deletions of the forged fields of a message that is not judged, and their number. Returns `None` if they are unknown, or too many.
    pub(crate) fn forged_fields(
        mut self,
        engine: &Arc<Engine>,
    ) -> Option<(Vec<HeaderChange>, u32)> {
        if self.scan.is_none() {
            self.scan(engine.clone());
        }
        self.scan
            .filter(ForgedFieldScan::is_few)
            .map(|scan| (scan.gone, scan.count))
    }

    /// Like [`MessageBuilder::forged_fields`], for any complete message, and without consuming it.
    ///
    /// Also returns `None` if the header cannot be read back.
    pub(crate) fn forged_fields_of(&mut self, engine: &Engine) -> Option<(Vec<HeaderChange>, u32)> {
        if let Some(scan) = &self.scan {
            return scan.is_few().then(|| (scan.gone.clone(), scan.count));
        }
        let budget = self.text.budget().clone();
        let _alone = budget.read_alone();
        let header = self.header().ok()?;
        let mut actions = Actions::default();
        let count = header.delete(&mut actions, &engine.rules);
        (count as usize <= MOST_CHANGES).then_some((actions.changes, count))
    }

    /// Returns true if the message exceeds a limit. Nothing more of it is stored then.
    pub fn is_too_large(&self) -> bool {
        self.beyond.is_some()
    }

    /// Returns the limit that the message exceeds, as a finding.
    pub fn beyond(&self) -> Option<Finding> {
        self.beyond
    }

    /// Returns the bytes of header and body, without the empty line between them.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the complete message in memory. A message that exceeds a limit is empty.
    ///
    /// # Errors
    /// The file of a long body cannot be created, written or read.
    pub fn complete(self) -> io::Result<ReceivedMessage> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let leading_space = self.leading_space;
        if self.beyond.is_some() {
            return Ok(ReceivedMessage {
                raw: b"\r\n".to_vec(),
                fields: Fields::default(),
                body: 2,
                leading_space,
            });
        }
        let mut raw = self.text.into_bytes()?;
        let front = self.front.unwrap_or_else(|| {
            raw.extend_from_slice(b"\r\n");
            raw.len()
        });
        let mut body = front;
        if let Some(late) = self.late {
            let late = late.into_bytes()?;
            body += late.len();
            let behind = front - EMPTY_LINE as usize;
            raw.splice(behind..behind, late);
        }
        Ok(ReceivedMessage {
            raw,
            fields: self.fields,
            body,
            leading_space,
        })
    }

    /// Adds to the size. Returns false if it exceeds the limit.
    fn grow(&mut self, bytes: usize) -> bool {
        self.size += bytes as u64;
        if self.size + EMPTY_LINE > self.most.0 {
            self.forget(Finding::TooLarge);
        }
        self.beyond.is_none()
    }

    fn forget(&mut self, why: Finding) {
        self.beyond.get_or_insert(why);
    }
}

/// Collects the forged fields of a message that is not judged.
#[derive(Debug)]
struct ForgedFieldScan {
    engine: Arc<Engine>,
    /// Names in lower case that forged fields may have, each with the number of its fields so far.
    names: HashMap<Vec<u8>, u32>,
    gone: Vec<HeaderChange>,
    count: u32,
    /// Number of fields.
    fields: u32,
    /// How many more may be deleted. No honest sender forges that many.
    left: usize,
}

impl ForgedFieldScan {
    fn new(engine: Arc<Engine>, most: usize) -> Self {
        Self {
            engine,
            names: HashMap::new(),
            gone: Vec::new(),
            count: 0,
            fields: 0,
            left: most.max(1),
        }
    }

    /// Returns true if the mail server can delete all of them.
    fn is_few(&self) -> bool {
        self.left > 0 && self.count as usize <= MOST_CHANGES
    }

    /// Adds the fields that came before the scan.
    fn add_header(&mut self, header: &ReceivedMessage) {
        let mut actions = Actions::default();
        self.count = header.delete(&mut actions, &self.engine.rules);
        self.gone = actions.changes;
        self.fields = header.fields.len() as u32;
        for field in header.fields.iter() {
            self.number(&header.raw[field.span.start..][..field.name]);
        }
    }

    /// Counts one more field of this name and returns its number; `None` if the field cannot be forged.
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
        let Some(index) = self.number(name) else {
            return;
        };
        if self.left > 0
            && judge::is_forged_field(name, value, &self.engine.rules)
            && let Some(name) = FieldValue::new(name)
        {
            self.gone.push(HeaderChange {
                name,
                index,
                position,
                value: None,
            });
            self.count += 1;
            self.left -= 1;
        }
    }
}
