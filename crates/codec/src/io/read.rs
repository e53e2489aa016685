//! Reads bytes in a charset and returns UTF-8.
//!
//! # Limits
//! Reads up to 8 KB ahead.

use crate::decoder::Decoder;
use crate::loss::LossLog;
use std::io::{BufRead, Read, Result};

/// Bytes read at once.
const BLOCK: usize = 8192;

/// Reads bytes in a charset and returns UTF-8. [`BufRead::fill_buf`] never splits a character.
#[derive(Debug)]
pub struct DecodeReader<R> {
    inner: R,
    /// `None` after the end of the input.
    decoder: Option<Decoder>,
    log: LossLog,
    raw: Box<[u8]>,
    text: String,
    /// Bytes of `text` that were given out.
    given: usize,
}

impl<R: Read> DecodeReader<R> {
    /// Reads from `inner` through `decoder`.
    pub fn new(inner: R, decoder: Decoder) -> Self {
        Self {
            inner,
            decoder: Some(decoder),
            log: LossLog::new(),
            raw: vec![0; BLOCK].into_boxed_slice(),
            text: String::new(),
            given: 0,
        }
    }

    /// Logs losses in `log` from now on.
    #[must_use]
    pub fn with_log(mut self, log: LossLog) -> Self {
        self.log = log;
        self
    }
}

impl<R> DecodeReader<R> {
    /// Returns the losses so far. The log is complete after the end was read.
    pub fn log(&self) -> &LossLog {
        &self.log
    }

    /// Returns the inner reader and the log. Bytes that were read ahead are lost.
    pub fn into_parts(self) -> (R, LossLog) {
        (self.inner, self.log)
    }
}

impl<R: Read> BufRead for DecodeReader<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        while self.given == self.text.len() {
            let Some(decoder) = &mut self.decoder else {
                break;
            };
            // An error leaves everything as it was, so that the caller may try again.
            let read = self.inner.read(&mut self.raw)?;
            self.text.clear();
            self.given = 0;
            if read > 0 {
                decoder.push(&self.raw[..read], &mut self.text, &mut self.log);
            } else if let Some(decoder) = self.decoder.take() {
                decoder.finish(&mut self.text, &mut self.log);
            }
        }
        Ok(&self.text.as_bytes()[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given = self.text.len().min(self.given + amount);
    }
}

impl<R: Read> Read for DecodeReader<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let mut text = self.fill_buf()?;
        let read = text.read(out)?;
        self.consume(read);
        Ok(read)
    }
}
