//! Reads as much of a file as its charset can be detected by.
//!
//! ```text
//! ASCII so far ──► on to the first other byte ──► a sample ──► valid UTF-8 so far ──► on to the first invalid byte
//! ```
//!
//! # Limits
//! Keeps two samples at most. What follows 16 MiB of text that is neither ASCII nor UTF-8 is not read.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

/// Bytes of a sample.
const SAMPLE: usize = 16 << 20;
/// Bytes of ASCII at the start of a longer file that are kept: they have declarations, and show the language.
const START: usize = 1 << 16;
/// Bytes read at once.
const STEP: usize = 1 << 16;
/// Bytes before the first byte of interest that are kept.
const BEFORE: usize = 256;
/// Bytes kept from the first byte on that is not valid UTF-8.
const INVALID: usize = 1 << 20;

/// Reads a sample of a file. It is the whole file up to 16 MiB, and never ends within a character.
pub(super) fn read(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut sample = Vec::new();
    fill(input, &mut sample, SAMPLE)?;
    if sample.len() < SAMPLE {
        return Ok(sample);
    }
    // In UTF-16 and UTF-32, ASCII bytes are halves of letters.
    let is_wide = memchr::memchr(0, &sample[..START]).is_some();
    while !is_wide && sample.is_ascii() {
        let has_escape = memchr::memchr(0x1B, &sample).is_some();
        let Some(found) = skip_ascii(input, !has_escape)? else {
            trim_to_character(&mut sample);
            return Ok(sample);
        };
        sample.truncate(START);
        trim_to_character(&mut sample);
        sample.extend_from_slice(&found);
        fill(input, &mut sample, SAMPLE)?;
        if sample.len() < SAMPLE {
            return Ok(sample);
        }
    }
    match unfinished(&sample) {
        Some(end) if !is_wide => {
            let invalid = skip_utf8(input, sample.split_off(end))?;
            sample.extend_from_slice(&invalid);
        }
        _ => trim_to_character(&mut sample),
    }
    Ok(sample)
}

/// Fills `bytes` to `most` bytes, or to the end of the input.
fn fill(input: &mut dyn Read, bytes: &mut Vec<u8>, most: usize) -> io::Result<()> {
    let room = most.saturating_sub(bytes.len()) as u64;
    input.take(room).read_to_end(bytes)?;
    Ok(())
}

/// Calls `see` with each piece of the rest of an input, until it breaks.
fn each_piece<T>(
    input: &mut dyn Read,
    mut see: impl FnMut(&[u8]) -> ControlFlow<T>,
) -> io::Result<Option<T>> {
    let mut piece = vec![0; STEP];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(None),
            Ok(length) => {
                if let ControlFlow::Break(found) = see(&piece[..length]) {
                    return Ok(Some(found));
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads to the first byte that is not ASCII, or `to_escape` to an escape sequence. Returns what was read from shortly before it on.
fn skip_ascii(input: &mut dyn Read, to_escape: bool) -> io::Result<Option<Vec<u8>>> {
    let mut before = Vec::new();
    each_piece(input, |piece| {
        before.extend_from_slice(piece);
        let has_escape = || memchr::memchr(0x1B, piece).is_some();
        if to_escape && has_escape() || !piece.is_ascii() {
            return ControlFlow::Break(std::mem::take(&mut before));
        }
        before.drain(..before.len().saturating_sub(BEFORE));
        ControlFlow::Continue(())
    })
}

/// Reads to the first byte that is not valid UTF-8. `rest` is a character whose end is not read yet. Returns what was
/// read from shortly before it on, or the last characters of a valid input.
fn skip_utf8(input: &mut dyn Read, rest: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut before = rest;
    let found = each_piece(input, |piece| {
        before.extend_from_slice(piece);
        let Some(end) = unfinished(&before) else {
            return ControlFlow::Break(());
        };
        let kept = end.saturating_sub(BEFORE);
        let is_start = |byte: &u8| *byte & 0xC0 != 0x80;
        let start = before[kept..].iter().position(is_start).unwrap_or(0);
        before.drain(..kept + start);
        ControlFlow::Continue(())
    })?;
    if found.is_some() {
        let most = before.len().max(INVALID);
        fill(input, &mut before, most)?;
        if before.len() == INVALID {
            trim_to_character(&mut before);
        }
    }
    Ok(before)
}

/// Returns the end of the last whole character of UTF-8 that may go on; `None` if bytes are invalid.
fn unfinished(bytes: &[u8]) -> Option<usize> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.len()),
        Err(error) => error.error_len().is_none().then_some(error.valid_up_to()),
    }
}

/// Truncates bytes behind a line end or another byte that is part of no longer character. UTF-16 and UTF-32 keep whole units.
fn trim_to_character(bytes: &mut Vec<u8>) {
    let length = bytes.len();
    let tail = length.saturating_sub(STEP);
    if memchr::memchr(0, &bytes[tail..]).is_some() {
        let is_high = |byte: &u8| matches!(byte, 0xD8..=0xDB);
        // The first half of a surrogate pair, in either byte order.
        let is_half = bytes[tail..]
            .last_chunk()
            .is_some_and(|[first, second]| is_high(first) || is_high(second));
        bytes.truncate(length / 4 * 4 - if is_half { 2 } else { 0 });
        return;
    }
    let is_line_end = |byte: &u8| *byte == b'\n';
    let is_blank = |byte: &u8| *byte <= b' ' && *byte != 0x1B;
    let end = bytes[tail..]
        .iter()
        .rposition(is_line_end)
        .or_else(|| bytes[tail..].iter().rposition(is_blank));
    if let Some(end) = end {
        bytes.truncate(tail + end + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(file: &[u8]) -> Vec<u8> {
        read(&mut &*file).unwrap()
    }

    #[test]
    fn files_up_to_the_limit_are_read_whole() {
        for length in [0, 1, STEP, SAMPLE - 1] {
            let file = b"caf\xE9 ".repeat(length / 5 + 1)[..length].to_vec();
            assert!(sample(&file) == file, "{length}");
        }
    }

    #[test]
    fn the_first_byte_beyond_ascii_counts_wherever_it_is() {
        let ascii = b"plain text\n".repeat(SAMPLE / 11 + 9);
        assert!(sample(&ascii).len() <= SAMPLE && sample(&ascii).is_ascii());
        let colors = [b"\x1b[1m", &*ascii].concat();
        assert!(sample(&[&*colors, b"caf\xE9"].concat()).ends_with(b"caf\xE9"));
        for more in [&b"caf\xE9"[..], b"\x1b$B$3$s$K$A$O\x1b(B\n"] {
            let found = sample(&[&*ascii, &ascii[..STEP], more].concat());
            assert!(found.ends_with(more) && found.len() < 4 * STEP);
        }
    }

    #[test]
    fn utf_8_is_read_to_its_end() {
        for shift in 0..4 {
            let text = ["x".repeat(shift), "Grüße 日本 ".repeat(1_200_000)].concat();
            assert!(text.len() > SAMPLE);
            let found = sample(text.as_bytes());
            assert!(std::str::from_utf8(&found).is_ok(), "{shift}");
            let found = sample(&[text.as_bytes(), b"caf\xE9"].concat());
            assert!(found.ends_with(b"caf\xE9"), "{shift}");
        }
    }

    #[test]
    fn samples_end_between_characters() {
        for (unit, wide) in [
            (&b"\x93\xFA\x96\x7B\n"[..], false),
            (b"\x3D\xD8\x00\xDE\x41\x00", true),
        ] {
            let file = unit.repeat(SAMPLE / unit.len() + 9);
            let found = sample(&file);
            let rest = found.len() % unit.len();
            assert!(rest == 0 || wide && rest == 4, "{rest}");
        }
    }
}
