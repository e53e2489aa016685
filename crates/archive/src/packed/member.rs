//! One member of a compressed file, whatever the form.

use std::io::{self, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::Packing;
use super::input::Input;
use crate::error::ErrorKind;

/// KiB that a dictionary of xz may take: four times that of its highest level, `xz -9`.
const MEMORY: u32 = 256 << 10;

/// What is read through, up to its end and not a byte further.
pub(super) enum Member<R: Read> {
    Gzip(Box<GzDecoder<Input<R>>>),
    Zstd(ZstdDecoder<'static, Input<R>>),
    Bzip2(Box<BzDecoder<Input<R>>>),
    Xz(Box<XzReader<Input<R>>>),
}

impl<R: Read> Member<R> {
    /// Begins before the first byte; an error where the form is not read.
    pub(super) fn new(packing: Packing, input: Input<R>) -> io::Result<Self> {
        Ok(match packing {
            Packing::Gzip => Self::Gzip(Box::new(GzDecoder::new(input))),
            Packing::Zstd => Self::Zstd(ZstdDecoder::with_buffer(input)?.single_frame()),
            Packing::Bzip2 => Self::Bzip2(Box::new(BzDecoder::new(input))),
            Packing::Xz => Self::Xz(Box::new(XzReader::new_mem_limit(input, false, MEMORY))),
            Packing::Lz4
            | Packing::Compress
            | Packing::Zip
            | Packing::Utf16
            | Packing::Tar
            | Packing::Babyl => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// What it is read from.
    pub(super) fn input(&self) -> &Input<R> {
        match self {
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zstd(decoder) => decoder.get_ref(),
            Self::Bzip2(decoder) => decoder.get_ref(),
            Self::Xz(decoder) => decoder.inner(),
        }
    }

    /// Gives that back.
    pub(super) fn into_input(self) -> Input<R> {
        match self {
            Self::Gzip(decoder) => decoder.into_inner(),
            Self::Zstd(decoder) => decoder.finish(),
            Self::Bzip2(decoder) => decoder.into_inner(),
            Self::Xz(decoder) => decoder.into_inner(),
        }
    }

    /// After an error: whether its end was reached all the same. A decoder of gzip that is there minds the checksum alone.
    pub(super) fn has_ended(&mut self) -> bool {
        match self {
            Self::Gzip(decoder) => matches!(decoder.read(&mut [0; 1]), Ok(0)),
            Self::Zstd(_) | Self::Bzip2(_) | Self::Xz(_) => false,
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
                if is_of_memory(&error) {
                    ErrorKind::LargeDictionary.into()
                } else {
                    error
                }
            }),
        }
    }
}

/// True where a decoder asks for more memory than it gets: nothing is wrong with the file.
pub(super) fn is_of_memory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}
