//! Gives a layout the bytes of its file: those in memory, and distant ones if the file can seek. Collects the events of the file.
//!
//! # Limits
//! In a stream, bytes beyond the look-ahead are unknown.

use std::io::{self, Read};

use crate::box_event::{BoxDetail, BoxEvent, BoxEventKind};
use crate::file_range::FileRange;
use crate::window::Window;

/// The bytes of a file from the current batch on.
pub(crate) struct LayoutInput {
    pub(crate) window: Window<Box<dyn Read + Send>>,
    /// The same file again, for reading far ahead.
    file: Option<FileRange>,
    /// Number of bytes that may be in memory.
    lookahead: u64,
    /// Events not yet covered by a batch.
    pub(super) events: Vec<BoxEvent>,
}

impl LayoutInput {
    pub(crate) fn new(
        window: Window<Box<dyn Read + Send>>,
        file: Option<FileRange>,
        lookahead: u64,
    ) -> Self {
        Self {
            window,
            file,
            lookahead,
            events: Vec::new(),
        }
    }

    /// Reads far ahead in a file, which has the same bytes.
    pub(super) fn look_into(&mut self, file: Option<FileRange>) {
        self.file = file;
    }

    /// Reports a defect in the structure of the file.
    pub(super) fn report(&mut self, at: u64, detail: BoxDetail) {
        self.report_as(BoxEventKind::Structure, at, detail);
    }

    pub(super) fn report_as(&mut self, kind: BoxEventKind, at: u64, detail: BoxDetail) {
        self.events.push(BoxEvent::new(kind, at, detail));
    }

    /// Returns `length` bytes at an offset in memory, or fewer at the end of the file.
    pub(crate) fn near(&mut self, at: u64, length: usize) -> io::Result<&[u8]> {
        self.window.reach(at.saturating_add(length as u64))?;
        let from = self.window.index(at.min(self.window.end()));
        let data = &self.window.data()[from..];
        Ok(&data[..data.len().min(length)])
    }

    /// Searches from `scan` on for a line that begins with `mark` and is a separator. Returns its offset.
    ///
    /// `is_separator` gets `length` bytes from the start of the line, or fewer at the end of the file.
    pub(super) fn find_separator(
        &mut self,
        scan: &mut u64,
        mark: &[u8],
        length: usize,
        is_separator: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Option<u64>> {
        loop {
            let Some(found) = memchr::memmem::find(self.rest(*scan), mark) else {
                let end = self.window.end();
                *scan = end.saturating_sub(mark.len() as u64).max(*scan);
                return Ok(None);
            };
            let at = *scan + found as u64;
            let is_line = matches!(self.rest(at - 1).first(), Some(b'\n' | b'\r'));
            if is_line && is_separator(self.near(at, length)?) {
                return Ok(Some(at));
            }
            // Skips a run of the first byte, so that a long line of `=` is searched once.
            let run = self.rest(at).iter().take_while(|byte| **byte == mark[0]);
            *scan = at + run.count() as u64;
        }
    }

    /// Returns `length` bytes at any later offset, or fewer at the end of the file. None if they cannot be known.
    pub(crate) fn ahead(&mut self, at: u64, length: usize) -> io::Result<Option<Vec<u8>>> {
        let end = at.saturating_add(length as u64);
        let is_in_memory = end <= self.window.end() || self.window.ended();
        let file = match &self.file {
            // A size that lies must not fill the memory.
            Some(file) if !is_in_memory => file,
            None if end > self.window.base().saturating_add(self.lookahead) => return Ok(None),
            _ => return self.near(at, length).map(|bytes| Some(bytes.to_vec())),
        };
        let mut bytes = vec![0; length];
        let filled = match file.read_at(at, &mut bytes) {
            // Beyond the largest offset of a file.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => 0,
            filled => filled?,
        };
        bytes.truncate(filled);
        Ok(Some(bytes))
    }

    /// Returns the bytes in memory from an offset on.
    pub(crate) fn rest(&self, at: u64) -> &[u8] {
        let at = at.clamp(self.window.base(), self.window.end());
        &self.window.data()[self.window.index(at)..]
    }
}
