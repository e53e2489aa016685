//! Decodes charsets with one byte a character.
//!
//! # Limits
//! Decoding stops before the first byte without a character; the caller handles it.

use super::portable::byte_table::portable_single_bytes;

pub use super::portable::byte_table::ByteTable;

impl ByteTable {
    /// Decodes `input` up to the first byte that has no character, appends it to `text`, and returns the number of bytes read.
    pub fn append_decoded(&self, input: &[u8], text: &mut String) -> usize {
        // Short inputs skip the vector loops.
        #[cfg(target_arch = "x86_64")]
        if input.len() >= 64 && self.is_ascii() && self.growth() == 1 && super::avx512::is_here() {
            // SAFETY: the machine has what the function is made for.
            return unsafe { in_blocks(self, input, text) };
        }
        portable_single_bytes(self, input, text)
    }
}

/// # Safety
/// The machine has what [`super::avx512::singles`] is made for.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn in_blocks(page: &ByteTable, input: &[u8], text: &mut String) -> usize {
    let mut at = 0;
    loop {
        // SAFETY: the caller's.
        at += unsafe { super::avx512::singles(page, &input[at..], text) };
        // The rest: characters of three bytes, or bytes without a character.
        let Some(block) = input[at..].first_chunk::<64>() else {
            break;
        };
        let read = portable_single_bytes(page, block, text);
        at += read;
        if read < block.len() {
            return at;
        }
    }
    at + portable_single_bytes(page, &input[at..], text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;
    use crate::test_data::{character, same};

    /// The safe twin of `append_decoded`.
    fn singles_twin(page: &ByteTable, input: &[u8], text: &mut String) -> usize {
        let chars: Vec<char> = input
            .iter()
            .map_while(|byte| page.cell(*byte).char())
            .collect();
        text.extend(&chars);
        chars.len()
    }

    /// Makes a page of the characters of all bytes.
    fn page(character: impl Fn(u8) -> Option<char>) -> ByteTable {
        let cells = std::array::from_fn(|byte| {
            character(byte as u8).map_or([0; 4], |c| Packed::new(c).bytes())
        });
        ByteTable::new(cells)
    }

    #[test]
    fn pages_with_and_without_holes_and_ascii() {
        let pages = [
            page(|byte| Some(char::from(byte))),
            page(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    Some(character(byte.into()))
                }
            }),
            page(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    None
                }
            }),
            page(|byte| (byte % 16 != 7).then(|| character(byte.into()))),
            // Like windows-1252: letters of two bytes, signs of three, and gaps.
            page(|byte| match byte {
                0x81 | 0x8D => None,
                0x80..=0x9F => char::from_u32(0x2000 | u32::from(byte)),
                _ => Some(char::from(byte)),
            }),
            // Like KOI8-R, except for one byte that is ASCII.
            page(|byte| match byte {
                0xFE => Some('~'),
                0x80.. => char::from_u32(0x400 | u32::from(byte)),
                _ => Some(char::from(byte)),
            }),
        ];
        let bytes: Vec<u8> = (0..400_usize).map(|i| (i * i / 3 % 251) as u8).collect();
        for page in &pages {
            for start in 0..32 {
                for len in 0..=300 {
                    let input = &bytes[start..start + len];
                    let ascii: Vec<u8> = input.iter().map(|b| b & 0x7F).collect();
                    for read in [ByteTable::append_decoded, portable_single_bytes] {
                        same(page, input, read, singles_twin);
                        same(page, &ascii, read, singles_twin);
                    }
                }
            }
            for byte in 0..=255 {
                for place in 0..140 {
                    let mut input = [b'a'; 145];
                    input[place] = byte;
                    same(page, &input, ByteTable::append_decoded, singles_twin);
                    same(page, &input, portable_single_bytes, singles_twin);
                }
            }
        }
    }
}
