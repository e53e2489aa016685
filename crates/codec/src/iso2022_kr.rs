//! ISO-2022-KR (RFC 1557): KS X 1001 between SO and SI, decoder and encoder.
//!
//! Every line begins in ASCII, whatever state the last one ended in. The designator may stand anywhere, or be missing.
//!
//! # Limits
//! Eight-bit bytes are U+FFFD each; whether the text is really EUC-KR is for the caller to find out.

use crate::double_byte::Family;
use crate::sink::Sink;
use crate::{LossKind, LossLog, Unmappable};

const DESIGNATOR: &[u8] = b"\x1b$)C";
const SO: u8 = 0x0E;
const SI: u8 = 0x0F;

/// An ISO-2022-KR decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iso2022Kr {
    designated: bool,
    korean: bool,
}

impl Iso2022Kr {
    /// Decodes what is complete; at most three bytes stay behind.
    pub(crate) fn run(&mut self, input: &[u8], base: u64, last: bool, sink: &mut Sink<'_>) -> usize {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            let here = base + at as u64;
            match rest[0] {
                0x1B if rest.starts_with(DESIGNATOR) => {
                    self.designated = true;
                    at += DESIGNATOR.len();
                    continue;
                }
                0x1B if !last && DESIGNATOR.starts_with(rest) => return at,
                0x1B => sink.replace(here..here + 1, LossKind::UnknownEscape),
                SO => {
                    if !std::mem::replace(&mut self.designated, true) {
                        sink.record(here..here + 1, LossKind::NoDesignator);
                    }
                    self.korean = true;
                }
                SI => self.korean = false,
                0x80.. => sink.replace(here..here + 1, LossKind::EightBit),
                byte @ (b'\r' | b'\n') => {
                    if std::mem::take(&mut self.korean) {
                        sink.record(here..here, LossKind::ResetAtLineEnd);
                    }
                    sink.put_basic(u32::from(byte) | 1 << 24);
                }
                byte if byte < 0x21 || !self.korean => {
                    if self.korean {
                        sink.note(here..here + 1, LossKind::SpaceInRun);
                    }
                    sink.put_basic(u32::from(byte) | 1 << 24);
                }
                lead => {
                    let trail = match rest.get(1) {
                        Some(trail) => *trail,
                        None if !last => return at,
                        None => 0,
                    };
                    // A byte that is no trail byte is read again by itself.
                    if lead == 0x7F || !(0x21..=0x7E).contains(&trail) {
                        sink.replace(here..here + 1, LossKind::Invalid);
                    } else {
                        match Family::EucKr.tables().pair(lead | 0x80, trail | 0x80) {
                            0 => sink.replace(here..here + 2, LossKind::Invalid),
                            packed => sink.put(packed),
                        }
                        at += 1;
                    }
                }
            }
            at += 1;
        }
        at
    }

    /// Ends the text at offset `end`.
    pub(crate) fn end(&self, end: u64, sink: &mut Sink<'_>) {
        if self.korean {
            sink.note(end..end, LossKind::UnterminatedRun);
        }
    }
}

/// Encodes; the designator stands at the start, every line ends in ASCII.
pub(crate) fn encode(text: &str, unmappable: Unmappable, log: &mut LossLog) -> Vec<u8> {
    let reverse = Family::EucKr.reverse();
    let mut out = Vec::with_capacity(text.len() + 8);
    out.extend_from_slice(DESIGNATOR);
    let mut korean = false;
    for (at, c) in text.char_indices() {
        let [lead, trail] = reverse.code(c).to_be_bytes();
        if !c.is_ascii() && lead >= 0xA1 && trail >= 0xA1 {
            if !std::mem::replace(&mut korean, true) {
                out.push(SO);
            }
            out.extend_from_slice(&[lead & 0x7F, trail & 0x7F]);
            continue;
        }
        if std::mem::take(&mut korean) {
            out.push(SI);
        }
        if c.is_ascii() && !matches!(c, '\x0E' | '\x0F' | '\x1B') {
            out.push(c as u8);
            continue;
        }
        log.record(at as u64..(at + c.len_utf8()) as u64, LossKind::Unmappable);
        let Some(replacement) = unmappable.replacement(c) else { return out };
        out.extend_from_slice(replacement.as_bytes());
    }
    if korean {
        out.push(SI);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::{Charset, LossLog, Unmappable};

    #[test]
    fn answers_where_decoders_differ() {
        for (bytes, text, losses, notes) in [
            (&b"\x1b$)C\r\n\x0e0!\x0fx"[..], "\r\n가x", 0, 0),
            (b"\x0e0!\x0fx", "가x", 0, 1),
            (b"\x1b$)C\x0e0!\r\nabc", "가\r\nabc", 0, 1),
            (b"\x1b$)C\x0e0", "\u{FFFD}", 1, 1),
            (b"abc \x1b$)C\x0e0!\x0f", "abc 가", 0, 0),
            (b"\xB0\xA1", "\u{FFFD}\u{FFFD}", 2, 0),
            (b"\x1b$)C\x0e0! x\x0f", "가 \u{FFFD}", 1, 1),
            (b"\x1b$)D", "\u{FFFD}$)D", 1, 0),
        ] {
            let mut log = LossLog::new();
            let got = Charset::ISO_2022_KR.decode(bytes, &mut log);
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!((got.as_ref(), log.losses(), log.notes()), (text, losses, notes), "{shown:?}");
        }
    }

    #[test]
    fn encoded_text_comes_back() {
        let text = "한글 text\r\n또 한글!\n";
        let mut log = LossLog::new();
        let bytes = Charset::ISO_2022_KR.encode(text, Unmappable::Fatal, &mut log);
        assert!(bytes.is_ascii() && bytes.starts_with(b"\x1b$)C"));
        assert_eq!(Charset::ISO_2022_KR.decode(&bytes, &mut log), text);
        assert!(log.is_empty());
    }
}
