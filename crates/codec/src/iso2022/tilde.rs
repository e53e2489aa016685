//! Parses the escapes of HZ (RFC 1843), which begin with a tilde.
//!
//! # Limits
//! A tilde is an escape only where a character begins.

use super::decoder::{Iso2022Decoder, put_ascii_from_shift};
use super::set::CodedSet;
use crate::decode::Chunk;
use crate::loss::LossKind;
use crate::sink::Sink;

impl Iso2022Decoder {
    /// Reads an escape; `None` if it is truncated.
    #[inline(always)]
    pub(super) fn tilde(&mut self, rest: Chunk<'_>, sink: &mut Sink<'_>) -> Option<usize> {
        match rest.bytes {
            [_, b'{', ..] => {
                self.g0 = CodedSet::Gb2312;
                Some(2)
            }
            [_, b'}', ..] => {
                self.g0 = CodedSet::Ascii;
                Some(2)
            }
            [_, b'~', ..] => {
                if self.g0 != CodedSet::Ascii {
                    sink.record(rest.range(2), LossKind::ForeignEscape);
                }
                self.put_tilde(sink);
                Some(2)
            }
            // The line goes on.
            [_, b'\n', ..] => {
                self.line_end(rest.behind(1), sink);
                Some(2)
            }
            [_, b'\r', b'\n', ..] => {
                self.line_end(rest.behind(1), sink);
                sink.record(rest.range(3), LossKind::ForeignEscape);
                Some(3)
            }
            [_] | [_, b'\r'] if !rest.last => None,
            _ => {
                sink.record(rest.range(1), LossKind::TildeNotEscape);
                self.put_tilde(sink);
                Some(1)
            }
        }
    }

    fn put_tilde(&self, sink: &mut Sink<'_>) {
        if self.g0 == CodedSet::Ascii {
            sink.put_char('~');
        } else {
            put_ascii_from_shift(b'~', sink);
        }
    }
}
