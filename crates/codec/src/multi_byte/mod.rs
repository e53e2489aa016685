//! Charsets that are ASCII and characters of two or more bytes from a table of our own, decoder and encoder: EUC-TW,
//! EUC-JIS-2004, Shift_JIS-2004, Johab, GB 12345 and their like.
//!
//! A [`Layout`] says which bytes name which cell of a [`Set`]; all else is the same for all. A byte below 21 is never
//! part of a character. Of a damaged character the bytes that could begin one are replaced together; what cannot
//! continue it, and an ASCII byte in any case, is read again.
//!
//! # Limits
//! Both modes read the same table.

mod encoder;
mod layout;

pub(crate) use encoder::Encoder;
pub(crate) use layout::Layout;

use crate::LossKind;
use crate::grid::Set;
use crate::sink::{Sink, ascii_8, ascii_run};
use layout::Place;

/// Decodes what is complete; at most three bytes stay behind.
pub(crate) fn run(
    layout: Layout,
    set: Set,
    input: &[u8],
    base: u64,
    last: bool,
    sink: &mut Sink<'_>,
) -> usize {
    let grid = set.grid();
    let mut at = 0;
    while at < input.len() {
        let rest = &input[at..];
        if rest[0] < 0x80 {
            let run = if ascii_8(rest).is_some() { ascii_run(rest) } else { 1 };
            sink.put_ascii(&rest[..run]);
            at += run;
            continue;
        }
        let len = match layout.place(rest) {
            Place::Cell { row, column, len } if grid.put(grid.cell(row, column), sink) => len,
            Place::Single { c, len } => {
                sink.put_char(c);
                len
            }
            Place::Cut if !last => return at,
            place => {
                let len = match place {
                    Place::Cell { row, .. } if layout == Layout::Pairs && !grid.has_row(row) => 1,
                    // An ASCII byte may be text that a stray lead byte stands before.
                    Place::Cell { len, .. } if rest[len - 1] < 0x80 => len - 1,
                    Place::Cell { len, .. } | Place::Bad { len } => len,
                    _ => rest.len(),
                };
                let start = base + at as u64;
                sink.replace(start..start + len as u64, LossKind::Invalid);
                len
            }
        };
        at += len;
    }
    at
}
