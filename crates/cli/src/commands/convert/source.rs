//! Decodes one input of a conversion piece by piece, in bounded memory.
//!
//! # Limits
//!
//! Holds a mailbox name completely.

use super::super::imap_names::{Piece, pieces};
use super::coding::Coding;
use super::conversion_error::{ConversionError, OnMalformed};
use super::explain::{LossReporter, ends};
use super::target::Target;
use mailglot_codec::{Charset, Decoder, Loss, LossKind, LossLog, Mode};
use std::io::{self, BufRead, BufReader, Read, Write};

/// Bytes decoded at once.
const STEP: usize = 1 << 16;
/// Bytes of a piece that is decoded again byte by byte if it has a loss.
const SLICE: usize = 256;
const REPLACEMENT: char = '\u{FFFD}';

/// Defects of an input.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Defects {
    pub(super) all: u64,
    /// Defects that were decoded all the same.
    pub(super) read: u64,
}

impl Defects {
    fn add(&mut self, log: &LossLog) {
        let is_read = |loss: &&Loss| ends(loss.kind) && loss.replaced == 0;
        self.all += log.losses();
        // Adjacent defects are one record. If they differ in kind, this is a lower bound.
        let read = log.kept().iter().filter(is_read).count() as u64;
        self.read += if log.replaced() == 0 {
            log.losses()
        } else {
            read
        };
    }
}

/// Decodes an input to its end, and passes the text on. Returns the defects that were skipped, replaced or decoded all the same.
pub(super) fn pour<W: Write>(
    input: &mut dyn Read,
    from: Coding,
    on_malformed: OnMalformed,
    target: &mut Target<W>,
    explain: Option<&mut LossReporter<'_>>,
) -> Result<Defects, ConversionError> {
    match from {
        Coding::Charset(charset) => decode(input, charset, on_malformed, target, explain),
        Coding::ImapNames => names(input, on_malformed, target, explain),
    }
}

fn decode<W: Write>(
    input: &mut dyn Read,
    from: Charset,
    on_malformed: OnMalformed,
    target: &mut Target<W>,
    mut explain: Option<&mut LossReporter<'_>>,
) -> Result<Defects, ConversionError> {
    let mut defects = Defects::default();
    let kept = if explain.is_some() { 2 * STEP } else { 64 };
    let mut decoder = from.new_decoder(Mode::Strict);
    let mut chunk = vec![0; STEP];
    // Bytes at the start of the chunk that belong to a character whose end is not read yet.
    let mut held = 0;
    let mut text = String::new();
    let mut offset = 0;
    loop {
        let length =
            read(input, &mut chunk[held..], explain.is_some()).map_err(ConversionError::Read)?;
        let mut bytes = &chunk[..held + length];
        held = 0;
        if explain.is_none() {
            let sound = decoder.take_text(bytes);
            target.push(sound)?;
            offset += sound.len() as u64;
            bytes = &bytes[sound.len()..];
            if !sound.is_empty() && length > 0 && may_go_on(bytes) {
                held = bytes.len();
                let start = sound.len();
                chunk.copy_within(start..start + held, 0);
                continue;
            }
        }
        if bytes.is_empty() {
            break;
        }
        let before = (on_malformed != OnMalformed::Replace).then(|| decoder.clone());
        let mut log = LossLog::with_limit(kept);
        text.clear();
        decoder.push(bytes, &mut text, &mut log);
        match before {
            Some(before) if log.losses() > 0 => {
                if on_malformed == OnMalformed::Stop {
                    let loss = first_of(before.clone(), bytes).or_else(|| first(&log));
                    if let (Some(explain), Some(loss)) = (&mut explain, &loss) {
                        explain.stop(bytes, loss);
                    }
                    target.push(&sound(before, bytes, offset, loss.as_ref()))?;
                    return Err(refuse(loss, offset, from));
                }
                text = without_losses(before, bytes);
            }
            _ => {}
        }
        if let Some(explain) = &mut explain {
            explain.push(bytes, log.kept());
        }
        target.push(&text)?;
        defects.add(&log);
        offset += bytes.len() as u64;
    }
    let mut log = LossLog::new();
    text.clear();
    decoder.finish(&mut text, &mut log);
    if let Some(explain) = &mut explain {
        explain.finish(log.kept());
    }
    if log.losses() > 0 && on_malformed == OnMalformed::Stop {
        let sound = text.find(REPLACEMENT).map_or(&*text, |at| &text[..at]);
        target.push(sound)?;
        return Err(refuse(first(&log), offset, from));
    }
    if on_malformed == OnMalformed::Skip {
        drop_replacements(&mut text, log.replaced());
    }
    target.push(&text)?;
    defects.add(&log);
    Ok(defects)
}

/// Returns true for the start of a UTF-8 character, and for no bytes.
fn may_go_on(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.is_empty(),
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
    }
}

/// Reads once; if `full`, until the chunk is full or the input ends. Then the printed losses do not depend on the pieces in which a pipe
/// delivers its bytes.
fn read(input: &mut dyn Read, chunk: &mut [u8], full: bool) -> io::Result<usize> {
    let mut length = 0;
    while length < chunk.len() {
        match input.read(&mut chunk[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if !full {
            break;
        }
    }
    Ok(length)
}

/// Returns the first defect that counts as a loss, without adjacent ones, which a pipe may not have delivered yet.
fn first_of(mut decoder: Decoder, chunk: &[u8]) -> Option<Loss> {
    for slice in chunk.chunks(SLICE) {
        let (before, mut log, mut text) = (decoder.clone(), LossLog::new(), String::new());
        decoder.push(slice, &mut text, &mut log);
        if log.losses() == 0 {
            continue;
        }
        decoder = before;
        let mut log = LossLog::new();
        return slice.chunks(1).find_map(|byte| {
            decoder.push(byte, &mut text, &mut log);
            first(&log)
        });
    }
    None
}

/// Returns the first defect that counts as a loss.
fn first(log: &LossLog) -> Option<Loss> {
    log.kept().iter().find(|loss| ends(loss.kind)).cloned()
}

fn refuse(loss: Option<Loss>, offset: u64, from: Charset) -> ConversionError {
    let (bytes, kind) = loss.map_or((offset..offset, "invalid"), |loss| {
        (loss.bytes, loss.kind.name())
    });
    ConversionError::Loss(format!(
        "cannot read bytes at offset {}..{} ({kind}) as {}",
        bytes.start,
        bytes.end,
        from.name()
    ))
}

/// Returns the text of a chunk up to its first loss. `before` is the decoder at the start of the chunk, `offset` that start.
fn sound(mut before: Decoder, chunk: &[u8], offset: u64, loss: Option<&Loss>) -> String {
    let end = loss.map_or(0, |loss| loss.bytes.start.saturating_sub(offset));
    let end = usize::try_from(end).map_or(chunk.len(), |end| end.min(chunk.len()));
    let (mut text, mut tail, mut log) = (String::new(), String::new(), LossLog::new());
    before.push(&chunk[..end], &mut text, &mut log);
    before.finish(&mut tail, &mut log);
    if log.losses() == 0 {
        text.push_str(&tail);
    }
    text
}

/// Returns the text of a chunk without the replacements of malformed bytes. A U+FFFD of the input stays.
///
/// Decodes a chunk with losses byte by byte, to know the text of each loss. The caller's decoder has decoded the same bytes, so by the law of
/// splitting it is in the same state afterwards.
fn without_losses(mut decoder: Decoder, chunk: &[u8]) -> String {
    let (mut text, mut piece) = (String::new(), String::new());
    for slice in chunk.chunks(SLICE) {
        let before = decoder.clone();
        let mut log = LossLog::with_limit(0);
        piece.clear();
        decoder.push(slice, &mut piece, &mut log);
        if log.losses() == 0 {
            text.push_str(&piece);
            continue;
        }
        decoder = before;
        for byte in slice.chunks(1) {
            let mut log = LossLog::with_limit(0);
            piece.clear();
            decoder.push(byte, &mut piece, &mut log);
            drop_replacements(&mut piece, log.replaced());
            text.push_str(&piece);
        }
    }
    text
}

/// Removes the first `count` U+FFFD from a text.
fn drop_replacements(text: &mut String, count: u64) {
    let mut left = count;
    text.retain(|c| {
        let bad = c == REPLACEMENT && left > 0;
        left -= u64::from(bad);
        !bad
    });
}

/// Decodes mailbox names, one per line.
fn names<W: Write>(
    input: &mut dyn Read,
    on_malformed: OnMalformed,
    target: &mut Target<W>,
    mut explain: Option<&mut LossReporter<'_>>,
) -> Result<Defects, ConversionError> {
    let mut defects = Defects::default();
    let mut input = BufReader::with_capacity(STEP, input);
    let mut line = Vec::new();
    let mut offset = 0;
    loop {
        line.clear();
        if input
            .read_until(b'\n', &mut line)
            .map_err(ConversionError::Read)?
            == 0
        {
            if let Some(explain) = &mut explain {
                explain.finish(&[]);
            }
            return Ok(defects);
        }
        let mut log = LossLog::with_limit(STEP);
        let end = [b"\r\n".as_slice(), b"\n"]
            .into_iter()
            .find(|end| line.ends_with(end))
            .unwrap_or_default();
        let name = &line[..line.len() - end.len()];
        for piece in pieces(name) {
            match piece {
                Piece::Text(text) => target.push(&text)?,
                Piece::Bad(range) => {
                    log.record(
                        offset + range.start as u64..offset + range.end as u64,
                        LossKind::Invalid,
                    );
                    match on_malformed {
                        OnMalformed::Skip => {}
                        OnMalformed::Replace => target.push("\u{FFFD}")?,
                        OnMalformed::Stop => {
                            let loss = first(&log);
                            if let (Some(explain), Some(loss)) = (&mut explain, &loss) {
                                explain.stop(&line, loss);
                            }
                            return Err(refuse(loss, offset, Charset::UTF_7_IMAP));
                        }
                    }
                }
            }
        }
        if let Some(explain) = &mut explain {
            explain.push(&line, log.kept());
        }
        target.push(if end.len() == 2 {
            "\r\n"
        } else if end.is_empty() {
            ""
        } else {
            "\n"
        })?;
        defects.add(&log);
        offset += line.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mailglot_codec::Unmappable;

    fn converted(label: &str, bytes: &[u8], on_malformed: OnMalformed) -> (String, Option<String>) {
        let from = Coding::for_label(label).unwrap();
        let mut target = Target::new(
            Coding::Charset(Charset::UTF_8),
            Some(Unmappable::QuestionMark),
            None,
            Vec::new(),
        );
        // Small reads, so that sequences are cut.
        let mut input = bytes
            .chunks(3)
            .fold(Box::new(io::empty()) as Box<dyn Read>, |all, piece| {
                Box::new(all.chain(piece))
            });
        let result = pour(&mut *input, from, on_malformed, &mut target, None);
        let text = String::from_utf8(target.sink).unwrap();
        match result {
            Ok(_) => (text, None),
            Err(ConversionError::Loss(message)) => (text, Some(message)),
            Err(stop) => panic!("{stop:?}"),
        }
    }

    #[test]
    fn the_first_loss_stops_with_its_place() {
        for (label, bytes, text, place) in [
            ("utf-8", &b"abcd\xffefgh"[..], "abcd", "4..5"),
            ("utf-8", b"abc\xc3", "abc", "3..4"),
            ("us-ascii", b"ab\xe9", "ab", "2..3"),
            ("shift_jis", b"\x93\xfa\x96\x7b\xff", "日本", "4..5"),
            (
                "imap-utf-7",
                b"ok\nEntw&APw-rfe&!\n",
                "ok\nEntwürfe",
                "15..16",
            ),
        ] {
            let (got, message) = converted(label, bytes, OnMalformed::Stop);
            assert_eq!(got, text, "{label}");
            let message = message.unwrap();
            assert!(
                message.contains(&format!("offset {place} (")),
                "{label}: {message}"
            );
        }
        assert_eq!(
            converted("utf-8", "a\u{FFFD}ü".as_bytes(), OnMalformed::Stop),
            ("a\u{FFFD}ü".into(), None)
        );
    }

    #[test]
    fn a_loss_stops_before_more_is_read() {
        /// Gives its bytes once, and then fails: nothing may wait for more.
        struct Once(&'static [u8]);
        impl Read for Once {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let length = std::mem::take(&mut self.0).read(into)?;
                if length == 0 {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Ok(length)
            }
        }
        let stop = |bytes: &'static [u8]| {
            let from = Coding::for_label("utf-8").unwrap();
            let mut target = Target::new(Coding::Charset(Charset::UTF_8), None, None, Vec::new());
            pour(&mut Once(bytes), from, OnMalformed::Stop, &mut target, None)
        };
        for bytes in [&b"abc\xff"[..], b"abc\x80", b"abc\xc0\x80", b"abc\xe2\x28"] {
            assert!(matches!(stop(bytes), Err(ConversionError::Loss(_))));
        }
        // A character that may go on.
        assert!(matches!(
            stop(b"abc\xe2\x82"),
            Err(ConversionError::Read(_))
        ));
    }

    #[test]
    fn skipping_drops_bad_bytes_and_keeps_real_replacement_characters() {
        let bytes = b"a\xff\xef\xbf\xbdb\xc3c\xef\xbf\xbd\xff\xc3";
        assert_eq!(
            converted("utf-8", bytes, OnMalformed::Skip),
            ("a\u{FFFD}bc\u{FFFD}".into(), None)
        );
        let (text, _) = converted("utf-8", bytes, OnMalformed::Replace);
        assert_eq!(text.matches('\u{FFFD}').count(), 6);
        assert_eq!(
            converted("imap-utf-7", b"a\xffb\r\n", OnMalformed::Skip),
            ("ab\r\n".into(), None)
        );
        assert_eq!(
            converted("imap-utf-7", b"a\xffb", OnMalformed::Replace),
            ("a\u{FFFD}b".into(), None)
        );
    }
}
