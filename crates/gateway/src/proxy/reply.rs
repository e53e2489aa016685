//! Parses the replies of the next hop and writes the proxy's own.

use crate::next_hop_fault::BadReply;
use memchr::memchr;

/// Bytes of the longest line of a reply, and of a whole reply.
const LONGEST_LINE: usize = 4_096;
const LONGEST: usize = 65_536;

/// One reply, of one line or several (RFC 5321 4.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReplyLines {
    pub(super) code: u16,
    /// The text behind the code on each line.
    pub(super) texts: Vec<Vec<u8>>,
}

impl ReplyLines {
    /// A reply of our own: code, enhanced code and words.
    pub(super) fn own(code: u16, words: &str) -> Self {
        Self {
            code,
            texts: vec![words.as_bytes().to_vec()],
        }
    }

    /// Two hundred and something.
    pub(super) fn is_positive(&self) -> bool {
        self.code / 100 == 2
    }

    /// Returns true if a command that is complete can be answered so.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.code / 100, 2 | 4 | 5)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for (at, text) in self.texts.iter().enumerate() {
            let more = at + 1 < self.texts.len();
            out.extend_from_slice(self.code.to_string().as_bytes());
            out.push(if more { b'-' } else { b' ' });
            out.extend_from_slice(text);
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// Bytes of the next hop, cut into replies.
#[derive(Debug, Default)]
pub(super) struct Replies {
    bytes: Vec<u8>,
    start: usize,
    /// The lines of a reply that has not ended, and their bytes.
    begun: Option<ReplyLines>,
    size: usize,
}

impl Replies {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next reply that is complete.
    pub(super) fn next(&mut self) -> Result<Option<ReplyLines>, BadReply> {
        loop {
            let rest = &self.bytes[self.start..];
            let Some(end) = memchr(b'\n', rest) else {
                return if rest.len() > LONGEST_LINE {
                    Err(BadReply::TooLong)
                } else {
                    Ok(None)
                };
            };
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            self.size += end;
            if end > LONGEST_LINE || self.size > LONGEST {
                return Err(BadReply::TooLong);
            }
            let (code, more, text) = parts(line).ok_or(BadReply::Malformed)?;
            let text = text.to_vec();
            self.start += end + 1;
            let mut reply = self.begun.take().unwrap_or(ReplyLines {
                code,
                texts: Vec::new(),
            });
            if reply.code != code {
                return Err(BadReply::Malformed);
            }
            reply.texts.push(text);
            if !more {
                self.size = 0;
                return Ok(Some(reply));
            }
            self.begun = Some(reply);
        }
    }

    /// Returns true if everything was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.bytes.len() && self.begun.is_none()
    }
}

/// Code, whether more lines follow, text.
fn parts(line: &[u8]) -> Option<(u16, bool, &[u8])> {
    let (code, rest) = line.split_at_checked(3)?;
    if !matches!(code[0], b'2'..=b'5') || !code.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let code = code
        .iter()
        .fold(0, |sum, digit| 10 * sum + u16::from(digit - b'0'));
    let (more, text) = match rest {
        [] => (false, rest),
        [b' ', text @ ..] => (false, text),
        [b'-', text @ ..] => (true, text),
        _ => return None,
    };
    let clean = text
        .iter()
        .all(|byte| *byte == b'\t' || !byte.is_ascii_control());
    clean.then_some((code, more, text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(input: &[u8], step: usize) -> Result<Vec<ReplyLines>, BadReply> {
        let (mut replies, mut found) = (Replies::default(), Vec::new());
        for piece in input.chunks(step) {
            replies.push(piece);
            while let Some(reply) = replies.next()? {
                found.push(reply);
            }
        }
        Ok(found)
    }

    #[test]
    fn replies_are_cut_at_every_split_and_given_on() {
        let input: &[u8] = b"220 a ESMTP\r\n250-a\r\n250-SIZE 1\r\n250 DSN\r\n250\r\n354 go\n";
        let whole = read(input, usize::MAX).unwrap();
        assert_eq!(
            whole.iter().map(|reply| reply.code).collect::<Vec<_>>(),
            [220, 250, 250, 354]
        );
        assert_eq!(
            whole[1].texts,
            [b"a".to_vec(), b"SIZE 1".to_vec(), b"DSN".to_vec()]
        );
        for step in 1..input.len() {
            assert_eq!(read(input, step).unwrap(), whole);
        }
        let mut out = Vec::new();
        for reply in &whole {
            reply.write(&mut out);
        }
        assert_eq!(
            out,
            b"220 a ESMTP\r\n250-a\r\n250-SIZE 1\r\n250 DSN\r\n250 \r\n354 go\r\n"
        );
    }

    #[test]
    fn what_none_says_is_found() {
        let long = [b"250 ".to_vec(), vec![b'a'; LONGEST_LINE], b"\r\n".to_vec()].concat();
        let endless = b"250-aaaaaaaaaaaaaaaa\r\n".repeat(LONGEST / 16);
        for (input, want) in [
            (b"\r\n".to_vec(), BadReply::Malformed),
            (b"25\r\n".to_vec(), BadReply::Malformed),
            (b"2x0 a\r\n".to_vec(), BadReply::Malformed),
            (b"150 a\r\n".to_vec(), BadReply::Malformed),
            (b"2500 a\r\n".to_vec(), BadReply::Malformed),
            (b"250-a\r\n251 b\r\n".to_vec(), BadReply::Malformed),
            (b"250 a\rb\r\n".to_vec(), BadReply::Malformed),
            (b"250 a\0\r\n".to_vec(), BadReply::Malformed),
            (long, BadReply::TooLong),
            (vec![b'2'; LONGEST_LINE + 1], BadReply::TooLong),
            (endless, BadReply::TooLong),
        ] {
            for step in [1, 7, usize::MAX] {
                assert_eq!(read(&input, step), Err(want), "{step}");
            }
        }
    }
}
