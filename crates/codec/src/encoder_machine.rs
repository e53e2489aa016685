//! Defines the trait of all encoder machines, and the output that they write to.
//!
//! A machine knows only its charset. It stops at a character that it cannot encode. The [`Encoder`](crate::Encoder) records the character,
//! gives the machine a replacement, and continues behind it.
//!
//! # Limits
//! Keeps no output offsets.

use crate::loss::{LossKind, LossLog};
use crate::mode::Mode;
use crate::sink::ascii_run;
use std::fmt::Debug;
use std::ops::{ControlFlow, Range};

/// The encoder of a family of charsets. Splitting the text anywhere gives the same bytes and the same records.
pub(crate) trait Encode: Send + Sync + Debug + CloneBoxed {
    /// Encodes `text`. Breaks with the offset of the first character that the charset cannot encode, after writing
    /// everything before it. The next call begins behind that character, or with its replacement.
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize>;

    /// Writes pending output and returns to the ASCII state, before a replacement.
    fn neutral(&mut self, _out: &mut Out<'_>) {}

    /// Prepares for a replacement of a character that the charset cannot encode.
    fn before_replacement(&mut self, _replacement: &str, out: &mut Out<'_>) {
        self.neutral(out);
    }

    /// Ends the text in the initial state.
    fn end(&mut self, out: &mut Out<'_>) {
        self.neutral(out);
    }
}

/// Clones a machine in a box.
pub(crate) trait CloneBoxed {
    fn clone_boxed(&self) -> Box<dyn Encode>;
}

impl<T: Encode + Clone + 'static> CloneBoxed for T {
    fn clone_boxed(&self) -> Box<dyn Encode> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Encode> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

/// Passes each character to `write`, and breaks at the first that it cannot encode.
#[inline]
pub(crate) fn each_char(text: &str, mut write: impl FnMut(char) -> bool) -> ControlFlow<usize> {
    match text.char_indices().find(|(_, c)| !write(*c)) {
        Some((at, _)) => ControlFlow::Break(at),
        None => ControlFlow::Continue(()),
    }
}

/// Output side of every encoder machine: bytes and records.
pub(crate) struct Out<'o> {
    /// Where the bytes go.
    pub(crate) bytes: &'o mut Vec<u8>,
    log: &'o mut LossLog,
    mode: Mode,
    /// Offset of the machine's text in the whole text.
    base: u64,
    /// True while a replacement is written, whose characters are not logged.
    quiet: bool,
}

impl<'o> Out<'o> {
    pub(crate) fn new(bytes: &'o mut Vec<u8>, log: &'o mut LossLog, mode: Mode, base: u64) -> Self {
        Self {
            bytes,
            log,
            mode,
            base,
            quiet: false,
        }
    }

    /// An output for the replacement of the character at `at`: nothing is recorded, and all of it lies at `at`.
    pub(crate) fn quiet(&mut self, at: usize) -> Out<'_> {
        let base = self.position(at);
        Out {
            bytes: self.bytes,
            log: self.log,
            mode: self.mode,
            base,
            quiet: true,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Records that the character at `at` of the machine's text is written as a look-alike. Returns false in strict mode,
    /// which has no look-alikes: then the machine must break at `at`.
    #[must_use]
    pub(crate) fn substituted(&mut self, at: usize, c: char) -> bool {
        if self.mode == Mode::Lenient {
            self.record(at, c, LossKind::Substituted);
        }
        self.mode == Mode::Lenient
    }

    /// Records a range of the whole text that is written as a look-alike.
    pub(crate) fn substituted_range(&mut self, range: Range<u64>) {
        if !self.quiet {
            self.log.record(range, LossKind::Substituted);
        }
    }

    /// The offset in the whole text of `at` in the machine's.
    pub(crate) fn position(&self, at: usize) -> u64 {
        if self.quiet {
            self.base
        } else {
            self.base + at as u64
        }
    }

    /// Returns the same output for text that begins `len` bytes later.
    pub(crate) fn ahead(&mut self, len: usize) -> Out<'_> {
        let base = self.position(len);
        Out {
            bytes: self.bytes,
            log: self.log,
            mode: self.mode,
            base,
            quiet: self.quiet,
        }
    }

    /// Records the character at `at` of the machine's text.
    pub(crate) fn record(&mut self, at: usize, c: char, kind: LossKind) {
        if !self.quiet {
            let start = self.base + at as u64;
            self.log.record(start..start + c.len_utf8() as u64, kind);
        }
    }

    /// From here on the machine's text begins at `base` of the whole text.
    pub(super) fn rebase(&mut self, base: u64) {
        self.base = base;
    }
}

/// Bytes gathered on the stack before they are appended: an append for each character costs more than its lookup.
pub(crate) struct Gather {
    bytes: [u8; GATHERED],
    len: usize,
}

const GATHERED: usize = 64;

impl Gather {
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0; GATHERED],
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn put<const N: usize>(&mut self, code: [u8; N], out: &mut Out<'_>) {
        if self.len + N > GATHERED {
            self.flush(out);
        }
        self.bytes[self.len..self.len + N].copy_from_slice(&code);
        self.len += N;
    }

    /// Writes ASCII from the start, the first byte at least, which is ASCII; returns the number of bytes written.
    #[inline]
    pub(crate) fn put_ascii(&mut self, bytes: &[u8], out: &mut Out<'_>) -> usize {
        let Some(block) = bytes.first_chunk::<8>() else {
            self.put([bytes[0]], out);
            return 1;
        };
        if bytes
            .first_chunk::<32>()
            .is_some_and(|block| block.is_ascii())
        {
            self.flush(out);
            let run = ascii_run(bytes);
            out.extend(&bytes[..run]);
            return run;
        }
        // A whole word at a time, because its end is unpredictable.
        let high = u64::from_le_bytes(*block) & 0x8080_8080_8080_8080;
        let len = high.trailing_zeros() as usize / 8;
        self.put(*block, out);
        self.len -= 8 - len;
        len
    }

    /// Appends the buffered bytes. Called before any other output and before a machine returns.
    #[inline]
    pub(crate) fn flush(&mut self, out: &mut Out<'_>) {
        out.extend(&self.bytes[..self.len]);
        self.len = 0;
    }
}
