//! Encodes single-byte charsets with the reverse of the decoder's table.
//!
//! # Limits
//! Does not decompose characters for windows-1258; `alternate_spellings` does.

use crate::charset::{Charset, Kind};
use crate::decoder::table;
use crate::encoder_machine::{Encode, Out};
use crate::generated::charsets::COUNT;
use crate::mode::Mode;
use crate::single_byte::{Page, ReversePage};
use crate::sink::ascii_run;
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// An encoder by a table of a single-byte charset.
#[derive(Clone, Debug)]
pub(super) struct SingleByteEncoder {
    reverse: &'static ReversePage,
}

impl SingleByteEncoder {
    pub(super) fn new(charset: Charset, mode: Mode) -> Self {
        // Boxed, for few are used, and the locks are in the program's data.
        type Lock = OnceLock<Box<ReversePage>>;
        static REVERSE: [Lock; 2 * COUNT] = [const { Lock::new() }; 2 * COUNT];
        let at = charset.index() * 2 + usize::from(mode == Mode::Strict);
        Self {
            reverse: REVERSE[at].get_or_init(|| Box::new(reverse(charset, mode))),
        }
    }
}

/// Makes the reverse of the characters that are encoded: the charset's own, in lenient mode only those that lenient decoding reads as the
/// same. A C1 control of ISO-8859-1 would be decoded as a letter of windows-1252.
fn reverse(charset: Charset, mode: Mode) -> ReversePage {
    let strict = table(charset, Mode::Strict);
    if mode == Mode::Strict {
        return ReversePage::new(strict, |_| true);
    }
    // Holes of Windows pages are controls there, as WHATWG writes them.
    let as_read = match charset.kind() {
        Kind::SingleByte(page) => {
            matches!(
                page,
                Page::Own(_) | Page::Web(_) | Page::Windows(_) | Page::Koi8U
            )
        }
        _ => false,
    };
    let own = if as_read {
        table(charset, Mode::Lenient)
    } else {
        strict
    };
    let read = table(charset.superset(), Mode::Lenient);
    ReversePage::new(own, |byte| own.cell(byte) == read.cell(byte))
}

impl Encode for SingleByteEncoder {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        /// Bytes of text for which room is zeroed at first. Few, because a run ends at each character that the charset lacks.
        const FIRST: usize = 1 << 6;
        /// The same, after a run without such a character.
        const LARGEST: usize = 1 << 12;
        let (mut done, mut piece) = (0, FIRST);
        while done < text.len() {
            let end = text.floor_char_boundary(done + piece);
            let stop = self.encode(&text[done..end], out);
            stop.map_break(|at| done + at)?;
            (done, piece) = (end, LARGEST.min(4 * piece));
        }
        ControlFlow::Continue(())
    }
}

impl SingleByteEncoder {
    /// Encodes a piece of text, as [`Encode::run`] does.
    fn encode(&self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        let reverse = self.reverse;
        let bytes = text.as_bytes();
        let start = out.bytes.len();
        // No character has more bytes than its UTF-8.
        out.bytes.resize(start + bytes.len(), 0);
        let encoded = &mut out.bytes[start..];
        let (mut at, mut len) = (0, 0);
        let mut stop = ControlFlow::Continue(());
        while let Some(first) = bytes.get(at) {
            if *first < 0x80 && reverse.is_ascii() {
                let run = put_ascii(&bytes[at..], &mut encoded[len..]);
                (at, len) = (at + run, len + run);
                continue;
            }
            // Letters of most alphabets take two bytes, and follow each other.
            let letters = at;
            while let Some(letter) = bytes.get(at..).and_then(<[u8]>::first_chunk::<2>)
                && let byte @ 1.. = reverse.byte_of_two(*letter)
            {
                encoded[len] = byte;
                (at, len) = (at + 2, len + 1);
            }
            if at > letters {
                continue;
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let Some(byte) = reverse.byte_at(c as usize) else {
                stop = ControlFlow::Break(at);
                break;
            };
            encoded[len] = byte;
            (at, len) = (at + c.len_utf8(), len + 1);
        }
        out.bytes.truncate(start + len);
        stop
    }
}

/// Copies ASCII from the start of `from` and returns their number. The first byte is ASCII, and `to` is not shorter
/// than `from`.
#[inline]
fn put_ascii(from: &[u8], to: &mut [u8]) -> usize {
    let (Some(block), Some(place)) = (from.first_chunk::<8>(), to.first_chunk_mut::<8>()) else {
        to[0] = from[0];
        return 1;
    };
    if from
        .first_chunk::<32>()
        .is_some_and(|block| block.is_ascii())
    {
        let run = ascii_run(from);
        to[..run].copy_from_slice(&from[..run]);
        return run;
    }
    // A whole word at a time, because its end is unpredictable.
    let high = u64::from_le_bytes(*block) & 0x8080_8080_8080_8080;
    let run = high.trailing_zeros() as usize / 8;
    *place = *block;
    run
}
