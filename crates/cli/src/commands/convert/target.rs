//! The writing side of a conversion: text in pieces to bytes of a charset.
//!
//! # Limits
//!
//! The place of a character that cannot be written is given in bytes of the whole text as UTF-8, which is the place in
//! the input only where the input is UTF-8. For charsets with a state that outlives a line (HZ, ISO-2022-KR) the text is held whole.

use super::{Coding, Stop, Way};
use mailglot_codec::imap_utf7::encode_mailbox;
use mailglot_codec::{Charset, LossLog, Unmappable};
use std::io::Write;

/// Encodes what is pushed and writes it.
#[derive(Debug)]
pub(super) struct Target<W> {
    /// Where the bytes go.
    pub(super) sink: W,
    to: Coding,
    unmappable: Unmappable,
    /// Text that waits for a place where the encoder may stop.
    held: String,
    /// Bytes of text that were written.
    offset: u64,
}

impl<W: Write> Target<W> {
    pub(super) fn new(to: Coding, way: Way, sink: W) -> Self {
        let unmappable = match way {
            Way::Stop => Unmappable::Fatal,
            Way::Skip => Unmappable::Skip,
            Way::Replace => Unmappable::QuestionMark,
        };
        Self { sink, to, unmappable, held: String::new(), offset: 0 }
    }

    /// Writes text, but for what must wait for more.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Stop> {
        let ends: &[char] = match self.to {
            Coding::ImapNames => &['\n'],
            // Runs in another state end at these characters: nothing changes when the encoder begins anew behind them.
            Coding::Charset(Charset::UTF_7 | Charset::ISO_2022_JP | Charset::ISO_2022_JP_2) => &['\n', ' '],
            Coding::Charset(charset) if charset.is_stateful() && !is_wide(charset) => &[],
            Coding::Charset(_) => return self.write(text),
        };
        match text.rfind(ends) {
            None => self.held.push_str(text),
            Some(at) => {
                let (now, later) = text.split_at(at + 1);
                let mut ready = std::mem::take(&mut self.held);
                ready.push_str(now);
                self.held.push_str(later);
                self.write(&ready)?;
            }
        }
        Ok(())
    }

    /// Writes what still waits.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        let held = std::mem::take(&mut self.held);
        self.write(&held)
    }

    fn write(&mut self, text: &str) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        let Coding::Charset(charset) = self.to else { return self.write_names(text) };
        let mut log = LossLog::with_limit(1);
        let bytes = self.continued(charset).encode(text, self.unmappable, &mut log);
        self.sink.write_all(&bytes).map_err(Stop::Write)?;
        if self.unmappable == Unmappable::Fatal && log.losses() > 0 {
            let loss = log.kept().iter().find(|loss| loss.kind.is_loss());
            let start = loss.map_or(0, |loss| loss.bytes.start);
            let c = text.get(start as usize..).and_then(|rest| rest.chars().next()).unwrap_or_default();
            return Err(Stop::Loss(format!(
                "cannot write U+{:04X} at byte {} of the text (as UTF-8) in {}",
                c as u32,
                self.offset + start,
                charset.name()
            )));
        }
        self.offset += text.len() as u64;
        Ok(())
    }

    fn write_names(&mut self, text: &str) -> Result<(), Stop> {
        for line in text.split_inclusive('\n') {
            let name = line.trim_end_matches('\n');
            let (name, cr) = name.strip_suffix('\r').map_or((name, ""), |name| (name, "\r"));
            let encoded = encode_mailbox(name) + cr + &line[name.len() + cr.len()..];
            self.sink.write_all(encoded.as_bytes()).map_err(Stop::Write)?;
        }
        Ok(())
    }

    /// The charset for the next piece: only the first one begins with a byte order mark.
    fn continued(&self, charset: Charset) -> Charset {
        match charset {
            Charset::UTF_16 | Charset::ISO_10646_UCS_2 if self.offset > 0 => Charset::UTF_16BE,
            Charset::UTF_32 | Charset::ISO_10646_UCS_4 if self.offset > 0 => Charset::UTF_32BE,
            other => other,
        }
    }
}

/// Of the families that have a state only by their byte order mark.
fn is_wide(charset: Charset) -> bool {
    let families = ["UTF-16", "UTF-32", "ISO-10646-UCS"];
    families.iter().any(|family| charset.name().starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text pushed in two pieces, cut everywhere, gives what it gives as a whole.
    #[test]
    fn pieces_do_not_show() {
        let text = "Grüße, 日本語 text\r\nand 日 本\nEntwürfe";
        for label in [
            "utf-8",
            "utf-16",
            "utf-16le",
            "utf-32",
            "utf-7",
            "iso-2022-jp",
            "iso-2022-jp-2",
            "imap-utf-7",
            "euc-jp",
        ] {
            let to = Coding::for_label(label).unwrap();
            let run = |pieces: &[&str]| {
                let mut target = Target::new(to, Way::Replace, Vec::new());
                for piece in pieces {
                    target.push(piece).unwrap();
                }
                target.finish().unwrap();
                target.sink
            };
            let whole = run(&[text]);
            for (cut, _) in text.char_indices() {
                assert!(run(&[&text[..cut], &text[cut..]]) == whole, "{label} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_cannot_be_written_stops_with_its_place() {
        let to = Coding::for_label("iso-8859-1").unwrap();
        let mut target = Target::new(to, Way::Stop, Vec::new());
        target.push("ü").unwrap();
        let Err(Stop::Loss(message)) = target.push("a€b") else { panic!("no loss") };
        assert_eq!(message, "cannot write U+20AC at byte 3 of the text (as UTF-8) in ISO-8859-1");
        assert_eq!(target.sink, b"\xfca");
        for (way, bytes) in [(Way::Skip, &b"ab"[..]), (Way::Replace, b"a?b")] {
            let mut target = Target::new(to, way, Vec::new());
            target.push("a€b").unwrap();
            assert_eq!(target.sink, bytes);
        }
    }
}
