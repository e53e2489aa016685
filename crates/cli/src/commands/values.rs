//! Reads the header values for the commands under `header`: from arguments, or one per line from standard input.

use crate::exit::{Exit, Failure};
use crate::output::stdout_in_blocks;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;

/// Bytes per read and write.
const BLOCK: usize = 1 << 16;

/// What ends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueEnd {
    /// LF, also after CR.
    Line,
    /// NUL.
    Nul,
}

impl ValueEnd {
    /// NUL with `-0`, otherwise LF.
    pub(crate) fn new(nul: bool) -> Self {
        if nul { Self::Nul } else { Self::Line }
    }

    /// Returns the byte.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Line => b'\n',
            Self::Nul => 0,
        }
    }
}

/// Calls `work` with each value and with standard output. Reads values from standard input without arguments, or for `-`.
///
/// Flushes the output before it waits for the next line.
pub(crate) fn each(
    texts: &[OsString],
    end: ValueEnd,
    mut work: impl FnMut(&[u8], &mut BufWriter<File>) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut out = BufWriter::with_capacity(BLOCK, stdout_in_blocks()?);
    let from_stdin = [OsString::from("-")];
    for text in if texts.is_empty() { &from_stdin } else { texts } {
        if text == "-" {
            lines(end, &mut out, &mut work)?;
        } else {
            work(text.as_bytes(), &mut out)?;
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(Exit::Done)
}

fn lines(
    end: ValueEnd,
    out: &mut BufWriter<File>,
    work: &mut impl FnMut(&[u8], &mut BufWriter<File>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(BLOCK, io::stdin());
    // The start of a value that continues in the next block.
    let mut begun = Vec::new();
    let mut number = 0_u64;
    loop {
        let block = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            block => block.map_err(|error| Failure::input("standard input", &error))?,
        };
        let length = memchr::memchr(end.byte(), block).map(|at| at + 1);
        let is_last = block.is_empty();
        let read = length.unwrap_or(block.len());
        if length.is_none() || !begun.is_empty() {
            begun.extend_from_slice(&block[..read]);
        }
        if length.is_some() || is_last && !begun.is_empty() {
            number += 1;
            let value = if begun.is_empty() {
                &block[..read]
            } else {
                &begun
            };
            work(bare(value, end), out).map_err(|failure| of_line(failure, number))?;
            begun.clear();
        }
        input.consume(read);
        if is_last {
            return Ok(());
        }
        // The writer of a pipe may wait for the answer before it sends more.
        if input.buffer().is_empty() {
            out.flush().map_err(|error| Failure::stdout(&error))?;
        }
    }
}

/// Adds the number of the value to a usage error.
fn of_line(mut failure: Failure, number: u64) -> Failure {
    if failure.exit == Exit::Usage {
        let _ = write!(failure.message, " (value {number} of standard input)");
    }
    failure
}

/// Removes the end of a value: LF, CRLF or NUL.
fn bare(value: &[u8], end: ValueEnd) -> &[u8] {
    let Some(value) = value.strip_suffix(&[end.byte()]) else {
        return value;
    };
    match end {
        ValueEnd::Line => value.strip_suffix(b"\r").unwrap_or(value),
        ValueEnd::Nul => value,
    }
}

/// Writes to standard output.
pub(crate) fn put(out: &mut impl Write, parts: &[&[u8]]) -> Result<(), Failure> {
    for part in parts {
        out.write_all(part)
            .map_err(|error| Failure::stdout(&error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_they_end() {
        assert_eq!(bare(b"a\r\n", ValueEnd::Line), b"a");
        assert_eq!(bare(b"a\r", ValueEnd::Line), b"a\r");
        assert_eq!(bare(b"a\0", ValueEnd::Nul), b"a");
        assert_eq!(bare(b"a\r\n\0", ValueEnd::Nul), b"a\r\n");
        assert_eq!(bare(b"", ValueEnd::Nul), b"");
    }
}
