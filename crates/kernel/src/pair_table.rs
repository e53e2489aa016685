//! Decodes charsets with one or two bytes a character.
//!
//! # Limits
//! Decoding stops before the first character that the table lacks; the caller handles it.

use super::portable::pair_table::{portable_pairs, seven_bit_pairs};
use super::portable::short_bytes::ROOM;
use super::short_bytes::ShortBytes;
use super::writer::Writer;

pub use super::portable::pair_table::{LeadBytes, PairTable};

impl PairTable {
    /// Decodes `input` up to the first character that the table lacks, appends it to `text`, and returns the number of bytes read.
    pub fn append_decoded(&self, input: &[u8], text: &mut String) -> usize {
        pairs(self, input, text)
    }

    /// Decodes like [`PairTable::append_decoded`], but faster for short input.
    #[inline]
    pub fn append_short(&self, bytes: &ShortBytes, text: &mut String) -> usize {
        short_pairs(self, bytes.room(), bytes.bytes().len(), text)
    }

    /// Decodes pairs of seven-bit bytes, appends them to `text`, and returns the number of bytes read.
    ///
    /// A pair has a lead byte from 21 to `last_lead`, which is 7E at most, and a trail byte from 21 to 7E. The table has it
    /// with the high bits set. Decoding stops at every other byte. It continues behind `line_end`, which is appended as CR LF.
    pub fn append_seven_bit(
        &self,
        last_lead: u8,
        line_end: Option<&[u8; 8]>,
        input: &[u8],
        text: &mut String,
    ) -> usize {
        seven_bit_pairs(self, last_lead, line_end, input, text)
    }
}

/// See [`PairTable::append_decoded`].
#[inline]
fn pairs(table: &PairTable, input: &[u8], text: &mut String) -> usize {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the functions are made for.
        return unsafe {
            match table.leads {
                LeadBytes::From81 => super::avx2::pairs::<false>(table, input, text),
                LeadBytes::From81ButA0ToDf => super::avx2::pairs::<true>(table, input, text),
            }
        };
    }
    portable_pairs(table, input, &mut Writer::new(text))
}

/// See [`PairTable::append_short`]; only the first `len` bytes of the buffer count.
#[inline]
fn short_pairs(table: &PairTable, room: &[u8; ROOM], len: usize, text: &mut String) -> usize {
    #[cfg(target_arch = "x86_64")]
    if len <= 64 && super::avx2::is_here() {
        // SAFETY: the machine has what the functions are made for.
        let read = unsafe {
            match table.leads {
                LeadBytes::From81 => super::avx2::short_pairs::<false>(table, room, len, text),
                LeadBytes::From81ButA0ToDf => {
                    super::avx2::short_pairs::<true>(table, room, len, text)
                }
            }
        };
        // The rest begins with a character of four bytes, or one that the table lacks.
        return if read == len {
            len
        } else {
            read + pairs(table, &room[read..len], text)
        };
    }
    pairs(table, &room[..len], text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;
    use crate::test_data::{character, same};

    /// The escape sequences and line end of ISO-2022-JP between lines.
    const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

    /// Calls [`short_pairs`] with other bytes behind the end.
    fn short_of(table: &PairTable, input: &[u8], text: &mut String) -> usize {
        if input.len() > 96 {
            return pairs(table, input, text);
        }
        let mut room = [0xA9; ROOM];
        room[..input.len()].copy_from_slice(input);
        short_pairs(table, &room, input.len(), text)
    }

    /// The safe twin of `pairs`.
    fn pairs_twin(table: &PairTable, input: &[u8], text: &mut String) -> usize {
        let mut at = 0;
        while let Some(byte) = input.get(at) {
            let is_lead = match table.leads {
                LeadBytes::From81 => *byte >= 0x80,
                LeadBytes::From81ButA0ToDf => matches!(byte, 0x80..=0x9F | 0xE0..),
            };
            let (c, len) = match input.get(at + 1) {
                Some(trail) if is_lead => (table.pair(*byte, *trail).char(), 2),
                None if is_lead => (None, 0),
                _ => (table.single(*byte).char(), 1),
            };
            let Some(c) = c else { break };
            text.push(c);
            at += len;
        }
        at
    }

    /// The safe twin of `seven_bit_pairs`.
    fn jis_twin(
        table: &PairTable,
        last_lead: u8,
        lines: bool,
        input: &[u8],
        text: &mut String,
    ) -> usize {
        let mut at = 0;
        loop {
            let chars: Vec<char> = input[at..]
                .as_chunks::<2>()
                .0
                .iter()
                .take_while(|[lead, trail]| {
                    (0x21..=last_lead).contains(lead) && (0x21..=0x7E).contains(trail)
                })
                .map_while(|[lead, trail]| table.pair(lead | 0x80, trail | 0x80).char())
                .collect();
            text.extend(&chars);
            at += chars.len() * 2;
            if !lines || !input[at..].starts_with(NEXT_LINE) {
                return at;
            }
            text.push_str("\r\n");
            at += NEXT_LINE.len();
        }
    }

    /// With lead bytes to 77 and to 7E, with lines and without.
    fn same_seven_bit(table: &PairTable, input: &[u8]) {
        for lines in [false, true] {
            for last_lead in [0x77, 0x7E] {
                let (mut one, mut other) = ("é".to_owned(), "é".to_owned());
                let read = seven_bit_pairs(
                    table,
                    last_lead,
                    lines.then_some(NEXT_LINE),
                    input,
                    &mut one,
                );
                assert_eq!(
                    read,
                    jis_twin(table, last_lead, lines, input, &mut other),
                    "{input:x?}"
                );
                assert_eq!(one, other, "{input:x?}");
            }
        }
    }

    fn tables() -> [PairTable; 2] {
        [LeadBytes::From81, LeadBytes::From81ButA0ToDf].map(|leads| {
            let mut cells = vec![[0; 4]; PairTable::CELLS];
            for byte in 0..0x80_u8 {
                cells[usize::from(byte)] = Packed::ascii(byte).bytes();
            }
            for lead in 0x80..=0xFF_u8 {
                if leads == LeadBytes::From81ButA0ToDf && (0xA1..0xE0).contains(&lead) {
                    cells[usize::from(lead)] = Packed::new(character(lead.into())).bytes();
                }
                for trail in
                    (0x40..=0xFE_u8).filter(|trail| *trail != 0x7F && lead != 0x80 && lead != 0xFF)
                {
                    let c = character(usize::from(lead) << 8 | usize::from(trail));
                    cells[PairTable::place(lead, trail)] = Packed::new(c).bytes();
                }
            }
            let cells: Box<[[u8; 4]; PairTable::CELLS]> = cells.try_into().unwrap();
            PairTable::new(leads, Box::leak(cells))
        })
    }

    #[test]
    fn cells_that_are_no_characters_are_rejected() {
        let [table, _] = tables();
        assert_eq!(table.pair(0xB0, 0).char(), None);
        for (place, cell) in [
            (0, [0; 4]),
            (0, *b"a\0\0\x01"),
            (0x81, [0xFF, 0xFF, 0xFF, 3]),
            (PairTable::place(0xB0, 0), Packed::new('語').bytes()),
        ] {
            let mut cells = vec![[0; 4]; PairTable::CELLS];
            cells[0] = Packed::ascii(0).bytes();
            cells[place] = cell;
            let cells: Box<[[u8; 4]; PairTable::CELLS]> = cells.try_into().unwrap();
            let cells: &'static _ = Box::leak(cells);
            let made = std::panic::catch_unwind(|| PairTable::new(LeadBytes::From81, cells));
            assert!(made.is_err(), "{place} {cell:x?}");
        }
    }

    fn portable_of(table: &PairTable, input: &[u8], text: &mut String) -> usize {
        portable_pairs(table, input, &mut Writer::new(text))
    }

    #[test]
    fn every_pair_at_every_place_of_a_block() {
        for table in &tables() {
            for pair in 0..=0xFFFF_u16 {
                let place = usize::from(pair % 61);
                let mut input =
                    b"ab\x88\x9Ac\xE0\x9Fd\x90\x80\x91\x42ef\xFC\xFCg\xB1h\xB1i \xA4\xA2jklmnop"
                        .repeat(2);
                input.splice(place..place, pair.to_be_bytes());
                same(table, &input, pairs, pairs_twin);
                same(table, &input, short_of, pairs_twin);
                same(table, &input, portable_of, pairs_twin);
                same(table, &input[place..], pairs, pairs_twin);
                same(table, &input[place..], portable_of, pairs_twin);
                // No trail byte here means a character of four bytes, with which the fast loop would end.
                let mut run = b"0\"1\"2#3$4&5&6'7(8*9*".repeat(2);
                run.splice(place / 2..place / 2, pair.to_be_bytes());
                same_seven_bit(table, &run);
            }
        }
    }

    #[test]
    fn pairs_of_three_bytes_fit_whatever_the_room() {
        let [table, _] = tables();
        let wide = [0xA9, 0xAB].repeat(20);
        let seven: Vec<u8> = wide.iter().map(|byte| byte & 0x7F).collect();
        let all = "x".to_owned()
            + &table
                .pair(0xA9, 0xAB)
                .char()
                .unwrap()
                .to_string()
                .repeat(20);
        assert_eq!(all.len(), 61);
        for room in 0..80 {
            let texts: [String; 3] = std::array::from_fn(|_| {
                let mut text = String::with_capacity(room);
                text.push('x');
                text
            });
            let [mut one, mut other, mut third] = texts;
            pairs(&table, &wide, &mut one);
            portable_of(&table, &wide, &mut other);
            seven_bit_pairs(&table, 0x7E, None, &seven, &mut third);
            assert!(
                [one, other, third].iter().all(|text| *text == all),
                "{room}"
            );
        }
    }

    #[test]
    fn lines_of_every_length_and_whatever_is_between_them() {
        let [table, _] = tables();
        let run = b"0#1$2&".repeat(20);
        for len in 0..80 {
            for cut in 0..=NEXT_LINE.len() {
                let mut input = [
                    &run[..len],
                    NEXT_LINE,
                    &run[..len + 3],
                    NEXT_LINE,
                    &NEXT_LINE[..cut],
                ]
                .concat();
                same_seven_bit(&table, &input);
                if let Some(byte) = input.get_mut(len + cut) {
                    *byte ^= 1;
                }
                same_seven_bit(&table, &input);
                input.extend_from_slice(&run);
                same_seven_bit(&table, &input);
            }
        }
        let lines = [&run[..], NEXT_LINE].concat().repeat(3);
        for room in 0..600 {
            let mut text = String::with_capacity(room);
            assert_eq!(
                seven_bit_pairs(&table, 0x7E, Some(NEXT_LINE), &lines, &mut text),
                lines.len()
            );
            assert_eq!(text.matches("\r\n").count(), 3);
        }
    }

    #[test]
    fn every_pattern_of_single_bytes_and_pairs_of_every_length() {
        for table in &tables() {
            // Characters of three bytes, and of four, which the fast loop does not handle.
            for pair in [b"\x89\xAB", b"\x89\xA9"] {
                for pattern in 0..1_u32 << 13 {
                    let mut input = Vec::new();
                    for i in (0..13).chain(0..13) {
                        input.extend_from_slice(if pattern >> i & 1 == 1 { pair } else { b"x" });
                    }
                    same(table, &input, pairs, pairs_twin);
                    same(table, &input, short_of, pairs_twin);
                    same(table, &input, portable_of, pairs_twin);
                    same(table, &input[..input.len() - 1], pairs, pairs_twin);
                    same(table, &input[..input.len() - 1], portable_of, pairs_twin);
                }
            }
            let bytes: Vec<u8> = b"\x89\xAB\x90\x40a\xB0\xC0"
                .iter()
                .copied()
                .cycle()
                .take(400)
                .collect();
            for start in 0..8 {
                for len in 0..=300 {
                    same(table, &bytes[start..start + len], pairs, pairs_twin);
                    same(table, &bytes[start..start + len], short_of, pairs_twin);
                    same(table, &bytes[start..start + len], portable_of, pairs_twin);
                    let mut seven = b"0#1$2&D'".repeat(40)[..len].to_vec();
                    same_seven_bit(table, &seven);
                    for end in [b' ', b'!', 0x7E, 0x7F, 0x80, 0xFF] {
                        seven.truncate(len);
                        seven.extend([end; 9]);
                        same_seven_bit(table, &seven[start.min(len)..]);
                    }
                }
            }
        }
    }
}
