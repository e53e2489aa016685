//! Decodes one member of a compressed file, in any supported compression.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder as Lz4Decoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::Packing;
use super::bzip2_ahead::Bzip2BlocksAhead;
use super::bzip2_decoder::Bzip2Decoder;
use super::dovecot_lz4::DovecotLz4Decoder;
use super::input::LookaheadReader;
use super::xz_ahead::XzBlocksAhead;
use super::xz_decoder::XzDecoder;
use crate::error::ErrorKind;
use crate::packing::DOVECOT_LZ4;

/// The blocks of a file that other threads decompress.
pub(super) enum BlocksAhead {
    Bzip2(Bzip2BlocksAhead),
    Xz(XzBlocksAhead),
}

impl BlocksAhead {
    /// Uses `threads` threads. Returns `None` for one thread, and for formats without blocks that can be decompressed apart.
    pub(super) fn new(packing: Packing, threads: usize) -> Option<Self> {
        match packing {
            Packing::Bzip2 if threads > 1 => Some(Self::Bzip2(Bzip2BlocksAhead::new(threads))),
            Packing::Xz if threads > 1 => Some(Self::Xz(XzBlocksAhead::new(threads))),
            _ => None,
        }
    }

    fn bzip2(self) -> Option<Bzip2BlocksAhead> {
        match self {
            Self::Bzip2(ahead) => Some(ahead),
            Self::Xz(_) => None,
        }
    }

    fn xz(self) -> Option<XzBlocksAhead> {
        match self {
            Self::Xz(ahead) => Some(ahead),
            Self::Bzip2(_) => None,
        }
    }
}

/// A decoder that reads to the end of its member and no further.
pub(super) enum Member<R: Read> {
    Gzip(Box<GzDecoder<LookaheadReader<R>>>),
    Zstd(ZstdDecoder<'static, LookaheadReader<R>>),
    Bzip2(Box<Bzip2Decoder<R>>),
    Xz(Box<XzDecoder<R>>),
    Lz4(Box<Lz4Decoder<LookaheadReader<R>>>),
    DovecotLz4(Box<DovecotLz4Decoder<R>>),
}

impl<R: Read> Member<R> {
    /// Creates a decoder at the start of a member. Returns an error for an unsupported format.
    pub(super) fn new(
        packing: Packing,
        mut input: LookaheadReader<R>,
        ahead: Option<BlocksAhead>,
    ) -> io::Result<Self> {
        Ok(match packing {
            Packing::Gzip => Self::Gzip(Box::new(GzDecoder::new(input))),
            Packing::Zstd => Self::Zstd(ZstdDecoder::with_buffer(input)?.single_frame()),
            Packing::Bzip2 => {
                let ahead = ahead.and_then(BlocksAhead::bzip2);
                Self::Bzip2(Box::new(Bzip2Decoder::new(input, ahead)))
            }
            Packing::Xz => {
                let ahead = ahead.and_then(BlocksAhead::xz);
                Self::Xz(Box::new(XzDecoder::new(input, ahead)))
            }
            Packing::Lz4 if input.look_ahead(DOVECOT_LZ4.len()) == DOVECOT_LZ4 => {
                Self::DovecotLz4(Box::new(DovecotLz4Decoder::new(input)))
            }
            Packing::Lz4 => Self::Lz4(Box::new(Lz4Decoder::new(input))),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Returns the input.
    pub(super) fn input(&self) -> &LookaheadReader<R> {
        match self {
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zstd(decoder) => decoder.get_ref(),
            Self::Bzip2(decoder) => decoder.input(),
            Self::Xz(decoder) => decoder.input(),
            Self::Lz4(decoder) => decoder.get_ref(),
            Self::DovecotLz4(decoder) => decoder.input(),
        }
    }

    /// Returns the offset up to which input was needed so far.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Self::Bzip2(decoder) => decoder.offset(),
            Self::Xz(decoder) => decoder.offset(),
            _ => self.input().offset(),
        }
    }

    /// Returns the input and the blocks that were decompressed ahead, and drops the decoder.
    pub(super) fn into_parts(self) -> (LookaheadReader<R>, Option<BlocksAhead>) {
        match self {
            Self::Gzip(decoder) => (decoder.into_inner(), None),
            Self::Zstd(decoder) => (decoder.finish(), None),
            Self::Bzip2(decoder) => {
                let (input, ahead) = decoder.into_parts();
                (input, ahead.map(BlocksAhead::Bzip2))
            }
            Self::Xz(decoder) => {
                let (input, ahead) = decoder.into_parts();
                (input, ahead.map(BlocksAhead::Xz))
            }
            Self::Lz4(decoder) => (decoder.into_inner(), None),
            Self::DovecotLz4(decoder) => (decoder.into_inner(), None),
        }
    }

    /// Returns true if a decoder failed at the end of its member: for gzip, only the checksum is wrong then.
    pub(super) fn has_ended(&mut self) -> bool {
        match self {
            Self::Gzip(decoder) => matches!(decoder.read(&mut [0; 1]), Ok(0)),
            _ => false,
        }
    }
}

impl<R: Read> Read for Member<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(decoder) => decoder.read(into),
            Self::Zstd(decoder) => decoder.read(into),
            Self::Bzip2(decoder) => decoder.read(into),
            Self::Xz(decoder) => decoder.read(into).map_err(|error| {
                if is_memory_limit(&error) {
                    ErrorKind::LargeDictionary.into()
                } else {
                    error
                }
            }),
            Self::Lz4(decoder) => match decoder.read(into)? {
                // The decoder takes a frame that was cut between two blocks for a whole one.
                0 if decoder.get_ref().met_end() => Err(io::ErrorKind::UnexpectedEof.into()),
                read => Ok(read),
            },
            Self::DovecotLz4(decoder) => decoder.read(into),
        }
    }
}

/// Returns true if a decoder needs more memory than its limit. The file is not damaged then.
pub(super) fn is_memory_limit(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}
