//! Reads the content of a zip member, and checks its size and checksum.
//!
//! # Limits
//! Stops where the member exceeds its declared size, or the limit on expansion. Stops at damage inside deflated data.

use std::io::{self, BufReader, Read};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::box_event::{BoxDetail, BoxEventKind, CompressionDefect};
use crate::expansion::{FREE, Meter};
use crate::file_range::FileRange;
use crate::packed::CompressionEvents;
use crate::packing::Packing;

/// Bytes to decompress at once.
const STEP: usize = 16 << 10;

/// The content of a member, as a stream.
pub(super) struct MemberReader {
    decoder: MemberDecoder,
    /// Offset of the stored bytes in the container.
    start: u64,
    /// Declared size.
    size: u64,
    /// Declared checksum.
    crc: Option<u32>,
    /// Checksum of the bytes so far.
    sum: Crc,
    given: u64,
    is_over: bool,
    limit: ExpansionLimit,
    events: CompressionEvents,
}

/// Limits on the expansion of a member: its own ratio, and the bytes that its container may still expand to.
pub(super) struct ExpansionLimit {
    pub(super) ratio: u64,
    pub(super) meter: Meter,
}

enum MemberDecoder {
    Stored(FileRange),
    Deflated(DeflateDecoder<BufReader<FileRange>>),
}

impl MemberReader {
    /// Starts at the first byte. `start` is the offset of `data` in the container. `events` gets the defects.
    pub(super) fn new(
        data: FileRange,
        start: u64,
        (is_deflated, size, crc): (bool, u64, Option<u32>),
        limit: ExpansionLimit,
        events: &CompressionEvents,
    ) -> Self {
        let decoder = if is_deflated {
            let input = BufReader::with_capacity(64 << 10, data);
            MemberDecoder::Deflated(DeflateDecoder::new(input))
        } else {
            MemberDecoder::Stored(data)
        };
        Self {
            decoder,
            start,
            size,
            crc,
            sum: Crc::new(),
            given: 0,
            is_over: false,
            limit,
            events: events.clone(),
        }
    }

    /// Returns the number of stored bytes read so far.
    fn consumed(&self) -> u64 {
        match &self.decoder {
            MemberDecoder::Stored(_) => self.given,
            MemberDecoder::Deflated(decoder) => decoder.total_in(),
        }
    }

    /// Ends the member, and compares its size and its checksum.
    fn end(&mut self) -> io::Result<()> {
        self.is_over = true;
        let given = self.given;
        if given < self.size {
            self.damaged(CompressionDefect::CutOff { given });
        } else if self.decode(&mut [0])? > 0 {
            self.damaged(CompressionDefect::BeyondSize { size: self.size });
        } else if self.crc.is_some_and(|crc| crc != self.sum.sum()) {
            self.damaged(CompressionDefect::Checksum { given });
        }
        Ok(())
    }

    fn decode(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.decoder {
            MemberDecoder::Stored(data) => data.read(into),
            MemberDecoder::Deflated(decoder) => match decoder.read(into) {
                Err(error) if is_damage(&error) => {
                    let given = self.given;
                    self.is_over = true;
                    self.damaged(if error.kind() == io::ErrorKind::UnexpectedEof {
                        CompressionDefect::CutOff { given }
                    } else {
                        let (error, left) = (error.to_string(), None);
                        CompressionDefect::Damaged { error, given, left }
                    });
                    Ok(0)
                }
                read => read,
            },
        }
    }

    /// Counts bytes, and stops if the member or its container expands too much.
    fn count(&mut self, bytes: &[u8]) {
        self.given += bytes.len() as u64;
        self.sum.update(bytes);
        if matches!(self.decoder, MemberDecoder::Stored(_)) {
            return;
        }
        let is_within = self.limit.meter.count(bytes.len() as u64)
            && (self.given <= FREE
                || self.given <= self.consumed().saturating_mul(self.limit.ratio));
        if !is_within {
            self.is_over = true;
            let defect = CompressionDefect::Expansion {
                limit: self.limit.ratio,
                given: self.given,
            };
            self.report(BoxEventKind::Expansion, defect);
        }
    }

    fn damaged(&self, defect: CompressionDefect) {
        self.report(BoxEventKind::Damaged, defect);
    }

    fn report(&self, kind: BoxEventKind, defect: CompressionDefect) {
        let packing = Packing::Zip;
        let offset = self.start + self.consumed();
        let detail = BoxDetail::Compressed { packing, defect };
        self.events.event(kind, offset, detail);
    }
}

/// Returns true for an error in deflated data, and false if the file could not be read.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

impl Read for MemberReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.size - self.given;
        let most = into.len().min(STEP).min(left.min(STEP as u64) as usize);
        if self.is_over || into.is_empty() {
            return Ok(0);
        }
        let read = self.decode(&mut into[..most])?;
        if read > 0 {
            self.count(&into[..read]);
        }
        // A reader that knows the size does not ask again.
        if !self.is_over && (read == 0 || self.given == self.size) {
            self.end()?;
        }
        Ok(read)
    }
}
