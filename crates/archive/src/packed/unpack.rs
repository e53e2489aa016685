//! Decompresses streams, and continues after damage where possible.
//!
//! A compressed file is a sequence of members (gzip), frames (zstd) or streams (bzip2, xz). Tapes and file systems leave zero bytes
//! between them and after the last one. Skips any other trailing data, as gzip(1) does. Returns everything before the damage in a
//! truncated or damaged member. Reports all of that with offsets in the compressed file.
//!
//! # Limits
//! Does not search for data after damage inside a member; reports the size of the rest. If only the checksum of a gzip member is
//! wrong, its data is returned, and reading continues after it. In other formats such a member is the last one.

use std::io::{self, Read};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use super::Packing;
use super::input::LookaheadReader;
use super::member::{self, BlocksAhead, Member};
use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind, CompressionDefect};
use crate::expansion::Meter;

/// Bytes to decompress at once. Output of the step that met damage is lost, except for xz.
pub(super) const STEP: usize = 16 << 10;
/// Number of bytes that identify a compression.
const BEGINNING: usize = 16;

/// Defects found so far. Filled while reading continues.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompressionEvents(Arc<Mutex<Vec<BoxEvent>>>);

/// Limits on the decompressed size.
#[derive(Debug)]
pub(crate) struct ExpansionLimits {
    /// Limit on the ratio of output to input.
    pub(crate) ratio: u64,
    /// Number of decompressed bytes that are exempt from the ratio.
    pub(crate) free: u64,
    /// The limit of the container that has the compressed file.
    pub(crate) meter: Option<Meter>,
}

impl CompressionEvents {
    /// Adds an event.
    pub(crate) fn event(&self, kind: BoxEventKind, offset: u64, detail: BoxDetail) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(BoxEvent::new(kind, offset, detail));
    }

    /// Adds events that [`Self::take`] returned.
    pub(crate) fn put_back(&self, events: Vec<BoxEvent>) {
        for event in events {
            self.event(event.kind, event.offset, event.detail);
        }
    }

    /// Returns the events so far, once.
    pub(crate) fn take(&self) -> Vec<BoxEvent> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the decompressed data of a stream.
pub(super) struct Unpack<R: Read> {
    state: UnpackState<R>,
    packing: Packing,
    defects: CompressionEvents,
    /// Number of bytes decompressed so far.
    given: u64,
    limits: ExpansionLimits,
    /// Decompresses blocks on other threads, between two members.
    ahead: Option<BlocksAhead>,
}

enum UnpackState<R: Read> {
    /// Before a member, or at the end.
    Between(LookaheadReader<R>),
    Inside(Member<R>),
    Over,
}

impl<R: Read> Unpack<R> {
    /// Starts before the first member.
    pub(super) fn new(
        input: LookaheadReader<R>,
        packing: Packing,
        limits: ExpansionLimits,
        threads: usize,
        defects: &CompressionEvents,
    ) -> Self {
        Self {
            state: UnpackState::Between(input),
            packing,
            defects: defects.clone(),
            given: 0,
            limits,
            ahead: BlocksAhead::new(packing, threads),
        }
    }

    /// Opens the next member, or ends at trailing data.
    fn begin(&mut self) -> io::Result<()> {
        let UnpackState::Between(input) = &mut self.state else {
            return Ok(());
        };
        let start = input.offset();
        let zeros = input.skip_zeros()?;
        let beginning = input.peek(BEGINNING)?;
        let (at_end, goes_on) = (
            beginning.is_empty(),
            Packing::of(beginning) == Some(self.packing),
        );
        let defect = if !at_end && !goes_on {
            input.skip_all()?;
            Some(CompressionDefect::BytesBehind(input.offset() - start))
        } else if zeros > 0 && at_end {
            Some(CompressionDefect::ZerosBehind(zeros))
        } else if zeros > 0 {
            Some(CompressionDefect::ZerosInside(zeros))
        } else {
            None
        };
        if let Some(defect) = defect {
            self.report(BoxEventKind::TrailingBytes, start, defect);
        }
        let UnpackState::Between(input) = mem::replace(&mut self.state, UnpackState::Over) else {
            return Ok(());
        };
        if goes_on {
            self.state = UnpackState::Inside(Member::new(self.packing, input, self.ahead.take())?);
        }
        Ok(())
    }

    /// Takes the input back from a decoder.
    fn end_member(&mut self) {
        self.state = match mem::replace(&mut self.state, UnpackState::Over) {
            UnpackState::Inside(member) => {
                let (input, ahead) = member.into_parts();
                self.ahead = ahead;
                UnpackState::Between(input)
            }
            state => state,
        };
    }

    /// Counts output, and stops if it exceeds the limit for its input.
    fn check_expansion(&mut self, read: u64) {
        let meter = self.limits.meter.as_mut();
        let is_within = meter.is_none_or(|meter| meter.count(read));
        let UnpackState::Inside(member) = &self.state else {
            return;
        };
        // Of the first step, at least one byte was needed.
        let offset = member.offset().max(1);
        let ratio = self.limits.ratio;
        if is_within
            && (self.given <= self.limits.free || self.given <= offset.saturating_mul(ratio))
        {
            return;
        }
        let defect = CompressionDefect::Expansion {
            limit: ratio,
            given: self.given,
        };
        self.report(BoxEventKind::Expansion, offset, defect);
        self.state = UnpackState::Over;
    }

    /// Returns true if a decoder failed because the file could not be read.
    fn is_read_error(&self) -> bool {
        match &self.state {
            UnpackState::Inside(member) => member.input().failed(),
            UnpackState::Between(_) | UnpackState::Over => true,
        }
    }

    /// Reports a damaged member, and continues after it if its end is known.
    fn damaged(&mut self, error: &io::Error) -> io::Result<()> {
        let UnpackState::Inside(member) = &mut self.state else {
            return Ok(());
        };
        let ended = member.has_ended();
        let at = member.offset();
        self.end_member();
        let UnpackState::Between(input) = &mut self.state else {
            return Ok(());
        };
        if !ended {
            input.skip_all()?;
        }
        let left = input.offset() - at;
        let given = self.given;
        let defect = if error.kind() == io::ErrorKind::UnexpectedEof {
            CompressionDefect::CutOff { given }
        } else {
            CompressionDefect::Damaged {
                error: error.to_string(),
                given,
                left: (!ended).then_some(left),
            }
        };
        self.report(BoxEventKind::Damaged, at, defect);
        Ok(())
    }

    fn report(&self, kind: BoxEventKind, offset: u64, defect: CompressionDefect) {
        let packing = self.packing;
        self.defects
            .event(kind, offset, BoxDetail::Compressed { packing, defect });
    }
}

impl<R: Read> Read for Unpack<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(STEP);
        let into = &mut into[..most];
        while !into.is_empty() {
            let read = match &mut self.state {
                UnpackState::Between(_) => {
                    self.begin()?;
                    continue;
                }
                UnpackState::Inside(member) => member.read(into),
                UnpackState::Over => break,
            };
            match read {
                Ok(0) => self.end_member(),
                Ok(read) => {
                    self.given += read as u64;
                    self.check_expansion(read as u64);
                    return Ok(read);
                }
                Err(error) if self.is_read_error() || member::is_memory_limit(&error) => {
                    return Err(error);
                }
                Err(error) => self.damaged(&error)?,
            }
        }
        Ok(0)
    }
}
