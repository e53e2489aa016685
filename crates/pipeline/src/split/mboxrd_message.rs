//! Writes a message, or a piece of one, as it stands in a mailbox that quotes as mboxrd: separator, quoted lines, blank line.

use crate::separator::{end_in_lf, separator_line};
use mailglot_archive::mbox::{
    lf_trailer_for, mark_separator, needs_mark, quote_mboxrd, trailer_for,
};

/// A message, or a piece of one, without quoting.
pub(super) struct MboxrdMessage<'a> {
    /// The old separator line, which may be empty. None for a piece that continues a message.
    pub(super) separator: Option<&'a [u8]>,
    /// The rest of a line that began in the piece before.
    pub(super) line_rest: &'a [u8],
    /// The lines after it.
    pub(super) lines: &'a [u8],
    /// True if another piece follows.
    pub(super) more: bool,
    /// True if the message was in a mailbox. For a file, an LF ends its separator and precedes the next one.
    pub(super) from_mailbox: bool,
    /// False only if the message has no `From ` at all.
    pub(super) has_from: bool,
}

/// Lengths of what was written of a message.
#[derive(Clone, Copy, Default)]
pub(super) struct WrittenLengths {
    /// Bytes of the message, as it is quoted.
    pub(super) message: usize,
    /// Bytes of the line ends after it.
    pub(super) trailer: usize,
}

impl MboxrdMessage<'_> {
    /// Appends the message with a plain separator and a trailer.
    pub(super) fn append(&self, out: &mut Vec<u8>) -> WrittenLengths {
        let start = out.len();
        if let Some(separator) = self.separator {
            out.extend_from_slice(&separator_line(separator, self.lines));
            if !self.from_mailbox {
                end_in_lf(&mut out[start..]);
            }
        }
        let body = out.len();
        out.extend_from_slice(self.line_rest);
        quote_mboxrd(self.lines, out);
        let message = &out[body..];
        let length = message.len();
        let trailer: &[u8] = match (self.more, self.from_mailbox) {
            (true, _) => b"",
            (false, true) => trailer_for(message),
            (false, false) => lf_trailer_for(message),
        };
        out.extend_from_slice(trailer);
        // The end of the last piece of a large message is not known yet.
        if self.separator.is_some() && (self.more || needs_mark(&out[body..], self.has_from)) {
            mark_separator(out, start, body);
        }
        WrittenLengths {
            message: length,
            trailer: trailer.len(),
        }
    }
}
