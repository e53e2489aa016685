//! Decodes charsets with one or two bytes a character.
//!
//! # Limits
//! Decoding stops before the first character that the table lacks; the caller decides what that is.

use super::Packed;
use super::filled;
use super::short_bytes::{ROOM, ShortBytes};
use super::writer::Writer;
use std::hint::select_unpredictable;

/// Which bytes begin a pair. 80 never does: it is a character by itself, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadBytes {
    /// 81 to FF.
    From81,
    /// 81 to 9F and E0 to FF, as in Shift_JIS.
    From81ButA0ToDf,
}

/// The characters of a charset with one or two bytes a character.
///
/// 00 is NUL, and no pair ends in it, so that loops may read zeros behind the end of the input.
///
/// ```
/// use mailglot_kernel::{LeadBytes, Packed, PairTable};
///
/// let mut table = PairTable::new(LeadBytes::From81);
/// table.set_pair(0xB0, 0xA1, Packed::new('啊'));
/// let mut text = String::new();
/// assert_eq!(table.append_decoded(b"a\xB0\xA1\xB0\xA2", &mut text), 3);
/// assert_eq!(text, "a啊");
/// ```
pub struct PairTable {
    /// The characters of pairs by their bytes, without the highest bit; where 80 would be the lead byte, those of single
    /// bytes. None where the caller must look.
    cells: Box<[Packed; 0x8000]>,
    leads: LeadBytes,
}

impl PairTable {
    /// Makes a table of ASCII only.
    #[expect(
        clippy::large_stack_arrays,
        reason = "it fits, and optimized it is made in its box"
    )]
    pub fn new(leads: LeadBytes) -> Self {
        let mut cells = Box::new([Packed::NONE; 0x8000]);
        for (byte, cell) in (0..0x80).zip(cells.iter_mut()) {
            *cell = Packed::ascii(byte);
        }
        Self { cells, leads }
    }

    /// Sets the character of a single byte. Ignores [`Packed::number`] and the byte 00.
    #[inline]
    pub fn set_single(&mut self, byte: u8, character: Packed) {
        if character.as_number().is_none() && byte > 0 {
            self.cells[usize::from(byte)] = character;
        }
    }

    /// Sets the character of a pair. Ignores [`Packed::number`], lead bytes below 81 and the trail byte 00.
    #[inline]
    pub fn set_pair(&mut self, lead: u8, trail: u8, character: Packed) {
        if character.as_number().is_none() && lead > 0x80 && trail > 0 {
            self.cells[Self::index(lead, trail)] = character;
        }
    }

    /// Returns the character of a single byte.
    #[inline]
    pub fn single(&self, byte: u8) -> Packed {
        self.cells[usize::from(byte)]
    }

    /// Returns the character of a pair; none for a lead byte below 81.
    #[inline]
    pub fn pair(&self, lead: u8, trail: u8) -> Packed {
        if lead > 0x80 {
            self.cells[Self::index(lead, trail)]
        } else {
            Packed::NONE
        }
    }

    /// Decodes `input` up to the first character that the table lacks, appends it to `text`, and returns the number of bytes read.
    pub fn append_decoded(&self, input: &[u8], text: &mut String) -> usize {
        pairs(self, input, text)
    }

    /// Decodes as [`PairTable::append_decoded`] does, faster.
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

    /// The character of a code: two bytes of which the first begins a pair, or 0 and a single byte.
    #[inline]
    pub(super) fn cell(&self, code: u16) -> Packed {
        self.cells[usize::from(code & 0x7FFF)]
    }

    #[inline]
    fn index(lead: u8, trail: u8) -> usize {
        usize::from(lead & 0x7F) << 8 | usize::from(trail)
    }
}

/// Where the first four characters of eight bytes begin, by the bytes that can be lead bytes (bit 0 is the first
/// byte): the first bits of the second, third and fourth, and in the top byte the length of all four in bytes. Eight
/// bytes always hold four: only the last byte can be half a pair.
const STARTS: [u32; 256] = {
    let mut starts = [0; 256];
    let mut leads = 0;
    while leads < 256 {
        let (mut at, mut n) = (0, 0);
        while n < 4 {
            at += 1 + (leads >> at & 1);
            starts[leads] |= (if n < 3 { 8 * at } else { at } as u32) << (8 * n);
            n += 1;
        }
        leads += 1;
    }
    starts
};

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

/// See [`PairTable::append_short`]; the first `len` bytes of the room count.
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
        // What is left has characters of four bytes, or one that the table does not know.
        return if read == len {
            len
        } else {
            read + pairs(table, &room[read..len], text)
        };
    }
    pairs(table, &room[..len], text)
}

/// For every machine.
fn portable_pairs(table: &PairTable, input: &[u8], out: &mut Writer<'_>) -> usize {
    match table.leads {
        LeadBytes::From81 => pairs_of::<false>(table, input, out),
        LeadBytes::From81ButA0ToDf => pairs_of::<true>(table, input, out),
    }
}

#[inline]
fn pairs_of<const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    /// So many blocks of nothing but pairs must follow each other until they are expected again.
    const STAY: u32 = 2;
    let mut mixed = 0_u32;
    let mut at = 0;
    while let Some(block) = input[at..].first_chunk::<16>() {
        out.reserve(8 * 4);
        let [one, other] = [word(block, 0), word(block, 8)];
        if (one | other) & HIGH == 0 {
            // SAFETY: there is room, and the bytes are ASCII.
            unsafe { out.store(*block, 16) };
            at += 16;
            continue;
        }
        let leads = [leads::<SKIP_A0_DF>(one), leads::<SKIP_A0_DF>(other)];
        // Where pairs stand among single bytes, which is which cannot be foretold: better no branch than a wrong one.
        let is_mixed = leads[0] & leads[1] & FIRSTS != FIRSTS;
        mixed = select_unpredictable(is_mixed, STAY, mixed.saturating_sub(1));
        let (cells, len): ([Packed; 8], usize) = if mixed == 0 {
            (
                std::array::from_fn(|i| {
                    table.cell(u16::from_be_bytes([block[2 * i], block[2 * i + 1]]))
                }),
                16,
            )
        } else {
            let bits = gather(leads[0]) | gather(leads[1]) << 8;
            let starts = STARTS[(bits & 0xFF) as usize];
            let first = (starts >> 24) as usize;
            let more = STARTS[(bits >> first & 0xFF) as usize];
            let other = word(block, first);
            let [a, b, c, d] = four(table, one, leads[0], starts);
            let [e, f, g, h] = four(table, other, self::leads::<SKIP_A0_DF>(other), more);
            ([a, b, c, d, e, f, g, h], first + (more >> 24) as usize)
        };
        if cells.iter().any(|cell| !cell.is_basic()) {
            // Characters of four bytes, or one that the table does not know.
            match pair_by_pair::<SKIP_A0_DF>(table, block, out) {
                0 => return at,
                len => at += len,
            }
            continue;
        }
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the eight, and they are of the basic plane.
            unsafe { out.put_basic(cell) };
        }
        at += len;
    }
    at + pair_by_pair::<SKIP_A0_DF>(table, &input[at..], out)
}

/// The high bits of eight bytes.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The high bits of those that begin four pairs.
const FIRSTS: u64 = 0x0080_0080_0080_0080;

/// Eight bytes of a block; the last eight if there are fewer.
#[inline]
fn word(block: &[u8; 16], at: usize) -> u64 {
    let block = u128::from_le_bytes(*block);
    (block >> (8 * at)) as u64
}

/// The high bits of the bytes that can be lead bytes.
#[inline]
fn leads<const SKIP_A0_DF: bool>(word: u64) -> u64 {
    // All bytes from 81 have another bit besides the highest.
    let above_80 = word & ((word & !HIGH) + !HIGH) & HIGH;
    if SKIP_A0_DF {
        above_80 & !(word << 1 ^ word << 2)
    } else {
        above_80
    }
}

/// The high bits of eight bytes as eight bits.
#[inline]
fn gather(high: u64) -> u64 {
    // The products meet in the top byte.
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The first four characters of eight bytes.
#[inline]
fn four(table: &PairTable, word: u64, leads: u64, starts: u32) -> [Packed; 4] {
    [0, starts & 0xFF, starts >> 8 & 0xFF, starts >> 16 & 0xFF].map(|start| {
        let near = (word >> start) as u16;
        let is_lead = leads >> start & 0x80 != 0;
        table.cell(select_unpredictable(
            is_lead,
            near.swap_bytes(),
            near & 0xFF,
        ))
    })
}

/// Decodes one character at a time.
pub(super) fn pair_by_pair<const SKIP_A0_DF: bool>(
    table: &PairTable,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    let mut at = 0;
    while let Some(lead) = input.get(at).copied() {
        let is_lead = lead > 0x80 && (!SKIP_A0_DF || !(0xA0..0xE0).contains(&lead));
        let (cell, len) = match input.get(at + 1) {
            Some(trail) if is_lead => (table.pair(lead, *trail), 2),
            None if is_lead => break,
            _ => (table.single(lead), 1),
        };
        if cell.is_none() {
            break;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
        at += len;
    }
    at
}

/// See [`PairTable::append_seven_bit`].
#[inline(never)]
fn seven_bit_pairs(
    table: &PairTable,
    last_lead: u8,
    line_end: Option<&[u8; 8]>,
    input: &[u8],
    text: &mut String,
) -> usize {
    // Added to a byte, these set its high bit where it is beyond its range; leads stand first.
    let beyond =
        0x0100_0100_0100_0100 | (u64::from(0x7F - last_lead.min(0x7E)) * 0x0001_0001_0001_0001);
    // Carries go upwards only, so all is true up to the first byte that is outside.
    let outside = |word: u64| {
        (word | word.wrapping_sub(0x2121_2121_2121_2121) | word.wrapping_add(beyond)) & HIGH
    };
    let four = |word: u64| {
        let codes = (word | HIGH).swap_bytes();
        [48, 32, 16, 0].map(|shift| table.cell((codes >> shift) as u16))
    };
    let mut out = Writer::new(text);
    let mut at = 0;
    'lines: loop {
        while let Some(block) = input[at..].first_chunk::<16>() {
            let words = [word(block, 0), word(block, 8)];
            if outside(words[0]) | outside(words[1]) != 0 {
                break;
            }
            out.reserve(8 * 4);
            for word in words {
                let cells = four(word);
                if !cells.iter().fold(true, |all, cell| all & cell.is_basic()) {
                    break 'lines;
                }
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of the eight, and they are of the basic plane.
                    unsafe { out.put_basic(cell) };
                }
                at += 8;
            }
        }
        let mut room = None;
        let word = u64::from_le_bytes(*filled(&input[at..], 0, &mut room));
        let known = outside(word).trailing_zeros() as usize / 16;
        let cells = four(word);
        let is_basic = |i: usize| (i >= known) | cells[i].is_basic();
        if !(0..4).fold(true, |all, i| all & is_basic(i)) {
            break;
        }
        out.reserve(4 * 4);
        for (i, cell) in cells.into_iter().enumerate() {
            let cell = select_unpredictable(i < known, cell, Packed::NONE);
            // SAFETY: there is room for four bytes for each of the four, and they are of the basic plane or none.
            unsafe { out.put_basic(cell) };
        }
        at += 2 * known;
        if known < 4 {
            let Some(line_end) = line_end.filter(|end| input[at..].first_chunk() == Some(*end))
            else {
                return at;
            };
            out.reserve(2);
            // SAFETY: there is room, and line ends are ASCII.
            unsafe { out.store(*b"\r\n", 2) };
            at += line_end.len();
        }
    }
    // Characters of four bytes, or one that the table does not know.
    while let Some([lead @ 0x21..=0x7E, trail @ 0x21..=0x7E]) = input[at..].first_chunk::<2>()
        && *lead <= last_lead
    {
        let cell = table.pair(*lead | 0x80, *trail | 0x80);
        if cell.is_none() {
            break;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
        at += 2;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::{character, same};

    /// As ISO-2022-JP has it between lines.
    const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

    /// [`short_pairs`] with other bytes behind the end.
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
            let mut table = PairTable::new(leads);
            for lead in 0x80..=0xFF_u8 {
                if leads == LeadBytes::From81ButA0ToDf && (0xA1..0xE0).contains(&lead) {
                    table.set_single(lead, Packed::new(character(lead.into())));
                }
                for trail in
                    (0x40..=0xFE_u8).filter(|trail| *trail != 0x7F && lead != 0x80 && lead != 0xFF)
                {
                    let c = character(usize::from(lead) << 8 | usize::from(trail));
                    table.set_pair(lead, trail, Packed::new(c));
                }
            }
            table
        })
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
            // Of three bytes, and of four, with which the fast loop does not deal.
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
