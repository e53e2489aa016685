//! Encodes the text of a conversion in a charset, piece by piece.
//!
//! # Limits
//!
//! Encodes strictly: does not write characters that only the superset has. The offset of a character that cannot be encoded counts bytes of the
//! text in UTF-8. It is the offset in the input only if the input is UTF-8. Holds each mailbox name completely.

use super::coding::Coding;
use super::conversion_error::ConversionError;
use super::explain::{UnmappableReporter, encoder};
use mailglot_codec::{Charset, Encoder, LossKind, LossLog, Unmappable};
use std::io::Write;

/// Number of losses kept for each piece. The last one may stop the conversion.
const RECORDS: usize = 1 << 16;

/// Encodes text and writes it.
#[derive(Debug)]
pub(super) struct Target<W> {
    /// The destination of the bytes.
    pub(super) sink: W,
    form: TextEncoder,
    /// Characters that could not be written.
    pub(super) losses: u64,
    /// Characters that were replaced.
    pub(super) substituted: u64,
    /// Bytes of text so far.
    offset: u64,
    /// Bytes of text before the current input.
    begin: u64,
    explain: Option<UnmappableReporter>,
}

/// How text is written.
#[derive(Debug)]
enum TextEncoder {
    /// `None` after the end of the text.
    Charset(Charset, Option<Box<Encoder>>),
    /// Mailbox names: the incomplete line, and the replacement of a character that no name can have.
    Names(String, Option<Unmappable>),
}

impl<W: Write> Target<W> {
    pub(super) fn new(
        to: Coding,
        unmappable: Option<Unmappable>,
        explain: Option<UnmappableReporter>,
        sink: W,
    ) -> Self {
        let form = match to {
            Coding::Charset(charset) => {
                TextEncoder::Charset(charset, Some(Box::new(encoder(charset, unmappable))))
            }
            Coding::ImapNames => TextEncoder::Names(String::new(), unmappable),
        };
        Self {
            sink,
            form,
            losses: 0,
            substituted: 0,
            offset: 0,
            begin: 0,
            explain,
        }
    }

    /// Begins the text of another input. Offsets of losses count from here on. `name` is given if there are several inputs.
    pub(super) fn begin(&mut self, name: Option<&str>) {
        self.begin = self.offset;
        if let Some(explain) = &mut self.explain {
            explain.begin(name, self.offset);
        }
    }

    /// Writes text, except the end that depends on later text.
    pub(super) fn push(&mut self, text: &str) -> Result<(), ConversionError> {
        match &mut self.form {
            TextEncoder::Names(held, unmappable) => {
                held.push_str(text);
                let whole = held.rfind('\n').map_or(0, |at| at + 1);
                let (lines, unmappable): (String, _) =
                    (held.drain(..whole).collect(), unmappable.clone());
                self.write_names(&lines, unmappable.as_ref())
            }
            TextEncoder::Charset(charset, encoder) => {
                let Some(encoder) = encoder else {
                    return Ok(());
                };
                let charset = *charset;
                if charset == Charset::UTF_8 && self.explain.is_none() {
                    // The text is the output: a copy of it would cost a fifth of the whole time.
                    self.offset += text.len() as u64;
                    return self
                        .sink
                        .write_all(text.as_bytes())
                        .map_err(ConversionError::Write);
                }
                let (mut bytes, mut log) =
                    (Vec::with_capacity(text.len()), LossLog::with_limit(RECORDS));
                encoder.push(text, &mut bytes, &mut log);
                let stopped = encoder.is_stopped();
                self.losses += log.losses();
                self.substituted += log.count(LossKind::Substituted);
                self.sink
                    .write_all(&bytes)
                    .map_err(ConversionError::Write)?;
                if let Some(explain) = &mut self.explain {
                    explain.push(text, self.offset, &log);
                }
                let refused = stopped.then(|| self.refuse(charset, text, &log));
                self.offset += text.len() as u64;
                refused.map_or(Ok(()), Err)
            }
        }
    }

    /// Writes the rest, also after a character that stopped the conversion.
    pub(super) fn finish(&mut self) -> Result<(), ConversionError> {
        match &mut self.form {
            TextEncoder::Names(held, unmappable) => {
                let (line, unmappable) = (std::mem::take(held), unmappable.clone());
                self.write_names(&line, unmappable.as_ref())
            }
            TextEncoder::Charset(_, encoder) => {
                let (mut bytes, mut log) = (Vec::new(), LossLog::with_limit(RECORDS));
                if let Some(encoder) = encoder.take() {
                    encoder.finish(&mut bytes, &mut log);
                    self.losses += log.losses();
                    self.substituted += log.count(LossKind::Substituted);
                }
                if let Some(explain) = &mut self.explain {
                    explain.push("", self.offset, &log);
                }
                self.sink.write_all(&bytes).map_err(ConversionError::Write)
            }
        }
    }

    /// Returns the character that stopped the encoder.
    fn refuse(&self, charset: Charset, text: &str, log: &LossLog) -> ConversionError {
        let loss = log.kept().iter().rfind(|loss| loss.kind.is_loss());
        let start = loss.map_or(self.offset, |loss| loss.bytes.start);
        let at = usize::try_from(start.saturating_sub(self.offset)).unwrap_or(0);
        let start = start.saturating_sub(self.begin);
        let c = text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or_default();
        ConversionError::Loss(format!(
            "cannot write U+{:04X} at byte {start} of the text (as UTF-8) in {}",
            c as u32,
            charset.name()
        ))
    }

    fn write_names(
        &mut self,
        text: &str,
        unmappable: Option<&Unmappable>,
    ) -> Result<(), ConversionError> {
        for line in text.split_inclusive('\n') {
            // A CR that ends no line is of the name.
            let name = line
                .strip_suffix("\r\n")
                .or_else(|| line.strip_suffix('\n'))
                .unwrap_or(line);
            let (mut bytes, mut of_name) =
                (Vec::with_capacity(line.len()), LossLog::with_limit(RECORDS));
            let mut encoder = encoder(Charset::UTF_7_IMAP, unmappable.cloned());
            encoder.push(name, &mut bytes, &mut of_name);
            let stopped = encoder.is_stopped();
            encoder.finish(&mut bytes, &mut of_name);
            self.losses += of_name.losses();
            self.substituted += of_name.count(LossKind::Substituted);
            // Each name is a text of its own to its encoder.
            let mut log = LossLog::with_limit(RECORDS);
            for loss in of_name.kept() {
                log.record(
                    self.offset + loss.bytes.start..self.offset + loss.bytes.end,
                    loss.kind,
                );
            }
            if let Some(explain) = &mut self.explain {
                explain.push(line, self.offset, &log);
            }
            if stopped {
                return Err(self.refuse(Charset::UTF_7_IMAP, name, &log));
            }
            bytes.extend_from_slice(&line.as_bytes()[name.len()..]);
            self.sink
                .write_all(&bytes)
                .map_err(ConversionError::Write)?;
            self.offset += line.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(label: &str, unmappable: Option<Unmappable>) -> Target<Vec<u8>> {
        Target::new(
            Coding::for_label(label).unwrap(),
            unmappable,
            None,
            Vec::new(),
        )
    }

    /// The text pushed in two pieces, cut everywhere, gives what it gives as a whole.
    #[test]
    fn pieces_do_not_show() {
        let text = "Grüße, 日本語 text\r\nand 日 本\nEntwürfe";
        for label in [
            "utf-8",
            "utf-16",
            "utf-7",
            "iso-2022-jp",
            "iso-2022-kr",
            "hz-gb-2312",
            "imap-utf-7",
            "viqr",
        ] {
            let run = |pieces: &[&str]| {
                let mut target = target(label, Some(Unmappable::QuestionMark));
                for piece in pieces {
                    target.push(piece).unwrap();
                }
                target.finish().unwrap();
                target.sink
            };
            let whole = run(&[text]);
            for (cut, _) in text.char_indices() {
                assert!(
                    run(&[&text[..cut], &text[cut..]]) == whole,
                    "{label} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn a_cr_that_ends_no_line_is_of_the_name() {
        for (text, bytes) in [
            ("A\r", &b"A&AA0-"[..]),
            ("A\r\n", b"A\r\n"),
            ("A\r\r\nB\n", b"A&AA0-\r\nB\n"),
        ] {
            let mut target = target("imap-utf-7", None);
            target.push(text).unwrap();
            target.finish().unwrap();
            assert_eq!(target.sink, bytes, "{text:?}");
        }
    }

    #[test]
    fn places_are_those_of_each_input() {
        let mut stopping = target("iso-8859-1", None);
        for text in ["ok\n", "a€"] {
            stopping.begin(None);
            if let Err(stop) = stopping.push(text) {
                let ConversionError::Loss(message) = stop else {
                    panic!("{stop:?}")
                };
                assert!(message.contains(" at byte 1 of the text"), "{message}");
                return;
            }
        }
        panic!("no loss");
    }

    #[test]
    fn no_name_holds_nul() {
        let mut stopping = target("imap-utf-7", None);
        let Err(ConversionError::Loss(message)) = stopping.push("ü\na\0b\n") else {
            panic!("no loss")
        };
        assert_eq!(
            message,
            "cannot write U+0000 at byte 4 of the text (as UTF-8) in UTF-7-IMAP"
        );
        assert_eq!(stopping.sink, b"&APw-\n");
        let mut replacing = target("imap-utf-7", Some(Unmappable::QuestionMark));
        replacing.push("a\0ü").unwrap();
        replacing.finish().unwrap();
        assert_eq!(replacing.sink, b"a?&APw-");
    }

    #[test]
    fn what_cannot_be_written_stops_with_its_place() {
        let mut stopping = target("iso-8859-1", None);
        stopping.push("ü").unwrap();
        let Err(ConversionError::Loss(message)) = stopping.push("a€b") else {
            panic!("no loss")
        };
        assert_eq!(
            message,
            "cannot write U+20AC at byte 3 of the text (as UTF-8) in ISO-8859-1"
        );
        assert_eq!(stopping.sink, b"\xfca");
        for (unmappable, bytes) in [
            (Unmappable::Skip, &b"ab"[..]),
            (Unmappable::QuestionMark, b"a?b"),
            (Unmappable::HtmlDecimal, b"a&#8364;b"),
            (Unmappable::HtmlHex, b"a&#x20AC;b"),
            (Unmappable::Transliterate, b"aEURb"),
        ] {
            let mut target = target("iso-8859-1", Some(unmappable));
            target.push("a€b").unwrap();
            target.finish().unwrap();
            assert_eq!(target.sink, bytes);
        }
    }
}
