//! Decodes and encodes forms of Unicode without state between characters: UTF-1 and UTF-EBCDIC.
//!
//! # Limits
//! The forms have modules of their own; see [`CharacterForm`].

use crate::decode::{Chunk, Decode};
use crate::encoder_machine::{Encode, Out};
use crate::loss::LossKind;
use crate::options::DecodeOptions;
use crate::sink::Sink;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// A form of Unicode.
pub(crate) trait CharacterForm: Clone + Debug + Send + Sync + 'static {
    /// Reads the sequence at the start of `bytes`, which are not empty.
    fn read(bytes: &[u8]) -> Sequence;

    /// Writes a character.
    fn push(c: char, out: &mut Vec<u8>);

    /// Copies the characters at the start that are ASCII bytes; returns their number.
    fn put_ascii(_bytes: &[u8], _sink: &mut Sink<'_>) -> usize {
        0
    }
}

/// A sequence of bytes and its length.
pub(crate) enum Sequence {
    Char(char, usize),
    Damage(LossKind, usize),
    /// The input ends within the sequence. If nothing follows, so many bytes are damaged.
    Cut(usize),
}

/// A decoder of a form.
#[derive(Clone, Debug)]
pub(crate) struct StatelessDecoder<F> {
    /// True if a byte order mark at the start is removed.
    strips_mark: bool,
    form: PhantomData<F>,
}

impl<F> StatelessDecoder<F> {
    pub(crate) fn new(options: DecodeOptions) -> Self {
        Self {
            strips_mark: options.strips_mark(),
            form: PhantomData,
        }
    }
}

impl<F: CharacterForm> Decode for StatelessDecoder<F> {
    #[inline(always)]
    fn step(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        let ascii = F::put_ascii(rest.bytes, sink);
        if ascii > 0 {
            return Some(ascii);
        }
        let (kind, len) = match F::read(rest.bytes) {
            Sequence::Char('\u{FEFF}', len) if rest.base == 0 && self.strips_mark => {
                sink.note(rest.range(len), LossKind::ByteOrderMark);
                return Some(len);
            }
            Sequence::Char(c, len) => {
                sink.put_char(c);
                return Some(len);
            }
            Sequence::Cut(_) if !rest.last => return None,
            Sequence::Cut(len) => (LossKind::Truncated, len),
            Sequence::Damage(kind, len) => (kind, len),
        };
        sink.replace(rest.range(len), kind);
        Some(len)
    }
}

/// An encoder of a form.
#[derive(Clone, Debug)]
pub(crate) struct StatelessEncoder<F>(PhantomData<F>);

impl<F> StatelessEncoder<F> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F: CharacterForm> Encode for StatelessEncoder<F> {
    fn run(&mut self, text: &str, out: &mut Out<'_>) -> ControlFlow<usize> {
        out.bytes.reserve(text.len());
        text.chars().for_each(|c| F::push(c, out.bytes));
        ControlFlow::Continue(())
    }
}
