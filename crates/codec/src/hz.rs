//! HZ-GB-2312 (RFC 1843): GB 2312 between `~{` and `~}`, decoder and encoder.
//!
//! Every line begins in ASCII, whatever state the last one ended in.
//!
//! # Limits
//! Eight-bit bytes are U+FFFD each; whether the text is really GBK is for the caller to find out.

use crate::double_byte::{Family, gb2312};
use crate::sink::Sink;
use crate::{LossKind, LossLog, Unmappable};

/// An HZ decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hz {
    /// Between `~{` and `~}`.
    chinese: bool,
}

impl Hz {
    /// Decodes what is complete; at most two bytes stay behind.
    pub(crate) fn run(&mut self, input: &[u8], base: u64, last: bool, sink: &mut Sink<'_>) -> usize {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            let here = base + at as u64;
            let step = match rest[0] {
                b'~' => self.tilde(rest, here, last, sink),
                0x80.. => {
                    sink.replace(here..here + 1, LossKind::EightBit);
                    Some(1)
                }
                byte @ (b'\r' | b'\n') => {
                    self.line_end(here, sink);
                    sink.put_basic(u32::from(byte) | 1 << 24);
                    Some(1)
                }
                byte if byte < 0x21 || !self.chinese => {
                    if self.chinese {
                        sink.note(here..here + 1, LossKind::SpaceInRun);
                    }
                    sink.put_basic(u32::from(byte) | 1 << 24);
                    Some(1)
                }
                lead => pair(lead, rest, here, last, sink),
            };
            match step {
                Some(len) => at += len,
                None => return at,
            }
        }
        at
    }

    /// Ends the text at offset `end`.
    pub(crate) fn end(&self, end: u64, sink: &mut Sink<'_>) {
        if self.chinese {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }

    fn line_end(&mut self, here: u64, sink: &mut Sink<'_>) {
        if std::mem::take(&mut self.chinese) {
            sink.record(here..here, LossKind::ResetAtLineEnd);
        }
    }

    /// An escape; `None` if it is cut off.
    fn tilde(&mut self, rest: &[u8], here: u64, last: bool, sink: &mut Sink<'_>) -> Option<usize> {
        match rest {
            [_, b'{', ..] => {
                self.chinese = true;
                Some(2)
            }
            [_, b'}', ..] => {
                self.chinese = false;
                Some(2)
            }
            [_, b'~', ..] => {
                if self.chinese {
                    sink.record(here..here + 2, LossKind::ForeignEscape);
                }
                sink.put_char('~');
                Some(2)
            }
            // The line goes on.
            [_, b'\n', ..] => {
                self.line_end(here + 1, sink);
                Some(2)
            }
            [_, b'\r', b'\n', ..] => {
                self.line_end(here + 1, sink);
                sink.record(here..here + 3, LossKind::ForeignEscape);
                Some(3)
            }
            [_] | [_, b'\r'] if !last => None,
            _ => {
                sink.record(here..here + 1, LossKind::TildeNotEscape);
                sink.put_char('~');
                Some(1)
            }
        }
    }
}

/// A character of two bytes; `None` if it is cut off.
fn pair(lead: u8, rest: &[u8], here: u64, last: bool, sink: &mut Sink<'_>) -> Option<usize> {
    let trail = match rest.get(1) {
        Some(trail) => *trail,
        None if !last => return None,
        None => 0,
    };
    // A byte that is no trail byte is read again by itself.
    if lead > 0x77 || !(0x21..=0x7E).contains(&trail) {
        sink.replace(here..here + 1, LossKind::Invalid);
        return Some(1);
    }
    match Family::Gb18030.tables().pair(lead | 0x80, trail | 0x80) {
        0 => sink.replace(here..here + 2, LossKind::Invalid),
        packed => sink.put(packed),
    }
    Some(2)
}

/// Encodes; every line ends in ASCII.
pub(crate) fn encode(text: &str, unmappable: Unmappable, log: &mut LossLog) -> Vec<u8> {
    let reverse = Family::Gb18030.reverse();
    let mut out = Vec::with_capacity(text.len() + 8);
    let mut chinese = false;
    for (at, c) in text.char_indices() {
        let [lead, trail] = reverse.code(c).to_be_bytes();
        if !c.is_ascii() && gb2312(lead, trail) {
            if !std::mem::replace(&mut chinese, true) {
                out.extend_from_slice(b"~{");
            }
            out.extend_from_slice(&[lead & 0x7F, trail & 0x7F]);
            continue;
        }
        if std::mem::take(&mut chinese) {
            out.extend_from_slice(b"~}");
        }
        match c {
            '~' => out.extend_from_slice(b"~~"),
            _ if c.is_ascii() => out.push(c as u8),
            _ => {
                log.record(at as u64..(at + c.len_utf8()) as u64, LossKind::Unmappable);
                let Some(replacement) = unmappable.replacement(c) else { return out };
                out.extend_from_slice(replacement.as_bytes());
            }
        }
    }
    if chinese {
        out.extend_from_slice(b"~}");
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::{Charset, LossLog};

    #[test]
    fn answers_where_decoders_differ() {
        for (bytes, text, losses, notes) in [
            (&b"~{0!~}x"[..], "啊x", 0, 0),
            (b"a~~b", "a~b", 0, 0),
            (b"a~\nb", "ab", 0, 0),
            (b"~{0!\nabc", "啊\nabc", 0, 1),
            (b"~{0!", "啊", 0, 1),
            (b"~{0~}x", "剥\u{FFFD}\u{FFFD}", 2, 1),
            (b"a~b", "a~b", 0, 1),
            (b"~{~}x", "x", 0, 0),
            (b"~{0!~~0!~}", "啊~啊", 0, 1),
            (b"\xB0\xA1", "\u{FFFD}\u{FFFD}", 2, 0),
            (b"a~\r\nb", "ab", 0, 1),
            (b"~{0! 0!~}", "啊 啊", 0, 1),
            (b"x~", "x~", 0, 1),
        ] {
            let mut log = LossLog::new();
            let got = Charset::HZ_GB_2312.decode(bytes, &mut log);
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!((got.as_ref(), log.losses(), log.notes()), (text, losses, notes), "{shown:?}");
        }
    }
}
