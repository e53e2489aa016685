//! Decodes UTF-16.
//!
//! # Limits
//! None.

use crate::packed::Packed;
use crate::writer::Writer;

/// Returns the bits of a unit, as it stands in the input, that are zero in ASCII.
pub(crate) const fn beyond_ascii<const BIG: bool>() -> u16 {
    if BIG { 0x80FF } else { 0xFF80 }
}

/// Portable loop. It also reads the end of the input that vector loops leave.
pub(crate) fn portable<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let mut at = 0;
    let mask = u128::from(beyond_ascii::<BIG>()) * 0x0001_0001_0001_0001_0001_0001_0001_0001;
    loop {
        while let Some(block) = input[at..].first_chunk::<16>() {
            out.reserve(8 * 4);
            if u128::from_le_bytes(*block) & mask == 0 {
                let ascii: [u8; 8] = std::array::from_fn(|i| block[2 * i + usize::from(BIG)]);
                // SAFETY: there is room, and the bytes are ASCII.
                unsafe { out.store(ascii, 8) };
                at += 16;
                continue;
            }
            let cells: [Packed; 8] = std::array::from_fn(|i| {
                Packed::unit(unit::<BIG>([block[2 * i], block[2 * i + 1]]))
            });
            if cells.contains(&Packed::NONE) {
                break;
            }
            for cell in cells {
                // SAFETY: there is room for four bytes for each of the eight.
                unsafe { out.put(cell) };
            }
            at += 16;
        }
        if let Some(block) = input[at..].first_chunk::<8>()
            && u64::from_le_bytes(*block) & mask as u64 == 0
        {
            let ascii: [u8; 4] = std::array::from_fn(|i| block[2 * i + usize::from(BIG)]);
            out.reserve(4);
            // SAFETY: there is room, and the bytes are ASCII.
            unsafe { out.store(ascii, 4) };
            at += 8;
            continue;
        }
        match one::<BIG>(&input[at..], out) {
            0 => return at,
            len => at += len,
        }
    }
}

/// Appends one character. Returns the number of bytes read, or 0 if no character begins here.
#[inline]
pub(crate) fn one<const BIG: bool>(input: &[u8], out: &mut Writer<'_>) -> usize {
    let Some(pair) = input.first_chunk::<2>() else {
        return 0;
    };
    let high = unit::<BIG>(*pair);
    let mut cell = Packed::unit(high);
    let mut len = 2;
    if cell.is_none()
        && let Some([_, _, a, b]) = input.first_chunk::<4>()
        && let Some(Ok(c)) = char::decode_utf16([high, unit::<BIG>([*a, *b])]).next()
    {
        (cell, len) = (Packed::new(c), 4);
    }
    if cell.is_none() {
        return 0;
    }
    out.reserve(4);
    // SAFETY: there is room for four bytes.
    unsafe { out.put(cell) };
    len
}

#[inline]
fn unit<const BIG: bool>(bytes: [u8; 2]) -> u16 {
    if BIG {
        u16::from_be_bytes(bytes)
    } else {
        u16::from_le_bytes(bytes)
    }
}
