//! Parses the escapes of HZ (RFC 1843), which begin with a tilde.
//!
//! # Limits
//! A tilde is an escape only where a character begins.

use super::decoder::{Iso2022, put_ascii_from_shift};
use super::set::Set;
use crate::LossKind;
use crate::sink::Sink;

impl Iso2022 {
    /// Reads an escape; `None` if it is truncated.
    pub(super) fn tilde(
        &mut self,
        rest: &[u8],
        here: u64,
        last: bool,
        sink: &mut Sink<'_>,
    ) -> Option<usize> {
        match rest {
            [_, b'{', ..] => {
                self.g0 = Set::Gb2312;
                Some(2)
            }
            [_, b'}', ..] => {
                self.g0 = Set::Ascii;
                Some(2)
            }
            [_, b'~', ..] => {
                if self.g0 != Set::Ascii {
                    sink.record(here..here + 2, LossKind::ForeignEscape);
                }
                self.put_tilde(sink);
                Some(2)
            }
            // The line goes on.
            [_, b'\n', ..] => {
                self.line_end(here + 1, sink);
                Some(2)
            }
            [_, b'\r', b'\n', ..] => {
                self.line_end(here + 1, sink);
                sink.record(here..here + 3, LossKind::ForeignEscape);
                Some(3)
            }
            [_] | [_, b'\r'] if !last => None,
            _ => {
                sink.record(here..here + 1, LossKind::TildeNotEscape);
                self.put_tilde(sink);
                Some(1)
            }
        }
    }

    fn put_tilde(&self, sink: &mut Sink<'_>) {
        if self.g0 == Set::Ascii {
            sink.put_char('~');
        } else {
            put_ascii_from_shift(b'~', sink);
        }
    }
}
