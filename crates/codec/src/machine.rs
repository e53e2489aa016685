//! Chooses the decoder machine of a charset.
//!
//! # Limits
//! Holds no input; the [`Decoder`](crate::Decoder) does.

use crate::bocu1::Bocu1Decoder;
use crate::charset::{Charset, Kind};
use crate::decode::{Chunk, Decode};
use crate::double_byte::DoubleByteDecoder;
use crate::euc_fixed_width::EucFixedWidthDecoder;
use crate::iso2022::Iso2022Decoder;
use crate::koi7::Koi7Decoder;
use crate::mixed_ebcdic::MixedEbcdicDecoder;
use crate::multi_byte::MultiByteDecoder;
use crate::options::DecodeOptions;
use crate::scsu::ScsuDecoder;
use crate::sequences::SequenceDecoder;
use crate::single_byte::SingleByteDecoder;
use crate::sink::Sink;
use crate::stateless_unicode::StatelessDecoder;
use crate::utf_ebcdic::UtfEbcdic;
use crate::utf1::Utf1;
use crate::utf7::Utf7Decoder;
use crate::utf8::Utf8Decoder;
use crate::utf16::Utf16Decoder;
use crate::utf32::Utf32Decoder;

/// Calls a method of the machine in `$enum`, whichever it is, without dynamic dispatch: short words make it count.
macro_rules! each_machine {
    ($enum:expr, $machine:ident => $call:expr) => {
        match $enum {
            Machine::Utf8($machine) => $call,
            Machine::Utf16($machine) => $call,
            Machine::Utf32($machine) => $call,
            Machine::Utf7($machine) => $call,
            Machine::Utf7Imap($machine) => $call,
            Machine::Scsu($machine) => $call,
            Machine::Bocu1($machine) => $call,
            Machine::Utf1($machine) => $call,
            Machine::UtfEbcdic($machine) => $call,
            Machine::SingleByte($machine) => $call,
            Machine::DoubleByte($machine) => $call,
            Machine::MultiByte($machine) => $call,
            Machine::MixedEbcdic($machine) => $call,
            Machine::Iso2022($machine) => $call,
            Machine::Koi7($machine) => $call,
            Machine::Sequences($machine) => $call,
            Machine::EucFixedWidth($machine) => $call,
        }
    };
}

/// The decoder of a family of charsets.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Utf8(Utf8Decoder),
    Utf16(Utf16Decoder),
    Utf32(Utf32Decoder),
    Utf7(Utf7Decoder<false>),
    Utf7Imap(Utf7Decoder<true>),
    Scsu(ScsuDecoder),
    Bocu1(Bocu1Decoder),
    Utf1(StatelessDecoder<Utf1>),
    UtfEbcdic(StatelessDecoder<UtfEbcdic>),
    SingleByte(SingleByteDecoder),
    DoubleByte(DoubleByteDecoder),
    MultiByte(MultiByteDecoder),
    MixedEbcdic(MixedEbcdicDecoder),
    Iso2022(Iso2022Decoder),
    Koi7(Koi7Decoder),
    Sequences(SequenceDecoder),
    EucFixedWidth(EucFixedWidthDecoder),
}

impl Machine {
    pub(crate) fn new(charset: Charset, options: DecodeOptions) -> Self {
        let mode = options.mode();
        match charset.kind() {
            Kind::Utf8 => Self::Utf8(Utf8Decoder::new(options)),
            Kind::Cesu8 => Self::Utf8(Utf8Decoder::cesu(options)),
            Kind::Utf16(order) => Self::Utf16(Utf16Decoder::new(order, options)),
            Kind::Utf32(order) => Self::Utf32(Utf32Decoder::new(order, options)),
            Kind::Utf7 => Self::Utf7(Utf7Decoder::new(options)),
            Kind::Utf7Imap => Self::Utf7Imap(Utf7Decoder::new(options)),
            Kind::Scsu => Self::Scsu(ScsuDecoder::new(options)),
            Kind::Bocu1 => Self::Bocu1(Bocu1Decoder::new(options)),
            Kind::Utf1 => Self::Utf1(StatelessDecoder::new(options)),
            Kind::UtfEbcdic => Self::UtfEbcdic(StatelessDecoder::new(options)),
            Kind::SingleByte(page) => Self::SingleByte(SingleByteDecoder::new(page, mode)),
            Kind::DoubleByte(family, subset) => {
                Self::DoubleByte(DoubleByteDecoder::new(family, subset, mode))
            }
            Kind::MultiByte(layout, set) => Self::MultiByte(MultiByteDecoder::new(layout, set)),
            Kind::MixedEbcdic(set) => Self::MixedEbcdic(MixedEbcdicDecoder::new(set)),
            Kind::Iso2022(flavor) => Self::Iso2022(Iso2022Decoder::new(flavor, mode)),
            Kind::Koi7 => Self::Koi7(Koi7Decoder::default()),
            Kind::Sequences(list) => Self::Sequences(SequenceDecoder::new(list)),
            Kind::EucFixedWidth => Self::EucFixedWidth(EucFixedWidthDecoder::new(mode)),
        }
    }

    /// See [`Decode::run`].
    pub(crate) fn run(&mut self, chunk: Chunk<'_>, sink: &mut Sink<'_>) -> usize {
        each_machine!(self, machine => machine.run(chunk, sink))
    }

    /// See [`Decode::run_whole`].
    pub(crate) fn run_whole(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        each_machine!(self, machine => machine.run_whole(bytes, sink));
    }

    /// See [`Decode::end`].
    pub(crate) fn end(&mut self, end: u64, sink: &mut Sink<'_>) {
        each_machine!(self, machine => machine.end(end, sink));
    }

    /// See [`Decode::window`].
    pub(crate) fn window(&self) -> usize {
        each_machine!(self, machine => machine.window())
    }

    /// See [`Decode::expected_len`].
    pub(crate) fn expected_len(&self, bytes: &[u8]) -> usize {
        each_machine!(self, machine => machine.expected_len(bytes))
    }
}
