//! Charsets that a table decodes: one byte a character, or two.
//!
//! # Limits
//! Each function stops before the first byte that its table does not know; what that is, is for the caller to find out.

use super::Packed;
use super::ascii::all_ascii;
use super::filled;
use super::short::ROOM;
use super::writer::Writer;
use std::hint::select_unpredictable;

/// The characters of all bytes of a single-byte charset.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    cells: [Packed; 256],
    /// Every byte is a character.
    whole: bool,
    /// The bytes below 80 are ASCII.
    ascii: bool,
    growth: usize,
    /// First and second bytes of the characters above 7F that have two; zeros for others.
    doubles: [[[u8; 64]; 2]; 2],
}

impl Page {
    pub(crate) fn new(character: impl Fn(u8) -> Option<char>) -> Self {
        let cells =
            std::array::from_fn(|byte| character(byte as u8).map_or(Packed::NONE, Packed::new));
        let ascii = (0..0x80).all(|byte| cells[usize::from(byte)] == Packed::ascii(byte));
        // Most pages have letters here.
        let letters: usize = cells[0xC0..].iter().map(|cell| cell.len().max(1)).sum();
        let double = |byte: usize, nth: usize| {
            if cells[byte].len() == 2 {
                cells[byte].bytes()[nth]
            } else {
                0
            }
        };
        let half = |nth, start| std::array::from_fn(|at| double(start + at, nth));
        let doubles = [0, 1].map(|nth| [half(nth, 0x80), half(nth, 0xC0)]);
        Self {
            whole: !cells.contains(&Packed::NONE),
            ascii,
            growth: (letters + 32) / 64 - 1,
            doubles,
            cells,
        }
    }

    /// Bytes by which the text of a letter above 7F is longer than the letter.
    pub(crate) fn growth(&self) -> usize {
        self.growth
    }

    /// Whether the bytes below 80 are ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// See the field.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn doubles(&self) -> &[[[u8; 64]; 2]; 2] {
        &self.doubles
    }

    #[inline]
    pub(crate) fn cell(&self, byte: u8) -> Packed {
        self.cells[usize::from(byte)]
    }
}

/// Appends the characters of `input` up to the first byte that is none; returns the number of bytes read.
pub(crate) fn single_bytes(page: &Page, input: &[u8], text: &mut String) -> usize {
    // Short pieces must not pay for what is not for them.
    #[cfg(target_arch = "x86_64")]
    if input.len() >= 64 && page.ascii && page.growth == 1 && super::avx512::is_here() {
        // SAFETY: the machine has what the function is made for.
        return unsafe { in_blocks(page, input, text) };
    }
    portable_single_bytes(page, input, text)
}

/// # Safety
/// The machine has what [`super::avx512::singles`] is made for.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn in_blocks(page: &Page, input: &[u8], text: &mut String) -> usize {
    let mut at = 0;
    loop {
        // SAFETY: the caller's.
        at += unsafe { super::avx512::singles(page, &input[at..], text) };
        // What it left: characters of three bytes, or none.
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

#[inline]
fn portable_single_bytes(page: &Page, input: &[u8], text: &mut String) -> usize {
    if page.whole {
        singles::<true>(page, input, text)
    } else {
        singles::<false>(page, input, text)
    }
}

#[inline]
fn singles<const WHOLE: bool>(page: &Page, input: &[u8], text: &mut String) -> usize {
    const STEP: usize = 32;
    let mut out = Writer::new(text);
    let mut at = 0;
    loop {
        while let Some(block) = input[at..].first_chunk::<STEP>() {
            if page.ascii && all_ascii(block) {
                out.reserve(STEP);
                // SAFETY: there is room for 32 bytes, and they are ASCII.
                unsafe { out.store(*block, STEP) };
                at += STEP;
                continue;
            }
            for part in block.as_chunks::<8>().0 {
                out.reserve(8 * 4);
                if page.ascii && put_sparse(page, *part, &mut out) {
                    at += 8;
                    continue;
                }
                let cells = part.map(|byte| page.cell(byte));
                if !WHOLE && cells.contains(&Packed::NONE) {
                    return at + known(page, part, &mut out);
                }
                for cell in cells {
                    // SAFETY: there is room for four bytes for each of the eight.
                    unsafe { out.put(cell) };
                }
                at += 8;
            }
        }
        let Some(part) = input[at..].first_chunk::<8>() else {
            break;
        };
        out.reserve(8 * 4);
        let cells = part.map(|byte| page.cell(byte));
        if !WHOLE && cells.contains(&Packed::NONE) {
            return at + known(page, part, &mut out);
        }
        for cell in cells {
            // SAFETY: there is room for four bytes for each of the eight.
            unsafe { out.put(cell) };
        }
        at += 8;
    }
    let rest = input.len() - at;
    if rest > 0
        && let Some(last) = input.last_chunk::<8>()
    {
        // Less than eight bytes are left; those before them go, and zeros come in behind them.
        let part = (u64::from_le_bytes(*last) >> (8 * (8 - rest))).to_le_bytes();
        let cells: [Packed; 8] = std::array::from_fn(|i| {
            select_unpredictable(i < rest, page.cell(part[i]), Packed::NONE)
        });
        if WHOLE || !cells[..rest].contains(&Packed::NONE) {
            out.reserve(8 * 4);
            for cell in cells {
                // SAFETY: there is room for four bytes for each of the eight.
                unsafe { out.put(cell) };
            }
            return input.len();
        }
    }
    at + known(page, &input[at..], &mut out)
}

/// Eight bytes of which one at most is above 7F, and a character: as Latin text has them. False, and nothing is done, for others.
#[inline]
fn put_sparse(page: &Page, part: [u8; 8], out: &mut Writer<'_>) -> bool {
    debug_assert!(page.ascii && out.room() >= 8 * 4);
    let word = u64::from_le_bytes(part);
    let high = word & 0x8080_8080_8080_8080;
    if high == 0 {
        // SAFETY: there is room, and ASCII is UTF-8.
        unsafe { out.store(part, 8) };
        return true;
    }
    if high & (high - 1) != 0 {
        return false;
    }
    let before = high.trailing_zeros() as usize / 8;
    let cell = page.cell(part[before]);
    if cell.is_none() {
        return false;
    }
    // In two steps: a shift by 64 is none.
    let after = (word >> (8 * before) >> 8).to_le_bytes();
    // SAFETY: there is room for seven bytes before, four, and eight behind; the others than the one are ASCII.
    unsafe {
        out.store(part, before);
        out.put(cell);
        out.store(after, 7 - before);
    }
    true
}

/// The same, byte by byte.
fn known(page: &Page, input: &[u8], out: &mut Writer<'_>) -> usize {
    out.reserve(input.len() + 3);
    for (at, byte) in input.iter().enumerate() {
        let cell = page.cell(*byte);
        if cell.is_none() {
            return at;
        }
        out.reserve(4);
        // SAFETY: there is room for four bytes.
        unsafe { out.put(cell) };
    }
    input.len()
}

/// Which bytes begin a pair. 80 never does: it is a character by itself, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// 81-FF.
    High,
    /// 81-9F and E0-FF: in Shift_JIS the bytes between are half-width katakana.
    ShiftJis,
}

/// The characters of a double-byte charset. 00 is NUL, and no pair ends in it, so that zeros may be read behind the end of a text.
pub(crate) struct Pairs {
    /// The characters of pairs by their bytes, without the highest bit; where 80 would be the lead byte, those of single
    /// bytes. None where the caller must look.
    cells: Box<[Packed; 0x8000]>,
    leads: Leads,
}

impl Pairs {
    /// A table that knows ASCII only.
    #[expect(
        clippy::large_stack_arrays,
        reason = "it fits, and optimized it is made in its box"
    )]
    pub(crate) fn new(leads: Leads) -> Self {
        let mut cells = Box::new([Packed::NONE; 0x8000]);
        for (byte, cell) in (0..0x80).zip(cells.iter_mut()) {
            *cell = Packed::ascii(byte);
        }
        Self { cells, leads }
    }

    /// Enters a byte by itself. A number in place of a character is left out, here and in pairs.
    pub(crate) fn set_single(&mut self, byte: u8, character: Packed) {
        if character.as_number().is_none() && byte > 0 {
            self.cells[usize::from(byte)] = character;
        }
    }

    /// Enters a pair, whose lead byte is 81 or above.
    pub(crate) fn set_pair(&mut self, lead: u8, trail: u8, character: Packed) {
        if character.as_number().is_none() && lead > 0x80 && trail > 0 {
            self.cells[Self::index(lead, trail)] = character;
        }
    }

    /// The character of a byte by itself.
    #[inline]
    pub(crate) fn single(&self, byte: u8) -> Packed {
        self.cells[usize::from(byte)]
    }

    /// The character of a pair.
    #[inline]
    pub(crate) fn pair(&self, lead: u8, trail: u8) -> Packed {
        if lead > 0x80 {
            self.cells[Self::index(lead, trail)]
        } else {
            Packed::NONE
        }
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

/// Appends the characters of `input` up to the first that the table does not know; returns the number of bytes read.
pub(crate) fn pairs(table: &Pairs, input: &[u8], text: &mut String) -> usize {
    #[cfg(target_arch = "x86_64")]
    if super::avx2::is_here() {
        // SAFETY: the machine has what the functions are made for.
        return unsafe {
            match table.leads {
                Leads::High => super::avx2::pairs::<false>(table, input, text),
                Leads::ShiftJis => super::avx2::pairs::<true>(table, input, text),
            }
        };
    }
    portable_pairs(table, input, &mut Writer::new(text))
}

/// The same for so many bytes, of which there are few, at the start of a room.
#[inline]
pub(crate) fn short_pairs(
    table: &Pairs,
    room: &[u8; ROOM],
    len: usize,
    text: &mut String,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if len <= 64 && super::avx2::is_here() {
        // SAFETY: the machine has what the functions are made for.
        let read = unsafe {
            match table.leads {
                Leads::High => super::avx2::short_pairs::<false>(table, room, len, text),
                Leads::ShiftJis => super::avx2::short_pairs::<true>(table, room, len, text),
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
fn portable_pairs(table: &Pairs, input: &[u8], out: &mut Writer<'_>) -> usize {
    match table.leads {
        Leads::High => pairs_of::<false>(table, input, out),
        Leads::ShiftJis => pairs_of::<true>(table, input, out),
    }
}

#[inline]
fn pairs_of<const SHIFT_JIS: bool>(table: &Pairs, input: &[u8], out: &mut Writer<'_>) -> usize {
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
        let leads = [leads::<SHIFT_JIS>(one), leads::<SHIFT_JIS>(other)];
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
            let [e, f, g, h] = four(table, other, self::leads::<SHIFT_JIS>(other), more);
            ([a, b, c, d, e, f, g, h], first + (more >> 24) as usize)
        };
        if cells.iter().any(|cell| !cell.is_basic()) {
            // Characters of four bytes, or one that the table does not know.
            match pair_by_pair::<SHIFT_JIS>(table, block, out) {
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
    at + pair_by_pair::<SHIFT_JIS>(table, &input[at..], out)
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
fn leads<const SHIFT_JIS: bool>(word: u64) -> u64 {
    // All bytes from 81 have another bit besides the highest.
    let above_80 = word & ((word & !HIGH) + !HIGH) & HIGH;
    if SHIFT_JIS {
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
fn four(table: &Pairs, word: u64, leads: u64, starts: u32) -> [Packed; 4] {
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

/// The same, one character at a time.
pub(super) fn pair_by_pair<const SHIFT_JIS: bool>(
    table: &Pairs,
    input: &[u8],
    out: &mut Writer<'_>,
) -> usize {
    let mut at = 0;
    while let Some(lead) = input.get(at).copied() {
        let is_lead = lead > 0x80 && (!SHIFT_JIS || !(0xA0..0xE0).contains(&lead));
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

/// What stands between most lines of Japanese text in ISO 2022.
pub(crate) const NEXT_LINE: &[u8; 8] = b"\x1B(B\r\n\x1B$B";

/// The same for pairs of seven-bit bytes, as ISO 2022 writes them: lead bytes from 21 to `last_lead`, which is 77 or 7E,
/// and trail bytes from 21 to 7E; stops at every other byte, too, but with `lines` it goes on behind [`NEXT_LINE`].
#[inline(never)]
pub(crate) fn jis_pairs(
    table: &Pairs,
    last_lead: u8,
    lines: bool,
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
            if !lines || input[at..].first_chunk() != Some(NEXT_LINE) {
                return at;
            }
            out.reserve(2);
            // SAFETY: there is room, and line ends are ASCII.
            unsafe { out.store(*b"\r\n", 2) };
            at += NEXT_LINE.len();
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

    /// The safe twin of `single_bytes`.
    fn singles_twin(page: &Page, input: &[u8], text: &mut String) -> usize {
        let chars: Vec<char> = input
            .iter()
            .map_while(|byte| page.cell(*byte).char())
            .collect();
        text.extend(&chars);
        chars.len()
    }

    /// [`short_pairs`] with other bytes behind the end.
    fn short_of(table: &Pairs, input: &[u8], text: &mut String) -> usize {
        if input.len() > 96 {
            return pairs(table, input, text);
        }
        let mut room = [0xA9; ROOM];
        room[..input.len()].copy_from_slice(input);
        short_pairs(table, &room, input.len(), text)
    }

    /// The safe twin of `pairs`.
    fn pairs_twin(table: &Pairs, input: &[u8], text: &mut String) -> usize {
        let mut at = 0;
        while let Some(byte) = input.get(at) {
            let is_lead = match table.leads {
                Leads::High => *byte >= 0x80,
                Leads::ShiftJis => matches!(byte, 0x80..=0x9F | 0xE0..),
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

    /// The safe twin of `jis_pairs`.
    fn jis_twin(
        table: &Pairs,
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
    fn same_seven_bit(table: &Pairs, input: &[u8]) {
        for lines in [false, true] {
            for last_lead in [0x77, 0x7E] {
                let (mut one, mut other) = ("é".to_owned(), "é".to_owned());
                let read = jis_pairs(table, last_lead, lines, input, &mut one);
                assert_eq!(
                    read,
                    jis_twin(table, last_lead, lines, input, &mut other),
                    "{input:x?}"
                );
                assert_eq!(one, other, "{input:x?}");
            }
        }
    }

    /// Characters of one to four bytes, without a system.
    fn character(code: usize) -> char {
        match code % 4 {
            0 => char::from_u32(0xA1 + code as u32 % 0x700),
            1 => char::from_u32(0x1F300 + code as u32 % 0x300),
            2 => char::from_u32(0x20 + code as u32 % 0x5F),
            _ => char::from_u32(0x3041 + code as u32 % 0x6000),
        }
        .unwrap_or('x')
    }

    fn same<T>(
        table: &T,
        input: &[u8],
        fast: fn(&T, &[u8], &mut String) -> usize,
        slow: fn(&T, &[u8], &mut String) -> usize,
    ) {
        let (mut one, mut other) = ("é".to_owned(), "é".to_owned());
        assert_eq!(
            fast(table, input, &mut one),
            slow(table, input, &mut other),
            "{input:x?}"
        );
        assert_eq!(one, other, "{input:x?}");
    }

    #[test]
    fn pages_with_and_without_holes_and_ascii() {
        let pages = [
            Page::new(|byte| Some(char::from(byte))),
            Page::new(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    Some(character(byte.into()))
                }
            }),
            Page::new(|byte| {
                if byte < 0x80 {
                    Some(char::from(byte))
                } else {
                    None
                }
            }),
            Page::new(|byte| (byte % 16 != 7).then(|| character(byte.into()))),
            // As windows-1252: among letters of two bytes signs of three, and holes.
            Page::new(|byte| match byte {
                0x81 | 0x8D => None,
                0x80..=0x9F => char::from_u32(0x2000 | u32::from(byte)),
                _ => Some(char::from(byte)),
            }),
            // As KOI8-R, but for a byte that is ASCII.
            Page::new(|byte| match byte {
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
                    for read in [single_bytes, portable_single_bytes] {
                        same(page, input, read, singles_twin);
                        same(page, &ascii, read, singles_twin);
                    }
                }
            }
            for byte in 0..=255 {
                for place in 0..140 {
                    let mut input = [b'a'; 145];
                    input[place] = byte;
                    same(page, &input, single_bytes, singles_twin);
                    same(page, &input, portable_single_bytes, singles_twin);
                }
            }
        }
    }

    fn tables() -> [Pairs; 2] {
        [Leads::High, Leads::ShiftJis].map(|leads| {
            let mut table = Pairs::new(leads);
            for lead in 0x80..=0xFF_u8 {
                if leads == Leads::ShiftJis && (0xA1..0xE0).contains(&lead) {
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

    fn portable_of(table: &Pairs, input: &[u8], text: &mut String) -> usize {
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
            jis_pairs(&table, 0x7E, false, &seven, &mut third);
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
                jis_pairs(&table, 0x7E, true, &lines, &mut text),
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
