//! Writes bytes in a charset as UTF-8, and UTF-8 as bytes in a charset.
//!
//! # Limits
//! After an error a writer keeps its pending bytes and writes them at the next call. It does not take the bytes of the failed call.

use crate::decoder::Decoder;
use crate::encoder::Encoder;
use crate::loss::LossLog;
use std::io::{Error, ErrorKind, Result, Write};

/// Bytes that may wait before they are written.
const BLOCK: usize = 8192;

/// Bytes on their way to a writer.
#[derive(Debug)]
struct Waiting<W> {
    inner: W,
    bytes: Vec<u8>,
    /// Bytes that the writer has taken already.
    taken: usize,
}

impl<W: Write> Waiting<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            bytes: Vec::new(),
            taken: 0,
        }
    }

    /// Writes all that waits.
    fn drain(&mut self) -> Result<()> {
        while self.taken < self.bytes.len() {
            match self.inner.write(&self.bytes[self.taken..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(taken) => self.taken += taken,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.bytes.clear();
        self.taken = 0;
        Ok(())
    }

    /// Writes the pending output if there is much of it.
    fn make_room(&mut self) -> Result<()> {
        if self.bytes.len() < BLOCK {
            Ok(())
        } else {
            self.drain()
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.drain()?;
        self.inner.flush()
    }
}

/// Decodes bytes in a charset and writes UTF-8 to the inner writer.
///
/// ```
/// use mailglot_codec::{Charset, Mode, io::DecodeWriter};
/// use std::io::Write;
///
/// let mut writer = DecodeWriter::new(Vec::new(), Charset::SHIFT_JIS.new_decoder(Mode::Lenient));
/// writer.write_all(b"\x93\xFA\x96")?;
/// writer.write_all(b"\x7B")?;
/// let (text, log) = writer.finish()?;
/// assert_eq!(text, "日本".as_bytes());
/// assert!(log.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct DecodeWriter<W> {
    out: Waiting<W>,
    decoder: Decoder,
    text: String,
    log: LossLog,
}

impl<W: Write> DecodeWriter<W> {
    /// Writes to `inner` through `decoder`.
    pub fn new(inner: W, decoder: Decoder) -> Self {
        Self {
            out: Waiting::new(inner),
            decoder,
            text: String::new(),
            log: LossLog::new(),
        }
    }

    /// Logs losses in `log` from now on.
    #[must_use]
    pub fn with_log(mut self, log: LossLog) -> Self {
        self.log = log;
        self
    }

    /// Returns the losses so far. Ranges are offsets in all bytes written to this writer.
    pub fn log(&self) -> &LossLog {
        &self.log
    }

    /// Ends the input, writes all text, and returns the inner writer and the log.
    pub fn finish(mut self) -> Result<(W, LossLog)> {
        self.text.clear();
        self.decoder.finish(&mut self.text, &mut self.log);
        self.out.bytes.extend_from_slice(self.text.as_bytes());
        self.out.flush()?;
        Ok((self.out.inner, self.log))
    }
}

impl<W: Write> Write for DecodeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.out.make_room()?;
        self.text.clear();
        self.decoder.push(bytes, &mut self.text, &mut self.log);
        self.out.bytes.extend_from_slice(self.text.as_bytes());
        Ok(bytes.len())
    }

    /// Writes the decoded text. A truncated character stays pending.
    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

/// Encodes UTF-8 in a charset and writes the bytes to the inner writer.
///
/// Invalid UTF-8 is an error of kind [`ErrorKind::InvalidData`]. So is a character that an encoder
/// of [`Charset::new_exact_encoder`](crate::Charset::new_exact_encoder) cannot encode. The writer keeps the text before the error.
///
/// ```
/// use mailglot_codec::{Charset, Unmappable, io::EncodeWriter};
/// use std::io::Write;
///
/// let encoder = Charset::ISO_2022_JP.new_encoder(Unmappable::HtmlDecimal);
/// let mut writer = EncodeWriter::new(Vec::new(), encoder);
/// write!(writer, "日本 {}", '€')?;
/// let (bytes, log) = writer.finish()?;
/// assert_eq!(bytes, b"\x1b$BF|K\\\x1b(B &#8364;");
/// assert_eq!(log.losses(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct EncodeWriter<W> {
    out: Waiting<W>,
    encoder: Encoder,
    log: LossLog,
    /// The beginning of a character.
    cut: Vec<u8>,
    /// Number of bytes taken so far, including `cut`.
    offset: u64,
}

impl<W: Write> EncodeWriter<W> {
    /// Writes to `inner` through `encoder`.
    pub fn new(inner: W, encoder: Encoder) -> Self {
        Self {
            out: Waiting::new(inner),
            encoder,
            log: LossLog::new(),
            cut: Vec::new(),
            offset: 0,
        }
    }

    /// Logs losses in `log` from now on.
    #[must_use]
    pub fn with_log(mut self, log: LossLog) -> Self {
        self.log = log;
        self
    }

    /// Returns the losses so far. Ranges are offsets in all bytes written to this writer.
    pub fn log(&self) -> &LossLog {
        &self.log
    }

    /// Ends the text, writes all bytes, and returns the inner writer and the log.
    pub fn finish(mut self) -> Result<(W, LossLog)> {
        if !self.cut.is_empty() {
            return Err(no_utf8(self.offset - self.cut.len() as u64));
        }
        self.encoder.finish(&mut self.out.bytes, &mut self.log);
        self.out.flush()?;
        Ok((self.out.inner, self.log))
    }

    /// Encodes a piece of text; an error where the encoder stopped.
    fn encode(&mut self, text: &str) -> Result<()> {
        self.encoder.push(text, &mut self.out.bytes, &mut self.log);
        self.offset += text.len() as u64;
        if self.encoder.is_stopped() {
            let message = "a character that the charset cannot carry";
            return Err(Error::new(ErrorKind::InvalidData, message));
        }
        Ok(())
    }

    /// Completes a truncated character. Returns the number of `bytes` used.
    fn complete(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut used = 0;
        while !self.cut.is_empty() && used < bytes.len() {
            self.cut.push(bytes[used]);
            used += 1;
            match std::str::from_utf8(&self.cut) {
                Ok(text) => {
                    let text = text.to_owned();
                    self.cut.clear();
                    self.offset += used as u64;
                    self.offset -= text.len() as u64;
                    self.encode(&text)?;
                    return Ok(used);
                }
                Err(e) if e.error_len().is_some() => {
                    self.cut.truncate(self.cut.len() - used);
                    return Err(no_utf8(self.offset - self.cut.len() as u64));
                }
                Err(_) => {}
            }
        }
        self.offset += used as u64;
        Ok(used)
    }
}

impl<W: Write> Write for EncodeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.out.make_room()?;
        let used = self.complete(bytes)?;
        if used > 0 || bytes.is_empty() {
            return Ok(used);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.encode(text)?;
                Ok(bytes.len())
            }
            Err(e) => {
                let (valid, rest) = bytes.split_at(e.valid_up_to());
                if valid.is_empty() && e.error_len().is_some() {
                    return Err(no_utf8(self.offset));
                }
                self.encode(std::str::from_utf8(valid).unwrap_or_default())?;
                if e.error_len().is_some() {
                    // The next call reports the error, after the valid text is taken.
                    return Ok(valid.len());
                }
                self.cut.extend_from_slice(rest);
                self.offset += rest.len() as u64;
                Ok(bytes.len())
            }
        }
    }

    /// Writes the encoded bytes. The state of the charset stays, and a truncated character stays pending.
    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

fn no_utf8(at: u64) -> Error {
    Error::new(ErrorKind::InvalidData, format!("no UTF-8 at byte {at}"))
}
