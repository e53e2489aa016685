//! Splits the input of a client into command lines, and reports lines that are too long or have invalid bytes.

use memchr::memchr;

/// Bytes of the longest command line, its CRLF in them.
///
/// RFC 5321 4.5.3.1.4 has 512, and extensions add to it (4.5.3.1.5, RFC 3461 4.2); Postfix takes 4,096 as well.
pub const LONGEST_LINE: usize = 4_096;

/// One line of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommandLine {
    /// Without its CRLF; no CR, LF or NUL is in it.
    Whole(Vec<u8>),
    /// Longer than [`LONGEST_LINE`].
    TooLong,
    /// Ends in LF alone, or has CR or NUL in it.
    Unclean,
}

/// Bytes of a client that are not yet processed.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where what was not taken begins.
    start: usize,
    /// No LF stands before this place.
    searched: usize,
    /// The rest of a line that is too long is thrown away.
    skips: bool,
}

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Gives memory back that is not needed now.
    pub(super) fn shrink(&mut self) {
        self.push(b"");
        self.bytes.shrink_to_fit();
    }

    /// The next line that is complete.
    pub(super) fn next(&mut self) -> Option<CommandLine> {
        let end = memchr(b'\n', &self.bytes[self.searched..]).map(|at| self.searched + at + 1);
        let Some(end) = end else {
            self.searched = self.bytes.len();
            if self.skips || self.rest().len() >= LONGEST_LINE {
                self.skips = true;
                self.start = self.bytes.len();
            }
            return None;
        };
        let line = &self.bytes[self.start..end];
        let line = if self.skips || line.len() > LONGEST_LINE {
            CommandLine::TooLong
        } else {
            match line.strip_suffix(b"\r\n") {
                Some(line) if !line.iter().any(|byte| matches!(byte, b'\r' | 0)) => {
                    CommandLine::Whole(line.to_vec())
                }
                _ => CommandLine::Unclean,
            }
        };
        self.skips = false;
        (self.start, self.searched) = (end, end);
        Some(line)
    }

    /// Everything that was not taken.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Takes bytes that are no line.
    pub(super) fn take(&mut self, count: usize) {
        self.start = (self.start + count).min(self.bytes.len());
        self.searched = self.searched.max(self.start);
    }

    /// Returns true if a line has begun and not ended.
    pub(super) fn is_within(&self) -> bool {
        self.skips || !self.rest().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], step: usize) -> Vec<CommandLine> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in input.chunks(step) {
            lines.push(piece);
            found.extend(std::iter::from_fn(|| lines.next()));
            assert!(
                lines.bytes.len() <= LONGEST_LINE + step,
                "grows without end"
            );
        }
        found
    }

    #[test]
    fn lines_are_the_same_at_every_split() {
        let long = [vec![b'a'; LONGEST_LINE - 2], b"\r\n".to_vec()].concat();
        let longer = [vec![b'a'; LONGEST_LINE - 1], b"\r\n".to_vec()].concat();
        let endless = [vec![b'a'; 3 * LONGEST_LINE], b"\r\n".to_vec()].concat();
        let whole = |text: &[u8]| CommandLine::Whole(text.to_vec());
        for (input, want) in [
            (
                b"NOOP\r\nDATA\r\n".to_vec(),
                vec![whole(b"NOOP"), whole(b"DATA")],
            ),
            (b"\r\n".to_vec(), vec![whole(b"")]),
            (
                b"NOOP\nA\rB\r\nC\0\r\nD\r\r\nE".to_vec(),
                vec![CommandLine::Unclean; 4],
            ),
            (long.clone(), vec![whole(&long[..LONGEST_LINE - 2])]),
            (
                [longer, b"X\r\n".to_vec()].concat(),
                vec![CommandLine::TooLong, whole(b"X")],
            ),
            (
                [endless, b"X\r\n".to_vec()].concat(),
                vec![CommandLine::TooLong, whole(b"X")],
            ),
        ] {
            for step in [1, 2, 3, 5, 1000, usize::MAX] {
                assert_eq!(read(&input, step.min(input.len())), want, "{step}");
            }
        }
    }
}
